//! What a segment looks like.

use core::ops::Range;

use tng_stp_abi::HEAD_MAX;

/// Low half of the first byte of every segment.
pub const FORMAT: u8 = 1;
/// Bytes that every segment has.
pub const FIXED: usize = 24;
/// Blocks beyond the acknowledged, and ranges proven, in one segment.
pub const BLOCKS_MAX: usize = 3;
/// Bytes of a head with all that it can hold: what the ring shows.
pub const LONGEST: usize = FIXED + BLOCKS_MAX * (8 + 16);
/// Sequence numbers end here, so that sums of them do not overflow.
const SEQUENCE_MAX: u64 = 1 << 62;

/// Bytes of a timestamp and its echo, in place of a block.
pub const STAMP_LEN: usize = 8;

const _: () = assert!(LONGEST == HEAD_MAX);

const STAMPED: u8 = 1 << 4;
const TWICE: u8 = 1 << 5;

const FIN: u8 = 1 << 4;
const PROBE: u8 = 1 << 5;
const GAP: u8 = 1 << 6;

/// At most [`BLOCKS_MAX`] of something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Few<T> {
    items: [T; BLOCKS_MAX],
    len: usize,
}

impl<T: Copy> Few<T> {
    /// One more; false if there is no room.
    pub fn push(&mut self, item: T) -> bool {
        let room = self.items.get_mut(self.len);
        let pushed = room.map(|room| *room = item).is_some();
        self.len += usize::from(pushed);
        pushed
    }

    /// All of them.
    pub fn as_slice(&self) -> &[T] {
        &self.items[..self.len]
    }
}

/// Segments that arrived, and the sum of their nonces. Of their numbers only the low halves travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Proof {
    from: u32,
    to: u32,
    sum: u64,
}

/// Bytes of a proof.
pub const PROOF_LEN: usize = 16;

impl Proof {
    /// Of what [`Receipts`](tng_stp_abi::Receipts) have.
    pub fn of(numbers: Range<u64>, sum: u64) -> Proof {
        Proof { from: numbers.start as u32, to: numbers.end as u32, sum }
    }

    /// The numbers of a sender that has sent as many segments; none if it has not sent these.
    pub fn numbers(&self, sent: u64) -> Option<Range<u64>> {
        let to = whole(self.to, sent)?;
        let from = whole(self.from, to.checked_sub(1)?)?;
        Some(from..to)
    }

    /// The sum.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// As it travels.
    pub fn to_bytes(&self) -> [u8; PROOF_LEN] {
        let mut bytes = [0; PROOF_LEN];
        bytes[..4].copy_from_slice(&self.from.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.to.to_le_bytes());
        bytes[8..].copy_from_slice(&self.sum.to_le_bytes());
        bytes
    }

    /// What travelled.
    pub fn from_bytes(bytes: &[u8; PROOF_LEN]) -> Proof {
        let low = u64_at(bytes, 0);
        Proof { from: low as u32, to: (low >> 32) as u32, sum: u64_at(bytes, 8) }
    }
}

/// The largest number up to `most` that has this low half.
fn whole(low: u32, most: u64) -> Option<u64> {
    let near = most & !u64::from(u32::MAX) | u64::from(low);
    if near <= most { Some(near) } else { near.checked_sub(1 << 32) }
}

