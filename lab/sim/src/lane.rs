//! One direction of a link at work: a queue, a sender, and a pipe.

use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Ecn, Instant};
use tng_queue::{Discipline, Verdict};
use tng_trace::Direction;

use crate::delivery::Deliveries;
use crate::dice::{Dice, Lot};
use crate::fault::{LossProcess, Reorder, flip_bits};
use crate::link::{Carrier, LaneId, Link};
use crate::packet::{Packet, Pool};
use crate::pattern::{PatternProcess, Position};
use crate::recorder::Recorder;
use crate::schedule::{Event, Schedule};
use crate::stats::{DropCause, LaneStats, QueueLook};

/// What comes out of a lane.
pub(crate) enum Arrival {
    /// A packet.
    Packet(Box<Packet>),
    /// The link layer noticed that it lost this packet.
    Notice(Box<Packet>),
}

/// What a lane needs of the world to act.
pub(crate) struct Context<'a> {
    pub(crate) now: Instant,
    pub(crate) schedule: &'a mut Schedule,
    pub(crate) recorder: &'a mut Recorder,
    pub(crate) pool: &'a mut Pool,
}

/// Sees every packet that is offered; `false` takes it.
pub(crate) type Interceptor = Box<dyn FnMut(Instant, &mut Packet) -> bool>;

/// What is in the pipe.
struct Coming {
    at: Instant,
    what: Arrival,
    /// Of a packet that later ones overtake: behind which of its pattern, and its rank among those.
    late: Option<(u8, u8)>,
}

pub(crate) struct Lane {
    index: u32,
    link: Link,
    carrier: Carrier,
    queue: Box<dyn Discipline<Box<Packet>>>,
    interceptor: Option<Interceptor>,
    loss: LossProcess,
    patterns: PatternProcess,
    dice: Dice,
    /// Where it is in its trace, if it follows one.
    deliveries: Option<Deliveries>,
    /// When the sender has finished the packet that it is sending.
    free_at: Instant,
    /// What the last sending time fell short of the exact one, in bit-nanoseconds: `below rate_bps`.
    remainder: u64,
    /// The event at which it sends on.
    sent_scheduled: Option<Instant>,
    /// Sent and not yet arrived, in order of arrival.
    pipe: VecDeque<Coming>,
    /// The latest arrival of what keeps its order.
    last_arrival: Instant,
    /// The earliest arrival event in the schedule.
    arrival_scheduled: Option<Instant>,
    /// Marks made by queues that were since replaced.
    marks_before: u64,
    stats: LaneStats,
}

impl Lane {
    pub(crate) fn new(index: usize, seed: u64, link: Link) -> Lane {
        let dice = Dice::new(seed, index);
        Lane {
            index: index as u32,
            carrier: Carrier::Up,
            queue: link.queue.build(dice.queue()),
            interceptor: None,
            loss: LossProcess::new(link.loss.clone()),
            patterns: PatternProcess::default(),
            dice,
            deliveries: link.trace.clone().map(|trace| Deliveries::new(trace, Instant::ZERO)),
            free_at: Instant::ZERO,
            remainder: 0,
            sent_scheduled: None,
            pipe: VecDeque::new(),
            last_arrival: Instant::ZERO,
            arrival_scheduled: None,
            marks_before: 0,
            stats: LaneStats::default(),
            link,
        }
    }

    pub(crate) fn link(&self) -> &Link {
        &self.link
    }

    pub(crate) fn set_interceptor(&mut self, interceptor: Option<Interceptor>) {
        self.interceptor = interceptor;
    }

    /// The counts as of `now`.
    pub(crate) fn stats(&self, now: Instant) -> LaneStats {
        let mut stats = self.stats.clone();
        stats.integrate(now);
        stats.in_flight = self.pipe.iter().filter(|coming| matches!(coming.what, Arrival::Packet(_))).count() as u64;
        stats.marked = self.marks_before + self.queue.marks();
        stats
    }

    /// A look at the queue.
    pub(crate) fn look(&mut self) -> QueueLook {
        self.stats.look()
    }

