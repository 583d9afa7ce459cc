//! A host: its connections, the ports it listens at, and what it says to strangers.

use core::fmt;
use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};

use tng_base::{Ecn, Input, Instant, Machine, Output, Rng, Schedule, ScheduleEntry, Transmit};
use tng_congestion::Choice;
use tng_wire::{Reader, Repr, Writer};

use crate::config::{Config, ConfigError};
use crate::connection::{Connection, End, State};
use crate::stats::Stats;
use crate::wire::{self, Flags, Options, Segment};

/// Most connections of one host, those in TIME-WAIT included.
pub const CONNECTIONS_MAX: usize = 65_536;
/// Most connections that peers have begun and not completed; another SYN is dropped.
pub const BACKLOG_MAX: usize = 4_096;
/// The ports from here on are taken in turn for connections that this host opens.
pub const EPHEMERAL_PORT_MIN: u16 = 32_768;
/// Most resets that wait to be sent to strangers; others get none.
pub const RESETS_MAX: usize = 64;

/// Names a connection of one host; never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(u64);

/// Something happened to a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// Which.
    pub id: ConnectionId,
    /// What.
    pub news: News,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// The peer has answered: it is established.
    Connected,
    /// A peer has opened it, and it is established.
    Accepted {
        /// The port that was listened at.
        port: u16,
    },
    /// Bytes can be read. Told once until all of them have been.
    Readable,
    /// Bytes can be written, after a write that was cut short: a third of the buffer is free.
    Writable,
    /// The peer has finished: what can be read is the rest.
    PeerFinished,
    /// It is over. What can be read stays until it has been; nothing else is left.
    Closed {
        /// How.
        end: End,
        /// Its last figures.
        stats: Stats,
    },
}

/// The other end of a connection, as its segments name it.
type Key = (u16, SocketAddr);

/// A party that speaks TCP.
#[derive(Debug)]
pub struct Host {
    address: IpAddr,
    config: Config,
    rng: Rng,
    connections: BTreeMap<ConnectionId, Slot>,
    by_key: BTreeMap<Key, ConnectionId>,
    /// By port: the controller of what is accepted there; `None`: the host's.
    listening: BTreeMap<u16, Option<Choice>>,
    /// Connections that may have something to say, and the others' deadlines.
    schedule: Schedule<ConnectionId>,
    /// What is said to segments of no connection.
    resets: VecDeque<(SocketAddr, Segment<'static>)>,
    opening: usize,
    next_id: u64,
    next_port: u16,
}

#[derive(Debug)]
struct Slot {
    connection: Connection,
    place: ScheduleEntry,
    /// Begun by a peer and not established.
    opening: bool,
    /// The application knows that it is established.
    announced: bool,
    /// Its end was told.
    told: bool,
}

impl Host {
    /// A host at `address`, which its checksums cover. `rng` draws initial sequence numbers.
    ///
    /// # Errors
    /// What is wrong with `config`.
    pub fn new(address: IpAddr, config: Config, rng: Rng) -> Result<Host, ConfigError> {
        config.check()?;
        Ok(Host {
            address,
            config,
            rng,
            connections: BTreeMap::new(),
            by_key: BTreeMap::new(),
            listening: BTreeMap::new(),
            schedule: Schedule::default(),
            resets: VecDeque::new(),
            opening: 0,
            next_id: 0,
            next_port: EPHEMERAL_PORT_MIN,
        })
    }

    /// Accepts connections at `port`; each is told by [`News::Accepted`].
    ///
    /// # Errors
    /// If it does already.
    pub fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.listen_as(port, None)
    }

    /// The same, with a congestion controller for the connections to this port; `None`: the host's.
    ///
    /// # Errors
    /// If the host listens at this port already.
    pub fn listen_as(&mut self, port: u16, controller: Option<Choice>) -> Result<(), ListenError> {
        if self.listening.contains_key(&port) {
            return Err(ListenError::Taken(port));
        }
        self.listening.insert(port, controller);
        Ok(())
    }

    /// The first port at which connections are accepted with this controller.
    pub fn port_of(&self, controller: &Choice) -> Option<u16> {
        self.listening.iter().find(|(_, own)| own.as_ref() == Some(controller)).map(|(port, _)| *port)
    }

