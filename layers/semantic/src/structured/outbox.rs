//! Datagrams on their way out: ephemeral substreams (SST 2.2, 4.3.5).

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use tng_base::Instant;
use tng_wire::Writer;

use super::error::{OpenError, SendDatagramError};
use super::output::{FRAGMENT_MIN, Tail, pad};
use super::records::{Records, Sent};
use super::recv::RecvHalf;
use super::scheduler::Turn;
use super::send::{Cause, WriteRoom};
use super::stream::Standing;
use super::wire::DatagramHead;
use super::{EPHEMERAL, StreamId, Streams, datagram_leaf, stream_leaf};

/// Bytes of the largest datagram that is ever sent without retransmission.
pub const DATAGRAM_MAX: usize = 64 << 10;
/// Bytes of datagrams that may wait to be sent for the first time, all parents together, each counted with
/// [`OVERHEAD`].
pub const QUEUED_MAX: usize = 1 << 20;
/// Datagrams at once that travel as streams because of their size.
pub const EPHEMERAL_MAX: usize = 64;
/// What a queued datagram, or a piece of one, counts for beyond its bytes.
pub const OVERHEAD: usize = 64;
/// Probability that some fragment of a datagram is lost above which it is sent as a stream.
pub const RISK_MAX: f64 = 0.1;

/// Part of a packet's fate in the measured loss rate.
const LOSS_GAIN: f64 = 1.0 / 64.0;

/// When a datagram is not worth sending any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Deadline {
    Never,
    /// So long after the next look at the clock.
    In(Duration),
    At(Instant),
}

impl Deadline {
    /// Looks at the clock; answers whether it has passed.
    fn has_passed(&mut self, now: Instant) -> bool {
        if let Deadline::In(lifetime) = *self {
            *self = Deadline::At(now + lifetime);
        }
        matches!(*self, Deadline::At(at) if at <= now)
    }

    fn next(self) -> Option<Instant> {
        match self {
            Deadline::Never => None,
            Deadline::In(_) => Some(Instant::ZERO),
            Deadline::At(at) => Some(at),
        }
    }
}

/// A datagram on its way out.
#[derive(Debug)]
pub(super) struct Outgoing {
    id: u64,
    bytes: Vec<u8>,
    sent: usize,
    deadline: Deadline,
}

/// The datagrams of one parent that wait to be sent.
pub(super) type Queue = VecDeque<Outgoing>;

/// Bytes that wait there, with what they cost.
pub(super) fn queued(queue: &Queue) -> usize {
    queue.iter().map(|datagram| datagram.bytes.len() + OVERHEAD).sum()
}

/// A datagram that travels as a stream.
#[derive(Debug)]
struct Ephemeral {
    id: StreamId,
    len: u64,
    deadline: Deadline,
}

/// What there was no room for when it was last asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Refused {
    /// A datagram to be queued.
    Queued,
    /// One of so many bytes that would travel as a stream.
    AsStream(u64),
}

/// The sending side of all parents.
#[derive(Debug)]
pub(super) struct Outbox {
    next: u64,
    /// Bytes queued.
    pub(super) queued: usize,
    /// Parents with something queued.
    parents: BTreeSet<StreamId>,
    /// Those that travel as streams.
    ephemeral: Vec<Ephemeral>,
    /// Somebody waits for room.
    refused: Option<Refused>,
    /// When the first deadline passes.
    wake: Option<Instant>,
    /// Measured part of packets that are lost.
    pub(super) loss: f64,
    pub(super) sent: u64,
    pub(super) expired: u64,
    /// Pieces whose packets were lost.
    pub(super) lost: u64,
}

impl Default for Outbox {
    fn default() -> Outbox {
        Outbox {
            next: 0,
            queued: 0,
            parents: BTreeSet::new(),
            ephemeral: Vec::new(),
            refused: None,
            wake: None,
            loss: 0.01,
            sent: 0,
            expired: 0,
            lost: 0,
        }
    }
}

impl Outbox {
    /// So many packets met their fate.
    pub(super) fn measure(&mut self, packets: u64, lost: bool) {
        for _ in 0..packets {
            self.loss += (f64::from(u8::from(lost)) - self.loss) * LOSS_GAIN;
        }
    }

    /// Whether so many packets had better be sent again when lost.
    fn is_risky(&self, packets: usize) -> bool {
        let all = (0..packets).fold(1.0, |all, _| all * (1.0 - self.loss));
        packets > 1 && 1.0 - all > RISK_MAX
    }

    fn wake_at(&mut self, deadline: Deadline) {
        self.wake = [self.wake, deadline.next()].into_iter().flatten().min();
    }
}

