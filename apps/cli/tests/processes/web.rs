//! `tng trickles proxy` and `tng trickles gateway`: programs that know nothing of Trickles, and bad ones.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::bench::{self, Bench, Ended, PATIENCE, Serving, free_port, rest, same, wait};

/// Bytes of a file that takes a while.
const LARGE: usize = 40_000_000;

/// Whether a program is here. The run of all checks has them all, and says so.
fn has(program: &str) -> bool {
    bench::has(program, "TNG_NEED_HTTP")
}

/// Where programs come in.
struct Front {
    serving: Serving,
    at: SocketAddr,
}

impl Front {
    fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.at)
    }

    /// What is answered to these bytes, after which nothing more is sent.
    fn raw(&self, bytes: &[u8]) -> String {
        String::from_utf8_lossy(&exchange(self.at, bytes)).into_owned()
    }

    /// Status and body of a request.
    fn ask(&self, line: &str, fields: &str) -> (u16, Vec<u8>) {
        ask(self.at, line, fields)
    }
}

fn exchange(at: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut tcp = TcpStream::connect(at).expect("it listens");
    tcp.set_read_timeout(Some(PATIENCE)).expect("set");
    // Who is refused need not take all.
    let _ = tcp.write_all(bytes);
    let _ = tcp.shutdown(Shutdown::Write);
    let (mut answer, mut buf) = (Vec::new(), [0; 65_536]);
    while let Ok(len @ 1..) = tcp.read(&mut buf) {
        answer.extend_from_slice(&buf[..len]);
    }
    answer
}

fn ask(at: SocketAddr, line: &str, fields: &str) -> (u16, Vec<u8>) {
    let host = if fields.contains("Host:") { String::new() } else { format!("Host: {at}\r\n") };
    let answer = exchange(at, format!("{line} HTTP/1.1\r\n{host}{fields}Connection: close\r\n\r\n").as_bytes());
    let end = answer.windows(4).position(|at| at == b"\r\n\r\n").unwrap_or_else(|| panic!("no head for {line}"));
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    (head[9..12].parse().expect("a status"), answer[end + 4..].to_vec())
}

/// Starts a proxy or a gateway, and waits until it listens.
fn front(bench: &Bench, args: &[&str]) -> Front {
    front_of(bench.tng("client.key", &[&["trickles"], args, &["--json"]].concat()), bench)
}

fn front_of(command: Command, bench: &Bench) -> Front {
    let mut serving = bench.run(command);
    // It may tell first by which way it fetches.
    let mut said = serving.said.clone();
    while said["event"] != "listening" {
        said = serving.next_event();
    }
    let at: SocketAddr = said["address"].as_str().expect("an address").parse().expect("an address");
    let at = if at.ip().is_unspecified() { SocketAddr::from(([127, 0, 0, 1], at.port())) } else { at };
    Front { serving, at }
}

fn proxy(bench: &Bench, ticket: &str) -> Front {
    front(bench, &["proxy", "--listen", "127.0.0.1:0", ticket])
}

/// A server of the folder `tree`.
fn serve(bench: &Bench, at: &str) -> Serving {
    bench.start(&["trickles", "serve", "tree", "--public", "--bind", at])
}

fn curl(bench: &Bench, args: &[&str]) -> Child {
    let mut command = Command::new("curl");
    command
        .args(["-sS"])
        .args(args)
        .current_dir(bench.path(""))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("curl runs")
}

#[track_caller]
fn curls(bench: &Bench, args: &[&str], code: i32) -> Vec<u8> {
    Ended(curl(bench, args).wait_with_output().expect("it ends")).expect(code).0.stdout
}

