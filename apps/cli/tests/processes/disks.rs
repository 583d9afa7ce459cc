//! Disks that are full.

use std::process::Command;

use crate::bench::{Bench, Ended, same};

/// Runs a shell script in the bench's folder; `$TNG` is the tool.
fn shell(bench: &Bench, wrapper: &[&str], script: &str, args: &[&str]) -> Ended {
    let (program, rest) = wrapper.split_first().expect("a program");
    let mut command = Command::new(program);
    command.args(rest).args(["-c", script, "sh"]).args(args).current_dir(bench.path("."));
    command.env("TNG", env!("CARGO_BIN_EXE_tng")).env("TNG_KEY", bench.path("client.key"));
    Ended(command.output().expect("it runs"))
}

#[test]
fn a_file_that_may_not_grow_further_ends_with_23_and_leaves_a_part() {
    let bench = Bench::new();
    let file = bench.write("big", 8_000_000, 1);
    let server = bench.serve(&["big", "--bind", "127.0.0.1:0"]);
    let limited = "trap '' XFSZ; ulimit -f 4000; exec $TNG get -o copy \"$1\"";
    let ended = shell(&bench, &["bash"], limited, &[&server.url]).expect(23);
    assert!(ended.stderr().contains("writing copy"), "{}", ended.stderr());
    assert!(!bench.path("copy").exists() && bench.draft("copy").exists());
    let again = bench.get(&["-o", "copy", &server.url]).expect(0);
    assert_eq!(again.events("file")[0]["outcome"], "resumed");
    assert!(same(&file, &bench.path("copy")));
}

#[test]
fn a_full_disk_ends_with_23_and_with_more_room_the_same_command_goes_on() {
    let own_mounts = ["unshare", "--map-root-user", "--mount", "--propagation", "private"];
    let probe =
        Command::new(own_mounts[0]).args(&own_mounts[1..]).args(["mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        println!("skipped: this machine does not let the test mount a small file system of its own");
        return;
    }
    let bench = Bench::new();
    bench.write("big", 8_000_000, 1);
    let server = bench.serve(&["big", "--bind", "127.0.0.1:0"]);
    let script = r#"
        mkdir small && mount -t tmpfs -o size=4m none small || exit 100
        $TNG get -o small/copy "$1"; first=$?
        [ ! -e small/copy ] && [ -s small/.tng-*.part ] || exit 101
        mount -o remount,size=20m small || exit 102
        $TNG get --json -o small/copy "$1" || exit 103
        cmp big small/copy || exit 104
        exit $first
    "#;
    let ended = shell(&bench, &[&own_mounts[..], &["sh"]].concat(), script, &[&server.url]).expect(23);
    assert!(ended.stderr().contains("no space left on device"), "{}", ended.stderr());
    assert!(ended.stderr().contains("make room"), "{}", ended.stderr());
    assert_eq!(ended.events("file")[0]["outcome"], "resumed");
}

#[test]
fn a_server_whose_file_may_not_grow_further_says_so_and_keeps_the_part() {
    let bench = Bench::new();
    let file = bench.write("big", 8_000_000, 1);
    std::fs::create_dir(bench.path("inbox")).expect("made");
    let script = r#"
        (trap '' XFSZ; ulimit -f 4000
            TNG_KEY=server.key exec $TNG serve inbox --writable --bind 127.0.0.1:0 --json > said 2>&1) &
        server=$!
        trap 'kill $server' EXIT
        while ! grep -qs '"url"' said; do sleep 0.02; done
        url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' said)
        $TNG put big "$url"; first=$?
        kill $server; wait $server
        TNG_KEY=server.key $TNG serve inbox --writable --bind 127.0.0.1:0 --json > again 2>&1 &
        server=$!
        while ! grep -qs '"url"' again; do sleep 0.02; done
        url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' again)
        $TNG put --json big "$url" || exit 103
        exit $first
    "#;
    let ended = shell(&bench, &["bash"], script, &[]).expect(70);
    assert!(ended.stderr().contains("no room: file too large"), "{}", ended.stderr());
    assert_eq!(ended.events("file")[0]["outcome"], "resumed");
    assert!(same(&file, &bench.path("inbox/big")));
}
