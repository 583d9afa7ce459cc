//! Registries (docs/registry.md): those that this host asks and is registered at, and one that this host is.
//!
//! * [`known`]: the registries that the command line names; [`lookup`]: what is found there; [`token`]: what lets
//!   somebody find a host.
//! * [`store`]: where a registry keeps what hosts say: memory, [`mod@file`], or [`etcd`], in several [`parts`] perhaps.
//! * [`statements`]: what a host says of its key: that another takes its place, or that it is lost.
//! * [`daemon`], [`status`]: the process of `tng registry run`.

pub mod daemon;
pub mod etcd;
pub mod file;
pub mod known;
pub mod lookup;
pub mod parts;
pub mod statements;
pub mod status;
pub mod store;
pub mod token;

use crate::daemon::Kind;

/// What a registry is called.
pub const REGISTRY: Kind =
    Kind { name: "registry", command: "tng registry", unit: "tng-registry", metrics: "tng_registry" };
