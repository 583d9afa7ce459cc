//! Experiments: scenario files, and the worlds and flows that they describe.
//!
//! * [`scenario`]: nodes, links, flows and timed events, read from TOML.
//! * [`engine`]: [`Scenario::build`] makes a world of it; [`Run`] is one under way, and ends in a [`Report`].
//! * [`peers`]: parties over every transport, and the worlds in which they are compared.
//! * [`lab`]: the experiments, by name.
//! * [`swarm`]: worlds drawn by lot, in families, and what must hold in every one.
//! * [`real`]: real transfers over links of the emulator.
//! * [`page`]: one self-contained HTML page with tables and plots.
//! * [`settings`]: what worlds are made of, as their pages tell it.
#![forbid(unsafe_code)]

pub mod engine;
pub mod lab;
pub mod page;
pub mod peers;
pub mod real;
pub mod scenario;
pub mod settings;
pub mod swarm;

pub use engine::report::Report;
pub use engine::run::Run;
pub use scenario::Scenario;
