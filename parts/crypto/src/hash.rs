//! SHA-256, HMAC-SHA-256, the name of code, and comparing secrets.

use core::fmt;

use aws_lc_rs::{constant_time, digest, hmac};
use tng_base::CodeHash;

/// SHA-256 over the concatenation of `parts` (FIPS 180-4).
pub fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in parts {
        context.update(part);
    }
    let mut out = [0; 32];
    out.copy_from_slice(context.finish().as_ref());
    out
}

/// First half of SHA-512, which is where an Ed25519 seed's scalar comes from (RFC 8032, section 5.1.5).
pub(crate) fn sha512_low(data: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    out.copy_from_slice(&digest::digest(&digest::SHA512, data).as_ref()[..32]);
    out
}

/// The name of transport code: BLAKE3 over a module's bytes.
pub fn code_hash(module: &[u8]) -> CodeHash {
    CodeHash::from_bytes(*blake3::hash(module).as_bytes())
}

/// Whether two values are equal, in time that depends on their lengths alone.
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    constant_time::verify_slices_are_equal(a, b).is_ok()
}

/// A key for HMAC-SHA-256 (RFC 2104).
pub struct HmacKey(hmac::Key);

impl HmacKey {
    /// The key with these bytes, of any length.
    pub fn new(key: &[u8]) -> HmacKey {
        HmacKey(hmac::Key::new(hmac::HMAC_SHA256, key))
    }

    /// The tag over the concatenation of `parts`.
    pub fn tag(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut context = hmac::Context::with_key(&self.0);
        for part in parts {
            context.update(part);
        }
        let mut out = [0; 32];
        out.copy_from_slice(context.sign().as_ref());
        out
    }

    /// Whether `tag`, which may be truncated but not below 16 bytes, is the tag over `parts`. Constant time.
    pub fn verify(&self, parts: &[&[u8]], tag: &[u8]) -> bool {
        (16..=32).contains(&tag.len()) && equal(&self.tag(parts)[..tag.len()], tag)
    }
}

impl fmt::Debug for HmacKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HmacKey(..)")
    }
}
