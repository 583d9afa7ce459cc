//! Figure 20: one client alone by the loss on the way to it.

use core::time::Duration;

use tng_sim::Loss;

use super::testbed::{OBJECT_BYTES, Testbed};
use crate::exchange::{Crowd, Way};

/// The round trip: "set to 10 ms to emphasize effects of loss".
pub const RTT: Duration = Duration::from_millis(10);
/// Shares of packets that are lost. The paper's curves have no numbers in its text: Trickles is "similar" to TCP under
/// all.
pub const LOSSES: [f64; 6] = [0.0, 0.001, 0.002, 0.005, 0.01, 0.02];

/// A client that fetches so many objects of 100 MB while a share of what comes to it is lost.
/// [`goodput_bps`](super::testbed::goodput_bps) measures it.
pub fn crowd(seed: u64, way: Way, loss: f64, objects: usize) -> Crowd {
    let testbed = Testbed { loss_down: Loss::Independent(loss), ..Testbed::default().rtt(RTT) };
    testbed.alone(seed, way, core::iter::repeat_n(OBJECT_BYTES, objects))
}

#[cfg(test)]
mod tests {
    use super::super::testbed::goodput_bps;
    use super::*;

    #[test]
    fn the_reference_keeps_to_the_formula_of_reno_where_loss_decides() {
        // M. Mathis et al. (1997); what the queue adds to the round trip is little at this rate.
        let formula = |loss: f64| (1_448.0 * 8.0 / RTT.as_secs_f64() * (1.5 / loss).sqrt()).min(96e6);
        for loss in [0.005, 0.02] {
            let rate = goodput_bps(&crowd(1, Way::Tcp, loss, 1)).expect("it is loaded");
            let ratio = rate / formula(loss);
            assert!((0.75..1.15).contains(&ratio), "{loss}: {rate}, {ratio} of the formula");
        }
    }
}
