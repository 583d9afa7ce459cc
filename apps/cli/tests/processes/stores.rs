//! The store of transports and its policy: `tng stp install`, `sign`, `pin` and the others.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tng_base::Rng;

use crate::bench::{Bench, Ended, Serving, rest};

/// A guest that is built, under another name.
fn module(bench: &Bench, from: &str, name: &str) {
    let modules = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../transports/stp/guests/modules"));
    fs::copy(modules.join(format!("{from}.wasm")), bench.path(name)).expect("it is there");
}

/// `tng stp` with the store and the policy of this bench.
fn stp(bench: &Bench, args: &[&str]) -> Ended {
    Ended(command(bench, args).output().expect("it runs"))
}

fn command(bench: &Bench, args: &[&str]) -> Command {
    let mut command = bench.tng("client.key", &[&["stp"], args, &["--json"]].concat());
    command.env("TNG_STORE", bench.path("store"));
    if bench.path("stp.toml").exists() {
        command.env("TNG_POLICY", bench.path("stp.toml"));
    }
    command
}

/// A policy with a publisher whose key is `acme.key`.
fn policy(bench: &Bench, rest: &str) -> String {
    if !bench.path("acme.key").exists() {
        stp(bench, &["keygen", "acme.key"]).expect(0);
    }
    let again = stp(bench, &["keygen", "acme.key"]).expect(23);
    assert!(again.stderr().contains("it exists already"), "{}", again.stderr());
    stp(bench, &["keygen", "other.key"]).expect(0);
    let signed = stp(bench, &["sign", "fast.wasm", "--key", "acme.key", "--name", "fast", "--version", "1.0.0"]);
    let key = signed.expect(0).events("manifest")[0]["signers"][0].as_str().expect("a key").to_owned();
    fs::write(bench.path("stp.toml"), format!("{rest}\n[publishers.acme]\nkey = \"{key}\"\n")).expect("written");
    key
}

fn verdict(bench: &Bench, code: &str) -> (String, String, String) {
    let ended = stp(bench, &["policy", "explain", "-", "files", code]).expect(0);
    let verdict = ended.events("verdict")[0].clone();
    let word = |key: &str| verdict[key].as_str().unwrap_or_default().to_owned();
    (word("outcome"), word("rule"), word("reason"))
}

fn says(outcome: &str, rule: &str, reason: &str) -> (String, String, String) {
    (outcome.to_owned(), rule.to_owned(), reason.to_owned())
}

#[test]
fn a_module_is_signed_installed_explained_pinned_revoked_and_removed() {
    let bench = Bench::new();
    module(&bench, "zoo-sleeper", "fast.wasm");
    policy(&bench, "[[rule]]\nname = \"files\"\nservice = \"files\"\nprefer = \"fast\"\n");
    let verified = stp(&bench, &["verify", "fast.wasm"]).expect(0);
    let hash = verified.events("manifest")[0]["blake3"].as_str().expect("a hash").to_owned();
    let installed = stp(&bench, &["install", "fast.wasm"]).expect(0);
    let of = &installed.events("installed")[0];
    assert_eq!((&of["blake3"], &of["level"], &of["outcome"]), (&hash.clone().into(), &"signed".into(), &"run".into()));
    let listed = stp(&bench, &["list"]).expect(0);
    let rows = listed.events("guest");
    let mine = rows.iter().find(|row| row["blake3"] == hash.as_str()).expect("it is listed");
    assert_eq!((&mine["name"], &mine["version"], &mine["origin"]), (&"fast".into(), &"1.0.0".into(), &"file".into()));
    assert!(rows.iter().any(|row| row["name"] == "newreno" && row["origin"] == "built in"), "and what is built in");
    assert_eq!(verdict(&bench, "fast"), says("run", "files", ""));
    assert_eq!(verdict(&bench, &hash[..8]), says("run", "files", ""));
    let offered = stp(&bench, &["policy", "explain", "-", "files"]).expect(0).events("offer")[0]["offered"].clone();
    assert_eq!(offered, Value::from(vec![hash.clone()]));

    stp(&bench, &["flag", "fast", "--note", "stalls"]).expect(0);
    assert_eq!(verdict(&bench, &hash), says("refuse", "files", "flagged"));
    assert_eq!(stp(&bench, &["show", &hash]).expect(0).events("guest")[0]["flagged"], "stalls");
    stp(&bench, &["unflag", &hash]).expect(0);
    stp(&bench, &["pin", &hash]).expect(0);
    assert_eq!(stp(&bench, &["show", &hash]).expect(0).events("guest")[0]["level"], "pinned");
    stp(&bench, &["unpin", &hash]).expect(0);

    let stranger = stp(&bench, &["revoke", "a.list", "--key", "other.key", "fast.wasm"]).expect(0);
    assert_eq!(stranger.events("revocations")[0]["number"], 1);
    assert!(stp(&bench, &["revoke", "a.list"]).expect(9).stderr().contains("no publisher"));
    stp(&bench, &["revoke", "b.list", "--key", "acme.key", "fast.wasm"]).expect(0);
    assert_eq!(verdict(&bench, &hash), says("run", "files", ""), "control: it was not taken in yet");
    stp(&bench, &["revoke", "b.list"]).expect(0);
    assert_eq!(verdict(&bench, &hash), says("refuse", "files", "revoked"));
    assert!(stp(&bench, &["revoke", "b.list"]).expect(9).stderr().contains("is here already"));
    assert!(stp(&bench, &["install", "fast.wasm"]).expect(9).stderr().contains("taken it back"));
    assert_eq!(stp(&bench, &["verify"]).expect(0).events("verified")[0]["modules"], 1);
    stp(&bench, &["remove", &hash]).expect(0);
    assert!(stp(&bench, &["remove", &hash]).expect(2).stderr().contains("there is no module"));
}

