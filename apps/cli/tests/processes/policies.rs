//! What people meet who name policies, stores and code: what is wrong is said by its name, with what to do.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::bench::{Bench, Ended, Serving, rest};

/// A guest that is built, under another name and hash: a custom section with that name (WebAssembly 5.5.3).
fn module(bench: &Bench, from: &str, name: &str) {
    let modules = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../transports/stp/guests/modules"));
    let mut bytes = fs::read(modules.join(format!("{from}.wasm"))).expect("it is there");
    let section = [&[0, name.len() as u8 + 1, name.len() as u8], name.as_bytes()].concat();
    bytes.extend_from_slice(&section);
    fs::write(bench.path(&format!("{name}.wasm")), bytes).expect("written");
}

/// The tool in a home of its own.
fn tng(bench: &Bench, args: &[&str]) -> Command {
    let mut command = bench.tng("client.key", args);
    command.env("XDG_CONFIG_HOME", bench.path("config"));
    command
}

fn ended(bench: &Bench, args: &[&str], code: i32) -> Ended {
    Ended(tng(bench, args).output().expect("it runs")).expect(code)
}

/// What is said on stdout to people.
fn told(bench: &Bench, args: &[&str]) -> String {
    String::from_utf8(ended(bench, args, 0).0.stdout).expect("text")
}

/// A module, signed by a key that no policy has.
fn signed(bench: &Bench, from: &str, file: &str, name: &str) {
    module(bench, from, file);
    if !bench.path("acme.key").exists() {
        ended(bench, &["stp", "keygen", "acme.key"], 0);
    }
    let file = format!("{file}.wasm");
    ended(bench, &["stp", "sign", &file, "--key", "acme.key", "--name", name, "--version", "1.0.0"], 0);
}

fn policy_event(server: &mut Serving) -> String {
    loop {
        let event = server.next_event();
        if event["event"] == "policy" {
            return event["what"].as_str().expect("a word").to_owned();
        }
    }
}

#[test]
fn a_server_goes_by_its_policy_as_it_is_now_and_by_the_last_good_one_when_it_is_wrong() {
    let bench = Bench::new();
    bench.write("folder/file", 20_000, 3);
    module(&bench, "newreno", "mine");
    ended(&bench, &["stp", "install", "mine.wasm", "--pin"], 0);
    let hash = ended(&bench, &["stp", "show", "mine.wasm", "--json"], 0).events("guest")[0]["blake3"].clone();
    let hash = hash.as_str().expect("a hash").to_owned();
    let say = |text: &str| fs::write(bench.path("server.toml"), text).expect("written");
    say("accept = \"any\"\n");
    let args = ["serve", "folder", "--public", "--bind", "127.0.0.1:0", "--json", "--policy", "server.toml"];
    let mut server = bench.run(bench.tng("server.key", &args));
    let url = server.url_of("file");
    let settled = || {
        let got = ended(&bench, &["get", "--json", "--transport", &hash, &url, "-o", "got"], 0);
        fs::remove_file(bench.path("got")).expect("it came");
        got.events("transport")[0]["settled"].as_str().expect("a word").to_owned()
    };
    assert_eq!((settled(), settled()), ("sendme".to_owned(), "runs".to_owned()), "control");
    say("accept = \"none\"\n");
    assert_eq!((policy_event(&mut server), settled()), ("changed".to_owned(), "no".to_owned()));
    say("accept = \"anybody\"\n");
    assert_eq!((policy_event(&mut server), settled()), ("wrong".to_owned(), "no".to_owned()));
    say("accept = \"any\"\n\n");
    assert_eq!(policy_event(&mut server), "changed", "what is wrong is told once");
    assert_eq!(settled(), "runs");
    server.stop("INT");
}

