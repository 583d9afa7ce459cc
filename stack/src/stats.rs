//! A connection's figures.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::PathCondition;
use tng_channel::ChannelStats;
use tng_congestion::RegulationStats;
use tng_isolation::Cipher;

use crate::PathId;

/// A channel's figures at one moment; a connection's are those of its best channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectionStats {
    /// Packets and acknowledgments.
    pub channel: ChannelStats,
    /// Window, round-trip times, bytes in flight.
    pub regulation: RegulationStats,
    /// The smoothed round trip from end to end, whatever lies between.
    pub rtt: Duration,
    /// The smallest round trip from end to end that was measured.
    pub rtt_min: Duration,
    /// The probe timeout from end to end.
    pub pto: Duration,
    /// The path's condition.
    pub condition: PathCondition,
    /// The largest UDP payload known to pass, in bytes.
    pub payload_max: usize,
    /// What protects the packets.
    pub cipher: Cipher,
    /// Helpers that the path leads through; 0 for a direct one.
    pub helpers: usize,
}

/// A channel of a connection, and the path that it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathStats {
    /// Which.
    pub path: PathId,
    /// Where the peer is on it.
    pub remote: SocketAddr,
    /// The local address that it leaves from, where that is known.
    pub local: Option<IpAddr>,
    /// Its figures.
    pub stats: ConnectionStats,
}
