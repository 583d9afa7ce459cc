//! haproxy in TCP mode on a node: it ends each connection of the kernel's TCP, and opens another one.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use tng_emulator::Network;
use tng_emulator::tcp::{PORT, kernel_name};

use super::RealError;
use super::listening::comes_to_listen;

/// A proxy on a node. It ends with this value.
#[derive(Debug)]
pub(crate) struct Proxy {
    child: Child,
    address: SocketAddr,
    _folder: TempDir,
}

impl Proxy {
    /// Starts one that leads to `onward`; what it sends is under this controller of the kernel.
    ///
    /// # Errors
    /// If there is no haproxy, or it does not begin.
    pub(crate) fn start(
        network: &Network,
        node: usize,
        onward: SocketAddr,
        controller: &str,
    ) -> Result<Proxy, RealError> {
        let place = &network.topology().nodes[node];
        let ip = *place.addresses.first().ok_or_else(|| RealError::Router(place.name.clone()))?;
        let (address, folder) = (SocketAddr::new(ip, PORT), tempfile::tempdir().map_err(RealError::System)?);
        let file = folder.path().join("haproxy.cfg");
        let text = format!(
            "global\n    maxconn 5000\ndefaults\n    mode tcp\n    timeout connect 30s\n    timeout client 600s\n    \
             timeout server 600s\nlisten split\n    bind {address}\n    server onward {onward}\n"
        );
        fs::write(&file, text).map_err(RealError::System)?;
        let mut command = Command::new("haproxy");
        // In the foreground.
        command.arg("-db").arg("-f").arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let controller = kernel_name(Some(controller));
        let started = network.run(node, || govern(controller).and_then(|()| command.spawn()));
        let missing = |error| RealError::Program(format!("haproxy does not begin: {error}; apt-get install haproxy"));
        let child = started.and_then(|child| child).map_err(missing)?;
        let mut proxy = Proxy { child, address, _folder: folder };
        match comes_to_listen(network, (node, PORT), &mut proxy.child) {
            true => Ok(proxy),
            false => Err(RealError::Program(format!("haproxy does not listen at {address}"))),
        }
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Has the kernel send under this controller wherever a route leads, in the namespace of the thread: not every one may
/// be a namespace's default.
fn govern(controller: &str) -> io::Result<()> {
    let ip = |args: &[&str]| {
        let output = Command::new("ip").args(args).stdin(Stdio::null()).output()?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        }
    };
    for route in ip(&["-4", "route", "show"])?.lines() {
        let words: Vec<&str> = ["route", "replace"].into_iter().chain(route.split_whitespace()).collect();
        ip(&[&words[..], &["congctl", controller]].concat())?;
    }
    Ok(())
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
