//! A satellite link in real time.

use core::time::Duration;

use serde_json::json;
use tng_sim::DropCause;

use super::super::fig10::real::{BBR, OTHERS, RENO, noted, there_are};
use super::super::row::stays_helped;
use super::{DUPLICATES, LONG, LOST, OF_RATE, TIMES, leased, setting};
use crate::lab::{Check, Context, Curve, Goal, Outcome, RunError, Table};
use crate::page::{Axis, Plot};
use crate::peers::helped::real::{Idle, Staging, Way};

/// Of that of the kernel's bbr from end to end, which has smaller headers, percent.
const OF_BBR: Goal = Goal::AtLeast(95.0);

struct Row {
    curve: Curve,
    mbits: f64,
    /// Packets that the satellite link lost on the way of the data.
    dropped: u64,
    /// Of tng alone: packets of the channel from end to end that the client sent, and found lost; and of these those
    /// that had arrived.
    channel: Option<[u64; 3]>,
    /// Packets that the relays sent again.
    repaired: u64,
    /// Packets that the relay before the satellite link found lost there.
    found: u64,
    helped_percent: f64,
}

fn measure(context: &Context<'_>, name: &str, repair: Option<Duration>, way: Way) -> Result<Row, RunError> {
    let (leased, settle, time) = (leased(context.rate("rate")), context.time("settle"), context.time("duration"));
    let (sections, tng) = (["newreno", leased.as_str(), "newreno"], way == Way::Tng);
    let staging = context.world(Staging::new(setting(context, name, &sections, repair), way));
    let (ran, _) = staging.run(settle + time, || Idle)?;
    let bytes = ran.curve.sum(settle.as_secs_f64(), (settle + time).as_secs_f64());
    let channel = match tng {
        true => Some(ran.path(true)?.stats.channel).map(|it| [it.packets_sent, it.lost, it.spurious]),
        false => None,
    };
    let way = &ran.lanes[2 * LONG].stats;
    let repaired = |status: &serde_json::Value| {
        let flows = status["flows"].as_array().into_iter().flatten();
        flows.filter_map(|flow| flow["outward"]["repaired"].as_u64()).sum::<u64>()
    };
    Ok(Row {
        mbits: bytes as f64 * 8e-6 / time.as_secs_f64(),
        dropped: way.dropped_for(DropCause::Loss) + way.dropped_for(DropCause::Queue),
        channel,
        repaired: ran.status.iter().map(repaired).sum(),
        found: ran.status.first().and_then(|near| near["flows"][0]["far"]["packets_lost"].as_u64()).unwrap_or(0),
        helped_percent: ran.helped_percent,
        curve: ran.curve,
    })
}

/// With relays that repair, with relays that do not, and by others.
pub(super) fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (others, away) = there_are(&OTHERS);
    let split = [("split, repair", Some(context.time("repair"))), ("split", None)];
    let split = split.map(|(name, repair)| (name, repair, Way::Tng));
    let ways: Vec<_> = split.into_iter().chain(others.into_iter().map(|(name, way)| (name, None, way))).collect();
    let takes = context.time("settle") + context.time("duration") + Duration::from_secs(1);
    let mut rows = Vec::new();
    for (nth, (name, repair, way)) in ways.iter().enumerate() {
        context.progress_with(name, takes * (ways.len() - nth) as u32);
        rows.push(measure(context, name, *repair, way.clone())?);
    }
    let head = ["", "rate", "lost by the satellite", "found lost by the relay", "repaired", "sent again", "duplicates"];
    let mut table = Table::new(&head).titled("From end to end");
    let mut plot = Plot::new("What arrives over a satellite", Axis::new("time", "s"), Curve::axis());
    let mut figures = Vec::new();
    for Row { curve, mbits, dropped, channel, repaired, found, helped_percent } in &rows {
        let of_tng = |figure: String| if channel.is_some() { figure } else { "–".to_owned() };
        let [sent, again, duplicates] = channel.unwrap_or_default();
        table.row(vec![
            curve.name.clone(),
            format!("{mbits:.2} Mbit/s"),
            dropped.to_string(),
            of_tng(found.to_string()),
            of_tng(repaired.to_string()),
            of_tng(again.to_string()),
            of_tng(duplicates.to_string()),
        ]);
        plot.series.push(curve.series());
        figures.push(json!({
            "name": curve.name, "mbits": mbits, "lost_by_satellite": dropped, "repaired": repaired,
            "found_lost": found,
            "sent": channel.map(|_| sent), "sent_again": channel.map(|_| again),
            "duplicates": channel.map(|_| duplicates),
            "helped_percent": Some(*helped_percent).filter(|percent| percent.is_finite()),
        }));
    }
    let (repaired, split) = (&rows[0], &rows[1]);
    let channel = |row: &Row| row.channel.unwrap_or_default().map(|packets| packets as f64);
    let again = |row: &Row| channel(row)[1] / channel(row)[0];
    let mbits = |name: &str| rows.iter().find(|row| row.curve.name == name).map_or(f64::NAN, |row| row.mbits);
    let rate = |name: &str, other: f64, goal| {
        Check::new(format!("repair: rate, of that {name}"), 100.0 * repaired.mbits / other, "%", goal).ours()
    };
    let duplicates = 100.0 * channel(repaired)[2] / repaired.dropped as f64;
    let found = 100.0 * again(repaired) / again(split);
    let outcome = Outcome::new(json!({ "ways": figures }))
        .table(table)
        .plot(plot)
        .check(Check::new("repair: duplicates, of what the satellite lost", duplicates, "%", DUPLICATES))
        .check(Check::new("repair: packets sent again, of those without repair", found, "%", LOST).ours())
        .check(rate("without", split.mbits, OF_RATE));
    let bbr = rate("of the kernel's bbr from end to end", mbits(BBR), OF_BBR);
    let outcome = if away.contains(&BBR) { outcome } else { outcome.check(bbr) };
    let times = repaired.mbits / mbits(RENO);
    let outcome = outcome
        .check(Check::new("repair: times the rate of the kernel's reno from end to end", times, "", TIMES).ours())
        .check(stays_helped("repair", repaired.helped_percent))
        .check(stays_helped("without repair", split.helped_percent))
        .note(
            "tng/satellite in virtual time is the same setting, and the page beside this one. All that runs has two \
             cores: relays, ends, the others' processes and the emulator that is every link.",
        );
    Ok(noted(outcome, &away))
}
