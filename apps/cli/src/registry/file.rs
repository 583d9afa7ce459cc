//! A store in one file, which a crash at any moment leaves whole.
//!
//! All of it is in memory as well, and answers come from there. What hosts say anew is in the file before they are told
//! that it is kept; several at a time share one write to the disk. That a lease goes on is not written: after a crash a
//! host has time to say that it is still there.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable, TableDefinition};
use tng::registry::{Entry, Heard, Memory, Put, Store, StoreError, Waits};
use tng_base::Eid;
use tng_wire::{Reader, Repr};
use tokio::sync::oneshot;

use crate::exit::Exit;
use crate::failure::Failure;

/// After a restart every host that was registered is so at least for so long: it renews meanwhile, if it is there.
pub const GRACE_AFTER_RESTART: Duration = Duration::from_secs(60);
/// Changes that wait to be written; hosts beyond are told to come again.
pub const WRITES_WAITING_MAX: usize = 65_536;
/// Changes that are written at once, at most.
pub const WRITES_AT_ONCE_MAX: usize = 4_096;

const HOSTS: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("hosts");

/// Something to write: what is kept of this host now, or that nothing is.
struct Dirty {
    eid: Eid,
    written: Option<oneshot::Sender<Result<(), StoreError>>>,
}

/// Keeps entries in a file.
pub struct FileStore {
    memory: Arc<Memory>,
    dirty: mpsc::SyncSender<Dirty>,
    unwritten: Mutex<Unwritten>,
}

/// Hosts whose news is in memory and not yet in the file, with the number of that change.
#[derive(Default)]
struct Unwritten {
    changes: u64,
    of: BTreeMap<Eid, u64>,
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileStore").field("memory", &self.memory).finish_non_exhaustive()
    }
}

fn failed(error: impl Into<redb::Error>) -> StoreError {
    StoreError(format!("the file of the registry: {}", error.into()))
}

impl FileStore {
    /// The store in this file, made if it is not there, with room for so many hosts.
    ///
    /// # Errors
    /// If it cannot be read or written, is none, or another process has it.
    pub fn open(path: &Path, hosts_max: usize, now_ms: u64) -> Result<FileStore, Failure> {
        let what = || format!("opening {}", path.display());
        let database = Database::create(path).map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => {
                Failure::new(Exit::Busy, what(), "another registry has it").or_try("another file, or end that registry")
            }
            error => Failure::write(what(), &io::Error::other(error)).or_try("another file, or a folder that is there"),
        })?;
        let memory = Arc::new(Memory::new(hosts_max));
        read(&database, &memory, now_ms).map_err(|error| Failure::new(Exit::Read, what(), error))?;
        let (dirty, written) = mpsc::sync_channel(WRITES_WAITING_MAX);
        let kept = Arc::clone(&memory);
        std::thread::Builder::new()
            .name("registry-file".to_owned())
            .spawn(move || write(&database, &kept, &written))
            .map_err(|error| Failure::read("starting", &error))?;
        Ok(FileStore { memory, dirty, unwritten: Mutex::default() })
    }

    fn unwritten(&self) -> MutexGuard<'_, Unwritten> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts it into memory. If what is kept then is not in the file: with which change it came.
    fn changed(&self, now_ms: u64, entry: Entry) -> (Put, Option<u64>) {
        let (eid, mut unwritten) = (entry.statement.eid, self.unwritten());
        let put = self.memory.put_now(now_ms, entry);
        if put == Put::New {
            unwritten.changes += 1;
            let change = unwritten.changes;
            unwritten.of.insert(eid, change);
        }
        let change = unwritten.of.get(&eid).copied().filter(|_| matches!(put, Put::New | Put::Renewed));
        (put, change)
    }

    /// Has what is kept of a host written, and waits for that.
    async fn written(&self, eid: Eid, change: u64) -> Result<(), StoreError> {
        let (tell, told) = oneshot::channel();
        let full = |_| StoreError("the disk of the registry is too slow".to_owned());
        self.dirty.try_send(Dirty { eid, written: Some(tell) }).map_err(full)?;
        told.await.unwrap_or_else(|_| Err(StoreError("the file of the registry is closed".to_owned())))?;
        let mut unwritten = self.unwritten();
        if unwritten.of.get(&eid) == Some(&change) {
            unwritten.of.remove(&eid);
        }
        Ok(())
    }
}

