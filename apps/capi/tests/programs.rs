//! Programs in C, built with `cc` and run: the examples, and a caller that does everything wrong, under valgrind where
//! it is. `TNG_NEED_VALGRIND=1` takes its absence for a failure.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "these are tests")]

mod place;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use tng::trickles::{ClientConfig, ObjectOptions, Policy, SKEW_MAX};
use tng::{Endpoint, StatelessClient, Ticket};
use tng_base::Rng;

use place::Place;

/// The root of the project.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Where this test's libraries are.
fn libraries() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// Builds a program as C11 without a warning, linked when it runs or now.
fn build(place: &Place, source: &str, is_static: bool) -> PathBuf {
    let program = place.path(Path::new(source).file_stem().unwrap().to_str().unwrap());
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]);
    cc.arg(root().join("apps/capi/include")).arg("-o").arg(&program).arg(root().join(source));
    match is_static {
        true => {
            cc.arg(libraries().join("libtng_msk.a")).args(["-lm", "-ldl", "-lpthread", "-lrt", "-lutil", "-lgcc_s"])
        }
        false => cc.arg("-L").arg(libraries()).arg(format!("-Wl,-rpath,{}", libraries().display())).arg("-ltng_msk"),
    };
    let built = cc.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    program
}

/// Whether valgrind is there.
fn has_valgrind() -> bool {
    let is_there = Command::new("valgrind").arg("--version").output().is_ok_and(|answer| answer.status.success());
    assert!(is_there || std::env::var_os("TNG_NEED_VALGRIND").is_none(), "valgrind is needed and not there");
    is_there
}

/// How a program is run.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Alone,
    Watched,
}

fn command(way: Way, program: &Path, arguments: &[&Path]) -> Command {
    let mut command = match way {
        Way::Alone => Command::new(program),
        Way::Watched => {
            let mut valgrind = Command::new("valgrind");
            valgrind.args(["--quiet", "--error-exitcode=99", "--leak-check=full"]);
            valgrind.args(["--errors-for-leak-kinds=definite,possible", "--show-leak-kinds=definite,possible"]);
            valgrind.arg(format!("--suppressions={}", root().join(".ci/valgrind.supp").display()));
            valgrind.arg(program);
            valgrind
        }
    };
    command.args(arguments).stdin(Stdio::null());
    command
}

/// A server, killed when dropped.
struct Serving {
    child: Child,
    /// It stays open: who writes to a pipe that nobody reads is ended.
    says: BufReader<ChildStdout>,
    ticket: Ticket,
}

impl Serving {
    fn start(mut command: Command) -> Serving {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut says = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        says.read_line(&mut line).unwrap();
        let ticket = line.trim().parse().unwrap_or_else(|_| {
            let mut why = String::new();
            child.stderr.take().unwrap().read_to_string(&mut why).unwrap();
            panic!("it says {line:?} and {why}");
        });
        Serving { child, says, ticket }
    }

    fn files(way: Way, program: &Path, place: &Place, address: &str) -> Serving {
        let arguments = [&place.path("photos"), Path::new(address), &place.path("key"), &place.path("epochs")];
        Serving::start(command(way, program, &arguments))
    }

