//! A relay whose sections are governed by guests: what its file may name, and what becomes of flows.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::bench::{Bench, Ended, Serving, free_port, same, signal, wait};

/// The file of a relay under this controller.
fn file(bench: &Bench, port: u16, controller: &str) {
    let place = |name: &str| bench.path(name).display().to_string();
    let text = format!(
        "[relay]\nlisten = '127.0.0.1:{port}'\nkey = '{}'\nsecret = '{}'\ncontrol = '{}'\nonward = ['127.0.0.0/8']\n\
         [terms]\nanyone = true\n[elsewhere]\ncontroller = '{controller}'\n",
        place("relay-id"),
        place("relay-secret"),
        place("sock"),
    );
    fs::write(bench.path("relay.toml"), text).expect("written");
}

/// The tool as the user of the relay runs it, who has a store of its own.
fn tool(bench: &Bench, args: &[&str]) -> Command {
    let mut command = bench.tng("operator", args);
    command.env("XDG_CONFIG_HOME", bench.path("config"));
    command
}

fn ran(bench: &Bench, args: &[&str]) -> Ended {
    Ended(tool(bench, args).output().expect("it runs"))
}

/// The policy of that user.
fn policy(bench: &Bench, text: &str) {
    fs::create_dir_all(bench.path("config/tng")).expect("made");
    fs::write(bench.path("config/tng/stp.toml"), text).expect("written");
}

/// A policy that puts nothing out before it has gone wrong as often as is remembered.
const PATIENT: &str = "[violations]\nmost = 16\n";

/// A module that is vegas, and has another hash, since there is a section more with a name in it.
fn vegas_of_another_name(bench: &Bench) {
    let modules = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../transports/stp/guests/modules"));
    let mut module = fs::read(modules.join("vegas.wasm")).expect("it is there");
    module.extend_from_slice(b"\x00\x05\x04mine");
    fs::write(bench.path("mine.wasm"), module).expect("written");
}

/// A relay that runs, and a server behind it.
struct Governed {
    bench: Bench,
    port: u16,
    relay: Child,
    server: Serving,
}

impl Governed {
    fn start(bench: Bench, controller: &str) -> Governed {
        fs::create_dir_all(bench.path("there")).expect("made");
        let port = free_port();
        file(&bench, port, controller);
        let server = bench.serve(&["there", "--public", "--bind", "127.0.0.1:0"]);
        let mut relay = tool(&bench, &["relay", "run", "--config", "relay.toml"]);
        let log = File::create(bench.path("log")).expect("made");
        let relay = relay.stdout(Stdio::null()).stderr(log).spawn().expect("it runs");
        let governed = Governed { bench, port, relay, server };
        let asked = || ran(&governed.bench, &["relay", "status", "--control", "sock"]).code() == Some(0);
        wait("the relay", asked);
        governed
    }

    fn status(&self) -> Value {
        let asked = ran(&self.bench, &["relay", "status", "--control", "sock", "--json"]).expect(0);
        serde_json::from_slice(&asked.0.stdout).expect("JSON")
    }

    /// Has the relay go by another controller.
    fn reload(&self, controller: &str) -> Ended {
        file(&self.bench, self.port, controller);
        ran(&self.bench, &["relay", "reload", "--control", "sock"])
    }

    fn via(&self) -> String {
        let eid = self.status()["eid"].as_str().expect("told").to_owned();
        format!("{eid}@127.0.0.1:{}", self.port)
    }

    /// A download by way of the relay, which comes whole.
    fn download(&self) {
        let (via, big) = (self.via(), self.bench.path("there/big"));
        if !big.exists() {
            self.bench.write("there/big", 3_000_000, 5);
        }
        let got = self.bench.get(&["--via", &via, "-o", "got", &self.server.url_of("big")]).expect(0);
        assert!(got.stderr().is_empty() || !got.stderr().contains("left"), "{}", got.stderr());
        assert!(same(&big, &self.bench.path("got")));
        fs::remove_file(self.bench.path("got")).expect("removed");
    }

    /// The controllers of a flow's two sections, while it goes on.
    fn controllers(&self) -> [String; 2] {
        let via = self.via();
        let pings = ["ping", "-c", "1000", "-i", "0.02", "--via", &via, &self.server.ticket];
        let mut pings = self.bench.tng("client.key", &pings);
        let mut pings = pings.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
        let mut found = None;
        wait("a flow", || {
            let status = self.status();
            let flow = &status["flows"][0];
            let text = |place: &str| flow.pointer(place).and_then(Value::as_str).map(str::to_owned);
            found = text("/near/controller").zip(text("/far/controller"));
            found.is_some()
        });
        let _ = pings.kill();
        let _ = pings.wait();
        found.map(<[String; 2]>::from).expect("waited for")
    }
}

impl Drop for Governed {
    fn drop(&mut self) {
        let _ = self.relay.kill();
        let _ = self.relay.wait();
    }
}

/// The guests of a status: how often each was called, and how many were stopped.
fn guests(status: &Value) -> Vec<(String, u64, u64)> {
    let number = |guest: &Value, key: &str| guest[key].as_u64().expect("a count");
    let of = |guest: &Value| {
        (guest["name"].as_str().expect("a name").to_owned(), number(guest, "calls"), number(guest, "stopped"))
    };
    status["guests"].as_array().expect("a list").iter().map(of).collect()
}

