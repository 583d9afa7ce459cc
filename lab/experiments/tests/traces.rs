//! Traces of a run, read by a reader of their own: a JSON text sequence (RFC 7464) whose events have the fields, of the
//! types, that draft-ietf-quic-qlog-main-schema-02 and draft-ietf-quic-qlog-quic-events-02 ask for.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tng_experiments::{Run, Scenario};
use tng_trace::Memory;

fn traced(text: &str) -> BTreeMap<String, Vec<u8>> {
    let scenario = Scenario::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut run = Run::new(scenario);
    let files: Arc<Mutex<BTreeMap<String, Memory>>> = Arc::default();
    let known = files.clone();
    run.trace(move |name| Ok(Box::new(known.lock().expect("one thread").entry(name.to_owned()).or_default().clone())));
    run.finish().expect("memory");
    let files = files.lock().expect("one thread");
    files.iter().map(|(name, file)| (name.clone(), file.bytes())).collect()
}

/// The records of a JSON text sequence.
fn records(name: &str, bytes: &[u8]) -> Vec<Value> {
    let text = core::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut parts = text.split('\x1e');
    assert_eq!(parts.next(), Some(""), "{name}: every record begins with the separator");
    parts
        .map(|part| {
            let part = part.strip_suffix('\n').unwrap_or_else(|| panic!("{name}: cut short: {part}"));
            serde_json::from_str(part).unwrap_or_else(|error| panic!("{name}: {error}: {part}"))
        })
        .collect()
}

/// What a field must be.
#[derive(Clone, Copy)]
enum Kind {
    Count,
    Number,
    Text,
    Flag,
    Ranges,
}

impl Kind {
    fn fits(self, value: &Value) -> bool {
        match self {
            Kind::Count => value.is_u64(),
            Kind::Number => value.is_number(),
            Kind::Text => value.is_string(),
            Kind::Flag => value.is_boolean(),
            Kind::Ranges => value.as_array().is_some_and(|ranges| {
                let fits = |range: &Value| match range.as_array().map(Vec::as_slice) {
                    Some([from, to]) => from.as_u64() <= to.as_u64() && from.is_u64(),
                    _ => false,
                };
                !ranges.is_empty() && ranges.iter().all(fits)
            }),
        }
    }
}

use Kind::{Count, Flag, Number, Ranges, Text};

type Schema = &'static [(&'static str, &'static [(&'static str, Kind)])];

/// Required fields of the events.
const EVENTS: Schema = &[
    ("connectivity:connection_started", &[("src_ip", Text), ("dst_ip", Text)]),
    ("connectivity:connection_state_updated", &[("new", Text)]),
    ("connectivity:connection_closed", &[("owner", Text)]),
    ("connectivity:mtu_updated", &[("new", Count)]),
    ("transport:parameters_set", &[("owner", Text), ("max_idle_timeout", Count), ("max_udp_payload_size", Count)]),
    ("transport:packet_sent", &[]),
    ("transport:packet_received", &[]),
    ("transport:packet_dropped", &[("trigger", Text)]),
    ("recovery:metrics_updated", &[]),
    ("recovery:congestion_state_updated", &[("new", Text)]),
    ("recovery:loss_timer_updated", &[("event_type", Text)]),
    ("recovery:packet_lost", &[("trigger", Text)]),
    ("security:key_updated", &[("key_type", Text), ("trigger", Text)]),
    ("tng:channel_started", &[("connection", Count), ("channel", Count), ("initiator", Flag), ("cipher", Text)]),
    ("tng:loss_undone", &[]),
    ("tng:path_moved", &[("remote", Text), ("proven", Flag)]),
    ("tng:path_proven", &[("remote", Text), ("proven", Flag)]),
    ("tng:path_condition", &[("condition", Text)]),
];

