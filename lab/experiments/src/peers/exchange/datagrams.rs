//! Datagrams of one size, sent one after the other, on a link that others may use, too: how many come, and when.

use core::net::SocketAddr;
use core::time::Duration;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tng_base::{Instant, Machine};
use tng_semantic::structured::{Read, ServiceOptions, StreamEvent, StreamId};
use tng_sim::{App, IpProtocol, Link, MachineNode, Node, PORT, World, fork, topology};
use tng_stack::{Access, ConnectionId, EventKind, Host as TngHost, HostConfig, HostEvent, Identity, Target};

use super::udp::{DATAGRAM_MAX, Received, UdpHost};
use super::world::Setting;
use crate::peers::contest;
use crate::peers::quic;
use crate::peers::transport::sst::SERVICE;
use crate::peers::transport::tell;
use crate::settings::{Configured, Settings};

/// By what datagrams are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Post {
    /// UDP; IP cuts what no packet holds, and all fragments have to come.
    Udp,
    /// QUIC datagrams (RFC 9221).
    Quic,
    /// tng's: in as many packets as it takes, or, where one of many packets would probably be lost, as a stream.
    Tng,
    /// Each on a tng stream of its own, which is reliable.
    Streams,
}

/// What is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch {
    /// Bytes of each.
    pub size: usize,
    /// How many.
    pub count: u64,
    /// Time between one and the next.
    pub interval: Duration,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Delivery {
    /// How many were taken to be sent.
    pub accepted: u64,
    /// How long each took that came whole, in the order in which they came.
    pub took: Vec<Duration>,
}

impl Delivery {
    /// How many came, whole.
    pub fn delivered(&self) -> u64 {
        self.took.len() as u64
    }
}

/// Bytes at the start of a datagram that say which it is.
pub const NUMBER_LEN: usize = 8;

/// When the first is sent: a transport that needs a connection has it by then, unless the path is very long or bad.
const START: Instant = Instant::from_secs(5);
/// How long the last ones are waited for.
const LINGER: Duration = Duration::from_secs(60);
/// Rate of a host's own link, bits per second: never the limit.
const ACCESS_BPS: u64 = 1_000_000_000;
/// Addresses and lots of those beside begin here.
const BESIDE: u16 = 64;

/// One side's use of a transport.
trait Postman {
    type Host: Machine;

    /// Makes what is needed before datagrams can be sent.
    fn prepare(&mut self, _: Instant, _: &mut Self::Host) {}

    /// Sends one, of these bytes; whether it was taken.
    fn send(&mut self, host: &mut Self::Host, number: u64, bytes: &[u8]) -> bool;

    /// Adds the numbers of those that came with an event.
    fn take(&mut self, host: &mut Self::Host, event: <Self::Host as Machine>::Event, came: &mut Vec<u64>);
}

/// Which datagram it is.
fn number(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk::<NUMBER_LEN>().map(|number| u64::from_be_bytes(*number))
}

struct Udp;

impl Postman for Udp {
    type Host = UdpHost;

    fn send(&mut self, host: &mut UdpHost, number: u64, bytes: &[u8]) -> bool {
        let len = u32::try_from(bytes.len()).ok().filter(|len| *len <= DATAGRAM_MAX);
        if let Some(len) = len {
            host.send(SocketAddr::new(topology::B, PORT), number, 0, len);
        }
        len.is_some()
    }

    fn take(&mut self, _: &mut UdpHost, received: Received, came: &mut Vec<u64>) {
        came.push(received.tag);
    }
}

#[derive(Default)]
struct Quic {
    connection: Option<quic::ConnectionId>,
}

impl Postman for Quic {
    type Host = quic::Host;

    fn prepare(&mut self, now: Instant, host: &mut quic::Host) {
        self.connection = host.connect(now, SocketAddr::new(topology::B, PORT)).ok();
    }

    fn send(&mut self, host: &mut quic::Host, _: u64, bytes: &[u8]) -> bool {
        self.connection.is_some_and(|id| host.send_datagram(id, bytes).is_ok())
    }

    fn take(&mut self, host: &mut quic::Host, event: quic::Event, came: &mut Vec<u64>) {
        if event.news == quic::News::DatagramReadable {
            while let Ok(Some(bytes)) = host.recv_datagram(event.id) {
                came.extend(number(&bytes));
            }
        }
    }
}

struct Tng {
    server: Target,
    /// The stream whose children datagrams are.
    parent: Option<(ConnectionId, StreamId)>,
}

impl Postman for Tng {
    type Host = TngHost;

    fn prepare(&mut self, now: Instant, host: &mut TngHost) {
        let Ok(id) = host.connect(now, self.server.clone()) else { return };
        let opened = host.streams(id).and_then(|streams| streams.open(SERVICE.0, SERVICE.1).ok());
        self.parent = opened.map(|stream| (id, stream));
    }

    fn send(&mut self, host: &mut TngHost, _: u64, bytes: &[u8]) -> bool {
        let Some((id, parent)) = self.parent else { return false };
        host.streams(id).is_some_and(|streams| streams.send_datagram(parent, bytes, None).is_ok())
    }