#[test]
fn curl_fetches_files_their_parts_what_is_missing_and_many_at_once() {
    if !has("curl") {
        return;
    }
    let bench = Bench::new();
    let file = bench.write("tree/a b/file.bin", 3_000_000, 1);
    bench.write("tree/empty", 0, 2);
    for n in 1..=60 {
        bench.write(&format!("tree/many/{n}"), 1_000 * n, n as u64);
    }
    let server = serve(&bench, "127.0.0.1:0");
    let front = proxy(&bench, &server.ticket);
    let bytes = fs::read(&file).expect("there");
    curls(&bench, &["-f", "-o", "whole", &front.url("a%20b/file.bin")], 0);
    assert!(same(&file, &bench.path("whole")));
    assert_eq!(curls(&bench, &["-f", &front.url("empty")], 0), b"");
    assert!(curls(&bench, &["-f", "-r", "10-99", &front.url("a%20b/file.bin")], 0) == bytes[10..100]);
    assert!(curls(&bench, &["-f", "-r", "-7", &front.url("a%20b/file.bin")], 0) == bytes[2_999_993..]);
    fs::write(bench.path("part"), &bytes[..1_000_000]).expect("written");
    let said =
        curls(&bench, &["-f", "-C", "-", "-o", "part", "-w", "%{size_download}", &front.url("a%20b/file.bin")], 0);
    assert_eq!(said, b"2000000", "nothing comes twice");
    assert!(same(&file, &bench.path("part")));
    // All is there already.
    let again = curls(&bench, &["-C", "-", "-o", "part", "-w", "%{http_code}", &front.url("a%20b/file.bin")], 0);
    assert_eq!(again, b"416");
    let head = String::from_utf8(curls(&bench, &["-f", "-I", &front.url("a%20b/file.bin")], 0)).expect("text");
    for field in ["Content-Length: 3000000", "Accept-Ranges: bytes", "ETag: \"", "Last-Modified: "] {
        assert!(head.contains(field), "{field} in {head}");
    }
    let many = front.url("many/[1-60]");
    curls(&bench, &["-f", "--parallel", "--parallel-max", "40", "--create-dirs", "-o", "got/#1", &many], 0);
    for n in 1..=60 {
        assert!(same(&bench.path(&format!("tree/many/{n}")), &bench.path(&format!("got/{n}"))), "{n}");
    }
    // One connection for all, one after the other.
    let connects = curls(&bench, &["-f", "-o", "got/#1", "-w", "%{num_connects} ", &front.url("many/[1-9]")], 0);
    assert_eq!(connects, b"1 0 0 0 0 0 0 0 0 ");
    // A folder without its slash, a page, nothing.
    let place = curls(&bench, &["-o", "x", "-w", "%{http_code} %{redirect_url}", &front.url("a%20b")], 0);
    assert_eq!(String::from_utf8_lossy(&place), format!("301 {}", front.url("a%20b/")));
    let page = String::from_utf8(curls(&bench, &["-f", &front.url("")], 0)).expect("text");
    assert!(page.contains("<a href=\"./a%20b/\">a b/</a>") && page.contains("<a href=\"./empty\">empty</a>"), "{page}");
    curls(&bench, &["-f", &front.url("gone")], 22);
}

#[test]
fn wget_mirrors_a_folder_by_its_pages_and_goes_on_with_a_file() {
    if !has("wget") {
        return;
    }
    let bench = Bench::new();
    let names = ["one", "sub/two", "sub/deep/a & b", "sub/50%", "sub/colon:name"];
    for (n, name) in names.iter().enumerate() {
        bench.write(&format!("tree/{name}"), 100_000, n as u64);
    }
    let server = serve(&bench, "127.0.0.1:0");
    let front = proxy(&bench, &server.ticket);
    let wget = |args: &[&str]| {
        let mut command = Command::new("wget");
        command
            .args(["-q"])
            .args(args)
            .current_dir(bench.path(""))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        Ended(command.output().expect("wget runs"))
    };
    wget(&["-r", "-np", "-nH", "-P", "copy", &front.url("")]).expect(0);
    for name in names {
        assert!(same(&bench.path(&format!("tree/{name}")), &bench.path(&format!("copy/{name}"))), "{name}");
    }
    let whole = fs::read(bench.path("tree/one")).expect("there");
    fs::write(bench.path("one"), &whole[..60_000]).expect("written");
    wget(&["-c", &front.url("one")]).expect(0);
    assert!(same(&bench.path("tree/one"), &bench.path("one")));
    // What has not changed is not fetched again.
    let before = fs::metadata(bench.path("one")).and_then(|found| found.modified()).expect("there");
    wget(&["-N", &front.url("one")]).expect(0);
    assert_eq!(fs::metadata(bench.path("one")).and_then(|found| found.modified()).expect("there"), before);
}

#[test]
fn a_download_goes_on_though_its_server_is_killed_and_started_again() {
    if !has("curl") {
        return;
    }
    let bench = Bench::new();
    let file = bench.write("tree/file", LARGE, 1);
    let mut server = serve(&bench, "127.0.0.1:0");
    let address = server.address.clone();
    for args in [&["proxy", "--listen", "127.0.0.1:0"][..], &["gateway", "--listen", "127.0.0.1:0"]] {
        let front = front(&bench, &[args, &[&server.ticket]].concat());
        let getting = curl(&bench, &["-f", "-o", "copy", &front.url("file")]);
        for part in 1..=3 {
            bench.wait_for("copy", (LARGE * part / 4) as u64);
            server.kill();
            server = serve(&bench, &address);
        }
        let ended = Ended(getting.wait_with_output().expect("it ends")).expect(0);
        assert_eq!(ended.stderr(), "");
        assert!(same(&file, &bench.path("copy")));
        fs::remove_file(bench.path("copy")).expect("there");
        front.serving.stop("TERM");
    }
}

#[test]
fn a_download_goes_on_at_the_other_server_of_a_fleet() {
    if !has("curl") {
        return;
    }
    let bench = Bench::new();
    let file = bench.write("tree/file", LARGE, 1);
    Ended(bench.tng("server.key", &["trickles", "keys", "new", "epochs"]).output().expect("it runs")).expect(0);
    let start = |at: &str| bench.start(&["trickles", "serve", "tree", "--public", "--keys", "epochs", "--bind", at]);
    let (one, other) = (start("127.0.0.1:0"), start("127.0.0.1:0"));
    let target = format!("tng://{}@{},{}/", one.eid, one.address, other.address);
    let front = front(&bench, &["gateway", "--listen", "127.0.0.1:0", &target]);
    let getting = curl(&bench, &["-f", "-o", "copy", &front.url("file")]);
    bench.wait_for("copy", (LARGE / 2) as u64);
    one.kill();
    let ended = Ended(getting.wait_with_output().expect("it ends")).expect(0);
    assert_eq!(ended.stderr(), "");
    assert!(same(&file, &bench.path("copy")));
    drop(other);
}

