//! HKDF with SHA-256 (RFC 5869).

use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Prk};

use crate::{HmacKey, Label, Secret32};

struct Len(usize);

impl KeyType for Len {
    fn len(&self) -> usize {
        self.0
    }
}

/// A pseudorandom key out of input that is secret but not uniform (RFC 5869, section 2.2).
pub fn extract(salt: &[u8], input: &[&[u8]]) -> Secret32 {
    Secret32::from_bytes(HmacKey::new(salt).tag(input))
}

/// Fills `out` from `secret` under `label` and a `context` that may be empty (RFC 5869, section 2.3; the info is label
/// and context).
///
/// # Panics
/// If `out` is longer than 255 hash outputs: a mistake of the caller.
pub fn expand(secret: &Secret32, label: Label, context: &[u8], out: &mut [u8]) {
    expand_info(secret.expose(), &[label.as_bytes(), context], out);
}

/// A secret derived from `secret` under `label` and `context`.
pub fn expand_secret(secret: &Secret32, label: Label, context: &[u8]) -> Secret32 {
    let mut out = Secret32::from_bytes([0; 32]);
    expand(secret, label, context, out.expose_mut());
    out
}

pub(crate) fn expand_info(secret: &[u8], info: &[&[u8]], out: &mut [u8]) {
    Prk::new_less_safe(HKDF_SHA256, secret)
        .expand(info, Len(out.len()))
        .and_then(|okm| okm.fill(out))
        .expect("outputs are short");
}
