//! What peers change otherwise than by bringing a file, and what is done about what is there.

use std::os::unix::fs::{MetadataExt, symlink};
use std::time::Duration;

use super::own;
use super::uploads::send;
use super::*;

const ROOM: u64 = 100_000_000;

/// One that may do as much.
fn server(folder: &Path, over: Over, remove: bool) -> Server {
    let uploads = Uploads { quota: Arc::new(Quota::new(ROOM)), over, remove, sync: false };
    Server::of(Root::new(folder).expect("a folder"), Some(uploads))
}

fn left(server: &Server) -> u64 {
    server.service.uploads.as_ref().expect("it takes files").quota.left()
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let found = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("there").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let mut found: Vec<_> = found.map(|path| (name(&path), fs::read(&path).expect("there"))).collect();
    found.sort();
    found
}

async fn same(server: &Server, path: &str, of: &str, over: Over) -> Result<Stored, Exit> {
    let jobs = [SameJob { path: safe(path), of: safe(of) }];
    let mut stored = None;
    let asked = same_all(server, &jobs, over, |_, ended| stored = ended.clone().ok()).await;
    asked.map_err(|failure| failure.exit).map(|()| stored.expect("it was told"))
}

async fn remove(server: &Server, path: &str, kind: Kind) -> Result<bool, Exit> {
    let mut gone = false;
    let asked = remove_all(server, &[(safe(path), kind)], |_| gone = true).await;
    asked.map_err(|failure| failure.exit).map(|()| gone)
}

#[tokio::test]
async fn what_a_server_has_is_replaced_as_the_client_says_and_no_more_than_the_server_allows() {
    let (refuse, backup) = (Over::Refuse, Over::Replace { backup: true });
    let (mine, theirs) = (b"mine".to_vec(), sample(1_000));
    let only = |bytes: &Vec<u8>| vec![("a".to_owned(), bytes.clone())];
    let both = || vec![("a".to_owned(), theirs.clone()), ("a.~1~".to_owned(), mine.clone())];
    for (allowed, asked, is_newer, ended, there) in [
        (refuse, refuse, true, Err(Exit::Exists), only(&mine)),
        (refuse, REPLACE, true, Err(Exit::Denied), only(&mine)),
        (refuse, backup, true, Err(Exit::Denied), only(&mine)),
        (refuse, Over::Keep, true, Ok(Outcome::Kept), only(&mine)),
        (refuse, Over::Update { backup: false }, true, Err(Exit::Denied), only(&mine)),
        (refuse, Over::Update { backup: false }, false, Ok(Outcome::Kept), only(&mine)),
        (REPLACE, refuse, true, Err(Exit::Exists), only(&mine)),
        (REPLACE, Over::Update { backup: false }, false, Ok(Outcome::Kept), only(&mine)),
        (REPLACE, Over::Update { backup: false }, true, Ok(Outcome::Fetched), only(&theirs)),
        (REPLACE, REPLACE, false, Ok(Outcome::Fetched), only(&theirs)),
        (REPLACE, backup, false, Ok(Outcome::Fetched), both()),
        (backup, REPLACE, false, Ok(Outcome::Fetched), both()),
        (backup, Over::Update { backup: false }, true, Ok(Outcome::Fetched), both()),
        (backup, Over::Update { backup: false }, false, Ok(Outcome::Kept), only(&mine)),
    ] {
        for len in [1_000, 200_000] {
            let (from, to) = (scratch(), scratch());
            let server = server(to.path(), allowed, false);
            fs::write(from.path().join("a"), sample(len)).expect("written");
            fs::write(to.path().join("a"), &mine).expect("written");
            let aged = fs::File::open(to.path().join("a")).expect("there");
            let (hour, now) = (Duration::from_secs(3_600), std::time::UNIX_EPOCH + crate::clock::since_1970());
            aged.set_modified(if is_newer { now - hour } else { now + hour }).expect("set");
            let sent = send(&server, from.path(), "a", "a", asked).await;
            let case = (allowed, asked, is_newer, len);
            assert_eq!(sent.map(|sent| sent.outcome).map_err(|failure| failure.exit), ended, "{case:?}");
            let replaced = |bytes: &Vec<u8>| if *bytes == theirs { sample(len) } else { bytes.clone() };
            let there: Vec<_> = there.iter().map(|(name, bytes)| (name.clone(), replaced(bytes))).collect();
            assert_eq!(files(to.path()), there, "{case:?}");
            let names = there.len() as u64 - 1;
            let brought = if matches!(ended, Ok(Outcome::Fetched)) { len as u64 } else { 0 };
            assert_eq!(left(&server), ROOM - names * NAME_COST - brought, "a backup costs its name: {case:?}");
        }
    }
}

