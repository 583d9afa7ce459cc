//! Bytes of frames, right or wrong: a hostile peer does not use the honest one's writer (wire.md, sections 3 and 4).

use tng_base::RangeSet;
use tng_channel::wire::{ACK_RANGES_MAX, AckBlock, AckRanges};
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
    let text = |text: &str| [&[text.len() as u8], text.as_bytes()].concat();
    frame(0x10, &[2 * counter, 0], &[text(service), text(protocol)].concat())
}

/// The opening of a child.
pub(crate) fn child(counter: u64, parent: u64) -> Vec<u8> {
    frame(0x10, &[2 * counter, 2 * parent + 1], &[])
}

/// Bytes of a stream of ours.
pub(crate) fn data(counter: u64, offset: u64, bytes: &[u8]) -> Vec<u8> {
    frame(0x46, &[2 * counter, offset, bytes.len() as u64], bytes)
}

/// A piece of a datagram, not its last.
pub(crate) fn piece(parent: u64, id: u64, offset: u64, bytes: &[u8]) -> Vec<u8> {
    frame(0x56, &[2 * parent, id, offset, bytes.len() as u64], bytes)
}
