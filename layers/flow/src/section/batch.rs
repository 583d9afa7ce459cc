//! Datagrams that leave in one call.

use tng_base::Ecn;
use tng_channel::{Sealed, SealedTrain};

use crate::route::PACKET_ROOM_MIN;

/// Datagrams in one batch at most: what UDP GSO takes.
pub const BATCH_DATAGRAMS_MAX: usize = 64;

/// Bytes in one batch at most: the largest UDP payload over IPv4.
pub const BATCH_BYTES_MAX: usize = 65_507;

/// A packet that is short of the full size by so much is full all the same: what it carries from end to end was made to
/// fit with the longest packet number.
const UNFILLED: usize = 2;

/// Packets of one size, one behind the other; the last may have fewer bytes.
pub(super) struct Batch<'b> {
    buf: &'b mut [u8],
    /// Bytes of a full packet.
    mtu: usize,
    packets: usize,
    len: usize,
    /// What each packet has, but the last.
    segment_size: usize,
    ecn: Ecn,
}

impl<'b> Batch<'b> {
    pub(super) fn new(buf: &'b mut [u8], mtu: usize) -> Batch<'b> {
        let most = buf.len().min(BATCH_BYTES_MAX);
        Batch { buf: &mut buf[..most], mtu, packets: 0, len: 0, segment_size: 0, ecn: Ecn::NotEct }
    }

    /// Where the next packet goes, of at most `budget` bytes, if one may follow.
    pub(super) fn next(&mut self, budget: usize) -> Option<&mut [u8]> {
        // None of a batch is larger than the first.
        let full = if self.len > 0 { self.segment_size } else { self.mtu };
        let room = full.min(self.buf.len() - self.len).min(budget);
        let fits = room >= full || self.len == 0 && room >= PACKET_ROOM_MIN;
        (self.packets < BATCH_DATAGRAMS_MAX && fits).then(|| &mut self.buf[self.len..self.len + room])
    }

    /// The next packet is there; answers whether it has the full size.
    pub(super) fn push(&mut self, sealed: &Sealed) -> bool {
        if self.segment_size == 0 {
            (self.segment_size, self.ecn) = (sealed.len, sealed.ecn);
        }
        (self.packets, self.len) = (self.packets + 1, self.len + sealed.len);
        sealed.len + UNFILLED >= self.mtu
    }

    /// Where packets go that follow, `budget` bytes of them, and the size of each.
    pub(super) fn spare_room(&mut self, budget: usize) -> (&mut [u8], usize) {
        let room = budget.min(self.buf.len() - self.len) / self.segment_size;
        let room = room.min(BATCH_DATAGRAMS_MAX - self.packets) * self.segment_size;
        (&mut self.buf[self.len..self.len + room], self.segment_size)
    }

    /// Packets are there that followed.
    pub(super) fn push_train(&mut self, train: &SealedTrain) {
        (self.packets, self.len) = (self.packets + train.packets, self.len + train.len);
    }

    /// Where the last packet goes, of at most `budget` bytes and as few as there are, if one may follow.
    pub(super) fn tail(&mut self, budget: usize) -> Option<&mut [u8]> {
        let room = self.segment_size.min(self.buf.len() - self.len).min(budget);
        (self.is_even() && self.packets < BATCH_DATAGRAMS_MAX).then(|| &mut self.buf[self.len..self.len + room])
    }

    /// Whether packets may follow: none does behind one that has fewer bytes than the others.
    pub(super) fn is_even(&self) -> bool {
        self.segment_size > 0 && self.len.is_multiple_of(self.segment_size)
    }

    /// What there is to send: bytes, those of each packet but the last, and the codepoint.
    pub(super) fn finish(self) -> Option<(usize, usize, Ecn)> {
        (self.len > 0).then_some((self.len, self.segment_size, self.ecn))
    }
}
