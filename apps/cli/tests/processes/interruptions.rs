//! Ends in the middle.

use std::process::{Command, Stdio};

use crate::bench::{Bench, Ended, same, signal};

const SIZE: usize = 120_000_000;
/// So much has arrived when somebody pulls the plug.
const MIDDLE: u64 = 5_000_000;

#[test]
fn a_client_that_is_killed_resumes_where_it_was() {
    let bench = Bench::new();
    let file = bench.write("big", SIZE, 1);
    let server = bench.serve(&["big", "--bind", "127.0.0.1:0"]);
    let mut client = bench.tng("client.key", &["get", "-q", "-o", "copy", &server.url]).spawn().expect("it runs");
    bench.wait_for_draft("copy", MIDDLE);
    client.kill().expect("it runs");
    client.wait().expect("it has ended");
    assert!(!bench.path("copy").exists() && bench.draft("copy").exists(), "nothing half stands in its place");

    let again = bench.get(&["-o", "copy", &server.url]).expect(0);
    let moved = again.events("file")[0]["moved"].as_u64().expect("a count");
    assert_eq!(again.events("file")[0]["outcome"], "resumed");
    assert!(moved <= SIZE as u64 - MIDDLE, "{moved} bytes moved again");
    assert!(same(&file, &bench.path("copy")));
    assert!(!bench.draft("copy").exists());
}

#[test]
fn a_server_that_is_killed_and_comes_back_does_not_end_the_transfer() {
    let bench = Bench::new();
    let file = bench.write("big", SIZE, 2);
    let server = bench.serve(&["big", "--bind", "127.0.0.1:0"]);
    let mut command = bench.tng("client.key", &["get", "--json", "-o", "copy", &server.url]);
    let client = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    bench.wait_for_draft("copy", MIDDLE);
    let address = server.address.clone();
    server.kill();
    let _server = bench.serve(&["big", "--bind", &address]);
    let ended = Ended(client.wait_with_output().expect("it ends")).expect(0);
    assert_eq!(ended.events("reconnecting").len(), 1, "{}", ended.stderr());
    assert_eq!(ended.events("file")[0]["outcome"], "resumed");
    assert!(same(&file, &bench.path("copy")));
}

#[test]
fn a_server_that_is_gone_for_good_is_sought_as_often_as_was_asked_and_that_is_said_once_a_time() {
    let bench = Bench::new();
    bench.write("big", SIZE, 2);
    let server = bench.serve(&["big", "--bind", "127.0.0.1:0"]);
    let mut command = bench.tng("client.key", &["get", "--json", "--retry", "2", "-o", "copy", &server.url]);
    let client = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    bench.wait_for_draft("copy", MIDDLE);
    server.kill();
    let ended = Ended(client.wait_with_output().expect("it ends")).expect(18);
    assert_eq!(ended.events("reconnecting").len(), 2, "{}", ended.stderr());
    assert!(ended.stderr().contains("nobody listens"), "{}", ended.stderr());
    assert!(!ended.stderr().contains("no answer from the peer yet"), "{}", ended.stderr());
}

#[test]
fn a_server_that_says_goodbye_leaves_a_part_and_exit_18() {
    let bench = Bench::new();
    bench.write("big", SIZE, 3);
    let mut server = bench.serve(&["big", "--bind", "127.0.0.1:0"]);
    let mut command = bench.tng("client.key", &["get", "--json", "--retry", "0", "-o", "copy", &server.url]);
    let client = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    bench.wait_for_draft("copy", MIDDLE);
    assert_eq!(server.interrupt(), Some(0));
    let ended = Ended(client.wait_with_output().expect("it ends")).expect(18);
    assert!(ended.stderr().contains("what arrived is kept"), "{}", ended.stderr());
    assert!(!bench.path("copy").exists() && bench.draft("copy").exists());
}

/// A client that a signal ends says farewell, whichever signal: else the server keeps all that it holds for it until
/// the idle timeout.
#[test]
fn a_client_whose_terminal_goes_or_that_is_asked_to_end_says_farewell() {
    let bench = Bench::new();
    bench.write("big", SIZE, 4);
    for (name, says_farewell) in [("HUP", true), ("TERM", true), ("INT", true), ("KILL", false)] {
        let server = bench.serve(&["big", "--bind", "127.0.0.1:0"]);
        let trace = bench.path(&format!("{name}.trace"));
        let mut command = bench.tng("client.key", &["get", "-q", "-o", name, &server.url]);
        let mut client = command.env("TNG_TRACE", &trace).stderr(Stdio::null()).spawn().expect("it runs");
        bench.wait_for_draft(name, MIDDLE);
        signal(&client, name);
        client.wait().expect("it has ended");
        let mut traces = std::fs::read_dir(&trace).expect("a folder").map_while(Result::ok);
        let closing = |entry: std::fs::DirEntry| {
            std::fs::read_to_string(entry.path()).is_ok_and(|text| text.contains("\"closing\""))
        };
        assert_eq!(traces.any(closing), says_farewell, "after {name}");
    }
}

#[test]
fn a_server_ends_with_its_terminal_unless_it_was_started_to_outlive_that() {
    let bench = Bench::new();
    bench.write("file", 100, 5);
    let serve = bench.tng("server.key", &["serve", "file", "--bind", "127.0.0.1:0", "--json"]);
    let serve_by = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).arg(serve.get_program()).args(serve.get_args());
        command.current_dir(bench.path("")).env_clear().stdin(Stdio::null());
        command.envs(serve.get_envs().filter_map(|(name, value)| Some((name, value?))));
        bench.run(command)
    };
    // These tests may have been started to outlive their terminal themselves.
    serve_by("/usr/bin/env", &["--default-signal=HUP"]).stop("HUP");
    let mut registry = Command::new("/usr/bin/env");
    let run = bench.tng("server.key", &["registry", "run", "--bind", "127.0.0.1:0", "--json", "--no-sandbox"]);
    registry.arg("--default-signal=HUP").arg(run.get_program()).args(run.get_args());
    registry.current_dir(bench.path("")).env_clear().stdin(Stdio::null());
    registry.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    bench.run(registry).stop("HUP");
    // As `nohup` does.
    let server = serve_by("/bin/sh", &["-c", "trap '' HUP; exec \"$0\" \"$@\""]);
    server.signal("HUP");
    bench.get(&["--retry", "0", "-o", "copy", &server.url]).expect(0);
    server.stop("TERM");
}
