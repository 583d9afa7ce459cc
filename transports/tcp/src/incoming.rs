//! What was received and not yet read, in order or not.

use core::ops::Range;
use std::collections::VecDeque;

use tng_base::RangeSet;

/// Most separate ranges that are held beyond the first gap; a segment that would make another is dropped.
pub const RANGES_MAX: usize = 4_096;

/// How many of the ranges received last are remembered, for the order of selective acknowledgments (RFC 2018 section
/// 4).
const RECENT: usize = 3;

/// The receiving half of a connection. Numbers are internal sequence numbers.
#[derive(Debug)]
pub(crate) struct Incoming {
    /// Bytes from `base` on; those in gaps are zero.
    bytes: VecDeque<u8>,
    /// The number of the first byte that was not read.
    base: u64,
    /// The number expected next.
    next: u64,
    /// What was received beyond `next`.
    ahead: RangeSet,
    /// A number in each of the ranges that were received last, the latest first.
    recent: VecDeque<u64>,
    /// What was received again, to be reported once (RFC 2883).
    duplicate: Option<Range<u64>>,
    capacity: usize,
    /// The number of the FIN, once it is known.
    fin: Option<u64>,
    /// How far the peer was told that it may send.
    edge: u64,
}

/// What came of a segment's data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Placed {
    /// It was the next in order; so many bytes can be read that could not before. `gap`: something was, or still is,
    /// missing.
    InOrder { bytes: u64, gap: bool },
    /// It is kept for later.
    Ahead,
    /// All of it was there, or it could not be kept.
    Nothing,
}

impl Incoming {
    pub(crate) fn new(first: u64, capacity: usize) -> Incoming {
        Incoming {
            bytes: VecDeque::new(),
            base: first,
            next: first,
            ahead: RangeSet::new(),
            recent: VecDeque::new(),
            duplicate: None,
            capacity,
            fin: None,
            edge: first,
        }
    }

    /// The number expected next, the FIN counted.
    pub(crate) fn next(&self) -> u64 {
        self.next + u64::from(self.is_finished())
    }

    /// Whether everything, the FIN included, has been received.
    pub(crate) fn is_finished(&self) -> bool {
        self.fin == Some(self.next)
    }

    /// Bytes that can be read.
    pub(crate) fn readable(&self) -> usize {
        (self.next - self.base) as usize
    }

    /// The first number beyond what can be held.
    pub(crate) fn limit(&self) -> u64 {
        self.base + self.capacity as u64
    }

    /// Takes the data of a segment that begins at `start`.
    pub(crate) fn place(&mut self, start: u64, data: &[u8]) -> Placed {
        let end = (start + data.len() as u64).min(self.limit()).min(self.fin.unwrap_or(u64::MAX));
        if start >= end {
            return Placed::Nothing;
        }
        if end <= self.next || self.ahead.covers(start..end) {
            self.duplicate = Some(start..end);
            return Placed::Nothing;
        }
        let from = start.max(self.next);
        let in_order = from == self.next;
        if !in_order && self.ahead.count_with(&(from..end)) > RANGES_MAX {
            return Placed::Nothing;
        }
        self.write(from, &data[(from - start) as usize..(end - start) as usize]);
        if !in_order {
            self.ahead.insert(from..end);
            self.note(from);
            return Placed::Ahead;
        }
        let (before, gap) = (self.next, !self.ahead.is_empty());
        self.next = end;
        while let Some(range) = self.ahead.first().filter(|range| range.start <= self.next) {
            self.ahead.pop_first();
            self.next = self.next.max(range.end);
        }
        Placed::InOrder { bytes: self.next - before, gap }
    }

    /// The peer's data end at `at`. Answers whether that is possible.
    pub(crate) fn finish(&mut self, at: u64) -> bool {
        let possible = at >= self.next && self.ahead.max().is_none_or(|max| max < at);
        if self.fin.is_none() && possible {
            self.fin = Some(at);
        }
        self.fin == Some(at)
    }

