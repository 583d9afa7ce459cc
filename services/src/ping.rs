//! The ping service, asked by requests: the answer is the request.

/// The service's name.
pub const SERVICE: &str = "ping";
/// Bytes of one ping as the tool sends it: its number, big-endian.
pub const PING_LEN: usize = 8;
/// Bytes of the longest ping that is answered.
pub const PING_MAX: usize = 1024;
