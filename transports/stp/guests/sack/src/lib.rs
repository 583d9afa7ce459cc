//! TCP with selective acknowledgments as a guest (STP 5.1.3): RFC 2018 and 6675.
#![cfg_attr(target_arch = "wasm32", no_std)]

use stp_guest_tcp::Tcp;

/// The peer says what it has, and the sender sends again what it has not.
pub type Sack = Tcp<true>;

#[cfg(target_arch = "wasm32")]
use stp_guest_runtime as _;

#[cfg(target_arch = "wasm32")]
tng_stp_abi::export_transport!(crate::Sack);
