//! Streams: what tasks wait for, and what became of them.

use core::task::Waker;
use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use tng_base::{Instant, PeerText};
use tng_stack::ConnectionId;
use tng_stack::structured::{self, StreamEvent, StreamId, Streams};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::{Attempt, Hub, Left, Peer, Reply, Stage};
use crate::error::{ConnectionError, OpenError, ReadError, WriteError};

/// Room for as many events is never given back.
const TOLD_KEPT: usize = 256;

/// Bytes that are put together from several pages for one read, about, at most.
pub const CHUNK_MAX: usize = 1 << 20;

/// Tasks that wait to open a stream and are woken together, at most, whatever a peer permits; each that opens one wakes
/// another.
const WOKEN_MAX: u64 = 1024;

/// What there is to note of a stream, beyond what the host keeps: of one that the application has both handles of, and
/// on which nobody waits, usually nothing. Then there is no slot.
#[derive(Debug, Default)]
pub(super) struct Slot {
    reader: Option<Waker>,
    /// Waits for room, or for confirmation.
    writer: Option<Waker>,
    /// Waits for the peer to lose interest.
    watcher: Option<Waker>,
    /// Waits for substreams and datagrams.
    pub(super) children: Option<Arc<Notify>>,
    /// How it ended, if it did otherwise than by finishing.
    outcome: Option<Box<Outcome>>,
    /// What was taken of a message that is not whole.
    begun: Vec<u8>,
    /// The application has no handle of the sending half any more.
    pub(super) send_gone: bool,
    /// Nor of the receiving half.
    recv_gone: bool,
    /// The application has finished it.
    finishing: bool,
    /// The end was read.
    ended: bool,
    /// It is a request, and not the application's to read.
    pub(super) request: Option<Open>,
}

/// A request that is not answered.
#[derive(Debug)]
pub(super) enum Open {
    /// Made here: who waits for the answer.
    Asked(Arc<Reply>),
    /// Made by the peer, for one of the services here: what works on it, if it could not be answered at once.
    Served(Option<AbortHandle>),
}

/// What became of a stream.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Outcome {
    stopped: Option<u64>,
    reset: Option<u64>,
    refused: Option<(u64, PeerText)>,
}

/// A half of a stream that the application has a handle to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Half {
    Send,
    Recv,
}

impl Slot {
    /// The code by which the peer wants no more, if it does not.
    fn unwanted(&self) -> Option<u64> {
        let outcome = self.outcome.as_ref()?;
        outcome.stopped.or_else(|| Some(outcome.refused.as_ref()?.0))
    }

    /// There is nothing to note any more.
    fn is_blank(&self) -> bool {
        let Slot { reader, writer, watcher, children, outcome, begun, request, .. } = self;
        let waits = reader.is_some() || writer.is_some() || watcher.is_some() || children.is_some();
        let waits = waits || request.is_some();
        let flags = self.send_gone || self.recv_gone || self.finishing || self.ended;
        !waits && outcome.is_none() && begun.is_empty() && !flags
    }

    /// Nobody has a use for it any more.
    fn is_dropped(&self) -> bool {
        self.send_gone && self.recv_gone
    }

    pub(super) fn wake_all(&mut self, wakers: &mut Vec<Waker>) {
        wakers.extend([self.reader.take(), self.writer.take(), self.watcher.take()].into_iter().flatten());
        self.tell_parent();
        match self.request.take() {
            Some(Open::Asked(reply)) => wakers.extend(reply.lose()),
            Some(Open::Served(Some(work))) => work.abort(),
            Some(Open::Served(None)) | None => {}
        }
    }

    pub(super) fn is_request(&self) -> bool {
        self.request.is_some()
    }

    /// Something came for this stream as a parent, or it may be one no longer. All who wait look: what is not ready for
    /// one may be for another.
    fn tell_parent(&self) {
        if let Some(children) = &self.children {
            children.notify_waiters();
        }
    }
}

