//! `tng trickles`: servers that keep nothing.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Child, Command, Stdio};

use crate::bench::{Bench, Ended, same};

/// Bytes of a file that takes a while.
const LARGE: usize = 40_000_000;
/// How often the server is killed meanwhile.
const KILLS: usize = 3;

/// Runs `tng trickles get` to its end.
fn get(bench: &Bench, args: &[&str]) -> Ended {
    Ended(bench.tng("client.key", &[&["trickles", "get", "--json"], args].concat()).output().expect("it runs"))
}

/// Makes the file of a fleet's keys.
fn keys(bench: &Bench, args: &[&str]) -> Ended {
    Ended(bench.tng("server.key", &[&["trickles", "keys", "--json"], args].concat()).output().expect("it runs"))
}

/// Fetches a file of `len` bytes from a server with these arguments, which is killed and started again so many times.
fn arrives_over_kills(len: usize, kills: usize, arguments: &[&str]) {
    let bench = Bench::new();
    let file = bench.write("tree/file", len, 1);
    keys(&bench, &["new", "fleet.epochs"]).expect(0);
    let start = |at: &str| bench.start(&[&["trickles", "serve", "tree", "--bind", at], arguments].concat());
    let mut server = start("127.0.0.1:0");
    let (address, url) = (server.address.clone(), format!("tng://{}/file", server.ticket));
    let mut getting = bench.tng("client.key", &["trickles", "get", "--json", "-o", "copy", &url]);
    let getting = getting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    for part in 1..=kills {
        bench.wait_for_draft("copy", (len * part / (kills + 1)) as u64);
        server.kill();
        server = start(&address);
    }
    let ended = Ended(getting.wait_with_output().expect("it ends")).expect(0);
    assert!(same(&file, &bench.path("copy")));
    let file = &ended.events("file")[0];
    assert_eq!((&file["outcome"], &file["moved"]), (&"fetched".into(), &len.into()), "and nothing came twice");
    assert!(ended.events("reconnecting").is_empty());
}

#[test]
fn a_file_arrives_whole_though_its_server_is_killed_and_started_again_in_the_middle() {
    arrives_over_kills(LARGE, KILLS, &[]);
}

#[test]
fn a_file_goes_on_at_the_other_server_of_a_fleet_when_its_own_is_killed() {
    let bench = Bench::new();
    let large = bench.write("tree/large", LARGE, 1);
    keys(&bench, &["new", "fleet.epochs"]).expect(0);
    let start = |site: &str, access: &[&str]| {
        let args = ["trickles", "serve", "tree", "--bind", "127.0.0.1:0", "--keys", "fleet.epochs", "--site", site];
        bench.start(&[&args[..], access].concat())
    };
    // At the same place, and at another one, where the client begins slowly.
    for (policy, site) in [("stay", "1"), ("nearest", "2")] {
        let access = if policy == "stay" { &["--public"][..] } else { &[] };
        let (one, other) = (start("1", access), start(site, access));
        assert_eq!(one.eid, other.eid, "one key");
        let url = match policy {
            "stay" => format!("tng://{}@{},{}/large", one.eid, one.address, other.address),
            // A ticket that names both, and opens both.
            _ => {
                let ticket = ["ticket", "new", "--name", "all", "--address", &one.address, "--address", &other.address];
                let made = bench.tng("server.key", &ticket).output().expect("it runs");
                format!("tng://{}/large", String::from_utf8(made.stdout).expect("text").trim())
            }
        };
        let args = ["trickles", "get", "--json", "--pick", policy, "-o", "copy", &url];
        let mut getting = bench.tng("client.key", &args);
        let getting = getting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        bench.wait_for_draft("copy", (LARGE / 2) as u64);
        // The one that serves it.
        let (busy, idle) = if one.cpu() > other.cpu() { (one, other) } else { (other, one) };
        assert!(policy != "stay" || url.contains(&format!("@{},", busy.address)), "the first of the list");
        let before = idle.cpu();
        busy.kill();
        let ended = Ended(getting.wait_with_output().expect("it ends")).expect(0);
        assert!(same(&large, &bench.path("copy")));
        let file = &ended.events("file")[0];
        assert_eq!((&file["outcome"], &file["moved"]), (&"fetched".into(), &LARGE.into()), "and nothing came twice");
        assert!(ended.events("reconnecting").is_empty() && ended.events("fallback").is_empty(), "{}", ended.stderr());
        assert!(idle.cpu() > before, "{policy}");
        fs::remove_file(bench.path("copy")).expect("there");
    }
}

