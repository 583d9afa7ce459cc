//! Which way packets go: static paths of least cost, by address.

use core::cmp::Reverse;
use core::net::IpAddr;
use std::collections::{BTreeMap, BinaryHeap};

use crate::link::{LaneId, LinkId};

/// Where an address is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attachment {
    pub(crate) node: u32,
    /// The address is reached over this link only; `None`: over any link of the node.
    pub(crate) link: Option<LinkId>,
}

/// A lane as the routes see it.
#[derive(Clone, Copy)]
struct Edge {
    lane: LaneId,
    from: u32,
    to: u32,
    cost: u64,
}

const UNREACHABLE: u64 = u64::MAX;

/// The graph, the addresses, and the distances between routers. Hosts do not forward.
#[derive(Default)]
pub(crate) struct Routes {
    addresses: BTreeMap<IpAddr, Attachment>,
    /// By lane.
    edges: Vec<Edge>,
    /// By node: the lanes that leave it.
    out: Vec<Vec<LaneId>>,
    /// By node: the number among the routers.
    routers: Vec<Option<u32>>,
    router_count: usize,
    /// `[to][from]`, both by router: least cost, and the first lane of that path.
    paths: Vec<Vec<(u64, LaneId)>>,
    stale: bool,
}

impl Routes {
    pub(crate) fn add_node(&mut self, router: bool) {
        self.out.push(Vec::new());
        self.routers.push(router.then_some(self.router_count as u32));
        self.router_count += usize::from(router);
        self.stale = true;
    }

    /// Adds the next lane.
    pub(crate) fn add_lane(&mut self, from: u32, to: u32, cost: u32) -> LaneId {
        let lane = LaneId(self.edges.len() as u32);
        self.edges.push(Edge { lane, from, to, cost: u64::from(cost) });
        self.out[from as usize].push(lane);
        self.stale = true;
        lane
    }

    /// The nodes at the near and the far end of a lane.
    pub(crate) fn ends(&self, lane: LaneId) -> (u32, u32) {
        let edge = &self.edges[lane.0 as usize];
        (edge.from, edge.to)
    }

    /// Number of lanes.
    pub(crate) fn lane_count(&self) -> usize {
        self.edges.len()
    }

    /// Attaches an address, instead of where it was before.
    pub(crate) fn attach(&mut self, address: IpAddr, at: Attachment) {
        self.addresses.insert(address, at);
    }

    pub(crate) fn detach(&mut self, address: IpAddr) {
        self.addresses.remove(&address);
    }

    pub(crate) fn attachment(&self, address: IpAddr) -> Option<Attachment> {
        self.addresses.get(&address).copied()
    }

    /// The lane by which a packet to `destination` leaves `node`; `via` allows one link only.
    pub(crate) fn next(&mut self, node: u32, destination: IpAddr, via: Option<LinkId>) -> Option<LaneId> {
        let target = self.attachment(destination)?;
        if self.stale {
            self.recompute();
        }
        if self.routers[node as usize].is_some() {
            return self.path(node, target).1;
        }
        let out = &self.out[node as usize];
        if let [only] = out[..]
            && via.is_none_or(|link| link == only.link())
        {
            return Some(only);
        }
        let allowed = out.iter().copied().filter(|lane| via.is_none_or(|link| link == lane.link()));
        let mut best = (UNREACHABLE, None);
        for lane in allowed {
            let edge = self.edges[lane.0 as usize];
            let onward = if edge.to == target.node && target.link.is_none_or(|link| link == lane.link()) {
                0
            } else if self.routers[edge.to as usize].is_some() {
                self.path(edge.to, target).0
            } else {
                UNREACHABLE
            };
            let cost = onward.saturating_add(edge.cost);
            if cost < best.0 {
                best = (cost, Some(lane));
            }
        }
        best.1
    }

    /// Cost and first lane from a router to the target.
    fn path(&self, router: u32, target: Attachment) -> (u64, Option<LaneId>) {
        let Some(here) = self.routers[router as usize] else { return (UNREACHABLE, None) };
        let mut best = (UNREACHABLE, None);
        // The last lane is the reverse of one that leaves the target.
        for lane in &self.out[target.node as usize] {
            if target.link.is_some_and(|link| link != lane.link()) {
                continue;
            }
            let last = self.edges[(lane.0 ^ 1) as usize];
            let Some(there) = self.routers[last.from as usize] else { continue };
            let (cost, first) = match self.paths[there as usize][here as usize] {
                _ if here == there => (0, last.lane),
                path => path,
            };
            let cost = cost.saturating_add(last.cost);
            if cost < best.0 {
                best = (cost, Some(first));
            }
        }
        best
    }

