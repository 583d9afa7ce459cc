//! What a host does at those whom it visits.

use core::time::Duration;

use tng_base::{CodeHash, Instant};
use tng_services::code::{self, Answer, Fetch, Form, Packed, Push, Pushed, Request, Shelf};
use tng_stack::structured::{Priority, Read, StreamId, Streams};
use tng_stack::{ConnectionId, EventKind, Host, Settled, Target, TransportOffer};
use tng_stp_host::Transport;
use tng_wire::{Reader, Repr};

use super::serving::{PIECE, Pending, count};
use super::{Courier, FILES};

/// A connection that a host begins: it fetches some bytes, does what the negotiation has left to do, and closes.
#[derive(Debug)]
pub struct Visit {
    /// When.
    pub at: Instant,
    /// To whom.
    pub to: Target,
    /// Transports that it offers; a plain connection if there are none.
    pub offers: Vec<CodeHash>,
    /// Bytes that it fetches; without end if `u64::MAX`.
    pub bytes: u64,
    /// Code that it asks for then, whatever was negotiated.
    pub asks: Option<(Instant, Fetch)>,
}

/// What came of a visit.
#[derive(Clone, PartialEq, Debug)]
pub struct Visited {
    /// When it began.
    pub begun: Instant,
    /// Until it was connected.
    pub connected: Option<Duration>,
    /// What came of the offer.
    pub settled: Option<Settled>,
    /// Whether a guest carried the bytes.
    pub by_guest: bool,
    /// Bytes that came.
    pub bytes: u64,
    /// Until they were whole.
    pub whole: Option<Duration>,
    /// When code that it brought was taken.
    pub gave: Option<Instant>,
    /// Why it came to nothing.
    pub failed: Option<String>,
}

/// A visit that is made.
pub(super) struct Underway {
    place: usize,
    bytes: u64,
    asks: Option<(Instant, Fetch)>,
    /// What to follow up is known.
    settled: bool,
    request: Option<StreamId>,
    requested: bool,
    push: Option<Pushing>,
    fetch: Option<(StreamId, Fetch)>,
    used: [u64; 2],
}

/// Code on its way to the peer.
struct Pushing {
    push: Push,
    /// The stream of the question in hand, what is left of it, and what has come of its answer.
    now: Option<(StreamId, Pending, Vec<u8>)>,
}

impl Underway {
    /// When to ask for code.
    pub(super) fn asks_at(&self) -> Option<Instant> {
        self.asks.as_ref().map(|(at, _)| *at)
    }

    /// Code that has not come whole.
    pub(super) fn take_fetch(&mut self) -> Option<Fetch> {
        self.fetch.take().map(|(_, fetch)| fetch)
    }

    /// Asks for code; gives it back if there is no leave for another stream now.
    fn ask(&mut self, streams: &mut Streams, fetch: Fetch, priority: Priority) -> Option<Fetch> {
        let Ok(id) = streams.open(code::SERVICE, code::PROTOCOL) else { return Some(fetch) };
        streams.set_priority(id, priority);
        // It is a few bytes, and the stream is new.
        let _ = streams.write(id, &Request::Ask(fetch.ask()).to_vec());
        let _ = streams.finish(id);
        self.fetch = Some((id, fetch));
        None
    }
}

impl Pushing {
    /// Goes on; answers whether it is over, and the peer has it.
    fn advance(&mut self, streams: &mut Streams, priority: Priority) -> Option<Result<(), String>> {
        loop {
            let Some((id, question, answer)) = &mut self.now else {
                let id = streams.open(code::SERVICE, code::PROTOCOL).ok()?;
                streams.set_priority(id, priority);
                self.now = Some((id, Pending::Bytes(self.push.request().to_vec(), 0), Vec::new()));
                continue;
            };
            if question.go(|piece| streams.write(*id, piece).unwrap_or(0)) {
                // Again does nothing.
                let _ = streams.finish(*id);
            }
            let mut buf = [0; 1_024];
            while let Ok(Read::Bytes(n)) = streams.read(*id, &mut buf) {
                answer.extend_from_slice(&buf[..n]);
            }
            let heard = Answer::parse(&mut Reader::new(answer)).ok()?;
            match self.push.heard(&heard) {
                Ok(Pushed::Taken) => return Some(Ok(())),
                Ok(Pushed::Goes { .. }) => self.now = None,
                Err(error) => return Some(Err(error.to_string())),
            }
        }
    }
}

impl Courier {
    /// Begins a visit.
    pub(super) fn begin(&mut self, now: Instant, host: &mut Host, visit: Visit) {
        let Visit { to, offers, bytes, asks, .. } = visit;
        let begun = match offers.is_empty() {
            true => host.connect(now, to),
            false => host.connect_offering(now, to, TransportOffer { service: FILES.0.to_owned(), codes: offers }),
        };
        let place = self.visits.len();
        self.visits.push(Visited {
            begun: now,
            connected: None,
            settled: None,
            by_guest: false,
            bytes: 0,
            whole: None,
            gave: None,
            failed: begun.as_ref().err().map(ToString::to_string),
        });
        if let Ok(id) = begun {
            let (request, push, fetch) = (None, None, None);
            let (settled, requested, used) = (false, false, [0; 2]);
            let underway = Underway { place, bytes, asks, settled, request, requested, push, fetch, used };
            self.underway.insert(id, underway);
        }
    }

