//! Figure 26: how far the slowest of many flows is behind the fastest.

use serde_json::json;

use super::fig25::{Mix, mixes, plot, table};
use super::testbed::WAYS;
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, Worlds};

/// Figure 26.
pub static FIG26: Experiment = Experiment {
    name: "trickles/fig26",
    title: "The slowest flow and the fastest",
    source: "Trickles 6.1, Figure 26",
    claim: "the slowest of many flows is as far behind the fastest whether one of them, or all but one, are of \
            Trickles, or all of TCP",
    about: "The worlds of trickles/fig25: one flow in the foreground and others in the background, each kind with a \
            server of its own, fetch endless objects over a shared link of 100 Mbit/s: the reference TCP with reno, \
            and Trickles, each in either place. Each figure is the mean of several runs.",
    params: &[
        Param::list("background", "1,9,24,49,99", &Kind::Count(1, 999), "flows in it"),
        Param::count("runs", "3", (1, 50), "of each"),
        Param::span("rtt", "20ms", "round trip"),
        Param::count("shake", "5", (0, 100), "packets' time up to which what leaves servers is delayed"),
        Param::span("settle", "5s", "that is not counted"),
        Param::span("time", "15s", "that is"),
    ],
    worlds: Worlds::Virtual,
    seeds: 1,
    vary: &[],
    run,
};

/// What the slowest has of the fastest, by the same with TCP alone: "comparable".
const COMPARABLE: Goal = Goal::AtLeast(0.5);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let time = context.time("settle")..context.time("settle") + context.time("time");
    let flows = context.counts("background").into_iter();
    let mixes = mixes(context, flows.map(|flows| (flows, (context.count("runs"), time.clone()))))?;
    let mut outcome = Outcome::new(json!({ "flows": mixes.iter().map(Mix::json).collect::<Vec<_>>() }))
        .table(table("slowest by fastest", &mixes, |shares| shares.slowest))
        .plot(plot("The slowest by the fastest", &mixes, |shares| shares.slowest))
        .note(
            "The paper's bars have no numbers in its text: with TCP in the foreground of 49 and of 99 of Trickles its \
             slowest is further behind than elsewhere, \"due to the higher throughput\" of that one.",
        );
    for Mix { foreground, background, flows, shares, .. } in &mixes {
        let alone = mixes.iter().find(|mix| (mix.flows, mix.foreground, mix.background) == (*flows, WAYS[0], WAYS[0]));
        if let Some(alone) = alone
            && (*foreground, *background) != (WAYS[0], WAYS[0])
        {
            let name = format!("{foreground} beside {flows} of {background}: slowest by fastest, by that of TCP alone");
            let share = shares.slowest / alone.shares.slowest;
            outcome = outcome.check(Check::new(name, share, "", COMPARABLE).paper("\"comparable\""));
        }
    }
    Ok(outcome)
}
