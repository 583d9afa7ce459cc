//! What a host says to those who do not know who it is (docs/attacks.md, 24).

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::BTreeSet;

use tng_base::{ChannelId, Instant, Rng};
use tng_crypto::SecretRng;
use tng_endpoint::Port;
use tng_isolation::{CipherPolicy, Family, Hello, Identity, Initiator, Limits, Opening};
use tng_sim::PORT;
use tng_sim::topology::A;
use tng_stack::Host;

use crate::attack::{answers, drain};
use crate::world::Setting;

const AT_A: SocketAddr = SocketAddr::new(A, PORT);

/// An INIT for the host of this identity.
fn init(to: &Identity) -> Vec<u8> {
    let identity = Identity::from_seed([0xbb; 32]);
    let ciphers = CipherPolicy { hardware_aes: true, danger_weak: false };
    let limits = Limits { idle_timeout_ms: 0, udp_payload_max: 1_200, ack_delay_max_us: 0 };
    let opening = Opening::new(&identity, ChannelId::from_u64(5), ciphers, limits, "structured");
    let initiator = Initiator::new(Family::Channel, &identity, to.eid(), opening, &mut SecretRng::new([7; 32]));
    initiator.expect("a good opening").datagram().to_vec()
}

/// Everything that somebody may send who knows the protocol and neither the host nor what it has with others.
fn probes() -> Vec<Vec<u8>> {
    let mut rng = Rng::from_u64(84);
    let wrong = init(&Identity::from_seed([0xee; 32]));
    let other_version = [&wrong[..1], &[0, 2], &wrong[3..]].concat();
    let join = |init: &[u8]| [&[0x07, 0, 1], &[9; 6 + 12 + 42][..], init].concat();
    let mut probes =
        vec![join(&wrong[..1_100]), join(&other_version), wrong.clone(), other_version, wrong[..1_000].to_vec()];
    for first in 0..=255 {
        for len in [1, 7, 23, 24, 39, 55, 64, 103, 400, 1_199, 1_200, 1_201, 1_472] {
            let mut noise = vec![0; len];
            rng.fill(&mut noise);
            noise[0] = first;
            probes.push(noise);
        }
    }
    probes
}

/// The setting's server at its port, which says what no host does: what is not served.
fn port(setting: &Setting) -> Port<(Host,)> {
    Port::new((setting.server_node(0).machine,))
}

/// The kinds of what a host says to these within the time that anything takes.
fn said(host: &mut Port<(Host,)>, probes: &[Vec<u8>]) -> BTreeSet<u8> {
    let mut now = Instant::from_secs(1);
    let mut out = BTreeSet::new();
    for probe in probes {
        now += Duration::from_millis(10);
        out.extend(answers(host, now, AT_A, probe).iter().map(|(_, datagram)| datagram[0]));
    }
    out.extend(drain(host, now + Duration::from_secs(60)).iter().map(|(_, datagram)| datagram[0]));
    out
}

#[test]
fn a_silent_host_says_nothing_to_who_does_not_know_it() {
    let mut setting = Setting::new(84);
    let loud = said(&mut port(&setting), &probes());
    let kinds = [0x05, 0x06, 0x09].iter().all(|kind| loud.contains(kind)) && loud.iter().any(|kind| kind >> 6 == 1);
    assert!(kinds, "control: without it some are answered, {loud:x?}");
    setting.server.silent = true;
    assert_eq!(said(&mut port(&setting), &probes()), BTreeSet::new());
}

#[test]
fn a_silent_host_answers_who_knows_it() {
    let mut setting = Setting::new(85);
    setting.server.silent = true;
    let mut server = port(&setting);
    let init = init(&setting.server_identity());
    assert!(Hello::parse(Family::Channel, &init).expect("an INIT").is_for(&setting.server_identity()));
    assert_eq!(said(&mut server, &[init]), [0x02].into());
    setting.start().finish(Duration::from_secs(10));
}
