//! Files and web pages over links whose rate changes from one millisecond to the next.

use core::time::Duration;

use serde_json::json;
use tng_sim::{DeliveryTrace, fork};

use crate::Report;
use crate::lab::{
    Check, Context, Curve, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds, simulate,
};
use crate::page::{Axis, Plot, Series};
use crate::scenario::trace_file;

/// Every controller over every trace.
pub static TRACES: Experiment = Experiment {
    name: "ours/traces",
    title: "Links that follow a trace",
    source: "ours",
    claim: "over a cell, a crowded Wi-Fi and a satellite that hands over, every controller that is there for whole \
            paths carries files at most of what the link lets pass, and pages about as fast as the fastest; vegas with \
            the least delay",
    about: "A phone takes a file, and in a world of its own looks at pages of a model, over a link to it that follows \
            a trace of Mahimahi's format; the link from it has a rate. The traces are of a minute and repeat, and were \
            made by tng sim radio (scenarios/traces/): a cell whose rate wanders, and is nothing at times; a Wi-Fi \
            that sends in bursts between those of others; a satellite, another one every 15 s. Where in the trace a \
            run begins is drawn by lot.",
    params: &[
        Param::list(
            "controllers",
            "cubic,newreno,reno,linux-cubic,vegas,bbr,equation",
            &Kind::Text,
            "of the server; the first is the one that connections have by default",
        ),
        Param::size("size", "5MB", "of the file"),
        Param::count("pages", "10", (1, 200), "looked at, a second each"),
        Param::time("delay", "25ms", "of the link, each way"),
        Param::size("queue", "300kB", "before the link that follows the trace"),
        Param::rate("up", "5mbit", "of the link from the phone"),
        Param::text("trace", "", "a file in Mahimahi's format, in place of the three"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

const TRACES_OF_OURS: [(&str, &str); 3] = [
    ("cellular", include_str!("../../../../../scenarios/traces/cellular")),
    ("wifi", include_str!("../../../../../scenarios/traces/wifi")),
    ("satellite", include_str!("../../../../../scenarios/traces/satellite")),
];

/// One flow from a server to a phone: what is in it stands below.
const NETWORK: &str = r#"
    [world]
    duration = "1h"
    [[node]]
    name = "server"
    [[node]]
    name = "phone"
    [[link]]
    between = ["server", "phone"]
    [[flow]]
    from = "server"
    to = "phone"
"#;
const FILE: &str = r#"
    [[flow.stream]]
    name = "file"
    request = "200B"
    bytes = "5MB"
"#;
const PAGES: &str = r#"
    [[flow.web]]
    name = "pages"
    pages = 10
    think = "1s"
"#;

/// Steps of the series.
const STEP: Duration = Duration::from_millis(100);
/// Steps of a curve that is shown.
const COARSER: usize = 5;
/// What the begin of a run is drawn from.
const LOT_OF_BEGIN: u64 = 0x7472;

/// Least share of what the link could carry from the begin of a file to its end, percent, with the controller that
/// makes least of it.
const USED: Goal = Goal::AtLeast(50.0);
/// Mean load time of a page with the controller that takes longest, by that with the fastest.
const PAGES_ALIKE: Goal = Goal::AtMost(1.5);
/// Round trips while vegas carries a file by those while cubic does: 95 of 100 are at most so long.
const SHORT: Goal = Goal::AtMost(0.7);
/// On which share of seeds a file uses so much: where a Wi-Fi's rate doubles and halves, vegas may use less.
const USED_ON: f64 = 0.75;
/// On which share of seeds the others hold: where a run begins in the trace decides.
const OTHERS_ON: f64 = 0.9;

/// What a controller made of a trace.
struct Cell {
    controller: String,
    /// Bits per second of the file, and its percent of what the link could carry meanwhile.
    file_bps: f64,
    used_percent: f64,
    /// Round-trip times while the file came: 95 of 100 were at most this.
    rtt_p95_s: f64,
    page_mean_s: f64,
    page_p95_s: f64,
    curve: Curve,
}

/// The traces: ours, or that of a file.
fn traces(context: &Context<'_>) -> Result<Vec<(String, DeliveryTrace)>, RunError> {
    let file = context.text("trace");
    if !file.is_empty() {
        let trace = trace_file(&file).map_err(|problem| RunError::Environment {
            problem,
            remedy: "trace=PATH of a trace in Mahimahi's format, as docs/scenarios.md has it".to_owned(),
        })?;
        return Ok(vec![(file, trace)]);
    }
    let ours = TRACES_OF_OURS.iter().map(|(name, text)| {
        let trace = DeliveryTrace::parse(text).map_err(|error| RunError::broken(format_args!("{name}: {error}")))?;
        Ok(((*name).to_owned(), trace))
    });
    ours.collect()
}

/// Runs one flow over a trace.
fn simulated(
    context: &Context<'_>,
    (flow, values): (&str, &[String]),
    (controller, trace): (&str, &DeliveryTrace),
    begin: Duration,
) -> Result<Report, RunError> {
    let link = [
        format!("link.rate={}", context.given("up")),
        format!("link.delay={}", context.given("delay")),
        format!("link.queue={{bytes=\"{}\"}}", context.given("queue")),
        format!("flow.controller={controller}"),
        format!("flow.start={}ms", begin.as_millis()),
    ];
    let values = [&link[..], values].concat();
    let mut scenario = simulate::scenario(&format!("{NETWORK}{flow}"), &values, context.seed, STEP)?;
    let forth = &mut scenario.links[0].forth;
    *forth = forth.clone().trace(trace.clone());
    simulate::run(context, &scenario)
}

fn measure(context: &Context<'_>, controller: &str, trace: &DeliveryTrace, begin: Duration) -> Result<Cell, RunError> {
    let size = context.size("size");
    let bytes = [format!("flow.stream.bytes={size}")];
    let report = simulated(context, (FILE, &bytes), (controller, trace), begin)?;
    let file = simulate::stream(&report, "file")?;
    let (start_s, end_s) = (simulate::start_s(file)?, simulate::end_s(file)?);
    let by = |time_s: f64| trace.bytes_by(Duration::from_secs_f64(time_s)) as f64;
    let pages = [format!("flow.web.pages={}", context.count("pages"))];
    let seen = simulated(context, (PAGES, &pages), (controller, trace), begin)?;
    let load = seen.flows.first().and_then(|flow| flow.web.first()?.load_s);
    let load = load.ok_or_else(|| RunError::broken("no page was whole"))?;
    Ok(Cell {
        controller: controller.to_owned(),
        file_bps: size as f64 * 8.0 / (end_s - start_s),
        used_percent: 100.0 * size as f64 / (by(end_s) - by(start_s)),
        rtt_p95_s: report.flows.first().and_then(|flow| flow.rtt_s).map_or(f64::NAN, |rtt| rtt.p95),
        page_mean_s: load.mean,
        page_p95_s: load.p95,
        curve: Curve { name: controller.to_owned(), ..simulate::curve(&report, file) },
    })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (traces, controllers) = (traces(context)?, context.texts("controllers"));
    let mut table =
        Table::new(&["link", "controller", "file", "of what it could", "rtt, 95 %", "page, mean", "page, 95 %"]);
    let names: Vec<&str> = controllers.iter().map(String::as_str).collect();
    let mut used = Plot::new("What of the link a file used", Axis::names(&names), Axis::new("used", "%"));
    let mut loads = Plot::new("A page", Axis::names(&names), Axis::new("mean load time", "s"));
    let (mut figures, mut checks, mut over_time) = (Vec::new(), Vec::new(), None);
    for (name, trace) in &traces {
        let begin = trace.length().mul_f64(fork(context.seed, LOT_OF_BEGIN).unit());
        let mut cells = Vec::new();
        for controller in &controllers {
            context.progress(format_args!("{name}, {controller}"));
            cells.push(measure(context, controller, trace, begin)?);
        }
        for cell in &cells {
            table.row(vec![
                name.clone(),
                cell.controller.clone(),
                format!("{:.2} Mbit/s", cell.file_bps / 1e6),
                format!("{:.1} %", cell.used_percent),
                format!("{:.0} ms", cell.rtt_p95_s * 1e3),
                format!("{:.2} s", cell.page_mean_s),
                format!("{:.2} s", cell.page_p95_s),
            ]);
            figures.push(json!({
                "link": name, "controller": cell.controller, "file_bps": cell.file_bps,
                "used_percent": cell.used_percent, "rtt_p95_s": cell.rtt_p95_s, "page_mean_s": cell.page_mean_s,
                "page_p95_s": cell.page_p95_s, "begin_s": begin.as_secs_f64(),
            }));
        }
        let bars = |of: fn(&Cell) -> f64| cells.iter().enumerate().map(|(at, cell)| (at as f64, of(cell))).collect();
        used = used.series(Series::bars(name, bars(|cell| cell.used_percent)));
        loads = loads.series(Series::bars(name, bars(|cell| cell.page_mean_s)));
        let least = cells.iter().map(|cell| cell.used_percent).fold(f64::INFINITY, f64::min);
        let worst = cells.iter().find(|cell| cell.used_percent <= least).map(|cell| cell.controller.clone());
        let loads_s = || cells.iter().map(|cell| cell.page_mean_s);
        let alike = loads_s().fold(0.0, f64::max) / loads_s().fold(f64::INFINITY, f64::min);
        let rtt_s = |of: &str| cells.iter().find(|cell| cell.controller == of).map_or(f64::NAN, |cell| cell.rtt_p95_s);
        let short = rtt_s("vegas") / rtt_s("cubic");
        let check = Check::new(format!("{name}: least share of what it could carry"), least, "%", USED);
        checks.push(check.because(worst.unwrap_or_default()).ours().on(USED_ON));
        checks
            .push(Check::new(format!("{name}: slowest pages by fastest"), alike, "", PAGES_ALIKE).ours().on(OTHERS_ON));
        checks
            .push(Check::new(format!("{name}: vegas's round trips by cubic's"), short, "", SHORT).ours().on(OTHERS_ON));
        over_time.get_or_insert_with(|| over_time_of(name, trace, &cells));
    }
    let plots = over_time.into_iter().chain([used, loads]);
    let outcome = plots.fold(Outcome::new(json!({ "cells": figures })).table(table), Outcome::plot);
    let outcome = outcome.note(
        "Those that are no controllers of whole paths are not among them: fixed and unlimited regulate nothing, and \
         eln is the one that it wraps, since these links announce no losses.",
    );
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

/// What a link let pass, and what files got of it.
fn over_time_of(name: &str, trace: &DeliveryTrace, cells: &[Cell]) -> Plot {
    let steps = cells.iter().map(|cell| cell.curve.bytes.len()).max().unwrap_or(0);
    let by = |step: usize| trace.bytes_by(STEP * step as u32);
    let bytes = (0..steps).map(|step| by(step + 1) - by(step)).collect();
    let could = Curve { name: "the link".to_owned(), step_s: STEP.as_secs_f64(), bytes };
    let plot = Plot::new(&format!("{name}: a file over time"), Axis::new("time", "s"), Curve::axis());
    let curves = [&could].into_iter().chain(cells.iter().map(|cell| &cell.curve));
    curves.fold(plot, |plot, curve| plot.series(curve.coarser(COARSER).series()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn files_and_pages_come_over_all_three_with_every_controller() {
        let record = measured(&TRACES, 1, &[]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }

    #[test]
    fn a_queue_of_three_packets_lets_much_of_the_link_go_by() {
        let record = measured(&TRACES, 1, &["queue=4500B", "controllers=newreno", "size=2MB", "pages=2"]);
        let unmet = unmet(&record.outcome);
        assert!(unmet.iter().any(|name| name.contains("least share")), "{record}");
    }

    #[test]
    fn a_trace_of_a_file_stands_in_place_of_the_three() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("steady");
        std::fs::write(&file, "1\n2\n3\n").expect("it can be written");
        let set = [&format!("trace={}", file.display()), "controllers=cubic,vegas", "size=5MB", "pages=1"];
        let record = measured(&TRACES, 1, &set);
        assert!(record.outcome.checks.len() == 3 && record.holds(), "{record}");
        let missing = TRACES.params(&["trace=missing".to_owned()]).expect("a text");
        let error = TRACES.measure(1, missing, false, &|_| ()).expect_err("there is none");
        assert!(error.to_string().contains("missing cannot be read"), "{error}");
    }
}
