//! A satellite link with local repair.

mod real;

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{DropCause, Link, Loss};
use tng_stack::ConnectionStats;

use super::fig10::leased;
use super::row::{party, row, stays_helped};
use crate::lab::{Check, Context, Curve, Experiment, Goal, Needs, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot};
use crate::peers::helped::Setting;

/// With helpers that repair, with helpers that do not, and without.
pub static SATELLITE: Experiment = Experiment {
    name: "tng/satellite",
    title: "A satellite link with and without local repair",
    source: "ours, after Tng 2.2 and 4.2",
    claim: "helpers at both ends of a long and lossy link send again what it loses, and the ends, which are told, do \
            not do so as well",
    about: "A LAN, a helper, a satellite link of 300 ms each way that loses packets, a helper, a LAN. A transfer with \
            helpers that repair what is lost on the satellite link, with helpers that do not, and from end to end with \
            newreno and bbr. Counted: packets that the satellite link lost, those that the sender found lost and so \
            sent again, and of these those that had arrived all the same (duplicates). A sender that took no notice of \
            the repair would send a duplicate of everything that is repaired. With --real: the same links between \
            network namespaces, each helper a process of `tng relay run`, beside the kernel's TCP (reno, cubic, bbr), \
            QUIC under cubic, and haproxy in the helpers' places.",
    params: &[
        Param::rate("rate", "20mbit", "of the satellite link"),
        Param::time("delay", "300ms", "of the satellite link, each way"),
        Param::share("loss", "1%", "of packets on it, each way"),
        Param::time("repair", "1s", "how late a packet may become by repair"),
        Param::span("duration", "40s", "of the transfer"),
        Param::time("settle", "10s", "left out before that"),
    ],
    worlds: Worlds::Either(Needs { root: true, minutes: 7 }),
    seeds: SEEDS_MIN,
    vary: &[],
    run: |context| if context.real { real::run(context) } else { run(context) },
};

const LAN_BPS: u64 = 1_000_000_000;
/// Links, and which of them is the satellite's.
const LINKS: usize = 3;
const LONG: usize = 1;
/// Step of the series.
const STEP: Duration = Duration::from_millis(500);
/// A queue of so much of a round trip.
const QUEUE_ROUNDS: f64 = 1.0;

/// Duplicates, percent of the packets that the satellite link lost.
const DUPLICATES: Goal = Goal::AtMost(5.0);
/// Packets found lost end to end where they are repaired, percent of those without repair.
const LOST: Goal = Goal::AtMost(20.0);
/// Times the rate of newreno from end to end.
const TIMES: Goal = Goal::AtLeast(5.0);
/// Of the rate without repair, percent: it must not cost any, but for what leaves again.
const OF_RATE: Goal = Goal::AtLeast(98.0);
/// Of that of bbr from end to end, percent.
const OF_BBR: Goal = Goal::AtLeast(100.0);

struct Row {
    curve: Curve,
    mbits: f64,
    /// Packets of the channel from end to end that the client sent, and found lost; and of these those that had
    /// arrived.
    sent: u64,
    again: u64,
    duplicates: u64,
    /// Packets of whatever kind that the satellite link lost on the way of the data.
    dropped: u64,
    helped_percent: f64,
}

impl Row {
    /// Packets found lost, percent of those sent.
    fn again_percent(&self) -> f64 {
        100.0 * self.again as f64 / self.sent as f64
    }

    /// Duplicates, percent of what the satellite link lost.
    fn duplicate_percent(&self) -> f64 {
        100.0 * self.duplicates as f64 / self.dropped as f64
    }
}

fn setting(context: &Context<'_>, name: &str, sections: &[&str], repair: Option<Duration>) -> Setting {
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
        // Toward the LAN nothing needs repair.
        far.toward[0].1.repair = None;
    }
    setting.parties.push(party(name, LINKS, sections));
    setting
}

fn measure(context: &Context<'_>, name: &str, sections: &[&str], repair: Option<Duration>) -> Result<Row, RunError> {
    context.progress(name);
    let mut run = context.world(setting(context, name, sections, repair)).begin();
    let settle = context.time("settle");
    run.run_until(settle);
    let before = run.bytes(0);
    run.run_until(settle + context.time("duration"));
    if let Some(why) = run.tally(0).failure {
        return Err(RunError::broken(format_args!("{name}: {why}")));
    }
    let mbits = (run.bytes(0) - before) as f64 * 8e-6 / context.time("duration").as_secs_f64();
    // The direct channel that stands by beside a helped one carries no data.
    let is_used = |stats: &&ConnectionStats| (stats.helpers > 0) == (sections.len() > 1);
    let paths = run.paths(0);
    let stats = paths[0].iter().map(|path| &path.stats).find(is_used);
    let channel = stats.ok_or_else(|| RunError::broken(format_args!("{name}: it went another way")))?.channel;
    let way = run.world.stats(run.links[LONG].forth());
    Ok(Row {
        curve: run.curve(0),
        mbits,
        sent: channel.packets_sent,
        again: channel.lost,
        duplicates: channel.spurious,
        dropped: way.dropped_for(DropCause::Loss) + way.dropped_for(DropCause::Queue),
        helped_percent: run.helped_percent(0),
    })
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
    let mut table =
        Table::new(&["", "rate", "lost by the satellite", "sent again", "duplicates"]).titled("From end to end");
    let mut plot = Plot::new("What arrives over a satellite", Axis::new("time", "s"), Curve::axis());
    let mut figures = Vec::new();
    for row in &rows {
        let Row { curve, mbits, sent, again, duplicates, dropped, helped_percent } = row;
        table.row(vec![
            curve.name.clone(),
            format!("{mbits:.2} Mbit/s"),
            dropped.to_string(),
            again.to_string(),
            duplicates.to_string(),
        ]);
        plot.series.push(curve.series());
        figures.push(json!({
            "name": curve.name, "mbits": mbits, "sent": sent, "lost_by_satellite": dropped, "sent_again": again,
            "duplicates": duplicates, "helped_percent": helped_percent,
        }));
    }
    let [repaired, split, newreno, bbr] = &rows;
    let found = 100.0 * repaired.again_percent() / split.again_percent();
    let rate = |name: &str, other: &Row, goal| {
        Check::new(format!("repair: rate, of that {name}"), 100.0 * repaired.mbits / other.mbits, "%", goal).ours()
    };
    Ok(Outcome::new(json!({ "ways": figures }))
        .table(table)
        .plot(plot)
        .check(Check::new(
            "repair: duplicates, of what the satellite lost",
            repaired.duplicate_percent(),
            "%",
            DUPLICATES,
        ))
        .check(Check::new("repair: packets sent again, of those without repair", found, "%", LOST).ours())
        .check(rate("without", split, OF_RATE))
        .check(rate("with bbr from end to end", bbr, OF_BBR))
        .check(
            Check::new("repair: times the rate of newreno from end to end", repaired.mbits / newreno.mbits, "", TIMES)
                .ours(),
        )
        .check(stays_helped("repair", repaired.helped_percent))
        .check(stays_helped("without repair", split.helped_percent)))
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
        let again = "repair: packets sent again, of those without repair, a goal of ours";
        assert!(unmet(&record.outcome).contains(&again), "{record}");
    }
}