    /// Ends it with a signal, and answers what it said; it was fine.
    fn end(mut self) -> String {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(self.child.wait().unwrap().success(), "{said}");
        said
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn fill(place: &Place, name: &str, len: usize) -> Vec<u8> {
    let mut data = vec![0; len];
    Rng::from_u64(len as u64).fill(&mut data);
    fs::create_dir_all(place.path("photos")).unwrap();
    fs::write(place.path("photos").join(name), &data).unwrap();
    data
}

fn client(ticket: &Ticket) -> StatelessClient {
    Endpoint::builder().stateless(ticket.into(), Policy::Stay, ClientConfig::default()).unwrap()
}

/// What asks a server of files for a file (docs/wire.md section 6.1).
fn asking(what: u8, path: &str) -> Vec<u8> {
    [&[what, 0], path.as_bytes()].concat()
}

/// Fetches an object, whose first bytes `begun` is told of.
async fn fetch(client: &StatelessClient, asking: Vec<u8>, mut begun: impl FnMut(usize)) -> Result<Vec<u8>, String> {
    let mut object = client.ask(asking, ObjectOptions::default()).unwrap();
    let (mut all, mut piece) = (Vec::new(), vec![0; 1 << 16]);
    let patience = Duration::from_secs(120);
    loop {
        match tokio::time::timeout(patience, object.read(&mut piece)).await.expect("it goes on") {
            Ok(0) => return Ok(all),
            Ok(len) => all.extend_from_slice(&piece[..len]),
            Err(why) => return Err(why.to_string()),
        }
        begun(all.len());
    }
}

/// What a server of files tells of the hash of a file, once it has computed it.
async fn hash(client: &StatelessClient, path: &str) -> Vec<u8> {
    for _ in 0..200 {
        match fetch(client, asking(3, path), |_| ()).await {
            Err(why) if why.contains("too much to do") => tokio::time::sleep(Duration::from_millis(50)).await,
            told => return told.unwrap(),
        }
    }
    panic!("it does not come to hash it");
}

#[test]
fn a_caller_that_does_everything_wrong_is_refused_and_harms_nothing() {
    let place = Place::new();
    for is_static in [false, true] {
        let program = build(&place, "apps/capi/tests/c/bad.c", is_static);
        let watched = if has_valgrind() && !is_static { &[Way::Alone, Way::Watched][..] } else { &[Way::Alone] };
        for way in watched {
            let ended = command(*way, &program, &[&place.path("key"), &place.path("epochs")]).output().unwrap();
            let (said, wrong) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
            assert!(ended.status.success() && said == "all of it was refused\n", "{said}{wrong}");
        }
    }
}

#[tokio::test]
async fn the_file_server_hands_out_files_whole_and_goes_on_when_it_is_killed_in_the_middle() {
    let place = Place::new();
    let program = build(&place, "examples/stateless/c/files.c", false);
    let (large, small, none) = (fill(&place, "large", 6_000_000), fill(&place, "small", 300), fill(&place, "none", 0));
    let mut serving = Serving::files(Way::Alone, &program, &place, "127.0.0.1:0");
    let address = serving.ticket.addresses()[0].to_string();
    let client = client(&serving.ticket);
    assert!(fetch(&client, asking(1, "small"), |_| ()).await.unwrap() == small);
    assert!(fetch(&client, asking(1, "none"), |_| ()).await.unwrap() == none);
    let mut kills = 0;
    let got = fetch(&client, asking(1, "large"), |len| {
        if len > 1_000_000 * (kills + 1) && kills < 3 {
            kills += 1;
            serving.child.kill().unwrap();
            serving.child.wait().unwrap();
            serving = Serving::files(Way::Alone, &program, &place, &address);
        }
    });
    assert!(got.await.unwrap() == large);
    assert_eq!((kills, client.stats().connections), (3, 1), "no connection was begun anew");
    // Size and time, and the hash, in messages of files.
    let hashed = hash(&client, "large").await;
    assert_eq!(hashed[hashed.len() - 32..], *blake3::hash(&large).as_bytes());
    assert_eq!(fetch(&client, asking(4, "small"), |_| ()).await.unwrap()[..10], [16, 33, 0xc0, 0, 0, 0, 0, 0, 1, 44]);
    for (asking, words) in [
        (asking(1, "gone"), "no such file"),
        (asking(1, "../key"), "cannot be opened"),
        (asking(1, "/etc/passwd"), "cannot be opened"),
        (asking(1, "."), "no such file"),
        (asking(2, ""), "lists nothing"),
        (asking(9, "small"), "nothing that is known"),
        (vec![1], "nothing that is known"),
        (asking(1, &"x".repeat(500)), "too long"),
    ] {
        let why = fetch(&client, asking.clone(), |_| ()).await.unwrap_err();
        assert!(why.contains(words), "{asking:?}: {why}");
    }
    std::os::unix::fs::symlink(place.path("key"), place.path("photos/link")).unwrap();
    assert!(fetch(&client, asking(1, "link"), |_| ()).await.unwrap_err().contains("cannot be opened"));
    let said = serving.end();
    assert!(said.contains("requests answered"), "{said}");
}

#[tokio::test]
async fn a_file_that_changes_in_the_middle_is_told() {
    let place = Place::new();
    let program = build(&place, "examples/stateless/c/files.c", false);
    fill(&place, "large", 12_000_000);
    let serving = Serving::files(Way::Alone, &program, &place, "127.0.0.1:0");
    let client = client(&serving.ticket);
    let why = fetch(&client, asking(1, "large"), |_| {
        fs::write(place.path("photos/large"), b"another").unwrap();
    });
    let why = why.await.unwrap_err();
    assert!(why.contains("changed meanwhile"), "{why}");
}

#[tokio::test]
async fn the_file_server_keeps_to_its_memory() {
    if !has_valgrind() {
        return;
    }
    let place = Place::new();
    let program = build(&place, "examples/stateless/c/files.c", false);
    let data = fill(&place, "file", 1_100_000);
    let serving = Serving::files(Way::Watched, &program, &place, "127.0.0.1:0");
    let client = client(&serving.ticket);
    assert!(fetch(&client, asking(1, "file"), |_| ()).await.unwrap() == data);
    let hashed = hash(&client, "file").await;
    assert_eq!(hashed[hashed.len() - 32..], *blake3::hash(&data).as_bytes());
    assert!(fetch(&client, asking(1, "gone"), |_| ()).await.is_err());
    serving.end();
}

#[test]
fn a_cart_lies_with_its_client_and_each_item_is_added_once() {
    let place = Place::new();
    let program = build(&place, "examples/stateless/c/cart.c", false);
    let ways = if has_valgrind() { &[Way::Alone, Way::Watched][..] } else { &[Way::Alone] };
    for way in ways {
        let (key, epochs) = (place.path("key"), place.path("epochs"));
        let arguments = [Path::new("serve"), Path::new("127.0.0.1:0"), &key, &epochs];
        let serving = Serving::start(command(*way, &program, &arguments));
        let (ticket, file) = (serving.ticket.to_string(), place.path("mine"));
        let add = |items: &[&str]| {
            let arguments = [&["add", &ticket, file.to_str().unwrap()], items].concat();
            let arguments: Vec<&Path> = arguments.iter().map(Path::new).collect();
            // One under valgrind at a time: a client waits for a server for ten seconds. The first test watches
            // clients.
            let ended = command(Way::Alone, &program, &arguments).output().unwrap();
            (ended.status.success(), [ended.stdout, ended.stderr].concat())
        };
        let text = |ended: (bool, Vec<u8>)| (ended.0, String::from_utf8(ended.1).unwrap());
        assert_eq!(text(add(&["mug=2", "song-1"])), (true, "mug 2\nsong-1 1\n".to_owned()));
        // Nine lines and the cart, taken four at a time.
        let more = ["cup-0", "cup-1", "cup-2", "cup-0", "cup-1", "cup-2", "cup-0", "mug=3", "cup-1"];
        let whole = "song-1 1\ncup-2 2\ncup-0 3\nmug 5\ncup-1 3\n";
        assert_eq!(text(add(&more)), (true, whole.to_owned()));
        for (items, words) in [(&["mug=0"][..], "of the kind"), (&["Mug=1"], "of the kind"), (&["mug=9999"], "full")] {
            let (is_fine, said) = text(add(items));
            assert!(!is_fine && said.contains(words), "{said}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), whole, "what is refused changes nothing");
        fs::remove_file(&file).unwrap();
        serving.end();
    }
}

#[tokio::test]
async fn what_one_process_has_taken_another_answers() {
    let place = Place::new();
    let program = build(&place, "apps/capi/tests/c/elsewhere.c", false);
    let mut serving = Serving::start(command(Way::Alone, &program, &[&place.path("key"), &place.path("epochs")]));
    let mut other = String::new();
    serving.says.read_line(&mut other).unwrap();
    let other: Ticket = other.trim().parse().unwrap();
    assert_ne!(serving.ticket.addresses(), other.addresses());
    // What was given out less than the skew after a server has started may have been spent before, to that server.
    tokio::time::sleep(SKEW_MAX + Duration::from_millis(200)).await;
    // It takes answers from the servers that its ticket names.
    let addresses = [serving.ticket.addresses(), other.addresses()].concat();
    let both = Ticket::new(other.eid(), addresses, other.capability().to_vec()).unwrap();
    let client = client(&both);
    let text = async |what: &str| {
        let told = fetch(&client, what.into(), |_| ()).await.unwrap();
        String::from_utf8(told).unwrap().split(' ').map(str::to_owned).collect::<Vec<_>>()
    };
    let here = text("first").await;
    assert_eq!(here[..2], ["first", "here"], "what opens a connection stays where it came");
    for what in ["second", "third", "fourth"] {
        let elsewhere = text(what).await;
        assert_eq!(elsewhere[..2], [what, "elsewhere"]);
        assert_ne!(elsewhere[2], here[2], "these are two processes");
    }
    assert_eq!(client.stats().connections, 1);
}

#[test]
fn pkg_config_says_how_to_build_with_it() {
    if Command::new("pkg-config").arg("--version").output().is_err() {
        return;
    }
    let place = Place::new();
    let (lib, include) = (place.path("lib"), place.path("include"));
    fs::create_dir(&lib).unwrap();
    fs::create_dir(&include).unwrap();
    std::os::unix::fs::symlink(libraries().join("libtng_msk.so"), lib.join("libtng_msk.so")).unwrap();
    fs::copy(root().join("apps/capi/include/tng_msk.h"), include.join("tng_msk.h")).unwrap();
    let said = fs::read_to_string(root().join("apps/capi/tng_msk.pc.in")).unwrap();
    let said =
        said.replace("@PREFIX@", place.0.path().to_str().unwrap()).replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    fs::write(place.path("tng_msk.pc"), said).unwrap();
    let built = Command::new("make")
        .current_dir(place.0.path())
        .args(["-f".as_ref(), root().join("examples/stateless/c/Makefile").as_os_str()])
        .env("PKG_CONFIG_PATH", place.0.path())
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    for program in ["files", "cart"] {
        let ended = Command::new(place.path(program)).env("LD_LIBRARY_PATH", &lib).output().unwrap();
        assert_eq!(ended.status.code(), Some(2), "it says how to call it");
    }
}
