//! Hosts behind a NAT.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::Instant;

use super::parties::Party;
use crate::topology::ipv4;
use crate::{DropCause, Link, NatConfig, NatDrop, NatFilter, NatPorts, NodeId, PORT, World};

const MS: Duration = Duration::from_millis(1);
const PUBLIC: IpAddr = IpAddr::V4(core::net::Ipv4Addr::new(192, 0, 2, 1));

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// Two hosts behind a NAT, and two before it.
struct Home {
    world: World<Party>,
    inside: [NodeId; 2],
    outside: [NodeId; 2],
    nat: NodeId,
}

fn home(ports: NatPorts, filter: NatFilter) -> Home {
    home_behind(NatConfig { ports, filter, ..NatConfig::new(vec![PUBLIC]) })
}

fn home_behind(config: NatConfig) -> Home {
    let mut world = World::new(3);
    let inside = [0, 1].map(|n| world.host(&format!("inside {n}"), &[ipv4(n)], Party::default()));
    let outside = [2, 3].map(|n| world.host(&format!("outside {n}"), &[ipv4(n)], Party::echo()));
    let (router, nat) = (world.router("router"), world.router("nat"));
    let link = Link::new().delay(MS);
    inside.into_iter().for_each(|host| _ = world.connect(host, nat, &link));
    outside.into_iter().for_each(|host| _ = world.connect(host, router, &link));
    world.connect(nat, router, &link);
    world.set_nat(nat, config, &inside);
    Home { world, inside, outside, nat }
}

fn port(ip: IpAddr) -> SocketAddr {
    SocketAddr::new(ip, PORT)
}

#[test]
fn hosts_behind_a_nat_are_seen_at_its_address_and_get_their_answers() {
    for ports in [NatPorts::Preserving, NatPorts::Random] {
        let Home { mut world, inside, outside, .. } = home(ports, NatFilter::Port);
        for host in inside {
            world.node_mut(host).send(at(0), port(ipv4(2)), b"hello");
            world.node_mut(host).send(at(20), port(ipv4(2)), b"again");
        }
        assert!(world.run_until_idle(at(1_000)));
        let seen = world.node(outside[0]).remotes();
        assert!(seen.iter().all(|remote| remote.ip() == PUBLIC) && seen.len() == 4, "{seen:?}");
        assert!(seen[0] != seen[1] && seen[..2] == seen[2..], "{ports:?}: one port for each host: {seen:?}");
        assert_eq!(seen[0].port() == PORT, ports == NatPorts::Preserving, "{seen:?}");
        for host in inside {
            assert_eq!(world.node(host).times(), [at(6), at(26)]);
            assert_eq!(world.node(host).remotes(), [port(ipv4(2)); 2], "the others are seen as they are");
        }
        assert_eq!(world.dropped_at_nodes(DropCause::Filtered), 0);
    }
}

#[test]
fn who_was_not_asked_gets_in_by_no_address_unless_the_nat_is_open() {
    for (filter, comes) in [(NatFilter::None, true), (NatFilter::Address, false), (NatFilter::Port, false)] {
        let Home { mut world, inside, outside, nat } = home(NatPorts::Preserving, filter);
        world.node_mut(inside[0]).send(at(0), port(ipv4(2)), b"a word to one of them");
        world.node_mut(outside[1]).echo = false;
        world.node_mut(outside[1]).send(at(50), SocketAddr::new(PUBLIC, PORT), b"from the other");
        world.node_mut(outside[1]).send(at(60), port(ipv4(0)), b"to its own address");
        world.node_mut(outside[1]).send(at(70), SocketAddr::new(PUBLIC, 99), b"to a port that nobody has");
        assert!(world.run_until_idle(at(1_000)));
        let came = &world.node(inside[0]).received;
        assert_eq!(came.len(), 1 + usize::from(comes), "{filter:?}: {came:?}");
        assert_eq!(world.dropped_at_nodes(DropCause::Filtered), 3 - u64::from(comes), "{filter:?}");
        let counts = NatDrop::ALL.map(|why| world.dropped_at_nat(nat, why));
        assert_eq!(counts, [1, 1 - u64::from(comes), 1, 0, 0], "{filter:?}");
    }
}

#[test]
fn a_nat_that_hairpins_shows_those_behind_it_to_each_other_as_to_others() {
    let config = NatConfig { hairpin: true, ..NatConfig::new(vec![PUBLIC]) };
    let Home { mut world, inside, nat, .. } = home_behind(config);
    let other = SocketAddr::new(PUBLIC, PORT + 1);
    world.node_mut(inside[0]).send(at(0), other, b"nobody is there yet");
    world.node_mut(inside[1]).send(at(10), port(PUBLIC), b"its port is the next");
    world.node_mut(inside[0]).send(at(20), other, b"and there it is found");
    assert!(world.run_until_idle(at(1_000)));
    assert_eq!(world.node(inside[0]).remotes(), [other]);
    assert_eq!(world.node(inside[1]).remotes(), [port(PUBLIC)]);
    assert_eq!(world.dropped_at_nat(nat, NatDrop::NoMapping), 1);
}

#[test]
fn those_behind_a_nat_that_is_restarted_are_seen_elsewhere() {
    let Home { mut world, inside, outside, nat } = home(NatPorts::Preserving, NatFilter::Port);
    world.node_mut(inside[0]).send(at(0), port(ipv4(2)), b"before");
    world.run_until(at(50));
    world.restart_nat(nat);
    world.node_mut(inside[0]).send(at(60), port(ipv4(2)), b"after");
    assert!(world.run_until_idle(at(1_000)));
    let seen = world.node(outside[0]).remotes();
    assert!(seen.len() == 2 && seen[0] == port(PUBLIC) && seen[1] != seen[0], "{seen:?}");
    assert_eq!(world.node(inside[0]).times(), [at(6), at(66)], "both are answered");
}

#[test]
fn those_behind_it_reach_each_other_directly_and_not_by_its_address() {
    let Home { mut world, inside, nat, .. } = home(NatPorts::Preserving, NatFilter::None);
    world.node_mut(inside[0]).send(at(0), port(ipv4(1)), b"next door");
    world.node_mut(inside[0]).send(at(10), port(PUBLIC), b"to the front");
    assert!(world.run_until_idle(at(1_000)));
    assert_eq!(world.node(inside[1]).remotes(), [port(ipv4(0))]);
    assert_eq!(world.dropped_at_nodes(DropCause::Filtered), 1);
    assert_eq!(world.dropped_at_nat(nat, NatDrop::Hairpin), 1);
}
