//! Processes of one user: they have one key, and share what the server may send to their address.

use std::fs::File;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{Bench, signal};

/// Downloads that end in mid-transfer.
const SIBLINGS: usize = 20;
/// So much of one has arrived by then. What it has in flight is as large as the window allows.
const MIDDLE: u64 = 30_000_000;
/// What is fetched afterwards.
const SMALL: usize = 1_000_000;
/// How long that may take: it takes a tenth of a second, and took until the idle timeout of the dead ones, which is 30
/// s.
const PROMPT: Duration = Duration::from_secs(10);

/// Downloads of one key, each sent `name` in mid-transfer, and how long another one takes then.
#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
fn after(name: &str) -> Duration {
    let bench = Bench::new();
    bench.write("served/small", SMALL, 1);
    let big = File::create(bench.path("served/big")).expect("made");
    big.set_len(4_000_000_000).expect("it takes no room");
    let server = bench.serve(&["served", "--bind", "127.0.0.1:0"]);
    let big = server.url_of("big");
    let mut siblings: Vec<Child> = (0..SIBLINGS)
        .map(|at| {
            let copy = format!("copy{at}");
            let mut command = bench.tng("client.key", &["get", "-q", "-o", &copy, &big]);
            let sibling = command.stderr(Stdio::null()).spawn().expect("it runs");
            bench.wait_for_draft(&copy, MIDDLE);
            signal(&sibling, name);
            sibling
        })
        .collect();
    let begin = Instant::now();
    bench.get(&["-o", "copy", &server.url_of("small")]).expect(0);
    let took = begin.elapsed();
    for sibling in &mut siblings {
        sibling.kill().expect("it may have ended, and is not forgotten");
        sibling.wait().expect("it has ended");
    }
    assert_eq!(std::fs::read(bench.path("copy")).expect("there").len(), SMALL);
    println!("after {SIBLINGS} times {name}: {took:?}");
    took
}

#[test]
fn who_fetches_beside_processes_that_were_killed_waits_for_none_of_them() {
    let took = after("KILL");
    assert!(took < PROMPT, "{took:?}");
}

#[test]
fn who_fetches_beside_processes_that_stand_still_waits_for_none_of_them() {
    let took = after("STOP");
    assert!(took < PROMPT, "{took:?}");
}
