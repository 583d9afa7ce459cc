//! Three downloads whose priorities change while they run: the paper's Figure 9.

use std::time::Duration;

use serde_json::json;
use tng_experiments::page::{Axis, Plot};
use tng_experiments::scenario::{EventKind, EventSpec, StreamAction};

use super::lab::{self, broken};
use super::{Chart, Curve, Part, Table};
use crate::failure::Failure;

const SCENARIO: &str = include_str!("../../../../scenarios/priorities.toml");

/// How finely arrivals are measured: a few packets of the slow link.
const STEP: Duration = Duration::from_millis(20);
/// Steps of the measurement in one of the picture.
const COARSER: usize = 10;

/// What the sharing of a phase leaves out at its begin: until changes have had their effect.
const SETTLE_S: f64 = 1.0;
/// Least share of the link of a request that has all of it.
const ALL_BAR: f64 = 0.95;
/// Largest difference of the shares of two requests that have the same.
const EVEN_BAR: f64 = 0.1;
/// Round trips within which a change takes effect, at most; the request for it is one of the packets that wait.
const EFFECT_BAR: f64 = 1.5;

/// A time in which priorities stay as they are.
struct Phase {
    name: &'static str,
    from_s: f64,
    to_s: f64,
    /// The requests that share the link then, by number from zero.
    active: &'static [usize],
}

impl Phase {
    /// The share of each request.
    fn shares(&self, curves: &[Curve]) -> Vec<f64> {
        let sums = curves.iter().map(|curve| curve.sum(self.from_s + SETTLE_S, self.to_s) as f64);
        let sums: Vec<f64> = sums.collect();
        let total = sums.iter().sum::<f64>().max(1.0);
        sums.iter().map(|sum| sum / total).collect()
    }

    /// Whether the active requests have the whole link, evenly.
    fn holds(&self, shares: &[f64]) -> bool {
        let active = || self.active.iter().map(|request| shares[*request]);
        let (least, most) = (active().fold(1.0, f64::min), active().fold(0.0, f64::max));
        active().sum::<f64>() >= ALL_BAR && most - least <= EVEN_BAR
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

/// Runs `scenarios/priorities.toml` and measures who has the link when.
///
/// # Errors
/// If a download did not arrive, every byte as it was sent.
pub fn priorities(seed: u64) -> Result<Part, Failure> {
    measure(SCENARIO, seed)
}

fn measure(text: &str, seed: u64) -> Result<Part, Failure> {
    let (scenario, report) = lab::run(text, seed, STEP)?;
    let flow = report.flows.first().ok_or_else(|| broken(&"no flow"))?;
    let [one, two, three] = &flow.streams[..] else { return Err(broken(&"not three downloads")) };
    let curves: Vec<Curve> = [one, two, three].map(|stream| lab::curve(&report, stream)).into();
    let (asked_s, end_one_s) = (lab::start_s(three)?, lab::end_s(one)?);
    let changes =
        |event: &&EventSpec| matches!(event.kind, EventKind::Stream { action: StreamAction::Priority { .. }, .. });
    let change = scenario.events.iter().find(changes).ok_or_else(|| broken(&"no priority changes"))?;
    let changed_s = change.at.as_secs_f64();
    let last_s = lab::end_s(two)?.min(lab::end_s(three)?);
    let phases = [
        Phase { name: "1 and 2, both normal", from_s: 0.0, to_s: asked_s, active: &[0, 1] },
        Phase { name: "3 is new and urgent", from_s: asked_s, to_s: changed_s, active: &[2] },
        Phase { name: "1 becomes urgent, 3 normal", from_s: changed_s, to_s: end_one_s, active: &[0] },
        Phase { name: "1 is whole", from_s: end_one_s, to_s: last_s, active: &[1, 2] },
    ];

    let mut table = Table::new(&["phase", "from", "to", "request 1", "request 2", "request 3", "as claimed"]);
    let mut figures = Vec::new();
    let mut holds = true;
    for phase in &phases {
        let shares = phase.shares(&curves);
        let held = phase.holds(&shares);
        holds &= held;
        let times = [phase.from_s, phase.to_s].map(|time_s| format!("{time_s:.1} s"));
        let cells = shares.iter().map(|share| format!("{:.0} %", share * 100.0));
        let word = if held { "yes" } else { "no" }.to_owned();
        table.row([phase.name.to_owned()].into_iter().chain(times).chain(cells).chain([word]).collect());
        figures.push(
            json!({ "phase": phase.name, "from_s": phase.from_s, "to_s": phase.to_s, "shares": shares, "holds": held }),
        );
    }
    let rtt_s = flow.rtt_smoothed_s.ok_or_else(|| broken(&"no round-trip time"))?;
    let effect_s = effect(&curves, 0, changed_s).ok_or_else(|| broken(&"the change had no effect"))?;
    let rounds = effect_s / rtt_s;
    holds &= rounds <= EFFECT_BAR;

    let pictures: Vec<Curve> = curves.iter().map(|curve| curve.coarser(COARSER)).collect();
    let end_s = pictures.iter().map(|curve| curve.bytes.len() as f64 * curve.step_s).fold(0.0, f64::max);
    let mut chart = Chart::new(end_s, lab::mbits(&scenario)?);
    let mut plot =
        Plot::new("Bandwidth that the client observes", Axis::new("time", "s"), Axis::new("bandwidth", "Mbit/s"));
    for (picture, name) in pictures.iter().zip(["request 1", "request 2", "request 3"]) {
        let named = Curve { name: name.to_owned(), ..picture.clone() };
        chart.curve(name, named.step_s, &named.mbits());
        plot = plot.series(named.series());
    }
    let plot =
        plot.mark(asked_s, "request 3, urgent").mark(changed_s, "1 urgent, 3 normal").mark(end_one_s, "1 is whole");
    Ok(Part {
        name: "priorities",
        title: "Priorities that change while data flows (the paper's Figure 9)",
        setting: "three downloads of 1.5 MB over 1.5 Mbit/s and 50 ms of round trip".to_owned(),
        claim: "the link goes to the urgent request alone, equals share evenly, a change takes effect one round trip later (SST 5.6)",
        measured: format!(
            "the change took effect after {:.0} ms, {rounds:.1} round trips of the loaded path; who had the link is below",
            effect_s * 1e3
        ),
        holds,
        bar: format!(
            "whoever is urgent has {:.0} % of the link, equals differ by at most {:.0} %, a change takes at most {EFFECT_BAR} round trips",
            ALL_BAR * 100.0,
            EVEN_BAR * 100.0
        ),
        table: Some(table),
        chart: Some(chart),
        plot,
        figures: json!({
            "phases": figures, "effect_s": effect_s, "rtt_s": rtt_s, "effect_round_trips": rounds,
            "step_s": pictures[0].step_s, "mbits": pictures.iter().map(Curve::mbits).collect::<Vec<_>>(),
        }),
        seed,
        digest: report.digest.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_of_the_paper_comes_out_and_the_same_again() {
        for seed in 1..4 {
            let part = priorities(seed).unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
            assert!(part.holds, "seed {seed}: {part:?}");
            assert_eq!(part, priorities(seed).expect("as before"), "seed {seed}");
        }
    }

    #[test]
    fn without_the_first_priority_it_does_not_hold() {
        let text = SCENARIO.replacen("priority = { level = 1 }", "", 1);
        assert_ne!(text, SCENARIO);
        let part = measure(&text, 1).expect("it runs");
        assert!(!part.holds, "{part:?}");
        assert_eq!(part.figures["phases"][1]["holds"], false);
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
