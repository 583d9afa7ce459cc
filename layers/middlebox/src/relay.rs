//! One helped flow: two sections and what waits between them.

use core::net::SocketAddr;
use core::ops::Range;
use core::time::Duration;

use tng_base::{
    Arrivals, ChannelId, ChannelKey, Ecn, Fate, Filled, Instant, Protocol, ScheduleEntry, Taken, Train, Transmit,
    Violation,
};
use tng_channel::Channel;
use tng_endpoint::Path;
use tng_flow::wire::Greeting;
use tng_flow::{Arrival, End, Ended, Flows, HopKey, Origin, Section};

use crate::helper::{AroundRelay, Counted, Turn};
use crate::{ClientLimits, Grant, NearChoice, Served, Settled, SharedQueue, Spares};

/// A helper's local name for a flow, unique while it runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RelayId(pub u64);

/// Whose packets arrive under a name: a flow's, on the section with the neighbour nearer to the initiator or to the
/// responder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Owner {
    pub relay: RelayId,
    pub toward: End,
}

/// The section toward the responder.
#[derive(Debug)]
pub(crate) enum Far {
    /// A JOIN went out, and goes out again whenever the client repeats its own.
    Asked {
        key: HopKey,
        id: ChannelId,
        next: SocketAddr,
        join: Vec<u8>,
        due: bool,
        asked_at: Instant,
        sends: u32,
        until: Instant,
    },
    /// It is there.
    Open(Box<Section<Owner>>),
}

/// One helped flow.
#[derive(Debug)]
pub(crate) struct Relay {
    /// When it was asked for.
    pub began: Instant,
    pub grant: Grant,
    /// What its client may have.
    pub limits: ClientLimits,
    /// Whether it may send, as far as its client's rate goes.
    pub turn: Turn,
    /// What goes home is first: of a client with a rate, both ways have their turns.
    pub near_first: bool,
    /// Where its client's JOIN came from, and what it called the section.
    pub asked_by: (SocketAddr, ChannelId),
    /// Where the newest JOIN came from, if that is another address: a copy that somebody sent ahead came first, or a
    /// NAT has changed its mind.
    pub elsewhere: Option<Box<Path>>,
    pub near_key: HopKey,
    pub near: Box<Section<Owner>>,
    /// How that section is run, and what of it the client asked for. It stays, wherever the client moves.
    pub near_choice: NearChoice,
    /// What the client's side said of itself.
    pub client: Greeting,
    pub far: Far,
    /// The JOINED, until the client has been heard of again, and whether it is due.
    pub joined: Option<(Vec<u8>, bool)>,
    pub outward: SharedQueue,
    pub homeward: SharedQueue,
    /// Bytes held in both.
    pub held: Counted,
    /// When something came last, and when that is looked at: what is left alone for [`REST_AFTER`] gives memory back.
    pub used_at: Instant,
    pub rest_at: Option<Instant>,
    pub place: ScheduleEntry,
}

/// A flow on which nothing has come for so long gives back the memory that holds nothing.
pub const REST_AFTER: Duration = Duration::from_millis(200);

/// What stands above a section of a relay: the queue that it feeds and the queue that it empties.
pub(crate) struct Joint<'a> {
    /// None if the neighbour that it leads to has gone.
    pub into: Option<&'a mut SharedQueue>,
    pub from: &'a mut SharedQueue,
    /// Where both have their buffers from.
    pub spares: &'a mut Spares,
    /// Bytes that may wait in `into`, of more packets than may always wait there.
    pub room: u64,
    /// The last packet in `from` stays there if it has no more bytes than this.
    pub stays_max: u64,
    /// Nothing leaves now.
    pub closed: bool,
}

impl Joint<'_> {
    fn may_leave(&self) -> bool {
        !self.closed && (self.from.bytes() > self.stays_max || self.from.packets() > 1)
    }
}

