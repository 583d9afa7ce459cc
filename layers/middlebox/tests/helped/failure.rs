//! Helpers that fail, and hosts that move: nothing is lost.

use core::net::IpAddr;
use core::time::Duration;

use tng_base::{Instant, PathCondition};
use tng_congestion::Choice;
use tng_queue::{Limit, QueueConfig};
use tng_sim::topology::{A, B};
use tng_stack::{CloseCause, EventKind, RETURN_SOON, Sign};

use crate::world::{Run, Setting};

const LIMIT: Duration = Duration::from_secs(60);

fn long(seed: u64, helpers: usize) -> Setting {
    let mut setting = Setting::new(seed, helpers);
    setting.len = 8_000_000;
    for link in &mut setting.links {
        *link = link.clone().rate(20_000_000);
    }
    setting
}

fn left(run: &Run, sign: Sign) -> bool {
    let gone =
        |kind: &EventKind| matches!(kind, EventKind::PathLost { cause: CloseCause::Left(why), .. } if *why == sign);
    run.sender().app.events.iter().any(|(_, kind)| gone(kind))
}

/// The client's paths, by how many helpers they have.
fn paths(run: &Run) -> Vec<usize> {
    let sender = run.sender();
    let connection = sender.app.connection.expect("connected");
    sender.machine.paths(connection).iter().map(|path| path.stats.helpers).collect()
}

/// Three probe timeouts and four round trips from end to end.
fn bound(run: &Run) -> Duration {
    let sender = run.sender();
    let stats = sender.machine.stats(sender.app.connection.expect("connected")).expect("up");
    stats.pto * 3 + stats.rtt * 4
}

/// Nothing arrived for so long, at most.
fn gap(run: &mut Run, from: Instant) -> Duration {
    let before = run.received();
    let b = run.b;
    let resumed = run.world.wait_until(from + LIMIT, |world| crate::world::received(world, b) > before);
    assert!(resumed, "seed {}: {:?}", run.setting.seed, run.sender().app.events);
    run.world.now().since(from)
}

#[test]
fn a_helper_that_is_killed_in_the_middle_is_done_without() {
    for seed in 0..4 {
        let mut run = long(seed, 1).start();
        let kill_at = Instant::from_millis(1_500 + 170 * seed);
        run.world.run_until(kill_at);
        assert_eq!(paths(&run), [1]);
        let bound = bound(&run);
        run.world.stop(run.helpers[0]);
        run.world.run_until(kill_at + Duration::from_millis(30));
        let gap = gap(&mut run, kill_at);
        assert!(gap < bound, "seed {seed}: {gap:?} of {bound:?}");
        run.finish(LIMIT);
        assert_eq!(paths(&run), [0], "seed {seed}");
        let sender = run.sender();
        let told = sender.machine.last_gap(sender.app.connection.expect("connected")).expect("the path has changed");
        assert!(told >= gap / 2 && told < bound, "seed {seed}: {told:?}, and it was {gap:?} at the other end");
        assert!(left(&run, Sign::Silent), "seed {seed}: {:?}", run.sender().app.events);
    }
}

/// Whichever end has the outage, and whether there is much to say or little; the way back is none.
#[test]
fn the_last_gap_is_that_of_the_outage_though_the_path_goes_back_to_the_helper_since() {
    let little = Some(Duration::from_millis(100));
    for (seed, every, len, reply) in [
        (0, [None, None], 40_000_000, 100),
        (1, [None, None], 1_000, 40_000_000),
        (2, [little, None], 100_000, 100),
        (3, [None, little], 100, 100_000),
    ] {
        let mut setting = long(seed, 1);
        (setting.every, setting.len, setting.reply) = (every, len, reply);
        for link in &mut setting.links {
            *link = link.clone().queue(QueueConfig::DropTail(Limit::Bytes(125_000)));
        }
        let mut run = setting.start();
        let gap = |run: &Run| {
            let sender = run.sender();
            sender.machine.last_gap(sender.app.connection.expect("connected"))
        };
        let at = Instant::from_millis(1_500 + 37 * seed);
        run.world.run_until(at);
        assert_eq!((paths(&run), gap(&run)), (vec![1], None), "seed {seed}: nothing has happened");
        // Who says little notices later.
        let bound = if every == [None, None] { bound(&run) } else { Duration::from_secs(1) };
        run.world.stop(run.helpers[0]);
        run.world.run_until(at + Duration::from_secs(1));
        let outage = gap(&run).unwrap_or_else(|| panic!("seed {seed}: {:?}", run.sender().app.events));
        let least = Duration::from_millis(if reply > 10_000 { 20 } else { 60 });
        assert!(outage > least && outage < bound, "seed {seed}: {outage:?} of {bound:?}");
        run.restart(0);
        run.world.run_until(at + Duration::from_millis(2_500));
        let back = |(when, kind): &(Instant, EventKind)| *when > at && matches!(kind, EventKind::Helped { .. });
        assert!(run.sender().app.events.iter().any(back), "seed {seed}: {:?}", run.sender().app.events);
        assert_eq!(gap(&run), Some(outage), "seed {seed}: it cost nothing to go back");
    }
}

