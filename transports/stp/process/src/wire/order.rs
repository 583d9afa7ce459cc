//! What a host says.

use tng_stp_abi::{ARRIVED_LEN, Arrived, Role, SocketKind, UserRequest};
use tng_stp_host::Callback;
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::{Allowed, Stands, bytes, put_bytes, signed};

/// A message of the host's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order<'a> {
    /// The first: compile this, for an engine of these quotas.
    Load {
        /// What instances may have at most.
        allowed: Allowed,
        /// The module.
        module: &'a [u8],
    },
    /// A connection begins, with its first call.
    Begin {
        /// Which end this is.
        role: Role,
        /// What its socket is.
        socket: SocketKind,
        /// What its instance may use.
        allowed: Allowed,
        /// The call.
        turn: Turn<'a>,
    },
    /// Call the guest.
    Turn(Turn<'a>),
    /// The answer to a question.
    Answer {
        /// A number of the border.
        number: i64,
        /// Bytes that were asked for.
        bytes: &'a [u8],
        /// Where the host's side stands after it.
        stands: Stands,
    },
}

/// One call of the guest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn<'a> {
    /// Where the host's side stands.
    pub stands: Stands,
    /// What for.
    pub callback: Callback,
    /// What it is called for after that, if it was well.
    pub then: Option<Callback>,
    /// Entries of the ring, each with the bytes of the buffer that its segment is in; or what the application says to a
    /// protocol of its own.
    pub bytes: &'a [u8],
}

/// Bytes of a segment's entry, and of its buffer's size.
pub(crate) const TOLD_LEN: usize = ARRIVED_LEN + 4;

impl<'a> Turn<'a> {
    /// The segments of a call of `input`, with the bytes of the buffers that they are in.
    pub fn arrived(&self) -> impl Iterator<Item = (Arrived, u64)> + 'a {
        let bytes = if self.callback == Callback::Input { self.bytes } else { &[] };
        bytes.chunks_exact(TOLD_LEN).filter_map(|told| {
            let (entry, buffer) = told.split_first_chunk::<ARRIVED_LEN>()?;
            Some((Arrived::from_bytes(entry), u32::from_be_bytes(buffer.try_into().ok()?).into()))
        })
    }
}

/// Writes an entry as [`Turn::arrived`] reads it.
pub(crate) fn tell(into: &mut Vec<u8>, arrived: &Arrived, buffer: u64) {
    into.extend_from_slice(&arrived.to_bytes());
    into.extend_from_slice(&u32::try_from(buffer).unwrap_or(u32::MAX).to_be_bytes());
}

fn callback(reader: &mut Reader<'_>) -> Result<Callback, Malformed> {
    callback_or_none(reader)?.ok_or(Malformed)
}

fn callback_or_none(reader: &mut Reader<'_>) -> Result<Option<Callback>, Malformed> {
    Ok(Some(match reader.u8()? {
        0 => return Ok(None),
        1 => Callback::Attach,
        2 => Callback::Connect,
        3 => Callback::Accept,
        4 => Callback::Abort,
        5 => Callback::Input,
        6 => Callback::Timer(reader.u32()?),
        7 => {
            let (request, until) = (reader.u32()?, reader.u64()?);
            let request = UserRequest::of(request, until).filter(|it| it.to_numbers() == (request, until));
            Callback::UserRequest(request.ok_or(Malformed)?)
        }
        8 => Callback::Shutdown { deadline_ms: reader.u32()? },
        9 => Callback::PathChanged,
        10 => Callback::Call { number: reader.u32()? },
        _ => return Err(Malformed),
    }))
}

fn callback_len(callback: &Callback) -> usize {
    1 + match callback {
        Callback::Attach | Callback::Connect | Callback::Accept | Callback::Abort | Callback::Input => 0,
        Callback::PathChanged => 0,
        Callback::Timer(_) | Callback::Shutdown { .. } | Callback::Call { .. } => 4,
        Callback::UserRequest(_) => 12,
    }
}

fn put_callback(writer: &mut Writer<'_>, callback: &Callback) -> Result<(), Full> {
    let mut with = |what: u8, number: u32| {
        writer.u8(what)?;
        writer.u32(number)
    };
    match callback {
        Callback::Timer(id) => with(6, *id),
        Callback::Shutdown { deadline_ms } => with(8, *deadline_ms),
        Callback::Call { number } => with(10, *number),
        Callback::UserRequest(request) => {
            let (request, until) = request.to_numbers();
            with(7, request)?;
            writer.u64(until)
        }
        Callback::Attach => writer.u8(1),
        Callback::Connect => writer.u8(2),
        Callback::Accept => writer.u8(3),
        Callback::Abort => writer.u8(4),
        Callback::Input => writer.u8(5),
        Callback::PathChanged => writer.u8(9),
    }
}

impl<'a> Repr<'a> for Turn<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Turn<'a>, Malformed> {
        let (stands, callback, then) = (Stands::parse(reader)?, callback(reader)?, callback_or_none(reader)?);
        Ok(Turn { stands, callback, then, bytes: bytes(reader)? })
    }

    fn wire_len(&self) -> usize {
        let then = self.then.as_ref().map_or(1, callback_len);
        self.stands.wire_len() + callback_len(&self.callback) + then + 4 + self.bytes.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        self.stands.emit(writer)?;
        put_callback(writer, &self.callback)?;
        match &self.then {
            Some(then) => put_callback(writer, then)?,
            None => writer.u8(0)?,
        }
        put_bytes(writer, self.bytes)
    }
}

impl<'a> Repr<'a> for Order<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Order<'a>, Malformed> {
        Ok(match reader.u8()? {
            1 => Order::Load { allowed: Allowed::parse(reader)?, module: bytes(reader)? },
            2 => {
                let role = match reader.u8()? {
                    0 => Role::Initiator,
                    1 => Role::Responder,
                    _ => return Err(Malformed),
                };
                let socket = match reader.u8()? {
                    0 => SocketKind::Stream,
                    1 => SocketKind::Message,
                    _ => return Err(Malformed),
                };
                Order::Begin { role, socket, allowed: Allowed::parse(reader)?, turn: Turn::parse(reader)? }
            }
            3 => Order::Turn(Turn::parse(reader)?),
            4 => Order::Answer { number: signed(reader)?, stands: Stands::parse(reader)?, bytes: bytes(reader)? },
            _ => return Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        1 + match self {
            Order::Load { allowed, module } => allowed.wire_len() + 4 + module.len(),
            Order::Begin { allowed, turn, .. } => 2 + allowed.wire_len() + turn.wire_len(),
            Order::Turn(turn) => turn.wire_len(),
            Order::Answer { bytes, stands, .. } => 8 + stands.wire_len() + 4 + bytes.len(),
        }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match self {
            Order::Load { allowed, module } => {
                writer.u8(1)?;
                allowed.emit(writer)?;
                put_bytes(writer, module)
            }
            Order::Begin { role, socket, allowed, turn } => {
                writer.bytes(&[2, *role as u8, *socket as u8])?;
                allowed.emit(writer)?;
                turn.emit(writer)
            }
            Order::Turn(turn) => {
                writer.u8(3)?;
                turn.emit(writer)
            }
            Order::Answer { number, bytes, stands } => {
                writer.u8(4)?;
                writer.u64(number.cast_unsigned())?;
                stands.emit(writer)?;
                put_bytes(writer, bytes)
            }
        }
    }
}
