//! Figures as iperf3's JSON, so that what was written for that reads this.
//!
//! Where the two differ in what there is to say: `protocol` is `TCP` for streams and `UDP` for datagrams; all streams
//! share one connection and so `snd_cwnd`, `rtt`, `rttvar` and `pmtu`, and its lost packets are `retransmits` of the
//! first stream, so that sums are right; `socket` counts streams from 1; windows that have no bound are 0. `transport`,
//! `peer`, `path`, `guest` and `guests` are ours alone. Where a guest sends there are neither `retransmits` nor
//! windows, which it tells nobody, `rtt` is what the policer measures, and the congestion controller is
//! `stp:` and the guest's name.

use std::fmt;

use serde_json::{Map, Value, json};
use tng::SOCKET_BUFFER;
use tng_base::PeerText;
use tng_services::perf::{Cpu, Direction, End, LaneResult, Output};

use super::Side;
use super::figures::{Datagrams, Finish, Interval, LaneEnd, Row, Start, directions};
use super::table::{result_rate, sum};
use super::units::date;

/// Most rows of intervals in one document; what comes later is only in its sums.
pub const ROWS_MAX: usize = 1 << 18;

/// One document, as far as it is known.
#[derive(Debug)]
pub struct Document {
    title: Option<String>,
    fields: Map<String, Value>,
    intervals: Vec<Value>,
    rows: usize,
    about: About,
}

/// What the end has to know of the beginning.
#[derive(Clone, Copy, Debug, Default)]
struct About {
    datagrams: bool,
    server: bool,
}

impl Document {
    /// Nothing is known yet.
    pub fn new(title: Option<String>) -> Document {
        let mut document =
            Document { title, fields: Map::new(), intervals: Vec::new(), rows: 0, about: About::default() };
        document.fields.insert("start".to_owned(), before_start());
        document.fields.insert("end".to_owned(), json!({}));
        document
    }

    /// A test begins.
    pub fn start(&mut self, start: &Start) {
        self.about = About { datagrams: start.test.datagrams, server: start.side == Side::Server };
        self.fields.insert("start".to_owned(), self::start(start));
    }

    /// An interval is over.
    pub fn interval(&mut self, interval: &Interval) {
        self.rows += interval.rows.len();
        if self.rows <= ROWS_MAX {
            self.intervals.push(self::interval(interval));
        }
    }

    /// Both sides have told what they counted.
    pub fn finish(&mut self, finish: &Finish) {
        self.fields.insert("end".to_owned(), self.end(finish));
    }

    /// The object `end`.
    pub fn end(&self, finish: &Finish) -> Value {
        end(finish, self.about)
    }

    /// What the server printed.
    pub fn server_output(&mut self, output: &Output) {
        let (name, value) = server_output(output);
        self.fields.insert(name.to_owned(), value);
    }

    /// The path at the end of the test.
    pub fn path(&mut self, fields: Value) {
        self.fields.insert("path".to_owned(), fields);
    }

    /// What the guests did that carried this side's lanes.
    pub fn guests(&mut self, figures: Value) {
        self.fields.insert("guests".to_owned(), figures);
    }

    /// It went wrong.
    pub fn failure(&mut self, words: &str) {
        self.fields.insert("error".to_owned(), words.into());
    }

    /// The whole of it; what follows is another.
    pub fn take(&mut self) -> Value {
        let value = self.value();
        *self = Document::new(self.title.clone());
        value
    }

