//! What is served.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tng_services::files::{Entry, Fault, FaultCode, Kind, LeftOutWhy, LinkTarget, Meta, Mtime, Over, SafePath};

use super::beneath::{Folder, Linked, Links, OWNER_MIN, has_no_descriptor, leads_out};
use super::destination::{Base, Destination, has_reserved, link_draft_of};
use super::standing::is_newer;
use super::{Own, Quota, Walk};
use crate::failure::{Failure, reason};
use crate::talk::shown;

/// What a name costs of the quota of a server that takes files, beside the bytes of the file.
pub const NAME_COST: u64 = 4096;

/// A folder, or one file, that is served. Nothing outside it is, whatever symbolic links say, also when somebody
/// changes them in the meantime: the folder is held open, and paths are resolved [below it](Folder).
#[derive(Clone, Debug)]
pub struct Root {
    base: Arc<Base>,
    /// If set, the one name below `base` that is served.
    only: Option<SafePath>,
    /// What is not served, wherever it lies.
    own: Vec<Arc<Own>>,
}

impl Root {
    /// The folder or file at `path`.
    ///
    /// # Errors
    /// If it is not there, or is neither.
    pub fn new(path: &Path) -> Result<Root, Failure> {
        let what = || format!("serving {}", shown(path));
        let failed = |error| Failure::read(what(), &error);
        let shown = path.canonicalize().map_err(failed)?;
        let metadata = shown.metadata().map_err(failed)?;
        let root = |shown: PathBuf, only| {
            Ok(Root { base: Arc::new(Base::open(shown).map_err(failed)?), only, own: Vec::new() })
        };
        if metadata.is_dir() {
            return root(shown, None);
        }
        if let Some(kind) = special(&metadata) {
            return Err(Failure::usage(what(), format!("it is {kind}; only files and folders can be handed out"))
                .or_try("`tng listen` and `tng connect`, which join pipes"));
        }
        let name = shown.file_name().and_then(|name| SafePath::of_bytes(name.as_bytes()).ok());
        if name.as_ref().is_some_and(has_reserved) {
            return Err(Failure::usage(what(), LeftOutWhy::Reserved).or_try("another name for it"));
        }
        match (shown.parent(), name) {
            (Some(folder), Some(name)) => root(folder.to_owned(), Some(name)),
            _ => Err(Failure::usage(what(), "it has no name that can be sent")),
        }
    }

    /// The same without what is the server's own: that is neither shown, read, replaced nor made.
    pub fn without(mut self, own: Own) -> Root {
        self.own.push(Arc::new(own));
        self
    }

    /// The same, its folder opened in another way.
    #[cfg(test)]
    pub(super) fn with_folder(self, change: impl FnOnce(Folder) -> Folder) -> Root {
        let base = Base { folder: change(self.base.folder.clone()), shown: self.base.shown.clone() };
        Root { base: Arc::new(base), ..self }
    }

    /// The one file that is served, if it is not a folder.
    pub const fn only(&self) -> Option<&SafePath> {
        self.only.as_ref()
    }

    /// What is served, without symbolic links.
    pub fn path(&self) -> PathBuf {
        self.only.as_ref().unwrap_or(&SafePath::root()).below(&self.base.shown)
    }

    /// What is at `path`. Links are followed as long as they stay inside.
    ///
    /// # Errors
    /// If it is not there, or not inside, or may not be read, or is the server's own.
    pub fn look(&self, path: &SafePath) -> Result<Metadata, Fault> {
        let metadata = self.stands(path)?;
        if let Some((above, name)) = split(path)
            && self.own.iter().any(|own| own.is_name(&name))
            && let Ok(folder) = self.base.folder.folder(&above, Links::Inside)
            && self.is_own_at(&folder, &name)
        {
            return Err(own());
        }
        if self.is_own(&metadata) { Err(own()) } else { Ok(metadata) }
    }

    /// As [`look`](Root::look), also where it is the server's own.
    pub(super) fn stands(&self, path: &SafePath) -> Result<Metadata, Fault> {
        if self.only.as_ref().is_some_and(|only| only != path && !path.is_root()) {
            return Err(Fault::new(FaultCode::NotFound, ""));
        }
        if has_reserved(path) {
            return Err(Fault::new(FaultCode::NotFound, ""));
        }
        self.base.folder.look(path, Links::Inside).map_err(|error| fault(&error))
    }

