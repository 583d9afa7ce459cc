//! `tng sim` as a process.

use std::path::Path;
use std::process::{Command, Output};

const SCENARIO: &str = "\
[[node]]
name = 'a'
[[node]]
name = 'b'
[[link]]
between = ['a', 'b']
rate = '10mbit'
delay = '10ms'
loss = '1%'
[[flow]]
name = 'f'
from = 'a'
to = 'b'
[[flow.stream]]
name = 's'
count = 3
bytes = '50kB'
[[flow.datagrams]]
name = 'd'
size = '1kB'
interval = '10ms'
count = 20
";

fn sim(folder: &Path, text: &str, args: &[&str]) -> Output {
    let file = folder.join("scenario.toml");
    std::fs::write(&file, text).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tng"));
    command.args(["sim", "run"]).arg(&file).args(args).current_dir(folder).env_clear().output().expect("the tool runs")
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).expect("UTF-8")
}

fn report(out: &Output) -> serde_json::Value {
    assert!(out.status.success(), "{}", text(&out.stderr));
    let mut event: serde_json::Value = serde_json::from_slice(&out.stdout).expect("one line of JSON");
    event["report"].take()
}

#[test]
fn a_run_tells_of_streams_and_datagrams_in_tables_and_in_json() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = sim(folder.path(), SCENARIO, &[]);
    let tables = text(&out.stdout);
    for words in ["flow  ", "stream  ", "3/3", "datagrams  ", "link  ", "a-b"] {
        assert!(tables.contains(words), "{words} in {tables}");
    }
    let json = report(&sim(folder.path(), SCENARIO, &["--json"]));
    assert_eq!(json["flows"][0]["streams"][0]["bytes"], 150_000);
    assert_eq!(json["flows"][0]["datagrams"][0]["sent"], 20);
    assert_eq!(json, report(&sim(folder.path(), SCENARIO, &["--json"])), "the same again");
    let other = report(&sim(folder.path(), SCENARIO, &["--json", "--seed", "2"]));
    assert_ne!(json["digest"], other["digest"]);
}

#[test]
fn values_of_the_command_line_take_the_place_of_the_file_s() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let json =
        report(&sim(folder.path(), SCENARIO, &["--json", "--set", "flow.f.stream.s.count=5", "--set", "link.loss=0%"]));
    assert_eq!(json["flows"][0]["streams"][0]["bytes"], 250_000);
    assert_eq!(json["links"][0]["forth"]["dropped"], serde_json::json!([]));
    let out = sim(folder.path(), SCENARIO, &["--set", "link.los=1%"]);
    assert_eq!(out.status.code(), Some(2));
    let words = "with link.los=1%: [[link]] has no key \"los\"; did you mean \"loss\"?";
    assert!(text(&out.stderr).contains(words), "{}", text(&out.stderr));
}

#[test]
fn a_page_is_written_beside_the_tables() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = sim(folder.path(), SCENARIO, &["--report", "page.html"]);
    assert!(out.status.success() && text(&out.stderr).contains("page.html"), "{}", text(&out.stderr));
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("written");
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"), "{}", &page[..100]);
    let out = sim(folder.path(), SCENARIO, &["--report", "no/such/folder.html", "--pcapng", "all.pcapng"]);
    assert_eq!((out.status.code(), text(&out.stdout)), (Some(23), ""), "nothing ran");
    assert!(!folder.path().join("all.pcapng").exists() && !folder.path().join("no").exists());
}

#[test]
fn a_scenario_in_which_nothing_flows_is_an_error_with_advice() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for empty in ["", "[[node]]\nname = 'a'\n"] {
        let out = sim(folder.path(), empty, &[]);
        assert_eq!((out.status.code(), text(&out.stdout)), (Some(2), ""));
        assert!(text(&out.stderr).contains("add a [[flow]] with from, to and bytes"), "{}", text(&out.stderr));
    }
}

#[test]
fn a_swarm_of_a_few_worlds_holds_and_is_counted_by_family() {
    let swarm = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tng"));
        command.args(["sim", "swarm"]).args(args).env_clear().output().expect("the tool runs")
    };
    let out = swarm(&["--seeds", "0,1"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stdout).lines().any(|line| line.starts_with("all") && line.contains(" 30 ")), "{out:?}");
    let out = swarm(&["--json", "--family", "moves", "--family", "keys", "--seeds", "7..8", "--jobs", "1"]);
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).expect("one line of JSON");
    let families = json["swarm"]["families"].as_array().expect("a list");
    let runs = families.iter().map(|family| family[1]["runs"].as_u64());
    assert!(runs.eq([Some(2), Some(2)]), "{json}");
    let out = swarm(&["--family", "mooves"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("moves"), "{}", text(&out.stderr));
    let out = swarm(&["--seeds", "1.."]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("\"1..\" lacks an end"), "{}", text(&out.stderr));
}

#[test]
fn a_swarm_in_shards_comes_to_what_one_machine_comes_to() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tng = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tng"));
        command.arg("sim").args(args).current_dir(folder.path()).env_clear().output().expect("the tool runs")
    };
    let swarm = ["swarm", "--seeds", "0..4", "--family", "roads", "--family", "crossed"];
    let one = tng(&swarm);
    assert!(one.status.success(), "{}", text(&one.stderr));
    for shard in ["1/3", "2/3", "3/3"] {
        let out = tng(&[&swarm[..], &["--shard", shard]].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        std::fs::write(folder.path().join(&shard[..1]), out.stdout).expect("written");
    }
    let merged = tng(&["merge", "3", "1", "2"]);
    assert_eq!(text(&merged.stdout), text(&one.stdout));
    assert!(text(&tng(&["merge", "3", "1"]).stderr).contains("shard 2/3 is missing"));
}

#[test]
fn a_trace_of_a_model_is_one_that_links_follow() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let radio = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tng"));
        command.args(["sim", "radio"]).args(args).env_clear().output().expect("the tool runs")
    };
    let out = radio(&["cellular", "--seed", "3", "--duration", "5s"]);
    assert!(out.status.success() && text(&out.stdout).ends_with("\n5000\n"), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("Mbit/s on average"), "{}", text(&out.stderr));
    std::fs::write(folder.path().join("cell.trace"), &out.stdout).expect("written");
    let follows = SCENARIO.replace("rate = '10mbit'", "trace = 'cell.trace'");
    let json = report(&sim(folder.path(), &follows, &["--json"]));
    assert_eq!(json["flows"][0]["streams"][0]["bytes"], 150_000);
    assert!(
        json["links"][0]["forth"]["utilisation"].as_f64().is_some_and(|share| share > 0.0 && share < 1.0),
        "{json}"
    );
    let out = sim(folder.path(), &follows, &["--set", "link.trace=missing"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("missing cannot be read"), "{}", text(&out.stderr));

    let json: serde_json::Value = serde_json::from_slice(&radio(&["wifi", "--json"]).stdout).expect("a line of JSON");
    assert_eq!((&json["event"], &json["length_s"]), (&"radio".into(), &60.0.into()));
    for (args, words) in [
        (&["weather"][..], "cellular, wifi, satellite"),
        (&["wifi", "--duration", "0s"], "from 1ms to 300s"),
        (&["wifi", "--duration", "301s"], "from 1ms to 300s"),
        (&["wifi", "--duration", "soon"], "is not a time"),
    ] {
        let out = radio(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(text(&out.stderr).contains(words), "{args:?}: {}", text(&out.stderr));
    }
}
