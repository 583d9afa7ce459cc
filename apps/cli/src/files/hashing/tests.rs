use std::future::pending;
use std::io::{Seek, Write};
use std::sync::atomic::AtomicU32;

use tokio::task::JoinSet;

use super::*;

const MIB: u64 = 1 << 20;

/// A file of so many bytes, all 0, that takes no blocks of the disk.
fn sparse(len: u64) -> File {
    let file = tempfile::tempfile().expect("a file");
    file.set_len(len).expect("longer");
    file
}

fn account(n: u8) -> Arc<Account> {
    Arc::new(Account::new(Eid::from_bytes([n; 32])))
}

/// Bytes hashed for everybody while an honest peer's 4 MiB were, beside 40 requests of another one for 64 MiB each.
async fn beside_a_flood(ration: Ration) -> u64 {
    let ration = Arc::new(ration);
    let (rogue, mut flood) = (account(1), JoinSet::new());
    for i in 0..40 {
        let (ration, rogue, file) = (Arc::clone(&ration), Arc::clone(&rogue), sparse(64 * MIB));
        flood.spawn(async move { ration.front(&rogue, file, 64 * MIB - i).await.map(drop) });
    }
    while ration.hashed() == 0 {
        tokio::task::yield_now().await;
    }
    let before = ration.hashed();
    let (_, fragment) = ration.front(&account(2), sparse(4 * MIB), 4 * MIB).await.expect("hashed");
    assert_eq!(fragment.len(), 4 * MIB);
    let during = ration.hashed() - before;
    flood.abort_all();
    println!("{} MiB were hashed while a peer's 4 were", during / MIB);
    during
}

#[tokio::test]
async fn a_peer_waits_no_longer_than_for_as_much_as_its_own_however_much_another_asks_for() {
    let during = beside_a_flood(Ration::new(u64::MAX)).await;
    assert!(during <= 2 * 4 * MIB + 2 * MIB, "{during}");
}

#[tokio::test]
async fn without_turns_it_waits_for_all_of_it() {
    let during = beside_a_flood(Ration::none()).await;
    assert!(during > 20 * MIB, "{during}");
}

#[test]
fn what_is_hashed_has_a_rate_and_a_burst() {
    let began = clock::ticks();
    let after = |secs| began + Duration::from_secs(secs);
    let mut pace = Pace::new(100, began);
    let burst = 100 * HASH_BURST.as_secs();
    assert_eq!(pace.take(began, burst), began, "what was not used before");
    assert_eq!(pace.take(began, 1000), began, "what is begun is done");
    assert_eq!(pace.take(began, 100), after(10));
    assert_eq!(pace.take(began, 100), after(11));
    let rested = after(12 + HASH_BURST.as_secs() * 3);
    assert_eq!(pace.take(rested, burst), rested, "no more than a burst is saved up");
    assert_eq!(pace.take(rested, 100), rested);
    assert_eq!(pace.take(rested, 100), rested + Duration::from_secs(1));
}

#[tokio::test]
async fn a_file_is_hashed_once_until_it_changes() {
    let ration = Ration { at_rest: 0, ..Ration::new(u64::MAX) };
    let (account, mut file) = (account(1), sparse(3 * MIB));
    let open = |file: &File| file.try_clone().expect("a descriptor");
    let hash = async |file: &mut File, len| {
        file.rewind().expect("at its beginning");
        ration.front(&account, open(file), len).await.expect("hashed").1.hash()
    };
    let first = hash(&mut file, 3 * MIB).await;
    assert_eq!((hash(&mut file, 3 * MIB).await, ration.hashed()), (first, 3 * MIB), "remembered");
    hash(&mut file, 2 * MIB).await;
    assert_eq!(ration.hashed(), 5 * MIB, "another beginning is another hash");
    // The next tick of the file system's clock.
    tokio::time::sleep(Duration::from_millis(30)).await;
    file.rewind().expect("at its beginning");
    file.write_all(b"x").expect("written");
    assert_ne!(hash(&mut file, 3 * MIB).await, first);
    assert_eq!(ration.hashed(), 8 * MIB);
    let ration = Ration::new(u64::MAX);
    for again in 1..=2 {
        file.rewind().expect("at its beginning");
        ration.front(&account, open(&file), 3 * MIB).await.expect("hashed");
        assert_eq!(ration.hashed(), again * 3 * MIB, "what changed just now may change again unseen");
    }
}

