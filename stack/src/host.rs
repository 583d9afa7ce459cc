//! The host: every connection of one identity, as one machine.

mod accounting;
mod arrivals;
mod channels;
mod claims;
mod introductions;
mod protocols;
mod relief;
mod siblings;

pub use accounting::Accounting;
pub use relief::STUCK_AFTER;
pub use siblings::{Elsewhere, GivesWay, PeerHeld, Stray, Word};

use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tng_base::{
    ChannelKey, Ecn, Eid, Input, Instant, Machine, NOTES_MAX, Output, PathChange, PeerText, Schedule, SessionId,
    Transmit,
};
use tng_crypto::{Secret32, SecretSource};
use tng_endpoint::{COOKIES_BURST, COOKIES_PER_S, Demux, Exchanges, Punches, Sightings, TokenBucket};
use tng_flow::Origin;
use tng_isolation::{CookieJar, Family, Identity, Purpose, Refusal, RefusalCode, ResetKey, cookie_answer};
use tng_semantic::structured::{FirstData, Role, ServiceOptions, Services, Streams};
use tng_wire::Repr;

use crate::acquaintances::Acquaintances;
use crate::answer::{Answer, Refused, through_helper};
use crate::answered::Answered;
use crate::assemble;
use crate::attachment::{Attachment, Offered, State};
use crate::budget::Budget;
use crate::connection::Connection;
use crate::detached::Detached;
use crate::dial::{Dial, REPEAT_FIRST, Way};
use crate::half_open::HalfOpenTable;
use crate::helped::Wanted;
use crate::host_wide::{Flows, HostWide};
use crate::names::Owner;
use crate::reach::Reach;
use crate::residents::Residents;
use crate::semantics::{Registry, Semantics};
use crate::table::Table;
use crate::{
    Access, CloseCause, ConnectError, ConnectionId, ConnectionStats, EventKind, HostConfig, HostEvent, HostNote,
    PathId, Target, Tickets, Watch, codes,
};

/// ICMP errors that are heeded per second, in the long run: each has every connection asked whether it is of it.
pub const UNREACHABLES_PER_S: u64 = 100;
/// ICMP errors that are heeded at once.
pub const UNREACHABLES_BURST: u64 = 100;
/// Stateless answers waiting for the driver at most; a flood beyond it goes unanswered.
pub const ANSWERS_WAITING_MAX: usize = 64;

/// Connections that have ended and are remembered for what arrives late, at most; beyond it the oldest is forgotten
/// early.
pub const ENDED_MAX: usize = 1_024;

/// Every connection of one identity, as one machine.
///
/// A host is a plain value: its driver gives it the time, datagrams and entropy, and gets datagrams and events.
#[derive(Debug)]
pub struct Host {
    identity: Identity,
    wide: HostWide,
    services: Arc<Services>,
    /// Who makes the protocols that peers ask for.
    registry: Registry,
    connections: Table<Connection>,
    schedule: Schedule<ConnectionId>,
    /// So that a repeated INIT finds its entry.
    half_open: HalfOpenTable,
    /// So that a late copy of an INIT begins nothing.
    answered: Answered,
    /// Who called last from there.
    callers: Acquaintances<IpAddr>,
    /// Those that peers have begun and confirmed.
    residents: Residents,
    /// Those that have ended and may still be remembered for what arrives late, the oldest first.
    ended: VecDeque<ConnectionId>,
    /// Connections by what their peers may ask further channels for.
    sessions: BTreeMap<(Eid, SessionId), ConnectionId>,
    /// What connections without a channel hold, in bytes.
    detached: Detached,
    /// What all connections together may hold.
    budget: Budget,
    /// While memory is scarce: when it is looked again for who does nothing with it.
    look_again_at: Instant,
    /// Whose streams were handed out last: what they hold has changed since it was noted.
    handed_out: Option<ConnectionId>,
    cookies: CookieJar,
    /// To whom, and from which of this host's addresses.
    answers: VecDeque<(Origin, Answer)>,
    answer_budget: TokenBucket,
    cookie_budget: TokenBucket,
    hint_budget: TokenBucket,
    exchanges: Exchanges,
    next_key: u64,
    closing: bool,
    /// What channels have noted, for observers.
    notes: VecDeque<HostNote>,
    siblings: siblings::Siblings,
    /// Introductions to other hosts that are under way.
    punches: Punches,
}

