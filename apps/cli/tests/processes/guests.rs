//! `tng stp`, and pipes by transports that are guests.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Stdio};

use crate::bench::{Bench, Ended, same, signal, wait};

fn module(name: &str) -> String {
    let modules = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../transports/stp/guests/modules"));
    modules.join(format!("{name}.wasm")).canonicalize().expect("it is there").display().to_string()
}

/// `tng listen` with these arguments and this stdin, and its ticket.
pub fn listen(bench: &Bench, args: &[&str], stdin: impl Into<Stdio>) -> (Child, String) {
    let mut listener = bench.tng("server.key", &[&["listen", "--bind", "127.0.0.1:0"], args].concat());
    let make = |name: &str| Stdio::from(File::create(bench.path(name)).expect("made"));
    let listener = listener.stdin(stdin).stdout(make("got there")).stderr(make("said"));
    let child = listener.spawn().expect("it runs");
    let ticket = || {
        let said = fs::read_to_string(bench.path("said")).ok()?;
        said.ends_with('\n').then(|| said.lines().last().map(str::to_owned)).flatten().filter(|l| l.starts_with("tng1"))
    };
    wait("the ticket", || ticket().is_some());
    (child, ticket().expect("waited for"))
}

#[test]
fn a_pipe_by_a_guest_carries_both_directions_whole_and_both_ends_know() {
    let bench = Bench::new();
    let (there, back) = (bench.write("there", 2_000_000, 1), bench.write("back", 2_000_000, 2));
    for (name, flag) in [("newreno", &["--transport"][..]), ("sack", &["--transport", "newreno,sack"])] {
        let (listener, ticket) = listen(&bench, flag, File::open(&back).expect("there"));
        let mut connecter = bench.tng("client.key", &["connect", "--transport", name, "-v", &ticket]);
        let connecter = connecter.stdin(File::open(&there).expect("there")).stderr(Stdio::piped());
        let connecter = connecter.stdout(File::create(bench.path("got back")).expect("made"));
        let ended = Ended(connecter.output().expect("it runs")).expect(0);
        Ended(listener.wait_with_output().expect("it ends")).expect(0);
        assert!(same(&there, &bench.path("got there")) && same(&back, &bench.path("got back")), "{name}");
        let said = ended.stderr();
        assert!(["cap_bps", "\"fuel\"", "\"memory\""].iter().all(|figure| said.contains(figure)), "{said}");
    }
}

#[test]
fn a_listener_that_goes_away_ends_the_pipe_of_a_guest_with_a_failure() {
    let bench = Bench::new();
    let (mut listener, ticket) = listen(&bench, &["--transport"], Stdio::piped());
    // Both stay open: the pipe has no end of its own.
    let said_nothing = listener.stdin.take();
    let mut connecter = bench.tng("client.key", &["connect", "--transport", "newreno", &ticket]);
    let connecter = connecter.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut connecter = connecter.spawn().expect("it runs");
    let held = connecter.stdin.take().map(|mut stdin| {
        std::io::Write::write_all(&mut stdin, b"hello").expect("written");
        stdin
    });
    bench.wait_for("got there", 5);
    signal(&listener, "INT");
    Ended(listener.wait_with_output().expect("it ends")).expect(130);
    let ended = Ended(connecter.wait_with_output().expect("it ends"));
    drop((held, said_nothing));
    assert!([Some(55), Some(56)].contains(&ended.code()), "{:?}: {}", ended.code(), ended.stderr());
    assert!(ended.stderr().lines().any(|line| line.starts_with("tng: ")), "{}", ended.stderr());
}

#[test]
fn a_transport_that_this_end_does_not_know_is_a_usage_error_that_names_those_it_has() {
    let bench = Bench::new();
    for (args, words) in [
        (&["connect", "--transport", "carrier-pigeon", "-"][..], ["is no transport that is here", "newreno"]),
        (&["listen", "--transport", "cubic"], ["is a congestion controller", "-C guest-cubic"]),
        (&["connect", "--transport", "bbr", "-"], ["is a congestion controller", "-C bbr"]),
    ] {
        let mut command = bench.tng("client.key", args);
        let target = bench.write("target", 0, 1);
        fs::write(&target, format!("{}@127.0.0.1:9\n", bench.eid("server.key"))).expect("written");
        let ended = Ended(command.stdin(File::open(&target).expect("there")).output().expect("it runs")).expect(2);
        let said = ended.stderr();
        assert!(words.iter().all(|words| said.contains(words)), "{said}");
    }
}

