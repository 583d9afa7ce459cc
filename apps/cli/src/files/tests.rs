//! Both sides over pipes in memory, and real folders.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tng_base::Eid;
use tng_services::files::{
    Answer, Entry, Fault, FaultCode, Have, Kind, LeftOutWhy, LinkTarget, Listed, Look, Meta, Over, Request, SafePath,
    Stored, Terms,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};

use super::*;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::talk::Progress;

/// A file service on the other end of each stream; `fail_after` bytes of each answer the stream breaks.
#[derive(Clone)]
struct Server {
    service: Arc<Service>,
    account: Arc<Account>,
    fail_after: Option<u64>,
    moved: Arc<AtomicU64>,
}

impl Server {
    fn new(folder: &Path) -> Server {
        Server::of(Root::new(folder).expect("a folder"), None)
    }

    fn of(root: Root, uploads: Option<Uploads>) -> Server {
        let service = Arc::new(Service::new(root, uploads, Ration::new(HASH_RATE), Buffers::new(32 << 20)));
        Server { service, account: Arc::new(Account::new(PEER)), fail_after: None, moved: Arc::default() }
    }

    /// One that takes so many bytes, and may replace files.
    fn writable(folder: &Path, quota: u64) -> Server {
        let uploads = Uploads { quota: Arc::new(Quota::new(quota)), over: REPLACE, remove: true, sync: true };
        Server::of(Root::new(folder).expect("a folder"), Some(uploads))
    }
}

impl Opener for Server {
    type Send = WriteHalf<DuplexStream>;
    type Recv = ReadHalf<DuplexStream>;

    async fn open(&self) -> Result<Opened<Server>, Failure> {
        let (near, far) = duplex(10_000);
        let (far_recv, mut far_send) = split(far);
        let (service, fail_after, moved) = (Arc::clone(&self.service), self.fail_after, Arc::clone(&self.moved));
        let account = Arc::clone(&self.account);
        tokio::spawn(async move {
            let (mut inner, outer) = duplex(10_000);
            let held = service.buffers.place(&account).await;
            let giving = tokio::spawn(answer(service, account, held, far_recv, outer));
            let mut all = (&mut inner).take(fail_after.unwrap_or(u64::MAX));
            let n = tokio::io::copy(&mut all, &mut far_send).await.unwrap_or(0);
            moved.fetch_add(n, Ordering::Relaxed);
            drop(inner);
            let _ = giving.await;
            let _ = far_send.shutdown().await;
        });
        Ok(opened(near))
    }

    async fn ask_for_listing(&self, request: Vec<u8>) -> Result<super::Answering, Failure> {
        let (near, far) = duplex(10_000);
        let (service, account) = (Arc::clone(&self.service), Arc::clone(&self.account));
        tokio::spawn(async move {
            let held = service.buffers.place(&account).await;
            answer_listing(service, account, held, &request, far).await
        });
        Ok(Box::new(split(near).0))
    }
}

fn opened<O>(near: DuplexStream) -> Opened<O>
where
    O: Opener<Send = WriteHalf<DuplexStream>, Recv = ReadHalf<DuplexStream>>,
{
    let (recv, send) = split(near);
    Opened { send, recv, asking: Box::new(|_| {}), sending: Box::new(|_| {}) }
}

/// Answers every request with the same bytes.
#[derive(Clone)]
struct Liar(Arc<Vec<u8>>);

impl Opener for Liar {
    type Send = WriteHalf<DuplexStream>;
    type Recv = ReadHalf<DuplexStream>;

    async fn open(&self) -> Result<Opened<Liar>, Failure> {
        let (near, far) = duplex(10_000);
        let (mut far_recv, mut far_send) = split(far);
        let answer = Arc::clone(&self.0);
        tokio::spawn(async move {
            let _ = far_recv.read_to_end(&mut Vec::new()).await;
            let _ = far_send.write_all(&answer).await;
            let _ = far_send.shutdown().await;
        });
        Ok(opened(near))
    }
}

impl Taker for DuplexStream {
    async fn gone(&self) {
        std::future::pending().await
    }
}

impl Taker for WriteHalf<DuplexStream> {
    async fn gone(&self) {
        std::future::pending().await
    }
}

/// What is there may go.
const REPLACE: Over = Over::Replace { backup: false };

const PEER: Eid = Eid::from_bytes([7; 32]);

fn account() -> Arc<Account> {
    Arc::new(Account::new(PEER))
}

