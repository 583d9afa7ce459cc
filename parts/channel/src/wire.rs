//! The bytes of a channel packet (`docs/wire.md` section 3).

use core::ops::Range;
use core::time::Duration;

use tng_base::{ChannelId, PeerText, RangeSet};
use tng_wire::{Full, Malformed, Reader, Repr, VARINT_MAX, Writer, varint_len};

mod reset;

pub use reset::{RESET_LEN_MAX, RESET_LEN_MIN, RESET_TOKEN_LEN, reset_len};

/// Where the packet number starts: after the first byte and the receiver's channel id.
pub const NUMBER_AT: usize = 1 + ChannelId::LEN;
/// Most ranges that one acknowledgment block carries.
pub const ACK_RANGES_MAX: usize = 63;
/// Longest reason in a CLOSE, in bytes.
pub const CLOSE_REASON_MAX: usize = 255;

/// What the first byte says a packet is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mark {
    /// A channel packet, end to end: `01KACRLL`.
    #[default]
    Channel,
    /// A section packet, between neighbours on a helped path: `100ACRLL`.
    Section,
}

impl Mark {
    /// The high bits, and those that count.
    const fn bits(self) -> (u8, u8) {
        match self {
            Mark::Channel => (0x40, 0xc0),
            Mark::Section => (0x80, 0xe0),
        }
    }

    /// Whether `byte` begins such a packet, masked or not.
    pub const fn is_on(self, byte: u8) -> bool {
        let (bits, mask) = self.bits();
        byte & mask == bits
    }
}

const PHASE: u8 = 0x20;
const ACK: u8 = 0x10;
const CONTROL: u8 = 0x08;
const AT_ONCE: u8 = 0x04;
const LENGTH_MASK: u8 = 0x03;

/// The first byte of a packet, unmasked, but for its [`Mark`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirstByte {
    /// Phase of the sender's keys.
    pub phase: bool,
    /// An acknowledgment block follows.
    pub ack: bool,
    /// A control block follows.
    pub control: bool,
    /// The receiver acknowledges it at once, if it asks for acknowledgment at all.
    pub at_once: bool,
    /// Bytes of the truncated packet number, 1 to 4.
    pub number_len: usize,
}

impl FirstByte {
    /// Reads the unmasked byte.
    pub const fn from_byte(byte: u8) -> FirstByte {
        FirstByte {
            phase: byte & PHASE != 0,
            ack: byte & ACK != 0,
            control: byte & CONTROL != 0,
            at_once: byte & AT_ONCE != 0,
            number_len: (byte & LENGTH_MASK) as usize + 1,
        }
    }

    /// The byte, unmasked. Packets with the mark of a section have no phase.
    pub fn to_byte(self, mark: Mark) -> u8 {
        let flag = |on: bool, bit: u8| if on { bit } else { 0 };
        let flags = flag(self.phase, PHASE) | flag(self.ack, ACK) | flag(self.control, CONTROL);
        mark.bits().0 | flags | flag(self.at_once, AT_ONCE) | (self.number_len as u8 - 1)
    }
}

/// Packets received, by the codepoint they arrived with. Refused packets and duplicates of none count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EcnCounts {
    /// With ECT(0).
    pub ect0: u64,
    /// With ECT(1).
    pub ect1: u64,
    /// With congestion experienced.
    pub ce: u64,
}

impl EcnCounts {
    /// Whether nothing was counted.
    pub fn is_zero(&self) -> bool {
        *self == EcnCounts::default()
    }
}

/// The numbers that a block acknowledges, wherever they are kept: highest range first.
#[derive(Clone, Copy, Debug)]
pub enum AckRanges<'a> {
    /// In the receiver's books; the `limit` highest ranges count.
    Held {
        /// The books.
        set: &'a RangeSet,
        /// How many ranges, counted from the highest, belong to the block.
        limit: usize,
    },
    /// On the wire: checked, not copied.
    Wire {
        /// How many ranges.
        count: usize,
        /// Highest number of the first range.
        largest: u64,
        /// The ranges' bytes, from the first range's length on.
        bytes: &'a [u8],
    },
}

/// Ranges of an acknowledgment block, highest first.
#[derive(Clone, Debug)]
struct WireRanges<'a> {
    left: usize,
    /// Highest number of the next range, if it is the first.
    top: Option<u64>,
    /// Lowest number of the range before.
    below: u64,
    reader: Reader<'a>,
}

