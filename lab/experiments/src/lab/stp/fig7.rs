//! SACK keeps its advantage as a guest: STP 5.6, Figure 7.

use serde_json::json;
use tng_sim::Loss;
use tng_stp_host::Cap;

use super::fig4::CAPS;
use super::testbed::{Line, Times, cap, guest, mbit, mean, seconds, wans};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::peers::guests::{Guest, Ran};

/// What an upgrade is worth.
pub static FIG7: Experiment = Experiment {
    name: "stp/fig7",
    title: "SACK and NewReno where losses come in bursts",
    source: "STP 5.6, Figure 7",
    claim: "as a guest SACK is faster than NewReno where losses come in bursts, by as much as natively",
    about: "One endless transfer alone on WAN 1 (2 Mbit/s, 100 ms), which loses 0.5 % of packets in bursts of two to \
            four: SACK and NewReno, each natively with nothing that holds it, natively behind the policer, and as a \
            module behind it.",
    params: &[
        Param::share("loss", "0.5%", "of packets, in bursts of two to four"),
        Param::word("cap", "equation-or-cubic", CAPS, "what the policer holds guests to"),
        Param::time("settle", "10s", "left out at the beginning"),
        Param::span("time", "120s", "measured"),
    ],
    worlds: Worlds::Virtual,
    seeds: 20,
    vary: &[],
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (cap, times) = (cap(context), Times::of(context));
    let [wan, ..] = wans();
    let line = Line { loss: Loss::bursts(context.share("loss"), 2..=4), ..wan };
    let mut table = Table::new(&["", "newreno", "sack", "sack by newreno"]);
    let (mut results, mut ratios) = (Vec::new(), Vec::new());
    for (name, ran, cap) in
        [("native", Ran::Free, Cap::Equation), ("policed", Ran::Policed, cap), ("guest", Ran::Module, cap)]
    {
        context.progress(name);
        let rates = [Guest::NewReno, Guest::Sack]
            .map(|of| mean(&seconds(context, &line, context.seed, guest(of, ran, cap), times)));
        let [newreno, sack] = rates;
        ratios.push(sack / newreno);
        table.row(vec![name.to_owned(), mbit(newreno), mbit(sack), format!("{:.2}", sack / newreno)]);
        results.push(json!({ "ran": name, "newreno_bps": newreno, "sack_bps": sack }));
    }
    let outcome = Outcome::new(json!({ "rows": results })).table(table);
    Ok(outcome
        .check(Check::new("sack by newreno, native", ratios[0], "", Goal::AtLeast(1.0)).on(0.9))
        .check(Check::new("sack by newreno, guest", ratios[2], "", Goal::AtLeast(1.0)).on(0.9))
        .check(
            Check::new("advantage as a guest by that natively", ratios[2] / ratios[0], "", Goal::AtLeast(0.9)).on(0.8),
        ))
}
