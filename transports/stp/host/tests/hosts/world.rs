//! Two hosts that speak guests, on a link or through helpers.

use core::net::IpAddr;
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::Arc;

use tng_base::{Input, Instant, Rng};
use tng_congestion::SectionChoice;
use tng_crypto::Secret32;
use tng_middlebox::{ClientTag, Helper, HelperConfig, HelperEvent, Neighbourhood, Network, Onward};
use tng_sim::topology::{A, B, ipv4};
use tng_sim::{App, Link, LinkId, MachineNode, Node, NodeId, Outbox, PORT, World};
use tng_stack::structured::{Read, ServiceOptions, StreamEvent, StreamId};
use tng_stack::{
    Access, CloseCause, ConnectionId, EventKind, FactoryError, Host, HostConfig, HostEvent, Identity, Semantic, Stop,
    Target, Via,
};
use tng_stp_abi::{Role, SocketKind};
use tng_stp_host::{AnswerError, Code, GUEST_UNUSED, Life, Quotas, Transport, Workshop};

/// Where streams lead.
const SERVICE: (&str, &str) = ("bulk", "test/1");

/// An address that a host moves to.
pub const ELSEWHERE: IpAddr = ipv4(77);

/// Seeds of a test: as many as `TNG_SEEDS` says, or as take no time. The last that is printed is the one that fails.
pub fn seeds(usual: u64) -> impl Iterator<Item = u64> {
    let asked: Option<u64> = std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok());
    (0..asked.unwrap_or(usual)).inspect(|seed| println!("seed {seed}"))
}

/// The byte that an end says at a place; ends differ, and so do connections.
pub fn pattern(salt: u64, at: u64) -> u8 {
    ((at ^ at >> 8).wrapping_mul(31).wrapping_add(salt) % 251) as u8
}

/// What an end says on each connection of a guest's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Says {
    /// Bytes of a stream, or messages.
    pub amount: u64,
    /// Bytes of a message.
    pub message: usize,
    /// One message each time this has passed; as fast as there is room if it is nothing.
    pub every: Duration,
    /// It finishes behind them.
    pub finishes: bool,
    /// It takes nothing that arrives.
    pub deaf: bool,
}

/// What has become of a connection at one end.
#[derive(Debug)]
pub struct Talk {
    pub began: Instant,
    pub said: u64,
    finished: bool,
    /// Bytes, or messages, that came.
    pub heard: u64,
    /// Bytes of both.
    pub bytes: u64,
    pub at_end: bool,
    /// What came is not what was said.
    pub wrong: Option<String>,
    /// Where the guest stood, and since when.
    pub lives: Vec<(Instant, Life)>,
    /// Most that was held and promised.
    pub memory: (u64, u64),
    /// What was given back of what was written, when the connection was over.
    pub back: Option<Vec<u8>>,
}

/// An application: it talks on every connection of a guest's, and sends and takes streams.
#[derive(Debug, Default)]
pub struct Talker {
    pub says: Says,
    pub talks: BTreeMap<ConnectionId, Talk>,
    pub events: Vec<(Instant, HostEvent)>,
    /// Bytes of streams that came.
    pub streamed: u64,
    /// It opens no stream.
    pub quiet: bool,
}

impl Talker {
    /// Says and takes what there is.
    pub fn advance(&mut self, now: Instant, host: &mut Host, id: ConnectionId) {
        let says = self.says;
        let Some(guest) = host.protocol_as::<Transport>(id) else { return };
        let fresh = || Talk {
            began: now,
            said: 0,
            finished: false,
            heard: 0,
            bytes: 0,
            at_end: false,
            wrong: None,
            lives: Vec::new(),
            memory: (0, 0),
            back: None,
        };
        let talk = self.talks.entry(id).or_insert_with(fresh);
        talk.look(now, guest);
        if !says.deaf {
            talk.hear(guest);
        }
        talk.say(now, guest, says);
        talk.look(now, guest);
    }

    pub fn talk(&self) -> &Talk {
        self.talks.values().next().expect("there is a connection")
    }