    /// Moves bytes that are in order to `out`; answers how many.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> usize {
        let count = out.len().min(self.readable());
        let (front, back) = self.bytes.as_slices();
        let first = count.min(front.len());
        out[..first].copy_from_slice(&front[..first]);
        out[first..count].copy_from_slice(&back[..count - first]);
        self.bytes.drain(..count);
        self.base += count as u64;
        count
    }

    /// How many bytes beyond [`next`](Self::next) the peer may be told to send: the edge moves by at least `step` bytes
    /// or half of the buffer (RFC 9293 section 3.8.6.2.2), and never back.
    pub(crate) fn window(&mut self, step: u64) -> u64 {
        let moved = self.limit() - self.edge.min(self.limit());
        if moved >= step.min(self.capacity as u64 / 2) {
            self.edge = self.limit();
        }
        self.edge.saturating_sub(self.next())
    }

    /// Whether so much was read since the peer was last told a window that it should be told at once.
    pub(crate) fn wants_update(&self, step: u64) -> bool {
        let (current, possible) = (self.edge.saturating_sub(self.next), self.limit() - self.next);
        possible >= 2 * current && possible - current >= step.min(self.capacity as u64 / 2)
    }

    /// The blocks of a selective acknowledgment, at most `max`: a duplicate first, then the latest. A duplicate is
    /// reported once.
    pub(crate) fn blocks(&mut self, max: usize, mut report: impl FnMut(Range<u64>)) {
        let mut left = max;
        if let Some(duplicate) = self.duplicate.take() {
            report(duplicate);
            left = left.saturating_sub(1);
        }
        self.recent.retain(|at| *at >= self.next);
        let latest = self.recent.iter().filter_map(|at| self.ahead.iter().find(|range| range.contains(at)));
        let mut told: [Option<Range<u64>>; RECENT] = [const { None }; RECENT];
        for range in latest {
            if left == 0 || told.contains(&Some(range.clone())) {
                continue;
            }
            if let Some(free) = told.iter_mut().find(|range| range.is_none()) {
                *free = Some(range.clone());
            }
            report(range);
            left -= 1;
        }
    }

    /// Whether anything is missing before something that was received, or a duplicate has yet to be reported.
    pub(crate) fn has_blocks(&self) -> bool {
        !self.ahead.is_empty() || self.duplicate.is_some()
    }

    fn note(&mut self, at: u64) {
        let range = self.ahead.iter().find(|range| range.contains(&at));
        self.recent.retain(|other| range.as_ref().is_none_or(|range| !range.contains(other)));
        self.recent.push_front(at);
        self.recent.truncate(RECENT);
    }

    fn write(&mut self, at: u64, data: &[u8]) {
        let offset = (at - self.base) as usize;
        if offset == self.bytes.len() {
            self.bytes.extend(data);
            return;
        }
        if self.bytes.len() < offset + data.len() {
            self.bytes.resize(offset + data.len(), 0);
        }
        let (front, back) = self.bytes.as_mut_slices();
        let in_front = front.len().saturating_sub(offset).min(data.len());
        if in_front > 0 {
            front[offset..offset + in_front].copy_from_slice(&data[..in_front]);
        }
        let rest = &data[in_front..];
        if !rest.is_empty() {
            let at = (offset + in_front) - front.len();
            back[at..at + rest.len()].copy_from_slice(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_base::Rng;

    #[test]
    fn pieces_in_any_order_with_overlaps_give_the_bytes_in_order() {
        for seed in 0..200 {
            let mut rng = Rng::from_u64(seed);
            let content: Vec<u8> = (0..3_000).map(|_| rng.below(256) as u8).collect();
            let first = rng.below(1 << 40);
            let (mut incoming, mut out) = (Incoming::new(first, 1_000), Vec::new());
            while out.len() < content.len() {
                let done = out.len() as u64;
                let start = (done + rng.below(1_100)).saturating_sub(100).min(content.len() as u64 - 1);
                let end = (start + 1 + rng.below(120)).min(content.len() as u64);
                incoming.place(first + start, &content[start as usize..end as usize]);
                assert!(incoming.bytes.len() <= 1_000, "seed {seed}");
                let mut buf = [0; 77];
                let count = if rng.chance(0.3) { incoming.read(&mut buf) } else { 0 };
                out.extend_from_slice(&buf[..count]);
            }
            assert!(out == content, "seed {seed}");
        }
    }

    #[test]
    fn the_latest_range_is_reported_first_and_a_duplicate_once_before_it() {
        let mut incoming = Incoming::new(0, 1_000);
        for at in [100, 300, 500, 200] {
            assert_eq!(incoming.place(at, &[1; 10]), Placed::Ahead);
        }
        let report = |incoming: &mut Incoming| {
            let mut blocks = Vec::new();
            incoming.blocks(3, |range| blocks.push(range.start));
            blocks
        };
        assert_eq!(report(&mut incoming), [200, 500, 300]);
        assert_eq!(incoming.place(300, &[1; 10]), Placed::Nothing);
        assert_eq!(report(&mut incoming), [300, 200, 500]);
        assert_eq!(report(&mut incoming), [200, 500, 300]);
        assert_eq!(incoming.place(0, &[1; 100]), Placed::InOrder { bytes: 110, gap: true });
    }

    #[test]
    fn crumbs_make_no_more_than_the_bounded_number_of_ranges() {
        let mut incoming = Incoming::new(0, 1 << 20);
        for at in 1..100_000 {
            incoming.place(2 * at, b"x");
        }
        assert_eq!(incoming.ahead.count(), RANGES_MAX);
    }

    #[test]
    fn the_window_opens_in_steps_and_never_shrinks() {
        let mut incoming = Incoming::new(0, 1_000);
        assert_eq!(incoming.window(100), 1_000);
        incoming.place(0, &[1; 1_000]);
        assert_eq!(incoming.window(100), 0);
        incoming.read(&mut [0; 99]);
        assert!(incoming.window(100) == 0 && !incoming.wants_update(100));
        incoming.read(&mut [0; 1]);
        assert!(incoming.wants_update(100));
        assert_eq!(incoming.window(100), 100);
    }
}
