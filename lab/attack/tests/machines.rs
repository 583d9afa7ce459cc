//! Every attack of the catalogue on a host, in virtual time. `TNG_SEEDS=1000` runs more seeds than one.

mod hand;

use core::net::SocketAddr;
use core::time::Duration;
use std::sync::Arc;

use hand::{Datagrams, at, give};
use tng_attack::{ATTACKS, Attack, Attacker, Kind, Mark, RELAYS, STATELESS, STORMS, Tally, find};
use tng_base::{CodeHash, Eid, Instant, Machine, Output, Semantic};
use tng_endpoint::Port;
use tng_stack::structured::ServiceOptions;
use tng_stack::{
    Access, Asked, EventKind, FactoryError, Host, HostConfig, HostEvent, Identity, Target, TransportAnswer,
    TransportOffer, Transports,
};

const SERVICE: (&str, &str) = ("blocks", "test/1");

fn seeds() -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// What can be made on a host that listens; for the others see `dialers.rs`.
fn on_hosts() -> impl Iterator<Item = &'static Attack> {
    ATTACKS.iter().chain(STORMS).filter(|attack| !attack.kind.hits_dialers() || attack.name == "text-escape")
}

/// The address of an attacker that moves.
fn moved(from: SocketAddr, place: usize) -> SocketAddr {
    if place == 0 { from } else { SocketAddr::new(from.ip(), 1_000 + place as u16) }
}

fn honest_at() -> SocketAddr {
    at("192.0.2.1:7")
}

fn there() -> SocketAddr {
    at("192.0.2.2:4860")
}

fn server(seed: u8) -> Port<(Host,)> {
    let mut host = Host::new(HostConfig::new(Access::Public), Identity::from_seed([seed; 32]), [seed ^ 1; 32]);
    host.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
    Port::new((host,))
}

/// What a host says now, and whether it tells that it is connected.
fn said(host: &mut impl Machine<Event = HostEvent>, now: Instant, buf: &mut [u8]) -> (Datagrams, bool) {
    let mut connected = false;
    let datagrams = hand::said(host, now, buf, |_, event| connected |= matches!(event.kind, EventKind::Connected));
    (datagrams, connected)
}

/// Whether somebody honest connects within 3 s.
fn connects(host: &mut Port<(Host,)>, eid: tng_base::Eid, mut now: Instant, seed: u8) -> bool {
    let (here, there) = (honest_at(), there());
    let mut client = Host::new(HostConfig::new(Access::Nobody), Identity::from_seed([seed; 32]), [seed; 32]);
    client.connect(now, Target { eid, addresses: vec![there], capability: None, via: Vec::new() }).expect("an address");
    let mut buf = vec![0; 65_536];
    for _ in 0..150 {
        let (to_host, connected) = said(&mut client, now, &mut buf);
        if connected {
            return true;
        }
        to_host.iter().for_each(|(_, datagram)| give(host, now, here, datagram));
        for (_, datagram) in said(host, now, &mut buf).0.into_iter().filter(|(to, _)| *to == here) {
            give(&mut client, now, there, &datagram);
        }
        now += Duration::from_millis(20);
    }
    false
}

/// Two seconds of an attack on a fresh host; answers the books, connections and half-open entries at their most.
fn assault(attack: &'static Attack, seed: u64) -> (Tally, usize, usize) {
    assault_on(server(9), attack, seed)
}

