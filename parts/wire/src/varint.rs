//! Variable-length integers (RFC 9000, section 16): the top two bits of the first byte give the length, 1, 2, 4 or 8.

/// The largest value a varint holds: `2^62 - 1`.
pub const VARINT_MAX: u64 = (1 << 62) - 1;

/// Bytes that `value` takes. Values above [`VARINT_MAX`] are a caller's mistake and count as 8.
pub const fn varint_len(value: u64) -> usize {
    match value {
        0..=0x3f => 1,
        0x40..=0x3fff => 2,
        0x4000..=0x3fff_ffff => 4,
        _ => 8,
    }
}

/// Bytes that `len` bytes take with their length before them, as [`Writer::prefixed`](crate::Writer::prefixed) writes
/// them.
pub const fn prefixed_len(len: usize) -> usize {
    varint_len(len as u64) + len
}
