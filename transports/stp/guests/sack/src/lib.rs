//! TCP with selective acknowledgments as a guest (STP 5.1.3): RFC 2018 and 6675.
#![cfg_attr(target_arch = "wasm32", no_std)]

use stp_guest_tcp::{Recovery, Standard, Tcp, Traits, Variant};

/// What it does and does not do.
#[derive(Clone, Debug)]
pub struct Kind;

impl Variant for Kind {
    const IS: Traits = Traits { recovery: Recovery::Sack, says_blocks: true, ..Traits::MODERN };
    type Law = Standard;
}

/// The peer says what it has, and the sender sends again what it has not.
pub type Sack = Tcp<Kind>;

#[cfg(target_arch = "wasm32")]
use stp_guest_runtime as _;

#[cfg(target_arch = "wasm32")]
tng_stp_abi::export_transport!(crate::Sack);
