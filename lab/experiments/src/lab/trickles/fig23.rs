//! Figure 23: pipelined transfers of objects that are smaller than what a round trip carries.

use core::time::Duration;

use serde_json::json;

use super::testbed::{REQUEST_BYTES, Testbed, goodput_bps};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::exchange::{Crowd, Errand, Habit, Page, Pipelining, Request, Step, Usage, Visit, Way};

/// Figure 23.
pub static FIG23: Experiment = Experiment {
    name: "trickles/fig23",
    title: "Pipelined requests for small objects",
    source: "Trickles 6.1, Figure 23",
    claim: "who asks for small objects one after the other is much slower than TCP, less so with SKIP; who asks for \
            several at once is as fast as TCP; with large objects SKIP is enough",
    about: "A client keeps ten requests for objects of one size under way, on one connection over a link of 100 Mbit/s \
            with a round trip of 10 ms. Over the reference TCP with reno; over Trickles in three ways. Plain: a server \
            says with the last byte of an object where it ends, and not before that does the client ask for the next. \
            SKIP: the server says it half way through. SKIP and parallel: the client does not wait for it; the server \
            says it with the first byte, as tng's own do.",
    params: &[
        Param::list("sizes", "20kB,250kB", &Kind::Size, "bytes of an object"),
        Param::size("bytes", "20MB", "of all objects of a run"),
        Param::span("rtt", "10ms", "round trip"),
        Param::count("depth", "10", (1, 200), "requests that are under way"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// Mbit/s with objects of 250 kB: TCP, and Trickles with SKIP hints.
const PAPER_LARGE: (f64, f64) = (91.0, 86.0);
/// Bytes of the objects that the paper has numbers for.
const PAPER_LARGE_BYTES: u64 = 250_000;
/// What "performance comparable to TCP" is.
const COMPARABLE: Goal = Goal::AtLeast(0.9);
/// How much faster each way is than that before it: "significantly".
const FASTER: Goal = Goal::AtLeast(1.1);

const fn trickles(pipelining: Pipelining) -> Way {
    Way::Trickles(Usage { pipelining, ..Usage::USUAL })
}

/// The reference, and from the slowest to the fastest.
const WAYS: [(&str, Way); 4] = [
    ("TCP", Way::Tcp),
    ("Trickles, plain", trickles(Pipelining::Plain)),
    ("Trickles, SKIP", trickles(Pipelining::Skip)),
    ("Trickles, SKIP and parallel", trickles(Pipelining::Parallel)),
];

/// Places among these.
const TCP: usize = 0;
const SKIP: usize = 2;
const PARALLEL: usize = 3;
/// With how many times as many requests under way small objects are looked at, too: with the last there are enough of
/// them for the link.
const DEEPER: [usize; 3] = [2, 4, 8];
/// Round trips of a small object alone: one for what asks for it, one for its bytes, and what the link takes for them.
const ALONE: Goal = Goal::Within(2.0, 2.5);
/// With how many times as large objects SKIP is looked at, too: half of the last takes more than two round trips.
const LARGER: [u64; 2] = [2, 4];

/// What all that is measured has in common.
struct Measure<'a, 'b> {
    context: &'a Context<'b>,
    rtt: Duration,
    /// Bytes of a run.
    all: u64,
}

fn words(size: u64) -> String {
    format!("{} kB", size as f64 / 1e3)
}

fn cells(first: String, rates: &[f64]) -> Vec<String> {
    core::iter::once(first).chain(rates.iter().map(|rate| format!("{rate:.1} Mbit/s"))).collect()
}

impl Measure<'_, '_> {
    /// Mbit/s of one of the ways.
    fn mbits(&self, way: usize, depth: usize, size: u64) -> Result<f64, RunError> {
        let (name, way) = WAYS[way];
        self.context.progress(format_args!("{} over {name}, {depth} under way", words(size)));
        let count = self.all.div_ceil(size).max(1) as usize;
        let world = self.context.world(crowd(self.context.seed, way, (self.rtt, depth), size, count));
        Ok(goodput_bps(&world)? / 1e6)
    }

    /// Small objects, which TCP brings at the rate `tcp`: one alone, and more at a time than `depth`.
    fn deeper(&self, size: u64, depth: usize, tcp: f64) -> Result<(Table, [Check; 2]), RunError> {
        let (name, ways) = (words(size), [TCP, PARALLEL]);
        let head = ["under way", WAYS[TCP].0, WAYS[PARALLEL].0];
        let mut table = Table::new(&head).titled(&format!("{name}, by the requests that are under way"));
        let mut parallel = Vec::new();
        for depth in core::iter::once(1).chain(DEEPER.map(|times| times * depth)) {
            let rates = [self.mbits(ways[0], depth, size)?, self.mbits(ways[1], depth, size)?];
            table.row(cells(depth.to_string(), &rates));
            parallel.push(rates[1]);
        }
        let trips = size as f64 * 8e-6 / parallel[0] / self.rtt.as_secs_f64();
        let (times, most) = (DEEPER[DEEPER.len() - 1], parallel[parallel.len() - 1]);
        let deepest = format!("{name}: SKIP and parallel with {times} times as many under way by TCP with {depth}");
        Ok((
            table,
            [
                Check::new(format!("{name}: round trips of an object alone"), trips, "", ALONE).ours(),
                Check::new(deepest, most / tcp, "", COMPARABLE).ours(),
            ],
        ))
    }

    /// SKIP with larger objects.
    fn larger(&self, size: u64, depth: usize) -> Result<(Table, Check), RunError> {
        let title = format!("Larger objects than {}", words(size));
        let mut table = Table::new(&["objects", WAYS[TCP].0, WAYS[SKIP].0]).titled(&title);
        let mut last = (String::new(), f64::NAN);
        for size in LARGER.map(|times| times * size) {
            let rates = [self.mbits(TCP, depth, size)?, self.mbits(SKIP, depth, size)?];
            table.row(cells(words(size), &rates));
            last = (words(size), rates[1] / rates[0]);
        }
        let (paper_tcp, paper) = PAPER_LARGE;
        let (name, share) = last;
        Ok((table, Check::new(format!("{name}: SKIP by TCP"), share, "", Goal::AtLeast(paper / paper_tcp)).ours()))
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (all, rtt, depth) = (context.size("bytes"), context.time("rtt"), context.count("depth") as usize);
    let measure = Measure { context, rtt, all };
    let head: Vec<&str> = core::iter::once("objects").chain(WAYS.map(|(name, _)| name)).collect();
    let mut tables = vec![Table::new(&head)];
    let (mut curves, mut results, mut checks) = (vec![Vec::new(); WAYS.len()], Vec::new(), Vec::new());
    for (at, size) in context.sizes("sizes").into_iter().enumerate() {
        let (mut rates, size_words) = (Vec::new(), words(size));
        for (way, curve) in curves.iter_mut().enumerate() {
            let rate = measure.mbits(way, depth, size)?;
            curve.push((at as f64, rate));
            rates.push(rate);
        }
        tables[0].row(cells(size_words.clone(), &rates));
        let [tcp, plain, skip, parallel] = [0, 1, 2, 3].map(|way| rates[way]);
        let named = |what: &str| format!("{size_words}: {what}");
        checks.push(Check::new(named("SKIP by plain"), skip / plain, "", FASTER).ours());
        if size < PAPER_LARGE_BYTES {
            checks.push(
                Check::new(named("SKIP and parallel by TCP"), parallel / tcp, "", COMPARABLE).paper("\"comparable\""),
            );
            checks.push(
                Check::new(named("SKIP and parallel by SKIP"), parallel / skip, "", FASTER)
                    .paper("\"significantly improves\""),
            );
            let (table, more) = measure.deeper(size, depth, tcp)?;
            tables.push(table);
            checks.extend(more);
        } else {
            let (paper_tcp, paper) = PAPER_LARGE;
            checks.push(
                Check::new(named("SKIP by TCP"), skip / tcp, "", Goal::AtLeast(paper / paper_tcp))
                    .paper(format!("{:.3}: {paper} by {paper_tcp} Mbit/s", paper / paper_tcp)),
            );
            let (table, more) = measure.larger(size, depth)?;
            tables.push(table);
            checks.push(more);
        }
        results.push(json!({ "bytes": size, "rates_mbits": rates }));
    }
    let names: Vec<String> = context.sizes("sizes").iter().map(|size| words(*size)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let plot = Plot::new("Pipelined requests", Axis::names(&names), Axis::new("rate", "Mbit/s"));
    let plot = WAYS.iter().zip(curves).fold(plot, |plot, ((name, _), curve)| plot.series(Series::bars(name, curve)));
    let results = json!({ "ways": WAYS.map(|(name, _)| name), "sizes": results });
    let outcome = Outcome::new(results)
        .plot(plot)
        .note(
            "The bars of the paper's figure, which are of 20 kB, have no numbers in its text. In the paper a server \
             says half way through where an object ends when requests are parallel, too; here nothing waits for it \
             then. The datagram that asks for an object is answered with one pair of packets; all others wait for the \
             output continuation in that answer. So the bytes of an object begin to flow a round trip after it.",
        )
        .note(
            "That is why ten objects of 20 kB at a time do not fill the link: one alone takes two round trips and \
             what the link takes for it, over TCP one. Ten of them in two round trips of 10 ms are 80 Mbit/s at most. \
             The second table has the rates with more of them under way, and a check says with how many of them there \
             are enough.",
        )
        .note(
            "It is also why SKIP half way through is not enough with objects of 250 kB, whose bytes take two round \
             trips: from SKIP on, the second half of an object flows for one, and the next object's bytes begin after \
             two. The last table has larger objects; half of one of 1 MB takes four round trips, and SKIP hides both.",
        );
    let outcome = tables.into_iter().fold(outcome, Outcome::table);
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

/// A client that asks for so many objects of `size`, `depth` of them at a time, on one connection. [`goodput_bps`]
/// measures it.
pub fn crowd(seed: u64, way: Way, (rtt, depth): (Duration, usize), size: u64, objects: usize) -> Crowd {
    // The first of a page is waited for; it is one of so many.
    let requests = vec![Request { request: REQUEST_BYTES, answer: size }; objects];
    let steps = vec![Step { after: Duration::ZERO, cold: false, page: Page { requests } }];
    let habit = Habit { streams: 1, persistent: true, depth };
    let visit = Visit::new(0, Errand::new(habit, steps));
    Testbed::default().rtt(rtt).crowd(seed, vec![way], vec![visit])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const RTT: Duration = Duration::from_millis(10);
    const DEPTH: usize = 10;

    #[test]
    fn pipelined_requests_fill_the_link_for_the_reference_whatever_the_size() {
        for size in [20_000, 250_000] {
            let rate = goodput_bps(&crowd(1, Way::Tcp, (RTT, DEPTH), size, (40_000_000 / size) as usize));
            let rate = rate.expect("they are loaded");
            assert!(rate > 85e6, "{size} B: {rate}");
        }
    }

    #[test]
    fn who_waits_for_the_end_of_an_object_before_the_next_takes_round_trips_for_each() {
        // Two, one of them for what asks for it; with SKIP half of the object is under way meanwhile.
        let seconds = |way| {
            let rate = goodput_bps(&crowd(1, way, (RTT, DEPTH), 20_000, 50)).expect("they are loaded");
            50.0 * 20_000.0 * 8.0 / rate
        };
        let [plain, skip, parallel] = [1, 2, 3].map(|way| seconds(WAYS[way].1) / 50.0 / RTT.as_secs_f64());
        assert!((1.5..3.0).contains(&plain), "{plain} round trips");
        assert!(parallel < skip && skip < plain, "{parallel}, {skip}, {plain}");
    }

    #[test]
    fn half_of_an_object_that_comes_in_a_round_trip_is_no_time_to_ask_in() {
        let unmet = |size: &str, check: &str| {
            let record = measured(&FIG23, 1, &[size, "bytes=2MB"]);
            unmet(&record.outcome).contains(&check)
        };
        assert!(unmet("sizes=20kB", "20 kB: SKIP by plain, a goal of ours"));
        assert!(!unmet("sizes=200kB", "200 kB: SKIP by plain, a goal of ours"));
    }

    #[test]
    fn a_size_of_which_the_paper_has_numbers_is_held_against_these() {
        let record = measured(&FIG23, 1, &["sizes=250kB", "bytes=1MB"]);
        let papers: Vec<&str> = record.outcome.checks.iter().filter_map(|check| check.paper.as_deref()).collect();
        assert_eq!(papers, ["0.945: 86 by 91 Mbit/s"], "{record}");
    }
}
