//! The receiver's side: what came, folded.

use core::ops::Range;
use std::collections::VecDeque;
use std::fmt;

use tng_base::RangeSet;

use crate::{NUMBER_LIMIT, RangeProof};

/// Numbers from the first that is not settled to the last received, at most: eight bytes are held for each.
pub const RECEIPTS_SPAN_MAX: u64 = 1 << 16;

/// Why a nonce was not taken. None of it is a fault of this end; all but the last happen on honest paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotTaken {
    /// Its number is settled: nobody asks for it any more.
    Settled,
    /// It lies in a gap that was [closed](Receipts::close).
    Closed,
    /// It is there already.
    Known,
    /// [`RECEIPTS_SPAN_MAX`] numbers or more after the first that is not settled, or beyond [`NUMBER_LIMIT`].
    TooFar,
}

impl fmt::Display for NotTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotTaken::Settled => "its number is settled",
            NotTaken::Closed => "it has been declared lost",
            NotTaken::Known => "it is there already",
            NotTaken::TooFar => "its number is too far ahead",
        })
    }
}

impl core::error::Error for NotTaken {}

/// The nonces of the packets that arrived, so that any range of them can be folded at once, and what is settled be left
/// out anywhere.
///
/// Held as sums: the fold of a range is one XOR. A nonce that comes in order costs the same; one that fills a gap is
/// added to all sums after it.
#[derive(Clone, Debug)]
pub struct Receipts {
    received: RangeSet,
    /// The first number that is not settled.
    first: u64,
    /// All nonces below that.
    settled: u64,
    /// For each number from there: all nonces up to it, its own included.
    sums: VecDeque<u64>,
    /// Gaps below this stay.
    closed: u64,
}

impl Receipts {
    /// None yet, of packets that count from `first`.
    pub fn new(first: u64) -> Receipts {
        Receipts { received: RangeSet::new(), first, settled: 0, sums: VecDeque::new(), closed: first }
    }

    /// A packet came, with that nonce.
    ///
    /// # Errors
    /// [`NotTaken`]: the packet may be as good as any; it cannot be proven, or need not.
    pub fn receive(&mut self, number: u64, nonce: u64) -> Result<(), NotTaken> {
        let at = number.checked_sub(self.first).ok_or(NotTaken::Settled)?;
        if self.received.contains(number) {
            return Err(NotTaken::Known);
        }
        if number < self.closed {
            return Err(NotTaken::Closed);
        }
        if at >= RECEIPTS_SPAN_MAX || number >= NUMBER_LIMIT {
            return Err(NotTaken::TooFar);
        }
        let at = at as usize;
        if at < self.sums.len() {
            self.sums.range_mut(at..).for_each(|sum| *sum ^= nonce);
        } else {
            let last = self.sums.back().copied().unwrap_or(self.settled);
            self.sums.resize(at, last);
            self.sums.push_back(last ^ nonce);
        }
        self.received.insert(number..number + 1);
        Ok(())
    }

    /// The proof of all that came and is not settled: ascending, with gaps. Whatever is sent must begin with the first
    /// of them and leave none out but at the end.
    pub fn proofs(&self) -> impl Iterator<Item = RangeProof> + '_ {
        self.received.iter().map(|range| {
            let fold = self.fold(range.clone());
            RangeProof { range, fold }
        })
    }

    /// What arrived of these numbers: ranges in order. What is settled is left out.
    pub fn received(&self, numbers: Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        let cut = move |range: Range<u64>| range.start.max(numbers.start)..range.end.min(numbers.end);
        self.received.iter().map(cut).filter(|range| range.start < range.end)
    }

    /// The nonces of all that came of `numbers` and is not settled, folded.
    pub fn fold(&self, numbers: Range<u64>) -> u64 {
        let [from, to] = [numbers.start, numbers.end].map(|number| self.sum_below(number.max(self.first)));
        from ^ to
    }

    /// Gaps below `number` have been declared: what arrives for them later is not taken. So every later proof begins
    /// with each earlier one (the prefix property, Trickles 2.4).
    pub fn close(&mut self, number: u64) {
        self.closed = self.closed.max(number);
    }

    /// What lies below `number` need not be proven any more; a range is cut there.
    pub fn settle(&mut self, number: u64) {
        let passed = number.saturating_sub(self.first);
        if passed == 0 {
            return;
        }
        self.settled = self.sum_below(number);
        self.sums.drain(..self.sums.len().min(usize::try_from(passed).unwrap_or(usize::MAX)));
        self.received.remove(self.first..number);
        self.first = number;
    }

    /// The first number that is not settled.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// All nonces below `number`, which is not below the first.
    fn sum_below(&self, number: u64) -> u64 {
        let Some(at) = (number - self.first).checked_sub(1) else { return self.settled };
        let last = self.sums.back().copied().unwrap_or(self.settled);
        usize::try_from(at).ok().and_then(|at| self.sums.get(at).copied()).unwrap_or(last)
    }
}
