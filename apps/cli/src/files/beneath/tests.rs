use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tempfile::TempDir;
use tng_services::files::{Meta, Step};

use super::*;
use crate::files::draft::{Care, Draft, FETCHED};
use crate::files::hashing::Hasher;
use crate::files::{Quota, Root, Target};

fn safe(path: &str) -> SafePath {
    SafePath::parse(path).expect("a safe path")
}

fn scratch() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// The same folder by both ways that keep paths below it.
fn both(path: &Path) -> [Folder; 2] {
    let folder = Folder::open(path).expect("a folder");
    [folder.clone(), folder.in_steps()]
}

fn errno(opened: io::Result<impl Sized>) -> Option<Errno> {
    opened.err().and_then(|error| Errno::from_io_error(&error))
}

#[test]
fn this_kernel_keeps_paths_below_a_folder_itself() {
    // Linux 5.6 is older than anything that this is built on; without it the other half of these tests would be all.
    assert_eq!(Folder::open(scratch().path()).expect("a folder").way, Way::Kernel);
}

#[test]
fn paths_and_links_stay_below_their_folder_by_either_way() {
    let (outside, base) = (scratch(), scratch());
    fs::write(outside.path().join("secret"), b"secret").expect("written");
    fs::create_dir_all(base.path().join("a/b")).expect("made");
    fs::write(base.path().join("a/b/file"), b"inside").expect("written");
    let out = outside.path().file_name().expect("a name").to_string_lossy().into_owned();
    for (target, link) in [
        ("a/b".to_owned(), "down"),
        ("b/../b/./file".to_owned(), "a/round"),
        ("../../a/b/file".to_owned(), "a/b/up"),
        ("down/file".to_owned(), "twice"),
        (format!("../{out}/secret"), "a_step_out"),
        (format!("../../../../{out}"), "a/b/far_out"),
        (outside.path().join("secret").display().to_string(), "absolute"),
        (base.path().join("a/b/file").display().to_string(), "absolute_inside"),
        ("/proc/self/root".to_owned(), "magic"),
        ("self".to_owned(), "self"),
        ("nowhere".to_owned(), "dangling"),
    ] {
        symlink(target, base.path().join(link)).expect("linked");
    }
    for folder in both(base.path()) {
        let read = |path: &str, links| {
            let mut text = String::new();
            folder.file(&safe(path), links)?.read_to_string(&mut text)?;
            io::Result::Ok(text)
        };
        for path in ["a/b/file", "down/file", "a/round", "a/b/up", "twice"] {
            assert_eq!(read(path, Links::Inside).expect(path), "inside");
            assert!(folder.look(&safe(path), Links::Inside).expect(path).is_file());
        }
        assert_eq!(read("a/b/file", Links::None).expect("no link"), "inside");
        for path in ["down/file", "a/round", "twice"] {
            assert_eq!(errno(read(path, Links::None)), Some(Errno::LOOP), "{path}");
            assert_eq!(errno(folder.look(&safe(path), Links::None)), Some(Errno::LOOP), "{path}");
        }
        for path in ["a_step_out", "a/b/far_out/secret", "absolute", "absolute_inside", "magic/etc/passwd", "self"] {
            let error = read(path, Links::Inside).expect_err(path);
            assert!(leads_out(&error), "{path}: {error}");
            assert!(leads_out(&folder.look(&safe(path), Links::Inside).expect_err(path)), "{path}");
        }
        assert_eq!(errno(read("dangling", Links::Inside)), Some(Errno::NOENT));
        assert_eq!(errno(folder.folder(&safe("a/b/file"), Links::Inside)), Some(Errno::NOTDIR));
        assert!(folder.folder(&safe("down"), Links::Inside).expect("a folder").entry("file".as_ref()).is_ok());
        assert!(folder.look(&SafePath::root(), Links::None).expect("itself").is_dir());
    }
}

