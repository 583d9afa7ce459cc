//! The folders and links of a tree that is fetched: folders before what is in them, links after all files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tng_services::files::{Entry, Kind, LinkTarget, Meta, Over, SafePath};

use super::beneath::{Folder, Linked, Links, OWNER_MIN, is_backup};
use super::destination::{MOVED, link_draft_of};
use super::draft::{OVER, write_failure};
use super::root::{meta, split};
use super::{Base, Care, Filter, Found, Job, LinkPlace, Root};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::talk::shown;

/// A link to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkJob {
    /// Where it stands.
    pub path: SafePath,
    /// What it says.
    pub target: LinkTarget,
    /// What else is known of it.
    pub meta: Meta,
}

/// A further name to be given to a file of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SameJob {
    /// The further name.
    pub path: SafePath,
    /// The file's first.
    pub of: SafePath,
}

/// What of a tree is no file.
#[derive(Debug)]
pub struct Tree {
    base: Arc<Base>,
    /// Each after the one that it is in, and what is known of them; the top is the first.
    folders: Vec<(SafePath, Meta)>,
    links: Vec<LinkJob>,
    same: Vec<(SameJob, Job)>,
    care: Care,
}

impl Tree {
    /// Makes the folders of a tree at `base`. Nobody has more permissions for a new one than it will have in the end.
    ///
    /// # Errors
    /// If one cannot be made.
    pub fn make(
        base: &Arc<Base>,
        top: Meta,
        folders: Vec<(SafePath, Meta)>,
        (links, same): (Vec<LinkJob>, Vec<(SameJob, Job)>),
        care: Care,
    ) -> Result<Tree, Failure> {
        if let Some(mode) = top.mode {
            base.folder.set_meta(Meta { mode: Some(mode | OWNER_MIN), ..Meta::default() });
        }
        for (below, meta) in &folders {
            let making = |error| making(&below.below(&base.shown), error);
            let made = base.folder.made(below, Links::Inside, meta.mode, |_, _| true).map_err(making)?;
            let Some((folder, changed)) = made else { continue };
            folder.open_to_owner();
            for changed in changed.iter().filter(|_| care.sync) {
                changed.sync().map_err(making)?;
            }
        }
        let folders = std::iter::once((SafePath::root(), top)).chain(folders).collect();
        Ok(Tree { base: Arc::clone(base), folders, links, same, care })
    }

    /// Removes what is [extra]. A folder in which something is left stays. `each` is told of what is gone.
    ///
    /// # Errors
    /// The first failure, if there was one. The others are removed all the same.
    pub fn delete(&self, extra: &[(SafePath, Kind)], mut each: impl FnMut(&SafePath)) -> Result<(), Failure> {
        let mut first = Ok(());
        for (path, kind) in extra {
            let Some((above, name)) = split(path) else { continue };
            let removed = self.base.folder.folder(&above, Links::None).and_then(|folder| match kind {
                Kind::Folder => folder.remove_folder(&name),
                _ => folder.remove(&name),
            });
            match removed {
                Ok(()) => each(path),
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
                Err(error) => {
                    let what = format!("removing {}", shown(&self.shown(path)));
                    first = first.and(Err(Failure::write(what, &error)));
                }
            }
        }
        first
    }

    /// What to fetch because a further name of it would be one of what is `missing`: something else may stand there.
    pub fn apart(&mut self, missing: &BTreeSet<PathBuf>) -> Vec<Job> {
        let base = &self.base.shown;
        let (apart, same) =
            std::mem::take(&mut self.same).into_iter().partition(|(same, _)| missing.contains(&same.of.below(base)));
        self.same = same;
        Vec::into_iter(apart).map(|(_, job)| job).collect()
    }

    /// Makes the links and further names, and gives the folders their times and modes, when nothing else comes into
    /// them any more. `each` is told what became of each.
    ///
    /// # Errors
    /// The first failure, if there was one. The others are made as far as they can be.
    pub fn finish(&self, mut each: impl FnMut(&SafePath, &Result<Linked, Failure>)) -> Result<(), Failure> {
        let mut first = Ok(());
        for link in &self.links {
            let made = self.link(link);
            each(&link.path, &made);
            first = first.and(made.map(drop));
        }
        for (same, _) in &self.same {
            let made = self.same(same);
            each(&same.path, &made);
            first = first.and(made.map(drop));
        }
        for (path, meta) in self.folders.iter().rev() {
            if let Ok(folder) = self.base.folder.folder(path, Links::Inside) {
                folder.set_meta(*meta);
            }
        }
        if !self.base.is_in_place() {
            first = first.and(Err(Failure::new(Exit::Write, format!("writing {}", shown(&self.base.shown)), MOVED)));
        }
        first
    }

