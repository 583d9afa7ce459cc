//! Servers that keep nothing, as daemons: what one leaves to the next, what they tell, what they are told.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::bench::{Bench, Ended, Serving, free_port, rest, same, wait};

/// Bytes of a file that takes a while.
const LARGE: usize = 40_000_000;

/// Begins to fetch `large`, and waits until so much of it has come.
fn begin(bench: &Bench, server: &Serving, part: usize) -> Child {
    let url = format!("tng://{}@{}/large", server.eid, server.address);
    let mut getting = bench.tng("client.key", &["trickles", "get", "--json", "-o", "copy", &url]);
    let getting = getting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    bench.wait_for_draft("copy", part as u64);
    getting
}

fn end(bench: &Bench, getting: Child) {
    let ended = Ended(getting.wait_with_output().expect("it ends")).expect(0);
    assert!(same(&bench.path("tree/large"), &bench.path("copy")));
    let file = &ended.events("file")[0];
    assert_eq!((&file["outcome"], &file["moved"]), (&"fetched".into(), &LARGE.into()), "and nothing came twice");
    assert!(ended.events("reconnecting").is_empty());
    fs::remove_file(bench.path("copy")).expect("there");
}

fn start(bench: &Bench, at: &str, more: &[&str]) -> Serving {
    let args = ["trickles", "serve", "tree", "--public", "--state", "left", "--bind", at];
    bench.start(&[&args[..], more].concat())
}

/// What it told under this name.
fn event(said: &[Value], name: &str) -> Value {
    said.iter().find(|event| event["event"] == name).unwrap_or_else(|| panic!("no {name}: {said:?}")).clone()
}

#[test]
fn a_server_that_is_ended_leaves_what_is_spent_and_the_next_takes_nothing_for_too_old() {
    let bench = Bench::new();
    bench.write("tree/large", LARGE, 1);
    let made = bench.tng("server.key", &["trickles", "keys", "new", "fleet.epochs"]).output().expect("it runs");
    assert!(made.status.success());
    for more in [&["--threads", "2"][..], &["--keys", "fleet.epochs"]] {
        let server = start(&bench, "127.0.0.1:0", more);
        assert_eq!((&server.said["taken_over"], &server.said["not_taken_over"]), (&false.into(), &Value::Null));
        let (address, getting) = (server.address.clone(), begin(&bench, &server, LARGE / 3));
        let left = event(&server.end("TERM"), "left");
        assert!(left["bytes"].as_u64().is_some_and(|bytes| (100..3_000_000).contains(&bytes)), "{left}");
        assert_eq!(fs::metadata(bench.path("left/spent")).expect("left").permissions().mode() & 0o777, 0o600);
        let server = start(&bench, &address, more);
        assert!(server.said["taken_over"] == true && !bench.path("left/spent").exists(), "once: {}", server.said);
        bench.wait_for_draft("copy", (LARGE * 2 / 3) as u64);
        // One that is killed leaves nothing. (That the next refuses what may have been spent is shown in virtual time:
        // here the client may ask for a timeout first.)
        server.kill();
        let server = start(&bench, &address, more);
        assert_eq!((&server.said["taken_over"], &server.said["not_taken_over"]), (&false.into(), &Value::Null));
        end(&bench, getting);
        server.end("INT");
        // And once more, to its end.
        let server = start(&bench, &address, more);
        let getting = begin(&bench, &server, LARGE / 3);
        server.end("TERM");
        let server = start(&bench, &address, more);
        end(&bench, getting);
        let ended = event(&server.end("TERM"), "served");
        assert_eq!((&ended["refused_before_start"], &ended["refused"]), (&0.into(), &0.into()), "{ended}");
        fs::remove_dir_all(bench.path("left")).expect("there");
    }
}

#[test]
fn what_is_cut_short_damaged_or_of_other_threads_is_told_by_name_and_costs_a_round_trip() {
    let bench = Bench::new();
    bench.write("tree/large", LARGE, 1);
    type Spoil = fn(&mut Vec<u8>);
    let spoil: [(&str, Spoil, &[&str]); 3] = [
        ("cut short", |bytes| bytes.truncate(bytes.len() / 2), &[]),
        ("damaged", |bytes| bytes[100] ^= 1, &[]),
        ("number of threads", |_| {}, &["--threads", "2"]),
    ];
    for (why, spoil, more) in spoil {
        let server = start(&bench, "127.0.0.1:0", &[]);
        let (address, getting) = (server.address.clone(), begin(&bench, &server, LARGE / 2));
        server.end("TERM");
        let mut bytes = fs::read(bench.path("left/spent")).expect("left");
        spoil(&mut bytes);
        fs::write(bench.path("left/spent"), bytes).expect("written");
        let server = start(&bench, &address, more);
        assert_eq!(server.said["taken_over"], false);
        assert!(server.said["not_taken_over"].as_str().is_some_and(|it| it.contains(why)), "{}", server.said);
        end(&bench, getting);
        server.end("TERM");
        fs::remove_dir_all(bench.path("left")).expect("there");
    }
}

