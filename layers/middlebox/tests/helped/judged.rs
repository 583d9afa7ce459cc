//! Helped paths judged by use: left when they bring less than the direct one, and not otherwise.

use core::time::Duration;

use tng_attack::Deed;
use tng_base::Instant;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Carrier, Loss};
use tng_stack::{CloseCause, EventKind, GUARD_FLOOR, Sign};

use crate::world::{Evil, Run, Setting};

const LIMIT: Duration = Duration::from_secs(120);

/// When one of the two ends left the helpers, and why.
pub fn left(run: &Run) -> Option<(Instant, Sign)> {
    let here = run.sender().app.events.iter().find_map(|(at, kind)| match kind {
        EventKind::PathLost { cause: CloseCause::Left(sign), .. } => Some((*at, *sign)),
        _ => None,
    });
    here.or_else(|| run.sink().app.left.first().copied())
}

/// Nobody has left anybody.
pub fn stays(run: &Run) -> bool {
    let change = |kind: &EventKind| {
        matches!(kind, EventKind::PathAdded { .. } | EventKind::PathLost { .. } | EventKind::Closed(_))
    };
    !run.sender().app.events.iter().any(|(_, kind)| change(kind)) && run.sink().app.ended.is_empty()
}

fn evil(seed: u64, len: u64, deeds: Vec<Deed>) -> Setting {
    let mut setting = Setting::new(seed, 1);
    setting.len = len;
    setting.rogues = vec![Evil { at: 0, deeds, from: Instant::ZERO }];
    for link in &mut setting.links {
        *link = link.clone().rate(20_000_000).queue(QueueConfig::DropTail(Limit::Bytes(50_000)));
    }
    setting
}

#[test]
fn whoever_acknowledges_and_drops_draws_an_initial_window_and_probes() {
    for seed in 0..4 {
        let mut run = evil(seed, 3_000_000, vec![Deed::AckAndDrop]).start();
        let (mut stats, mut bypassed) = (None, None);
        while run.sender().app.done_at.is_none() {
            let at = run.world.now() + Duration::from_millis(1);
            assert!(at < Instant::from_secs(10), "seed {seed}: {:?}", run.sender().app.events);
            run.world.run_until(at);
            let sender = run.sender();
            let paths = sender.app.connection.map(|id| sender.machine.paths(id)).unwrap_or_default();
            stats = paths.iter().find(|it| it.stats.helpers > 0).map(|it| it.stats).or(stats);
            if bypassed.is_none() && paths.iter().any(|it| it.stats.helpers == 0) {
                bypassed = Some((at, stats));
            }
        }
        // Not even while it is left.
        let stats = stats.expect("helped at first");
        let probes = stats.channel.probe_timeouts * 2 + 2;
        assert!(probes <= 10, "seed {seed}: {stats:?}");
        assert!(stats.channel.bytes_sent <= GUARD_FLOOR + probes * 1_200, "seed {seed}: {stats:?}");
        let (at, then) = bypassed.expect("it is left");
        let then = then.expect("helped at first");
        let since = at.since(Instant::from_millis(40));
        assert!(since <= then.pto * 4 + then.rtt * 4, "seed {seed}: {since:?}, {then:?}");
    }
}

/// Bytes that leave for a helper that acknowledges and drops from the start, in the first 150 ms.
fn drawn(seed: u64, trusted: bool) -> u64 {
    let mut setting = evil(seed, 3_000_000, vec![Deed::AckAndDrop]);
    setting.trusted = trusted;
    let mut run = setting.start();
    run.world.run_until(Instant::from_millis(150));
    let sender = run.sender();
    let paths = sender.app.connection.map(|id| sender.machine.paths(id)).unwrap_or_default();
    let helped = paths.iter().find(|path| path.stats.helpers > 0).expect("it is not left yet");
    helped.stats.channel.bytes_sent
}

#[test]
fn a_trusted_helper_that_acknowledges_and_drops_draws_more_than_the_guard_lets_go() {
    for seed in 0..4 {
        let (trusted, other) = (drawn(seed, true), drawn(seed, false));
        assert!(trusted > 3 * GUARD_FLOOR, "seed {seed}: {trusted}");
        assert!(other <= GUARD_FLOOR + 6 * 1_200, "control, seed {seed}: {other}");
    }
}

#[test]
fn a_detour_and_a_lossy_helper_are_left_for_the_direct_path() {
    let deeds =
        [(Deed::Delay(Duration::from_millis(120)), &[Sign::Delay][..]), (Deed::Drop(0.2), &[Sign::Loss, Sign::Silent])];
    for (seed, (deed, expected)) in (0..).zip(deeds) {
        let mut run = evil(seed, 60_000_000, vec![deed]).start();
        run.world.wait_until(Instant::from_secs(60), |world| crate::world::is_direct(world, run.a));
        let at = run.world.now();
        // What is on its way may still arrive before it is told.
        run.world.run_until(at + Duration::from_secs(4));
        let (_, sign) = left(&run).expect("it is worse in every way");
        assert!(expected.contains(&sign), "{sign:?}");
        assert!(at < Instant::from_secs(30), "{sign:?} after {at:?}");
        run.finish(LIMIT);
    }
}