#[test]
fn a_controller_of_the_store_governs_the_sections_of_a_flow_and_one_of_the_program_is_not_called() {
    let bench = Bench::new();
    vegas_of_another_name(&bench);
    ran(&bench, &["stp", "keygen", "acme.key"]).expect(0);
    ran(&bench, &["stp", "sign", "mine.wasm", "--key", "acme.key", "--name", "mine", "--version", "1.0.0"]).expect(0);
    ran(&bench, &["stp", "install", "mine.wasm", "--pin"]).expect(0);

    let governed = Governed::start(bench, "cubic");
    governed.download();
    assert_eq!(guests(&governed.status()), [], "control: no guest governs anything");
    assert_eq!(governed.controllers(), ["cubic", "cubic"]);

    governed.reload("guest-mine").expect(0);
    governed.download();
    assert_eq!(governed.controllers(), ["guest-mine", "guest-mine"]);
    let [(name, calls, 0)] = &guests(&governed.status())[..] else { panic!("{}", governed.status()) };
    println!("{name} was called {calls} times");
    assert!(name == "guest-mine" && *calls > 20, "{calls}");

    // Control: back to one of the program, and nobody calls the guest any more.
    governed.reload("cubic").expect(0);
    assert_eq!(governed.controllers(), ["cubic", "cubic"]);
    let before = guests(&governed.status());
    governed.download();
    assert_eq!(guests(&governed.status()), before);

    // What the policy takes back is refused by a reload, and what held before holds.
    ran(&governed.bench, &["stp", "flag", "mine", "--note", "slow"]).expect(0);
    let refused = governed.reload("guest-mine").expect(9);
    assert!(refused.stderr().contains("line 10: controller: guest-mine does not run"), "{}", refused.stderr());
    assert!(refused.stderr().contains("flagged as buggy (slow)"), "{}", refused.stderr());
    assert_eq!(governed.controllers(), ["cubic", "cubic"]);
    signal(&governed.relay, "TERM");
}

#[test]
fn a_guest_that_is_stopped_leaves_its_sections_to_newreno_and_the_flow_goes_on() {
    let bench = Bench::new();
    // So little fuel that no sample is ever answered.
    policy(&bench, &format!("{PATIENT}[limits.pinned]\nfuel = 100\n"));
    let governed = Governed::start(bench, "guest-vegas");
    governed.download();
    let status = governed.status();
    let [(name, calls, stopped)] = &guests(&status)[..] else { panic!("{status}") };
    println!("{name}: {calls} calls, {stopped} stopped");
    assert!(name == "guest-vegas" && *stopped > 0, "{status}");
    let fault = status["guests"][0]["fault"].as_str().expect("it is told");
    assert!(fault.contains("used up its time"), "{fault}");
    assert_eq!(governed.controllers(), ["newreno", "newreno"]);
    let log = fs::read_to_string(governed.bench.path("log")).expect("text");
    assert!(log.contains("guest-vegas does not regulate, NewReno does in its place"), "{log}");
    // Where the policy has less patience it is out by now, and a reload says so.
    policy(&governed.bench, "[violations]\nmost = 1\n");
    let refused = governed.reload("guest-vegas").expect(9);
    assert!(
        refused.stderr().contains("guest-vegas does not run, by \"default\" of the policy: it has gone wrong"),
        "{}",
        refused.stderr()
    );
}

#[test]
fn a_check_refuses_guests_that_are_not_here_or_may_not_govern_by_name_and_line() {
    let bench = Bench::new();
    let check = |controller: &str, code: i32| {
        file(&bench, 4_860, controller);
        ran(&bench, &["relay", "check", "--config", "relay.toml"]).expect(code).stderr()
    };
    assert!(check("guest-vegas", 0).contains("relay.toml is good"), "without a store, too");
    let unknown = check("guest-vegass", 2);
    let wanted = "line 10: controller: \"vegass\" is no controller that is here, by name or hash; here are guest-cubic";
    assert!(unknown.contains(wanted) && unknown.contains("try: tng stp list"), "{unknown}");
    assert!(check("guest-newreno", 2).contains("\"newreno\" is a transport, and regulates nothing"));
    assert!(!bench.path("operator.data").exists(), "a check makes no store");

    vegas_of_another_name(&bench);
    let installed = ran(&bench, &["stp", "install", "mine.wasm", "--json"]).expect(0);
    let hash = installed.events("installed")[0]["blake3"].as_str().expect("a hash").to_owned();
    assert_eq!(installed.events("installed")[0]["reason"], "not-signed");
    let refused = check(&format!("guest-{}", &hash[..8]), 9);
    assert!(refused.contains("does not run, by \"default\" of the policy: the rule accepts signed"), "{refused}");
    policy(&bench, "accept = \"any\"\n");
    assert!(check(&format!("guest-{hash}"), 9).contains("a controller has no process of its own"));
    ran(&bench, &["stp", "pin", &hash]).expect(0);
    assert!(check(&format!("guest-{hash}"), 0).contains("is good"));
    let dump = ran(&bench, &["relay", "dump", "--config", "relay.toml"]).expect(0);
    let dump = String::from_utf8_lossy(&dump.0.stdout).into_owned();
    assert!(dump.contains(&format!("elsewhere.controller = 'guest-{hash}'")) && dump.contains("# line 10"), "{dump}");
    let explained = ran(&bench, &["stp", "policy", "explain", "-", "-", &hash, "--json"]).expect(0);
    assert_eq!(explained.events("verdict")[0]["outcome"], "run");
}
