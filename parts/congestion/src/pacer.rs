//! When the next batch may leave.

use core::time::Duration;

use tng_base::Instant;

use crate::integers::nanos;

/// A batch is what the rate carries in this time, within the limits below.
pub const BATCH_TIME: Duration = Duration::from_millis(1);
/// The largest batch in bytes: what one segmentation-offload call takes. Two packets if those are more.
pub const MAX_BATCH: u64 = 65_536;
/// The smallest batch in packets.
pub const MIN_BATCH_PACKETS: u64 = 2;
/// Packets that may leave together at the start, and after a round trip in which nothing was sent (RFC 9002 section
/// 7.7).
pub const START_BURST_PACKETS: u64 = 10;

/// Credit is counted in billionths of a byte: a rate of `r` bytes per second earns exactly `r` of them in a nanosecond.
const BYTE: i64 = 1_000_000_000;

/// A token bucket that releases whole batches: once it has run dry it holds everything back until a batch is earned.
///
/// It holds two batches, or two [`BATCH_TIME`]s at rates where a batch lasts shorter, so that a timer that comes late
/// costs no rate. No credit is lost to rounding. Without a rate it releases everything.
#[derive(Clone, Debug)]
pub struct Pacer {
    mtu: u64,
    rate: Option<u64>,
    batch: i64,
    capacity: i64,
    credit: i64,
    earned_until: Instant,
    sent_at: Instant,
    /// Silence after which a start burst may leave again: a round trip.
    silence: Duration,
    dry: bool,
}

impl Pacer {
    /// A pacer for packets of `mtu` bytes that does not hold back anything until it is given a rate.
    pub fn new(mtu: u16) -> Pacer {
        let mtu = u64::from(mtu);
        Pacer {
            mtu,
            rate: None,
            batch: 0,
            capacity: 0,
            credit: billionths(START_BURST_PACKETS * mtu),
            earned_until: Instant::ZERO,
            sent_at: Instant::ZERO,
            silence: Duration::MAX,
            dry: false,
        }
    }

    /// Sets the rate in bytes per second from `now` on (`None`: no pacing) and the round-trip time. What was earned at
    /// the old rate stays earned.
    pub fn set_rate(&mut self, now: Instant, rate: Option<u64>, rtt: Duration) {
        self.earn(now);
        self.rate = rate.map(|r| r.max(1));
        self.silence = rtt;
        let rate = rate.unwrap_or(0);
        let batch =
            (rate / (1_000_000_000 / BATCH_TIME.as_nanos() as u64)).min(MAX_BATCH).max(MIN_BATCH_PACKETS * self.mtu);
        self.batch = billionths(batch);
        self.capacity = billionths(rate.saturating_mul(2) / 1_000).max(self.batch.saturating_mul(2));
    }

    /// The packet size changed; counts from the next [`set_rate`](Self::set_rate).
    pub fn set_mtu(&mut self, mtu: u16) {
        self.mtu = u64::from(mtu);
    }

    /// The rate in bytes per second, if there is one.
    pub fn rate(&self) -> Option<u64> {
        self.rate
    }

    /// Whether `bytes` may leave now.
    ///
    /// # Errors
    /// The time at which the next batch is earned.
    pub fn release(&mut self, now: Instant, bytes: u64) -> Result<(), Instant> {
        let Some(rate) = self.rate else { return Ok(()) };
        self.earn(now);
        if self.dry && self.credit >= self.batch {
            self.dry = false;
        }
        if !self.dry && self.credit >= billionths(bytes).min(self.batch) {
            return Ok(());
        }
        self.dry = true;
        // Positive: dry means less than a batch; and a nanosecond earns `rate` billionths.
        let wait = self.batch.saturating_sub(self.credit).unsigned_abs().div_ceil(rate);
        Err(now + Duration::from_nanos(wait))
    }

    /// How many bytes are earned and not sent; `u64::MAX` without a rate. What [`release`](Self::release) holds back is
    /// included.
    pub fn credit(&self) -> u64 {
        if self.rate.is_none() { u64::MAX } else { self.credit.max(0).unsigned_abs() / BYTE.unsigned_abs() }
    }

    /// `bytes` left at `now`. More than was released (probes) is paid back from what comes, up to one largest batch.
    pub fn handle_sent(&mut self, now: Instant, bytes: u64) {
        if self.rate.is_some() {
            self.earn(now);
            self.credit = self.credit.saturating_sub(billionths(bytes)).max(-billionths(MAX_BATCH));
        }
        self.sent_at = now;
    }

    fn earn(&mut self, now: Instant) {
        let elapsed = nanos(now.since(self.earned_until));
        if elapsed == 0 {
            return;
        }
        self.earned_until = now;
        let Some(rate) = self.rate else { return };
        let silent = now.since(self.sent_at) >= self.silence;
        let start = if silent { billionths(START_BURST_PACKETS * self.mtu) } else { 0 };
        let earned = i64::try_from(elapsed.saturating_mul(rate)).unwrap_or(i64::MAX);
        // A start burst may exceed the capacity: it is not earned, but not taken away either.
        let full = self.capacity.max(start).max(self.credit);
        self.credit = self.credit.saturating_add(earned).min(full);
    }
}

fn billionths(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX).saturating_mul(BYTE)
}

#[cfg(test)]
mod tests;
