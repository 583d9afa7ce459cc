//! The reference TCP in virtual time beside the kernel's over the emulator.

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss};

use crate::contest::{Contest, Party, Transport};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::real::Real;
use crate::trial::{Pace, Trial};

/// Whether the yardstick is straight.
pub static KERNEL: Experiment = Experiment {
    name: "tcp/kernel",
    title: "The reference TCP beside the kernel's",
    source: "ours",
    claim: "the reference TCP in virtual time is as fast as the kernel's over the same link in real time, within 15 %",
    about: "One endless transfer, alone, at every combination of rate, round trip, loss and controller: with the reference TCP in virtual time, \
            and with the kernel's between two network namespaces that the emulator joins. The queue holds a round trip of full packets, but not \
            fewer than 10. The link is one and the same code with the same seed in both worlds, so that packets of the same number are lost. A pace of the \
            kernel's that is not close is measured twice more, and the one in the middle counts.",
    params: &[
        Param::list("rates", "2mbit,5mbit,10mbit,20mbit,50mbit", &Kind::Rate, "of the link"),
        Param::list("rtts", "20ms,80ms", &Kind::Time, "of the link, both ways together"),
        Param::list("losses", "0%,1%", &Kind::Share, "of packets, in the direction of the data"),
        Param::list("controllers", "reno,cubic", &Kind::Word(&["reno", "cubic"]), "of both"),
        Param::time("settle", "2s", "left out at the begin"),
        Param::time("time", "8s", "measured"),
        Param::count("runs", "1", (1, 100), "of each, with a seed of its own; their mean counts"),
    ],
    worlds: Worlds::Real,
    run,
};

/// The issue's own number.
const CLOSE: Goal = Goal::Within(0.85, 1.15);
/// Bytes of a full packet on the link.
const PACKET_BYTES: f64 = 1_500.0;
/// The shortest queue.
const QUEUE_MIN: usize = 10;

/// One combination.
#[derive(Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) rate_bps: u64,
    pub(crate) rtt: Duration,
    pub(crate) loss: f64,
}

impl Cell {
    pub(crate) fn link(self) -> Link {
        let packets = self.rate_bps as f64 * self.rtt.as_secs_f64() / 8.0 / PACKET_BYTES;
        let queue = QueueConfig::DropTail(Limit::Packets((packets.ceil() as usize).max(QUEUE_MIN)));
        Link::new().rate(self.rate_bps).delay(self.rtt / 2).queue(queue)
    }

    pub(crate) fn lossy(self) -> Loss {
        if self.loss > 0.0 { Loss::Independent(self.loss) } else { Loss::None }
    }

    pub(crate) fn words(self) -> [String; 3] {
        let rtt = format!("{} ms", self.rtt.as_millis());
        [format!("{} Mbit/s", self.rate_bps as f64 / 1e6), rtt, format!("{} %", self.loss * 100.0)]
    }
}

/// The kernel's pace. A machine with other work may stall for a moment, and a timeout that comes of it costs seconds: a pace that is not
/// close to the reference's is measured twice more, and the one in the middle counts.
fn steady(trial: &Trial, settle: Duration, time: Duration, reference_bps: f64) -> Result<Pace, RunError> {
    let first = trial.pace(settle, time)?;
    if CLOSE.holds(first.rate_bps / reference_bps) {
        return Ok(first);
    }
    let mut paces = [first, trial.pace(settle, time)?, trial.pace(settle, time)?];
    paces.sort_by(|a, b| a.rate_bps.total_cmp(&b.rate_bps));
    Ok(paces[1])
}

/// What stands for a controller of the kernel's: Linux's cubic is not quite RFC 9438's.
pub(crate) fn reference(controller: &str) -> &str {
    if controller == "cubic" { "linux-cubic" } else { controller }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (settle, time, runs) = (context.time("settle"), context.time("time"), context.count("runs"));
    let mut table =
        Table::new(&["rate", "round trip", "loss", "controller", "reference", "kernel", "kernel by reference", "late"]);
    let (mut results, mut checks, mut plot) = (Vec::new(), Vec::new(), {
        let axes = [Axis::new("reference TCP", "Mbit/s"), Axis::new("kernel", "Mbit/s")];
        let [x, y] = axes;
        Plot::new("The kernel's TCP by the reference", x, y)
    });
    for controller in context.words("controllers") {
        let mut points = Vec::new();
        for rate_bps in context.rates("rates") {
            for rtt in context.times("rtts") {
                for loss in context.shares("losses") {
                    let cell = Cell { rate_bps, rtt, loss };
                    let [rate, round, lost] = cell.words();
                    context.progress(format_args!("{rate}, {round}, {lost} of loss, {controller}"));
                    let (mut reference_bps, mut kernel_bps, mut late_us) = (0.0, 0.0, 0.0_f64);
                    for run in 0..runs {
                        let seed = context.seed_of(run);
                        let parties = vec![Party::new(Transport::Tcp, reference(controller))];
                        let contest = Contest {
                            seed,
                            bottleneck: cell.link(),
                            loss: cell.lossy(),
                            jitter: Duration::ZERO,
                            parties,
                        };
                        let contest_bps = contest.rates_bps(settle, settle + time)[0];
                        reference_bps += contest_bps / runs as f64;
                        let kernel = Trial {
                            seed,
                            link: cell.link(),
                            loss: cell.lossy(),
                            real: Real::KernelTcp,
                            controller: controller.to_owned(),
                        };
                        let kernel = steady(&kernel, settle, time, contest_bps)?;
                        kernel_bps += kernel.rate_bps / runs as f64;
                        late_us = late_us.max(kernel.late_p99_us);
                    }
                    let ratio = kernel_bps / reference_bps;
                    let mbit = |bps: f64| format!("{:.2} Mbit/s", bps / 1e6);
                    let name = format!("{rate}, {round}, {lost}, {controller}");
                    table.row(vec![
                        rate,
                        round,
                        lost,
                        controller.to_owned(),
                        mbit(reference_bps),
                        mbit(kernel_bps),
                        format!("{ratio:.3}"),
                        format!("{late_us:.0} us"),
                    ]);
                    checks.push(Check::new(format!("kernel by reference: {name}"), ratio, "", CLOSE));
                    points.push((reference_bps / 1e6, kernel_bps / 1e6));
                    results.push(json!({
                        "rate_bps": rate_bps, "rtt_s": rtt.as_secs_f64(), "loss": loss, "controller": controller,
                        "reference_bps": reference_bps, "kernel_bps": kernel_bps, "ratio": ratio, "late_p99_us": late_us,
                    }));
                }
            }
        }
        plot = plot.series(Series::points(controller, points));
    }
    let outcome = Outcome::new(json!({ "cells": results })).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "The kernel's cubic differs from RFC 9438, which tng's follows, where losses are frequent: its estimate of a Reno flow's window never grows \
         faster than 9/17 of a packet per round trip (section 4.3). So it is linux-cubic that the reference TCP has here. At 1 % of loss \
         cubic is up to a quarter faster.",
    ).note(
        "The kernel's sender is as it comes: autotuned buffers, no pacing but cubic's and reno's own bursts, offload in software. Late is by how \
         much the worst hundredth of the packets left the emulator after their time.",
    ))
}
