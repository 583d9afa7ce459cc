//! What a store does to a disk: so little that each step can be made to fail.

use core::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// The steps by which a store changes its folder.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Writes a file that nobody else looks at yet, for its owner alone, and waits until it is on the disk.
    ///
    /// # Errors
    /// As the system's.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Puts a file in the place of another.
    ///
    /// # Errors
    /// As the system's.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// As the system's.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Waits until what was put into a folder, and taken out of it, is on the disk.
    ///
    /// # Errors
    /// As the system's.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// The disk of this machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }
}
