//! Figure 21: one client alone by the loss on the way to it, and by that on the way back.

use tng_sim::Loss;

use super::testbed::{OBJECT_BYTES, Testbed};
use crate::exchange::{Crowd, Way};

/// Shares of packets that are lost, at a round trip of nothing but the LAN. The paper's curves have no numbers in its
/// text: loss on the way back does nothing to TCP, whose acknowledgments are cumulative, and to Trickles the same as
/// on the way forth.
pub const LOSSES: [f64; 5] = [0.0, 0.005, 0.01, 0.02, 0.05];

/// Which way loses packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lossy {
    /// From the server to the client.
    Forward,
    /// From the client to the server.
    Reverse,
}

/// A client that fetches so many objects of 100 MB. [`goodput_bps`](super::testbed::goodput_bps) measures it.
pub fn crowd(seed: u64, way: Way, lossy: Lossy, loss: f64, objects: usize) -> Crowd {
    let loss = Loss::Independent(loss);
    let testbed = match lossy {
        Lossy::Forward => Testbed { loss_down: loss, ..Testbed::default() },
        Lossy::Reverse => Testbed { loss_up: loss, ..Testbed::default() },
    };
    testbed.alone(seed, way, core::iter::repeat_n(OBJECT_BYTES, objects))
}

#[cfg(test)]
mod tests {
    use super::super::testbed::goodput_bps;
    use super::*;

    #[test]
    fn loss_on_the_way_back_does_nothing_to_the_reference_and_loss_on_the_way_forth_does() {
        let rate = |lossy, loss| goodput_bps(&crowd(1, Way::Tcp, lossy, loss, 1)).expect("it is loaded") / 1e6;
        let [none, forward, reverse] =
            [(Lossy::Forward, 0.0), (Lossy::Forward, 0.05), (Lossy::Reverse, 0.05)].map(|(way, loss)| rate(way, loss));
        assert!(reverse > 0.95 * none && forward < 0.8 * none, "{none}, {forward}, {reverse}");
    }
}
