//! What the policer makes of a flood: STP 5.3, Figure 4.

use serde_json::json;
use tng_stp_host::Cap;

use super::testbed::{Line, Times, cap, guest, mbit, mean, seconds, variation};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::contest::Transport;
use crate::peers::guests::{Guest, Ran};

/// A flood that is policed, by a TCP alone on the same line.
pub static FIG4: Experiment = Experiment {
    name: "stp/fig4",
    title: "A flood, policed",
    source: "STP 5.3, Figure 4",
    claim: "a guest without congestion control gets 18 % more than NewReno in the mean of all paths, and 36 % at most",
    about: "One endless transfer alone on a line of 10 Mbit/s, at every combination of round trip and loss: UDP Flood \
            behind the policer, the reference TCP under newreno, and the NewReno guest with nothing that holds it. \
            Samples are of a second. The control is the flood without a policer.",
    params: &[
        Param::rate("rate", "10mbit", "of the line"),
        Param::list("rtts", "20ms,50ms,100ms,200ms", &Kind::Span, "both ways together"),
        Param::list("losses", "0.2%,0.5%,1%,2%", &Kind::Share, "of packets, in the direction of the data"),
        Param::word("cap", "equation", CAPS, "what the policer holds the flood to"),
        Param::time("settle", "20s", "left out at the beginning"),
        Param::span("time", "180s", "measured, in samples of a second"),
    ],
    worlds: Worlds::Virtual,
    seeds: 20,
    vary: &[],
    run,
};

/// Names of caps.
pub const CAPS: &[&str] = &["equation", "equation-or-cubic"];

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (cap, times) = (cap(context), Times::of(context));
    let contenders = [
        Transport::Tcp,
        guest(Guest::NewReno, Ran::Free, Cap::Equation),
        guest(Guest::Flood, Ran::Policed, cap),
        guest(Guest::Flood, Ran::Free, cap),
    ];
    let head =
        ["round trip", "loss", "tcp", "newreno", "flood", "flood by tcp", "flood varies", "tcp varies", "unpoliced"];
    let mut table = Table::new(&head);
    let mut plot = Plot::new("A policed flood by TCP", Axis::new("loss", "%"), Axis::new("flood by tcp", ""));
    let (mut cells, mut ratios, mut by_newreno, mut varies) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut seed = context.seed_of(0);
    for rtt in context.times("rtts") {
        let mut points = Vec::new();
        for loss in context.shares("losses") {
            let line = Line::new("line", context.rate("rate"), rtt.as_millis() as u64, loss);
            context.progress(format_args!("{} ms, {} %", rtt.as_millis(), loss * 100.0));
            seed += 1;
            let all = contenders.map(|transport| seconds(context, &line, seed, transport, times));
            let [tcp, newreno, flood, free] = [0, 1, 2, 3].map(|at| mean(&all[at]));
            let by_tcp = flood / tcp;
            ratios.push(by_tcp);
            by_newreno.push(flood / newreno);
            varies.push(variation(&all[2]));
            points.push((loss * 100.0, by_tcp));
            table.row(vec![
                format!("{} ms", rtt.as_millis()),
                format!("{} %", loss * 100.0),
                mbit(tcp),
                mbit(newreno),
                mbit(flood),
                format!("{by_tcp:.2}"),
                format!("{:.0} %", variation(&all[2])),
                format!("{:.0} %", variation(&all[0])),
                mbit(free),
            ]);
            cells.push(json!({
                "rtt_s": rtt.as_secs_f64(), "loss": loss, "tcp_bps": tcp, "newreno_bps": newreno, "flood_bps": flood,
                "unpoliced_bps": free, "by_tcp": by_tcp, "variation_percent": variation(&all[2]),
            }));
        }
        plot = plot.series(Series::points(&format!("{} ms", rtt.as_millis()), points));
    }
    let worst = |ratios: &[f64]| ratios.iter().copied().fold(0.0, f64::max);
    let outcome = Outcome::new(json!({ "cells": cells })).table(table).plot(plot);
    Ok(outcome
        .check(Check::new("flood by TCP, mean of all paths", mean(&ratios), "", Goal::AtMost(1.18)).paper("1.18"))
        .check(Check::new("flood by TCP, worst path", worst(&ratios), "", Goal::AtMost(1.36)).paper("1.36"))
        .check(
            Check::new("flood by NewReno, mean of all paths", mean(&by_newreno), "", Goal::AtMost(1.18)).paper("1.18"),
        )
        .check(Check::new("flood by NewReno, worst path", worst(&by_newreno), "", Goal::AtMost(1.36)).paper("1.36"))
        .check(
            Check::new("variation of the flood, mean of all paths", mean(&varies), "%", Goal::AtMost(20.0))
                .paper("13 % at 0.2 % of loss, 20 % at 1 %"),
        )
        .note(
            "The TCP of the paper is NewReno without selective acknowledgments; the reference TCP has them, the \
             NewReno guest has none.",
        ))
}
