//! Honest losses.

use core::time::Duration;

use serde_json::json;
use tng_sim::{Link, Loss};

use super::row::{party, row};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};

/// Many flows over a path that loses some of everybody's packets, or of the helper's.
pub static FALSE_BYPASS: Experiment = Experiment {
    name: "tng/false-bypass",
    title: "Honest losses and the judge of paths",
    source: "ours, after Tng 4.1",
    claim: "a helper on a path that loses packets without its doing is not left for that: at 5 % loss at most one flow \
            of 300 leaves it, at 10 % one of 100, whatever controller the sections have",
    about: "Two links and a helper between. Flows that last long enough to be judged many times, each in a world of \
            its own: a third over links that lose packets in both directions before the helper, a third behind it, \
            which the direct path shares, and a third with a helper on whose own line the same share is lost, which \
            the direct path does not share. Counted are flows that ever, once they are set up, do not lead by way of \
            the helper, and those whose set-up went direct. The control is a helper that loses a fifth.",
    params: &[
        Param::list("losses", "5%,10%", &Kind::Share, "of packets, end to end, each way"),
        Param::list(
            "controllers",
            "cubic,newreno,vegas,eln",
            &Kind::Word(CONTROLLERS),
            "of both sections, one after the other",
        ),
        Param::count("flows", "15", (3, 300), "of each controller at each loss; as many with the control in all"),
        Param::span("lasts", "30s", "each flow"),
        Param::rate("rate", "2mbit", "of both links"),
        Param::time("delay", "10ms", "of both links, each way"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

const CONTROLLERS: &[&str] = &["cubic", "newreno", "vegas", "eln"];
const LINKS: usize = 2;
const STEP: Duration = Duration::from_millis(100);
/// What a helper loses that flows should leave.
const CONTROL: f64 = 0.2;
/// Seeds of a kind begin so far from those of the one before.
const KIND_SEEDS: u64 = 300;

/// Of the flows of a seed none leaves an honest helper: at most one of 300, and of 100, as shares of 20 seeds with 15
/// flows each.
const LEFT: Goal = Goal::AtMost(0.0);
const ONE_OF_300: f64 = 0.95;
const ONE_OF_100: f64 = 0.85;
/// Losses up to this may have the one; the other is for all above.
const FEW: f64 = 0.05;
/// There is a direct path all the time.
const NONE: Goal = Goal::AtMost(0.0);
/// Flows that leave one that loses a fifth, percent.
const CONTROL_LEFT: Goal = Goal::AtLeast(90.0);

/// Where packets are lost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// On this link.
    Link(usize),
    /// On the line between the helper and its router.
    Helper,
}

/// One after the other.
const PLACES: [Where; 3] = [Where::Link(0), Where::Link(1), Where::Helper];

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

fn measure(context: &Context<'_>, controller: &str, place: Where, loss: f64, seed: u64) -> Fate {
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay"));
    let lossy = |at: usize| match place == Where::Link(at) {
        true => link.clone().loss(Loss::Independent(loss)),
        false => link.clone(),
    };
    let sections = [controller, controller];
    let mut setting = row(context.seed_of(seed), (0..LINKS).map(|at| lossy(at).into()).collect(), &sections);
    setting.step = STEP;
    setting.parties.push(party("flow", LINKS, &sections));
    let mut run = context.world(setting).begin();
    if place == Where::Helper {
        // A packet crosses the line twice: what it lets through then is what is asked for.
        let loss = Loss::Independent(1.0 - (1.0 - loss).sqrt());
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
    let (flows, controllers) = (context.count("flows"), context.words("controllers"));
    let mut kinds = Vec::new();
    for loss in context.shares("losses") {
        let of = |name: &&'static str| (format!("{name}, {:.0} % lost", loss * 100.0), *name, loss);
        kinds.extend(controllers.iter().map(of));
    }
    let head = ["", "flows", "left: before", "behind", "the helper's line", "set up direct", "failed"];
    let (mut table, mut figures, mut all_failed) = (Table::new(&head), Vec::new(), 0);
    let (mut outcome, mut bars) = (Outcome::new(json!({})), Vec::new());
    for (kind, (name, controller, loss)) in (0..).zip(&kinds) {
        context.progress(name);
        let fates: Vec<(Where, Fate)> = (0..flows)
            .map(|flow| (PLACES[flow as usize % PLACES.len()], kind * KIND_SEEDS + flow))
            .map(|(place, seed)| (place, measure(context, controller, place, *loss, seed)))
            .collect();
        let count = |is: &dyn Fn(&(Where, Fate)) -> bool| fates.iter().filter(|fate| is(fate)).count();
        let left = PLACES.map(|place| count(&|(at, fate)| *at == place && matches!(fate, Fate::Left(..))));
        let direct = count(&|(_, fate)| *fate == Fate::Direct);
        let failed = count(&|(_, fate)| *fate == Fate::Failed);
        all_failed += failed;
        let whys = fates.iter().filter_map(|(_, fate)| match fate {
            Fate::Left(at_s, why) => Some(json!({ "at_s": at_s, "why": why })),
            _ => None,
        });
        figures.push(json!({
            "kind": name, "flows": flows, "left": whys.collect::<Vec<_>>(), "set_up_direct": direct, "failed": failed,
        }));
        let cells = [left[0], left[1], left[2], direct, failed].map(|count| count.to_string());
        table.row([vec![name.clone(), flows.to_string()], cells.to_vec()].concat());
        let away = left.iter().sum::<usize>() + direct;
        bars.push((kind as f64, 100.0 * away as f64 / flows as f64));
        let share = if *loss <= FEW { ONE_OF_300 } else { ONE_OF_100 };
        let check = Check::new(format!("{name}: flows that do not lead by way of the helper"), away as f64, "", LEFT);
        let first = fates.iter().find_map(|(_, fate)| match fate {
            Fate::Left(at_s, why) => Some(format!("after {at_s:.1} s: {why}")),
            _ => None,
        });
        outcome = outcome.check(check.on(share).because(first.unwrap_or_default()));
    }
    let control: Vec<Fate> = (0..flows)
        .map(|flow| (controllers[flow as usize % controllers.len()], kinds.len() as u64 * KIND_SEEDS + flow))
        .map(|(controller, seed)| measure(context, controller, Where::Helper, CONTROL, seed))
        .collect();
    let mut times: Vec<f64> = control.iter().filter_map(Fate::left_at_s).collect();
    times.sort_by(f64::total_cmp);
    let away = control.iter().filter(|fate| **fate != Fate::Kept).count();
    let percent = 100.0 * away as f64 / flows as f64;
    let names: Vec<&str> = kinds.iter().map(|(name, ..)| name.as_str()).collect();
    let plot = Plot::new("Flows that leave the helper", Axis::names(&names), Axis::new("flows", "%"));
    outcome.results = json!({ "kinds": figures, "control_left_percent": percent, "control_left_at_s": times });
    Ok(outcome
        .table(table)
        .plot(plot.series(Series::bars("flows", bars)))
        .check(Check::new("a helper that loses a fifth: flows that leave it", percent, "%", CONTROL_LEFT).ours())
        .check(Check::new("flows that ended, or never began", all_failed as f64, "", NONE))
        .note(
            "Losses are independent of each other, and both links have the same rate: bursts and queues that others \
               fill are not among what is honest here.",
        ))
}

impl Fate {
    fn left_at_s(&self) -> Option<f64> {
        match self {
            Fate::Left(at_s, _) => Some(*at_s),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn an_honest_helper_without_losses_is_kept() {
        let record = measured(&FALSE_BYPASS, 1, &["flows=3", "losses=0%", "lasts=10s", "controllers=cubic"]);
        let unmet = unmet(&record.outcome);
        assert!(!unmet.iter().any(|name| name.contains("by way of the helper")), "{record}");
    }

    #[test]
    fn a_helper_that_loses_a_fifth_is_left_and_no_flow_ends() {
        let record = measured(&FALSE_BYPASS, 1, &["flows=4", "losses=1%", "controllers=cubic"]);
        let unmet = unmet(&record.outcome);
        assert!(!unmet.contains(&"flows that ended, or never began"), "{record}");
        assert!(unmet.iter().all(|name| !name.contains("a fifth")), "{record}");
    }

    #[test]
    fn losses_that_are_the_helpers_and_not_honest_are_counted() {
        let record = measured(&FALSE_BYPASS, 1, &["flows=3", "losses=20%", "controllers=cubic"]);
        let name = "cubic, 20 % lost: flows that do not lead by way of the helper";
        assert!(unmet(&record.outcome).contains(&name), "{record}");
    }
}
