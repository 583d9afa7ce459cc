//! Long runs: worlds that go on, with oracles that hold at every moment, and processes whose clients come and go. By
//! default they take seconds; parameters make them as long as anybody likes.

pub(in crate::lab) mod crowd;
#[cfg(feature = "guests")]
pub mod guests;
mod memory;
pub mod registry;
pub mod relay;
pub mod swarm;
pub mod trickles;
