//! What happened, written down.
//!
//! * [`Digest`]: a fingerprint of everything that happened to packets, to show that two runs were the same.
//! * [`Pcapng`]: captures for Wireshark, of datagrams that never had a header.
//!
//! Nothing here reads a clock or opens a file: times and outputs are given.
#![forbid(unsafe_code)]

mod digest;
mod pcapng;

pub use digest::Digest;
pub use pcapng::{Captured, Direction, InterfaceId, IpProtocol, Pcapng};
