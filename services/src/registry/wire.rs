//! The bytes of the registry service.

use core::net::SocketAddr;

use tng_base::Eid;
use tng_wire::{Full, Malformed, Reader, Repr, Writer, prefixed_len};

use super::statement::{address, address_len, addresses, emit_address, emit_addresses};
use super::{BODY_MAX, HEAD_LEN, Order, Policy, REGISTRY_ADDRESSES_MAX, Statement};
use crate::framed;
use crate::help::{TOKEN_MAX, Token};

const REGISTER: u8 = 0x01;
const ATTEND: u8 = 0x02;
const LOOK_UP: u8 = 0x03;
const WATCH: u8 = 0x04;
const INTRODUCE: u8 = 0x05;
const REGISTERED: u8 = 0x10;
const ATTENDED: u8 = 0x11;
const FOUND: u8 = 0x12;
const ABSENT: u8 = 0x13;
const INTRODUCED: u8 = 0x14;
const DENIED: u8 = 0x3f;

/// Bytes of the nonce that names an introduction.
pub const NONCE_LEN: usize = 16;

/// What a host wants of a registry, once per request. The bytes may hold a token: the code that wrote or read them
/// wipes them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ask {
    /// Keep this statement, or keep it for longer. A record is taken from its own host alone, others from everybody.
    Register {
        /// For how long, in seconds; 0: for as long as the registry likes.
        lease_s: u32,
        /// Who may look it up.
        policy: Policy,
        /// The statement.
        statement: Statement,
    },
    /// Tell of introductions, for as long as the asker stays.
    Attend,
    /// Say where a host is.
    LookUp {
        /// Which.
        eid: Eid,
        /// What shows that the asker may know.
        token: Option<Token>,
    },
    /// Say where a host is, and again when that changes, for as long as the asker stays.
    Watch {
        /// Which.
        eid: Eid,
        /// What shows that the asker may know.
        token: Option<Token>,
    },
    /// Introduce the asker to a host, and the host to the asker.
    Introduce {
        /// Which.
        eid: Eid,
        /// What names the introduction, drawn by the asker.
        nonce: [u8; NONCE_LEN],
        /// What shows that the asker may know.
        token: Option<Token>,
    },
}

/// What the registry says beside what a host has signed: where it is reached whatever stands before it. Nobody has
/// signed this.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attended {
    /// The registry to which the host has a connection: through its port a NAT before the host lets packets in.
    pub registry: Eid,
    /// Where that is; at most [`REGISTRY_ADDRESSES_MAX`].
    pub addresses: Vec<SocketAddr>,
    /// From where it sees the host.
    pub observed: SocketAddr,
}

/// Which side of an introduction a host is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It has asked for it.
    Caller,
    /// The other has.
    Called,
}

/// An introduction, as each of both sides is told of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Introduced {
    /// The other side.
    pub peer: Eid,
    /// What this side is.
    pub role: Role,
    /// What names the introduction, the same on both sides. The registry knows it as well: it is no secret.
    pub nonce: [u8; NONCE_LEN],
    /// So long after this has arrived the other side has heard of it, too, in milliseconds.
    pub begin_ms: u16,
    /// From where the registry sees the other side.
    pub observed: SocketAddr,
}

/// What the registry answers.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::large_enum_variant, reason = "an answer is made, written and gone")]
pub enum Answer {
    /// The statement is kept.
    Registered {
        /// For how long, in seconds; at least 1.
        lease_s: u32,
        /// From where the registry sees the asker.
        observed: SocketAddr,
    },
    /// Introductions are told from now on.
    Attended,
    /// What the host says of itself, and what the registry adds.
    Found {
        /// Signed by the host.
        statement: Statement,
        /// Signed by nobody.
        attended: Option<Attended>,
    },
    /// The host is not registered, or the asker may not know.
    Absent,
    /// An introduction.
    Introduced(Introduced),
    /// Nothing of it.
    Denied(Denied),
}

fn older(Order { rank, number }: Order) -> String {
    match rank {
        0 => format!("the registry has a newer statement of this host, number {number}; say a greater number"),
        1 => "this host's key has given way to another (`tng id rotate`); start again with that one".to_owned(),
        _ => "this host's key was revoked; start again with another".to_owned(),
    }
}

