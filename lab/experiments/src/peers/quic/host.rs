//! A host: its connections, and whether it accepts others'.

use core::fmt;
use core::net::SocketAddr;
use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use quinn_proto::{
    ClientConfig, Connection, ConnectionError, ConnectionEvent, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint,
    Endpoint, EndpointConfig, SendDatagramError, ServerConfig, StreamEvent, StreamId, TransportConfig, VarInt,
};
use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, PathChange, Rng, Schedule, ScheduleEntry, Transmit};

use super::config::Config;
use super::error::{ConnectError, DatagramError, Gone, OpenError, ReadError, WriteError};
use super::news::{ConnectionId, Early, End, Event, News, Read, Stats};
use super::tls;

/// Most connections of one host; others' attempts are refused beyond it.
pub const CONNECTIONS_MAX: usize = 65_536;
/// Most answers to strangers that wait to be sent; others get none.
const ANSWERS_MAX: usize = 64;

/// A party that speaks QUIC.
pub struct Host {
    endpoint: Endpoint,
    client: ClientConfig,
    server: Arc<ServerConfig>,
    transport: Arc<TransportConfig>,
    early_data: bool,
    /// What quinn calls the world's time zero.
    epoch: std::time::Instant,
    connections: BTreeMap<ConnectionId, Slot>,
    by_handle: BTreeMap<usize, ConnectionId>,
    /// Connections that may have something to say, and the others' deadlines.
    schedule: Schedule<ConnectionId>,
    /// What is said to strangers.
    answers: VecDeque<(quinn_proto::Transmit, Vec<u8>)>,
    /// Where quinn writes a datagram.
    scratch: Vec<u8>,
    next_id: u64,
}

struct Slot {
    handle: ConnectionHandle,
    connection: Connection,
    /// To be told as accepted.
    accepted: Option<SocketAddr>,
    place: ScheduleEntry,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("connections", &self.connections.len()).finish_non_exhaustive()
    }
}

/// Connections.
impl Host {
    /// A host that accepts no connections yet and has no tickets. `rng` draws what of quinn can be drawn by others.
    ///
    /// # Panics
    /// If the TLS library has lost Ed25519, X25519 or AES-128-GCM: a matter of how the program was built.
    pub fn new(config: &Config, mut rng: Rng) -> Host {
        let transport = config.transport();
        let server = tls::server().expect("a server with the one key");
        let mut server = ServerConfig::with_crypto(Arc::new(server));
        server.transport_config(Arc::clone(&transport));
        let mut endpoint = EndpointConfig::default();
        endpoint.rng_seed(Some(rng.bytes()));
        Host {
            endpoint: Endpoint::new(Arc::new(endpoint), None, true, None),
            client: client(config.early_data, &transport),
            server: Arc::new(server),
            transport,
            early_data: config.early_data,
            epoch: epoch(),
            connections: BTreeMap::new(),
            by_handle: BTreeMap::new(),
            schedule: Schedule::default(),
            answers: VecDeque::new(),
            scratch: Vec::new(),
            next_id: 0,
        }
    }

    /// Accepts connections from now on; each is told by [`News::Accepted`].
    pub fn listen(&mut self) {
        self.endpoint.set_server_config(Some(Arc::clone(&self.server)));
    }

    /// Accepts no more connections; those that there are stay.
    pub fn stop_listening(&mut self) {
        self.endpoint.set_server_config(None);
    }

    /// Begins a connection. If there is a ticket of this server and [`Config::early_data`] is on, streams can be opened
    /// and written at once ([`has_early_data`](Host::has_early_data)); else after [`News::Connected`].
    ///
    /// # Errors
    /// If the host has no room, or `remote` cannot be a host's address.
    pub fn connect(&mut self, now: Instant, remote: SocketAddr) -> Result<ConnectionId, ConnectError> {
        if self.connections.len() >= CONNECTIONS_MAX {
            return Err(ConnectError::Full);
        }
        let (now, name) = (self.at(now), remote.ip().to_string());
        let begun = self.endpoint.connect(now, self.client.clone(), remote, &name);
        let (handle, connection) = begun.map_err(|error| ConnectError::Refused(remote, error.to_string()))?;
        Ok(self.insert(handle, connection, None))
    }

