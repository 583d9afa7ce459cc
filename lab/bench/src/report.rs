//! Medians, ratios, and how they are shown.

use std::collections::BTreeMap;
use std::io::Write;

use serde_json::{Map, Value, json};

use crate::Failure;
use crate::conduct::Sample;
use crate::process::{Machine, Served};
use crate::work::{PeerName, Settings, Work};

/// A figure's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metric {
    /// In a peer's object, with its unit.
    pub key: &'static str,
    /// In ratios, which have no unit.
    pub ratio: &'static str,
}

const fn metric(key: &'static str, ratio: &'static str) -> Metric {
    Metric { key, ratio }
}

const GBIT: Metric = metric("rate_gbit_per_s", "rate");
const CPU_GB: Metric = metric("cpu_s_per_gb", "cpu_s_per_gb");
const CLIENT_GB: Metric = metric("client_cpu_s_per_gb", "client_cpu_s_per_gb");
const SERVER_GB: Metric = metric("server_cpu_s_per_gb", "server_cpu_s_per_gb");
const PER_S: Metric = metric("rate_per_s", "rate");
const P50: Metric = metric("p50_us", "p50");
const P90: Metric = metric("p90_us", "p90");
const P99: Metric = metric("p99_us", "p99");
const CLIENT_EACH: Metric = metric("client_cpu_us", "client_cpu");
const SERVER_EACH: Metric = metric("server_cpu_us", "server_cpu");
const PACKET: Metric = metric("cpu_us_per_datagram", "cpu_per_datagram");
const SERVER_PACKET: Metric = metric("server_cpu_us_per_datagram", "server_cpu_per_datagram");
const RSS_CONNECTION: Metric = metric("rss_per_connection_bytes", "rss_per_connection");
const PER_CPU_S: Metric = metric("bytes_per_cpu_s", "bytes_per_cpu_s");
const RELAY_GB: Metric = metric("relay_cpu_s_per_gb", "relay_cpu_s_per_gb");
const RSS: Metric = metric("rss_bytes", "rss");
const RSS_FLOW: Metric = metric("rss_per_flow_bytes", "rss_per_flow");
const RATE_OVER_ALONE: Metric = metric("rate_over_busy_alone", "rate_over_busy_alone");
const CPU_OVER_ALONE: Metric = metric("relay_cpu_over_busy_alone", "relay_cpu_over_busy_alone");
const SERVER_PER_CPU_S: Metric = metric("server_bytes_per_cpu_s", "server_bytes_per_cpu_s");
const SERVER_CPU_PACKET: Metric = metric("server_cpu_us_per_packet", "server_cpu_per_packet");
const REQUESTS_PACKET: Metric = metric("requests_per_packet", "requests_per_packet");
const PACKETS_SEND: Metric = metric("packets_per_send", "packets_per_send");
const RSS_BEFORE: Metric = metric("rss_at_0_bytes", "rss_at_0");
const RSS_AFTER: Metric = metric("rss_at_all_bytes", "rss_at_all");
const RSS_CLIENT: Metric = metric("rss_per_client_bytes", "rss_per_client");
const RSS_STREAM: Metric = metric("rss_per_stream_bytes", "rss_per_stream");

impl Metric {
    /// A value with its unit.
    pub fn show(self, value: f64) -> String {
        if self == GBIT { format!("{value:.2} Gbit/s") } else { format!("{} {}", short(value), self.key) }
    }
}

