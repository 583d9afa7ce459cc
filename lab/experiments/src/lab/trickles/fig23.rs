//! Figure 23: pipelined transfers of objects that are smaller than what a round trip carries.

use core::time::Duration;

use serde_json::json;

use super::testbed::{REQUEST_BYTES, Testbed, goodput_bps};
use crate::exchange::{Crowd, Errand, Habit, Page, Pipelining, Request, Step, Usage, Visit, Way};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};

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
    seeds: 1,
    run,
};

/// Mbit/s with objects of 250 kB: TCP, and Trickles with SKIP hints.
const PAPER_LARGE: (f64, f64) = (91.0, 86.0);
/// Bytes of the objects of which the paper has numbers.
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

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (all, rtt, depth) = (context.size("bytes"), context.time("rtt"), context.count("depth") as usize);
    let head: Vec<&str> = core::iter::once("objects").chain(WAYS.map(|(name, _)| name)).collect();
    let mut table = Table::new(&head);
    let (mut curves, mut results, mut checks) = (vec![Vec::new(); WAYS.len()], Vec::new(), Vec::new());
    for (at, size) in context.sizes("sizes").into_iter().enumerate() {
        let (mut rates, size_words) = (Vec::new(), format!("{} kB", size as f64 / 1e3));
        for ((name, way), curve) in WAYS.iter().zip(&mut curves) {
            context.progress(format_args!("{size_words} over {name}"));
            let count = all.div_ceil(size).max(1) as usize;
            let rate = goodput_bps(&context.world(crowd(context.seed, *way, (rtt, depth), size, count)))? / 1e6;
            curve.push((at as f64, rate));
            rates.push(rate);
        }
        table.row(
            core::iter::once(size_words.clone()).chain(rates.iter().map(|rate| format!("{rate:.1} Mbit/s"))).collect(),
        );
        let [tcp, plain, skip, parallel] = [0, 1, 2, 3].map(|way| rates[way]);
        let named = |what: &str| format!("{size_words}: {what}");
        if size < PAPER_LARGE_BYTES {
            checks.push(
                Check::new(named("SKIP and parallel by TCP"), parallel / tcp, "", COMPARABLE).paper("\"comparable\""),
            );
            checks.push(
                Check::new(named("SKIP and parallel by SKIP"), parallel / skip, "", FASTER)
                    .paper("\"significantly improves\""),
            );
        } else {
            let (paper_tcp, paper) = PAPER_LARGE;
            checks.push(
                Check::new(named("SKIP by TCP"), skip / tcp, "", Goal::AtLeast(paper / paper_tcp))
                    .paper(format!("{:.3}: {paper} by {paper_tcp} Mbit/s", paper / paper_tcp)),
            );
        }
        checks.push(Check::new(named("SKIP by plain"), skip / plain, "", FASTER).ours());
        results.push(json!({ "bytes": size, "rates_mbits": rates }));
    }
    let names: Vec<String> = context.sizes("sizes").iter().map(|size| format!("{} kB", *size as f64 / 1e3)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let plot = Plot::new("Pipelined requests", Axis::names(&names), Axis::new("rate", "Mbit/s"));
    let plot = WAYS.iter().zip(curves).fold(plot, |plot, ((name, _), curve)| plot.series(Series::bars(name, curve)));
    let results = json!({ "ways": WAYS.map(|(name, _)| name), "sizes": results });
    let outcome = Outcome::new(results).table(table).plot(plot).note(
        "The bars of the paper's figure, which are of 20 kB, have no numbers in its text. In the paper a server says \
         half way through where an object ends when requests are parallel, too; here nothing waits for it then. The \
         datagram that asks for an object is answered with one pair of packets; all others wait for the output \
         continuation in that answer. So the bytes of an object begin to flow a round trip after it: of an object of \
         250 kB, which takes two round trips, SKIP half way through saves one of two others.",
    );
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
            let record = measured(&FIG23, 1, &[size, "bytes=4MB"]);
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
