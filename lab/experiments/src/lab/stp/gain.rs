//! What cheating gains: a question of our own.

use core::time::Duration;

use serde_json::json;
use tng_sim::fork;

use super::fig4::CAPS;
use super::testbed::{Line, Times, cap, guest, mean, seconds_of};
use crate::contest::{Party, Transport};
use crate::guests::{Guest, Ran};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};

/// A guest that cheats, beside a flow that does not.
pub static GAIN: Experiment = Experiment {
    name: "stp/gain",
    title: "What a flood takes from the flow beside it",
    source: "ours",
    claim: "beside a guest that sends whatever the policer lets it, a flow of TCP keeps at least 0.4 of the line in \
            each of 20 topologies",
    about: "Two endless transfers share a line: one over the reference TCP under newreno, one of UDP Flood behind the \
            policer, which begins when the other has settled. Topologies are drawn: 1 to 50 Mbit/s, 10 to 200 ms, \
            none to 1 % of loss. The control is the flood with nothing that holds it.",
    params: &[
        Param::count("topologies", "20", (1, 100), "drawn by the number of each, the same for all seeds"),
        Param::word("cap", "equation", CAPS, "what the policer holds the flood to"),
        Param::time("settle", "20s", "left out at the beginning"),
        Param::span("time", "40s", "measured"),
    ],
    worlds: Worlds::Virtual,
    seeds: 50,
    run,
};

fn topology(number: u64) -> Line {
    let mut rng = fork(number, 4711);
    let mut between = |low: f64, high: f64| low * (high / low).powf(rng.unit());
    let (rate, rtt) = (between(1e6, 50e6) as u64, between(10.0, 200.0) as u64);
    let loss = if number.is_multiple_of(2) { 0.0 } else { between(1e-4, 1e-2) };
    Line::new(
        &format!("{} ({:.1} Mbit/s, {rtt} ms, {:.2} %)", number + 1, rate as f64 / 1e6, loss * 100.0),
        rate,
        rtt,
        loss,
    )
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (cap, times) = (cap(context), Times::of(context));
    let mut table = Table::new(&["topology", "TCP beside a flood", "beside TCP", "beside a flood that nothing holds"]);
    let (mut results, mut checks) = (Vec::new(), Vec::new());
    for number in 0..context.count("topologies") {
        let line = topology(number);
        context.progress(&line.name);
        let beside = |other| {
            let late = Party { start: Duration::from_secs(5), ..Party::new(other, "newreno") };
            let parties = vec![Party::new(Transport::Tcp, "newreno"), late];
            let rates = seconds_of(context, line.contest(context.seed_of(number), parties), times);
            mean(&rates[0])
        };
        let policed = beside(guest(Guest::Flood, Ran::Policed, cap));
        let tcp = beside(Transport::Tcp);
        let free = beside(guest(Guest::Flood, Ran::Free, cap));
        let kept = policed / (2.0 * tcp);
        let share = |bps: f64| format!("{:.2} Mbit/s", bps / 1e6);
        table.row(vec![line.name.clone(), share(policed), share(tcp), share(free)]);
        checks.push(
            Check::new(format!("kept, topology {}", line.name), kept, "", Goal::AtLeast(0.4))
                .because("of what two flows of TCP have there together"),
        );
        results.push(json!({
            "topology": line.name, "policed_bps": policed, "tcp_bps": tcp, "unpoliced_bps": free, "kept": kept,
        }));
    }
    let outcome = Outcome::new(json!({ "topologies": results })).table(table);
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}
