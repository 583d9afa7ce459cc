//! Targets and sources that are no files: pipes, devices, sockets, links to them.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

use crate::bench::{Bench, Ended, Serving, same, signal, wait};

fn served(bench: &Bench) -> Serving {
    bench.write("a", 300_000, 1);
    bench.serve(&["a", "--bind", "127.0.0.1:0"])
}

fn mkfifo(bench: &Bench, name: &str) {
    assert!(Command::new("mkfifo").arg(bench.path(name)).status().expect("mkfifo runs").success());
}

/// A device like `/dev/null`; `false` where this user may not make one.
fn null_node(bench: &Bench, name: &str) -> bool {
    let made = Command::new("mknod").arg(bench.path(name)).args(["c", "1", "3"]).stderr(Stdio::null()).status();
    let usable = made.is_ok_and(|status| status.success())
        && File::options().write(true).open(bench.path(name)).and_then(|mut node| node.write_all(b"x")).is_ok();
    if !usable {
        println!("skipped: this user may not make a device, or not use one here");
    }
    usable
}

#[test]
fn a_device_is_written_to_and_stays_one() {
    let bench = Bench::new();
    let server = served(&bench);
    if null_node(&bench, "node") {
        symlink("node", bench.path("link")).expect("linked");
        for name in ["node", "link"] {
            let ended = bench.get(&["-o", name, &server.url]).expect(0);
            assert_eq!(ended.events("file")[0]["outcome"], "fetched");
        }
        let node = fs::symlink_metadata(bench.path("node")).expect("there");
        assert!(node.file_type().is_char_device() && node.rdev() == 0x103, "{node:?}");
        assert!(fs::symlink_metadata(bench.path("link")).expect("there").is_symlink());
        assert!(!bench.draft("node").exists() && !bench.draft("link").exists());
        bench.write("tree/b", 10, 2);
        let tree = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
        let ended = bench.get(&["-r", "-o", "node", &tree.url]).expect(23);
        assert!(ended.stderr().contains("making the folder node"), "{}", ended.stderr());
        assert!(fs::symlink_metadata(bench.path("node")).expect("there").file_type().is_char_device());
    }
    // Control: what is a file is replaced by another one.
    fs::write(bench.path("file"), b"old").expect("written");
    let before = fs::metadata(bench.path("file")).expect("there").ino();
    bench.get(&["--replace", "-o", "file", &server.url]).expect(0);
    assert_ne!(fs::metadata(bench.path("file")).expect("there").ino(), before);
}

#[test]
fn the_machines_own_devices_take_a_file_and_a_full_one_says_so() {
    let bench = Bench::new();
    let server = served(&bench);
    for (device, code) in [("/dev/null", 0), ("/dev/zero", 0), ("/dev/full", 23)] {
        bench.get(&["-o", device, &server.url]).expect(code);
        assert!(fs::symlink_metadata(device).expect("there").file_type().is_char_device(), "{device}");
    }
}

#[test]
fn a_pipe_that_nobody_reads_is_waited_for_and_that_is_said() {
    let bench = Bench::new();
    let server = served(&bench);
    mkfifo(&bench, "pipe");
    let mut command = bench.tng("client.key", &["get", "-o", "pipe", &server.url]);
    let said = File::create(bench.path("said")).expect("made");
    let mut client = command.stderr(said).spawn().expect("it runs");
    let says = || fs::read_to_string(bench.path("said")).unwrap_or_default();
    wait("what it waits for", || says().contains("waiting for somebody to read pipe"));
    assert!(client.try_wait().expect("it runs").is_none());
    let mut got = Vec::new();
    File::open(bench.path("pipe")).and_then(|mut pipe| pipe.read_to_end(&mut got)).expect("read");
    assert!(client.wait().expect("it ends").success(), "{}", says());
    assert!(got == fs::read(bench.path("a")).expect("there"));
    assert!(fs::symlink_metadata(bench.path("pipe")).expect("there").file_type().is_fifo());
}

