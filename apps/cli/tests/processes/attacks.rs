//! `tng serve` under every attack that the tool knows.

use std::fs;

use crate::bench::{Bench, Ended};

/// Most memory that the server may have used at its most, in KiB: debug builds and 8 MiB of receive buffers included.
const MEMORY_MAX_KIB: u64 = 160 * 1024;

#[test]
fn a_server_under_every_attack_holds_serves_on_and_stays_small() {
    let bench = Bench::new();
    bench.write("tree/a", 10_000, 1);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let args = ["attack", "all", "--json", "--time", "0.4", "--rate", "2000", &server.ticket];
    let ended = Ended(bench.tng("honest.key", &args).output().expect("it runs"));
    let attacked = ended.events("attacked");
    let faults: Vec<_> = attacked.iter().filter(|event| event["held"] != true).collect();
    assert!(faults.is_empty(), "{faults:?}");
    let ended = ended.expect(0);
    let listed = Ended(bench.tng("honest.key", &["attack", "list", "--json"]).output().expect("it runs")).expect(0);
    assert_eq!(listed.events("attack").len(), attacked.len());
    assert!(attacked.iter().all(|event| event["sent"].as_u64() > Some(0)), "{}", ended.stderr());
    bench.get(&["-r", "-o", "copy", &server.url]).expect(0);
    assert_eq!(fs::read(bench.path("copy/a")).expect("fetched"), fs::read(bench.path("tree/a")).expect("there"));
    let peak = server.memory_peak_kib();
    assert!(peak <= MEMORY_MAX_KIB, "{peak} KiB");
}

#[test]
fn nobody_far_away_is_attacked_and_no_unknown_attack_made() {
    let bench = Bench::new();
    let eid = String::from_utf8(bench.tng("a.key", &["id", "-q"]).output().expect("it runs").stdout).expect("text");
    let far = format!("{}@192.0.2.1:4860", eid.trim());
    let ended = Ended(bench.tng("a.key", &["attack", "junk", &far]).output().expect("it runs")).expect(2);
    assert!(ended.stderr().contains("private network"), "{}", ended.stderr());
    let near = format!("{}@127.0.0.1:1", eid.trim());
    let ended = Ended(bench.tng("a.key", &["attack", "no-such", &near]).output().expect("it runs")).expect(2);
    assert!(ended.stderr().contains("tng attack list"), "{}", ended.stderr());
}
