//! Bytes of an object that came and were not read.

use core::ops::Range;
use std::collections::VecDeque;

use tng_base::RangeSet;

/// Ranges that came apart from each other, at most, in a buffer of no bytes.
pub const RANGES_MIN: u64 = 64;
/// For so many bytes of a buffer there may be one more: a packet of data and the next, which was lost, are longer.
pub const BYTES_PER_RANGE: u64 = 512;

/// A ring of bytes that is as long as it has to be, up to what its owner allows. Places count from the object's start.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    ring: Vec<u8>,
    /// What came, or is not wanted.
    came: RangeSet,
    /// What is not wanted of that which was not read.
    holes: VecDeque<Range<u64>>,
    /// All below was read.
    read: u64,
}

impl Buffer {
    /// For bytes from that one on, but for those in the holes.
    pub(super) fn new(from: u64, holes: &[Range<u64>]) -> Buffer {
        let mut came = RangeSet::new();
        holes.iter().filter(|hole| !hole.is_empty()).for_each(|hole| _ = came.insert(hole.clone()));
        came.remove(0..from);
        let mut buffer = Buffer { holes: came.iter().collect(), came, read: from, ..Buffer::default() };
        buffer.leap();
        buffer
    }

    /// Goes on behind a hole.
    fn leap(&mut self) {
        if let Some(hole) = self.holes.front().filter(|hole| hole.start <= self.read) {
            self.read = hole.end;
            self.holes.pop_front();
        }
        self.came.remove(0..self.read);
    }

    /// All below was read.
    pub(super) const fn read_to(&self) -> u64 {
        self.read
    }

    /// How many bytes can be read now.
    pub(super) fn readable(&self) -> u64 {
        let wanted = self.holes.front().map_or(u64::MAX, |hole| hole.start);
        self.came.first().filter(|first| first.start <= self.read).map_or(0, |first| first.end.min(wanted) - self.read)
    }

    /// Where the first bytes that did not come are, at or behind `from` and before `to`.
    pub(super) fn missing(&self, from: u64, to: u64) -> Option<Range<u64>> {
        let mut at = from.max(self.read);
        for range in self.came.iter() {
            if range.start > at {
                return (at < to).then(|| at..range.start.min(to));
            }
            at = at.max(range.end);
        }
        (at < to).then_some(at..to)
    }

    /// Bytes came; what was read already, and what lies `most` or more ahead, is left out, and so is what would begin
    /// one range too many. Answers how many are new.
    pub(super) fn write(&mut self, start: u64, bytes: &[u8], most: u64) -> u64 {
        let end = start + bytes.len() as u64;
        let (from, to) = (start.max(self.read), end.min(self.read.saturating_add(most)));
        if from >= to || self.came.covers(from..to) {
            return 0;
        }
        let ranges_max = RANGES_MIN + most / BYTES_PER_RANGE;
        let ranges = self.came.count_with(&(from..to));
        if ranges > self.came.count() && ranges as u64 > ranges_max {
            return 0;
        }
        self.grow(usize::try_from(to - self.read).unwrap_or(usize::MAX), usize::try_from(most).unwrap_or(usize::MAX));
        let bytes = &bytes[(from - start) as usize..(to - start) as usize];
        let (head, tail) = bytes.split_at(bytes.len().min(self.ring.len() - self.at(from)));
        let at = self.at(from);
        self.ring[at..at + head.len()].copy_from_slice(head);
        self.ring[..tail.len()].copy_from_slice(tail);
        let known = self.came.iter().rev().take_while(|range| range.end > from);
        let known: u64 = known.map(|range| range.end.min(to).saturating_sub(range.start.max(from))).sum();
        self.came.insert(from..to);
        to - from - known
    }

    /// Reads what comes next. Answers how much.
    pub(super) fn read(&mut self, out: &mut [u8]) -> usize {
        let len = usize::try_from(self.readable()).unwrap_or(usize::MAX).min(out.len());
        if len == 0 {
            return 0;
        }
        let at = self.at(self.read);
        let head = len.min(self.ring.len() - at);
        out[..head].copy_from_slice(&self.ring[at..at + head]);
        out[head..len].copy_from_slice(&self.ring[..len - head]);
        self.read += len as u64;
        self.leap();
        len
    }

    fn at(&self, place: u64) -> usize {
        (place % self.ring.len().max(1) as u64) as usize
    }

