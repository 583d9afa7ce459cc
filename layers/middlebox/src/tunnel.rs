//! Tunnels: legacy flows between two helpers, as payload of a section (Tng 4.2).

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use tng_base::{ChannelKey, Ecn, Fate, Filled, Instant, Protocol, Rng, Taken, Violation};
use tng_channel::PROTOCOL_VIOLATION;
use tng_flow::SECTION_OVERHEAD;
use tng_queue::{CoDelConfig, QueueConfig};
use tng_wire::{Reader, VARINT_MAX, Writer, varint_len};

use crate::config::REPAIR_TIME_MAX;
use crate::in_order::{InOrder, Position};
use crate::repair::{Copied, Repair, Retransmission};
use crate::{HELD_OVERHEAD, QUEUE_TIME, SharedQueue, Spares};

/// Legacy flows of a tunnel, at most; of more the one that was used least lately gives way.
pub const TUNNEL_FLOWS_MAX: usize = 256;

/// Bytes that wait in a tunnel for its section, at most; beyond it the flow with the most gives way.
pub const TUNNEL_BYTES_MAX: u64 = 1 << 20;

/// Bytes that a tunnel has brought and that wait to be taken out of the helper, at most. What comes then is not
/// acknowledged; what has waited for its order ([`REORDERED_BYTES_MAX`](crate::REORDERED_BYTES_MAX)) may come beside
/// it.
pub const TUNNEL_BROUGHT_MAX: usize = 1 << 20;

/// Bytes that a tunnel whose client has a rate may have brought at least, however low that is; else as many as may be
/// taken out in [`QUEUE_TIME`].
pub const TUNNEL_BROUGHT_MIN: usize = 32 << 10;

/// Bytes that a legacy flow sends before it is another's turn, with what each packet has beside its datagram.
const TURN_BYTES: usize = 1_500;

/// What a datagram costs beside its bytes: the section's header and those below it. Small datagrams are not to be
/// cheap.
const PACKET_COST: usize = SECTION_OVERHEAD + 28;

/// A tunnel's name for one of its legacy flows: chosen by the end that brings the flow in, and the same at both ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowId(pub u32);

/// Why a legacy datagram was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotTaken {
    /// There is no such tunnel.
    #[error("there is no such tunnel; open one")]
    Unknown,
    /// It is larger than the tunnel carries.
    #[error("the tunnel carries datagrams of {max} bytes at most; tell the sender so, as a router would")]
    TooLarge {
        /// What it carries.
        max: usize,
    },
    /// Its flow's queue is full.
    #[error("the queue of this flow is full; its sender is faster than its share")]
    Full,
}

#[derive(Debug)]
struct LegacyFlow {
    queue: SharedQueue,
    used_at: Instant,
    /// Bytes sent in the turn under way.
    sent: usize,
    /// It stands in the round.
    waits: bool,
    /// The last of it that has left, of a section that is repaired.
    last: Option<u64>,
}

/// What stands above the section of a tunnel: the queues of the flows toward it, and what it has brought.
#[derive(Debug)]
pub(crate) struct Legacy {
    flows: BTreeMap<FlowId, LegacyFlow>,
    /// Those that have something waiting, in turn.
    round: VecDeque<FlowId>,
    waiting_bytes: u64,
    brought: VecDeque<(FlowId, Vec<u8>)>,
    brought_bytes: usize,
    /// Bytes of it that there may be.
    brought_max: usize,
    /// How many of the first of it may be taken out.
    free: usize,
    /// Nothing leaves now.
    closed: bool,
    /// The largest packet of the section's payload.
    payload_max: usize,
    /// Of all queues.
    spares: Spares,
    rng: Rng,
    /// The discipline of the queues of flows that begin, and their bound in time.
    queueing: (QueueConfig, Duration),
    /// What has left, if the section is repaired from here: what it loses leaves again.
    mending: Option<Mending>,
    /// What has come out of order, if the section is repaired from its other end.
    in_order: Option<InOrder>,
}

/// Repair of what leaves.
#[derive(Debug)]
struct Mending {
    repair: Repair,
    /// Datagrams that have left.
    count: u64,
    repaired: u64,
}

/// What a datagram's position takes of a packet, at most.
const POSITION_MAX: usize = 10;

