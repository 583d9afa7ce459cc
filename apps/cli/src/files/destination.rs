//! Where a file goes: to a name in a folder, or into something that takes it as it comes.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tng_services::files::{NAME_MAX, SafePath};

use super::beneath::{Folder, Links};
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
        let (name, part) = (name.to_owned(), part_of(name));
        Ok(Target::Destination(Destination { base, above: SafePath::root(), name, part }))
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

/// `name` with `.part` appended, or [another name](hidden_part_of) if that would be too long.
pub fn part_of(name: &OsStr) -> OsString {
    const SUFFIX: &str = ".part";
    if name.len() + SUFFIX.len() > NAME_MAX {
        return hidden_part_of(name);
    }
    let mut name = name.to_owned();
    name.push(SUFFIX);
    name
}

const HIDDEN: (&str, &str) = (".tng-", ".part");

/// A scratch file for the file `name`, whose own name is short and that of no file that peers can name.
pub fn hidden_part_of(name: &OsStr) -> OsString {
    let (before, after) = HIDDEN;
    format!("{before}{}{after}", &blake3::hash(name.as_encoded_bytes()).to_hex()[..32]).into()
}

/// A name that a link has before it gets its own, `name`: of a file, [`hidden_part_of`] is another.
pub fn hidden_link_of(name: &OsStr) -> OsString {
    // In no name there is a `/`.
    let mut link = name.to_owned();
    link.push("/");
    hidden_part_of(&link)
}

/// Whether a file of this name is a scratch file that [`hidden_part_of`] named.
pub fn is_hidden_part(name: &str) -> bool {
    name.starts_with(HIDDEN.0) && name.ends_with(HIDDEN.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_almost_too_long_has_a_scratch_file_of_another_name() {
        let long = OsString::from("x".repeat(251));
        let part = part_of(&long);
        assert!(part.len() <= NAME_MAX && is_hidden_part(&part.to_string_lossy()));
        assert_ne!(part, part_of(OsStr::new(&"y".repeat(251))));
        assert_eq!(part_of(OsStr::new("short")), "short.part");
    }
}
