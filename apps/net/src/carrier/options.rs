//! What an endpoint is told of carriers.

use std::net::SocketAddr;
use std::path::PathBuf;

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
        let carried = |address: &&SocketAddr| !tng_endpoint::is_carried(address.ip());
        match self.at.is_empty() {
            true => addresses.iter().filter(carried).map(|it| SocketAddr::new(it.ip(), self.port)).collect(),
            false => self.at.clone(),
        }
    }
}

/// Where an endpoint takes carriers, for [`Builder::carrier_listen`](crate::Builder::carrier_listen).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CarrierListen {
    /// The address and port of TCP.
    pub addr: SocketAddr,
    /// Two files in PEM, a chain of certificates and its key. Without them the endpoint makes a certificate of its own,
    /// which nobody need believe: the TLS of a carrier shows nobody who the other end is.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

impl CarrierListen {
    /// With a certificate of its own.
    pub fn at(addr: SocketAddr) -> CarrierListen {
        CarrierListen { addr, certificate: None }
    }
}
