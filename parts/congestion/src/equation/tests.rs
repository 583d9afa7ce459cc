use super::*;
use crate::battery::{self, Round, Trace};
use core::time::Duration;

use Round::{Collapse, Full, Late, Lose, Mark};

fn equation(mtu: u16) -> Box<dyn Controller> {
    Box::new(Equation::new(mtu))
}

fn windows(script: &[Round]) -> Vec<u64> {
    battery::windows(equation(1_200), script)
}

#[test]
fn equation_passes_the_battery() {
    battery::all(&equation);
}

#[test]
fn the_throughput_is_that_of_the_formula() {
    for (size, rtt_ms, loss) in [(1_200, 100, 0.01), (1_500, 20, 0.000_1), (1_000, 300, 0.1), (1_200, 50, 1.0)] {
        let r = f64::from(rtt_ms) / 1e3;
        let (p, s) = (loss, f64::from(size));
        let wanted: f64 = s
            / (r * (2.0 * p / 3.0_f64).sqrt() + 4.0 * r * 3.0 * (3.0 * p / 8.0_f64).sqrt() * p * (1.0 + 32.0 * p * p));
        let got = throughput(u64::from(size as u32), rtt_ms as u64 * 1_000_000, (p * 1e9) as u64) as f64;
        assert!((got - wanted).abs() < 1.0 + wanted * 1e-3, "{got}, not {wanted}");
    }
    assert_eq!(throughput(u64::MAX, 0, 0), u64::MAX);
    assert_eq!(throughput(1_200, u64::MAX, u64::MAX), 0);
}

#[test]
fn the_loss_rate_of_a_rate_gives_that_rate() {
    for rate in [10_000, 100_000, 1_000_000, 10_000_000] {
        let loss = loss_rate_at(1_200, 50_000_000, rate);
        let (at, beyond) = (throughput(1_200, 50_000_000, loss), throughput(1_200, 50_000_000, loss + 1));
        assert!(at >= rate && (beyond < rate || loss == LOSS_RATE_ONE), "{rate}: {at}, {beyond}");
    }
    assert_eq!(loss_rate_at(1_200, 50_000_000, u64::MAX), 1);
    assert_eq!(loss_rate_at(1_200, 50_000_000, 0), LOSS_RATE_ONE);
}

#[test]
fn it_grows_by_doubling_until_the_first_loss_and_keeps_then_to_what_arrived() {
    let played = windows(&[Full, Full, Full, Full, Full, Lose(1), Full, Full, Full]);
    assert!(played[4] >= 6 * played[0], "{played:?}");
    for window in &played[5..] {
        assert!(*window <= played[4] && *window >= played[4] / 3, "{played:?}");
    }
}

#[test]
fn losses_within_a_round_trip_are_one_event() {
    let [one, ten] = [1, 10].map(|n| windows(&[Full, Full, Full, Full, Lose(n), Full, Full]));
    assert!(ten[6].abs_diff(one[6]) * 10 < one[6], "{one:?}, {ten:?}");
}

#[test]
fn a_mark_counts_like_a_loss() {
    let played = windows(&[Full, Full, Full, Full, Mark, Full, Mark, Full]);
    assert!(played[4] > played[3] && played[5] == played[4] && played[6] < played[5], "{played:?}");
}

#[test]
fn what_arrives_late_was_no_event() {
    let mut trace = Trace::new(equation(1_200), 1_200, Duration::from_millis(50));
    trace.play_all(&[Full, Full, Full, Lose(2)]);
    assert!(!trace.regulation.stats().slow_start);
    trace.play(Late);
    assert!(trace.regulation.stats().slow_start);
}

#[test]
fn after_persistent_congestion_it_doubles_up_to_the_equation() {
    let played = windows(&[Full, Full, Full, Lose(4), Collapse, Full, Full, Full, Full, Full, Full, Full]);
    assert_eq!(played[4], 2, "{played:?}");
    assert!(played[5..].windows(2).all(|w| w[0] <= w[1] && w[1] <= 2 * w[0] + 2), "{played:?}");
    assert!(played[11] > 10, "{played:?}");
}

#[test]
fn idleness_halves_it_down_to_the_start() {
    let mut trace = Trace::new(equation(1_200), 1_200, Duration::from_millis(50));
    trace.play_all(&[Full, Full, Full, Full]);
    let (now, before) = (trace.now, trace.window());
    trace.regulation.handle_idle(now, 1);
    assert_eq!(trace.window(), before / 2);
    trace.regulation.handle_idle(now, 40);
    assert_eq!(trace.window(), 12_000);
}
