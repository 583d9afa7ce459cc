//! Servers that keep nothing, a sprayer and clients as processes of the tool, on nodes of a network that stands.

use core::fmt::Display;
use core::time::Duration;
use std::fs::{self, File};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;
use tng_base::{Eid, Rng};
use tng_emulator::Network;
use tng_emulator::transfer::Origin;

use super::{RealError, tool};

/// Where servers and sprayers listen.
const PORT: u16 = 4860;
/// How long one may take to begin, and to end.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often it is looked whether something has happened.
const LOOK: Duration = Duration::from_millis(5);
/// What is handed out, and of that what is fetched, by name.
const TREE: &str = "tree";
pub(crate) const FILE: &str = "file";

/// A process of the tool that ends with this value.
#[derive(Debug)]
struct Ends(Child);

impl Ends {
    fn signal(&self, name: &str) -> Result<(), RealError> {
        let sent = Command::new("kill").args(["-s", name, &self.0.id().to_string()]).status();
        sent.map(drop).map_err(RealError::System)
    }

    fn has_ended(&mut self) -> bool {
        self.0.try_wait().is_ok_and(|ended| ended.is_some())
    }

    fn wait(&mut self) -> bool {
        let began = Origin::now();
        while !self.has_ended() && began.elapsed() < PATIENCE {
            began.rest_until(began.elapsed() + LOOK);
        }
        self.has_ended()
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A replica, at the first address of its node.
#[derive(Debug)]
struct Replica {
    node: usize,
    address: IpAddr,
    child: Option<Ends>,
    /// How often it was started.
    lives: u32,
}

/// Servers that share a file of keys, an identity, and what they hand out: a file.
#[derive(Debug)]
pub(crate) struct Fleet {
    folder: TempDir,
    eid: Eid,
    file: Arc<[u8]>,
    /// Whether they have keys that others may have, too.
    shares_keys: bool,
    /// What their commands say beside.
    more: Vec<String>,
    replicas: Vec<Replica>,
    sprayer: Option<(Ends, SocketAddr)>,
    clients: u64,
}

fn broken(what: impl Display) -> RealError {
    RealError::Program(what.to_string())
}

fn made(folder: &Path, args: &[&str]) -> Result<String, RealError> {
    let told = at(folder, tool()?).args(args).stdout(Stdio::piped()).output().map_err(RealError::System)?;
    match told.status.success() {
        true => Ok(String::from_utf8_lossy(&told.stdout).trim().to_owned()),
        false => Err(broken(format_args!("{}: {}", args.join(" "), String::from_utf8_lossy(&told.stderr).trim()))),
    }
}

/// The tool, with a folder for all that it keeps.
fn at(folder: &Path, tool: PathBuf) -> Command {
    let mut command = Command::new(tool);
    command.env_clear().env("HOME", folder).env("XDG_CONFIG_HOME", folder).env("TNG_KEY", folder.join("fleet.key"));
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl Fleet {
    /// One for these nodes that hands out a file of so many bytes; none of the nodes runs yet.
    ///
    /// # Errors
    /// If this process is not the tool.
    pub(crate) fn new(network: &Network, nodes: &[usize], bytes: u64, rng: &mut Rng) -> Result<Fleet, RealError> {
        let folder = tempfile::tempdir().map_err(RealError::System)?;
        let eid = made(folder.path(), &["id"])?.parse().map_err(|_| broken("the tool does not tell an EID"))?;
        made(folder.path(), &["trickles", "keys", "new", "fleet.epochs"])?;
        let mut file = vec![0; usize::try_from(bytes).map_err(broken)?];
        rng.fill(&mut file);
        fs::create_dir(folder.path().join(TREE)).map_err(RealError::System)?;
        fs::write(folder.path().join(TREE).join(FILE), &file).map_err(RealError::System)?;
        let place = |node: &usize| {
            let of = &network.topology().nodes[*node];
            let address = *of.addresses.first().ok_or_else(|| RealError::Router(of.name.clone()))?;
            Ok(Replica { node: *node, address, child: None, lives: 0 })
        };
        let replicas = nodes.iter().map(place).collect::<Result<_, RealError>>()?;
        let (file, more) = (file.into(), Vec::new());
        Ok(Fleet { folder, eid, file, shares_keys: true, more, replicas, sprayer: None, clients: 0 })
    }

    /// One server at a node that shares its keys with nobody, with these words more in its command, that hands out a
    /// file of so many bytes; it runs.
    ///
    /// # Errors
    /// If this process is not the tool, or the server does not begin.
    pub(crate) fn alone(
        network: &Network,
        node: usize,
        more: &[&str],
        (bytes, rng): (u64, &mut Rng),
    ) -> Result<Fleet, RealError> {
        let mut fleet = Fleet { shares_keys: false, ..Fleet::new(network, &[node], bytes, rng)?.with(more) };
        fleet.start(network, 0)?;
        Ok(fleet)
    }

    /// The same, with these words more in the commands of those that are started from now on.
    pub(crate) fn with(self, more: &[&str]) -> Fleet {
        Fleet { more: more.iter().map(|word| (*word).to_owned()).collect(), ..self }
    }

    /// The file.
    pub(crate) fn file(&self) -> Arc<[u8]> {
        Arc::clone(&self.file)
    }

    /// Hands out another file, too.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn add(&self, name: &str, bytes: &[u8]) -> Result<(), RealError> {
        fs::write(self.folder.path().join(TREE).join(name), bytes).map_err(RealError::System)
    }

    /// The process of a replica, if it runs.
    pub(crate) fn pid(&self, which: usize) -> Option<u32> {
        self.replicas[which].child.as_ref().map(|child| child.0.id())
    }

    /// Who they are, and where: the sprayer if there is one, else these replicas.
    pub(crate) fn places(&self, from: &[usize]) -> (Eid, Vec<SocketAddr>) {
        let place = |which: &usize| SocketAddr::new(self.replicas[*which].address, PORT);
        let places = match &self.sprayer {
            Some((_, address)) => vec![*address],
            None => from.iter().map(place).collect(),
        };
        (self.eid, places)
    }

    /// How many replicas there are.
    pub(crate) fn len(&self) -> usize {
        self.replicas.len()
    }

    /// Starts a replica, and waits until it serves.
    ///
    /// # Errors
    /// If it does not.
    pub(crate) fn start(&mut self, network: &Network, which: usize) -> Result<(), RealError> {
        self.spawn(network, which)?;
        let began = Origin::now();
        while !self.serves(which) {
            if began.elapsed() > PATIENCE {
                let said = fs::read_to_string(self.path(which, "said")).unwrap_or_default();
                return Err(broken(format_args!("a server does not begin: {}", said.trim())));
            }
            began.rest_until(began.elapsed() + LOOK);
        }
        Ok(())
    }

    /// Starts a replica, and does not wait for it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn spawn(&mut self, network: &Network, which: usize) -> Result<(), RealError> {
        let state = format!("state-{which}");
        self.replicas[which].lives += 1;
        let Replica { node, address, .. } = self.replicas[which];
        let said = File::create(self.path(which, "said")).map_err(RealError::System)?;
        let mut command = at(self.folder.path(), tool()?);
        command.args(["--json", "--no-progress", "trickles", "serve", TREE, "--public"]);
        if self.shares_keys {
            command.args(["--keys", "fleet.epochs"]);
        }
        command.args(["--bind", &SocketAddr::new(address, PORT).to_string(), "--state", &state]).stdout(said);
        command.args(&self.more);
        // A process is where the thread is that starts it.
        let child = network.run(node, || command.spawn()).and_then(|child| child).map_err(RealError::System)?;
        self.replicas[which].child = Some(Ends(child));
        Ok(())
    }

    /// Whether the present life of a replica has said that it serves.
    pub(crate) fn serves(&self, which: usize) -> bool {
        fs::read_to_string(self.path(which, "said")).is_ok_and(|said| said.contains("\"serving\""))
    }

    /// Ends a replica at once, as nobody would who could choose.
    pub(crate) fn kill(&mut self, which: usize) {
        self.replicas[which].child = None;
    }

    /// Asks a replica to end, and answers what it then told of all that it has done.
    ///
    /// # Errors
    /// If it does not end, or says nothing.
    pub(crate) fn end(&mut self, which: usize) -> Result<Value, RealError> {
        let Some(mut child) = self.replicas[which].child.take() else { return Err(broken("it does not run")) };
        child.signal("TERM")?;
        if !child.wait() {
            return Err(broken("a server does not end"));
        }
        let said = fs::read_to_string(self.path(which, "said")).unwrap_or_default();
        let event = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        event.into_iter().find(|event| event["event"] == "served").ok_or_else(|| broken("it does not say what it did"))
    }

    /// Puts a sprayer before all replicas, on a node.
    ///
    /// # Errors
    /// If it does not begin.
    pub(crate) fn spray(&mut self, network: &Network, node: usize) -> Result<(), RealError> {
        let of = &network.topology().nodes[node];
        let address = *of.addresses.first().ok_or_else(|| RealError::Router(of.name.clone()))?;
        let (address, log) = (SocketAddr::new(address, PORT), self.folder.path().join("sprayer"));
        let mut command = at(self.folder.path(), tool()?);
        command.args(["--json", "trickles", "spray", "--listen", &address.to_string()]);
        for replica in &self.replicas {
            command.args(["--to", &SocketAddr::new(replica.address, PORT).to_string()]);
        }
        command.stdout(File::create(&log).map_err(RealError::System)?);
        let child = network.run(node, || command.spawn()).and_then(|child| child).map_err(RealError::System)?;
        let (mut child, began) = (Ends(child), Origin::now());
        while !fs::read_to_string(&log).is_ok_and(|said| said.contains("\"spraying\"")) {
            if child.has_ended() || began.elapsed() > PATIENCE {
                return Err(broken("a sprayer does not begin"));
            }
            began.rest_until(began.elapsed() + LOOK);
        }
        self.sprayer = Some((child, address));
        Ok(())
    }

    /// Begins a download of the file on a node, from the sprayer if there is one, else from these replicas by a policy.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn download(
        &mut self,
        network: &Network,
        node: usize,
        policy: &str,
        from: &[usize],
    ) -> Result<Download, RealError> {
        let (_, places) = self.places(from);
        let places = places.iter().map(SocketAddr::to_string).collect::<Vec<_>>().join(",");
        self.clients += 1;
        let home = self.folder.path().join(format!("client-{}", self.clients));
        fs::create_dir_all(&home).map_err(RealError::System)?;
        let (said, copy) = (home.join("said"), home.join("copy"));
        let mut command = at(&home, tool()?);
        command.args(["--json", "--no-progress", "trickles", "get", "--pick", policy, "-o", "copy"]);
        command.arg(format!("tng://{}@{places}/{FILE}", self.eid));
        command.stdout(File::create(&said).map_err(RealError::System)?);
        let child = network.run(node, || command.spawn()).and_then(|child| child).map_err(RealError::System)?;
        Ok(Download { child: Ends(child), began: Origin::now(), home, copy, said, sampled: Vec::new() })
    }

