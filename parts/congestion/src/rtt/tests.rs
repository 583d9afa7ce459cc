use super::*;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn sample(latest: u64, ack_delay: u64) -> RttSample {
    RttSample { latest: ms(latest), ack_delay: ms(ack_delay) }
}

#[test]
fn before_a_sample_the_initial_rtt_gives_a_probe_timeout_of_three_of_it() {
    let rtt = RttEstimator::new(INITIAL_RTT);
    assert!(!rtt.has_sample());
    assert_eq!((rtt.smoothed(), rtt.pto_base()), (ms(333), ms(999)));
}

#[test]
fn the_first_sample_replaces_the_initial_rtt_and_ignores_the_ack_delay() {
    let mut rtt = RttEstimator::new(INITIAL_RTT);
    rtt.handle_sample(Instant::ZERO, sample(100, 30));
    assert_eq!((rtt.latest(), rtt.smoothed(), rtt.var(), rtt.min()), (ms(100), ms(100), ms(50), ms(100)));
    assert_eq!(rtt.pto_base(), ms(300));
}

#[test]
fn the_ack_delay_is_subtracted_but_never_below_the_minimum() {
    let mut rtt = RttEstimator::new(INITIAL_RTT);
    rtt.handle_sample(Instant::ZERO, sample(100, 0));
    rtt.handle_sample(Instant::ZERO, sample(148, 40));
    // Adjusted 108: smoothed 7/8 * 100 + 1/8 * 108, variation 3/4 * 50 + 1/4 * 8.
    assert_eq!((rtt.smoothed(), rtt.var(), rtt.latest()), (ms(101), Duration::from_micros(39_500), ms(148)));
    let before = rtt;
    rtt.handle_sample(Instant::ZERO, sample(109, 40));
    assert_eq!(rtt.smoothed(), before.smoothed() * 7 / 8 + ms(109) / 8);
}

#[test]
fn a_steady_path_has_the_granularity_as_variation() {
    let mut rtt = RttEstimator::new(INITIAL_RTT);
    for _ in 0..200 {
        rtt.handle_sample(Instant::ZERO, sample(80, 0));
    }
    assert_eq!(rtt.smoothed(), ms(80));
    assert_eq!(rtt.pto_base(), ms(80) + GRANULARITY);
}

#[test]
fn a_longer_path_replaces_the_minimum_within_two_windows() {
    let mut rtt = RttEstimator::new(INITIAL_RTT);
    rtt.handle_sample(Instant::ZERO, sample(10, 0));
    let mut noticed = None;
    for s in 1..1_000 {
        rtt.handle_sample(Instant::from_secs(s), sample(50, 0));
        if rtt.min() == ms(50) {
            noticed.get_or_insert(s);
        }
    }
    let noticed = noticed.unwrap();
    assert!(noticed > MIN_RTT_WINDOW.as_secs() && noticed <= 2 * MIN_RTT_WINDOW.as_secs(), "{noticed}");
}

#[test]
fn a_forgotten_minimum_is_the_next_sample() {
    let mut rtt = RttEstimator::new(INITIAL_RTT);
    rtt.forget_min();
    assert_eq!(rtt.min(), INITIAL_RTT);
    rtt.handle_sample(Instant::ZERO, sample(10, 0));
    rtt.forget_min();
    assert_eq!(rtt.min(), ms(10));
    rtt.handle_sample(Instant::ZERO, sample(70, 20));
    assert_eq!(rtt.min(), ms(70));
}

#[test]
fn a_new_path_starts_over() {
    let mut rtt = RttEstimator::new(ms(200));
    rtt.handle_sample(Instant::ZERO, sample(10, 0));
    rtt.reset();
    assert_eq!(rtt, RttEstimator::new(ms(200)));
}

#[test]
fn absurd_samples_do_not_overflow() {
    let mut rtt = RttEstimator::new(Duration::MAX);
    for latest in [Duration::MAX, Duration::ZERO, Duration::MAX] {
        rtt.handle_sample(Instant::FAR_FUTURE, RttSample { latest, ack_delay: Duration::MAX });
        assert!(rtt.pto_base() >= GRANULARITY && !rtt.smoothed().is_zero());
    }
}

#[test]
fn an_estimator_of_anothers_answers_gives_the_same() {
    let mut rtt = RttEstimator::new(INITIAL_RTT);
    for latest in [100, 140, 90, 120] {
        rtt.handle_sample(Instant::ZERO, sample(latest, 0));
    }
    let told = RttEstimator::of(Instant::ZERO, rtt.latest(), rtt.smoothed(), rtt.var(), rtt.min());
    assert!(told.has_sample());
    assert_eq!(
        (told.latest(), told.smoothed(), told.var(), told.min(), told.pto_base()),
        (rtt.latest(), rtt.smoothed(), rtt.var(), rtt.min(), rtt.pto_base())
    );
}
