//! TCP NewReno as a guest (STP 5.1.2): RFC 5681 and 6582.
#![cfg_attr(target_arch = "wasm32", no_std)]

use stp_guest_tcp::{Modern, Tcp};

/// The sender learns of one loss in a round trip.
pub type NewReno = Tcp<Modern>;

#[cfg(target_arch = "wasm32")]
use stp_guest_runtime as _;

#[cfg(target_arch = "wasm32")]
tng_stp_abi::export_transport!(crate::NewReno);
