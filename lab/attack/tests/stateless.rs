//! The attacks on servers that keep nothing of a connection, on such a server in virtual time, beside an honest client.

mod hand;

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::BTreeMap;

use hand::{Datagrams, at, give, said};
use tng_attack::{Attack, Attacker, Kind, Mark, STATELESS, Tally, find};
use tng_base::{Instant, Machine, Output};
use tng_crypto::Secret32;
use tng_isolation::Identity;
use tng_trickles::client::{Client, ClientConfig, Event, Options, Policy, Replicas};
use tng_trickles::minisocket::{Answer, Application, Asked};
use tng_trickles::server::{Beginnings, Server, ServerConfig};
use tng_trickles::set_up::Call;
use tng_trickles::wire::{REQUEST, RequestHeader, ResponseHeader};
use tng_trickles::{ConnectionSecret, EPOCH, EpochSecret, InstanceName, Keys, Wall, WallClock};
use tng_wire::{Reader, Repr};

const SOME_EPOCH: u64 = 3_000_000;
/// How often more than once a connection may have the same computed.
const RETRIES: u8 = 2;
/// How often a client that computes is polled in a millisecond.
const SLICES_PER_MS: u32 = 8;
/// How long an honest client waits at most.
const PATIENCE: Duration = Duration::from_secs(3);

fn there() -> SocketAddr {
    at("192.0.2.2:4860")
}

fn honest_at() -> SocketAddr {
    at("192.0.2.1:7")
}

fn attacker_at(index: u8) -> SocketAddr {
    SocketAddr::from(([203, 0, 113, index], 5))
}

fn wall() -> Wall {
    Wall::from_millis(SOME_EPOCH * EPOCH.as_millis() as u64 + 60_000)
}

fn keys() -> Keys {
    Keys::new(EpochSecret::new(SOME_EPOCH - 1, Secret32::from_bytes([7; 32])), wall()).expect("the epoch is near")
}

/// Tells forty bytes of whatever is asked for, and computes them first.
#[derive(Default)]
struct Oracle {
    /// Whether it computes for any client, as often as the client asks.
    is_generous: bool,
    /// How often it has computed what for whom.
    computed: BTreeMap<([u8; 16], Vec<u8>), u32>,
}

impl Application for Oracle {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        let Asked::Put { object, reserved, data, .. } = asked else { return };
        if self.is_generous || answer.may_compute(object, data, &(0..40), RETRIES) {
            *self.computed.entry((answer.client().id.0, data.to_vec())).or_default() += 1;
            if answer.room() > 100 {
                answer.send(reserved.start, &[7; 40]);
                answer.skip(reserved.start + 40..reserved.end);
            }
        }
    }
}

/// What is wrong with a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flaw {
    None,
    /// It answers every request of its connections, also those that are refused.
    Gullible,
    /// It answers first messages with all that a first window could bring.
    Talkative,
    /// It computes the same as often as it is asked.
    Generous,
}

struct World {
    server: Server<Oracle>,
    flaw: Flaw,
    now: Instant,
    attackers: Vec<Attacker>,
    honest: Option<Client>,
    served: bool,
    buf: Vec<u8>,
}

impl World {
    fn new(attack: &'static Attack, seed: u64, flaw: Flaw) -> World {
        let now = Instant::from_secs(60);
        let beginnings = Beginnings {
            identity: Identity::from_seed([9; 32]),
            keys: keys(),
            access: Box::new(|_, _: Option<&[u8]>| Ok(())),
            // It has run for longer than clocks differ.
            clock: WallClock::set(now, wall()),
            entropy: [seed as u8; 32],
        };
        let oracle = Oracle { is_generous: flaw == Flaw::Generous, ..Oracle::default() };
        let server = Server::new(ServerConfig::default(), beginnings, oracle, Instant::from_secs(1));
        let eid = Identity::from_seed([9; 32]).eid();
        let (service, file) = ((String::new(), String::new()), Some(("big".to_owned(), 1 << 30)));
        let mark = Mark { eid, address: there(), capability: Vec::new(), service, file, relay: None, registered: None };
        let attackers = (0..4_u8)
            .map(|i| {
                let (seed, secret) = (seed + u64::from(i), [100 + i; 32]);
                Attacker::new(attack, mark.clone(), seed, secret, Duration::from_millis(2), now)
            })
            .collect();
        World { server, flaw, now, attackers, honest: None, served: false, buf: vec![0; 65_536] }
    }

    /// Hands the server a datagram; what it answers.
    fn ask(&mut self, from: SocketAddr, datagram: &[u8]) -> Datagrams {
        give(&mut self.server, self.now, from, datagram);
        let mut answers = said(&mut self.server, self.now, &mut self.buf, |_, never| match never {});
        match self.flaw {
            Flaw::Gullible if answers.is_empty() => answers.extend(believed(datagram).map(|answer| (from, answer))),
            Flaw::Talkative if datagram.first() != Some(&REQUEST) => {
                answers = vec![(from, vec![0; 1_200]); 10];
            }
            _ => {}
        }
        answers
    }

    fn deliver(&mut self, answers: Datagrams) {
        for (to, answer) in answers {
            if to == honest_at() {
                self.honest.iter_mut().for_each(|honest| give(honest, self.now, there(), &answer));
            } else if let Some(index) = (0..4).find(|index| attacker_at(*index) == to) {
                give(&mut self.attackers[usize::from(index)], self.now, there(), &answer);
            }
        }
    }

