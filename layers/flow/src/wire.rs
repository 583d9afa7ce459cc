//! The bytes that set a section up (`docs/wire.md` section 2.8).

use core::fmt;
use core::net::{IpAddr, SocketAddr};

use tng_base::ChannelId;
use tng_crypto::{NONCE_LEN, TAG_LEN};
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use crate::{HOP_KEY_LEN, HopKey, Wishes};

/// First byte of a JOIN.
pub const JOIN: u8 = 0x07;
/// First byte of a JOINED.
pub const JOINED: u8 = 0x08;
/// First byte of an ANSWERED.
pub const ANSWERED: u8 = 0x09;
/// First byte of a DECLINED.
pub const DECLINED: u8 = 0x0a;
/// First byte of what a JOIN carries for a helper.
pub const ORDER: u8 = 0x0b;

/// What a JOIN carries for the helper at the other end of a tunnel, all of it.
pub const TUNNEL: u8 = 0x0c;

/// First byte of an OFFER.
pub const OFFER: u8 = 0x0d;

/// Version of these messages.
pub const VERSION: u16 = 1;

/// Bytes of a JOIN before what it carries.
pub const JOIN_HEADER_LEN: usize = 1 + 2 + ChannelId::LEN + NONCE_LEN + Greeting::LEN + TAG_LEN;
/// Bytes of a JOINED before what it carries.
pub const JOINED_HEADER_LEN: usize = 1 + ChannelId::LEN + NONCE_LEN + Greeting::LEN + TAG_LEN;
/// Most bytes of a capability.
pub const CAPABILITY_LEN_MAX: usize = 64;
/// A host that cannot pass on end-to-end packets of so many bytes cannot help: every section carries more.
pub const CARRIED_MIN: u16 = 1_024;

/// Asks a neighbour for a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Join<'a> {
    /// The version that its sender speaks.
    pub version: u16,
    /// Its sender's name for the section.
    pub sender: ChannelId,
    /// Of the greeting.
    pub nonce: [u8; NONCE_LEN],
    /// Sealed under the section's hop key.
    pub greeting: &'a [u8],
    /// An order, or an INIT.
    pub onward: &'a [u8],
}

/// Grants a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Joined<'a> {
    /// Its receiver's name for the section.
    pub receiver: ChannelId,
    /// Of the greeting.
    pub nonce: [u8; NONCE_LEN],
    /// Sealed under the section's hop key, with the rest of the message as associated data.
    pub greeting: &'a [u8],
    /// The REPLY.
    pub reply: &'a [u8],
}

/// What one neighbour tells the other of itself, under seal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Greeting {
    /// Its name for the section; in a JOIN the same as in clear.
    pub id: ChannelId,
    /// Of that name.
    pub reset_token: [u8; 16],
    /// The largest end-to-end packet that it, and everybody beyond it that has been asked, can pass on.
    pub payload_max: u16,
    /// For how long packets may be late because lost ones are repaired on the way, in milliseconds.
    pub repair_ms: u16,
}

impl fmt::Debug for Greeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Greeting")
            .field("id", &self.id)
            .field("payload_max", &self.payload_max)
            .field("repair_ms", &self.repair_ms)
            .finish_non_exhaustive()
    }
}

impl Greeting {
    /// Bytes, unsealed.
    pub const LEN: usize = ChannelId::LEN + 16 + 2 + 2;
}

/// Passes on a small answer of a host that was asked and has no section with its sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answered<'a> {
    /// Its receiver's name for the section.
    pub receiver: ChannelId,
    /// The answer, as in section 2.4.
    pub answer: &'a [u8],
}