/// Why a registry does not do what it is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Denied {
    /// The statement is not signed by its host, or is another host's.
    #[error(
        "the registry does not believe the statement: its host has not signed it; register with the host's own key"
    )]
    NotSigned,
    /// The statement has expired.
    #[error("the registry takes the statement for expired; set the clock of this host, or that of the registry")]
    Expired,
    /// The registry has a newer one.
    #[error("{}", older(*.0))]
    Older(Order),
    /// The asker, or its network, asks too often.
    #[error("the registry was asked too often by this host or its network; ask again in a minute")]
    TooOften,
    /// The registry has a succession of this host to another key.
    #[error(
        "another key has taken the place of this one already, and the registry takes no second one; if that is not \
         yours, somebody else has this key: publish what revokes it"
    )]
    OtherHeir,
    /// There is no room.
    #[error("the registry is full; use another, or ask again when leases have ended")]
    Full,
    /// The asker is not registered, or not attended to, where it asks.
    #[error("the registry introduces only hosts that are registered and attended to there; register first")]
    NotRegistered,
    /// The other host is registered, and not attended to where the asker asks.
    #[error("the registry has no connection to the host now; ask again when the host has come back")]
    NotAttended,
    /// The registry can do nothing now, or for a reason that this version does not know.
    #[error("the registry cannot reach what it keeps; ask another, or again later")]
    Unavailable,
}

impl Denied {
    const fn code(self) -> u8 {
        match self {
            Denied::NotSigned => 1,
            Denied::Expired => 2,
            Denied::Older(_) => 3,
            Denied::TooOften => 4,
            Denied::Full => 5,
            Denied::NotRegistered => 6,
            Denied::NotAttended => 7,
            Denied::OtherHeir => 8,
            Denied::Unavailable => 0,
        }
    }

    const fn order(self) -> Order {
        match self {
            Denied::Older(order) => order,
            _ => Order { rank: 0, number: 0 },
        }
    }

    const fn of_code(code: u8, order: Order) -> Denied {
        match code {
            1 => Denied::NotSigned,
            2 => Denied::Expired,
            3 => Denied::Older(order),
            4 => Denied::TooOften,
            5 => Denied::Full,
            6 => Denied::NotRegistered,
            7 => Denied::NotAttended,
            8 => Denied::OtherHeir,
            _ => Denied::Unavailable,
        }
    }
}

/// The length of the body that follows a message's first [`HEAD_LEN`] bytes.
///
/// # Errors
/// If it is above [`BODY_MAX`].
pub fn body_len(head: [u8; HEAD_LEN]) -> Result<usize, Malformed> {
    framed::body_len(head, BODY_MAX)
}

fn token(body: &mut Reader<'_>) -> Result<Option<Token>, Malformed> {
    let shown = Some(body.prefixed(TOKEN_MAX)?).filter(|bytes| !bytes.is_empty());
    shown.map(Token::new).transpose().map_err(|_| Malformed)
}

fn shown(token: Option<&Token>) -> &[u8] {
    token.map_or(&[], |token| token.expose())
}

impl Repr<'_> for Ask {
    fn parse(reader: &mut Reader<'_>) -> Result<Ask, Malformed> {
        framed::parse(reader, BODY_MAX, |kind, body| {
            let eid = |body: &mut Reader<'_>| body.array().map(Eid::from_bytes);
            match kind {
                REGISTER => Ok(Ask::Register {
                    lease_s: body.u32()?,
                    policy: Policy::parse(body)?,
                    statement: Statement::parse(body)?,
                }),
                ATTEND => Ok(Ask::Attend),
                LOOK_UP => Ok(Ask::LookUp { eid: eid(body)?, token: token(body)? }),
                WATCH => Ok(Ask::Watch { eid: eid(body)?, token: token(body)? }),
                INTRODUCE => Ok(Ask::Introduce { eid: eid(body)?, nonce: body.array()?, token: token(body)? }),
                _ => Err(Malformed),
            }
        })
    }

    fn wire_len(&self) -> usize {
        HEAD_LEN
            + match self {
                Ask::Register { policy, statement, .. } => 4 + policy.wire_len() + statement.wire_len(),
                Ask::Attend => 0,
                Ask::LookUp { token, .. } | Ask::Watch { token, .. } => 32 + prefixed_len(shown(token.as_ref()).len()),
                Ask::Introduce { token, .. } => 32 + NONCE_LEN + prefixed_len(shown(token.as_ref()).len()),
            }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let kind = match self {
            Ask::Register { .. } => REGISTER,
            Ask::Attend => ATTEND,
            Ask::LookUp { .. } => LOOK_UP,
            Ask::Watch { .. } => WATCH,
            Ask::Introduce { .. } => INTRODUCE,
        };
        framed::emit_head(writer, kind, self.wire_len() - HEAD_LEN)?;
        match self {
            Ask::Register { lease_s, policy, statement } => {
                writer.u32(*lease_s)?;
                policy.emit(writer)?;
                statement.emit(writer)
            }
            Ask::Attend => Ok(()),
            Ask::LookUp { eid, token } | Ask::Watch { eid, token } => {
                writer.bytes(eid.as_bytes())?;
                writer.prefixed(shown(token.as_ref()))
            }
            Ask::Introduce { eid, nonce, token } => {
                writer.bytes(eid.as_bytes())?;
                writer.bytes(nonce)?;
                writer.prefixed(shown(token.as_ref()))
            }
        }
    }
}

