//! A helper that counts what it allocates, and those whose flows it helps.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{ChannelId, Datagram, Ecn, Input, Instant, Machine, Output, Rng};
use tng_crypto::{Secret32, SecretRng};
use tng_flow::wire::Greeting;
use tng_flow::{Itinerary, Stop, join};
use tng_middlebox::{ClientTag, Helper, HelperConfig, HelperEvent, HelperStats, Network, Onward};
use tng_sim::topology::ipv4;
use tng_sim::{App, Link, MachineNode, Node, NodeId, Outbox, PORT, World};
use tng_stack::structured::{Read, ServiceOptions, StreamId, Streams};
use tng_stack::{
    Access, Capability, ConnectionId, EventKind, ExchangeLimits, Host, HostConfig, HostEvent, Identity, Target, Via,
};

use crate::live;

/// How long nothing happens.
pub const REST: Duration = Duration::from_secs(3);

/// Bytes that each client sends, and has in return.
pub const TALK: usize = 200_000;

/// Between two clients that begin.
const APART: Duration = Duration::from_millis(2);

const SERVICE: (&str, &str) = ("sink", "memory/1");

const HELPER: u16 = 0;
const SERVER: u16 = 1;
const CLIENTS_FROM: u16 = 2;

/// A helper, and the bytes that it has allocated.
pub struct Counted {
    pub helper: Helper,
    pub bytes: isize,
}

impl Counted {
    pub fn new() -> Counted {
        let before = live();
        let onward = Onward::Listed(vec![Network { address: ipv4(0), bits: 8 }]);
        let config = HelperConfig { onward, ..HelperConfig::default() };
        let helper = Helper::new(config, &Secret32::from_bytes([1; 32]), 1_700_000_000_000, [2; 32]);
        Counted { helper, bytes: live() - before }
    }

    fn counted<T>(&mut self, call: impl FnOnce(&mut Helper) -> T) -> T {
        let before = live();
        let answer = call(&mut self.helper);
        self.bytes += live() - before;
        answer
    }

    /// What lets a client have so many flows.
    pub fn capability(&self, client: u64, flows_max: u16) -> Capability {
        let life = (Duration::from_secs(3_600), flows_max);
        self.helper.office().issue(Instant::ZERO, ClientTag(client), life, Rng::from_u64(client).bytes::<32>())
    }
}

impl Machine for Counted {
    type Event = HelperEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.counted(|helper| helper.handle_input(now, input));
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.counted(|helper| helper.handle_timeout(now));
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<HelperEvent> {
        self.counted(|helper| helper.poll_output(now, buf))
    }
}

/// What is on which way to it.
fn at(number: u16) -> SocketAddr {
    SocketAddr::new(ipv4(number), PORT)
}

/// So many flows of one client whose JOINs nobody answers.
pub fn half_open(flows: u16, from: &mut Counted) -> HelperStats {
    let capability = from.capability(1, flows);
    let mut buf = vec![0; 65_507];
    for flow in 0..flows {
        let mut rng = Rng::from_u64(flow.into());
        let itinerary = Itinerary::new(vec![Stop::new(at(HELPER), capability.clone())], at(SERVER)).expect("a path");
        let keys = itinerary.draw_keys(&mut SecretRng::new(rng.bytes::<32>()));
        let id = ChannelId::from_u64(rng.u64());
        let greeting = Greeting { id, reset_token: rng.bytes(), payload_max: u16::MAX, repair_ms: 0 };
        let mut message = join(keys.near(), &greeting, &itinerary.orders(&keys, &[3; 1_200]));
        let (remote, segment_size) = (at(CLIENTS_FROM), message.len());
        let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut message };
        from.handle_input(Instant::ZERO, Input::Datagram(datagram));
        loop {
            match from.poll_output(Instant::ZERO, &mut buf) {
                Output::NeedsEntropy => from.handle_input(Instant::ZERO, Input::Entropy(&mut [9; 32])),
                Output::Timeout(_) => break,
                Output::Transmit(_) | Output::Event(_) => {}
            }
        }
    }
    from.helper.stats()
}

/// Begins some time, and sends so many bytes on a stream of its own whenever it is told to.
pub struct Client {
    target: Option<Target>,
    begin_at: Instant,
    connection: Option<ConnectionId>,
}

impl App<Host> for Client {
    fn handle_event(&mut self, _: Instant, _: &mut Host, _: HostEvent) {}

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if self.begin_at > now {
            return Some(self.begin_at);
        }
        if let Some(target) = self.target.take() {
            self.connection = host.connect(now, target).ok();
            write(host, self.connection, 100);
        }
        None
    }
}

fn write(host: &mut Host, connection: Option<ConnectionId>, bytes: usize) {
    let Some(streams) = connection.and_then(|id| host.streams(id)) else { return };
    let stream = streams.open(SERVICE.0, SERVICE.1).expect("leave");
    assert_eq!(streams.write(stream, &vec![7; bytes]), Ok(bytes), "there is room");
    streams.finish(stream).expect("it is open");
}

/// Reads all that comes, and answers as much once it has all.
#[derive(Default)]
pub struct Server {
    streams: Vec<Echo>,
    pub answered: usize,
}

struct Echo {
    connection: ConnectionId,
    id: StreamId,
    owed: usize,
    is_whole: bool,
}

