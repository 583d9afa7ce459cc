//! The relay under attack, before clients that ask too much, without room on its disk, and before those of another
//! version.

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::process::Command;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;
use tng::help::{HelperTarget, Wanted, ask};
use tng::relay::FLOW_BYTES_MAX;
use tng::{Access, Endpoint, Identity, ServeOptions};
use tng_attack::{Kind, REGISTRIES, RELAYS, STATELESS};
use tng_base::{ChannelId, Rng};
use tng_crypto::SecretRng;
use tng_flow::wire::{Declined, Greeting, Refusal};
use tng_flow::{Capability, Itinerary, Stop, join};
use tng_wire::{Reader, Repr};

use crate::bench::{Bench, Ended, Serving, wait};
use crate::relays::Relay;

/// A relay for everybody, to hosts of the loopback but its own address.
const LOOPBACK: &str = "onward = ['127.0.0.0/8']\nown = ['127.0.0.1']\n[terms]\nanyone = true\n";

/// The same as the tool is told.
const ONWARD: [&str; 2] = ["--onward", "127.0.0.0/8"];

/// Most memory that a relay may have used under an attack at its most, in KiB: as `tng serve`.
const MEMORY_MAX_KIB: u64 = 96 * 1024;

impl Relay {
    fn target(&self) -> String {
        format!("{}@{}", self.serving().eid, self.serving().address)
    }

    fn attack(&self, name: &str, more: &[&str]) -> Ended {
        let target = self.target();
        let args = [&["attack", name, "--json", "--rate", "2000"], more, &[&target]].concat();
        Ended(self.bench.tng("honest.key", &args).output().expect("it runs"))
    }

    fn count(&self, name: &str) -> u64 {
        let status = self.status();
        status["counts"][name].as_u64().unwrap_or_else(|| panic!("{name}: {status}"))
    }

    /// A server on an address that the relay passes flows on to.
    fn server(&self) -> Serving {
        fs::create_dir_all(self.bench.path("tree")).expect("made");
        self.bench.serve(&["tree", "--public", "--bind", "127.0.0.2:0"])
    }

    /// Pings a server by way of a relay, as a user of its own.
    fn ping(&self, via: &str, server: &Serving, count: &str) -> Ended {
        let args = ["ping", "--json", "-c", count, "-i", "0.01", "--via", via, &server.ticket];
        let mut command = self.bench.tng("client.key", &args);
        Ended(command.env("XDG_CONFIG_HOME", self.bench.path("user")).output().expect("it runs"))
    }

    /// The same of an honest client: the relay helps it.
    fn helps(&self, server: &Serving) {
        let pinged = self.ping(&self.target(), server, "1").expect(0);
        let path = pinged.events("ping")[0]["path"].as_str().expect("told").to_owned();
        assert!(path.starts_with("via "), "{path}: {}", pinged.stderr());
    }
}

#[test]
fn a_relay_follows_no_order_of_an_attack_stays_small_and_helps_an_honest_client_meanwhile() {
    let relay = Relay::start(LOOPBACK);
    for attack in RELAYS {
        let (joins, before) = (relay.count("joins"), relay.serving().memory_kib());
        let ended = relay.attack(attack.name, &[&ONWARD[..], &["--time", "1"]].concat());
        let attacked = ended.events("attacked");
        assert_eq!(ended.code(), Some(0), "{attacked:?}: {}", ended.stderr());
        println!("{}", attacked[0]);
        assert!(attacked[0]["held"] == true && attacked[0]["honest_ms"]["during"].is_number(), "{attacked:?}");
        // Three looks of the honest client, and what an attack may have: copies take places of each other.
        let (begun, flows) = (relay.count("joins") - joins, relay.count("flows"));
        assert!(begun >= 3 && flows <= 3 + 2 * 3, "{}: {begun} flows, {flows} at once", attack.name);
        let grew = relay.serving().memory_peak_kib().saturating_sub(before);
        assert!(grew < MEMORY_MAX_KIB, "{}: {grew} KiB", attack.name);
        if attack.kind == Kind::Client {
            let orders = attacked[0]["orders"].as_object().expect("a table");
            assert!(orders.len() > 5, "{orders:?}");
            for (name, row) in orders.iter().filter(|(name, _)| *name != "as it should be") {
                let count = |what: &str| row[what].as_u64().expect("a number");
                assert_eq!(count("misnamed") + count("followed") + count("unanswered"), 0, "{name}: {row}");
                // The last answer may be on its way.
                assert!(count("declined") > 0 && count("given") <= count("declined") + 1, "{name}: {row}");
            }
        }
    }
    relay.helps(&relay.server());
}

