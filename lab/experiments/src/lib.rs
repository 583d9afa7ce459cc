//! Experiments: scenario files, and the worlds and flows that they describe.
//!
//! * [`Scenario`]: nodes, links, flows and timed events, read from TOML; [`Scenario::build`] makes a world of it.
//! * [`Run`]: a scenario under way, its hosts running what its flows use; ends in a [`Report`].
//! * [`exchange`]: requests and answers over TCP, SST and QUIC.
//! * [`helped`]: chains of routers with helpers beside them, and flows over parts of it.
//! * [`lab`]: the experiments, by name.
//! * [`contest`]: bulk transfers over tng and the reference TCP through one bottleneck.
//! * [`page`]: one self-contained HTML page with tables and plots.
//! * [`real`]: real transfers over links of the emulator.
//! * [`quic`]: QUIC as a party of simulated worlds.
//! * [`settings`]: what worlds are made of, as their pages tell it.
//! * [`swarm`]: worlds drawn by lot, in families, and what must hold in every one.
//! * [`units`]: rates, times, sizes and shares as people write them.
//! * [`web`]: pages of a model, of access logs and of HAR files.
#![forbid(unsafe_code)]

mod agenda;
mod asked;
pub mod contest;
mod cross;
mod downloads;
pub mod exchange;
mod gate;
pub mod guests;
pub mod helped;
mod helper;
pub mod lab;
mod ledger;
mod observer;
pub mod page;
mod plain;
mod plan;
mod protocol;
pub mod quic;
pub mod real;
pub mod report;
mod run;
mod samples;
pub mod scenario;
pub mod settings;
mod source;
pub mod swarm;
mod timetable;
mod tng;
mod transport;
mod trial;
pub mod units;
mod visits;
pub mod web;

pub use report::Report;
pub use run::Run;
pub use scenario::{Scenario, ScenarioError};
