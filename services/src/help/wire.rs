//! The bytes of the help service.

use core::fmt;

use tng_base::PeerText;
use tng_crypto::equal;
use tng_stack::{CAPABILITY_LEN_MAX, Capability, CapabilityKey, HOP_KEY_LEN};
use tng_wire::{Full, Malformed, Reader, Repr, Writer, prefixed_len};

use super::{BODY_MAX, CONTROLLER_NAME_MAX, CONTROLLERS_MAX, HEAD_LEN, TOKEN_MAX, Token};
use crate::framed;

const ASK: u8 = 0x01;
const GRANTED: u8 = 0x10;
const DENIED: u8 = 0x3f;

/// The flag of terms with tunnels.
const TUNNELS: u8 = 1;

/// What a client wants of a helper, once per stream. The bytes hold its token: the code that wrote or read them wipes
/// them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ask {
    /// For how long, in seconds; 0: for as long as the helper gives.
    pub life_s: u32,
    /// For how many flows at once; 0: for as many as the helper gives.
    pub flows: u16,
    /// Whether tunnels shall end there.
    pub tunnels: bool,
    /// What shows that it is a client, where its EID alone does not.
    pub token: Option<Token>,
}

/// What the helper answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A capability, and what it is good for.
    Granted(Terms),
    /// None.
    Denied(Denied),
}

/// What a helper does for the holder of a capability, and the capability. The bytes hold its key: the code that wrote
/// or read them wipes them.
#[derive(Clone)]
pub struct Terms {
    /// The capability ends so many seconds from now; at least 1.
    pub life_s: u32,
    /// Flows at once, at least 1.
    pub flows_max: u16,
    /// Whether tunnels may end there.
    pub tunnels: bool,
    /// Bytes in a second that are passed on for this client, all its flows together; 0: no bound.
    pub rate_max: u64,
    /// Bytes that wait there for this client; 0: no bound of its own.
    pub held_max: u64,
    /// The controllers that an order may ask for; at most [`CONTROLLERS_MAX`], with names of 1 to
    /// [`CONTROLLER_NAME_MAX`] bytes.
    pub controllers: Vec<PeerText>,
    /// The longest queue time that an order may ask for, in milliseconds; 0: it may ask for none.
    pub queue_time_max_ms: u16,
    /// What the capability's holder shows; at least a byte, at most [`CAPABILITY_LEN_MAX`].
    pub shown: Vec<u8>,
    /// The capability's key.
    pub key: CapabilityKey,
}

/// Why a helper gives somebody no capability.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Denied {
    /// Its EID is not listed, and it showed no token.
    #[error(
        "the helper does not know this host and was shown no token; have its operator list the EID or give a token"
    )]
    NotAClient,
    /// The token is none of the helper's.
    #[error("the helper does not know the token; it was mistyped or withdrawn: ask its operator for another")]
    WrongToken,
    /// The helper is about to end, and takes nobody new.
    #[error("the helper is about to end; use another, or ask again once it is back")]
    Draining,
    /// It has asked too often.
    #[error("the helper was asked too often; use the capability at hand, and ask again in a minute")]
    TooOften,
    /// The helper can give none now, or for a reason that this version does not know.
    #[error("the helper gives out no capability now; try again later, or use another")]
    Unavailable,
}

impl Denied {
    const fn code(self) -> u8 {
        match self {
            Denied::NotAClient => 1,
            Denied::WrongToken => 2,
            Denied::Draining => 3,
            Denied::TooOften => 4,
            Denied::Unavailable => 0,
        }
    }

    const fn of_code(code: u8) -> Denied {
        match code {
            1 => Denied::NotAClient,
            2 => Denied::WrongToken,
            3 => Denied::Draining,
            4 => Denied::TooOften,
            _ => Denied::Unavailable,
        }
    }
}

impl Terms {
    /// The capability, as the flow layer takes it.
    pub fn capability(&self) -> Capability {
        Capability { shown: self.shown.clone(), key: self.key.clone() }
    }
}

impl PartialEq for Terms {
    fn eq(&self, other: &Terms) -> bool {
        let public = |terms: &Terms| {
            (
                (terms.life_s, terms.flows_max, terms.tunnels),
                (terms.rate_max, terms.held_max, terms.queue_time_max_ms),
                (terms.controllers.clone(), terms.shown.clone()),
            )
        };
        public(self) == public(other) && equal(self.key.expose(), other.key.expose())
    }
}

impl Eq for Terms {}

impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terms")
            .field("life_s", &self.life_s)
            .field("flows_max", &self.flows_max)
            .field("tunnels", &self.tunnels)
            .field("rate_max", &self.rate_max)
            .field("held_max", &self.held_max)
            .field("controllers", &self.controllers)
            .field("queue_time_max_ms", &self.queue_time_max_ms)
            .finish_non_exhaustive()
    }
}

