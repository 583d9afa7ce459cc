//! Addresses that change under a connection.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::Instant;
use tng_sim::PORT;
use tng_sim::topology::{A, B};
use tng_stack::EventKind;

use crate::world::{Setting, Side};

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn a_nat_that_rebinds_the_port_costs_no_byte_and_no_window() {
    let mut setting = Setting::new(1);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(1));
    let seen: SocketAddr = (A, 40_001).into();
    run.world.rebind(run.a, A, seen);
    let took = run.finish(LIMIT);
    assert!(took < Duration::from_secs(4), "{took:?}");
    let moved =
        run.server().events.iter().any(|event| matches!(event.kind, EventKind::Moved { remote, .. } if remote == seen));
    assert!(moved, "{:?}", run.server().events);
}

#[test]
fn a_client_that_moves_to_another_address_goes_on() {
    let mut setting = Setting::new(2);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(1));
    let new: IpAddr = "10.0.0.77".parse().expect("an address");
    run.world.change_address(run.a, A, Some(new));
    let took = run.finish(LIMIT);
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn an_outage_of_ten_seconds_loses_nothing() {
    let mut setting = Setting::new(3);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.outage(run.link, Instant::from_secs(1), Instant::from_secs(11));
    let took = run.finish(LIMIT);
    assert!(took > Duration::from_secs(11) && took < Duration::from_secs(20), "{took:?}");
    let stalled = run.client().has(|kind| matches!(kind, EventKind::Condition { .. }));
    let told = run.server().events.iter().any(|event| matches!(event.kind, EventKind::Condition { .. }));
    assert!(stalled || told, "a stalled path is told");
}

#[test]
fn a_path_that_shrinks_is_found_out() {
    let mut setting = Setting::new(4);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(1));
    for lane in [run.link.forth(), run.link.back()] {
        run.world.change(lane, |link| link.mtu = 1_300);
    }
    let took = run.finish(LIMIT);
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn a_keep_alive_that_cannot_leave_in_an_outage_does_no_harm() {
    let mut setting = Setting::new(5);
    setting.sizes = vec![20_000_000];
    setting.server.keep_alive = Some(Duration::from_secs(1));
    setting.client.keep_alive = Some(Duration::from_secs(1));
    let mut run = setting.start();
    run.world.outage(run.link, Instant::from_secs(1), Instant::from_secs(16));
    let took = run.finish(LIMIT);
    assert!(took < Duration::from_secs(30), "{took:?}");
}

#[test]
fn a_larger_size_that_falls_due_for_another_try_in_an_outage_is_tried_after_it() {
    let mut setting = Setting::new(6);
    setting.sizes = vec![20_000_000];
    // No size of the ladder passes.
    setting.link = setting.link.rate(20_000_000).mtu(1_250);
    setting.server.mtu.raise_interval = Duration::from_secs(3);
    let mut run = setting.start();
    run.world.outage(run.link, Instant::from_secs(3), Instant::from_secs(11));
    run.finish(LIMIT);
}

#[test]
fn an_address_change_in_an_outage_longer_than_all_challenges_does_not_throttle_for_ever() {
    let mut setting = Setting::new(7);
    setting.link = setting.link.delay(Duration::from_millis(2));
    setting.sizes = vec![100];
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(1));
    let (from, to) = (Instant::from_secs(1), Instant::from_secs(4));
    run.world.outage(run.link, from, to);
    let new: IpAddr = "10.0.0.77".parse().expect("an address");
    run.world.run_until(from + Duration::from_millis(1));
    run.world.change_address(run.a, A, Some(new));
    run.world.run_until(to);
    let id = run.client().connection.expect("connected");
    // An upload, which only the client's idea of the path can throttle.
    let a = run.a;
    let streams = run.host(a).streams(id).expect("open");
    let stream = streams.open(crate::apps::SERVICE.0, crate::apps::SERVICE.1).expect("credit");
    streams.write(stream, &[0; 8]).expect("room");
    streams.write(stream, &[7; 400_000]).expect("room");
    streams.finish(stream).expect("open");
    run.world.run_until(to + Duration::from_secs(5));
    let left = run.host(a).peek_streams(id).map(|streams| streams.is_idle());
    assert_eq!(left, Some(true), "400 kB take far less than five seconds");
}

