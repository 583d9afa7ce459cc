//! Many clients of one server that answers so many requests a second, and no more.

use core::cmp::Reverse;
use core::net::SocketAddr;
use core::time::Duration;
use std::collections::BinaryHeap;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Rng};
use tng_crypto::Secret32;
use tng_isolation::{Identity, Refusal};

use super::world::{EARLIER, Files, START, ms, server_at};
use crate::client::{Client, ClientConfig, Event, ObjectId, Options, Policy, Read, Replicas};
use crate::server::{Beginnings, Server, ServerConfig, ServerStats};
use crate::set_up::Call;
use crate::{EpochSecret, Keys, Wall, WallClock};

/// How long the server takes for a request, whatever it comes to.
const REQUEST_TAKES: Duration = ms(2);
/// What the path to each client carries, in bytes a second, and how much waits there.
const PATH: (u64, u64) = (150_000, 36_000);

struct Party {
    client: Client,
    object: ObjectId,
    deadline: Option<Instant>,
    /// When the path to it is free, and how long each way takes.
    free: Instant,
    delay: Duration,
    got: u64,
    has_failed: bool,
}

type Flying = Reverse<(Instant, u64, SocketAddr, SocketAddr, Vec<u8>)>;

struct Crowd {
    now: Instant,
    rng: Rng,
    parties: Vec<Party>,
    server: Server<Files>,
    server_deadline: Option<Instant>,
    /// Until then the server is at work.
    busy_until: Instant,
    flying: BinaryHeap<Flying>,
    order: u64,
    buf: Vec<u8>,
}

/// Each client is in a place of its own.
fn address(which: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, which as u8, 1], 5_000))
}

/// Whatever the server has worked at.
fn worked(stats: &ServerStats) -> u64 {
    stats.answered + stats.opened + stats.not_opened + stats.spent + stats.terminated + stats.refused
}

impl Crowd {
    fn new(seed: u64, clients: usize, sheds_load: bool) -> Crowd {
        let (mut rng, now) = (Rng::from_u64(seed), Instant::from_secs(1_000));
        let wall = Wall::from_millis(START);
        let beginnings = Beginnings {
            identity: Identity::from_seed([2; 32]),
            keys: Keys::new(EpochSecret::new(3_000_000 - 1, Secret32::from_bytes([7; 32])), wall).unwrap(),
            access: Box::new(|_, _: Option<&[u8]>| Ok::<(), Refusal>(())),
            clock: WallClock::set(EARLIER, wall),
            entropy: rng.bytes(),
        };
        let config = ServerConfig { sheds_load, ..ServerConfig::default() };
        let server = Server::new(config, beginnings, Files::default(), EARLIER);
        let parties = (0..clients).map(|which| {
            let mut id = [1; 32];
            id[0] = which as u8;
            let replicas = Replicas::new(vec![server_at(0)], Policy::Stay).unwrap();
            let call = Call::new(Identity::from_seed([2; 32]).eid());
            let config = ClientConfig { set_up_timeout: Duration::from_secs(60), ..ClientConfig::default() };
            let mut client = Client::connect(config, Identity::from_seed(id), call, replicas, rng.bytes::<32>(), now);
            let object = client.ask("1000000000", Options { reserve: 1 << 30, ..Options::default() }).unwrap();
            let delay = Duration::from_micros(5_000 + rng.below(15_000));
            Party { client, object, deadline: Some(now), free: now, delay, got: 0, has_failed: false }
        });
        let parties = parties.collect();
        Crowd {
            now,
            parties,
            server,
            server_deadline: Some(now),
            busy_until: now,
            flying: BinaryHeap::new(),
            order: 0,
            buf: vec![0; 65_536],
            rng,
        }
    }

    fn fly(&mut self, at: Instant, from: SocketAddr, to: SocketAddr, bytes: &[u8]) {
        self.order += 1;
        let party = self.parties.iter().enumerate().find(|(which, _)| [from, to].contains(&address(*which)));
        let delay = party.map_or(Duration::ZERO, |(_, party)| party.delay);
        self.flying.push(Reverse((at + delay, self.order, from, to, bytes.to_vec())));
    }

    /// Sends to a client, over a path that drops what does not fit.
    fn send_down(&mut self, to: SocketAddr, bytes: &[u8]) {
        let Some(which) = (0..self.parties.len()).find(|which| address(*which) == to) else { return };
        let took = |bytes: u64| Duration::from_nanos(bytes * 1_000_000_000 / PATH.0);
        let begins = self.parties[which].free.max(self.now);
        if begins.since(self.now) <= took(PATH.1) {
            let at = begins + took(bytes.len() as u64 + 28);
            self.parties[which].free = at;
            self.fly(at, server_at(0), to, bytes);
        }
    }

    fn poll_client(&mut self, which: usize) {
        let mut buf = core::mem::take(&mut self.buf);
        loop {
            let party = &mut self.parties[which];
            match party.client.poll_output(self.now, &mut buf) {
                Output::Transmit(transmit) => {
                    for bytes in buf[..transmit.len].chunks(transmit.segment_size) {
                        self.fly(self.now, address(which), transmit.remote, bytes);
                    }
                }
                Output::Event(Event::Readable(id)) => {
                    let mut out = [0; 5_000];
                    while let Read::Bytes(len) = party.client.read(id, &mut out) {
                        party.got += len as u64;
                    }
                }
                Output::Event(Event::Failed(..) | Event::Ended(_)) => party.has_failed = true,
                Output::Event(_) => {}
                Output::NeedsEntropy => {
                    let mut entropy = self.rng.bytes();
                    party.client.handle_input(self.now, Input::Entropy(&mut entropy));
                }
                Output::Timeout(at) => {
                    party.deadline = at;
                    break;
                }
            }
        }
        self.buf = buf;
    }

