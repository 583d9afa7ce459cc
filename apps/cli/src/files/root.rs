//! What is served.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tng_services::files::{
    ENTRIES_MAX, Entry, Fault, FaultCode, Kind, LeftOut, LeftOutWhy, SafePath, UnsafePath, stamp_ms,
};

use super::draft::{hidden_part_of, is_hidden_part};
use super::{Quota, Target};
use crate::failure::{Failure, reason};
use crate::talk::shown;

/// What a name costs of the quota of a server that takes files, beside the bytes of the file.
pub const NAME_COST: u64 = 4096;

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
        let what = || format!("serving {}", shown(path));
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
        if path.name().is_some_and(is_hidden_part) {
            return Err(Fault::new(FaultCode::NotFound, ""));
        }
        let full = path.below(&self.base).canonicalize().map_err(|error| fault(&error))?;
        if !full.starts_with(&self.base) {
            return Err(Fault::new(FaultCode::NotAllowed, "it is a link that leads out of the served folder"));
        }
        let metadata = full.metadata().map_err(|error| fault(&error))?;
        Ok((full, metadata))
    }

    /// Where the file `path` is, to be opened.
    ///
    /// # Errors
    /// As [`find`](Root::find), or if it is no regular file.
    pub fn file(&self, path: &SafePath) -> Result<PathBuf, Fault> {
        // Where only one file is served, the root is that file.
        let path = self.only.as_ref().filter(|_| path.is_root()).unwrap_or(path);
        let (full, metadata) = self.find(path)?;
        if metadata.is_dir() {
            return Err(Fault::new(FaultCode::IsFolder, ""));
        }
        // Opening a pipe or a device could block, or worse.
        if !metadata.is_file() {
            return Err(Fault::new(FaultCode::NotAllowed, "it is not a regular file"));
        }
        Ok(full)
    }

    /// Where a peer may put `path`; the folders that it is in are made. Nothing that leads through a link, nothing in the
    /// place of a folder or of something special, nothing under the name of a scratch file.
    ///
    /// # Errors
    /// If it may not, or the quota has no room for the names.
    pub fn place(&self, path: &SafePath, quota: &Quota) -> Result<Target, Fault> {
        let refused = |why| Err(Fault::new(FaultCode::NotAllowed, why));
        let Some((above, name)) = split(path) else { return refused("it has no name") };
        let folder = self.folder(&above, quota)?;
        if is_hidden_part(name) {
            return refused("the name is kept for unfinished files");
        }
        let to = folder.join(name);
        match fs::symlink_metadata(&to) {
            Ok(metadata) if metadata.is_dir() => return Err(Fault::new(FaultCode::IsFolder, "")),
            Ok(metadata) if !metadata.is_file() => return refused("there is no regular file in its place"),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound && quota.take(NAME_COST) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Fault::new(FaultCode::NoRoom, "")),
            Err(error) => return Err(fault(&error)),
        }
        let part = hidden_part_of(&to);
        Ok(Target::Place { to, part })
    }

    /// The folder `path`, made if need be.
    ///
    /// # Errors
    /// As [`place`](Root::place).
    pub fn folder(&self, path: &SafePath, quota: &Quota) -> Result<PathBuf, Fault> {
        if self.only.is_some() {
            return Err(Fault::new(FaultCode::NotAllowed, "one file is served here, no folder"));
        }
        let mut folder = self.base.clone();
        for name in path.as_str().split('/').filter(|name| !name.is_empty()) {
            folder.push(name);
            match fs::symlink_metadata(&folder) {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(metadata) if metadata.is_symlink() => {
                    return Err(Fault::new(FaultCode::NotAllowed, "it leads through a link"));
                }
                Ok(_) => return Err(Fault::new(FaultCode::NotFolder, "")),
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fault(&error)),
                Err(_) if !quota.take(NAME_COST) => return Err(Fault::new(FaultCode::NoRoom, "")),
                Err(_) => match fs::create_dir(&folder) {
                    // Another request may have made it.
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(fault(&error)),
                    _ => {}
                },
            }
        }
        Ok(folder)
    }

    /// Everything below `path`, each folder before what is in it, names in order: what can be asked for, and what is left
    /// out. Unfinished files of others are neither.
    ///
    /// # Errors
    /// If `path` is no readable folder, has too many entries, or `each` fails.
    pub fn walk(&self, path: &SafePath, mut each: impl FnMut(Found) -> Result<(), Fault>) -> Result<(), Fault> {
        let (full, metadata) = self.find(path)?;
        if !metadata.is_dir() {
            return Err(Fault::new(FaultCode::NotFolder, ""));
        }
        if let Some(only) = self.only.as_ref() {
            return each(Found::Entry(entry(only.clone(), &self.find(only)?.1)));
        }
        let mut entries = 0;
        let mut folders = vec![(full, SafePath::root())];
        while let Some((folder, below)) = folders.pop() {
            let names = match names(&folder) {
                Ok(found) => found,
                Err(error) if below.is_root() => return Err(fault(&error)),
                Err(_) => {
                    each(Found::LeftOut(LeftOut::new(LeftOutWhy::Unreadable, below.as_str())))?;
                    continue;
                }
            };
            let mut deeper = Vec::new();
            for name in names {
                let shown = name.to_string_lossy();
                if is_hidden_part(&shown) {
                    continue;
                }
                let path = name.to_str().ok_or(UnsafePath::Character).and_then(|name| below.child(name));
                let found = path.map_err(|_| LeftOutWhy::Name);
                let (path, metadata) = match found.and_then(|path| Ok((path, self.look(&folder.join(&name))?))) {
                    Ok(found) => found,
                    Err(why) => {
                        let path =
                            if below.is_root() { shown.into_owned() } else { format!("{}/{shown}", below.as_str()) };
                        each(Found::LeftOut(LeftOut::new(why, &path)))?;
                        continue;
                    }
                };
                if metadata.is_dir() {
                    deeper.push((folder.join(&name), path.clone()));
                }
                entries += 1;
                if entries > ENTRIES_MAX {
                    return Err(Fault::new(FaultCode::Io, "the folder has too many entries"));
                }
                each(Found::Entry(entry(path, &metadata)))?;
            }
            folders.extend(deeper.into_iter().rev());
        }
        Ok(())
    }

    /// What is at `full`, if it is to be listed: a folder, a file, or a link to a file inside.
    fn look(&self, full: &Path) -> Result<Metadata, LeftOutWhy> {
        let metadata = fs::symlink_metadata(full).map_err(|_| LeftOutWhy::Unreadable)?;
        if metadata.is_symlink() {
            let target = full.canonicalize().ok().filter(|target| target.starts_with(&self.base));
            let target = target.and_then(|target| target.metadata().ok()).filter(Metadata::is_file);
            return target.ok_or(LeftOutWhy::Link);
        }
        if metadata.is_dir() || metadata.is_file() { Ok(metadata) } else { Err(LeftOutWhy::Special) }
    }
}

/// What is found in a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// A file or folder.
    Entry(Entry),
    /// What cannot be asked for.
    LeftOut(LeftOut),
}

/// A path's folder and its last name.
fn split(path: &SafePath) -> Option<(SafePath, &str)> {
    let (above, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
    Some((SafePath::parse(above).ok()?, Some(name).filter(|name| !name.is_empty())?))
}

/// The names in a folder, in order.
fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    let mut names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
    names.sort_unstable();
    Ok(names)
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
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            (FaultCode::NoRoom, reason(error))
        }
        _ => (FaultCode::Io, reason(error)),
    };
    Fault::new(code, &why)
}
