//! What takes a file as it comes: stdout, a pipe with a name, a device. It is written to and never replaced.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::draft::DraftError;
use crate::talk::shown;

/// How often a pipe is looked at that nobody reads.
const LOOK_TIME: Duration = Duration::from_millis(50);

/// Something that takes a file as it comes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outlet {
    /// Stdout.
    Stdout,
    /// What stands at this place: a pipe, a device.
    Special(PathBuf),
}

/// An open outlet.
#[derive(Debug)]
pub(super) enum Tap {
    Stdout,
    File(File),
}

impl Outlet {
    /// Whether a path is another name of stdout. Opened by that name it would be written from its beginning.
    pub(super) fn is_own_stdout(path: &Path) -> bool {
        ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
    }

    /// Whether a path names a descriptor of this process, so that its folder and its name are none.
    pub(super) fn is_descriptor(path: &Path) -> bool {
        path == Path::new("/dev/stderr") || ["/dev/fd", "/proc/self/fd"].iter().any(|above| path.starts_with(above))
    }

    /// Opens it. A pipe is waited for until somebody reads it; `wait` is told of that, once.
    pub(super) async fn open(&self, wait: impl Fn(String)) -> Result<Tap, DraftError> {
        let Outlet::Special(path) = self else { return Ok(Tap::Stdout) };
        let failed = |error| DraftError::Write(self.to_string(), error);
        let mut waited = false;
        loop {
            let path = path.clone();
            let opening = spawn_blocking(move || open(&path)).await;
            match opening.map_err(io::Error::other).map_err(failed)?.map_err(failed)? {
                Some(file) => return Ok(Tap::File(file)),
                None if waited => {}
                None => {
                    waited = true;
                    wait(format!("waiting for somebody to read {self}, which is a pipe"));
                }
            }
            sleep(LOOK_TIME).await;
        }
    }
}

/// Opens what is no file, without waiting; `None`: a pipe that nobody reads.
fn open(path: &Path) -> io::Result<Option<File>> {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(CWD, path, flags, Mode::empty()) {
        Ok(fd) => File::from(fd),
        Err(Errno::NXIO) if path.metadata()?.file_type().is_fifo() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // From here on, who reads slowly is waited for.
    rustix::fs::fcntl_setfl(&file, rustix::fs::fcntl_getfl(&file)? & !OFlags::NONBLOCK)?;
    Ok(Some(file))
}

impl Tap {
    pub(super) fn write(&mut self, data: &[u8]) -> io::Result<()> {
        match self {
            Tap::Stdout => io::stdout().lock().write_all(data),
            Tap::File(file) => file.write_all(data),
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self {
            Tap::Stdout => io::stdout().lock().flush(),
            Tap::File(file) => file.flush(),
        }
    }
}

impl fmt::Display for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outlet::Stdout => f.write_str("stdout"),
            Outlet::Special(path) => write!(f, "{}", shown(path)),
        }
    }
}
