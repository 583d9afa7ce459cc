//! The Trickles client as a guest, in virtual time: shipped to a host that has never met it, and held to a receiver's
//! role.

mod download;
mod hostile;
mod purposes;
mod world;