    /// Where something of the tree stands, for people.
    pub fn shown(&self, path: &SafePath) -> PathBuf {
        path.below(&self.base.shown)
    }

    fn link(&self, link: &LinkJob) -> Result<Linked, Failure> {
        let what = || format!("writing {}", shown(&self.shown(&link.path)));
        let Some((above, name)) = split(&link.path) else { return Err(Failure::new(Exit::Write, what(), "no name")) };
        let folder = self.base.folder.folder(&above, Links::Inside);
        let linked = folder
            .and_then(|folder| folder.link(&name, &link_draft_of(&name), (&link.target, link.meta), self.care.over));
        self.told(linked, &what())
    }

    fn same(&self, same: &SameJob) -> Result<Linked, Failure> {
        let what = || format!("writing {}", shown(&self.shown(&same.path)));
        let (Some((above, name)), Some((of, first))) = (split(&same.path), split(&same.of)) else {
            return Err(Failure::new(Exit::Write, what(), "no name"));
        };
        let folder = |path: &SafePath| self.base.folder.folder(path, Links::Inside);
        let linked = folder(&of)
            .and_then(|of| folder(&above)?.same(&name, &link_draft_of(&name), (&of, &first), self.care.over, true));
        self.told(linked, &what())
    }

    fn told(&self, linked: io::Result<Linked>, what: &str) -> Result<Linked, Failure> {
        linked.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                Failure::new(Exit::Exists, what, "something else is there already").or_try(OVER)
            }
            io::ErrorKind::IsADirectory => Failure::new(Exit::Write, what, "it is a folder"),
            _ => write_failure(what.to_owned(), &error),
        })
    }
}

/// What stands below `base` where a link goes.
pub fn place_of_link(base: &Base, LinkJob { path, target, .. }: &LinkJob) -> LinkPlace {
    place_of(base, path, |folder, name| {
        folder.target(name).is_ok_and(|said| said.as_encoded_bytes() == &*target.bytes())
    })
}

/// What stands below `base` where a further name of a file goes.
pub fn place_of_same(base: &Base, SameJob { path, of }: &SameJob) -> LinkPlace {
    let id = |metadata: Metadata| (metadata.dev(), metadata.ino());
    let first = split(of).and_then(|(above, name)| base.folder.folder(&above, Links::Inside).ok()?.entry(&name).ok());
    let first = first.map(id);
    place_of(base, path, |folder, name| first.is_some() && folder.entry(name).ok().map(id) == first)
}

fn place_of(base: &Base, path: &SafePath, is_same: impl FnOnce(&Folder, &OsStr) -> bool) -> LinkPlace {
    let Some((above, name)) = split(path) else { return LinkPlace::Free };
    let Ok(folder) = base.folder.folder(&above, Links::Inside) else { return LinkPlace::Free };
    match folder.entry(&name) {
        Err(_) => LinkPlace::Free,
        Ok(_) if is_same(&folder, &name) => LinkPlace::Same,
        Ok(there) if there.is_file() || there.is_symlink() => LinkPlace::Other(meta(&there)),
        Ok(_) => LinkPlace::Folder,
    }
}

/// What is in the folder `base`, takes part, and is not among `there`; what is in a folder before that. Backups are not
/// among it where they are `kept`.
///
/// # Errors
/// If the folder cannot be read.
pub fn extra(
    base: &Path,
    there: &BTreeSet<SafePath>,
    (filter, kept): (&Filter, Backups),
) -> Result<Vec<(SafePath, Kind)>, Failure> {
    let failed = |fault| Failure::new(Exit::Read, format!("looking through {}", shown(base)), fault);
    let mut extra = Vec::new();
    for found in Root::new(base)?.walk(&SafePath::root()).map_err(failed)? {
        match found.map_err(failed)? {
            Found::Entry(Entry { path, kind, .. })
                if !there.contains(&path) && kept.may_go(&path) && filter.takes(&path, kind == Kind::Folder) =>
            {
                extra.push((path, kind));
            }
            Found::Entry(_) | Found::LeftOut(_) => {}
        }
    }
    extra.reverse();
    Ok(extra)
}

/// What becomes of backups where all is removed that is not on the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backups {
    /// They are kept: this command makes some.
    Kept,
    /// They go as everything else.
    Gone,
}

impl Backups {
    /// Where a command does so about other files.
    pub const fn of(over: Over) -> Backups {
        if over.backs_up() { Backups::Kept } else { Backups::Gone }
    }

    /// Whether something may go.
    pub fn may_go(self, path: &SafePath) -> bool {
        self == Backups::Gone || !path.name().is_some_and(is_backup)
    }
}

/// A folder that cannot be made.
pub fn making(folder: &Path, error: io::Error) -> Failure {
    write_failure(format!("making the folder {}", shown(folder)), &error)
}
