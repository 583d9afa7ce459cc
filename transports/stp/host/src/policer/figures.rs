//! What people see of a policer.

use core::time::Duration;

use tng_base::Instant;

use super::State;

/// Transitions that are kept, the first ones.
pub const TRANSITIONS_KEPT: usize = 32;

/// A flow came into another state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    /// When.
    pub at: Instant,
    /// Which.
    pub to: State,
}

/// The figures of a [`Policer`](super::Policer) at one moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Figures {
    /// Where the flow stands.
    pub state: State,
    /// Bytes per second that it may send, what is added to segments included.
    pub cap_bytes_per_sec: u64,
    /// Loss events per segment, in billionths; 0 before the first.
    pub loss_billionths: u64,
    /// The smoothed round trip.
    pub rtt_smoothed: Duration,
    /// The least one.
    pub rtt_min: Duration,
    /// Bytes sent, what is added to segments included.
    pub sent: u64,
    /// Segments that had to wait.
    pub refused: u64,
    /// How it came there (STP table 4).
    pub transitions: Vec<Transition>,
}
