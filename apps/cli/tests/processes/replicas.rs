//! Servers of one fleet that do not agree: of the time, or of what they hand out.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::bench::{Bench, Ended, Serving, rest, same, wait};

const LARGE: usize = 30_000_000;

/// What a program of the tests is told instead of the time of day: the time, and as much more as a file says.
const SHIFTED: &str = r#"
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <time.h>
    int clock_gettime(clockid_t id, struct timespec *ts) {
        static int (*real)(clockid_t, struct timespec *);
        if (!real) real = (int (*)(clockid_t, struct timespec *)) dlsym(RTLD_NEXT, "clock_gettime");
        int result = real(id, ts);
        if (id != CLOCK_REALTIME) return result;
        FILE *file = fopen(getenv("SHIFT"), "r");
        long shift = 0;
        if (file) { if (fscanf(file, "%ld", &shift) != 1) shift = 0; fclose(file); }
        ts->tv_sec += shift;
        return result;
    }
"#;

fn fleet(bench: &Bench) {
    bench.write("one/large", LARGE, 1);
    Ended(bench.tng("server.key", &["trickles", "keys", "new", "fleet.epochs"]).output().expect("it runs")).expect(0);
}

fn args<'a>(folder: &'a str, control: &'a str) -> [&'a str; 11] {
    let serve = ["trickles", "serve", folder, "--public", "--keys", "fleet.epochs", "--control", control];
    let [a, b, c, d, e, f, g, h] = serve;
    [a, b, c, d, e, f, g, h, "--bind", "127.0.0.1:0", "--json"]
}

fn begin(bench: &Bench, policy: &str, servers: &[&Serving]) -> Child {
    let addresses: Vec<&str> = servers.iter().map(|server| server.address.as_str()).collect();
    let url = format!("tng://{}@{}/large", servers[0].eid, addresses.join(","));
    let mut getting = bench.tng("client.key", &["trickles", "get", "--json", "--pick", policy, "-o", "copy", &url]);
    getting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs")
}

fn end(getting: Child) -> Ended {
    Ended(getting.wait_with_output().expect("it ends"))
}

fn counts(bench: &Bench, control: &str) -> Value {
    let asked = bench.tng("unused", &["--json", "trickles", "status", "--control", control]).output().expect("it runs");
    let status: Value = serde_json::from_slice(&Ended(asked).expect(0).0.stdout).expect("JSON");
    status["counts"].clone()
}

/// A library that shifts the clock, unless there is nothing to build it with.
fn shifter(bench: &Bench) -> Option<PathBuf> {
    fs::write(bench.path("shift.c"), SHIFTED).expect("written");
    let library = bench.path("shift.so");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(bench.path("shift.c")).arg("-ldl");
    cc.output().ok().filter(|built| built.status.success()).map(|_| library)
}

#[test]
fn servers_whose_clocks_are_apart_refuse_each_other_by_name_and_heal_when_one_is_set() {
    let bench = Bench::new();
    let Some(library) = shifter(&bench) else { return println!("skipped: there is no cc") };
    fleet(&bench);
    fs::write(bench.path("shift"), "20").expect("written");
    let right = bench.run(bench.tng("server.key", &args("one", "right.sock")));
    let mut ahead = bench.tng("server.key", &args("one", "ahead.sock"));
    ahead.env("LD_PRELOAD", library).env("SHIFT", bench.path("shift"));
    let ahead = bench.run(ahead);
    rest(6_000);
    // By turns, and first with the one that is ahead: what it gives out is of a time to come for the other.
    let ended = end(begin(&bench, "spray", &[&ahead, &right])).expect(0);
    assert!(same(&bench.path("one/large"), &bench.path("copy")));
    let refused = counts(&bench, "right.sock");
    assert!(refused["refused_ahead"].as_u64() > Some(0), "{refused} {:?}", ended.events("stateless"));
    assert!(refused["last_refused"].as_str().is_some_and(|why| why.contains("time to come") || why.contains("ahead")));

    fs::remove_file(bench.path("copy")).expect("there");
    fs::write(bench.path("shift"), "0").expect("written");
    // Each asks for the time of day once a second, and what was given out before is forgotten.
    rest(8_000);
    let before = [counts(&bench, "right.sock"), counts(&bench, "ahead.sock")];
    let ended = end(begin(&bench, "spray", &[&ahead, &right])).expect(0);
    assert!(same(&bench.path("one/large"), &bench.path("copy")));
    assert_eq!(ended.events("stateless")[0]["connections"], 1);
    let after = [counts(&bench, "right.sock"), counts(&bench, "ahead.sock")];
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before["refused_ahead"], after["refused_ahead"]);
        let more = after["packets"].as_u64().zip(before["packets"].as_u64()).map(|(after, before)| after - before);
        assert!(more > Some(5_000), "both answer again: {before} {after}");
    }
}

