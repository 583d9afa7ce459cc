//! Requests: those made here, and those of peers for the services that the endpoint answers by itself.

use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::Waker;
use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use tng_base::{Eid, Instant};
use tng_stack::ConnectionId;
use tng_stack::structured::{FirstData, Priority, StreamEvent, StreamId, refusal};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::reply::{Outcome, Reply};
use super::streams::Open;
use super::{Asking, Attempt, Hub, Peer, Signals};
use crate::error::{ConnectionError, OpenError, ReadError};

/// The protocol that a stream speaks which is a request.
pub const REQUESTS: &str = "request";

/// Requests that are taken for one event. The driver goes by events when it shares its time between what comes in and
/// those who answer.
const EVENT_REQUESTS: usize = 2;

/// Why a request is refused when the endpoint serves no more.
const CLOSING: &str = "closing";

/// A request under way.
pub(crate) enum Begun {
    /// All of it is written.
    Whole(StreamId, Arc<Reply>),
    /// So many bytes of it are; the caller writes the rest as a stream, and reads the answer as one.
    Part(StreamId, usize),
}

/// A service that the endpoint answers by itself.
#[derive(Debug)]
pub(super) struct Service {
    name: Arc<str>,
    bounds: Bounds,
    /// What is held of all peers, at all threads of the endpoint.
    totals: Arc<Totals>,
    /// Those of the requests that nobody has looked at.
    ready: VecDeque<Taken>,
    /// There are some, or there will be no more.
    comes: Arc<Notify>,
}

impl Service {
    /// Has who answers look.
    pub(super) fn wake(&self) {
        self.comes.notify_one();
    }
}

/// What a service holds at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Requests that may be taken and not answered.
    pub(crate) requests: usize,
    /// The same of one connection.
    pub(crate) requests_per_connection: usize,
    /// Bytes of those that are read as streams.
    pub(crate) bytes: usize,
}

/// What is held of requests to a service, of all connections, by all threads of the endpoint.
#[derive(Default, Debug)]
pub(crate) struct Totals {
    /// Requests that are taken and not answered.
    requests: AtomicUsize,
    /// Bytes of those that are read as streams.
    bytes: AtomicUsize,
}

/// The same of one connection.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Held {
    /// Requests that are taken and not answered.
    requests: usize,
    /// Bytes of those that are read as streams.
    bytes: usize,
}

/// Whether there is room for `more` of something, where a peer holds `own` of it and all hold `all`: half of what the
/// others leave is for each, so that many that take without end leave something for the next.
const fn has_room(own: usize, all: usize, more: usize, most: usize) -> bool {
    own + more <= most.saturating_sub(all)
}

/// Why a request that is read as a stream is given up.
#[derive(Debug)]
pub(crate) enum Unread {
    /// Who asked has, or is gone.
    Over,
    /// It is too long.
    TooLong,
    /// Too much is held already, in words for who asked.
    Busy(String),
}

/// Bytes of a request that are taken under one lock.
const READ_MAX: usize = 64 * 1024;

/// Which service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ServiceKey(usize);

/// A request that was taken, to be answered.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) id: ConnectionId,
    pub(crate) stream: StreamId,
    pub(crate) eid: Eid,
    pub(crate) early: bool,
    /// All of it, unless the caller has to read it as a stream.
    pub(crate) body: Option<Bytes>,
}

/// Requests made here.
impl Hub {
    /// Makes a request.
    pub(crate) fn request(
        &mut self,
        id: ConnectionId,
        (service, protocol): (&str, &str),
        body: &[u8],
        priority: Priority,
    ) -> Result<Attempt<Begun>, OpenError> {
        let result = self.streams(id)?.request(service, protocol, body, priority);
        let taken = result.as_ref().map_or(0, |&(_, taken)| taken);
        Ok(match self.opened(id, result.map(|(stream, _)| stream))? {
            Attempt::Blocked => Attempt::Blocked,
            Attempt::Done(stream) if taken < body.len() => Attempt::Done(Begun::Part(stream, taken)),
            Attempt::Done(stream) => {
                let reply = Arc::<Reply>::default();
                if let Some(slot) = self.note(id, stream) {
                    slot.request = Some(Open::Asked(Arc::clone(&reply)));
                }
                Attempt::Done(Begun::Whole(stream, reply))
            }
        })
    }

