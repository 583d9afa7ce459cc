//! How a store is opened, whatever was done to it before.

use core::fmt;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tng_base::CodeHash;
use tng_crypto::{Secret32, Zeroizing, code_hash};

use super::files::{ASIDE, COMPILED, Kept, MANIFESTS, MODULES, NEW, REVOCATIONS, name};
use super::{Contents, QUOTA_DEFAULT, STORED_MODULE_MAX, Store, StoreError};
use crate::index::MODULES_MAX;
use crate::{Disk, Entry, History, Index, MANIFEST_MAX, Origin, SignedManifest};

/// Something that was found to be wrong, and was set aside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Which file.
    pub what: Damaged,
    /// What is wrong with it.
    pub why: String,
}

/// A file of a store that is damaged, shown as its name in the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Damaged {
    /// The key that what is compiled is kept under.
    Key,
    /// What is here.
    Index,
    /// What went wrong.
    History,
    /// The revocation list in this file.
    Revocations(String),
    /// This module.
    Module(CodeHash),
    /// What is said of this module.
    Manifest(CodeHash),
}

impl Damaged {
    /// What its user may do about it.
    pub const fn remedy(&self) -> &'static str {
        match self {
            Damaged::Key => "go on: what was compiled before is compiled again when it is needed",
            Damaged::Index => "tng stp list shows what is left; install, pin and flag the rest again",
            Damaged::History => "tng stp flag what has gone wrong before: the store does not know it any more",
            Damaged::Revocations(_) => "tng stp revoke LIST, with the list of that publisher",
            Damaged::Module(_) => "tng stp install FILE.wasm",
            Damaged::Manifest(_) => "tng stp install FILE.wasm, with its manifest beside it",
        }
    }
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damaged::Key => f.write_str("key"),
            Damaged::Index => f.write_str("index"),
            Damaged::History => f.write_str("history"),
            Damaged::Revocations(file) => write!(f, "{REVOCATIONS}/{file}"),
            Damaged::Module(hash) => write!(f, "{MODULES}/{hash}"),
            Damaged::Manifest(hash) => write!(f, "{MANIFESTS}/{hash}"),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is set aside: {}", self.what, self.why)
    }
}

/// Where a user's store is: `$XDG_DATA_HOME/tng/stp`, or `~/.local/share/tng/stp`.
///
/// # Errors
/// [`StoreError::NoHome`].
pub fn default_folder(xdg: Option<OsString>, home: Option<OsString>) -> Result<PathBuf, StoreError> {
    let set = |value: Option<OsString>| value.map(PathBuf::from).filter(|path| path.is_absolute());
    let data = set(xdg).or_else(|| Some(set(home)?.join(".local/share")));
    data.map(|data| data.join("tng").join("stp")).ok_or(StoreError::NoHome)
}

