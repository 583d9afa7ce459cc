//! Publishers' keys.

use core::fmt;
use core::str::FromStr;

use tng_base::Eid;
use tng_crypto::{Secret32, SigningKey, Zeroizing};

/// What a publisher's public key begins with, as a text. It is no host's identity, and does not look like one.
const PUBLIC_PREFIX: &str = "tngpub1";
/// The same of what it signs with.
const SECRET_PREFIX: &str = "tngpublisher1";

/// Who signs manifests: an Ed25519 public key, written as `tngpub1` and 52 letters and digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublisherKey([u8; 32]);

impl PublisherKey {
    /// The key with these bytes. Whether they are a point is found out when a signature is checked.
    pub const fn from_bytes(bytes: [u8; 32]) -> PublisherKey {
        PublisherKey(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether both are made of one secret: a key has two forms, which differ in the sign, and who can sign for one can
    /// sign for the other.
    pub fn is_same_secret(&self, other: &PublisherKey) -> bool {
        let bare = |key: &PublisherKey| {
            let mut bytes = key.0;
            bytes[31] &= 0x7f;
            bytes
        };
        bare(self) == bare(other)
    }
}

impl fmt::Display for PublisherKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC_PREFIX}{}", Eid::from_bytes(self.0))
    }
}

impl fmt::Debug for PublisherKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublisherKey({self})")
    }
}

/// Why a text is no publisher's key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyTextError {
    /// Caller: it begins otherwise.
    Prefix(&'static str),
    /// Caller: what follows is no key.
    Body,
}

impl fmt::Display for KeyTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyTextError::Prefix(prefix) => {
                write!(f, "no publisher's key: it begins with {prefix}; `tng stp keygen` makes one")
            }
            KeyTextError::Body => f.write_str("no publisher's key: 52 of a-z and 2-7 follow; copy it whole"),
        }
    }
}

impl core::error::Error for KeyTextError {}

fn body(text: &str, prefix: &'static str) -> Result<[u8; 32], KeyTextError> {
    let body = text.trim().strip_prefix(prefix).ok_or(KeyTextError::Prefix(prefix))?;
    let eid: Eid = body.parse().map_err(|_| KeyTextError::Body)?;
    Ok(*eid.as_bytes())
}

impl FromStr for PublisherKey {
    type Err = KeyTextError;

    fn from_str(text: &str) -> Result<PublisherKey, KeyTextError> {
        body(text, PUBLIC_PREFIX).map(PublisherKey)
    }
}

/// What a publisher signs with.
#[derive(Debug)]
pub struct Publisher {
    seed: Secret32,
    pair: SigningKey,
}

impl Publisher {
    /// The one that these random bytes make.
    pub fn from_seed(seed: impl Into<Secret32>) -> Publisher {
        let seed = seed.into();
        Publisher { pair: SigningKey::from_seed(&seed), seed }
    }

    /// Reads the text form, white space around it allowed.
    ///
    /// # Errors
    /// If it is something else.
    pub fn from_secret_text(text: &str) -> Result<Publisher, KeyTextError> {
        body(text, SECRET_PREFIX).map(Publisher::from_seed)
    }

    /// The text form, for a file that its owner alone can read.
    pub fn to_secret_text(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("{SECRET_PREFIX}{}", Eid::from_bytes(*self.seed.expose())))
    }

    /// Its public key.
    pub const fn public(&self) -> PublisherKey {
        PublisherKey(*self.pair.public())
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; tng_crypto::SIGNATURE_LEN] {
        self.pair.sign(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written_and_neither_is_taken_for_the_other() {
        let pair = Publisher::from_seed([7; 32]);
        let (public, secret) = (pair.public().to_string(), pair.to_secret_text());
        assert_eq!(public.parse(), Ok(pair.public()));
        assert_eq!(Publisher::from_secret_text(&format!(" {}\n", *secret)).map(|it| it.public()), Ok(pair.public()));
        assert_eq!(secret.parse::<PublisherKey>(), Err(KeyTextError::Prefix(PUBLIC_PREFIX)));
        assert!(Publisher::from_secret_text(&public).is_err());
        assert_eq!(public[..public.len() - 1].parse::<PublisherKey>(), Err(KeyTextError::Body));
        let host = Eid::from_bytes(*pair.public().as_bytes()).to_string();
        assert!(host.parse::<PublisherKey>().is_err(), "a host's identity is no publisher");
    }

    #[test]
    fn the_two_forms_of_a_key_are_one_secret() {
        let key = Publisher::from_seed([7; 32]).public();
        let mut bytes = *key.as_bytes();
        bytes[31] ^= 0x80;
        assert!(key.is_same_secret(&PublisherKey::from_bytes(bytes)));
        assert!(!key.is_same_secret(&Publisher::from_seed([8; 32]).public()), "control");
    }
}