#[test]
fn a_file_arrives_whole_though_its_server_is_killed_and_started_again_twenty_times() {
    const LEN: usize = 10_000_000;
    const TIMES: usize = 20;
    arrives_over_kills(LEN, TIMES, &["--keys", "fleet.epochs"]);
}

#[test]
fn a_file_that_changes_while_it_is_fetched_is_told_and_comes_whole_at_the_next_try() {
    let bench = Bench::new();
    let large = bench.write("tree/large", LARGE, 1);
    let args = ["trickles", "serve", "tree", "--bind"];
    let mut server = bench.start(&[&args[..], &["127.0.0.1:0"]].concat());
    let (address, url) = (server.address.clone(), format!("tng://{}/large", server.ticket));
    let begin = || {
        let mut getting = bench.tng("client.key", &["trickles", "get", "--json", "-o", "copy", &url]);
        let getting = getting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        bench.wait_for_draft("copy", (LARGE / 2) as u64);
        getting
    };
    let end = |getting: Child| {
        let ended = Ended(getting.wait_with_output().expect("it ends")).expect(18);
        assert!(ended.stderr().contains("large: the file changed while it was being sent"), "{}", ended.stderr());
        assert!(!bench.path("copy").exists(), "no file of two halves");
        get(&bench, &["-o", "copy", &url]).expect(0);
        assert!(same(&large, &bench.path("copy")));
        fs::remove_file(bench.path("copy")).expect("there");
    };
    // What is gone on with is the file itself: who holds it open sees it cut.
    let getting = begin();
    File::options().write(true).open(&large).and_then(|file| file.set_len((LARGE / 4 * 3) as u64)).expect("cut");
    end(getting);
    // Another of the same length in its place, for a server that is started again. (One that runs may have the old one
    // open still, and goes on with that.)
    bench.write("tree/large", LARGE, 1);
    let getting = begin();
    server.kill();
    fs::rename(bench.write("another", LARGE, 2), &large).expect("replaced");
    server = bench.start(&[&args[..], &[&address]].concat());
    end(getting);
    drop(server);
}

#[test]
fn files_and_folders_are_fetched_resumed_and_checked() {
    let bench = Bench::new();
    let large = bench.write("tree/large", 300_000, 1);
    bench.write("tree/sub/deep/small", 10, 2);
    bench.write("tree/empty", 0, 3);
    let server = bench.start(&["trickles", "serve", "tree", "--bind", "127.0.0.1:0"]);
    let url = |path: &str| format!("tng://{}/{path}", server.ticket);
    let outcome = |ended: Ended| {
        let file = ended.expect(0).events("file").remove(0);
        (file["outcome"].as_str().unwrap_or_default().to_owned(), file["moved"].as_u64().unwrap_or(u64::MAX))
    };
    let tree = get(&bench, &["-r", "-o", "copy", &url("")]).expect(0);
    assert_eq!(tree.events("file").len(), 3);
    for name in ["large", "sub/deep/small", "empty"] {
        assert!(same(&bench.path(&format!("tree/{name}")), &bench.path(&format!("copy/{name}"))), "{name}");
    }
    assert_eq!(outcome(get(&bench, &["-o", "copy/large", &url("large")])), ("unchanged".to_owned(), 0));
    let data = fs::read(large).expect("there");
    fs::write(bench.path("copy/large"), &data[..200_000]).expect("cut");
    assert_eq!(
        outcome(get(&bench, &["--replace", "-o", "copy/large", &url("large")])),
        ("resumed".to_owned(), 100_000)
    );
    fs::write(bench.path("copy/large"), vec![7; 200_000]).expect("another");
    assert_eq!(
        outcome(get(&bench, &["--replace", "-o", "copy/large", &url("large")])),
        ("fetched".to_owned(), 300_000)
    );
    assert!(same(&bench.path("tree/large"), &bench.path("copy/large")));
}

