//! The one channel protocol (SST 4.2, Tng 6.1): numbered, acknowledged, possibly regulated, possibly armored packets.
//! Best effort, unordered; every packet has a new number, retransmissions too.
#![forbid(unsafe_code)]

mod armor;

pub use armor::{Armor, OpenError};
