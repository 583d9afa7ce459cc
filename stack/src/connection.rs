//! A connection to a peer: its streams, and the channels that carry them.
//!
//! Streams outlive channels (SST 4.3). The first exchange begins the session; later ones bring it further channels.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{ChannelKey, Eid, Instant, PathCondition, Protocol, SessionId, Taken, Transmit};
use tng_isolation::wire::Attach;
use tng_isolation::{Exporter, Identity, RefusalCode};
use tng_semantic::structured::{Role, Streams};

use crate::attachment::{Attachment, Lost, State};
use crate::codes;
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

    // Channels that come

    /// The first exchange is done.
    pub(crate) fn begin(&mut self, session: Session) {
        self.session = Some(session);
        self.life = Life::Attached;
    }

    /// A channel is there and proven: the streams may use it.
    pub(crate) fn attached(&mut self, now: Instant, key: ChannelKey, around: &mut Surroundings<'_>) {
        let Some(attachment) = self.attachment(key) else { return };
        let Some(path) = attachment.link().map(|link| link.path()) else { return };
        let (attach, remote, proven) = (attachment.attach, path.remote, path.is_proven());
        if proven {
            self.reach.note_seen(remote);
        }
        self.streams.handle_attach(now, key);
        let Some(attach) = attach else { return };
        let began = self.session.as_ref().is_some_and(|session| session.role == Role::Initiator);
        let back = matches!(self.life, Life::Detached { .. });
        self.life = Life::Attached;
        self.push_event(EventKind::PathAdded { path: PathId(key.0), remote });
        if back {
            self.push_event(EventKind::Back);
        }
        // Of two channels that both ends may have asked for at the same time, the end that began the session keeps one.
        let others: Vec<ChannelKey> = self.attachments.iter().map(|other| other.key).filter(|it| *it != key).collect();
        for other in others {
            let Some(attachment) = self.attachment(other) else { continue };
            let unwell = attachment.link().is_none_or(|link| link.channel.condition() != PathCondition::Good);
            let was_up = attachment.link().is_some();
            let superfluous = attachment.is_dialing() && attachment.attach.is_some_and(|attach| attach.replaces);
            if attach.replaces || began && (superfluous || was_up && unwell) {
                match began && was_up && !attach.replaces {
                    true => attachment.close(now, codes::CHANNEL_ENDS, "", around),
                    false => attachment.drain(now, around),
                }
                self.streams.handle_detach(now, other);
                if was_up {
                    self.push_event(EventKind::PathLost { path: PathId(other.0), cause: CloseCause::Replaced });
                }
            }
        }
        self.reach.satisfied();
    }

    /// The peer asks that a further channel carry these streams; answers whether it may.
    pub(crate) fn admits(&mut self, attach: &Attach) -> bool {
        let live = self.attachments.iter().filter(|attachment| attachment.is_live()).count();
        let Some(session) = &mut self.session else { return false };
        let fresh = attach.count >= session.heard && live < CHANNELS_MAX && !matches!(self.life, Life::Over);
        if fresh {
            session.heard = attach.count;
        }
        fresh
    }

    /// What to say in the next INIT for these streams.
    pub(crate) fn next_attach(&mut self, replaces: bool) -> Option<Attach> {
        let live = self.attachments.iter().filter(|attachment| attachment.is_live()).count();
        let session = self.session.as_mut().filter(|_| live < CHANNELS_MAX)?;
        session.asked += 1;
        let replaces = replaces && session.role == Role::Initiator;
        Some(Attach { session: session.id, count: session.asked, replaces })
    }

    /// Whether a channel is to be asked for now.
    pub(crate) fn wants_channel(&mut self, now: Instant) -> bool {
        if matches!(self.life, Life::Detached { .. }) && !self.streams.is_idle() {
            self.reach.want(now);
        }
        let due = self.reach.next_at().is_some_and(|at| at <= now);
        due && self.is_settled() && !self.has_good_channel() && !self.attachments.iter().any(Attachment::is_dialing)
    }

    fn has_good_channel(&self) -> bool {
        let good = |attachment: &Attachment| {
            attachment.link().is_some_and(|link| link.channel.condition() == PathCondition::Good)
        };
        self.attachments.iter().any(|attachment| attachment.is_confirmed() && good(attachment))
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

    // Ends

    /// The first exchange has failed.
    pub(crate) fn fail(&mut self, error: ConnectError) {
        self.attachments.iter_mut().for_each(|attachment| attachment.state = State::Ended);
        self.life = Life::Over;
        self.told = false;
        self.streams.handle_closed();
        self.push_event(EventKind::ConnectFailed(error));
    }

    /// Whether the first exchange is done and the end not reached.
    pub(crate) fn is_settled(&self) -> bool {
        self.session.is_some() && !matches!(self.life, Life::Over)
    }

    /// The peer may be found there.
    pub(crate) fn look_at(&mut self, now: Instant, addresses: Vec<SocketAddr>) {
        self.reach.set_addresses(addresses);
        if self.is_settled() && !self.has_good_channel() {
            self.reach.hurry(now);
        }
    }

    /// A REPLY ended an attempt of ours.
    pub(crate) fn handle_dial_failed(
        &mut self,
        now: Instant,
        key: ChannelKey,
        error: ConnectError,
        around: &mut Surroundings<'_>,
    ) {
        let Some(attachment) = self.attachment(key) else { return };
        attachment.drain(now, around);
        match &self.session {
            None => self.fail(error),
            Some(_) => self.handle_attach_failed(now, key, error, around),
        }
    }

    /// Our attempt at a further channel has failed, and is cleared away.
    fn handle_attach_failed(
        &mut self,
        now: Instant,
        key: ChannelKey,
        error: ConnectError,
        around: &mut Surroundings<'_>,
    ) {
        self.streams.handle_detach(now, key);
        if let ConnectError::Refused { code, .. } = &error
            && *code == RefusalCode::UnknownSession.code()
        {
            // Sealed by the peer itself, so it is beyond doubt.
            self.attachments.iter_mut().for_each(|attachment| attachment.drain(now, around));
            return self.tell_closed(CloseCause::Reset);
        }
        self.reach.handle_failure(now);
        self.push_event(EventKind::AttachFailed { path: PathId(key.0), error });
    }

    fn handle_ended(&mut self, now: Instant, key: ChannelKey, ended: Ended, around: &mut Surroundings<'_>) {
        match ended {
            Ended::Peer { code: codes::CHANNEL_ENDS, .. } => self.lose(now, key, CloseCause::Replaced, around),
            Ended::Peer { code, reason } => {
                self.attachments.iter_mut().for_each(|attachment| attachment.drain(now, around));
                self.tell_closed(CloseCause::Peer { code, reason });
            }
            Ended::Idle => self.lose(now, key, CloseCause::Idle, around),
            // Nothing more can be sealed, so there is no farewell.
            Ended::KeysUsedUp => self.lose(now, key, CloseCause::KeysUsedUp, around),
            Ended::Violation(violation) => {
                let (code, reason) = (violation.code, violation.reason);
                self.close(now, code, reason, CloseCause::Violation(violation), around);
            }
        }
    }

    /// A channel that was up is gone, without a farewell. The streams stay.
    fn lose(&mut self, now: Instant, key: ChannelKey, cause: CloseCause, around: &mut Surroundings<'_>) {
        let Some(attachment) = self.attachment(key) else { return };
        let first = attachment.attach.is_none() && !attachment.is_confirmed();
        attachment.drain(now, around);
        if first || matches!(self.life, Life::Beginning) {
            return self.tell_closed(cause);
        }
        self.detached(now, key, cause);
    }

    /// A channel is given up: what was on its way counts as lost, and if it was the last the connection waits for another.
    fn detached(&mut self, now: Instant, key: ChannelKey, cause: CloseCause) {
        self.streams.handle_detach(now, key);
        self.push_event(EventKind::PathLost { path: PathId(key.0), cause: cause.clone() });
        if self.attachments.iter().any(|attachment| attachment.link().is_some()) {
            return;
        }
        // A quiet end needs no haste: whoever has something to say will ask.
        if cause != CloseCause::Idle && cause != CloseCause::Local {
            self.want_channel(now);
        }
        self.life = Life::Detached { since: now, cause };
        self.push_event(EventKind::Away);
    }

    /// Gives up one channel, or all of them, at the application's wish, and tells the peer. The streams stay.
    pub(crate) fn detach(&mut self, now: Instant, only: Option<ChannelKey>, around: &mut Surroundings<'_>) {
        let keys: Vec<ChannelKey> = self.attachments.iter().map(|attachment| attachment.key).collect();
        for key in keys.into_iter().filter(|key| only.is_none_or(|only| only == *key)) {
            let Some(attachment) = self.attachment(key) else { continue };
            if attachment.attach.is_none() && !attachment.is_confirmed() {
                continue;
            }
            let was_up = attachment.link().is_some();
            attachment.close(now, codes::CHANNEL_ENDS, "", around);
            match was_up {
                true => self.detached(now, key, CloseCause::Local),
                false => self.streams.handle_detach(now, key),
            }
        }
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
        if matches!(self.life, Life::Over) {
            return;
        }
        // The session's last word must not be taken for the end of one channel.
        let code = if code == codes::CHANNEL_ENDS { codes::NO_ERROR } else { code };
        self.attachments.iter_mut().for_each(|attachment| attachment.close(now, code, reason, around));
        self.tell_closed(cause);
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
