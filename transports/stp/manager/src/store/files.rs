//! The files of a store.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tng_base::CodeHash;

use super::open::{Damaged, Note};
use super::{Store, StoreError};
use crate::history::HISTORY_BYTES_MAX;
use crate::index::INDEX_BYTES_MAX;
use crate::revocation::{ISSUERS_MAX, REVOCATIONS_BYTES_MAX};
use crate::{History, Index, MANIFEST_MAX, PublisherKey, Revocations, SignedRevocations};

/// A file of a store.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kept<'a> {
    Index,
    History,
    Module(&'a CodeHash),
    Manifest(&'a CodeHash),
    Compiled(&'a CodeHash, &'a str),
    Revocations(&'a PublisherKey),
}

pub(super) const MODULES: &str = "modules";
pub(super) const MANIFESTS: &str = "manifests";
pub(super) const COMPILED: &str = "compiled";
pub(super) const REVOCATIONS: &str = "revocations";
pub(super) const ASIDE: &str = "aside";
/// What a file is called while it is written.
pub(super) const NEW: &str = ".new";
/// Files that are kept aside, the newest.
pub const ASIDE_MAX: usize = 32;

impl Store {
    pub(super) fn path(&self, kept: Kept<'_>) -> PathBuf {
        match kept {
            Kept::Index => self.folder.join("index"),
            Kept::History => self.folder.join("history"),
            Kept::Module(hash) => self.folder.join(MODULES).join(hash.to_string()),
            Kept::Manifest(hash) => self.folder.join(MANIFESTS).join(hash.to_string()),
            Kept::Compiled(hash, tag) => self.folder.join(COMPILED).join(format!("{hash}-{tag}")),
            Kept::Revocations(key) => self.folder.join(REVOCATIONS).join(key.to_string()),
        }
    }

    /// Writes a file: beside, synced, renamed, its folder synced.
    pub(super) fn put(&self, kept: Kept<'_>, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.path(kept);
        let mut beside = path.clone().into_os_string();
        beside.push(NEW);
        let (beside, folder) = (PathBuf::from(beside), path.parent().unwrap_or(&self.folder));
        let doing = kept.doing();
        let written = self.disk.write(&beside, bytes).and_then(|()| self.disk.rename(&beside, &path));
        written.map_err(|error| {
            // What is left of it is swept away when the store is opened, if not now.
            let _ = self.disk.remove(&beside);
            StoreError::io(doing, &error)
        })?;
        self.disk.sync_folder(folder).map_err(|error| StoreError::io(doing, &error))
    }

    /// Removes a file, if it is there.
    pub(super) fn drop_file(&self, kept: Kept<'_>) -> Result<(), StoreError> {
        self.drop_path(&self.path(kept))
    }

    pub(super) fn drop_path(&self, path: &Path) -> Result<(), StoreError> {
        match self.disk.remove(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::io("removing from the store", &error))
            }
            Err(_) | Ok(()) => Ok(()),
        }
    }

    /// Removes a module's files.
    pub(super) fn drop_files_of(&self, hash: &CodeHash) -> Result<(), StoreError> {
        self.drop_file(Kept::Module(hash))?;
        self.drop_file(Kept::Manifest(hash))?;
        let of = format!("{hash}-");
        for path in self.files(COMPILED)?.into_iter().filter(|path| name(path).starts_with(&of)) {
            self.drop_path(&path)?;
        }
        Ok(())
    }

    /// A file, if it is there.
    pub(super) fn read(&self, path: &Path, most: usize) -> Result<Option<Vec<u8>>, StoreError> {
        let failed = |error: &io::Error| StoreError::io("reading the store", error);
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(|error| failed(&error))?,
        };
        let mut bytes = Vec::new();
        // One byte more shows that it is too long, and then its reader finds it damaged.
        file.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        Ok(Some(bytes))
    }

    /// All files of one of the folders, sorted.
    pub(super) fn files(&self, folder: &str) -> Result<Vec<PathBuf>, StoreError> {
        let failed = |error: &io::Error| StoreError::io("reading the store", error);
        let listed = fs::read_dir(self.folder.join(folder)).map_err(|error| failed(&error))?;
        let paths: Result<Vec<PathBuf>, _> = listed.map(|entry| entry.map(|entry| entry.path())).collect();
        let mut paths = paths.map_err(|error| failed(&error))?;
        paths.sort();
        Ok(paths)
    }

    /// Bytes of compiled code, by module.
    pub(super) fn compiled_bytes(&self) -> Result<BTreeMap<CodeHash, u64>, StoreError> {
        let mut bytes = BTreeMap::new();
        for path in self.files(COMPILED)? {
            let hash = name(&path).split('-').next().and_then(|hash| hash.parse::<CodeHash>().ok());
            if let (Some(hash), Ok(metadata)) = (hash, fs::metadata(&path)) {
                *bytes.entry(hash).or_default() += metadata.len();
            }
        }
        Ok(bytes)
    }

    /// The index, with the manifests that lie beside the modules; without what is not there whole.
    pub(super) fn read_index(&self) -> Result<Index, StoreError> {
        let mut index = self.read_named()?;
        index.modules.retain(|hash, entry| {
            let there = fs::metadata(self.path(Kept::Module(hash)));
            there.is_ok_and(|metadata| metadata.len() == u64::from(entry.bytes))
        });
        Ok(index)
    }

    /// The same with all that it names.
    pub(super) fn read_named(&self) -> Result<Index, StoreError> {
        let Some(bytes) = self.read(&self.path(Kept::Index), INDEX_BYTES_MAX)? else { return Ok(Index::default()) };
        let mut index = Index::read(&bytes).map_err(StoreError::Index)?;
        for (hash, entry) in &mut index.modules {
            let manifest = self.read(&self.path(Kept::Manifest(hash)), MANIFEST_MAX)?;
            entry.manifest = manifest.and_then(|bytes| super::manifest_of(&bytes, hash, entry));
        }
        Ok(index)
    }

    pub(super) fn write_index(&self, index: &mut Index) -> Result<(), StoreError> {
        index.generation = index.generation.wrapping_add(1) & tng_wire::VARINT_MAX;
        self.put(Kept::Index, &index.to_file())
    }

    pub(super) fn read_history(&self) -> Result<History, StoreError> {
        match self.read(&self.path(Kept::History), HISTORY_BYTES_MAX)? {
            Some(bytes) => History::read(&bytes).map_err(StoreError::History),
            None => Ok(History::default()),
        }
    }

    /// The revocation lists; what is none is told, and set aside.
    pub(super) fn read_revocations(&self, notes: &mut Vec<Note>) -> Result<Revocations, StoreError> {
        let mut all = Revocations::default();
        for path in self.files(REVOCATIONS)?.into_iter().take(ISSUERS_MAX + 1) {
            if name(&path).ends_with(NEW) {
                continue;
            }
            let bytes = self.read(&path, REVOCATIONS_BYTES_MAX)?.unwrap_or_default();
            let read = SignedRevocations::read(&bytes).and_then(|signed| all.accept(signed));
            if let Err(error) = read {
                notes.push(Note { what: Damaged::Revocations(name(&path).to_owned()), why: error.to_string() });
                self.set_aside(&path)?;
            }
        }
        Ok(all)
    }

    /// Moves a file out of the way, where its user may look at it. The oldest one there makes room.
    pub(super) fn set_aside(&self, path: &Path) -> Result<(), StoreError> {
        let doing = "setting a file aside";
        let failed = |error: &io::Error| StoreError::io(doing, error);
        let aside = self.folder.join(ASIDE);
        let number = |path: &PathBuf| name(path).split('-').next().and_then(|number| number.parse::<u64>().ok());
        let mut there: Vec<(u64, PathBuf)> =
            self.files(ASIDE)?.into_iter().map(|path| (number(&path).unwrap_or(0), path)).collect();
        there.sort();
        let next = there.last().map_or(1, |(number, _)| number.saturating_add(1));
        for (_, oldest) in there.iter().take((there.len() + 1).saturating_sub(ASIDE_MAX)) {
            self.drop_path(oldest)?;
        }
        match self.disk.rename(path, &aside.join(format!("{next}-{}", name(path)))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&error)),
            Err(_) | Ok(()) => self.disk.sync_folder(&aside).map_err(|error| failed(&error)),
        }
    }
}

impl Kept<'_> {
    const fn doing(self) -> &'static str {
        match self {
            Kept::Index => "writing the index of the store",
            Kept::History => "writing the history of violations",
            Kept::Module(_) => "writing a module into the store",
            Kept::Manifest(_) => "writing a manifest into the store",
            Kept::Compiled(..) => "writing compiled code into the store",
            Kept::Revocations(_) => "writing a revocation list into the store",
        }
    }
}

/// A file's name.
pub(super) fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
