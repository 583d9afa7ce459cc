//! Tickets: made for somebody, for a time, and taken back (attack 30 of docs/attacks.md).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::bench::{Bench, Ended, wait};

fn ticket(bench: &Bench, args: &[&str]) -> Ended {
    Ended(bench.tng("server.key", &[&["ticket"], args, &["--json"]].concat()).output().expect("it runs"))
}

fn new(bench: &Bench, args: &[&str]) -> String {
    let made = ticket(bench, &[&["new"], args].concat()).expect(0);
    made.events("ticket")[0]["ticket"].as_str().expect("text").to_owned()
}

/// Fetches with a ticket, and what comes of it.
fn get(bench: &Bench, ticket: &str) -> Ended {
    bench.get(&["--retry", "0", "-o", "copy", &format!("{ticket}/a")])
}

/// Waits until a ticket is refused, and answers in which words.
fn refused(bench: &Bench, ticket: &str) -> String {
    let mut ended = get(bench, ticket);
    wait("the ticket to be refused", || {
        let refused = ended.code() == Some(9);
        if !refused {
            ended = get(bench, ticket);
        }
        refused
    });
    ended.stderr()
}

fn pinging(bench: &Bench, ticket: &str) -> Child {
    let mut command = bench.tng("friend.key", &["ping", "--json", "-c", "100000", "-i", "0.05", ticket]);
    command
        .stdout(fs::File::create(bench.path("pings")).expect("a file"))
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs")
}

#[test]
fn who_has_a_revoked_ticket_is_refused_by_name_and_shown_out_and_nobody_else_is() {
    let bench = Bench::new();
    bench.write("tree/a", 10, 1);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let alice = new(&bench, &["--name", "alice", "--expires", "1h"]);
    let bob = new(&bench, &["--name", "bob"]);
    for held in [&alice, &bob, &server.ticket] {
        wait("the ticket to be taken", || get(&bench, held).code() == Some(0));
    }
    let mut friend = pinging(&bench, &alice);
    wait("a ping", || fs::read_to_string(bench.path("pings")).is_ok_and(|said| said.contains("\"ping\"")));
    assert!(friend.try_wait().expect("it is a child").is_none(), "control: nobody shows her out before");
    ticket(&bench, &["revoke", "alice"]).expect(0);
    wait("alice to be shown out", || friend.try_wait().is_ok_and(|ended| ended.is_some()));
    let why = refused(&bench, &alice);
    assert!(why.contains("the ticket was revoked") && why.contains("code 2"), "{why}");
    for held in [&bob, &server.ticket] {
        get(&bench, held).expect(0);
    }
    let newer = new(&bench, &["--name", "bob"]);
    let why = refused(&bench, &bob);
    assert!(why.contains("made anew"), "{why}");
    get(&bench, &newer).expect(0);
    ticket(&bench, &["revoke", "--all"]).expect(0);
    assert!(refused(&bench, &newer).contains("revoked") && refused(&bench, &server.ticket).contains("revoked"));
    assert!(ticket(&bench, &["list"]).expect(0).events("listed").is_empty());
    ticket(&bench, &["revoke", "alice"]).expect(2);
}

#[test]
fn a_ticket_expires_and_who_came_in_with_it_is_shown_out() {
    let bench = Bench::new();
    bench.write("tree/a", 10, 1);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    // It lasts for as long as a busy machine may need to begin.
    let short = new(&bench, &["--name", "carol", "--expires", "12s"]);
    wait("the ticket to be taken", || get(&bench, &short).code() == Some(0));
    let mut friend = pinging(&bench, &short);
    wait("carol to be shown out", || friend.try_wait().is_ok_and(|ended| ended.is_some()));
    assert!(fs::read_to_string(bench.path("pings")).expect("a file").contains("\"ping\""), "control: she was in");
    let why = refused(&bench, &short);
    assert!(why.contains("the ticket has expired"), "{why}");
    get(&bench, &server.ticket).expect(0);
}

