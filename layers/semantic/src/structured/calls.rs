//! What the application calls, and what the channel does.

use core::num::NonZero;
use core::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use tng_base::{ChannelKey, Ecn, Fate, Filled, Instant, PathCondition, PeerText, Protocol, Taken, Train, Violation};
use tng_wire::{Reader, Repr};

use super::buffer::{Chunk, Pages};
use super::credit::{HostCredit, Reserve};
use super::error::{OpenError, Read, ReadChunk, ReadError, ReadMessage, WriteError};
use super::inbox::Dropped;
use super::recv::RecvHalf;
use super::scheduler::Priority;
use super::send::{Cause, SendHalf, WriteRoom};
use super::services::Name;
use super::stream::{Parent, Standing, Stream, control, pending, place, wants};
use super::wire::{NAME_MAX, Setup};
use super::{StreamEvent, StreamId, Streams, children_of, next_waiting, stream_leaf, violation};

/// A top-level stream that a peer opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Incoming {
    /// The stream.
    pub id: StreamId,
    /// The service that it is for.
    pub service: Arc<str>,
    /// The protocol that its opener wants to speak.
    pub protocol: Arc<str>,
    /// It was opened in a first packet whose sender has not proven yet that it is not a replay.
    pub early: bool,
}

/// A connection's streams in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Streams in the table, over or not.
    pub streams: usize,
    /// Pages that hold streams' bytes.
    pub pages_held: usize,
    /// Pages kept for reuse.
    pub pages_free: usize,
    /// Packets whose fate is open.
    pub packets_outstanding: usize,
    /// Packets that have a record.
    pub packets_recorded: usize,
    /// Bytes of data sent for the first time.
    pub bytes_sent: u64,
    /// Bytes of data sent again.
    pub bytes_resent: u64,
    /// Bytes of data received, duplicates too.
    pub bytes_received: u64,
    /// Datagrams sent, as such or as streams.
    pub datagrams_sent: u64,
    /// Datagrams that were not sent in time.
    pub datagrams_expired: u64,
    /// Datagrams that the application has received, in either way.
    pub datagrams_received: u64,
    /// Datagrams, or the rest of some, that arrived and were dropped, by reason.
    pub datagrams_dropped: Dropped,
    /// Pieces of datagrams that were sent and lost.
    pub datagram_pieces_lost: u64,
    /// Bytes of datagrams that wait, whole or not, with what they cost.
    pub datagram_bytes_held: usize,
    /// Bytes that count against the credit given to the peer over all streams.
    pub bytes_unread: u64,
    /// Bytes that the peer's credit over all streams still admits.
    pub bytes_admitted: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    pub(super) bytes_sent: u64,
    pub(super) bytes_resent: u64,
    pub(super) bytes_received: u64,
}

