//! The description of a link.

use core::time::Duration;

use tng_queue::QueueConfig;

use crate::delivery::DeliveryTrace;
use crate::fault::{Loss, Reorder};
use crate::pattern::{PATTERN_HOLD, Patterns};

/// Bytes that every UDP datagram is charged beyond its payload: an IPv4 and a UDP header, also where the addresses are
/// IPv6, so that comparisons between the two compare protocols.
pub const DATAGRAM_OVERHEAD: usize = 28;

/// Bytes that every TCP segment, which has its own header, is charged beyond its length: an IPv4 header.
pub const SEGMENT_OVERHEAD: usize = 20;

/// Names a duplex link of one world.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LinkId(pub(crate) u32);

impl LinkId {
    /// The direction from the node that was named first to the one named second.
    pub const fn forth(self) -> LaneId {
        LaneId(self.0 * 2)
    }

    /// The opposite direction.
    pub const fn back(self) -> LaneId {
        LaneId(self.0 * 2 + 1)
    }

    /// Both directions.
    pub const fn lanes(self) -> [LaneId; 2] {
        [self.forth(), self.back()]
    }
}

/// Names one direction of a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LaneId(pub(crate) u32);

impl LaneId {
    /// The number of the lane, counted from zero in the order of making: twice that of its link, and one more for the
    /// way back.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The link that this is a direction of.
    pub const fn link(self) -> LinkId {
        LinkId(self.0 / 2)
    }
}

/// Whether a lane carries anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Carrier {
    /// It does.
    #[default]
    Up,
    /// It drops what waits and what is offered; what is already under way arrives.
    Drops,
    /// It sends nothing; what is offered waits, as far as the queue holds.
    Holds,
}

/// One direction of a link, described. Start from [`Link::new`], a perfect wire, and say what is different; fields can
/// also be set directly.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// Bits per second; `None` takes no time to send.
    pub rate_bps: Option<u64>,
    /// When it may deliver, in place of a rate.
    pub trace: Option<DeliveryTrace>,
    /// Propagation delay.
    pub delay: Duration,
    /// The delay varies uniformly by up to so much in either direction, but not below zero.
    pub jitter: Duration,
    /// Whether packets may overtake each other through jitter.
    pub jitter_reorders: bool,
    /// Largest packet, bytes, [`DATAGRAM_OVERHEAD`] included. Larger ones are dropped (nothing is fragmented).
    pub mtu: usize,
    /// What happens to packets that wait for the link.
    pub queue: QueueConfig,
    /// Loss on the wire: after the queue, so that it takes capacity.
    pub loss: Loss,
    /// Whether and how packets overtake each other by chance.
    pub reorder: Option<Reorder>,
    /// Probability that a packet arrives twice.
    pub duplicate: f64,
    /// Probability that a packet has one to three bits flipped.
    pub corrupt: f64,
    /// Whether the far end's link layer notices damaged packets and discards them, instead of delivering them.
    pub checked: bool,
    /// Whether the far end learns of losses on the wire and of discarded packets through
    /// [`Input::LinkLoss`](tng_base::Input::LinkLoss) (Tng 5.2).
    pub notices: bool,
    /// Probability that a packet's ECN codepoint is cleared.
    pub ecn_bleach: f64,
    /// Probability that an ECN-capable packet is marked, whatever the queue.
    pub ecn_mark: f64,
    /// Routing cost; paths of least total cost are used.
    pub cost: u32,
}

impl Default for Link {
    fn default() -> Link {
        Link::new()
    }
}

impl Link {
    /// A perfect wire: no delay, unlimited rate, MTU 1500, cost 1, a drop-tail queue of 1000 packets.
    pub fn new() -> Link {
        Link {
            rate_bps: None,
            trace: None,
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            jitter_reorders: false,
            mtu: 1500,
            queue: QueueConfig::default(),
            loss: Loss::None,
            reorder: None,
            duplicate: 0.0,
            corrupt: 0.0,
            checked: false,
            notices: false,
            ecn_bleach: 0.0,
            ecn_mark: 0.0,
            cost: 1,
        }
    }

