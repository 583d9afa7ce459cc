//! Sealing packets and masking their headers.

use core::fmt;

use aws_lc_rs::aead::quic::{self, HeaderProtectionKey};
use aws_lc_rs::aead::{AES_128_GCM, Aad, Algorithm, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};

use crate::{HmacKey, Label, Secret32, hkdf, labels};

/// Bytes that sealing adds.
pub const TAG_LEN: usize = 16;
/// Bytes of a nonce.
pub const NONCE_LEN: usize = 12;
/// Bytes of ciphertext that a header mask is computed from (RFC 9001, section 5.4.2).
pub const SAMPLE_LEN: usize = 16;

/// A packet is not what its sender sealed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forged;

impl fmt::Display for Forged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not authentic")
    }
}

impl core::error::Error for Forged {}

/// An AEAD and the cipher that masks headers beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suite {
    /// AES-128-GCM; headers by AES-128 (RFC 9001, section 5.4.3).
    Aes128Gcm,
    /// ChaCha20-Poly1305 (RFC 8439); headers by ChaCha20 (RFC 9001, section 5.4.4).
    ChaCha20Poly1305,
}

impl Suite {
    /// Bytes of its keys.
    pub const fn key_len(self) -> usize {
        match self {
            Suite::Aes128Gcm => 16,
            Suite::ChaCha20Poly1305 => 32,
        }
    }

    fn aead(self) -> &'static Algorithm {
        match self {
            Suite::Aes128Gcm => &AES_128_GCM,
            Suite::ChaCha20Poly1305 => &CHACHA20_POLY1305,
        }
    }

    fn header(self) -> &'static quic::Algorithm {
        match self {
            Suite::Aes128Gcm => &quic::AES_128,
            Suite::ChaCha20Poly1305 => &quic::CHACHA20,
        }
    }

    /// The bytes of the key that `secret` gives under `label`: the first [`key_len`](Suite::key_len) of these.
    fn derive(self, secret: &Secret32, label: Label) -> Secret32 {
        let mut key = Secret32::from_bytes([0; 32]);
        hkdf::expand(secret, label, &[], &mut key.expose_mut()[..self.key_len()]);
        key
    }
}

/// A key that seals and opens in place.
pub struct AeadKey(LessSafeKey);

impl AeadKey {
    /// The key that `secret` gives under `label`.
    pub fn derive(suite: Suite, secret: &Secret32, label: Label) -> AeadKey {
        AeadKey::from_bytes(suite, &suite.derive(secret, label).expose()[..suite.key_len()])
    }

    /// The key with these bytes.
    ///
    /// # Panics
    /// If they are not [`Suite::key_len`] many.
    pub fn from_bytes(suite: Suite, key: &[u8]) -> AeadKey {
        AeadKey(LessSafeKey::new(UnboundKey::new(suite.aead(), key).expect("the key has its suite's length")))
    }

    /// Encrypts `in_out`, whose last [`TAG_LEN`] bytes are room for the tag. A nonce must never be used twice.
    ///
    /// # Panics
    /// If `in_out` is shorter than its tag, or longer than the suite's limit of 64 GiB.
    #[inline]
    pub fn seal(&self, nonce: [u8; NONCE_LEN], aad: &[u8], in_out: &mut [u8]) {
        let (plaintext, tag) = in_out.split_at_mut(in_out.len() - TAG_LEN);
        self.0
            .seal_in_place_scatter(Nonce::assume_unique_for_key(nonce), Aad::from(aad), plaintext, &[], tag)
            .expect("the lengths are within the suite's limits");
    }

    /// Decrypts `in_out` in place; answers the length of the plaintext, which stands at its start.
    ///
    /// # Errors
    /// [`Forged`]; then everything but the tag at the end of `in_out` has become meaningless.
    #[inline]
    pub fn open(&self, nonce: [u8; NONCE_LEN], aad: &[u8], in_out: &mut [u8]) -> Result<usize, Forged> {
        let len = in_out.len().checked_sub(TAG_LEN).ok_or(Forged)?;
        let nonce = Nonce::assume_unique_for_key(nonce);
        self.0.open_in_place(nonce, Aad::from(aad), in_out).map_err(|_| Forged)?;
        Ok(len)
    }