/// The same on this host.
fn assault_on(mut host: Port<(Host,)>, attack: &'static Attack, seed: u64) -> (Tally, usize, usize) {
    let eid = Identity::from_seed([9; 32]).eid();
    let (from, mark_at) = (at("203.0.113.5:5"), there());
    let service = (SERVICE.0.to_owned(), SERVICE.1.to_owned());
    let mark =
        Mark { eid, address: mark_at, capability: Vec::new(), service, file: None, relay: None, registered: None };
    let mut now = Instant::from_secs(1);
    let mut attacker = Attacker::new(attack, mark, seed, [7; 32], Duration::from_millis(1), now);
    let (mut buf, mut most, mut half_open) = (vec![0; 65_536], 0, 0);
    for _ in 0..2_000 {
        while let Output::Transmit(t) = attacker.poll_output(now, &mut buf) {
            let datagram = buf[..t.len].to_vec();
            give(&mut host, now, moved(from, attacker.place()), &datagram);
        }
        for (_, datagram) in said(&mut host, now, &mut buf).0.into_iter().filter(|(to, _)| to.ip() == from.ip()) {
            give(&mut attacker, now, mark_at, &datagram);
        }
        (most, half_open) = (most.max(host.sole().connections().count()), half_open.max(host.sole().half_open()));
        now += Duration::from_millis(1);
    }
    assert!(connects(&mut host, eid, now, 77), "{}, seed {seed}: an honest client is kept out", attack.name);
    (attacker.tally().clone(), most, half_open)
}

#[test]
fn a_host_under_every_attack_answers_an_honest_client_and_holds_no_more_than_it_may() {
    for (attack, seed) in on_hosts().flat_map(|attack| (0..seeds()).map(move |seed| (attack, seed))) {
        let (tally, connections, half_open) = assault(attack, seed);
        let context = format!("{}, seed {seed}: {tally:?}, {connections} connections", attack.name);
        assert!(tally.sent > 0 && half_open <= 1_024, "{context}, {half_open} half-open");
        match attack.kind {
            Kind::Stranger => {
                assert!(tally.amplification() <= 3.0, "{context}");
                assert!(connections <= 1_024, "{context}");
            }
            Kind::Peer | Kind::Server => assert!(tally.connections > 0, "{context}: it was never let in"),
            Kind::Client | Kind::Beside => unreachable!("it needs a relay, or somebody who dials"),
        }
        if let Some(code) = attack.closes_with {
            assert!(tally.closes.contains_key(&code), "{context}: expected {code}");
        }
    }
}

/// A host that may run whatever is offered, if it is sent.
#[derive(Debug)]
struct AsksForAll;

impl Transports for AsksForAll {
    fn answer(&self, _: Eid, offer: &TransportOffer) -> TransportAnswer {
        TransportAnswer::SendMe(offer.codes[0])
    }

    fn follows(&self, _: Eid, _: &TransportOffer, _: CodeHash) -> bool {
        false
    }

    fn make(&self, _: Asked<'_>) -> Result<Box<dyn Semantic>, FactoryError> {
        Err(FactoryError::Busy)
    }
}

#[test]
fn a_flood_of_offers_is_answered_as_policy_says_and_who_agrees_to_what_nobody_has_does_not_pass() {
    let flood = find("stp-offer-flood").expect("it is in the catalogue");
    let mut asks = server(9);
    asks.tenants_mut().0.set_transports(Arc::new(AsksForAll));
    for (host, said) in [(asks, "sendme"), (server(9), "nothing")] {
        let (tally, ..) = assault_on(host, flood, 1);
        assert!(tally.offers[said] > 100 && tally.offers.len() == 1, "{tally:?}");
        assert!(flood.faults(&tally).is_empty() && flood.missing(&tally).is_none(), "{tally:?}");
        let mut agreed = tally;
        agreed.offers.insert("ok", 1);
        assert_eq!(flood.faults(&agreed).len(), 1, "control: {agreed:?}");
    }
}

/// Datagrams a second of a chain of attacks, over all sources, and how long each of them lasts: as the tool is told to
/// in tests.
const RATE: u32 = 2_000;
const LASTS: Duration = Duration::from_millis(300);
const SOURCES: u16 = 4;
const PLACES: usize = 64;

/// A host that few may use at once, and who wants to.
struct Chain {
    host: Port<(Host,)>,
    eid: Eid,
    now: Instant,
    attackers: Vec<(SocketAddr, Attacker)>,
    honest: Option<(Host, Instant)>,
    seed: u64,
    buf: Vec<u8>,
    /// Datagrams a second, over all sources.
    rate: u32,
    /// Connections in use at most.
    most: usize,
}