/// What one measurement amounts to, the most important figure first.
pub fn figures(work: &Work, sample: &Sample) -> Vec<(Metric, f64)> {
    let told = |name: &str| sample.measured.get(name).copied().unwrap_or(f64::NAN);
    match work {
        Work::Bulk { .. } | Work::Guest { .. } => {
            let gb = told("bytes") / 1e9;
            vec![
                (GBIT, 8.0 * gb / told("elapsed_s")),
                (CPU_GB, (sample.client_cpu_s + sample.server_cpu_s) / gb),
                (CLIENT_GB, sample.client_cpu_s / gb),
                (SERVER_GB, sample.server_cpu_s / gb),
            ]
        }
        Work::Rr { .. } | Work::Handshakes { .. } => {
            let count = told("count");
            vec![
                (PER_S, count / told("elapsed_s")),
                (P50, told("p50_us")),
                (P90, told("p90_us")),
                (P99, told("p99_us")),
                (CLIENT_EACH, 1e6 * sample.client_cpu_s / count),
                (SERVER_EACH, 1e6 * sample.server_cpu_s / count),
            ]
        }
        Work::Many { .. } => {
            let (count, datagrams) = (told("count"), told("datagrams"));
            vec![
                (SERVER_EACH, 1e6 * sample.server_cpu_s / count),
                (CLIENT_EACH, 1e6 * sample.client_cpu_s / count),
                (SERVER_PACKET, 1e6 * sample.server_cpu_s / datagrams),
                (PACKET, 1e6 * (sample.server_cpu_s + sample.client_cpu_s) / datagrams),
                (PER_S, count / told("elapsed_s")),
                (P50, told("p50_us")),
                (P99, told("p99_us")),
            ]
        }
        Work::Cores { .. } => {
            let gb = told("bytes") / 1e9;
            vec![
                (SERVER_GB, sample.server_cpu_s / gb),
                (CLIENT_GB, sample.client_cpu_s / gb),
                (GBIT, 8.0 * gb / told("elapsed_s")),
            ]
        }
        Work::Relay { flows, .. } => {
            let bytes = told("bytes");
            let rss = sample.between.map_or(f64::NAN, |between| between.rss);
            let mut figures = vec![
                (PER_CPU_S, 1e9 / relay_gb(sample)),
                (RELAY_GB, relay_gb(sample)),
                (GBIT, gbit(sample)),
                (CLIENT_GB, 1e9 * sample.client_cpu_s / bytes),
                (SERVER_GB, 1e9 * sample.server_cpu_s / bytes),
                (RSS, rss),
                (RSS_FLOW, rss / *flows as f64),
            ];
            if let Some(alone) = &sample.busy_alone {
                figures.push((RATE_OVER_ALONE, gbit(sample) / gbit(alone)));
                figures.push((CPU_OVER_ALONE, relay_gb(sample) / relay_gb(alone)));
            }
            figures
        }
        Work::Stateless { size, .. } => {
            let (bytes, count) = (told("bytes"), told("count"));
            let mut figures = vec![
                (SERVER_PER_CPU_S, bytes / sample.server_cpu_s),
                (SERVER_GB, 1e9 * sample.server_cpu_s / bytes),
                (CLIENT_GB, 1e9 * sample.client_cpu_s / bytes),
                (GBIT, gbit(sample)),
            ];
            let served = |of: fn(&Served) -> u64| sample.served.as_ref().map_or(f64::NAN, |served| of(served) as f64);
            let packets = served(|served| served.packets);
            figures.push((SERVER_CPU_PACKET, 1e6 * sample.server_cpu_s / packets));
            figures.push((REQUESTS_PACKET, served(|served| served.requests) / packets));
            figures.push((PACKETS_SEND, packets / served(|served| served.sends)));
            if size.is_some() {
                figures.extend([
                    (PER_S, count / told("elapsed_s")),
                    (P50, told("p50_us")),
                    (P99, told("p99_us")),
                    (SERVER_EACH, 1e6 * sample.server_cpu_s / count),
                    (CLIENT_EACH, 1e6 * sample.client_cpu_s / count),
                ]);
            }
            figures
        }
        Work::Downloads { .. } => vec![
            (RSS, sample.server_rss),
            (RSS_BEFORE, sample.server_rss_before),
            (RSS_AFTER, sample.server_rss_before + sample.server_rss),
            (RSS_CLIENT, sample.server_rss / told("clients")),
        ],
        Work::Idle { .. } => vec![(RSS_CONNECTION, sample.server_rss / told("connections"))],
        Work::Streams { .. } => vec![(RSS_STREAM, sample.server_rss / told("streams"))],
    }
}

