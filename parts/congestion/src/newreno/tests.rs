use super::*;
use crate::battery::{self, Round, Trace};
use crate::{Controller, LossCause, LossSample, SlowStart};
use core::time::Duration;

use Round::{AppLimited, Collapse, Full, Late, Lose, Mark, Silence};

fn fresh(mtu: u16) -> Box<dyn Controller> {
    Box::new(NewReno::new(mtu, SlowStart::Standard))
}

fn windows(script: &[Round]) -> Vec<u64> {
    battery::windows(fresh(1_200), script)
}

#[test]
fn newreno_passes_the_battery() {
    battery::all(&fresh);
    battery::all(&|mtu| Box::new(NewReno::new(mtu, SlowStart::hystart())));
}

#[test]
fn it_starts_with_ten_packets_or_14720_bytes() {
    for (mtu, window) in [(1_200, 12_000), (1_472, 14_720), (1_500, 14_720), (9_000, 18_000)] {
        assert_eq!(fresh(mtu).window(), window);
    }
}

#[test]
fn it_doubles_until_a_loss_halves_it_then_adds_a_packet_a_round() {
    // The round of the loss does not count: its packets left before the recovery period.
    let script = [Full, Full, Full, Lose(1), Full, Full, Full, Full, Lose(3), Full, Full];
    assert_eq!(windows(&script), [20, 40, 80, 40, 40, 41, 42, 43, 21, 22, 23]);
}

#[test]
fn it_halves_exactly() {
    let mut trace = Trace::new(fresh(1_200), 1_200, Duration::from_millis(50));
    trace.play_all(&[Full, Full, Full]);
    assert_eq!(trace.window(), 96_000);
    trace.play(Lose(1));
    assert_eq!((trace.window(), trace.regulation.stats().ssthresh), (48_000, Some(48_000)));
}

#[test]
fn a_mark_that_ends_slow_start_counts_like_a_loss_and_takes_a_fifth_later() {
    let script = [Full, Full, Full, Mark, Full, Full, Mark, Full, Full];
    assert_eq!(windows(&script), [20, 40, 80, 80, 80, 81, 66, 67, 68]);
}

#[test]
fn marks_in_every_round_hold_it_where_a_fifth_is_the_packet_that_it_grows_by() {
    let script: Vec<Round> = [Full, Lose(1)].into_iter().chain([Mark; 12]).collect();
    assert_eq!(windows(&script), [20, 10, 8, 7, 6, 6, 5, 5, 4, 4, 4, 4, 4, 3]);
}

#[test]
fn a_mark_is_never_taken_back() {
    assert_eq!(windows(&[Full, Full, Lose(1), Full, Mark, Late, Full]), [20, 40, 20, 20, 17, 17, 18]);
}

#[test]
fn it_never_goes_below_two_packets() {
    assert_eq!(windows(&[Lose(1), Lose(1), Lose(1), Lose(1), Full]), [5, 2, 2, 2, 3]);
}

#[test]
fn persistent_congestion_collapses_it_and_slow_start_brings_it_back_to_ssthresh() {
    let script = [Full, Full, Full, Collapse, Full, Full, Full, Full, Full, Full, Full];
    assert_eq!(windows(&script), [20, 40, 80, 2, 4, 8, 16, 32, 40, 41, 42]);
}

#[test]
fn losses_found_after_a_collapse_do_not_take_ssthresh_away() {
    let mut trace = Trace::new(fresh(1_200), 1_200, Duration::from_millis(50));
    trace.play_all(&[Full, Full, Full]);
    let stamp = trace.regulation.handle_sent(trace.now, 1_200);
    trace.play(Collapse);
    let late = LossSample { bytes: 0, newest: stamp, cause: LossCause::Loss };
    trace.regulation.handle_loss(trace.now, &late);
    assert_eq!((trace.window(), trace.regulation.stats().ssthresh), (2_400, Some(48_000)));
}

#[test]
fn a_reduction_is_taken_back_when_everything_arrived_late() {
    assert_eq!(windows(&[Full, Full, Full, Lose(2), Full, Late, Full]), [20, 40, 80, 40, 40, 80, 160]);
}

