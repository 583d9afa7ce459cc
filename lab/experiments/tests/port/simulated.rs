//! Ports in virtual time.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::Instant;
use tng_endpoint::{Claim, Port};
use tng_middlebox::{ClientTag, Helper, HelperConfig, HelperEvent, Network, Onward};
use tng_sim::topology::ipv4;
use tng_sim::{DropCause, Link, MachineNode, Node, NodeId, PORT, World};
use tng_stack::{Access, EventKind, Host, HostConfig, Stop, Target, Via};

use super::apps::{Alone, Asker, Book, Both, Echo, Found, Log, Masked, host, host_with, identity, pattern};
use super::toy::Toy;

type Any = Box<dyn Node>;

const LEN: usize = 300_000;
const LIMIT: Duration = Duration::from_secs(30);

fn shared() -> IpAddr {
    ipv4(1)
}

fn at(ip: IpAddr) -> SocketAddr {
    SocketAddr::new(ip, PORT)
}

fn target(number: u8, ip: IpAddr) -> Target {
    Target { eid: identity(number).eid(), addresses: vec![at(ip)], capability: None, via: Vec::new() }
}

fn link() -> Link {
    Link::new().rate(20_000_000).delay(Duration::from_millis(10))
}

/// A star of hosts around a router.
struct Star {
    world: World<Any>,
    router: NodeId,
}

impl Star {
    fn new(seed: u64) -> Star {
        let mut world = World::new(seed);
        let router = world.router("router");
        Star { world, router }
    }

    fn add(&mut self, ip: IpAddr, node: impl Node + 'static) -> NodeId {
        let id = self.world.host(&ip.to_string(), &[ip], Box::new(node));
        self.world.connect(id, self.router, &link());
        id
    }

    /// A client of its own that asks a host for an echo.
    fn ask(&mut self, ip: IpAddr, number: u8, target: Target) -> Book<Found> {
        let asker = Asker::new(target, pattern(LEN, number));
        let found = asker.found.clone();
        let client = Host::new(HostConfig::new(Access::Nobody), identity(number), [number; 32]);
        self.add(ip, MachineNode::new(Port::new((client,)), Alone(asker)));
        found
    }

    fn run(&mut self, time: Duration) {
        self.world.run_until(self.world.now() + time);
    }
}

fn assert_echoed(found: &Book<Found>, number: u8) {
    let found = found.open();
    assert!(found.back == pattern(LEN, number), "{number}: {} bytes came back, {:?}", found.back.len(), found.told);
    assert!(found.done_at.is_some());
}

/// Two hosts on one port, and two clients that each want one of them; answers the digest of all that happened.
fn two_hosts(seed: u64, moves: bool) -> [u8; 32] {
    let mut star = Star::new(seed);
    star.world.record_digest();
    let echoes = Both(Echo::default(), Echo::default());
    let node = star.add(shared(), MachineNode::new(Port::new((host(1), host(2))), echoes));
    let found =
        [(11, 1), (12, 2)].map(|(client, server)| star.ask(ipv4(client.into()), client, target(server, shared())));
    if moves {
        let at = Instant::ZERO + Duration::from_millis(150);
        star.world.at(at, move |world| world.change_address(node, shared(), Some(ipv4(99))));
    }
    star.run(LIMIT);
    assert_echoed(&found[0], 11);
    assert_echoed(&found[1], 12);
    let moved = |found: &Book<Found>| {
        found
            .open()
            .told
            .iter()
            .any(|(_, kind)| matches!(kind, EventKind::Moved { remote, .. } if *remote == at(ipv4(99))))
    };
    assert_eq!(found.each_ref().map(moved), [moves; 2], "both hosts hear of a move of their node");
    star.world.digest().expect("it is recorded")
}

#[test]
fn two_hosts_share_a_port_and_a_seed_gives_the_same_packets_again() {
    assert_eq!(two_hosts(1, false), two_hosts(1, false));
}

#[test]
fn two_hosts_that_share_a_port_move_together() {
    two_hosts(2, true);
}

