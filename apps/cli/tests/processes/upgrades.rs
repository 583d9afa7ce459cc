//! A transport goes from who wrote it to a host that has never met it, as docs/guides/write-a-transport.md shows it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::bench::{Bench, Ended, Serving, same};
use crate::helped::{ANYONE, Helped, SERVE};

/// The commands of the guide, without the tool's name.
fn commands_of_the_guide() -> Vec<String> {
    let guide = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/write-a-transport.md"));
    let text = fs::read_to_string(guide).expect("the guide");
    text.lines().filter_map(|line| line.strip_prefix("tng ")).map(str::to_owned).collect()
}

/// NewReno as somebody else built it: the same code, and another hash.
fn mine(bench: &Bench) {
    let newreno = concat!(env!("CARGO_MANIFEST_DIR"), "/../../transports/stp/guests/modules/newreno.wasm");
    let mut module = fs::read(newreno).expect("the module");
    // A custom section (WebAssembly 5.5.3): a name and nothing in it.
    module.extend_from_slice(&[0, 5, 4, b'm', b'i', b'n', b'e']);
    fs::write(bench.path("mine.wasm"), module).expect("written");
}

/// The tool of the one whose transport it is.
fn author(bench: &Bench, args: &[&str]) -> Command {
    bench.tng("client.key", args)
}

/// A command of the guide, run by who `run`s it; an argument in quotes is one.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in command.split('"').enumerate() {
        match at % 2 {
            1 => words.push(part.to_owned()),
            _ => words.extend(part.split_whitespace().map(str::to_owned)),
        }
    }
    words
}

/// A server of files in `folder` whose user has this policy.
fn serve(bench: &Bench, policy: &str) -> Serving {
    fs::write(bench.path("server.toml"), policy).expect("written");
    let mut command = bench.tng("server.key", &["serve", "folder", "--public", "--bind", "127.0.0.1:0", "--json"]);
    command.env("TNG_POLICY", bench.path("server.toml"));
    bench.run(command)
}

fn settled(ended: &Ended) -> String {
    let told = ended.events("transport");
    told.first().map(|told| told["settled"].as_str().expect("a word").to_owned()).unwrap_or_default()
}

/// A file comes from the server, and what was settled on the way.
fn get(bench: &Bench, server: &Serving) -> String {
    let url = server.url_of("file");
    let ended = author(bench, &["get", "--json", "--transport", "mine", &url, "-o", "got"]).output();
    let ended = Ended(ended.expect("it runs")).expect(0);
    assert!(same(&bench.path("folder/file"), &bench.path("got")));
    fs::remove_file(bench.path("got")).expect("it is there");
    settled(&ended)
}

/// Signed by a key of its own, and installed where it was written; answers the public key.
fn published(bench: &Bench) -> String {
    mine(bench);
    let made = Ended(author(bench, &["stp", "keygen", "acme.key", "--json"]).output().expect("it runs")).expect(0);
    let public = made.events("publisher")[0]["key"].as_str().expect("a key").to_owned();
    let sign = ["stp", "sign", "mine.wasm", "--key", "acme.key", "--name", "mine", "--version", "1.0.0"];
    Ended(author(bench, &sign).output().expect("it runs")).expect(0);
    let install = ["stp", "install", "mine.wasm", "--pin"];
    Ended(author(bench, &install).output().expect("it runs")).expect(0);
    public
}

#[test]
fn a_transport_that_one_host_has_runs_at_both_from_the_second_connection_on() {
    let bench = Bench::new();
    bench.write("folder/file", 500_000, 3);
    let key = published(&bench);
    let policy = format!(
        "[publishers.acme]\nkey = \"{key}\"\n\n\
         [[rule]]\nname = \"files by acme\"\nservice = \"files\"\naccept = \"signed\"\n"
    );
    let server = serve(&bench, &policy);
    assert_eq!(get(&bench, &server), "sendme");
    assert_eq!(get(&bench, &server), "runs");
    server.stop("INT");
    // After a restart it is there still.
    let server = serve(&bench, &policy);
    assert_eq!(get(&bench, &server), "runs");
    server.stop("INT");
    // The policy then refuses it.
    let server = serve(&bench, "accept = \"none\"\n");
    assert_eq!(get(&bench, &server), "no");
    server.stop("INT");
}

#[test]
fn a_host_that_knows_nobody_runs_nothing_of_strangers() {
    let bench = Bench::new();
    bench.write("folder/file", 200_000, 4);
    published(&bench);
    let server = serve(&bench, "accept = \"signed\"\n");
    // It may ask, since a signature is found with the code alone; it does not take it, and does not ask again.
    get(&bench, &server);
    assert_eq!(get(&bench, &server), "no");
    server.stop("INT");
}

/// What came of pushing code to a server, which ends so.
fn push(bench: &Bench, server: &Serving, code: &str, ends: i32) -> Ended {
    let pushed = author(bench, &["stp", "push", "--json", code, &server.ticket]).output();
    Ended(pushed.expect("it runs")).expect(ends)
}

