//! STP: transport code as a guest, held to TCP-friendly rates.
//!
//! docs/stp.md has the design.
#![forbid(unsafe_code)]

mod books;
mod controller;
mod policer;

pub use books::{Books, PROVEN_BEHIND, REMEMBERED_TIMEOUTS};
pub use controller::Policed;
pub use policer::{
    Cap, FLOOR_SEGMENTS, Figures, Lost, MEAN_HUNDREDTHS, PROOF_DELAY_MAX, Policer, PolicerConfig, Proven, QUIET_ROUNDS,
    REFUSALS_MAX, ROUND_MIN, ROUND_TENTHS, ROUNDS, SEGMENT_ADDED, SPANS_PER_ROUND, State, TIMEOUT_MIN,
    TRANSITIONS_KEPT, Transition, UnknownCap, VIOLATIONS_MAX, Verdict,
};