    /// Accepts no more connections at `port`; those that there are stay.
    pub fn stop_listening(&mut self, port: u16) {
        self.listening.remove(&port);
    }

    /// Opens a connection from the next free port.
    ///
    /// # Errors
    /// If the host has no room or no port left.
    pub fn connect(&mut self, now: Instant, remote: SocketAddr) -> Result<ConnectionId, ConnectError> {
        self.connect_as(now, remote, None)
    }

    /// The same, with a congestion controller for this connection; `None`: the host's.
    ///
    /// # Errors
    /// If the host has no room or no port left.
    pub fn connect_as(
        &mut self,
        _now: Instant,
        remote: SocketAddr,
        controller: Option<&Choice>,
    ) -> Result<ConnectionId, ConnectError> {
        let ports = usize::from(u16::MAX - EPHEMERAL_PORT_MIN) + 1;
        for _ in 0..ports {
            let port = self.next_port;
            self.next_port = self.next_port.checked_add(1).unwrap_or(EPHEMERAL_PORT_MIN);
            if !self.by_key.contains_key(&(port, remote)) && !self.listening.contains_key(&port) {
                return self.open(port, remote, controller);
            }
        }
        Err(ConnectError::NoPort(remote))
    }

    /// Opens a connection from `port`. Two hosts that do so towards each other's ports open one together.
    ///
    /// # Errors
    /// If the host has no room, or has such a connection.
    pub fn connect_from(&mut self, _now: Instant, port: u16, remote: SocketAddr) -> Result<ConnectionId, ConnectError> {
        self.open(port, remote, None)
    }

    fn open(
        &mut self,
        port: u16,
        remote: SocketAddr,
        controller: Option<&Choice>,
    ) -> Result<ConnectionId, ConnectError> {
        if self.connections.len() >= CONNECTIONS_MAX {
            return Err(ConnectError::Full);
        }
        if self.by_key.contains_key(&(port, remote)) {
            return Err(ConnectError::Exists(port, remote));
        }
        let initial = self.initial_sequence();
        let controller = controller.unwrap_or(&self.config.controller);
        Ok(self.insert(Connection::open(&self.config, controller, port, remote, initial)))
    }