impl Chain {
    fn new(seed: u64) -> Chain {
        let mut config = HostConfig::new(Access::Public);
        (config.connections_max, config.half_open_max, config.cookie_above) = (PLACES, 256, 64);
        let identity = Identity::from_seed([9; 32]);
        let eid = identity.eid();
        let mut host = Host::new(config, identity, [8; 32]);
        host.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
        let (attackers, buf, now) = (Vec::new(), vec![0; 65_536], Instant::from_secs(1));
        Chain { host: Port::new((host,)), eid, now, attackers, honest: None, seed, buf, rate: RATE, most: 0 }
    }

    fn start(&mut self, attack: &'static Attack, shared: bool) {
        let service = (SERVICE.0.to_owned(), SERVICE.1.to_owned());
        let mark = Mark {
            eid: self.eid,
            address: there(),
            capability: Vec::new(),
            service,
            file: None,
            relay: None,
            registered: None,
        };
        self.attackers = (0..SOURCES)
            .map(|i| {
                self.seed += 1;
                let from = match shared {
                    true => SocketAddr::new(honest_at().ip(), 2_000 + (self.seed % 60_000) as u16),
                    false => SocketAddr::from(([203, 0, 113, i as u8], 2_000 + (self.seed % 60_000) as u16)),
                };
                let interval = Duration::from_secs(SOURCES.into()) / self.rate;
                let mut secret = [8; 32];
                secret[..8].copy_from_slice(&self.seed.to_be_bytes());
                (from, Attacker::new(attack, mark.clone(), self.seed, secret, interval, self.now))
            })
            .collect();
    }

    /// A millisecond.
    fn step(&mut self) {
        for (from, attacker) in &mut self.attackers {
            while let Output::Transmit(t) = attacker.poll_output(self.now, &mut self.buf) {
                let datagram = self.buf[..t.len].to_vec();
                give(&mut self.host, self.now, moved(*from, attacker.place()), &datagram);
            }
        }
        if let Some((client, _)) = &mut self.honest {
            let (said, connected) = said(client, self.now, &mut self.buf);
            said.iter().for_each(|(_, datagram)| give(&mut self.host, self.now, honest_at(), datagram));
            if connected {
                self.honest = None;
            }
        }
        for (to, datagram) in said(&mut self.host, self.now, &mut self.buf).0 {
            if let Some((_, attacker)) = self.attackers.iter_mut().find(|(from, _)| *from == to) {
                give(attacker, self.now, there(), &datagram);
            } else if let Some((client, _)) = self.honest.as_mut().filter(|_| to == honest_at()) {
                give(client, self.now, there(), &datagram);
            }
        }
        self.most = self.most.max(self.host.sole().confirmed());
        self.now += Duration::from_millis(1);
    }

    /// How long somebody honest takes to connect who tries again 100 ms after a refusal; no longer than `limit`.
    fn connects(&mut self, limit: Duration) -> Option<Duration> {
        let began = self.now;
        let mut next_at = began;
        while self.now.since(began) < limit {
            if self.honest.as_ref().is_none_or(|(client, _)| client.is_empty()) && next_at <= self.now {
                self.seed += 1;
                let mut seed = [7; 32];
                seed[..8].copy_from_slice(&self.seed.to_be_bytes());
                let mut client = Host::new(HostConfig::new(Access::Nobody), Identity::from_seed(seed), seed);
                let target = Target { eid: self.eid, addresses: vec![there()], capability: None, via: Vec::new() };
                client.connect(self.now, target).expect("an address");
                self.honest = Some((client, self.now));
                next_at = self.now + Duration::from_millis(100);
            }
            self.step();
            if self.honest.is_none() {
                return Some(self.now.since(began));
            }
        }
        None
    }

    fn run(&mut self, time: Duration) {
        let until = self.now + time;
        while self.now < until {
            self.step();
        }
    }
}

