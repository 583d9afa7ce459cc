//! Connecting.

use core::time::Duration;

use tng_base::Instant;
use tng_sim::{Link, Loss};
use tng_stack::structured::{FirstData, ServiceOptions};
use tng_stack::{Access, CloseCause, ConnectError, EventKind, Identity, ListedTicket, TicketId, Tickets};

use crate::world::Setting;

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn a_block_arrives_whole_over_a_clean_path() {
    let mut run = Setting::new(1).start();
    run.finish(LIMIT);
    assert!(run.client().has(|kind| *kind == EventKind::Connected));
}

#[test]
fn a_replay_safe_request_is_answered_in_one_round_trip() {
    let mut setting = Setting::new(2);
    setting.sizes = vec![500];
    setting.service = ServiceOptions { first_data: FirstData::Unproven, ..ServiceOptions::default() };
    let mut run = setting.start();
    let took = run.finish(LIMIT);
    assert!(took < Duration::from_millis(51), "one round trip of 50 ms, took {took:?}");
    assert_eq!(run.server().early, 1, "marked as early");
}

#[test]
fn an_idle_timeout_beyond_what_can_be_said_is_said_as_the_longest() {
    let mut setting = Setting::new(20);
    setting.client.idle_timeout = Some(Duration::MAX);
    setting.start().finish(LIMIT);
}

#[test]
fn an_ordinary_request_is_held_until_the_initiator_is_confirmed() {
    let mut setting = Setting::new(3);
    setting.sizes = vec![500];
    let mut run = setting.start();
    let took = run.finish(LIMIT);
    assert!(took > Duration::from_millis(99) && took < Duration::from_millis(102), "two round trips, took {took:?}");
    assert_eq!(run.server().early, 0);
}

#[test]
fn a_wrong_key_names_both_keys() {
    let setting = Setting::new(4);
    let mut target = setting.target();
    target.eid = setting.client_eid();
    let seen = setting.server_identity().eid();
    let expected = target.eid;
    let mut run = setting.start_towards(target);
    let ended = run.world.wait_until(Instant::from_secs(20), |_| false);
    assert!(!ended);
    assert_eq!(run.client().ended(), Some(&EventKind::ConnectFailed(ConnectError::WrongPeer { expected, seen })));
}

#[test]
fn access_is_enforced() {
    let mut setting = Setting::new(5);
    setting.server.access = Access::Capability(b"sesame".to_vec());
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(2));
    let refused = |kind: &EventKind| matches!(kind, EventKind::ConnectFailed(ConnectError::Refused { code: 2, .. }));
    assert!(run.client().has(refused), "{:?}", run.client().events);

    let mut setting = Setting::new(6);
    setting.server.access = Access::Capability(b"sesame".to_vec());
    let mut target = setting.target();
    target.capability = Some(b"sesame".to_vec());
    setting.start_towards(target).finish(LIMIT);
}

#[test]
fn tickets_open_until_they_expire_and_then_show_their_holders_out() {
    let id = TicketId(5);
    let mut tickets = Tickets::new(&Identity::from_seed([9; 32]), b"door");
    for expires_s in [None, Some(100)] {
        tickets.list(id, ListedTicket { generation: 1, expires_s });
        let mut setting = Setting::new(7);
        setting.server.access = Access::Tickets(tickets.clone());
        setting.sizes = vec![50_000_000];
        let mut target = setting.target();
        target.capability = tickets.capability(id);
        let mut run = setting.start_towards(target);
        run.world.run_until(Instant::from_secs(2));
        let (server, now) = (run.b, run.world.now());
        let expired = run.host(server).tell_time(now, 100);
        assert_eq!(expired, expires_s.is_some(), "control: one without an end does not");
        run.world.run_until(Instant::from_secs(3));
        let closed = |kind: &EventKind| match kind {
            EventKind::Closed(CloseCause::Peer { code: 7, reason }) => reason.exact().contains("expired"),
            _ => false,
        };
        assert_eq!(run.client().has(closed), expires_s.is_some(), "{:?}", run.client().events);
    }
}

