//! A connection to a peer: its streams, and the channels that carry them.
//!
//! Streams outlive channels (SST 4.3). The first exchange begins the session; later ones bring it further channels.

mod channels;
mod ends;

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{ChannelKey, Eid, Instant, PathCondition, Protocol, SessionId, Taken, Transmit};
use tng_isolation::{Exporter, Identity};
use tng_semantic::structured::{Role, Streams};

use crate::attachment::{Attachment, Lost, State};
use crate::link::{Arrival, Ended, Origin, Surroundings};
use crate::reach::{PATIENCE, Reach};
use crate::schedule::Place;
use crate::{CloseCause, ConnectError, EventKind, HostConfig, PathId};

/// Channels that one connection has at most, those included that are still coming up.
pub const CHANNELS_MAX: usize = 8;

/// What the first exchange left.
#[derive(Debug)]
pub(crate) struct Session {
    pub id: SessionId,
    pub role: Role,
    pub exporter: Exporter,
    /// Channels that this end has asked for since.
    asked: u64,
    /// The highest count of the peer's.
    heard: u64,
}

impl Session {
    pub(crate) fn new(id: SessionId, role: Role, exporter: Exporter) -> Session {
        Session { id, role, exporter, asked: 0, heard: 0 }
    }
}

/// How far a connection has come.
#[derive(Debug)]
enum Life {
    /// The first exchange is under way.
    Beginning,
    /// It has a channel.
    Attached,
    /// It has had none since then, for this reason.
    Detached { since: Instant, cause: CloseCause },
    /// It is over.
    Over,
}

#[derive(Debug)]
pub(crate) struct Connection {
    pub peer: Eid,
    pub streams: Streams,
    pub attachments: Vec<Attachment>,
    pub session: Option<Session>,
    pub place: Place,
    life: Life,
    pub reach: Reach,
    /// How long it may be without a channel; `None` is for ever.
    pub keep: Option<Duration>,
    /// The application chose that itself.
    pub kept_by_choice: bool,
    /// The attachment that sends next.
    turn: usize,
    /// The application knows of it, and is owed the news of its end.
    told: bool,
    /// The application has been told that the peer is accepted.
    announced: bool,
    events: VecDeque<EventKind>,
}

impl Connection {
    pub(crate) fn new(peer: Eid, streams: Streams, first: Attachment, reach: Reach, config: &HostConfig) -> Connection {
        Connection {
            peer,
            streams,
            attachments: vec![first],
            session: None,
            place: Place::default(),
            life: Life::Beginning,
            reach,
            keep: config.keep.time,
            kept_by_choice: false,
            turn: 0,
            told: false,
            announced: false,
            events: VecDeque::new(),
        }
    }

    /// The application asked for it, and so knows of it.
    pub(crate) fn asked_for(mut self) -> Connection {
        self.told = true;
        self
    }

    pub(crate) fn attachment(&mut self, key: ChannelKey) -> Option<&mut Attachment> {
        self.attachments.iter_mut().find(|attachment| attachment.key == key)
    }

    /// Attachment and streams at once.
    pub(crate) fn split(&mut self, key: ChannelKey) -> Option<(&mut Attachment, &mut Streams)> {
        let attachment = self.attachments.iter_mut().find(|attachment| attachment.key == key)?;
        Some((attachment, &mut self.streams))
    }

