//! The API over real sockets on the loopback, by subject.

#![allow(clippy::unwrap_used, reason = "these are tests")]

mod bytes;
mod drops;
mod hosts;
mod moves;
mod paths;
mod requests;
mod settings;
mod stateless;
mod substreams;
mod threads;
