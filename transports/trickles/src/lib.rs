//! Trickles: a server that forgets (Shieh, Myers and Sirer, "A Stateless Approach to Connection-Oriented Protocols").
//!
//! All state of a connection lies with the client, sealed by the server, in *continuations*: whatever replica a request
//! reaches computes out of it what the window is, and answers. docs/trickles.md has the protocol, and where it differs
//! from the paper.
//!
//! * [`Growth`], [`Line`], [`release`]: the window of TCP Reno in closed form, and what a request releases.
//! * [`Continuation`]: what a server would have kept, sealed. [`Keys`]: what servers share.
//! * [`Proof`]: which packets came, in eight bytes.
//! * [`replay`]: each continuation once. [`Puzzle`], [`Throttle`]: what a server asks for, and grants, under load.
//! * [`set_up`]: how a connection begins. [`server`], [`client`]: its two ends.
#![forbid(unsafe_code)]

mod age;
mod cache;
pub mod client;
mod continuation;
mod epochs;
mod foresee;
mod keys;
pub mod minisocket;
mod nonces;
mod plan;
mod proof;
mod puzzle;
pub mod replay;
mod secrets;
pub mod server;
pub mod set_up;
mod state;
mod throttle;
mod wall;
mod watch;
mod window;
pub mod wire;

pub use age::{AGE_MAX, Age, Horizon, PREDECESSORS_MAX, SKEW_MAX};
pub use cache::{CACHE_ENTRY_BYTES, CACHE_PLACES_MIN, Cache, CacheCounts, Kept};
pub use continuation::{ConnectionId, Continuation, Place, Rtt, SERIAL_LIMIT, Site, Stamp};
pub use epochs::{
    EPOCH_SECRETS_MAX, EPOCHS_BEHIND_MAX, EPOCHS_TO_ROTATION, EpochSecret, EpochSecrets, RotationPending,
};
pub use foresee::{INITIAL_WINDOW, release_after_timeout, release_foreseen, window_after_timeout};
pub use keys::{EPOCH, EPOCHS_PER_ADVANCE_MAX, EpochKeys, Keys, KeysError};
pub use nonces::{Keying, Nonces, Renewal};
pub use plan::{
    Contradiction, Line, PACKETS_PER_RELEASE_MAX, Release, Spent, Story, Tag, Told, Turn, line_after_timeout, release,
    tags, told,
};
pub use proof::{Proof, ProofError, TooScattered};
pub use puzzle::{DIFFICULTY_MAX, PUZZLE_SLOT, Puzzle, Solution, Unsolved};
pub use secrets::{ConnectionSecret, Instance, InstanceName, aead_nonce};
pub use state::{SEALED_STATE_LEN_MAX, STATE_LEN_MAX, State, StateError, StateKind};
pub use throttle::{
    DIFFICULTY_LOADED_MAX, PLACE_PACKETS_PER_SECOND_MAX, PLACE_PACKETS_PER_SECOND_MIN, Throttle, WINDOW_LOADED_MAX,
    WINDOW_LOADED_MIN, WINDOW_STANDING_MIN,
};
pub use tng_nonce::NUMBER_LIMIT;
pub use wall::{Wall, WallClock};
pub use watch::Watch;
pub use window::{Growth, THRESHOLD_MIN, WINDOW_MAX};

#[cfg(test)]
mod attacks;
