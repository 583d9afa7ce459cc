//! A helper that does not live long.

mod real;

use core::time::Duration;

use serde_json::json;
use tng_base::Rng;
use tng_queue::{Limit, QueueConfig};
use tng_sim::Link;
use tng_stack::PathMonitorConfig;

use super::row::{party, row};
use crate::lab::{Check, Context, Curve, Experiment, Goal, Needs, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot};
use crate::peers::helped::{Setting, Speaks};

/// Killed every second, and started again.
pub static KILLED: Experiment = Experiment {
    name: "tng/killed",
    title: "A helper killed every second",
    source: "ours, after Tng 6.3",
    claim: "a helper holds nothing that an end could not do without: however often it is killed, no byte is lost or \
            comes twice, the transfer is not much slower than without a helper, and a helper that is started again \
            is used again",
    about: "Two links and a helper between. A transfer during which the helper is killed every second and started \
            again a little later, knowing nothing but its secret. Whoever has left it comes back soon, and so is hit \
            again; with default settings it would be half a minute. Beside it the same with a helper that lives, and \
            without one, with cubic and with bbr. Every byte is compared. Then, with default settings, flows whose \
            helper is killed once, at a random moment, and started again after a second. With --real: the same links \
            between network namespaces, the helper a process of `tng relay run` that SIGKILL ends, beside the kernel's \
            TCP (cubic, bbr) and QUIC under cubic.",
    params: &[
        Param::rate("rate", "20mbit", "of both links"),
        Param::time("delay", "20ms", "of both links, each way"),
        Param::time("queue", "50ms", "what waits for either link at most"),
        Param::size("bytes", "20MB", "of the transfer"),
        Param::span("every", "1s", "the helper is killed"),
        Param::time("down", "200ms", "until it is started again"),
        Param::span("once-down", "1s", "until a helper is started again that is killed once"),
        Param::count("once", "5", (1, 99), "helpers that are killed once"),
        Param::time("return", "200ms", "after which a flow that has left the helper comes back to it"),
    ],
    worlds: Worlds::Either(Needs { root: true, minutes: 3 }),
    seeds: SEEDS_MIN,
    vary: &[],
    run: |context| if context.real { real::run(context) } else { run(context) },
};

const LINKS: usize = 2;
/// Step of the series.
const STEP: Duration = Duration::from_millis(100);
const LIMIT: Duration = Duration::from_secs(300);
/// From when on helpers are killed once, and how long their flows are followed.
const ONCE_FROM: Duration = Duration::from_secs(3);
const ONCE_LIMIT: Duration = Duration::from_secs(60);

/// Transfers that end, whole and right.
const WHOLE: Goal = Goal::AtLeast(1.0);
/// Of the time that it takes without a helper.
const TIMES: Goal = Goal::AtMost(2.0);
/// Kills, while the transfer lasted, of a helper that did not have the flow: the last may be one.
const VAIN: Goal = Goal::AtMost(1.0);
/// Until a helper that is started again has the flow again, seconds from when it was killed.
const AGAIN: Goal = Goal::AtMost(2.0);
/// Kills of one that had it.
const HIT: Goal = Goal::AtLeast(3.0);

struct Row {
    curve: Curve,
    /// Transfers that were complete, with every byte right.
    complete: usize,
    /// When; not a number if it never was.
    whole_s: f64,
    kills: u64,
    /// Of them, those of a helper that the transfer led by way of.
    hits: u64,
    /// What went wrong.
    failure: Option<String>,
}

fn link(context: &Context<'_>) -> Link {
    let bytes = (context.rate("rate") as f64 / 8.0 * context.time("queue").as_secs_f64()) as u64;
    let queue = QueueConfig::DropTail(Limit::Bytes(bytes));
    Link::new().rate(context.rate("rate")).delay(context.time("delay")).queue(queue)
}

/// The transfer, whose client comes back to a helper that it has left as soon as is set.
fn setting(context: &Context<'_>, name: &str, sections: &[&str]) -> Setting {
    let link = link(context);
    let mut setting = row(context.seed, vec![link.into(); LINKS], sections);
    setting.step = STEP;
    let mut party = party(name, LINKS, sections).bytes(context.size("bytes"));
    if let Speaks::Tng { client, .. } = &mut party.speaks {
        let again = context.time("return");
        client.judge = Some(PathMonitorConfig {
            return_soon: again,
            return_first: again,
            return_max: again,
            ..PathMonitorConfig::default()
        });
    }
    setting.parties.push(party);
    setting
}

