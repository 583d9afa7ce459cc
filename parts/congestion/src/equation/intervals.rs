//! The loss event rate (RFC 5348 section 5).

use core::time::Duration;

use tng_base::Instant;

use super::{LOSS_RATE_ONE, loss_rate_at};
use crate::integers::{mul_div, nanos};

/// Loss intervals that count, the one under way aside (RFC 5348 section 5.4).
pub const LOSS_INTERVALS: usize = 8;

/// Their weights in fifths, the newest first (RFC 5348 section 5.4).
const WEIGHTS: [u64; LOSS_INTERVALS] = [5, 5, 5, 5, 4, 3, 2, 1];

/// The last loss events, and the bytes sent between them: what [`Equation`](crate::Equation) goes by, and what polices
/// a sender whose controller is not trusted (STP 4.1).
///
/// It counts bytes, and a rate is asked for in packets of some size: small packets make losses rarer by the packet, but
/// earn fewer bytes than large ones with as many bytes between two events. It keeps no clock. A *position* says how
/// many bytes had been sent when a packet had left; code at the sender has it for every packet. What counts as a loss
/// is the caller's affair: later packets acknowledged, a timeout, a mark.
///
/// ```
/// # use core::time::Duration;
/// # use tng_base::Instant;
/// # use tng_congestion::{LossIntervals, throughput};
/// let (size, rtt) = (1_200, Duration::from_millis(50));
/// // The first loss, at 600,000 bytes a second: the history that would have led there.
/// let mut losses = LossIntervals::seeded(Instant::from_secs(1), 400_000, size, rtt, 600_000);
/// assert!(throughput(size, 50_000_000, losses.rate(size, 400_000)).abs_diff(600_000) < 30_000);
/// // A loss in the same round trip is of the same event; one after it begins another.
/// assert!(!losses.handle_loss(Instant::from_millis(1_040), 424_000, rtt));
/// assert!(losses.handle_loss(Instant::from_millis(1_200), 520_000, rtt));
/// assert!(throughput(size, 50_000_000, losses.rate(size, 520_000)) < 600_000);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LossIntervals {
    /// Bytes from one event to the next, the newest first.
    closed: [u64; LOSS_INTERVALS],
    count: usize,
    /// When the packet left whose loss began the newest event.
    event_at: Instant,
    /// Bytes sent by then.
    event_position: u64,
}

impl LossIntervals {
    /// After the first event, the loss of a packet that left at `sent_at`. `before` bytes are taken for the distance to
    /// one before it.
    pub fn new(sent_at: Instant, position: u64, before: u64) -> LossIntervals {
        let mut closed = [0; LOSS_INTERVALS];
        closed[0] = before;
        LossIntervals { closed, count: 1, event_at: sent_at, event_position: position }
    }

    /// After the first event, as if there had been just so many losses before as the equation says for `rate`, in bytes
    /// per second, which had been reached with packets of `size` bytes and a round trip of `rtt` (RFC 5348 section
    /// 6.3.1). How many packets went before says nothing, as the rate had been doubling.
    pub fn seeded(sent_at: Instant, position: u64, size: u64, rtt: Duration, rate: u64) -> LossIntervals {
        let loss = loss_rate_at(size, nanos(rtt), rate);
        LossIntervals::new(sent_at, position, mul_div(size, LOSS_RATE_ONE, loss))
    }

    /// When the packet left whose loss began the newest event.
    pub fn event_at(&self) -> Instant {
        self.event_at
    }

    /// Another packet was lost. Answers whether that is a new event: all that left within a round trip of the first of
    /// an event belongs to it (RFC 5348 section 5.2).
    pub fn handle_loss(&mut self, sent_at: Instant, position: u64, rtt: Duration) -> bool {
        if sent_at <= self.event_at + rtt {
            return false;
        }
        self.closed.rotate_right(1);
        self.closed[0] = position.saturating_sub(self.event_position);
        self.count = LOSS_INTERVALS.min(self.count + 1);
        (self.event_at, self.event_position) = (sent_at, position.max(self.event_position));
        true
    }

