//! What a REPLY brings from the server, beside its first packets.

use core::fmt;
use core::time::Duration;

use tng_base::Rng;
use tng_crypto::{BLAKE3_TAG_LEN, Zeroizing};
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::SALT_LEN;
use crate::{ClientNetwork, EPOCH, Keys, SKEW_MAX, Wall};

/// How long an address token is good, at most: its key is there for so long in any case, and not much longer.
pub const TOKEN_LIFE: Duration = EPOCH;

const TIME_LEN: usize = 8;
const TOKEN_SALT_LEN: usize = 8;
const SEALED_LEN: usize = TIME_LEN + TOKEN_SALT_LEN;

/// What shows a server that its holder was in a place lately (the session nonce of Trickles 6.1): for the client, bytes
/// that it shows in its next set-up.
///
/// Inside: the last byte of the key epoch, the time in ms since 1970, eight random bytes, so that no two are alike, and
/// a seal over time, random bytes and place under the epoch's key for address tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AddressToken(pub [u8; AddressToken::LEN]);

impl AddressToken {
    /// Bytes of one.
    pub const LEN: usize = 1 + SEALED_LEN + BLAKE3_TAG_LEN;

    /// One for who is in that place `now`.
    pub fn issue(keys: &Keys, now: Wall, place: &ClientNetwork, rng: &mut Rng) -> AddressToken {
        let epoch = keys.present();
        let mut token = AddressToken([0; AddressToken::LEN]);
        let (head, tag) = token.0.split_at_mut(1 + SEALED_LEN);
        head[0] = epoch.number() as u8;
        head[1..=TIME_LEN].copy_from_slice(&now.as_millis().to_be_bytes());
        rng.fill(&mut head[1 + TIME_LEN..]);
        tag.copy_from_slice(&epoch.address.tag(&[&head[1..], place.as_bytes()]));
        token
    }

    /// Whether a server with these keys gave it to somebody in that place, less than [`TOKEN_LIFE`] ago. Constant time
    /// in what is secret.
    pub fn shows(&self, keys: &Keys, now: Wall, place: &ClientNetwork) -> bool {
        let (head, tag) = self.0.split_at(1 + SEALED_LEN);
        let mut issued = [0; TIME_LEN];
        issued.copy_from_slice(&head[1..=TIME_LEN]);
        let issued = Wall::from_millis(u64::from_be_bytes(issued));
        let is_young = issued <= now.after(SKEW_MAX) && now.since(issued) < TOKEN_LIFE;
        let key = keys.by_last_byte(head[0]);
        is_young && key.is_some_and(|epoch| epoch.address.verify(&[&head[1..], place.as_bytes()], tag))
    }
}

impl fmt::Debug for AddressToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AddressToken(..)")
    }
}

/// What the set-up item of a REPLY says. Printed without what is secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Welcome {
    /// The last byte of the key epoch that the secret is of.
    pub epoch: u8,
    /// The server's part of the connection's id.
    pub salt: [u8; SALT_LEN],
    /// The connection's secret.
    pub secret: Zeroizing<[u8; 32]>,
    /// For the next set-up.
    pub token: AddressToken,
    /// Where the server sees the client: what it gives out is good there.
    pub place: ClientNetwork,
}

impl Welcome {
    /// Bytes of one.
    pub const LEN: usize = 1 + SALT_LEN + 32 + AddressToken::LEN + ClientNetwork::LEN;
}

impl Repr<'_> for Welcome {
    fn parse(reader: &mut Reader<'_>) -> Result<Welcome, Malformed> {
        Ok(Welcome {
            epoch: reader.u8()?,
            salt: reader.array()?,
            secret: Zeroizing::new(reader.array()?),
            token: AddressToken(reader.array()?),
            place: ClientNetwork::from_bytes(reader.array()?),
        })
    }

    fn wire_len(&self) -> usize {
        Welcome::LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.epoch)?;
        writer.bytes(&self.salt)?;
        writer.bytes(&self.secret[..])?;
        writer.bytes(&self.token.0)?;
        writer.bytes(self.place.as_bytes())
    }
}

impl fmt::Debug for Welcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Welcome").field("epoch", &self.epoch).finish_non_exhaustive()
    }
}
