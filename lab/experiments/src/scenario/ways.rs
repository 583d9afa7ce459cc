//! Whether packets find a way from one node of a scenario to another.

use core::net::IpAddr;
use std::collections::BTreeSet;

use tng_base::{Input, Instant};
use tng_sim::{Node, NodeId, Outbox, World};

use super::build::lay;
use super::parse::Reader;
use super::{FlowProtocol, LinkSpec, NodeKind, NodeSpec};
use tng_settings::{Result, Section};

/// The network of a scenario with nobody in it: it is asked which way packets would take, and so its answer is that of
/// the simulator.
pub(super) struct Ways {
    world: World<Nobody>,
    /// By place in the file, ascending.
    nodes: Vec<NodeId>,
}

/// Says and hears nothing.
struct Nobody;

impl Node for Nobody {
    fn handle_input(&mut self, _: Instant, _: Input<'_>) {}

    fn handle_timeout(&mut self, _: Instant) {}

    fn poll(&mut self, _: Instant, _: &mut Outbox) -> Option<Instant> {
        None
    }
}

impl Ways {
    pub(super) fn new(nodes: &[NodeSpec], links: &[LinkSpec]) -> Ways {
        let mut world = World::new(0);
        let ids = nodes.iter().map(|node| match node.kind.forwards() {
            true => world.router(&node.name),
            false => world.host(&node.name, &[], Nobody),
        });
        let ids: Vec<NodeId> = ids.collect();
        lay(&mut world, (nodes, links), |place| ids[place]);
        Ways { world, nodes: ids }
    }

    /// The places that what one of them sends to an address of another comes by, both included: those of least cost.
    fn way(&mut self, from: usize, to: usize, address: IpAddr) -> Option<Vec<usize>> {
        let (mut way, mut at) = (vec![from], from);
        while at != to {
            let lane = self.world.route(self.nodes[at], address)?;
            at = self.nodes.binary_search(&self.world.ends(lane).1).ok()?;
            way.push(at);
            // Where links cost nothing a way could be without an end.
            if way.len() > self.nodes.len() {
                return None;
            }
        }
        Some(way)
    }
}

/// Why what one node sends does not come to another, nor its answer back.
enum Trouble {
    /// No links lead there.
    NoWay,
    /// The way from one of these to the other leads through a NAT from outside to outside.
    Outside { from: usize, to: usize, nat: usize },
    /// A NAT has no address of the IP version.
    Version,
}

impl Reader<'_, '_> {
    /// A section of a flow, from a host or helper to the next, has a way, and addresses of one IP version that pass it.
    pub(super) fn check_way(
        &self,
        section: &Section<'_, '_>,
        protocol: FlowProtocol,
        (from, to): (usize, usize),
    ) -> Result<()> {
        let [near, far] = [from, to].map(|node| &self.nodes[node].name);
        let refuse = |problem: String| Err(section.contradiction(problem));
        let shared = |address: &&IpAddr| self.addresses(from).iter().any(|own| own.is_ipv4() == address.is_ipv4());
        // tng tries all addresses of a peer; what runs over the others has the first.
        let tried = if protocol == FlowProtocol::TNG { usize::MAX } else { 1 };
        let mut tried = self.addresses(to).iter().filter(shared).take(tried).peekable();
        let first = tried.peek().copied().copied();
        let trouble = match first {
            // Without one in common that it leads nowhere at all is the greater trouble.
            None => self.addresses(to).first().and_then(|address| self.follow(from, to, *address).err()),
            Some(_) => {
                let mut troubles = tried.map(|address| self.follow(from, to, *address));
                let first = troubles.next();
                if first.as_ref().is_none_or(core::result::Result::is_ok) || troubles.any(|it| it.is_ok()) {
                    return Ok(());
                }
                first.and_then(core::result::Result::err)
            }
        };
        match (trouble, first) {
            (Some(Trouble::NoWay), _) => match self.helper_in_the_way(from, to) {
                Some(helper) => refuse(format!(
                    "no links lead from {near:?} to {far:?} but through a helper, which is no router: it passes on \
                     what names it alone, with via = [{helper:?}]"
                )),
                None => refuse(format!("no links lead from {near:?} to {far:?}")),
            },
            (Some(Trouble::Outside { from, to, nat }), _) => {
                let [near, far, nat] = [from, to, nat].map(|node| &self.nodes[node].name);
                refuse(format!(
                    "the way of least cost from {near:?} to {far:?} leads through the NAT {nat:?} from outside to \
                     outside, and a NAT passes nothing between two nodes that are not behind it; name those behind it \
                     in its inside, or lead a [[link]] past it that costs less"
                ))
            }
            (_, None) => refuse(format!(
                "{near:?} and {far:?} have no addresses of the same IP version; give one of them one of the other's"
            )),
            (_, Some(first)) => {
                let version = if first.is_ipv4() { "IPv4" } else { "IPv6" };
                refuse(format!(
                    "a flow over {} from {near:?} to {far:?} uses {version}, and a NAT on its way has no {version} \
                     address; give the NAT one, or {far:?} none",
                    protocol.name()
                ))
            }
        }
    }

