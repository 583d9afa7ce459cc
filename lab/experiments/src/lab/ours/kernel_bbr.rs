//! tng under bbr beside the kernel's, each alone.

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss};

use super::kernel::average;
use crate::lab::tcp::kernel::SET_UP;
use crate::lab::{Check, Context, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::trial::{Pace, Trial};
use crate::real::Real;

/// As fast as the kernel's bbr, and no rougher.
pub static KERNEL_BBR: Experiment = Experiment {
    name: "ours/kernel-bbr",
    title: "bbr beside the kernel's",
    source: "ours",
    claim: "where a hundredth of the packets is lost tng under bbr has at least 0.9 of the rate of the kernel's bbr, \
            and of its packets the queue drops no more than twice as many",
    about: "One endless transfer, alone, between two network namespaces that the emulator joins: over tng and over the \
            kernel's TCP, both under bbr, one right after the other and each first every second time, on 40 Mbit/s \
            with 20 ms of round trip and 20 Mbit/s with 100 ms, whose queues hold as much as the path or a part of it. \
            Both lose the same packets, by their numbers. What the queue drops is counted from the start on.",
    params: &[
        Param::count("runs", "5", (2, 100), "each with a seed of its own"),
        Param::share("loss", "1%", "of packets, in the direction of the data"),
        Param::list("queues", "0.25,1", &Kind::Word(QUEUES), "times what the path holds"),
        Param::time("settle", "3s", "left out at the begin of the rate"),
        Param::span("time", "10s", "measured"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 10 }),
    seeds: 1,
    vary: &[],
    run,
};

/// Rates in bits per second, and round trips.
const PATHS: [(u64, Duration); 2] = [(40_000_000, Duration::from_millis(20)), (20_000_000, Duration::from_millis(100))];
const QUEUES: &[&str] = &["0.25", "0.5", "1", "2", "4"];
/// Rate by the kernel's: the project's own number.
const RATE: Goal = Goal::AtLeast(0.9);
/// Packets that the queue drops, of twice those of the kernel's bbr: the project's own number. A thousandth of all is
/// granted, since the kernel's may be none.
const DROPS: Goal = Goal::AtMost(1.0);
const GRANTED_PERCENT: f64 = 0.1;

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (settle, time, runs) = (context.time("settle"), context.time("time"), context.count("runs"));
    let loss = context.share("loss");
    let mut cells = Vec::new();
    for (rate_bps, rtt) in PATHS {
        cells.extend(context.words("queues").into_iter().map(|queue| (rate_bps, rtt, queue, Vec::new())));
    }
    let takes = settle + time + SET_UP;
    let mut left = takes * (2 * runs as u32 * cells.len() as u32);
    for run in 0..runs {
        for (rate_bps, rtt, queue, measured) in &mut cells {
            let held: f64 = queue.parse().expect("one of the words");
            let bytes = *rate_bps as f64 / 8.0 * rtt.as_secs_f64() * held;
            let limit = QueueConfig::DropTail(Limit::Bytes(bytes as u64));
            let link = Link::new().rate(*rate_bps).delay(*rtt / 2).queue(limit);
            let pace = |real| {
                let loss = if loss > 0.0 { Loss::Independent(loss) } else { Loss::None };
                let (seed, link, controller) = (context.seed_of(run), link.clone(), "bbr".to_owned());
                context.world(Trial { seed, link, loss, real, controller }).pace(settle, time)
            };
            let words = format_args!("run {} of {runs}: {}", run + 1, name(*rate_bps, *rtt, queue));
            context.progress_with(words, left);
            let (kernel, own) = if run % 2 == 0 {
                let kernel = pace(Real::KERNEL_TCP)?;
                (kernel, pace(Real::TNG)?)
            } else {
                let own = pace(Real::TNG)?;
                (pace(Real::KERNEL_TCP)?, own)
            };
            measured.push([kernel, own]);
            left = left.saturating_sub(takes * 2);
        }
    }
    let head = ["rate", "round trip", "queue, by the path", "kernel", "tng", "ratio", "kernel drops", "tng drops"];
    let mut table = Table::new(&head);
    let mut plot = Plot::new("tng by the kernel's bbr", Axis::new("run", ""), Axis::new("ratio", ""));
    let (mut results, mut checks) = (Vec::new(), Vec::new());
    for (rate_bps, rtt, queue, measured) in &cells {
        let mean = |side: usize, of: fn(&Pace) -> f64| {
            average(&measured.iter().map(|both: &[Pace; 2]| of(&both[side])).collect::<Vec<_>>())
        };
        let [kernel_bps, own_bps] = [0, 1].map(|side| mean(side, |pace| pace.rate_bps));
        let [kernel_drops, own_drops] = [0, 1].map(|side| mean(side, |pace| pace.dropped));
        let ratio = own_bps / kernel_bps;
        table.row(vec![
            format!("{} Mbit/s", *rate_bps as f64 / 1e6),
            format!("{} ms", rtt.as_millis()),
            (*queue).to_owned(),
            format!("{:.2} Mbit/s", kernel_bps / 1e6),
            format!("{:.2} Mbit/s", own_bps / 1e6),
            format!("{ratio:.3}"),
            format!("{kernel_drops:.2} %"),
            format!("{own_drops:.2} %"),
        ]);
        let name = name(*rate_bps, *rtt, queue);
        checks.push(Check::new(format!("rate by the kernel's: {name}"), ratio, "", RATE));
        let drops = own_drops / (2.0 * kernel_drops).max(GRANTED_PERCENT);
        checks.push(Check::new(format!("drops, of twice the kernel's: {name}"), drops, "", DROPS));
        let ratios: Vec<f64> = measured.iter().map(|[kernel, own]| own.rate_bps / kernel.rate_bps).collect();
        let points = ratios.iter().enumerate().map(|(run, ratio)| (run as f64 + 1.0, *ratio));
        plot = plot.series(Series::points(&name, points.collect()));
        results.push(json!({
            "rate_bps": rate_bps, "rtt_s": rtt.as_secs_f64(), "queue_by_path": queue, "kernel_bps": kernel_bps,
            "own_bps": own_bps, "ratios": ratios, "kernel_drops_percent": kernel_drops,
            "own_drops_percent": own_drops,
        }));
    }
    let outcome = Outcome::new(json!({ "cells": results })).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "Linux has version 1 of bbr, which looks at no loss. Means are of all runs. A transfer of which this machine \
         lost packets that the link did not lose is begun anew.",
    ))
}

fn name(rate_bps: u64, rtt: Duration, queue: &str) -> String {
    format!("{} Mbit/s, {} ms, queue of {queue} times the path", rate_bps as f64 / 1e6, rtt.as_millis())
}
