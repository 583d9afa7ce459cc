//! What a channel notes for its observers, in qlog's words (draft-ietf-quic-qlog-quic-events): packets and their
//! frames, losses, and what the regulation makes of them. A channel that nobody watches has no tap, and pays a
//! comparison for each packet.

use core::time::Duration;

use tng_base::{Ecn, Fields, Instant, Note, Notes, Value};
use tng_congestion::{Regulation, RttEstimator};
use tng_wire::{Reader, Repr};

use crate::wire::{AckBlock, Control, FirstByte};

/// Writes down the frames of a payload that the protocol above knows.
pub type Describe = fn(payload: &[u8], frames: &mut Vec<Value>);

/// The notes of one channel.
#[derive(Debug)]
pub(crate) struct Tap {
    notes: Notes,
    describe: Describe,
    /// Phases of the keys, as last seen: ours, the peer's.
    phases: [bool; 2],
    metrics: Metrics,
}

/// A packet as it was sealed, or opened.
pub(crate) struct Plain<'a> {
    pub(crate) number: u64,
    pub(crate) first: FirstByte,
    /// The whole packet's length.
    pub(crate) len: usize,
    pub(crate) ecn: Ecn,
    /// What stands between header and tag.
    pub(crate) body: &'a [u8],
}

/// What `recovery:metrics_updated` tells, so that it can tell what has changed.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Metrics {
    rtt: Option<[Duration; 4]>,
    window: Option<u64>,
    in_flight: Option<u64>,
    ssthresh: Option<u64>,
    pacing_bps: Option<u64>,
    slow_start: Option<bool>,
}

impl Tap {
    pub(crate) fn new(describe: Describe) -> Tap {
        Tap { notes: Notes::new(), describe, phases: [false; 2], metrics: Metrics::default() }
    }

    pub(crate) fn pop(&mut self) -> Option<Note> {
        self.notes.pop()
    }

    pub(crate) fn push(&mut self, now: Instant, name: &'static str, data: Fields) {
        self.notes.push(now, name, data);
    }

    pub(crate) fn sent(&mut self, now: Instant, packet: &Plain<'_>) {
        self.note_phase(now, 0, packet.first.phase);
        let data = self.packet(packet);
        self.push(now, "transport:packet_sent", data);
    }

    pub(crate) fn received(&mut self, now: Instant, packet: &Plain<'_>) {
        self.note_phase(now, 1, packet.first.phase);
        let data = self.packet(packet);
        self.push(now, "transport:packet_received", data);
    }

    pub(crate) fn lost(&mut self, now: Instant, number: u64, trigger: &'static str) {
        let data = Fields::new().with("header", header(number)).with("trigger", trigger);
        self.push(now, "recovery:packet_lost", data);
    }

    /// What had been found lost has arrived.
    pub(crate) fn spurious(&mut self, now: Instant, number: u64) {
        self.push(now, "tng:loss_undone", Fields::new().with("header", header(number)));
    }

    pub(crate) fn probe(&mut self, now: Instant, unanswered: u32) {
        let data = Fields::new().with("event_type", "expired").with("timer_type", "pto");
        self.push(now, "recovery:loss_timer_updated", data);
        self.push(now, "recovery:metrics_updated", Fields::new().with("pto_count", u64::from(unanswered)));
    }

    /// Notes what has changed since the last time.
    pub(crate) fn metrics(&mut self, now: Instant, rtt: &RttEstimator, regulation: Option<&Regulation>) {
        let stats = regulation.map(Regulation::stats);
        let known = rtt.has_sample();
        let new = Metrics {
            rtt: known.then(|| [rtt.min(), rtt.smoothed(), rtt.latest(), rtt.var()]),
            window: stats.map(|stats| stats.window).filter(|window| *window < u64::MAX),
            in_flight: stats.map(|stats| stats.in_flight),
            ssthresh: stats.and_then(|stats| stats.ssthresh),
            pacing_bps: stats.and_then(|stats| stats.pacing_rate).map(|bytes| bytes.saturating_mul(8)),
            slow_start: stats.map(|stats| stats.slow_start),
        };
        let old = core::mem::replace(&mut self.metrics, new);
        let at = |values: Option<[Duration; 4]>, place: usize| values.map(|values| values[place]);
        let rtt = |place| at(new.rtt, place).filter(|value| at(old.rtt, place) != Some(*value));
        let data = Fields::new()
            .maybe("min_rtt", rtt(0))
            .maybe("smoothed_rtt", rtt(1))
            .maybe("latest_rtt", rtt(2))
            .maybe("rtt_variance", rtt(3))
            .maybe("congestion_window", new.window.filter(|_| new.window != old.window))
            .maybe("bytes_in_flight", new.in_flight.filter(|_| new.in_flight != old.in_flight))
            .maybe("ssthresh", new.ssthresh.filter(|_| new.ssthresh != old.ssthresh))
            .maybe("pacing_rate", new.pacing_bps.filter(|_| new.pacing_bps != old.pacing_bps));
        if !data.is_empty() {
            self.push(now, "recovery:metrics_updated", data);
        }
        let state = |slow_start| if slow_start { "slow_start" } else { "congestion_avoidance" };
        if let Some(slow_start) = new.slow_start.filter(|_| new.slow_start != old.slow_start) {
            let data = Fields::new().maybe("old", old.slow_start.map(state)).with("new", state(slow_start));
            self.push(now, "recovery:congestion_state_updated", data);
        }
    }

