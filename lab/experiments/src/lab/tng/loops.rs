//! One control loop from end to end above those of the sections (Tng 4.4).

use core::time::Duration;

use serde_json::json;
use tng_base::Instant;
use tng_queue::{Limit, QueueConfig};
use tng_sim::Link;

use super::row::{party, percentile_ms, row};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::{Delay, Direction, Party, Setting};

/// Queue sharing beside a loop over loops.
pub static LOOPS: Experiment = Experiment {
    name: "tng/loops",
    title: "A loop over loops",
    source: "Tng 4.4",
    claim: "a loop from end to end above those of the sections empties the helpers' queues, and gives up what helpers \
            are for: it yields to other flows, and to the losses of one section, as a controller from end to end does",
    about: "Four links in a row, the last slower than the others, and a helper between each two. A bulk transfer along \
            them, and every 20 ms a datagram beside it, ahead of what waits in the sender. All sections have cubic, \
            and the helpers' queues back up: as they are; with a loop from end to end above them that vegas or bbr \
            governs (the streams are then part of a protocol of the lab's, which lets packets go as the loop does); \
            and without helpers. Alone; beside TCP newreno over the last link; and where the second link is wireless \
            and loses packets, with eln on its section.",
    params: &[
        Param::rate("rate", "50mbit", "of the links but the last"),
        Param::rate("last", "20mbit", "of the last link"),
        Param::time("delay", "10ms", "of each link, each way"),
        Param::time("queue", "50ms", "what waits for the last link at most"),
        Param::count("flows", "1", (0, 8), "TCP flows over the last link, where there are any"),
        Param::share("loss", "1%", "of packets on the second link, each way, where it loses any"),
        Param::span("duration", "15s", "of the transfer"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

const LINKS: usize = 4;
/// The link that loses packets, and its section.
const LOSSY: usize = 1;
const PING_EVERY: Duration = Duration::from_millis(20);
/// The start of the transfer, which is not looked at.
const WARM_UP: Duration = Duration::from_secs(5);
/// How often the helpers' queues are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What else happens on the path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nothing,
    Flow,
    Loss,
}

const BESIDE: [(Beside, &str); 3] =
    [(Beside::Nothing, "alone"), (Beside::Flow, "beside flows"), (Beside::Loss, "losses")];

/// How the path is regulated.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    /// Controllers of the sections; one has the whole path.
    sections: &'static [&'static str],
    /// That of the loop above.
    above: Option<&'static str>,
}

const CUBIC: &[&str] = &["cubic"; LINKS];
const WAYS: [Way; 5] = [
    Way { name: "sharing", sections: CUBIC, above: None },
    Way { name: "vegas above", sections: CUBIC, above: Some("vegas") },
    Way { name: "bbr above", sections: CUBIC, above: Some("bbr") },
    Way { name: "direct, cubic", sections: &["cubic"], above: None },
    Way { name: "direct, bbr", sections: &["bbr"], above: None },
];
const SHARING: usize = 0;
/// Those with a loop above.
const ABOVE: [usize; 2] = [1, 2];

/// Of the rate of sharing, that a loop above would have to keep in each case to take its place: both here fall short in
/// one of them.
const KEPT: Goal = Goal::AtMost(0.95);
/// Of the bytes that wait in helpers where sections share queues.
const EMPTIED: Goal = Goal::AtMost(0.25);

/// What came of one way.
#[derive(Clone, Copy)]
struct Row {
    mbits: f64,
    /// What the flow beside got.
    beside_mbits: f64,
    /// Beyond propagation.
    p95_ms: f64,
    /// In all helpers, on average.
    queued_kb: f64,
}

fn setting(context: &Context<'_>, beside: Beside, way: Way) -> Setting {
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay"));
    let queue_bytes = context.rate("last") as f64 / 8.0 * context.time("queue").as_secs_f64();
    let queue = QueueConfig::DropTail(Limit::Bytes(queue_bytes as u64));
    let last = link.clone().rate(context.rate("last")).queue(queue);
    let mut links = vec![link; LINKS - 1];
    links.push(last);
    let mut sections = way.sections.to_vec();
    let loss = context.share("loss");
    if beside == Beside::Loss && loss > 0.0 {
        links[LOSSY] = links[LOSSY].clone().wireless(loss);
        if let Some(lossy) = sections.get_mut(LOSSY) {
            *lossy = "eln";
        }
    }
    let mut setting = row(context.seed, links.into_iter().map(Into::into).collect(), &sections);
    let bulk = party(way.name, LINKS, &sections).ping(PING_EVERY);
    setting.parties.push(way.above.map_or(bulk.clone(), |controller| bulk.looped(controller)));
    if beside == Beside::Flow && context.count("flows") > 0 {
        let flows = Party::tcp("beside", (LINKS - 1, LINKS), Direction::Up, "newreno");
        setting.parties.push(Party { connections: context.count("flows") as usize, ..flows });
    }
    setting
}

