//! What a host and the process of a guest say to each other, over a pair of sockets (docs/stp.md, "A process of its
//! own").
//!
//! One asks and the other answers, never two at once. Each message is a length of four bytes and so many bytes, which
//! begin with what it is. All numbers are of a fixed length: some of them are the guest's, and of any size.

mod deed;
mod order;
mod report;

pub use deed::{Deed, Deeds};
pub(crate) use order::tell;
pub use order::{Order, Turn};
pub use report::{Done, Question, Report};

use tng_stp_abi::AddressFamily;
use tng_stp_host::{Quotas, Standing};
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

/// Bytes of a line for people, or of the reason why a module is none, at most.
pub const TEXT_MAX: usize = 1_024;

/// As much of a text as may be said.
pub(crate) fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_MAX)]
}

/// Bytes behind a length of four.
pub(crate) fn bytes<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], Malformed> {
    let len = reader.u32()?;
    reader.bytes(usize::try_from(len).map_err(|_| Malformed)?)
}

pub(crate) fn put_bytes(writer: &mut Writer<'_>, bytes: &[u8]) -> Result<(), Full> {
    writer.u32(u32::try_from(bytes.len()).map_err(|_| Full)?)?;
    writer.bytes(bytes)
}

pub(crate) fn flag(reader: &mut Reader<'_>) -> Result<bool, Malformed> {
    match reader.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Malformed),
    }
}

pub(crate) fn signed(reader: &mut Reader<'_>) -> Result<i64, Malformed> {
    reader.u64().map(u64::cast_signed)
}

/// Quotas, as they cross.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowed(pub Quotas);

const ALLOWED_LEN: usize = 12 * 8;

impl Repr<'_> for Allowed {
    fn parse(reader: &mut Reader<'_>) -> Result<Allowed, Malformed> {
        let mut word = || reader.u64();
        let small = |word: u64| usize::try_from(word).map_err(|_| Malformed);
        Ok(Allowed(Quotas {
            memory: word()?,
            table: word()?,
            stack: word()?,
            fuel: word()?,
            fuel_per_sec: word()?,
            fuel_per_segment: word()?,
            scoreboard: small(word()?)?,
            send_buffer: word()?,
            receive_buffer: word()?,
            queued: small(word()?)?,
            log_lines: u32::try_from(word()?).map_err(|_| Malformed)?,
            denials: word()?,
        }))
    }

    fn wire_len(&self) -> usize {
        ALLOWED_LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let Quotas {
            memory,
            table,
            stack,
            fuel,
            fuel_per_sec,
            fuel_per_segment,
            scoreboard,
            send_buffer,
            receive_buffer,
            queued,
            log_lines,
            denials,
        } = self.0;
        let words = [
            memory,
            table,
            stack,
            fuel,
            fuel_per_sec,
            fuel_per_segment,
            scoreboard as u64,
            send_buffer,
            receive_buffer,
            queued as u64,
            log_lines.into(),
            denials,
        ];
        words.into_iter().try_for_each(|word| writer.u64(word))
    }
}

/// Where the host's side stands, as it crosses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stands(pub Standing);

const STANDS_LEN: usize = 7 * 8 + 6 * 4 + 2;

impl Repr<'_> for Stands {
    fn parse(reader: &mut Reader<'_>) -> Result<Stands, Malformed> {
        let tick = reader.u64()?;
        let send_buffer = (reader.u64()?, reader.u64()?);
        let (receive_room, next, leave) = (reader.u64()?, reader.u64()?, reader.u64()?);
        let acknowledgment_bytes = reader.u64()?;
        let (messages, kept, segments) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let (queue, acknowledgments, segment_max) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let family = match reader.u8()? {
            0 => AddressFamily::Unknown,
            4 => AddressFamily::V4,
            6 => AddressFamily::V6,
            _ => return Err(Malformed),
        };
        let flags = reader.u8()?;
        if flags & !0b111 != 0 {
            return Err(Malformed);
        }
        Ok(Stands(Standing {
            tick,
            send_buffer,
            receive_room,
            messages,
            kept,
            next,
            leave,
            segments,
            queue,
            acknowledgments,
            acknowledgment_bytes,
            segment_max,
            family,
            disconnecting: flags & 1 != 0,
            ended: flags & 2 != 0,
            said: flags & 4 != 0,
        }))
    }

    fn wire_len(&self) -> usize {
        STANDS_LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let it = &self.0;
        for word in
            [it.tick, it.send_buffer.0, it.send_buffer.1, it.receive_room, it.next, it.leave, it.acknowledgment_bytes]
        {
            writer.u64(word)?;
        }
        for word in [it.messages, it.kept, it.segments, it.queue, it.acknowledgments, it.segment_max] {
            writer.u32(word)?;
        }
        writer.u8(it.family as u8)?;
        writer.u8(u8::from(it.disconnecting) | u8::from(it.ended) << 1 | u8::from(it.said) << 2)
    }
}
