use super::*;

fn at_ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

const PTO: Duration = Duration::from_millis(100);

fn busy() -> Helped {
    let rtt = Duration::from_millis(60);
    Helped {
        acked: 1_000,
        heard: 7,
        asked: 50,
        outstanding: 0,
        lost: 0,
        rtt,
        pto: PTO,
        waiting_since: None,
        held: false,
    }
}

fn answers(at: Instant) -> Alternative {
    let rtt = Duration::from_millis(50);
    Alternative { answered_at: at, waiting_since: None, pto: PTO, rtt, asked: 10, lost: 0 }
}

fn judge() -> PathMonitor {
    let mut judge = PathMonitor::new(at_ms(0), &PathMonitorConfig::default(), &Helped { acked: 0, ..busy() });
    judge.note_good_alternative();
    // It has lost nothing of many.
    judge.losses.counted = (10_000.0, 0.0);
    judge
}

/// Looks every 10 ms, with what `path` and `alternative` are then; answers when it leaves, and why.
fn leaves(
    judge: &mut PathMonitor,
    ms: core::ops::Range<u64>,
    mut path: impl FnMut(u64) -> Helped,
    mut alternative: impl FnMut(u64) -> Option<Alternative>,
) -> Option<(u64, Sign)> {
    ms.step_by(10).find_map(|ms| match judge.look(at_ms(ms), &path(ms), alternative(ms).as_ref()) {
        Verdict::Leave(sign) => Some((ms, sign)),
        _ => None,
    })
}

#[test]
fn a_path_that_is_silent_for_three_probe_timeouts_is_left() {
    let mut judge = judge();
    judge.look(at_ms(0), &busy(), Some(&answers(at_ms(0))));
    let silent = |ms| Helped { asked: 50 + ms / 100, waiting_since: Some(at_ms(1_000)), ..busy() };
    let left = leaves(&mut judge, 1_000..5_000, silent, |ms| Some(answers(at_ms(ms))));
    assert_eq!(left, Some((1_300, Sign::Silent)));
}

#[test]
fn what_was_on_its_way_when_something_was_acknowledged_last_counts_among_what_was_not_answered() {
    let mut judge = judge();
    // Sent all the time, and acknowledged until 1,000 ms; then nothing is sent any more.
    let rtt = Duration::from_millis(80);
    let sent = |ms| Helped { acked: ms, asked: 50 + ms, outstanding: 80, rtt, ..busy() };
    assert_eq!(leaves(&mut judge, 10..1_010, sent, |ms| Some(answers(at_ms(ms)))), None);
    let silent = |_| Helped { waiting_since: Some(at_ms(1_000)), ..sent(1_000) };
    let left = leaves(&mut judge, 1_010..5_000, silent, |ms| Some(answers(at_ms(ms))));
    assert_eq!(left, Some((1_300, Sign::Silent)));
}

#[test]
fn the_last_packet_that_counts_has_the_time_to_be_answered() {
    let mut judge = judge();
    judge.look(at_ms(0), &busy(), Some(&answers(at_ms(0))));
    // A lone packet, and its probes at growing distances.
    let probes = [1_000, 1_100, 1_700];
    let sent = |ms| probes.iter().filter(|at| **at <= ms).count() as u64;
    let silent = |ms| Helped { asked: 50 + sent(ms), waiting_since: Some(at_ms(1_000)), ..busy() };
    let left = leaves(&mut judge, 1_000..5_000, silent, |ms| Some(answers(at_ms(ms))));
    assert_eq!(left, Some((1_800, Sign::Silent)));
}

#[test]
fn a_lone_packet_that_is_lost_with_its_probe_leaves_nothing() {
    let mut judge = judge();
    judge.look(at_ms(0), &busy(), Some(&answers(at_ms(0))));
    let quiet = |_| Helped { asked: 52, waiting_since: Some(at_ms(1_000)), ..busy() };
    assert_eq!(leaves(&mut judge, 1_000..5_000, quiet, |ms| Some(answers(at_ms(ms)))), None);
}

