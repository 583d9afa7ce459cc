//! Delta encoding of continuations: what it brings (Trickles 6.2, optimizations).

use core::time::Duration;

use serde_json::json;

use super::testbed::{RATE_BPS, Testbed, one_by_one};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::exchange::{Crowd, Usage, Way};

/// Throughput with and without it.
pub static DELTA: Experiment = Experiment {
    name: "trickles/delta",
    title: "Delta encoding of continuations",
    source: "Trickles 5.3 and 6.1 (optimizations)",
    claim: "what a client foresees need not be told: on a full link that is 1.4 % of throughput",
    about: "A client fetches one object over a switched LAN of 100 Mbit/s: over Trickles as it is, and over Trickles \
            whose servers give whole continuations. What the link carried to the client is counted in bytes of IP \
            packets, at the end of the transfer.",
    params: &[
        Param::size("object", "100MB", "fetched"),
        Param::span("rtt", "100us", "round trip, that of the LAN at least"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// What it brought in the paper: percent, and Mbit/s on a link of 100 Mbit/s.
const PAPER: (f64, f64) = (1.4, 1.2);
/// Most time that a transfer is given.
const TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Of a transfer.
struct Measured {
    rate_mbits: f64,
    /// Of each packet that came, on average.
    data_bytes: f64,
    packet_bytes: f64,
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (object, rtt) = (context.size("object"), context.time("rtt"));
    let ways = [("with", true), ("without", false)];
    let mut table = Table::new(&["delta encoding", "rate", "of the link", "bytes of data a packet", "others a packet"]);
    let (mut all, mut bars, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for (at, (name, delta_encoding)) in ways.into_iter().enumerate() {
        context.progress(format_args!("{name} delta encoding"));
        let measured = measure(&context.world(crowd(context.seed, delta_encoding, rtt, object)), object)?;
        let Measured { rate_mbits, data_bytes, packet_bytes } = measured;
        table.row(vec![
            name.to_owned(),
            format!("{rate_mbits:.2} Mbit/s"),
            format!("{:.2} %", 1e8 * rate_mbits / RATE_BPS as f64),
            format!("{data_bytes:.1}"),
            format!("{:.1}", packet_bytes - data_bytes),
        ]);
        bars.push((at as f64, rate_mbits));
        results.push(json!({
            "name": name, "rate_mbits": rate_mbits, "data_bytes": data_bytes, "packet_bytes": packet_bytes,
        }));
        all.push(measured);
    }
    let percent = |part: fn(&Measured) -> f64| 100.0 * (part(&all[0]) / part(&all[1]) - 1.0);
    let (rate, bytes) = (percent(|run| run.rate_mbits), percent(|run| run.data_bytes / run.packet_bytes));
    let (paper, paper_mbits) = PAPER;
    let plot = Plot::new("Throughput", Axis::names(&["with", "without"]), Axis::new("rate", "Mbit/s"));
    Ok(Outcome::new(json!({ "runs": results, "gain_percent": rate, "gain_of_bytes_percent": bytes }))
        .table(table)
        .plot(plot.series(Series::bars("rate", bars)))
        .check(
            Check::new("what it brings to throughput", rate, "%", Goal::AtLeast(paper))
                .paper(format!("{paper} %, {paper_mbits} Mbit/s")),
        )
        .check(Check::new("what it brings to the share of data in packets", bytes, "%", Goal::AtLeast(paper)).ours())
        .note("Bytes by kind of packet are in trickles/sizes."))
}

/// A client that fetches one object.
fn crowd(seed: u64, delta_encoding: bool, rtt: Duration, object: u64) -> Crowd {
    let way = Way::Trickles(Usage { delta_encoding, ..Usage::USUAL });
    Testbed::default().rtt(rtt).crowd(seed, vec![way], vec![one_by_one(0, [object])])
}

fn measure(crowd: &Crowd, object: u64) -> Result<Measured, RunError> {
    let mut scene = crowd.begin().map_err(RunError::broken)?;
    let loaded = scene.finish(TIME_MAX).map_err(RunError::broken)?;
    let Some(loaded) = loaded.first().and_then(|pages| pages.first()) else {
        return Err(RunError::broken("the client has loaded nothing"));
    };
    let link = scene.shared_down();
    let a_packet = |bytes: u64| bytes as f64 / link.delivered as f64;
    Ok(Measured {
        rate_mbits: object as f64 * 8e-6 / loaded.seconds(),
        data_bytes: a_packet(object),
        packet_bytes: a_packet(link.delivered_bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn where_packets_are_not_full_there_is_nothing_to_win() {
        let record = measured(&DELTA, 1, &["object=20kB", "rtt=200ms"]);
        assert!(unmet(&record.outcome).contains(&"what it brings to throughput"), "{record}");
    }

    #[test]
    fn what_is_left_out_of_continuations_is_throughput() {
        let record = measured(&DELTA, 1, &["object=5MB"]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
        let (rate, bytes) = (record.outcome.checks[0].value, record.outcome.checks[1].value);
        assert!((rate - bytes).abs() < 1.0, "{record}");
    }
}
