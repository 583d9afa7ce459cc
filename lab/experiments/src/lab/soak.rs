//! Long runs: worlds that go on, with oracles that hold at every moment, and processes whose clients come and go. By
//! default they take seconds; parameters make them as long as anybody likes.

mod crowd;
pub mod relay;
pub mod swarm;
pub mod trickles;

pub(super) use crowd::resident_bytes;
