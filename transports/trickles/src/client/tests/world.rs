//! A loop of events with a client, some servers, and the paths between them.

use core::cmp::Reverse;
use core::net::SocketAddr;
use core::time::Duration;
use std::collections::{BTreeMap, BinaryHeap};

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Rng};
use tng_crypto::Secret32;
use tng_isolation::{Identity, Refusal};

use crate::client::{Client, ClientConfig, ClientStats, Event, ObjectId, Options, PING_LEN, Policy, Read, Replicas};
use crate::minisocket::{Answer, Application, Asked};
use crate::server::{Beginnings, Server, ServerConfig};
use crate::set_up::{AddressToken, Call};
use crate::wire::Fault;
use crate::{EPOCH, EpochSecret, Keys, Wall, WallClock};

pub(super) const EPOCH_MS: u64 = EPOCH.as_millis() as u64;
/// When servers start, and what the time is then.
pub(super) const EARLIER: Instant = Instant::from_secs(980);
pub(super) const START: u64 = 3_000_000 * EPOCH_MS + 60_000;

pub(super) const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// What byte of every object stands there.
pub(super) const fn byte(at: u64) -> u8 {
    (at ^ at >> 8 ^ at >> 16) as u8
}

/// Serves objects that are as long as the number says with which their asking begins.
#[derive(Clone, Debug)]
pub(super) struct Files {
    pub(super) version: u16,
    /// How much of an asking it takes at once; nothing: all.
    pub(super) part: Option<u64>,
    /// Whether what it serves is expensive.
    pub(super) is_expensive: bool,
    pub(super) closed: u32,
    pub(super) puts: u32,
    /// Where it wants the next part of each asking to end, and how often one ends there.
    pub(super) until: BTreeMap<u64, u64>,
    pub(super) parts_as_wanted: u32,
}

impl Default for Files {
    fn default() -> Files {
        let until = BTreeMap::new();
        Files { version: 1, part: None, is_expensive: false, closed: 0, puts: 0, until, parts_as_wanted: 0 }
    }
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(*bytes[8 * at..].first_chunk().unwrap())
}

/// Writes the bytes of an object whose byte `from` stands at `start`.
fn fill(start: u64, from: u64) -> impl FnMut(u64, &mut [u8]) -> Result<(), core::convert::Infallible> {
    move |at, buf| {
        buf.iter_mut().zip(at - start + from..).for_each(|(place, at)| *place = byte(at));
        Ok(())
    }
}

impl Application for Files {
    fn version(&self) -> u16 {
        self.version
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        match asked {
            Asked::Put { object, state, offset, is_end, reserved, data } => {
                self.puts += 1;
                let end = offset + data.len() as u64;
                self.parts_as_wanted += u32::from(self.until.remove(&object) == Some(end));
                let digits = data.split(|byte| *byte == b' ').next().unwrap();
                // What was read of it before: the length, and where the part that is reserved now begins.
                let (len, from) = match state {
                    None => (core::str::from_utf8(digits).unwrap().parse().unwrap_or(0), 0),
                    Some(state) => (word(state, 0), word(state, 1)),
                };
                let taken = self.part.map_or(data.len() as u64, |part| part.min(data.len() as u64));
                if !is_end || taken < data.len() as u64 {
                    let until = self.part.map(|part| offset + taken + part);
                    self.until.extend(until.map(|until| (object, until)));
                    answer.input(object, offset + taken, until, &words(&[len, 0]));
                    return;
                }
                if len == 404 {
                    answer.fault(object, Fault::Application(404), "no such object");
                    return;
                }
                if self.is_expensive && !answer.may_compute(object, b"it", &(from..len), 9) {
                    return;
                }
                let room = reserved.end - reserved.start;
                let end = reserved.start + len.saturating_sub(from).min(room);
                if reserved.start < end {
                    answer.output(object, reserved.start..end, &words(&[len, from]));
                }
                if len - from >= room {
                    answer.input(object, offset + taken, None, &words(&[len, from + room]));
                }
                // Before the bytes, which take all the room that there is.
                answer.skip(end..reserved.end);
                answer.send_with(reserved.start..end, fill(reserved.start, from)).unwrap();
            }
            Asked::Want { valid, ranges, state, .. } => {
                for range in ranges.iter() {
                    answer.send_with(range, fill(valid.start, word(state, 1))).unwrap();
                }
            }
            Asked::Close => self.closed += 1,
            Asked::Bad { .. } => unreachable!("the server says that"),
        }
    }
}

