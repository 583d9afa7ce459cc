//! Ed25519 signatures (RFC 8032).

use core::fmt;

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

use crate::{Secret32, montgomery};

/// Bytes of a signature.
pub const SIGNATURE_LEN: usize = 64;

/// A key pair that signs.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: [u8; 32],
}

impl SigningKey {
    /// The pair that `seed` determines (RFC 8032, section 5.1.5).
    pub fn from_seed(seed: &Secret32) -> SigningKey {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed.expose()).expect("every 32 bytes are a seed");
        let mut public = [0; 32];
        public.copy_from_slice(pair.public_key().as_ref());
        SigningKey { pair, public }
    }

    /// The public key.
    pub const fn public(&self) -> &[u8; 32] {
        &self.public
    }

    /// The signature over `message`.
    pub fn sign(&self, message: &[u8]) -> [u8; SIGNATURE_LEN] {
        let mut out = [0; SIGNATURE_LEN];
        out.copy_from_slice(self.pair.sign(message).as_ref());
        out
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(..)")
    }
}

/// Whether `signature` over `message` is `public`'s. Strict: besides malleable signatures, public keys that are not
/// canonical or of low order, for which signatures can be made without any secret, are refused.
pub fn verify(public: &[u8; 32], message: &[u8], signature: &[u8; SIGNATURE_LEN]) -> bool {
    montgomery(public).is_ok() && UnparsedPublicKey::new(&ED25519, public).verify(message, signature).is_ok()
}