#[test]
fn an_older_version_and_a_manifest_of_other_code_are_refused_by_name() {
    let bench = Bench::new();
    module(&bench, "zoo-sleeper", "fast.wasm");
    policy(&bench, "");
    stp(&bench, &["install", "fast.wasm"]).expect(0);
    module(&bench, "zoo-ack-liar", "newer.wasm");
    let sign = |file: &str, version: &str| {
        stp(&bench, &["sign", file, "--key", "acme.key", "--name", "fast", "--version", version]).expect(0);
    };
    sign("newer.wasm", "1.1.0");
    stp(&bench, &["install", "newer.wasm"]).expect(0);
    assert_eq!(verdict(&bench, "fast.wasm"), says("refuse", "default", "downgrade"));
    assert!(stp(&bench, &["install", "fast.wasm"]).expect(9).stderr().contains("version 1.1.0 of it has been here"));
    sign("fast.wasm", "1.1.0");
    assert!(stp(&bench, &["install", "fast.wasm"]).expect(9).stderr().contains("with its name and version"));
    let other = stp(&bench, &["install", "fast.wasm", "--manifest", "newer.manifest"]).expect(26);
    assert!(other.stderr().contains("of other code"), "{}", other.stderr());
    stp(&bench, &["install", "fast.wasm", "--pin"]).expect(0);
    assert_eq!(verdict(&bench, "fast.wasm"), says("run", "default", ""));
    fs::write(bench.path("fast.wasm"), b"GIF89a").expect("written");
    stp(&bench, &["install", "fast.wasm"]).expect(126);
}

#[test]
fn a_wrong_policy_is_told_with_its_line_and_nothing_is_done_under_it() {
    let bench = Bench::new();
    fs::write(bench.path("stp.toml"), "\naccept = \"sined\"\n").expect("written");
    fs::create_dir(bench.path("store")).expect("made");
    for args in [&["policy", "check", "stp.toml"][..], &["list"], &["policy", "explain", "-", "files"]] {
        let ended = stp(&bench, args).expect(2);
        assert!(ended.stderr().contains("line 2: there is no acceptance \"sined\"; did you mean \"signed\"?"));
    }
    fs::write(bench.path("stp.toml"), "accept = \"none\"\n[[rule]]\nname = \"a\"\nport = 4860\n").expect("written");
    let rules = stp(&bench, &["policy", "check"]).expect(0).events("rule").len();
    assert_eq!(rules, 2);
    let explain = |port: &str| {
        let args = ["policy", "explain", "-", "files", "newreno", "--port", port];
        stp(&bench, &args).expect(0).events("verdict")[0]["rule"].clone()
    };
    assert_eq!((explain("4860"), explain("4861")), ("a".into(), "default".into()));
    assert!(stp(&bench, &["policy", "explain", "nobody", "files"]).expect(2).stderr().contains("no EID"));
    assert!(stp(&bench, &["policy", "check", "no.toml"]).expect(26).stderr().contains("no.toml"));
}

