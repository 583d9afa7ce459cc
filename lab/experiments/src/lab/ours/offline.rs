//! A day without a network.

use core::ops::RangeInclusive;
use core::time::Duration;

use serde_json::json;

use crate::Report;
use crate::engine::report::StreamReport;
use crate::lab::{
    Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds, simulate,
};
use crate::page::{Axis, Plot, Series};
use crate::scenario::{EventKind, INTERVALS_MAX, Scenario};

/// Streams outlive an outage as long as their applications want.
pub static DAY_OFFLINE: Experiment = Experiment {
    name: "ours/day-offline",
    title: "A day offline",
    source: "ours, after SST 4.3",
    claim: "streams go on after any outage; what is opened meanwhile waits, and costs a few packets a minute at most",
    about: "Two downloads of 10 MB over 20 Mbit/s and 40 ms of round trip, cut off after 2 s. A laptop loses its \
            address, and gets another when it is back; a sensor's network carries nothing, and nobody is told when it \
            does again. Half way each opens a further stream. scenarios/day-offline.toml; both ends keep connections \
            for ever.",
    params: &[Param::time("offline", "24h", "how long; from 10min to 720h")],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

const SCENARIO: &str = include_str!("../../../../../scenarios/day-offline.toml");

/// When the networks go.
const GONE: Duration = Duration::from_secs(2);
/// How much longer the run may take.
const AFTER: Duration = Duration::from_secs(600);
/// How long the networks may be away: long enough for both hosts to have given up their paths, and a month.
const OFFLINE: RangeInclusive<Duration> = Duration::from_secs(600)..=Duration::from_secs(720 * 3600);
/// Least step of the series.
const STEP: Duration = Duration::from_secs(1);
/// Round trips until what waits arrives when a host knows that it is back: half of one.
const TOLD: Goal = Goal::AtMost(2.0);
/// Seconds until what waits arrives when nobody knows: the longest pause between two attempts, and how long one lasts.
const UNTOLD_S: Goal = Goal::AtMost(71.0);
/// Packets that a host sends into the void, by minute: four in an attempt, and an attempt begins every 70 s.
const ASKED: Goal = Goal::AtMost(5.0);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let offline = context.time("offline");
    if !OFFLINE.contains(&offline) {
        let given = context.given("offline");
        return Err(RunError::Params(format!("offline={given} is not from 10min to 720h; write a time between them")));
    }
    let back = GONE + offline;
    let back_s = back.as_secs_f64();
    let half = GONE + offline / 2;
    let duration = back + AFTER;
    let step = STEP.max(Duration::from_secs(duration.as_secs().div_ceil(INTERVALS_MAX)));
    let values = [
        format!("world.duration={}s", duration.as_secs()),
        format!("world.interval={}s", step.as_secs()),
        format!("flow.laptop.stream.note.start={}ms", half.as_millis()),
        format!("flow.sensor.stream.reading.start={}ms", half.as_millis()),
        format!("event.2.at={}ms", back.as_millis()),
        format!("event.3.lasts={}ms", offline.as_millis()),
    ];
    let scenario = simulate::scenario(SCENARIO, &values, context.seed, step)?;
    let report = simulate::run(context, &scenario)?;
    let after = |name: &str| arrival_after(&report, name, back_s);
    let (told_s, untold_s) = (after("note")?, after("reading")?);
    let asked = asked_per_minute(&scenario, &report, offline)?;
    let mut table = Table::new(&["", "bytes", "first byte of what was opened meanwhile", "download whole"]);
    let mut plot = Plot::new(
        "What arrives after the outage",
        Axis::new("time since the network is back", "s"),
        Axis::new("of the download", "MB"),
    );
    let mut ends = Vec::new();
    for (who, download, first_s) in [("told", "download", told_s), ("not told", "firmware", untold_s)] {
        let stream = simulate::stream(&report, download)?;
        let end_s = simulate::end_s(stream)? - back_s;
        let cells = [who, &stream.bytes.to_string(), &format!("{first_s:.3} s after"), &format!("{end_s:.1} s after")];
        table.row(cells.map(str::to_owned).into());
        plot = plot.series(Series::steps(who, growth(&simulate::curve(&report, stream), back_s, end_s)));
        ends.push(end_s);
    }
    let rtt_s = rtt_s(&scenario);
    let results = json!({
        "offline_s": offline.as_secs_f64(), "told_s": told_s, "untold_s": untold_s, "asked_per_minute": asked,
        "downloads_whole_after_s": ends, "digest": report.digest,
    });
    Ok(Outcome::new(results)
        .table(table)
        .plot(plot)
        .check(Check::new("the laptop: what waited arrives, in round trips", told_s / rtt_s, "", TOLD))
        .check(Check::new("the sensor: what waited arrives after", untold_s, "s", UNTOLD_S))
        .check(Check::new("packets that the sensor sent in vain, by minute", asked, "", ASKED)))
}

