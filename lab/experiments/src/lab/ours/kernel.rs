//! tng over the emulator beside the kernel's TCP.

use core::time::Duration;

use serde::Serialize;
use serde_json::json;

use crate::lab::tcp::kernel::{Cell, SET_UP, reference};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::trial::{Pace, Trial};
use crate::real::Real;

/// As fast as the kernel's TCP.
pub static KERNEL: Experiment = Experiment {
    name: "ours/kernel",
    title: "As fast as the kernel's TCP",
    source: "ours, after SST 5.3",
    claim: "tng on real sockets is as fast as the kernel's TCP with the same controller, with losses and without; \
            beside the kernel's cubic that is linux-cubic, its variant of RFC 9438",
    about: "One endless transfer, alone, between two network namespaces that the emulator joins: over tng and over the \
            kernel's TCP, one right after the other and each first every second time, on 100 Mbit/s with 20 ms of \
            round trip and 20 Mbit/s with 100 ms, whose queues hold a round trip. Both lose the same packets, by their \
            numbers. In the first `default-runs` tng goes once more, with the controller that it has by default, cubic \
            after RFC 9438; no check is about that.",
    params: &[
        Param::count("runs", "20", (2, 100), "each with a seed of its own"),
        Param::list("losses", "0%,1%", &Kind::Share, "of packets, in the direction of the data"),
        Param::word("controller", "cubic", &["cubic", "reno"], "of both; cubic as Linux has it"),
        Param::count("default-runs", "5", (0, 100), "in which tng goes once more with its default controller"),
        Param::count(
            "settle",
            "25",
            (1, 1_000),
            "round trips left out at the begin, until slow start and its losses are over",
        ),
        Param::span("time", "2s", "measured where nothing is lost"),
        Param::count(
            "rounds",
            "65",
            (1, 10_000),
            "round trips measured where packets are lost: few losses tell nothing",
        ),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 14 }),
    seeds: 1,
    vary: &[],
    run,
};

/// Mean ratio without loss: the project's own number.
const LOSSLESS: Goal = Goal::AtLeast(0.98);
/// Lower end of the interval in which the mean lies with losses, with 95 % of confidence: the project's own number.
const LOSSY: Goal = Goal::AtLeast(0.95);

/// The controller that tng has unless told otherwise.
const DEFAULT: &str = "cubic";

/// Rates in bits per second, and round trips.
pub(super) const PATHS: [(u64, Duration); 2] =
    [(100_000_000, Duration::from_millis(20)), (20_000_000, Duration::from_millis(100))];

/// One path, the same for both.
struct Path {
    cell: Cell,
    name: String,
    runs: Vec<Run>,
}

/// Both on it, one after the other, with the same seed.
struct Run {
    kernel: Pace,
    own: Pace,
    /// With its default controller.
    default: Option<Pace>,
}