#[test]
fn the_list_survives_restarts_and_without_it_no_ticket_is_good() {
    let bench = Bench::new();
    bench.write("tree/a", 10, 1);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let (ticket, address) = (server.ticket.clone(), server.address.clone());
    for name in fs::read_dir(bench.path(".")).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let mode = fs::metadata(&name).expect("there").permissions().mode() & 0o777;
        assert!(mode == 0o600 || !name.to_string_lossy().contains("server.key"), "{}: {mode:o}", name.display());
    }
    let held = fs::read_dir(bench.path(".")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let file =
        held.into_iter().find(|path| path.extension().is_some_and(|end| end == "ticket")).expect("a ticket in a file");
    bench.get(&["-o", "copy", &format!("@{}//a", file.display())]).expect(0);
    server.kill();
    let again = bench.serve(&["tree", "--bind", &address]);
    assert_eq!(again.ticket, ticket);
    get(&bench, &ticket).expect(0);
    fs::remove_file(bench.path("server.key.tickets")).expect("it is there");
    assert!(refused(&bench, &ticket).contains("revoked"));
}

#[test]
fn a_mistyped_ticket_is_not_told_to_whoever_reads_errors() {
    let bench = Bench::new();
    bench.write("a", 10, 1);
    let server = bench.serve(&["a", "--bind", "127.0.0.1:0"]);
    let at = server.ticket.len() - 30;
    let other = if &server.ticket[at..=at] == "q" { "r" } else { "q" };
    let mut typed = server.ticket.clone();
    typed.replace_range(at..=at, other);
    for args in
        [&["get", "-o", "x", &typed][..], &["ping", &typed], &[&typed], &["put", &typed, "a"], &["put", "a", &typed]]
    {
        let ended = Ended(bench.tng("client.key", &[args, &["--json"]].concat()).output().expect("it runs"));
        let said = ended.stderr() + &String::from_utf8_lossy(&ended.0.stdout);
        assert!(!said.contains(&typed[10..20]) && !said.contains(&typed[at + 1..at + 10]), "{args:?}: {said}");
        assert!(ended.code() != Some(0) && !said.is_empty());
    }
    let said = bench.get(&["-o", "x", &typed]).expect(2).stderr();
    assert!(said.contains(&format!("character {} is wrong", at + 1)) && said.contains("the secret"), "{said}");
    get(&bench, &server.ticket).expect(0);
    let list: Vec<Value> = ticket(&bench, &["list"]).expect(0).events("listed");
    assert!(list.len() == 1 && !list[0].to_string().contains("tng1"), "a list tells no secrets: {list:?}");
}

/// Who has the key is the host, who writes the list of tickets decides who comes in (attack 40 of docs/attacks.md).
#[test]
fn a_server_does_not_hand_out_its_own_key_nor_has_its_tickets_replaced() {
    let bench = Bench::new();
    bench.write("a", 10, 1);
    bench.write("forged", 10, 2);
    fs::create_dir(bench.path("elsewhere")).expect("made");
    let serving = ["serve", ".", "--writable", "--replace", "--bind", "127.0.0.1:0", "--json"];
    let server = bench.run(bench.tng("server.key", &serving));
    let names = ["server.key", "server.key.tickets", "server.key.tickets.lock", "server.key.place"];
    let before: Vec<_> = names.iter().map(|name| fs::read(bench.path(name)).expect("there")).collect();
    for (name, before) in names.iter().zip(&before) {
        let said = bench.get(&["-o", "copy", &server.url_of(name)]).expect(9).stderr();
        assert!(said.contains("the server's own"), "{said}");
        bench.put(&["--replace", "--name", name, "forged", &server.url]).expect(9);
        assert_eq!(fs::read(bench.path(name)).as_ref().expect("there"), before, "{name}");
    }
    let tree = bench.get(&["-r", "-o", "elsewhere/copy", &server.url]).expect(18);
    let left: Vec<_> = tree.events("left_out").iter().map(|left| left["path"].clone()).collect();
    assert!(names.iter().all(|name| left.contains(&Value::from(*name))), "{left:?}");
    assert_eq!(left.len(), names.len() + 1, "and the file of the ticket: {left:?}");
    drop(server);
    let alone = Ended(bench.tng("server.key", &["serve", "server.key"]).output().expect("it runs")).expect(2);
    assert!(alone.stderr().contains("the server's own") && alone.stderr().contains("--key"), "{}", alone.stderr());
    // Control: of a server with another key these are files as any.
    let other = bench.run(bench.tng("elsewhere/key", &serving));
    bench.get(&["-o", "copy", &other.url_of("server.key")]).expect(0);
    assert_eq!(fs::read(bench.path("copy")).expect("there"), before[0]);
    bench.put(&["--replace", "--name", "server.key.tickets", "forged", &other.url]).expect(0);
    assert_ne!(fs::read(bench.path("server.key.tickets")).expect("there"), before[1]);
}
