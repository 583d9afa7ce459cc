//! Servers that are killed all the time.

use core::cell::Cell;
use core::time::Duration;

use serde_json::json;
use tng_base::Rng;
use tng_emulator::Network;

use super::fleets::{Bottleneck, Standing, Star, Visits, slow};
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::peers::helped::real::fault;
use crate::real::Fleet;

/// Servers that are killed all the time.
pub static KILLS: Experiment = Experiment {
    name: "trickles/kills",
    title: "Servers that are killed all the time",
    source: "ours, after Trickles 6.2",
    claim: "a server that is killed costs its clients a window and no connection: with two of them, of which one is \
            killed each second, a download goes on at most of its rate",
    about: "A client fetches a file again and again from `tng trickles serve`, each in a network namespace of its own. \
            SIGKILL ends one of two servers and then the other, by turns, and each is started again at once. Then by \
            a drawn schedule: one of them after 50 to 2,000 ms, started again after up to a second; and the same with \
            one server alone. Every byte is compared. Beside it the same downloads undisturbed.",
    params: &[
        Param::count("kills", "300", (1, 10_000), "of each kind"),
        Param::rate("rate", "50mbit", "of the clients' link"),
        Param::time("rtt", "20ms", "round trip"),
        Param::time("queue", "50ms", "what waits for the link at most"),
        Param::size("bytes", "64MiB", "of the file"),
        Param::span("every", "1s", "one is killed, by turns"),
        Param::count("undisturbed", "3", (1, 100), "downloads that the others are held against"),
        Param::word("policy", "stay", &["stay", "spray", "nearest"], "by which a client turns to its servers"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 30 }),
    seeds: 1,
    vary: &[],
    run,
};

/// Files that have every byte, of all.
const WHOLE: Goal = Goal::AtLeast(1.0);
/// Connections beyond the first of each download.
const AGAIN: Goal = Goal::AtMost(0.0);
/// Of the rate undisturbed.
const RATE: Goal = Goal::AtLeast(0.7);

/// When servers are killed and started again.
#[derive(Clone, Copy, Debug)]
enum Schedule {
    /// One by turns, started again at once.
    ByTurns(Duration),
    /// One that is drawn, after 50 to 2,000 ms; started again after up to a second.
    Drawn,
}

/// Kills, and starts again.
struct Reaper {
    schedule: Schedule,
    rng: Rng,
    /// When the next is killed, or the one that was is started again.
    next: Duration,
    killed: Option<usize>,
    kills: u64,
}

impl Reaper {
    fn new(schedule: Schedule, seed: u64) -> Reaper {
        let mut reaper = Reaper { schedule, rng: Rng::from_u64(seed), next: Duration::ZERO, killed: None, kills: 0 };
        reaper.next = reaper.until_kill();
        reaper
    }

    fn until_kill(&mut self) -> Duration {
        match self.schedule {
            Schedule::ByTurns(every) => every,
            Schedule::Drawn => Duration::from_millis(50 + self.rng.below(1_951)),
        }
    }

    fn act(&mut self, now: Duration, fleet: &mut Fleet, network: &Network) -> Result<(), RunError> {
        if now < self.next {
            return Ok(());
        }
        let count = fleet.len() as u64;
        match (self.killed.take(), self.schedule) {
            (Some(which), _) => {
                fleet.spawn(network, which).map_err(fault)?;
                self.next = now + self.until_kill();
            }
            (None, Schedule::ByTurns(every)) => {
                let which = (self.kills % count) as usize;
                fleet.kill(which);
                fleet.spawn(network, which).map_err(fault)?;
                (self.kills, self.next) = (self.kills + 1, self.next + every);
            }
            (None, Schedule::Drawn) => {
                let which = self.rng.below(count) as usize;
                fleet.kill(which);
                (self.kills, self.killed) = (self.kills + 1, Some(which));
                self.next = now + Duration::from_millis(self.rng.below(1_001));
            }
        }
        Ok(())
    }
}