fn measure(context: &Context<'_>, name: &str, sections: &[&str], kill: bool) -> Result<Row, RunError> {
    context.progress(name);
    let setting = setting(context, name, sections);
    let mut run = context.world(setting).begin();
    let (every, down) = (context.time("every"), context.time("down"));
    let (mut kills, mut hits, mut next) = (0, 0, every);
    while kill && next < LIMIT && run.tally(0).complete == 0 && run.tally(0).failure.is_none() {
        run.run_until(next);
        if run.tally(0).complete > 0 {
            break;
        }
        kills += 1;
        hits += u64::from(run.is_helped(0));
        run.stop_helper(0);
        run.run_until(next + down);
        run.restart_helper(0);
        next += every.max(down + STEP);
    }
    let whole = run.finish(0, LIMIT);
    let whole_s = whole.as_ref().map_or(f64::NAN, |whole| whole.as_secs_f64());
    Ok(Row { curve: run.curve(0), complete: run.tally(0).complete, whole_s, kills, hits, failure: whole.err() })
}

/// An endless transfer with default settings, and when its helper is killed.
fn once(context: &Context<'_>, number: u64) -> (Setting, Duration) {
    let (link, sections) = (link(context), ["cubic", "cubic"]);
    let mut setting = row(context.seed_of(number), vec![link.into(); LINKS], &sections);
    setting.step = STEP;
    setting.parties.push(party("once", LINKS, &sections));
    let killed = ONCE_FROM + Duration::from_micros(Rng::from_u64(context.seed_of(number)).below(1_000_000));
    (setting, killed)
}

/// How long after it was killed a helper that is started again has the flow again; not a number if it never has.
fn again_s(context: &Context<'_>, number: u64) -> f64 {
    let (setting, killed) = once(context, number);
    let mut run = context.world(setting).begin();
    run.run_until(killed);
    run.stop_helper(0);
    let mut now = killed + context.time("once-down");
    run.run_until(now);
    run.restart_helper(0);
    let mut left = run.is_direct(0);
    while now < killed + ONCE_LIMIT {
        now += Duration::from_millis(10);
        run.run_until(now);
        // One that it has not left yet is not the one that was started again.
        left |= run.is_direct(0);
        if left && run.is_helped(0) && !run.is_direct(0) {
            return (now - killed).as_secs_f64();
        }
    }
    f64::NAN
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let split = ["cubic", "cubic"];
    let rows = [
        measure(context, "killed again and again", &split, true)?,
        measure(context, "helped", &split, false)?,
        measure(context, "direct", &["cubic"], false)?,
        measure(context, "direct, bbr", &["bbr"], false)?,
    ];
    context.progress("killed once");
    let mut again: Vec<f64> = (1..=context.count("once")).map(|number| again_s(context, number)).collect();
    again.sort_by(f64::total_cmp);
    let mut table = Table::new(&["", "whole after"]);
    let mut plot = Plot::new("What arrives", Axis::new("time", "s"), Curve::axis());
    for row in &rows {
        let whole = row.failure.clone().unwrap_or_else(|| format!("{:.2} s", row.whole_s));
        table.row(vec![row.curve.name.clone(), whole]);
        plot.series.push(row.curve.coarser(2).series());
    }
    let [killed, helped, direct, bbr] = &rows;
    let results = json!({
        "kills": killed.kills, "hits": killed.hits, "failure": killed.failure,
        "killed_s": killed.whole_s, "helped_s": helped.whole_s, "direct_s": direct.whole_s, "direct_bbr_s": bbr.whole_s,
        "again_s": again,
    });
    let median = again[again.len() / 2];
    let vain = killed.kills as f64 - killed.hits as f64;
    Ok(Outcome::new(results)
        .table(table)
        .plot(plot)
        .check(Check::new("killed: transfers whole, every byte right", killed.complete as f64, "", WHOLE))
        .check(Check::new("kills while the flow led by way of the helper", killed.hits as f64, "", HIT).ours())
        .check(Check::new("kills while the flow went direct", vain, "", VAIN).ours())
        .check(Check::new("killed: of the time without a helper", killed.whole_s / direct.whole_s, "", TIMES).ours())
        .check(Check::new("killed once: helped again, median", median, "s", AGAIN)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const HITS: &str = "kills while the flow led by way of the helper, a goal of ours";

    #[test]
    fn a_transfer_outlives_its_helper_again_and_again() {
        let record = measured(&KILLED, 1, &["bytes=10MB"]);
        let unmet = unmet(&record.outcome);
        for name in ["killed: transfers whole, every byte right", HITS] {
            assert!(!unmet.contains(&name), "{record}");
        }
    }

    #[test]
    fn who_comes_back_late_is_not_killed_again_and_that_is_seen() {
        let record = measured(&KILLED, 1, &["bytes=10MB", "return=30s"]);
        assert_eq!(record.outcome.results["hits"], 1, "{record}");
        assert!(unmet(&record.outcome).contains(&HITS), "{record}");
    }
}
