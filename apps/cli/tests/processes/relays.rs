//! The relay as a process: its file, its socket, its signals.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::bench::{Bench, Ended, Serving, wait};

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    listener.local_addr().expect("an address").port()
}

struct Relay {
    bench: Bench,
    serving: Option<Serving>,
    http: u16,
}

impl Relay {
    /// The file says this beside what makes it a relay of the test.
    fn write(bench: &Bench, http: u16, more: &str) {
        let place = |name: &str| bench.path(name).display().to_string();
        let text = format!(
            "[relay]\nlisten = '127.0.0.1:0'\nkey = '{}'\nsecret = '{}'\ncontrol = '{}'\nhttp = '127.0.0.1:{http}'\n\
             access_log = '{}'\n{more}",
            place("id"),
            place("secret"),
            place("sock"),
            place("log")
        );
        fs::write(bench.path("relay.toml"), text).expect("written");
    }

    fn start(more: &str) -> Relay {
        let (bench, http) = (Bench::new(), free_port());
        Relay::write(&bench, http, more);
        let serving = bench.run(bench.tng("unused", &["relay", "run", "--json", "--config", "relay.toml"]));
        Relay { bench, serving: Some(serving), http }
    }

    fn ask(&self, args: &[&str]) -> Ended {
        let args = [&["relay"], args, &["--control", "sock", "--json"]].concat();
        Ended(self.bench.tng("unused", &args).output().expect("it runs"))
    }

    fn status(&self) -> Value {
        serde_json::from_slice(&self.ask(&["status"]).expect(0).0.stdout).expect("JSON")
    }

    /// What the relay answers to GET.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.http)).expect("connected");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: relay\r\n\r\n").expect("asked");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        answer
    }

    fn serving(&self) -> &Serving {
        self.serving.as_ref().expect("it runs")
    }
}

#[test]
fn a_relay_tells_what_it_is_reloads_what_is_good_and_keeps_what_it_had_otherwise() {
    let mut relay = Relay::start("onward = ['127.0.0.0/8']\n[terms]\nanyone = true\n");
    let status = relay.status();
    assert_eq!(
        (&status["reloads"], &status["clients"]["anyone"], &status["draining"]),
        (&0.into(), &true.into(), &false.into())
    );
    assert_eq!(status["eid"], relay.serving().eid);
    let secret = fs::metadata(relay.bench.path("secret")).expect("made").permissions();
    assert_eq!(secret.mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(relay.bench.path("sock")).expect("made").permissions().mode() & 0o777, 0o600);
    let metrics = relay.get("/metrics");
    assert!(metrics.starts_with("HTTP/1.1 200") && metrics.contains("\ntng_relay_flows 0\n"), "{metrics}");
    assert!(metrics.trim_end().ends_with("# EOF"), "{metrics}");
    assert!(relay.get("/healthz").ends_with("ok\n") && relay.get("/other").starts_with("HTTP/1.1 404"));

    Relay::write(&relay.bench, relay.http, "onward = 'public'\n[[client]]\nname = 'a'\ntoken_sha256 = 'x'\n");
    let refused = relay.ask(&["reload"]).expect(2);
    assert!(refused.stderr().contains("line 11: token_sha256"), "{}", refused.stderr());
    relay.serving().signal("HUP");
    Relay::write(&relay.bench, relay.http, "threads = 3\n");
    let refused = relay.ask(&["reload"]).expect(2);
    assert!(refused.stderr().contains("line 8: relay.threads changes with a restart alone"), "{}", refused.stderr());
    let status = relay.status();
    assert_eq!((&status["reloads"], &status["clients"]["anyone"]), (&0.into(), &true.into()), "it has what it had");
    assert!(status["config_error"].as_str().expect("told").contains("relay.threads"));
    assert!(relay.get("/metrics").contains("\ntng_relay_config_good 0\n"));

    Relay::write(&relay.bench, relay.http, "onward = 'public'\n");
    relay.ask(&["reload"]).expect(0);
    relay.serving().signal("HUP");
    wait("a second reload", || relay.status()["reloads"] == 2);
    let status = relay.status();
    assert_eq!((&status["clients"]["anyone"], &status["config_error"]), (&false.into(), &Value::Null));
    fs::remove_file(relay.bench.path("relay.toml")).expect("removed");
    relay.ask(&["reload"]).expect(26);
    let second = relay.bench.tng("unused", &["relay", "run", "--config", "relay.toml"]).output().expect("it runs");
    assert_eq!(second.status.code(), Some(26));

    relay.serving.take().expect("it runs").stop("TERM");
    assert!(!relay.bench.path("sock").exists());
    let gone = relay.ask(&["status"]).expect(7);
    assert!(gone.stderr().contains("there is no relay"), "{}", gone.stderr());
}

#[test]
fn a_relay_that_was_killed_is_started_again_and_a_second_one_is_refused() {
    let mut relay = Relay::start("[terms]\nanyone = true\n");
    let eid = relay.serving().eid.clone();
    let second = relay.bench.tng("unused", &["relay", "run", "--config", "relay.toml"]).output().expect("it runs");
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    // Its metrics' port is taken, before the socket is.
    assert!(!second.status.success() && said.contains(&relay.http.to_string()), "{said}");
    relay.serving.take().expect("it runs").kill();
    let again = relay.bench.run(relay.bench.tng("unused", &["relay", "run", "--json", "--config", "relay.toml"]));
    assert_eq!(again.eid, eid, "it is who it was");
    relay.serving = Some(again);
    assert_eq!(relay.status()["draining"], false);
}

#[test]
fn a_thousand_hangups_change_nothing_and_leave_no_descriptor_behind() {
    let relay = Relay::start("[terms]\nanyone = true\n");
    relay.status();
    let before = relay.serving().descriptors();
    for _ in 0..1_000 {
        relay.serving().signal("HUP");
    }
    wait("the last reload", || relay.status()["reloads"].as_u64().is_some_and(|reloads| reloads > 0));
    assert_eq!(relay.status()["config_error"], Value::Null);
    wait("descriptors to be as many as before", || relay.serving().descriptors() <= before);
}

#[test]
fn a_token_is_drawn_and_its_hash_is_what_the_file_wants() {
    let bench = Bench::new();
    let run = |args: &[&str]| Ended(bench.tng("unused", args).output().expect("it runs")).expect(0);
    let drawn: Value = serde_json::from_slice(&run(&["relay", "token", "--json"]).0.stdout).expect("JSON");
    let hash = drawn["token_sha256"].as_str().expect("a hash");
    fs::write(bench.path("relay.toml"), format!("[[client]]\ntoken_sha256 = '{hash}'\n")).expect("written");
    run(&["relay", "check", "--config", "relay.toml"]);
    let dump = run(&["relay", "dump", "--config", "relay.toml"]);
    let dump = String::from_utf8_lossy(&dump.0.stdout).into_owned();
    assert!(dump.contains("terms.life = \"12h\"") && dump.contains("# default"), "{dump}");
}
