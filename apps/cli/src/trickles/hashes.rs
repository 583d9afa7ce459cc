//! Hashes of files, which are computed beside the task that answers requests, one file after the other.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use tng_services::files::SafePath;

use super::given::Stamp;

/// Hashes that are remembered, of files that are as they were.
pub const HASHES_KEPT_MAX: usize = 1_024;
/// Files that wait to be hashed, at most: each is held open.
pub const HASHES_WAITING_MAX: usize = 16;
/// So many bytes at most are hashed at once: less than a millisecond.
pub const HASHED_AT_ONCE_MAX: u64 = 1 << 20;
/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// The first bytes of a file in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Key {
    pub(super) path: SafePath,
    pub(super) stamp: Stamp,
    /// How many.
    pub(super) len: u64,
}

/// What is known of a hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    Hash([u8; 32]),
    /// It is being computed.
    UnderWay,
    /// Nothing.
    No,
}

type Table = Arc<Mutex<VecDeque<(Key, Option<[u8; 32]>)>>>;

/// Hashes, and who computes them.
pub(super) struct Hashes {
    table: Table,
    /// To the thread, which ends with this.
    waiting: SyncSender<(Key, File)>,
}

impl Hashes {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system has none.
    pub(super) fn start() -> io::Result<Hashes> {
        let (waiting, files) = sync_channel(HASHES_WAITING_MAX);
        let table = Table::default();
        let own = Arc::clone(&table);
        std::thread::Builder::new().name("hashes".to_owned()).spawn(move || work(&own, &files))?;
        Ok(Hashes { table, waiting })
    }

    pub(super) fn look(&self, key: &Key) -> Known {
        match lock(&self.table).iter().find(|(other, _)| other == key) {
            Some((_, Some(hash))) => Known::Hash(*hash),
            Some((_, None)) => Known::UnderWay,
            None => Known::No,
        }
    }

    /// Hashes a small file now.
    ///
    /// # Errors
    /// If it cannot be read, or is not what it was.
    pub(super) fn compute(&self, key: Key, file: File) -> io::Result<[u8; 32]> {
        let hash = hash(&key, file)?;
        remember(&self.table, key, Some(hash));
        Ok(hash)
    }

    /// Has a file hashed. Answers whether it can be.
    pub(super) fn request(&self, key: Key, file: File) -> bool {
        remember(&self.table, key.clone(), None);
        let is_taken = self.waiting.try_send((key.clone(), file)).is_ok();
        if !is_taken {
            forget(&self.table, &key);
        }
        is_taken
    }
}

fn lock(table: &Table) -> std::sync::MutexGuard<'_, VecDeque<(Key, Option<[u8; 32]>)>> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remember(table: &Table, key: Key, hash: Option<[u8; 32]>) {
    let mut table = lock(table);
    table.retain(|(other, _)| *other != key);
    if table.len() >= HASHES_KEPT_MAX {
        table.pop_front();
    }
    table.push_back((key, hash));
}

fn forget(table: &Table, key: &Key) {
    lock(table).retain(|(other, _)| other != key);
}

fn work(table: &Table, files: &Receiver<(Key, File)>) {
    while let Ok((key, file)) = files.recv() {
        match hash(&key, file) {
            Ok(hash) => remember(table, key, Some(hash)),
            // Who asks again is told what is wrong with the file now.
            Err(error) => {
                tracing::info!(path = %key.path, %error, "could not be hashed");
                forget(table, &key);
            }
        }
    }
}

fn hash(key: &Key, file: File) -> io::Result<[u8; 32]> {
    let (mut hasher, mut piece, mut len) = (blake3::Hasher::new(), vec![0; PIECE], 0);
    // By its own descriptor: others of the same file have a place of theirs.
    let mut reader = file.take(key.len);
    loop {
        match reader.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => {
                hasher.update(&piece[..n]);
                len += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let is_same = len == key.len && Stamp::of(&reader.into_inner().metadata()?) == key.stamp;
    if is_same { Ok(*hasher.finalize().as_bytes()) } else { Err(io::Error::other("it changes")) }
}
