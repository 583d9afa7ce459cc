//! Trickles: servers that keep nothing. A stream is a connection, and each request on it asks for an object.

use core::convert::Infallible;
use core::fmt;
use core::net::{IpAddr, SocketAddr};
use core::ops::Range;
use std::collections::{BTreeMap, VecDeque};

use tng_base::{Datagram, Eid, Input, Instant, Machine, Output, Rng};
use tng_congestion::Choice;
use tng_crypto::Secret32;
use tng_sim::PORT;
use tng_stack::{ExchangeLimits, Identity};
use tng_trickles::client::{
    Client, ClientConfig, ClientError, ClientStats, Event as ClientEvent, LATER_PACKETS_MIN, ObjectId, Options, Policy,
    RESERVE_DEFAULT, Read as ObjectRead, Replicas,
};
use tng_trickles::minisocket::{Answer, Application, Asked};
use tng_trickles::server::{Beginnings, Server, ServerConfig};
use tng_trickles::set_up::{AddressToken, Call};
use tng_trickles::wire::Fault;
use tng_trickles::{EPOCH, EpochSecret, Keys, Site, Wall, WallClock};

use super::{Event, News, OpenError, Read, Transport};
use crate::peers::exchange::{HEAD_LEN, parse};

/// Bytes of the largest datagrams over a path of 1,500: less IPv4 (RFC 791) and UDP (RFC 768) headers.
const DATAGRAM_LEN: usize = 1_500 - 20 - 8;
/// Bytes that are reserved for an object that is to have all its room at once.
const RESERVED_FOR_WHOLE: u64 = 1 << 32;
/// The epoch in which worlds begin.
const FIRST_EPOCH: u64 = 3_000_000;

/// How clients and servers of a world use Trickles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Usage {
    /// Whether what is asked for first rides in the first datagram. If not, it waits for the connection.
    pub first_data: bool,
    /// Whether clients learn how much packets overtake each other, and have mistaken cuts taken back.
    pub learns_reordering: bool,
    /// So many later packets make a packet lost where they do not.
    pub reordering_packets: u64,
    /// When a client asks for the next of several objects.
    pub pipelining: Pipelining,
    /// Whether what clients foresee is left out of continuations.
    pub delta_encoding: bool,
}

/// When a client asks for the next of several objects on a connection (Trickles 6.2, Figure 23).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pipelining {
    /// When it knows where that before it ends, which servers say with its last byte.
    Plain,
    /// The same, but servers say it half way through an object.
    Skip,
    /// At once.
    #[default]
    Parallel,
}

impl Usage {
    /// As the suite's own programs do.
    pub const USUAL: Usage = Usage {
        first_data: true,
        learns_reordering: true,
        reordering_packets: LATER_PACKETS_MIN,
        pipelining: Pipelining::Parallel,
        delta_encoding: true,
    };
}

impl Default for Usage {
    fn default() -> Usage {
        Usage::USUAL
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trickles")?;
        if !self.first_data {
            f.write_str(", no first data")?;
        }
        f.write_str(match self.pipelining {
            Pipelining::Plain => ", plain",
            Pipelining::Skip => ", SKIP",
            Pipelining::Parallel => "",
        })?;
        if !self.learns_reordering {
            write!(f, ", threshold {}", self.reordering_packets)?;
        }
        f.write_str(if self.delta_encoding { "" } else { ", no delta encoding" })
    }
}

/// What a client is set to.
pub(crate) fn client_config(usage: Usage) -> ClientConfig {
    let Usage { learns_reordering, reordering_packets, delta_encoding, .. } = usage;
    ClientConfig {
        datagram_len: DATAGRAM_LEN,
        learns_reordering,
        reordering_packets,
        delta_encoding,
        ..ClientConfig::default()
    }
}

/// What a server of a site is set to: it makes as many exchanges as it is asked for, as the reference TCP does.
pub(crate) fn server_config(usage: Usage, site: Site) -> ServerConfig {
    let mut config = ServerConfig { site, delta_encoding: usage.delta_encoding, ..ServerConfig::default() };
    config.set_up.exchanges = ExchangeLimits::NONE;
    config
}