impl Protocol for Joint<'_> {
    fn handle_packet(
        &mut self,
        now: Instant,
        _: ChannelKey,
        number: u64,
        ecn: Ecn,
        payload: &mut [u8],
    ) -> Result<Taken, Violation> {
        let Joint { into, room, spares, .. } = self;
        let waits = into.as_mut().is_some_and(|into| into.offer(now, (number, ecn), payload, *room, spares));
        Ok(if waits { Taken::Later } else { Taken::Refused })
    }

    fn takes_runs(&self) -> bool {
        true
    }

    fn handle_run(&mut self, now: Instant, _: ChannelKey, arrivals: &Arrivals<'_>) -> usize {
        let Joint { into, room, spares, .. } = self;
        into.as_mut().map_or(0, |into| into.offer_run(now, arrivals, *room, spares))
    }

    fn replay_safe(&self, _: &[u8]) -> bool {
        true
    }

    fn poll_packet(&mut self, now: Instant, _: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
        if !self.may_leave() {
            return None;
        }
        self.from.take(now, number, buf, self.spares).map(|len| Filled { len })
    }

    fn poll_train(&mut self, now: Instant, _: ChannelKey, train: &mut Train<'_>) {
        if !self.closed {
            self.from.take_train(now, train, self.stays_max, self.spares);
        }
    }

    fn wants_to_send(&mut self, _: Instant, _: ChannelKey) -> bool {
        self.may_leave()
    }

    // What is lost is its sender's to send again, unless the section is repaired.
    fn handle_fates(&mut self, now: Instant, _: ChannelKey, numbers: Range<u64>, fate: Fate) {
        self.from.handle_fates(now, numbers, fate, self.spares);
    }
}

/// Bytes that a section passes on in a second, by its window and round trip; nothing is known of one that has no
/// sample.
pub(crate) fn rate(section: &Section<Owner>, flows: &Flows<Owner>) -> Option<u64> {
    let regulation = section.regulation(flows);
    let srtt_us = u64::try_from(regulation.rtt().smoothed().as_micros()).ok().filter(|us| *us > 0)?;
    let window = regulation.window();
    (window != u64::MAX).then(|| window.saturating_mul(1_000_000) / srtt_us)
}

/// Tells the section that fed a queue what became of its packets. While the section that empties it is stuck, only
/// probes leave: to pass those on as progress would wrongly tell everybody before of a path that becomes slower and
/// slower. They are few. What is dropped has no such bound, and is told at once.
fn settle(now: Instant, queue: &mut SharedQueue, emptied_by: &Channel, fed_by: &mut Channel) -> bool {
    if emptied_by.is_stuck() {
        queue.take_forfeited(|receipt| fed_by.forfeit(receipt));
        return false;
    }
    let mut any = false;
    while let Some(settled) = queue.pop_settled() {
        any = true;
        match settled {
            Settled::Departed { receipts, ecn } => fed_by.redeem_run(now, receipts, ecn),
            Settled::Dropped { receipt } => fed_by.forfeit(receipt),
        }
    }
    any
}

impl Relay {
    pub(crate) fn far(&mut self) -> Option<&mut Section<Owner>> {
        match &mut self.far {
            Far::Open(section) => Some(section),
            Far::Asked { .. } => None,
        }
    }

    /// What it has been so far.
    pub(crate) fn served(&self) -> Served {
        let received = |section: &Section<Owner>| section.channel.stats().bytes_received;
        Served {
            client: self.grant.client,
            near: self.near.path().remote,
            far: self.next(),
            began: self.began,
            outward_bytes: received(&self.near),
            homeward_bytes: match &self.far {
                Far::Open(section) => received(section),
                Far::Asked { .. } => 0,
            },
            marked: self.outward.marks() + self.homeward.marks(),
            dropped: self.outward.dropped() + self.homeward.dropped(),
        }
    }

    /// Where it is passed on to.
    pub(crate) fn next(&self) -> SocketAddr {
        match &self.far {
            Far::Open(section) => section.path().remote,
            Far::Asked { next, .. } => *next,
        }
    }

    pub(crate) fn section(&mut self, toward: End) -> Option<&mut Section<Owner>> {
        match toward {
            End::Near => Some(&mut self.near),
            End::Far => self.far(),
        }
    }

