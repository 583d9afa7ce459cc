//! Packet numbers: 64 bits in the books, one to four bytes on the wire.

use core::ops::Range;
use std::collections::VecDeque;

use tng_base::{RestingRng, Rng};

/// Fewest bytes of a number that we send. Two, so that a packet is still told apart when tens of thousands sent after
/// it overtake it, however small the window was when it left.
const NUMBER_LEN_MIN: usize = 2;

/// Bytes needed for `number` to be recovered by a receiver that has seen at least `acked` (RFC 9000 appendix A.2).
pub fn truncated_len(number: u64, acked: Option<u64>) -> usize {
    let span = match acked {
        Some(acked) => number.saturating_sub(acked),
        None => number + 1,
    };
    // The window of the truncated number must be at least twice the span.
    let bits = 64 - span.leading_zeros() as usize + 1;
    bits.div_ceil(8).clamp(NUMBER_LEN_MIN, 4)
}

/// The number nearest to `expected` whose low `len` bytes are `truncated` (RFC 9000 appendix A.3).
pub fn recover(expected: u64, truncated: u32, len: usize) -> u64 {
    let window = 1u64 << (8 * len);
    let half = window / 2;
    let candidate = (expected & !(window - 1)) | u64::from(truncated);
    if candidate + half <= expected && candidate < (1 << 62) - window {
        candidate + window
    } else if candidate > expected + half && candidate >= window {
        candidate - window
    } else {
        candidate
    }
}

/// Most skipped numbers remembered. An acknowledgment of one that was forgotten goes unnoticed; the next is not far.
pub const SKIPS_REMEMBERED: usize = 64;
/// Bounds of the mean distance between two skipped numbers; within them it is the number of packets outstanding.
pub const SKIP_MEAN: core::ops::RangeInclusive<u64> = 64..=8192;

/// Gives out the numbers of sent packets, skipping one now and then: a peer that acknowledges what it has not received
/// acknowledges a skipped number before long (RFC 9000 section 21.4).
#[derive(Debug)]
pub struct Numbers {
    next: u64,
    /// Where the next skip is.
    skip_at: u64,
    skipped: VecDeque<u64>,
    rng: Source,
}

/// What says where the skips are.
#[derive(Debug)]
enum Source {
    Awake(Box<Rng>),
    Resting(RestingRng),
}

impl Numbers {
    /// Starts at 1: number 0 rides in the set-up.
    pub fn new(rng: Rng) -> Numbers {
        let mut numbers = Numbers { next: 1, skip_at: 0, skipped: VecDeque::new(), rng: Source::Awake(Box::new(rng)) };
        numbers.draw(0);
        numbers
    }

    /// One above the last number given out or skipped.
    pub fn end(&self) -> u64 {
        self.next
    }

    /// The next number, and whether the one before it is skipped.
    pub fn peek(&self) -> (u64, bool) {
        if self.next == self.skip_at { (self.next + 1, true) } else { (self.next, false) }
    }

    /// The next number, and how many there are from it on before the next skip.
    pub fn peek_run(&self) -> (u64, u64) {
        (self.next, self.skip_at.saturating_sub(self.next))
    }

    /// Gives out `count` numbers of a run.
    pub fn take_run(&mut self, count: u64) {
        debug_assert!(self.next + count <= self.skip_at, "no number of a run is skipped");
        self.next += count;
    }

    /// Gives out what [`peek`](Numbers::peek) answered. `outstanding` packets are unacknowledged: the wider the window,
    /// the rarer the skips, since each costs the peer a range.
    pub fn take(&mut self, outstanding: usize) {
        let (number, skips) = self.peek();
        self.next = number + 1;
        if skips {
            if self.skipped.len() == SKIPS_REMEMBERED {
                self.skipped.pop_front();
            }
            self.skipped.push_back(number - 1);
            self.draw(outstanding as u64);
        }
    }

    /// Whether any of these ranges, the highest first, holds a number that was never sent. Takes time in proportion to
    /// their number and that of the remembered skips.
    pub fn hold_unsent(&self, mut ranges: impl Iterator<Item = Range<u64>>) -> bool {
        let mut skipped = self.skipped.iter().rev().peekable();
        ranges.any(|range| {
            while skipped.next_if(|skip| **skip >= range.end).is_some() {}
            range.end > self.next || skipped.peek().is_some_and(|skip| **skip >= range.start)
        })
    }

    /// Gives back the memory that it can do without. The numbers are the same.
    pub fn shrink(&mut self) {
        if let Source::Awake(rng) = &self.rng {
            self.rng = Source::Resting(RestingRng::from(&**rng));
        }
        self.skipped.shrink_to_fit();
    }

    /// The defence switched off, to see what it is for.
    #[cfg(test)]
    pub fn stop_skipping(&mut self) {
        self.skip_at = u64::MAX;
    }

    fn draw(&mut self, outstanding: u64) {
        let mean = outstanding.clamp(*SKIP_MEAN.start(), *SKIP_MEAN.end());
        let drawn = match &mut self.rng {
            Source::Awake(rng) => rng.below(mean),
            Source::Resting(resting) => {
                let mut rng = Box::new(resting.wake());
                let drawn = rng.below(mean);
                self.rng = Source::Awake(rng);
                drawn
            }
        };
        self.skip_at = self.next + mean / 2 + drawn;
    }
}

#[cfg(test)]
mod tests;
