//! The client that sets up its own connections and holds their keys: a machine on a port.

use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, PathChange, Transmit};
use tng_crypto::{Secret32, SecretSource, TAG_LEN};
use tng_endpoint::Unserved;
use tng_isolation::Identity;
use tng_wire::{Reader, Repr, Writer};

use super::batch::{HeldOver, REQUESTS_PER_BATCH_MAX};
use super::connection::{Beginning, Connection, Context};
use super::keeper::Keeper;
use super::objects::{Capacity, ObjectEvent, Objects};
use super::rtt::RTO_FIRST;
use super::sent::List;
use super::settings::{ClientConfig, ClientError, ClientStats, Event};
use super::{AskError, ObjectId, Options, PING_LEN, Read, Replicas};
use crate::INITIAL_WINDOW;
use crate::set_up::{AddressToken, Call, Dial, DialError, Heard};
use crate::wire::{Armor, DATAGRAM_LEN_MIN};

/// The INIT goes out again after a second, and after twice as long each time, up to so many doublings.
const INIT_DOUBLINGS_MAX: u32 = 3;
/// Datagrams that come before the REPLY they follow, at most.
const EARLY_MAX: usize = 16;

/// What a client does.
#[derive(Debug)]
enum State {
    Dialing(Box<Dialing>),
    Open(Box<Connection>),
    /// It has ended, and has said why.
    Ended,
}

/// A set-up.
#[derive(Debug)]
struct Dialing {
    since: Instant,
    /// None until there is entropy for it.
    dial: Option<Dial>,
    /// What its INIT asks for.
    asked: List,
    tries: u32,
    /// How often nothing came in time.
    vain: usize,
    /// When the INIT went out last, and when it goes again.
    sent: Option<(Instant, Instant)>,
    /// To so many more servers it goes now.
    ahead: usize,
    /// The last bytes of what went to each server: cookies change them.
    seals: BTreeMap<SocketAddr, [u8; TAG_LEN]>,
    /// Whether the server may believe the address.
    has_shown_address: bool,
    early: Vec<Vec<u8>>,
}

impl Dialing {
    fn new(now: Instant) -> Dialing {
        Dialing {
            since: now,
            dial: None,
            asked: List::default(),
            tries: 0,
            vain: 0,
            sent: None,
            ahead: 0,
            seals: BTreeMap::new(),
            has_shown_address: false,
            early: Vec::new(),
        }
    }

    /// The INIT goes out now, and again if nothing comes of it.
    fn note_sent(&mut self, now: Instant) {
        let wait = RTO_FIRST * (1 << self.tries.min(INIT_DOUBLINGS_MAX));
        self.sent = Some((now, now + wait));
        self.tries += 1;
    }
}

/// A client of servers that keep nothing of it. A plain value: docs/machines.md, "Client of Trickles".
#[derive(Debug)]
pub struct Client {
    config: ClientConfig,
    identity: Identity,
    call: Call,
    replicas: Replicas,
    secrets: SecretSource,
    objects: Objects,
    state: State,
    events: VecDeque<Event>,
    /// When something last came from a server.
    heard: Option<Instant>,
    /// Since when no connection that was given up has brought anything but its set-up.
    vain_since: Option<Instant>,
    /// Its own address, as datagrams are sent to it.
    local: Option<IpAddr>,
    /// A datagram that did not fit into the last batch.
    held_over: HeldOver,
    stats: ClientStats,
}

impl Client {
    /// A client of the servers that have the key `call.peer` and are at these addresses. It sets up a connection at
    /// once. `call.first` is not looked at: what is asked for first is what is [asked for](Self::ask) before the first
    /// poll. `seed` is secret, and fresh entropy comes on top of it before anything is made of it.
    pub fn connect(
        config: ClientConfig,
        identity: Identity,
        call: Call,
        replicas: Replicas,
        seed: impl Into<Secret32>,
        now: Instant,
    ) -> Client {
        let config = ClientConfig {
            datagram_len: config.datagram_len.clamp(DATAGRAM_LEN_MIN, crate::wire::DATAGRAM_LEN_MAX),
            ..config
        };
        let call = Call { armor: Armor::of(config.danger_plain), ..call };
        Client {
            objects: Objects::new(config.puzzle_bits_max),
            config,
            identity,
            call,
            replicas,
            secrets: SecretSource::new(seed),
            state: State::Dialing(Box::new(Dialing::new(now))),
            events: VecDeque::new(),
            heard: None,
            vain_since: None,
            local: None,
            held_over: HeldOver::default(),
            stats: ClientStats::default(),
        }
    }

