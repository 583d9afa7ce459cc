//! Scenarios in real time: what a network of the emulator takes of them.

use tng_emulator::{Topology, TopologyLink, TopologyNode};

use crate::scenario::{NodeKind, Scenario};

impl Scenario {
    /// The network alone, for the emulator.
    pub fn topology(&self) -> Topology {
        let nodes = self.nodes.iter().map(|node| TopologyNode {
            name: node.name.clone(),
            addresses: match &node.kind {
                NodeKind::Host { addresses, .. } => addresses.clone(),
                NodeKind::Router => Vec::new(),
            },
        });
        let links = self.links.iter().map(|link| TopologyLink {
            name: link.name.clone(),
            a: link.a,
            b: link.b,
            forth: link.forth.clone(),
            back: link.back.clone(),
        });
        Topology { seed: self.seed, nodes: nodes.collect(), links: links.collect() }
    }
}
