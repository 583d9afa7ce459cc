//! `tng serve` under every attack that the tool knows.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tng_attack::{HELD_HOST_MAX, Kind, REGISTRIES, RELAYS, STATELESS};

use crate::bench::{Bench, Ended, PATIENCE, Serving, free_port, same, wait};

/// What the server is told to hold for its peers.
const MEMORY: &str = "32M";

/// Most memory that it may have used at its most, in KiB: debug builds and 8 MiB of receive buffers included.
const MEMORY_MAX_KIB: u64 = 96 * 1024;

/// Longest file that the server hands out, in bytes: what hurts to hash, and nobody reads. It has holes, and takes no
/// room.
const LARGEST: u64 = 64 << 20;

/// Makes an attack, or several in a row, on a server: it holds and stays small. Nor does it matter that nobody reads
/// what the server tells of its peers: this test does not.
fn attack(name: &str, bench: &Bench, server: &Serving) -> Ended {
    let args = ["attack", name, "--json", "--time", "0.3", "--rate", "2000", "--memory", MEMORY, &server.ticket];
    let ended = Ended(bench.tng("honest.key", &args).output().expect("it runs"));
    for attacked in &ended.events("attacked") {
        assert!(attacked["held"] == true, "{attacked:?}: {}", ended.stderr());
        assert!(attacked["sent"].as_u64() > Some(0), "{attacked:?}");
    }
    let peak = server.memory_peak_kib();
    assert!(peak <= MEMORY_MAX_KIB, "{peak} KiB under {name}");
    ended.expect(0)
}

/// Runs attacks in a row, and fetches a file after them.
fn in_a_row(name: &str, bench: &Bench) -> Vec<serde_json::Value> {
    bench.write("tree/a", 10_000, 1);
    let large = fs::File::create(bench.path("tree/large")).expect("made");
    large.set_len(LARGEST).expect("room for a hole");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0", "--memory", MEMORY]);
    let ended = attack(name, bench, &server);
    let (attacked, verdict) = (ended.events("attacked"), ended.events("attacked_all"));
    assert_eq!((&verdict[0]["attacks"], &verdict[0]["held"]), (&attacked.len().into(), &true.into()), "{verdict:?}");
    let misfits = if name == "all" { STATELESS.len() + RELAYS.len() + REGISTRIES.len() } else { 0 };
    assert_eq!(verdict[0]["misfits"].as_array().map(Vec::len), Some(misfits), "{verdict:?}");
    bench.get(&["-o", "copy", &server.url_of("a")]).expect(0);
    assert_eq!(fs::read(bench.path("copy")).expect("fetched"), fs::read(bench.path("tree/a")).expect("there"));
    attacked
}

/// The same of one attack, on a server of any kind: what the resource model has one host hold for all its peers is what
/// the server grows by at most.
fn grows_within_the_model(name: &str, bench: &Bench, server: &Serving) {
    let before = server.memory_kib();
    attack(name, bench, server);
    let grew = server.memory_peak_kib().saturating_sub(before);
    println!("{name}: {before} KiB before, {grew} more at the most");
    assert!(grew << 10 <= HELD_HOST_MAX, "{name}: {grew} KiB");
}

/// A server still answers.
fn answers(bench: &Bench, server: &Serving) {
    Ended(bench.tng("honest.key", &["ping", "-c", "1", &server.ticket]).output().expect("it runs")).expect(0);
}

#[test]
fn a_server_under_one_attack_after_the_other_holds_serves_on_and_stays_small() {
    let bench = Bench::new();
    let attacked = in_a_row("all", &bench);
    let let_in: u64 = attacked.iter().filter_map(|attacked| attacked["connections"].as_u64()).sum();
    assert!(let_in > 16, "at least one for each attack by a peer: {let_in}");
    let of = |name: &str| attacked.iter().find(|attacked| attacked["name"] == name).expect("it was made");
    assert!(of("unread-answers")["memory_bytes"]["most"].as_u64() > Some(0), "control: its memory is seen");
    let listed = Ended(bench.tng("honest.key", &["attack", "list", "--json"]).output().expect("it runs")).expect(0);
    let named = listed.events("attack");
    assert!(attacked.iter().all(|attacked| named.iter().any(|named| named["name"] == attacked["name"])), "{named:?}");
}

