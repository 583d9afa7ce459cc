//! `tng stp status`: real processes, asked in the midst of what they do.

use std::fs;
use std::io::Write;
use std::process::{Child, ChildStdin, Stdio};

use serde_json::Value;

use crate::bench::{Bench, Ended, same, wait};
use crate::guests::listen;

/// What `tng stp status` says, as events of one name.
fn status(bench: &Bench, args: &[&str], name: &str) -> Vec<Value> {
    let asked = bench.tng("client.key", &[&["stp", "status", "--json"], args].concat()).output();
    Ended(asked.expect("it runs")).expect(0).events(name)
}

fn of(guests: &[Value], pid: u32) -> &Value {
    guests.iter().find(|guest| guest["pid"] == pid).unwrap_or_else(|| panic!("{pid} is not in {guests:?}"))
}

fn number(guest: &Value, key: &str) -> u64 {
    guest[key].as_u64().unwrap_or_else(|| panic!("{key} of {guest}"))
}

/// `tng connect` by a guest, with its input in hand.
fn connect(bench: &Bench, ticket: &str) -> (Child, ChildStdin) {
    let mut command = bench.tng("client.key", &["connect", "--transport", "newreno", ticket]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it runs");
    let stdin = child.stdin.take().expect("piped");
    (child, stdin)
}

#[test]
fn two_processes_in_a_transfer_tell_what_of_it_their_guests_have_moved_and_one_that_is_killed_is_gone() {
    const STEP: usize = 1_000_000;
    let bench = Bench::new();
    let bytes = fs::read(bench.write("there", 2 * STEP, 1)).expect("there");
    assert_eq!(status(&bench, &[], "process"), Vec::<Value>::new());
    let (mut listener, ticket) = listen(&bench, &["--transport", "newreno"], Stdio::piped());
    let waiting = status(&bench, &[], "process");
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    assert_eq!((&waiting[0]["command"], number(&waiting[0], "guests")), (&"listen".into(), 0));

    let (mut connecter, mut stdin) = connect(&bench, &ticket);
    let (near, far) = (connecter.id(), listener.id());
    let mut before = (0, 0);
    for step in 1..=2 {
        let moved = (step * STEP) as u64;
        stdin.write_all(&bytes[(step - 1) * STEP..step * STEP]).expect("written");
        bench.wait_for("got there", moved);
        let guests = status(&bench, &[], "guest");
        assert_eq!(guests.len(), 2, "{guests:?}");
        let (sender, receiver) = (of(&guests, near), of(&guests, far));
        for (guest, command, role) in [(sender, "connect", "initiator"), (receiver, "listen", "responder")] {
            assert_eq!((&guest["guest"], &guest["command"]), (&"newreno".into(), &command.into()));
            assert_eq!(guest["kind"], "stream");
            assert_eq!((&guest["role"], &guest["ended"]), (&role.into(), &Value::Null));
            assert!(number(guest, "fuel") > 100_000 && number(guest, "time_us") > 0, "{guest}");
            let (memory, most) = (number(guest, "memory"), number(guest, "most"));
            assert!(memory > 60_000 && most > memory && most < 6 << 20, "{guest}");
        }
        // A segment has at most 1,452 bytes here: as many packets as there must be, and heads of the guest's beside.
        let (sent, received) = (number(sender, "bytes_sent"), number(receiver, "bytes_received"));
        assert!((moved..moved * 3 / 2).contains(&received) && sent >= received, "{sender} {receiver}");
        assert!(number(receiver, "packets_received") >= moved / 1_452, "{receiver}");
        assert!(number(sender, "packets_received") > 0 && number(receiver, "packets_sent") > 0, "acknowledgments");
        assert!(sender["cap_bps"].as_u64() > Some(0) && sender["sent_bps"].as_f64() > Some(0.0), "{sender}");
        assert_eq!(sender["denied"]["proofs"], 0);
        assert!(number(sender, "fuel") > before.0 && received >= before.1 + STEP as u64, "it goes on");
        before = (number(sender, "fuel"), received);
    }
    let one = status(&bench, &[&near.to_string()], "guest");
    assert_eq!(one.iter().map(|guest| &guest["pid"]).collect::<Vec<_>>(), [&Value::from(near)]);

    connecter.kill().expect("it runs");
    connecter.wait().expect("it has ended");
    let socket = bench.path("tng").join(format!("{near}.sock"));
    assert!(socket.exists(), "control: what is killed leaves its socket");
    let left = status(&bench, &[], "guest");
    assert_eq!(left.iter().map(|guest| &guest["pid"]).collect::<Vec<_>>(), [&Value::from(far)], "{left:?}");
    assert!(!socket.exists());
    let gone = bench.tng("client.key", &["stp", "status", &near.to_string()]).output().expect("it runs");
    assert!(Ended(gone).expect(7).stderr().contains("no process of tng with guests has this number"));
    listener.kill().expect("it runs");
    listener.wait().expect("it has ended");
    drop(stdin);
}

#[test]
fn a_server_says_why_a_guest_has_ended_and_takes_its_socket_along_when_it_leaves() {
    let bench = Bench::new();
    let server = bench.start(&["perf", "-s", "--public", "--bind", "127.0.0.1:0", "--transport"]);
    let measured = bench.tng("client.key", &["perf", "-c", &server.ticket, "--transport", "sack", "-n", "1M"]).output();
    Ended(measured.expect("it runs")).expect(0);
    let mut guests = Vec::new();
    wait("the end of the guest", || {
        guests = status(&bench, &[], "guest");
        guests.iter().all(|guest| guest["ended"].as_str().is_some_and(|why| why.contains("closed")))
    });
    let [guest] = &guests[..] else { panic!("{guests:?}") };
    assert_eq!((&guest["guest"], &guest["command"]), (&"sack".into(), &"perf".into()));
    assert!(number(guest, "bytes_received") >= 1_000_000, "{guest}");

    let table = bench.tng("client.key", &["stp", "status"]).output().expect("it runs");
    let text = String::from_utf8(table.stdout).expect("text");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(["sack", "perf", "held to", "Mbit/s", "closed"].iter().all(|word| text.contains(word)), "{text}");
    server.stop("INT");
    let left = fs::read_dir(bench.path("tng")).expect("there").count();
    assert_eq!(left, 0, "sockets");
    let none = Ended(bench.tng("client.key", &["stp", "status"]).output().expect("it runs")).expect(0);
    assert!(none.stderr().contains("no process of tng on this machine runs guests") && none.0.stdout.is_empty());
    assert_eq!(status(&bench, &[], "status")[0]["processes"], serde_json::json!([]), "programs are told, too");
}

#[test]
fn a_guest_that_regulates_a_measurement_is_among_those_that_are_told_of() {
    let bench = Bench::new();
    let server = bench.start(&["perf", "-s", "--public", "--bind", "127.0.0.1:0"]);
    let mut client = bench.tng("client.key", &["perf", "-c", &server.ticket, "-C", "guest-cubic", "-t", "60"]);
    let mut client = client.stdout(Stdio::null()).spawn().expect("it runs");
    let mut guests = Vec::new();
    wait("a guest at work", || {
        guests = status(&bench, &[], "guest");
        guests.iter().any(|guest| number(guest, "calls") > 100)
    });
    let guest = of(&guests, client.id());
    assert_eq!((&guest["guest"], &guest["kind"]), (&"cubic".into(), &"controller".into()));
    assert_eq!((&guest["command"], &guest["ended"], &guest["peer"]), (&"perf".into(), &Value::Null, &Value::Null));
    assert!(number(guest, "fuel") > 1_000 && number(guest, "memory") > 60_000, "{guest}");
    let table = bench.tng("client.key", &["stp", "status"]).output().expect("it runs");
    let text = String::from_utf8(table.stdout).expect("text");
    assert!(["cubic", "controller"].iter().all(|word| text.contains(word)), "{text}");
    client.kill().expect("it runs");
    client.wait().expect("it has ended");
}

#[test]
fn one_that_cannot_tell_of_its_guests_says_so_when_asked_to_say_more_and_works_all_the_same() {
    let bench = Bench::new();
    // There is no folder where the sockets should be.
    fs::write(bench.path("tng"), "a file").expect("written");
    let there = bench.write("there", 100_000, 1);
    let (listener, ticket) = listen(&bench, &["--transport", "newreno"], Stdio::null());
    let mut connecter = bench.tng("client.key", &["connect", "-v", "--transport", "newreno", &ticket]);
    let stdin = fs::File::open(&there).expect("there");
    let ended = Ended(connecter.stdin(stdin).output().expect("it runs")).expect(0);
    assert!(ended.stderr().contains("`tng stp status` will not see this process"), "{}", ended.stderr());
    Ended(listener.wait_with_output().expect("it ends")).expect(0);
    assert!(same(&there, &bench.path("got there")));
    Ended(bench.tng("client.key", &["stp", "status"]).output().expect("it runs")).expect(26);
}
