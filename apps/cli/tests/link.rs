//! `tng link` as a process: what needs no root always, networks that stand where they may. Where not, tests say so and
//! check nothing; with `TNG_NEED_LINK` set they fail instead.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tng_emulator::plan::plain_name;
use tng_emulator::run_dir::ProcessId;
use tng_emulator::{Namespace, RunDir, Standing, hindrance};

const TOPOLOGY: &str = "\
[[node]]
name = 'first host'
[[node]]
name = 'r'
kind = 'router'
[[node]]
name = 'b'
[[link]]
between = ['first host', 'r']
netem = 'delay 1ms rate 100mbit'
[[link]]
between = ['r', 'b']
loss = '0%'
";

fn link(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tng"));
    command.arg("link").args(args).current_dir(folder).output().expect("the tool runs")
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).expect("UTF-8")
}

/// It failed with this code, and said all of this.
fn fails(out: &Output, code: i32, words: &[&str]) {
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(code), "{said}");
    for words in words {
        assert!(said.contains(words), "{words:?} is not in {said}");
    }
}

fn done(out: &Output) -> &str {
    assert!(out.status.success(), "{}", text(&out.stderr));
    text(&out.stdout)
}

/// A network of a test, gone in the end whatever happens.
struct Lab {
    folder: tempfile::TempDir,
    name: String,
}

impl Lab {
    fn new(name: &str) -> Option<Lab> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("t.toml"), TOPOLOGY).expect("written");
        match hindrance() {
            Ok(()) => Some(Lab { folder, name: format!("{name}{}", std::process::id()) }),
            Err(why) => {
                assert!(std::env::var_os("TNG_NEED_LINK").is_none(), "there are no networks: {why}");
                eprintln!("skipped: {why}");
                None
            }
        }
    }

    fn link(&self, action: &str, args: &[&str]) -> Output {
        link(self.folder.path(), &[&[action, "--name", &self.name], args].concat())
    }

    fn namespaces(&self) -> Vec<bool> {
        ["first-host", "r", "b"].iter().map(|node| Namespace::exists(&format!("{}-{node}", self.name))).collect()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.link("down", &["--kill"]);
    }
}

#[test]
fn what_makes_no_sense_is_said_before_anything_is_made() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |text: &str| std::fs::write(folder.path().join("t.toml"), text).expect("written");
    write(&TOPOLOGY.replace("delay 1ms", "dealy 1ms"));
    fails(&link(folder.path(), &["up", "t.toml"]), 2, &["line 10", "netem", "did you mean \"delay\"?"]);
    write("[[node]]\nname = 'a'\n");
    fails(&link(folder.path(), &["up", "t.toml"]), 2, &["no link", "add a [[link]]"]);
    fails(&link(folder.path(), &["change", "a-b", "los", "1%"]), 2, &["did you mean \"loss\"?"]);
    let helper = "[[node]]\nname = 'h'\nkind = 'helper'\n[[link]]\nbetween = ['h', 'r']\n";
    write(&format!("{TOPOLOGY}{helper}[[flow]]\nfrom = 'b'\nto = 'first host'\nbytes = 1000\n"));
    let helped = link(folder.path(), &["run", "t.toml"]);
    fails(&helped, 2, &["\"h\" is a helper", "tng link up", "tng sim run"]);
    assert!(!text(&helped.stderr).contains("seed"), "nothing is begun before: {}", text(&helped.stderr));
    fails(&link(folder.path(), &["change", "a-b", "loss 1% 25%"]), 2, &["correlation", "gemodel"]);
}

