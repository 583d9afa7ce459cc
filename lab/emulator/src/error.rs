//! Why there is no network.

use std::io;

use crate::plan::TopologyError;

/// Why a network does not stand.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The caller's fault: the topology makes no sense.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The environment's: this user may not make network namespaces.
    #[error("network namespaces and TUN devices need root; run the same command with sudo")]
    NotRoot,
    /// The environment's: the kernel has no TUN devices, or hides them.
    #[error("there is no /dev/net/tun; load the module `tun`, or give the container that device")]
    NoTun,
    /// The environment's: there is no `ip` tool.
    #[error("the tool `ip` is missing; install iproute2")]
    NoTool,
    /// The environment's: there is a namespace of this name, and it is not ours.
    #[error(
        "there is a network namespace {0:?} already; give the network another name, or remove it with `ip netns del \
         {0}`"
    )]
    Taken(String),
    /// The environment's: `ip` refused something.
    #[error("setting up {node}: ip: {why}")]
    Tool {
        /// The node.
        node: String,
        /// What it said.
        why: String,
    },
    /// The environment's: a system call failed.
    #[error("setting up {node}: {what}: {error}")]
    System {
        /// The node.
        node: String,
        /// What was tried.
        what: String,
        /// The system's word.
        error: io::Error,
    },
}