/// What a request of it holds.
async fn place(service: &Service) -> Held {
    service.buffers.place(&account()).await
}

/// What is there may be replaced.
const REPLACING: Care = Care { over: REPLACE, ..FETCHED };

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn sample(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 + i / 253) as u8).collect()
}

/// Where the file `name` in a folder is until it is whole.
fn draft_at(folder: &Path, name: &str) -> std::path::PathBuf {
    folder.join(destination::draft_of(name.as_ref()))
}

fn safe(path: &str) -> SafePath {
    SafePath::parse(path).expect("a safe path")
}

async fn get(opener: &impl Opener, path: &str, to: &Path) -> Result<Fetched, Failure> {
    let job = Job { path: safe(path), target: Target::place(to)?, size: 0, meta: None };
    fetch(opener, &job, REPLACING, &Dial::default(), &Arc::default()).await
}

#[tokio::test]
async fn a_file_is_fetched_with_its_time_and_nothing_is_left_beside_it() {
    let (from, to) = (scratch(), scratch());
    let data = sample(300_000);
    fs::write(from.path().join("a.bin"), &data).expect("written");
    let place = to.path().join("a.bin");
    let fetched = get(&Server::new(from.path()), "a.bin", &place).await.expect("fetched");
    assert_eq!((fetched.outcome, fetched.size, fetched.moved), (Outcome::Fetched, 300_000, 300_000));
    assert_eq!(fs::read(&place).expect("there"), data);
    let meta_of = |path: &Path| meta(&fs::metadata(path).expect("there"));
    assert_eq!(meta_of(&place), meta_of(&from.path().join("a.bin")));
    assert_eq!(fs::read_dir(to.path()).expect("a folder").count(), 1);
}

#[tokio::test]
async fn an_empty_file_is_fetched() {
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join("empty"), b"").expect("written");
    let fetched = get(&Server::new(from.path()), "empty", &to.path().join("e")).await.expect("fetched");
    assert_eq!((fetched.outcome, fetched.size), (Outcome::Fetched, 0));
    assert_eq!(fs::read(to.path().join("e")).expect("there"), b"");
}

#[tokio::test]
async fn an_interrupted_fetch_is_resumed_from_the_part_file() {
    let (from, to) = (scratch(), scratch());
    let data = sample(1_000_000);
    fs::write(from.path().join("a"), &data).expect("written");
    let place = to.path().join("a");
    let mut server = Server::new(from.path());
    server.fail_after = Some(600_000);
    let failure = get(&server, "a", &place).await.expect_err("cut");
    assert_eq!(failure.exit, Exit::Partial);
    assert!(failure.remedy.contains("kept"), "{failure}");
    assert!(!place.exists(), "nothing half stands in its place");
    let kept = fs::metadata(draft_at(to.path(), "a")).expect("kept").len();
    assert!(kept > 500_000, "{kept}");

    let fetched = get(&Server::new(from.path()), "a", &place).await.expect("fetched");
    assert_eq!((fetched.outcome, fetched.moved), (Outcome::Resumed, 1_000_000 - kept));
    assert_eq!(fs::read(&place).expect("there"), data);
    assert!(!draft_at(to.path(), "a").exists());
}

#[tokio::test]
async fn a_fragment_of_what_the_file_was_before_is_not_built_upon() {
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join("a"), sample(200_000)).expect("written");
    fs::write(draft_at(to.path(), "a"), vec![1; 100_000]).expect("written");
    let fetched = get(&Server::new(from.path()), "a", &to.path().join("a")).await.expect("fetched");
    assert_eq!((fetched.outcome, fetched.moved, fetched.discarded), (Outcome::Fetched, 200_000, 100_000));
    assert_eq!(fs::read(to.path().join("a")).expect("there"), sample(200_000));
}

#[tokio::test]
async fn a_part_file_longer_than_the_file_is_dropped() {
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join("a"), sample(1000)).expect("written");
    fs::write(draft_at(to.path(), "a"), sample(2000)).expect("written");
    get(&Server::new(from.path()), "a", &to.path().join("a")).await.expect("fetched");
    assert_eq!(fs::read(to.path().join("a")).expect("there"), sample(1000));
}

