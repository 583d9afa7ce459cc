//! Files below a folder, opened by way of its descriptor, so that nobody who may rename or link there at the same time
//! leads an opening out of it: a name is never checked first and opened afterwards.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use super::root::{self, meta};
use super::standing::is_newer;
use rustix::fs::{
    AtFlags, CWD, Dir, Mode, OFlags, RenameFlags, ResolveFlags, SeekFrom, Timespec, Timestamps, UTIME_OMIT,
};
use rustix::io::Errno;
use tng_services::files::{LinkTarget, Meta, Mtime, NAME_MAX, Over, SafePath};

/// Symbolic links followed for one path, as many as Linux follows.
pub const LINKS_FOLLOWED_MAX: usize = 40;
/// How often a path is tried again whose folders are moved while the kernel walks them.
pub const RACES_MAX: usize = 128;

/// Folders of one path that are held open at once where this program walks it: so many a link leads up at most.
pub const STEPS_HELD_MAX: usize = 16;

/// Files of one name that are kept by `--backup`.
pub const BACKUPS_MAX: u32 = 9_999;
/// Permissions of a stranger's file or folder that are kept. To run as its owner, or as its group, is not among them.
const KEPT: u16 = 0o777;
/// Permissions that a host has for its folders while it writes in them.
pub const OWNER_MIN: u16 = 0o700;

/// A folder that is held open. Paths below it lead nowhere else.
#[derive(Clone, Debug)]
pub struct Folder {
    fd: Arc<OwnedFd>,
    way: Way,
}

/// What is done about symbolic links on a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Links {
    /// They are followed as long as they stay below the folder. One whose target is absolute never does.
    Inside,
    /// None is followed.
    None,
}

/// Who keeps a path below its folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// The kernel: openat2 with RESOLVE_BENEATH, Linux 5.6 and later.
    Kernel,
    /// This program, name by name, each opened in the folder before it.
    Steps,
    /// Nobody: a path is checked, and then opened. What everybody did before there were descriptors.
    #[cfg(test)]
    Checked,
}

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);

