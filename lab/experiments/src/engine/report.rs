//! What came of a run, in plain values. Times in seconds, rates in bits per second.

mod text;

use core::time::Duration;

use serde::Serialize;
use tng_sim::{DropCause, LaneStats, Link};

use crate::engine::samples::LaneSeries;

/// What came of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// When the run ended.
    pub time_s: f64,
    /// The step of every series: their values are for `0` to `interval_s`, from there to twice `interval_s`, and so on,
    /// in the time of the world.
    pub interval_s: f64,
    /// Flows, in the order of the scenario.
    pub flows: Vec<FlowReport>,
    /// Links, in the order of the scenario.
    pub links: Vec<LinkReport>,
    /// NATs, in the order of the scenario; in real time none, `tng link status` counts what these drop.
    pub nats: Vec<NatReport>,
    /// What happened when, in order: the events of the scenario.
    pub events: Vec<EventReport>,
    /// Jain's index of the goodputs of the flows that moved anything: 1 when all are equal, `1/n` when one has
    /// everything.
    pub fairness: Option<f64>,
    /// Groups of flows, in the order of their first flows.
    pub groups: Vec<GroupReport>,
    /// Digest of everything that happened to packets, and of all that is said of flows here: the same scenario and seed
    /// give the same, bit for bit. Empty for a run in real time.
    pub digest: String,
}

impl Report {
    /// What came of the streams of a name.
    pub fn stream(&self, name: &str) -> Option<&StreamReport> {
        self.flows.iter().flat_map(|flow| &flow.streams).find(|stream| stream.name == name)
    }

    /// What came of the datagrams of a name.
    pub fn datagrams(&self, name: &str) -> Option<&DatagramReport> {
        self.flows.iter().flat_map(|flow| &flow.datagrams).find(|datagrams| datagrams.name == name)
    }

    /// What came of the pages of a name.
    pub fn web(&self, name: &str) -> Option<&WebReport> {
        self.flows.iter().flat_map(|flow| &flow.web).find(|web| web.name == name)
    }

    /// A series of bytes as points of a curve: the middle of each interval, and the bits per second in it. It has a
    /// point for every interval of the run.
    pub fn curve(&self, bytes: &[u64]) -> Vec<(f64, f64)> {
        let intervals = (self.time_s / self.interval_s).ceil() as usize;
        let at = |interval: usize| bytes.get(interval).copied().unwrap_or(0);
        let point = |interval| ((interval as f64 + 0.5) * self.interval_s, at(interval) as f64 * 8.0 / self.interval_s);
        (0..intervals.max(bytes.len())).map(point).collect()
    }
}

/// What came of the flows of a group together.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GroupReport {
    /// Its name.
    pub name: String,
    /// How many there are.
    pub flows: usize,
    /// Their goodputs together.
    pub goodput_bps: f64,
    /// What that is of the goodputs of all flows together, if anything moved.
    pub share: Option<f64>,
    /// Jain's index of the goodputs of those that moved anything.
    pub fairness: Option<f64>,
}

impl GroupReport {
    /// Of all flows.
    pub(crate) fn all(flows: &[FlowReport]) -> Vec<GroupReport> {
        let total: f64 = flows.iter().map(|flow| flow.goodput_bps).sum();
        let mut groups: Vec<GroupReport> = Vec::new();
        for flow in flows {
            if groups.iter().any(|group| group.name == flow.group) {
                continue;
            }
            let of_group: Vec<f64> =
                flows.iter().filter(|other| other.group == flow.group).map(|other| other.goodput_bps).collect();
            let moved: Vec<f64> = of_group.iter().copied().filter(|bps| *bps > 0.0).collect();
            let goodput_bps = of_group.iter().sum();
            groups.push(GroupReport {
                name: flow.group.clone(),
                flows: of_group.len(),
                goodput_bps,
                share: (total > 0.0).then(|| goodput_bps / total),
                fairness: fairness(&moved),
            });
        }
        groups
    }
}