#[test]
fn a_path_is_not_left_for_one_that_is_as_silent() {
    let mut judge = judge();
    judge.look(at_ms(0), &busy(), Some(&answers(at_ms(0))));
    let silent = |ms| Helped { asked: 50 + ms / 100, waiting_since: Some(at_ms(1_000)), ..busy() };
    let deaf = |_| Some(Alternative { waiting_since: Some(at_ms(1_100)), ..answers(at_ms(990)) });
    assert_eq!(leaves(&mut judge, 1_000..30_000, silent, deaf), None);
    assert_eq!(leaves(&mut judge, 30_000..31_000, silent, |_| None), None, "nor for none at all");
}

#[test]
fn after_an_outage_of_both_the_helped_path_has_the_time_that_its_probes_need() {
    let mut judge = judge();
    judge.look(at_ms(0), &busy(), Some(&answers(at_ms(0))));
    let silent = |ms| Helped { asked: 50 + ms / 100, waiting_since: Some(at_ms(1_000)), ..busy() };
    let deaf = |_| Some(Alternative { waiting_since: Some(at_ms(1_100)), ..answers(at_ms(990)) });
    assert_eq!(leaves(&mut judge, 1_000..5_000, silent, deaf), None);
    let left = leaves(&mut judge, 5_000..30_000, silent, |ms| Some(answers(at_ms(ms))));
    assert_eq!(left, Some((5_000 + 300 + 4_000, Sign::Silent)), "as long again as both were silent");
}

#[test]
fn a_path_that_is_held_and_moves_nothing_is_blocked_only_if_the_alternative_answers() {
    let held = |ms| Helped { held: true, asked: 50 + ms / 100, ..busy() };
    let mut judge1 = judge();
    judge1.look(at_ms(0), &busy(), Some(&answers(at_ms(0))));
    let left = leaves(&mut judge1, 1_000..10_000, held, |ms| Some(answers(at_ms(ms))));
    assert_eq!(left, Some((3_000, Sign::Blocked)));
    let mut judge2 = judge();
    judge2.look(at_ms(0), &busy(), Some(&answers(at_ms(0))));
    let deaf = |_| Some(Alternative { waiting_since: Some(at_ms(1_000)), ..answers(at_ms(990)) });
    assert_eq!(leaves(&mut judge2, 1_000..30_000, held, deaf), None);
    let mut judge3 = judge();
    let moving = |ms| Helped { acked: ms / 500, ..held(ms) };
    assert_eq!(leaves(&mut judge3, 1_000..30_000, moving, |ms| Some(answers(at_ms(ms)))), None);
}

#[test]
fn a_path_that_stays_slower_than_twice_the_alternative_and_more_is_left() {
    for (rtt_ms, left) in [(149, None), (151, Some((10_000, Sign::Delay)))] {
        let slow = |ms| Helped { acked: ms, asked: 50, rtt: Duration::from_millis(rtt_ms), ..busy() };
        assert_eq!(leaves(&mut judge(), 0..60_000, slow, |ms| Some(answers(at_ms(ms)))), left, "{rtt_ms} ms");
    }
    // A queue that fills is not a slow path.
    let filled = |ms| Helped { acked: ms, rtt: Duration::from_millis(60 + ms % 4_000 / 10), ..busy() };
    assert_eq!(leaves(&mut judge(), 0..60_000, filled, |ms| Some(answers(at_ms(ms)))), None);
}

#[test]
fn a_path_that_loses_more_than_the_alternative_is_left_and_one_that_loses_as_much_is_not() {
    for (percent, other, left) in [(20, 0, true), (10, 0, false), (20, 20, false), (40, 10, true), (20, 10, false)] {
        let lossy = |ms| Helped { acked: ms, asked: 50 + ms, lost: ms * percent / 100, ..busy() };
        // Ten samples a second.
        let sampled = |ms| Some(Alternative { asked: 10 + ms / 100, lost: ms * other / 10_000, ..answers(at_ms(ms)) });
        let found = leaves(&mut judge(), 0..60_000, lossy, sampled);
        assert_eq!(found.is_some_and(|(_, sign)| sign == Sign::Loss), left, "{percent} against {other}: {found:?}");
    }
}

#[test]
fn the_end_of_a_slow_start_loses_much_in_a_moment_and_nothing_is_left_for_that() {
    let burst = |ms| Helped { acked: ms, asked: 50 + ms, lost: if ms < 1_000 { 0 } else { 300 }, ..busy() };
    assert_eq!(leaves(&mut judge(), 0..60_000, burst, |ms| Some(answers(at_ms(ms)))), None);
}

