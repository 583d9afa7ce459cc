//! What a guest keeps of what came, to prove it.

use core::ops::Range;

/// Ranges kept. A gap more than these have room for stays a gap: the oldest range is forgotten.
pub const RECEIPT_RANGES: usize = 32;

/// Numbers that came, in ranges, with the sum of their nonces: what [`ack_sum`](crate::Host::ack_sum) of the other end
/// wants to see. Of a fixed size, so that no peer makes it grow.
#[derive(Clone, Debug)]
pub struct Receipts {
    ranges: [(u64, u64, u64); RECEIPT_RANGES],
    len: usize,
}

impl Default for Receipts {
    fn default() -> Receipts {
        Receipts { ranges: [(0, 0, 0); RECEIPT_RANGES], len: 0 }
    }
}

impl Receipts {
    /// A segment came. Answers whether it was new.
    pub fn receive(&mut self, number: u64, nonce: u64) -> bool {
        let Some(end) = number.checked_add(1) else { return false };
        let held = &self.ranges[..self.len];
        // Most come in order.
        let behind = held.iter().rposition(|range| range.0 <= number);
        if behind.is_some_and(|at| number < held[at].1) {
            return false;
        }
        let at = behind.map_or(0, |at| at + 1);
        let joins_behind = behind.filter(|behind| held[*behind].1 == number);
        let joins_ahead = held.get(at).is_some_and(|range| range.0 == end);
        match (joins_behind, joins_ahead) {
            (Some(behind), true) => {
                let (_, to, sum) = self.ranges[at];
                let joined = &mut self.ranges[behind];
                (joined.1, joined.2) = (to, joined.2 ^ nonce ^ sum);
                self.ranges.copy_within(at + 1..self.len, at);
                self.len -= 1;
            }
            (Some(behind), false) => {
                let joined = &mut self.ranges[behind];
                (joined.1, joined.2) = (end, joined.2 ^ nonce);
            }
            (None, true) => {
                let joined = &mut self.ranges[at];
                (joined.0, joined.2) = (number, joined.2 ^ nonce);
            }
            (None, false) => return self.insert(at, (number, end, nonce)),
        }
        true
    }

    fn insert(&mut self, at: usize, range: (u64, u64, u64)) -> bool {
        let mut at = at;
        if self.len == RECEIPT_RANGES {
            let Some(kept) = at.checked_sub(1) else { return false };
            self.ranges.copy_within(1.., 0);
            (self.len, at) = (self.len - 1, kept);
        }
        self.ranges.copy_within(at..self.len, at + 1);
        self.ranges[at] = range;
        self.len += 1;
        true
    }

    /// What came and is not settled, in ranges with their sums, the highest first.
    pub fn newest_first(&self) -> impl Iterator<Item = (Range<u64>, u64)> + '_ {
        self.ranges[..self.len].iter().rev().map(|(from, to, sum)| (*from..*to, *sum))
    }

    /// The other end is known to have the proof of all below `number`: ranges that end there or before are forgotten.
    /// One that goes on is kept whole, since only whole ranges have a sum.
    pub fn settle(&mut self, number: u64) {
        let gone = self.ranges[..self.len].iter().take_while(|range| range.1 <= number).count();
        self.ranges.copy_within(gone..self.len, 0);
        self.len -= gone;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn held(receipts: &Receipts) -> Vec<(Range<u64>, u64)> {
        receipts.newest_first().collect()
    }

    #[test]
    fn whatever_the_order_ranges_join_and_sums_are_those_of_their_numbers() {
        let nonce = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut order: Vec<u64> = (0..30).filter(|number| number % 7 != 3).collect();
        for turn in 0..50 {
            let by = (turn * 7 + 3) % order.len();
            order.rotate_left(by);
            order.swap(0, (turn * 11) % 20);
            let mut receipts = Receipts::default();
            for &number in &order {
                assert!(receipts.receive(number, nonce(number)));
                assert!(!receipts.receive(number, nonce(number)), "it is there already");
            }
            let sum = |range: &Range<u64>| range.clone().map(nonce).fold(0, |sum, nonce| sum ^ nonce);
            let ranges = [25..30, 18..24, 11..17, 4..10, 0..3];
            let wanted: Vec<(Range<u64>, u64)> = ranges.map(|range| (range.clone(), sum(&range))).to_vec();
            assert_eq!(held(&receipts), wanted);
        }
    }

    #[test]
    fn of_too_many_gaps_the_oldest_range_is_forgotten() {
        let mut receipts = Receipts::default();
        for number in 0..100 {
            receipts.receive(2 * number, number);
        }
        assert_eq!((held(&receipts).len(), held(&receipts)[0].0.clone()), (RECEIPT_RANGES, 198..199));
        assert!(!receipts.receive(1, 1), "there is no room behind the oldest");
        receipts.settle(197);
        assert_eq!(held(&receipts), [(198..199, 99)]);
        assert!(!receipts.receive(u64::MAX, 1));
    }
}