impl Echo {
    /// Answers whether it is over.
    fn advance(&mut self, streams: &mut Streams, buf: &mut [u8]) -> bool {
        while !self.is_whole
            && let Ok(read) = streams.read(self.id, buf)
        {
            match read {
                Read::Bytes(len) => self.owed += len,
                Read::Finished => self.is_whole = true,
                Read::Blocked => return false,
            }
        }
        while self.owed > 0
            && let Ok(written @ 1..) = streams.write(self.id, &buf[..self.owed.min(buf.len())])
        {
            self.owed -= written;
        }
        self.owed == 0 && streams.finish(self.id).is_ok()
    }
}

impl App<Host> for Server {
    fn handle_event(&mut self, _: Instant, host: &mut Host, HostEvent { connection, kind }: HostEvent) {
        let (Some(streams), EventKind::Stream(_)) = (host.streams(connection), kind) else { return };
        let echo = |id| Echo { connection, id, owed: 0, is_whole: false };
        self.streams.extend(core::iter::from_fn(|| streams.accept()).map(|incoming| echo(incoming.id)));
        let mut buf = [0; 16_384];
        let before = self.streams.len();
        self.streams.retain_mut(|echo| echo.connection != connection || !echo.advance(streams, &mut buf));
        self.answered += before - self.streams.len();
    }

    fn poll(&mut self, _: Instant, _: &mut Host) -> Option<Instant> {
        None
    }
}

pub enum Any {
    Client(Box<MachineNode<Host, Client>>),
    Server(Box<MachineNode<Host, Server>>),
    Helper(Box<MachineNode<Counted, ()>>),
}

macro_rules! each {
    ($any:expr, $node:ident => $call:expr) => {
        match $any {
            Any::Client($node) => $call,
            Any::Server($node) => $call,
            Any::Helper($node) => $call,
        }
    };
}

impl Node for Any {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        each!(self, node => node.handle_input(now, input));
    }

    fn handle_timeout(&mut self, now: Instant) {
        each!(self, node => node.handle_timeout(now));
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        each!(self, node => node.poll(now, outbox))
    }
}

/// Clients with a flow each, a helper and a server, each with a link of its own to the router between them.
pub struct Established {
    pub world: World<Any>,
    clients: Vec<NodeId>,
    helper: NodeId,
    server: NodeId,
}

impl Established {
    pub fn new(seed: u64, flows: u16) -> Established {
        let mut world = World::new(seed);
        let router = world.router("router");
        let counted = Counted::new();
        let identity = Identity::from_seed([1; 32]);
        let (eid, helper_eid) = (identity.eid(), Identity::from_seed([2; 32]).eid());
        let mut clients = Vec::new();
        let slow = Link::new().rate(50_000_000).delay(Duration::from_millis(10));
        let fast = Link::new().rate(10_000_000_000).delay(Duration::from_millis(1));
        for number in 0..flows {
            let stop = Stop::new(at(HELPER), counted.capability(number.into(), 16));
            let via = vec![Via { trusted: true, ..Via::new(helper_eid, stop) }];
            let target = Some(Target { eid, addresses: vec![at(SERVER)], capability: None, via });
            let begin_at = Instant::ZERO + APART * u32::from(number);
            let seed = core::array::from_fn(|at| if at == 0 { 3 } else { (number >> (8 * (at % 2))) as u8 });
            let host = Host::new(HostConfig::new(Access::Nobody), Identity::from_seed(seed), seed);
            let node = MachineNode::new(host, Client { target, begin_at, connection: None });
            let client = world.host("client", &[ipv4(CLIENTS_FROM + number)], Any::Client(Box::new(node)));
            world.connect(client, router, &slow);
            clients.push(client);
        }
        let config =
            HostConfig { exchanges: ExchangeLimits::NONE, memory_max: 4 << 30, ..HostConfig::new(Access::Public) };
        let mut host = Host::new(config, identity, [4; 32]);
        host.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
        let server = Any::Server(Box::new(MachineNode::new(host, Server::default())));
        let server = world.host("server", &[ipv4(SERVER)], server);
        let helper = world.host("helper", &[ipv4(HELPER)], Any::Helper(Box::new(MachineNode::new(counted, ()))));
        world.connect(server, router, &fast);
        world.connect(helper, router, &fast);
        let mut established = Established { world, clients, helper, server };
        established.run(APART * u32::from(flows) + Duration::from_millis(100));
        established
    }

    pub fn run(&mut self, time: Duration) {
        self.world.run_until(self.world.now() + time);
    }

    pub fn helper(&self) -> &Counted {
        match self.world.node(self.helper) {
            Any::Helper(node) => &node.machine,
            _ => unreachable!("it is the helper"),
        }
    }

    pub fn answered(&self) -> usize {
        match self.world.node(self.server) {
            Any::Server(node) => node.app.answered,
            _ => unreachable!("it is the server"),
        }
    }

    /// Each client sends so many bytes, and has as many back.
    pub fn talk(&mut self, bytes: usize) {
        for id in self.clients.clone() {
            if let Any::Client(node) = self.world.node_mut(id) {
                write(&mut node.machine, node.app.connection, bytes);
            }
            self.run(APART);
        }
    }
}