#[test]
fn a_download_goes_on_by_structured_streams_if_those_alone_are_there_afterwards() {
    if !has("curl") {
        return;
    }
    let bench = Bench::new();
    let file = bench.write("tree/file", LARGE, 1);
    let server = serve(&bench, "127.0.0.1:0");
    let address = server.address.clone();
    let front = front(&bench, &["gateway", "--listen", "127.0.0.1:0", &server.ticket]);
    let getting = curl(&bench, &["-f", "-o", "copy", &front.url("file")]);
    bench.wait_for("copy", (LARGE / 2) as u64);
    server.kill();
    let _server = bench.serve(&["tree", "--public", "--bind", &address]);
    let ended = Ended(getting.wait_with_output().expect("it ends")).expect(0);
    assert_eq!(ended.stderr(), "");
    assert!(same(&file, &bench.path("copy")));
    let events = front.serving.end("TERM");
    let resumed = events.iter().find(|event| event["event"] == "resumed").expect("it is told");
    assert!(
        resumed["path"] == "file" && resumed["at"].as_u64().is_some_and(|at| at >= (LARGE / 4) as u64),
        "{resumed}"
    );
}

#[test]
fn several_ranges_of_one_tag_asked_for_at_once_make_the_whole_as_browsers_fetch() {
    const PARTS: usize = 8;
    let bench = Bench::new();
    let file = fs::read(bench.write("tree/file", LARGE / 4, 1)).expect("there");
    let server = serve(&bench, "127.0.0.1:0");
    let front = proxy(&bench, &server.ticket);
    let head = front.raw(format!("HEAD /file HTTP/1.1\r\nHost: {}\r\n\r\n", front.at).as_bytes());
    let tag = head.lines().find_map(|line| line.strip_prefix("ETag: ")).expect("there is one").to_owned();
    let (at, len) = (front.at, file.len() / PARTS);
    let asking: Vec<_> = (0..PARTS)
        .map(|part| {
            let fields = format!("Range: bytes={}-{}\r\nIf-Range: {tag}\r\n", part * len, (part + 1) * len - 1);
            std::thread::spawn(move || ask(at, "GET /file", &fields))
        })
        .collect();
    for (part, asked) in asking.into_iter().enumerate() {
        let (status, body) = asked.join().expect("it ends");
        assert!(status == 206 && body == file[part * len..(part + 1) * len], "{part}: {status}");
    }
}

#[test]
fn a_head_that_does_not_come_in_time_is_told_so() {
    let bench = Bench::new();
    bench.write("tree/file", 1_000, 1);
    let server = serve(&bench, "127.0.0.1:0");
    let front = proxy(&bench, &server.ticket);
    let mut tcp = TcpStream::connect(front.at).expect("it listens");
    tcp.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
    // A line now and then, and no end.
    tcp.write_all(b"GET /file HTTP/1.1\r\n").expect("written");
    for _ in 0..5 {
        rest(1_000);
        tcp.write_all(b"A: b\r\n").expect("written");
    }
    let mut said = String::new();
    tcp.read_to_string(&mut said).expect("text");
    assert!(said.starts_with("HTTP/1.1 408 ") && said.contains("Connection: close"), "{said}");
}

#[test]
fn what_a_client_has_of_another_file_is_not_gone_on_with() {
    if !has("curl") {
        return;
    }
    let bench = Bench::new();
    bench.write("tree/file", 100_000, 1);
    let server = serve(&bench, "127.0.0.1:0");
    let front = proxy(&bench, &server.ticket);
    let head = front.raw(format!("HEAD /file HTTP/1.1\r\nHost: {}\r\n\r\n", front.at).as_bytes());
    let field = |name: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(name)).expect("the field is there");
        line.trim().to_owned()
    };
    let (tag, modified) = (field("ETag:"), field("Last-Modified:"));
    let status = |fields: &str| front.ask("GET /file", fields).0;
    assert_eq!(status(&format!("If-None-Match: {tag}\r\n")), 304);
    for range in [&tag, &modified] {
        assert_eq!(status(&format!("Range: bytes=50000-\r\nIf-Range: {range}\r\n")), 206);
    }
    // Another file, of the same length and a later time.
    bench.write("other", 100_000, 2);
    let changed = fs::metadata(bench.path("tree/file")).and_then(|found| found.modified()).expect("there");
    let later = changed + Duration::from_secs(10);
    File::options().write(true).open(bench.path("other")).and_then(|file| file.set_modified(later)).expect("set");
    fs::rename(bench.path("other"), bench.path("tree/file")).expect("replaced");
    let new = fs::read(bench.path("tree/file")).expect("there");
    for range in [&tag, &modified] {
        let (status, body) = front.ask("GET /file", &format!("Range: bytes=50000-\r\nIf-Range: {range}\r\n"));
        assert!(status == 200 && body == new, "{status}");
    }
    assert_eq!(status(&format!("If-None-Match: {tag}\r\n")), 200);
    assert_eq!(status(&format!("If-Match: {tag}\r\n")), 412);
    // As curl says it.
    fs::write(bench.path("part"), &new[..10]).expect("written");
    let args = ["-H", &format!("If-Range: {tag}"), "-r", "10-", "-o", "part", "-w", "%{http_code}", &front.url("file")];
    assert_eq!(curls(&bench, &args, 0), b"200");
    assert!(fs::read(bench.path("part")).expect("there") == new);
}

