//! Numbers that are not proven.

use core::ops::Range;
use std::collections::VecDeque;

/// Places for ranges that are kept.
const KEPT: usize = 4;

/// Ascending ranges with gaps between them. Mostly there is one, which grows at its end and is eaten from its front.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps {
    ranges: VecDeque<Range<u64>>,
}

impl Gaps {
    /// Adds the number that is next.
    #[inline]
    pub(super) fn push(&mut self, number: u64) {
        match self.ranges.back_mut() {
            Some(back) if back.end == number => back.end += 1,
            _ => self.ranges.push_back(number..number + 1),
        }
    }

    /// Takes out all of `range`, and tells of each piece that was there, in order.
    pub(super) fn remove(&mut self, range: &Range<u64>, mut piece: impl FnMut(Range<u64>)) {
        let mut at = self.behind(range.start);
        if let Some(gap) = self.ranges.get_mut(at).filter(|gap| gap.start < range.start && !range.is_empty()) {
            let rest = range.start..gap.end;
            gap.end = range.start;
            at += 1;
            self.ranges.insert(at, rest);
        }
        let first = at;
        while let Some(gap) = self.ranges.get_mut(at).filter(|gap| gap.start < range.end) {
            let end = gap.end.min(range.end);
            piece(gap.start..end);
            if end < gap.end {
                gap.start = end;
                break;
            }
            at += 1;
        }
        self.ranges.drain(first..at);
    }

    /// What of `range` is there, in order.
    pub(super) fn within(&self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        self.ranges
            .range(self.behind(range.start)..)
            .take_while(move |gap| gap.start < range.end)
            .map(move |gap| gap.start.max(range.start)..gap.end.min(range.end))
    }

    /// The ranges, the last first.
    pub(super) fn descending(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.ranges.iter().rev().cloned()
    }

    /// The first number.
    pub(super) fn min(&self) -> Option<u64> {
        self.ranges.front().map(|gap| gap.start)
    }

    /// The place of the first range that does not end before `number`.
    #[inline]
    fn behind(&self, number: u64) -> usize {
        match self.ranges.front() {
            Some(front) if front.end > number => 0,
            _ => self.ranges.partition_point(|gap| gap.end <= number),
        }
    }

    /// Bytes of memory.
    pub(super) fn held(&self) -> usize {
        self.ranges.capacity() * size_of::<Range<u64>>()
    }

    pub(super) fn shrink(&mut self) {
        self.ranges.shrink_to(KEPT);
    }
}
