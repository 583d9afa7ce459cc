//! The fourth flow beside three of TCP: STP 5.3, Figure 5.

use serde_json::json;
use tng_stp_host::Cap;

use super::fig4::CAPS;
use super::testbed::{Line, Times, cap, guest, mbit, mean, seconds_of, variation};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::peers::contest::{Party, Transport};
use crate::peers::guests::{Guest, Ran};

/// Who comes to three flows of TCP.
pub static FIG5: Experiment = Experiment {
    name: "stp/fig5",
    title: "The fourth flow",
    source: "STP 5.3, Figure 5",
    claim: "beside three flows of TCP a policed NewReno has what a native one has, and a policed flood about its share",
    about: "Three endless transfers over the reference TCP under newreno share a line of 10 Mbit/s and 50 ms with a \
            fourth: UDP Flood behind the policer, the NewReno guest behind it, and the same with nothing that holds \
            it; each in a run of its own. Samples are of a second.",
    params: &[
        Param::rate("rate", "10mbit", "of the line"),
        Param::span("rtt", "50ms", "both ways together"),
        Param::word("cap", "equation-or-cubic", CAPS, "what the policer holds guests to"),
        Param::time("settle", "20s", "left out at the beginning"),
        Param::span("time", "180s", "measured, in samples of a second"),
    ],
    worlds: Worlds::Virtual,
    seeds: 20,
    vary: &[],
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (cap, times) = (cap(context), Times::of(context));
    let line = Line::new("line", context.rate("rate"), context.time("rtt").as_millis() as u64, 0.0);
    let fourths = [
        guest(Guest::NewReno, Ran::Free, Cap::Equation),
        guest(Guest::NewReno, Ran::Policed, cap),
        guest(Guest::Flood, Ran::Policed, cap),
        guest(Guest::Flood, Ran::Free, cap),
    ];
    let mut table = Table::new(&["the fourth flow", "its rate", "varies", "the three, each"]);
    let mut results = Vec::new();
    let mut figures = Vec::new();
    for fourth in fourths {
        context.progress(fourth.name());
        let mut parties = vec![Party::new(Transport::Tcp, "newreno"); 3];
        parties.push(Party::new(fourth, "newreno"));
        let rates = seconds_of(context, line.contest(context.seed, parties), times);
        let (own, others) = (mean(&rates[3]), mean(&rates[..3].iter().map(|of| mean(of)).collect::<Vec<_>>()));
        let varies = variation(&rates[3]);
        table.row(vec![fourth.name().to_owned(), mbit(own), format!("{varies:.0} %"), mbit(others)]);
        results.push(json!({
            "fourth": fourth.name(), "bps": own, "variation_percent": varies, "others_bps": others,
        }));
        figures.push((own, varies, others));
    }
    let [native, policed, flood, _] = figures[..] else { return Err(RunError::Params("four were run".to_owned())) };
    Ok(Outcome::new(json!({ "fourths": results }))
        .table(table)
        .check(Check::new("newreno, policed by native", policed.0 / native.0, "", Goal::Within(0.98, 1.02)).on(0.5))
        .check(Check::new("variation of the flood", flood.1, "%", Goal::AtMost(30.0)).paper("60 %"))
        .check(
            Check::new(
                "the three beside the flood, by them beside newreno",
                flood.2 / native.2,
                "",
                Goal::AtLeast(0.8),
            )
            .ours(),
        )
        .note("Of one seed a flow's rate beside others is a throw of dice: the median over seeds says more."))
}
