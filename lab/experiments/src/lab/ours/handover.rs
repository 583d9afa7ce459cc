//! Both ends move.

use core::time::Duration;

use serde_json::json;

use crate::lab::{
    Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds, simulate,
};
use crate::page::{Axis, Plot};
use crate::scenario::{EventKind, PeerAction};

/// First one end moves, then the other, then both.
pub static HANDOVER: Experiment = Experiment {
    name: "ours/handover",
    title: "Handover with both ends moving",
    source: "ours, after SST 4.3 and 4.4",
    claim: "streams go on whichever end moves, and when both move at once as soon as they are told of each other",
    about: "20 MB from a phone to a laptop over 20 Mbit/s. After 2 s the laptop loses its address and gets another, \
            after 4 s the phone, after 6 s both at the same time; after 7 s each is told where the other is, as by a \
            registry. scenarios/handover.toml.",
    params: &[
        Param::time("delay", "20ms", "of the path, each way"),
        Param::share("loss", "0%", "of packets, each way"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run: |context| measure(context, SCENARIO),
};

const SCENARIO: &str = include_str!("../../../../../scenarios/handover.toml");

/// How finely gaps are measured.
const STEP: Duration = Duration::from_millis(10);
/// Steps of the measurement in one of the picture.
const COARSER: usize = 10;

/// When one end moves, the silence begins within so many seconds.
const SOON_S: f64 = 1.0;

/// Round trips in which nothing arrives when one end moves: see `ours/move`.
const GAP: Goal = Goal::AtMost(3.0);
/// Round trips from when both are told until data arrives: an exchange, what the peer has to say about it, and the
/// data.
const FOUND: Goal = Goal::AtMost(10.0);

fn measure(context: &Context<'_>, text: &str) -> Result<Outcome, RunError> {
    let values = ["delay", "loss"].map(|key| format!("link.{key}={}", context.given(key)));
    let scenario = simulate::scenario(text, &values, context.seed, STEP)?;
    let report = simulate::run(context, &scenario)?;
    let film = simulate::stream(&report, "film")?;
    let curve = simulate::curve(&report, film);
    let rtt_s = 2.0 * context.time("delay").as_secs_f64();
    let moves = |event: &EventKind| matches!(event, EventKind::Address { .. });
    let told = |event: &EventKind| matches!(event, EventKind::Peer { action: PeerAction::Reach { .. }, .. });
    let when = |is: fn(&EventKind) -> bool| -> Vec<f64> {
        scenario.events.iter().filter(|event| is(&event.kind)).map(|event| event.at.as_secs_f64()).collect()
    };
    let (Ok([first_s, second_s, both_s, _]), Some(told_s)) =
        (<[f64; 4]>::try_from(when(moves)), when(told).first().copied())
    else {
        return Err(RunError::broken("the scenario has other moves"));
    };
    // What was under way when its sender moved still arrives: the silence begins later.
    let silence = |time_s: f64| curve.longest_gap_s((time_s, time_s + SOON_S), time_s + SOON_S) / rtt_s;
    let (first, second) = (silence(first_s), silence(second_s));
    let back_s = curve.gap(both_s).map_or(f64::NAN, |(_, to_s)| to_s);
    let found = (back_s - told_s) / rtt_s;
    let mut table = Table::new(&["", "when", "round trips"]);
    for (name, at_s, rounds) in [
        ("the laptop moves: nothing arrives for", first_s, first),
        ("the phone moves: nothing arrives for", second_s, second),
        ("both have moved, and are told: data arrives after", told_s, found),
    ] {
        table.row(vec![name.to_owned(), format!("{at_s:.2} s"), format!("{rounds:.1}")]);
    }
    let plot = Plot::new("What arrives at the laptop", Axis::new("time", "s"), Curve::axis())
        .series(curve.coarser(COARSER).series())
        .mark(first_s, "the laptop moves")
        .mark(second_s, "the phone moves")
        .mark(both_s, "both move")
        .mark(told_s, "both are told");
    let results = json!({
        "silent_round_trips": [first, second], "both_moved_s": both_s, "told_s": told_s, "found_round_trips": found,
        "bytes": film.bytes,
        "completion_s": simulate::end_s(film)?, "digest": report.digest,
    });
    Ok(Outcome::new(results)
        .table(table)
        .plot(plot)
        .check(Check::new("the laptop moves: nothing arrives, in round trips", first, "", GAP))
        .check(Check::new("the phone moves: nothing arrives, in round trips", second, "", GAP))
        .check(Check::new("both move: data arrives after they are told, in round trips", found, "", FOUND)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn a_film_goes_on_whoever_moves() {
        for seed in 1..4 {
            let record = measured(&HANDOVER, seed, &[]);
            assert!(record.holds(), "seed {seed}: {record}");
            assert_eq!(record.outcome.results["bytes"], 20_000_000, "seed {seed}");
        }
    }

    #[test]
    fn when_nobody_answers_at_the_new_addresses_for_a_while_it_does_not_hold() {
        let outage = "\n[[event]]\nat = '7s'\nkind = 'outage'\nlink = 'laptop-phone'\nlasts = '2s'\n";
        let context = Context::new(1, HANDOVER.params(&[]).expect("defaults"), false, &|_| ());
        let outcome = measure(&context, &format!("{SCENARIO}{outage}")).expect("it arrives all the same");
        assert_eq!(unmet(&outcome).len(), 1, "{outcome:?}");
    }
}
