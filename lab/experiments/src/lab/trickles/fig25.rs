//! Figures 25 and 26: what a flow has beside others, and how far the slowest is behind the fastest.

use core::time::Duration;

use tng_sim::fork;

use super::testbed::{Testbed, one_by_one, rates_bps};
use crate::exchange::{Crowd, ENDLESS, Way};
use crate::lab::RunError;

/// Flows in the background. The paper's bars have no numbers in its text: what the flow in the foreground has is
/// "comparable" in all cases, and so is the slowest's part of the fastest, but for TCP in the foreground of 49 and of
/// 99 of Trickles.
pub const BACKGROUND: [usize; 5] = [1, 9, 24, 49, 99];

/// The flows begin within this time.
const START_WITHIN: Duration = Duration::from_secs(2);
/// What the seed is used for beside the world.
const LOT_OF_STARTS: u64 = 1 << 34;
/// Packets that wait for the shared link for each flow, at least.
const QUEUE_PER_FLOW: usize = 8;

/// One flow in the foreground and others in the background, each kind with a server of its own, on a dumbbell of 100
/// Mbit/s with access links of 1 Gbit/s. A queue that holds [`QUEUE_PACKETS`](super::testbed::QUEUE_PACKETS) packets
/// holds one for each of 100 flows; it has eight for each.
pub fn crowd(seed: u64, foreground: Way, background: Way, flows: usize, rtt: Duration) -> Crowd {
    let testbed = Testbed::default().rtt(rtt).shaken();
    let testbed = Testbed { queue_packets: testbed.queue_packets.max(QUEUE_PER_FLOW * (flows + 1)), ..testbed };
    let mut lots = fork(seed, LOT_OF_STARTS);
    let visits = (0..=flows).map(|number| {
        let mut visit = one_by_one(usize::from(number > 0), [ENDLESS]);
        visit.errand.steps[0].after = Duration::from_nanos(lots.below(START_WITHIN.as_nanos() as u64));
        visit
    });
    let visits = visits.collect();
    testbed.crowd(seed, vec![foreground, background], visits)
}

/// Who had how much.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shares {
    /// What the flow in the foreground had of the mean of all.
    pub foreground: f64,
    /// What the slowest had of the fastest.
    pub slowest: f64,
}

/// Measures such a world.
///
/// # Errors
/// What a client failed at.
pub fn measure(crowd: &Crowd, from: Duration, to: Duration) -> Result<Shares, RunError> {
    let rates = rates_bps(crowd, from, to)?;
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let end = |start, pick: fn(f64, f64) -> f64| rates.iter().copied().fold(start, pick);
    Ok(Shares { foreground: rates[0] / mean, slowest: end(f64::INFINITY, f64::min) / end(0.0, f64::max) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(20);

    fn shares(flows: usize, seeds: u64, seconds: u64) -> (f64, f64) {
        let (from, to) = (Duration::from_secs(10), Duration::from_secs(10 + seconds));
        let all = (1..=seeds).map(|seed| measure(&crowd(seed, Way::Tcp, Way::Tcp, flows, RTT), from, to));
        let all: Vec<Shares> = all.map(|shares| shares.expect("they are measured")).collect();
        let mean = |of: fn(&Shares) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        (mean(|shares| shares.foreground), mean(|shares| shares.slowest))
    }

    #[test]
    fn a_flow_of_the_reference_beside_another_has_half() {
        let (foreground, _) = shares(1, 6, 25);
        assert!((0.9..1.1).contains(&foreground), "{foreground}");
    }

    #[test]
    fn the_more_flows_the_further_the_slowest_is_behind_the_fastest() {
        let (few, many) = (shares(1, 3, 20).1, shares(49, 1, 10).1);
        assert!(many < few && many > 0.0, "{few}, {many}");
    }
}
