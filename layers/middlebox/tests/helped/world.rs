//! A client, a server, and a chain of routers between them, each with a helper beside it.

use core::net::IpAddr;
use core::time::Duration;

use tng_attack::{Deed, RogueHelper};
use tng_base::{Input, Instant, Rng};
use tng_flow::OfferKey;
use tng_middlebox::{
    ClientLimits, ClientTag, Helper, HelperConfig, HelperEvent, InPath, InPathConfig, Network, Onward,
};
use tng_sim::topology::{A, B, ipv4};
use tng_sim::{Link, LinkId, MachineNode, Node, NodeId, Outbox, PORT, World};
use tng_stack::structured::ServiceOptions;
use tng_stack::{Access, Capability, EventKind, Host, HostConfig, Identity, Stop, Target, Via, Wishes};

use crate::apps::{CloseAt, Log, SERVICE, Sender, Sink};

pub enum Any {
    Sender(Box<MachineNode<Host, Sender>>),
    Sink(Box<MachineNode<Host, Sink>>),
    Helper(Box<MachineNode<Helper, Log>>),
    Rogue(Box<MachineNode<RogueHelper, ()>>),
}

macro_rules! each {
    ($any:expr, $node:ident => $call:expr) => {
        match $any {
            Any::Sender($node) => $call,
            Any::Sink($node) => $call,
            Any::Helper($node) => $call,
            Any::Rogue($node) => $call,
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

pub fn helper_ip(at: usize) -> IpAddr {
    ipv4(100 + at as u16)
}

const EPOCH_MS: u64 = 1_700_000_000_000;

fn secret(at: usize) -> tng_crypto::Secret32 {
    tng_crypto::Secret32::from_bytes([at as u8 + 40; 32])
}

/// Which helper does what, from when on.
#[derive(Clone, Debug)]
pub struct Evil {
    pub at: usize,
    pub deeds: Vec<Deed>,
    pub from: Instant,
}

pub fn helper(config: HelperConfig, at: usize, life: u8) -> Helper {
    Helper::new(config, &secret(at), EPOCH_MS, [at as u8 ^ life.wrapping_mul(31) ^ 0x5a; 32])
}

/// The eyes of a helper at a router.
pub fn watch(world: &mut World<Any>, router: NodeId, mut in_path: InPath) {
    world.watch_passing(router, move |now, packet| {
        let offer = in_path.pass(now, packet.src, packet.dst, &packet.payload)?;
        Some((packet.src, packet.dst, offer))
    });
}

/// What a helper in the path offers to everybody.
pub fn in_path(config: &HelperConfig, at: usize, advised: Option<String>) -> InPath {
    let identity = helper_identity(at);
    let everywhere = Network { address: ipv4(0), bits: 8 };
    let config = InPathConfig {
        key: OfferKey { eid: identity.eid(), agreement: identity.agreement_key() },
        addresses: vec![(helper_ip(at), PORT).into()],
        clients: vec![everywhere],
        onward: config.onward.clone(),
        life: Duration::from_secs(3_600),
        flows_max: 16,
        advice: advised.into_iter().map(|name| (everywhere, name)).collect(),
    };
    InPath::new(config, &secret(at), EPOCH_MS, [at as u8 ^ 0x3c; 32])
}

pub fn helper_identity(at: usize) -> Identity {
    Identity::from_seed([at as u8 + 90; 32])
}

pub struct Setting {
    pub seed: u64,
    /// From the client to the first router, between routers, from the last router to the server.
    pub links: Vec<Link>,
    pub len: u64,
    /// Helpers that do evil.
    pub rogues: Vec<Evil>,
    /// Bytes that the server sends in return, before it says that it has everything.
    pub reply: u64,
    pub client: HostConfig,
    pub server: HostConfig,
    pub service: ServiceOptions,
    pub helpers: Vec<HelperConfig>,
    /// When the client and the server close everything.
    pub close_at: [CloseAt; 2],
    /// For how long capabilities are good.
    pub life: Duration,
    /// The client and the server have a few bytes to send now and then only.
    pub every: [Option<Duration>; 2],
    /// The client trusts all helpers.
    pub trusted: bool,
    /// Further hosts beside the client, each with a link of its own to the first router: with whose capability, when
    /// they begin, and when they end.
    pub others: Vec<(ClientTag, Instant, CloseAt)>,
    /// Nobody names the helpers: they stand in the path, each at its router, and offer themselves. The name of the
    /// controller that they advise, if there is one.
    pub in_path: Option<Option<String>>,
    /// What the client and the others ask every helper for, in this order; who is not in it asks for nothing.
    pub wishes: Vec<Wishes>,
}

impl Setting {
    /// `helpers` helpers, on a path of links of 50 Mbit/s and 10 ms.
    pub fn new(seed: u64, helpers: usize) -> Setting {
        let link = Link::new().rate(50_000_000).delay(Duration::from_millis(10));
        let everywhere = Onward::Listed(vec![Network { address: ipv4(0), bits: 8 }]);
        let in_path = Some(ClientLimits::default());
        let config = HelperConfig { onward: everywhere, in_path, ..HelperConfig::default() };
        Setting {
            seed,
            links: vec![link; helpers + 1],
            len: 1_000_000,
            reply: 0,
            rogues: Vec::new(),
            client: HostConfig::new(Access::Nobody),
            server: HostConfig::new(Access::Public),
            service: ServiceOptions::default(),
            helpers: vec![config; helpers],
            close_at: [None; 2],
            life: Duration::from_secs(3_600),
            every: [None; 2],
            trusted: false,
            others: Vec::new(),
            in_path: None,
            wishes: Vec::new(),
        }
    }

    pub fn start(self) -> Run {
        let mut world = World::new(self.seed);
        let mut rng = Rng::from_u64(self.seed ^ 0x77);
        let identity = Identity::from_seed([self.seed as u8 ^ 0x55; 32]);
        let eid = identity.eid();
        let mut target = |tag: ClientTag, number: usize| {
            let wishes = self.wishes.get(number).cloned().unwrap_or_default();
            let mut via = Vec::new();
            let named = self.helpers.iter().enumerate().filter(|_| self.in_path.is_none());
            for (at, config) in named {
                let machine = helper(config.clone(), at, 0);
                let life = (self.life, 16);
                let capability = machine.office().issue(Instant::ZERO, tag, life, rng.bytes::<32>());
                let stop = Stop { wishes: wishes.clone(), ..Stop::new((helper_ip(at), PORT).into(), capability) };
                via.push(Via { trusted: self.trusted, ..Via::new(helper_identity(at).eid(), stop) });
            }
            Target { eid, addresses: vec![(B, PORT).into()], capability: None, via }
        };
        let client =
            Host::new(self.client.clone(), Identity::from_seed([self.seed as u8; 32]), [self.seed as u8 ^ 1; 32]);
        let mut server = Host::new(self.server.clone(), identity, [self.seed as u8 ^ 2; 32]);
        server.listen(SERVICE.0, SERVICE.1, self.service);
        let [sender_closes, sink_closes] = self.close_at;
        let sender = Sender::new(target(ClientTag(1), 0), self.len, self.reply);
        let sender = Sender { close_at: sender_closes, every: self.every[0], ..sender };
        let client = Any::Sender(Box::new(MachineNode::new(client, sender)));
        let sink = Sink { close_at: sink_closes, reply: self.reply, every: self.every[1], ..Sink::default() };
        let server = Any::Sink(Box::new(MachineNode::new(server, sink)));
        let a = world.host("client", &[A], client);
        let (mut last, mut links, mut helpers) = (a, Vec::new(), Vec::new());
        for (at, config) in self.helpers.iter().enumerate() {
            let router = world.router(&format!("router {at}"));
            links.push(world.connect(last, router, &self.links[at]));
            let honest = helper(config.clone(), at, 0);
            let node = match self.rogues.iter().find(|rogue| rogue.at == at) {
                None => Any::Helper(Box::new(MachineNode::new(honest, Log::default()))),
                Some(Evil { deeds, from, .. }) => {
                    let rng = Rng::from_u64(self.seed ^ (at as u64) << 20);
                    let rogue = RogueHelper::new(honest, &secret(at), EPOCH_MS, deeds.clone(), *from, rng);
                    Any::Rogue(Box::new(MachineNode::new(rogue, ())))
                }
            };
            if let Some(advised) = &self.in_path {
                watch(&mut world, router, in_path(config, at, advised.clone()));
            }
            let helper = world.host(&format!("helper {at}"), &[helper_ip(at)], node);
            world.connect(router, helper, &Link::new().rate(10_000_000_000).delay(Duration::from_micros(10)));
            helpers.push(helper);
            last = router;
        }
        let first = self.helpers.first().map(|_| world.ends(links[0].forth()).1);
        let mut others = Vec::new();
        for (at, (tag, begin_at, close_at)) in self.others.iter().enumerate() {
            let seed = [self.seed as u8 ^ (at as u8 + 100); 32];
            let host = Host::new(self.client.clone(), Identity::from_seed(seed), seed);
            let sender =
                Sender { begin_at: *begin_at, close_at: *close_at, ..Sender::new(target(*tag, at + 1), self.len, 0) };
            let node = Any::Sender(Box::new(MachineNode::new(host, sender)));
            let id = world.host(&format!("client {at}"), &[ipv4(200 + at as u16)], node);
            world.connect(id, first.expect("there is a helper"), &self.links[0]);
            others.push(id);
        }
        let b = world.host("server", &[B], server);
        links.push(world.connect(last, b, &self.links[self.helpers.len()]));
        Run { world, a, b, others, helpers, links, setting: self }
    }
}

pub struct Run {
    pub world: World<Any>,
    pub a: NodeId,
    pub b: NodeId,
    pub others: Vec<NodeId>,
    pub helpers: Vec<NodeId>,
    pub links: Vec<LinkId>,
    pub setting: Setting,
}

impl Run {
    /// The sender's smoothed round trip from 3 s to 12 s, the mean of what it is every 100 ms.
    pub fn mean_rtt_ms(&mut self) -> f64 {
        let sampled = (30..120).map(|tenth| {
            self.world.run_until(Instant::ZERO + Duration::from_millis(100 * tenth));
            let node = self.sender();
            let stats = node.machine.stats(node.app.connection.expect("connected")).expect("a channel");
            stats.regulation.rtt.smoothed().as_secs_f64() * 1e3
        });
        let all: Vec<f64> = sampled.collect();
        all.iter().sum::<f64>() / all.len() as f64
    }

    pub fn sender(&self) -> &MachineNode<Host, Sender> {
        sender(&self.world, self.a)
    }

    pub fn sink(&self) -> &MachineNode<Host, Sink> {
        match self.world.node(self.b) {
            Any::Sink(node) => node,
            _ => unreachable!("b is the server"),
        }
    }

    pub fn helper(&self, at: usize) -> &Helper {
        match self.world.node(self.helpers[at]) {
            Any::Helper(node) => &node.machine,
            Any::Rogue(node) => node.machine.honest(),
            _ => unreachable!("a helper"),
        }
    }

    /// End-to-end bytes acknowledged to the client (0) and the others.
    pub fn acked(&self) -> Vec<u64> {
        let acked = |id: &NodeId| {
            let node = sender(&self.world, *id);
            let stats = node.app.connection.and_then(|connection| node.machine.stats(connection));
            stats.map_or(0, |stats| stats.channel.bytes_acked)
        };
        [self.a].iter().chain(&self.others).map(acked).collect()
    }

    /// Does something with a helper, which is polled afterwards.
    pub fn with_helper(&mut self, at: usize, change: impl FnOnce(&mut Helper)) {
        match self.world.node_mut(self.helpers[at]) {
            Any::Helper(node) => change(&mut node.machine),
            _ => unreachable!("a helper"),
        }
    }

    pub fn helper_events(&self, at: usize) -> &[(Instant, HelperEvent)] {
        match self.world.node(self.helpers[at]) {
            Any::Helper(node) => &node.app.0,
            _ => unreachable!("a helper"),
        }
    }

    /// The client gives a helper a fresh capability.
    pub fn renew(&mut self, at: usize, capability: &Capability) {
        let Any::Sender(node) = self.world.node_mut(self.a) else { unreachable!("a is the client") };
        let connection = node.app.connection.expect("connected");
        let path = node.machine.paths(connection)[0].path;
        assert!(node.machine.renew_capability(connection, path, at, capability), "there is a helper {at}");
    }

    /// The helper has been restarted: it knows its secret and nothing else.
    pub fn restart(&mut self, at: usize) {
        self.world.stop(self.helpers[at]);
        let again = helper(self.setting.helpers[at].clone(), at, 1);
        self.world.start(self.helpers[at], Any::Helper(Box::new(MachineNode::new(again, Log::default()))));
    }

    /// The client's host is given fresh capabilities of all helpers; answers how many flows each told.
    pub fn renew_all(&mut self) -> Vec<usize> {
        let (now, mut rng) = (self.world.now(), Rng::from_u64(self.setting.seed ^ 0x99));
        let fresh: Vec<_> = (0..self.helpers.len())
            .map(|at| {
                self.helper(at).office().issue(now, ClientTag(1), (Duration::from_secs(600), 16), rng.bytes::<32>())
            })
            .collect();
        let Any::Sender(node) = self.world.node_mut(self.a) else { unreachable!("a is the client") };
        fresh.iter().enumerate().map(|(at, fresh)| node.machine.renew(helper_identity(at).eid(), fresh)).collect()
    }

    /// The evil helpers do no more evil: two of them together could keep a storm up for ever.
    pub fn repent(&mut self) {
        for at in self.helpers.clone() {
            if let Any::Rogue(node) = self.world.node_mut(at) {
                node.machine.repent();
            }
        }
    }

    /// This is to govern what the client sends.
    pub fn set_controller(&mut self, name: &str) {
        let now = self.world.now();
        let Any::Sender(node) = self.world.node_mut(self.a) else { unreachable!("a is the client") };
        let connection = node.app.connection.expect("connected");
        node.machine.set_controller(now, connection, name.parse().expect("a controller"));
    }

    /// The client closes its connection.
    pub fn close(&mut self, now: Instant) {
        let Any::Sender(node) = self.world.node_mut(self.a) else { unreachable!("a is the client") };
        if let Some(connection) = node.app.connection {
            node.machine.close(now, connection, 0, "");
        }
    }

    /// Whether the client and the server hold nothing any more.
    pub fn held(&self) -> (bool, bool) {
        let (client, server) = (self.sender().machine.accounting(), self.sink().machine.accounting());
        (client.is_empty(), server.is_empty())
    }

    /// Bytes that the server has.
    pub fn received(&self) -> u64 {
        received(&self.world, self.b)
    }

    /// Runs until the server has everything and has said so; answers when.
    pub fn finish(&mut self, limit: Duration) -> Duration {
        let (a, seed) = (self.a, self.setting.seed);
        let done = self.world.wait_until(Instant::ZERO + limit, |world| sender(world, a).app.done_at.is_some());
        let app = &self.sender().app;
        assert!(
            done,
            "seed {seed}: not done within {limit:?}: {} of {} bytes written, received {:?}, events {:?}",
            app.sent,
            app.len,
            self.sink().app.received,
            app.events
        );
        app.done_at.expect("done").since(Instant::ZERO)
    }
}

/// Whether the client has everything, or knows that it will not.
pub fn is_over(world: &World<Any>, id: NodeId) -> bool {
    let app = &sender(world, id).app;
    let ended = |kind: &EventKind| matches!(kind, EventKind::Closed(_) | EventKind::ConnectFailed(_));
    app.done_at.is_some() || app.events.iter().any(|(_, kind)| ended(kind))
}

/// Whether the client's data goes to the server by no helper.
pub fn leads_directly(world: &World<Any>, id: NodeId) -> bool {
    let sender = sender(world, id);
    let remote = sender.app.connection.and_then(|connection| sender.machine.remote_address(connection));
    remote.is_some_and(|remote| remote.ip() == B)
}

/// Whether the client has another path than the one that it began with.
pub fn is_direct(world: &World<Any>, id: NodeId) -> bool {
    sender(world, id).app.events.iter().any(|(_, kind)| matches!(kind, EventKind::PathAdded { .. }))
}

/// What the client has been told.
pub fn events(world: &World<Any>, id: NodeId) -> &[(Instant, EventKind)] {
    &sender(world, id).app.events
}

/// Bytes that the server has.
pub fn received(world: &World<Any>, id: NodeId) -> u64 {
    match world.node(id) {
        Any::Sink(node) => node.app.received.values().sum(),
        _ => unreachable!("b is the server"),
    }
}

fn sender(world: &World<Any>, id: NodeId) -> &MachineNode<Host, Sender> {
    match world.node(id) {
        Any::Sender(node) => node,
        _ => unreachable!("a is the client"),
    }
}
