//! The host: every connection of one identity, as one machine.

use core::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tng_base::{ChannelId, ChannelKey, Datagram, Ecn, Eid, Input, Instant, Machine, Output, PathChange, Rng, Transmit};
use tng_crypto::Secret32;
use tng_endpoint::{AnswerBudget, COOKIES_BURST, COOKIES_PER_S, Demux, Mode};
use tng_isolation::wire::{CookieAnswer, Unserved, VersionAnswer};
use tng_isolation::{CookieJar, Hello, Identity, Offer, Refusal, RefusalCode, ResetKey, VERSIONS, wrong_key};
use tng_semantic::structured::{self, Role, ServiceOptions, Services, Streams};
use tng_wire::{Repr, Writer};

use crate::admission;
use crate::assemble;
use crate::connection::{Connection, HalfOpen, Offered, State};
use crate::dial::Dial;
use crate::link::{Arrival, Origin, Surroundings};
use crate::schedule::Schedule;
use crate::table::Table;
use crate::{Access, CloseCause, ConnectError, ConnectionId, ConnectionStats, HostConfig, HostEvent, Target};

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
    half_open: BTreeMap<HalfOpen, ConnectionId>,
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
    demux: Demux<ConnectionId>,
    rng: Rng,
    reset_key: ResetKey,
}

impl Wires {
    fn with<T>(&mut self, connection: ConnectionId, f: impl FnOnce(&mut Surroundings<'_>) -> T) -> T {
        let reset_key = &self.reset_key;
        f(&mut Surroundings {
            connection,
            config: &self.config,
            demux: &mut self.demux,
            rng: &mut self.rng,
            reset_token: &|id| *reset_key.token(id).as_bytes(),
        })
    }

    /// An id that no channel of ours has, given to `owner`.
    fn take_id(&mut self, owner: ConnectionId) -> ChannelId {
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
        let key = self.take_key();
        let peer = target.eid;
        let streams = assemble::streams(Role::Initiator, &self.wires.config, &self.services);
        let id = self.connections.insert_with(|_| Connection::new(key, peer, streams, State::Ended));
        let local_id = self.wires.take_id(id);
        let dial = Dial::new(now, target, local_id, &self.wires.config);
        if let Some(connection) = self.connections.get_mut(id) {
            connection.begin_dialing(dial);
        }
        self.wake(id);
        Ok(id)
    }

    /// Accepts the peer of an [`Incoming`](crate::EventKind::Incoming).
    pub fn accept(&mut self, now: Instant, id: ConnectionId) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        if let State::Offered(offered) = &connection.state
            && !offered.accepted
        {
            assemble::admit(now, connection);
            self.wake(id);
        }
    }

