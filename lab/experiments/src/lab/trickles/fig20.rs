//! Figure 20: one client alone by the loss on the way to it.

use core::time::Duration;

use serde_json::json;
use tng_sim::Loss;

use super::compare::{Comparison, Point};
use super::fig19;
use super::testbed::{AS_FAST, AS_FAST_ON, WAYS, goodput};
use crate::lab::{Context, Experiment, Kind, Outcome, Param, RunError, SEEDS_MIN, Worlds};
use crate::page::Axis;
use crate::peers::exchange::{Crowd, Way};

/// Figure 20.
pub static FIG20: Experiment = Experiment {
    name: "trickles/fig20",
    title: "Throughput by the loss on the way to the client",
    source: "Trickles 6.1, Figure 20",
    claim: "a client of Trickles loses as much throughput to loss as one of TCP",
    about: "One client fetches objects, one after the other and each on a connection of its own, over a link of 100 \
            Mbit/s with a queue of one round trip, while a share of what comes to it is lost: over the reference TCP \
            with reno, and over Trickles. The paper's round trip is 10 ms.",
    params: &[
        Param::list("rtts", "10ms,50ms,200ms", &Kind::Span, "round trips"),
        Param::list("losses", "0%,0.1%,0.2%,0.5%,1%,2%", &Kind::Share, "of packets to the client"),
        Param::size("size", "100MB", "of an object"),
        Param::count("objects", "1", (1, 1_000), "that are fetched"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (losses, size, objects) = (context.shares("losses"), context.size("size"), context.count("objects") as usize);
    let mut outcome = Outcome::new(json!({}));
    for rtt in context.times("rtts") {
        let title = format!("Throughput by the loss, {} ms", rtt.as_secs_f64() * 1e3);
        let comparison = Comparison { title: &title, by: Axis::new("loss", "%"), ways: &WAYS, on: AS_FAST_ON };
        let point = |loss: &f64| {
            let (percent, paper) = (loss * 100.0, (rtt == RTT).then(|| "\"similar\"".to_owned()));
            Point { paper, ..Point::new(percent, format!("{percent} %"), AS_FAST) }
        };
        let points: Vec<Point> = losses.iter().map(point).collect();
        let world = |number: usize, way| over(rtt, context.seed, way, losses[number], size, objects);
        outcome = comparison.measure(context, outcome, &points, world, goodput)?;
    }
    Ok(outcome)
}

/// The paper's round trip: "set to 10 ms to emphasize effects of loss".
pub const RTT: Duration = Duration::from_millis(10);

/// A client that fetches so many objects of a size over the paper's round trip while a share of what comes to it is
/// lost. [`goodput`] measures it.
pub fn crowd(seed: u64, way: Way, loss: f64, size: u64, objects: usize) -> Crowd {
    over(RTT, seed, way, loss, size, objects)
}

/// The same over another round trip.
pub fn over(rtt: Duration, seed: u64, way: Way, loss: f64, size: u64, objects: usize) -> Crowd {
    let lossless = fig19::crowd(seed, way, rtt, size, objects);
    Crowd { down: lossless.down.clone().loss(Loss::Independent(loss)), ..lossless }
}

#[cfg(test)]
mod tests {
    use super::super::testbed::{OBJECT_BYTES, goodput_bps};
    use super::*;

    #[test]
    fn a_client_of_trickles_loses_as_much_to_loss_as_one_of_the_reference() {
        let median = |loss| {
            let mut ratios = [1, 2, 3].map(|seed| {
                let rate = |way, loss| goodput_bps(&crowd(seed, way, loss, 10_000_000, 1)).expect("it is loaded");
                rate(WAYS[1], loss) / rate(Way::Tcp, 0.01)
            });
            ratios.sort_unstable_by(f64::total_cmp);
            ratios[1]
        };
        let [same, twice] = [0.01, 0.02].map(median);
        assert!(AS_FAST.holds(same) && !AS_FAST.holds(twice), "{same}, with twice the loss {twice}");
    }

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