#[tokio::test]
async fn a_file_that_is_there_already_moves_nothing() {
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join("a"), sample(200_000)).expect("written");
    fs::write(to.path().join("a"), sample(200_000)).expect("written");
    let server = Server::new(from.path());
    let fetched = get(&server, "a", &to.path().join("a")).await.expect("fetched");
    assert_eq!((fetched.outcome, fetched.moved), (Outcome::Unchanged, 0));
    assert!(server.moved.load(Ordering::Relaxed) < 100, "a head and a hash");
}

#[tokio::test]
async fn a_file_that_has_grown_is_completed_and_one_that_differs_is_replaced() {
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join("a"), sample(200_000)).expect("written");
    fs::write(to.path().join("a"), sample(150_000)).expect("written");
    fs::write(to.path().join("b"), vec![7; 150_000]).expect("written");
    let server = Server::new(from.path());
    let grown = get(&server, "a", &to.path().join("a")).await.expect("fetched");
    assert_eq!((grown.outcome, grown.moved), (Outcome::Resumed, 50_000));
    let other = get(&server, "a", &to.path().join("b")).await.expect("fetched");
    assert_eq!((other.outcome, other.moved), (Outcome::Fetched, 200_000));
    for name in ["a", "b"] {
        assert_eq!(fs::read(to.path().join(name)).expect("there"), sample(200_000));
    }
}

#[tokio::test]
async fn a_wrong_hash_is_tried_again_once_and_leaves_nothing() {
    let mut bytes = Vec::new();
    put(&Answer::File { size: 3, offset: 0, meta: Meta::default() }, &mut bytes);
    bytes.extend_from_slice(Answer::data_head(3, &mut [0; Answer::DATA_HEAD_MAX]));
    bytes.extend_from_slice(b"abc");
    put(&Answer::End { hash: [0; 32] }, &mut bytes);
    let to = scratch();
    let failure = get(&Liar(Arc::new(bytes)), "a", &to.path().join("a")).await.expect_err("refused");
    assert_eq!(failure.exit, Exit::Receive);
    assert!(failure.why.contains("twice"), "{failure}");
    assert_eq!(fs::read_dir(to.path()).expect("a folder").count(), 0);
}

#[tokio::test]
async fn every_fault_of_the_server_has_an_exit_code() {
    for (code, exit) in [
        (FaultCode::NotFound, Exit::NotFound),
        (FaultCode::IsFolder, Exit::NotFound),
        (FaultCode::NotAllowed, Exit::Denied),
        (FaultCode::Changed, Exit::Partial),
        (FaultCode::BadRequest, Exit::Protocol),
    ] {
        let mut bytes = Vec::new();
        put(&Answer::Fault(Fault::new(code, "so it is")), &mut bytes);
        let failure = get(&Liar(Arc::new(bytes)), "a", &scratch().path().join("a")).await.expect_err("refused");
        assert_eq!(failure.exit, exit, "{failure}");
        assert!(failure.why.contains("so it is"), "{failure}");
    }
    let silent = get(&Liar(Arc::default()), "a", &scratch().path().join("a")).await.expect_err("refused");
    assert_eq!(silent.exit, Exit::Partial);
}

#[tokio::test]
async fn a_missing_file_and_a_folder_are_told_apart() {
    let (from, to) = (scratch(), scratch());
    fs::create_dir(from.path().join("d")).expect("made");
    let server = Server::new(from.path());
    let missing = get(&server, "gone", &to.path().join("x")).await.expect_err("missing");
    assert_eq!(missing.exit, Exit::NotFound);
    let folder = get(&server, "d", &to.path().join("x")).await.expect_err("a folder");
    assert!(folder.remedy.contains("-r"), "{folder}");
    assert_eq!(fs::read_dir(to.path()).expect("a folder").count(), 0, "nothing is made for what is not there");
}

