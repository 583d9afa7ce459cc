//! Segments in a channel's packets, and the set-up item (docs/wire.md, "STP").

use tng_wire::{Full, Malformed, Reader, Repr, Writer, varint_len};

/// The version of segments and of the set-up item.
const VERSION: u8 = 1;

// None of them begins a frame of structured streams: by that the ends of a connection tell the two apart.
const UNNUMBERED: u8 = 0x30;
const NUMBERED: u8 = 0x31;
const HERE: u8 = 0x32;

/// All of a packet that says nothing but that a guest is here.
pub(crate) const HERE_PACKET: [u8; 1] = [HERE];

/// Whether a payload is one of a guest's transport, and not of structured streams.
pub(crate) fn is_guests(payload: &[u8]) -> bool {
    matches!(payload.first(), Some(&(UNNUMBERED | NUMBERED | HERE)))
}

/// Bytes in front of a segment's own, at most.
pub const SEGMENT_OVERHEAD_MAX: usize = 1 + 8 + 8;

/// What one packet carries: one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment<'a> {
    /// Number and nonce, if it was sent with `net_send`.
    pub numbered: Option<(u64, u64)>,
    /// The guest's.
    pub bytes: &'a [u8],
}

impl Segment<'_> {
    /// Bytes in front of the guest's.
    #[inline]
    pub fn overhead(number: Option<u64>) -> usize {
        1 + number.map_or(0, |number| varint_len(number) + 8)
    }

    /// Writes what stands in front of the guest's bytes.
    ///
    /// # Errors
    /// If there is no room.
    #[inline]
    pub fn emit_front(numbered: Option<(u64, u64)>, writer: &mut Writer<'_>) -> Result<(), Full> {
        let Some((number, nonce)) = numbered else { return writer.u8(UNNUMBERED) };
        writer.u8(NUMBERED)?;
        writer.varint(number)?;
        writer.u64(nonce)
    }
}

impl<'a> Repr<'a> for Segment<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Segment<'a>, Malformed> {
        let numbered = match reader.u8()? {
            UNNUMBERED => None,
            NUMBERED => Some((reader.varint()?, reader.u64()?)),
            _ => return Err(Malformed),
        };
        match reader.rest() {
            [] => Err(Malformed),
            bytes => Ok(Segment { numbered, bytes }),
        }
    }

    fn wire_len(&self) -> usize {
        Segment::overhead(self.numbered.map(|(number, _)| number)) + self.bytes.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        Segment::emit_front(self.numbered, writer)?;
        writer.bytes(self.bytes)
    }
}

/// What each end says at the set-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SetUp {
    /// Its version of the border: guests of two versions do not talk.
    pub(crate) abi: u64,
}

impl<'a> Repr<'a> for SetUp {
    fn parse(reader: &mut Reader<'a>) -> Result<SetUp, Malformed> {
        let (version, abi) = (reader.u8()?, reader.varint()?);
        if version == VERSION && reader.is_empty() { Ok(SetUp { abi }) } else { Err(Malformed) }
    }

    fn wire_len(&self) -> usize {
        1 + varint_len(self.abi)
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(VERSION)?;
        writer.varint(self.abi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_base::Rng;

    #[test]
    fn what_is_written_is_read_and_what_is_cut_is_not() {
        for numbered in [None, Some((0, 1)), Some((1 << 40, u64::MAX))] {
            tng_wire::battery::round_trip(&Segment { numbered, bytes: &[9; 20] });
        }
        tng_wire::battery::round_trip(&SetUp { abi: 1 });
        let mut rng = Rng::from_u64(1);
        for _ in 0..2_000 {
            let bytes = vec![0; rng.below(40) as usize].leak();
            rng.fill(bytes);
            if let Ok(segment) = Segment::parse(&mut Reader::new(bytes)) {
                tng_wire::battery::round_trip(&segment);
            }
            tng_wire::battery::noise::<SetUp>(bytes);
        }
    }

    #[test]
    fn a_segment_without_bytes_is_none() {
        assert!(Segment::parse(&mut Reader::new(&[UNNUMBERED])).is_err());
        assert!(Segment::parse(&mut Reader::new(&[HERE, 1])).is_err());
        assert!(Segment::parse(&mut Reader::new(&[0x33, 1])).is_err());
    }
}
