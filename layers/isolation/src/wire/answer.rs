//! The Answer: payload of Noise message 2.

use tng_base::{ChannelId, Eid, PeerText};
use tng_wire::{Full, Malformed, Reader, Repr, VARINT_MAX, Writer, varint_len};

use super::items::{
    GREASE_LEN_MAX, Items, item_len, kind, lists_len, nested_len, optional_len, payload_room, write_item, write_lists,
    write_nested, write_optional,
};
use super::{ANSWER_LEN_MAX, Cipher, Limits, REASON_LEN_MAX, RefusalCode, TransportAnswer, terms};
use tng_channel::wire::RESET_TOKEN_LEN;

use crate::reset::ResetToken;

/// Message 2's payload when the channel comes into being: what was chosen, and what the responder is and wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Acceptance {
    /// The responder's name for the channel: in packets to it.
    pub channel: ChannelId,
    /// The version chosen.
    pub version: u16,
    /// The cipher chosen.
    pub cipher: Cipher,
    /// The extensions that both understand.
    pub extensions: Vec<u64>,
    /// The path as the responder sees it: equal.
    pub path: Vec<Eid>,
    /// What the responder asks the initiator to keep to.
    pub limits: Limits,
    /// Reset token of its channel id.
    pub reset_token: ResetToken,
    /// The semantic protocol: equal.
    pub protocol: String,
    /// For that protocol.
    pub set_up: Option<Vec<u8>>,
    /// What it says to the transports that were offered.
    pub transport: Option<TransportAnswer>,
    /// The content of its packet number 0.
    pub payload: Option<Vec<u8>>,
    /// Whether the initiator's packet number 0 was taken.
    pub taken: bool,
}

/// The responder refuses: no channel comes into being.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Why.
    pub code: RefusalCode,
    /// For people, at most 255 bytes.
    pub reason: PeerText,
}

/// Message 2's payload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The channel comes into being.
    Accepted(Acceptance),
    /// It does not.
    Refused(Refusal),
}

impl Acceptance {
    /// Most bytes that [`payload`](Acceptance::payload) may have beside everything else here.
    pub fn payload_room(&self) -> usize {
        let rest = self.len() - optional_len(kind::PAYLOAD, self.payload.as_ref());
        payload_room(ANSWER_LEN_MAX.saturating_sub(GREASE_LEN_MAX + rest))
    }

    fn check(&self) -> Result<(), Malformed> {
        terms::check(&self.extensions, &self.path, &self.limits, &self.protocol, self.set_up.as_ref())
    }

    fn parse(mut items: Items<'_>) -> Result<Acceptance, Malformed> {
        let (&[version], &[cipher]) = (&items.versions()?[..], &items.ciphers()?[..]) else {
            return Err(Malformed);
        };
        let acceptance = Acceptance {
            channel: items.channel()?,
            version,
            cipher,
            extensions: items.extensions()?,
            path: items.path()?,
            limits: items.limits()?,
            reset_token: items.array(kind::RESET_TOKEN)?.map(ResetToken::from_bytes).ok_or(Malformed)?,
            protocol: items.protocol()?,
            set_up: items.bytes(kind::SET_UP),
            transport: items.nested(kind::TRANSPORTS)?,
            payload: items.bytes(kind::PAYLOAD),
            taken: items.array::<0>(kind::TAKEN)?.is_some(),
        };
        items.finish()?;
        acceptance.check()?;
        Ok(acceptance)
    }

    fn len(&self) -> usize {
        lists_len(1, 1, &self.extensions, &self.path)
            + item_len(kind::CHANNEL, ChannelId::LEN)
            + item_len(kind::LIMITS, self.limits.len())
            + item_len(kind::RESET_TOKEN, RESET_TOKEN_LEN)
            + item_len(kind::PROTOCOL, self.protocol.len())
            + optional_len(kind::SET_UP, self.set_up.as_ref())
            + nested_len(kind::TRANSPORTS, self.transport.as_ref())
            + optional_len(kind::PAYLOAD, self.payload.as_ref())
            + if self.taken { item_len(kind::TAKEN, 0) } else { 0 }
            + item_len(kind::END, 0)
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        write_lists(writer, &[self.version], &[self.cipher], &self.extensions, &self.path)?;
        self.limits.write(writer)?;
        write_item(writer, kind::RESET_TOKEN, self.reset_token.as_bytes())?;
        write_item(writer, kind::PROTOCOL, self.protocol.as_bytes())?;
        write_optional(writer, kind::SET_UP, self.set_up.as_deref())?;
        write_nested(writer, kind::TRANSPORTS, self.transport.as_ref())?;
        write_optional(writer, kind::PAYLOAD, self.payload.as_deref())?;
        write_optional(writer, kind::TAKEN, self.taken.then_some(&[]))?;
        write_item(writer, kind::CHANNEL, &self.channel.to_bytes())?;
        write_item(writer, kind::END, &[])
    }
}

impl Refusal {
    fn check(&self) -> Result<(), Malformed> {
        let possible = self.reason.len() <= REASON_LEN_MAX && self.code.code() <= VARINT_MAX;
        if possible { Ok(()) } else { Err(Malformed) }
    }

    fn parse(value: &[u8]) -> Result<Refusal, Malformed> {
        let mut reader = Reader::new(value);
        let refusal =
            Refusal { code: RefusalCode::from_code(reader.varint()?), reason: reader.text(REASON_LEN_MAX)?.owned() };
        if reader.is_empty() { Ok(refusal) } else { Err(Malformed) }
    }

    fn len(&self) -> usize {
        varint_len(self.code.code()) + varint_len(self.reason.len() as u64) + self.reason.len()
    }
}

impl Answer {
    /// Whether every part keeps within its bounds.
    ///
    /// # Errors
    /// If one does not.
    pub(crate) fn check(&self) -> Result<(), Malformed> {
        match self {
            Answer::Accepted(acceptance) => acceptance.check(),
            Answer::Refused(refusal) => refusal.check(),
        }
    }
}

impl Repr<'_> for Answer {
    fn parse(reader: &mut Reader<'_>) -> Result<Answer, Malformed> {
        let mut items = Items::parse(reader)?;
        match items.take(kind::REFUSAL) {
            None => Acceptance::parse(items).map(Answer::Accepted),
            Some(value) => {
                items.finish()?;
                Refusal::parse(value).map(Answer::Refused)
            }
        }
    }

    fn wire_len(&self) -> usize {
        match self {
            Answer::Accepted(acceptance) => acceptance.len(),
            Answer::Refused(refusal) => item_len(kind::REFUSAL, refusal.len()) + item_len(kind::END, 0),
        }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match self {
            Answer::Accepted(acceptance) => acceptance.write(writer),
            Answer::Refused(refusal) => {
                writer.varint(kind::REFUSAL)?;
                writer.varint(refusal.len() as u64)?;
                writer.varint(refusal.code.code())?;
                writer.prefixed(refusal.reason.exact().as_bytes())?;
                write_item(writer, kind::END, &[])
            }
        }
    }
}
