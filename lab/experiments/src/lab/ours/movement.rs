//! A move to another network in the middle of a download.

use core::time::Duration;

use serde_json::json;

use crate::lab::{Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, Worlds, simulate};
use crate::page::{Axis, Plot};
use crate::scenario::EventKind;

/// One end moves.
pub static MOVE: Experiment = Experiment {
    name: "ours/move",
    title: "A move to another network in mid-transfer",
    source: "ours, after SST 4.3 and 4.4",
    claim: "streams go on over a channel between the new addresses, and the application sees no interruption",
    about: "8 MB from a server; after 2 s the laptop loses its address and gets another: 20 Mbit/s and 20 ms of round \
            trip before, 10 Mbit/s and 60 ms after. scenarios/move.toml.",
    params: &[Param::share("loss", "0%", "of packets, each way, on both networks")],
    worlds: Worlds::Virtual,
    seeds: 1,
    vary: &[],
    run: |context| measure(context, SCENARIO),
};

const SCENARIO: &str = include_str!("../../../../../scenarios/move.toml");

/// How finely the gap is measured; several packets arrive in each step.
const STEP: Duration = Duration::from_millis(5);
/// Steps of the measurement in one of the picture.
const COARSER: usize = 20;

/// Round trips of the new network in which nothing arrives: one for the new address to be proven and the first data
/// behind it, one more for what was lost with the old address.
const GAP: Goal = Goal::AtMost(3.0);

fn measure(context: &Context<'_>, text: &str) -> Result<Outcome, RunError> {
    let values = [format!("link.loss={}", context.given("loss"))];
    let scenario = simulate::scenario(text, &values, context.seed, STEP)?;
    let report = simulate::run(context, &scenario)?;
    let moved = scenario.events.iter().find(|event| matches!(event.kind, EventKind::Address { .. }));
    let moved_s = moved.ok_or_else(|| RunError::broken("no host moves"))?.at.as_secs_f64();
    let new_delay = scenario.events.iter().find_map(|event| match &event.kind {
        EventKind::Link { patch, .. } => patch.delay,
        _ => None,
    });
    let new_delay = new_delay.ok_or_else(|| RunError::broken("the new network is the old one"))?;
    let rtt_s = 2.0 * new_delay.as_secs_f64();
    let stream = simulate::stream(&report, "download")?;
    let curve = simulate::curve(&report, stream);
    let completion_s = simulate::end_s(stream)?;
    // Without a gap around it there was no move to measure, or nothing came back.
    let gap_s = curve.gap(moved_s).map_or(f64::NAN, |(from_s, to_s)| to_s - from_s);
    let rounds = gap_s / rtt_s;
    let plot = Plot::new("What arrives at a host that moves", Axis::new("time", "s"), Curve::axis());
    let results = json!({
        "bytes": stream.bytes, "completion_s": completion_s, "moved_s": moved_s, "gap_s": gap_s,
        "gap_round_trips": rounds, "step_s": STEP.as_secs_f64(), "digest": report.digest,
    });
    Ok(Outcome::new(results)
        .plot(plot.series(curve.coarser(COARSER).series()).mark(moved_s, "another address"))
        .check(Check::new("nothing arrives, in round trips of the new network", rounds, "", GAP)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn a_download_goes_on_after_a_move_and_does_so_again() {
        for seed in 1..4 {
            let record = measured(&MOVE, seed, &[]);
            assert!(record.holds(), "seed {seed}: {record}");
            let results = &record.outcome.results;
            assert_eq!(results["bytes"], 8_000_000, "seed {seed}");
            assert!(results["gap_s"].as_f64().is_some_and(|gap_s| gap_s >= 0.06), "seed {seed}: faster than light");
            assert_eq!(record, measured(&MOVE, seed, &[]), "seed {seed}");
        }
    }

    #[test]
    fn with_nothing_behind_the_new_address_for_a_while_it_does_not_hold() {
        let outage = "\n[[event]]\nat = '2s'\nkind = 'outage'\nlink = 'laptop-server'\nlasts = '500ms'\n";
        let context = Context::new(1, MOVE.params(&[]).expect("defaults"), false, &|_| ());
        let outcome = measure(&context, &format!("{SCENARIO}{outage}")).expect("it arrives all the same");
        assert_eq!(unmet(&outcome).len(), 1, "{outcome:?}");
        assert_eq!(outcome.results["bytes"], 8_000_000);
    }
}
