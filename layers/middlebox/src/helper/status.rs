//! What a helper tells its operator of its flows.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::Instant;
use tng_flow::{Flows, Section};

use super::Helper;
use crate::relay::{Far, Owner, Relay, RelayId, rate};
use crate::{ClientTag, NearChoice, SharedQueue};

/// One flow, at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowStatus {
    /// Which.
    pub relay: RelayId,
    /// Whose.
    pub client: ClientTag,
    /// When its capability ends.
    pub until: Instant,
    /// The section toward the initiator.
    pub near: SectionStatus,
    /// What was chosen for it, and what of that its client asked for.
    pub near_choice: NearChoice,
    /// The section toward the responder, if it is there, or else whom it is asked of.
    pub far: Result<SectionStatus, SocketAddr>,
    /// What goes to the responder.
    pub outward: QueueStatus,
    /// What goes to the initiator.
    pub homeward: QueueStatus,
}

/// One section of a flow.
#[derive(Clone, PartialEq, Debug)]
pub struct SectionStatus {
    /// Who is at its other end.
    pub neighbour: SocketAddr,
    /// The controller that governs what the helper sends on it; of a guest its own name, as long as it governs.
    pub controller: String,
    /// The smoothed round trip, if there is a sample.
    pub rtt: Option<Duration>,
    /// The least one.
    pub rtt_min: Option<Duration>,
    /// The congestion window in bytes, which the flows of one client to one neighbour share; `u64::MAX` if unlimited.
    pub window_bytes: u64,
    /// Bytes of it in use.
    pub in_flight_bytes: u64,
    /// Packets sent.
    pub packets_sent: u64,
    /// Their bytes.
    pub bytes_sent: u64,
    /// Packets received.
    pub packets_received: u64,
    /// Their bytes.
    pub bytes_received: u64,
    /// Packets sent that were found lost.
    pub lost: u64,
}

/// What waits in one direction of a flow, and what was done to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueStatus {
    /// Packets waiting.
    pub packets: usize,
    /// Their bytes.
    pub bytes: u64,
    /// For how long they last at the rate of the section that empties the queue, if that is known.
    pub time: Option<Duration>,
    /// The bound in time.
    pub time_max: Duration,
    /// Packets marked so far.
    pub marked: u64,
    /// Packets dropped so far.
    pub dropped: u64,
    /// Packets that are gone, though the section that fed the queue has not been told yet.
    pub unsettled: usize,
    /// Packets that left again since the section had lost them.
    pub repaired: u64,
}

impl Helper {
    /// What flows there are, in the order in which they came: as long a list as there are flows, so ask seldom.
    pub fn flow_ids(&self) -> Vec<RelayId> {
        let mut ids: Vec<RelayId> = self.relays.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// One of them; none if it is over.
    pub fn flow_status(&self, id: RelayId) -> Option<FlowStatus> {
        self.relays.get(&id).map(|relay| status(id, relay, &self.flows))
    }
}

fn status(id: RelayId, relay: &Relay, flows: &Flows<Owner>) -> FlowStatus {
    let far = match &relay.far {
        Far::Open(section) => Ok(section_status(section, flows)),
        Far::Asked { next, .. } => Err(*next),
    };
    let far_rate = match &relay.far {
        Far::Open(section) => rate(section, flows),
        Far::Asked { .. } => None,
    };
    FlowStatus {
        relay: id,
        client: relay.grant.client,
        until: relay.grant.until,
        near: section_status(&relay.near, flows),
        near_choice: relay.near_choice.clone(),
        far,
        outward: queue_status(&relay.outward, far_rate),
        homeward: queue_status(&relay.homeward, rate(&relay.near, flows)),
    }
}

pub(super) fn section_status(section: &Section<Owner>, flows: &Flows<Owner>) -> SectionStatus {
    let (regulation, stats) = (section.regulation(flows), section.channel.stats());
    let rtt = Some(regulation.rtt()).filter(|rtt| rtt.has_sample());
    SectionStatus {
        neighbour: section.path().remote,
        controller: regulation.controller_title().to_owned(),
        rtt: rtt.map(|rtt| rtt.smoothed()),
        rtt_min: rtt.map(|rtt| rtt.min()),
        window_bytes: regulation.window(),
        in_flight_bytes: regulation.in_flight(),
        packets_sent: stats.packets_sent,
        bytes_sent: stats.bytes_sent,
        packets_received: stats.packets_received,
        bytes_received: stats.bytes_received,
        lost: stats.lost,
    }
}

fn queue_status(queue: &SharedQueue, rate: Option<u64>) -> QueueStatus {
    let bytes = queue.bytes();
    let time = |rate| Duration::from_micros((bytes.saturating_mul(1_000_000)).checked_div(rate).unwrap_or(0));
    QueueStatus {
        packets: queue.packets(),
        bytes,
        time: rate.filter(|rate| *rate > 0).map(time),
        time_max: queue.time_max(),
        marked: queue.marks(),
        dropped: queue.dropped(),
        unsettled: queue.unsettled(),
        repaired: queue.repaired(),
    }
}
