//! Trees and files that arrive.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::bench::{Bench, Ended, same};

#[test]
fn a_tree_arrives_whole_and_again_it_is_only_checked() {
    let bench = Bench::new();
    let files: Vec<String> = (0..60).map(|i| format!("tree/{}/file {i}", i % 7)).collect();
    for (i, file) in files.iter().enumerate() {
        bench.write(file, i * i * 900, i as u64);
    }
    fs::create_dir(bench.path("tree/empty")).expect("made");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);

    let first = bench.get(&["-r", "-o", "copy", &server.url]).expect(0);
    assert_eq!(first.events("file").len(), 60);
    for file in &files {
        assert!(same(&bench.path(file), &bench.path(&file.replacen("tree", "copy", 1))), "{file}");
    }
    assert!(bench.path("copy/empty").is_dir());

    let again = bench.get(&["-r", "-o", "copy", &server.url]).expect(0);
    assert_eq!(again.events("done")[0]["moved"], 0);
}

#[test]
fn several_urls_go_into_a_folder_and_one_goes_to_stdout() {
    let bench = Bench::new();
    let (a, b) = (bench.write("tree/a", 300_000, 1), bench.write("tree/d/b", 5, 2));
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    bench.get(&["-o", "here", &server.url_of("a"), &server.url_of("d/b")]).expect(0);
    assert!(same(&a, &bench.path("here/a")) && same(&b, &bench.path("here/b")));
    bench.get(&["-o", "there/", &server.url_of("a")]).expect(0);
    assert!(same(&a, &bench.path("there/a")), "a folder that is not there is made");
    let out = bench.tng("client.key", &["get", "-q", "-o", "-", &server.url_of("a")]).output().expect("it runs");
    assert!(out.status.success());
    assert_eq!(out.stdout, fs::read(a).expect("there"));
    assert_eq!(out.stderr, b"");
}

#[test]
fn one_file_is_served_by_its_name_and_only_to_who_is_listed() {
    let bench = Bench::new();
    let file = bench.write("movie.mkv", 100_000, 3);
    bench.write("other", 10, 4);
    let eid = bench.eid("client.key");
    let server = bench.serve(&["movie.mkv", "--bind", "127.0.0.1:0", "--allow", &eid]);
    bench.get(&["-o", "copy", &server.url]).expect(0);
    assert!(same(&file, &bench.path("copy")));
    let location = |path: &str| format!("tng://{}@{}/{path}", server.eid, server.address);
    bench.get(&["-o", "bare", &location("")]).expect(0);
    assert!(same(&file, &bench.path("bare")), "one file needs no name where a place is given");
    bench.get(&[&location("other")]).expect(78);
    let stranger = bench.tng("stranger.key", &["get", &location("movie.mkv")]).output().expect("it runs");
    assert_eq!(stranger.status.code(), Some(9));
}

#[test]
fn a_name_of_the_longest_kind_arrives() {
    let bench = Bench::new();
    let name = format!("tree/{}", "n".repeat(255));
    let file = bench.write(&name, 10, 1);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    bench.get(&["-r", "-o", "copy", &server.url]).expect(0);
    assert!(same(&file, &bench.path(&name.replacen("tree", "copy", 1))));
}

#[test]
fn a_ticket_can_come_from_a_file_or_from_stdin() {
    let bench = Bench::new();
    let file = bench.write("tree/d/a", 10, 1);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    fs::write(bench.path("ticket"), &server.url).expect("written");
    bench.get(&["-o", "from file", "@ticket//d/a"]).expect(0);
    assert!(same(&file, &bench.path("from file")));
    let mut command = bench.tng("client.key", &["get", "-q", "-o", "from stdin", "@-//d/a"]);
    command.stdin(fs::File::open(bench.path("ticket")).expect("there"));
    assert!(command.status().expect("it runs").success());
    assert!(same(&file, &bench.path("from stdin")));
}

