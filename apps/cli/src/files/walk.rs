//! What is below a folder, found a little at a time.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

use tng_services::files::{
    ENTRIES_MAX, Entry, Fault, FaultCode, Kind, LeftOut, LeftOutWhy, LinkTarget, SafePath, UnsafePath, escaped,
};

use super::beneath::{Folder, Links};
use super::destination::{is_draft, is_reserved};
use super::root::{entry, fault, meta};
use super::{Held, Root};

/// Bytes of names of one folder that are put in order, and of what they are put in order in; a larger folder comes in
/// parts, each in order.
pub const SORTED_MAX: usize = 1 << 20;
/// Bytes of names of folders that have been named and not yet looked into, and of the paths that these are in.
pub const PENDING_MAX: usize = 4 << 20;
/// Bytes of names that are put in order, however little memory is left.
pub const SORTED_MIN: usize = 4 * 1024;
/// Bytes by which the room for names of folders grows.
const PENDING_STEP: usize = 4 * 1024;
/// Bytes of first names of files that have several, and what is around them.
pub const SAME_MAX: usize = 1 << 20;
/// Bytes around such a name.
const SAME_AROUND: usize = 64;
/// Bytes that a name takes while it is put in order, beside itself.
const NAME_AROUND: usize = 3 * size_of::<OsString>();

/// What is found in a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// A file, a folder or a link.
    Entry(Entry),
    /// What cannot be asked for.
    LeftOut(LeftOut),
}

/// Everything below a folder, each folder before what is in it: what can be asked for, and what is left out. Unfinished
/// files of others are neither.
///
/// It holds [`SORTED_MAX`] and [`PENDING_MAX`] bytes at most, however much there is, and a descriptor or two. When it
/// rests it holds no descriptor: it goes on by names.
pub struct Walk {
    root: Root,
    /// The folder listed, where it is in the root.
    path: SafePath,
    /// Folders still to be looked into, level by level, the deepest last.
    pending: Vec<Level>,
    /// [`SORTED_MAX`] and [`PENDING_MAX`]; the tests of them set others.
    limits: (usize, usize),
    here: Option<Here>,
    /// The folder that is being looked into, while it is held open.
    open: Option<Folder>,
    entries: usize,
    /// Whether folders in the folder are looked into.
    is_deep: bool,
    /// Whether links are found as what they lead to.
    follows: bool,
    /// Where only one file is served, that.
    only: Option<Entry>,
    same: Same,
    /// Where what it holds is counted, and the bytes beside it that stand there; this host's own walks are not.
    held: Option<(Held, usize)>,
}

/// Files of several names, by where they are on their disk, and the first of their names.
#[derive(Default)]
struct Same {
    first: BTreeMap<(u64, u64), SafePath>,
    bytes: usize,
}

impl Same {
    /// The first name of what has this one, if it had another.
    fn first(&mut self, metadata: &Metadata, path: &SafePath) -> Option<SafePath> {
        if metadata.nlink() < 2 || !metadata.is_file() {
            return None;
        }
        let id = (metadata.dev(), metadata.ino());
        if let Some(first) = self.first.get(&id) {
            return Some(first.clone());
        }
        let cost = path.as_str().len() + SAME_AROUND;
        // Those beyond are files of their own.
        if self.bytes + cost <= SAME_MAX {
            self.bytes += cost;
            self.first.insert(id, path.clone());
        }
        None
    }
}

/// Folders of one folder that are still to be looked into.
struct Level {
    below: SafePath,
    names: Names,
}

/// The folder that is being looked into.
struct Here {
    below: SafePath,
    /// The next names, in order.
    sorted: Names,
    /// Where it goes on after them; `None` if it does not.
    next_at: Option<u64>,
    /// Folders found in it, in order.
    deeper: Names,
}

/// Names, one after the other, each with a `/` behind it, which is in none of them.
#[derive(Default)]
struct Names {
    bytes: Vec<u8>,
    at: usize,
}

