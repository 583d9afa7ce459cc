//! What a policer is told, and what it answers.

use core::fmt;
use core::time::Duration;

use tng_base::Instant;

use super::Cap;

/// Where a flow stands (STP table 4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Nothing of what it sent is proven.
    Init,
    /// Nothing was lost: twice what was proven in a round trip may leave in the next.
    SlowStart,
    /// Something was lost: the cap holds.
    SteadyState,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Init => "init",
            State::SlowStart => "slow start",
            State::SteadyState => "steady state",
        })
    }
}

/// Whether a segment may leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Now.
    Now,
    /// Not before; a proof may change that.
    At(Instant),
    /// Not before something is proven, or the time for that is over: too much is under way.
    Blocked,
}

/// What of a path is congestion.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Signal {
    /// Every loss: nobody can tell whose it was.
    #[default]
    Losses,
    /// What routers mark, as a peer's host reports it that is trusted; what is lost is the link's doing (STP 3.4).
    Marks,
}

/// Settings of a [`Policer`](crate::Policer).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PolicerConfig {
    /// What the flow is held to.
    pub cap: Cap,
    /// The largest segment, in bytes.
    pub segment_max: u16,
}

impl Default for PolicerConfig {
    fn default() -> PolicerConfig {
        PolicerConfig { cap: Cap::default(), segment_max: 1_200 }
    }
}

/// What a proof has shown. Sizes and positions are as they count: with [`SEGMENT_ADDED`](crate::SEGMENT_ADDED) for each
/// segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proven {
    /// Bytes newly proven.
    pub bytes: u64,
    /// When the newest of those segments had left.
    pub newest_sent_at: Instant,
    /// Bytes that had been sent when it had left.
    pub position: u64,
    /// From then until now, unless a newer segment had been proven before.
    pub rtt: Option<Duration>,
    /// How long the peer says that it held the proof back.
    pub delay: Duration,
}

/// Segments that are lost, all of one loss event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lost {
    /// Their bytes.
    pub bytes: u64,
    /// When the first of them had left.
    pub sent_at: Instant,
    /// Bytes that had been sent when it had left.
    pub position: u64,
}
