//! Figure 22: one client alone while bursts of packets are reordered on the way to it.

use core::time::Duration;

use tng_sim::{PATTERN_HOLD, Patterns, Reorder};

use super::testbed::Testbed;
use crate::exchange::{Crowd, Way};

/// Bytes of the object.
pub const OBJECT_BYTES: u64 = 1_000_000_000;
/// Packets of the bursts that the paper sent, 1,500 bytes each, back to back.
pub const BURST_PACKETS: usize = 10;
/// Of how many nodes bursts came, and how many of these reordered more than one burst in 33 hours.
pub const PAPER_NODES: (u32, u32) = (29, 2);

/// A path that reorders. The paper's figure has the parameters of its two, and its text has not; these are ours: both
/// make one packet of a burst late ([`Patterns::bursts`]), the one seldom and by little, the other often and by more.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReorderingPath {
    /// Its name in tables.
    pub name: &'static str,
    /// Its round trip.
    pub rtt: Duration,
    /// The share of packets at which a burst begins that is reordered.
    pub share: f64,
    /// How many times as likely as by one less a packet is late by one more.
    pub decay: f64,
}

/// The paths that are measured where no file says another.
pub const PATHS: [ReorderingPath; 2] = [
    ReorderingPath { name: "seldom", rtt: Duration::from_millis(50), share: 0.0005, decay: 0.5 },
    ReorderingPath { name: "often", rtt: Duration::from_millis(30), share: 0.005, decay: 0.8 },
];

impl ReorderingPath {
    /// Its patterns.
    pub fn patterns(&self) -> Patterns {
        Patterns::bursts(self.share, BURST_PACKETS, self.decay)
    }
}

/// What happens to packets that would be late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// They are not.
    InOrder,
    /// They are late.
    Late,
    /// They are lost.
    Lost,
}

impl Fate {
    /// From the best for a transport to the worst.
    pub const ALL: [Fate; 3] = [Fate::InOrder, Fate::Late, Fate::Lost];
}

/// A client that fetches an object of `size` over such a path. The paper's emulator has no bottleneck; the testbed's
/// 100 Mbit/s link is one, with a queue of one round trip. [`goodput_bps`](super::testbed::goodput_bps) measures it.
pub fn crowd(seed: u64, way: Way, rtt: Duration, patterns: &Patterns, fate: Fate, size: u64) -> Crowd {
    let burst = |lost| Some(Reorder::Burst { patterns: patterns.clone(), hold: PATTERN_HOLD, lost });
    let reorder = match fate {
        Fate::InOrder => None,
        Fate::Late => burst(false),
        Fate::Lost => burst(true),
    };
    let testbed = Testbed { reorder, ..Testbed::default().rtt(rtt) };
    let packets = (testbed.rtt.as_secs_f64() / testbed.packet_time().as_secs_f64()) as usize;
    Testbed { queue_packets: testbed.queue_packets.max(packets), ..testbed }.alone(seed, way, [size])
}

#[cfg(test)]
mod tests {
    use super::super::testbed::goodput_bps;
    use super::*;

    #[test]
    fn the_reference_loses_less_by_reordering_than_by_the_same_as_loss() {
        for path in PATHS {
            let rate = |fate| {
                let crowd = crowd(1, Way::Tcp, path.rtt, &path.patterns(), fate, 50_000_000);
                goodput_bps(&crowd).expect("it is loaded") / 1e6
            };
            let [whole, late, lost] = Fate::ALL.map(rate);
            assert!(whole > 75.0 && late > 1.3 * lost && late > 0.8 * whole, "{}: {whole}, {late}, {lost}", path.name);
        }
    }
}