impl Walk {
    /// Below `path` of `root`, which is a folder.
    pub(super) fn new(root: &Root, path: &SafePath) -> Walk {
        let (root, path, limits) = (root.clone(), path.clone(), (SORTED_MAX, PENDING_MAX));
        let here = Some(Here::new(SafePath::root()));
        let pending = Vec::new();
        Walk {
            root,
            path,
            pending,
            limits,
            here,
            open: None,
            entries: 0,
            is_deep: true,
            follows: false,
            only: None,
            same: Same::default(),
            held: None,
        }
    }

    /// Of one file alone.
    pub(super) fn of(root: &Root, only: Entry) -> Walk {
        Walk { only: Some(only), here: None, ..Walk::new(root, &SafePath::root()) }
    }

    /// Has what it holds counted for a peer, with `beside` bytes more.
    pub(super) fn counted(self, held: Held, beside: usize) -> Walk {
        Walk { held: Some((held, beside)), ..self }
    }

    /// What is in the folder itself, and not in those in it.
    pub fn shallow(self) -> Walk {
        Walk { is_deep: false, ..self }
    }

    /// Links as what they lead to, as long as that is in the root and in none of the folders that they are in.
    pub fn following(self, follows: bool) -> Walk {
        Walk { follows, ..self }
    }

    /// Gives its descriptors back, and what it does not need until it goes on.
    pub(super) fn rest(&mut self) {
        self.open = None;
        self.settle();
    }

    /// Bytes of names and paths that it holds.
    fn bytes(&self) -> usize {
        let here = self.here.as_ref().map_or(0, |here| here.sorted.bytes.capacity() + here.below.as_str().len());
        here + self.pending_bytes() + self.same.bytes
    }

    fn pending_bytes(&self) -> usize {
        let levels = self.pending.iter().map(|level| level.below.as_str().len() + level.names.bytes.capacity());
        let deeper = self.here.as_ref().map_or(0, |here| here.deeper.bytes.capacity());
        levels.sum::<usize>() + self.pending.capacity() * size_of::<Level>() + deeper
    }

    /// Holds `most` bytes more, or `least` at least if there is no room for them; answers how many.
    fn reserve(&mut self, least: usize, most: usize) -> usize {
        let now = self.bytes();
        let Some((held, beside)) = &mut self.held else { return most };
        let around = (now + *beside) as u64;
        let bytes = held.hold(around + least as u64, around + most as u64).saturating_sub(around);
        usize::try_from(bytes).unwrap_or(usize::MAX).min(most)
    }

    /// Holds what it holds, and no more.
    fn settle(&mut self) {
        self.reserve(0, 0);
    }