    /// A JOIN of `len` bytes came from `remote`, as the client's first or like it.
    pub(crate) fn note_asked_again(&mut self, remote: SocketAddr, len: usize) {
        if remote == self.asked_by.0 {
            self.elsewhere = None;
            return self.near.note_repeated_set_up(len);
        }
        let path = self.elsewhere.take().filter(|path| path.remote == remote);
        let path = self.elsewhere.insert(path.unwrap_or_else(|| Box::new(Path::unproven(remote, None))));
        path.handle_received(len);
    }

    /// Where a small answer of `len` bytes goes that is passed back now, if the host that asks may be sent so much.
    pub(crate) fn answer_to(&mut self, now: Instant, len: usize) -> Option<SocketAddr> {
        let path = self.elsewhere.as_deref().unwrap_or(self.near.path());
        if path.budget() < len as u64 {
            return None;
        }
        let remote = path.remote;
        match &mut self.elsewhere {
            Some(path) => path.handle_sent(len),
            None => self.near.note_sent(now, len),
        }
        Some(remote)
    }

    /// Packets came on the section with the neighbour `toward` that end, each of `size` bytes but the last. Answers
    /// whether any of them was its own.
    pub(crate) fn handle_packets(
        &mut self,
        now: Instant,
        toward: End,
        origin: Origin,
        (packets, size): (&mut [u8], usize),
        around: &mut AroundRelay<'_>,
    ) -> Result<Arrival, Ended> {
        let (outward, homeward) = (&mut self.outward, &mut self.homeward);
        let (section, into, from, rate) = match (toward, &mut self.far) {
            (End::Near, Far::Open(far)) => (&mut self.near, outward, homeward, rate(far, around.flows)),
            (End::Near, Far::Asked { .. }) => (&mut self.near, outward, homeward, None),
            (End::Far, Far::Open(far)) => (far, homeward, outward, rate(&self.near, around.flows)),
            (End::Far, Far::Asked { .. }) => return Ok(Arrival::Discarded),
        };
        let rtt = section.regulation(around.flows).rtt();
        if rtt.has_sample() {
            into.set_round_trip(rtt.min());
        }
        let room = into.bytes_in_time(rate);
        let ip = section.path().remote.ip();
        let arrival = around.with(ip, |around, spares| {
            let mut joint = Joint { into: Some(into), from, spares, room, stays_max: 0, closed: false };
            section.handle_datagrams(now, origin, (packets, size), &mut joint, around)
        })?;
        if arrival == Arrival::Authentic {
            self.used_at = now;
            self.rest_at.get_or_insert(now + REST_AFTER);
            if toward == End::Near {
                self.joined = None;
            }
        }
        Ok(arrival)
    }

    /// Gives memory back if it is time.
    fn shrink(&mut self, now: Instant) {
        match self.rest_at {
            Some(at) if at <= now => {}
            _ => return,
        }
        let due = self.used_at + REST_AFTER;
        if due > now {
            self.rest_at = Some(due);
            return;
        }
        self.rest_at = None;
        self.outward.shrink();
        self.homeward.shrink();
        self.near.channel.shrink();
        if let Far::Open(far) = &mut self.far {
            far.channel.shrink();
        }
    }

    /// The next datagrams to send, if any may leave now.
    pub(crate) fn poll_transmit(
        &mut self,
        now: Instant,
        buf: &mut [u8],
        around: &mut AroundRelay<'_>,
    ) -> Option<Transmit> {
        if let Far::Asked { next, join, due, sends, .. } = &mut self.far
            && core::mem::take(due)
        {
            *sends += 1;
            buf[..join.len()].copy_from_slice(join);
            return Some(plain(*next, None, join.len()));
        }
        if let Some((joined, due)) = &mut self.joined
            && *due
            && self.near.path().budget() >= joined.len() as u64
        {
            *due = false;
            buf[..joined.len()].copy_from_slice(joined);
            self.near.note_sent(now, joined.len());
            return Some(plain(self.near.path().remote, self.near.path().local, joined.len()));
        }
        self.compare_sizes();
        if !self.turn.is_closed()
            && core::mem::take(&mut self.near_first)
            && let (Some(transmit), _) = self.poll_near(now, buf, around)
        {
            return Some(transmit);
        }
        loop {
            if let Some(transmit) = self.poll_far(now, buf, around) {
                self.near_first |= self.limits.rate_max.is_some() && !self.turn.is_closed();
                return Some(transmit);
            }
            let (transmit, settled) = self.poll_near(now, buf, around);
            // What has left may have to be acknowledged at once.
            if transmit.is_some() || !settled {
                return transmit;
            }
        }
    }