#[test]
fn every_command_that_moves_data_is_told_which_controller_regulates_it() {
    let bench = Bench::new();
    bench.write("file", 200_000, 1);
    let peer = format!("{}@127.0.0.1:9", bench.eid("server.key"));
    for args in [
        &["get", "-o", "copy", &format!("{peer}/file")][..],
        &["put", "file", &peer],
        &["serve", "file", "--bind", "127.0.0.1:0"],
        &["listen", "--bind", "127.0.0.1:0"],
        &["connect", &peer],
        &["forward", "-L", "0:localhost:80", &peer],
        &["forward", "--serve", "--to", "localhost:80", "--bind", "127.0.0.1:0"],
        &["proxy", "--listen", "127.0.0.1:0", &peer],
        &["perf", "-c", &peer],
    ] {
        let ended = bench.tng("client.key", &[args, &["-C", "carrier-pigeon"]].concat()).output().expect("it runs");
        let said = Ended(ended).expect(2).stderr();
        assert!(said.contains("choosing the congestion controller") && said.contains("carrier-pigeon"), "{said}");
    }
    let server = bench.serve(&["file", "-C", "bbr", "--bind", "127.0.0.1:0"]);
    bench.get(&["-C", "vegas", "-o", "copy", &server.url]).expect(0);
    assert!(same(&bench.path("file"), &bench.path("copy")));
}

#[test]
fn where_the_other_end_runs_no_transport_structured_streams_do_and_it_is_said() {
    let bench = Bench::new();
    let there = bench.write("there", 200_000, 1);
    let (listener, ticket) = listen(&bench, &[], Stdio::null());
    let mut connecter = bench.tng("client.key", &["connect", "--transport", "newreno", &ticket]);
    let ended = connecter.stdin(File::open(&there).expect("there")).output().expect("it runs");
    let ended = Ended(ended).expect(0);
    assert!(ended.stderr().contains("structured streams run: the other end runs none"), "{}", ended.stderr());
    Ended(listener.wait_with_output().expect("it ends")).expect(0);
    assert!(same(&there, &bench.path("got there")));
}

#[test]
fn guests_that_are_built_in_are_listed_with_what_they_are() {
    let bench = Bench::new();
    let ended = Ended(bench.tng("client.key", &["stp", "list", "--json"]).output().expect("it runs")).expect(0);
    let guests = ended.events("guest");
    let kind = |name: &str| guests.iter().find(|guest| guest["name"] == name).map(|guest| guest["kind"].clone());
    for (name, expected) in [("newreno", "stream"), ("udp-flood", "messages"), ("cubic", "controller")] {
        assert_eq!(kind(name), Some(expected.into()), "{name}");
    }
    let hashes = fs::read_to_string(Path::new(&module("newreno")).with_file_name("BLAKE3")).expect("text");
    for guest in &guests {
        assert!(hashes.contains(guest["blake3"].as_str().expect("text")), "{guest}");
    }
}

/// Its findings, each as `part what` with whether it holds, and why.
fn test(bench: &Bench, guest: &str, code: i32) -> Vec<(String, bool, String)> {
    let ended = bench.tng("client.key", &["stp", "test", guest, "--json"]).output().expect("it runs");
    let ended = Ended(ended).expect(code);
    assert_eq!(ended.events("verdict")[0]["holds"], code == 0);
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let checks = ended.events("check").into_iter();
    checks
        .map(|row| {
            let what = format!("{} {}", text(&row["part"]), text(&row["what"]));
            (what, row["holds"].as_bool().expect("a verdict"), text(&row["why"]))
        })
        .collect()
}

#[test]
fn a_guest_that_keeps_to_all_passes_its_test() {
    let bench = Bench::new();
    for (guest, checks) in [("newreno", 10), ("template", 10), ("cubic", 3)] {
        let rows = test(&bench, guest, 0);
        assert!(rows.len() == checks && rows.iter().all(|(_, holds, _)| *holds), "{guest}: {rows:?}");
    }
}

#[test]
fn a_guest_of_the_zoo_fails_its_test_for_its_own_reason() {
    let bench = Bench::new();
    for (guest, what, why) in [
        ("zoo-endless-loop", "conformance answers every callback", "used up its time in one call"),
        ("zoo-starter", "conformance loads", "start function"),
        ("zoo-limit-ignorer", "conformance carries", "when it was told to wait"),
        ("zoo-sleeper", "policing goes on sending", "proofs 16"),
    ] {
        let rows = test(&bench, &module(guest), 1);
        let found = rows.iter().any(|(row, holds, seen)| !holds && row.starts_with(what) && seen.contains(why));
        assert!(found, "{guest}: {rows:?}");
        let policed = rows.iter().filter(|(row, ..)| row.starts_with("policing"));
        let (goes_on, takes): (Vec<_>, Vec<_>) = policed.partition(|(row, ..)| row.contains("goes on sending"));
        assert!(takes.iter().all(|(_, holds, _)| *holds), "whatever it does, it takes no more: {rows:?}");
        assert!(goes_on.iter().all(|(_, holds, _)| !holds), "who is stopped keeps to nothing: {rows:?}");
    }
}

