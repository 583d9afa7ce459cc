//! Words of hostile peers: whatever they say, terminals and logs show nothing but words (attack 29 of docs/attacks.md).

use std::fs::{self, File};
use std::future::Future;
use std::process::{Child, Stdio};
use std::time::Duration;

use tng::{Access, Connection, Endpoint, Incoming, ServiceOptions, Stream};
use tng_base::is_visible;
use tng_services::files::{self, Entry, Kind, LeftOut, LeftOutWhy, Meta, SafePath};
use tng_services::{forward, perf, ping, pipe};
use tng_wire::Repr;
use tng_wire::battery::emit;
use tokio::runtime::Runtime;

use crate::bench::{Bench, wait};

/// A title for the terminal, a cleared screen, a forged line of a log, the one-byte form of an escape, text that runs
/// backwards, a line separator, and a character without width.
const EVIL: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\r\nINFO forged\u{9b}31m\u{202e}gpj\u{2028}\u{200b}.";
/// What is seen of its beginning.
const SEEN: &str = r"\x1b]0;owned\x07\x1b[2J\x0d\x0aINFO forged\xc2\x9b31m";
/// As much of it as a path may hold, and what is seen.
const NAME: &str = "\u{202e}gpj\u{2028}\u{200b}.x";
const NAME_SEEN: &str = r"\xe2\x80\xaegpj\xe2\x80\xa8\xe2\x80\x8b.x";

/// Whether every character of an output can be seen, line ends aside, and no line is forged.
fn is_fit(output: &str) -> bool {
    output.chars().all(|c| c == '\n' || is_visible(c)) && !output.lines().any(|line| line.starts_with("INFO forged"))
}

/// A tool that runs, with all that it says in files.
struct Tool<'a> {
    bench: &'a Bench,
    child: Child,
}

impl<'a> Tool<'a> {
    fn run(bench: &'a Bench, key: &str, args: &[&str]) -> Tool<'a> {
        let output = |name| File::create(bench.path(name)).expect("a file");
        let mut command = bench.tng(key, args);
        let child = command.stdout(output("out")).stderr(output("err")).stdin(Stdio::null()).spawn().expect("it runs");
        Tool { bench, child }
    }

    fn said(&self) -> String {
        let read = |name| String::from_utf8(fs::read(self.bench.path(name)).expect("a file")).expect("UTF-8");
        read("out") + &read("err")
    }

    /// Waits until it has said `words`, and sees whether the rest was fit to print.
    #[track_caller]
    fn shows(mut self, what: &str, words: &str) {
        wait(&format!("{what}: {words}"), || {
            self.said().contains(words) || self.child.try_wait().is_ok_and(|e| e.is_some())
        });
        // What comes after it is said at once.
        let said = self.said();
        assert!(said.contains(words), "{what} does not show what was sent: {said:?}");
        assert!(is_fit(&said), "{what}: {said:?}");
    }
}

impl Drop for Tool<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

/// A server that does `deed` with everybody who comes, and its ticket.
fn rogue<F: Future<Output = ()> + Send + 'static>(deed: fn(Incoming) -> F) -> (Runtime, String) {
    let runtime = runtime();
    let ticket = runtime.block_on(async {
        let mut builder = Endpoint::builder().access(Access::Public).bind("127.0.0.1:0".parse().expect("an address"));
        for (service, protocol) in [
            (files::SERVICE, files::PROTOCOL),
            (files::SERVICE, tng::REQUESTS),
            (ping::SERVICE, tng::REQUESTS),
            (pipe::SERVICE, pipe::PROTOCOL),
            (forward::SERVICE, forward::PROTOCOL),
            (perf::SERVICE, perf::PROTOCOL),
        ] {
            builder =
                builder.listen(service, protocol, ServiceOptions { substreams: true, ..ServiceOptions::default() });
        }
        let endpoint = builder.build().await.expect("an endpoint");
        let ticket = endpoint.ticket().expect("a ticket").to_string();
        tokio::spawn(async move {
            while let Some(incoming) = endpoint.accept().await {
                tokio::spawn(deed(incoming));
            }
        });
        ticket
    });
    (runtime, ticket)
}

/// The commands that connect, each with the ticket as its last word.
const CLIENTS: [&[&str]; 6] = [
    &["get", "-v", "--retry", "0", "-r", "-o", "copy"],
    &["put", "-v", "--retry", "0", "a"],
    &["ping", "-v"],
    &["connect", "-v"],
    &["forward", "-v", "-R", "0:localhost:9"],
    &["perf", "-v", "-c"],
];

fn every_client_shows(words: &str, ticket: &str, json: bool) {
    let bench = Bench::new();
    bench.write("a", 10, 1);
    for client in CLIENTS {
        let json: &[&str] = if json && client[0] != "connect" { &["--json"] } else { &[] };
        Tool::run(&bench, "client.key", &[client, &[ticket], json].concat()).shows(client[0], words);
    }
}