    /// What became of a download that has ended.
    ///
    /// # Errors
    /// If it failed.
    pub(crate) fn fetched(&self, download: &Download, took: Duration) -> Result<Fetched, RealError> {
        let said = fs::read_to_string(&download.said).unwrap_or_default();
        let events: Vec<Value> = said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let stats = events.iter().find(|event| event["event"] == "stateless");
        let Some(stats) = stats else { return Err(broken(format_args!("a client says nothing: {}", said.trim()))) };
        let count = |name: &str| stats[name].as_u64().unwrap_or(0);
        Ok(Fetched {
            took,
            is_whole: fs::read(&download.copy).is_ok_and(|copy| copy == *self.file),
            connections: count("connections"),
            timeouts: count("timeouts"),
            lost: count("lost"),
            packets: count("packets"),
            failure: events.iter().find(|event| event["event"] == "error").map(Value::to_string),
        })
    }

    fn path(&self, which: usize, what: &str) -> PathBuf {
        self.folder.path().join(format!("replica-{which}-{}.{what}", self.replicas[which].lives))
    }
}

/// A download under way.
#[derive(Debug)]
pub(crate) struct Download {
    child: Ends,
    began: Origin,
    home: PathBuf,
    copy: PathBuf,
    said: PathBuf,
    sampled: Vec<(Duration, u64)>,
}

