//! Long runs: worlds that go on, with oracles that hold at every moment. By default they take seconds; parameters make
//! them as long as anybody likes.

pub mod swarm;
