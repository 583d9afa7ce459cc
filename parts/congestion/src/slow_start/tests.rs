use super::*;
use crate::{RttSample, SendStamp};

/// A round of `samples` acknowledgments, each of 4,000 bytes and with that RTT; answers the bytes that the window grows
/// by in it and whether slow start ended.
fn round(slow_start: &mut SlowStart, number: u64, samples: u64, rtt_ms: u64) -> (u64, bool) {
    let sent_at = Instant::from_secs(number);
    let stamp = SendStamp {
        sent_at,
        first_sent_at: sent_at,
        delivered: 0,
        delivered_at: sent_at,
        lost: 0,
        in_flight: 0,
        app_limited: false,
    };
    let rtt = Some(RttSample { latest: Duration::from_millis(rtt_ms), ack_delay: Duration::ZERO });
    let ack = AckSample { bytes: 4_000, newest: stamp, rtt };
    let mut sum = (0, false);
    for _ in 0..samples {
        let step = slow_start.handle_ack(sent_at + Duration::from_millis(rtt_ms), &ack, 1_200);
        sum = (sum.0 + step.grow, sum.1 || step.leave);
    }
    sum
}

#[test]
fn standard_slow_start_grows_by_what_is_acknowledged_and_never_ends_by_itself() {
    let mut slow_start = SlowStart::Standard;
    assert_eq!(round(&mut slow_start, 1, 10, 50), (40_000, false));
    assert_eq!(round(&mut slow_start, 2, 10, 500), (40_000, false));
}

#[test]
fn a_rise_is_believed_after_eight_samples_and_then_growth_is_a_quarter() {
    let mut slow_start = SlowStart::hystart();
    round(&mut slow_start, 1, 10, 80);
    assert_eq!(round(&mut slow_start, 2, 10, 90), (7 * 4_000 + 3 * 1_000, false));
    assert_eq!(round(&mut slow_start, 3, 10, 90), (10_000, false));
}

#[test]
fn seven_samples_are_too_few() {
    let mut slow_start = SlowStart::hystart();
    round(&mut slow_start, 1, 10, 80);
    assert_eq!(round(&mut slow_start, 2, 7, 200), (28_000, false));
}

#[test]
fn the_rise_that_counts_is_an_eighth_but_between_4_and_16_ms() {
    for (base, ignored, counted) in [(10, 13, 14), (80, 89, 90), (400, 415, 416)] {
        let grown = |rtt_ms| {
            let mut slow_start = SlowStart::hystart();
            round(&mut slow_start, 1, 8, base);
            round(&mut slow_start, 2, 9, rtt_ms).0
        };
        assert_eq!((grown(ignored), grown(counted)), (36_000, 30_000), "from {base} ms");
    }
}

#[test]
fn slow_start_ends_after_five_conservative_rounds_the_first_counted() {
    let mut slow_start = SlowStart::hystart();
    round(&mut slow_start, 1, 8, 50);
    for number in 2..=6 {
        assert!(!round(&mut slow_start, number, 8, 60).1, "round {number}");
    }
    assert!(round(&mut slow_start, 7, 1, 60).1);
}

#[test]
fn a_fall_below_the_baseline_resumes_slow_start() {
    let mut slow_start = SlowStart::hystart();
    round(&mut slow_start, 1, 8, 50);
    round(&mut slow_start, 2, 8, 60);
    assert_eq!(round(&mut slow_start, 3, 9, 59), (7 * 1_000 + 2 * 4_000, false));
    // And may end again, judged by the last round.
    assert_eq!(round(&mut slow_start, 4, 9, 70), (7 * 4_000 + 2 * 1_000, false));
}

#[test]
fn acknowledgments_without_a_sample_grow_but_do_not_judge() {
    let mut slow_start = SlowStart::hystart();
    round(&mut slow_start, 1, 8, 50);
    round(&mut slow_start, 2, 7, 60);
    let sent_at = Instant::from_secs(2);
    let newest = SendStamp {
        sent_at,
        first_sent_at: sent_at,
        delivered: 0,
        delivered_at: sent_at,
        lost: 0,
        in_flight: 0,
        app_limited: false,
    };
    let step = slow_start.handle_ack(sent_at, &AckSample { bytes: 4_000, newest, rtt: None }, 1_200);
    assert_eq!(step, Step { grow: 4_000, leave: false });
}

#[test]
fn a_reset_begins_anew() {
    let mut slow_start = SlowStart::hystart();
    round(&mut slow_start, 1, 8, 50);
    round(&mut slow_start, 2, 8, 60);
    slow_start.reset();
    assert_eq!(slow_start, SlowStart::hystart());
}
