//! `tng trickles spray`: one address for several servers, while some are killed.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::bench::{Bench, Ended, PATIENCE, Serving, free_port, rest, same, wait};

const LARGE: usize = 20_000_000;

/// Replicas of one fleet, and a sprayer before them.
struct Sprayed {
    bench: Bench,
    replicas: Vec<Serving>,
    sprayer: Serving,
}

impl Sprayed {
    fn new(replicas: usize, more: &[&str]) -> Sprayed {
        let bench = Bench::new();
        bench.write("tree/large", LARGE, 1);
        Ended(bench.tng("server.key", &["trickles", "keys", "new", "fleet.epochs"]).output().expect("it runs"))
            .expect(0);
        let replicas: Vec<Serving> = (0..replicas).map(|_| replica(&bench, "127.0.0.1:0")).collect();
        let to = replicas.iter().flat_map(|replica| ["--to", &replica.address]);
        let args: Vec<&str> = ["trickles", "spray", "--listen", "127.0.0.1:0", "--control", "spray.sock"]
            .into_iter()
            .chain(to)
            .chain(more.iter().copied())
            .collect();
        let sprayer = bench.start(&args);
        Sprayed { bench, replicas, sprayer }
    }

    fn begin(&self) -> Child {
        let url = format!("tng://{}@{}/large", self.replicas[0].eid, self.sprayer.address);
        let mut getting = self.bench.tng("client.key", &["trickles", "get", "--json", "-o", "copy", &url]);
        getting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs")
    }

    /// Waits for a download, and sees that it is whole and had one connection.
    #[track_caller]
    fn end(&self, getting: Child) {
        let ended = Ended(getting.wait_with_output().expect("it ends")).expect(0);
        assert!(same(&self.bench.path("tree/large"), &self.bench.path("copy")));
        assert_eq!(ended.events("stateless")[0]["connections"], 1, "{:?}", ended.events("stateless"));
        fs::remove_file(self.bench.path("copy")).expect("there");
    }

    fn status(&self) -> Value {
        let args = ["--json", "trickles", "status", "--control", "spray.sock"];
        let answer = Ended(self.bench.tng("unused", &args).output().expect("it runs")).expect(0);
        serde_json::from_slice(&answer.0.stdout).expect("JSON")
    }

    fn is_passed_over(&self, which: usize) -> bool {
        self.status()["replicas"][which]["is_passed_over"] == true
    }
}

fn replica(bench: &Bench, at: &str) -> Serving {
    bench.start(&["trickles", "serve", "tree", "--public", "--keys", "fleet.epochs", "--bind", at])
}

#[test]
fn datagrams_go_to_each_replica_in_its_turn_and_one_that_is_killed_is_passed_over_and_taken_up_again() {
    let mut fleet = Sprayed::new(2, &[]);
    assert!(fleet.sprayer.said["sandbox"]["calls"].as_str().is_some_and(|said| said.contains("refused")));
    // What each has given out is good at the other when both have run for longer than clocks may differ.
    rest(6_000);
    fleet.end(fleet.begin());
    let sent = |status: &Value| [0, 1].map(|which| status["replicas"][which]["sent"].as_f64().expect("a number"));
    let before = fleet.status();
    let [one, other] = sent(&before);
    assert!(one > 500.0 && (0.9..1.1).contains(&(one / other)), "by turns: {before}");
    assert_eq!(
        (&before["clients"], &before["counts"]["strange"], &before["counts"]["unsent"]),
        (&1.into(), &0.into(), &0.into())
    );

    let getting = fleet.begin();
    fleet.bench.wait_for_draft("copy", (LARGE / 3) as u64);
    let killed = fleet.replicas.remove(1);
    let address = killed.address.clone();
    killed.kill();
    wait("it to be passed over", || fleet.is_passed_over(1));
    fleet.bench.wait_for_draft("copy", (LARGE / 2) as u64);
    fleet.replicas.push(replica(&fleet.bench, &address));
    wait("it to be taken up again", || !fleet.is_passed_over(1));
    fleet.end(getting);
    assert_eq!(fleet.sprayer.next_event()["event"], "passed_over");
    assert_eq!(fleet.sprayer.next_event()["event"], "back");
    let said = fleet.sprayer.end("TERM");
    let told = said.last().expect("it tells what it did");
    assert_eq!((&told["event"], &told["counts"]["clients"]), (&"sprayed".into(), &2.into()), "{told}");
    assert!(!fleet.bench.path("spray.sock").exists());
}

