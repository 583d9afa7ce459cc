//! A guest in the receiver's role: it has no channel, since its server keeps nothing of a connection
//! (docs/decisions/0045-a-guest-without-a-channel.md, Trickles 7.2).
//!
//! A [`Receiver`] is the host's side. It sets up a Trickles connection with one server, which proves its key and its
//! address by that; seals each request of the guest, and opens each response. The guest hears what that server answers
//! and nothing else, and sends to that server and nowhere else: as an acknowledger does, at most as many datagrams as
//! came, and as many bytes, and a few a second.
//!
//! It is a machine on a port beside others.
#![forbid(unsafe_code)]

mod dialing;
mod receiver;
mod seals;

pub use receiver::{Event, FUEL_MAX, MEMORY_MAX, Receiver, ReceiverConfig, ReceiverError, SET_UP_EVERY, quotas};
pub use seals::REQUESTS_HELD_MAX;
