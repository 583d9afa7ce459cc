//! What is waited for longer than a second is told, with its reason, once; and so is its end.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{Datagram, Ecn, Eid, Input, Instant, Machine};
use tng_flow::{Capability, CapabilityKey, Stop};
use tng_sim::PORT;
use tng_sim::topology::{A, B};
use tng_stack::structured::{OpenError, Read, StreamId, Streams, WriteError};
use tng_stack::{ConnectionId, EventKind, HELPED_PATIENCE, Host, Target, Via, Wait};

use crate::apps::SERVICE;
use crate::attack::drain_telling;
use crate::world::Setting;

const AT_A: SocketAddr = SocketAddr::new(A, PORT);
const AT_B: SocketAddr = SocketAddr::new(B, PORT);

/// A host, and what its application has heard.
struct End {
    host: Host,
    events: Vec<(u64, EventKind)>,
    /// What the system has for it.
    entropy: bool,
}

impl End {
    fn turn(&mut self, now: Instant) -> Vec<Vec<u8>> {
        self.host.handle_timeout(now);
        let at_ms = now.since(Instant::ZERO).as_millis() as u64;
        let said = drain_telling(&mut self.host, now, self.entropy, |kind| self.events.push((at_ms, kind)));
        said.into_iter().map(|(_, datagram)| datagram).collect()
    }

    fn hear(&mut self, now: Instant, remote: SocketAddr, mut payload: Vec<u8>) {
        let segment_size = payload.len();
        let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut payload };
        self.host.handle_input(now, Input::Datagram(datagram));
    }

    /// The waits that were told, and when.
    fn begun(&self) -> Vec<(u64, Wait)> {
        let wait = |(at, kind): &(u64, EventKind)| match kind {
            EventKind::Waits { wait } => Some((*at, *wait)),
            _ => None,
        };
        self.events.iter().filter_map(wait).collect()
    }

    /// How long those lasted that are over.
    fn over(&self) -> Vec<Duration> {
        let lasted = |(_, kind): &(u64, EventKind)| match kind {
            EventKind::WaitOver { lasted, .. } => Some(*lasted),
            _ => None,
        };
        self.events.iter().filter_map(lasted).collect()
    }
}

/// A client that dials, and a server that does nothing by itself.
struct Pair {
    client: End,
    server: End,
    now: Instant,
    id: ConnectionId,
}

impl Pair {
    fn new(setting: &Setting, target: Target) -> Pair {
        let [mut client, server] = [setting.client_node(setting.target()).machine, setting.server_node(0).machine]
            .map(|host| End { host, events: Vec::new(), entropy: true });
        let id = client.host.connect(Instant::ZERO, target).expect("an address");
        Pair { client, server, now: Instant::ZERO, id }
    }

    fn dialing(setting: &Setting) -> Pair {
        Pair::new(setting, setting.target())
    }

    /// A connection that is up, and a stream on it.
    fn up(setting: &Setting) -> (Pair, StreamId) {
        let mut pair = Pair::dialing(setting);
        pair.run(100, |_, _| true);
        let stream = pair.open().expect("the first");
        pair.run(100, |_, _| true);
        (pair, stream)
    }

    fn open(&mut self) -> Result<StreamId, OpenError> {
        self.client.host.streams(self.id).expect("it is up").open(SERVICE.0, SERVICE.1)
    }

    fn server_streams(&mut self) -> &mut Streams {
        let id = self.server.host.connections().next().expect("accepted");
        self.server.host.streams(id).expect("it is up")
    }

    /// The next stream that has come to the server.
    fn incoming(&mut self) -> Option<StreamId> {
        self.server_streams().accept().map(|incoming| incoming.id)
    }

    /// Writes for as long as there is room; answers how much there was.
    fn write(&mut self, stream: StreamId, most: usize) -> usize {
        let streams = self.client.host.streams(self.id).expect("it is up");
        let mut written = 0;
        while written < most {
            match streams.write(stream, &[7; 10_000]) {
                Ok(n) => written += n,
                Err(WriteError::Blocked) => break,
                Err(error) => panic!("{error}"),
            }
        }
        written
    }