    /// Whether its peer has shown that it receives at its address.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.attachments.iter().any(Attachment::is_confirmed)
    }

    /// Since when there has been no channel, if there is none.
    pub(crate) fn detached_since(&self) -> Option<Instant> {
        match self.life {
            Life::Detached { since, .. } => Some(since),
            _ => None,
        }
    }

    /// The channel that is up and best: one in good condition before others, an older one before a younger.
    pub(crate) fn best(&self) -> Option<&Attachment> {
        let rank = |attachment: &&Attachment| match attachment.link().map(|link| link.channel.condition()) {
            Some(PathCondition::Good) if attachment.is_confirmed() => 0,
            Some(PathCondition::Good) => 1,
            _ => 2,
        };
        self.attachments.iter().filter(|attachment| attachment.link().is_some()).min_by_key(rank)
    }

    // What the application is told

    /// Queues an event of the connection itself; there are few of them in a life.
    pub(crate) fn push_event(&mut self, kind: EventKind) {
        self.events.push_back(kind);
    }

    /// Tells the application that a peer asks to connect.
    pub(crate) fn tell_incoming(&mut self, remote: SocketAddr, validated: bool) {
        self.told = true;
        self.push_event(EventKind::Incoming { eid: self.peer, remote, validated });
    }

    /// The application has refused the peer, or put it off, and need not be told of the end.
    pub(crate) fn turn_away(&mut self) {
        self.told = false;
        self.life = Life::Over;
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
        self.life = Life::Over;
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
        let ended = self.attachments.iter().all(Attachment::is_ended);
        let waits = matches!(self.life, Life::Detached { .. });
        ended && !waits && self.events.is_empty()
    }

    // What comes from the network

    /// Takes a channel packet.
    pub(crate) fn handle_packet(
        &mut self,
        now: Instant,
        key: ChannelKey,
        origin: Origin,
        packet: &mut [u8],
        around: &mut Surroundings<'_>,
    ) -> Arrival {
        let Some((attachment, streams)) = self.split(key) else { return Arrival::Discarded };
        match attachment.handle_packet(now, origin, packet, streams, around) {
            Ok(arrival) => {
                if arrival == Arrival::Authentic {
                    self.handle_authentic(now, key, around);
                }
                arrival
            }
            Err(ended) => {
                self.handle_ended(now, key, ended, around);
                Arrival::Authentic
            }
        }
    }

    fn handle_authentic(&mut self, now: Instant, key: ChannelKey, around: &mut Surroundings<'_>) {
        let Some((attachment, streams)) = self.split(key) else { return };
        let State::Open(open) = &mut attachment.state else { return };
        if let Some(unconfirmed) = open.unconfirmed.take() {
            if let Some(held) = unconfirmed.held {
                match streams.handle_packet(now, key, &held) {
                    Ok(Taken::All) => open.link.channel.note_setup_taken(now),
                    // Not acknowledged: the initiator sends it again in an ordinary packet.
                    Ok(_) => {}
                    Err(violation) => return self.handle_ended(now, key, Ended::Violation(violation), around),
                }
            }
            self.attached(now, key, around);
            self.tell_accepted();
        }
        self.tell_path(now, key);
    }

    /// Events about a path, if there are any.
    fn tell_path(&mut self, now: Instant, key: ChannelKey) {
        let Some(attachment) = self.attachment(key) else { return };
        let State::Open(open) = &mut attachment.state else { return };
        let (moved, condition) = (open.link.take_move(), open.link.take_condition());
        let path = PathId(key.0);
        if let Some(remote) = moved {
            self.reach.note_seen(remote);
            self.push_event(EventKind::Moved { path, remote });
        }
        if let Some(condition) = condition {
            self.push_event(EventKind::Condition { path, condition });
            if self.has_good_channel() {
                self.reach.satisfied();
            } else {
                self.want_channel(now);
            }
        }
    }

    /// No channel works: looks for another way. The end that began the session looks first.
    fn want_channel(&mut self, now: Instant) {
        match &self.session {
            Some(session) if session.role == Role::Initiator => self.reach.want(now),
            Some(_) => self.reach.want(now + PATIENCE),
            None => {}
        }
    }

    /// The peer has sent a valid stateless reset of a channel. It may have forgotten only that.
    pub(crate) fn handle_reset(&mut self, now: Instant, key: ChannelKey, around: &mut Surroundings<'_>) {
        if self.attachment(key).is_some_and(|attachment| attachment.link().is_some()) {
            self.lose(now, key, CloseCause::Reset, around);
        }
    }

    /// This host's own address changed: what was bound to the `old` one moves on.
    pub(crate) fn handle_local_move(
        &mut self,
        now: Instant,
        old: Option<IpAddr>,
        new: Option<IpAddr>,
        around: &mut Surroundings<'_>,
    ) {
        for attachment in &mut self.attachments {
            if let State::Open(open) = &mut attachment.state
                && old.is_none_or(|old| open.link.path().local.is_none_or(|local| local == old))
            {
                open.link.handle_local_move(now, new, around);
            }
        }
        if self.is_settled() && !self.has_good_channel() {
            self.reach.hurry(now);
        }
    }

    // Sending, and time

    /// The next datagrams to send. Channels take turns.
    pub(crate) fn poll_transmit(
        &mut self,
        now: Instant,
        buf: &mut [u8],
        identity: &Identity,
        around: &mut Surroundings<'_>,
    ) -> Option<Transmit> {
        let count = self.attachments.len();
        for step in 0..count {
            let at = (self.turn + step) % count;
            let attachment = &mut self.attachments[at];
            around.owner.channel = attachment.key;
            match attachment.poll_transmit(now, buf, &mut self.streams, identity, around) {
                Ok(None) => {}
                Ok(transmit) => {
                    self.turn = at + 1;
                    return transmit;
                }
                Err(error) => {
                    let key = attachment.key;
                    self.handle_dial_failed(now, key, error, around);
                }
            }
        }
        None
    }

    /// Forgets the attachments that are over; answers what the half-open table knew them as.
    pub(crate) fn reap(&mut self) -> impl Iterator<Item = crate::attachment::HalfOpen> + '_ {
        self.attachments.extract_if(.., |attachment| attachment.is_ended()).filter_map(|it| it.half_open_as)
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant, around: &mut Surroundings<'_>) {
        if self.streams.poll_timeout().is_some_and(|at| at <= now) {
            self.streams.handle_timeout(now);
        }
        let keys: Vec<ChannelKey> = self.attachments.iter().map(|attachment| attachment.key).collect();
        for key in keys {
            around.owner.channel = key;
            let Some((attachment, streams)) = self.split(key) else { continue };
            let first = attachment.attach.is_none();
            match attachment.handle_timeout(now, streams, around) {
                None => self.tell_path(now, key),
                Some(Lost::Dial(error)) if first => self.fail(error),
                Some(Lost::Dial(error)) => self.handle_attach_failed(now, key, error, around),
                Some(Lost::Forsaken) if first => {
                    if self.session.is_some() {
                        self.tell_closed(CloseCause::NotConnected(ConnectError::TimedOut));
                    }
                }
                Some(Lost::Forsaken) => self.streams.handle_detach(now, key),
                Some(Lost::Link(ended)) => self.handle_ended(now, key, ended, around),
            }
        }
        if self.kept_until().is_some_and(|until| until <= now) {
            self.give_up(now, around);
        }
    }

    /// The streams have waited long enough, or cost too much.
    pub(crate) fn give_up(&mut self, now: Instant, around: &mut Surroundings<'_>) {
        if let Life::Detached { cause, .. } = &self.life {
            let cause = cause.clone();
            self.attachments.iter_mut().for_each(|attachment| attachment.drain(now, around));
            self.tell_closed(cause);
        }
    }

    /// Until when the streams are kept without a channel.
    fn kept_until(&self) -> Option<Instant> {
        Some(self.detached_since()? + self.keep?)
    }

    pub(crate) fn poll_timeout(&mut self, now: Instant, config: &HostConfig) -> Option<Instant> {
        let alone = !self.has_good_channel();
        let channels = self.attachments.iter_mut().filter_map(|attachment| attachment.poll_timeout(now, config)).min();
        let busy = matches!(self.life, Life::Over) || self.attachments.iter().any(Attachment::is_dialing);
        let attempt = self.reach.next_at().filter(|_| !busy && alone);
        [channels, attempt, self.kept_until(), self.streams.poll_timeout()].into_iter().flatten().min()
    }
}
