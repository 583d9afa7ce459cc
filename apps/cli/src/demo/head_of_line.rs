//! Many replies at once over a lossy path: on streams of their own, and all on one stream.

use std::time::Duration;

use serde_json::json;
use tng_experiments::page::{Axis, Plot, Series};
use tng_experiments::report::Spread;

use super::lab::{self, broken};
use super::{Part, Table};
use crate::failure::Failure;

const SCENARIO: &str = include_str!("../../../../scenarios/head-of-line.toml");

/// Runs, each with a seed of its own: what holds up one stream is what is lost twice, and in some runs nothing is.
const RUNS: u64 = 7;

/// Step of the series, which nobody looks at here.
const STEP: Duration = Duration::from_millis(100);

/// How many times as long the median reply takes over one ordered stream, at least: the project's own number.
const RATIO_BAR: f64 = 1.5;

/// Runs `scenarios/head-of-line.toml` some times and compares the medians of all replies.
///
/// # Errors
/// If a reply did not arrive, every byte as it was sent.
pub fn head_of_line(seed: u64) -> Result<Part, Failure> {
    measure(SCENARIO, seed)
}

fn measure(text: &str, seed: u64) -> Result<Part, Failure> {
    let first = seed.wrapping_mul(RUNS);
    let (mut own, mut ordered) = (Vec::new(), Vec::new());
    let mut digest = blake3::Hasher::new();
    for run in 0..RUNS {
        let (_, report) = lab::run(text, first.wrapping_add(run), STEP)?;
        own.extend(lab::stream(&report, "replies")?.each.iter().filter_map(|reply| reply.completion_s));
        ordered.extend(&lab::stream(&report, "ordered replies")?.each_message_s);
        digest.update(report.digest.as_bytes());
    }
    if own.len() != ordered.len() {
        let (own, ordered) = (own.len(), ordered.len());
        return Err(broken(&format_args!("{own} replies on streams of their own, {ordered} on one")));
    }
    let spread = |times: &[f64]| Spread::of(times.to_vec()).ok_or_else(|| broken(&"no replies"));
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
    Ok(Part {
        name: "head-of-line",
        title: "No head-of-line blocking",
        setting: format!(
            "100 replies of 64 KiB at once over 1 Gbit/s and 150 ms of round trip, 2 % of packets lost, no congestion control; {RUNS} runs"
        ),
        claim: "a transaction on a stream of its own does not wait for what others lost (SST 3.2)",
        measured: format!(
            "median {:.0} ms on streams of their own, {:.0} ms over one ordered stream: {ratio:.2} times as fast",
            own_s.p50 * 1e3,
            ordered_s.p50 * 1e3
        ),
        holds: ratio >= RATIO_BAR,
        bar: format!("at least {RATIO_BAR} times as fast in the median"),
        table: Some(table),
        chart: None,
        plot,
        figures: json!({ "own_s": own_s, "ordered_s": ordered_s, "ratio": ratio, "runs": RUNS, "first_seed": first }),
        seed,
        digest: digest.finalize().to_string(),
    })
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

    #[test]
    fn the_median_reply_does_not_wait_for_the_others() {
        let part = head_of_line(1).unwrap_or_else(|failure| panic!("seed 1: {failure}"));
        assert!(part.holds, "seed 1: {part:?}");
        assert_eq!(part.figures["own_s"]["count"], 100 * RUNS);
    }

    #[test]
    fn where_nothing_is_lost_it_does_not_hold() {
        let text = SCENARIO.replace("loss = \"2%\"", "");
        assert_ne!(text, SCENARIO);
        let part = measure(&text, 1).expect("it runs");
        assert!(!part.holds, "{part:?}");
    }

    #[test]
    fn shares_rise_to_all() {
        assert_eq!(cumulative(vec![3.0, 1.0]), [(0.0, 0.0), (1.0, 50.0), (3.0, 100.0)]);
    }
}
