//! Unfinished files, and who meddles with them or with their folders.

use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tng_services::files::Fragment;

use super::uploads::send;
use super::*;

const ROOM: u64 = 100_000_000;

#[tokio::test]
async fn a_file_of_somebodys_own_is_never_taken_for_the_beginning_of_another() {
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join("a"), sample(1_000)).expect("written");
    fs::write(to.path().join("a.part"), b"mine").expect("written");
    get(&Server::new(from.path()), "a", &to.path().join("a")).await.expect("fetched");
    assert_eq!(fs::read(to.path().join("a.part")).expect("there"), b"mine");
    assert_eq!(fs::read(to.path().join("a")).expect("there"), sample(1_000));
}

#[tokio::test]
async fn a_draft_that_is_a_hard_link_is_not_written_to() {
    let (from, to, inbox) = (scratch(), scratch(), scratch());
    fs::write(from.path().join("a"), sample(1_000)).expect("written");
    for folder in [&to, &inbox] {
        fs::write(folder.path().join("mine"), b"mine").expect("written");
        fs::hard_link(folder.path().join("mine"), draft_at(folder.path(), "a")).expect("linked");
    }
    let failure = get(&Server::new(from.path()), "a", &to.path().join("a")).await.expect_err("refused");
    assert!(failure.exit == Exit::Write && failure.why.contains("hard link"), "{failure}");
    let server = Server::writable(inbox.path(), ROOM);
    assert_eq!(send(&server, from.path(), "a", "a", Over::Refuse).await.expect_err("refused").exit, Exit::Denied);
    for folder in [&to, &inbox] {
        assert_eq!(fs::read(folder.path().join("mine")).expect("there"), b"mine");
    }
}

#[tokio::test]
async fn a_draft_that_has_its_own_name_already_is_no_other_file() {
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join("a"), sample(1_000)).expect("written");
    fs::write(to.path().join("a"), b"before").expect("written");
    // Where a file system cannot rename to a free name, somebody was stopped between the two steps.
    fs::hard_link(to.path().join("a"), draft_at(to.path(), "a")).expect("linked");
    get(&Server::new(from.path()), "a", &to.path().join("a")).await.expect("fetched");
    assert_eq!(fs::read(to.path().join("a")).expect("there"), sample(1_000));
    assert_eq!(fs::read_dir(to.path()).expect("a folder").count(), 1);
}

#[tokio::test]
async fn a_name_of_drafts_that_is_none_of_ours_is_left_out_by_name_both_ways() {
    let from = scratch();
    fs::write(from.path().join(".tng-notes.part"), b"important").expect("written");
    fs::write(draft_at(from.path(), "b"), b"half").expect("written");
    fs::write(from.path().join("b"), b"b").expect("written");
    // Of the form of ours, and no file.
    fs::create_dir(draft_at(from.path(), "c")).expect("made");
    fs::write(draft_at(from.path(), "c").join("mine"), b"mine").expect("written");
    let folder = draft_at(from.path(), "c").file_name().expect("a name").to_string_lossy().into_owned();
    let server = Server::new(from.path());
    let listed = list(&server, &SafePath::root(), Look::default()).await.expect("listed");
    let left: Vec<_> = listed.left_out.iter().map(|left| (left.path().exact(), left.why)).collect();
    // In their order: a digit comes before a letter.
    assert_eq!(left, [&*folder, ".tng-notes.part"].map(|name| (name, LeftOutWhy::Reserved)));
    assert_eq!((listed.entries.len(), listed.skipped), (1, 2));
    let below = get(&server, &format!("{folder}/mine"), &from.path().join("x")).await.expect_err("hidden");
    assert_eq!(below.exit, Exit::NotFound);
    let alone = Root::new(&from.path().join(".tng-notes.part")).expect_err("refused");
    assert!(alone.why.contains("kept for unfinished files"), "{alone}");
}

/// A peer that brings the file `a` a little at a time: the beginning, "abc" of "abcdef", is there when this returns.
struct Bringing {
    near: DuplexStream,
    given: tokio::task::JoinHandle<Result<Given, GiveError>>,
    draft: PathBuf,
}