impl Hub {
    /// The streams of a connection, or what they left.
    pub(super) fn streams(&mut self, id: ConnectionId) -> Result<&mut Streams, ConnectionError> {
        match self.peers.get_mut(id) {
            None => Err(ConnectionError::Stopped),
            Some(Peer { left: Some(Left::Streams(left)), .. }) => Ok(left),
            Some(Peer { left: Some(Left::Protocol(_)), .. }) => Err(ConnectionError::OtherProtocol),
            Some(Peer { stage, .. }) if self.stopped => Err(stage.error()),
            Some(peer) => self.port.tenants_mut().0.streams(id).ok_or_else(|| peer.missing(true)),
        }
    }

    pub(crate) fn error(&self, id: ConnectionId) -> ConnectionError {
        self.peers.get(id).map_or(ConnectionError::Stopped, |peer| peer.stage.error())
    }

    /// What is noted of a stream, if anything.
    pub(super) fn slot(&mut self, id: ConnectionId, stream: StreamId) -> Option<&mut Slot> {
        self.peers.get_mut(id)?.slots.get_mut(&stream)
    }

    /// A place to note something of a stream that the application has a handle of.
    pub(super) fn note(&mut self, id: ConnectionId, stream: StreamId) -> Option<&mut Slot> {
        Some(self.peers.get_mut(id)?.slots.entry(stream).or_default())
    }

    pub(super) fn opened(
        &self,
        id: ConnectionId,
        result: Result<StreamId, structured::OpenError>,
    ) -> Result<Attempt<StreamId>, OpenError> {
        match result {
            Ok(stream) => Ok(Attempt::Done(stream)),
            Err(structured::OpenError::Blocked) => Ok(Attempt::Blocked),
            Err(structured::OpenError::NameTooLong(len)) => Err(OpenError::NameTooLong(len)),
            Err(structured::OpenError::NoParent) => Err(OpenError::NoParent),
            Err(structured::OpenError::ConnectionLost) => Err(self.error(id).into()),
        }
    }

    pub(crate) fn open(
        &mut self,
        id: ConnectionId,
        service: &str,
        protocol: &str,
    ) -> Result<Attempt<StreamId>, OpenError> {
        let result = self.streams(id)?.open(service, protocol);
        self.opened(id, result)
    }

    pub(crate) fn accept(&mut self, id: ConnectionId) -> Result<Attempt<structured::Incoming>, ConnectionError> {
        match self.streams(id)?.accept() {
            Some(incoming) => Ok(Attempt::Done(incoming)),
            None => match self.stage(id)? {
                Stage::Ended(cause) => Err(cause.into()),
                Stage::Pending | Stage::Open => Ok(Attempt::Blocked),
            },
        }
    }

    pub(crate) fn refuse(&mut self, id: ConnectionId, stream: StreamId, code: u64, reason: &str) {
        if let Ok(streams) = self.streams(id) {
            streams.refuse(stream, code, reason);
        }
    }

    /// Writes what fits.
    pub(crate) fn write(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        data: &[u8],
        waker: &Waker,
    ) -> Result<Attempt<usize>, WriteError> {
        self.write_with(id, stream, waker, |streams| streams.write(stream, data))
    }

    /// Writes what fits of bytes that are given away, and takes it off their front.
    pub(crate) fn write_bytes(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        data: &mut Bytes,
        waker: &Waker,
    ) -> Result<Attempt<usize>, WriteError> {
        self.write_with(id, stream, waker, |streams| streams.write_bytes(stream, data))
    }

    /// Writes what fits of the rest of a message.
    pub(crate) fn write_message(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        rest: &[u8],
        waker: &Waker,
    ) -> Result<Attempt<usize>, WriteError> {
        self.write_with(id, stream, waker, |streams| streams.write_message(stream, rest))
    }

    fn write_with(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        waker: &Waker,
        write: impl FnOnce(&mut Streams) -> Result<usize, structured::WriteError>,
    ) -> Result<Attempt<usize>, WriteError> {
        match write(self.streams(id)?) {
            Ok(n) => Ok(Attempt::Done(n)),
            Err(structured::WriteError::Blocked) => {
                if let Some(slot) = self.note(id, stream) {
                    set(&mut slot.writer, waker);
                }
                Ok(Attempt::Blocked)
            }
            Err(error) => Err(self.write_error(id, stream, error)),
        }
    }

    pub(crate) fn push(&mut self, id: ConnectionId, stream: StreamId) {
        if let Ok(streams) = self.streams(id) {
            streams.push(stream);
        }
    }

