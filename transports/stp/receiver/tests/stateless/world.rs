//! A server without state, which also has the code of its client, and a host that has neither.

use core::convert::Infallible;
use core::ops::Range;
use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tng_base::{CodeHash, Input, Instant};
use tng_crypto::{Secret32, code_hash};
use tng_isolation::Identity;
use tng_services::code::{self, Code as Shipped, Desk, Fetch, Form, Reply, Request, Shelf};
use tng_sim::topology::{A, B};
use tng_sim::{App, IpProtocol, Link, LinkId, MachineNode, Node, NodeId, Outbox, PORT, World};
use tng_stack::structured::{Read, ServiceOptions, StreamEvent, StreamId};
use tng_stack::{Access, ConnectionId, EventKind, Host, HostConfig, HostEvent, Target};
use tng_stp_abi::Role;
use tng_stp_host::{Around, Callback, Code, Fault, Instance, Quotas, Workshop};
use tng_stp_receiver::{Event, FUEL_MAX, Receiver, ReceiverConfig};
use tng_stp_sandbox::{Engine, Module};
use tng_trickles::minisocket::{Answer, Application, Asked};
use tng_trickles::server::{Beginnings, Server, ServerConfig};
use tng_trickles::set_up::Call;
use tng_trickles::wire::Fault as ServerFault;
use tng_trickles::{EPOCH, EpochSecret, Keys, Wall, WallClock};
use tng_wire::{Reader, Repr, battery};

/// The client of Trickles as a module.
pub const MODULE: &[u8] = include_bytes!("../../../guests/modules/trickles.wasm");

/// Where the server without state listens, and the guest's host.
const STATELESS: u16 = PORT + 1;
/// The time at the beginning.
const START_MS: u64 = 3_000_000 * EPOCH.as_millis() as u64 + 60_000;

/// Seeds of a test: as many as `TNG_SEEDS` says, or as take no time. The last that is printed is the one that fails.
pub fn seeds(usual: u64) -> impl Iterator<Item = u64> {
    let asked: Option<u64> = std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok());
    (0..asked.unwrap_or(usual)).inspect(|seed| println!("seed {seed}"))
}

/// What byte of every object stands there.
pub fn byte(at: u64) -> u8 {
    (at ^ at >> 8 ^ at >> 16) as u8
}

/// What a server without state has.
pub trait Library: Send + Sync {
    /// How long the object is that is asked for, and from which byte on it is wanted first; nothing if there is none.
    fn find(&self, asked: &[u8]) -> Option<(u64, u64)>;

    /// Its bytes from there on.
    fn fill(&self, asked: &[u8], from: u64, buf: &mut [u8]);
}

/// Objects that are as long as what asks for them says.
pub struct Lengths;

impl Library for Lengths {
    fn find(&self, asked: &[u8]) -> Option<(u64, u64)> {
        Some((core::str::from_utf8(asked).ok()?.parse().ok()?, 0))
    }

    fn fill(&self, _: &[u8], from: u64, buf: &mut [u8]) {
        buf.iter_mut().zip(from..).for_each(|(place, at)| *place = byte(at));
    }
}

/// Hands out a library, and keeps nothing: what it seals is where the reserved part begins in the object, and what
/// asked for it.
pub struct Librarian(Arc<dyn Library>);

impl Librarian {
    fn send(&self, answer: &mut Answer<'_>, range: Range<u64>, (start, from): (u64, u64), asked: &[u8]) {
        let sent = answer.send_with(range, |at, buf| -> Result<(), Infallible> {
            self.0.fill(asked, at - start + from, buf);
            Ok(())
        });
        let Ok(_) = sent;
    }
}

impl Application for Librarian {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        let seal = |from: u64, asked: &[u8]| [&from.to_be_bytes()[..], asked].concat();
        let open = |state: &'_ [u8]| -> (u64, Vec<u8>) {
            let (from, asked) = state.split_first_chunk().expect("a number stands before");
            (u64::from_be_bytes(*from), asked.to_vec())
        };
        match asked {
            Asked::Put { object, state, offset, reserved, data, .. } => {
                let (from, asked) = state.map_or_else(|| (0, data.to_vec()), open);
                let Some((len, first)) = self.0.find(&asked) else {
                    answer.fault(object, ServerFault::Application(77), "no such object");
                    return;
                };
                let room = reserved.end - reserved.start;
                let end = reserved.start + u64::min(len - from, room);
                answer.output(object, reserved.start..end, &seal(from, &asked));
                if len - from >= room {
                    answer.input(object, offset + data.len() as u64, None, &seal(from + room, &asked));
                }
                answer.skip(end..reserved.end);
                let begin = (reserved.start + first.saturating_sub(from)).min(end);
                self.send(answer, begin..end, (reserved.start, from), &asked);
            }
            Asked::Want { valid, ranges, state, .. } => {
                let (from, asked) = open(state);
                ranges.iter().for_each(|range| self.send(answer, range, (valid.start, from), &asked));
            }
            Asked::Close | Asked::Bad { .. } => {}
        }
    }
}

