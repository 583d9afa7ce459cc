//! A network that is made.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::IpAddr;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use serde_json::json;
use tng_emulator::{Namespace, NetworkError, RunDir, Standing, State, TopologyNode, plan};
use tng_experiments::Scenario;

use super::{down, left, permitted, refused, relays, run_dir};
use crate::commands::link::{NAME_DEFAULT, UpArgs};
use crate::commands::sim::read_text;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::talk::Talk;

/// What the process that carries the packets says when the network stands.
pub(super) const READY: &str = "ready";

/// Lets a network stand, and leaves it to a process of its own.
///
/// # Errors
/// No root, a topology that makes no sense, a network of that name that stands already or has left something behind.
pub fn up(args: &UpArgs, talk: Talk) -> Result<(), Failure> {
    let name = &args.network.name;
    let what = format!("setting up {}", args.file.display());
    let text = read_text(&args.file)?;
    let scenario = Scenario::parse_network(&text, &args.set)
        .map_err(|error| Failure::usage(format!("reading {}", args.file.display()), error))?;
    let topology = scenario.topology();
    if let Some(link) = scenario.links.iter().find(|link| !link.addresses.is_empty()) {
        talk.warn(format_args!(
            "the addresses of the link {} alone are left out: nodes have theirs on every link",
            link.name
        ));
    }
    plan::plan(&topology).map_err(|error| refused(&what, &NetworkError::Topology(error)))?;
    permitted(&what)?;
    let dir = run_dir(&what, name)?;
    match dir.standing().map_err(|error| Failure::read(&what, &error))? {
        Standing::Not => {}
        Standing::Left(_) => return Err(left(&what, name)),
        Standing::Up(_) => {
            return Err(Failure::new(Exit::Exists, &what, format!("a network {name:?} stands already"))
                .or_try(format!("tng link down --name {name}, or another --name")));
        }
    }
    let state = State::of(name, &topology);
    // What is not ours must not stand in the state, for `down` takes away what stands there.
    if let Some(taken) = state.node.iter().map(|node| &node.namespace).find(|taken| Namespace::exists(taken)) {
        return Err(refused(&what, &NetworkError::Taken(taken.clone())));
    }
    let write = |error: std::io::Error| Failure::write(format!("writing {}", dir.state_path().display()), &error);
    dir.write(&state).map_err(write)?;
    fs::write(dir.topology_path(), &text).map_err(write)?;
    fs::write(dir.hosts_path(), hosts(&state)).map_err(write)?;
    if let Err(failure) = start(&what, &dir, args) {
        // It stands half at most, and then without anybody who carries its packets.
        let _ = dir.clear(&state);
        return Err(failure);
    }
    let relays = match relays::start(&dir, name, &scenario, &text) {
        Ok(relays) => relays,
        Err(failure) => {
            take_away(&dir);
            return Err(failure);
        }
    };
    for (node, planned) in topology.nodes.iter().zip(&state.node) {
        if let Some(relay) = relays.iter().find(|relay| relay.node == node.name) {
            talk.say(format_args!("{:16} a relay: --via {} (namespace {})", node.name, relay.via, planned.namespace));
            continue;
        }
        talk.say(format_args!("{:16} {} (namespace {})", node.name, told(node), planned.namespace));
    }
    let named = if name == NAME_DEFAULT { String::new() } else { format!(" --name {name}") };
    if let Some(node) = topology.nodes.first() {
        talk.say(format_args!("try: tng link exec{named} {} -- bash; and in the end: tng link down{named}", node.name));
    }
    let relays: Vec<_> = relays.iter().map(relays::Started::to_json).collect();
    talk.event(
        "up",
        &json!({ "name": name, "nodes": state.node, "links": state.link, "seed": topology.seed, "relays": relays }),
    );
    Ok(())
}

/// Takes a network away that stands and is of no use.
fn take_away(dir: &RunDir) {
    if let Ok(Standing::Up(state) | Standing::Left(state)) = dir.standing() {
        down::end(&state.relay.iter().copied().chain(state.process).collect::<Vec<_>>());
        // Its names are taken if that fails, and `tng link down` says why.
        let _ = dir.clear(&state);
    }
}

/// What a node is, in a few words.
fn told(node: &TopologyNode) -> String {
    let list = |addresses: &[IpAddr]| addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    match &node.nat {
        Some(nat) => format!("a NAT at {}", list(&nat.config.addresses)),
        None if node.addresses.is_empty() => "a router".to_owned(),
        None => list(&node.addresses),
    }
}

/// Starts the process that makes the network and carries its packets, and waits until it stands.
fn start(what: &str, dir: &RunDir, args: &UpArgs) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::read(what, &error);
    let log = fs::File::create(dir.log_path()).map_err(failed)?;
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    command.args(["link", "carry", "--name", &args.network.name]);
    for value in &args.set {
        command.arg("--set").arg(value);
    }
    // What a terminal tells the processes of its foreground is not meant for this one.
    command.arg(dir.topology_path()).process_group(0).current_dir("/");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().map_err(failed)?;
    let mut line = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).read_line(&mut line).map_err(failed)?;
    }
    if line.trim_end() == READY {
        return Ok(());
    }
    let ended = child.wait().map_err(failed)?;
    let log = fs::read_to_string(dir.log_path()).unwrap_or_default();
    let why = log.trim().trim_start_matches("tng: ").to_owned();
    Err(Failure::new(Exit::Read, what, if why.is_empty() { ended.to_string() } else { why }))
}

/// The names of the nodes, as `/etc/hosts` has them.
fn hosts(state: &State) -> String {
    let mut text = "127.0.0.1 localhost\n::1 localhost\n".to_owned();
    for node in &state.node {
        for address in &node.addresses {
            text.push_str(&format!("{address} {}\n", plan::plain_name(&node.name)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nat_is_told_from_a_router_and_with_its_address() {
        let text = r#"
            node = [
                { name = "phone", addresses = ["10.0.0.1", "fd00::1"] },
                { name = "home", kind = "nat", addresses = ["192.0.2.1", "2001:db8::1"], inside = ["phone"] },
                { name = "core", kind = "router" },
            ]
            link = [{ between = ["phone", "home"] }, { between = ["home", "core"] }]
        "#;
        let scenario = Scenario::parse_network::<&str>(text, &[]).expect("a network");
        let topology = scenario.topology();
        let words: Vec<String> = topology.nodes.iter().map(told).collect();
        assert_eq!(words, ["10.0.0.1 fd00::1", "a NAT at 192.0.2.1 2001:db8::1", "a router"]);
    }
}
