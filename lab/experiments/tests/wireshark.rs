//! wireshark/tng.lua, run by tshark: every packet of a simulated world is dissected as the hosts' own parsers read it,
//! packets under every cipher and of every kind as they were made, and broken ones without a mistake of the script.
//!
//! Needs tshark. Where there is none, the tests say so and check nothing; with `TNG_NEED_TSHARK` set they fail instead.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::BufWriter;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tng_base::{ChannelId, Ecn, Instant, Rng};
use tng_channel::Armor;
use tng_crypto::{Secret32, Suite};
use tng_experiments::peers::helped::{self, Party, Post, Setting};
use tng_experiments::{Run, Scenario};
use tng_isolation::{AeadArmor, KeyLimits, Role, WeakArmor};
use tng_semantic::structured;
use tng_sim::{Comments, Link, Tap};
use tng_trace::{Captured, Direction, IpProtocol, Memory, Pcapng};
use tng_trickles::wire::{RequestHeader, ResponseHeader};
use tng_trickles::{ConnectionId, ConnectionSecret, InstanceName};
use tng_wire::battery;

/// Fields that are compared, in the order in which tshark is asked for them.
const FIELDS: [&str; 41] = [
    "tng.trickles.epoch",
    "tng.trickles.connection",
    "tng.trickles.instance",
    "tng.trickles.request",
    "tng.trickles.index",
    "frame.interface_name",
    "ip.dst",
    "udp.length",
    "tng.message",
    "tng.number",
    "tng.phase",
    "tng.ack.first",
    "tng.ack.last",
    "tng.ack.ect0",
    "tng.control.type",
    "tng.frame.type",
    "tng.pads",
    "tng.code",
    "tng.sequence",
    "tng.new_id",
    "tng.stream",
    "tng.parent",
    "tng.final_offset",
    "tng.limit",
    "tng.weight",
    "tng.level",
    "tng.offset",
    "tng.length",
    "tng.final",
    "tng.datagram",
    "tng.reason",
    "tng.id",
    "tng.section.id",
    "tng.section.number",
    "tng.capability",
    "tng.lost",
    "tng.payload_max",
    "tng.hops",
    "tng.declined",
    "tng.malformed",
    "tng.unopened",
];

/// A packet as tshark shows it: the values of each field, as they come.
struct Shown(BTreeMap<&'static str, Vec<String>>);

impl Shown {
    fn all(&self, field: &str) -> &[String] {
        assert!(FIELDS.contains(&field), "{field} is not asked for");
        self.0.get(field).map_or(&[], Vec::as_slice)
    }

    fn one(&self, field: &str) -> &str {
        self.all(field).first().map_or("", String::as_str)
    }

    fn numbers(&self, field: &str) -> Vec<u64> {
        let number = |text: &String| match text.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).expect("a number"),
            None if text == "True" => 1,
            None if text == "False" => 0,
            None => text.parse().unwrap_or_else(|error| panic!("{field}: {text}: {error}")),
        };
        self.all(field).iter().map(number).collect()
    }
}

fn tshark_is_there() -> bool {
    let there = Command::new("tshark").arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(there || std::env::var_os("TNG_NEED_TSHARK").is_none(), "there is no tshark");
    if !there {
        eprintln!("SKIPPED: there is no tshark to run wireshark/tng.lua");
    }
    there
}

/// What tshark shows of a capture. The script must not fail on any packet.
fn dissect(name: &str, capture: &[u8], options: &[&str]) -> Vec<Shown> {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.pcapng", std::process::id()));
    fs::write(&path, capture).expect("the folder for temporary files can be written");
    let script = concat!("lua_script:", env!("CARGO_MANIFEST_DIR"), "/../../wireshark/tng.lua");
    let mut tshark = Command::new("tshark");
    tshark.args(["-n", "-X", script, "-r"]).arg(&path).args(options);
    tshark.args(["-T", "fields", "-E", "separator=/t", "-E", "aggregator=;", "-E", "occurrence=a"]);
    tshark.args(FIELDS.iter().flat_map(|field| ["-e", field]));
    let output = tshark.output().expect("tshark runs");
    fs::remove_file(&path).expect("it was written");
    let (text, talk) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{talk}");
    assert!(!talk.contains("Lua") && !text.contains("Lua Error"), "{talk}{text}");
    let values = |cell: &str| cell.split(';').filter(|value| !value.is_empty()).map(str::to_owned).collect();
    let shown = |line: &str| Shown(FIELDS.into_iter().zip(line.split('\t').map(values)).collect());
    text.lines().map(shown).collect()
}

