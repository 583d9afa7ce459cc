//! `tng put` of what is there already, in part or otherwise, and what it may do about that.

use std::fs;
use std::net::UdpSocket;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};

use crate::bench::{Bench, Ended, Serving, same};

fn inbox(bench: &Bench, args: &[&str]) -> Serving {
    fs::create_dir_all(bench.path("inbox")).expect("made");
    bench.serve(&[&["inbox", "--writable", "--bind", "127.0.0.1:0"], args].concat())
}

/// What became of each file, by path.
fn outcomes(ended: &Ended) -> Vec<String> {
    let word = |file: &serde_json::Value, key: &str| file[key].as_str().expect("a word").to_owned();
    let mut files: Vec<String> =
        ended.events("file").iter().map(|file| format!("{} {}", word(file, "outcome"), word(file, "path"))).collect();
    files.sort();
    files
}

fn would(ended: &Ended) -> Vec<String> {
    let word = |deed: &serde_json::Value, key: &str| deed[key].as_str().expect("a word").to_owned();
    ended.events("would").iter().map(|deed| format!("{} {}", word(deed, "do"), word(deed, "path"))).collect()
}

#[test]
fn what_is_unchanged_is_not_sent_and_nothing_there_is_overwritten_silently() {
    let bench = Bench::new();
    bench.write("tree/same", 200_000, 1);
    bench.write("tree/d/other", 1_000, 2);
    let server = inbox(&bench, &["--replace"]);
    let put = |args: &[&str], code| bench.put(&[args, &["-r", "tree", &server.url]].concat()).expect(code);
    assert_eq!(outcomes(&put(&[], 0)), ["sent tree/d/other", "sent tree/same"]);
    let again = put(&[], 0);
    assert_eq!(outcomes(&again), ["unchanged tree/d/other", "unchanged tree/same"]);
    assert_eq!(again.events("done")[0]["moved"], 0);

    let there = bench.path("inbox/tree/d/other");
    fs::write(&there, b"theirs").expect("written");
    let refused = put(&[], 73);
    assert!(
        refused.stderr().contains("tree/d/other") && refused.stderr().contains("--replace"),
        "{}",
        refused.stderr()
    );
    for keeping in ["--no-clobber", "--update"] {
        assert_eq!(outcomes(&put(&[keeping], 0))[0], "kept tree/d/other");
    }
    for (how, deed) in [(None, "refuse"), (Some("--no-clobber"), "keep"), (Some("--replace"), "replace")] {
        let args: Vec<&str> = ["-n"].into_iter().chain(how).collect();
        // It ends as it would without.
        let told = would(&put(&args, if deed == "refuse" { 73 } else { 0 }));
        let other = format!("{deed} tree/d/other");
        assert!(told.contains(&other) && told.len() == 2, "{told:?}");
    }
    assert_eq!(fs::read(&there).expect("there"), b"theirs");
    assert!(outcomes(&put(&["--backup"], 0)).contains(&"sent tree/d/other".to_owned()));
    assert!(same(&bench.path("tree/d/other"), &there));
    assert_eq!(fs::read(bench.path("inbox/tree/d/other.~1~")).expect("there"), b"theirs");

    // A file that says of itself that it is the same.
    let time = fs::metadata(&there).expect("there").modified().expect("a time");
    let file = fs::OpenOptions::new().write(true).open(&there).expect("there");
    file.write_all_at(b"not the same", 7).expect("written");
    file.set_modified(time).expect("set");
    assert_eq!(outcomes(&put(&[], 0))[0], "unchanged tree/d/other");
    put(&["--checksum"], 73);
    put(&["--checksum", "--replace"], 0);
    assert!(same(&bench.path("tree/d/other"), &there));

    // Its mode alone.
    fs::set_permissions(bench.path("tree/d/other"), fs::Permissions::from_mode(0o751)).expect("changed");
    put(&["--replace"], 0);
    assert_eq!(fs::metadata(&there).expect("there").mode() & 0o777, 0o751);
}

