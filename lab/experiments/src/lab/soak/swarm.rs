//! Worlds of the swarm that go on, round after round.

use serde_json::json;

use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::swarm::{Held, Soak, Soaked};

/// All families whose worlds can go on, and each by itself.
const FAMILIES: [&str; Soak::FAMILIES.len() + 1] = {
    let mut names = [ALL; Soak::FAMILIES.len() + 1];
    let mut at = 0;
    while at < Soak::FAMILIES.len() {
        names[at + 1] = Soak::FAMILIES[at].name();
        at += 1;
    }
    names
};

const ALL: &str = "all";

/// The swarm, for long.
pub static SWARM: Experiment = Experiment {
    name: "soak/swarm",
    title: "Hosts forget, however often",
    source: "ours",
    claim: "however often everything befalls hosts, each byte arrives, no account is wrong, and when they part nothing \
            is left of it",
    about: "A world of each family of the swarm (docs/swarm.md), drawn by lot. In every round all of its blows fall \
            again and its applications open further streams; the round is over when everything is said and heard. \
            Every byte, every account and every bound of the swarm is checked meanwhile. After every fourth round the \
            hosts part; when the time to forget is over they begin anew.",
    params: &[
        Param::count("rounds", "16", (4, 1_000_000), "in each of which everything happens again"),
        Param::count("parted-each", "4", (1, 1_000_000), "rounds"),
        Param::word("family", ALL, &FAMILIES, "of worlds, one of each"),
        Param::time("keep", "400s", "in which an unreachable peer is not forgotten"),
        Param::time("forget", "2000s", "in which hosts that have parted are to forget each other"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (rounds, asked) = (context.count("rounds"), context.word("family"));
    let mut table = Table::new(&["family", "virtual time", "packets", "bytes read", "partings", "held most", "left"]);
    let mut plot = Plot::new("Held when a round is over", Axis::new("round", ""), Axis::new("budget", "kB"));
    let (mut results, mut wrong, mut soaked) = (Vec::new(), Vec::new(), Vec::<(&str, Soaked)>::new());
    for family in Soak::FAMILIES.iter().copied().filter(|family| [ALL, family.name()].contains(&asked)) {
        let name = family.name();
        context.progress(format_args!("{name}, round 1 of {rounds}"));
        let tell = |round| context.progress(format_args!("{name}, round {round} of {rounds} is over"));
        let (keep, forget) = (context.time("keep"), context.time("forget"));
        let parted_each = context.count("parted-each");
        let soak = context.world(Soak { family, seed: context.seed, rounds, parted_each, keep, forget });
        match soak.run(&tell) {
            Ok(one) => soaked.push((name, one)),
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    for (name, Soaked { rounds, partings, left, figures }) in &soaked {
        let kb = |held: &Held| held.memory as f64 / 1e3;
        table.row(vec![
            (*name).to_owned(),
            format!("{:.0} s", figures.virtual_ns as f64 / 1e9),
            figures.packets.to_string(),
            figures.bytes.to_string(),
            partings.len().to_string(),
            format!("{:.0} kB", rounds.iter().map(kb).fold(0.0, f64::max)),
            format!("{:.0} kB", partings.iter().map(kb).fold(0.0, f64::max)),
        ]);
        let points = rounds.iter().enumerate().map(|(round, held)| (round as f64 + 1.0, kb(held)));
        plot = plot.series(Series::line(name, points.collect()));
        let bytes = |held: &[Held]| held.iter().map(|held| held.memory).collect::<Vec<_>>();
        results.push(json!({
            "family": name, "figures": figures, "hosts_left": left, "held_bytes": bytes(rounds),
            "connections": rounds.iter().map(|held| held.connections).collect::<Vec<_>>(),
            "held_after_parting_bytes": bytes(partings),
        }));
    }
    let partings = || soaked.iter().flat_map(|(_, one)| &one.partings);
    let memory = partings().map(|held| held.memory as f64).fold(0.0, f64::max);
    let left = soaked.iter().map(|(_, one)| one.left).sum::<usize>();
    let broken = Check::new("worlds in which something did not hold", wrong.len() as f64, "", Goal::AtMost(0.0)).ours();
    Ok(Outcome::new(json!({ "worlds": results, "wrong": wrong }))
        .table(table)
        .plot(plot)
        .check(broken.because(wrong.join("; ")))
        .check(Check::new("hosts that held anything when they had parted", left as f64, "", Goal::AtMost(0.0)).ours())
        .check(Check::new("bytes of budget held then, at most", memory, "B", Goal::AtMost(0.0)).ours()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn hosts_that_part_forget_and_those_that_are_not_given_the_time_hold_something() {
        let few = ["family=restarts", "rounds=4", "parted-each=2"];
        let record = measured(&SWARM, 1, &few);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
        assert_eq!(record, measured(&SWARM, 1, &few), "the same again");
        let record = measured(&SWARM, 1, &[&few[..], &["forget=1ms"]].concat());
        assert!(unmet(&record.outcome)[0].contains("held anything when they had parted"), "{record}");
    }
}
