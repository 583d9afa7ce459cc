//! What a Trickles server has allocated does not depend on how many clients it has had.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a target panics when something does not hold")]

use std::alloc::System;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use tng_base::{Datagram, Ecn, Eid, Input, Instant, Machine, Output};
use tng_crypto::Secret32;
use tng_fuzz::ALLOCATOR;
use tng_isolation::{Identity, Refusal};
use tng_trickles::client::{Client, ClientConfig, Event, Options, Policy, Read, Replicas};
use tng_trickles::minisocket::{Answer, Application, Asked, Client as Peer};
use tng_trickles::server::{Beginnings, FilterConfig, Server, ServerConfig};
use tng_trickles::set_up::Call;
use tng_trickles::{EPOCH, EpochSecret, Keys, Wall, WallClock};

#[global_allocator]
static COUNTING: &stats_alloc::StatsAlloc<System> = ALLOCATOR;

const OBJECT_LEN: u64 = 20_000;

fn live() -> isize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated as isize - stats.bytes_deallocated as isize
}

/// Serves zeros; and, as the control, keeps a word of each client.
#[derive(Default)]
struct Zeros {
    keeps: bool,
    kept: BTreeMap<[u8; 16], u64>,
}

impl Application for Zeros {
    fn version(&self) -> u16 {
        1
    }

    fn open(&mut self, client: &Peer) {
        if self.keeps {
            self.kept.insert(client.id.0, 1);
        }
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        let fill = |_: u64, buf: &mut [u8]| {
            buf.fill(0);
            Ok::<(), std::convert::Infallible>(())
        };
        match asked {
            Asked::Put { object, reserved, .. } => {
                let end = reserved.start + OBJECT_LEN;
                answer.output(object, reserved.start..end, b"zeros");
                answer.skip(end..reserved.end);
                let Ok(_) = answer.send_with(reserved.start..end, fill);
            }
            Asked::Want { ranges, .. } => {
                for range in ranges.iter() {
                    let Ok(_) = answer.send_with(range, fill);
                }
            }
            Asked::Close | Asked::Bad { .. } => {}
        }
    }
}

struct World {
    server: Server<Zeros>,
    now: Instant,
    clients: u32,
    entropy: u8,
    buf: Vec<u8>,
}

fn everybody(_: Eid, _: Option<&[u8]>) -> Result<(), Refusal> {
    Ok(())
}

fn identity() -> Identity {
    Identity::from_seed([2; 32])
}

fn server_at() -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], 9))
}

impl World {
    fn new(keeps: bool) -> World {
        let (now, wall) = (Instant::from_secs(100), Wall::from_millis(3_000_000 * EPOCH.as_millis() as u64 + 60_000));
        let beginnings = Beginnings {
            identity: identity(),
            keys: Keys::new(EpochSecret::new(3_000_000 - 1, Secret32::from_bytes([7; 32])), wall).expect("of today"),
            access: Box::new(everybody),
            clock: WallClock::set(now, wall),
            entropy: [4; 32],
        };
        let config = ServerConfig { filter: FilterConfig::Serials(1 << 14), timeouts: 16, ..ServerConfig::default() };
        let server = Server::new(config, beginnings, Zeros { keeps, ..Zeros::default() }, now);
        World { server, now, clients: 0, entropy: 0, buf: vec![0; 65_536] }
    }

    fn drawn(&mut self) -> [u8; 32] {
        self.entropy = self.entropy.wrapping_add(1);
        [self.entropy; 32]
    }

    /// A client from an address of its own sets up a connection, has an object, and is seen no more.
    fn visit(&mut self) {
        self.clients += 1;
        let [_, _, c, d] = self.clients.to_be_bytes();
        let at = SocketAddr::from(([10, 0, c, d], 5_000));
        let replicas = Replicas::new(vec![server_at()], Policy::Stay).expect("there is one");
        let seed: [u8; 32] = [[c; 16], [d; 16]].concat().try_into().expect("32 bytes");
        let call = Call::new(identity().eid());
        let mut client =
            Client::connect(ClientConfig::default(), Identity::from_seed(seed), call, replicas, seed, self.now);
        let id = client.ask(b"zeros".to_vec(), Options::default()).expect("it may ask");
        let (mut came, mut out) = (0, [0; 4_000]);
        for _ in 0..2_000 {
            while let Read::Bytes(len) = client.read(id, &mut out) {
                came += len as u64;
            }
            match client.poll_output(self.now, &mut self.buf) {
                Output::Transmit(transmit) => {
                    let segment_size = transmit.segment_size;
                    let mut payload = self.buf[..transmit.len].to_vec();
                    let datagram =
                        Datagram { remote: at, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut payload };
                    self.server.handle_input(self.now, Input::Datagram(datagram));
                    self.answer(&mut client);
                }
                Output::NeedsEntropy => {
                    let mut drawn = self.drawn();
                    client.handle_input(self.now, Input::Entropy(&mut drawn));
                }
                Output::Event(Event::Finished(_)) => {
                    while let Read::Bytes(len) = client.read(id, &mut out) {
                        came += len as u64;
                    }
                    assert_eq!(came, OBJECT_LEN);
                    self.now += Duration::from_millis(10);
                    return;
                }
                Output::Event(_) => {}
                Output::Timeout(_) => {
                    self.now += Duration::from_millis(1);
                    client.handle_timeout(self.now);
                    self.server.handle_timeout(self.now);
                }
            }
        }
        panic!("it did not come: {came} bytes, {:?}, {:?}", client.stats(), self.server.stats());
    }

    fn answer(&mut self, client: &mut Client) {
        loop {
            match self.server.poll_output(self.now, &mut self.buf) {
                Output::Transmit(transmit) => {
                    let segment_size = transmit.segment_size;
                    let payload = &mut self.buf[..transmit.len];
                    let datagram =
                        Datagram { remote: server_at(), local: None, ecn: Ecn::NotEct, segment_size, payload };
                    client.handle_input(self.now, Input::Datagram(datagram));
                }
                Output::NeedsEntropy => {
                    let mut drawn = self.drawn();
                    self.server.handle_input(self.now, Input::Entropy(&mut drawn));
                }
                Output::Timeout(_) => return,
                Output::Event(never) => match never {},
            }
        }
    }

    /// What is allocated after 60 clients, and after 600.
    fn of_60_and_600(keeps: bool) -> [isize; 2] {
        let mut world = World::new(keeps);
        let mut visit = |until: u32| {
            while world.clients < until {
                world.visit();
            }
            (live(), world.server.held())
        };
        let [(few, held), (many, held_of_many)] = [60, 600].map(&mut visit);
        assert_eq!(held, held_of_many);
        assert_eq!(world.server.stats().opened, 600);
        [few, many]
    }
}

#[test]
fn a_server_has_as_much_allocated_after_600_clients_as_after_60() {
    let [few, many] = World::of_60_and_600(false);
    assert_eq!(few, many);
    // Control: a table with a word of each, beside the server, where it does not count itself.
    let [few, many] = World::of_60_and_600(true);
    assert!(many - few > 540 * 24, "{few} {many}");
}
