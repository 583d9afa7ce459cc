//! Whether a draft is still what was written to it: somebody else may remove it, or write to it.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use tng_services::files::{DATA_MAX, Fragment, Have};
use tokio::time::Instant;

use super::beneath::Folder;
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
    pub(super) fn look(&mut self, file: &File, (folder, part): (&Folder, &OsStr), last: bool) -> io::Result<()> {
        let (now, metadata) = (clock::ticks(), file.metadata()?);
        let found = seen(&metadata);
        if found.0 != self.seen.0 {
            return Err(io::Error::other("somebody else has written to it meanwhile"));
        }
        self.doubted |= found != self.seen;
        self.seen = found;
        if last || now.duration_since(self.looked) >= LOOK_TIME {
            self.looked = now;
            let id = |metadata: &Metadata| (metadata.dev(), metadata.ino());
            if folder.entry(part).ok().as_ref().map(id) != Some(id(&metadata)) {
                return Err(io::Error::other("somebody else has removed it, or its folder, meanwhile"));
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
            file.read_exact(&mut buf[..room])?;
            fragment.update(&buf[..room]);
            left -= room as u64;
        }
        file.seek(SeekFrom::Start(at))?;
        if fragment.have() != have {
            return Err(io::Error::other("somebody else has written to it meanwhile"));
        }
        let (least, times) = READ_AGAIN;
        self.doubted = false;
        self.read = clock::ticks() + least.max(began.elapsed() * times);
        Ok(())
    }
}