    /// The file `path`, opened.
    ///
    /// # Errors
    /// As [`look`](Root::look), or if it is no regular file.
    pub fn file(&self, path: &SafePath) -> Result<File, Fault> {
        // Where only one file is served, the root is that file.
        let path = self.only.as_ref().filter(|_| path.is_root()).unwrap_or(path);
        // Opening a device can do something, so what cannot be handed out is not opened for reading.
        regular(&self.look(path)?)?;
        let file = self.base.folder.file(path, Links::Inside).map_err(|error| fault(&error))?;
        // Another thing may stand there by now.
        let metadata = file.metadata().map_err(|error| fault(&error))?;
        regular(&metadata)?;
        if self.is_own(&metadata) { Err(own()) } else { Ok(file) }
    }

    /// Where a peer may put `path`; the folders that it is in are made. Nothing that leads through a link, nothing in
    /// the place of a folder or of something special, nothing under the name of a scratch file.
    ///
    /// # Errors
    /// If it may not, or the quota has no room for the names.
    pub fn place(&self, path: &SafePath, quota: &Arc<Quota>, sync: bool) -> Result<(Destination, Option<Paid>), Fault> {
        let refused = |why| Err(Fault::new(FaultCode::NotAllowed, why));
        let Some((above, name)) = split(path) else { return refused("it has no name") };
        unreserved(path)?;
        let folder = self.folder(&above, Meta::default(), quota, sync)?;
        if self.is_own_at(&folder, &name) {
            return Err(own());
        }
        let is_there = match folder.entry(&name) {
            Ok(metadata) if self.is_own(&metadata) => return Err(own()),
            Ok(metadata) if metadata.is_dir() => return Err(Fault::new(FaultCode::IsFolder, "")),
            Ok(metadata) if !metadata.is_file() => return refused("there is no regular file in its place"),
            Ok(_) => true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(fault(&error)),
        };
        let base = Arc::new(Base { folder, shown: above.below(&self.base.shown) });
        let place = Destination::new(base, SafePath::root(), name);
        // Where there is a scratch file, its name was paid for.
        let paid = match is_there || !place.is_free() {
            true => None,
            false => Some(Paid::new(&place, quota).ok_or_else(|| Fault::new(FaultCode::NoRoom, ""))?),
        };
        Ok((place, paid))
    }

    /// Makes a link at `path`, where a peer may put a file, too.
    ///
    /// # Errors
    /// As [`place`](Root::place); or if it leads out, or something else is there that may not be replaced.
    pub fn link(
        &self,
        path: &SafePath,
        (target, meta): (&LinkTarget, Meta),
        over: Over,
        quota: &Quota,
        sync: bool,
    ) -> Result<Linked, Fault> {
        if !target.stays_below(path) {
            return Err(Fault::new(FaultCode::NotAllowed, "it is a link that leads out of the served folder"));
        }
        let make = |folder: &Folder, name: &OsStr| folder.link(name, &link_draft_of(name), (target, meta), over);
        self.linked(path, over, (quota, sync), make)
    }

    /// Gives the file `of` one more name, `path`, where a peer may put a file, too. It is no copy of it.
    ///
    /// # Errors
    /// As [`place`](Root::place); or if `of` is no file that is served, or something else is there that may not be
    /// replaced, or its file system has one name for a file.
    pub fn same(&self, path: &SafePath, of: &SafePath, over: Over, quota: &Quota, sync: bool) -> Result<Linked, Fault> {
        regular(&self.look(of)?)?;
        let (above, first) = split(of).ok_or_else(|| Fault::new(FaultCode::NotFound, ""))?;
        let above = self.base.folder.folder(&above, Links::None).map_err(|error| fault(&error))?;
        // Another thing may stand there by now.
        let there = above.entry(&first).map_err(|error| fault(&error))?;
        regular(&there)?;
        if self.is_own_at(&above, &first) || self.is_own(&there) {
            return Err(own());
        }
        let make =
            |folder: &Folder, name: &OsStr| folder.same(name, &link_draft_of(name), (&above, &first), over, false);
        self.linked(path, over, (quota, sync), make)
    }

