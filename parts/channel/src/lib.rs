//! The one channel protocol (SST 4.2, Tng 6.1): numbered, acknowledged, possibly regulated, possibly armored packets.
//! Best effort, unordered; every packet has a new number, retransmissions too.
//!
//! * [`Channel`]: the value. Regulation is passed in, armor is owned, what stands above is a [`tng_base::Protocol`].
//! * [`Armor`]: what protects its packets.
//! * [`wire`]: its bytes.
//! * [`battery`], [`testing`]: tests for armors, armors for tests.
#![forbid(unsafe_code)]

mod armor;
pub mod battery;
mod channel;
mod control;
mod ecn;
mod fates;
mod loss;
mod monitor;
mod notices;
mod number;
mod receive;
mod replay;
mod send;
mod tap;
pub mod testing;
#[cfg(test)]
mod tests;
pub mod wire;

pub use armor::{Armor, OpenError};
pub use channel::{
    Channel, ChannelStats, Config, ControlKind, Discard, FAILED_AFTER, MTU_PROBES_MAX, PROTOCOL_VIOLATION, Poll,
    QUIET_MAX, Received, Sealed, SealedTrain, UNSENT_ACKNOWLEDGED, Verdict,
};
pub use control::{CHALLENGES_MAX, CONTROLS_MAX, ChannelEvent, ControlsFull, EVENTS_MAX};
pub use loss::{
    LOST_KEPT_PTOS, PERSISTENT_PTOS, PROBES_PER_TIMEOUT, PTO_MAX, RECOVERIES_REMEMBERED, REORDER_MIN, REORDER_ROUNDS,
    REPAIR_ROUNDS,
};
pub use monitor::STALLED_PROBES;
pub use notices::LOSS_NOTICES_MAX;
pub use number::{SKIP_MEAN, SKIPS_REMEMBERED};
pub use receive::{AckPolicy, LATE_MAX, RANGES_MAX, UNREDEEMED_RANGES_MAX};
pub use replay::{REPLAY_COVERED, REPLAY_WINDOW, REPLAY_WINDOW_MAX, ReplayWindow, Seen};
pub use send::{SENT_MAX, SENT_PER_ACKED, SENT_UNACKED_MAX};
pub use tap::Describe;