    /// Something has happened to a visit.
    pub(super) fn go_on(&mut self, now: Instant, host: &mut Host, id: ConnectionId, kind: EventKind) {
        match kind {
            EventKind::Connected => {
                if let Some(underway) = self.underway.get(&id) {
                    let visited = &mut self.visits[underway.place];
                    visited.connected = Some(now.since(visited.begun));
                }
                self.advance(now, host, id);
            }
            EventKind::ConnectFailed(error) => self.end(id, Some(error.to_string())),
            EventKind::Closed(cause) => self.end(id, Some(cause.to_string())),
            _ => self.advance(now, host, id),
        }
    }

    fn end(&mut self, id: ConnectionId, why: Option<String>) {
        if let Some(underway) = self.underway.remove(&id) {
            self.visits[underway.place].failed = why;
        }
    }

    /// Does what can be done for a visit now.
    pub(super) fn advance(&mut self, now: Instant, host: &mut Host, id: ConnectionId) {
        let Some(mut underway) = self.underway.remove(&id) else { return };
        let visited = &mut self.visits[underway.place];
        if visited.connected.is_none() {
            self.underway.insert(id, underway);
            return;
        }
        visited.settled = host.negotiation(id).map(|it| it.settled);
        let settled = visited.settled;
        if let Some(guest) = host.protocol_as::<Transport>(id) {
            visited.by_guest = true;
            if !underway.requested {
                underway.requested = guest.write(&underway.bytes.to_le_bytes()).is_ok();
            }
            let mut buf = [0; PIECE];
            while let Some(len) = guest.read(&mut buf) {
                visited.bytes += len as u64;
            }
            count(guest, &mut underway.used, &mut self.spent);
        } else if let Some(streams) = host.streams(id) {
            self.follow_up(&mut underway, settled);
            self.by_streams(now, streams, &mut underway);
        }
        let visited = &mut self.visits[underway.place];
        if visited.bytes == underway.bytes && visited.whole.is_none() {
            visited.whole = Some(now.since(visited.begun));
        }
        let busy = underway.push.is_some() || underway.fetch.is_some() || underway.asks.is_some();
        match visited.whole.is_some() && !busy {
            true => host.close(now, id, 0, ""),
            false => drop(self.underway.insert(id, underway)),
        }
    }

    /// Sees what a negotiation has left to do.
    fn follow_up(&self, underway: &mut Underway, settled: Option<Settled>) {
        if core::mem::replace(&mut underway.settled, true) {
            return;
        }
        match settled {
            Some(Settled::SendMe(hash)) => {
                let packed = self.kept.module(hash).and_then(|module| Packed::new(&module).ok());
                let manifest = self.kept.manifest(hash).unwrap_or_default();
                underway.push = packed.map(|packed| Pushing { push: Push::new(hash, packed, manifest), now: None });
            }
            Some(Settled::Declined(hash))
                if self.repertoire.accepts().allows(&hash) && self.kept.module(hash).is_none() =>
            {
                underway.asks = Some((Instant::ZERO, Fetch::new(hash, Form::Binary, None)));
            }
            _ => {}
        }
    }

    fn by_streams(&mut self, now: Instant, streams: &mut Streams, underway: &mut Underway) {
        let visited = &mut self.visits[underway.place];
        if underway.request.is_none() && underway.bytes > 0 {
            underway.request = streams.open(FILES.0, FILES.1).ok();
            if let Some(id) = underway.request {
                let _ = streams.write(id, &underway.bytes.to_le_bytes());
            }
        }
        let mut buf = [0; PIECE];
        while let Some(id) = underway.request
            && let Ok(Read::Bytes(n)) = streams.read(id, &mut buf)
        {
            visited.bytes += n as u64;
        }
        if let Some(pushing) = &mut underway.push
            && let Some(ended) = pushing.advance(streams, self.priority)
        {
            underway.push = None;
            match ended {
                Ok(()) => visited.gave = Some(now),
                Err(why) => visited.failed = Some(why),
            }
        }
        if let Some((_, fetch)) = underway.asks.take_if(|(at, _)| *at <= now)
            && let Some(fetch) = underway.ask(streams, fetch, self.priority)
        {
            underway.asks = Some((now, fetch));
        }
        self.hear(now, streams, underway);
    }

    /// Hears what comes of code that was asked for.
    fn hear(&mut self, now: Instant, streams: &mut Streams, underway: &mut Underway) {
        let Some((id, fetch)) = &mut underway.fetch else { return };
        let mut buf = [0; PIECE];
        let mut wrong = None;
        while wrong.is_none()
            && let Ok(Read::Bytes(n)) = streams.read(*id, &mut buf)
        {
            let mut input = &buf[..n];
            while wrong.is_none() {
                match fetch.step(&mut input) {
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(error) => wrong = Some(error),
                }
            }
        }
        if wrong.is_none() && !fetch.is_whole() {
            return;
        }
        let Some((_, fetch)) = underway.fetch.take() else { return };
        let came = wrong.map_or_else(|| fetch.open(), Err);
        if let Ok(code) = &came {
            self.take(now, code.clone());
        }
        self.came = Some((now, came));
    }
}
