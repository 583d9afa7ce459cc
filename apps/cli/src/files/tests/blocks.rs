//! Changed files by blocks.

use std::sync::atomic::AtomicBool;

use tng_services::files::{BLOCK_MIN, BLOCKS_MAX, BLOCKS_PER_MESSAGE, Block};

use super::uploads::send;
use super::*;

/// Bytes in which no piece comes twice.
fn noise(seed: u8, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
    bytes
}

const LEN: usize = 3_000_000;

/// A version, and another: something inserted at the front, and something changed in the middle.
fn versions() -> (Vec<u8>, Vec<u8>) {
    let old = noise(1, LEN);
    let mut new = [b"ten bytes.", &old[..]].concat();
    new[LEN / 2..LEN / 2 + 1_000].fill(7);
    (old, new)
}

#[tokio::test]
async fn of_another_version_only_what_differs_moves_both_ways_and_its_cost_is_counted() {
    let (from, to) = (scratch(), scratch());
    let (old, new) = versions();
    fs::write(from.path().join("a"), &new).expect("written");
    fs::write(to.path().join("a"), &old).expect("written");
    let server = Server::new(from.path());
    let fetched = get(&server, "a", &to.path().join("a")).await.expect("fetched");
    assert_eq!((fetched.outcome, fetched.moved + fetched.copied), (Outcome::Fetched, new.len() as u64));
    assert!((1_000..LEN as u64 / 5).contains(&fetched.moved), "{}", fetched.moved);
    assert!(fs::read(to.path().join("a")).expect("there") == new);
    assert!(server.service.hashing.hashed() >= 2 * LEN as u64, "{}", server.service.hashing.hashed());

    fs::write(to.path().join("a"), &old).expect("written");
    let taker = Server::writable(to.path(), 10_000_000);
    let sent = send(&taker, from.path(), "a", "a", REPLACE).await.expect("sent");
    assert_eq!((sent.outcome, sent.moved, sent.copied), (Outcome::Fetched, fetched.moved, fetched.copied));
    assert!(fs::read(to.path().join("a")).expect("there") == new);
    assert!(taker.service.hashing.hashed() >= LEN as u64, "{}", taker.service.hashing.hashed());
    let again = send(&taker, from.path(), "a", "a", REPLACE).await.expect("sent");
    assert_eq!((again.outcome, again.moved, again.copied), (Outcome::Unchanged, 0, 0));
}

#[tokio::test]
async fn a_fetch_by_blocks_that_ends_in_the_middle_goes_on_by_blocks() {
    let (from, to) = (scratch(), scratch());
    let (old, fresh) = (noise(1, LEN), noise(2, LEN));
    // What is new stands between what both have.
    let new = [&old[..LEN / 2], &fresh[..], &old[LEN / 2..]].concat();
    fs::write(from.path().join("a"), &new).expect("written");
    fs::write(to.path().join("a"), &old).expect("written");
    let mut server = Server::new(from.path());
    server.fail_after = Some(LEN as u64 / 2);
    get(&server, "a", &to.path().join("a")).await.expect_err("cut");
    let kept = fs::metadata(draft_at(to.path(), "a")).expect("kept").len();
    assert!(kept > LEN as u64 * 3 / 4, "{kept}");
    let fetched = get(&Server::new(from.path()), "a", &to.path().join("a")).await.expect("fetched");
    assert_eq!(fetched.outcome, Outcome::Resumed);
    assert_eq!(fetched.moved + fetched.copied, new.len() as u64 - kept);
    assert!(fetched.copied > LEN as u64 / 3, "{fetched:?}");
    assert!(fs::read(to.path().join("a")).expect("there") == new);
}

#[tokio::test]
async fn who_has_more_copied_than_it_was_told_of_is_named_and_nothing_changes() {
    let to = scratch();
    let old = noise(1, LEN);
    fs::write(to.path().join("a"), &old).expect("written");
    for (name, from, len, end, says) in [
        ("a", LEN as u64 - 5, 10, 10, "not told of"),
        ("a", u64::MAX >> 2, 10, 10, "not told of"),
        ("a", 0, 11, 10, "more than the size"),
        ("a", 0, 10, 11, "less than the size"),
        // Where nothing stands nothing was told.
        ("b", 0, 10, 10, "not told of"),
    ] {
        let mut bytes = Vec::new();
        put(&Answer::File { size: end, offset: 0, meta: Meta::default() }, &mut bytes);
        put(&Answer::Copy { from, len }, &mut bytes);
        put(&Answer::End { hash: [0; 32] }, &mut bytes);
        let failure = get(&Liar(Arc::new(bytes)), name, &to.path().join(name)).await.expect_err("refused");
        assert_eq!(failure.exit, Exit::Protocol, "{failure}");
        assert!(failure.why.contains(says), "{failure}");
        assert!(fs::read(to.path().join("a")).expect("there") == old);
        assert!(!to.path().join("b").exists());
    }
}

