//! Stores on a disk that fails at each step, or is gone in the middle of it.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::*;

/// What becomes of the step at which it happens.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fate {
    /// The disk is full: of a file half is written.
    Full,
    /// The process is killed: of a file half is written, and nothing more is done.
    Killed,
}

/// A disk on which the step of this number fails.
#[derive(Clone, Debug)]
struct Failing {
    fate: Fate,
    at: u64,
    steps: Arc<AtomicU64>,
    failed: Arc<AtomicBool>,
}

impl Failing {
    fn step(&self, can_be_full: bool) -> io::Result<()> {
        if self.fate == Fate::Killed && self.failed.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Other.into());
        }
        if self.fate == Fate::Full && !can_be_full {
            return Ok(());
        }
        if self.steps.fetch_add(1, Ordering::Relaxed) != self.at {
            return Ok(());
        }
        self.failed.store(true, Ordering::Relaxed);
        Err(io::Error::from(if self.fate == Fate::Full { io::ErrorKind::StorageFull } else { io::ErrorKind::Other }))
    }
}

impl Disk for Failing {
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.step(true).inspect_err(|_| {
            if self.fate == Fate::Full || self.steps.load(Ordering::Relaxed) == self.at + 1 {
                RealDisk.write(path, &bytes[..bytes.len() / 2]).expect("the real disk works");
            }
        })?;
        RealDisk.write(path, bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(true)?;
        RealDisk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(false)?;
        RealDisk.remove(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.step(true)?;
        RealDisk.sync_folder(folder)
    }
}

type Change = fn(&Store) -> Result<(), StoreError>;

/// All that changes a store, and what it is called.
const CHANGES: [(&str, Change); 11] = [
    ("install", |store| {
        let said = signed(said_of(5, "acme", [2, 0, 0]), &[1]);
        store
            .install(
                &module(5),
                (hash(5), entry(5, Origin::File(String::new()), Some(said))),
                ByHand::default(),
                |_| true,
            )
            .map(drop)
    }),
    ("install with a pin and compiled code", |store| {
        let by_hand = ByHand { pin: true, compiled: Some(("tag", &[7; 200])) };
        store.install(&module(5), (hash(5), entry(5, Origin::File(String::new()), None)), by_hand, |_| true).map(drop)
    }),
    ("install again", |store| {
        let said = signed(said_of(1, "acme", [3, 0, 0]), &[1, 2]);
        store
            .install(
                &module(1),
                (hash(1), entry(1, Origin::File(String::new()), Some(said))),
                ByHand::default(),
                |_| true,
            )
            .map(drop)
    }),
    ("remove", |store| store.remove(&hash(1)).map(drop)),
    ("collect", |store| store.collect(120).map(drop)),
    ("pin", |store| store.pin(hash(1), true).map(drop)),
    ("flag", |store| store.flag(hash(1), Some("slow")).map(drop)),
    ("use", |store| store.used(&[(hash(1), NOW + 1)].into_iter().collect()).map(drop)),
    ("violation", |store| store.add_violations(&[(hash(1), NOW, Violation::Cpu)]).map(drop)),
    ("revoke", |store| {
        let mut list = RevocationList::new(publisher(1).public());
        list.number = 2;
        list.revoke(hash(2)).expect("there is room");
        store.accept(list.sign(&publisher(1))).map(drop)
    }),
    ("compile", |store| store.keep_compiled(&hash(1), "tag", &[7; 500])),
];

/// A store with three modules, compiled code, a history and a list.
fn furnished(folder: &Path) {
    let (store, ..) = Store::open(folder, fresh()).expect("it opens");
    for n in 1..=3 {
        let said = signed(said_of(n, "acme", [1, 0, u32::from(n)]), &[1]);
        store
            .install(
                &module(n),
                (hash(n), entry(n, Origin::File(String::new()), Some(said))),
                ByHand::default(),
                |_| true,
            )
            .expect("there is room");
    }
    store.keep_compiled(&hash(1), "tag", &[1; 300]).expect("there is room");
    store.add_violations(&[(hash(3), NOW, Violation::Cpu)]).expect("written");
    let mut list = RevocationList::new(publisher(1).public());
    list.number = 1;
    store.accept(list.sign(&publisher(1))).expect("it is new");
}

/// All that is known of a store, but for the number of changes.
fn state(folder: &Path) -> (Index, History, Revocations, Option<Vec<u8>>) {
    let (store, contents, notes) = Store::open(folder, fresh()).expect("it opens");
    assert_eq!(notes, [], "nothing is damaged");
    let verified = store.verify().expect("it can be read");
    assert_eq!((verified.wrong.len(), verified.modules), (0, contents.index.modules().count()));
    for (hash, _) in contents.index.modules() {
        store.module(hash).expect("what is named is there whole");
    }
    let compiled = store.compiled(&hash(1), "tag").expect("it can be read");
    let Contents { index, history, revocations } = contents;
    (Index { generation: 0, ..index }, history, revocations, compiled)
}

fn at_each_step(fate: Fate) -> u64 {
    let mut steps = 0;
    for (what, change) in CHANGES {
        let after = {
            let folder = folder();
            furnished(folder.path());
            change(&Store::open(folder.path(), fresh()).expect("it opens").0).expect("nothing is in its way");
            state(folder.path())
        };
        for at in 0.. {
            let folder = folder();
            furnished(folder.path());
            let before = state(folder.path());
            let never = Failing { fate, at, steps: Arc::default(), failed: Arc::default() };
            let (store, ..) = Store::open_on(Box::new(never.clone()), folder.path(), fresh()).expect("it opens");
            let ended = change(&store);
            drop(store);
            let found = state(folder.path());
            if !never.failed.load(Ordering::Relaxed) {
                ended.expect("nothing was in its way");
                assert!(at > 0 && found == after, "{what}");
                break;
            }
            steps += 1;
            match (&ended, fate) {
                (Err(StoreError::Full { doing }), Fate::Full) => assert!(!doing.is_empty()),
                (Err(StoreError::Disk { .. }), Fate::Killed) => {}
                (ended, _) => panic!("{what}, step {at}: {ended:?}"),
            }
            assert!(
                found == before || found == after || partly(&before.0, &after.0, &found.0),
                "{what}, step {at}: neither before nor after:\n{found:?}\n{before:?}\n{after:?}"
            );
        }
    }
    steps
}

/// Of each module all is there as it was, or as it becomes, or nothing: room is made whether or not what needs it
/// comes, and a manifest takes the place of another before the index knows.
fn partly(before: &Index, after: &Index, found: &Index) -> bool {
    let is_of = |index: &Index, (hash, entry): (&CodeHash, &Entry)| index.modules.get(hash) == Some(entry);
    found.modules.iter().all(|module| is_of(before, module) || is_of(after, module))
        && after
            .modules
            .keys()
            .filter(|hash| before.modules.contains_key(hash))
            .all(|hash| found.modules.contains_key(hash))
}

#[test]
fn a_disk_that_is_full_at_any_write_is_named_and_the_store_is_as_before_or_after() {
    let steps = at_each_step(Fate::Full);
    println!("{steps} writes failed once each");
    assert!(steps >= 30, "{steps}");
}

#[test]
fn a_process_that_is_killed_at_any_step_leaves_a_store_as_before_or_after() {
    let steps = at_each_step(Fate::Killed);
    println!("{steps} steps were the last");
    assert!(steps >= 40, "{steps}");
}

#[test]
fn a_store_that_is_killed_while_it_is_opened_opens_the_next_time() {
    for at in 0.. {
        let folder = folder();
        let killed = Failing { fate: Fate::Killed, at, steps: Arc::default(), failed: Arc::default() };
        let opened = Store::open_on(Box::new(killed.clone()), folder.path(), fresh());
        let (_, _, notes) = Store::open(folder.path(), fresh()).expect("it opens");
        assert_eq!(notes, []);
        if !killed.failed.load(Ordering::Relaxed) {
            opened.expect("nothing was in its way");
            return assert!(at >= 3);
        }
        assert!(opened.is_err());
    }
}
