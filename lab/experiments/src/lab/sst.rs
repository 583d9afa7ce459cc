//! Section 5 of the SST paper.

pub mod fig9;
