//! What a port does with what is for nobody, for several, or of several in one burst. Datagrams are handed in by hand.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{ChannelId, Datagram, Ecn, Input, Instant, Machine, Output, Rng};
use tng_crypto::SecretRng;
use tng_endpoint::{Claim, OneOf, Port, Tenants};
use tng_isolation::{CipherPolicy, Family, Initiator, Limits, Opening};
use tng_middlebox::{Helper, HelperConfig};
use tng_sim::App;
use tng_stack::{Access, Host, HostConfig, HostEvent, Target};

use super::apps::{Asker, Both, Echo, Masked, host, host_with, identity, pattern};
use super::toy::Toy;

const LEN: usize = 200_000;

fn port_at() -> SocketAddr {
    "192.0.2.1:4860".parse().unwrap()
}

fn client_at() -> SocketAddr {
    "192.0.2.2:7".parse().unwrap()
}

fn as_it_is(claim: Claim) -> Claim {
    claim
}

/// Hands in datagrams of one length that came together.
fn give(machine: &mut impl Machine, now: Instant, remote: SocketAddr, segment_size: usize, mut payload: Vec<u8>) {
    let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut payload };
    machine.handle_input(now, Input::Datagram(datagram));
}

/// What a machine says. Its system has no other entropy than this.
fn said<M: Machine>(machine: &mut M, now: Instant, mut tell: impl FnMut(&mut M, M::Event)) -> Vec<Vec<u8>> {
    let (mut out, mut buf) = (Vec::new(), vec![0; 65_536]);
    machine.handle_timeout(now);
    loop {
        match machine.poll_output(now, &mut buf) {
            Output::Transmit(t) => out.extend(buf[..t.len].chunks(t.segment_size).map(<[u8]>::to_vec)),
            Output::Event(event) => tell(machine, event),
            Output::NeedsEntropy => machine.handle_input(now, Input::Entropy(&mut [9; 32])),
            Output::Timeout(_) => return out,
        }
    }
}

/// Packets as a kernel hands them over: of one length, but for the last, which may be shorter.
fn batches(packets: Vec<Vec<u8>>) -> Vec<(usize, Vec<u8>)> {
    let mut batches: Vec<(usize, Vec<u8>)> = Vec::new();
    for packet in packets {
        match batches.last_mut() {
            Some((size, batch)) if batch.len() % *size == 0 && packet.len() <= *size => batch.extend(packet),
            _ => batches.push((packet.len(), packet)),
        }
    }
    batches
}

/// An INIT for the host of this number.
fn init(number: u8) -> Vec<u8> {
    let caller = identity(77);
    let ciphers = CipherPolicy { hardware_aes: true, danger_weak: false };
    let limits = Limits { idle_timeout_ms: 0, udp_payload_max: 1_200, ack_delay_max_us: 0 };
    let opening = Opening::new(&caller, ChannelId::from_u64(5), ciphers, limits, "structured");
    let initiator =
        Initiator::new(Family::Channel, &caller, identity(number).eid(), opening, &mut SecretRng::new([7; 32]));
    initiator.expect("a good opening").datagram().to_vec()
}

/// One client host that talks with both hosts of a port, from one address, in bursts that hold packets for the one, for
/// the other and for nobody. Answers what came back of each, and how many packets were under an id that both know.
fn talk<P>(mut port: Port<P>, time: Duration) -> ([bool; 2], usize)
where
    P: Tenants<Event = OneOf<HostEvent, HostEvent>>,
    Both<Echo, Echo>: App<Port<P>>,
{
    let mut echoes = Both(Echo::default(), Echo::default());
    let mut client = Host::new(HostConfig::new(Access::Nobody), identity(77), [77; 32]);
    let asker = |number| {
        let target =
            Target { eid: identity(number).eid(), addresses: vec![port_at()], capability: None, via: Vec::new() };
        Asker::new(target, pattern(LEN, number))
    };
    let mut askers = [asker(1), asker(2)];
    let found = askers.each_ref().map(|asker| asker.found.clone());
    let (mut now, mut known_to_both, mut rng) = (Instant::from_secs(1), 0, Rng::from_u64(6));
    let end = now + time;
    while now < end && !found.iter().all(|found| found.open().done_at.is_some()) {
        askers.iter_mut().for_each(|asker| _ = asker.poll(now, &mut client));
        let mut packets = said(&mut client, now, |host, event| {
            askers.iter_mut().for_each(|asker| asker.handle_event(now, host, event.clone()));
        });
        // Every other is for nobody, and as long as the one before.
        packets = packets
            .into_iter()
            .flat_map(|packet| {
                let mut noise = if rng.below(2) == 0 { init(3) } else { vec![0x80; packet.len()] };
                noise.truncate(packet.len());
                rng.fill(&mut noise[1..]);
                [packet, noise]
            })
            .collect();
        for packet in &packets {
            let knows = |at| port.tenants().claim(at, packet) == Claim::Knows;
            known_to_both += usize::from(knows(0) && knows(1));
        }
        for (size, batch) in batches(packets) {
            give(&mut port, now, client_at(), size, batch);
        }
        now += Duration::from_millis(2);
        for packet in said(&mut port, now, |port, event| echoes.handle_event(now, port, event)) {
            give(&mut client, now, port_at(), packet.len(), packet);
        }
        now += Duration::from_millis(2);
    }
    let whole = |at: usize| found[at].open().back == pattern(LEN, at as u8 + 1);
    ([whole(0), whole(1)], known_to_both)
}

#[test]
fn bursts_that_hold_packets_for_both_hosts_and_for_nobody_reach_whom_they_are_for() {
    let (echoed, known_to_both) = talk(Port::new((host(1), host(2))), Duration::from_secs(20));
    assert_eq!((echoed, known_to_both), ([true, true], 0));
}