    /// Loss events per packet of `size` bytes, in billionths, when all that was sent up to `position` has met its fate:
    /// one over the mean of the intervals, that under way included where that makes it rarer (RFC 5348 section 5.4).
    pub fn rate(&self, size: u64, position: u64) -> u64 {
        let open = position.saturating_sub(self.event_position);
        let weigh = |intervals: &mut dyn Iterator<Item = u64>| -> u128 {
            intervals.zip(WEIGHTS).map(|(bytes, weight)| u128::from(bytes) * u128::from(weight)).sum()
        };
        let closed = &self.closed[..self.count];
        let with_open = weigh(&mut core::iter::once(open).chain(closed.iter().copied()).take(self.count));
        let without = weigh(&mut closed.iter().copied());
        let weights: u64 = WEIGHTS[..self.count].iter().sum();
        let mean = with_open.max(without).max(1);
        let rate = u128::from(size) * u128::from(LOSS_RATE_ONE) * u128::from(weights) / mean;
        u64::try_from(rate).unwrap_or(u64::MAX).clamp(1, LOSS_RATE_ONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::throughput;
    use tng_base::Rng;

    const SIZE: u64 = 1_000;
    const RTT: Duration = Duration::from_millis(50);

    /// A history whose intervals are those, in packets, the oldest first, with an event a second.
    fn history(intervals: &[u64]) -> (LossIntervals, u64) {
        let mut losses = LossIntervals::new(Instant::from_secs(0), 0, intervals[0] * SIZE);
        let mut position = 0;
        for (n, packets) in intervals[1..].iter().enumerate() {
            position += packets * SIZE;
            assert!(losses.handle_loss(Instant::from_secs(n as u64 + 1), position, RTT));
        }
        (losses, position)
    }

    /// RFC 5348 section 5.4, as it stands there: `intervals` in packets with the one under way first, the newest next.
    fn loss_event_rate(intervals: &[u64]) -> f64 {
        let n = LOSS_INTERVALS;
        let weight = |i: usize| if i < n / 2 { 1.0 } else { 2.0 * (n - i) as f64 / (n + 2) as f64 };
        let k = (intervals.len() - 1).min(n);
        let (mut with_open, mut without, mut weights) = (0.0, 0.0, 0.0);
        for (i, &packets) in intervals.iter().enumerate().take(k + 1) {
            if i < k {
                with_open += packets as f64 * weight(i);
                weights += weight(i);
            }
            if i > 0 {
                without += packets as f64 * weight(i - 1);
            }
        }
        weights / f64::max(with_open, without)
    }

    #[test]
    fn the_rate_is_that_of_the_rfc_for_any_history() {
        for seed in 0..2_000 {
            let mut rng = Rng::from_u64(seed);
            let mut packets = |bits| {
                let bits = 1 + rng.below(bits);
                rng.below(1 << bits)
            };
            let intervals: Vec<u64> = (0..1 + seed % 14).map(|_| 1 + packets(16)).collect();
            let (losses, position) = history(&intervals);
            let open = packets(18);
            let newest_first: Vec<u64> = core::iter::once(open).chain(intervals.iter().rev().copied()).collect();
            let (got, wanted) = (losses.rate(SIZE, position + open * SIZE), loss_event_rate(&newest_first) * 1e9);
            assert!((got as f64 - wanted).abs() <= 1.0 + wanted * 1e-9, "seed {seed}: {got}, not {wanted}");
        }
    }

    #[test]
    fn it_is_one_over_the_weighted_mean_of_eight_intervals() {
        let (losses, _) = history(&[100]);
        assert_eq!(losses.rate(SIZE, 0), 10_000_000, "a hundred packets");
        let (losses, at) = history(&[100, 50, 50, 50]);
        assert_eq!(losses.rate(SIZE, at), 16_000_000, "(50 + 50 + 50 + 100) / 4 packets");
        let (losses, at) = history(&[&[100, 50, 50][..], &[20; 16]].concat());
        assert_eq!(losses.rate(SIZE, at), 50_000_000, "the old ones are forgotten");
        let (losses, at) = history(&[&[20; 7][..], &[50]].concat());
        assert_eq!(losses.rate(SIZE, at), 40_000_000, "weights 5 5 5 5 4 3 2 1: (50 * 5 + 20 * 25) / 30 packets");
    }

    #[test]
    fn the_interval_under_way_counts_only_where_it_helps() {
        let (losses, at) = history(&[100, 50, 50, 50]);
        assert_eq!(losses.rate(SIZE, at + 50 * SIZE), 16_000_000, "a short one does not");
        assert_eq!(losses.rate(SIZE, at + 300 * SIZE), 8_888_888, "(300 + 50 + 50 + 50) / 4, a long one does");
        let rates: Vec<u64> = (0..2_000).map(|packets| losses.rate(SIZE, at + packets * SIZE)).collect();
        assert!(rates.is_sorted_by(|a, b| a >= b), "no packet without a loss makes the rate rise");
        // What is behind the event says nothing.
        assert_eq!(losses.rate(SIZE, 0), 16_000_000);
    }

    #[test]
    fn all_that_left_within_a_round_trip_of_the_first_loss_is_one_event() {
        let at = |ms| Instant::from_millis(1_000 + ms);
        let first = LossIntervals::new(at(0), 10_000, 100_000);
        let mut losses = first;
        for ms in [0, 1, 30, 50] {
            assert!(!losses.handle_loss(at(ms), 10_000 + ms * 1_000, RTT), "{ms} ms");
        }
        // Nor is what left before and is found lost after.
        assert!(!losses.handle_loss(Instant::from_millis(900), 0, RTT));
        assert_eq!(losses, first);
        assert!(losses.handle_loss(at(51), 61_000, RTT));
        assert_eq!((losses.event_at(), losses.rate(SIZE, 61_000)), (at(51), 13_245_033), "(51 + 100) / 2 packets");
        // The round trip runs from the new one.
        assert!(!losses.handle_loss(at(101), 111_000, RTT));
    }

    #[test]
    fn the_first_interval_is_that_at_which_the_equation_gives_the_rate_reached() {
        for size in [200, 1_200, 9_000] {
            for rtt_ms in [1, 20, 100, 600] {
                for rate in [20_000, 150_000, 1_000_000, 12_500_000, 125_000_000] {
                    let rtt = Duration::from_millis(rtt_ms);
                    let losses = LossIntervals::seeded(Instant::from_secs(1), 7, size, rtt, rate);
                    let loss = losses.rate(size, 7);
                    let allowed = throughput(size, nanos(rtt), loss);
                    let said = format!("{size} B, {rtt_ms} ms, {rate} B/s: {allowed} at {loss}");
                    match loss {
                        // More events than packets.
                        LOSS_RATE_ONE => assert!(allowed >= rate, "{said}"),
                        // As near as billionths come; below one of them is one.
                        1..30 => {
                            assert!(loss == 1 || allowed >= rate, "{said}");
                            assert!(throughput(size, nanos(rtt), loss + 1) < rate, "{said}");
                        }
                        // The RFC asks for 5 %.
                        _ => assert!(allowed.abs_diff(rate) * 20 <= rate, "{said}"),
                    }
                }
            }
        }
        // By hand: 1,200 B, 100 ms, p = 1 %: 1,200 / (0.1 * sqrt(0.02 / 3) + 0.4 * 3 * sqrt(0.03 / 8) * 0.01 * 1.0032)
        // = 134,799 B/s.
        let losses = LossIntervals::seeded(Instant::from_secs(1), 0, 1_200, Duration::from_millis(100), 134_799);
        assert!(losses.rate(1_200, 0).abs_diff(10_000_000) < 20_000, "{}", losses.rate(1_200, 0));
    }

    #[test]
    fn rates_without_end_and_none_at_all_are_borne() {
        for (size, rtt, rate) in [(0, 0, 0), (u64::MAX, u64::MAX, u64::MAX), (0, u64::MAX, u64::MAX), (u64::MAX, 0, 0)]
        {
            let mut losses =
                LossIntervals::seeded(Instant::from_secs(1), u64::MAX, size, Duration::from_nanos(rtt), rate);
            assert!((1..=LOSS_RATE_ONE).contains(&losses.rate(size, u64::MAX)));
            assert!(losses.handle_loss(Instant::from_nanos(u64::MAX), 0, Duration::ZERO));
            assert!((1..=LOSS_RATE_ONE).contains(&losses.rate(size, 0)));
        }
    }

    #[test]
    fn small_packets_earn_no_more_bytes() {
        // As many bytes between two events, in packets of any size.
        let (losses, at) = history(&[120, 80, 200, 100]);
        let earned = |size| throughput(size, 50_000_000, losses.rate(size, at));
        let earned: Vec<u64> = [40, 100, 300, 700, 1_200, 1_500].map(earned).to_vec();
        assert!(earned.is_sorted(), "{earned:?}");
        // Control: with packets counted, and the path paying for bytes, they would: 40-byte packets make the same
        // events 30 times rarer.
        let by_count = throughput(1_200, 50_000_000, losses.rate(40, at));
        assert!(by_count > 5 * earned[4], "{by_count}, {earned:?}");
    }
}
