//! What a guest has done.

use core::ops::Range;

use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::{bytes, put_bytes};

/// A call of the host that needs no answer, or whose answer is known. The names are those of
/// [`Host`](tng_stp_abi::Host).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deed<'a> {
    /// `proto_done`.
    Done,
    /// `so_connected`.
    Connected,
    /// `so_end`.
    End,
    /// `so_wakeup`.
    Wakeup,
    /// `so_error`.
    Error {
        /// The protocol's own.
        code: u32,
    },
    /// `so_drop`.
    Drop {
        /// Up to where.
        until: u64,
    },
    /// `so_append`.
    Append {
        /// Which.
        segment: u32,
        /// What of it.
        bytes: Range<u32>,
    },
    /// `so_append_bytes`.
    AppendBytes(&'a [u8]),
    /// `net_send`.
    Send {
        /// The guest's own.
        head: &'a [u8],
        /// Of the send buffer.
        body: Range<u64>,
    },
    /// `net_resend`.
    Resend {
        /// The guest's own.
        head: &'a [u8],
        /// Of the send buffer.
        body: Range<u64>,
        /// Which had it.
        lost: u64,
    },
    /// `ack_sum`.
    Sum {
        /// The segments that came.
        numbers: Range<u64>,
        /// What their nonces fold to.
        sum: u64,
        /// Microseconds for which it was held back.
        delay_us: u32,
    },
    /// `nack`.
    Nack {
        /// Which.
        number: u64,
    },
    /// `net_sendack`.
    SendAck(&'a [u8]),
    /// `seg_keep`.
    Keep {
        /// Which.
        segment: u32,
    },
    /// `seg_free`.
    Free {
        /// Which.
        segment: u32,
    },
    /// `timer_reset`.
    Timer {
        /// Which.
        id: u32,
        /// Milliseconds until then.
        in_ms: u32,
    },
    /// `timer_stop`.
    StopTimer {
        /// Which.
        id: u32,
    },
    /// Growth of memory was denied.
    DeniedMemory,
    /// `net_send` of so many bytes was told to wait: there is no room among what waits to leave.
    Crowded {
        /// Head and body.
        len: u32,
    },
}

impl<'a> Repr<'a> for Deed<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Deed<'a>, Malformed> {
        Ok(match reader.u8()? {
            1 => Deed::Done,
            2 => Deed::Connected,
            3 => Deed::End,
            4 => Deed::Wakeup,
            5 => Deed::Error { code: reader.u32()? },
            6 => Deed::Drop { until: reader.u64()? },
            7 => Deed::Append { segment: reader.u32()?, bytes: reader.u32()?..reader.u32()? },
            8 => Deed::AppendBytes(bytes(reader)?),
            9 => Deed::Send { body: reader.u64()?..reader.u64()?, head: bytes(reader)? },
            10 => Deed::Resend { body: reader.u64()?..reader.u64()?, lost: reader.u64()?, head: bytes(reader)? },
            11 => Deed::Sum { numbers: reader.u64()?..reader.u64()?, sum: reader.u64()?, delay_us: reader.u32()? },
            12 => Deed::Nack { number: reader.u64()? },
            13 => Deed::SendAck(bytes(reader)?),
            14 => Deed::Keep { segment: reader.u32()? },
            15 => Deed::Free { segment: reader.u32()? },
            16 => Deed::Timer { id: reader.u32()?, in_ms: reader.u32()? },
            17 => Deed::StopTimer { id: reader.u32()? },
            18 => Deed::DeniedMemory,
            19 => Deed::Crowded { len: reader.u32()? },
            _ => return Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        1 + match self {
            Deed::Done | Deed::Connected | Deed::End | Deed::Wakeup | Deed::DeniedMemory => 0,
            Deed::Error { .. } | Deed::Keep { .. } | Deed::Free { .. } | Deed::StopTimer { .. } => 4,
            Deed::Crowded { .. } => 4,
            Deed::Drop { .. } | Deed::Nack { .. } | Deed::Timer { .. } => 8,
            Deed::Append { .. } => 12,
            Deed::AppendBytes(bytes) | Deed::SendAck(bytes) => 4 + bytes.len(),
            Deed::Send { head, .. } => 20 + head.len(),
            Deed::Resend { head, .. } => 28 + head.len(),
            Deed::Sum { .. } => 28,
        }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        // What does not fit is not begun.
        let mut writer = Writer::new(writer.room(self.wire_len())?);
        let writer = &mut writer;
        match self {
            Deed::Done => writer.u8(1),
            Deed::Connected => writer.u8(2),
            Deed::End => writer.u8(3),
            Deed::Wakeup => writer.u8(4),
            Deed::Error { code } => one(writer, 5, *code),
            Deed::Drop { until } => {
                writer.u8(6)?;
                writer.u64(*until)
            }
            Deed::Append { segment, bytes } => {
                one(writer, 7, *segment)?;
                writer.u32(bytes.start)?;
                writer.u32(bytes.end)
            }
            Deed::AppendBytes(bytes) => {
                writer.u8(8)?;
                put_bytes(writer, bytes)
            }
            Deed::Send { head, body } => {
                writer.u8(9)?;
                range(writer, body)?;
                put_bytes(writer, head)
            }
            Deed::Resend { head, body, lost } => {
                writer.u8(10)?;
                range(writer, body)?;
                writer.u64(*lost)?;
                put_bytes(writer, head)
            }
            Deed::Sum { numbers, sum, delay_us } => {
                writer.u8(11)?;
                range(writer, numbers)?;
                writer.u64(*sum)?;
                writer.u32(*delay_us)
            }
            Deed::Nack { number } => {
                writer.u8(12)?;
                writer.u64(*number)
            }
            Deed::SendAck(bytes) => {
                writer.u8(13)?;
                put_bytes(writer, bytes)
            }
            Deed::Keep { segment } => one(writer, 14, *segment),
            Deed::Free { segment } => one(writer, 15, *segment),
            Deed::Timer { id, in_ms } => {
                one(writer, 16, *id)?;
                writer.u32(*in_ms)
            }
            Deed::StopTimer { id } => one(writer, 17, *id),
            Deed::DeniedMemory => writer.u8(18),
            Deed::Crowded { len } => one(writer, 19, *len),
        }
    }
}

fn one(writer: &mut Writer<'_>, what: u8, number: u32) -> Result<(), Full> {
    writer.u8(what)?;
    writer.u32(number)
}

fn range(writer: &mut Writer<'_>, range: &Range<u64>) -> Result<(), Full> {
    writer.u64(range.start)?;
    writer.u64(range.end)
}

/// Deeds in a row, each read when it is its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deeds<'a>(pub &'a [u8]);

impl<'a> Deeds<'a> {
    /// The next, if there is one.
    ///
    /// # Errors
    /// If it is none.
    pub fn take(&mut self) -> Result<Option<Deed<'a>>, Malformed> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let mut reader = Reader::new(self.0);
        let deed = Deed::parse(&mut reader)?;
        self.0 = reader.rest();
        Ok(Some(deed))
    }
}