#[test]
fn a_refused_connection_is_told_in_nothing_but_words() {
    let (_runtime, ticket) = rogue(|incoming| async { incoming.refuse(EVIL) });
    every_client_shows(SEEN, &ticket, false);
    every_client_shows(SEEN, &ticket, true);
    assert!(!is_fit(EVIL) && !is_fit(NAME), "control: printed as they are sent, the same words are not fit");
}

#[test]
fn a_connection_that_the_peer_closes_is_told_in_nothing_but_words() {
    let (_runtime, ticket) = rogue(|incoming| async {
        let Ok(connection) = incoming.accept().await else { return };
        if let Ok(stream) = connection.accept().await {
            connection.close(64, EVIL);
            drop(stream);
        }
    });
    every_client_shows(SEEN, &ticket, false);
}

#[test]
fn a_refused_stream_is_told_in_nothing_but_words() {
    let (_runtime, ticket) = rogue(|incoming| async {
        let Ok(connection) = incoming.accept().await else { return };
        while let Ok(stream) = connection.accept().await {
            stream.refuse(70, EVIL);
        }
    });
    every_client_shows(SEEN, &ticket, false);
}

async fn say(stream: Stream, messages: Vec<Vec<u8>>) {
    let (mut send, mut recv) = stream.split();
    // What is asked is of no interest; who does not read it would reset the stream.
    let asked = recv.read_chunk(1 << 16).await;
    let _ = send.write_all(&messages.concat()).await;
    let _ = send.finish().await;
    drop(asked);
    let _ = recv.read_to_end(1 << 20).await;
}

/// Answers every request for files with the same messages.
async fn answer_files(incoming: Incoming, messages: fn() -> Vec<Vec<u8>>) {
    let Ok(connection) = incoming.accept().await else { return };
    while let Ok(asked) = connection.accept().await {
        if *asked.protocol == *tng::REQUESTS {
            tokio::spawn(say(asked.stream, messages()));
            continue;
        }
        tokio::spawn(async move {
            while let Ok(stream) = asked.stream.accept_substream().await {
                tokio::spawn(say(stream, messages()));
            }
        });
    }
}

#[test]
fn names_and_faults_of_a_file_server_are_told_in_nothing_but_words() {
    use files::{Answer, Fault, FaultCode};

    let (_runtime, ticket) =
        rogue(|incoming| answer_files(incoming, || vec![emit(&Answer::Fault(Fault::new(FaultCode::Io, EVIL)))]));
    let bench = Bench::new();
    bench.write("a", 10, 1);
    for (client, path) in [(CLIENTS[0], ""), (CLIENTS[1], ""), (&["get", "-v", "--retry", "0", "-o", "x"], "/a")] {
        Tool::run(&bench, "client.key", &[client, &[&format!("{ticket}{path}")]].concat()).shows(client[0], SEEN);
    }

    let (_runtime, ticket) = rogue(|incoming| {
        answer_files(incoming, || {
            let path = SafePath::parse(NAME).expect("a path that may be sent");
            let left = Answer::LeftOut(LeftOut::new(LeftOutWhy::Link, EVIL));
            let entry = Answer::Entry(Entry { kind: Kind::File, path, size: 1, meta: Meta::default() });
            vec![emit(&left), emit(&entry), emit(&Answer::Listed { entries: 1, skipped: 1, folder: Meta::default() })]
        })
    });
    let get = ["get", "-v", "--retry", "0", "-r", "-o", "copy", &ticket];
    Tool::run(&bench, "client.key", &get).shows("what is left out", SEEN);
    // The file is answered with a listing, which is not what was asked for.
    Tool::run(&bench, "client.key", &get).shows("a name", NAME_SEEN);
    let folder = fs::write(bench.path("copy"), "no folder").is_err();
    assert!(folder, "the folder was made");
    let events = [&get[..], &["--json"]].concat();
    Tool::run(&bench, "client.key", &events).shows("an event", r"\u202egpj\u2028\u200b.x");
}

#[test]
fn refusals_of_a_way_out_are_told_in_nothing_but_words() {
    use forward::{Answer, Refusal, RefusalCode};

    let (_runtime, ticket) = rogue(|incoming| async {
        let Ok(connection) = incoming.accept().await else { return };
        while let Ok(stream) = connection.accept().await {
            let refusal = Answer::Refused(Refusal::new(RefusalCode::Other, EVIL));
            tokio::spawn(say(stream.stream, vec![emit(&refusal)]));
        }
    });
    let bench = Bench::new();
    Tool::run(
        &bench,
        "client.key",
        CLIENTS[4].iter().chain(&[ticket.as_str()]).copied().collect::<Vec<_>>().as_slice(),
    )
    .shows("-R", SEEN);
    let tool = Tool::run(&bench, "client.key", &["proxy", "-v", "--json", "--listen", "127.0.0.1:0", &ticket]);
    let mut address = None;
    wait("the proxy", || {
        let said = tool.said();
        let event = said.lines().find(|line| line.contains("\"listening\"")).map(str::to_owned);
        address = event.and_then(|line| serde_json::from_str::<serde_json::Value>(&line).ok());
        address.is_some()
    });
    let address = address.expect("waited for")["address"].as_str().expect("text").to_owned();
    let mut tcp = std::net::TcpStream::connect(address).expect("the proxy listens");
    std::io::Write::write_all(&mut tcp, b"CONNECT x.example:80 HTTP/1.1\r\n\r\n").expect("written");
    let mut answered = String::new();
    std::io::Read::read_to_string(&mut tcp, &mut answered).expect("an answer");
    assert!(answered.contains(SEEN) && is_fit(&answered.replace('\r', "")), "{answered:?}");
    tool.shows("the proxy", SEEN);
}

