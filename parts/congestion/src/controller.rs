//! What a congestion-control algorithm is told and asked.

use core::fmt;
use core::time::Duration;

use tng_base::Instant;

use crate::rtt::{RttEstimator, RttSample};

/// What was true when a packet left; kept with the packet and handed back with its fate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SendStamp {
    /// When it left.
    pub sent_at: Instant,
    /// When the packet left that was the newest one delivered by then; `sent_at` if nothing else was in flight.
    pub first_sent_at: Instant,
    /// Bytes delivered on the path up to then.
    pub delivered: u64,
    /// When that count was last raised; `sent_at` if nothing else was in flight.
    pub delivered_at: Instant,
    /// Bytes lost on the path up to then, as in [`PathState::lost`].
    pub lost: u64,
    /// Bytes in flight after it left.
    pub in_flight: u64,
    /// Whether the path was not kept full by then, because the application had too little to send.
    pub app_limited: bool,
}

/// Packets newly acknowledged by one acknowledgment, together. Packets that were reported lost before do not belong
/// here, but to [`Regulation::handle_spurious`](crate::Regulation::handle_spurious).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AckSample {
    /// Bytes newly acknowledged, as counted when sent.
    pub bytes: u64,
    /// Stamp of the most recently sent packet among them.
    pub newest: SendStamp,
    /// The round-trip sample, if the largest number acknowledged is among them (RFC 9002 section 5.1).
    pub rtt: Option<RttSample>,
}

/// Why bytes count as a sign of congestion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossCause {
    /// Packets were lost.
    Loss,
    /// Packets were lost, and nothing arrived for so long that the path's state is unknown (RFC 9002 section 7.6).
    PersistentCongestion,
    /// A router marked packets; they arrived.
    Ecn,
    /// A link reported that it lost packets to corruption. Controllers that know no better take it for
    /// [`Loss`](Self::Loss).
    Link,
}

/// Packets found lost, or marked, together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LossSample {
    /// Bytes that leave the books as lost, as counted when sent; 0 for marks, and 0 for losses that were reported
    /// before.
    pub bytes: u64,
    /// Stamp of the most recently sent packet among them.
    pub newest: SendStamp,
    /// The cause.
    pub cause: LossCause,
}

/// Bytes delivered over an interval: one sample of the path's delivery rate
/// (draft-cheng-iccrg-delivery-rate-estimation).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeliveryRate {
    /// Bytes delivered.
    pub bytes: u64,
    /// The longer of the times in which they were sent and in which they were acknowledged; never zero.
    pub interval: Duration,
    /// Whether the application was the limit, so that the path could have carried more.
    pub app_limited: bool,
}

impl DeliveryRate {
    /// In bytes per second.
    pub fn bytes_per_sec(&self) -> u64 {
        let per_sec = u128::from(self.bytes) * 1_000_000_000 / self.interval.as_nanos().max(1);
        u64::try_from(per_sec).unwrap_or(u64::MAX)
    }
}

/// A flow's part of a link that is leased at a fixed rate (Tng 6.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// Bytes per second.
    pub rate: u64,
    /// Bytes in flight; none: what the rate carries in a round trip, and a margin.
    pub window: Option<u64>,
}

/// What all the packets of a path have told so far. Kept by [`Regulation`](crate::Regulation), shown to its controller.
#[derive(Clone, Debug)]
pub struct PathState {
    /// Round-trip times.
    pub rtt: RttEstimator,
    /// Bytes in flight now, what is being reported already taken off.
    pub in_flight: u64,
    /// Bytes delivered, what is being reported already added.
    pub delivered: u64,
    /// When that count was last raised.
    pub delivered_at: Instant,
    /// Bytes lost and not delivered after all, those aside that a link has reported as its own.
    pub lost: u64,
    /// Send time of the most recently sent packet that was delivered.
    pub first_sent_at: Instant,
    /// The latest sample of the delivery rate; its packets may be app-limited.
    pub rate: Option<DeliveryRate>,
    /// Whether the packets being acknowledged left while the window or the pacer, not the application, limited the
    /// sender. If not, the window must not grow (RFC 9002 section 7.8).
    pub window_limited: bool,
}

/// A congestion-control algorithm. All sizes in bytes of UDP payload.
///
/// It is told in the order of events and with times that never go backwards. It keeps no account of bytes in flight;
/// that is the business of [`Regulation`](crate::Regulation). What is said of windows here every controller must hold
/// to: [`battery`](crate::battery) tries it.
pub trait Controller: fmt::Debug + Send {
    /// Its name in the registry.
    fn name(&self) -> &'static str;

    /// What people are told that it is: its name, or that of the guest that it stands for.
    fn title(&self) -> &str {
        self.name()
    }

    /// How many bytes may be in flight. At least two packets; `u64::MAX` if there is no limit, and then nothing is
    /// paced.
    fn window(&self) -> u64;

    /// Bytes per second, if the algorithm sets a rate of its own; else the pacer derives it from window and RTT.
    fn pacing_rate(&self) -> Option<u64> {
        None
    }

    /// A packet left, or several together, the first with this stamp.
    fn handle_sent(&mut self, _now: Instant, _stamp: &SendStamp) {}

    /// Packets were acknowledged. `path.window_limited` says whether the window may grow: by the bytes acknowledged at
    /// most, and not at all for packets sent before the last reduction, or in its very moment, unless that was taken
    /// back (RFC 9002 section 7.3.2, the recovery period).
    fn handle_ack(&mut self, now: Instant, ack: &AckSample, path: &PathState);

    /// Packets were lost or marked. At most one reduction per round trip: losses of packets sent before the last
    /// reduction, or in its very moment, are part of the same event, and change nothing (RFC 9002 section 7.3.2). The
    /// window never grows. Persistent congestion that is an event of its own leaves at most twice the minimum window
    /// (RFC 9002 section 7.6.2). A controller that is governed by its owner changes nothing at all.
    fn handle_loss(&mut self, now: Instant, loss: &LossSample, path: &PathState);

    /// Packets that were reported lost have arrived after all; `newest` and `bytes` describe those packets. The window
    /// never shrinks.
    fn handle_spurious(&mut self, _now: Instant, _late: &LossSample) {}

    /// Packets now have at most `mtu` bytes. The window stays as it is, in bytes; only if it is less than the minimum
    /// window for such packets it becomes exactly that.
    fn set_mtu(&mut self, mtu: u16);

    /// Everything learned is void: back to the initial window.
    fn reset(&mut self);

    /// Nothing was sent for so many retransmission timeouts, with nothing in flight: what was known of the path is
    /// stale. The window may shrink, to the initial one at least (RFC 5681 section 4.1, RFC 2861).
    fn handle_idle(&mut self, _periods: u32) {}

    /// A whole flight goes unanswered, and nothing arrives that left after `newest`, its last packet. It may be lost,
    /// or its receiver may be gone: another channel that shares the path begins as on a new one. What is found lost of
    /// that flight later is part of the same event.
    fn handle_silence(&mut self, now: Instant, newest: &SendStamp, path: &PathState) {
        self.handle_loss(now, &LossSample { bytes: 0, newest: *newest, cause: LossCause::PersistentCongestion }, path);
    }

    /// The owner of a leased link gives this part of it to the flow. Only a controller that is governed by its owner,
    /// and not by what it sees of the path, cares.
    fn set_share(&mut self, _share: Share) {}

    /// Whether the window is still doubling from round to round; the pacer then leaves twice its rate, else 1.25 times.
    fn is_slow_start(&self) -> bool;

    /// The window at which slow start ends, if known.
    fn ssthresh(&self) -> Option<u64> {
        None
    }
}