impl Folder {
    /// The folder at `path`, which this host's user named: links are followed.
    ///
    /// # Errors
    /// If it is none, or may not be entered.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let fd = rustix::fs::openat(CWD, path, FOLDER | OFlags::CLOEXEC, Mode::empty())?;
        // Older kernels do not know the call, some sandboxes forbid what they do not know.
        let probe = rustix::fs::openat2(&fd, ".", FOLDER | OFlags::CLOEXEC, Mode::empty(), ResolveFlags::BENEATH);
        let way = if probe.is_ok() { Way::Kernel } else { Way::Steps };
        Ok(Folder { fd: Arc::new(fd), way })
    }

    /// The same folder, in which this program itself sees to it that paths stay below, as on older kernels.
    #[cfg(test)]
    pub(super) fn in_steps(self) -> Folder {
        Folder { way: Way::Steps, ..self }
    }

    /// The same folder, whose paths are checked and then opened.
    #[cfg(test)]
    pub(super) fn checked_first(self) -> Folder {
        Folder { way: Way::Checked, ..self }
    }

    /// What is at `path`.
    ///
    /// # Errors
    /// If it is not there, or [leads out](leads_out).
    pub fn look(&self, path: &SafePath, links: Links) -> io::Result<Metadata> {
        File::from(self.resolve(path, links, OFlags::PATH)?).metadata()
    }

    /// The file at `path`, to be read. At worst somebody puts a pipe or a device there in time, and that is opened: see
    /// that what was opened is a file.
    ///
    /// # Errors
    /// As [`look`](Folder::look), or if it may not be read.
    pub fn file(&self, path: &SafePath, links: Links) -> io::Result<File> {
        // Not blocking: a pipe without a writer would.
        self.resolve(path, links, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY).map(File::from)
    }

    /// The folder at `path`.
    ///
    /// # Errors
    /// As [`look`](Folder::look), or if it is no folder.
    pub fn folder(&self, path: &SafePath, links: Links) -> io::Result<Folder> {
        Ok(Folder { fd: Arc::new(self.resolve(path, links, FOLDER)?), way: self.way })
    }

    /// The folder at `path`, made with those that it is in, and the folders in which one was made. `may` is asked
    /// before each, by the folder and the name in it; `None` if it forbids one. Nobody has more permissions for the
    /// folder itself than `mode` says, but for its owner, who has them all.
    ///
    /// # Errors
    /// As [`folder`](Folder::folder), or if one cannot be made.
    pub fn made(
        &self,
        path: &SafePath,
        links: Links,
        mode: Option<u16>,
        mut may: impl FnMut(&Folder, &OsStr) -> bool,
    ) -> io::Result<Option<(Folder, Vec<Folder>)>> {
        let (mut here, mut below, mut changed) = (self.clone(), SafePath::root(), Vec::new());
        let names = path.as_str().split('/').filter(|name| !name.is_empty());
        for (name, text) in path.names().zip(names) {
            below = below.child(text).map_err(io::Error::other)?;
            here = match self.folder(&below, links) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    if !may(&here, &name) {
                        return Ok(None);
                    }
                    here.make(&name, mode.filter(|_| below == *path))?;
                    changed.push(here);
                    self.folder(&below, links)?
                }
                found => found?,
            };
        }
        Ok(Some((here, changed)))
    }

    /// The names in this folder, as they come, from `at` on: 0, or where other [`Names`] of it were.
    ///
    /// # Errors
    /// If it may not be read.
    pub fn names(&self, at: u64) -> io::Result<Names> {
        let fd = self.reading()?;
        if at > 0 {
            rustix::fs::seek(&fd, SeekFrom::Start(at))?;
        }
        Ok(Names { dir: Dir::new(fd)?, at })
    }

    /// What is known of the folder itself.
    ///
    /// # Errors
    /// If the system fails.
    pub fn metadata(&self) -> io::Result<Metadata> {
        File::from(self.fd.try_clone()?).metadata()
    }

    /// Gives the folder itself what is said of it, as far as its file system can.
    pub fn set_meta(&self, meta: Meta) {
        if meta != Meta::default()
            && let Ok(fd) = self.reading()
        {
            set_meta(fd, meta);
        }
    }

    /// Has its owner read it, enter it and write in it, if this process is its owner and may not.
    pub fn open_to_owner(&self) {
        let Ok(metadata) = self.metadata() else { return };
        let mode = (metadata.mode() & 0o7777) as u16;
        if mode & OWNER_MIN != OWNER_MIN {
            // By its name in itself: who may not read a folder has no descriptor to change it by.
            let mode = Mode::from_raw_mode((mode | OWNER_MIN).into());
            let _ = rustix::fs::chmodat(&self.fd, ".", mode, AtFlags::empty());
        }
    }

    /// What the name `name` in this folder stands for, a link for itself.
    ///
    /// # Errors
    /// If it is not there.
    pub fn entry(&self, name: &OsStr) -> io::Result<Metadata> {
        let fd = self.open_at(name, OFlags::PATH | OFlags::NOFOLLOW, Mode::empty())?;
        File::from(fd).metadata()
    }

    /// Makes the folder `name` in this one. That it is there already is no error; what it is shows when it is opened.
    ///
    /// # Errors
    /// If it cannot be made.
    fn make(&self, name: &OsStr, mode: Option<u16>) -> io::Result<()> {
        let mode = mode.map_or(KEPT, |mode| mode & KEPT | OWNER_MIN);
        match rustix::fs::mkdirat(&self.fd, name, Mode::from_raw_mode(mode.into())) {
            Err(Errno::EXIST) => Ok(()),
            made => Ok(made?),
        }
    }

    /// What the link `name` in this folder says.
    ///
    /// # Errors
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) if it is no link.
    pub fn target(&self, name: &OsStr) -> io::Result<OsString> {
        Ok(OsString::from_vec(rustix::fs::readlinkat(&self.fd, name, Vec::new())?.into_bytes()))
    }

    /// Has the name `name` in this folder be a link that says `target`. It has the name `part` before. What stands in
    /// its place gives way if it is a file or another link, and that may be.
    ///
    /// # Errors
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists), [`IsADirectory`](io::ErrorKind::IsADirectory), or if it cannot
    /// be made.
    pub fn link(
        &self,
        name: &OsStr,
        part: &OsStr,
        (target, meta): (&LinkTarget, Meta),
        over: Over,
    ) -> io::Result<Linked> {
        match self.target(name) {
            Ok(said) if said.as_bytes() == &*target.bytes() => return Ok(Linked::Unchanged),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => return Err(error),
            _ if !self.gives_way(name, meta, over)? => return Ok(Linked::Kept),
            _ => {}
        }
        // Of one who was stopped here.
        let _ = self.remove(part);
        rustix::fs::symlinkat(&*target.bytes(), &self.fd, part)?;
        if let Some(modified) = meta.modified {
            let _ = rustix::fs::utimensat(&self.fd, part, &times(modified), AtFlags::SYMLINK_NOFOLLOW);
        }
        self.placed(part, name, over.may_replace())
    }

    /// Has the name `name` in this folder be another of the file `first` in the folder `of`, or, if `may_copy`, of a
    /// copy of it where the file system has one name for a file. What stands in its place gives way as for a
    /// [`link`](Folder::link).
    ///
    /// # Errors
    /// As [`link`](Folder::link).
    pub fn same(
        &self,
        name: &OsStr,
        part: &OsStr,
        (of, first): (&Folder, &OsStr),
        over: Over,
        may_copy: bool,
    ) -> io::Result<Linked> {
        let id = |metadata: &Metadata| (metadata.dev(), metadata.ino());
        let file = of.entry(first)?;
        match self.entry(name) {
            Ok(ref there) if id(there) == id(&file) => return Ok(Linked::Unchanged),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            _ if !self.gives_way(name, meta(&file), over)? => return Ok(Linked::Kept),
            _ => {}
        }
        let _ = self.remove(part);
        match rustix::fs::linkat(&of.fd, first, &self.fd, part, AtFlags::empty()) {
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::XDEV | Errno::MLINK) if may_copy => {
                let Taken::File(mut copy) = self.take(part, Some(For::Owner))? else {
                    return Err(io::ErrorKind::AlreadyExists.into());
                };
                let mut from = of.read(first)?;
                io::copy(&mut from, &mut copy)?;
                set_meta(&copy, meta(&from.metadata()?));
            }
            linked => linked?,
        }
        self.placed(part, name, over.may_replace())
    }

    /// Whether what stands under a name gives way to a link with this `meta`.
    fn gives_way(&self, name: &OsStr, meta: Meta, over: Over) -> io::Result<bool> {
        let there = self.entry(name)?;
        if there.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !there.is_file() && !there.is_symlink() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let gives_way = match over {
            Over::Refuse => return Err(io::ErrorKind::AlreadyExists.into()),
            Over::Keep => false,
            Over::Update { .. } => is_newer(meta, root::meta(&there)),
            Over::Replace { .. } => true,
        };
        if gives_way && over.backs_up() {
            self.back_up(name)?;
        }
        Ok(gives_way)
    }

    /// Gives what has this name one more, `NAME.~1~` or the next that is free; or that alone, where a file has one.
    ///
    /// # Errors
    /// If it cannot.
    pub fn back_up(&self, name: &OsStr) -> io::Result<()> {
        for number in 1..=BACKUPS_MAX {
            let other = backup_of(name, number);
            let kept = match rustix::fs::linkat(&self.fd, name, &self.fd, &other, AtFlags::empty()) {
                Err(Errno::PERM | Errno::OPNOTSUPP | Errno::MLINK) => self.rename_to_free(name, &other),
                linked => linked.map_err(io::Error::from),
            };
            match kept {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                // Nothing is there.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                kept => return kept,
            }
        }
        Err(io::Error::other(format!("there are {BACKUPS_MAX} of it already")))
    }

    fn placed(&self, part: &OsStr, name: &OsStr, replace: bool) -> io::Result<Linked> {
        let placed = if replace { self.rename(part, name) } else { self.rename_to_free(part, name) };
        if placed.is_err() {
            let _ = self.remove(part);
        }
        placed.map(|()| Linked::Made)
    }

    /// The file `name` in this folder, to be read. As with [`file`](Folder::file), see that it is one.
    ///
    /// # Errors
    /// If it is not there, is a link, or may not be read.
    pub fn read(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(File::from(self.open_at(name, flags, Mode::empty())?))
    }

    /// The file `name` in this folder, to be read and written, and locked; made for those who may use it then.
    ///
    /// # Errors
    /// If it may not be.
    pub fn take(&self, name: &OsStr, make: Option<For>) -> io::Result<Taken> {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let (flags, mode) = match make {
            None => (flags, 0),
            Some(For::Owner) => (flags | OFlags::CREATE, 0o600),
            Some(For::All) => (flags | OFlags::CREATE, 0o666),
        };
        let file = match self.open_at(name, flags, Mode::from_raw_mode(mode)) {
            Ok(fd) => File::from(fd),
            Err(Errno::NOENT) if make.is_none() => return Ok(Taken::Missing),
            // A link, a socket, a pipe without a reader.
            Err(Errno::LOOP | Errno::NXIO | Errno::ISDIR) => return Ok(Taken::NoFile),
            Err(error) => return Err(error.into()),
        };
        if !file.metadata()?.is_file() {
            return Ok(Taken::NoFile);
        }
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(Taken::Locked),
            // Some file systems have no locks; then two writers of one place are found out by the hash.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Taken::File(file)),
        }
    }

    /// Gives the file `from` the name `to`, and takes that from what has it.
    ///
    /// # Errors
    /// If it cannot.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// Gives the file `from` the name `to` unless something has it: in one step where the file system can.
    ///
    /// # Errors
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists), or if it cannot.
    pub fn rename_to_free(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match rustix::fs::renameat_with(&self.fd, from, &self.fd, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS) => {}
            renamed => return Ok(renamed?),
        }
        match rustix::fs::linkat(&self.fd, from, &self.fd, to, AtFlags::empty()) {
            Ok(()) => self.remove(from),
            Err(Errno::EXIST) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) if self.entry(to).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => self.rename(from, to),
        }
    }

    /// Removes the file `name`.
    ///
    /// # Errors
    /// If it cannot.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Removes the folder `name`, in which nothing may be.
    ///
    /// # Errors
    /// If it cannot.
    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)?)
    }

    /// Has the names in this folder safe on the disk. Some file systems cannot do that, and who may only write here may
    /// not.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn sync(&self) -> io::Result<()> {
        let synced = self.reading().and_then(|fd| Ok(rustix::fs::fsync(fd)?));
        match synced {
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::PermissionDenied) => {
                Ok(())
            }
            synced => synced,
        }
    }

    fn reading(&self) -> io::Result<OwnedFd> {
        Ok(self.open_at(OsStr::new("."), OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?)
    }

    /// Opens one name, or `.`, in this folder.
    fn open_at(&self, name: &OsStr, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        rustix::fs::openat(&self.fd, name, flags | OFlags::CLOEXEC, mode)
    }

    fn resolve(&self, path: &SafePath, links: Links, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::CLOEXEC;
        match self.way {
            Way::Kernel => self.ask_kernel(path, links, flags),
            Way::Steps => self.step(path, links, flags),
            #[cfg(test)]
            Way::Checked => {
                self.ask_kernel(path, links, OFlags::PATH | OFlags::CLOEXEC)?;
                Ok(rustix::fs::openat(&self.fd, &*dot(path), flags, Mode::empty())?)
            }
        }
    }

    fn ask_kernel(&self, path: &SafePath, links: Links, flags: OFlags) -> io::Result<OwnedFd> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let resolve = if links == Links::None { resolve | ResolveFlags::NO_SYMLINKS } else { resolve };
        let mut races = 0;
        loop {
            match rustix::fs::openat2(&self.fd, &*dot(path), flags, Mode::empty(), resolve) {
                // Something was moved while a link led through `..`.
                Err(Errno::AGAIN) if races < RACES_MAX => races += 1,
                opened => return Ok(opened?),
            }
        }
    }

    /// What the kernel does, done here: each name is opened in the folder before it, without following it. A link is
    /// read and its names are walked in its place; `..` leads back to a folder that is held open already, one of the
    /// last [`STEPS_HELD_MAX`], and never above this one.
    fn step(&self, path: &SafePath, links: Links, flags: OFlags) -> io::Result<OwnedFd> {
        let mut entered = Entered::default();
        let mut names: VecDeque<OsString> = path.names().collect();
        let mut followed = 0;
        loop {
            let name = names.pop_front();
            match name.as_deref().map(OsStr::as_bytes) {
                Some(b"" | b".") => continue,
                Some(b"..") => {
                    entered.leave()?;
                    continue;
                }
                _ => {}
            }
            let here: BorrowedFd<'_> = entered.held.back().map_or(self.fd.as_fd(), AsFd::as_fd);
            let Some(name) = name else { return Ok(rustix::fs::openat(here, ".", flags, Mode::empty())?) };
            let last = names.is_empty();
            let flags = if last { flags } else { FOLDER | OFlags::CLOEXEC };
            let opened = rustix::fs::openat(here, &name, flags | OFlags::NOFOLLOW, Mode::empty());
            let failed = match opened {
                // A descriptor that only names what is there names a link too.
                Ok(fd) if flags.contains(OFlags::PATH) && is_link(&fd)? => Errno::LOOP,
                Ok(fd) if last => return Ok(fd),
                Ok(fd) => {
                    entered.enter(fd);
                    continue;
                }
                Err(error @ (Errno::LOOP | Errno::NOTDIR)) => error,
                Err(error) => return Err(error.into()),
            };
            let target = match rustix::fs::readlinkat(here, &name, Vec::new()) {
                Ok(target) => OsString::from_vec(target.into_bytes()),
                // No link, so it is as it was said to be.
                Err(Errno::INVAL) => return Err(failed.into()),
                Err(error) => return Err(error.into()),
            };
            followed += 1;
            if links == Links::None || followed > LINKS_FOLLOWED_MAX {
                return Err(Errno::LOOP.into());
            }
            if target.as_bytes().first() == Some(&b'/') {
                return Err(Errno::XDEV.into());
            }
            for part in target.as_bytes().split(|byte| *byte == b'/').rev() {
                names.push_front(OsStr::from_bytes(part).to_owned());
            }
        }
    }
}