/// What is compared of a packet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Digest {
    number: u64,
    len: u64,
    frames: Vec<&'static str>,
    acked: Vec<(u64, u64)>,
    ect0: Vec<u64>,
    pads: Vec<u64>,
    codes: Vec<u64>,
    sequences: Vec<u64>,
    new_ids: Vec<String>,
    streams: Vec<u64>,
    final_offsets: Vec<u64>,
    limits: Vec<u64>,
    weights: Vec<u64>,
    offsets: Vec<u64>,
    lengths: Vec<u64>,
    finals: Vec<u64>,
    datagrams: Vec<u64>,
}

fn control_name(kind: u64) -> &'static str {
    const NAMES: [&str; 7] = [
        "padding",
        "ping",
        "connection_close",
        "new_connection_id",
        "retire_connection_id",
        "path_challenge",
        "path_response",
    ];
    NAMES[kind as usize]
}

fn frame_name(kind: u64) -> &'static str {
    match kind {
        0x00 => "padding",
        0x10 | 0x18 => "tng_init",
        0x11 => "tng_refuse",
        0x12 => "reset_stream",
        0x13 => "stop_sending",
        0x14 => "max_stream_data",
        0x15 => "max_data",
        0x16 => "max_streams",
        0x17 => "tng_priority",
        0x19 => "tng_request",
        0x1a => "tng_received",
        0x20..=0x27 => "datagram",
        0x40..=0x7f => "stream",
        _ => "unknown",
    }
}

impl Digest {
    fn of_shown(shown: &Shown) -> Digest {
        let acked = shown.numbers("tng.ack.first").into_iter().zip(shown.numbers("tng.ack.last")).collect::<Vec<_>>();
        let mut frames: Vec<&str> = acked.first().map(|_| "ack").into_iter().collect();
        frames.extend(shown.numbers("tng.control.type").into_iter().map(control_name));
        frames.extend(shown.numbers("tng.frame.type").into_iter().map(frame_name));
        Digest {
            number: shown.numbers("tng.number")[0],
            len: shown.numbers("udp.length")[0] - 8,
            frames,
            acked,
            ect0: shown.numbers("tng.ack.ect0"),
            pads: shown.numbers("tng.pads"),
            codes: shown.numbers("tng.code"),
            sequences: shown.numbers("tng.sequence"),
            new_ids: shown.all("tng.new_id").iter().map(|id| id.replace(':', "")).collect(),
            streams: shown.numbers("tng.stream"),
            final_offsets: shown.numbers("tng.final_offset"),
            limits: shown.numbers("tng.limit"),
            weights: shown.numbers("tng.weight"),
            offsets: shown.numbers("tng.offset"),
            lengths: shown.numbers("tng.length"),
            finals: shown.numbers("tng.final"),
            datagrams: shown.numbers("tng.datagram"),
        }
    }

    /// From the note that a host made of the packet, with its own parsers.
    fn of_note(data: &Value) -> Digest {
        let mut digest = Digest {
            number: data["header"]["packet_number"].as_u64().expect("a number"),
            len: data["raw"]["length"].as_u64().expect("a length"),
            ..Digest::default()
        };
        for frame in data["frames"].as_array().expect("frames") {
            digest.add(frame);
        }
        digest
    }

    fn add(&mut self, frame: &Value) {
        let kind = frame["frame_type"].as_str().expect("a type");
        let number = |name: &str| frame[name].as_u64();
        let named: Vec<&str> = (0..7).map(control_name).chain((0..0x58).map(frame_name)).chain(["ack"]).collect();
        self.frames.push(named.into_iter().find(|name| *name == kind).expect("a known type"));
        for range in frame["acked_ranges"].as_array().into_iter().flatten() {
            self.acked.push((range[0].as_u64().expect("a number"), range[1].as_u64().expect("a number")));
        }
        self.ect0.extend(number("ect0"));
        self.pads.extend(number("payload_length"));
        self.codes.extend(number("error_code"));
        self.sequences.extend(number("sequence_number"));
        self.new_ids.extend(frame["connection_id"].as_str().map(str::to_owned));
        self.streams.extend(number("stream_id"));
        self.final_offsets.extend(number("final_size"));
        self.limits.extend(number("maximum"));
        self.weights.extend(number("weight"));
        self.offsets.extend(number("offset").or(number("tng_offset")));
        self.lengths.extend(number("length"));
        let last = frame["fin"].as_bool().or(frame["tng_last"].as_bool());
        self.finals.extend(last.map(u64::from));
        self.datagrams.extend(number("tng_datagram"));
    }
}