#[test]
fn a_file_that_is_another_on_one_replica_alone_is_told_by_name_and_nothing_wrong_arrives() {
    let spoilt = [
        ("changed", Some(LARGE), 18, "the file changed"),
        ("cut short", Some(LARGE / 4), 18, "the file changed"),
        ("deleted", None, 78, "not found"),
    ];
    for (how, len, exit, words) in spoilt {
        let bench = Bench::new();
        fleet(&bench);
        fs::create_dir(bench.path("two")).expect("made");
        // The same file, as on one file system that both have.
        fs::hard_link(bench.path("one/large"), bench.path("two/large")).expect("linked");
        let inode = |name: &str| fs::metadata(bench.path(name)).expect("there").ino();
        assert_eq!(inode("one/large"), inode("two/large"));
        let one = bench.run(bench.tng("server.key", &args("one", "one.sock")));
        let two = bench.run(bench.tng("server.key", &args("two", "two.sock")));
        // Made before: the download is over in a quarter of a second.
        let new = len.map(|len| bench.write("new", len, 2));
        let getting = begin(&bench, "stay", &[&one, &two]);
        bench.wait_for_draft("copy", (LARGE / 10) as u64);
        match new {
            Some(new) => fs::rename(new, bench.path("two/large")).expect("moved"),
            None => fs::remove_file(bench.path("two/large")).expect("there"),
        }
        let url = format!("tng://{}@{},{}/large", one.eid, one.address, two.address);
        // The other goes on, and finds what it has.
        one.kill();
        let ended = end(getting).expect(exit);
        assert!(ended.stderr().contains(words), "{how}: {}", ended.stderr());
        assert!(!bench.path("copy").exists(), "{how}");
        // Once it is the same again, the rest comes.
        let _ = fs::remove_file(bench.path("two/large"));
        fs::hard_link(bench.path("one/large"), bench.path("two/large")).expect("linked");
        let again = bench.tng("client.key", &["trickles", "get", "--json", "-o", "copy", &url]).output();
        let again = Ended(again.expect("it runs")).expect(0);
        assert_eq!(again.events("error").len(), 0, "{how}");
        assert!(same(&bench.path("one/large"), &bench.path("copy")), "{how}");
    }
}

#[test]
fn two_servers_that_are_killed_by_turns_cost_a_download_no_byte_and_no_connection() {
    let bench = Bench::new();
    fleet(&bench);
    let mut servers =
        ["one.sock", "two.sock"].map(|control| Some(bench.run(bench.tng("server.key", &args("one", control)))));
    let addresses = servers.each_ref().map(|server| server.as_ref().expect("it runs").address.clone());
    let getting = begin(&bench, "stay", &servers.each_ref().map(|server| server.as_ref().expect("it runs")));
    for kill in 0..6 {
        bench.wait_for_draft("copy", (LARGE * (kill + 1) / 8) as u64);
        let which = kill % 2;
        if let Some(server) = servers[which].take() {
            server.kill();
        }
        let mut again = args("one", ["one.sock", "two.sock"][which]);
        again[9] = &addresses[which];
        servers[which] = Some(bench.run(bench.tng("server.key", &again)));
    }
    let ended = end(getting).expect(0);
    assert!(same(&bench.path("one/large"), &bench.path("copy")));
    assert_eq!(ended.events("stateless")[0]["connections"], 1);
    wait("both to serve", || counts(&bench, "one.sock")["requests"].is_u64());
}