#[tokio::test]
async fn a_server_that_replaces_nothing_refuses_what_differs_and_not_what_is_the_same_or_new() {
    let (from, to) = (scratch(), scratch());
    let server = server(to.path(), Over::Refuse, false);
    for name in ["same", "small", "other", "new"] {
        let len = if name == "small" { 100 } else { 200_000 };
        fs::write(from.path().join(name), sample(len)).expect("written");
        if name != "new" {
            fs::write(to.path().join(name), sample(if name == "other" { 100 } else { len })).expect("written");
        }
    }
    let old = fs::File::open(to.path().join("small")).expect("there");
    old.set_modified(std::time::UNIX_EPOCH).expect("set");
    symlink("same", to.path().join("link")).expect("linked");
    fs::hard_link(to.path().join("same"), to.path().join("hard")).expect("linked");
    for over in [REPLACE, Over::Replace { backup: true }, Over::Update { backup: false }] {
        // What is there is newer, as far as is known: it would stay in any case.
        let keeps = matches!(over, Over::Update { .. });
        let kept = if keeps { Ok(Stored::Kept) } else { Err(Exit::Denied) };
        for (name, ended) in [
            ("same", Ok(Outcome::Unchanged)),
            ("small", Ok(Outcome::Unchanged)),
            ("other", if keeps { Ok(Outcome::Kept) } else { Err(Exit::Denied) }),
            ("new", Ok(if over == REPLACE { Outcome::Fetched } else { Outcome::Unchanged })),
        ] {
            let sent = send(&server, from.path(), name, name, over).await;
            assert_eq!(sent.map(|sent| sent.outcome).map_err(|failure| failure.exit), ended, "{name} {over:?}");
        }
        let link = async |path: &str, target: &str| {
            let (target, mut stored) = (LinkTarget::new(target).expect("inside"), None);
            let link = LinkJob { path: safe(path), target, meta: Meta::default() };
            let asked = link_all(&server, &[link], over, |_, ended| stored = ended.clone().ok()).await;
            asked.map_err(|failure| failure.exit).map(|()| stored)
        };
        assert_eq!(link("link", "same").await, Ok(Some(Stored::Unchanged)));
        assert_eq!(link("link", "small").await, kept.map(Some));
        assert_eq!(same(&server, "hard", "same", over).await, Ok(Stored::Unchanged));
        assert_eq!(same(&server, "hard", "small", over).await, kept);
    }
    assert_eq!(fs::read(to.path().join("other")).expect("there"), sample(100));
}