#[test]
fn an_init_lost_is_sent_again_and_a_reply_lost_is_repeated() {
    for init in [true, false] {
        let mut setting = Setting::new(8);
        setting.sizes = vec![500];
        let mut run = setting.start();
        let lane = if init { run.link.forth() } else { run.link.back() };
        run.world.change(lane, |link| link.loss = Loss::numbers([0]));
        let took = run.finish(LIMIT);
        assert!(took > Duration::from_secs(1) && took < Duration::from_millis(1_200), "INIT lost {init}: {took:?}");
    }
}

#[test]
fn nobody_at_the_address_ends_in_a_timeout() {
    let setting = Setting::new(9);
    let mut target = setting.target();
    target.addresses = vec!["10.9.9.9:4860".parse().expect("an address")];
    let mut run = setting.start_towards(target);
    run.world.run_until(Instant::from_secs(11));
    assert_eq!(run.client().ended(), Some(&EventKind::ConnectFailed(ConnectError::TimedOut)));
}

#[test]
fn addresses_are_raced_and_a_dead_one_costs_a_quarter_of_a_second() {
    let setting = Setting::new(10);
    let mut target = setting.target();
    target.addresses.insert(0, "10.9.9.9:4860".parse().expect("an address"));
    let mut run = setting.start_towards(target);
    run.world.run_until(Instant::from_secs(2));
    let connected = run.client().events.iter().find(|(_, event)| event.kind == EventKind::Connected);
    let (at, _) = connected.expect("connected");
    assert_eq!(at.as_nanos() / 1_000_000, 300, "250 ms head start and one round trip of 50 ms");
}

#[test]
fn an_unknown_service_is_refused_with_a_reason() {
    let setting = Setting::new(11);
    let mut run = setting.start();
    run.world.node_mut(run.b).machine =
        tng_stack::Host::new(run.setting.server.clone(), run.setting.server_identity(), [3; 32]);
    run.world.run_until(Instant::from_secs(2));
    assert_eq!(run.client().failed.len(), 1, "{:?}", run.client().events);
    assert!(run.client().failed[0].contains("service"), "{:?}", run.client().failed);
}

#[test]
fn a_refusal_by_the_application_reaches_the_caller_with_its_reason() {
    let mut setting = Setting::new(12);
    setting.server.auto_accept = false;
    let mut run = setting.start();
    run.world.run_until(Instant::from_millis(30));
    let incoming = run.server().events.first().map(|event| (event.connection, event.kind.clone()));
    let Some((id, EventKind::Incoming { eid, .. })) = incoming else { panic!("{incoming:?}") };
    assert_eq!(eid, run.setting.client_eid());
    run.host(run.b).refuse(id, "closed on Sundays");
    run.world.run_until(Instant::from_secs(2));
    let expected = ConnectError::Refused { code: 6, reason: "closed on Sundays".into() };
    assert_eq!(run.client().ended(), Some(&EventKind::ConnectFailed(expected)));
}

#[test]
fn above_the_threshold_a_stranger_needs_a_cookie_and_an_honest_one_gets_in() {
    let mut setting = Setting::new(13);
    setting.server.cookie_above = 0;
    setting.sizes = vec![500];
    let mut run = setting.start();
    let took = run.finish(LIMIT);
    assert!(took > Duration::from_millis(149) && took < Duration::from_millis(160), "one more round trip: {took:?}");
}

#[test]
fn both_ends_go_idle_and_forget_each_other_after_the_idle_timeout() {
    let mut run = Setting::new(14).start();
    run.finish(LIMIT);
    assert!(run.world.run_until_idle(Instant::from_secs(120)), "nothing may be left to do");
    for id in [run.a, run.b] {
        assert!(run.host(id).is_empty());
    }
    assert!(run.client().has(|kind| *kind == EventKind::Closed(CloseCause::Idle)));
}

/// On this path a large packet takes longer than its acknowledgment is waited for, so no search ends with the largest
/// size.
#[test]
fn the_search_for_larger_packets_keeps_no_channel_awake() {
    let mut setting = Setting::new(25);
    setting.sizes = vec![1_000];
    setting.link = Link::new().rate(100_000).delay(Duration::from_millis(10));
    setting.link.mtu = 9_000;
    for config in [&mut setting.client, &mut setting.server] {
        (config.mtu.payload_max, config.mtu.raise_interval) = (8_972, Duration::from_secs(5));
    }
    let mut run = setting.start();
    run.finish(LIMIT);
    run.world.run_until(Instant::from_secs(120));
    for id in [run.a, run.b] {
        assert_eq!(run.host(id).connections().count(), 0, "there is nothing to say, however large");
    }
}

