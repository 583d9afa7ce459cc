//! What a server keeps for itself, also where it lies in what it serves: who has its key is this host, and who writes
//! its list of tickets decides who comes in.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::beneath::Folder;
use crate::clock;
use crate::key::{BESIDE, folder_of};

/// What stands beside a key file, by what its name has more than that one's; beside these the files of tickets, and
/// what all of them are written by way of.
const ENDS: [&str; 5] = ["", ".place", ".tickets", ".tickets.lock", ".epochs"];

/// How long ago a folder must have changed for its times to tell that it changes again, in seconds.
const SETTLED_S: i64 = 1;

/// A file, whatever names and links lead to it: device and inode.
type Id = (u64, u64);

/// The key file of a server and what stands beside it for the server: the place, the tickets and their lock, the file
/// of each ticket, the keys of its fleet.
#[derive(Debug)]
pub struct Own {
    folder: PathBuf,
    folder_id: Id,
    /// The key file's name, as file systems that know no case compare it.
    name: String,
    seen: Mutex<Seen>,
}

/// Names of the server's own in the folder.
#[derive(Default, Debug)]
struct Seen {
    names: Vec<OsString>,
    /// When they were looked for, in seconds since 1970.
    looked_s: u64,
    /// When the folder had changed by then; `None` if so lately that its times would not tell another change.
    changed: Option<(i64, i64)>,
    /// What they stood for, and when, in seconds since 1970.
    stood: Arc<[Id]>,
    stood_s: u64,
}

impl Own {
    /// Of the server with the key file `key`, whose folder is there.
    ///
    /// # Errors
    /// If the folder cannot be found or read.
    pub fn beside(key: &Path) -> io::Result<Own> {
        let above = folder_of(key);
        let (folder, name) = (above.canonicalize()?, folded(key.file_name().unwrap_or_default()));
        let own = Own { folder_id: id(&folder.metadata()?), folder, name, seen: Mutex::default() };
        own.standing()?;
        Ok(own)
    }

    /// Whether something is the server's own, under its own name or another: a hard link, a symbolic one. Of what was
    /// made in the last second only [`is_at`](Own::is_at) knows.
    pub fn is(&self, metadata: &Metadata) -> bool {
        // Where nobody can tell any more, nothing is given.
        metadata.is_file() && self.standing().map_or(true, |own| own.contains(&id(metadata)))
    }

    /// Whether the name `name` in `folder` is the server's own, whether or not something stands there now.
    pub fn is_at(&self, folder: &Folder, name: &OsStr) -> bool {
        self.is_name(name) && folder.metadata().map_or(true, |metadata| id(&metadata) == self.folder_id)
    }

    /// Whether a name is, where the key is.
    pub fn is_name(&self, name: &OsStr) -> bool {
        let name = folded(name);
        let Some(end) = name.strip_prefix(&self.name) else { return false };
        // `.X.ticket`, and what is renamed once it is written.
        ENDS.contains(&end) || end.starts_with('.') && (end.ends_with(".ticket") || end.contains(BESIDE))
    }

    /// What stands there of the server's own: for a second what stood there, unless the folder has changed. Names are
    /// looked for when it has, but not twice in a second: peers may fill the folder, and change it all the time.
    fn standing(&self) -> io::Result<Arc<[Id]>> {
        let folder = self.folder.metadata()?;
        let (now_s, changed) = (clock::seconds_since_1970(), (folder.ctime(), folder.ctime_nsec()));
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = seen.changed == Some(changed);
        if is_same && seen.stood_s == now_s {
            return Ok(Arc::clone(&seen.stood));
        }
        if !is_same && seen.looked_s != now_s {
            let mut names = Vec::new();
            for entry in fs::read_dir(&self.folder)? {
                let name = entry?.file_name();
                if self.is_name(&name) {
                    names.push(name);
                }
            }
            let is_settled = now_s.cast_signed() - changed.0 > SETTLED_S;
            *seen = Seen { names, looked_s: now_s, changed: is_settled.then_some(changed), ..Seen::default() };
        }
        // What is gone again, or leads nowhere, is nothing to give.
        let there = |name| fs::metadata(self.folder.join(name)).ok();
        (seen.stood, seen.stood_s) = (seen.names.iter().filter_map(there).map(|it| id(&it)).collect(), now_s);
        Ok(Arc::clone(&seen.stood))
    }
}

fn id(metadata: &Metadata) -> Id {
    (metadata.dev(), metadata.ino())
}

fn folded(name: &OsStr) -> String {
    name.to_string_lossy().to_lowercase()
}