#[tokio::test]
async fn a_file_of_the_server_gets_one_more_name_and_no_copy() {
    let to = scratch();
    let server = server(to.path(), REPLACE, false);
    fs::create_dir(to.path().join("d")).expect("made");
    fs::write(to.path().join("d/a"), b"one").expect("written");
    fs::write(to.path().join("other"), b"two").expect("written");
    assert_eq!(same(&server, "e/b", "d/a", Over::Refuse).await, Ok(Stored::New));
    let inode = |name: &str| fs::metadata(to.path().join(name)).expect("there").ino();
    assert_eq!(inode("e/b"), inode("d/a"));
    assert_eq!(same(&server, "e/b", "d/a", Over::Refuse).await, Ok(Stored::Unchanged));
    assert_eq!(same(&server, "other", "d/a", Over::Refuse).await, Err(Exit::Exists));
    assert_eq!(same(&server, "other", "d/a", Over::Keep).await, Ok(Stored::Kept));
    assert_eq!(fs::read(to.path().join("other")).expect("there"), b"two");
    assert_eq!(same(&server, "other", "d/a", REPLACE).await, Ok(Stored::New));
    assert_eq!(inode("other"), inode("d/a"));
    assert_eq!(same(&server, "d", "d/a", REPLACE).await, Err(Exit::NotFound), "a folder is there");
    assert_eq!(same(&server, "x", "gone", REPLACE).await, Err(Exit::NotFound));
    assert_eq!(same(&server, "x", "d", REPLACE).await, Err(Exit::NotFound), "it is a folder");
    // One that is replaced afterwards leaves the others as they were.
    let from = scratch();
    fs::write(from.path().join("a"), b"three").expect("written");
    send(&server, from.path(), "a", "other", REPLACE).await.expect("replaced");
    assert_eq!(fs::read(to.path().join("d/a")).expect("there"), b"one");
}

#[tokio::test]
async fn a_server_removes_nothing_unless_it_may_and_nothing_outside_or_of_its_own() {
    let (to, outside) = (scratch(), scratch());
    let fill = || {
        fs::create_dir_all(to.path().join("d/e")).expect("made");
        fs::write(to.path().join("d/a"), b"one").expect("written");
        fs::write(outside.path().join("a"), b"out").expect("written");
    };
    fill();
    symlink(outside.path(), to.path().join("out")).expect("linked");
    assert_eq!(remove(&server(to.path(), REPLACE, false), "d/a", Kind::File).await, Err(Exit::Denied));
    let server = server(to.path(), REPLACE, true);
    assert_eq!(remove(&server, "d", Kind::Folder).await, Ok(false), "something is in it");
    assert_eq!(remove(&server, "d", Kind::File).await, Err(Exit::NotFound), "it is a folder");
    assert_eq!(remove(&server, "d/a", Kind::Folder).await, Err(Exit::NotFound), "it is a file");
    assert_eq!(remove(&server, "out/a", Kind::File).await, Err(Exit::Denied));
    assert_eq!(remove(&server, "d/gone", Kind::File).await, Err(Exit::NotFound));
    let all = [("d", Kind::Folder), ("d/a", Kind::File), ("d/e", Kind::Folder), ("out", Kind::File)];
    let mut gone = Vec::new();
    let all = all.map(|(path, kind)| (safe(path), kind));
    remove_all(&server, &all, |path| gone.push(path.as_str().to_owned())).await.expect("removed");
    assert_eq!((gone.len(), gone.last().map(String::as_str)), (4, Some("d")), "a folder after what is in it: {gone:?}");
    assert_eq!(fs::read_dir(to.path()).expect("a folder").count(), 0);
    assert_eq!(fs::read(outside.path().join("a")).expect("there"), b"out", "the link is gone, and not what it says");
}

#[tokio::test]
async fn a_servers_own_files_are_neither_removed_nor_named_anew() {
    let served = own::folder();
    let server = own::server(served.path(), true);
    for name in ["d/key", "d/key.tickets", "hard"] {
        assert_eq!(remove(&server, name, Kind::File).await, Err(Exit::Denied), "{name}");
        assert_eq!(same(&server, "mine", name, REPLACE).await, Err(Exit::Denied), "{name}");
    }
    assert!(served.path().join("d/key").exists() && !served.path().join("mine").exists());
    // Control: what is the user's goes.
    assert_eq!(remove(&server, "d/key.txt", Kind::File).await, Ok(true));
}

