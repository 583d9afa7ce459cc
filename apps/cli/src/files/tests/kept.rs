//! What is kept of files and folders beside their bytes.

use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use super::draft::Draft;
use super::hashing::Hasher;
use super::uploads::send;
use super::*;
use tng_services::files::{Fragment, Step};

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
        send(&taker, from.path(), name, name, Over::Refuse).await.expect("sent");
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
    let part = draft_at(to.path(), "a");
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
    let meta = |mode, s| Meta { mode: Some(mode), modified: tng_services::files::Mtime::new(s, 0), holes: false };
    make(&server, &safe("d/e"), meta(0o2750, 5)).await.expect("made");
    make(&server, &safe("d/e"), meta(0o777, -7)).await.expect("there");
    make(&server, &safe("shut"), meta(0o055, 5)).await.expect("made");
    assert_eq!(mode(&inbox.path().join("d/e")), 0o750);
    assert_eq!(mode(&inbox.path().join("shut")), 0o755, "this host can use it in any case");
    assert_eq!(fs::metadata(inbox.path().join("d/e")).expect("there").mtime(), -7);
}

/// A tree as a peer lists it, and what it was made here.
async fn made(server: &Server, to: &Path) -> Result<Plan, Failure> {
    let Listed { entries, folder, .. } = list(server, &SafePath::root(), Look::default()).await?;
    lay(entries, folder, to)
}

fn lay(entries: Vec<Entry>, top: Meta, to: &Path) -> Result<Plan, Failure> {
    let base = Arc::new(Base::open(to.to_owned()).expect("a folder"));
    let mut plan = Plan::new(&SafePath::root(), entries, &base);
    let (links, folders) = (std::mem::take(&mut plan.links), std::mem::take(&mut plan.folders));
    let tree = Tree::make(&base, top, folders, (links, plan.same.clone()), REPLACING)?;
    for job in &plan.jobs {
        let Target::Destination(place) = &job.target else { panic!("a place") };
        let folder = place.folder().map_err(|error| Failure::write("opening", &error))?;
        // As the bytes of a file come: to a draft first.
        folder.take(&place.part, Some(beneath::For::Owner)).expect("made");
        folder.rename(&place.part, &place.name).expect("renamed");
    }
    tree.finish(|_, _| {})?;
    Ok(plan)
}

#[tokio::test]
async fn links_and_further_names_of_a_file_come_as_what_they_are() {
    let (from, to) = (scratch(), scratch());
    let path = |name: &str| from.path().join(name);
    fs::create_dir_all(path("d/e")).expect("made");
    fs::write(path("d/file"), b"once").expect("written");
    fs::hard_link(path("d/file"), path("d/e/other")).expect("linked");
    symlink("../file", path("d/e/up")).expect("linked");
    symlink("nowhere", path("dangling")).expect("linked");
    let server = Server::new(from.path());
    for _ in 0..2 {
        let plan = made(&server, to.path()).await.expect("made");
        assert_eq!((plan.jobs.len(), plan.same.len()), (1, 1));
        let inode = |name: &str| fs::metadata(to.path().join(name)).expect("there").ino();
        assert_eq!(inode("d/file"), inode("d/e/other"));
        // The file gives way to itself: what stands there is replaced.
        for (name, said) in [("d/e/up", "../file"), ("dangling", "nowhere")] {
            assert_eq!(fs::read_link(to.path().join(name)).expect("a link"), Path::new(said));
        }
    }
}

fn listed(kind: Kind, path: &str) -> Entry {
    Entry { kind, path: safe(path), size: 0, meta: Meta::default() }
}

fn link_to(path: &str, target: &str) -> Entry {
    listed(Kind::Link(LinkTarget::new(target).expect("a target")), path)
}

