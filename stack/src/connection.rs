//! A connection to a peer: its streams, or the other protocol that it speaks, and the channels that carry them.
//!
//! Streams outlive channels (SST 4.3). The first exchange begins the session; later ones bring it further channels.

mod channels;
mod ends;
mod helped;
mod introduced;
mod retiring;
mod settling;
mod unreachable;

use core::net::{IpAddr, SocketAddr};
use core::ops::Range;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{ChannelKey, Eid, Instant, PeerText, Protocol, ScheduleEntry, SessionId, Taken, Transmit};
use tng_congestion::{Choice, SectionChoice};
use tng_isolation::{Exporter, Identity, Purpose};
use tng_semantic::structured::Role;

use crate::admission::Shown;
use crate::attachment::{Attachment, Lost, State};
use crate::budget::{Budget, CONNECTION_COST, Charge};
use crate::helped::{Bidding, Helping, Standing};
use crate::host_wide::HostWide;
use crate::link::Severed;
use crate::reach::{PATIENCE, Reach};
use crate::semantics::Semantics;
use crate::semantics::negotiation::Negotiation;
use crate::wait::{Changed, Mark, Waiting};
use crate::{CloseCause, ConnectError, EventKind, HostConfig, PathId, ProtocolFault, Wait, codes};
use tng_flow::{Arrival, Ended, Origin};

use unreachable::Refused;

/// Channels that one connection has at most, those included that are still coming up. One that is to replace the others
/// may be one more until it does.
pub const CHANNELS_MAX: usize = 8;

/// Channels of one connection that are closed and still remembered, for what may arrive late, at most; beyond it the
/// oldest is forgotten early.
pub const LINGERING_MAX: usize = 8;

/// How far behind the highest that brought a channel the count of a request may be.
pub const COUNTS_BEHIND_MAX: u64 = 64;

/// What the first exchange left.
#[derive(Debug)]
pub(crate) struct Session {
    pub id: SessionId,
    pub role: Role,
    pub exporter: Exporter,
    /// The peer may ask for further channels.
    pub noted: bool,
    /// Channels that this end has asked for since.
    asked: u64,
    heard: Heard,
}

/// Which of the peer's requests have brought a channel: a copy of such an INIT is of no use to an honest peer.
#[derive(Debug, Default)]
struct Heard {
    highest: u64,
    /// Bit i is for the count that is i below the highest.
    used: u64,
}

impl Heard {
    /// Whether the request with this count may still bring a channel.
    fn is_fresh(&self, count: u64) -> bool {
        match self.highest.checked_sub(count) {
            Some(behind) => behind < COUNTS_BEHIND_MAX && self.used >> behind & 1 == 0,
            None => true,
        }
    }

    /// The request with this count has brought a channel.
    fn note_used(&mut self, count: u64) {
        if let Some(ahead) = count.checked_sub(self.highest) {
            self.used = if ahead < COUNTS_BEHIND_MAX { self.used << ahead } else { 0 };
            self.highest = count;
        }
        let behind = self.highest - count;
        if behind < COUNTS_BEHIND_MAX {
            self.used |= 1 << behind;
        }
    }
}

/// What became of packets that came together.
pub(crate) struct Run {
    /// Bytes of those that were taken.
    pub taken: usize,
    /// Where the last of them stands, if it was not the peer's.
    pub discarded: Option<Range<usize>>,
}

impl Session {
    pub(crate) fn new(id: SessionId, role: Role, exporter: Exporter) -> Session {
        Session { id, role, exporter, noted: false, asked: 0, heard: Heard::default() }
    }
}

/// How far a connection has come.
#[derive(Debug)]
enum Life {
    /// The first exchange is under way, or its initiator has not shown yet that it receives.
    Beginning,
    /// It has a channel.
    Attached,
    /// It has had none since then, for this reason.
    Detached { since: Instant, cause: Box<CloseCause> },
    /// It is over.
    Finished,
}

