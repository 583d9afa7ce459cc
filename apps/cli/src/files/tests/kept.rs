//! What is kept of files and folders beside their bytes.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, SystemTime};

use super::uploads::send;
use super::*;

/// A second and a half before 1970.
const OLD: Duration = Duration::from_millis(1_500);

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").mode() & 0o7777
}

fn write(path: &Path, len: usize, mode: u32) {
    fs::write(path, sample(len)).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("changed");
    let file = fs::File::open(path).expect("opened");
    file.set_modified(SystemTime::UNIX_EPOCH - OLD + Duration::from_nanos(3)).expect("changed");
}

#[tokio::test]
async fn a_file_keeps_its_mode_and_its_time_and_nobody_becomes_its_owner() {
    let (from, to, inbox) = (scratch(), scratch(), scratch());
    let (server, taker) = (Server::new(from.path()), Server::writable(inbox.path(), 1_000_000));
    for (name, given, kept) in [("run", 0o755, 0o755), ("own", 0o600, 0o600), ("other", 0o6755, 0o755)] {
        write(&from.path().join(name), 1_000, given);
        get(&server, name, &to.path().join(name)).await.expect("fetched");
        send(&taker, from.path(), name, name, false).await.expect("sent");
        for place in [to.path().join(name), inbox.path().join(name)] {
            assert_eq!(mode(&place), kept, "{name}");
            let found = fs::metadata(&place).expect("there");
            assert_eq!((found.mtime(), found.mtime_nsec()), (-2, 500_000_003), "{name}");
        }
    }
}

#[tokio::test]
async fn a_file_that_is_there_with_the_same_bytes_is_given_its_mode_and_time() {
    let (from, to) = (scratch(), scratch());
    write(&from.path().join("a"), 1_000, 0o755);
    fs::write(to.path().join("a"), sample(1_000)).expect("written");
    let fetched = get(&Server::new(from.path()), "a", &to.path().join("a")).await.expect("fetched");
    assert_eq!((fetched.outcome, mode(&to.path().join("a"))), (Outcome::Unchanged, 0o755));
    assert_eq!(fs::metadata(to.path().join("a")).expect("there").mtime(), -2);
}

#[tokio::test]
async fn nobody_else_may_read_a_file_while_it_arrives_also_where_a_draft_of_it_was_readable() {
    let (from, to) = (scratch(), scratch());
    write(&from.path().join("a"), 1_000_000, 0o644);
    let part = to.path().join("a.part");
    let mut server = Server::new(from.path());
    for kept in [false, true] {
        if kept {
            fs::set_permissions(&part, fs::Permissions::from_mode(0o666)).expect("changed");
        }
        server.fail_after = Some(300_000);
        get(&server, "a", &to.path().join("a")).await.expect_err("cut");
        assert_eq!(mode(&part), 0o600);
    }
    server.fail_after = None;
    get(&server, "a", &to.path().join("a")).await.expect("fetched");
    assert_eq!(mode(&to.path().join("a")), 0o644);
}

#[tokio::test]
async fn a_folder_gets_its_mode_when_it_is_made_and_its_time_whenever_that_is_told() {
    let inbox = scratch();
    let server = Server::writable(inbox.path(), 1_000_000);
    let meta = |mode, s| Meta { mode: Some(mode), modified: tng_services::files::Mtime::new(s, 0) };
    make(&server, &safe("d/e"), meta(0o2750, 5)).await.expect("made");
    make(&server, &safe("d/e"), meta(0o777, -7)).await.expect("there");
    make(&server, &safe("shut"), meta(0o055, 5)).await.expect("made");
    assert_eq!(mode(&inbox.path().join("d/e")), 0o750);
    assert_eq!(mode(&inbox.path().join("shut")), 0o755, "this host can use it in any case");
    assert_eq!(fs::metadata(inbox.path().join("d/e")).expect("there").mtime(), -7);
}
