//! The secrets of a fleet in a file, readable by its owner alone. What it said before is gone when it is written anew.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Changing, FleetKeys, parsed, what};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::{read_private, write_new, write_over};
use crate::talk::shown;

/// The file.
#[derive(Clone, Debug)]
pub struct KeysFile(PathBuf);

/// What changes when the file does, or who may read it.
pub(super) type Stamp = (u64, i64, i64, u64);

impl KeysFile {
    pub(super) fn new(path: PathBuf) -> KeysFile {
        KeysFile(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Makes it; answers whether there was none.
    pub(super) fn create(&self, text: &str) -> Result<bool, Failure> {
        match write_new(&self.0, text) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(self.unwritten(&error)),
        }
    }

    pub(super) fn change(&self, change: &Changing<'_>) -> Result<FleetKeys, Failure> {
        let _held = self.hold().map_err(|error| self.unwritten(&error))?;
        match change(self.load()?)? {
            Some(changed) => {
                write_over(&self.0, &changed.text()).map_err(|error| self.unwritten(&error))?;
                Ok(changed)
            }
            None => self.load(),
        }
    }

    /// Keeps others of this host from changing it. Who changes it puts another file in its place, so that who waited
    /// looks whether what it holds is still there.
    fn hold(&self) -> io::Result<File> {
        loop {
            let file = File::open(&self.0)?;
            file.lock()?;
            let (held, there) = (file.metadata()?, fs::metadata(&self.0)?);
            if (held.dev(), held.ino()) == (there.dev(), there.ino()) {
                return Ok(file);
            }
        }
    }

    pub(super) fn stamp(&self) -> Option<Stamp> {
        let found = fs::metadata(&self.0).ok()?;
        Some((found.ino(), found.ctime(), found.ctime_nsec(), found.size()))
    }

    pub(super) fn load(&self) -> Result<FleetKeys, Failure> {
        let what = || self.what("reading");
        if matches!(fs::metadata(&self.0), Err(error) if error.kind() == io::ErrorKind::NotFound) {
            return Err(Failure::new(Exit::Read, what(), "there is no such file").or_try(format!(
                "`tng trickles keys new {}` for a new fleet, or a copy of the file of another server",
                shown(&self.0)
            )));
        }
        read_private(&self.0, what, "epochs", |text| parsed(text, what))
    }

    fn unwritten(&self, error: &io::Error) -> Failure {
        Failure::write(self.what("writing"), error)
    }

    fn what(&self, doing: &str) -> String {
        what(doing, &shown(&self.0))
    }
}