/// How long after a time the first byte of a stream arrived.
fn arrival_after(report: &Report, name: &str, time_s: f64) -> Result<f64, RunError> {
    let stream: &StreamReport = simulate::stream(report, name)?;
    let first = stream.first_byte_s.ok_or_else(|| RunError::broken(format_args!("{name} did not arrive")))?;
    Ok(simulate::start_s(stream)? + first.min - time_s)
}

/// Packets by minute that the link of the outage dropped, from its first end.
fn asked_per_minute(scenario: &Scenario, report: &Report, offline: Duration) -> Result<f64, RunError> {
    let link = scenario.events.iter().find_map(|event| match event.kind {
        EventKind::Outage { link, .. } => Some(link),
        _ => None,
    });
    let link = link.ok_or_else(|| RunError::broken("the scenario has no outage"))?;
    let dropped: u64 = report.links[link].forth.dropped.iter().map(|(_, count)| count).sum();
    Ok(dropped as f64 * 60.0 / offline.as_secs_f64())
}

/// Twice the delay of the first link.
fn rtt_s(scenario: &Scenario) -> f64 {
    scenario.links.first().map_or(0.0, |link| (link.forth.delay + link.back.delay).as_secs_f64())
}

/// Megabytes that are there, from a time on.
fn growth(curve: &Curve, from_s: f64, lasts_s: f64) -> Vec<(f64, f64)> {
    let steps = 0..=(lasts_s / curve.step_s).ceil() as usize + 1;
    let at =
        |step: usize| (step as f64 * curve.step_s, curve.sum(0.0, from_s + step as f64 * curve.step_s) as f64 / 1e6);
    steps.map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::measured;

    #[test]
    fn what_waited_for_hours_arrives() {
        let record = measured(&DAY_OFFLINE, 1, &["offline=3h"]);
        assert!(record.holds(), "{record}");
    }

    #[test]
    fn a_network_may_be_away_for_weeks_but_not_for_seconds() {
        let record = measured(&DAY_OFFLINE, 1, &["offline=300h"]);
        assert!(record.holds(), "{record}");
        for offline in ["offline=1s", "offline=721h"] {
            let params = DAY_OFFLINE.params(&[offline.to_owned()]).expect("a time");
            let error = DAY_OFFLINE.measure(1, params, false, &|_| ()).expect_err(offline).to_string();
            assert_eq!(error, format!("{offline} is not from 10min to 720h; write a time between them"));
        }
    }

    #[test]
    fn connections_that_are_not_kept_are_lost() {
        let text = SCENARIO.replace("keep = \"forever\"", "keep = \"1h\"");
        let scenario = simulate::scenario(&text, &[], 1, STEP).expect("a scenario");
        let error = simulate::finish(scenario).expect_err("nothing is there after a day");
        assert!(matches!(error, RunError::Broken(_)), "{error}");
    }
}
