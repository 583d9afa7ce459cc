//! A client and a server on one link.

use core::net::IpAddr;
use core::time::Duration;

use tng_base::{Eid, Instant};
use tng_sim::topology::{A, B, Pair, ipv4, pair};
use tng_sim::{App, Link, LinkId, MachineNode, PORT, World};
use tng_stack::structured::ServiceOptions;
use tng_stack::{Access, Host, HostConfig, HostEvent, Identity, Target};

use crate::apps::{Client, SERVICE, Server};

pub enum Side {
    Client(Client),
    Server(Server),
}

impl App<Host> for Side {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        match self {
            Side::Client(client) => client.handle_event(now, host, event),
            Side::Server(server) => server.handle_event(now, host, event),
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        match self {
            Side::Client(client) => client.poll(now, host),
            Side::Server(server) => server.poll(now, host),
        }
    }
}

pub type Node = MachineNode<Host, Side>;

/// The client's second address.
pub const A2: IpAddr = ipv4(20);

pub struct Setting {
    pub seed: u64,
    pub link: Link,
    pub client: HostConfig,
    pub server: HostConfig,
    pub service: ServiceOptions,
    pub sizes: Vec<u64>,
}

impl Setting {
    pub fn new(seed: u64) -> Setting {
        Setting {
            seed,
            link: Link::new().rate(100_000_000).delay(Duration::from_millis(25)),
            client: HostConfig::new(Access::Nobody),
            server: HostConfig::new(Access::Public),
            service: ServiceOptions::default(),
            sizes: vec![100_000],
        }
    }

    pub fn server_identity(&self) -> Identity {
        Identity::from_seed([self.seed as u8 ^ 0x55; 32])
    }

    pub fn client_identity(&self) -> Identity {
        Identity::from_seed([self.seed as u8; 32])
    }

    pub fn client_eid(&self) -> Eid {
        self.client_identity().eid()
    }

    pub fn target(&self) -> Target {
        Target {
            eid: self.server_identity().eid(),
            addresses: vec![(B, PORT).into()],
            capability: None,
            via: Vec::new(),
        }
    }

    pub fn server_node(&self, life: u8) -> Node {
        let mut host = Host::new(self.server.clone(), self.server_identity(), [self.seed as u8 ^ 0x33 ^ life; 32]);
        host.listen(SERVICE.0, SERVICE.1, self.service);
        MachineNode::new(host, Side::Server(Server::default()))
    }

    pub fn client_node(&self, target: Target) -> Node {
        self.client_in_life(target, 0)
    }

    /// The client after so many deaths.
    pub fn client_in_life(&self, target: Target, life: u32) -> Node {
        let identity = self.client_identity();
        let mut seed = [self.seed as u8 ^ 0x77; 32];
        seed[..4].copy_from_slice(&life.to_be_bytes());
        let host = Host::new(self.client.clone(), identity, seed);
        MachineNode::new(host, Side::Client(Client::new(target, &self.sizes)))
    }

    /// The client at A, the server at B.
    pub fn start(self) -> Run {
        let target = self.target();
        self.start_towards(target)
    }

    /// The client at fd00::1, the server at fd00::2.
    pub fn start_over_ipv6(self) -> Run {
        let [at_a, at_b]: [IpAddr; 2] = ["fd00::1", "fd00::2"].map(|text| text.parse().expect("an address"));
        let target = Target { addresses: vec![(at_b, PORT).into()], ..self.target() };
        let mut world = World::new(self.seed);
        let a = world.host("a", &[at_a], self.client_node(target));
        let b = world.host("b", &[at_b], self.server_node(0));
        let link = world.connect(a, b, &self.link);
        Run { world, a, b, link, setting: self }
    }

    /// The client at A and A2, each on a link of its own, the server at B on both.
    pub fn start_with_two_paths(self, second: &Link) -> (Run, LinkId) {
        let target = self.target();
        let mut world = World::new(self.seed);
        let a = world.host("a", &[], self.client_node(target));
        let b = world.host("b", &[B], self.server_node(0));
        let (link, other) = (world.connect(a, b, &self.link), world.connect(a, b, second));
        world.add_address(a, A, Some(link));
        world.add_address(a, A2, Some(other));
        (Run { world, a, b, link, setting: self }, other)
    }

    pub fn start_towards(self, target: Target) -> Run {
        let (client, server) = (self.client_node(target), self.server_node(0));
        let Pair { world, a, b, link } = pair(self.seed, &self.link, client, server);
        Run { world, a, b, link, setting: self }
    }
}

pub struct Run {
    pub world: tng_sim::World<Node>,
    pub a: tng_sim::NodeId,
    pub b: tng_sim::NodeId,
    pub link: tng_sim::LinkId,
    pub setting: Setting,
}

impl Run {
    pub fn client(&self) -> &Client {
        client_of(self.world.node(self.a))
    }

    pub fn server(&self) -> &Server {
        match &self.world.node(self.b).app {
            Side::Server(server) => server,
            Side::Client(_) => unreachable!("B is the server"),
        }
    }

    pub fn host(&mut self, id: tng_sim::NodeId) -> &mut Host {
        &mut self.world.node_mut(id).machine
    }

    /// The figures of a node's only connection.
    pub fn host_stats(&self, id: tng_sim::NodeId) -> Option<tng_stack::ConnectionStats> {
        let machine = &self.world.node(id).machine;
        machine.connections().next().and_then(|connection| machine.stats(connection))
    }

    /// Runs until every block has arrived; answers when the last did.
    pub fn finish(&mut self, limit: Duration) -> Duration {
        let (a, seed) = (self.a, self.setting.seed);
        let done = self.world.wait_until(Instant::ZERO + limit, |world| {
            let client = client_of(world.node(a));
            client.is_done() || client.ended().is_some()
        });
        let client = self.client();
        assert!(client.failed.is_empty(), "seed {seed}: {:?}", client.failed);
        assert!(done && client.is_done(), "seed {seed}: not done within {limit:?}; ended: {:?}", client.ended());
        self.world.now().since(Instant::ZERO)
    }
}

pub fn client_of(node: &Node) -> &Client {
    match &node.app {
        Side::Client(client) => client,
        Side::Server(_) => unreachable!("the node is a client"),
    }
}
