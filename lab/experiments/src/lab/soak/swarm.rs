//! Worlds of the swarm that go on, round after round.

use serde_json::json;

use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::swarm::{Family, Quiet, Soaked, soak};

/// All families whose worlds can go on, and each by itself.
const FAMILIES: [&str; Family::MIXED.len() + 1] = {
    let mut names = [ALL; Family::MIXED.len() + 1];
    let mut at = 0;
    while at < Family::MIXED.len() {
        names[at + 1] = Family::MIXED[at].name();
        at += 1;
    }
    names
};

const ALL: &str = "all";

/// The swarm, for long.
pub static SWARM: Experiment = Experiment {
    name: "soak/swarm",
    title: "What hosts hold does not grow",
    source: "ours",
    claim: "hosts that go through everything that befalls them again and again hold no more after many rounds than after a few, and in the end nothing",
    about: "A world of each family of the swarm (docs/lab.md, Swarm), drawn by lot. In every round all of its blows fall again and its applications \
            open further streams; the round is over when everything is said and heard. Every byte, every account and every bound of the swarm is \
            checked meanwhile. Then the hosts are let go.",
    params: &[
        Param::count("rounds", "12", (4, 1_000_000), "in each of which everything happens again"),
        Param::word("family", ALL, &FAMILIES, "of worlds, one of each"),
        Param::time("keep", "400s", "in which an unreachable peer is not forgotten"),
        Param::time("forget", "2000s", "in which hosts that are let go are to forget each other"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    run,
};

/// Most that is held in the second half of the rounds, by the most in the first: a connection more or less is chance,
/// and of what grows by a round there would be twice as much.
const FLAT: Goal = Goal::AtMost(1.5);

/// What a world held most in the later half of its rounds, by the same of the earlier half. What is nothing in both has
/// not grown.
fn growth(quiets: &[Quiet]) -> f64 {
    let most = |quiets: &[Quiet]| quiets.iter().map(|quiet| quiet.memory).max().unwrap_or(0);
    let (early, late) = quiets.split_at(quiets.len() / 2);
    match (most(early), most(late)) {
        (_, 0) => 0.0,
        (early, late) => late as f64 / early.max(1) as f64,
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (rounds, asked) = (context.count("rounds"), context.word("family"));
    let mut table = Table::new(&["family", "virtual time", "packets", "bytes read", "held first", "held last", "left"]);
    let mut plot = Plot::new("Held after each round", Axis::new("round", ""), Axis::new("budget", "kB"));
    let (mut results, mut wrong, mut soaked) = (Vec::new(), Vec::new(), Vec::<(&str, Soaked)>::new());
    for family in Family::MIXED.iter().copied().filter(|family| [ALL, family.name()].contains(&asked)) {
        let name = family.name();
        context.progress(format_args!("{name}, round 1 of {rounds}"));
        let tell = |round| context.progress(format_args!("{name}, round {round} of {rounds} is over"));
        match soak(family, context.seed, rounds, context.time("keep"), context.time("forget"), &tell) {
            Ok(one) => soaked.push((name, one)),
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    for (name, Soaked { quiets, left, figures }) in &soaked {
        let kb = |quiet: Option<&Quiet>| quiet.map_or(0.0, |quiet| quiet.memory as f64 / 1e3);
        table.row(vec![
            (*name).to_owned(),
            format!("{:.0} s", figures.virtual_s),
            figures.packets.to_string(),
            figures.bytes.to_string(),
            format!("{:.0} kB", kb(quiets.first())),
            format!("{:.0} kB", kb(quiets.last())),
            left.to_string(),
        ]);
        let points = quiets.iter().enumerate().map(|(round, quiet)| (round as f64 + 1.0, kb(Some(quiet))));
        plot = plot.series(Series::line(name, points.collect()));
        results.push(json!({
            "family": name, "figures": figures, "left": left, "growth": growth(quiets),
            "held_bytes": quiets.iter().map(|quiet| quiet.memory).collect::<Vec<_>>(),
            "connections": quiets.iter().map(|quiet| quiet.connections).collect::<Vec<_>>(),
            "channels": quiets.iter().map(|quiet| quiet.channels).collect::<Vec<_>>(),
        }));
    }
    let most = soaked.iter().map(|(_, one)| growth(&one.quiets)).fold(f64::NAN, f64::max);
    let left = soaked.iter().map(|(_, one)| one.left).sum::<usize>();
    let outcome = Outcome::new(json!({ "worlds": results, "wrong": wrong }))
        .table(table)
        .plot(plot)
        .check(Check::new("worlds in which something did not hold", wrong.len() as f64, "", Goal::AtMost(0.0)).ours())
        .check(Check::new("held in the later rounds by the earlier, the world that grows most", most, "", FLAT).ours())
        .check(Check::new("hosts that held something in the end", left as f64, "", Goal::AtMost(0.0)).ours());
    Ok(wrong.into_iter().fold(outcome, Outcome::note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn hosts_that_are_not_given_the_time_to_forget_hold_something_in_the_end() {
        let few = ["family=restarts", "rounds=4"];
        let record = measured(&SWARM, 1, &few);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
        let record = measured(&SWARM, 1, &[few[0], few[1], "forget=1ms"]);
        assert_eq!(unmet(&record.outcome), ["hosts that held something in the end, a goal of ours"], "{record}");
    }

    #[test]
    fn what_grows_by_a_round_is_found_out_and_what_comes_and_goes_is_not() {
        let held = |memory: &[u64]| -> Vec<Quiet> {
            memory.iter().map(|memory| Quiet { memory: *memory, ..Quiet::default() }).collect()
        };
        assert!(FLAT.holds(growth(&held(&[80, 100, 90, 100, 110, 80]))));
        assert!(FLAT.holds(growth(&held(&[80, 100, 0, 0]))) && FLAT.holds(growth(&held(&[0, 0, 0, 0]))));
        assert!(!FLAT.holds(growth(&held(&[10, 20, 30, 40, 50, 60]))));
        assert!(!FLAT.holds(growth(&held(&[0, 0, 0, 1_000]))));
    }
}
