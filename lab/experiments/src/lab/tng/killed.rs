//! A helper that does not live long.

use core::time::Duration;

use serde_json::json;
use tng_sim::Link;

use super::row::{party, row};
use crate::lab::{Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot};

/// Killed every second, and started again.
pub static KILLED: Experiment = Experiment {
    name: "tng/killed",
    title: "A helper killed every second",
    source: "ours, after Tng 6.3",
    claim: "a helper holds nothing that an end could not do without: however often it is killed, no byte is lost or comes twice, and the transfer is \
            not much slower than without a helper",
    about: "Two links and a helper between. A transfer during which the helper is killed every second and started again a little later, knowing \
            nothing but its secret; beside it the same with a helper that lives, and without one. Every byte is compared.",
    params: &[
        Param::rate("rate", "20mbit", "of both links"),
        Param::time("delay", "20ms", "of both links, each way"),
        Param::size("bytes", "20MB", "of the transfer"),
        Param::time("every", "1s", "the helper is killed"),
        Param::time("down", "200ms", "until it is started again"),
    ],
    worlds: Worlds::Virtual,
    run,
};

const LINKS: usize = 2;
/// Step of the series.
const STEP: Duration = Duration::from_millis(100);
const LIMIT: Duration = Duration::from_secs(300);

/// Transfers that end, whole and right.
const WHOLE: Goal = Goal::AtLeast(1.0);
/// Of the time that it takes without a helper.
const TIMES: Goal = Goal::AtMost(2.0);

struct Row {
    curve: Curve,
    whole_s: f64,
    kills: u64,
    joins: u64,
}

fn measure(context: &Context<'_>, name: &str, sections: &[&str], kill: bool) -> Result<Row, RunError> {
    context.progress(name);
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay"));
    let mut setting = row(context.seed, vec![link.into(); LINKS], sections);
    setting.step = STEP;
    setting.parties.push(party(name, LINKS, sections).bytes(context.size("bytes")));
    let mut run = setting.begin();
    let (every, down) = (context.time("every"), context.time("down"));
    let (mut kills, mut joins, mut next) = (0, 0, every);
    while kill && next < LIMIT && run.tally(0).complete == 0 && run.tally(0).failure.is_none() {
        run.run_until(next);
        joins += run.helper_stats(0).joins;
        kills += 1;
        run.stop_helper(0);
        run.run_until(next + down);
        run.restart_helper(0);
        next += every.max(down + STEP);
    }
    let whole = run.finish(0, LIMIT).map_err(|why| RunError::broken(format_args!("{name}: {why}")))?;
    Ok(Row { curve: run.curve(0), whole_s: whole.as_secs_f64(), kills, joins })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let split = ["cubic", "cubic"];
    let rows = [
        measure(context, "killed again and again", &split, true)?,
        measure(context, "helped", &split, false)?,
        measure(context, "direct", &["cubic"], false)?,
    ];
    let mut table = Table::new(&["", "whole after"]);
    let mut plot = Plot::new("What arrives", Axis::new("time", "s"), Axis::new("rate", "Mbit/s"));
    for row in &rows {
        table.row(vec![row.curve.name.clone(), format!("{:.2} s", row.whole_s)]);
        plot.series.push(row.curve.coarser(2).series());
    }
    let [killed, helped, direct] = &rows;
    let results = json!({
        "kills": killed.kills, "joins": killed.joins,
        "killed_s": killed.whole_s, "helped_s": helped.whole_s, "direct_s": direct.whole_s,
    });
    Ok(Outcome::new(results)
        .table(table)
        .plot(plot)
        .check(Check::new("killed: transfers whole, every byte right", 1.0, "", WHOLE))
        .check(Check::new("killed: of the time without a helper", killed.whole_s / direct.whole_s, "", TIMES))
        .note(format!("The helper was killed {} times, and had taken the flow {} times.", killed.kills, killed.joins)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn a_transfer_outlives_its_helper_again_and_again() {
        let record = measured(&KILLED, 1, &["bytes=5MB"]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
        assert!(record.outcome.results["kills"].as_u64().is_some_and(|kills| kills >= 2), "{record}");
    }
}
