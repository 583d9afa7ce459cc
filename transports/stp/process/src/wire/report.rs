//! What the process of a guest says.

use tng_stp_abi::Kind;
use tng_stp_host::Fault;
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::{Deed, Deeds, TEXT_MAX, bytes, flag, put_bytes, signed};

/// A message of the process's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Report<'a> {
    /// The module is compiled.
    Ready(Kind),
    /// The module is none that guests may be, or the process cannot shut itself in.
    Unfit(&'a str),
    /// The guest has asked for something, after what it did.
    Ask(Deeds<'a>, Question<'a>),
    /// The call is over.
    Done(Done<'a>),
}

/// What came of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Done<'a> {
    /// What the guest did since it asked last.
    pub deeds: Deeds<'a>,
    /// What it answers, or what it did wrong.
    pub answer: Result<i64, Fault>,
    /// What it has burnt.
    pub fuel: u64,
    /// Bytes of its memory.
    pub memory: u64,
    /// What it answers to a call of the protocol's own.
    pub area: &'a [u8],
}

/// What a guest may ask. The names are those of [`Host`](tng_stp_abi::Host).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question<'a> {
    /// Nothing: there are many deeds.
    Nothing,
    /// To do this, and what comes of it.
    Deed(Deed<'a>),
    /// `so_read`.
    Read {
        /// From where.
        from: u64,
        /// How many bytes.
        len: u32,
    },
    /// `seg_read`.
    ReadSegment {
        /// Which.
        segment: u32,
        /// From where.
        from: u32,
        /// How many bytes.
        len: u32,
    },
    /// `net_budget`.
    Budget,
    /// `random`.
    Random,
    /// `log`.
    Log(&'a str),
}

fn text<'a>(reader: &mut Reader<'a>) -> Result<&'a str, Malformed> {
    let bytes = bytes(reader)?;
    if bytes.len() > TEXT_MAX {
        return Err(Malformed);
    }
    core::str::from_utf8(bytes).map_err(|_| Malformed)
}

impl<'a> Repr<'a> for Question<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Question<'a>, Malformed> {
        Ok(match reader.u8()? {
            0 => Question::Nothing,
            1 => Question::Deed(Deed::parse(reader)?),
            2 => Question::Read { from: reader.u64()?, len: reader.u32()? },
            3 => Question::ReadSegment { segment: reader.u32()?, from: reader.u32()?, len: reader.u32()? },
            4 => Question::Budget,
            5 => Question::Random,
            6 => Question::Log(text(reader)?),
            _ => return Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        1 + match self {
            Question::Nothing | Question::Budget | Question::Random => 0,
            Question::Deed(deed) => deed.wire_len(),
            Question::Read { .. } | Question::ReadSegment { .. } => 12,
            Question::Log(text) => 4 + text.len(),
        }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match self {
            Question::Nothing => writer.u8(0),
            Question::Deed(deed) => {
                writer.u8(1)?;
                deed.emit(writer)
            }
            Question::Read { from, len } => {
                writer.u8(2)?;
                writer.u64(*from)?;
                writer.u32(*len)
            }
            Question::ReadSegment { segment, from, len } => {
                writer.u8(3)?;
                [segment, from, len].into_iter().try_for_each(|number| writer.u32(*number))
            }
            Question::Budget => writer.u8(4),
            Question::Random => writer.u8(5),
            Question::Log(text) => {
                writer.u8(6)?;
                put_bytes(writer, text.as_bytes())
            }
        }
    }
}

/// What the guest itself may have done wrong: all else is for the host to find out.
fn fault(reader: &mut Reader<'_>) -> Result<Fault, Malformed> {
    Ok(match reader.u8()? {
        1 => Fault::Cpu,
        2 => Fault::Stack,
        3 => Fault::Denied,
        4 => Fault::Pointer,
        5 => Fault::Trapped(text(reader)?.to_owned()),
        6 => Fault::NoRoom,
        _ => return Err(Malformed),
    })
}

fn fault_len(fault: &Fault) -> usize {
    1 + if let Fault::Trapped(what) = fault { 4 + what.len() } else { 0 }
}

fn put_fault(writer: &mut Writer<'_>, fault: &Fault) -> Result<(), Full> {
    match fault {
        Fault::Cpu => writer.u8(1),
        Fault::Stack => writer.u8(2),
        Fault::Denied => writer.u8(3),
        Fault::Pointer => writer.u8(4),
        Fault::Trapped(what) => {
            writer.u8(5)?;
            put_bytes(writer, what.as_bytes())
        }
        _ => writer.u8(6),
    }
}

impl<'a> Repr<'a> for Report<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Report<'a>, Malformed> {
        Ok(match reader.u8()? {
            1 => Report::Ready(match reader.u8()? {
                1 => Kind::Controller,
                2 => Kind::Transport,
                3 => Kind::Messages,
                _ => return Err(Malformed),
            }),
            2 => Report::Unfit(text(reader)?),
            3 => Report::Ask(Deeds(bytes(reader)?), Question::parse(reader)?),
            4 => {
                let deeds = Deeds(bytes(reader)?);
                let answer = if flag(reader)? { Ok(signed(reader)?) } else { Err(fault(reader)?) };
                let (fuel, memory) = (reader.u64()?, reader.u64()?);
                Report::Done(Done { deeds, answer, fuel, memory, area: bytes(reader)? })
            }
            _ => return Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        1 + match self {
            Report::Ready(_) => 1,
            Report::Unfit(why) => 4 + why.len(),
            Report::Ask(deeds, question) => 4 + deeds.0.len() + question.wire_len(),
            Report::Done(done) => {
                let answer = done.answer.as_ref().map_or_else(fault_len, |_| 8);
                4 + done.deeds.0.len() + 1 + answer + 16 + 4 + done.area.len()
            }
        }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match self {
            Report::Ready(kind) => writer.bytes(&[1, *kind as u8]),
            Report::Unfit(why) => {
                writer.u8(2)?;
                put_bytes(writer, why.as_bytes())
            }
            Report::Ask(deeds, question) => {
                writer.u8(3)?;
                put_bytes(writer, deeds.0)?;
                question.emit(writer)
            }
            Report::Done(done) => {
                writer.u8(4)?;
                put_bytes(writer, done.deeds.0)?;
                writer.u8(done.answer.is_ok().into())?;
                match &done.answer {
                    Ok(answer) => writer.u64(answer.cast_unsigned())?,
                    Err(fault) => put_fault(writer, fault)?,
                }
                writer.u64(done.fuel)?;
                writer.u64(done.memory)?;
                put_bytes(writer, done.area)
            }
        }
    }
}
