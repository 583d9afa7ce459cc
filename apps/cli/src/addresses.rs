//! Under which addresses this host may be found.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// Addresses for a ticket of a socket bound to `bound`: itself if it is a particular one, else those that this host
/// would send from, and loopback last for programs on the same machine.
pub fn reachable(bound: SocketAddr) -> Vec<SocketAddr> {
    let port = bound.port();
    if !bound.ip().is_unspecified() {
        return vec![bound];
    }
    // Connecting a UDP socket sends nothing; it only makes the system choose a source. The far ends are from the ranges
    // for documentation, so they belong to nobody.
    let v4 = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    let v6 = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));
    let far = [(v6, bound.is_ipv6()), (v4, true)];
    let mut found: Vec<IpAddr> =
        far.into_iter().filter(|(_, wanted)| *wanted).filter_map(|(ip, _)| source(ip)).collect();
    found.push(Ipv4Addr::LOCALHOST.into());
    found.dedup();
    found.into_iter().map(|ip| SocketAddr::new(ip, port)).collect()
}

/// The address that this host would send from to `far`.
fn source(far: IpAddr) -> Option<IpAddr> {
    let any: IpAddr = if far.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect((far, 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|ip| !ip.is_unspecified() && !ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_particular_address_is_the_only_one() {
        let bound = "127.0.0.1:99".parse().expect("an address");
        assert_eq!(reachable(bound), [bound]);
    }

    #[test]
    fn an_unspecified_address_becomes_those_that_peers_can_use() {
        for bound in ["0.0.0.0:99", "[::]:99"] {
            let found = reachable(bound.parse().expect("an address"));
            assert_eq!(found.last().map(ToString::to_string).as_deref(), Some("127.0.0.1:99"));
            assert!(found.iter().all(|a| a.port() == 99 && !a.ip().is_unspecified()), "{found:?}");
            assert!(found.len() <= tng::Ticket::ADDRESSES_MAX);
        }
    }
}
