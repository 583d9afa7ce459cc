//! Two hosts that speak numbered echoes, on a link or through helpers.

use core::net::IpAddr;
use core::time::Duration;
use std::collections::BTreeMap;

use tng_base::{Input, Instant, Rng};
use tng_echoes::{Echoes, NAME, Tally};
use tng_middlebox::{ClientTag, Helper, HelperConfig, HelperEvent, Network, Onward};
use tng_sim::topology::{A, B, ipv4};
use tng_sim::{App, Link, LinkId, MachineNode, Node, NodeId, Outbox, PORT, World};
use tng_stack::{
    Access, CloseCause, ConnectError, ConnectionId, EventKind, FactoryError, Host, HostConfig, HostEvent, Identity,
    Semantic, Stop, Target, Via,
};

/// How far ahead each end lets the other ask.
pub const WINDOW: u64 = 100;

/// What the end that was connected to makes of a set-up item, as hosts register it.
pub fn answering(item: Option<&[u8]>) -> Result<Box<dyn Semantic>, FactoryError> {
    match Echoes::answering(WINDOW, item) {
        Some(echoes) => Ok(Box::new(echoes)),
        None => Err(FactoryError::NotUnderstood),
    }
}

/// Asks on every connection that speaks numbered echoes.
#[derive(Default)]
pub struct Talker {
    /// Requests on each connection.
    pub most: u64,
    /// One of them is asked each time this has passed; all at once if it is nothing.
    pub every: Duration,
    pub talks: BTreeMap<ConnectionId, Talk>,
    pub events: Vec<(Instant, HostEvent)>,
}

pub struct Talk {
    pub began: Instant,
    pub tally: Tally,
    /// When the first echo came.
    pub heard_at: Option<Instant>,
}

impl Talker {
    /// Takes what has come on a connection, and asks as much as is due.
    pub fn advance(&mut self, now: Instant, host: &mut Host, id: ConnectionId) {
        let Some(echoes) = host.protocol_as::<Echoes>(id) else { return };
        let fresh = || Talk { began: now, tally: Tally::new(id.0), heard_at: None };
        let Talk { began, tally, heard_at } = self.talks.entry(id).or_insert_with(fresh);
        tally.hear(echoes);
        let due = match self.every {
            Duration::ZERO => self.most,
            every => self.most.min(1 + now.since(*began).as_nanos() as u64 / every.as_nanos() as u64),
        };
        tally.ask(echoes, due);
        if tally.heard() > 0 {
            heard_at.get_or_insert(now);
        }
    }

    /// Whether all that was to be asked was echoed.
    pub fn is_done(&self) -> bool {
        !self.talks.is_empty()
            && self.talks.values().all(|Talk { tally, .. }| tally.asked() == self.most && tally.is_done())
    }

    pub fn fault(&self) -> Option<&str> {
        self.talks.values().find_map(|talk| talk.tally.fault())
    }

    pub fn has(&self, kind: impl Fn(&EventKind) -> bool) -> bool {
        self.events.iter().any(|(_, event)| kind(&event.kind))
    }

    /// How an attempt to connect has failed, or a connection ended.
    pub fn end(&self) -> Option<&EventKind> {
        let kinds = self.events.iter().map(|(_, event)| &event.kind);
        kinds.into_iter().find(|kind| matches!(kind, EventKind::ConnectFailed(_) | EventKind::Closed(_)))
    }

    /// The refusal that an attempt met.
    pub fn refusal(&self) -> Option<(u64, String)> {
        match self.end()? {
            EventKind::ConnectFailed(ConnectError::Refused { code, reason }) => Some((*code, reason.to_string())),
            _ => None,
        }
    }

    pub fn closed(&self) -> Option<&CloseCause> {
        match self.end()? {
            EventKind::Closed(cause) => Some(cause),
            _ => None,
        }
    }
}

impl App<Host> for Talker {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        self.advance(now, host, event.connection);
        if event.kind != EventKind::Notice {
            self.events.push((now, event));
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        let ids: Vec<ConnectionId> = self.talks.keys().copied().collect();
        for id in ids {
            let talk = &self.talks[&id];
            if !self.every.is_zero() && talk.tally.asked() < self.most && host.protocol_name(id).is_some() {
                self.advance(now, host, id);
            }
        }
        let due = self.talks.values().filter(|talk| !self.every.is_zero() && talk.tally.asked() < self.most);
        due.map(|talk| talk.began + self.every * talk.tally.asked() as u32).filter(|at| *at > now).min()
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
    pub client: HostConfig,
    pub server: HostConfig,
    /// Requests of each end on each connection, and how far apart they are.
    pub asks: [(u64, Duration); 2],
    /// The server speaks numbered echoes.
    pub registered: bool,
}

impl Setting {
    pub fn new(seed: u64) -> Setting {
        Setting {
            seed,
            links: vec![Link::new().rate(50_000_000).delay(Duration::from_millis(25))],
            client: HostConfig::new(Access::Nobody),
            server: HostConfig::new(Access::Public),
            asks: [(500, Duration::ZERO); 2],
            registered: true,
        }
    }

    pub fn helped(seed: u64, helpers: usize) -> Setting {
        let link = Link::new().rate(50_000_000).delay(Duration::from_millis(10));
        Setting { links: vec![link; helpers + 1], ..Setting::new(seed) }
    }

