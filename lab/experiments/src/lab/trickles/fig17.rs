//! Figure 17: one client alone, objects of many sizes, each on a connection of its own.

mod real;

use core::cell::RefCell;

use serde_json::json;

use super::compare::{Comparison, Point};
use super::testbed::{Testbed, goodput};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::Axis;
use crate::peers::exchange::{Crowd, Usage, Way};

/// Figure 17.
pub static FIG17: Experiment = Experiment {
    name: "trickles/fig17",
    title: "Objects of many sizes",
    source: "Trickles 6.1, Figure 17",
    claim: "with data in the first packet small objects come faster than over TCP; without it about as fast",
    about: "One client fetches objects of a size, one after the other and each on a connection of its own: over the \
            reference TCP with reno; over Trickles with what is asked for in the first datagram; and over Trickles \
            with what is asked for once the connection stands. Over a switched LAN of 1 Gbit/s, as that of the \
            paper's machines was; over one of 100 Mbit/s; and over a link of 100 Mbit/s with a longer round trip. With \
            --real: the latter two between network namespaces, nginx and the kernel's TCP beside tng trickles serve.",
    params: &[
        Param::list("sizes", "100B,300B,1kB,3kB,10kB,30kB,100kB,300kB,1MB", &Kind::Size, "of objects"),
        Param::count("objects", "50", (1, 10_000), "of each size"),
        Param::span("rtt", "10ms", "the longer round trip"),
        Param::count("real-objects", "50", (1, 10_000), "of each size, with --real"),
    ],
    worlds: Worlds::Either(Needs { root: true, minutes: 2 }),
    seeds: SEEDS_MIN,
    vary: &[],
    run: |context| if context.real { real::run(context) } else { run(context) },
};

/// Objects of so many bytes and fewer are small: the first flight of a server brings them.
const SMALL_MAX: u64 = 10_000;
/// How many times as fast the one LAN is as the other.
const FASTER: u64 = 10;
/// What the paper says of small objects.
const PAPER: &str = "\"significant performance improvements\" with small objects";
/// What Trickles has of the reference's throughput where the paper's claim is made: with small objects, with others
/// (the paper's are within a tenth of TCP, 6.1), and where what is asked for waits for the connection.
const CLAIMED: Goals =
    Goals { small: Goal::AtLeast(1.0), large: Goal::AtLeast(0.9), without: Goal::AtLeast(0.8), paper: Some(PAPER) };
/// The same where the link takes as long for a packet as it takes to its other end and back.
const SLOW: Goals =
    Goals { small: Goal::AtLeast(0.8), large: Goal::AtLeast(0.8), without: Goal::AtLeast(0.6), paper: None };
/// Round trips of an object that one packet brings, on a connection of its own: those that there must be.
const TRIPS: [(&str, Goal); 3] = [
    ("over TCP", Goal::Within(1.9, 2.1)),
    ("asked for in the first datagram", Goal::Within(0.9, 1.1)),
    ("asked for when the connection stands", Goal::Within(1.9, 2.1)),
];

/// What Trickles has of the reference's throughput in a network.
#[derive(Clone, Copy)]
struct Goals {
    small: Goal,
    large: Goal,
    without: Goal,
    /// What the paper says of the first.
    paper: Option<&'static str>,
}

/// How long objects of each size take, in seconds: over TCP, asked for at once, asked for when the connection stands.
type Times = Vec<[f64; 3]>;

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (sizes, lan) = (context.sizes("sizes"), Testbed::default());
    let fast = Testbed { rate_bps: FASTER * lan.rate_bps, ..lan.clone() };
    let outcome = Outcome::new(json!({}));
    let (outcome, quick) = measure(context, outcome, "LAN of 1 Gbit/s", &fast, CLAIMED)?;
    let (outcome, slow) = measure(context, outcome, "LAN of 100 Mbit/s", &lan, SLOW)?;
    let far = lan.clone().rtt(context.time("rtt"));
    let (outcome, _) = measure(context, outcome, "Longer round trip", &far, CLAIMED)?;
    // A time is round trips, and bytes that the link takes so much longer for on the slower LAN.
    let link = |slow: f64, quick: f64| (slow - quick) * FASTER as f64 / (FASTER - 1) as f64;
    let trips = |slow: f64, quick: f64| (slow - link(slow, quick)) / lan.rtt.as_secs_f64();
    let head: Vec<&str> = core::iter::once("object").chain(TRIPS.map(|(way, _)| way)).collect();
    let mut table = Table::new(&head).titled("Round trips of a small object, and what the link of 100 Mbit/s takes");
    let mut checks = Vec::new();
    for (size, (slow, quick)) in sizes.iter().zip(slow.iter().zip(&quick)).filter(|(size, _)| **size <= SMALL_MAX) {
        let both = |way: usize| (trips(slow[way], quick[way]), link(slow[way], quick[way]) * 1e6);
        let cells = [0, 1, 2].map(both).map(|(trips, us)| format!("{trips:.2} and {us:.0} µs"));
        table.row(core::iter::once(format!("{size} B")).chain(cells).collect());
        if checks.is_empty() {
            checks.extend(TRIPS.iter().enumerate().map(|(way, (name, goal))| {
                Check::new(format!("Round trips of an object of {size} B, {name}"), both(way).0, "", *goal).ours()
            }));
        }
    }
    let outcome = outcome.table(table).note(
        "The paper gives no numbers for its figure, which was measured on a Gigabit LAN; its claim is judged there, \
         and over the longer round trip. On a LAN of 100 Mbit/s Trickles is slower than TCP with objects of every \
         size, and the goals there are ours: no more than a regression would miss. What is asked for in the first \
         datagram saves a round trip, which is 100 µs on a LAN. The first datagram of a connection has 1,200 bytes, so \
         that a server may answer with as many before it knows the address: 98 µs on the way to the server alone, at \
         that rate. With the answer, which brings the server's proof and the first continuations, that is more than \
         the round trip. At ten times the rate the bytes take a tenth of that; the table tells the two apart from the \
         times on both LANs.",
    );
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

