//! The reference TCP in virtual time beside the kernel's over the emulator.

use core::time::Duration;

use serde_json::{Value, json};
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss};

use crate::lab::{Check, Context, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::contest::{Contest, Party, Transport};
use crate::peers::trial::{Pace, Trial};
use crate::real::Real;

/// Whether the yardstick is straight.
pub static KERNEL: Experiment = Experiment {
    name: "tcp/kernel",
    title: "The reference TCP beside the kernel's",
    source: "ours",
    claim: "the reference TCP in virtual time is as fast as the kernel's over the same link in real time, within 15 %",
    about: "One endless transfer, alone, at every combination of rate, round trip, loss and controller: with the \
            reference TCP in virtual time, and with the kernel's between two network namespaces that the emulator \
            joins. The queue holds a round trip of full packets, but not fewer than 10. The link is one and the same \
            code with the same seed in both worlds, so that packets of the same number are lost. Everything is tried \
            several times, with seeds of their own; of each combination the try with the ratio in the middle counts.",
    params: &[
        Param::list("rates", "2mbit,5mbit,10mbit,20mbit,50mbit", &Kind::Rate, "of the link"),
        Param::list("rtts", "20ms,80ms", &Kind::Span, "of the link, both ways together"),
        Param::list("losses", "0%,1%", &Kind::Share, "of packets, in the direction of the data"),
        Param::list("controllers", "reno,cubic", &Kind::Word(&["reno", "cubic"]), "of both"),
        Param::time("settle", "2s", "left out at the begin"),
        Param::span("time", "3.5s", "measured"),
        Param::count("tries", "3", (1, 99), "of each, each with a seed of its own"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 12 }),
    seeds: 1,
    vary: &[],
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

/// What stands for a controller of the kernel's: Linux's cubic is not quite RFC 9438's.
pub(crate) fn reference(controller: &str) -> &str {
    if controller == "cubic" { "linux-cubic" } else { controller }
}

/// One combination, once.
struct Try {
    seed: u64,
    reference_bps: f64,
    kernel: Pace,
}

impl Try {
    fn new(
        context: &Context<'_>,
        number: u64,
        cell: Cell,
        controller: &str,
        settle: Duration,
        time: Duration,
    ) -> Result<Try, RunError> {
        let seed = context.seed_of(number);
        let (bottleneck, loss) = (cell.link(), cell.lossy());
        let parties = vec![Party::new(Transport::Tcp, reference(controller))];
        let contest = Contest { seed, bottleneck, loss, jitter: Duration::ZERO, parties };
        let reference_bps = context.world(contest).rates_bps(settle, settle + time)[0];
        let (link, loss, controller) = (cell.link(), cell.lossy(), controller.to_owned());
        let trial = context.world(Trial { seed, link, loss, real: Real::KERNEL_TCP, controller });
        let kernel = trial.pace(settle, time)?;
        Ok(Try { seed, reference_bps, kernel })
    }

    fn ratio(&self) -> f64 {
        self.kernel.rate_bps / self.reference_bps
    }

    fn json(&self) -> Value {
        json!({
            "seed": self.seed, "reference_bps": self.reference_bps, "kernel_bps": self.kernel.rate_bps,
            "ratio": self.ratio(),
            "late_p99_us": self.kernel.late_p99_us, "disturbed": self.kernel.disturbed,
        })
    }
}

/// What else a trial takes: a network has to stand, and the reference to run.
pub(crate) const SET_UP: Duration = Duration::from_millis(150);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (settle, time, tries) = (context.time("settle"), context.time("time"), context.count("tries"));
    let mut cells = Vec::new();
    for controller in context.words("controllers") {
        for rate_bps in context.rates("rates") {
            for rtt in context.times("rtts") {
                let cell = |loss| (controller, Cell { rate_bps, rtt, loss }, Vec::new());
                cells.extend(context.shares("losses").into_iter().map(cell));
            }
        }
    }
    // All once, then all again: what else the machine does for a while hits one try of some, not all tries of one.
    let mut left = tries as u32 * cells.len() as u32;
    for number in 0..tries {
        for (controller, cell, tried) in &mut cells {
            let [rate, round, lost] = cell.words();
            let words = format_args!("try {} of {tries}: {rate}, {round}, {lost} of loss, {controller}", number + 1);
            context.progress_with(words, (settle + time + SET_UP) * left);
            tried.push(Try::new(context, number, *cell, controller, settle, time)?);
            left -= 1;
        }
    }
    let mut table = Table::new(&[
        "rate",
        "round trip",
        "loss",
        "controller",
        "reference",
        "kernel",
        "kernel by reference",
        "all tries",
        "late",
    ]);
    let (x, y) = (Axis::new("reference TCP", "Mbit/s"), Axis::new("kernel", "Mbit/s"));
    let mut plot = Plot::new("The kernel's TCP by the reference", x, y);
    for controller in context.words("controllers") {
        let of_it = cells.iter().filter(|(other, ..)| *other == controller).flat_map(|(.., tried)| tried);
        let points = of_it.map(|one| (one.reference_bps / 1e6, one.kernel.rate_bps / 1e6));
        plot = plot.series(Series::points(controller, points.collect()));
    }
    let (mut results, mut checks) = (Vec::new(), Vec::new());
    for (controller, cell, mut tried) in cells {
        tried.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        let middle = &tried[tried.len() / 2];
        let mbit = |bps: f64| format!("{:.2} Mbit/s", bps / 1e6);
        let all: Vec<String> = tried.iter().map(|one| format!("{:.3}", one.ratio())).collect();
        let late_us = tried.iter().map(|one| one.kernel.late_p99_us).fold(0.0, f64::max);
        let words = cell.words();
        let name = format!("kernel by reference: {}, {controller}", words.join(", "));
        checks.push(Check::new(name, middle.ratio(), "", CLOSE));
        table.row(
            words
                .into_iter()
                .chain([
                    controller.to_owned(),
                    mbit(middle.reference_bps),
                    mbit(middle.kernel.rate_bps),
                    format!("{:.3}", middle.ratio()),
                    all.join(" "),
                    format!("{late_us:.0} us"),
                ])
                .collect(),
        );
        results.push(json!({
            "rate_bps": cell.rate_bps, "rtt_s": cell.rtt.as_secs_f64(), "loss": cell.loss, "controller": controller,
            "ratio": middle.ratio(), "tries": tried.iter().map(Try::json).collect::<Vec<_>>(),
        }));
    }
    let outcome = Outcome::new(json!({ "cells": results })).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "The kernel's cubic differs from RFC 9438, which tng's follows, where losses are frequent: its estimate of a \
         Reno flow's window never grows faster than 9/17 of a packet per round trip (section 4.3). So it is \
         linux-cubic that the reference TCP has here. At 1 % of loss cubic is up to a quarter faster.",
    ).note(
        "The kernel's sender is as it comes: autotuned buffers, no pacing but cubic's and reno's own bursts, offload \
         in software. Late is by how much the worst hundredth of the packets left the emulator after their time, in \
         the worst try. A transfer of which this machine lost packets that the link did not lose is begun anew.",
    ))
}