#[test]
fn a_tree_of_more_small_files_than_may_be_asked_for_at_once_arrives_whole_and_again_it_is_only_checked() {
    let bench = Bench::new();
    let files: Vec<String> = (0..700).map(|i| format!("tree/{}/{}/file {i}", i % 7, i % 31)).collect();
    for (i, file) in files.iter().enumerate() {
        bench.write(file, 1 + i * 37 % 5_000, i as u64);
    }
    let server = bench.start(&["trickles", "serve", "tree", "--bind", "127.0.0.1:0"]);
    let url = format!("tng://{}/", server.ticket);
    // More at once than the client asks for: 16 large files and 256 small ones.
    for args in [&["-r", "--no-sync"][..], &["-r", "--no-sync", "--jobs", "16"]] {
        let _ = fs::remove_dir_all(bench.path("copy"));
        let first = get(&bench, &[args, &["-o", "copy", &url]].concat()).expect(0);
        assert_eq!(first.events("file").len(), 700);
        for file in &files {
            assert!(same(&bench.path(file), &bench.path(&file.replacen("tree", "copy", 1))), "{file}");
        }
        let again = get(&bench, &[args, &["-o", "copy", &url]].concat()).expect(0);
        assert_eq!((&again.events("done")[0]["moved"], again.events("file").len()), (&0.into(), 700));
    }
}

#[test]
fn seals_are_left_out_where_both_ends_were_told_so_and_one_alone_is_refused_by_name() {
    let bench = Bench::new();
    let file = bench.write("tree/file", 300_000, 1);
    for plain_there in [true, false] {
        let more = if plain_there { &["--danger-plain"][..] } else { &[] };
        let server = bench.start(&[&["trickles", "serve", "tree", "--bind", "127.0.0.1:0"], more].concat());
        let url = format!("tng://{}/file", server.ticket);
        let refused = match plain_there {
            true => get(&bench, &["-o", "copy", &url]),
            false => get(&bench, &["--danger-plain", "-o", "copy", &url]),
        };
        let told = refused.expect(9).stderr();
        let remedy = match plain_there {
            true => "with --danger-plain here as well",
            false => "without --danger-plain here",
        };
        assert!(told.contains(remedy) && !told.contains("ticket"), "{told}");
        assert!(!bench.path("copy").exists());
        get(&bench, &[more, &["-o", "copy", &url]].concat()).expect(0);
        assert!(same(&file, &bench.path("copy")));
        fs::remove_file(bench.path("copy")).expect("there");
    }
}

#[test]
fn what_does_not_come_ends_with_the_codes_of_get() {
    let bench = Bench::new();
    bench.write("tree/a", 10, 1);
    symlink("/etc/passwd", bench.path("tree/out")).expect("linked");
    let server = bench.start(&["trickles", "serve", "tree", "--bind", "127.0.0.1:0"]);
    let url = |path: &str| format!("tng://{}/{path}", server.ticket);
    for (path, code) in [("gone", 78), ("out", 9), ("a", 0)] {
        get(&bench, &["-o", "x", &url(path)]).expect(code);
    }
    // Without the capability of the ticket.
    get(&bench, &["-o", "y", &format!("tng://{}@{}/a", server.eid, server.address)]).expect(9);
}

