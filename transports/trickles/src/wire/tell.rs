//! What a response tells.

use tng_base::PeerText;
use tng_wire::{Full, Malformed, Reader, Repr, VARINT_MAX, Writer};

use super::{Bytes, DATAGRAM_LEN_MAX, FAULT_LEN_MAX, read_bytes, whole, write_bytes};
use crate::{ClientNetwork, Puzzle, SEALED_STATE_LEN_MAX};

/// Why a server does not do what it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The application's own code: from 64 on.
    Application(u64),
    /// A continuation is of another version of the application: the object is asked for anew.
    Version,
    /// A continuation is not one that this server sealed, or its keys are erased: the object is asked for anew.
    Unsealed,
    /// Bytes are wanted that the continuation is not good for.
    OutOfRange,
    /// The object is computed too often: it is asked for again later.
    TooOften,
    /// The server has no room for it now, not even for a descriptor: it is asked for again later.
    Overloaded,
    /// The object is being made: it is asked for again soon.
    NotYet,
}

impl Fault {
    /// The first code that is an application's.
    pub const APPLICATION: u64 = 64;

    fn code(self) -> u64 {
        match self {
            Fault::Version => 1,
            Fault::Unsealed => 2,
            Fault::OutOfRange => 3,
            Fault::TooOften => 4,
            Fault::Overloaded => 5,
            Fault::NotYet => 6,
            Fault::Application(code) => code.max(Fault::APPLICATION),
        }
    }

    fn of(code: u64) -> Result<Fault, Malformed> {
        Ok(match code {
            1 => Fault::Version,
            2 => Fault::Unsealed,
            3 => Fault::OutOfRange,
            4 => Fault::TooOften,
            5 => Fault::Overloaded,
            6 => Fault::NotYet,
            Fault::APPLICATION.. => Fault::Application(code),
            _ => return Err(Malformed),
        })
    }
}

/// What a response tells a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tell<'a> {
    /// Bytes of an object.
    Data {
        /// Where they begin.
        start: u64,
        /// The bytes.
        data: &'a [u8],
    },
    /// No bytes will come for these: the object has ended before them.
    Skip(Bytes),
    /// How to ask for an object's bytes.
    Output {
        /// Which of the client's objects it is.
        object: u64,
        /// Which bytes it is good for.
        valid: Bytes,
        /// The continuation, sealed.
        output: &'a [u8],
    },
    /// How to go on with what an object's asking takes.
    Input {
        /// Which of the client's objects it is.
        object: u64,
        /// How many of the bytes have been taken.
        taken: u64,
        /// Where the server wants the next put to end: it takes a request in parts of its own choice. None: anywhere.
        until: Option<u64>,
        /// The continuation, sealed.
        input: &'a [u8],
    },
    /// An object that the client does not get.
    Fault {
        /// Which.
        object: u64,
        /// Why.
        fault: Fault,
        /// The same for people.
        text: PeerText<&'a str>,
    },
    /// The secret of the connection in another epoch.
    Secret {
        /// The last byte of the epoch's number.
        epoch: u8,
        /// The secret.
        secret: &'a [u8; 32],
    },
    /// Where the server sees the client, which has named another place in its request for a timeout.
    ClientNetwork(ClientNetwork),
    /// What is asked for is expensive: it is computed for those who solve this.
    Puzzle {
        /// For which of the client's objects.
        object: u64,
        /// The puzzle.
        puzzle: Puzzle,
    },
}

const DATA: u8 = 1;
const SKIP: u8 = 2;
const OUTPUT: u8 = 3;
const INPUT: u8 = 4;
const INPUT_UNTIL: u8 = 5;
const FAULT: u8 = 6;
const SECRET: u8 = 7;
const PLACE: u8 = 8;
const PUZZLE: u8 = 9;

