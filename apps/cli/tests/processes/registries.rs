//! Registries as processes: hosts that are found by their EID alone, and what becomes of that when something dies.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tng::registry::{Record, RegistryTarget, Statement, Word, publish};
use tng::{Endpoint, Identity};
use tng_base::Eid;

use crate::bench::{Bench, Ended, Serving, free_port, same, wait};

const SMALL: usize = 20_000;

/// A registry and what it is called.
struct Registered {
    bench: Bench,
    port: u16,
    store: &'static str,
}

impl Registered {
    fn new(store: &'static str) -> Registered {
        Registered { bench: Bench::new(), port: free_port(), store }
    }

    fn run(&self) -> Serving {
        let bind = format!("127.0.0.1:{}", self.port);
        let args =
            ["registry", "run", "--bind", &bind, "--address", &bind, "--store", self.store, "--lease", "6s", "--json"];
        self.bench.run(self.bench.tng("registry.key", &[&args[..], &["--control", "registry.sock"]].concat()))
    }

    fn user(&self, args: &[&str]) -> Command {
        let mut command = self.bench.tng("client.key", args);
        command.env("XDG_CONFIG_HOME", self.bench.path("user"));
        command
    }

    fn ask(&self, args: &[&str]) -> Ended {
        Ended(self.user(args).output().expect("it runs"))
    }

    fn status(&self) -> Value {
        let asked = self.ask(&["registry", "status", "--control", "registry.sock", "--json"]).expect(0);
        serde_json::from_slice(&asked.0.stdout).expect("JSON")
    }

    /// Waits until the host is found.
    fn wait_for(&self, registry: &str, eid: &str) {
        let found = || self.ask(&["registry", "lookup", "--registry", registry, eid]).code() == Some(0);
        wait("the host to be found", found);
    }
}

#[test]
fn a_file_is_fetched_by_the_eid_of_its_host_alone() {
    let registered = Registered::new("memory");
    let registry = registered.run();
    let bench = &registered.bench;
    let (file, data) = (bench.write("there/a.bin", SMALL, 1), "there");
    let server = bench.serve(&[data, "--public", "--bind", "127.0.0.1:0", "--register", &registry.ticket]);
    registered.wait_for(&registry.ticket, &server.eid);
    let lookup = ["registry", "lookup", "--json", "--registry", &registry.ticket, &server.eid];
    let found = &registered.ask(&lookup).expect(0).events("found")[0];
    assert!(found["expires_unix_s"].as_u64().is_some_and(|at| at > 1_700_000_000), "a date: {found}");
    assert_eq!(server.said["registry_url"], format!("tng://{}/", server.eid));
    let url = format!("tng://{}/a.bin", server.eid);
    registered.ask(&["get", "--json", "--registry", &registry.ticket, "-o", "b.bin", &url]).expect(0);
    assert!(same(&file, &bench.path("b.bin")));
    // The environment does as well.
    let mut command = registered.user(&["get", "--json", "-o", "c.bin", &url]);
    Ended(command.env("TNG_REGISTRY", &registry.ticket).output().expect("it runs")).expect(0);
    // One that is set to nothing is as one that is not set.
    let empty = |args: &[&str]| Ended(registered.user(args).env("TNG_REGISTRY", "").output().expect("it runs"));
    empty(&["ping", "-c", "1", &server.ticket]).expect(0);
    let none = empty(&["get", "--json", "-o", "d.bin", &url]).expect(6);
    assert!(none.stderr().contains("no registry is known"), "{}", none.stderr());
    let unknown = registered.ask(&["get", "--json", "-o", "d.bin", &url]).expect(6);
    assert!(unknown.stderr().contains("--registry REGISTRY or TNG_REGISTRY"), "{}", unknown.stderr());
    let nobody = Identity::from_seed([9; 32]).eid();
    let absent = registered.ask(&["get", "--registry", &registry.ticket, &format!("tng://{nobody}/a")]).expect(6);
    assert!(absent.stderr().contains("is not registered"), "{}", absent.stderr());
    // A client that was slow was introduced, and is gone soon.
    wait("the host to be attended to, alone", || registered.status()["attending"] == 1);
    assert!(registered.status()["counts"]["absent"].as_u64().is_some_and(|count| count > 0));
}