    /// Time passes, and what `passes` of what each says: the client (true) and the server. A datagram takes 5 ms.
    fn run(&mut self, ms: u64, mut passes: impl FnMut(bool, &[u8]) -> bool) {
        let end = self.now + Duration::from_millis(ms);
        while self.now < end {
            let [forth, back] = [&mut self.client, &mut self.server].map(|end| end.turn(self.now));
            self.now += Duration::from_millis(5);
            for datagram in forth.into_iter().filter(|datagram| passes(true, datagram)) {
                self.server.hear(self.now, AT_A, datagram);
            }
            for datagram in back.into_iter().filter(|datagram| passes(false, datagram)) {
                self.client.hear(self.now, AT_B, datagram);
            }
        }
    }
}

#[test]
fn for_an_answer_to_the_set_up() {
    let mut pair = Pair::dialing(&Setting::new(1));
    pair.run(1_000, |_, _| false);
    assert_eq!(pair.client.begun(), [], "control: not before");
    pair.run(2_000, |_, _| false);
    assert!(
        matches!(pair.client.begun()[..], [(1_000..1_010, Wait::Answer { sends: 1 | 2 })]),
        "{:?}",
        pair.client.events
    );
    pair.run(5_000, |_, _| true);
    assert!(pair.client.events.iter().any(|(_, kind)| *kind == EventKind::Connected));
    assert!(
        pair.client.begun().len() == 1 && pair.client.over()[0] > Duration::from_secs(3),
        "{:?}",
        pair.client.events
    );
}

#[test]
fn for_nothing_if_all_goes_as_it_should() {
    let (mut pair, stream) = Pair::up(&Setting::new(2));
    pair.write(stream, 100_000);
    pair.run(20_000, |_, _| true);
    assert_eq!((pair.client.begun(), pair.server.begun()), (Vec::new(), Vec::new()));
}

#[test]
fn for_an_exchange_of_a_peer_that_has_asked_for_proof_of_the_address() {
    let mut setting = Setting::new(3);
    setting.server.cookie_above = 0;
    let mut pair = Pair::dialing(&setting);
    // The COOKIE is there, and nothing after it.
    let mut said = 0;
    pair.run(1_500, |forth, _| {
        said += usize::from(forth);
        !forth || said == 1
    });
    assert!(matches!(pair.client.begun()[..], [(_, Wait::Exchange { .. })]), "{:?}", pair.client.events);
    pair.run(5_000, |_, _| true);
    assert_eq!(pair.client.over().len(), 1);
}

#[test]
fn for_entropy_of_the_system() {
    let mut pair = Pair::dialing(&Setting::new(4));
    pair.client.entropy = false;
    pair.run(1_500, |_, _| true);
    assert!(matches!(pair.client.begun()[..], [(_, Wait::Entropy)]), "{:?}", pair.client.events);
    pair.client.host.handle_input(pair.now, Input::Entropy(&mut [9; 32]));
    pair.run(500, |_, _| true);
    assert_eq!(pair.client.over().len(), 1, "{:?}", pair.client.events);
}

#[test]
fn for_helpers() {
    let setting = Setting::new(5);
    let capability = Capability { shown: vec![7; 54], key: CapabilityKey::from_bytes([8; 16]) };
    let stop = Stop::new(SocketAddr::from(([192, 0, 2, 77], PORT)), capability);
    let via = vec![Via::new(Eid::from_bytes([6; 32]), stop)];
    let mut pair = Pair::new(&setting, Target { via, ..setting.target() });
    // Nobody is there. After a while the peer is asked directly.
    pair.run(2_000, |_, _| false);
    assert!(matches!(pair.client.begun()[..], [(_, Wait::Helpers)]), "{:?}", pair.client.events);
    pair.run(2_000, |_, _| true);
    assert_eq!((pair.client.begun().len(), pair.client.over().len()), (1, 1), "{:?}", pair.client.events);
}

#[test]
fn for_helpers_and_then_for_the_peer_and_never_for_entropy_that_comes_when_it_is_asked_for() {
    let setting = Setting::new(5);
    let capability = Capability { shown: vec![7; 54], key: CapabilityKey::from_bytes([8; 16]) };
    let stop = Stop::new(SocketAddr::from(([192, 0, 2, 77], PORT)), capability);
    let via = vec![Via::new(Eid::from_bytes([6; 32]), stop)];
    let mut pair = Pair::new(&setting, Target { via, ..setting.target() });
    pair.run(5_000, |_, _| false);
    assert!(
        matches!(
            pair.client.begun()[..],
            [(1_000..1_010, Wait::Helpers), (3_500..3_510, Wait::Answer { sends: 1 | 2 })]
        ),
        "{:?}",
        pair.client.events
    );
    assert!(matches!(pair.client.over()[..], [lasted] if lasted == HELPED_PATIENCE), "{:?}", pair.client.over());
}