/// The head of a segment; the body follows it.
///
/// | bytes | field |
/// |---|---|
/// | 0 | format (bits 0 to 3), timestamp (4), the first block came twice (5) |
/// | 1 | blocks (bits 0, 1), proofs (2, 3), FIN (4), probe (5), gap (6) |
/// | 2..4 | `delay_us` |
/// | 4..8 | `window` |
/// | 8..16 | `seq` |
/// | 16..24 | `ack` |
/// | 8 | timestamp: when it left, and what it answers, in milliseconds |
/// | 8 each | block: from and to, less `ack` |
/// | 16 each | proof: low halves of from and to, sum |
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Segment {
    /// Offset of the first byte of the body.
    pub seq: u64,
    /// Offset of the next byte wanted.
    pub ack: u64,
    /// Bytes beyond `ack` that there is room for.
    pub window: u32,
    /// Microseconds for which the newest segment proven was held.
    pub delay_us: u16,
    /// Nothing follows the body. It counts as a byte.
    pub fin: bool,
    /// The sender wants to know the window.
    pub probe: bool,
    /// A segment came that does not follow the one before: what makes an acknowledgment a duplicate (RFC 5681).
    pub gap: bool,
    /// When it left, and when that had left which it answers (RFC 1323): low halves of milliseconds. Then there are two
    /// blocks at most.
    pub stamp: Option<(u32, u32)>,
    /// What came twice (RFC 2883). It counts as a block.
    pub twice: Option<(u64, u64)>,
    /// What has arrived beyond `ack` (RFC 2018).
    pub blocks: Few<(u64, u64)>,
    /// What has arrived, by number.
    pub proofs: Few<Proof>,
}

impl Segment {
    /// Bytes of this head.
    pub fn size(&self) -> usize {
        let stamp = if self.stamp.is_some() { STAMP_LEN } else { 0 };
        FIXED + stamp + self.block_count() * 8 + self.proofs.len * PROOF_LEN
    }

    /// Whether it has bytes and an acknowledgment, and nothing else.
    pub fn is_plain(&self) -> bool {
        !(self.fin || self.probe || self.gap) && self.block_count() == 0
    }

    fn block_count(&self) -> usize {
        self.blocks.len + usize::from(self.twice.is_some())
    }

    /// Blocks that there is room for still.
    pub fn block_room(&self) -> usize {
        (BLOCKS_MAX - usize::from(self.stamp.is_some())).saturating_sub(self.block_count())
    }

