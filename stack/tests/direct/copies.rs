//! Copies of a host: a machine that is cloned, or put back to a snapshot (docs/attacks.md, 25). And a host without
//! entropy.

use core::net::SocketAddr;

use tng_base::{ChannelId, Datagram, Ecn, Eid, Input, Instant, Machine, Output};
use tng_channel::wire::NewId;
use tng_crypto::{Secret32, SecretRng};
use tng_endpoint::IssuedId;
use tng_flow::wire::{Greeting, Join};
use tng_flow::{Capability, CapabilityKey, HopKey, Stop};
use tng_isolation::Identity;
use tng_sim::PORT;
use tng_sim::topology::{A, B};
use tng_stack::{Access, ConnectError, EventKind, Host, HostConfig, Target, Via};
use tng_wire::{Reader, Repr};

use crate::world::Setting;

const AT_A: SocketAddr = SocketAddr::new(A, PORT);

/// What a host says, whose driver hands in this entropy, or none; what its application hears; and how often it asked.
fn said(host: &mut Host, now: Instant, entropy: Option<u8>) -> (Vec<Vec<u8>>, Vec<EventKind>, usize) {
    let (mut out, mut events, mut asked, mut buf) = (Vec::new(), Vec::new(), 0, vec![0; 65_536]);
    loop {
        match host.poll_output(now, &mut buf) {
            Output::Transmit(t) => out.extend(buf[..t.len].chunks(t.segment_size).map(<[u8]>::to_vec)),
            Output::Event(event) => events.push(event.kind),
            Output::NeedsEntropy => {
                asked += 1;
                if let Some(byte) = entropy {
                    let mut entropy = [byte; 32];
                    host.handle_input(now, Input::Entropy(&mut entropy));
                    assert_eq!(entropy, [0; 32], "it is wiped");
                }
            }
            Output::Timeout(_) => return (out, events, asked),
        }
    }
}

fn hand(host: &mut Host, now: Instant, datagram: &[u8]) {
    let mut payload = datagram.to_vec();
    let segment_size = payload.len();
    let datagram = Datagram { remote: AT_A, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut payload };
    host.handle_input(now, Input::Datagram(datagram));
}

/// The only datagram that a host says.
fn only(host: &mut Host, entropy: u8) -> Vec<u8> {
    let (mut out, ..) = said(host, Instant::ZERO, Some(entropy));
    assert_eq!(out.len(), 1);
    out.swap_remove(0)
}

/// Where a message has its id and its ephemeral key: wire.md, sections 2.1 and 2.2.
fn drawn(message: &[u8]) -> [&[u8]; 2] {
    match message[0] {
        1 => [&message[3..9], &message[41..73]],
        _ => [&message[7..13], &message[13..45]],
    }
}

/// Copies of a host go on from one state, with the same entropy or their own: whether nothing that they draw is the
/// same, and whether all is.
fn differ(one: &[u8], other: &[u8]) -> (bool, bool) {
    let pairs = || drawn(one).into_iter().zip(drawn(other));
    (pairs().all(|(one, other)| one != other), one == other)
}

/// What both of two copies say when they are told the same, up to one point with the same entropy, then with `entropy`.
fn copies(entropy: [u8; 2], new: impl Fn() -> Host, tell: impl Fn(&mut Host, usize)) -> [Vec<u8>; 2] {
    let mut hosts = [new(), new()];
    let before = hosts.each_mut().map(|host| {
        tell(host, 0);
        only(host, 9)
    });
    assert_eq!(before[0], before[1], "they are copies");
    let [one, other] = &mut hosts;
    [(one, entropy[0]), (other, entropy[1])].map(|(host, entropy)| {
        tell(host, 1);
        only(host, entropy)
    })
}

#[test]
fn copies_of_a_host_draw_other_keys_and_ids_when_they_call() {
    let setting = Setting::new(90);
    let call = |host: &mut Host, _| _ = host.connect(Instant::ZERO, setting.target()).expect("an address");
    let calls = |entropy| copies(entropy, || setting.client_node(setting.target()).machine, call);
    let [one, other] = calls([1, 2]);
    assert_eq!(differ(&one, &other), (true, false));
    // The same entropy is what a copy gets whose system is copied, too.
    let [one, other] = calls([1, 1]);
    assert_eq!(differ(&one, &other), (false, true));
}

#[test]
fn copies_of_a_host_draw_other_keys_and_ids_when_they_answer() {
    let setting = Setting::new(91);
    let mut client = setting.client_node(setting.target()).machine;
    let inits = [1, 2].map(|entropy| {
        client.connect(Instant::ZERO, setting.target()).expect("an address");
        only(&mut client, entropy)
    });
    let tell = |host: &mut Host, at: usize| hand(host, Instant::ZERO, &inits[at]);
    let answers = |entropy| copies(entropy, || setting.server_node(0).machine, tell);
    let [one, other] = answers([1, 2]);
    assert_eq!((one[0], differ(&one, &other)), (2, (true, false)));
    let [one, other] = answers([1, 1]);
    assert_eq!(differ(&one, &other), (false, true));
}

