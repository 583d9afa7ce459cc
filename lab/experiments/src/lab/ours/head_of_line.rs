//! Many replies at once over a lossy path: on streams of their own, all on one stream, and all on one TCP connection.

use core::time::Duration;

use serde_json::json;

use crate::engine::report::{Report, Spread};
use crate::lab::{
    Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds, simulate,
};
use crate::page::{Axis, Plot, Series};

/// Replies that do not wait for what others lost.
pub static HEAD_OF_LINE: Experiment = Experiment {
    name: "ours/head-of-line",
    title: "No head-of-line blocking",
    source: "ours, after SST 3.2",
    claim: "a transaction on a stream of its own does not wait for what others lost",
    about: "100 replies of 64 KiB at once over 1 Gbit/s and 150 ms of round trip, without congestion control, so that \
            losses alone tell: each on a stream of its own, all on one stream, and all on one TCP connection. \
            scenarios/head-of-line.toml.",
    params: &[
        Param::list("losses", "0.5%,1%,2%,4%", &Kind::Share, "of packets, each way; the checks are about the highest"),
        Param::time("delay", "75ms", "of the link, each way"),
        Param::count("runs", "7", (1, 100), "of each, with a seed of its own; in some of them nothing is lost twice"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

const SCENARIO: &str = include_str!("../../../../../scenarios/head-of-line.toml");

/// Step of the series, which nobody looks at here.
const STEP: Duration = Duration::from_millis(100);

/// How many times as long the median reply takes over one ordered stream: the project's own number.
const RATIO: Goal = Goal::AtLeast(1.5);
/// How many times as much losses add to the median reply over TCP: less than half of what was measured, 9.3 to 13.5.
const ADDED: Goal = Goal::AtLeast(4.0);

/// Ways to carry the replies.
const WAYS: [&str; 3] = ["streams of their own", "one ordered stream", "one TCP connection"];

/// How long replies took, by way.
type Times = [Vec<f64>; WAYS.len()];
/// The same in few numbers.
type Spreads = [Spread; WAYS.len()];

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let mut table =
        Table::new(&["loss", "replies on", "first", "median", "90 %", "last"]).titled("Completion of a reply");
    let mut medians: [Vec<(f64, f64)>; WAYS.len()] = Default::default();
    let (mut figures, mut worst): (_, Option<(f64, Times, Spreads)>) = (Vec::new(), None);
    // Without losses all runs are alike.
    let losses = context.shares("losses");
    let tries = [(0.0, 1)].into_iter().chain(losses.iter().map(|loss| (*loss, context.count("runs"))));
    for (loss, runs) in tries {
        let times = replies(context, loss, runs)?;
        let percent = loss * 100.0;
        let spread = |times: &Vec<f64>| Spread::of(times.clone()).ok_or_else(|| RunError::broken("no replies"));
        let [own, ordered, tcp] = times.each_ref().map(spread);
        let spreads = [own?, ordered?, tcp?];
        for (way, spread) in spreads.iter().enumerate() {
            let cells =
                [spread.min, spread.p50, spread.p90, spread.max].map(|time_s| format!("{:.0} ms", time_s * 1e3));
            table.row([format!("{percent} %"), WAYS[way].to_owned()].into_iter().chain(cells).collect());
            medians[way].push((percent, spread.p50 * 1e3));
        }
        figures.push(json!({ "loss": loss, "own_s": spreads[0], "ordered_s": spreads[1], "tcp_s": spreads[2] }));
        if worst.as_ref().is_none_or(|(most, ..)| loss >= *most) {
            worst = Some((loss, times, spreads));
        }
    }
    let (loss, times, spreads) = worst.ok_or_else(|| RunError::broken("no loss was tried"))?;
    let whole = format!("Replies that are whole, with {} % lost", loss * 100.0);
    let mut shares = Plot::new(&whole, Axis::new("time since the replies began", "s"), Axis::new("replies", "%"));
    let mut against = Plot::new("Median reply against loss", Axis::new("packets lost", "%"), Axis::new("median", "ms"));
    let mut added_ms = [0.0; WAYS.len()];
    for (way, (name, times)) in WAYS.into_iter().zip(times).enumerate() {
        shares = shares.series(Series::steps(name, cumulative(times)));
        // The first try was without losses.
        added_ms[way] = spreads[way].p50 * 1e3 - medians[way][0].1;
        medians[way].sort_by(|a, b| a.0.total_cmp(&b.0));
        against = against.series(Series::line(name, medians[way].clone()));
    }
    let ratio = spreads[1].p50 / spreads[0].p50;
    let added = added_ms[2] / added_ms[0];
    let results = json!({ "losses": figures, "ratio": ratio, "added_ms": added_ms, "added_ratio_tcp": added });
    Ok(Outcome::new(results)
        .table(table)
        .plot(shares)
        .plot(against)
        .check(Check::new("median on one ordered stream by median on streams of their own", ratio, "", RATIO))
        .check(Check::new(
            "what losses add to the median over TCP, by what they add on streams of their own",
            added,
            "",
            ADDED,
        ))
        .note(
            "Every connection is there before the replies, and has carried a greeting. TCP's window has to grow all \
             the same, as its receiver reads: so what losses add is compared.",
        ))
}

/// Completion of the replies of some runs.
fn replies(context: &Context<'_>, loss: f64, runs: u64) -> Result<Times, RunError> {
    let values = [format!("link.loss={}%", loss * 100.0), format!("link.delay={}", context.given("delay"))];
    let mut times = Times::default();
    for run in 0..runs {
        context.progress(format_args!("{} % lost, run {} of {runs}", loss * 100.0, run + 1));
        add(&simulate::run(context, &simulate::scenario(SCENARIO, &values, context.seed_of(run), STEP)?)?, &mut times)?;
    }
    Ok(times)
}

/// Adds how long the replies of a run took.
fn add(report: &Report, times: &mut Times) -> Result<(), RunError> {
    let own = simulate::stream(report, "replies")?;
    times[0].extend(own.each.iter().filter_map(|reply| reply.completion_s));
    times[1].extend(&simulate::stream(report, "ordered replies")?.each_message_s);
    times[2].extend(&simulate::stream(report, "TCP replies")?.each_message_s);
    let counts = times.each_ref().map(Vec::len);
    if counts.iter().any(|count| *count != counts[0]) {
        return Err(RunError::broken(format_args!("not as many replies everywhere: {counts:?}")));
    }
    Ok(())
}

/// How many per cent are whole by when.
fn cumulative(mut times: Vec<f64>) -> Vec<(f64, f64)> {
    times.sort_by(f64::total_cmp);
    let count = times.len() as f64;
    let points = times.into_iter().enumerate().map(|(place, time_s)| (time_s, (place + 1) as f64 * 100.0 / count));
    [(0.0, 0.0)].into_iter().chain(points).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn the_median_reply_does_not_wait_for_the_others() {
        let record = measured(&HEAD_OF_LINE, 1, &["losses=2%"]);
        assert!(record.holds(), "{record}");
        assert_eq!(record.outcome.results["losses"][1]["own_s"]["count"], 700);
    }

    #[test]
    fn where_nothing_is_lost_it_does_not_hold() {
        let record = measured(&HEAD_OF_LINE, 1, &["losses=0%", "runs=1"]);
        assert_eq!(unmet(&record.outcome).len(), 2, "{record}");
    }

    #[test]
    fn shares_rise_to_all() {
        assert_eq!(cumulative(vec![3.0, 1.0]), [(0.0, 0.0), (1.0, 50.0), (3.0, 100.0)]);
    }
}