#[test]
fn a_file_that_changes_while_it_comes_is_cut_off_and_whole_at_the_next_try() {
    if !has("curl") {
        return;
    }
    let bench = Bench::new();
    let file = bench.write("tree/file", LARGE, 1);
    let server = serve(&bench, "127.0.0.1:0");
    let front = proxy(&bench, &server.ticket);
    let getting = curl(&bench, &["-f", "--limit-rate", "10M", "-o", "copy", &front.url("file")]);
    bench.wait_for("copy", (LARGE / 4) as u64);
    File::options().write(true).open(&file).and_then(|file| file.set_len((LARGE / 4 * 3) as u64)).expect("cut");
    let ended = Ended(getting.wait_with_output().expect("it ends"));
    // Partial, or reset: whichever curl meets first.
    assert!([Some(18), Some(56)].contains(&ended.code()), "{:?}: {}", ended.code(), ended.stderr());
    curls(&bench, &["-f", "-o", "copy", &front.url("file")], 0);
    assert!(same(&file, &bench.path("copy")));
}

#[test]
fn names_lead_to_servers_by_socks_and_as_by_any_proxy_of_http() {
    if !has("curl") {
        return;
    }
    let bench = Bench::new();
    let (one, two) = (bench.write("tree/file", 1_000, 1), bench.write("films/file", 1_000, 2));
    let server = serve(&bench, "127.0.0.1:0");
    let other = bench.start(&["trickles", "serve", "films", "--public", "--bind", "127.0.0.1:0"]);
    let named = format!("films={}", other.ticket);
    let front = front(&bench, &["proxy", "--listen", "127.0.0.1:0", &server.ticket, &named]);
    let at = front.at.to_string();
    for args in [&["--socks5-hostname", &at[..]][..], &["-x", &at], &["-p", "-x", &at]] {
        for (host, file) in [("files", &one), ("films", &two), ("FILMS", &two)] {
            let url = format!("http://{host}/file");
            assert!(
                curls(&bench, &[args, &["-f", &url]].concat(), 0) == fs::read(file).expect("there"),
                "{args:?} {host}"
            );
        }
        // Nobody else's name, and no TLS.
        let code =
            curl(&bench, &[args, &["-f", "http://example.org/file"]].concat()).wait_with_output().expect("it ends");
        assert!(!code.status.success(), "{args:?}");
    }
    assert_ne!(curl(&bench, &["-x", &at, "https://films/file"]).wait().expect("it ends").code(), Some(0));
    // A page that has its own name lead here reads nothing.
    let (status, body) = front.ask("GET /file", &format!("Host: evil.example:{}\r\n", front.at.port()));
    assert_eq!(status, 421, "{}", String::from_utf8_lossy(&body));
    assert!(String::from_utf8_lossy(&body).contains("files, films"));
    assert_eq!(front.ask("GET /file", "Host: films\r\n").0, 200, "control");
}

#[test]
fn a_gateway_serves_whoever_comes_by_any_name_and_one_file_without_a_word() {
    let bench = Bench::new();
    let file = bench.write("tree/sub/file", 3_000_000, 1);
    let server = serve(&bench, "127.0.0.1:0");
    let args = ["gateway", "--listen", "127.0.0.1:0", "--tcp", "127.0.0.1:0=/sub/file", &server.ticket];
    let mut command = bench.tng("client.key", &[&["trickles"], &args[..], &["--json"]].concat());
    command.stderr(Stdio::null());
    let serving = bench.run(command);
    let outlet: SocketAddr = serving.said["address"].as_str().expect("an address").parse().expect("an address");
    assert_eq!(serving.said["event"], "pouring");
    let mut serving = serving;
    let at = serving.next_event()["address"].as_str().expect("an address").parse().expect("an address");
    let front = Front { serving, at };
    let bytes = fs::read(&file).expect("there");
    assert!(exchange(outlet, b"") == bytes);
    assert!(exchange(outlet, b"GET / HTTP/1.1\r\n\r\n") == bytes, "nothing is heard there");
    assert_eq!(front.ask("GET /sub/file", "Host: www.example\r\n"), (200, bytes.clone()));
    assert_eq!(front.ask("GET http://www.example/sub/file", "Host: x\r\n"), (200, bytes));
    // It is no proxy.
    assert_eq!(front.ask("CONNECT www.example:80", "").0, 421);
    assert!(front.raw(b"\x05\x01\x00").starts_with("HTTP/1.1 400") || front.raw(b"\x05\x01\x00").is_empty());
    // A file that is not there: nothing, and a failure.
    let nowhere = front_nowhere(&bench, &server.ticket);
    let mut tcp = TcpStream::connect(nowhere.1).expect("it listens");
    assert!(tcp.read(&mut [0; 10]).is_err(), "reset");
}

