//! The reference TCP's reno against the formula for its throughput.

use core::time::Duration;

use serde_json::json;
use tng_sim::{Link, Loss};

use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::contest::{Contest, Party, Transport};

/// Reno's throughput at random loss.
pub static MATHIS: Experiment = Experiment {
    name: "tcp/mathis",
    title: "Reno keeps to its formula",
    source: "M. Mathis, J. Semke, J. Mahdavi, T. Ott: The Macroscopic Behavior of the TCP Congestion Avoidance \
             Algorithm (1997)",
    claim: "reno's throughput at a loss rate p is the segment by the round trip, times the square root of 3/2 by p",
    about: "One flow of the reference TCP over a link without a bottleneck that loses packets at random, in the \
            direction of the data alone. The constant is that of windows counted in acknowledged bytes.",
    params: &[
        Param::list("losses", "0.03%,0.1%,0.3%,1%", &Kind::Share, "of packets"),
        Param::span("rtt", "100ms", "of the link, both ways together"),
        Param::span("time", "400s", "measured"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// What may lie between the formula, which knows no timeouts and no recovery, and a protocol.
const CLOSE: Goal = Goal::Within(0.85, 1.15);
/// On which share of seeds: at the lowest rate some 80 losses decide a run, and their number alone strays by a tenth.
const CLOSE_ON: f64 = 0.9;
/// Bytes of data in a full segment with timestamps.
const SEGMENT_BYTES: f64 = 1_448.0;
/// What is left out at the begin.
const SETTLE: Duration = Duration::from_secs(20);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (rtt, time) = (context.time("rtt"), context.time("time"));
    let mut table = Table::new(&["loss", "the formula", "measured", "ratio"]);
    let (mut results, mut checks, mut formula, mut measured) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for loss in context.shares("losses") {
        if loss <= 0.0 {
            return Err(RunError::Params("the formula needs losses; write losses=0.1% or more".to_owned()));
        }
        context.progress(format_args!("{} % of loss", loss * 100.0));
        let expected_bps = SEGMENT_BYTES * 8.0 / rtt.as_secs_f64() * (1.5 / loss).sqrt();
        let measured_bps = rate_bps(context, loss, rtt, time);
        let ratio = measured_bps / expected_bps;
        let rate = |bps: f64| format!("{:.2} Mbit/s", bps / 1e6);
        let percent = format!("{} %", loss * 100.0);
        table.row(vec![percent.clone(), rate(expected_bps), rate(measured_bps), format!("{ratio:.3}")]);
        checks.push(Check::new(format!("throughput by the formula's at {percent}"), ratio, "", CLOSE).on(CLOSE_ON));
        formula.push((loss * 100.0, expected_bps / 1e6));
        measured.push((loss * 100.0, measured_bps / 1e6));
        results
            .push(json!({ "loss": loss, "expected_bps": expected_bps, "measured_bps": measured_bps, "ratio": ratio }));
    }
    let plot = Plot::new("Reno at random loss", Axis::new("loss", "%"), Axis::new("throughput", "Mbit/s"))
        .series(Series::line("the formula", formula))
        .series(Series::points("measured", measured));
    let outcome = Outcome::new(json!({ "losses": results })).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

fn rate_bps(context: &Context<'_>, loss: f64, rtt: Duration, time: Duration) -> f64 {
    let bottleneck = Link::new().delay(rtt / 2);
    let parties = vec![Party::new(Transport::Tcp, "reno")];
    let contest =
        Contest { seed: context.seed, bottleneck, loss: Loss::Independent(loss), jitter: Duration::ZERO, parties };
    context.world(contest).rates_bps(SETTLE, SETTLE + time)[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::measured;

    #[test]
    fn reno_keeps_to_its_formula() {
        let record = measured(&MATHIS, 1, &["losses=0.3%,1%", "time=150s"]);
        assert!(record.holds(), "{record}");
    }

    #[test]
    fn where_most_losses_end_in_timeouts_it_does_not() {
        let record = measured(&MATHIS, 1, &["losses=20%", "time=100s"]);
        assert!(!record.holds(), "{record}");
    }
}
