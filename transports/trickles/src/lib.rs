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
#![cfg_attr(not(feature = "keys"), allow(dead_code, reason = "a client behind a host has no address and one server"))]

mod age;
#[cfg(feature = "keys")]
mod cache;
pub mod client;
mod continuation;
#[cfg(feature = "keys")]
mod epochs;
mod foresee;
mod instance_name;
mod keying;
#[cfg(feature = "keys")]
mod keys;
#[cfg(feature = "keys")]
pub mod minisocket;
#[cfg(feature = "keys")]
mod nonces;
mod plan;
mod proof;
mod puzzle;
#[cfg(feature = "keys")]
pub mod replay;
mod seal_len;
#[cfg(feature = "keys")]
mod secrets;
#[cfg(feature = "keys")]
pub mod server;
#[cfg(feature = "keys")]
pub mod set_up;
#[cfg(feature = "keys")]
mod state;
#[cfg(feature = "keys")]
mod throttle;
mod wall;
#[cfg(feature = "keys")]
mod watch;
mod window;
pub mod wire;

pub use age::{AGE_MAX, Age, Horizon, PREDECESSORS_MAX, SKEW_MAX};
#[cfg(feature = "keys")]
pub use cache::{CACHE_ENTRY_BYTES, CACHE_PLACES_MIN, Cache, CacheCounts, Kept};
pub use continuation::{ClientNetwork, ConnectionId, Continuation, Rtt, SERIAL_LIMIT, Site, Stamp};
#[cfg(feature = "keys")]
pub use epochs::{
    EPOCH_SECRETS_MAX, EPOCHS_BEHIND_MAX, EPOCHS_TO_ROTATION, EpochSecret, EpochSecrets, RotationPending,
};
pub use foresee::{INITIAL_WINDOW, count_for_window, release_after_timeout, release_foreseen, window_after_timeout};
pub use instance_name::InstanceName;
pub use keying::{EPOCH, Keying, Renewal};
#[cfg(feature = "keys")]
pub use keys::{EPOCHS_PER_ADVANCE_MAX, EpochKeys, Keys, KeysError};
#[cfg(feature = "keys")]
pub use nonces::Nonces;
pub use plan::{
    Contradiction, Line, PACKETS_PER_RELEASE_MAX, Release, Spent, Story, Tag, Told, Turn, line_after_timeout, release,
    tags, told,
};
pub use proof::{Proof, ProofError, TooScattered};
pub use puzzle::{DIFFICULTY_MAX, PUZZLE_SLOT, Puzzle, Solution, Unsolved};
#[cfg(feature = "keys")]
pub use secrets::{ConnectionSecret, Instance, aead_nonce};
#[cfg(feature = "keys")]
pub use state::{State, StateError, StateKind};
#[cfg(feature = "keys")]
pub use throttle::{
    DIFFICULTY_LOADED_MAX, PLACE_PACKETS_PER_SECOND_MAX, PLACE_PACKETS_PER_SECOND_MIN, Throttle, WINDOW_LOADED_MAX,
    WINDOW_LOADED_MIN, WINDOW_STANDING_MIN,
};
pub use tng_nonce::NUMBER_LIMIT;
pub use wall::{Wall, WallClock};
#[cfg(feature = "keys")]
pub use watch::Watch;
pub use window::{Growth, THRESHOLD_MIN, WINDOW_MAX};
pub use wire::{SEALED_STATE_LEN_MAX, STATE_LEN_MAX};

#[cfg(test)]
#[cfg(feature = "keys")]
mod attacks;
