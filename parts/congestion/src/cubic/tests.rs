use super::*;
use crate::battery::{self, Round, Trace};
use crate::{Controller, SlowStart};
use tng_base::Rng;

use Round::{AppLimited, Collapse, Full, Late, Lose, Mark, Rtt, Silence};

const MTU: u16 = 1_200;

fn fresh(mtu: u16) -> Box<dyn Controller> {
    Box::new(Cubic::new(mtu, SlowStart::hystart()))
}

fn windows(script: &[Round]) -> Vec<u64> {
    battery::windows(fresh(MTU), script)
}

fn epoch_after_reduction_from(window: u64) -> Epoch {
    let mut curve = CubicCurve::default();
    let reduced = curve.reduce(window);
    Epoch::begin(&curve, reduced, MTU, Instant::ZERO)
}

#[test]
fn cubic_passes_the_battery() {
    battery::all(&fresh);
    battery::all(&|mtu| Box::new(Cubic::new(mtu, SlowStart::Standard)));
}

#[test]
fn it_reduces_to_seven_tenths_exactly() {
    assert_eq!(CubicCurve::default().reduce(200_000), 140_000);
    assert_eq!(CubicCurve::default().reduce(1_000_003), 700_002);
    assert_eq!(CubicCurve::default().reduce(1 << 62), (1 << 62) / 10 * 7 + 2);
}

#[test]
fn the_curve_passes_through_its_known_points() {
    // 0.3 of 200,000 bytes are 50 packets: K is the cube root of 50 / 0.4, 5 s.
    let epoch = epoch_after_reduction_from(200_000);
    assert_eq!(epoch.k, 5 << TICK_BITS);
    let at = |ms| epoch.w_cubic(MTU, Duration::from_millis(ms));
    assert_eq!([at(0), at(2_500), at(5_000), at(7_500), at(10_000)], [140_000, 192_500, 200_000, 207_500, 260_000]);
    // 0.4 packets, 3.2, 10.8 away from the plateau.
    assert_eq!([at(6_000), at(7_000), at(8_000)], [200_480, 203_840, 212_960]);
    assert_eq!([at(4_000), at(3_000), at(2_000)], [199_520, 196_160, 187_040]);
}

#[test]
fn the_curve_agrees_with_floating_point_to_a_millionth() {
    let mut rng = Rng::from_u64(9);
    for _ in 0..20_000 {
        let window = 2_400 + (rng.u64() >> (28 + rng.below(24)));
        let epoch = epoch_after_reduction_from(window);
        let t = rng.unit() * 2.5 * epoch.k as f64 / (1 << TICK_BITS) as f64;
        let (w_max, start) = (window as f64, CubicCurve::default().reduce(window) as f64);
        let k = ((w_max - start) / (0.4 * f64::from(MTU))).cbrt();
        let exact = w_max + 0.4 * f64::from(MTU) * (t - k).powi(3);
        let ours = epoch.w_cubic(MTU, Duration::from_secs_f64(t)) as f64;
        assert!((ours - exact).abs() <= 2.0 + exact * 2e-6, "W({t}) from {window}: {ours}, exactly {exact}");
    }
}

#[test]
fn a_second_loss_below_the_plateau_lowers_the_plateau() {
    let mut curve = CubicCurve::default();
    curve.reduce(200_000);
    curve.reduce(160_000);
    assert_eq!((curve.w_max, curve.window_prior), (136_000, 160_000));
    curve.reduce(136_000);
    assert_eq!(curve.w_max, 136_000, "at the plateau it stays");
}

#[test]
fn on_short_paths_it_grows_like_reno() {
    // At 5 ms the cubic curve hardly moves: 9/17 packet a round up to the window before the loss, then one.
    let mut trace = Trace::new(fresh(MTU), MTU, Duration::from_millis(5));
    trace.play_all(&[Full, Full, Lose(1)]);
    assert_eq!(trace.window(), 33_600, "0.7 of 40 packets");
    let mut packets = Vec::new();
    for _ in 0..34 {
        trace.play(Full);
        packets.push(trace.window() as f64 / 1_200.0);
    }
    let slope = |from: usize, to: usize| (packets[to] - packets[from]) / (to - from) as f64;
    assert!((slope(0, 20) - 9.0 / 17.0).abs() < 0.02, "{packets:?}");
    assert!((slope(25, 33) - 1.0).abs() < 0.03, "{packets:?}");
    assert!((38.0..40.5).contains(&packets[22]), "{packets:?}");
}