/// What came of a flow.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FlowReport {
    /// Its name.
    pub name: String,
    /// The group that it belongs to.
    pub group: String,
    /// What carried it.
    pub protocol: &'static str,
    /// The sender's congestion controller, if the protocol has any.
    pub controller: Option<String>,
    /// Bytes that receivers have of its streams and datagrams, every one compared with what was sent.
    pub bytes: u64,
    /// When it started, if it did.
    pub start_s: Option<f64>,
    /// How long after the start a receiver had the first byte of a stream.
    pub first_byte_s: Option<f64>,
    /// How long after the start everything in it that has an end had come to its end.
    pub completion_s: Option<f64>,
    /// Bytes received by the time from the start to completion, or to the end of the run.
    pub goodput_bps: f64,
    /// Why it failed, if it or a part of it did.
    pub failure: Option<String>,
    /// The smoothed round-trip time at the sender while the flow was under way, in seconds: a value for each interval
    /// from its start to its completion, as it was at the interval's end. In real time, a value for each stream, as it
    /// was last.
    pub rtt_s: Option<Spread>,
    /// What came of the helpers that it names, if it names any; not known in real time.
    pub helped: Option<HelpedReport>,
    /// Smoothed round-trip time at the sender at the end, if its connection is still there: over tng from end to end,
    /// through whatever helpers.
    pub rtt_smoothed_s: Option<f64>,
    /// Smallest round-trip time seen by the sender, likewise.
    pub rtt_min_s: Option<f64>,
    /// Bytes received by interval, of its streams and datagrams together. What it does not reach is zero.
    pub bytes_per_interval: Vec<u64>,
    /// Smoothed round-trip time at the sender at the end of each interval, where it was known.
    pub rtt_per_interval_s: Vec<Option<f64>>,
    /// Its streams, in the order of the scenario; those that a `count` makes are one entry.
    pub streams: Vec<StreamReport>,
    /// Its datagrams, in the order of the scenario.
    pub datagrams: Vec<DatagramReport>,
    /// Its pages, in the order of the scenario.
    pub web: Vec<WebReport>,
}

/// What came of the helpers that a flow names, as the sender of what goes forth knows it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HelpedReport {
    /// Their names, from the flow's `from` on.
    pub via: Vec<String>,
    /// Whether its connection has led through helpers.
    pub used: bool,
    /// Whether it led through them when the run ended, or its host last knew.
    pub in_use: bool,
    /// How often it went on without them.
    pub left: u32,
    /// How often it came back to them.
    pub returned: u32,
    /// Smoothed round-trip time of the first section, to the first helper, at the end, if it led through it then.
    pub section_rtt_smoothed_s: Option<f64>,
    /// Smallest round-trip time of that section, likewise.
    pub section_rtt_min_s: Option<f64>,
}

/// What came of pages that somebody looked at.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WebReport {
    /// Their name.
    pub name: String,
    /// How many there were to be.
    pub pages: u32,
    /// How many were whole.
    pub completed: u32,
    /// Answers that were whole.
    pub objects: usize,
    /// Bytes of answers received.
    pub bytes: u64,
    /// When the first was asked for.
    pub start_s: Option<f64>,
    /// How long each took that was whole, from its first request to the last byte of its last answer.
    pub load_s: Option<Spread>,
    /// How long each answer took, from the request.
    pub object_s: Option<Spread>,
    /// The times of [`load_s`](Self::load_s), in order of the pages.
    pub each_load_s: Vec<f64>,
    /// Bytes received by interval.
    pub bytes_per_interval: Vec<u64>,
    /// Why the first request that failed did.
    pub failure: Option<String>,
}

/// What came of a stream, or of all that a `count` makes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StreamReport {
    /// Its name.
    pub name: String,
    /// The stream whose child it is.
    pub parent: Option<String>,
    /// Streams of this name.
    pub count: u32,
    /// How many of them came to their end.
    pub completed: u32,
    /// Bytes received of all of them.
    pub bytes: u64,
    /// When the first started.
    pub start_s: Option<f64>,
    /// How long after its start each one's receiver had the first byte.
    pub first_byte_s: Option<Spread>,
    /// How long after its start each one's receiver had everything, for those that came to their end.
    pub completion_s: Option<Spread>,
    /// How long the messages in them took, from when each was to be written until it was whole.
    pub message_s: Option<Spread>,
    /// The same for each message, in the order of their streams; not in the JSON, which would grow with them.
    #[serde(skip)]
    pub each_message_s: Vec<f64>,
    /// Bytes received of all of them by the time from the first start to the last end.
    pub goodput_bps: f64,
    /// Bytes received by interval, of all of them. What it does not reach is zero.
    pub bytes_per_interval: Vec<u64>,
    /// Why the first that failed did.
    pub failure: Option<String>,
    /// Each by itself.
    pub each: Vec<OneStream>,
}

/// What came of one stream.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OneStream {
    /// Bytes received.
    pub bytes: u64,
    /// When it started.
    pub start_s: Option<f64>,
    /// How long after that its receiver had the first byte.
    pub first_byte_s: Option<f64>,
    /// How long after that its receiver had everything.
    pub completion_s: Option<f64>,
    /// How the scenario ended it early, if it did.
    pub cut: Option<String>,
    /// Why it failed, if it did.
    pub failure: Option<String>,
}