    /// Nobody waits for the answer any more: the request is taken back, and the peer told. Answers whether it was not
    /// answered.
    pub(crate) fn cancel(&mut self, id: ConnectionId, stream: StreamId) -> bool {
        let Some(slot) = self.slot(id, stream) else { return false };
        let open = matches!(slot.request, Some(Open::Asked(_)));
        if open {
            if let Ok(streams) = self.streams(id) {
                streams.reset(stream, 0);
            }
            self.forget(id, stream);
        }
        open
    }

    /// What happens to a request that is not answered.
    pub(super) fn request_event(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        event: StreamEvent,
        wakers: &mut Vec<Waker>,
    ) {
        let Some(slot) = self.slot(id, stream) else { return };
        if let Some(Open::Served(work)) = &mut slot.request {
            // Who asked wants no answer any more.
            if matches!(event, StreamEvent::Reset { .. } | StreamEvent::Stopped { .. }) {
                if let Some(work) = work.take() {
                    work.abort();
                }
                self.forget(id, stream);
            }
            return;
        }
        let outcome = match event {
            StreamEvent::Readable(_) => {
                match self.streams(id).map_err(ReadError::from).map(|streams| streams.take_answer(stream)) {
                    Ok(Ok(Some(answer))) => Outcome::Whole(Ok(answer.into())),
                    Ok(Ok(None)) => Outcome::Streams,
                    // Another event tells why.
                    Ok(Err(_)) => return,
                    Err(error) => Outcome::Whole(Err(error)),
                }
            }
            StreamEvent::Reset { code, .. } => Outcome::Whole(Err(ReadError::Reset(code))),
            StreamEvent::Refused { code, reason, .. } => Outcome::Whole(Err(ReadError::Refused { code, reason })),
            // The peer may answer what it has not read.
            _ => return,
        };
        let Some(Open::Asked(reply)) = self.slot(id, stream).and_then(|slot| slot.request.take()) else { return };
        match outcome {
            Outcome::Streams => self.leave_to_reader(id, stream),
            _ => self.forget(id, stream),
        }
        wakers.extend(reply.tell(outcome));
    }

    /// The answer to a request that is all written is read as a stream.
    pub(crate) fn leave_to_reader(&mut self, id: ConnectionId, stream: StreamId) {
        // What was written is ended, and nobody is told when it has arrived.
        if let Some(slot) = self.note(id, stream) {
            (slot.request, slot.send_gone) = (None, true);
        }
    }
}

/// Requests made by peers.
impl Hub {
    /// Offers a service that the endpoint answers by itself, and answers what tells that requests have come. `None` if
    /// there is one of that name.
    pub(crate) fn serve(
        &mut self,
        now: Instant,
        (name, protocol): (&str, &str),
        first_data: FirstData,
        (bounds, totals): (Bounds, Arc<Totals>),
    ) -> Option<(ServiceKey, Arc<Notify>)> {
        if self.services.iter().any(|service| *service.name == *name) {
            return None;
        }
        self.host_mut().listen_for_requests(name, protocol, first_data);
        let (key, comes) = (ServiceKey(self.services.len()), Arc::<Notify>::default());
        let (name, ready) = (name.into(), VecDeque::new());
        self.services.push(Service { name, bounds, totals, ready, comes: Arc::clone(&comes) });
        while self.serves_alone()
            && let Some(asking) = self.asking.pop_front()
        {
            self.admit_to_services(now, asking);
        }
        Some((key, comes))
    }

    /// Whether peers are let in for the services alone, by nobody else.
    pub(super) fn serves_alone(&self) -> bool {
        !self.accepts && !self.services.is_empty()
    }

    /// Lets a peer in of itself, and keeps its connection.
    pub(super) fn admit_to_services(&mut self, now: Instant, asking: Asking) {
        if self.admit(now, asking).is_some()
            && let Some(peer) = self.peers.get_mut(asking.id)
        {
            (peer.kept, peer.ties) = (Some(asking), 0);
        }
    }