    /// Decrypts `sealed` into `out`, which is [`TAG_LEN`] shorter.
    ///
    /// # Errors
    /// [`Forged`], also when the lengths do not fit.
    pub(crate) fn open_to(
        &self,
        nonce: [u8; NONCE_LEN],
        aad: &[u8],
        sealed: &[u8],
        out: &mut [u8],
    ) -> Result<(), Forged> {
        let (text, tag) = sealed.split_at(sealed.len().checked_sub(TAG_LEN).ok_or(Forged)?);
        let nonce = Nonce::assume_unique_for_key(nonce);
        self.0.open_separate_gather(nonce, Aad::from(aad), text, tag, out).map_err(|_| Forged)
    }
}

/// A key that seals under nonces that follow from what is sealed (a synthetic nonce, as in RFC 8452): a host that has
/// forgotten what it sealed, or is a copy of one that sealed, repeats a nonce with the very same text alone, which says
/// no more than that it is the same.
pub struct SyntheticKey {
    aead: AeadKey,
    nonces: HmacKey,
}

impl SyntheticKey {
    /// The key that `secret` gives under `label`.
    pub fn derive(suite: Suite, secret: &Secret32, label: Label) -> SyntheticKey {
        let nonces = HmacKey::new(hkdf::expand_secret(secret, labels::NONCE, label.as_bytes()).expose());
        SyntheticKey { aead: AeadKey::derive(suite, secret, label), nonces }
    }

    /// Encrypts `in_out`, whose last [`TAG_LEN`] bytes are room for the tag; answers the nonce. The same text twice
    /// shows as such unless `salt`, which may be empty, differs.
    ///
    /// # Panics
    /// As [`AeadKey::seal`] does.
    pub fn seal(&self, salt: &[u8], aad: &[u8], in_out: &mut [u8]) -> [u8; NONCE_LEN] {
        let plaintext = &in_out[..in_out.len() - TAG_LEN];
        let lens = [salt.len() as u64, aad.len() as u64].map(u64::to_be_bytes);
        let tag = self.nonces.tag(&[&lens[0], &lens[1], salt, aad, plaintext]);
        let nonce = core::array::from_fn(|at| tag[at]);
        self.aead.seal(nonce, aad, in_out);
        nonce
    }

    /// Decrypts `in_out` in place; answers the length of the plaintext, which stands at its start.
    ///
    /// # Errors
    /// [`Forged`]; then everything but the tag at the end of `in_out` has become meaningless.
    pub fn open(&self, nonce: [u8; NONCE_LEN], aad: &[u8], in_out: &mut [u8]) -> Result<usize, Forged> {
        self.aead.open(nonce, aad, in_out)
    }
}

impl fmt::Debug for SyntheticKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SyntheticKey(..)")
    }
}

impl fmt::Debug for AeadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AeadKey(..)")
    }
}

/// The bytes of a [`HeaderKey`], which takes fifteen times as much memory.
#[derive(Debug)]
pub struct HeaderSecret {
    suite: Suite,
    bytes: Secret32,
}

impl HeaderSecret {
    /// The bytes that `secret` gives under `label`.
    pub fn derive(suite: Suite, secret: &Secret32, label: Label) -> HeaderSecret {
        HeaderSecret { suite, bytes: suite.derive(secret, label) }
    }

    /// The key, ready for use.
    pub fn ready(&self) -> HeaderKey {
        HeaderKey::from_bytes(self.suite, &self.bytes.expose()[..self.suite.key_len()])
    }
}

/// A key that masks the headers of sealed packets (RFC 9001, section 5.4).
pub struct HeaderKey(HeaderProtectionKey);

impl HeaderKey {
    /// The key with these bytes.
    ///
    /// # Panics
    /// If they are not [`Suite::key_len`] many.
    pub fn from_bytes(suite: Suite, key: &[u8]) -> HeaderKey {
        HeaderKey(HeaderProtectionKey::new(suite.header(), key).expect("the key has its suite's length"))
    }

    /// The mask that belongs to a sample of ciphertext: one byte for the first byte, four for the number.
    #[inline]
    pub fn mask(&self, sample: &[u8; SAMPLE_LEN]) -> [u8; 5] {
        self.0.new_mask(sample).expect("the sample has its length")
    }
}

impl fmt::Debug for HeaderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeaderKey(..)")
    }
}