#[test]
fn modes_and_times_of_files_and_folders_are_kept_both_ways_and_before_1970() {
    let bench = Bench::new();
    let mode = |path: &str, mode| {
        fs::set_permissions(bench.path(path), fs::Permissions::from_mode(mode)).expect("changed");
    };
    let aged = |path: &str, s| {
        let time = SystemTime::UNIX_EPOCH - Duration::from_secs(s) + Duration::from_nanos(5);
        fs::File::open(bench.path(path)).expect("there").set_modified(time).expect("changed");
    };
    bench.write("tree/shut/run", 100_000, 1);
    bench.write("tree/shut/deep/own", 10, 2);
    bench.write("tree/plain", 10, 3);
    for (path, bits) in [("tree/shut/run", 0o755), ("tree/shut/deep/own", 0o600), ("tree/shut/deep", 0o700)] {
        mode(path, bits);
    }
    for (age, path) in ["tree/shut/run", "tree/shut/deep", "tree/shut", "tree"].into_iter().enumerate() {
        aged(path, 1_000 + age as u64);
    }
    mode("tree/shut", 0o555);
    let kept = |top: &str| {
        let paths = ["", "/plain", "/shut", "/shut/run", "/shut/deep", "/shut/deep/own"];
        paths.map(|path| {
            let found = fs::metadata(bench.path(&format!("{top}{path}"))).expect("there");
            (path, found.mode() & 0o7777, found.mtime(), found.mtime_nsec())
        })
    };
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    for _ in 0..2 {
        bench.get(&["-a", "-o", "copy", &server.url]).expect(0);
        assert_eq!(kept("copy"), kept("tree"));
    }
    fs::create_dir(bench.path("inbox")).expect("made");
    let taker = bench.serve(&["inbox", "--writable", "--bind", "127.0.0.1:0"]);
    for _ in 0..2 {
        bench.put(&["-a", "tree", &taker.url]).expect(0);
        let mut expected = kept("tree");
        // A server can write in its folders.
        expected[2].1 = 0o755;
        assert_eq!(kept("inbox/tree"), expected);
    }
    for path in ["tree/shut", "copy/shut"] {
        mode(path, 0o755);
    }
}

#[test]
fn links_further_names_and_names_of_any_bytes_come_as_they_are_both_ways_and_are_shown_escaped() {
    let bench = Bench::new();
    let strange = ["new\nline", "tab\tstop", "esc\u{1b}[2J", "back\\slash"].map(OsString::from);
    let strange: Vec<OsString> =
        strange.into_iter().chain([OsString::from_vec(b"\xffno text".to_vec()), "\u{fc}".repeat(127).into()]).collect();
    bench.write("tree/d/file", 1_000, 1);
    for name in &strange {
        fs::write(bench.path("tree/d").join(name), b"strange").expect("written");
    }
    fs::hard_link(bench.path("tree/d/file"), bench.path("tree/other")).expect("linked");
    symlink("d/file", bench.path("tree/link")).expect("linked");
    symlink("../d", bench.path("tree/d/round")).expect("linked");
    symlink("/etc/passwd", bench.path("tree/out")).expect("linked");
    let whole = |top: &str| {
        for name in &strange {
            assert_eq!(fs::read(bench.path(&format!("{top}/d")).join(name)).expect("there"), b"strange", "{name:?}");
        }
        for (link, said) in [("link", "d/file"), ("d/round", "../d")] {
            assert_eq!(fs::read_link(bench.path(&format!("{top}/{link}"))).expect("a link"), Path::new(said));
        }
        let inode = |name: &str| fs::metadata(bench.path(&format!("{top}/{name}"))).expect("there").ino();
        assert_eq!(inode("d/file"), inode("other"));
        assert!(fs::symlink_metadata(bench.path(&format!("{top}/out"))).is_err());
    };
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let got = bench.get(&["-r", "-o", "copy", &server.url]).expect(18);
    assert!(got.stderr().contains("left out by the server: out: a link out"), "{}", got.stderr());
    assert!(got.events("file").iter().any(|file| file["path"] == "d/new\\x0aline"));
    assert!(got.events("file").iter().any(|file| file["path"] == "d/\\xffno text"));
    whole("copy");
    bench.get(&["-o", "one", &server.url_of("d/new%0Aline")]).expect(0);
    bench.get(&["-o", "two", &server.url_of("d/esc%5Cx1b[2J")]).expect(0);
    assert!(same(&bench.path("one"), &bench.path("two")));
    let followed = bench.get(&["-rL", "-o", "followed", &server.url]).expect(18);
    assert!(followed.events("left_out").iter().any(|left| left["path"] == "d/round"), "it is in itself");
    assert!(bench.path("followed/link").is_file() && !bench.path("followed/link").is_symlink());

    fs::create_dir(bench.path("inbox")).expect("made");
    let taker = bench.serve(&["inbox", "--writable", "--bind", "127.0.0.1:0"]);
    for _ in 0..2 {
        let sent = bench.put(&["-r", "tree", &taker.url]).expect(18);
        assert!(sent.stderr().contains("left out: out: a link out"), "{}", sent.stderr());
        whole("inbox/tree");
    }
}

