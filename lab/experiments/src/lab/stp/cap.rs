//! What each cap lets through: a question of our own.

use core::time::Duration;

use serde_json::json;
use tng_stp_host::Cap;

use super::testbed::{Line, Times, guest, mbit, mean, seconds};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::contest::{Party, Transport};
use crate::peers::guests::{Guest, Ran};

/// Both caps, beside cubic and newreno.
pub static CAP: Experiment = Experiment {
    name: "stp/cap",
    title: "What each cap lets through",
    source: "ours",
    claim: "a flood gets no more than 1.3 of what TCP gets on the same path: of newreno under the equation, of the \
            faster of newreno and cubic under the larger cap",
    about: "One endless transfer alone on a line of 50 Mbit/s and 50 ms that loses from 0.01 % to 10 % of packets: \
            UDP Flood behind each cap, and the reference TCP under newreno and under cubic.",
    params: &[
        Param::rate("rate", "50mbit", "of the line"),
        Param::span("rtt", "50ms", "both ways together"),
        Param::list("losses", "0.01%,0.1%,0.5%,1%,3%,10%", &Kind::Share, "of packets, in the direction of the data"),
        Param::time("settle", "10s", "left out at the beginning"),
        Param::span("time", "30s", "measured"),
    ],
    worlds: Worlds::Virtual,
    seeds: 20,
    vary: &[],
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let times = Times::of(context);
    let mut table = Table::new(&["loss", "newreno", "cubic", "equation", "equation or cubic"]);
    let mut plot = Plot::new("What each cap lets through", Axis::new("loss", "%"), Axis::new("rate", "Mbit/s"));
    let (mut results, mut checks) = (Vec::new(), Vec::new());
    let mut curves: [Vec<(f64, f64)>; 4] = Default::default();
    for loss in context.shares("losses") {
        context.progress(format_args!("{} %", loss * 100.0));
        let line = Line::new("line", context.rate("rate"), context.time("rtt").as_millis() as u64, loss);
        let tcp = |controller: &str| {
            let contest = line.contest(context.seed, vec![Party::new(Transport::Tcp, controller)]);
            let to = times.settle + Duration::from_secs(times.measured.as_secs().max(1));
            context.world(contest).rates_bps(times.settle, to)[0]
        };
        let flood = |cap| mean(&seconds(context, &line, context.seed, guest(Guest::Flood, Ran::Policed, cap), times));
        let rates = [tcp("newreno"), tcp("cubic"), flood(Cap::Equation), flood(Cap::EquationOrCubic)];
        let [newreno, cubic, equation, larger] = rates;
        table.row([format!("{} %", loss * 100.0)].into_iter().chain(rates.map(mbit)).collect());
        for (curve, rate) in curves.iter_mut().zip(rates) {
            curve.push((loss * 100.0, rate / 1e6));
        }
        let name = |cap: &str| format!("{cap} at {} % of loss, by TCP", loss * 100.0);
        checks.push(Check::new(name("equation"), equation / newreno, "", Goal::AtMost(1.3)).ours());
        checks.push(Check::new(name("equation or cubic"), larger / newreno.max(cubic), "", Goal::AtMost(1.3)).ours());
        results.push(json!({
            "loss": loss, "newreno_bps": newreno, "cubic_bps": cubic, "equation_bps": equation, "larger_bps": larger,
        }));
    }
    for (name, curve) in ["newreno", "cubic", "equation", "equation or cubic"].iter().zip(curves) {
        plot = plot.series(Series::points(name, curve));
    }
    let outcome = Outcome::new(json!({ "losses": results })).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}
