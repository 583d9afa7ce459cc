//! Each number once: the window of recently received numbers (SST 4.2.2).

use core::ops::Range;
use core::time::Duration;

use tng_base::Instant;

/// Numbers that the window covers at first.
pub const REPLAY_WINDOW: u64 = 1 << 13;
/// Numbers that there is room for from the start. More comes with the numbers: none is forgotten that the window
/// covers.
const ROOM_FIRST: u64 = 1 << 8;
/// Numbers that it covers at most.
pub const REPLAY_WINDOW_MAX: u64 = 1 << 18;

/// The window covers at least the packets of this time, as long as that takes no more than its maximum.
pub const REPLAY_COVERED: Duration = Duration::from_secs(1);

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

/// A ring of bits over the highest numbers received, grown when they pass too fast for stragglers to find themselves in
/// it. Only authentic packets may touch it.
#[derive(Debug)]
pub struct ReplayWindow {
    /// One above the highest number received.
    end: u64,
    /// The lowest number that something is known of. Growing does not bring back what was forgotten.
    floor: u64,
    /// A power of two of words; number `n` has bit `n % 64` of word `n / 64` modulo their count.
    words: Vec<u64>,
    min: u64,
    max: u64,
    /// Where `end` was when its pace was last measured, and when.
    mark: (u64, Instant),
}

impl ReplayWindow {
    /// An empty window of `min` numbers, growing to `max`; both powers of two and at least 64.
    pub fn new(min: u64, max: u64, now: Instant) -> ReplayWindow {
        let min = min.next_power_of_two().max(64);
        let max = max.next_power_of_two().max(min);
        let first = min.min(ROOM_FIRST);
        ReplayWindow { end: 0, floor: 0, words: vec![0; (first / 64) as usize], min, max, mark: (0, now) }
    }

    /// Numbers covered.
    pub fn width(&self) -> u64 {
        self.room().max(self.min)
    }

    /// Numbers that there is room for.
    fn room(&self) -> u64 {
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
        if number < self.floor {
            return Seen::TooOld;
        }
        let bit = self.words[self.word(number / 64)] >> (number % 64) & 1;
        if bit == 1 { Seen::Before } else { Seen::New }
    }

    /// Takes note that `number`, which [`check`](ReplayWindow::check) called new, has arrived and is authentic.
    pub fn commit(&mut self, number: u64, now: Instant) {
        if number >= self.end {
            self.advance(number + 1, now);
        }
        let word = self.word(number / 64);
        self.words[word] |= 1 << (number % 64);
    }

    /// The same of numbers that follow each other, none below [`end`](ReplayWindow::end).
    pub fn commit_run(&mut self, numbers: Range<u64>, now: Instant) {
        self.advance(numbers.end, now);
        let mut from = numbers.start.max(self.floor);
        while from < numbers.end {
            let upto = (from / 64 * 64 + 64).min(numbers.end);
            let word = self.word(from / 64);
            self.words[word] |= (u64::MAX >> (64 - (upto - from))) << (from % 64);
            from = upto;
        }
    }

    /// Where the word that holds numbers from `index * 64` on is.
    fn word(&self, index: u64) -> usize {
        index as usize & (self.words.len() - 1)
    }

    fn advance(&mut self, end: u64, now: Instant) {
        if end - self.mark.0 >= self.width() / 2 {
            let wider = 2 * self.width();
            while now.since(self.mark.1) < REPLAY_COVERED / 2 && self.room() < wider && wider <= self.max {
                self.grow();
            }
            self.mark = (end, now);
        }
        // As long as that is so, nothing has been forgotten.
        while self.room() < self.min && end > self.room() {
            self.grow();
        }
        self.floor = self.floor.max(end.saturating_sub(self.width()));
        // The bits of numbers that come into the window were those of numbers that leave it.
        let mut from = self.end.max(self.floor);
        while from < end {
            let upto = (from / 64 * 64 + 64).min(end);
            let word = self.word(from / 64);
            self.words[word] &= !((u64::MAX >> (64 - (upto - from))) << (from % 64));
            from = upto;
        }
        self.end = end;
    }

    fn grow(&mut self) {
        let mut words = vec![0; self.words.len() * 2];
        let mask = words.len() - 1;
        // The last word of the ring may hold both the highest and the lowest numbers; wherever its copy holds the wrong
        // ones, they are below the floor or will be cleared when they come in.
        for index in self.floor / 64..self.end.div_ceil(64) {
            words[index as usize & mask] = self.words[self.word(index)];
        }
        self.words = words;
    }
}

#[cfg(test)]
mod tests;
