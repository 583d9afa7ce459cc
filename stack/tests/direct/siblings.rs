//! Connections of one client, each of a process of its own at the same address: what happens to the others when one of
//! them dies without a farewell, or stands still. They share a flow at the server.

use core::time::Duration;

use tng_queue::{Limit, QueueConfig};
use tng_sim::{IpProtocol, Link, NodeId, PORT, World};
use tng_stack::{Caution, EventKind, Wait};

use crate::world::{Node, Run, Setting, client_of};

/// 50 Mbit/s, 20 ms there and back.
const ROUND_TRIP: Duration = Duration::from_millis(20);
const BYTES_PER_S: f64 = 50e6 / 8.0;

/// A download that nobody lives to see the end of.
const ENDLESS: u64 = 1 << 40;

fn setting(seed: u64, caution: Caution) -> Setting {
    let mut setting = Setting::new(seed);
    // A queue of twice a round trip.
    let queue = QueueConfig::DropTail(Limit::Packets(170));
    setting.link = Link::new().rate(50_000_000).delay(ROUND_TRIP / 2).queue(queue);
    setting.server.caution = caution;
    setting.sizes = vec![ENDLESS];
    setting
}

const UNGUARDED: Caution = Caution { silence: false, ..Caution::ALL };

/// Another process of the client's, with the same key, that asks for a block of this size from now on.
fn sibling(run: &mut Run, life: u16, size: u64) -> NodeId {
    let target = run.setting.target();
    run.setting.sizes = vec![size];
    let node = run.setting.client_in_life(target, u32::from(life));
    let host = run.a;
    run.world.beside(host, IpProtocol::Udp, PORT + life, node)
}

fn run_for(run: &mut Run, ms: u64) {
    let until = run.world.now() + Duration::from_millis(ms);
    run.world.run_until(until);
}

/// When a client's first bytes and its last have come, counted from now; [`Duration::MAX`] if not within 40 s.
fn served(world: &mut World<Node>, client: NodeId) -> (Duration, Duration) {
    let began = world.now();
    let mut wait = |done: &dyn Fn(&Node) -> bool| {
        let came = world.wait_until(began + Duration::from_secs(40), |world| done(world.node(client)));
        if came { world.now().since(began) } else { Duration::MAX }
    };
    let first = wait(&|node| client_of(node).received() > 0);
    (first, wait(&|node| client_of(node).is_done()))
}

fn received(run: &Run, node: NodeId) -> u64 {
    client_of(run.world.node(node)).received()
}

/// A megabyte so long after the death of one that had been served for 400 ms.
fn after_a_death(after_ms: u64, caution: Caution) -> (Duration, Duration) {
    let mut run = setting(1, caution).start();
    run_for(&mut run, 400);
    let dead = run.a;
    run.world.stop(dead).expect("it ran");
    run_for(&mut run, after_ms);
    let second = sibling(&mut run, 1, 1_000_000);
    served(&mut run.world, second)
}

/// Attack 23.
#[test]
fn a_new_connection_beside_a_dead_one_is_served_within_three_round_trips() {
    for after_ms in [200, 1_000, 3_000, 5_000, 15_000, 25_000] {
        let (first, all) = after_a_death(after_ms, Caution::default());
        assert!(first <= 3 * ROUND_TRIP, "{after_ms} ms after the death: {first:?}");
        assert!(all <= Duration::from_millis(400), "{after_ms} ms after the death: {all:?}");
    }
    let (_, all) = after_a_death(1_000, UNGUARDED);
    assert!(all > Duration::from_secs(20), "control: the dead one's window is waited for, {all:?}");
}

/// Whether the server has told of waits for a turn by the time that a second connection has waited for 5 s beside a
/// dead one.
fn tells_of_turns(caution: Caution) -> bool {
    let mut run = setting(6, caution).start();
    run_for(&mut run, 400);
    let dead = run.a;
    run.world.stop(dead).expect("it ran");
    run_for(&mut run, 1_000);
    sibling(&mut run, 1, 1_000_000);
    run_for(&mut run, 5_000);
    let turn = |kind: &EventKind| matches!(kind, EventKind::Waits { wait: Wait::Turn { .. } });
    run.server().events.iter().any(|event| turn(&event.kind))
}

#[test]
fn a_wait_for_a_turn_is_told() {
    assert!(tells_of_turns(UNGUARDED));
    assert!(!tells_of_turns(Caution::default()), "control: nobody waits for one");
}