#[test]
fn a_relay_holds_under_one_attack_after_the_other_and_what_does_not_fit_it_is_named() {
    let relay = Relay::start(LOOPBACK);
    let ended = relay.attack("all", &[&ONWARD[..], &["--time", "0.1", "--memory", "32M"]].concat());
    let verdict = ended.events("attacked_all");
    let broken: Vec<String> = ended
        .events("attacked")
        .iter()
        .filter(|made| !made["faults"].as_array().is_none_or(Vec::is_empty))
        .map(|made| format!("{}: {}", made["name"], made["faults"]))
        .collect();
    assert_eq!(ended.code(), Some(0), "{broken:?}: {}", ended.stderr());
    let misfits = verdict[0]["misfits"].as_array().expect("named");
    let due: Vec<Value> = STATELESS.iter().chain(REGISTRIES).map(|attack| attack.name.into()).collect();
    assert_eq!(misfits, &due, "{verdict:?}");
    let made = ended.events("attacked");
    assert!(RELAYS.iter().all(|attack| made.iter().any(|made| made["name"] == attack.name && made["held"] == true)));
    relay.helps(&relay.server());
}

#[test]
fn a_relay_that_passes_on_to_where_it_was_not_said_to_does_not_pass_and_what_is_no_relay_is_not_tried() {
    let relay = Relay::start(LOOPBACK);
    // Nobody has said that it may go to the loopback.
    let ended = relay.attack("open-relay", &["--time", "0.5"]).expect(8);
    let attacked = &ended.events("attacked")[0];
    assert!(attacked["held"] == false && attacked["orders"]["unlisted"]["followed"].as_u64() > Some(0), "{attacked}");
    assert!(attacked["try"].as_str().is_some_and(|suggestion| suggestion.contains("--onward NETWORK")), "{attacked}");
    let closed = Relay::start("");
    let ended = closed.attack("capability-theft", &["--time", "0.1"]).expect(18);
    assert!(ended.stderr().contains("the helper does not know this host"), "{}", ended.stderr());
    let server = closed.server();
    let args = ["attack", "join-flood", "--time", "0.1", &server.ticket];
    let ended = Ended(closed.bench.tng("honest.key", &args).output().expect("it runs")).expect(18);
    assert!(ended.stderr().contains("the target is no relay"), "{}", ended.stderr());
}

/// A client that asks for flows which nobody joins.
struct Greedy {
    capability: Capability,
    relay: SocketAddr,
    socket: UdpSocket,
    /// The neighbour that the relay asks to join, and that says nothing.
    silent: UdpSocket,
    rng: Rng,
    /// Refusals that came.
    refused: Vec<Refusal>,
}

impl Greedy {
    fn of(relay: &Relay) -> Greedy {
        let runtime = tokio::runtime::Runtime::new().expect("threads");
        let address: SocketAddr = relay.serving().address.parse().expect("an address");
        let eid = relay.serving().eid.parse().expect("an EID");
        let terms = runtime.block_on(async {
            let builder = Endpoint::builder().identity(Identity::from_seed([7; 32])).access(Access::Nobody);
            let endpoint = builder.build().await.expect("a socket");
            ask(&endpoint, &HelperTarget::new(eid, vec![address]), Wanted::default()).await.expect("a capability").0
        });
        let bind = || UdpSocket::bind("127.0.0.3:0").expect("a port");
        let (socket, silent) = (bind(), bind());
        socket.set_nonblocking(true).expect("set");
        let (capability, rng) = (terms.capability(), Rng::from_u64(7));
        Greedy { capability, relay: address, socket, silent, rng, refused: Vec::new() }
    }