#[test]
fn a_path_that_nobody_uses_asks_nobody() {
    let mut judge = judge();
    judge.look(at_ms(0), &busy(), Some(&answers(at_ms(0))));
    let asked = (10..100_000)
        .step_by(10)
        .filter(|ms| judge.look(at_ms(*ms), &busy(), Some(&answers(at_ms(0)))) == Verdict::Ask);
    assert_eq!(asked.count(), 1, "for what had moved before");
    assert_eq!(judge.look_at(), None);
}

#[test]
fn a_path_that_was_left_is_tried_again_later_and_later() {
    let mut returns = Return::new(&PathMonitorConfig::default());
    assert!(returns.permits(at_ms(0)));
    let (mut now, mut waits) = (at_ms(0), Vec::new());
    for _ in 0..10 {
        returns.note_left(now, Duration::ZERO, true);
        let at = returns.at().expect("later");
        assert!(!returns.permits(now) && returns.permits(at));
        waits.push(at.since(now).as_secs());
        now = at;
        returns.note_tried(now);
    }
    assert_eq!(waits, [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]);
    returns.note_left(now, RETURN_MAX * 4, true);
    assert_eq!(returns.at().expect("later").since(now), RETURN_FIRST, "it has served long");
}

#[test]
fn a_path_on_which_nothing_came_any_more_is_tried_again_at_once_and_then_later_and_later() {
    let mut returns = Return::new(&PathMonitorConfig::default());
    let (mut now, mut waits) = (at_ms(0), Vec::new());
    // Each time it serves for a while, and then nothing comes.
    let served = Duration::from_secs(20);
    for _ in 0..9 {
        returns.note_left(now, served, false);
        let at = returns.at().expect("later");
        waits.push(at.since(now).as_millis());
        returns.note_tried(at);
        now = at + served;
    }
    // From 5 s on it has not served for four times as long as it was avoided.
    assert_eq!(waits, [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000]);
    returns.note_left(now, RETURN_FIRST * 36, false);
    assert_eq!(returns.at().expect("later").since(now), RETURN_SOON, "it has served long");
    returns.note_tried(now);
    returns.note_left(now, RETURN_FIRST, false);
    assert_eq!(returns.at().expect("later").since(now), RETURN_SOON, "and longer than it was avoided");
    returns.note_left(now, Duration::ZERO, true);
    assert_eq!(returns.at().expect("later").since(now), RETURN_FIRST, "who does harm is to wait");
}

#[test]
fn where_much_is_lost_more_must_fail_before_a_path_counts_as_silent() {
    let needed = |share, lost| silent_trials(share, &Alternative { asked: 100, lost, ..answers(at_ms(0)) });
    assert_eq!([0.0, 0.005, 0.03, 0.05, 0.1, 0.5].map(|share| needed(share, 0)), [3, 3, 5, 6, 9, 10]);
    assert_eq!(needed(0.0, 10), 9, "what is lost on the direct path, too");
    // Packets that leave together are one trial.
    let mut trials = Trials::default();
    let sent = |asked| Helped { asked, outstanding: asked, ..busy() };
    for (ms, asked) in [(0, 10), (10, 30), (20, 50), (30, 51), (50, 60), (55, 61)] {
        trials.note(at_ms(ms), &sent(asked));
    }
    assert_eq!((trials.failed(3), trials.failed(4)), (Some(at_ms(55)), None));
}

#[test]
fn a_path_serves_by_what_arrives_there_or_by_what_it_brings_while_nothing_is_awaited() {
    let served = |path: Helped| {
        let mut judge = judge();
        judge.look(at_ms(10), &Helped { acked: 0, ..path }, None);
        judge.look(at_ms(20), &path, None);
        judge.has_served()
    };
    let none = Helped { acked: 0, ..busy() };
    assert!(!served(none));
    assert!(served(Helped { acked: 1, ..none }));
    assert!(served(Helped { heard: 8, ..none }));
    assert!(!served(Helped { heard: 8, waiting_since: Some(at_ms(5)), ..none }), "it takes what it is given");
}
