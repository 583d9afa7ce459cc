//! One file per subcommand, and what several share.

pub mod attack;
pub mod connect;
pub mod demo;
pub mod doctor;
pub mod forward;
pub mod get;
pub mod id;
pub mod lab;
pub mod link;
pub mod listen;
pub mod ls;
pub mod perf;
pub mod ping;
pub mod proxy;
pub mod put;
pub mod registry;
pub mod relay;
pub mod serve;
pub mod sim;
#[cfg(feature = "guests")]
pub mod stp;
mod sum;
pub mod ticket;
mod tree;
pub mod trickles;
