//! What it costs that a guest runs in a process of its own (docs/decisions/0044-a-stranger-s-guest-has-a-process.md).

use core::time::Duration;

use serde_json::json;
use tng::stp::built_in;
use tng::stp::process::{Processes, Program};

use super::ends::{COLUMNS, Column, Ends, Paced, Way, median, told};
use super::table7::CELLS;
use super::testbed::mbit;
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::peers::guests::{Guest, Ran, quotas};
use crate::real::used;

/// Processor time of a packet, with a guest in a process of its own and in the host's.
pub static PROCESS: Experiment = Experiment {
    name: "stp/process",
    title: "What a process of its own costs",
    source: "docs/decisions/0044-a-stranger-s-guest-has-a-process.md",
    claim: "a guest in a process of its own takes at most 1.3 of the processor time of a packet that the same module \
            takes in the sandbox of the host's process, all processes together",
    about: "One flow over the loopback interface with NewReno as a module at both ends, each on a thread of its own: \
            in the host's process, and each end's guest in a process of its own. Processor time is that of the two \
            threads and of the processes that they started, the kernel's work for them included, by datagrams that \
            both ends sent. All in turn, the run in the middle of several.",
    params: &[
        Param::count("runs", "5", (1, 100), "of each, in turn"),
        Param::span("settle", "1s", "left out at the beginning"),
        Param::span("time", "2s", "measured"),
    ],
    worlds: Worlds::Real(Needs { root: false, minutes: 2 }),
    seeds: 1,
    vary: &[],
    run,
};

/// The project's own number.
const APART: Goal = Goal::AtMost(1.3);

/// Nanoseconds of a datagram that either end sent.
fn per_packet(ran: &Paced) -> f64 {
    let cpu_ns = ran.sender.cpu_ns + ran.receiver.cpu_ns + ran.sender.apart_ns;
    cpu_ns as f64 / (ran.sender.packets_out + ran.receiver.packets_out) as f64
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let module = built_in("newreno").ok_or_else(|| RunError::broken("newreno is not built in"))?;
    let processes = Processes::new(Program::this(["guest-process"]));
    let nursery = processes.load(module.bytes, quotas());
    let nursery = nursery.map_err(|error| RunError::Environment {
        problem: error.to_string(),
        remedy: "on Linux with seccomp, by the tool".to_owned(),
    })?;
    let code = nursery.code("apart").ok_or_else(|| RunError::broken("newreno is no transport"))?;
    let columns = [Column::NewReno(Ran::Module), Column::Given(Guest::given(code))];
    let (runs, settle, time) = (context.count("runs"), context.time("settle"), context.time("time"));
    let head = ["rate and packets", "in the host", "apart", "apart by it", "carried, in the host", "apart"];
    let mut table = Table::new(&head).titled("Nanoseconds of a packet, all processes");
    let mut calls = Table::new(&["rate and packets", "in the host", "apart"]).titled("Packets in and out by a call");
    let (mut results, mut checks) = (Vec::new(), Vec::new());
    for cell in &CELLS {
        let mut all = [const { Vec::new() }; 2];
        for run in 0..runs {
            let left = (settle + time) * ((runs - run) as u32 * 2) + Duration::from_secs(1);
            context.progress_with(format_args!("{}, run {} of {runs}", cell.name, run + 1), left);
            for turn in 0..all.len() {
                let place = (turn + run as usize) % all.len();
                let (column, packet, rate_bps) = (columns[place], cell.packet, cell.rate_bps);
                let (seed, way) = (context.seed_of(run), Way::Loopback);
                let ends = Ends { seed, column, packet, rate_bps, way, settle, time, timed: true };
                all[place].push(context.world(ends).measure()?);
            }
        }
        let [here, apart] = all.map(|runs| median(runs, per_packet));
        let (here, apart) = (here?, apart?);
        let [spent, spent_apart] = [&here, &apart].map(per_packet);
        let ratio = spent_apart / spent;
        table.row(vec![
            cell.name.to_owned(),
            format!("{spent:.0}"),
            format!("{spent_apart:.0}"),
            format!("{ratio:.2}"),
            mbit(here.rate_bps),
            mbit(apart.rate_bps),
        ]);
        let by_call = |ran: &Paced| {
            let packets = [&ran.sender, &ran.receiver].map(|end| end.packets_in + end.packets_out);
            packets.iter().sum::<u64>() as f64 / (ran.sender.callbacks + ran.receiver.callbacks).max(1) as f64
        };
        calls.row(vec![cell.name.to_owned(), format!("{:.1}", by_call(&here)), format!("{:.1}", by_call(&apart))]);
        checks.push(Check::new(format!("apart by in the host, a packet: {}", cell.name), ratio, "", APART));
        results.push(json!({ "cell": cell.name, "here": told(&here), "apart": told(&apart), "ratio": ratio }));
    }
    let outcome = Outcome::new(json!({ "cells": results })).table(table).table(calls);
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(COLUMNS))
}

/// Nanoseconds of the processor that the processes which this one has started have had.
pub(super) fn started_cpu_ns() -> u64 {
    used::processor(&used::started_by(std::process::id())).as_nanos() as u64
}
