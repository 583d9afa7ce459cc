//! A far section that stands still.

use core::time::Duration;

use serde_json::json;
use tng_sim::{Carrier, Link};
use tng_stack::EventKind;

use super::row::{party, row, stays_helped};
use crate::lab::{Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot};

/// The last of four sections is blocked for a while.
pub static BLOCKED: Experiment = Experiment {
    name: "tng/blocked",
    title: "The far section blocked for half a minute",
    source: "ours, after Tng 4.3",
    claim: "a path that is held up far away is blocked, not gone: nothing is torn down, and the flow goes on where it \
            was",
    about: "Four links in a row, three helpers between. In the middle of a transfer the last link holds everything, in \
            both directions, for a while. Counted are paths and helpers' flows that end meanwhile, and how long it \
            takes until data arrives afterwards.",
    params: &[
        Param::rate("rate", "20mbit", "of each link"),
        Param::time("delay", "10ms", "of each link, each way"),
        Param::span("lasts", "30s", "the last link holds what it is given"),
        Param::word("carrier", "holds", &["holds", "drops"], "what the last link does meanwhile"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

const LINKS: usize = 4;
const HELPERS: usize = LINKS - 1;
const STEP: Duration = Duration::from_millis(10);
const BLOCKED_AT: Duration = Duration::from_secs(5);
/// What is looked at behind it.
const BEHIND: Duration = Duration::from_secs(15);

/// Seconds until data arrives again: probes are as far apart as their backoff has come.
const RESUMES: Goal = Goal::AtMost(3.0);
const NONE: Goal = Goal::AtMost(0.0);
/// Of the rate before.
const RATE: Goal = Goal::AtLeast(80.0);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay"));
    let sections = ["cubic"; LINKS];
    let mut setting = row(context.seed, vec![link.into(); LINKS], &sections);
    setting.step = STEP;
    setting.parties.push(party("transfer", LINKS, &sections));
    let mut run = context.world(setting).begin();
    let carrier = if context.word("carrier") == "holds" { Carrier::Holds } else { Carrier::Drops };
    run.run_until(BLOCKED_AT);
    let joins =
        |run: &crate::peers::helped::Run| (0..HELPERS).map(|helper| run.helper_stats(helper).joins).sum::<u64>();
    let (before, joined) = (run.bytes(0), joins(&run));
    let last = run.links[LINKS - 1];
    last.lanes().into_iter().for_each(|lane| run.world.set_carrier(lane, carrier));
    let until = BLOCKED_AT + context.time("lasts");
    run.run_until(until);
    last.lanes().into_iter().for_each(|lane| run.world.set_carrier(lane, Carrier::Up));
    run.run_until(until + BEHIND);
    let (tally, curve) = (run.tally(0), run.curve(0));
    let lost: Vec<_> = tally
        .events
        .iter()
        .filter_map(|told| {
            let why = match &told.kind {
                EventKind::PathLost { cause, .. } => cause.to_string(),
                EventKind::Away => "no channel is left".to_owned(),
                _ => return None,
            };
            Some(json!({ "at_s": told.at_s(), "by": format!("{:?}", told.by), "why": why }))
        })
        .collect();
    let begun = joins(&run) - joined;
    let until_s = until.as_secs_f64();
    let resumes_s = curve.gap(until_s).map_or(f64::NAN, |(_, to_s)| to_s - until_s);
    let rate = |bytes: u64, time: Duration| bytes as f64 * 8e-6 / time.as_secs_f64();
    let settled = Duration::from_secs(5);
    let after = rate(curve.sum(until_s + settled.as_secs_f64(), (until + BEHIND).as_secs_f64()), BEHIND - settled);
    let before = rate(before, BLOCKED_AT);
    let mut table = Table::new(&["", ""]);
    for (name, value) in [
        ("paths lost, at either end", lost.len().to_string()),
        ("flows begun anew at the helpers", begun.to_string()),
        ("data arrives again after", format!("{resumes_s:.2} s")),
        ("before, from the start", format!("{before:.2} Mbit/s")),
        ("afterwards, from 5 s on", format!("{after:.2} Mbit/s")),
        ("what ended the connection", tally.failure.clone().unwrap_or("nothing".to_owned())),
        ("helped at the end", (if run.is_helped(0) { "yes" } else { "no" }).to_owned()),
    ] {
        table.row(vec![name.to_owned(), value]);
    }
    let plot = Plot::new("What arrives", Axis::new("time", "s"), Curve::axis())
        .series(curve.coarser(50).series())
        .mark(BLOCKED_AT.as_secs_f64(), "blocked")
        .mark(until_s, "free");
    let conditions: Vec<_> = tally
        .events
        .iter()
        .filter_map(|told| match &told.kind {
            EventKind::Condition { condition, .. } => {
                Some(json!({ "at_s": told.at_s(), "by": format!("{:?}", told.by), "is": format!("{condition:?}") }))
            }
            _ => None,
        })
        .collect();
    let results = json!({
        "paths_lost": lost, "flows_begun": begun, "resumes_s": resumes_s, "before_mbits": before, "after_mbits": after,
        "failure": tally.failure, "conditions": conditions, "helped_percent": run.helped_percent(0),
    });
    Ok(Outcome::new(results)
        .table(table)
        .plot(plot)
        .check(Check::new("connections ended", f64::from(u8::from(tally.failure.is_some())), "", NONE))
        .check(Check::new("paths lost", lost.len() as f64, "", NONE))
        .check(Check::new("flows begun anew at the helpers", begun as f64, "", NONE))
        .check(stays_helped("transfer", run.helped_percent(0)))
        .check(Check::new("data arrives again after", resumes_s, "s", RESUMES).ours())
        .check(Check::new("rate afterwards, of that before", 100.0 * after / before, "%", RATE).ours()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn nothing_is_torn_down_while_it_lasts_and_data_arrives_at_once_afterwards() {
        let record = measured(&BLOCKED, 1, &["rate=5mbit"]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }

    #[test]
    fn a_path_that_is_gone_for_minutes_is_lost() {
        let set = ["rate=5mbit", "lasts=5min", "carrier=drops"].map(str::to_owned);
        let context = Context::new(1, BLOCKED.params(&set).expect("values"), false, &|_| ());
        // With its last path the connection may be over, which is no outcome at all.
        assert!(run(&context).map_or(true, |outcome| !unmet(&outcome).is_empty()));
    }
}
