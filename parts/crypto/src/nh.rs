//! A MAC for packets that bear a number: a universal hash, and SipHash over what it leaves.

use core::fmt;

use zeroize::Zeroizing;

use crate::{Label, SIP_KEY_LEN, SIP_TAG_LEN, Secret32, SipKey, hkdf};

/// Bytes that NH takes at once.
const BLOCK: usize = 16;
/// Bytes of a message that are hashed to one number of 64 bits.
const CHUNK: usize = 128;
/// Bytes of an [`NhKey`].
pub const NH_KEY_LEN: usize = CHUNK + 4 * BLOCK + SIP_KEY_LEN;
/// Bytes of an [`NhKey`]'s tag.
pub const NH_TAG_LEN: usize = SIP_TAG_LEN;

/// A key for a MAC of 8 bytes over a packet and its number: hash, then PRF, as Wegman and Carter have it (JCSS 22,
/// 1981), and UMAC as first published (Black, Halevi, Krawczyk, Krovetz and Rogaway, CRYPTO '99). It is the fastest
/// that needs no instruction of a processor's own.
///
/// A message is cut into chunks of 128 bytes. NH with words of 64 bits makes 128 bits of each (UMAC, section 4: two
/// different chunks of one length meet for 2^-64 of the keys), and a strongly universal function makes 64 bits of those
/// and the message's length (Dietzfelbinger, STACS '96; Lemire and Kaser, Computer Journal 57, 2014: 2^-64 again). The
/// tag is SipHash-2-4 over the packet's number and these.
///
/// Each attempt at a forgery succeeds with a probability of at most 2^-63 + 2^-64: what is forged meets the packet that
/// bears its number in the hash, or the tag is guessed; beside that an attacker gains only by telling SipHash-2-4 from
/// a random function. The number is an input of the PRF and no one-time pad: an attacker that sees two packets under
/// one number learns nothing but that they differ, and of q packets under one number two meet with a probability below
/// q^2 / 2^64. Constant time, whatever is hashed.
pub struct NhKey {
    words: Zeroizing<[u64; CHUNK / 8]>,
    /// Of the function that makes 64 bits of 128: a constant, then factors of the length and of NH's two halves.
    fold: Zeroizing<[u128; 4]>,
    sip: SipKey,
}

impl NhKey {
    /// The key that `secret` gives under `label`.
    pub fn derive(secret: &Secret32, label: Label) -> NhKey {
        let mut key = Zeroizing::new([0; NH_KEY_LEN]);
        hkdf::expand(secret, label, &[], &mut key[..]);
        NhKey::from_bytes(&key)
    }

    /// The key with these bytes; the caller's copy is the caller's to wipe.
    pub fn from_bytes(key: &[u8; NH_KEY_LEN]) -> NhKey {
        let (words, rest) = key.split_at(CHUNK);
        let (fold, sip) = rest.split_at(4 * BLOCK);
        let (words, fold) = (words.as_chunks::<8>().0, fold.as_chunks::<BLOCK>().0);
        NhKey {
            words: Zeroizing::new(core::array::from_fn(|at| u64::from_be_bytes(words[at]))),
            fold: Zeroizing::new(core::array::from_fn(|at| u128::from_be_bytes(fold[at]))),
            sip: SipKey::from_bytes(sip.try_into().expect("what is left of the key")),
        }
    }

    /// The tag over `message` of the packet `number`. `len` goes in beside the message: if the message is not all of
    /// the packet, the bytes of all of it.
    #[inline]
    pub fn tag(&self, number: u64, len: u32, message: &[u8]) -> [u8; NH_TAG_LEN] {
        // SipHash takes eight bytes at once, and its last seven with the length: the number's first byte goes
        // elsewhere.
        let [first, low @ ..] = number.to_be_bytes();
        let lens = u64::from(first) << 56 | (message.len() as u64) << 32 | u64::from(len);
        match message.last_chunk::<BLOCK>() {
            Some(last) if message.len() <= CHUNK => {
                let mut tagging = self.sip.tagging();
                tagging.write_word(self.hash(lens, message, last));
                tagging.finish_with(low)
            }
            _ => self.tag_of_unusual(low, lens, message),
        }
    }

    /// The tag over a message of more than one chunk, or less than a block.
    #[inline(never)]
    fn tag_of_unusual(&self, low: [u8; 7], lens: u64, message: &[u8]) -> [u8; NH_TAG_LEN] {
        let mut tagging = self.sip.tagging();
        match message.last_chunk::<BLOCK>() {
            Some(last) => {
                for chunk in message.chunks(CHUNK) {
                    tagging.write_word(self.hash(lens, chunk, last));
                }
            }
            None => {
                let mut padded = [0; BLOCK];
                padded[..message.len()].copy_from_slice(message);
                tagging.write_word(self.hash(lens, &padded, &padded));
            }
        }
        tagging.finish_with(low)
    }

    /// Whether `tag` is that of [`tag`](NhKey::tag), whole. Constant time.
    #[inline]
    pub fn verify(&self, number: u64, len: u32, message: &[u8], tag: &[u8]) -> bool {
        // One comparison of 64 bits takes as long for all of them.
        tag.try_into().is_ok_and(|tag| u64::from_ne_bytes(tag) == u64::from_ne_bytes(self.tag(number, len, message)))
    }

    /// 64 bits of at most [`CHUNK`] bytes. If they end within a block, `last` is taken for it: the last block of a
    /// message that is no whole number of blocks begins before its place.
    #[inline(always)]
    fn hash(&self, lens: u64, chunk: &[u8], last: &[u8; BLOCK]) -> [u8; 8] {
        let nh = |sum: u128, block: &[u8; BLOCK], key: &[u64; 2]| {
            let block = u128::from_be_bytes(*block);
            let (high, low) = ((block >> 64) as u64, block as u64);
            sum.wrapping_add(u128::from(high.wrapping_add(key[0])) * u128::from(low.wrapping_add(key[1])))
        };
        let (blocks, rest) = chunk.as_chunks::<BLOCK>();
        let keys = self.words.as_chunks::<2>().0;
        let mut sum = blocks.iter().zip(keys).fold(0, |sum, (block, key)| nh(sum, block, key));
        if !rest.is_empty() {
            sum = nh(sum, last, &keys[blocks.len()]);
        }
        let [constant, of_lens, of_high, of_low] = *self.fold;
        let folded = constant
            .wrapping_add(of_lens.wrapping_mul(u128::from(lens)))
            .wrapping_add(of_high.wrapping_mul(sum >> 64))
            .wrapping_add(of_low.wrapping_mul(u128::from(sum as u64)));
        ((folded >> 64) as u64).to_be_bytes()
    }
}

impl fmt::Debug for NhKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NhKey(..)")
    }
}