#[tokio::test]
async fn nothing_goes_through_a_link_that_a_peer_has_made() {
    let (from, to) = (scratch(), scratch());
    let server = server(to.path(), REPLACE, true);
    fs::write(from.path().join("a"), b"new").expect("written");
    fs::create_dir(to.path().join("d")).expect("made");
    let link = LinkJob { path: safe("l"), target: LinkTarget::new("d").expect("inside"), meta: Meta::default() };
    link_all(&server, &[link], Over::Refuse, |_, _| {}).await.expect("made");
    assert_eq!(send(&server, from.path(), "a", "l/a", REPLACE).await.expect_err("a link").exit, Exit::Denied);
    assert_eq!(same(&server, "l/b", "d/a", REPLACE).await, Err(Exit::NotFound));
    assert_eq!(fs::read_dir(to.path().join("d")).expect("a folder").count(), 0);
}

/// A server that says no more after what it has said.
#[derive(Clone)]
struct Silent(Arc<Vec<u8>>);

impl Opener for Silent {
    type Send = WriteHalf<DuplexStream>;
    type Recv = ReadHalf<DuplexStream>;

    async fn open(&self) -> Result<Opened<Silent>, Failure> {
        let (near, far) = duplex(10_000);
        let said = Arc::clone(&self.0);
        tokio::spawn(async move {
            let (mut far_recv, mut far_send) = split(far);
            let _ = far_send.write_all(&said).await;
            let _ = far_recv.read_to_end(&mut Vec::new()).await;
            std::future::pending::<()>().await;
            drop(far_send);
        });
        Ok(opened(near))
    }
}

#[tokio::test]
async fn a_draft_or_its_folder_that_is_removed_or_moved_is_missed_also_while_nothing_comes() {
    for how in ["draft removed", "folder removed", "folder moved", "another folder moved to its place"] {
        let above = scratch();
        let to = above.path().join("to");
        fs::create_dir(&to).expect("made");
        let mut said = Vec::new();
        put(&Answer::File { size: 1_000, offset: 0, meta: Meta::default() }, &mut said);
        said.extend_from_slice(Answer::data_head(3, &mut [0; Answer::DATA_HEAD_MAX]));
        said.extend_from_slice(b"abc");
        let (silent, place) = (Silent(Arc::new(said)), to.join("a"));
        let fetching = tokio::spawn(async move { get(&silent, "a", &place).await });
        let part = draft_at(&to, "a");
        while !fs::metadata(&part).is_ok_and(|part| part.len() == 3) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let elsewhere = above.path().join("elsewhere");
        match how {
            "draft removed" => fs::remove_file(&part).expect("removed"),
            "folder removed" => fs::remove_dir_all(&to).expect("removed"),
            _ => fs::rename(&to, &elsewhere).expect("moved"),
        }
        if how == "another folder moved to its place" {
            fs::create_dir(&to).expect("made");
            fs::write(to.join("a"), b"foreign").expect("written");
        }
        // It would wait for ever.
        let ended = tokio::time::timeout(Duration::from_secs(60), fetching).await.expect("noticed").expect("it ends");
        let failure = ended.expect_err("it is gone");
        let word = if elsewhere.exists() { "moved" } else { "removed" };
        assert!(failure.exit == Exit::Write && failure.why.contains(word), "{how}: {failure}");
        assert!(!elsewhere.join("a").exists(), "{how}");
    }
}

#[test]
fn a_backup_of_a_long_name_fits_and_is_known_by_its_name() {
    use super::beneath::is_backup;
    let folder = scratch();
    let base = Base::open(folder.path().to_owned()).expect("a folder");
    for name in ["n".repeat(255), "\u{fc}".repeat(127)] {
        for n in 1..3 {
            fs::write(folder.path().join(&name), [n]).expect("written");
            base.folder.back_up(name.as_ref()).expect("backed up");
            fs::remove_file(folder.path().join(&name)).expect("there");
        }
    }
    let names: Vec<String> = files(folder.path()).into_iter().map(|(name, _)| name).collect();
    assert!(names.len() == 4 && names.iter().all(|name| is_backup(name) && name.len() <= 255), "{names:?}");
    assert!(["a", "a.~0~", "a.~x~", ".~1~", "a~1~", "a.~1"].iter().all(|name| !is_backup(name)));
}
