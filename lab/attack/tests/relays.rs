//! The attacks on relays, on a helper in virtual time, beside an honest client that it helps to a server.

mod hand;

use core::net::SocketAddr;
use core::time::Duration;

use hand::{Datagrams, at, give, said};
use tng_attack::{Attack, Attacker, Kind, Mark, RELAYS, RelayClient, Tally, find};
use tng_base::{Instant, Machine, Output};
use tng_crypto::Secret32;
use tng_flow::{Capability, Stop};
use tng_middlebox::{ClientTag, Helper, HelperConfig, Network, Office, Onward};
use tng_stack::{Access, Host, HostConfig, Identity, PathTaken, Target, Via};

/// The time of day when the world begins.
const EPOCH_MS: u64 = 1_700_000_000_000;
const HOUR: Duration = Duration::from_secs(3_600);
/// Flows that the attacker's capability is good for.
const FLOWS: u16 = 2;
/// A capability that ends so soon is over when the attack begins.
const SHORT: Duration = Duration::from_secs(1);

fn relay_at() -> SocketAddr {
    at("10.0.0.50:4860")
}

fn honest_at() -> SocketAddr {
    at("10.0.1.1:4860")
}

fn server_at() -> SocketAddr {
    at("10.0.2.1:4860")
}

fn attacker_at(place: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 9, 1], 5_000 + place as u16))
}

/// What is wrong with a relay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flaw {
    None,
    /// It passes flows on to everybody, itself included.
    Open,
    /// It takes capabilities of others for its own, does not know what time it is, and has given out more than it said.
    Credulous,
    /// It declines nothing.
    Mute,
    /// It tells who is declined a long story.
    Talkative,
}

struct World {
    relay: Helper,
    flaw: Flaw,
    now: Instant,
    attacker: Attacker,
    honest: Host,
    server: Host,
    capability: Capability,
    /// Flows at the relay at the most.
    most: usize,
    buf: Vec<u8>,
}

fn secret(byte: u8) -> Secret32 {
    Secret32::from_bytes([byte; 32])
}

/// The networks that everybody in this world is in, and no other.
fn listed() -> Vec<Network> {
    vec![Network { address: at("10.0.0.0:1").ip(), bits: 16 }]
}

impl World {
    fn new(attack: &'static Attack, seed: u64, flaw: Flaw, listed: &[Network]) -> World {
        let now = Instant::from_secs(60);
        let all = ["0.0.0.0:1", "[::]:1"].map(|any| Network { address: at(any).ip(), bits: 0 });
        let networks = if flaw == Flaw::Open { all.to_vec() } else { listed.to_vec() };
        let onward = if networks.is_empty() { Onward::Public } else { Onward::Listed(networks) };
        let own = if flaw == Flaw::Open { Vec::new() } else { vec![relay_at().ip()] };
        let late_ms = if flaw == Flaw::Credulous { 2 * HOUR.as_millis() as u64 } else { 0 };
        let relay = Helper::new(
            HelperConfig { onward, own, ..HelperConfig::default() },
            &secret(1),
            EPOCH_MS - late_ms,
            [3; 32],
        );
        let office = Office::new(&secret(1), EPOCH_MS);
        let given = |office: &Office, client, life, flows| {
            office.issue(Instant::ZERO, ClientTag(client), (life, flows), [client as u8; 32])
        };
        let foreign = Office::new(&secret(if flaw == Flaw::Credulous { 1 } else { 2 }), EPOCH_MS);
        let client = RelayClient {
            capability: given(&office, 7, HOUR, if flaw == Flaw::Credulous { 64 } else { FLOWS }),
            flows_max: FLOWS,
            ended: given(&office, 8, SHORT, 64),
            foreign: given(&foreign, 9, HOUR, 64),
            listed: listed.to_vec(),
        };
        let (service, file) = ((String::new(), String::new()), None);
        let (eid, capability) = (Identity::from_seed([5; 32]).eid(), Vec::new());
        let mark = Mark { eid, address: relay_at(), capability, service, file, relay: Some(client), registered: None };
        let mut attacker = Attacker::new(attack, mark, seed, [seed as u8 ^ 0x77; 32], Duration::from_millis(1), now);
        attacker.stand_at((0..attack.places()).map(attacker_at).collect());
        let honest = Host::new(HostConfig::new(Access::Nobody), Identity::from_seed([11; 32]), [11; 32]);
        let server = Host::new(HostConfig::new(Access::Public), Identity::from_seed([12; 32]), [12; 32]);
        let capability = given(&office, 1, HOUR, 4);
        World { relay, flaw, now, attacker, honest, server, capability, most: 0, buf: vec![0; 65_536] }
    }