    /// Whether nothing is under way or will be sent; what a [`Carrier::Holds`] lane holds waits for ever.
    pub(crate) fn is_idle(&self) -> bool {
        self.pipe.is_empty() && self.sent_scheduled.is_none()
    }

    /// Takes a packet from the node at the near end.
    pub(crate) fn offer(&mut self, context: &mut Context<'_>, mut packet: Box<Packet>) {
        self.stats.offered += 1;
        self.stats.offered_bytes += packet.wire_bytes() as u64;
        context.recorder.crossed(context.now, LaneId(self.index), Direction::Outbound, &packet);
        if let Some(interceptor) = &mut self.interceptor
            && !interceptor(context.now, &mut packet)
        {
            return self.drop(context, packet, DropCause::Intercepted);
        }
        if packet.wire_bytes() > self.link.mtu {
            return self.drop(context, packet, DropCause::TooBig);
        }
        if self.carrier == Carrier::Drops {
            return self.drop(context, packet, DropCause::Outage);
        }
        packet.queued_at = context.now;
        match self.queue.enqueue(context.now, packet) {
            Verdict::Dropped(packet) => self.drop(context, packet, DropCause::Queue),
            Verdict::Queued => {
                self.stats.set_queue(context.now, self.queue.packets(), self.queue.bytes());
                self.send_waiting(context);
            }
        }
    }

    /// The sender has finished a packet, or may begin one. An event of a trace that was since replaced says nothing.
    pub(crate) fn handle_sent(&mut self, context: &mut Context<'_>) {
        if self.sent_scheduled == Some(context.now) {
            self.sent_scheduled = None;
            self.send_waiting(context);
        }
    }

    /// Takes what has arrived by now, one at a time.
    pub(crate) fn take_arrival(&mut self, now: Instant) -> Option<Arrival> {
        let arrival = self.pipe.pop_front_if(|coming| coming.at <= now)?.what;
        if let Arrival::Packet(packet) = &arrival {
            self.stats.delivered += 1;
            self.stats.delivered_bytes += packet.wire_bytes() as u64;
        }
        Some(arrival)
    }

    /// Whether an arrival event at `now` is the one that was waited for, and not one that a later, faster packet
    /// overtook.
    pub(crate) fn expects_arrival(&mut self, now: Instant) -> bool {
        let expected = self.arrival_scheduled == Some(now);
        if expected {
            self.arrival_scheduled = None;
        }
        expected
    }

    /// Schedules an event for the head of the pipe, if none waits.
    pub(crate) fn schedule_arrival(&mut self, schedule: &mut Schedule) {
        if let Some(Coming { at, .. }) = self.pipe.front()
            && self.arrival_scheduled.is_none_or(|scheduled| *at < scheduled)
        {
            self.arrival_scheduled = Some(*at);
            schedule.push(*at, Event::Arrival(self.index));
        }
    }

    /// Changes whether the lane carries anything.
    pub(crate) fn set_carrier(&mut self, context: &mut Context<'_>, carrier: Carrier) {
        self.carrier = carrier;
        match carrier {
            Carrier::Up => self.send_waiting(context),
            Carrier::Holds => {}
            Carrier::Drops => self.empty_queue(context, |lane, context, packet| {
                lane.drop(context, packet, DropCause::Outage);
            }),
        }
    }

    /// Changes the parameters. What waits goes on waiting, in a new queue if its discipline changed; loss, patterns and
    /// the trace start anew if they changed; what is being sent and what is under way is not affected.
    pub(crate) fn set_link(&mut self, context: &mut Context<'_>, link: Link) {
        let old = core::mem::replace(&mut self.link, link);
        if old.rate_bps != self.link.rate_bps {
            self.remainder = 0;
        }
        if old.trace != self.link.trace {
            self.deliveries = self.link.trace.clone().map(|trace| Deliveries::new(trace, context.now));
            // It may have waited for an opportunity that is none any more.
            self.sent_scheduled = None;
        }
        if old.loss != self.link.loss {
            self.loss = LossProcess::new(self.link.loss.clone());
        }
        if old.reorder != self.link.reorder {
            self.patterns = PatternProcess::default();
        }
        if old.queue != self.link.queue {
            let mut waiting = Vec::new();
            self.empty_queue(context, |_, _, packet| waiting.push(packet));
            self.marks_before += self.queue.marks();
            self.queue = self.link.queue.build(self.dice.queue());
            for packet in waiting {
                if let Verdict::Dropped(packet) = self.queue.enqueue(context.now, packet) {
                    self.drop(context, packet, DropCause::Queue);
                }
            }
            self.stats.set_queue(context.now, self.queue.packets(), self.queue.bytes());
        }
        self.send_waiting(context);
    }

