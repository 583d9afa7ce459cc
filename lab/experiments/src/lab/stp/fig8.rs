//! Throughput of NewReno natively and as a guest where the network is fast: STP 5.6, Figure 8.

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::Link;

use super::ends::{COLUMNS, Column, Ends, Paced, Way, median, told};
use super::testbed::mbit;
use crate::lab::{Check, Context, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};

/// Throughput where the network is fast.
pub static FIG8: Experiment = Experiment {
    name: "stp/fig8",
    title: "A guest on a fast network",
    source: "STP 5.6, Figure 8",
    claim: "in large packets a guest carries as much as the same source natively, and in small ones at most 20 % less; \
            the paper's policer takes 12 % of the throughput of small packets, and the sandbox 8 % more",
    about: "One endless transfer, each end on a thread of its own, in packets of 1,472 and of 8,216 bytes: over the \
            loopback interface, and over a link of 1 Gbit/s and 200 us of round trip between two network namespaces \
            that the emulator joins. All columns in turn, the run in the middle of several.",
    params: &[
        Param::list("packets", "1472B,8216B", &Kind::Size, "bytes of a UDP datagram"),
        Param::rate("rate", "1gbit", "of the emulated link"),
        Param::span("rtt", "200us", "of the emulated link, both ways together"),
        Param::count("runs", "3", (1, 100), "of each column, in turn"),
        Param::span("settle", "1s", "left out at the beginning"),
        Param::span("time", "2s", "measured"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 4 }),
    seeds: 1,
    vary: &[],
    run,
};

/// What a guest carries at least, of the same source natively: the paper's, in small packets and in large ones.
const SMALL: Goal = Goal::AtLeast(0.80);
const LARGE: Goal = Goal::AtLeast(0.98);
/// What is small.
const SMALL_MAX: usize = 1_500;
/// Bytes that IP and UDP add.
const HEADERS: usize = 28;

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let runs = context.count("runs");
    let (settle, time) = (context.time("settle"), context.time("time"));
    let packets: Vec<usize> = context.sizes("packets").into_iter().map(|bytes| bytes as usize).collect();
    let ways = |packet: usize| {
        // A queue of a millisecond and a half: what a switch has.
        let queue = QueueConfig::DropTail(Limit::Packets(128));
        let link = Link::new().rate(context.rate("rate")).delay(context.time("rtt") / 2).queue(queue);
        [Way::Loopback, Way::Emulated(Box::new(link.mtu(packet + HEADERS)))]
    };
    let head = ["path", "packets", "streams", "native", "policed", "guest", "policed by native", "guest by it"];
    let mut table = Table::new(&head);
    let mut plot = Plot::new("Throughput", Axis::new("path and packets", ""), Axis::new("rate", "Mbit/s"));
    let mut curves: [Vec<(f64, f64)>; 4] = Default::default();
    let (mut results, mut checks) = (Vec::new(), Vec::new());
    for (place, packet) in packets.iter().copied().enumerate() {
        for (of, way) in ways(packet).into_iter().enumerate() {
            let path = if of == 0 { "loopback" } else { "emulated link" };
            let mut all = [const { Vec::new() }; 4];
            for run in 0..runs {
                let cells = (packets.len() - place) as u32 * 2 - of as u32;
                let left = (settle + time + Duration::from_millis(500)) * (cells * runs as u32 - run as u32) * 4;
                context.progress_with(format_args!("{path}, {packet} B, run {} of {runs}", run + 1), left);
                for turn in 0..all.len() {
                    let at = (turn + run as usize) % all.len();
                    let ends = Ends {
                        seed: context.seed_of(run),
                        column: Column::ALL[at],
                        packet,
                        rate_bps: None,
                        way: way.clone(),
                        settle,
                        time,
                        timed: false,
                    };
                    all[at].push(context.world(ends).measure()?);
                }
            }
            let [streams, native, policed, guest] = all.map(|runs| median(runs, |ran| ran.rate_bps));
            let columns: [Paced; 4] = [streams?, native?, policed?, guest?];
            let rates = columns.map(|ran| ran.rate_bps);
            let ratios = [rates[2] / rates[1], rates[3] / rates[1]];
            table.row(
                [path.to_owned(), format!("{packet} B")]
                    .into_iter()
                    .chain(rates.map(mbit))
                    .chain(ratios.map(|ratio| format!("{ratio:.3}")))
                    .collect(),
            );
            let at = (place * 2 + of) as f64;
            curves.iter_mut().zip(rates).for_each(|(curve, rate)| curve.push((at, rate / 1e6)));
            let (goal, paper) = if packet <= SMALL_MAX { (SMALL, "0.80") } else { (LARGE, "1.00") };
            let name = format!("guest by native: {path}, {packet} B");
            checks.push(Check::new(name, ratios[1], "", goal).paper(paper));
            results.push(json!({
                "path": path, "packet_bytes": packet, "policed_by_native": ratios[0], "guest_by_native": ratios[1],
                "columns": Column::ALL.iter().zip(&columns).map(|(column, ran)| json!({
                    "column": column.name(), "run": told(ran),
                })).collect::<Vec<_>>(),
            }));
        }
    }
    for (column, curve) in Column::ALL.iter().zip(curves) {
        plot = plot.series(Series::points(column.name(), curve));
    }
    let outcome = Outcome::new(json!({ "paths": results })).table(table).plot(plot).note(COLUMNS).note(
        "The emulator runs on the same processors as both ends. The loopback interface loses what the receiver's \
         socket has no room for, and every such loss is one to the policer.",
    );
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}
