//! Commands by way of a relay: what they say of the path, and what becomes of them when it does not help.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::bench::{Bench, Ended, Serving, free_port, same, wait};

/// A relay, a server, and a user with a folder of configuration.
pub struct Helped {
    pub bench: Bench,
    pub relay: Option<Serving>,
    pub server: Serving,
}

impl Helped {
    /// The relay's file says this of its clients; the server is started with these arguments and this configuration.
    pub fn start(clients: &str, served: &[&str], configured: &str) -> Helped {
        Helped::start_at(Bench::new(), clients, served, configured)
    }

    /// The same in a folder in which there is something already.
    pub fn start_at(bench: Bench, clients: &str, served: &[&str], configured: &str) -> Helped {
        fs::create_dir_all(bench.path("there")).expect("made");
        fs::create_dir_all(bench.path("server/tng")).expect("made");
        fs::create_dir_all(bench.path("user/tng")).expect("made");
        fs::write(bench.path("server/tng/config.toml"), configured).expect("written");
        let place = |name: &str| bench.path(name).display().to_string();
        let text = format!(
            "[relay]\nlisten = '127.0.0.1:{}'\nkey = '{}'\nsecret = '{}'\ncontrol = '{}'\nonward = ['127.0.0.0/8']\n\
             {clients}",
            free_port(),
            place("relay-id"),
            place("relay-secret"),
            place("sock"),
        );
        fs::write(bench.path("relay.toml"), text).expect("written");
        let mut server = bench.tng("server.key", &[served, &["--bind", "127.0.0.1:0", "--json"]].concat());
        server.env("XDG_CONFIG_HOME", bench.path("server"));
        let server = bench.run(server);
        let mut helped = Helped { bench, relay: None, server };
        helped.start_relay();
        helped
    }

    pub fn start_relay(&mut self) {
        let command = self.bench.tng("unused", &["relay", "run", "--json", "--config", "relay.toml"]);
        self.relay = Some(self.bench.run(command));
    }

    /// The relay as `--via` takes it, and its name when nobody has given it another.
    pub fn via(&self) -> (String, String) {
        let relay = self.relay.as_ref().expect("it runs");
        (format!("{}@{}", relay.eid, relay.address), relay.address.clone())
    }

    pub fn user(&self, args: &[&str]) -> Command {
        let mut command = self.bench.tng("client.key", args);
        command.env("XDG_CONFIG_HOME", self.bench.path("user"));
        command
    }

    pub fn run(&self, args: &[&str]) -> Ended {
        Ended(self.user(args).output().expect("it runs"))
    }

    /// The user's configuration.
    pub fn configure(&self, text: &str) {
        let path = self.bench.path("user/tng/config.toml");
        fs::write(&path, text).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("changed");
    }

    /// What the relay tells of itself.
    pub fn status(&self) -> Value {
        let asked = self.run(&["relay", "status", "--control", "sock", "--json"]).expect(0);
        serde_json::from_slice(&asked.0.stdout).expect("JSON")
    }

    pub fn joins(&self) -> u64 {
        let status = self.status();
        status["counts"]["joins"].as_u64().unwrap_or_else(|| panic!("{status}"))
    }
}

fn stdout(ended: &Ended) -> String {
    String::from_utf8_lossy(&ended.0.stdout).into_owned()
}

pub const ANYONE: &str = "[terms]\nanyone = true\n";
pub const SERVE: &[&str] = &["serve", "there", "--public", "--writable"];

