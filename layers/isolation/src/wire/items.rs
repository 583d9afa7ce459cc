//! Items of type, length and value (wire.md, section 2.3), and the values that Opening and Answer share.

use tng_base::{ChannelId, Eid, Rng};
use tng_wire::{Full, Malformed, Reader, Repr, Writer, varint_len};

use super::{Cipher, Limits};

/// Types for items that mean nothing are drawn from here: two bytes, never assigned.
const GREASE_FIRST: u64 = 0x1000;
const GREASE_COUNT: u64 = 0x3000;
const GREASE_VALUE_MAX: u64 = 8;
/// Most bytes of the item that means nothing.
pub const GREASE_LEN_MAX: usize = 2 + 1 + GREASE_VALUE_MAX as usize;

/// Types of items.
pub(super) mod kind {
    pub const END: u64 = 0;
    pub const EID: u64 = 1;
    pub const VERSIONS: u64 = 2;
    pub const CIPHERS: u64 = 3;
    pub const EXTENSIONS: u64 = 4;
    pub const PATH: u64 = 5;
    pub const LIMITS: u64 = 6;
    pub const RESET_TOKEN: u64 = 7;
    pub const CAPABILITY: u64 = 8;
    pub const PROTOCOL: u64 = 9;
    pub const SET_UP: u64 = 10;
    pub const PAYLOAD: u64 = 11;
    pub const REFUSAL: u64 = 12;
    pub const TAKEN: u64 = 13;
    pub const CHANNEL: u64 = 14;
    pub const ATTACH: u64 = 15;
    pub const HOP_KEY: u64 = 16;
    pub const TRANSPORTS: u64 = 17;
    pub const KNOWN: u64 = 18;
}

/// Writes one item.
pub(super) fn write_item(writer: &mut Writer<'_>, kind: u64, value: &[u8]) -> Result<(), Full> {
    writer.varint(kind)?;
    writer.prefixed(value)
}

pub(super) const fn item_len(kind: u64, len: usize) -> usize {
    varint_len(kind) + varint_len(len as u64) + len
}

/// Writes an item that means nothing, so that skipping what is unknown stays exercised.
pub(crate) fn write_grease(writer: &mut Writer<'_>, rng: &mut Rng) -> Result<(), Full> {
    let value: [u8; GREASE_VALUE_MAX as usize] = rng.bytes();
    let len = rng.below(GREASE_VALUE_MAX + 1) as usize;
    write_item(writer, GREASE_FIRST + rng.below(GREASE_COUNT), &value[..len])
}

/// The items of a message by type, each seen once; those of no known type are skipped.
pub(super) struct Items<'a> {
    values: [Option<&'a [u8]>; kind::KNOWN as usize],
}

impl<'a> Items<'a> {
    pub(super) fn parse(reader: &mut Reader<'a>) -> Result<Items<'a>, Malformed> {
        let mut values = [None; kind::KNOWN as usize];
        loop {
            let kind = reader.varint()?;
            let value = reader.prefixed(usize::MAX)?;
            if kind == kind::END {
                return if value.is_empty() { Ok(Items { values }) } else { Err(Malformed) };
            }
            let slot = usize::try_from(kind).ok().and_then(|kind| values.get_mut(kind));
            if slot.is_some_and(|slot| slot.replace(value).is_some()) {
                return Err(Malformed);
            }
        }
    }

    /// Takes an item out; what is left at the end does not belong.
    pub(super) fn take(&mut self, kind: u64) -> Option<&'a [u8]> {
        self.values[kind as usize].take()
    }

