//! What is refused, and how it is said.

use std::os::unix::fs::symlink;
use std::time::Duration;

use crate::bench::{Bench, Ended, PATIENCE};

#[test]
fn doctor_names_a_key_file_that_cannot_be_made_and_looks_at_the_rest() {
    let bench = Bench::new();
    bench.write("file", 1, 1);
    let ended = Ended(bench.tng("file/identity", &["doctor", "--json"]).output().expect("it runs")).expect(1);
    let checks = ended.events("check");
    let key = checks.iter().find(|check| check["check"] == "key file").expect("it is looked at");
    assert_eq!(key["result"], "failed", "{key}");
    assert!(key["found"].as_str().is_some_and(|found| found.contains("file/identity")), "{key}");
    assert!(checks.iter().any(|check| check["check"] == "nat"), "what comes last is there");
    assert_eq!(ended.events("done").len(), 1);
}

#[test]
fn another_key_than_the_expected_one_ends_with_60_and_names_both() {
    let bench = Bench::new();
    bench.write("a", 10, 1);
    let server = bench.serve(&["a", "--public", "--bind", "127.0.0.1:0"]);
    let other = bench.eid("other.key");
    let ended = bench.get(&[&format!("tng://{other}@{}/a", server.address)]).expect(60);
    let said = ended.stderr();
    assert!(said.contains(&format!("expected {other}")) && said.contains(&format!("seen {}", server.eid)), "{said}");
    assert_eq!(ended.events("error")[0]["exit"], 60);
}

#[test]
fn a_missing_file_does_not_keep_the_others_and_ends_with_78() {
    let bench = Bench::new();
    bench.write("tree/a", 10, 1);
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let ended = bench.get(&[&server.url_of("gone"), &server.url_of("a")]).expect(78);
    assert_eq!(ended.events("file").len(), 1);
    assert_eq!(ended.events("failed")[0]["path"], "gone");
    assert!(bench.path("a").exists() && !bench.path("gone").exists() && !bench.draft("gone").exists());
    bench.get(&[&server.url]).expect(2);
    bench.get(&["-r", "-o", "x", &server.url_of("a")]).expect(78);
}

#[test]
fn nothing_outside_the_served_folder_is_handed_out() {
    let bench = Bench::new();
    bench.write("secret", 10, 1);
    bench.write("tree/a", 10, 2);
    symlink("../secret", bench.path("tree/out")).expect("linked");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    for path in ["../secret", "%2e%2e/secret", "a/../../secret", "//etc/passwd"] {
        bench.get(&[&server.url_of(path)]).expect(2);
    }
    bench.get(&[&server.url_of("out")]).expect(9);
    let tree = bench.get(&["-r", "-o", "copy", &server.url]).expect(18);
    assert_eq!(tree.events("listed")[0]["skipped"], 1);
    assert_eq!(tree.events("left_out")[0]["path"], "out");
    assert!(tree.stderr().contains("left out by the server: out: a link out"), "{}", tree.stderr());
    assert!(!bench.path("copy/out").exists() && bench.path("copy/a").exists());
}

#[test]
fn a_service_that_the_peer_does_not_have_is_named_as_such() {
    let bench = Bench::new();
    bench.write("a", 10, 1);
    let server = bench.serve(&["a", "--public", "--bind", "127.0.0.1:0"]);
    let target = format!("{}@{}", server.eid, server.address);
    let ended = Ended(bench.tng("client.key", &["connect", &target]).output().expect("it runs")).expect(7);
    assert!(ended.stderr().contains("no such service"), "{}", ended.stderr());

    let other = bench.start(&["forward", "--serve", "--to", "localhost:9", "--bind", "127.0.0.1:0"]);
    let ended = bench.get(&["-o", "x", &format!("{}/a", other.ticket)]).expect(7);
    assert!(ended.stderr().contains("no such service"), "{}", ended.stderr());
}

#[test]
fn a_ticket_that_is_cut_off_is_told_before_anything_is_tried() {
    let bench = Bench::new();
    bench.write("a", 10, 1);
    let server = bench.serve(&["a", "--bind", "127.0.0.1:0"]);
    let cut = &server.url[..server.url.len() - 5];
    let ended = bench.get(&["-o", "x", cut]).expect(2);
    assert!(ended.stderr().contains("cut off"), "{}", ended.stderr());
}

/// What comes back from a server to a scanner: packets of no channel, of a mode that is not served, and a first message
/// for nobody.
fn scanned(address: &str, patience: Duration) -> usize {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_read_timeout(Some(patience)).expect("it can wait");
    let init = [&[1, 0, 1][..], &[7; 1_197]].concat();
    let probes = [vec![0x55; 60], vec![0xa5; 60], init];
    probes
        .iter()
        .filter(|probe| {
            socket.send_to(probe, address).expect("sent");
            socket.recv(&mut [0; 1_500]).is_ok()
        })
        .count()
}

#[test]
fn a_silent_server_is_found_by_who_has_its_ticket_and_by_nobody_else() {
    let bench = Bench::new();
    bench.write("a", 10, 1);
    let silent = bench.serve(&["a", "--silent", "--bind", "127.0.0.1:0"]);
    assert_eq!(scanned(&silent.address, Duration::from_millis(500)), 0);
    bench.get(&["-o", "b", &silent.url]).expect(0);
    let other = bench.serve(&["a", "--bind", "127.0.0.1:0"]);
    assert_eq!(scanned(&other.address, PATIENCE), 3, "control: others tell that they are there");
}

#[test]
fn a_server_that_could_serve_nobody_does_not_start_and_one_with_the_least_of_everything_serves() {
    let bench = Bench::new();
    bench.write("a", 3_000_000, 1);
    for (option, value) in [("--memory", "0"), ("--memory", "999k"), ("--hash-rate", "0"), ("--hash-rate", "1k")] {
        let said = Ended(bench.tng("server.key", &["serve", "a", option, value]).output().expect("it runs"));
        let said = said.expect(2).stderr();
        assert!(said.contains("at least 1.0 MB: with less") && said.contains(option), "{said}");
    }
    let least = ["--memory", "1M", "--hash-rate", "1M"];
    let server = bench.serve(&[&["a", "--public", "--bind", "127.0.0.1:0"][..], &least].concat());
    let whole = std::fs::read(bench.path("a")).expect("there");
    std::fs::write(bench.draft("copy"), &whole[..2_000_000]).expect("written");
    let ended = bench.get(&["-o", "copy", &server.url]).expect(0);
    assert_eq!(ended.events("file")[0]["outcome"], "resumed");
    assert!(std::fs::read(bench.path("copy")).expect("there") == whole);
}