#[test]
fn a_file_arrives_whole_though_its_server_is_ended_and_killed_by_turns() {
    const TIMES: usize = 8;
    let bench = Bench::new();
    bench.write("tree/large", LARGE, 1);
    let mut server = start(&bench, "127.0.0.1:0", &["--threads", "2"]);
    let (address, getting) = (server.address.clone(), begin(&bench, &server, LARGE / (TIMES + 2)));
    for time in 0..TIMES {
        match time % 2 {
            0 => drop(server.end("TERM")),
            _ => drop(server.kill()),
        }
        server = start(&bench, &address, &["--threads", "2"]);
        assert_eq!(server.said["taken_over"], time % 2 == 0);
        bench.wait_for_draft("copy", (LARGE * (time + 2) / (TIMES + 2)) as u64);
    }
    end(&bench, getting);
}

#[test]
fn a_fleet_that_is_restarted_one_by_one_refuses_nothing_for_its_age_and_a_client_goes_on() {
    let bench = Bench::new();
    bench.write("tree/large", LARGE, 1);
    let made = bench.tng("server.key", &["trickles", "keys", "new", "fleet.epochs"]).output().expect("it runs");
    assert!(made.status.success());
    let start = |at: &str, state: &str| {
        let args = ["trickles", "serve", "tree", "--public", "--keys", "fleet.epochs", "--bind", at, "--state", state];
        bench.start(&args)
    };
    let states = ["one", "two", "three"];
    let mut servers: Vec<Serving> = states.iter().map(|state| start("127.0.0.1:0", state)).collect();
    let addresses: Vec<String> = servers.iter().map(|server| server.address.clone()).collect();
    let url = format!("tng://{}@{}/large", servers[0].eid, addresses.join(","));
    // What each has given out is good at the others when they have run for longer than clocks may differ.
    rest(6_000);
    let args = ["trickles", "get", "--json", "--pick", "spray", "-o", "copy", &url];
    let mut getting = bench.tng("client.key", &args);
    let getting = getting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut told = Vec::new();
    for (at, state) in states.iter().enumerate() {
        bench.wait_for_draft("copy", (LARGE * (at + 1) / 5) as u64);
        let server = servers.remove(0);
        told.push(event(&server.end("TERM"), "served"));
        servers.push(start(&addresses[at], state));
        assert_eq!(servers.last().expect("just started").said["taken_over"], true);
    }
    end(&bench, getting);
    told.extend(servers.into_iter().map(|server| event(&server.end("TERM"), "served")));
    for served in &told {
        assert_eq!(served["refused_before_start"], 0, "{told:?}");
    }
    assert!(told.iter().all(|served| served["packets"].as_u64() > Some(1_000)), "each was asked: {told:?}");
}

#[test]
fn a_server_remembers_which_keys_it_went_by_and_refuses_older_ones_and_others_when_it_is_started_again() {
    let bench = Bench::new();
    bench.write("tree/large", 10, 1);
    let keys = |args: &[&str]| {
        let made = bench.tng("server.key", &[&["trickles", "keys"], args].concat()).output().expect("it runs");
        assert!(made.status.success());
    };
    keys(&["new", "fleet.epochs"]);
    keys(&["new", "other.epochs"]);
    let old = fs::read(bench.path("fleet.epochs")).expect("there");
    keys(&["rotate", "fleet.epochs"]);
    start(&bench, "127.0.0.1:0", &["--keys", "fleet.epochs"]).end("TERM");
    let rotated = fs::read(bench.path("fleet.epochs")).expect("there");
    for (bytes, why) in
        [(&old, "it was rotated away"), (&fs::read(bench.path("other.epochs")).expect("there"), "of another fleet")]
    {
        fs::write(bench.path("fleet.epochs"), bytes).expect("written");
        let args = ["trickles", "serve", "tree", "--state", "left", "--bind", "127.0.0.1:0", "--keys", "fleet.epochs"];
        let refused = Ended(bench.tng("server.key", &args).output().expect("it runs")).expect(26);
        assert!(refused.stderr().contains(why) && refused.stderr().contains("try:"), "{}", refused.stderr());
    }
    fs::write(bench.path("fleet.epochs"), rotated).expect("written");
    start(&bench, "127.0.0.1:0", &["--keys", "fleet.epochs"]).end("TERM");
}