    /// Ends what is written; answers whether that is news.
    pub(crate) fn finish(&mut self, id: ConnectionId, stream: StreamId) -> Result<bool, WriteError> {
        if self.slot(id, stream).is_some_and(|slot| slot.finishing) {
            return Ok(false);
        }
        match self.streams(id)?.finish(stream) {
            Ok(()) => {
                if let Some(slot) = self.note(id, stream) {
                    slot.finishing = true;
                }
                Ok(true)
            }
            Err(error) => Err(self.write_error(id, stream, error)),
        }
    }

    /// Whether a finished stream has been delivered.
    pub(crate) fn delivered(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        waker: &Waker,
    ) -> Result<Attempt<()>, WriteError> {
        if self.slot(id, stream).is_some_and(|slot| slot.unwanted().is_some()) {
            return Err(self.write_error(id, stream, structured::WriteError::Unknown));
        }
        Ok(self.has_everything(id, stream, |slot| set(&mut slot.writer, waker))?)
    }

    /// The peer's code if it has stopped the stream, `None` if it has everything.
    pub(crate) fn stopped(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        waker: &Waker,
    ) -> Result<Attempt<Option<u64>>, ConnectionError> {
        if let Some(code) = self.slot(id, stream).and_then(|slot| slot.unwanted()) {
            return Ok(Attempt::Done(Some(code)));
        }
        match self.has_everything(id, stream, |slot| set(&mut slot.watcher, waker))? {
            Attempt::Done(()) => Ok(Attempt::Done(None)),
            Attempt::Blocked => Ok(Attempt::Blocked),
        }
    }

    /// Whether the peer has all of a stream; if not, it is noted who waits for that.
    fn has_everything(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        wait: impl FnOnce(&mut Slot),
    ) -> Result<Attempt<()>, ConnectionError> {
        if !self.streams(id)?.tell_finished(stream) {
            return Ok(Attempt::Done(()));
        }
        if self.has_ended(id) {
            return Err(self.error(id));
        }
        if let Some(slot) = self.note(id, stream) {
            wait(slot);
        }
        Ok(Attempt::Blocked)
    }

    pub(crate) fn reset(&mut self, id: ConnectionId, stream: StreamId, code: u64) {
        if let Ok(streams) = self.streams(id) {
            streams.reset(stream, code);
        }
        if let Some(slot) = self.slot(id, stream) {
            slot.finishing = false;
        }
    }

    pub(crate) fn stop(&mut self, id: ConnectionId, stream: StreamId, code: u64) {
        if let Ok(streams) = self.streams(id) {
            streams.stop(stream, code);
        }
    }

    /// Reads what there is; 0 at the end.
    pub(crate) fn read(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        out: &mut [u8],
        waker: &Waker,
    ) -> Result<Attempt<usize>, ReadError> {
        match self.slot(id, stream) {
            Some(Slot { ended: true, .. }) => return Ok(Attempt::Done(0)),
            Some(Slot { begun, .. }) if !begun.is_empty() => {
                let n = out.len().min(begun.len());
                out[..n].copy_from_slice(&begun[..n]);
                begun.drain(..n);
                return Ok(Attempt::Done(n));
            }
            _ => {}
        }
        match self.streams(id)?.read(stream, out) {
            Ok(structured::Read::Bytes(n)) => Ok(Attempt::Done(n)),
            Ok(structured::Read::Finished) => Ok(self.at_end(id, stream, 0)),
            Ok(structured::Read::Blocked) => Ok(self.nothing_yet(id, stream, waker)),
            Err(error) => Err(self.read_error(id, stream, error)),
        }
    }

    /// Takes what there is, at most `max` bytes of it in one piece, and not much more than [`CHUNK_MAX`]; `None` at the
    /// end. What lies in one page is not copied.
    pub(crate) fn read_chunk(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        max: usize,
        waker: &Waker,
    ) -> Result<Attempt<Option<Bytes>>, ReadError> {
        let first = match self.read_page(id, stream, max, waker)? {
            Attempt::Done(Some(page)) => page,
            nothing => return Ok(nothing),
        };
        let mut all = Vec::new();
        let mut len = first.len();
        while len < max.min(CHUNK_MAX) {
            let Some(page) = self.next_page(id, stream, max - len)? else { break };
            if all.is_empty() {
                all.extend_from_slice(&first);
            }
            all.extend_from_slice(page.as_ref());
            len = all.len();
        }
        Ok(Attempt::Done(Some(if all.is_empty() { first } else { all.into() })))
    }

