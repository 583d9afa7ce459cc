//! Files that peers bring.

use super::*;

/// Sends one file of `from` to `server` under the name `to`.
pub(super) async fn send(server: &Server, from: &Path, name: &str, to: &str, over: Over) -> Result<Fetched, Failure> {
    let known = fs::metadata(from.join(name)).map_or(Known { size: 0, meta: Meta::default() }, |there| (&there).into());
    let root = Arc::new(Root::new(from).expect("a folder"));
    let from = Origin::Folder(root, safe(name));
    let parcel = Parcel { from, to: safe(to), known, shown: name.into(), there: None };
    let sending = Sending { over, ..Sending::default() };
    let mut ended = None;
    let progress = Arc::default();
    let told = |_: &Parcel, one: &Result<Fetched, Failure>| ended = Some(one.clone());
    let all = send_all(server, vec![parcel], sending, Lanes::ONE, &progress, told).await;
    let ended = ended.expect("it was told");
    assert_eq!(all.err(), ended.clone().err());
    ended
}

const ROOM: u64 = 100_000_000;

#[tokio::test]
async fn a_file_that_is_sent_stands_in_its_place_with_its_time() {
    let (from, to) = (scratch(), scratch());
    let server = Server::writable(to.path(), ROOM);
    for (name, len) in [("empty", 0), ("small", 1000), ("large", 1_000_000)] {
        fs::write(from.path().join(name), sample(len)).expect("written");
        let place = format!("new/folder/{name}");
        let sent = send(&server, from.path(), name, &place, Over::Refuse).await.expect("sent");
        assert_eq!((sent.outcome, sent.moved), (Outcome::Fetched, len as u64));
        assert_eq!(fs::read(to.path().join(&place)).expect("there"), sample(len));
        let meta_of = |path: &Path| meta(&fs::metadata(path).expect("there"));
        assert_eq!(meta_of(&to.path().join(&place)), meta_of(&from.path().join(name)));
    }
    assert_eq!(fs::read_dir(to.path().join("new/folder")).expect("a folder").count(), 3, "nothing is left beside them");
}

#[tokio::test]
async fn a_server_that_was_not_told_to_takes_nothing() {
    let (from, to) = (scratch(), scratch());
    for (name, len) in [("small", 1000), ("large", 1_000_000)] {
        fs::write(from.path().join(name), sample(len)).expect("written");
        let failure = send(&Server::new(to.path()), from.path(), name, name, Over::Refuse).await.expect_err("refused");
        assert_eq!(failure.exit, Exit::Denied);
        assert!(failure.why.contains("--writable"), "{failure}");
    }
    assert_eq!(
        make(&Server::new(to.path()), &safe("d"), Meta::default()).await.expect_err("refused").exit,
        Exit::Denied
    );
    assert_eq!(fs::read_dir(to.path()).expect("a folder").count(), 0);
}

#[tokio::test]
async fn a_file_that_is_there_is_replaced_only_on_request_and_the_same_is_no_failure() {
    let (from, to) = (scratch(), scratch());
    let server = Server::writable(to.path(), ROOM);
    for len in [1000, 1_000_000] {
        fs::write(from.path().join("a"), sample(len)).expect("written");
        fs::write(to.path().join("a"), vec![7; len]).expect("written");
        let failure = send(&server, from.path(), "a", "a", Over::Refuse).await.expect_err("it is there");
        assert_eq!(failure.exit, Exit::Exists);
        assert_eq!(fs::read(to.path().join("a")).expect("there"), vec![7; len]);
        send(&server, from.path(), "a", "a", REPLACE).await.expect("replaced");
        assert_eq!(fs::read(to.path().join("a")).expect("there"), sample(len));
        let again = send(&server, from.path(), "a", "a", Over::Refuse).await.expect("the same");
        assert_eq!(again.outcome, Outcome::Unchanged);
        assert_eq!(fs::read_dir(to.path()).expect("a folder").count(), 1);
    }
}