impl Streams {
    /// Sends a datagram as a child of `parent` (SST 2.2): whole or not at all, in no order. One that is so large that a
    /// fragment of it would probably be lost, by the loss that packets have met, travels as a stream and arrives;
    /// others are sent once, without regard to credit. What has not left `lifetime` from now is dropped.
    ///
    /// It is scheduled beside the parent's other children, with the default weight. Parents that take no children take
    /// no datagrams.
    ///
    /// # Errors
    /// [`SendDatagramError::Full`] when too much waits already, after which follows
    /// [`CanSendDatagram`](super::StreamEvent::CanSendDatagram); the others are final. Any size can be sent. What the
    /// receiver takes whole is its own decision ([`Config::datagram_max`](super::Config)); it reads any size as a
    /// stream.
    pub fn send_datagram(
        &mut self,
        parent: StreamId,
        data: &[u8],
        lifetime: Option<Duration>,
    ) -> Result<(), SendDatagramError> {
        if self.lost {
            return Err(SendDatagramError::ConnectionLost);
        }
        let slot = self.parental(parent).ok_or(SendDatagramError::NoParent)?;
        let deadline = lifetime.map_or(Deadline::Never, Deadline::In);
        let packets = data.len().div_ceil(usize::try_from(self.segment).unwrap_or(usize::MAX));
        if data.len() > DATAGRAM_MAX || self.outbox.is_risky(packets) {
            return self.send_as_stream(parent, data, deadline);
        }
        if self.outbox.queued + data.len() + OVERHEAD > QUEUED_MAX {
            self.outbox.refused = Some(Refused::Queued);
            return Err(SendDatagramError::Full);
        }
        if self.table[slot].queue().is_none() {
            self.scheduler.enter(datagram_leaf(slot));
            self.scheduler.hang(datagram_leaf(slot), stream_leaf(slot));
        }
        let queue = self.table[slot].rare_mut().queue.get_or_insert_default();
        queue.push_back(Outgoing { id: self.outbox.next, bytes: data.to_vec(), sent: 0, deadline });
        self.outbox.next += 1;
        self.outbox.queued += data.len() + OVERHEAD;
        self.outbox.parents.insert(parent);
        self.outbox.wake_at(deadline);
        self.mark_dirty(slot);
        Ok(())
    }

    fn send_as_stream(&mut self, parent: StreamId, data: &[u8], deadline: Deadline) -> Result<(), SendDatagramError> {
        let len = data.len() as u64;
        if !self.may_travel(len) {
            self.outbox.refused = Some(Refused::AsStream(len));
            return Err(SendDatagramError::Full);
        }
        let slot = self.create(Some(parent), None).map_err(|error| match error {
            OpenError::ConnectionLost => SendDatagramError::ConnectionLost,
            OpenError::NoParent => SendDatagramError::NoParent,
            OpenError::Blocked | OpenError::NameTooLong(_) => SendDatagramError::Full,
        })?;
        let id = self.table[slot].id;
        let stream = &mut self.table[slot];
        (stream.standing, stream.ephemeral) = (Standing::Released, true);
        if let Ok(n) = stream.send.write(&mut self.pages, WriteRoom::UNBOUNDED, data) {
            self.unsent += n as u64;
        }
        stream.send.finish(&mut self.pages);
        stream.recv = RecvHalf::Over;
        self.outbox.ephemeral.push(Ephemeral { id, len, deadline });
        self.outbox.wake_at(deadline);
        self.outbox.sent += 1;
        self.mark_dirty(slot);
        Ok(())
    }

    /// Whether a datagram of `len` bytes may travel as a stream now. Any size, but not many of the large ones at once:
    /// a receiver that takes them as datagrams reads none before it is whole, and has to hold them all.
    fn may_travel(&self, len: u64) -> bool {
        let ephemeral = &self.outbox.ephemeral;
        let travelling: u64 = ephemeral.iter().map(|ephemeral| ephemeral.len).sum();
        let crowded = travelling > 0 && travelling + len > self.peer.host / 2;
        !crowded && ephemeral.len() < EPHEMERAL_MAX && self.next_own < self.create_limit
    }

    /// Whether there is room now for a datagram like the one that there was none for, once.
    pub(super) fn take_datagram_room(&mut self) -> bool {
        let there_is = self.outbox.refused.is_some_and(|refused| match refused {
            Refused::Queued => self.outbox.queued <= QUEUED_MAX / 2,
            Refused::AsStream(len) => self.may_travel(len),
        });
        if there_is {
            self.outbox.refused = None;
        }
        there_is
    }

