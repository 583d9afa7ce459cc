//! What scenarios do to transports besides.

use core::net::IpAddr;

use tng_base::Instant;

use crate::peers::transport::{Rtt, Transport};

/// A transport over which a scenario's flows can go.
pub(crate) trait Scripted: Transport {
    /// The writer gives the stream up.
    fn reset(&mut self, stream: Self::Stream, code: u64);

    /// The reader gives the stream up.
    fn stop(&mut self, stream: Self::Stream, code: u64);

    /// Sends a datagram to a host.
    fn send_datagram(&mut self, now: Instant, to: IpAddr, bytes: &[u8]) -> Result<(), SendError>;

    /// The next datagram that has come.
    fn recv_datagram(&mut self, carrier: Self::Carrier) -> Option<Vec<u8>>;

    /// Round-trip times on the way that a stream takes, if any was measured and it is still known.
    fn rtt(&self, stream: Self::Stream) -> Option<Rtt>;
}

/// Why a datagram was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SendError {
    /// None can be sent yet; [`Event::Ready`](crate::peers::transport::Event::Ready) tells when to try again.
    Later,
    /// Too many wait.
    Full,
    /// None like it ever will be.
    Never(String),
}