#[test]
fn a_host_that_registers_with_a_token_is_found_by_those_alone_who_show_it() {
    let registered = Registered::new("memory");
    let registry = registered.run();
    let bench = &registered.bench;
    let file = bench.write("there/a.bin", SMALL, 1);
    let secret = |name: &str, text: &str| {
        std::fs::write(bench.path(name), text).expect("written");
        std::fs::set_permissions(bench.path(name), Permissions::from_mode(0o600)).expect("changed");
    };
    secret("token", "open sesame\n");
    secret("other", "open sesam\n");
    let door = ["--public", "--bind", "127.0.0.1:0", "--register", &registry.ticket, "--register-token", "@token"];
    let server = bench.serve(&[&["there"], &door[..]].concat());
    let asked =
        |token: &[&str], args: &[&str]| registered.ask(&[&["--registry", &registry.ticket], token, args].concat());
    let right = ["--registry-token", "@token"];
    wait("the host to be found", || asked(&right, &["registry", "lookup", &server.eid]).code() == Some(0));
    for none in [&[][..], &["--registry-token", "@other"]] {
        let absent = asked(none, &["registry", "lookup", &server.eid]).expect(6);
        assert!(absent.stderr().contains("is not registered"), "{}", absent.stderr());
    }
    let url = format!("tng://{}/a.bin", server.eid);
    asked(&right, &["get", "--json", "-o", "b.bin", &url]).expect(0);
    assert!(same(&file, &bench.path("b.bin")));
    // A word does as well, and is warned of.
    let word = asked(&["--registry-token", "open sesame"], &["get", "--json", "-o", "c.bin", &url]).expect(0);
    assert!(word.stderr().contains("lists processes"), "{}", word.stderr());
    // And so does a name with the token beside it.
    std::fs::create_dir_all(bench.path("user/tng")).expect("made");
    secret(
        "user/tng/config.toml",
        &format!("[hosts.photos]\neid = \"{}\"\nregistry_token = \"open sesame\"\n", server.eid),
    );
    asked(&[], &["get", "--json", "-o", "d.bin", "photos//a.bin"]).expect(0);
    assert!(same(&file, &bench.path("d.bin")));
    asked(&[], &["registry", "lookup", "photos"]).expect(0);
    // The token may stand in a file beside.
    secret("user/tng/secret", "open sesame\n");
    secret(
        "user/tng/config.toml",
        &format!("[hosts.photos]\neid = \"{}\"\nregistry_token = \"@secret\"\n", server.eid),
    );
    asked(&[], &["registry", "lookup", "photos"]).expect(0);
}

#[test]
fn what_the_registry_says_in_a_hosts_name_and_the_host_has_not_signed_ends_in_60() {
    let registered = Registered::new("memory");
    let registry = registered.run();
    let true_host = Identity::from_seed([5; 32]);
    // A registry cannot sign: all that it can do is to send somebody to another host.
    let at: RegistryTarget = (&registry.ticket.parse::<tng::Ticket>().expect("a ticket")).into();
    registered.bench.write("there/a.bin", SMALL, 1);
    let server = registered.bench.serve(&["there", "--public", "--bind", "127.0.0.1:0"]);
    let record =
        Record { number: 1, expires_s: u64::MAX / 2, addresses: vec![server.address.parse().expect("an address")] };
    let statement = Statement::new(&true_host, Word::Here(record));
    let eid = true_host.eid();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let endpoint = Endpoint::builder().identity(true_host).build().await.expect("bound");
        publish(&endpoint, &at, statement).await.expect("it is its own");
    });
    let ended = registered.ask(&["get", "--registry", &registry.ticket, &format!("tng://{eid}/a.bin")]).expect(60);
    assert!(ended.stderr().contains("wrong peer key"), "{}", ended.stderr());
}

