//! Where a file goes: to a name in a folder, or into something that takes it as it comes.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tng_services::files::SafePath;

use super::beneath::{Folder, Links, leads_out};
use super::outlet::Outlet;
use super::root::special;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::talk::{short, text_of};

/// A folder that is held open, and its name for people.
#[derive(Clone, Debug)]
pub struct Base {
    /// The folder.
    pub folder: Folder,
    /// Where it was when it was opened.
    pub shown: PathBuf,
}

impl Base {
    /// The folder at `shown`.
    ///
    /// # Errors
    /// If it is none.
    pub fn open(shown: PathBuf) -> io::Result<Base> {
        Ok(Base { folder: Folder::open(&shown)?, shown })
    }

    /// Whether its path, walked anew, still leads to it.
    pub fn is_in_place(&self) -> bool {
        is_same(Folder::open(&self.shown), &self.folder)
    }
}

/// What has become of a folder that its path does not lead to any more.
pub const MOVED: &str = "somebody else has moved its folder away meanwhile: its path leads elsewhere now";

/// Whether what a path leads to now is the folder that is `held`.
fn is_same(found: io::Result<Folder>, held: &Folder) -> bool {
    let id = |metadata: Metadata| (metadata.dev(), metadata.ino());
    match found.and_then(|found| found.metadata()) {
        Ok(found) => held.metadata().is_ok_and(|held| id(held) == id(found)),
        Err(error) => {
            !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) && !leads_out(&error)
        }
    }
}

/// A name in a folder, to which a file goes by way of a scratch file in the same folder.
#[derive(Clone, Debug)]
pub struct Destination {
    /// A folder.
    pub base: Arc<Base>,
    /// The folder below it that the file goes to.
    pub above: SafePath,
    /// The file's name.
    pub name: OsString,
    /// The scratch file's.
    pub part: OsString,
}

impl Destination {
    /// The name `name` in the folder `above` of `base`.
    pub fn new(base: Arc<Base>, above: SafePath, name: OsString) -> Destination {
        let part = draft_of(&name);
        Destination { base, above, name, part }
    }

    /// For messages.
    pub fn shown(&self) -> PathBuf {
        self.above.below(&self.base.shown).join(&self.name)
    }

    /// What stands there, if anything.
    pub fn there(&self) -> Option<Metadata> {
        self.folder().and_then(|folder| folder.entry(&self.name)).ok()
    }

    /// Whether nothing stands there, nor a scratch file of it.
    pub fn is_free(&self) -> bool {
        let is_missing =
            |folder: &Folder, name| folder.entry(name).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        self.folder().is_ok_and(|folder| is_missing(&folder, &self.name) && is_missing(&folder, &self.part))
    }

    /// The folder that it is in; links that stay below the base are followed.
    ///
    /// # Errors
    /// If it is gone, or leads out.
    pub fn folder(&self) -> io::Result<Folder> {
        self.base.folder.folder(&self.above, Links::Inside)
    }

    /// Whether its path, walked anew, leads to `folder`, in which it was: not if somebody has moved that away, or one
    /// that it is in. Where nobody can tell it does.
    pub fn leads_to(&self, folder: &Folder) -> bool {
        let found = Folder::open(&self.base.shown).and_then(|base| base.folder(&self.above, Links::Inside));
        is_same(found, folder)
    }
}

/// Where a file goes.
#[derive(Clone, Debug)]
pub enum Target {
    /// To this place.
    Destination(Destination),
    /// Into this as it comes, which nobody can take back: no resuming.
    Outlet(Outlet),
}

