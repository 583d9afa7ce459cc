//! What comes on stdin, in a file without a name until it is sent: its size is told before its bytes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;

use rustix::fs::{CWD, Mode, OFlags};
use tng_services::files::Fault;
use tokio::task::spawn_blocking;

use super::root::fault;
use super::{Known, READ_MAX};
use crate::exit::Exit;
use crate::failure::Failure;

/// A file that nobody else finds, and that is gone however its process ends.
#[derive(Debug)]
pub struct Spool(File);

impl Spool {
    /// All that comes on stdin. Who gives this up leaves a thread that waits for more.
    ///
    /// # Errors
    /// If it cannot be read, or the temporary folder has no room.
    pub async fn of_stdin() -> Result<Spool, Failure> {
        let spooling = spawn_blocking(|| {
            let keeping = |error: &io::Error| {
                let folder = std::env::temp_dir();
                Failure::write(format!("keeping what comes on stdin in {}", folder.display()), error)
                    .or_try("TMPDIR=FOLDER with one that has room")
            };
            let mut file = unnamed().map_err(|error| keeping(&error))?;
            let (mut stdin, mut buf) = (io::stdin().lock(), vec![0; READ_MAX]);
            loop {
                match stdin.read(&mut buf) {
                    Ok(0) => return Ok(Spool(file)),
                    Ok(n) => file.write_all(&buf[..n]).map_err(|error| keeping(&error))?,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(Failure::read("reading stdin", &error)),
                }
            }
        });
        spooling.await.map_err(|error| Failure::new(Exit::Read, "reading stdin", error))?
    }

    /// What is known of it.
    ///
    /// # Errors
    /// If the system fails.
    pub fn known(&self) -> io::Result<Known> {
        Ok((&self.0.metadata()?).into())
    }

    /// The file, to be read from its beginning by one reader of several.
    pub(super) fn open(&self) -> Result<File, Fault> {
        // Another descriptor of the same would share its position.
        File::open(format!("/proc/self/fd/{}", self.0.as_raw_fd())).map_err(|error| fault(&error))
    }
}

/// A temporary file that has no name.
fn unnamed() -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::openat(CWD, std::env::temp_dir(), flags, Mode::from_raw_mode(0o666)) {
        Ok(fd) => Ok(fd.into()),
        // Some file systems have none: it loses its name at once.
        Err(_) => tempfile::tempfile(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reader_of_it_begins_at_its_beginning_and_no_name_is_left() {
        let mut file = unnamed().expect("a temporary folder");
        file.write_all(b"what has come").expect("written");
        let spool = Spool(file);
        assert_eq!(spool.known().expect("known").size, 13);
        let read = |file: &mut File, len: u64| {
            let mut text = String::new();
            file.take(len).read_to_string(&mut text).expect("text");
            text
        };
        let (mut one, mut other) = (spool.open().expect("opened"), spool.open().expect("opened"));
        assert_eq!(
            [read(&mut one, 4), read(&mut other, 99), read(&mut one, 99)],
            ["what", "what has come", " has come"]
        );
        let name = std::fs::read_link(format!("/proc/self/fd/{}", spool.0.as_raw_fd())).expect("a descriptor");
        assert!(name.to_string_lossy().ends_with("(deleted)"), "{name:?}");
    }
}