#[test]
fn a_reader_of_a_pipe_that_stands_still_is_waited_for_and_that_is_said() {
    let bench = Bench::new();
    let server = served(&bench);
    mkfifo(&bench, "pipe");
    // Opened for both, so that opening waits for nobody; nothing is read.
    let mut pipe = File::options().read(true).write(true).open(bench.path("pipe")).expect("opened");
    let mut command = bench.tng("client.key", &["get", "-o", "pipe", &server.url]);
    let said = File::create(bench.path("said")).expect("made");
    let mut client = command.stderr(said).spawn().expect("it runs");
    let says = || fs::read_to_string(bench.path("said")).unwrap_or_default();
    wait("what it waits for", || says().contains("waiting for pipe to take more"));
    let mut got = vec![0; 300_000];
    pipe.read_exact(&mut got).expect("read");
    assert!(client.wait().expect("it ends").success(), "{}", says());
    assert!(got == fs::read(bench.path("a")).expect("there"));
}

#[test]
fn what_cannot_be_written_to_is_refused_by_its_kind_and_stays() {
    let bench = Bench::new();
    let server = served(&bench);
    let _socket = UnixListener::bind(bench.path("socket")).expect("bound");
    symlink("nowhere", bench.path("dangling")).expect("linked");
    fs::create_dir(bench.path("folder")).expect("made");
    for (name, why) in [("socket", "it is a socket"), ("dangling", "a link that leads nowhere")] {
        let ended = bench.get(&["-o", name, &server.url]).expect(23);
        assert!(ended.stderr().contains(why), "{}", ended.stderr());
    }
    assert!(fs::symlink_metadata(bench.path("socket")).expect("there").file_type().is_socket());
    assert!(fs::symlink_metadata(bench.path("dangling")).expect("there").is_symlink());
    bench.get(&["-o", "folder", &server.url]).expect(0);
    assert!(same(&bench.path("a"), &bench.path("folder/a")));
}

#[test]
fn a_link_to_a_file_stays_and_the_file_is_replaced() {
    let bench = Bench::new();
    let server = served(&bench);
    bench.write("deep/file", 10, 2);
    symlink("deep/file", bench.path("link")).expect("linked");
    bench.get(&["-o", "link", &server.url]).expect(73);
    bench.get(&["--replace", "-o", "link", &server.url]).expect(0);
    assert!(fs::symlink_metadata(bench.path("link")).expect("there").is_symlink());
    assert!(same(&bench.path("a"), &bench.path("deep/file")));
}

#[test]
fn stdout_by_its_other_name_is_stdout() {
    let bench = Bench::new();
    let server = served(&bench);
    let mut command = bench.tng("client.key", &["get", "-q", "-o", "/dev/stdout", &server.url]);
    let mut out = File::create(bench.path("out")).expect("made");
    out.write_all(b"before ").expect("written");
    let ended =
        Ended(command.stdout(out).stderr(Stdio::piped()).spawn().expect("it runs").wait_with_output().expect("ends"));
    ended.expect(0);
    let got = fs::read(bench.path("out")).expect("there");
    assert!(got.starts_with(b"before ") && got[7..] == fs::read(bench.path("a")).expect("there"));
}

#[test]
fn what_is_no_file_is_not_sent_and_said_to_be_what_it_is() {
    let bench = Bench::new();
    fs::create_dir(bench.path("inbox")).expect("made");
    let server = bench.serve(&["inbox", "--writable", "--bind", "127.0.0.1:0"]);
    mkfifo(&bench, "pipe");
    let _socket = UnixListener::bind(bench.path("socket")).expect("bound");
    for (name, kind) in [("pipe", "a pipe"), ("/dev/zero", "a device"), ("socket", "a socket")] {
        let ended = bench.put(&[name, &server.url]).expect(2);
        assert!(ended.stderr().contains(&format!("it is {kind}")), "{}", ended.stderr());
        assert!(ended.stderr().contains("tng listen"), "{}", ended.stderr());
    }
}

