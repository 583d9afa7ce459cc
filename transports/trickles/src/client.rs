//! A client: it keeps what its servers do not (docs/trickles.md, "The client").
//!
//! ```text
//!            ┌── gives up ◀── Dialing ◀────────────────────────────────────────┐
//!            ▼                   │ REPLY                                        │
//!          Ended                 ▼                                              │
//!            ▲── close ─────── Open ──────── timeouts unanswered ───────────────┘
//! ```
//!
//! Objects are apart from the connection, and go on over another.

#[cfg(feature = "keys")]
mod batch;
mod book;
mod buffer;
mod connection;
#[cfg(feature = "keys")]
mod dialing;
mod hosted;
mod keeper;
mod nearest;
mod object;
mod objects;
mod pacer;
mod reordering;
mod replicas;
mod reverse;
mod rtt;
mod sent;
mod settings;
mod slow_start;
mod timeouts;

#[cfg(feature = "keys")]
pub use batch::REQUESTS_PER_BATCH_MAX;
pub use book::{LATE_MAX, NUMBERS_HELD_MAX, RANGES_IN_WINDOW_MAX};
pub use connection::{PADDING_MAX, PUZZLE_TRIES_PER_SLICE};
#[cfg(feature = "keys")]
pub use dialing::Client;
pub use hosted::{Hosted, Introduction};
pub use nearest::{PING_EVERY, PING_LEN, PINGS_REMEMBERED, QUARTERS_NEARER, STAYS_FOR};
pub use object::{ANEW_MAX, MAKING_MAX, OUTPUTS_MAX, REGIONS_MAX, VAIN_MAX};
pub use objects::{AskError, BUFFER_DEFAULT, OBJECTS_MAX, ObjectError, ObjectId, Options, RESERVE_DEFAULT, Read};
pub use pacer::{BURST_MAX, BURST_TIME};
pub use reordering::{LATER_PACKETS_MAX, LATER_PACKETS_MIN};
pub use replicas::{PASSED_OVER_FOR, PASSED_OVER_MAX, Policy, RESTS_FOR, Replicas, UNANSWERED_FOR, UNANSWERED_MAX};
pub use rtt::{RTO_MAX, RTO_MIN};
pub use sent::{ASKED_MAX, REQUESTS_HELD_MAX};
#[cfg(feature = "keys")]
pub use settings::ClientError;
pub use settings::{ClientConfig, ClientStats, Event};
pub use slow_start::RTT_SAMPLES_PER_BATCH;
pub use timeouts::{TIMEOUTS_UNANSWERED_MAX, TIMEOUTS_UNANSWERED_OLD_MAX};

#[cfg(test)]
#[cfg(feature = "keys")]
mod tests;
