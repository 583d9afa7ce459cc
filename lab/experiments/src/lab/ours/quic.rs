//! tng over the emulator beside QUIC and the kernel's TCP.

use core::time::Duration;

use serde_json::json;

use super::kernel::{PATHS, average};
use crate::lab::tcp::kernel::{Cell, SET_UP};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::trial::Trial;
use crate::real::Real;

/// As fast as QUIC.
pub static QUIC: Experiment = Experiment {
    name: "ours/quic",
    title: "As fast as QUIC",
    source: "ours",
    claim: "where nothing is lost, tng on real sockets carries as much as QUIC with the same controller",
    about: "One endless transfer, alone, between two network namespaces that the emulator joins: over tng, over QUIC \
            (quinn's machine, driven by tng's UDP driver) and over the kernel's TCP, one right after the other, on \
            100 Mbit/s with 20 ms of round trip and 20 Mbit/s with 100 ms, whose queues hold a round trip; with cubic, \
            after RFC 9438 but in the kernel. All lose the same packets, by their numbers. No check is about the \
            kernel's TCP, nor about what is lost: of so few losses chance decides.",
    params: &[
        Param::count("runs", "3", (1, 100), "each with a seed of its own"),
        Param::list("losses", "0%,1%", &Kind::Share, "of packets, in the direction of the data"),
        Param::count("settle", "25", (1, 1_000), "round trips left out at the begin"),
        Param::span("time", "2s", "measured"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 3 }),
    seeds: 1,
    vary: &[],
    run,
};

/// Mean of tng's rate by QUIC's.
const LOSSLESS: Goal = Goal::AtLeast(0.95);

/// What all three have.
const CONTROLLER: &str = "cubic";

const REALS: [(Real, &str); 3] = [(Real::TNG, "tng"), (Real::QUIC, "QUIC"), (Real::KERNEL_TCP, "kernel TCP")];

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (runs, losses) = (context.count("runs"), context.shares("losses"));
    if losses.iter().all(|loss| *loss > 0.0) {
        return Err(RunError::Params("the check is of runs in which nothing is lost; put 0% among losses".to_owned()));
    }
    let cells = losses.into_iter().flat_map(|loss| PATHS.map(|(rate_bps, rtt)| Cell { rate_bps, rtt, loss }));
    let cells: Vec<Cell> = cells.collect();
    let settle = |cell: &Cell| cell.rtt * context.count("settle") as u32;
    let takes = |cell: &Cell| (settle(cell) + context.time("time") + SET_UP) * REALS.len() as u32;
    let mut left = cells.iter().map(takes).sum::<Duration>() * runs as u32;
    // By path: a rate of each run for each protocol.
    let mut rates: Vec<[Vec<f64>; 3]> = cells.iter().map(|_| [const { Vec::new() }; 3]).collect();
    for run in 0..runs {
        for (cell, rates) in cells.iter().zip(&mut rates) {
            context.progress_with(format_args!("run {} of {runs}: {}", run + 1, cell.words().join(", ")), left);
            // Who is first takes turns, so that what else the machine does hits all.
            for turn in 0..REALS.len() {
                let place = (turn + run as usize) % REALS.len();
                let (seed, link, loss) = (context.seed_of(run), cell.link(), cell.lossy());
                let trial = Trial { seed, link, loss, real: REALS[place].0, controller: CONTROLLER.to_owned() };
                let pace = context.world(trial).pace(settle(cell), context.time("time"))?;
                rates[place].push(pace.rate_bps);
            }
            left = left.saturating_sub(takes(cell));
        }
    }
    let mut table = Table::new(&["rate", "round trip", "loss", "tng", "QUIC", "kernel TCP", "tng by QUIC", "all runs"]);
    let mut plot = Plot::new("Beside QUIC", Axis::new("path", ""), Axis::new("share of the link's rate", "%"));
    let (mut results, mut checks) = (Vec::new(), Vec::new());
    for (cell, rates) in cells.iter().zip(&rates) {
        let ratios: Vec<f64> = rates[0].iter().zip(&rates[1]).map(|(tng, quic)| tng / quic).collect();
        let words = cell.words();
        if cell.loss == 0.0 {
            let name = format!("mean of tng's rate by QUIC's: {}, {}", words[0], words[1]);
            checks.push(Check::new(name, average(&ratios), "", LOSSLESS).ours());
        }
        let mbit = |rates: &Vec<f64>| format!("{:.2} Mbit/s", average(rates) / 1e6);
        let all: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.3}")).collect();
        let figures = [format!("{:.3}", average(&ratios)), all.join(" ")];
        table.row(words.into_iter().chain(rates.iter().map(mbit)).chain(figures).collect());
        results.push(json!({
            "rate_bps": cell.rate_bps, "rtt_s": cell.rtt.as_secs_f64(), "loss": cell.loss, "tng_bps": rates[0],
            "quic_bps": rates[1], "kernel_bps": rates[2], "mean_ratio": average(&ratios),
        }));
    }
    for (place, (_, name)) in REALS.iter().enumerate() {
        let share = |(cell, rates): (&Cell, &[Vec<f64>; 3])| average(&rates[place]) / cell.rate_bps as f64 * 100.0;
        let points = cells.iter().zip(&rates).map(share).enumerate().map(|(path, share)| (path as f64 + 1.0, share));
        plot = plot.series(Series::points(name, points.collect()));
    }
    let outcome = Outcome::new(json!({ "paths": results })).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "tng and QUIC encrypt, in this process and on the same UDP driver; the kernel does not. Both ends, the \
         kernel's work and the emulator share this machine's processors. A transfer of which this machine lost \
         packets that the link did not lose is begun anew.",
    ))
}