#[test]
fn a_server_that_lies_has_no_file_written_through_a_link_that_it_has_made() {
    let (above, outside) = (scratch(), scratch());
    let to = above.path().join("to");
    fs::create_dir(&to).expect("made");
    let out = outside.path().to_str().expect("text");
    // Links out are left out, by name; what comes through them goes to folders of the tree.
    let lies = vec![
        link_to("abs", out),
        listed(Kind::File, "abs/f"),
        link_to("up", ".."),
        listed(Kind::File, "up/f"),
        link_to("d/top", ".."),
        link_to("by", "d/top/.."),
        listed(Kind::File, "by/f"),
    ];
    let plan = lay(lies, Meta::default(), &to).expect("the tree alone");
    let left: Vec<&str> = plan.left_out.iter().map(|left| left.path().exact()).collect();
    assert_eq!(left, ["abs", "up", "by"]);
    // A link that stays inside, and a file through it: the folder is there first.
    let twice = vec![link_to("in", "d"), listed(Kind::File, "in/f")];
    assert_eq!(lay(twice, Meta::default(), &to).expect_err("a folder").exit, Exit::Write);
    assert!(to.join("in").is_dir() && !to.join("d/f").exists());
    // A link out that was here before leads nothing out either.
    symlink(outside.path(), to.join("mine")).expect("linked");
    lay(vec![listed(Kind::File, "mine/f")], Meta::default(), &to).expect_err("it leads out");
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
    assert_eq!(fs::read_dir(above.path()).expect("a folder").count(), 1);
}

#[tokio::test]
async fn a_peer_makes_no_link_out_and_replaces_none_unless_it_may() {
    let inbox = scratch();
    let server = Server::writable(inbox.path(), 10 * NAME_COST);
    let job = |path: &str, target: &str| {
        let target = LinkTarget::new(target).expect("a target");
        vec![LinkJob { path: safe(path), target, meta: Meta::default() }]
    };
    let send = async |path: &str, target: &str, over| {
        let mut unchanged = None;
        let told = |_: &LinkJob, ended: &Result<Stored, Failure>| unchanged = ended.clone().ok();
        link_all(&server, &job(path, target), over, told).await.map(|()| unchanged).map_err(|failure| failure.exit)
    };
    assert_eq!(send("d/l", "../f", Over::Refuse).await, Ok(Some(Stored::New)));
    assert_eq!(send("d/l", "../f", Over::Refuse).await, Ok(Some(Stored::Unchanged)));
    assert_eq!(send("d/l", "g", Over::Refuse).await, Err(Exit::Exists));
    assert_eq!(send("d/l", "g", REPLACE).await, Ok(Some(Stored::New)));
    assert_eq!(fs::read_link(inbox.path().join("d/l")).expect("a link"), Path::new("g"));
    assert_eq!(send("d", "x", REPLACE).await, Err(Exit::NotFound), "a folder is there");
    for out in ["/etc", "../..", "x/../../.."] {
        assert_eq!(send("d/out", out, REPLACE).await, Err(Exit::Denied), "{out}");
    }
    assert!(fs::symlink_metadata(inbox.path().join("d/out")).is_err());
}

#[tokio::test]
async fn holes_of_a_file_are_kept() {
    let (from, to) = (scratch(), scratch());
    let file = fs::File::create(from.path().join("a")).expect("made");
    file.set_len(64 << 20).expect("set");
    file.write_all_at(b"in the middle", 40_000_001).expect("written");
    file.sync_all().expect("safe");
    let held = |path: &Path| fs::metadata(path.join("a")).expect("there").blocks() * 512;
    assert!(held(from.path()) < 1 << 20, "control: this file system has holes");
    get(&Server::new(from.path()), "a", &to.path().join("a")).await.expect("fetched");
    fs::File::open(to.path().join("a")).expect("there").sync_all().expect("safe");
    assert!(held(to.path()) < 1 << 20, "{}", held(to.path()));
    assert_eq!(fs::read(from.path().join("a")).expect("there"), fs::read(to.path().join("a")).expect("there"));
}

