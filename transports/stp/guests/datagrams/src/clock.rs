//! Sending at a rate.

use crate::Turn;

/// Milliseconds of a rate that may leave at once: ticks are of one.
const BURST_MS: u64 = 4;

/// Bytes a second at most: faster than any line.
pub(crate) const RATE_MAX: u64 = 1 << 36;

/// Bytes that may leave by a rate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    /// Bytes a second; 0 before it is set.
    pub(crate) rate: u64,
    credit: i64,
    at: u64,
}

impl Clock {
    pub(crate) fn new(rate: u64) -> Clock {
        Clock { rate, ..Clock::default() }
    }

    pub(crate) fn turn(&mut self, now: u64) -> Turn {
        let rate = self.rate.clamp(1, RATE_MAX);
        let most = (rate * BURST_MS / 1_000).max(1) as i64;
        let more = rate.saturating_mul(now.saturating_sub(self.at)) / 1_000;
        if more > 0 {
            self.credit = self.credit.saturating_add(more as i64).min(most);
            self.at = now;
        }
        if self.credit > 0 { Turn::Now } else { Turn::At(now + 1 + self.credit.unsigned_abs() * 1_000 / rate) }
    }

    pub(crate) fn handle_sent(&mut self, len: u64) {
        self.credit -= len as i64;
    }
}
