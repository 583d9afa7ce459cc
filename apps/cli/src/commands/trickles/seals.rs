//! Whether seals are left out (docs/trickles.md, "A wire that is trusted"): both ends are told, and not told by each
//! other.

use clap::Args;
use tng::trickles::ClientConfig;

/// What a server is told of seals.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ServedSeals {
    /// Leave out what seals requests, responses and continuations: for devices on a wire that nobody has access to who
    /// is not trusted. Clients are told the same (--danger-plain), or are refused
    #[arg(long)]
    pub danger_plain: bool,
}

/// What a client is told of seals.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AskedSeals {
    /// Leave out what seals requests, responses and continuations, as servers do that were told the same: anybody with
    /// access to the wire reads and changes all that comes. Others refuse it
    #[arg(long)]
    pub danger_plain: bool,
}

impl AskedSeals {
    /// Settings of such a client.
    pub fn config(self) -> ClientConfig {
        ClientConfig { danger_plain: self.danger_plain, ..ClientConfig::default() }
    }
}