#[test]
fn on_long_paths_it_is_back_at_the_plateau_after_k_and_beyond_it_soon() {
    // From 320 packets K is the cube root of 96 / 0.4, 6.2 s: 31 rounds of 200 ms.
    let script = [&[Rtt(200), Full, Full, Full, Full, Full, Lose(1)][..], &[Full; 70]].concat();
    let after_loss: Vec<u64> = windows(&script).split_off(6);
    for (round, &packets) in after_loss.iter().enumerate().skip(2) {
        let curve = |round: usize| 320.0 + 0.4 * (0.2 * round as f64 - 240_f64.cbrt()).powi(3);
        let expected = curve(round - 1).floor() as u64 - 1..=curve(round).ceil() as u64 + 1;
        assert!(expected.contains(&packets), "round {round}: {packets}, not within {expected:?}");
    }
    let every_fifth: Vec<u64> = after_loss.into_iter().step_by(5).collect();
    assert_eq!(every_fifth, [224, 258, 287, 305, 314, 318, 319, 320, 321, 327, 339, 360, 393, 438, 500]);
}

#[test]
fn between_losses_it_carries_what_the_response_function_says() {
    // RFC 9438 section 5.1: when one packet in 1/p is lost at the same window each time, the mean window is
    // 1.054 (RTT / p)^0.75. Such a cycle lasts K, so K's worth of windows must fit.
    for (doublings, packets) in [(6, 640.0), (8, 2_560.0), (10, 10_240.0)] {
        let rounds = ((0.3_f64 * packets / 0.4).cbrt() / 0.1).round() as usize;
        let script = [&[Rtt(100)][..], &vec![Full; doublings], &[Lose(1)], &vec![Full; rounds]].concat();
        let carried: u64 = windows(&script)[doublings + 1..doublings + 1 + rounds].iter().sum();
        let ratio = (carried as f64 / rounds as f64) / (1.054 * (0.1 * carried as f64).powf(0.75));
        assert!((0.98..1.02).contains(&ratio), "{ratio} of the formula from a window of {packets}");
    }
}

#[test]
fn at_a_medium_length_it_is_cubic_first_and_reno_later() {
    // From 160 packets at 50 ms a Reno flow overtakes the curve at its plateau: then one packet a round.
    let script = [&[Full, Full, Full, Full, Lose(1)][..], &[Full; 160]].concat();
    let every_twentieth: Vec<u64> = windows(&script).split_off(4).into_iter().step_by(20).collect();
    assert_eq!(every_twentieth, [112, 135, 149, 156, 159, 168, 188, 208, 228]);
}

#[test]
fn silence_and_little_to_send_do_not_move_it_along_the_curve() {
    let before = [Full, Full, Full, Full, Lose(1), Full, Full];
    let busy = windows(&[&before[..], &[Full, Full, Full]].concat());
    let idle = windows(&[&before[..], &[Silence(600_000), Full, Full, Full]].concat());
    assert_eq!(busy[busy.len() - 3..], idle[idle.len() - 3..]);
    let trickle = windows(&[&before[..], &[AppLimited(2); 2_000], &[Full, Full, Full]].concat());
    assert_eq!(busy[busy.len() - 3..], trickle[trickle.len() - 3..]);
}

#[test]
fn marks_count_like_losses() {
    assert_eq!(windows(&[Full, Full, Full, Mark]), [20, 40, 80, 112]);
}

#[test]
fn after_a_collapse_its_plateau_is_where_slow_start_ends() {
    let script = [Full, Full, Full, Full, Collapse, Full, Full, Full, Full, Full, Full, Full, Full, Full];
    assert_eq!(windows(&script), [20, 40, 80, 160, 2, 4, 8, 16, 32, 64, 112, 112, 113, 113]);
}

#[test]
fn a_reduction_is_taken_back_with_the_place_on_the_curve() {
    let script: Vec<Round> = [&[Full, Full, Full, Full, Lose(1)][..], &[Full; 40]].concat();
    let spurious = windows(&[&script[..], &[Lose(1), Late, Full, Full]].concat());
    let undisturbed = windows(&[&script[..], &[Full, Full]].concat());
    assert_eq!(spurious[spurious.len() - 2..], undisturbed[undisturbed.len() - 2..]);
}

#[test]
fn a_rising_round_trip_ends_slow_start_without_a_loss() {
    let script = [&[Full, Full, Full, Full, Rtt(58)][..], &[Full; 8]].concat();
    assert_eq!(windows(&script), [20, 40, 80, 160, 160, 210, 263, 328, 410, 513, 514, 515, 516]);
}

#[test]
fn a_round_trip_that_falls_again_resumes_slow_start() {
    let script = [Full, Full, Full, Full, Rtt(58), Full, Full, Rtt(50), Full, Full];
    assert_eq!(windows(&script), [20, 40, 80, 160, 160, 210, 263, 263, 515, 1_030]);
}

#[test]
fn slow_start_begins_anew_on_a_new_path() {
    let mut trace = Trace::new(fresh(MTU), MTU, Duration::from_millis(50));
    trace.play_all(&[Full, Full, Full, Full, Rtt(58), Full]);
    trace.regulation.reset_for_new_path(trace.now);
    trace.play_all(&[Full, Full]);
    assert_eq!(trace.window() / 1_200, 40, "not the quarter of conservative slow start");
}