    /// Has `make` make a name at `path` that is no file of its own.
    fn linked(
        &self,
        path: &SafePath,
        over: Over,
        (quota, sync): (&Quota, bool),
        make: impl FnOnce(&Folder, &OsStr) -> io::Result<Linked>,
    ) -> Result<Linked, Fault> {
        let refused = |why| Err(Fault::new(FaultCode::NotAllowed, why));
        let Some((above, name)) = split(path) else { return refused("it has no name") };
        unreserved(path)?;
        let folder = self.folder(&above, Meta::default(), quota, sync)?;
        let there = folder.entry(&name);
        if self.is_own_at(&folder, &name) || there.as_ref().is_ok_and(|there| self.is_own(there)) {
            return Err(own());
        }
        // A backup has a name of its own.
        let costs = there.is_err() || over.backs_up();
        if costs && !quota.take(NAME_COST) {
            return Err(Fault::new(FaultCode::NoRoom, ""));
        }
        let linked = make(&folder, &name);
        if costs && !matches!(linked, Ok(Linked::Made)) {
            quota.give_back(NAME_COST);
        }
        if sync && linked.is_ok() {
            folder.sync().map_err(|error| fault(&error))?;
        }
        linked.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Fault::new(FaultCode::Exists, ""),
            io::ErrorKind::IsADirectory => Fault::new(FaultCode::IsFolder, ""),
            _ => fault(&error),
        })
    }

    /// Whether what stands at `path` is older than what has this `meta`.
    pub(super) fn is_older(&self, path: &SafePath, meta: Meta) -> bool {
        let there = split(path).and_then(|(above, name)| {
            let folder = self.base.folder.folder(&above, Links::None).ok()?;
            folder.entry(&name).ok()
        });
        there.is_some_and(|there| is_newer(meta, self::meta(&there)))
    }

    /// Removes what is at `path`: a file, a link, or a folder in which nothing is. Answers whether it did: a folder in
    /// which something is stays.
    ///
    /// # Errors
    /// As [`place`](Root::place); or if it is a folder and `is_folder` does not say so, or the other way round.
    pub fn remove(&self, path: &SafePath, is_folder: bool, sync: bool) -> Result<bool, Fault> {
        let refused = |why| Err(Fault::new(FaultCode::NotAllowed, why));
        let Some((above, name)) = split(path).filter(|_| self.only.is_none()) else {
            return refused("it is what is served");
        };
        if has_reserved(path) {
            return Err(Fault::new(FaultCode::NotFound, ""));
        }
        let folder = self.base.folder.folder(&above, Links::None).map_err(|error| match leads_out(&error) {
            true => Fault::new(FaultCode::NotAllowed, "it leads through a link"),
            false => fault(&error),
        })?;
        let there = folder.entry(&name).map_err(|error| fault(&error))?;
        if self.is_own_at(&folder, &name) || self.is_own(&there) {
            return Err(own());
        }
        let removed = match (there.is_dir(), is_folder) {
            (true, true) => folder.remove_folder(&name),
            (false, false) => folder.remove(&name),
            (true, false) => return Err(Fault::new(FaultCode::IsFolder, "")),
            (false, true) => return Err(Fault::new(FaultCode::NotFolder, "")),
        };
        match removed {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => return Ok(false),
            removed => removed.map_err(|error| fault(&error))?,
        }
        if sync {
            folder.sync().map_err(|error| fault(&error))?;
        }
        Ok(true)
    }

    /// The folder `path`, made if need be. It gets what is said of its time and, if it is made, of its mode; but this
    /// host can always enter it, read it and write in it.
    ///
    /// # Errors
    /// As [`place`](Root::place).
    pub fn folder(&self, path: &SafePath, meta: Meta, quota: &Quota, sync: bool) -> Result<Folder, Fault> {
        if self.only.is_some() {
            return Err(Fault::new(FaultCode::NotAllowed, "one file is served here, no folder"));
        }
        unreserved(path)?;
        let mut is_own = false;
        let made = self.base.folder.made(path, Links::None, meta.mode, |folder, name| {
            is_own = self.is_own_at(folder, name);
            !is_own && quota.take(NAME_COST)
        });
        let made = made.map_err(|error| match error.kind() {
            _ if leads_out(&error) => Fault::new(FaultCode::NotAllowed, "it leads through a link"),
            io::ErrorKind::NotADirectory => Fault::new(FaultCode::NotFolder, ""),
            _ => fault(&error),
        })?;
        let Some((folder, changed)) = made else {
            return Err(if is_own { own() } else { Fault::new(FaultCode::NoRoom, "") });
        };
        for changed in changed.iter().filter(|_| sync) {
            changed.sync().map_err(|error| fault(&error))?;
        }
        let mode = meta.mode.filter(|_| !changed.is_empty()).map(|mode| mode | OWNER_MIN);
        folder.set_meta(Meta { mode, ..meta });
        Ok(folder)
    }

    /// Everything below `path`.
    ///
    /// # Errors
    /// If `path` is no readable folder.
    pub fn walk(&self, path: &SafePath) -> Result<Walk, Fault> {
        let metadata = self.look(path)?;
        if !metadata.is_dir() {
            return Err(Fault::new(FaultCode::NotFolder, ""));
        }
        if let Some(only) = self.only.as_ref() {
            let entry = entry(only.clone(), &self.look(only)?);
            return Ok(Walk::of(self, entry));
        }
        Ok(Walk::new(self, path))
    }

    /// Whether something is the server's own.
    pub(super) fn is_own(&self, metadata: &Metadata) -> bool {
        self.own.iter().any(|own| own.is(metadata))
    }

    /// Whether what a link leads to is.
    pub(super) fn leads_to_own(&self, path: &SafePath) -> bool {
        !self.own.is_empty() && self.stands(path).is_ok_and(|there| self.is_own(&there))
    }

    /// Whether a name is.
    pub(super) fn is_own_at(&self, folder: &Folder, name: &OsStr) -> bool {
        self.own.iter().any(|own| own.is_at(folder, name))
    }

    /// The folder `below` of `top`; links lead to `top`, and from there on if they are followed.
    pub(super) fn folder_below(&self, top: &SafePath, below: &SafePath, links: Links) -> io::Result<Folder> {
        let mut whole = below.as_str().split('/').filter(|name| !name.is_empty());
        match links {
            Links::None => self.base.folder.folder(top, Links::Inside)?.folder(below, Links::None),
            Links::Inside => {
                let whole = whole.try_fold(top.clone(), |whole, name| whole.child(name)).map_err(io::Error::other)?;
                self.base.folder.folder(&whole, Links::Inside)
            }
        }
    }
}