impl Host {
    /// A host with this identity. `seed` must be secret and never used twice: fresh entropy of the system's. More is
    /// asked for before each exchange ([`Output::NeedsEntropy`]).
    pub fn new(mut config: HostConfig, identity: Identity, seed: impl Into<Secret32>) -> Host {
        let mut secrets = SecretSource::new(seed);
        let rng = secrets.visible();
        let cookies = CookieJar::new(secrets.fork());
        let budget = Budget::new(config.memory_max, config.connections_max.saturating_add(config.half_open_max))
            .among_others(config.ids.is_shared());
        // The tokens of a listening host outlive its restart, and are worth nothing at another host of the same
        // identity, which would tell them to anybody. One that only connects has no place at which it is looked for
        // again.
        let reset_key = match config.access {
            Access::Nobody => ResetKey::new(secrets.fork().secret()),
            _ => identity.reset_key(&config.place),
        };
        let (exchanges, demux) = (Exchanges::new(config.exchanges), Demux::within(config.ids));
        let half = usize::try_from(config.memory_max / 2).unwrap_or(usize::MAX);
        config.keep.bytes_max = config.keep.bytes_max.min(half);
        Host {
            identity,
            wide: HostWide {
                config,
                demux,
                flows: Flows::default(),
                rng,
                secrets,
                reset_key,
                called: Acquaintances::new(),
                sightings: Sightings::default(),
                key_lines: VecDeque::new(),
            },
            services: Arc::default(),
            registry: Registry::default(),
            connections: Table::new(),
            schedule: Schedule::default(),
            half_open: HalfOpenTable::default(),
            answered: Answered::default(),
            callers: Acquaintances::new(),
            residents: Residents::default(),
            ended: VecDeque::new(),
            sessions: BTreeMap::new(),
            detached: Detached::default(),
            budget,
            look_again_at: Instant::ZERO,
            handed_out: None,
            cookies,
            answers: VecDeque::new(),
            answer_budget: TokenBucket::default(),
            cookie_budget: TokenBucket::new(COOKIES_PER_S, COOKIES_BURST),
            hint_budget: TokenBucket::new(UNREACHABLES_PER_S, UNREACHABLES_BURST),
            exchanges,
            next_key: 0,
            closing: false,
            notes: VecDeque::new(),
            siblings: siblings::Siblings::default(),
            punches: Punches::default(),
        }
    }

    /// This host's identity.
    pub fn eid(&self) -> Eid {
        self.identity.eid()
    }

    /// The settings.
    pub fn config(&self) -> &HostConfig {
        &self.wide.config
    }

    /// Tells observers so much from now on, of the channels that come.
    pub fn set_watch(&mut self, watch: Watch) {
        self.wide.config.watch = watch;
    }

    /// Declares a service to the peers of connections made from now on.
    pub fn listen(&mut self, service: &str, protocol: &str, options: ServiceOptions) {
        Arc::make_mut(&mut self.services).listen(service, protocol, options);
    }

    /// Declares a service whose streams are requests, to be taken by
    /// [`next_request`](Streams::next_request); it stays one, whatever is declared later.
    pub fn listen_for_requests(&mut self, service: &str, protocol: &str, first_data: FirstData) {
        Arc::make_mut(&mut self.services).listen_for_requests(service, protocol, first_data);
    }

    /// Begins to connect. The INIT leaves at the next [`poll_output`](Machine::poll_output), with as much of what was
    /// opened and written on the connection's streams by then as fits.
    ///
    /// # Errors
    /// [`ConnectError::NoAddress`], or [`ConnectError::Closing`]. All else comes as an event.
    pub fn connect(&mut self, now: Instant, target: Target) -> Result<ConnectionId, ConnectError> {
        let window = self.budget.first_window(target.eid);
        let streams = assemble::streams(Role::Initiator, &self.wide.config, window, &self.services);
        self.begin(now, target, Semantics::Structured(streams))
    }