    /// Takes what there is, without a copy, in as many pieces as there is room for; `None` at the end.
    pub(crate) fn read_chunks(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        out: &mut [Bytes],
        waker: &Waker,
    ) -> Result<Attempt<Option<usize>>, ReadError> {
        let Some((first, others)) = out.split_first_mut() else { return Ok(Attempt::Done(Some(0))) };
        match self.read_page(id, stream, usize::MAX, waker)? {
            Attempt::Done(Some(page)) => *first = page,
            Attempt::Done(None) => return Ok(Attempt::Done(None)),
            Attempt::Blocked => return Ok(Attempt::Blocked),
        }
        let mut count = 1;
        for chunk in others {
            let Some(page) = self.next_page(id, stream, usize::MAX)? else { break };
            (*chunk, count) = (Bytes::from_owner(page), count + 1);
        }
        Ok(Attempt::Done(Some(count)))
    }

    /// What there is further in one page. The end is noted, and told the next time.
    fn next_page(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        max: usize,
    ) -> Result<Option<structured::Chunk>, ReadError> {
        match self.streams(id)?.read_chunk(stream, max) {
            Ok(structured::ReadChunk::Bytes(page)) => Ok(Some(page)),
            Ok(structured::ReadChunk::Blocked) => Ok(None),
            Ok(structured::ReadChunk::Finished) => {
                self.at_end(id, stream, ());
                Ok(None)
            }
            Err(error) => Err(self.read_error(id, stream, error)),
        }
    }

    /// What there is in one page.
    fn read_page(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        max: usize,
        waker: &Waker,
    ) -> Result<Attempt<Option<Bytes>>, ReadError> {
        match self.slot(id, stream) {
            Some(Slot { ended: true, .. }) => return Ok(Attempt::Done(None)),
            Some(Slot { begun, .. }) if !begun.is_empty() => {
                let rest = begun.split_off(max.min(begun.len()));
                return Ok(Attempt::Done(Some(core::mem::replace(begun, rest).into())));
            }
            _ => {}
        }
        match self.streams(id)?.read_chunk(stream, max) {
            Ok(structured::ReadChunk::Bytes(chunk)) => Ok(Attempt::Done(Some(Bytes::from_owner(chunk)))),
            Ok(structured::ReadChunk::Finished) => Ok(self.at_end(id, stream, None)),
            Ok(structured::ReadChunk::Blocked) => Ok(self.nothing_yet(id, stream, waker)),
            Err(error) => Err(self.read_error(id, stream, error)),
        }
    }

    /// Takes what there is of a message, up to `max` bytes of it in all; answers it when it is whole, and `None` at the
    /// end.
    pub(crate) fn read_message(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        max: usize,
        waker: &Waker,
    ) -> Result<Attempt<Option<Bytes>>, ReadError> {
        let mut message = match self.slot(id, stream) {
            Some(Slot { ended: true, .. }) => return Ok(Attempt::Done(None)),
            Some(Slot { begun, .. }) if begun.len() > max => return Err(ReadError::TooLong(max)),
            Some(slot) => core::mem::take(&mut slot.begun),
            None => Vec::new(),
        };
        let read = self.streams(id)?.read_message(stream, &mut message, max);
        match read {
            Ok(structured::ReadMessage::Whole) => return Ok(Attempt::Done(Some(message.into()))),
            Ok(structured::ReadMessage::Finished) => return Ok(self.at_end(id, stream, None)),
            _ => {}
        }
        if !message.is_empty()
            && let Some(slot) = self.note(id, stream)
        {
            slot.begun = message;
        }
        match read {
            Ok(structured::ReadMessage::TooLarge) => Err(ReadError::TooLong(max)),
            Err(error) => Err(self.read_error(id, stream, error)),
            Ok(_) => Ok(self.nothing_yet(id, stream, waker)),
        }
    }

