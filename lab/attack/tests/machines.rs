//! Every attack of the catalogue on a host, in virtual time. `TNG_SEEDS=1000` runs more seeds than one.

use core::net::SocketAddr;
use core::time::Duration;

use tng_attack::{ATTACKS, Attack, Attacker, Kind, Mark, Tally};
use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output};
use tng_stack::structured::ServiceOptions;
use tng_stack::{Access, EventKind, Host, HostConfig, Identity, Target};

const SERVICE: (&str, &str) = ("blocks", "test/1");

fn at(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

fn server(seed: u8) -> Host {
    let mut host = Host::new(HostConfig::new(Access::Public), Identity::from_seed([seed; 32]), [seed ^ 1; 32]);
    host.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
    host
}

fn give(host: &mut Host, now: Instant, remote: SocketAddr, datagram: &[u8]) {
    let mut payload = datagram.to_vec();
    let segment_size = payload.len().max(1);
    let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut payload };
    host.handle_input(now, Input::Datagram(datagram));
}

/// What a host says now.
fn said(host: &mut Host, now: Instant, buf: &mut [u8]) -> (Vec<(SocketAddr, Vec<u8>)>, bool) {
    let (mut out, mut connected) = (Vec::new(), false);
    host.handle_timeout(now);
    loop {
        match host.poll_output(now, buf) {
            Output::Transmit(t) => out.extend(buf[..t.len].chunks(t.segment_size).map(|d| (t.remote, d.to_vec()))),
            Output::Event(event) => connected |= matches!(event.kind, EventKind::Connected),
            Output::Timeout(_) => return (out, connected),
        }
    }
}

/// Whether somebody honest connects within 3 s.
fn connects(host: &mut Host, eid: tng_base::Eid, mut now: Instant, seed: u8) -> bool {
    let (here, there) = (at("192.0.2.1:7"), at("192.0.2.2:4860"));
    let mut client = Host::new(HostConfig::new(Access::Nobody), Identity::from_seed([seed; 32]), [seed; 32]);
    client.connect(now, Target { eid, addresses: vec![there], capability: None }).expect("an address");
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
    let mut host = server(9);
    let eid = Identity::from_seed([9; 32]).eid();
    let (from, mark_at) = (at("203.0.113.5:5"), at("192.0.2.2:4860"));
    let service = (SERVICE.0.to_owned(), SERVICE.1.to_owned());
    let mark = Mark { eid, address: mark_at, capability: Vec::new(), service };
    let mut now = Instant::from_secs(1);
    let mut attacker = Attacker::new(attack, mark, seed, Duration::from_millis(1), now);
    let (mut buf, mut most, mut half_open) = (vec![0; 65_536], 0, 0);
    for _ in 0..2_000 {
        while let Output::Transmit(t) = attacker.poll_output(now, &mut buf) {
            let datagram = buf[..t.len].to_vec();
            give(&mut host, now, from, &datagram);
        }
        for (to, mut datagram) in said(&mut host, now, &mut buf).0 {
            if to == from {
                let segment_size = datagram.len();
                let payload = &mut datagram[..];
                let input = Datagram { remote: mark_at, local: None, ecn: Ecn::NotEct, segment_size, payload };
                attacker.handle_input(now, Input::Datagram(input));
            }
        }
        (most, half_open) = (most.max(host.connections().count()), half_open.max(host.half_open()));
        now += Duration::from_millis(1);
    }
    assert!(connects(&mut host, eid, now, 77), "{}, seed {seed}: an honest client is kept out", attack.name);
    (attacker.tally().clone(), most, half_open)
}

#[test]
fn a_host_under_every_attack_answers_an_honest_client_and_holds_no_more_than_it_may() {
    let seeds = std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    for (attack, seed) in ATTACKS.iter().flat_map(|attack| (0..seeds).map(move |seed| (attack, seed))) {
        let (tally, connections, half_open) = assault(attack, seed);
        let context = format!("{}, seed {seed}: {tally:?}, {connections} connections", attack.name);
        assert!(tally.sent > 0 && half_open <= 1_024, "{context}, {half_open} half-open");
        match attack.kind {
            Kind::Stranger => {
                assert!(tally.amplification() <= 3.0, "{context}");
                assert!(connections <= 1_024, "{context}");
            }
            Kind::Peer => assert!(tally.connections > 0, "{context}: it was never let in"),
        }
        if let Some(code) = attack.closes_with {
            assert!(tally.closes.contains_key(&code), "{context}: expected {code}");
        }
    }
}

#[test]
fn names_are_found_and_are_all_different() {
    for (at, attack) in ATTACKS.iter().enumerate() {
        assert_eq!(tng_attack::find(attack.name).map(|found| found.name), Some(attack.name));
        assert!(ATTACKS[..at].iter().all(|other| other.name != attack.name), "{} twice", attack.name);
    }
    assert_eq!(tng_attack::find("no-such-thing"), None);
}