fn measure(context: &Context<'_>, beside: Beside, way: Way) -> Result<Row, RunError> {
    let mut run = context.world(setting(context, beside, way)).begin();
    run.run_until(WARM_UP);
    let parties = run.setting().parties.len();
    let before: Vec<u64> = (0..parties).map(|party| run.bytes(party)).collect();
    let end = WARM_UP + context.time("duration");
    let (mut at, mut looks, mut queued) = (WARM_UP, 0, 0);
    while at < end {
        at += LOOK_EVERY;
        run.run_until(at);
        looks += 1;
        queued += (0..run.helpers.len()).map(|helper| run.helper_stats(helper).queued_bytes).sum::<u64>();
    }
    let tally = run.tally(0);
    if let Some(why) = tally.failure {
        return Err(RunError::broken(format_args!("{}: {why}", way.name)));
    }
    if way.sections.len() > 1 && !run.is_helped(0) {
        return Err(RunError::broken(format_args!("{}: the helpers were left", way.name)));
    }
    let seconds = context.time("duration").as_secs_f64();
    let mbits =
        |party: usize| before.get(party).map_or(0.0, |before| (run.bytes(party) - before) as f64 * 8e-6 / seconds);
    let late = |delay: &&Delay| delay.sent_at.since(Instant::ZERO) >= WARM_UP;
    let times = tally.one_way.iter().filter(late).map(|delay| delay.took);
    let propagation_ms = context.time("delay").as_secs_f64() * 1e3 * LINKS as f64;
    Ok(Row {
        mbits: mbits(0),
        beside_mbits: mbits(1),
        p95_ms: percentile_ms(times, 95) - propagation_ms,
        queued_kb: queued as f64 * 1e-3 / f64::from(looks),
    })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let head = ["", "", "bulk", "95 % of datagrams", "in helpers", "beside it"];
    let mut table = Table::new(&head).titled("Rate, delay beyond propagation, and queues");
    let names = WAYS.map(|way| way.name);
    let mut rates = Plot::new("Rate of the bulk transfer", Axis::names(&names), Axis::new("rate", "Mbit/s"));
    let mut delays =
        Plot::new("Delay of 95 % of datagrams beyond propagation", Axis::names(&names), Axis::new("delay", "ms"));
    let (mut figures, mut all) = (Vec::new(), Vec::new());
    for (beside, case) in BESIDE {
        let mut rows = Vec::new();
        for way in WAYS {
            context.progress(format_args!("{case}: {}", way.name));
            let row = measure(context, beside, way)?;
            let Row { mbits, beside_mbits, p95_ms, queued_kb } = row;
            table.row(vec![
                case.to_owned(),
                way.name.to_owned(),
                format!("{mbits:.2} Mbit/s"),
                format!("{p95_ms:.1} ms"),
                format!("{queued_kb:.1} kB"),
                if beside == Beside::Flow { format!("{beside_mbits:.2} Mbit/s") } else { String::new() },
            ]);
            figures.push(json!({
                "case": case, "way": way.name, "mbits": mbits, "p95_ms": p95_ms, "queued_kb": queued_kb,
                "beside_mbits": beside_mbits,
            }));
            rows.push(row);
        }
        let bars = |of: fn(&Row) -> f64| rows.iter().enumerate().map(|(at, row)| (at as f64, of(row))).collect();
        rates.series.push(Series::bars(case, bars(|row| row.mbits)));
        delays.series.push(Series::bars(case, bars(|row| row.p95_ms)));
        all.push(rows);
    }
    let mut outcome = Outcome::new(json!({ "rows": figures })).table(table).plot(rates).plot(delays);
    for way in ABOVE {
        let least = all.iter().map(|rows| rows[way].mbits / rows[SHARING].mbits).fold(f64::INFINITY, f64::min);
        let queued = all[0][way].queued_kb / all[0][SHARING].queued_kb;
        let name = WAYS[way].name;
        outcome = outcome
            .check(Check::new(format!("{name}: rate by that of sharing, the least of all cases"), least, "", KEPT))
            .check(Check::new(format!("{name}: bytes in helpers by those of sharing, alone"), queued, "", EMPTIED));
    }
    Ok(outcome.note(
        "The paper leaves such loops to future work, and names XCP, to which routers tell rates. Here the loop sees \
         what an end can see: round trips and losses. Sharing stays (docs/decisions/0011-sections-share-queues.md).",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const SHORT: &str = "duration=3s";

    #[test]
    fn a_loop_above_empties_queues_and_yields_to_flows_and_losses() {
        let record = measured(&LOOPS, 1, &[SHORT]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }

    #[test]
    fn where_nothing_is_beside_and_nothing_is_lost_vegas_above_keeps_the_rate() {
        let record = measured(&LOOPS, 1, &[SHORT, "flows=0", "loss=0%"]);
        let kept = "vegas above: rate by that of sharing, the least of all cases";
        assert!(unmet(&record.outcome).contains(&kept), "{record}");
    }
}
