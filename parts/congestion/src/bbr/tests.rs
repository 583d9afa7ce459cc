use super::*;
use crate::battery::{self, Round, Trace};
use crate::{Permission, Regulation, RegulationConfig, RttSample};

use Round::{AppLimited, Collapse, Full, Late, Lose};

fn bbr(mtu: u16) -> Box<dyn Controller> {
    Box::new(Bbr::new(mtu))
}

fn windows(script: &[Round]) -> Vec<u64> {
    battery::windows(bbr(1_200), script)
}

fn secs(s: u64) -> Instant {
    Instant::from_secs(s)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn bbr_passes_the_battery() {
    battery::all(&bbr);
}

#[test]
fn it_doubles_at_the_start_and_takes_a_few_losses_for_chance() {
    assert_eq!(windows(&[Full, Full, Full, Lose(1), Full]), [20, 40, 80, 159, 318]);
}

#[test]
fn many_losses_end_the_start() {
    let mut trace = Trace::new(bbr(1_200), 1_200, ms(50));
    trace.play_all(&[Full, Full, Full, Full]);
    assert!(trace.regulation.stats().slow_start);
    trace.play_all(&[Lose(20), Full, Full]);
    assert!(!trace.regulation.stats().slow_start);
    assert!(trace.window() <= 200 * 1_200, "{}", trace.window() / 1_200);
}

#[test]
fn an_application_that_says_little_is_not_taken_for_the_path() {
    let mut trace = Trace::new(bbr(1_200), 1_200, ms(50));
    trace.play_all(&[Full, Full, Full, Full]);
    let before = trace.window();
    trace.play_all(&[AppLimited(10); 40]);
    assert!(trace.regulation.stats().slow_start && trace.window() == before, "{}", trace.window() / 1_200);
}

#[test]
fn after_persistent_congestion_it_comes_back_from_four_packets() {
    let script = [Full, Full, Full, Collapse, Full, Full, Full];
    assert_eq!(windows(&script), [20, 40, 80, 4, 8, 16, 32]);
}

#[test]
fn losses_while_probing_bound_what_may_be_in_flight_until_they_prove_mistaken() {
    let mut flow = Bbr::new(1_200);
    flow.probing = true;
    let path = |lost| PathState {
        rtt: crate::RttEstimator::new(ms(50)),
        in_flight: 0,
        delivered: 0,
        delivered_at: secs(1),
        lost,
        first_sent_at: secs(1),
        rate: None,
        window_limited: true,
    };
    let mut newest = Regulation::new(bbr(1_200), RegulationConfig::default()).handle_sent(secs(1), 1_200);
    newest.in_flight = 240_000;
    let loss = |packets: u64| LossSample { bytes: packets * 1_200, newest, cause: LossCause::Loss };
    flow.handle_loss(secs(2), &loss(4), &path(4 * 1_200));
    assert_eq!(flow.bounds, Bounds::default(), "two percent");
    flow.handle_loss(secs(2), &loss(6), &path(10 * 1_200));
    let hi = flow.bounds.inflight_hi.expect("five percent");
    assert!((230_000..240_000).contains(&hi), "{hi}");
    flow.handle_loss(secs(2), &loss(6), &path(16 * 1_200));
    assert_eq!(flow.bounds.inflight_hi, Some(hi), "once in a probe");
    flow.handle_spurious(secs(3), &loss(1));
    assert_eq!(flow.bounds.inflight_hi, Some(hi), "one of sixteen");
    flow.handle_spurious(secs(3), &loss(15));
    assert_eq!(flow.bounds, Bounds::default());
}

/// One that has sent `sent` packets of 1,200 bytes at 1 s and finds `lost` of them lost at 2 s.
fn losing(flow: &mut Bbr, lost: u64) -> LossSample {
    let mut newest = Regulation::new(bbr(1_200), RegulationConfig::default()).handle_sent(secs(1), 1_200);
    newest.in_flight = 240_000;
    let path = PathState {
        rtt: crate::RttEstimator::new(ms(50)),
        in_flight: 0,
        delivered: 0,
        delivered_at: secs(1),
        lost: lost * 1_200,
        first_sent_at: secs(1),
        rate: None,
        window_limited: true,
    };
    let loss = LossSample { bytes: lost * 1_200, newest, cause: LossCause::Loss };
    flow.handle_loss(secs(2), &loss, &path);
    loss
}

#[test]
fn a_probe_that_mistaken_losses_have_ended_is_made_again_and_one_that_true_ones_have_is_not() {
    for (mistaken, again) in [(20, true), (19, false)] {
        let mut flow = Bbr::new(1_200);
        flow.full.reached = true;
        flow.start_down(secs(0));
        let Phase::ProbeBw(cycle) = &mut flow.phase else { panic!("it is in the cycle") };
        cycle.step = Step::Up { rounds: 2, acked: 0 };
        flow.probing = true;
        let loss = losing(&mut flow, 20);
        assert!(
            matches!(flow.phase, Phase::ProbeBw(Cycle { step: Step::Down, .. })) && flow.bounds.inflight_hi.is_some()
        );
        flow.handle_spurious(secs(3), &LossSample { bytes: mistaken * 1_200, ..loss });
        let refill = matches!(flow.phase, Phase::ProbeBw(Cycle { step: Step::Refill, .. }));
        assert_eq!((refill, flow.bounds.inflight_hi.is_none()), (again, again), "{mistaken} of 20");
    }
}

#[test]
fn mistaken_losses_end_neither_the_start_nor_bound_what_cruises() {
    let mut trace = Trace::new(bbr(1_200), 1_200, ms(50));
    trace.play_all(&[Full, Full, Full, Full, Lose(20), Full]);
    assert!(!trace.regulation.stats().slow_start);
    trace.play_all(&[Late, Full]);
    assert!(trace.regulation.stats().slow_start, "the start goes on");

    let mut flow = Bbr::new(1_200);
    flow.full.reached = true;
    let loss = losing(&mut flow, 3);
    flow.bounds.lower(1_000_000, 240_000, &flow.arrived.clone());
    assert!(flow.bounds.inflight_lo.is_some_and(|lo| lo < 240_000));
    flow.handle_spurious(secs(3), &LossSample { bytes: 1_200, ..loss });
    assert!(flow.bounds.inflight_lo.is_some(), "one of three");
    flow.handle_spurious(secs(3), &LossSample { bytes: 2_400, ..loss });
    assert_eq!(flow.bounds, Bounds::default());
}

#[test]
fn a_mark_among_losses_is_not_taken_back() {
    let mut flow = Bbr::new(1_200);
    flow.probing = true;
    let loss = losing(&mut flow, 20);
    let hi = flow.bounds.inflight_hi;
    let path = PathState {
        rtt: crate::RttEstimator::new(ms(50)),
        in_flight: 0,
        delivered: 0,
        delivered_at: secs(2),
        lost: 24_000,
        first_sent_at: secs(1),
        rate: None,
        window_limited: true,
    };
    flow.handle_loss(secs(2), &LossSample { bytes: 0, cause: LossCause::Ecn, ..loss }, &path);
    flow.handle_spurious(secs(3), &loss);
    assert!(hi.is_some() && flow.bounds.inflight_hi == hi && flow.arrived.congested);
}

#[test]
fn what_may_be_lost_allows_for_chance() {
    for (packets, most) in [(4, 0), (20, 1), (50, 2), (200, 6), (1_000, 24), (10_000, 214)] {
        assert_eq!(tolerated(packets * 1_200, 1_200) / 1_200, most, "of {packets} packets");
    }
    assert_eq!(in_flight_at_limit(240_000, 12_000, 7_200, 1_200), 235_064);
}

#[test]
fn probes_come_after_two_to_three_seconds_and_not_in_step() {
    let wait = |at: Instant| {
        let mut flow = Bbr::new(1_200);
        flow.start_down(at);
        let Phase::ProbeBw(cycle) = flow.phase else { panic!("it is in the cycle") };
        cycle.wait
    };
    let waits: Vec<Duration> = (0..100).map(|i| wait(Instant::from_micros(i))).collect();
    assert!(waits.iter().all(|&w| w >= BBR_PROBE_WAIT_MIN && w < BBR_PROBE_WAIT_MIN + BBR_PROBE_WAIT_SPREAD));
    let late = waits.iter().filter(|&&w| w > BBR_PROBE_WAIT_MIN + BBR_PROBE_WAIT_SPREAD / 2).count();
    assert!((30..70).contains(&late), "{late} of 100 in the later half");
    assert_eq!(wait(secs(7)), wait(secs(7)), "the same time, the same wait");
}

#[test]
fn the_least_round_trip_of_ten_seconds_counts_and_is_looked_for_after_five() {
    let mut filter = MinRtt::default();
    assert!(!filter.handle_sample(secs(0), Some(ms(50))) && filter.get() == Some(ms(50)));
    assert!(!filter.handle_sample(secs(5), Some(ms(60))));
    assert!(filter.handle_sample(secs(6), Some(ms(60))), "stale");
    assert_eq!(filter.get(), Some(ms(50)), "but it still counts");
    assert!(!filter.handle_sample(secs(11), None));
    assert_eq!(filter.get(), Some(ms(60)));
    filter.handle_sample(secs(11), Some(ms(40)));
    assert_eq!(filter.get(), Some(ms(40)));
}

#[test]
fn the_bandwidth_of_this_cycle_and_the_last_counts() {
    let mut filter = MaxBandwidth::default();
    filter.handle_sample(100);
    filter.advance();
    filter.handle_sample(60);
    assert_eq!(filter.get(), 100);
    filter.advance();
    assert_eq!(filter.get(), 60);
    filter.advance();
    assert_eq!(filter.get(), 60, "a cycle without a sample does not count");
}

#[test]
fn the_bandwidth_is_found_after_three_rounds_without_a_quarter_more() {
    let mut full = FullBandwidth::default();
    for rate in [100, 200, 249, 249] {
        full.handle_sample(rate, true);
    }
    assert!(!full.now);
    full.handle_sample(250, false);
    (0..3).for_each(|_| full.handle_sample(260, true));
    (0..9).for_each(|_| full.handle_sample(260, false));
    assert!(full.now && full.reached);
    full.restart(260);
    assert!(!full.now && full.reached);
}

#[test]
fn acknowledgments_that_come_in_heaps_are_allowed_for() {
    let mut aggregation = Aggregation::default();
    // A path of 1 MB/s whose acknowledgments come every 20 ms: the surplus is what the first of a heap brings.
    let surplus = (1..50).map(|i| aggregation.handle_ack(Instant::from_millis(20 * i), 20_000, 1_000_000));
    assert_eq!(surplus.max(), Some(20_000));
    aggregation.keep(20_000, 1, 5);
    aggregation.keep(1_000, 6, 5);
    assert_eq!(aggregation.get(), 20_000);
    aggregation.keep(1_000, 11, 5);
    assert_eq!(aggregation.get(), 1_000);
}

#[test]
fn a_late_arrival_takes_nothing_away() {
    assert_eq!(windows(&[Full, Full, Lose(1), Late, Full]), [20, 40, 79, 79, 158]);
}

#[test]
fn it_paces_from_the_first_sample_on() {
    let mut regulation = Regulation::new(bbr(1_200), RegulationConfig::default());
    let stamp = regulation.handle_sent(Instant::ZERO, 1_200);
    let rtt = Some(RttSample { latest: ms(100), ack_delay: Duration::ZERO });
    regulation.handle_ack(Instant::from_millis(100), &AckSample { bytes: 1_200, newest: stamp, rtt });
    let rate = regulation.stats().pacing_rate.expect("a round trip is known");
    // 2.77 initial windows in a round trip, less a hundredth; or the one packet that the sample is, whichever is more.
    assert!(rate > 30_000 && rate < 340_000, "{rate}");
    assert_eq!(regulation.permission(Instant::from_millis(100), 1_200), Permission::Now);
}
