//! `tng put`, to `tng serve --writable`.

use std::fs;
use std::process::Stdio;

use crate::bench::{Bench, Ended, same};

const SIZE: usize = 120_000_000;
/// So much has arrived when somebody pulls the plug.
const MIDDLE: u64 = 5_000_000;

fn inbox(bench: &Bench, args: &[&str]) -> crate::bench::Serving {
    fs::create_dir_all(bench.path("inbox")).expect("made");
    bench.serve(&[&["inbox", "--writable", "--bind", "127.0.0.1:0"], args].concat())
}

#[test]
fn a_tree_is_brought_whole_and_again_it_is_only_compared() {
    let bench = Bench::new();
    let files: Vec<String> = (0..60).map(|i| format!("tree/{}/file {i}", i % 7)).collect();
    for (i, file) in files.iter().enumerate() {
        bench.write(file, i * i * 900, i as u64);
    }
    fs::create_dir_all(bench.path("tree/empty/one")).expect("made");
    let server = inbox(&bench, &[]);
    let first = bench.put(&["-r", "tree", &server.url_of("new")]).expect(0);
    assert_eq!(first.events("file").len(), 60);
    for file in &files {
        assert!(same(&bench.path(file), &bench.path(&format!("inbox/new/{file}"))), "{file}");
    }
    assert!(bench.path("inbox/new/tree/empty/one").is_dir());
    let again = bench.put(&["-r", "tree", &server.url_of("new")]).expect(0);
    assert!(again.events("file").iter().all(|event| event["outcome"] == "unchanged"));
}

#[test]
fn a_client_that_is_killed_in_the_middle_resumes_where_it_was() {
    let bench = Bench::new();
    let file = bench.write("big", SIZE, 1);
    let server = inbox(&bench, &[]);
    let mut client = bench.tng("client.key", &["put", "-q", "big", &server.url]).spawn().expect("it runs");
    let part = bench.wait_for_upload("inbox", MIDDLE);
    client.kill().expect("it runs");
    client.wait().expect("it has ended");
    assert!(!bench.path("inbox/big").exists() && part.exists(), "nothing half stands in its place");
    // The server has not heard of the end, and holds on to what it waits for; the same peer may take it over.
    let again = bench.put(&["big", &server.url]).expect(0);
    assert_eq!(again.events("file")[0]["outcome"], "resumed");
    let moved = again.events("file")[0]["moved"].as_u64().expect("a count");
    assert!(moved <= SIZE as u64 - MIDDLE, "{moved} bytes moved again");
    assert!(same(&file, &bench.path("inbox/big")));
    assert!(!part.exists());
}

#[test]
fn a_server_that_is_killed_and_comes_back_does_not_end_the_upload() {
    let bench = Bench::new();
    let file = bench.write("big", SIZE, 2);
    let server = inbox(&bench, &[]);
    let mut command = bench.tng("client.key", &["put", "big", "--json", &server.url]);
    let client = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    bench.wait_for_upload("inbox", MIDDLE);
    let address = server.address.clone();
    server.kill();
    let _server = bench.serve(&["inbox", "--writable", "--bind", &address]);
    let ended = Ended(client.wait_with_output().expect("it ends")).expect(0);
    assert_eq!(ended.events("reconnecting").len(), 1, "{}", ended.stderr());
    assert_eq!(ended.events("file")[0]["outcome"], "resumed");
    assert!(same(&file, &bench.path("inbox/big")));
}

#[test]
fn without_leave_nothing_is_written_and_nothing_is_replaced() {
    let bench = Bench::new();
    bench.write("a", 100_000, 1);
    let there = bench.write("inbox/a", 100_000, 2);
    let before = fs::read(&there).expect("there");
    let closed = bench.serve(&["inbox", "--bind", "127.0.0.1:0"]);
    let refused = bench.put(&["--name", "b", "a", &closed.url]).expect(9);
    assert!(refused.stderr().contains("--writable"), "{}", refused.stderr());
    assert_eq!(refused.events("error")[0]["exit"], 9);
    let open = inbox(&bench, &[]);
    bench.put(&["a", &open.url]).expect(73);
    bench.put(&["--replace", "a", &open.url]).expect(9);
    assert_eq!(
        (fs::read(&there).expect("there"), fs::read_dir(bench.path("inbox")).expect("there").count()),
        (before, 1)
    );
    let generous = inbox(&bench, &["--replace"]);
    bench.put(&["--replace", "a", &generous.url]).expect(0);
    assert!(same(&bench.path("a"), &there));
    bench.put(&["--name", "../b", "a", &open.url]).expect(2);
    bench.put(&["gone", &open.url]).expect(26);
    assert!(!bench.path("b").exists());
}

#[test]
fn a_server_that_has_no_room_left_says_so_and_the_others_still_arrive() {
    let bench = Bench::new();
    bench.write("big", 5_000_000, 1);
    bench.write("small", 10_000, 2);
    let server = inbox(&bench, &["--quota", "1M"]);
    let ended = bench.put(&["small", "big", &server.url]).expect(70);
    assert_eq!(ended.events("file").len(), 1);
    assert!(bench.path("inbox/small").exists() && !bench.path("inbox/big").exists());
}
