//! The window of TCP Reno in closed form (Trickles 2.5, figure 8 and appendix B).
//!
//! A server that keeps nothing cannot count acknowledgments. It computes the window out of three numbers that stand in
//! a continuation, and the number of the packet that is acknowledged. Packets are counted, not acknowledgments (RFC
//! 3465 with L = 1), so that it does not matter how a client groups them.

use core::ops::Range;

/// The largest window at the start of a stretch, and the largest threshold, in packets.
pub const WINDOW_MAX: u64 = (1 << 24) - 1;

/// The smallest window after a loss, in packets (RFC 5681, equation 4).
pub const THRESHOLD_MIN: u64 = 2;

/// A stretch of packets without loss, from the base on: how the window grows in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Growth {
    base: u64,
    start: u64,
    threshold: u64,
}

impl Growth {
    /// The window is `start` packets when all packets up to number `base` have been acknowledged; it grows by one for
    /// each further packet up to `threshold`, then by one for each window. A start above the threshold would make
    /// every later value wrong, so the threshold is at least the start, and the start at least 1.
    pub fn new(base: u64, start: u64, threshold: u64) -> Growth {
        let start = start.clamp(1, WINDOW_MAX);
        Growth { base, start, threshold: threshold.clamp(start, WINDOW_MAX) }
    }

    /// The last packet before it.
    pub const fn base(&self) -> u64 {
        self.base
    }

    /// The window at its start.
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// Where slow start ends.
    pub const fn threshold(&self) -> u64 {
        self.threshold
    }

    /// The window, in packets, once packet `number` and all before it are acknowledged. Up to the base it is that of
    /// the start.
    pub fn window(&self, number: u64) -> u64 {
        let Some(grown) = number.checked_sub(self.base) else { return self.start };
        let slow = self.threshold - self.start;
        match grown.checked_sub(slow) {
            None => self.start + grown,
            Some(steady) => avoidance(self.threshold, steady),
        }
    }

    /// The numbers of the packets that the line begins with.
    pub const fn first(&self) -> Range<u64> {
        self.base + 1..self.base + 1 + self.start
    }

    /// The numbers of the packets that are sent when packets `low..=high` are acknowledged. Whatever the order in which
    /// packets are acknowledged, each number comes once, and none is left out.
    pub fn released(&self, low: u64, high: u64) -> Range<u64> {
        low + self.window(low.saturating_sub(1))..high + 1 + self.window(high)
    }
}

