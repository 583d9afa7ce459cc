//! Figure 22: one client alone while bursts of packets are reordered on the way to it.

use core::time::Duration;

use serde_json::json;
use tng_sim::{PATTERN_HOLD, Patterns, Reorder};
use tng_trickles::client::LATER_PACKETS_MAX;

use super::testbed::{Testbed, WAYS, goodput};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::exchange::{Crowd, Usage, Way};
use crate::scenario::pattern_file;

/// Figure 22.
pub static FIG22: Experiment = Experiment {
    name: "trickles/fig22",
    title: "Bursts that are reordered",
    source: "Trickles 6.1, Figure 22",
    claim: "packets that come late cost a client of Trickles little: it learns how late they are, and has mistaken \
            cuts taken back",
    about: "One client fetches an object over a path on which one packet of some bursts of ten comes late; the same \
            path without that; and with these packets lost instead. Over the reference TCP with reno, over Trickles, \
            and over Trickles whose threshold is fixed: so many later packets make a packet lost, and none is learned. \
            The paper's patterns are of two paths of its own and not in its text; these are a model, one path that \
            reorders seldom and by little, one that does often and by more; or those of a file.",
    params: &[
        Param::size("size", "100MB", "of the object"),
        Param::list("thresholds", "3,10,30", &Kind::Count(1, LATER_PACKETS_MAX), "that are fixed, in packets"),
        Param::text("file", "", "patterns to take instead of those of the models (docs/scenarios.md)"),
        Param::span("rtt", "30ms", "round trip of the path of that file"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// What Trickles has while packets are late of what it has while none are.
const LATE: Goal = Goal::AtLeast(0.9);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let size = context.size("size");
    let ways: Vec<Way> = WAYS.into_iter().chain(context.counts("thresholds").into_iter().map(fixed)).collect();
    let mut table = Table::new(&["path", "over", "in order", "late", "lost", "late by in order"]);
    let (mut outcome, mut results, mut checks) = (Outcome::new(json!({})), Vec::new(), Vec::new());
    for path in paths(context)? {
        let title = format!("The path {}", path.name);
        let mut plot = Plot::new(&title, Axis::names(&["in order", "late", "lost"]), Axis::new("rate", "Mbit/s"));
        for way in ways.iter().copied() {
            let name = way.to_string();
            context.progress(format_args!("{}, {name}", path.name));
            let (mut rates, mut accounts) = (Vec::new(), Vec::new());
            for fate in Fate::ALL {
                let world = crowd(context.seed, way, path.rtt, &path.patterns, fate, size);
                let (rate_bps, account) = goodput(&context.world(world))?;
                rates.push(rate_bps / 1e6);
                accounts.push(account);
            }
            let kept = rates[1] / rates[0];
            let cells = rates.iter().map(|rate| format!("{rate:.2} Mbit/s"));
            let cells = [path.name.clone(), name.clone()].into_iter().chain(cells);
            table.row(cells.chain([format!("{kept:.3}")]).collect());
            plot = plot
                .series(Series::bars(&name, rates.iter().enumerate().map(|(at, rate)| (at as f64, *rate)).collect()));
            if way == WAYS[1] {
                checks.push(
                    Check::new(format!("the path {}: late by in order, Trickles", path.name), kept, "", LATE)
                        .because(&accounts[1]),
                );
            }
            results.push(json!({ "path": path.name, "over": name, "rates_mbits": rates }));
        }
        outcome = outcome.plot(plot);
    }
    outcome.results = json!({ "paths": results });
    Ok(checks.into_iter().fold(outcome.table(table), Outcome::check))
}

/// Trickles that learns nothing of reordering: so many later packets make a packet lost.
pub fn fixed(reordering_packets: u64) -> Way {
    Way::Trickles(Usage { learns_reordering: false, reordering_packets, ..Usage::USUAL })
}

/// Packets of the bursts that the paper sent, 1,500 bytes each, back to back.
pub const BURST_PACKETS: usize = 10;
/// Of how many nodes bursts came, and how many of these reordered more than one burst in 33 hours.
pub const PAPER_NODES: (u32, u32) = (29, 2);

/// A path that reorders. The paper's figure has the parameters of its two, and its text has not; these are ours: both
/// make one packet of a burst late ([`Patterns::bursts`]), the one seldom and by little, the other often and by more.
#[derive(Clone, PartialEq, Debug)]
pub struct ReorderingPath {
    /// Its name in tables.
    pub name: String,
    /// Its round trip.
    pub rtt: Duration,
    /// In what order its packets arrive.
    pub patterns: Patterns,
}

impl ReorderingPath {
    /// The paths that are measured where no file says another: the share of packets at which a burst begins that is
    /// reordered, and how many times as likely as by one less a packet is late by one more.
    pub fn modelled() -> [ReorderingPath; 2] {
        let path = |name: &str, ms, share, decay| ReorderingPath {
            name: name.to_owned(),
            rtt: Duration::from_millis(ms),
            patterns: Patterns::bursts(share, BURST_PACKETS, decay),
        };
        [path("that reorders seldom", 50, 0.0005, 0.5), path("that reorders often", 30, 0.005, 0.8)]
    }
}

/// The paths of the models, or that of a file.
fn paths(context: &Context<'_>) -> Result<Vec<ReorderingPath>, RunError> {
    let file = context.text("file");
    if file.is_empty() {
        return Ok(ReorderingPath::modelled().into());
    }
    let patterns = pattern_file(&file).map_err(|problem| RunError::Environment {
        problem,
        remedy: "file=PATH of patterns, one a line, as docs/scenarios.md has them".to_owned(),
    })?;
    Ok(vec![ReorderingPath { name: format!("of {file}"), rtt: context.time("rtt"), patterns }])
}

/// What happens to packets that would be late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// They are not.
    InOrder,
    /// They are late.
    Late,
    /// They are lost.
    Lost,
}

impl Fate {
    /// From the best for a transport to the worst.
    pub const ALL: [Fate; 3] = [Fate::InOrder, Fate::Late, Fate::Lost];
}

/// A client that fetches an object of `size` over such a path. The paper's emulator has no bottleneck; the testbed's
/// 100 Mbit/s link is one, with a queue of one round trip. [`goodput_bps`](super::testbed::goodput_bps) measures it.
pub fn crowd(seed: u64, way: Way, rtt: Duration, patterns: &Patterns, fate: Fate, size: u64) -> Crowd {
    let burst = |lost| Some(Reorder::Burst { patterns: patterns.clone(), hold: PATTERN_HOLD, lost });
    let reorder = match fate {
        Fate::InOrder => None,
        Fate::Late => burst(false),
        Fate::Lost => burst(true),
    };
    let testbed = Testbed { reorder, ..Testbed::default().rtt(rtt) };
    let packets = (testbed.rtt.as_secs_f64() / testbed.packet_time().as_secs_f64()) as usize;
    Testbed { queue_packets: testbed.queue_packets.max(packets), ..testbed }.alone(seed, way, [size])
}

#[cfg(test)]
mod tests {
    use super::super::testbed::goodput_bps;
    use super::*;
    use crate::lab::tests::measured;

    #[test]
    fn late_packets_cost_a_tenth_at_most_but_where_three_later_ones_make_a_packet_lost() {
        let [_, often] = ReorderingPath::modelled();
        let kept = [WAYS[1], fixed(3), fixed(30)].map(|way| {
            let rate = |fate| {
                let crowd = crowd(1, way, often.rtt, &often.patterns, fate, 20_000_000);
                goodput_bps(&crowd).expect("it is loaded")
            };
            rate(Fate::Late) / rate(Fate::InOrder)
        });
        println!("{kept:?}");
        assert_eq!(kept.map(|kept| LATE.holds(kept)), [true, false, true], "{kept:?}");
    }

    #[test]
    fn patterns_come_from_a_file_that_is_named() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/data/patterns.txt");
        let record = measured(&FIG22, 1, &[&format!("file={file}"), "size=1MB"]);
        assert_eq!(record.outcome.checks.len(), 1, "{record}");
        let params = FIG22.params(&["file=nowhere.txt".to_owned()]).expect("a text");
        let error = FIG22.measure(1, params, false, &|_| ()).expect_err("no patterns");
        assert!(matches!(&error, RunError::Environment { problem, .. } if problem.contains("nowhere")), "{error}");
    }

    #[test]
    fn the_reference_loses_less_by_reordering_than_by_the_same_as_loss() {
        for path in ReorderingPath::modelled() {
            let rate = |fate| {
                let crowd = crowd(1, Way::Tcp, path.rtt, &path.patterns, fate, 50_000_000);
                goodput_bps(&crowd).expect("it is loaded") / 1e6
            };
            let [whole, late, lost] = Fate::ALL.map(rate);
            assert!(whole > 75.0 && late > 1.3 * lost && late > 0.8 * whole, "{}: {whole}, {late}, {lost}", path.name);
        }
    }
}
