//! What a guest that downloads from a server without state and its host say to each other, beside the border's calls.

/// The call by which a host introduces the guest to a connection.
pub const CALL_INTRODUCE: u32 = 1;
/// All of a segment that is no request: the guest needs another connection.
pub const NEEDS_CONNECTION: [u8; 1] = [0];