#[tokio::test]
async fn what_arrived_of_a_file_is_built_upon_if_it_is_its_beginning() {
    let (from, to) = (scratch(), scratch());
    let server = Server::writable(to.path(), ROOM);
    let part = draft_at(to.path(), "a");
    fs::write(from.path().join("a"), sample(1_000_000)).expect("written");
    fs::write(&part, sample(600_000)).expect("written");
    let sent = send(&server, from.path(), "a", "a", Over::Refuse).await.expect("sent");
    assert_eq!((sent.outcome, sent.moved), (Outcome::Resumed, 400_000));
    fs::remove_file(to.path().join("a")).expect("removed");
    fs::write(&part, vec![9; 600_000]).expect("written");
    let sent = send(&server, from.path(), "a", "a", Over::Refuse).await.expect("sent");
    assert_eq!((sent.outcome, sent.moved), (Outcome::Fetched, 1_000_000));
    assert_eq!(fs::read(to.path().join("a")).expect("there"), sample(1_000_000));
}

#[tokio::test]
async fn a_server_takes_no_more_than_its_quota() {
    let (from, to) = (scratch(), scratch());
    let server = Server::writable(to.path(), 2 * NAME_COST + 100_000);
    fs::write(from.path().join("a"), sample(100_000)).expect("written");
    send(&server, from.path(), "a", "a", Over::Refuse).await.expect("there is room");
    let failure = send(&server, from.path(), "a", "b", Over::Refuse).await.expect_err("there is none");
    assert_eq!(failure.exit, Exit::RemoteFull);
    make(&server, &safe("d"), Meta::default()).await.expect("a name still fits");
    assert_eq!(make(&server, &safe("e"), Meta::default()).await.expect_err("no longer").exit, Exit::RemoteFull);
    assert!(!to.path().join("b").exists() && !to.path().join("e").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_is_written_through_a_link_or_over_what_is_no_file() {
    use std::os::unix::fs::symlink;
    let (outside, from, to) = (scratch(), scratch(), scratch());
    fs::write(from.path().join("a"), b"new").expect("written");
    fs::write(outside.path().join("file"), b"old").expect("written");
    symlink(outside.path(), to.path().join("out")).expect("linked");
    symlink(outside.path().join("file"), to.path().join("link")).expect("linked");
    symlink(outside.path().join("absent"), to.path().join("dangling")).expect("linked");
    fs::create_dir(to.path().join("d")).expect("made");
    let server = Server::writable(to.path(), ROOM);
    for (path, exit) in [
        ("out/a", Exit::Denied),
        ("link", Exit::Denied),
        ("dangling", Exit::Denied),
        ("dangling/a", Exit::Denied),
        (".tng-00.part", Exit::Denied),
        (".tng-00.part/a", Exit::Denied),
        ("d", Exit::NotFound),
    ] {
        assert_eq!(send(&server, from.path(), "a", path, REPLACE).await.expect_err(path).exit, exit, "{path}");
    }
    for path in ["out/x", ".tng-00.part", "new/.tng-00.part/x"] {
        assert_eq!(make(&server, &safe(path), Meta::default()).await.expect_err(path).exit, Exit::Denied, "{path}");
    }
    assert!(!to.path().join("new").exists() && !to.path().join(".tng-00.part").exists());
    assert_eq!(fs::read(outside.path().join("file")).expect("there"), b"old");
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 1);
}

#[tokio::test]
async fn an_unfinished_file_of_a_peer_is_neither_listed_nor_handed_out() {
    let to = scratch();
    let part = draft_at(to.path(), "a");
    fs::write(&part, b"half").expect("written");
    let server = Server::writable(to.path(), ROOM);
    let listed = list(&server, &SafePath::root(), Look::default()).await.expect("listed");
    assert_eq!((listed.entries.len(), listed.skipped), (0, 0));
    let name = part.file_name().expect("a name").to_string_lossy().into_owned();
    assert_eq!(get(&server, &name, &to.path().join("x")).await.expect_err("hidden").exit, Exit::NotFound);
}

#[tokio::test]
async fn a_file_with_a_wrong_hash_gets_no_name() {
    let to = scratch();
    let server = Server::writable(to.path(), ROOM);
    let mut bytes = Vec::new();
    put(&Request::Put { path: safe("a"), terms: Terms::default() }, &mut bytes);
    put(&Answer::File { size: 3, offset: 0, meta: Meta::default() }, &mut bytes);
    bytes.extend_from_slice(Answer::data_head(3, &mut [0; Answer::DATA_HEAD_MAX]));
    bytes.extend_from_slice(b"abc");
    put(&Answer::End { hash: [0; 32] }, &mut bytes);
    let (mut near, far) = duplex(10_000);
    near.write_all(&bytes).await.expect("written");
    near.shutdown().await.expect("finished");
    let (far_recv, far_send) = split(far);
    let given = answer(Arc::clone(&server.service), account(), place(&server.service).await, far_recv, far_send)
        .await
        .expect("answered");
    assert_eq!(given.fault.map(|fault| fault.code), Some(FaultCode::WrongHash));
    assert_eq!(fs::read_dir(to.path()).expect("a folder").count(), 0);
    assert_eq!(quota_left(&server), ROOM - 3, "what it wrote has cost something, its name has not");
}

fn quota_left(server: &Server) -> u64 {
    server.service.uploads.as_ref().expect("it takes files").quota.left()
}

#[tokio::test]
async fn an_upload_that_is_given_up_costs_its_name_once_and_nothing_if_nothing_stands_there() {
    let to = scratch();
    let server = Server::writable(to.path(), ROOM);
    let give_up = async |bytes: &[u8]| {
        let (mut near, far) = duplex(10_000);
        near.write_all(bytes).await.expect("written");
        near.shutdown().await.expect("finished");
        let (far_recv, far_send) = split(far);
        let held = place(&server.service).await;
        assert!(
            answer(Arc::clone(&server.service), account(), held, far_recv, far_send).await.is_err(),
            "it ended early"
        );
        quota_left(&server)
    };
    let mut begun = Vec::new();
    put(&Request::Put { path: safe("a"), terms: Terms::default() }, &mut begun);
    assert_eq!(give_up(&begun).await, ROOM, "nothing was written");
    put(&Answer::File { size: 3, offset: 0, meta: Meta::default() }, &mut begun);
    // Control: where something stands, its name is paid for, by the client that came first.
    for _ in 0..3 {
        assert_eq!(give_up(&begun).await, ROOM - NAME_COST);
    }
    assert_eq!(fs::read_dir(to.path()).expect("a folder").count(), 1, "the scratch file");
}

#[tokio::test]
async fn a_file_that_cannot_be_read_here_does_not_stop_the_others() {
    let (from, to) = (scratch(), scratch());
    fs::write(from.path().join("a"), sample(1000)).expect("written");
    let failure = send(&Server::writable(to.path(), ROOM), from.path(), "gone", "gone", Over::Refuse).await;
    let failure = failure.expect_err("it is gone");
    assert_eq!(failure.exit, Exit::Read);
    assert!(!is_fatal(&failure));
}

#[tokio::test]
async fn what_a_server_copies_for_a_peer_counts_as_what_the_peer_brings() {
    for (room, fits) in [(1_050_000, true), (900_000, false)] {
        let (from, to) = (scratch(), scratch());
        let server = Server::writable(to.path(), room);
        fs::write(from.path().join("a"), sample(1_000_010)).expect("written");
        fs::write(to.path().join("a"), sample(1_000_000)).expect("written");
        let sent = send(&server, from.path(), "a", "a", REPLACE).await;
        let left = quota_left(&server);
        let there = fs::read(to.path().join("a")).expect("there").len();
        if fits {
            // Control: ten bytes moved, and a million were written.
            assert_eq!(sent.expect("sent").moved, 10);
            assert_eq!((left, there), (room - 1_000_010, 1_000_010));
        } else {
            assert_eq!(sent.expect_err("no room").exit, Exit::RemoteFull);
            assert_eq!((left, there), (room, 1_000_000));
            assert!(!draft_at(to.path(), "a").exists(), "nothing was copied");
        }
    }
}

#[tokio::test]
async fn a_file_is_hashed_for_an_upload_out_of_its_peers_ration() {
    let (from, to) = (scratch(), scratch());
    let server = Server::writable(to.path(), ROOM);
    fs::write(from.path().join("a"), sample(3_000_000)).expect("written");
    fs::write(to.path().join("a"), sample(2_000_000)).expect("written");
    send(&server, from.path(), "a", "a", REPLACE).await.expect("sent");
    // Once for the hash of all of it, and once for its blocks.
    assert_eq!(server.service.hashing.hashed(), 2 * 2_000_000);
}
