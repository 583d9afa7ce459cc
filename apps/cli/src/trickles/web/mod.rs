//! Programs that speak HTTP, or TCP alone, before servers that keep nothing (docs/trickles.md, "Unmodified programs").
//!
//! ```text
//! door: places ─▶ exchange: heads, answers ─▶ names: which servers ─▶ source: a visit ─▶ Ways
//! ```
//!
//! What is remembered of a client is remembered here: its TCP connection, and how far its answer is. The servers behind
//! may die meanwhile; who asks sees it as a pause.
//!
//! * [`config`], [`daemon`], [`status`]: the process; what it has in common with others is in [`crate::daemon`].
//! * `figures`: what is counted, and written down.

pub mod config;
pub mod daemon;
mod door;
mod exchange;
mod figures;
mod names;
mod source;
pub mod status;

pub use door::{CLIENTS_MAX, Doors, FAREWELLS_MAX, Fixed, pour, run};
pub use exchange::{HEAD_TIME, IDLE_TIME, REQUESTS_PER_CONNECTION};
pub use figures::{Account, Figures};
pub use names::{NAME_DEFAULT, Named, Names, Role, check_names};
pub use source::{
    ABOUT_TIME, BODY_PATIENCE, CHECKED_AFTER, LANES_MAX, PLACE_TIME, RETURN_AFTER, SERVER_SILENCE_MAX, STALL_TIME,
    Settings, Source, VISITS_PER_LANE_MAX,
};

use crate::daemon::Kind;

/// What a gateway is called, for those who look after it.
pub const GATEWAY: Kind =
    Kind { name: "gateway", command: "tng trickles", unit: "tng-gateway", metrics: "tng_gateway" };
