//! Figure 23: pipelined transfers of objects that are smaller than what a round trip carries.

use core::time::Duration;

use super::testbed::{REQUEST_BYTES, Testbed};
use crate::exchange::{Crowd, Errand, Habit, Page, Request, Step, Visit, Way};

/// Bytes of the objects of the figure, and of those that fill the link however they are asked for.
pub const SIZES: (u64, u64) = (20_000, 250_000);
/// Requests that are under way.
pub const DEPTH: usize = 10;
/// The round trip.
pub const RTT: Duration = Duration::from_millis(10);
/// Mbit/s with the larger objects at a round trip of 10 ms: TCP, and Trickles with SKIP hints (6.1).
pub const PAPER_LARGE: (f64, f64) = (91.0, 86.0);
/// Share of an object after which the paper's server sent SKIP.
pub const PAPER_SKIP_AT: f64 = 0.5;

/// A client that asks for so many objects of `size`, [`DEPTH`] of them at a time, on one connection.
/// [`goodput_bps`](super::testbed::goodput_bps) measures it.
pub fn crowd(seed: u64, way: Way, size: u64, objects: usize) -> Crowd {
    // The first of a page is waited for; it is one of so many.
    let requests = vec![Request { request: REQUEST_BYTES, answer: size }; objects];
    let steps = vec![Step { after: Duration::ZERO, cold: false, page: Page { requests } }];
    let habit = Habit { streams: 1, persistent: true, depth: DEPTH };
    let visit = Visit { server: 0, errand: Errand::new(habit, steps) };
    Testbed::default().rtt(RTT).crowd(seed, vec![way], vec![visit])
}

#[cfg(test)]
mod tests {
    use super::super::testbed::goodput_bps;
    use super::*;

    #[test]
    fn pipelined_requests_fill_the_link_for_the_reference_whatever_the_size() {
        for size in [SIZES.0, SIZES.1] {
            let rate = goodput_bps(&crowd(1, Way::Tcp, size, (40_000_000 / size) as usize)).expect("they are loaded");
            assert!(rate > 85e6, "{size} B: {rate}");
        }
    }
}