    /// Sets the rate, bits per second.
    pub fn rate(self, bps: u64) -> Link {
        Link { rate_bps: Some(bps), trace: None, ..self }
    }

    /// Lets the rate follow a trace.
    pub fn trace(self, trace: DeliveryTrace) -> Link {
        Link { rate_bps: None, trace: Some(trace), ..self }
    }

    /// Bytes that it can send in so much time from its begin on; `None`: any number of them.
    pub fn capacity_bytes(&self, time: Duration) -> Option<f64> {
        let by_rate = || Some(self.rate_bps? as f64 / 8.0 * time.as_secs_f64());
        self.trace.as_ref().map(|trace| trace.bytes_by(time) as f64).or_else(by_rate)
    }

    /// Sets the propagation delay.
    pub fn delay(self, delay: Duration) -> Link {
        Link { delay, ..self }
    }

    /// Sets the jitter, order kept.
    pub fn jitter(self, jitter: Duration) -> Link {
        Link { jitter, jitter_reorders: false, ..self }
    }

    /// Sets the jitter and lets packets overtake each other.
    pub fn jitter_reordering(self, jitter: Duration) -> Link {
        Link { jitter, jitter_reorders: true, ..self }
    }

    /// Sets the largest packet, bytes, [`DATAGRAM_OVERHEAD`] included.
    pub fn mtu(self, mtu: usize) -> Link {
        Link { mtu, ..self }
    }

    /// Sets the queue discipline.
    pub fn queue(self, queue: QueueConfig) -> Link {
        Link { queue, ..self }
    }

    /// Sets the loss.
    pub fn loss(self, loss: Loss) -> Link {
        Link { loss, ..self }
    }

    /// Lets packets be overtaken with this probability, being late by `extra`.
    pub fn reorder(self, probability: f64, extra: Duration) -> Link {
        Link { reorder: Some(Reorder::Late { probability, extra }), ..self }
    }

    /// Spares packets the delay with this probability, so that they overtake others.
    pub fn reorder_ahead(self, probability: f64) -> Link {
        Link { reorder: Some(Reorder::Ahead { probability }), ..self }
    }

    /// Lets bursts of packets arrive in the order of patterns.
    pub fn reorder_bursts(self, patterns: Patterns) -> Link {
        Link { reorder: Some(Reorder::Burst { patterns, hold: PATTERN_HOLD, lost: false }), ..self }
    }

    /// Loses the packets that would be late in bursts that arrive in the order of patterns.
    pub fn lose_of_bursts(self, patterns: Patterns) -> Link {
        Link { reorder: Some(Reorder::Burst { patterns, hold: PATTERN_HOLD, lost: true }), ..self }
    }

    /// Sets the probability of duplication.
    pub fn duplicate(self, probability: f64) -> Link {
        Link { duplicate: probability, ..self }
    }

    /// Sets the probability of flipped bits in what is delivered.
    pub fn corrupt(self, probability: f64) -> Link {
        Link { corrupt: probability, checked: false, ..self }
    }

    /// Sets the probability that a packet is damaged and discarded by the far end's link layer, which tells its node: a
    /// wireless hop.
    pub fn wireless(self, probability: f64) -> Link {
        Link { corrupt: probability, checked: true, notices: true, ..self }
    }

    /// Lets the far end learn of losses on the wire.
    pub fn notices(self) -> Link {
        Link { notices: true, ..self }
    }

    /// Sets the probability that ECN codepoints are cleared.
    pub fn ecn_bleach(self, probability: f64) -> Link {
        Link { ecn_bleach: probability, ..self }
    }

    /// Sets the probability that ECN-capable packets are marked.
    pub fn ecn_mark(self, probability: f64) -> Link {
        Link { ecn_mark: probability, ..self }
    }

    /// Sets the routing cost.
    pub fn cost(self, cost: u32) -> Link {
        Link { cost, ..self }
    }
}
