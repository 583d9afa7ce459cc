//! `tng serve` under every attack that the tool knows.

use std::fs;

use crate::bench::{Bench, Ended};

/// Most memory that the server may have used at its most, in KiB: debug builds and 8 MiB of receive buffers included.
const MEMORY_MAX_KIB: u64 = 96 * 1024;

/// Nor does it matter that nobody reads what the server tells of its peers: this test does not.
#[test]
fn a_server_under_one_attack_after_the_other_holds_serves_on_and_stays_small() {
    let bench = Bench::new();
    bench.write("tree/a", 10_000, 1);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let listed = Ended(bench.tng("honest.key", &["attack", "list", "--json"]).output().expect("it runs")).expect(0);
    let mut let_in = 0;
    for attack in listed.events("attack") {
        let name = attack["name"].as_str().expect("a name");
        let args = ["attack", name, "--json", "--time", "0.3", "--rate", "2000", &server.ticket];
        let ended = Ended(bench.tng("honest.key", &args).output().expect("it runs"));
        let attacked = ended.events("attacked");
        assert_eq!(ended.code(), Some(0), "{name}: {attacked:?}: {}", ended.stderr());
        assert_eq!((attacked.len(), &attacked[0]["held"]), (1, &true.into()), "{attacked:?}");
        assert!(attacked[0]["sent"].as_u64() > Some(0), "{attacked:?}");
        let_in += attacked[0]["connections"].as_u64().expect("a count");
        bench.get(&["-r", "-o", name, &server.url]).expect(0);
        let copy = bench.path(&format!("{name}/a"));
        assert_eq!(fs::read(copy).expect("fetched"), fs::read(bench.path("tree/a")).expect("there"), "{name}");
        let peak = server.memory_peak_kib();
        assert!(peak <= MEMORY_MAX_KIB, "{name}: {peak} KiB");
    }
    assert!(let_in > 16, "at least one for each attack by a peer: {let_in}");
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
