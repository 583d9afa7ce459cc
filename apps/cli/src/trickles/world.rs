//! A client and some servers of an application, in virtual time, over a path that loses datagrams.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::net::SocketAddr;
use std::time::Duration;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Rng};
use tng_crypto::Secret32;
use tng_isolation::{Identity, Refusal};
use tng_trickles::client::{
    Client, ClientConfig, ClientStats, Event, ObjectError, ObjectId, Options, Policy, Read, Replicas,
};
use tng_trickles::minisocket::Application;
use tng_trickles::server::{Beginnings, CacheConfig, CachesCounts, Server, ServerConfig};
use tng_trickles::set_up::Call;
use tng_trickles::{EPOCH, EpochSecret, Keys, Wall, WallClock};

const SOME_EPOCH: u64 = 3_000_000;
const CLIENT: ([u8; 4], u16) = ([10, 0, 0, 1], 5_000);

type Flying = Reverse<(Instant, u64, SocketAddr, SocketAddr, Vec<u8>)>;

pub(super) struct World<A> {
    now: Instant,
    rng: Rng,
    client: Client,
    servers: Vec<(Server<A>, Option<Instant>)>,
    flying: BinaryHeap<Flying>,
    order: u64,
    /// Share of what servers send that is lost, and how long each way takes.
    pub(super) loss: f64,
    pub(super) delay: Duration,
    got: BTreeMap<ObjectId, Vec<u8>>,
    ended: BTreeMap<ObjectId, Result<(), ObjectError>>,
    /// Done after each step, to each application.
    pub(super) meddle: fn(&mut A),
    /// Before each step servers lose each thing that they remember with that chance.
    pub(super) lapse: f64,
}

fn server_at(which: usize) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 10 + which as u8], 9))
}

impl<A: Application> World<A> {
    pub(super) fn new(seed: u64, policy: Policy, applications: Vec<A>) -> World<A> {
        World::with(seed, policy, applications, CacheConfig::default())
    }

    /// One whose servers may remember so much.
    pub(super) fn with(seed: u64, policy: Policy, applications: Vec<A>, caches: CacheConfig) -> World<A> {
        println!("seed {seed}");
        let (mut rng, now) = (Rng::from_u64(seed), Instant::from_secs(1_000));
        let replicas = Replicas::new((0..applications.len()).map(server_at).collect(), policy).expect("one at least");
        let call = Call::new(Identity::from_seed([2; 32]).eid());
        let config = ClientConfig { set_up_timeout: Duration::from_secs(60), ..ClientConfig::default() };
        let client = Client::connect(config, Identity::from_seed([1; 32]), call, replicas, rng.bytes::<32>(), now);
        let wall = Wall::from_millis(SOME_EPOCH * EPOCH.as_millis() as u64 + 60_000);
        let mut start = |application: A| {
            let secret = EpochSecret::new(SOME_EPOCH - 1, Secret32::from_bytes([7; 32]));
            // It has run for longer than clocks differ.
            let earlier = Instant::from_secs(980);
            let beginnings = Beginnings {
                identity: Identity::from_seed([2; 32]),
                keys: Keys::new(secret, wall).expect("of today"),
                access: Box::new(|_, _: Option<&[u8]>| Ok::<(), Refusal>(())),
                clock: WallClock::set(earlier, wall),
                entropy: rng.bytes(),
            };
            let config = ServerConfig { caches, ..ServerConfig::default() };
            (Server::new(config, beginnings, application, earlier), Some(now))
        };
        let servers = applications.into_iter().map(&mut start).collect();
        World {
            now,
            rng,
            client,
            servers,
            flying: BinaryHeap::new(),
            order: 0,
            loss: 0.0,
            delay: Duration::from_millis(10),
            got: BTreeMap::new(),
            ended: BTreeMap::new(),
            meddle: |_| {},
            lapse: 0.0,
        }
    }

    pub(super) fn application(&mut self, which: usize) -> &mut A {
        self.servers[which].0.application_mut()
    }

    pub(super) fn caches(&self, which: usize) -> CachesCounts {
        self.servers[which].0.caches()
    }

    pub(super) fn ask(&mut self, bytes: Vec<u8>) -> ObjectId {
        self.client.ask(bytes, Options::default()).expect("there is room")
    }