const WORLD: &str = "[world]\nseed=11\n[[node]]\nname='a'\naddresses=['10.0.0.1']\n[[node]]\nname='b'\n\
                     addresses=['10.0.0.2']\n[[link]]\nbetween=['a','b']\nrate='10mbit'\ndelay='5ms'\nloss='1%'\n\
                     reorder={share='3%',by='8ms'}\nduplicate='1%'\n[[flow]]\nfrom='a'\nto='b'\n[[flow.stream]]\n\
                     name='long'\nbytes='300kB'\n[[flow.stream]]\nname='cut'\nbytes='10MB'\n[[flow.stream]]\n\
                     name='child'\nparent='long'\nbytes='5kB'\n[[flow.datagrams]]\nsize=300\ninterval='20ms'\n\
                     count=20\n[[event]]\nat='100ms'\nkind='priority'\nstream='long'\npriority=3\nby='receiver'\n\
                     [[event]]\nat='200ms'\nkind='stop'\nstream='cut'\ncode=7\n[[event]]\nat='300ms'\nkind='rebind'\n\
                     node='a'\nseen='203.0.113.7:40001'\n";

/// The capture of a run, its key log, and what each host noted of each packet that it sent.
fn simulate() -> (Vec<u8>, Vec<u8>, BTreeMap<char, Vec<Digest>>) {
    let mut run = Run::new(Scenario::parse(WORLD).expect("a scenario"));
    let (capture, keys) = (Memory::default(), Memory::default());
    run.capture(Box::new(capture.clone())).expect("memory");
    run.log_keys(Box::new(BufWriter::new(keys.clone())));
    let files: Arc<Mutex<BTreeMap<String, Memory>>> = Arc::default();
    let known = files.clone();
    run.trace(move |name| Ok(Box::new(known.lock().expect("one thread").entry(name.to_owned()).or_default().clone())));
    run.finish().expect("memory");
    let mut sent: BTreeMap<char, Vec<Digest>> = BTreeMap::new();
    for (name, file) in &*files.lock().expect("one thread") {
        let text = String::from_utf8(file.bytes()).expect("JSON");
        let events = text.split('\x1e').skip(2).map(|event| serde_json::from_str::<Value>(event).expect("JSON"));
        let packets = events.filter(|event| event["name"] == "transport:packet_sent");
        let packets = packets.filter(|event| event["data"]["tng_message"].is_null());
        let of_host = sent.entry(name.chars().next().expect("a name")).or_default();
        of_host.extend(packets.map(|event| Digest::of_note(&event["data"])));
    }
    (capture.bytes(), keys.bytes(), sent)
}

#[test]
fn every_packet_of_a_world_is_shown_as_its_sender_wrote_it() {
    if !tshark_is_there() {
        return;
    }
    let (capture, _, mut sent) = simulate();
    let shown = dissect("world", &capture, &[]);
    let mut seen: BTreeMap<char, Vec<Digest>> = BTreeMap::new();
    let mut set_up = 0;
    for packet in &shown {
        assert_eq!((packet.one("tng.malformed"), packet.one("tng.unopened")), ("", ""), "{:?}", packet.0);
        if !packet.one("tng.message").is_empty() {
            set_up += 1;
            continue;
        }
        assert!(!packet.one("tng.number").is_empty(), "not decrypted: {:?}", packet.0);
        let (host, to) = match packet.one("frame.interface_name") {
            "a-b" => ('a', "10.0.0.2"),
            "b-a" => ('b', "10.0.0.1"),
            other => panic!("interface {other}"),
        };
        // What leaves: b also sends to where a is seen after its move.
        if packet.one("ip.dst") == to || (host == 'b' && packet.one("ip.dst") == "203.0.113.7") {
            seen.entry(host).or_default().push(Digest::of_shown(packet));
        }
    }
    assert!(set_up >= 4 && shown.len() > 500, "{set_up} of {}", shown.len());
    for host in ['a', 'b'] {
        let (seen, sent) = (seen.get_mut(&host).expect("packets"), sent.get_mut(&host).expect("packets"));
        seen.sort();
        sent.sort();
        let differs = seen.iter().zip(sent.iter()).find(|(seen, sent)| seen != sent);
        assert_eq!(differs, None, "{host}: shown, and as it was sent");
        assert_eq!(seen.len(), sent.len(), "{host}");
    }
}