#[test]
fn a_helper_that_has_forgotten_says_so_and_the_streams_go_on_at_once() {
    for seed in 0..4 {
        let mut run = long(seed, 2).start();
        let at = Instant::from_millis(1_500);
        run.world.run_until(at);
        run.restart(seed as usize % 2);
        let gap = gap(&mut run, at);
        assert!(gap < Duration::from_millis(400), "seed {seed}: {gap:?}");
        run.finish(LIMIT);
        assert!(left(&run, Sign::Gone), "seed {seed}: {:?}", run.sender().app.events);
        let away = run.sender().app.events.iter().any(|(_, kind)| matches!(kind, EventKind::Closed(_)));
        assert!(!away && run.sink().app.ended.is_empty());
    }
}

#[test]
fn both_helpers_killed_in_the_middle_cost_no_byte() {
    for (seed, at_ms) in [(0, 200), (1, 700), (2, 2_300)] {
        let mut run = long(seed, 2).start();
        run.world.run_until(Instant::from_millis(at_ms));
        run.world.stop(run.helpers[0]);
        run.world.stop(run.helpers[1]);
        let took = run.finish(LIMIT);
        assert!(took < Duration::from_secs(12), "seed {seed}: {took:?}");
    }
}

#[test]
fn a_download_survives_its_helpers_as_well() {
    for seed in 0..3 {
        let mut setting = long(seed, 2);
        setting.reply = 10_000_000;
        setting.len = 1_000;
        let mut run = setting.start();
        run.world.run_until(Instant::from_millis(1_400));
        run.world.stop(run.helpers[seed as usize % 2]);
        let took = run.finish(LIMIT);
        assert!(took < Duration::from_secs(10), "seed {seed}: {took:?}");
    }
}

#[test]
fn a_path_that_was_left_is_taken_again_when_its_time_has_come() {
    let mut setting = long(5, 1);
    setting.len = 12_000_000;
    for link in &mut setting.links {
        *link = link.clone().rate(2_000_000).queue(QueueConfig::DropTail(Limit::Bytes(40_000)));
    }
    let mut run = setting.start();
    let at = Instant::from_millis(2_000);
    run.world.run_until(at);
    run.restart(0);
    run.world.run_until(at + RETURN_SOON);
    assert_eq!(paths(&run), [0]);
    run.finish(LIMIT);
    assert_eq!(paths(&run), [1], "{:?}", run.sender().app.events);
    let back = |kind: &EventKind| matches!(kind, EventKind::PathAdded { remote, .. } if remote.ip() != B);
    let back = run.sender().app.events.iter().find(|(_, kind)| back(kind)).expect("helped again").0;
    assert!(back.since(at) >= RETURN_SOON && back.since(at) < RETURN_SOON + Duration::from_secs(1), "{back:?}");
}

/// The capability ends in the middle: with a fresh one the flow under way goes on, and later ones can be had.
#[test]
fn a_fresh_capability_serves_flows_under_way_and_later_ones() {
    for renewed in [true, false] {
        let mut setting = long(8, 2);
        setting.life = Duration::from_secs(2);
        setting.client.judge = None;
        let mut run = setting.start();
        run.world.run_until(Instant::from_millis(1_000));
        if renewed {
            assert_eq!(run.renew_all(), [1, 1]);
        }
        run.world.run_until(Instant::from_millis(2_500));
        assert_eq!(paths(&run) == [2], renewed, "{:?}", run.sender().app.events);
        let new: IpAddr = "10.0.0.77".parse().expect("an address");
        run.world.change_address(run.a, A, Some(new));
        run.finish(LIMIT);
        let joins = run.helper(1).stats().joins;
        assert_eq!(joins, if renewed { 2 } else { 1 }, "{:?}", run.sender().app.events);
    }
}

