//! `tng serve` under every attack that the tool knows.

use std::fs;

use crate::bench::{Bench, Ended};

/// What the server is told to hold for its peers.
const MEMORY: &str = "32M";

/// Most memory that it may have used at its most, in KiB: debug builds and 8 MiB of receive buffers included.
const MEMORY_MAX_KIB: u64 = 96 * 1024;

/// Longest file that the server hands out, in bytes: what hurts to hash, and nobody reads. It has holes, and takes no
/// room.
const LARGEST: u64 = 64 << 20;

/// Runs attacks in a row, and fetches a file after them. Nor does it matter that nobody reads what the server tells of
/// its peers: this test does not.
fn in_a_row(name: &str, bench: &Bench) -> Vec<serde_json::Value> {
    bench.write("tree/a", 10_000, 1);
    let large = fs::File::create(bench.path("tree/large")).expect("made");
    large.set_len(LARGEST).expect("room for a hole");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0", "--memory", MEMORY]);
    let args = ["attack", name, "--json", "--time", "0.3", "--rate", "2000", "--memory", MEMORY, &server.ticket];
    let ended = Ended(bench.tng("honest.key", &args).output().expect("it runs"));
    let (attacked, verdict) = (ended.events("attacked"), ended.events("attacked_all"));
    for attacked in &attacked {
        assert!(attacked["held"] == true, "{attacked:?}: {}", ended.stderr());
        assert!(attacked["sent"].as_u64() > Some(0), "{attacked:?}");
    }
    assert_eq!((&verdict[0]["attacks"], &verdict[0]["held"]), (&attacked.len().into(), &true.into()), "{verdict:?}");
    assert_eq!(ended.code(), Some(0), "{}", ended.stderr());
    bench.get(&["-o", "copy", &server.url_of("a")]).expect(0);
    assert_eq!(fs::read(bench.path("copy")).expect("fetched"), fs::read(bench.path("tree/a")).expect("there"));
    let peak = server.memory_peak_kib();
    assert!(peak <= MEMORY_MAX_KIB, "{peak} KiB");
    attacked
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
fn a_server_under_a_flood_of_each_message_holds_serves_on_and_stays_small() {
    let attacked = in_a_row("messages", &Bench::new());
    assert!(attacked.len() > 20, "{}", attacked.len());
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
