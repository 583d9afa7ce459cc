//! Figure 17: one client alone, objects of many sizes, each on a connection of its own.

use super::testbed::Testbed;
use crate::exchange::{Crowd, Way};

/// Bytes of objects; the paper's curves have no numbers in its text.
pub const SIZES: [u64; 9] = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];

/// A client that fetches so many objects of a size. [`goodput_bps`](super::testbed::goodput_bps) measures it.
pub fn crowd(seed: u64, way: Way, size: u64, objects: usize) -> Crowd {
    Testbed::default().alone(seed, way, core::iter::repeat_n(size, objects))
}

#[cfg(test)]
mod tests {
    use super::super::testbed::{LAN_RTT, goodput_bps};
    use super::*;

    #[test]
    fn of_the_reference_small_objects_take_two_round_trips_and_large_ones_fill_the_link() {
        let rates = SIZES.map(|size| goodput_bps(&crowd(1, Way::Tcp, size, 20)).expect("they are loaded"));
        assert!(rates.is_sorted(), "{rates:?}");
        let least = 100.0 * 8.0 / (2.0 * LAN_RTT.as_secs_f64());
        assert!(rates[0] > 0.8 * least && rates[0] < least, "{rates:?}");
        assert!(rates[8] > 90e6, "{rates:?}");
    }
}
