//! Runs of scenario files for experiments.

use core::time::Duration;

use super::{Context, Curve, RunError};
use crate::engine::report::StreamReport;
use crate::{Report, Run, Scenario};

/// Reads a scenario file with values beside it, as `tng sim run --set` takes them; `seed`, and series in steps of
/// `step`.
///
/// # Errors
/// If it makes no sense with them.
pub fn scenario(text: &str, values: &[String], seed: u64, step: Duration) -> Result<Scenario, RunError> {
    let mut scenario = Scenario::parse_with(text, values).map_err(|error| RunError::Params(error.to_string()))?;
    scenario.seed = seed;
    scenario.interval = step;
    Ok(scenario)
}

/// Runs a scenario, and tells the page of it.
///
/// # Errors
/// If any flow in it failed.
pub fn run(context: &Context<'_>, scenario: &Scenario) -> Result<Report, RunError> {
    finish(context.world(scenario.clone()))
}

/// Runs a scenario that no page tells of.
///
/// # Errors
/// If any flow in it failed.
pub fn finish(scenario: Scenario) -> Result<Report, RunError> {
    let report = Run::new(scenario).finish().map_err(RunError::broken)?;
    match report.flows.iter().find_map(|flow| Some((&flow.name, flow.failure.as_ref()?))) {
        Some((name, why)) => Err(RunError::broken(format_args!("{name}: {why}"))),
        None => Ok(report),
    }
}

/// What came of the stream of a name.
///
/// # Errors
/// If there is none.
pub fn stream<'r>(report: &'r Report, name: &str) -> Result<&'r StreamReport, RunError> {
    report.stream(name).ok_or_else(|| RunError::broken(format_args!("the scenario has no stream {name:?}")))
}

/// When the first of a name started, in seconds of the world's time.
///
/// # Errors
/// If it did not.
pub fn start_s(stream: &StreamReport) -> Result<f64, RunError> {
    stream.start_s.ok_or_else(|| RunError::broken(format_args!("{} did not start", stream.name)))
}

/// When the last of a name that started with the first was whole, in seconds of the world's time.
///
/// # Errors
/// If one was not.
pub fn end_s(stream: &StreamReport) -> Result<f64, RunError> {
    let completion = stream.completion_s.filter(|_| stream.completed == stream.count);
    let completion = completion.ok_or_else(|| RunError::broken(format_args!("{} did not end", stream.name)))?;
    Ok(start_s(stream)? + completion.max)
}

/// What arrived of the streams of a name over time.
pub fn curve(report: &Report, stream: &StreamReport) -> Curve {
    Curve { name: stream.name.clone(), step_s: report.interval_s, bytes: stream.bytes_per_interval.clone() }
}