/// The window after `steady` packets in congestion avoidance that began at `threshold`: the greatest `n` with
/// `((n - 1) n - (threshold - 1) threshold) / 2 <= steady`. Figure 8 writes "less than", which is wrong by one wherever
/// the window grows; appendix B is right.
fn avoidance(threshold: u64, steady: u64) -> u64 {
    let odd = 2 * threshold - 1;
    // 49 bits squared, and a number below 2^62: only the latter times eight may not fit.
    match steady.checked_mul(8).and_then(|steady| steady.checked_add(odd * odd)) {
        Some(square) => square.isqrt().div_ceil(2),
        None => (u128::from(odd) * u128::from(odd) + 8 * u128::from(steady)).isqrt().div_ceil(2) as u64,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::NUMBER_LIMIT;
    use tng_base::Rng;

    /// Reno that counts packets, directly: the window after each of them.
    pub(crate) struct Reno {
        pub(crate) window: u64,
        pub(crate) threshold: u64,
        pub(crate) counted: u64,
    }

    impl Reno {
        pub(crate) fn acknowledge(&mut self) -> u64 {
            if self.window < self.threshold {
                self.window += 1;
            } else {
                self.counted += 1;
                if self.counted == self.window {
                    (self.window, self.counted) = (self.window + 1, 0);
                }
            }
            self.window
        }
    }

    #[test]
    fn the_closed_form_is_reno_for_every_start_and_threshold_up_to_64() {
        for base in [0, 1, 12_345] {
            for start in 1..=64 {
                for threshold in start..=64 {
                    let growth = Growth::new(base, start, threshold);
                    let mut reno = Reno { window: start, threshold, counted: 0 };
                    assert_eq!(growth.window(base), start);
                    for number in base + 1..=base + 4_096 {
                        assert_eq!(growth.window(number), reno.acknowledge(), "{growth:?} at {number}");
                    }
                }
            }
        }
    }

    /// `window` counts to `n` when so many packets have come since the start of the stretch: exact integers, no roots.
    fn first_with(growth: &Growth, n: u64) -> u128 {
        let (n, start, threshold) = (u128::from(n), u128::from(growth.start()), u128::from(growth.threshold()));
        match n <= threshold {
            true => n - start,
            false => (threshold - start) + (n * (n - 1) - threshold * (threshold - 1)) / 2,
        }
    }

    #[test]
    fn at_drawn_points_of_64_bits_the_window_is_the_one_whose_packets_have_come() {
        let mut state = 7_u64;
        let mut draw = || {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        };
        for _ in 0..1_000_000 {
            let (bits, of_window) = (draw() % 62, draw() % 24);
            let start = 1 + draw() % (1 << of_window);
            let threshold = start + draw() % (WINDOW_MAX - start + 1) % (1 << (1 + draw() % 24));
            let base = draw() % (1 << 60);
            let growth = Growth::new(base, start, threshold);
            let number = base + (draw() & ((1 << bits) - 1)).min(NUMBER_LIMIT - 1 - base);
            let window = growth.window(number);
            let grown = u128::from(number - base);
            assert!(first_with(&growth, window) <= grown, "{growth:?} {number}");
            assert!(grown < first_with(&growth, window + 1), "{growth:?} {number}");
        }
    }

    #[test]
    fn the_window_is_what_another_program_computes() {
        let lines = include_str!("window/vectors.txt").lines().filter(|line| !line.starts_with('#'));
        let mut count = 0;
        for line in lines {
            let fields: Vec<u64> = line.split(' ').map(|field| field.parse().unwrap()).collect();
            let &[base, start, threshold, number, window] = &fields[..] else { panic!("{line}") };
            assert_eq!(Growth::new(base, start, threshold).window(number), window, "{line}");
            count += 1;
        }
        assert_eq!(count, 440);
    }

    #[test]
    fn a_start_above_the_threshold_is_clamped() {
        let growth = Growth::new(0, 10, 4);
        let mut reno = Reno { window: 10, threshold: 10, counted: 0 };
        for number in 1..=200 {
            assert_eq!(growth.window(number), reno.acknowledge());
        }
    }

    #[test]
    fn each_number_is_released_once_and_as_many_are_under_way_as_the_window() {
        for (base, start, threshold) in [(40, 3, 8), (0, 10, 64), (7, 1, 1), (1_000, 2, 2)] {
            let growth = Growth::new(base, start, threshold);
            let mut next = base + 1 + start;
            for number in base + 1..base + 4_000 {
                let released = growth.released(number, number);
                assert_eq!(released.start, next);
                next = released.end;
                assert_eq!(next - 1 - number, growth.window(number), "under way");
            }
        }
    }

    #[test]
    fn however_packets_are_grouped_into_requests_the_same_numbers_are_released() {
        let mut draw = Rng::from_u64(5);
        for _ in 0..2_000 {
            let (base, start) = (draw.below(1 << 40), 1 + draw.below(40));
            let growth = Growth::new(base, start, start + draw.below(60));
            // Requests for runs of up to 64 packets, which come in any order.
            let (mut at, mut runs) = (base + 1, Vec::new());
            while at <= base + 300 {
                let end = at + 1 + draw.below(64);
                runs.push((at, end - 1));
                at = end;
            }
            (1..runs.len()).for_each(|of| runs.swap(of, draw.below(of as u64 + 1) as usize));
            let mut released: Vec<_> = runs.iter().map(|(low, high)| growth.released(*low, *high)).collect();
            released.sort_by_key(|range| range.start);
            let alone = (base + 1..at).map(|number| growth.released(number, number));
            let alone = alone.fold(growth.first().end..growth.first().end, |all, range| {
                assert_eq!(range.start, all.end);
                all.start..range.end
            });
            let mut next = alone.start;
            for range in &released {
                assert_eq!(range.start, next, "{growth:?}: {released:?}");
                next = range.end;
            }
            assert_eq!(next, alone.end, "{growth:?}: {runs:?}");
        }
    }

    #[test]
    fn the_windows_of_figure_9_are_those() {
        let growth = Growth::new(40, 3, 8);
        let windows: Vec<u64> = (40..64).map(|number| growth.window(number)).collect();
        assert_eq!(windows, [3, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 10, 10]);
    }
}