fn wall(now: Instant) -> Wall {
    Wall::from_millis(FIRST_EPOCH * EPOCH.as_millis() as u64).after(now.since(Instant::ZERO))
}

/// A server.
pub(crate) type ZeroServer = Server<Zeros>;

/// A server of a site that starts at `now`. `key` draws what it shares with its replicas, `own` what it does not.
pub(crate) fn server(now: Instant, usage: Usage, site: Site, mut key: Rng, own: Rng) -> ZeroServer {
    let identity = Identity::from_seed(key.bytes::<32>());
    serve(now, (usage, site), identity, Zeros { pipelining: usage.pipelining }, (key, own))
}

/// The same with an identity and an application. The first lots are for what it shares with its replicas.
pub(crate) fn serve<A: Application>(
    now: Instant,
    (usage, site): (Usage, Site),
    identity: Identity,
    application: A,
    (mut key, mut own): (Rng, Rng),
) -> Server<A> {
    let secret = EpochSecret::new(FIRST_EPOCH - 1, Secret32::from_bytes(key.bytes()));
    let keys = Keys::new(secret, wall(now)).expect("the first epoch is not far");
    let clock = WallClock::set(now, wall(now));
    let access = Box::new(|_, _: Option<&[u8]>| Ok(()));
    let beginnings = Beginnings { identity, keys, access, clock, entropy: own.bytes() };
    Server::new(server_config(usage, site), beginnings, application, now)
}

/// Answers requests with as many zeros as they ask for, and seals with the client how many, and how many of them have a
/// place in its row.
pub(crate) struct Zeros {
    pipelining: Pipelining,
}

/// Two numbers that are sealed.
fn sealed(numbers: [u64; 2]) -> [u8; 16] {
    let mut state = [0; 16];
    state[..8].copy_from_slice(&numbers[0].to_be_bytes());
    state[8..].copy_from_slice(&numbers[1].to_be_bytes());
    state
}

fn unsealed(state: &[u8]) -> Option<[u64; 2]> {
    let (first, second) = state.first_chunk::<16>()?.split_at(8);
    let number = |bytes: &[u8]| bytes.try_into().ok().map(u64::from_be_bytes);
    Some([number(first)?, number(second)?])
}

/// What an input continuation has.
#[derive(Clone, Copy)]
struct Answered {
    /// Bytes of the answer.
    len: u64,
    /// Those before the present part of the row.
    from: u64,
}

impl Answered {
    fn parse(state: &[u8]) -> Option<Answered> {
        unsealed(state).map(|[len, from]| Answered { len, from })
    }

    fn sealed(self) -> [u8; 16] {
        sealed([self.len, self.from])
    }
}

/// What an output continuation has: where an answer that ends in its part of the row says so. All zero: it does not end
/// there.
#[derive(Clone, Copy, Default)]
struct Ending {
    /// SKIP comes before this byte of the row.
    told_at: u64,
    /// The end of the part.
    row_end: u64,
}

impl Ending {
    fn parse(state: &[u8]) -> Option<Ending> {
        unsealed(state).map(|[told_at, row_end]| Ending { told_at, row_end }).filter(|ending| ending.row_end > 0)
    }

    fn sealed(self) -> [u8; 16] {
        sealed([self.told_at, self.row_end])
    }
}

fn zeros(_: u64, buf: &mut [u8]) -> Result<(), Infallible> {
    buf.fill(0);
    Ok(())
}

impl Zeros {
    /// All that asks for an answer is there: tells what of it has its place in `row`, and how to go on.
    fn begin(&self, answered: Answered, object: u64, taken: u64, row: Range<u64>, answer: &mut Answer<'_>) {
        let (room, left) = (row.end - row.start, answered.len - answered.from);
        let end = row.start + room.min(left);
        let told_at = match self.pipelining {
            Pipelining::Plain => end.saturating_sub(1).max(row.start),
            Pipelining::Skip => row.start + (end - row.start) / 2,
            Pipelining::Parallel => row.start,
        };
        let ending = (end < row.end).then_some(Ending { told_at, row_end: row.end });
        if end > row.start {
            answer.output(object, row.start..end, &ending.unwrap_or_default().sealed());
        }
        if ending.is_none() {
            let next = Answered { from: answered.from + room, ..answered };
            answer.input(object, taken, None, &next.sealed());
        }
        Zeros::send(ending, end, row.start..end, answer);
    }

