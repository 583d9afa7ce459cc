//! Who asks in vain again and again.

use core::time::Duration;

use tng_base::Instant;

/// Refusals in the time of [`ROUNDS`](super::ROUNDS) round trips that are nobody's fault: a sender that tries at every
/// proof, and at every timer.
pub const REFUSALS_MAX: u32 = 1_000;
/// Such times in a row, each with more, that make a persistent violator (STP 4.1).
pub const VIOLATIONS_MAX: u32 = 4;

#[derive(Clone, Debug, Default)]
pub(super) struct Refusals {
    total: u64,
    ends: Instant,
    count: u32,
    in_a_row: u32,
}

impl Refusals {
    /// Another one; what is counted together lasts for `period`.
    pub(super) fn handle(&mut self, now: Instant, period: Duration) {
        self.total += 1;
        if now >= self.ends {
            if self.count <= REFUSALS_MAX || now >= self.ends + period {
                self.in_a_row = 0;
            }
            (self.count, self.ends) = (0, now + period);
        }
        self.count = self.count.saturating_add(1);
        self.in_a_row += u32::from(self.count == REFUSALS_MAX + 1);
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn is_too_much(&self) -> bool {
        self.in_a_row >= VIOLATIONS_MAX
    }
}
