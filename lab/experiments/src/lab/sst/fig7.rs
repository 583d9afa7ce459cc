//! How long transactions of many sizes take: the paper's Figure 7.

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{DATAGRAM_OVERHEAD, Link};

use super::shape::LINES;
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::exchange::udp::{self, DATAGRAM_MAX};
use crate::peers::exchange::{Habit, Load, Page, REQUEST_MAX, Setting, Step, Way};

/// Figure 7.
pub static FIG7: Experiment = Experiment {
    name: "sst/fig7",
    title: "Transactions of many sizes",
    source: "SST 5.4, Figure 7",
    claim: "a small transaction on a new SST stream takes no longer than over UDP, half as long as on a new TCP \
            connection, and large ones work as well; a first one takes a round trip in all, or two if it is held",
    about: "One request, one answer of 32 B to 2 MiB, on a quiet link with the shape of the paper's DSL line and on \
            one with that of its wireless network: as two datagrams; over a new TCP connection; on a new stream of an \
            SST or QUIC connection that is there (warm) or is made for it (cold), for a service that acts on a first \
            flight at once or after the client has proven that it is no replay (held), and with early data (0-RTT).",
    params: &[
        Param::rate("rate", "1.5mbit", "of the first link, each way"),
        Param::time("delay", "25ms", "of the first link, each way"),
        Param::rate("wireless-rate", "18mbit", "of the second link, each way"),
        Param::time("wireless-delay", "2ms", "of the second link, each way"),
        Param::size("queue", "128KiB", "bytes that wait for a link at most"),
        Param::size("request", "64B", "of the request"),
        Param::size("largest", "2MiB", "of the answers, which begin with 32 B and double"),
        Param::word("controller", "cubic", &["cubic", "newreno"], "of TCP, SST and QUIC"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: LINES,
    run,
};

/// The smallest answer, bytes.
const SMALLEST: u64 = 32;
/// Answers up to so many bytes, one packet, are small.
const SMALL_MAX: u64 = 1_024;
/// An IP packet of a first flight, which is padded so that an answer may be as long.
const FLIGHT_LEN: u64 = 1_200 + DATAGRAM_OVERHEAD as u64;
/// What may be more than another time and still be called no longer.
const ALIKE: f64 = 1.05;
/// How long a connection has been there when it is warm.
const WARM_FOR: Duration = Duration::from_secs(5);
/// What the connection was used for before, bytes each way.
const FIRST: u64 = 100;

/// How transactions are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Datagrams,
    /// A connection for each.
    Cold(Way),
    /// A connection for each, to a server that was visited before.
    Again(Way),
    /// A stream for each.
    Warm(Way),
}

const SST: Way = Way::Sst { replay_safe: true };

/// All of them, in the order of the columns.
const KINDS: [(&str, Kind); 8] = [
    ("UDP", Kind::Datagrams),
    ("TCP", Kind::Cold(Way::Tcp)),
    ("SST warm", Kind::Warm(SST)),
    ("SST cold", Kind::Cold(SST)),
    ("SST held", Kind::Cold(Way::Sst { replay_safe: false })),
    ("QUIC warm", Kind::Warm(Way::Quic)),
    ("QUIC cold", Kind::Cold(Way::Quic)),
    ("QUIC 0-RTT", Kind::Again(Way::Quic)),
];

/// The latencies of one link, by kind and size: none where the size is none of the kind.
struct Measured {
    name: &'static str,
    rtt_s: f64,
    rate_bps: f64,
    sizes: Vec<u64>,
    seconds: Vec<Vec<Option<f64>>>,
}

impl Measured {
    fn of(&self, kind: &str) -> impl Iterator<Item = (u64, Option<f64>)> + '_ {
        let column = KINDS.iter().position(|(name, _)| *name == kind).expect("one of the kinds");
        self.sizes.iter().copied().zip(self.seconds[column].iter().copied())
    }

    /// The ratio that is furthest above all others between two kinds, among these sizes.
    fn worst_ratio(&self, kind: &str, by: &str, sizes: impl Fn(u64) -> bool) -> f64 {
        let ratios = self.of(kind).zip(self.of(by)).filter(|((size, _), _)| sizes(*size));
        ratios.filter_map(|((_, one), (_, other))| Some(one? / other?)).fold(f64::NAN, f64::max)
    }

    /// Seconds that a first flight takes forth, and an answer of so many bytes back, in a datagram without any other
    /// header.
    fn round_s(&self, size: u64) -> f64 {
        self.rtt_s + ((FLIGHT_LEN + DATAGRAM_OVERHEAD as u64 + size) * 8) as f64 / self.rate_bps
    }

    /// The small transaction of a kind that takes most of its own round trips.
    fn rounds(&self, kind: &str) -> f64 {
        let small = self.of(kind).filter(|(size, _)| *size <= SMALL_MAX);
        small.filter_map(|(size, seconds)| Some(seconds? / self.round_s(size))).fold(f64::NAN, f64::max)
    }

    /// The least ratio.
    fn least_ratio(&self, kind: &str, by: &str, sizes: impl Fn(u64) -> bool) -> f64 {
        let ratios = self.of(kind).zip(self.of(by)).filter(|((size, _), _)| sizes(*size));
        ratios.filter_map(|((_, one), (_, other))| Some(one? / other?)).fold(f64::NAN, f64::min)
    }
}