    /// Dijkstra's algorithm toward each router, over routers only.
    fn recompute(&mut self) {
        self.stale = false;
        self.paths.clear();
        for (target, number) in self.routers.iter().enumerate() {
            let Some(number) = *number else { continue };
            let mut paths = vec![(UNREACHABLE, LaneId(u32::MAX)); self.router_count];
            paths[number as usize].0 = 0;
            let mut reached = BinaryHeap::from([Reverse((0u64, target as u32))]);
            while let Some(Reverse((cost, node))) = reached.pop() {
                for lane in &self.out[node as usize] {
                    let toward = self.edges[(lane.0 ^ 1) as usize];
                    let Some(from) = self.routers[toward.from as usize] else { continue };
                    let cost = cost.saturating_add(toward.cost);
                    let path = &mut paths[from as usize];
                    if cost < path.0 {
                        *path = (cost, toward.lane);
                        reached.push(Reverse((cost, toward.from)));
                    }
                }
            }
            self.paths.push(paths);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    /// A link: the lane forth; the lane back is the next one.
    fn link(routes: &mut Routes, a: u32, b: u32, cost: u32) -> LaneId {
        let forth = routes.add_lane(a, b, cost);
        routes.add_lane(b, a, cost);
        forth
    }

    #[test]
    fn packets_take_the_cheapest_path_and_never_pass_through_hosts() {
        let mut routes = Routes::default();
        // 0, 1: hosts; 2, 3, 4: routers; 5: a host that would be a short cut.
        for router in [false, false, true, true, true, false] {
            routes.add_node(router);
        }
        let first = link(&mut routes, 0, 2, 1);
        link(&mut routes, 2, 3, 5);
        let detour = link(&mut routes, 2, 4, 1);
        let detour_end = link(&mut routes, 4, 3, 1);
        let last = link(&mut routes, 3, 1, 1);
        link(&mut routes, 2, 5, 0);
        link(&mut routes, 5, 3, 0);
        routes.attach(ip(1), Attachment { node: 1, link: None });
        assert_eq!(routes.next(0, ip(1), None), Some(first));
        assert_eq!(routes.next(2, ip(1), None), Some(detour));
        assert_eq!(routes.next(4, ip(1), None), Some(detour_end));
        assert_eq!(routes.next(3, ip(1), None), Some(last));
        assert_eq!(routes.next(2, ip(9), None), None, "nobody has this address");
    }

    #[test]
    fn an_address_bound_to_a_link_is_reached_over_it_alone() {
        let mut routes = Routes::default();
        for router in [false, true, true, false] {
            routes.add_node(router);
        }
        let near = link(&mut routes, 0, 1, 1);
        let far = link(&mut routes, 0, 2, 9);
        let one = link(&mut routes, 1, 3, 1);
        let two = link(&mut routes, 2, 3, 1);
        routes.attach(ip(1), Attachment { node: 3, link: None });
        routes.attach(ip(2), Attachment { node: 3, link: Some(two.link()) });
        assert_eq!(routes.next(0, ip(1), None), Some(near));
        assert_eq!(routes.next(0, ip(1), Some(far.link())), Some(far));
        assert_eq!(routes.next(0, ip(2), None), Some(far));
        assert_eq!((routes.next(1, ip(1), None), routes.next(2, ip(2), None)), (Some(one), Some(two)));
        assert_eq!(routes.next(1, ip(2), None), None, "router 1 has no way to that link");
    }

    #[test]
    fn two_hosts_on_one_wire_reach_each_other() {
        let mut routes = Routes::default();
        routes.add_node(false);
        routes.add_node(false);
        let wire = link(&mut routes, 0, 1, 1);
        routes.attach(ip(1), Attachment { node: 1, link: None });
        assert_eq!(routes.next(0, ip(1), None), Some(wire));
    }
}
