//! The host: every connection of one identity, as one machine.

use core::net::{IpAddr, Ipv6Addr, SocketAddr};
use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tng_base::{
    ChannelId, ChannelKey, Datagram, Ecn, Eid, Input, Instant, Machine, Output, PathChange, Rng, SessionId, Transmit,
};
use tng_crypto::Secret32;
use tng_endpoint::{AnswerBudget, COOKIES_BURST, COOKIES_PER_S, Demux, Mode};
use tng_isolation::wire::{Attach, CookieAnswer, Unserved, VersionAnswer};
use tng_isolation::{CookieJar, Hello, Identity, Offer, Refusal, RefusalCode, ResetKey, VERSIONS, wrong_key};
use tng_semantic::structured::{self, Role, ServiceOptions, Services, StreamId, Streams};
use tng_wire::{Repr, Writer};

use crate::admission;
use crate::assemble;
use crate::attachment::{Attachment, HalfOpen, Offered, State};
use crate::connection::Connection;
use crate::dial::Dial;
use crate::kept::Kept;
use crate::link::{Arrival, Link, Origin, Owner, Surroundings};
use crate::reach::Reach;
use crate::schedule::Schedule;
use crate::table::Table;
use crate::{
    Access, AttachError, CloseCause, ConnectError, ConnectionId, ConnectionStats, HostConfig, HostEvent, PathId,
    PathStats, Target, Usid,
};

/// Stateless answers waiting for the driver at most; a flood beyond it goes unanswered.
pub const ANSWERS_WAITING_MAX: usize = 64;

/// Every connection of one identity, as one machine.
///
/// A host is a plain value: its driver gives it the time, datagrams and a seed, and gets datagrams and events.
#[derive(Debug)]
pub struct Host {
    identity: Identity,
    wires: Wires,
    services: Arc<Services>,
    connections: Table<Connection>,
    schedule: Schedule,
    /// So that a repeated INIT finds its entry.
    half_open: BTreeMap<HalfOpen, Owner>,
    /// Connections by what their peers may ask further channels for.
    sessions: BTreeMap<(Eid, SessionId), ConnectionId>,
    /// What connections without a channel hold, in bytes.
    kept: Kept,
    secret_rng: Rng,
    cookies: CookieJar,
    answers: VecDeque<(SocketAddr, Vec<u8>)>,
    answer_budget: AnswerBudget,
    cookie_budget: AnswerBudget,
    next_key: u64,
    closing: bool,
}

/// What every connection needs of its host.
#[derive(Debug)]
struct Wires {
    config: HostConfig,
    demux: Demux<Owner>,
    rng: Rng,
    reset_key: ResetKey,
}

impl Wires {
    fn with<T>(&mut self, owner: Owner, f: impl FnOnce(&mut Surroundings<'_>) -> T) -> T {
        let reset_key = &self.reset_key;
        f(&mut Surroundings {
            owner,
            config: &self.config,
            demux: &mut self.demux,
            rng: &mut self.rng,
            reset_token: &|id| *reset_key.token(id).as_bytes(),
        })
    }

    /// An id that no channel of ours has, given to `owner`.
    fn take_id(&mut self, owner: Owner) -> ChannelId {
        loop {
            let id = ChannelId::from_u64(self.rng.u64());
            if self.demux.add_id(id, owner) {
                return id;
            }
        }
    }
}

impl Host {
    /// A host with this identity. `seed` must be secret and never used twice.
    pub fn new(config: HostConfig, identity: Identity, seed: [u8; 32]) -> Host {
        let mut secret_rng = Rng::from_seed(seed);
        let rng = secret_rng.fork();
        let cookies = CookieJar::new(secret_rng.fork());
        // The tokens of a listening host outlive its restart. One that only connects may share its identity with one that
        // listens, which would tell anybody its tokens.
        let reset_key = match config.access {
            Access::Nobody => ResetKey::new(Secret32::from_bytes(secret_rng.bytes())),
            _ => identity.reset_key(),
        };
        Host {
            identity,
            wires: Wires { config, demux: Demux::new(), rng, reset_key },
            services: Arc::default(),
            connections: Table::new(),
            schedule: Schedule::default(),
            half_open: BTreeMap::new(),
            sessions: BTreeMap::new(),
            kept: Kept::default(),
            secret_rng,
            cookies,
            answers: VecDeque::new(),
            answer_budget: AnswerBudget::default(),
            cookie_budget: AnswerBudget::new(COOKIES_PER_S, COOKIES_BURST),
            next_key: 0,
            closing: false,
        }
    }