/// The discipline of the queue that each legacy flow has: what its sender expects of a router, since it sees losses
/// alone.
pub fn tunnel_discipline() -> QueueConfig {
    QueueConfig::CoDel(CoDelConfig { ecn: false, limit_packets: usize::MAX, ..CoDelConfig::default() })
}

impl Legacy {
    pub(crate) fn new(payload_max: usize, rng: Rng) -> Legacy {
        let (flows, round, brought) = (BTreeMap::new(), VecDeque::new(), VecDeque::new());
        let (mending, in_order, queueing) = (None, None, (tunnel_discipline(), QUEUE_TIME));
        Legacy {
            flows,
            round,
            waiting_bytes: 0,
            brought,
            brought_bytes: 0,
            brought_max: TUNNEL_BROUGHT_MAX,
            free: 0,
            closed: false,
            payload_max,
            spares: Spares::default(),
            rng,
            queueing,
            mending,
            in_order,
        }
    }

    /// The queues of flows that begin follow this discipline, or the usual one, and hold what leaves them in so long.
    pub(crate) fn set_queueing(&mut self, discipline: Option<&QueueConfig>, time_max: Duration) {
        self.queueing = (discipline.cloned().unwrap_or_else(tunnel_discipline), time_max);
    }

    /// A section begins, which is repaired for so many milliseconds from here, and from its other end; 0: not. Nobody
    /// repairs for longer than [`REPAIR_TIME_MAX`], whatever the other end says.
    pub(crate) fn begin_section(&mut self, now: Instant, (ours_ms, theirs_ms): (u16, u16)) {
        let time = |ms: u16| Some(Duration::from_millis(ms.into()).min(REPAIR_TIME_MAX)).filter(|time| !time.is_zero());
        let Legacy { in_order, brought, brought_bytes, .. } = self;
        // What the section before has left waiting misses nothing any more.
        if let Some(in_order) = in_order.take() {
            in_order.release(|id, datagram| bring(brought, brought_bytes, id, datagram));
        }
        let mending = |time| Mending { repair: Repair::new(time), count: 0, repaired: 0 };
        self.mending = time(ours_ms).map(mending);
        self.in_order = time(theirs_ms).map(|time| InOrder::new(now, time));
        self.flows.values_mut().for_each(|flow| flow.last = None);
    }

    /// Datagrams that left again, since the section had lost them.
    pub(crate) fn repaired(&self) -> u64 {
        self.mending.as_ref().map_or(0, |mending| mending.repaired)
    }

    /// Flows that have something waiting.
    pub(crate) fn waiting_flows(&self) -> usize {
        self.round.len()
    }

    /// Flows that are known.
    pub(crate) fn flows(&self) -> usize {
        self.flows.len()
    }

    /// Packets that the queues have dropped, of flows that are known.
    pub(crate) fn dropped(&self) -> u64 {
        self.flows.values().map(|flow| flow.queue.dropped()).sum()
    }

    /// Whether there is something to be taken out.
    pub(crate) fn has_brought(&self) -> bool {
        self.free > 0
    }

    /// All that has been brought may be taken out.
    pub(crate) fn bring_all(&mut self) {
        (self.free, self.brought_max) = (self.brought.len(), TUNNEL_BROUGHT_MAX);
    }

    /// Of what has been brought so many bytes more may be taken out, of `rate` in a second; answers how many of those
    /// there are.
    pub(crate) fn bring_some(&mut self, most: usize, rate: u64) -> usize {
        let in_time = u128::from(rate) * QUEUE_TIME.as_millis() / 1_000;
        self.brought_max = usize::try_from(in_time).unwrap_or(usize::MAX).clamp(TUNNEL_BROUGHT_MIN, TUNNEL_BROUGHT_MAX);
        let mut bytes = 0;
        while bytes < most
            && let Some((_, datagram)) = self.brought.get(self.free)
        {
            bytes += datagram.len();
            self.free += 1;
        }
        bytes
    }

    /// Whether there is something to send, or to be taken out that may not yet be.
    pub(crate) fn wants(&self) -> bool {
        self.has_waiting() || self.free < self.brought.len()
    }

    fn has_waiting(&self) -> bool {
        !self.round.is_empty() || self.mending.as_ref().is_some_and(|mending| mending.repair.waiting().0 > 0)
    }

    /// Nothing is to leave now, or something may.
    pub(crate) fn set_closed(&mut self, closed: bool) {
        self.closed = closed;
    }

