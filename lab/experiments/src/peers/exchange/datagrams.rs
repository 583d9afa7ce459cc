//! Datagrams of one size, sent one after the other: how many come.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{Instant, Machine};
use tng_semantic::structured::{ServiceOptions, StreamEvent, StreamId};
use tng_sim::{App, MachineNode, PORT, World, fork, topology};
use tng_stack::{Access, ConnectionId, EventKind, Host as TngHost, HostConfig, HostEvent, Identity, Target};

use super::udp::{DATAGRAM_MAX, Received, UdpHost};
use super::world::Setting;
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Delivery {
    /// How many were taken to be sent.
    pub accepted: u64,
    /// How many came, whole.
    pub delivered: u64,
}

/// When the first is sent: whoever needs a connection has it by then, unless the path is very long or bad.
const START: Instant = Instant::from_secs(5);
/// How long the last ones are waited for.
const LINGER: Duration = Duration::from_secs(60);

/// One side's use of a transport.
trait Postman {
    type Host: Machine;

    /// Makes what is needed before datagrams can be sent.
    fn prepare(&mut self, _: Instant, _: &mut Self::Host) {}

    /// Sends one, of these bytes; whether it was taken.
    fn send(&mut self, host: &mut Self::Host, number: u64, bytes: &[u8]) -> bool;

    /// How many came with an event.
    fn take(&mut self, host: &mut Self::Host, event: <Self::Host as Machine>::Event) -> u64;
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

    fn take(&mut self, _: &mut UdpHost, _: Received) -> u64 {
        1
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

    fn take(&mut self, host: &mut quic::Host, event: quic::Event) -> u64 {
        let mut count = 0;
        if event.news == quic::News::DatagramReadable {
            while let Ok(Some(_)) = host.recv_datagram(event.id) {
                count += 1;
            }
        }
        count
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

    fn take(&mut self, host: &mut TngHost, event: HostEvent) -> u64 {
        let mut count = 0;
        let Some(streams) = host.streams(event.connection) else { return 0 };
        let mut drain = |parent| {
            while streams.recv_datagram(parent).is_some() {
                count += 1;
            }
        };
        match event.kind {
            EventKind::Stream(StreamEvent::ChildIncoming { parent }) => drain(parent),
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(incoming) = streams.accept() {
                    while streams.recv_datagram(incoming.id).is_some() {
                        count += 1;
                    }
                }
            }
            _ => {}
        }
        count
    }
}

/// One of the two sides: a batch to be sent, or none.
struct Side<P> {
    postman: P,
    batch: Option<Batch>,
    prepared: bool,
    sent: u64,
    delivery: Delivery,
    bytes: Vec<u8>,
}

impl<P: Postman> Side<P> {
    fn new(postman: P, batch: Option<Batch>) -> Side<P> {
        let bytes = vec![0; batch.map_or(0, |batch| batch.size)];
        Side { postman, batch, prepared: false, sent: 0, delivery: Delivery::default(), bytes }
    }
}

impl<P: Postman> App<P::Host> for Side<P> {
    fn handle_event(&mut self, _: Instant, host: &mut P::Host, event: <P::Host as Machine>::Event) {
        self.delivery.delivered += self.postman.take(host, event);
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
                self.delivery.accepted += u64::from(self.postman.send(host, number, &self.bytes));
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
}

impl Configured for Consignment<'_> {
    fn tell(&self, settings: &mut Settings) {
        let Consignment { post, batch, setting } = self;
        setting.tell(settings);
        let part = format!("datagrams by {post:?}");
        settings.describe(&part, batch);
        match post {
            Post::Udp => {}
            Post::Quic => tell::quic(settings, &part, &quic::Config::default()),
            Post::Tng => tell::host(settings, &part, &HostConfig::new(Access::Public)),
        }
    }
}

impl Consignment<'_> {
    /// Sends it.
    pub fn deliver(self) -> Delivery {
        let Consignment { post, batch, setting } = self;
        match post {
            Post::Udp => run(batch, setting, (UdpHost::default(), Udp), (UdpHost::default(), Udp)),
            Post::Quic => {
                let host = |lot| quic::Host::new(&quic::Config::default(), fork(setting.seed, lot));
                let (sender, mut receiver) = (host(1), host(2));
                receiver.listen();
                run(batch, setting, (sender, Quic::default()), (receiver, Quic::default()))
            }
            Post::Tng => {
                let identity = |lot| Identity::from_seed(fork(setting.seed, lot).bytes::<32>());
                let host = |key, lot| {
                    TngHost::new(HostConfig::new(Access::Public), identity(key), fork(setting.seed, lot).bytes::<32>())
                };
                let (sender, mut receiver) = (host(3, 1), host(4, 2));
                receiver.listen(SERVICE.0, SERVICE.1, ServiceOptions { substreams: true, ..ServiceOptions::default() });
                let addresses = vec![SocketAddr::new(topology::B, PORT)];
                let server = Target { eid: identity(4).eid(), addresses, capability: None, via: Vec::new() };
                let postman = || Tng { server: server.clone(), parent: None };
                run(batch, setting, (sender, postman()), (receiver, postman()))
            }
        }
    }
}

fn run<P: Postman>(batch: Batch, setting: &Setting, from: (P::Host, P), to: (P::Host, P)) -> Delivery {
    let mut world = World::new(setting.seed);
    let a = world.host("sender", &[topology::A], MachineNode::new(from.0, Side::new(from.1, Some(batch))));
    let b = world.host("receiver", &[topology::B], MachineNode::new(to.0, Side::new(to.1, None)));
    world.connect_with(a, b, &setting.up, &setting.down);
    let sending = batch.interval * u32::try_from(batch.count).unwrap_or(u32::MAX);
    world.run_until(START + sending + LINGER);
    Delivery { accepted: world.node(a).app.delivery.accepted, delivered: world.node(b).app.delivery.delivered }
}