#[test]
fn without_keys_the_packets_are_shown_sealed_and_with_a_key_log_opened() {
    if !tshark_is_there() {
        return;
    }
    let (mut capture, keys, _) = simulate();
    // The comments lose what makes them key log lines; the capture stays as long as it was.
    for at in 0..capture.len() - 5 {
        if &capture[at..at + 5] == b"tng1 " {
            capture[at + 3] = b'?';
        }
    }
    let sealed = dissect("sealed", &capture, &[]);
    assert!(sealed.len() > 500 && sealed.iter().all(|packet| packet.one("tng.number").is_empty()));
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("keys-{}", std::process::id()));
    fs::write(&path, keys).expect("the folder for temporary files can be written");
    let opened = dissect("opened", &capture, &["-o", &format!("tng.keys:{}", path.display())]);
    fs::remove_file(&path).expect("it was written");
    let is_open = |packet: &&Shown| packet.one("tng.message").is_empty();
    assert!(opened.iter().filter(is_open).all(|packet| !packet.one("tng.number").is_empty()));
}

/// Packets of one direction of a channel, made by hand.
struct Made {
    capture: Pcapng,
    file: Vec<u8>,
    interface: tng_trace::InterfaceId,
}

const INITIATOR: u64 = 0x0102_0304_0506;
const RESPONDER: u64 = 0x1112_1314_1516;

impl Made {
    /// With the keys of a channel under this cipher as a comment.
    fn new(cipher: u8) -> Made {
        let mut file = Vec::new();
        let mut capture = Pcapng::start(&mut file).expect("memory");
        let interface = capture.interface(&mut file, "made").expect("memory");
        let secret = |byte: u8| format!("{byte:02x}").repeat(32);
        capture.comment(&format!("tng1 {INITIATOR:012x} {RESPONDER:012x} {cipher} {} {}", secret(1), secret(2)));
        Made { capture, file, interface }
    }

    fn put(&mut self, payload: &[u8]) {
        let (src, dst) = (([10, 0, 0, 1], 4860).into(), ([10, 0, 0, 2], 4860).into());
        let (direction, protocol) = (Direction::Outbound, IpProtocol::Udp);
        let datagram = Captured { time: Instant::ZERO, direction, src, dst, ecn: Ecn::Ect0, protocol, payload };
        self.capture.datagram(&mut self.file, self.interface, &datagram).expect("memory");
    }

    /// A packet from the initiator.
    fn seal(&mut self, armor: &mut dyn Armor, number: u64, flags: u8, body: &[u8]) {
        self.put(&sealed(armor, number, flags, body));
    }
}

/// The same, and nobody sends it.
fn sealed(armor: &mut dyn Armor, number: u64, flags: u8, body: &[u8]) -> Vec<u8> {
    let phase = if armor.send_phase(number) { 0x20 } else { 0 };
    let mut packet = vec![0x40 | phase | flags | 1];
    packet.extend_from_slice(&ChannelId::from_u64(RESPONDER).to_bytes());
    packet.extend_from_slice(&(number as u16).to_be_bytes());
    packet.extend_from_slice(body);
    packet.resize(packet.len() + armor.tag_len(), 0);
    armor.seal(number, 9, &mut packet).expect("the keys last");
    armor.protect(7, 2, &mut packet);
    packet
}

fn armor(cipher: u8, renew_after: u64) -> Box<dyn Armor> {
    let [send, receive] = [1, 2].map(|byte| Secret32::from_bytes([byte; 32]));
    let aead = |suite, send, receive| {
        let limits = KeyLimits { renew_after, ..KeyLimits::of(suite) };
        Box::new(AeadArmor::with_limits(suite, send, receive, limits))
    };
    match cipher {
        1 => aead(Suite::Aes128Gcm, send, receive),
        2 => aead(Suite::ChaCha20Poly1305, send, receive),
        _ => Box::new(WeakArmor::new(Role::Initiator, &send, &receive)),
    }
}

const ACK: u8 = 0x10;
const CONTROL: u8 = 0x08;

