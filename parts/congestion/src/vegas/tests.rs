use super::*;
use crate::battery::{self, Round, Trace};

use Round::{AppLimited, Collapse, Full, Lose, Rtt};

fn fresh(mtu: u16) -> Box<dyn Controller> {
    Box::new(Vegas::new(mtu))
}

fn trace() -> Trace {
    Trace::new(fresh(1_200), 1_200, Duration::from_millis(50))
}

#[test]
fn vegas_passes_the_battery() {
    battery::all(&fresh);
}

#[test]
fn it_doubles_every_other_round_trip_while_nothing_queues() {
    assert_eq!(battery::windows(fresh(1_200), &[Full; 7]), [20, 20, 40, 40, 80, 80, 160]);
}

#[test]
fn a_queue_of_more_than_a_packet_ends_slow_start_at_what_the_path_carries() {
    let mut trace = trace();
    trace.play_all(&[Full, Full, Full, Rtt(60), Full, Full]);
    // 40 packets in 60 ms where 50 would do: 33 fit, and one is added.
    assert!((30..=36).contains(&(trace.window() / 1_200)), "{}", trace.window() / 1_200);
    assert!(!trace.regulation.stats().slow_start);
}

#[test]
fn it_settles_with_two_to_four_packets_in_the_queue_and_stays() {
    // A path that carries 20 packets per 50 ms: what is more waits.
    let mut trace = trace();
    let mut windows = Vec::new();
    for _ in 0..80 {
        let packets = trace.window() / 1_200;
        trace.play(Rtt(if packets > 20 { packets * 50 / 20 } else { 50 }));
        trace.play(Full);
        windows.push(trace.window() / 1_200);
    }
    assert!(windows[40..].iter().all(|window| (21..=25).contains(window)), "{windows:?}");
}

#[test]
fn a_loss_halves_it_and_a_collapse_takes_it_to_two_packets() {
    let mut trace = trace();
    trace.play_all(&[Full, Full, Full]);
    trace.play(Lose(1));
    assert_eq!(trace.window() / 1_200, 20);
    trace.play(Full);
    trace.play(Collapse);
    assert_eq!(trace.window() / 1_200, 2);
}

#[test]
fn an_application_that_sends_little_does_not_make_it_grow() {
    assert_eq!(battery::windows(fresh(1_200), &[AppLimited(9), AppLimited(3), AppLimited(5)]), [10, 10, 10]);
}
