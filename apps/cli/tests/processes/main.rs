//! The tool as real processes that talk over the loopback, or between network namespaces.

mod applications;
mod attacks;
mod behind_nats;
mod bench;
mod besieged;
mod blocks;
mod browsers;
mod clusters;
mod dead;
mod delayed;
mod disks;
mod fleets;
mod forwarded;
mod gateways;
#[cfg(feature = "guests")]
mod governed;
#[cfg(feature = "guests")]
mod guests;
mod hashing;
mod helped;
mod in_path;
mod interruptions;
mod listings;
mod memory;
mod namespaces;
mod pipes;
#[cfg(feature = "guests")]
mod policies;
mod programs_in_c;
mod refusals;
mod registries;
mod relays;
mod replicas;
mod siblings;
mod special;
mod sprayed;
#[cfg(feature = "guests")]
mod status;
#[cfg(feature = "guests")]
mod stores;
#[cfg(feature = "guests")]
mod strangers;
mod synced;
mod threads;
mod throttled;
mod tickets;
mod transports;
mod trees;
mod trickles;
mod tunnels;
mod upgrades;
mod uploads;
mod waits;
mod web;
mod words;
