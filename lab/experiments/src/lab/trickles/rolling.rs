//! A fleet that is restarted one by one.

use core::cell::Cell;
use core::time::Duration;

use serde_json::{Value, json};
use tng_emulator::Network;

use super::fleets::{Bottleneck, Standing, Star, Visits, slow};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::peers::helped::real::fault;
use crate::real::Fleet;

/// A fleet that is restarted one by one.
pub static ROLLING: Experiment = Experiment {
    name: "trickles/rolling",
    title: "A fleet that is restarted one by one",
    source: "ours, after Trickles 6.2",
    claim: "a fleet is restarted under its clients: no packet is refused for its age, and hardly anything is lost",
    about: "A client fetches a file again and again from five servers, each in a network namespace of its own: it \
            stays with one of them, or asks each in its turn. SIGTERM ends one after the other, and each is started \
            again when it has ended: it takes over what the one before has left. What was refused each server says in \
            the end. Beside it the same downloads undisturbed.",
    params: &[
        Param::count("servers", "5", (2, 8), "in the fleet"),
        Param::count("rounds", "4", (1, 1_000), "in each of which all are restarted"),
        Param::rate("rate", "50mbit", "of the clients' link"),
        Param::time("rtt", "20ms", "round trip"),
        Param::time("queue", "50ms", "what waits for the link at most"),
        Param::size("bytes", "64MiB", "of the file"),
        Param::span("every", "5s", "one is restarted"),
        Param::count("undisturbed", "3", (1, 100), "downloads that the others are held against"),
        Param::list(
            "policies",
            "stay,spray",
            &Kind::Word(&["stay", "spray"]),
            "by which a client turns to its servers",
        ),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 7 }),
    seeds: 1,
    vary: &[],
    run,
};

/// Files that have every byte, of all.
const WHOLE: Goal = Goal::AtLeast(1.0);
/// Connections beyond the first of each download, and what was refused for its age.
const NONE: Goal = Goal::AtMost(0.0);
/// Of the rate undisturbed.
const RATE: Goal = Goal::AtLeast(0.9);

/// Restarts one after the other.
struct Roller {
    every: Duration,
    next: Duration,
    restarts: u64,
    /// What those said that have ended.
    served: Vec<Value>,
}

impl Roller {
    fn act(&mut self, now: Duration, fleet: &mut Fleet, network: &Network) -> Result<(), RunError> {
        if now < self.next {
            return Ok(());
        }
        let which = (self.restarts % fleet.len() as u64) as usize;
        self.served.push(fleet.end(which).map_err(fault)?);
        fleet.spawn(network, which).map_err(fault)?;
        (self.restarts, self.next) = (self.restarts + 1, self.next + self.every);
        Ok(())
    }
}

/// What came of it by a policy.
struct Row {
    policy: &'static str,
    calm: Visits,
    rolled: Visits,
    roller: Roller,
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let rows = context.words("policies").into_iter().map(|policy| row(context, policy));
    let rows = rows.collect::<Result<Vec<Row>, RunError>>()?;
    Ok(told(&rows, context.size("bytes")))
}

fn row(context: &Context<'_>, policy: &'static str) -> Result<Row, RunError> {
    let (servers, every) = (context.count("servers") as usize, context.time("every"));
    let star = Star { seed: context.seed, servers, slow: slow(context), bottleneck: Bottleneck::Clients };
    let mut standing = Standing::begin(context, star, context.size("bytes"))?;
    context.progress(format_args!("{policy}: undisturbed"));
    let calm_count = context.count("undisturbed") as usize;
    let calm = standing.fetch(policy, |count| count >= calm_count, |_, _, _| Ok(()))?;
    let restarts = servers as u64 * context.count("rounds");
    let mut roller = Roller { every, next: every, restarts: 0, served: Vec::new() };
    let done = Cell::new(0);
    let rolled = standing.fetch(
        policy,
        |count| {
            context.progress(format_args!("{policy}: {} restarts, {count} downloads", done.get()));
            done.get() >= restarts
        },
        |now, fleet, network| {
            roller.act(now, fleet, network)?;
            done.set(roller.restarts);
            Ok(())
        },
    )?;
    for which in 0..servers {
        roller.served.push(standing.fleet.end(which).map_err(fault)?);
    }
    Ok(Row { policy, calm, rolled, roller })
}

fn told(rows: &[Row], bytes: u64) -> Outcome {
    let heads = ["policy", "", "downloads", "connections more", "timeouts", "goodput", "longest pause", "refused"];
    let (mut table, mut results, mut checks) = (Table::new(&heads), Vec::new(), Vec::new());
    for Row { policy, calm, rolled, roller } in rows {
        let sum = |name: &str| roller.served.iter().map(|served| served[name].as_u64().unwrap_or(0)).sum::<u64>();
        let [requests, packets, refused, aged] = ["requests", "packets", "refused", "refused_before_start"].map(sum);
        let restarted = format!("{} restarts", roller.restarts);
        for (name, visits, refused) in
            [("undisturbed", calm, "-".to_owned()), (&restarted, rolled, refused.to_string())]
        {
            table.row(vec![
                (*policy).to_owned(),
                name.to_owned(),
                visits.fetched.len().to_string(),
                visits.again().to_string(),
                visits.timeouts().to_string(),
                format!("{:.2} Mbit/s", visits.goodput_bps(bytes) / 1e6),
                format!("{:.2} s", visits.longest.as_secs_f64()),
                refused,
            ]);
        }
        let share = rolled.goodput_bps(bytes) / calm.goodput_bps(bytes);
        results.push(json!({
            "policy": policy, "restarts": roller.restarts, "requests": requests, "packets": packets,
            "refused": refused, "refused_before_start": aged, "goodput_share": share,
            "undisturbed_bps": calm.goodput_bps(bytes), "restarted_bps": rolled.goodput_bps(bytes),
        }));
        checks.extend([
            Check::new(format!("{policy}: files whole, every byte right"), rolled.whole(), "", WHOLE)
                .because(rolled.failure()),
            Check::new(format!("{policy}: connections beyond the first"), rolled.again() as f64, "", NONE),
            Check::new(format!("{policy}: requests refused for their age"), aged as f64, "", NONE),
            Check::new(format!("{policy}: goodput of that undisturbed"), share, "", RATE),
        ]);
    }
    let outcome = Outcome::new(json!({ "rows": results })).table(table);
    checks.into_iter().fold(outcome, Outcome::check)
}
