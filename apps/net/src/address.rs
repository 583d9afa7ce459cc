//! Where a socket may be found.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use tng_endpoint::is_carried;

/// Destinations that lead through the interfaces a host usually has: the default route, the private networks,
/// carrier-grade NAT. Nothing is sent to them.
const PROBES: [IpAddr; 7] = [
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)),
    IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)),
    IpAddr::V4(Ipv4Addr::new(10, 255, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(172, 31, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(192, 168, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(100, 127, 255, 254)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 1)),
];

/// The addresses at which a socket bound to `bound` may be reached, the widest first, the loopback last. Just `bound`
/// if that is a definite address.
pub fn local_addresses(bound: SocketAddr) -> Vec<SocketAddr> {
    if !bound.ip().is_unspecified() {
        return vec![bound];
    }
    let mut found: Vec<IpAddr> = Vec::new();
    let loopbacks = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    for ip in PROBES.into_iter().filter_map(source_toward).chain(loopbacks) {
        // A socket of the unspecified IPv6 address serves both families.
        if (bound.is_ipv6() || ip.is_ipv4()) && !found.contains(&ip) {
            found.push(ip);
        }
    }
    if source_toward(Ipv6Addr::LOCALHOST.into()).is_none() {
        found.retain(IpAddr::is_ipv4);
    }
    found.into_iter().map(|ip| SocketAddr::new(ip, bound.port())).collect()
}

/// Where a socket that is bound to `bound` sends from when it sends to `remote`.
pub(crate) fn local_toward(bound: SocketAddr, remote: SocketAddr) -> SocketAddr {
    match source_toward(remote.ip()) {
        Some(ip) if bound.ip().is_unspecified() => SocketAddr::new(ip, bound.port()),
        _ => bound,
    }
}

/// The address that the system would send from. Connecting a UDP socket asks the routing table and sends nothing.
fn source_toward(ip: IpAddr) -> Option<IpAddr> {
    let any: IpAddr = if ip.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect((ip, 9)).ok()?;
    socket.local_addr().ok().map(|addr| addr.ip()).filter(|ip| !ip.is_unspecified())
}

/// An address of a peer as people are told it: of one that a carrier leads to (docs/carrier.md) where its other end is,
/// by TCP. Of an IPv6 address that is the network alone.
pub fn shown_address(remote: SocketAddr) -> String {
    match remote.ip() {
        IpAddr::V6(carried) if is_carried(remote.ip()) => match carried.octets() {
            [_, 4, a, b, c, d, ..] => format!("tcp {}", SocketAddr::from(([a, b, c, d], remote.port()))),
            [_, _, network @ .., _, _, _, _, _, _, _, _] => {
                let [a, b, c, d, e, f] = network;
                let network = Ipv6Addr::from([a, b, c, d, e, f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
                format!("tcp [{network}/48]:{}", remote.port())
            }
        },
        _ => remote.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_carried_peer_people_see_where_its_tcp_comes_from() {
        let shown = |peer: &str| {
            let peer: SocketAddr = peer.parse().unwrap();
            (shown_address(peer), shown_address(tng_endpoint::carried_address(peer, 7)))
        };
        assert_eq!(shown("192.0.2.1:40000"), ("192.0.2.1:40000".to_owned(), "tcp 192.0.2.1:40000".to_owned()));
        assert_eq!(
            shown("[2001:db8:7:1::1]:443"),
            ("[2001:db8:7:1::1]:443".to_owned(), "tcp [2001:db8:7::/48]:443".to_owned())
        );
    }

    #[test]
    fn a_definite_address_is_the_only_one() {
        let bound = "127.0.0.1:4860".parse().unwrap();
        assert_eq!(local_addresses(bound), [bound]);
    }

    #[test]
    fn what_is_bound_to_no_address_sends_from_one_and_what_is_bound_to_one_from_that() {
        let addr = |text: &str| text.parse::<SocketAddr>().unwrap();
        assert_eq!(local_toward(addr("0.0.0.0:7"), addr("127.0.0.1:1")), addr("127.0.0.1:7"));
        assert_eq!(local_toward(addr("127.0.0.2:7"), addr("127.0.0.1:1")), addr("127.0.0.2:7"));
    }

    #[test]
    fn every_address_of_an_unspecified_one_can_be_bound_and_none_comes_twice() {
        for any in ["0.0.0.0:0", "[::]:0"] {
            let found = local_addresses(any.parse().unwrap());
            assert!(found.contains(&"127.0.0.1:0".parse().unwrap()), "{found:?}");
            for (i, addr) in found.iter().enumerate() {
                UdpSocket::bind(addr).unwrap();
                assert!(!found[..i].contains(addr));
            }
        }
    }
}