    /// Sends these bytes of an answer up to `end`, and where it ends among them, if that has its place there.
    fn send(ending: Option<Ending>, end: u64, bytes: Range<u64>, answer: &mut Answer<'_>) {
        let told = ending.filter(|ending| (bytes.start..=bytes.end).contains(&ending.told_at));
        // What is asked for again because a packet was lost may lack just the byte that SKIP is before.
        let before = told.map_or(bytes.start, |ending| ending.told_at);
        if before > bytes.start {
            let Ok(_) = answer.send_with(bytes.start..before, zeros);
        }
        if let Some(Ending { row_end, .. }) = told {
            answer.skip(end..row_end);
        }
        if bytes.end > before {
            let Ok(_) = answer.send_with(before..bytes.end, zeros);
        }
    }
}

impl Application for Zeros {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        match asked {
            Asked::Put { object, state, offset, is_end, reserved, data } => {
                let answered = match state {
                    Some(state) => Answered::parse(state),
                    None => parse(data).map(|(_, len)| Answered { len, from: 0 }),
                };
                let taken = offset + data.len() as u64;
                match answered {
                    None => _ = answer.fault(object, Fault::Application(NO_REQUEST), "it is no request"),
                    Some(answered) if is_end => self.begin(answered, object, taken, reserved, answer),
                    Some(answered) => _ = answer.input(object, taken, None, &answered.sealed()),
                }
            }
            Asked::Want { state, valid, ranges, .. } => {
                let ending = Ending::parse(state);
                for range in ranges.iter() {
                    Zeros::send(ending, valid.end, range, answer);
                }
            }
            Asked::Close | Asked::Bad { .. } => {}
        }
    }
}

/// The code of a fault: what came is no request.
const NO_REQUEST: u64 = 64;

/// What clients have done.
#[derive(Clone, Copy, Default)]
struct Account {
    packets: u64,
    requests: u64,
    repeated: u64,
    lost: u64,
    cuts: u64,
    taken_back: u64,
    timeouts: u64,
}

impl Account {
    fn add(&mut self, stats: &ClientStats) {
        self.packets += stats.packets;
        self.requests += stats.requests;
        self.repeated += stats.repeated;
        self.lost += stats.lost;
        self.cuts += stats.cuts;
        self.taken_back += stats.cuts_taken_back;
        self.timeouts += stats.timeouts;
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Account { packets, requests, repeated, lost, cuts, taken_back, timeouts } = self;
        write!(f, "{packets} packets came of {requests} requests ({repeated} repeated), {lost} taken for lost, ")?;
        write!(f, "{cuts} cuts ({taken_back} taken back), {timeouts} timeouts")
    }
}

/// A host with clients of servers that it knows by address.
pub(crate) struct Trickles {
    usage: Usage,
    /// Its identity's.
    seed: [u8; 32],
    lots: Rng,
    /// Who can be reached, by the first of their addresses.
    known: BTreeMap<IpAddr, Known>,
    connections: BTreeMap<u64, Connection>,
    next: u64,
    /// Who has asked for entropy.
    asker: Option<u64>,
    /// For a datagram that several connections look at.
    copy: Vec<u8>,
    /// What connections that were closed have done.
    past: Account,
}

/// A server, or several of one key.
struct Known {
    eid: Eid,
    /// Those of all, the first included.
    replicas: Vec<SocketAddr>,
    /// What shows this host's address there.
    token: Option<AddressToken>,
}

/// A client, and what is asked of it.
struct Connection {
    client: Client,
    /// The first address of its servers.
    peer: IpAddr,
    /// Bytes of a request that is not whole yet.
    written: Vec<u8>,
    /// Requests that were not asked yet.
    waiting: VecDeque<Vec<u8>>,
    /// Whether they may be.
    may_ask: bool,
    /// Whether the next does not wait for the end of that before it.
    is_parallel: bool,
    /// What was asked, in order, and how much of it was read.
    objects: VecDeque<(ObjectId, u64)>,
    /// Nothing more will be asked.
    is_finished: bool,
    /// What it had done when it was closed.
    closed: Option<ClientStats>,
}

