//! Flows over transports whose streams are bytes and an end, and have neither children nor, all of them, priorities.
//!
//! * [`transport`]: what such a transport can do.
//! * [`app`]: the application beside it, which is the same for all of them.
//! * [`tcp`]: the reference TCP as one; every stream is a connection.
//! * [`quic`]: QUIC as one.
//!
//! A stream begins with its number, four bytes; a datagram with the number of its group, whose first bit is set, and its own.

mod app;
pub(crate) mod quic;
pub(crate) mod tcp;
mod transport;

pub(crate) use transport::Rtt;
