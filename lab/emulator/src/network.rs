//! A topology that stands.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use tng_sim::{Carrier, Link};

use crate::emulator::{Device, Emulator, LaneFigures};
use crate::error::NetworkError;
use crate::namespace::Namespace;
use crate::plan::{self, NodePlan, Topology};
use crate::stamps::Stamps;
use crate::system;

/// What the namespaces of a network are called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Names {
    /// Not at all: they are gone with the network, whatever happens to the process.
    Private,
    /// This word, a hyphen and the [plain name](plan::plain_name) of the node, for `ip netns` and everybody. They stay
    /// until [`remove`] takes them away.
    Public(String),
}

impl Names {
    /// The name of a node's namespace, if it has one.
    pub fn of(&self, node: &str) -> Option<String> {
        match self {
            Names::Private => None,
            Names::Public(word) => Some(format!("{word}-{}", plan::plain_name(node))),
        }
    }
}

/// Nodes and links that stand. Its devices are gone when it is dropped, and with them all that their programs can
/// reach.
#[derive(Debug)]
pub struct Network {
    topology: Topology,
    namespaces: Vec<Namespace>,
    emulator: Emulator,
}

/// Why this process cannot make networks, if it cannot.
///
/// # Errors
/// That reason.
pub fn hindrance() -> Result<(), NetworkError> {
    if !nix::unistd::geteuid().is_root() {
        return Err(NetworkError::NotRoot);
    }
    if !Path::new("/dev/net/tun").exists() {
        return Err(NetworkError::NoTun);
    }
    match Command::new("ip").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(_) => Ok(()),
        Err(_) => Err(NetworkError::NoTool),
    }
}

impl Network {
    /// Makes the namespaces and devices of a topology, and carries its packets from now on.
    ///
    /// # Errors
    /// See [`NetworkError`]. Nothing is left of what was begun.
    pub fn start(topology: &Topology, names: &Names) -> Result<Network, NetworkError> {
        let plans = plan::plan(topology)?;
        hindrance()?;
        let named: Vec<Option<String>> = topology.nodes.iter().map(|node| names.of(&node.name)).collect();
        if let Some(taken) = named.iter().flatten().find(|name| Namespace::exists(name)) {
            return Err(NetworkError::Taken(taken.clone()));
        }
        let network = Network::build(topology, &plans, &named);
        if network.is_err() {
            named.iter().flatten().for_each(|name| drop(remove(name)));
        }
        network
    }

    fn build(topology: &Topology, plans: &[NodePlan], named: &[Option<String>]) -> Result<Network, NetworkError> {
        let mut namespaces = Vec::new();
        let mut devices: Vec<(usize, Device)> = Vec::new();
        for ((node, plan), name) in topology.nodes.iter().zip(plans).zip(named) {
            let failed = |what: &'static str| {
                let node = node.name.clone();
                move |error| NetworkError::System { node, what: what.to_owned(), error }
            };
            let namespace = match name {
                None => Namespace::private().map_err(failed("making a network namespace"))?,
                Some(name) => {
                    tool(&node.name, Command::new("ip").args(["netns", "add", name]))?;
                    Namespace::named(name).map_err(failed("opening its network namespace"))?
                }
            };
            let made = namespace.run(|| set_up(&node.name, plan)).map_err(failed("entering its network namespace"))?;
            devices.extend(made?);
            namespaces.push(namespace);
        }
        devices.sort_by_key(|(lane, _)| *lane);
        let devices = devices.into_iter().map(|(_, device)| device).collect();
        let emulator = Emulator::start(topology, devices).map_err(|error| NetworkError::System {
            node: "the links".to_owned(),
            what: "starting a thread".to_owned(),
            error,
        })?;
        Ok(Network { topology: topology.clone(), namespaces, emulator })
    }

    /// What stands.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// What carries the packets.
    pub fn emulator(&self) -> &Emulator {
        &self.emulator
    }

    /// The namespace of a node.
    pub fn namespace(&self, node: usize) -> &Namespace {
        &self.namespaces[node]
    }

    /// Does something on a node, on a thread of its own, and waits for it: sockets that it makes belong to the node for
    /// good.
    ///
    /// # Errors
    /// No more threads.
    pub fn run<T: Send>(&self, node: usize, act: impl FnOnce() -> T + Send) -> io::Result<T> {
        self.namespaces[node].run(act)
    }

    /// Runs a program on a node, and gives it this to read.
    ///
    /// # Errors
    /// If it cannot be run, or ends with another code than 0: with what it says of that.
    pub fn run_tool(&self, node: usize, program: &str, args: &[&str], input: &str) -> io::Result<()> {
        let run = || -> io::Result<()> {
            let mut command = Command::new(program);
            command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
            let mut child = command.spawn()?;
            if let Some(mut stdin) = child.stdin.take() {
                stdin.write_all(input.as_bytes())?;
            }
            let output = child.wait_with_output()?;
            match output.status.success() {
                true => Ok(()),
                false => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
            }
        };
        self.run(node, run).flatten()
    }

    /// Changes both directions of a link.
    pub fn change(&self, link: usize, forth: Link, back: Link) {
        self.emulator.change(2 * link, forth);
        self.emulator.change(2 * link + 1, back);
    }

    /// Changes whether a link carries anything.
    pub fn set_carrier(&self, link: usize, carrier: Carrier) {
        [2 * link, 2 * link + 1].into_iter().for_each(|lane| self.emulator.set_carrier(lane, carrier));
    }

    /// Packets that the kernel dropped at the near end of each lane, since too many waited for the emulator to read
    /// them.
    pub fn unseen(&self) -> Vec<u64> {
        let devices: Vec<String> = self
            .namespaces
            .iter()
            .map(|namespace| {
                let read = namespace.run(|| fs::read_to_string("/proc/thread-self/net/dev"));
                read.and_then(|text| text).unwrap_or_default()
            })
            .collect();
        let ends =
            self.topology.links.iter().enumerate().flat_map(|(number, link)| [(number, link.a), (number, link.b)]);
        ends.map(|(number, node)| transmit_drops(&devices[node], &format!("link{number}"))).collect()
    }

    /// What each lane has done so far.
    pub fn figures(&self) -> Vec<LaneFigures> {
        self.emulator.figures()
    }
}