    pub(super) fn require(&mut self, kind: u64) -> Result<&'a [u8], Malformed> {
        self.take(kind).ok_or(Malformed)
    }

    pub(super) fn finish(self) -> Result<(), Malformed> {
        if self.values.iter().all(Option::is_none) { Ok(()) } else { Err(Malformed) }
    }

    pub(super) fn array<const N: usize>(&mut self, kind: u64) -> Result<Option<[u8; N]>, Malformed> {
        self.take(kind).map(|value| value.try_into().map_err(|_| Malformed)).transpose()
    }

    pub(super) fn bytes(&mut self, kind: u64) -> Option<Vec<u8>> {
        self.take(kind).map(<[u8]>::to_vec)
    }

    pub(super) fn nested<T: for<'b> Repr<'b>>(&mut self, kind: u64) -> Result<Option<T>, Malformed> {
        self.take(kind).map(|value| T::parse(&mut Reader::new(value))).transpose()
    }

    pub(super) fn channel(&mut self) -> Result<ChannelId, Malformed> {
        self.array(kind::CHANNEL)?.map(ChannelId::from_bytes).ok_or(Malformed)
    }

    pub(super) fn versions(&mut self) -> Result<Vec<u16>, Malformed> {
        let (versions, rest) = self.require(kind::VERSIONS)?.as_chunks();
        let versions = versions.iter().map(|version| u16::from_be_bytes(*version)).collect();
        if rest.is_empty() { Ok(versions) } else { Err(Malformed) }
    }

    /// The ciphers that have a meaning here.
    pub(super) fn ciphers(&mut self) -> Result<Vec<Cipher>, Malformed> {
        let codes = self.require(kind::CIPHERS)?;
        Ok(codes.iter().filter_map(|code| Cipher::from_code(*code)).collect())
    }

    pub(super) fn extensions(&mut self) -> Result<Vec<u64>, Malformed> {
        let mut reader = Reader::new(self.take(kind::EXTENSIONS).unwrap_or_default());
        let mut extensions = Vec::new();
        while !reader.is_empty() {
            extensions.push(reader.varint()?);
        }
        Ok(extensions)
    }

    pub(super) fn path(&mut self) -> Result<Vec<Eid>, Malformed> {
        let (helpers, rest) = self.require(kind::PATH)?.as_chunks();
        let helpers = helpers.iter().map(|helper| Eid::from_bytes(*helper)).collect();
        if rest.is_empty() { Ok(helpers) } else { Err(Malformed) }
    }

    pub(super) fn limits(&mut self) -> Result<Limits, Malformed> {
        let mut reader = Reader::new(self.require(kind::LIMITS)?);
        let limits = Limits {
            idle_timeout_ms: reader.varint()?,
            udp_payload_max: reader.varint()?,
            ack_delay_max_us: reader.varint()?,
        };
        if reader.is_empty() { Ok(limits) } else { Err(Malformed) }
    }

    pub(super) fn protocol(&mut self) -> Result<String, Malformed> {
        let name = self.require(kind::PROTOCOL)?;
        core::str::from_utf8(name).map(str::to_owned).map_err(|_| Malformed)
    }
}

pub(super) fn lists_len(versions: usize, ciphers: usize, extensions: &[u64], path: &[Eid]) -> usize {
    item_len(kind::VERSIONS, 2 * versions)
        + item_len(kind::CIPHERS, ciphers)
        + extensions_len(extensions).map_or(0, |len| item_len(kind::EXTENSIONS, len))
        + item_len(kind::PATH, 32 * path.len())
}

/// Length of the extensions, if there are any.
pub(super) fn extensions_len(extensions: &[u64]) -> Option<usize> {
    let len = extensions.iter().map(|extension| varint_len(*extension)).sum();
    (len > 0).then_some(len)
}

pub(super) fn write_lists(
    writer: &mut Writer<'_>,
    versions: &[u16],
    ciphers: &[Cipher],
    extensions: &[u64],
    path: &[Eid],
) -> Result<(), Full> {
    writer.varint(kind::VERSIONS)?;
    writer.varint(2 * versions.len() as u64)?;
    versions.iter().try_for_each(|version| writer.u16(*version))?;
    writer.varint(kind::CIPHERS)?;
    writer.varint(ciphers.len() as u64)?;
    ciphers.iter().try_for_each(|cipher| writer.u8(cipher.code()))?;
    if let Some(len) = extensions_len(extensions) {
        writer.varint(kind::EXTENSIONS)?;
        writer.varint(len as u64)?;
        extensions.iter().try_for_each(|extension| writer.varint(*extension))?;
    }
    writer.varint(kind::PATH)?;
    writer.varint(32 * path.len() as u64)?;
    path.iter().try_for_each(|helper| writer.bytes(helper.as_bytes()))
}

impl Limits {
    pub(super) fn len(&self) -> usize {
        varint_len(self.idle_timeout_ms) + varint_len(self.udp_payload_max) + varint_len(self.ack_delay_max_us)
    }

    pub(super) fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.varint(kind::LIMITS)?;
        writer.varint(self.len() as u64)?;
        writer.varint(self.idle_timeout_ms)?;
        writer.varint(self.udp_payload_max)?;
        writer.varint(self.ack_delay_max_us)
    }
}

/// An item whose value is a message of its own.
pub(super) fn nested_len<T: for<'a> Repr<'a>>(kind: u64, value: Option<&T>) -> usize {
    value.map_or(0, |value| item_len(kind, value.wire_len()))
}

pub(super) fn write_nested<T: for<'a> Repr<'a>>(
    writer: &mut Writer<'_>,
    kind: u64,
    value: Option<&T>,
) -> Result<(), Full> {
    let Some(value) = value else { return Ok(()) };
    writer.varint(kind)?;
    writer.varint(value.wire_len() as u64)?;
    value.emit(writer)
}

pub(super) fn optional_len(kind: u64, value: Option<&Vec<u8>>) -> usize {
    value.map_or(0, |value| item_len(kind, value.len()))
}

pub(super) fn write_optional(writer: &mut Writer<'_>, kind: u64, value: Option<&[u8]>) -> Result<(), Full> {
    value.map_or(Ok(()), |value| write_item(writer, kind, value))
}

/// Most bytes that a payload item may carry in `left` bytes.
pub(super) fn payload_room(left: usize) -> usize {
    let overhead = varint_len(kind::PAYLOAD) + varint_len(left as u64);
    left.saturating_sub(overhead)
}
