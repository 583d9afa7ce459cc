//! Figure 27: a file over many paths, by their round trips.

use core::time::Duration;

use tng_base::Rng;
use tng_sim::Loss;

use super::testbed::Testbed;
use crate::exchange::{Crowd, Way};

/// Bytes of the file.
pub const FILE_BYTES: u64 = 160_000;
/// Round trips are put together by so much. The paper's points have no numbers in its text: rates are "similar" under
/// comparable conditions; paths of less than a bin stand alone, since they vary widely.
pub const BIN: Duration = Duration::from_millis(50);
/// The paths that are drawn have round trips below this.
pub const RTT_MAX: Duration = Duration::from_millis(400);

/// A path, as one through a far node and back may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Path {
    /// Round trip without any queue.
    pub rtt: Duration,
    /// Bits per second of its slowest link.
    pub rate_bps: u64,
    /// Share of packets that are lost, each way.
    pub loss: f64,
}

/// Rates that are drawn, bits per second: from, to.
const RATES_BPS: (f64, f64) = (2e6, 100e6);
/// Losses that are drawn: from, to.
const LOSSES: (f64, f64) = (1e-4, 1e-2);
/// Packets that wait for the slowest link at least.
const QUEUE_MIN: usize = 20;

/// A value between two, the logarithm of which is drawn evenly.
fn log_even(rng: &mut Rng, (from, to): (f64, f64)) -> f64 {
    from * (to / from).powf(rng.unit())
}

impl Path {
    /// Draws one whose round trip lies in a bin, counted from zero. The paper bounced packets off nodes of PlanetLab;
    /// this is a model: round trips are even within a bin (the first has none below 5 ms), rates from 2 to 100 Mbit/s
    /// and losses from 0.01 to 1 % are even by their logarithm.
    pub fn draw(rng: &mut Rng, bin: u32) -> Path {
        let least = if bin == 0 { 0.1 } else { 0.0 };
        let rtt = BIN.mul_f64(f64::from(bin) + least + (1.0 - least) * rng.unit());
        Path { rtt, rate_bps: log_even(rng, RATES_BPS) as u64, loss: log_even(rng, LOSSES) }
    }

    /// The bin of its round trip.
    pub fn bin(&self) -> u32 {
        (self.rtt.as_nanos() / BIN.as_nanos()) as u32
    }

    /// The network that it is; a round trip's packets can wait.
    pub fn testbed(&self) -> Testbed {
        let testbed = Testbed { rate_bps: self.rate_bps, ..Testbed::default() };
        let packets = (self.rtt.as_secs_f64() / testbed.packet_time().as_secs_f64()) as usize;
        let loss = Loss::Independent(self.loss);
        let testbed = Testbed { loss_down: loss.clone(), loss_up: loss, ..testbed.rtt(self.rtt) };
        Testbed { queue_packets: packets.max(QUEUE_MIN), ..testbed }
    }
}

/// How many bins there are.
pub fn bins() -> u32 {
    (RTT_MAX.as_nanos() / BIN.as_nanos()) as u32
}

/// A client that fetches the file over a path. [`goodput_bps`](super::testbed::goodput_bps) measures it.
pub fn crowd(seed: u64, way: Way, path: &Path) -> Crowd {
    path.testbed().alone(seed, way, [FILE_BYTES])
}

#[cfg(test)]
mod tests {
    use super::super::testbed::goodput_bps;
    use super::*;

    #[test]
    fn paths_lie_in_the_bins_that_they_are_drawn_for() {
        let mut rng = Rng::from_u64(3);
        for bin in 0..bins() {
            for _ in 0..200 {
                let path = Path::draw(&mut rng, bin);
                assert_eq!(path.bin(), bin, "{path:?}");
                assert!(path.rtt >= Duration::from_millis(5) && path.rtt < RTT_MAX, "{path:?}");
                assert!((2_000_000..=100_000_000).contains(&path.rate_bps) && path.loss <= 0.01, "{path:?}");
            }
        }
    }

    #[test]
    fn the_reference_is_slower_over_longer_round_trips() {
        let mean = |bin| {
            let mut rng = Rng::from_u64(4);
            let rates = (0..30).map(|seed| {
                let path = Path::draw(&mut rng, bin);
                goodput_bps(&crowd(seed, Way::Tcp, &path)).expect("it is loaded")
            });
            rates.sum::<f64>() / 30.0
        };
        let means = [0, 2, 6].map(mean);
        assert!(means[0] > 1.5 * means[1] && means[1] > 1.5 * means[2], "{means:?}");
    }
}