/// Ack block, control frames and stream frames of every kind, whose values are known.
fn of_every_kind() -> Vec<u8> {
    let mut body = vec![0xc2, 0x40, 99, 5, 1, 3, 2, 0x40, 101, 7, 8, 9]; // 98-99 and 91-93; 101 held; ECN counts
    let mut control = vec![0, 0, 1]; // PADs, PING
    control.extend_from_slice(&[2, 0x41, 0, 3, b'b', b'y', b'e']); // CLOSE
    control.extend_from_slice(&[3, 4, 2, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6]); // NEW_ID
    control.extend_from_slice(&[7; 16]);
    control.extend_from_slice(&[4, 1]); // RETIRE_ID
    control.extend_from_slice(&[5, 0, 0, 0, 0, 0, 0, 0, 1, 6, 0, 0, 0, 0, 0, 0, 0, 2]); // CHALLENGE, RESPONSE
    body.push(control.len() as u8);
    body.extend_from_slice(&control);
    body.extend_from_slice(&[0x10, 8, 0, 4, b'e', b'c', b'h', b'o', 1, b'x']); // INIT for a service
    body.extend_from_slice(&[0x10, 10, 9]); // INIT of a child of 8
    body.extend_from_slice(&[0x18, 12, 8]); // INIT_DATAGRAM
    body.extend_from_slice(&[0x19, 28, 1, b's', 1, b'p', 2, b'g', b'o']); // REQUEST
    body.extend_from_slice(&[0x11, 14, 1, 2, b'n', b'o']); // REFUSE
    body.extend_from_slice(&[0x12, 16, 5, 0x80, 1, 0, 0]); // RESET at 65536
    body.extend_from_slice(&[0x13, 18, 6]); // STOP
    body.extend_from_slice(&[0x14, 20, 0xff, 255, 255, 255, 255, 255, 255, 255]); // CREDIT of 2^62 - 1
    body.extend_from_slice(&[0x15, 0x7f, 0xff, 0x21, 0x16, 33]); // HOST_CREDIT, CREATE_CREDIT
    body.extend_from_slice(&[0x17, 22, 1, 0x40, 130, 200]); // PRIORITY, level 1, weight 200
    body.extend_from_slice(&[0, 0, 0]); // PADs
    body.extend_from_slice(&[0x57, 24, 4, 0, 2, b'h', b'i']); // DATA with all flags, at 1024
    body.extend_from_slice(&[0x7a, 30, 0, 0, 0, 1, 0, 0, 0, 0, 1, b'!']); // DATA at 4 GiB
    body.extend_from_slice(&[0x27, 8, 3, 6, 2, b'h', b'o']); // DATAGRAM with all flags
    body.extend_from_slice(&[0x23, 8, 2, b'h', b'u']); // DATAGRAM, whole
    body.extend_from_slice(&[0x40, 26, b'e', b'n', b'd']); // DATA to the end
    body
}

#[test]
fn packets_of_every_kind_under_every_cipher_and_over_renewed_keys_are_shown_as_they_were_made() {
    if !tshark_is_there() {
        return;
    }
    for cipher in [1, 2, 3] {
        let (mut made, mut armor) = (Made::new(cipher), armor(cipher, 3));
        for number in 1..=12 {
            made.seal(&mut *armor, number, ACK | CONTROL, &of_every_kind());
            // Acknowledged, so that keys are renewed after every third.
            armor.handle_acked(number);
        }
        let shown = dissect(&format!("kinds-{cipher}"), &made.file, &[]);
        let renewed = if cipher == 3 { [0; 12] } else { [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1] };
        assert_eq!(shown.iter().map(|packet| packet.numbers("tng.phase")[0]).collect::<Vec<_>>(), renewed);
        for (at, packet) in shown.iter().enumerate() {
            assert_eq!(packet.numbers("tng.number"), [at as u64 + 1], "cipher {cipher}");
            let whole = Digest::of_shown(packet);
            assert_eq!(whole.acked, [(98, 99), (91, 93)]);
            let frames: Vec<u64> = packet.numbers("tng.frame.type");
            assert_eq!(packet.numbers("tng.control.type"), [0, 1, 2, 3, 4, 5, 6]);
            let expected =
                [0x10, 0x10, 0x18, 0x19, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0, 0x57, 0x7a, 0x27, 0x23, 0x40];
            assert_eq!(frames, expected);
            assert_eq!((whole.ect0, whole.pads), (vec![7], vec![2, 3]));
            assert_eq!((whole.codes, whole.sequences), (vec![256, 1, 5, 6], vec![4, 1]));
            assert_eq!((whole.new_ids, whole.final_offsets), (vec!["a1a2a3a4a5a6".to_owned()], vec![65_536]));
            assert_eq!(whole.streams, [8, 10, 12, 28, 14, 16, 18, 20, 22, 24, 30, 26]);
            assert_eq!((whole.limits, whole.weights), (vec![(1 << 62) - 1, 16_383, 33], vec![200]));
            assert_eq!((whole.offsets, whole.lengths), (vec![1024, 1 << 32, 6, 0, 0], vec![2, 2, 1, 2, 2, 3]));
            assert_eq!((whole.finals, whole.datagrams), (vec![1, 0, 1, 1, 0], vec![3]));
            assert_eq!((packet.numbers("tng.level"), packet.numbers("tng.parent")), (vec![1], vec![8, 8, 8, 8]));
            assert_eq!(packet.all("tng.reason"), ["bye", "no"]);
            assert_eq!((packet.one("tng.malformed"), packet.one("tng.unopened")), ("", ""));
        }
    }
}