    /// Writes the first datagram of a parent, or a piece of it; answers whether the packet may take more.
    pub(super) fn fill_datagram(
        &mut self,
        slot: u32,
        writer: &mut Writer<'_>,
        records: &mut Records,
        number: u64,
        tail: &mut Option<Tail>,
    ) -> bool {
        let stream = &mut self.table[slot];
        let id = stream.id;
        let Some(queue) = stream.queue_mut() else { return false };
        let Some(first) = queue.front_mut() else { return false };
        let rest = first.bytes.len() - first.sent;
        let mut head = DatagramHead { parent: id, id: first.id, offset: first.sent, last: true, len: Some(rest) };
        let fits = |head: &DatagramHead| head.wire_len() + rest <= writer.left();
        if !fits(&head) {
            // Nothing else would fit behind it.
            head.len = None;
        }
        if !fits(&head) {
            head.last = false;
        }
        let room = writer.left().saturating_sub(head.wire_len());
        let worth = room >= FRAGMENT_MIN as usize && (writer.position() == 0 || rest as u64 > self.segment);
        if !head.last && !worth {
            // The next packet takes it whole, or at least more of it.
            pad(writer, tail);
            return false;
        }
        let len = rest.min(room);
        let bytes = &first.bytes[first.sent..first.sent + len];
        let start = writer.position();
        if head.emit(writer).and_then(|()| writer.bytes(bytes)).is_err() {
            return false;
        }
        first.sent += len;
        records.push(number, Sent::Datagram);
        if head.last {
            self.outbox.queued -= first.bytes.len() + OVERHEAD;
            self.outbox.sent += 1;
            queue.pop_front();
            if queue.is_empty() {
                self.outbox.parents.remove(&id);
            }
        }
        *tail = head.len.map(|len| Tail::new(start, head.wire_len(), len));
        self.scheduler.charge(Turn::Fresh(datagram_leaf(slot)), len + 1);
        self.datagram_turns.rotate();
        self.align_one(slot);
        head.len.is_some()
    }

    /// When something here has waited long enough.
    pub(super) fn datagram_wake(&self) -> Option<Instant> {
        [self.outbox.wake, self.inbox.wake()].into_iter().flatten().min()
    }

    /// Drops what has waited too long.
    pub(super) fn expire_datagrams(&mut self, now: Instant) {
        self.inbox.expire(now);
        if self.outbox.wake.is_none_or(|at| at > now) {
            return;
        }
        self.outbox.wake = None;
        let parents: Vec<_> = self.outbox.parents.iter().copied().collect();
        for parent in parents {
            let Some(slot) = self.table.find(parent) else { continue };
            let Some(queue) = self.table[slot].queue_mut() else { continue };
            let outbox = &mut self.outbox;
            queue.retain_mut(|datagram| {
                let passed = datagram.deadline.has_passed(now);
                if passed {
                    outbox.queued -= datagram.bytes.len() + OVERHEAD;
                    outbox.expired += 1;
                } else {
                    outbox.wake_at(datagram.deadline);
                }
                !passed
            });
            if queue.is_empty() {
                outbox.parents.remove(&parent);
            }
            self.mark_dirty(slot);
        }
        let mut ephemeral = core::mem::take(&mut self.outbox.ephemeral);
        let mut over = Vec::new();
        for Ephemeral { id, deadline, .. } in &mut ephemeral {
            if deadline.has_passed(now) {
                *deadline = Deadline::Never;
                over.push(*id);
            } else {
                self.outbox.wake_at(*deadline);
            }
        }
        self.outbox.ephemeral = ephemeral;
        for id in over {
            if let Some(slot) = self.table.find(id)
                && self.table[slot].send.outgoing().is_some_and(|out| out.unsent() > 0)
                && self.cut(slot, EPHEMERAL, Cause::Local)
            {
                self.outbox.expired += 1;
                self.mark_dirty(slot);
            }
        }
    }

    /// A stream is gone, and what it was to datagrams.
    pub(super) fn forget_datagrams(&mut self, slot: u32) {
        let stream = &self.table[slot];
        if !self.outbox.parents.is_empty() {
            self.outbox.parents.remove(&stream.id);
        }
        if let Some(queue) = stream.queue() {
            self.scheduler.forget(datagram_leaf(slot));
            self.outbox.queued -= queued(queue);
        }
        if stream.ephemeral {
            self.outbox.ephemeral.retain(|ephemeral| ephemeral.id != stream.id);
        }
        self.inbox.forget(stream.id);
    }

    /// The connection is lost: nothing more is sent.
    pub(super) fn drop_queued(&mut self, slot: u32) {
        if let Some(queue) = self.table[slot].queue_mut() {
            self.outbox.queued -= queued(queue);
            queue.clear();
        }
        self.outbox.parents.clear();
        self.outbox.wake = None;
    }
}