#[derive(Debug)]
pub(crate) struct Connection {
    pub peer: Eid,
    pub semantics: Semantics,
    pub attachments: Vec<Attachment>,
    pub session: Option<Session>,
    pub place: ScheduleEntry,
    /// How the two ends have negotiated a transport, if one was offered.
    pub negotiation: Option<Box<Negotiation>>,
    /// What it counts for in the host's budget.
    pub charge: Charge,
    /// Since when bytes have waited with none taken, and how many had been taken by then.
    stands_still: Option<(u64, Instant)>,
    /// Something was open when it was looked at last.
    open: bool,
    /// The host has taken note of its end.
    pub left: bool,
    /// What the peer showed to come in, if it was the peer that came.
    pub shown: Option<Shown>,
    life: Life,
    pub reach: Reach,
    /// There if this end asked for helpers, a path through some is judged, or the path has changed.
    pub helping: Option<Box<Helping>>,
    /// What helpers in the path say after an exchange of ours; there for a second, if the host listens.
    pub bidding: Option<Box<Bidding>>,
    /// How long it may be without a channel; `None` is for ever.
    pub keep: Option<Duration>,
    /// The application chose that itself.
    pub kept_by_choice: bool,
    /// What governs its flows, if that is not what governs the host's.
    pub controller: Option<Choice>,
    /// The attachment that sends next.
    turn: usize,
    /// The application knows of it, and is owed the news of its end.
    told: bool,
    /// The application has been told that it is connected, or that the peer is accepted.
    announced: bool,
    events: VecDeque<EventKind>,
    waiting: Waiting,
    /// What ICMP has said of where the peer is, since it was last heard of.
    refused: Option<Box<Refused>>,
    /// Attempts to reach the peer last their time.
    pub patient: bool,
}

impl Connection {
    pub(crate) fn new(
        peer: Eid,
        (semantics, charge): (Semantics, Charge),
        first: Attachment,
        reach: Reach,
        config: &HostConfig,
    ) -> Connection {
        Connection {
            peer,
            semantics,
            attachments: vec![first],
            session: None,
            negotiation: None,
            place: ScheduleEntry::default(),
            charge,
            stands_still: None,
            open: false,
            left: false,
            shown: None,
            life: Life::Beginning,
            helping: reach.is_helped().then(|| Box::new(Helping::asked(config.judge, reach.is_only_reached()))),
            reach,
            bidding: None,
            keep: config.keep.time,
            kept_by_choice: false,
            controller: None,
            turn: 0,
            told: false,
            announced: false,
            events: VecDeque::new(),
            waiting: Waiting::default(),
            refused: None,
            patient: false,
        }
    }

    /// The application asked for it, and so knows of it.
    pub(crate) fn asked_for(mut self) -> Connection {
        self.told = true;
        self
    }

    pub(crate) fn attachment(&mut self, key: ChannelKey) -> Option<&mut Attachment> {
        self.split(key).map(|(attachment, _)| attachment)
    }

    /// Attachment and what the connection speaks at once.
    pub(crate) fn split(&mut self, key: ChannelKey) -> Option<(&mut Attachment, &mut Semantics)> {
        let attachment = self.attachments.iter_mut().find(|attachment| attachment.key == key)?;
        Some((attachment, &mut self.semantics))
    }