    /// This host's identity.
    pub fn eid(&self) -> Eid {
        self.identity.eid()
    }

    /// The settings.
    pub fn config(&self) -> &HostConfig {
        &self.wires.config
    }

    /// Declares a service to the peers of connections made from now on.
    pub fn listen(&mut self, service: &str, protocol: &str, options: ServiceOptions) {
        Arc::make_mut(&mut self.services).listen(service, protocol, options);
    }

    /// Begins to connect. The INIT leaves at the next [`poll_output`](Machine::poll_output), with as much of what was
    /// opened and written on the connection's streams by then as fits.
    ///
    /// # Errors
    /// [`ConnectError::NoAddress`], or [`ConnectError::Closing`]. All else comes as an event.
    pub fn connect(&mut self, now: Instant, target: Target) -> Result<ConnectionId, ConnectError> {
        if self.closing {
            return Err(ConnectError::Closing);
        }
        if target.addresses.is_empty() {
            return Err(ConnectError::NoAddress);
        }
        let peer = target.eid;
        let of_peer = self.connections_with(peer);
        let streams = assemble::streams(Role::Initiator, &self.wires.config, of_peer, &self.services);
        let channel = self.take_key();
        let (wires, reach) = (&mut self.wires, Reach::new(target.clone()));
        let id = self.connections.insert_with(|connection| {
            let local_id = wires.take_id(Owner { connection, channel });
            let dial = Dial::new(now, (target, None), local_id, &wires.config);
            let first = Attachment::new(channel, State::Dialing(Box::new(dial)), None);
            Connection::new(peer, streams, first, reach, &wires.config).asked_for()
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
        let Some(Offered { offer, origin, .. }) = self.take_waiting(id) else { return };
        let reason = reason[..reason.floor_char_boundary(255)].to_owned();
        let refusal = Refusal { code: RefusalCode::RefusedByApplication, reason };
        self.answers.extend(offer.refuse(refusal).ok().map(|answer| (origin.remote, answer)));
    }

    /// Makes the peer of an [`Incoming`](crate::EventKind::Incoming) show that it receives at its address: it gets a cookie and
    /// is forgotten; if it comes back with it, another `Incoming` says `validated`.
    pub fn retry(&mut self, now: Instant, id: ConnectionId) {
        let Some(Offered { offer, origin, .. }) = self.take_waiting(id) else { return };
        let initiator_id = offer.opening().channel;
        let cookie = self.cookies.issue(now, origin.remote, initiator_id);
        let answer = emitted(&CookieAnswer { initiator_id, cookie });
        self.answers.extend(answer.map(|answer| (origin.remote, answer)));
    }

    /// Takes the offer of a peer that the application has not answered yet; nobody will be told of its end.
    fn take_waiting(&mut self, id: ConnectionId) -> Option<Offered> {
        let connection = self.connections.get_mut(id)?;
        let key = waiting(connection)?;
        connection.turn_away();
        let attachment = connection.attachment(key)?;
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

    /// The streams of a connection. The driver must poll afterwards.
    pub fn streams(&mut self, id: ConnectionId) -> Option<&mut Streams> {
        let connection = self.connections.get_mut(id)?;
        self.schedule.wake(id, &mut connection.place);
        Some(&mut connection.streams)
    }

    /// The streams of a connection, to look at.
    pub fn peek_streams(&self, id: ConnectionId) -> Option<&Streams> {
        self.connections.get(id).map(|connection| &connection.streams)
    }

    /// The streams of a connection that has ended: what has arrived can still be read from them, long after the host has
    /// forgotten the connection. Call it when the event comes that tells the end; the host then has none for it.
    pub fn take_streams(&mut self, id: ConnectionId) -> Option<Streams> {
        let connection = self.connections.get_mut(id)?;
        let none = Streams::new(Role::Responder, structured::Config::default(), Services::new());
        Some(core::mem::replace(&mut connection.streams, none))
    }

    /// Closes a connection. What its streams have not delivered is lost: finish them first.
    pub fn close(&mut self, now: Instant, id: ConnectionId, code: u64, reason: &str) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        self.wires.with(nowhere(id), |around| connection.close(now, code, reason, CloseCause::Local, around));
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
        Some(self.connections.get(id)?.best()?.link()?.path().remote)
    }

    /// A connection's figures, those of its best channel, while it has one.
    pub fn stats(&self, id: ConnectionId) -> Option<ConnectionStats> {
        self.connections.get(id)?.best()?.link().map(link_stats)
    }

    /// A connection's channels that are up.
    pub fn paths(&self, id: ConnectionId) -> Vec<PathStats> {
        let attachments = self.connections.get(id).map_or(&[][..], |connection| &connection.attachments);
        let up = attachments.iter().filter_map(|attachment| {
            let link = attachment.link()?;
            let (path, remote, local) = (PathId(attachment.key.0), link.path().remote, link.path().local);
            Some(PathStats { path, remote, local, stats: link_stats(link) })
        });
        up.collect()
    }

    /// Asks the peer for a further channel, at `addresses` (where it was last, and where it was looked for first, if there are
    /// none), from `local` if that is given. Both ends' streams then use both: a stream is balanced over several paths, each
    /// with a controller of its own (SST 4.3.1). [`PathAdded`](crate::EventKind::PathAdded) or
    /// [`AttachFailed`](crate::EventKind::AttachFailed) follows.
    ///
    /// # Errors
    /// See [`AttachError`].
    pub fn attach(
        &mut self,
        now: Instant,
        id: ConnectionId,
        local: Option<IpAddr>,
        addresses: &[SocketAddr],
    ) -> Result<PathId, AttachError> {
        let connection = self.connections.get(id).ok_or(AttachError::NotConnected)?;
        let mut target = connection.reach.target();
        if !addresses.is_empty() {
            target.addresses = addresses.to_vec();
        }
        if target.addresses.is_empty() {
            return Err(AttachError::NoAddress);
        }
        if !connection.is_settled() {
            return Err(AttachError::NotConnected);
        }
        self.dial_again(now, id, target, local, false).ok_or(AttachError::TooMany)
    }

    /// Gives up one of a connection's channels, or, without `path`, all of them, and tells the peer. The streams are kept, as
    /// for a peer that cannot be reached; either end asks for a channel again when it has something to say.
    pub fn detach(&mut self, now: Instant, id: ConnectionId, path: Option<PathId>) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        let only = path.map(|path| ChannelKey(path.0));
        self.wires.with(nowhere(id), |around| connection.detach(now, only, around));
        self.wake(id);
    }

    /// The peer may be found at these addresses from now on. If no channel works it is looked for there at once.
    pub fn reach(&mut self, now: Instant, id: ConnectionId, addresses: Vec<SocketAddr>) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        connection.look_at(now, addresses);
        self.wake(id);
    }