struct Shop;

impl Shelf for Shop {
    fn module(&self, hash: CodeHash) -> Option<Arc<[u8]>> {
        (hash == code_hash(MODULE)).then(|| MODULE.into())
    }

    fn manifest(&self, _: CodeHash) -> Option<Vec<u8>> {
        Some(Vec::new())
    }
}

/// Answers who asks for the code of the client.
#[derive(Default)]
pub struct Author {
    desk: Desk,
    request: Vec<u8>,
    answer: Option<(Vec<u8>, usize)>,
}

impl Author {
    fn advance(&mut self, now: Instant, host: &mut Host, connection: ConnectionId, id: StreamId) {
        let peer = host.peer(connection).expect("it asked");
        let Some(streams) = host.streams(connection) else { return };
        let mut buf = [0; 1_024];
        while let Ok(Read::Bytes(n)) = streams.read(id, &mut buf) {
            self.request.extend_from_slice(&buf[..n]);
        }
        if self.answer.is_none() {
            let Ok(request) = Request::parse(&mut Reader::new(&self.request)) else { return };
            let Reply::Supply(supply) = self.desk.answer(&Shop, now, peer, request) else { panic!("it has the code") };
            let (packed, offset) = supply.rest();
            self.answer = Some(([&battery::emit(&supply.head()), &packed[offset..]].concat(), 0));
        }
        let Some((bytes, sent)) = &mut self.answer else { return };
        while let Ok(more) = streams.write(id, &bytes[*sent..])
            && more > 0
        {
            *sent += more;
        }
        if *sent == bytes.len() {
            let _ = streams.finish(id);
        }
    }
}

impl App<Host> for Author {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let connection = event.connection;
        match event.kind {
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(incoming) = host.streams(connection).and_then(|streams| streams.accept()) {
                    self.advance(now, host, connection, incoming.id);
                }
            }
            EventKind::Stream(StreamEvent::Readable(id) | StreamEvent::Writable(id)) => {
                self.advance(now, host, connection, id);
            }
            _ => {}
        }
    }

    fn poll(&mut self, _: Instant, _: &mut Host) -> Option<Instant> {
        None
    }
}

/// Asks for the code of the client, by its hash.
pub struct Stranger {
    target: Option<Target>,
    connection: Option<ConnectionId>,
    fetching: Option<(StreamId, Fetch)>,
    pub came: Option<Shipped>,
}

impl App<Host> for Stranger {
    fn handle_event(&mut self, _: Instant, host: &mut Host, event: HostEvent) {
        let (Some((id, fetch)), Some(streams)) = (&mut self.fetching, host.streams(event.connection)) else { return };
        let mut buf = [0; 16 << 10];
        while let Ok(Read::Bytes(n)) = streams.read(*id, &mut buf) {
            let mut input = &buf[..n];
            while fetch.step(&mut input).expect("an honest peer").is_some() {}
        }
        if let Some((_, fetch)) = self.fetching.take_if(|(_, fetch)| fetch.is_whole()) {
            self.came = Some(fetch.open().expect("it has the hash"));
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if let Some(target) = self.target.take() {
            let connection = host.connect(now, target).expect("an address");
            let fetch = Fetch::new(code_hash(MODULE), Form::Binary, None);
            let streams = host.streams(connection).expect("just begun");
            let id = streams.open(code::SERVICE, code::PROTOCOL).expect("there is credit");
            let bytes = battery::emit(&Request::Ask(fetch.ask()));
            assert_eq!(streams.write(id, &bytes), Ok(bytes.len()));
            streams.finish(id).expect("it is open");
            (self.connection, self.fetching) = (Some(connection), Some((id, fetch)));
        }
        None
    }
}

/// Bytes that are read at once.
const PIECE: usize = 16 << 10;

/// Reads what the guest brings: at once, or a piece at a time.
#[derive(Default)]
pub struct Reads {
    pub got: Vec<u8>,
    pub events: Vec<Event>,
    pub done: Option<Instant>,
    /// A piece is read so often. Without it all is read at once.
    pub every: Option<Duration>,
    next: Instant,
}

impl Reads {
    /// Reads a piece, and answers whether there was one.
    fn piece(&mut self, now: Instant, receiver: &mut Receiver) -> bool {
        let mut buf = [0; PIECE];
        let len = receiver.read(&mut buf).unwrap_or(0);
        self.got.extend_from_slice(&buf[..len]);
        if receiver.is_at_end() {
            self.done.get_or_insert(now);
        }
        len > 0
    }
}

impl App<Receiver> for Reads {
    fn handle_event(&mut self, now: Instant, receiver: &mut Receiver, event: Event) {
        while self.every.is_none() && self.piece(now, receiver) {}
        if event != Event::Notice {
            self.events.push(event);
        }
    }

