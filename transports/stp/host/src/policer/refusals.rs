//! Who asks in vain again and again.

use core::time::Duration;

use tng_base::Instant;

/// Refusals in the time of [`ROUNDS`](super::ROUNDS) round trips that are nobody's fault, beside those that come with
/// what is sent: a sender tries at every proof, and at every timer.
pub const REFUSALS_MAX: u64 = 1_000;
/// Refusals for each segment sent in that time that are nobody's fault.
pub const REFUSALS_PER_SEGMENT: u64 = 4;
/// Such times in a row, each with more, that make a persistent violator (STP 4.1).
pub const VIOLATIONS_MAX: u32 = 4;

#[derive(Clone, Debug, Default)]
pub(super) struct Refusals {
    total: u64,
    ends: Instant,
    count: u64,
    sent: u64,
    in_a_row: u32,
}

impl Refusals {
    /// So many segments left.
    #[inline]
    pub(super) fn handle_sent(&mut self, segments: u64) {
        self.sent += segments;
    }

    /// Another one; what is counted together lasts for `period`.
    pub(super) fn handle(&mut self, now: Instant, period: Duration) {
        self.total += 1;
        if now >= self.ends {
            let violated = self.count > REFUSALS_MAX + REFUSALS_PER_SEGMENT * self.sent && now < self.ends + period;
            self.in_a_row = if violated { self.in_a_row + 1 } else { 0 };
            (self.count, self.sent, self.ends) = (0, 0, now + period);
        }
        self.count += 1;
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn is_too_much(&self) -> bool {
        self.in_a_row >= VIOLATIONS_MAX
    }
}