    pub fn closed(&self, id: ConnectionId) -> Option<&CloseCause> {
        self.events.iter().find_map(|(_, event)| match &event.kind {
            EventKind::Closed(cause) if event.connection == id => Some(cause),
            _ => None,
        })
    }

    /// How the first attempt or connection ended, if one did.
    pub fn end(&self) -> Option<&EventKind> {
        let kinds = self.events.iter().map(|(_, event)| &event.kind);
        kinds.into_iter().find(|kind| matches!(kind, EventKind::ConnectFailed(_) | EventKind::Closed(_)))
    }

    fn take(&mut self, host: &mut Host, (connection, stream): (ConnectionId, StreamId)) {
        let Some(streams) = host.streams(connection) else { return };
        let mut bytes = [0; 16_384];
        while let Ok(Read::Bytes(len)) = streams.read(stream, &mut bytes) {
            self.streamed += len as u64;
        }
    }

    fn write(host: &mut Host, (connection, stream): (ConnectionId, StreamId)) {
        let Some(streams) = host.streams(connection) else { return };
        while streams.write(stream, &[7; 8_192]).is_ok() {}
    }
}

impl Talk {
    /// Where the guest stands now.
    pub fn life(&self) -> &Life {
        &self.lives.last().expect("it was looked at").1
    }

    fn look(&mut self, now: Instant, guest: &Transport) {
        let life = guest.life();
        if self.lives.last().is_none_or(|(_, last)| last != life) {
            self.lives.push((now, life.clone()));
        }
        self.memory.0 = self.memory.0.max(guest.bytes_held());
        self.memory.1 = self.memory.1.max(guest.bytes_held() + guest.bytes_promised());
    }

    /// Bytes since the start: those of a message begin with its number.
    fn hear(&mut self, guest: &mut Transport) {
        let kind = guest.socket().kind();
        let mut bytes = [0; 4_096];
        while let Some(len) = guest.read(&mut bytes) {
            let (begin, content) = match kind {
                SocketKind::Stream => (self.heard, &bytes[..len]),
                SocketKind::Message => {
                    let Some((number, content)) = bytes[..len].split_first_chunk() else {
                        self.wrong = Some(format!("a message of {len} bytes"));
                        return;
                    };
                    (u64::from_be_bytes(*number), content)
                }
            };
            let same = content.iter().zip(begin..).all(|(byte, at)| *byte == pattern(len_of(kind), at));
            if !same {
                self.wrong = Some(format!("at {begin}"));
            }
            self.bytes += len as u64;
            self.heard += if kind == SocketKind::Stream { len as u64 } else { 1 };
        }
        self.at_end = guest.socket().is_at_end();
    }

    fn say(&mut self, now: Instant, guest: &mut Transport, says: Says) {
        let kind = guest.socket().kind();
        let due = match says.every {
            Duration::ZERO => says.amount,
            every => says.amount.min(1 + now.since(self.began).as_nanos() as u64 / every.as_nanos() as u64),
        };
        while self.said < due {
            let bytes: Vec<u8> = match kind {
                SocketKind::Stream => {
                    let end = due.min(self.said + 4_096);
                    (self.said..end).map(|at| pattern(len_of(kind), at)).collect()
                }
                SocketKind::Message => {
                    let content = (self.said..self.said + says.message as u64).map(|at| pattern(len_of(kind), at));
                    self.said.to_be_bytes().into_iter().chain(content).collect()
                }
            };
            let Ok(written) = guest.write(&bytes) else { return };
            self.said += if kind == SocketKind::Stream { written as u64 } else { 1 };
        }
        if says.finishes && self.said == says.amount && !self.finished {
            self.finished = true;
            guest.finish();
        }
    }
}

/// What makes the patterns of streams and messages differ.
pub fn len_of(kind: SocketKind) -> u64 {
    3 + kind as u64
}