    /// Asks for an object: `bytes` are for the server's application.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn ask(&mut self, bytes: impl Into<Vec<u8>>, options: Options) -> Result<ObjectId, AskError> {
        match self.state {
            State::Ended => Err(AskError::Ended),
            _ => self.objects.ask(bytes.into(), options),
        }
    }

    /// Reads bytes of an object, in order. After [`Read::End`] the object is forgotten.
    pub fn read(&mut self, object: ObjectId, out: &mut [u8]) -> Read {
        self.objects.read(object, out)
    }

    /// Where an object ends, once that is known.
    pub fn end(&self, object: ObjectId) -> Option<u64> {
        self.objects.end(object)
    }

    /// Gives an object up. Nothing more is said of it.
    pub fn cancel(&mut self, object: ObjectId) {
        self.objects.forget(object);
    }

    /// Ends: says so to a server if it can, which only a hint is.
    pub fn close(&mut self) {
        match &mut self.state {
            State::Open(connection) => connection.close(),
            State::Dialing(_) => self.end_with(ClientError::Closed),
            State::Ended => {}
        }
    }

    /// What shows the client's address in the next set-up with these servers, within ten minutes.
    pub fn token(&self) -> Option<AddressToken> {
        self.call.token
    }

    /// What it has done and seen.
    pub fn stats(&self) -> ClientStats {
        let mut stats = ClientStats { bytes: self.objects.came(), ..self.stats };
        if let State::Open(connection) = &self.state {
            connection.fill(&mut stats);
        }
        stats
    }

    fn end_with(&mut self, error: ClientError) {
        self.state = State::Ended;
        self.events.push_back(Event::Ended(error));
    }

    /// Sets up another connection: all that did not come is asked for over that. Where set-ups succeed and nothing else
    /// comes, that has an end.
    fn dial_anew(&mut self, now: Instant) {
        if now.since(*self.vain_since.get_or_insert(now)) >= self.config.silence_max {
            return self.end_with(ClientError::Silence);
        }
        self.objects.begin_anew();
        let stats = self.stats();
        self.stats = stats;
        self.state = State::Dialing(Box::new(Dialing::new(now)));
    }

    fn handle_datagram(&mut self, now: Instant, remote: SocketAddr, bytes: &mut [u8]) {
        match &mut self.state {
            State::Open(_) if bytes.len() == Unserved::LEN => {
                if let Ok(unserved) = Unserved::parse(&mut Reader::new(bytes)) {
                    self.replicas.ponged(remote, unserved.first_byte, now);
                }
            }
            State::Dialing(_) => self.handle_answer(now, remote, bytes),
            State::Open(connection) => {
                let context = Context {
                    now,
                    config: &self.config,
                    objects: &mut self.objects,
                    replicas: &mut self.replicas,
                    stats: &mut self.stats,
                    pad_to: 0,
                };
                if connection.handle(remote, bytes, context) {
                    self.heard = Some(now);
                    self.vain_since.take_if(|_| connection.was_answered());
                }
            }
            State::Ended => {}
        }
    }

    /// Takes what may be an answer to the INIT.
    fn handle_answer(&mut self, now: Instant, remote: SocketAddr, bytes: &mut [u8]) {
        let State::Dialing(dialing) = &mut self.state else { return };
        let Some(dial) = dialing.dial.take() else { return };
        if bytes.first() == Some(&self.call.armor.response()) {
            if dialing.early.len() < EARLY_MAX {
                dialing.early.push(bytes.to_vec());
            }
            dialing.dial = Some(dial);
            return;
        }
        match dial.handle(bytes) {
            Heard::Waiting(dial) => dialing.dial = Some(dial),
            Heard::Asked(dial) => {
                // A cookie is good where it was made, and nowhere else.
                self.replicas.settle_on(remote);
                (dialing.dial, dialing.ahead, dialing.has_shown_address) = (Some(dial), 1, true);
                dialing.note_sent(now);
            }
            Heard::Failed(error) => self.end_with(error.into()),
            Heard::Welcomed(welcomed) => {
                let dialing = core::mem::replace(&mut **dialing, Dialing::new(now));
                let rtt = dialing.sent.filter(|_| dialing.tries == 1).map(|(sent, _)| now.since(sent));
                self.call.token = Some(welcomed.token);
                let beginning = Beginning {
                    id: welcomed.id,
                    epoch: welcomed.epoch,
                    keeper: Keeper::Client(welcomed.secret),
                    place: welcomed.place,
                    rest: welcomed.rest,
                    from: (self.replicas.which(remote), remote),
                    asked: dialing.asked,
                    init_seal: dialing.seals.get(&remote).copied().unwrap_or_default(),
                    rtt,
                    has_shown_address: dialing.has_shown_address,
                    // Each server was asked, and none answered in time.
                    was_lost: dialing.vain * self.replicas.at_once() >= self.replicas.count(),
                    armor: self.call.armor,
                };
                let Some(connection) = Connection::new(now, beginning, &mut self.objects) else {
                    return self.end_with(DialError::Broken(tng_isolation::Broken::Malformed).into());
                };
                self.state = State::Open(Box::new(connection));
                self.replicas.settle_on(remote);
                self.heard = Some(now);
                self.stats.connections += 1;
                self.events.push_back(Event::Connected);
                dialing.early.into_iter().for_each(|mut early| self.handle_datagram(now, remote, &mut early));
            }
        }
    }

    /// The INIT, when its time has come.
    fn transmit_init(&mut self, now: Instant, buf: &mut [u8]) -> Option<Transmit> {
        let State::Dialing(dialing) = &mut self.state else { return None };
        let limit = if self.heard.is_some() { self.config.silence_max } else { self.config.set_up_timeout };
        let is_due = dialing.sent.is_none_or(|(_, again)| now >= again);
        let has_asked_all = dialing.seals.len().max(dialing.tries as usize) >= self.replicas.count();
        let is_explained = dialing.dial.as_ref().is_some_and(|dial| dial.explained().is_some());
        if now.since(dialing.since) >= limit || self.heard.is_none() && is_due && is_explained && has_asked_all {
            let error = match (dialing.dial.take().map(Dial::give_up), self.heard) {
                (None | Some(DialError::Silence), Some(_)) => ClientError::Silence,
                (explained, _) => explained.unwrap_or(DialError::Silence).into(),
            };
            self.end_with(error);
            return None;
        }
        dialing.vain += usize::from(is_due && dialing.sent.is_some());
        if is_due && dialing.dial.as_ref().is_some_and(|dial| !dial.takes_cookies()) {
            // A server that asks for cookies does not know this INIT again.
            (dialing.dial, dialing.sent) = (None, None);
        }
        if dialing.dial.is_none() {
            let mut rng = self.secrets.for_exchange()?;
            if dialing.tries == 0 {
                let first = first_requests(&self.call, &self.identity, (&mut self.objects, now), &mut dialing.asked);
                self.call.first = first;
            }
            dialing.has_shown_address = self.call.token.is_some();
            match Dial::new(&self.identity, &self.call, &mut rng) {
                Ok(dial) => dialing.dial = Some(dial),
                Err(error) => {
                    self.end_with(ClientError::Call(error));
                    return None;
                }
            }
        }
        if is_due {
            dialing.note_sent(now);
            dialing.ahead = self.replicas.at_once();
        }
        if dialing.ahead == 0 {
            return None;
        }
        dialing.ahead -= 1;
        let init = dialing.dial.as_ref()?.datagram();
        buf[..init.len()].copy_from_slice(init);
        let (_, remote) = self.replicas.next(now);
        self.replicas.move_on();
        dialing.seals.insert(remote, *init.last_chunk().expect("an INIT is long"));
        Some(Transmit { remote, local: None, ecn: Ecn::NotEct, len: init.len(), segment_size: init.len() })
    }

    fn deadline(&mut self, now: Instant) -> Option<Instant> {
        match &self.state {
            State::Dialing(dialing) => {
                let limit = if self.heard.is_some() { self.config.silence_max } else { self.config.set_up_timeout };
                let end = dialing.since + limit;
                Some(dialing.sent.map_or(end, |(_, again)| again.min(end)))
            }
            State::Open(connection) => {
                let ping = self.replicas.ping_at(now).filter(|_| !self.objects.is_done());
                [connection.deadline(now, &mut self.objects), ping].into_iter().flatten().min()
            }
            State::Ended => None,
        }
    }

    fn poll_event(&mut self) -> Option<Event> {
        if let Some(event) = self.events.pop_front() {
            return Some(event);
        }
        self.objects.poll_event().map(|(id, event)| match event {
            ObjectEvent::Readable => Event::Readable(id),
            ObjectEvent::Finished => Event::Finished(id),
            ObjectEvent::Failed(error) => Event::Failed(id, error),
        })
    }

    /// What goes out at once: requests to one server leave together.
    fn transmit_batch(&mut self, now: Instant, buf: &mut [u8]) -> Option<Transmit> {
        let held_over = self.held_over.take(buf);
        let mut batch = held_over.or_else(|| self.transmit(now, buf, 0))?;
        let segment = batch.segment_size;
        for _ in 1..REQUESTS_PER_BATCH_MAX {
            let is_open = matches!(&self.state, State::Open(connection) if !connection.is_closing());
            let room = &mut buf[batch.len..];
            if !is_open || room.len() < self.config.datagram_len.max(DATAGRAM_LEN_MIN) {
                break;
            }
            let Some(next) = self.transmit(now, room, segment) else { break };
            if next.remote != batch.remote || next.len > segment {
                self.held_over.keep(&room[..next.len], next.remote);
                break;
            }
            batch.len += next.len;
            if next.len < segment {
                // The last of a batch alone may be shorter.
                break;
            }
        }
        Some(batch)
    }

    /// The next datagram. A request that is little shorter than `pad_to` is made as long.
    fn transmit(&mut self, now: Instant, buf: &mut [u8], pad_to: usize) -> Option<Transmit> {
        if let State::Open(connection) = &self.state
            && connection.is_lost(now)
        {
            if connection.is_closing() {
                self.end_with(ClientError::Closed);
            } else {
                self.dial_anew(now);
            }
        }
        let State::Open(connection) = &mut self.state else { return self.transmit_init(now, buf) };
        if !self.objects.is_done()
            && let Some((remote, ping)) = self.replicas.ping(now)
        {
            buf[..PING_LEN].copy_from_slice(&ping);
            return Some(Transmit { remote, local: None, ecn: Ecn::NotEct, len: PING_LEN, segment_size: PING_LEN });
        }
        let context = Context {
            now,
            config: &self.config,
            objects: &mut self.objects,
            replicas: &mut self.replicas,
            stats: &mut self.stats,
            pad_to,
        };
        let (transmit, has_closed) = connection.transmit(buf, context);
        if has_closed {
            self.end_with(ClientError::Closed);
        }
        transmit
    }
}