#[cfg(unix)]
#[tokio::test]
async fn no_link_leads_out_of_the_served_folder() {
    use std::os::unix::fs::symlink;
    let (outside, from, to) = (scratch(), scratch(), scratch());
    fs::write(outside.path().join("secret"), b"secret").expect("written");
    fs::write(from.path().join("inside"), b"inside").expect("written");
    fs::create_dir(from.path().join("d")).expect("made");
    symlink(outside.path().join("secret"), from.path().join("out")).expect("linked");
    symlink(outside.path(), from.path().join("outdir")).expect("linked");
    symlink("../inside", from.path().join("d/in")).expect("linked");
    symlink(".", from.path().join("d/loop")).expect("linked");
    let server = Server::new(from.path());
    for path in ["out", "outdir/secret"] {
        assert_eq!(get(&server, path, &to.path().join("x")).await.expect_err(path).exit, Exit::Denied);
    }
    get(&server, "d/in", &to.path().join("y")).await.expect("a link that stays inside");
    assert_eq!(fs::read(to.path().join("y")).expect("there"), b"inside");

    let listed = list(&server, &SafePath::root(), Look::default()).await.expect("listed");
    let names: Vec<&str> = listed.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!((names, listed.skipped), (vec!["d", "inside", "d/in", "d/loop"], 2));
    let kinds: Vec<&Kind> = listed.entries[2..].iter().map(|entry| &entry.kind).collect();
    let link = |target| Kind::Link(LinkTarget::new(target).expect("a target"));
    assert_eq!(kinds, [&link("../inside"), &link(".")]);
    let left: Vec<(&str, LeftOutWhy)> = listed.left_out.iter().map(|left| (left.path().exact(), left.why)).collect();
    assert_eq!(left, ["out", "outdir"].map(|path| (path, LeftOutWhy::Link)));
    let follow = Look { follow: true, shallow: false };
    let followed = list(&server, &SafePath::root(), follow).await.expect("listed");
    let names: Vec<(&str, &Kind)> = followed.entries.iter().map(|entry| (entry.path.as_str(), &entry.kind)).collect();
    assert_eq!(names, [("d", &Kind::Folder), ("inside", &Kind::File), ("d/in", &Kind::File)]);
    assert_eq!(followed.skipped, 3, "to follow a link to where it is has no end");
    assert_eq!(list(&server, &safe("outdir"), Look::default()).await.expect_err("out").exit, Exit::Denied);
}

#[cfg(unix)]
#[tokio::test]
async fn names_of_any_bytes_are_listed_and_fetched_and_what_is_no_file_is_counted_and_not_opened() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::UnixListener;
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join(std::ffi::OsStr::from_bytes(b"\xff\xfe")), b"").expect("written");
    fs::write(from.path().join("back\\slash"), b"").expect("written");
    let _socket = UnixListener::bind(from.path().join("socket")).expect("bound");
    fs::write(from.path().join("plain"), b"").expect("written");
    let server = Server::new(from.path());
    let listed = list(&server, &SafePath::root(), Look::default()).await.expect("listed");
    let names: Vec<&str> = listed.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!((names, listed.skipped), (vec!["back\\x5cslash", "plain", "\\xff\\xfe"], 1));
    for entry in &listed.entries {
        let place = entry.path.below(to.path());
        get(&server, entry.path.as_str(), &place).await.expect("fetched");
        assert!(place.exists() && entry.path.below(from.path()).exists());
    }
    let left: Vec<(&str, LeftOutWhy)> = listed.left_out.iter().map(|left| (left.path().exact(), left.why)).collect();
    assert_eq!(left, [("socket", LeftOutWhy::Special)]);
    let failure = get(&server, "socket", &to.path().join("x")).await.expect_err("refused");
    assert_eq!(failure.exit, Exit::Denied, "{failure}");
}

#[tokio::test]
async fn a_tree_is_fetched_whole_with_empty_folders_and_names_that_look_like_scratch_files() {
    let (from, to) = (scratch(), scratch());
    for folder in ["a/b/c", "a/empty", "d"] {
        fs::create_dir_all(from.path().join(folder)).expect("made");
    }
    let files: Vec<String> =
        (0..40).map(|i| format!("a/b/file {i}")).chain(["d/x".into(), "d/x.part".into()]).collect();
    for (i, file) in files.iter().enumerate() {
        fs::write(from.path().join(file), sample(i * 5000)).expect("written");
    }
    let server = Server::new(from.path());
    let Listed { entries, skipped, .. } = list(&server, &SafePath::root(), Look::default()).await.expect("listed");
    assert_eq!((entries.len(), skipped), (files.len() + 5, 0));
    fs::create_dir(to.path().join("tree")).expect("made");
    let base = Arc::new(Base::open(to.path().join("tree")).expect("opened"));
    let plan = Plan::new(&SafePath::root(), entries.clone(), &base);
    for below in &plan.folders {
        base.folder.made(&below.0, beneath::Links::Inside, None, |_, _| true).expect("made");
    }
    let progress = Arc::new(Progress::default());
    let (size, mut ended) = (plan.size(), 0);
    let lanes = Lanes::new(5, Order::Asked);
    fetch_all(&server, plan.jobs, REPLACING, lanes, &progress, |_, result| ended += u64::from(result.is_ok()))
        .await
        .expect("fetched");
    assert_eq!(ended, files.len() as u64);
    assert_eq!(progress.bytes.load(Ordering::Relaxed), size);
    for (i, file) in files.iter().enumerate() {
        assert_eq!(fs::read(to.path().join("tree").join(file)).expect(file), sample(i * 5000), "{file}");
    }
    assert!(to.path().join("tree/a/empty").is_dir());
    let again =
        list(&Server::new(&to.path().join("tree")), &SafePath::root(), Look::default()).await.expect("listed").entries;
    let files_alone = |entries: Vec<Entry>| entries.into_iter().filter(|e| e.kind == Kind::File).collect::<Vec<_>>();
    assert_eq!(files_alone(again), files_alone(entries), "nothing more, nothing less, times included");
}