#[test]
fn broken_packets_are_called_so_and_their_frames_are_shown_as_far_as_they_go() {
    if !tshark_is_there() {
        return;
    }
    let (mut made, mut armor, mut rng) = (Made::new(1), armor(1, 1 << 20), Rng::from_seed([9; 32]));
    let whole = of_every_kind();
    // The payload of streams begins behind the acknowledgment and control blocks.
    let streams = whole.windows(3).position(|part| part == [0x10, 8, 0]).expect("an INIT");
    let mut expected = Vec::new();
    for number in 1..=300u64 {
        let mut payload = whole[streams..].to_vec();
        payload.truncate(10 + rng.below(payload.len() as u64 - 10) as usize);
        for _ in 0..rng.below(3) {
            let at = rng.below(payload.len() as u64) as usize;
            payload[at] = rng.u64() as u8;
        }
        let mut frames = Vec::new();
        structured::describe(&payload, &mut frames);
        let names = frames.iter().map(|frame| format!("{frame:?}")).collect::<Vec<_>>();
        expected.push(names.len());
        made.seal(&mut *armor, number, 0, &payload);
    }
    // Set-up messages, cut; and what no key opens.
    for message in 1..=10u8 {
        made.put(&[message]);
    }
    let mut foreign = vec![0x55; 60];
    foreign[1..7].copy_from_slice(&ChannelId::from_u64(RESPONDER).to_bytes());
    made.put(&foreign);
    made.put(&[0x06, 0xa0]);
    let shown = dissect("broken", &made.file, &[]);
    assert_eq!(shown.len(), 312);
    let mut broken = 0;
    for (packet, whole) in shown.iter().zip(expected) {
        let frames = packet.numbers("tng.frame.type").len();
        let malformed = !packet.one("tng.malformed").is_empty();
        broken += u32::from(malformed);
        assert_eq!(frames, whole + usize::from(malformed), "whole frames, and one that is not: {:?}", packet.0);
    }
    assert!((100..300).contains(&broken), "{broken} of 300");
    let verdicts: Vec<(&str, &str)> =
        shown[300..].iter().map(|packet| (packet.one("tng.malformed"), packet.one("tng.unopened"))).collect();
    assert!(verdicts[..10].iter().all(|(malformed, _)| !malformed.is_empty()), "{verdicts:?}");
    assert!(!verdicts[10].1.is_empty() && verdicts[11] == ("", ""), "{verdicts:?}");
}

const SECTION: u64 = 0x2122_2324_2526;

/// A packet between neighbours, with every control frame that such have, and this for its neighbour to pass on.
fn of_section(number: u16, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x80 | ACK | CONTROL | 0x04 | 1];
    packet.extend_from_slice(&ChannelId::from_u64(SECTION).to_bytes());
    packet.extend_from_slice(&number.to_be_bytes());
    packet.extend_from_slice(&[0x41, 20, 1, 2, 40]); // 18-20; 40 held
    let mut control = vec![0x07, 33]; // LOST
    control.extend_from_slice(&[0x08, 2, 0x45, 0x78]); // PAYLOAD_MAX of 1400
    control.extend_from_slice(&[0x03, 4, 2, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6]); // NEW_ID
    control.extend_from_slice(&[0x77; 16]);
    control.push(0x09); // CARRY
    control.extend_from_slice(&[0x0a, 1, 31, 2, 0xb1, 0xb2]); // RENEW
    control.extend_from_slice(&[0x55; 28]);
    packet.extend_from_slice(&[0x40, control.len() as u8]);
    packet.extend_from_slice(&control);
    packet.extend_from_slice(payload);
    packet.extend_from_slice(&[0x99; 8]); // MAC
    packet
}

