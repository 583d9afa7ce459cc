//! What may leave without another look.

use tng_base::Instant;

/// Bytes that may leave at one moment whatever else there is to compare: segments leave in trains, and all that holds
/// them back is looked at once for a train. Whatever may lower it is to [end](Leave::end) it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Leave {
    at: Instant,
    bytes: u64,
}

impl Leave {
    /// None.
    pub(super) const NONE: Leave = Leave { at: Instant::ZERO, bytes: 0 };

    #[inline]
    pub(super) fn new(at: Instant, bytes: u64) -> Leave {
        Leave { at, bytes }
    }

    /// Whether a segment of `bytes` may leave by it; if not, that has to be looked at.
    #[inline]
    pub(super) fn covers(&self, now: Instant, bytes: u64) -> bool {
        bytes <= self.bytes && now == self.at
    }

    #[inline]
    pub(super) fn handle_sent(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    #[inline]
    pub(super) fn end(&mut self) {
        self.bytes = 0;
    }
}
