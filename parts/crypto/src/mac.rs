//! Fast MACs beside HMAC: keyed BLAKE3 for what must hold for years, SipHash for what holds for a packet.

use core::fmt;
use core::hash::Hasher;

use siphasher::sip::SipHasher24;
use zeroize::Zeroizing;

use crate::{Label, Secret32, equal, hkdf};

/// Bytes of a [`Blake3Key`]'s tag.
pub const BLAKE3_TAG_LEN: usize = 16;
/// Bytes that are put together on the stack to be hashed at once: what makes a hasher ready takes longer.
const SHORT_MAX: usize = 128;
/// Bytes of a [`SipKey`].
pub const SIP_KEY_LEN: usize = 16;
/// Bytes of a [`SipKey`]'s tag.
pub const SIP_TAG_LEN: usize = 8;

/// A key for BLAKE3's keyed mode (the BLAKE3 specification, section 2.3), with tags cut to 16 bytes.
///
/// It is wiped when dropped. What the library leaves on the stack during a call is not.
pub struct Blake3Key(Secret32);

impl Blake3Key {
    /// The key that `secret` gives under `label`.
    pub fn derive(secret: &Secret32, label: Label) -> Blake3Key {
        Blake3Key(hkdf::expand_secret(secret, label, &[]))
    }

    /// The key with these bytes.
    pub fn from_bytes(key: impl Into<Secret32>) -> Blake3Key {
        Blake3Key(key.into())
    }

    /// The key's bytes, to be written down.
    pub const fn expose(&self) -> &[u8; 32] {
        self.0.expose()
    }

    /// A copy, made on purpose.
    pub fn duplicate(&self) -> Blake3Key {
        Blake3Key(self.0.duplicate())
    }

    /// The tag over the concatenation of `parts`. Parts are not told apart: their lengths are fixed, or stand in what
    /// is hashed.
    pub fn tag(&self, parts: &[&[u8]]) -> [u8; BLAKE3_TAG_LEN] {
        let hash = self.hash(parts);
        *hash.as_bytes().first_chunk().expect("a hash has 32 bytes")
    }

    /// The secret that `parts` stand for under this key: a pseudorandom function of 32 bytes, quicker than
    /// [`hkdf`](crate::hkdf) for what is derived for each packet. Parts are not told apart.
    pub fn secret(&self, parts: &[&[u8]]) -> Secret32 {
        Secret32::from_bytes(*self.hash(parts).as_bytes())
    }

    /// Whether `tag` is the tag over `parts`, whole. Constant time.
    pub fn verify(&self, parts: &[&[u8]], tag: &[u8]) -> bool {
        equal(&self.tag(parts), tag)
    }

    fn hash(&self, parts: &[&[u8]]) -> blake3::Hash {
        match parts {
            [whole] => blake3::keyed_hash(self.0.expose(), whole),
            parts if parts.iter().map(|part| part.len()).sum::<usize>() <= SHORT_MAX => {
                let (mut short, mut len) = ([0; SHORT_MAX], 0);
                for part in parts {
                    short[len..len + part.len()].copy_from_slice(part);
                    len += part.len();
                }
                blake3::keyed_hash(self.0.expose(), &short[..len])
            }
            parts => {
                let mut hasher = blake3::Hasher::new_keyed(self.0.expose());
                for part in parts {
                    hasher.update(part);
                }
                hasher.finalize()
            }
        }
    }
}

impl fmt::Debug for Blake3Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blake3Key(..)")
    }
}

/// A key for SipHash-2-4 with tags of 8 bytes (Aumasson and Bernstein, "SipHash: a fast short-input PRF").
///
/// Somebody who may try as often as packets come guesses one of 2^64 tags: enough for what stands beside a seal of its
/// own, or is worth no more than a packet. The key is wiped when dropped.
pub struct SipKey(Zeroizing<[u8; SIP_KEY_LEN]>);

impl SipKey {
    /// The key that `secret` gives under `label`.
    pub fn derive(secret: &Secret32, label: Label) -> SipKey {
        let mut key = Zeroizing::new([0; SIP_KEY_LEN]);
        hkdf::expand(secret, label, &[], &mut key[..]);
        SipKey(key)
    }

    /// The key with these bytes; the caller's copy is the caller's to wipe.
    pub fn from_bytes(key: [u8; SIP_KEY_LEN]) -> SipKey {
        SipKey(Zeroizing::new(key))
    }

    /// The key's bytes, to be written down.
    pub fn expose(&self) -> &[u8; SIP_KEY_LEN] {
        &self.0
    }

    /// The tag over the concatenation of `parts`. Parts are not told apart: their lengths are fixed, or stand in what
    /// is hashed.
    #[inline]
    pub fn tag(&self, parts: &[&[u8]]) -> [u8; SIP_TAG_LEN] {
        let hasher = SipHasher24::new_with_key(&self.0);
        match parts {
            [whole] => hasher.hash(whole).to_le_bytes(),
            parts => {
                let mut tagging = SipTagging(hasher);
                parts.iter().for_each(|part| tagging.write(part));
                tagging.finish()
            }
        }
    }

    /// A tag in the making, over what is written one after the other.
    #[inline]
    pub(crate) fn tagging(&self) -> SipTagging {
        SipTagging(SipHasher24::new_with_key(&self.0))
    }

    /// Whether `tag` is the tag over `parts`, whole. Constant time.
    #[inline]
    pub fn verify(&self, parts: &[&[u8]], tag: &[u8]) -> bool {
        equal(&self.tag(parts), tag)
    }
}

/// A [`SipKey`]'s tag in the making.
pub(crate) struct SipTagging(SipHasher24);

impl SipTagging {
    #[inline]
    fn write(&mut self, part: &[u8]) {
        self.0.write(part);
    }

    /// Eight bytes, in registers.
    #[inline]
    pub(crate) fn write_word(&mut self, word: [u8; 8]) {
        self.0.write_u64(u64::from_ne_bytes(word));
    }

    /// The tag, after seven bytes more: those that fit beside the length.
    #[inline]
    pub(crate) fn finish_with(mut self, [a, b, c, d, e, f, g]: [u8; 7]) -> [u8; SIP_TAG_LEN] {
        self.0.write_u32(u32::from_ne_bytes([a, b, c, d]));
        self.0.write_u16(u16::from_ne_bytes([e, f]));
        self.0.write_u8(g);
        self.finish()
    }

    #[inline]
    fn finish(self) -> [u8; SIP_TAG_LEN] {
        self.0.finish().to_le_bytes()
    }
}

impl fmt::Debug for SipKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SipKey(..)")
    }
}
