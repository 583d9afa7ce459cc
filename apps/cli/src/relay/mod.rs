//! `tng relay`: helpers on real networks (docs/relay.md).
//!
//! * [`config`]: what a file says; [`clients`]: for whom, and on what terms.
//! * [`daemon`]: the process, from its sockets to its end; what it has in common with others is in [`crate::daemon`].
//! * [`ticket`]: what leads clients to it.
//! * [`denials`]: who is denied help; [`remarks`]: what is perhaps not meant in a file.
//! * [`in_path`]: where it stands in the path, and offers itself; [`registry`]: where it is a registry as well.
//! * [`tunnels`]: flows of unmodified programs, from a device or a port here to one at another relay.
//! * [`status`]: what it tells of itself; [`journal`]: a line for each flow.

pub mod clients;
pub mod config;
pub mod daemon;
pub mod denials;
pub mod in_path;
pub mod journal;
pub mod registry;
pub mod remarks;
pub mod status;
pub mod ticket;
pub mod tunnels;

use crate::daemon::Kind;
use crate::secret::SecretFile;

/// The file of the secret from which capabilities and resets follow.
const SECRET: SecretFile = SecretFile {
    what: "the relay's secret",
    prefix: "tngrelay1",
    name: "relay-secret",
    remedy: "the right file; or move it away for a new one, with which no capability is good any more",
};

/// What a relay is called.
pub const RELAY: Kind = Kind { name: "relay", command: "tng relay", unit: "tng-relay", metrics: "tng_relay" };
