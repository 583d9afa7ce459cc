//! `tng trickles get --guest`: clients of servers that keep nothing, as guests.

use std::fs;

use serde_json::Value;
use tng_services::watermark::battery::Sample;

use crate::bench::{Bench, Ended, same};

/// Fetches by a guest to a file.
fn get(bench: &Bench, guest: &str, url: &str, to: &str) -> Ended {
    let args = ["trickles", "get", "--json", "--guest", guest, "-o", to, url];
    Ended(bench.tng("client.key", &args).output().expect("it runs"))
}

fn stp(bench: &Bench, args: &[&str]) -> Ended {
    Ended(bench.tng("client.key", &[&["stp"], args, &["--json"]].concat()).output().expect("it runs"))
}

fn number(of: &Value, name: &str) -> u64 {
    of[name].as_u64().unwrap_or_else(|| panic!("{name} in {of}"))
}

/// The module of a guest that is built in.
fn module(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../transports/stp/guests/modules");
    fs::read(format!("{folder}/{name}.wasm")).expect("it is there")
}

#[test]
fn a_file_comes_by_each_guest_that_downloads_and_what_it_used_is_told() {
    let bench = Bench::new();
    let whole = bench.write("films/a b.mkv", 1_000_000, 1);
    let server = bench.start(&["trickles", "serve", "films", "--public", "--bind", "127.0.0.1:0"]);
    let url = server.url_of("a%20b.mkv");
    let hash = tng_crypto::code_hash(&module("trickles")).to_string();
    for (guest, name) in [("trickles", "trickles"), ("http", "http"), (&hash[..], "trickles")] {
        let got = get(&bench, guest, &url, "got").expect(0);
        assert!(same(&whole, &bench.path("got")), "{guest}");
        let told = &got.events("fetched")[0];
        println!("{told}");
        assert_eq!((&told["guest"], number(told, "bytes")), (&name.into(), 1_000_000));
        assert_eq!(told["hash"], tng_crypto::code_hash(&module(name)).to_string());
        let (sent, received) = (number(told, "sent"), number(told, "received"));
        assert!(received > 500 && sent <= received + 64, "it asks for no more than comes: {told}");
        assert!(number(told, "fuel") > 1_000_000 && number(told, "time_us") > 1_000, "{told}");
        // The module's memory, and buffers at its host.
        assert!((200_000..(16 << 20) + (1 << 20)).contains(&number(told, "memory_most")), "{told}");
        fs::remove_file(bench.path("got")).expect("there");
        let args = ["trickles", "get", "--guest", guest, "-o", "-", &url];
        let piped = Ended(bench.tng("client.key", &args).output().expect("it runs")).expect(0);
        assert!(piped.0.stdout == fs::read(&whole).expect("there"), "{guest}: {} bytes", piped.0.stdout.len());
    }
    server.stop("INT");
}

#[test]
fn a_marked_image_is_joined_by_a_guest_and_is_the_one_that_the_server_would_have_made() {
    let bench = Bench::new();
    fs::create_dir(bench.path("photos")).expect("made");
    let file = Sample { width: 900, height: 700, is_optimised: true, ..Sample::default() }.draw(1);
    fs::write(bench.path("photos/a.jpg"), &file).expect("written");
    let args = ["trickles", "watermark", "name", "alice", "--marks", "marks", "--json"];
    let named = Ended(bench.tng("client.key", &args).output().expect("it runs")).expect(0);
    let folder = named.events("named")[0]["folder"].as_str().expect("a name").to_owned();
    let args = ["trickles", "watermark", "serve", "photos", "--marks", "marks", "--bind", "127.0.0.1:0"];
    let server = bench.start(&args);
    let url = format!("tng://{}/{folder}/a.jpg", server.ticket);
    let whole = Ended(bench.tng("client.key", &["trickles", "get", "-o", "whole", &url]).output().expect("it runs"));
    whole.expect(0);
    for guest in ["watermark", "trickles"] {
        let got = get(&bench, guest, &url, "got").expect(0);
        println!("{}", got.events("fetched")[0]);
        assert!(same(&bench.path("whole"), &bench.path("got")), "{guest}");
    }
    assert_ne!(fs::read(bench.path("got")).expect("there"), file, "it has a mark");
    server.stop("INT");
}

#[test]
fn code_of_the_store_downloads_where_the_policy_lets_it_and_nowhere_else() {
    let bench = Bench::new();
    let whole = bench.write("films/a", 100_000, 1);
    let server = bench.start(&["trickles", "serve", "films", "--public", "--bind", "127.0.0.1:0"]);
    let url = server.url_of("a");
    // The same with a note at its end is other code.
    let mine = [&module("trickles")[..], &[0, 5, 4, b'n', b'o', b't', b'e']].concat();
    fs::write(bench.path("mine.wasm"), &mine).expect("written");
    let hash = tng_crypto::code_hash(&mine).to_string();
    let said = get(&bench, &hash, &url, "got").expect(2).stderr();
    assert!(said.contains("tng stp install"), "{said}");
    stp(&bench, &["install", "mine.wasm"]).expect(0);
    let said = get(&bench, &hash, &url, "got").expect(9).stderr();
    assert!(said.contains("may not run with this server, by"), "{said}");
    assert!(!bench.path("got").exists());
    stp(&bench, &["pin", &hash]).expect(0);
    let got = get(&bench, &hash[..12], &url, "got").expect(0);
    assert_eq!(got.events("fetched")[0]["hash"], hash);
    assert!(same(&whole, &bench.path("got")));
    server.stop("INT");
}

#[test]
fn what_a_guest_does_not_bring_is_told_with_what_it_says_and_leaves_nothing_behind() {
    let bench = Bench::new();
    bench.write("films/a", 1_000, 1);
    let server = bench.start(&["trickles", "serve", "films", "--public", "--bind", "127.0.0.1:0"]);
    let url = server.url_of("a");
    for (guest, url, exit, words) in [
        ("trickles", server.url_of("none"), 56, "not found"),
        // There is no image of that protocol.
        ("watermark", url.clone(), 56, "the guest says"),
        // It has no channel here, and no server's word for it.
        ("newreno", url.clone(), 56, "no code for servers without state"),
        ("none", url.clone(), 2, "tng stp list"),
    ] {
        let said = get(&bench, guest, &url, "got").expect(exit).stderr();
        assert!(said.contains(words), "{guest}: {said}");
        assert!(!bench.path("got").exists(), "{guest}");
    }
    for (more, words) in [
        (&["-r"][..], "it fetches one file"),
        (&["--pick", "spray"], "cannot be used with"),
        (&["--transport", "sack"], "unexpected argument '--transport'"),
        (&[&url[..]], "it fetches one file"),
    ] {
        let args = [&["trickles", "get", "--guest", "trickles", &url][..], more].concat();
        let said = Ended(bench.tng("client.key", &args).output().expect("it runs")).expect(2).stderr();
        assert!(said.contains(words), "{more:?}: {said}");
    }
    server.stop("INT");
}
