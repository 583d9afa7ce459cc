//! Helpers in a row.

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::Link;

use super::row::{party, percentile_ms, row, stays_helped};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::Setting;

/// None to five, and three controllers.
pub static FIVE_HELPERS: Experiment = Experiment {
    name: "tng/five-helpers",
    title: "Five helpers in a row",
    source: "ours, after Tng 4.3 and 4.4",
    claim: "queues that sections share do not add up to much delay: beside a bulk transfer each of five helpers costs \
            a datagram no more than 10 ms",
    about: "Six links in a row, the last slower than the others, so that all queues before it may fill. A bulk \
            transfer along them, and every 20 ms a datagram beside it, ahead of what waits in the sender: how long it \
            is under way beyond propagation, at the median and of 95 % no longer. None to five helpers; all sections \
            with the same controller. What five helpers cost is told twice: a fifth of all that is beyond propagation, \
            the queue at the slow link included, and a fifth of what is more than without them.",
    params: &[
        Param::rate("rate", "50mbit", "of the links but the last"),
        Param::rate("last", "20mbit", "of the last link"),
        Param::time("delay", "10ms", "of each link, each way"),
        Param::time("queue", "50ms", "what waits for the last link at most"),
        Param::span("duration", "10s", "of the transfer"),
        Param::list(
            "controllers",
            "cubic,newreno,vegas",
            &Kind::Word(CONTROLLERS),
            "of all sections; with the first every number of helpers",
        ),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

const CONTROLLERS: &[&str] = &["cubic", "newreno", "vegas"];
const LINKS: usize = 6;
const HELPERS_MAX: usize = LINKS - 1;
const PING_EVERY: Duration = Duration::from_millis(20);
/// The start of the transfer, which is not looked at.
const WARM_UP: Duration = Duration::from_secs(5);

/// Milliseconds for each helper.
const EACH: Goal = Goal::AtMost(10.0);
/// Of the rate that the direct transfer has.
const RATE: Goal = Goal::AtLeast(90.0);

/// Delays beyond propagation, and what the bulk transfer got.
#[derive(Clone, Copy)]
struct Row {
    helped_percent: f64,
    median_ms: f64,
    p95_ms: f64,
    mbits: f64,
}

fn measure(context: &Context<'_>, controller: &str, helpers: usize) -> Result<Row, RunError> {
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay"));
    let queue_bytes = context.rate("last") as f64 / 8.0 * context.time("queue").as_secs_f64();
    let queue = QueueConfig::DropTail(Limit::Bytes(queue_bytes as u64));
    let last = link.clone().rate(context.rate("last")).queue(queue);
    let mut links = vec![link.into(); LINKS - 1];
    links.push(last.into());
    let sections = vec![controller; LINKS];
    let mut setting = Setting { step: Duration::from_millis(500), ..row(context.seed, links, &sections) };
    // The last ones stay: the direct part of the path is the fast one.
    let via: Vec<usize> = (HELPERS_MAX - helpers..HELPERS_MAX).collect();
    setting.parties.push(party("bulk", LINKS, &sections).via(&via).ping(PING_EVERY));
    let end = WARM_UP + context.time("duration");
    let mut run = context.world(setting).begin();
    run.run_until(WARM_UP);
    let before = run.bytes(0);
    run.run_until(end);
    let tally = run.tally(0);
    if let Some(why) = tally.failure {
        return Err(RunError::broken(why));
    }
    let late = |delay: &&crate::peers::helped::Delay| delay.sent_at.since(tng_base::Instant::ZERO) >= WARM_UP;
    let times = || tally.one_way.iter().filter(late).map(|delay| delay.took);
    let propagation_ms = context.time("delay").as_secs_f64() * 1e3 * LINKS as f64;
    Ok(Row {
        helped_percent: run.helped_percent(0),
        median_ms: percentile_ms(times(), 50) - propagation_ms,
        p95_ms: percentile_ms(times(), 95) - propagation_ms,
        mbits: (tally.bytes - before) as f64 * 8e-6 / (end - WARM_UP).as_secs_f64(),
    })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let mut table = Table::new(&["controller", "helpers", "median", "95 %", "bulk"]).titled("Delay beyond propagation");
    let mut plot =
        Plot::new("Delay of 95 % of datagrams beyond propagation", Axis::new("helpers", ""), Axis::new("delay", "ms"));
    let (mut figures, mut checks) = (Vec::new(), Vec::new());
    for (place, controller) in context.words("controllers").into_iter().enumerate() {
        // Of the others the ends of the row are enough.
        let counts = (0..=HELPERS_MAX).filter(|helpers| place == 0 || [0, 1, HELPERS_MAX].contains(helpers));
        let mut rows = Vec::new();
        for helpers in counts {
            context.progress(format_args!("{controller}, {helpers} helpers"));
            let row = measure(context, controller, helpers)?;
            let Row { helped_percent, median_ms, p95_ms, mbits } = row;
            rows.push((helpers, row));
            table.row(vec![
                controller.to_owned(),
                helpers.to_string(),
                format!("{median_ms:.1} ms"),
                format!("{p95_ms:.1} ms"),
                format!("{mbits:.2} Mbit/s"),
            ]);
            figures.push(json!({
                "controller": controller, "helpers": helpers, "median_ms": median_ms, "p95_ms": p95_ms, "mbits": mbits,
                "helped_percent": helped_percent,
            }));
        }
        plot.series.push(Series::line(controller, rows.iter().map(|(n, row)| (*n as f64, row.p95_ms)).collect()));
        let [(_, direct), .., (_, five)] = &rows[..] else { unreachable!("there are several") };
        let each = |ms: f64| ms / HELPERS_MAX as f64;
        checks.extend([
            Check::new(
                format!("{controller}: 95 % of datagrams beyond propagation, each of five"),
                each(five.p95_ms),
                "ms",
                EACH,
            ),
            Check::new(
                format!("{controller}: the same, more than without helpers"),
                each(five.p95_ms - direct.p95_ms),
                "ms",
                EACH,
            ),
            Check::new(
                format!("{controller}: bulk by way of five, of the direct one"),
                100.0 * five.mbits / direct.mbits,
                "%",
                RATE,
            )
            .ours(),
            stays_helped(controller, five.helped_percent),
        ]);
    }
    let outcome = Outcome::new(json!({ "rows": figures })).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "Beyond propagation counts the queue of the last router, too, which a transfer from end to end fills as well: \
         what helpers add is what is more than without.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const SHORT: [&str; 2] = ["duration=3s", "controllers=vegas"];

    #[test]
    fn five_helpers_cost_little() {
        let record = measured(&FIVE_HELPERS, 1, &SHORT);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }

    #[test]
    fn a_long_queue_that_a_controller_fills_is_seen() {
        let record = measured(&FIVE_HELPERS, 1, &["duration=3s", "controllers=cubic", "queue=1s"]);
        let beyond = "cubic: 95 % of datagrams beyond propagation, each of five";
        assert!(unmet(&record.outcome).contains(&beyond), "{record}");
    }
}
