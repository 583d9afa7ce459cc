//! A connection to a peer, from the first INIT to the last farewell.

use core::net::{IpAddr, SocketAddr};
use std::collections::VecDeque;

use tng_base::{ChannelKey, Ecn, Eid, Instant, Protocol, Taken, Transmit};
use tng_isolation::{Identity, Offer};
use tng_semantic::structured::Streams;

use crate::assemble::Unconfirmed;
use crate::dial::Dial;
use crate::link::{Arrival, Ended, Link, Origin, Surroundings};
use crate::schedule::Place;
use crate::{CloseCause, ConnectError, EventKind};

/// Farewells repeated to a peer that keeps talking to a closed connection.
const FAREWELLS_MAX: u32 = 16;

#[derive(Debug)]
pub(crate) enum State {
    /// Our INIT is out.
    Dialing(Box<Dial>),
    /// The peer's INIT is in; the REPLY is not yet built.
    Offered(Box<Offered>),
    /// The channel is up.
    Open(Box<Open>),
    /// We have closed; the farewell is repeated to whoever still talks.
    Closing(Closing),
    /// The peer has closed, or vanished; late packets are swallowed.
    Draining { link: Box<Link>, until: Instant },
    /// Nothing is left but an event to deliver.
    Ended,
}

#[derive(Debug)]
pub(crate) struct Offered {
    pub offer: Offer,
    pub origin: Origin,
    /// Bytes that came from there so far.
    pub init_len: usize,
    pub until: Instant,
    /// The REPLY is to be built, with whatever the application has to say by then.
    pub accepted: bool,
    /// What came with the INIT has been taken.
    pub taken: bool,
}

#[derive(Debug)]
pub(crate) struct Open {
    pub link: Link,
    /// Set until the peer's first channel packet.
    pub unconfirmed: Option<Unconfirmed>,
}

/// What tells a half-open entry from others: the initiator's address and the ephemeral key of its INIT, so that only
/// copies of the INIT find it.
pub(crate) type HalfOpen = (SocketAddr, [u8; 32]);

#[derive(Debug)]
pub(crate) struct Closing {
    link: Box<Link>,
    farewell: Vec<u8>,
    transmit: Transmit,
    /// Packets heard since closing; a farewell goes out at 1, 2, 4, 8, ...
    heard: u32,
    due: bool,
    until: Instant,
}

#[derive(Debug)]
pub(crate) struct Connection {
    pub key: ChannelKey,
    pub peer: Eid,
    pub streams: Streams,
    pub state: State,
    pub place: Place,
    /// The application knows of it, and is owed the news of its end.
    told: bool,
    /// The application has been told that the peer is accepted.
    announced: bool,
    /// What the half-open table knows it as.
    pub half_open_as: Option<HalfOpen>,
    events: VecDeque<EventKind>,
}

impl Connection {
    pub(crate) fn new(key: ChannelKey, peer: Eid, streams: Streams, state: State) -> Connection {
        let (place, events) = (Place::default(), VecDeque::new());
        Connection { key, peer, streams, state, place, told: false, announced: false, half_open_as: None, events }
    }

    /// The application asked for it, and so knows of it.
    pub(crate) fn begin_dialing(&mut self, dial: Dial) {
        self.told = true;
        self.state = State::Dialing(Box::new(dial));
    }

    /// Whether its peer has shown that it receives at its address.
    pub(crate) fn is_confirmed(&self) -> bool {
        matches!(&self.state, State::Open(open) if open.unconfirmed.is_none())
    }

    /// Whether it counts against the bound on half-open entries.
    pub(crate) fn is_half_open(&self) -> bool {
        match &self.state {
            State::Offered(_) => true,
            State::Open(open) => open.unconfirmed.is_some(),
            _ => false,
        }
    }

    pub(crate) fn link(&self) -> Option<&Link> {
        match &self.state {
            State::Open(open) => Some(&open.link),
            _ => None,
        }
    }

    /// Queues an event of the connection itself; there are few of them in a life.
    pub(crate) fn push_event(&mut self, kind: EventKind) {
        self.events.push_back(kind);
    }

    /// Tells the application that a peer asks to connect.
    pub(crate) fn tell_incoming(&mut self, remote: SocketAddr) {
        self.told = true;
        self.push_event(EventKind::Incoming { eid: self.peer, remote });
    }

    /// The application has refused the peer, and need not be told of the end.
    pub(crate) fn refused(&mut self) {
        self.told = false;
    }

    /// Tells the application, once, that a peer has connected.
    pub(crate) fn tell_accepted(&mut self) {
        self.told = true;
        if !core::mem::replace(&mut self.announced, true) {
            self.push_event(EventKind::Accepted { eid: self.peer });
        }
    }

    /// The connection has ended; an application that never heard of it hears nothing.
    fn tell_closed(&mut self, cause: CloseCause) {
        self.streams.handle_closed();
        if core::mem::take(&mut self.told) {
            self.push_event(EventKind::Closed(cause));
        }
    }

