//! Datagrams full of one message each, as many as fit: what drives the rows of the resource model that no other attack
//! drives.

use tng_base::Rng;

use crate::attacker::FILES;
use crate::catalogue::{Attack, peer, stranger};
use crate::frames::{self, frame, message, text};

/// The number of the resource model's storms in docs/attacks.md.
const NUMBER: u8 = 39;

/// Bytes of payload that a storm fills.
const FULL: usize = 1_100;

/// Streams that a storm is about: as many as are granted at first.
const STREAMS: u64 = 16;

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
    peer(NUMBER, "storm-host-credit", None, "credit over all streams in small steps"),
    peer(NUMBER, "storm-create-credit", None, "credit for streams in small steps"),
    peer(NUMBER, "storm-datagrams", None, "datagrams that begin as streams"),
    peer(NUMBER, "storm-list", None, "listings, and none of them read"),
    peer(NUMBER, "storm-put", None, "files that are brought, and all that belongs to them"),
    peer(NUMBER, "storm-make", None, "folders to be made"),
    peer(NUMBER, "storm-echo", None, "bytes to be given back"),
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
        _ => return None,
    };
    let mut out = vec![0; len];
    rng.fill(&mut out);
    out[0] = first;
    Some(out)
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

/// The control frames and the payload of a peer's packet number `step`, from 1; packet 0 has opened stream 0 of the
/// target's service.
pub(crate) fn contents(name: &str, step: u64, rng: &mut Rng) -> Option<(Vec<u8>, Vec<u8>)> {
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
        "storm-host-credit" => payload(&mut |i| frame(0x15, &[rising(i)], &[])),
        "storm-create-credit" => payload(&mut |i| frame(0x16, &[rising(i)], &[])),
        "storm-datagrams" => payload(&mut |i| frame(0x18, &[2 * (1 + (50 * step + i) % 900), 0], &[])),
        "storm-echo" => (Vec::new(), frames::data(0, 1_000 * (step - 1), &[7; 1_000])),
        "storm-list" => payload(&mut |i| frames::question(request(step, i), 1, &message(0x01, &text("")))),
        "storm-make" => payload(&mut |i| frames::question(request(step, i), 1, &message(0x04, &text("made")))),
        "storm-put" => payload(&mut |i| {
            let name = format!("brought-{i}");
            let head = message(0x03, &[&[3][..], &text(&name)].concat());
            let file = message(0x10, &[5, 0, 0]);
            let (data, end) = (message(0x11, b"bytes"), message(0x12, &rng.bytes::<32>()));
            frames::question(request(step, i), 1, &[head, file, data, end].concat())
        }),
        _ => return None,
    })
}

/// The parent of requests, on stream 1.
pub(crate) fn parent() -> Vec<u8> {
    frames::open(1, FILES.0, FILES.1)
}

/// The counter of a request's stream: another each time, until no more are granted.
const fn request(step: u64, i: u64) -> u64 {
    2 + (40 * (step - 1) + i) % 900
}