#[test]
fn a_ping_by_way_of_a_relay_tells_who_helps_and_each_sections_round_trip() {
    let helped = Helped::start(ANYONE, SERVE, "");
    let ((via, name), target) = (helped.via(), &helped.server.ticket);
    let pings = helped.run(&["ping", "--json", "-c", "3", "-i", "0.01", "--via", &via, target]).expect(0);
    let connected = &pings.events("connected")[0];
    assert_eq!(connected["path"], format!("via {name}"));
    let pings = pings.events("ping");
    assert_eq!(pings.len(), 3);
    for ping in &pings {
        assert_eq!((&ping["path"], &ping["address"]), (&format!("via {name}").into(), &name.clone().into()));
        let sections = ping["sections_ms"].as_array().expect("two round trips");
        assert!(sections.len() == 2 && sections[0].as_f64() > Some(0.0), "{ping}");
        assert_eq!(ping["helpers"][0]["eid"], helped.relay.as_ref().expect("it runs").eid);
    }
    let kept = helped.bench.path("user/tng/capabilities");
    assert_eq!(fs::metadata(&kept).expect("kept").permissions().mode() & 0o777, 0o600);
    let before = fs::read(&kept).expect("kept");
    let words = stdout(&helped.run(&["ping", "-c", "1", "--via", &via, target]).expect(0));
    assert!(words.contains(&format!(", via {name} at {name}, ")), "{words}");
    assert!(words.contains(&format!(" ms, split at {name}: ")), "{words}");
    assert_eq!(fs::read(&kept).expect("kept"), before, "nothing was asked for again");
    let words = stdout(&helped.run(&["ping", "-c", "1", target]).expect(0));
    assert!(words.contains(", direct at 127.0.0.1:") && !words.contains("split"), "control: {words}");
    assert_eq!(helped.joins(), 2);
}

#[test]
fn files_go_both_ways_by_way_of_a_relay_that_has_a_name_and_wants_a_token() {
    let bench = Bench::new();
    let drawn = bench.tng("unused", &["relay", "token", "--json"]).output().expect("it runs");
    let drawn: Value = serde_json::from_slice(&Ended(drawn).expect(0).0.stdout).expect("JSON");
    let clients = format!("[[client]]\nname = 'us'\ntoken_sha256 = {}\n", drawn["token_sha256"]);
    let helped = Helped::start(&clients, SERVE, "");
    let (relay, server) = (helped.relay.as_ref().expect("it runs"), &helped.server);
    let hosts = |token: &Value| {
        format!(
            "[hosts.attic]\neid = '{}'\naddress = '{}'\ntoken = {token}\n[hosts.home]\neid = '{}'\naddress = '{}'\n",
            relay.eid, relay.address, server.eid, server.address
        )
    };
    helped.configure(&hosts(&drawn["token"]));
    let file = helped.bench.write("here/a", 300_000, 1);
    let put = helped.run(&["put", "--json", "--via", "attic", "here/a", "home"]).expect(0);
    assert_eq!(put.events("connected")[0]["path"], "via attic");
    let get = helped.run(&["get", "--json", "--via", "attic", "home//a", "-o", "back"]).expect(0);
    assert_eq!(get.events("connected")[0]["path"], "via attic");
    assert!(get.stderr().contains("path: via attic\n"), "{}", get.stderr());
    assert!(same(&file, &helped.bench.path("back")) && same(&file, &helped.bench.path("there/a")));
    assert_eq!(helped.joins(), 2);

    fs::remove_file(helped.bench.path("user/tng/capabilities")).expect("there is one");
    helped.configure(&hosts(&"another".into()));
    let denied = helped.run(&["ping", "-c", "1", "--via", "attic", "home"]).expect(9);
    assert!(
        denied.stderr().contains("asking attic for help: the helper does not know the token"),
        "{}",
        denied.stderr()
    );
    let (via, _) = helped.via();
    let unknown = helped.run(&["ping", "--json", "-c", "1", "--via", &via, "home"]).expect(9);
    let error = &unknown.events("error")[0];
    assert!(
        error["try"].as_str().expect("told").contains("write [hosts.NAME] with eid, address and token into "),
        "{error}"
    );
    helped.configure(&hosts(&drawn["token"]).replace("token = ", "controller = \"vegas\"\ntoken = "));
    let wishful = helped.run(&["ping", "--json", "-c", "1", "--via", "attic", "home"]).expect(0);
    let words = "attic: the helper offers no controller \"vegas\"";
    assert!(wishful.stderr().contains(words), "{}", wishful.stderr());
    assert_eq!(
        (&wishful.events("ungranted")[0]["helper"], wishful.events("ping")[0]["path"].as_str()),
        (&"attic".into(), Some("via attic"))
    );
    let unknown = helped.run(&["ping", "-c", "1", "--via", "atic", "home"]).expect(2);
    assert!(unknown.stderr().contains("config.toml; there is attic, home"), "{}", unknown.stderr());
    helped.configure("[hosts.attic]\ntrustd = true\n");
    let wrong = helped.run(&["ping", "-c", "1", "--via", "attic", &helped.server.ticket]).expect(2);
    assert!(wrong.stderr().contains("line 2: [hosts.attic] has no key \"trustd\"; did you mean \"trusted\"?"));
}