#[test]
fn folders_are_made_below_and_nowhere_else() {
    let (outside, base) = (scratch(), scratch());
    symlink(outside.path(), base.path().join("out")).expect("linked");
    fs::create_dir(base.path().join("in")).expect("made");
    symlink("in", base.path().join("link")).expect("linked");
    for (i, folder) in both(base.path()).into_iter().enumerate() {
        let (made, changed) =
            folder.made(&safe(&format!("x{i}/y/z")), Links::None, None, |_, _| true).expect("made").expect("allowed");
        assert_eq!((made.names(0).expect("a folder").count(), changed.len()), (0, 3));
        assert!(folder.made(&safe(&format!("n{i}")), Links::None, None, |_, _| false).expect("asked").is_none());
        assert!(leads_out(&folder.made(&safe("out/x"), Links::Inside, None, |_, _| true).expect_err("out")));
        assert!(leads_out(&folder.made(&safe("link/x"), Links::None, None, |_, _| true).expect_err("a link")));
        folder.made(&safe(&format!("link/x{i}")), Links::Inside, None, |_, _| true).expect("made").expect("allowed");
        assert!(base.path().join(format!("in/x{i}")).is_dir());
    }
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
}

#[test]
fn a_name_that_is_taken_stays_so() {
    let base = scratch();
    let folder = Folder::open(base.path()).expect("a folder");
    fs::write(base.path().join("new"), b"new").expect("written");
    fs::write(base.path().join("old"), b"old").expect("written");
    let error = folder.rename_to_free("new".as_ref(), "old".as_ref()).expect_err("taken");
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    folder.rename_to_free("new".as_ref(), "free".as_ref()).expect("renamed");
    folder.rename("free".as_ref(), "old".as_ref()).expect("renamed");
    assert_eq!(fs::read(base.path().join("old")).expect("there"), b"new");
}

/// What came of many attempts beside somebody who swaps a folder for a link to outside and back, as fast as can be.
#[derive(Default, Debug)]
struct Race {
    /// Attempts that found the folder.
    inside: u32,
    /// That found a link in its place, and were refused.
    refused: u32,
    /// That read something outside.
    read_outside: u32,
    /// Files that were written outside.
    written_outside: usize,
}

impl Race {
    fn is_lost(&self) -> bool {
        self.read_outside > 0 && self.written_outside > 0
    }
}

/// Fetches `d/file` and puts `d/new`, again and again, until `enough`.
fn race(change: impl Fn(Folder) -> Folder, enough: impl Fn(u32, &Race) -> bool) -> Race {
    let (outside, base) = (scratch(), scratch());
    fs::write(outside.path().join("file"), b"secret").expect("written");
    fs::create_dir(base.path().join("d")).expect("made");
    fs::write(base.path().join("d/file"), b"inside").expect("written");
    symlink(outside.path(), base.path().join("link")).expect("linked");
    let root = Root::new(base.path()).expect("a folder").with_folder(change);
    let quota = Arc::new(Quota::new(u64::MAX));
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let mut race = Race::default();
    let (stop, swaps) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let at = Folder::open(base.path()).expect("a folder").fd;
            while !stop.load(Ordering::Relaxed) {
                rustix::fs::renameat_with(&at, "d", &at, "link", RenameFlags::EXCHANGE).expect("swapped");
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        let (mut attempts, mut swapped) = (0, 0);
        while !enough(attempts, &race) {
            // Those do not count in which the other one, who may wait for a processor, did nothing.
            let now = swaps.load(Ordering::Relaxed);
            attempts += u32::from(now != swapped);
            swapped = now;
            let mut text = String::new();
            match root.file(&safe("d/file")) {
                Ok(mut file) => {
                    file.read_to_string(&mut text).expect("read");
                    race.inside += u32::from(text == "inside");
                    race.read_outside += u32::from(text == "secret");
                }
                Err(_) => race.refused += 1,
            }
            let name = format!("d/new{}", attempts % 50);
            let Ok((place, _paid)) = root.place(&safe(&name), &quota, false) else { continue };
            let care = Care { sync: false, over: Over::Replace { backup: false }, ..FETCHED };
            let put = runtime.block_on(async {
                let (mut draft, _) = Draft::open(Target::Destination(place), care, Hasher::Own, |_| {}).await?;
                draft.take(&Step::Begin { size: 3, offset: 0, meta: Meta::default() })?;
                draft.take(&Step::Write(b"new"))?;
                draft.take(&Step::Done { hash: [0; 32] })
            });
            let _ = put;
            race.written_outside = fs::read_dir(outside.path()).expect("a folder").count() - 1;
        }
        stop.store(true, Ordering::Relaxed);
    });
    println!("{race:?}");
    race
}

