//! What a draft takes from the version that stands in its place.

use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;

use tng_services::files::DATA_MAX;

use super::{Draft, DraftError, State};
use crate::files::blocks::Old;

impl Draft {
    /// The version that it is to replace, if it is worth telling of.
    pub(in crate::files) fn old(&mut self) -> Option<&Old> {
        if let State::Found(desk, _) = &self.state
            && self.care.resume
            && self.care.over.may_replace()
        {
            self.old = desk.folder.read(&desk.place.name).ok().and_then(Old::new);
        }
        self.old.as_ref()
    }

    /// Appends `len` bytes of that version, from `from` on, unless nobody waits for it any more; hands them to `each`.
    pub(in crate::files) fn copy_old(
        &mut self,
        mut from: u64,
        len: u64,
        mut each: impl FnMut(&[u8]),
    ) -> Result<(), DraftError> {
        let Some(old) = &mut self.old else { return Ok(()) };
        old.copied += len;
        let (file, mut left, mut buf) = (std::sync::Arc::clone(&old.file), len, vec![0; DATA_MAX]);
        while left > 0 {
            if self.given_up.load(Ordering::Relaxed) {
                return Err(self.writing(io::Error::other("it was given up")));
            }
            let piece = &mut buf[..left.min(DATA_MAX as u64) as usize];
            file.read_exact_at(piece, from).map_err(|error| DraftError::Read(self.name.clone(), error))?;
            each(piece);
            self.write(piece).map_err(|error| self.writing(error))?;
            (from, left) = (from + piece.len() as u64, left - piece.len() as u64);
        }
        Ok(())
    }
}
