//! A flood beside TCP on a slow line, with the policer and without: what the policer is good for.

use core::time::Duration;

use serde_json::json;

use super::fig4::CAPS;
use super::testbed::{Line, Times, cap, guest, mbit, mean, seconds_of};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::contest::{Party, Transport};
use crate::peers::guests::{Guest, Ran};

/// Who has the line when a guest floods it.
pub static POLICE: Experiment = Experiment {
    name: "stp/police",
    title: "A flood, policed and not",
    source: "ours, after STP 5.1.1 and 5.2",
    claim: "a guest that sends as fast as it is let leaves a flow of TCP its part of a slow line; it is the policer \
            that does this, since without it next to nothing is left",
    about: "A transfer over the reference TCP under newreno has a slow line to itself. After ten seconds UDP Flood \
            comes, which sends whatever it may: once behind the policer, as every guest of a host is, and once with \
            the policer's switch off, which only tests have.",
    params: &[
        Param::rate("rate", "2mbit", "of the line"),
        Param::span("rtt", "50ms", "both ways together"),
        Param::word("cap", "equation", CAPS, "what the policer holds the flood to"),
        Param::span("time", "60s", "from the beginning on"),
    ],
    worlds: Worlds::Virtual,
    seeds: 20,
    vary: &[],
    run,
};

/// The flood comes then,
const COMES: Duration = Duration::from_secs(10);
/// and what there is so much later is measured.
const SETTLES: Duration = Duration::from_secs(10);

/// What TCP keeps of the line beside a flood that is held: a half would be fair.
const KEPT: Goal = Goal::AtLeast(0.4);
/// What it keeps beside one that is not.
const LEFT: Goal = Goal::AtMost(0.1);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let times = Times { settle: Duration::ZERO, measured: context.time("time") };
    let from = (COMES + SETTLES).as_secs() as usize;
    if times.measured.as_secs() as usize <= from {
        return Err(RunError::Params(format!(
            "time={}: more than {from}s, or nothing is measured",
            times.measured.as_secs()
        )));
    }
    let line = Line::new("line", context.rate("rate"), context.time("rtt").as_millis() as u64, 0.0);
    let mut table = Table::new(&["the flood", "newreno has", "the flood has", "newreno's part"]);
    let (mut results, mut kept, mut plots) = (Vec::new(), Vec::new(), Vec::new());
    for (name, ran) in [("policed", Ran::Policed), ("not policed", Ran::Free)] {
        context.progress(format_args!("a flood, {name}"));
        let flood = Party::new(guest(Guest::Flood, ran, cap(context)), "newreno");
        let parties = vec![Party::new(Transport::Tcp, "newreno"), Party { start: COMES, ..flood }];
        let rates = seconds_of(context, line.contest(context.seed, parties), times);
        let [tcp, flood] = [0, 1].map(|party| mean(&rates[party][from..]));
        let part = tcp / (tcp + flood);
        table.row(vec![name.to_owned(), mbit(tcp), mbit(flood), format!("{:.0} %", part * 100.0)]);
        results.push(json!({ "flood": name, "tcp_bps": tcp, "flood_bps": flood, "tcp_part": part }));
        kept.push(part);
        let curve = |party: usize, name: &str| {
            let points = rates[party].iter().enumerate().map(|(second, bps)| (second as f64, bps / 1e6));
            Series::steps(name, points.collect())
        };
        let plot =
            Plot::new(&format!("The line, the flood {name}"), Axis::new("time", "s"), Axis::new("received", "Mbit/s"));
        let plot = plot.series(curve(0, "newreno")).series(curve(1, "flood"));
        plots.push(plot.mark(COMES.as_secs_f64(), "the flood comes"));
    }
    let [policed, free] = kept[..] else { return Err(RunError::Params("two were run".to_owned())) };
    let outcome = Outcome::new(json!({ "runs": results }))
        .table(table)
        .check(Check::new("newreno's part beside a flood that is policed", policed, "", KEPT).ours())
        .check(Check::new("newreno's part beside one that is not", free, "", LEFT).ours());
    Ok(plots.into_iter().fold(outcome, Outcome::plot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn the_policer_is_what_leaves_tcp_its_part() {
        for seed in 1..4 {
            let record = measured(&POLICE, seed, &["time=40s"]);
            assert_eq!(unmet(&record.outcome), Vec::<String>::new(), "seed {seed}: {record}");
            assert_eq!(record, measured(&POLICE, seed, &["time=40s"]), "seed {seed}");
        }
    }
}
