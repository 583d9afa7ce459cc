//! Where code is kept.
//!
//! ```text
//! stp/                    0700
//!   lock                  held by the process that changes something
//!   key                   32 random bytes, of the MAC of compiled code; 0600, as all files
//!   index                 what is here, pins, flags, versions that were here
//!   history               violations
//!   revocations/KEY       the newest list of each key
//!   modules/HASH          a module
//!   manifests/HASH        its manifest
//!   compiled/HASH-TAG     what it was compiled into, by engine and processor
//!   aside/                what was found to be wrong
//! ```
//!
//! A file is written beside, synced, and renamed; then its folder is synced. The index is the last to be written of
//! what comes, and the first of what goes: what it names is there whole, and what it does not name is swept away.

mod error;
mod files;
mod open;
mod verify;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tng_base::CodeHash;
use tng_crypto::{Secret32, code_hash};
use tng_wire::Repr;

use crate::index::MODULES_MAX;
use crate::{
    ByHand, Disk, Entry, History, Index, NOTE_MAX, PublisherKey, RealDisk, RevocationError, Revocations,
    SignedManifest, SignedRevocations, Violation,
};
use files::Kept;

pub use error::StoreError;
pub use open::{Damaged, Note, default_folder};
pub use verify::Verified;

/// Bytes that a store holds, compiled code included, unless it is told otherwise.
pub const QUOTA_DEFAULT: u64 = 64 << 20;
/// Bytes of a module.
pub const STORED_MODULE_MAX: usize = 1 << 20;
/// Bytes of compiled code of one module.
pub const COMPILED_MAX: usize = 16 << 20;

/// A store. Threads and processes may share it.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    disk: Box<dyn Disk>,
    quota: u64,
    key: Secret32,
    lock: Mutex<File>,
}

/// That this thread of this process alone changes the store.
struct Held<'a>(MutexGuard<'a, File>);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // It is given back with the file at the latest.
        let _ = self.0.unlock();
    }
}

/// What a store holds, as it was read.
#[derive(Debug, Default)]
pub struct Contents {
    /// What is here.
    pub index: Index,
    /// Violations.
    pub history: History,
    /// Revocation lists.
    pub revocations: Revocations,
}

impl Store {
    /// The secret of this store, from which the key of the MAC of compiled code is derived.
    pub const fn key(&self) -> &Secret32 {
        &self.key
    }

    /// The folder.
    pub const fn folder(&self) -> &PathBuf {
        &self.folder
    }

    /// With another quota, in bytes.
    #[must_use]
    pub fn with_quota(self, quota: u64) -> Store {
        Store { quota, ..self }
    }

