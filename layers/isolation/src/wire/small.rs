//! The small answers: COOKIE, VERSION, WRONG_KEY.

use tng_base::{ChannelId, Eid};
use tng_crypto::SIGNATURE_LEN;
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::{Cookie, Family, VERSIONS_MAX};

pub(super) const COOKIE: u8 = 0x03;
pub(super) const VERSION: u8 = 0x04;
/// A WRONG_KEY, the last of what answers an INIT, by the low bits of its first byte (see [`Family::first_byte`]).
pub const WRONG_KEY: u8 = 0x05;

/// Bytes of the MAC of a COOKIE, or a VERSION.
pub const ANSWER_MAC_LEN: usize = 16;

/// Most bytes of a small answer: a WRONG_KEY.
pub const SMALL_LEN_MAX: usize = 1 + ChannelId::LEN + 32 + SIGNATURE_LEN;

/// COOKIE: send the INIT again with this in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CookieAnswer {
    /// What the INIT is to set up.
    pub family: Family,
    /// The initiator's name for the channel.
    pub initiator_id: ChannelId,
    /// The proof of address.
    pub cookie: Cookie,
    /// Shows that its sender has seen the INIT, and knows whom it calls.
    pub mac: [u8; ANSWER_MAC_LEN],
}

impl Repr<'_> for CookieAnswer {
    fn parse(reader: &mut Reader<'_>) -> Result<CookieAnswer, Malformed> {
        let family = Family::parse(reader, COOKIE)?;
        let initiator_id = ChannelId::from_bytes(reader.array()?);
        let cookie = Cookie(reader.array()?);
        if cookie == Cookie::NONE {
            return Err(Malformed);
        }
        Ok(CookieAnswer { family, initiator_id, cookie, mac: reader.array()? })
    }

    fn wire_len(&self) -> usize {
        1 + ChannelId::LEN + Cookie::LEN + ANSWER_MAC_LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.family.first_byte(COOKIE))?;
        writer.bytes(&self.initiator_id.to_bytes())?;
        writer.bytes(&self.cookie.0)?;
        writer.bytes(&self.mac)
    }
}

/// VERSION: the responder speaks none but these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VersionAnswer {
    /// What the INIT is to set up.
    pub family: Family,
    /// The initiator's name for the channel.
    pub initiator_id: ChannelId,
    /// What the responder speaks, at most [`VERSIONS_MAX`].
    pub versions: Vec<u16>,
    /// As that of a [`CookieAnswer`].
    pub mac: [u8; ANSWER_MAC_LEN],
}

impl Repr<'_> for VersionAnswer {
    fn parse(reader: &mut Reader<'_>) -> Result<VersionAnswer, Malformed> {
        let family = Family::parse(reader, VERSION)?;
        let initiator_id = ChannelId::from_bytes(reader.array()?);
        let count = usize::from(reader.u8()?);
        if count > VERSIONS_MAX {
            return Err(Malformed);
        }
        let versions = (0..count).map(|_| reader.u16()).collect::<Result<_, _>>()?;
        Ok(VersionAnswer { family, initiator_id, versions, mac: reader.array()? })
    }

    fn wire_len(&self) -> usize {
        1 + ChannelId::LEN + 1 + 2 * self.versions.len() + ANSWER_MAC_LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.family.first_byte(VERSION))?;
        writer.bytes(&self.initiator_id.to_bytes())?;
        writer.u8(self.versions.len() as u8)?;
        self.versions.iter().try_for_each(|version| writer.u16(*version))?;
        writer.bytes(&self.mac)
    }
}

/// WRONG_KEY: somebody else lives here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongKey {
    /// What the INIT is to set up.
    pub family: Family,
    /// The initiator's name for the channel.
    pub initiator_id: ChannelId,
    /// Who lives here.
    pub eid: Eid,
    /// By that key, over the INIT.
    pub signature: [u8; SIGNATURE_LEN],
}

impl Repr<'_> for WrongKey {
    fn parse(reader: &mut Reader<'_>) -> Result<WrongKey, Malformed> {
        let family = Family::parse(reader, WRONG_KEY)?;
        Ok(WrongKey {
            family,
            initiator_id: ChannelId::from_bytes(reader.array()?),
            eid: Eid::from_bytes(reader.array()?),
            signature: reader.array()?,
        })
    }

    fn wire_len(&self) -> usize {
        SMALL_LEN_MAX
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.family.first_byte(WRONG_KEY))?;
        writer.bytes(&self.initiator_id.to_bytes())?;
        writer.bytes(self.eid.as_bytes())?;
        writer.bytes(&self.signature)
    }
}
