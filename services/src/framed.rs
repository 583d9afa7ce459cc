//! Messages that tell their length before they are there: a type in one byte, the length of the body in two, the body.

use tng_wire::{Full, Malformed, Reader, Writer};

/// Bytes before the body.
pub(crate) const HEAD_LEN: usize = 3;

/// The length of the body that follows a head.
///
/// # Errors
/// If it is above `most`.
pub(crate) fn body_len(head: [u8; HEAD_LEN], most: usize) -> Result<usize, Malformed> {
    let [_, high, low] = head;
    let len = usize::from(u16::from_be_bytes([high, low]));
    if len <= most { Ok(len) } else { Err(Malformed) }
}

/// Reads a head and hands the body, of at most `most` bytes, to `parse`, which must take all of it.
pub(crate) fn parse<'a, T>(
    reader: &mut Reader<'a>,
    most: usize,
    parse: impl FnOnce(u8, &mut Reader<'a>) -> Result<T, Malformed>,
) -> Result<T, Malformed> {
    let head: [u8; HEAD_LEN] = reader.array()?;
    let mut body = Reader::new(reader.bytes(body_len(head, most)?)?);
    let value = parse(head[0], &mut body)?;
    if body.is_empty() { Ok(value) } else { Err(Malformed) }
}

/// Writes the head of a body of `body_len` bytes.
pub(crate) fn emit_head(writer: &mut Writer<'_>, kind: u8, body_len: usize) -> Result<(), Full> {
    writer.u8(kind)?;
    writer.u16(u16::try_from(body_len).map_err(|_| Full)?)
}