    fn begin(&mut self, now: Instant, target: Target, semantics: Semantics) -> Result<ConnectionId, ConnectError> {
        if self.closing {
            return Err(ConnectError::Closing);
        }
        if target.addresses.is_empty() {
            return Err(ConnectError::NoAddress);
        }
        let peer = target.eid;
        let channel = self.take_key();
        let way = Way::to(now, &target).map_err(ConnectError::BadPath)?;
        let (reach, wide) = (Reach::new(target.clone(), self.wide.config.carried), &mut self.wide);
        let charge = self.budget.enter(peer, semantics.cost());
        let id = self.connections.insert_with(|connection| {
            let local_id = wide.take_id(Owner { connection, channel });
            let dial = Dial::new(now, (target, None), local_id, &wide.config, way, REPEAT_FIRST);
            let first = Attachment::new(channel, State::Dialing(Box::new(dial)), None);
            Connection::new(peer, (semantics, charge), first, reach, &wide.config).asked_for()
        });
        self.wake(id);
        Ok(id)
    }

    /// Accepts the peer of an [`Incoming`](crate::EventKind::Incoming).
    pub fn accept(&mut self, now: Instant, id: ConnectionId) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        if let Some(key) = waiting(connection) {
            assemble::admit(now, connection, key);
            self.wake(id);
        }
    }

    /// Refuses the peer of an [`Incoming`](crate::EventKind::Incoming), with a reason for its user.
    pub fn refuse(&mut self, id: ConnectionId, reason: &str) {
        if let Some(offered) = self.take_waiting(id) {
            self.turn_down(offered, reason);
        }
    }

    fn turn_down(&mut self, offered: Offered, reason: &str) {
        let reason = PeerText::new(reason).cut(255).owned();
        let refusal = Refusal { code: RefusalCode::RefusedByApplication, reason };
        let through = offered.joining.as_ref().map(|joining| joining.greeting.id);
        let refused = Refused { offer: offered.offer, refusal, through };
        self.answers.push_back((offered.origin, Answer::Refusal(Box::new(refused))));
    }

    /// Makes the peer of an [`Incoming`](crate::EventKind::Incoming) show that it receives at its address: it gets a
    /// cookie and is forgotten; if it comes back with it, another `Incoming` says `validated`.
    pub fn retry(&mut self, now: Instant, id: ConnectionId) {
        let Some(Offered { offer, origin, joining, .. }) = self.take_waiting(id) else { return };
        let through = joining.map(|joining| joining.greeting.id);
        let cookie = self.cookies.issue(now, origin.remote, offer.fingerprint());
        let answer =
            cookie_answer(&self.identity, Family::Channel, offer.opening().channel, cookie, offer.fingerprint())
                .to_vec();
        self.answers.push_back((origin, Answer::Ready(through_helper(through, answer))));
    }

    /// Takes the offer of a peer that the application has not answered yet; nobody will be told of its end.
    fn take_waiting(&mut self, id: ConnectionId) -> Option<Offered> {
        let connection = self.connections.get_mut(id)?;
        let key = waiting(connection)?;
        connection.turn_away();
        self.take_offer(id, key)
    }

    /// Takes the offer of a channel, which ends unanswered.
    fn take_offer(&mut self, id: ConnectionId, key: ChannelKey) -> Option<Offered> {
        let attachment = self.connections.get_mut(id)?.attachment(key)?;
        let state = core::mem::replace(&mut attachment.state, State::Ended);
        if let Some(known_as) = attachment.half_open_as.take() {
            self.half_open.remove(&known_as);
        }
        self.wake(id);
        match state {
            State::Offered(offered) => Some(*offered),
            _ => None,
        }
    }

    /// The streams of a connection, if it is there and speaks structured streams. The driver must poll afterwards.
    pub fn streams(&mut self, id: ConnectionId) -> Option<&mut Streams> {
        self.hand_out(id)?.streams_mut()
    }

    /// What a connection speaks, whose account is looked at again when another is handed out.
    fn hand_out(&mut self, id: ConnectionId) -> Option<&mut Semantics> {
        // What one has been allowed is a sum, so it need not be told again while nobody else is.
        if self.handed_out != Some(id) {
            if let Some(before) = self.handed_out.replace(id) {
                self.settle(before);
            }
            self.settle(id);
        }
        let connection = self.connections.get_mut(id)?;
        self.schedule.wake(id, &mut connection.place);
        Some(&mut connection.semantics)
    }

    /// The streams of a connection, to look at.
    pub fn peek_streams(&self, id: ConnectionId) -> Option<&Streams> {
        self.connections.get(id)?.semantics.streams()
    }

    /// The streams of a connection that has ended: what has arrived can still be read from them, long after the host
    /// has forgotten the connection. Call it when the event comes that tells the end; the host then has none for it.
    /// `None` before.
    pub fn take_streams(&mut self, id: ConnectionId) -> Option<Streams> {
        match self.take_semantics(id, |semantics| semantics.streams().is_some())? {
            Semantics::Structured(streams) => Some(streams),
            Semantics::Registered(_) | Semantics::Undecided(_) | Semantics::Gone => None,
        }
    }

    /// Replaces who may connect. Connections that peers have begun, and might not begin any more, are closed with code
    /// 7.
    pub fn set_access(&mut self, now: Instant, access: Access) {
        self.wide.config.access = access;
        self.close_unwelcome(now);
    }

    /// Changes the tickets that open this host, if it is [tickets](Access::Tickets) that do. Connections of those that
    /// are good no more are closed with code 7.
    pub fn change_tickets<T>(&mut self, now: Instant, change: impl FnOnce(&mut Tickets) -> T) -> Option<T> {
        let Access::Tickets(tickets) = &mut self.wide.config.access else { return None };
        let changed = change(tickets);
        self.close_unwelcome(now);
        Some(changed)
    }

    /// Tells the time of day, in seconds since 1970: by it tickets expire, and the connections of those that do are
    /// closed. A host with tickets has to be told about once a second; answers whether anything was to be done.
    pub fn tell_time(&mut self, now: Instant, unix_s: u64) -> bool {
        let Access::Tickets(tickets) = &mut self.wide.config.access else { return false };
        let expired = tickets.tell_time(unix_s);
        if expired {
            self.close_unwelcome(now);
        }
        expired
    }

    /// Closes the connections of peers that would not be let in now.
    fn close_unwelcome(&mut self, now: Instant) {
        let refused = |id: ConnectionId| {
            let connection = self.connections.get(id)?;
            let shown = connection.shown.as_ref()?;
            let refusal = self.wide.config.access.admits(connection.peer, shown.capability()).err()?;
            Some((id, refusal.reason))
        };
        let refused: Vec<(ConnectionId, PeerText)> = self.connections.ids().filter_map(refused).collect();
        for (id, reason) in refused {
            self.close_for(now, id, codes::UNWELCOME, reason.exact(), CloseCause::Unwelcome);
        }
    }

    /// Closes a connection. What its streams have not delivered is lost: finish them first.
    pub fn close(&mut self, now: Instant, id: ConnectionId, code: u64, reason: &str) {
        self.close_for(now, id, code, reason, CloseCause::Local);
    }

    fn close_for(&mut self, now: Instant, id: ConnectionId, code: u64, reason: &str, cause: CloseCause) {
        let Some(connection) = self.connections.get(id) else { return };
        // Who has not been answered yet is not left waiting.
        let offers: Vec<ChannelKey> =
            connection.attachments.iter().filter(|it| it.is_offered()).map(|it| it.key).collect();
        for key in offers {
            if let Some(offered) = self.take_offer(id, key) {
                self.turn_down(offered, reason);
            }
        }
        let Some(connection) = self.connections.get_mut(id) else { return };
        connection.close(now, code, reason, cause, &mut self.wide);
        self.wake(id);
    }

    /// Closes every connection and accepts no more.
    pub fn close_all(&mut self, now: Instant, code: u64, reason: &str) {
        self.closing = true;
        let ids: Vec<ConnectionId> = self.connections.ids().collect();
        for id in ids {
            self.close(now, id, code, reason);
        }
    }

    /// Whether there is no connection, not even one that lingers after its close.
    pub fn is_empty(&self) -> bool {
        self.connections.len() == 0
    }

    /// The peer of a connection.
    pub fn peer(&self, id: ConnectionId) -> Option<Eid> {
        self.connections.get(id).map(|connection| connection.peer)
    }

    /// Where the peer is now.
    pub fn remote_address(&self, id: ConnectionId) -> Option<SocketAddr> {
        Some(self.connections.get(id)?.best()?.link()?.section.path().remote)
    }

    /// Where the peer has shown that it receives without helpers between, if it has: that may be told to others.
    pub fn proven_address(&self, id: ConnectionId) -> Option<SocketAddr> {
        let connection = self.connections.get(id)?;
        let all = connection.best().into_iter().chain(&connection.attachments);
        all.filter(|it| !it.is_helped()).find_map(|it| it.link()?.section.proven_remote())
    }

    /// A connection's figures, those of its best channel, while it has one.
    pub fn stats(&self, id: ConnectionId) -> Option<ConnectionStats> {
        self.connections.get(id)?.best()?.link().map(|link| link.stats(&self.wide.flows))
    }

    /// Every connection, also those that are only just beginning or ending.
    pub fn connections(&self) -> impl Iterator<Item = ConnectionId> + '_ {
        self.connections.ids()
    }

    /// Connections whose peer has shown that it receives at its address.
    pub fn confirmed(&self) -> usize {
        self.connections.ids().filter(|id| self.connections.get(*id).is_some_and(Connection::is_confirmed)).count()
    }

    /// Half-open entries held.
    pub fn half_open(&self) -> usize {
        self.half_open.len()
    }

    /// Exchanges that this host has made with those who connect to it, whatever came of them.
    pub fn exchanges(&self) -> u64 {
        self.exchanges.made()
    }

    /// A connection has ended, and leaves its place to others. Who comes and goes is not to fill this host's memory
    /// with what is remembered of it.
    fn note_ended(&mut self, id: ConnectionId) {
        self.residents.remove(id);
        self.ended.push_back(id);
        let most = self.part_of(ENDED_MAX);
        while let Some(oldest) = self.ended.front().copied()
            && (self.ended.len() > most || self.connections.get(oldest).is_none())
        {
            self.ended.pop_front();
            if let Some(connection) = self.connections.get_mut(oldest) {
                connection.forget_channels(&mut self.wide);
                self.wake(oldest);
            }
        }
    }

    /// The next note of what the channels did, if [`Watch::notes`](crate::Watch::notes) asks for them. Those of one
    /// channel come in their order; call it until there are none whenever [`poll_output`](Machine::poll_output) has
    /// nothing more.
    pub fn poll_note(&mut self) -> Option<HostNote> {
        self.notes.pop_front()
    }

    /// The next line for a key log (docs/wire.md section 2.5), if [`Watch::secrets`](crate::Watch::secrets) asks for
    /// them: one for each channel, as soon as it is there. Anybody who has it reads everything.
    pub fn poll_key_line(&mut self) -> Option<String> {
        self.wide.key_lines.pop_front()
    }

    fn gather_notes(&mut self, connection: ConnectionId) {
        let Some(held) = self.connections.get_mut(connection) else { return };
        for attachment in &mut held.attachments {
            let path = PathId(attachment.key.0);
            let Some(channel) = attachment.channel_mut() else { continue };
            while self.notes.len() < NOTES_MAX
                && let Some(note) = channel.poll_note()
            {
                self.notes.push_back(HostNote { connection, path, note });
            }
        }
    }

    fn take_key(&mut self) -> ChannelKey {
        self.next_key += 1;
        ChannelKey(self.next_key)
    }

    /// Something that concerns all connections.
    fn tell_each(&mut self, mut tell: impl FnMut(&mut Connection, &mut HostWide)) {
        let ids: Vec<ConnectionId> = self.connections.ids().collect();
        for id in ids {
            if let Some(connection) = self.connections.get_mut(id) {
                tell(connection, &mut self.wide);
            }
            self.wake(id);
        }
    }

    fn wake(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(id) {
            self.schedule.wake(id, &mut connection.place);
        }
    }

    /// The next answer to somebody without a connection.
    fn poll_answer(&mut self, buf: &mut [u8]) -> Option<Output<HostEvent>> {
        while let Some((origin, answer)) = self.answers.pop_front() {
            let message = match answer {
                Answer::Ready(message) => Some(message),
                Answer::Refusal(refused) => match self.wide.secrets.for_exchange() {
                    Some(mut rng) => refused.seal(&mut rng),
                    None if self.wide.secrets.poll_need() => {
                        self.answers.push_front((origin, Answer::Refusal(refused)));
                        return Some(Output::NeedsEntropy);
                    }
                    // Who is not told asks again.
                    None => None,
                },
            };
            if let Some(message) = message {
                let len = message.len();
                buf[..len].copy_from_slice(&message);
                // From the address that was asked: answers from elsewhere are not taken.
                let (Origin { remote, local, .. }, ecn) = (origin, Ecn::NotEct);
                return Some(Output::Transmit(Transmit { remote, local, ecn, len, segment_size: len }));
            }
        }
        None
    }

    /// Everything that the connection at the front of the round has to say now.
    fn poll_front(&mut self, now: Instant, id: ConnectionId, buf: &mut [u8]) -> Option<Output<HostEvent>> {
        let Some(connection) = self.connections.get_mut(id) else {
            self.schedule.drop_front();
            return None;
        };
        if connection.has_ended()
            && let Some(session) = connection.session.as_mut().filter(|session| session.noted)
        {
            // While it lingers nobody can ask for a channel any more.
            session.noted = false;
            let (peer, session) = (connection.peer, session.id);
            self.forget_session(peer, session);
        }
        let connection = self.connections.get_mut(id)?;
        if let Some(kind) = connection.poll_event() {
            return Some(Output::Event(HostEvent { connection: id, kind }));
        }
        let accepted = |it: &Attachment| matches!(&it.state, State::Offered(offered) if offered.accepted);
        let mut answered = false;
        while let Some(channel) = connection.attachments.iter().find(|it| accepted(it)).map(|it| it.key) {
            let Some(mut rng) = self.wide.secrets.for_exchange() else { break };
            answered = true;
            let owner = Owner { connection: id, channel };
            let local_id = self.wide.take_id(owner);
            let responded = assemble::respond(now, (owner, local_id), connection, &mut rng, &mut self.wide);
            if let Err((origin, refusal)) = responded {
                self.answers.push_back((origin, Answer::Ready(refusal)));
            }
            if connection.attachment(channel).is_none_or(|attachment| attachment.is_ended()) {
                self.wide.demux.remove_id(local_id);
            }
        }
        if answered {
            self.note_session(id);
        }
        let connection = self.connections.get_mut(id)?;
        if connection.wants_channel(now) {
            connection.reach.handle_attempt(now);
            if connection.reach.is_only_reached() && !self.punches.is_underway(now, connection.peer) {
                connection.push_event(EventKind::WantsIntroduction);
            }
            let wanted = Wanted { purpose: Purpose::Replaces, way: connection.way_back(now), local: None };
            let target = connection.target_for(wanted.way);
            self.dial_again(now, id, target, wanted);
        } else if let Some(wanted) = connection.wants_beside(now) {
            let (target, opens) = (connection.target_for(wanted.way), connection.opens(&wanted));
            let begun = self.dial_again(now, id, target, wanted).is_some();
            if opens && !begun {
                self.connections.get_mut(id)?.note_not_opened(now, self.wide.sightings.mapping());
            }
        }
        let connection = self.connections.get_mut(id)?;
        let identity = &self.identity;
        let transmit = connection.poll_transmit(now, buf, identity, &mut self.wide);
        if let Some(transmit) = transmit {
            self.schedule.rotate();
            return Some(Output::Transmit(transmit));
        }
        // Where there is none, what waits for it rests until there is. Nobody waits for what was not asked for yet.
        if self.wide.secrets.poll_need() {
            return Some(Output::NeedsEntropy);
        }
        connection.tell_waits(now);
        // Sending may have brought about events: of a failed attempt, or of streams.
        if let Some(kind) = connection.poll_event() {
            return Some(Output::Event(HostEvent { connection: id, kind }));
        }
        for known_as in connection.reap() {
            self.half_open.remove(&known_as);
        }
        if let Some(kind) = connection.untold_end() {
            return Some(Output::Event(HostEvent { connection: id, kind }));
        }
        if connection.has_ended() && !core::mem::replace(&mut connection.left, true) {
            self.note_ended(id);
        }
        let connection = self.connections.get_mut(id)?;
        self.detached.note(id, connection);
        connection.note_progress(now);
        self.handed_out.take_if(|lent| *lent == id);
        connection.settle(&mut self.budget);
        // Asked last, it finds what went wrong in these calls, too.
        let deadline = connection.poll_timeout(now, &self.wide);
        self.schedule.park(id, &mut connection.place, deadline);
        if connection.is_over() {
            self.schedule.remove(id, connection.place);
            if let Some(connection) = self.connections.remove(id) {
                if let Some(session) = connection.session.as_ref().filter(|session| session.noted) {
                    self.forget_session(connection.peer, session.id);
                }
                self.budget.leave(connection.peer, connection.charge);
            }
        }
        self.give_up_beyond_cap(now);
        self.relieve(now);
        None
    }
}