    /// Asks for so many flows, at a pace at which none is lost.
    fn ask_for(&mut self, flows: usize) {
        let silent = self.silent.local_addr().expect("bound");
        let stops = vec![Stop::new(self.relay, self.capability.clone())];
        let itinerary = Itinerary::new(stops, silent).expect("a path");
        let mut keys = SecretRng::new(self.rng.bytes::<32>());
        for flow in 0..flows {
            let id = ChannelId::from_u64(self.rng.u64());
            let greeting = Greeting { id, reset_token: self.rng.bytes(), payload_max: u16::MAX, repair_ms: 0 };
            let hops = itinerary.draw_keys(&mut keys);
            let orders = itinerary.orders(&hops, &[1; 900]);
            self.socket.send_to(&join(hops.near(), &greeting, &orders), self.relay).expect("sent");
            if flow % 16 == 15 {
                pause(4);
                self.hear();
            }
        }
    }

    fn hear(&mut self) {
        let mut buf = [0; 2_048];
        while let Ok(len) = self.socket.recv(&mut buf) {
            self.refused.extend(Declined::parse(&mut Reader::new(&buf[..len])).map(|declined| declined.refusal));
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
fn pause(ms: u64) {
    sleep(Duration::from_millis(ms));
}

#[test]
fn ten_thousand_half_open_flows_of_a_client_are_as_many_as_its_capability_is_good_for_and_others_are_helped() {
    let relay = Relay::start(LOOPBACK);
    let server = relay.server();
    let before = relay.serving().memory_kib();
    let mut greedy = Greedy::of(&relay);
    greedy.ask_for(10_000);
    relay.helps(&server);
    let (flows, joins) = (relay.count("flows"), relay.count("joins"));
    println!("{joins} asked for, {flows} at once, {} KiB more", relay.serving().memory_peak_kib() - before);
    assert!(joins > 9_000 && flows <= 64 + 1, "{joins} asked for, {flows} at once");
    assert!(relay.serving().memory_peak_kib() - before < 32 << 10);
    // Who sends again what it has seen has the places of flows that nobody follows up, and that is written down.
    let log = fs::read_to_string(relay.bench.path("log")).expect("there");
    let unanswered = log.lines().filter(|line| line.contains(r#""ended":"unanswered""#)).count();
    assert!(unanswered > 1_000, "{unanswered} lines");
}

#[test]
fn ten_thousand_half_open_flows_that_a_client_may_have_are_bounded_each_and_forgotten_when_nobody_joins() {
    let greedy = Identity::from_seed([7; 32]).eid();
    let clients = format!("[[client]]\nname = 'greedy'\neid = '{greedy}'\nflows = 12000\n");
    let relay = Relay::start(&format!("{LOOPBACK}{clients}"));
    let server = relay.server();
    let before = relay.serving().memory_kib();
    let mut greedy = Greedy::of(&relay);
    greedy.ask_for(10_000);
    let flows = relay.count("flows");
    let grew = relay.serving().memory_peak_kib() - before;
    println!("{flows} at once, {grew} KiB more, {} bytes each", (grew << 10) / flows.max(1));
    assert!(flows > 5_000, "{flows} at once");
    assert!((grew << 10) / flows < FLOW_BYTES_MAX as u64, "{grew} KiB");
    relay.helps(&server);
    assert_eq!(greedy.refused, []);
    wait("all of them to be forgotten", || relay.count("flows") <= 1);
    relay.helps(&server);
}

#[test]
fn a_client_that_is_let_have_all_places_of_a_relay_is_declined_by_name_and_so_are_others_who_go_directly_then() {
    let greedy = Identity::from_seed([7; 32]).eid();
    let clients = format!("[[client]]\nname = 'greedy'\neid = '{greedy}'\nflows = 12000\n");
    let relay = Relay::start(&format!("flows_max = 500\n{LOOPBACK}{clients}"));
    let server = relay.server();
    let mut greedy = Greedy::of(&relay);
    greedy.ask_for(1_000);
    greedy.hear();
    assert!(greedy.refused.len() > 300 && greedy.refused.iter().all(|why| *why == Refusal::Overloaded));
    assert_eq!(relay.count("flows"), 500);
    let pinged = relay.ping(&relay.target(), &server, "1").expect(0);
    assert_eq!(pinged.events("ping")[0]["path"], "direct");
    let said = pinged.stderr();
    assert!(said.contains("the path is direct"), "{said}");
}

/// Has a command run where no file can grow: what is written fails as on a disk without room.
fn without_room(bench: &Bench, key: &str, args: &[&str]) -> Command {
    let inner = bench.tng(key, args);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", r#"trap "" XFSZ; ulimit -f 0; exec "$0" "$@""#]).arg(inner.get_program());
    command.args(inner.get_args()).current_dir(bench.path("."));
    command.env_clear().envs(inner.get_envs().filter_map(|(key, value)| Some((key, value?))));
    command
}

#[test]
fn a_relay_without_room_for_its_secret_says_so_and_leaves_none_behind_and_one_that_has_its_files_runs_on() {
    let bench = Bench::new();
    Relay::write(&bench, 0, LOOPBACK);
    let run = ["relay", "run", "--json", "--config", "relay.toml"];
    let refused = Ended(without_room(&bench, "unused", &run).output().expect("it runs")).expect(23);
    assert!(refused.stderr().contains("id"), "{}", refused.stderr());
    let left: Vec<_> =
        fs::read_dir(bench.path(".")).expect("there").map(|entry| entry.expect("there").path()).collect();
    assert_eq!(left, [bench.path("./relay.toml")], "neither identity nor secret, nor a part of one");

    let mut relay = Relay::start(LOOPBACK);
    let eid = relay.serving().eid.clone();
    relay.serving.take().expect("it runs").stop("TERM");
    let log = fs::metadata(relay.bench.path("log")).map_or(0, |log| log.len());
    relay.serving = Some(relay.bench.run(without_room(&relay.bench, "unused", &run)));
    assert_eq!(relay.serving().eid, eid);
    let server = relay.server();
    relay.helps(&server);
    wait("the flow to be over", || relay.count("flows") == 0);
    // Lines are lost, and counted; nothing else is.
    wait("the lost line", || relay.get("/metrics").contains("\ntng_relay_log_lines_unwritten_total 1\n"));
    assert_eq!(fs::metadata(relay.bench.path("log")).map_or(0, |log| log.len()), log);
    relay.ask(&["reload"]).expect(0);
    relay.helps(&server);
    assert_eq!((relay.status()["reloads"].clone(), relay.status()["config_error"].clone()), (1.into(), Value::Null));
}

#[test]
fn a_file_that_an_editor_could_not_write_for_want_of_room_changes_nothing_when_it_is_read_again() {
    let relay = Relay::start(LOOPBACK);
    let whole = fs::read_to_string(relay.bench.path("relay.toml")).expect("there");
    // Emptied, and cut in a line, in a word and after one: what the disk had no room for is missing.
    for len in [0, whole.len() - 6, whole.len() / 2, 9] {
        fs::write(relay.bench.path("relay.toml"), &whole[..len]).expect("written");
        let refused = relay.ask(&["reload"]).expect(2);
        assert!(refused.stderr().contains("line ") || refused.stderr().contains("restart"), "{}", refused.stderr());
        let status = relay.status();
        assert_eq!((&status["reloads"], &status["clients"]["anyone"]), (&0.into(), &true.into()), "cut to {len}");
        assert!(status["config_error"].is_string(), "{status}");
    }
    relay.helps(&relay.server());
}

#[test]
fn a_client_without_room_is_helped_keeps_the_capabilities_that_it_had_and_says_that_the_last_is_not_kept() {
    let relay = Relay::start(LOOPBACK);
    let server = relay.server();
    relay.helps(&server);
    let kept = relay.bench.path("user/tng/capabilities");
    let before = fs::read(&kept).expect("kept");
    let other = Relay::start(LOOPBACK);
    let args = ["ping", "--json", "-c", "1", "--via", &other.target(), &server.ticket];
    let mut command = without_room(&relay.bench, "client.key", &args);
    command.env("XDG_CONFIG_HOME", relay.bench.path("user"));
    let pinged = Ended(command.output().expect("it runs")).expect(0);
    assert!(pinged.events("ping")[0]["path"].as_str().expect("told").starts_with("via "), "{}", pinged.stderr());
    assert!(pinged.stderr().contains("what helpers gave is not kept"), "{}", pinged.stderr());
    assert_eq!(fs::read(&kept).expect("kept"), before);
    assert_eq!(fs::read_dir(relay.bench.path("user/tng")).expect("there").count(), 1, "nothing is left beside");
}

/// Stands between a client and a relay, and changes the version of every JOIN to one that nobody speaks yet.
fn later_version(relay: SocketAddr) -> SocketAddr {
    let near = Arc::new(UdpSocket::bind("127.0.0.4:0").expect("a port"));
    let far = Arc::new(UdpSocket::bind("127.0.0.4:0").expect("a port"));
    far.connect(relay).expect("connected");
    let (address, client) = (near.local_addr().expect("bound"), Arc::new(std::sync::Mutex::new(None)));
    let (back_near, back_far, back_client) = (Arc::clone(&near), Arc::clone(&far), Arc::clone(&client));
    std::thread::spawn(move || {
        let mut buf = [0; 65_536];
        while let Ok((len, from)) = near.recv_from(&mut buf) {
            *client.lock().expect("nobody panics") = Some(from);
            if buf[0] == tng_flow::wire::JOIN {
                buf[1..3].copy_from_slice(&(tng_flow::wire::VERSION + 1).to_be_bytes());
            }
            let _ = far.send(&buf[..len]);
        }
    });
    std::thread::spawn(move || {
        let mut buf = [0; 65_536];
        while let Ok(len) = back_far.recv(&mut buf) {
            let Some(client) = *back_client.lock().expect("nobody panics") else { continue };
            let _ = back_near.send_to(&buf[..len], client);
        }
    });
    address
}

#[test]
fn a_relay_of_another_version_is_done_without_and_named() {
    let relay = Relay::start(LOOPBACK);
    let server = relay.server();
    let between = later_version(relay.serving().address.parse().expect("an address"));
    let via = format!("{}@{between}", relay.serving().eid);
    let pinged = relay.ping(&via, &server, "3").expect(0);
    let why = "the helper speaks another version; update the older one of the two";
    let declined = pinged.events("declined");
    assert!(declined.iter().any(|event| event["why"] == why) || pinged.stderr().contains(why), "{}", pinged.stderr());
    assert!(pinged.events("ping").iter().all(|ping| ping["path"] == "direct"));
    assert_eq!((relay.count("joins"), relay.count("refused") > 0), (0, true));
    relay.helps(&server);
}

#[test]
fn what_gives_out_capabilities_by_another_version_of_the_service_ends_the_command_with_a_word() {
    let relay = Relay::start(LOOPBACK);
    let server = relay.server();
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    // The next version's protocol; and this one's name with an answer that is longer than it was.
    for (protocol, said) in [("tng-help/2", "or one of another version"), ("tng-help/1", "or of another version")] {
        let endpoint = runtime.block_on(async {
            let builder = Endpoint::builder().identity(Identity::from_seed([9; 32])).access(Access::Public);
            let endpoint = builder.bind(SocketAddr::from(([127, 0, 0, 5], 0))).build().await.expect("a port");
            let options = ServeOptions { protocol, ..ServeOptions::default() };
            let answer = async |_: tng::Request| vec![0x10, 0, 3, 1, 2, 3];
            endpoint.serve_with("help", options, answer).expect("its only service");
            endpoint
        });
        let via = format!("{}@{}", endpoint.eid(), endpoint.local_addr());
        let refused = relay.ping(&via, &server, "1").expect(8);
        assert!(refused.stderr().contains(said), "{protocol}: {}", refused.stderr());
    }
}
