//! A network of namespaces, and processes of this program in them.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;
use tng_emulator::Network;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;

use super::transfer::START_MAX;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::leash;

/// The network, and the folder in which its processes run.
pub(super) struct Site {
    pub(super) folder: PathBuf,
    pub(super) network: Network,
}

impl Site {
    /// Starts this program on a node.
    ///
    /// # Errors
    /// If the system refuses it.
    pub(super) fn start(&self, node: usize, name: &str, args: &[&str]) -> Result<Child, Failure> {
        let what = format!("starting the {name}");
        let program = std::env::current_exe().map_err(|error| Failure::read(&*what, &error))?;
        let mut command = Command::new(program);
        command.args(args).args(["--json", "--quiet"]).current_dir(&self.folder);
        command.env("XDG_CONFIG_HOME", &self.folder).stdout(Stdio::piped()).kill_on_drop(true);
        leash::tie(command.as_std_mut(), &self.folder);
        let runtime = Handle::current();
        let spawned = self.network.run(node, || {
            let _entered = runtime.enter();
            command.spawn()
        });
        spawned.and_then(|child| child).map_err(|error| Failure::read(what, &error))
    }
}

/// A process that has said where it is.
pub(super) struct Running {
    pub(super) child: Child,
    pub(super) said: Value,
}

impl Running {
    /// Waits for what it says first.
    ///
    /// # Errors
    /// If that does not come.
    pub(super) async fn of(mut child: Child, who: &str) -> Result<Running, Failure> {
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            let _ = tokio::time::timeout(START_MAX, BufReader::new(stdout).read_line(&mut line)).await;
        }
        match serde_json::from_str(&line) {
            Ok(said) => Ok(Running { child, said }),
            Err(_) => Err(Failure::new(Exit::Connect, format!("starting {who}"), "it does not say where it is")),
        }
    }
}
