//! What happened, written down.
//!
//! * [`Digest`]: a fingerprint of everything that happened to packets, to show that two runs were the same.
//!
//! Nothing here reads a clock: times are given.
#![forbid(unsafe_code)]

mod digest;

pub use digest::Digest;
