//! etcd v3, by its JSON gateway (HTTP/1.1): what keeps something for several processes of a fleet. Registries keep in
//! it what hosts say (docs/registry.md, "Stores"), servers without state the secrets of their fleet (docs/trickles.md).
//!
//! * [`place`]: a cluster and what of it is ours, as a word on a command line.
//! * [`client`]: what asks its members, the next one when one does not answer; [`calls`]: what they are asked.
//! * [`members`]: processes of etcd, for tests and measurements.

pub mod calls;
pub mod client;
pub mod members;
pub mod place;

pub use calls::{Change, Kv, Outcome, Range, Watching};
pub use client::{Etcd, EtcdError};
pub use place::EtcdPlace;
