//! From [`Scenario`] to a world.

use core::net::{IpAddr, SocketAddr};
use std::collections::BTreeMap;
use std::rc::Rc;

use tng_base::Instant;
use tng_sim::{Carrier, IpProtocol, LinkId, Node, NodeId, World};

use super::{EventKind, LinkSpec, NodeKind, NodeSpec, Scenario};

/// Which packets of its host a node gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seat {
    /// Those of this protocol.
    pub protocol: IpProtocol,
    /// To this port, unless they are TCP segments, which have ports of their own.
    pub port: u16,
}

/// A world made from a scenario. What events do to streams is not in it: its nodes do that.
pub struct Built<N> {
    /// The world, its events scheduled.
    pub world: World<N>,
    /// By place in [`Scenario::nodes`]: the nodes of a host, by seat; a router.
    pub nodes: Vec<Vec<NodeId>>,
    /// By place in [`Scenario::links`].
    pub links: Vec<LinkId>,
}

impl Scenario {
    /// Makes the world. `seats` tells which nodes a host or helper has, at least one, when it is told the host's place
    /// in [`nodes`](Scenario::nodes); `make` makes a node: it is told the host's place, the seat's place among the
    /// host's, and how often the host was started before.
    pub fn build<N: Node + 'static>(
        &self,
        seats: impl Fn(usize) -> Vec<Seat>,
        make: impl Fn(usize, usize, u32) -> N + 'static,
    ) -> Built<N> {
        let make: Make<N> = Rc::new(make);
        let mut world = World::new(self.seed);
        let mut nodes = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            if node.kind.forwards() {
                nodes.push(vec![world.router(&node.name)]);
                continue;
            }
            let mut of_host: Vec<NodeId> = Vec::new();
            for (number, seat) in seats(place).into_iter().enumerate() {
                let party = make(place, number, 0);
                of_host.push(match of_host.first() {
                    Some(first) => world.beside(*first, seat.protocol, seat.port, party),
                    None => {
                        let first = world.host(&node.name, &[], party);
                        world.set_protocol(first, seat.protocol);
                        world.set_port(first, seat.port);
                        first
                    }
                });
            }
            nodes.push(of_host);
        }
        let first = |place: usize| *nodes[place].first().expect("a host has a node");
        let links = lay(&mut world, (&self.nodes, &self.links), first);
        let mut built = Built { world, nodes, links };
        let mut starts = vec![0; self.nodes.len()];
        for event in &self.events {
            built.schedule(Instant::ZERO + event.at, &event.kind, &mut starts, &make);
        }
        built
    }
}

/// Lays the links between the nodes of a world, sets up its NATs, and gives its hosts their addresses.
pub(super) fn lay<N: Node>(
    world: &mut World<N>,
    (nodes, links): (&[NodeSpec], &[LinkSpec]),
    node: impl Fn(usize) -> NodeId,
) -> Vec<LinkId> {
    let laid: Vec<LinkId> =
        links.iter().map(|link| world.connect_with(node(link.a), node(link.b), &link.forth, &link.back)).collect();
    let mut bound: BTreeMap<IpAddr, LinkId> = BTreeMap::new();
    for (link, laid) in links.iter().zip(&laid) {
        bound.extend(link.addresses.iter().map(|address| (*address, *laid)));
    }
    for (place, spec) in nodes.iter().enumerate() {
        if let NodeKind::Nat { config, inside } = &spec.kind {
            let inside: Vec<NodeId> = inside.iter().map(|at| node(*at)).collect();
            world.set_nat(node(place), config.clone(), &inside);
        }
        for address in spec.kind.addresses() {
            world.add_address(node(place), *address, bound.get(address).copied());
        }
    }
    laid
}

type Make<N> = Rc<dyn Fn(usize, usize, u32) -> N>;

impl<N: Node + 'static> Built<N> {
    /// Schedules an event. `starts` counts the restarts of each node so far.
    fn schedule(&mut self, at: Instant, event: &EventKind, starts: &mut [u32], make: &Make<N>) {
        let world = &mut self.world;
        match event.clone() {
            EventKind::Outage { link, lasts, holds } => {
                let link = self.links[link];
                let down = if holds { Carrier::Holds } else { Carrier::Drops };
                for (time, carrier) in [(at, down), (at + lasts, Carrier::Up)] {
                    world.at(time, move |world| {
                        link.lanes().into_iter().for_each(|lane| world.set_carrier(lane, carrier))
                    });
                }
            }
            EventKind::Link { link, lanes, patch } => {
                let link = self.links[link];
                world.at(at, move |world| {
                    for (lane, _) in link.lanes().into_iter().zip(lanes).filter(|(_, changes)| *changes) {
                        world.change(lane, |link| patch.apply(link));
                    }
                });
            }
            EventKind::Address { node, from, to } => {
                let node = self.nodes[node][0];
                world.at(at, move |world| {
                    if let Some(from) = from.or_else(|| world.addresses(node).next()) {
                        world.change_address(node, from, to);
                    } else if let Some(to) = to {
                        world.bring_address(node, to);
                    }
                });
            }
            EventKind::Rebind { node, local, seen } => {
                let nodes = self.nodes[node].clone();
                world.at(at, move |world| {
                    for (number, node) in (0..).zip(nodes) {
                        if let Some(local) = local.or_else(|| world.addresses(node).next()) {
                            let port = seen.port().wrapping_add(number);
                            world.rebind(node, local, SocketAddr::new(seen.ip(), port));
                        }
                    }
                });
            }
            EventKind::Restart { node: place, after } => {
                starts[place] += 1;
                for (seat, node) in self.nodes[place].iter().copied().enumerate() {
                    let (start, make) = (starts[place], make.clone());
                    world.at(at, move |world| drop(world.stop(node)));
                    world.at(at + after, move |world| world.start(node, make(place, seat, start)));
                }
            }
            EventKind::Stop { node } => {
                for node in self.nodes[node].iter().copied() {
                    world.at(at, move |world| drop(world.stop(node)));
                }
            }
            EventKind::Peer { .. } | EventKind::Stream { .. } => {}
        }
    }
}