#[test]
fn a_server_says_what_may_be_lost_there() {
    let bench = Bench::new();
    let file = bench.write("a", 1_000, 1);
    let lost = |args: &[&str], put: &[&str], code| {
        fs::create_dir_all(bench.path("inbox")).expect("made");
        fs::write(bench.path("inbox/a"), b"theirs").expect("written");
        let server = inbox(&bench, args);
        bench.put(&[put, &["a", &server.url]].concat()).expect(code);
        let kept = fs::read_dir(bench.path("inbox")).expect("there").map(|entry| entry.expect("there").path());
        let kept = kept.filter(|path| fs::read(path).expect("there") == b"theirs").count();
        fs::remove_dir_all(bench.path("inbox")).expect("removed");
        kept == 0
    };
    assert!(!lost(&[], &["--replace"], 9));
    assert!(!lost(&[], &["--backup"], 9));
    assert!(!lost(&["--backup"], &["--replace"], 0), "it keeps what was there");
    assert!(!lost(&["--replace"], &["--backup"], 0));
    assert!(lost(&["--replace"], &["--replace"], 0), "both say so");
    assert!(file.exists());
    let both = bench.tng("server.key", &["serve", "--writable", "--backup", "--delete", "a"]).output();
    assert_eq!(both.expect("it runs").status.code(), Some(2));
}

#[test]
fn what_is_here_no_more_is_removed_there_if_the_server_lets_us() {
    let bench = Bench::new();
    for (seed, name) in ["a", "d/b", "d/deep/c", "x.o"].into_iter().enumerate() {
        bench.write(&format!("tree/{name}"), 100, seed as u64);
    }
    let closed = inbox(&bench, &[]);
    bench.put(&["-r", "tree", &closed.url]).expect(0);
    bench.write("inbox/elsewhere", 10, 9);
    fs::remove_dir_all(bench.path("tree/d")).expect("removed");
    fs::remove_file(bench.path("tree/x.o")).expect("removed");
    let args = ["-r", "--delete", "--exclude", "*.o", "tree"];
    let refused = bench.put(&[&args[..], &[&closed.url]].concat()).expect(9);
    assert!(refused.stderr().contains("--delete"), "{}", refused.stderr());
    assert!(bench.path("inbox/tree/d/deep/c").exists());

    let open = inbox(&bench, &["--delete"]);
    let mut told = would(&bench.put(&[&args[..], &["-n", &open.url]].concat()).expect(0));
    told.sort();
    let gone = ["delete tree/d", "delete tree/d/b", "delete tree/d/deep", "delete tree/d/deep/c"];
    assert_eq!(told, [&gone[..], &["unchanged tree/a"]].concat());
    assert!(bench.path("inbox/tree/d/deep/c").exists(), "it was only told");
    let deleted = bench.put(&[&args[..], &[&open.url]].concat()).expect(0);
    assert_eq!(deleted.events("deleted").len(), gone.len());
    assert!(!bench.path("inbox/tree/d").exists());
    for kept in ["inbox/tree/a", "inbox/tree/x.o", "inbox/elsewhere"] {
        assert!(bench.path(kept).exists(), "{kept} is not of the tree, or left out");
    }
    bench.put(&["--delete", "a", &open.url]).expect(2);
}

#[test]
fn backups_that_a_run_has_made_are_not_removed_by_it() {
    let bench = Bench::new();
    bench.write("tree/a", 100, 1);
    fs::create_dir_all(bench.path("copy")).expect("made");
    fs::write(bench.path("copy/a"), b"mine").expect("written");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    for _ in 0..2 {
        bench.get(&["-r", "--backup", "--delete", "-o", "copy", &server.url]).expect(0);
        assert_eq!(fs::read(bench.path("copy/a.~1~")).expect("there"), b"mine");
    }
    bench.get(&["-r", "--delete", "-o", "copy", &server.url]).expect(0);
    assert!(!bench.path("copy/a.~1~").exists(), "control: it is not there");
}

