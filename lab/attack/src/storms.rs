//! Datagrams full of one message each, as many as fit: what drives the rows of the resource model that no other attack
//! drives.

use core::net::SocketAddr;

use tng_base::Rng;

use crate::attacker::FILES;
use crate::catalogue::{Attack, peer, stranger};
use crate::frames::{self, frame, message, numbers, text};

/// The number of the resource model's storms in docs/attacks.md.
const NUMBER: u8 = 39;

/// Bytes of payload that a storm fills.
const FULL: usize = 1_100;

/// Streams that a storm is about: as many as are granted at first.
const STREAMS: u64 = 16;

/// The whole of each file that is brought.
const BROUGHT: &[u8] = b"bytes";

/// Bytes of a file whose end does not come: so few that a quota may have room for it.
const LONG: u64 = 8 << 20;

/// Bytes of each piece of it.
const PIECE: usize = 1_000;

/// Lanes of a test, and its length in milliseconds: the longest that a server allows by default.
const LANES: u64 = 8;
const TEST_MS: u64 = 600_000;

/// The perf service, the forward service and pipes, with their protocols (wire.md, sections 7 to 9).
const PERF: (&str, &str) = ("perf", "tng-perf/1");
const FORWARD: (&str, &str) = ("forward", "tng-forward/1");
const PING: (&str, &str) = ("ping", "request");
pub(crate) const PIPE: (&str, &str) = ("pipe", "tng-pipe/1");

/// All of them.
pub const STORMS: &[Attack] = &[
    stranger(NUMBER, "storm-reply", "replies that nobody asked for"),
    stranger(NUMBER, "storm-cookie", "cookies that nobody asked for"),
    stranger(NUMBER, "storm-version", "lists of versions that nobody asked for"),
    stranger(NUMBER, "storm-wrong-key", "signatures that nobody asked for"),
    stranger(NUMBER, "storm-unserved", "the answer to a mode that is not served"),
    stranger(NUMBER, "storm-join", "first messages that seem to come from helpers"),
    stranger(NUMBER, "storm-joined", "answers of helpers that nobody asked for"),
    stranger(NUMBER, "storm-answered", "small answers, passed on by helpers that nobody asked"),
    stranger(NUMBER, "storm-declined", "refusals of helpers that nobody asked"),
    stranger(NUMBER, "storm-order", "orders that are for helpers"),
    stranger(NUMBER, "storm-tunnel", "what stands in the instructions to a helper, alone"),
    stranger(NUMBER, "storm-punch", "PUNCHes for introductions that nobody has made"),
    stranger(NUMBER, "storm-offer", "offers of helpers that nobody has passed"),
    peer(NUMBER, "storm-pad", None, "control frames of nothing"),
    peer(NUMBER, "storm-ping", None, "requests for acknowledgments"),
    peer(NUMBER, "storm-response", None, "answers to challenges that nobody made"),
    peer(NUMBER, "storm-lost", None, "packets that are said to be lost"),
    peer(NUMBER, "storm-payload-max", Some(1), "sizes that are for sections"),
    peer(NUMBER, "storm-carry", None, "the word that a channel carries streams"),
    peer(NUMBER, "storm-renew", Some(1), "capabilities that are for helpers"),
    peer(NUMBER, "storm-padding", None, "frames of nothing"),
    peer(NUMBER, "storm-refuse", Some(1), "refusals of streams that the target did not begin"),
    peer(NUMBER, "storm-reset", None, "ends of streams, the same again and again"),
    peer(NUMBER, "storm-stop", None, "streams that are not wanted, the same again and again"),
    peer(NUMBER, "storm-credit", None, "credit in small steps"),
    peer(NUMBER, "storm-received", None, "word of bytes that have arrived"),
    peer(NUMBER, "storm-host-credit", None, "credit over all streams in small steps"),
    peer(NUMBER, "storm-create-credit", None, "credit for streams in small steps"),
    peer(NUMBER, "storm-datagrams", None, "datagrams that begin as streams"),
    peer(NUMBER, "storm-requests", None, "streams that begin and end in one frame"),
    peer(NUMBER, "storm-list", None, "listings, and none of them read"),
    peer(NUMBER, "storm-put", None, "small files that are brought, each another, and all that belongs to them"),
    peer(NUMBER, "storm-data", None, "a file that is brought piece by piece, without its end"),
    peer(NUMBER, "storm-make", None, "folders to be made, each another"),
    peer(NUMBER, "storm-echo", None, "pings, as many as fit"),
    peer(NUMBER, "storm-pipe", None, "bytes for a pipe, without end"),
    peer(NUMBER, "storm-forward", None, "TCP connections, and sockets to listen, at the target's own port number"),
    peer(NUMBER, "storm-perf", None, "measurements of every kind, as long as may be, and ends of them at once"),
];