/// Every attack, one after the other without a pause, on one host; answers the longest that an honest peer took to
/// connect before, during or after any, and how many connections there were at most.
fn chained(seed: u64, shared: bool, limit: Duration) -> (Duration, usize) {
    let (mut chain, mut longest) = (Chain::new(seed << 32), Duration::ZERO);
    for attack in on_hosts() {
        let mut honest = |chain: &mut Chain, when| {
            let took = chain.connects(limit);
            let took = took.unwrap_or_else(|| panic!("{when} {}, seed {seed}: kept out for {limit:?}", attack.name));
            longest = longest.max(took);
        };
        honest(&mut chain, "before");
        chain.start(attack, shared);
        chain.run(LASTS / 2);
        // Peers that are let in and hold every place share the places with all hosts that come from their address, and
        // first come is first served, until they are silent.
        if !(shared && attack.name == "slowloris") {
            honest(&mut chain, "during");
        }
        chain.run(LASTS / 2);
        chain.attackers.clear();
        honest(&mut chain, "after");
    }
    (longest, chain.most)
}

#[test]
fn every_attack_after_the_other_on_one_host_keeps_no_honest_client_out() {
    for seed in 0..seeds() {
        let (longest, most) = chained(seed, false, Duration::from_secs(3));
        println!("seed {seed}: {longest:?} at most, {most} connections");
        assert_eq!(most, PLACES, "control: seed {seed}: without them having all places, nothing is shown");
        let (longest, most) = chained(seed, true, Duration::from_secs(15));
        println!("seed {seed}, from its own address: {longest:?} at most, {most} connections");
    }
}

/// How long somebody honest takes to connect from its own address or from another than a flood of so many datagrams a
/// second, when that has lasted for a while: in its midst, or when it has ended.
fn beside(name: &str, rate: u32, shared: bool, ended: bool) -> Option<Duration> {
    let mut chain = Chain::new(7 << 32);
    chain.rate = rate;
    chain.start(tng_attack::find(name).expect("it is in the catalogue"), shared);
    chain.run(Duration::from_secs(2));
    if ended {
        chain.attackers.clear();
    }
    chain.connects(Duration::from_secs(60))
}

/// docs/attacks.md, "From outside": what an honest host waits that shares its address with who attacks.
#[test]
fn who_shares_its_address_with_a_flood_waits_no_longer_than_the_page_says() {
    for (name, rate) in
        [("spoof-flood", 2_000), ("spoof-flood", 10_000), ("cookie-storm", 2_000), ("cookie-storm", 10_000)]
    {
        let [shared, apart] = [true, false].map(|shared| beside(name, rate, shared, false));
        println!("{name}, {rate} a second: {shared:?} from its address, {apart:?} from another");
        assert!(shared.is_some_and(|shared| shared <= Duration::from_secs(1)), "{name}: {shared:?}");
        assert!(apart.is_some_and(|apart| apart <= Duration::from_millis(100)), "{name}, control: {apart:?}");
    }
    let [midst, apart, after] =
        [(true, false), (false, false), (true, true)].map(|(shared, ended)| beside("slowloris", 2_000, shared, ended));
    println!(
        "slowloris: {midst:?} from its address, {apart:?} from another, {after:?} from its address when it has ended"
    );
    assert!(apart.is_some_and(|apart| apart <= Duration::from_millis(100)), "control: {apart:?}");
    assert!(
        midst.is_none_or(|midst| midst > Duration::from_secs(3)),
        "the page says that it may have to wait: {midst:?}"
    );
    // Until what was begun and left alone is given up.
    assert!(after.is_some_and(|after| after <= Duration::from_secs(30)), "{after:?}");
}

#[test]
fn names_are_found_and_are_all_different() {
    let all: Vec<&Attack> = [ATTACKS, STATELESS, RELAYS, STORMS].into_iter().flatten().collect();
    for (at, attack) in all.iter().enumerate() {
        assert_eq!(tng_attack::find(attack.name).map(|found| found.name), Some(attack.name));
        assert!(all[..at].iter().all(|other| other.name != attack.name), "{} twice", attack.name);
    }
    assert_eq!(tng_attack::find("no-such-thing"), None);
}
