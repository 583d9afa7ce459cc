use std::collections::BTreeSet;

use tng_base::Rng;

use super::*;

#[test]
fn agrees_with_a_plain_set_within_the_window() {
    for seed in 0..50 {
        let mut rng = Rng::from_u64(seed);
        let mut window = ReplayWindow::new(256, 2_048, Instant::ZERO);
        let mut model = BTreeSet::new();
        let (mut now, mut top, mut floor) = (Instant::ZERO, 0, 0);
        for _ in 0..5_000 {
            now += Duration::from_micros(rng.below(2_000));
            let number = match rng.below(10) {
                0 => top + rng.below(600),
                1..=5 => top + rng.below(3),
                _ => top.saturating_sub(rng.below(3_000)),
            };
            match window.check(number) {
                Seen::New => {
                    assert!(model.insert(number), "seed {seed}: {number} twice");
                    window.commit(number, now);
                }
                Seen::Before => assert!(model.contains(&number), "seed {seed}: {number} was never there"),
                Seen::TooOld => assert!(number < floor, "seed {seed}: {number} is not old"),
            }
            top = top.max(number + 1);
            floor = floor.max(top.saturating_sub(window.width()));
            assert_eq!(window.end(), model.last().map_or(0, |n| n + 1));
        }
        assert!(window.width() > 256 && window.width() <= 2_048, "seed {seed}: {}", window.width());
    }
}

#[test]
fn a_window_takes_room_as_numbers_come_and_covers_all_of_its_minimum_from_the_start() {
    let mut window = ReplayWindow::new(REPLAY_WINDOW, REPLAY_WINDOW_MAX, Instant::ZERO);
    let at = |number: u64| Instant::from_millis(100 * number);
    for number in 0..REPLAY_WINDOW {
        if number == 1_000 {
            assert_eq!(window.words.len(), 16, "an idle channel takes 128 bytes");
        }
        if number % 3 != 1 {
            window.commit(number, at(number));
        }
        assert_eq!(window.width(), REPLAY_WINDOW);
    }
    for number in 0..REPLAY_WINDOW {
        let seen = if number % 3 == 1 { Seen::New } else { Seen::Before };
        assert_eq!(window.check(number), seen, "{number}");
    }
    window.commit(REPLAY_WINDOW + 5, at(REPLAY_WINDOW));
    assert_eq!([window.check(4), window.check(7)], [Seen::TooOld, Seen::New]);
    let mut leaps = ReplayWindow::new(REPLAY_WINDOW, REPLAY_WINDOW_MAX, Instant::ZERO);
    leaps.commit(20_000, at(100));
    assert_eq!([leaps.check(11_808), leaps.check(11_809)], [Seen::TooOld, Seen::New]);
}

#[test]
fn growing_forgets_nothing() {
    let mut window = ReplayWindow::new(REPLAY_WINDOW, REPLAY_WINDOW_MAX, Instant::ZERO);
    let mut floor = 0;
    for number in 0..1_000_000u64 {
        let width = window.width();
        window.commit(number, Instant::from_micros(number));
        if window.width() > width {
            floor = floor.max(number.saturating_sub(width));
            assert!((floor..=number).all(|n| window.check(n) == Seen::Before), "at {number}");
        }
    }
    assert_eq!(window.width(), REPLAY_WINDOW_MAX);
}

#[test]
fn a_slow_channel_keeps_a_small_window() {
    let mut window = ReplayWindow::new(REPLAY_WINDOW, REPLAY_WINDOW_MAX, Instant::ZERO);
    for number in 0..100_000u64 {
        window.commit(number, Instant::from_millis(number));
    }
    assert_eq!(window.width(), REPLAY_WINDOW);
}

#[test]
fn a_leap_empties_the_window() {
    let mut window = ReplayWindow::new(256, 256, Instant::ZERO);
    for number in 0..300 {
        window.commit(number, Instant::ZERO);
    }
    window.commit(1 << 40, Instant::ZERO);
    assert_eq!(window.check((1 << 40) - 256), Seen::TooOld);
    assert!((1..256).all(|n| window.check((1 << 40) - n) == Seen::New));
    assert_eq!(window.check(1 << 40), Seen::Before);
}

#[test]
fn a_run_of_numbers_leaves_what_each_of_them_alone_leaves() {
    for seed in 0..50 {
        let mut rng = Rng::from_u64(seed);
        let windows = || ReplayWindow::new(256, 2_048, Instant::ZERO);
        let (mut runs, mut single) = (windows(), windows());
        for _ in 0..1_000 {
            let start = runs.end() + rng.below(3) * rng.below(100);
            let run = start..start + 1 + rng.below(100);
            // Runs long apart and shorter than half a window, so that neither has reason to grow.
            let now = Instant::from_secs(start);
            runs.commit_run(run.clone(), now);
            run.for_each(|number| single.commit(number, now));
            assert_eq!(runs.end(), single.end());
            let lowest = runs.end().saturating_sub(300);
            for number in lowest..runs.end() {
                assert_eq!(runs.check(number), single.check(number), "seed {seed}: {number} of {lowest}..");
            }
        }
    }
}

#[test]
fn room_comes_with_the_first_number_for_which_there_is_none_and_a_wider_window_with_the_first_that_is_too_fast() {
    let mut window = ReplayWindow::new(REPLAY_WINDOW, REPLAY_WINDOW_MAX, Instant::ZERO);
    window.commit_run(0..ROOM_FIRST, Instant::ZERO);
    assert_eq!(window.room(), ROOM_FIRST);
    window.commit(ROOM_FIRST, Instant::ZERO);
    assert_eq!(window.room(), 2 * ROOM_FIRST);
    for (early_ms, width) in [(0, REPLAY_WINDOW), (1, 2 * REPLAY_WINDOW)] {
        let mut window = ReplayWindow::new(REPLAY_WINDOW, REPLAY_WINDOW_MAX, Instant::ZERO);
        let half = Instant::ZERO + REPLAY_COVERED / 2 - Duration::from_millis(early_ms);
        window.commit(REPLAY_WINDOW / 2 - 1, half);
        assert_eq!(window.width(), width, "half of it in {half:?}");
    }
}