    /// How long a connection may be without a channel before it is given up; `None` is for ever. For this end only.
    pub fn set_keep(&mut self, id: ConnectionId, time: Option<Duration>) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        (connection.keep, connection.kept_by_choice) = (time, true);
        self.wake(id);
    }

    /// A stream's permanent name, once the connection is there.
    pub fn usid(&self, id: ConnectionId, stream: StreamId) -> Option<Usid> {
        let session = self.connections.get(id)?.session.as_ref()?.id;
        Some(Usid { session, stream })
    }

    /// The connection and stream that `peer` and this host know by a permanent name.
    pub fn find(&self, peer: Eid, usid: Usid) -> Option<(ConnectionId, StreamId)> {
        self.sessions.get(&(peer, usid.session)).map(|id| (*id, usid.stream))
    }

    /// Keying material that both ends of a connection derive and nobody else can (in the manner of RFC 5705), from the exchange
    /// that began it: the same for the connection's whole life. Answers whether it is there.
    pub fn export(&self, id: ConnectionId, label: &[u8], context: &[u8], out: &mut [u8]) -> bool {
        let session = self.connections.get(id).and_then(|connection| connection.session.as_ref());
        session.is_some_and(|session| session.exporter.fill(label, context, out))
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

    fn take_key(&mut self) -> ChannelKey {
        self.next_key += 1;
        ChannelKey(self.next_key)
    }

    fn wake(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(id) {
            self.schedule.wake(id, &mut connection.place);
        }
    }

    fn answer(&mut self, now: Instant, remote: SocketAddr, message: impl FnOnce(&mut Self) -> Option<Vec<u8>>) {
        if self.answers.len() < ANSWERS_WAITING_MAX
            && self.answer_budget.take(now)
            && let Some(message) = message(self)
        {
            self.answers.push_back((remote, message));
        }
    }

    fn handle_datagrams(&mut self, now: Instant, datagram: Datagram<'_>) {
        let origin = Origin { remote: datagram.remote, local: datagram.local, ecn: datagram.ecn };
        let mut last = None;
        for packet in datagram.payload.chunks_mut(datagram.segment_size.max(1)) {
            let Some(&first) = packet.first() else { continue };
            let owner = match Mode::of(first) {
                Mode::SetUp => self.handle_set_up(now, origin, packet),
                Mode::Channel => self.handle_channel_packet(now, origin, packet),
                Mode::Section | Mode::Trickles | Mode::Carrier => {
                    self.answer(now, origin.remote, |_| emitted(&Unserved { first_byte: first }));
                    None
                }
                Mode::Unassigned => None,
            };
            // Woken once for a batch, so that a batch gets one acknowledgment.
            if let Some(id) = owner.filter(|_| owner != last) {
                self.wake(id);
            }
            last = owner;
        }
    }

    fn handle_channel_packet(&mut self, now: Instant, origin: Origin, packet: &mut [u8]) -> Option<ConnectionId> {
        if let Some(owner) = self.wires.demux.owner_of(packet) {
            let (id, key) = (owner.connection, owner.channel);
            let connection = self.connections.get_mut(id)?;
            let arrival = self.wires.with(owner, |around| connection.handle_packet(now, key, origin, packet, around));
            if let Some(attachment) = connection.attachment(key)
                && !attachment.is_half_open()
                && let Some(known_as) = attachment.half_open_as.take()
            {
                self.half_open.remove(&known_as);
            }
            if arrival == Arrival::Authentic {
                return Some(id);
            }
            self.wake(id);
        }
        // A stateless reset looks like a packet of any channel.
        if let Some(owner) = self.wires.demux.reset_owner(packet) {
            if let Some(connection) = self.connections.get_mut(owner.connection) {
                self.wires.with(owner, |around| connection.handle_reset(now, owner.channel, around));
                self.wake(owner.connection);
            }
        } else if self.wires.demux.owner_of(packet).is_none()
            && let Some(id) = Demux::<Owner>::id_in(packet)
        {
            let answered = packet.len();
            self.answer(now, origin.remote, |host| host.wires.reset_key.write(id, answered, &mut host.wires.rng));
        }
        None
    }

    fn handle_set_up(&mut self, now: Instant, origin: Origin, packet: &[u8]) -> Option<ConnectionId> {
        match packet.first()? {
            0x01 => self.handle_init(now, origin, packet),
            0x02..=0x05 => self.handle_set_up_answer(now, origin, packet),
            _ => None,
        }
    }

    /// An answer to an INIT of ours: a REPLY or one of the small ones.
    fn handle_set_up_answer(&mut self, now: Instant, origin: Origin, packet: &[u8]) -> Option<ConnectionId> {
        let owner = self.wires.demux.owner_of(packet)?;
        let id = owner.connection;
        let connection = self.connections.get_mut(id)?;
        let State::Dialing(dial) = &mut connection.attachment(owner.channel)?.state else { return None };
        let outcome = match packet.first()? {
            0x02 => dial.handle_reply(origin, packet)?,
            0x03 => {
                dial.handle_cookie(now, origin.remote, packet);
                self.wake(id);
                return None;
            }
            0x04 => {
                dial.handle_version(packet);
                return None;
            }
            _ => {
                dial.handle_wrong_key(now, packet);
                self.wake(id);
                return None;
            }
        };
        match outcome {
            Ok(dialed) => {
                let rng = self.secret_rng.fork();
                self.wires.with(owner, |around| assemble::dialed(now, connection, dialed, rng, around));
                self.note_session(id);
            }
            Err(error) => {
                self.wires.with(owner, |around| connection.handle_dial_failed(now, owner.channel, error, around))
            }
        }
        self.wake(id);
        Some(id)
    }

    fn connections_with(&self, peer: Eid) -> usize {
        self.sessions.range((peer, SessionId::MIN)..=(peer, SessionId::MAX)).count()
    }

    /// From now on the peer may ask for further channels.
    fn note_session(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get(id)
            && let Some(session) = &connection.session
        {
            self.sessions.insert((connection.peer, session.id), id);
        }
    }

    /// A stranger wants to connect: the checks that cost little come first (ARCHITECTURE section 4).
    fn handle_init(&mut self, now: Instant, origin: Origin, packet: &[u8]) -> Option<ConnectionId> {
        let hello = Hello::parse(packet).ok()?;
        let initiator_id = hello.initiator_id();
        if !VERSIONS.contains(&hello.version()) {
            self.answer(now, origin.remote, |_| emitted(&VersionAnswer { initiator_id, versions: VERSIONS.to_vec() }));
            return None;
        }
        let known_as = (origin.remote, hello.ephemeral());
        if let Some(&owner) = self.half_open.get(&known_as) {
            let connection = self.connections.get_mut(owner.connection)?;
            connection.attachment(owner.channel)?.handle_repeated_init(packet.len());
            self.wake(owner.connection);
            return None;
        }
        if !hello.is_for(&self.identity) {
            if self.wires.config.answers_wrong_key && !matches!(self.wires.config.access, Access::Nobody) {
                self.answer(now, origin.remote, |host| emitted(&wrong_key(&host.identity, &hello)));
            }
            return None;
        }
        // Nobody but a peer that has streams here.
        if self.closing || matches!(self.wires.config.access, Access::Nobody) && self.sessions.is_empty() {
            return None;
        }
        let shown = hello.cookie();
        let validated = shown.is_some_and(|cookie| self.cookies.verify(now, origin.remote, initiator_id, cookie));
        if self.half_open.len() >= self.wires.config.cookie_above {
            if !validated {
                if self.answers.len() < ANSWERS_WAITING_MAX && self.cookie_budget.take(now) {
                    let cookie = self.cookies.issue(now, origin.remote, initiator_id);
                    let answer = emitted(&CookieAnswer { initiator_id, cookie });
                    self.answers.extend(answer.map(|answer| (origin.remote, answer)));
                }
                return None;
            }
            // The address is real now, so its owner can be held to a share.
            if self.half_open.len() >= self.wires.config.half_open_max
                || self.half_open_from(origin.remote.ip()) >= self.wires.config.half_open_per_network
            {
                return None;
            }
        }
        let offer = Offer::read(&self.identity, &hello, &mut self.secret_rng).ok()?;
        let until = now + self.wires.config.set_up_timeout;
        let init_len = packet.len();
        let (attach, peer) = (offer.opening().attach, offer.peer());
        let offered = Offered { offer, origin, init_len, until, accepted: false, taken: false };
        let owner = match attach {
            Some(attach) => self.handle_attach_offer(now, peer, offered, attach)?,
            None => self.handle_first_offer(now, peer, offered, validated)?,
        };
        self.half_open.insert(known_as, owner);
        let attachment = self.connections.get_mut(owner.connection)?.attachment(owner.channel)?;
        attachment.half_open_as = Some(known_as);
        Some(owner.connection)
    }

    /// A peer asks for a further channel for streams that it says it has here.
    fn handle_attach_offer(&mut self, now: Instant, peer: Eid, offered: Offered, attach: Attach) -> Option<Owner> {
        let remote = offered.origin.remote;
        let Some(&id) = self.sessions.get(&(peer, attach.session)) else {
            if !matches!(self.wires.config.access, Access::Nobody) {
                let reason = "this host does not know the session, or no longer";
                let refusal = Refusal { code: RefusalCode::UnknownSession, reason: reason.into() };
                self.answer(now, remote, |_| offered.offer.refuse(refusal).ok());
            }
            return None;
        };
        let channel = self.take_key();
        let connection = self.connections.get_mut(id)?;
        if offered.offer.opening().protocol != assemble::PROTOCOL || !connection.admits(&attach) {
            return None;
        }
        connection.attachments.push(Attachment::new(channel, State::Offered(Box::new(offered)), Some(attach)));
        assemble::admit(now, connection, channel);
        self.wake(id);
        Some(Owner { connection: id, channel })
    }

    /// A peer begins a session.
    fn handle_first_offer(&mut self, now: Instant, peer: Eid, offered: Offered, validated: bool) -> Option<Owner> {
        let remote = offered.origin.remote;
        let of_peer = self.connections_with(peer);
        if let Err(refusal) = admission::judge(&self.wires.config, &offered.offer, self.connections.len(), of_peer) {
            self.answer(now, remote, |_| offered.offer.refuse(refusal).ok());
            return None;
        }
        let channel = self.take_key();
        let config = &self.wires.config;
        let streams = assemble::streams(Role::Responder, config, of_peer, &self.services);
        let reach = Reach::new(Target { eid: peer, addresses: Vec::new(), capability: None });
        let first = Attachment::new(channel, State::Offered(Box::new(offered)), None);
        let (accepted, connection) = (config.auto_accept, Connection::new(peer, streams, first, reach, config));
        let id = self.connections.insert_with(|_| connection);
        if let Some(connection) = self.connections.get_mut(id) {
            match accepted {
                true => assemble::admit(now, connection, channel),
                false => connection.tell_incoming(remote, validated),
            }
        }
        self.wake(id);
        Some(Owner { connection: id, channel })
    }

    /// Sends an INIT for a further channel.
    fn dial_again(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        target: Target,
        local: Option<IpAddr>,
        replaces: bool,
    ) -> Option<PathId> {
        let channel = self.take_key();
        let asking = self.connections.get_mut(connection)?;
        let attach = asking.next_attach(replaces)?;
        let local_id = self.wires.take_id(Owner { connection, channel });
        let dial = Dial::new(now, (target, local), local_id, &self.wires.config);
        asking.attachments.push(Attachment::new(channel, State::Dialing(Box::new(dial)), Some(attach)));
        self.wake(connection);
        Some(PathId(channel.0))
    }

    /// Half-open entries of the network that `ip` belongs to: the address itself, or the /64 of an IPv6 address.
    fn half_open_from(&self, ip: IpAddr) -> usize {
        let (low, high) = match ip {
            IpAddr::V4(_) => (ip, ip),
            IpAddr::V6(v6) => {
                let network = v6.to_bits() & !u128::from(u64::MAX);
                let ends = [network, network | u128::from(u64::MAX)].map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits)));
                (ends[0], ends[1])
            }
        };
        let first = (SocketAddr::new(low, 0), [0; 32]);
        let last = (SocketAddr::new(high, u16::MAX), [0xff; 32]);
        self.half_open.range(first..=last).count()
    }

    /// Everything that the connection at the front of the round has to say now.
    fn poll_front(&mut self, now: Instant, id: ConnectionId, buf: &mut [u8]) -> Option<Output<HostEvent>> {
        let Some(connection) = self.connections.get_mut(id) else {
            self.schedule.drop_front();
            return None;
        };
        if let Some(kind) = connection.poll_event() {
            return Some(Output::Event(HostEvent { connection: id, kind }));
        }
        let accepted = |it: &Attachment| matches!(&it.state, State::Offered(offered) if offered.accepted);
        if let Some(channel) = connection.attachments.iter().find(|it| accepted(it)).map(|it| it.key) {
            let owner = Owner { connection: id, channel };
            let local_id = self.wires.take_id(owner);
            let rng = &mut self.secret_rng;
            let responded = self.wires.with(owner, |around| assemble::respond(now, connection, local_id, rng, around));
            if let Err((remote, refusal)) = responded {
                self.answers.push_back((remote, refusal));
            }
            if connection.attachment(channel).is_none_or(|attachment| attachment.is_ended()) {
                self.wires.demux.remove_id(local_id);
            }
            self.note_session(id);
        }
        let connection = self.connections.get_mut(id)?;
        if connection.wants_channel(now) {
            connection.reach.handle_attempt(now);
            let target = connection.reach.target();
            self.dial_again(now, id, target, None, true);
        }
        let connection = self.connections.get_mut(id)?;
        let identity = &self.identity;
        let transmit = self.wires.with(nowhere(id), |around| connection.poll_transmit(now, buf, identity, around));
        if let Some(transmit) = transmit {
            self.schedule.rotate();
            return Some(Output::Transmit(transmit));
        }
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
        let deadline = connection.poll_timeout(now, &self.wires.config);
        self.schedule.rest(id, &mut connection.place, deadline);
        self.kept.note(id, connection);
        if connection.is_over() {
            self.schedule.remove(id, connection.place);
            if let Some(session) = &connection.session {
                self.sessions.remove(&(connection.peer, session.id));
            }
            self.connections.remove(id);
        }
        self.give_up_beyond_cap(now);
        None
    }

    /// Keeps what unreachable peers cost within its bound.
    fn give_up_beyond_cap(&mut self, now: Instant) {
        while self.kept.bytes() > self.wires.config.keep.bytes_max {
            let allowance = self.wires.config.keep.bytes_per_peer;
            let Some(id) = self.kept.forget_worst(allowance, &self.connections) else { return };
            if let Some(connection) = self.connections.get_mut(id) {
                self.wires.with(nowhere(id), |around| connection.give_up(now, around));
                self.wake(id);
            }
        }
    }
}

