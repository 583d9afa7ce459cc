//! STP: transport code as a guest, held to TCP-friendly rates.
//!
//! docs/stp.md has the design.
#![forbid(unsafe_code)]

mod advised;
mod advisors;
mod allowance;
mod around;
mod books;
mod code;
mod controller;
mod fuel;
mod here;
mod instance;
mod nonces;
mod outgoing;
mod policer;
mod quotas;
mod segments;
mod shim;
mod silence;
mod socket;
mod timers;
mod toil;
mod traffic;
mod transport;
mod wire;

pub use advised::{Advised, Advisor, NativeAdvisor};
pub use advisors::{AdvisorAccount, AdvisorTotal, Advisors, GUEST_PREFIX, STOPPED_KEPT};
pub use allowance::{ACK_BYTES, ACK_EVERY, ACKS_AT_ONCE, ACKS_SAVED_MAX, AckAllowance};
pub use around::Around;
pub use books::{Books, PROVEN_BEHIND, REMEMBERED_TIMEOUTS};
pub use code::{AnswerError, Code, Maker, Workshop};
pub use controller::Policed;
pub use fuel::{CALLS_SAVED, WAIT_FUEL_NS};
pub use instance::{Beside, Callback, Fault, Instance, Native, Usage};
pub use nonces::{Nonces, Sums};
pub use policer::{
    Cap, FLOOR_SEGMENTS, Figures, Lost, MEAN_HUNDREDTHS, PROOF_DELAY_MAX, Policer, PolicerConfig, Proven, QUIET_ROUNDS,
    REFUSALS_MAX, REFUSALS_PER_SEGMENT, ROUND_MIN, ROUND_TENTHS, ROUNDS, SEGMENT_ADDED, SPANS_PER_ROUND, Signal, State,
    TIMEOUT_MIN, TRANSITIONS_KEPT, Transition, UnknownCap, VIOLATIONS_MAX, Verdict,
};
pub use quotas::{Denials, Quotas};
pub use segments::KEPT_MAX;
pub use shim::{LINE_MAX, LINES_KEPT, Said, Shim, ShimConfig, Standing, UNPROVEN_MAX};
pub use silence::SILENT_MAX;
pub use socket::{MESSAGES_MAX, Socket, WriteError};
pub use timers::TIMER_MIN;
pub use toil::TOIL_MAX;
pub use traffic::Traffic;
pub use transport::{
    End, GUEST_FAILED, GUEST_STOPPED, GUEST_UNUSED, Life, MESSAGE_HEAD, PROTOCOL_PREFIX, SHUTDOWN, Transport,
};
pub use wire::{SEGMENT_OVERHEAD_MAX, Segment};

#[cfg(test)]
mod docs;
