//! The application of a host in the swarm: it opens, writes, reads, gives up and is given up, by lot, and keeps the
//! ledger.

use core::time::Duration;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tng_base::{Instant, Rng};
use tng_semantic::structured::{OpenError, Priority, StreamEvent, StreamId};
use tng_stack::{ConnectionId, EventKind, Host, HostEvent, Target};

use super::echoes::{Repair, Talks};
use super::ledger::{self, HEAD, Heard, Ledger, Said};
use super::stream::{Moment, Use, has_datagrams};

/// The service that every party offers.
pub(super) const SERVICE: (&str, &str) = ("swarm", "lots");

/// Code of a refusal by a party.
const REFUSED: u64 = 4;

/// Times that a party dials again, when it may lose connections.
const REDIALS_MAX: u32 = 6;

/// What a party is up to on each connection.
#[derive(Clone, Debug)]
pub(super) struct Work {
    /// Streams that it opens.
    pub opens: u32,
    /// Largest half of a stream, bytes.
    pub size_max: u64,
    /// Part of them that are children of others.
    pub children: f64,
    /// Datagrams that it sends, if it finds a parent for them, and the largest.
    pub datagrams: u32,
    pub datagram_max: u64,
    /// Chances that a half is reset, or stopped, or that a stream is refused, or opened where nobody listens.
    pub resets: f64,
    pub stops: f64,
    pub refusals: f64,
    pub astray: f64,
    /// Chance that a half is read, or written, slowly: so many bytes at a time.
    pub slow: f64,
    pub pace: u64,
    /// Chance of a change of priority, at every tick.
    pub priorities: f64,
    /// How often it does what is not brought about by an event.
    pub tick: Duration,
    /// Numbers that it asks on each connection that speaks numbered echoes.
    pub echoes: u64,
}

/// One connection, as its application sees it.
#[derive(Debug)]
struct Talk {
    peer: usize,
    opens: u32,
    may_open: bool,
    datagrams: u32,
    streams: BTreeMap<StreamId, Use>,
    /// The numbers of all that was written here.
    halves: Vec<u64>,
}

impl Talk {
    /// One more stream.
    fn enter(&mut self, id: StreamId, party: usize, ledger: &mut Ledger, draw: impl FnOnce(u64) -> Use) {
        let number = ledger.begin(party, self.peer);
        self.halves.push(number);
        self.streams.insert(id, draw(number));
    }
}

/// The application.
#[derive(Debug)]
pub(super) struct Party {
    index: usize,
    rng: Rng,
    ledger: Rc<RefCell<Ledger>>,
    work: Work,
    talks: BTreeMap<ConnectionId, Talk>,
    /// Those that speak numbered echoes.
    echoes: Talks,
    /// It dials every peer twice, the second time to speak numbered echoes.
    dials_twice: bool,
    /// Connections that have ended: nothing more is told of them.
    over: BTreeSet<ConnectionId>,
    /// Whom it dials now.
    calls: Vec<Target>,
    /// Whom it dials again when it is cut off, and when.
    redial: Option<Target>,
    redial_at: Option<Instant>,
    redials: u32,
    /// Connections may end otherwise than by its own wish.
    may_lose: bool,
    /// It wants nothing more.
    rests: bool,
    /// It closes what it gets.
    closes: bool,
    tick_at: Instant,
    stirred: bool,
}

impl Party {
    pub fn new(
        index: usize,
        rng: Rng,
        ledger: &Rc<RefCell<Ledger>>,
        work: Work,
        (may_lose, dials_twice, repair): (bool, bool, Repair),
    ) -> Party {
        Party {
            echoes: Talks::new(work.echoes, repair),
            dials_twice,
            index,
            rng,
            ledger: Rc::clone(ledger),
            work,
            talks: BTreeMap::new(),
            over: BTreeSet::new(),
            calls: Vec::new(),
            redial: None,
            redial_at: None,
            redials: 0,
            may_lose,
            rests: false,
            closes: false,
            tick_at: Instant::ZERO,
            stirred: true,
        }
    }