    /// The addresses of a host or helper.
    pub(super) fn addresses(&self, node: usize) -> &[IpAddr] {
        self.nodes[node].kind.addresses()
    }

    /// Follows what a host sends to an address of another, and what is answered to where that seems to come from.
    fn follow(&self, from: usize, to: usize, address: IpAddr) -> core::result::Result<(), Trouble> {
        let mut ways = self.ways.borrow_mut();
        let own = |addresses: &[IpAddr]| addresses.iter().copied().find(|it| it.is_ipv4() == address.is_ipv4());
        // Who stands for the sender, from NAT to NAT, and by which address.
        let mut seen: Vec<(usize, IpAddr)> = own(self.addresses(from)).map(|own| (from, own)).into_iter().collect();
        let forth = ways.way(from, to, address).ok_or(Trouble::NoWay)?;
        self.passes_nats(&forth)?;
        for step in forth.windows(3) {
            if let NodeKind::Nat { config, inside } = &self.nodes[step[1]].kind
                && inside.contains(&step[0])
                && !inside.contains(&step[2])
            {
                seen.push((step[1], own(&config.addresses).ok_or(Trouble::Version)?));
            }
        }
        let mut at = to;
        while let Some((node, address)) = seen.pop() {
            let back = ways.way(at, node, address).ok_or(Trouble::NoWay)?;
            self.passes_nats(&back)?;
            at = node;
        }
        Ok(())
    }

    /// Between two nodes that are both outside a NAT passes nothing.
    fn passes_nats(&self, way: &[usize]) -> core::result::Result<(), Trouble> {
        let drops = |step: &&[usize]| match &self.nodes[step[1]].kind {
            NodeKind::Nat { inside, .. } => !inside.contains(&step[0]) && !inside.contains(&step[2]),
            _ => false,
        };
        match (way.windows(3).find(drops), way) {
            (Some(step), [from, .., to]) => Err(Trouble::Outside { from: *from, to: *to, nat: step[1] }),
            _ => Ok(()),
        }
    }

    /// The nodes that links lead to from a host; hosts and helpers on the way do not forward.
    pub(super) fn reached(&self, from: usize) -> BTreeSet<usize> {
        self.reached_through(from, None)
    }

    /// The first helper without which links would lead from one host to another, if it alone forwarded.
    fn helper_in_the_way(&self, from: usize, to: usize) -> Option<&str> {
        let helpers = self.nodes.iter().enumerate().filter(|(_, node)| matches!(node.kind, NodeKind::Helper { .. }));
        let mut in_the_way = helpers.filter(|(place, _)| self.reached_through(from, Some(*place)).contains(&to));
        in_the_way.next().map(|(_, node)| &*node.name)
    }

    /// The same as if one more node forwarded. Each link is looked at once from either end.
    fn reached_through(&self, from: usize, through: Option<usize>) -> BTreeSet<usize> {
        let mut beside = vec![Vec::new(); self.nodes.len()];
        for link in &self.links {
            beside[link.a].push(link.b);
            beside[link.b].push(link.a);
        }
        let (mut reached, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(node) = open.pop() {
            if node == from || self.nodes[node].kind.forwards() || through == Some(node) {
                open.extend(beside[node].iter().filter(|next| reached.insert(**next)));
            }
        }
        reached
    }
}