/// Why a helper does not help.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The capability is not one of its own.
    #[error("the helper does not know the capability; ask it for one")]
    UnknownCapability,
    /// The capability's time is over.
    #[error("the capability has expired; ask the helper for another")]
    Expired,
    /// Its holder has as many flows as the capability is good for.
    #[error("the capability is good for no more flows at once; close some, or ask for a larger one")]
    TooMany,
    /// The next address is none that it passes flows on to.
    #[error("the helper passes nothing on to that address; its operator decides where to")]
    Forbidden,
    /// It has no room.
    #[error("the helper has no room for another flow; try another, or later")]
    Overloaded,
    /// The path leads back to where it came from.
    #[error("the path names a helper twice, or leads back to it; leave it out once")]
    Loop,
    /// It speaks another version.
    #[error("the helper speaks another version; update the older one of the two")]
    Version,
    /// The order is not what the capability's holder would have written.
    #[error("the helper cannot read its order; it was damaged, or written by somebody without the capability's key")]
    Malformed,
    /// It is being shut down.
    #[error("the helper is being shut down; try another, or this one in a while")]
    Draining,
}

/// All of them, in the order of their codes, from 1.
const REFUSALS: [Refusal; 9] = [
    Refusal::UnknownCapability,
    Refusal::Expired,
    Refusal::TooMany,
    Refusal::Forbidden,
    Refusal::Overloaded,
    Refusal::Loop,
    Refusal::Version,
    Refusal::Malformed,
    Refusal::Draining,
];

/// A helper does not help.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declined {
    /// Its receiver's name for the section.
    pub receiver: ChannelId,
    /// Why.
    pub refusal: Refusal,
}

/// What a JOIN carries for a helper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order<'a> {
    /// As the helper gave it out.
    pub capability: &'a [u8],
    /// Of the instructions.
    pub nonce: [u8; NONCE_LEN],
    /// Sealed under the capability's key.
    pub instructions: &'a [u8],
}

/// What a helper is to do.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    /// Of the section that the order came by.
    pub near: HopKey,
    /// Of the one to set up.
    pub far: HopKey,
    /// With whom.
    pub next: SocketAddr,
    /// How to run the section that the order came by.
    pub wishes: Wishes<&'a str>,
    /// What the JOIN to them is to carry.
    pub onward: &'a [u8],
}

impl PartialEq for Instructions<'_> {
    fn eq(&self, other: &Self) -> bool {
        let key = |key: &HopKey| *key.expose();
        key(&self.near) == key(&other.near)
            && key(&self.far) == key(&other.far)
            && self.next == other.next
            && self.wishes == other.wishes
            && self.onward == other.onward
    }
}

fn kind(reader: &mut Reader<'_>, kind: u8) -> Result<(), Malformed> {
    if reader.u8()? == kind { Ok(()) } else { Err(Malformed) }
}

fn id(reader: &mut Reader<'_>) -> Result<ChannelId, Malformed> {
    reader.array().map(ChannelId::from_bytes)
}

impl<'a> Repr<'a> for Join<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Join<'a>, Malformed> {
        kind(reader, JOIN)?;
        Ok(Join {
            version: reader.u16()?,
            sender: id(reader)?,
            nonce: reader.array()?,
            greeting: reader.bytes(Greeting::LEN + TAG_LEN)?,
            onward: reader.rest(),
        })
    }

    fn wire_len(&self) -> usize {
        JOIN_HEADER_LEN + self.onward.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(JOIN)?;
        writer.u16(self.version)?;
        writer.bytes(&self.sender.to_bytes())?;
        writer.bytes(&self.nonce)?;
        writer.bytes(self.greeting)?;
        writer.bytes(self.onward)
    }
}

impl<'a> Repr<'a> for Joined<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Joined<'a>, Malformed> {
        kind(reader, JOINED)?;
        Ok(Joined {
            receiver: id(reader)?,
            nonce: reader.array()?,
            greeting: reader.bytes(Greeting::LEN + TAG_LEN)?,
            reply: reader.rest(),
        })
    }

    fn wire_len(&self) -> usize {
        JOINED_HEADER_LEN + self.reply.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(JOINED)?;
        writer.bytes(&self.receiver.to_bytes())?;
        writer.bytes(&self.nonce)?;
        writer.bytes(self.greeting)?;
        writer.bytes(self.reply)
    }
}