    /// The end of a stream was read: as a parent it may be over.
    fn at_end<T>(&mut self, id: ConnectionId, stream: StreamId, end: T) -> Attempt<T> {
        if let Some(slot) = self.note(id, stream) {
            slot.ended = true;
            slot.tell_parent();
        }
        Attempt::Done(end)
    }

    fn nothing_yet<T>(&mut self, id: ConnectionId, stream: StreamId, waker: &Waker) -> Attempt<T> {
        if let Some(slot) = self.note(id, stream) {
            set(&mut slot.reader, waker);
        }
        Attempt::Blocked
    }

    /// Whether a connection's streams have something to send.
    pub(crate) fn wants_to_send(&self, id: ConnectionId) -> bool {
        self.port.tenants().0.peek_streams(id).is_some_and(Streams::has_something)
    }

    /// The application's handle of a half is gone: what was not ended is given up. Answers whether that was the case.
    pub(crate) fn let_go(&mut self, id: ConnectionId, stream: StreamId, half: Half) -> bool {
        let over = self.slot(id, stream).is_some_and(|slot| match half {
            Half::Send => slot.finishing,
            Half::Recv => slot.ended,
        });
        match half {
            Half::Send if !over => self.reset(id, stream, 0),
            // After a reset, this is how the stream learns that nobody will ask for it any more.
            Half::Recv if !over => self.stop(id, stream, 0),
            _ => {}
        }
        let Some(slot) = self.note(id, stream) else { return false };
        slot.tell_parent();
        match half {
            Half::Send => slot.send_gone = true,
            Half::Recv => slot.recv_gone = true,
        }
        if slot.is_dropped() {
            self.forget(id, stream);
        }
        !over
    }

    /// Nobody has a use for a stream any more.
    pub(super) fn forget(&mut self, id: ConnectionId, stream: StreamId) {
        let unused = self.peers.get_mut(id).is_some_and(|peer| {
            peer.slots.remove(&stream);
            peer.is_unused()
        });
        if let Ok(streams) = self.streams(id) {
            streams.release(stream);
        }
        if unused {
            self.used_no_more(id);
        }
    }

    fn has_ended(&self, id: ConnectionId) -> bool {
        self.stopped || self.peers.get(id).is_none_or(|peer| matches!(peer.stage, Stage::Ended(_)))
    }

    fn write_error(&mut self, id: ConnectionId, stream: StreamId, error: structured::WriteError) -> WriteError {
        use structured::WriteError as E;
        let told = self.slot(id, stream).and_then(|slot| slot.outcome.as_deref());
        let told = told.map(|outcome| (outcome.stopped, outcome.refused.clone()));
        match (error, told) {
            (E::ConnectionLost, _) => self.error(id).into(),
            (_, Some((_, Some((code, reason))))) => WriteError::Refused { code, reason },
            (E::Refused(code), _) => WriteError::Refused { code, reason: PeerText::default() },
            (E::Stopped(code), _) | (E::Unknown, Some((Some(code), _))) => WriteError::Stopped(code),
            _ => WriteError::Ended,
        }
    }

    fn read_error(&mut self, id: ConnectionId, stream: StreamId, error: structured::ReadError) -> ReadError {
        use structured::ReadError as E;
        let told = self.slot(id, stream).and_then(|slot| slot.outcome.as_deref());
        let told = told.map(|outcome| (outcome.reset, outcome.refused.clone()));
        match (error, told) {
            (E::ConnectionLost, _) => self.error(id).into(),
            (_, Some((_, Some((code, reason))))) => ReadError::Refused { code, reason },
            (E::Refused(code), _) => ReadError::Refused { code, reason: PeerText::default() },
            (E::Reset(code), _) | (E::Unknown, Some((Some(code), _))) => ReadError::Reset(code),
            _ => ReadError::Stopped,
        }
    }

