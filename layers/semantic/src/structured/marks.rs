//! Where messages end in a stream (SST 4.3.3).

use std::collections::VecDeque;

/// Ends of messages that a stream's sender may be ahead of what it knows to be read, and that a receiver holds. Ends
/// beyond what the credit just given rests on count, so both agree.
pub const MESSAGES_MAX: usize = 4096;

/// Ends of messages, by offset, rising.
#[derive(Debug, Default)]
pub(super) struct Ends(VecDeque<u64>);

impl Ends {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes an end; answers whether it is new.
    pub(super) fn insert(&mut self, end: u64) -> bool {
        // Nearly always the last.
        let at = if self.0.back().is_none_or(|&last| last < end) { self.0.len() } else { self.after(end - 1) };
        let new = self.0.get(at) != Some(&end);
        if new {
            self.0.insert(at, end);
        }
        new
    }

    pub(super) fn contains(&self, end: u64) -> bool {
        self.0.binary_search(&end).is_ok()
    }

    /// The first end behind `offset`.
    pub(super) fn next(&self, offset: u64) -> Option<u64> {
        self.0.get(self.after(offset)).copied()
    }

    /// Forgets the ends up to `offset`; answers how many there were.
    pub(super) fn forget(&mut self, offset: u64) -> usize {
        let count = self.after(offset);
        self.0.drain(..count);
        count
    }

    /// How many lie at `offset` or before.
    fn after(&self, offset: u64) -> usize {
        if self.0.front().is_none_or(|&first| first > offset) {
            0
        } else {
            self.0.partition_point(|&end| end <= offset)
        }
    }
}
