//! What a topology becomes: devices, addresses and routes of each node.
//!
//! A host's addresses are on its loopback device, so that they belong to no link, as in a simulated world; a route for
//! each address of another host says by which device it is reached, on the path of least cost. Routers have addresses
//! for the sole purpose of sending ICMP errors.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use tng_base::{Input, Instant};
use tng_sim::{Link, NatConfig, Node, NodeId, Outbox, World, topology};

/// The most nodes of a network: a namespace each.
pub const NODES_MAX: usize = 128;
/// The most links of a network: two devices each.
pub const LINKS_MAX: usize = 256;

/// The smallest MTU that IPv4 allows (RFC 791 section 3.2).
const IPV4_MTU_MIN: usize = 68;
/// The same of IPv6 (RFC 8200 section 5): Linux takes IPv6 away from a device with less.
const IPV6_MTU_MIN: usize = 1280;

/// Nodes, and links between them.
#[derive(Clone, PartialEq, Debug)]
pub struct Topology {
    /// Decides every lot that the links draw.
    pub seed: u64,
    /// Hosts and routers.
    pub nodes: Vec<TopologyNode>,
    /// Links; nodes are named by their place in `nodes`.
    pub links: Vec<TopologyLink>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TopologyNode {
    /// Unique.
    pub name: String,
    /// A host's addresses, the one that it prefers first; a router has none.
    pub addresses: Vec<IpAddr>,
    /// What a router translates, if it does.
    pub nat: Option<TopologyNat>,
}

/// A NAT.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TopologyNat {
    /// What it is set to; its addresses are reached from outside, and are none of the node's own.
    pub config: NatConfig,
    /// The nodes behind it, by their place, each at the other end of one of its links.
    pub inside: Vec<usize>,
}

impl TopologyNode {
    /// Where packets find it.
    fn found_at(&self) -> &[IpAddr] {
        self.nat.as_ref().map_or(&self.addresses, |nat| &nat.config.addresses)
    }
}

/// A link.
#[derive(Clone, PartialEq, Debug)]
pub struct TopologyLink {
    /// Unique.
    pub name: String,
    /// The first end.
    pub a: usize,
    /// The second end.
    pub b: usize,
    /// From `a` to `b`.
    pub forth: Link,
    /// From `b` to `a`.
    pub back: Link,
}

impl Topology {
    /// Two hosts, `a` at 10.0.0.1 and fd00::1 and `b` at 10.0.0.2 and fd00::2, and a link that is the same in both
    /// directions.
    pub fn pair(seed: u64, link: &Link) -> Topology {
        let node = |(number, name): (u16, &str)| TopologyNode {
            name: name.to_owned(),
            addresses: vec![topology::ipv4(number), topology::ipv6(number)],
            nat: None,
        };
        let (forth, back) = (link.clone(), link.clone());
        Topology {
            seed,
            nodes: [(0, "a"), (1, "b")].map(node).into(),
            links: vec![TopologyLink { name: "a-b".to_owned(), a: 0, b: 1, forth, back }],
        }
    }

    /// By lane, that of a link forth, then the one back: the NATs, by their node's place, that packets leave through
    /// when they enter it, and that they come to from outside at its end.
    pub fn crossings(&self) -> impl Iterator<Item = Crossing> + '_ {
        let ends = self.links.iter().flat_map(|link| [(link.a, link.b), (link.b, link.a)]);
        ends.map(|(near, far)| {
            let outside = |nat: usize, other: usize| {
                self.nodes[nat].nat.as_ref().is_some_and(|it| !it.inside.contains(&other)).then_some(nat)
            };
            Crossing { leaves: outside(near, far), enters: outside(far, near) }
        })
    }

    /// The parameters of each lane: that of a link forth, then the one back.
    pub fn lanes(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().flat_map(|link| [&link.forth, &link.back])
    }
}

/// The NATs at the ends of a lane whose outside it is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Crossing {
    /// The one at its near end.
    pub leaves: Option<usize>,
    /// The one at its far end.
    pub enters: Option<usize>,
}

/// Why a topology cannot stand: the caller's fault, each.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TopologyError {
    /// Too much of it.
    #[error("{count} {what}; a network in real time has at most {max}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
        /// How many there may be.
        max: usize,
    },
    /// A name that cannot name a namespace.
    #[error("the node name {0:?} cannot name a network namespace; begin it with a letter or digit, and make it short")]
    Name(String),
    /// Two nodes of a name.
    #[error("two nodes would be called {0:?}")]
    Twice(String),
    /// A link that IP cannot use.
    #[error("the link {link:?} has an mtu of {mtu}, and {version} needs {min}; give it that{otherwise}")]
    Mtu {
        /// The link.
        link: String,
        /// Its largest packet, bytes.
        mtu: usize,
        /// The version of IP.
        version: &'static str,
        /// What that needs, bytes.
        min: usize,
        /// What else to do.
        otherwise: &'static str,
    },
    /// No link.
    #[error("there is no link; add a [[link]] between two nodes")]
    NoLink,
}

/// A node at the near end of a lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// The lane that leaves by this device: twice the number of the link, and one more for the way back.
    pub lane: usize,
    /// The name of the TUN device.
    pub device: String,
}

/// What a node becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodePlan {
    /// Whether it passes packets on.
    pub forwards: bool,
    /// Its ends of links.
    pub ports: Vec<Port>,
    /// What `ip -batch` is told once the devices are there.
    pub commands: String,
}

