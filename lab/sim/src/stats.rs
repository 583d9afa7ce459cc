//! What a lane has seen.

use core::time::Duration;

use tng_base::Instant;

/// Why a packet went no further.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum DropCause {
    /// The queue had no room, or its policy chose so.
    Queue,
    /// Larger than the link's MTU.
    TooBig,
    /// Lost on the wire.
    Loss,
    /// Damaged, and discarded by the link layer.
    Damaged,
    /// The link was down.
    Outage,
    /// An interceptor took it.
    Intercepted,
    /// No route to its destination, or no source address of its family.
    NoRoute,
    /// It came to a host that does not have its destination address, or not at that port.
    NotHere,
    /// It came to a host whose node is stopped.
    Stopped,
    /// It passed too many routers.
    HopLimit,
    /// A NAT did not let it pass.
    Filtered,
}

impl DropCause {
    /// Number of causes.
    pub const COUNT: usize = 11;
    /// Every cause, in order.
    pub const ALL: [DropCause; DropCause::COUNT] = [
        DropCause::Queue,
        DropCause::TooBig,
        DropCause::Loss,
        DropCause::Damaged,
        DropCause::Outage,
        DropCause::Intercepted,
        DropCause::NoRoute,
        DropCause::NotHere,
        DropCause::Stopped,
        DropCause::HopLimit,
        DropCause::Filtered,
    ];

    /// The cause in a word, for tables.
    pub const fn name(self) -> &'static str {
        match self {
            DropCause::Queue => "queue",
            DropCause::TooBig => "too big",
            DropCause::Loss => "loss",
            DropCause::Damaged => "damaged",
            DropCause::Outage => "outage",
            DropCause::Intercepted => "intercepted",
            DropCause::NoRoute => "no route",
            DropCause::NotHere => "not here",
            DropCause::Stopped => "stopped",
            DropCause::HopLimit => "hop limit",
            DropCause::Filtered => "filtered",
        }
    }
}

/// Packets dropped, by cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Drops([u64; DropCause::COUNT]);

impl Drops {
    pub(crate) fn count(&mut self, cause: DropCause) {
        self.0[cause as usize] += 1;
    }

    pub(crate) fn of(&self, cause: DropCause) -> u64 {
        self.0[cause as usize]
    }

    pub(crate) fn all(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// Counts and means of one lane since the world began. Bytes include [`DATAGRAM_OVERHEAD`](crate::DATAGRAM_OVERHEAD).
///
/// At any time `offered + duplicated = delivered + dropped() + queued + in_flight`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LaneStats {
    /// Packets offered to the lane.
    pub offered: u64,
    /// Bytes offered.
    pub offered_bytes: u64,
    /// Packets that reached the far end.
    pub delivered: u64,
    /// Bytes that reached the far end.
    pub delivered_bytes: u64,
    /// Copies made by the duplication fault.
    pub duplicated: u64,
    /// Packets delivered with flipped bits.
    pub corrupted: u64,
    /// Packets that the queue marked.
    pub marked: u64,
    /// Packets waiting now.
    pub queued: u64,
    /// Packets sent and not yet arrived.
    pub in_flight: u64,
    /// Most packets that ever waited.
    pub queue_packets_max: u64,
    /// Most bytes that ever waited.
    pub queue_bytes_max: u64,
    /// Packets that left the queue to be sent.
    pub dequeued: u64,
    /// Longest wait in the queue of a packet that was sent.
    pub sojourn_max: Duration,
    drops: Drops,
    sojourn_sum_ns: u128,
    /// Integrals over time of packets and bytes waiting, up to `integrated`.
    packet_ns: u128,
    byte_ns: u128,
    integrated: Instant,
    bytes_now: u64,
    /// Most bytes that waited since the last look.
    bytes_peak: u64,
}

/// A look at the queue of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueueLook {
    /// Bytes waiting now.
    pub bytes: u64,
    /// Most bytes that waited at any time since the look before.
    pub bytes_max: u64,
}

impl LaneStats {
    /// Packets dropped for this cause.
    pub fn dropped_for(&self, cause: DropCause) -> u64 {
        self.drops.of(cause)
    }

    /// Packets dropped.
    pub fn dropped(&self) -> u64 {
        self.drops.all()
    }

    /// Mean time that packets waited in the queue before they were sent.
    pub fn sojourn_mean(&self) -> Duration {
        Duration::from_nanos((self.sojourn_sum_ns / u128::from(self.dequeued.max(1))) as u64)
    }

    /// Packets waiting, averaged over time.
    pub fn queue_packets_mean(&self) -> f64 {
        self.packet_ns as f64 / self.integrated.as_nanos().max(1) as f64
    }

    /// Bytes waiting, averaged over time.
    pub fn queue_bytes_mean(&self) -> f64 {
        self.byte_ns as f64 / self.integrated.as_nanos().max(1) as f64
    }

    pub(crate) fn count_drop(&mut self, cause: DropCause) {
        self.drops.count(cause);
    }

    pub(crate) fn count_sojourn(&mut self, sojourn: Duration) {
        self.dequeued += 1;
        self.sojourn_sum_ns += sojourn.as_nanos();
        self.sojourn_max = self.sojourn_max.max(sojourn);
    }

    /// Brings the integrals up to `now`.
    pub(crate) fn integrate(&mut self, now: Instant) {
        let elapsed = now.since(self.integrated).as_nanos();
        self.packet_ns += u128::from(self.queued) * elapsed;
        self.byte_ns += u128::from(self.bytes_now) * elapsed;
        self.integrated = now;
    }

    /// The queue holds so much from `now` on.
    pub(crate) fn set_queue(&mut self, now: Instant, packets: usize, bytes: u64) {
        self.integrate(now);
        self.queued = packets as u64;
        self.bytes_now = bytes;
        self.queue_packets_max = self.queue_packets_max.max(self.queued);
        self.queue_bytes_max = self.queue_bytes_max.max(bytes);
        self.bytes_peak = self.bytes_peak.max(bytes);
    }

    /// What waits now, and most since the last look.
    pub(crate) fn look(&mut self) -> QueueLook {
        let bytes_max = core::mem::replace(&mut self.bytes_peak, self.bytes_now);
        QueueLook { bytes: self.bytes_now, bytes_max }
    }
}