#[test]
fn nothing_here_is_overwritten_silently() {
    let bench = Bench::new();
    bench.write("tree/same", 1_000, 1);
    bench.write("tree/d/other", 1_000, 2);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    bench.get(&["-r", "-o", "copy", &server.url]).expect(0);
    fs::write(bench.path("copy/d/other"), b"mine").expect("written");
    let outcomes = |args: &[&str], code| {
        let ended = bench.get(&[args, &["-r", "-o", "copy", &server.url]].concat()).expect(code);
        let mut files: Vec<String> =
            ended.events("file").iter().map(|file| format!("{} {}", file["path"], file["outcome"])).collect();
        files.sort();
        (files, ended.stderr())
    };
    let (files, said) = outcomes(&[], 73);
    assert_eq!(files, [r#""same" "unchanged""#]);
    assert!(said.contains("copy/d/other") && said.contains("--replace"), "{said}");
    for keeping in ["--no-clobber", "--update"] {
        assert_eq!(outcomes(&[keeping], 0).0[0], r#""d/other" "kept""#);
    }
    assert_eq!(fs::read(bench.path("copy/d/other")).expect("there"), b"mine");
    outcomes(&["--backup"], 0);
    assert!(same(&bench.path("tree/d/other"), &bench.path("copy/d/other")));
    assert_eq!(fs::read(bench.path("copy/d/other.~1~")).expect("there"), b"mine");
    bench.get(&["--replace", "--no-clobber", "-o", "x", &server.url_of("same")]).expect(2);
}

#[test]
fn a_part_of_a_tree_is_fetched_or_sent_and_what_is_there_no_more_is_removed() {
    let bench = Bench::new();
    for (seed, name) in ["a.rs", "a.o", "d/b.rs", "d/b.o", "d/deep/c.rs", "build/x"].into_iter().enumerate() {
        bench.write(&format!("tree/{name}"), 100, seed as u64);
    }
    let files = |top: &str| {
        let found =
            Command::new("find").args([top, "-type", "f", "-printf", "%P\n"]).current_dir(bench.path(".")).output();
        let mut found: Vec<String> =
            String::from_utf8(found.expect("it runs").stdout).expect("text").lines().map(str::to_owned).collect();
        found.sort();
        found
    };
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let rules = ["--include", "a.o", "--exclude", "*.o", "--exclude", "/build/"];
    bench.get(&[&rules[..], &["-r", "-o", "part", &server.url]].concat()).expect(0);
    assert_eq!(files("part"), ["a.o", "a.rs", "d/b.rs", "d/deep/c.rs"]);
    fs::write(bench.path("list"), "d/deep\na.rs\n").expect("written");
    bench.get(&["-r", "--files-from", "list", "-o", "listed", &server.url]).expect(0);
    assert_eq!(files("listed"), ["a.rs", "d/deep/c.rs"]);
    fs::write(bench.path("list"), "d/deep\ngone\n").expect("written");
    let some = bench.get(&["-r", "--files-from", "list", "--delete", "-o", "some", &server.url]).expect(78);
    assert_eq!(files("some"), ["d/deep/c.rs"], "the rest comes");
    assert!(some.stderr().contains("looking for gone: it is not there"), "{}", some.stderr());
    assert!(some.stderr().contains("only what is in the folders that --files-from lists"), "{}", some.stderr());
    assert!(some.stderr().contains("--delete removes nothing: not all has moved"), "{}", some.stderr());
    bench.get(&["--exclude", "x", "-o", "none", &server.url_of("a.rs")]).expect(2);

    bench.write("part/mine/deep/file", 10, 9);
    bench.write("part/d/kept.o", 10, 9);
    let told = bench.get(&[&rules[..], &["-rn", "--delete", "-o", "part", &server.url]].concat()).expect(0);
    let would: Vec<_> = told.events("would").iter().map(|deed| format!("{} {}", deed["do"], deed["path"])).collect();
    let gone = ["mine/deep/file", "mine/deep", "mine"];
    assert_eq!(would.iter().filter(|deed| deed.starts_with(r#""delete""#)).count(), gone.len(), "{would:?}");
    assert!(bench.path("part/mine/deep/file").exists(), "it was only told");
    let deleted = bench.get(&[&rules[..], &["-r", "--delete", "-o", "part", &server.url]].concat()).expect(0);
    let deleted: Vec<_> = deleted.events("deleted").iter().map(|one| one["path"].clone()).collect();
    assert_eq!(deleted, gone);
    assert_eq!(files("part"), ["a.o", "a.rs", "d/b.rs", "d/deep/c.rs", "d/kept.o"], "what is left out is left alone");

    fs::create_dir(bench.path("inbox")).expect("made");
    let taker = bench.serve(&["inbox", "--writable", "--bind", "127.0.0.1:0"]);
    bench.put(&[&rules[..], &["-rn", "tree", &taker.url]].concat()).expect(0);
    assert!(files("inbox").is_empty());
    let some = bench.put(&["-r", "--files-from", "list", "--name", "some", "tree", &taker.url]).expect(18);
    assert!(some.stderr().contains("left out: gone: it is not there"), "{}", some.stderr());
    assert_eq!(files("inbox"), ["some/d/deep/c.rs"], "the rest goes");
    fs::remove_dir_all(bench.path("inbox/some")).expect("removed");
    bench.put(&[&rules[..], &["-r", "tree", &taker.url]].concat()).expect(0);
    assert_eq!(files("inbox"), ["tree/a.o", "tree/a.rs", "tree/d/b.rs", "tree/d/deep/c.rs"]);
}

#[test]
fn what_is_served_is_listed_as_it_is_and_stdin_can_be_sent() {
    let bench = Bench::new();
    bench.write("tree/d/file", 1_000, 1);
    fs::write(bench.path("tree/new\nline"), b"x").expect("written");
    fs::set_permissions(bench.path("tree/d/file"), fs::Permissions::from_mode(0o750)).expect("changed");
    symlink("d/file", bench.path("tree/link")).expect("linked");
    let server = bench.serve(&["tree", "--writable", "--bind", "127.0.0.1:0"]);
    let ls = |args: &[&str]| {
        let ended = bench.tng("client.key", &[&["ls"], args].concat()).output().expect("it runs");
        (ended.status.code(), String::from_utf8(ended.stdout).expect("text"))
    };
    let paths = |text: &str| text.lines().map(|line| line[56..].to_owned()).collect::<Vec<_>>();
    let (code, shallow) = ls(&[&server.url]);
    assert_eq!((code, paths(&shallow)), (Some(0), ["d", "link -> d/file", "new\\x0aline"].map(str::to_owned).to_vec()));
    let (_, deep) = ls(&["-R", &server.url]);
    assert!(paths(&deep).contains(&"d/file".to_owned()), "{deep}");
    let (_, one) = ls(&[&server.url, "d/file"]);
    assert!(one.starts_with("-rwxr-x---           1000 ") && one.ends_with(" file\n"), "{one}");
    assert_eq!(ls(&[&server.url, "gone"]).0, Some(78));

    fs::write(bench.path("ticket"), &server.url).expect("written");
    let mut command = bench.tng("client.key", &["put", "-q", "-", "--name", "piped", "@ticket"]);
    command.stdin(fs::File::open(bench.path("tree/d/file")).expect("there"));
    assert!(command.output().expect("it runs").status.success());
    assert!(same(&bench.path("tree/d/file"), &bench.path("tree/piped")));
    bench.put(&["-", "--name", "piped", "-"]).expect(2);
    bench.put(&["-", "@ticket"]).expect(2);
}

#[test]
fn a_rate_is_kept_to_both_ways_and_time_that_is_over_is_an_end() {
    let bench = Bench::new();
    let file = bench.write("tree/a", 400_000, 1);
    let server = bench.serve(&["tree", "--writable", "--bind", "127.0.0.1:0"]);
    let took = |done: Ended| done.events("done")[0]["seconds"].as_f64().expect("a number");
    let got = took(bench.get(&["--limit-rate", "200k", "-o", "copy", &server.url_of("a")]).expect(0));
    assert!(got > 1.0 && same(&file, &bench.path("copy")), "{got}");
    let sent = took(bench.put(&["--limit-rate", "200k", "copy", &server.url]).expect(0));
    assert!(sent > 1.0 && same(&file, &bench.path("tree/copy")), "{sent}");
    bench.get(&["--limit-rate", "20k", "--max-time", "1", "-o", "slow", &server.url_of("a")]).expect(28);
    assert!(!bench.path("slow").exists() && bench.draft("slow").exists());
    let nobody = format!("tng://{}@127.0.0.1:9/a", server.eid);
    bench.get(&["--connect-timeout", "0.2", "-o", "none", &nobody]).expect(28);
}

#[test]
fn a_further_name_of_a_file_that_is_another_here_is_a_file_of_its_own() {
    let bench = Bench::new();
    let file = bench.write("tree/a", 1_000, 1);
    fs::hard_link(&file, bench.path("tree/b")).expect("linked");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    fs::create_dir(bench.path("taken")).expect("made");
    let taker = bench.serve(&["taken", "--writable", "--bind", "127.0.0.1:0"]);
    for (top, code) in [("kept", 0), ("refused", 73), ("taken/tree", 0)] {
        fs::create_dir_all(bench.path(top)).expect("made");
        fs::write(bench.path(&format!("{top}/a")), b"mine").expect("written");
        let keep: &[&str] = if code == 0 { &["--no-clobber"] } else { &[] };
        match top {
            "taken/tree" => bench.put(&[keep, &["-r", "tree", &taker.url]].concat()).expect(code),
            _ => bench.get(&[keep, &["-r", "-o", top, &server.url]].concat()).expect(code),
        };
        assert_eq!(fs::read(bench.path(&format!("{top}/a"))).expect("there"), b"mine");
        assert!(same(&file, &bench.path(&format!("{top}/b"))), "{top}");
    }
}

#[test]
fn a_dry_run_says_what_the_real_one_does_and_ends_as_it_would() {
    let bench = Bench::new();
    bench.write("tree/same", 1_000, 1);
    bench.write("tree/d/other", 1_000, 2);
    fs::hard_link(bench.path("tree/same"), bench.path("tree/d/hard")).expect("linked");
    symlink("same", bench.path("tree/link")).expect("linked");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    fs::create_dir(bench.path("inbox")).expect("made");
    let taker = bench.serve(&["inbox", "--writable", "--bind", "127.0.0.1:0"]);
    let run = |command: &str, args: &[&str], code| {
        let args = match command {
            "get" => [&["get"], args, &["-r", "-o", "copy", &server.url]].concat(),
            _ => [&["put"], args, &["-r", "tree", &taker.url]].concat(),
        };
        let ended = Ended(bench.tng("client.key", &args).output().expect("it runs")).expect(code);
        let mut told: Vec<String> = String::from_utf8_lossy(&ended.0.stdout).lines().map(str::to_owned).collect();
        told.sort();
        (told, ended.stderr())
    };
    for (command, bring, top, made) in [("get", "fetch", "copy", "copy"), ("put", "send", "tree", "inbox/tree")] {
        let place = |deed: &str, path: &str| format!("{deed} {top}/{path}");
        let mut new = [place(bring, "same"), place(bring, "d/other"), place("link", "link"), place("link", "d/hard")];
        new.sort();
        let (told, said) = run(command, &["-n"], 0);
        assert_eq!(told, new, "{command}");
        assert!([bring, "link"].iter().all(|deed| said.contains(&format!("{deed} 2"))), "{said}");
        assert!(said.contains("at most 2.0 kB would move; nothing was done"), "{said}");
        assert!(!bench.path(made).exists(), "nothing was done");
        run(command, &[], 0);
        let (told, _) = run(command, &["-n"], 0);
        assert!(told.len() == 4 && told.iter().all(|line| line.starts_with("unchanged ")), "{told:?}");
    }
    for folder in ["copy", "inbox/tree"] {
        fs::write(bench.path(folder).join("d/other"), b"mine").expect("written");
        fs::write(bench.path(folder).join("extra"), b"here alone").expect("written");
        fs::remove_file(bench.path(folder).join("link")).expect("there");
        symlink("d", bench.path(folder).join("link")).expect("linked");
    }
    for (command, top) in [("get", "copy"), ("put", "tree")] {
        let (told, said) = run(command, &["-n", "--delete"], 73);
        assert!(!told.iter().any(|line| line.starts_with("delete ")), "not where something is refused: {told:?}");
        assert!(["d/other", "link"].iter().all(|path| told.contains(&format!("refuse {top}/{path}"))), "{told:?}");
        assert!(said.contains("refuse 2") && said.contains("--replace"), "{said}");
        run(command, &[], 73);
        let (told, _) = run(command, &["-n", "--replace"], 0);
        assert!(["d/other", "link"].iter().all(|path| told.contains(&format!("replace {top}/{path}"))), "{told:?}");
    }
}

#[test]
fn what_is_left_out_is_named_and_then_nothing_is_removed_which_is_said() {
    let bench = Bench::new();
    bench.write("tree/a", 10, 1);
    fs::write(bench.path("tree/.tng-notes.part"), b"important").expect("written");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    fs::create_dir(bench.path("inbox")).expect("made");
    let taker = bench.serve(&["inbox", "--writable", "--delete", "--bind", "127.0.0.1:0"]);
    for top in ["copy", "inbox/tree"] {
        bench.write(&format!("{top}/gone"), 10, 2);
    }
    for dry in [&["-n"][..], &[]] {
        for ended in [
            bench.get(&[dry, &["-r", "--delete", "-o", "copy", &server.url]].concat()).expect(18),
            bench.put(&[dry, &["-r", "--delete", "tree", &taker.url]].concat()).expect(18),
        ] {
            let said = ended.stderr();
            assert!(said.contains(".tng-notes.part: its name is kept for unfinished files"), "{said}");
            assert!(said.contains("--delete removes nothing: 1 thing left out"), "{said}");
        }
    }
    assert!(bench.path("copy/gone").exists() && bench.path("inbox/tree/gone").exists());
    let alone = bench.put(&["tree/.tng-notes.part", &taker.url]).expect(2);
    assert!(alone.stderr().contains("sending tree/.tng-notes.part: its name is kept"), "{}", alone.stderr());
}

#[test]
fn a_server_that_is_asked_to_tell_writes_a_line_for_each_request() {
    let bench = Bench::new();
    bench.write("tree/a", 1_000, 1);
    let mut command = bench.tng("server.key", &["serve", "tree", "-v", "--json", "--bind", "127.0.0.1:0"]);
    command.stderr(fs::File::create(bench.path("log")).expect("made"));
    let server = bench.run_heard(command);
    let peer = bench.eid("client.key");
    bench.get(&["-o", "copy", &server.url_of("a")]).expect(0);
    bench.get(&["-o", "none", &server.url_of("gone")]).expect(78);
    bench.put(&["copy", &server.url]).expect(9);
    server.stop("TERM");
    let log = fs::read_to_string(bench.path("log")).expect("text");
    for fields in [
        r#"request="get" path="a" bytes=1000 outcome="done""#.to_owned(),
        r#"request="get" path="gone" bytes=0 outcome="not found""#.to_owned(),
        format!(r#"answered peer={peer} request="put" path="copy" bytes=0 outcome="not allowed: this server takes"#),
    ] {
        assert_eq!(log.lines().filter(|line| line.contains(&fields)).count(), 1, "{fields}\n{log}");
    }
}
