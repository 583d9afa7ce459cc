//! What a guest has sent and received.

/// Segments of one end, and their bytes as the guest has them, without what host and channel add.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Segments that left, each in a packet of its own.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Segments that came, and that there was room for.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
}
