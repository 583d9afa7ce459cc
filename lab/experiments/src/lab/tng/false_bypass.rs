//! Honest losses.

use core::time::Duration;

use serde_json::json;
use tng_sim::{Link, Loss};

use super::row::{party, row};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};

/// Many flows over a path that loses some of everybody's packets, or of the helper's.
pub static FALSE_BYPASS: Experiment = Experiment {
    name: "tng/false-bypass",
    title: "Honest losses and the judge of paths",
    source: "ours, after Tng 4.1",
    claim: "a helper on a path that loses packets without its doing is not left for that: of a hundred flows at 3 % \
            loss fewer than one",
    about: "Two links and a helper between. Flows that last long enough to be judged many times, each in a world of \
            its own with a seed of its own: over links that lose packets in both directions, which the direct path \
            would share, and with a helper on whose own line the same share is lost, which the direct path would not. \
            Counted are flows that ever, once they are set up, do not lead by way of the helper, and among them those \
            whose set-up went direct. The control is a helper that loses a fifth.",
    params: &[
        Param::share("loss", "3%", "of packets, end to end, each way"),
        Param::count("flows", "300", (1, 300), "of each kind; a tenth of them with the control"),
        Param::span("lasts", "30s", "each flow"),
        Param::rate("rate", "2mbit", "of both links"),
        Param::time("delay", "10ms", "of both links, each way"),
    ],
    worlds: Worlds::Virtual,
    seeds: 1,
    run,
};

const LINKS: usize = 2;
const STEP: Duration = Duration::from_millis(100);
/// What a helper loses that is to be left.
const CONTROL: f64 = 0.2;
/// One flow of so many is enough with the control.
const FEWER: u64 = 10;
/// Seeds of a kind begin so far from those of the one before.
const KIND_SEEDS: u64 = 300;

/// Flows that leave an honest helper, percent: fewer than one in a hundred.
const LEFT: Goal = Goal::AtMost(0.99);
/// There is a direct path all the time.
const NONE: Goal = Goal::AtMost(0.0);
/// Flows that leave one that loses a fifth, percent.
const CONTROL_LEFT: Goal = Goal::AtLeast(90.0);

/// Where packets are lost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// On both links.
    Links,
    /// On the line between the helper and its router.
    Helper,
}

/// What became of a flow.
#[derive(Clone, PartialEq)]
enum Fate {
    Kept,
    /// Its set-up did not lead by way of the helper.
    Direct,
    /// It left the helper, at that time in seconds, for what it lost first at either end.
    Left(f64, String),
    /// It ended, or never began.
    Failed,
}

fn measure(context: &Context<'_>, place: Where, loss: f64, seed: u64) -> Fate {
    // On its way a packet crosses both links, and the helper's line twice: what they let through together is what is
    // asked for.
    let loss = Loss::Independent(1.0 - (1.0 - loss).sqrt());
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay"));
    let link = if place == Where::Links { link.loss(loss.clone()) } else { link };
    let sections = ["bbr", "bbr"];
    let mut setting = row(context.seed_of(seed), vec![link.into(); LINKS], &sections);
    setting.step = STEP;
    setting.parties.push(party("flow", LINKS, &sections));
    let mut run = context.world(setting).begin();
    if place == Where::Helper {
        for lane in run.beside(run.helpers[0]) {
            run.world.change(lane, |link| link.loss = loss.clone());
        }
    }
    run.run_until(context.time("lasts"));
    let samples = run.samples(0);
    let first = samples.iter().position(|sample| sample.helped || sample.direct);
    let (Some(first), None) = (first, run.tally(0).failure) else { return Fate::Failed };
    let direct = samples[first..].iter().position(|sample| !sample.helped);
    match direct {
        None => Fate::Kept,
        Some(0) => Fate::Direct,
        Some(at) => {
            let why =
                run.tally(0).paths_lost().next().map_or("not told yet".to_owned(), |(_, cause)| cause.to_string());
            Fate::Left((first + at) as f64 * STEP.as_secs_f64(), why)
        }
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (flows, loss) = (context.count("flows"), context.share("loss"));
    let kinds = [
        ("links lose", Where::Links, loss, flows),
        ("the helper's line loses", Where::Helper, loss, flows),
        ("the helper's line loses a fifth", Where::Helper, CONTROL, flows.div_ceil(FEWER)),
    ];
    let mut table = Table::new(&["", "flows", "left the helper", "set up direct", "left, in all", "failed"]);
    let (mut figures, mut percents, mut all_failed) = (Vec::new(), Vec::new(), 0);
    for (kind, (name, place, loss, flows)) in (0..).zip(kinds) {
        let mut fates = Vec::new();
        for flow in 0..flows {
            if flow % 20 == 0 {
                context.progress(format_args!("{name}: flow {flow} of {flows}"));
            }
            fates.push(measure(context, place, loss, kind * KIND_SEEDS + flow));
        }
        let left = fates.iter().filter_map(|fate| match fate {
            Fate::Left(at_s, why) => Some(json!({ "at_s": at_s, "why": why })),
            _ => None,
        });
        let left: Vec<_> = left.collect();
        let direct = fates.iter().filter(|fate| **fate == Fate::Direct).count();
        let failed: Vec<u64> =
            (0..).zip(&fates).filter(|(_, fate)| **fate == Fate::Failed).map(|(flow, _)| flow).collect();
        all_failed += failed.len();
        let percent = 100.0 * (left.len() + direct) as f64 / flows as f64;
        table.row(vec![
            name.to_owned(),
            flows.to_string(),
            left.len().to_string(),
            direct.to_string(),
            format!("{percent:.1} %"),
            failed.len().to_string(),
        ]);
        figures.push(json!({
            "kind": name, "flows": flows, "left": left, "set_up_direct": direct, "failed_flows": failed,
            "percent": percent,
        }));
        percents.push(percent);
    }
    let names = kinds.map(|(name, ..)| name);
    let bars = percents.iter().enumerate().map(|(at, percent)| (at as f64, *percent)).collect();
    let plot = Plot::new("Flows that leave the helper", Axis::names(&names), Axis::new("flows", "%"))
        .series(Series::bars("flows", bars));
    let check = |kind: usize, goal| {
        Check::new(format!("{}: flows that leave the helper", names[kind]), percents[kind], "%", goal)
    };
    Ok(Outcome::new(json!({ "kinds": figures }))
        .table(table)
        .plot(plot)
        .check(check(0, LEFT))
        .check(check(1, LEFT))
        .check(check(2, CONTROL_LEFT).ours())
        .check(Check::new("flows that ended, or never began", all_failed as f64, "", NONE))
        .note(
            "Losses are independent of each other, and both links have the same rate: bursts and queues that others \
               fill are not among what is honest here.",
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn an_honest_helper_without_losses_is_kept() {
        let record = measured(&FALSE_BYPASS, 1, &["flows=3", "loss=0%"]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }

    #[test]
    fn a_helper_that_loses_a_fifth_is_left_and_no_flow_ends() {
        let record = measured(&FALSE_BYPASS, 1, &["flows=4"]);
        let unmet = unmet(&record.outcome);
        assert!(!unmet.contains(&"flows that ended, or never began"), "{record}");
        assert!(unmet.iter().all(|name| !name.contains("a fifth")), "{record}");
    }

    #[test]
    fn losses_that_are_the_helpers_and_not_honest_are_counted() {
        let record = measured(&FALSE_BYPASS, 1, &["flows=3", "loss=20%"]);
        assert!(unmet(&record.outcome).contains(&"the helper's line loses: flows that leave the helper"), "{record}");
    }
}
