//! What runs on streams: protocols of services, as plain values without any input or output of their own.
//!
//! Every top-level stream names a service and the protocol that it will speak; here are the names and the protocols
//! that come with the suite. Who reads files and who writes to sockets is the tool's business, or yours.
//!
//! * [`files`]: lists folders and hands out files, resumable and checked.
//! * [`forward`]: carries TCP connections.
//! * [`help`]: gives out what lets its holder use a helper.
//! * [`perf`]: measures what a path carries.
//! * [`ping`]: gives back what it gets.
//! * [`pipe`]: bytes that mean nothing to us.
//! * [`stateless`]: asks for files where the server keeps nothing of its clients.
#![forbid(unsafe_code)]

pub mod files;
pub mod forward;
mod framed;
pub mod help;
pub mod perf;
pub mod ping;
pub mod pipe;
mod reason;
pub mod stateless;

pub use reason::REASON_MAX;