    /// What comes of an object.
    pub(super) fn get(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>, ObjectError> {
        let id = self.ask(bytes);
        self.finish(id)
    }

    pub(super) fn finish(&mut self, id: ObjectId) -> Result<Vec<u8>, ObjectError> {
        let end = self.now + Duration::from_secs(120);
        while !self.ended.contains_key(&id) {
            assert!(self.now < end, "it takes too long: {:?}", self.client.stats());
            self.step();
        }
        let got = self.got.remove(&id).unwrap_or_default();
        self.ended[&id].clone().map(|()| got)
    }

    /// Goes on until that is so.
    pub(super) fn run_until(&mut self, mut is_so: impl FnMut(&World<A>) -> bool) {
        while !is_so(self) {
            self.step();
        }
    }

    /// How much has come of an object that was not finished.
    pub(super) fn has_come(&self, id: ObjectId) -> usize {
        self.got.get(&id).map_or(0, Vec::len)
    }

    pub(super) fn stats(&self) -> ClientStats {
        self.client.stats()
    }

    fn send(&mut self, from: SocketAddr, to: SocketAddr, bytes: &[u8]) {
        if from != CLIENT.into() && self.rng.chance(self.loss) {
            return;
        }
        self.order += 1;
        self.flying.push(Reverse((self.now + self.delay, self.order, from, to, bytes.to_vec())));
    }

    fn step(&mut self) {
        let mut buf = vec![0; 65_536];
        let mut deadlines = vec![self.poll_client(&mut buf)];
        for which in 0..self.servers.len() {
            self.poll_server(which, &mut buf);
            (self.meddle)(self.servers[which].0.application_mut());
            if self.lapse > 0.0 {
                // Not the draws of the path.
                let mut rng = Rng::from_u64(self.order);
                self.servers[which].0.lose_caches(&mut rng, self.lapse);
            }
            deadlines.push(self.servers[which].1);
        }
        let flying = self.flying.peek().map(|Reverse(flying)| flying.0);
        let next = deadlines.into_iter().flatten().chain(flying).min().expect("something is left to do");
        self.now = self.now.max(next);
        while self.flying.peek().is_some_and(|Reverse(flying)| flying.0 <= self.now) {
            let Some(Reverse((_, _, remote, to, mut bytes))) = self.flying.pop() else { break };
            let segment_size = bytes.len();
            let datagram = Datagram { remote, local: Some(to), ecn: Ecn::NotEct, segment_size, payload: &mut bytes };
            match (0..self.servers.len()).find(|which| server_at(*which) == to) {
                Some(which) => self.servers[which].0.handle_input(self.now, Input::Datagram(datagram)),
                None => self.client.handle_input(self.now, Input::Datagram(datagram)),
            }
        }
        self.client.handle_timeout(self.now);
        self.servers.iter_mut().for_each(|(server, _)| server.handle_timeout(self.now));
    }

    fn poll_client(&mut self, buf: &mut [u8]) -> Option<Instant> {
        loop {
            match self.client.poll_output(self.now, buf) {
                Output::Transmit(transmit) => {
                    for bytes in buf[..transmit.len].chunks(transmit.segment_size) {
                        self.send(CLIENT.into(), transmit.remote, bytes);
                    }
                }
                Output::Event(Event::Readable(id)) => {
                    let mut out = [0; 5_000];
                    while let Read::Bytes(len) = self.client.read(id, &mut out) {
                        self.got.entry(id).or_default().extend_from_slice(&out[..len]);
                    }
                }
                Output::Event(Event::Finished(id)) => _ = self.ended.insert(id, Ok(())),
                Output::Event(Event::Failed(id, error)) => _ = self.ended.insert(id, Err(error)),
                Output::Event(Event::Connected) => {}
                Output::Event(Event::Ended(error)) => panic!("{error}"),
                Output::NeedsEntropy => {
                    let mut entropy = self.rng.bytes();
                    self.client.handle_input(self.now, Input::Entropy(&mut entropy));
                }
                Output::Timeout(at) => return at,
            }
        }
    }

    fn poll_server(&mut self, which: usize, buf: &mut [u8]) {
        loop {
            match self.servers[which].0.poll_output(self.now, buf) {
                Output::Transmit(transmit) => {
                    for bytes in buf[..transmit.len].chunks(transmit.segment_size) {
                        self.send(server_at(which), transmit.remote, bytes);
                    }
                }
                Output::NeedsEntropy => {
                    let mut entropy = self.rng.bytes();
                    self.servers[which].0.handle_input(self.now, Input::Entropy(&mut entropy));
                }
                Output::Timeout(at) => {
                    self.servers[which].1 = at;
                    return;
                }
                Output::Event(never) => match never {},
            }
        }
    }
}
