//! A helper between two hosts in memory: what it does for each packet that it passes on from one section to the other.

use core::hint::black_box;
use core::net::SocketAddr;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Transmit};
use tng_crypto::Secret32;
use tng_middlebox::{ClientTag, Helper, HelperConfig, Network, Onward};
use tng_stack::structured::ServiceOptions;
use tng_stack::{Access, ConnectError, Host, HostConfig, Identity, Stop, Target, Via};

use crate::pair::{App, SERVICE};

/// Batches that a machine may write in one turn, as with the driver.
const SEND_BATCHES: usize = 4;

/// Batches that there are.
const BATCHES: usize = 256;

/// From one machine's turn to the next: a quarter of a round trip.
const STEP: Duration = Duration::from_micros(25);

/// What the helper counts time from, in ms since 1970.
const EPOCH_MS: u64 = 1_700_000_000_000;

/// Where a client, a helper and a server are.
fn addresses() -> [SocketAddr; 3] {
    [1, 2, 3].map(|host| SocketAddr::from(([127, 0, 0, host], 4_860)))
}

/// A batch of datagrams of one length, the last perhaps shorter, from or to `remote`.
struct Batch {
    remote: SocketAddr,
    buffer: Box<[u8]>,
    len: usize,
    segment_size: usize,
    ecn: Ecn,
}

/// A machine, and what it has received.
struct Seat<M: Machine> {
    machine: M,
    at: SocketAddr,
    deadline: Option<Instant>,
    /// It has more to say than there was room for, or something has touched it.
    more: bool,
    inbox: VecDeque<Batch>,
    events: Vec<M::Event>,
}

impl<M: Machine> Seat<M> {
    fn new(machine: M, at: SocketAddr) -> Seat<M> {
        Seat { machine, at, deadline: None, more: true, inbox: VecDeque::with_capacity(BATCHES), events: Vec::new() }
    }

    fn has_work(&self, now: Instant) -> bool {
        self.more || !self.inbox.is_empty() || self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// What the driver does when the machine is woken: hands over all that has come, and polls.
    fn turn(&mut self, now: Instant, air: &mut Air) {
        while let Some(mut batch) = self.inbox.pop_front() {
            let Batch { remote, segment_size, ecn, .. } = batch;
            let payload = &mut batch.buffer[..batch.len];
            let datagram = Datagram { remote, local: None, ecn, segment_size, payload };
            self.machine.handle_input(now, Input::Datagram(datagram));
            air.spare.push(batch);
        }
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.machine.handle_timeout(now);
        }
        self.poll(now, air);
    }

    fn poll(&mut self, now: Instant, air: &mut Air) {
        self.more = true;
        while air.sent.len() < SEND_BATCHES {
            let Some(batch) = air.spare.last_mut() else { return };
            match self.machine.poll_output(now, &mut batch.buffer) {
                Output::Transmit(Transmit { remote, len, segment_size, ecn, .. }) => {
                    (batch.remote, batch.len, batch.segment_size, batch.ecn) = (remote, len, segment_size, ecn);
                    air.sent.extend(air.spare.pop());
                }
                Output::Event(event) => self.events.push(event),
                // The same each time: what is counted is not to depend on luck.
                Output::NeedsEntropy => self.machine.handle_input(now, Input::Entropy(&mut [33; 32])),
                Output::Timeout(deadline) => {
                    (self.deadline, self.more) = (deadline, false);
                    return;
                }
            }
        }
    }
}

/// What is on its way.
struct Air {
    sent: Vec<Batch>,
    spare: Vec<Batch>,
}

/// The helper's turn, where instructions are counted from entry to return: `callgrind.rs` knows it by its name.
#[inline(never)]
fn the_counted_turn(helper: &mut Seat<Helper>, now: Instant, air: &mut Air) {
    // Something must follow the call, lest it become a jump and the return is never seen.
    helper.turn(now, air);
    black_box(&air.sent);
}

/// A client that sends to a server through a helper.
pub struct Relay {
    now: Instant,
    client: Seat<Host>,
    helper: Seat<Helper>,
    server: Seat<Host>,
    apps: [Box<dyn App>; 2],
    air: Air,
    /// Packets that the helper has passed on toward the server.
    pub passed_on: u64,
}

