//! A client of Trickles and its replicas in one process, led through a life: what passes between them is lost,
//! repeated, put out of order and changed, replicas are started again, and the client moves.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use tng_base::{Datagram, Ecn, Eid, Input, Instant, Machine, Output, PathChange, Rng};
use tng_crypto::Secret32;
use tng_isolation::{Identity, Refusal};
use tng_trickles::client::{Client, ClientConfig, Event, ObjectId, Options, Policy, Read, Replicas};
use tng_trickles::minisocket::{Answer, Application, Asked};
use tng_trickles::server::{Beginnings, FilterConfig, Server, ServerConfig};
use tng_trickles::set_up::Call;
use tng_trickles::{EPOCH, EpochSecret, Keys, Wall, WallClock};

use crate::bytes::Script;
use crate::exchange::spoil;
use crate::{Kind, Target};

pub(crate) const TARGETS: &[Target] = &[Target {
    name: "trickles_pair",
    kind: Kind::Stateful,
    len_max: 300,
    // The tables of each server that is started, and what passes.
    memory: (256 << 20, 1 << 20),
    run: trickles_pair,
    seeds,
}];

const EPOCH_AT_FIRST: u64 = 3_000_000;
const REPLICAS: usize = 2;
/// Servers that are started again in one life, at most.
const STARTS_MAX: u32 = 6;
/// Objects that are asked for in one life, at most.
const OBJECTS_MAX: usize = 6;
/// Datagrams that are on their way, at most; more are lost.
const FLYING_MAX: usize = 200;
/// When nothing bad happens any more, all comes within so much time and so many rounds.
const CALM: Duration = Duration::from_secs(600);
const ROUNDS_MAX: u32 = 50_000;

/// What byte of an object stands there.
fn byte(len: u64, at: u64) -> u8 {
    (at ^ at >> 8 ^ len) as u8
}

/// Objects as long as what asks for them says.
struct Pages;

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(8 * at..).and_then(|bytes| bytes.first_chunk()).map_or(0, |word| u64::from_be_bytes(*word))
}

fn fill(len: u64, from: u64, start: u64) -> impl FnMut(u64, &mut [u8]) -> Result<(), Infallible> {
    move |at, buf| {
        buf.iter_mut().zip(at - start + from..).for_each(|(place, at)| *place = byte(len, at));
        Ok(())
    }
}

impl Application for Pages {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        match asked {
            Asked::Put { object, state, offset, is_end, reserved, data } => {
                let (len, from) = state.map_or((word(data, 0), 0), |state| (word(state, 0), word(state, 1)));
                let taken = offset + data.len() as u64;
                let sealed = |from: u64| [len.to_be_bytes(), from.to_be_bytes()].concat();
                if !is_end {
                    answer.input(object, taken, None, &sealed(0));
                    return;
                }
                let (room, left) = (reserved.end - reserved.start, len.saturating_sub(from));
                let end = reserved.start + left.min(room);
                if reserved.start < end {
                    answer.output(object, reserved.start..end, &sealed(from));
                }
                if left >= room {
                    answer.input(object, taken, None, &sealed(from + room));
                }
                answer.skip(end..reserved.end);
                let Ok(_) = answer.send_with(reserved.start..end, fill(len, from, reserved.start));
            }
            Asked::Want { valid, ranges, state, .. } => {
                for range in ranges.iter() {
                    let Ok(_) = answer.send_with(range, fill(word(state, 0), word(state, 1), valid.start));
                }
            }
            Asked::Close | Asked::Bad { .. } => {}
        }
    }
}

fn everybody(_: Eid, _: Option<&[u8]>) -> Result<(), Refusal> {
    Ok(())
}

fn replica_at(which: usize) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1 + which as u8], 9))
}

fn client_at(moves: u8) -> SocketAddr {
    SocketAddr::from(([198, 51, 100, moves], 7))
}

/// Where a translator has the second replica see the client.
fn translated(moves: u8) -> SocketAddr {
    SocketAddr::from(([0x2001, 0xdb8, 0, moves.into(), 0, 0, 0, 1], 7))
}

