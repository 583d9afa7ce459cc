//! A satellite link with local repair.

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss};

use super::fig10::leased;
use super::row::{party, row};
use crate::lab::{Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot};

/// With helpers that repair, with helpers that do not, and without.
pub static SATELLITE: Experiment = Experiment {
    name: "tng/satellite",
    title: "A satellite link with and without local repair",
    source: "ours, after Tng 2.2 and 4.2",
    claim: "helpers at both ends of a long and lossy link send again what it loses, and the ends, which are told, do not do so as well",
    about: "A LAN, a helper, a satellite link of 300 ms each way that loses packets, a helper, a LAN. A transfer with helpers that repair what is \
            lost on the satellite link, with helpers that do not, and from end to end with newreno and bbr. Counted: packets that the sender sent \
            again though they had arrived (duplicates), and packets that it found lost.",
    params: &[
        Param::rate("rate", "20mbit", "of the satellite link"),
        Param::time("delay", "300ms", "of the satellite link, each way"),
        Param::share("loss", "1%", "of packets on it, each way"),
        Param::time("repair", "1s", "how late a packet may become by repair"),
        Param::time("duration", "40s", "of the transfer"),
    ],
    worlds: Worlds::Virtual,
    run,
};

const LAN_BPS: u64 = 1_000_000_000;
const LINKS: usize = 3;
/// Step of the series.
const STEP: Duration = Duration::from_millis(500);
/// The start, which is not counted in rates.
const WARM_UP: Duration = Duration::from_secs(10);
/// A queue of so much of a round trip.
const QUEUE_ROUNDS: f64 = 1.0;

/// Duplicates, percent of the packets sent end to end.
const DUPLICATES: Goal = Goal::AtMost(5.0);
/// Packets found lost end to end where they are repaired, percent of those without repair.
const LOST: Goal = Goal::AtMost(20.0);
/// Times the rate of newreno from end to end.
const TIMES: Goal = Goal::AtLeast(5.0);
/// Of the rate without repair, percent: it must not cost any, but for what leaves again.
const OF_RATE: Goal = Goal::AtLeast(98.0);

struct Row {
    curve: Curve,
    mbits: f64,
    /// Percent of the packets that the sender sent end to end.
    duplicate: f64,
    lost: f64,
}

fn measure(context: &Context<'_>, name: &str, sections: &[&str], repair: Option<Duration>) -> Result<Row, RunError> {
    context.progress(name);
    let (rate, delay) = (context.rate("rate"), context.time("delay"));
    let lan = Link::new().rate(LAN_BPS).delay(Duration::from_micros(100));
    let queue_bytes = (rate as f64 / 8.0 * 2.0 * delay.as_secs_f64() * QUEUE_ROUNDS) as u64;
    let satellite = Link::new()
        .rate(rate)
        .delay(delay)
        .queue(QueueConfig::DropTail(Limit::Bytes(queue_bytes)))
        .loss(Loss::Independent(context.share("loss")));
    let mut setting = row(context.seed, vec![lan.clone().into(), satellite.into(), lan.into()], sections);
    setting.step = STEP;
    if let [near, far] = &mut setting.helpers[..] {
        near.toward[0].1.repair = repair;
        far.config.elsewhere.repair = repair;
        // Toward the LAN nothing is to be repaired.
        far.toward[0].1.repair = None;
    }
    setting.parties.push(party(name, LINKS, sections));
    let mut run = setting.begin();
    run.run_until(WARM_UP);
    let before = run.bytes(0);
    run.run_until(WARM_UP + context.time("duration"));
    if let Some(why) = run.tally(0).failure {
        return Err(RunError::broken(format_args!("{name}: {why}")));
    }
    let mbits = (run.bytes(0) - before) as f64 * 8e-6 / context.time("duration").as_secs_f64();
    let (mut sent, mut spurious, mut lost) = (0, 0, 0);
    for stats in &run.stats(0)[0] {
        sent += stats.channel.packets_sent;
        spurious += stats.channel.spurious;
        lost += stats.channel.lost;
    }
    let percent = |count: u64| 100.0 * count as f64 / sent as f64;
    Ok(Row { curve: run.curve(0), mbits, duplicate: percent(spurious), lost: percent(lost) })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let leased = leased(context.rate("rate"));
    let split = ["newreno", &leased, "newreno"];
    let rows = [
        measure(context, "split, repair", &split, Some(context.time("repair")))?,
        measure(context, "split", &split, None)?,
        measure(context, "newreno", &["newreno"], None)?,
        measure(context, "bbr", &["bbr"], None)?,
    ];
    let mut table = Table::new(&["", "rate", "found lost", "duplicates"]).titled("From end to end");
    let mut plot = Plot::new("What arrives over a satellite", Axis::new("time", "s"), Axis::new("rate", "Mbit/s"));
    let mut figures = Vec::new();
    for Row { curve, mbits, duplicate, lost } in &rows {
        table.row(vec![
            curve.name.clone(),
            format!("{mbits:.2} Mbit/s"),
            format!("{lost:.2} %"),
            format!("{duplicate:.2} %"),
        ]);
        plot.series.push(curve.series());
        figures
            .push(json!({ "name": curve.name, "mbits": mbits, "lost_percent": lost, "duplicate_percent": duplicate }));
    }
    let [repaired, split, newreno, _] = &rows;
    Ok(Outcome::new(json!({ "ways": figures }))
        .table(table)
        .plot(plot)
        .check(Check::new("repair: duplicates, of packets sent end to end", repaired.duplicate, "%", DUPLICATES))
        .check(Check::new(
            "repair: packets found lost, of those without",
            100.0 * repaired.lost / split.lost,
            "%",
            LOST,
        ))
        .check(Check::new(
            "repair: times the rate of newreno from end to end",
            repaired.mbits / newreno.mbits,
            "",
            TIMES,
        ))
        .check(Check::new("repair: rate, of that without", 100.0 * repaired.mbits / split.mbits, "%", OF_RATE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn repair_does_what_the_ends_then_need_not() {
        let record = measured(&SATELLITE, 1, &["rate=5mbit", "duration=20s"]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }

    #[test]
    fn without_time_there_is_no_repair() {
        let record = measured(&SATELLITE, 1, &["rate=5mbit", "duration=10s", "repair=1ms"]);
        let lost = &record.outcome.checks[1];
        assert!(!lost.holds(), "{record}");
    }
}