#[test]
fn a_client_that_moves_takes_its_helpers_along() {
    for seed in 0..3 {
        let mut run = long(seed, 2).start();
        let at = Instant::from_millis(1_500);
        run.world.run_until(at);
        let new: IpAddr = "10.0.0.77".parse().expect("an address");
        run.world.change_address(run.a, A, Some(new));
        // What is under way from the old address still arrives.
        run.world.run_until(at + Duration::from_millis(40));
        let gap = gap(&mut run, at);
        assert!(gap < Duration::from_millis(400), "seed {seed}: {gap:?}");
        run.world.run_until(at + Duration::from_secs(5));
        assert_eq!(paths(&run), [2], "seed {seed}: {:?}", run.sender().app.events);
        run.finish(LIMIT);
        assert_eq!(run.helper(0).stats().joins, 2, "a fresh flow");
    }
}

/// Longest time in which nothing new arrives from when the client has a further address until the old one is gone.
fn gap_with_notice(run: &mut Run, notice: Duration) -> Duration {
    let at = Instant::from_millis(1_500);
    run.world.run_until(at);
    let new: IpAddr = "10.0.0.77".parse().expect("an address");
    run.world.bring_address(run.a, new);
    let (mut longest, mut last) = (Duration::ZERO, (run.received(), at));
    let mut now = at;
    while now < at + notice + Duration::from_millis(300) {
        now += Duration::from_millis(1);
        if now == at + notice {
            run.world.change_address(run.a, A, None);
        }
        run.world.run_until(now);
        if run.received() > last.0 {
            last = (run.received(), now);
        }
        longest = longest.max(now.since(last.1));
    }
    longest
}

#[test]
fn a_client_that_knows_its_new_address_before_the_old_one_goes_leaves_no_gap() {
    let mut run = long(7, 2).start();
    let longest = gap_with_notice(&mut run, Duration::from_millis(300));
    assert!(longest <= Duration::from_millis(3), "{longest:?}");
    run.finish(LIMIT);
    assert_eq!(paths(&run).last(), Some(&2), "{:?}", run.sender().app.events);
    assert_eq!(run.helper(0).stats().joins, 2, "a fresh flow");
}

/// The old flow is used on until the new one has found its pace on the whole of its way, and no longer than it takes.
#[test]
fn behind_a_slow_link_neither_the_first_helper_nor_those_behind_it_leave_a_gap() {
    for (helpers, seed) in (0..12).map(|seed| (1 + seed as usize % 2, seed)) {
        let mut setting = long(seed, helpers);
        setting.len = 6_000_000;
        for (at, link) in setting.links.iter_mut().enumerate() {
            let rate = if at == 0 { 10_000_000 } else { 100_000_000 };
            *link = link.clone().rate(rate).queue(QueueConfig::DropTail(Limit::Bytes(62_500)));
        }
        let vegas: Choice = "vegas".parse().expect("a controller");
        for helper in &mut setting.helpers {
            helper.elsewhere.controller = "vegas".parse().expect("a controller of sections");
        }
        for host in [&mut setting.client, &mut setting.server] {
            host.controller = vegas.clone();
        }
        let mut run = setting.start();
        let longest = gap_with_notice(&mut run, Duration::from_secs(2));
        assert!(longest <= Duration::from_millis(10), "{helpers} helpers, seed {seed}: {longest:?}");
    }
}

/// Helpers may say that they hold packets as long as they like: in the end another channel is asked for all the same.
#[test]
fn a_path_that_is_blocked_for_ever_fails_in_the_end() {
    let mut setting = long(9, 1);
    setting.client.judge = None;
    setting.len = 30_000_000;
    let mut run = setting.start();
    run.world.outage(run.links[1], Instant::from_secs(2), Instant::from_secs(600));
    let failed = |run: &Run| {
        let failed = |kind: &EventKind| matches!(kind, EventKind::Condition { condition: PathCondition::Failed, .. });
        run.sender().app.events.iter().any(|(_, kind)| failed(kind))
    };
    run.world.run_until(Instant::from_secs(60));
    assert!(!failed(&run), "{:?}", run.sender().app.events);
    run.world.run_until(Instant::from_secs(100));
    assert!(failed(&run), "{:?}", run.sender().app.events);
}