/// What became of one.
#[derive(Clone, Debug)]
pub(crate) struct Fetched {
    /// How long it took, from the start of the process to its end.
    pub(crate) took: Duration,
    /// Whether every byte is right.
    pub(crate) is_whole: bool,
    /// Connections that it had.
    pub(crate) connections: u64,
    /// Timeouts that it asked for.
    pub(crate) timeouts: u64,
    /// Packets that it took for lost.
    pub(crate) lost: u64,
    /// Packets that came.
    pub(crate) packets: u64,
    /// What it said went wrong.
    pub(crate) failure: Option<String>,
}

impl Download {
    /// How long it took, if it has ended.
    pub(crate) fn has_ended(&mut self) -> Option<Duration> {
        self.child.has_ended().then(|| self.began.elapsed())
    }

    /// How much of the file has come so far.
    pub(crate) fn bytes(&self) -> u64 {
        let len = |path: PathBuf| fs::metadata(path).map_or(0, |found| found.len());
        // What a file is called until it is whole: docs/files.md.
        let digits = blake3::hash(self.copy.file_name().unwrap_or_default().as_encoded_bytes()).to_hex();
        let draft = self.copy.with_file_name(format!(".tng-{}.part", &digits[..32]));
        len(draft).max(len(self.copy.clone()))
    }

    /// Writes down how much has come.
    pub(crate) fn sample(&mut self) {
        self.sampled.push((self.began.elapsed(), self.bytes()));
    }

    /// What was written down: times since it began, and bytes.
    pub(crate) fn sampled(&self) -> &[(Duration, u64)] {
        &self.sampled
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        let _ = self.child.0.kill();
        let _ = self.child.0.wait();
        let _ = fs::remove_dir_all(&self.home);
    }
}