/// The channel of a peer that waits for the application's answer.
fn waiting(connection: &Connection) -> Option<ChannelKey> {
    let waits = |it: &&Attachment| matches!(&it.state, State::Offered(offered) if !offered.accepted);
    connection.attachments.iter().find(waits).map(|attachment| attachment.key)
}

impl Machine for Host {
    type Event = HostEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(datagram) => self.handle_datagrams(now, datagram),
            Input::LinkLoss(loss) => {
                if let Some(owner) = self.wide.demux.owner_of(&loss.header)
                    && let Some(connection) = self.connections.get_mut(owner.connection)
                    && connection.handle_link_loss(now, owner.channel, &loss.header)
                {
                    self.wake(owner.connection);
                }
            }
            Input::Unreachable(told) => self.handle_unreachable(now, &told),
            Input::PathChange(PathChange::Carrier { remote, news }) => self.handle_carrier(now, remote, news),
            Input::PathChange(PathChange::LocalAddress { old, new }) => {
                self.tell_each(|connection, wide| connection.handle_local_move(now, old, new, wide));
            }
            Input::PathChange(PathChange::FurtherAddress(new)) => {
                self.tell_each(|connection, wide| connection.handle_further_address(now, new, wide));
            }
            Input::Entropy(entropy) => {
                let missed = self.wide.secrets.handle_entropy(entropy);
                self.wide.rng = self.wide.secrets.visible();
                let ids: Vec<ConnectionId> = if missed { self.connections.ids().collect() } else { Vec::new() };
                for id in ids {
                    self.wake(id);
                }
            }
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        if self.siblings.relief.again_at.take_if(|at| *at <= now).is_some() {
            self.relieve(now);
        }
        while let Some(id) = self.schedule.pop_due(now) {
            if let Some(connection) = self.connections.get_mut(id) {
                connection.place.handle_due();
                connection.handle_timeout(now, &mut self.wide);
                self.schedule.wake(id, &mut connection.place);
            }
        }
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<HostEvent> {
        loop {
            while let Some(owner) = self.wide.flows.pop_called() {
                self.wake(owner.connection);
            }
            if let Some(output) = self.poll_answer(buf).or_else(|| self.poll_punch(now, buf)) {
                return output;
            }
            let Some(id) = self.schedule.front() else {
                let punch = self.punches.poll_timeout();
                let deadlines = [self.schedule.next_deadline(), self.siblings.relief.again_at, punch];
                return Output::Timeout(deadlines.into_iter().flatten().min());
            };
            let output = self.poll_front(now, id, buf);
            if self.wide.config.watch.notes {
                self.gather_notes(id);
            }
            if let Some(output) = output {
                return output;
            }
        }
    }
}
