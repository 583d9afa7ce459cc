//! How the host tells of what arrived.

use crate::HEAD_MAX;

/// Bytes of one entry in guest memory.
pub const ARRIVED_LEN: usize = 32 + HEAD_MAX;

/// A segment that arrived: an entry of the ring, [`RING_ENTRIES`](crate::RING_ENTRIES) of them in a row, written by the
/// host and used again in a circle. In guest memory, little-endian:
///
/// | bytes | field |
/// |---|---|
/// | 0..4 | `segment` |
/// | 4..8 | `len` |
/// | 8..16 | `number` |
/// | 16..24 | `nonce` |
/// | 24..28 | 1 if the segment is numbered, else 0 |
/// | 28..32 | 0 |
/// | 32.. | `head` |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrived {
    /// The segment, for [`seg_read`](crate::Host::seg_read), [`so_append`](crate::Host::so_append) and
    /// [`seg_keep`](crate::Host::seg_keep). The host takes it back when the call of
    /// [`input`](crate::Guest::input) returns, unless it is kept.
    pub segment: u32,
    /// Its bytes, all of them the guest's.
    pub len: u32,
    /// Its number and nonce, if it was sent with [`net_send`](crate::Host::net_send): what an acknowledgment has to
    /// prove.
    pub numbered: Option<(u64, u64)>,
    /// Its first bytes.
    pub head: [u8; HEAD_MAX],
}

impl Arrived {
    /// Nothing.
    pub const EMPTY: Arrived = Arrived { segment: 0, len: 0, numbered: None, head: [0; HEAD_MAX] };

    /// As many of its first bytes as there are.
    pub fn head(&self) -> &[u8] {
        &self.head[..HEAD_MAX.min(self.len as usize)]
    }

    /// As it stands in guest memory.
    pub fn to_bytes(&self) -> [u8; ARRIVED_LEN] {
        let mut bytes = [0; ARRIVED_LEN];
        let (number, nonce) = self.numbered.unwrap_or_default();
        bytes[..4].copy_from_slice(&self.segment.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.len.to_le_bytes());
        bytes[8..16].copy_from_slice(&number.to_le_bytes());
        bytes[16..24].copy_from_slice(&nonce.to_le_bytes());
        bytes[24] = u8::from(self.numbered.is_some());
        bytes[32..].copy_from_slice(&self.head);
        bytes
    }

    /// What the host has written there.
    pub fn from_bytes(bytes: &[u8; ARRIVED_LEN]) -> Arrived {
        let four = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let eight = |at: usize| u64::from(four(at)) | u64::from(four(at + 4)) << 32;
        let mut head = [0; HEAD_MAX];
        head.copy_from_slice(&bytes[32..]);
        let numbered = (bytes[24] == 1).then(|| (eight(8), eight(16)));
        Arrived { segment: four(0), len: four(4), numbered, head }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let head = core::array::from_fn(|i| i as u8);
        for numbered in [None, Some((0, 0)), Some((u64::MAX, 0x0123_4567_89ab_cdef))] {
            let entry = Arrived { segment: 7, len: 1_200, numbered, head };
            assert_eq!(Arrived::from_bytes(&entry.to_bytes()), entry);
        }
        assert_eq!(Arrived { len: 3, ..Arrived::EMPTY }.head().len(), 3);
        assert_eq!(Arrived { len: 9_000, ..Arrived::EMPTY }.head().len(), HEAD_MAX);
    }
}