#[test]
fn a_host_whose_own_address_changes_again_and_again_in_an_outage_is_heard_after_it() {
    let mut setting = Setting::new(8);
    setting.sizes = vec![100_000];
    let mut run = setting.start();
    // The REPLY has arrived, and nothing else.
    run.world.run_until(Instant::from_millis(51));
    run.world.outage(run.link, Instant::from_millis(52), Instant::from_secs(8));
    let mut old: IpAddr = A;
    for (i, at_ms) in (60..6_000).step_by(500).enumerate() {
        run.world.run_until(Instant::from_millis(at_ms));
        let new: IpAddr = format!("10.0.0.{}", 100 + i).parse().expect("an address");
        run.world.change_address(run.a, old, Some(new));
        old = new;
    }
    let took = run.finish(LIMIT);
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn a_receiver_whose_nat_forgets_it_while_it_only_waits_is_found_again() {
    for seed in 0..5 {
        let mut setting = Setting::new(40 + seed);
        // A link so slow that nothing but data is under way, and the NAT forgets between two acknowledgments.
        setting.sizes = vec![20_000_000];
        let mut run = setting.start();
        run.world.run_until(Instant::from_millis(1_000 + 7 * seed));
        run.world.rebind(run.a, A, (A, 40_001).into());
        // What is on its way to the old address is lost, and the client has nothing to say.
        run.world.run_until(Instant::from_millis(1_400));
        run.world.rebind(run.a, A, (A, 40_002).into());
        let took = run.finish(LIMIT);
        assert!(took < Duration::from_secs(40), "seed {seed}: {took:?}");
    }
}

#[test]
fn a_client_that_only_waits_behind_a_nat_that_has_forgotten_it_is_reached_again_before_it_goes_idle() {
    let mut setting = Setting::new(50);
    setting.client.keep.time = Some(Duration::ZERO);
    setting.server.keep.time = Some(Duration::ZERO);
    let mut run = setting.start();
    run.finish(LIMIT);
    let (a, b, id) = (run.a, run.b, run.client().connection.expect("connected"));
    // A stream that both ends leave open.
    let streams = run.host(a).streams(id).expect("there");
    let stream = streams.open(crate::apps::SERVICE.0, crate::apps::SERVICE.1).expect("credit");
    streams.write(stream, &[0]).expect("room");
    let now = run.world.now();
    run.world.run_until(now + Duration::from_secs(1));
    run.world.rebind(a, A, (A, 40_001).into());
    run.world.run_until(now + Duration::from_secs(120));
    assert_eq!(run.client().ended(), None);
    let there = run.host(b).connections().next().expect("still there");
    let remote = run.host(b).remote_address(there);
    assert_eq!(remote, Some((A, 40_001).into()), "the server knows the way back");
}

#[test]
fn tokens_of_ids_that_a_move_has_used_up_are_forgotten() {
    let mut setting = Setting::new(5);
    setting.sizes = vec![8_000_000];
    let mut run = setting.start();
    let mut old = A;
    for at in 1..=6 {
        run.world.run_until(Instant::from_millis(at * 300));
        let new: IpAddr = ([10, 0, 1, at as u8]).into();
        run.world.change_address(run.a, old, Some(new));
        old = new;
    }
    run.finish(LIMIT);
    for id in [run.a, run.b] {
        let host = run.host(id);
        let held = host.accounting();
        assert_eq!(held, host.recount());
        assert!(held.reset_tokens <= 3, "a current id and two spares: {held:?}");
    }
    let idle = run.world.now() + Duration::from_secs(300);
    assert!(run.world.run_until_idle(idle));
    for id in [run.a, run.b] {
        let left = run.host(id).accounting();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn a_host_that_moves_when_its_peer_does_asks_for_a_channel_though_it_has_nothing_to_say() {
    let mut setting = Setting::new(6);
    setting.sizes = vec![1_000];
    // The channel ends before anybody has missed an answer often enough to doubt the path.
    setting.link = setting.link.delay(Duration::from_millis(700));
    setting.client.idle_timeout = Some(Duration::from_secs(5));
    let mut run = setting.start();
    run.finish(LIMIT);
    let [here, there]: [IpAddr; 2] = ["10.0.0.77", "10.0.0.78"].map(|text| text.parse().expect("an address"));
    run.world.change_address(run.a, A, Some(here));
    run.world.change_address(run.b, B, Some(there));
    let (now, host) = (run.world.now(), run.host(run.a));
    let id = host.connections().next().expect("a connection");
    host.reach(now, id, vec![(there, PORT).into()]);
    let back = run.world.wait_until(Instant::from_secs(45), |world| match &world.node(run.a).app {
        Side::Client(client) => client.has(|kind| matches!(kind, EventKind::PathAdded { .. })),
        Side::Server(_) => false,
    });
    assert!(back, "the server could never find it: {:?}", run.client().events);
}

/// Both hosts move while one looks for the other where it was, and then the one is told where to look.
#[test]
fn an_attempt_under_way_goes_where_the_peer_is_said_to_be() {
    let mut setting = Setting::new(7);
    setting.sizes = vec![1_000];
    // It would go on in vain for longer than anybody keeps the streams.
    setting.client.set_up_timeout = Duration::from_secs(600);
    let mut run = setting.start();
    run.finish(LIMIT);
    let [here, there]: [IpAddr; 2] = ["10.0.0.77", "10.0.0.78"].map(|text| text.parse().expect("an address"));
    run.world.change_address(run.a, A, Some(here));
    run.world.change_address(run.b, B, Some(there));
    run.world.run_until(Instant::from_secs(25));
    assert!(run.client().has(|kind| matches!(kind, EventKind::Condition { .. })), "it looks for the server by now");
    let (now, host) = (run.world.now(), run.host(run.a));
    let id = host.connections().next().expect("a connection");
    host.reach(now, id, vec![(there, PORT).into()]);
    let found = run.world.wait_until(Instant::from_secs(28), |world| match &world.node(run.a).app {
        Side::Client(client) => client.has(|kind| matches!(kind, EventKind::PathAdded { .. })),
        Side::Server(_) => false,
    });
    assert!(found, "it asks where nobody is: {:?}", run.client().events);
}

/// Both hosts move in the middle of a transfer, and only one is told where the other is: in either order it asks for a
/// channel there at once, though its old one has not yet missed an answer.
#[test]
fn a_host_that_has_moved_and_is_told_where_its_peer_is_doubts_the_old_path_at_once() {
    for (seed, told_first) in [(9, false), (10, true)] {
        let mut setting = Setting::new(seed);
        setting.sizes = vec![20_000_000];
        let mut run = setting.start();
        run.world.run_until(Instant::from_secs(1));
        let [here, there]: [IpAddr; 2] = ["10.0.0.77", "10.0.0.78"].map(|text| text.parse().expect("an address"));
        run.world.change_address(run.b, B, Some(there));
        for told in [told_first, !told_first] {
            if told {
                let (now, host) = (run.world.now(), run.host(run.a));
                let id = host.connections().next().expect("a connection");
                host.reach(now, id, vec![(there, PORT).into()]);
            } else {
                run.world.change_address(run.a, A, Some(here));
            }
        }
        let found = run.world.wait_until(Instant::from_millis(1_200), |world| match &world.node(run.a).app {
            Side::Client(client) => client.has(|kind| matches!(kind, EventKind::PathAdded { .. })),
            Side::Server(_) => false,
        });
        assert!(found, "told first {told_first}: {:?}", run.client().events);
        let took = run.finish(LIMIT);
        assert!(took < Duration::from_secs(5), "told first {told_first}: {took:?}");
    }
}

#[test]
fn a_host_that_moves_while_its_peer_stays_asks_for_no_further_channel() {
    let mut setting = Setting::new(11);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(1));
    run.world.change_address(run.a, A, Some("10.0.0.77".parse().expect("an address")));
    run.finish(LIMIT);
    assert!(!run.client().has(|kind| matches!(kind, EventKind::PathAdded { .. })), "{:?}", run.client().events);
}
