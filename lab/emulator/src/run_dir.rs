//! What a network that has names leaves on disk while it stands, so that it can be found, told things and taken away.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::namespace::Namespace;
use crate::network::{Names, remove};
use crate::plan::{Topology, is_name};

/// Where the folders of networks are.
pub const RUN_DIR: &str = "/run/tng-link";

/// What stands in `state.toml`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct State {
    /// The network's name.
    pub name: String,
    /// The process that carries its packets, once there is one.
    pub process: Option<ProcessId>,
    /// The relays on its nodes, which end with it.
    #[serde(default)]
    pub relay: Vec<ProcessId>,
    /// Its nodes.
    pub node: Vec<StateNode>,
    /// Its links.
    pub link: Vec<StateLink>,
}

/// A process, told apart from others that get its number later.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProcessId {
    /// Its number.
    pub pid: u32,
    /// When it began, in clock ticks since the machine did.
    pub began_ticks: u64,
}

/// A node that stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StateNode {
    /// Its name.
    pub name: String,
    /// The name of its namespace.
    pub namespace: String,
    /// Its addresses.
    pub addresses: Vec<std::net::IpAddr>,
}

/// A link that stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StateLink {
    /// Its name.
    pub name: String,
    /// Its ends.
    pub between: [String; 2],
    /// The device at either end.
    pub device: String,
}

impl State {
    /// What a topology will be.
    pub fn of(name: &str, topology: &Topology) -> State {
        let names = Names::Public(name.to_owned());
        let node = |node: &crate::TopologyNode| StateNode {
            name: node.name.clone(),
            namespace: names.of(&node.name).unwrap_or_default(),
            addresses: node.addresses.clone(),
        };
        let link = |(number, link): (usize, &crate::TopologyLink)| StateLink {
            name: link.name.clone(),
            between: [link.a, link.b].map(|end| topology.nodes[end].name.clone()),
            device: format!("link{number}"),
        };
        State {
            name: name.to_owned(),
            process: None,
            relay: Vec::new(),
            node: topology.nodes.iter().map(node).collect(),
            link: topology.links.iter().enumerate().map(link).collect(),
        }
    }

    /// Whether the process that carries its packets runs.
    pub fn runs(&self) -> bool {
        self.process.is_some_and(ProcessId::runs)
    }
}

impl ProcessId {
    /// The one that asks.
    pub fn own() -> Option<ProcessId> {
        ProcessId::of(std::process::id())
    }

    /// The one that has this number now.
    pub fn of(pid: u32) -> Option<ProcessId> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        began_ticks(&stat).map(|began_ticks| ProcessId { pid, began_ticks })
    }

    /// What the kernel calls it: the name of its program, cut short; nothing if it has ended.
    pub fn program(self) -> String {
        let name = fs::read_to_string(format!("/proc/{}/comm", self.pid)).unwrap_or_default();
        name.trim_end().to_owned()
    }

    /// Asks it to end; with `force`, ends it.
    pub fn end(self, force: bool) {
        let signal = if force { Signal::SIGKILL } else { Signal::SIGTERM };
        if self.runs()
            && let Ok(pid) = i32::try_from(self.pid)
        {
            // It may have ended meanwhile.
            let _ = nix::sys::signal::kill(Pid::from_raw(pid), signal);
        }
    }

    /// Whether that very process is there.
    pub fn runs(self) -> bool {
        ProcessId::of(self.pid) == Some(self)
    }
}

/// Field 22 of `/proc/PID/stat`; nothing if the process is dead and only nobody has asked how it ended. The second
/// field is a name in parentheses, which may have anything in it.
fn began_ticks(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    (fields.next()? != "Z").then_some(())?;
    fields.nth(18)?.parse().ok()
}

/// The folder of a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunDir(PathBuf);

/// Whether a network stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// There is none of that name.
    Not,
    /// It does.
    Up(State),
    /// It did, and the process that carried its packets ended without taking it away.
    Left(State),
}

impl RunDir {
    /// That of the network of this name; `None` if nothing can be called so.
    pub fn of(name: &str) -> Option<RunDir> {
        is_name(name).then(|| RunDir(Path::new(RUN_DIR).join(name)))
    }

    /// The names of all networks that have a folder.
    pub fn all() -> Vec<String> {
        let entries = fs::read_dir(RUN_DIR).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// Whether the network stands.
    ///
    /// # Errors
    /// Its state cannot be read.
    pub fn standing(&self) -> io::Result<Standing> {
        let text = match fs::read_to_string(self.state_path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Standing::Not),
            text => text?,
        };
        let state: State = toml::from_str(&text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(if state.runs() { Standing::Up(state) } else { Standing::Left(state) })
    }

    /// Writes the state, in place of the one before.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, state: &State) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
        let text = toml::to_string(state).map_err(io::Error::other)?;
        let draft = self.0.join("state.toml.new");
        fs::write(&draft, text)?;
        fs::rename(draft, self.state_path())
    }

    /// Where the state is.
    pub fn state_path(&self) -> PathBuf {
        self.0.join("state.toml")
    }

    /// Where the topology is kept.
    pub fn topology_path(&self) -> PathBuf {
        self.0.join("topology.toml")
    }

    /// Where the process that carries the packets says what troubles it.
    pub fn log_path(&self) -> PathBuf {
        self.0.join("log")
    }

    /// Where that process listens.
    pub fn control_path(&self) -> PathBuf {
        self.0.join("control")
    }

    /// The folder of the relay on a node of this name.
    pub fn relay_path(&self, node: &str) -> PathBuf {
        self.0.join(format!("relay-{node}"))
    }

    /// The names of the nodes, as `/etc/hosts` has them.
    pub fn hosts_path(&self) -> PathBuf {
        self.0.join("hosts")
    }

    /// Takes away every namespace that the state names, and the folder; answers what could not be taken away.
    ///
    /// # Errors
    /// The folder cannot be removed.
    pub fn clear(&self, state: &State) -> io::Result<Vec<String>> {
        let named = state.node.iter().map(|node| &node.namespace).filter(|name| Namespace::exists(name));
        let stuck: Vec<String> = named.filter_map(|name| remove(name).err().map(|error| error.to_string())).collect();
        if stuck.is_empty() {
            fs::remove_dir_all(&self.0)?;
        }
        Ok(stuck)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_number_and_beginning() {
        let own = ProcessId::own().expect("this process is there");
        assert!(own.runs());
        assert!(!ProcessId { began_ticks: own.began_ticks + 1, ..own }.runs(), "another with the same number");
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 9 9";
        assert_eq!(began_ticks(stat), Some(4242));
        assert_eq!(began_ticks(&stat.replace(") S", ") Z")), None);
    }

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let mut state = State::of("lab", &Topology::pair(1, &tng_sim::Link::new()));
        assert_eq!(state.node[1].namespace, "lab-b");
        assert_eq!(state.link[0].between, ["a", "b"]);
        for process in [None, ProcessId::own()] {
            state.process = process;
            let text = toml::to_string(&state).expect("TOML");
            assert_eq!(toml::from_str::<State>(&text).expect("a state"), state, "{text}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_name_no_network() {
        for name in ["", "..", "a/b", "/", ".hidden", "a b"] {
            assert_eq!(RunDir::of(name), None, "{name:?}");
        }
        assert!(RunDir::of("lab-2.b").is_some());
    }
}