#[tokio::test]
async fn a_missing_file_does_not_stop_the_others_but_is_told() {
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join("a"), b"a").expect("written");
    let job = |name: &str| Job {
        path: safe(name),
        target: Target::place(&to.path().join(name)).expect("a folder"),
        size: 1,
        meta: None,
    };
    let jobs = vec![job("gone"), job("a")];
    let server = Server::new(from.path());
    let failure =
        fetch_all(&server, jobs, REPLACING, Lanes::ONE, &Arc::default(), |_, _| {}).await.expect_err("one is missing");
    assert_eq!(failure.exit, Exit::NotFound);
    assert!(to.path().join("a").exists());
}

#[tokio::test]
async fn one_file_alone_can_be_served() {
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join("a"), b"a").expect("written");
    fs::write(from.path().join("b"), b"b").expect("written");
    let server = Server::new(&from.path().join("a"));
    assert_eq!(server.service.root.only(), Some(&safe("a")));
    assert_eq!(list(&server, &SafePath::root(), Look::default()).await.expect("listed").entries.len(), 1);
    get(&server, "a", &to.path().join("a")).await.expect("fetched");
    assert_eq!(get(&server, "b", &to.path().join("b")).await.expect_err("not served").exit, Exit::NotFound);
}

#[tokio::test]
async fn two_fetches_into_one_place_do_not_mix() {
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join("a"), sample(1000)).expect("written");
    let part = fs::File::create(draft_at(to.path(), "a")).expect("made");
    part.try_lock().expect("locked");
    let failure = get(&Server::new(from.path()), "a", &to.path().join("a")).await.expect_err("locked");
    assert_eq!((failure.exit, failure.why.as_str()), (Exit::Write, "another process is writing it"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_in_the_place_of_the_scratch_file_is_not_followed() {
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join("a"), sample(1000)).expect("written");
    fs::write(to.path().join("mine"), b"mine").expect("written");
    std::os::unix::fs::symlink("mine", draft_at(to.path(), "a")).expect("linked");
    let failure = get(&Server::new(from.path()), "a", &to.path().join("a")).await.expect_err("refused");
    assert_eq!(failure.exit, Exit::Write);
    assert_eq!(fs::read(to.path().join("mine")).expect("there"), b"mine");
}

#[tokio::test]
async fn a_request_that_makes_no_sense_gets_a_fault_and_too_much_of_it_is_not_read() {
    let from = scratch();
    let service = Server::new(from.path()).service;
    for request in [vec![], vec![9, 9, 9], vec![1, 2, 1, b'a', b'b'], vec![1; 100_000]] {
        let (mut near, far) = duplex(200_000);
        near.write_all(&request).await.expect("written");
        let (far_recv, far_send) = split(far);
        near.shutdown().await.expect("finished");
        let given =
            answer(Arc::clone(&service), account(), place(&service).await, far_recv, far_send).await.expect("answered");
        assert_eq!(given.kind, GivenKind::Nonsense);
        let mut answer = Vec::new();
        near.read_to_end(&mut answer).await.expect("read");
        assert_eq!(answer.first(), Some(&0x3f));
    }
}

#[tokio::test]
async fn a_peer_that_never_reads_is_given_up() {
    let from = scratch();
    fs::write(from.path().join("a"), sample(1_000_000)).expect("written");
    let root = Root::new(from.path()).expect("a folder");
    let mut service = Service::new(root, None, Ration::new(HASH_RATE), Buffers::new(32 << 20));
    service.stall = std::time::Duration::from_millis(50);
    let (mut near, far) = duplex(10_000);
    let mut request = Vec::new();
    put(&Request::Get { path: safe("a"), have: None, blocks: false }, &mut request);
    near.write_all(&request).await.expect("written");
    let (far_recv, far_send) = split(far);
    let service = Arc::new(service);
    let (silent, _held) = (answer(Arc::clone(&service), account(), place(&service).await, far_recv, far_send), near);
    assert!(matches!(silent.await, Err(GiveError::Receive(error)) if error.kind() == std::io::ErrorKind::TimedOut));

    let (near, far) = duplex(10_000);
    let (_near_recv, mut near_send) = split(near);
    near_send.write_all(&request).await.expect("written");
    near_send.shutdown().await.expect("finished");
    let (far_recv, far_send) = split(far);
    let given = answer(Arc::clone(&service), account(), place(&service).await, far_recv, far_send).await;
    assert!(matches!(given, Err(GiveError::Send(error, _)) if error.kind() == std::io::ErrorKind::TimedOut));
}

#[tokio::test]
async fn a_write_that_fails_here_does_not_stop_the_others() {
    let (from, to) = (scratch(), scratch());
    for name in ["a", "b"] {
        fs::write(from.path().join(name), name).expect("written");
    }
    fs::create_dir(to.path().join("a")).expect("made");
    let job = |name: &str| Job {
        path: safe(name),
        target: Target::place(&to.path().join(name)).expect("a folder"),
        size: 1,
        meta: None,
    };
    let (server, jobs) = (Server::new(from.path()), vec![job("a"), job("b")]);
    let failure = fetch_all(&server, jobs, REPLACING, Lanes::ONE, &Arc::default(), |_, _| {})
        .await
        .expect_err("a folder is in the way");
    assert_eq!(failure.exit, Exit::Write);
    assert!(to.path().join("b").exists());
}

#[tokio::test]
async fn a_name_of_the_longest_kind_is_fetched() {
    let (from, to) = (scratch(), scratch());
    let name = "n".repeat(255);
    fs::write(from.path().join(&name), b"long").expect("written");
    get(&Server::new(from.path()), &name, &to.path().join(&name)).await.expect("fetched");
    assert_eq!(fs::read(to.path().join(&name)).expect("there"), b"long");
    assert_eq!(fs::read_dir(to.path()).expect("a folder").count(), 1);
}

mod blocks;
mod changed;
mod drafts;
mod kept;
mod listings;
mod own;
mod uploads;

/// Where an answer goes that the peer has given up from the beginning.
struct GivenUp(DuplexStream, Arc<AtomicU64>);

impl Taker for GivenUp {
    async fn gone(&self) {
        // When the work for it has begun.
        while self.1.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
    }
}

impl tokio::io::AsyncWrite for GivenUp {
    fn poll_write(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
        data: &[u8],
    ) -> std::task::Poll<std::io::Result<usize>> {
        std::pin::Pin::new(&mut self.0).poll_write(cx, data)
    }

    fn poll_flush(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        std::pin::Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        std::pin::Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[tokio::test]
async fn hashing_for_a_peer_ends_when_it_wants_no_answer_any_more() {
    const LEN: u64 = 1 << 40;
    let from = scratch();
    fs::File::create(from.path().join("huge")).and_then(|file| file.set_len(LEN)).expect("a file without bytes");
    let server = Server::new(from.path());
    let len = core::num::NonZeroU64::new(LEN).expect("not 0");
    let mut request = Vec::new();
    put(&Request::Get { path: safe("huge"), have: Some(Have { len, hash: [0; 32] }), blocks: false }, &mut request);
    let (near, _far) = duplex(10_000);
    let gone = Arc::new(AtomicU64::new(0));
    let (held, near) = (place(&server.service).await, GivenUp(near, Arc::clone(&gone)));
    let giving = answer(Arc::clone(&server.service), account(), held, &request[..], near);
    let leaving = async {
        // Control: as long as it waits, work is done for it.
        while server.service.hashing.hashed() == 0 {
            tokio::task::yield_now().await;
        }
        gone.store(1, Ordering::Relaxed);
    };
    let (given, ()) = tokio::join!(giving, leaving);
    assert!(matches!(given, Err(GiveError::Send(error, _)) if error.kind() == std::io::ErrorKind::BrokenPipe));
    assert!(server.service.hashing.hashed() < LEN / 1000, "it would take half an hour");
}