/// Reads all that is in the file. What cannot be read is left there and not believed.
fn read(database: &Database, memory: &Memory, now_ms: u64) -> Result<(), StoreError> {
    let made = database.begin_write().map_err(failed)?;
    made.open_table(HOSTS).map(drop).map_err(failed)?;
    made.commit().map_err(failed)?;
    let table = database.begin_read().map_err(failed)?.open_table(HOSTS).map_err(failed)?;
    let lasts_ms = now_ms.saturating_add(GRACE_AFTER_RESTART.as_millis() as u64);
    for host in table.iter().map_err(failed)? {
        let (_, bytes) = host.map_err(failed)?;
        let mut reader = Reader::new(bytes.value());
        let Some(entry) = Entry::parse(&mut reader).ok().filter(|_| reader.is_empty()) else { continue };
        let until_ms = entry.until_ms.max(lasts_ms);
        memory.put_now(now_ms, Entry { until_ms, ..entry });
    }
    Ok(())
}

/// Writes for as long as there is a store: all that waits goes to the disk together.
fn write(database: &Database, memory: &Memory, dirty: &mpsc::Receiver<Dirty>) {
    while let Ok(first) = dirty.recv() {
        let further = dirty.try_iter().take(WRITES_AT_ONCE_MAX - 1);
        let waiting: Vec<Dirty> = std::iter::once(first).chain(further).collect();
        let written = write_all(database, memory, &waiting);
        for Dirty { written: tell, .. } in waiting {
            // Who is gone need not know.
            let _ = tell.map(|tell| tell.send(written.clone()));
        }
    }
}

fn write_all(database: &Database, memory: &Memory, waiting: &[Dirty]) -> Result<(), StoreError> {
    let transaction = database.begin_write().map_err(failed)?;
    {
        let mut table = transaction.open_table(HOSTS).map_err(failed)?;
        for Dirty { eid, .. } in waiting {
            // What is kept now, in whatever order they came. Nothing expires at the beginning of time.
            match memory.get_now(0, *eid) {
                Some(entry) => table.insert(eid.as_bytes(), entry.to_vec().as_slice()).map(drop),
                None => table.remove(eid.as_bytes()).map(drop),
            }
            .map_err(failed)?;
        }
    }
    transaction.commit().map_err(failed)
}

impl Store for FileStore {
    fn put(&self, now_ms: u64, entry: Entry) -> Waits<'_, Put> {
        Box::pin(async move {
            let eid = entry.statement.eid;
            let (put, change) = self.changed(now_ms, entry);
            // A renewal of what could not be written is asked to be written again.
            if let Some(change) = change {
                self.written(eid, change).await?;
            }
            Ok(put)
        })
    }

    fn get(&self, now_ms: u64, eid: Eid) -> Waits<'_, Option<Entry>> {
        self.memory.get(now_ms, eid)
    }

    fn remove_expired(&self, now_ms: u64) -> Waits<'_, ()> {
        Box::pin(async move {
            for eid in self.memory.sweep(now_ms) {
                self.unwritten().of.remove(&eid);
                // One that stays in the file is swept after the next start.
                let _ = self.dirty.try_send(Dirty { eid, written: None });
            }
            Ok(())
        })
    }

    fn count(&self, now_ms: u64) -> usize {
        self.memory.count(now_ms)
    }

    fn watch(&self, heard: Heard) {
        self.memory.watch(heard);
    }
}