/// What each node of a topology becomes.
///
/// # Errors
/// If it cannot stand.
pub fn plan(topology: &Topology) -> Result<Vec<NodePlan>, TopologyError> {
    check(topology)?;
    let mut world = World::new(topology.seed);
    let ids: Vec<NodeId> = topology
        .nodes
        .iter()
        .map(|node| match &node.addresses[..] {
            [] => world.router(&node.name),
            addresses => world.host(&node.name, addresses, Nobody),
        })
        .collect();
    for link in &topology.links {
        world.connect_with(ids[link.a], ids[link.b], &link.forth, &link.back);
    }
    for (node, id) in topology.nodes.iter().zip(&ids) {
        if let Some(nat) = &node.nat {
            world.set_nat(*id, nat.config.clone(), &[]);
        }
    }
    Ok((0..ids.len()).map(|place| plan_node(topology, &mut world, &ids, place)).collect())
}

fn check(topology: &Topology) -> Result<(), TopologyError> {
    for (what, count, max) in [("nodes", topology.nodes.len(), NODES_MAX), ("links", topology.links.len(), LINKS_MAX)] {
        if count > max {
            return Err(TopologyError::TooMany { what, count, max });
        }
    }
    if topology.links.is_empty() {
        return Err(TopologyError::NoLink);
    }
    let v6 = topology.nodes.iter().flat_map(TopologyNode::found_at).any(IpAddr::is_ipv6);
    let (version, min, otherwise) = match v6 {
        true => ("IPv6", IPV6_MTU_MIN, ", or all hosts IPv4 addresses alone"),
        false => ("IPv4", IPV4_MTU_MIN, ""),
    };
    for link in &topology.links {
        let mtu = link.forth.mtu.min(link.back.mtu);
        if mtu < min {
            return Err(TopologyError::Mtu { link: link.name.clone(), mtu, version, min, otherwise });
        }
    }
    let mut names = BTreeSet::new();
    for node in &topology.nodes {
        let name = plain_name(&node.name);
        if !is_name(&name) {
            return Err(TopologyError::Name(node.name.clone()));
        }
        if names.contains(&name) {
            return Err(TopologyError::Twice(name));
        }
        names.insert(name);
    }
    Ok(())
}

/// What a node is called where names cannot have everything in them: namespaces, `/etc/hosts`.
pub fn plain_name(name: &str) -> String {
    name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Longest name of a network or node.
pub const NAME_BYTES_MAX: usize = 64;

/// Whether this can be a part of the name of a namespace, which is that of a file.
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain) && name.len() <= NAME_BYTES_MAX
}

fn plan_node(topology: &Topology, world: &mut World<Nobody>, ids: &[NodeId], place: usize) -> NodePlan {
    let node = &topology.nodes[place];
    let forwards = node.addresses.is_empty();
    let own = if forwards { router_addresses(place) } else { node.addresses.clone() };
    let mut ports = Vec::new();
    // Writing to a string does not fail.
    let mut commands = "link set dev lo up\n".to_owned();
    for address in &own {
        let nodad = if address.is_ipv6() { " nodad" } else { "" };
        let _ = writeln!(commands, "address add {} dev lo{nodad}", prefix(*address));
    }
    for (number, link) in topology.links.iter().enumerate() {
        for (end, lane, parameters) in [(link.a, 2 * number, &link.forth), (link.b, 2 * number + 1, &link.back)] {
            if end == place {
                let device = format!("link{number}");
                let mtu = parameters.mtu;
                let _ = writeln!(commands, "link set dev {device} mtu {mtu} txqueuelen {DEVICE_QUEUE_PACKETS} up");
                ports.push(Port { lane, device });
            }
        }
    }
    for peer in topology.nodes.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, peer)| peer) {
        for address in peer.found_at() {
            let source = own.iter().find(|own| own.is_ipv4() == address.is_ipv4());
            let (Some(source), Some(lane)) = (source, world.route(ids[place], *address)) else { continue };
            let device = lane.index() / 2;
            let _ = writeln!(commands, "route add {} dev link{device} src {source}", prefix(*address));
        }
    }
    NodePlan { forwards, ports, commands }
}

/// Packets that wait between the kernel and the emulator at one device.
pub const DEVICE_QUEUE_PACKETS: u32 = 4_096;

/// Addresses for the errors that a router sends: of the ranges for measurements (RFC 2544, RFC 5180).
fn router_addresses(place: usize) -> Vec<IpAddr> {
    let (number, v4) = (place as u128 + 1, u32::from(Ipv4Addr::new(198, 18, 0, 0)));
    let v6 = u128::from(Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0));
    vec![Ipv4Addr::from(v4 + number as u32).into(), Ipv6Addr::from(v6 + number).into()]
}

fn prefix(address: IpAddr) -> String {
    format!("{address}/{}", if address.is_ipv4() { 32 } else { 128 })
}

/// A host of a world that is asked for routes alone.
struct Nobody;

impl Node for Nobody {
    fn handle_input(&mut self, _: Instant, _: Input<'_>) {}

    fn handle_timeout(&mut self, _: Instant) {}

    fn poll(&mut self, _: Instant, _: &mut Outbox) -> Option<Instant> {
        None
    }
}

#[cfg(test)]
mod tests;
