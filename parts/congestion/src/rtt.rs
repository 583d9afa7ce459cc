//! Round-trip times (RFC 9002 section 5).

use core::time::Duration;

use tng_base::Instant;

/// The RTT taken for granted before the first sample (RFC 9002 section 6.2.2).
pub const INITIAL_RTT: Duration = Duration::from_millis(333);

/// Timer granularity (RFC 9002 section 6.1.2).
pub const GRANULARITY: Duration = Duration::from_millis(1);

/// The minimum RTT is the least sample of one to two such windows, so that a path that became longer is noticed.
pub const MIN_RTT_WINDOW: Duration = Duration::from_secs(300);

/// One measured round trip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RttSample {
    /// From sending the packet to its acknowledgment's arrival.
    pub latest: Duration,
    /// How long the peer says that it held the acknowledgment back; the caller has limited it to the peer's declared
    /// maximum.
    pub ack_delay: Duration,
}

/// Smoothed round-trip time, its variation, and its minimum. Nanoseconds inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RttEstimator {
    initial_ns: u64,
    latest_ns: u64,
    smoothed_ns: u64,
    var_ns: u64,
    min_ns: u64,
    window_min_ns: u64,
    window_start: Option<Instant>,
}

impl RttEstimator {
    /// An estimator without samples, which answers `initial` until there is one.
    pub fn new(initial: Duration) -> RttEstimator {
        let initial_ns = nanos(initial).max(1);
        RttEstimator {
            initial_ns,
            latest_ns: initial_ns,
            smoothed_ns: initial_ns,
            var_ns: initial_ns / 2,
            min_ns: initial_ns,
            window_min_ns: u64::MAX,
            window_start: None,
        }
    }

    /// One that has had samples, as another one that had them says: what crosses a border is its answers.
    pub fn of(now: Instant, latest: Duration, smoothed: Duration, var: Duration, min: Duration) -> RttEstimator {
        let mut rtt = RttEstimator::new(smoothed);
        (rtt.latest_ns, rtt.var_ns, rtt.min_ns) = (nanos(latest).max(1), nanos(var), nanos(min).max(1));
        (rtt.window_min_ns, rtt.window_start) = (rtt.min_ns, Some(now));
        rtt
    }

    /// Takes a sample (RFC 9002 section 5.3). The reported delay is subtracted unless that would go below the minimum.
    pub fn handle_sample(&mut self, now: Instant, sample: RttSample) {
        let latest = nanos(sample.latest).max(1);
        self.latest_ns = latest;
        let Some(window_start) = self.window_start else {
            self.window_start = Some(now);
            (self.smoothed_ns, self.var_ns, self.min_ns, self.window_min_ns) = (latest, latest / 2, latest, latest);
            return;
        };
        self.window_min_ns = self.window_min_ns.min(latest);
        if now.since(window_start) >= MIN_RTT_WINDOW {
            (self.min_ns, self.window_min_ns, self.window_start) = (self.window_min_ns, latest, Some(now));
        }
        self.min_ns = self.min_ns.min(latest);
        let delay = nanos(sample.ack_delay);
        let adjusted = if latest >= self.min_ns.saturating_add(delay) { latest - delay } else { latest };
        self.var_ns = self.var_ns - self.var_ns / 4 + self.smoothed_ns.abs_diff(adjusted) / 4;
        self.smoothed_ns = (self.smoothed_ns - self.smoothed_ns / 8 + adjusted / 8).max(1);
    }

    /// Forgets the minimum: the next sample sets it (RFC 9002 section 5.2, after persistent congestion).
    pub fn forget_min(&mut self) {
        if self.has_sample() {
            (self.min_ns, self.window_min_ns) = (u64::MAX, u64::MAX);
        }
    }

    /// Forgets everything but the initial value: the path is a new one.
    pub fn reset(&mut self) {
        *self = RttEstimator::new(Duration::from_nanos(self.initial_ns));
    }

    /// Whether there was a sample.
    pub fn has_sample(&self) -> bool {
        self.window_start.is_some()
    }

    /// The latest sample, not adjusted.
    pub fn latest(&self) -> Duration {
        Duration::from_nanos(self.latest_ns)
    }

    /// The smoothed round-trip time.
    pub fn smoothed(&self) -> Duration {
        Duration::from_nanos(self.smoothed_ns)
    }

    /// The mean variation.
    pub fn var(&self) -> Duration {
        Duration::from_nanos(self.var_ns)
    }

    /// The least sample of the last [`MIN_RTT_WINDOW`] or two; the latest sample while that is forgotten.
    pub fn min(&self) -> Duration {
        Duration::from_nanos(if self.min_ns == u64::MAX { self.latest_ns } else { self.min_ns })
    }

    /// The probe timeout without the peer's acknowledgment delay and without backoff (RFC 9002 section 6.2.1).
    pub fn pto_base(&self) -> Duration {
        self.smoothed().saturating_add((self.var().saturating_mul(4)).max(GRANULARITY))
    }
}

/// Whole nanoseconds, at most 2^62, so that sums of two cannot overflow.
fn nanos(d: Duration) -> u64 {
    u64::try_from(d.as_nanos()).unwrap_or(u64::MAX).min(1 << 62)
}

#[cfg(test)]
mod tests;
