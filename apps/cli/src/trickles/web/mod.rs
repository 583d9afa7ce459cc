//! Programs that speak HTTP, or TCP alone, before servers that keep nothing (docs/trickles.md, "Unmodified programs").
//!
//! ```text
//! door: places ─▶ exchange: heads, answers ─▶ names: which servers ─▶ source: a visit ─▶ Ways
//! ```
//!
//! What is remembered of a client is remembered here: its TCP connection, and how far its answer is. The servers behind
//! may die meanwhile; who asks sees it as a pause.

mod door;
mod exchange;
mod names;
mod source;

pub use door::{CLIENTS_MAX, Doors, FAREWELLS_MAX, Fixed, run};
pub use exchange::{HEAD_TIME, IDLE_TIME, REQUESTS_PER_CONNECTION};
pub use names::{NAME_DEFAULT, Named, Names, Role};
pub use source::{
    ABOUT_TIME, BODY_PATIENCE, CHECKED_AFTER, LANES_MAX, PLACE_TIME, RETURN_AFTER, SERVER_SILENCE_MAX, STALL_TIME,
    Source, VISITS_PER_LANE_MAX,
};