struct Row {
    name: &'static str,
    kills: u64,
    visits: Visits,
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (kills, bytes, policy) = (context.count("kills"), context.size("bytes"), context.word("policy"));
    let stand = |servers| {
        let star = Star { seed: context.seed, servers, slow: slow(context), bottleneck: Bottleneck::Clients };
        Standing::begin(context, star, bytes)
    };
    let mut rows = Vec::new();
    context.progress("undisturbed");
    let calm = context.count("undisturbed") as usize;
    rows.push(Row { name: "undisturbed", kills: 0, visits: stand(2)?.fetch(policy, |n| n >= calm, |_, _, _| Ok(()))? });
    for (name, servers, schedule) in [
        ("by turns, two servers", 2, Schedule::ByTurns(context.time("every"))),
        ("drawn, two servers", 2, Schedule::Drawn),
        ("drawn, one server", 1, Schedule::Drawn),
    ] {
        let (mut standing, mut reaper) = (stand(servers)?, Reaper::new(schedule, context.seed));
        let done = Cell::new(0);
        let visits = standing.fetch(
            policy,
            |count| {
                context.progress(format_args!("{name}: {} kills, {count} downloads", done.get()));
                done.get() >= kills
            },
            |now, fleet, network| {
                reaper.act(now, fleet, network)?;
                done.set(reaper.kills);
                Ok(())
            },
        )?;
        rows.push(Row { name, kills: reaper.kills, visits });
    }
    Ok(told(&rows, bytes))
}

fn told(rows: &[Row], bytes: u64) -> Outcome {
    let heads = [
        "",
        "kills",
        "downloads",
        "whole",
        "connections more",
        "timeouts",
        "goodput",
        "of undisturbed",
        "longest pause",
    ];
    let mut table = Table::new(&heads);
    let calm = rows[0].visits.goodput_bps(bytes);
    let mut results = Vec::new();
    for Row { name, kills, visits } in rows {
        let (goodput, longest) = (visits.goodput_bps(bytes), visits.longest.as_secs_f64());
        let (downloads, whole, again) = (visits.fetched.len(), visits.whole(), visits.again());
        table.row(vec![
            (*name).to_owned(),
            kills.to_string(),
            downloads.to_string(),
            format!("{:.0}", whole * downloads as f64),
            again.to_string(),
            visits.timeouts().to_string(),
            format!("{:.2} Mbit/s", goodput / 1e6),
            format!("{:.3}", goodput / calm),
            format!("{longest:.2} s"),
        ]);
        let took: Vec<f64> = visits.fetched.iter().map(|one| one.took.as_secs_f64()).collect();
        results.push(json!({
            "name": name, "kills": kills, "downloads": downloads, "whole": whole, "connections_more": again,
            "timeouts": visits.timeouts(), "lost": visits.lost().0, "packets": visits.lost().1, "goodput_bps": goodput,
            "longest_pause_s": longest, "took_s": took,
        }));
    }
    let mut outcome = Outcome::new(json!({ "rows": results })).table(table);
    for Row { name, visits, .. } in &rows[1..] {
        outcome = outcome
            .check(
                Check::new(format!("{name}: files whole, every byte right"), visits.whole(), "", WHOLE)
                    .because(visits.failure()),
            )
            .check(Check::new(format!("{name}: connections beyond the first"), visits.again() as f64, "", AGAIN));
    }
    let by_turns = &rows[1];
    let share = by_turns.visits.goodput_bps(bytes) / calm;
    outcome.check(Check::new(format!("{}: goodput of that undisturbed", by_turns.name), share, "", RATE)).note(
        "Goodput is that of whole downloads, from the start of the client's process to its end. The longest pause is \
         that in which nothing was written to the file. A client gives a connection up after five requests for a \
         timeout in a row that nobody answers, over some twelve seconds: where there is one server alone, which is \
         away for a third of the time, that may happen.",
    )
}