/// What a stranger's storm sends.
pub(crate) fn datagram(name: &str, rng: &mut Rng) -> Option<Vec<u8>> {
    let (first, len) = match name {
        "storm-reply" => (0x02, 1_200),
        "storm-cookie" => (0x03, 55),
        "storm-version" => (0x04, 26),
        "storm-wrong-key" => (0x05, 103),
        "storm-unserved" => (0x06, 2),
        "storm-joined" => (0x08, 1_200),
        "storm-answered" => (0x09, 63),
        "storm-declined" => (0x0a, 8),
        "storm-order" => (0x0b, 1_200),
        "storm-tunnel" => (0x0c, 1),
        "storm-punch" => (0x0e, 33),
        "storm-offer" => (0x0d, 220),
        _ => return None,
    };
    let mut out = vec![0; len];
    rng.fill(&mut out);
    out[0] = first;
    Some(out)
}

/// So many requests, which fit, in the packet number `step` of a peer, each on a stream of its own, whose counter is
/// handed to `one`. In the end no more streams are granted, unless some have ended by then.
fn requests(step: u64, most: u64, one: impl FnMut(u64) -> Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    let first = 2 + most * (step - 1);
    let payload: Vec<u8> = (first..first + most).flat_map(one).collect();
    debug_assert!(payload.len() <= FULL, "{} bytes", payload.len());
    (Vec::new(), payload)
}

/// As many as fit.
fn full(mut one: impl FnMut(u64) -> Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    for i in 0.. {
        let next = one(i);
        if out.len() + next.len() > FULL {
            break;
        }
        out.extend(next);
    }
    out
}

