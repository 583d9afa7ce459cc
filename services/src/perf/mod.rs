//! The perf service, protocol [`PROTOCOL`]: how much a path and two hosts carry.
//!
//! The client opens one stream, the control stream, and says on it what shall be measured: a [`Test`]. The server
//! answers that it is ready, or why it will not. After START each side that sends opens a child of the control stream
//! for each lane and fills it, or sends datagrams on the control stream; after END both tell each other what they have
//! counted ([`Results`]).
//!
//! The two sides as values are [`Test`], which knows what it asks of a server and whether that is within its
//! [`Limits`], and [`Arrivals`], which makes the figures of datagrams from their [`Stamp`]s. `docs/wire.md` section 9
//! has the bytes.

mod arrivals;
mod test;
mod wire;

pub use arrivals::Arrivals;
pub use test::{Direction, End, Limits, Test};
pub use wire::{
    BODY_MAX, Cpu, Fault, FaultCode, HEAD_LEN, LaneResult, Message, Output, Results, STAMP_LEN, Stamp, body_len,
};

/// The service's name.
pub const SERVICE: &str = "perf";
/// The protocol's name.
pub const PROTOCOL: &str = "tng-perf/1";

/// Most lanes in one direction of a test.
pub const LANES_MAX: usize = 128;
/// Longest test in milliseconds, what is omitted at its beginning aside.
pub const DURATION_MAX_MS: u64 = 86_400_000;
/// Longest part of a test that is not counted, at its beginning, in milliseconds.
pub const OMIT_MAX_MS: u64 = 600_000;
/// Longest block in bytes.
pub const BLOCK_MAX: usize = 1 << 20;
/// Longest datagram in bytes; what UDP over IPv4 carries.
pub const DATAGRAM_MAX: usize = 65_507;