/// Every size over one network.
fn measure(
    context: &Context<'_>,
    mut outcome: Outcome,
    network: &str,
    testbed: &Testbed,
    goals: Goals,
) -> Result<(Outcome, Times), RunError> {
    let (sizes, objects) = (context.sizes("sizes"), context.count("objects") as usize);
    let mut times = vec![[f64::NAN; 3]; sizes.len()];
    for (place, when) in [(1, "in the first datagram"), (2, "when the connection stands")] {
        let point = |size: &u64| {
            let (goal, paper) = match (place, *size <= SMALL_MAX) {
                (1, true) => (goals.small, goals.paper.map(str::to_owned)),
                (1, false) => (goals.large, None),
                _ => (goals.without, None),
            };
            Point { paper, ..Point::new(*size as f64, format!("{size} B"), goal) }
        };
        let points: Vec<Point> = sizes.iter().map(point).collect();
        let ways = [Way::Tcp, Way::Trickles(Usage { first_data: place == 1, ..Usage::default() })];
        let title = format!("{network}, asked for {when}");
        let comparison = Comparison { title: &title, by: Axis::new("object", "B").log(), ways: &ways, on: 1.0 };
        let world = |number: usize, way| crowd(testbed, context.seed, way, sizes[number], objects);
        let rates = RefCell::new(Vec::new());
        let rate = |crowd: &Crowd| {
            let (rate, account) = goodput(crowd)?;
            rates.borrow_mut().push(rate);
            Ok((rate, account))
        };
        let before = outcome.checks.len();
        outcome = comparison.measure(context, outcome, &points, world, rate)?;
        for check in outcome.checks.iter_mut().skip(before) {
            if check.paper.is_none() {
                *check = check.clone().ours();
            }
            // What the answer to the first datagram has brought whole came of no request.
            check.why.take_if(|why| why.starts_with("0 packets"));
        }
        for ((times, size), rates) in times.iter_mut().zip(&sizes).zip(rates.borrow().chunks(ways.len())) {
            let time = |rate: f64| *size as f64 * 8.0 / rate;
            (times[0], times[place]) = (time(rates[0]), time(rates[1]));
        }
    }
    Ok((outcome, times))
}

/// A client that fetches so many objects of a size over a network. [`goodput`] measures it.
pub fn crowd(testbed: &Testbed, seed: u64, way: Way, size: u64, objects: usize) -> Crowd {
    testbed.alone(seed, way, core::iter::repeat_n(size, objects))
}

#[cfg(test)]
mod tests {
    use super::super::testbed::{LAN_RTT, goodput_bps};
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const SIZES: [u64; 9] = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];

    #[test]
    fn small_objects_are_slower_where_what_is_asked_for_waits_for_the_connection() {
        let rates = [true, false].map(|first_data| {
            let way = Way::Trickles(Usage { first_data, ..Usage::default() });
            goodput_bps(&crowd(&Testbed::default(), 1, way, 1_000, 10)).expect("they are loaded")
        });
        assert!(rates[1] < 0.8 * rates[0], "{rates:?}");
    }

    #[test]
    fn a_small_object_takes_one_round_trip_where_it_is_asked_for_in_the_first_datagram_and_two_otherwise() {
        let record = measured(&FIG17, 1, &["sizes=100B", "objects=10"]);
        assert!(record.holds(), "{record}");
        // Where a round trip is nothing beside what the link takes for packets, there is nothing to gain.
        let record = measured(&FIG17, 1, &["sizes=100B", "objects=10", "rtt=100us"]);
        let missed = "Longer round trip, asked for in the first datagram: Trickles by TCP, 100 B";
        assert!(unmet(&record.outcome).contains(&missed), "{record}");
    }

    #[test]
    fn of_the_reference_small_objects_take_two_round_trips_and_large_ones_fill_the_link() {
        let rates =
            SIZES.map(|size| goodput_bps(&crowd(&Testbed::default(), 1, Way::Tcp, size, 20)).expect("they are loaded"));
        assert!(rates.is_sorted(), "{rates:?}");
        let least = 100.0 * 8.0 / (2.0 * LAN_RTT.as_secs_f64());
        assert!(rates[0] > 0.8 * least && rates[0] < least, "{rates:?}");
        assert!(rates[8] > 90e6, "{rates:?}");
    }
}