impl Relay {
    /// `client` writes, `server` reads. The client's host has been told to connect through the helper, and uses no
    /// other path beside that one.
    ///
    /// # Errors
    /// If the host refuses to connect.
    pub fn new(client: Box<dyn App>, server: Box<dyn App>) -> Result<Relay, ConnectError> {
        let now = Instant::from_secs(1);
        let [at_client, at_helper, at_server] = addresses();
        let everywhere = Onward::Listed(vec![Network { address: at_server.ip(), bits: 8 }]);
        let config = HelperConfig { onward: everywhere, ..HelperConfig::default() };
        let helper = Helper::new(config, &Secret32::from_bytes([3; 32]), EPOCH_MS, [33; 32]);
        let capability = helper.office().issue(now, ClientTag(1), (Duration::from_secs(3_600), 16), [4; 32]);
        let via = Via { eid: Identity::from_seed([3; 32]).eid(), stop: Stop { address: at_helper, capability } };
        let mut accepting = Host::new(HostConfig::new(Access::Public), Identity::from_seed([2; 32]), [22; 32]);
        accepting.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
        let target = Target { eid: accepting.eid(), addresses: vec![at_server], capability: None, via: vec![via] };
        let config = HostConfig { judge: None, ..HostConfig::new(Access::Nobody) };
        let mut connecting = Host::new(config, Identity::from_seed([1; 32]), [11; 32]);
        connecting.connect(now, target)?;
        let batch = || Batch {
            remote: at_client,
            buffer: vec![0; 65_536].into_boxed_slice(),
            len: 0,
            segment_size: 0,
            ecn: Ecn::default(),
        };
        Ok(Relay {
            now,
            client: Seat::new(connecting, at_client),
            helper: Seat::new(helper, at_helper),
            server: Seat::new(accepting, at_server),
            apps: [client, server],
            air: Air {
                sent: Vec::with_capacity(SEND_BATCHES),
                spare: core::iter::repeat_with(batch).take(BATCHES).collect(),
            },
            passed_on: 0,
        })
    }

    /// Client, helper, server and helper again have a turn each. The helper's are counted, if they are to be.
    pub fn step(&mut self, counted: bool) {
        let Relay { now, client, helper, server, .. } = self;
        if !client.has_work(*now) && !helper.has_work(*now) && !server.has_work(*now) {
            let next = [client.deadline, helper.deadline, server.deadline].into_iter().flatten().min();
            *now = next.map_or(*now, |next| next.max(*now));
        }
        self.host(0);
        self.help(counted);
        self.host(1);
        self.help(counted);
    }

    fn host(&mut self, place: usize) {
        self.now += STEP;
        let Relay { now, client, server, apps, air, .. } = self;
        let host = if place == 0 { client } else { server };
        if host.has_work(*now) {
            host.turn(*now, air);
            let Seat { machine, events, more, .. } = host;
            for event in events.drain(..) {
                apps[place].handle_event(*now, machine, event);
                *more = true;
            }
            let from = host.at;
            self.deliver(from);
        }
    }

    fn help(&mut self, counted: bool) {
        self.now += STEP;
        let Relay { now, helper, air, .. } = self;
        if helper.has_work(*now) {
            match counted {
                true => the_counted_turn(helper, *now, air),
                false => helper.turn(*now, air),
            }
            helper.events.clear();
            let [_, from, to] = addresses();
            let onward = air.sent.iter().filter(|batch| batch.remote == to);
            self.passed_on += onward.map(|batch| batch.len.div_ceil(batch.segment_size) as u64).sum::<u64>();
            self.deliver(from);
        }
    }

    /// What the machine at `from` has sent arrives. Buffers change hands: what the kernel copies is not counted.
    fn deliver(&mut self, from: SocketAddr) {
        let Relay { client, helper, server, air, .. } = self;
        for batch in air.sent.drain(..) {
            let inbox =
                [(client.at, &mut client.inbox), (helper.at, &mut helper.inbox), (server.at, &mut server.inbox)]
                    .into_iter()
                    .find_map(|(at, inbox)| (at == batch.remote).then_some(inbox));
            match inbox {
                Some(inbox) => inbox.push_back(Batch { remote: from, ..batch }),
                None => air.spare.push(batch),
            }
        }
    }
}