impl Bringing {
    async fn begin(server: &Server, folder: &Path, path: &str) -> Bringing {
        let mut bytes = Vec::new();
        put(&Request::Put { path: safe(path), terms: Terms::default() }, &mut bytes);
        put(&Answer::File { size: 6, offset: 0, meta: Meta::default() }, &mut bytes);
        let (mut near, far) = duplex(10_000);
        near.write_all(&bytes).await.expect("written");
        let (far_recv, far_send) = split(far);
        let given = answer(Arc::clone(&server.service), account(), place(&server.service).await, far_recv, far_send);
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let draft = draft_at(&folder.join(above), name);
        let mut bringing = Bringing { near, given: tokio::spawn(given), draft };
        bringing.brings(b"abc").await;
        let is_there = || fs::metadata(&bringing.draft).is_ok_and(|draft| draft.len() == 3);
        while !is_there() {
            if bringing.given.is_finished() {
                panic!("it has ended: {:?}", bringing.given.await);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // Clocks of file systems have coarse steps.
        tokio::time::sleep(Duration::from_millis(30)).await;
        bringing
    }

    async fn brings(&mut self, data: &[u8]) {
        let mut bytes = Answer::data_head(data.len(), &mut [0; Answer::DATA_HEAD_MAX]).to_vec();
        bytes.extend_from_slice(data);
        self.near.write_all(&bytes).await.expect("written");
    }

    async fn ends(mut self, end: Answer) -> Given {
        let mut bytes = Vec::new();
        put(&end, &mut bytes);
        // Who has said why it wants no more does not read on.
        let _ = self.near.write_all(&bytes).await;
        let _ = self.near.shutdown().await;
        self.given.await.expect("it ends").expect("answered")
    }

    async fn ends_whole(mut self) -> Given {
        self.brings(b"def").await;
        let mut all = Fragment::new();
        all.update(b"abcdef");
        self.ends(Answer::End { hash: all.hash() }).await
    }
}

#[tokio::test]
async fn a_draft_whose_time_alone_has_changed_takes_what_still_comes() {
    let to = scratch();
    let bringing = Bringing::begin(&Server::writable(to.path(), ROOM), to.path(), "a").await;
    fs::File::open(&bringing.draft).expect("there").set_modified(SystemTime::UNIX_EPOCH).expect("set");
    assert_eq!(bringing.ends_whole().await.fault, None);
    assert_eq!(fs::read(to.path().join("a")).expect("there"), b"abcdef");
}

#[tokio::test]
async fn a_server_throws_away_what_nobody_can_go_on_with_and_says_what_happened() {
    let meddle: fn(&Path) = |draft| {
        let file = fs::OpenOptions::new().write(true).open(draft).expect("there");
        file.write_all_at(b"x", 1).expect("written");
    };
    let changed = Answer::Fault(Fault::new(FaultCode::Changed, "done"));
    for (meddles, end, code) in [(true, None, FaultCode::Write), (false, Some(changed), FaultCode::Changed)] {
        let to = scratch();
        let server = Server::writable(to.path(), ROOM);
        let bringing = Bringing::begin(&server, to.path(), "a").await;
        if meddles {
            meddle(&bringing.draft);
        }
        let given = match end {
            Some(end) => bringing.ends(end).await,
            None => bringing.ends_whole().await,
        };
        let fault = given.fault.expect("not whole");
        assert_eq!(fault.code, code);
        let words = match meddles {
            true => "it could not be written: somebody else has written to it meanwhile",
            false => "the file changed while it was being sent: its peer says: done",
        };
        assert_eq!(fault.to_string(), words);
        assert_eq!(fs::read_dir(to.path()).expect("a folder").count(), 0, "{code:?}: it can never be gone on with");
    }
    // Control: what was cut off is the beginning of the next attempt.
    let to = scratch();
    let bringing = Bringing::begin(&Server::writable(to.path(), ROOM), to.path(), "a").await;
    let (draft, given) = (bringing.draft.clone(), bringing.given);
    drop(bringing.near);
    given.await.expect("it ends").expect_err("cut off");
    assert!(draft.exists());
}

#[tokio::test]
async fn a_folder_that_is_moved_away_at_a_server_is_noticed_whether_or_not_another_stands_there() {
    for (is_made_anew, waits) in [(false, false), (true, false), (true, true)] {
        let to = scratch();
        let bringing = Bringing::begin(&Server::writable(to.path(), ROOM), to.path(), "d/a").await;
        fs::rename(to.path().join("d"), to.path().join("e")).expect("moved");
        if is_made_anew {
            fs::create_dir(to.path().join("d")).expect("made");
            fs::write(to.path().join("d/a"), b"foreign").expect("written");
        }
        let given = match waits {
            false => bringing.ends_whole().await,
            // Nothing comes any more.
            true => bringing.given.await.expect("it ends").expect("answered"),
        };
        let fault = given.fault.expect("it did not arrive");
        assert!(fault.code == FaultCode::Write && fault.to_string().contains("moved"), "{fault}");
        assert!(!to.path().join("e/a").exists(), "it has no name where it is now");
    }
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_given_was_not_given_whole_says_the_servers_record() {
    let from = scratch();
    fs::write(from.path().join("a"), sample(1_000_000)).expect("written");
    let server = Server::new(from.path());
    let mut request = Vec::new();
    put(&Request::Get { path: safe("a"), have: None, blocks: false }, &mut request);
    let (mut near, far) = duplex(1_000);
    let held = place(&server.service).await;
    let giving = tokio::spawn(async move {
        let request = request;
        answer(Arc::clone(&server.service), account(), held, &request[..], far).await
    });
    near.read_exact(&mut [0; 1_000]).await.expect("it has begun");
    let file = fs::OpenOptions::new().append(true).open(from.path().join("a")).expect("there");
    std::io::Write::write_all(&mut &file, b"more").expect("written");
    near.read_to_end(&mut Vec::new()).await.expect("read");
    let given = giving.await.expect("it ends").expect("answered");
    assert_eq!(given.fault.map(|fault| fault.code), Some(FaultCode::Changed));
    assert_eq!((given.kind, given.moved), (GivenKind::Get, 1_000_000));
}
