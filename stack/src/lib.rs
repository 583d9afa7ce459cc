//! Assembles the layers into a [`Host`]: the only place where layers meet.
//!
//! * [`Host`]: every connection of one identity, as one machine.
//! * [`HostConfig`], [`Access`], [`Target`]: what it is told.
//! * [`HostEvent`], [`ConnectError`], [`CloseCause`]: what it tells.
#![forbid(unsafe_code)]

mod admission;
mod assemble;
mod codes;
mod config;
mod connection;
mod dial;
mod error;
mod event;
mod host;
mod link;
mod schedule;
mod stats;
mod table;

pub use assemble::{PROTOCOL, UDP_PAYLOAD_MAX};
pub use config::{Access, DEFAULT_CONTROLLER, HostConfig, Target};
pub use dial::{ADDRESSES_MAX, REPEAT_FIRST, REPEAT_MAX};
pub use error::{CloseCause, ConnectError};
pub use event::{ConnectionId, EventKind, HostEvent};
pub use host::{ANSWERS_WAITING_MAX, Host};
pub use link::{BATCH_BYTES_MAX, BATCH_DATAGRAMS_MAX, LINGER_MAX};
pub use stats::ConnectionStats;
pub use tng_isolation::Identity;
pub use tng_semantic::structured;
