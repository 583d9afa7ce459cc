//! Honest losses.

use core::time::Duration;

use serde_json::json;
use tng_sim::{Link, Loss};
use tng_stack::EventKind;

use super::row::{party, row};
use crate::helped::Party;
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};

/// Many transfers over a path that loses some of everybody's packets.
pub static FALSE_BYPASS: Experiment = Experiment {
    name: "tng/false-bypass",
    title: "Honest losses and the judge of paths",
    source: "ours, after Tng 4.1",
    claim: "a helper on a path that loses packets without its doing is not left for that: of a hundred flows at 3 % loss not one",
    about: "Two links that each lose packets, in both directions, and a helper between. Many transfers, each in a world of its own with a seed of its own. \
            Counted are those that leave the helper.",
    params: &[
        Param::share("loss", "3%", "of packets, end to end, each way"),
        Param::count("flows", "200", (1, 1_000), "transfers"),
        Param::size("bytes", "500kB", "of each"),
        Param::rate("rate", "20mbit", "of both links"),
        Param::time("delay", "10ms", "of both links, each way"),
    ],
    worlds: Worlds::Virtual,
    run,
};

const LINKS: usize = 2;
const LIMIT: Duration = Duration::from_secs(300);
/// Flows that leave an honest helper, percent.
const LEFT: Goal = Goal::AtMost(1.0);

/// How long it took, in seconds, and whether it left the helper.
fn measure(context: &Context<'_>, number: u64) -> Result<(f64, bool), RunError> {
    // What both links let through together is what the parameter says.
    let loss = Loss::Independent(1.0 - (1.0 - context.share("loss")).sqrt());
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay")).loss(loss);
    let sections = ["bbr", "bbr"];
    let mut setting = row(context.seed_of(number), vec![link.into(); LINKS], &sections);
    setting.step = Duration::from_millis(100);
    setting
        .parties
        .push(Party { start: Duration::ZERO, ..party("transfer", LINKS, &sections) }.bytes(context.size("bytes")));
    let mut run = setting.begin();
    let whole = run.finish(0, LIMIT).map_err(|why| RunError::broken(format_args!("flow {number}: {why}")))?;
    let left = run.tally(0).events.iter().any(|(_, kind)| matches!(kind, EventKind::PathLost { .. }));
    Ok((whole.as_secs_f64(), left || run.helper_stats(0).joins == 0))
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let flows = context.count("flows");
    let (mut times, mut left) = (Vec::new(), 0_u64);
    for number in 0..flows {
        if number % 50 == 0 {
            context.progress(format_args!("flow {number} of {flows}"));
        }
        let (took_s, leaves) = measure(context, number)?;
        times.push(took_s);
        left += u64::from(leaves);
    }
    times.sort_by(f64::total_cmp);
    let percent = 100.0 * left as f64 / flows as f64;
    let mut table = Table::new(&["", ""]);
    table.row(vec!["flows".into(), flows.to_string()]);
    table.row(vec!["left the helper".into(), left.to_string()]);
    table.row(vec!["median time of a transfer".into(), format!("{:.2} s", times[times.len() / 2])]);
    let points = times.iter().enumerate().map(|(at, took_s)| (*took_s, (at + 1) as f64)).collect();
    let plot = Plot::new(
        "Transfers over a path that loses packets",
        Axis::new("time", "s"),
        Axis::new("transfers that are whole", ""),
    )
    .series(Series::line("transfers", points));
    Ok(Outcome::new(json!({ "flows": flows, "left": left, "median_s": times[times.len() / 2] }))
        .table(table)
        .plot(plot)
        .check(Check::new("flows that left an honest helper", percent, "%", LEFT)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn an_honest_helper_is_kept() {
        let record = measured(&FALSE_BYPASS, 1, &["flows=20", "bytes=300kB"]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }

    #[test]
    fn a_path_that_loses_half_of_everything_is_not_kept_by_all() {
        let record = measured(&FALSE_BYPASS, 1, &["flows=5", "bytes=100kB", "loss=50%"]);
        assert!(!LEFT.holds(100.0) && record.outcome.results["flows"] == 5, "{record}");
    }
}