/// That a name was paid for. What it cost is given back if neither file nor scratch file has come to stand there.
#[derive(Debug)]
pub struct Paid {
    place: Destination,
    quota: Arc<Quota>,
}

impl Paid {
    fn new(place: &Destination, quota: &Arc<Quota>) -> Option<Paid> {
        quota.take(NAME_COST).then(|| Paid { place: place.clone(), quota: Arc::clone(quota) })
    }
}

impl Drop for Paid {
    fn drop(&mut self) {
        if self.place.is_free() {
            self.quota.give_back(NAME_COST);
        }
    }
}

fn own() -> Fault {
    Fault::new(FaultCode::NotAllowed, "it is the server's own")
}

fn unreserved(path: &SafePath) -> Result<(), Fault> {
    match has_reserved(path) {
        true => Err(Fault::new(FaultCode::NotAllowed, "the name is kept for unfinished files")),
        false => Ok(()),
    }
}

fn regular(metadata: &Metadata) -> Result<(), Fault> {
    match metadata.is_dir() {
        true => Err(Fault::new(FaultCode::IsFolder, "")),
        false if !metadata.is_file() => Err(Fault::new(FaultCode::NotAllowed, "it is not a regular file")),
        false => Ok(()),
    }
}

/// What something is that is neither file nor folder nor link.
pub fn special(metadata: &Metadata) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    match () {
        () if kind.is_fifo() => Some("a pipe"),
        () if kind.is_char_device() || kind.is_block_device() => Some("a device"),
        () if kind.is_socket() => Some("a socket"),
        () => None,
    }
}

/// A path's folder and its last name.
pub(super) fn split(path: &SafePath) -> Option<(SafePath, OsString)> {
    let (above, _) = path.as_str().rsplit_once('/').unwrap_or_default();
    Some((SafePath::parse(above).ok()?, path.names().next_back()?))
}

pub(super) fn entry(path: SafePath, metadata: &Metadata) -> Entry {
    let (kind, size) = if metadata.is_dir() { (Kind::Folder, 0) } else { (Kind::File, metadata.len()) };
    Entry { kind, path, size, meta: meta(metadata) }
}

/// What the wire has of a file or folder beside its bytes.
pub(crate) fn meta(metadata: &Metadata) -> Meta {
    let mode = Some((metadata.mode() & 0o7777) as u16);
    let ns = u32::try_from(metadata.mtime_nsec()).unwrap_or(0);
    // A block of `stat` has 512 bytes.
    let holes = metadata.is_file() && metadata.blocks().saturating_mul(512) < metadata.len();
    Meta { mode, modified: Mtime::new(metadata.mtime(), ns), holes }
}

/// An error of the system, as the peer hears of it: without any path of this host.
pub(super) fn fault(error: &io::Error) -> Fault {
    if leads_out(error) {
        return Fault::new(FaultCode::NotAllowed, "it is a link that leads out of the served folder");
    }
    let (code, why) = match error.kind() {
        // Another moment there may be descriptors again.
        _ if has_no_descriptor(error) => (FaultCode::Busy, reason(error)),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => (FaultCode::NotFound, String::new()),
        io::ErrorKind::PermissionDenied => (FaultCode::NotAllowed, reason(error)),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            (FaultCode::NoRoom, reason(error))
        }
        _ => (FaultCode::Io, reason(error)),
    };
    Fault::new(code, &why)
}
