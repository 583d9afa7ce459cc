//! The ping service: every byte comes back, in order, until the asking side finishes. One stream carries any number of
//! pings.

/// The service's name.
pub const SERVICE: &str = "ping";
/// The protocol's name.
pub const PROTOCOL: &str = "tng-ping/1";
/// Bytes of one ping: its number, big-endian.
pub const PING_LEN: usize = 8;