/// Set-up, opening and accepting.
impl Streams {
    /// The value of the set-up item: what this host grants its peer from the start (docs/wire.md, section 4).
    pub fn setup_item(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.granted.wire_len()];
        self.granted.emit(&mut tng_wire::Writer::new(&mut bytes)).expect("wire_len bytes are enough");
        bytes
    }

    /// Takes note of the peer's set-up item. Bytes behind the known ones are skipped.
    ///
    /// # Errors
    /// If it is malformed, or grants less than what may be assumed without it.
    pub fn set_peer_setup(&mut self, item: &[u8]) -> Result<(), Violation> {
        let peer = Setup::parse(&mut Reader::new(item)).map_err(|_| violation::SETUP)?;
        let least = Setup::ASSUMED;
        if peer.stream < least.stream || peer.host < least.host || peer.create < least.create {
            return Err(violation::SETUP);
        }
        (self.peer, self.introduced) = (peer, true);
        self.peer_host.limit = self.peer_host.limit.max(peer.host);
        self.reserve = Reserve::new(peer.host, peer.create + self.granted.create);
        self.raise_create(peer.create);
        for slot in self.table.slots() {
            self.table[slot].send.raise(&mut self.pages, peer.stream);
            self.mark_dirty(slot);
        }
        Ok(())
    }

    /// Marks the streams whose opening arrives from now on as early, or no more: set it while packets are handled whose
    /// sender has not yet proven that they are no replay.
    pub fn set_early(&mut self, early: bool) {
        self.early = early;
    }

    /// Opens a top-level stream. Its opening and what is written at once share the next packet.
    ///
    /// # Errors
    /// See [`OpenError`]; after [`OpenError::Blocked`] follows [`StreamEvent::CanOpen`].
    pub fn open(&mut self, service: &str, protocol: &str) -> Result<StreamId, OpenError> {
        let slot = self.open_slot(service, protocol)?;
        Ok(self.table[slot].id)
    }

    /// Opens a top-level stream, and answers its slot.
    pub(super) fn open_slot(&mut self, service: &str, protocol: &str) -> Result<u32, OpenError> {
        if let Some(name) = [service, protocol].into_iter().find(|name| name.len() > NAME_MAX) {
            return Err(OpenError::NameTooLong(name.len()));
        }
        let name = match &self.last_name {
            Some(name) if name.is(service, protocol) => Arc::clone(name),
            _ => Arc::clone(self.last_name.insert(Name::new(service, protocol).into())),
        };
        self.create(None, Some(name))
    }

    /// Opens a child of `parent`, which either side may have opened. It lives on when its parent ends.
    ///
    /// # Errors
    /// As [`open`](Streams::open), and [`OpenError::NoParent`].
    pub fn open_child(&mut self, parent: StreamId) -> Result<StreamId, OpenError> {
        self.parental(parent).ok_or(OpenError::NoParent)?;
        let slot = self.create(Some(parent), None)?;
        Ok(self.table[slot].id)
    }

    pub(super) fn create(&mut self, parent: Option<StreamId>, name: Option<Arc<Name>>) -> Result<u32, OpenError> {
        if self.lost {
            return Err(OpenError::ConnectionLost);
        }
        if self.next_own >= self.create_limit {
            self.open_blocked = true;
            return Err(OpenError::Blocked);
        }
        let id = StreamId::new(self.next_own, self.role);
        self.next_own += 1;
        let (send, recv) = (SendHalf::new(&mut self.pages, self.peer.stream), RecvHalf::new(self.granted.stream));
        let mut stream = Stream { parent: Parent::new(parent), name, ..Stream::new(id, send, recv, Standing::Known) };
        stream.owe(control::INIT);
        let slot = self.insert(stream);
        if let Some(above) = parent.and_then(|parent| self.table.find(parent)) {
            self.scheduler.hang(stream_leaf(slot), stream_leaf(above));
        }
        self.mark_dirty(slot);
        Ok(slot)
    }

    /// Lets a stream take children from now on. Streams of services that say so, and children of streams that listen,
    /// do so from the start; for a stream opened here, call this before the next packet leaves.
    pub fn listen_children(&mut self, id: StreamId) {
        if let Some(slot) = self.known(id) {
            self.table[slot].listens = true;
        }
    }

    /// The next top-level stream that the peer opened. It is here as soon as its opening has arrived, written to or
    /// not. Of what has arrived by then no event tells: read it.
    pub fn accept(&mut self) -> Option<Incoming> {
        let waiting = next_waiting(&mut self.backlog)?;
        let slot = waiting.slot;
        let stream = &mut self.table[slot];
        stream.hand_over();
        let Name { service, protocol, .. } = self.services.name(waiting.offered());
        let (service, protocol) = (Arc::clone(service), Arc::clone(protocol));
        let incoming = Incoming { id: stream.id, service, protocol, early: waiting.early() };
        self.mark_dirty(slot);
        Some(incoming)
    }

    /// Streams that wait for [`accept`](Streams::accept).
    pub fn waiting(&self) -> usize {
        self.backlog.len()
    }

    /// The next child of `parent` that the peer opened, or datagram that it sent there: that is read as a stream, and
    /// nothing can be written on it. Read it at once, as after [`accept`](Streams::accept). After `None` follows
    /// [`StreamEvent::ChildIncoming`].
    pub fn accept_child(&mut self, parent: StreamId) -> Option<StreamId> {
        let Some(id) = children_of(&self.children, parent).next() else {
            let slot = self.known(parent)?;
            let datagram = self.accept_datagram(parent);
            if datagram.is_none() {
                self.table[slot].wants |= wants::CHILD;
            }
            return datagram;
        };
        self.children.remove(&(parent, id));
        let slot = self.table.find(id)?;
        self.table[slot].hand_over();
        self.mark_dirty(slot);
        Some(id)
    }

    /// The parent of a stream; `None` for a top-level stream, and for one that is over.
    pub fn parent(&self, id: StreamId) -> Option<StreamId> {
        self.table[self.known(id)?].parent.get()
    }

    /// Refuses a stream that the peer opened, after [`accept`](Streams::accept) and before anything was written to it
    /// (then it is reset and stopped instead). `code` is below 2^62; the reason is cut to
    /// [`REASON_MAX`](super::REASON_MAX) bytes. No event follows.
    pub fn refuse(&mut self, id: StreamId, code: u64, reason: &str) {
        if let Some(slot) = self.known(id).filter(|_| id.creator() != self.role) {
            self.turn_away(slot, code & tng_wire::VARINT_MAX, reason);
        }
    }
}

