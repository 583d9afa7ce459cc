//! Large files that both ends have in different versions: what differs crosses the network, and nothing else.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::bench::{Bench, Ended, same};

const LEN: usize = 20_000_000;

/// Sets the time to so many days after 1970, and the mode.
fn stamp(path: &Path, days: u64, mode: u32) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(days * 86_400) + Duration::from_nanos(5);
    fs::File::open(path).and_then(|file| file.set_modified(time)).expect("changed");
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("changed");
}

fn count(ended: &Ended, event: &str, field: &str) -> u64 {
    ended.events(event)[0][field].as_u64().expect("a count")
}

/// What came is what was there, with its mode and time, and little of it moved.
fn arrived(ended: &Ended, from: &Path, to: &Path) {
    assert!(same(from, to));
    let of = |path: &Path| {
        let found = fs::metadata(path).expect("there");
        (found.mode() & 0o777, found.mtime(), found.mtime_nsec())
    };
    assert_eq!(of(from), of(to));
    let (moved, copied) = (count(ended, "done", "moved"), count(ended, "file", "copied"));
    println!("{moved} bytes of {LEN} moved, in {} s", ended.events("done")[0]["seconds"]);
    assert!(moved < LEN as u64 / 20, "{moved}");
    assert_eq!(moved + copied, fs::metadata(from).expect("there").len());
    assert!(ended.stderr().contains("taken from what was"), "{}", ended.stderr());
}

#[test]
fn a_large_file_with_a_small_change_moves_the_change_both_ways() {
    let bench = Bench::new();
    let first = fs::read(bench.write("tree/big", LEN, 1)).expect("there");
    fs::create_dir(bench.path("inbox")).expect("made");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let taker = bench.serve(&["inbox", "--writable", "--replace", "--bind", "127.0.0.1:0"]);
    let (from, here, there) = (bench.path("tree/big"), bench.path("big"), bench.path("inbox/big"));
    let mut changed = first.clone();
    changed[LEN / 2..LEN / 2 + 1_000].fill(7);
    let inserted = [b"ten bytes.", &first[..]].concat();
    for (days, new) in [(200, changed), (300, inserted)] {
        for old in [&here, &there] {
            fs::write(old, &first).expect("written");
            stamp(old, 100, 0o644);
        }
        fs::write(&from, &new).expect("written");
        stamp(&from, days, 0o640);
        arrived(&bench.get(&["--update", "-o", "big", &server.url_of("big")]).expect(0), &from, &here);
        arrived(&bench.put(&["--update", "tree/big", &taker.url]).expect(0), &from, &there);
    }
    // Control: of what is not to be replaced nothing is taken, and a new place gets all of it.
    let whole = bench.get(&["-o", "other", &server.url_of("big")]).expect(0);
    assert_eq!((count(&whole, "file", "copied"), count(&whole, "file", "moved")), (0, LEN as u64 + 10));
}

#[test]
fn a_change_that_is_killed_in_the_middle_goes_on_where_it_was_both_ways() {
    const FRESH: u64 = 6_000_000;
    let bench = Bench::new();
    let old = fs::read(bench.write("big", LEN, 1)).expect("there");
    let fresh = fs::read(bench.write("fresh", FRESH as usize, 2)).expect("there");
    let (front, back) = old.split_at(LEN / 2);
    fs::create_dir_all(bench.path("tree")).expect("made");
    fs::create_dir_all(bench.path("inbox")).expect("made");
    let (from, there) = (bench.path("tree/big"), bench.path("inbox/big"));
    fs::write(&from, [front, &fresh, back].concat()).expect("written");
    fs::write(&there, &old).expect("written");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let taker = bench.serve(&["inbox", "--writable", "--replace", "--bind", "127.0.0.1:0"]);
    let upto = LEN as u64 / 2 + FRESH / 3;
    let went_on = |ended: &Ended| {
        assert_eq!(ended.events("file")[0]["outcome"], "resumed");
        let (moved, copied) = (count(ended, "file", "moved"), count(ended, "file", "copied"));
        assert!(moved <= FRESH * 2 / 3 + (1 << 20) && copied >= LEN as u64 / 2 - (1 << 20), "{moved} and {copied}");
    };
    let slow = ["--replace", "--limit-rate", "2M"];

    let get = bench.tng("client.key", &[&["get", "-q", "-o", "big"], &slow[..], &[&server.url_of("big")]].concat());
    killed(get, || bench.wait_for_draft("big", upto));
    went_on(&bench.get(&["--replace", "-o", "big", &server.url_of("big")]).expect(0));
    assert!(same(&from, &bench.path("big")));

    let put = bench.tng("client.key", &[&["put", "-q"], &slow[..], &["tree/big", &taker.url]].concat());
    killed(put, || drop(bench.wait_for_upload("inbox", upto)));
    went_on(&bench.put(&["--replace", "tree/big", &taker.url]).expect(0));
    assert!(same(&from, &there));
}

fn killed(mut command: std::process::Command, wait: impl FnOnce()) {
    let mut child = command.spawn().expect("it runs");
    wait();
    child.kill().expect("it runs");
    child.wait().expect("it has ended");
}
