//! Many clients of one server behind one link that has no room for what they would like to have.

use core::cmp::Reverse;
use core::net::SocketAddr;
use core::time::Duration;
use std::collections::BinaryHeap;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Rng};
use tng_crypto::Secret32;
use tng_isolation::{Identity, Refusal};

use super::world::{EARLIER, Files, START, ms, server_at};
use crate::client::{Client, ClientConfig, Event, ObjectId, Options, Policy, Read, Replicas};
use crate::server::{Beginnings, Server, ServerConfig};
use crate::set_up::Call;
use crate::{EpochSecret, INITIAL_WINDOW, Keys, Wall, WallClock};

/// How many clients come, within how long.
const CLIENTS: usize = 2_000;
const COME_WITHIN: Duration = ms(1_000);
/// So long after that all still want something.
const BUSY: Duration = ms(4_000);
/// What each fetches.
const OBJECT: u64 = 30_000;
/// Bytes of a datagram, and of what is around one on the link.
const DATAGRAM: usize = 1_472;
const AROUND: u64 = 28;
/// A round trip, and what waits in front of the link at most.
const RTT: Duration = ms(100);
const QUEUE: Duration = ms(200);
/// Bytes a second of the link: it carries a fifth of what clients would begin with in the time in which they come.
const RATE: u64 = CLIENTS as u64 * INITIAL_WINDOW / 5 * (DATAGRAM as u64 + AROUND);

struct Party {
    client: Client,
    object: ObjectId,
    got: u64,
    has_finished: bool,
}

/// What happens at a time.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// A client looks to what it waits for.
    Client(usize),
    ToClient(usize, Vec<u8>),
    ToServer(usize, Vec<u8>),
}

struct Crowd {
    now: Instant,
    rng: Rng,
    parties: Vec<Party>,
    server: Server<Files>,
    due: BinaryHeap<Reverse<(Instant, u64, Due)>>,
    order: u64,
    buf: Vec<u8>,
    /// When the link is free.
    free: Instant,
    /// Packets that came to the link, and that it had no room for.
    offered: u64,
    dropped: u64,
}

/// Each client is in a network of its own.
fn address(which: usize) -> SocketAddr {
    SocketAddr::from(([10, (which >> 8) as u8, which as u8, 1], 5_000))
}

fn which(address: SocketAddr) -> usize {
    let SocketAddr::V4(address) = address else { unreachable!("all are of IPv4") };
    let [_, high, low, _] = address.ip().octets();
    usize::from(high) << 8 | usize::from(low)
}

fn datagram(remote: SocketAddr, payload: &mut [u8]) -> Input<'_> {
    Input::Datagram(Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size: payload.len(), payload })
}

impl Crowd {
    fn new(seed: u64) -> Crowd {
        let (mut rng, now) = (Rng::from_u64(seed), Instant::from_secs(1_000));
        let wall = Wall::from_millis(START);
        let beginnings = Beginnings {
            identity: Identity::from_seed([2; 32]),
            keys: Keys::new(EpochSecret::new(3_000_000 - 1, Secret32::from_bytes([7; 32])), wall).unwrap(),
            access: Box::new(|_, _: Option<&[u8]>| Ok::<(), Refusal>(())),
            clock: WallClock::set(EARLIER, wall),
            entropy: rng.bytes(),
        };
        let mut config = ServerConfig::default();
        let exchanges = &mut config.set_up.exchanges.in_all;
        (exchanges.per_s, exchanges.burst) = (u64::MAX, u64::MAX);
        let server = Server::new(config, beginnings, Files::default(), EARLIER);
        let mut due = BinaryHeap::new();
        let parties = (0..CLIENTS).map(|number| {
            let mut id = [1; 32];
            id[..8].copy_from_slice(&(number as u64).to_be_bytes());
            let replicas = Replicas::new(vec![server_at(0)], Policy::Stay).unwrap();
            let call = Call::new(Identity::from_seed([2; 32]).eid());
            let config = ClientConfig {
                datagram_len: DATAGRAM,
                set_up_timeout: Duration::from_secs(60),
                ..ClientConfig::default()
            };
            let begins = now + Duration::from_nanos(rng.below(COME_WITHIN.as_nanos() as u64));
            let identity = Identity::from_seed(id);
            let mut client = Client::connect(config, identity, call, replicas, rng.bytes::<32>(), begins);
            let object = client.ask(OBJECT.to_string(), Options { reserve: OBJECT, ..Options::default() }).unwrap();
            due.push(Reverse((begins, number as u64, Due::Client(number))));
            Party { client, object, got: 0, has_finished: false }
        });
        let parties = parties.collect();
        let (order, buf) = (CLIENTS as u64, vec![0; 65_536]);
        Crowd { now, rng, parties, server, due, order, buf, free: now, offered: 0, dropped: 0 }
    }

    fn at(&mut self, at: Instant, due: Due) {
        self.order += 1;
        self.due.push(Reverse((at, self.order, due)));
    }