#[test]
fn a_host_and_a_helper_share_a_port() {
    let onward = Onward::Listed(vec![Network { address: ipv4(0), bits: 8 }]);
    let config = HelperConfig { onward, ..HelperConfig::default() };
    for helper_first in [false, true] {
        let mut star = Star::new(3);
        let helper = Helper::new(config.clone(), &[7; 32].into(), 1_700_000_000_000, [8; 32]);
        let capability = helper.office().issue(Instant::ZERO, ClientTag(1), (LIMIT, 4), [9; 32]);
        let (log, echo, beyond) = (Log::<HelperEvent>::default(), Echo::default(), Echo::default());
        let (told, peers) = (log.0.clone(), beyond.peers.clone());
        if helper_first {
            star.add(shared(), MachineNode::new(Port::new((helper, host(1))), Both(log, echo)));
        } else {
            star.add(shared(), MachineNode::new(Port::new((host(1), helper)), Both(echo, log)));
        }
        // Another host, to which the helper passes on.
        star.add(ipv4(2), MachineNode::new(Port::new((host(2),)), Alone(beyond)));
        let direct = star.ask(ipv4(11), 11, target(1, shared()));
        let stop = Stop::new(at(shared()), capability);
        let via = vec![Via::new(identity(90).eid(), stop)];
        let helped = star.ask(ipv4(12), 12, Target { via, ..target(2, ipv4(2)) });
        star.run(LIMIT);
        assert_echoed(&direct, 11);
        assert_echoed(&helped, 12);
        assert!(matches!(told.open()[..], [HelperEvent::Joined { toward, .. }, ..] if toward == at(ipv4(2))));
        assert_eq!(peers.open().first(), Some(&at(shared())), "the flow came by the helper");
    }
}

#[test]
fn a_host_and_another_protocol_share_a_port() {
    let mut star = Star::new(4);
    let log = Log::<u8>::default();
    let answered = log.0.clone();
    star.add(
        shared(),
        MachineNode::new(Port::new((host(1), Toy::default())), Both(Echo::default(), Log::<u8>::default())),
    );
    let found = star.ask(ipv4(11), 11, target(1, shared()));
    star.add(ipv4(12), MachineNode::new(Port::new((Toy::asking(at(shared()), 50),)), Alone(log)));
    star.run(LIMIT);
    assert_echoed(&found, 11);
    assert_eq!(*answered.open(), (0..50).collect::<Vec<u8>>());
}

/// How long the clients of two hosts that share a port, and are restarted, have nothing from them. The second host says
/// that it has forgotten, or leaves that to the first.
fn after_restart(second_says: bool) -> [Duration; 2] {
    let reserved = |claim| if matches!(claim, Claim::Disowns(_)) { Claim::Neither } else { claim };
    let mut star = Star::new(5);
    let port = |life: u8| -> Any {
        let host = |number: u8| host_with(HostConfig::new(Access::Public), number, [number ^ life; 32]);
        let echoes = Both(Echo::default(), Echo::default());
        match second_says {
            true => Box::new(MachineNode::new(Port::new((host(1), host(2))), echoes)),
            false => Box::new(MachineNode::new(Port::new((host(1), Masked::new(host(2), reserved))), echoes)),
        }
    };
    let id = star.world.host("shared", &[shared()], port(0));
    star.world.connect(id, star.router, &link());
    let found =
        [(11, 1), (12, 2)].map(|(client, server)| star.ask(ipv4(client.into()), client, target(server, shared())));
    star.run(Duration::from_millis(150));
    star.world.stop(id);
    star.world.start(id, port(100));
    let restarted = star.world.now();
    star.run(LIMIT);
    found.map(|found| {
        let found = found.open();
        let told = found
            .told
            .iter()
            .find(|(at, kind)| *at >= restarted && matches!(kind, EventKind::PathLost { .. } | EventKind::Closed(_)));
        told.map_or(LIMIT, |(at, _)| at.since(restarted))
    })
}

#[test]
fn peers_of_both_hosts_hear_at_once_that_a_port_was_restarted() {
    let soon = Duration::from_millis(100);
    let [first, second] = after_restart(true);
    assert!(first < soon && second < soon, "{first:?}, {second:?}");
    let [first, second] = after_restart(false);
    assert!(first < soon, "{first:?}");
    assert!(second > 2 * soon, "control: if the first alone says so, peers of the second hear nothing for {second:?}");
}

#[test]
fn a_link_that_loses_packets_of_both_hosts_tells_each_of_its_own() {
    let mut star = Star::new(6);
    let masked = [1, 2].map(|number| Masked::new(host(number), |claim| claim));
    let losses = masked.each_ref().map(|masked| masked.losses.clone());
    let port = Port::new(masked.into());
    let node = star.world.host(
        "shared",
        &[shared()],
        Box::new(MachineNode::new(port, Both(Echo::default(), Echo::default()))) as Any,
    );
    star.world.connect_with(star.router, node, &link().wireless(0.03), &link());
    let found =
        [(11, 1), (12, 2)].map(|(client, server)| star.ask(ipv4(client.into()), client, target(server, shared())));
    star.run(LIMIT);
    assert_echoed(&found[0], 11);
    assert_echoed(&found[1], 12);
    let told: Vec<usize> = losses.iter().map(|losses| *losses.open()).collect();
    let lane = star.world.route(star.router, shared()).unwrap();
    let lost = star.world.stats(lane).dropped_for(DropCause::Damaged) as usize;
    // An INIT is of no channel yet.
    assert!(told.iter().all(|told| *told > 3) && (lost - 2..=lost).contains(&told.iter().sum()), "{told:?} of {lost}");
}