#[cfg(test)]
mod tests {
    use tng::Identity;
    use tng::registry::{Policy, Record, Statement, Word, battery};

    use super::*;

    const NOW_MS: u64 = 1_800_000_000_000;

    fn entry(n: u8, number: u64) -> Entry {
        let record = Record { number, expires_s: NOW_MS / 1_000, addresses: Vec::new() };
        let statement = Statement::new(&Identity::from_seed([n; 32]), Word::Here(record));
        Entry { statement, policy: Policy::Public, attended: None, until_ms: NOW_MS + 1_000 }
    }

    #[tokio::test]
    async fn a_file_is_a_store() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = FileStore::open(&folder.path().join("hosts"), 100, NOW_MS).expect("opened");
        battery(&store, NOW_MS, Duration::from_secs(60), async |_| {}).await;
    }

    #[tokio::test]
    async fn what_was_kept_is_there_after_a_restart_and_has_time_to_be_renewed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hosts");
        let store = FileStore::open(&path, 100, NOW_MS).expect("opened");
        for n in 1..=50 {
            assert_eq!(store.put(NOW_MS, entry(n, 1)).await, Ok(Put::New));
            assert_eq!(store.put(NOW_MS, entry(n, 2)).await, Ok(Put::New));
        }
        drop(store);
        let later_ms = NOW_MS + 10_000;
        let store = loop {
            // The thread of the one before may still close the file.
            match FileStore::open(&path, 100, later_ms) {
                Err(failure) if failure.exit == Exit::Busy => tokio::time::sleep(Duration::from_millis(10)).await,
                opened => break opened.expect("opened"),
            }
        };
        for n in 1..=50 {
            let found = store.get(later_ms, Identity::from_seed([n; 32]).eid()).await.expect("it answers");
            assert_eq!(found.expect("it is there").statement, entry(n, 2).statement);
        }
        let after_ms = later_ms + GRACE_AFTER_RESTART.as_millis() as u64;
        assert_eq!((store.remove_expired(after_ms).await, store.count(after_ms)), (Ok(()), 0), "no longer than that");
    }

    #[tokio::test]
    async fn a_renewal_of_what_could_not_be_written_is_not_taken_for_kept() {
        let (dirty, queue) = mpsc::sync_channel(1);
        let store = FileStore { memory: Arc::new(Memory::new(100)), dirty, unwritten: Mutex::default() };
        let disk = std::thread::spawn(move || {
            for fails in [true, true, false] {
                let Dirty { written, .. } = queue.recv().expect("something to write");
                let written = written.expect("somebody waits");
                let answer = if fails { Err(StoreError("full".to_owned())) } else { Ok(()) };
                written.send(answer).expect("it is told");
            }
            queue
        });
        assert!(store.put(NOW_MS, entry(1, 1)).await.is_err());
        assert!(store.put(NOW_MS, entry(1, 1)).await.is_err(), "the same again, which memory has");
        assert_eq!(store.put(NOW_MS, entry(1, 1)).await, Ok(Put::Renewed));
        let queue = disk.join().expect("all was asked for");
        assert_eq!(store.put(NOW_MS, entry(1, 1)).await, Ok(Put::Renewed));
        assert!(queue.try_recv().is_err(), "it is in the file");
    }

    #[tokio::test]
    async fn two_registries_do_not_share_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hosts");
        let _first = FileStore::open(&path, 100, NOW_MS).expect("opened");
        let second = FileStore::open(&path, 100, NOW_MS).expect_err("it is taken");
        assert_eq!(second.exit, Exit::Busy, "{second}");
    }

    #[test]
    fn what_is_no_store_is_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hosts");
        std::fs::write(&path, "something else").expect("written");
        assert!(FileStore::open(&path, 100, NOW_MS).is_err());
        assert_eq!(std::fs::read(&path).expect("read"), b"something else");
    }
}