/// A server that goes by a file.
struct Configured {
    bench: Bench,
    http: u16,
}

impl Configured {
    /// The file says this beside what makes it a server of the test.
    fn write(&self, more: &str) {
        let place = |name: &str| self.bench.path(name).display().to_string();
        let text = format!(
            "[serve]\npath = '{}'\nlisten = '127.0.0.1:0'\nkey = '{}'\nkeys = '{}'\ncontrol = '{}'\n\
             http = '127.0.0.1:{}'\naccess_log = '{}'\nstate = '{}'\nthreads = 2\n{more}",
            place("tree"),
            place("server.key"),
            place("fleet.epochs"),
            place("sock"),
            self.http,
            place("logs/log"),
            place("left"),
        );
        fs::write(self.bench.path("trickles.toml"), text).expect("written");
    }

    fn run(&self) -> Serving {
        let args = ["--json", "trickles", "serve", "--config", "trickles.toml"];
        self.bench.run(self.bench.tng("unused", &args))
    }

    fn ask(&self, args: &[&str]) -> Ended {
        let args = [&["--json", "trickles"], args].concat();
        Ended(self.bench.tng("unused", &args).output().expect("it runs"))
    }

    fn status(&self) -> Value {
        let answer = self.ask(&["status", "--control", "sock"]).expect(0);
        serde_json::from_slice(&answer.0.stdout).expect("JSON")
    }

    /// What the server answers to GET.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.http)).expect("connected");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: server\r\n\r\n").expect("asked");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        answer
    }
}

#[test]
fn a_server_tells_what_it_is_reloads_what_is_good_and_keeps_what_it_had_otherwise() {
    let configured = Configured { bench: Bench::new(), http: free_port() };
    let bench = &configured.bench;
    let small = bench.write("tree/small", 100_000, 1);
    fs::create_dir(bench.path("logs")).expect("made");
    let refused = configured.ask(&["serve", "--config", "trickles.toml"]).expect(26);
    assert!(refused.stderr().contains("no such file") && refused.stderr().contains("docs/trickles.md"));
    configured.write("public = true\n");
    let refused = configured.ask(&["serve", "--config", "trickles.toml"]).expect(26);
    assert!(refused.stderr().contains("tng trickles keys new"), "{}", refused.stderr());
    configured.ask(&["keys", "new", "fleet.epochs"]).expect(0);
    configured.ask(&["check", "--config", "trickles.toml"]).expect(0);
    let dumped = configured.ask(&["dump", "--config", "trickles.toml"]).expect(0);
    let dumped: Value = serde_json::from_slice(&dumped.0.stdout).expect("JSON");
    let skew =
        dumped["values"].as_array().expect("a list").iter().find(|row| row["key"] == "serve.skew").expect("told");
    assert_eq!((&skew["value"], &skew["from"]), (&"\"5s\"".into(), &"default".into()));

    let server = configured.run();
    assert!(server.said["sandbox"]["calls"].as_str().is_some_and(|said| said.contains("refused")), "{}", server.said);
    let url = format!("tng://{}@{}/small", server.eid, server.address);
    let get = |copy: &str, code| {
        let mut command = bench.tng("client.key", &["trickles", "get", "--json", "-o", copy, &url]);
        Ended(command.output().expect("it runs")).expect(code)
    };
    get("copy", 0);
    assert!(same(&small, &bench.path("copy")));
    let status = configured.status();
    assert_eq!((&status["reloads"], &status["draining"], &status["site"]), (&0.into(), &false.into(), &0.into()));
    assert_eq!(
        (&status["eid"], status["threads"].as_array().map(Vec::len)),
        (&Value::from(server.eid.clone()), Some(2))
    );
    assert!(status["counts"]["packets"].as_u64() > Some(50) && status["counts"]["refused"] == 0, "{status}");
    assert!(status["sends"].as_u64() < status["sent_datagrams"].as_u64(), "several leave in one call: {status}");
    let metrics = configured.get("/metrics");
    assert!(metrics.starts_with("HTTP/1.1 200") && metrics.trim_end().ends_with("# EOF"), "{metrics}");
    for line in ["tng_trickles_connections_total 1", "tng_trickles_config_good 1", "tng_trickles_keys_rotations 0"] {
        assert!(metrics.contains(&format!("\n{line}\n")), "{line}: {metrics}");
    }
    assert!(configured.get("/healthz").ends_with("ok\n") && configured.get("/other").starts_with("HTTP/1.1 404"));
    let log = || fs::read_to_string(bench.path("logs/log")).expect("there");
    wait("lines in the log", || log().contains("\"path\":\"small\""));
    let lines: Vec<Value> = log().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(
        (&lines[0]["event"], &lines[1]["event"], &lines[1]["refused"]),
        (&"opened".into(), &"asked".into(), &Value::Null)
    );
    assert!(lines[0]["peer"].is_string() && lines.iter().all(|line| line["connection"] == lines[0]["connection"]));

    // Who comes in is another matter from now on; who else would need a restart is told so.
    configured.write(&format!("allow = ['{}']\n", server.eid));
    configured.ask(&["reload", "--control", "sock"]).expect(0);
    get("refused", 9);
    configured.write("public = true\nsite = 7\n");
    let refused = configured.ask(&["reload", "--control", "sock"]).expect(2);
    assert!(refused.stderr().contains("line 12: serve.site changes with a restart alone"), "{}", refused.stderr());
    assert!(configured.status()["config_error"].as_str().expect("told").contains("serve.site"));
    assert!(configured.get("/metrics").contains("\ntng_trickles_config_good 0\n"));
    // A log that was moved away is opened anew, and keys that were rotated are taken up.
    configured.write("public = true\n");
    fs::rename(bench.path("logs/log"), bench.path("logs/old")).expect("moved");
    server.signal("HUP");
    wait("a reload", || configured.status()["reloads"] == 2);
    assert!(bench.path("logs/log").exists());
    configured.ask(&["keys", "rotate", "fleet.epochs"]).expect(0);
    wait("the rotation", || configured.status()["fleet"]["rotations"] == 1);
    get("again", 0);
    fs::set_permissions(bench.path("fleet.epochs"), fs::Permissions::from_mode(0o644)).expect("changed");
    wait("the complaint", || {
        configured.status()["fleet"]["error"].as_str().is_some_and(|why| why.contains("others can read it"))
    });
    assert!(configured.get("/metrics").contains("\ntng_trickles_keys_good 0\n"));
    get("all the same", 0);
    fs::set_permissions(bench.path("fleet.epochs"), fs::Permissions::from_mode(0o600)).expect("changed");
    wait("peace", || configured.status()["fleet"]["error"].is_null());

    let second = configured.ask(&["serve", "--config", "trickles.toml"]);
    assert!(second.code() == Some(81) && second.stderr().contains("another server uses it"), "{}", second.stderr());
    let said = server.end("TERM");
    assert!(event(&said, "left")["bytes"].as_u64() > Some(0) && !bench.path("sock").exists());
    let gone = configured.ask(&["status", "--control", "sock"]).expect(7);
    assert!(gone.stderr().contains("no server answers there (so says --control)"), "{}", gone.stderr());
    let again = configured.run();
    assert_eq!(again.said["taken_over"], true);
    let shown = bench.tng("unused", &["trickles", "status", "--control", "sock"]).output().expect("it runs");
    assert!(String::from_utf8_lossy(&shown.stdout).contains("rotation 1"), "{shown:?}");
}