#[test]
fn programs_run_on_the_nodes_of_a_network_and_end_as_they_end() {
    let Some(lab) = Lab::new("ends") else { return };
    done(&lab.link("up", &["t.toml"]));
    assert_eq!(lab.namespaces(), [true; 3]);
    let sh = |node: &str, script: &str| lab.link("exec", &[node, "--", "sh", "-c", script]);
    assert_eq!(done(&sh("b", "echo $TNG_NODE; grep first-host /etc/hosts | head -n 1")), "b\n10.0.0.1 first-host\n");
    assert_eq!(sh("first host", "exit 7").status.code(), Some(7));
    assert_eq!(sh("b", "kill -9 $$").status.signal(), Some(9));
    fails(&lab.link("exec", &["b", "--", "no-such-program"]), 127, &["running no-such-program on b"]);
    fails(&lab.link("exec", &["first hots", "--", "true"]), 2, &["no node", "try: \"first host\""]);
    fails(&lab.link("change", &["r-c", "loss", "1%"]), 2, &["no link \"r-c\"", "try: \"r-b\""]);
    fails(&lab.link("up", &["t.toml"]), 73, &["stands already", "tng link down"]);
    done(&lab.link("change", &["--forth", "r-b", "loss 100%"]));
    let status: serde_json::Value = serde_json::from_str(done(&lab.link("status", &["--json"]))).expect("JSON");
    assert_eq!((&status["links"][1]["forth"]["loss"], &status["links"][1]["back"]["loss"]), (&1.0.into(), &0.0.into()));
    done(&lab.link("down", &[]));
    assert_eq!(lab.namespaces(), [false; 3]);
    fails(&lab.link("down", &[]), 2, &["no network"]);
}

#[test]
fn what_a_crash_has_left_is_found_and_taken_away_and_nothing_else() {
    let Some(lab) = Lab::new("left") else { return };
    // Looks like ours, and is not.
    let other = format!("{}-other", lab.name);
    let ip = |args: &[&str]| assert!(Command::new("ip").args(args).status().expect("ip runs").success());
    ip(&["netns", "add", &other]);
    done(&lab.link("up", &["t.toml"]));
    let dir = RunDir::of(&lab.name).expect("a name");
    let Ok(Standing::Up(state)) = dir.standing() else { panic!("it stands") };
    let process = state.process.expect("a process");
    process.end(true);
    while process.runs() {
        std::thread::yield_now();
    }
    fails(&lab.link("up", &["t.toml"]), 26, &["only leftovers", "tng link down --name"]);
    fails(&lab.link("status", &[]), 26, &["only leftovers"]);
    assert_eq!(lab.namespaces(), [true; 3]);
    done(&lab.link("down", &[]));
    assert_eq!(lab.namespaces(), [false; 3]);
    assert!(Namespace::exists(&other));
    ip(&["netns", "delete", &other]);
    // What is there already is not taken over, and not taken away.
    let taken = format!("{}-r", lab.name);
    ip(&["netns", "add", &taken]);
    fails(&lab.link("up", &["t.toml"]), 73, &["already", &taken]);
    fails(&lab.link("down", &[]), 2, &["no network"]);
    assert!(Namespace::exists(&taken));
    ip(&["netns", "delete", &taken]);
}

#[test]
fn a_network_stays_while_programs_run_on_it() {
    let Some(lab) = Lab::new("busy") else { return };
    done(&lab.link("up", &["t.toml"]));
    let pid = done(&lab.link("exec", &["b", "--", "sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!"])).to_owned();
    let named = format!("{} (sleep) on b", pid.trim_end());
    for _ in 0..2 {
        let remedy = format!("try: tng link down --name {} --kill", lab.name);
        fails(&lab.link("down", &[]), 81, &["stands as before", &named, &remedy]);
    }
    assert_eq!(lab.namespaces(), [true; 3]);
    done(&lab.link("status", &[]));
    done(&lab.link("down", &["--kill"]));
    assert_eq!(lab.namespaces(), [false; 3]);
    assert_eq!(ProcessId::of(pid.trim_end().parse().expect("a number")), None);
}

#[test]
fn a_scenario_runs_in_real_time() {
    let Some(lab) = Lab::new("run") else { return };
    let flows = "\
[world]
duration = '20s'
[[flow]]
name = 'by tng'
from = 'b'
to = 'first host'
[[flow.stream]]
name = 's'
count = 3
bytes = '50kB'
[[flow]]
name = 'by tcp'
from = 'first host'
to = 'b'
bytes = '100kB'
protocol = 'tcp'
controller = 'reno'
[[event]]
at = '1ms'
kind = 'link'
link = 'r-b'
rate = '50mbit'
";
    std::fs::write(lab.folder.path().join("f.toml"), format!("{TOPOLOGY}{flows}")).expect("written");
    let out = link(lab.folder.path(), &["run", "f.toml", "--json"]);
    let report: serde_json::Value = serde_json::from_str(done(&out)).expect("JSON");
    let flows = &report["report"]["flows"];
    assert_eq!((&flows[0]["bytes"], &flows[1]["bytes"]), (&150_000.into(), &100_000.into()), "{flows}");
    assert_eq!((&flows[0]["streams"][0]["completed"], &flows[1]["controller"]), (&3.into(), &"reno".into()));
    assert_eq!(report["links"]["links"][1]["forth"]["rate_bps"], 50_000_000);
    let tables = link(lab.folder.path(), &["run", "f.toml"]);
    assert!(done(&tables).contains("of real time") && done(&tables).contains("by tcp"), "{}", done(&tables));
}

