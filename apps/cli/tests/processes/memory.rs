//! What a server holds when its clients have gone.

use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use crate::bench::{Bench, Serving};

/// Clients at once, each with a key of its own, who fetch [`SIZE`] bytes and go.
const CLIENTS: usize = 100;
const SIZE: usize = 1 << 20;

/// Memory in KiB of a server before they came, when they have gone, and the least of the minute after that.
#[expect(clippy::disallowed_methods, reason = "a real process is watched for a while")]
fn memory(bench: &Bench, server: &Serving, seconds: u64) -> (u64, u64, u64) {
    let (before, url) = (server.memory_kib(), server.url_of("file"));
    let mut clients: Vec<Child> = (0..CLIENTS)
        .map(|at| {
            let mut command = bench.tng(&format!("client{at}.key"), &["get", "-q", "-o", &format!("copy{at}"), &url]);
            command.stderr(Stdio::null()).spawn().expect("it runs")
        })
        .collect();
    for client in &mut clients {
        assert!(client.wait().expect("it ends").success());
    }
    for at in 0..CLIENTS {
        std::fs::remove_file(bench.path(&format!("copy{at}"))).expect("it is there");
    }
    let (gone, mut least) = (server.memory_kib(), u64::MAX);
    for _ in 0..seconds {
        thread::sleep(Duration::from_secs(1));
        least = least.min(server.memory_kib());
        if least < before + (gone - before) / 4 {
            break;
        }
    }
    (before, gone, least)
}

#[test]
fn what_clients_had_a_server_hold_goes_back_to_the_system_within_a_minute_of_their_going() {
    let served = |conf: &str, seconds| {
        let bench = Bench::new();
        bench.write("served/file", SIZE, 1);
        let mut command = bench.tng("server.key", &["serve", "served", "--bind", "127.0.0.1:0", "--json"]);
        command.env("_RJEM_MALLOC_CONF", conf);
        let server = bench.run(command);
        memory(&bench, &server, seconds)
    };
    // Beside each other, since both wait. Control: an allocator that is told to keep what is freed does.
    let (freed, kept) = thread::scope(|scope| {
        let kept = scope.spawn(|| served("dirty_decay_ms:-1,muzzy_decay_ms:-1", 15));
        (served("", 60), kept.join().expect("it ends"))
    });
    let (before, gone, left) = freed;
    println!("{before} KiB before {CLIENTS} clients, {gone} when they have gone, {left} within a minute");
    assert!(left < before + (gone - before) / 2, "before {before} KiB, then {gone}, then {left}");
    let (before, gone, left) = kept;
    println!("control: {before} KiB before, {gone} when they have gone, {left} later");
    assert!(left >= before + (gone - before) / 2, "control: before {before} KiB, then {gone}, then {left}");
}
