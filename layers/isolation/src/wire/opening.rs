//! The Opening: payload of Noise message 1.

use core::fmt;

use tng_base::{ChannelId, Eid};
use tng_wire::{Full, Malformed, Reader, Repr, VARINT_MAX, Writer};

use super::items::{
    GREASE_LEN_MAX, Items, item_len, kind, lists_len, nested_len, optional_len, payload_room, write_item, write_lists,
    write_nested, write_optional,
};
use super::{
    Attach, CAPABILITY_LEN_MAX, CIPHERS_MAX, Cipher, Limits, TransportOffer, VERSIONS_MAX, opening_len, terms,
};
use tng_channel::wire::RESET_TOKEN_LEN;

use crate::reset::ResetToken;

/// Message 1's payload: what the initiator is, offers and wants. Printed without what it shows to be let in.
#[derive(Clone, PartialEq, Eq)]
pub struct Opening {
    /// The initiator.
    pub eid: Eid,
    /// The initiator's name for the channel: in packets to it.
    pub channel: ChannelId,
    /// Versions that it speaks, preferred first.
    pub versions: Vec<u16>,
    /// Ciphers that it accepts, preferred first.
    pub ciphers: Vec<Cipher>,
    /// Extensions that it understands.
    pub extensions: Vec<u64>,
    /// The helpers on the path as it sees it, in order; empty when direct.
    pub path: Vec<Eid>,
    /// Of the section between the last helper and the responder; absent when direct.
    pub hop_key: Option<HopKeyBytes>,
    /// What it asks the responder to keep to.
    pub limits: Limits,
    /// Reset token of its channel id, if it can reset statelessly.
    pub reset_token: Option<ResetToken>,
    /// What it shows to be let in.
    pub capability: Option<Vec<u8>>,
    /// The semantic protocol.
    pub protocol: String,
    /// For that protocol.
    pub set_up: Option<Vec<u8>>,
    /// Transports that it would rather speak.
    pub transports: Option<TransportOffer>,
    /// Whose streams it is to carry, if not new ones.
    pub attach: Option<Attach>,
    /// The content of packet number 0.
    pub payload: Option<Vec<u8>>,
}

/// A hop key, as bytes to make a section with: wiped when dropped.
pub type HopKeyBytes = tng_crypto::Zeroizing<[u8; HOP_KEY_LEN]>;

/// Bytes of a hop key.
pub const HOP_KEY_LEN: usize = 16;

impl fmt::Debug for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opening")
            .field("eid", &self.eid)
            .field("channel", &self.channel)
            .field("ciphers", &self.ciphers)
            .field("path", &self.path)
            .field("protocol", &self.protocol)
            .finish_non_exhaustive()
    }
}

impl Opening {
    /// Most bytes that [`payload`](Opening::payload) may have beside everything else here, in an INIT of `init_len`.
    pub fn payload_room(&self, init_len: usize) -> usize {
        let rest = self.wire_len() - optional_len(kind::PAYLOAD, self.payload.as_ref());
        payload_room(opening_len(init_len).saturating_sub(GREASE_LEN_MAX + rest))
    }

    /// Whether every part keeps within its bounds.
    ///
    /// # Errors
    /// If one does not.
    pub(crate) fn check(&self) -> Result<(), Malformed> {
        terms::check(&self.extensions, &self.path, &self.limits, &self.protocol, self.set_up.as_ref())?;
        let possible = self.versions.len() <= VERSIONS_MAX
            && self.ciphers.len() <= CIPHERS_MAX
            && self.hop_key.is_some() != self.path.is_empty()
            && self.attach.is_none_or(|attach| attach.count <= VARINT_MAX)
            && self.transports.as_ref().is_none_or(|offer| self.attach.is_none() && offer.check().is_ok())
            && self.capability.as_ref().is_none_or(|capability| capability.len() <= CAPABILITY_LEN_MAX);
        if possible { Ok(()) } else { Err(Malformed) }
    }
}

impl Repr<'_> for Opening {
    fn parse(reader: &mut Reader<'_>) -> Result<Opening, Malformed> {
        let mut items = Items::parse(reader)?;
        let opening = Opening {
            eid: items.array(kind::EID)?.map(Eid::from_bytes).ok_or(Malformed)?,
            channel: items.channel()?,
            versions: items.versions()?,
            ciphers: items.ciphers()?,
            extensions: items.extensions()?,
            path: items.path()?,
            hop_key: items.array(kind::HOP_KEY)?.map(tng_crypto::Zeroizing::new),
            limits: items.limits()?,
            reset_token: items.array(kind::RESET_TOKEN)?.map(ResetToken::from_bytes),
            capability: items.bytes(kind::CAPABILITY),
            protocol: items.protocol()?,
            set_up: items.bytes(kind::SET_UP),
            transports: items.nested(kind::TRANSPORTS)?,
            attach: items.nested(kind::ATTACH)?,
            payload: items.bytes(kind::PAYLOAD),
        };
        items.finish()?;
        opening.check()?;
        Ok(opening)
    }

    fn wire_len(&self) -> usize {
        item_len(kind::EID, 32)
            + item_len(kind::CHANNEL, ChannelId::LEN)
            + lists_len(self.versions.len(), self.ciphers.len(), &self.extensions, &self.path)
            + self.hop_key.as_ref().map_or(0, |_| item_len(kind::HOP_KEY, HOP_KEY_LEN))
            + item_len(kind::LIMITS, self.limits.len())
            + self.reset_token.map_or(0, |_| item_len(kind::RESET_TOKEN, RESET_TOKEN_LEN))
            + optional_len(kind::CAPABILITY, self.capability.as_ref())
            + item_len(kind::PROTOCOL, self.protocol.len())
            + optional_len(kind::SET_UP, self.set_up.as_ref())
            + nested_len(kind::TRANSPORTS, self.transports.as_ref())
            + nested_len(kind::ATTACH, self.attach.as_ref())
            + optional_len(kind::PAYLOAD, self.payload.as_ref())
            + item_len(kind::END, 0)
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        write_item(writer, kind::EID, self.eid.as_bytes())?;
        write_lists(writer, &self.versions, &self.ciphers, &self.extensions, &self.path)?;
        write_optional(writer, kind::HOP_KEY, self.hop_key.as_ref().map(|key| key.as_slice()))?;
        self.limits.write(writer)?;
        write_optional(writer, kind::RESET_TOKEN, self.reset_token.as_ref().map(|token| token.as_bytes().as_slice()))?;
        write_optional(writer, kind::CAPABILITY, self.capability.as_deref())?;
        write_item(writer, kind::PROTOCOL, self.protocol.as_bytes())?;
        write_optional(writer, kind::SET_UP, self.set_up.as_deref())?;
        write_nested(writer, kind::TRANSPORTS, self.transports.as_ref())?;
        write_nested(writer, kind::ATTACH, self.attach.as_ref())?;
        write_optional(writer, kind::PAYLOAD, self.payload.as_deref())?;
        write_item(writer, kind::CHANNEL, &self.channel.to_bytes())?;
        write_item(writer, kind::END, &[])
    }
}
