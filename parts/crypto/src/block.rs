//! AES-128 on single blocks, as a pseudorandom function.

use core::fmt;

use aws_lc_rs::cipher::{AES_128, EncryptingKey, UnboundCipherKey};
use zeroize::Zeroizing;

use crate::{Label, Secret32, hkdf};

/// Bytes of a block, and of a [`BlockKey`].
pub const BLOCK_LEN: usize = 16;

/// A key for AES-128 on single blocks (FIPS 197): a pseudorandom function from blocks to blocks, as long as one key
/// sees far fewer than 2^64 of them. It hides nothing and proves nothing by itself; for messages there is
/// [`AeadKey`](crate::AeadKey).
///
/// It is wiped when dropped, and never decrypts.
pub struct BlockKey(EncryptingKey);

impl BlockKey {
    /// The key that `secret` gives under `label`.
    pub fn derive(secret: &Secret32, label: Label) -> BlockKey {
        let mut key = Zeroizing::new([0; BLOCK_LEN]);
        hkdf::expand(secret, label, &[], &mut key[..]);
        BlockKey::from_bytes(&key)
    }

    /// The key with these bytes.
    pub fn from_bytes(key: &[u8; BLOCK_LEN]) -> BlockKey {
        let key = UnboundCipherKey::new(&AES_128, key).expect("the key has its length");
        BlockKey(EncryptingKey::ecb(key).expect("AES takes blocks one by one"))
    }

    /// What the function gives for `block`.
    #[inline]
    pub fn prf(&self, block: u128) -> u128 {
        let mut block = block.to_be_bytes();
        self.encrypt(&mut block);
        u128::from_be_bytes(block)
    }

    /// What it gives for each of `blocks`, in place. A block's bytes are the number's, the most significant first.
    #[inline]
    pub fn prf_all<const N: usize>(&self, blocks: [u128; N]) -> [u128; N] {
        let mut blocks = blocks.map(u128::to_be_bytes);
        self.encrypt(blocks.as_flattened_mut());
        blocks.map(u128::from_be_bytes)
    }

    #[inline]
    fn encrypt(&self, whole_blocks: &mut [u8]) {
        self.0.encrypt(whole_blocks).expect("they are whole blocks");
    }
}

impl fmt::Debug for BlockKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BlockKey(..)")
    }
}