/// A datagram on its way.
#[derive(Clone)]
struct Flying {
    from: SocketAddr,
    to: SocketAddr,
    bytes: Vec<u8>,
}

struct World {
    now: Instant,
    client: Client,
    moves: u8,
    is_translated: bool,
    servers: Vec<Server<Pages>>,
    rng: Rng,
    filter: FilterConfig,
    starts: u32,
    flying: Vec<Flying>,
    /// How long each object is, and how much of it came.
    open: BTreeMap<ObjectId, (u64, u64)>,
    asked: usize,
    /// When the client wants to be called.
    timer: Option<Instant>,
    buf: Vec<u8>,
}

impl World {
    fn new(script: &mut Script<'_>) -> World {
        let (flags, now) = (script.u8(), Instant::from_secs(100));
        let mut rng = Rng::from_u64(u64::from(flags));
        let policy = if flags & 1 == 0 { Policy::Stay } else { Policy::Spray };
        let filter = match flags & 2 {
            0 => FilterConfig::Serials(1 << 12),
            _ => FilterConfig::Filters(tng_trickles::replay::BloomSize::new(1 << 14, 6).expect("a size"), 0.000_2),
        };
        let replicas = Replicas::new((0..REPLICAS).map(replica_at).collect(), policy).expect("there are some");
        let hour = Duration::from_secs(3_600);
        let config = ClientConfig { set_up_timeout: 24 * hour, silence_max: 24 * hour, ..ClientConfig::default() };
        let (identity, call) = (Identity::from_seed([1; 32]), Call::new(Identity::from_seed([2; 32]).eid()));
        let client = Client::connect(config, identity, call, replicas, rng.bytes::<32>(), now);
        let mut world = World {
            now,
            client,
            moves: 1,
            is_translated: flags & 5 == 4,
            servers: Vec::new(),
            rng,
            filter,
            starts: 0,
            flying: Vec::new(),
            open: BTreeMap::new(),
            asked: 0,
            timer: None,
            buf: vec![0; 65_536],
        };
        for which in 0..REPLICAS {
            let server = world.started(which);
            world.servers.push(server);
        }
        world
    }

    fn clock(&self, which: usize) -> WallClock {
        let wall = Wall::from_millis(EPOCH_AT_FIRST * EPOCH.as_millis() as u64 + 590_000);
        let ahead = Duration::from_millis(4_000 * which as u64);
        WallClock::set(self.now, wall.after(self.now.since(Instant::from_secs(100)) + ahead))
    }

    fn started(&mut self, which: usize) -> Server<Pages> {
        let clock = self.clock(which);
        let secret = EpochSecret::new(EPOCH_AT_FIRST - 1, Secret32::from_bytes([7; 32]));
        let beginnings = Beginnings {
            identity: Identity::from_seed([2; 32]),
            keys: Keys::new(secret, clock.at(self.now)).expect("keys of today"),
            access: Box::new(everybody),
            clock,
            entropy: self.rng.bytes(),
        };
        let config = ServerConfig { filter: self.filter, timeouts: 16, ..ServerConfig::default() };
        Server::new(config, beginnings, Pages, self.now)
    }

    fn ask(&mut self, len: u64, options: Options) {
        if self.asked < OBJECTS_MAX {
            self.asked += 1;
            let from = options.from;
            let id = self.client.ask(len.to_be_bytes(), options).expect("there are few");
            self.open.insert(id, (len, from));
        }
    }

    fn send(&mut self, from: SocketAddr, to: SocketAddr, len: usize, segment_size: usize) {
        for bytes in self.buf[..len].chunks(segment_size) {
            if self.flying.len() < FLYING_MAX {
                self.flying.push(Flying { from, to, bytes: bytes.to_vec() });
            }
        }
    }

