//! Code and keys that a publisher has taken back.

use core::fmt;
use std::collections::BTreeMap;

use tng_base::CodeHash;
use tng_crypto::{SIGNATURE_LEN, labels, verify};
use tng_wire::{Reader, Repr};

use crate::{PublisherKey, PublisherPair};

/// Hashes in a list.
pub const REVOKED_HASHES_MAX: usize = 1_024;
/// Keys in a list.
pub const REVOKED_KEYS_MAX: usize = 64;
/// Bytes of a list with its signature.
pub const REVOCATIONS_BYTES_MAX: usize = 40_000;
/// Publishers' keys whose lists are kept.
pub const ISSUERS_MAX: usize = 64;

/// What one key has taken back. A list has a number, and only grows: who steals a key takes nothing off it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RevocationList {
    /// Whose list it is.
    pub issuer: PublisherKey,
    /// Which one: a later list has a greater number.
    pub number: u64,
    pub(crate) hashes: Vec<CodeHash>,
    pub(crate) keys: Vec<PublisherKey>,
}

/// A list with its signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedRevocations {
    /// The list.
    pub list: RevocationList,
    pub(crate) signature: [u8; SIGNATURE_LEN],
}

/// Why a list is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RevocationError {
    /// Publisher: its bytes are no list of a version that this host knows.
    Malformed,
    /// Publisher: the signature is not that of its key.
    BadSignature,
    /// Publisher: a list with this or a greater number is here already.
    Old {
        /// The number of the one that is here.
        here: u64,
    },
    /// Publisher: what the list that is here takes back is not in it.
    Shrunk,
    /// Policy: no publisher of this host's has this key.
    Stranger(PublisherKey),
    /// Policy: the lists of `ISSUERS_MAX` keys are here.
    TooMany,
    /// Caller: more than a list holds.
    Full,
}

impl fmt::Display for RevocationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RevocationError::Malformed => {
                f.write_str("this is no revocation list of a version that is known here; `tng stp revoke` makes one")
            }
            RevocationError::BadSignature => f.write_str("the list's signature is bad; get it again"),
            RevocationError::Old { here } => {
                write!(f, "list {here} of this key is here already, and is as new or newer; get a later one")
            }
            RevocationError::Shrunk => {
                f.write_str("the list leaves out what an earlier one of this key takes back; lists only grow")
            }
            RevocationError::Stranger(key) => {
                write!(f, "no publisher of this host's policy has the key {key}; add it there first")
            }
            RevocationError::TooMany => {
                write!(f, "the lists of {ISSUERS_MAX} keys are kept, and there are so many; remove one")
            }
            RevocationError::Full => write!(
                f,
                "a list has at most {REVOKED_HASHES_MAX} hashes and {REVOKED_KEYS_MAX} keys; revoke the key instead"
            ),
        }
    }
}

impl core::error::Error for RevocationError {}

impl RevocationList {
    /// An empty list of a key, with number 0.
    pub const fn new(issuer: PublisherKey) -> RevocationList {
        RevocationList { issuer, number: 0, hashes: Vec::new(), keys: Vec::new() }
    }

    /// Takes code back.
    ///
    /// # Errors
    /// [`RevocationError::Full`].
    pub fn revoke(&mut self, hash: CodeHash) -> Result<(), RevocationError> {
        add(&mut self.hashes, hash, REVOKED_HASHES_MAX)
    }

    /// Takes a key back, with all that it has signed.
    ///
    /// # Errors
    /// [`RevocationError::Full`].
    pub fn revoke_key(&mut self, key: PublisherKey) -> Result<(), RevocationError> {
        add(&mut self.keys, key, REVOKED_KEYS_MAX)
    }

    /// The hashes, rising.
    pub fn hashes(&self) -> &[CodeHash] {
        &self.hashes
    }

    /// The keys, rising.
    pub fn keys(&self) -> &[PublisherKey] {
        &self.keys
    }

    /// The list, signed.
    pub fn sign(self, publisher: &PublisherPair) -> SignedRevocations {
        let signature = publisher.sign(&message(&self));
        SignedRevocations { list: self, signature }
    }

    fn has_all_of(&self, other: &RevocationList) -> bool {
        other.hashes.iter().all(|hash| self.hashes.binary_search(hash).is_ok())
            && other.keys.iter().all(|key| self.keys.binary_search(key).is_ok())
    }
}

fn add<T: Ord>(to: &mut Vec<T>, value: T, most: usize) -> Result<(), RevocationError> {
    match to.binary_search(&value) {
        Ok(_) => Ok(()),
        Err(_) if to.len() == most => Err(RevocationError::Full),
        Err(at) => {
            to.insert(at, value);
            Ok(())
        }
    }
}

fn message(list: &RevocationList) -> Vec<u8> {
    [labels::STP_REVOCATION.as_bytes(), &list.to_vec()].concat()
}

impl SignedRevocations {
    /// Reads a list whose signature is good.
    ///
    /// # Errors
    /// [`RevocationError::Malformed`], [`RevocationError::BadSignature`].
    pub fn read(bytes: &[u8]) -> Result<SignedRevocations, RevocationError> {
        if bytes.len() > REVOCATIONS_BYTES_MAX {
            return Err(RevocationError::Malformed);
        }
        let mut reader = Reader::new(bytes);
        let read = SignedRevocations::parse(&mut reader).map_err(|_| RevocationError::Malformed)?;
        if !reader.is_empty() {
            return Err(RevocationError::Malformed);
        }
        if !verify(read.list.issuer.as_bytes(), &message(&read.list), &read.signature) {
            return Err(RevocationError::BadSignature);
        }
        Ok(read)
    }
}

/// The newest list of each key.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Revocations(BTreeMap<PublisherKey, SignedRevocations>);

impl Revocations {
    /// Takes a list in place of the one of the same key.
    ///
    /// # Errors
    /// See [`RevocationError`].
    pub fn accept(&mut self, signed: SignedRevocations) -> Result<(), RevocationError> {
        match self.0.get(&signed.list.issuer) {
            Some(here) if here.list.number >= signed.list.number => {
                return Err(RevocationError::Old { here: here.list.number });
            }
            Some(here) if !signed.list.has_all_of(&here.list) => return Err(RevocationError::Shrunk),
            None if self.0.len() == ISSUERS_MAX => return Err(RevocationError::TooMany),
            Some(_) | None => {}
        }
        self.0.insert(signed.list.issuer, signed);
        Ok(())
    }

    /// The list of a key.
    pub fn of(&self, issuer: &PublisherKey) -> Option<&SignedRevocations> {
        self.0.get(issuer)
    }

    /// All lists, by their keys.
    pub fn all(&self) -> impl Iterator<Item = &SignedRevocations> {
        self.0.values()
    }

    /// Whether one of these keys has taken the code back.
    pub fn takes_back(&self, hash: &CodeHash, issuers: &[PublisherKey]) -> bool {
        self.lists(issuers).any(|list| list.hashes.binary_search(hash).is_ok())
    }

    /// Whether one of these keys has taken this key back.
    pub fn takes_back_key(&self, key: &PublisherKey, issuers: &[PublisherKey]) -> bool {
        self.lists(issuers).any(|list| list.keys.iter().any(|revoked| revoked.is_same_secret(key)))
    }

    fn lists<'a>(&'a self, issuers: &'a [PublisherKey]) -> impl Iterator<Item = &'a RevocationList> {
        issuers.iter().filter_map(|issuer| self.0.get(issuer)).map(|signed| &signed.list)
    }
}