    /// The end that the application has not been told of, if it is over: an offer that nobody answered or that came to
    /// nothing.
    pub(crate) fn untold_end(&mut self) -> Option<EventKind> {
        let untold = self.is_over() && core::mem::take(&mut self.told);
        untold.then_some(EventKind::Closed(CloseCause::NotConnected(ConnectError::TimedOut)))
    }

    /// The next event for the application.
    pub(crate) fn poll_event(&mut self) -> Option<EventKind> {
        // What became of the connection as a whole comes last of all if it is an end, first otherwise.
        match self.events.front() {
            Some(EventKind::Closed(_) | EventKind::ConnectFailed(_)) => {
                self.streams.poll_event().map(EventKind::Stream).or_else(|| self.events.pop_front())
            }
            Some(_) => self.events.pop_front(),
            None => self.streams.poll_event().map(EventKind::Stream),
        }
    }

    /// Whether nothing is left to do or to tell.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.state, State::Ended) && self.events.is_empty()
    }

    /// The attempt has failed.
    pub(crate) fn fail(&mut self, error: ConnectError) {
        self.state = State::Ended;
        self.told = false;
        self.streams.handle_closed();
        self.push_event(EventKind::ConnectFailed(error));
    }

    /// Takes a channel packet.
    pub(crate) fn handle_packet(
        &mut self,
        now: Instant,
        origin: Origin,
        packet: &mut [u8],
        around: &mut Surroundings<'_>,
    ) -> Arrival {
        match &mut self.state {
            State::Open(open) => {
                let arrived = open.link.handle_datagram(now, origin, packet, &mut self.streams, around);
                match arrived {
                    Ok(arrival) => {
                        if arrival == Arrival::Authentic {
                            self.handle_authentic(now, around);
                        }
                        arrival
                    }
                    Err(ended) => {
                        self.end(now, ended, around);
                        Arrival::Authentic
                    }
                }
            }
            State::Closing(closing) => {
                closing.handle_heard(now, origin, packet.len());
                Arrival::Discarded
            }
            _ => Arrival::Discarded,
        }
    }

    fn handle_authentic(&mut self, now: Instant, around: &mut Surroundings<'_>) {
        let State::Open(open) = &mut self.state else { return };
        if let Some(unconfirmed) = open.unconfirmed.take() {
            if let Some(held) = unconfirmed.held {
                match self.streams.handle_packet(now, self.key, &held) {
                    Ok(Taken::All) => open.link.channel.note_setup_taken(now),
                    // Not acknowledged: the initiator sends it again in an ordinary packet.
                    Ok(_) => {}
                    Err(violation) => return self.end(now, Ended::Violation(violation), around),
                }
            }
            self.tell_accepted();
        }
        self.tell_path();
    }

    /// Events about the path, if there are any.
    fn tell_path(&mut self) {
        let State::Open(open) = &mut self.state else { return };
        self.events.extend(open.link.take_move().map(EventKind::Moved));
        self.events.extend(open.link.take_condition().map(EventKind::Condition));
    }

    /// The INIT came again: its REPLY was lost, or the peer is impatient.
    pub(crate) fn handle_repeated_init(&mut self, len: usize) {
        match &mut self.state {
            State::Offered(offered) => offered.init_len += len,
            State::Open(open) => {
                open.link.note_repeated_init(len);
                if let Some(unconfirmed) = &mut open.unconfirmed {
                    unconfirmed.reply_due = true;
                }
            }
            _ => {}
        }
    }

    /// The peer has sent a valid stateless reset.
    pub(crate) fn handle_reset(&mut self, now: Instant) {
        self.drain(now, CloseCause::Reset);
    }

    /// Ends the connection from this side.
    pub(crate) fn close(
        &mut self,
        now: Instant,
        code: u64,
        reason: &str,
        cause: CloseCause,
        around: &mut Surroundings<'_>,
    ) {
        let old = core::mem::replace(&mut self.state, State::Ended);
        match old {
            State::Open(open) => {
                let mut link = Box::new(open.link);
                let until = now + link.linger();
                self.state = match link.close_packet(now, code, reason) {
                    Some((farewell, transmit)) => {
                        State::Closing(Closing { link, farewell, transmit, heard: 0, due: true, until })
                    }
                    None => State::Draining { link, until },
                };
                self.tell_closed(cause);
            }
            State::Dialing(dial) => {
                around.demux.remove_id(dial.local_id());
                self.tell_closed(cause);
            }
            State::Offered(_) => self.tell_closed(cause),
            over => self.state = over,
        }
    }

    fn end(&mut self, now: Instant, ended: Ended, around: &mut Surroundings<'_>) {
        match ended {
            Ended::Peer { code, reason } => self.drain(now, CloseCause::Peer { code, reason }),
            Ended::Idle => self.drain(now, CloseCause::Idle),
            // Nothing more can be sealed, so there is no farewell.
            Ended::KeysUsedUp => self.drain(now, CloseCause::KeysUsedUp),
            Ended::Violation(violation) => {
                let (code, reason) = (violation.code, violation.reason);
                self.close(now, code, reason, CloseCause::Violation(violation), around);
            }
        }
    }

    fn drain(&mut self, now: Instant, cause: CloseCause) {
        let old = core::mem::replace(&mut self.state, State::Ended);
        match old {
            State::Open(open) => {
                let until = now + open.link.linger();
                self.state = State::Draining { link: Box::new(open.link), until };
                self.tell_closed(cause);
            }
            over => self.state = over,
        }
    }

    /// This host's own address changed.
    pub(crate) fn handle_local_move(&mut self, now: Instant, local: Option<IpAddr>, around: &mut Surroundings<'_>) {
        if let State::Open(open) = &mut self.state {
            open.link.handle_local_move(now, local, around);
        }
    }

    /// The next datagrams to send.
    pub(crate) fn poll_transmit(
        &mut self,
        now: Instant,
        buf: &mut [u8],
        identity: &Identity,
        around: &mut Surroundings<'_>,
    ) -> Option<Transmit> {
        match &mut self.state {
            State::Dialing(dial) => {
                let token = (around.reset_token)(dial.local_id());
                let host = (identity, around.config, &mut *around.rng, token);
                match dial.poll_transmit(now, buf, self.key, &mut self.streams, host) {
                    Ok(transmit) => transmit,
                    Err(error) => {
                        around.demux.remove_id(dial.local_id());
                        self.fail(error);
                        None
                    }
                }
            }
            State::Open(open) => {
                if let Some(unconfirmed) = &mut open.unconfirmed
                    && let Some(transmit) = unconfirmed.poll_reply(now, buf, &mut open.link)
                {
                    return Some(transmit);
                }
                open.link.poll_transmit(now, buf, &mut self.streams, around)
            }
            State::Closing(closing) => core::mem::take(&mut closing.due).then(|| {
                buf[..closing.farewell.len()].copy_from_slice(&closing.farewell);
                closing.transmit
            }),
            _ => None,
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant, around: &mut Surroundings<'_>) {
        if self.streams.poll_timeout().is_some_and(|at| at <= now) {
            self.streams.handle_timeout(now);
        }
        match &mut self.state {
            State::Dialing(dial) => {
                if let Some(error) = dial.handle_timeout(now) {
                    around.demux.remove_id(dial.local_id());
                    self.fail(error);
                }
            }
            State::Offered(offered) if offered.until <= now => self.state = State::Ended,
            State::Open(open) => {
                if open.unconfirmed.as_ref().is_some_and(|unconfirmed| unconfirmed.until <= now) {
                    // The initiator never came back: nothing was promised to anybody.
                    open.link.release(around);
                    self.state = State::Ended;
                    self.tell_closed(CloseCause::NotConnected(ConnectError::TimedOut));
                    return;
                }
                match open.link.handle_timeout(now, &mut self.streams, around) {
                    Ok(()) => self.tell_path(),
                    Err(ended) => self.end(now, ended, around),
                }
            }
            State::Closing(Closing { link, until, .. }) | State::Draining { link, until } if *until <= now => {
                link.release(around);
                self.state = State::Ended;
            }
            _ => {}
        }
    }

    pub(crate) fn poll_timeout(&mut self, now: Instant, config: &crate::HostConfig) -> Option<Instant> {
        let own = match &mut self.state {
            State::Dialing(dial) => dial.poll_timeout(),
            State::Offered(offered) => Some(offered.until),
            State::Open(open) => {
                let until = open.unconfirmed.as_ref().map(|unconfirmed| unconfirmed.until);
                [until, open.link.poll_timeout(now, config)].into_iter().flatten().min()
            }
            State::Closing(Closing { until, .. }) | State::Draining { until, .. } => Some(*until),
            State::Ended => None,
        };
        [own, self.streams.poll_timeout()].into_iter().flatten().min()
    }
}

impl Closing {
    /// The peer, or somebody in its name, still talks.
    fn handle_heard(&mut self, now: Instant, origin: Origin, len: usize) {
        self.link.note_received(origin.remote, len);
        self.heard = self.heard.saturating_add(1);
        let again = self.heard.is_power_of_two() && self.heard < 1 << FAREWELLS_MAX && !self.due;
        if again && self.link.path().budget() >= self.farewell.len() as u64 {
            self.link.note_sent(now, self.farewell.len());
            self.due = true;
        }
    }
}

impl Unconfirmed {
    /// The REPLY, if it is due: once at first, and again for every repetition of the INIT.
    fn poll_reply(&mut self, now: Instant, buf: &mut [u8], link: &mut Link) -> Option<Transmit> {
        let len = self.reply.len();
        if !core::mem::take(&mut self.reply_due) || link.path().budget() < len as u64 {
            return None;
        }
        buf[..len].copy_from_slice(&self.reply);
        link.note_sent(now, len);
        if self.filled {
            link.note_set_up_sent(now, len);
        }
        let (remote, local) = (link.path().remote, link.path().local);
        Some(Transmit { remote, local, ecn: Ecn::NotEct, len, segment_size: len })
    }
}