#[test]
fn a_transport_that_is_pushed_is_taken_as_the_peers_policy_says_and_the_pusher_is_told() {
    let bench = Bench::new();
    bench.write("folder/file", 100_000, 6);
    let key = published(&bench);
    let signed = format!("[publishers.acme]\nkey = \"{key}\"\n");
    for (policy, ends, decision) in [
        ("accept = \"any\"\n", 0, "taken"),
        (&*signed, 0, "taken"),
        ("", 9, "not-signed"),
        ("accept = \"pinned\"\n", 9, "not-pinned"),
        ("accept = \"none\"\n", 9, "accepts-none"),
        ("accept = \"any\"\nsources = \"file\"\n", 9, "not-from-peers"),
    ] {
        let server = serve(&bench, policy);
        let pushed = push(&bench, &server, "mine", ends);
        let told = pushed.events("pushed").remove(0);
        assert_eq!((&told["decision"], &told["name"]), (&decision.into(), &"mine".into()), "{policy}");
        assert_eq!(told["peer"], *server.eid);
        if ends == 0 {
            let again = push(&bench, &server, "mine", 0);
            assert_eq!(again.events("pushed")[0]["decision"], "already-here");
            assert!(again.stderr().contains("has it already"), "{}", again.stderr());
            assert_eq!(get(&bench, &server), "runs", "from the first connection on");
        } else {
            assert!(pushed.stderr().contains("the peer's rule") && pushed.stderr().contains("try: "), "{policy}");
        }
        server.stop("INT");
        fs::remove_dir_all(bench.path("server.key.data")).expect("it has a store");
    }
    let server = bench.serve(&["folder", "--public", "--bind", "127.0.0.1:0"]);
    assert!(push(&bench, &server, "mine", 7).stderr().contains("serves no code"));
    assert!(push(&bench, &server, "nobody", 2).stderr().contains("tng stp list"));
    assert!(push(&bench, &server, "cubic", 2).stderr().contains("it is a controller"));
    server.stop("INT");
}

#[test]
fn code_comes_from_a_host_that_the_policy_names_whoever_offers_it() {
    let bench = Bench::new();
    bench.write("folder/file", 100_000, 7);
    published(&bench);
    fs::write(bench.path("attic.toml"), "accept = \"any\"\n").expect("written");
    let attic = ["serve", "folder", "--public", "--bind", "127.0.0.1:0", "--json"];
    let mut attic = bench.tng("attic.key", &attic);
    attic.env("TNG_POLICY", bench.path("attic.toml"));
    let attic = bench.run(attic);
    fs::create_dir_all(bench.path("config/tng")).expect("made");
    let config = format!("[hosts.attic]\nticket = \"{}\"\n", attic.ticket);
    fs::write(bench.path("config/tng/config.toml"), config).expect("written");
    let policy = |source: &str| format!("accept = \"any\"\nsources = [\"file\", \"host:{source}\"]\n");
    let whereabouts = format!("{}@{}", attic.eid, attic.address);
    for (at, source) in ["attic", &whereabouts].into_iter().enumerate() {
        fs::write(bench.path("server.toml"), policy(source)).expect("written");
        let mut command = bench.tng("server.key", &["serve", "folder", "--public", "--bind", "127.0.0.1:0", "--json"]);
        command.env("TNG_POLICY", bench.path("server.toml")).env("XDG_CONFIG_HOME", bench.path("config"));
        let mut server = bench.run(command);
        assert_eq!(get(&bench, &server), "no", "the peer that has it is not asked");
        let came = |server: &mut Serving| loop {
            let event = server.next_event();
            if event["event"] == "code" {
                break event["what"].as_str().expect("a word").to_owned();
            }
        };
        if at == 0 {
            assert_eq!(came(&mut server), "missing", "control: the host does not have it");
            push(&bench, &attic, "mine", 0);
            // What was sought in vain is not sought again for a while, by this process.
            server.stop("INT");
            fs::remove_dir_all(bench.path("server.key.data")).expect("it has a store");
            let mut command =
                bench.tng("server.key", &["serve", "folder", "--public", "--bind", "127.0.0.1:0", "--json"]);
            command.env("TNG_POLICY", bench.path("server.toml")).env("XDG_CONFIG_HOME", bench.path("config"));
            server = bench.run(command);
            assert_eq!(get(&bench, &server), "no");
        }
        assert_eq!(came(&mut server), "came");
        assert_eq!(get(&bench, &server), "runs", "from {source}");
        server.stop("INT");
        let list = bench.tng("server.key", &["stp", "list", "--json"]).output().expect("it runs");
        let origins: Vec<String> = Ended(list).events("guest").iter().map(|row| row["origin"].to_string()).collect();
        assert!(origins.contains(&format!("\"host {source}\"")), "{origins:?}");
        fs::remove_dir_all(bench.path("server.key.data")).expect("it has a store");
    }
    attic.stop("INT");
}

