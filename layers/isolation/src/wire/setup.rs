//! INIT and REPLY: the flow part in clear, and a Noise message in it.

use tng_base::ChannelId;
use tng_crypto::noise::{MESSAGE_1_OVERHEAD, MESSAGE_2_OVERHEAD};
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::Family;

/// An INIT, by the low bits of its first byte (see [`Family::first_byte`]).
pub const INIT: u8 = 0x01;
/// A REPLY, likewise.
pub(super) const REPLY: u8 = 0x02;

/// Bytes of an INIT that goes direct, always: no answer to an unproven address is larger.
pub const INIT_LEN: usize = 1200;
/// Least bytes of an INIT: what helpers need to find their way takes the rest (`docs/wire.md` section 2.8).
pub const INIT_LEN_MIN: usize = 400;
/// Most bytes of a REPLY.
pub const REPLY_LEN_MAX: usize = 1200;

const VERSION_AT: usize = 1;
const ID_AT: usize = 3;
const COOKIE_AT: usize = 9;
pub(crate) const NOISE_AT: usize = COOKIE_AT + Cookie::LEN;
pub(crate) const MAC1_LEN: usize = 16;
const REPLY_HEADER_LEN: usize = 1 + 2 * ChannelId::LEN;

/// Bytes for the Opening in an INIT of `init_len`, its padding included.
pub const fn opening_len(init_len: usize) -> usize {
    init_len - MAC1_LEN - NOISE_AT - MESSAGE_1_OVERHEAD
}
/// Bytes for the Opening in an INIT that goes direct.
pub const OPENING_LEN: usize = opening_len(INIT_LEN);
/// Most bytes of an Answer in a REPLY.
pub const ANSWER_LEN_MAX: usize = REPLY_LEN_MAX - REPLY_HEADER_LEN - MESSAGE_2_OVERHEAD;

/// Proof of address: a host that sends it back receives at the address that it was sent to. Zero when none was asked
/// for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cookie(pub [u8; Cookie::LEN]);

impl Cookie {
    /// Bytes of a cookie.
    pub const LEN: usize = 32;
    /// No cookie.
    pub const NONE: Cookie = Cookie([0; Cookie::LEN]);
}

/// A received INIT, not yet believed. Nothing in it but its length was checked.
#[derive(Clone, Copy, Debug)]
pub struct Hello<'a> {
    family: Family,
    bytes: &'a [u8],
}

impl<'a> Hello<'a> {
    /// Sees an INIT of a family in a datagram, or in a JOIN.
    ///
    /// # Errors
    /// If its length or its first byte cannot be.
    pub fn parse(family: Family, datagram: &'a [u8]) -> Result<Hello<'a>, Malformed> {
        let possible = (INIT_LEN_MIN..=INIT_LEN).contains(&datagram.len()) && datagram[0] == family.first_byte(INIT);
        if possible { Ok(Hello { family, bytes: datagram }) } else { Err(Malformed) }
    }

    /// What it is to set up.
    pub const fn family(&self) -> Family {
        self.family
    }

    /// Whether it has the length of one that goes direct.
    pub const fn is_direct(&self) -> bool {
        self.bytes.len() == INIT_LEN
    }

    /// The version that the initiator speaks. If this host does not, it answers VERSION.
    pub fn version(&self) -> u16 {
        u16::from_be_bytes(self.array(VERSION_AT))
    }

    /// How answers are to name the channel.
    pub fn initiator_id(&self) -> ChannelId {
        ChannelId::from_bytes(self.array(ID_AT))
    }

    /// The cookie, if there is one.
    pub fn cookie(&self) -> Option<Cookie> {
        let cookie = Cookie(self.array(COOKIE_AT));
        (cookie != Cookie::NONE).then_some(cookie)
    }

    /// The initiator's ephemeral key: the same in all copies of one INIT, with or without cookie, and in no other.
    pub fn ephemeral(&self) -> [u8; 32] {
        self.array(NOISE_AT)
    }

    pub(crate) fn noise(&self) -> &'a [u8] {
        &self.bytes[NOISE_AT..self.mac1_at()]
    }

    /// All but the cookie and the first MAC.
    pub(crate) fn around_cookie(&self) -> [&'a [u8]; 2] {
        [&self.bytes[..COOKIE_AT], self.noise()]
    }

    pub(crate) fn before_mac1(&self) -> &'a [u8] {
        &self.bytes[..self.mac1_at()]
    }

    pub(crate) fn mac1(&self) -> [u8; MAC1_LEN] {
        self.array(self.mac1_at())
    }

    const fn mac1_at(&self) -> usize {
        self.bytes.len() - MAC1_LEN
    }

    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut out = [0; N];
        out.copy_from_slice(&self.bytes[at..at + N]);
        out
    }
}

/// Writes everything of an INIT but the Noise message and the MAC.
pub(crate) fn write_init_header(datagram: &mut [u8], family: Family, version: u16, id: ChannelId) {
    datagram[0] = family.first_byte(INIT);
    datagram[VERSION_AT..ID_AT].copy_from_slice(&version.to_be_bytes());
    datagram[ID_AT..COOKIE_AT].copy_from_slice(&id.to_bytes());
}

/// Writes the cookie of an INIT.
pub(crate) fn write_cookie(datagram: &mut [u8], cookie: Cookie) {
    datagram[COOKIE_AT..NOISE_AT].copy_from_slice(&cookie.0);
}

/// A received REPLY, or one to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reply<'a> {
    /// What it sets up.
    pub family: Family,
    /// The initiator's name for the channel.
    pub initiator_id: ChannelId,
    /// The responder's name for the channel.
    pub responder_id: ChannelId,
    /// Noise message 2.
    pub noise: &'a [u8],
}

impl<'a> Repr<'a> for Reply<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Reply<'a>, Malformed> {
        let family = Family::parse(reader, REPLY)?;
        if !(MESSAGE_2_OVERHEAD..=REPLY_LEN_MAX - 1).contains(&reader.left()) {
            return Err(Malformed);
        }
        let initiator_id = ChannelId::from_bytes(reader.array()?);
        let responder_id = ChannelId::from_bytes(reader.array()?);
        let noise = reader.rest();
        if noise.len() < MESSAGE_2_OVERHEAD {
            return Err(Malformed);
        }
        Ok(Reply { family, initiator_id, responder_id, noise })
    }

    fn wire_len(&self) -> usize {
        REPLY_HEADER_LEN + self.noise.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.family.first_byte(REPLY))?;
        writer.bytes(&self.initiator_id.to_bytes())?;
        writer.bytes(&self.responder_id.to_bytes())?;
        writer.bytes(self.noise)
    }
}
