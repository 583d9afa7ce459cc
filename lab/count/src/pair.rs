//! Two hosts in memory: what the driver does between a host and its socket, with the network left out.
//!
//! Nothing here is random or depends on a clock: the same build executes the same instructions in every run.

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Transmit};
use tng_endpoint::Port;
use tng_stack::structured::{FirstData, ServiceOptions, StreamEvent};
use tng_stack::{Access, EventKind, ExchangeLimits, Host, HostConfig, HostEvent, Identity, Target};

use crate::callgrind::the_counted_turn;

/// What every stream is opened for: service and protocol.
pub const SERVICE: (&str, &str) = ("count", "count/1");

/// The same of streams that are requests.
pub const ASKED: (&str, &str) = ("count", "request");

/// Batches that a host may write before they are sent, as with the driver.
const SEND_BATCHES: usize = 4;

/// Messages that one receive call brings, as with the driver.
const RECEIVE_BATCH: usize = 8;

/// How far ahead the driver sets its timer at least.
const TIMER_FLOOR: Duration = Duration::from_millis(1);

/// From one end's turn to the other's: half a round trip.
const HALF_TRIP: Duration = Duration::from_micros(25);

/// An application at one end.
pub trait App {
    /// Does what there is to do on an event.
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent);

    /// How much it has done, in whatever it counts.
    fn done(&self) -> u64 {
        0
    }
}

/// One of the two ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Connects.
    Client,
    /// Accepts.
    Server,
}

/// A batch of datagrams of one length, the last perhaps shorter.
struct Batch {
    buffer: Box<[u8]>,
    len: usize,
    segment_size: usize,
    ecn: Ecn,
}

/// A host, its application, and how much it has done.
pub struct End {
    port: Port<(Host,)>,
    app: Box<dyn App>,
    remote: SocketAddr,
    deadline: Option<Instant>,
    /// It has more to say than there was room for, or its application has touched it.
    more: bool,
    inbox: VecDeque<Batch>,
    outbox: Vec<Batch>,
    spare: Vec<Batch>,
    events: Vec<HostEvent>,
    told: Vec<StreamEvent>,
    /// Datagrams that it has sent.
    pub sent: u64,
    /// Datagrams that it has received.
    pub received: u64,
    /// Timers of it that have fired.
    pub fired: u64,
}

impl End {
    fn new(host: Host, remote: SocketAddr, app: Box<dyn App>) -> End {
        let batch =
            || Batch { buffer: vec![0; 65_536].into_boxed_slice(), len: 0, segment_size: 0, ecn: Ecn::default() };
        End {
            port: Port::new((host,)),
            app,
            remote,
            deadline: None,
            more: true,
            inbox: VecDeque::new(),
            outbox: Vec::with_capacity(SEND_BATCHES),
            spare: core::iter::repeat_with(batch).take(64).collect(),
            events: Vec::new(),
            told: Vec::new(),
            sent: 0,
            received: 0,
            fired: 0,
        }
    }

    /// How much its application has done.
    pub fn done(&self) -> u64 {
        self.app.done()
    }

    fn has_work(&self, now: Instant) -> bool {
        self.more || !self.inbox.is_empty() || self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// What the driver and then the application's tasks do when they are woken.
    fn turn(&mut self, now: Instant) {
        for mut batch in self.inbox.drain(..self.inbox.len().min(RECEIVE_BATCH)) {
            self.received += batch.len.div_ceil(batch.segment_size) as u64;
            let Batch { segment_size, ecn, .. } = batch;
            let payload = &mut batch.buffer[..batch.len];
            let datagram = Datagram { remote: self.remote, local: None, ecn, segment_size, payload };
            self.port.handle_input(now, Input::Datagram(datagram));
            self.spare.push(batch);
        }
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.fired += 1;
            self.port.handle_timeout(now);
        }
        self.poll(now);
        if !self.events.is_empty() {
            for event in self.events.drain(..) {
                self.app.handle_event(now, self.port.sole_mut(), event);
            }
            self.poll(now);
        }
        self.sent += self.outbox.iter().map(|batch| batch.len.div_ceil(batch.segment_size) as u64).sum::<u64>();
    }