#[test]
fn a_server_that_keeps_nothing_holds_under_every_attack_that_fits_it_serves_on_and_stays_small() {
    let bench = Bench::new();
    let small = bench.write("tree/a", 10_000, 1);
    let large = fs::File::create(bench.path("tree/large")).expect("made");
    large.set_len(LARGEST).expect("room for a hole");
    let server = bench.start(&["trickles", "serve", "tree", "--bind", "127.0.0.1:0"]);
    let ended = attack("all", &bench, &server);
    let (attacked, verdict) = (ended.events("attacked"), ended.events("attacked_all").remove(0));
    // Together: the system counts a process's work in ticks of 10 ms, and one attack may cost less.
    let worked_ms: f64 = attacked.iter().filter_map(|made| made["worked_ms"].as_f64()).sum();
    assert!(worked_ms > 0.0, "{attacked:?}");
    for row in STATELESS {
        let made = attacked.iter().find(|made| made["name"] == row.name).expect("it fits");
        println!("{made}");
        assert!(made["acted_on"] == 0 && made["memory_bytes"]["most"].as_u64() > Some(0), "{made}");
        assert!(made["honest_ms"]["during"].is_number() && made["worked_ms"].is_number(), "{made}");
        // What is right between the rest is answered: the server was reached.
        assert!(row.kind == Kind::Stranger || made["answered"].as_u64() > Some(0), "{made}");
    }
    let misfits = verdict["misfits"].as_array().expect("named");
    assert!(verdict["held"] == true && misfits.contains(&"hash-flood".into()), "{verdict}");
    let url = format!("tng://{}/a", server.ticket);
    let get = bench.tng("client.key", &["trickles", "get", "-o", "copy", &url]).output();
    Ended(get.expect("it runs")).expect(0);
    assert!(same(&small, &bench.path("copy")));
    // Nor is it tried for cookies of structured streams, which it asks for by turns and not for a half-open entry.
    for misfit in ["hash-flood", "cookie-storm"] {
        let alone = bench.tng("honest.key", &["attack", misfit, "--time", "0.1", &server.ticket]).output();
        let alone = Ended(alone.expect("it runs")).expect(18).stderr();
        assert!(alone.contains("serves no structured streams"), "{misfit}: {alone}");
    }
}

#[test]
fn a_server_under_a_flood_of_each_message_holds_serves_on_and_stays_small() {
    let attacked = in_a_row("messages", &Bench::new());
    assert!(attacked.len() > 20, "{}", attacked.len());
}

/// What a name costs of it (docs/limits.md).
const NAME_COST: u64 = 4_096;

/// Runs an attack on a folder that takes so many bytes, names included, or nothing; answers the sizes of files and
/// folders that came to stand in it whose names begin and end so.
fn brought(name: &str, named: (&str, &str), quota: u64) -> Vec<u64> {
    let bench = Bench::new();
    bench.write("inbox/a", 10_000, 1);
    let text = quota.to_string();
    let usual = ["inbox", "--bind", "127.0.0.1:0", "--memory", MEMORY];
    let writable: &[&str] = if quota > 0 { &["--writable", "--quota", &text] } else { &[] };
    let server = bench.serve(&[&usual[..], writable].concat());
    grows_within_the_model(name, &bench, &server);
    bench.get(&["-o", "copy", &server.url_of("a")]).expect(0);
    let stand = fs::read_dir(bench.path("inbox")).expect("there").map(|entry| entry.expect("there"));
    let mut found = Vec::new();
    for entry in stand.filter(|entry| entry.file_name() != "a") {
        let (text, is_file) = (entry.file_name().into_string().expect("text"), entry.path().is_file());
        let len = if is_file { entry.metadata().expect("there").len() } else { 0 };
        if text.starts_with(named.0) && text.ends_with(named.1) {
            found.push(len);
        }
    }
    let cost: u64 = found.iter().map(|len| NAME_COST + len).sum();
    println!("{name}: {} names, {cost} bytes of {quota}", found.len());
    assert!(cost <= quota, "{name}: {cost} bytes: {found:?}");
    found
}