    /// Bytes of memory that all takes that is held.
    pub(crate) fn held_bytes(&self) -> u64 {
        let in_order = self.in_order.as_ref().map_or(0, InOrder::bytes);
        self.waiting_bytes + self.repair_bytes() + (self.brought_bytes + in_order) as u64
    }

    fn repair_bytes(&self) -> u64 {
        let of = |Mending { repair, .. }: &Mending| {
            let (packets, bytes) = repair.waiting();
            bytes + (packets * HELD_OVERHEAD + repair.kept_bytes()) as u64
        };
        self.mending.as_ref().map_or(0, of)
    }

    /// Gives up a packet of what the tunnel holds most of: what waits, what is kept for repair, what waits for what
    /// comes before it, or what nobody has taken out.
    pub(crate) fn give_way(&mut self, now: Instant) {
        let in_order = self.in_order.as_ref().map_or(0, InOrder::bytes) as u64;
        let (waiting, repair, brought) = (self.waiting_bytes, self.repair_bytes(), self.brought_bytes as u64);
        let most = waiting.max(repair).max(in_order).max(brought);
        if most == waiting {
            self.drop_waiting(now);
        } else if let (true, Some(mending)) = (most == repair, &mut self.mending) {
            mending.give_way(now, &mut self.spares);
        } else if let (true, Some(in_order)) = (most == in_order, &mut self.in_order) {
            in_order.drop_oldest();
        } else if let Some((_, datagram)) = self.brought.pop_front() {
            self.brought_bytes -= datagram.len() + HELD_OVERHEAD;
            self.free = self.free.saturating_sub(1);
        }
    }

    /// Waits no longer for what has not come by now, and gives back memory that nobody has needed of late.
    pub(crate) fn release(&mut self, now: Instant) {
        let Legacy { in_order, brought, brought_bytes, spares, .. } = self;
        spares.shrink(now);
        if let Some(in_order) = in_order {
            in_order.handle_timeout(now, |id, datagram| bring(brought, brought_bytes, id, datagram));
        }
    }

