//! Whether packets find a way from one node of a scenario to another.

use core::net::IpAddr;
use std::collections::BTreeSet;

use super::parse::Reader;
use super::section::{Result, Section};
use super::{FlowProtocol, NodeKind};

/// A version of IP, told by whether it is the fourth.
type IsIpv4 = bool;

/// What packets may do on their way.
#[derive(Clone, Copy, Default)]
struct Leave<'a> {
    /// Pass these nodes, whatever they are and wherever they come from.
    through: &'a [usize],
    /// Of this version, of which a NAT between inside and outside needs an address; `None`: of any.
    version: Option<IsIpv4>,
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
        if !self.leads(from, to, Leave::default()) {
            if let Some(nat) = self.in_the_way(from, to, |kind| matches!(kind, NodeKind::Nat { .. })) {
                return refuse(format!(
                    "the only way from {near:?} to {far:?} leads through the NAT {nat:?} from outside to outside, and \
                     a NAT passes nothing between two nodes that are not behind it; name those behind it in its \
                     inside, or lead a [[link]] past it"
                ));
            }
            if let Some(helper) = self.in_the_way(from, to, |kind| matches!(kind, NodeKind::Helper { .. })) {
                return refuse(format!(
                    "no links lead from {near:?} to {far:?} but through a helper, which is no router: it passes on \
                     what names it alone, with via = [{helper:?}]"
                ));
            }
            return refuse(format!("no links lead from {near:?} to {far:?}"));
        }
        let shared = |version: &IsIpv4| {
            [from, to].iter().all(|node| self.addresses(*node).iter().any(|address| address.is_ipv4() == *version))
        };
        let versions: Vec<IsIpv4> = self.addresses(to).iter().map(IpAddr::is_ipv4).filter(shared).collect();
        // tng tries all addresses of a peer; what runs over the others has the first.
        let tried = if protocol == FlowProtocol::TNG { &versions[..] } else { &versions[..versions.len().min(1)] };
        let Some(first) = tried.first() else {
            return refuse(format!(
                "{near:?} and {far:?} have no addresses of the same IP version; give one of them one of the other's"
            ));
        };
        if tried.iter().any(|version| self.leads(from, to, Leave { version: Some(*version), ..Leave::default() })) {
            return Ok(());
        }
        let version = if *first { "IPv4" } else { "IPv6" };
        refuse(format!(
            "a flow over {} from {near:?} to {far:?} uses {version}, and a NAT on its way has no {version} address; \
             give the NAT one, or {far:?} none",
            protocol.name()
        ))
    }

    /// The addresses of a host or helper.
    pub(super) fn addresses(&self, node: usize) -> &[IpAddr] {
        self.nodes[node].kind.addresses()
    }

    /// The nodes that links lead to from a host; hosts and helpers on the way do not forward.
    pub(super) fn reached(&self, from: usize) -> BTreeSet<usize> {
        let nats: Vec<usize> = self.all_of(|kind| matches!(kind, NodeKind::Nat { .. })).collect();
        self.reached_with(from, Leave { through: &nats, version: None })
    }

    /// Nodes of a kind.
    fn all_of(&self, kind: impl Fn(&NodeKind) -> bool) -> impl Iterator<Item = usize> {
        self.nodes.iter().enumerate().filter(move |(_, node)| kind(&node.kind)).map(|(place, _)| place)
    }

    /// The first node of a kind without which a way would lead from one host to another, if it alone passed all.
    fn in_the_way(&self, from: usize, to: usize, kind: impl Fn(&NodeKind) -> bool) -> Option<&str> {
        let found = self.all_of(kind).find(|it| self.leads(from, to, Leave { through: &[*it], version: None }));
        found.map(|node| &*self.nodes[node].name)
    }

    fn leads(&self, from: usize, to: usize, leave: Leave<'_>) -> bool {
        self.reached_with(from, leave).contains(&to)
    }

    /// What is reached, step by step: what a NAT passes on depends on where it came from.
    fn reached_with(&self, from: usize, leave: Leave<'_>) -> BTreeSet<usize> {
        let mut steps: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut open = vec![(from, from)];
        while let Some((before, node)) = open.pop() {
            for link in &self.links {
                for (near, far) in [(link.a, link.b), (link.b, link.a)] {
                    let passes = || node == from || self.passes(before, node, far, leave);
                    if near == node && passes() && steps.insert((near, far)) {
                        open.push((near, far));
                    }
                }
            }
        }
        steps.into_iter().map(|(_, far)| far).chain([from]).collect()
    }

    /// Whether a node passes packets on from one of its neighbours to another.
    fn passes(&self, before: usize, node: usize, next: usize, leave: Leave<'_>) -> bool {
        match &self.nodes[node].kind {
            _ if leave.through.contains(&node) => true,
            NodeKind::Host { .. } | NodeKind::Helper { .. } => false,
            NodeKind::Router => true,
            NodeKind::Nat { config, inside } => match [before, next].map(|node| inside.contains(&node)) {
                [false, false] => false,
                [true, true] => true,
                _ => leave
                    .version
                    .is_none_or(|version| config.addresses.iter().any(|address| address.is_ipv4() == version)),
            },
        }
    }
}
