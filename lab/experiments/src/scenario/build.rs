//! From [`Scenario`] to a world.

use std::rc::Rc;

use tng_base::Instant;
use tng_sim::{Carrier, LinkId, Node, NodeId, World};

use super::{EventKind, NodeKind, Scenario};

/// A world made from a scenario. What events do to streams is not in it: its nodes do that.
pub struct Built<N> {
    /// The world, its events scheduled.
    pub world: World<N>,
    /// By place in [`Scenario::nodes`].
    pub nodes: Vec<NodeId>,
    /// By place in [`Scenario::links`].
    pub links: Vec<LinkId>,
}

impl Scenario {
    /// Makes the world. `make` makes the node of each host: it is told the host's place in [`nodes`](Scenario::nodes), and how
    /// often the host was started before.
    pub fn build<N: Node + 'static>(&self, make: impl Fn(usize, u32) -> N + 'static) -> Built<N> {
        let make: Make<N> = Rc::new(make);
        let mut world = World::new(self.seed);
        let nodes: Vec<NodeId> = self
            .nodes
            .iter()
            .enumerate()
            .map(|(place, node)| match &node.kind {
                NodeKind::Host { addresses, .. } => world.host(&node.name, addresses, make(place, 0)),
                NodeKind::Router => world.router(&node.name),
            })
            .collect();
        let links: Vec<LinkId> = self
            .links
            .iter()
            .map(|link| world.connect_with(nodes[link.a], nodes[link.b], &link.forth, &link.back))
            .collect();
        let mut built = Built { world, nodes, links };
        let mut starts = vec![0; self.nodes.len()];
        for event in &self.events {
            built.schedule(Instant::ZERO + event.at, &event.kind, &mut starts, &make);
        }
        built
    }
}

type Make<N> = Rc<dyn Fn(usize, u32) -> N>;

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
                let node = self.nodes[node];
                world.at(at, move |world| {
                    if let Some(from) = from.or_else(|| world.addresses(node).next()) {
                        world.change_address(node, from, to);
                    } else if let Some(to) = to {
                        world.add_address(node, to, None);
                    }
                });
            }
            EventKind::Rebind { node, local, seen } => {
                let node = self.nodes[node];
                world.at(at, move |world| {
                    if let Some(local) = local.or_else(|| world.addresses(node).next()) {
                        world.rebind(node, local, seen);
                    }
                });
            }
            EventKind::Restart { node: place, after } => {
                starts[place] += 1;
                let (node, start, make) = (self.nodes[place], starts[place], make.clone());
                world.at(at, move |world| drop(world.stop(node)));
                world.at(at + after, move |world| world.start(node, make(place, start)));
            }
            EventKind::Stop { node } => {
                let node = self.nodes[node];
                world.at(at, move |world| drop(world.stop(node)));
            }
            EventKind::Stream { .. } => {}
        }
    }
}