#[tokio::test]
async fn forty_requests_for_one_file_cost_one_hash_of_it() {
    let ration = Arc::new(Ration { at_rest: 0, ..Ration::new(u64::MAX) });
    let (rogue, mut all, path) = (account(1), JoinSet::new(), tempfile::NamedTempFile::new().expect("a file"));
    path.as_file().set_len(8 * MIB).expect("longer");
    for _ in 0..40 {
        let (ration, rogue, file) = (Arc::clone(&ration), Arc::clone(&rogue), path.reopen().expect("opened"));
        all.spawn(async move { ration.front(&rogue, file, 8 * MIB).await.expect("hashed").1.hash() });
    }
    let hashes = all.join_all().await;
    assert!(hashes.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(ration.hashed(), 8 * MIB, "40 of them without a memory");
}

#[tokio::test]
async fn work_that_nobody_waits_for_ends_with_its_slice() {
    let ration = Arc::new(Ration::new(u64::MAX));
    let slices = AtomicU32::new(0);
    tokio::select! {
        biased;
        _ = async {
            ration.front(&account(1), sparse(1 << 40), 1 << 40).await.expect("hashed");
            pending::<()>().await
        } => {}
        () = async {
            while ration.hashed() == 0 {
                slices.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
        } => {}
    }
    let there = ration.hashed();
    // The next one has its turn only when the last slice has ended, and then has it at once.
    let (_, own) = ration.front(&account(2), sparse(MIB), MIB).await.expect("hashed");
    assert_eq!(own.len(), MIB);
    assert!(ration.hashed() <= there + MIB, "what was given up is not counted, nor gone on with");
    assert!(there < 1 << 30, "{there} of a file that would take half an hour");
}

#[tokio::test]
async fn who_has_had_more_hashed_than_is_paid_for_owes_until_it_is() {
    let (ration, account) = (Ration::new(HASH_PEER_SHARE * MIB), account(1));
    assert!(!account.owes(), "it has asked for nothing");
    ration.front(&account, sparse(12 * MIB), 12 * MIB).await.expect("hashed");
    assert!(account.owes(), "for twelve seconds");
    let mut pace = account.hashing.lock().await;
    assert!(account.owes(), "who is at work is kept");
    assert_eq!(pace.map(|pace| pace.rate), Some(MIB), "its share");
    *pace = Some(Pace::new(MIB, clock::ticks()));
    drop(pace);
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert!(!account.owes(), "it is paid for");
}

#[tokio::test]
async fn no_more_hashes_are_remembered_than_there_is_room_for_and_the_oldest_goes() {
    let ration = Ration { at_rest: 0, ..Ration::new(u64::MAX) };
    let (account, mut file) = (account(1), sparse(MIB));
    let mut hash = async |len| {
        file.rewind().expect("at its beginning");
        ration.front(&account, file.try_clone().expect("a descriptor"), len).await.expect("hashed");
        ration.hashed()
    };
    let more = REMEMBERED_MAX as u64 + 1;
    for len in 1..=more {
        hash(len).await;
    }
    let so_far = ration.hashed();
    assert_eq!(hash(2).await, so_far, "remembered");
    assert_eq!(hash(1).await, so_far + 1, "the oldest is not");
    assert_eq!(ration.remembered.lock().expect("nobody panics").len(), REMEMBERED_MAX);
}

#[tokio::test]
async fn this_host_hashes_all_that_it_asks_for_itself_and_what_cannot_be_read_fails() {
    let (_, own) = Hasher::Own.front(sparse(3 * MIB), 2 * MIB + 1).await.expect("hashed");
    assert_eq!(own.len(), 2 * MIB + 1);
    let folder = tempfile::tempdir().expect("a folder");
    let open = || File::open(folder.path()).expect("opened");
    assert!(Hasher::Own.front(open(), MIB).await.is_err());
    assert!(Ration::new(u64::MAX).front(&account(1), open(), MIB).await.is_err());
}