/// What a path does, one way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub(super) delay: Duration,
    pub(super) loss: f64,
    /// Share of datagrams that are held up, and for how long at most.
    pub(super) held_up: (f64, Duration),
    pub(super) twice: f64,
    /// Bytes per second, and how many wait at most.
    pub(super) rate: Option<(u64, u64)>,
}

impl Path {
    pub(super) const fn of(delay: Duration) -> Path {
        Path { delay, loss: 0.0, held_up: (0.0, Duration::ZERO), twice: 0.0, rate: None }
    }
}

#[derive(Debug)]
pub(super) struct Host {
    pub(super) server: Option<Server<Files>>,
    entropy: Rng,
    clock: Duration,
    deadline: Option<Instant>,
    /// Until then it is not its turn, and what comes to it waits.
    busy_until: Instant,
}

/// A datagram on its way.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Flying {
    at: Instant,
    order: u64,
    from: SocketAddr,
    to: SocketAddr,
    bytes: Vec<u8>,
}

pub(super) struct World {
    pub(super) now: Instant,
    pub(super) rng: Rng,
    pub(super) client: Client,
    pub(super) client_at: SocketAddr,
    pub(super) hosts: Vec<Host>,
    pub(super) config: ServerConfig,
    pub(super) down: Path,
    pub(super) up: Path,
    /// Each server is farther than that after it by as much, one way.
    pub(super) farther: Duration,
    /// Share of requests after which something else has a server's processor, and for how long at most.
    pub(super) busy: (f64, Duration),
    /// That server sees the client at that address.
    pub(super) translated: Option<(usize, SocketAddr)>,
    flying: BinaryHeap<Reverse<Flying>>,
    order: u64,
    free: [Instant; 2],
    pub(super) events: Vec<Event>,
    pub(super) got: BTreeMap<ObjectId, u64>,
    /// Datagrams, and bytes, that reached the client and left it.
    pub(super) down_count: u64,
    pub(super) up_count: u64,
    /// What the client sends next is lost, as often.
    pub(super) drop_down: Vec<u64>,
    pub(super) entropy_is_there: bool,
    /// What is not wanted of objects.
    holes: BTreeMap<ObjectId, Vec<core::ops::Range<u64>>>,
    pub(super) is_reading: bool,
    /// What is on its way to a server comes to each in its turn.
    pub(super) is_spread: bool,
    /// What servers that are started from now on have their keys from.
    pub(super) secret: u8,
    /// Who they are.
    pub(super) identity: u8,
    /// What the client sends with this first byte does not pass.
    pub(super) filtered: Option<u8>,
    /// The farthest of several servers is the nearest, and so on.
    pub(super) is_other_way_round: bool,
    /// Share of datagrams that arrive behind a changed, cut or lengthened copy of theirs.
    pub(super) changed: f64,
}

pub(super) fn server_at(which: usize) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 10 + which as u8], 9))
}

pub(super) struct Plan {
    pub(super) servers: usize,
    pub(super) policy: Policy,
    pub(super) config: ClientConfig,
    pub(super) token: Option<AddressToken>,
    pub(super) rtt: Duration,
    /// How far the clock of the second server is ahead.
    pub(super) skew: Duration,
}

impl Default for Plan {
    fn default() -> Plan {
        let (policy, config) = (Policy::Stay, ClientConfig::default());
        Plan { servers: 1, policy, config, token: None, rtt: ms(20), skew: ms(0) }
    }
}

impl World {
    pub(super) fn new(seed: u64) -> World {
        World::with(seed, Plan::default())
    }