#[test]
fn where_only_structured_streams_are_served_files_and_folders_come_by_them_and_it_is_said() {
    let bench = Bench::new();
    bench.write("tree/a", 300_000, 1);
    bench.write("tree/sub/b", 10, 2);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let url = |path: &str| format!("tng://{}/{path}", server.ticket);
    // A folder: LIST is asked twice, files once. A file. Stdout, which cannot be written twice.
    let ended = get(&bench, &["-r", "-o", "copy", &url("")]).expect(0);
    assert!(ended.stderr().contains("no Trickles server"), "{}", ended.stderr());
    assert!(ended.stderr().contains("fetching by structured streams"), "{}", ended.stderr());
    assert_eq!(ended.events("fallback").len(), 1);
    assert_eq!(ended.events("fallback")[0]["to"], "streams");
    assert!(
        same(&bench.path("tree/a"), &bench.path("copy/a"))
            && same(&bench.path("tree/sub/b"), &bench.path("copy/sub/b"))
    );
    let ended = get(&bench, &["-o", "one", &url("a")]).expect(0);
    assert_eq!(ended.events("fallback").len(), 1);
    assert!(same(&bench.path("tree/a"), &bench.path("one")));
    let mut command = bench.tng("client.key", &["trickles", "get", "-o", "-", &url("a")]);
    let ended = Ended(command.output().expect("it runs")).expect(0);
    assert_eq!(ended.0.stdout, fs::read(bench.path("tree/a")).expect("there"));
    // Who is not let in is told so, as by `tng get`; a file that is not there is not looked for elsewhere.
    get(&bench, &["-o", "y", &format!("tng://{}@{}/a", server.eid, server.address)]).expect(9);
    get(&bench, &["-o", "y", &url("gone")]).expect(78);
    // Control: where Trickles are served nothing falls back.
    let other = bench.start(&["trickles", "serve", "tree", "--bind", "127.0.0.1:0"]);
    let ended = get(&bench, &["-o", "two", &format!("tng://{}/a", other.ticket)]).expect(0);
    assert!(
        ended.events("fallback").is_empty() && !ended.stderr().contains("by structured streams"),
        "{}",
        ended.stderr()
    );
}

#[test]
fn a_server_of_structured_streams_in_the_place_of_one_that_was_killed_brings_the_rest() {
    let bench = Bench::new();
    let large = bench.write("tree/large", LARGE, 1);
    let server = bench.start(&["trickles", "serve", "tree", "--bind", "127.0.0.1:0"]);
    let (address, url) = (server.address.clone(), format!("tng://{}/large", server.ticket));
    let mut getting = bench.tng("client.key", &["trickles", "get", "--json", "-o", "copy", &url]);
    let getting = getting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    bench.wait_for_draft("copy", (LARGE / 2) as u64);
    server.kill();
    let streams = bench.serve(&["tree", "--bind", &address]);
    let ended = Ended(getting.wait_with_output().expect("it ends")).expect(0);
    assert_eq!(ended.events("fallback")[0]["to"], "streams", "the ticket of the one is good at the other");
    streams.kill();
    assert!(same(&large, &bench.path("copy")));
    let file = &ended.events("file")[0];
    assert_eq!(file["outcome"], "resumed");
    assert!(file["moved"].as_u64().expect("a number") < LARGE as u64, "{file}: what came is kept");
    // Control: where one may write as well, the ticket to read opens nothing.
    let writable = bench.serve(&["tree", "--writable", "--bind", &address]);
    get(&bench, &["-o", "other", &url]).expect(9);
    drop(writable);
}

/// A web server of one file on a port of TCP, for as many requests.
fn web(path: &'static str, body: Vec<u8>, requests: usize) -> (u16, std::thread::JoinHandle<()>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = listener.local_addr().expect("bound").port();
    let serving = std::thread::spawn(move || {
        for _ in 0..requests {
            let (mut tcp, _) = listener.accept().expect("somebody comes");
            let mut asked = String::new();
            let mut lines = BufReader::new(&tcp);
            while !asked.ends_with("\r\n\r\n") {
                assert!(lines.read_line(&mut asked).expect("text") > 0, "{asked}");
            }
            match asked.starts_with(&format!("GET {path} HTTP/1.0\r\n")) {
                true => {
                    tcp.write_all(format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes())
                        .and_then(|()| tcp.write_all(&body))
                        .expect("written");
                }
                false => tcp.write_all(b"HTTP/1.0 404 Not Found\r\n\r\n").expect("written"),
            }
        }
    });
    (port, serving)
}

