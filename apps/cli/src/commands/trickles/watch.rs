//! How those who run a daemon watch it.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use crate::daemon::lines::LogPlace;

/// Where a daemon answers those who watch it. Each command says itself what the lines of its access log are of.
#[derive(Args, Clone, Debug)]
pub(super) struct WatchArgs {
    /// Control socket, for `tng trickles status --control SOCKET`
    #[arg(long, value_name = "SOCKET")]
    pub(super) control: Option<PathBuf>,
    /// Serve /metrics (for Prometheus) and /healthz over HTTP at this address
    #[arg(long, value_name = "IP:PORT")]
    pub(super) http: Option<SocketAddr>,
    /// Log lines of JSON to this file, or to stdout (-)
    #[arg(long, value_name = "FILE")]
    access_log: Option<PathBuf>,
}

impl WatchArgs {
    /// Where lines of the access log go, if there is one.
    pub(super) fn access_log(&self) -> Option<LogPlace> {
        self.access_log.clone().map(LogPlace::of_argument)
    }
}

/// The same of a daemon that gives up what it does not need.
#[derive(Args, Clone, Debug)]
pub(super) struct ConfinedArgs {
    #[command(flatten)]
    pub(super) watch: WatchArgs,
    /// Do not enter the sandbox (Landlock, seccomp)
    #[arg(long)]
    no_sandbox: bool,
}

impl ConfinedArgs {
    /// Whether it does.
    pub(super) fn sandbox(&self) -> bool {
        !self.no_sandbox
    }
}
