//! Vegas as a guest, from the source of the native one.

use stp_guest_controllers::{Native, Ported};

/// The native controller.
#[derive(Debug)]
pub struct Make;

impl Native for Make {
    type Controller = tng_congestion::Vegas;

    fn make(mtu: u16) -> Self::Controller {
        tng_congestion::Vegas::new(mtu)
    }
}

/// The guest.
pub type Vegas = Ported<Make>;

#[cfg(target_arch = "wasm32")]
tng_stp_abi::export_controller!(crate::Vegas);
