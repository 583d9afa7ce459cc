//! Answers to an INIT by those who have not seen it (docs/attacks.md, 23).

use core::net::SocketAddr;

use tng_base::{Eid, Instant, Rng};
use tng_isolation::{Cookie, Family, Fingerprint, Hello, Identity, cookie_answer};
use tng_sim::PORT;
use tng_sim::topology::{A, B};
use tng_stack::EventKind;
use tng_wire::Repr;

use crate::attack::{feed, pump};
use crate::world::{Node, Setting, Side};

const AT_A: SocketAddr = SocketAddr::new(A, PORT);
const AT_B: SocketAddr = SocketAddr::new(B, PORT);
const NOW: Instant = Instant::ZERO;

fn only(said: Vec<(SocketAddr, Vec<u8>)>) -> Vec<u8> {
    let [(_, datagram)] = <[_; 1]>::try_from(said).expect("one datagram");
    datagram
}

fn events(node: &Node) -> Vec<EventKind> {
    let Side::Client(client) = &node.app else { unreachable!("it is a client") };
    client.events.iter().map(|(_, event)| event.kind.clone()).collect()
}

/// A client's dial to a server that asks for cookies, while somebody who knows both ends, their addresses, and the id
/// by which the client wants to be answered sends it what `forge` makes of the client's INIT, from these addresses.
/// Answers whether the client is connected, and how many datagrams it was made to send.
fn dialed(from: &[SocketAddr], forge: impl Fn(&[u8]) -> Vec<Vec<u8>>) -> (bool, usize) {
    let mut setting = Setting::new(80);
    setting.server.cookie_above = 0;
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let init = only(pump(&mut client, NOW));
    let cookie = only(feed(&mut server, NOW, AT_A, &init));
    let mut drawn = 0;
    for (from, forged) in from.iter().flat_map(|from| forge(&init).into_iter().map(move |forged| (*from, forged))) {
        drawn += feed(&mut client, NOW, from, &forged).len();
    }
    for (_, again) in feed(&mut client, NOW, AT_B, &cookie) {
        for (_, reply) in feed(&mut server, NOW, AT_A, &again) {
            feed(&mut client, NOW, AT_B, &reply);
        }
    }
    assert!(!events(&client).iter().any(|kind| matches!(kind, EventKind::ConnectFailed(_))), "it goes on trying");
    (events(&client).contains(&EventKind::Connected), drawn)
}

const ELSEWHERE: SocketAddr = SocketAddr::new(core::net::IpAddr::V4(core::net::Ipv4Addr::new(203, 0, 113, 9)), 9);

/// COOKIEs with anything in them that name the channel, under MACs as for an INIT that is known by `init`.
fn cookies(count: u8, channel: &[u8], server: &Identity, init: &Fingerprint) -> Vec<Vec<u8>> {
    let id = tng_base::ChannelId::from_bytes(*channel.first_chunk().expect("an id"));
    (1..=count).map(|i| cookie_answer(server, Family::Channel, id, Cookie([i; 32]), init).to_vec()).collect()
}

#[test]
fn forged_cookies_of_who_has_not_seen_the_init_end_no_dial() {
    // The MAC's key follows from the EID, which is no secret.
    let server = Setting::new(80).server_identity();
    let unseen = |init: &[u8]| cookies(200, &init[3..9], &server, &Fingerprint::from_bytes([7; 32]));
    assert_eq!(dialed(&[AT_B, ELSEWHERE], unseen), (true, 0));
    let seen = |init: &[u8]| {
        let fingerprint = Hello::parse(Family::Channel, init).expect("an INIT").fingerprint();
        cookies(8, &init[3..9], &server, &fingerprint)
    };
    assert_eq!(dialed(&[ELSEWHERE], seen), (true, 0), "nor of who has, from where nobody was asked");
    // Who is on the path can, as with any cookie (RFC 9000 section 21.2): eight of them are taken, and no more.
    assert_eq!(dialed(&[AT_B], seen), (false, 8), "control: without the MAC these, too, would be taken");
}

#[test]
fn forged_answers_of_every_kind_neither_end_a_dial_nor_draw_a_packet() {
    let forge = |init: &[u8]| {
        let mut rng = Rng::from_u64(81);
        let eve = Identity::from_seed([0xee; 32]);
        // What is signed is another INIT, since nobody off the path knows this one.
        let mut other = init.to_vec();
        rng.fill(&mut other[41..]);
        let wrong_key = tng_isolation::wrong_key(&eve, &Hello::parse(Family::Channel, &other).expect("an INIT"));
        let wrong_key = tng_isolation::WrongKey {
            initiator_id: Hello::parse(Family::Channel, init).unwrap().initiator_id(),
            ..wrong_key
        };
        let mut forged = vec![wrong_key.to_vec()];
        for kind in 0x02..=0x0a {
            for len in [7, 8, 9, 10, 26, 30, 55, 103, 200, 1_200] {
                let mut datagram = vec![0; len];
                rng.fill(&mut datagram);
                datagram[0] = kind;
                datagram[1..7].copy_from_slice(&init[3..9]);
                forged.push(datagram);
            }
        }
        // VERSION: nothing but a version that the client does not speak, and a MAC that nobody could make.
        forged.push([&[0x04], &init[3..9], &[1, 0, 9], &[7; 16]].concat());
        // DECLINED and ANSWERED, as a helper would.
        forged.extend((1..=8).map(|code| [&[0x0a], &init[3..9], &[code][..]].concat()));
        forged.push([&[0x09], &init[3..9], &wrong_key.to_vec()[..]].concat());
        forged
    };
    assert_eq!(dialed(&[AT_B, ELSEWHERE], forge), (true, 0));
    let signed = |init: &[u8]| {
        let eve = Identity::from_seed([0xee; 32]);
        vec![tng_isolation::wrong_key(&eve, &Hello::parse(Family::Channel, init).expect("an INIT")).to_vec()]
    };
    // Control: an answer that is signed over this INIT is taken, and waits for a better one; from elsewhere it is not.
    assert_eq!(fails_with(AT_B, signed), Some(Identity::from_seed([0xee; 32]).eid()));
    assert_eq!(fails_with(ELSEWHERE, signed), None);
}

/// Whom the client of a server that is silent believes to have found after two seconds.
fn fails_with(from: SocketAddr, forge: impl Fn(&[u8]) -> Vec<Vec<u8>>) -> Option<Eid> {
    let setting = Setting::new(82);
    let mut client = setting.client_node(setting.target());
    let init = only(pump(&mut client, NOW));
    for forged in forge(&init) {
        feed(&mut client, NOW, from, &forged);
    }
    crate::attack::wait(&mut client, NOW, Instant::from_secs(2));
    events(&client).into_iter().find_map(|kind| match kind {
        EventKind::ConnectFailed(tng_stack::ConnectError::WrongPeer { seen, .. }) => Some(seen),
        _ => None,
    })
}
