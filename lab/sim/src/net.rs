//! Everything of a world but its nodes: lanes, routes, the schedule, the records.

use tng_base::Instant;
use tng_trace::Direction;

use crate::lane::{Arrival, Context, Lane};
use crate::link::{LaneId, Link, LinkId};
use crate::packet::{Packet, Pool};
use crate::recorder::Recorder;
use crate::route::Routes;
use crate::schedule::Schedule;
use crate::stats::{DropCause, Drops};

/// Routers a packet may pass (IPv4's customary initial time to live).
const HOPS_MAX: u8 = 64;

pub(crate) struct Net {
    pub(crate) now: Instant,
    pub(crate) schedule: Schedule,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) routes: Routes,
    pub(crate) recorder: Recorder,
    /// Packets dropped at nodes.
    pub(crate) drops: Drops,
    seed: u64,
}

impl Net {
    pub(crate) fn new(seed: u64) -> Net {
        Net {
            now: Instant::ZERO,
            schedule: Schedule::default(),
            lanes: Vec::new(),
            routes: Routes::default(),
            recorder: Recorder::default(),
            drops: Drops::default(),
            seed,
        }
    }

    pub(crate) fn connect(&mut self, a: u32, b: u32, forth: &Link, back: &Link) -> LinkId {
        for (from, to, link) in [(a, b, forth), (b, a, back)] {
            self.routes.add_lane(from, to, link.cost);
            self.lanes.push(Lane::new(self.lanes.len(), self.seed, link.clone()));
        }
        LinkId(self.lanes.len() as u32 / 2 - 1)
    }

    /// Lets `act` work on a lane.
    pub(crate) fn on_lane<R>(
        &mut self,
        lane: LaneId,
        pool: &mut Pool,
        act: impl FnOnce(&mut Lane, &mut Context<'_>) -> R,
    ) -> R {
        let mut context = Context { now: self.now, schedule: &mut self.schedule, recorder: &mut self.recorder, pool };
        act(&mut self.lanes[lane.0 as usize], &mut context)
    }

    /// Sends a packet out of a node by this lane.
    pub(crate) fn offer(&mut self, lane: LaneId, packet: Box<Packet>, pool: &mut Pool) {
        self.on_lane(lane, pool, |lane, context| lane.offer(context, packet));
    }

    /// Takes what has arrived at the far end of a lane, one at a time; schedules the next arrival when that is all.
    pub(crate) fn take_arrival(&mut self, lane: LaneId) -> Option<Arrival> {
        let at = &mut self.lanes[lane.0 as usize];
        let arrival = at.take_arrival(self.now);
        match &arrival {
            Some(Arrival::Packet(packet)) => self.recorder.crossed(self.now, lane, Direction::Inbound, packet),
            Some(Arrival::Notice(_)) => {}
            None => at.schedule_arrival(&mut self.schedule),
        }
        arrival
    }

    /// A router passes a packet on.
    pub(crate) fn forward(&mut self, router: u32, mut packet: Box<Packet>, pool: &mut Pool) {
        packet.hops += 1;
        if packet.hops > HOPS_MAX {
            return self.drop(packet, DropCause::HopLimit, pool);
        }
        match self.routes.next(router, packet.dst.ip(), None) {
            Some(lane) => self.offer(lane, packet, pool),
            None => self.drop(packet, DropCause::NoRoute, pool),
        }
    }

    /// A packet goes no further than a node.
    pub(crate) fn drop(&mut self, packet: Box<Packet>, cause: DropCause, pool: &mut Pool) {
        self.drops.count(cause);
        self.recorder.dropped(self.now, &packet, cause);
        pool.recycle(packet);
    }
}
