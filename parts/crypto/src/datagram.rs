//! Keys for a datagram or two.

use core::fmt;

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use zeroize::Zeroizing;

use crate::{Forged, NONCE_LEN, Secret32, TAG_LEN};

/// A key for AES-128-GCM that is good for few datagrams: it is made ready anew on the stack for each, which asks for no
/// memory. An [`AeadKey`](crate::AeadKey) is ready once, on the heap. What one seals the other opens.
///
/// It is wiped when dropped. What the library leaves on the stack during a call is not.
#[derive(Clone)]
pub struct DatagramKey(Zeroizing<[u8; DatagramKey::LEN]>);

impl DatagramKey {
    /// Bytes of one.
    pub const LEN: usize = 16;

    /// The key with these bytes.
    pub fn from_bytes(key: &[u8; DatagramKey::LEN]) -> DatagramKey {
        DatagramKey(Zeroizing::new(*key))
    }

    /// The key that a secret begins with.
    pub fn from_secret(secret: &Secret32) -> DatagramKey {
        DatagramKey::from_bytes(secret.expose().first_chunk().expect("a secret is longer than a key"))
    }

    fn ready(&self) -> LessSafeKey {
        LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &self.0[..]).expect("the key has its length"))
    }

    /// Encrypts `in_out`, whose last [`TAG_LEN`] bytes are room for the tag. A nonce must never be used twice.
    ///
    /// # Panics
    /// If `in_out` is shorter than its tag, or longer than the limit of 64 GiB.
    #[inline]
    pub fn seal(&self, nonce: [u8; NONCE_LEN], aad: &[u8], in_out: &mut [u8]) {
        let (plaintext, room) = in_out.split_at_mut(in_out.len() - TAG_LEN);
        let nonce = Nonce::assume_unique_for_key(nonce);
        let tag = self.ready().seal_in_place_separate_tag(nonce, Aad::from(aad), plaintext);
        room.copy_from_slice(tag.expect("the lengths are within the limits").as_ref());
    }

    /// Decrypts `in_out` in place; answers the length of the plaintext, which stands at its start.
    ///
    /// # Errors
    /// [`Forged`]; then everything but the tag at the end of `in_out` has become meaningless.
    #[inline]
    pub fn open(&self, nonce: [u8; NONCE_LEN], aad: &[u8], in_out: &mut [u8]) -> Result<usize, Forged> {
        let opened = self.ready().open_in_place(Nonce::assume_unique_for_key(nonce), Aad::from(aad), in_out);
        opened.map(|text| text.len()).map_err(|_| Forged)
    }
}

impl fmt::Debug for DatagramKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatagramKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AeadKey, Suite};
    use tng_base::Rng;

    #[test]
    fn what_it_seals_an_aead_key_opens_and_the_other_way_round() {
        let mut rng = Rng::from_u64(1);
        for len in (0..200).chain([1_199, 1_200, 1_452, 9_000]) {
            let (bytes, nonce, aad): ([u8; 16], [u8; NONCE_LEN], [u8; 30]) = (rng.bytes(), rng.bytes(), rng.bytes());
            let (own, other) = (DatagramKey::from_bytes(&bytes), AeadKey::from_bytes(Suite::Aes128Gcm, &bytes));
            let aad = &aad[..len % 31];
            let mut text = vec![0; len + TAG_LEN];
            rng.fill(&mut text[..len]);
            let (mut one, mut two) = (text.clone(), text.clone());
            own.seal(nonce, aad, &mut one);
            other.seal(nonce, aad, &mut two);
            assert_eq!(one, two, "{len}");
            assert_eq!(own.open(nonce, aad, &mut two), Ok(len));
            assert_eq!(two[..len], text[..len]);
        }
    }

    #[test]
    fn what_was_changed_or_is_too_short_is_forged() {
        let key = DatagramKey::from_bytes(&[7; 16]);
        let mut sealed = [9; 50];
        key.seal([1; NONCE_LEN], b"aad", &mut sealed);
        for at in 0..50 {
            let mut changed = sealed;
            changed[at] ^= 1;
            assert_eq!(key.open([1; NONCE_LEN], b"aad", &mut changed), Err(Forged));
        }
        assert_eq!(key.open([1; NONCE_LEN], b"", &mut sealed.clone()), Err(Forged));
        assert_eq!(key.open([2; NONCE_LEN], b"aad", &mut sealed.clone()), Err(Forged));
        assert_eq!(key.open([1; NONCE_LEN], b"aad", &mut sealed[..TAG_LEN - 1]), Err(Forged));
        assert_eq!(key.open([1; NONCE_LEN], b"aad", &mut sealed), Ok(34));
    }
}