/// Fetches `a` to where another file is that is older or newer, in one of the ways, as listed or alone.
async fn over(over: Over, is_newer: bool, is_listed: bool) -> (Result<Outcome, Exit>, Vec<(String, Vec<u8>)>) {
    let (from, to) = (scratch(), scratch());
    write(&from.path().join("a"), 1_000, 0o644);
    fs::write(to.path().join("a"), b"mine").expect("written");
    let time = SystemTime::UNIX_EPOCH - if is_newer { 2 * OLD } else { Duration::ZERO };
    fs::File::open(to.path().join("a")).expect("there").set_modified(time).expect("changed");
    let there = fs::metadata(from.path().join("a")).expect("there");
    let (size, meta) = if is_listed { (there.len(), Some(meta(&there))) } else { (0, None) };
    let job = Job { path: safe("a"), target: Target::place(&to.path().join("a")).expect("a place"), size, meta };
    let care = Care { over, ..FETCHED };
    let ended = fetch(&Server::new(from.path()), &job, care, &Dial::default(), &Arc::default()).await;
    let files = fs::read_dir(to.path()).expect("a folder").map(|entry| entry.expect("there").path());
    let mut files: Vec<_> = files
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), fs::read(&path).expect("there")))
        .collect();
    files.sort();
    (ended.map(|fetched| fetched.outcome).map_err(|failure| failure.exit), files)
}

#[tokio::test]
async fn another_file_that_is_there_stays_unless_it_is_said_that_it_may_go() {
    let named = |name: &str, bytes: &[u8]| (name.to_owned(), bytes.to_owned());
    let (mine, theirs) = (|| vec![named("a", b"mine")], || vec![named("a", &sample(1_000))]);
    let both = || vec![named("a", &sample(1_000)), named("a.~1~", b"mine")];
    for is_listed in [false, true] {
        assert_eq!(over(Over::Refuse, true, is_listed).await, (Err(Exit::Exists), mine()));
        assert_eq!(over(Over::Keep, true, is_listed).await, (Ok(Outcome::Kept), mine()));
        assert_eq!(over(Over::Update { backup: false }, false, is_listed).await, (Ok(Outcome::Kept), mine()));
        assert_eq!(over(Over::Update { backup: false }, true, is_listed).await, (Ok(Outcome::Fetched), theirs()));
        assert_eq!(over(REPLACE, false, is_listed).await, (Ok(Outcome::Fetched), theirs()));
        for over_backing_up in [Over::Replace { backup: true }, Over::Update { backup: true }] {
            assert_eq!(over(over_backing_up, true, is_listed).await, (Ok(Outcome::Fetched), both()));
        }
        assert_eq!(over(Over::Update { backup: true }, false, is_listed).await, (Ok(Outcome::Kept), mine()));
    }
}

#[test]
fn what_is_backed_up_takes_no_name_that_something_has() {
    let folder = scratch();
    let base = Base::open(folder.path().to_owned()).expect("a folder");
    for n in 1..4 {
        fs::write(folder.path().join("a"), [n]).expect("written");
        base.folder.back_up("a".as_ref()).expect("backed up");
        fs::remove_file(folder.path().join("a")).expect("there");
    }
    base.folder.back_up("a".as_ref()).expect("there is nothing");
    for n in 1..4 {
        assert_eq!(fs::read(folder.path().join(format!("a.~{n}~"))).expect("there"), [n]);
    }
}

