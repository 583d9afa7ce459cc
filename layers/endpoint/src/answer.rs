//! A bound on what strangers can make this host say.

use tng_base::Instant;

/// Stateless answers per second, in the long run.
pub const ANSWERS_PER_S: u64 = 1_000;

/// Stateless answers at once.
pub const ANSWERS_BURST: u64 = 200;

/// Cookies per second, in the long run. Many more than other answers: they are cheap, and what an honest initiator waits for
/// in a flood.
pub const COOKIES_PER_S: u64 = 20_000;

/// Cookies at once.
pub const COOKIES_BURST: u64 = 2_000;

/// A token bucket for stateless answers: one for cookies, one for all others (resets, wrong-key and version answers, "not
/// served", refusals), so that a flood of one kind does not silence the other.
#[derive(Clone, Debug)]
pub struct AnswerBudget {
    per_s: u64,
    burst: u64,
    /// Tokens times a billion, so that nothing is lost to rounding.
    nano_tokens: u128,
    at: Instant,
}

impl AnswerBudget {
    /// A full bucket of `burst` answers, refilled with `per_s` answers a second.
    pub fn new(per_s: u64, burst: u64) -> AnswerBudget {
        AnswerBudget { per_s, burst, nano_tokens: u128::from(burst) * 1_000_000_000, at: Instant::ZERO }
    }

    /// Takes the right to one answer, if there is one.
    pub fn take(&mut self, now: Instant) -> bool {
        let granted = !self.is_spent(now);
        if granted {
            self.nano_tokens -= 1_000_000_000;
        }
        granted
    }

    /// Whether there is no right to an answer left.
    pub fn is_spent(&mut self, now: Instant) -> bool {
        let elapsed_ns = now.since(self.at).as_nanos();
        self.at = self.at.max(now);
        let full = u128::from(self.burst) * 1_000_000_000;
        self.nano_tokens = full.min(self.nano_tokens.saturating_add(elapsed_ns * u128::from(self.per_s)));
        self.nano_tokens < 1_000_000_000
    }
}

impl Default for AnswerBudget {
    fn default() -> AnswerBudget {
        AnswerBudget::new(ANSWERS_PER_S, ANSWERS_BURST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_gets_the_burst_and_then_the_rate() {
        let mut budget = AnswerBudget::new(100, 10);
        let granted = (0..10_000u64).filter(|i| budget.take(Instant::from_micros(i * 100))).count();
        assert_eq!(granted, 10 + 99, "one second at 100 a second, after a burst of 10");
    }
}