    pub(super) fn with(seed: u64, plan: Plan) -> World {
        let mut rng = Rng::from_u64(seed);
        let now = Instant::from_secs(1_000);
        let peer = Identity::from_seed([2; 32]).eid();
        let addresses = (0..plan.servers).map(server_at).collect();
        let replicas = Replicas::new(addresses, plan.policy).unwrap();
        let call = Call { token: plan.token, ..Call::new(peer) };
        let client = Client::connect(plan.config, Identity::from_seed([1; 32]), call, replicas, rng.bytes::<32>(), now);
        let half = plan.rtt / 2;
        let mut world = World {
            now,
            client,
            client_at: "10.0.0.1:5000".parse().unwrap(),
            hosts: Vec::new(),
            config: ServerConfig::default(),
            down: Path::of(half),
            up: Path::of(half),
            farther: Duration::ZERO,
            busy: (0.0, Duration::ZERO),
            translated: None,
            flying: BinaryHeap::new(),
            order: 0,
            free: [now; 2],
            events: Vec::new(),
            got: BTreeMap::new(),
            down_count: 0,
            up_count: 0,
            drop_down: Vec::new(),
            entropy_is_there: true,
            holes: BTreeMap::new(),
            is_reading: true,
            is_spread: false,
            secret: 7,
            identity: 2,
            filtered: None,
            is_other_way_round: false,
            changed: 0.0,
            rng,
        };
        for which in 0..plan.servers {
            let (entropy, clock) = (world.rng.fork(), if which == 1 { plan.skew } else { Duration::ZERO });
            world.hosts.push(Host { server: None, entropy, clock, deadline: None, busy_until: now });
        }
        // They have run for longer than clocks differ.
        world.now = EARLIER;
        (0..plan.servers).for_each(|which| world.start(which, Files::default()));
        world.now = now;
        world
    }

    /// Starts a server anew, with nothing but the keys that all share.
    pub(super) fn start(&mut self, which: usize, files: Files) {
        let (now, secret) = (self.now, Secret32::from_bytes([self.secret; 32]));
        let host = &mut self.hosts[which];
        let wall = Wall::from_millis(START).after(now.since(EARLIER) + host.clock);
        let secret = EpochSecret::new(3_000_000 - 1, secret);
        let beginnings = Beginnings {
            identity: Identity::from_seed([self.identity; 32]),
            keys: Keys::new(secret, wall).unwrap(),
            access: Box::new(|_, _: Option<&[u8]>| Ok::<(), Refusal>(())),
            clock: WallClock::set(now, wall),
            entropy: host.entropy.bytes(),
        };
        host.server = Some(Server::new(self.config.clone(), beginnings, files, now));
        host.deadline = Some(now);
    }

    /// Others answer in the place of a server, which have run for long.
    pub(super) fn put_in_place(&mut self, which: usize, config: ServerConfig) {
        let now = core::mem::replace(&mut self.now, EARLIER);
        self.config = config;
        self.start(which, Files::default());
        self.now = now;
        self.hosts[which].deadline = Some(now);
    }

    pub(super) fn kill(&mut self, which: usize) {
        self.hosts[which].server = None;
    }

    pub(super) fn server(&mut self, which: usize) -> &mut Server<Files> {
        self.hosts[which].server.as_mut().expect("it runs")
    }

    pub(super) fn ask(&mut self, len: u64) -> ObjectId {
        self.ask_with(len, Options::default())
    }

    pub(super) fn ask_with(&mut self, len: u64, options: Options) -> ObjectId {
        let (from, holes) = (options.from, options.holes.clone());
        let id = self.client.ask(len.to_string(), options).unwrap();
        self.got.insert(id, from);
        self.holes.insert(id, holes);
        id
    }