#[test]
fn a_server_of_tests_is_told_of_in_nothing_but_words() {
    let (_runtime, ticket) = rogue(|incoming| async {
        let Ok(connection) = incoming.accept().await else { return };
        while let Ok(stream) = connection.accept().await {
            let fault = perf::Message::Fault(perf::Fault::new(perf::FaultCode::Other, EVIL));
            tokio::spawn(say(stream.stream, vec![emit(&fault)]));
        }
    });
    let bench = Bench::new();
    for json in [&[][..], &["-J"], &["--json-stream"]] {
        let seen = if json.is_empty() { SEEN } else { r"owned" };
        Tool::run(&bench, "client.key", &[&["perf", "-v", "-c", &ticket], json].concat()).shows("perf", seen);
    }
}

/// Comes to a server and does `deed`; the server shows `words`.
fn a_client_does<F: Future<Output = ()>>(server: &[&str], words: &str, deed: impl FnOnce(Connection) -> F) {
    let bench = Bench::new();
    fs::create_dir(bench.path("inbox")).expect("made");
    let tool = Tool::run(&bench, "server.key", &[server, &["-v", "--bind", "127.0.0.1:0"]].concat());
    let ticket = || {
        tool.said()
            .split_whitespace()
            .find_map(|word| word.trim_start_matches("tng://").trim_end_matches('/').parse::<tng::Ticket>().ok())
    };
    wait("the ticket", || ticket().is_some());
    let ticket = ticket().expect("waited for");
    let runtime = runtime();
    runtime.block_on(async {
        let endpoint = Endpoint::builder().build().await.expect("an endpoint");
        let connection = endpoint.connect(&ticket).await.expect("let in");
        deed(connection).await;
        tokio::time::timeout(Duration::from_secs(1), endpoint.close()).await.ok();
    });
    tool.shows(server[0], words);
}

#[test]
fn what_clients_say_stands_in_logs_as_nothing_but_words() {
    let closes = |connection: Connection| async move {
        // An answer, be it a refusal, so that the server knows it for one who is there.
        let answer = connection.request(ping::SERVICE, "12345678").await;
        assert!(matches!(answer, Ok(_) | Err(tng::RequestError::Refused { .. })), "{answer:?}");
        connection.close(64, EVIL);
    };
    a_client_does(&["serve", "inbox"], SEEN, closes);
    a_client_does(&["forward", "--serve", "--to", "localhost:9"], SEEN, closes);
    let asks = |request: files::Request| {
        |connection: Connection| async move {
            let control = connection.open(files::SERVICE, files::PROTOCOL).await.expect("a stream");
            let mut stream = control.open_substream().await.expect("a child");
            let mut bytes = vec![0; request.wire_len()];
            request.emit(&mut tng_wire::Writer::new(&mut bytes)).expect("there is room");
            stream.write_all(&bytes).await.expect("written");
            let _ = stream.finish().await;
            let _ = stream.read_to_end(1 << 16).await;
        }
    };
    let path = || SafePath::parse(NAME).expect("a path that may be sent");
    let lists = |connection: Connection| async move {
        let request = emit(&files::Request::List { path: path(), look: files::Look::default() });
        let _ = connection.request(files::SERVICE, request).await;
    };
    a_client_does(&["serve", "inbox"], NAME_SEEN, lists);
    a_client_does(
        &["serve", "--writable", "inbox"],
        NAME_SEEN,
        asks(files::Request::Make { path: path(), meta: Meta::default() }),
    );
}

/// Also its own user's: what somebody else's archive held may be served.
#[test]
fn a_server_tells_the_name_of_its_folder_in_nothing_but_words() {
    let bench = Bench::new();
    fs::create_dir(bench.path("\u{1b}[2J it's")).expect("made");
    let args = ["serve", "\u{1b}[2J it's", "--public", "--bind", "127.0.0.1:0"];
    // Control: it is the name itself that is told.
    Tool::run(&bench, "server.key", &args).shows("serve", r"tng get -r -o '\x1b[2J it'\''s' ");
}
