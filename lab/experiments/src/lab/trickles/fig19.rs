//! Figure 19: one client alone by the round trip.

use core::time::Duration;

use serde_json::json;

use super::compare::{Comparison, Point};
use super::testbed::{AS_FAST, Testbed, WAYS, goodput};
use crate::lab::{Context, Experiment, Kind, Outcome, Param, RunError, SEEDS_MIN, Worlds};
use crate::page::Axis;
use crate::peers::exchange::{Crowd, Way};

/// Figure 19.
pub static FIG19: Experiment = Experiment {
    name: "trickles/fig19",
    title: "Throughput by the round trip",
    source: "Trickles 6.1, Figure 19",
    claim: "a client of Trickles is as fast as one of TCP whatever the round trip",
    about: "One client fetches objects, one after the other and each on a connection of its own, over a link of 100 \
            Mbit/s with a queue of one round trip: over the reference TCP with reno, and over Trickles.",
    params: &[
        Param::list("rtts", "10ms,20ms,50ms,100ms,150ms,200ms", &Kind::Span, "round trips"),
        Param::size("size", "100MB", "of an object"),
        Param::count("objects", "1", (1, 1_000), "that are fetched"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (rtts, size, objects) = (context.times("rtts"), context.size("size"), context.count("objects") as usize);
    let comparison =
        Comparison { title: "Throughput by the round trip", by: Axis::new("round trip", "ms"), ways: &WAYS, on: 1.0 };
    let point = |rtt: &Duration| {
        let ms = rtt.as_secs_f64() * 1e3;
        Point { paper: Some("\"similar\"".to_owned()), ..Point::new(ms, format!("{ms} ms"), AS_FAST) }
    };
    let points: Vec<Point> = rtts.iter().map(point).collect();
    let world = |number: usize, way| crowd(context.seed, way, rtts[number], size, objects);
    comparison.measure(context, Outcome::new(json!({})), &points, world, goodput)
}

/// A client that fetches so many objects of a size over a round trip of `rtt`. A queue of one round trip stands before
/// the link, so that it is the round trip that is measured and not the queue.
/// [`goodput`] measures it.
pub fn crowd(seed: u64, way: Way, rtt: Duration, size: u64, objects: usize) -> Crowd {
    let testbed = Testbed::default().rtt(rtt);
    let packets = (testbed.rtt.as_secs_f64() / testbed.packet_time().as_secs_f64()) as usize;
    let testbed = Testbed { queue_packets: testbed.queue_packets.max(packets), ..testbed };
    testbed.alone(seed, way, core::iter::repeat_n(size, objects))
}

#[cfg(test)]
mod tests {
    use tng_sim::Loss;

    use super::super::testbed::{OBJECT_BYTES, goodput_bps};
    use super::*;

    #[test]
    fn a_client_of_trickles_is_as_fast_as_one_of_the_reference_over_a_short_and_a_long_round_trip() {
        let [near, far, control] = [(20, 0.0), (200, 0.0), (200, 0.001)].map(|(ms, loss)| {
            let rate = |way, loss| {
                let crowd = crowd(1, way, Duration::from_millis(ms), 10_000_000, 1);
                let down = crowd.down.clone().loss(Loss::Independent(loss));
                goodput_bps(&Crowd { down, ..crowd }).expect("it is loaded")
            };
            rate(WAYS[1], loss) / rate(Way::Tcp, 0.0)
        });
        assert!(AS_FAST.holds(near) && AS_FAST.holds(far), "{near}, {far}");
        assert!(!AS_FAST.holds(control), "of which one packet in a thousand is lost: {control}");
    }

    #[test]
    fn a_longer_round_trip_costs_the_reference_throughput_at_the_start_alone() {
        let rates = [10, 200].map(|ms| {
            let crowd = crowd(1, Way::Tcp, Duration::from_millis(ms), OBJECT_BYTES, 1);
            goodput_bps(&crowd).expect("it is loaded") / 1e6
        });
        assert!(rates[0] > 90.0 && rates[1] < rates[0] && rates[1] > 40.0, "{rates:?}");
    }
}
