//! See [`stp_guest_datagrams::Rap`].

#[cfg(target_arch = "wasm32")]
tng_stp_abi::export_transport!(stp_guest_datagrams::Rap);