impl Target {
    /// What the user named, as it stands there now. A link to a file is followed, so that the file is what is replaced;
    /// what is neither file nor folder is written to; what cannot be written to is refused.
    ///
    /// # Errors
    /// If nothing can go there.
    pub fn named(path: &Path) -> Result<Target, Failure> {
        let what = || format!("writing {}", short(&text_of(path)));
        if Outlet::is_own_stdout(path) {
            return Ok(Target::Outlet(Outlet::Stdout));
        }
        match fs::metadata(path) {
            Ok(metadata) if Outlet::is_descriptor(path) || special(&metadata) == Some("a device") => {
                Ok(Target::Outlet(Outlet::Special(path.to_owned())))
            }
            Ok(metadata) => match special(&metadata) {
                None if metadata.is_file() => {
                    Target::place(&path.canonicalize().map_err(|error| Failure::write(what(), &error))?)
                }
                None => Target::place(path),
                Some("a pipe") => Ok(Target::Outlet(Outlet::Special(path.to_owned()))),
                Some(kind) => {
                    Err(Failure::new(Exit::Write, what(), format!("it is {kind}")).or_try("name another place"))
                }
            },
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::write(what(), &error)),
            Err(_) if fs::symlink_metadata(path).is_ok() => {
                Err(Failure::new(Exit::Write, what(), "it is a link that leads nowhere")
                    .or_try("remove it, or name another place"))
            }
            Err(_) => Target::place(path),
        }
    }

    /// The name `path`, whatever stands there.
    ///
    /// # Errors
    /// If its folder is not there.
    pub fn place(path: &Path) -> Result<Target, Failure> {
        let failed = |error| Failure::write(format!("writing {}", short(&text_of(path))), &error);
        let Some(name) = path.file_name() else { return Err(failed(io::ErrorKind::IsADirectory.into())) };
        let above = path.parent().unwrap_or(Path::new("")).to_owned();
        let base = Arc::new(Base::open(above).map_err(failed)?);
        Ok(Target::Destination(Destination::new(base, SafePath::root(), name.to_owned())))
    }

    /// For messages.
    pub fn name(&self) -> String {
        match self {
            Target::Destination(place) => text_of(&place.shown()),
            Target::Outlet(outlet) => outlet.to_string(),
        }
    }

    /// Whether it is stdout, where events cannot go too.
    pub const fn is_stdout(&self) -> bool {
        matches!(self, Target::Outlet(Outlet::Stdout))
    }
}

/// What names of unfinished files begin and end with. Nothing else may have such a name: neither end sends it or takes
/// it, so that no file that is somebody's is taken for the beginning of another.
const RESERVED: (&str, &str) = (".tng-", ".part");
/// Hexadecimal digits between the two.
const DIGITS: usize = 32;

/// The name of the file `name` until it is whole, in the same folder: short, however long that one is.
pub fn draft_of(name: &OsStr) -> OsString {
    let (before, after) = RESERVED;
    format!("{before}{}{after}", &blake3::hash(name.as_encoded_bytes()).to_hex()[..DIGITS]).into()
}

/// A name that a link has before it gets its own, `name`: of a file, [`draft_of`] is another.
pub fn link_draft_of(name: &OsStr) -> OsString {
    // In no name there is a `/`.
    let mut link = name.to_owned();
    link.push("/");
    draft_of(&link)
}

/// Whether a name is kept for unfinished files.
pub fn is_reserved(name: &str) -> bool {
    within(name).is_some()
}

/// Whether a name of a path is, also of a folder that it leads through.
pub fn has_reserved(path: &SafePath) -> bool {
    path.as_str().split('/').any(is_reserved)
}

/// Whether it is the name of one that [`draft_of`] gave.
pub fn is_draft(name: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    within(name).is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(is_digit))
}

fn within(name: &str) -> Option<&str> {
    name.strip_prefix(RESERVED.0)?.strip_suffix(RESERVED.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_services::files::NAME_MAX;

    #[test]
    fn every_name_has_a_draft_of_its_own_that_no_other_file_may_be_called() {
        let long = ["x", "y"].map(|letter| OsString::from(letter.repeat(NAME_MAX)));
        let drafts =
            [long[0].as_os_str(), &long[1], OsStr::new("short")].map(|name| [draft_of(name), link_draft_of(name)]);
        let drafts: Vec<_> = drafts.iter().flatten().map(|name| name.to_string_lossy().into_owned()).collect();
        for (at, draft) in drafts.iter().enumerate() {
            assert!(draft.len() <= NAME_MAX && is_draft(draft) && is_reserved(draft), "{draft}");
            assert!(!drafts[..at].contains(draft), "{draft}");
        }
        assert!(is_reserved(".tng-notes.part") && !is_draft(".tng-notes.part"), "no file of ours is called so");
        for free in ["short.part", ".tng-", ".part", ".tng.part", "x.tng-0.part"] {
            assert!(!is_reserved(free), "{free}");
        }
    }
}