#[test]
fn what_is_sent_shortly_before_the_idle_timeout_still_has_the_time_to_be_answered() {
    for after_ms in (29_800..30_200).step_by(20) {
        let mut run = Setting::new(21).start();
        run.finish(LIMIT);
        let (a, id) = (run.a, run.client().connection.expect("connected"));
        run.world.run_until(run.world.now() + Duration::from_millis(after_ms));
        let Some(streams) = run.host(a).streams(id) else { continue };
        let Ok(stream) = streams.open(crate::apps::SERVICE.0, crate::apps::SERVICE.1) else { continue };
        streams.write(stream, &8u64.to_be_bytes()).expect("room");
        streams.finish(stream).expect("open");
        run.world.run_until(run.world.now() + Duration::from_secs(1));
        // The peer may have gone a moment earlier.
        let ended = run.client().ended();
        assert_ne!(ended, Some(&EventKind::Closed(CloseCause::Idle)), "a request after {after_ms} ms");
    }
}

#[test]
fn keep_alive_outlives_the_idle_timeout() {
    let mut setting = Setting::new(15);
    setting.client.keep_alive = Some(Duration::from_secs(10));
    let mut run = setting.start();
    run.finish(LIMIT);
    run.world.run_until(Instant::from_secs(300));
    assert_eq!(run.client().ended(), None);
}

#[test]
fn a_close_carries_its_code_and_reason() {
    let mut run = Setting::new(16).start();
    run.finish(LIMIT);
    let now = run.world.now();
    let id = run.client().connection.expect("connected");
    run.host(run.a).close(now, id, 77, "enough");
    run.world.run_until(now + Duration::from_secs(1));
    let closed = EventKind::Closed(CloseCause::Peer { code: 77, reason: "enough".into() });
    assert!(run.server().events.iter().any(|event| event.kind == closed), "{:?}", run.server().events);
}

#[test]
fn a_restarted_server_resets_what_it_no_longer_knows() {
    let mut setting = Setting::new(17);
    // A receiver with nothing to say would find out by the idle timeout only.
    setting.client.keep_alive = Some(Duration::from_secs(1));
    setting.sizes = vec![50_000_000];
    let mut run = setting.start();
    run.world.run_until(Instant::from_millis(500));
    run.world.stop(run.b);
    run.world.run_until(Instant::from_secs(2));
    let fresh = run.setting.server_node(1);
    run.world.start(run.b, fresh);
    run.world.run_until(Instant::from_secs(8));
    assert_eq!(run.client().ended(), Some(&EventKind::Closed(CloseCause::Reset)));
}

#[test]
fn the_same_seed_gives_the_same_digest_and_another_seed_another() {
    let digest = |seed| {
        let mut setting = Setting::new(seed);
        setting.link = setting.link.loss(Loss::Independent(0.02));
        let mut run = setting.start();
        run.world.record_digest();
        run.finish(LIMIT);
        run.world.digest().expect("recorded")
    };
    assert_eq!(digest(18), digest(18));
    assert_ne!(digest(18), digest(19));
}

#[test]
fn weak_mode_needs_both_configurations() {
    for (client, server) in [(true, true), (true, false), (false, true)] {
        let mut setting = Setting::new(20);
        (setting.client.danger_weak, setting.server.danger_weak) = (client, server);
        let mut run = setting.start();
        let (a, link) = (run.a, run.link);
        let _ = a;
        let readable = std::rc::Rc::new(core::cell::Cell::new(false));
        let seen = readable.clone();
        run.world.intercept(link.back(), move |_, packet| {
            let pattern: Vec<u8> = (1_000..1_032).map(|offset| crate::apps::pattern(100_000, offset)).collect();
            seen.set(seen.get() || packet.payload.windows(32).any(|window| window == pattern));
            true
        });
        run.finish(LIMIT);
        assert_eq!(readable.get(), client && server, "client {client}, server {server}");
    }
}
