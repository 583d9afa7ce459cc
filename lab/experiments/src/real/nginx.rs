//! nginx on a node: files over HTTP and the kernel's TCP, by as many processes as it is told.

use core::fmt::Display;
use std::fs;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tng_emulator::Network;
use tng_emulator::transfer::Origin;

use super::RealError;
use super::listening::{comes_to_listen, listens};

/// Where it listens.
const PORT: u16 = 8_080;
/// Connections that one of its processes may have.
const CONNECTIONS_MAX: u32 = 32_768;
/// How long it may take to end.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(2);

/// A server on a node. It ends with this value.
#[derive(Debug)]
pub(crate) struct Nginx {
    folder: TempDir,
    node: usize,
    address: SocketAddr,
    child: Option<Child>,
}

fn broken(what: impl Display) -> RealError {
    RealError::Program(what.to_string())
}

impl Nginx {
    /// One at the first address of a node that serves these files in so many processes; in one alone that one is
    /// nginx itself, and can be killed.
    ///
    /// # Errors
    /// If there is no nginx, or it does not begin.
    pub(crate) fn start(
        network: &Network,
        node: usize,
        files: &[(&str, &[u8])],
        processes: u32,
    ) -> Result<Nginx, RealError> {
        let place = &network.topology().nodes[node];
        let ip = *place.addresses.first().ok_or_else(|| RealError::Router(place.name.clone()))?;
        let (address, folder) = (SocketAddr::new(ip, PORT), tempfile::tempdir().map_err(RealError::System)?);
        let tree = folder.path().join("tree");
        fs::create_dir(&tree).map_err(RealError::System)?;
        files.iter().try_for_each(|(name, bytes)| fs::write(tree.join(name), bytes)).map_err(RealError::System)?;
        let at = folder.path().display();
        let master = if processes > 1 { "on" } else { "off" };
        let places: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {at}/{kind};\n"))
            .concat();
        // The folder is its owner's alone.
        let text = format!(
            "daemon off; master_process {master}; worker_processes {processes}; user root; pid {at}/pid;\n\
             error_log {at}/said; worker_rlimit_nofile {};\nevents {{ worker_connections {CONNECTIONS_MAX}; }}\n\
             http {{ access_log off; sendfile on; open_file_cache max=100; send_timeout 1h;\n{places}\
             server {{ listen {address} backlog=16384; root {at}/tree; }} }}\n",
            2 * CONNECTIONS_MAX,
        );
        fs::write(folder.path().join("nginx.conf"), text).map_err(RealError::System)?;
        let mut nginx = Nginx { folder, node, address, child: None };
        nginx.spawn(network)?;
        if !nginx.child.as_mut().is_some_and(|child| comes_to_listen(network, (node, PORT), child)) {
            let said = fs::read_to_string(nginx.folder.path().join("said")).unwrap_or_default();
            return Err(broken(format_args!("nginx does not listen at {address}: {}", said.trim())));
        }
        Ok(nginx)
    }

    /// Starts it, and does not wait for it.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn spawn(&mut self, network: &Network) -> Result<(), RealError> {
        let mut command = Command::new("nginx");
        command.arg("-c").arg(self.folder.path().join("nginx.conf")).arg("-p").arg(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = network.run(self.node, || command.spawn()).and_then(|child| child);
        let missing = |error| broken(format_args!("nginx does not begin: {error}; apt-get install nginx-light"));
        self.child = Some(child.map_err(missing)?);
        Ok(())
    }

    /// Ends one of one process at once, as nobody would who could choose.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Hands out another file, too.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn add(&self, name: &str, bytes: &[u8]) -> Result<(), RealError> {
        fs::write(self.folder.path().join("tree").join(name), bytes).map_err(RealError::System)
    }

    /// Whether somebody listens there.
    pub(crate) fn listens(&self, network: &Network) -> bool {
        listens(network, (self.node, PORT))
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// All its processes.
    pub(crate) fn pids(&self) -> Vec<u32> {
        let Some(first) = self.child.as_ref().map(Child::id) else { return Vec::new() };
        let further = fs::read_to_string(format!("/proc/{first}/task/{first}/children")).unwrap_or_default();
        [first].into_iter().chain(further.split_whitespace().filter_map(|pid| pid.parse().ok())).collect()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let Some(child) = &mut self.child else { return };
        // Its processes end when it is asked to, and outlive it when it is killed.
        let asked = Command::new("kill").args(["-s", "TERM", &child.id().to_string()]).status();
        let began = Origin::now();
        while asked.is_ok() && began.elapsed() < PATIENCE && child.try_wait().is_ok_and(|ended| ended.is_none()) {
            began.rest_until(began.elapsed() + LOOK);
        }
        self.kill();
    }
}