/// The folders that a walk has entered.
#[derive(Default)]
struct Entered {
    /// The last of them.
    held: VecDeque<OwnedFd>,
    /// There were more.
    more: bool,
}

impl Entered {
    fn enter(&mut self, folder: OwnedFd) {
        if self.held.len() == STEPS_HELD_MAX {
            self.held.pop_front();
            self.more = true;
        }
        self.held.push_back(folder);
    }

    /// Goes back to the one before the last, if it is held.
    fn leave(&mut self) -> Result<(), Errno> {
        match self.held.pop_back() {
            None => Err(Errno::XDEV),
            Some(_) if self.held.is_empty() && self.more => Err(Errno::LOOP),
            Some(_) => Ok(()),
        }
    }
}

/// The name of the backup of that number of the file `name`. Where that would be too long, the name is cut.
fn backup_of(name: &OsStr, number: u32) -> OsString {
    let suffix = format!(".~{number}~");
    let mut len = name.len().min(NAME_MAX - suffix.len());
    if let Some(text) = name.to_str() {
        len = text.floor_char_boundary(len);
    }
    let mut other = OsStr::from_bytes(&name.as_bytes()[..len]).to_owned();
    other.push(suffix);
    other
}

/// Whether a file may be one that [`Folder::back_up`] named.
pub fn is_backup(name: &str) -> bool {
    let number = name.strip_suffix('~').and_then(|name| name.rsplit_once(".~"));
    number.is_some_and(|(of, number)| {
        !of.is_empty() && number.parse().is_ok_and(|number: u32| (1..=BACKUPS_MAX).contains(&number))
    })
}