fn front_nowhere(bench: &Bench, ticket: &str) -> (Serving, SocketAddr) {
    let args = ["trickles", "gateway", "--listen", "127.0.0.1:0", "--tcp", "127.0.0.1:0=/gone", ticket, "--json"];
    let serving = bench.run(bench.tng("client.key", &args));
    let at = serving.said["address"].as_str().expect("an address").parse().expect("an address");
    (serving, at)
}

#[test]
fn requests_that_are_smuggled_endless_or_contradict_themselves_are_refused_and_their_connection_ends() {
    let bench = Bench::new();
    bench.write("tree/file", 1_000, 1);
    let server = serve(&bench, "127.0.0.1:0");
    let front = proxy(&bench, &server.ticket);
    let host = format!("Host: {}\r\n", front.at);
    let follow = format!("GET /file HTTP/1.1\r\n{host}\r\n");
    for (fields, status) in [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400),
        ("Content-Length: 0\r\nContent-Length: 0\r\n", 400),
        ("Content-Length: 30\r\n", 400),
        ("Transfer-Encoding: chunked\r\n", 400),
        ("Transfer-Encoding : chunked\r\n", 400),
        ("A: b\r\n folded: yes\r\n", 400),
        ("A: b\nContent-Length: 30\r\n", 400),
        ("Range: bytes=0-1\r\nRange: bytes=5-6\r\n", 400),
        ("Host: another\r\n", 400),
    ] {
        let said = front.raw(format!("GET /file HTTP/1.1\r\n{host}{fields}\r\n{follow}").as_bytes());
        assert!(said.starts_with(&format!("HTTP/1.1 {status} ")), "{fields:?}: {said}");
        assert_eq!(said.matches("HTTP/1.1 ").count(), 1, "what follows is not read: {said}");
        assert!(said.contains("Connection: close"), "{said}");
    }
    for (line, status) in [
        ("GET /file HTTP/1.2", 505),
        ("GET /file HTTP/2.0", 505),
        ("GET /../file HTTP/1.1", 400),
        ("GET /%2e%2e/file HTTP/1.1", 400),
        ("GET /a%00b HTTP/1.1", 400),
        ("GET  /file HTTP/1.1", 400),
        ("POST /file HTTP/1.1", 405),
        ("TRACE /file HTTP/1.1", 405),
    ] {
        let said = front.raw(format!("{line}\r\n{host}\r\n").as_bytes());
        assert!(said.starts_with(&format!("HTTP/1.1 {status} ")), "{line}: {said}");
    }
    let endless = [follow.trim_end().as_bytes(), b"\r\n", &b"A: b\r\n".repeat(1 << 16)].concat();
    assert!(front.raw(&endless).starts_with("HTTP/1.1 431 "));
    let long = format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(10_000));
    assert!(front.raw(long.as_bytes()).starts_with("HTTP/1.1 414 "));
    for range in ["5-2", "0-1,5-2", "-", "x", "1000-"] {
        assert_eq!(front.ask("GET /file", &format!("Range: bytes={range}\r\n")).0, 416, "{range}");
    }
    // Control: what is right is answered, and what follows it, too.
    let said = front.raw(format!("{follow}{follow}").as_bytes());
    assert_eq!(said.matches("HTTP/1.1 200 OK").count(), 2, "{said}");
}