#[test]
fn a_policy_that_is_taken_away_is_told_of_once_and_holds_and_so_is_its_return() {
    let bench = Bench::new();
    bench.write("folder/file", 20_000, 3);
    let say = |text: &str| fs::write(bench.path("server.toml"), text).expect("written");
    say("accept = \"none\"\n");
    let args = ["serve", "folder", "--public", "--bind", "127.0.0.1:0", "--json", "--policy", "server.toml"];
    let mut command = bench.tng("server.key", &args);
    command.stderr(fs::File::create(bench.path("said")).expect("made"));
    let mut server = bench.run_heard(command);
    let url = server.url_of("file");
    let settled = || {
        let got = ended(&bench, &["get", "--json", "--transport", "newreno", &url, "-o", "got"], 0);
        fs::remove_file(bench.path("got")).expect("it came");
        got.events("transport")[0]["settled"].as_str().expect("a word").to_owned()
    };
    assert_eq!(settled(), "no", "control");
    fs::remove_file(bench.path("server.toml")).expect("there");
    assert_eq!((policy_event(&mut server), settled()), ("gone".to_owned(), "no".to_owned()));
    let said = fs::read_to_string(bench.path("said")).expect("text");
    for words in ["server.toml is not there any more", "the rules that were read last hold", "try: put it back"] {
        assert_eq!(said.matches(words).count(), 1, "{words}: {said}");
    }
    say("accept = \"any\"\n");
    assert_eq!(policy_event(&mut server), "back", "what is gone is told once");
    server.stop("INT");
}

#[test]
fn a_policy_or_a_store_that_is_named_and_missing_is_an_error_with_its_name() {
    let bench = Bench::new();
    bench.write("folder/file", 100, 3);
    let server = bench.serve(&["folder", "--public", "--bind", "127.0.0.1:0"]);
    let url = server.url_of("file");
    let get: &[&str] = &["get", &url, "-o", "got"];
    let missing = |args: &[&str], env: Option<&str>| {
        let mut command = tng(&bench, args);
        if let Some(file) = env {
            command.env("TNG_POLICY", file);
        }
        let said = Ended(command.output().expect("it runs")).expect(26).stderr();
        assert!(said.contains("reading the policy") && said.contains("nowhere.toml"), "{args:?}: {said}");
    };
    missing(get, Some("nowhere.toml"));
    missing(&[get, &["--policy", "nowhere.toml"]].concat(), None);
    missing(&["serve", "folder", "--bind", "127.0.0.1:0", "--policy", "nowhere.toml"], None);
    missing(&["perf", "-c", &server.ticket, "-C", "guest-vegas", "--policy", "nowhere.toml"], None);
    missing(&["stp", "list"], Some("nowhere.toml"));
    missing(&["trickles", "get", "--guest", "mine", &url, "-o", "got", "--policy", "nowhere.toml"], None);
    fs::write(bench.path("relay.toml"), "[relay]\n").expect("written");
    missing(&["relay", "check", "--config", "relay.toml", "--policy", "nowhere.toml"], None);
    missing(&["relay", "run", "--config", "relay.toml", "--policy", "nowhere.toml"], None);
    ended(&bench, get, 0);
    fs::write(bench.path("there.toml"), "").expect("written");
    ended(&bench, &["get", &url, "-o", "again", "--policy", "there.toml"], 0);
    for args in [&["list"][..], &["verify"], &["show", "newreno"], &["unpin", "newreno"]] {
        let said = ended(&bench, &[&["stp"], args, &["--store", "nowhere"]].concat(), 26).stderr();
        assert!(said.contains("nowhere") && !bench.path("nowhere").exists(), "{said}");
    }
    let others = ["relay run", "relay check", "trickles get"];
    for command in
        ["get", "put", "connect", "listen", "serve", "forward", "proxy", "perf", "stp list"].iter().chain(&others)
    {
        let args: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let help = told(&bench, &args);
        assert!(help.contains("TNG_POLICY") && help.contains("TNG_STORE"), "{command}: {help}");
    }
    server.stop("INT");
}

#[test]
fn a_rule_of_a_service_an_application_or_a_host_that_there_is_not_is_refused_by_its_line() {
    let bench = Bench::new();
    let check = |text: &str, code: i32, words: &str| {
        fs::write(bench.path("a.toml"), text).expect("written");
        let said = ended(&bench, &["stp", "policy", "check", "a.toml"], code).stderr();
        assert!(said.contains(words), "{text}: {said}");
    };
    check("[[rule]]\nservice = \"fiels\"\n", 2, "line 2: there is no service \"fiels\"; did you mean \"files\"?");
    check(
        "[[rule]]\n\napplication = \"sevre\"\n",
        2,
        "line 3: there is no application \"sevre\"; did you mean \"serve\"?",
    );
    check("accept = \"any\"\nsources = [\"host:attic\"]\n", 2, "line 2: sources: \"attic\" is no host");
    check("applications = \"backup\"\n[[rule]]\napplication = \"backup\"\nservice = \"files\"\n", 0, "is right");
    let explain = |args: &[&str], code: i32| {
        ended(&bench, &[&["stp", "policy", "explain", "-"], args, &["--policy", "a.toml"]].concat(), code).stderr()
    };
    assert!(explain(&["fiels"], 2).contains("there is no service \"fiels\"\n  try: files"));
    assert!(explain(&["files", "--application", "gte"], 2).contains("no application \"gte\"\n  try: get"));
    assert!(explain(&["files", "--application", "backup"], 0).contains("\"rule 1\" decides"));
}

