//! The file of the secret that marks come from, and beside it the names that were given out.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tng_services::watermark::Marks;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::folder_of;
use crate::secret::SecretFile;
use crate::talk::shown;

/// What it is.
const SECRET: SecretFile = SecretFile {
    what: "the secret of the marks",
    prefix: "tngmarks1 ",
    name: "marks",
    remedy: "the file that `tng trickles watermark serve` has, or move it away for a new one",
};
/// Longest file of names that is read, in bytes.
pub const NAMES_LEN_MAX: u64 = 16 << 20;

/// The file.
#[derive(Clone, Debug)]
pub struct MarksFile(PathBuf);

impl MarksFile {
    /// The file at `path`, in a folder that is there.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn named(path: &Path) -> Result<MarksFile, Failure> {
        let file = MarksFile(path.to_owned());
        if folder_of(path).is_dir() {
            return Ok(file);
        }
        let why = format!("there is no folder {}", shown(folder_of(path)));
        Err(Failure::usage(format!("looking for the secret of the marks in {}", shown(path)), why)
            .or_try("its right path, or make the folder for a new file"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Where the names are that were given out.
    pub fn names_path(&self) -> PathBuf {
        let mut path = self.0.as_os_str().to_owned();
        path.push(".names");
        path.into()
    }

    /// The marks, of a secret that is drawn if there is no file.
    ///
    /// # Errors
    /// If it cannot be read, trusted, understood, made or written.
    pub fn load_or_create(&self) -> Result<Marks, Failure> {
        SECRET.load_or_create(&self.0).map(Marks::new)
    }

    /// The marks.
    ///
    /// # Errors
    /// If it cannot be read, trusted or understood.
    pub fn load(&self) -> Result<Marks, Failure> {
        SECRET.load(&self.0).map(Marks::new)
    }

    /// Notes that a name was given out.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn note(&self, name: &str) -> Result<(), Failure> {
        if self.names()?.lines().any(|known| known == name) {
            return Ok(());
        }
        let path = self.names_path();
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).mode(0o600).open(&path);
        let written = file.and_then(|mut file| {
            file.write_all(format!("{name}\n").as_bytes())?;
            file.sync_all()
        });
        written.map_err(|error| Failure::write(format!("writing the names in {}", shown(&path)), &error))
    }

    /// The names that were given out, one a line.
    ///
    /// # Errors
    /// If they cannot be read. No file is no names.
    pub fn names(&self) -> Result<String, Failure> {
        let path = self.names_path();
        let what = || format!("reading the names in {}", shown(&path));
        match fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(String::new()),
            Ok(metadata) if metadata.len() > NAMES_LEN_MAX => {
                return Err(Failure::new(Exit::Read, what(), format!("it is longer than {NAMES_LEN_MAX} bytes")));
            }
            _ => {}
        }
        fs::read_to_string(&path).map_err(|error| Failure::read(what(), &error))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_secret_is_made_once_for_its_owner_alone_and_names_are_noted_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = MarksFile::named(&folder.path().join("marks")).expect("a folder");
        let one = file.load_or_create().expect("made").folder("alice");
        assert_eq!(one, file.load_or_create().expect("read").folder("alice"));
        ["alice", "bob", "alice"].into_iter().for_each(|name| file.note(name).expect("written"));
        assert_eq!(file.names().expect("read"), "alice\nbob\n");
        for path in [file.path(), &file.names_path()] {
            assert_eq!(fs::metadata(path).expect("there").permissions().mode() & 0o777, 0o600);
        }
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).expect("changed");
        assert!(file.load().expect_err("others can read it").remedy.contains("chmod 600"));
        for text in ["", "tngmarks1 77", "tngepochs1 7", &format!("tngmarks1{}", "0".repeat(64))] {
            fs::write(file.path(), text).expect("written");
            fs::set_permissions(file.path(), fs::Permissions::from_mode(0o600)).expect("changed");
            assert!(file.load_or_create().expect_err("refused").why.contains("tngmarks1"), "{text}");
        }
        let failure = MarksFile::named(&folder.path().join("no/marks")).expect_err("no such folder");
        assert_eq!(failure.exit, Exit::Usage);
    }
}
