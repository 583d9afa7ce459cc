//! A connection's figures.

use tng_base::PathCondition;
use tng_channel::ChannelStats;
use tng_congestion::RegulationStats;

/// A connection's figures at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectionStats {
    /// Packets and acknowledgments.
    pub channel: ChannelStats,
    /// Window, round-trip times, bytes in flight.
    pub regulation: RegulationStats,
    /// The path's condition.
    pub condition: PathCondition,
    /// The largest UDP payload known to pass, in bytes.
    pub payload_max: usize,
}
