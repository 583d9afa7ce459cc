//! Relays and registries as processes of the tool, on nodes of a network that stands.

use core::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tng::help::HelperTarget;
use tng::registry::RegistryTarget;
use tng_base::Eid;
use tng_emulator::Network;
use tng_emulator::transfer::Origin;
use tng_middlebox::{HelperConfig, Neighbourhood, Onward};

use super::RealError;

/// The program that has the relay among its commands.
const TOOL: &str = "tng";
/// Where relays listen.
const PORT: u16 = 4860;
/// How long one may take to begin, and to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether it has begun.
const LOOK: Duration = Duration::from_millis(10);

/// A relay on a node: `tng relay run`, in the node's namespace; or a registry. It ends with this value.
#[derive(Debug)]
pub(crate) struct Daemon {
    folder: TempDir,
    node: usize,
    address: IpAddr,
    eid: Eid,
    /// What the tool is told.
    args: Vec<String>,
    child: Option<Child>,
}

impl Daemon {
    /// One for this node, at its first address, that does not run yet: it has an identity.
    ///
    /// # Errors
    /// If this process is not the tool.
    pub(crate) fn new(network: &Network, node: usize) -> Result<Daemon, RealError> {
        let place = &network.topology().nodes[node];
        let address = *place.addresses.first().ok_or_else(|| RealError::Router(place.name.clone()))?;
        let folder = tempfile::tempdir().map_err(RealError::System)?;
        let mut command = Command::new(tool()?);
        command.arg("id").env_clear().env("TNG_KEY", folder.path().join("identity")).stdin(Stdio::null());
        let told = command.output().map_err(RealError::System)?;
        let eid = String::from_utf8_lossy(&told.stdout).trim().parse();
        let eid = eid.map_err(|_| RealError::Program("the tool does not tell its EID".to_owned()))?;
        let file = folder.path().join("relay.toml").display().to_string();
        let args = ["relay", "run", "--config", &file].map(str::to_owned).to_vec();
        Ok(Daemon { folder, node, address, eid, args, child: None })
    }

    /// A registry that runs, and keeps what it knows in memory.
    ///
    /// # Errors
    /// If this process is not the tool, or the registry does not begin.
    pub(crate) fn registry(network: &Network, node: usize) -> Result<Daemon, RealError> {
        let mut daemon = Daemon::new(network, node)?;
        let [key, control] = ["identity", "socket"].map(|name| daemon.path(name).display().to_string());
        let at = SocketAddr::new(daemon.address, PORT).to_string();
        let run = ["registry", "run", "--bind", &at, "--address", &at, "--key", &key, "--control", &control];
        daemon.args = run.map(str::to_owned).to_vec();
        daemon.start_again(network)?;
        Ok(daemon)
    }

    /// One that runs; its file says this beside what makes it a relay of its own.
    ///
    /// # Errors
    /// If this process is not the tool, or the relay does not begin.
    pub(crate) fn start(network: &Network, node: usize, config: &str) -> Result<Daemon, RealError> {
        let mut daemon = Daemon::new(network, node)?;
        daemon.begin(network, config)?;
        Ok(daemon)
    }

    /// Starts it; its file says this beside what makes it a relay of its own.
    ///
    /// # Errors
    /// If it does not begin.
    pub(crate) fn begin(&mut self, network: &Network, config: &str) -> Result<(), RealError> {
        let address = self.address;
        let file = |name: &str| self.path(name).display().to_string();
        let [key, secret, control] = ["identity", "secret", "socket"].map(file);
        let text = format!(
            "[relay]\nlisten = \"{}\"\nown = [\"{address}\"]\nkey = {key:?}\nsecret = {secret:?}\n\
             control = {control:?}\n{config}",
            SocketAddr::new(address, PORT),
        );
        fs::write(file("relay.toml"), text).map_err(RealError::System)?;
        self.start_again(network)
    }

    /// Starts it after it was killed: it knows who it is, and nothing of any flow.
    ///
    /// # Errors
    /// If it does not begin.
    pub(crate) fn start_again(&mut self, network: &Network) -> Result<(), RealError> {
        self.spawn(network)?;
        let began = Origin::now();
        while self.status().is_err() {
            let ended = self.child.as_mut().is_none_or(|child| child.try_wait().is_ok_and(|ended| ended.is_some()));
            if ended || began.elapsed() > PATIENCE {
                let log = fs::read_to_string(self.path("log")).unwrap_or_default();
                // What to try stands in a line of its own behind it.
                let told = log.lines().rev().find_map(|line| line.strip_prefix("tng: "));
                let why = told.unwrap_or("it does not answer");
                return Err(RealError::Program(format!("a {} does not begin: {why}", self.args[0])));
            }
            began.rest_until(began.elapsed() + LOOK);
        }
        Ok(())
    }

    /// The same without waiting until it has begun.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn spawn(&mut self, network: &Network) -> Result<(), RealError> {
        let log = fs::File::create(self.path("log")).map_err(RealError::System)?;
        let mut command = Command::new(tool()?);
        command.arg("--no-progress").args(&self.args);
        command.env_clear().env("HOME", self.folder.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        // A process is where the thread is that starts it.
        let child = network.run(self.node, || command.spawn()).and_then(|child| child).map_err(RealError::System)?;
        self.child = Some(child);
        Ok(())
    }