/// Required fields of the frames.
const FRAMES: Schema = &[
    ("padding", &[("payload_length", Count)]),
    ("ping", &[]),
    ("ack", &[("ack_delay", Number), ("acked_ranges", Ranges)]),
    ("connection_close", &[("error_code", Count), ("reason", Text)]),
    ("new_connection_id", &[("sequence_number", Count), ("retire_prior_to", Count), ("connection_id", Text)]),
    ("retire_connection_id", &[("sequence_number", Count)]),
    ("path_challenge", &[("data", Text)]),
    ("path_response", &[("data", Text)]),
    ("stream", &[("stream_id", Count), ("offset", Count), ("length", Count), ("fin", Flag)]),
    ("datagram", &[("length", Count)]),
    ("reset_stream", &[("stream_id", Count), ("error_code", Count), ("final_size", Count)]),
    ("stop_sending", &[("stream_id", Count), ("error_code", Count)]),
    ("max_data", &[("maximum", Count)]),
    ("max_stream_data", &[("stream_id", Count), ("maximum", Count)]),
    ("max_streams", &[("maximum", Count)]),
    ("tng_init", &[("stream_id", Count)]),
    ("tng_refuse", &[("stream_id", Count), ("error_code", Count)]),
    ("tng_received", &[("stream_id", Count), ("offset", Count)]),
    ("tng_priority", &[("stream_id", Count), ("weight", Count)]),
];

fn check_fields(what: &str, data: &Value, schema: Schema, kind: &str) {
    let (_, fields) =
        schema.iter().find(|(known, _)| *known == kind).unwrap_or_else(|| panic!("{what}: {kind} is unknown"));
    for (name, kind) in *fields {
        assert!(kind.fits(&data[name]), "{what}: {name} is {}", data[name]);
    }
}

fn check_packet(what: &str, data: &Value) {
    assert!(data["raw"]["length"].as_u64().is_some_and(|length| length > 0), "{what}: its length");
    for frame in data["frames"].as_array().unwrap_or_else(|| panic!("{what}: its frames")) {
        check_fields(what, frame, FRAMES, frame["frame_type"].as_str().unwrap_or_default());
    }
}

/// Checks one trace; answers the names of events and frames in it.
fn check(name: &str, bytes: &[u8]) -> BTreeSet<String> {
    let records = records(name, bytes);
    let [head, events @ ..] = &records[..] else { panic!("{name}: no head") };
    assert_eq!((&head["qlog_version"], &head["qlog_format"]), (&"0.3".into(), &"JSON-SEQ".into()), "{name}");
    let trace = &head["trace"];
    assert!(["client", "server"].iter().any(|kind| trace["vantage_point"]["type"] == *kind), "{name}: {head}");
    assert_eq!(trace["common_fields"]["time_format"], "relative", "{name}");
    assert!(trace["common_fields"]["reference_time"].is_number(), "{name}");
    let (mut seen, mut last) = (BTreeSet::new(), 0.0);
    for (at, event) in events.iter().enumerate() {
        let kind = event["name"].as_str().unwrap_or_else(|| panic!("{name}: event {at} has no name"));
        let what = format!("{name}, event {at}: {event}");
        let time = event["time"].as_f64().unwrap_or_else(|| panic!("{what}: no time"));
        assert!(time >= last, "{what}: goes back in time");
        last = time;
        let data = &event["data"];
        assert!(data.is_object(), "{what}");
        check_fields(&what, data, EVENTS, kind);
        if kind.starts_with("transport:packet_") && kind != "transport:packet_dropped" {
            check_packet(&what, data);
        }
        if ["transport:packet_sent", "transport:packet_received", "recovery:packet_lost"].contains(&kind) {
            let header = &data["header"];
            assert!(header["packet_number"].is_u64(), "{what}");
            assert!(["0RTT", "1RTT"].iter().any(|kind| header["packet_type"] == *kind), "{what}");
        }
        if kind == "recovery:metrics_updated" {
            let fields = data.as_object().expect("an object");
            assert!(!fields.is_empty() && fields.values().all(Value::is_number), "{what}");
        }
        seen.insert(kind.to_owned());
        for frame in data["frames"].as_array().into_iter().flatten() {
            seen.insert(frame["frame_type"].as_str().unwrap_or_default().to_owned());
        }
    }
    seen
}

const EVENTFUL: &str = "[world]\nseed=5\n[[node]]\nname='a'\n[[node]]\nname='b'\n\
    [[link]]\nbetween=['a','b']\nrate='10mbit'\ndelay='10ms'\nloss='1%'\njitter='1ms'\n\
    [[flow]]\nfrom='a'\nto='b'\n\
    [[flow.stream]]\nname='long'\nbytes='2MB'\n\
    [[flow.stream]]\nname='cut'\nbytes='10MB'\n\
    [[flow.datagrams]]\nsize=300\ninterval='20ms'\ncount=50\n\
    [[event]]\nat='300ms'\nkind='priority'\nstream='long'\npriority=3\nby='receiver'\n\
    [[event]]\nat='400ms'\nkind='stop'\nstream='cut'\ncode=7\n\
    [[event]]\nat='500ms'\nkind='outage'\nlink='a-b'\nlasts='2s'\n\
    [[event]]\nat='3s'\nkind='rebind'\nnode='a'\nseen='203.0.113.7:40001'\n\
    [[event]]\nat='3500ms'\nkind='link'\nlink='a-b'\nduplicate='2%'\nreorder={share='5%',by='30ms'}\n";