impl App<Host> for Talker {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let id = event.connection;
        match &event.kind {
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(incoming) = host.streams(id).and_then(|streams| streams.accept()) {
                    self.take(host, (id, incoming.id));
                }
            }
            EventKind::Stream(StreamEvent::Readable(stream)) => self.take(host, (id, *stream)),
            EventKind::Stream(StreamEvent::Writable(stream)) => Talker::write(host, (id, *stream)),
            EventKind::Connected if host.streams(id).is_some() && !self.quiet => {
                let streams = host.streams(id).expect("just seen");
                let stream = streams.open(SERVICE.0, SERVICE.1).expect("credit");
                Talker::write(host, (id, stream));
            }
            EventKind::Closed(cause) => {
                let unused = matches!(cause, CloseCause::Peer { code: GUEST_UNUSED, .. });
                let ended = host.take_protocol(id);
                if let (Some(protocol), Some(talk)) = (ended, self.talks.get_mut(&id))
                    && let Some(guest) = (*protocol).downcast_ref::<Transport>()
                {
                    talk.look(now, guest);
                    talk.back = guest.take_back(unused);
                }
            }
            _ => self.advance(now, host, id),
        }
        if !matches!(event.kind, EventKind::Stream(_) | EventKind::Notice) {
            self.events.push((now, event));
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        let says = self.says;
        if says.every.is_zero() {
            return None;
        }
        let ids: Vec<ConnectionId> = self.talks.keys().copied().collect();
        for id in ids {
            if host.protocol_name(id).is_some() && self.talks[&id].said < says.amount {
                self.advance(now, host, id);
            }
        }
        let due = self.talks.values().filter(|talk| talk.said < says.amount);
        due.map(|talk| talk.began + says.every * talk.said as u32).filter(|at| *at > now).min()
    }
}

/// Helpers tell of nothing that matters here.
#[derive(Default)]
pub struct Silent;

impl App<Helper> for Silent {
    fn handle_event(&mut self, _: Instant, _: &mut Helper, _: HelperEvent) {}

    fn poll(&mut self, _: Instant, _: &mut Helper) -> Option<Instant> {
        None
    }
}

pub enum Any {
    Host(Box<MachineNode<Host, Talker>>),
    Helper(Box<MachineNode<Helper, Silent>>),
}

impl Node for Any {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match self {
            Any::Host(node) => node.handle_input(now, input),
            Any::Helper(node) => node.handle_input(now, input),
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        match self {
            Any::Host(node) => node.handle_timeout(now),
            Any::Helper(node) => node.handle_timeout(now),
        }
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        match self {
            Any::Host(node) => node.poll(now, outbox),
            Any::Helper(node) => node.poll(now, outbox),
        }
    }
}

pub struct Setting {
    pub seed: u64,
    /// Between client, routers with a helper beside each, and server.
    pub links: Vec<Link>,
    pub quotas: Quotas,
    pub policed: bool,
    /// What client and server say.
    pub says: [Says; 2],
    /// The client leaves a helped path that does not do well.
    pub judged: bool,
    /// The server asks everybody for a cookie.
    pub cookies: bool,
    /// What governs the sections of helpers toward the server.
    pub section: SectionChoice,
}

impl Setting {
    pub fn new(seed: u64) -> Setting {
        Setting {
            seed,
            links: vec![Link::new().rate(20_000_000).delay(Duration::from_millis(10))],
            quotas: Quotas::default(),
            policed: true,
            says: [Says::default(); 2],
            judged: true,
            cookies: false,
            section: SectionChoice::default(),
        }
    }

    pub fn helped(seed: u64, helpers: usize) -> Setting {
        let link = Link::new().rate(20_000_000).delay(Duration::from_millis(5));
        Setting { links: vec![link; helpers + 1], judged: false, ..Setting::new(seed) }
    }

    /// Both ends say this.
    pub fn saying(self, says: Says) -> Setting {
        Setting { says: [says; 2], ..self }
    }

    fn identity(&self, at: u8) -> Identity {
        Identity::from_seed([self.seed as u8 ^ at << 4; 32])
    }

    /// The client, if `at` is even, or the server of pair `at / 2`.
    pub fn node(&self, at: u8) -> Any {
        let access = if at.is_multiple_of(2) { Access::Nobody } else { Access::Public };
        let mut config = HostConfig::new(access);
        if !self.judged {
            config.judge = None;
        }
        if self.cookies {
            config.cookie_above = 0;
        }
        let mut host = Host::new(config, self.identity(at + 1), [self.seed as u8 ^ at ^ 1; 32]);
        host.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
        let says = self.says[usize::from(at % 2)];
        Any::Host(Box::new(MachineNode::new(host, Talker { says, ..Talker::default() })))
    }

