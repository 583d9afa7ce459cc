//! CUBIC as a guest, from the source of the native one.

use stp_guest_controllers::{Native, Ported};
use tng_congestion::SlowStart;

/// The native controller.
#[derive(Debug)]
pub struct Make;

impl Native for Make {
    type Controller = tng_congestion::Cubic;

    fn make(mtu: u16) -> Self::Controller {
        tng_congestion::Cubic::new(mtu, SlowStart::hystart())
    }
}

/// The guest.
pub type Cubic = Ported<Make>;

#[cfg(target_arch = "wasm32")]
tng_stp_abi::export_controller!(crate::Cubic);
