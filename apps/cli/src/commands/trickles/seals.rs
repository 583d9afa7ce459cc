//! Whether seals are left out (docs/trickles.md, "A wire that is trusted"): both ends are told, and not told by each
//! other.

use clap::Args;
use tng::trickles::ClientConfig;

/// What a server is told of seals.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ServedSeals {
    /// Do not encrypt or authenticate requests, responses and continuations: only for devices on a trusted wire.
    /// Clients must say --danger-plain too, or are refused
    #[arg(long)]
    pub danger_plain: bool,
}

/// What a client is told of seals.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AskedSeals {
    /// Do not encrypt or authenticate requests, responses and continuations, as servers with --danger-plain (others
    /// refuse it): anyone on the wire can read and change the data
    #[arg(long)]
    pub danger_plain: bool,
}

impl AskedSeals {
    /// Settings of such a client.
    pub fn config(self) -> ClientConfig {
        ClientConfig { danger_plain: self.danger_plain, ..ClientConfig::default() }
    }
}