#[tokio::test]
async fn a_list_of_blocks_that_is_none_is_refused_by_name_before_the_file_is_looked_for() {
    let from = scratch();
    let server = Server::new(from.path());
    let block = |len: usize| Block { len: len as u32, name: [1; 16] };
    let many = |n: usize| {
        let message = Answer::Blocks(vec![block(BLOCK_MIN); BLOCKS_PER_MESSAGE]);
        vec![message; n]
    };
    let short = Answer::Blocks(vec![block(5), block(BLOCK_MIN)]);
    for (list, says) in [
        (many(BLOCKS_MAX / BLOCKS_PER_MESSAGE + 1), "more than 131072 blocks"),
        (vec![short], "shorter than"),
        (vec![Answer::Stored(Stored::New)], "something else"),
    ] {
        let mut request = Vec::new();
        put(&Request::Get { path: safe("a"), have: None, blocks: true }, &mut request);
        list.iter().for_each(|message| put(message, &mut request));
        let (near, mut far) = duplex(10_000);
        let held = place(&server.service).await;
        let given = answer(Arc::clone(&server.service), account(), held, &request[..], near).await.expect("answered");
        let fault = given.fault.expect("refused");
        assert!(fault.code == FaultCode::BadRequest && fault.to_string().contains(says), "{fault}");
        far.read_to_end(&mut Vec::new()).await.expect("it is over");
    }
}

#[tokio::test]
async fn what_is_copied_at_a_server_counts_against_its_quota() {
    let (from, to) = (scratch(), scratch());
    let (old, new) = versions();
    fs::write(from.path().join("a"), &new).expect("written");
    fs::write(to.path().join("a"), &old).expect("written");
    let taker = Server::writable(to.path(), new.len() as u64 - 1);
    let failure = send(&taker, from.path(), "a", "a", REPLACE).await.expect_err("too much");
    assert_eq!(failure.exit, Exit::RemoteFull);
    assert!(fs::read(to.path().join("a")).expect("there") == old);
}

#[tokio::test]
async fn a_server_without_room_for_the_blocks_sends_all_of_the_file() {
    let (from, to) = (scratch(), scratch());
    let (old, new) = versions();
    fs::write(from.path().join("a"), &new).expect("written");
    fs::write(to.path().join("a"), &old).expect("written");
    let root = Root::new(from.path()).expect("a folder");
    let full = Service::new(root, None, Ration::new(HASH_RATE), Buffers::new(PLACE_MIN));
    let server = Server { service: Arc::new(full), ..Server::new(from.path()) };
    let fetched = get(&server, "a", &to.path().join("a")).await.expect("fetched");
    assert_eq!((fetched.moved, fetched.copied), (new.len() as u64, 0));
    assert!(fs::read(to.path().join("a")).expect("there") == new);
}

/// Tells at first of blocks that it has not, and finds the hash wrong; then it is honest.
#[derive(Clone)]
struct Forgetful(Arc<AtomicBool>, Vec<u8>, Server);

impl Opener for Forgetful {
    type Send = WriteHalf<DuplexStream>;
    type Recv = ReadHalf<DuplexStream>;

    async fn open(&self) -> Result<Opened<Forgetful>, Failure> {
        if self.0.swap(true, Ordering::Relaxed) {
            let Opened { send, recv, asking, sending } = self.2.open().await?;
            return Ok(Opened { send, recv, asking, sending });
        }
        let (near, mut far) = duplex(10_000_000);
        far.write_all(&self.1).await.expect("there is room");
        // It is read to its end, and then gone.
        tokio::spawn(async move { far.read_to_end(&mut Vec::new()).await });
        Ok(opened(near))
    }
}

#[tokio::test]
async fn a_file_whose_hash_is_wrong_at_the_server_after_blocks_is_sent_once_more_without() {
    let (from, to) = (scratch(), scratch());
    let (old, new) = versions();
    fs::write(from.path().join("a"), &new).expect("written");
    fs::write(to.path().join("a"), &old).expect("written");
    let mut answers = Vec::new();
    put(&Answer::Blocks(vec![Block::first(&old).expect("some")]), &mut answers);
    put(&Answer::Have(None), &mut answers);
    put(&Answer::Fault(Fault::new(FaultCode::WrongHash, "")), &mut answers);
    let server = Forgetful(Arc::default(), answers, Server::writable(to.path(), 10_000_000));
    let root = Arc::new(Root::new(from.path()).expect("a folder"));
    let known = (&fs::metadata(from.path().join("a")).expect("there")).into();
    let from = Origin::Folder(root, safe("a"));
    let parcel = Parcel { from, to: safe("a"), known, shown: "a".into(), there: None };
    let sending = Sending { over: REPLACE, ..Sending::default() };
    let mut moved = 0;
    let told = |_: &Parcel, one: &Result<Fetched, Failure>| moved = one.as_ref().map_or(0, |one| one.moved);
    send_all(&server, vec![parcel], sending, Lanes::ONE, &Arc::default(), told).await.expect("sent");
    assert_eq!(moved, new.len() as u64);
    assert!(fs::read(to.path().join("a")).expect("there") == new);
}