#[test]
fn a_test_writes_a_page_whether_the_guest_passes_or_not() {
    let bench = Bench::new();
    let tested = |guest: &str, page: &str| {
        let ended = bench.tng("client.key", &["stp", "test", guest, "--report", page]).output().expect("it runs");
        (Ended(ended), fs::read_to_string(bench.path(page)).unwrap_or_default())
    };
    let (ended, page) = tested("newreno", "newreno.md");
    assert!(ended.expect(0).stderr().contains("the page is newreno.md"));
    assert!(page.starts_with("# A guest, tried: newreno\n") && page.contains("**Verdict**: holds: 10 of 10"), "{page}");
    for words in ["## Conformance", "## Quotas", "## Policing", "## Settings", "seed: 1", "BLAKE3", "made: "] {
        assert!(page.contains(words), "{words} in {page}");
    }
    let (ended, page) = tested(&module("zoo-endless-loop"), "zoo.md");
    ended.expect(1);
    assert!(page.starts_with("# A guest, tried: zoo-endless-loop.wasm\n"), "{page}");
    assert!(page.contains("**Verdict**: does not hold") && page.contains("used up its time in one call"), "{page}");
    // Nothing is tried if the page cannot be written.
    let (ended, _) = tested("newreno", "no/such/folder/page.md");
    assert!(ended.expect(23).0.stdout.is_empty());
}

#[test]
fn a_module_that_cannot_be_read_ends_with_26_and_one_that_is_none_with_1() {
    let bench = Bench::new();
    let run = |guest: &str| Ended(bench.tng("client.key", &["stp", "test", guest]).output().expect("it runs"));
    assert!(run("no-such.wasm").expect(26).stderr().contains("tng stp list"));
    bench.write("noise.wasm", 5_000, 1);
    run("noise.wasm").expect(1);
    let large = bench.write("large.wasm", 2_000_000, 1);
    assert!(String::from_utf8_lossy(&run(&large.display().to_string()).expect(1).0.stdout).contains("at most 1048576"));
}

#[test]
fn a_measurement_under_the_policer_runs_as_any() {
    let bench = Bench::new();
    let server = bench.start(&["perf", "-s", "--public", "--bind", "127.0.0.1:0"]);
    let measured = bench.tng("client.key", &["perf", "-c", &server.ticket, "--policed", "-n", "1M", "-J"]).output();
    let ended = Ended(measured.expect("it runs")).expect(0);
    let said: serde_json::Value = serde_json::from_slice(&ended.0.stdout).expect("JSON");
    assert!(said["end"]["sum_received"]["bytes"].as_u64().expect("a count") >= 1_000_000, "{said}");
}

#[test]
fn a_measurement_by_a_guest_reports_what_the_guest_did() {
    let bench = Bench::new();
    let server = bench.start(&["perf", "-s", "--public", "--bind", "127.0.0.1:0", "--transport"]);
    let by = |args: &[&str]| {
        let common = ["perf", "-c", &server.ticket, "-J", "--transport"];
        Ended(bench.tng("client.key", &[&common, args].concat()).output().expect("it runs"))
    };
    for args in [&["newreno", "-n", "2M", "-P", "2"][..], &["sack", "-t", "1"]] {
        let said: serde_json::Value = serde_json::from_slice(&by(args).expect(0).0.stdout).expect("JSON");
        assert!(said["end"]["sum_received"]["bytes"].as_u64().expect("a count") > 500_000, "{said}");
        let guests = said["guests"].as_array().expect("figures");
        assert_eq!(guests.len(), args.iter().filter(|arg| **arg == "-P").count() + 1);
        assert!(guests.iter().all(|guest| guest["fuel"].as_u64() > Some(0) && guest["rtt_ms"].as_f64() > Some(0.0)));
        let (name, sender) = (args[0], &said["end"]["streams"][0]["sender"]);
        assert_eq!(
            (&said["start"]["guest"], &said["end"]["sender_tcp_congestion"]),
            (&serde_json::json!(name), &serde_json::json!(format!("stp:{name}")))
        );
        // What only the guest knows is left out; what the policer measures is there.
        assert!(sender["retransmits"].is_null() && sender["max_snd_cwnd"].is_null(), "{sender}");
        assert!(sender["mean_rtt"].as_u64() > Some(0), "{sender}");
    }
    // Of two words that make no sense together, and of none.
    by(&["newreno", "-R"]).expect(2);
    assert!(by(&["newreno", "-C", "vegas"]).expect(2).stderr().contains("a guest regulates itself"));
    by(&[]).expect(2);
}
