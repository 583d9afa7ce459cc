//! Ready-made worlds.
//!
//! Host `n`, counted in the order in which they are given, has the addresses [`ipv4(n)`](ipv4) and [`ipv6(n)`](ipv6).

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::link::{Link, LinkId};
use crate::node::{Node, NodeId};
use crate::world::World;

/// The IPv4 address of host `number`: `10.0.0.1` for number 0, and on from there.
pub const fn ipv4(number: u16) -> IpAddr {
    IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0001 + number as u32))
}

/// The IPv6 address of host `number`: `fd00::1` for number 0, and on from there.
pub const fn ipv6(number: u16) -> IpAddr {
    IpAddr::V6(Ipv6Addr::from_bits((0xfd << 120) + 1 + number as u128))
}

/// The IPv4 address of the first host.
pub const A: IpAddr = ipv4(0);
/// The IPv4 address of the second host.
pub const B: IpAddr = ipv4(1);

/// Two hosts and the link between them.
pub struct Pair<N> {
    /// The world.
    pub world: World<N>,
    /// The first host, at [`A`].
    pub a: NodeId,
    /// The second host, at [`B`].
    pub b: NodeId,
    /// The link; `forth` is from `a` to `b`.
    pub link: LinkId,
}

/// Two hosts on one link that is the same in both directions.
pub fn pair<N: Node>(seed: u64, link: &Link, a: N, b: N) -> Pair<N> {
    let mut world = World::new(seed);
    let [a, b] = [("a", 0, a), ("b", 1, b)].map(|(name, number, node)| host(&mut world, name, number, node));
    let link = world.connect(a, b, link);
    Pair { world, a, b, link }
}

/// Two hosts with routers between them.
pub struct Chain<N> {
    /// The world.
    pub world: World<N>,
    /// The first host, at [`A`].
    pub a: NodeId,
    /// The second host, at [`B`].
    pub b: NodeId,
    /// The routers, from `a` to `b`.
    pub routers: Vec<NodeId>,
    /// The links, from `a` to `b`; `forth` leads toward `b`.
    pub links: Vec<LinkId>,
}

/// Two hosts joined by these links in a row, with a router between each two of them.
pub fn chain<N: Node>(seed: u64, links: &[Link], a: N, b: N) -> Chain<N> {
    let mut world = World::new(seed);
    let [a, b] = [("a", 0, a), ("b", 1, b)].map(|(name, number, node)| host(&mut world, name, number, node));
    let routers: Vec<NodeId> = (1..links.len()).map(|number| world.router(&format!("r{number}"))).collect();
    let stops: Vec<NodeId> = [a].into_iter().chain(routers.iter().copied()).chain([b]).collect();
    let links = stops.windows(2).zip(links).map(|(ends, link)| world.connect(ends[0], ends[1], link)).collect();
    Chain { world, a, b, routers, links }
}

/// Hosts on either side of one link that all traffic between the sides shares.
pub struct Dumbbell<N> {
    /// The world.
    pub world: World<N>,
    /// The hosts on the left, numbers 0, 2, 4, ...
    pub left: Vec<NodeId>,
    /// The hosts on the right, numbers 1, 3, 5, ...
    pub right: Vec<NodeId>,
    /// The shared link; `forth` leads from left to right.
    pub bottleneck: LinkId,
    /// The links of the hosts on the left; `forth` leads to the router.
    pub access_left: Vec<LinkId>,
    /// The links of the hosts on the right; `forth` leads to the router.
    pub access_right: Vec<LinkId>,
}

/// Pairs of hosts, left and right, each host on a link like `access` to its side's router, and the two routers on
/// `bottleneck`.
pub fn dumbbell<N: Node>(seed: u64, access: &Link, bottleneck: &Link, pairs: Vec<(N, N)>) -> Dumbbell<N> {
    let mut world = World::new(seed);
    let (near, far) = (world.router("near"), world.router("far"));
    let bottleneck = world.connect(near, far, bottleneck);
    let (mut left, mut right, mut access_left, mut access_right) = (vec![], vec![], vec![], vec![]);
    for (number, (l, r)) in (0..).zip(pairs) {
        for (name, at, node, router, hosts, links) in [
            ("left", 2 * number, l, near, &mut left, &mut access_left),
            ("right", 2 * number + 1, r, far, &mut right, &mut access_right),
        ] {
            let id = host(&mut world, &format!("{name}{number}"), at, node);
            links.push(world.connect(id, router, access));
            hosts.push(id);
        }
    }
    Dumbbell { world, left, right, bottleneck, access_left, access_right }
}

fn host<N: Node>(world: &mut World<N>, name: &str, number: u16, node: N) -> NodeId {
    world.host(name, &[ipv4(number), ipv6(number)], node)
}
