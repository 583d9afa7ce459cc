//! Cryptography, named in one place.
//!
//! Everything that hashes, signs, agrees or seals in tng goes through here, and only here are the libraries named that
//! do it: aws-lc-rs for the primitives, blake3 and siphasher for two MACs and curve25519-dalek for the one conversion
//! that it lacks, ring for keys that are made anew for each datagram, snow for the Noise patterns. Entropy is always
//! given; nothing here finds any.
//!
//! * [`AeadKey`], [`DatagramKey`], [`SyntheticKey`], [`HeaderKey`]: sealing packets and messages, and masking headers.
//! * [`sha256`], [`HmacKey`], [`hkdf`]: hashing and deriving, under the [`labels`] of one list; [`code_hash`] names
//!   transport code.
//! * [`Blake3Key`], [`SipKey`]: faster MACs, of 16 and 8 bytes; [`NhKey`]: one for packets that bear a number;
//!   [`BlockKey`]: a pseudorandom function on single blocks.
//! * [`SigningKey`], [`verify`], [`AgreementKey`], [`StaticKey`], [`montgomery`]: identities.
//! * [`noise`]: the IK handshake.
//! * [`Secret32`]: what must not be printed, copied by accident, or left in memory.
//! * [`SecretRng`], [`SecretSource`]: where such secrets come from.
#![forbid(unsafe_code)]

mod aead;
mod agreement;
mod block;
mod cpu;
mod datagram;
mod hash;
pub mod hkdf;
pub mod labels;
mod mac;
mod nh;
pub mod noise;
mod random;
mod secret;
mod sign;

pub use aead::{AeadKey, Forged, HeaderKey, HeaderSecret, NONCE_LEN, SAMPLE_LEN, Suite, SyntheticKey, TAG_LEN};
pub use agreement::{AgreementKey, BadPoint, Shared, StaticKey, agreement_secret, montgomery};
pub use block::{BLOCK_LEN, BlockKey};
pub use cpu::hardware_aes;
pub use datagram::DatagramKey;
pub use hash::{HmacKey, code_hash, equal, sha256};
pub use labels::Label;
pub use mac::{BLAKE3_TAG_LEN, Blake3Key, SIP_KEY_LEN, SIP_TAG_LEN, SipKey};
pub use nh::{NH_KEY_LEN, NH_TAG_LEN, NhKey};
pub use random::{SecretRng, SecretSource};
pub use secret::Secret32;
pub use sign::{SIGNATURE_LEN, SigningKey, verify};
pub use zeroize::{Zeroize, Zeroizing};

#[cfg(test)]
mod tests;
