//! The tool as real processes that talk over the loopback, or between network namespaces.

mod applications;
mod attacks;
mod bench;
mod besieged;
mod delayed;
mod disks;
mod fleets;
mod forwarded;
#[cfg(feature = "guests")]
mod guests;
mod hashing;
mod helped;
mod interruptions;
mod listings;
mod memory;
mod namespaces;
mod pipes;
mod programs_in_c;
mod refusals;
mod relays;
mod replicas;
mod siblings;
mod special;
mod sprayed;
#[cfg(feature = "guests")]
mod status;
mod threads;
mod tickets;
mod trees;
mod trickles;
mod tunnels;
mod uploads;
mod waits;
mod web;
mod words;