    /// Dials at the next opportunity.
    pub fn dial(&mut self, target: Target) {
        self.calls.push(target);
    }

    /// Whom it dials when it is cut off.
    pub fn dial_again(&mut self, target: Target) {
        self.redial = Some(target).filter(|_| !self.rests);
    }

    /// Opens so many streams more on every connection.
    pub fn ask_more(&mut self, opens: u32) {
        self.talks.values_mut().for_each(|talk| talk.opens += opens);
        self.echoes.ask_more(u64::from(opens));
    }

    /// Nothing is left to do: its connections may end, or it closes them.
    pub fn let_go(&mut self, now: Instant, host: &mut Host, close: bool) {
        (self.rests, self.may_lose, self.closes, self.redial) = (true, true, close, None);
        for id in host.connections().filter(|_| close).collect::<Vec<_>>() {
            host.close(now, id, 0, "done");
        }
    }

    /// After it has let go it wants something again.
    pub fn begin_anew(&mut self, may_lose: bool) {
        (self.rests, self.may_lose, self.closes, self.redials) = (false, may_lose, false, 0);
    }

    /// Whether it wants nothing more, as far as it knows.
    pub fn is_done(&self) -> bool {
        let talks_done = self.talks.values().all(|talk| talk.opens == 0 && talk.streams.is_empty());
        self.calls.is_empty() && self.redial_at.is_none() && talks_done && self.echoes.is_done()
    }

    /// What it still has to do.
    pub fn describe(&self) -> String {
        let streams = self.talks.iter().flat_map(|(id, talk)| {
            talk.streams.iter().take(3).map(move |(stream, it)| format!("{}/{stream} {it:?}", id.0))
        });
        let opens: Vec<u32> = self.talks.values().map(|talk| talk.opens).collect();
        let echoes = self.echoes.describe();
        format!("party {}: opens {opens:?}, {}, echoes {echoes}", self.index, streams.collect::<Vec<_>>().join("; "))
    }

    /// Whether it has a connection that works, or once did.
    pub fn talks(&self) -> usize {
        self.talks.len() + self.echoes.count()
    }

    /// What it has asked and heard in numbered echoes.
    pub fn echoes(&self) -> &Talks {
        &self.echoes
    }

    fn talk(&mut self, host: &Host, id: ConnectionId) -> Option<&mut Talk> {
        if !self.talks.contains_key(&id) {
            let eid = host.peer(id)?;
            let peer = self.ledger.borrow().parties.iter().position(|known| *known == eid)?;
            let (opens, datagrams) = (self.work.opens, self.work.datagrams);
            let talk = Talk { peer, opens, may_open: true, datagrams, streams: BTreeMap::new(), halves: Vec::new() };
            self.talks.insert(id, talk);
        }
        self.talks.get_mut(&id)
    }