/// What came of a group of datagrams.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DatagramReport {
    /// Its name.
    pub name: String,
    /// The stream whose children they are, if the file names it.
    pub parent: Option<String>,
    /// Bytes of each.
    pub size: u64,
    /// When the first was sent.
    pub start_s: Option<f64>,
    /// Datagrams that the transport took.
    pub sent: u64,
    /// Those that it did not take, since too many waited.
    pub refused: u64,
    /// Those that came, each once, compared with what was sent.
    pub received: u64,
    /// Those that the transport took and that did not come.
    pub missing: u64,
    /// Those of the missing that were too old before they could leave. `None` if that cannot be told: the sender keeps
    /// count for all datagrams on a connection together.
    pub expired: Option<u64>,
    /// Those that came more than once.
    pub repeated: u64,
    /// How long each took that came.
    pub delay_s: Option<Spread>,
    /// Bytes received by interval.
    pub bytes_per_interval: Vec<u64>,
    /// Why the group failed, if it did.
    pub failure: Option<String>,
}

/// An event of the scenario.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EventReport {
    /// When.
    pub at_s: f64,
    /// What, in a few words.
    pub what: String,
}

/// How values are spread. Percentiles are the values of the nearest rank.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Spread {
    /// How many values.
    pub count: usize,
    /// The least.
    pub min: f64,
    /// Their mean.
    pub mean: f64,
    /// The median.
    pub p50: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// Of these values; `None` if there are none.
    pub fn of(mut values: Vec<f64>) -> Option<Spread> {
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let rank = |percent: usize| values[(values.len() * percent).div_ceil(100).max(1) - 1];
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Some(Spread { count: values.len(), min, mean, p50: rank(50), p90: rank(90), p95: rank(95), p99: rank(99), max })
    }
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
    /// Share of the link's rate, or of what its trace let pass, that was used, if it has one.
    pub utilisation: Option<f64>,
    /// Packets waiting, averaged over time.
    pub queue_packets_mean: f64,
    /// Most packets that waited.
    pub queue_packets_max: u64,
    /// Most bytes that waited.
    pub queue_bytes_max: u64,
    /// Bytes waiting at the end of each interval.
    pub queue_bytes_per_interval: Vec<u64>,
    /// Most bytes that waited at any time in each interval.
    pub queue_bytes_max_per_interval: Vec<u64>,
    /// Packets lost in each interval, by whatever cause.
    pub dropped_per_interval: Vec<u64>,
    /// Mean wait of a packet.
    pub sojourn_mean_s: f64,
    /// Longest wait.
    pub sojourn_max_s: f64,
}

impl LaneReport {
    pub(crate) fn new(stats: &LaneStats, link: &Link, time_s: f64, series: &LaneSeries) -> LaneReport {
        let time = Duration::from_secs_f64(time_s.max(1e-9));
        let used = |capacity| stats.delivered_bytes as f64 / f64::max(capacity, 1.0);
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
            utilisation: link.capacity_bytes(time).map(used),
            queue_packets_mean: stats.queue_packets_mean(),
            queue_packets_max: stats.queue_packets_max,
            queue_bytes_max: stats.queue_bytes_max,
            queue_bytes_per_interval: series.queue_bytes.clone(),
            queue_bytes_max_per_interval: series.queue_bytes_max.clone(),
            dropped_per_interval: series.dropped.clone(),
            sojourn_mean_s: stats.sojourn_mean().as_secs_f64(),
            sojourn_max_s: stats.sojourn_max.as_secs_f64(),
        }
    }
}

/// What a NAT did not let pass.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NatReport {
    /// Its name.
    pub name: String,
    /// Packets, by why, without those that are zero.
    pub dropped: Vec<(&'static str, u64)>,
}

/// Jain's fairness index.
pub(crate) fn fairness(goodputs: &[f64]) -> Option<f64> {
    let (sum, squares) = goodputs.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    (squares > 0.0).then(|| sum * sum / (goodputs.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_of_the_nearest_rank() {
        let spread = Spread::of((1..=100).rev().map(f64::from).collect()).expect("values");
        assert_eq!((spread.min, spread.p50, spread.p90, spread.max), (1.0, 50.0, 90.0, 100.0));
        assert_eq!((spread.p95, spread.p99), (95.0, 99.0));
        assert_eq!((spread.count, spread.mean), (100, 50.5));
        let one = Spread::of(vec![3.0]).expect("a value");
        assert_eq!((one.min, one.p50, one.p99), (3.0, 3.0, 3.0));
        assert_eq!(Spread::of(Vec::new()), None);
    }

    #[test]
    fn fairness_is_one_for_equal_shares_and_a_half_when_one_of_two_has_everything() {
        assert_eq!(fairness(&[5.0, 5.0, 5.0]), Some(1.0));
        assert_eq!(fairness(&[5.0, 0.0]), Some(0.5));
        assert_eq!(fairness(&[]), None);
    }
}
