//! A deterministic network in virtual time.
//!
//! A [`World`] owns a clock, one seed, [`Node`]s (hosts that run machines, and routers) and [`Link`]s between them.
//! Nothing in it depends on the wall clock, on addresses in memory or on the order of a hash table: the same seed and
//! the same calls give the same packets at the same nanoseconds, which [`World::digest`] shows.
//!
//! ```
//! use core::time::Duration;
//! use tng_base::{Input, Instant};
//! use tng_sim::{Link, Node, Outbox, World};
//!
//! struct Silent;
//! impl Node for Silent {
//!     fn handle_input(&mut self, _: Instant, _: Input<'_>) {}
//!     fn handle_timeout(&mut self, _: Instant) {}
//!     fn poll(&mut self, _: Instant, _: &mut Outbox) -> Option<Instant> {
//!         None
//!     }
//! }
//!
//! let mut world = World::new(7);
//! let a = world.host("a", &["10.0.0.1".parse().unwrap()], Silent);
//! let r = world.router("r");
//! let b = world.host("b", &["10.0.0.2".parse().unwrap()], Silent);
//! world.connect(a, r, &Link::new().rate(100_000_000).delay(Duration::from_millis(1)));
//! world.connect(r, b, &Link::new().rate(10_000_000).delay(Duration::from_millis(20)));
//! world.run_until(Instant::from_secs(1));
//! ```
//!
//! Read in this order: [`Node`] and [`MachineNode`] (what runs in the world), [`Link`] and [`Loss`] (what happens to
//! packets), [`World`] (how to drive it), [`topology`] (ready-made worlds). [`LiveLane`] is one direction of a link
//! without a world, for those whose clock is a real one.
#![forbid(unsafe_code)]

mod delivery;
mod dice;
mod fault;
mod host;
mod lane;
mod link;
mod live;
mod machine;
mod nat;
mod net;
mod node;
mod packet;
mod pattern;
mod radio;
mod recorder;
mod route;
mod schedule;
mod stats;
#[cfg(test)]
mod tests;
pub mod topology;
mod world;

pub use delivery::{DeliveryTrace, DeliveryTraceError, OPPORTUNITIES_MAX, OPPORTUNITY_BYTES, TRACE_TIME_MAX};
pub use dice::fork;
pub use fault::{Loss, Reorder};
pub use host::PORT;
pub use link::{Carrier, DATAGRAM_OVERHEAD, LaneId, Link, LinkId, SEGMENT_OVERHEAD};
pub use live::LiveLane;
pub use machine::{App, MachineNode};
pub use nat::{
    NAT_FORGETS, Nat, NatConfig, NatDrop, NatFilter, NatMapping, NatPorts, PacketEnd, address_words, patch_checksum,
    ports_of, readdress,
};
pub use node::{BATCH_BYTES_MAX, Node, NodeId, Outbox};
pub use packet::Packet;
pub use pattern::{LineFault, PATTERN_HOLD, PATTERN_PACKETS_MAX, PATTERNS_MAX, PatternError, Patterns};
pub use radio::{RADIO_TIME_MAX, Radio};
pub use recorder::Comments;
pub use stats::{DropCause, LaneStats, QueueLook};
pub use tng_trace::IpProtocol;
pub use world::{Behind, Tap, World};