    /// A millisecond.
    fn step(&mut self) {
        for index in 0..4_u8 {
            let attacker = &mut self.attackers[usize::from(index)];
            if let Output::Transmit(transmit) = attacker.poll_output(self.now, &mut self.buf) {
                let datagram = self.buf[..transmit.len].to_vec();
                let answers = self.ask(attacker_at(index), &datagram);
                self.deliver(answers);
            }
        }
        if let Some(mut honest) = self.honest.take() {
            let (served, mut asked) = (&mut self.served, Datagrams::new());
            // A client that solves a puzzle wants to go on at once, again and again.
            for _ in 0..SLICES_PER_MS {
                let slice = said(&mut honest, self.now, &mut self.buf, |_, event| {
                    *served |= matches!(event, Event::Readable(_));
                });
                asked.extend(slice);
            }
            self.honest = Some(honest);
            for (_, datagram) in asked {
                let answers = self.ask(honest_at(), &datagram);
                self.deliver(answers);
            }
        }
        self.now += Duration::from_millis(1);
    }

    fn run(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            self.step();
        }
    }

    /// Whether somebody honest has the beginning of an object in time.
    fn serves(&mut self, seed: u8) -> bool {
        let replicas = Replicas::new(vec![there()], Policy::Stay).expect("an address");
        let call = Call::new(Identity::from_seed([9; 32]).eid());
        let identity = Identity::from_seed([seed; 32]);
        let mut client = Client::connect(ClientConfig::default(), identity, call, replicas, [seed; 32], self.now);
        client.ask(*b"what", Options::default()).expect("room");
        (self.honest, self.served) = (Some(client), false);
        let end = self.now + PATIENCE;
        while self.now < end && !self.served {
            self.step();
        }
        self.honest = None;
        self.served
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        self.attackers.iter().for_each(|attacker| tally.add(attacker.tally()));
        tally
    }
}

/// What a server that refuses nothing answers to a request that was sealed for one of its connections.
fn believed(datagram: &[u8]) -> Option<Vec<u8>> {
    let header = RequestHeader::parse(&mut Reader::new(datagram)).ok()?;
    let secret = ConnectionSecret::new(keys().present().connection_secret(&header.id));
    let (_, seal) = header.open(&secret.requests(), &mut datagram.to_vec()).ok()?;
    let instance = InstanceName([3; 8]);
    let (armor, handle, count) = (header.armor, *header.id.0.first_chunk()?, header.count);
    let response = ResponseHeader { armor, handle, instance, count, index: 0 };
    let mut answer = response.to_vec();
    answer.extend([0; 20 + 16]);
    response.seal(&secret.responses(instance, &seal), &mut answer);
    Some(answer)
}

/// Two seconds of an attack; whether somebody honest was served meanwhile, and after it.
fn assault(attack: &'static Attack, seed: u64, flaw: Flaw) -> (World, bool) {
    let mut world = World::new(attack, seed, flaw);
    world.run(Duration::from_secs(1));
    let during = world.serves(1);
    world.run(Duration::from_secs(1));
    (world, during)
}

#[test]
fn a_server_that_keeps_nothing_acts_on_nothing_forged_invented_or_spent_and_serves_on() {
    for (attack, seed) in STATELESS.iter().flat_map(|attack| (0..3).map(move |seed| (attack, seed))) {
        let (mut world, during) = assault(attack, seed, Flaw::None);
        let (tally, held) = (world.tally(), world.server.held());
        let context = format!("{}, seed {seed}: {tally:?}", attack.name);
        assert!(attack.missing(&tally).is_none() && attack.faults(&tally).is_empty(), "{context}");
        assert!(tally.sent > 500, "{context}");
        assert!(during && world.serves(2), "{context}: an honest client is kept out");
        match attack.kind {
            Kind::Stranger => assert!(tally.amplification() <= 3.0 && tally.received > 100, "{context}"),
            _ => assert!(tally.answered > 20 && tally.acted_on == 0, "{context}"),
        }
        // What it holds is filters, whatever clients it meets.
        assert_eq!(world.server.held(), held, "{context}");
        println!("{context}");
    }
}

#[test]
fn a_server_that_refuses_nothing_does_not_pass() {
    for name in ["continuation-forge", "continuation-replay", "proof-forge"] {
        let attack = find(name).expect("it is in the catalogue");
        let (world, _) = assault(attack, 1, Flaw::Gullible);
        let tally = world.tally();
        assert!(tally.acted_on > 100 && !attack.faults(&tally).is_empty(), "{name}: {tally:?}");
    }
}

#[test]
fn a_server_that_sends_to_whoever_asks_gives_strangers_more_than_three_bytes_for_one() {
    let attack = find("trickles-init-spoof").expect("it is in the catalogue");
    let of = |flaw| assault(attack, 1, flaw).0.tally().amplification();
    assert!(of(Flaw::None) <= 3.0);
    assert!(of(Flaw::Talkative) > 3.0);
}

#[test]
fn a_connection_has_the_same_computed_three_times_and_without_the_filter_as_often_as_it_asks() {
    let attack = find("expensive-requests").expect("it is in the catalogue");
    let most = |flaw| {
        let (world, _) = assault(attack, 1, flaw);
        world.server.application().computed.values().copied().max().unwrap_or_default()
    };
    assert_eq!(most(Flaw::None), 1 + u32::from(RETRIES));
    assert!(most(Flaw::Generous) > 50);
}