/// Flows that lose 3 % honestly on a section, and that last long enough to be judged many times. Few of them:
/// tng/false-bypass counts more.
#[test]
fn honest_loss_is_no_reason_to_leave() {
    let seeds = std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(12);
    let mut wrong = Vec::new();
    for seed in 0..seeds {
        let mut setting = Setting::new(seed, 1);
        setting.len = 3_000_000;
        let at = seed as usize % 2;
        for link in &mut setting.links {
            *link = link.clone().rate(1_500_000);
        }
        setting.links[at] = setting.links[at].clone().loss(Loss::Independent(0.03));
        let mut run = setting.start();
        let took = run.finish(LIMIT);
        assert!(took > Duration::from_secs(16), "seed {seed}: {took:?} is too short to be judged");
        if !stays(&run) {
            wrong.push((seed, run.sender().app.events.clone()));
        }
    }
    println!("{} of {seeds} flows left their helper", wrong.len());
    assert!(wrong.len() as u64 * 100 <= seeds, "{} of {seeds}: {wrong:?}", wrong.len());
}

/// The control: a helper that loses far more is left in flows of the same kind.
#[test]
fn losses_of_a_helper_are_a_reason_in_flows_of_the_same_kind() {
    let mut setting = evil(0, 3_000_000, vec![Deed::Drop(0.2)]);
    for link in &mut setting.links {
        *link = link.clone().rate(1_500_000);
    }
    let mut run = setting.start();
    run.finish(LIMIT);
    assert!(left(&run).is_some(), "{:?}", run.sender().app.events);
}

#[test]
fn a_far_section_that_is_blocked_for_half_a_minute_ends_nothing() {
    for seed in 0..2 {
        let mut setting = Setting::new(seed, 3);
        setting.len = 12_000_000;
        for link in &mut setting.links {
            *link = link.clone().rate(20_000_000);
        }
        let mut run = setting.start();
        let (from, to) = (Instant::from_secs(2), Instant::from_secs(32));
        run.world.outage(run.links[3], from, to);
        let took = run.finish(LIMIT);
        assert!(took > Duration::from_secs(32) && took < Duration::from_secs(50), "seed {seed}: {took:?}");
        assert!(stays(&run), "seed {seed}: {:?}", run.sender().app.events);
        for at in 0..3 {
            assert_eq!(run.helper(at).stats().joins, 1, "seed {seed}");
        }
    }
}

#[test]
fn a_far_link_that_held_for_half_a_minute_carries_at_its_rate_again_within_a_second() {
    for (seed, rate) in [(0, 20_000_000), (1, 5_000_000)] {
        let mut setting = Setting::new(seed, 3);
        setting.len = 1_000_000_000;
        for link in &mut setting.links {
            *link = link.clone().rate(rate);
        }
        for host in [&mut setting.client, &mut setting.server] {
            (host.idle_timeout, host.path_failed_after) = (Some(Duration::from_secs(60)), Duration::from_secs(60));
        }
        let mut run = setting.start();
        let lanes = run.links[3].lanes();
        run.world.run_until(Instant::from_secs(5));
        lanes.into_iter().for_each(|lane| run.world.set_carrier(lane, Carrier::Holds));
        run.world.run_until(Instant::from_secs(35));
        let before = run.received();
        lanes.into_iter().for_each(|lane| run.world.set_carrier(lane, Carrier::Up));
        run.world.run_until(Instant::from_millis(35_050));
        assert!(run.received() > before, "seed {seed}: what was held goes on at once");
        run.world.run_until(Instant::from_secs(36));
        let before = run.received();
        run.world.run_until(Instant::from_secs(40));
        let share = (run.received() - before) as f64 * 8.0 / (rate * 4) as f64;
        assert!(share > 0.85, "seed {seed}: {share:.2} of the rate");
        run.world.run_until(Instant::from_secs(60));
        assert!(stays(&run), "seed {seed}: {:?}", run.sender().app.events);
    }
}

#[test]
fn who_is_not_to_judge_sets_up_no_alternative_and_goes_on_when_the_helper_fails() {
    let mut setting = Setting::new(3, 1);
    setting.client.judge = None;
    setting.len = 8_000_000;
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(1));
    run.world.stop(run.helpers[0]);
    run.finish(LIMIT);
    assert_eq!(run.sender().machine.accounting().channels, 1, "no other was ever asked for but the one that it has");
}

/// The control of the tests above: where nobody judges, a detour is kept.
#[test]
fn without_a_judge_nobody_leaves_a_detour() {
    let mut setting = evil(0, 60_000_000, vec![Deed::Delay(Duration::from_millis(120))]);
    (setting.client.judge, setting.server.judge) = (None, None);
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(16));
    assert!(stays(&run), "{:?}", run.sender().app.events);
}