impl Connection {
    /// Asks for what may be asked.
    fn ask(&mut self) {
        while self.may_ask
            && (self.is_parallel || self.objects.back().is_none_or(|(last, _)| self.client.end(*last).is_some()))
            && let Some(request) = self.waiting.front()
            && let Ok(object) = self.client.ask(request.as_slice(), self.options())
        {
            self.waiting.pop_front();
            self.objects.push_back((object, 0));
        }
    }

    /// Who waits for the end of an object reserves room for all of it: servers say half way through what is reserved
    /// where it ends.
    fn options(&self) -> Options {
        let reserve = if self.is_parallel { RESERVE_DEFAULT } else { RESERVED_FOR_WHOLE };
        Options { reserve, ..Options::default() }
    }

    /// Takes a request off what was written, if it is whole.
    fn next_request(&mut self) -> Option<Vec<u8>> {
        let len = (parse(&self.written)?.0 as usize).max(HEAD_LEN);
        (self.written.len() >= len).then(|| self.written.drain(..len).collect())
    }

    /// What has come of the objects, in order.
    fn read(&mut self, out: &mut [u8]) -> Read {
        while let Some((object, read)) = self.objects.front_mut() {
            match self.client.read(*object, out) {
                ObjectRead::Bytes(count) => {
                    *read += count as u64;
                    return Read::Bytes(count);
                }
                // What is not known any more has not ended: its client has.
                ObjectRead::Blocked | ObjectRead::Unknown => return Read::Blocked,
                ObjectRead::End => {
                    self.objects.pop_front();
                    self.ask();
                }
            }
        }
        self.end();
        if self.is_finished && self.waiting.is_empty() { Read::Finished } else { Read::Blocked }
    }

    /// Closes the connection if all that was asked for was read.
    fn end(&mut self) {
        let client = &self.client;
        let is_read = |(object, read): &(ObjectId, u64)| client.end(*object) == Some(*read);
        if self.is_finished && self.waiting.is_empty() && self.objects.iter().all(is_read) {
            self.closed.get_or_insert_with(|| self.client.stats());
            self.client.close();
        }
    }
}

impl Trickles {
    /// A host that knows nobody.
    pub(crate) fn new(usage: Usage, mut key: Rng, lots: Rng) -> Trickles {
        Trickles {
            usage,
            seed: key.bytes(),
            lots,
            known: BTreeMap::new(),
            connections: BTreeMap::new(),
            next: 0,
            asker: None,
            copy: Vec::new(),
            past: Account::default(),
        }
    }

    /// There is somebody there, and replicas at other addresses. Connections are with the nearest of them.
    pub(crate) fn know(&mut self, at: IpAddr, others: &[IpAddr], eid: Eid) {
        let all = core::iter::once(&at).chain(others);
        let replicas = all.map(|at| SocketAddr::new(*at, PORT)).collect();
        self.known.insert(at, Known { eid, replicas, token: None });
    }
}

impl Machine for Trickles {
    /// Of a connection.
    type Event = (u64, ClientEvent);

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            // Those of other connections are nothing to a client; it opens its own in place.
            Input::Datagram(Datagram { remote, local, ecn, segment_size, payload }) => {
                let Trickles { connections, copy, .. } = self;
                for connection in connections.values_mut() {
                    copy.clear();
                    copy.extend_from_slice(payload);
                    let datagram = Datagram { remote, local, ecn, segment_size, payload: copy };
                    connection.client.handle_input(now, Input::Datagram(datagram));
                    connection.ask();
                }
            }
            Input::Entropy(entropy) => {
                let asker = self.asker.take().and_then(|asker| self.connections.get_mut(&asker));
                if let Some(connection) = asker {
                    connection.client.handle_input(now, Input::Entropy(entropy));
                }
            }
            Input::PathChange(change) => {
                for connection in self.connections.values_mut() {
                    connection.client.handle_input(now, Input::PathChange(change));
                }
            }
            Input::LinkLoss(_) | Input::Unreachable(_) => {}
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.connections.values_mut().for_each(|connection| connection.client.handle_timeout(now));
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<(u64, ClientEvent)> {
        let mut timeout: Option<Instant> = None;
        for (id, connection) in &mut self.connections {
            match connection.client.poll_output(now, buf) {
                Output::Transmit(transmit) => return Output::Transmit(transmit),
                Output::Event(event) => return Output::Event((*id, event)),
                Output::NeedsEntropy => {
                    self.asker = Some(*id);
                    return Output::NeedsEntropy;
                }
                Output::Timeout(at) => timeout = [timeout, at].into_iter().flatten().min(),
            }
        }
        Output::Timeout(timeout)
    }
}

