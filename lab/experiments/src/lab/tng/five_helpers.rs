//! Helpers in a row.

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::Link;

use super::row::{party, percentile_ms, row};
use crate::helped::Setting;
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};

/// None to five, and three controllers.
pub static FIVE_HELPERS: Experiment = Experiment {
    name: "tng/five-helpers",
    title: "Five helpers in a row",
    source: "ours, after Tng 4.3 and 4.4",
    claim: "queues that sections share do not add up to much delay: beside a bulk transfer each of five helpers costs a datagram no more than 10 ms",
    about: "Six links in a row, the last slower than the others, so that all queues before it may fill. A bulk transfer along them, and every \
            20 ms a datagram beside it, ahead of what waits in the sender: how long it is under way beyond propagation, at the median and of 95 % \
            no longer. None to five helpers; all sections with the same controller. What five helpers add is what is more than without.",
    params: &[
        Param::rate("rate", "50mbit", "of the links but the last"),
        Param::rate("last", "20mbit", "of the last link"),
        Param::time("delay", "10ms", "of each link, each way"),
        Param::time("queue", "50ms", "what waits for the last link at most"),
        Param::word("controller", "cubic", CONTROLLERS, "of the run that is checked"),
        Param::time("duration", "10s", "of the transfer"),
    ],
    worlds: Worlds::Virtual,
    run,
};

const CONTROLLERS: &[&str] = &["cubic", "newreno", "vegas", "bbr"];
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
    let mut run = setting.begin();
    run.run_until(WARM_UP);
    let before = run.bytes(0);
    run.run_until(end);
    let tally = run.tally(0);
    if let Some(why) = tally.failure {
        return Err(RunError::broken(why));
    }
    let late = |delay: &&crate::helped::Delay| delay.sent_at.since(tng_base::Instant::ZERO) >= WARM_UP;
    let times = || tally.one_way.iter().filter(late).map(|delay| delay.took);
    let propagation_ms = context.time("delay").as_secs_f64() * 1e3 * LINKS as f64;
    Ok(Row {
        median_ms: percentile_ms(times(), 50) - propagation_ms,
        p95_ms: percentile_ms(times(), 95) - propagation_ms,
        mbits: (tally.bytes - before) as f64 * 8e-6 / (end - WARM_UP).as_secs_f64(),
    })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let checked = context.word("controller");
    let mut table = Table::new(&["controller", "helpers", "median", "95 %", "bulk"]).titled("Delay beyond propagation");
    let mut plot =
        Plot::new("Delay of 95 % of datagrams beyond propagation", Axis::new("helpers", ""), Axis::new("delay", "ms"));
    let (mut figures, mut each, mut of_direct) = (Vec::new(), f64::NAN, f64::NAN);
    for controller in CONTROLLERS {
        let mut points = Vec::new();
        let mut direct = None;
        // Of the others the ends of the row are enough.
        let counts =
            (0..=HELPERS_MAX).filter(|helpers| *controller == checked || [0, 1, HELPERS_MAX].contains(helpers));
        for helpers in counts {
            context.progress(format_args!("{controller}, {helpers} helpers"));
            let row = measure(context, controller, helpers)?;
            let Row { median_ms, p95_ms, mbits } = row;
            let direct = *direct.get_or_insert(row);
            if *controller == checked && helpers == HELPERS_MAX {
                (each, of_direct) = ((p95_ms - direct.p95_ms) / helpers as f64, 100.0 * mbits / direct.mbits);
            }
            points.push((helpers as f64, p95_ms));
            table.row(vec![
                (*controller).to_owned(),
                helpers.to_string(),
                format!("{median_ms:.1} ms"),
                format!("{p95_ms:.1} ms"),
                format!("{mbits:.2} Mbit/s"),
            ]);
            figures.push(json!({
                "controller": controller, "helpers": helpers, "median_ms": median_ms, "p95_ms": p95_ms, "mbits": mbits,
            }));
        }
        plot.series.push(Series::line(controller, points));
    }
    Ok(Outcome::new(json!({ "rows": figures }))
        .table(table)
        .plot(plot)
        .check(Check::new(
            format!("{checked}: what each of five helpers adds to the delay that 95 % of datagrams do not exceed"),
            each,
            "ms",
            EACH,
        ))
        .check(Check::new(format!("{checked}: bulk by way of five helpers, of the direct one"), of_direct, "%", RATE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn five_helpers_cost_little() {
        let record = measured(&FIVE_HELPERS, 1, &["duration=3s"]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }
}