/// A stream's bytes, and its end.
impl Streams {
    /// Writes as much of `data` as fits, and answers how much that was. If it was not all, [`StreamEvent::Writable`]
    /// follows.
    ///
    /// # Errors
    /// [`WriteError::Blocked`] if nothing fits; the others are final.
    pub fn write(&mut self, id: StreamId, data: &[u8]) -> Result<usize, WriteError> {
        self.write_with(id, |send, pages, room| send.write(pages, room, data))
    }

    /// Writes as [`write`](Streams::write) does, of bytes that are given away: those that are taken are taken off the
    /// front of `data`, and of [`GIVEN_MIN`](super::GIVEN_MIN) or more none is copied before it goes into a packet.
    /// They are held until they are acknowledged, and with them whatever buffer they are of.
    ///
    /// # Errors
    /// As [`write`](Streams::write).
    pub fn write_bytes(&mut self, id: StreamId, data: &mut Bytes) -> Result<usize, WriteError> {
        self.write_with(id, |send, pages, room| send.give(pages, room, data))
    }

    /// Writes as [`write`](Streams::write) does; if all of `data` was taken, a message ends behind it: the reader
    /// learns where. Write what did not fit in the same way. A message without a byte does not exist: empty `data` does
    /// nothing.
    ///
    /// Messages have any size. They are written at once, see [`push`](Streams::push).
    ///
    /// # Errors
    /// As [`write`](Streams::write); [`WriteError::Blocked`] also when the peer has
    /// [`MESSAGES_MAX`](super::MESSAGES_MAX) to read.
    pub fn write_message(&mut self, id: StreamId, data: &[u8]) -> Result<usize, WriteError> {
        self.write_with(id, |send, pages, room| send.write_message(pages, room, data))
    }

    /// What was written is not held back in the hope of a full packet (SST 4.3.6), however little credit there is
    /// beyond it.
    pub fn push(&mut self, id: StreamId) {
        if let Some(slot) = self.known(id) {
            self.table[slot].send.push();
            self.mark_dirty(slot);
        }
    }

    /// How far writers may be ahead now.
    #[inline]
    pub(super) fn write_room(&self) -> WriteRoom {
        let left = self.config.unsent_all_max.saturating_sub(self.unsent);
        let held = self.unsent + self.in_flight;
        WriteRoom {
            most: self.config.unsent_max,
            left: left.min(self.send_cap.saturating_sub(held)),
            left_blocked: if self.introduced { self.config.blocked_all_max.saturating_sub(self.unsent) } else { left },
            admitted: self.peer_host.room(),
        }
    }

