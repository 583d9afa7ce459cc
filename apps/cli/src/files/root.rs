//! What is served.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tng_services::files::{ENTRIES_MAX, Entry, Fault, FaultCode, Kind, SafePath, stamp_ms};

use crate::failure::{Failure, reason};

/// A folder, or one file, that is served. Nothing outside it is, whatever symbolic links say.
///
/// Who may write into the folder on this host can, with the right timing, swap a name between the check and the opening;
/// serve what only trusted users write to.
#[derive(Clone, Debug)]
pub struct Root {
    /// Without symbolic links.
    base: PathBuf,
    /// If set, the one name below `base` that is served.
    only: Option<SafePath>,
}

impl Root {
    /// The folder or file at `path`.
    ///
    /// # Errors
    /// If it is not there, or is neither.
    pub fn new(path: &Path) -> Result<Root, Failure> {
        let what = || format!("serving {}", path.display());
        let base = path.canonicalize().map_err(|error| Failure::read(what(), &error))?;
        let metadata = base.metadata().map_err(|error| Failure::read(what(), &error))?;
        if metadata.is_dir() {
            return Ok(Root { base, only: None });
        }
        let name = base.file_name().and_then(|name| SafePath::parse(name.to_str()?).ok());
        match (base.parent(), name) {
            (Some(folder), Some(name)) if metadata.is_file() => Ok(Root { base: folder.to_owned(), only: Some(name) }),
            _ => Err(Failure::usage(what(), "it is neither a folder nor a file with a name that can be sent")),
        }
    }

    /// The one file that is served, if it is not a folder.
    pub const fn only(&self) -> Option<&SafePath> {
        self.only.as_ref()
    }

    /// What is served, without symbolic links.
    pub fn path(&self) -> PathBuf {
        self.only.as_ref().unwrap_or(&SafePath::root()).below(&self.base)
    }

    /// Where `path` is, and what.
    ///
    /// # Errors
    /// If it is not there, or not inside, or may not be read.
    pub fn find(&self, path: &SafePath) -> Result<(PathBuf, Metadata), Fault> {
        if self.only.as_ref().is_some_and(|only| only != path && !path.is_root()) {
            return Err(Fault::new(FaultCode::NotFound, ""));
        }
        let full = path.below(&self.base).canonicalize().map_err(|error| fault(&error))?;
        if !full.starts_with(&self.base) {
            return Err(Fault::new(FaultCode::NotAllowed, "it is a link that leads out of the served folder"));
        }
        let metadata = full.metadata().map_err(|error| fault(&error))?;
        Ok((full, metadata))
    }

    /// Everything below `path`, each folder before what is in it, names in order. Gives each entry to `each` and
    /// returns how many things were left out: names that cannot be sent, links to folders or out of the root, what is
    /// neither file nor folder, folders that cannot be read.
    ///
    /// # Errors
    /// If `path` is no readable folder, has too many entries, or `each` fails.
    pub fn walk(&self, path: &SafePath, mut each: impl FnMut(Entry) -> Result<(), Fault>) -> Result<u64, Fault> {
        let (full, metadata) = self.find(path)?;
        if !metadata.is_dir() {
            return Err(Fault::new(FaultCode::NotFolder, ""));
        }
        if let Some(only) = self.only.as_ref() {
            each(entry(only.clone(), &self.find(only)?.1))?;
            return Ok(0);
        }
        let (mut entries, mut skipped) = (0, 0);
        let mut folders = vec![(full, SafePath::root())];
        while let Some((folder, below)) = folders.pop() {
            let (names, nameless) = match names(&folder) {
                Ok(found) => found,
                Err(error) if below.is_root() => return Err(fault(&error)),
                Err(_) => (Vec::new(), 1),
            };
            skipped += nameless;
            let mut deeper = Vec::new();
            for name in names {
                let Some((path, metadata)) = below.child(&name).ok().zip(self.look(&folder.join(&name))) else {
                    skipped += 1;
                    continue;
                };
                if metadata.is_dir() {
                    deeper.push((folder.join(&name), path.clone()));
                }
                entries += 1;
                if entries > ENTRIES_MAX {
                    return Err(Fault::new(FaultCode::Io, "the folder has too many entries"));
                }
                each(entry(path, &metadata))?;
            }
            folders.extend(deeper.into_iter().rev());
        }
        Ok(skipped)
    }

    /// What is at `full`, if it is to be listed: a folder, a file, or a link to a file inside.
    fn look(&self, full: &Path) -> Option<Metadata> {
        let metadata = fs::symlink_metadata(full).ok()?;
        if metadata.is_symlink() {
            let target = full.canonicalize().ok().filter(|target| target.starts_with(&self.base))?;
            return target.metadata().ok().filter(Metadata::is_file);
        }
        (metadata.is_dir() || metadata.is_file()).then_some(metadata)
    }
}

/// The names in a folder, in order, and how many are not text.
fn names(folder: &Path) -> io::Result<(Vec<String>, u64)> {
    let (mut names, mut nameless) = (Vec::new(), 0);
    for entry in fs::read_dir(folder)? {
        match entry?.file_name().into_string() {
            Ok(name) => names.push(name),
            Err(_) => nameless += 1,
        }
    }
    names.sort_unstable();
    Ok((names, nameless))
}

fn entry(path: SafePath, metadata: &Metadata) -> Entry {
    let (kind, size) = if metadata.is_dir() { (Kind::Folder, 0) } else { (Kind::File, metadata.len()) };
    Entry { kind, path, size, modified_ms: modified_ms(metadata) }
}

/// When a file was last modified, as the wire has it.
pub(super) fn modified_ms(metadata: &Metadata) -> u64 {
    metadata.modified().map_or(0, stamp_ms)
}

/// An error of the system, as the peer hears of it: without any path of this host.
pub(super) fn fault(error: &io::Error) -> Fault {
    let (code, why) = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => (FaultCode::NotFound, String::new()),
        io::ErrorKind::PermissionDenied => (FaultCode::NotAllowed, reason(error)),
        _ => (FaultCode::Io, reason(error)),
    };
    Fault::new(code, &why)
}
