//! What is left of a flow when one of the two neighbours has gone.

use core::time::Duration;

use tng_base::{Instant, ScheduleEntry, Transmit};
use tng_endpoint::BASE_PAYLOAD;
use tng_flow::{Arrival, Ended, Origin, SECTION_OVERHEAD, Section};

use crate::helper::{AroundRelay, Counted, Turn};
use crate::relay::{Joint, Owner, plain};
use crate::{ClientLimits, LeftBecause, Served, SharedQueue, Spares};

/// For how long what a neighbour sent before it went may still take to leave.
pub const DRAIN_FOR: Duration = Duration::from_secs(1);

/// How often the last packet of a section is said again, at most, to a neighbour that goes on as if it had not come.
pub const FAREWELLS_MAX: u8 = 8;

/// For how long a flow that is over is remembered at least: a neighbour that missed its end may itself be waiting to
/// ask again.
pub const TOLD_FOR: Duration = Duration::from_secs(1);

/// Bytes kept for the CLOSE and the acknowledgment beside the last payload.
const CLOSE_ROOM: usize = 64;

/// Bytes of the last payload that go with the CLOSE, at most.
const FAREWELL_ROOM: usize = BASE_PAYLOAD - SECTION_OVERHEAD - CLOSE_ROOM;

/// What waits leaves, and nothing comes; the last of it goes with the CLOSE.
fn leftover<'a>(queue: &'a mut SharedQueue, spares: &'a mut Spares, turn: Turn) -> Joint<'a> {
    let closed = turn.is_closed();
    Joint { into: None, from: queue, spares, room: 0, stays_max: FAREWELL_ROOM as u64, closed }
}

#[derive(Debug)]
enum Stage {
    /// What waits still leaves.
    Draining { until: Instant },
    /// The last packet, with the CLOSE, has left; a neighbour that missed it hears it again.
    Told { farewell: Vec<u8>, again: bool, left: u8, until: Instant },
}

/// One neighbour has gone: what it sent still leaves toward the other, and the CLOSE goes with the last of it. It may
/// well be what says that the end-to-end channel is closed.
#[derive(Debug)]
pub(crate) struct Ending {
    pub because: LeftBecause,
    /// With the neighbour that is there.
    pub section: Box<Section<Owner>>,
    /// What the flow was.
    pub served: Served,
    /// Toward it.
    pub queue: SharedQueue,
    /// Bytes held in it.
    pub held: Counted,
    /// What its client may have.
    pub limits: ClientLimits,
    /// Whether what waits may leave, as far as its client's rate goes.
    pub turn: Turn,
    code: u64,
    stage: Stage,
    pub place: ScheduleEntry,
}

impl Ending {
    pub(crate) fn new(
        now: Instant,
        (served, limits): (Served, ClientLimits),
        (because, code): (LeftBecause, u64),
        section: Box<Section<Owner>>,
        queue: SharedQueue,
        place: ScheduleEntry,
    ) -> Ending {
        let stage = Stage::Draining { until: now + DRAIN_FOR };
        let (held, turn) = Default::default();
        Ending { because, section, served, queue, held, limits, turn, code, stage, place }
    }

    /// A packet of the neighbour's. What it carries is for nobody any more.
    pub(crate) fn handle_packet(
        &mut self,
        now: Instant,
        origin: Origin,
        packet: &mut [u8],
        around: &mut AroundRelay<'_>,
    ) -> Result<Arrival, Ended> {
        let ip = self.section.path().remote.ip();
        let (section, queue, turn) = (&mut self.section, &mut self.queue, self.turn);
        let arrival = around.with(ip, |around, spares| {
            section.handle_datagram(now, origin, packet, &mut leftover(queue, spares, turn), around)
        })?;
        if let (Arrival::Authentic, Stage::Told { again, left, .. }) = (arrival, &mut self.stage)
            && let Some(fewer) = left.checked_sub(1)
        {
            (*again, *left) = (true, fewer);
        }
        Ok(arrival)
    }

    pub(crate) fn poll_transmit(
        &mut self,
        now: Instant,
        buf: &mut [u8],
        around: &mut AroundRelay<'_>,
    ) -> Option<Transmit> {
        let until = match &mut self.stage {
            Stage::Draining { until } => *until,
            Stage::Told { farewell, again, .. } => {
                let path = self.section.path();
                return core::mem::take(again).then(|| {
                    buf[..farewell.len()].copy_from_slice(farewell);
                    plain(path.remote, path.local, farewell.len())
                });
            }
        };
        let fits = self.queue.bytes() <= FAREWELL_ROOM as u64;
        if self.queue.packets() > 1 || !fits {
            let ip = self.section.path().remote.ip();
            let (section, queue, turn) = (&mut self.section, &mut self.queue, self.turn);
            let transmit = around
                .with(ip, |around, spares| section.poll_transmit(now, buf, &mut leftover(queue, spares, turn), around));
            while self.queue.pop_settled().is_some() {}
            if transmit.is_some() || until > now && self.queue.packets() > 0 {
                return transmit;
            }
        }
        self.take_leave(now, buf, around)
    }

    /// The last packet: what was sent last and still waits, and the CLOSE.
    fn take_leave(&mut self, now: Instant, buf: &mut [u8], around: &mut AroundRelay<'_>) -> Option<Transmit> {
        let last = self.queue.end(now, FAREWELL_ROOM, around.spares);
        let until = now + self.section.linger(around.flows).max(TOLD_FOR);
        let farewell = self.section.farewell(now, self.code, &last);
        let (bytes, transmit) = match farewell {
            Some((bytes, transmit)) => (bytes, Some(transmit)),
            None => (Vec::new(), None),
        };
        buf[..bytes.len()].copy_from_slice(&bytes);
        let left = if bytes.is_empty() { 0 } else { FAREWELLS_MAX };
        self.stage = Stage::Told { farewell: bytes, again: false, left, until };
        transmit
    }

    /// Whether it is over.
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        matches!(self.stage, Stage::Told { until, .. } if until <= now)
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant, around: &mut AroundRelay<'_>) -> Result<(), Ended> {
        if matches!(self.stage, Stage::Told { .. }) {
            return Ok(());
        }
        let ip = self.section.path().remote.ip();
        let (section, queue, turn) = (&mut self.section, &mut self.queue, self.turn);
        around.with(ip, |around, spares| section.handle_timeout(now, &mut leftover(queue, spares, turn), around, false))
    }

    pub(crate) fn poll_timeout(&mut self, now: Instant, around: &mut AroundRelay<'_>) -> Option<Instant> {
        match &self.stage {
            Stage::Told { until, .. } => Some(*until),
            Stage::Draining { until } => {
                let ip = self.section.path().remote.ip();
                let around = (&around.config.settings(ip), &*around.flows);
                let section = self.section.poll_timeout(now, around, false);
                [section, Some(*until), self.turn.until()].into_iter().flatten().min()
            }
        }
    }
}