    fn write_with(
        &mut self,
        id: StreamId,
        write: impl FnOnce(&mut SendHalf, &mut Pages, WriteRoom) -> Result<usize, WriteError>,
    ) -> Result<usize, WriteError> {
        if self.lost {
            return Err(WriteError::ConnectionLost);
        }
        let slot = self.known(id).ok_or(WriteError::Unknown)?;
        let room = self.write_room();
        let n = write(&mut self.table[slot].send, &mut self.pages, room)?;
        self.unsent += n as u64;
        self.mark_dirty(slot);
        Ok(n)
    }

    /// Reads what has arrived, in order, wherever messages end.
    ///
    /// # Errors
    /// See [`ReadError`]; all are final.
    pub fn read(&mut self, id: StreamId, out: &mut [u8]) -> Result<Read, ReadError> {
        let read = self.read_with(id, |recv, pages, host| recv.read(pages, host, out))?;
        if read == Read::Blocked && self.lost { Err(ReadError::ConnectionLost) } else { Ok(read) }
    }

    /// Hands out what has arrived, in order, without copying it: at most `max` bytes, at most one page, and not beyond
    /// the end of a message. What is left of a page when `max` is smaller, or when later bytes lie in it beyond a gap,
    /// does cost a copy.
    ///
    /// # Errors
    /// See [`ReadError`]; all are final.
    pub fn read_chunk(&mut self, id: StreamId, max: usize) -> Result<ReadChunk, ReadError> {
        let read = self.read_with(id, |recv, pages, host| recv.read_chunk(pages, host, max))?;
        if matches!(read, ReadChunk::Blocked) && self.lost { Err(ReadError::ConnectionLost) } else { Ok(read) }
    }

    /// Appends what has arrived of a message to `into`, which holds what was read of it before and grows to `max` bytes
    /// at most. When it is [`Whole`](ReadMessage::Whole), the next call is to begin with an empty one. The end of a
    /// stream ends its last message, too.
    ///
    /// # Errors
    /// See [`ReadError`]; all are final.
    pub fn read_message(&mut self, id: StreamId, into: &mut Vec<u8>, max: usize) -> Result<ReadMessage, ReadError> {
        let read = self.read_with(id, |recv, pages, host| recv.read_message(pages, host, into, max))?;
        if read == ReadMessage::Blocked && self.lost { Err(ReadError::ConnectionLost) } else { Ok(read) }
    }

    /// Takes the page of a chunk that is not needed any more, for reuse.
    pub fn recycle(&mut self, chunk: Chunk) {
        self.pages.recycle(chunk);
    }

    fn read_with<T>(
        &mut self,
        id: StreamId,
        read: impl FnOnce(&mut RecvHalf, &mut Pages, &mut HostCredit) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let Some(slot) = self.known(id) else {
            return Err(if self.lost { ReadError::ConnectionLost } else { ReadError::Unknown });
        };
        let stream = &mut self.table[slot];
        if let Some(refusal) = stream.refusal() {
            return Err(ReadError::Refused(refusal.code));
        }
        let mut uncounted = None;
        let host = self.host.of(id, &mut uncounted);
        let read = read(&mut stream.recv, &mut self.pages, host)?;
        self.host_credit_due |= self.host.raise();
        if stream.recv.raise(self.granted.stream) {
            stream.owe(control::CREDIT);
            self.mark_dirty(slot);
        } else if stream.is_over() {
            // Another may be opened in its place.
            self.remove(slot);
        } else if stream.recv.is_over() {
            self.mark_dirty(slot);
        } else {
            self.rest_one(slot);
        }
        Ok(read)
    }

    /// Ends what is written: the peer reads to the end of it. Again does nothing.
    ///
    /// # Errors
    /// If the sending half was cut short before.
    pub fn finish(&mut self, id: StreamId) -> Result<(), WriteError> {
        if self.lost {
            return Err(WriteError::ConnectionLost);
        }
        let slot = self.known(id).ok_or(WriteError::Unknown)?;
        match self.table[slot].send.write(&mut self.pages, WriteRoom::UNBOUNDED, &[]) {
            Ok(_) | Err(WriteError::Finished) => {}
            Err(error) => return Err(error),
        }
        self.table[slot].send.finish(&mut self.pages);
        self.mark_dirty(slot);
        Ok(())
    }