#[test]
fn a_manifest_whose_signatures_have_ended_is_told_with_its_signers_and_ends_with_9() {
    let bench = Bench::new();
    module(&bench, "zoo-sleeper", "fast");
    let key = told(&bench, &["stp", "keygen", "acme.key"]).trim().to_owned();
    fs::write(bench.path("a.toml"), format!("[publishers.acme]\nkey = \"{key}\"\n")).expect("written");
    let sign = |lifetime: &str| {
        let sign = ["stp", "sign", "fast.wasm", "--key", "acme.key", "--name", "fast", "--version", "1.0.0"];
        ended(&bench, &[&sign[..], &["--expires", lifetime]].concat(), 0);
    };
    sign("1d");
    let verify = ["stp", "verify", "fast.wasm", "--policy", "a.toml"];
    let good = told(&bench, &verify);
    assert!(good.contains(&format!("signed by  {key}  acme")) && good.contains("1 signature, until 20"), "{good}");
    sign("1s");
    rest(1_500);
    let over = ended(&bench, &verify, 9);
    assert!(over.stderr().contains("its signatures ended on 20"), "{}", over.stderr());
    assert!(String::from_utf8_lossy(&over.0.stdout).contains(&format!("signed by  {key}  acme")));
}

#[test]
fn code_that_the_policy_does_not_let_run_is_found_by_its_name_and_only_running_it_is_refused() {
    let bench = Bench::new();
    bench.write("folder/file", 100, 3);
    signed(&bench, "newreno", "fast", "fast");
    ended(&bench, &["stp", "install", "fast.wasm"], 0);
    let shown = ended(&bench, &["stp", "show", "fast", "--json"], 0).events("guest").remove(0);
    assert_eq!((&shown["name"], &shown["verdict"]["outcome"]), (&"fast".into(), &"refuse".into()));
    let hash = shown["blake3"].as_str().expect("a hash").to_owned();
    for begins in [&hash[..4], &hash[..7]] {
        assert_eq!(ended(&bench, &["stp", "show", begins, "--json"], 0).events("guest")[0]["blake3"], *hash);
    }
    assert!(ended(&bench, &["stp", "show", &hash[..3]], 2).stderr().contains("no name"));
    // A file that is not in the store is looked at where it is; one that is no module is none.
    module(&bench, "zoo-sleeper", "beside");
    let beside = ended(&bench, &["stp", "show", "beside.wasm", "--json"], 0).events("guest").remove(0);
    let bytes = fs::metadata(bench.path("beside.wasm")).expect("there").len();
    assert_eq!((&beside["kind"], &beside["bytes"]), (&"stream".into(), &bytes.into()));
    assert_eq!((&beside["file"], &beside["verdict"]["outcome"]), (&"beside.wasm".into(), &"fetch".into()));
    ended(&bench, &["stp", "show", "folder/file"], 126);
    ended(&bench, &["stp", "policy", "explain", "-", "files", "fast"], 0);
    let server = bench.serve(&["folder", "--public", "--bind", "127.0.0.1:0", "--transport"]);
    let url = server.url_of("file");
    let refused = ended(&bench, &["get", "--transport", "fast", &url, "-o", "got"], 2).stderr();
    assert!(
        refused.contains("nobody vouches for what calls itself \"fast\"") && refused.contains(&hash[..12]),
        "{refused}"
    );
    ended(&bench, &["stp", "push", "fast", &server.ticket], 9);
    ended(&bench, &["stp", "flag", "fast"], 0);
    ended(&bench, &["stp", "unflag", "fast"], 0);
    ended(&bench, &["stp", "pin", "fast"], 0);
    ended(&bench, &["get", "--transport", "fast", &url, "-o", "got"], 0);
    server.stop("INT");
}