#[test]
fn what_a_flood_of_peers_brings_is_taken_up_to_the_quota_and_the_server_stays_small() {
    let files = brought("storm-put", ("brought-", ""), 1_000_000);
    assert!(files.len() > 10 && files.iter().all(|len| *len == 5), "whole ones: {files:?}");
    let folders = brought("storm-make", ("made-", ""), 1_000_000);
    assert!(folders.len() > 10, "{folders:?}");
    let parts = brought("storm-data", (".tng-", ".part"), 10_000_000);
    assert!(parts.iter().any(|len| *len > 10_000), "bytes of a file that has no end: {parts:?}");
    for name in ["storm-put", "storm-make", "storm-data"] {
        let found = brought(name, ("", ""), 0);
        assert!(found.is_empty(), "control: a server that takes nothing was brought {found:?}");
    }
}

#[test]
fn a_server_of_measurements_takes_part_in_one_of_a_flood_and_stays_small() {
    let bench = Bench::new();
    let server = bench.run(bench.tng("server.key", &["perf", "-s", "--bind", "127.0.0.1:0", "--json-stream"]));
    grows_within_the_model("storm-perf", &bench, &server);
    answers(&bench, &server);
    let said = server.kill();
    assert!(said.contains(r#""event":"start""#), "control: no test began: {said}");
}

#[test]
fn who_waits_for_a_pipe_takes_one_of_a_flood_and_stays_small() {
    let bench = Bench::new();
    let server = bench.listen("piped");
    grows_within_the_model("storm-pipe", &bench, &server);
    answers(&bench, &server);
    let piped = fs::read(bench.path("piped")).expect("there");
    assert!(piped.len() > 10_000 && piped.iter().all(|byte| *byte == 7), "control: {} bytes", piped.len());
}

#[test]
fn a_server_that_leads_to_tcp_does_so_for_a_flood_and_stays_small() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let came = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&came);
    std::thread::spawn(move || {
        for tcp in listener.incoming() {
            count.fetch_add(1, Ordering::Relaxed);
            // It may be gone already.
            let _ = tcp.and_then(|mut tcp| tcp.write_all(b"led"));
        }
    });
    let bench = Bench::new();
    let [here, other] = ["127.0.0.1", "127.0.0.2"].map(|host| format!("{host}:{port}"));
    let server = bench.start(&["forward", "--serve", "--bind", &here, "--to", &here, "--open", &other]);
    grows_within_the_model("storm-forward", &bench, &server);
    let came = came.load(Ordering::Relaxed);
    println!("{came} TCP connections");
    assert!(came > 10, "control: {came} came to where they were led");
    // Those who made the flood have not said goodbye, and hold what they have.
    answers(&bench, &server);
    let mut honest = bench.tng("honest.key", &["proxy", "--listen", "127.0.0.1:0", "--json", &server.ticket]);
    let mut honest = honest.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
    let told = BufReader::new(honest.stdout.take().expect("piped")).lines().map_while(Result::ok);
    let events = told.map(|line| serde_json::from_str::<serde_json::Value>(&line).expect("NDJSON"));
    let listening = events.into_iter().find(|event| event["event"] == "listening").expect("it listens");
    let mut tcp = TcpStream::connect(listening["address"].as_str().expect("text")).expect("a connection");
    tcp.set_read_timeout(Some(PATIENCE)).expect("set");
    write!(tcp, "CONNECT {here} HTTP/1.1\r\nHost: {here}\r\n\r\n").expect("written");
    let mut answer = Vec::new();
    // How it ends is up to the program that answers.
    let _ = tcp.read_to_end(&mut answer);
    honest.kill().expect("it runs");
    honest.wait().expect("it has ended");
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("led"), "{answer}");
    // Who listened may have been sent away since.
    assert!(server.kill().contains(r#""event":"opened""#), "control: it listened for none of them");
}

#[cfg(feature = "guests")]
#[test]
fn a_server_that_would_take_any_code_holds_under_a_flood_of_offers_that_nobody_can_keep() {
    let bench = Bench::new();
    bench.write("tree/a", 10_000, 1);
    fs::write(bench.path("stp.toml"), "accept = \"any\"\n").expect("written");
    let serve = |policy: Option<&str>| {
        let args = ["serve", "tree", "--bind", "127.0.0.1:0", "--memory", MEMORY, "--json"];
        let mut command = bench.tng("server.key", &args);
        if let Some(policy) = policy {
            command.env("TNG_POLICY", bench.path(policy));
        }
        bench.run(command)
    };
    for (policy, said) in [(Some("stp.toml"), "sendme"), (None, "nothing")] {
        let server = serve(policy);
        // What it is like with an engine in it, by how much it grows.
        let args = ["attack", "stp-offer-flood", "--json", "--time", "1", "--memory", MEMORY, &server.ticket];
        let attacked = Ended(bench.tng("honest.key", &args).output().expect("it runs")).expect(0).events("attacked");
        let attacked = &attacked[0];
        assert!(attacked["held"] == true && attacked["memory_bytes"]["most"].as_u64() > Some(0), "{attacked}");
        let offers = attacked["offers"].as_object().expect("a table");
        assert!(offers[said].as_u64() > Some(2) && !offers.contains_key("ok"), "{attacked}");
        bench.get(&["-o", "copy", &server.url_of("a")]).expect(0);
        server.stop("INT");
        let _ = fs::remove_dir_all(bench.path("server.key.data"));
    }
}

#[cfg(feature = "guests")]
#[test]
fn a_client_takes_no_code_in_the_place_of_other_code_and_no_older_version_and_what_it_may_take_it_takes() {
    let bench = Bench::new();
    for (name, trials) in [("stp-swap", 3), ("stp-downgrade", 2)] {
        // All that it takes the tool starts.
        let ended = Ended(bench.tng("honest.key", &["attack", name, "--json"]).output().expect("it runs")).expect(0);
        let attacked = ended.events("attacked").remove(0);
        assert!(attacked["held"] == true && attacked["target"].is_null(), "{attacked}");
        let dialled = attacked["dialled"].as_array().expect("lines");
        let ends = |end: &str| dialled.iter().filter(|line| line.as_str().is_some_and(|it| it.ends_with(end))).count();
        assert_eq!((ends(" refused"), ends(" taken, as it may be")), (trials - 1, 1), "{attacked}");
    }
    let named = Ended(bench.tng("honest.key", &["attack", "junk"]).output().expect("it runs")).expect(2).stderr();
    assert!(named.contains("the target is missing"), "control: {named}");
}

#[test]
fn a_registry_under_each_attack_on_registries_finds_hosts_sends_nobody_to_a_stranger_and_stays_small() {
    let bench = Bench::new();
    let address = format!("127.0.0.1:{}", free_port());
    let args = ["registry", "run", "--bind", &address, "--address", &address, "--json", "--control", "registry.sock"];
    let registry = bench.run(bench.tng("server.key", &args));
    for attack in REGISTRIES {
        let ended = self::attack(attack.name, &bench, &registry);
        let made = &ended.events("attacked")[0];
        println!("{made}");
        assert!(made["answered"].as_u64() > Some(0) && made["acted_on"] == 0, "{made}");
        assert!(made["honest_ms"]["during"].is_number(), "{made}");
        if attack.name == "introduce-flood" {
            let introductions = &made["introductions"];
            assert!(introductions["told"].as_u64() > Some(0) && made["amplification"].as_f64() <= Some(3.0), "{made}");
            assert!(introductions["strayed_bytes"].as_u64() > Some(0), "control: {made}");
            assert_eq!((&introductions["misled"], &introductions["stranger_others"]), (&0.into(), &0.into()), "{made}");
        }
    }
    answers(&bench, &registry);
    bench.write("tree/a", 1, 1);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let misfit = bench.tng("honest.key", &["attack", "register-flood", "--time", "0.1", &server.ticket]).output();
    let said = Ended(misfit.expect("it runs")).expect(18).stderr();
    assert!(said.contains("the target is no registry"), "control: {said}");
}

/// A slow machine is not a weak target: an attack goes on until it has come to what it must.
#[test]
fn an_attack_that_gets_nowhere_in_its_time_goes_on_until_it_is_answered() {
    let bench = Bench::new();
    bench.write("tree/a", 1, 1);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let args = ["attack", "stream-bomb", "--json", "--time", "0.01", "--rate", "400", "--sources", "1", &server.ticket];
    let attacked = Ended(bench.tng("honest.key", &args).output().expect("it runs")).expect(0).events("attacked");
    assert_eq!((&attacked[0]["held"], &attacked[0]["closes"]["3"]), (&true.into(), &1.into()), "{attacked:?}");
    assert!(attacked[0]["sent"].as_u64() > Some(4), "control: its time was up after four: {attacked:?}");
}

#[test]
fn an_attack_on_a_host_that_wants_a_ticket_says_so_as_a_ping_does() {
    let bench = Bench::new();
    bench.write("tree/a", 1, 1);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let bare = format!("{}@{}", server.eid, server.address);
    let ended = |args: &[&str]| Ended(bench.tng("a.key", args).output().expect("it runs")).expect(9).stderr();
    let (attack, ping) = (ended(&["attack", "junk", &bare]), ended(&["ping", "-c", "1", &bare]));
    assert!(attack.contains("ticket"), "{attack}");
    assert_eq!(attack, ping);
    // Control: with its ticket it is attacked.
    Ended(bench.tng("a.key", &["attack", "junk", "--time", "0.1", &server.ticket]).output().expect("it runs"))
        .expect(0);
}

/// The processes that a process has started and that have not ended: what they were started with.
fn children(of: u32) -> Vec<(String, String)> {
    let processes = fs::read_dir("/proc").expect("Linux").flatten().map(|entry| entry.path());
    let child = |process: PathBuf| {
        let status = fs::read_to_string(process.join("status")).ok()?;
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        let id = process.file_name()?.to_str()?.to_owned();
        (parent.trim() == of.to_string()).then(|| (started_with(&id), id)).filter(|(with, _)| !with.is_empty())
    };
    processes.filter_map(child).collect()
}

/// What a process was started with; empty if it has ended.
fn started_with(id: &str) -> String {
    let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).replace('\0', " ")
}