    pub fn start(self) -> Run {
        let [client, server] = [1, 2].map(|byte| Identity::from_seed([self.seed as u8 ^ byte << 4; 32]));
        let (mut world, mut rng) = (World::new(self.seed), Rng::from_u64(self.seed ^ 0x77));
        let everywhere = Onward::Listed(vec![Network { address: ipv4(0), bits: 8 }]);
        let config = HelperConfig { onward: everywhere, ..HelperConfig::default() };
        let mut via = Vec::new();
        let node = |host: Host, (most, every): (u64, Duration)| {
            Any::Host(Box::new(MachineNode::new(host, Talker { most, every, ..Talker::default() })))
        };
        let eid = server.eid();
        let host = Host::new(self.client.clone(), client, [self.seed as u8 ^ 1; 32]);
        let a = world.host("client", &[A], node(host, self.asks[0]));
        let (mut last, mut links) = (a, Vec::new());
        for (at, link) in self.links.iter().enumerate().skip(1) {
            let router = world.router(&format!("router {at}"));
            links.push(world.connect(last, router, link));
            let ip = ipv4(100 + at as u16);
            let secret = tng_crypto::Secret32::from_bytes([at as u8 + 40; 32]);
            let helper = Helper::new(config.clone(), &secret, 1_700_000_000_000, [at as u8 ^ 0x5a; 32]);
            let life = (Duration::from_secs(3_600), 16);
            let capability = helper.office().issue(Instant::ZERO, ClientTag(1), life, rng.bytes::<32>());
            let stop = Stop::new((ip, PORT).into(), capability);
            via.push(Via::new(Identity::from_seed([at as u8 + 90; 32]).eid(), stop));
            let beside = Any::Helper(Box::new(MachineNode::new(helper, Silent)));
            let beside = world.host(&format!("helper {at}"), &[ip], beside);
            world.connect(router, beside, &Link::new().rate(10_000_000_000).delay(Duration::from_micros(10)));
            last = router;
        }
        let mut host = Host::new(self.server.clone(), server, [self.seed as u8 ^ 2; 32]);
        if self.registered {
            host.register(NAME, |proposal| answering(proposal.set_up_item)).expect("a free name");
        }
        let b = world.host("server", &[B], node(host, self.asks[1]));
        links.push(world.connect(last, b, &self.links[0]));
        let target = Target { eid, addresses: vec![(B, PORT).into()], capability: None, via };
        Run { world, a, b, links, target, setting: self }
    }
}

pub struct Run {
    pub world: World<Any>,
    pub a: NodeId,
    pub b: NodeId,
    pub links: Vec<LinkId>,
    pub target: Target,
    pub setting: Setting,
}

pub fn node_of(world: &World<Any>, id: NodeId) -> &MachineNode<Host, Talker> {
    match world.node(id) {
        Any::Host(node) => node,
        Any::Helper(_) => unreachable!("the node is a host"),
    }
}

impl Run {
    pub fn node(&mut self, id: NodeId) -> &mut MachineNode<Host, Talker> {
        match self.world.node_mut(id) {
            Any::Host(node) => node,
            Any::Helper(_) => unreachable!("the node is a host"),
        }
    }

    pub fn app(&self, id: NodeId) -> &Talker {
        &node_of(&self.world, id).app
    }

    pub fn host(&self, id: NodeId) -> &Host {
        &node_of(&self.world, id).machine
    }

    /// The client connects, to speak numbered echoes, and asks at once.
    pub fn connect(&mut self) -> ConnectionId {
        self.connect_speaking(NAME, Box::new(Echoes::new(WINDOW)))
    }

    /// The client connects, to speak this.
    pub fn connect_speaking(&mut self, name: &str, protocol: Box<dyn Semantic>) -> ConnectionId {
        let (now, target, a) = (self.world.now(), self.target.clone(), self.a);
        let node = self.node(a);
        let id = node.machine.connect_speaking(now, target, name, protocol).expect("an address, and a name");
        node.app.advance(now, &mut node.machine, id);
        id
    }

    /// Runs until both ends have heard all their echoes; answers when that was.
    pub fn finish(&mut self, limit: Duration) -> Duration {
        let (a, b, seed) = (self.a, self.b, self.setting.seed);
        let done = self.world.wait_until(Instant::ZERO + limit, |world| {
            let apps = [a, b].map(|id| &node_of(world, id).app);
            apps.iter().all(|app| app.is_done()) || apps.iter().any(|app| app.fault().is_some() || app.end().is_some())
        });
        for id in [a, b] {
            let app = self.app(id);
            assert_eq!(app.fault(), None, "seed {seed}");
            let heard: Vec<u64> = app.talks.values().map(|talk| talk.tally.heard()).collect();
            assert!(done && app.is_done(), "seed {seed}: not done within {limit:?}: {heard:?}, {:?}", app.events);
        }
        self.check_answered();
        self.world.now().since(Instant::ZERO)
    }

    /// What an end has asked, the other has answered, each number once.
    pub fn check_answered(&mut self) {
        let sums = [self.a, self.b].map(|id| {
            let node = self.node(id);
            let ids: Vec<ConnectionId> = node.machine.connections().collect();
            let stats = ids.into_iter().filter_map(|id| Some(node.machine.protocol_as::<Echoes>(id)?.stats()));
            stats.fold((0, 0), |sum, stats| (sum.0 + stats.asked, sum.1 + stats.answered))
        });
        assert_eq!((sums[0].0, sums[1].0), (sums[1].1, sums[0].1), "asked by one and answered by the other");
    }

    /// Closes at the client, and checks that nothing is left at either end.
    pub fn end(&mut self) {
        let (now, a, b) = (self.world.now(), self.a, self.b);
        self.node(a).machine.close_all(now, 0, "");
        assert!(self.world.run_until_idle(now + Duration::from_secs(600)), "both fall silent");
        for id in [a, b] {
            assert!(self.host(id).accounting().is_empty(), "{:?}", self.host(id).accounting());
        }
    }
}

/// An address that a host moves to.
pub const ELSEWHERE: IpAddr = ipv4(77);