/// Puts statements of so many hosts, and answers who was told that theirs is kept, when something killed the registry.
async fn publish_until_killed(at: RegistryTarget, seeds: std::ops::Range<u8>, killed: impl FnOnce()) -> Vec<Eid> {
    let mut puts = tokio::task::JoinSet::new();
    for seed in seeds {
        let at = at.clone();
        puts.spawn(async move {
            let identity = Identity::from_seed([seed; 32]);
            let eid = identity.eid();
            let record = Record { number: 1, expires_s: u64::MAX / 2, addresses: Vec::new() };
            let statement = Statement::new(&identity, Word::Here(record));
            let endpoint = Endpoint::builder().identity(identity).build().await.ok()?;
            publish(&endpoint, &at, statement).await.ok().map(|_| eid)
        });
    }
    let mut kept = Vec::new();
    let mut killed = Some(killed);
    while let Some(put) = puts.join_next().await {
        kept.extend(put.expect("no panic"));
        // In the middle: others are on their way.
        if kept.len() == 5
            && let Some(kill) = killed.take()
        {
            kill();
        }
    }
    kept
}

#[test]
fn what_a_registry_has_said_that_it_keeps_in_a_file_is_there_after_it_was_killed_in_mid_write() {
    let registered = Registered::new("file:hosts.db");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut kept = Vec::new();
    for round in 0..3u8 {
        let registry = registered.run();
        let at: RegistryTarget = (&registry.ticket.parse::<tng::Ticket>().expect("a ticket")).into();
        let seeds = 10 + round * 30..40 + round * 30;
        kept.extend(runtime.block_on(publish_until_killed(at, seeds, move || drop(registry.kill()))));
    }
    assert!(kept.len() >= 15, "control: {} were kept", kept.len());
    let registry = registered.run();
    let at: RegistryTarget = (&registry.ticket.parse::<tng::Ticket>().expect("a ticket")).into();
    runtime.block_on(async {
        let client = Endpoint::builder().registry(at).build().await.expect("bound");
        // One host may not ask more often at once.
        for eid in kept.into_iter().take(50) {
            client.look_up(eid).await.unwrap_or_else(|error| panic!("{eid}: {error}"));
        }
    });
}

#[test]
fn a_host_is_found_again_soon_after_its_registry_was_killed() {
    let registered = Registered::new("memory");
    let registry = registered.run();
    let bench = &registered.bench;
    bench.write("there/a.bin", SMALL, 1);
    let server = bench.serve(&["there", "--public", "--bind", "127.0.0.1:0", "--register", &registry.ticket]);
    registered.wait_for(&registry.ticket, &server.eid);
    let ticket = registry.ticket.clone();
    registry.kill();
    let _again = registered.run();
    registered.wait_for(&ticket, &server.eid);
}

#[test]
fn who_watches_a_host_is_told_when_it_comes() {
    let registered = Registered::new("memory");
    let registry = registered.run();
    let server_key = Identity::from_seed([7; 32]);
    let eid = server_key.eid().to_string();
    let watch = registered.user(&["registry", "watch", "--registry", &registry.ticket, &eid, "--json"]);
    let mut watching = registered.bench.run(watch);
    assert_eq!(watching.said["event"], "absent");
    let at: RegistryTarget = (&registry.ticket.parse::<tng::Ticket>().expect("a ticket")).into();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let host = Endpoint::builder().identity(server_key).build().await.expect("bound");
        let _registration = host.register(&at, tng::registry::Registering::default()).await.expect("registered");
        let next = tokio::task::spawn_blocking(move || watching.next_event());
        let said = tokio::time::timeout(Duration::from_secs(30), next).await.expect("in time").expect("no panic");
        assert_eq!((&said["event"], &said["eid"]), (&"changed".into(), &eid.clone().into()));
    });
}