    /// No requests are taken any more. What the endpoint has let in by itself, and nobody else has, is closed when the
    /// answers have arrived; answers where that is to come.
    pub(super) fn close_services(&mut self, now: Instant) -> Vec<ConnectionId> {
        for service in &mut self.services {
            service.ready.clear();
            service.wake();
        }
        let open = |(id, peer): (ConnectionId, &Peer)| {
            let served = peer.slots.iter().filter(|(_, slot)| matches!(slot.request, Some(Open::Served(_))));
            served.map(move |(&stream, _)| (id, stream)).collect::<Vec<_>>()
        };
        let mut served: Vec<_> = self.peers.iter().flat_map(open).collect();
        served.sort_unstable();
        for (id, stream) in served {
            self.refuse(id, stream, refusal::NOT_ACCEPTED, CLOSING);
            self.forget(id, stream);
        }
        let kept = |(id, peer): (ConnectionId, &mut Peer)| peer.kept.take().map(|_| id);
        let mut ends: Vec<_> = self.peers.iter_mut().filter_map(kept).collect();
        ends.retain(|&id| self.wind_up(now, id));
        ends
    }

    /// One more handle of a connection, for who answers its requests.
    pub(crate) fn tie_to_serve(&mut self, id: ConnectionId) -> Option<(Eid, Arc<Signals>)> {
        let peer = self.peers.get_mut(id)?;
        peer.serving += 1;
        Some((peer.eid, Arc::clone(&peer.signals)))
    }

    /// Who answered has no handle any more.
    pub(crate) fn untie_from_serving(&mut self, now: Instant, id: ConnectionId) {
        let Some(peer) = self.peers.get_mut(id) else { return };
        peer.serving -= 1;
        if peer.is_dropped() {
            self.wind_up(now, id);
        }
    }

    /// Takes what a peer asks for, up to what may wait.
    pub(super) fn take_requests(&mut self, id: ConnectionId) {
        let Some(peer) = self.peers.get_mut(id) else { return };
        let Some(streams) = self.port.tenants_mut().0.streams(id) else { return };
        for _ in 0..EVENT_REQUESTS {
            let Some(request) = streams.next_request() else { return };
            let stream = request.id;
            let Some(at) = self.services.iter().position(|service| service.name == request.service) else {
                streams.refuse(stream, refusal::NO_SERVICE, "no such service");
                continue;
            };
            // Who forsook a connection has it last no longer than what was begun.
            if self.closed || peer.is_dropped() {
                streams.refuse(stream, refusal::NOT_ACCEPTED, CLOSING);
                continue;
            }
            let service = &mut self.services[at];
            if peer.requests.len() <= at {
                peer.requests.resize(at + 1, Held::default());
            }
            let own = &mut peer.requests[at].requests;
            let all = service.totals.requests.load(Ordering::Relaxed);
            let full = *own >= service.bounds.requests_per_connection;
            if full || !has_room(*own, all, 1, service.bounds.requests) {
                let reason = format!("{all} requests to {} are not answered yet", service.name);
                streams.refuse(stream, refusal::BUSY, &reason);
                continue;
            }
            service.totals.requests.fetch_add(1, Ordering::Relaxed);
            *own += 1;
            peer.slots.entry(stream).or_default().request = Some(Open::Served(None));
            let body = request.body.map(Bytes::from);
            service.ready.push_back(Taken { id, stream, eid: peer.eid, early: request.early, body });
            if service.ready.len() == 1 {
                service.comes.notify_one();
            }
        }
    }

    /// Moves at most `most` requests to `into`. Answers whether there will be no more.
    pub(crate) fn requests(&mut self, ServiceKey(at): ServiceKey, into: &mut Vec<Taken>, most: usize) -> bool {
        let ready = &mut self.services[at].ready;
        into.extend(ready.drain(..most.min(ready.len())));
        if !ready.is_empty() {
            self.services[at].comes.notify_one();
        }
        self.closed
    }

    /// Whether a request still waits to be answered. If so, it is worked on, and that is given up with the request.
    pub(crate) fn work_on(&mut self, id: ConnectionId, stream: StreamId, work: AbortHandle) -> bool {
        match self.slot(id, stream).and_then(|slot| slot.request.as_mut()) {
            Some(Open::Served(place)) => *place = Some(work),
            _ => return false,
        }
        true
    }