    fn step(&mut self) -> Result<Option<Found>, Fault> {
        if let Some(only) = self.only.take() {
            return Ok(Some(Found::Entry(only)));
        }
        loop {
            let Some(here) = &mut self.here else {
                let Some(below) = self.next_folder() else { return Ok(None) };
                self.here = Some(Here::new(below));
                continue;
            };
            let found = match here.sorted.next() {
                Some(name) => self.judge(name)?,
                None if here.next_at.is_some() => self.read()?,
                None => {
                    self.leave();
                    None
                }
            };
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// The next folder to be looked into.
    fn next_folder(&mut self) -> Option<SafePath> {
        loop {
            let level = self.pending.last_mut()?;
            // It was a name of a path before.
            match level.names.next().map(|name| level.below.child(&escaped(name.as_bytes())).ok()) {
                Some(Some(below)) => return Some(below),
                Some(None) => {}
                None => drop(self.pending.pop()),
            }
        }
    }

    /// Has done with the folder that was being looked into.
    fn leave(&mut self) {
        self.open = None;
        let Some(Here { below, mut deeper, .. }) = self.here.take() else { return };
        if !deeper.bytes.is_empty() {
            deeper.bytes.shrink_to_fit();
            self.pending.push(Level { below, names: deeper });
        }
        self.settle();
    }

    /// Reads the next names of the folder that is being looked into; what is said of one that cannot be read.
    fn read(&mut self) -> Result<Option<Found>, Fault> {
        let room = self.reserve(SORTED_MIN, self.limits.0);
        let read = self.open().and_then(|()| match (&mut self.here, &self.open) {
            (Some(here), Some(folder)) => here.read(folder, room),
            _ => Ok(()),
        });
        let Err(error) = read else {
            self.settle();
            return Ok(None);
        };
        self.open = None;
        let Some(Here { below, .. }) = self.here.take().filter(|here| !here.below.is_root()) else {
            return Err(fault(&error));
        };
        Ok(Some(Found::LeftOut(LeftOut::new(LeftOutWhy::Unreadable, below.as_str()))))
    }

    /// Opens the folder that is being looked into, if need be.
    fn open(&mut self) -> io::Result<()> {
        if let (Some(here), None) = (&self.here, &self.open) {
            // The folder was one when it was named; a link that stands there now is not followed.
            let links = if self.follows { Links::Inside } else { Links::None };
            self.open = Some(self.root.folder_below(&self.path, &here.below, links)?);
        }
        Ok(())
    }

    /// The path in the root of what is found as `path`.
    fn whole(&self, path: &SafePath) -> Result<SafePath, UnsafePath> {
        path.as_str().split('/').try_fold(self.path.clone(), |whole, name| whole.child(name))
    }

    /// What the link at `whole` leads to: a file, or a folder that it is not in itself.
    fn followed(&self, whole: &SafePath) -> Option<Metadata> {
        let target = self.root.stands(whole).ok()?;
        let id = |metadata: &Metadata| (metadata.dev(), metadata.ino());
        let is_above = |at: usize| {
            let above = SafePath::parse(&whole.as_str()[..at]).ok().and_then(|above| self.root.stands(&above).ok());
            above.is_none_or(|above| id(&above) == id(&target))
        };
        let mut above = std::iter::once(0).chain(whole.as_str().match_indices('/').map(|(at, _)| at));
        (target.is_file() || (target.is_dir() && !above.any(is_above))).then_some(target)
    }

    /// What stands under a name, if a listing has it: a folder, a file, or a link that leads nowhere else.
    fn look(&mut self, name: &OsStr) -> Result<(Entry, bool), LeftOutWhy> {
        self.open().map_err(|_| LeftOutWhy::Unreadable)?;
        let (Some(here), Some(folder)) = (&self.here, &self.open) else { return Err(LeftOutWhy::Unreadable) };
        let path = here.below.child(&escaped(name.as_bytes())).map_err(|_| LeftOutWhy::Name)?;
        let metadata = folder.entry(name).map_err(|_| LeftOutWhy::Unreadable)?;
        let whole = self.whole(&path).map_err(|_| LeftOutWhy::Name)?;
        if self.root.is_own_at(folder, name) || self.root.is_own(&metadata) {
            return Err(LeftOutWhy::Own);
        }
        if metadata.is_symlink() && !self.follows {
            if self.root.leads_to_own(&whole) {
                return Err(LeftOutWhy::Own);
            }
            let said = folder.target(name).map_err(|_| LeftOutWhy::Unreadable)?;
            let target = LinkTarget::of_bytes(said.as_bytes()).filter(|target| target.stays_below(&whole));
            let kind = Kind::Link(target.ok_or(LeftOutWhy::Link)?);
            return Ok((Entry { kind, path, size: 0, meta: meta(&metadata) }, false));
        }
        let metadata = match metadata.is_symlink() {
            false => metadata,
            true => self.followed(&whole).ok_or(LeftOutWhy::Link)?,
        };
        if self.root.is_own(&metadata) {
            return Err(LeftOutWhy::Own);
        }
        let is_dir = metadata.is_dir();
        if !is_dir && !metadata.is_file() {
            return Err(LeftOutWhy::Special);
        }
        let first = self.same.first(&metadata, &path);
        let entry = entry(path, &metadata);
        Ok((Entry { kind: first.map_or(entry.kind, Kind::Same), ..entry }, is_dir))
    }

    /// Whether a name stands for a file, or for nothing any more.
    fn is_file_or_gone(&mut self, name: &OsStr) -> bool {
        let there = self.open().ok().and(self.open.as_ref()).and_then(|folder| folder.entry(name).ok());
        there.is_none_or(|there| there.is_file())
    }

    fn judge(&mut self, name: OsString) -> Result<Option<Found>, Fault> {
        let shown = escaped(name.as_bytes());
        if is_draft(&shown) && self.is_file_or_gone(&name) {
            return Ok(None);
        }
        let looked = if is_reserved(&shown) { Err(LeftOutWhy::Reserved) } else { self.look(&name) };
        let below = self.here.as_ref().map_or("", |here| here.below.as_str());
        let (entry, is_dir) = match looked {
            Ok(found) => found,
            Err(why) => {
                let path = if below.is_empty() { shown } else { format!("{below}/{shown}") };
                return Ok(Some(Found::LeftOut(LeftOut::new(why, &path))));
            }
        };
        self.entries += 1;
        if self.entries > ENTRIES_MAX {
            return Err(Fault::new(FaultCode::Io, "the folder has too many entries; ask for its folders one by one"));
        }
        if is_dir && self.is_deep {
            self.put_off(&name)?;
        }
        Ok(Some(Found::Entry(entry)))
    }

    /// Has a folder looked into later.
    fn put_off(&mut self, name: &OsStr) -> Result<(), Fault> {
        let Some(here) = &self.here else { return Ok(()) };
        let needed = here.deeper.bytes.len() + name.len() + 1;
        let capacity = here.deeper.bytes.capacity();
        if needed > capacity {
            // By parts of what is there, or to grow would cost the square of it.
            let left = self.limits.1.saturating_sub(self.pending_bytes());
            let more = self.reserve(0, (capacity / 4).max(PENDING_STEP).min(left));
            if more < needed - capacity {
                let why = "too many folders are in the folder; ask for them one by one";
                let why =
                    if left < needed - capacity { why } else { "this host has no room for more names; ask later" };
                return Err(Fault::new(FaultCode::Io, why));
            }
            let deeper = self.here.iter_mut().map(|here| &mut here.deeper.bytes);
            deeper.for_each(|bytes| bytes.reserve_exact(capacity + more - bytes.len()));
        }
        self.here.iter_mut().for_each(|here| here.deeper.push(name));
        Ok(())
    }
}

impl Iterator for Walk {
    type Item = Result<Found, Fault>;

    fn next(&mut self) -> Option<Result<Found, Fault>> {
        self.step().transpose()
    }
}

impl Here {
    fn new(below: SafePath) -> Here {
        Here { below, sorted: Names::default(), next_at: Some(0), deeper: Names::default() }
    }

    /// Reads names for which `room` bytes are enough, but one at least.
    fn read(&mut self, folder: &Folder, room: usize) -> io::Result<()> {
        let Some(at) = self.next_at else { return Ok(()) };
        let (mut found, mut all, mut bytes) = (folder.names(at)?, Vec::new(), 0);
        while bytes < room {
            let Some(name) = found.next().transpose()? else { break };
            // With the copy of it.
            bytes += 2 * name.len() + NAME_AROUND;
            all.push(name);
        }
        self.next_at = (bytes >= room).then(|| found.at());
        if self.next_at == Some(at) {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "its file system does not say where it goes on"));
        }
        all.sort_unstable();
        self.sorted = Names::of(&all);
        Ok(())
    }
}

impl Names {
    fn of(names: &[OsString]) -> Names {
        let mut all = Names::default();
        all.bytes.reserve_exact(names.iter().map(|name| name.len() + 1).sum());
        names.iter().for_each(|name| all.push(name));
        all
    }

    fn push(&mut self, name: &OsStr) {
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(b'/');
    }

    fn next(&mut self) -> Option<OsString> {
        let rest = &self.bytes[self.at..];
        let len = rest.iter().position(|byte| *byte == b'/')?;
        let name = OsStr::from_bytes(&rest[..len]).to_owned();
        self.at += len + 1;
        Some(name)
    }
}

#[cfg(test)]
mod tests;