fn measure(
    context: &Context<'_>,
    kind: Kind,
    request: u32,
    answer: u64,
    setting: &Setting,
) -> Result<Option<f64>, RunError> {
    let step = |after, cold, page| Step { after, cold, page };
    let before = step(Duration::ZERO, false, Page::single(FIRST as u32, FIRST));
    let page = Page::single(request, answer);
    let (way, steps) = match kind {
        Kind::Datagrams => {
            let answer = u32::try_from(answer).ok().filter(|answer| *answer <= DATAGRAM_MAX);
            return Ok(answer
                .and_then(|answer| udp::exchange(context.world(setting), request, answer))
                .map(|time| time.as_secs_f64()));
        }
        Kind::Cold(way) => (way, vec![step(Duration::ZERO, false, page)]),
        Kind::Again(way) => (way, vec![before, step(WARM_FOR, true, page)]),
        Kind::Warm(way) => (way, vec![before, step(WARM_FOR, false, page)]),
    };
    let load = context.world(Load { way, habit: Habit::EACH_ITS_OWN, setting });
    let loaded = load.run(steps).map_err(RunError::broken)?;
    Ok(loaded.last().map(|page| page.seconds()))
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (request, largest) = (context.size("request"), context.size("largest"));
    if !(SMALL_MAX..=64 << 20).contains(&largest) {
        return Err(RunError::Params(format!(
            "answers up to {largest} bytes tell nothing, or take long: largest=1kB to 64MiB"
        )));
    }
    let request = u32::try_from(request).ok().filter(|request| *request <= REQUEST_MAX);
    let request = request.ok_or_else(|| RunError::Params(format!("a request has at most {REQUEST_MAX} bytes")))?;
    let sizes: Vec<u64> =
        core::iter::successors(Some(SMALLEST), |size| Some(size * 2)).take_while(|s| *s <= largest).collect();
    let mut links = Vec::new();
    for (name, rate, delay) in [("DSL", "rate", "delay"), ("wireless", "wireless-rate", "wireless-delay")] {
        let (rate, delay) = (context.rate(rate), context.time(delay));
        let queue = QueueConfig::DropTail(Limit::Bytes(context.size("queue")));
        let link = Link::new().rate(rate).delay(delay).queue(queue);
        let controller = context.word("controller").to_owned();
        let setting = Setting { seed: context.seed, up: link.clone(), down: link, controller };
        let mut seconds = Vec::new();
        for (kind_name, kind) in KINDS {
            context.progress(format_args!("{name}, {kind_name}"));
            let each = sizes.iter().map(|size| measure(context, kind, request, *size, &setting));
            seconds.push(each.collect::<Result<Vec<_>, _>>()?);
        }
        let rtt_s = 2.0 * delay.as_secs_f64();
        links.push(Measured { name, rtt_s, rate_bps: rate as f64, sizes: sizes.clone(), seconds });
    }
    Ok(outcome(&links))
}

