//! When to give up on an answer (RFC 6298), in milliseconds.

/// The least timeout. RFC 6298 wants a second; the systems in use, and so the flows that this one meets, a fifth.
pub const RTO_MIN_MS: u64 = 200;
/// The most.
pub const RTO_MAX_MS: u64 = 60_000;
/// The timeout before there is a sample.
const RTO_INITIAL_MS: u64 = 1_000;

/// Round trips, and the timeout that follows from them. In eighths and quarters of a millisecond, as RFC 6298 has them
/// in its appendix's source.
#[derive(Clone, Debug, Default)]
pub struct Rto {
    smoothed_8: u64,
    variation_4: u64,
    doublings: u32,
}

impl Rto {
    /// A round trip of a segment that was sent once.
    pub fn handle_sample(&mut self, rtt_ms: u64) {
        // Ticks are of a millisecond: a round trip of none takes less than one.
        let rtt = rtt_ms.max(1);
        if self.smoothed_8 == 0 {
            (self.smoothed_8, self.variation_4) = (8 * rtt, 2 * rtt);
        } else {
            let off = (self.smoothed_8 / 8).abs_diff(rtt);
            self.variation_4 = self.variation_4 - self.variation_4 / 4 + off;
            self.smoothed_8 = self.smoothed_8 - self.smoothed_8 / 8 + rtt;
        }
    }

    /// What was waited for came.
    pub fn handle_progress(&mut self) {
        self.doublings = 0;
    }

    /// It did not come in time.
    pub fn handle_timeout(&mut self) {
        self.doublings += 1;
    }

    /// Timeouts in a row.
    pub fn timeouts(&self) -> u32 {
        self.doublings
    }

    /// Milliseconds until one gives up.
    pub fn timeout_ms(&self) -> u64 {
        let base = match self.smoothed_8 {
            0 => RTO_INITIAL_MS,
            smoothed_8 => (smoothed_8 / 8 + self.variation_4.max(1)).max(RTO_MIN_MS),
        };
        (base << self.doublings.min(16)).min(RTO_MAX_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_follows_from_round_trips_and_doubles_until_one_is_answered() {
        let mut rto = Rto::default();
        assert_eq!(rto.timeout_ms(), 1_000);
        rto.handle_sample(300);
        assert_eq!(rto.timeout_ms(), 900);
        for _ in 0..100 {
            rto.handle_sample(100);
        }
        assert_eq!(rto.timeout_ms(), RTO_MIN_MS);
        for _ in 0..3 {
            rto.handle_timeout();
        }
        assert_eq!(rto.timeout_ms(), 8 * RTO_MIN_MS);
        for _ in 0..60 {
            rto.handle_timeout();
        }
        assert_eq!(rto.timeout_ms(), RTO_MAX_MS);
        rto.handle_progress();
        assert_eq!(rto.timeout_ms(), RTO_MIN_MS);
    }
}