#[test]
fn who_watches_a_host_goes_on_by_itself_when_the_registry_was_killed_and_is_back() {
    let registered = Registered::new("memory");
    let registry = registered.run();
    let (bench, ticket) = (&registered.bench, registry.ticket.clone());
    bench.write("there/a.bin", SMALL, 1);
    let made = Ended(bench.tng("server.key", &["id"]).output().expect("it runs")).expect(0);
    let eid = String::from_utf8_lossy(&made.0.stdout).trim().to_owned();
    let mut watching = bench.run(registered.user(&["registry", "watch", "--registry", &ticket, &eid, "--json"]));
    assert_eq!(watching.said["event"], "absent");
    registry.kill();
    let _again = registered.run();
    let waiting = watching.next_event();
    assert_eq!((&waiting["event"], &waiting["eid"]), (&"waiting".into(), &eid.clone().into()), "{waiting}");
    assert_eq!(watching.next_event()["event"], "resumed");
    // That it is absent still is not said again.
    let server = bench.serve(&["there", "--public", "--bind", "127.0.0.1:0", "--register", &ticket]);
    let changed = watching.next_event();
    assert_eq!((&changed["event"], &changed["eid"]), (&"changed".into(), &server.eid.clone().into()), "{changed}");
}

#[test]
fn who_watches_a_host_is_told_soon_that_the_registry_does_not_answer_and_when_it_is_back() {
    let registered = Registered::new("memory");
    let registry = registered.run();
    let ticket = registry.ticket.clone();
    let nobody = Identity::from_seed([9; 32]).eid().to_string();
    let watch = registered.user(&["registry", "watch", "--registry", &ticket, &nobody, "--json"]);
    let mut watching = registered.bench.run(watch);
    assert_eq!(watching.said["event"], "absent");
    // Nothing says that it is gone: it is silent.
    registry.signal("STOP");
    let next = std::thread::spawn(move || (watching.next_event(), watching));
    wait("words about it, long before a connection is given up", || next.is_finished());
    let (waiting, mut watching) = next.join().expect("no panic");
    assert_eq!(waiting["event"], "waiting", "{waiting}");
    registry.signal("CONT");
    assert_eq!(watching.next_event()["event"], "resumed");
}

#[test]
fn a_host_that_ends_politely_is_found_no_more_at_once_and_one_that_is_killed_until_its_lease_ends() {
    let registered = Registered::new("memory");
    let registry = registered.run();
    let bench = &registered.bench;
    bench.write("there/a.bin", SMALL, 1);
    let serve = || bench.serve(&["there", "--public", "--bind", "127.0.0.1:0", "--register", &registry.ticket]);
    let server = serve();
    let eid = server.eid.clone();
    registered.wait_for(&registry.ticket, &eid);
    let code = || registered.ask(&["registry", "lookup", "--registry", &registry.ticket, &eid]).code();
    server.kill();
    assert_eq!(code(), Some(0), "control");
    let mut server = serve();
    // What is found is not what the one before has left.
    while server.next_event()["event"] != "registered" {}
    server.stop("TERM");
    assert_eq!(code(), Some(6));
}

#[test]
fn what_a_registry_counts_is_told_as_soon_as_it_is_and_a_revoked_key_by_that_name() {
    let registered = Registered::new("file:hosts.db");
    let registry = registered.run();
    let bench = &registered.bench;
    bench.write("there/a.bin", SMALL, 1);
    let away = Ended(bench.tng("server.key", &["id", "revocation"]).output().expect("it runs")).expect(0);
    std::fs::write(bench.path("away"), &away.0.stdout).expect("written");
    let serve = || bench.serve(&["there", "--public", "--bind", "127.0.0.1:0", "--register", &registry.ticket]);
    let server = serve();
    registered.wait_for(&registry.ticket, &server.eid);
    assert_eq!(registered.status()["registered"], 1);
    registered.ask(&["registry", "publish", "--registry", &registry.ticket, "away"]).expect(0);
    server.kill();
    let _revoked = serve();
    let denied = || registered.status()["counts"]["denied"].clone();
    wait("the key to be refused", || denied()["revoked"].as_u64().is_some_and(|count| count > 0));
    assert_eq!(denied()["older"], 0);
}