fn outcome(links: &[Measured]) -> Outcome {
    let figures = |link: &Measured| {
        let of = |name: &str| link.of(name).map(|(_, seconds)| seconds).collect::<Vec<_>>();
        let latency_s: serde_json::Map<_, _> =
            KINDS.iter().map(|(name, _)| ((*name).to_owned(), json!(of(name)))).collect();
        json!({
            "link": link.name, "rtt_s": link.rtt_s, "rate_bps": link.rate_bps, "sizes": link.sizes,
            "latency_s": latency_s,
        })
    };
    let mut outcome = Outcome::new(json!({ "links": links.iter().map(figures).collect::<Vec<_>>() }));
    for link in links {
        let head: Vec<&str> = core::iter::once("answer").chain(KINDS.iter().map(|(name, _)| *name)).collect();
        let mut table = Table::new(&head).titled(&format!("Latency on the {} link, milliseconds", link.name));
        for (row, size) in link.sizes.iter().enumerate() {
            let cell = |column: &Vec<Option<f64>>| column[row].map_or("-".to_owned(), |s| format!("{:.1}", s * 1e3));
            table.row(core::iter::once(size.to_string()).chain(link.seconds.iter().map(cell)).collect());
        }
        let title = format!("Latency of a transaction, {} link", link.name);
        let plot = Plot::new(&title, Axis::new("bytes of the answer", "").log(), Axis::new("latency", "ms").log());
        let curve = |name: &str| {
            let points = link.of(name).filter_map(|(size, seconds)| Some((size as f64, seconds? * 1e3)));
            Series::line(name, points.collect())
        };
        let plot = KINDS.iter().fold(plot, |plot, (name, _)| plot.series(curve(name)));
        outcome = outcome.table(table).plot(plot);
    }
    let outcome = links.iter().flat_map(checks).fold(outcome, Outcome::check);
    outcome
        .note(
            "A round trip of a transaction is the link's and the time it takes to send a first flight of 1,228 B and \
               the answer in a datagram; keys and signatures that ride with the answer are what there is beyond it. No \
               longer is no longer than 1.05 times.",
        )
        .note("SST and QUIC are encrypted and prove who the server is; TCP and UDP do neither.")
        .note(
            "The paper's line lost UDP datagrams above 8 kB in middleboxes; here fragments pass, up to the 65,507 B \
               of IPv4.",
        )
        .note(
            "Initial windows are today's ten packets, not the paper's; the links are simulated, where the paper had \
               a real DSL line.",
        )
        .note("QUIC servers show a raw key; a certificate would make cold connections slower.")
}

/// What must be so on a link.
fn checks(link: &Measured) -> [Check; 7] {
    let small = |size| size <= SMALL_MAX;
    let last = link.sizes.last().copied();
    let largest = |size| Some(size) == last;
    let check = |name: &str, value, goal| Check::new(format!("{}, {name}", link.name), value, "", goal);
    [
        check("small: SST warm by UDP, at most", link.worst_ratio("SST warm", "UDP", small), Goal::AtMost(ALIKE))
            .paper("the same low latency as UDP"),
        check("small: TCP by UDP, at least", link.least_ratio("TCP", "UDP", small), Goal::Within(1.8, 2.2))
            .paper("twice as long as UDP"),
        check("small: a first SST flight, in its round trips, at most", link.rounds("SST cold"), Goal::AtMost(ALIKE))
            .paper("one, if the request rides on the negotiation"),
        check("small: a held one, in its round trips, at most", link.rounds("SST held"), Goal::AtMost(2.0 * ALIKE))
            .paper("two: one for channel setup otherwise"),
        check("largest: SST warm by TCP", link.worst_ratio("SST warm", "TCP", largest), Goal::AtMost(ALIKE))
            .paper("scales to long-running transfers"),
        check(
            "small: SST warm by QUIC warm, at most",
            link.worst_ratio("SST warm", "QUIC warm", small),
            Goal::AtMost(1.02),
        ),
        check(
            "small: SST cold by QUIC 0-RTT, at most",
            link.worst_ratio("SST cold", "QUIC 0-RTT", small),
            Goal::AtMost(ALIKE),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn the_figure_of_the_paper_comes_out_and_the_same_again() {
        let set = ["largest=64KiB"];
        let record = measured(&FIG7, 1, &set);
        assert!(record.holds(), "{record}");
        assert_eq!(record, measured(&FIG7, 1, &set));
    }

    #[test]
    fn on_a_link_where_sending_takes_longer_than_the_way_the_handshake_hardly_counts() {
        let record = measured(&FIG7, 1, &["rate=8kbit", "delay=1ms", "largest=1KiB"]);
        assert!(unmet(&record.outcome).contains(&"DSL, small: TCP by UDP, at least"), "{record}");
    }

    #[test]
    fn the_second_link_counts_too() {
        let record = measured(&FIG7, 1, &["wireless-rate=8kbit", "wireless-delay=1ms", "largest=1KiB"]);
        assert!(unmet(&record.outcome).contains(&"wireless, small: TCP by UDP, at least"), "{record}");
    }

    #[test]
    fn answers_that_tell_nothing_are_refused() {
        let params = FIG7.params(&["largest=64B".to_owned()]).expect("a size");
        let error = FIG7.measure(1, params, false, &|_| ()).expect_err("too small");
        assert!(error.to_string().contains("largest="), "{error}");
    }
}