    fn send(&mut self, from: SocketAddr, to: SocketAddr, bytes: &[u8]) {
        let is_up = from == self.client_at;
        let path = if is_up { self.up } else { self.down };
        let count = if is_up { &mut self.up_count } else { &mut self.down_count };
        *count += 1;
        if is_up && self.filtered.is_some_and(|first| bytes.first() == Some(&first)) {
            return;
        }
        if !is_up && self.drop_down.contains(count) || self.rng.chance(path.loss) {
            return;
        }
        let free = &mut self.free[usize::from(is_up)];
        let mut at = self.now;
        if let Some((rate, most)) = path.rate {
            let wait = (*free).max(self.now);
            let took = |bytes: u64| Duration::from_nanos(bytes * 1_000_000_000 / rate);
            if wait.since(self.now) > took(most) {
                return;
            }
            at = wait + took(bytes.len() as u64 + 28);
            *free = at;
        }
        let server = if is_up { to } else { from };
        let mut behind = (0..self.hosts.len()).rev().position(|which| server_at(which) == server);
        if self.is_other_way_round {
            behind = behind.map(|behind| self.hosts.len() - 1 - behind);
        }
        at += self.farther * behind.unwrap_or_default() as u32;
        let copies = 1 + usize::from(self.rng.chance(path.twice));
        for _ in 0..copies {
            let mut at = at + path.delay;
            if self.rng.chance(path.held_up.0) {
                at += Duration::from_nanos(self.rng.below(path.held_up.1.as_nanos() as u64 + 1));
            }
            if is_up && self.busy.0 > 0.0 {
                at = self.wait_for_turn(to, at);
            }
            self.order += 1;
            let translated = self.translated.filter(|(which, _)| is_up && server_at(*which) == to);
            let from = translated.map_or(from, |(_, seen)| seen);
            self.flying.push(Reverse(Flying { at, order: self.order, from, to, bytes: bytes.to_vec() }));
        }
    }

    /// When a server looks at what comes to it then.
    fn wait_for_turn(&mut self, to: SocketAddr, at: Instant) -> Instant {
        let Some(which) = (0..self.hosts.len()).find(|which| server_at(*which) == to) else { return at };
        let at = at.max(self.hosts[which].busy_until);
        if self.rng.chance(self.busy.0) {
            self.hosts[which].busy_until = at + Duration::from_nanos(self.rng.below(self.busy.1.as_nanos() as u64));
        }
        at
    }

    fn poll_client(&mut self) -> Option<Instant> {
        let mut buf = vec![0; 65_536];
        for _ in 0..100_000 {
            match self.client.poll_output(self.now, &mut buf) {
                Output::Transmit(transmit) => {
                    for bytes in buf[..transmit.len].chunks(transmit.segment_size) {
                        self.send(self.client_at, transmit.remote, bytes);
                    }
                }
                Output::Event(event) => {
                    if let Event::Readable(id) = event
                        && self.is_reading
                    {
                        self.read(id);
                    }
                    self.events.push(event);
                }
                Output::NeedsEntropy => {
                    if self.entropy_is_there {
                        let mut entropy = self.rng.bytes();
                        self.client.handle_input(self.now, Input::Entropy(&mut entropy));
                    }
                }
                Output::Timeout(at) => return at,
            }
        }
        panic!("the client never stops");
    }

    /// Reads all there is of an object, and checks it.
    pub(super) fn read(&mut self, id: ObjectId) {
        let mut out = [0; 5_000];
        while let Read::Bytes(len) = self.client.read(id, &mut out) {
            let at = self.got.get_mut(&id).unwrap();
            for got in &out[..len] {
                while let Some(hole) = self.holes.get(&id).and_then(|holes| holes.iter().find(|hole| hole.contains(at)))
                {
                    *at = hole.end;
                }
                assert_eq!(*got, byte(*at), "{id:?} at {at}");
                *at += 1;
            }
        }
    }

    fn poll_servers(&mut self) {
        let mut buf = vec![0; 65_536];
        for which in 0..self.hosts.len() {
            loop {
                let host = &mut self.hosts[which];
                let Some(server) = &mut host.server else { break };
                match server.poll_output(self.now, &mut buf) {
                    Output::Transmit(transmit) => {
                        for bytes in buf[..transmit.len].chunks(transmit.segment_size) {
                            self.send(server_at(which), transmit.remote, bytes);
                        }
                    }
                    Output::NeedsEntropy => {
                        let mut entropy = host.entropy.bytes();
                        server.handle_input(self.now, Input::Entropy(&mut entropy));
                    }
                    Output::Timeout(at) => {
                        host.deadline = at;
                        break;
                    }
                    Output::Event(never) => match never {},
                }
            }
        }
    }

