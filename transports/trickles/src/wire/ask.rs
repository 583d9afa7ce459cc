//! What a request asks for.

use tng_wire::{Full, Malformed, Reader, Repr, VARINT_MAX, Writer};

use super::{Bytes, DATAGRAM_LEN_MAX, RANGES_MAX, read_bytes, whole, write_bytes};
use crate::{SEALED_STATE_LEN_MAX, Solution};

/// What a request asks of the application.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ask<'a> {
    /// Bytes of what an output continuation is good for.
    Want {
        /// The continuation, as it came.
        output: &'a [u8],
        /// Which: in order, none twice.
        ranges: Ranges<'a>,
    },
    /// Bytes to the server.
    Put {
        /// Which of the client's objects they ask for.
        object: u64,
        /// The input continuation that came of the bytes before, as it came; nothing for the first.
        input: &'a [u8],
        /// Where they stand in what the object's asking takes.
        offset: u64,
        /// Whether they are the last.
        is_end: bool,
        /// Where the client has reserved room for the object.
        reserved: Bytes,
        /// The bytes.
        data: &'a [u8],
    },
    /// The answer to a puzzle.
    Solved(Solution),
    /// The client will not ask for more: a hint.
    Close,
}

const WANT: u8 = 1;
const PUT: u8 = 2;
const PUT_END: u8 = 3;
const SOLVED: u8 = 4;
const CLOSE: u8 = 5;

/// Ranges that were checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ranges<'a>(&'a [u8]);

impl<'a> Ranges<'a> {
    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = Bytes> + use<'a> {
        let mut reader = Reader::new(self.0);
        core::iter::from_fn(move || (!reader.is_empty()).then(|| read_bytes(&mut reader).ok()).flatten())
    }

    fn parse(bytes: &'a [u8]) -> Result<Ranges<'a>, Malformed> {
        let (mut inner, mut count, mut end) = (Reader::new(bytes), 0, 0);
        while !inner.is_empty() {
            let range = read_bytes(&mut inner)?;
            count += 1;
            if range.start < end || count > RANGES_MAX {
                return Err(Malformed);
            }
            end = range.end;
        }
        if count == 0 { Err(Malformed) } else { Ok(Ranges(bytes)) }
    }
}

impl<'a> Ask<'a> {
    /// Reads the next of a request.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(reader: &mut Reader<'a>) -> Result<Ask<'a>, Malformed> {
        match reader.u8()? {
            WANT => {
                let output = reader.prefixed(SEALED_STATE_LEN_MAX)?;
                Ok(Ask::Want { output, ranges: Ranges::parse(reader.prefixed(RANGES_MAX * 16)?)? })
            }
            kind @ (PUT | PUT_END) => {
                let (object, input) = (reader.varint()?, reader.prefixed(SEALED_STATE_LEN_MAX)?);
                let (offset, reserved) = (reader.varint()?, read_bytes(reader)?);
                let data = reader.prefixed(DATAGRAM_LEN_MAX)?;
                offset.checked_add(data.len() as u64).filter(|end| *end <= VARINT_MAX).ok_or(Malformed)?;
                Ok(Ask::Put { object, input, offset, is_end: kind == PUT_END, reserved, data })
            }
            SOLVED => Solution::parse(reader).map(Ask::Solved),
            CLOSE => Ok(Ask::Close),
            _ => Err(Malformed),
        }
    }

    /// Writes it, whole or not at all.
    ///
    /// # Errors
    /// [`Full`].
    pub fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        whole(writer, |writer| match self {
            Ask::Want { output, ranges } => {
                writer.u8(WANT)?;
                writer.prefixed(output)?;
                writer.prefixed(ranges.0)
            }
            Ask::Put { object, input, offset, is_end, reserved, data } => {
                writer.u8(if *is_end { PUT_END } else { PUT })?;
                writer.varint(*object)?;
                writer.prefixed(input)?;
                writer.varint(*offset)?;
                write_bytes(reserved, writer)?;
                writer.prefixed(data)
            }
            Ask::Solved(solution) => {
                writer.u8(SOLVED)?;
                solution.emit(writer)
            }
            Ask::Close => writer.u8(CLOSE),
        })
    }

    /// Writes one that wants these bytes: at least one and at most [`RANGES_MAX`] ranges, in order.
    ///
    /// # Errors
    /// [`Full`]: then nothing of it was written.
    pub fn emit_want(output: &[u8], ranges: &[Bytes], writer: &mut Writer<'_>) -> Result<(), Full> {
        let mut bytes = [0; RANGES_MAX * 16];
        let mut inner = Writer::new(&mut bytes);
        ranges.iter().try_for_each(|range| write_bytes(range, &mut inner))?;
        Ask::Want { output, ranges: Ranges(inner.written()) }.emit(writer)
    }
}