#[test]
fn copies_of_a_host_seal_their_requests_to_helpers_under_other_nonces() {
    let setting = Setting::new(92);
    let capability = Capability { shown: vec![7; 54], key: CapabilityKey::from_bytes([8; 16]) };
    let stop = Stop::new(SocketAddr::from(([192, 0, 2, 77], PORT)), capability);
    let target = Target { via: vec![Via::new(Eid::from_bytes([6; 32]), stop)], ..setting.target() };
    let call = |host: &mut Host, _| _ = host.connect(Instant::ZERO, target.clone()).expect("an address");
    let joins = |entropy| copies(entropy, || setting.client_node(setting.target()).machine, call);
    let drawn = |join: &[u8]| {
        let join = Join::parse(&mut Reader::new(join)).expect("a JOIN");
        (join.sender, join.nonce)
    };
    let [one, other] = joins([1, 2]).map(|join| drawn(&join));
    assert!(one.0 != other.0 && one.1 != other.1);
    let [one, other] = joins([1, 1]);
    assert_eq!(one, other);
}

#[test]
fn a_host_without_entropy_asks_once_sends_nothing_and_says_why() {
    let setting = Setting::new(93);
    let mut client = setting.client_node(setting.target()).machine;
    client.connect(Instant::ZERO, setting.target()).expect("an address");
    let (out, events, asked) = said(&mut client, Instant::ZERO, None);
    assert_eq!((out.len(), events.len(), asked), (0, 0, 1));
    let end = Instant::ZERO + client.config().set_up_timeout;
    client.handle_timeout(end);
    let (out, events, asked) = said(&mut client, end, None);
    assert_eq!((out.len(), asked), (0, 0));
    assert!(matches!(events[..], [EventKind::ConnectFailed(ConnectError::NoEntropy)]), "{events:?}");
    // Control: what comes late is not too late.
    client.connect(end, setting.target()).expect("an address");
    said(&mut client, end, None);
    client.handle_input(end, Input::Entropy(&mut [1; 32]));
    assert_eq!(said(&mut client, end, None).0.len(), 1);
}

#[test]
fn a_host_without_entropy_answers_nobody_until_it_has_some() {
    let setting = Setting::new(94);
    let (mut client, mut server) = (setting.client_node(setting.target()).machine, setting.server_node(0).machine);
    client.connect(Instant::ZERO, setting.target()).expect("an address");
    let init = only(&mut client, 1);
    hand(&mut server, Instant::ZERO, &init);
    let (out, _, asked) = said(&mut server, Instant::ZERO, None);
    assert_eq!((out.len(), asked), (0, 1));
    server.handle_input(Instant::ZERO, Input::Entropy(&mut [1; 32]));
    let (out, _, asked) = said(&mut server, Instant::ZERO, None);
    assert_eq!((out.len(), out[0][0], asked), (1, 2, 0));
}

#[test]
fn nothing_that_opens_a_door_or_ends_a_channel_is_printed() {
    // Written as numbers or in hexadecimal, they would show.
    let (word, shown) = ([222; 16], ["222", "de, de", "dede", "DEDE"]);
    let capability = Capability { shown: word.to_vec(), key: CapabilityKey::from_bytes(word) };
    let stop = Stop::new(SocketAddr::new(B, PORT), capability.clone());
    let (eid, id) = (Eid::from_bytes([1; 32]), ChannelId::from_u64(1));
    let via = vec![Via::new(eid, stop)];
    let target = Target { eid, addresses: vec![AT_A], capability: Some(word.to_vec()), via };
    let config = HostConfig::new(Access::Capability(word.to_vec()));
    let greeting = Greeting { id, reset_token: word, payload_max: 1, repair_ms: 1 };
    let mut host = Host::new(config.clone(), Identity::from_seed([222; 32]), [222; 32]);
    host.connect(Instant::ZERO, target.clone()).expect("an address");
    let (mut rng, secret) = (SecretRng::new([222; 32]), Secret32::from_bytes([222; 32]));
    let key = HopKey::draw(&mut rng);
    let issued = IssuedId { sequence: 1, id, token: Some(word) };
    let new_id = NewId { sequence: 1, retire_below: 0, id, reset_token: word };
    let printed = format!(
        "{capability:?} {target:?} {config:?} {greeting:?} {host:?} {rng:?} {secret:?} {key:?} {issued:?} {new_id:?}"
    );
    for text in shown {
        assert!(!printed.contains(text), "{printed}");
    }
    // Control: what it looks for is what bytes look like.
    assert!(format!("{word:?}").contains(shown[0]) && format!("{word:02x?}").contains(shown[1]));
}
