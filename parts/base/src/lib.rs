//! The vocabulary that every part of tng shares: time, randomness, names, and the shape of a protocol machine.
//!
//! Nothing here does anything by itself. A type is admitted when two siblings need it.
//!
//! * [`Instant`]: virtual or real time, in nanoseconds since an origin that the driver chose.
//! * [`Rng`]: a seeded source of what is random and may be seen, handed to a machine, never found by it.
//! * [`Eid`], [`ChannelId`], [`SessionId`], [`CodeHash`]: who, which channel, whose streams, and which transport code.
//! * [`Machine`]: what a driver drives: `handle_input`, `handle_timeout`, `poll_output`.
//! * [`Protocol`]: what stands above a channel; [`Semantic`]: one that a whole connection may speak.
//! * [`Schedule`]: which of a machine's parties have something to do now, and when the others will.
//! * [`PeerText`]: words of a peer, which print as nothing but words.
//! * [`Note`]: what a machine tells its observers.
#![forbid(unsafe_code)]

mod code_hash;
mod id;
mod io;
mod note;
mod path;
mod peer_text;
mod protocol;
mod ranges;
mod rng;
mod schedule;
mod semantic;
mod time;
mod train;

pub use code_hash::{CODE_HASH_LEN, CodeHash, NoCodeHash};
pub use id::{ChannelId, Eid, EidError, SessionId};
pub use io::{
    CarrierNews, Datagram, Ecn, Hindrance, Input, LinkLoss, Machine, Output, PathChange, Transmit, Unreachable,
};
pub use note::{Fields, NOTES_MAX, Note, Notes, Value};
pub use path::PathCondition;
pub use peer_text::{MARKS_SHOWN_MAX, PEER_TEXT_SHOWN_MAX, PeerText, is_visible};
pub use protocol::{ChannelKey, Fate, Filled, Footing, Protocol, Taken, Violation};
pub use ranges::RangeSet;
pub use rng::{RestingRng, Rng};
pub use schedule::{Schedule, ScheduleEntry};
pub use semantic::Semantic;
pub use time::Instant;
pub use train::{Arrivals, Train};
