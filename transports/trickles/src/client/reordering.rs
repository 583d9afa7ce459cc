//! When a packet that did not come counts as lost: how much later packets may overtake earlier ones is learned. What
//! several servers send overtakes each other by as much as they differ, which says nothing: packets of each are counted
//! apart.

use core::time::Duration;

use tng_base::Instant;

use super::rtt::RoundTrip;

/// So many later packets make a packet lost, while nothing is known of reordering (RFC 5681, section 3.2).
pub const LATER_PACKETS_MIN: u64 = 3;
/// The most that is learned.
pub const LATER_PACKETS_MAX: u64 = 300;
/// After so many round trips without reordering the threshold is one lower.
const ROUNDS_PER_STEP_DOWN: u32 = 16;
/// The wait for what was overtaken is so many quarters of the shortest round trip at most (RFC 8985, section 6.2).
const QUARTERS_MAX: u32 = 8;

/// While no pair has told how long packets take, a packet is waited for so long at least: two of 1,500 bytes over 1
/// Mbit/s.
pub const PATIENCE_AT_FIRST: Duration = Duration::from_millis(24);

/// What is known of reordering.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reordering {
    later_packets: u64,
    quarters: u32,
    /// When it was last seen, or forgotten a little.
    changed: Instant,
    /// How long the second packet of a pair came after the first of late, if that was ever seen.
    spacing: Option<Duration>,
}

impl Reordering {
    pub(super) fn new(now: Instant) -> Reordering {
        Reordering { later_packets: LATER_PACKETS_MIN, quarters: 1, changed: now, spacing: None }
    }

    /// With a threshold that does not follow what is seen.
    pub(super) const fn fixed(self, later_packets: u64) -> Reordering {
        Reordering { later_packets, quarters: 1, ..self }
    }

    /// A packet came after `later` later ones. `was_lost`: it had been taken for lost.
    pub(super) fn seen(&mut self, now: Instant, later: u64, was_lost: bool) {
        self.later_packets = self.later_packets.max(later + 1).min(LATER_PACKETS_MAX);
        if was_lost {
            self.quarters = (self.quarters + 1).min(QUARTERS_MAX);
        }
        self.changed = now;
    }

    /// The second packet of a pair came so long after the first, with which it went out: that is what the narrowest
    /// link takes for a packet, and others' packets between. The longest counts, and is forgotten by eighths.
    pub(super) fn spaced(&mut self, gap: Duration) {
        self.spacing = Some(self.spacing.map_or(gap, |spacing| gap.max(spacing - spacing / 8)));
    }

    /// Forgets a little of it when none was seen for long.
    pub(super) fn age(&mut self, now: Instant, rtt: &RoundTrip) {
        let Some(smoothed) = rtt.smoothed() else { return };
        if now.since(self.changed) >= smoothed * ROUNDS_PER_STEP_DOWN {
            self.later_packets = (self.later_packets - 1).max(LATER_PACKETS_MIN);
            self.quarters = (self.quarters - 1).max(1);
            self.changed = now;
        }
    }

    /// So many later packets make a packet lost.
    pub(super) const fn threshold(&self) -> u64 {
        self.later_packets
    }

    /// So long after a later packet has come an earlier one of its server is lost, however few came: some quarters of a
    /// round trip, and the time that four packets take one behind the other, when `window` of them come in a round trip
    /// and as pairs tell. A window that has outgrown the path says too little until the round trip has grown with the
    /// queue.
    pub(super) fn patience(&self, rtt: &RoundTrip, window: u64) -> Duration {
        let Some((least, smoothed)) = rtt.least().zip(rtt.smoothed()) else { return super::rtt::RTO_FIRST };
        let most = smoothed * 2;
        let Some(spacing) = self.spacing else { return most.max(PATIENCE_AT_FIRST) };
        let spread = smoothed * 4 / u32::try_from(window.max(1)).unwrap_or(u32::MAX);
        // Where packets overtake each other by more than three the count of them decides, and time is the last resort.
        let quarters = if self.later_packets > LATER_PACKETS_MIN { self.quarters.max(4) } else { self.quarters };
        // The round trip may be that of small packets, which says little of the time that large ones take.
        (least / 4 * quarters).max(spread).max(spacing * 4).min(most.max(spacing * 2))
    }

    /// So long after a packet was asked for it is lost, if its server has sent nothing since and others have sent what
    /// they were asked for later (RFC 8985, section 6.2, with time alone).
    pub(super) fn overdue(&self, rtt: &RoundTrip, window: u64) -> Duration {
        rtt.most().unwrap_or_default() + self.patience(rtt, window).max(PATIENCE_AT_FIRST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_follows_the_reordering_that_is_seen_and_comes_back() {
        let at = Instant::from_millis;
        let mut rtt = RoundTrip::default();
        rtt.sample(Duration::from_millis(40));
        let mut reordering = Reordering::new(at(0));
        assert_eq!(reordering.patience(&rtt, 100), Duration::from_millis(80), "nothing is known of the path");
        reordering.spaced(Duration::from_millis(1));
        assert_eq!((reordering.threshold(), reordering.patience(&rtt, 100)), (3, Duration::from_millis(10)));
        assert_eq!(reordering.patience(&rtt, 2), Duration::from_millis(80), "a slow path: packets come one by one");
        reordering.seen(at(1), 10, true);
        assert_eq!((reordering.threshold(), reordering.patience(&rtt, 100)), (11, Duration::from_millis(40)));
        let fixed = [3, 30].map(|packets| reordering.fixed(packets)).map(|fixed| fixed.patience(&rtt, 100));
        assert_eq!(fixed, [10, 40].map(Duration::from_millis), "a threshold above three decides before time does");
        reordering.seen(at(2), 100_000, false);
        assert_eq!(reordering.threshold(), LATER_PACKETS_MAX);
        for round in 0..100_000 {
            reordering.age(at(2 + 640 * round), &rtt);
        }
        assert_eq!((reordering.threshold(), reordering.patience(&rtt, 100)), (3, Duration::from_millis(10)));
    }

    #[test]
    fn what_pairs_tell_of_the_path_bounds_how_soon_a_packet_is_missed() {
        let micros = Duration::from_micros;
        let mut rtt = RoundTrip::default();
        rtt.sample(micros(330));
        let mut reordering = Reordering::new(Instant::from_millis(0));
        reordering.spaced(micros(2));
        assert!(reordering.patience(&rtt, 20) < micros(120), "the second of a pair is missed while it is on its way");
        reordering.spaced(micros(120));
        assert_eq!(reordering.patience(&rtt, 20), micros(480));
        reordering.spaced(micros(1_200));
        assert_eq!(reordering.patience(&rtt, 20), micros(2_400), "beyond two round trips, which small packets took");
        (0..40).for_each(|_| reordering.spaced(micros(2)));
        assert!(reordering.patience(&rtt, 20) < micros(120), "it is forgotten");
    }
}