    pub fn target(&self, at: u8, address: IpAddr) -> Target {
        Target {
            eid: self.identity(at + 1).eid(),
            addresses: vec![(address, PORT).into()],
            capability: None,
            via: Vec::new(),
        }
    }

    pub fn workshop(&self, at: u8) -> Arc<Workshop> {
        let seed = [self.seed as u8 ^ at ^ 0x44; 32];
        let mut workshop = Workshop::new(&Secret32::from_bytes(seed), seed);
        workshop.quotas = self.quotas;
        Arc::new(if self.policed { workshop } else { workshop.without_policer() })
    }

    pub fn start(self) -> Run {
        let (mut world, mut rng) = (World::new(self.seed), Rng::from_u64(self.seed ^ 0x77));
        let everywhere = Onward::Listed(vec![Network { address: ipv4(0), bits: 8 }]);
        let toward = Neighbourhood { controller: self.section.clone(), ..Neighbourhood::default() };
        let neighbourhoods = vec![(Network::only(B), toward)];
        let config = HelperConfig { onward: everywhere, neighbourhoods, ..HelperConfig::default() };
        let mut via = Vec::new();
        let a = world.host("client", &[A], self.node(0));
        let (mut last, mut links, mut helpers) = (a, Vec::new(), Vec::new());
        for (at, link) in self.links.iter().enumerate().skip(1) {
            let router = world.router(&format!("router {at}"));
            links.push(world.connect(last, router, link));
            let ip = ipv4(100 + at as u16);
            let secret = Secret32::from_bytes([at as u8 + 40; 32]);
            let helper = Helper::new(config.clone(), &secret, 1_700_000_000_000, [at as u8 ^ 0x5a; 32]);
            let life = (Duration::from_secs(3_600), 16);
            let capability = helper.office().issue(Instant::ZERO, ClientTag(1), life, rng.bytes::<32>());
            let stop = Stop::new((ip, PORT).into(), capability);
            via.push(Via::new(Identity::from_seed([at as u8 + 90; 32]).eid(), stop));
            let beside = Any::Helper(Box::new(MachineNode::new(helper, Silent)));
            let beside = world.host(&format!("helper {at}"), &[ip], beside);
            world.connect(router, beside, &Link::new().rate(10_000_000_000).delay(Duration::from_micros(10)));
            helpers.push(beside);
            last = router;
        }
        let b = world.host("server", &[B], self.node(1));
        links.push(world.connect(last, b, &self.links[0]));
        let target = Target { via, ..self.target(1, B) };
        let workshops = [self.workshop(0), self.workshop(1)];
        Run { world, a, b, helpers, links, target, workshops, setting: self }
    }
}

pub struct Run {
    pub world: World<Any>,
    pub a: NodeId,
    pub b: NodeId,
    pub helpers: Vec<NodeId>,
    pub links: Vec<LinkId>,
    pub target: Target,
    pub workshops: [Arc<Workshop>; 2],
    pub setting: Setting,
}

pub fn node_of(world: &World<Any>, id: NodeId) -> &MachineNode<Host, Talker> {
    match world.node(id) {
        Any::Host(node) => node,
        Any::Helper(_) => unreachable!("the node is a host"),
    }
}

pub fn node_mut_of(world: &mut World<Any>, id: NodeId) -> &mut MachineNode<Host, Talker> {
    match world.node_mut(id) {
        Any::Host(node) => node,
        Any::Helper(_) => unreachable!("the node is a host"),
    }
}

/// A host answers those who speak this code.
pub fn register(host: &mut Host, workshop: &Arc<Workshop>, code: &Code) {
    let (by, of) = (Arc::clone(workshop), code.clone());
    let factory = move |proposal: tng_stack::Proposal<'_>| match by.answer(&of, proposal.set_up_item, proposal.memory) {
        Ok(guest) => Ok(Box::new(guest) as Box<dyn Semantic>),
        Err(AnswerError::NotUnderstood) => Err(FactoryError::NotUnderstood),
        Err(AnswerError::Fault(_)) => Err(FactoryError::Busy),
    };
    host.register(&code.protocol(), factory).expect("a free name");
}

