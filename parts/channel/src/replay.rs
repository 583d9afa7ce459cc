//! Each number once: the window of recently received numbers (SST 4.2.2).

use core::time::Duration;

use tng_base::Instant;

/// Numbers that the window covers at first.
pub const REPLAY_WINDOW: u64 = 1 << 13;
/// Numbers that it covers at most.
pub const REPLAY_WINDOW_MAX: u64 = 1 << 18;

/// The window is to cover at least this much time, as long as that takes no more than its maximum.
const COVERED: Duration = Duration::from_secs(1);

/// Whether a number has been seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// Not yet.
    New,
    /// Yes.
    Before,
    /// Nobody knows any more: it lies below the window.
    TooOld,
}

/// A ring of bits over the highest numbers received, grown when they pass too fast for stragglers to find themselves in it.
/// Only authentic packets may touch it.
#[derive(Debug)]
pub struct ReplayWindow {
    /// One above the highest number received.
    end: u64,
    /// A power of two of words; bit `n` of the number space is in word `n / 64` modulo their count.
    words: Vec<u64>,
    max: u64,
    /// Where `end` was when its pace was last measured, and when.
    mark: (u64, Instant),
}

impl ReplayWindow {
    /// An empty window of `min` numbers, growing to `max`; both powers of two and at least 64.
    pub fn new(min: u64, max: u64, now: Instant) -> ReplayWindow {
        let min = min.next_power_of_two().max(64);
        let max = max.next_power_of_two().max(min);
        ReplayWindow { end: 0, words: vec![0; (min / 64) as usize], max, mark: (0, now) }
    }

    /// Numbers covered.
    pub fn width(&self) -> u64 {
        self.words.len() as u64 * 64
    }

    /// One above the highest number received.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// What is known of `number`. Changes nothing.
    pub fn check(&self, number: u64) -> Seen {
        if number >= self.end {
            return Seen::New;
        }
        // The word that `end` will enter next is not whole any more, so up to 63 numbers less than the width count.
        if number < self.floor() {
            return Seen::TooOld;
        }
        let (word, bit) = self.place(number);
        if self.words[word] & bit != 0 { Seen::Before } else { Seen::New }
    }

    /// Takes note that `number`, which [`check`](ReplayWindow::check) called new, has arrived and is authentic.
    pub fn commit(&mut self, number: u64, now: Instant) {
        if number >= self.end {
            self.advance(number + 1, now);
        }
        let (word, bit) = self.place(number);
        self.words[word] |= bit;
    }

    /// The lowest number covered.
    fn floor(&self) -> u64 {
        (self.end.div_ceil(64) * 64).saturating_sub(self.width())
    }

    fn place(&self, number: u64) -> (usize, u64) {
        ((number / 64) as usize & (self.words.len() - 1), 1 << (number % 64))
    }

    fn advance(&mut self, end: u64, now: Instant) {
        let passed = end - self.mark.0;
        if passed >= self.width() / 2 {
            if now.since(self.mark.1) < COVERED / 2 && self.width() < self.max {
                self.grow();
            }
            self.mark = (end, now);
        }
        // Words that come into the window were someone else's before.
        let (old, new) = (self.end.div_ceil(64), end.div_ceil(64));
        if new - old >= self.words.len() as u64 {
            self.words.fill(0);
        } else {
            let mask = self.words.len() - 1;
            for word in old..new {
                self.words[word as usize & mask] = 0;
            }
        }
        self.end = end;
    }

    fn grow(&mut self) {
        let (old, floor) = (self.words.len() as u64, self.floor() / 64);
        let mut words = vec![0; self.words.len() * 2];
        let mask = words.len() - 1;
        for word in floor..self.end.div_ceil(64) {
            words[word as usize & mask] = self.words[(word & (old - 1)) as usize];
        }
        self.words = words;
    }
}