#[test]
fn a_store_whose_files_were_damaged_says_so_and_goes_on() {
    let bench = Bench::new();
    module(&bench, "zoo-sleeper", "fast.wasm");
    policy(&bench, "");
    stp(&bench, &["install", "fast.wasm"]).expect(0);
    let damage = |file: &Path| {
        let mut bytes = fs::read(file).expect("it is there");
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        fs::write(file, bytes).expect("written");
    };
    let module =
        fs::read_dir(bench.path("store/modules")).expect("a folder").next().expect("one").expect("it is").path();
    damage(&module);
    let verified = stp(&bench, &["verify"]).expect(1);
    assert_eq!(verified.events("verified")[0]["wrong"].as_array().map(Vec::len), Some(1));
    stp(&bench, &["verify"]).expect(0);
    stp(&bench, &["install", "fast.wasm"]).expect(0);
    damage(&bench.path("store/index"));
    let listed = stp(&bench, &["list"]).expect(0);
    let said = listed.stderr();
    for words in ["the index of the store is damaged", "store/aside", "try: tng stp list"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let damaged = listed.events("damaged").remove(0);
    assert_eq!(damaged["what"], "index", "{damaged}");
    assert!(damaged["try"].as_str().is_some_and(|what| what.contains("pin and flag")), "{damaged}");
    let origins: Vec<_> = listed.events("guest").iter().map(|row| row["origin"].clone()).collect();
    assert!(origins.contains(&"unknown".into()), "{origins:?}");
}

/// The rounds of a test that kills: `TNG_SEEDS=300 cargo test --workspace --test processes killed` has all of them, CI
/// a fiftieth.
fn rounds() -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(300 / 50)
}

/// A store after whatever has happened to it: nothing in it is wrong, nothing was found to be wrong when it was opened,
/// and there is no half of a file.
fn verifies_clean(bench: &Bench, round: u64) {
    let verified = stp(bench, &["verify"]);
    assert_eq!(verified.events("verified")[0]["wrong"], Value::Array(Vec::new()), "round {round}");
    verified.expect(0);
    let aside = fs::read_dir(bench.path("store/aside")).expect("a folder").count();
    assert_eq!(aside, 0, "round {round}");
    for folder in ["", "modules", "manifests", "compiled", "revocations"] {
        let files = fs::read_dir(bench.path("store").join(folder)).expect("a folder").flatten();
        let half: Vec<_> = files.map(|it| it.path()).filter(|it| it.display().to_string().ends_with(".new")).collect();
        assert!(half.is_empty(), "{half:?}");
    }
}

/// Kills a command after so many milliseconds; answers whether it was still at work.
fn kill_after(mut command: Command, ms: u64) -> bool {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    rest(ms);
    let ended = child.try_wait().expect("it can be asked").is_some();
    if !ended {
        child.kill().expect("it runs");
        child.wait().expect("it has ended");
    }
    !ended
}

/// How long a command takes from start to end.
fn whole_ms(mut command: Command) -> u64 {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let mut ms = 0;
    while child.try_wait().expect("it can be asked").is_none() {
        rest(1);
        ms += 1;
    }
    ms
}

