//! The bytes of the forward service.

use core::fmt;
use core::net::SocketAddr;

use tng_base::PeerText;
use tng_wire::{Full, Malformed, Reader, Repr, Writer, prefixed_len, varint_len};

use super::{BODY_MAX, Destination, HEAD_LEN, HOST_MAX};
use crate::{REASON_MAX, framed};

const CONNECT: u8 = 0x01;
const BIND: u8 = 0x02;
const OK: u8 = 0x10;
const REFUSED: u8 = 0x3f;

/// What the opener of a stream asks, once per stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// Connect to this destination.
    Connect(Destination),
    /// Listen, and open a child of this stream for each connection that comes.
    Bind {
        /// Name or address to listen on; empty for the loopback address.
        host: String,
        /// The port; 0 for any.
        port: u16,
    },
}

/// What the other side answers, and what begins the children of a stream that bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It is done; from here on the stream is the connection.
    Ok {
        /// That which was connected to or is listened on; in a child, that of the caller.
        address: SocketAddr,
    },
    /// It is not done; the stream ends.
    Refused(Refusal),
}

/// Why a host does not do as asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// For programs.
    pub code: RefusalCode,
    reason: PeerText,
}

/// The kinds of refusals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalCode {
    /// This host does not connect to that, or listen there, for others.
    NotAllowed,
    /// The name has no address.
    NotFound,
    /// Nobody listens there.
    ConnectionRefused,
    /// There is no way there.
    Unreachable,
    /// Nobody answered in time.
    TimedOut,
    /// Too many connections at once.
    Busy,
    /// The request could not be understood.
    BadRequest,
    /// The address to listen on is not to be had.
    CannotBind,
    /// A kind that this version does not know.
    Other,
}

impl RefusalCode {
    const fn as_u64(self) -> u64 {
        match self {
            RefusalCode::NotAllowed => 1,
            RefusalCode::NotFound => 2,
            RefusalCode::ConnectionRefused => 3,
            RefusalCode::Unreachable => 4,
            RefusalCode::TimedOut => 5,
            RefusalCode::Busy => 6,
            RefusalCode::BadRequest => 7,
            RefusalCode::CannotBind => 8,
            RefusalCode::Other => 0,
        }
    }

    const fn from_u64(code: u64) -> RefusalCode {
        match code {
            1 => RefusalCode::NotAllowed,
            2 => RefusalCode::NotFound,
            3 => RefusalCode::ConnectionRefused,
            4 => RefusalCode::Unreachable,
            5 => RefusalCode::TimedOut,
            6 => RefusalCode::Busy,
            7 => RefusalCode::BadRequest,
            8 => RefusalCode::CannotBind,
            _ => RefusalCode::Other,
        }
    }
}

impl Refusal {
    /// A refusal; `reason` is cut to [`REASON_MAX`] bytes.
    pub fn new(code: RefusalCode, reason: &str) -> Refusal {
        Refusal { code, reason: PeerText::new(reason).cut(REASON_MAX).owned() }
    }

    /// The reason, in words for people.
    pub const fn reason(&self) -> &PeerText {
        &self.reason
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.code {
            RefusalCode::NotAllowed => "not allowed",
            RefusalCode::NotFound => "no such host",
            RefusalCode::ConnectionRefused => "connection refused",
            RefusalCode::Unreachable => "unreachable",
            RefusalCode::TimedOut => "no connection",
            RefusalCode::Busy => "too many connections at once",
            RefusalCode::BadRequest => "the request was not understood",
            RefusalCode::CannotBind => "cannot listen there",
            RefusalCode::Other => "the host cannot",
        };
        if self.reason.is_empty() { f.write_str(kind) } else { write!(f, "{kind}: {}", self.reason) }
    }
}

impl std::error::Error for Refusal {}

/// The length of the body that follows a message's first [`HEAD_LEN`] bytes.
///
/// # Errors
/// If it is above [`BODY_MAX`].
pub fn body_len(head: [u8; HEAD_LEN]) -> Result<usize, Malformed> {
    framed::body_len(head, BODY_MAX)
}

impl Request {
    fn host(&self) -> &str {
        match self {
            Request::Connect(to) => to.host(),
            Request::Bind { host, .. } => host,
        }
    }
}

impl Repr<'_> for Request {
    fn parse(reader: &mut Reader<'_>) -> Result<Request, Malformed> {
        framed::parse(reader, BODY_MAX, |kind, body| {
            let (host, port) = (body.text(HOST_MAX)?.into_exact(), body.u16()?);
            match kind {
                CONNECT => Ok(Request::Connect(Destination::new(host, port).map_err(|_| Malformed)?)),
                BIND if host.is_empty() || Destination::new(host, 1).is_ok() => {
                    Ok(Request::Bind { host: host.to_owned(), port })
                }
                _ => Err(Malformed),
            }
        })
    }

    fn wire_len(&self) -> usize {
        HEAD_LEN + prefixed_len(self.host().len()) + 2
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let (kind, port) = match self {
            Request::Connect(to) => (CONNECT, to.port()),
            Request::Bind { port, .. } => (BIND, *port),
        };
        framed::emit_head(writer, kind, self.wire_len() - HEAD_LEN)?;
        writer.prefixed(self.host().as_bytes())?;
        writer.u16(port)
    }
}

impl Repr<'_> for Answer {
    fn parse(reader: &mut Reader<'_>) -> Result<Answer, Malformed> {
        framed::parse(reader, BODY_MAX, |kind, body| match kind {
            OK => Ok(Answer::Ok { address: body.text(HOST_MAX)?.exact().parse().map_err(|_| Malformed)? }),
            REFUSED => {
                let code = RefusalCode::from_u64(body.varint()?);
                Ok(Answer::Refused(Refusal::new(code, body.text(REASON_MAX)?.exact())))
            }
            _ => Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        HEAD_LEN
            + match self {
                Answer::Ok { address } => prefixed_len(address.to_string().len()),
                Answer::Refused(refusal) => varint_len(refusal.code.as_u64()) + prefixed_len(refusal.reason.len()),
            }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let len = self.wire_len() - HEAD_LEN;
        match self {
            Answer::Ok { address } => {
                framed::emit_head(writer, OK, len)?;
                writer.prefixed(address.to_string().as_bytes())
            }
            Answer::Refused(refusal) => {
                framed::emit_head(writer, REFUSED, len)?;
                writer.varint(refusal.code.as_u64())?;
                writer.prefixed(refusal.reason.exact().as_bytes())
            }
        }
    }
}

#[cfg(test)]
mod tests;
