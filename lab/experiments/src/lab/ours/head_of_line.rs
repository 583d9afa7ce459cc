//! Many replies at once over a lossy path: on streams of their own, and all on one stream.

use core::time::Duration;

use serde_json::json;

use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds, simulate};
use crate::page::{Axis, Plot, Series};
use crate::report::Spread;

/// Replies that do not wait for what others lost.
pub static HEAD_OF_LINE: Experiment = Experiment {
    name: "ours/head-of-line",
    title: "No head-of-line blocking",
    source: "ours, after SST 3.2",
    claim: "a transaction on a stream of its own does not wait for what others lost",
    about: "100 replies of 64 KiB at once over 1 Gbit/s and 150 ms of round trip, without congestion control, so that losses alone \
            tell: each on a stream of its own, and all on one stream. scenarios/head-of-line.toml.",
    params: &[
        Param::share("loss", "2%", "of packets, each way"),
        Param::time("delay", "75ms", "of the link, each way"),
        Param::count("runs", "7", (1, 100), "each with a seed of its own; in some of them nothing is lost twice"),
    ],
    worlds: Worlds::Virtual,
    run,
};

const SCENARIO: &str = include_str!("../../../../../scenarios/head-of-line.toml");

/// Step of the series, which nobody looks at here.
const STEP: Duration = Duration::from_millis(100);

/// How many times as long the median reply takes over one ordered stream: the project's own number.
const RATIO: Goal = Goal::AtLeast(1.5);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let values = ["loss", "delay"].map(|key| format!("link.{key}={}", context.given(key)));
    let runs = context.count("runs");
    let (mut own, mut ordered) = (Vec::new(), Vec::new());
    for run in 0..runs {
        context.progress(format_args!("run {} of {runs}", run + 1));
        let report = simulate::run(&simulate::scenario(SCENARIO, &values, context.seed_of(run), STEP)?)?;
        own.extend(simulate::stream(&report, "replies")?.each.iter().filter_map(|reply| reply.completion_s));
        ordered.extend(&simulate::stream(&report, "ordered replies")?.each_message_s);
    }
    if own.len() != ordered.len() {
        let (own, ordered) = (own.len(), ordered.len());
        return Err(RunError::broken(format_args!("{own} replies on streams of their own, {ordered} on one")));
    }
    let spread = |times: &[f64]| Spread::of(times.to_vec()).ok_or_else(|| RunError::broken("no replies"));
    let (own_s, ordered_s) = (spread(&own)?, spread(&ordered)?);
    let ratio = ordered_s.p50 / own_s.p50;
    let mut table = Table::new(&["completion of a reply", "first", "median", "90 %", "last"]);
    for (name, spread) in [("on a stream of its own", &own_s), ("over one ordered stream", &ordered_s)] {
        let cells = [spread.min, spread.p50, spread.p90, spread.max].map(|time_s| format!("{:.0} ms", time_s * 1e3));
        table.row([name.to_owned()].into_iter().chain(cells).collect());
    }
    let plot =
        Plot::new("Replies that are whole", Axis::new("time since the replies began", "s"), Axis::new("replies", "%"))
            .series(Series::steps("streams of their own", cumulative(own)))
            .series(Series::steps("one ordered stream", cumulative(ordered)));
    Ok(Outcome::new(json!({ "own_s": own_s, "ordered_s": ordered_s, "ratio": ratio }))
        .table(table)
        .plot(plot)
        .check(Check::new("median over one ordered stream by median on streams of their own", ratio, "", RATIO)))
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
    use crate::lab::tests::measured;

    #[test]
    fn the_median_reply_does_not_wait_for_the_others() {
        let record = measured(&HEAD_OF_LINE, 1, &[]);
        assert!(record.holds(), "{record}");
        assert_eq!(record.outcome.results["own_s"]["count"], 700);
    }

    #[test]
    fn where_nothing_is_lost_it_does_not_hold() {
        let record = measured(&HEAD_OF_LINE, 1, &["loss=0%", "runs=1"]);
        assert!(!record.holds(), "{record}");
    }

    #[test]
    fn shares_rise_to_all() {
        assert_eq!(cumulative(vec![3.0, 1.0]), [(0.0, 0.0), (1.0, 50.0), (3.0, 100.0)]);
    }
}
