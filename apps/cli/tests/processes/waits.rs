//! Waits of more than a second are said, and told to programs.

use std::fs::{self, File};

use crate::bench::{Bench, wait};

/// Larger than can be fetched while the test lasts.
const ENDLESS: u64 = 40_000_000_000;
/// So much has arrived when the server stands still.
const MIDDLE: u64 = 8_000_000;

/// Runs `tng get` on a server that stands still from the middle of the transfer on, or from before, until these words
/// are said, and until it goes on.
fn says(words: &str, early: bool, json: bool) {
    let bench = Bench::new();
    let big = File::create(bench.path("big")).expect("made");
    big.set_len(ENDLESS).expect("it takes no room");
    let server = bench.serve(&["big", "--bind", "127.0.0.1:0"]);
    if early {
        server.signal("STOP");
    }
    let said = bench.path("said");
    let talk = || File::create(&said).expect("made");
    let mut command = bench.tng("client.key", &["get", "-o", "copy", &server.url]);
    match json {
        true => command.arg("--json").stdout(talk()).stderr(std::process::Stdio::null()),
        false => command.stdout(std::process::Stdio::null()).stderr(talk()),
    };
    let mut client = command.spawn().expect("it runs");
    let told = || fs::read_to_string(&said).expect("there");
    // What was said before: a busy machine may have let it wait.
    let mut before = 0;
    if !early {
        let arrived = || fs::metadata(bench.draft("copy")).map_or(0, |part| part.len());
        wait("a while in which nothing is waited for", || {
            let (from, waits) = (arrived(), told().matches("waiting").count());
            bench.wait_for_draft("copy", from + MIDDLE);
            told().matches("waiting").count() == waits
        });
        server.signal("STOP");
        before = told().len();
    }
    let says = |words: &str| told().get(before..).is_some_and(|text| text.contains(words));
    wait(words, || says(words));
    server.signal("CONT");
    let end = if json { r#""event":"waited","lasted_ms":"# } else { "going on after" };
    wait(end, || says(end));
    client.kill().expect("it runs");
    client.wait().expect("it has ended");
}

#[test]
fn a_download_from_a_server_that_stands_still_says_that_it_waits_and_that_it_goes_on() {
    says("waiting: no byte of the files has moved for a second", false, false);
    says(r#""event":"waiting","for":"bytes""#, false, true);
}

#[test]
fn who_asks_a_server_that_stands_still_says_that_there_is_no_answer() {
    says("waiting: no answer from the peer yet, asked", true, false);
}