/// The control frames and the payload of a peer's packet number `step`, from 1, for the host at `target`; packet 0 has
/// opened stream 0 of the target's service.
pub(crate) fn contents(name: &str, step: u64, target: SocketAddr, rng: &mut Rng) -> Option<(Vec<u8>, Vec<u8>)> {
    let control = |one: &mut dyn FnMut(u64) -> Vec<u8>| (frames::control(&full(one)), Vec::new());
    let payload = |one: &mut dyn FnMut(u64) -> Vec<u8>| (Vec::new(), full(one));
    // Rises with each frame.
    let rising = |i: u64| 4_096 + 1_000 * step + i;
    let id = |i: u64| 2 * (i % STREAMS);
    Some(match name {
        "storm-pad" => control(&mut |_| vec![0]),
        "storm-ping" => control(&mut |_| vec![1]),
        "storm-response" => control(&mut |_| frame(0x06, &[], &rng.bytes::<8>())),
        "storm-lost" => control(&mut |i| frame(0x07, &[i], &[])),
        "storm-payload-max" => control(&mut |i| frame(0x08, &[step + i, 1_400], &[])),
        "storm-carry" => control(&mut |_| vec![9]),
        "storm-renew" => control(&mut |_| frame(0x0a, &[], &[&[0, 93][..], &[7; 93]].concat())),
        "storm-padding" => payload(&mut |_| vec![0]),
        "storm-refuse" => payload(&mut |_| frame(0x11, &[0, 1], &[0])),
        "storm-reset" => payload(&mut |i| frame(0x12, &[id(i), 0, 0], &[])),
        "storm-stop" => payload(&mut |i| frame(0x13, &[id(i), 0], &[])),
        "storm-credit" => payload(&mut |i| frame(0x14, &[0, rising(i)], &[])),
        "storm-received" => payload(&mut |_| frame(0x1a, &[0, 0], &[])),
        "storm-host-credit" => payload(&mut |i| frame(0x15, &[rising(i)], &[])),
        "storm-create-credit" => payload(&mut |i| frame(0x16, &[rising(i)], &[])),
        "storm-datagrams" => payload(&mut |i| frame(0x18, &[2 * (1 + (50 * step + i) % 900), 0], &[])),
        "storm-requests" => payload(&mut |i| frames::request(1 + (50 * step + i) % 900, FILES.0, FILES.1, &[7])),
        "storm-echo" => requests(step, 35, |counter| frames::request(counter, PING.0, PING.1, &[7; 8])),
        "storm-pipe" => (Vec::new(), frames::data(0, PIECE as u64 * (step - 1), &[7; PIECE])),
        "storm-list" => requests(step, 35, |counter| {
            frames::request(counter, FILES.0, PING.1, &message(0x01, &[&[0][..], &text("")].concat()))
        }),
        "storm-make" => requests(step, 25, |counter| {
            let (made, nowhere) = (text(&format!("made-{:x}", rng.u64())), text("nowhere"));
            // A folder without what is known of it, a link, a further name of no file, and away with one of those.
            let asked = match counter % 4 {
                0 => message(0x05, &[&[0][..], &made, &nowhere, &[0]].concat()),
                1 => message(0x06, &[&[0][..], &made, &nowhere].concat()),
                2 => message(0x07, &[&[0][..], &nowhere].concat()),
                _ => message(0x04, &[&made[..], &[0]].concat()),
            };
            frames::question(counter, 1, &asked)
        }),
        "storm-put" => requests(step, 12, |counter| {
            let (data, end) = (message(0x11, BROUGHT), message(0x12, blake3::hash(BROUGHT).as_bytes()));
            let whole = [put(0, &format!("brought-{:x}", rng.u64()), BROUGHT.len() as u64), data, end];
            frames::question(counter, 1, &whole.concat())
        }),
        "storm-data" => {
            // The name is as long each time, so that it is known where the pieces begin.
            let begun = put(RESUME, &format!("endless-{:016x}", rng.u64()), LONG);
            let piece = message(0x11, &[7; PIECE]);
            let payload = match step {
                1 => [frames::child(2, 1), frames::data(2, 0, &begun)].concat(),
                _ => frames::data(2, begun.len() as u64 + piece.len() as u64 * (step - 2), &piece),
            };
            (Vec::new(), payload)
        }
        "storm-forward" => requests(step, 20, |counter| {
            let port = target.port().to_be_bytes();
            let (kind, host) = if counter % 4 == 3 { (0x02, "127.0.0.2") } else { (0x01, "127.0.0.1") };
            let body = [&text(host)[..], &port].concat();
            let head = [&[kind][..], &(body.len() as u16).to_be_bytes()].concat();
            let asked = frames::data(counter, 0, &[head, body].concat());
            [frames::open(counter, FORWARD.0, FORWARD.1), asked].concat()
        }),
        "storm-perf" => requests(step, 4, |counter| {
            let asked = frames::data(counter, 0, &measurement(counter));
            [frames::open(counter, PERF.0, PERF.1), asked].concat()
        }),
        _ => return None,
    })
}

/// The parent of requests, on stream 1.
pub(crate) fn parent() -> Vec<u8> {
    frames::open(1, FILES.0, FILES.1)
}

/// The flag of a PUT after which the target keeps what it has of the file.
const RESUME: u8 = 1;

/// A PUT, and the FILE after it (wire.md, section 6): a file of so many bytes under this name.
fn put(flags: u8, name: &str, size: u64) -> Vec<u8> {
    [message(0x03, &[&[flags][..], &text(name)].concat()), message(0x10, &numbers(&[size, 0, 0], &[]))].concat()
}

/// TEST and START (wire.md, section 9), and every second time END: streams or datagrams, by either side or by both.
fn measurement(n: u64) -> Vec<u8> {
    let said = |kind: u8, body: &[u8]| [&[kind][..], &(body.len() as u32).to_be_bytes(), body].concat();
    // Some side sends; datagrams, and what was printed, if it is so.
    let flags = 1 + n % 3 + 4 * (n / 3 % 2) + 8 * (n / 6 % 2);
    let test = numbers(&[LANES, TEST_MS, 0, 0, 1_000, 0, 0], &[]);
    let [test, start] = [said(0x01, &[&[flags as u8][..], &test].concat()), said(0x02, &[])];
    // A side's processor times, no name, and twelve numbers for each lane of each direction.
    let lanes = if n % 3 == 2 { 2 * LANES } else { LANES };
    let results = [numbers(&[0, 0, 0, lanes], &[]), vec![0; 12 * lanes as usize]].concat();
    let end = if n.is_multiple_of(2) { Vec::new() } else { said(0x03, &results) };
    [test, start, end].concat()
}