    fn take(&mut self, host: &mut TngHost, event: HostEvent, came: &mut Vec<u64>) {
        let Some(streams) = host.streams(event.connection) else { return };
        let mut parents = Vec::new();
        match event.kind {
            EventKind::Stream(StreamEvent::ChildIncoming { parent }) => parents.push(parent),
            EventKind::Stream(StreamEvent::Incoming) => {
                parents.extend(core::iter::from_fn(|| streams.accept()).map(|incoming| incoming.id));
            }
            _ => {}
        }
        for parent in parents {
            came.extend(core::iter::from_fn(|| streams.recv_datagram(parent)).filter_map(|bytes| number(&bytes)));
        }
    }
}

/// The same connection, with a child stream in place of each datagram.
struct Streams {
    tng: Tng,
    /// What has come of those that are not whole: which it is, as soon as that has come.
    open: BTreeMap<StreamId, Vec<u8>>,
    buffer: Vec<u8>,
}

impl Streams {
    fn new(tng: Tng) -> Streams {
        Streams { tng, open: BTreeMap::new(), buffer: vec![0; 16 << 10] }
    }
}

impl Postman for Streams {
    type Host = TngHost;

    fn prepare(&mut self, now: Instant, host: &mut TngHost) {
        self.tng.prepare(now, host);
        let Some((id, parent)) = self.tng.parent else { return };
        // A stream that has carried nothing is not known at the other end.
        let _ = host.streams(id).map(|streams| streams.write(parent, b"."));
    }

    fn send(&mut self, host: &mut TngHost, _: u64, bytes: &[u8]) -> bool {
        let Some((id, parent)) = self.tng.parent else { return false };
        let Some(streams) = host.streams(id) else { return false };
        let Ok(stream) = streams.open_child(parent) else { return false };
        let whole = streams.write(stream, bytes) == Ok(bytes.len()) && streams.finish(stream).is_ok();
        if !whole {
            streams.reset(stream, 0);
        }
        whole
    }

    fn take(&mut self, host: &mut TngHost, event: HostEvent, came: &mut Vec<u64>) {
        let Some(streams) = host.streams(event.connection) else { return };
        let mut told = Vec::new();
        match event.kind {
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(parent) = streams.accept() {
                    told.extend(core::iter::from_fn(|| streams.accept_child(parent.id)));
                }
            }
            EventKind::Stream(StreamEvent::ChildIncoming { parent }) => {
                told.extend(core::iter::from_fn(|| streams.accept_child(parent)));
            }
            EventKind::Stream(StreamEvent::Readable(stream)) => told.push(stream),
            _ => {}
        }
        for stream in told {
            let begin = self.open.entry(stream).or_default();
            loop {
                match streams.read(stream, &mut self.buffer) {
                    Ok(Read::Bytes(count)) => {
                        let room = NUMBER_LEN.saturating_sub(begin.len());
                        begin.extend_from_slice(&self.buffer[..count.min(room)]);
                    }
                    Ok(Read::Finished) => {
                        came.extend(number(begin));
                        self.open.remove(&stream);
                        // There is nothing to say in the other direction.
                        let _ = streams.finish(stream);
                        break;
                    }
                    Ok(Read::Blocked) | Err(_) => break,
                }
            }
        }
    }
}

/// One of the two sides: a batch to be sent, or none.
struct Side<P> {
    postman: P,
    batch: Option<Batch>,
    prepared: bool,
    sent: u64,
    came: Vec<u64>,
    bytes: Vec<u8>,
    /// What both know.
    ledger: Rc<RefCell<Ledger>>,
}

#[derive(Default)]
struct Ledger {
    delivery: Delivery,
    sent_at: BTreeMap<u64, Instant>,
}

impl<P: Postman> Side<P> {
    fn new(postman: P, batch: Option<Batch>, ledger: &Rc<RefCell<Ledger>>) -> Side<P> {
        let bytes = vec![0; batch.map_or(0, |batch| batch.size)];
        Side { postman, batch, prepared: false, sent: 0, came: Vec::new(), bytes, ledger: ledger.clone() }
    }
}

impl<P: Postman> App<P::Host> for Side<P> {
    fn handle_event(&mut self, now: Instant, host: &mut P::Host, event: <P::Host as Machine>::Event) {
        self.postman.take(host, event, &mut self.came);
        let mut ledger = self.ledger.borrow_mut();
        for number in self.came.drain(..) {
            // Each counts once.
            if let Some(sent_at) = ledger.sent_at.remove(&number) {
                ledger.delivery.took.push(now.since(sent_at));
            }
        }
    }

    fn poll(&mut self, now: Instant, host: &mut P::Host) -> Option<Instant> {
        let batch = self.batch?;
        if !core::mem::replace(&mut self.prepared, true) {
            self.postman.prepare(now, host);
        }
        let mut due = START;
        for number in 0..batch.count {
            if number >= self.sent {
                if due > now {
                    return Some(due);
                }
                self.sent += 1;
                if let Some(begin) = self.bytes.first_chunk_mut::<NUMBER_LEN>() {
                    *begin = number.to_be_bytes();
                }
                if self.postman.send(host, number, &self.bytes) {
                    let mut ledger = self.ledger.borrow_mut();
                    ledger.delivery.accepted += 1;
                    ledger.sent_at.insert(number, now);
                }
            }
            due += batch.interval;
        }
        None
    }
}

