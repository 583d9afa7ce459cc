//! The loss event rate (RFC 5348 section 5).

use tng_base::Instant;

use super::LOSS_RATE_ONE;

/// Loss intervals that count, the one under way aside (RFC 5348 section 5.4).
pub const LOSS_INTERVALS: usize = 8;

/// Their weights in fifths, the newest first (RFC 5348 section 5.4).
const WEIGHTS: [u64; LOSS_INTERVALS] = [5, 5, 5, 5, 4, 3, 2, 1];

/// The last loss events, and the bytes sent between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LossIntervals {
    /// Bytes from one event to the next, the newest first.
    closed: [u64; LOSS_INTERVALS],
    count: usize,
    /// When the packet left whose loss began the newest event. What left within a round trip of it belongs to the same event.
    event_at: Instant,
    /// Bytes sent by then.
    event_position: u64,
}

impl LossIntervals {
    /// After the first event; `before` is taken for the distance to one before it.
    pub(super) fn new(sent_at: Instant, position: u64, before: u64) -> LossIntervals {
        let mut closed = [0; LOSS_INTERVALS];
        closed[0] = before;
        LossIntervals { closed, count: 1, event_at: sent_at, event_position: position }
    }

    /// When the packet left whose loss began the newest event.
    pub(super) fn event_at(&self) -> Instant {
        self.event_at
    }

    /// After another event.
    pub(super) fn with_event(mut self, sent_at: Instant, position: u64) -> LossIntervals {
        self.closed.rotate_right(1);
        self.closed[0] = position.saturating_sub(self.event_position);
        self.count = LOSS_INTERVALS.min(self.count + 1);
        (self.event_at, self.event_position) = (sent_at, position.max(self.event_position));
        self
    }

    /// Loss events per packet of `size` bytes, in billionths, when all that was sent up to `position` has met its fate: one over the
    /// mean of the intervals, that under way included where that makes it rarer.
    pub(super) fn rate(&self, size: u64, position: u64) -> u64 {
        let open = position.saturating_sub(self.event_position);
        let weigh = |intervals: &mut dyn Iterator<Item = u64>| -> u128 {
            intervals.zip(WEIGHTS).map(|(bytes, weight)| u128::from(bytes) * u128::from(weight)).sum()
        };
        let closed = &self.closed[..self.count];
        let with_open = weigh(&mut core::iter::once(open).chain(closed.iter().copied()).take(self.count));
        let without = weigh(&mut closed.iter().copied());
        let weights: u64 = WEIGHTS[..self.count].iter().sum();
        let mean = with_open.max(without).max(1);
        let rate = u128::from(size) * u128::from(LOSS_RATE_ONE) * u128::from(weights) / mean;
        u64::try_from(rate).unwrap_or(u64::MAX).clamp(1, LOSS_RATE_ONE)
    }
}