#[test]
fn a_relays_ticket_is_a_way_by_it() {
    let helped = Helped::start(ANYONE, SERVE, "");
    let relay = helped.relay.as_ref().expect("it runs");
    let made = helped.run(&["relay", "ticket", "--json", "--config", "relay.toml"]).expect(0);
    let told = &made.events("ticket")[0];
    assert_eq!((&told["eid"], &told["addresses"][0]), (&relay.eid.clone().into(), &relay.address.clone().into()));
    fs::write(helped.bench.path("attic.ticket"), told["ticket"].as_str().expect("a ticket")).expect("written");
    let pinged = helped.run(&["ping", "--json", "-c", "1", "--via", "@attic.ticket", &helped.server.ticket]).expect(0);
    assert_eq!(pinged.events("ping")[0]["path"], format!("via {}", relay.address));
}

#[test]
fn a_command_goes_on_directly_without_a_relay_that_is_away_and_says_so() {
    let mut helped = Helped::start(ANYONE, SERVE, "");
    let (via, name) = helped.via();
    helped.relay.take().expect("it runs").kill();
    let pinged = helped.run(&["ping", "--json", "-c", "1", "--via", &via, &helped.server.ticket]).expect(0);
    assert!(pinged.stderr().contains(&format!("{name} does not help: the helper cannot be asked: refused")));
    assert_eq!(pinged.events("unhelped")[0]["helper"], name);
    assert_eq!(pinged.events("ping")[0]["path"], "direct");
    // With a capability at hand nobody is asked, and the set-up finds out.
    helped.start_relay();
    helped.run(&["ping", "-c", "1", "--via", &via, &helped.server.ticket]).expect(0);
    helped.relay.take().expect("it runs").kill();
    let pinged = helped.run(&["ping", "--json", "-c", "1", "--via", &via, &helped.server.ticket]).expect(0);
    assert!(pinged.stderr().contains("the path is direct: no helper is on it now"), "{}", pinged.stderr());
    assert_eq!(pinged.events("ping")[0]["path"], "direct");
    let waits = pinged.events("waiting");
    // None where the system says at once that nobody listens there.
    assert!(waits.iter().all(|wait| wait["for"] == "helpers") && waits.len() <= 1, "{waits:?}");
}

