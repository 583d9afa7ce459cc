//! `--throttle` on real sockets: a server that is given a part of a processor, and more clients than it can serve.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tng::trickles::{ClientConfig, ClientStats, ObjectOptions, Policy};
use tng::{Endpoint, Identity, StatelessClient, Target};
use tng_services::files::SafePath;
use tng_services::stateless::{Asking, What};
use tokio::runtime::Runtime;

use crate::bench::{Bench, Ended, Serving, rest};

const CLIENTS: usize = 48;
const FILE: usize = 600_000;
/// The server runs for the first of these, and then does not for the second, or for longer.
const RUNS_MS: u64 = 8;
const RESTS_MS: u64 = 32;

/// What became of a load.
struct Outcome {
    /// Of each client: how long it took, and what it had to do.
    clients: Vec<(Duration, ClientStats)>,
    /// The least number of packets to which the server held clients, if it did.
    window_max: Option<u64>,
    counts: Value,
}

fn status(bench: &Bench) -> Value {
    let args = ["--json", "trickles", "status", "--control", "sock"];
    let answer = Ended(bench.tng("unused", &args).output().expect("it runs")).expect(0);
    serde_json::from_slice(&answer.0.stdout).expect("JSON")
}

#[expect(clippy::disallowed_methods, reason = "real clients take real time")]
async fn fetch(client: StatelessClient) -> (Duration, ClientStats) {
    let began = Instant::now();
    let asking = Asking { what: What::File, start: 0, path: SafePath::parse("file").expect("a path") };
    let options = ObjectOptions { reserve: FILE as u64 + 1, ..ObjectOptions::default() };
    let mut object = client.ask(asking.to_bytes().expect("short"), options).expect("there is room");
    assert_eq!(object.read_to_end(FILE).await.expect("all of it comes").len(), FILE);
    (began.elapsed(), client.stats())
}

/// Lets the server run now and then, until that is over.
fn hold_back(server: &Serving, rests_ms: u64, is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        server.signal("STOP");
        rest(rests_ms);
        server.signal("CONT");
        rest(RUNS_MS);
    }
}

/// Has all clients fetch at the same time from a server with these arguments, which rests for so long at a time.
fn load(more: &[&str], rests_ms: u64) -> Outcome {
    let bench = Bench::new();
    bench.write("tree/file", FILE, 1);
    let args = ["trickles", "serve", "tree", "--public", "--bind", "127.0.0.1:0", "--control", "sock"];
    let server = bench.start(&[&args, more].concat());
    let target = || Target {
        eid: server.eid.parse().expect("an EID"),
        addresses: vec![server.address.parse().expect("an address")],
        capability: None,
        via: Vec::new(),
    };
    let runtime = Runtime::new().expect("it starts");
    let is_over = AtomicBool::new(false);
    let mut least = None;
    let clients = thread::scope(|scope| {
        let _inside = runtime.enter();
        let clients: Vec<StatelessClient> = (0..CLIENTS)
            .map(|which| {
                let builder = Endpoint::builder().identity(Identity::from_seed([which as u8 + 1; 32]));
                builder.stateless(target(), Policy::Stay, ClientConfig::default()).expect("a socket")
            })
            .collect();
        scope.spawn(|| hold_back(&server, rests_ms, &is_over));
        let fetching: Vec<_> = clients.into_iter().map(|client| runtime.spawn(fetch(client))).collect();
        let waiting = runtime.spawn(async {
            let mut done = Vec::new();
            for fetched in fetching {
                done.push(fetched.await.expect("it fetches"));
            }
            done
        });
        while !waiting.is_finished() {
            let held_to = status(&bench)["window_max"].as_u64();
            least = least.into_iter().chain(held_to).min();
            rest(20);
        }
        is_over.store(true, Ordering::Relaxed);
        runtime.block_on(waiting).expect("they end")
    });
    let counts = status(&bench)["counts"].clone();
    let slowest = clients.iter().map(|(time, _)| *time).max().expect("some");
    let fastest = clients.iter().map(|(time, _)| *time).min().expect("some");
    let sum = |of: fn(&ClientStats) -> u64| clients.iter().map(|(_, stats)| of(stats)).sum::<u64>();
    println!(
        "{more:?}: {fastest:?} to {slowest:?}, held to {least:?} packets, {} lost, {} timeouts; {counts}",
        sum(|stats| stats.lost),
        sum(|stats| stats.timeouts)
    );
    Outcome { clients, window_max: least, counts }
}

#[test]
fn more_clients_than_a_server_has_time_for_are_all_served_slowly_and_none_is_turned_away() {
    let held = load(&["--throttle"], RESTS_MS);
    assert!(held.window_max.is_some(), "it has not been busy");
    for (at, (_, stats)) in held.clients.iter().enumerate() {
        assert_eq!(stats.connections, 1, "client {at} had to begin again");
    }
    assert_eq!((&held.counts["dropped"], &held.counts["refused"]), (&0.into(), &0.into()), "{}", held.counts);
    // Nobody's share is another's: Jain's index of what each had in a second.
    let rates: Vec<f64> = held.clients.iter().map(|(time, _)| FILE as f64 / time.as_secs_f64()).collect();
    let (sum, squares) = (rates.iter().sum::<f64>(), rates.iter().map(|rate| rate * rate).sum::<f64>());
    let jain = sum * sum / (rates.len() as f64 * squares);
    assert!(jain > 0.8, "{jain}");

    // Control: without it requests are dropped. Where clients are slow, too, more come while the server rests for
    // longer.
    let mut rests_ms = RESTS_MS;
    loop {
        let free = load(&[], rests_ms);
        assert_eq!(free.window_max, None);
        if free.counts["dropped"].as_u64() > Some(0) {
            break;
        }
        rests_ms *= 4;
        assert!(rests_ms <= RESTS_MS * 64, "{}", free.counts);
    }
}