#[test]
fn what_is_built_in_keeps_its_name_and_code_that_calls_itself_the_same_is_named_by_its_hash() {
    let bench = Bench::new();
    signed(&bench, "zoo-sleeper", "usurper", "newreno");
    ended(&bench, &["stp", "install", "usurper.wasm", "--pin"], 0);
    let listed = ended(&bench, &["stp", "list", "--json"], 0).events("guest");
    let named: Vec<_> = listed.iter().filter(|row| row["name"] == "newreno").collect();
    assert_eq!(named.len(), 2, "both are listed");
    let own = named.iter().find(|row| row["origin"] == "built in").expect("the one that is built in");
    let other = named.iter().find(|row| row["origin"] == "file").expect("the other one");
    let show = |code: &str| ended(&bench, &["stp", "show", code, "--json"], 0).events("guest")[0]["blake3"].clone();
    assert_eq!((show("newreno"), show(&other["blake3"].as_str().expect("a hash")[..12])), {
        (own["blake3"].clone(), other["blake3"].clone())
    });
    // A stranger's manifest of the code itself renames nothing.
    let modules = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../transports/stp/guests/modules"));
    fs::copy(modules.join("sack.wasm"), bench.path("sack.wasm")).expect("it is there");
    ended(&bench, &["stp", "sign", "sack.wasm", "--key", "acme.key", "--name", "evil", "--version", "9.0.0"], 0);
    let installed = ended(&bench, &["stp", "install", "sack.wasm", "--json"], 0).events("installed").remove(0);
    assert_eq!(installed["name"], "sack");
}

#[test]
fn who_signs_by_a_name_that_is_built_in_is_told_what_was_signed() {
    let bench = Bench::new();
    module(&bench, "zoo-sleeper", "mine");
    ended(&bench, &["stp", "keygen", "acme.key"], 0);
    let sign = |file: &str, name: &str| {
        let args = ["stp", "sign", file, "--key", "acme.key", "--name", name, "--version", "1.0.0"];
        ended(&bench, &args, 0).stderr()
    };
    assert!(sign("mine.wasm", "newreno").contains("not the newreno that is built in"));
    let modules = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../transports/stp/guests/modules"));
    fs::copy(modules.join("sack.wasm"), bench.path("own.wasm")).expect("it is there");
    assert!(sign("own.wasm", "own").contains("is the code of sack, which is built in"));
    assert_eq!(sign("mine.wasm", "mine"), "", "control");
    let args = ["stp", "sign", "mine.wasm", "--key", "acme.key", "--name", "mine", "--version", "2.0.0"];
    for size in ["1T", "5GiB"] {
        let said = ended(&bench, &[&args[..], &["--memory", size]].concat(), 2).stderr();
        assert!(said.contains("at most 4GiB"), "{size}: {said}");
    }
}

#[test]
fn what_is_built_in_is_not_removed_or_loaded_from_the_cache_and_that_is_said() {
    let bench = Bench::new();
    ended(&bench, &["stp", "pin", "newreno"], 0);
    for args in [&["remove", "newreno"][..], &["show", "newreno", "--load"]] {
        let said = ended(&bench, &[&["stp"], args].concat(), 2).stderr();
        assert!(said.contains("newreno is built in") && said.contains("try: tng stp"), "{args:?}: {said}");
    }
}

#[test]
fn a_list_says_what_is_flagged_and_where_code_came_from_in_eighty_columns() {
    let bench = Bench::new();
    module(&bench, "newreno", "mine");
    let path = bench.path("mine.wasm").display().to_string();
    ended(&bench, &["stp", "install", "mine.wasm", "--pin"], 0);
    ended(&bench, &["stp", "flag", "newreno", "--note", "it stalls behind the proxy of our house"], 0);
    ended(&bench, &["stp", "flag", "mine.wasm"], 0);
    let listed = told(&bench, &["stp", "list"]);
    // A path that has no blanks is one word.
    let is_wide = |line: &&str| line.chars().count() > 80 && !line.contains(&path[..20]);
    assert_eq!(listed.lines().find(is_wide), None, "{listed}");
    let words = listed.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("flagged as buggy: it stalls behind the proxy of our house"), "{listed}");
    assert!(words.contains(&format!("pinned, from {path}, flagged as buggy")), "{listed}");
    for kind in ["stream", "messages", "controller"] {
        assert!(words.contains(kind), "{kind}: {listed}");
    }
    let rows = ended(&bench, &["stp", "list", "--json"], 0).events("guest");
    let row = |name: &str, key: &str| rows.iter().find(|row| row["origin"] == name).expect("listed")[key].clone();
    assert_eq!((row("file", "file"), row("file", "flagged")), (path.into(), "".into()));
    let flagged = rows.iter().filter(|row| row["flagged"].is_string()).count();
    assert_eq!(flagged, 2, "{rows:?}");
}