/// A program that ends with the test.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Asks again and again until there is an answer.
#[expect(clippy::disallowed_methods, reason = "what it waits for are processes")]
fn awaited<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{what} does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_helper_of_a_network_is_a_relay_that_moves_a_file_and_tells_its_flow() {
    let Some(lab) = Lab::new("relay") else { return };
    let helper = "[[node]]\nname = 'h'\nkind = 'helper'\nqueue_time = '40ms'\n[[link]]\nbetween = ['h', 'r']\n";
    let slow = TOPOLOGY.replace("rate 100mbit", "rate 10mbit");
    let path = |name: &str| lab.folder.path().join(name).display().to_string();
    std::fs::write(path("t.toml"), format!("{slow}{helper}")).expect("written");
    let up: serde_json::Value = serde_json::from_str(done(&lab.link("up", &["t.toml", "--json"]))).expect("JSON");
    let relay = |key: &str| up["relays"][0][key].as_str().unwrap_or_else(|| panic!("{key} in {up}")).to_owned();
    assert_eq!(relay("node"), "h");

    let file: Vec<u8> = (0..3_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    std::fs::write(path("big"), &file).expect("written");
    let tool = |node: &str, args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tng"));
        command.args(["link", "exec", "--name", &lab.name, node, "--", env!("CARGO_BIN_EXE_tng")]).args(args);
        command.current_dir(lab.folder.path()).env("XDG_CONFIG_HOME", path("config")).env("HOME", path("."));
        command.env("TNG_KEY", path(&plain_name(node)));
        command
    };
    let said = std::fs::File::create(path("said")).expect("made");
    let address = up["nodes"][2]["addresses"][0].as_str().unwrap_or_else(|| panic!("an address in {up}"));
    let served = tool("b", &["serve", "--public", "--bind", &format!("{address}:4860"), "big"]).stderr(said).spawn();
    let served_there = Ends(served.expect("it runs"));
    let ticket = awaited("a ticket", || {
        let said = std::fs::read_to_string(path("said")).ok()?;
        said.lines().find(|line| line.starts_with("tng1")).map(str::to_owned)
    });
    let url = format!("tng://{ticket}/big");
    let mut get = tool("first host", &["get", "--json", "--via", &relay("via"), "-o", "copy", &url]);
    let mut got = Ends(get.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs"));
    let status = awaited("a flow", || {
        assert!(got.0.try_wait().expect("a state").is_none(), "it ended before the relay told of its flow");
        let asked = Command::new(env!("CARGO_BIN_EXE_tng"))
            .args(["relay", "status", "--json", "--control", &relay("control")])
            .output()
            .expect("it runs");
        let status: serde_json::Value = serde_json::from_str(done(&asked)).expect("JSON");
        (status["flows"][0]["homeward"]["bytes"].as_u64() > Some(0)).then_some(status)
    });
    let flow = &status["flows"][0];
    assert_eq!(flow["far"]["neighbour"], format!("{address}:4860"), "{flow}");
    assert_eq!(flow["homeward"]["max_ms"], 40.0, "the queue of the file: {flow}");
    let mut out = String::new();
    std::io::Read::read_to_string(got.0.stdout.as_mut().expect("piped"), &mut out).expect("text");
    assert!(got.0.wait().expect("it ends").success(), "{out}");
    assert!(out.contains("\"path\":\"via "), "{out}");
    assert!(std::fs::read(path("copy")).is_ok_and(|copy| copy == file));

    // The relay goes with its network.
    let pid = up["relays"][0]["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).expect("a process");
    assert!(ProcessId::of(pid).is_some());
    drop(served_there);
    done(&lab.link("down", &["--kill"]));
    assert_eq!((ProcessId::of(pid), Path::new(&relay("control")).exists()), (None, false));
}