/// The length of the body that follows a message's first [`HEAD_LEN`] bytes.
///
/// # Errors
/// If it is above [`BODY_MAX`].
pub fn body_len(head: [u8; HEAD_LEN]) -> Result<usize, Malformed> {
    framed::body_len(head, BODY_MAX)
}

fn tunnels(reader: &mut Reader<'_>) -> Result<bool, Malformed> {
    match reader.u8()? {
        0 => Ok(false),
        TUNNELS => Ok(true),
        _ => Err(Malformed),
    }
}

/// Reads a value that 0 would make useless.
fn some<T: Default + PartialEq>(value: T) -> Result<T, Malformed> {
    if value == T::default() { Err(Malformed) } else { Ok(value) }
}

impl Repr<'_> for Ask {
    fn parse(reader: &mut Reader<'_>) -> Result<Ask, Malformed> {
        framed::parse(reader, BODY_MAX, |kind, body| {
            if kind != ASK {
                return Err(Malformed);
            }
            let (life_s, flows, tunnels) = (body.u32()?, body.u16()?, tunnels(body)?);
            let token = Some(body.prefixed(TOKEN_MAX)?).filter(|bytes| !bytes.is_empty());
            let token = token.map(Token::new).transpose().map_err(|_| Malformed)?;
            Ok(Ask { life_s, flows, tunnels, token })
        })
    }

    fn wire_len(&self) -> usize {
        HEAD_LEN + 4 + 2 + 1 + prefixed_len(self.token.as_ref().map_or(0, |token| token.expose().len()))
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        framed::emit_head(writer, ASK, self.wire_len() - HEAD_LEN)?;
        writer.u32(self.life_s)?;
        writer.u16(self.flows)?;
        writer.u8(if self.tunnels { TUNNELS } else { 0 })?;
        writer.prefixed(self.token.as_ref().map_or(&[], |token| token.expose()))
    }
}

impl Repr<'_> for Terms {
    fn parse(body: &mut Reader<'_>) -> Result<Terms, Malformed> {
        let (life_s, flows_max, tunnels) = (some(body.u32()?)?, some(body.u16()?)?, tunnels(body)?);
        let (rate_max, held_max, queue_time_max_ms) = (body.u64()?, body.u64()?, body.u16()?);
        let count = usize::from(body.u8()?);
        if count > CONTROLLERS_MAX {
            return Err(Malformed);
        }
        let name = |_| some(body.text(CONTROLLER_NAME_MAX)?.owned());
        let controllers = (0..count).map(name).collect::<Result<_, Malformed>>()?;
        let shown = some(body.prefixed(CAPABILITY_LEN_MAX)?.to_vec())?;
        let key = CapabilityKey::from_bytes(body.array()?);
        Ok(Terms { life_s, flows_max, tunnels, rate_max, held_max, controllers, queue_time_max_ms, shown, key })
    }

    fn wire_len(&self) -> usize {
        let names: usize = self.controllers.iter().map(|name| prefixed_len(name.len())).sum();
        4 + 2 + 1 + 8 + 8 + 2 + 1 + names + prefixed_len(self.shown.len()) + HOP_KEY_LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u32(self.life_s)?;
        writer.u16(self.flows_max)?;
        writer.u8(if self.tunnels { TUNNELS } else { 0 })?;
        writer.u64(self.rate_max)?;
        writer.u64(self.held_max)?;
        writer.u16(self.queue_time_max_ms)?;
        writer.u8(u8::try_from(self.controllers.len()).map_err(|_| Full)?)?;
        for name in &self.controllers {
            writer.prefixed(name.exact().as_bytes())?;
        }
        writer.prefixed(&self.shown)?;
        writer.bytes(self.key.expose())
    }
}

impl Repr<'_> for Answer {
    fn parse(reader: &mut Reader<'_>) -> Result<Answer, Malformed> {
        framed::parse(reader, BODY_MAX, |kind, body| match kind {
            GRANTED => Ok(Answer::Granted(Terms::parse(body)?)),
            DENIED => Ok(Answer::Denied(Denied::of_code(body.u8()?))),
            _ => Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        HEAD_LEN
            + match self {
                Answer::Granted(terms) => terms.wire_len(),
                Answer::Denied(_) => 1,
            }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let len = self.wire_len() - HEAD_LEN;
        match self {
            Answer::Granted(terms) => {
                framed::emit_head(writer, GRANTED, len)?;
                terms.emit(writer)
            }
            Answer::Denied(denied) => {
                framed::emit_head(writer, DENIED, len)?;
                writer.u8(denied.code())
            }
        }
    }
}

#[cfg(test)]
mod tests;
