//! Requests whose priorities change while they run: the paper's Figure 9.

use core::time::Duration;

use serde_json::json;

use super::shape::LINES;
use crate::lab::{
    Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds, simulate,
};
use crate::page::{Axis, Plot};
use crate::scenario::{EventKind, EventSpec, StreamAction};

/// Figure 9.
pub static FIG9: Experiment = Experiment {
    name: "sst/fig9",
    title: "Priorities that change while data flows",
    source: "SST 5.6, Figure 9",
    claim: "the link goes to the urgent request alone, equals share it evenly, and a change takes effect one round \
            trip later",
    about: "Three downloads on one connection. 1 and 2 begin at once; 3 is asked for after 5 s and is urgent; after 10 \
            s the reader makes 1 urgent and 3 normal. scenarios/priorities.toml.",
    params: &[
        Param::rate("rate", "1.5mbit", "of the link, each way"),
        Param::time("delay", "25ms", "of the link, each way"),
        Param::size("size", "1.5MB", "of each download"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: LINES,
    run: |context| measure(context, SCENARIO),
};

const SCENARIO: &str = include_str!("../../../../../scenarios/priorities.toml");

/// How finely arrivals are measured: a few packets of the slow link.
const STEP: Duration = Duration::from_millis(20);
/// Steps of the measurement in one of the picture.
const COARSER: usize = 10;

/// What the sharing of a phase leaves out at its begin: until changes have had their effect.
const SETTLE_S: f64 = 1.0;
/// Per cent of the link of a request that has all of it.
const ALL: Goal = Goal::AtLeast(95.0);
/// Per cent of the link of each of two requests that share it evenly.
const EVEN: Goal = Goal::Within(45.0, 55.0);
/// Round trips of the loaded path within which a change takes effect; the request for it is one of the packets that
/// wait.
const EFFECT: Goal = Goal::AtMost(1.5);

/// A time in which priorities stay as they are.
struct Phase {
    name: &'static str,
    from_s: f64,
    to_s: f64,
    /// The request whose share tells, by number from zero; what it must be in per cent, and is in the paper.
    tells: usize,
    goal: Goal,
    paper: &'static str,
}

impl Phase {
    /// The share of each request in per cent.
    fn shares(&self, curves: &[Curve]) -> Vec<f64> {
        let sums: Vec<f64> = curves.iter().map(|curve| curve.sum(self.from_s + SETTLE_S, self.to_s) as f64).collect();
        let total = sums.iter().sum::<f64>().max(1.0);
        sums.iter().map(|sum| sum * 100.0 / total).collect()
    }
}

/// How long after a time a curve has more than half of everything.
fn effect(curves: &[Curve], request: usize, since_s: f64) -> Option<f64> {
    let step_s = curves[request].step_s;
    let first = (since_s / step_s).round() as usize;
    let at = |curve: &Curve, step: usize| curve.bytes.get(step).copied().unwrap_or(0);
    let leads = |step: &usize| {
        let total: u64 = curves.iter().map(|curve| at(curve, *step)).sum();
        at(&curves[request], *step) * 2 > total
    };
    let step = (first..curves[request].bytes.len()).find(leads)?;
    Some(step as f64 * step_s - since_s)
}

fn measure(context: &Context<'_>, text: &str) -> Result<Outcome, RunError> {
    let values = [
        "world.duration=1000s".to_owned(),
        format!("link.rate={}", context.given("rate")),
        format!("link.delay={}", context.given("delay")),
        format!("flow.stream.bytes={}", context.given("size")),
    ];
    let scenario = simulate::scenario(text, &values, context.seed, STEP)?;
    let report = simulate::run(context, &scenario)?;
    let flow = report.flows.first().ok_or_else(|| RunError::broken("no flow"))?;
    let [one, two, three] = &flow.streams[..] else { return Err(RunError::broken("not three downloads")) };
    let curves: Vec<Curve> = [one, two, three].map(|stream| simulate::curve(&report, stream)).into();
    let (asked_s, end_one_s) = (simulate::start_s(three)?, simulate::end_s(one)?);
    let changes =
        |event: &&EventSpec| matches!(event.kind, EventKind::Stream { action: StreamAction::Priority { .. }, .. });
    let change = scenario.events.iter().find(changes).ok_or_else(|| RunError::broken("no priority changes"))?;
    let changed_s = change.at.as_secs_f64();
    let last_s = simulate::end_s(two)?.min(simulate::end_s(three)?);
    if simulate::end_s(three)? < changed_s || end_one_s < changed_s || last_s < end_one_s {
        let problem = "downloads end before priorities change; make the rate smaller or the size larger";
        return Err(RunError::Params(problem.to_owned()));
    }
    let (all, half) = ("all of the link", "half of the link");
    let phases = [
        Phase { name: "1 and 2, both normal", from_s: 0.0, to_s: asked_s, tells: 0, goal: EVEN, paper: half },
        Phase { name: "3 is new and urgent", from_s: asked_s, to_s: changed_s, tells: 2, goal: ALL, paper: all },
        Phase {
            name: "1 becomes urgent, 3 normal",
            from_s: changed_s,
            to_s: end_one_s,
            tells: 0,
            goal: ALL,
            paper: all,
        },
        Phase { name: "1 is whole", from_s: end_one_s, to_s: last_s, tells: 2, goal: EVEN, paper: half },
    ];
    let mut table =
        Table::new(&["phase", "from", "to", "request 1", "request 2", "request 3"]).titled("Who has the link");
    let (mut figures, mut checks) = (Vec::new(), Vec::new());
    for phase in &phases {
        let shares = phase.shares(&curves);
        let Phase { name, from_s, to_s, tells, goal, paper } = phase;
        let times = [from_s, to_s].map(|time_s| format!("{time_s:.1} s"));
        let cells = shares.iter().map(|share| format!("{share:.0} %"));
        table.row([(*name).to_owned()].into_iter().chain(times).chain(cells).collect());
        checks.push(Check::new(format!("{name}: share of {}", tells + 1), shares[*tells], "%", *goal).paper(*paper));
        figures.push(json!({ "phase": name, "from_s": from_s, "to_s": to_s, "shares_percent": shares }));
    }
    let rtt_s = flow.rtt_smoothed_s.ok_or_else(|| RunError::broken("no round-trip time"))?;
    let effect_s = effect(&curves, 0, changed_s).ok_or_else(|| RunError::broken("the change had no effect"))?;
    let rounds = effect_s / rtt_s;
    checks.push(
        Check::new("a change takes effect, in round trips of the loaded path", rounds, "", EFFECT)
            .paper("one round trip"),
    );

    let pictures: Vec<Curve> = curves.iter().map(|curve| curve.coarser(COARSER)).collect();
    let mut plot = Plot::new("Bandwidth that the client observes", Axis::new("time", "s"), Curve::axis());
    for picture in &pictures {
        plot = plot.series(picture.series());
    }
    let plot =
        plot.mark(asked_s, "request 3, urgent").mark(changed_s, "1 urgent, 3 normal").mark(end_one_s, "1 is whole");
    let results = json!({
        "phases": figures, "effect_s": effect_s, "rtt_s": rtt_s, "effect_round_trips": rounds, "digest": report.digest,
        "step_s": pictures[0].step_s, "mbits": pictures.iter().map(Curve::mbits).collect::<Vec<_>>(),
    });
    let outcome = Outcome::new(results).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn the_figure_of_the_paper_comes_out_and_the_same_again() {
        for seed in 1..4 {
            let record = measured(&FIG9, seed, &[]);
            assert!(record.holds(), "seed {seed}: {record}");
            assert_eq!(record, measured(&FIG9, seed, &[]), "seed {seed}");
        }
    }

    #[test]
    fn without_the_first_priority_it_does_not_hold() {
        let text = SCENARIO.replacen("priority = { level = 1 }", "", 1);
        assert_ne!(text, SCENARIO);
        let params = FIG9.params(&[]).expect("defaults");
        let outcome = measure(&Context::new(1, params, false, &|_| ()), &text).expect("it runs");
        assert_eq!(unmet(&outcome), ["3 is new and urgent: share of 3"]);
    }

    #[test]
    fn downloads_that_are_whole_too_soon_are_refused() {
        let params = FIG9.params(&["size=1kB".to_owned()]).expect("a size");
        let error = FIG9.measure(1, params, false, &|_| ()).expect_err("nothing changes");
        assert!(error.to_string().contains("make the rate smaller"), "{error}");
    }

    #[test]
    fn a_change_takes_effect_when_a_request_has_more_than_half() {
        let curve = |bytes: &[u64]| Curve { name: String::new(), step_s: 0.5, bytes: bytes.to_vec() };
        let curves = [curve(&[9, 0, 4, 6]), curve(&[0, 9, 5, 4])];
        assert_eq!(effect(&curves, 0, 0.5), Some(1.0));
        assert_eq!(effect(&curves, 0, 0.0), Some(0.0));
        assert_eq!(effect(&curves, 1, 1.5), None);
    }
}