#[test]
fn an_attack_that_is_killed_leaves_neither_processes_nor_folders() {
    let bench = Bench::new();
    bench.write("tree/a", 1, 1);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    for (name, servers) in [("text-escape", 1), ("reset-oracle", 2)] {
        let temporary = bench.path(name);
        fs::create_dir(&temporary).expect("made");
        let mut command = bench.tng("honest.key", &["attack", name, "--time", "20", "-q", &server.ticket]);
        let mut attack = command.env("TMPDIR", &temporary).stdout(Stdio::null()).spawn().expect("it runs");
        let serving = || {
            let all = children(attack.id());
            (all.iter().filter(|(with, _)| with.contains(" serve ")).count() == servers).then_some(all)
        };
        wait("the servers of the attack", || serving().is_some());
        let left = serving().expect("waited for");
        assert_eq!(fs::read_dir(&temporary).expect("there").count(), 1, "control: {name} has a folder");
        attack.kill().expect("it runs");
        attack.wait().expect("it has ended");
        wait("the processes to end", || left.iter().all(|(with, id)| started_with(id) != *with));
        // One that was only just started may be the last to go.
        wait("the folder to go", || fs::read_dir(&temporary).expect("there").count() == 0);
    }
    // Control: a server that nobody has tied to itself serves on, although nothing can come on its stdin.
    answers(&bench, &server);
}

#[test]
fn nobody_far_away_is_attacked_and_no_unknown_attack_made() {
    let bench = Bench::new();
    let eid = bench.eid("a.key");
    let far = format!("{eid}@192.0.2.1:4860");
    let ended = Ended(bench.tng("a.key", &["attack", "junk", &far]).output().expect("it runs")).expect(2);
    assert!(ended.stderr().contains("private network"), "{}", ended.stderr());
    let near = format!("{eid}@127.0.0.1:1");
    let ended = Ended(bench.tng("a.key", &["attack", "no-such", &near]).output().expect("it runs")).expect(2);
    assert!(ended.stderr().contains("tng attack list"), "{}", ended.stderr());
}