#[test]
fn a_store_whose_tool_is_killed_at_any_time_verifies_clean() {
    let bench = Bench::new();
    for (from, name) in [("newreno", "fast.wasm"), ("zoo-ack-liar", "b.wasm"), ("zoo-limit-ignorer", "c.wasm")] {
        module(&bench, from, name);
    }
    // Other code than what is built in.
    let mut fast = fs::read(bench.path("fast.wasm")).expect("there");
    fast.extend_from_slice(&[0, 2, 1, b'f']);
    fs::write(bench.path("fast.wasm"), fast).expect("written");
    policy(&bench, "");
    stp(&bench, &["revoke", "a.list", "--key", "acme.key", "c.wasm"]).expect(0);
    let compile = || {
        // Compiled anew by who runs it, who then listens until it is killed.
        let _ = fs::remove_dir_all(bench.path("store/compiled"));
        let mut listen = bench.tng("client.key", &["listen", "--bind", "127.0.0.1:0", "--transport", "fast"]);
        listen.env("TNG_STORE", bench.path("store")).env("TNG_POLICY", bench.path("stp.toml"));
        listen
    };
    let works: [&[&str]; 8] = [
        &["install", "fast.wasm"],
        &["listen"],
        &["install", "b.wasm", "--pin"],
        &["collect", "--keep", "1B"],
        &["flag", "b.wasm", "--note", "slow"],
        &["pin", "fast.wasm"],
        &["revoke", "a.list"],
        &["unpin", "b.wasm"],
    ];
    let mut rng = Rng::from_u64(rounds());
    // Most of the time is before the store is touched.
    let whole_ms = whole_ms(command(&bench, works[0]));
    let (mut killed, mut over) = (0, 0);
    for round in 0..rounds().max(works.len() as u64) {
        let work = match works[usize::try_from(round).expect("small") % works.len()] {
            ["listen"] => compile(),
            work => command(&bench, work),
        };
        match kill_after(work, whole_ms / 3 + rng.below(whole_ms + 1)) {
            true => killed += 1,
            false => over += 1,
        }
        verifies_clean(&bench, round);
    }
    println!("{killed} killed, {over} were over before");
    assert!(killed > 0, "control: some were killed");
    // What is there runs, whole.
    stp(&bench, &["install", "fast.wasm"]).expect(0);
    stp(&bench, &["show", "fast.wasm", "--load"]).expect(0);
}

/// The code of a peer comes by `push` to a server that is killed, or from a peer that is.
#[test]
fn a_store_whose_server_or_peer_is_killed_in_a_push_verifies_clean_and_runs_what_it_has() {
    let bench = Bench::new();
    bench.write("folder/file", 50_000, 9);
    // As long as modules are, and another one each time.
    let longest =
        fs::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../transports/stp/guests/modules/newreno.wasm")));
    let longest = longest.expect("it is there");
    // Those that are not pinned make room for others.
    let edition = |round: u64, pinned: &[&str]| {
        let mut noise = vec![0; 400_000];
        Rng::from_u64(round).fill(&mut noise);
        // A custom section (WebAssembly 5.5.3) of 400,002 bytes: a name of a byte, and noise.
        let section = [&[0, 0x82, 0xb5, 0x18, 1, b'n'][..], &noise].concat();
        fs::write(bench.path("mine.wasm"), [&longest[..], &section].concat()).expect("written");
        let install = [&["stp", "install", "mine.wasm", "--json"], pinned].concat();
        let install = bench.tng("client.key", &install).output();
        let installed = Ended(install.expect("it runs")).expect(0).events("installed").remove(0);
        installed["blake3"].as_str().expect("a hash").to_owned()
    };
    fs::write(bench.path("stp.toml"), "accept = \"any\"\n").expect("written");
    let serve = || {
        let args = ["serve", "folder", "--public", "--bind", "127.0.0.1:0", "--json"];
        let mut command = bench.tng("server.key", &args);
        command.env("TNG_STORE", bench.path("store")).env("TNG_POLICY", bench.path("stp.toml"));
        bench.run(command)
    };
    let push = |hash: &str, server: &Serving| bench.tng("client.key", &["stp", "push", hash, &server.ticket]);
    let mut rng = Rng::from_u64(rounds());
    let (first, server) = (edition(0, &[]), serve());
    let whole_ms = whole_ms(push(&first, &server));
    server.kill();
    let (mut killed, mut taken) = (0, 0);
    for round in 1..=rounds() {
        let (hash, server) = (edition(round, &[]), serve());
        let after_ms = whole_ms / 2 + rng.below(whole_ms + 1);
        if round % 2 == 0 {
            killed += u64::from(kill_after(push(&hash, &server), after_ms));
            server.kill();
        } else {
            let mut pushing =
                push(&hash, &server).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
            rest(after_ms);
            server.kill();
            killed += u64::from(pushing.try_wait().expect("it can be asked").is_none());
            pushing.kill().expect("it may have ended");
            pushing.wait().expect("it has ended");
        }
        verifies_clean(&bench, round);
        taken += u64::from(stp(&bench, &["list"]).expect(0).events("guest").iter().any(|row| row["blake3"] == *hash));
    }
    println!("{} pushes: {killed} were cut off, {taken} taken", rounds());
    assert!(killed > 0, "control: some were cut off");
    // What is there runs, and what was cut off comes whole the next time.
    let (hash, server) = (edition(rounds(), &["--pin"]), serve());
    let pushed = push(&hash, &server).output().expect("it runs").status.code();
    assert!([Some(0), Some(9)].contains(&pushed), "taken now, or before: {pushed:?}");
    let url = server.url_of("file");
    let got = bench.get(&["--transport", &hash, &url, "-o", "got"]).expect(0);
    assert_eq!(got.events("transport")[0]["settled"], "runs");
    server.stop("INT");
}