    fn hold(&self) -> Result<Held<'_>, StoreError> {
        let file = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        file.lock().map_err(|error| StoreError::io("locking the store", &error))?;
        Ok(Held(file))
    }

    /// A module, whose bytes are those that its hash names.
    ///
    /// # Errors
    /// If it is not here, or cannot be read, or has been damaged; then it is set aside, and is not here any more.
    pub fn module(&self, hash: &CodeHash) -> Result<Vec<u8>, StoreError> {
        let path = self.path(Kept::Module(hash));
        let bytes = self.read(&path, STORED_MODULE_MAX)?.ok_or(StoreError::NotHere(*hash))?;
        if code_hash(&bytes) == *hash {
            return Ok(bytes);
        }
        let held = self.hold()?;
        self.remove_held(&held, hash, true)?;
        Err(StoreError::Damaged(*hash))
    }

    /// Puts a module into the store, with what is said of it and what it was compiled into: all of it, or nothing. A
    /// manifest that is here stays, unless another one comes.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub(crate) fn install(
        &self,
        bytes: &[u8],
        (hash, mut entry): (CodeHash, Entry),
        ByHand { pin, compiled }: ByHand<'_>,
        marked: impl Fn(&PublisherKey) -> bool,
    ) -> Result<Index, StoreError> {
        let held = self.hold()?;
        let mut index = self.read_index()?;
        if entry.manifest.is_none() {
            entry.manifest = index.module(&hash).and_then(|known| known.manifest.clone());
        }
        if let Some(signed) = &entry.manifest {
            index.keep_marks(signed, marked).map_err(|_| StoreError::TooMany("names of signed code"))?;
        }
        if !index.modules.contains_key(&hash) && index.modules.len() == MODULES_MAX {
            return Err(StoreError::TooMany("modules"));
        }
        if pin {
            add_pin(&mut index, hash)?;
        }
        let compiled = compiled.filter(|(_, code)| code.len() <= COMPILED_MAX);
        let compiled_bytes = compiled.map_or(0, |(_, code)| code.len() as u64);
        self.make_room(&held, &mut index, &hash, entry.stored_bytes() + compiled_bytes)?;
        self.put(Kept::Module(&hash), bytes)?;
        match &entry.manifest {
            Some(signed) => self.put(Kept::Manifest(&hash), &signed.to_vec())?,
            None => self.drop_file(Kept::Manifest(&hash))?,
        }
        if let Some((tag, code)) = compiled {
            self.put(Kept::Compiled(&hash, tag), code)?;
        }
        index.modules.insert(hash, entry);
        self.write_index(&mut index)?;
        Ok(index)
    }

    /// Takes a module out, with all that was made of it.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn remove(&self, hash: &CodeHash) -> Result<Index, StoreError> {
        let held = self.hold()?;
        self.remove_held(&held, hash, false)
    }

    fn remove_held(&self, _: &Held<'_>, hash: &CodeHash, aside: bool) -> Result<Index, StoreError> {
        let mut index = self.read_index()?;
        let gone = index.modules.remove(hash);
        if gone.is_none() && !aside {
            return Err(StoreError::NotHere(*hash));
        }
        self.write_index(&mut index)?;
        if aside {
            self.set_aside(&self.path(Kept::Module(hash)))?;
        }
        self.drop_files_of(hash)?;
        Ok(index)
    }

    /// Changes what this user says of code.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn pin(&self, hash: CodeHash, pinned: bool) -> Result<Index, StoreError> {
        self.change(|index| match pinned {
            true => add_pin(index, hash),
            false => Ok(index.pins.remove(&hash)),
        })
    }

    /// Flags code as buggy, with a note (its first [`NOTE_MAX`] bytes are kept), or takes the flag away.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn flag(&self, hash: CodeHash, note: Option<&str>) -> Result<Index, StoreError> {
        self.change(|index| match note {
            Some(_) if index.flags.len() == MODULES_MAX && index.flag(&hash).is_none() => {
                Err(StoreError::TooMany("flags"))
            }
            Some(note) => {
                let end = (0..=NOTE_MAX.min(note.len())).rev().find(|end| note.is_char_boundary(*end)).unwrap_or(0);
                Ok(index.flags.insert(hash, note[..end].to_owned()).is_none())
            }
            None => Ok(index.flags.remove(&hash).is_some()),
        })
    }

    /// Writes down when modules were used, in seconds of Unix.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub(crate) fn used(&self, uses: &BTreeMap<CodeHash, u64>) -> Result<Index, StoreError> {
        self.change(|index| {
            let mut changed = false;
            for (hash, at) in uses {
                if let Some(entry) = index.modules.get_mut(hash).filter(|entry| entry.used_unix_s < *at) {
                    entry.used_unix_s = *at;
                    changed = true;
                }
            }
            Ok(changed)
        })
    }

    /// Changes the index as it is on the disk, and writes it if it has changed.
    fn change(&self, change: impl FnOnce(&mut Index) -> Result<bool, StoreError>) -> Result<Index, StoreError> {
        let _held = self.hold()?;
        let mut index = self.read_index()?;
        if change(&mut index)? {
            self.write_index(&mut index)?;
        }
        Ok(index)
    }

    /// Adds violations, or forgives a code what it has done.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub(crate) fn change_history(&self, change: impl FnOnce(&mut History)) -> Result<History, StoreError> {
        let _held = self.hold()?;
        let mut history = self.read_history()?;
        let before = history.clone();
        change(&mut history);
        if history != before {
            self.put(Kept::History, &history.to_file())?;
        }
        Ok(history)
    }

    /// Writes violations down: the code, when in seconds of Unix, what.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub(crate) fn add_violations(&self, new: &[(CodeHash, u64, Violation)]) -> Result<History, StoreError> {
        self.change_history(|history| new.iter().for_each(|(hash, at, what)| history.add(*hash, *what, *at)))
    }

    /// Takes a revocation list in.
    ///
    /// # Errors
    /// [`StoreError::Revocation`] if it is not taken, or what the disk says.
    pub(crate) fn accept(&self, signed: SignedRevocations) -> Result<Revocations, StoreError> {
        let _held = self.hold()?;
        let mut all = self.read_revocations(&mut Vec::new())?;
        let (issuer, bytes) = (signed.list.issuer, signed.to_vec());
        all.accept(signed).map_err(StoreError::Revocation)?;
        self.put(Kept::Revocations(&issuer), &bytes)?;
        Ok(all)
    }

    /// What a module was compiled into by an engine of this tag, if that is kept. Nothing is said of what the bytes
    /// are: the engine that compiled them checks their MAC.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn compiled(&self, hash: &CodeHash, tag: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(&self.path(Kept::Compiled(hash, tag)), COMPILED_MAX)
    }

    /// Keeps what a module that is here was compiled into.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn keep_compiled(&self, hash: &CodeHash, tag: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let held = self.hold()?;
        let mut index = self.read_index()?;
        if !index.modules.contains_key(hash) {
            return Err(StoreError::NotHere(*hash));
        }
        if bytes.len() > COMPILED_MAX {
            return Err(StoreError::TooLarge { bytes: bytes.len() as u64 });
        }
        self.make_room(&held, &mut index, hash, bytes.len() as u64)?;
        self.put(Kept::Compiled(hash, tag), bytes)
    }

    /// Removes what was not used for longest and is not pinned, until no more than so many bytes are here.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn collect(&self, most: u64) -> Result<Index, StoreError> {
        let held = self.hold()?;
        let mut index = self.read_index()?;
        self.collect_until(&held, &mut index, None, most)?;
        Ok(index)
    }

    /// Makes room for so many bytes more.
    fn make_room(&self, held: &Held<'_>, index: &mut Index, keep: &CodeHash, bytes: u64) -> Result<(), StoreError> {
        let most = self.quota.checked_sub(bytes).ok_or(StoreError::Quota { bytes, quota: self.quota })?;
        if self.collect_until(held, index, Some(keep), most)? {
            Ok(())
        } else {
            Err(StoreError::Quota { bytes, quota: self.quota })
        }
    }

    /// Whether no more than so many bytes are left.
    fn collect_until(
        &self,
        _: &Held<'_>,
        index: &mut Index,
        keep: Option<&CodeHash>,
        most: u64,
    ) -> Result<bool, StoreError> {
        let mut compiled = self.compiled_bytes()?;
        let mut total = index.bytes().saturating_add(compiled.values().sum());
        let mut by_use: Vec<(u64, CodeHash)> = index
            .modules()
            .filter(|(hash, _)| !index.is_pinned(hash) && Some(*hash) != keep)
            .map(|(hash, entry)| (entry.used_unix_s.max(entry.installed_unix_s), *hash))
            .collect();
        by_use.sort_unstable();
        let mut gone = Vec::new();
        for (_, hash) in by_use {
            if total <= most {
                break;
            }
            let own = index.modules.remove(&hash).map_or(0, |entry| entry.stored_bytes());
            total = total.saturating_sub(own).saturating_sub(compiled.remove(&hash).unwrap_or(0));
            gone.push(hash);
        }
        if !gone.is_empty() {
            self.write_index(index)?;
            gone.iter().try_for_each(|hash| self.drop_files_of(hash))?;
        }
        Ok(total <= most)
    }
}

impl From<RevocationError> for StoreError {
    fn from(error: RevocationError) -> StoreError {
        StoreError::Revocation(error)
    }
}

/// Pins code; answers whether it was not before.
fn add_pin(index: &mut Index, hash: CodeHash) -> Result<bool, StoreError> {
    match index.pins.len() == MODULES_MAX && !index.is_pinned(&hash) {
        true => Err(StoreError::TooMany("pins")),
        false => Ok(index.pins.insert(hash)),
    }
}

/// A store's disk, unless a test has another one.
fn real_disk() -> Box<dyn Disk> {
    Box::new(RealDisk)
}

/// The manifest of a module, if it is one of it.
fn manifest_of(bytes: &[u8], hash: &CodeHash, entry: &Entry) -> Option<SignedManifest> {
    SignedManifest::read_of(bytes, hash, entry.kind).ok()
}