    /// Has the server go on until it is at work, or has nothing to do.
    fn poll_server(&mut self) {
        let mut buf = core::mem::take(&mut self.buf);
        while self.busy_until <= self.now {
            let before = worked(self.server.stats());
            let output = self.server.poll_output(self.now, &mut buf);
            self.busy_until = self.now + REQUEST_TAKES * (worked(self.server.stats()) - before) as u32;
            match output {
                Output::Transmit(transmit) => {
                    for bytes in buf[..transmit.len].chunks(transmit.segment_size) {
                        self.send_down(transmit.remote, bytes);
                    }
                }
                Output::NeedsEntropy => {
                    let mut entropy = self.rng.bytes();
                    self.server.handle_input(self.now, Input::Entropy(&mut entropy));
                }
                Output::Timeout(at) => {
                    self.server_deadline = at;
                    break;
                }
                Output::Event(never) => match never {},
            }
        }
        self.buf = buf;
    }

    fn run(&mut self, time: Duration) {
        let end = self.now + time;
        // Who has something to do.
        let mut due: Vec<usize> = (0..self.parties.len()).collect();
        loop {
            due.drain(..).for_each(|which| self.poll_client(which));
            self.poll_server();
            let is_at_work = self.busy_until > self.now;
            let server = if is_at_work { Some(self.busy_until) } else { self.server_deadline };
            let deadlines = self.parties.iter().filter_map(|party| party.deadline).chain(server);
            let flying = self.flying.peek().map(|Reverse(flying)| flying.0);
            let Some(next) = deadlines.chain(flying).min().filter(|next| *next <= end) else { break };
            self.now = self.now.max(next);
            while self.flying.peek().is_some_and(|Reverse(flying)| flying.0 <= self.now) {
                let Some(Reverse((_, _, remote, to, mut bytes))) = self.flying.pop() else { break };
                let segment_size = bytes.len();
                let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut bytes };
                match (0..self.parties.len()).find(|which| address(*which) == to) {
                    Some(which) => {
                        self.parties[which].client.handle_input(self.now, Input::Datagram(datagram));
                        due.push(which);
                    }
                    None => self.server.handle_input(self.now, Input::Datagram(datagram)),
                }
            }
            for (which, party) in self.parties.iter_mut().enumerate() {
                if party.deadline.is_some_and(|deadline| deadline <= self.now) {
                    party.client.handle_timeout(self.now);
                    due.push(which);
                }
            }
        }
        self.now = end;
    }

    /// What each client gets in so much time.
    fn got(&mut self, time: Duration) -> Vec<u64> {
        let before: Vec<u64> = self.parties.iter().map(|party| party.got).collect();
        self.run(time);
        self.parties.iter().zip(before).map(|(party, before)| party.got - before).collect()
    }
}

/// Jain's index: 1 if all have the same.
fn jain(got: &[u64]) -> f64 {
    let (sum, squares) = got.iter().fold((0.0, 0.0), |(sum, squares), got| {
        let got = *got as f64;
        (sum + got, squares + got * got)
    });
    sum * sum / (got.len() as f64 * squares)
}

#[test]
fn ten_times_more_than_a_server_can_answer_is_answered_slowly_to_all_alike_and_nobody_is_refused() {
    // 80 paths carry 5,000 requests a second, of two packets each; the server answers 500.
    for seed in [1, 2] {
        let mut crowd = Crowd::new(seed, 80, true);
        crowd.run(Duration::from_secs(10));
        let (got, held_to) = (crowd.got(Duration::from_secs(30)), crowd.server.window_max());
        let stats = *crowd.server.stats();
        let (least, most, share) = (got.iter().min(), got.iter().max(), jain(&got));
        println!("seed {seed}: {least:?} to {most:?} bytes in 30 s, Jain {share:.3}, held to {held_to:?}; {stats:?}");
        assert_eq!((stats.refused, stats.dropped, stats.opened), (0, 0, 80), "{stats:?}");
        assert!(crowd.parties.iter().all(|party| !party.has_failed && party.client.stats().connections == 1));
        assert!(share > 0.95 && held_to.is_some(), "{share} {got:?}");
        // What it can answer it does.
        let all = got.iter().sum::<u64>() as f64 / 30.0 / (2.0 * 1_100.0 * 500.0);
        println!("{all:.2} of what a server that does nothing but answer sends");
        assert!(all > 0.6, "{all}");
        // The others go, and those that stay have what their paths carry.
        for party in &mut crowd.parties[5..] {
            party.client.cancel(party.object);
            party.client.close();
        }
        crowd.run(Duration::from_secs(20));
        assert_eq!(crowd.server.window_max(), None, "the load has gone");
        let got = crowd.got(Duration::from_secs(20));
        let full = got[..5].iter().map(|got| *got as f64 / 20.0 / PATH.0 as f64).collect::<Vec<_>>();
        println!("of what their paths carry those who stay get {full:.2?}");
        assert!(full.iter().all(|full| *full > 0.75), "{full:?}");
    }
}

#[test]
fn a_server_that_sheds_no_load_drops_what_its_queue_has_no_room_for() {
    let mut crowd = Crowd::new(1, 80, false);
    crowd.run(Duration::from_secs(20));
    println!("{:?}", crowd.server.stats());
    assert!(crowd.server.stats().dropped > 100 && crowd.server.window_max().is_none());
}