/// A helper that dies and is started again after a second is used again soon, by a host with default settings.
#[test]
fn a_helper_that_is_started_again_is_used_again_within_two_seconds_of_its_death() {
    for seed in 0..5 {
        let mut setting = long(seed, 1);
        for link in &mut setting.links {
            *link = link.clone().queue(QueueConfig::DropTail(Limit::Bytes(125_000)));
        }
        let mut run = setting.start();
        let at = Instant::from_millis(1_500 + 37 * seed);
        run.world.run_until(at);
        run.world.stop(run.helpers[0]);
        run.world.run_until(at + Duration::from_secs(1));
        run.restart(0);
        run.world.run_until(at + Duration::from_secs(2));
        let back = |(when, kind): &&(Instant, EventKind)| {
            *when > at && matches!(kind, EventKind::PathAdded { remote, .. } if remote.ip() != B)
        };
        assert!(run.sender().app.events.iter().find(back).is_some(), "seed {seed}: {:?}", run.sender().app.events);
        run.finish(LIMIT);
    }
}

/// One end has a few bytes to send now and then, whichever it is, and there may be a direct channel beside the helped
/// one when the helper dies, or none yet.
#[test]
fn with_little_to_say_a_helper_that_is_started_again_is_used_again_soon_whoever_notices_its_death() {
    let little = Some(Duration::from_millis(100));
    // On a far path the peer answers later than helpers may be asked again.
    let delays = [1, 10, 90];
    for (kill_ms, delay_ms) in [300, 700, 2_500].into_iter().flat_map(|ms| delays.map(|delay| (ms, delay))) {
        for (every, len, reply) in [([little, None], 20_000, 100), ([None, little], 100, 20_000)] {
            let mut setting = Setting::new(kill_ms ^ delay_ms, 1);
            (setting.every, setting.len, setting.reply) = (every, len, reply);
            for link in &mut setting.links {
                *link = link.clone().delay(Duration::from_millis(delay_ms));
            }
            let mut run = setting.start();
            let at = Instant::from_millis(kill_ms + 8 * delay_ms);
            run.world.run_until(at);
            assert_eq!(paths(&run), [1], "killed at {at:?}, {delay_ms} ms");
            run.world.stop(run.helpers[0]);
            run.world.run_until(at + Duration::from_millis(900));
            run.restart(0);
            run.world.run_until(at + Duration::from_millis(2_500));
            let events = &run.sender().app.events;
            let helped = events.iter().any(|(when, kind)| *when > at && matches!(kind, EventKind::Helped { .. }));
            assert!(helped, "killed at {at:?}, {delay_ms} ms, {every:?}: {events:?}");
            run.finish(LIMIT);
        }
    }
}

/// The end that sends learns first that the helper has forgotten its flow, and leaves; the other hears only that it
/// does, and knows the way.
#[test]
fn a_helper_that_is_started_again_at_once_is_used_again_soon_by_who_only_receives() {
    for (seed, kill_ms) in [(0, 700), (1, 1_240), (2, 1_900), (3, 3_000)] {
        let mut setting = long(seed, 1);
        (setting.len, setting.reply) = (1_000, 20_000_000);
        let mut run = setting.start();
        let at = Instant::from_millis(kill_ms);
        run.world.run_until(at);
        run.world.stop(run.helpers[0]);
        run.world.run_until(at + Duration::from_millis(40));
        run.restart(0);
        run.world.run_until(at + Duration::from_millis(2_500));
        let events = &run.sender().app.events;
        let helped = events.iter().any(|(when, kind)| *when > at && matches!(kind, EventKind::Helped { .. }));
        assert!(helped, "seed {seed}: {events:?}");
        assert!(left(&run, Sign::Silent) || left(&run, Sign::Gone), "seed {seed}: {events:?}");
        run.finish(LIMIT);
    }
}