#[test]
fn a_server_with_room_tells_what_its_caches_have_done_and_to_what_it_holds_its_clients() {
    let configured = Configured { bench: Bench::new(), http: free_port() };
    let bench = &configured.bench;
    let file = bench.write("tree/file", 400_000, 1);
    fs::create_dir(bench.path("logs")).expect("made");
    configured.ask(&["keys", "new", "fleet.epochs"]).expect(0);
    configured.write("public = true\ncache = '8MiB'\nthrottle = true\n");
    let server = configured.run();
    let url = format!("tng://{}@{}", server.eid, server.address);
    let mut command = bench.tng("client.key", &["trickles", "get", "--json", "-r", "-o", "copy", &url]);
    Ended(command.output().expect("it runs")).expect(0);
    assert!(same(&file, &bench.path("copy/file")));
    let status = configured.status();
    let caches = &status["caches"];
    assert!(caches["sockets"]["hits"].as_u64() > Some(20), "{caches}");
    assert!(caches["sockets"]["bytes"].as_u64() <= Some(1 << 20), "{caches}");
    assert!(caches["outputs"]["bytes"].as_u64() > Some(0), "the listing: {caches}");
    assert_eq!(status["danger_plain"], false);
    // A busy machine may have let requests stand, which is over when some have come that did not.
    wait("nothing to stand", || {
        let mut asking = bench.tng("client.key", &["trickles", "get", "-o", "again", &format!("{url}/file")]);
        let stands = !configured.status()["window_max"].is_null();
        if stands {
            Ended(asking.output().expect("it runs")).expect(0);
        }
        !stands
    });
    let metrics = configured.get("/metrics");
    for line in ["tng_trickles_window_max 0", "tng_trickles_cache_expired_total{cache=\"parses\"} 0"] {
        assert!(metrics.contains(&format!("\n{line}\n")), "{line}: {metrics}");
    }
    server.end("TERM");
}
