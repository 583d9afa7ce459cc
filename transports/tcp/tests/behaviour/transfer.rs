//! Bytes from one end to the other.

use tng_base::Instant;
use tng_sim::Link;
use tng_tcp::{Config, End};

use crate::world::*;

#[test]
fn a_connection_opens_in_one_round_trip_carries_bytes_exactly_and_closes() {
    let mut pair = pair(1, &path(), &Config::default(), sending(100_000), Plan::default());
    assert!(run_to_the_end(&mut pair, Instant::from_secs(100)));
    let (a, b) = (client(&pair), host_b(&pair));
    assert_eq!((b.read, a.read), (100_000, 0));
    let established = a.established.unwrap();
    assert!((40..42).contains(&(established.as_nanos() / 1_000_000)), "{established:?}");
    assert_eq!((a.end.unwrap().1, b.end.unwrap().1), (End::Finished, End::Finished));
    let stats = a.stats.unwrap();
    assert_eq!((stats.acked, stats.retransmits, stats.timeouts, stats.reductions), (100_000, 0, 0, 0));
    assert_eq!(pair.world.node(pair.a).machine.connection_count(), 0);
    assert_eq!(pair.world.node(pair.b).machine.connection_count(), 0);
}

#[test]
fn both_directions_carry_bytes_at_once() {
    let mut pair = pair(2, &path(), &Config::default(), sending(700_000), sending(300_000));
    assert!(run_to_the_end(&mut pair, Instant::from_secs(100)));
    assert_eq!((host_b(&pair).read, client(&pair).read), (700_000, 300_000));
}

#[test]
fn a_long_transfer_fills_the_link() {
    let mut pair = pair(3, &path(), &Config::default(), sending(10_000_000), Plan::default());
    assert!(run_to_the_end(&mut pair, Instant::from_secs(100)));
    let took = host_b(&pair).read_at.unwrap().as_secs_f64();
    // 1,448 of 1,500 bytes are data; a start of a few round trips.
    let ideal = 10_000_000.0 * 8.0 / 10e6 * 1_500.0 / 1_448.0;
    assert!(took > ideal && took < ideal * 1.05, "{took} s, ideally {ideal} s");
}

#[test]
fn nothing_to_say_costs_nothing() {
    let idle = Plan { finish: Finish::Never, ..Plan::default() };
    let mut pair = pair(4, &path(), &Config::default(), idle, idle);
    pair.world.run_until(Instant::from_secs(1_000));
    assert_eq!(pair.world.stats(pair.link.forth()).offered, 2, "SYN and the acknowledgment of the peer's");
}

#[test]
fn the_same_seed_gives_the_same_digest_and_another_seed_another() {
    let run = |seed| {
        let link = Link { duplicate: 0.01, ..path().loss(tng_sim::Loss::Independent(0.02)) };
        let mut pair = pair(seed, &link, &Config::default(), sending(200_000), Plan::default());
        assert!(run_to_the_end(&mut pair, Instant::from_secs(1_000)), "seed {seed}");
        pair.world.digest().unwrap()
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

#[test]
fn a_connection_and_a_port_may_have_a_controller_of_their_own() {
    let mut pair = pair(6, &path(), &Config::default(), Plan::default(), Plan::default());
    let (a, b) = (pair.a, pair.b);
    pair.world.run_until(Instant::from_secs(1));
    let eln_port = std::net::SocketAddr::new(server().ip(), PORT + 1);
    pair.world
        .node_mut(b)
        .machine
        .listen_as(PORT + 1, Some("eln:cubic".parse().expect("a controller")))
        .expect("a free port");
    let reno = pair.world.node_mut(a).machine.connect_as(
        Instant::from_secs(1),
        eln_port,
        Some(&"reno".parse().expect("a controller")),
    );
    pair.world.run_until(Instant::from_secs(2));
    let controllers = |node| {
        let node: &Node = pair.world.node(node);
        node.app.records.keys().filter_map(|id| Some(node.machine.stats(*id).ok()?.controller)).collect::<Vec<_>>()
    };
    let stats = pair.world.node(a).machine.stats(reno.expect("room")).expect("open");
    assert_eq!(stats.controller, "reno");
    assert_eq!(controllers(b), ["cubic", "eln"]);
}
