use super::*;
use crate::Choice;
use crate::battery::{self, Round, Trace};
use core::time::Duration;

use Round::{Full, Lose, LoseOnLink};

fn eln(mtu: u16) -> Box<dyn Controller> {
    "eln".parse::<Choice>().expect("a known name").make(mtu)
}

#[test]
fn eln_passes_the_battery() {
    battery::all(&eln);
    for inner in ["eln:cubic", "eln:bbr", "eln:equation", "eln:vegas"] {
        let inner: Choice = inner.parse().expect("a known name");
        battery::all(&|mtu| inner.make(mtu));
    }
}

#[test]
fn a_loss_reported_by_the_link_does_not_reduce_the_window_and_any_other_does() {
    let windows = |script: &[Round]| battery::windows(eln(1_200), script);
    assert_eq!(windows(&[Full, Full, LoseOnLink(8), Full, Lose(1)]), [20, 40, 72, 144, 72]);
    let newreno =
        battery::windows("newreno".parse::<Choice>().expect("known").make(1_200), &[Full, Full, LoseOnLink(8)]);
    assert_eq!(newreno, [20, 40, 20], "a controller that knows no better takes it for congestion");
}

#[test]
fn what_the_link_has_lost_is_still_counted() {
    let mut trace = Trace::new(eln(1_200), 1_200, Duration::from_millis(50));
    trace.play_all(&[Full, LoseOnLink(3)]);
    let stats = trace.regulation.stats();
    assert_eq!((stats.lost, stats.in_flight, stats.reductions), (3 * 1_200, 0, 0));
}