/// A megabyte after so many have died one after the other.
fn after_deaths(count: u16, caution: Caution) -> (Duration, Duration) {
    let mut run = setting(2, caution).start();
    let mut dying = run.a;
    for life in 1..=count {
        run_for(&mut run, 400);
        run.world.stop(dying).expect("it ran");
        dying = sibling(&mut run, life, ENDLESS);
    }
    run_for(&mut run, 400);
    run.world.stop(dying).expect("it ran");
    run_for(&mut run, 1_000);
    let last = sibling(&mut run, count + 1, 1_000_000);
    served(&mut run.world, last)
}

#[test]
fn a_new_connection_beside_twenty_dead_ones_is_served_as_soon() {
    let (first, all) = after_deaths(20, Caution::default());
    assert!(first <= 3 * ROUND_TRIP && all <= Duration::from_millis(400), "{first:?}, {all:?}");
    let (_, all) = after_deaths(20, UNGUARDED);
    assert!(all > Duration::from_secs(5), "control: {all:?}");
}

/// What part of the line a download has in the second and a half that begins half a second after `count` siblings of it
/// have died.
fn rate_of_the_survivor(count: u16, caution: Caution) -> f64 {
    let mut run = setting(3, caution).start();
    run_for(&mut run, 1_000);
    let dying: Vec<NodeId> = (1..=count).map(|life| sibling(&mut run, life, ENDLESS)).collect();
    run_for(&mut run, 1_000);
    for node in dying {
        run.world.stop(node).expect("it ran");
    }
    run_for(&mut run, 500);
    let (node, before) = (run.a, received(&run, run.a));
    run_for(&mut run, 1_500);
    (received(&run, node) - before) as f64 / 1.5 / BYTES_PER_S
}

#[test]
fn a_download_beside_siblings_that_die_keeps_the_line_full() {
    for count in [1, 10] {
        let rate = rate_of_the_survivor(count, Caution::default());
        assert!(rate > 0.85, "{count} die: {rate} of the line");
    }
    let rate = rate_of_the_survivor(10, UNGUARDED);
    assert!(rate < 0.7, "control: {rate} of the line");
}

#[test]
fn one_that_stood_still_goes_on_when_it_wakes_and_costs_the_others_nothing() {
    let mut run = setting(4, Caution::default()).start();
    let frozen = sibling(&mut run, 1, ENDLESS);
    run_for(&mut run, 1_500);
    let before_it_froze = received(&run, frozen);
    let asleep = run.world.stop(frozen).expect("it ran");
    run_for(&mut run, 6_000);
    let live = run.a;
    run.world.start(frozen, asleep);
    let before = received(&run, live);
    run_for(&mut run, 2_000);
    assert!(received(&run, frozen) > before_it_froze + 1_000_000, "it is served again");
    // Half of the line each, while one of them comes back to its half.
    let rate = (received(&run, live) - before) as f64 / 2.0 / BYTES_PER_S;
    assert!(rate > 0.4, "{rate} of the line");
    let b = run.b;
    let host = run.host(b);
    for id in host.connections().collect::<Vec<_>>() {
        let regulation = host.stats(id).expect("up").regulation;
        assert!(regulation.in_flight <= regulation.window + 4 * 1_500, "{regulation:?}");
    }
}

/// All that is on the way after a whole flight has gone unanswered is what a new connection may send: the first round
/// trip of the next one carries no more than an initial window, whatever the dead one had.
#[test]
fn what_a_dead_one_had_in_flight_is_not_sent_again_at_once_by_the_next() {
    let mut run = setting(5, Caution::default()).start();
    run_for(&mut run, 400);
    let dead = run.a;
    run.world.stop(dead).expect("it ran");
    run_for(&mut run, 3_000);
    sibling(&mut run, 1, ENDLESS);
    // The request is there after half a round trip, and its answer to the initiator's proof after one more.
    let mut sent = Vec::new();
    let lane = run.link.back();
    for _ in 0..8 {
        let before = run.world.stats(lane).offered_bytes;
        run_for(&mut run, 20);
        sent.push(run.world.stats(lane).offered_bytes - before);
    }
    let most = |round: usize| (2 * 15_000) << round.saturating_sub(1);
    assert!(sent.iter().enumerate().all(|(round, bytes)| *bytes <= most(round)), "{sent:?}");
    assert!(sent[7] > 60_000, "it grows: {sent:?}");
}