    /// Throws all tickets away: the next connection to every server is cold.
    pub fn forget_tickets(&mut self) {
        self.client = client(self.early_data, &self.transport);
    }

    /// Whether the connection could write early data when it was begun.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn has_early_data(&self, id: ConnectionId) -> Result<bool, Gone> {
        Ok(self.connection(id)?.has_0rtt())
    }

    /// Closes a connection; the peer is told `code`. What was not delivered is lost.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn close(&mut self, now: Instant, id: ConnectionId, code: u32) -> Result<(), Gone> {
        let now = self.at(now);
        self.connection_mut(id)?.close(now, VarInt::from_u32(code), Bytes::new());
        Ok(())
    }

    /// A connection's figures.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn stats(&self, id: ConnectionId) -> Result<Stats, Gone> {
        Ok(stats(self.connection(id)?))
    }

    /// How many connections there are, those that are being closed included.
    pub fn connection_count(&self) -> usize {
        self.connections.len()
    }
}

/// Streams and datagrams.
impl Host {
    /// Opens a stream.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(&mut self, id: ConnectionId, dir: Dir) -> Result<StreamId, OpenError> {
        self.connection_mut(id)?.streams().open(dir).ok_or(OpenError::TooMany)
    }

    /// Takes data to be sent; answers how many bytes, fewer if there is no room for all. [`News::Writable`] tells when
    /// there is more.
    ///
    /// # Errors
    /// See [`WriteError`].
    pub fn write(&mut self, id: ConnectionId, stream: StreamId, data: &[u8]) -> Result<usize, WriteError> {
        use quinn_proto::WriteError as Quinn;
        match self.connection_mut(id)?.send_stream(stream).write(data) {
            Ok(count) => Ok(count),
            Err(Quinn::Blocked) => Ok(0),
            Err(Quinn::Stopped(code)) => Err(WriteError::Stopped(code.into_inner())),
            Err(Quinn::ClosedStream) => Err(WriteError::Closed),
        }
    }

    /// Nothing more will be written to a stream; [`News::Delivered`] tells when the peer has all of it.
    ///
    /// # Errors
    /// See [`WriteError`].
    pub fn finish(&mut self, id: ConnectionId, stream: StreamId) -> Result<(), WriteError> {
        use quinn_proto::FinishError as Quinn;
        self.connection_mut(id)?.send_stream(stream).finish().map_err(|error| match error {
            Quinn::Stopped(code) => WriteError::Stopped(code.into_inner()),
            Quinn::ClosedStream => WriteError::Closed,
        })
    }

    /// Gives up what was written to a stream.
    ///
    /// # Errors
    /// See [`WriteError`].
    pub fn reset(&mut self, id: ConnectionId, stream: StreamId, code: u32) -> Result<(), WriteError> {
        let connection = self.connection_mut(id)?;
        connection.send_stream(stream).reset(VarInt::from_u32(code)).map_err(|_| WriteError::Closed)
    }

    /// Wants no more of what the peer writes to a stream.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn stop(&mut self, id: ConnectionId, stream: StreamId, code: u32) -> Result<(), ReadError> {
        let connection = self.connection_mut(id)?;
        connection.recv_stream(stream).stop(VarInt::from_u32(code)).map_err(|_| ReadError::Closed)
    }

    /// Moves received bytes, in order, to `out`. No bytes and no end: nothing for now, unless `out` is empty.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn read(&mut self, id: ConnectionId, stream: StreamId, out: &mut [u8]) -> Result<Read, ReadError> {
        use quinn_proto::ReadError as Quinn;
        let mut recv = self.connection_mut(id)?.recv_stream(stream);
        let mut chunks = recv.read(true).map_err(|_| ReadError::Closed)?;
        let mut read = Read::default();
        let mut result = Ok(());
        while read.bytes < out.len() {
            match chunks.next(out.len() - read.bytes) {
                Ok(Some(chunk)) => {
                    out[read.bytes..][..chunk.bytes.len()].copy_from_slice(&chunk.bytes);
                    read.bytes += chunk.bytes.len();
                }
                Ok(None) => {
                    read.end = true;
                    break;
                }
                Err(Quinn::Blocked) => break,
                Err(Quinn::Reset(code)) => {
                    result = Err(ReadError::Reset(code.into_inner()));
                    break;
                }
            }
        }
        // Whether there is credit to be told is found out when the connection is polled, which it will be.
        let _ = chunks.finalize();
        result.map(|()| read)
    }

    /// The largest datagram that a packet holds now, bytes; `None` if the peer takes none, or has not said so yet.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn datagram_max(&mut self, id: ConnectionId) -> Result<Option<usize>, Gone> {
        Ok(self.connection_mut(id)?.datagrams().max_size())
    }

    /// Sends a datagram (RFC 9221).
    ///
    /// # Errors
    /// See [`DatagramError`].
    pub fn send_datagram(&mut self, id: ConnectionId, data: &[u8]) -> Result<(), DatagramError> {
        let mut datagrams = self.connection_mut(id)?.datagrams();
        let max = datagrams.max_size().unwrap_or(0);
        datagrams.send(Bytes::copy_from_slice(data), false).map_err(|error| match error {
            SendDatagramError::TooLarge => DatagramError::TooLarge(max),
            SendDatagramError::Blocked(_) => DatagramError::Blocked,
            SendDatagramError::UnsupportedByPeer | SendDatagramError::Disabled => DatagramError::Unsupported,
        })
    }

    /// The next datagram that has been received.
    ///
    /// # Errors
    /// If there is no such connection any more.
    pub fn recv_datagram(&mut self, id: ConnectionId) -> Result<Option<Bytes>, Gone> {
        Ok(self.connection_mut(id)?.datagrams().recv())
    }
}