#[test]
fn that_a_relay_is_killed_is_said_and_that_the_path_is_direct() {
    let mut helped = Helped::start(ANYONE, SERVE, "");
    let (via, _) = helped.via();
    let args = ["ping", "--json", "-c", "300", "-i", "0.02", "--via", &via, &helped.server.ticket];
    let pinging = helped.user(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    wait("the relay to help", || helped.joins() == 1);
    helped.relay.take().expect("it runs").kill();
    let pinged = Ended(pinging.wait_with_output().expect("it ends")).expect(0);
    let left = pinged.events("left");
    assert!(left.len() == 1 && left[0]["path"] == "direct", "{left:?}");
    assert!(pinged.stderr().contains("the helpers were left: "), "{}", pinged.stderr());
    assert_eq!(pinged.events("back")[0]["path"], "direct");
    assert_eq!(pinged.events("ping").last().map(|ping| ping["path"].clone()), Some("direct".into()));
}

#[test]
fn a_relay_with_another_secret_is_asked_again_and_helps_in_the_same_command() {
    let mut helped = Helped::start(ANYONE, SERVE, "");
    let (via, name) = helped.via();
    helped.run(&["ping", "-c", "1", "--via", &via, &helped.server.ticket]).expect(0);
    helped.relay.take().expect("it runs").kill();
    fs::remove_file(helped.bench.path("relay-secret")).expect("there is one");
    helped.start_relay();
    let args = ["ping", "--json", "-c", "100", "-i", "0.02", "--via", &via, &helped.server.ticket];
    let pinged = helped.run(&args).expect(0);
    let why = "it does not know the capability that is kept; asking it for another";
    assert_eq!(pinged.events("declined")[0]["why"], why);
    assert_eq!(pinged.events("helped")[0]["path"], format!("via {name}"));
    let pings = pinged.events("ping");
    // The first goes directly, if the relay is not quicker to help.
    assert!(pings[0]["path"] == "direct" || pings[0]["path"] == *format!("via {name}"), "{}", pings[0]);
    assert_eq!(pings[99]["path"], format!("via {name}"));
    assert!(pinged.events("done")[0]["last_gap_ms"].is_null(), "a change to a better path is no outage");
}

#[test]
fn a_server_that_wants_no_helpers_says_so_and_is_reached_directly() {
    for (configured, path) in [("helpers = 'none'", "direct"), ("helpers = 'named'", "direct"), ("", "via")] {
        let helped = Helped::start(ANYONE, SERVE, configured);
        let (via, name) = helped.via();
        let pinged = helped.run(&["ping", "--json", "-c", "1", "--via", &via, &helped.server.ticket]).expect(0);
        let told = pinged.events("ping")[0]["path"].as_str().expect("told").to_owned();
        assert!(told.starts_with(path), "{configured}: {told}");
        let refused = pinged.events("refused");
        let wanted = if path == "direct" { vec![name] } else { Vec::new() };
        assert_eq!(refused.iter().map(|event| event["helpers"].clone()).collect::<Vec<_>>(), wanted, "{configured}");
    }
}

#[test]
fn a_measurement_by_way_of_a_relay_tells_the_path_and_direct_ones_say_so() {
    let helped = Helped::start(ANYONE, &["perf", "-s", "--public"], "");
    let ((via, name), target) = (helped.via(), &helped.server.ticket);
    let measured = helped.run(&["perf", "-c", target, "-t", "0.2", "-J", "--via", &via]).expect(0);
    let document: Value = serde_json::from_slice(&measured.0.stdout).expect("JSON");
    assert_eq!(document["start"]["path"], format!("via {name}"));
    assert_eq!(document["path"]["sections_ms"].as_array().map(Vec::len), Some(2), "{}", document["path"]);
    let table = stdout(&helped.run(&["perf", "-c", target, "-t", "0.2", "--via", &via]).expect(0));
    assert!(table.contains(&format!("\nPath: via {name}, split at {name}: ")), "{table}");
    let direct = helped.run(&["perf", "-c", target, "-t", "0.2", "-J"]).expect(0);
    let document: Value = serde_json::from_slice(&direct.0.stdout).expect("JSON");
    assert_eq!((&document["start"]["path"], &document["path"]["path"]), (&"direct".into(), &"direct".into()));
}

#[test]
fn a_pipe_leads_through_a_relay() {
    let helped = Helped::start(ANYONE, SERVE, "");
    let listener = helped.bench.listen("got");
    let mut connecter = helped.user(&["connect", "--via", &helped.via().0, &listener.ticket]);
    let mut connecter = connecter.stdin(Stdio::piped()).spawn().expect("it runs");
    let mut stdin = connecter.stdin.take().expect("piped");
    std::io::Write::write_all(&mut stdin, b"through").expect("written");
    drop(stdin);
    assert!(connecter.wait().expect("it ends").success());
    helped.bench.wait_for("got", 7);
    assert_eq!((fs::read(helped.bench.path("got")).expect("there"), helped.joins()), (b"through".to_vec(), 1));
}

#[test]
fn who_serves_has_no_use_for_helpers() {
    let bench = Bench::new();
    for args in [&["perf", "-s", "--via", "x"][..], &["forward", "--serve", "--to", "any", "--via", "x"]] {
        let refused = Ended(bench.tng("server.key", args).output().expect("it runs")).expect(2);
        assert!(refused.stderr().contains("without --via"), "{}", refused.stderr());
    }
}