impl Run {
    pub fn node(&mut self, id: NodeId) -> &mut MachineNode<Host, Talker> {
        node_mut_of(&mut self.world, id)
    }

    pub fn app(&self, id: NodeId) -> &Talker {
        &node_of(&self.world, id).app
    }

    /// The client connects: both ends run this.
    pub fn connect(&mut self, code: &Code) -> ConnectionId {
        self.connect_as([code, code])
    }

    /// The client connects: it runs the first, and the server, under the same name, the other.
    pub fn connect_as(&mut self, ends: [&Code; 2]) -> ConnectionId {
        let b = self.b;
        let workshop = Arc::clone(&self.workshops[1]);
        register(&mut self.node(b).machine, &workshop, ends[1]);
        let guest = self.workshops[0].transport(ends[0], Role::Initiator).expect("room");
        self.connect_speaking(&ends[0].protocol(), Box::new(guest))
    }

    /// The client connects, to speak this.
    pub fn connect_speaking(&mut self, name: &str, protocol: Box<dyn Semantic>) -> ConnectionId {
        let (now, target, a) = (self.world.now(), self.target.clone(), self.a);
        let node = self.node(a);
        let id = node.machine.connect_speaking(now, target, name, protocol).expect("an address, and a name");
        node.app.advance(now, &mut node.machine, id);
        id
    }

    /// The client connects, to send by a stream as fast as it may.
    pub fn stream(&mut self) -> ConnectionId {
        let (now, target, a) = (self.world.now(), self.target.clone(), self.a);
        self.node(a).machine.connect(now, target).expect("an address")
    }

    /// The guest of the client's connection.
    pub fn guest(&mut self, id: ConnectionId) -> &mut Transport {
        let a = self.a;
        self.node(a).machine.protocol_as(id).expect("it speaks a guest")
    }

    pub fn pass(&mut self, time: Duration) {
        self.world.run_until(self.world.now() + time);
    }

    /// Runs until each end has heard all that the other said, up to the end; answers when that was.
    pub fn finish(&mut self, limit: Duration) -> Duration {
        let (a, b, seed) = (self.a, self.b, self.setting.seed);
        let due = self.setting.says.map(|says| (says.amount, says.finishes));
        let is_done = |talker: &Talker, (amount, finishes): (u64, bool)| {
            let all = talker.talks.values().all(|talk| talk.heard == amount && (talk.at_end || !finishes));
            all && !talker.talks.is_empty()
        };
        let done = self.world.wait_until(Instant::ZERO + limit, |world| {
            let [at_a, at_b] = [a, b].map(|id| &node_of(world, id).app);
            is_done(at_a, due[1]) && is_done(at_b, due[0]) || at_a.end().is_some()
        });
        for id in [a, b] {
            let app = self.app(id);
            let wrong: Vec<&String> = app.talks.values().filter_map(|talk| talk.wrong.as_ref()).collect();
            assert!(wrong.is_empty(), "seed {seed}: {wrong:?}");
            assert!(done && app.end().is_none(), "seed {seed}: {:?}, {:?}", app.talks, app.events);
        }
        self.world.now().since(Instant::ZERO)
    }

    /// Closes at the client, and checks that nothing is left at either end.
    pub fn end(&mut self) {
        let (now, a, b) = (self.world.now(), self.a, self.b);
        self.node(a).machine.close_all(now, 0, "");
        assert!(self.world.run_until_idle(now + Duration::from_secs(600)), "both fall silent");
        for id in [a, b] {
            let held = node_of(&self.world, id).machine.accounting();
            assert!(held.is_empty(), "{held:?}");
        }
    }
}

impl Run {
    pub fn host(&self, id: NodeId) -> &Host {
        &node_of(&self.world, id).machine
    }

    pub fn helper(&self, at: usize) -> &Helper {
        match self.world.node(self.helpers[at]) {
            Any::Helper(node) => &node.machine,
            Any::Host(_) => unreachable!("the node is a helper"),
        }
    }
}