    fn read(&mut self, id: ObjectId) {
        let Some((len, at)) = self.open.get_mut(&id) else { return };
        let mut out = [0; 4_000];
        loop {
            match self.client.read(id, &mut out) {
                Read::Bytes(count) => {
                    assert!((*at..).zip(&out[..count]).all(|(at, got)| *got == byte(*len, at)), "other bytes at {at}");
                    *at += count as u64;
                }
                Read::Blocked => return,
                Read::End => {
                    assert_eq!(at, len, "an end");
                    self.open.remove(&id);
                    return;
                }
                Read::Unknown => panic!("forgotten"),
            }
        }
    }

    /// Everybody says what there is to say.
    fn poll(&mut self) {
        loop {
            match self.client.poll_output(self.now, &mut self.buf) {
                Output::Transmit(transmit) => {
                    self.send(client_at(self.moves), transmit.remote, transmit.len, transmit.segment_size);
                }
                Output::Event(Event::Readable(id) | Event::Finished(id)) => self.read(id),
                Output::Event(Event::Connected) => {}
                Output::Event(event) => panic!("{event:?}"),
                Output::NeedsEntropy => {
                    self.client.handle_input(self.now, Input::Entropy(&mut self.rng.bytes()));
                }
                Output::Timeout(timer) => {
                    self.timer = timer;
                    break;
                }
            }
        }
        for which in 0..REPLICAS {
            loop {
                match self.servers[which].poll_output(self.now, &mut self.buf) {
                    Output::Transmit(transmit) => {
                        self.send(replica_at(which), transmit.remote, transmit.len, transmit.segment_size);
                    }
                    Output::NeedsEntropy => {
                        self.servers[which].handle_input(self.now, Input::Entropy(&mut self.rng.bytes()));
                    }
                    Output::Timeout(_) => break,
                    Output::Event(never) => match never {},
                }
            }
        }
    }

    fn arrive(&mut self, Flying { from, to, mut bytes }: Flying) {
        let is_translated = self.is_translated && to == replica_at(1) && from == client_at(self.moves);
        let from = if is_translated { translated(self.moves) } else { from };
        let to = if to == translated(self.moves) { client_at(self.moves) } else { to };
        let segment_size = bytes.len().max(1);
        let datagram = Datagram { remote: from, local: Some(to), ecn: Ecn::NotEct, segment_size, payload: &mut bytes };
        if to == client_at(self.moves) {
            self.client.handle_input(self.now, Input::Datagram(datagram));
        } else if let Some(server) = (0..REPLICAS).find(|which| replica_at(*which) == to) {
            self.servers[server].handle_input(self.now, Input::Datagram(datagram));
        }
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.client.handle_timeout(self.now);
        self.servers.iter_mut().for_each(|server| server.handle_timeout(self.now));
    }

    /// All that is on its way arrives.
    fn deliver(&mut self) {
        for flying in core::mem::take(&mut self.flying) {
            self.arrive(flying);
        }
    }

    fn step(&mut self, script: &mut Script<'_>) {
        let what = script.below(16);
        let count = self.flying.len();
        match what {
            0 | 1 => self.deliver(),
            2 if count > 0 => {
                let first = self.flying.remove(0);
                self.arrive(first);
            }
            // Out of order.
            3 if count > 0 => {
                let at = script.below(count);
                let flying = self.flying.remove(at);
                self.arrive(flying);
            }
            // Lost.
            4 if count > 0 => drop(self.flying.remove(script.below(count))),
            5 => self.flying.clear(),
            // Repeated.
            6 if count > 0 => {
                let flying = self.flying[script.below(count)].clone();
                self.arrive(flying);
            }
            // To another replica.
            7 if count > 0 => {
                let mut flying = self.flying[script.below(count)].clone();
                if (0..REPLICAS).any(|which| flying.to == replica_at(which)) {
                    flying.to = replica_at(script.below(REPLICAS));
                }
                self.arrive(flying);
            }
            // Changed.
            8 if count > 0 => {
                let mut flying = self.flying[script.below(count)].clone();
                spoil(script, &mut flying.bytes);
                self.arrive(flying);
            }
            9 => self.pass(Duration::from_millis(u64::from(script.u8()))),
            10 => self.pass(Duration::from_millis(100 * u64::from(script.u8()))),
            11 if self.starts < STARTS_MAX => {
                self.starts += 1;
                let which = script.below(REPLICAS);
                self.servers[which] = self.started(which);
            }
            12 => {
                let is_told = script.below(2) == 0;
                self.moves = self.moves.wrapping_add(1);
                if is_told {
                    let change = PathChange::LocalAddress { old: None, new: Some(client_at(self.moves).ip()) };
                    self.client.handle_input(self.now, Input::PathChange(change));
                }
            }
            13 => {
                let len = u64::from(script.u16());
                let reserve = [500, 5_000, 80_000][script.below(3)];
                let from = if script.below(4) == 0 { len / 2 } else { 0 };
                self.ask(len, Options { reserve, buffer: 50_000, from, ..Options::default() });
            }
            14 => {
                let load = f64::from(script.u8()) / 300.0;
                self.servers[script.below(REPLICAS)].set_load(load);
            }
            15 => {
                let bytes = script.piece().to_vec();
                let to = [client_at(self.moves), replica_at(0)][script.below(2)];
                self.arrive(Flying { from: replica_at(1), to, bytes });
            }
            _ => {}
        }
        self.poll();
    }
}