/// Machinery.
impl Host {
    fn at(&self, now: Instant) -> std::time::Instant {
        self.epoch + Duration::from_nanos(now.as_nanos())
    }

    fn connection(&self, id: ConnectionId) -> Result<&Connection, Gone> {
        Ok(&self.connections.get(&id).ok_or(Gone)?.connection)
    }

    /// For whatever may give the connection something to say.
    fn connection_mut(&mut self, id: ConnectionId) -> Result<&mut Connection, Gone> {
        self.mark_ready(id);
        Ok(&mut self.connections.get_mut(&id).ok_or(Gone)?.connection)
    }

    fn insert(
        &mut self,
        handle: ConnectionHandle,
        connection: Connection,
        accepted: Option<SocketAddr>,
    ) -> ConnectionId {
        let id = ConnectionId(self.next_id);
        self.next_id += 1;
        self.by_handle.insert(handle.0, id);
        self.connections.insert(id, Slot { handle, connection, accepted, place: ScheduleEntry::default() });
        self.mark_ready(id);
        id
    }

    fn mark_ready(&mut self, id: ConnectionId) {
        if let Some(slot) = self.connections.get_mut(&id) {
            self.schedule.wake(id, &mut slot.place);
        }
    }

    fn handle_datagram(&mut self, now: Instant, datagram: &Datagram<'_>, payload: &[u8]) {
        let (time, mut answer) = (self.at(now), Vec::new());
        let ecn = EcnCodepoint::from_bits(datagram.ecn as u8);
        let data = BytesMut::from(payload);
        match self.endpoint.handle(
            time,
            datagram.remote,
            datagram.local.map(|local| local.ip()),
            ecn,
            data,
            &mut answer,
        ) {
            Some(DatagramEvent::ConnectionEvent(handle, event)) => self.handle_connection(handle, event),
            Some(DatagramEvent::NewConnection(incoming)) if self.connections.len() >= CONNECTIONS_MAX => {
                let refusal = self.endpoint.refuse(incoming, &mut answer);
                self.answer(refusal, answer);
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                match self.endpoint.accept(incoming, time, &mut answer, None) {
                    Ok((handle, connection)) => {
                        self.insert(handle, connection, Some(datagram.remote));
                    }
                    Err(error) => {
                        if let Some(refusal) = error.response {
                            self.answer(refusal, answer);
                        }
                    }
                }
            }
            Some(DatagramEvent::Response(transmit)) => self.answer(transmit, answer),
            None => {}
        }
    }

