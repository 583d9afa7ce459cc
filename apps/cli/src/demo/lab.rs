//! Runs of scenario files for the demonstration.

use std::fmt;
use std::time::Duration;

use tng_experiments::report::StreamReport;
use tng_experiments::{Report, Run, Scenario};

use super::Curve;
use crate::exit::Exit;
use crate::failure::Failure;

/// Runs a scenario with another seed, and series in steps of `step`.
///
/// # Errors
/// If the scenario makes no sense, or anything in it failed.
pub(super) fn run(text: &str, seed: u64, step: Duration) -> Result<(Scenario, Report), Failure> {
    let mut scenario = Scenario::parse(text).map_err(|error| broken(&error))?;
    scenario.seed = seed;
    scenario.interval = step;
    let report = Run::new(scenario.clone()).finish().map_err(|error| broken(&error))?;
    match report.flows.iter().find_map(|flow| flow.failure.as_ref()) {
        Some(why) => Err(Failure::new(Exit::Partial, "simulating", why)),
        None => Ok((scenario, report)),
    }
}

/// A scenario or its report is not what the demonstration expects.
pub(super) fn broken(why: &dyn fmt::Display) -> Failure {
    Failure::new(Exit::Read, "simulating", why)
}

/// What came of the stream of a name.
///
/// # Errors
/// If there is none.
pub(super) fn stream<'r>(report: &'r Report, name: &str) -> Result<&'r StreamReport, Failure> {
    report.stream(name).ok_or_else(|| broken(&format_args!("the scenario has no stream {name:?}")))
}

/// When the first of a name started, in the time of the world.
pub(super) fn start_s(stream: &StreamReport) -> Result<f64, Failure> {
    stream.start_s.ok_or_else(|| broken(&format_args!("{} did not start", stream.name)))
}

/// When the last of a name that started with the first was whole.
pub(super) fn end_s(stream: &StreamReport) -> Result<f64, Failure> {
    let completion = stream.completion_s.filter(|_| stream.completed == stream.count);
    let completion = completion.ok_or_else(|| broken(&format_args!("{} did not end", stream.name)))?;
    Ok(start_s(stream)? + completion.max)
}

/// What arrived of the streams of a name over time.
pub(super) fn curve(report: &Report, stream: &StreamReport) -> Curve {
    Curve { name: stream.name.clone(), step_s: report.interval_s, bytes: stream.bytes_per_interval.clone() }
}

/// Mbit/s of the first link from its second end to its first.
///
/// # Errors
/// If there is no link, or it takes everything.
pub(super) fn mbits(scenario: &Scenario) -> Result<f64, Failure> {
    let rate = scenario.links.first().and_then(|link| link.back.rate_bps);
    rate.map(|bps| bps as f64 / 1e6).ok_or_else(|| broken(&"the link has no rate"))
}