    fn value(&self) -> Value {
        let mut fields = self.fields.clone();
        fields.insert("intervals".to_owned(), self.intervals.clone().into());
        if let Some(title) = &self.title {
            fields.insert("title".to_owned(), title.as_str().into());
        }
        fields.into()
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

/// What can be said before anything has happened.
fn before_start() -> Value {
    json!({ "connected": [], "version": version(), "system_info": system_info() })
}

fn version() -> String {
    format!("tng {}", env!("CARGO_PKG_VERSION"))
}

/// As `uname -a` has it; empty where the system does not say.
fn system_info() -> String {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
    let words = ["ostype", "hostname", "osrelease", "version"].map(read);
    let words: Vec<&str> = words.iter().map(|word| word.trim()).chain([std::env::consts::ARCH]).collect();
    words.join(" ").trim().to_owned()
}

/// The object `start`.
pub fn start(start: &Start) -> Value {
    let test = &start.test;
    let connected = start.lanes.iter().map(|lane| {
        json!({
            "socket": lane.number,
            "local_host": start.local.ip().to_string(),
            "local_port": start.local.port(),
            "remote_host": start.remote.ip().to_string(),
            "remote_port": start.remote.port(),
        })
    });
    let (duration, bytes) = match test.end {
        End::After(ms) => (seconds(ms), 0),
        End::Bytes(_) if start.blocks > 0 => (0.into(), 0),
        End::Bytes(bytes) => (0.into(), bytes),
    };
    let mut object = json!({
        "connected": connected.collect::<Vec<_>>(),
        "version": version(),
        "system_info": system_info(),
        "transport": "tng",
        "guest": start.guest,
        "peer": start.peer,
        "path": start.path,
        "timestamp": { "time": date(start.time as i64), "timesecs": start.time },
        "cookie": start.cookie,
        "target_bitrate": test.rate,
        "fq_rate": 0,
        "sock_bufsize": SOCKET_BUFFER,
        "sndbuf_actual": SOCKET_BUFFER,
        "rcvbuf_actual": SOCKET_BUFFER,
        "tcp_mss_default": start.payload_max,
        "test_start": {
            "protocol": if test.datagrams { "UDP" } else { "TCP" },
            "num_streams": test.lanes,
            "blksize": test.block_len,
            "omit": seconds(test.omit_ms),
            "duration": duration,
            "bytes": bytes,
            "blocks": start.blocks,
            "reverse": u8::from(test.direction == Direction::Reverse),
            "bidir": u8::from(test.direction == Direction::Both),
            "tos": 0,
            "target_bitrate": test.rate,
            "fqrate": 0,
            "interval": start.interval.as_secs_f64(),
        },
    });
    let host = json!({ "host": start.host.0, "port": start.host.1 });
    object[if start.side == Side::Client { "connecting_to" } else { "accepted_connection" }] = host;
    object
}

/// Whole seconds as such: scripts compare them.
fn seconds(ms: u64) -> Value {
    if ms.is_multiple_of(1000) { (ms / 1000).into() } else { (ms as f64 / 1e3).into() }
}

/// One of the objects in `intervals`.
pub fn interval(interval: &Interval) -> Value {
    let span = |bytes: u64| {
        json!({
            "start": interval.span.start,
            "end": interval.span.end,
            "seconds": interval.span.seconds(),
            "bytes": bytes,
            "bits_per_second": interval.span.rate(bytes),
        })
    };
    let row = |row: &Row| {
        let mut object = span(row.bytes);
        object["socket"] = row.lane.number.into();
        if let Some(path) = row.path.filter(|_| row.datagrams.is_none()) {
            if let Some(regulated) = path.regulated {
                object["retransmits"] = regulated.retransmits.into();
                object["snd_cwnd"] = bounded(regulated.window);
            }
            object["rtt"] = path.rtt_us.into();
            object["rttvar"] = path.rtt_var_us.into();
            object["pmtu"] = path.payload_max.into();
        }
        add_datagrams(&mut object, row.datagrams, row.lane.sends);
        object["omitted"] = interval.omitted.into();
        object["sender"] = row.lane.sends.into();
        object
    };
    let mut object = json!({ "streams": interval.rows.iter().map(row).collect::<Vec<_>>() });
    for (client_sends, name) in directions(interval.rows.iter().map(|row| row.lane)).zip(["sum", "sum_bidir_reverse"]) {
        let rows = interval.rows.iter().filter(|row| row.lane.client_sends == client_sends);
        let sends = rows.clone().any(|row| row.lane.sends);
        let mut sum = span(rows.clone().map(|row| row.bytes).sum());
        let regulated = rows.clone().filter(|row| row.datagrams.is_none()).filter_map(|row| row.path?.regulated);
        if regulated.clone().next().is_some() {
            sum["retransmits"] = regulated.map(|regulated| regulated.retransmits).sum::<u64>().into();
        }
        let datagrams = rows.clone().any(|row| row.datagrams.is_some());
        add_datagrams(&mut sum, datagrams.then(|| Datagrams::sum(rows.filter_map(|row| row.datagrams))), sends);
        sum["omitted"] = interval.omitted.into();
        sum["sender"] = sends.into();
        object[name] = sum;
    }
    object
}

fn add_datagrams(object: &mut Value, datagrams: Option<Datagrams>, sends: bool) {
    let Some(datagrams) = datagrams else { return };
    object["packets"] = datagrams.packets.into();
    if !sends {
        object["jitter_ms"] = datagrams.jitter_ms.into();
        object["lost_packets"] = datagrams.lost.into();
        object["lost_percent"] = datagrams.lost_percent().into();
        object["out_of_order"] = datagrams.out_of_order.into();
    }
}

fn bounded(window: u64) -> Value {
    if window >= tng_wire::VARINT_MAX { 0.into() } else { window.into() }
}

/// Whether the sender's losses and window are known: where a guest sent, they are not, and the window is none.
pub fn is_regulated(sender: &LaneResult) -> bool {
    sender.window_max > 0
}

/// The object `end`.
fn end(finish: &Finish, about: About) -> Value {
    let stream = |end: &LaneEnd| {
        let sends = end.lane.sends;
        if about.datagrams {
            let mut udp = result(&end.sender, sends);
            add_result_datagrams(&mut udp, &end.sender, &end.receiver);
            udp["socket"] = end.lane.number.into();
            return json!({ "udp": udp });
        }
        let (mut sender, mut receiver) = (result(&end.sender, sends), result(&end.receiver, sends));
        sender["socket"] = end.lane.number.into();
        if is_regulated(&end.sender) {
            sender["retransmits"] = end.sender.retransmits.into();
            sender["max_snd_cwnd"] = bounded(end.sender.window_max);
        }
        sender["max_rtt"] = end.sender.rtt_max_us.into();
        sender["min_rtt"] = end.sender.rtt_min_us.into();
        sender["mean_rtt"] = end.sender.rtt_mean_us.into();
        receiver["socket"] = end.lane.number.into();
        json!({ "sender": sender, "receiver": receiver })
    };
    let mut object = json!({ "streams": finish.lanes.iter().map(stream).collect::<Vec<_>>() });
    for (client_sends, suffix) in directions(finish.lanes.iter().map(|end| end.lane)).zip(["", "_bidir_reverse"]) {
        let ends = finish.lanes.iter().filter(|end| end.lane.client_sends == client_sends);
        let sends = ends.clone().any(|end| end.lane.sends);
        let sender = sum(ends.clone().map(|end| &end.sender));
        let receiver = sum(ends.map(|end| &end.receiver));
        let (mut sent, mut received) = (result(&sender, sends), result(&receiver, sends));
        if about.datagrams {
            // What was sent, and how it arrived: iperf3 has both in one.
            let mut all = sent.clone();
            add_result_datagrams(&mut all, &sender, &receiver);
            object[format!("sum{suffix}")] = all;
            add_result_datagrams(&mut sent, &sender, &LaneResult::default());
            add_result_datagrams(&mut received, &receiver, &receiver);
        } else if is_regulated(&sender) {
            sent["retransmits"] = sender.retransmits.into();
        }
        object[format!("sum_sent{suffix}")] = sent;
        object[format!("sum_received{suffix}")] = received;
    }
    object["cpu_utilization_percent"] = cpu(&finish.here, &finish.there);
    if !about.datagrams {
        // Both sides send in both directions; then it is the client's, as there.
        let client_sends = finish.lanes.iter().any(|end| end.lane.client_sends);
        let (client, server) = match about.server {
            true => (&finish.controller_there, &finish.controller_here),
            false => (&finish.controller_here, &finish.controller_there),
        };
        let (sender, receiver) = if client_sends { (client, server) } else { (server, client) };
        object["sender_tcp_congestion"] = sender.exact().into();
        object["receiver_tcp_congestion"] = receiver.exact().into();
    }
    object
}

fn result(result: &LaneResult, sends: bool) -> Value {
    let seconds = result.duration_us as f64 / 1e6;
    json!({
        "start": 0,
        "end": seconds,
        "seconds": seconds,
        "bytes": result.bytes,
        "bits_per_second": result_rate(result),
        "sender": sends,
    })
}

/// `packets` are the sender's if it is another one than the receiver.
fn add_result_datagrams(object: &mut Value, sender: &LaneResult, receiver: &LaneResult) {
    let arrived = Datagrams { packets: sender.packets.max(receiver.packets), ..Datagrams::of(receiver) };
    add_datagrams(object, Some(arrived), false);
}

fn cpu(here: &Cpu, there: &Cpu) -> Value {
    let share = |part: u64| part as f64 / 1e3;
    json!({
        "host_total": share(here.user + here.system),
        "host_user": share(here.user),
        "host_system": share(here.system),
        "remote_total": share(there.user + there.system),
        "remote_user": share(there.user),
        "remote_system": share(there.system),
    })
}

/// What a server printed, and its name in the document.
pub fn server_output(output: &Output) -> (&'static str, Value) {
    match output {
        Output::Text(text) => ("server_output_text", text.exact().into()),
        Output::Json(text) => match serde_json::from_str(text.exact()) {
            Ok(value) => ("server_output_json", value),
            Err(_) => ("server_output_text", text.exact().into()),
        },
    }
}

/// What a server printed, for people.
pub fn server_lines(output: &Output) -> Vec<String> {
    let text = match output {
        Output::Text(text) | Output::Json(text) => text,
    };
    let lines = text.exact().lines().map(|line| PeerText::new(line).to_string());
    [String::new(), "Server output:".to_owned()].into_iter().chain(lines).collect()
}