/// A batch that is sent from the client to the server of a world.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Consignment<'s> {
    /// By what.
    pub post: Post,
    /// What.
    pub batch: Batch,
    /// In which world; its controller governs none of this.
    pub setting: &'s Setting,
    /// What leads from each sender to the link.
    pub access: &'s Link,
    /// Who sends on the link beside it, over the reference TCP.
    pub beside: &'s [contest::Party],
}

impl Configured for Consignment<'_> {
    fn tell(&self, settings: &mut Settings) {
        let Consignment { post, batch, setting, access, beside } = self;
        setting.tell(settings);
        tell::link(settings, "senders to the link", access);
        tell::link(settings, "link to the receivers, and all against the datagrams", &far_access());
        for party in *beside {
            settings.set("flows beside over tcp", "flows", beside.len());
            tell::tcp(settings, "flows beside over tcp", &contest::tcp_config(party));
        }
        let part = format!("datagrams by {post:?}");
        settings.describe(&part, batch);
        match post {
            Post::Udp => {}
            Post::Quic => tell::quic(settings, &part, &quic::Config::default()),
            Post::Tng | Post::Streams => tell::host(settings, &part, &HostConfig::new(Access::Public)),
        }
    }
}

/// What leads from the link to a host, and from a host against the datagrams.
fn far_access() -> Link {
    Link::new().rate(ACCESS_BPS)
}

impl Consignment<'_> {
    /// Sends it.
    pub fn deliver(self) -> Delivery {
        let seed = self.setting.seed;
        match self.post {
            Post::Udp => self.run((UdpHost::default(), Udp), (UdpHost::default(), Udp)),
            Post::Quic => {
                let host = |lot| quic::Host::new(&quic::Config::default(), fork(seed, lot));
                let (sender, mut receiver) = (host(1), host(2));
                receiver.listen();
                self.run((sender, Quic::default()), (receiver, Quic::default()))
            }
            Post::Tng | Post::Streams => {
                let identity = |lot| Identity::from_seed(fork(seed, lot).bytes::<32>());
                let host = |key, lot| {
                    TngHost::new(HostConfig::new(Access::Public), identity(key), fork(seed, lot).bytes::<32>())
                };
                let (sender, mut receiver) = (host(3, 1), host(4, 2));
                receiver.listen(SERVICE.0, SERVICE.1, ServiceOptions { substreams: true, ..ServiceOptions::default() });
                let addresses = vec![SocketAddr::new(topology::B, PORT)];
                let server = Target { eid: identity(4).eid(), addresses, capability: None, via: Vec::new() };
                let postman = || Tng { server: server.clone(), parent: None };
                match self.post {
                    Post::Streams => self.run((sender, Streams::new(postman())), (receiver, Streams::new(postman()))),
                    _ => self.run((sender, postman()), (receiver, postman())),
                }
            }
        }
    }

    fn run<P: Postman + 'static>(self, from: (P::Host, P), to: (P::Host, P)) -> Delivery
    where
        P::Host: 'static,
    {
        let Consignment { post: _, batch, setting, access, beside } = self;
        let ledger = Rc::new(RefCell::new(Ledger::default()));
        let mut world: World<Box<dyn Node>> = World::new(setting.seed);
        let (near, far) = (world.router("near"), world.router("far"));
        world.connect_with(near, far, &setting.up, &setting.down);
        let sender = MachineNode::new(from.0, Side::new(from.1, Some(batch), &ledger));
        let receiver = MachineNode::new(to.0, Side::new(to.1, None, &ledger));
        let a = world.host("sender", &[topology::A], Box::new(sender));
        let b = world.host("receiver", &[topology::B], Box::new(receiver));
        let mut pairs = vec![(a, b)];
        for (number, party) in (0_u64..).zip(beside) {
            let at = [0, 1].map(|side| topology::ipv4(BESIDE + 2 * number as u16 + side));
            let lots = [0, 1].map(|side| fork(setting.seed, u64::from(BESIDE) + 2 * number + side));
            let nodes = contest::tcp_nodes(party, lots, at, &contest::Seat::alone());
            let [sends, reads] =
                [("sends", 0), ("reads", 1)].map(|(what, side)| (format!("{what} {number}"), at[side]));
            let [left, right] = nodes;
            let left = world.host(&sends.0, &[sends.1], left);
            let right = world.host(&reads.0, &[reads.1], right);
            for id in [left, right] {
                world.set_protocol(id, IpProtocol::Tcp);
            }
            pairs.push((left, right));
        }
        for (left, right) in pairs {
            world.connect_with(left, near, access, &far_access());
            world.connect(right, far, &far_access());
        }
        let sending = batch.interval * u32::try_from(batch.count).unwrap_or(u32::MAX);
        world.run_until(START + sending + LINGER);
        ledger.take().delivery
    }
}