/// Whether this machine lets a test mount a small file system of its own.
fn can_mount(own_mounts: &[&str]) -> bool {
    let probe = Command::new("unshare").args(own_mounts).args(["mount", "-t", "tmpfs", "none", "/mnt"]).output();
    let can = probe.is_ok_and(|probe| probe.status.success());
    if !can {
        println!("skipped: this machine does not let the test mount a small file system of its own");
    }
    can
}

#[test]
fn a_full_disk_ends_with_23_and_with_more_room_the_same_command_goes_on() {
    let own_mounts = ["--map-root-user", "--mount", "--propagation", "private"];
    if !can_mount(&own_mounts) {
        return;
    }
    let bench = Bench::new();
    module(&bench, "zoo-sleeper", "fast.wasm");
    policy(&bench, "");
    stp(&bench, &["revoke", "a.list", "--key", "acme.key", "fast.wasm"]).expect(0);
    // Room for more and more of what is written: each write is once the one for which there is none.
    let script = r#"
        mkdir small && mount -t tmpfs -o size=4m none small || exit 100
        export TNG_STORE="$PWD/small/stp" TNG_POLICY="$PWD/stp.toml"
        left() { df --output=avail -k small | tail -1; }
        fill() { rm -f small/fill; head -c $(( ($(left) - $1) * 1024 )) /dev/zero > small/fill; }
        for room in 0 4 8 16 32 64 128 1024; do
            rm -rf small/stp small/fill; mkdir -m 700 small/stp; $TNG stp list -q >/dev/null || exit 101
            fill $room; $TNG stp install fast.wasm >/dev/null 2>>said; first=$?
            $TNG stp verify -q || exit 102
            [ $first = 0 ] || ! $TNG stp list --json | grep -q '"origin":"file"' || exit 106
            rm small/fill; $TNG stp install --json fast.wasm || exit 103
            for work in "pin fast" "flag fast --note slow" "unflag fast" "unpin fast" "revoke a.list"; do
                fill $room; $TNG stp $work >/dev/null 2>>said; code=$?
                $TNG stp verify -q || exit 104
                rm small/fill
                [ $code = 0 ] || [ $code = 23 ] || exit $code
                [ $code = 0 ] || $TNG stp $work >/dev/null 2>&1 || exit 105
            done
            echo "$room $first" >> ended
        done
    "#;
    let mut command = Command::new("unshare");
    command.args(own_mounts).args(["sh", "-c", script]).current_dir(bench.path("."));
    command.env("TNG", env!("CARGO_BIN_EXE_tng")).env("TNG_KEY", bench.path("client.key"));
    let ended = Ended(command.output().expect("it runs")).expect(0);
    let said = fs::read_to_string(bench.path("said")).expect("there");
    assert!(said.contains("the disk is full") && said.contains("make room"), "{said}");
    let codes = fs::read_to_string(bench.path("ended")).expect("there");
    let codes: Vec<&str> = codes.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    assert!(codes.iter().all(|code| ["0", "23"].contains(code)), "{codes:?}");
    assert!(codes.iter().filter(|code| **code == "23").count() >= 3 && codes.last() == Some(&"0"), "{codes:?}");
    assert!(ended.events("installed").iter().all(|it| it["outcome"] == "run"));
}
