//! Whether a draft is still what was written to it: somebody else may remove it, or write to it.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use tng_services::files::{DATA_MAX, Fragment, Have};
use tokio::time::Instant;

use super::Destination;
use super::beneath::{Folder, has_no_descriptor};
use super::destination::MOVED;
use crate::clock;

/// How often the name of a draft is looked up while it is written to.
pub const LOOK_TIME: Duration = Duration::from_millis(500);
/// A draft that somebody else may have written to is read again at most so often, and after so many times as long as
/// that took.
const READ_AGAIN: (Duration, u32) = (Duration::from_secs(1), 10);

/// A draft that is being written.
#[derive(Debug)]
pub(super) struct Watched {
    /// Size and time after the last write of this host.
    seen: Seen,
    /// When its name was looked up last.
    looked: Instant,
    /// Its time has changed by no write of this host: some file systems do that by themselves.
    doubted: bool,
    /// When it may be read again.
    read: Instant,
}

type Seen = (u64, i64, i64);

/// What somebody else has done to a draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum Meddled {
    /// It is not what was written to it.
    #[error("somebody else has written to it meanwhile")]
    Written,
    /// It is not there any more.
    #[error("somebody else has removed it, or its folder, meanwhile")]
    Removed,
    /// It is where its path does not lead any more.
    #[error("{MOVED}")]
    Moved,
}

impl Meddled {
    /// What an error says of it.
    pub(super) fn of(error: &io::Error) -> Option<Meddled> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<Meddled> for io::Error {
    fn from(meddled: Meddled) -> io::Error {
        io::Error::other(meddled)
    }
}

fn seen(metadata: &Metadata) -> Seen {
    (metadata.len(), metadata.mtime(), metadata.mtime_nsec())
}

impl Watched {
    pub(super) fn new(file: &File) -> io::Result<Watched> {
        let now = clock::ticks();
        Ok(Watched { seen: seen(&file.metadata()?), looked: now, doubted: false, read: now })
    }

    /// This host has written to it.
    pub(super) fn wrote(&mut self, file: &File) -> io::Result<()> {
        self.seen = seen(&file.metadata()?);
        Ok(())
    }

    /// Before it is written to, or gets its name (`last`).
    pub(super) fn look(&mut self, file: &File, (folder, place): (&Folder, &Destination), last: bool) -> io::Result<()> {
        let (now, metadata) = (clock::ticks(), file.metadata()?);
        let found = seen(&metadata);
        if found.0 != self.seen.0 {
            return Err(Meddled::Written.into());
        }
        self.doubted |= found != self.seen;
        self.seen = found;
        if last || now.duration_since(self.looked) >= LOOK_TIME {
            self.looked = now;
            let id = |metadata: &Metadata| (metadata.dev(), metadata.ino());
            match folder.entry(&place.part) {
                Ok(there) if id(&there) == id(&metadata) => {}
                // Nobody can tell.
                Err(error) if has_no_descriptor(&error) => {}
                _ => return Err(Meddled::Removed.into()),
            }
            if !place.leads_to(folder) {
                return Err(Meddled::Moved.into());
            }
        }
        Ok(())
    }

    /// Whether it should be read again now.
    pub(super) fn is_doubted(&self, last: bool) -> bool {
        self.doubted && (last || clock::ticks() >= self.read)
    }

    /// Reads it again, and compares it with what this host has written.
    pub(super) fn read_again(&mut self, file: &mut File, have: Option<Have>) -> io::Result<()> {
        let began = clock::ticks();
        let (at, mut left, mut buf) =
            (file.stream_position()?, have.map_or(0, |have| have.len.get()), vec![0; DATA_MAX]);
        let mut fragment = Fragment::new();
        file.rewind()?;
        while left > 0 {
            let room = left.min(DATA_MAX as u64) as usize;
            file.read_exact(&mut buf[..room]).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => Meddled::Written.into(),
                _ => error,
            })?;
            fragment.update(&buf[..room]);
            left -= room as u64;
        }
        file.seek(SeekFrom::Start(at))?;
        if fragment.have() != have {
            return Err(Meddled::Written.into());
        }
        let (least, times) = READ_AGAIN;
        self.doubted = false;
        self.read = clock::ticks() + least.max(began.elapsed() * times);
        Ok(())
    }
}
