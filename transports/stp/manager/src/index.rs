//! What a store holds, and what its user says of it.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet};

use tng_base::CodeHash;
use tng_stp_abi::Kind;
use tng_wire::{Reader, Repr};

use crate::wire::{checked, unchecked};
use crate::{Name, Origin, PublisherKey, SignedManifest, Version};

/// Modules in a store, and hashes that are pinned, or flagged.
pub const MODULES_MAX: usize = 1_024;
/// Versions of names that a store has seen, by signer.
pub const MARKS_MAX: usize = 4_096;
/// Letters of what a user notes with a flag.
pub const NOTE_MAX: usize = 128;
/// Bytes of an index.
pub(crate) const INDEX_BYTES_MAX: usize = 1 << 20;

/// A module that is here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Bytes of the module.
    pub bytes: u32,
    /// What it is.
    pub kind: Kind,
    /// Where it came from.
    pub origin: Origin,
    /// When it came, in seconds of Unix.
    pub installed_unix_s: u64,
    /// When it was last used, in seconds of Unix.
    pub used_unix_s: u64,
    /// What is said of it, with good signatures; it lies in a file beside it, not in the index.
    pub manifest: Option<SignedManifest>,
}

/// The newest version of a name that a key has signed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// Which version.
    pub version: Version,
    /// Which code.
    pub hash: CodeHash,
}

/// Why an index is not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexError {
    /// Environment: its checksum is wrong, or what it covers makes no sense.
    Damaged,
    /// Environment: it is of another version.
    Version(u8),
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexError::Damaged => f.write_str("the index of the store is damaged"),
            IndexError::Version(version) => {
                write!(f, "the index of the store is of version {version}, which this tng does not know")
            }
        }
    }
}

impl core::error::Error for IndexError {}

/// The index of a store.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Index {
    /// Counts changes: who holds another number has an old one.
    pub generation: u64,
    pub(crate) modules: BTreeMap<CodeHash, Entry>,
    pub(crate) pins: BTreeSet<CodeHash>,
    pub(crate) flags: BTreeMap<CodeHash, String>,
    pub(crate) marks: BTreeMap<(Name, PublisherKey), Mark>,
}

impl Index {
    /// A module that is here.
    pub fn module(&self, hash: &CodeHash) -> Option<&Entry> {
        self.modules.get(hash)
    }

    /// All modules that are here, by hash.
    pub fn modules(&self) -> impl Iterator<Item = (&CodeHash, &Entry)> {
        self.modules.iter()
    }

    /// Whether this user has pinned it.
    pub fn is_pinned(&self, hash: &CodeHash) -> bool {
        self.pins.contains(hash)
    }

    /// All hashes that are pinned.
    pub fn pins(&self) -> impl Iterator<Item = &CodeHash> {
        self.pins.iter()
    }

    /// What this user says of it, if it is flagged as buggy.
    pub fn flag(&self, hash: &CodeHash) -> Option<&str> {
        self.flags.get(hash).map(String::as_str)
    }

    /// All flags.
    pub fn flags(&self) -> impl Iterator<Item = (&CodeHash, &str)> {
        self.flags.iter().map(|(hash, note)| (hash, note.as_str()))
    }

    /// The newest version of a name that a key has signed, of those that have been here.
    pub fn mark(&self, name: &Name, key: &PublisherKey) -> Option<&Mark> {
        self.marks.get(&(name.clone(), *key))
    }

    /// The newest version of a name that is here and that a key has signed. A module's manifest may be newer than its
    /// mark, if who put it there was killed.
    pub(crate) fn newest_signed(&self, name: &Name, key: &PublisherKey) -> Option<Version> {
        let manifests = self.modules.values().filter_map(|entry| entry.manifest.as_ref());
        let signed = manifests.filter(|it| it.manifest.name == *name && it.signers().any(|other| other == key));
        signed.map(|it| it.manifest.version).max()
    }

    /// Bytes of all modules and manifests.
    pub fn bytes(&self) -> u64 {
        self.modules.values().map(Entry::stored_bytes).sum()
    }

    /// Keeps in mind what keys have signed, if it is newer than what they have signed of that name.
    ///
    /// # Errors
    /// If there is no room for more names.
    pub(crate) fn keep_marks(
        &mut self,
        signed: &SignedManifest,
        of: impl Fn(&PublisherKey) -> bool,
    ) -> Result<(), Full> {
        let manifest = &signed.manifest;
        for key in signed.signers().filter(|key| of(key)) {
            let at = (manifest.name.clone(), *key);
            match self.marks.get(&at) {
                Some(mark) if mark.version >= manifest.version => continue,
                None if self.marks.len() == MARKS_MAX => return Err(Full),
                Some(_) | None => {}
            }
            self.marks.insert(at, Mark { version: manifest.version, hash: manifest.hash });
        }
        Ok(())
    }

    /// Reads a file. Manifests lie elsewhere.
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn read(bytes: &[u8]) -> Result<Index, IndexError> {
        if bytes.len() > INDEX_BYTES_MAX {
            return Err(IndexError::Damaged);
        }
        let body = unchecked(bytes, INDEX_MAGIC, INDEX_VERSION).map_err(|other| match other {
            Some(version) => IndexError::Version(version),
            None => IndexError::Damaged,
        })?;
        let mut reader = Reader::new(body);
        match Index::parse(&mut reader) {
            Ok(index) if reader.is_empty() => Ok(index),
            _ => Err(IndexError::Damaged),
        }
    }

    /// As a file.
    pub fn to_file(&self) -> Vec<u8> {
        checked(&self.to_vec(), INDEX_MAGIC, INDEX_VERSION)
    }
}

/// An index has no room for more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Full;

impl Entry {
    /// Bytes of it with its manifest.
    pub fn stored_bytes(&self) -> u64 {
        u64::from(self.bytes) + self.manifest.as_ref().map_or(0, |manifest| manifest.wire_len() as u64)
    }
}

/// What the file begins with.
const INDEX_MAGIC: [u8; 4] = *b"tngi";
/// The version of the file.
const INDEX_VERSION: u8 = 2;
