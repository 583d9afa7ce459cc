//! What came of a run, in plain values. Times in seconds, rates in bits per second.

use core::fmt;

use serde::Serialize;
use tng_sim::{DropCause, LaneStats};

/// What came of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// When the run ended.
    pub time_s: f64,
    /// Flows, in the order of the scenario.
    pub flows: Vec<FlowReport>,
    /// Links, in the order of the scenario.
    pub links: Vec<LinkReport>,
    /// Jain's index of the goodputs of the flows that moved anything: 1 when all are equal, `1/n` when one has everything.
    pub fairness: Option<f64>,
    /// Digest of everything that happened to packets: the same scenario and seed give the same, bit for bit.
    pub digest: String,
}

/// What came of a flow.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FlowReport {
    /// Its name.
    pub name: String,
    /// What carried it.
    pub protocol: &'static str,
    /// The sender's congestion controller.
    pub controller: String,
    /// Bytes that the receiver has, every one compared with what was sent.
    pub bytes: u64,
    /// When it started, if it did.
    pub start_s: Option<f64>,
    /// How long after the start the receiver had the first byte.
    pub first_byte_s: Option<f64>,
    /// How long after the start the receiver had everything.
    pub completion_s: Option<f64>,
    /// Bytes received by the time from the start to completion, or to the end of the run.
    pub goodput_bps: f64,
    /// Why it failed, if it did.
    pub failure: Option<String>,
    /// Smoothed round-trip time at the sender at the end, if its connection is still there.
    pub rtt_smoothed_s: Option<f64>,
    /// Smallest round-trip time seen by the sender, likewise.
    pub rtt_min_s: Option<f64>,
}

/// What came of a link.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LinkReport {
    /// Its name.
    pub name: String,
    /// From its first end to its second.
    pub forth: LaneReport,
    /// The other way.
    pub back: LaneReport,
}

/// What came of one direction of a link.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LaneReport {
    /// Packets offered.
    pub offered: u64,
    /// Packets that came out.
    pub delivered: u64,
    /// Their bytes, headers of the simulated network included.
    pub delivered_bytes: u64,
    /// Packets lost, by cause, without those that are zero.
    pub dropped: Vec<(&'static str, u64)>,
    /// Packets marked by the queue.
    pub marked: u64,
    /// Share of the link's rate that was used, if it has one.
    pub utilisation: Option<f64>,
    /// Packets waiting, averaged over time.
    pub queue_packets_mean: f64,
    /// Most packets that waited.
    pub queue_packets_max: u64,
    /// Mean wait of a packet.
    pub sojourn_mean_s: f64,
    /// Longest wait.
    pub sojourn_max_s: f64,
}

impl LaneReport {
    pub(crate) fn new(stats: &LaneStats, rate_bps: Option<u64>, time_s: f64) -> LaneReport {
        let dropped = DropCause::ALL
            .into_iter()
            .map(|cause| (cause.name(), stats.dropped_for(cause)))
            .filter(|(_, count)| *count > 0)
            .collect();
        LaneReport {
            offered: stats.offered,
            delivered: stats.delivered,
            delivered_bytes: stats.delivered_bytes,
            dropped,
            marked: stats.marked,
            utilisation: rate_bps.map(|bps| stats.delivered_bytes as f64 * 8.0 / (bps as f64 * time_s.max(1e-9))),
            queue_packets_mean: stats.queue_packets_mean(),
            queue_packets_max: stats.queue_packets_max,
            sojourn_mean_s: stats.sojourn_mean().as_secs_f64(),
            sojourn_max_s: stats.sojourn_max.as_secs_f64(),
        }
    }
}

/// Jain's fairness index.
pub(crate) fn fairness(goodputs: &[f64]) -> Option<f64> {
    let (sum, squares) = goodputs.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    (squares > 0.0).then(|| sum * sum / (goodputs.len() as f64 * squares))
}

impl fmt::Display for Report {
    /// Two tables, for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}, {:.3} s of virtual time, digest {}", self.seed, self.time_s, &self.digest[..16])?;
        writeln!(f, "\n{:24} {:>10} {:>12} {:>12} {:>12}", "flow", "controller", "bytes", "completion", "goodput")?;
        for flow in &self.flows {
            let completion = match (&flow.failure, flow.completion_s) {
                (Some(reason), _) => format!("failed: {reason}"),
                (None, Some(s)) => format!("{s:.3} s"),
                (None, None) => "not ended".to_owned(),
            };
            let mbit = flow.goodput_bps / 1e6;
            let (name, controller) = (&flow.name, &flow.controller);
            writeln!(f, "{name:24} {controller:>10} {:>12} {completion:>12} {mbit:>5.2} Mbit/s", flow.bytes)?;
        }
        writeln!(
            f,
            "\n{:24} {:>10} {:>8} {:>6} {:>11} {:>10}",
            "link", "delivered", "dropped", "used", "queue mean", "wait max"
        )?;
        for link in &self.links {
            for (way, lane) in [(">", &link.forth), ("<", &link.back)] {
                let dropped: u64 = lane.dropped.iter().map(|(_, count)| count).sum();
                let used = lane.utilisation.map_or("-".to_owned(), |share| format!("{:.1}%", share * 100.0));
                writeln!(
                    f,
                    "{:22} {way} {:>10} {dropped:>8} {used:>6} {:>9.1} p {:>7.1} ms",
                    link.name,
                    lane.delivered,
                    lane.queue_packets_mean,
                    lane.sojourn_max_s * 1e3
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fairness_is_one_for_equal_shares_and_a_half_when_one_of_two_has_everything() {
        assert_eq!(fairness(&[5.0, 5.0, 5.0]), Some(1.0));
        assert_eq!(fairness(&[5.0, 0.0]), Some(0.5));
        assert_eq!(fairness(&[]), None);
    }
}