    /// Takes what the streams of a connection have to tell, `first` before all else. Answers how much it was.
    pub(super) fn stream_events(
        &mut self,
        now: Instant,
        id: ConnectionId,
        first: StreamEvent,
        wakers: &mut Vec<Waker>,
    ) -> usize {
        let mut told = core::mem::take(&mut self.told);
        told.push(first);
        let mut count = 0;
        if let Some(streams) = self.port.tenants_mut().0.streams(id) {
            streams.poll_events(&mut told);
            // Each that waits to be accepted is as much to do as an event of its own.
            count = if told.contains(&StreamEvent::Incoming) { streams.waiting() } else { 0 };
        }
        count += told.len();
        let mut forgotten = BTreeSet::new();
        told.drain(..).for_each(|event| self.stream_event(now, id, event, &mut forgotten, wakers));
        told.shrink_to(TOLD_KEPT);
        self.told = told;
        count
    }

    /// Of streams that were forgotten at an earlier event nothing more is noted.
    fn stream_event(
        &mut self,
        now: Instant,
        id: ConnectionId,
        event: StreamEvent,
        forgotten: &mut BTreeSet<StreamId>,
        wakers: &mut Vec<Waker>,
    ) {
        let Some(peer) = self.peers.get_mut(id) else { return };
        let stream = match &event {
            StreamEvent::Incoming => return peer.signals.incoming.notify_one(),
            StreamEvent::Requested => return self.take_requests(id),
            StreamEvent::CanOpen => {
                // Those for whom there is room, together: one after the other they would open one in each turn.
                let openable = self.port.tenants().0.peek_streams(id).map_or(0, Streams::openable);
                return (0..openable.clamp(1, WOKEN_MAX)).for_each(|_| peer.signals.can_open.notify_one());
            }
            StreamEvent::CanSendDatagram => return peer.signals.can_send_datagram.notify_waiters(),
            StreamEvent::Settled => {
                if peer.is_dropped() {
                    self.wind_up(now, id);
                }
                return;
            }
            StreamEvent::ChildIncoming { parent: stream }
            | StreamEvent::Readable(stream)
            | StreamEvent::Writable(stream)
            | StreamEvent::Finished(stream)
            | StreamEvent::Reset { id: stream, .. }
            | StreamEvent::Stopped { id: stream, .. }
            | StreamEvent::Refused { id: stream, .. } => *stream,
        };
        let outcome =
            matches!(event, StreamEvent::Reset { .. } | StreamEvent::Stopped { .. } | StreamEvent::Refused { .. });
        if outcome && !forgotten.contains(&stream) {
            peer.slots.entry(stream).or_default();
        }
        let Some(slot) = peer.slots.get_mut(&stream) else { return };
        if slot.is_request() {
            self.request_event(id, stream, event, wakers);
            if outcome && self.slot(id, stream).is_none() {
                forgotten.insert(stream);
            }
            return;
        }
        match event {
            StreamEvent::Readable(_) => wakers.extend(slot.reader.take()),
            StreamEvent::Writable(_) => wakers.extend(slot.writer.take()),
            StreamEvent::ChildIncoming { .. } => slot.tell_parent(),
            StreamEvent::Finished(_) => {
                slot.tell_parent();
                wakers.extend([slot.writer.take(), slot.watcher.take()].into_iter().flatten());
            }
            StreamEvent::Reset { code, .. } => {
                slot.outcome.get_or_insert_default().reset = Some(code);
                slot.tell_parent();
                wakers.extend(slot.reader.take());
            }
            StreamEvent::Stopped { code, .. } => {
                slot.outcome.get_or_insert_default().stopped = Some(code);
                slot.tell_parent();
                wakers.extend([slot.writer.take(), slot.watcher.take()].into_iter().flatten());
            }
            StreamEvent::Refused { code, reason, .. } => {
                slot.outcome.get_or_insert_default().refused = Some((code, reason));
                slot.wake_all(wakers);
            }
            StreamEvent::Incoming
            | StreamEvent::Requested
            | StreamEvent::CanOpen
            | StreamEvent::CanSendDatagram
            | StreamEvent::Settled => {}
        }
        if slot.is_dropped() {
            self.forget(id, stream);
            if outcome {
                forgotten.insert(stream);
            }
        } else if slot.is_blank() {
            peer.slots.remove(&stream);
            if peer.is_unused() {
                self.used_no_more(id);
            }
        }
    }
}

/// Remembers whom to wake.
fn set(place: &mut Option<Waker>, waker: &Waker) {
    match place {
        Some(known) => known.clone_from(waker),
        none => *none = Some(waker.clone()),
    }
}