    /// From now on a request is a stream like others. Answers whether it still waits to be answered.
    pub(crate) fn hand_over(&mut self, id: ConnectionId, stream: StreamId) -> bool {
        let request = self.slot(id, stream).and_then(|slot| slot.request.take());
        matches!(request, Some(Open::Served(..)))
    }

    /// Answers a request. `Ok(false)` if the caller has to write the answer as a stream; nothing if nobody waits for
    /// it.
    pub(crate) fn answer(
        &mut self,
        id: ConnectionId,
        stream: StreamId,
        answer: Result<&[u8], u64>,
    ) -> Result<bool, ConnectionError> {
        if !self.slot(id, stream).is_some_and(|slot| slot.is_request()) {
            return Ok(true);
        }
        let streams = self.streams(id)?;
        match answer {
            Ok(answer) => {
                if streams.answer(stream, answer) == Ok(false) {
                    return Ok(false);
                }
            }
            Err(code) => {
                streams.reset(stream, code);
                streams.stop(stream, code);
            }
        }
        self.forget(id, stream);
        Ok(true)
    }

    /// A request that was taken is answered, or will not be.
    pub(crate) fn close_request(&mut self, ServiceKey(at): ServiceKey, id: ConnectionId) {
        self.services[at].totals.requests.fetch_sub(1, Ordering::Relaxed);
        if let Some(peer) = self.peers.get_mut(id) {
            peer.requests[at].requests -= 1;
        }
    }

    /// Nobody answers requests here any more: neither so many that were taken, nor those that wait.
    pub(crate) fn abandon_requests(&mut self, ServiceKey(at): ServiceKey, taken: usize) {
        let service = &mut self.services[at];
        service.totals.requests.fetch_sub(taken + service.ready.len(), Ordering::Relaxed);
        service.ready.clear();
    }

    /// Appends what has come of a request to `body`, which has room for `held` bytes, and is given more as they come:
    /// at most `most`, and what the service may hold. Answers whether that was all. The caller gives back what is held
    /// by [`release_bytes`](Hub::release_bytes).
    pub(crate) fn read_request(
        &mut self,
        key: ServiceKey,
        (id, stream): (ConnectionId, StreamId),
        (body, held): (&mut Vec<u8>, &mut usize),
        most: usize,
        waker: &Waker,
    ) -> Result<Attempt<bool>, Unread> {
        let enough = body.len() + READ_MAX;
        while body.len() < enough {
            let chunk = match self.read_chunk(id, stream, READ_MAX, waker) {
                Ok(Attempt::Done(Some(chunk))) => chunk,
                Ok(Attempt::Done(None)) => return Ok(Attempt::Done(true)),
                Ok(Attempt::Blocked) => return Ok(Attempt::Blocked),
                Err(_) => return Err(Unread::Over),
            };
            let len = body.len() + chunk.len();
            if len > most {
                return Err(Unread::TooLong);
            }
            if len > *held {
                let room = len.max(2 * *held).min(most);
                self.hold_bytes(key, id, room - *held)?;
                *held = room;
                body.reserve_exact(room - body.len());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Attempt::Done(false))
    }

    fn hold_bytes(&mut self, ServiceKey(at): ServiceKey, id: ConnectionId, more: usize) -> Result<(), Unread> {
        let peer = self.peers.get_mut(id).ok_or(Unread::Over)?;
        let service = &mut self.services[at];
        let (own, all) = (&mut peer.requests[at].bytes, service.totals.bytes.load(Ordering::Relaxed));
        if !has_room(*own, all, more, service.bounds.bytes) {
            return Err(Unread::Busy(format!("{all} bytes of requests to {} are not answered yet", service.name)));
        }
        *own += more;
        service.totals.bytes.fetch_add(more, Ordering::Relaxed);
        Ok(())
    }

    /// So many bytes of a request are not held any more.
    pub(crate) fn release_bytes(&mut self, ServiceKey(at): ServiceKey, id: ConnectionId, bytes: usize) {
        self.services[at].totals.bytes.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(peer) = self.peers.get_mut(id) {
            peer.requests[at].bytes -= bytes;
        }
    }
}
