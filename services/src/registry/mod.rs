//! The registry service, protocol [`PROTOCOL`]: where hosts say how they are found, and are found by their keys
//! (SST 3.2, Tng 4.1).
//!
//! A host signs a [`Statement`] of where it is. A registry keeps the newest one of each host in a [`Store`] for as long
//! as the host's lease lasts, and hands it to those whom the host's [`Policy`] lets look it up. It introduces hosts to
//! each other, too: each is told the address from which the registry sees the other. What a registry says is believed
//! only as far as the host has signed it. Each exchange is a request: an [`Ask`], and an [`Answer`] or several.
//! `docs/registry.md` says how it works, `docs/wire.md` section 14 has the bytes.

mod battery;
mod desk;
mod memory;
mod policy;
mod statement;
mod store;
mod wire;

pub use battery::battery;
pub use desk::{
    COUNTED_AT_FIRST, Caller, Desk, DeskConfig, HOSTS_COUNTED, INTRODUCED_BURST, INTRODUCED_FOR_OTHERS,
    INTRODUCED_PER_S, INTRODUCES_BURST, INTRODUCES_PER_S, PEERS_COUNTED, Push,
};
pub use memory::Memory;
pub use policy::{Policy, TokenHash};
pub use statement::{Flaw, Order, Record, Statement, Succession, Word};
pub use store::{Change, Entry, Heard, Put, Store, StoreError, Waits};
pub use tng_stack::Network;
pub use wire::{Answer, Ask, Attended, Denied, Introduced, NONCE_LEN, Role, body_len};

/// The service's name.
pub const SERVICE: &str = "registry";
/// The protocol's name.
pub const PROTOCOL: &str = "tng-registry/1";

/// Bytes before the body of a message: its type, and its length in two.
pub const HEAD_LEN: usize = crate::framed::HEAD_LEN;
/// Longest body of a message in bytes.
pub const BODY_MAX: usize = 2_048;
/// Most addresses in a record.
pub const ADDRESSES_MAX: usize = 8;
/// Most addresses of a registry that attends to a host.
pub const REGISTRY_ADDRESSES_MAX: usize = 2;
/// Most hosts that a policy lists.
pub const LISTED_MAX: usize = 32;
/// A host whose clock is so far from another's is believed still, in seconds: a statement is good so long beyond its
/// end.
pub const CLOCKS_APART_MAX_S: u64 = 600;