#[test]
fn the_text_of_a_module_comes_from_this_host_and_on_request_from_another() {
    let bench = Bench::new();
    bench.write("folder/file", 1_000, 8);
    published(&bench);
    let server = serve(&bench, "accept = \"any\"\n");
    push(&bench, &server, "mine", 0);
    let text = |args: &[&str]| {
        let args = [&["stp", "show", "--wat"], args].concat();
        let ended = Ended(author(&bench, &args).output().expect("it runs")).expect(0);
        String::from_utf8(ended.0.stdout).expect("text")
    };
    let own = text(&["mine"]);
    assert!(own.starts_with("(module") && own.trim_end().ends_with(')') && own.len() > 100_000, "{}", own.len());
    assert_eq!(text(&["mine", "--from", &server.ticket]), own, "the other has it, too");
    assert_eq!(text(&["mine.wasm"]), own);
    let missing = author(&bench, &["stp", "show", "--wat", &"0".repeat(64), "--from", &server.ticket]).output();
    assert!(Ended(missing.expect("it runs")).expect(9).stderr().contains("use another source"));
    server.stop("INT");
}

#[test]
fn how_fast_code_is_there_from_the_cache_is_told() {
    let bench = Bench::new();
    published(&bench);
    let ended = author(&bench, &["stp", "show", "mine", "--load", "--json"]).output().expect("it runs");
    let loaded = Ended(ended).expect(0).events("loaded").remove(0);
    let figure = |key: &str| loaded[key].as_f64().expect("a number");
    assert!(figure("cache_ms") < figure("compiling_ms"), "{loaded}");
    assert!(
        figure("cache_least_ms") <= figure("cache_ms") && figure("cache_ms") <= figure("cache_most_ms"),
        "{loaded}"
    );
}

#[test]
fn a_file_comes_whole_by_a_transport_that_was_shipped_though_the_relay_on_its_way_is_killed() {
    let bench = Bench::new();
    let whole = bench.write("there/whole", 60_000_000, 6);
    bench.write("there/small", 100_000, 7);
    published(&bench);
    fs::create_dir_all(bench.path("server/tng")).expect("made");
    fs::write(bench.path("server/tng/stp.toml"), "accept = \"any\"\n").expect("written");
    let mut helped = Helped::start_at(bench, ANYONE, SERVE, "");
    let (via, name) = helped.via();
    let get = |file: &str| {
        let url = helped.server.url_of(file);
        helped.user(&["get", "--json", "--retry", "0", "--transport", "mine", "--via", &via, &url, "-o", "got"])
    };
    let by_way = |ended: &Ended| (settled(ended), ended.events("connected")[0]["path"].clone());
    let first = Ended(get("small").output().expect("it runs")).expect(0);
    assert_eq!(by_way(&first), ("sendme".to_owned(), format!("via {name}").into()));
    fs::remove_file(helped.bench.path("got")).expect("it came");
    let getting = get("whole").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    helped.bench.wait_for_draft("got", 2_000_000);
    helped.relay.take().expect("it runs").kill();
    let ended = Ended(getting.wait_with_output().expect("it ends")).expect(0);
    assert_eq!(by_way(&ended), ("runs".to_owned(), format!("via {name}").into()));
    assert_eq!(ended.events("left")[0]["path"], "direct", "{}", ended.stderr());
    assert!(same(&whole, &helped.bench.path("got")));
}

#[test]
fn every_command_of_the_guide_runs() {
    let bench = Bench::new();
    bench.write("folder/file", 300_000, 5);
    mine(&bench);
    let server = serve(&bench, "accept = \"any\"\n");
    fs::write(bench.path("TICKET"), format!("{}\n", server.ticket)).expect("written");
    fs::create_dir_all(bench.path("config/tng")).expect("made");
    let commands = commands_of_the_guide();
    assert!(commands.len() >= 13, "{commands:?}");
    for command in commands {
        // The policy of the guide is for a host that has the publisher's key, which the third step prints.
        if command == "stp policy check" {
            let told = author(&bench, &["stp", "verify", "mine.wasm", "--json"]).output().expect("it runs");
            let told = String::from_utf8(told.stdout).expect("text");
            let at = told.find("tngpub1").expect("the key");
            let key: String = told[at..].chars().take_while(char::is_ascii_alphanumeric).collect();
            let policy = format!("[publishers.acme]\nkey = \"{key}\"\n");
            fs::write(bench.path("config/tng/stp.toml"), policy).expect("written");
        }
        let words = words(&command);
        let mut run = author(&bench, &words.iter().map(String::as_str).collect::<Vec<_>>());
        run.env("XDG_CONFIG_HOME", bench.path("config"));
        let ended = Ended(run.output().expect("it runs"));
        assert_eq!(ended.code(), Some(0), "tng {command}: {}", ended.stderr());
    }
    for got in ["got", "again"] {
        assert!(same(&bench.path("folder/file"), &bench.path(got)), "{got}");
    }
    server.stop("INT");
}
