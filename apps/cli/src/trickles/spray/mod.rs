//! A sprayer: whatever clients send goes to the replicas of a fleet by turns, datagram by datagram, and what these
//! answer goes back to the client from the address that it has asked. It opens nothing, and knows no key.
//!
//! * [`turns`]: whose turn it is, and who is passed over; [`table`]: the clients that are there: values, without
//!   sockets.
//! * [`engine`]: the sockets, on a thread of their own; [`daemon`]: the process; [`status`]: what it tells of itself.

pub mod daemon;
pub mod engine;
pub mod status;
pub mod table;
pub mod turns;

use crate::daemon::Kind;

/// What a sprayer is called, for those who look after it.
pub const SPRAYER: Kind = Kind { name: "sprayer", command: "tng trickles", unit: "tng-spray", metrics: "tng_spray" };
