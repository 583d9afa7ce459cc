//! Addresses: those at a router are 256 in a row.

use core::net::{IpAddr, SocketAddr};

use tng_middlebox::Network;
use tng_sim::topology::ipv4;

/// Numbers of hosts at a router begin here, those of helpers at zero.
const FIRST_HOST: u16 = 32;

/// And those of hosts that have moved.
const FIRST_MOVED: u16 = 64;

/// A router that no world has.
const BEYOND: usize = 200;

fn at(router: usize, number: u16) -> IpAddr {
    ipv4((router as u16) << 8 | number)
}

/// A helper's, by its place in the plan.
pub(super) fn helper(router: usize, place: usize) -> IpAddr {
    at(router, place as u16)
}

/// A host's, by its number.
pub(super) fn host(router: usize, who: usize) -> IpAddr {
    at(router, FIRST_HOST + who as u16)
}

/// A host's at the `moves`th address that any has gone to.
pub(super) fn moved(router: usize, moves: u16) -> IpAddr {
    at(router, FIRST_MOVED + moves)
}

/// Those at a router. Addresses count from one.
pub(super) fn network(router: usize) -> Network {
    Network { address: at(router, 0), bits: 24 }
}

/// Where legacy flows go on to behind a tunnel: nobody's node.
pub(super) fn beyond() -> SocketAddr {
    SocketAddr::new(at(BEYOND, 0), 5_000)
}

/// Everybody in the world, and nobody else.
pub(super) fn everywhere() -> Network {
    Network { address: ipv4(0), bits: 8 }
}
