//! What is below a folder, found a little at a time.

use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::vec;

use tng_services::files::{ENTRIES_MAX, Entry, Fault, FaultCode, LeftOut, LeftOutWhy, SafePath, UnsafePath};

use super::Root;
use super::beneath::{Folder, Links, Names};
use super::root::{entry, fault, is_hidden_part};

/// Bytes of names of one folder that are put in order; a larger folder comes in parts, each in order.
pub const SORTED_MAX: usize = 1 << 20;
/// Bytes of paths of folders that have been named and not yet looked into.
pub const PENDING_MAX: usize = 4 << 20;

/// What is found in a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// A file or folder.
    Entry(Entry),
    /// What cannot be asked for.
    LeftOut(LeftOut),
}

/// Everything below a folder, each folder before what is in it: what can be asked for, and what is left out. Unfinished
/// files of others are neither.
///
/// It holds [`SORTED_MAX`] and [`PENDING_MAX`] bytes of names at most, however much there is, and what holds each of
/// them; and three descriptors.
pub struct Walk {
    root: Root,
    /// The folder listed, and where it is in the root.
    top: Folder,
    path: SafePath,
    /// Folders still to be looked into, the next one last.
    pending: Vec<SafePath>,
    pending_bytes: usize,
    /// [`SORTED_MAX`] and [`PENDING_MAX`]; the tests of them set others.
    limits: (usize, usize),
    here: Option<Here>,
    entries: usize,
    /// Where only one file is served, that.
    only: Option<Entry>,
}

/// The folder that is being looked into.
struct Here {
    folder: Folder,
    below: SafePath,
    names: Names,
    /// The next names, in order.
    sorted: vec::IntoIter<OsString>,
    /// Folders found in it, in order.
    deeper: Vec<SafePath>,
}

impl Walk {
    /// Below `path` of `root`, whose folder is `top`.
    pub(super) fn new(root: &Root, top: Folder, path: &SafePath) -> Walk {
        let (root, path) = (root.clone(), path.clone());
        let pending = vec![SafePath::root()];
        let limits = (SORTED_MAX, PENDING_MAX);
        Walk { root, top, path, pending, pending_bytes: 0, limits, here: None, entries: 0, only: None }
    }

    /// Of one file alone.
    pub(super) fn of(root: &Root, top: Folder, only: Entry) -> Walk {
        Walk { only: Some(only), pending: Vec::new(), ..Walk::new(root, top, &SafePath::root()) }
    }

    fn step(&mut self) -> Result<Option<Found>, Fault> {
        if let Some(only) = self.only.take() {
            return Ok(Some(Found::Entry(only)));
        }
        loop {
            let Some(here) = &mut self.here else {
                let Some(below) = self.pending.pop() else { return Ok(None) };
                self.pending_bytes -= below.as_str().len();
                match self.enter(below)? {
                    Some(unreadable) => return Ok(Some(unreadable)),
                    None => continue,
                }
            };
            let Some(name) = here.next_name(self.limits.0).map_err(|error| fault(&error))? else {
                let deeper = self.here.take().map(|here| here.deeper).unwrap_or_default();
                self.pending.extend(deeper.into_iter().rev());
                continue;
            };
            if let Some(found) = self.judge(name)? {
                return Ok(Some(found));
            }
        }
    }

    /// Begins to look into a folder; what is said of one that cannot be read.
    fn enter(&mut self, below: SafePath) -> Result<Option<Found>, Fault> {
        // The folder was one when it was named; a link that stands there now is not followed.
        let folder = self.top.folder(&below, Links::None);
        match folder.and_then(|folder| Ok((folder.names()?, folder))) {
            Ok((names, folder)) => {
                self.here = Some(Here { folder, below, names, sorted: Vec::new().into_iter(), deeper: Vec::new() });
                Ok(None)
            }
            Err(error) if below.is_root() => Err(fault(&error)),
            Err(_) => Ok(Some(Found::LeftOut(LeftOut::new(LeftOutWhy::Unreadable, below.as_str())))),
        }
    }

    fn judge(&mut self, name: OsString) -> Result<Option<Found>, Fault> {
        let Some(here) = &mut self.here else { return Ok(None) };
        let shown = name.to_string_lossy();
        if is_hidden_part(&shown) {
            return Ok(None);
        }
        let path = name.to_str().ok_or(UnsafePath::Character).and_then(|name| here.below.child(name));
        let found = path.map_err(|_| LeftOutWhy::Name);
        let found = found.and_then(|path| Ok((look(&self.root, &self.path, here, &name, &path)?, path)));
        let (metadata, path) = match found {
            Ok(found) => found,
            Err(why) => {
                let path =
                    if here.below.is_root() { shown.into_owned() } else { format!("{}/{shown}", here.below.as_str()) };
                return Ok(Some(Found::LeftOut(LeftOut::new(why, &path))));
            }
        };
        self.entries += 1;
        if self.entries > ENTRIES_MAX {
            return Err(Fault::new(FaultCode::Io, "the folder has too many entries; ask for its folders one by one"));
        }
        if metadata.is_dir() {
            self.pending_bytes += path.as_str().len();
            if self.pending_bytes > self.limits.1 {
                return Err(Fault::new(FaultCode::Io, "too many folders are in the folder; ask for them one by one"));
            }
            here.deeper.push(path.clone());
        }
        Ok(Some(Found::Entry(entry(path, &metadata))))
    }
}

impl Iterator for Walk {
    type Item = Result<Found, Fault>;

    fn next(&mut self) -> Option<Result<Found, Fault>> {
        self.step().transpose()
    }
}

impl Here {
    fn next_name(&mut self, sorted_max: usize) -> io::Result<Option<OsString>> {
        if let Some(name) = self.sorted.next() {
            return Ok(Some(name));
        }
        let (mut names, mut bytes) = (Vec::new(), 0);
        while bytes < sorted_max
            && let Some(name) = self.names.next().transpose()?
        {
            bytes += name.len() + size_of::<OsString>();
            names.push(name);
        }
        names.sort_unstable();
        self.sorted = names.into_iter();
        Ok(self.sorted.next())
    }
}

/// What stands under a name, if it is to be listed: a folder, a file, or a link to a file inside.
fn look(root: &Root, top: &SafePath, here: &Here, name: &OsString, below: &SafePath) -> Result<Metadata, LeftOutWhy> {
    let metadata = here.folder.entry(name).map_err(|_| LeftOutWhy::Unreadable)?;
    if metadata.is_symlink() {
        let path = below.as_str().split('/').try_fold(top.clone(), |path, name| path.child(name));
        let target = path.ok().and_then(|path| root.look(&path).ok());
        return target.filter(Metadata::is_file).ok_or(LeftOutWhy::Link);
    }
    if metadata.is_dir() || metadata.is_file() { Ok(metadata) } else { Err(LeftOutWhy::Special) }
}

#[cfg(test)]
mod tests;
