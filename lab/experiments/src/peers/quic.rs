//! QUIC as a party of simulated worlds: quinn-proto behind a [`Machine`](tng_base::Machine).
//!
//! [`Host`] is used as the reference TCP's host is: the application connects, or listens, and hears [`News`]. What is
//! quinn's stays as quinn has it (congestion control, pacing, loss detection, path MTU discovery, limits); what is set
//! otherwise is here:
//!
//! * AES-128-GCM and X25519 alone, as tng has them.
//! * A server proves who it is by a raw Ed25519 key (RFC 7250), the same for every host of every world: a key that
//!   protects nothing. A certificate would make a cold handshake larger.
//! * Segmentation offload is off: every transmit is one datagram.
//! * The clock that tickets are dated by stands still, so that they never expire.
//!
//! Times and sizes are determined by the seed; keys, and with them bytes, are drawn by the TLS library from the system.
//! A world with such hosts therefore calls [`record_digest_of_sizes`](tng_sim::World::record_digest_of_sizes). The
//! controller `bbr` is an exception: quinn draws the phase in which its probing begins from the system, and its runs
//! cannot be repeated exactly.

mod config;
mod error;
mod host;
mod news;
mod tls;

pub use config::{Config, Controller, UnknownController};
pub use error::{ConnectError, DatagramError, Gone, OpenError, ReadError, WriteError};
pub use host::{CONNECTIONS_MAX, Host};
pub use news::{ConnectionId, Early, End, Event, News, Read, Stats};
pub use quinn_proto::{Dir, StreamId};