impl<'a> Tell<'a> {
    /// Reads the next of a response.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(reader: &mut Reader<'a>) -> Result<Tell<'a>, Malformed> {
        match reader.u8()? {
            DATA => {
                let (start, data) = (reader.varint()?, reader.prefixed(DATAGRAM_LEN_MAX)?);
                start.checked_add(data.len() as u64).filter(|end| *end <= VARINT_MAX).ok_or(Malformed)?;
                if data.is_empty() { Err(Malformed) } else { Ok(Tell::Data { start, data }) }
            }
            SKIP => Ok(Tell::Skip(read_bytes(reader)?)),
            OUTPUT => Ok(Tell::Output {
                object: reader.varint()?,
                valid: read_bytes(reader)?,
                output: reader.prefixed(SEALED_STATE_LEN_MAX)?,
            }),
            kind @ (INPUT | INPUT_UNTIL) => Ok(Tell::Input {
                object: reader.varint()?,
                taken: reader.varint()?,
                until: if kind == INPUT_UNTIL { Some(reader.varint()?) } else { None },
                input: reader.prefixed(SEALED_STATE_LEN_MAX)?,
            }),
            FAULT => Ok(Tell::Fault {
                object: reader.varint()?,
                fault: Fault::of(reader.varint()?)?,
                text: reader.text(FAULT_LEN_MAX)?,
            }),
            SECRET => {
                let epoch = reader.u8()?;
                Ok(Tell::Secret { epoch, secret: reader.bytes(32)?.first_chunk().ok_or(Malformed)? })
            }
            PLACE => Ok(Tell::ClientNetwork(ClientNetwork::from_bytes(reader.array()?))),
            PUZZLE => Ok(Tell::Puzzle { object: reader.varint()?, puzzle: Puzzle::parse(reader)? }),
            _ => Err(Malformed),
        }
    }

    /// Writes it, whole or not at all.
    ///
    /// # Errors
    /// [`Full`].
    pub fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        whole(writer, |writer| match self {
            Tell::Data { start, data } => {
                writer.u8(DATA)?;
                writer.varint(*start)?;
                writer.prefixed(data)
            }
            Tell::Skip(bytes) => {
                writer.u8(SKIP)?;
                write_bytes(bytes, writer)
            }
            Tell::Output { object, valid, output } => {
                writer.u8(OUTPUT)?;
                writer.varint(*object)?;
                write_bytes(valid, writer)?;
                writer.prefixed(output)
            }
            Tell::Input { object, taken, until, input } => {
                writer.u8(if until.is_some() { INPUT_UNTIL } else { INPUT })?;
                writer.varint(*object)?;
                writer.varint(*taken)?;
                until.map_or(Ok(()), |until| writer.varint(until))?;
                writer.prefixed(input)
            }
            Tell::Fault { object, fault, text } => {
                writer.u8(FAULT)?;
                writer.varint(*object)?;
                writer.varint(fault.code())?;
                writer.prefixed(text.exact().as_bytes())
            }
            Tell::Secret { epoch, secret } => {
                writer.u8(SECRET)?;
                writer.u8(*epoch)?;
                writer.bytes(&secret[..])
            }
            Tell::ClientNetwork(place) => {
                writer.u8(PLACE)?;
                writer.bytes(place.as_bytes())
            }
            Tell::Puzzle { object, puzzle } => {
                writer.u8(PUZZLE)?;
                writer.varint(*object)?;
                puzzle.emit(writer)
            }
        })
    }

    /// Writes a [`Data`](Tell::Data) item of `len` bytes, which `fill` writes into the place that is theirs.
    ///
    /// # Errors
    /// [`Full`]: also if `fill` answers that. Then nothing of it was written.
    pub fn emit_data(
        start: u64,
        len: usize,
        writer: &mut Writer<'_>,
        fill: impl FnOnce(&mut [u8]) -> Result<(), Full>,
    ) -> Result<(), Full> {
        whole(writer, |writer| {
            writer.u8(DATA)?;
            writer.varint(start)?;
            writer.varint(len as u64)?;
            fill(writer.room(len)?)
        })
    }

    /// Bytes of a [`Data`](Tell::Data) item beside its data, when that is at most `len` bytes.
    pub fn data_overhead(start: u64, len: usize) -> usize {
        1 + tng_wire::varint_len(start) + tng_wire::varint_len(len as u64)
    }
}