impl Run {
    fn ratio(&self) -> f64 {
        self.own.rate_bps / self.kernel.rate_bps
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (runs, controller) = (context.count("runs"), context.word("controller"));
    let settle = |cell: Cell| cell.rtt * context.count("settle") as u32;
    let time = |cell: Cell| match cell.loss > 0.0 {
        true => cell.rtt * context.count("rounds") as u32,
        false => context.time("time"),
    };
    let mut paths = Vec::new();
    for loss in context.shares("losses") {
        paths.extend(PATHS.map(|(rate_bps, rtt)| {
            let cell = Cell { rate_bps, rtt, loss };
            let [rate, round, lost] = cell.words();
            Path { cell, name: format!("{rate}, {round}, {lost} of loss"), runs: Vec::new() }
        }));
    }
    let takes = |path: &Path| settle(path.cell) + time(path.cell) + SET_UP;
    let defaults = context.count("default-runs").min(runs);
    let mut left = paths.iter().map(takes).sum::<Duration>() * (2 * runs + defaults) as u32;
    for run in 0..runs {
        for path in &mut paths {
            let pace = |real, controller: &str| {
                let controller = controller.to_owned();
                let (link, loss) = (path.cell.link(), path.cell.lossy());
                context
                    .world(Trial { seed: context.seed_of(run), link, loss, real, controller })
                    .pace(settle(path.cell), time(path.cell))
            };
            let words = format_args!("run {} of {runs}: {}", run + 1, path.name);
            context.progress_with(words, left);
            let (kernel, own) = (|| pace(Real::KERNEL_TCP, controller), || pace(Real::TNG, reference(controller)));
            // Who is first takes turns, so that what else the machine does hits both.
            let (kernel, own) = if run % 2 == 0 {
                let kernel = kernel()?;
                (kernel, own()?)
            } else {
                let own = own()?;
                (kernel()?, own)
            };
            let default = if run < defaults { Some(pace(Real::TNG, DEFAULT)?) } else { None };
            left = left.saturating_sub(takes(path) * (2 + u32::from(default.is_some())));
            path.runs.push(Run { kernel, own, default });
        }
    }
    let mut table = Table::new(&[
        "rate",
        "round trip",
        "loss",
        "kernel",
        "tng",
        "mean ratio",
        "95 % interval",
        "kernel's late",
        "tng's late",
    ]);
    let mut by_default = Table::new(&["rate", "round trip", "loss", "runs", "tng, default controller", "mean ratio"])
        .titled("The same with tng's default controller, which no check is about");
    let mut plot = Plot::new("tng by the kernel's TCP", Axis::new("run", ""), Axis::new("ratio", ""));
    let (mut results, mut checks) = (Vec::new(), Vec::new());
    for Path { cell, name, runs } in &paths {
        let ratios: Vec<f64> = runs.iter().map(Run::ratio).collect();
        let (mean, half) = (average(&ratios), confidence(&ratios));
        let [kernel, own] = [|run: &Run| run.kernel, |run: &Run| run.own].map(|of| Side::of(runs.iter().map(of)));
        let late = |side: &Side| format!("{:.0} us", side.late_p99_us.iter().copied().fold(0.0, f64::max));
        let mbit = |side: &Side| format!("{:.2} Mbit/s", average(&side.rates_bps) / 1e6);
        let interval = format!("{:.3} to {:.3}", mean - half, mean + half);
        let figures = [mbit(&kernel), mbit(&own), format!("{mean:.3}"), interval, late(&kernel), late(&own)];
        table.row(cell.words().into_iter().chain(figures).collect());
        checks.push(match cell.loss > 0.0 {
            true => Check::new(format!("lower end of the mean ratio's interval: {name}"), mean - half, "", LOSSY),
            false => Check::new(format!("mean ratio: {name}"), mean, "", LOSSLESS),
        });
        let defaults: Vec<(f64, f64)> = runs
            .iter()
            .filter_map(|run| run.default.map(|pace| (pace.rate_bps, pace.rate_bps / run.kernel.rate_bps)))
            .collect();
        let (default_bps, default_ratios): (Vec<f64>, Vec<f64>) = defaults.into_iter().unzip();
        if !default_bps.is_empty() {
            let rate = format!("{:.2} Mbit/s", average(&default_bps) / 1e6);
            let figures = [default_bps.len().to_string(), rate, format!("{:.3}", average(&default_ratios))];
            by_default.row(cell.words().into_iter().chain(figures).collect());
        }
        let points = ratios.iter().enumerate().map(|(run, ratio)| (run as f64 + 1.0, *ratio));
        plot = plot.series(Series::points(name, points.collect()));
        results.push(json!({
            "rate_bps": cell.rate_bps, "rtt_s": cell.rtt.as_secs_f64(), "loss": cell.loss, "mean_ratio": mean,
            "half_interval": half,
            "ratios": ratios, "kernel": kernel, "tng": own, "default_bps": default_bps,
            "default_ratios": default_ratios,
        }));
    }
    let outcome = Outcome::new(json!({ "paths": results })).table(table).plot(plot);
    let outcome = if by_default.rows().is_empty() { outcome } else { outcome.table(by_default) };
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "tng paces and encrypts, the kernel does neither, as by default on both sides. What is compared is the \
         transport, so tng has the kernel's own variant of cubic, linux-cubic, where the kernel has cubic; that is not \
         tng's default, for which there is a table of its own. Both ends, the kernel's work and the emulator share \
         this machine's processors; what else it does lowers the ratio. Late is by how much the worst hundredth of the \
         packets left the emulator after their time, in the worst run. A transfer of which this machine lost packets \
         that the link did not lose is begun anew.",
    ))
}

/// What one of the two came to, run by run.
#[derive(Serialize)]
struct Side {
    rates_bps: Vec<f64>,
    late_p99_us: Vec<f64>,
    disturbed: u64,
}

impl Side {
    fn of(paces: impl Iterator<Item = Pace> + Clone) -> Side {
        Side {
            rates_bps: paces.clone().map(|pace| pace.rate_bps).collect(),
            late_p99_us: paces.clone().map(|pace| pace.late_p99_us).collect(),
            disturbed: paces.map(|pace| pace.disturbed).sum(),
        }
    }
}

pub(super) fn average(values: &[f64]) -> f64 {
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