impl Store {
    /// Opens a store, and makes it if it is not there. What a process that was killed has left is swept away; what is
    /// damaged is set aside, and told. `fresh` are 32 random bytes, for the key of a store that has none.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn open(folder: &Path, fresh: Secret32) -> Result<(Store, Contents, Vec<Note>), StoreError> {
        Store::open_on(super::real_disk(), folder, fresh)
    }

    /// The same, on another disk.
    ///
    /// # Errors
    /// See [`StoreError`].
    #[doc(hidden)]
    pub fn open_on(
        disk: Box<dyn Disk>,
        folder: &Path,
        fresh: Secret32,
    ) -> Result<(Store, Contents, Vec<Note>), StoreError> {
        make_folders(folder)?;
        let lock = private(&folder.join("lock"))?;
        let store = Store {
            folder: folder.to_owned(),
            disk,
            quota: QUOTA_DEFAULT,
            key: Secret32::from_bytes([0; 32]),
            lock: Mutex::new(lock),
        };
        let mut notes = Vec::new();
        let (key, contents) = {
            let _held = store.hold()?;
            store.sweep_new()?;
            let key = store.key_or(fresh, &mut notes)?;
            let index = store.index_or_rebuilt(&mut notes)?;
            store.sweep_strays(&index)?;
            let (history, revocations) = (store.history_or_new(&mut notes)?, store.read_revocations(&mut notes)?);
            (key, Contents { index, history, revocations })
        };
        Ok((Store { key, ..store }, contents, notes))
    }

    /// Reads it again, as another process may have changed it.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn contents(&self) -> Result<Contents, StoreError> {
        let _held = self.hold()?;
        let revocations = self.read_revocations(&mut Vec::new())?;
        Ok(Contents { index: self.read_index()?, history: self.read_history()?, revocations })
    }

    /// Removes what was being written by a process that was killed.
    fn sweep_new(&self) -> Result<(), StoreError> {
        for folder in ["", MODULES, MANIFESTS, COMPILED, REVOCATIONS] {
            for path in self.files(folder)?.into_iter().filter(|path| name(path).ends_with(NEW)) {
                self.drop_path(&path)?;
            }
        }
        Ok(())
    }

    fn key_or(&self, fresh: Secret32, notes: &mut Vec<Note>) -> Result<Secret32, StoreError> {
        let path = self.folder.join("key");
        if let Some(bytes) = self.read(&path, 32)?.map(Zeroizing::new) {
            if let Ok(key) = <[u8; 32]>::try_from(&bytes[..]) {
                return Ok(Secret32::from_bytes(key));
            }
            notes.push(Note { what: Damaged::Key, why: "it has not 32 bytes; code is compiled anew".to_owned() });
            self.set_aside(&path)?;
        }
        let beside = self.folder.join(format!("key{NEW}"));
        let written = self
            .disk
            .write(&beside, fresh.expose())
            .and_then(|()| self.disk.rename(&beside, &path))
            .and_then(|()| self.disk.sync_folder(&self.folder));
        written.map(|()| fresh).map_err(|error| StoreError::io("writing the key of the store", &error))
    }

    /// The index; of one that cannot be read, what the modules that are there say of themselves. What this user has
    /// pinned and flagged is lost then, and told.
    fn index_or_rebuilt(&self, notes: &mut Vec<Note>) -> Result<Index, StoreError> {
        let error = match self.read_index() {
            Err(StoreError::Index(error)) => error,
            other => return other,
        };
        let why = format!("{error}; pins, flags and versions that were here are lost with it");
        notes.push(Note { what: Damaged::Index, why });
        self.set_aside(&self.path(Kept::Index))?;
        let mut index = Index::default();
        for path in self.files(MODULES)? {
            let Ok(hash) = name(&path).parse::<CodeHash>() else { continue };
            match self.recovered(&hash)? {
                Some(entry) if index.modules.len() < MODULES_MAX => {
                    // Nobody knows which keys mattered.
                    let kept = entry.manifest.as_ref().map_or(Ok(()), |signed| index.keep_marks(signed, |_| true));
                    kept.map_err(|_| StoreError::TooMany("names of signed code"))?;
                    index.modules.insert(hash, entry);
                }
                Some(_) | None => self.set_aside(&path)?,
            }
        }
        self.write_index(&mut index)?;
        Ok(index)
    }

    /// What a module and its manifest say by themselves. Without a manifest nobody knows what it is.
    fn recovered(&self, hash: &CodeHash) -> Result<Option<Entry>, StoreError> {
        let bytes = self.read(&self.path(Kept::Module(hash)), STORED_MODULE_MAX)?.unwrap_or_default();
        let manifest = self.read(&self.path(Kept::Manifest(hash)), MANIFEST_MAX)?.unwrap_or_default();
        let signed = SignedManifest::read(&manifest).ok().filter(|signed| signed.manifest.hash == *hash);
        Ok(signed.filter(|_| code_hash(&bytes) == *hash).map(|signed| Entry {
            bytes: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            kind: signed.manifest.kind,
            origin: Origin::Unknown,
            installed_unix_s: 0,
            used_unix_s: 0,
            manifest: Some(signed),
        }))
    }

    fn history_or_new(&self, notes: &mut Vec<Note>) -> Result<History, StoreError> {
        match self.read_history() {
            Err(StoreError::History(error)) => {
                let why = format!("{error}; violations that it tells of do not count any more");
                notes.push(Note { what: Damaged::History, why });
                self.set_aside(&self.path(Kept::History))?;
                Ok(History::default())
            }
            other => other,
        }
    }

    /// Removes what the index does not name: it came half, or was about to go.
    fn sweep_strays(&self, index: &Index) -> Result<(), StoreError> {
        let named: BTreeSet<String> = index.modules().map(|(hash, _)| hash.to_string()).collect();
        for folder in [MODULES, MANIFESTS, COMPILED] {
            for path in self.files(folder)? {
                let of = name(&path).split('-').next().unwrap_or_default();
                if !named.contains(of) {
                    self.drop_path(&path)?;
                }
            }
        }
        Ok(())
    }
}

/// The folders, for this user alone.
fn make_folders(folder: &Path) -> Result<(), StoreError> {
    let failed = |error: &io::Error| StoreError::io("making the folder of the store", error);
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| failed(&error))?;
    check_mode(folder)?;
    for inner in [MODULES, MANIFESTS, COMPILED, REVOCATIONS, ASIDE] {
        builder.create(folder.join(inner)).map_err(|error| failed(&error))?;
    }
    Ok(())
}

/// A user who may write there could pin code, or put another key there.
#[cfg(unix)]
fn check_mode(folder: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::MetadataExt;
    let metadata =
        fs::metadata(folder).map_err(|error| StoreError::io("looking at the folder of the store", &error))?;
    let mode = metadata.mode() & 0o777;
    if mode & 0o022 == 0 { Ok(()) } else { Err(StoreError::Open { mode }) }
}

#[cfg(not(unix))]
fn check_mode(_: &Path) -> Result<(), StoreError> {
    Ok(())
}

fn private(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| StoreError::io("opening the lock of the store", &error))
}