    fn arrive(&mut self, Flying { from, to, mut bytes, order, .. }: Flying) {
        let segment_size = bytes.len();
        let to = if self.translated.is_some_and(|(_, seen)| seen == to) { self.client_at } else { to };
        let local = Some(to);
        let datagram = Datagram { remote: from, local, ecn: Ecn::NotEct, segment_size, payload: &mut bytes };
        if to == self.client_at {
            return self.client.handle_input(self.now, Input::Datagram(datagram));
        }
        let which = match self.is_spread {
            true => Some(order as usize % self.hosts.len()),
            false => (0..self.hosts.len()).find(|which| server_at(*which) == to),
        };
        // What nobody behind a port reads the port itself answers.
        if which.is_some_and(|which| segment_size == PING_LEN && self.hosts[which].server.is_some()) {
            return self.send(to, from, &[6, bytes[0]]);
        }
        if let Some(server) = which.and_then(|which| self.hosts[which].server.as_mut()) {
            server.handle_input(self.now, Input::Datagram(datagram));
        }
    }

    /// Goes on for so long, or until nothing is left to do.
    pub(super) fn run(&mut self, time: Duration) {
        let end = self.now + time;
        self.run_until(end, |_| false);
    }

    /// Goes on until then, or until that is so. Answers whether it is.
    pub(super) fn run_until(&mut self, end: Instant, mut is_so: impl FnMut(&mut World) -> bool) -> bool {
        let mut turns = (self.now, 0);
        loop {
            turns = if turns.0 == self.now { (self.now, turns.1 + 1) } else { (self.now, 0) };
            assert!(turns.1 < 100_000, "time stands still: {:?}", self.client);
            let deadline = self.poll_client();
            self.poll_servers();
            if is_so(self) {
                return true;
            }
            let flying = self.flying.peek().map(|Reverse(flying)| flying.at);
            let servers = self.hosts.iter().filter(|host| host.server.is_some()).filter_map(|host| host.deadline);
            let next = servers.chain(deadline).chain(flying).min().filter(|next| *next <= end);
            let Some(next) = next else {
                self.now = end;
                return false;
            };
            self.now = self.now.max(next);
            while self.flying.peek().is_some_and(|Reverse(flying)| flying.at <= self.now) {
                let Some(Reverse(flying)) = self.flying.pop() else { break };
                if self.rng.chance(self.changed) {
                    let mut bytes = flying.bytes.clone();
                    let at = self.rng.below(bytes.len() as u64) as usize;
                    match self.rng.below(3) {
                        0 => bytes[at] ^= 1 << self.rng.below(8),
                        1 => bytes.truncate(at.max(1)),
                        _ => bytes.extend_from_slice(&self.rng.bytes::<9>()),
                    }
                    self.arrive(Flying { bytes, order: 0, ..flying });
                }
                self.arrive(flying);
            }
            self.client.handle_timeout(self.now);
            for host in &mut self.hosts {
                if let Some(server) = &mut host.server {
                    server.handle_timeout(self.now);
                }
            }
        }
    }

    /// Goes on until all that was asked for came. Answers how long it took.
    pub(super) fn finish(&mut self, most: Duration) -> Duration {
        let start = self.now;
        let all = self.got.len();
        let is_done = self.run_until(start + most, |world| {
            world.events.iter().filter(|event| matches!(event, Event::Finished(_) | Event::Failed(..))).count() >= all
        });
        assert!(is_done, "in {most:?}: {:?}\n{:?}\n{:?}", self.events, self.stats(), self.got);
        self.now.since(start)
    }

    pub(super) fn stats(&self) -> ClientStats {
        self.client.stats()
    }

    pub(super) fn has_finished(&self, id: ObjectId) -> bool {
        self.events.contains(&Event::Finished(id))
    }
}
