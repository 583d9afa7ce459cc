//! Figure 20: one client alone by the loss on the way to it.

use core::time::Duration;

use serde_json::json;
use tng_sim::Loss;

use super::compare::{Comparison, Point};
use super::testbed::{AS_FAST, AS_FAST_ON, Testbed, WAYS, goodput};
use crate::exchange::{Crowd, Way};
use crate::lab::{Context, Experiment, Kind, Outcome, Param, RunError, SEEDS_MIN, Worlds};
use crate::page::Axis;

/// Figure 20.
pub static FIG20: Experiment = Experiment {
    name: "trickles/fig20",
    title: "Throughput by the loss on the way to the client",
    source: "Trickles 6.1, Figure 20",
    claim: "a client of Trickles loses as much throughput to loss as one of TCP",
    about: "One client fetches objects, one after the other and each on a connection of its own, over a link of 100 \
            Mbit/s and a round trip of 10 ms, while a share of what comes to it is lost: over the reference TCP with \
            reno, and over Trickles.",
    params: &[
        Param::list("losses", "0%,0.1%,0.2%,0.5%,1%,2%", &Kind::Share, "of packets to the client"),
        Param::size("size", "100MB", "of an object"),
        Param::count("objects", "1", (1, 1_000), "that are fetched"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (losses, size, objects) = (context.shares("losses"), context.size("size"), context.count("objects") as usize);
    let comparison =
        Comparison { title: "Throughput by the loss", by: Axis::new("loss", "%"), ways: &WAYS, on: AS_FAST_ON };
    let point = |loss: &f64| {
        let percent = loss * 100.0;
        Point { paper: Some("\"similar\"".to_owned()), ..Point::new(percent, format!("{percent} %"), AS_FAST) }
    };
    let points: Vec<Point> = losses.iter().map(point).collect();
    let world = |number: usize, way| crowd(context.seed, way, losses[number], size, objects);
    comparison.measure(context, Outcome::new(json!({})), &points, world, goodput)
}

/// The round trip: "set to 10 ms to emphasize effects of loss".
pub const RTT: Duration = Duration::from_millis(10);

/// A client that fetches so many objects of a size while a share of what comes to it is lost.
/// [`goodput`] measures it.
pub fn crowd(seed: u64, way: Way, loss: f64, size: u64, objects: usize) -> Crowd {
    let testbed = Testbed { loss_down: Loss::Independent(loss), ..Testbed::default().rtt(RTT) };
    testbed.alone(seed, way, core::iter::repeat_n(size, objects))
}

#[cfg(test)]
mod tests {
    use super::super::testbed::{OBJECT_BYTES, goodput_bps};
    use super::*;

    #[test]
    fn the_reference_keeps_to_the_formula_of_reno_where_loss_decides() {
        // M. Mathis et al. (1997); what the queue adds to the round trip is little at this rate.
        let formula = |loss: f64| (1_448.0 * 8.0 / RTT.as_secs_f64() * (1.5 / loss).sqrt()).min(96e6);
        for loss in [0.005, 0.02] {
            let rate = goodput_bps(&crowd(1, Way::Tcp, loss, OBJECT_BYTES, 1)).expect("it is loaded");
            let ratio = rate / formula(loss);
            assert!((0.75..1.15).contains(&ratio), "{loss}: {rate}, {ratio} of the formula");
        }
    }
}
