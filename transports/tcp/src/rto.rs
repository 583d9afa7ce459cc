//! The retransmission timeout (RFC 6298), as Linux computes it.

use core::time::Duration;

/// Timeout before the first sample (RFC 6298 section 2.1).
pub const RTO_INITIAL: Duration = Duration::from_secs(1);
/// Least term that the variation of round-trip times contributes: Linux's minimum. RFC 6298 has one second for the
/// whole.
pub const RTO_MIN: Duration = Duration::from_millis(200);
/// Longest timeout, backoff included.
pub const RTO_MAX: Duration = Duration::from_secs(120);

/// Smoothed round-trip time, its variation, and how often the timeout was doubled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RtoEstimator {
    smoothed: Option<Duration>,
    variation: Duration,
    doublings: u32,
}

impl RtoEstimator {
    /// A sample of a segment that was sent once (Karn's rule is the caller's). Ends the backoff.
    pub fn handle_sample(&mut self, rtt: Duration) {
        let rtt = rtt.min(RTO_MAX);
        self.doublings = 0;
        match self.smoothed {
            None => (self.smoothed, self.variation) = (Some(rtt), rtt / 2),
            Some(smoothed) => {
                self.variation = self.variation / 4 * 3 + smoothed.abs_diff(rtt) / 4;
                self.smoothed = Some(smoothed / 8 * 7 + rtt / 8);
            }
        }
    }

    /// The timer expired.
    pub fn back_off(&mut self) {
        self.doublings = (self.doublings + 1).min(16);
    }

    /// Something new was acknowledged: the path is alive, whether or not that gave a sample.
    pub fn end_backoff(&mut self) {
        self.doublings = 0;
    }

    /// The smoothed round-trip time.
    pub fn smoothed(&self) -> Option<Duration> {
        self.smoothed
    }

    /// The timeout.
    pub fn timeout(&self) -> Duration {
        let base = match self.smoothed {
            None => RTO_INITIAL,
            Some(smoothed) => smoothed + (self.variation * 4).max(RTO_MIN),
        };
        (base * (1 << self.doublings)).min(RTO_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_timeout_is_the_smoothed_time_and_four_variations_but_at_least_200_ms_of_them() {
        let mut rto = RtoEstimator::default();
        assert_eq!(rto.timeout(), RTO_INITIAL);
        rto.handle_sample(400 * MS);
        assert_eq!(rto.timeout(), 1_200 * MS);
        for _ in 0..100 {
            rto.handle_sample(400 * MS);
        }
        assert!(rto.timeout().abs_diff(600 * MS) < MS, "{:?}", rto.timeout());
    }

    #[test]
    fn it_doubles_up_to_its_limit_and_a_sample_ends_that() {
        let mut rto = RtoEstimator::default();
        rto.handle_sample(100 * MS);
        let first = rto.timeout();
        rto.back_off();
        assert_eq!(rto.timeout(), 2 * first);
        (0..100).for_each(|_| rto.back_off());
        assert_eq!(rto.timeout(), RTO_MAX);
        rto.handle_sample(100 * MS);
        assert!(rto.timeout() <= first);
    }
}
