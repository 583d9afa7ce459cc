//! Files that are held open between requests, to be opened again at any moment.

use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::MetadataExt;

use tng_services::files::SafePath;

use super::Wrong;
use super::given::Stamp;
use crate::files::Root;

/// Files that are held open between requests, at most.
pub const DESCRIPTORS_MAX: usize = 64;

struct Held {
    path: SafePath,
    /// Device and stamp: what stands at the path must be this still.
    id: (u64, Stamp),
    file: File,
}

/// The files that were asked for last.
#[derive(Default)]
pub(super) struct Descriptors(VecDeque<Held>);

impl Descriptors {
    /// The file that stands at `path` now, and what it is.
    ///
    /// # Errors
    /// If none stands there that may be given. Without a descriptor to open it with, all that are held are given back
    /// first.
    pub(super) fn open(&mut self, root: &Root, path: &SafePath) -> Result<(&File, Stamp), Wrong> {
        match self.find(root, path) {
            Err(wrong) if wrong.fault == tng::trickles::Fault::Overloaded && !self.0.is_empty() => {
                self.0.clear();
                self.find(root, path)
            }
            found => found,
        }?;
        let held = self.0.back().expect("what was found is the last");
        Ok((&held.file, held.id.1))
    }

    /// Gives all back.
    #[cfg(test)]
    pub(super) fn drop_all(&mut self) {
        self.0.clear();
    }

    /// How many are held.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Has the file at `path` be the last.
    fn find(&mut self, root: &Root, path: &SafePath) -> Result<(), Wrong> {
        let metadata = root.look(root.only().filter(|_| path.is_root()).unwrap_or(path))?;
        let id = (metadata.dev(), Stamp::of(&metadata));
        let known = self.0.iter().position(|held| held.path == *path);
        if let Some(known) = known.and_then(|known| self.0.remove(known))
            && known.id == id
        {
            self.0.push_back(known);
            return Ok(());
        }
        let file = root.file(path)?;
        // Another file may stand there by now.
        let metadata = file.metadata()?;
        if self.0.len() == DESCRIPTORS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(Held { path: path.clone(), id: (metadata.dev(), Stamp::of(&metadata)), file });
        Ok(())
    }
}
