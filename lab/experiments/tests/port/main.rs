//! Several machines on one UDP port: two hosts, a host and a helper, a host and a protocol of another range.

#![allow(clippy::unwrap_used, reason = "these are tests")]

mod apps;
mod hostile;
mod simulated;
mod sockets;
mod toy;
