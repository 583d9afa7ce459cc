//! What a network has done so far, for people and programs.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use tng_sim::{DeliveryTrace, DropCause, Reorder};

use crate::emulator::LaneFigures;
use crate::lateness::Percentiles;
use crate::network::Network;

/// A network's figures.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Status {
    /// Whether its packets are carried before all ordinary work of the machine; without that they are later.
    pub runs_first: bool,
    /// Its links, in the order of the topology.
    pub links: Vec<LinkStatus>,
}

/// A link's figures.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LinkStatus {
    /// Its name.
    pub name: String,
    /// From its first end to its second.
    pub forth: LaneStatus,
    /// The other way.
    pub back: LaneStatus,
}

/// The figures of one direction of a link.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LaneStatus {
    /// Bits per second; none if unlimited. Of a link that follows a trace it is the mean.
    pub rate_bps: Option<u64>,
    /// It follows a trace that repeats after so long.
    pub trace_s: Option<f64>,
    /// Propagation delay.
    pub delay_ms: f64,
    /// The delay varies by up to so much either way.
    pub jitter_ms: f64,
    /// Share of packets that overtake others, because they are spared the delay, or are overtaken.
    pub reorder: f64,
    /// Share of packets lost in the long run.
    pub loss: f64,
    /// Share of packets that arrive twice.
    pub duplicate: f64,
    /// Share of packets that are damaged.
    pub corrupt: f64,
    /// Packets offered.
    pub offered: u64,
    /// Packets that came out.
    pub delivered: u64,
    /// Their bytes, IP headers included.
    pub delivered_bytes: u64,
    /// Packets lost, by cause, without those that are zero.
    pub dropped: BTreeMap<String, u64>,
    /// Packets marked by the queue.
    pub marked: u64,
    /// Copies made.
    pub duplicated: u64,
    /// Packets waiting for the link now.
    pub queued: u64,
    /// Packets on the wire now.
    pub in_flight: u64,
    /// Most packets that waited.
    pub queue_packets_max: u64,
    /// Packets that the kernel dropped before the emulator saw them. If they are many, it is too slow, and the link is
    /// not what it says.
    pub unseen: u64,
    /// Packets that the far device did not take.
    pub refused: u64,
    /// How late packets came out.
    pub lateness: Percentiles,
}

impl LaneStatus {
    fn new(figures: &LaneFigures, unseen: u64) -> LaneStatus {
        let (link, stats) = (&figures.link, &figures.stats);
        let drops = DropCause::ALL.into_iter().map(|cause| (cause.name().to_owned(), stats.dropped_for(cause)));
        LaneStatus {
            rate_bps: link.trace.as_ref().map(DeliveryTrace::mean_bps).or(link.rate_bps),
            trace_s: link.trace.as_ref().map(|trace| trace.length().as_secs_f64()),
            delay_ms: link.delay.as_secs_f64() * 1e3,
            jitter_ms: link.jitter.as_secs_f64() * 1e3,
            reorder: match &link.reorder {
                None => 0.0,
                Some(Reorder::Late { probability, .. } | Reorder::Ahead { probability }) => *probability,
                Some(Reorder::Burst { patterns, .. }) => patterns.late_share(),
            },
            loss: link.loss.rate(),
            duplicate: link.duplicate,
            corrupt: link.corrupt,
            offered: stats.offered,
            delivered: stats.delivered,
            delivered_bytes: stats.delivered_bytes,
            dropped: drops.filter(|(_, count)| *count > 0).collect(),
            marked: stats.marked,
            duplicated: stats.duplicated,
            queued: stats.queued,
            in_flight: stats.in_flight,
            queue_packets_max: stats.queue_packets_max,
            unseen,
            refused: figures.refused,
            lateness: figures.lateness.percentiles(),
        }
    }
}

impl LaneStatus {
    /// What the link does beyond rate, delay and loss, in netem's words where it has some.
    fn more(&self) -> Vec<String> {
        let trace = self.trace_s.map(|length_s| format!("trace of {} s", short(length_s)));
        let jitter = (self.jitter_ms > 0.0).then(|| format!("jitter {} ms", short(self.jitter_ms)));
        let shares = [("reorder", self.reorder), ("duplicate", self.duplicate), ("corrupt", self.corrupt)];
        let shares = shares.into_iter().filter(|(_, share)| *share > 0.0);
        let first = trace.into_iter().chain(jitter);
        first.chain(shares.map(|(word, share)| format!("{word} {}%", short(share * 100.0)))).collect()
    }
}

