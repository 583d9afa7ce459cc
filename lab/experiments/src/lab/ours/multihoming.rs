//! Two networks at once, and one of them gone for a while.

use core::time::Duration;

use serde_json::json;

use crate::lab::{
    Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds, simulate,
};
use crate::page::{Axis, Plot};
use crate::scenario::{EventKind, PeerAction};

/// A stream over two paths.
pub static MULTIHOMING: Experiment = Experiment {
    name: "ours/multihoming",
    title: "One stream over two networks",
    source: "ours, after SST 4.3.1 and 6",
    claim: "a stream attached to two channels has what both paths carry, and goes on over one while the other is gone",
    about: "A laptop downloads 50 MB over its first network (20 ms of round trip), after 4 s over its second (60 ms), \
            too; from 8 s to 12 s the first carries nothing, and nobody is told. scenarios/multihoming.toml.",
    params: &[
        Param::rate("first", "20mbit", "of the first network, each way"),
        Param::rate("second", "10mbit", "of the second network, each way"),
        Param::share("loss", "0%", "of packets, each way, on both"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run: |context| measure(context, SCENARIO),
};

const SCENARIO: &str = include_str!("../../../../../scenarios/multihoming.toml");

/// How finely gaps are measured.
const STEP: Duration = Duration::from_millis(10);
/// Steps of the measurement in one of the picture.
const COARSER: usize = 10;
/// What a phase leaves out at its begin: until a new path is found and filled, and what was lost is there.
const SETTLE_S: f64 = 2.0;

/// Per cent of the rates of the paths that work: without headers of IP, UDP and the channel it is 96, and more would be
/// more than the links carry.
const USED: Goal = Goal::Within(90.0, 97.0);
/// Seconds in which nothing arrives when a path fails: three probes of it must be unanswered first.
const GAP_S: Goal = Goal::AtMost(1.0);

fn measure(context: &Context<'_>, text: &str) -> Result<Outcome, RunError> {
    let values = [
        format!("link.wifi.rate={}", context.given("first")),
        format!("link.cellular.rate={}", context.given("second")),
        format!("link.loss={}", context.given("loss")),
    ];
    let scenario = simulate::scenario(text, &values, context.seed, STEP)?;
    let report = simulate::run(context, &scenario)?;
    let download = simulate::stream(&report, "download")?;
    let curve = simulate::curve(&report, download);
    let end_s = simulate::end_s(download)?;
    let added = scenario.events.iter().find_map(|event| match event.kind {
        EventKind::Peer { action: PeerAction::Path { .. }, .. } => Some(event.at.as_secs_f64()),
        _ => None,
    });
    let gone = scenario.events.iter().find_map(|event| match event.kind {
        EventKind::Outage { lasts, .. } => Some((event.at.as_secs_f64(), (event.at + lasts).as_secs_f64())),
        _ => None,
    });
    let (Some(added_s), Some((gone_s, back_s))) = (added, gone) else {
        return Err(RunError::broken("the scenario adds no path, or none fails"));
    };
    if end_s < back_s {
        return Err(RunError::Params(
            "the download ends before the first network is back; make the rates smaller".into(),
        ));
    }
    let [first, second] = ["first", "second"].map(|key| context.rate(key) as f64);
    let phases = [
        ("the first alone", 0.0, added_s, first),
        ("both", added_s, gone_s, first + second),
        ("the first is gone", gone_s, back_s, second),
        ("both again", back_s, end_s, first + second),
    ];
    let mut table = Table::new(&["phase", "from", "to", "Mbit/s", "of the rates"]);
    let (mut checks, mut figures) = (Vec::new(), Vec::new());
    for (name, from_s, to_s, rate_bps) in phases {
        let from = from_s + SETTLE_S;
        // A phase that is too short to settle in says nothing.
        let bps = if to_s >= from + SETTLE_S { curve.sum(from, to_s) as f64 * 8.0 / (to_s - from) } else { f64::NAN };
        let percent = bps * 100.0 / rate_bps;
        let cells =
            [format!("{from_s:.1} s"), format!("{to_s:.1} s"), format!("{:.2}", bps / 1e6), format!("{percent:.1} %")];
        table.row([name.to_owned()].into_iter().chain(cells).collect());
        figures.push(json!({ "phase": name, "from_s": from_s, "to_s": to_s, "goodput_bps": bps, "percent": percent }));
        checks.push(Check::new(format!("{name}: share of the rates that arrives"), percent, "%", USED));
    }
    // What arrives while the path's failure is not known is on the other one, and may fill the gap. One that began
    // before the failure, or lasts beyond the time in which the path is gone, counts whole.
    let around_s = [gone_s, back_s].map(|time_s| curve.gap(time_s).map_or(0.0, |(from_s, to_s)| to_s - from_s));
    let longest_s = around_s.into_iter().fold(curve.longest_gap_s((gone_s, back_s), back_s), f64::max);
    // Where nothing had arrived before, nothing can stop to.
    let gap_s = if curve.sum(0.0, gone_s) > 0 { longest_s } else { f64::NAN };
    checks.push(Check::new("a path fails: nothing arrives for", gap_s, "s", GAP_S));
    let plot = Plot::new("What arrives at the laptop", Axis::new("time", "s"), Curve::axis())
        .series(curve.coarser(COARSER).series())
        .mark(added_s, "a second path")
        .mark(gone_s, "the first fails")
        .mark(back_s, "it is back");
    let results = json!({
        "phases": figures, "gap_s": gap_s, "bytes": download.bytes, "completion_s": end_s, "digest": report.digest,
    });
    Ok(checks.into_iter().fold(Outcome::new(results).table(table).plot(plot), Outcome::check))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn a_download_has_both_networks_and_goes_on_over_one() {
        let record = measured(&MULTIHOMING, 1, &[]);
        assert!(record.holds(), "{record}");
        assert_eq!(record.outcome.results["bytes"], 50_000_000);
    }

    #[test]
    fn more_than_the_links_carry_does_not_hold() {
        assert!(USED.holds(96.0) && !USED.holds(99.0) && !USED.holds(89.0));
    }

    #[test]
    fn without_the_second_path_it_does_not_hold() {
        let text = SCENARIO.replace("to = \"192.0.2.129\"", "to = \"192.0.2.200\"");
        assert_ne!(text, SCENARIO);
        let context = Context::new(1, MULTIHOMING.params(&[]).expect("defaults"), false, &|_| ());
        let outcome = measure(&context, &text).expect("it arrives all the same");
        let missing = ["both: share of the rates that arrives", "both again: share of the rates that arrives"];
        assert!(missing.iter().all(|name| unmet(&outcome).contains(name)), "{:?}", outcome.checks);
    }
}