#[test]
fn who_is_unknown_is_named_and_so_is_a_file_that_was_not_installed() {
    let bench = Bench::new();
    bench.write("folder/file", 100, 3);
    module(&bench, "newreno", "mine");
    let server = bench.serve(&["folder", "--public", "--bind", "127.0.0.1:0"]);
    let peer = ended(&bench, &["stp", "push", "newreno", "attic"], 2).stderr();
    assert!(peer.contains("no host named \"attic\"") && peer.contains("[hosts.attic]"), "{peer}");
    let code = ended(&bench, &["stp", "push", "nobody", &server.ticket], 2).stderr();
    assert!(code.contains("nobody") && code.contains("no name of one that is here"), "{code}");
    // What is not here is the same mistake by a name and by a hash, whatever it is wanted for.
    let (url, hash) = (server.url_of("file"), "0".repeat(64));
    let stp = [&["show", "nobody"][..], &["show", &hash], &["test", "nobody"], &["push", &hash, &server.ticket]];
    stp.iter().for_each(|args| drop(ended(&bench, &[&["stp"], *args].concat(), 2)));
    for transport in ["nobody", &hash] {
        ended(&bench, &["get", "--transport", transport, &url, "-o", "got"], 2);
    }
    let file = ended(&bench, &["get", "--transport", "mine.wasm", &url, "-o", "got"], 2).stderr();
    assert!(file.contains("is a file") && file.contains("tng stp install mine.wasm"), "{file}");
    let messages = ended(&bench, &["get", "--transport", "udp-flood", &url, "-o", "got"], 2).stderr();
    assert!(messages.contains("a guest of kind stream"), "{messages}");
    server.stop("INT");
}

#[test]
fn a_module_that_is_cut_or_no_module_is_told_to_be_so() {
    let bench = Bench::new();
    module(&bench, "zoo-sleeper", "whole");
    let whole = fs::read(bench.path("whole.wasm")).expect("there");
    for len in [0, 3, 100, whole.len() / 2] {
        fs::write(bench.path("cut.wasm"), &whole[..len]).expect("written");
        for command in [&["install"][..], &["verify"]] {
            let said = ended(&bench, &[&["stp"], command, &["cut.wasm"]].concat(), 126).stderr();
            assert!(said.contains("the file is cut off") && said.contains("copy it again"), "{len}: {said}");
        }
    }
    fs::write(bench.path("cut.wasm"), b"GIF89a").expect("written");
    let said = ended(&bench, &["stp", "install", "cut.wasm"], 126).stderr();
    assert!(said.contains("no module"), "{said}");
}

#[test]
fn folders_for_a_publishers_key_are_made_for_its_owner_alone() {
    let bench = Bench::new();
    ended(&bench, &["stp", "keygen", "a/b/acme.key"], 0);
    let mode = |path: &str| fs::metadata(bench.path(path)).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode("a"), mode("a/b"), mode("a/b/acme.key")), (0o700, 0o700, 0o600));
}

#[test]
fn people_see_twelve_digits_and_dates_and_programs_see_all_digits_and_both_forms_of_time() {
    let bench = Bench::new();
    signed(&bench, "zoo-sleeper", "fast", "fast");
    let installed = told(&bench, &["stp", "install", "fast.wasm"]);
    let event = ended(&bench, &["stp", "show", "fast", "--json"], 0).events("guest").remove(0);
    let hash = event["blake3"].as_str().expect("a hash").to_owned();
    let listed = told(&bench, &["stp", "list"]);
    for text in [&installed, &listed] {
        assert!(text.contains(&hash[..12]) && !text.contains(&hash[..13]), "{text}");
    }
    let shown = told(&bench, &["stp", "show", "fast"]);
    let moment = event["installed"].as_str().expect("a moment");
    assert!(moment.starts_with("20") && moment.ends_with('Z') && event["installed_unix_s"].is_u64(), "{event}");
    assert!(shown.contains(moment) && !shown.contains("unix_s"), "{shown}");
}