/// `tng put -` of what is written to the pipe that this answers too.
fn put_stdin(bench: &Bench, args: &[&str]) -> (std::process::Child, std::process::ChildStdin) {
    fs::create_dir_all(bench.path("tmp")).expect("made");
    let mut command = bench.tng("client.key", &[&["put", "-"], args].concat());
    command.env("TMPDIR", bench.path("tmp")).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let stdin = child.stdin.take().expect("piped");
    (child, stdin)
}

/// Whether the process has a file in that folder open, which has no name any more.
fn spools(child: &std::process::Child, folder: &std::path::Path) -> bool {
    let open = fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten().map_while(Result::ok);
    let mut open = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    open.any(|to| to.starts_with(folder) && to.to_string_lossy().ends_with("(deleted)"))
}

#[test]
fn stdin_that_is_sent_goes_by_its_name_and_by_a_file_without_one() {
    let bench = Bench::new();
    fs::create_dir(bench.path("inbox")).expect("made");
    let server = bench.serve(&["inbox", "--writable", "--bind", "127.0.0.1:0"]);
    let (child, mut stdin) = put_stdin(&bench, &["--name", "dump", &server.url]);
    stdin.write_all(b"first ").expect("it reads");
    wait("what has come to be kept", || spools(&child, &bench.path("tmp")));
    assert_eq!(fs::read_dir(bench.path("tmp")).expect("a folder").count(), 0, "nobody else finds it");
    stdin.write_all(b"last").expect("it reads");
    drop(stdin);
    let ended = Ended(child.wait_with_output().expect("it ends")).expect(0);
    assert!(ended.stderr().contains("sent dump: 10 B"), "{}", ended.stderr());
    assert!(!ended.stderr().contains("tmp"), "{}", ended.stderr());
    assert_eq!(fs::read(bench.path("inbox/dump")).expect("there"), b"first last");
    let slash = bench.put(&["-", "--name", "a/b", &server.url]).expect(2);
    assert!(slash.stderr().contains("holds a /"), "{}", slash.stderr());
}

#[test]
fn while_stdin_is_read_signals_time_and_a_server_that_takes_nothing_end_it() {
    let bench = Bench::new();
    fs::create_dir(bench.path("inbox")).expect("made");
    let server = bench.serve(&["inbox", "--writable", "--bind", "127.0.0.1:0"]);
    for name in ["INT", "TERM", "HUP"] {
        let (child, stdin) = put_stdin(&bench, &["--name", "x", &server.url]);
        wait("stdin to be read", || spools(&child, &bench.path("tmp")));
        signal(&child, name);
        Ended(child.wait_with_output().expect("it ends")).expect(130);
        drop(stdin);
    }
    let (child, _stdin) = put_stdin(&bench, &["--max-time", "0.5", "--name", "x", &server.url]);
    Ended(child.wait_with_output().expect("it ends")).expect(28);
    // Who takes nothing, or is not there, says so while stdin is still open.
    let closed = bench.serve(&["inbox", "--bind", "127.0.0.1:0"]);
    let (child, _stdin) = put_stdin(&bench, &["--name", "x", &closed.url]);
    Ended(child.wait_with_output().expect("it ends")).expect(9);
    closed.kill();
    let nobody = format!("tng://{}@127.0.0.1:9/", server.eid);
    let (child, _stdin) = put_stdin(&bench, &["--connect-timeout", "50", "--name", "x", &nobody]);
    Ended(child.wait_with_output().expect("it ends")).expect(7);
    assert_eq!(fs::read_dir(bench.path("tmp")).expect("a folder").count(), 0);
    assert_eq!(fs::read_dir(bench.path("inbox")).expect("a folder").count(), 0);
}
