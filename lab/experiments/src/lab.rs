//! The lab: figures and tables of the papers, and questions of our own, each an experiment with a name, parameters and
//! a seed.
//!
//! * [`GROUPS`]: all of them, by group. One file each below `lab/`, and a row of that list.
//! * [`Experiment`]: what is claimed and where, what can be set ([`Param`]), and the function that measures it.
//! * [`Context`]: what that function is given: seed, parameters, a place to tell of progress.
//! * [`Outcome`]: what it gives: results for programs, [`Table`]s and [`Plot`](crate::page::Plot)s for people, and
//!   [`Check`]s, each a figure with its [`Goal`].
//! * [`Record`]: an experiment that has run with one seed, and [`Sweep`], with many; they show themselves on a
//!   terminal, in JSON, on a page and in Markdown ([`Ran`]).
//!
//! * [`Shard`]: a part of what is asked for, for one of several machines; [`merge`] makes one of them again.
//!
//! docs/lab.md says how to run them, read them, and add one.

mod causes;
mod chart;
mod check;
mod context;
mod curve;
mod error;
mod experiment;
mod known;
pub(crate) mod markdown;
pub mod ours;
mod outcome;
mod page;
mod param;
mod ran;
mod record;
mod registry;
mod seeds;
mod shard;
pub mod simulate;
pub mod soak;
pub mod sst;
#[cfg(feature = "guests")]
pub mod stp;
mod sweep;
mod table;
pub mod tcp;
#[cfg(test)]
mod tests;
mod text;
pub mod tng;
pub mod trickles;
pub mod vary;

pub use chart::{Chart, WIDTH};
pub use check::{Check, Goal};
pub use context::Context;
pub use curve::Curve;
pub use error::{RunError, SetError};
pub use experiment::{Experiment, Needs, Worlds};
pub use known::{KNOWN_LEN_MAX, Known, KnownError};
pub use markdown::{contents, file_name, markdown};
pub use outcome::Outcome;
pub use page::{page_of, write};
pub use param::{Kind, Param, Params, Value};
pub use ran::{Ran, Unmet, Verdict};
pub use record::Record;
pub use registry::{GROUPS, Group, experiments, find};
pub use seeds::{SEED_MAX, SEEDS_MAX, SEEDS_MIN, Seeds, SeedsError};
pub use shard::{Asked, Done, Head, Line, MergeError, Merged, SHARD_LEN_MAX, SHARDS_MAX, Shard, Which, merge};
pub use sweep::{Distribution, Progress, Sweep};
pub use table::Table;
pub use vary::{VARIED_SEEDS, Varied};