#[tokio::test]
async fn a_file_of_the_same_size_and_time_is_not_asked_for_unless_its_content_is_to_be_compared() {
    let (from, to) = (scratch(), scratch());
    let server = Server::new(from.path());
    write(&from.path().join("a"), 1_000, 0o750);
    write(&to.path().join("a"), 1_000, 0o600);
    fs::OpenOptions::new()
        .write(true)
        .open(to.path().join("a"))
        .expect("there")
        .write_all_at(b"!", 5)
        .expect("written");
    let there = fs::metadata(from.path().join("a")).expect("there");
    fs::File::open(to.path().join("a")).expect("there").set_modified(there.modified().expect("a time")).expect("set");
    let target = Target::place(&to.path().join("a")).expect("a place");
    let job = Job { path: safe("a"), target, size: 1_000, meta: Some(meta(&there)) };
    for (checksum, ends) in [(false, Ok(Outcome::Unchanged)), (true, Err(Exit::Exists))] {
        let care = Care { checksum, ..FETCHED };
        let ended = fetch(&server, &job, care, &Dial::default(), &Arc::default()).await;
        assert_eq!(ended.map(|fetched| fetched.outcome).map_err(|failure| failure.exit), ends);
        assert_eq!(server.moved.load(Ordering::Relaxed) > 0, checksum);
        assert_eq!(mode(&to.path().join("a")), 0o750, "its mode is that of the other all the same");
    }
}

#[tokio::test]
async fn a_draft_that_somebody_else_removes_or_writes_to_never_gets_the_name() {
    type Meddle = fn(&Path);
    let meddling: [(&str, Meddle); 4] = [
        ("removed", |part| fs::remove_file(part).expect("there")),
        ("removed", |part| {
            fs::remove_file(part).expect("there");
            fs::write(part, b"abc").expect("written");
        }),
        ("written", |part| {
            let file = fs::OpenOptions::new().write(true).open(part).expect("there");
            file.write_all_at(b"more", 1).expect("written");
        }),
        ("written", |part| {
            let file = fs::OpenOptions::new().write(true).open(part).expect("there");
            file.write_all_at(b"x", 1).expect("written");
        }),
    ];
    let have = |bytes: &[u8]| {
        let mut fragment = Fragment::new();
        fragment.update(bytes);
        fragment.have()
    };
    for (nth, (how, meddle)) in meddling.into_iter().enumerate() {
        for later in [false, true] {
            let to = scratch();
            let target = Target::place(&to.path().join("a")).expect("a place");
            let (mut draft, _) = Draft::open(target, FETCHED, Hasher::Own, |_| {}).await.expect("opened");
            draft.take(&Step::Begin { size: 6, offset: 0, meta: Meta::default() }).expect("begun");
            draft.take(&Step::Write(b"abc")).expect("written");
            // Clocks of file systems have coarse steps.
            tokio::time::sleep(Duration::from_millis(30)).await;
            meddle(&draft_at(to.path(), "a"));
            if later {
                tokio::time::sleep(LOOK_TIME).await;
            }
            let mut ended = draft.trust(false, || have(b"abc"));
            if ended.is_ok() && !later {
                draft.take(&Step::Write(b"def")).expect("not looked for yet");
                ended = draft.trust(true, || have(b"abcdef"));
            }
            let failure = Failure::from(ended.expect_err("noticed"));
            assert!(failure.why.contains(how), "{nth} {later}: {failure}");
            assert!(!to.path().join("a").exists());
        }
    }
}

#[tokio::test]
async fn a_draft_whose_time_alone_has_changed_is_read_again_and_goes_on() {
    let to = scratch();
    let target = Target::place(&to.path().join("a")).expect("a place");
    let (mut draft, _) = Draft::open(target, FETCHED, Hasher::Own, |_| {}).await.expect("opened");
    draft.take(&Step::Begin { size: 3, offset: 0, meta: Meta::default() }).expect("begun");
    draft.take(&Step::Write(b"abc")).expect("written");
    fs::File::open(draft_at(to.path(), "a")).expect("there").set_modified(SystemTime::UNIX_EPOCH).expect("set");
    let mut fragment = Fragment::new();
    fragment.update(b"abc");
    draft.trust(true, || fragment.have()).expect("it is what it was");
    let done = draft.take(&Step::Done { hash: fragment.hash() }).expect("done").expect("whole");
    assert_eq!((done.outcome, fs::read(to.path().join("a")).expect("there")), (Outcome::Fetched, b"abc".to_vec()));
}