    /// Whether its peer has shown that it receives at its address.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.attachments.iter().any(Attachment::is_confirmed)
    }

    /// Channels held, whatever their state.
    pub(crate) fn channels(&self) -> usize {
        self.attachments.len()
    }

    /// What it counts for. One that has ended is only remembered, and there is a bound for those.
    pub(crate) fn cost(&self) -> u64 {
        self.semantics.cost() + if self.has_ended() { 0 } else { CONNECTION_COST }
    }

    /// Tells the budget what it counts for, and its streams what more they may.
    #[inline]
    pub(crate) fn settle(&mut self, budget: &mut Budget) {
        let bytes = self.cost();
        if budget.has_news(&self.charge, bytes) {
            self.settle_anew(budget, bytes);
        }
    }

    fn settle_anew(&mut self, budget: &mut Budget, bytes: u64) {
        budget.settle(&mut self.charge, bytes);
        if self.semantics.allow(budget.allowance(&self.charge)) {
            let bytes = self.cost();
            budget.settle(&mut self.charge, bytes);
        }
        budget.note_told(&mut self.charge);
    }

    /// Notes whether what waits for a reader, here or there, gets fewer.
    pub(crate) fn note_progress(&mut self, now: Instant) {
        let progress = self.semantics.progress();
        self.stands_still = match self.stands_still {
            _ if !self.semantics.holds_bytes() => None,
            Some(since) if since.0 == progress => Some(since),
            _ => Some((progress, now)),
        };
    }

    /// Since when bytes have waited with none taken.
    pub(crate) fn stands_still_since(&self) -> Option<Instant> {
        self.stands_still.map(|(_, since)| since)
    }

    /// Whether something was open when it had its last turn. What it speaks is asked in its own turn only: there what
    /// goes wrong is seen.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Since when there has been no channel, if there is none.
    pub(crate) fn detached_since(&self) -> Option<Instant> {
        match self.life {
            Life::Detached { since, .. } => Some(since),
            _ => None,
        }
    }

    /// The channel that is up and best: one in good condition before others, an older one before a younger, and what a
    /// copied INIT may have brought last.
    pub(crate) fn best(&self) -> Option<&Attachment> {
        let rank = |attachment: &&Attachment| match attachment.is_confirmed() {
            true if attachment.carries() => u8::from(!attachment.is_good()),
            true => 2,
            false => 3,
        };
        self.attachments.iter().filter(|attachment| attachment.link().is_some()).min_by_key(rank)
    }

    /// The channels that are up, and the first while it is coming up: the application may already have work from it.
    pub(crate) fn up(&self) -> impl Iterator<Item = &Attachment> {
        let known = |it: &&Attachment| it.is_confirmed() && !it.stands_by() || it.attach.is_none();
        self.attachments.iter().filter(known)
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
        self.life = Life::Finished;
    }

    /// Tells the application, once, that a peer has connected.
    pub(crate) fn tell_accepted(&mut self) {
        self.told = true;
        if !core::mem::replace(&mut self.announced, true) {
            self.push_event(EventKind::Accepted { eid: self.peer });
        }
    }

    /// Tells the application that its attempt has reached the peer.
    pub(crate) fn tell_connected(&mut self) {
        self.announced = true;
        self.push_event(EventKind::Connected);
    }

    /// Tells the application of a wait that has lasted, and of its end.
    pub(crate) fn tell_waits(&mut self, now: Instant) {
        if self.told {
            let Changed { over, waits } = self.waiting.look(now, &self.waits());
            if let Some((wait, lasted)) = over {
                self.events.push_back(EventKind::WaitOver { wait, lasted });
            }
            if let Some(wait) = waits {
                self.events.push_back(EventKind::Waits { wait });
            }
        }
    }

    /// What is waited for, the likeliest reason first.
    fn waits(&self) -> [Option<(Wait, Mark)>; 4] {
        if matches!(self.life, Life::Beginning) {
            let mut dials = self.attachments.iter().filter_map(|attachment| match &attachment.state {
                State::Dialing(dial) => Some(dial.wait()),
                _ => None,
            });
            return [dials.next(), None, None, None];
        }
        let carrier = self.best().filter(|attachment| attachment.carries());
        let Some((path, link)) = carrier.and_then(|it| Some((PathId(it.key.0), it.link()?))) else { return [None; 4] };
        let (unsent_bytes, sent) = self.semantics.unsent_and_sent();
        [
            link.channel().waiting_since().map(|since| (Wait::Acknowledgment { path }, Mark::Since(since))),
            link.section.waits_for_turn().map(|sent| (Wait::Turn { path }, Mark::Sent(sent))),
            (unsent_bytes > 0).then_some((Wait::Credit { unsent_bytes }, Mark::Bytes(sent))),
            self.semantics.waits_for_leave().then_some((Wait::Streams, Mark::Leave)),
        ]
    }

    /// The connection has ended; an application that never heard of it hears nothing.
    fn tell_closed(&mut self, cause: CloseCause) {
        self.life = Life::Finished;
        self.semantics.handle_closed();
        if core::mem::take(&mut self.told) {
            self.push_event(EventKind::Closed(cause));
        }
    }

    /// The end that the application has not been told of, if it is over: an offer that nobody answered or that came to
    /// nothing.
    pub(crate) fn untold_end(&mut self) -> Option<EventKind> {
        let untold = self.is_over() && core::mem::take(&mut self.told);
        if untold {
            self.life = Life::Finished;
        }
        untold.then_some(EventKind::Closed(CloseCause::NotConnected(ConnectError::TimedOut)))
    }

    /// The next event for the application.
    pub(crate) fn poll_event(&mut self) -> Option<EventKind> {
        // What became of the connection as a whole comes last of all if it is an end, first otherwise.
        match self.events.front() {
            Some(EventKind::Closed(_) | EventKind::ConnectFailed(_)) => {
                self.semantics.poll_event().or_else(|| self.take_event())
            }
            Some(_) => self.take_event(),
            None => self.semantics.poll_event(),
        }
    }

    fn take_event(&mut self) -> Option<EventKind> {
        let event = self.events.pop_front();
        if self.events.is_empty() {
            // They are few and far between.
            self.events = VecDeque::new();
        }
        event
    }

    /// Whether nothing is left to do or to tell.
    pub(crate) fn is_over(&self) -> bool {
        let ended = self.attachments.iter().all(Attachment::is_ended);
        let waits = matches!(self.life, Life::Detached { .. });
        ended && !waits && self.events.is_empty()
    }

    // What comes from the network

    /// A link says that it lost a packet of the section of a helped path; of what is armored end to end nobody can
    /// tell.
    pub(crate) fn handle_link_loss(&mut self, now: Instant, key: ChannelKey, header: &[u8]) -> bool {
        let Some(State::Open(open)) = self.attachment(key).map(|attachment| &mut attachment.state) else {
            return false;
        };
        open.link.section.channel.handle_link_loss(now, header)
    }

    /// Takes a channel packet.
    pub(crate) fn handle_packet(
        &mut self,
        now: Instant,
        key: ChannelKey,
        origin: Origin,
        packet: &mut [u8],
        wide: &mut HostWide,
    ) -> Arrival {
        let Some((attachment, semantics)) = self.split(key) else { return Arrival::Discarded };
        match attachment.handle_packet(now, origin, packet, semantics, wide) {
            Ok(arrival) => {
                if arrival == Arrival::Authentic {
                    self.handle_authentic(now, key, wide);
                }
                arrival
            }
            Err(severed) => {
                // The first that is heard of the peer may be that this channel ends: the connection stands all the
                // same.
                if matches!(severed, Severed::EndToEnd(Ended::Peer { code: codes::CHANNEL_ENDS, .. })) {
                    self.handle_authentic(now, key, wide);
                }
                self.handle_severed(now, key, severed, wide);
                Arrival::Authentic
            }
        }
    }

    /// Takes packets of `size` bytes, the last perhaps shorter, that are all named as one that has just been taken.
    pub(crate) fn handle_packets(
        &mut self,
        now: Instant,
        key: ChannelKey,
        origin: Origin,
        packets: &mut [u8],
        size: usize,
        wide: &mut HostWide,
    ) -> Run {
        let mut run = Run { taken: 0, discarded: None };
        let Some((attachment, semantics)) = self.split(key) else { return run };
        // What comes first on a channel has consequences.
        if !attachment.is_confirmed() {
            return run;
        }
        let (mut authentic, mut end) = (false, None);
        for packet in packets.chunks_mut(size) {
            let from = run.taken;
            run.taken += packet.len();
            match attachment.handle_packet(now, origin, packet, semantics, wide) {
                Ok(Arrival::Authentic) => authentic = true,
                Ok(Arrival::Discarded) => {
                    run.discarded = Some(from..run.taken);
                    break;
                }
                Err(severed) => {
                    end = Some(severed);
                    break;
                }
            }
        }
        if authentic {
            self.handle_authentic(now, key, wide);
        }
        if let Some(severed) = end {
            self.handle_severed(now, key, severed, wide);
        }
        run
    }

    fn handle_authentic(&mut self, now: Instant, key: ChannelKey, wide: &mut HostWide) {
        self.note_heard();
        if self.helping.as_ref().is_some_and(|helping| helping.gap.is_open())
            && self.attachment(key).is_some_and(|it| it.heard_at(now))
        {
            self.gap_closes(now);
        }
        let Some((attachment, semantics)) = self.split(key) else { return };
        let State::Open(open) = &mut attachment.state else { return };
        if let Some(unconfirmed) = open.unconfirmed.take_if(|_| open.link.is_heard()) {
            let mut rejected = unconfirmed.rejected;
            if let Some(held) = unconfirmed.held.filter(|_| rejected.is_none()) {
                match semantics.handle_set_up_packet(now, key, &held, false) {
                    Ok(Taken::All) => open.link.channel_mut().note_setup_taken(now),
                    // Not acknowledged: the initiator sends it again in an ordinary packet.
                    Ok(_) => {}
                    Err(violation) => rejected = Some(violation),
                }
            }
            if let Some(violation) = rejected.or_else(|| semantics.fault().map(ProtocolFault::violation)) {
                return self.handle_ended(now, key, Ended::Violation(violation), wide);
            }
            self.note_brought(now, key, wide);
            self.attached(now, key, wide);
        }
        // What it speaks may show only later.
        if !self.announced && self.is_confirmed() && !self.semantics.is_undecided() {
            self.note_decided();
            self.tell_accepted();
        }
        let carry = self.attachment(key).is_some_and(|it| match &mut it.state {
            State::Open(open) => open.link.section.take_carry(),
            _ => false,
        });
        if carry {
            self.handle_carry(now, key, wide);
        }
        self.tell_path(now, key);
        self.judge(now, wide);
    }

    /// Events about a path, if there are any.
    fn tell_path(&mut self, now: Instant, key: ChannelKey) {
        let Some(attachment) = self.attachment(key) else { return };
        let State::Open(open) = &mut attachment.state else { return };
        // Of a channel that may come to nothing the application has not heard.
        if open.unconfirmed.is_some() {
            return;
        }
        let (moved, condition) = (open.link.section.take_move(), open.link.take_condition());
        let path = PathId(key.0);
        if attachment.standing == Standing::StandsBy {
            return;
        }
        // Where a helper is says nothing of where the peer is.
        let remote = moved.filter(|_| !attachment.is_helped());
        if moved.is_some() {
            self.semantics.handle_move(now, key);
        }
        if let Some(remote) = remote {
            self.reach.note_seen(remote);
            self.redirect(now);
            self.push_event(EventKind::Moved { path, remote });
        }
        if let Some(condition) = condition {
            self.push_event(EventKind::Condition { path, condition });
            if self.has_good_channel() {
                self.reach.satisfied();
            } else if !self.attachments.iter().any(Attachment::stands_by) {
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
        self.ask_anywhere(now);
    }

    /// The peer has sent a valid stateless reset of a channel. It may have forgotten only that.
    pub(crate) fn handle_reset(&mut self, now: Instant, key: ChannelKey, wide: &mut HostWide) {
        if self.attachment(key).is_some_and(|attachment| attachment.link().is_some()) {
            let reset = Severed::Section(Ended::Peer { code: codes::NO_ERROR, reason: PeerText::default() });
            match self.attachment(key).is_some_and(|it| it.is_helped()) {
                true => self.handle_severed(now, key, reset, wide),
                false => self.lose(now, key, CloseCause::Reset, wide),
            }
        }
    }

    /// Another controller governs its flows, and those that begin for it.
    pub(crate) fn set_controller(&mut self, now: Instant, controller: Choice, wide: &mut HostWide) {
        for attachment in &mut self.attachments {
            let controller = match attachment.is_helped() {
                true => SectionChoice::of_host(&controller).into(),
                false => controller.clone(),
            };
            if let State::Open(open) = &mut attachment.state {
                open.link.section.set_controller(now, controller, &mut wide.flows);
            }
        }
        self.controller = Some(controller);
    }

    /// This host's own address changed: what was bound to the `old` one moves on.
    pub(crate) fn handle_local_move(
        &mut self,
        now: Instant,
        old: Option<IpAddr>,
        new: Option<IpAddr>,
        wide: &mut HostWide,
    ) {
        self.note_helped_move(old, new);
        if let Some(old) = old {
            self.end_retiring_from(now, old, wide);
        }
        for attachment in &mut self.attachments {
            if let State::Open(open) = &mut attachment.state
                && open.link.section.path().is_bound_to(old)
            {
                wide.with_section(|around| open.link.section.handle_local_move(now, new, around));
            }
        }
        self.look_from(now, new);
    }

    /// This host has a further address. What works stays where it is, since the others may last; a channel from the new
    /// address takes its place once it is there, without a gap.
    pub(crate) fn handle_further_address(&mut self, now: Instant, new: IpAddr, wide: &mut HostWide) {
        self.note_helped_move(None, Some(new));
        if self.is_worth_moving() {
            self.reach.note_further(new);
        }
        for attachment in &mut self.attachments {
            let good = attachment.is_good();
            if let State::Open(open) = &mut attachment.state
                // Where it was there is nothing left, or nothing that works.
                && (open.link.section.path().local.is_none() || !good && !open.link.is_helped())
            {
                wide.with_section(|around| open.link.section.handle_local_move(now, Some(new), around));
            }
        }
        self.look_from(now, Some(new));
    }

    /// Channels that are being asked for in the place of others are to begin there.
    fn look_from(&mut self, now: Instant, new: Option<IpAddr>) {
        for attachment in &mut self.attachments {
            if let State::Dialing(dial) = &mut attachment.state
                && attachment.attach.is_some_and(|attach| attach.purpose == Purpose::Replaces)
            {
                dial.set_local(new);
            }
        }
        self.hurry(now);
    }

    /// Whether a direct channel is worth an exchange for one from another address. The end that was called leaves that
    /// to the other, lest both begin one; and without streams a channel may as well move when it has to.
    fn is_worth_moving(&self) -> bool {
        let direct = |it: &Attachment| it.carries() && it.is_good() && !it.is_helped();
        self.is_settled()
            && !self.was_begun_by_peer()
            && !self.semantics.is_empty()
            && self.attachments.iter().any(direct)
    }

    /// Asks the peer for a sign of life, on every channel.
    pub(crate) fn ask_whether_there(&mut self, now: Instant) {
        for attachment in &mut self.attachments {
            if let State::Open(open) = &mut attachment.state {
                open.link.section.ask_whether_there(now);
            }
        }
    }

    // Sending, and time

    /// The next datagrams to send. Channels take turns.
    pub(crate) fn poll_transmit(
        &mut self,
        now: Instant,
        buf: &mut [u8],
        identity: &Identity,
        wide: &mut HostWide,
    ) -> Option<Transmit> {
        loop {
            if self.has_failed() {
                self.end_failed(now, wide);
            }
            self.hand_over(now, wide);
            let count = self.attachments.len();
            for step in 0..count {
                let at = (self.turn + step) % count;
                let attachment = &mut self.attachments[at];
                match attachment.poll_transmit(now, buf, &mut self.semantics, identity, wide) {
                    Ok(None) => {}
                    Ok(transmit) => {
                        self.turn = at + 1;
                        return transmit;
                    }
                    Err(error) => {
                        let key = attachment.key;
                        self.handle_dial_failed(now, key, error, wide);
                    }
                }
            }
            // What is sent may have brought it about, and there is a farewell to say.
            if !self.has_failed() {
                return None;
            }
        }
    }

    /// Forgets the attachments that are over; answers what the half-open table knew them as.
    pub(crate) fn reap(&mut self) -> impl Iterator<Item = crate::attachment::HalfOpen> + '_ {
        self.attachments
            .extract_if(.., |attachment| attachment.is_ended())
            .filter_map(|it| it.half_open_as.map(|known_as| *known_as))
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant, wide: &mut HostWide) {
        if self.semantics.poll_timeout().is_some_and(|at| at <= now) {
            self.semantics.handle_timeout(now);
        }
        for at in 0..self.attachments.len() {
            let attachment = &mut self.attachments[at];
            let (key, first) = (attachment.key, attachment.attach.is_none());
            match attachment.handle_timeout(now, &mut self.semantics, wide) {
                None => self.tell_path(now, key),
                Some(Lost::Dial(error)) if first => self.fail(error),
                Some(Lost::Dial(error)) => self.handle_attach_failed(now, key, error, wide),
                Some(Lost::Unanswered) => self.handle_unanswered(now, key, wide),
                Some(Lost::Link(severed)) => self.handle_severed(now, key, severed, wide),
            }
        }
        if self.doubts_at().is_some_and(|at| at <= now) {
            self.reach.note_doubted(now);
            self.ask_whether_there(now);
        }
        self.end_retired(now, wide);
        self.judge(now, wide);
        self.bidding.take_if(|bidding| bidding.is_over(now));
        if self.semantics.is_empty() {
            self.shrink(now);
        }
        if self.kept_until().is_some_and(|until| until <= now) {
            self.give_up(now, wide);
        }
        if self.dead_at(wide).is_some_and(|at| at <= now) {
            self.end_dead(now, wide);
        }
    }

    /// Nothing is open: what can be had again takes no memory, if nothing has happened for long enough.
    fn shrink(&mut self, now: Instant) {
        let rested = self.attachments.iter_mut().filter_map(|attachment| attachment.shrink(now).then_some(())).count();
        if rested > 0 {
            self.semantics.shrink();
            self.attachments.shrink_to_fit();
        }
    }

    /// The streams have waited long enough, or cost too much.
    pub(crate) fn give_up(&mut self, now: Instant, wide: &mut HostWide) {
        if let Life::Detached { cause, .. } = &self.life {
            let cause = CloseCause::clone(cause);
            self.end(now, cause, wide);
        }
    }

    /// Until when the streams are kept without a channel.
    fn kept_until(&self) -> Option<Instant> {
        Some(self.detached_since()? + self.keep?)
    }

    pub(crate) fn poll_timeout(&mut self, now: Instant, wide: &HostWide) -> Option<Instant> {
        self.open = !self.semantics.is_empty();
        let open = self.open;
        let channels =
            self.attachments.iter_mut().filter_map(|attachment| attachment.poll_timeout(now, wide, open)).min();
        let helping = self.helping_timeout(&wide.flows);
        let told = self.waiting.told_at().filter(|_| self.told);
        let all = [
            channels,
            self.attempt_at(),
            self.kept_until(),
            self.semantics.poll_timeout(),
            helping,
            told,
            self.seeks_at(),
            self.doubts_at(),
            self.dead_at(wide),
        ];
        // What has gone wrong in this turn may be all that is left to wake it.
        if self.has_failed() { Some(now) } else { all.into_iter().flatten().min() }
    }
}
