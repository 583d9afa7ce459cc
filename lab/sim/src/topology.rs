//! Ready-made worlds.

use core::net::IpAddr;

use crate::link::{Link, LinkId};
use crate::node::{Node, NodeId};
use crate::world::World;

/// The address of the first host of a [`pair`].
pub const A: IpAddr = IpAddr::V4(core::net::Ipv4Addr::new(10, 0, 0, 1));
/// The address of the second host of a [`pair`].
pub const B: IpAddr = IpAddr::V4(core::net::Ipv4Addr::new(10, 0, 0, 2));

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
    let a = world.host("a", &[A], a);
    let b = world.host("b", &[B], b);
    let link = world.connect(a, b, link);
    Pair { world, a, b, link }
}
