//! Figure 17: one client alone, objects of many sizes, each on a connection of its own.

use serde_json::json;

use super::compare::{Comparison, Point};
use super::testbed::{Testbed, goodput};
use crate::exchange::{Crowd, Usage, Way};
use crate::lab::{Context, Experiment, Goal, Kind, Outcome, Param, RunError, Worlds};
use crate::page::Axis;

/// Figure 17.
pub static FIG17: Experiment = Experiment {
    name: "trickles/fig17",
    title: "Objects of many sizes",
    source: "Trickles 6.1, Figure 17",
    claim: "with data in the first packet small objects come faster than over TCP; without it about as fast",
    about: "One client fetches objects of a size, one after the other and each on a connection of its own, over a \
            switched LAN of 100 Mbit/s: over the reference TCP with reno; over Trickles with what is asked for in the \
            first datagram; and over Trickles with what is asked for once the connection stands.",
    params: &[
        Param::list("sizes", "100B,300B,1kB,3kB,10kB,30kB,100kB,300kB,1MB", &Kind::Size, "of objects"),
        Param::count("objects", "50", (1, 10_000), "of each size"),
    ],
    worlds: Worlds::Virtual,
    seeds: 1,
    run,
};

/// Objects of so many bytes and fewer are small: the first flight of a server brings them.
const SMALL_MAX: u64 = 10_000;
/// What Trickles has of the reference's throughput with small objects.
const SMALL: Goal = Goal::AtLeast(1.0);
/// With others: the paper's are within a tenth of TCP (6.1).
const LARGE: Goal = Goal::AtLeast(0.9);
/// What it has where what is asked for waits for the connection.
const WITHOUT: Goal = Goal::AtLeast(0.8);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (sizes, objects) = (context.sizes("sizes"), context.count("objects") as usize);
    let mut outcome = Outcome::new(json!({}));
    for (title, first_data) in
        [("Asked for in the first datagram", true), ("Asked for when the connection stands", false)]
    {
        let point = |size: &u64| {
            let (goal, paper) = match (first_data, *size <= SMALL_MAX) {
                (true, true) => (SMALL, Some("\"significant performance improvements\" with small objects".to_owned())),
                (true, false) => (LARGE, None),
                (false, _) => (WITHOUT, None),
            };
            Point { paper, ..Point::new(*size as f64, format!("{size} B"), goal) }
        };
        let points: Vec<Point> = sizes.iter().map(point).collect();
        let usage = Usage { first_data, ..Usage::default() };
        let ways = [Way::Tcp, Way::Trickles(usage)];
        let by = Axis::new("object", "B").log();
        let comparison = Comparison { title, by, ways: &ways, on: 1.0 };
        let world = |number: usize, way| crowd(context.seed, way, sizes[number], objects);
        outcome = comparison.measure(context, outcome, &points, world, goodput)?;
    }
    Ok(outcome)
}

/// A client that fetches so many objects of a size. [`goodput`] measures it.
pub fn crowd(seed: u64, way: Way, size: u64, objects: usize) -> Crowd {
    Testbed::default().alone(seed, way, core::iter::repeat_n(size, objects))
}

#[cfg(test)]
mod tests {
    use super::super::testbed::{LAN_RTT, goodput_bps};
    use super::*;

    const SIZES: [u64; 9] = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];

    #[test]
    fn small_objects_are_slower_where_what_is_asked_for_waits_for_the_connection() {
        let rates = [true, false].map(|first_data| {
            let way = Way::Trickles(Usage { first_data, ..Usage::default() });
            goodput_bps(&crowd(1, way, 1_000, 10)).expect("they are loaded")
        });
        assert!(rates[1] < 0.8 * rates[0], "{rates:?}");
    }

    #[test]
    fn of_the_reference_small_objects_take_two_round_trips_and_large_ones_fill_the_link() {
        let rates = SIZES.map(|size| goodput_bps(&crowd(1, Way::Tcp, size, 20)).expect("they are loaded"));
        assert!(rates.is_sorted(), "{rates:?}");
        let least = 100.0 * 8.0 / (2.0 * LAN_RTT.as_secs_f64());
        assert!(rates[0] > 0.8 * least && rates[0] < least, "{rates:?}");
        assert!(rates[8] > 90e6, "{rates:?}");
    }
}
