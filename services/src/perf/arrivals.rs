//! What the arrival of numbered, stamped datagrams tells of a path.

use super::wire::Stamp;

/// Part of a difference that goes into the jitter (RFC 1889, section 6.3.1).
const JITTER_GAIN: f64 = 1.0 / 16.0;

/// The figures of one lane of datagrams.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Arrivals {
    /// Datagrams that arrived.
    pub received: u64,
    /// Datagrams known to have been sent: the highest number, and the numbers below it.
    pub sent: u64,
    /// Datagrams that arrived after one with a higher number.
    pub out_of_order: u64,
    /// Interarrival jitter in microseconds: the mean deviation of the time on the way, smoothed (RFC 1889, section
    /// 6.3.1).
    pub jitter_us: f64,
    /// The number after the highest that arrived. What the sender announces is no arrival: its count travels on a
    /// stream and may overtake the datagrams that it counts.
    next: u64,
    transit_us: Option<i64>,
}

impl Arrivals {
    /// Takes note of a datagram that arrived at `now_us`, in microseconds of any clock.
    pub fn arrive(&mut self, stamp: Stamp, now_us: u64) {
        self.received += 1;
        if stamp.number < self.next {
            self.out_of_order += 1;
        } else {
            self.next = stamp.number.saturating_add(1);
            self.announced(self.next);
        }
        // The two clocks differ by something that the difference of two transit times does not have in it.
        let transit_us = now_us.wrapping_sub(stamp.sent_us).cast_signed();
        if let Some(before_us) = self.transit_us.replace(transit_us) {
            let difference_us = transit_us.wrapping_sub(before_us).unsigned_abs() as f64;
            self.jitter_us += (difference_us - self.jitter_us) * JITTER_GAIN;
        }
    }

    /// The peer says that it has sent so many, those that are not counted too.
    pub fn announced(&mut self, sent: u64) {
        self.sent = self.sent.max(sent);
    }

    /// Datagrams that have not arrived, as far as known.
    pub fn lost(&self) -> u64 {
        self.sent.saturating_sub(self.received)
    }

    /// What has come since `before`, an earlier state of the same lane. The jitter stays what it is now.
    pub fn since(&self, before: &Arrivals) -> Arrivals {
        Arrivals {
            received: self.received - before.received,
            sent: self.sent - before.sent,
            out_of_order: self.out_of_order - before.out_of_order,
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(number: u64, sent_us: u64) -> Stamp {
        Stamp { lane: 0, number, sent_us }
    }

    #[test]
    fn a_constant_delay_has_no_jitter_whatever_the_clocks_say() {
        for offset in [5, 1 << 40, u64::MAX - 10] {
            let mut arrivals = Arrivals::default();
            for number in 0..100 {
                arrivals.arrive(stamp(number, number * 1000), (number * 1000).wrapping_add(offset));
            }
            assert_eq!((arrivals.jitter_us, arrivals.lost(), arrivals.out_of_order), (0.0, 0, 0), "offset {offset}");
        }
    }

    #[test]
    fn the_jitter_approaches_the_mean_deviation() {
        let mut arrivals = Arrivals::default();
        for number in 0..1000 {
            arrivals.arrive(stamp(number, number * 1000), number * 1000 + 200 * (number % 2));
        }
        assert!((arrivals.jitter_us - 200.0).abs() < 1.0, "{}", arrivals.jitter_us);
        let mut first = Arrivals::default();
        first.arrive(stamp(0, 0), 0);
        first.arrive(stamp(1, 0), 160);
        assert_eq!(first.jitter_us, 10.0);
    }

    #[test]
    fn a_late_datagram_is_out_of_order_and_not_lost() {
        let mut arrivals = Arrivals::default();
        for number in [0, 1, 3, 2, 6] {
            arrivals.arrive(stamp(number, 0), 0);
        }
        assert_eq!((arrivals.received, arrivals.sent, arrivals.out_of_order, arrivals.lost()), (5, 7, 1, 2));
    }

    #[test]
    fn the_lost_end_shows_when_the_sender_has_told_its_count() {
        let mut arrivals = Arrivals::default();
        arrivals.arrive(stamp(0, 0), 0);
        assert_eq!(arrivals.lost(), 0);
        arrivals.announced(10);
        assert_eq!(arrivals.lost(), 9);
        arrivals.announced(3);
        assert_eq!(arrivals.sent, 10);
    }

    #[test]
    fn a_count_that_overtakes_its_datagrams_puts_none_of_them_out_of_order() {
        let mut arrivals = Arrivals::default();
        arrivals.arrive(stamp(0, 0), 0);
        arrivals.announced(4);
        for number in [1, 3, 2] {
            arrivals.arrive(stamp(number, 0), 0);
        }
        assert_eq!((arrivals.sent, arrivals.lost(), arrivals.out_of_order), (4, 0, 1));
    }

    #[test]
    fn an_interval_counts_only_what_came_in_it() {
        let mut arrivals = Arrivals::default();
        for number in [0, 2] {
            arrivals.arrive(stamp(number, 0), 0);
        }
        let before = arrivals;
        for number in [3, 5, 4] {
            arrivals.arrive(stamp(number, 0), 0);
        }
        let new = arrivals.since(&before);
        assert_eq!((new.received, new.sent, new.lost(), new.out_of_order), (3, 3, 0, 1));
    }

    #[test]
    fn the_highest_number_of_all_does_no_harm() {
        let mut arrivals = Arrivals::default();
        arrivals.arrive(stamp(u64::MAX, u64::MAX), 0);
        arrivals.arrive(stamp(u64::MAX, 0), u64::MAX);
        assert_eq!((arrivals.received, arrivals.sent), (2, u64::MAX));
    }
}