/// Gbit/s of what was carried.
fn gbit(sample: &Sample) -> f64 {
    let told = |name: &str| sample.measured.get(name).copied().unwrap_or(f64::NAN);
    8e-9 * told("bytes") / told("elapsed_s")
}

/// Seconds of the processor time of what stands between, for a GB.
fn relay_gb(sample: &Sample) -> f64 {
    let bytes = sample.measured.get("bytes").copied().unwrap_or(f64::NAN);
    1e9 * sample.between.map_or(f64::NAN, |between| between.cpu_s) / bytes
}

/// The middle one; of an even number, the mean of the two.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// All rounds of one peer.
#[derive(Debug)]
pub struct PeerReport {
    peer: PeerName,
    rounds: Vec<Vec<(Metric, f64)>>,
    settings: Settings,
}

impl PeerReport {
    /// Before the first round.
    pub fn new(peer: PeerName) -> PeerReport {
        PeerReport { peer, rounds: Vec::new(), settings: Settings::new() }
    }

    /// A round is over.
    pub fn add(&mut self, figures: Vec<(Metric, f64)>, settings: Settings) {
        self.rounds.push(figures);
        self.settings = settings;
    }

    fn medians(&self) -> Vec<(Metric, f64)> {
        let first = self.rounds.first().map_or(&[][..], Vec::as_slice);
        let of = |at: usize| self.rounds.iter().map(|round| round[at].1).collect::<Vec<_>>();
        first.iter().enumerate().map(|(at, &(metric, _))| (metric, median(&of(at)))).collect()
    }

    fn json(&self) -> Value {
        let mut object: Map<String, Value> =
            self.medians().iter().map(|(metric, value)| (metric.key.into(), json!(value))).collect();
        let round = |figures: &Vec<(Metric, f64)>| -> Value {
            figures.iter().map(|(metric, value)| (metric.key.to_owned(), json!(value))).collect::<Map<_, _>>().into()
        };
        object.insert("rounds".into(), self.rounds.iter().map(round).collect());
        object.insert("settings".into(), json!(self.settings));
        object.into()
    }
}

/// All that was measured.
#[derive(Debug)]
pub struct Report {
    /// What was done.
    pub work: Work,
    /// How often.
    pub rounds: u32,
    /// Where.
    pub machine: Machine,
    /// By whom; tng is the first, if it took part.
    pub peers: Vec<PeerReport>,
}

impl Report {
    /// The first peer's medians over each other's, by metric; of guests each one's over all that follow.
    fn ratios(&self) -> Vec<(String, Vec<(Metric, f64)>)> {
        let over = |one: &PeerReport, other: &PeerReport| {
            let both = one.medians().into_iter().zip(other.medians());
            let ratios = both.map(|((metric, a), (_, b))| (metric, a / b)).collect();
            (format!("{}/{}", one.peer.name(), other.peer.name()), ratios)
        };
        let firsts = if matches!(self.work, Work::Guest { .. }) { self.peers.len() } else { 1 };
        let pairs = self.peers.iter().take(firsts).enumerate();
        pairs.flat_map(|(at, one)| self.peers[at + 1..].iter().map(move |other| over(one, other))).collect()
    }

    /// One JSON object.
    ///
    /// # Errors
    /// If the work has no name.
    pub fn json(&self) -> Result<Value, Failure> {
        let work = serde_json::to_value(&self.work)?;
        let (name, params) = work.as_object().and_then(|work| work.iter().next()).ok_or("a work without a name")?;
        let mut params = params.clone();
        params["rounds"] = self.rounds.into();
        let peers: Map<String, Value> = self.peers.iter().map(|peer| (peer.peer.name().into(), peer.json())).collect();
        let ratios: Map<String, Value> = self
            .ratios()
            .into_iter()
            .map(|(pair, figures)| {
                let figures: BTreeMap<_, _> =
                    figures.into_iter().map(|(metric, ratio)| (metric.ratio, ratio)).collect();
                (pair, json!(figures))
            })
            .collect();
        Ok(json!({ "work": name, "params": params, "machine": self.machine, "peers": peers, "ratios": ratios }))
    }

