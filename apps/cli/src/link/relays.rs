//! Relays on those nodes of a network that are helpers.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tng_emulator::plan::plain_name;
use tng_emulator::run_dir::ProcessId;
use tng_emulator::{RunDir, Standing};
use tng_experiments::Scenario;
use tng_experiments::scenario::NodeKind;
use tng_settings::Document;

use crate::clock;
use crate::daemon::control::{self, Socket};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::location::DEFAULT_PORT;

/// How long a relay may take to begin.
pub const BEGINNING_MAX: Duration = Duration::from_secs(10);

/// A relay that runs on a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Started {
    /// The node.
    pub node: String,
    /// What leads through it.
    pub via: String,
    /// The socket by which it is asked.
    pub control: PathBuf,
    process: ProcessId,
}

impl Started {
    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({ "node": self.node, "via": self.via, "control": self.control, "pid": self.process.pid })
    }
}

/// Starts a relay on each node that is a helper, for everybody in the network.
///
/// # Errors
/// If one does not begin; those that did go on.
pub(super) fn start(dir: &RunDir, name: &str, scenario: &Scenario, text: &str) -> Result<Vec<Started>, Failure> {
    let mut started = Vec::new();
    for (place, node) in scenario.nodes.iter().enumerate() {
        let NodeKind::Helper { addresses, .. } = &node.kind else { continue };
        let what = format!("starting the relay on {}", node.name);
        let folder = dir.relay_path(&plain_name(&node.name));
        let failed = |error: std::io::Error| Failure::write(&*what, &error);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
        let config = folder.join("relay.toml");
        let own: Vec<String> = addresses.iter().map(|address| format!("\"{address}\"")).collect();
        fs::write(&config, configuration(&folder, &own.join(", "), &settings(text, place))).map_err(failed)?;
        let log = fs::File::create(folder.join("log")).map_err(failed)?;
        let tool = std::env::current_exe().map_err(failed)?;
        let mut command = Command::new(&tool);
        command.args(["link", "exec", "--name", name, &node.name, "--"]).arg(&tool);
        command.args(["--no-progress", "relay", "run", "--config"]).arg(&config);
        command.process_group(0).current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let child = command.spawn().map_err(failed)?;
        let control = folder.join("tng-relay.sock");
        let (eid, process) = wait(&what, child, &control, &folder.join("log"))?;
        let address = addresses.first().map(|address| std::net::SocketAddr::new(*address, DEFAULT_PORT).to_string());
        let via = format!("{eid}@{}", address.unwrap_or_default());
        started.push(Started { node: node.name.clone(), via, control, process });
        note(dir, &started).map_err(failed)?;
    }
    Ok(started)
}

/// Keeps which relays end with the network.
fn note(dir: &RunDir, started: &[Started]) -> std::io::Result<()> {
    match dir.standing()? {
        Standing::Up(mut state) => {
            state.relay = started.iter().map(|relay| relay.process).collect();
            dir.write(&state)
        }
        _ => Ok(()),
    }
}

/// Waits until a relay answers; answers who it is.
fn wait(what: &str, mut child: Child, control: &Path, log: &Path) -> Result<(String, ProcessId), Failure> {
    let (began, pid, socket) = (clock::now(), child.id(), Socket::named(control.to_owned(), "the link"));
    while began.elapsed() < BEGINNING_MAX {
        if let Ok(status) = control::ask(crate::relay::RELAY, &socket, "status")
            && let (Some(eid), Some(process)) = (status["eid"].as_str(), ProcessId::of(pid))
        {
            return Ok((eid.to_owned(), process));
        }
        if child.try_wait().is_ok_and(|ended| ended.is_some()) {
            break;
        }
        clock::rest(Duration::from_millis(10));
    }
    let _ = child.kill();
    let said = fs::read_to_string(log).unwrap_or_default();
    // What to try stands in a line of its own behind it.
    let why = said.lines().rev().find_map(|line| line.strip_prefix("tng: ")).unwrap_or("it does not answer").to_owned();
    Err(Failure::new(Exit::Read, what, why))
}

/// The configuration of a relay that serves everybody in its network.
fn configuration(folder: &Path, own: &str, elsewhere: &str) -> String {
    let place = |name: &str| folder.join(name).display().to_string();
    format!(
        "[relay]\nown = [{own}]\nonward = [\"0.0.0.0/0\", \"::/0\"]\nkey = {:?}\nsecret = {:?}\ncontrol = {:?}\n\
         access_log = {:?}\n[elsewhere]\n{elsewhere}[terms]\nanyone = true\ntunnels = true\n",
        place("identity"),
        place("secret"),
        place("tng-relay.sock"),
        place("access.log"),
    )
}

/// What the scenario says of the queues of its node at this place, as a relay's configuration has it.
fn settings(text: &str, place: usize) -> String {
    let Ok(document) = Document::parse(text) else { return String::new() };
    let Ok(file) = document.section(&["world", "node", "link", "flow", "event"]) else { return String::new() };
    let Some(node) = file.all("node").ok().and_then(|nodes| nodes.into_iter().nth(place)) else { return String::new() };
    let line = |key: &str| node.entry(key).map(|field| format!("{key} = {}\n", field.raw()));
    ["queue", "queue_time"].into_iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::told::{Origin, Places};
    use crate::relay::config::RelayConfig;

    #[test]
    fn the_relay_of_a_helper_has_the_queues_of_the_scenario_and_serves_everybody() {
        let text = "[[node]]\nname = 'a'\n[[node]]\nname = 'h'\nkind = 'helper'\n\
                    queue = { kind = 'codel', ecn = true }\nqueue_time = '30ms'\n";
        let config = configuration(Path::new("/run/x"), "\"10.0.0.3\"", &settings(text, 1));
        let places = Places { state: ("/s".into(), Origin::Default), runtime: ("/r".into(), Origin::Default) };
        let read = RelayConfig::parse(&config, &places).expect("it is good");
        assert_eq!(read.helper.elsewhere.queue_time, Duration::from_millis(30));
        assert!(matches!(read.helper.elsewhere.discipline, Some(tng_queue::QueueConfig::CoDel(_))));
        assert!(read.clients.count().1 && read.helper.onward.permits("10.0.0.9:4860".parse().expect("an address")));
    }
}