#[test]
fn a_section_packet_is_shown_in_clear_and_what_it_carries_with_the_keys_of_the_ends() {
    if !tshark_is_there() {
        return;
    }
    let (mut made, mut armor) = (Made::new(1), armor(1, 1 << 20));
    for number in 1..=3 {
        let carried = sealed(&mut *armor, number, ACK | CONTROL, &of_every_kind());
        made.put(&of_section(700 + number as u16, &carried));
    }
    made.put(&of_section(704, &[9, b'd', b'n', b's'])); // of legacy flow 9 in a tunnel
    made.put(&of_section(705, &[]));
    let shown = dissect("sections", &made.file, &[]);
    for (at, packet) in shown.iter().enumerate() {
        assert_eq!((packet.one("tng.malformed"), packet.one("tng.unopened")), ("", ""), "{at}");
        assert_eq!(packet.all("tng.section.id"), ["212223242526"]);
        assert_eq!(packet.numbers("tng.section.number"), [701 + at as u64]);
        assert_eq!((packet.numbers("tng.lost"), packet.numbers("tng.payload_max")), (vec![33], vec![1_400]));
        assert_eq!(packet.numbers("tng.hops"), [1]);
        assert_eq!(packet.numbers("tng.control.type")[..5], [7, 8, 3, 9, 10]);
        assert_eq!((packet.numbers("tng.ack.first")[0], packet.numbers("tng.ack.last")[0]), (18, 20));
    }
    for (number, packet) in (1..=3).zip(&shown) {
        assert_eq!(
            (packet.numbers("tng.number"), packet.all("tng.id")),
            (vec![number], &["111213141516".to_owned()][..])
        );
        assert_eq!(packet.numbers("tng.stream").len(), 12);
    }
    assert!(shown[3..].iter().all(|packet| packet.all("tng.id").is_empty()));
}

#[test]
fn what_stands_in_clear_of_a_stateless_connection_is_shown() {
    if !tshark_is_there() {
        return;
    }
    let id = ConnectionId([7; 16]);
    let request = RequestHeader { armor: tng_trickles::wire::Armor::Sealed, epoch: 9, id, count: 3 };
    let (handle, instance) = ([7; 4], InstanceName([8; 8]));
    let response = ResponseHeader { armor: request.armor, handle, instance, count: 3, index: 1 };
    let secret = ConnectionSecret::new(Secret32::from_bytes([5; 32]));
    let mut made = Made::new(1);
    let mut init = vec![0x44; 1_200];
    init[..3].copy_from_slice(&[0xa1, 0, 1]);
    made.put(&init);
    let mut sealed = [&battery::emit(&request)[..], &[1; 100]].concat();
    let seal = request.seal(&secret.requests(), &mut sealed);
    made.put(&sealed);
    let mut sealed = [&battery::emit(&response)[..], &[1; 60]].concat();
    response.seal(&secret.responses(response.instance, &seal), &mut sealed);
    made.put(&sealed);
    made.put(&sealed[..20]);
    // Between ends that leave seals out.
    made.put(&[&[0xaa][..], &battery::emit(&request)[1..], &[1; 9]].concat());
    made.put(&[&[0xab][..], &battery::emit(&response)[1..]].concat());
    let shown = dissect("trickles", &made.file, &[]);
    assert_eq!(shown[0].numbers("tng.message"), [0xa1]);
    assert_eq!((shown[1].numbers("tng.trickles.epoch"), shown[1].numbers("tng.trickles.request")), (vec![9], vec![3]));
    assert_eq!(shown[1].all("tng.trickles.connection"), ["07".repeat(16)]);
    assert_eq!(shown[2].all("tng.trickles.instance"), ["08".repeat(8)]);
    assert_eq!((shown[2].numbers("tng.trickles.request"), shown[2].numbers("tng.trickles.index")), (vec![3], vec![1]));
    assert!(shown[..3].iter().all(|packet| packet.one("tng.malformed").is_empty()));
    assert!(!shown[3].one("tng.malformed").is_empty(), "cut");
    assert!(shown[4..].iter().all(|packet| packet.numbers("tng.trickles.request") == [3]));
    assert!(shown[4..].iter().all(|packet| packet.one("tng.malformed").is_empty()));
}

const STATELESS: &str = "[world]\nseed=12\n[[node]]\nname='server'\naddresses=['10.0.0.1']\n[[node]]\nname='client'\n\
                         addresses=['10.0.0.2']\n[[link]]\nbetween=['server','client']\nrate='10mbit'\ndelay='5ms'\n\
                         loss='2%'\n[[flow]]\nfrom='server'\nto='client'\nprotocol='trickles'\nbytes='500kB'\n";

