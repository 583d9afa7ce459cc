//! The end of the first slow start, before it fills the queue on the path and loses half a window (RFC 9406).
//!
//! A server's window doubles until a loss is told. A client that sees the round trip grow holds requests back, so that
//! little more is under way than when that began, until as many packets have come that are not spent. The window is
//! twice what is under way then, and the client tells the first of those packets lost: the cut leaves just what is
//! under way. What is held back is given up by that, and what the packet brought is used.

use core::time::Duration;

/// So many round trips in a row are long before slow start ends (RFC 9406, N_RTT_SAMPLE). The RFC takes the shortest
/// of a round; where packets are spread over all of it, its first ones are short long after the queue has begun to
/// grow.
pub const RTT_SAMPLES_PER_BATCH: u32 = 8;
/// A round trip is long if it is by an eighth longer than the shortest, but by no less than that (RFC 9406,
/// MIN_RTT_THRESH).
const GROWTH_MIN: Duration = Duration::from_millis(4);
/// And no more (RFC 9406, MAX_RTT_THRESH).
const GROWTH_MAX: Duration = Duration::from_millis(16);

/// Round trips in a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Batch {
    samples: u32,
    least: Duration,
}

impl Batch {
    /// Answers the shortest once there are enough, and begins anew.
    fn sample(&mut self, rtt: Duration) -> Option<Duration> {
        self.least = if self.samples == 0 { rtt } else { self.least.min(rtt) };
        self.samples += 1;
        (self.samples == RTT_SAMPLES_PER_BATCH).then(|| core::mem::take(self).least)
    }
}

/// Where a connection's first slow start stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum SlowStart {
    /// The window doubles.
    Doubling(Batch),
    /// No more than so many packets are under way: half as many again as when the round trip began to grow. A window
    /// that doubles is sent at 1/ln 2 of its own rate, so that the queue grows when the window is 0.7 of what the path
    /// holds.
    Holding(u64, Batch),
    /// It is over.
    Over,
}

impl Default for SlowStart {
    fn default() -> SlowStart {
        SlowStart::Doubling(Batch::default())
    }
}

impl SlowStart {
    /// A round trip was measured, when the shortest was `shortest`. `under_way` tells how many packets were under way
    /// when it began.
    pub(super) fn sample(&mut self, rtt: Duration, shortest: Duration, under_way: impl FnOnce() -> u64) {
        let growth = (shortest / 8).clamp(GROWTH_MIN, GROWTH_MAX);
        match self {
            SlowStart::Doubling(batch) => {
                if batch.sample(rtt).is_some_and(|least| least >= shortest + growth) {
                    *self = SlowStart::Holding(under_way() * 3 / 2, Batch::default());
                }
            }
            // It was long by chance.
            SlowStart::Holding(_, batch) => {
                if batch.sample(rtt).is_some_and(|least| least < shortest + growth / 2) {
                    *self = SlowStart::default();
                }
            }
            SlowStart::Over => {}
        }
    }

    /// Whether a continuation may be spent while so many packets are under way.
    pub(super) const fn lets(&self, under_way: u64) -> bool {
        match self {
            SlowStart::Holding(packets, _) => under_way < *packets,
            SlowStart::Doubling(_) | SlowStart::Over => true,
        }
    }

    /// Whether it ends now: so many packets came that are not spent. It is over then.
    pub(super) fn ends(&mut self, unspent: u64) -> bool {
        let ends = matches!(self, SlowStart::Holding(packets, _) if unspent >= *packets);
        if ends {
            *self = SlowStart::Over;
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty round trips that are these by turns.
    fn measure(slow_start: &mut SlowStart, rtts_ms: [u64; 2]) {
        for at in 0..40 {
            slow_start.sample(Duration::from_millis(rtts_ms[at % 2]), Duration::from_millis(40), || 77);
        }
    }

    #[test]
    fn slow_start_ends_when_all_round_trips_in_a_row_are_long_and_not_when_some_are() {
        let mut slow_start = SlowStart::default();
        measure(&mut slow_start, [40, 400]);
        assert!(slow_start.lets(u64::MAX), "some are long");
        measure(&mut slow_start, [44, 44]);
        assert!(slow_start.lets(u64::MAX), "an eighth would be five");
        measure(&mut slow_start, [46, 400]);
        assert!(!slow_start.lets(115) && slow_start.lets(114));
        assert!(!slow_start.ends(114) && slow_start.ends(115));
        assert!(slow_start.lets(u64::MAX) && !slow_start.ends(u64::MAX), "it is over");
    }

    #[test]
    fn slow_start_goes_on_if_round_trips_were_long_by_chance() {
        let mut slow_start = SlowStart::default();
        measure(&mut slow_start, [50, 60]);
        assert!(!slow_start.lets(115));
        measure(&mut slow_start, [41, 60]);
        assert!(slow_start.lets(u64::MAX) && !slow_start.ends(u64::MAX));
        measure(&mut slow_start, [50, 60]);
        assert!(!slow_start.lets(115), "it is watched again");
    }
}