#[test]
fn every_event_of_an_eventful_life_has_the_fields_that_readers_of_qlog_ask_for() {
    let files = traced(EVENTFUL);
    assert!(files.len() >= 2, "each channel at each of its ends: {:?}", files.keys());
    let mut seen = BTreeSet::new();
    for (name, bytes) in &files {
        seen.extend(check(name, bytes));
    }
    for expected in [
        "connectivity:connection_started",
        "connectivity:connection_state_updated",
        "connectivity:mtu_updated",
        "transport:parameters_set",
        "transport:packet_sent",
        "transport:packet_received",
        "transport:packet_dropped",
        "recovery:metrics_updated",
        "recovery:congestion_state_updated",
        "recovery:loss_timer_updated",
        "recovery:packet_lost",
        "tng:channel_started",
        "tng:path_moved",
        "tng:path_proven",
        "tng:path_condition",
        "ack",
        "ping",
        "padding",
        "new_connection_id",
        "retire_connection_id",
        "path_challenge",
        "path_response",
        "stream",
        "datagram",
        "tng_init",
        "tng_priority",
        "tng:loss_undone",
        "stop_sending",
        "reset_stream",
    ] {
        assert!(seen.contains(expected), "{expected} is missing of {seen:?}");
    }
}

/// Packet numbers in the events of one name.
fn numbers(records: &[Value], name: &str) -> Vec<u64> {
    let of_name = records.iter().filter(|event| event["name"] == name);
    of_name.filter_map(|event| event["data"]["header"]["packet_number"].as_u64()).collect()
}

#[test]
fn what_one_end_received_the_other_has_sent_and_what_was_lost_did_not_arrive() {
    let text = "[world]\nseed=2\n[[node]]\nname='a'\n[[node]]\nname='b'\n[[link]]\nbetween=['a','b']\nrate='10mbit'\n\
                delay='10ms'\nloss='2%'\n[[flow]]\nfrom='a'\nto='b'\nbytes='1MB'\n";
    let files = traced(text);
    let of = |host: &str| {
        let (name, bytes) = files.iter().find(|(name, _)| name.starts_with(host)).expect("its trace");
        records(name, bytes)
    };
    let (a, b) = (of("a-"), of("b-"));
    for (sender, receiver) in [(&a, &b), (&b, &a)] {
        let sent: BTreeSet<u64> = numbers(sender, "transport:packet_sent").into_iter().collect();
        let received = numbers(receiver, "transport:packet_received");
        assert!(!received.is_empty() && received.iter().all(|number| sent.contains(number)));
        let lost = numbers(sender, "recovery:packet_lost");
        assert!(lost.iter().all(|number| sent.contains(number) && !received.contains(number)), "{lost:?}");
    }
    assert!(numbers(&a, "recovery:packet_lost").len() > 5);
    // The last word on the window and the bytes in flight fits what was sent.
    let windows: Vec<u64> = a.iter().filter_map(|event| event["data"]["congestion_window"].as_u64()).collect();
    assert!(windows.len() > 50 && windows.iter().all(|window| *window >= 2_400), "{windows:?}");
}

#[test]
fn watching_changes_nothing_of_what_happens() {
    let scenario = || Scenario::parse(EVENTFUL).expect("a scenario");
    let quiet = Run::new(scenario()).finish().expect("nothing written");
    let mut run = Run::new(scenario());
    run.trace(|_| Ok(Box::new(io::sink())));
    run.log_keys(Box::new(io::sink()));
    run.capture(Box::new(io::sink())).expect("a sink");
    assert_eq!(run.finish().expect("sinks"), quiet);
}

#[test]
fn a_trace_that_cannot_be_written_is_told_in_the_end() {
    let mut run = Run::new(Scenario::parse(EVENTFUL).expect("a scenario"));
    run.trace(|_| Err(io::ErrorKind::PermissionDenied.into()));
    assert_eq!(run.finish().map(|_| ()).map_err(|error| error.kind()), Err(io::ErrorKind::PermissionDenied));
}