    /// The host tells something.
    pub fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let HostEvent { connection: id, kind } = event;
        if self.over.contains(&id) {
            let index = self.index;
            return self.ledger.borrow_mut().wrong(|| format!("party {index} is told {kind:?} after the end"));
        }
        self.stirred = true;
        match kind {
            EventKind::Closed(cause) => self.end(now, id, &format!("{cause:?}"), self.may_lose),
            // Who dials may be dialling somebody who is away.
            EventKind::ConnectFailed(error) => self.end(now, id, &format!("{error:?}"), self.may_lose),
            EventKind::Notice => {
                self.echoes.act(host, id, &mut self.rng);
                self.echoes.report(self.index, &mut self.ledger.borrow_mut());
            }
            EventKind::Connected | EventKind::Accepted { .. } => {
                if !self.echoes.has(host, id) {
                    self.talk(host, id);
                }
                if self.closes {
                    host.close(now, id, 0, "done");
                }
            }
            EventKind::Stream(event) => self.handle_stream_event(host, id, event),
            _ => {}
        }
    }

    /// A connection has ended.
    fn end(&mut self, now: Instant, id: ConnectionId, why: &str, may: bool) {
        self.over.insert(id);
        self.echoes.end(id);
        let mut ledger = self.ledger.borrow_mut();
        if let Some(talk) = self.talks.remove(&id) {
            talk.streams.into_values().for_each(|mut stream| stream.lose(&mut ledger));
            // What the peer's host had, its application may never have read.
            talk.halves.iter().for_each(|number| ledger.note_said(*number, Said::Lost));
        }
        if !may {
            ledger.wrong(|| format!("party {} is cut off: {why}", self.index));
        }
        if self.redial.is_some() && self.redials < REDIALS_MAX && self.talks.is_empty() {
            self.redials += 1;
            self.redial_at = Some(now + Duration::from_millis(1 + self.rng.below(3_000)));
        }
    }

    fn handle_stream_event(&mut self, host: &mut Host, id: ConnectionId, event: StreamEvent) {
        let (work, index) = (self.work.clone(), self.index);
        let ledger = Rc::clone(&self.ledger);
        let mut rng = self.rng.fork();
        let Some(talk) = self.talk(host, id) else { return };
        let Some(streams) = host.streams(id) else { return };
        let mut ledger = ledger.borrow_mut();
        match event {
            StreamEvent::Incoming => {
                while let Some(incoming) = streams.accept() {
                    if rng.chance(work.refusals) {
                        streams.refuse(incoming.id, REFUSED, "by lot");
                    } else {
                        let draw = |number| Use::draw(&mut rng, &work, number).early(incoming.early);
                        talk.enter(incoming.id, index, &mut ledger, draw);
                    }
                }
            }
            StreamEvent::ChildIncoming { parent } if has_datagrams(parent) => {
                while let Some(bytes) = streams.recv_datagram(parent) {
                    ledger.note_datagram(index, &bytes);
                }
            }
            StreamEvent::ChildIncoming { parent } => {
                let early = talk.streams.get(&parent).is_some_and(|it| it.early);
                while let Some(child) = streams.accept_child(parent) {
                    talk.enter(child, index, &mut ledger, |number| Use::draw(&mut rng, &work, number).early(early));
                }
            }
            StreamEvent::CanOpen => talk.may_open = true,
            StreamEvent::Requested | StreamEvent::CanSendDatagram | StreamEvent::Settled => {}
            StreamEvent::Readable(stream) => Self::with(talk, stream, |it| it.readable = true),
            StreamEvent::Writable(stream) => Self::with(talk, stream, |it| it.writable = true),
            StreamEvent::Finished(stream) => Self::with(talk, stream, |it| it.say(&mut ledger, Said::Confirmed)),
            StreamEvent::Stopped { id: stream, .. } => {
                Self::with(talk, stream, |it| it.say(&mut ledger, Said::Unwanted));
            }
            StreamEvent::Reset { id: stream, .. } => {
                Self::with(talk, stream, |it| it.hear_end(&mut ledger, Heard::Reset));
            }
            StreamEvent::Refused { id: stream, .. } => Self::with(talk, stream, |it| {
                it.say(&mut ledger, Said::Unwanted);
                it.hear_end(&mut ledger, Heard::Lost);
            }),
        }
        talk.streams.retain(|_, it| !it.is_over());
    }

    fn with(talk: &mut Talk, stream: StreamId, f: impl FnOnce(&mut Use)) {
        if let Some(it) = talk.streams.get_mut(&stream) {
            f(it);
        }
    }

    /// Does what there is to do now; answers when it wants to be called again.
    pub fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        self.place_calls(now, host);
        let ticks = now >= self.tick_at;
        if ticks || self.stirred {
            self.stirred = false;
            if ticks {
                self.tick_at = now + self.work.tick;
            }
            let moment = Moment { ticks, index: self.index };
            for id in self.talks.keys().copied().collect::<Vec<_>>() {
                self.act(host, id, moment);
            }
            if ticks {
                self.echoes.act_on_all(host, &mut self.rng);
                self.echoes.report(self.index, &mut self.ledger.borrow_mut());
            }
        }
        let busy = self.talks.values().any(|talk| {
            talk.may_open && talk.opens > 0
                || talk.streams.iter().any(|(id, it)| it.wants_tick() || Self::may_send(talk, *id))
        });
        let busy = busy || self.echoes.wants_tick();
        [busy.then_some(self.tick_at), self.redial_at].into_iter().flatten().min()
    }

    fn may_send(talk: &Talk, id: StreamId) -> bool {
        talk.datagrams > 0 && has_datagrams(id)
    }

    fn place_calls(&mut self, now: Instant, host: &mut Host) {
        if self.redial_at.is_some_and(|at| at <= now) {
            self.redial_at = None;
            self.calls.extend(self.redial.clone());
        }
        for target in core::mem::take(&mut self.calls) {
            if self.dials_twice {
                let dialed = self.echoes.dial(now, host, target.clone(), &mut self.rng);
                dialed.unwrap_or_else(|fault| self.ledger.borrow_mut().wrong(|| fault));
            }
            match host.connect(now, target) {
                Ok(id) => {
                    self.stirred = true;
                    self.talk(host, id);
                }
                Err(error) => self.ledger.borrow_mut().wrong(|| format!("connect: {error}")),
            }
        }
    }

    /// Works on one connection.
    fn act(&mut self, host: &mut Host, id: ConnectionId, moment: Moment) {
        let (work, rng) = (&self.work, &mut self.rng);
        let (Some(talk), Some(streams)) = (self.talks.get_mut(&id), host.streams(id)) else { return };
        let mut ledger = self.ledger.borrow_mut();
        if moment.ticks && talk.opens > 0 && talk.may_open {
            for _ in 0..1 + rng.below(4) {
                if talk.opens == 0 || !talk.may_open {
                    break;
                }
                let parents: Vec<StreamId> = talk.streams.keys().copied().filter(|id| !has_datagrams(*id)).collect();
                let opened = if !parents.is_empty() && rng.chance(work.children) {
                    streams.open_child(parents[rng.below(parents.len() as u64) as usize])
                } else if rng.chance(work.astray) {
                    streams.open("nowhere", SERVICE.1)
                } else {
                    streams.open(SERVICE.0, SERVICE.1)
                };
                match opened {
                    Ok(stream) => {
                        talk.opens -= 1;
                        if rng.chance(0.8) {
                            streams.listen_children(stream);
                        }
                        talk.enter(stream, moment.index, &mut ledger, |number| Use::draw(rng, work, number));
                    }
                    Err(OpenError::Blocked) => talk.may_open = false,
                    // Its parent has just ended, or the connection has; an event tells of that.
                    Err(_) => break,
                }
            }
        }
        for (&stream, it) in &mut talk.streams {
            if moment.ticks && talk.datagrams > 0 && has_datagrams(stream) && rng.chance(0.5) {
                let len = (HEAD + rng.below(work.datagram_max)) as usize;
                let number = ledger.send_datagram(moment.index, len);
                let bytes: Vec<u8> = (0..len as u64).map(|offset| ledger::byte(number, offset)).collect();
                let lifetime = rng.chance(0.5).then(|| Duration::from_millis(rng.below(500)));
                talk.datagrams -= 1;
                if streams.send_datagram(stream, &bytes, lifetime).is_err() {
                    ledger.unsend_datagram(number);
                }
            }
            if moment.ticks && rng.chance(work.priorities) {
                let level = rng.chance(0.6).then(|| rng.below(5) as i8 - 2);
                let priority = Priority { level, weight: rng.below(256) as u8 };
                if rng.chance(0.5) {
                    streams.set_priority(stream, priority);
                } else {
                    streams.request_priority(stream, priority);
                }
            }
            it.write(streams, stream, moment, work, rng, &mut ledger);
            it.read(streams, stream, moment, work, rng, &mut ledger);
        }
        talk.streams.retain(|_, it| !it.is_over());
    }
}