    fn poll(&mut self, now: Instant, receiver: &mut Receiver) -> Option<Instant> {
        let every = self.every?;
        if now >= self.next {
            self.piece(now, receiver);
            self.next = now + every;
        }
        self.done.is_none().then_some(self.next)
    }
}

pub enum Any {
    Author(Box<MachineNode<Host, Author>>),
    Stranger(Box<MachineNode<Host, Stranger>>),
    Server(Box<MachineNode<Server<Librarian>, ()>>),
    Receiver(Box<MachineNode<Receiver, Reads>>),
}

impl Node for Any {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match self {
            Any::Author(node) => node.handle_input(now, input),
            Any::Stranger(node) => node.handle_input(now, input),
            Any::Server(node) => node.handle_input(now, input),
            Any::Receiver(node) => node.handle_input(now, input),
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        match self {
            Any::Author(node) => node.handle_timeout(now),
            Any::Stranger(node) => node.handle_timeout(now),
            Any::Server(node) => node.handle_timeout(now),
            Any::Receiver(node) => node.handle_timeout(now),
        }
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        match self {
            Any::Author(node) => node.poll(now, outbox),
            Any::Stranger(node) => node.poll(now, outbox),
            Any::Server(node) => node.poll(now, outbox),
            Any::Receiver(node) => node.poll(now, outbox),
        }
    }
}

pub struct Run {
    pub world: World<Any>,
    pub link: LinkId,
    pub server: NodeId,
    library: Arc<dyn Library>,
    a: NodeId,
    seed: u64,
    /// How often the server was started.
    lives: u8,
}

fn identity(seed: u64, of: u8) -> Identity {
    Identity::from_seed([seed as u8 ^ of; 32])
}

/// A server whose keys follow from `keys`.
fn server(library: Arc<dyn Library>, seed: u64, now: Instant, keys: u8, life: u8) -> Server<Librarian> {
    let wall = Wall::from_millis(START_MS + now.as_nanos() / 1_000_000);
    let secret = EpochSecret::new(START_MS / EPOCH.as_millis() as u64, Secret32::from_bytes([keys; 32]));
    let beginnings = Beginnings {
        identity: identity(seed, 0x11),
        keys: Keys::new(secret, wall).expect("of the time"),
        access: Box::new(|_, _: Option<&[u8]>| Ok(())),
        clock: WallClock::set(now, wall),
        entropy: [seed as u8 ^ life ^ 0x3c; 32],
    };
    Server::new(ServerConfig::default(), beginnings, Librarian(library), now)
}

impl Run {
    pub fn new(seed: u64, link: &Link) -> Run {
        Run::of(Arc::new(Lengths), seed, link)
    }

    /// The same with what the server has.
    pub fn of(library: Arc<dyn Library>, seed: u64, link: &Link) -> Run {
        let mut world = World::new(seed);
        let mut author = Host::new(HostConfig::new(Access::Public), identity(seed, 0x11), [seed as u8 ^ 1; 32]);
        author.listen(code::SERVICE, code::PROTOCOL, ServiceOptions::default());
        let target = Target {
            eid: identity(seed, 0x11).eid(),
            addresses: vec![(B, PORT).into()],
            capability: None,
            via: Vec::new(),
        };
        let stranger = Host::new(HostConfig::new(Access::Nobody), identity(seed, 0x22), [seed as u8 ^ 2; 32]);
        let app = Stranger { target: Some(target), connection: None, fetching: None, came: None };
        let a = world.host("stranger", &[A], Any::Stranger(Box::new(MachineNode::new(stranger, app))));
        let b = world.host("server", &[B], Any::Author(Box::new(MachineNode::new(author, Author::default()))));
        let link = world.connect(a, b, link);
        let node = Any::Server(Box::new(MachineNode::new(server(Arc::clone(&library), seed, Instant::ZERO, 9, 0), ())));
        let server = world.beside(b, IpProtocol::Udp, STATELESS, node);
        Run { world, link, server, library, a, seed, lives: 0 }
    }

    /// The code as it was shipped, by the hash alone.
    pub fn shipped(&mut self) -> Shipped {
        let a = self.a;
        let came = self.world.wait_until(Instant::from_secs(60), |world| match world.node(a) {
            Any::Stranger(node) => node.app.came.is_some(),
            _ => false,
        });
        assert!(came, "seed {}: the code does not come", self.seed);
        match self.world.node_mut(a) {
            Any::Stranger(node) => node.app.came.take().expect("it came"),
            _ => unreachable!("A is the stranger"),
        }
    }

