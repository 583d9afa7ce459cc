//! What a congestion-control algorithm is told and asked.

use core::fmt;
use core::time::Duration;

use tng_base::Instant;

/// What was true when a packet left; kept with the packet and handed back with its fate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SendStamp {
    /// When it left.
    pub sent_at: Instant,
    /// Bytes delivered on the path up to then.
    pub delivered: u64,
    /// When that count was last raised.
    pub delivered_at: Instant,
    /// Bytes in flight after it left.
    pub in_flight: u64,
    /// Whether the application, not the window, limited the sender.
    pub app_limited: bool,
}

/// Packets acknowledged by one acknowledgment, together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AckSample {
    /// Bytes newly acknowledged.
    pub bytes: u64,
    /// Stamp of the newest packet among them.
    pub newest: SendStamp,
    /// Round-trip time to that packet and the peer's reported delay, if that packet is the largest acknowledged.
    pub rtt: Option<(Duration, Duration)>,
    /// Whether this acknowledgment ends a round trip: a packet sent after the previous round's end is acknowledged.
    pub in_flight_before: u64,
}

/// Why bytes count as a sign of congestion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossCause {
    /// Packets were lost.
    Loss,
    /// Nothing arrived for so long that the path's state is unknown (RFC 9002 section 7.6).
    PersistentCongestion,
    /// A router marked packets.
    Ecn,
    /// A link reported that it lost packets to corruption.
    Link,
}

/// Packets found lost, or marked, together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LossSample {
    /// Bytes lost; 0 for marks.
    pub bytes: u64,
    /// Stamp of the newest packet among them.
    pub newest: SendStamp,
    /// The cause.
    pub cause: LossCause,
}

/// A congestion-control algorithm. All sizes in bytes of UDP payload.
pub trait Controller: fmt::Debug + Send {
    /// Its name in the registry.
    fn name(&self) -> &'static str;
}