    /// Takes data to be sent; answers how many bytes, fewer if there is no room for all. [`News::Writable`] tells when
    /// there is more. After [`finish`](Host::finish) it takes nothing.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn write(&mut self, id: ConnectionId, data: &[u8]) -> Result<usize, Gone> {
        let count = self.connection_mut(id)?.write(data);
        if count > 0 {
            self.mark_ready(id);
        }
        Ok(count)
    }

    /// Bytes that may be written now.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn room(&self, id: ConnectionId) -> Result<usize, Gone> {
        Ok(self.connection(id)?.room())
    }

    /// Bytes that were written and are kept until the peer acknowledges them.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn unacknowledged(&self, id: ConnectionId) -> Result<usize, Gone> {
        Ok(self.connection(id)?.unacknowledged())
    }

    /// Nothing more will be written; what was is still delivered, and the peer may go on writing.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn finish(&mut self, id: ConnectionId) -> Result<(), Gone> {
        self.connection_mut(id)?.finish();
        self.mark_ready(id);
        Ok(())
    }

    /// Moves received bytes, in order, to `out`; answers how many. Zero: nothing for now, or, if
    /// [`is_drained`](Host::is_drained), ever.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn read(&mut self, id: ConnectionId, out: &mut [u8]) -> Result<usize, Gone> {
        let count = self.connection_mut(id)?.read(out);
        if count > 0 {
            self.mark_ready(id);
        }
        self.remove_if_over(id);
        Ok(count)
    }

    /// Whether the peer has finished and all it wrote was read.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn is_drained(&self, id: ConnectionId) -> Result<bool, Gone> {
        Ok(self.connection(id)?.is_drained())
    }

    /// Ends a connection at once, by a reset.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn abort(&mut self, id: ConnectionId) -> Result<(), Gone> {
        self.connection_mut(id)?.abort();
        self.mark_ready(id);
        Ok(())
    }

    /// Where a connection stands.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn state(&self, id: ConnectionId) -> Result<State, Gone> {
        Ok(self.connection(id)?.state())
    }

    /// A connection's figures.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn stats(&self, id: ConnectionId) -> Result<Stats, Gone> {
        Ok(self.connection(id)?.stats())
    }

    /// The connections, in the order of their beginning.
    pub fn connections(&self) -> impl Iterator<Item = ConnectionId> + '_ {
        self.connections.keys().copied()
    }

    /// How many connections there are, those in TIME-WAIT included.
    pub fn connection_count(&self) -> usize {
        self.connections.len()
    }

    fn connection(&self, id: ConnectionId) -> Result<&Connection, Gone> {
        Ok(&self.connections.get(&id).ok_or(Gone(id))?.connection)
    }

    fn connection_mut(&mut self, id: ConnectionId) -> Result<&mut Connection, Gone> {
        Ok(&mut self.connections.get_mut(&id).ok_or(Gone(id))?.connection)
    }

    fn initial_sequence(&mut self) -> u32 {
        self.config.initial_sequence.unwrap_or_else(|| self.rng.u64() as u32)
    }

    fn insert(&mut self, connection: Connection) -> ConnectionId {
        let id = ConnectionId(self.next_id);
        self.next_id += 1;
        self.by_key.insert((connection.local_port, connection.remote), id);
        let opening = connection.passive;
        self.opening += usize::from(opening);
        self.connections
            .insert(id, Slot { connection, place: ScheduleEntry::default(), opening, announced: false, told: false });
        self.mark_ready(id);
        id
    }

    fn mark_ready(&mut self, id: ConnectionId) {
        if let Some(slot) = self.connections.get_mut(&id) {
            self.schedule.wake(id, &mut slot.place);
        }
    }

    fn remove_if_over(&mut self, id: ConnectionId) {
        let Some(slot) = self.connections.get(&id) else { return };
        let State::Closed(end) = slot.connection.state() else { return };
        let (ready, _) = slot.place.held();
        if !slot.told || ready || (end == End::Finished && slot.connection.readable() > 0) {
            return;
        }
        let key = (slot.connection.local_port, slot.connection.remote);
        self.schedule.remove(id, slot.place);
        self.opening -= usize::from(slot.opening);
        self.connections.remove(&id);
        self.by_key.remove(&key);
    }

    fn handle_segment(&mut self, now: Instant, remote: SocketAddr, local: IpAddr, bytes: &[u8]) {
        if !wire::verify(remote.ip(), local, bytes) {
            return;
        }
        let Ok(segment) = Segment::parse(&mut Reader::new(bytes)) else { return };
        let remote = SocketAddr::new(remote.ip(), segment.source);
        let key = (segment.destination, remote);
        if let Some(&id) = self.by_key.get(&key)
            && let Some(slot) = self.connections.get_mut(&id)
            && !matches!(slot.connection.state(), State::Closed(_))
        {
            let stray = slot.connection.handle_segment(now, &segment).is_err();
            if slot.opening && slot.connection.state() != State::SynReceived {
                slot.opening = false;
                self.opening -= 1;
            }
            self.mark_ready(id);
            if stray {
                self.refuse(remote, &segment);
            }
            return;
        }
        let opens = segment.flags.syn && segment.ack.is_none() && !segment.flags.rst;
        let Some(controller) = self.listening.get(&segment.destination).filter(|_| opens).cloned() else {
            return self.refuse(remote, &segment);
        };
        if self.by_key.contains_key(&key) {
            return self.refuse(remote, &segment);
        }
        if self.connections.len() < CONNECTIONS_MAX && self.opening < BACKLOG_MAX {
            let initial = self.initial_sequence();
            let controller = controller.as_ref().unwrap_or(&self.config.controller);
            let mut connection = Connection::open(&self.config, controller, segment.destination, remote, initial);
            connection.accept(now, &segment);
            self.insert(connection);
        }
    }

    /// Answers a segment of no connection with a reset (RFC 9293 section 3.10.7.1).
    fn refuse(&mut self, remote: SocketAddr, segment: &Segment<'_>) {
        if segment.flags.rst || self.resets.len() >= RESETS_MAX {
            return;
        }
        let len = segment.payload.len() as u32 + u32::from(segment.flags.syn) + u32::from(segment.flags.fin);
        let (seq, ack) = match segment.ack {
            Some(ack) => (ack, None),
            None => (0, Some(segment.seq.wrapping_add(len))),
        };
        let reset = Segment {
            source: segment.destination,
            destination: segment.source,
            seq,
            ack,
            flags: Flags { rst: true, ..Flags::default() },
            window: 0,
            options: Options::default(),
            payload: &[],
        };
        self.resets.push_back((remote, reset));
    }

    fn transmit(&self, remote: SocketAddr, len: usize, buf: &mut [u8]) -> Output<Event> {
        wire::seal(self.address, remote.ip(), &mut buf[..len]);
        let local = Some(SocketAddr::new(self.address, 0));
        Output::Transmit(Transmit { remote, local, ecn: Ecn::NotEct, len, segment_size: len })
    }

    /// The next thing that a connection has to say, in the order in which things happen.
    fn news(slot: &mut Slot) -> Option<News> {
        let notices = &mut slot.connection.notices;
        let take = core::mem::take::<bool>;
        if take(&mut notices.connected) {
            slot.announced = true;
            let port = slot.connection.local_port;
            return Some(if slot.connection.passive { News::Accepted { port } } else { News::Connected });
        }
        if take(&mut notices.readable) {
            return Some(News::Readable);
        }
        if take(&mut notices.finished) {
            return Some(News::PeerFinished);
        }
        if take(&mut notices.writable) {
            return Some(News::Writable);
        }
        if take(&mut notices.closed) {
            slot.told = true;
            if slot.connection.passive && !slot.announced {
                return None; // the application has never heard of it
            }
            let State::Closed(end) = slot.connection.state() else { return None };
            return Some(News::Closed { end, stats: slot.connection.stats() });
        }
        None
    }
}

