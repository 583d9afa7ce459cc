//! Experiments: scenario files, and the worlds and flows that they describe.
//!
//! * [`Scenario`]: nodes, links, flows and timed events, read from TOML; [`Scenario::build`] makes a world of it.
//! * [`units`]: rates, times, sizes and shares as people write them.
#![forbid(unsafe_code)]

pub mod scenario;
pub mod units;

pub use scenario::{Scenario, ScenarioError};