/// Packets that a device did not take, of the table of devices in `/proc/net/dev`.
fn transmit_drops(table: &str, device: &str) -> u64 {
    let row = table.lines().find_map(|line| line.trim_start().strip_prefix(device)?.strip_prefix(':'));
    row.and_then(|row| row.split_whitespace().nth(11)?.parse().ok()).unwrap_or(0)
}

/// Takes away a namespace that has a name.
///
/// # Errors
/// What `ip` says.
pub fn remove(namespace: &str) -> Result<(), NetworkError> {
    tool(namespace, Command::new("ip").args(["netns", "delete", namespace]))
}

/// Kernel parameters of every node, below `/proc/sys/net`.
const PARAMETERS: &[(&str, &str)] = &[
    // Packets come by whatever link the topology says.
    ("ipv4/conf/all/rp_filter", "0"),
    ("ipv4/conf/default/rp_filter", "0"),
    // Nothing on the links but what programs send.
    ("ipv6/conf/default/addr_gen_mode", "1"),
    ("ipv6/conf/default/router_solicitations", "0"),
    ("ipv6/conf/default/accept_ra", "0"),
    ("ipv6/conf/default/disable_ipv6", "0"),
    ("ipv6/conf/lo/disable_ipv6", "0"),
    // A connection learns nothing from the one before it.
    ("ipv4/tcp_no_metrics_save", "1"),
    // Programs without privileges may ping and serve.
    ("ipv4/ping_group_range", "0 2147483647"),
    ("ipv4/ip_unprivileged_port_start", "0"),
];

/// Those of a router.
const FORWARDING: &[(&str, &str)] = &[("ipv4/ip_forward", "1"), ("ipv6/conf/all/forwarding", "1")];

/// Makes the devices of a node, in whose namespace the thread is: each with the lane that leaves there.
fn set_up(node: &str, plan: &NodePlan) -> Result<Vec<(usize, Device)>, NetworkError> {
    let failed = |what: String, error| NetworkError::System { node: node.to_owned(), what, error };
    let forwarding = if plan.forwards { FORWARDING } else { &[] };
    for (parameter, value) in PARAMETERS.iter().chain(forwarding) {
        match fs::write(Path::new("/proc/sys/net").join(parameter), value) {
            Ok(()) => {}
            // A kernel without IPv6 needs no parameters for it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(format!("setting net/{parameter} to {value}"), error)),
        }
    }
    let mut devices = Vec::new();
    for port in &plan.ports {
        let tun = system::open_tun(&port.device);
        let tun = tun.map_err(|error| failed(format!("making the TUN device {}", port.device), error))?;
        // Where packet sockets are not permitted, packets come when they are read.
        devices.push((port.lane, Device::new(tun, Stamps::open(&port.device).ok())));
    }
    batch(node, &plan.commands)?;
    Ok(devices)
}

/// Lets `ip` do several things, in the namespace of the thread.
fn batch(node: &str, commands: &str) -> Result<(), NetworkError> {
    let failed = |error| NetworkError::System { node: node.to_owned(), what: "running ip".to_owned(), error };
    let mut ip = Command::new("ip")
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut input) = ip.stdin.take() {
        // If it does not read to the end, it says why.
        let _ = input.write_all(commands.as_bytes());
    }
    said(node, ip.wait_with_output().map_err(failed)?)
}

fn tool(node: &str, command: &mut Command) -> Result<(), NetworkError> {
    let failed = |error| NetworkError::System { node: node.to_owned(), what: "running ip".to_owned(), error };
    said(node, command.stdin(Stdio::null()).output().map_err(failed)?)
}

fn said(node: &str, output: std::process::Output) -> Result<(), NetworkError> {
    if output.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
    Err(NetworkError::Tool { node: node.to_owned(), why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_of_a_device_are_found_in_the_table() {
        let table = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:       1       2    3    4    5     6          7         8        9      10   11   12   13    14      15         16
link1: 1 2 3 4 5 6 7 8 9 10 11 77 13 14 15 16
link10: 1 2 3 4 5 6 7 8 9 10 11 99 13 14 15 16
";
        assert_eq!(["lo", "link1", "link10", "link2"].map(|device| transmit_drops(table, device)), [12, 77, 99, 0]);
    }
}