/// What nginx serves, of the folder `tree`.
struct Nginx {
    child: Child,
    at: SocketAddr,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn nginx(bench: &Bench) -> Nginx {
    let port = free_port();
    let folder = bench.path("");
    let folder = folder.to_str().expect("text").trim_end_matches('/');
    let config = format!(
        "daemon off; master_process off; pid {folder}/nginx.pid; error_log stderr;\n\
         events {{ }}\n\
         http {{ access_log off; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2;\n\
         fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;\n\
         types {{ text/plain txt; }} default_type application/octet-stream;\n\
         server {{ listen 127.0.0.1:{port}; root {folder}/tree; autoindex on; }} }}\n"
    );
    fs::write(bench.path("nginx.conf"), config).expect("written");
    let mut command = Command::new("nginx");
    command.args(["-c", &format!("{folder}/nginx.conf"), "-p", folder]).stdin(Stdio::null());
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("nginx runs");
    let at = SocketAddr::from(([127, 0, 0, 1], port));
    let nginx = Nginx { child, at };
    wait("nginx to listen", || TcpStream::connect(at).is_ok());
    nginx
}

#[test]
fn the_same_requests_bring_the_same_status_and_the_same_bytes_as_from_nginx() {
    if !has("nginx") {
        return;
    }
    let bench = Bench::new();
    bench.write("tree/a.txt", 10_000, 1);
    bench.write("tree/sub/b c", 1_000_000, 2);
    bench.write("tree/empty", 0, 3);
    // nginx may run as another user.
    Command::new("chmod").args(["-R", "a+rX"]).arg(bench.path("")).status().expect("it runs");
    let nginx = nginx(&bench);
    let server = serve(&bench, "127.0.0.1:0");
    let front = proxy(&bench, &server.ticket);
    let past = "Mon, 01 Jan 2001 00:00:00 GMT";
    let (dated, undated) = (format!("If-Modified-Since: {past}\r\n"), format!("If-Unmodified-Since: {past}\r\n"));
    let (old_range, no_range) =
        (format!("Range: bytes=0-9\r\nIf-Range: {past}\r\n"), "Range: bytes=0-9\r\nIf-Range: \"x\"\r\n");
    let mut compared = 0;
    for (line, fields) in [
        ("GET /a.txt", ""),
        ("HEAD /a.txt", ""),
        ("GET /sub/b%20c", ""),
        ("GET /sub/b%20c?query=1", ""),
        ("GET /empty", ""),
        ("GET /gone", ""),
        ("GET /sub/gone/further", ""),
        ("GET /../etc/passwd", ""),
        ("GET /a.txt", "Range: bytes=0-0\r\n"),
        ("GET /a.txt", "Range: bytes=100-199\r\n"),
        ("GET /a.txt", "Range: bytes=9999-\r\n"),
        ("GET /a.txt", "Range: bytes=0-\r\n"),
        ("GET /a.txt", "Range: bytes=-1\r\n"),
        ("GET /a.txt", "Range: bytes=-20000\r\n"),
        ("GET /a.txt", "Range: bytes=5-20000\r\n"),
        ("GET /a.txt", "Range: bytes=10000-\r\n"),
        ("GET /a.txt", "Range: bytes=20000-30000\r\n"),
        ("GET /a.txt", "Range: bytes=-0\r\n"),
        ("GET /a.txt", "Range: bytes=9-5\r\n"),
        ("GET /a.txt", "Range: bytes=a-b\r\n"),
        ("GET /a.txt", "Range: lines=0-5\r\n"),
        ("GET /a.txt", "Range: bytes=0-9999,0-9999\r\n"),
        ("GET /a.txt", "Range: bytes=20000-,5-9\r\n"),
        ("GET /empty", "Range: bytes=0-\r\n"),
        ("GET /empty", "Range: bytes=-5\r\n"),
        ("GET /empty", "Range: bytes=5-\r\n"),
        ("GET /sub/b%20c", "Range: bytes=123456-654321\r\n"),
        ("GET /a.txt", &dated),
        ("GET /a.txt", &undated),
        ("GET /a.txt", "If-None-Match: *\r\n"),
        ("GET /a.txt", "If-None-Match: \"x\"\r\n"),
        ("GET /a.txt", "If-Match: \"x\"\r\n"),
        ("GET /a.txt", "If-Match: *\r\n"),
        ("GET /a.txt", &old_range),
        ("GET /a.txt", no_range),
        ("GET /a.txt", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        ("GET /a.txt", "Host: a\r\nHost: b\r\n"),
        ("POST /a.txt", "Content-Length: 0\r\n"),
    ] {
        // Names of hosts are another matter: a proxy answers to few.
        let (theirs, ours) = (ask(nginx.at, line, fields), front.ask(line, fields));
        let is_file = matches!(theirs.0, 200 | 206);
        // 304 and errors have texts of their own.
        assert_eq!(theirs.0, ours.0, "{line} {fields:?}");
        assert!(!is_file || theirs.1 == ours.1, "{line} {fields:?}: {} and {}", theirs.1.len(), ours.1.len());
        compared += 1;
    }
    assert!(compared >= 38);
    let head = String::from_utf8_lossy(&exchange(nginx.at, b"HEAD /a.txt HTTP/1.0\r\n\r\n")).into_owned();
    let modified = head.lines().find_map(|line| line.strip_prefix("Last-Modified: ")).expect("it says so").to_owned();
    let since = format!("If-Modified-Since: {modified}\r\n");
    assert_eq!((ask(nginx.at, "GET /a.txt", &since).0, front.ask("GET /a.txt", &since).0), (304, 304));
    // A folder without its slash.
    assert_eq!((ask(nginx.at, "GET /sub", "").0, front.ask("GET /sub", "").0), (301, 301));
    assert_eq!((ask(nginx.at, "GET /sub/", "").0, front.ask("GET /sub/", "").0), (200, 200));
    // Several ranges: the same parts between other borders.
    let several = "Range: bytes=0-4,100-104,-3\r\n";
    let ((theirs, body), (ours, own)) = (ask(nginx.at, "GET /a.txt", several), front.ask("GET /a.txt", several));
    assert_eq!((theirs, ours), (206, 206));
    let parts = |body: &[u8]| {
        let text = String::from_utf8_lossy(body).into_owned();
        let ranges: Vec<String> =
            text.lines().filter(|line| line.starts_with("Content-Range")).map(str::to_owned).collect();
        ranges
    };
    assert_eq!(parts(&body), parts(&own));
    assert_eq!(parts(&own).len(), 3);
    // And the same bytes to curl, from as many connections.
    if has("curl") {
        for at in [nginx.at, front.at] {
            let url = format!("http://{at}/sub/b%20c");
            curls(&bench, &["-f", "--parallel", "-o", "p1", &url, "-o", "p2", &url, "-o", "p3", &url], 0);
            for copy in ["p1", "p2", "p3"] {
                assert!(same(&bench.path("tree/sub/b c"), &bench.path(copy)), "{at} {copy}");
            }
        }
    }
}

#[test]
fn where_only_structured_streams_are_served_files_and_their_parts_come_by_them() {
    let bench = Bench::new();
    let file = bench.write("tree/sub/file", 3_000_000, 1);
    let server = bench.serve(&["tree", "--public", "--bind", "127.0.0.1:0"]);
    let front = front(&bench, &["gateway", "--listen", "127.0.0.1:0", &server.ticket]);
    let bytes = fs::read(&file).expect("there");
    assert!(front.ask("GET /sub/file", "") == (200, bytes.clone()));
    assert!(
        front.ask("GET /sub/file", "Range: bytes=2000000-2000099\r\n") == (206, bytes[2_000_000..2_000_100].to_vec())
    );
    let (status, page) = front.ask("GET /sub/", "");
    assert!(status == 200 && String::from_utf8_lossy(&page).contains("href=\"./file\""), "{page:?}");
    assert_eq!(front.ask("GET /gone", "").0, 404);
}

#[test]
fn where_nobody_answers_a_gateway_says_so_or_fetches_from_a_web_server() {
    if !has("nginx") {
        return;
    }
    let bench = Bench::new();
    let file = bench.write("tree/file", 300_000, 1);
    Command::new("chmod").args(["-R", "a+rX"]).arg(bench.path("")).status().expect("it runs");
    let nginx = nginx(&bench);
    let closed = std::net::UdpSocket::bind("127.0.0.1:0").expect("bound").local_addr().expect("bound");
    let server = serve(&bench, "127.0.0.1:0");
    let nobody = format!("tng://{}@{closed}/", server.eid);
    let plain = format!("http://{}", nginx.at);
    let gateway = front(&bench, &["gateway", "--listen", "127.0.0.1:0", "--fallback-tcp", &plain, &nobody]);
    let bytes = fs::read(&file).expect("there");
    assert!(gateway.ask("GET /file", "") == (200, bytes.clone()));
    assert!(gateway.ask("GET /file", "Range: bytes=-100\r\n") == (206, bytes[299_900..].to_vec()));
    // Control: nothing goes without protection unasked.
    let mut alone = bench.tng("client.key", &["trickles", "gateway", "--listen", "127.0.0.1:0", &nobody]);
    let alone = Ended(alone.output().expect("it ends")).expect(7);
    assert!(alone.stderr().contains("by structured streams"), "{}", alone.stderr());
}

#[test]
fn who_reads_slowly_holds_little_and_who_asks_beside_is_served() {
    const SLOW: usize = 40;
    let bench = Bench::new();
    bench.write("tree/large", LARGE, 1);
    let small = bench.write("tree/small", 1_000, 2);
    let server = serve(&bench, "127.0.0.1:0");
    let front = proxy(&bench, &server.ticket);
    assert_eq!(front.ask("GET /small", "").0, 200);
    let before = front.serving.memory_kib();
    let slow: Vec<TcpStream> = (0..SLOW)
        .map(|_| {
            let mut tcp = TcpStream::connect(front.at).expect("it listens");
            tcp.write_all(format!("GET /large HTTP/1.1\r\nHost: {}\r\n\r\n", front.at).as_bytes()).expect("written");
            tcp
        })
        .collect();
    // So long that all could have come, and more.
    rest(4_000);
    let held = front.serving.memory_kib().saturating_sub(before) / SLOW as u64;
    println!("{held} KiB for each of {SLOW}, of {} KiB", LARGE / 1_024);
    assert!(held < 2_048, "{held} KiB for each");
    assert!(front.ask("GET /small", "") == (200, fs::read(small).expect("there")));
    drop(slow);
}

#[test]
fn a_connection_too_many_is_told_so_and_one_more_is_served_when_others_end() {
    let bench = Bench::new();
    bench.write("tree/file", 1_000, 1);
    let server = serve(&bench, "127.0.0.1:0");
    let front = proxy(&bench, &server.ticket);
    let idle: Vec<TcpStream> = (0..128).map(|_| TcpStream::connect(front.at).expect("it listens")).collect();
    wait("no room", || front.ask("GET /file", "").0 == 503);
    drop(idle);
    wait("room", || front.ask("GET /file", "").0 == 200);
}

#[test]
fn out_of_descriptors_it_waits_and_goes_on() {
    let bench = Bench::new();
    bench.write("tree/file", 1_000, 1);
    let server = serve(&bench, "127.0.0.1:0");
    let tool = bench.tng("client.key", &[]);
    let mut command = Command::new("sh");
    let script = "ulimit -n 40; exec \"$0\" trickles proxy --json --listen 127.0.0.1:0 \"$1\"";
    command.args(["-c", script]).arg(tool.get_program()).arg(&server.ticket);
    command.current_dir(bench.path("")).env("TNG_KEY", bench.path("client.key")).stdin(Stdio::null());
    let front = front_of(command, &bench);
    assert_eq!(front.ask("GET /file", "").0, 200);
    let many: Vec<TcpStream> = (0..60).map(|_| TcpStream::connect(front.at).expect("it listens")).collect();
    rest(500);
    drop(many);
    wait("it to serve again", || front.ask("GET /file", "").0 == 200);
}

#[test]
fn a_server_that_is_gone_is_told_by_504_and_found_again() {
    let bench = Bench::new();
    bench.write("tree/file", 1_000, 1);
    let server = serve(&bench, "127.0.0.1:0");
    let address = server.address.clone();
    let front = proxy(&bench, &server.ticket);
    assert_eq!(front.ask("GET /file", "").0, 200);
    server.kill();
    let (status, body) = ask_patiently(&front, 90);
    assert_eq!(status, 504, "{}", String::from_utf8_lossy(&body));
    assert!(String::from_utf8_lossy(&body).contains("; "), "it says what to try");
    let _server = serve(&bench, &address);
    wait("it to be found again", || front.ask("GET /file", "").0 == 200);
}

fn ask_patiently(front: &Front, seconds: u64) -> (u16, Vec<u8>) {
    let mut tcp = TcpStream::connect(front.at).expect("it listens");
    tcp.set_read_timeout(Some(Duration::from_secs(seconds))).expect("set");
    let request = format!("GET /file HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", front.at);
    tcp.write_all(request.as_bytes()).expect("written");
    let mut answer = Vec::new();
    tcp.read_to_end(&mut answer).expect("it answers");
    let text = String::from_utf8_lossy(&answer).into_owned();
    (text[9..12].parse().expect("a status"), answer)
}

/// The commands of a lesson, in order.
fn commands(lesson: &str) -> Vec<String> {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/stateless.md");
    let guide = fs::read_to_string(guide).expect("it is there");
    let mut lessons = guide.split("\n## ");
    let text = lessons.find(|text| text.lines().next().is_some_and(|title| title.ends_with(lesson)));
    let text = text.expect("the lesson is there");
    let blocks = text.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default());
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

#[test]
fn the_commands_of_the_lesson_do_what_it_says() {
    if !has("curl") || !has("wget") {
        return;
    }
    let bench = Bench::new();
    for (n, name) in ["a.jpg", "1.jpg", "2.jpg", "3.jpg", "movie.mkv"].iter().enumerate() {
        bench.write(&format!("photos/{name}"), 200_000, n as u64);
    }
    let movie = fs::read(bench.path("photos/movie.mkv")).expect("there");
    fs::write(bench.path("movie.mkv"), &movie[..1_000]).expect("the beginning of it");
    let (mut servers, mut ticket, mut at) = (Vec::new(), String::new(), String::new());
    let mut ran = 0;
    for line in commands("Programs that know nothing of it") {
        let line =
            line.replace("@FILE", &ticket).replace("127.0.0.1:8080", &at).replace("127.0.0.1:9000", "127.0.0.1:0");
        let words: Vec<&str> = line.split(' ').collect();
        ran += 1;
        match words[..] {
            ["tng", "trickles", "serve", ..] => {
                let server = bench.start(&[&words[1..], &["--public", "--bind", "127.0.0.1:0"]].concat());
                ticket = server.ticket.clone();
                servers.push(server);
            }
            ["tng", "trickles", ..] => {
                let front = front(&bench, &[&words[2..], &["--listen", "127.0.0.1:0"]].concat());
                at = front.at.to_string();
                servers.push(front.serving);
            }
            [program, ref args @ ..] => {
                let mut command = Command::new(program);
                command
                    .args(args)
                    .current_dir(bench.path(""))
                    .env_clear()
                    .env("PATH", std::env::var_os("PATH").unwrap_or_default());
                Ended(command.output().expect("it runs")).expect(0);
            }
            [] => panic!("an empty line"),
        }
    }
    assert!(ran >= 11, "{ran}");
    for (copy, of) in [("a.jpg", "a.jpg"), ("1.jpg", "1.jpg"), ("3.jpg", "3.jpg"), ("movie.mkv", "movie.mkv")] {
        assert!(same(&bench.path(copy), &bench.path(&format!("photos/{of}"))), "{copy}");
    }
    assert!(fs::read(bench.path("beginning")).expect("there") == movie[..1_000]);
    for copy in ["by-name.jpg", "by-socks.jpg"] {
        assert!(same(&bench.path(copy), &bench.path("photos/a.jpg")), "{copy}");
    }
}