    /// Sends over the link, which drops what does not fit.
    fn send_down(&mut self, to: SocketAddr, bytes: &[u8]) {
        self.offered += 1;
        let begins = self.free.max(self.now);
        if begins.since(self.now) > QUEUE {
            self.dropped += 1;
            return;
        }
        self.free = begins + Duration::from_nanos((bytes.len() as u64 + AROUND) * 1_000_000_000 / RATE);
        self.at(self.free + RTT / 2, Due::ToClient(which(to), bytes.to_vec()));
    }

    fn poll_client(&mut self, number: usize) {
        let mut buf = core::mem::take(&mut self.buf);
        loop {
            let party = &mut self.parties[number];
            match party.client.poll_output(self.now, &mut buf) {
                Output::Transmit(transmit) => {
                    for bytes in buf[..transmit.len].chunks(transmit.segment_size) {
                        self.at(self.now + RTT / 2, Due::ToServer(number, bytes.to_vec()));
                    }
                }
                Output::Event(Event::Readable(id)) => {
                    let mut out = [0; 5_000];
                    while let Read::Bytes(len) = party.client.read(id, &mut out) {
                        party.got += len as u64;
                    }
                }
                Output::Event(Event::Finished(id)) => party.has_finished = id == party.object,
                Output::Event(Event::Connected) => {}
                Output::Event(event) => panic!("{number}: {event:?} {:?}", party.client.stats()),
                Output::NeedsEntropy => {
                    let mut entropy = self.rng.bytes();
                    party.client.handle_input(self.now, Input::Entropy(&mut entropy));
                }
                Output::Timeout(at) => {
                    at.into_iter().for_each(|at| self.at(at.max(self.now), Due::Client(number)));
                    break;
                }
            }
        }
        self.buf = buf;
    }

    fn poll_server(&mut self) {
        let mut buf = core::mem::take(&mut self.buf);
        loop {
            match self.server.poll_output(self.now, &mut buf) {
                Output::Transmit(transmit) => {
                    for bytes in buf[..transmit.len].chunks(transmit.segment_size) {
                        self.send_down(transmit.remote, bytes);
                    }
                }
                Output::NeedsEntropy => {
                    let mut entropy = self.rng.bytes();
                    self.server.handle_input(self.now, Input::Entropy(&mut entropy));
                }
                Output::Timeout(_) => break,
                Output::Event(never) => match never {},
            }
        }
        self.buf = buf;
    }

    /// Goes on until that time, or until so many clients have all. Answers how many have.
    fn run(&mut self, end: Instant, enough: usize) -> usize {
        let mut finished = self.parties.iter().filter(|party| party.has_finished).count();
        while finished < enough && self.due.peek().is_some_and(|Reverse((at, ..))| *at <= end) {
            let Some(Reverse((at, _, due))) = self.due.pop() else { break };
            self.now = self.now.max(at);
            let number = match due {
                Due::ToServer(number, mut bytes) => {
                    self.server.handle_input(self.now, datagram(address(number), &mut bytes));
                    self.poll_server();
                    continue;
                }
                Due::ToClient(number, mut bytes) => {
                    self.parties[number].client.handle_input(self.now, datagram(server_at(0), &mut bytes));
                    number
                }
                Due::Client(number) => {
                    self.parties[number].client.handle_timeout(self.now);
                    number
                }
            };
            let had = self.parties[number].has_finished;
            if !had {
                self.poll_client(number);
                finished += usize::from(self.parties[number].has_finished);
            }
        }
        finished
    }
}

#[test]
fn more_clients_than_a_link_has_room_for_share_it_and_do_not_drown_it() {
    let (mut crowd, began) = (Crowd::new(1), Instant::from_secs(1_000));
    let sum = |crowd: &Crowd, of: fn(&Party) -> u64| crowd.parties.iter().map(of).sum::<u64>();
    // While all want more than there is.
    crowd.run(began + COME_WITHIN, CLIENTS);
    let before = sum(&crowd, |party| party.got);
    crowd.run(began + COME_WITHIN + BUSY, CLIENTS);
    let useful = (sum(&crowd, |party| party.got) - before) as f64 / BUSY.as_secs_f64() / RATE as f64;
    let finished = crowd.run(began + Duration::from_secs(300), CLIENTS);
    let lost = crowd.dropped as f64 / crowd.offered as f64;
    println!(
        "{finished} have all after {:?}; {useful:.3} of the link was theirs, and it lost {lost:.3} of {} packets; {} \
         connections, {} timeouts",
        crowd.now.since(began),
        crowd.offered,
        sum(&crowd, |party| party.client.stats().connections),
        sum(&crowd, |party| party.client.stats().timeouts),
    );
    assert_eq!(finished, CLIENTS);
    // Each begins with ten packets: of those alone four of five are lost.
    assert!(lost < 0.5, "{lost}");
    assert!(useful > 0.8, "{useful}");
}