    fn handle_connection(&mut self, handle: ConnectionHandle, event: ConnectionEvent) {
        if let Some(&id) = self.by_handle.get(&handle.0)
            && let Ok(connection) = self.connection_mut(id)
        {
            connection.handle_event(event);
        }
    }

    fn answer(&mut self, transmit: quinn_proto::Transmit, bytes: Vec<u8>) {
        if self.answers.len() < ANSWERS_MAX {
            self.answers.push_back((transmit, bytes));
        }
    }

    fn poll_connection(&mut self, now: Instant, id: ConnectionId, buf: &mut [u8]) -> Option<Output<Event>> {
        let now = self.at(now);
        let slot = self.connections.get_mut(&id)?;
        while let Some(event) = slot.connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(slot.handle, event) {
                slot.connection.handle_event(event);
            }
        }
        if let Some(news) = slot.news() {
            return Some(Output::Event(Event { id, news }));
        }
        self.scratch.clear();
        let transmit = slot.connection.poll_transmit(now, 1, &mut self.scratch)?;
        Some(Output::Transmit(hand_over(&transmit, &self.scratch, buf)))
    }

    /// The front has nothing more to say for now.
    fn rest(&mut self, id: ConnectionId) {
        let Some(slot) = self.connections.get_mut(&id) else { return self.schedule.drop_front() };
        let timeout = slot.connection.poll_timeout();
        let drained = slot.connection.is_drained();
        let deadline = timeout.filter(|_| !drained).map(|time| {
            let since = time.saturating_duration_since(self.epoch);
            Instant::ZERO + since
        });
        self.schedule.park(id, &mut slot.place, deadline);
        if drained {
            self.by_handle.remove(&slot.handle.0);
            self.connections.remove(&id);
        }
    }
}

impl Slot {
    /// The next thing that the connection has to say, in the order in which things happen.
    fn news(&mut self) -> Option<News> {
        if let Some(remote) = self.accepted.take() {
            return Some(News::Accepted { remote });
        }
        loop {
            for dir in [Dir::Bi, Dir::Uni] {
                if let Some(stream) = self.connection.streams().accept(dir) {
                    return Some(News::Opened(stream));
                }
            }
            use quinn_proto::Event as Quinn;
            return Some(match self.connection.poll()? {
                // Streams that were opened are accepted above.
                Quinn::HandshakeDataReady | Quinn::Stream(StreamEvent::Opened { .. }) => continue,
                Quinn::Connected => News::Connected { early: self.early() },
                Quinn::ConnectionLost { reason } => News::Closed { end: end(reason), stats: stats(&self.connection) },
                Quinn::Stream(StreamEvent::Readable { id }) => News::Readable(id),
                Quinn::Stream(StreamEvent::Writable { id }) => News::Writable(id),
                Quinn::Stream(StreamEvent::Finished { id }) => News::Delivered(id),
                Quinn::Stream(StreamEvent::Stopped { id, error_code }) => {
                    News::Stopped { stream: id, code: error_code.into_inner() }
                }
                Quinn::Stream(StreamEvent::Available { dir }) => News::StreamsAvailable(dir),
                Quinn::DatagramReceived => News::DatagramReadable,
                Quinn::DatagramsUnblocked => News::DatagramWritable,
            });
        }
    }