#[test]
fn where_nobody_answers_a_file_comes_over_plain_tcp_if_that_was_asked_for_and_not_otherwise() {
    let bench = Bench::new();
    // At a port where nobody is.
    let closed = std::net::UdpSocket::bind("127.0.0.1:0").expect("bound").local_addr().expect("bound");
    bench.write("tree/a", 10, 1);
    let server = bench.start(&["trickles", "serve", "tree", "--public", "--bind", "127.0.0.1:0"]);
    let eid = server.eid.clone();
    let url = |path: &str| format!("tng://{eid}@{closed}/{path}");
    server.stop("TERM");
    let body = vec![7; 300_000];
    let (port, serving) = web("/films/a%20b", body.clone(), 2);
    let plain = format!("http://127.0.0.1:{port}/films");
    let (free, nobody) = web("/", Vec::new(), 0);
    nobody.join().expect("it is gone");
    // Beside each other, since each waits for those who do not answer.
    let begin = |args: &[&str]| {
        let mut getting = bench.tng("client.key", &[&["trickles", "get", "--json"], args].concat());
        getting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs")
    };
    let both = begin(&["--fallback-tcp", &plain, "--jobs", "1", "-o", "copies/", &url("a%20b"), &url("gone")]);
    let vain = begin(&["--fallback-tcp", &format!("http://127.0.0.1:{free}"), "-o", "x", &url("a%20b")]);
    // Control: nothing goes without protection unasked.
    let unasked = begin(&["-o", "y", &url("a%20b")]);
    let ended = |child: Child| Ended(child.wait_with_output().expect("it ends"));
    let both = ended(both).expect(78);
    assert_eq!(fs::read(bench.path("copies/a b")).expect("there"), body);
    assert!(both.stderr().contains("UNPROTECTED") && both.stderr().contains(&plain), "{}", both.stderr());
    assert_eq!((both.events("fallback").len(), &both.events("fallback")[0]["to"]), (1, &"tcp".into()));
    serving.join().expect("it served both");
    let vain = ended(vain).expect(7);
    assert!(vain.stderr().contains("UNPROTECTED") && vain.stderr().contains("refused"), "{}", vain.stderr());
    let unasked = ended(unasked).expect(7);
    assert!(unasked.events("fallback").is_empty() && !bench.path("y").exists());
    assert!(unasked.stderr().contains("by structured streams"), "{}", unasked.stderr());
}

/// The texts of the traces in a folder whose names have this part.
fn traces(bench: &Bench, folder: &str, part: &str) -> Vec<String> {
    let files = fs::read_dir(bench.path(folder)).expect("made").map(|file| file.expect("a file").path());
    let named = files.filter(|path| path.to_string_lossy().contains(part));
    named.map(|path| fs::read_to_string(path).expect("text")).collect()
}

