//! Ten thousand streams at once.

use core::time::Duration;

use serde_json::json;

use crate::engine::report::{OneStream, StreamReport};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds, simulate};
use crate::page::{Axis, Plot, Series};

/// What so many cost.
pub static STREAMS_10K: Experiment = Experiment {
    name: "ours/streams-10k",
    title: "Ten thousand concurrent streams",
    source: "ours, after SST 3.1 and 4.3",
    claim: "streams are so cheap that ten thousand at once carry what one carries, and share it evenly",
    about: "Replies on so many streams of one connection, all begun at once, beside as many bytes on one stream of a \
            connection of its own, over a link alike: 20 ms each way, 40 ms of queue. \
            scenarios/ten-thousand-streams.toml.",
    params: &[
        Param::count("streams", "10000", (2, 16_000), "at once"),
        Param::size("size", "10kB", "of each"),
        Param::rate("rate", "100mbit", "of each link, each way"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

const SCENARIO: &str = include_str!("../../../../../scenarios/ten-thousand-streams.toml");

/// How finely streams under way are counted.
const STEP: Duration = Duration::from_millis(50);

/// Goodput of all of them by that of one stream.
const GOODPUT: Goal = Goal::AtLeast(0.97);
/// Per cent of all that are under way at the same time.
const CONCURRENT: Goal = Goal::AtLeast(95.0);
/// Time of the slowest by time of the median: all of equal size end together when each has an equal share.
const EVEN: Goal = Goal::AtMost(1.25);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (count, size) = (context.count("streams"), context.size("size"));
    let values = [
        "world.duration=1000s".to_owned(),
        format!("link.rate={}", context.given("rate")),
        format!("flow.many.stream.streams.count={count}"),
        format!("flow.many.stream.streams.bytes={size}"),
        format!("flow.one.stream.stream.bytes={}", count * size),
    ];
    let report = simulate::run(context, &simulate::scenario(SCENARIO, &values, context.seed, STEP)?)?;
    let [many, one] = ["streams", "stream"].map(|name| simulate::stream(&report, name));
    let (many, one) = (many?, one?);
    let [many_s, one_s] = [simulate::end_s(many)?, simulate::end_s(one)?];
    let ratio = one_s / many_s;
    let under_way = under_way(many, many_s);
    let most = under_way.iter().map(|(_, count)| *count).fold(0.0, f64::max);
    let spread = many.completion_s.ok_or_else(|| RunError::broken("no stream ended"))?;
    let mut table = Table::new(&["", "bytes", "whole after", "first of them", "median", "last"]);
    for (name, stream, end_s) in [("so many streams", many, many_s), ("one stream", one, one_s)] {
        let of = stream.completion_s.ok_or_else(|| RunError::broken("no stream ended"))?;
        let times = [end_s, of.min, of.p50, of.max].map(|time_s| format!("{time_s:.3} s"));
        table.row([name.to_owned(), stream.bytes.to_string()].into_iter().chain(times).collect());
    }
    let plot = Plot::new("Streams under way", Axis::new("time", "s"), Axis::new("streams", ""))
        .series(Series::steps("first byte here, last not", under_way));
    let results = json!({
        "streams": count, "many_s": many_s, "one_s": one_s, "goodput_ratio": ratio, "concurrent_most": most,
        "completion_s": spread, "digest": report.digest,
    });
    let concurrent = most * 100.0 / count as f64;
    Ok(Outcome::new(results)
        .table(table)
        .plot(plot)
        .check(Check::new("goodput of all by goodput of one stream", ratio, "", GOODPUT))
        .check(Check::new("under way at the same time", concurrent, "%", CONCURRENT))
        .check(Check::new("slowest by median", spread.max / spread.p50, "", EVEN))
        .note("The client lets a peer have 16,384 streams at once, instead of the default's 1,024 (streams_max)."))
}

/// How many have begun to arrive and are not whole, over time.
fn under_way(streams: &StreamReport, end_s: f64) -> Vec<(f64, f64)> {
    let times = |of: fn(&OneStream) -> Option<f64>| {
        let mut times: Vec<f64> = streams.each.iter().filter_map(|one| Some(one.start_s? + of(one)?)).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let (begun, whole) = (times(|one| one.first_byte_s), times(|one| one.completion_s));
    let step_s = STEP.as_secs_f64();
    let steps = (end_s / step_s).ceil() as usize;
    let at = |step: usize| {
        let time_s = step as f64 * step_s;
        let by = |times: &[f64]| times.partition_point(|when| *when <= time_s);
        (time_s, (by(&begun) - by(&whole)) as f64)
    };
    (0..=steps).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn a_thousand_share_the_link_and_carry_what_one_carries() {
        let record = measured(&STREAMS_10K, 1, &["streams=1000"]);
        assert!(record.holds(), "{record}");
    }

    #[test]
    fn where_a_peer_may_not_have_so_many_they_are_not_concurrent() {
        let text = SCENARIO.replace("streams_max = 16384", "streams_max = 100");
        assert_ne!(text, SCENARIO);
        let scenario = simulate::scenario(&text, &["flow.many.stream.streams.count=400".to_owned()], 1, STEP);
        let report = simulate::finish(scenario.expect("a scenario")).expect("it runs");
        let streams = simulate::stream(&report, "streams").expect("streams");
        let most =
            under_way(streams, simulate::end_s(streams).expect("an end")).iter().map(|(_, n)| *n).fold(0.0, f64::max);
        assert!(most <= 100.0, "{most}");
    }

    #[test]
    fn tiny_ones_are_over_before_the_others_begin() {
        let record = measured(&STREAMS_10K, 1, &["streams=1000", "size=100B"]);
        assert!(unmet(&record.outcome).contains(&"under way at the same time"), "{record}");
    }
}