impl Transport for Trickles {
    type Stream = u64;
    type Carrier = u64;

    fn carrier(stream: u64) -> u64 {
        stream
    }

    fn open(&mut self, now: Instant, to: IpAddr, _: Option<&Choice>) -> Result<u64, OpenError> {
        let Some(Known { eid, replicas, token }) = self.known.get(&to) else {
            return Err(OpenError::Refused(format!("nobody is known at {to}")));
        };
        let replicas = Replicas::new(replicas.clone(), Policy::Nearest).expect("there is one");
        let call = Call { token: *token, ..Call::new(*eid) };
        let (config, seed) = (client_config(self.usage), self.lots.bytes::<32>());
        let client = Client::connect(config, Identity::from_seed(self.seed), call, replicas, seed, now);
        let stream = self.next;
        self.next += 1;
        let connection = Connection {
            client,
            peer: to,
            written: Vec::new(),
            waiting: VecDeque::new(),
            may_ask: self.usage.first_data,
            is_parallel: self.usage.pipelining == Pipelining::Parallel,
            objects: VecDeque::new(),
            is_finished: false,
            closed: None,
        };
        self.connections.insert(stream, connection);
        Ok(stream)
    }

    fn write(&mut self, stream: u64, bytes: &[u8]) -> usize {
        let Some(connection) = self.connections.get_mut(&stream) else { return 0 };
        connection.written.extend_from_slice(bytes);
        while let Some(request) = connection.next_request() {
            connection.waiting.push_back(request);
        }
        connection.ask();
        bytes.len()
    }

    fn finish(&mut self, stream: u64) {
        if let Some(connection) = self.connections.get_mut(&stream) {
            connection.is_finished = true;
            connection.end();
        }
    }

    fn read(&mut self, stream: u64, out: &mut [u8]) -> Read {
        self.connections.get_mut(&stream).map_or(Read::Gone, |connection| connection.read(out))
    }

    fn account(&self) -> String {
        let mut account = self.past;
        self.connections.values().for_each(|connection| account.add(&connection.client.stats()));
        account.to_string()
    }

    fn hang_up(&mut self, _: Instant, to: IpAddr) {
        let there = self.connections.values_mut().filter(|connection| connection.peer == to);
        there.for_each(|connection| connection.client.close());
    }

    fn hear(&mut self, (id, event): (u64, ClientEvent), tell: &mut Vec<Event<Trickles>>) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        match event {
            ClientEvent::Connected => {
                if let Some(known) = self.known.get_mut(&connection.peer) {
                    known.token = connection.client.token();
                }
                connection.may_ask = true;
                connection.ask();
            }
            ClientEvent::Readable(_) => tell.push(Event::Stream(id, News::Readable)),
            ClientEvent::Finished(_) => {
                // The reader may have all already, but for the word that it is all.
                connection.end();
                tell.push(Event::Stream(id, News::Readable));
            }
            ClientEvent::Failed(_, error) => {
                let (peer, how) = (Some(connection.peer), error.to_string());
                connection.client.close();
                tell.push(Event::Lost { carrier: id, peer, how, rtt: None });
            }
            ClientEvent::Ended(error) => {
                let peer = Some(connection.peer);
                let stats = connection.closed.unwrap_or_else(|| connection.client.stats());
                self.past.add(&stats);
                self.connections.remove(&id);
                if error != ClientError::Closed {
                    tell.push(Event::Lost { carrier: id, peer, how: error.to_string(), rtt: None });
                }
            }
        }
    }
}