    fn early(&self) -> Early {
        match (self.connection.has_0rtt(), self.connection.accepted_0rtt()) {
            (_, true) => Early::Accepted,
            (true, false) => Early::Rejected,
            (false, false) => Early::None,
        }
    }
}

impl Machine for Host {
    type Event = Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(datagram) => {
                for payload in datagram.payload.chunks(datagram.segment_size.max(1)) {
                    self.handle_datagram(now, &datagram, payload);
                }
            }
            Input::PathChange(PathChange::LocalAddress { .. }) => {
                for (id, slot) in &mut self.connections {
                    slot.connection.local_address_changed();
                    self.schedule.wake(*id, &mut slot.place);
                }
            }
            // QUIC goes on from where it is, knows nothing of links' notices, and draws its keys from the system.
            Input::PathChange(_) | Input::LinkLoss(_) | Input::Unreachable(_) | Input::Entropy(_) => {}
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        while let Some(id) = self.schedule.pop_due(now) {
            let time = self.at(now);
            if let Some(slot) = self.connections.get_mut(&id) {
                slot.place.handle_due();
                slot.connection.handle_timeout(time);
                self.mark_ready(id);
            }
        }
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<Event> {
        if let Some((transmit, bytes)) = self.answers.pop_front() {
            return Output::Transmit(hand_over(&transmit, &bytes, buf));
        }
        while let Some(id) = self.schedule.front() {
            if let Some(output) = self.poll_connection(now, id, buf) {
                return output;
            }
            self.rest(id);
        }
        Output::Timeout(self.schedule.next_deadline())
    }
}

/// quinn counts time by the system's clock, whose values cannot be made: the world's time is counted from one that is
/// taken once.
#[expect(clippy::disallowed_methods, reason = "an origin to count virtual time from; nothing depends on which it is")]
fn epoch() -> std::time::Instant {
    std::time::Instant::now()
}

/// A client without tickets.
fn client(early_data: bool, transport: &Arc<TransportConfig>) -> ClientConfig {
    let tls = tls::client(early_data).expect("a client with the one key");
    let mut client = ClientConfig::new(Arc::new(tls));
    client.transport_config(Arc::clone(transport));
    client
}

fn hand_over(transmit: &quinn_proto::Transmit, bytes: &[u8], buf: &mut [u8]) -> Transmit {
    let len = transmit.size;
    buf[..len].copy_from_slice(&bytes[..len]);
    let ecn = transmit.ecn.map_or(Ecn::NotEct, |ecn| Ecn::from_bits(ecn as u8));
    let segment_size = transmit.segment_size.unwrap_or(len);
    Transmit {
        remote: transmit.destination,
        local: transmit.src_ip.map(|ip| SocketAddr::new(ip, 0)),
        ecn,
        len,
        segment_size,
    }
}

fn end(reason: ConnectionError) -> End {
    match reason {
        ConnectionError::ApplicationClosed(close) => End::ByPeer { code: close.error_code.into_inner() },
        ConnectionError::TimedOut => End::TimedOut,
        ConnectionError::Reset => End::Reset,
        reason => End::Failed(reason.to_string()),
    }
}

fn stats(connection: &Connection) -> Stats {
    let stats = connection.stats();
    Stats {
        rtt: stats.path.rtt,
        rtt_min: stats.path.min_rtt,
        window: stats.path.cwnd,
        congestion_events: stats.path.congestion_events,
        packets_sent: stats.path.sent_packets,
        packets_lost: stats.path.lost_packets,
        bytes_sent: stats.udp_tx.bytes,
        bytes_received: stats.udp_rx.bytes,
        mtu: stats.path.current_mtu,
    }
}