#[test]
fn a_download_outlives_its_sprayer_and_all_its_replicas() {
    let mut fleet = Sprayed::new(2, &[]);
    let getting = fleet.begin();
    fleet.bench.wait_for_draft("copy", (LARGE / 4) as u64);
    let address = fleet.sprayer.address.clone();
    let to: Vec<String> = fleet.replicas.iter().map(|replica| replica.address.clone()).collect();
    let args = ["trickles", "spray", "--listen", &address, "--to", &to[0], "--to", &to[1], "--control", "spray.sock"];
    let next = |fleet: &Sprayed| fleet.bench.run(fleet.bench.tng("unused", &[&args[..], &["--json"]].concat()));
    // A socket of one that was killed is in the way of nobody.
    let before = std::mem::replace(&mut fleet.sprayer, replica(&fleet.bench, "127.0.0.1:0"));
    before.kill();
    fleet.sprayer = next(&fleet);
    fleet.bench.wait_for_draft("copy", (LARGE / 2) as u64);
    for address in &to {
        fleet.replicas.remove(0).kill();
        fleet.replicas.push(replica(&fleet.bench, address));
    }
    fleet.end(getting);
}

#[test]
fn strangers_and_those_beyond_the_bound_are_not_served_and_nobody_else_is_answered_for() {
    let fleet = Sprayed::new(1, &["--clients", "2", "--allow", "127.0.0.1", "--idle", "4", "--access-log", "log"]);
    let sprayer = fleet.sprayer.address.clone();
    let from = |ip: &str| {
        let socket = UdpSocket::bind((ip, 0)).expect("bound");
        socket.send_to(&[0xd0, 1, 2, 3], &sprayer).expect("sent");
        socket
    };
    let is_answered = |socket: &UdpSocket, patience: Duration| {
        socket.set_read_timeout(Some(patience)).expect("set");
        socket.recv(&mut [0; 64]).is_ok()
    };
    let shortly = Duration::from_millis(300);
    // At once, before anybody makes room.
    let ([first, second, third], stranger) = ([(); 3].map(|()| from("127.0.0.1")), from("127.0.0.2"));
    wait("two that are served, and the others counted", || {
        let status = fleet.status();
        let counts = &status["counts"];
        status["clients"] == 2 && counts["not_allowed"] == 1 && counts["no_room"].as_u64() >= Some(1)
    });
    // A replica says that it reads no such packet.
    assert!(is_answered(&first, PATIENCE) && is_answered(&second, PATIENCE));
    assert!(!is_answered(&third, shortly) && !is_answered(&stranger, shortly));
    // They were answered nothing that a stranger could not have asked for: after a while they make room.
    wait("room", || is_answered(&from("127.0.0.1"), shortly));
    wait("all to be forgotten", || fleet.status()["clients"] == 0);
    let log = fs::read_to_string(fleet.bench.path("log")).expect("there");
    assert!(["begun", "made_room", "ended"].iter().all(|event| log.contains(event)), "{log}");
    // What comes to the socket of a client from elsewhere is not brought to it, which figures tell.
    let table =
        Ended(fleet.bench.tng("unused", &["trickles", "status", "--control", "spray.sock"]).output().expect("it runs"));
    assert!(String::from_utf8_lossy(&table.expect(0).0.stdout).contains("a sprayer at"));
}

#[test]
fn a_sprayer_says_what_it_cannot_do_by_curls_codes_and_what_it_does_to_prometheus() {
    let port = free_port();
    let fleet = Sprayed::new(1, &["--http", &format!("127.0.0.1:{port}")]);
    let refused = |args: &[&str]| {
        let args = [&["trickles", "spray", "--json"], args].concat();
        Ended(fleet.bench.tng("unused", &args).output().expect("it runs"))
    };
    let taken = refused(&["--listen", &fleet.sprayer.address, "--to", "127.0.0.1:1"]).expect(7);
    assert!(taken.stderr().contains("another --listen address"), "{}", taken.stderr());
    refused(&["--listen", "127.0.0.1:0"]).expect(2);
    let own = refused(&["--listen", ":4889", "--to", "127.0.0.1:1", "--to", "127.0.0.1:4889"]).expect(2);
    assert!(own.stderr().contains("--to 127.0.0.1:4889 is where the sprayer itself listens"), "{}", own.stderr());
    refused(&["--listen", "127.0.0.1:0", "--to", "127.0.0.1:1", "--control", "spray.sock"]).expect(81);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: sprayer\r\n\r\n").expect("asked");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    for line in ["tng_spray_replicas 1", "tng_spray_clients_now 0", "tng_spray_config_good 1"] {
        assert!(answer.contains(&format!("\n{line}\n")), "{line}: {answer}");
    }
}