/// A figure with three decimals at most.
fn short(figure: f64) -> f64 {
    (figure * 1e3).round() / 1e3
}

impl Status {
    /// Of a network, now.
    pub fn of(network: &Network) -> Status {
        let (figures, unseen) = (network.figures(), network.unseen());
        let lane = |number: usize| LaneStatus::new(&figures[number], unseen.get(number).copied().unwrap_or(0));
        let link = |(number, name): (usize, &String)| LinkStatus {
            name: name.clone(),
            forth: lane(2 * number),
            back: lane(2 * number + 1),
        };
        let names: Vec<String> = network.topology().links.iter().map(|link| link.name.clone()).collect();
        // An emulator that has ended has no figures.
        let links = if figures.is_empty() { Vec::new() } else { names.iter().enumerate().map(link).collect() };
        Status { runs_first: network.emulator().runs_first(), links }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:22}   {:>11} {:>9} {:>6} {:>10} {:>8} {:>8} {:>9} {:>9} {:>9}",
            "link", "rate", "delay", "loss", "delivered", "dropped", "waiting", "late p50", "late 99 %", "latest"
        )?;
        for link in &self.links {
            for (way, lane) in [(">", &link.forth), ("<", &link.back)] {
                let rate = lane.rate_bps.map_or("-".to_owned(), |bps| format!("{} Mbit/s", bps as f64 / 1e6));
                let dropped: u64 = lane.dropped.values().sum();
                let late = &lane.lateness;
                writeln!(
                    f,
                    "{:22} {way} {rate:>11} {:>6} ms {:>5}% {:>10} {dropped:>8} {:>8} {:>6.0} us {:>6.0} us {:>6.0} us",
                    link.name,
                    short(lane.delay_ms),
                    short(lane.loss * 100.0),
                    lane.delivered,
                    lane.queued,
                    late.p50_us,
                    late.p99_us,
                    late.max_us
                )?;
                let more = lane.more();
                if !more.is_empty() {
                    writeln!(f, "  {}", more.join(", "))?;
                }
                if lane.unseen + lane.refused > 0 {
                    let (unseen, refused) = (lane.unseen, lane.refused);
                    writeln!(
                        f,
                        "  not carried: {unseen} before the emulator saw them, {refused} that the far device or a NAT \
                         did not take"
                    )?;
                }
            }
        }
        if !self.runs_first {
            writeln!(f, "packets wait behind other work of this machine: the emulator may not run before it")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tng_sim::{LaneStats, Link, Loss, QueueLook};

    use super::*;
    use crate::lateness::Lateness;

    fn shown(link: Link) -> String {
        let figures = LaneFigures {
            link,
            stats: LaneStats::default(),
            queue: QueueLook::default(),
            lateness: Lateness::default(),
            refused: 0,
            writing: Duration::ZERO,
        };
        let lane = LaneStatus::new(&figures, 0);
        let link = LinkStatus { name: "a-b".to_owned(), forth: lane.clone(), back: lane };
        Status { runs_first: true, links: vec![link] }.to_string()
    }

    #[test]
    fn a_link_is_shown_with_all_that_it_does_to_packets() {
        let ms = Duration::from_millis;
        let link = Link::new().delay(ms(50)).reorder_ahead(0.25).jitter_reordering(ms(3)).duplicate(0.001);
        let text = shown(link);
        assert!(text.contains(" 50 ms ") && text.contains("\n  jitter 3 ms, reorder 25%, duplicate 0.1%\n"), "{text}");
        assert!(!shown(Link::new().delay(ms(50))).contains("jitter"));
        let trace = DeliveryTrace::new(vec![3, 3, 8, 40]).expect("a trace");
        let text = shown(Link::new().trace(trace));
        assert!(text.contains(" 1.2 Mbit/s ") && text.contains("\n  trace of 0.04 s\n"), "{text}");
    }

    #[test]
    fn shares_have_no_more_decimals_than_anybody_reads() {
        let model = Loss::GilbertElliott { to_bad: 0.02, to_good: 0.29, loss_good: 0.0, loss_bad: 1.0 };
        let text = shown(Link::new().loss(model));
        assert!(text.contains(" 6.452% "), "{text}");
    }
}
