//! `tng trickles gateway` as a daemon: its file, its figures, its log, its end; and the units of all daemons.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::bench::{Bench, Ended, Serving, free_port, wait};

fn run(bench: &Bench, args: &[&str]) -> Ended {
    Ended(bench.tng("unused", args).output().expect("it runs"))
}

/// Starts a gateway, and waits until it listens. Answers where.
fn start(bench: &Bench, args: &[&str]) -> (Serving, SocketAddr) {
    let mut serving = bench.run(bench.tng("client.key", &[&["trickles", "gateway", "--json"], args].concat()));
    let mut said = serving.said.clone();
    while said["event"] != "listening" {
        said = serving.next_event();
    }
    let at = said["address"].as_str().and_then(|at| at.parse().ok()).expect("an address");
    serving.said = said;
    (serving, at)
}

fn ask(at: SocketAddr, path: &str) -> String {
    let mut tcp = TcpStream::connect(at).expect("it listens");
    write!(tcp, "GET {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n").expect("asked");
    let mut answer = Vec::new();
    tcp.read_to_end(&mut answer).expect("answered");
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(bench: &Bench, by: &[&str]) -> Value {
    let answer = run(bench, &[&["--json", "trickles", "status"], by].concat()).expect(0);
    serde_json::from_slice(&answer.0.stdout).expect("JSON")
}

fn write_config(bench: &Bench, targets: &[&str], more: &str) {
    let targets: Vec<String> = targets.iter().map(|target| format!("{target:?}")).collect();
    let key = bench.path("client.key");
    let (control, log) = (bench.path("gateway.sock"), bench.path("log"));
    let targets = targets.join(", ");
    let text = [
        format!("[gateway]\ntargets = [{targets}]\nlisten = '127.0.0.1:0'\nkey = {key:?}\n"),
        format!("control = {control:?}\naccess_log = {log:?}\n{more}"),
    ];
    let text = text.concat();
    fs::write(bench.path("gateway.toml"), text).expect("written");
}

fn serve(bench: &Bench, folder: &str) -> Serving {
    bench.start(&["trickles", "serve", folder, "--public", "--bind", "127.0.0.1:0"])
}

#[test]
fn a_gateway_goes_by_a_file_that_is_checked_shown_and_read_again_while_it_runs() {
    let bench = Bench::new();
    fs::create_dir(bench.path("one")).expect("made");
    fs::create_dir(bench.path("two")).expect("made");
    fs::write(bench.path("one/a"), "of one").expect("written");
    fs::write(bench.path("two/a"), "of two").expect("written");
    let (one, two) = (serve(&bench, "one"), serve(&bench, "two"));
    let ticket = bench.path("ticket");
    fs::write(&ticket, &one.ticket).expect("written");
    let target = format!("@{}", ticket.display());
    write_config(&bench, &[&target], "tcp = ['127.0.0.1:0=/a']\n");
    let config = bench.path("gateway.toml");
    let config = config.to_str().expect("text");
    run(&bench, &["trickles", "check", "--config", config]).expect(0);
    let dumped = run(&bench, &["trickles", "dump", "--config", config]).expect(0);
    let dumped = String::from_utf8_lossy(&dumped.0.stdout).into_owned();
    assert!(dumped.contains("gateway.pick = \"stay\"") && dumped.contains("default"), "{dumped}");
    let (gateway, at) = start(&bench, &["--config", config]);
    assert!(gateway.said["sandbox"]["calls"].as_str().is_some_and(|said| said.contains("refused")), "{}", gateway.said);
    assert!(ask(at, "/a").ends_with("of one"));
    let by = ["--config", config];
    let told = status(&bench, &by);
    assert_eq!((&told["servers"][0]["way"], &told["counts"]["answers"]["2xx"]), (&"trickles".into(), &1.into()));
    assert_eq!((&told["counts"]["bytes"], &told["config"]), (&6.into(), &config.into()), "{told}");
    let pouring: SocketAddr = told["tcp"][0]["address"].as_str().and_then(|at| at.parse().ok()).expect("an address");
    let mut poured = String::new();
    TcpStream::connect(pouring).and_then(|mut tcp| tcp.read_to_string(&mut poured)).expect("poured");
    assert_eq!(poured, "of one");
    let shown = run(&bench, &["trickles", "status", "--config", config]).expect(0);
    assert!(String::from_utf8_lossy(&shown.0.stdout).contains("a gateway at"));

    // Another ticket in the same file, and the log moved away.
    fs::write(&ticket, &two.ticket).expect("written");
    fs::rename(bench.path("log"), bench.path("log.1")).expect("moved");
    run(&bench, &["trickles", "reload", "--config", config]).expect(0);
    assert!(ask(at, "/a").ends_with("of two"));
    // What is bad changes nothing, and is told.
    write_config(&bench, &[&target], "tcp = ['127.0.0.1:0=/b']\n");
    let refused = run(&bench, &["trickles", "reload", "--config", config]).expect(2).stderr();
    assert!(refused.contains("gateway.tcp changes with a restart alone"), "{refused}");
    write_config(&bench, &["@/nowhere/at/all"], "");
    gateway.signal("HUP");
    wait("it to be told", || {
        status(&bench, &["--control", "gateway.sock"])["config_error"]
            .as_str()
            .is_some_and(|why| why.contains("line 2"))
    });
    assert!(ask(at, "/a").ends_with("of two"));
    assert!(ask(at, "/none").starts_with("HTTP/1.1 404"));

    let said = gateway.end("TERM");
    let told = said.last().expect("it tells what it did");
    assert_eq!((&told["event"], &told["counts"]["answers"]["4xx"]), (&"passed_on".into(), &1.into()), "{told}");
    assert!(!bench.path("gateway.sock").exists());
    let (before, after) = (fs::read_to_string(bench.path("log.1")), fs::read_to_string(bench.path("log")));
    let lines = |text: std::io::Result<String>| {
        let text = text.expect("a log");
        text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")).collect::<Vec<_>>()
    };
    let (before, after) = (lines(before), lines(after));
    let (answered, poured) = (&before[0], &before[1]);
    assert_eq!(
        (&answered["method"], &answered["path"], &answered["status"]),
        (&"GET".into(), &"a".into(), &200.into())
    );
    assert_eq!((&poured["event"], &poured["bytes"], &poured["end"]), (&"poured".into(), &6.into(), &"whole".into()));
    assert_eq!((after.len(), &after[2]["status"]), (3, &404.into()), "{after:?}");
}

#[test]
fn a_gateway_of_a_file_starts_before_its_servers_do_and_tells_prometheus_that_none_is_there() {
    let bench = Bench::new();
    fs::create_dir(bench.path("tree")).expect("made");
    fs::write(bench.path("tree/a"), "here").expect("written");
    let server = serve(&bench, "tree");
    let (address, target) = (server.address.clone(), format!("{}@{}", server.eid, server.address));
    server.stop("TERM");
    let port = free_port();
    let http = SocketAddr::from(([127, 0, 0, 1], port));
    write_config(&bench, &[&target], &format!("http = '{http}'\n"));
    let (gateway, at) = start(&bench, &["--config", bench.path("gateway.toml").to_str().expect("text")]);
    assert!(ask(at, "/a").starts_with("HTTP/1.1 504"));
    let metrics = ask(http, "/metrics");
    for line in ["tng_gateway_servers 1", "tng_gateway_servers_lost 1", "tng_gateway_answers_total{status=\"5xx\"} 1"] {
        assert!(metrics.contains(&format!("\n{line}\n")), "{line}: {metrics}");
    }
    assert!(ask(http, "/healthz").starts_with("HTTP/1.1 200"));
    let _server = bench.start(&["trickles", "serve", "tree", "--public", "--bind", &address]);
    wait("it to be found", || ask(at, "/a").ends_with("here"));
    assert!(ask(http, "/metrics").contains("\ntng_gateway_servers_lost 0\n"));
    gateway.stop("TERM");
    // Nobody waits for one that was named on the command line.
    let alone = format!("{}@127.0.0.1:{}", target.split('@').next().expect("an EID"), free_port());
    run(&bench, &["trickles", "gateway", "--listen", "127.0.0.1:0", &alone]).expect(7);
    let taken = run(&bench, &["trickles", "gateway", "--listen", &at.to_string(), "--config", "x", &alone]).expect(2);
    assert!(taken.stderr().contains("cannot be used with"), "{}", taken.stderr());
}

/// What a unit runs, with the program that was built in the place of the one that is installed.
fn unit(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a unit");
    text.replace("/usr/bin/tng", env!("CARGO_BIN_EXE_tng"))
}

#[test]
fn units_run_what_the_tool_understands_and_systemd_finds_no_fault_in_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib");
    let units: Vec<_> = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    assert!(units.len() >= 5, "{units:?}");
    let copies = tempfile::tempdir().expect("a folder");
    for path in &units {
        let text = unit(path);
        fs::write(copies.path().join(path.file_name().expect("a name")), &text).expect("written");
        let Some(command) = text.lines().find_map(|line| line.strip_prefix("ExecStart=")) else { continue };
        // Only what the environment says is not there.
        let spray = "--listen :4860 --to 10.0.0.1:4860";
        let command = command.replace("$SPRAY", spray);
        tng_cli::understands(command.split_whitespace()).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    }
    let Ok(version) = Command::new("systemd-analyze").arg("--version").stdout(Stdio::null()).status() else {
        println!("skipped: there is no systemd-analyze");
        return;
    };
    assert!(version.success());
    for path in units.iter().filter(|path| path.extension().is_some_and(|it| it == "service")) {
        let copy = copies.path().join(path.file_name().expect("a name"));
        let checked =
            Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&copy).output().expect("it runs");
        let said = String::from_utf8_lossy(&checked.stderr);
        // It says of every unit of the host what it thinks.
        let own = said.lines().filter(|line| line.contains("tng-")).collect::<Vec<_>>();
        assert!(own.is_empty(), "{}: {own:?}", path.display());
    }
}