    #[inline]
    fn poll_far(&mut self, now: Instant, buf: &mut [u8], around: &mut AroundRelay<'_>) -> Option<Transmit> {
        let (outward, homeward, closed) = (&mut self.outward, &mut self.homeward, self.turn.is_closed());
        let Far::Open(far) = &mut self.far else {
            outward.take_forfeited(|receipt| self.near.channel.forfeit(receipt));
            return None;
        };
        let transmit = around.with(far.path().remote.ip(), |around, spares| {
            let (into, from) = (Some(homeward), &mut *outward);
            let mut joint = Joint { into, from, spares, room: 0, stays_max: 0, closed };
            far.poll_transmit(now, buf, &mut joint, around)
        });
        settle(now, outward, &far.channel, &mut self.near.channel);
        transmit
    }

    /// Answers also whether anything was settled with the section toward the responder.
    #[inline]
    fn poll_near(&mut self, now: Instant, buf: &mut [u8], around: &mut AroundRelay<'_>) -> (Option<Transmit>, bool) {
        let (outward, homeward, closed) = (&mut self.outward, &mut self.homeward, self.turn.is_closed());
        let near = &mut self.near;
        let transmit = around.with(near.path().remote.ip(), |around, spares| {
            let (into, from) = (Some(outward), &mut *homeward);
            let mut joint = Joint { into, from, spares, room: 0, stays_max: 0, closed };
            near.poll_transmit(now, buf, &mut joint, around)
        });
        let settled = match &mut self.far {
            Far::Open(far) => settle(now, homeward, &self.near.channel, &mut far.channel),
            Far::Asked { .. } => false,
        };
        (transmit, settled)
    }

    /// Tells each neighbour how large packets may be that go on to the other.
    fn compare_sizes(&mut self) {
        if let Far::Open(far) = &mut self.far {
            far.announce(self.near.largest_onward());
            self.near.announce(far.largest_onward());
            self.outward.set_payload_max(far.largest_carried());
            self.homeward.set_payload_max(self.near.largest_carried());
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant, around: &mut AroundRelay<'_>) -> Result<(), (End, Ended)> {
        self.shrink(now);
        let (outward, homeward, closed) = (&mut self.outward, &mut self.homeward, self.turn.is_closed());
        let (ip, section) = (self.near.path().remote.ip(), &mut self.near);
        let near = around.with(ip, |around, spares| {
            let (into, from) = (Some(&mut *outward), &mut *homeward);
            let mut joint = Joint { into, from, spares, room: 0, stays_max: 0, closed };
            section.handle_timeout(now, &mut joint, around, false)
        });
        near.map_err(|ended| (End::Near, ended))?;
        if let Far::Open(far) = &mut self.far {
            let ip = far.path().remote.ip();
            let far = around.with(ip, |around, spares| {
                let mut joint = Joint { into: Some(homeward), from: outward, spares, room: 0, stays_max: 0, closed };
                far.handle_timeout(now, &mut joint, around, false)
            });
            far.map_err(|ended| (End::Far, ended))?;
        }
        Ok(())
    }

    pub(crate) fn poll_timeout(&mut self, now: Instant, around: &mut AroundRelay<'_>) -> Option<Instant> {
        let (config, flows) = (around.config, &*around.flows);
        let near = self.near.poll_timeout(now, (&config.settings(self.near.path().remote.ip()), flows), false);
        let far = match &mut self.far {
            Far::Open(far) => far.poll_timeout(now, (&config.settings(far.path().remote.ip()), flows), false),
            Far::Asked { until, .. } => Some(*until),
        };
        [near, far, Some(self.grant.until), self.turn.until(), self.rest_at].into_iter().flatten().min()
    }
}

/// One datagram of `len` bytes to `remote`, not ECN-capable.
pub(crate) fn plain(remote: SocketAddr, local: Option<SocketAddr>, len: usize) -> Transmit {
    Transmit { remote, local, ecn: Ecn::NotEct, len, segment_size: len }
}
