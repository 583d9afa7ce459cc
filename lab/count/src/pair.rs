//! Two hosts in memory: what the driver does between a host and its socket, with the network left out.
//!
//! Nothing here is random or depends on a clock: the same build executes the same instructions in every run.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Transmit};
use tng_endpoint::Port;
use tng_stack::structured::{FirstData, ServiceOptions, StreamEvent};
use tng_stack::{
    Access, ConnectError, ConnectionId, EventKind, ExchangeLimits, Host, HostConfig, HostEvent, Identity, Target,
};

use crate::turns::{Desk, Pair, Turns};

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

/// An application at one end.
pub trait App {
    /// Does what there is to do on an event.
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent);

    /// How much it has done, in whatever it counts.
    fn done(&self) -> u64 {
        0
    }
}

/// A batch of datagrams of one length, the last perhaps shorter.
pub struct Batch {
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
    desk: Desk<Instant, Batch>,
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
            desk: Desk::new(batch),
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
        self.desk.more = true;
        while self.desk.outbox.len() < SEND_BATCHES {
            let Some(batch) = self.desk.spare.last_mut() else { return };
            match self.port.poll_output(now, &mut batch.buffer) {
                Output::Transmit(Transmit { len, segment_size, ecn, .. }) => {
                    (batch.len, batch.segment_size, batch.ecn) = (len, segment_size, ecn);
                    self.desk.outbox.extend(self.desk.spare.pop());
                }
                Output::Event(event) => self.take_event(event),
                // The same each time: what is counted is not to depend on luck.
                Output::NeedsEntropy => self.port.handle_input(now, Input::Entropy(&mut [33; 32])),
                Output::Timeout(deadline) => {
                    self.desk.deadline = deadline.map(|deadline| deadline.max(now + TIMER_FLOOR));
                    self.desk.more = !self.events.is_empty();
                    return;
                }
            }
        }
    }
}

impl Turns for End {
    type Now = Instant;
    type Batch = Batch;

    fn desk(&mut self) -> &mut Desk<Instant, Batch> {
        &mut self.desk
    }

    fn turn(&mut self, now: Instant) {
        for mut batch in self.desk.inbox.drain(..self.desk.inbox.len().min(RECEIVE_BATCH)) {
            self.received += batch.len.div_ceil(batch.segment_size) as u64;
            let Batch { segment_size, ecn, .. } = batch;
            let payload = &mut batch.buffer[..batch.len];
            let datagram = Datagram { remote: self.remote, local: None, ecn, segment_size, payload };
            self.port.handle_input(now, Input::Datagram(datagram));
            self.desk.spare.push(batch);
        }
        if self.desk.is_due(now) {
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
        self.sent += self.desk.outbox.iter().map(|batch| batch.len.div_ceil(batch.segment_size) as u64).sum::<u64>();
    }
}

/// Two hosts with default settings, but no limit to exchanges; `client` and `server` make their applications, the
/// client's being told whom to connect to. The client's host has been told to connect.
///
/// # Errors
/// If the host refuses to connect.
pub fn hosts(client: impl FnOnce(Target) -> Box<dyn App>, server: Box<dyn App>) -> Result<Pair<End>, ConnectError> {
    two(client, server, |_| {}, |now, host, target| host.connect(now, target))
}

/// The same, with a server's host that is `dressed` as well, and a client's that connects by `begin`.
///
/// # Errors
/// If the host refuses to connect.
pub fn two(
    client: impl FnOnce(Target) -> Box<dyn App>,
    server: Box<dyn App>,
    dressed: impl FnOnce(&mut Host),
    begin: impl FnOnce(Instant, &mut Host, Target) -> Result<ConnectionId, ConnectError>,
) -> Result<Pair<End>, ConnectError> {
    let now = Instant::from_secs(1);
    let [at_client, at_server] = [SocketAddr::from(([127, 0, 0, 1], 1)), SocketAddr::from(([127, 0, 0, 1], 2))];
    let mut config = HostConfig::new(Access::Public);
    // One address connects as fast as it can.
    config.exchanges = ExchangeLimits::NONE;
    let mut accepting = Host::new(config, Identity::from_seed([2; 32]), [22; 32]);
    accepting.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
    accepting.listen_for_requests(ASKED.0, ASKED.1, FirstData::Proven);
    dressed(&mut accepting);
    let target = Target { eid: accepting.eid(), addresses: vec![at_server], capability: None, via: Vec::new() };
    let mut connecting = Host::new(HostConfig::new(Access::Nobody), Identity::from_seed([1; 32]), [11; 32]);
    begin(now, &mut connecting, target.clone())?;
    let client = End::new(connecting, at_server, client(target));
    Ok(Pair::new(now, client, End::new(accepting, at_client, server)))
}
