//! See [`stp_guest_variants::HeaderPrediction`].
#![cfg_attr(target_arch = "wasm32", no_std)]

#[cfg(target_arch = "wasm32")]
use stp_guest_runtime as _;

#[cfg(target_arch = "wasm32")]
tng_stp_abi::export_transport!(stp_guest_variants::HeaderPrediction);