#[test]
fn a_reduction_stands_until_all_that_was_lost_has_arrived_and_for_good_if_there_was_a_mark() {
    let mut trace = Trace::new(fresh(1_200), 1_200, Duration::from_millis(50));
    trace.play_all(&[Full, Full]);
    let newest = trace.regulation.handle_sent(trace.now, 2_400);
    let lost = |cause, bytes| LossSample { bytes, newest, cause };
    for (mark, at_the_end) in [(false, 40), (true, 20)] {
        let mut trace = Trace::new(fresh(1_200), 1_200, Duration::from_millis(50));
        trace.play_all(&[Full, Full]);
        trace.regulation.handle_sent(trace.now, 2_400);
        trace.regulation.handle_loss(trace.now, &lost(LossCause::Loss, 1_200));
        trace.regulation.handle_loss(trace.now, &lost(LossCause::Loss, 1_200));
        if mark {
            trace.regulation.handle_loss(trace.now, &lost(LossCause::Ecn, 0));
        }
        trace.regulation.handle_spurious(trace.now, &lost(LossCause::Loss, 1_200));
        assert_eq!(trace.window() / 1_200, 20, "one of two arrived");
        trace.regulation.handle_spurious(trace.now, &lost(LossCause::Loss, 1_200));
        assert_eq!(trace.window() / 1_200, at_the_end, "both arrived");
        assert_eq!(trace.regulation.stats().undone, u64::from(!mark));
    }
}

#[test]
fn a_mark_takes_a_fifth_where_a_loss_takes_half_and_only_once_in_a_round_trip() {
    for (cause, left) in [(LossCause::Ecn, 32), (LossCause::Loss, 20)] {
        let mut trace = Trace::new(fresh(1_200), 1_200, Duration::from_millis(50));
        trace.play_all(&[Full, Full, Full, Lose(1), Full]);
        assert_eq!((trace.window() / 1_200, trace.regulation.stats().slow_start), (40, false));
        let newest = trace.regulation.handle_sent(trace.now, 1_200);
        for _ in 0..2 {
            trace.regulation.handle_loss(trace.now, &LossSample { bytes: 0, newest, cause });
        }
        assert_eq!(trace.window() / 1_200, left, "{cause:?}");
    }
}

#[test]
fn what_arrives_late_from_an_earlier_event_does_not_take_back_a_later_one() {
    let mut trace = Trace::new(fresh(1_200), 1_200, Duration::from_millis(50));
    trace.play_all(&[Full, Full]);
    let newest = trace.regulation.handle_sent(trace.now, 1_200);
    let earlier = LossSample { bytes: 1_200, newest, cause: LossCause::Loss };
    trace.regulation.handle_loss(trace.now, &earlier);
    trace.play_all(&[Lose(1)]);
    assert_eq!(trace.window() / 1_200, 10);
    trace.regulation.handle_spurious(trace.now, &earlier);
    assert_eq!(trace.window() / 1_200, 10);
    trace.play_all(&[Late]);
    assert_eq!(trace.window() / 1_200, 20);
}

#[test]
fn an_application_that_sends_little_does_not_make_it_grow() {
    let script = [AppLimited(9), AppLimited(3), Full, AppLimited(19), Silence(60_000), Full, Full];
    assert_eq!(windows(&script), [10, 10, 20, 20, 20, 40, 80]);
}

#[test]
fn growth_does_not_depend_on_how_bytes_are_acknowledged() {
    // Appendix B.5: a packet for each window's worth of bytes, however small the pieces.
    let grown = |piece: u64| {
        let mut accrual = Accrual::default();
        (0..1_200_000 / piece).map(|_| accrual.add(1_200, piece, 100_000)).sum::<u64>()
    };
    for piece in [1, 7, 1_200, 65_536, 1_200_000] {
        let exact = 1_200_000 / piece * piece * 1_200 / 100_000;
        assert_eq!(grown(piece), exact, "pieces of {piece}");
    }
}