/// What an INIT asks for: as much of what objects have to ask for as it has room for.
fn first_requests(
    call: &Call,
    identity: &Identity,
    (objects, now): (&mut Objects, Instant),
    asked: &mut List,
) -> Vec<u8> {
    let mut first = vec![0; call.room(identity)];
    let mut writer = Writer::new(&mut first);
    // A server that believes the address sends the first window at once.
    let packets = if call.token.is_some() { 1 + INITIAL_WINDOW } else { 1 };
    objects.wants(now);
    objects.write(now, &mut writer, Capacity { packets, each: DATAGRAM_LEN_MIN as u64 / 2, following: 0 }, None, asked);
    let len = writer.position();
    first.truncate(len);
    first
}

impl Machine for Client {
    type Event = Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(Datagram { remote, local, segment_size, payload, .. }) => {
                if !self.replicas.contains(remote) {
                    return;
                }
                self.local = local.map(|local| local.ip()).filter(|ip| !ip.is_unspecified()).or(self.local);
                payload.chunks_mut(segment_size.max(1)).for_each(|bytes| self.handle_datagram(now, remote, bytes));
            }
            Input::PathChange(PathChange::LocalAddress { new, .. }) => {
                if let State::Open(connection) = &mut self.state
                    && new.is_none_or(|new| Some(new) != self.local)
                {
                    connection.moved();
                }
            }
            Input::Entropy(entropy) => _ = self.secrets.handle_entropy(entropy),
            // It goes on from where it is.
            Input::PathChange(PathChange::FurtherAddress(_) | PathChange::Carrier { .. })
            | Input::LinkLoss(_)
            | Input::Unreachable(_) => {}
        }
    }

    fn handle_timeout(&mut self, _: Instant) {
        if let State::Open(connection) = &mut self.state {
            connection.handle_timeout();
        }
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<Event> {
        if let Some(event) = self.poll_event() {
            return Output::Event(event);
        }
        if let Some(transmit) = self.transmit_batch(now, buf) {
            return Output::Transmit(transmit);
        }
        if self.secrets.poll_need() {
            return Output::NeedsEntropy;
        }
        match self.poll_event() {
            Some(event) => Output::Event(event),
            None => Output::Timeout(self.deadline(now)),
        }
    }
}