    /// Hands somebody's datagrams to whom they are for; where nobody is they are lost.
    fn deliver(&mut self, from: SocketAddr, said: Datagrams) {
        for (to, datagram) in said {
            match to {
                to if to == relay_at() => self.ask(from, &datagram),
                to if to == honest_at() => give(&mut self.honest, self.now, from, &datagram),
                to if to == server_at() => give(&mut self.server, self.now, from, &datagram),
                to if to.ip() == attacker_at(0).ip() => give(&mut self.attacker, self.now, from, &datagram),
                _ => {}
            }
        }
    }

    fn ask(&mut self, from: SocketAddr, datagram: &[u8]) {
        give(&mut self.relay, self.now, from, datagram);
        let mut answers = said(&mut self.relay, self.now, &mut self.buf, |_, _| {});
        self.most = self.most.max(self.relay.stats().relays);
        let declines = |datagram: &[u8]| datagram[0] == 0x0a;
        match self.flaw {
            Flaw::Mute => answers.retain(|(_, datagram)| !declines(datagram)),
            Flaw::Talkative => {
                for (_, datagram) in answers.iter_mut().filter(|(_, datagram)| declines(datagram)) {
                    datagram.resize(5 * 1_200, 0);
                }
            }
            Flaw::None | Flaw::Open | Flaw::Credulous => {}
        }
        self.deliver(relay_at(), answers);
    }

    /// A millisecond.
    fn step(&mut self) {
        while let Output::Transmit(transmit) = self.attacker.poll_output(self.now, &mut self.buf) {
            let datagram = self.buf[..transmit.len].to_vec();
            self.ask(attacker_at(self.attacker.place()), &datagram);
        }
        for (from, host) in [(honest_at(), true), (server_at(), false)] {
            let host = if host { &mut self.honest } else { &mut self.server };
            let out = said(host, self.now, &mut self.buf, |_, _| {});
            self.deliver(from, out);
        }
        let out = said(&mut self.relay, self.now, &mut self.buf, |_, _| {});
        self.deliver(relay_at(), out);
        self.now += Duration::from_millis(1);
    }

    fn run(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            self.step();
        }
    }

    /// Whether somebody honest is helped to the server within 3 s.
    fn helps(&mut self) -> bool {
        let stop = Stop::new(relay_at(), self.capability.clone());
        let via = vec![Via::new(Identity::from_seed([5; 32]).eid(), stop)];
        let eid = Identity::from_seed([12; 32]).eid();
        let target = Target { eid, addresses: vec![server_at()], capability: None, via };
        let connection = self.honest.connect(self.now, target).expect("an address");
        let end = self.now + Duration::from_secs(3);
        let mut helped = false;
        while self.now < end && !helped {
            self.step();
            helped = matches!(self.honest.path_taken(connection), Some(PathTaken::Helped { .. }));
        }
        self.honest.close(self.now, connection, 0, "");
        helped
    }
}

/// An attack on a relay that passes flows on to these networks: 2 s, and if something is wrong with the relay as long
/// as it takes for each order to be given up; the books, and whether somebody honest was helped meanwhile and after it.
fn assault(attack: &'static Attack, seed: u64, flaw: Flaw, listed: &[Network]) -> (World, Tally, [bool; 2]) {
    let half = Duration::from_secs(if flaw == Flaw::None { 1 } else { 20 });
    let mut world = World::new(attack, seed, flaw, listed);
    world.run(half);
    let during = world.helps();
    world.run(half);
    let tally = world.attacker.tally().clone();
    let after = world.helps();
    (world, tally, [during, after])
}

fn faults(attack: &Attack, tally: &Tally) -> Vec<String> {
    attack.missing(tally).into_iter().chain(attack.faults(tally)).collect()
}