    /// Writes the head; answers its bytes.
    pub fn write<'a>(&self, into: &'a mut [u8; LONGEST]) -> &'a [u8] {
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let counts = self.block_count() as u8 | (self.proofs.len as u8) << 2;
        into[0] = FORMAT | flag(self.stamp.is_some(), STAMPED) | flag(self.twice.is_some(), TWICE);
        into[1] = counts | flag(self.fin, FIN) | flag(self.probe, PROBE) | flag(self.gap, GAP);
        into[2..4].copy_from_slice(&self.delay_us.to_le_bytes());
        into[4..8].copy_from_slice(&self.window.to_le_bytes());
        into[8..16].copy_from_slice(&self.seq.to_le_bytes());
        into[16..24].copy_from_slice(&self.ack.to_le_bytes());
        let stamp = self.stamp.map(|(left, answers)| u64::from(left) | u64::from(answers) << 32);
        // What came twice may lie in front of what is acknowledged.
        let ends = |(from, to): &(u64, u64)| {
            u64::from(from.wrapping_sub(self.ack) as u32) | u64::from(to.wrapping_sub(self.ack) as u32) << 32
        };
        let eights = stamp.into_iter().chain(self.twice.iter().chain(self.blocks.as_slice()).map(ends));
        let (near, far) = into[FIXED..].split_at_mut(self.size() - FIXED - self.proofs.len * PROOF_LEN);
        for (eight, bytes) in eights.zip(near.chunks_exact_mut(8)) {
            bytes.copy_from_slice(&eight.to_le_bytes());
        }
        for (proof, bytes) in self.proofs.as_slice().iter().zip(far.chunks_exact_mut(PROOF_LEN)) {
            bytes.copy_from_slice(&proof.to_bytes());
        }
        &into[..self.size()]
    }

    /// Reads the head of a segment; none if it is not of this format.
    pub fn read(bytes: &[u8]) -> Option<Segment> {
        let fixed: &[u8; FIXED] = bytes.first_chunk()?;
        let (format, flags) = (fixed[0], fixed[1]);
        let (stamped, twice) = (format & STAMPED != 0, format & TWICE != 0);
        let (blocks, proofs) = (usize::from(flags & 3), usize::from(flags >> 2 & 3));
        let near = 8 * (usize::from(stamped) + blocks);
        let known = format & !(STAMPED | TWICE) == FORMAT && flags >> 7 == 0;
        if !known || twice && blocks == 0 || FIXED + near + proofs * PROOF_LEN > bytes.len().min(LONGEST) {
            return None;
        }
        let low = u64_at(fixed, 0);
        let mut segment = Segment {
            seq: u64_at(fixed, 8),
            ack: u64_at(fixed, 16),
            window: (low >> 32) as u32,
            delay_us: (low >> 16) as u16,
            fin: flags & FIN != 0,
            probe: flags & PROBE != 0,
            gap: flags & GAP != 0,
            ..Segment::default()
        };
        if segment.seq > SEQUENCE_MAX || segment.ack > SEQUENCE_MAX {
            return None;
        }
        let (near, far) = bytes[FIXED..].split_at(near);
        let mut eights = near.chunks_exact(8).map(|eight| u64_at(eight, 0));
        if stamped {
            segment.stamp = eights.next().map(|eight| (eight as u32, (eight >> 32) as u32));
        }
        if twice {
            let at = |less: u32| segment.ack.checked_add_signed(i64::from(less as i32));
            let ends = eights.next()?;
            segment.twice = Some((at(ends as u32)?, at((ends >> 32) as u32)?));
        }
        for ends in eights {
            let (from, to) = (segment.ack + (ends & 0xffff_ffff), segment.ack + (ends >> 32));
            if from >= to {
                return None;
            }
            segment.blocks.push((from, to));
        }
        for proof in far.as_chunks().0.iter().take(proofs) {
            segment.proofs.push(Proof::from_bytes(proof));
        }
        Some(segment)
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Segment {
        let mut segment = Segment { seq: 1 << 40, ack: 77, window: 9, delay_us: 25_000, ..Segment::default() };
        (segment.fin, segment.probe, segment.gap) = (true, true, true);
        for at in 0..4 {
            assert_eq!(segment.blocks.push((100 + 50 * at, 110 + 50 * at)), at < 3);
            assert_eq!(segment.proofs.push(Proof::of(at << 33..(at << 33) + 5, !at)), at < 3);
        }
        segment
    }

    /// With a timestamp, and something that came twice.
    fn stamped() -> Segment {
        let mut segment =
            Segment { stamp: Some((7, u32::MAX)), twice: Some((70, 75)), blocks: Few::default(), ..full() };
        assert_eq!(segment.block_room(), 1);
        segment.blocks.push((100, 110));
        segment
    }

    #[test]
    fn a_head_is_read_as_it_was_written_and_fits_into_what_the_ring_shows() {
        for segment in [full(), stamped(), Segment { ack: 5, ..Segment::default() }] {
            let mut bytes = [0; LONGEST];
            assert_eq!(Segment::read(segment.write(&mut bytes)), Some(segment));
        }
        assert_eq!((full().size(), stamped().size()), (HEAD_MAX, HEAD_MAX));
    }

    #[test]
    fn what_is_cut_off_or_flipped_is_refused_or_another_head() {
        for segment in [full(), stamped()] {
            let mut bytes = [0; LONGEST];
            segment.write(&mut bytes);
            for len in 0..LONGEST {
                assert_eq!(Segment::read(&bytes[..len]), None);
            }
            for bit in 0..8 * LONGEST {
                let mut bytes = bytes;
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(Segment::read(&bytes), Some(segment));
            }
        }
    }

    #[test]
    fn numbers_are_whole_again_where_the_low_half_has_wrapped() {
        let far = (3 << 32) + 10;
        assert_eq!(Proof::of(far - 20..far - 2, 0).numbers(far), Some(far - 20..far - 2));
        assert_eq!(Proof::of(0..3, 0).numbers(3), Some(0..3));
        assert_eq!(Proof::of(0..4, 0).numbers(3), None, "that was never sent");
        assert_eq!(Proof::of(0..0, 0).numbers(3), None);
    }
}