    /// Makes room for so many bytes from the first that was not read.
    fn grow(&mut self, len: usize, most: usize) {
        if len <= self.ring.len() {
            return;
        }
        let mut ring = vec![0; len.next_power_of_two().min(most).max(len)];
        let held = self.read + self.ring.len() as u64;
        for range in self.came.iter() {
            for place in range.start..range.end.min(held) {
                let at = (place % ring.len() as u64) as usize;
                ring[at] = self.ring[self.at(place)];
            }
        }
        self.ring = ring;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_base::Rng;

    #[test]
    fn bytes_are_read_in_order_whatever_order_they_come_in() {
        for seed in 0..200 {
            let mut rng = Rng::from_u64(seed);
            let from = rng.below(1_000);
            let (len, most) = (5_000, 300 + rng.below(2_000));
            let byte = |place: u64| (place * 7 % 251) as u8;
            let (mut buffer, mut at, mut new) = (Buffer::new(from, &[]), from, 0);
            while at < from + len {
                let start = (at + rng.below(most + 200)).saturating_sub(100);
                let bytes: Vec<_> = (start..start + 1 + rng.below(90)).map(byte).collect();
                new += buffer.write(start, &bytes, most);
                assert_eq!(new, at - from + buffer.came.size(), "each byte is new once");
                assert!(buffer.ring.len() as u64 <= most, "no more is held than allowed");
                let mut out = [0; 64];
                let read = buffer.read(&mut out[..rng.below(64) as usize]);
                assert!((0..read as u64).all(|n| out[n as usize] == byte(at + n)), "seed {seed} at {at}");
                at += read as u64;
                if let Some(missing) = buffer.missing(at, at + 50) {
                    assert!(!buffer.came.contains(missing.start) && missing.start >= at && missing.end <= at + 50);
                }
            }
        }
    }

    #[test]
    fn so_many_ranges_are_held_that_every_second_packet_may_be_lost_and_no_more() {
        let most = 1 << 22;
        let fills = |len: u64, missing: u64| {
            let (mut buffer, mut at, bytes) = (Buffer::new(0, &[]), missing, vec![7; len as usize]);
            while at + len < most && buffer.write(at, &bytes, most) > 0 {
                at += len + missing;
            }
            (at + len >= most, buffer.came.count() as u64)
        };
        assert!(fills(1_100, 1_100).0, "packets of the usual length");
        assert!(fills(300, 300).0, "short ones");
        let (is_full, count) = fills(1, 1);
        assert!(!is_full && count == RANGES_MIN + most / BYTES_PER_RANGE, "single bytes: {count}");
    }

    #[test]
    fn holes_are_not_missing_and_are_left_out_in_reading() {
        for seed in 0..200 {
            let mut rng = Rng::from_u64(seed);
            let (from, most, mut holes, mut at) = (rng.below(1_000), 300 + rng.below(500), Vec::new(), 0);
            for _ in 0..rng.below(6) {
                // Some touch, some are longer than all that may be held.
                let start = at + rng.below(3) * rng.below(400);
                at = start + rng.below(1_500);
                holes.push(start..at);
            }
            let len = at + 500;
            let is_wanted = |place: u64| place >= from && !holes.iter().any(|hole| hole.contains(&place));
            let byte = |place: u64| (place * 7 % 251) as u8;
            let wanted: Vec<u8> = (0..len.max(from)).filter(|place| is_wanted(*place)).map(byte).collect();
            let (mut buffer, mut got) = (Buffer::new(from, &holes), Vec::new());
            while let Some(missing) = buffer.missing(from, len) {
                assert!(is_wanted(missing.start) && is_wanted(missing.end - 1), "seed {seed}: {missing:?}");
                // More may come than was asked for.
                let start = missing.start.saturating_sub(rng.below(30));
                let bytes: Vec<_> = (start..start + 1 + rng.below(90)).map(byte).collect();
                buffer.write(start, &bytes, most);
                assert!(buffer.ring.len() as u64 <= most, "no more is held than allowed");
                let mut out = [0; 64];
                let read = buffer.read(&mut out[..rng.below(64) as usize]);
                got.extend_from_slice(&out[..read]);
            }
            let mut out = vec![0; 2_000];
            while let read @ 1.. = buffer.read(&mut out) {
                got.extend_from_slice(&out[..read]);
            }
            assert_eq!(got.get(..wanted.len()), Some(&wanted[..]), "seed {seed} {holes:?}");
        }
    }
}
