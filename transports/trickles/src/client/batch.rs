//! Requests that leave together, as datagrams of one length in one call of the driver's.

use core::net::SocketAddr;

use tng_base::{Ecn, Transmit};

/// Requests that leave together, at most.
pub const REQUESTS_PER_BATCH_MAX: usize = 32;

/// A datagram that was made for a batch and has another length, or goes somewhere else: it begins the next.
#[derive(Debug, Default)]
pub(super) struct HeldOver {
    bytes: Vec<u8>,
    to: Option<SocketAddr>,
}

impl HeldOver {
    pub(super) fn keep(&mut self, datagram: &[u8], to: SocketAddr) {
        self.bytes.clear();
        self.bytes.extend_from_slice(datagram);
        self.to = Some(to);
    }

    pub(super) fn take(&mut self, buf: &mut [u8]) -> Option<Transmit> {
        let (remote, len) = (self.to.take()?, self.bytes.len());
        buf[..len].copy_from_slice(&self.bytes);
        Some(Transmit { remote, local: None, ecn: Ecn::NotEct, len, segment_size: len })
    }
}
