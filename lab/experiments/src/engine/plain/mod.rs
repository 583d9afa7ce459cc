//! Flows over transports whose streams are bytes and an end, and have neither children nor, all of them, priorities.
//!
//! * [`scripted`]: what such a [transport](crate::peers::transport) must be able to do.
//! * [`app`]: the application beside it, which is the same for all of them.
//! * [`tcp`], [`quic`], [`stp`]: those that are.
//!
//! A stream begins with its number, four bytes; a datagram with the number of its group, whose first bit is set, and
//! its own.

mod app;
pub(crate) mod quic;
pub(crate) mod scripted;
pub(crate) mod stp;
pub(crate) mod tcp;
