//! The forward service, protocol [`PROTOCOL`]: one TCP connection per stream.
//!
//! The opener of a stream writes one [`Request`] and the other side one [`Answer`]; after [`Answer::Ok`] the stream
//! carries the bytes of a TCP connection both ways, the end of either direction on its own. A stream that asked to bind
//! is different: it lasts as long as the listening socket, and each connection that comes to that socket is a child
//! stream, which begins with [`Answer::Ok`] and the caller's address.
//!
//! What programs say to reach this service by SOCKS5 is here too, as a value without a socket: [`Socks`] takes what a
//! program sends to a proxy and says what it wants. [`Allowed`] decides which destinations a server connects to.
//!
//! `docs/wire.md` section 8 has the bytes.

mod allowed;
mod destination;
mod socks;
mod wire;

pub use allowed::{Allowed, is_public};
pub use destination::{Destination, NoDestination};
pub use socks::{Socks, SocksStep};
pub use wire::{Answer, Refusal, RefusalCode, Request, body_len};

/// The service's name.
pub const SERVICE: &str = "forward";
/// The protocol's name.
pub const PROTOCOL: &str = "tng-forward/1";

/// Longest host name or address in bytes; the longest that SOCKS5 carries.
pub const HOST_MAX: usize = 255;
/// Bytes before the body of a message: its type, and its length in two.
pub const HEAD_LEN: usize = crate::framed::HEAD_LEN;
/// Longest body of a message in bytes.
pub const BODY_MAX: usize = 512;