    fn note_phase(&mut self, now: Instant, end: usize, phase: bool) {
        if core::mem::replace(&mut self.phases[end], phase) != phase {
            let trigger = ["local_update", "remote_update"][end];
            let data = Fields::new().with("key_type", "1rtt_secret").with("trigger", trigger);
            self.push(now, "security:key_updated", data);
        }
    }

    fn packet(&self, packet: &Plain<'_>) -> Fields {
        let Plain { number, first, len, ecn, body } = *packet;
        Fields::new()
            .with("header", header(number).with("key_phase", u64::from(first.phase)))
            .with("raw", Fields::new().with("length", len).with("payload_length", body.len()))
            .maybe("ecn", word(ecn))
            .with("frames", self.frames(first, body))
    }

    /// The frames of a packet, up to what is malformed.
    fn frames(&self, first: FirstByte, body: &[u8]) -> Vec<Value> {
        let (mut frames, mut reader) = (Vec::new(), Reader::new(body));
        if first.ack {
            let Ok(block) = AckBlock::parse(&mut reader) else { return frames };
            frames.push(acknowledgment(&block).into());
        }
        if first.control {
            let block = reader.varint().ok().and_then(|len| reader.bytes(usize::try_from(len).ok()?).ok());
            let Some(block) = block else { return frames };
            controls(&mut Reader::new(block), &mut frames);
        }
        if !reader.is_empty() {
            (self.describe)(reader.rest(), &mut frames);
        }
        frames
    }
}

/// The header of a channel packet, as qlog has it.
fn header(number: u64) -> Fields {
    Fields::new().with("packet_type", "1RTT").with("packet_number", number)
}

fn word(ecn: Ecn) -> Option<&'static str> {
    match ecn {
        Ecn::NotEct => None,
        Ecn::Ect0 => Some("ECT(0)"),
        Ecn::Ect1 => Some("ECT(1)"),
        Ecn::Ce => Some("CE"),
    }
}

fn acknowledgment(block: &AckBlock<'_>) -> Fields {
    let range = |range: core::ops::Range<u64>| Value::List(vec![range.start.into(), (range.end - 1).into()]);
    let counts = block.ecn;
    Fields::frame("ack")
        .with("ack_delay", block.delay())
        .with("acked_ranges", block.ranges.iter().map(range).collect::<Vec<_>>())
        .maybe("ect0", counts.map(|counts| counts.ect0))
        .maybe("ect1", counts.map(|counts| counts.ect1))
        .maybe("ce", counts.map(|counts| counts.ce))
        .maybe("tng_unredeemed", block.unredeemed)
}

fn controls(reader: &mut Reader<'_>, frames: &mut Vec<Value>) {
    while !reader.is_empty() {
        let before = reader.position();
        reader.skip_run(Control::PAD);
        let pads = reader.position() - before;
        if pads > 0 {
            frames.push(Fields::frame("padding").with("payload_length", pads).into());
            continue;
        }
        let Ok(control) = Control::parse(reader) else { return };
        frames.push(describe_control(&control).into());
    }
}

fn describe_control(control: &Control<'_>) -> Fields {
    match *control {
        Control::Pad => Fields::frame("padding").with("payload_length", 1u64),
        Control::Ping => Fields::frame("ping"),
        Control::Close { code, reason } => Fields::frame("connection_close")
            .with("error_space", if code >= 64 { "application" } else { "transport" })
            .with("error_code", code)
            .with("reason", reason.exact().to_owned()),
        Control::NewId(new) => Fields::frame("new_connection_id")
            .with("sequence_number", new.sequence)
            .with("retire_prior_to", new.retire_below)
            .with("connection_id_length", tng_base::ChannelId::LEN)
            .with("connection_id", format!("{:?}", new.id)),
        Control::RetireId { sequence } => Fields::frame("retire_connection_id").with("sequence_number", sequence),
        Control::Challenge(data) => Fields::frame("path_challenge").with("data", hex(&data)),
        Control::Carry => Fields::frame("tng:carry"),
        Control::Response(data) => Fields::frame("path_response").with("data", hex(&data)),
        Control::PayloadMax { sequence, bytes } => {
            Fields::frame("tng_payload_max").with("sequence_number", sequence).with("maximum", u64::from(bytes))
        }
        Control::Renew(renewal) => Fields::frame("tng_renew").with("hops", u64::from(renewal.hops)),
        Control::Lost { number } => Fields::frame("tng_lost").with("packet_number", number),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
