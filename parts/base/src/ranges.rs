//! Sets of 64-bit numbers as ranges.

use core::ops::Range;
use std::collections::VecDeque;

/// A set of numbers kept as disjoint, non-adjacent, ascending ranges.
///
/// Made for numbers that mostly arrive in order: inserting at either end is constant time, elsewhere linear in the
/// number of ranges, which its owner bounds with [`count`](RangeSet::count).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RangeSet {
    ranges: VecDeque<Range<u64>>,
}

impl RangeSet {
    /// The empty set.
    pub const fn new() -> RangeSet {
        RangeSet { ranges: VecDeque::new() }
    }

    /// Gives back the memory that it is not using.
    pub fn shrink_to_fit(&mut self) {
        self.ranges.shrink_to_fit();
    }

    /// Number of ranges.
    pub fn count(&self) -> usize {
        self.ranges.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The smallest member.
    pub fn min(&self) -> Option<u64> {
        self.ranges.front().map(|r| r.start)
    }

    /// The largest member.
    pub fn max(&self) -> Option<u64> {
        self.ranges.back().map(|r| r.end - 1)
    }

    /// The first range.
    pub fn first(&self) -> Option<Range<u64>> {
        self.ranges.front().cloned()
    }

    /// The ranges, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Range<u64>> + '_ {
        self.ranges.iter().cloned()
    }

    /// How many numbers are in the set.
    pub fn size(&self) -> u64 {
        self.ranges.iter().map(|r| r.end - r.start).sum()
    }

    /// Whether `value` is in the set.
    pub fn contains(&self, value: u64) -> bool {
        let at = self.ranges.partition_point(|r| r.end <= value);
        self.ranges.get(at).is_some_and(|r| r.start <= value)
    }

    /// Whether every number of `range` is in the set.
    pub fn covers(&self, range: Range<u64>) -> bool {
        if range.is_empty() {
            return true;
        }
        let at = self.ranges.partition_point(|r| r.end <= range.start);
        self.ranges.get(at).is_some_and(|r| r.start <= range.start && range.end <= r.end)
    }

    /// How many ranges the set would have after inserting `range`.
    pub fn count_with(&self, range: &Range<u64>) -> usize {
        if range.is_empty() {
            return self.count();
        }
        let (first, last) = self.touching(range);
        self.count() - (last - first) + 1
    }

    /// Adds `range`; answers whether that added any number.
    #[inline]
    pub fn insert(&mut self, range: Range<u64>) -> bool {
        if range.is_empty() {
            return false;
        }
        // The common case: the next numbers in order.
        if let Some(back) = self.ranges.back_mut()
            && (back.start..=back.end).contains(&range.start)
        {
            let grown = range.end > back.end;
            back.end = back.end.max(range.end);
            return grown;
        }
        self.insert_apart(range)
    }

    /// Adds a range that does not go on with the last.
    fn insert_apart(&mut self, range: Range<u64>) -> bool {
        if self.ranges.back().is_none_or(|back| range.start > back.end) {
            self.ranges.push_back(range);
            return true;
        }
        let (first, last) = self.touching(&range);
        if first == last {
            self.ranges.insert(first, range);
            return true;
        }
        let start = range.start.min(self.ranges[first].start);
        let end = range.end.max(self.ranges[last - 1].end);
        let held: u64 = self.ranges.range(first..last).map(|r| r.end - r.start).sum();
        self.ranges[first] = start..end;
        self.ranges.drain(first + 1..last);
        end - start > held
    }

    /// Removes every number of `range`.
    pub fn remove(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let mut at = self.ranges.partition_point(|r| r.end <= range.start);
        while let Some(r) = self.ranges.get_mut(at) {
            if r.start >= range.end {
                break;
            }
            let old = r.clone();
            match (old.start < range.start, old.end > range.end) {
                (true, true) => {
                    r.end = range.start;
                    self.ranges.insert(at + 1, range.end..old.end);
                    return;
                }
                (true, false) => {
                    r.end = range.start;
                    at += 1;
                }
                (false, true) => {
                    r.start = range.end;
                    return;
                }
                (false, false) => {
                    self.ranges.remove(at);
                }
            }
        }
    }

    /// Removes and answers the first range, cut to at most `max` numbers.
    pub fn pop_front(&mut self, max: u64) -> Option<Range<u64>> {
        let front = self.ranges.front_mut()?;
        if front.end - front.start <= max {
            return self.ranges.pop_front();
        }
        let out = front.start..front.start + max;
        front.start = out.end;
        (max > 0).then_some(out)
    }

    /// Removes and answers the whole first range.
    pub fn pop_first(&mut self) -> Option<Range<u64>> {
        self.ranges.pop_front()
    }

    /// Indices of the ranges that overlap or touch `range`: `first..last`.
    fn touching(&self, range: &Range<u64>) -> (usize, usize) {
        let first = self.ranges.partition_point(|r| r.end < range.start);
        let last = self.ranges.partition_point(|r| r.start <= range.end);
        (first, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn behaves_as_a_set_of_numbers_under_random_operations() {
        for seed in 0..200 {
            let mut rng = Rng::from_u64(seed);
            let (mut set, mut model) = (RangeSet::new(), BTreeSet::new());
            for _ in 0..100 {
                let start = rng.below(64);
                let range = start..start + rng.below(12);
                match rng.below(4) {
                    0 => {
                        set.remove(range.clone());
                        model.retain(|v| !range.contains(v));
                    }
                    1 => {
                        let max = rng.below(5);
                        for v in set.pop_front(max).into_iter().flatten() {
                            assert_eq!(model.pop_first(), Some(v));
                        }
                    }
                    _ => {
                        let would = set.count_with(&range);
                        let grew = range.clone().any(|v| !model.contains(&v));
                        assert_eq!(set.insert(range.clone()), grew, "seed {seed}");
                        assert_eq!(set.count(), would, "seed {seed}");
                        model.extend(range);
                    }
                }
                let listed: Vec<u64> = set.iter().flatten().collect();
                assert_eq!(listed, model.iter().copied().collect::<Vec<_>>(), "seed {seed}");
                assert!(set.iter().zip(set.iter().skip(1)).all(|(a, b)| a.end < b.start), "seed {seed}: {set:?}");
                assert_eq!(set.size(), model.len() as u64);
                assert_eq!((set.min(), set.max()), (model.first().copied(), model.last().copied()));
                let probe = rng.below(80);
                assert_eq!(set.contains(probe), model.contains(&probe));
                assert_eq!(set.covers(probe..probe + 3), (probe..probe + 3).all(|v| model.contains(&v)));
            }
        }
    }
}