/// The channel of a peer that waits for the application's answer.
fn waiting(connection: &Connection) -> Option<ChannelKey> {
    let waits = |it: &&Attachment| matches!(&it.state, State::Offered(offered) if !offered.accepted);
    connection.attachments.iter().find(waits).map(|attachment| attachment.key)
}

/// A connection, before it is known on which of its channels something happens.
const fn nowhere(connection: ConnectionId) -> Owner {
    Owner { connection, channel: ChannelKey(0) }
}

fn link_stats(link: &Link) -> ConnectionStats {
    ConnectionStats {
        channel: link.channel.stats(),
        regulation: link.flow().regulation().stats(),
        condition: link.channel.condition(),
        payload_max: link.mtu(),
        cipher: link.cipher(),
    }
}

impl Machine for Host {
    type Event = HostEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(datagram) => self.handle_datagrams(now, datagram),
            // Sections listen to their links; an end-to-end channel has no link of its own.
            Input::LinkLoss(_) => {}
            Input::PathChange(PathChange::LocalAddress { old, new }) => {
                let ids: Vec<ConnectionId> = self.connections.ids().collect();
                for id in ids {
                    if let Some(connection) = self.connections.get_mut(id) {
                        self.wires.with(nowhere(id), |around| connection.handle_local_move(now, old, new, around));
                    }
                    self.wake(id);
                }
            }
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        while let Some(id) = self.schedule.pop_due(now) {
            if let Some(connection) = self.connections.get_mut(id) {
                connection.place.handle_due();
                self.wires.with(nowhere(id), |around| connection.handle_timeout(now, around));
                self.schedule.wake(id, &mut connection.place);
            }
        }
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<HostEvent> {
        if let Some((remote, message)) = self.answers.pop_front() {
            let len = message.len();
            buf[..len].copy_from_slice(&message);
            return Output::Transmit(Transmit { remote, local: None, ecn: Ecn::NotEct, len, segment_size: len });
        }
        while let Some(id) = self.schedule.front() {
            if let Some(output) = self.poll_front(now, id, buf) {
                return output;
            }
        }
        Output::Timeout(self.schedule.next_deadline())
    }
}

fn emitted(message: &impl for<'a> Repr<'a>) -> Option<Vec<u8>> {
    let mut bytes = vec![0; message.wire_len()];
    message.emit(&mut Writer::new(&mut bytes)).ok()?;
    Some(bytes)
}