#[test]
fn a_registry_that_is_dead_is_named_with_its_address_and_what_to_try() {
    let registered = Registered::new("memory");
    let registry = registered.run();
    let (ticket, name) = (registry.ticket.clone(), format!("{}@127.0.0.1:{}", registry.eid, registered.port));
    registry.kill();
    let nobody = Identity::from_seed([9; 32]).eid().to_string();
    let ended = registered.ask(&["registry", "lookup", "--registry", &ticket, &nobody]).expect(7);
    assert!(ended.stderr().contains(&name) && ended.stderr().contains("try: "), "{}", ended.stderr());
}

#[test]
fn of_two_who_rotate_from_copies_of_one_key_the_second_is_refused_by_name() {
    let registered = Registered::new("file:hosts.db");
    let registry = registered.run();
    let bench = &registered.bench;
    let rotate = |key: &str| Ended(bench.tng(key, &["id", "rotate"]).output().expect("it runs")).expect(0);
    let made = Ended(bench.tng("server.key", &["id"]).output().expect("it runs")).expect(0);
    let old = String::from_utf8_lossy(&made.0.stdout).trim().to_owned();
    std::fs::copy(bench.path("server.key"), bench.path("copy.key")).expect("copied");
    let publish = |key: &str| {
        rotate(key);
        let said = format!("{key}.{}.succession", &old[..8]);
        registered.ask(&["registry", "publish", "--registry", &registry.ticket, &said])
    };
    publish("server.key").expect(0);
    let second = publish("copy.key").expect(9);
    assert_eq!(second.stderr().matches("takes no second one").count(), 1, "{}", second.stderr());
    assert_eq!(registered.status()["counts"]["denied"]["other_heir"], 1);
    // The first one may be told again.
    let said = format!("server.key.{}.succession", &old[..8]);
    registered.ask(&["registry", "publish", "--registry", &registry.ticket, &said]).expect(0);
}

#[test]
fn who_looks_up_a_key_that_was_replaced_is_led_to_the_new_one_and_a_revoked_one_leads_nowhere() {
    let registered = Registered::new("memory");
    let registry = registered.run();
    let bench = &registered.bench;
    let file = bench.write("there/a.bin", SMALL, 1);
    let host = |args: &[&str]| Ended(bench.tng("server.key", args).output().expect("it runs")).expect(0);
    let text = |ended: &Ended| String::from_utf8_lossy(&ended.0.stdout).trim().to_owned();
    let old = text(&host(&["id"]));
    std::fs::write(bench.path("away"), text(&host(&["id", "revocation"]))).expect("written");
    let new = text(&host(&["id", "rotate"]));
    assert_ne!(old, new);
    let said = format!("server.key.{}.succession", &old[..8]);
    let publish = |file: &str| registered.ask(&["registry", "publish", "--registry", &registry.ticket, file]);
    publish(&said).expect(0);
    let server = bench.serve(&["there", "--public", "--bind", "127.0.0.1:0", "--register", &registry.ticket]);
    assert_eq!(server.eid, new);
    registered.wait_for(&registry.ticket, &new);
    let url = format!("tng://{old}/a.bin");
    let got = registered.ask(&["get", "--registry", &registry.ticket, "-o", "b.bin", &url]).expect(0);
    assert!(got.stderr().contains("goes by another key now"), "{}", got.stderr());
    assert!(same(&file, &bench.path("b.bin")));
    publish("away").expect(0);
    let revoked = registered.ask(&["get", "--registry", &registry.ticket, "-o", "c.bin", &url]).expect(60);
    assert!(revoked.stderr().contains("was revoked"), "{}", revoked.stderr());
    publish("there/a.bin").expect(26);
}
