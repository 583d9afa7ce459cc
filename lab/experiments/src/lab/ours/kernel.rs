//! tng over the emulator beside the kernel's TCP.

use core::time::Duration;

use serde_json::json;

use crate::lab::tcp::kernel::{Cell, reference};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::real::Real;
use crate::trial::Trial;

/// As fast as the kernel's TCP.
pub static KERNEL: Experiment = Experiment {
    name: "ours/kernel",
    title: "As fast as the kernel's TCP",
    source: "ours, after SST 5.3",
    claim: "tng on real sockets is as fast as the kernel's TCP with the same controller, with losses and without",
    about: "One endless transfer, alone, between two network namespaces that the emulator joins: over tng and over the kernel's TCP, in turn, on \
            100 Mbit/s with 20 ms of round trip and 20 Mbit/s with 100 ms, whose queues hold a round trip. Both lose the same \
            packets, by their numbers.",
    params: &[
        Param::count("runs", "20", (2, 100), "each with a seed of its own"),
        Param::list("losses", "0%,1%", &Kind::Share, "of packets, in the direction of the data"),
        Param::word("controller", "cubic", &["cubic", "reno"], "of both; cubic as Linux has it"),
        Param::time("settle", "4s", "left out at the begin, until slow start and what it lost are over"),
        Param::time("time", "5s", "measured"),
    ],
    worlds: Worlds::Real,
    run,
};

/// Mean ratio without loss: the issue's own number.
const LOSSLESS: Goal = Goal::AtLeast(0.98);
/// Lower end of the interval in which the mean lies with losses, with 95 % of confidence: the issue's own number.
const LOSSY: Goal = Goal::AtLeast(0.95);

const PATHS: [(u64, Duration); 2] =
    [(100_000_000, Duration::from_millis(20)), (20_000_000, Duration::from_millis(100))];

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (runs, controller) = (context.count("runs"), context.word("controller"));
    let (settle, time) = (context.time("settle"), context.time("time"));
    let mut table = Table::new(&["rate", "round trip", "loss", "kernel", "tng", "mean ratio", "95 % interval", "late"]);
    let mut plot = Plot::new("tng by the kernel's TCP", Axis::new("run", ""), Axis::new("ratio", ""));
    let (mut results, mut checks) = (Vec::new(), Vec::new());
    for loss in context.shares("losses") {
        for (rate_bps, rtt) in PATHS {
            let cell = Cell { rate_bps, rtt, loss };
            let [rate, round, lost] = cell.words();
            let name = format!("{rate}, {round}, {lost} of loss");
            let (mut kernel_bps, mut own_bps, mut late_us, mut unseen) = (Vec::new(), Vec::new(), 0.0_f64, 0);
            for run in 0..runs {
                context.progress(format_args!("{name}, run {} of {runs}", run + 1));
                // Who is first takes turns, so that what else the machine does hits both.
                let order = [Real::KernelTcp, Real::Tng];
                let turned = if run % 2 == 0 { order } else { [order[1], order[0]] };
                for real in turned {
                    let pace = Trial {
                        seed: context.seed_of(run),
                        link: cell.link(),
                        loss: cell.lossy(),
                        real,
                        controller: if real == Real::Tng { reference(controller) } else { controller }.to_owned(),
                    }
                    .pace(settle, time)?;
                    let rates = if real == Real::KernelTcp { &mut kernel_bps } else { &mut own_bps };
                    rates.push(pace.rate_bps);
                    late_us = late_us.max(pace.late_p99_us);
                    unseen += pace.unseen;
                }
            }
            let ratios: Vec<f64> = own_bps.iter().zip(&kernel_bps).map(|(own, kernel)| own / kernel).collect();
            let (mean, half) = (average(&ratios), confidence(&ratios));
            let mbit = |bps: &[f64]| format!("{:.2} Mbit/s", average(bps) / 1e6);
            table.row(vec![
                rate,
                round,
                lost,
                mbit(&kernel_bps),
                mbit(&own_bps),
                format!("{mean:.3}"),
                format!("{:.3} to {:.3}", mean - half, mean + half),
                format!("{late_us:.0} us"),
            ]);
            checks.push(match loss > 0.0 {
                true => Check::new(format!("lower end of the mean ratio's interval: {name}"), mean - half, "", LOSSY),
                false => Check::new(format!("mean ratio: {name}"), mean, "", LOSSLESS),
            });
            let points = ratios.iter().enumerate().map(|(run, ratio)| (run as f64 + 1.0, *ratio));
            plot = plot.series(Series::points(&name, points.collect()));
            results.push(json!({
                "rate_bps": rate_bps, "rtt_s": rtt.as_secs_f64(), "loss": loss, "kernel_bps": kernel_bps, "tng_bps": own_bps,
                "mean_ratio": mean, "half_interval": half, "late_p99_us": late_us, "unseen": unseen,
            }));
        }
    }
    let outcome = Outcome::new(json!({ "paths": results })).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "Defaults on both sides: tng paces and encrypts, the kernel does neither. Both ends, the kernel's work and the emulator share this machine's \
         processors; what else it does lowers the ratio.",
    ))
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Half of the interval in which the mean lies with 95 % of confidence, by Student's distribution.
fn confidence(values: &[f64]) -> f64 {
    /// Two-sided quantiles by degrees of freedom from 1 on; beyond them the normal distribution's, a little widened.
    const STUDENT: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
    ];
    let (count, mean) = (values.len(), average(values));
    if count < 2 {
        return f64::NAN;
    }
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1) as f64;
    STUDENT.get(count - 2).copied().unwrap_or(2.04) * (variance / count as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_students() {
        // Mean 3, standard deviation sqrt(2.5).
        let half = confidence(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!((half - 2.776 * (2.5_f64 / 5.0).sqrt()).abs() < 1e-9, "{half}");
        assert!(confidence(&[1.0]).is_nan());
        assert_eq!(confidence(&[2.0; 40]), 0.0);
    }
}