    /// Ends it at once, as nobody would who could choose.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// What it tells of itself.
    ///
    /// # Errors
    /// If it does not answer.
    pub(crate) fn status(&self) -> Result<Value, RealError> {
        let mut text = String::new();
        let asked = UnixStream::connect(self.path("socket")).and_then(|mut stream| {
            stream.set_read_timeout(Some(PATIENCE))?;
            writeln!(stream, "status")?;
            stream.read_to_string(&mut text)
        });
        let kind = &self.args[0];
        asked.map_err(|error| RealError::Program(format!("a {kind} does not answer: {error}")))?;
        serde_json::from_str(&text).map_err(|error| RealError::Program(format!("a {kind}'s status is none: {error}")))
    }

    /// As its clients know it.
    pub(crate) fn target(&self) -> HelperTarget {
        HelperTarget::new(self.eid, vec![SocketAddr::new(self.address, PORT)])
    }

    /// The same of a registry.
    pub(crate) fn registry_target(&self) -> RegistryTarget {
        RegistryTarget { eid: self.eid, addresses: vec![SocketAddr::new(self.address, PORT)], door: None }
    }

    /// Who it is.
    pub(crate) fn eid(&self) -> Eid {
        self.eid
    }

    /// The same and where, as `--via` and `to` take it.
    pub(crate) fn place(&self) -> String {
        format!("{}@{}", self.eid, SocketAddr::new(self.address, PORT))
    }

    /// Its process, if it runs.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The tool, which this process must be.
///
/// # Errors
/// If it is not.
pub(crate) fn tool() -> Result<PathBuf, RealError> {
    let own = std::env::current_exe().map_err(RealError::System)?;
    match own.file_name().and_then(|name| name.to_str()) {
        Some(TOOL) => Ok(own),
        _ => Err(RealError::Program(format!(
            "relays and registries are processes of the tool, and {} is not the tool; `tng lab run NAME --real` runs it",
            own.display()
        ))),
    }
}

/// What a relay's file says for it to be set to this, and to serve everybody.
///
/// # Errors
/// If it is set to what the file has no words for here.
pub(crate) fn configuration(config: &HelperConfig) -> Result<String, RealError> {
    let mut text = String::new();
    let networks = match &config.onward {
        Onward::Public => "\"public\"".to_owned(),
        // The lab's own network is told by its first address, a relay's file by what all its addresses begin with.
        Onward::Listed(networks) => format!("{:?}", networks.iter().map(network).collect::<Vec<_>>()),
    };
    // Writing to a string does not fail.
    let _ = writeln!(text, "onward = {networks}\n[elsewhere]\n{}", neighbourhood(&config.elsewhere)?);
    for (of, config) in &config.neighbourhoods {
        let _ = writeln!(text, "[[neighbourhood]]\nnetwork = {:?}\n{}", network(of), neighbourhood(config)?);
    }
    text += "[terms]\nanyone = true\n";
    Ok(text)
}

fn network(network: &tng_middlebox::Network) -> String {
    let kept = |ip: u128, width: u32| match width - u32::from(network.bits) {
        left if left >= width => 0,
        left => ip >> left << left,
    };
    let first = match network.address {
        IpAddr::V4(ip) => IpAddr::V4((kept(u128::from(u32::from(ip)), 32) as u32).into()),
        IpAddr::V6(ip) => IpAddr::V6(kept(u128::from(ip), 128).into()),
    };
    format!("{first}/{}", network.bits)
}

fn neighbourhood(config: &Neighbourhood) -> Result<String, RealError> {
    let Neighbourhood { controller, pacing, discipline, queue_time, repair, lease, offers: _ } = config;
    if discipline.is_some() {
        return Err(RealError::Program("a relay of the lab has the queues of its controllers".to_owned()));
    }
    let mut text = format!("controller = {:?}\npacing = {pacing}\n", &**controller);
    let _ = writeln!(text, "queue_time = \"{}us\"", queue_time.as_micros());
    // What is not said would be as elsewhere.
    let repair = repair.map_or("none".to_owned(), |repair| format!("{}us", repair.as_micros()));
    let lease = lease.map_or("\"none\"".to_owned(), |lease| {
        let window = lease.window.map(|bytes| format!(", window = {bytes}")).unwrap_or_default();
        format!("{{ rate = \"{}bit\"{window} }}", lease.rate * 8)
    });
    let _ = writeln!(text, "repair = {repair:?}\nlease = {lease}");
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_the_tool_starts_no_relay_and_says_so() {
        let why = tool().expect_err("a test is not the tool").to_string();
        assert!(why.contains("is not the tool") && why.contains("tng lab run"), "{why}");
    }

    #[test]
    fn a_network_is_told_by_what_its_addresses_begin_with() {
        let of =
            |address: &str, bits| network(&tng_middlebox::Network { address: address.parse().expect("one"), bits });
        assert_eq!(of("10.0.0.1", 8), "10.0.0.0/8");
        assert_eq!(of("10.0.2.1", 24), "10.0.2.0/24");
        assert_eq!((of("10.1.2.3", 0), of("fd00::7", 32)), ("0.0.0.0/0".to_owned(), "fd00::/32".to_owned()));
    }
}