#[test]
fn holes_and_further_names_go_to_a_server_as_they_are() {
    let bench = Bench::new();
    bench.write("tree/a", 100_000, 1);
    fs::create_dir(bench.path("tree/d")).expect("made");
    fs::hard_link(bench.path("tree/a"), bench.path("tree/d/again")).expect("linked");
    let file = fs::File::create(bench.path("tree/holes")).expect("made");
    file.set_len(16 << 20).expect("set");
    file.write_all_at(b"in the middle", 5_000_001).expect("written");
    file.sync_all().expect("safe");
    let server = inbox(&bench, &["--replace"]);
    let there = |name: &str| fs::metadata(bench.path(&format!("inbox/tree/{name}"))).expect("there");
    for replaced in [false, true] {
        let sent = bench.put(&["-r", "--replace", "tree", &server.url]).expect(0);
        assert_eq!(sent.events("link").len(), 1);
        assert_eq!(there("a").ino(), there("d/again").ino(), "{replaced}");
        // The name that is replaced takes the other along.
        bench.write("tree/a", 100_000, 2);
    }
    assert!(same(&bench.path("tree/holes"), &bench.path("inbox/tree/holes")));
    fs::File::open(bench.path("inbox/tree/holes")).expect("there").sync_all().expect("safe");
    assert!(there("holes").blocks() * 512 < 1 << 20, "{}", there("holes").blocks());
}

#[test]
fn a_name_of_the_longest_kind_is_sent_and_backed_up() {
    let bench = Bench::new();
    let name = "n".repeat(255);
    let file = bench.write(&format!("tree/{name}"), 10, 1);
    let server = inbox(&bench, &["--replace"]);
    bench.put(&["-r", "tree", &server.url]).expect(0);
    bench.write(&format!("tree/{name}"), 20, 2);
    bench.put(&["-r", "--backup", "tree", &server.url]).expect(0);
    assert!(same(&file, &bench.path(&format!("inbox/tree/{name}"))));
    assert_eq!(fs::read_dir(bench.path("inbox/tree")).expect("there").count(), 2);
}

#[test]
fn every_command_that_asks_a_peer_gives_up_when_it_is_told_to() {
    let bench = Bench::new();
    let server = inbox(&bench, &[]);
    // Of a closed port the system says so, and that may be earlier.
    let silent = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let registry = format!("{}@{}", server.eid, silent.local_addr().expect("an address"));
    let nobody = format!("tng://{registry}");
    let file = format!("{nobody}/folder/file.jpg");
    let ends = |args: &[&str]| bench.tng("client.key", args).output().expect("it runs").status.code();
    for command in [
        &["ping", &nobody][..],
        &["ls", &nobody],
        &["connect", &nobody],
        &["proxy", "--listen", "127.0.0.1:0", &nobody],
        &["forward", "-L", "0:localhost:9", &nobody],
        &["put", "inbox", "-r", &nobody],
        &["perf", "-c", &nobody],
        &["attack", "all", &nobody],
        &["registry", "lookup", "--registry", &registry, &server.eid],
        &["registry", "watch", "--registry", &registry, &server.eid],
        &["trickles", "get", "-o", "none", &file],
        &["trickles", "shop", "search", &nobody],
        &["trickles", "watermark", "get", "-o", "none", &file],
        &["listen", "--bind", "127.0.0.1:0"],
    ] {
        assert_eq!(ends(&[command, &["--connect-timeout", "0.2"]].concat()), Some(28), "{command:?}");
    }
    for command in [
        &["ping", "-c", "100", &server.url][..],
        &["doctor", &nobody],
        &["registry", "lookup", "--registry", &registry, &server.eid],
        &["trickles", "shop", "search", &nobody],
        &["forward", "--serve", "--to", "localhost:9", "--bind", "127.0.0.1:0"],
    ] {
        assert_eq!(ends(&[command, &["--max-time", "0.3"]].concat()), Some(28), "{command:?}");
    }
    // Of a host that is not reached the others' checks are no reason to say nothing.
    let doctor = bench.tng("client.key", &["doctor", &nobody, "--connect-timeout", "0.2"]).output().expect("it runs");
    let said = String::from_utf8_lossy(&doctor.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(doctor.status.code() == Some(1) && said.contains("there was no connection within 0.2 s"), "{said}");
}
