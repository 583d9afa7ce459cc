//! How an endpoint begins carriers.

use std::net::SocketAddr;

/// The port of TCP at which peers are looked for.
pub const CARRIER_PORT: u16 = 443;

/// How an endpoint reaches peers that UDP does not reach, for [`Builder::carrier`](crate::Builder::carrier).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CarrierDial {
    /// Not by UDP at all.
    pub only: bool,
    /// The port of TCP at which peers listen, at their addresses.
    pub port: u16,
    /// Where they listen, if not there.
    pub at: Vec<SocketAddr>,
}

impl Default for CarrierDial {
    /// By a carrier where UDP does not answer, at the port [`CARRIER_PORT`] of the peer's addresses.
    fn default() -> CarrierDial {
        CarrierDial { only: false, port: CARRIER_PORT, at: Vec::new() }
    }
}

impl CarrierDial {
    /// Where a peer with these addresses listens.
    pub(super) fn peers(&self, addresses: &[SocketAddr]) -> Vec<SocketAddr> {
        match self.at.is_empty() {
            true => addresses.iter().map(|it| SocketAddr::new(it.ip(), self.port)).collect(),
            false => self.at.clone(),
        }
    }
}
