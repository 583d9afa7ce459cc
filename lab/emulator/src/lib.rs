//! Links of the simulator in real time: between network namespaces of this machine, for kernel TCP and programs of any
//! kind.
//!
//! A [`Topology`] is nodes and links. A [`Network`] is one that stands: each node is a network namespace, each end of a
//! link a TUN device in it, and between the two devices an [`Emulator`] carries the packets, by the very lanes
//! ([`tng_sim::LiveLane`]) that a simulated world is made of: rate, delay, jitter, loss, reordering, duplication and
//! queue disciplines are one and the same.
//!
//! ```no_run
//! use std::time::Duration;
//! use tng_emulator::{Names, Network, Topology};
//!
//! let link = tng_sim::Link::new().rate(20_000_000).delay(Duration::from_millis(25));
//! let network = Network::start(&Topology::pair(7, &link), &Names::Private)?;
//! let listener = network.run(1, || std::net::TcpListener::bind("10.0.0.2:80"))?;
//! let stream = network.run(0, || std::net::TcpStream::connect("10.0.0.2:80"))?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! Needs root, `/dev/net/tun` and the `ip` tool of iproute2. Linux only.
//!
//! Read in this order: [`plan`] (what a topology becomes), [`Network`], [`Emulator`], [`Lateness`] (how well it kept
//! time).

pub mod check;
mod clock;
pub mod control;
mod emulator;
mod error;
mod files;
mod ip;
mod lateness;
mod namespace;
pub mod network;
pub mod plan;
pub mod run_dir;
mod stamps;
pub mod status;
mod system;
pub mod tcp;
pub mod transfer;
mod waking;

pub use emulator::{Emulator, LaneFigures, PACKET_MAX, READ_BATCH};
pub use error::NetworkError;
pub use files::open_many;
pub use lateness::{Lateness, Percentiles};
pub use namespace::Namespace;
pub use network::{Names, Network, hindrance};
pub use plan::{LINKS_MAX, NODES_MAX, Topology, TopologyError, TopologyLink, TopologyNat, TopologyNode};
pub use run_dir::{RunDir, Standing, State};
pub use status::Status;
pub use system::open_tun;
pub use transfer::{Amount, Span, Transfer, TransferFigures};
