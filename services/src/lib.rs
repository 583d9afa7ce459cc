//! What runs on streams: protocols of services, as plain values without any input or output of their own.
//!
//! Every top-level stream names a service and the protocol that it will speak; here are the names and the protocols
//! that come with the suite. Who reads files and who writes to sockets is the tool's business, or yours.
//!
//! * [`code`]: gives and takes transport code, by its hash.
//! * [`files`]: lists folders and hands out files, resumable and checked.
//! * [`forward`]: carries TCP connections.
//! * [`help`]: gives out what lets its holder use a helper.
//! * [`http`]: what of HTTP both sides of files read alike.
//! * [`perf`]: measures what a path carries.
//! * [`ping`]: gives back what it gets.
//! * [`pipe`]: bytes that mean nothing to us.
//! * [`registry`]: says where hosts are, and introduces them.
//! * [`seen`]: says how a host sees who asks.
//! * [`shop`]: sells, where the server keeps nothing of its clients but what they have bought.
//! * [`stateless`]: asks for files where the server keeps nothing of its clients.
//! * [`watermark`]: marks images for clients, where the server keeps nothing of them.
//!
//! Guests carry some of it (docs/decisions/0045-a-guest-without-a-channel.md): without the feature `hosts` there is
//! what needs neither keys nor hashes, and that builds for wasm32.
#![forbid(unsafe_code)]

#[cfg(feature = "hosts")]
pub mod code;
pub mod files;
pub mod forward;
mod framed;
#[cfg(feature = "hosts")]
pub mod help;
pub mod http;
pub mod perf;
pub mod ping;
pub mod pipe;
mod reason;
#[cfg(feature = "hosts")]
pub mod registry;
pub mod seen;
#[cfg(feature = "hosts")]
pub mod shop;
pub mod stateless;
pub mod watermark;

pub use reason::REASON_MAX;