    /// Takes an event, and with one of streams all that they have, as the driver's hub does.
    fn take_event(&mut self, event: HostEvent) {
        let HostEvent { connection, kind } = event;
        let is_stream = matches!(kind, EventKind::Stream(_));
        self.events.push(HostEvent { connection, kind });
        if is_stream && let Some(streams) = self.port.sole_mut().streams(connection) {
            streams.poll_events(&mut self.told);
            let told = self.told.drain(..).map(|event| HostEvent { connection, kind: EventKind::Stream(event) });
            self.events.extend(told);
        }
    }

    fn poll(&mut self, now: Instant) {
        self.more = true;
        while self.outbox.len() < SEND_BATCHES {
            let Some(batch) = self.spare.last_mut() else { return };
            match self.port.poll_output(now, &mut batch.buffer) {
                Output::Transmit(Transmit { len, segment_size, ecn, .. }) => {
                    (batch.len, batch.segment_size, batch.ecn) = (len, segment_size, ecn);
                    self.outbox.extend(self.spare.pop());
                }
                Output::Event(event) => self.take_event(event),
                // The same each time: what is counted is not to depend on luck.
                Output::NeedsEntropy => self.port.handle_input(now, Input::Entropy(&mut [33; 32])),
                Output::Timeout(deadline) => {
                    self.deadline = deadline.map(|deadline| deadline.max(now + TIMER_FLOOR));
                    self.more = !self.events.is_empty();
                    return;
                }
            }
        }
    }
}

/// Two hosts, next to each other.
pub struct Pair {
    now: Instant,
    /// The end that connects.
    pub client: End,
    /// The end that accepts.
    pub server: End,
}

impl Pair {
    /// Two hosts with default settings, but no limit to exchanges; `client` and `server` make their applications, the
    /// client's being told whom to connect to. The client's host has been told to connect.
    ///
    /// # Errors
    /// If the host refuses to connect.
    pub fn new(
        client: impl FnOnce(Target) -> Box<dyn App>,
        server: Box<dyn App>,
    ) -> Result<Pair, tng_stack::ConnectError> {
        let now = Instant::from_secs(1);
        let [at_client, at_server] = [SocketAddr::from(([127, 0, 0, 1], 1)), SocketAddr::from(([127, 0, 0, 1], 2))];
        let mut config = HostConfig::new(Access::Public);
        // One address connects as fast as it can.
        config.exchanges = ExchangeLimits::NONE;
        let mut accepting = Host::new(config, Identity::from_seed([2; 32]), [22; 32]);
        accepting.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
        accepting.listen_for_requests(ASKED.0, ASKED.1, FirstData::Proven);
        let target = Target { eid: accepting.eid(), addresses: vec![at_server], capability: None, via: Vec::new() };
        let mut connecting = Host::new(HostConfig::new(Access::Nobody), Identity::from_seed([1; 32]), [11; 32]);
        connecting.connect(now, target.clone())?;
        Ok(Pair {
            now,
            client: End::new(connecting, at_server, client(target)),
            server: End::new(accepting, at_client, server),
        })
    }

    /// Both ends have a turn. What the one chosen does is counted.
    pub fn step(&mut self, counted: Option<Side>) {
        if !self.client.has_work(self.now) && !self.server.has_work(self.now) {
            let next = [self.client.deadline, self.server.deadline].into_iter().flatten().min();
            self.now = next.map_or(self.now, |next| next.max(self.now));
        }
        self.turn(Side::Client, counted);
        self.turn(Side::Server, counted);
    }

    fn turn(&mut self, side: Side, counted: Option<Side>) {
        self.now += HALF_TRIP;
        let (end, other) = match side {
            Side::Client => (&mut self.client, &mut self.server),
            Side::Server => (&mut self.server, &mut self.client),
        };
        if !end.has_work(self.now) {
            return;
        }
        match counted == Some(side) {
            true => the_counted_turn(end, |end| end.turn(self.now)),
            false => end.turn(self.now),
        }
        // Buffers change hands: what the kernel copies is not counted.
        for batch in end.outbox.drain(..) {
            end.spare.extend(other.spare.pop());
            other.inbox.push_back(batch);
        }
    }
}