impl Machine for Host {
    type Event = Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        // TCP knows neither of links' notices nor of moves.
        if let Input::Datagram(datagram) = input {
            let local = datagram.local.map_or(self.address, |local| local.ip());
            for segment in datagram.payload.chunks(datagram.segment_size.max(1)) {
                self.handle_segment(now, datagram.remote, local, segment);
            }
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        while let Some(id) = self.schedule.pop_due(now) {
            if let Some(slot) = self.connections.get_mut(&id) {
                slot.place.handle_due();
                slot.connection.handle_timeout(now);
                if slot.opening && slot.connection.state() != State::SynReceived {
                    slot.opening = false;
                    self.opening -= 1;
                }
            }
            self.mark_ready(id);
        }
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<Event> {
        if let Some((remote, reset)) = self.resets.pop_front() {
            let mut writer = Writer::new(buf);
            if reset.emit(&mut writer).is_ok() {
                let len = writer.position();
                return self.transmit(remote, len, buf);
            }
        }
        while let Some(id) = self.schedule.front() {
            let Some(slot) = self.connections.get_mut(&id) else {
                self.schedule.drop_front();
                continue;
            };
            if let Some(news) = Host::news(slot) {
                return Output::Event(Event { id, news });
            }
            let remote = slot.connection.remote;
            if let Some(len) = slot.connection.poll_segment(now, buf) {
                return self.transmit(remote, len, buf);
            }
            self.schedule.park(id, &mut slot.place, slot.connection.timeout());
            self.remove_if_over(id);
        }
        Output::Timeout(self.schedule.next_deadline())
    }
}

/// Why a host cannot listen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ListenError {
    /// It does so at this port.
    Taken(u16),
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListenError::Taken(port) => {
                write!(f, "port {port} is listened at already; choose another or stop listening first")
            }
        }
    }
}

impl core::error::Error for ListenError {}

/// Why a connection cannot be opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConnectError {
    /// The host has [`CONNECTIONS_MAX`] connections.
    Full,
    /// Every ephemeral port has a connection to this peer.
    NoPort(SocketAddr),
    /// There is a connection from this port to this peer.
    Exists(u16, SocketAddr),
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConnectError::Full => {
                write!(f, "the host has {CONNECTIONS_MAX} connections already; wait until some are over")
            }
            ConnectError::NoPort(remote) => {
                write!(f, "every ephemeral port has a connection to {remote}; wait until some have left TIME-WAIT")
            }
            ConnectError::Exists(port, remote) => {
                write!(f, "there is a connection from port {port} to {remote}; choose another port")
            }
        }
    }
}

impl core::error::Error for ConnectError {}

/// There is no such connection any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gone(pub ConnectionId);

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "connection {} is over; its end was told by an event", (self.0).0)
    }
}

impl core::error::Error for Gone {}