    /// Has [`StreamEvent::Finished`] told when the peer has everything that was written and knows the end. Answers
    /// `false`, and nothing is told, if it has by now, or the stream is over: if that was for another reason, another
    /// event has told it.
    pub fn tell_finished(&mut self, id: StreamId) -> bool {
        let Some(slot) = self.known(id) else { return false };
        let stream = &mut self.table[slot];
        stream.wants |= wants::FINISHED;
        !matches!(stream.send, SendHalf::Finished)
    }

    /// Gives the sending half up: what the peer has not read is thrown away, and it is told `code`, below 2^62. Does
    /// nothing when everything has been acknowledged.
    pub fn reset(&mut self, id: StreamId, code: u64) {
        if let Some(slot) = self.known(id) {
            self.cut(slot, code & tng_wire::VARINT_MAX, Cause::Local);
            self.mark_dirty(slot);
        }
    }

    /// Gives the receiving half up: what was not read is thrown away, its credit returns, and the peer is told `code`,
    /// below 2^62, unless it has sent everything.
    pub fn stop(&mut self, id: StreamId, code: u64) {
        if let Some(slot) = self.known(id) {
            self.stop_reading(slot, code);
        }
    }

    fn stop_reading(&mut self, slot: u32, code: u64) {
        let stream = &mut self.table[slot];
        let mut uncounted = None;
        let host = self.host.of(stream.id, &mut uncounted);
        if stream.recv.stop(&mut self.pages, host) {
            stream.owe_stop(code & tng_wire::VARINT_MAX);
        }
        stream.waive(control::CREDIT | control::PRIORITY);
        self.mark_dirty(slot);
    }

    /// The application lets go of a stream: no event tells of it any more, every call answers as if it were over, and
    /// it takes no more children. What is not ended is [reset](Streams::reset) and [stopped](Streams::stop) with code
    /// 0; what was finished goes on to the peer.
    pub fn release(&mut self, id: StreamId) {
        if let Some(slot) = self.known(id) {
            self.release_slot(slot);
        }
    }

    pub(super) fn release_slot(&mut self, slot: u32) {
        self.stop_reading(slot, 0);
        if self.table[slot].send.is_open() {
            self.cut(slot, 0, Cause::Local);
        }
        let stream = &mut self.table[slot];
        stream.standing = Standing::Released;
        if stream.is_over() {
            self.remove(slot);
        }
    }

    /// Gives what is written here another priority, from the next packet on. Descendants without a level of their own
    /// go along. The peer may change it too, see [`request_priority`](Streams::request_priority): the later one counts.
    pub fn set_priority(&mut self, id: StreamId, priority: Priority) {
        if let Some(slot) = self.known(id) {
            self.prioritize(slot, priority);
            self.mark_dirty(slot);
        }
    }

    /// The priority of what is written here. When a parent is over, the last of its children takes its place and
    /// weight.
    pub fn priority(&self, id: StreamId) -> Option<Priority> {
        Some(self.scheduler.priority(stream_leaf(self.known(id)?)))
    }

    /// Asks the peer to give what it writes another priority (SST 5.6). Only the last of several requests counts.
    pub fn request_priority(&mut self, id: StreamId, priority: Priority) {
        if let Some(slot) = self.known(id)
            && !self.table[slot].recv.is_settled()
        {
            let stream = &mut self.table[slot];
            let asked = stream.asked_mut();
            asked.asks = asked.asks.saturating_add(1);
            asked.wish = Priority { weight: priority.weight.max(1), ..priority };
            stream.owe(control::PRIORITY);
            self.mark_dirty(slot);
        }
    }