    fn empty_queue(
        &mut self,
        context: &mut Context<'_>,
        mut each: impl FnMut(&mut Lane, &mut Context<'_>, Box<Packet>),
    ) {
        let mut dropped = Vec::new();
        loop {
            let head = self.queue.dequeue(context.now, &mut |packet| dropped.push(packet));
            for packet in dropped.drain(..) {
                self.drop(context, packet, DropCause::Queue);
            }
            match head {
                Some(packet) => each(self, context, packet),
                None => break,
            }
        }
        self.stats.set_queue(context.now, self.queue.packets(), self.queue.bytes());
    }

    /// Sends from the queue as long as the sender is free.
    fn send_waiting(&mut self, context: &mut Context<'_>) {
        while self.sent_scheduled.is_none() && self.carrier == Carrier::Up && self.queue.packets() > 0 {
            let at = self.sends_at(context.now);
            if at > context.now {
                self.sent_scheduled = Some(at);
                context.schedule.push(at, Event::Sent(self.index));
                return;
            }
            let (stats, now) = (&mut self.stats, context.now);
            let head = self.queue.dequeue(now, &mut |packet| {
                stats.count_drop(DropCause::Queue);
                context.recorder.dropped(now, &packet, DropCause::Queue);
                context.pool.recycle(packet);
            });
            self.stats.set_queue(context.now, self.queue.packets(), self.queue.bytes());
            if let Some(packet) = head {
                self.stats.count_sojourn(context.now.since(packet.queued_at));
                self.free_at = self.sent_at(context.now, packet.wire_bytes());
                self.launch(context, packet);
            }
        }
    }

    /// When the next packet leaves the queue, if it does not leave now.
    fn sends_at(&mut self, now: Instant) -> Instant {
        let free = self.free_at.max(now);
        self.deliveries.as_mut().map_or(free, |deliveries| deliveries.next(free))
    }

    /// When so many bytes are sent that leave the queue now.
    fn sent_at(&mut self, now: Instant, bytes: usize) -> Instant {
        match &mut self.deliveries {
            Some(deliveries) => deliveries.take(bytes),
            None => now + self.sending_time(bytes),
        }
    }

    /// How long the link takes to send so many bytes. What is less than a nanosecond is carried over, so that a busy
    /// link keeps its rate exactly.
    fn sending_time(&mut self, bytes: usize) -> Duration {
        let Some(rate) = self.link.rate_bps else { return Duration::ZERO };
        let bit_ns = bytes as u64 * 8 * 1_000_000_000 + self.remainder;
        let rate = rate.max(1);
        self.remainder = bit_ns % rate;
        Duration::from_nanos(bit_ns / rate)
    }

    /// Puts a packet on the wire; it leaves the sender at `free_at`.
    fn launch(&mut self, context: &mut Context<'_>, mut packet: Box<Packet>) {
        let lost = !self.loss.is_none() && self.loss.loses(self.dice.lot(Lot::Loss));
        if lost {
            return self.lose(context, packet, DropCause::Loss);
        }
        if packet.ecn != Ecn::NotEct {
            if self.dice.chance(Lot::Mark, self.link.ecn_mark) {
                packet.ecn = Ecn::Ce;
            }
            if self.dice.chance(Lot::Bleach, self.link.ecn_bleach) {
                packet.ecn = Ecn::NotEct;
            }
        }
        let copy = self.dice.chance(Lot::Duplicate, self.link.duplicate).then(|| context.pool.copy(&packet));
        self.deliver_later(context, packet);
        if let Some(copy) = copy {
            self.stats.duplicated += 1;
            self.deliver_later(context, copy);
        }
    }

    /// A packet that was not lost: damaged perhaps, and delayed.
    fn deliver_later(&mut self, context: &mut Context<'_>, mut packet: Box<Packet>) {
        if self.dice.chance(Lot::Corrupt, self.link.corrupt) {
            if self.link.checked {
                return self.lose(context, packet, DropCause::Damaged);
            }
            flip_bits(&mut packet.payload, self.dice.lot(Lot::Corrupt));
            self.stats.corrupted += 1;
        }
        let at = self.arrival();
        let Some(Reorder::Burst { patterns, hold, lost }) = &self.link.reorder else {
            return self.put_in_pipe(context, Coming { at, what: Arrival::Packet(packet), late: None });
        };
        match self.patterns.next(patterns, self.dice.lot(Lot::Reorder)) {
            Position::Late { .. } if *lost => self.lose(context, packet, DropCause::Loss),
            Position::Late { behind, rank } => {
                let (at, late) = (at + *hold, Some((behind, rank)));
                self.put_in_pipe(context, Coming { at, what: Arrival::Packet(packet), late });
            }
            Position::Straight { packet: number } => {
                self.put_in_pipe(context, Coming { at, what: Arrival::Packet(packet), late: None });
                if let Some(number) = number {
                    self.bring_late(context, number, at);
                }
            }
        }
    }

    /// The packets that waited for this one of their pattern follow it, unless they waited too long.
    fn bring_late(&mut self, context: &mut Context<'_>, behind: u8, at: Instant) {
        loop {
            let waiting = self.pipe.iter().enumerate();
            let waiting =
                waiting.filter(|(_, coming)| coming.at > at && coming.late.is_some_and(|late| late.0 == behind));
            let Some((place, _)) = waiting.min_by_key(|(_, coming)| coming.late) else { return };
            let Some(coming) = self.pipe.remove(place) else { return };
            self.put_in_pipe(context, Coming { at, late: None, ..coming });
        }
    }

    /// A packet that the wire swallowed: the far end may hear of it, when the packet would have come.
    fn lose(&mut self, context: &mut Context<'_>, packet: Box<Packet>, cause: DropCause) {
        if !self.link.notices {
            return self.drop(context, packet, cause);
        }
        self.stats.count_drop(cause);
        context.recorder.dropped(context.now, &packet, cause);
        let at = self.arrival();
        self.put_in_pipe(context, Coming { at, what: Arrival::Notice(packet), late: None });
    }

    /// When what is being sent reaches the far end.
    fn arrival(&mut self) -> Instant {
        let straight = self.free_at + self.varied_delay();
        match &self.link.reorder {
            Some(Reorder::Late { probability, extra }) if self.dice.chance(Lot::Reorder, *probability) => {
                return straight + *extra;
            }
            Some(Reorder::Ahead { probability }) if self.dice.chance(Lot::Reorder, *probability) => {
                return self.free_at;
            }
            _ => {}
        }
        if self.link.jitter_reorders {
            return straight;
        }
        self.last_arrival = self.last_arrival.max(straight);
        self.last_arrival
    }

    fn varied_delay(&mut self) -> Duration {
        let (delay, jitter) = (self.link.delay, self.link.jitter);
        if jitter.is_zero() {
            return delay;
        }
        let jitter_ns = u64::try_from(jitter.as_nanos()).unwrap_or(u64::MAX / 2);
        let offset = self.dice.lot(Lot::Jitter).below(2 * jitter_ns + 1);
        (delay + Duration::from_nanos(offset)).saturating_sub(jitter)
    }

    /// The pipe stays ordered by arrival; equal arrivals keep the order of sending.
    fn put_in_pipe(&mut self, context: &mut Context<'_>, coming: Coming) {
        if self.pipe.back().is_none_or(|last| last.at <= coming.at) {
            self.pipe.push_back(coming);
        } else {
            let place = self.pipe.partition_point(|other| other.at <= coming.at);
            self.pipe.insert(place, coming);
        }
        self.schedule_arrival(context.schedule);
    }

    fn drop(&mut self, context: &mut Context<'_>, packet: Box<Packet>, cause: DropCause) {
        self.stats.count_drop(cause);
        context.recorder.dropped(context.now, &packet, cause);
        context.pool.recycle(packet);
    }
}