    /// One JSON object.
    ///
    /// # Errors
    /// If nobody reads it.
    pub fn print_json(&self) -> Result<(), Failure> {
        Ok(writeln!(std::io::stdout(), "{}", self.json()?)?)
    }

    /// A table for people.
    ///
    /// # Errors
    /// If nobody reads it.
    pub fn print_table(&self) -> Result<(), Failure> {
        let mut out = std::io::stdout().lock();
        let json = self.json()?;
        writeln!(out, "{}: {}", json["work"].as_str().unwrap_or_default(), json["params"])?;
        writeln!(out, "medians of {} rounds (least to most)\n", self.rounds)?;
        write!(out, "{:<28}", "")?;
        for peer in &self.peers {
            write!(out, "{:>28}", peer.peer.name())?;
        }
        let ratios = self.ratios();
        for (pair, _) in &ratios {
            write!(out, "{pair:>27}")?;
        }
        writeln!(out)?;
        let medians: Vec<_> = self.peers.iter().map(PeerReport::medians).collect();
        for (row, (metric, _)) in medians.first().into_iter().flatten().enumerate() {
            write!(out, "{:<28}", metric.key)?;
            for (peer, medians) in self.peers.iter().zip(&medians) {
                let all = peer.rounds.iter().map(|round| round[row].1);
                let (least, most) = all.fold((f64::NAN, f64::NAN), |(l, m), v| (v.min(l), v.max(m)));
                let spread = format!("{} ({} to {})", short(medians[row].1), short(least), short(most));
                write!(out, "{spread:>28}")?;
            }
            for (_, figures) in &ratios {
                write!(out, "{:>27}", format!("{:.3}", figures[row].1))?;
            }
            writeln!(out)?;
        }
        writeln!(out)?;
        for peer in &self.peers {
            writeln!(out, "{}, where it is not the default:", peer.peer.name())?;
            for (name, value) in &peer.settings {
                writeln!(out, "  {name}: {value}")?;
            }
        }
        let machine = &self.machine;
        let pinned = machine.pinned.map_or("not pinned".into(), |[server, client]| match self.work {
            Work::Relay { .. } => format!("what passes on is on processor {server}, client and server on {client}"),
            _ => format!("server on processor {server}, client on {client}"),
        });
        writeln!(out, "\n{}, {} processors, Linux {}; {pinned}", machine.cpu, machine.cpus, machine.kernel)?;
        let (before, after) = (machine.load_before, machine.load_after);
        writeln!(out, "load of the machine before {before:.2}, after {after:.2}")?;
        if before > 1.0 {
            writeln!(out, "other programs were running: trust the ratios at most, and repeat this on a quiet machine")?;
        }
        Ok(())
    }
}

/// Three digits that matter, or whole numbers.
pub fn short(value: f64) -> String {
    match value.abs() {
        // It is not counted by this peer.
        v if v.is_nan() => "-".to_owned(),
        v if v < 1.0 => format!("{value:.3}"),
        v if v < 10.0 => format!("{value:.2}"),
        v if v < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_not_moved_by_one_bad_round() {
        assert_eq!(median(&[9.0, 10.0, 11.0, 10.5, 0.1]), 10.0);
        assert_eq!(median(&[1.0, 3.0]), 2.0);
    }

    #[test]
    fn ratios_are_those_of_the_medians() {
        let report = |peer, rates: &[f64]| {
            let mut report = PeerReport::new(peer);
            rates.iter().for_each(|&rate| report.add(vec![(GBIT, rate)], Settings::new()));
            report
        };
        let peers = vec![report(PeerName::Tng, &[3.0, 6.0, 60.0]), report(PeerName::Quinn, &[4.0, 1.0, 3.0])];
        let work = Work::Bulk { bytes: 1, mtu: crate::work::Mtu::Best };
        let json = Report { work, rounds: 3, machine: Machine::now(), peers }.json().expect("an object");
        assert_eq!(json["ratios"]["tng/quinn"]["rate"], json!(2.0));
        assert_eq!(json["peers"]["tng"]["rate_gbit_per_s"], json!(6.0));
        assert_eq!(json["work"], "bulk");
    }
}
