//! The engine of scenarios: worlds of what a scenario file says, the flows on them, and what came of it.
//!
//! * [`Run`](run::Run): a scenario under way, its hosts running what its flows use; ends in a
//!   [`Report`](report::Report).
//! * The table `protocol` has a row for each protocol that a flow may have: `tng` and `plain` have its parties, `asked`
//!   those over Trickles, `cross` plain datagrams, `helper` what stands in the path.
//! * The ledger says what became of streams and datagrams; samples and traces are what was seen on the way.

mod agenda;
mod asked;
mod cross;
mod gate;
mod helper;
pub(crate) mod ledger;
mod observer;
pub(crate) mod plain;
pub(crate) mod plan;
pub(crate) mod protocol;
pub mod report;
pub mod run;
pub(crate) mod samples;
mod source;
mod timetable;
mod tng;
pub(crate) mod visits;