/// Who may use a file that is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum For {
    /// Its owner alone.
    Owner,
    /// All whom this process usually lets.
    All,
}

/// Gives an open file or folder what is said of it, as far as its file system can: a mode or a time that it cannot
/// have is no reason to fail.
pub fn set_meta(fd: impl AsFd, meta: Meta) {
    if let Some(modified) = meta.modified {
        let _ = rustix::fs::futimens(&fd, &times(modified));
    }
    if let Some(mode) = meta.mode {
        let _ = rustix::fs::fchmod(&fd, Mode::from_raw_mode((mode & KEPT).into()));
    }
}

fn times(modified: Mtime) -> Timestamps {
    let last_modification = Timespec { tv_sec: modified.s(), tv_nsec: modified.ns().into() };
    Timestamps { last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT }, last_modification }
}

/// What became of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linked {
    /// It was made.
    Made,
    /// It was there already.
    Unchanged,
    /// Something else is there, and stays.
    Kept,
}

/// A file that was to be taken.
#[derive(Debug)]
pub enum Taken {
    /// Here it is, locked.
    File(File),
    /// It is not there.
    Missing,
    /// Something else is there.
    NoFile,
    /// Another process has it.
    Locked,
}

/// The names in a folder, `.` and `..` left out.
pub struct Names {
    dir: Dir,
    /// Where the next name is: a cookie of the file system.
    at: u64,
}

impl Names {
    /// Where the next name is.
    pub const fn at(&self) -> u64 {
        self.at
    }
}

impl Iterator for Names {
    type Item = io::Result<OsString>;

    fn next(&mut self) -> Option<io::Result<OsString>> {
        loop {
            let name = match self.dir.read()? {
                Ok(entry) => {
                    self.at = entry.offset().cast_unsigned();
                    entry.file_name().to_bytes().to_vec()
                }
                Err(error) => return Some(Err(error.into())),
            };
            if name != b"." && name != b".." {
                return Some(Ok(OsString::from_vec(name)));
            }
        }
    }
}

/// Whether a path was not opened because a link on it leads out of the folder, or may not be followed.
pub fn leads_out(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::XDEV | Errno::LOOP))
}

/// Whether nothing could be opened because this process, or the system, holds as many descriptors as it may.
pub fn has_no_descriptor(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

/// The path as the kernel takes it.
fn dot(path: &SafePath) -> Cow<'_, [u8]> {
    if path.is_root() { Cow::Borrowed(b".") } else { path.bytes() }
}

fn is_link(fd: &OwnedFd) -> io::Result<bool> {
    Ok(File::from(fd.try_clone()?).metadata()?.is_symlink())
}

#[cfg(test)]
mod tests;
