//! The semantic layer (Tng 3): what applications see of a connection.
//!
//! A semantic protocol is a [`tng_base::Protocol`] above a channel. [`structured`] is the one built in: SST's
//! structured streams. Others stand beside it, not under it.
#![forbid(unsafe_code)]

pub mod structured;
