//! Bytes of frames, right or wrong: a hostile peer does not use the honest one's writer (wire.md, sections 3 and 4).

use tng_base::{Eid, RangeSet, Rng};
use tng_channel::wire::{ACK_RANGES_MAX, AckBlock, AckRanges};
use tng_crypto::{HmacKey, labels, sha256};
use tng_flow::wire::{JOIN, JOIN_HEADER_LEN, VERSION};
use tng_wire::{Repr, Writer};

/// Longest control block that is written, in bytes.
pub const CONTENT_MAX: usize = 1_400;

/// A type, numbers, and bytes behind them.
pub(crate) fn frame(kind: u8, numbers: &[u64], tail: &[u8]) -> Vec<u8> {
    let mut out = vec![0; 1 + 8 * numbers.len() + tail.len()];
    let mut writer = Writer::new(&mut out);
    let written = writer
        .u8(kind)
        .and_then(|()| numbers.iter().try_for_each(|&number| writer.varint(number)))
        .and_then(|()| writer.bytes(tail));
    debug_assert!(written.is_ok(), "there is room for eight bytes a number");
    let len = writer.position();
    out.truncate(len);
    out
}

/// A control block of these frames.
pub(crate) fn control(frames: &[u8]) -> Vec<u8> {
    // A varint of two bytes, whatever the length is.
    let len = frames.len().min(CONTENT_MAX) as u16;
    [&(0x4000 | len).to_be_bytes()[..], &frames[..usize::from(len)]].concat()
}

/// An acknowledgment block of these numbers.
pub(crate) fn acknowledgment(numbers: &RangeSet) -> Vec<u8> {
    let block = AckBlock {
        ranges: AckRanges::Held { set: numbers, limit: ACK_RANGES_MAX },
        delay: 0,
        unredeemed: None,
        ecn: None,
    };
    let mut out = vec![0; block.wire_len()];
    let written = block.emit(&mut Writer::new(&mut out));
    debug_assert!(written.is_ok(), "it has the length that it says");
    out
}

/// The opening of a top-level stream of ours.
pub(crate) fn open(counter: u64, service: &str, protocol: &str) -> Vec<u8> {
    frame(0x10, &[2 * counter, 0], &[text(service), text(protocol)].concat())
}

/// A top-level stream of ours in one frame, with all that is ever said on it.
pub(crate) fn request(counter: u64, service: &str, protocol: &str, bytes: &[u8]) -> Vec<u8> {
    let tail = [text(service), text(protocol), numbers(&[bytes.len() as u64], bytes)].concat();
    frame(0x19, &[2 * counter], &tail)
}

/// The opening of a child.
pub(crate) fn child(counter: u64, parent: u64) -> Vec<u8> {
    frame(0x10, &[2 * counter, 2 * parent + 1], &[])
}

/// Bytes of a stream of ours.
pub(crate) fn data(counter: u64, offset: u64, bytes: &[u8]) -> Vec<u8> {
    let head = [&[0x7a][..], &numbers(&[2 * counter], &offset.to_be_bytes())].concat();
    [head, numbers(&[bytes.len() as u64], bytes)].concat()
}

/// A piece of a datagram, not its last.
pub(crate) fn piece(parent: u64, id: u64, offset: u64, bytes: &[u8]) -> Vec<u8> {
    frame(0x26, &[2 * parent, id, offset, bytes.len() as u64], bytes)
}

/// The set-up item (wire.md, section 4) that grants so many bytes, of each stream and over all.
pub(crate) fn grant(bytes: u64) -> Vec<u8> {
    numbers(&[bytes, bytes, 1 << 10], &[])
}

/// A child of a stream of ours with all that is ever said on it.
pub(crate) fn question(counter: u64, parent: u64, bytes: &[u8]) -> Vec<u8> {
    [child(counter, parent), frame(0x43, &[2 * counter, bytes.len() as u64], bytes)].concat()
}

/// A message of the file service (wire.md, section 6).
pub(crate) fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    frame(kind, &[body.len() as u64], body)
}

/// A GET of the file service: all of the file, or, if there is a hash, whether all of it is the same.
pub(crate) fn get(path: &str, size: u64, hash: Option<[u8; 32]>) -> Vec<u8> {
    let have = match hash {
        Some(hash) => numbers(&[size], &hash),
        None => vec![0],
    };
    message(0x02, &[vec![0], text(path), have].concat())
}

/// Numbers, and bytes behind them.
pub(crate) fn numbers(numbers: &[u64], tail: &[u8]) -> Vec<u8> {
    frame(0, numbers, tail).split_off(1)
}

/// A text, its length before it.
pub(crate) fn text(text: &str) -> Vec<u8> {
    numbers(&[text.len() as u64], text.as_bytes())
}

/// A COOKIE for the initiator whose INIT this is, as its responder would make it: with a MAC over the INIT's
/// fingerprint (wire.md, section 2.4). A host that has not seen the INIT cannot make one.
pub(crate) fn cookie_for(init: &[u8], cookie: [u8; 32], responder: &Eid) -> Option<Vec<u8>> {
    let covered = [init.get(..9)?, init.get(41..init.len().checked_sub(16)?)?].concat();
    let message = [&[0x03][..], init.get(3..9)?, &cookie].concat();
    let key = HmacKey::new(&sha256(&[labels::ANSWER.as_bytes(), responder.as_bytes()]));
    let mac = key.tag(&[&message, &sha256(&[&covered])]);
    Some([&message[..], &mac[..16]].concat())
}

/// A JOIN (wire.md, section 2.8) that carries an INIT, and a greeting that nobody can open.
pub(crate) fn join(rng: &mut Rng, init: &[u8]) -> Vec<u8> {
    let mut head = [0; JOIN_HEADER_LEN];
    rng.fill(&mut head);
    head[0] = JOIN;
    head[1..3].copy_from_slice(&VERSION.to_be_bytes());
    [&head[..], init].concat()
}

/// An INIT with this cookie in it, its first MAC made anew (wire.md, section 2.1).
pub(crate) fn with_cookie(init: &[u8], cookie: [u8; 32], responder: &Eid) -> Vec<u8> {
    let mut init = init.to_vec();
    if let Some(place) = init.get_mut(9..41) {
        place.copy_from_slice(&cookie);
    }
    let covered = init.len().saturating_sub(16);
    let key = HmacKey::new(&sha256(&[labels::MAC1.as_bytes(), responder.as_bytes()]));
    let mac = key.tag(&[&init[..covered]]);
    init.truncate(covered);
    init.extend(&mac[..16]);
    init
}