#[test]
fn a_relay_follows_no_order_that_it_may_not_names_each_and_helps_an_honest_client_meanwhile() {
    for (attack, seed) in RELAYS.iter().flat_map(|attack| (0..3).map(move |seed| (attack, seed))) {
        let (world, tally, helped) = assault(attack, seed, Flaw::None, &listed());
        let context = format!("{}, seed {seed}: {tally:?}", attack.name);
        assert_eq!((faults(attack, &tally), helped), (Vec::new(), [true; 2]), "{context}");
        match attack.kind {
            Kind::Stranger => {
                assert!(tally.sent > 1_500 && tally.amplification() <= 3.0, "{context}");
                // One of the copies, and the honest client's.
                assert!(world.most <= 2 + 1, "{context}: {} flows", world.most);
            }
            _ => {
                let declined: u64 = tally.orders.values().map(|orders| orders.declined).sum();
                assert!(tally.answered > 0 && declined > 50, "{context}");
                assert!(world.most <= usize::from(FLOWS) + 2, "{context}: {} flows", world.most);
            }
        }
        println!("{context}");
    }
}

#[test]
fn a_relay_to_the_public_internet_follows_none_that_leads_to_where_nobody_is_public() {
    for attack in RELAYS {
        let (_, tally, _) = assault(attack, 1, Flaw::None, &[]);
        assert_eq!(faults(attack, &tally), Vec::<String>::new(), "{}: {tally:?}", attack.name);
        if attack.name == "open-relay" {
            for name in ["loopback", "private", "unlisted", "embedded", "the relay itself", "back", "a tunnel"] {
                assert!(tally.orders[name].declined > 0, "{name}: {tally:?}");
            }
        }
    }
}

#[test]
fn a_relay_that_passes_on_to_everybody_does_not_pass() {
    let attack = find("open-relay").expect("it is in the catalogue");
    let (_, tally, _) = assault(attack, 1, Flaw::Open, &[]);
    let faults = faults(attack, &tally).join("; ");
    for name in ["loopback", "private", "link-local", "multicast", "unlisted", "embedded", "the relay itself"] {
        assert!(faults.contains(&format!("{name}: ")), "{name}: {faults}");
    }
    // Who stands where an order leads to sees it come.
    assert!(tally.orders["unlisted"].followed > 0, "{tally:?}");
}

#[test]
fn a_relay_that_believes_what_it_is_shown_does_not_pass() {
    let attack = find("capability-theft").expect("it is in the catalogue");
    let told = |flaw| {
        let (_, tally, _) = assault(attack, 1, flaw, &listed());
        faults(attack, &tally).join("; ")
    };
    let credulous = told(Flaw::Credulous);
    for name in ["of another helper", "over", "beyond its flows"] {
        assert!(credulous.contains(&format!("{name}: ")) && credulous.contains("were followed"), "{name}: {credulous}");
    }
    let mute = told(Flaw::Mute);
    for name in ["with a guessed key", "another's order", "changed"] {
        assert!(mute.contains(&format!("{name}: ")) && mute.contains("were not declined"), "{name}: {mute}");
    }
}

#[test]
fn a_relay_that_answers_a_flood_at_length_gives_more_than_three_bytes_for_one() {
    let attack = find("join-flood").expect("it is in the catalogue");
    let of = |flaw| assault(attack, 1, flaw, &listed()).1.amplification();
    assert!(of(Flaw::None) <= 1.0);
    assert!(of(Flaw::Talkative) > 3.0);
}

#[test]
fn an_attack_whose_capability_is_used_up_still_tells_a_relay_that_names_why_from_one_that_does_not() {
    for attack in RELAYS.iter().filter(|attack| attack.kind == Kind::Client) {
        for (flaw, holds) in [(Flaw::None, true), (Flaw::Mute, false)] {
            let mut world = World::new(attack, 1, flaw, &listed());
            // An attack before has left its flows in use.
            let theft = find("capability-theft").expect("it is in the catalogue");
            let before = World::new(theft, 2, flaw, &listed()).attacker;
            let after = core::mem::replace(&mut world.attacker, before);
            world.run(Duration::from_secs(1));
            assert_eq!(world.attacker.tally().answered, u64::from(FLOWS), "{flaw:?}");
            world.attacker = after;
            world.run(Duration::from_secs(if holds { 2 } else { 40 }));
            let told = faults(attack, world.attacker.tally());
            assert_eq!(told.is_empty(), holds, "{}: {told:?}", attack.name);
        }
    }
}
