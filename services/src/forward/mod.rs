//! The forward service, protocol [`PROTOCOL`]: one TCP connection per stream.
//!
//! The opener of a stream writes one [`Request`] and the other side one [`Answer`]; after [`Answer::Ok`] the stream
//! carries the bytes of a TCP connection both ways, the end of either direction on its own. A stream that asked to bind
//! is different: it lasts as long as the listening socket, and each connection that comes to that socket is a child
//! stream, which begins with [`Answer::Ok`] and the caller's address.
//!
//! What programs say to reach this service is here too, as values without sockets: [`Front`] takes what a program sends
//! to a proxy (SOCKS5, HTTP CONNECT or a plain HTTP request, told apart by the first byte) and says what it wants and
//! how to answer it. [`Allowed`] decides which destinations a server connects to.
//!
//! `docs/wire.md` section 8 has the bytes.

mod allowed;
mod destination;
mod front;
mod http;
mod socks;
mod wire;

pub use allowed::{Allowed, is_public};
pub use destination::{Destination, NoDestination};
pub use front::{Front, Manner, Step};
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
/// Most bytes that a program may send to a proxy before it is clear what it wants: the head of an HTTP request, cookies
/// and all.
pub const ASKING_MAX: usize = 1 << 16;
