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

    /// If `range` has the next ones of what is outstanding and nothing else, takes them out. Answers which they are,
    /// and where the gap before ends.
    #[inline]
    pub(super) fn take_next(
        &mut self,
        range: &Range<u64>,
        outstanding: &Range<u64>,
    ) -> Option<(Range<u64>, Option<u64>)> {
        let last = self.ranges.len().checked_sub(1)?;
        let before = last.checked_sub(1).map(|at| self.ranges[at].end);
        let gap = &mut self.ranges[last];
        let is_next = range.start <= gap.start && gap.start < range.end && range.end < gap.end;
        if !is_next
            || gap.start < outstanding.start
            || gap.end != outstanding.end
            || before.is_some_and(|end| end > range.start)
        {
            return None;
        }
        Some((core::mem::replace(&mut gap.start, range.end)..range.end, before))
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
    #[inline]
    pub(super) fn within(&self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        (self.behind(range.start)..self.ranges.len())
            .map(|at| &self.ranges[at])
            .take_while(move |gap| gap.start < range.end)
            .map(move |gap| gap.start.max(range.start)..gap.end.min(range.end))
    }

    /// The ranges, the last first.
    #[inline]
    pub(super) fn descending(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        (0..self.ranges.len()).rev().map(|at| self.ranges[at].clone())
    }

    /// The first number.
    pub(super) fn min(&self) -> Option<u64> {
        self.ranges.front().map(|gap| gap.start)
    }

    /// The place of the first range that does not end before `number`.
    #[inline]
    fn behind(&self, number: u64) -> usize {
        let ends_before = |at: usize| self.ranges[at].end <= number;
        // Mostly it is the last.
        match self.ranges.len() {
            0 => 0,
            1 => usize::from(ends_before(0)),
            len if ends_before(len - 2) => len - usize::from(!ends_before(len - 1)),
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