impl WireRanges<'_> {
    fn step(&mut self) -> Result<Option<Range<u64>>, Malformed> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let top = match self.top.take() {
            Some(top) => top,
            // At least one number is missing between two ranges: `below - 1` and as many more as the field says.
            None => {
                self.below.checked_sub(2).and_then(|t| t.checked_sub(self.reader.varint().ok()?)).ok_or(Malformed)?
            }
        };
        let start = top.checked_sub(self.reader.varint()?).ok_or(Malformed)?;
        self.below = start;
        Ok(Some(start..top + 1))
    }
}

impl Iterator for WireRanges<'_> {
    type Item = Range<u64>;
    fn next(&mut self) -> Option<Range<u64>> {
        self.step().ok().flatten()
    }
}

impl<'a> AckRanges<'a> {
    /// The ranges, highest first.
    pub fn iter(&self) -> impl Iterator<Item = Range<u64>> + 'a {
        let (held, wire) = match *self {
            AckRanges::Held { set, limit } => (Some(set.iter().rev().take(limit)), None),
            AckRanges::Wire { count, largest, bytes } => {
                (None, Some(WireRanges { left: count, top: Some(largest), below: 0, reader: Reader::new(bytes) }))
            }
        };
        held.into_iter().flatten().chain(wire.into_iter().flatten())
    }

    /// How many ranges.
    pub fn count(&self) -> usize {
        match *self {
            AckRanges::Held { set, limit } => set.count().min(limit),
            AckRanges::Wire { count, .. } => count,
        }
    }

    /// The largest number acknowledged.
    pub fn largest(&self) -> Option<u64> {
        self.iter().next().map(|range| range.end - 1)
    }
}

impl PartialEq for AckRanges<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

/// What a packet says of those that its sender has received.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AckBlock<'a> {
    /// The numbers acknowledged; may be none.
    pub ranges: AckRanges<'a>,
    /// Time since the largest of them was received (or redeemed), in units of [`DELAY_UNIT_US`]. 0 if there are none.
    pub delay: u64,
    /// The highest number received and not yet redeemed.
    pub unredeemed: Option<u64>,
    /// Counts of received codepoints, if there are any.
    pub ecn: Option<EcnCounts>,
}

/// Unit of the acknowledgment delay on the wire, in microseconds.
pub const DELAY_UNIT_US: u64 = 8;

const ACK_RANGES: u8 = 0x3f;
const ACK_ECN: u8 = 0x80;
const ACK_UNREDEEMED: u8 = 0x40;

impl AckBlock<'_> {
    /// The delay as a duration.
    pub fn delay(&self) -> Duration {
        Duration::from_micros(self.delay.saturating_mul(DELAY_UNIT_US))
    }
}

/// A duration in the wire's unit of acknowledgment delay.
pub fn delay_units(delay: Duration) -> u64 {
    u64::try_from(delay.as_micros() / u128::from(DELAY_UNIT_US)).unwrap_or(VARINT_MAX).min(VARINT_MAX)
}

impl<'a> Repr<'a> for AckBlock<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let first = reader.u8()?;
        let count = usize::from(first & ACK_RANGES);
        let (mut largest, mut delay, mut bytes): (u64, u64, &[u8]) = (0, 0, &[]);
        if count > 0 {
            largest = reader.varint()?;
            delay = reader.varint()?;
            let mut ranges = WireRanges { left: count, top: Some(largest), below: 0, reader: reader.clone() };
            while ranges.step()?.is_some() {}
            bytes = reader.bytes(ranges.reader.position() - reader.position())?;
        }
        let unredeemed = if first & ACK_UNREDEEMED != 0 { Some(reader.varint()?) } else { None };
        let ecn = if first & ACK_ECN != 0 {
            Some(EcnCounts { ect0: reader.varint()?, ect1: reader.varint()?, ce: reader.varint()? })
        } else {
            None
        };
        Ok(AckBlock { ranges: AckRanges::Wire { count, largest, bytes }, delay, unredeemed, ecn })
    }

    fn wire_len(&self) -> usize {
        let mut len = 1;
        let mut below = None;
        for range in self.ranges.iter() {
            len += match below {
                None => varint_len(range.end - 1) + varint_len(self.delay),
                Some(below) => varint_len(below - range.end - 1),
            };
            len += varint_len(range.end - 1 - range.start);
            below = Some(range.start);
        }
        len += self.unredeemed.map_or(0, varint_len);
        len + self.ecn.map_or(0, |e| varint_len(e.ect0) + varint_len(e.ect1) + varint_len(e.ce))
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let mut first = self.ranges.count() as u8;
        if self.unredeemed.is_some() {
            first |= ACK_UNREDEEMED;
        }
        if self.ecn.is_some() {
            first |= ACK_ECN;
        }
        writer.u8(first)?;
        let mut below = None;
        for range in self.ranges.iter() {
            match below {
                None => {
                    writer.varint(range.end - 1)?;
                    writer.varint(self.delay)?;
                }
                Some(below) => writer.varint(below - range.end - 1)?,
            }
            writer.varint(range.end - 1 - range.start)?;
            below = Some(range.start);
        }
        if let Some(number) = self.unredeemed {
            writer.varint(number)?;
        }
        if let Some(counts) = self.ecn {
            writer.varint(counts.ect0)?;
            writer.varint(counts.ect1)?;
            writer.varint(counts.ce)?;
        }
        Ok(())
    }
}