#[test]
fn every_packet_of_a_stateless_download_over_a_link_that_loses_some_is_shown_as_what_it_is() {
    if !tshark_is_there() {
        return;
    }
    let mut run = Run::new(Scenario::parse(STATELESS).expect("a scenario"));
    let capture = Memory::default();
    run.capture(Box::new(capture.clone())).expect("memory");
    run.finish().expect("memory");
    let shown = dissect("stateless", &capture.bytes(), &[]);
    // By message, and by where they were seen: what is lost was sent, and did not come.
    let mut seen: BTreeMap<(u64, bool), BTreeMap<(u64, u64), usize>> = BTreeMap::new();
    let (mut connections, mut instances) = (BTreeSet::new(), BTreeMap::<u64, BTreeSet<String>>::new());
    for packet in &shown {
        let [message] = packet.numbers("tng.message")[..] else { panic!("one message: {:?}", packet.0) };
        assert_eq!((packet.one("tng.malformed"), packet.one("tng.unopened")), ("", ""), "{:?}", packet.0);
        let (from, to) = match packet.one("ip.dst") {
            "10.0.0.1" => ("client-server", "server-client"),
            "10.0.0.2" => ("server-client", "client-server"),
            other => panic!("to {other}"),
        };
        let at = packet.one("frame.interface_name");
        assert!(at == from || at == to, "interface {at}");
        let of_request = [0xa8, 0xa9].contains(&message);
        assert_eq!(packet.numbers("tng.trickles.request").len(), usize::from(of_request), "{:?}", packet.0);
        if of_request {
            // A response has the first bytes of the connection.
            connections.insert(packet.one("tng.trickles.connection")[..8].to_owned());
        }
        if message == 0xa9 {
            let instance = packet.one("tng.trickles.instance").to_owned();
            instances.entry(packet.numbers("tng.trickles.request")[0]).or_default().insert(instance);
        }
        let first = |field| packet.numbers(field).first().copied().unwrap_or(0);
        let count = (first("tng.trickles.request"), first("tng.trickles.index"));
        *seen.entry((message, at == from)).or_default().entry(count).or_default() += 1;
    }
    assert_eq!(connections.len(), 1, "{connections:?}");
    let is_one = |names: &BTreeSet<String>| names.len() == 1 && names.iter().all(|name| name.len() == 16);
    assert!(instances.values().all(is_one), "what one request releases has one secret: {instances:?}");
    let of = |message, sent| seen.get(&(message, sent)).cloned().unwrap_or_default();
    let total = |message, sent| of(message, sent).values().sum::<usize>();
    assert!(total(0xa1, true) >= 1 && total(0xa2, true) >= 1, "{seen:?}");
    assert!(total(0xa8, false) < total(0xa8, true) && total(0xa9, false) < total(0xa9, true), "some are lost");
    assert!(total(0xa9, false) > 300, "{} responses", total(0xa9, false));
    // Nothing is released but by a request that came.
    let asked: BTreeSet<u64> = of(0xa8, false).keys().map(|(request, _)| *request).collect();
    for (request, index) in of(0xa9, true).keys() {
        assert!(asked.contains(request), "packet {index} of request {request}");
    }
    assert!(of(0xa9, true).values().all(|count| *count == 1), "each once");
}

#[test]
fn every_packet_on_a_helped_path_is_one_between_neighbours() {
    if !tshark_is_there() {
        return;
    }
    let link = Link::new().rate(10_000_000).delay(core::time::Duration::from_millis(5));
    let mut setting = Setting::new(7, vec![link.clone().into(), link.clone().into(), link.into()]);
    setting.helpers = vec![Post::at(1), Post::at(2)];
    let party = Party::tng("helped", (0, 3), helped::Direction::Up, ["cubic", "cubic"]).via(&[0, 1]).bytes(100_000);
    setting.parties.push(party);
    let mut run = setting.begin();
    let capture = Memory::default();
    let hosts = run.hosts(0);
    run.world.capture(Box::new(capture.clone()), Tap::Node(hosts[0]), &Comments::default()).expect("memory");
    run.finish(0, core::time::Duration::from_secs(9)).expect("it arrives");
    run.world.stop_capture().expect("memory");
    let shown = dissect("helped", &capture.bytes(), &[]);
    let mut messages: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    let mut carrying = 0;
    for packet in &shown {
        assert_eq!((packet.one("tng.malformed"), packet.one("tng.section.id").len()), ("", 12), "{:?}", packet.0);
        *messages.entry(packet.numbers("tng.message")).or_default() += 1;
        carrying += usize::from(packet.numbers("tng.message").is_empty() && !packet.one("tng.id").is_empty());
    }
    // A JOIN with an order, and a JOINED with a REPLY.
    assert_eq!((messages.get(&vec![7, 0x0b]), messages.get(&vec![8, 2])), (Some(&1), Some(&1)), "{messages:?}");
    assert!(carrying > 80 && messages[&vec![]] == shown.len() - 2, "{carrying} of {}: {messages:?}", shown.len());
}