impl Repr<'_> for Attended {
    fn parse(reader: &mut Reader<'_>) -> Result<Attended, Malformed> {
        let registry = Eid::from_bytes(reader.array()?);
        let addresses = addresses(reader, REGISTRY_ADDRESSES_MAX)?;
        Ok(Attended { registry, addresses, observed: address(reader)? })
    }

    fn wire_len(&self) -> usize {
        32 + 1 + self.addresses.iter().map(|at| address_len(*at)).sum::<usize>() + address_len(self.observed)
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(self.registry.as_bytes())?;
        emit_addresses(writer, &self.addresses)?;
        emit_address(writer, self.observed)
    }
}

/// What may be there: a byte that says whether it is, and it.
pub(super) fn optional<'a, T>(
    reader: &mut Reader<'a>,
    parse: impl FnOnce(&mut Reader<'a>) -> Result<T, Malformed>,
) -> Result<Option<T>, Malformed> {
    match reader.u8()? {
        0 => Ok(None),
        1 => parse(reader).map(Some),
        _ => Err(Malformed),
    }
}

pub(super) fn emit_optional<'a, T: Repr<'a>>(writer: &mut Writer<'_>, value: Option<&T>) -> Result<(), Full> {
    writer.u8(value.is_some().into())?;
    value.map_or(Ok(()), |value| value.emit(writer))
}

impl Repr<'_> for Introduced {
    fn parse(reader: &mut Reader<'_>) -> Result<Introduced, Malformed> {
        let peer = Eid::from_bytes(reader.array()?);
        let role = match reader.u8()? {
            0 => Role::Caller,
            1 => Role::Called,
            _ => return Err(Malformed),
        };
        Ok(Introduced { peer, role, nonce: reader.array()?, begin_ms: reader.u16()?, observed: address(reader)? })
    }

    fn wire_len(&self) -> usize {
        32 + 1 + NONCE_LEN + 2 + address_len(self.observed)
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(self.peer.as_bytes())?;
        writer.u8(match self.role {
            Role::Caller => 0,
            Role::Called => 1,
        })?;
        writer.bytes(&self.nonce)?;
        writer.u16(self.begin_ms)?;
        emit_address(writer, self.observed)
    }
}

impl Repr<'_> for Answer {
    fn parse(reader: &mut Reader<'_>) -> Result<Answer, Malformed> {
        framed::parse(reader, BODY_MAX, |kind, body| match kind {
            REGISTERED => match body.u32()? {
                0 => Err(Malformed),
                lease_s => Ok(Answer::Registered { lease_s, observed: address(body)? }),
            },
            ATTENDED => Ok(Answer::Attended),
            FOUND => {
                let statement = Statement::parse(body)?;
                Ok(Answer::Found { statement, attended: optional(body, Attended::parse)? })
            }
            ABSENT => Ok(Answer::Absent),
            INTRODUCED => Ok(Answer::Introduced(Introduced::parse(body)?)),
            DENIED => {
                let code = body.u8()?;
                let order = Order { rank: body.u8()?, number: body.u64()? };
                Ok(Answer::Denied(Denied::of_code(code, order)))
            }
            _ => Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        HEAD_LEN
            + match self {
                Answer::Registered { observed, .. } => 4 + address_len(*observed),
                Answer::Attended | Answer::Absent => 0,
                Answer::Found { statement, attended } => {
                    statement.wire_len() + 1 + attended.as_ref().map_or(0, Repr::wire_len)
                }
                Answer::Introduced(introduced) => introduced.wire_len(),
                Answer::Denied(_) => 1 + 1 + 8,
            }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let kind = match self {
            Answer::Registered { .. } => REGISTERED,
            Answer::Attended => ATTENDED,
            Answer::Found { .. } => FOUND,
            Answer::Absent => ABSENT,
            Answer::Introduced(_) => INTRODUCED,
            Answer::Denied(_) => DENIED,
        };
        framed::emit_head(writer, kind, self.wire_len() - HEAD_LEN)?;
        match self {
            Answer::Registered { lease_s, observed } => {
                writer.u32(*lease_s)?;
                emit_address(writer, *observed)
            }
            Answer::Attended | Answer::Absent => Ok(()),
            Answer::Found { statement, attended } => {
                statement.emit(writer)?;
                emit_optional(writer, attended.as_ref())
            }
            Answer::Introduced(introduced) => introduced.emit(writer),
            Answer::Denied(denied) => {
                let Order { rank, number } = denied.order();
                writer.u8(denied.code())?;
                writer.u8(rank)?;
                writer.u64(number)
            }
        }
    }
}

#[cfg(test)]
mod tests;