    /// The next event.
    pub fn poll_event(&mut self) -> Option<StreamEvent> {
        self.align();
        if core::mem::take(&mut self.incoming_due) {
            return Some(StreamEvent::Incoming);
        }
        if core::mem::take(&mut self.requested_due) {
            return Some(StreamEvent::Requested);
        }
        if core::mem::take(&mut self.can_open_due) {
            return Some(StreamEvent::CanOpen);
        }
        if self.take_datagram_room() {
            return Some(StreamEvent::CanSendDatagram);
        }
        let Some(slot) = self.told.front() else { return self.take_settled() };
        let stream = &mut self.table[slot];
        let id = stream.id;
        let events = NonZero::new(stream.events).expect("who stands in the queue has something to tell");
        let bit = 1 << events.trailing_zeros();
        stream.events &= !bit;
        let event = match bit {
            pending::REFUSED => {
                let (code, reason) = stream.refusal().map_or((0, PeerText::default()), |r| (r.code, r.reason.clone()));
                StreamEvent::Refused { id, code, reason }
            }
            pending::RESET => StreamEvent::Reset { id, code: stream.recv.reset_code() },
            pending::STOPPED => StreamEvent::Stopped { id, code: stream.send.stopped_code() },
            pending::CHILD => StreamEvent::ChildIncoming { parent: id },
            pending::READABLE => StreamEvent::Readable(id),
            pending::WRITABLE => StreamEvent::Writable(id),
            _ => StreamEvent::Finished(id),
        };
        if stream.events == 0 {
            stream.places &= !place::TOLD;
            self.told.leave_front();
        } else {
            self.told.rotate();
        }
        if bit & pending::OUTCOMES != 0 {
            // It may be over.
            self.touch_quietly(slot);
        }
        Some(event)
    }

    /// Appends every event that there is to `into`.
    pub fn poll_events(&mut self, into: &mut Vec<StreamEvent>) {
        into.extend(core::iter::from_fn(|| self.poll_event()));
    }

    /// Has [`StreamEvent::Settled`] told, once, when the streams [are settled](Streams::is_settled).
    pub fn tell_settled(&mut self) {
        self.settled_due = true;
    }

    fn take_settled(&mut self) -> Option<StreamEvent> {
        if !self.settled_due || !self.is_settled() {
            return None;
        }
        self.settled_due = false;
        Some(StreamEvent::Settled)
    }

    /// Whether everything that was written has arrived, and all else that was to be said. Streams may be open.
    pub fn is_settled(&self) -> bool {
        self.unsent == 0 && self.is_idle()
    }

    /// Whether something that was finished here has not arrived whole. Looks at every stream.
    pub fn delivers(&self) -> bool {
        self.table.slots().into_iter().any(|slot| matches!(self.table[slot].send, SendHalf::Finishing(..)))
    }

    /// The connection is lost. What has arrived in order can still be read; all else fails from now on.
    pub fn handle_closed(&mut self) {
        self.align();
        self.lost = true;
        self.open_blocked = false;
        self.channels.clear();
        for slot in self.table.slots() {
            self.cut(slot, 0, Cause::Local);
            let stream = &mut self.table[slot];
            stream.owed = 0;
            stream.due = 0;
            self.drop_queued(slot);
            let silent = self.table[slot].places & !place::TOLD;
            self.table[slot].places &= place::TOLD;
            self.place(slot, 0, silent);
        }
    }

    /// Bytes of memory that the streams' data takes, both ways.
    pub fn bytes_held(&self) -> usize {
        self.pages.lent() * super::PAGE + self.pages.given + self.inbox.held()
    }

    /// Whether there is no stream: all are over, at both ends as far as this one knows.
    pub fn is_empty(&self) -> bool {
        self.table.len() == 0
    }

    /// Whether nothing waits to be sent and nothing sent awaits its fate. Streams may be open.
    pub fn is_idle(&self) -> bool {
        !self.has_something() && self.channels.iter().all(|carrier| carrier.records.outstanding() == 0)
    }

    /// Bytes that are written and were never sent, and bytes that were: where the first stay and the second stand
    /// still, it is credit that is missing, or a channel.
    pub fn unsent_and_sent(&self) -> (u64, u64) {
        (self.unsent, self.counters.bytes_sent)
    }