    /// When to [`release`](Legacy::release) next.
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        let late = self.in_order.as_ref().and_then(InOrder::poll_timeout);
        late.into_iter().chain(self.spares.rest_at()).min()
    }

    /// The largest datagram that fits beside its flow's name.
    pub(crate) fn datagram_max(&self, id: FlowId) -> usize {
        let position = if self.mending.is_some() { POSITION_MAX } else { 0 };
        self.payload_max.saturating_sub(varint_len(u64::from(id.0)) + position)
    }

    /// The section carries packets of so many bytes now.
    pub(crate) fn set_payload_max(&mut self, bytes: usize) {
        self.payload_max = bytes;
    }

    /// Bytes of memory that what waits for the section takes.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    /// Takes a datagram of a flow; `rate` is how many bytes the section carries in a second, where that is known.
    pub(crate) fn offer(
        &mut self,
        now: Instant,
        id: FlowId,
        datagram: &[u8],
        rate: Option<u64>,
    ) -> Result<(), NotTaken> {
        let max = self.datagram_max(id);
        if datagram.len() > max {
            return Err(NotTaken::TooLarge { max });
        }
        if !self.flows.contains_key(&id) {
            self.begin(now, id);
        }
        let others = self.round.len().max(1) as u64;
        let Some(flow) = self.flows.get_mut(&id) else { return Err(NotTaken::Unknown) };
        flow.used_at = now;
        let before = flow.queue.held_bytes();
        flow.queue.set_payload_max(max);
        let room = flow.queue.bytes_in_time(rate.map(|rate| rate / others));
        let taken = flow.queue.offer(now, (0, Ecn::NotEct), datagram, room, &mut self.spares);
        self.waiting_bytes = self.waiting_bytes - before + flow.queue.held_bytes();
        if !core::mem::replace(&mut flow.waits, true) {
            self.round.push_back(id);
        }
        self.make_room(now);
        if taken { Ok(()) } else { Err(NotTaken::Full) }
    }

    fn begin(&mut self, now: Instant, id: FlowId) {
        if self.flows.len() >= TUNNEL_FLOWS_MAX
            && let Some(stale) = self.flows.iter().min_by_key(|(id, flow)| (flow.used_at, **id)).map(|(id, _)| *id)
            && let Some(flow) = self.flows.remove(&stale)
        {
            self.waiting_bytes -= flow.queue.held_bytes();
            self.round.retain(|waiting| *waiting != stale);
        }
        let (discipline, time_max) = &self.queueing;
        let queue = SharedQueue::new(discipline, *time_max, self.rng.fork());
        self.flows.insert(id, LegacyFlow { queue, used_at: now, sent: 0, waits: false, last: None });
    }

    fn make_room(&mut self, now: Instant) {
        while self.waiting_bytes > TUNNEL_BYTES_MAX {
            self.drop_waiting(now);
        }
    }

    /// The flow with the most gives up a packet that waits.
    fn drop_waiting(&mut self, now: Instant) {
        let Some(flow) = self.flows.values_mut().max_by_key(|flow| flow.queue.held_bytes()) else { return };
        let before = flow.queue.held_bytes();
        flow.queue.give_way(now, &mut self.spares);
        while flow.queue.pop_settled().is_some() {}
        self.waiting_bytes = self.waiting_bytes - before + flow.queue.held_bytes();
    }

    /// The next datagram that the tunnel has brought.
    pub(crate) fn pop(&mut self) -> Option<(FlowId, Vec<u8>)> {
        self.free = self.free.checked_sub(1)?;
        let (id, datagram) = self.brought.pop_front()?;
        self.brought_bytes -= datagram.len() + HELD_OVERHEAD;
        Some((id, datagram))
    }

    /// Fills `buf`, which leaves as packet `number`, with what is to leave again, or with the next datagram of the flow
    /// whose turn it is.
    fn fill(&mut self, now: Instant, number: u64, buf: &mut [u8]) -> Option<usize> {
        let again = self.mending.as_mut().and_then(|mending| mending.fill_again(now, number, buf, &mut self.spares));
        if let Some(len) = again {
            return Some(len);
        }
        while let Some(id) = self.round.front().copied() {
            let max = self.datagram_max(id);
            let Some(flow) = self.flows.get_mut(&id) else {
                self.round.pop_front();
                continue;
            };
            let mut writer = Writer::new(buf);
            writer.varint(u64::from(id.0)).ok()?;
            if let Some(mending) = &self.mending {
                let back = flow.last.and_then(|last| u16::try_from(mending.count - last).ok());
                writer.varint(mending.count).ok()?;
                writer.u16(back.unwrap_or(0)).ok()?;
            }
            let at = writer.position();
            let before = flow.queue.held_bytes();
            flow.queue.set_payload_max(max);
            let taken = flow.queue.take(now, 0, &mut buf[at..], &mut self.spares);
            while flow.queue.pop_settled().is_some() {}
            self.waiting_bytes = self.waiting_bytes - before + flow.queue.held_bytes();
            let empty = flow.queue.packets() == 0;
            match taken {
                // It needs the next packet, which has more room.
                None if !empty => return None,
                _ => flow.sent += taken.map_or(0, |len| at + len + PACKET_COST),
            }
            if let (Some(mending), Some(len)) = (&mut self.mending, taken) {
                flow.last = Some(mending.count);
                mending.keep(now, number, &buf[..at + len], &mut self.spares);
            }
            if empty {
                (flow.waits, flow.sent) = (false, 0);
                self.round.pop_front();
            } else if flow.sent >= TURN_BYTES {
                flow.sent -= TURN_BYTES;
                self.round.rotate_left(1);
            }
            if let Some(len) = taken {
                return Some(at + len);
            }
        }
        None
    }
}

impl Mending {
    /// Keeps one packet fewer: the oldest that is kept, or else the first that is to leave again.
    fn give_way(&mut self, now: Instant, spares: &mut Spares) {
        if !self.repair.forget_oldest(|buf| spares.keep(buf))
            && let Some(again) = self.repair.pop(now, |buf| spares.keep(buf))
        {
            spares.keep(again.copy.payload);
        }
    }

    fn keep(&mut self, now: Instant, number: u64, packet: &[u8], spares: &mut Spares) {
        self.count += 1;
        let copy = Copied { payload: spares.fill(packet), left_at: now };
        self.repair.keep(now, number, copy, |buf| spares.keep(buf));
    }

