//! How long seals are, for a client that makes none: the host of a guest does.

/// Bytes of the seal of a datagram (AES-128-GCM).
pub(crate) const TAG_LEN: usize = 16;
/// Bytes of the seal of a continuation (keyed BLAKE3).
pub(crate) const BLAKE3_TAG_LEN: usize = 16;

#[cfg(feature = "keys")]
const _: () = assert!(TAG_LEN == tng_crypto::TAG_LEN && BLAKE3_TAG_LEN == tng_crypto::BLAKE3_TAG_LEN);
