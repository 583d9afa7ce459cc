//! What a server keeps for itself where it lies in the folder that is served (attack 40 of docs/attacks.md).

use std::os::unix::fs::symlink;

use super::*;

const OWN: [&str; 5] = ["key", "key.place", "key.tickets", "key.tickets.lock", "key.photos-12ab.ticket"];

/// A folder with a key in it, what stands beside it, links of both kinds to two of these, and files of like names.
pub(super) fn folder() -> tempfile::TempDir {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("d")).expect("made");
    for name in OWN {
        fs::write(path("d").join(name), name).expect("written");
    }
    fs::hard_link(path("d/key"), path("hard")).expect("linked");
    symlink("d/key.tickets", path("soft")).expect("linked");
    for like in ["key", "d/key.txt", "d/keys"] {
        fs::write(path(like), b"of the user").expect("written");
    }
    folder
}

fn root(folder: &Path, keeps: bool) -> Root {
    let root = Root::new(folder).expect("a folder");
    if keeps { root.without(Own::beside(&folder.join("d/key")).expect("there")) } else { root }
}

pub(super) fn server(folder: &Path, keeps: bool) -> Server {
    let uploads = Uploads { quota: Arc::new(Quota::new(100_000_000)), over: REPLACE, remove: true, sync: false };
    Server::of(root(folder, keeps), Some(uploads))
}

async fn bring(server: &Server, to: &str) -> Result<Fetched, Failure> {
    let from = scratch();
    fs::write(from.path().join("a"), b"forged").expect("written");
    uploads::send(server, from.path(), "a", to, REPLACE).await
}

#[tokio::test]
async fn a_servers_own_files_are_neither_listed_nor_read_under_any_name() {
    let (served, to) = (folder(), scratch());
    let own: Vec<String> = OWN.iter().map(|name| format!("d/{name}")).chain(["hard".into(), "soft".into()]).collect();
    for keeps in [true, false] {
        let server = server(served.path(), keeps);
        let listed = list(&server, &SafePath::root(), Look::default()).await.expect("listed");
        let left = listed.left_out.iter().filter(|left| left.why == LeftOutWhy::Own).count();
        let users = ["key", "d/key.txt", "d/keys"];
        for name in own.iter().map(String::as_str).chain(users) {
            let kept = keeps && !users.contains(&name);
            let got = get(&server, name, &to.path().join("x")).await;
            assert_eq!(got.is_err_and(|failure| failure.exit == Exit::Denied), kept, "{name}");
            assert_eq!(listed.entries.iter().any(|entry| entry.path.as_str() == name), !kept, "{name}");
            let _ = fs::remove_file(to.path().join("x"));
        }
        // Control: who keeps nothing back hands out its key.
        let expected = if keeps { (own.len(), own.len() as u64) } else { (0, 0) };
        assert_eq!((left, listed.skipped), expected);
    }
}

#[tokio::test]
async fn a_servers_own_files_are_neither_replaced_nor_made() {
    for keeps in [true, false] {
        let served = folder();
        let server = server(served.path(), keeps);
        // These have yet to be made.
        for name in ["key.place", "key.tickets", "key.tickets.lock"] {
            fs::remove_file(served.path().join("d").join(name)).expect("removed");
        }
        for name in OWN.iter().map(|name| format!("d/{name}")).chain(["hard".to_owned()]) {
            let brought = bring(&server, &name).await;
            // Control: who keeps nothing back has its list of tickets forged.
            assert_eq!(brought.is_err_and(|failure| failure.exit == Exit::Denied), keeps, "{name}");
            let forged = fs::read(served.path().join(&name)).is_ok_and(|data| data == b"forged");
            assert_eq!(forged, !keeps, "{name}");
        }
        let _ = fs::remove_file(served.path().join("d/key.tickets"));
        let in_its_place = [
            make(&server, &safe("d/key.tickets"), Meta::default()).await,
            bring(&server, "d/key.tickets/x").await.map(drop),
        ];
        assert_eq!(in_its_place.iter().all(Result::is_err), keeps, "{in_its_place:?}");
        assert_eq!(served.path().join("d/key.tickets").exists(), !keeps);
        bring(&server, "d/key.txt").await.expect("no file of the server");
        bring(&server, "e/key.tickets").await.expect("another folder");
    }
}

#[tokio::test]
async fn a_list_of_tickets_that_was_written_anew_is_kept_back_as_well() {
    let (served, to) = (folder(), scratch());
    let server = server(served.path(), true);
    for i in 0..20 {
        let (new, list) = (served.path().join("d/new"), served.path().join("d/key.tickets"));
        fs::write(&new, format!("list {i}")).expect("written");
        fs::rename(new, list).expect("renamed");
        for name in ["soft", "d/key.tickets"] {
            assert_eq!(get(&server, name, &to.path().join("x")).await.expect_err(name).exit, Exit::Denied);
        }
    }
    // Made after the server began.
    fs::write(served.path().join("d/key.other-34cd.ticket"), b"tng1").expect("written");
    let new = get(&server, "d/key.other-34cd.ticket", &to.path().join("x")).await;
    assert_eq!(new.expect_err("kept").exit, Exit::Denied);
}