/// Whatever befalls what passes between them: bytes are those of the object, and when nothing bad happens any more all
/// of it comes, and then both fall silent.
fn trickles_pair(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let mut world = World::new(&mut script);
    world.ask(u64::from(script.u8()) << 6, Options::default());
    world.poll();
    while !script.is_over() {
        world.step(&mut script);
    }
    let end = world.now + CALM;
    let mut rounds = 0;
    while !world.open.is_empty() {
        rounds += 1;
        assert!(world.now < end && rounds < ROUNDS_MAX, "{:?} did not come: {:?}", world.open, world.client.stats());
        if world.flying.is_empty() {
            let timer = world.timer.unwrap_or(end).max(world.now);
            world.pass(timer.since(world.now));
        }
        world.pass(Duration::from_millis(1));
        world.deliver();
        world.poll();
    }
    world.deliver();
    world.poll();
    world.flying.clear();
    let before = world.client.stats().requests;
    for _ in 0..4 {
        world.pass(Duration::from_secs(30));
        world.poll();
    }
    assert!(world.flying.is_empty() && world.client.stats().requests == before, "it has all, and asks for more");
}

fn seeds() -> Vec<Vec<u8>> {
    vec![
        // An object and another one, and nothing happens.
        vec![0, 100, 0, 0, 0, 0, 13, 40, 0, 2, 1, 0, 0, 0, 0, 0, 0],
        // By turns at two replicas, with losses and copies.
        vec![3, 255, 0, 0, 0, 4, 0, 2, 6, 0, 7, 1, 0, 3, 2, 4, 1, 0, 9, 50, 0, 0, 4, 3, 9, 200, 0],
        // Replicas are started again, the client moves, once without knowing.
        vec![0, 200, 0, 0, 0, 11, 0, 0, 0, 11, 1, 9, 9, 0, 0, 12, 0, 0, 0, 9, 90, 0, 12, 1, 0, 0, 10, 20, 0],
        // What passes is changed, and time goes by.
        vec![
            2, 90, 0, 0, 8, 0, 1, 20, 3, 0, 8, 1, 2, 9, 5, 10, 150, 13, 9, 9, 0, 0, 0, 14, 200, 0, 0, 15, 0, 3, 7, 7,
            7, 0,
        ],
        vec![1, 30, 5, 9, 255, 9, 255, 9, 255, 9, 255, 0, 0, 0, 10, 255, 13, 255, 255, 1, 1, 0, 0, 0, 0],
        // The second replica sees the client elsewhere, and the first is started again.
        vec![4, 200, 0, 0, 0, 11, 0, 9, 255, 9, 255, 0, 0, 0, 5, 9, 255, 5, 9, 255, 0, 0, 0, 0, 12, 1, 0, 0, 0, 0],
    ]
}