    /// A guest asks the server without state for an object of so many bytes.
    pub fn download(&mut self, code: &Code, len: u64) -> NodeId {
        self.ask(code, len.to_string().as_bytes(), |workshop| workshop)
    }

    /// The application of a guest writes this, at a host that is changed so.
    pub fn ask(&mut self, code: &Code, said: &[u8], change: impl FnOnce(Workshop) -> Workshop) -> NodeId {
        let seed = [self.seed as u8 ^ 0x55; 32];
        let mut workshop = change(Workshop::new(&Secret32::from_bytes(seed), seed));
        workshop.quotas.fuel = FUEL_MAX;
        let guest = workshop.transport(code, Role::Initiator).expect("there is room");
        let whom = (identity(self.seed, 0x33), Call::new(identity(self.seed, 0x11).eid()), (B, STATELESS).into());
        let config = ReceiverConfig::default();
        let receiver = Receiver::new(config, whom, guest, said, seed, self.world.now()).expect("room");
        let node = Any::Receiver(Box::new(MachineNode::new(receiver, Reads::default())));
        self.world.beside(self.a, IpProtocol::Udp, STATELESS, node)
    }

    /// The application reads a piece so often from now on.
    pub fn reads_every(&mut self, id: NodeId, every: Duration) {
        match self.world.node_mut(id) {
            Any::Receiver(node) => node.app.every = Some(every),
            _ => unreachable!("it is a receiver"),
        }
    }

    pub fn receiver(&self, id: NodeId) -> &MachineNode<Receiver, Reads> {
        receiver_of(&self.world, id)
    }

    /// Runs until the guest has brought so much, or has ended.
    pub fn until(&mut self, id: NodeId, bytes: usize, limit: Duration) -> bool {
        self.world.wait_until(self.world.now() + limit, |world| {
            let app = &receiver_of(world, id).app;
            app.got.len() >= bytes || app.events.iter().any(|event| matches!(event, Event::Ended(_)))
        })
    }

    /// Runs until all of an object of so many bytes is there; checks every byte, and answers how long it took.
    pub fn finish(&mut self, id: NodeId, len: u64, limit: Duration) -> Duration {
        let took = self.end(id, limit);
        let got = &self.receiver(id).app.got;
        assert!(got.iter().copied().eq((0..len).map(byte)), "seed {}: other bytes", self.seed);
        took
    }

    /// Runs until the end was read, and answers how long it took.
    pub fn end(&mut self, id: NodeId, limit: Duration) -> Duration {
        let began = self.world.now();
        let is_done = |world: &World<Any>| receiver_of(world, id).app.done.is_some();
        let done = self.world.wait_until(began + limit, is_done);
        let node = self.receiver(id);
        let told = (&node.app.events, node.app.got.len(), node.machine.transport().shim().lines());
        assert!(done, "seed {}: {told:?}, {:?}", self.seed, node.machine.transport().life());
        self.world.now().since(began)
    }

    /// The server is killed, and away for so long; what it knew is gone. Its keys follow from `keys`.
    pub fn restart(&mut self, keys: u8, away: Duration) {
        self.world.stop(self.server);
        self.world.run_until(self.world.now() + away);
        self.lives += 1;
        let again = server(Arc::clone(&self.library), self.seed, self.world.now(), keys, self.lives);
        self.world.start(self.server, Any::Server(Box::new(MachineNode::new(again, ()))));
    }
}

fn receiver_of(world: &World<Any>, id: NodeId) -> &MachineNode<Receiver, Reads> {
    match world.node(id) {
        Any::Receiver(node) => node,
        _ => unreachable!("it is a receiver"),
    }
}

/// Most fuel that one callback has burnt, of any guest.
pub static MOST: AtomicU64 = AtomicU64::new(0);

/// Looks at what each callback burns.
#[derive(Debug)]
struct Watched(Box<dyn Instance>);

impl Around for Watched {
    fn inner(&self) -> &dyn Instance {
        &*self.0
    }

    fn inner_mut(&mut self) -> &mut dyn Instance {
        &mut *self.0
    }

    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        let before = self.0.usage().fuel;
        let answer = self.0.call(callback);
        MOST.fetch_max(self.0.usage().fuel - before, Ordering::Relaxed);
        answer
    }
}

/// The module, compiled by a host that was handed it.
pub fn compiled(module: &[u8]) -> Code {
    let engine = Engine::new(Quotas::default()).expect("an engine");
    let module = Module::new(&engine, module).expect("a good module");
    module.code("trickles").expect("a transport").within(Watched)
}

/// A path of 20 Mbit/s and 40 ms that loses one packet in a hundred.
pub fn path() -> Link {
    Link::new().rate(20_000_000).delay(Duration::from_millis(20)).loss(tng_sim::Loss::Independent(0.01))
}