const ATTEMPTS: u32 = 2_000;
/// The control stops when it has seen the damage, which takes it some ten attempts.
const ATTEMPTS_MAX: u32 = 200_000;

#[test]
fn a_folder_that_is_swapped_for_a_link_while_files_are_fetched_and_put_leads_nowhere() {
    for steps in [false, true] {
        // Until both sides of the race have been met, and often.
        let enough = |attempts, race: &Race| {
            attempts >= ATTEMPTS && (attempts >= ATTEMPTS_MAX || race.inside.min(race.refused) > 20)
        };
        let kept = race(|folder| if steps { folder.in_steps() } else { folder }, enough);
        assert_eq!((kept.read_outside, kept.written_outside), (0, 0), "{kept:?}");
        assert!(kept.inside > 20 && kept.refused > 20, "it was a race: {kept:?}");
    }
}

#[test]
fn who_checks_a_path_and_then_opens_it_is_led_out() {
    let lost = race(Folder::checked_first, |attempts, race| race.is_lost() || attempts >= ATTEMPTS_MAX);
    assert!(lost.is_lost(), "{lost:?}");
}

#[test]
fn a_pipe_or_a_link_in_the_place_of_a_scratch_file_is_not_taken() {
    let base = scratch();
    let folder = Folder::open(base.path()).expect("a folder");
    fs::write(base.path().join("mine"), b"mine").expect("written");
    symlink("mine", base.path().join("link")).expect("linked");
    rustix::fs::mkfifoat(&folder.fd, "pipe", Mode::from_raw_mode(0o600)).expect("made");
    fs::create_dir(base.path().join("d")).expect("made");
    for name in ["link", "pipe", "d"] {
        assert!(matches!(folder.take(name.as_ref(), Some(For::All)), Ok(Taken::NoFile)), "{name}");
    }
    let Ok(Taken::File(mut file)) = folder.take("new".as_ref(), Some(For::All)) else { panic!("made") };
    file.write_all(b"x").expect("written");
    assert!(matches!(folder.take("new".as_ref(), Some(For::All)), Ok(Taken::Locked)));
    assert!(matches!(folder.take("absent".as_ref(), None), Ok(Taken::Missing)));
}

#[test]
fn a_walk_in_steps_is_as_deep_as_can_be_and_holds_few_folders_open() {
    let base = scratch();
    let deep = vec!["d"; 500].join("/");
    fs::create_dir_all(base.path().join(&deep)).expect("made");
    fs::write(base.path().join(&deep).join("file"), b"deep").expect("written");
    let up = |levels: usize| format!("{}file", "../".repeat(levels) + &"d/".repeat(levels));
    // The link stands in the last folder, which is held as well.
    for (name, levels) in [("near", STEPS_HELD_MAX - 1), ("far", STEPS_HELD_MAX)] {
        symlink(up(levels), base.path().join(&deep).join(name)).expect("linked");
    }
    let [kernel, steps] = both(base.path());
    let at = |folder: &Folder, name: &str| folder.look(&safe(&format!("{deep}/{name}")), Links::Inside);
    assert!(at(&steps, "file").is_ok() && at(&steps, "near").is_ok());
    assert_eq!(errno(at(&steps, "far")), Some(Errno::LOOP));
    // Whatever is renamed on the machine meanwhile, as by the tests beside this one, makes the kernel ask for another
    // try.
    let far = core::iter::repeat_with(|| errno(at(&kernel, "far").map(drop))).find(|far| *far != Some(Errno::AGAIN));
    assert_eq!(far, Some(None), "control: it leads nowhere else");
    let mut entered = Entered::default();
    for _ in 0..500 {
        entered.enter(fs::File::open(base.path()).expect("a folder").into());
    }
    assert_eq!(entered.held.len(), STEPS_HELD_MAX);
    assert!((1..STEPS_HELD_MAX).all(|_| entered.leave().is_ok()));
    assert_eq!(entered.leave(), Err(Errno::LOOP), "what is above is not taken for the top");
    assert_eq!(Entered::default().leave(), Err(Errno::XDEV));
}