    /// Refuses the peer of an [`Incoming`](crate::EventKind::Incoming), with a reason for its user.
    pub fn refuse(&mut self, id: ConnectionId, reason: &str) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        if !matches!(&connection.state, State::Offered(offered) if !offered.accepted) {
            return;
        }
        connection.refused();
        if let State::Offered(offered) = core::mem::replace(&mut connection.state, State::Ended) {
            let Offered { offer, origin, .. } = *offered;
            let reason = reason[..reason.floor_char_boundary(255)].to_owned();
            let refusal = Refusal { code: RefusalCode::RefusedByApplication, reason };
            self.answers.extend(offer.refuse(refusal).ok().map(|answer| (origin.remote, answer)));
        }
        self.wake(id);
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
        self.wires.with(id, |around| connection.close(now, code, reason, CloseCause::Local, around));
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
        Some(self.connections.get(id)?.link()?.path().remote)
    }

    /// A connection's figures, while its channel is up.
    pub fn stats(&self, id: ConnectionId) -> Option<ConnectionStats> {
        let connection = self.connections.get(id)?;
        let link = connection.link()?;
        Some(ConnectionStats {
            channel: link.channel.stats(),
            regulation: link.flow().regulation().stats(),
            condition: link.channel.condition(),
            payload_max: link.mtu(),
        })
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
        if let Some(id) = self.wires.demux.owner_of(packet) {
            let connection = self.connections.get_mut(id)?;
            let arrival = self.wires.with(id, |around| connection.handle_packet(now, origin, packet, around));
            if !connection.is_half_open()
                && let Some(known_as) = connection.half_open_as.take()
            {
                self.half_open.remove(&known_as);
            }
            if arrival == Arrival::Authentic {
                return Some(id);
            }
            self.wake(id);
        }
        // A stateless reset looks like a packet of any channel.
        if let Some(id) = self.wires.demux.reset_owner(packet) {
            if let Some(connection) = self.connections.get_mut(id) {
                connection.handle_reset(now);
                self.wake(id);
            }
        } else if self.wires.demux.owner_of(packet).is_none()
            && let Some(id) = Demux::<ConnectionId>::id_in(packet)
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
        let id = self.wires.demux.owner_of(packet)?;
        let connection = self.connections.get_mut(id)?;
        let State::Dialing(dial) = &mut connection.state else { return None };
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
        let local_id = dial.local_id();
        match outcome {
            Ok(dialed) => {
                let rng = self.secret_rng.fork();
                self.wires.with(id, |around| assemble::dialed(now, connection, dialed, rng, around));
            }
            Err(error) => {
                self.wires.demux.remove_id(local_id);
                connection.fail(error);
            }
        }
        self.wake(id);
        Some(id)
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
        if let Some(&id) = self.half_open.get(&known_as) {
            let connection = self.connections.get_mut(id)?;
            connection.handle_repeated_init(packet.len());
            self.wake(id);
            return None;
        }
        if !hello.is_for(&self.identity) {
            if self.wires.config.answers_wrong_key && !matches!(self.wires.config.access, Access::Nobody) {
                self.answer(now, origin.remote, |host| emitted(&wrong_key(&host.identity, &hello)));
            }
            return None;
        }
        if self.closing || matches!(self.wires.config.access, Access::Nobody) {
            return None;
        }
        if self.half_open.len() >= self.wires.config.cookie_above {
            let shown = hello.cookie();
            if !shown.is_some_and(|cookie| self.cookies.verify(now, origin.remote, initiator_id, cookie)) {
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
        if let Err(refusal) = admission::judge(&self.wires.config, &offer, self.connections.len()) {
            self.answer(now, origin.remote, |_| offer.refuse(refusal).ok());
            return None;
        }
        let id = self.offered(now, origin, packet.len(), offer);
        self.half_open.insert(known_as, id);
        if let Some(connection) = self.connections.get_mut(id) {
            connection.half_open_as = Some(known_as);
        }
        Some(id)
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

    fn offered(&mut self, now: Instant, origin: Origin, init_len: usize, offer: Offer) -> ConnectionId {
        let key = self.take_key();
        let eid = offer.peer();
        let accepted = self.wires.config.auto_accept;
        let streams = assemble::streams(Role::Responder, &self.wires.config, &self.services);
        let until = now + self.wires.config.set_up_timeout;
        let offered = Offered { offer, origin, init_len, until, accepted: false, taken: false };
        let state = State::Offered(Box::new(offered));
        let id = self.connections.insert_with(|_| Connection::new(key, eid, streams, state));
        if let Some(connection) = self.connections.get_mut(id) {
            if accepted {
                assemble::admit(now, connection);
            } else {
                connection.tell_incoming(origin.remote);
            }
        }
        self.wake(id);
        id
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
        if matches!(&connection.state, State::Offered(offered) if offered.accepted) {
            let local_id = self.wires.take_id(id);
            let rng = &mut self.secret_rng;
            let responded = self.wires.with(id, |around| assemble::respond(now, connection, local_id, rng, around));
            if let Err((remote, refusal)) = responded {
                self.answers.push_back((remote, refusal));
            }
            if matches!(connection.state, State::Ended) {
                self.wires.demux.remove_id(local_id);
            }
        }
        let identity = &self.identity;
        let transmit = self.wires.with(id, |around| connection.poll_transmit(now, buf, identity, around));
        if let Some(transmit) = transmit {
            self.schedule.rotate();
            return Some(Output::Transmit(transmit));
        }
        // Sending may have brought about events: of a failed attempt, or of streams.
        if let Some(kind) = connection.poll_event() {
            return Some(Output::Event(HostEvent { connection: id, kind }));
        }
        if let Some(kind) = connection.untold_end() {
            return Some(Output::Event(HostEvent { connection: id, kind }));
        }
        let deadline = connection.poll_timeout(now, &self.wires.config);
        self.schedule.rest(id, &mut connection.place, deadline);
        if connection.is_over() {
            self.schedule.remove(id, connection.place);
            if let Some(known_as) = connection.half_open_as {
                self.half_open.remove(&known_as);
            }
            self.connections.remove(id);
        }
        None
    }
}

impl Machine for Host {
    type Event = HostEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(datagram) => self.handle_datagrams(now, datagram),
            // Sections listen to their links; an end-to-end channel has no link of its own.
            Input::LinkLoss(_) => {}
            Input::PathChange(PathChange::LocalAddress(local)) => {
                let ids: Vec<ConnectionId> = self.connections.ids().collect();
                for id in ids {
                    if let Some(connection) = self.connections.get_mut(id) {
                        self.wires.with(id, |around| connection.handle_local_move(now, local, around));
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
                self.wires.with(id, |around| connection.handle_timeout(now, around));
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
