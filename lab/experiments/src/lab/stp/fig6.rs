//! NewReno natively and as a guest over three wide-area lines: STP 5.6, Figure 6.

use serde_json::json;
use tng_stp_host::Cap;

use super::fig4::CAPS;
use super::testbed::{Times, cap, guest, mbit, mean, seconds, wans};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::peers::guests::{Guest, Ran};

/// What a guest costs in throughput.
pub static FIG6: Experiment = Experiment {
    name: "stp/fig6",
    title: "NewReno as a guest, over wide-area lines",
    source: "STP 5.6, Figure 6",
    claim: "as a guest NewReno is as fast as natively over each of three wide-area lines",
    about: "One endless transfer alone on WAN 1 (2 Mbit/s, 100 ms, 0.5 % of loss), WAN 2 (5 Mbit/s, 50 ms, 0.5 %) and \
            WAN 3 (25 Mbit/s, 50 ms, none): the NewReno guest natively with nothing that holds it, natively behind the \
            policer, and as a module behind it. The same seed loses packets of the same numbers.",
    params: &[
        Param::word("cap", "equation-or-cubic", CAPS, "what the policer holds guests to"),
        Param::time("settle", "30s", "left out at the beginning"),
        Param::span("time", "90s", "measured"),
    ],
    worlds: Worlds::Virtual,
    seeds: 20,
    vary: &[],
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (cap, times) = (cap(context), Times::of(context));
    let columns = [
        guest(Guest::NewReno, Ran::Free, Cap::Equation),
        guest(Guest::NewReno, Ran::Policed, cap),
        guest(Guest::NewReno, Ran::Module, cap),
    ];
    let mut table = Table::new(&["line", "native", "policed", "guest", "policed by native", "guest by policed"]);
    let (mut results, mut checks) = (Vec::new(), Vec::new());
    for line in wans() {
        context.progress(&line.name);
        let rates = columns.map(|column| mean(&seconds(context, &line, context.seed, column, times)));
        let [native, policed, module] = rates;
        let row = [mbit(native), mbit(policed), mbit(module), format!("{:.3}", policed / native)];
        table.row([line.name.clone()].into_iter().chain(row).chain([format!("{:.3}", module / policed)]).collect());
        checks.push(Check::new(
            format!("{}: guest by native", line.name),
            module / native,
            "",
            Goal::Within(0.98, 1.02),
        ));
        checks.push(Check::new(
            format!("{}: guest by policed", line.name),
            module / policed,
            "",
            Goal::Within(0.98, 1.02),
        ));
        results.push(json!({
            "line": line.name, "native_bps": native, "policed_bps": policed, "guest_bps": module,
        }));
    }
    let outcome = Outcome::new(json!({ "lines": results })).table(table);
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "Where packets are lost by chance, a TCP sends more than the equation says, and its saw tooth is cut off by \
         the mean of eight round trips: what the policer takes is the price of the bound, not of the border. Behind \
         the same policer a module does what the native code does.",
    ))
}