/// Where what a packet carries begins: behind the header of `header_len` bytes, acknowledgment block and control block.
/// `packet` is unmasked, and without its tag. None if the blocks do not end within it; whether they say anything
/// sensible is not looked at.
#[inline]
pub fn payload_at(header_len: usize, packet: &[u8]) -> Option<usize> {
    let first = FirstByte::from_byte(*packet.first()?);
    let mut at = header_len;
    if first.ack {
        let block = *packet.get(at)?;
        let ranges = usize::from(block & ACK_RANGES);
        // Of the first range there are three varints, of each further one two.
        let varints = if ranges > 0 { 2 * ranges + 1 } else { 0 };
        let unredeemed = usize::from(block & ACK_UNREDEEMED != 0);
        let ecn = if block & ACK_ECN != 0 { 3 } else { 0 };
        at += 1;
        for _ in 0..varints + unredeemed + ecn {
            at += 1 << (packet.get(at)? >> 6);
        }
    }
    if first.control {
        let mut reader = Reader::new(packet.get(at..)?);
        let len = usize::try_from(reader.varint().ok()?).ok()?;
        at = at.checked_add(reader.position())?.checked_add(len)?;
    }
    (at <= packet.len()).then_some(at)
}

/// A control frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control<'a> {
    /// Nothing, in one byte.
    Pad,
    /// Asks for an acknowledgment.
    Ping,
    /// The channel ends.
    Close {
        /// A close code.
        code: u64,
        /// For people; at most [`CLOSE_REASON_MAX`] bytes.
        reason: PeerText<&'a str>,
    },
    /// Another id under which the sender can be reached on this channel.
    NewId(NewId),
    /// The sender will use this id of the receiver's no more.
    RetireId {
        /// Which.
        sequence: u64,
    },
    /// Asks whether the receiver is where the packet was sent to.
    Challenge([u8; 8]),
    /// Answers a challenge.
    Response([u8; 8]),
    /// The link at the sender's end has lost a packet of the receiver's to corruption.
    Lost {
        /// Its number.
        number: u64,
    },
    /// A channel that has stood by carries what stands above from now on, in the place of others.
    Carry,
    /// Of sections: the largest end-to-end packet that goes on from the sender has changed.
    PayloadMax {
        /// Rises by one with each: the highest counts.
        sequence: u64,
        /// Its bytes.
        bytes: u16,
    },
    /// Of sections: a fresh capability for a helper.
    Renew(Renewal),
}

/// Longest words of a RENEW, in bytes.
pub const RENEWAL_LEN_MAX: usize = 93;

/// The fields of RENEW.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Renewal {
    /// Helpers that it has still to pass before it comes to the one that it is for.
    pub hops: u8,
    len: u8,
    words: [u8; RENEWAL_LEN_MAX],
}

impl Renewal {
    /// These words, for the helper behind so many others. `None` if they are longer than [`RENEWAL_LEN_MAX`].
    pub fn new(hops: u8, words: &[u8]) -> Option<Renewal> {
        let mut held = [0; RENEWAL_LEN_MAX];
        held.get_mut(..words.len())?.copy_from_slice(words);
        Some(Renewal { hops, len: words.len() as u8, words: held })
    }