impl Repr<'_> for Greeting {
    fn parse(reader: &mut Reader<'_>) -> Result<Greeting, Malformed> {
        let greeting = Greeting {
            id: id(reader)?,
            reset_token: reader.array()?,
            payload_max: reader.u16()?,
            repair_ms: reader.u16()?,
        };
        if greeting.payload_max >= CARRIED_MIN { Ok(greeting) } else { Err(Malformed) }
    }

    fn wire_len(&self) -> usize {
        Greeting::LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(&self.id.to_bytes())?;
        writer.bytes(&self.reset_token)?;
        writer.u16(self.payload_max)?;
        writer.u16(self.repair_ms)
    }
}

impl<'a> Repr<'a> for Answered<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Answered<'a>, Malformed> {
        kind(reader, ANSWERED)?;
        Ok(Answered { receiver: id(reader)?, answer: reader.rest() })
    }

    fn wire_len(&self) -> usize {
        1 + ChannelId::LEN + self.answer.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(ANSWERED)?;
        writer.bytes(&self.receiver.to_bytes())?;
        writer.bytes(self.answer)
    }
}

impl Repr<'_> for Declined {
    fn parse(reader: &mut Reader<'_>) -> Result<Declined, Malformed> {
        kind(reader, DECLINED)?;
        let receiver = id(reader)?;
        let code = usize::from(reader.u8()?);
        let refusal = code.checked_sub(1).and_then(|at| REFUSALS.get(at)).ok_or(Malformed)?;
        Ok(Declined { receiver, refusal: *refusal })
    }

    fn wire_len(&self) -> usize {
        1 + ChannelId::LEN + 1
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(DECLINED)?;
        writer.bytes(&self.receiver.to_bytes())?;
        let at = REFUSALS.iter().position(|refusal| *refusal == self.refusal).unwrap_or_default();
        writer.u8(at as u8 + 1)
    }
}

impl<'a> Repr<'a> for Order<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Order<'a>, Malformed> {
        kind(reader, ORDER)?;
        let len = usize::from(reader.u8()?);
        if len > CAPABILITY_LEN_MAX {
            return Err(Malformed);
        }
        Ok(Order { capability: reader.bytes(len)?, nonce: reader.array()?, instructions: reader.rest() })
    }

    fn wire_len(&self) -> usize {
        2 + self.capability.len() + NONCE_LEN + self.instructions.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(ORDER)?;
        writer.u8(u8::try_from(self.capability.len()).map_err(|_| Full)?)?;
        writer.bytes(self.capability)?;
        writer.bytes(&self.nonce)?;
        writer.bytes(self.instructions)
    }
}

impl Instructions<'_> {
    /// Bytes beside what the JOIN is to carry.
    pub fn overhead(next: SocketAddr, wishes: Wishes<&str>) -> usize {
        2 * HOP_KEY_LEN + 1 + if next.is_ipv4() { 4 } else { 16 } + 2 + wishes.wire_len()
    }
}

impl<'a> Repr<'a> for Instructions<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Instructions<'a>, Malformed> {
        let (near, far) = (HopKey::from_bytes(reader.array()?), HopKey::from_bytes(reader.array()?));
        let ip: IpAddr = match reader.u8()? {
            4 => reader.array::<4>()?.into(),
            6 => reader.array::<16>()?.into(),
            _ => return Err(Malformed),
        };
        let next = SocketAddr::new(ip, reader.u16()?);
        Ok(Instructions { near, far, next, wishes: Wishes::parse(reader)?, onward: reader.rest() })
    }

    fn wire_len(&self) -> usize {
        Instructions::overhead(self.next, self.wishes) + self.onward.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(self.near.expose())?;
        writer.bytes(self.far.expose())?;
        match self.next.ip() {
            IpAddr::V4(ip) => {
                writer.u8(4)?;
                writer.bytes(&ip.octets())?;
            }
            IpAddr::V6(ip) => {
                writer.u8(6)?;
                writer.bytes(&ip.octets())?;
            }
        }
        writer.u16(self.next.port())?;
        self.wishes.emit(writer)?;
        writer.bytes(self.onward)
    }
}

#[cfg(test)]
mod tests;