#[test]
fn both_ends_write_down_what_they_do_and_a_fallback_goes_into_the_same_files() {
    let bench = Bench::new();
    bench.write("tree/a", 300_000, 1);
    let watched = |mut command: Command, name: &str| {
        command.env("TNG_TRACE", bench.path(name)).env("TNG_PCAPNG", bench.path(&format!("{name}.pcapng")));
        command
    };
    let serve = ["trickles", "serve", "tree", "--bind", "127.0.0.1:0", "--json"];
    let server = bench.run(watched(bench.tng("server.key", &serve), "server"));
    let get = |url: &str, copy: &str, name: &str| {
        let command = bench.tng("client.key", &["trickles", "get", "--json", "-o", copy, url]);
        Ended(watched(command, name).output().expect("it runs")).expect(0);
    };
    get(&format!("tng://{}/a", server.ticket), "copy", "client");
    server.stop("TERM");
    for name in ["client", "server"] {
        let found = traces(&bench, name, "-trickles-");
        let [trace] = &found[..] else { panic!("one of {name}: {}", found.len()) };
        let count = |words: &str| trace.matches(words).count();
        assert!(count("\"tng_message\":\"REQUEST\"") > 5 && count("\"tng_message\":\"RESPONSE\"") > 200, "{name}");
        assert!(count("\"tng_message\":\"INIT\"") >= 1 && count("\"tng_message\":\"REPLY\"") >= 1, "{name}");
        assert!(count("tng:counts") > 0 && count(&format!("\"type\":\"{name}\"")) == 1, "{name}");
        // 300 kB crossed the socket.
        let capture = fs::read(bench.path(&format!("{name}.pcapng"))).expect("made");
        assert_eq!(capture[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
        assert!(capture.len() > 300_000, "{name}: {}", capture.len());
        assert!(capture.windows(3).any(|bytes| bytes == [0xa1, 0, 1]), "{name}: an INIT");
    }
    // What a client does by structured streams stands behind the INITs that nobody served.
    let other = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    get(&format!("tng://{}/a", other.ticket), "copy2", "fallen");
    assert_eq!((traces(&bench, "fallen", "-trickles-").len(), traces(&bench, "fallen", "").len()), (1, 2));
    assert!(traces(&bench, "fallen", "-trickles-")[0].contains("\"new\":\"closing\""));
    let capture = fs::read(bench.path("fallen.pcapng")).expect("made");
    let begins = capture.windows(4).filter(|bytes| *bytes == [0x0a, 0x0d, 0x0d, 0x0a]).count();
    assert!(begins == 2 && capture.len() > 300_000, "{begins} sections, {} bytes", capture.len());
}

fn serve(bench: &Bench, args: &[&str]) -> Ended {
    let serve = [&["trickles", "serve", "--bind", "127.0.0.1:0", "--json"], args].concat();
    Ended(bench.tng("server.key", &serve).output().expect("it runs"))
}

#[test]
fn a_server_alone_makes_its_keys_for_its_owner_alone_and_leaves_at_a_signal() {
    let bench = Bench::new();
    bench.write("tree/a", 10, 1);
    let args = ["trickles", "serve", "tree", "--bind", "127.0.0.1:0"];
    let server = bench.start(&args);
    assert!(server.ticket.starts_with("tng1") && server.address.starts_with("127.0.0.1:"));
    let made = fs::read(bench.path("server.key.epochs")).expect("made");
    assert_eq!(fs::metadata(bench.path("server.key.epochs")).expect("there").permissions().mode() & 0o777, 0o600);
    server.stop("TERM");
    let again = bench.start(&args);
    assert_eq!(fs::read(bench.path("server.key.epochs")).expect("there"), made);
    again.stop("INT");
}

#[test]
fn keys_that_are_missing_or_that_others_can_read_end_with_26_and_a_remedy() {
    let bench = Bench::new();
    bench.write("tree/a", 10, 1);
    let ended = serve(&bench, &["tree", "--keys", "epochs"]).expect(26);
    assert!(ended.stderr().contains("there is no such file"), "{}", ended.stderr());
    assert!(ended.stderr().contains("tng trickles keys new epochs") && !bench.path("epochs").exists());
    keys(&bench, &["new", "epochs"]).expect(0);
    let again = keys(&bench, &["new", "epochs"]).expect(73);
    assert!(again.stderr().contains("keys rotate"), "{}", again.stderr());
    fs::set_permissions(bench.path("epochs"), fs::Permissions::from_mode(0o644)).expect("changed");
    let ended = serve(&bench, &["tree", "--keys", "epochs"]).expect(26);
    assert!(ended.stderr().contains("others can read it (mode 644)") && ended.stderr().contains("chmod 600"));
    fs::write(bench.path("nonsense"), "hello").expect("written");
    fs::set_permissions(bench.path("nonsense"), fs::Permissions::from_mode(0o600)).expect("changed");
    let ended = serve(&bench, &["tree", "--keys", "nonsense"]).expect(26);
    assert!(ended.stderr().contains("tngepochs2"), "{}", ended.stderr());
    serve(&bench, &["gone"]).expect(26);
    fs::set_permissions(bench.path("epochs"), fs::Permissions::from_mode(0o600)).expect("changed");
    let ended = serve(&bench, &["tree", "--keys", "mistyped/epochs"]).expect(2);
    assert!(ended.stderr().contains("no folder mistyped") && !bench.path("mistyped").exists(), "{}", ended.stderr());
    let ended = serve(&bench, &["epochs", "--keys", "epochs"]).expect(2);
    assert!(ended.stderr().contains("the server's own"), "{}", ended.stderr());
}

#[test]
fn keys_are_shown_without_a_secret_and_a_rotation_waits_for_the_last_one() {
    let bench = Bench::new();
    let made = keys(&bench, &["new", "epochs"]).expect(0).events("made").remove(0);
    assert_eq!((&made["rotations"], made["secrets"].as_array().map(Vec::len)), (&0.into(), Some(1)));
    let secret = fs::read_to_string(bench.path("epochs")).expect("there");
    let secret = secret.lines().nth(1).and_then(|line| line.split(' ').nth(1)).expect("a secret").to_owned();
    let rotated = keys(&bench, &["rotate", "epochs"]).expect(0).events("rotated").remove(0);
    assert_eq!((&rotated["rotations"], &rotated["fleet"]), (&1.into(), &made["fleet"]));
    let begins = rotated["secrets"][1]["begins_in_s"].as_u64().expect("a number");
    assert!((590..=1_200).contains(&begins), "{rotated}");
    let again = keys(&bench, &["rotate", "epochs"]).expect(81);
    assert!(again.stderr().contains("the last rotation begins") && again.stderr().contains("--at-once"));
    let shown = keys(&bench, &["show", "epochs"]).expect(0);
    assert!(!shown.stderr().contains(&secret) && !String::from_utf8_lossy(&shown.0.stdout).contains(&secret));
    assert_eq!(shown.events("keys")[0]["rotations"], 1);
    keys(&bench, &["rotate", "--at-once", "epochs"]).expect(0);
    assert!(!fs::read_to_string(bench.path("epochs")).expect("there").contains(&secret));
}

#[test]
fn servers_take_a_rotated_file_up_while_they_run_and_refuse_others_by_name() {
    let bench = Bench::new();
    let large = bench.write("tree/large", LARGE, 1);
    keys(&bench, &["new", "fleet.epochs"]).expect(0);
    keys(&bench, &["new", "other.epochs"]).expect(0);
    let old = fs::read(bench.path("fleet.epochs")).expect("there");
    let args = ["trickles", "serve", "tree", "--public", "--bind", "127.0.0.1:0", "--keys", "fleet.epochs"];
    let mut server = bench.start(&args);
    let url = format!("tng://{}@{}/large", server.eid, server.address);
    let mut getting = bench.tng("client.key", &["trickles", "get", "--json", "-o", "copy", &url]);
    let getting = getting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    bench.wait_for_draft("copy", (LARGE / 4) as u64);
    let mut next = || {
        let line = server.next_event();
        (line["event"].as_str().unwrap_or_default().to_owned(), line)
    };
    keys(&bench, &["rotate", "fleet.epochs"]).expect(0);
    let (name, line) = next();
    assert_eq!((&*name, &line["rotations"]), ("keys_rotated", &1.into()), "{line}");
    let rotated = fs::read(bench.path("fleet.epochs")).expect("there");
    for (bytes, why) in
        [(&old, "it was rotated away"), (&fs::read(bench.path("other.epochs")).expect("there"), "another fleet")]
    {
        fs::write(bench.path("fleet.epochs"), bytes).expect("written");
        let (name, line) = next();
        assert!(name == "keys_refused" && line["why"].as_str().is_some_and(|it| it.contains(why)), "{line}");
        fs::write(bench.path("fleet.epochs"), &rotated).expect("written");
    }
    // Those who were there before go on, and a further one comes in.
    let ended = Ended(getting.wait_with_output().expect("it ends")).expect(0);
    assert!(same(&large, &bench.path("copy")) && ended.events("reconnecting").is_empty());
    keys(&bench, &["rotate", "--at-once", "fleet.epochs"]).expect(0);
    let (name, line) = next();
    assert_eq!((&*name, &line["rotations"]), ("keys_rotated", &2.into()), "{line}");
    get(&bench, &["-o", "again", &url]).expect(0);
    server.stop("TERM");
}
