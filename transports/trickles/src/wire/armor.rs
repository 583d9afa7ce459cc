//! Whether requests and responses are sealed.

use tng_wire::{Full, Malformed, Reader, Writer};

use super::{PLAIN_REQUEST, PLAIN_RESPONSE, REQUEST, RESPONSE};
use crate::seal_len::{BLAKE3_TAG_LEN, TAG_LEN};

/// Whether requests and responses, and the continuations in them, are sealed.
///
/// "Cryptographic operations such as nonce and MAC generation may be omitted to significantly reduce computational
/// overhead if such devices are connected to a secure network" (Trickles 6.1). Without seals an attacker that can write
/// on the wire, and each client, writes continuations of its own: windows, places and what came are what a client says.
/// Only what an application seals is sealed still. Both ends are told so, or have no connection: nothing is chosen on
/// the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Armor {
    /// AES-128-GCM around each datagram, a MAC on each continuation, a nonce in each packet.
    #[default]
    Sealed,
    /// None of that.
    Plain,
}

impl Armor {
    /// That of who was told to leave seals out, or was not.
    pub const fn of(danger_plain: bool) -> Armor {
        if danger_plain { Armor::Plain } else { Armor::Sealed }
    }

    /// Whether it is none.
    pub const fn is_plain(self) -> bool {
        matches!(self, Armor::Plain)
    }

    /// The first byte of a request.
    pub const fn request(self) -> u8 {
        if self.is_plain() { PLAIN_REQUEST } else { REQUEST }
    }

    /// The first byte of a response.
    pub const fn response(self) -> u8 {
        if self.is_plain() { PLAIN_RESPONSE } else { RESPONSE }
    }

    /// Bytes of the seal of a datagram.
    pub const fn tag_len(self) -> usize {
        if self.is_plain() { 0 } else { TAG_LEN }
    }

    /// Bytes of a nonce or of nonces folded, and of the seal of a continuation.
    pub(crate) const fn proof_len(self) -> usize {
        if self.is_plain() { 0 } else { size_of::<u64>() + BLAKE3_TAG_LEN }
    }

    /// Reads the seal of a continuation: zeros where there is none.
    pub(crate) fn read_seal(self, reader: &mut Reader<'_>) -> Result<[u8; BLAKE3_TAG_LEN], Malformed> {
        if self.is_plain() { Ok([0; BLAKE3_TAG_LEN]) } else { reader.array() }
    }

    pub(crate) fn write_seal(self, seal: &[u8; BLAKE3_TAG_LEN], writer: &mut Writer<'_>) -> Result<(), Full> {
        if self.is_plain() { Ok(()) } else { writer.bytes(seal) }
    }

    /// Reads a nonce, or nonces folded: zero where there is none.
    pub(crate) fn read_nonce(self, reader: &mut Reader<'_>) -> Result<u64, Malformed> {
        if self.is_plain() { Ok(0) } else { reader.u64() }
    }

    pub(crate) fn write_nonce(self, nonce: u64, writer: &mut Writer<'_>) -> Result<(), Full> {
        if self.is_plain() { Ok(()) } else { writer.u64(nonce) }
    }
}