    /// Whether a stream was to be opened, and the peer's leave was used up.
    pub fn waits_for_leave(&self) -> bool {
        self.open_blocked
    }

    /// Numbers for people and for tests.
    pub fn stats(&self) -> Stats {
        Stats {
            streams: self.table.len(),
            pages_held: self.pages.lent(),
            pages_free: self.pages.free(),
            packets_outstanding: self.channels.iter().map(|carrier| carrier.records.outstanding()).sum(),
            packets_recorded: self.channels.iter().map(|carrier| carrier.records.len()).sum(),
            bytes_sent: self.counters.bytes_sent,
            bytes_resent: self.counters.bytes_resent,
            bytes_received: self.counters.bytes_received,
            datagrams_sent: self.outbox.sent,
            datagrams_expired: self.outbox.expired,
            datagrams_received: self.inbox.received,
            datagrams_dropped: self.inbox.dropped,
            datagram_pieces_lost: self.outbox.lost,
            datagram_bytes_held: self.inbox.held(),
            bytes_unread: self.host.held(),
            bytes_admitted: self.peer_host.room(),
        }
    }

    /// Streams that may be opened now, as far as the peer's leave goes.
    pub fn openable(&self) -> u64 {
        self.create_limit.saturating_sub(self.next_own)
    }

    /// The slot of a stream that the application has, if it may have children: datagrams have none.
    pub(super) fn parental(&self, id: StreamId) -> Option<u32> {
        self.known(id).filter(|&slot| !self.table[slot].ephemeral)
    }

    /// The slot of a stream that the application has.
    pub(super) fn known(&self, id: StreamId) -> Option<u32> {
        self.table.find(id).filter(|&slot| self.table[slot].standing == Standing::Known)
    }
}

impl Protocol for Streams {
    fn handle_packet(
        &mut self,
        now: Instant,
        _: ChannelKey,
        _: u64,
        _: Ecn,
        payload: &mut [u8],
    ) -> Result<Taken, Violation> {
        self.handle_payload(now, payload)
    }

    fn replay_safe(&self, payload: &[u8]) -> bool {
        self.only_replay_safe(payload)
    }

    /// `buf` holds at least 600 bytes: an INIT with the longest names has to fit.
    fn poll_packet(&mut self, _: Instant, channel: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
        self.fill_packet(channel, number, buf)
    }

    fn poll_train(&mut self, _: Instant, channel: ChannelKey, train: &mut Train<'_>) {
        self.fill_train(channel, train);
    }

    fn wants_to_send(&mut self, _: Instant, channel: ChannelKey) -> bool {
        self.align();
        self.has_something() && !self.leaves_to_others(channel)
    }

    fn handle_fates(&mut self, _: Instant, channel: ChannelKey, numbers: Range<u64>, fate: Fate) {
        self.take_fates(channel, numbers, fate);
    }

    fn handle_attach(&mut self, _: Instant, channel: ChannelKey) {
        let at = self.carrier(channel);
        (self.channels[at].condition, self.channels[at].retired) = (Some(PathCondition::Good), false);
        self.free_stalled();
    }

    fn handle_detach(&mut self, _: Instant, channel: ChannelKey) {
        if let Some(at) = self.channels.iter().position(|carrier| carrier.key == channel) {
            let carrier = self.channels.remove(at);
            let mut records = carrier.records;
            records.doubt_all().into_iter().for_each(|sent| self.frame_lost(sent));
        }
    }

    /// Streams wait through any outage; it is their owner who looks for another path. If there is one, it takes over.
    fn handle_path(&mut self, _: Instant, channel: ChannelKey, condition: PathCondition) {
        if let Some(carrier) = self.channels.iter_mut().find(|carrier| carrier.key == channel)
            && carrier.condition.is_some()
        {
            carrier.condition = Some(condition);
            self.free_stalled();
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.datagram_wake()
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.expire_datagrams(now);
    }
}
