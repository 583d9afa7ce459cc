//! Code as a service (docs/stp.md, "Shipping"): what this host gives to peers and takes from them, and what it asks
//! them for.

mod client;
mod error;
mod serve;

pub use client::{FETCH_WITHIN, PUSH_WITHIN, fetch_code, fetch_text, push_code};
pub use error::CodeError;
pub use serve::{TRANSFERS_MAX, TRANSFERS_PER_CONNECTION_MAX};
