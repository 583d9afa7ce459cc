//! Hosts that move, restart, or sit behind a forgetful NAT.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{Instant, PathChange};

use super::parties::{Party, TO_B};
use crate::topology::{A, ipv4, pair};
use crate::{DropCause, IpProtocol, Link, PORT};

const MS: Duration = Duration::from_millis(1);

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

#[test]
fn a_host_that_moves_hears_of_it_and_is_found_at_the_new_address_only() {
    let link = Link::new().delay(MS);
    let mut pair = pair(1, &link, Party::default(), Party::echo());
    let a = pair.a;
    pair.world.node_mut(a).send(at(0), TO_B, b"old");
    pair.world.node_mut(a).send(at(10), TO_B, b"lost");
    pair.world.node_mut(a).send(at(20), TO_B, b"new");
    pair.world.at(Instant::from_micros(11_500), move |world| world.change_address(a, A, Some(ipv4(8))));
    assert!(pair.world.run_until_idle(at(1000)));
    let party = pair.world.node(a);
    assert_eq!(party.moves, [PathChange::LocalAddress { old: Some(A), new: Some(ipv4(8)) }]);
    assert_eq!(party.times(), [at(2), at(22)], "the answer on its way to the old address is lost");
    let remotes = pair.world.node(pair.b).remotes();
    assert_eq!(remotes, [A, A, ipv4(8)].map(|ip| SocketAddr::new(ip, PORT)));
    assert_eq!(pair.world.dropped_at_nodes(DropCause::NotHere), 1);
    assert_eq!(pair.world.address(a), (ipv4(8), PORT).into());
}

#[test]
fn a_host_without_an_address_sends_nothing() {
    let mut pair = pair(1, &Link::new(), Party::steady(TO_B, 4, 100, MS), Party::echo());
    let a = pair.a;
    pair.world.at(Instant::from_micros(1500), move |world| {
        world.change_address(a, A, None);
        world.at(at(10), move |world| world.bring_address(a, ipv4(3)));
    });
    assert!(pair.world.run_until_idle(at(1000)));
    let moves = [PathChange::LocalAddress { old: Some(A), new: None }, PathChange::FurtherAddress(ipv4(3))];
    assert_eq!(pair.world.node(a).moves, moves);
    assert_eq!(pair.world.node(pair.b).received.len(), 2);
    assert_eq!(pair.world.dropped_at_nodes(DropCause::NoRoute), 2);
}

#[test]
fn after_a_rebinding_others_see_another_source_and_answers_to_it_come_back() {
    let mut pair = pair(1, &Link::new().delay(MS), Party::steady(TO_B, 3, 100, 10 * MS), Party::echo());
    let (a, seen, later): (_, SocketAddr, SocketAddr) = (pair.a, (ipv4(70), 1234).into(), (A, 4321).into());
    // The answer to the first packet is under way when the translation changes: it is lost, as a NAT would have it.
    pair.world.at(Instant::from_micros(1500), move |world| world.rebind(a, A, seen));
    pair.world.at(at(15), move |world| world.rebind(a, A, later));
    assert!(pair.world.run_until_idle(at(1000)));
    assert_eq!(pair.world.node(pair.b).remotes(), [(A, PORT).into(), seen, later]);
    let party = pair.world.node(a);
    assert_eq!(party.times(), [at(12), at(22)]);
    assert_eq!(party.remotes(), [TO_B; 2]);
    assert!(party.moves.is_empty(), "the host does not know");
}

#[test]
fn a_restarted_host_has_forgotten_everything_and_a_stopped_one_hears_nothing() {
    let mut pair = pair(1, &Link::new(), Party::steady(TO_B, 10, 100, MS), Party::echo());
    let b = pair.b;
    pair.world.at(Instant::from_micros(2500), move |world| {
        let old = world.stop(b).expect("it was running");
        assert_eq!(old.received.len(), 3);
    });
    pair.world.at(Instant::from_micros(5500), move |world| world.start(b, Party::default()));
    assert!(pair.world.run_until_idle(at(1000)));
    assert_eq!(pair.world.node(b).numbers(), [6, 7, 8, 9]);
    assert_eq!(pair.world.dropped_at_nodes(DropCause::Stopped), 3);
    assert_eq!(pair.world.node(pair.a).received.len(), 3, "the new one does not echo");
}

#[test]
fn a_started_node_keeps_no_timer_of_the_one_before() {
    let mut pair = pair(1, &Link::new(), Party::steady(TO_B, 2, 100, 100 * MS), Party::default());
    let a = pair.a;
    pair.world.at(at(10), move |world| world.start(a, Party::default()));
    assert!(pair.world.run_until_idle(at(1000)));
    assert_eq!(pair.world.node(pair.b).received.len(), 1);
    assert_eq!(pair.world.now(), at(10));
}

#[test]
fn several_nodes_of_a_host_share_its_addresses_and_get_their_own_packets() {
    let other: SocketAddr = (crate::topology::B, 443).into();
    let mut pair = pair(1, &Link::new().delay(MS), Party::default(), Party::echo());
    let (a, b) = (pair.a, pair.b);
    let [sender, quic, tcp] = [
        (a, IpProtocol::Udp, 443, Party::default()),
        (b, IpProtocol::Udp, 443, Party::echo()),
        (b, IpProtocol::Tcp, 0, Party::deaf()),
    ]
    .map(|(host, protocol, port, node)| pair.world.beside(host, protocol, port, node));
    pair.world.node_mut(a).send(at(0), TO_B, b"to the first");
    pair.world.node_mut(a).send(at(0), other, b"to the second");
    pair.world.node_mut(sender).send(at(1), other, b"from the second");
    pair.world.node_mut(sender).send(at(1), (crate::topology::B, 99).into(), b"to nobody");
    // A move is every node's; what comes later comes from the new address, and finds the nodes at it.
    pair.world.at(at(10), move |world| world.change_address(a, A, Some(ipv4(8))));
    pair.world.node_mut(sender).send(at(20), other, b"moved");
    assert!(pair.world.run_until_idle(at(1000)));
    let remotes = |id| pair.world.node(id).remotes();
    assert_eq!(remotes(b), [(A, PORT).into()]);
    assert_eq!(remotes(quic), [(A, PORT).into(), (A, 443).into(), (ipv4(8), 443).into()]);
    assert_eq!(remotes(a), [TO_B, other]);
    assert_eq!(remotes(sender), [other, other]);
    assert!(remotes(tcp).is_empty());
    assert_eq!((pair.world.node(a).moves.len(), pair.world.node(sender).moves.len()), (1, 1));
    assert_eq!(pair.world.dropped_at_nodes(DropCause::NotHere), 1);
    assert_eq!(pair.world.address(sender), (ipv4(8), 443).into());
}
