//! Token buckets: how often something may happen, such as that strangers make this host say something.

use tng_base::Instant;

/// Stateless answers per second, in the long run.
pub const ANSWERS_PER_S: u64 = 1_000;

/// Stateless answers at once.
pub const ANSWERS_BURST: u64 = 200;

/// Cookies per second, in the long run. Many more than other answers: they are cheap, and what an honest initiator
/// waits for in a flood.
pub const COOKIES_PER_S: u64 = 20_000;

/// Cookies at once.
pub const COOKIES_BURST: u64 = 2_000;

/// A token bucket. By default that of stateless answers. A host has one for cookies, and one for all others (resets,
/// wrong-key and version answers, "not served", refusals), so that a flood of one kind does not silence the other.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    per_s: u64,
    burst: u64,
    /// Tokens times a billion, so that nothing is lost to rounding.
    nano_tokens: u128,
    at: Instant,
}

impl TokenBucket {
    /// A full bucket of `burst` tokens, refilled with `per_s` a second.
    pub fn new(per_s: u64, burst: u64) -> TokenBucket {
        TokenBucket { per_s, burst, nano_tokens: u128::from(burst) * 1_000_000_000, at: Instant::ZERO }
    }

    /// Takes a token, if there is one.
    pub fn take(&mut self, now: Instant) -> bool {
        self.take_above(now, 0)
    }

    /// Takes a token, if there are more than `kept`, which are for others.
    pub fn take_above(&mut self, now: Instant, kept: u64) -> bool {
        self.refill(now);
        let granted = self.nano_tokens >= (u128::from(kept) + 1) * 1_000_000_000;
        if granted {
            self.nano_tokens -= 1_000_000_000;
        }
        granted
    }

    /// Whether there is no token left.
    pub fn is_spent(&mut self, now: Instant) -> bool {
        self.refill(now);
        self.nano_tokens < 1_000_000_000
    }

    fn refill(&mut self, now: Instant) {
        let elapsed_ns = now.since(self.at).as_nanos();
        self.at = self.at.max(now);
        let full = u128::from(self.burst) * 1_000_000_000;
        self.nano_tokens = full.min(self.nano_tokens.saturating_add(elapsed_ns * u128::from(self.per_s)));
    }
}

impl Default for TokenBucket {
    fn default() -> TokenBucket {
        TokenBucket::new(ANSWERS_PER_S, ANSWERS_BURST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_gets_the_burst_and_then_the_rate() {
        let mut budget = TokenBucket::new(100, 10);
        let granted = (0..10_000u64).filter(|i| budget.take(Instant::from_micros(i * 100))).count();
        assert_eq!(granted, 10 + 99, "one second at 100 a second, after a burst of 10");
    }

    #[test]
    fn what_is_kept_is_for_others() {
        let mut bucket = TokenBucket::new(100, 10);
        let now = Instant::from_secs(1);
        assert_eq!((0..20).filter(|_| bucket.take_above(now, 4)).count(), 6);
        assert_eq!((0..20).filter(|_| bucket.take(now)).count(), 4);
        assert!(bucket.is_spent(now) && !bucket.is_spent(Instant::from_millis(1_010)));
    }
}
