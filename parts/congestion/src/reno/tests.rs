use super::*;
use crate::battery::{self, Round};
use crate::{Controller, RegulationConfig, RttSample, SlowStart};
use core::time::Duration;

use Round::{Collapse, Full, Lose};

fn fresh(mtu: u16) -> Box<dyn Controller> {
    Box::new(Reno::new(mtu, SlowStart::Counted))
}

#[test]
fn reno_passes_the_battery() {
    battery::all(&fresh);
}

#[test]
fn it_doubles_until_a_loss_halves_it_then_adds_a_packet_a_round() {
    let script = [Full, Full, Full, Lose(1), Full, Full, Full, Full, Lose(3), Full, Full];
    assert_eq!(battery::windows(fresh(1_200), &script), [20, 40, 80, 40, 40, 41, 42, 43, 21, 22, 23]);
}

#[test]
fn it_comes_back_from_a_collapse_through_slow_start() {
    let script = [Full, Full, Full, Collapse, Full, Full, Full, Full, Full, Full, Full];
    assert_eq!(battery::windows(fresh(1_200), &script), [20, 40, 80, 2, 4, 8, 16, 32, 40, 41, 42]);
}

#[test]
fn one_acknowledgment_of_many_packets_adds_two_in_slow_start() {
    let grown = |controller: Box<dyn Controller>| {
        let config = RegulationConfig { mtu: 1_000, pacing: false, ..RegulationConfig::default() };
        let mut regulation = crate::Regulation::new(controller, config);
        let stamps: Vec<_> = (0..10).map(|_| regulation.handle_sent(Instant::ZERO, 1_000)).collect();
        regulation.permission(Instant::ZERO, 1_000);
        let rtt = Some(RttSample { latest: Duration::from_millis(50), ack_delay: Duration::ZERO });
        regulation.handle_ack(Instant::from_millis(50), &AckSample { bytes: 10_000, newest: stamps[9], rtt });
        regulation.window() - 10_000
    };
    assert_eq!(grown(fresh(1_000)), 2_000);
    assert_eq!(grown(Box::new(Reno::new(1_000, SlowStart::Standard))), 10_000);
}

#[test]
fn silence_halves_the_window_down_to_the_initial_one_and_keeps_three_quarters_as_the_limit() {
    for (periods, window) in [(0, 40), (1, 20), (2, 10), (30, 10), (u32::MAX, 10)] {
        let mut trace = battery::Trace::new(fresh(1_200), 1_200, Duration::from_millis(50));
        trace.play_all(&[Full, Full, Full, Lose(1)]);
        assert_eq!(trace.window() / 1_200, 40);
        trace.regulation.handle_idle(trace.now, periods);
        assert_eq!(trace.window() / 1_200, window, "after {periods} timeouts");
        assert_eq!(trace.regulation.stats().ssthresh, Some(48_000));
    }
}
