//! X25519 (RFC 7748), and the way to it from Ed25519.

use core::fmt;
use std::sync::Arc;

use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use curve25519_dalek::edwards::CompressedEdwardsY;

use crate::{Secret32, hash};

/// A public key that is not a point, not in canonical form, or of low order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadPoint;

impl fmt::Display for BadPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a usable public key")
    }
}

impl core::error::Error for BadPoint {}

/// An X25519 key pair.
pub struct AgreementKey {
    secret: PrivateKey,
    public: [u8; 32],
}

impl AgreementKey {
    /// The pair of this secret, which is clamped when used (RFC 7748, section 5).
    pub fn from_secret(secret: &Secret32) -> AgreementKey {
        let secret = PrivateKey::from_private_key(&X25519, secret.expose()).expect("every 32 bytes are a secret");
        let mut public = [0; 32];
        public.copy_from_slice(secret.compute_public_key().expect("every secret has a public key").as_ref());
        AgreementKey { secret, public }
    }

    /// The public key.
    pub const fn public(&self) -> &[u8; 32] {
        &self.public
    }

    /// The shared secret with `peer`.
    ///
    /// # Errors
    /// If it would be zero: `peer` is a point of low order, whose result everybody knows (RFC 7748, section 6.1).
    pub fn agree(&self, peer: &[u8; 32]) -> Result<Secret32, BadPoint> {
        let mut shared = Secret32::from_bytes([0; 32]);
        agree(&self.secret, UnparsedPublicKey::new(&X25519, peer), BadPoint, |bytes| {
            shared.expose_mut().copy_from_slice(bytes);
            Ok(())
        })?;
        if hash::equal(shared.expose(), &[0; 32]) {
            return Err(BadPoint);
        }
        Ok(shared)
    }
}

impl fmt::Debug for AgreementKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AgreementKey(..)")
    }
}

/// A host's long-lived key pair: worked out once, used in every exchange.
pub struct StaticKey {
    secret: Secret32,
    pair: AgreementKey,
}

impl StaticKey {
    /// The pair of this secret.
    pub fn from_secret(secret: Secret32) -> StaticKey {
        StaticKey { pair: AgreementKey::from_secret(&secret), secret }
    }

    /// The public key.
    pub const fn public(&self) -> &[u8; 32] {
        self.pair.public()
    }

    /// What this key and that of `peer` agree on: the same in every exchange between the two.
    ///
    /// # Errors
    /// If `peer` is of low order.
    pub fn agree(&self, peer: &[u8; 32]) -> Result<Arc<Shared>, BadPoint> {
        Ok(Arc::new(Shared { own: *self.public(), peer: *peer, secret: self.pair.agree(peer)? }))
    }

    /// The same, as bare bytes at the start of `out`.
    pub(crate) fn agree_into(&self, peer: &[u8; 32], out: &mut [u8]) -> Result<(), BadPoint> {
        out[..32].copy_from_slice(self.pair.agree(peer)?.expose());
        Ok(())
    }

    pub(crate) const fn secret(&self) -> &Secret32 {
        &self.secret
    }
}

impl fmt::Debug for StaticKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StaticKey(..)")
    }
}

/// What two static keys agree on: to be kept as secret as the keys themselves.
pub struct Shared {
    own: [u8; 32],
    peer: [u8; 32],
    secret: Secret32,
}

impl Shared {
    /// The peer's public key.
    pub const fn peer(&self) -> &[u8; 32] {
        &self.peer
    }

    /// The secret, if it is that of these two public keys.
    pub(crate) fn secret_of(&self, own: &[u8; 32], peer: &[u8; 32]) -> Option<&Secret32> {
        (self.own == *own && self.peer == *peer).then_some(&self.secret)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shared(..)")
    }
}

/// The X25519 public key of an Ed25519 public key (RFC 7748, section 4.1). A key and its negation have the same.
///
/// # Errors
/// If `edwards` is not a point in canonical form, or is one of low order.
pub fn montgomery(edwards: &[u8; 32]) -> Result<[u8; 32], BadPoint> {
    if !is_canonical(edwards) {
        return Err(BadPoint);
    }
    let point = CompressedEdwardsY(*edwards).decompress().ok_or(BadPoint)?;
    // Among them are the two points with x = 0, whose sign has a second spelling.
    if point.is_small_order() {
        return Err(BadPoint);
    }
    Ok(point.to_montgomery().to_bytes())
}

/// Whether the y of an encoded point is below 2^255 - 19: the small ones have a second spelling from there on. Nothing
/// here is secret.
fn is_canonical(edwards: &[u8; 32]) -> bool {
    edwards[0] < 0xed || edwards[1..31].iter().any(|byte| *byte != 0xff) || edwards[31] & 0x7f != 0x7f
}

/// The X25519 secret of an Ed25519 seed: its public key is the [`montgomery`] form of the seed's (RFC 8032, section
/// 5.1.5).
pub fn agreement_secret(seed: &Secret32) -> Secret32 {
    Secret32::from_bytes(hash::sha512_low(seed.expose()))
}
