//! What left and has not met its fate, of segments that are not sent again.

use alloc::collections::VecDeque;
use core::ops::Range;

/// A segment is lost when one has arrived that left so many after it.
pub const LOST_BEHIND: u64 = 3;

/// A segment that left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Left {
    /// Number that the host gave it.
    pub number: u64,
    /// Where the send buffer is not needed any more when it has met its fate.
    pub until: u64,
    /// Bytes.
    pub len: u64,
    /// When it left, in milliseconds.
    pub at: u64,
}

/// Those on their way, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Books {
    left: VecDeque<Left>,
    newest: Option<u64>,
    dropped: u64,
    until: u64,
}

impl Books {
    pub(crate) fn flying(&self) -> usize {
        self.left.len()
    }

    pub(crate) fn push(&mut self, left: Left) {
        self.until = self.until.max(left.until);
        self.left.push_back(left);
    }

    /// These have arrived; answers how many of them are news, their bytes, and the newest.
    pub(crate) fn arrive(&mut self, numbers: Range<u64>) -> (u64, u64, Option<Left>) {
        let from = self.left.partition_point(|left| left.number < numbers.start);
        let to = self.left.partition_point(|left| left.number < numbers.end);
        let (count, bytes) = ((to - from) as u64, self.left.range(from..to).map(|left| left.len).sum());
        let newest = self.left.range(from..to).next_back().copied();
        self.left.drain(from..to);
        self.newest = self.newest.max(numbers.end.checked_sub(1));
        (count, bytes, newest)
    }

    /// The first that is lost, once.
    pub(crate) fn take_lost(&mut self) -> Option<Left> {
        let newest = self.newest?;
        self.left.pop_front_if(|left| left.number + LOST_BEHIND <= newest)
    }

    /// All that left before is given up.
    pub(crate) fn give_up(&mut self, before: u64) -> Option<Left> {
        self.left.pop_front_if(|left| left.at <= before)
    }

    /// Where the send buffer may be dropped to, if that has moved.
    pub(crate) fn done(&mut self) -> Option<u64> {
        let first = self.left.iter().map(|left| left.until).min();
        // What the first has is needed, and nothing before it.
        let until = first.map_or(self.until, |_| self.first_from());
        (until > self.dropped).then(|| {
            self.dropped = until;
            until
        })
    }

    fn first_from(&self) -> u64 {
        self.left.front().map_or(self.until, |left| left.until - left.len.min(left.until))
    }
}