    /// What the helper is to read.
    pub fn words(&self) -> &[u8] {
        &self.words[..usize::from(self.len)]
    }
}

/// The fields of NEW_ID.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NewId {
    /// Rises by one with each id.
    pub sequence: u64,
    /// The receiver retires all ids with a lower sequence.
    pub retire_below: u64,
    /// The id.
    pub id: ChannelId,
    /// Its stateless reset token.
    pub reset_token: [u8; 16],
}

impl core::fmt::Debug for NewId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("NewId")
            .field("sequence", &self.sequence)
            .field("retire_below", &self.retire_below)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl Control<'_> {
    /// The one byte of PAD.
    pub const PAD: u8 = 0;

    /// Whether it may stand in packets of sections alone.
    pub const fn is_of_sections(&self) -> bool {
        matches!(self, Control::PayloadMax { .. } | Control::Renew(_))
    }

    /// Whether a packet that holds this frame asks for acknowledgment.
    pub const fn is_eliciting(&self) -> bool {
        !matches!(self, Control::Pad | Control::Close { .. } | Control::Lost { .. })
    }
}

impl<'a> Repr<'a> for Control<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok(match reader.u8()? {
            Control::PAD => Control::Pad,
            1 => Control::Ping,
            2 => Control::Close { code: reader.varint()?, reason: reader.text(CLOSE_REASON_MAX)? },
            3 => Control::NewId(NewId {
                sequence: reader.varint()?,
                retire_below: reader.varint()?,
                id: ChannelId::from_bytes(reader.array()?),
                reset_token: reader.array()?,
            }),
            4 => Control::RetireId { sequence: reader.varint()? },
            5 => Control::Challenge(reader.array()?),
            6 => Control::Response(reader.array()?),
            7 => Control::Lost { number: reader.varint()? },
            8 => Control::PayloadMax {
                sequence: reader.varint()?,
                bytes: u16::try_from(reader.varint()?).map_err(|_| Malformed)?,
            },
            10 => {
                let (hops, len) = (reader.u8()?, usize::from(reader.u8()?));
                Control::Renew(Renewal::new(hops, reader.bytes(len)?).ok_or(Malformed)?)
            }
            9 => Control::Carry,
            _ => return Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        1 + match self {
            Control::Pad | Control::Ping | Control::Carry => 0,
            Control::Close { code, reason } => varint_len(*code) + varint_len(reason.len() as u64) + reason.len(),
            Control::NewId(new) => varint_len(new.sequence) + varint_len(new.retire_below) + ChannelId::LEN + 16,
            Control::RetireId { sequence: n } | Control::Lost { number: n } => varint_len(*n),
            Control::Challenge(_) | Control::Response(_) => 8,
            Control::PayloadMax { sequence, bytes } => varint_len(*sequence) + varint_len(u64::from(*bytes)),
            Control::Renew(renewal) => 2 + renewal.words().len(),
        }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match self {
            Control::Pad => writer.u8(Control::PAD),
            Control::Ping => writer.u8(1),
            Control::Carry => writer.u8(9),
            Control::Close { code, reason } => {
                writer.u8(2)?;
                writer.varint(*code)?;
                writer.prefixed(reason.exact().as_bytes())
            }
            Control::NewId(new) => {
                writer.u8(3)?;
                writer.varint(new.sequence)?;
                writer.varint(new.retire_below)?;
                writer.bytes(&new.id.to_bytes())?;
                writer.bytes(&new.reset_token)
            }
            Control::RetireId { sequence } => {
                writer.u8(4)?;
                writer.varint(*sequence)
            }
            Control::Challenge(bytes) => {
                writer.u8(5)?;
                writer.bytes(bytes)
            }
            Control::Response(bytes) => {
                writer.u8(6)?;
                writer.bytes(bytes)
            }
            Control::Lost { number } => {
                writer.u8(7)?;
                writer.varint(*number)
            }
            Control::PayloadMax { sequence, bytes } => {
                writer.u8(8)?;
                writer.varint(*sequence)?;
                writer.varint(u64::from(*bytes))
            }
            Control::Renew(renewal) => {
                writer.u8(10)?;
                writer.u8(renewal.hops)?;
                writer.u8(renewal.len)?;
                writer.bytes(renewal.words())
            }
        }
    }
}

#[cfg(test)]
mod tests;
