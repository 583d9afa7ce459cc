//! Figure 19: one client alone by the round trip.

use core::time::Duration;

use super::testbed::{OBJECT_BYTES, Testbed};
use crate::exchange::{Crowd, Way};

/// Round trips, milliseconds. The paper's curves have no numbers in its text: Trickles is "similar" to TCP under all.
pub const RTTS_MS: [u64; 6] = [10, 20, 50, 100, 150, 200];

/// A client that fetches so many objects of 100 MB over a round trip of `rtt`. A queue of one round trip stands before
/// the link, so that it is the round trip that is measured and not the queue.
/// [`goodput_bps`](super::testbed::goodput_bps) measures it.
pub fn crowd(seed: u64, way: Way, rtt: Duration, objects: usize) -> Crowd {
    let testbed = Testbed::default().rtt(rtt);
    let packets = (testbed.rtt.as_secs_f64() / testbed.packet_time().as_secs_f64()) as usize;
    let testbed = Testbed { queue_packets: testbed.queue_packets.max(packets), ..testbed };
    testbed.alone(seed, way, core::iter::repeat_n(OBJECT_BYTES, objects))
}

#[cfg(test)]
mod tests {
    use super::super::testbed::goodput_bps;
    use super::*;

    #[test]
    fn a_longer_round_trip_costs_the_reference_throughput_at_the_start_alone() {
        let rates = [10, 200].map(|ms| {
            let crowd = crowd(1, Way::Tcp, Duration::from_millis(ms), 1);
            goodput_bps(&crowd).expect("it is loaded") / 1e6
        });
        assert!(rates[0] > 90.0 && rates[1] < rates[0] && rates[1] > 40.0, "{rates:?}");
    }
}