    fn fill_again(&mut self, now: Instant, number: u64, buf: &mut [u8], spares: &mut Spares) -> Option<usize> {
        let Mending { repair, repaired, .. } = self;
        let again = repair.pop(now, |buf| spares.keep(buf))?;
        let len = again.copy.payload.len();
        let Some(room) = buf.get_mut(..len) else {
            // It needs the next packet, which has more room.
            repair.push(again);
            return None;
        };
        room.copy_from_slice(&again.copy.payload);
        *repaired += 1;
        if again.twice {
            repair.push(Retransmission { twice: false, ..again });
        } else {
            repair.keep(now, number, again.copy, |buf| spares.keep(buf));
        }
        Some(len)
    }
}

fn bring(brought: &mut VecDeque<(FlowId, Vec<u8>)>, bytes: &mut usize, id: FlowId, datagram: Vec<u8>) {
    *bytes += datagram.len() + HELD_OVERHEAD;
    brought.push_back((id, datagram));
}

impl Protocol for Legacy {
    fn handle_packet(
        &mut self,
        now: Instant,
        _: ChannelKey,
        _: u64,
        _: Ecn,
        payload: &mut [u8],
    ) -> Result<Taken, Violation> {
        let broken = || Violation { code: PROTOCOL_VIOLATION, reason: "a tunnel's packet without a flow" };
        let mut reader = Reader::new(payload);
        let id = reader.varint().unwrap_or(VARINT_MAX);
        let id = FlowId(u32::try_from(id).map_err(|_| broken())?);
        let Legacy { in_order, brought, brought_bytes, brought_max, .. } = self;
        let position = match in_order {
            Some(_) => {
                let number = reader.varint().map_err(|_| broken())?;
                Some(Position { number, back: reader.u16().map_err(|_| broken())? })
            }
            None => None,
        };
        let datagram = reader.rest();
        if *brought_bytes + datagram.len() + HELD_OVERHEAD > *brought_max {
            return Ok(Taken::Refused);
        }
        match (in_order, position) {
            (Some(in_order), Some(position)) => in_order.take(now, (id, position), datagram, |id, datagram| {
                bring(brought, brought_bytes, id, datagram);
            }),
            _ => bring(brought, brought_bytes, id, datagram.to_vec()),
        }
        Ok(Taken::All)
    }

    fn replay_safe(&self, _: &[u8]) -> bool {
        true
    }

    fn poll_packet(&mut self, now: Instant, _: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
        if self.closed {
            return None;
        }
        self.fill(now, number, buf).map(|len| Filled { len })
    }

    fn wants_to_send(&mut self, _: Instant, _: ChannelKey) -> bool {
        !self.closed && self.has_waiting()
    }