#[test]
fn for_an_acknowledgment() {
    let (mut pair, stream) = Pair::up(&Setting::new(6));
    pair.write(stream, 20_000);
    pair.run(3_000, |_, _| false);
    assert!(matches!(pair.client.begun()[..], [(_, Wait::Acknowledgment { .. })]), "{:?}", pair.client.events);
    pair.run(5_000, |_, _| true);
    assert!(matches!(pair.client.over()[..], [lasted] if lasted >= Duration::from_secs(3)), "{:?}", pair.client.events);
}

#[test]
fn for_credit() {
    let (mut pair, stream) = Pair::up(&Setting::new(7));
    for _ in 0..100 {
        pair.write(stream, usize::MAX);
        pair.run(20, |_, _| true);
    }
    // Asks for signs of life meanwhile.
    pair.run(4_000, |_, _| true);
    assert!(matches!(pair.client.begun()[..], [(_, Wait::Credit { unsent_bytes: 1.. })]), "{:?}", pair.client.events);
    let incoming = pair.incoming().expect("it was opened");
    while let Ok(Read::Bytes(_)) = pair.server_streams().read(incoming, &mut [0; 10_000]) {}
    pair.run(100, |_, _| true);
    assert_eq!(pair.client.over().len(), 1, "{:?}", pair.client.events);
}

#[test]
fn for_leave_to_open_streams() {
    let (mut pair, first) = Pair::up(&Setting::new(8));
    let mut opened = vec![first];
    opened.extend(core::iter::from_fn(|| pair.open().ok()));
    pair.run(4_000, |_, _| true);
    assert!(matches!(pair.client.begun()[..], [(_, Wait::Streams)]), "{:?}", pair.client.events);
    assert_eq!((pair.client.over(), pair.open()), (Vec::new(), Err(OpenError::Blocked)), "control: not before");
    // Half of them end.
    opened.truncate(opened.len().div_ceil(2));
    for id in opened {
        pair.client.host.streams(pair.id).expect("it is up").release(id);
    }
    pair.run(100, |_, _| true);
    while let Some(incoming) = pair.incoming() {
        pair.server_streams().release(incoming);
    }
    pair.run(100, |_, _| true);
    assert!(matches!(pair.client.over()[..], [lasted] if lasted >= Duration::from_secs(4)), "{:?}", pair.client.events);
    pair.open().expect("there is leave");
}

/// A writer whose host has no more memory to give it goes on by a page at a time, as what it has written is
/// acknowledged: it waits for nothing that is not told by its own name.
#[test]
fn for_nothing_else_if_it_is_this_hosts_memory_that_is_used_up() {
    let taken_at_once = |memory_max: u64| {
        let mut setting = Setting::new(9);
        (setting.client.memory_max, setting.client.connections_max) = (memory_max, 1);
        let (mut pair, stream) = Pair::up(&setting);
        let at_once = pair.write(stream, usize::MAX);
        (pair, stream, at_once)
    };
    let (mut pair, stream, at_once) = taken_at_once(40 << 10);
    assert!(taken_at_once(256 << 20).2 >= 10 * at_once, "control: it is memory that is short, {at_once}");
    pair.run(20, |_, _| true);
    let incoming = pair.incoming().expect("it was opened");
    for second in 0..3 {
        let mut written = 0;
        for _ in 0..50 {
            written += pair.write(stream, usize::MAX);
            pair.run(20, |_, _| true);
            while let Ok(Read::Bytes(_)) = pair.server_streams().read(incoming, &mut [0; 10_000]) {}
        }
        assert!(written >= 40 * 4_096, "{written} bytes in second {second}");
    }
    assert_eq!(pair.client.begun(), []);
    pair.write(stream, usize::MAX);
    pair.run(3_000, |_, _| false);
    assert!(matches!(pair.client.begun()[..], [(_, Wait::Acknowledgment { .. })]), "{:?}", pair.client.events);
}