#[test]
fn two_hosts_that_have_drawn_the_same_ids_both_get_what_is_theirs() {
    // The same seed and the same entropy give the same ids.
    let host = |number| host_with(HostConfig::new(Access::Public), number, [5; 32]);
    let both = |mask| Port::new((host(1), Masked::new(host(2), mask)));
    let (echoed, known_to_both) = talk(both(as_it_is), Duration::from_secs(20));
    assert!(known_to_both > 100, "{known_to_both} packets are under an id that both know");
    assert_eq!(echoed, [true, true]);
    let overlooked = |claim| if claim == Claim::Knows { Claim::Neither } else { claim };
    let (echoed, _) = talk(both(overlooked), Duration::from_secs(5));
    assert_eq!(echoed, [true, false], "control: if the first alone is asked, the second loses everything");
}

/// What strangers may send: noise of every first byte, set-up messages that are cut off, damaged, for others, or carry
/// nothing that anybody serves.
fn probes() -> Vec<Vec<u8>> {
    let mut rng = Rng::from_u64(7);
    let (wrong, right) = (init(3), init(1));
    let join = |onward: &[u8]| [&[0x07, 0, 1], &[9; 6 + 12 + 42][..], onward].concat();
    let mut probes = vec![
        join(&[]),
        join(&[0x0b]),
        join(&[0x0c; 300]),
        join(&[0x40; 300]),
        join(&wrong[..1_100]),
        join(&right[..400]),
        [&[0x07, 0, 2], &[9; 400][..]].concat(),
        wrong.clone(),
        wrong[..1_199].to_vec(),
        [&wrong[..1], &[0, 2], &wrong[3..]].concat(),
        right[..1_199].to_vec(),
    ];
    for first in 0..=255 {
        for len in [1, 2, 7, 23, 24, 25, 39, 45, 46, 47, 64, 86, 87, 103, 400, 1_200, 1_472] {
            let mut noise = vec![0; len];
            rng.fill(&mut noise);
            noise[0] = first;
            probes.push(noise);
        }
    }
    probes
}

/// The most bytes by which what is said to a probe is longer than the probe, and how many probes are answered.
fn worst<P: Tenants>(port: &mut Port<P>) -> (i64, usize) {
    let (mut now, mut worst, mut answered) = (Instant::from_secs(1), i64::MIN, 0);
    for probe in probes() {
        // So that nothing is kept from being said by the budgets.
        now += Duration::from_millis(10);
        let len = probe.len();
        give(port, now, client_at(), len, probe);
        let said: usize = said(port, now, |_, _| ()).iter().map(Vec::len).sum();
        (worst, answered) = (worst.max(said as i64 - len as i64), answered + usize::from(said > 0));
    }
    assert!(said(port, now + Duration::from_secs(60), |_, _| ()).is_empty(), "nothing is repeated");
    (worst, answered)
}

#[test]
fn nobody_is_answered_with_more_than_came_however_many_parties_would_answer() {
    let helper = || Helper::new(HelperConfig::default(), &[7; 32].into(), 1_700_000_000_000, [8; 32]);
    let (bytes, answered) = worst(&mut Port::new((host(1), host(2), host(4))));
    assert!(bytes <= 0 && answered > 500, "three hosts: {bytes}, {answered} answered");
    let mut port = Port::new((helper(), host(1), Toy::default()));
    let (bytes, answered) = worst(&mut port);
    assert!(bytes <= 0 && answered > 500, "a helper, a host, a toy: {bytes}, {answered} answered");
    let (first, second, _) = port.tenants();
    assert!(first.is_empty() && second.is_empty(), "something is kept");
    // Control: of tenants that make their answers out to be nothing all are heard.
    let mask = |claim| if matches!(claim, Claim::Disowns(_)) { Claim::Disowns(0) } else { claim };
    let masked = |number| Masked::new(host(number), mask);
    let (bytes, _) = worst(&mut Port::new((masked(1), masked(2), masked(4))));
    assert!(bytes > 20, "control: {bytes}");
}

#[test]
fn a_join_with_neither_an_order_nor_an_init_is_nobodys_business() {
    let helper = Helper::new(HelperConfig::default(), &[7; 32].into(), 1_700_000_000_000, [8; 32]);
    let mut port = Port::new((host(1), helper));
    let now = Instant::from_secs(1);
    for onward in [&[][..], &[0x0c], &[0x40; 1_200], &[0xff; 300]] {
        let join = [&[0x07, 0, 1], &[9; 6 + 12 + 42][..], onward].concat();
        give(&mut port, now, client_at(), join.len(), join);
        assert!(said(&mut port, now, |_, _| ()).is_empty(), "{onward:?}");
    }
    let (host, helper) = port.tenants();
    assert!(host.is_empty() && helper.is_empty());
    assert_eq!((helper.stats().strays, helper.stats().refused, host.exchanges()), (0, 0, 0), "nor is anybody asked");
}

#[test]
fn an_init_for_a_host_that_is_not_there_is_answered_by_one_alone() {
    let mut port = Port::new((host_with(HostConfig::new(Access::Nobody), 1, [1; 32]), host(2), host(4)));
    let now = Instant::from_secs(1);
    give(&mut port, now, client_at(), 1_200, init(3));
    let said = said(&mut port, now, |_, _| ());
    assert_eq!(said.iter().map(|answer| answer[0]).collect::<Vec<u8>>(), [0x05]);
    let eid = identity(2).eid();
    assert_eq!(said[0][7..39], eid.as_bytes()[..], "by the first that takes connections");
}