    // Without repair the sender of the datagrams knows what to make of a loss.
    fn handle_fates(&mut self, now: Instant, _: ChannelKey, numbers: Range<u64>, fate: Fate) {
        let Legacy { mending, spares, .. } = self;
        if let Some(Mending { repair, .. }) = mending {
            numbers.for_each(|number| repair.handle_fate(now, number, fate, |buf| spares.keep(buf)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legacy() -> Legacy {
        Legacy::new(1_181, Rng::from_u64(4))
    }

    fn drain(legacy: &mut Legacy, packets: usize) -> Vec<(u64, usize)> {
        let mut buf = [0; 1_181];
        let next = || {
            let len = legacy.fill(Instant::ZERO, 0, &mut buf)?;
            let mut reader = Reader::new(&buf[..len]);
            Some((reader.varint().ok()?, reader.rest().len()))
        };
        core::iter::from_fn(next).take(packets).collect()
    }

    #[test]
    fn flows_take_turns_by_bytes_whatever_the_size_of_their_datagrams() {
        let mut legacy = legacy();
        let sizes = [1_000, 100, 1, 0];
        for round in 0..700 {
            for (flow, len) in sizes.into_iter().enumerate().filter(|(flow, _)| *flow > 0 || round < 80) {
                legacy.offer(Instant::ZERO, FlowId(flow as u32), &vec![2; len], Some(1 << 30)).expect("there is room");
            }
        }
        let sent = drain(&mut legacy, 1_200);
        let on_the_wire = |flow| sent.iter().filter(|(id, _)| *id == flow).map(|(_, len)| len + 48).sum::<usize>();
        let of = [0, 1, 2, 3].map(on_the_wire);
        assert!(of.iter().all(|bytes| bytes.abs_diff(of[0]) < 6_000), "{of:?}");
    }

    #[test]
    fn empty_datagrams_are_bounded_like_others() {
        let mut legacy = legacy();
        let key = ChannelKey(0);
        let brought = (0..100_000)
            .filter(|_| legacy.handle_packet(Instant::ZERO, key, 0, Ecn::NotEct, &mut [7]) == Ok(Taken::All))
            .count();
        assert!(brought * HELD_OVERHEAD <= TUNNEL_BROUGHT_MAX && brought > 0, "{brought}");
        let taken = (0..100_000).filter(|_| legacy.offer(Instant::ZERO, FlowId(1), &[], Some(1 << 40)).is_ok()).count();
        assert!(legacy.waiting_bytes() <= TUNNEL_BYTES_MAX, "{taken} taken");
        let waiting = legacy.flows.values().map(|flow| flow.queue.packets()).sum::<usize>();
        assert!(waiting * HELD_OVERHEAD <= TUNNEL_BYTES_MAX as usize && waiting > 0, "{waiting}");
    }

    #[test]
    fn what_waits_what_was_brought_and_how_many_flows_there_are_is_bounded() {
        let mut legacy = legacy();
        for id in 0..3 * TUNNEL_FLOWS_MAX as u32 {
            for _ in 0..20 {
                let _ = legacy.offer(Instant::from_millis(id.into()), FlowId(id), &[0; 1_000], Some(1 << 40));
            }
            assert!(legacy.waiting_bytes() <= TUNNEL_BYTES_MAX && legacy.flows.len() <= TUNNEL_FLOWS_MAX);
        }
        let waiting: u64 = legacy.flows.values().map(|flow| flow.queue.held_bytes()).sum();
        assert_eq!(waiting, legacy.waiting_bytes());
        let (key, mut refused) = (ChannelKey(0), false);
        for _ in 0..2_000 {
            let taken = legacy.handle_packet(Instant::ZERO, key, 0, Ecn::NotEct, &mut [7; 1_000]).expect("well-formed");
            refused |= taken == Taken::Refused;
        }
        assert!(refused);
        assert!(!legacy.has_brought() && legacy.pop().is_none(), "nobody has let it out");
        legacy.bring_all();
        let brought: usize = core::iter::from_fn(|| legacy.pop()).map(|(_, datagram)| datagram.len()).sum();
        assert!(brought <= TUNNEL_BROUGHT_MAX && legacy.brought_bytes == 0, "{brought}");
    }

    #[test]
    fn what_waits_for_its_order_waits_no_longer_than_anybody_repairs_and_not_beyond_its_section() {
        let mut legacy = legacy();
        let take = |legacy: &mut Legacy, number: u8, back: u8| {
            let packet = &mut [7, number, 0, back, number];
            let taken = legacy.handle_packet(Instant::ZERO, ChannelKey(0), 0, Ecn::NotEct, packet);
            assert_eq!(taken, Ok(Taken::All));
        };
        let brought = |legacy: &mut Legacy| {
            legacy.bring_all();
            core::iter::from_fn(|| legacy.pop()).flat_map(|(_, datagram)| datagram).collect::<Vec<u8>>()
        };
        legacy.begin_section(Instant::ZERO, (0, u16::MAX));
        for (number, back) in [(1, 0), (3, 1), (5, 1)] {
            take(&mut legacy, number, back);
        }
        assert_eq!(brought(&mut legacy), [1], "2 and 4 are missing");
        assert_eq!(legacy.poll_timeout(), Some(Instant::ZERO + REPAIR_TIME_MAX));
        legacy.begin_section(Instant::from_millis(10), (0, 100));
        assert_eq!(brought(&mut legacy), [3, 5]);
        assert_eq!((legacy.poll_timeout(), legacy.held_bytes()), (None, 0));
    }

    #[test]
    fn what_does_not_fit_is_told_and_what_has_no_flow_is_a_violation() {
        let mut legacy = legacy();
        let too_large = legacy.offer(Instant::ZERO, FlowId(70), &[0; 1_180], None);
        assert_eq!(too_large, Err(NotTaken::TooLarge { max: 1_179 }));
        assert!(legacy.offer(Instant::ZERO, FlowId(70), &[0; 1_179], None).is_ok());
        for mut bad in [vec![], vec![0x40], vec![0xc0, 0, 0, 1, 0, 0, 0, 0]] {
            assert!(legacy.handle_packet(Instant::ZERO, ChannelKey(0), 0, Ecn::NotEct, &mut bad).is_err(), "{bad:?}");
        }
    }
}
