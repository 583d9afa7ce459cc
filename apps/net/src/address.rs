//! Where a socket may be found.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6, UdpSocket};

use nix::net::if_::InterfaceFlags;
use tng_endpoint::is_carried;
use tng_stack::ADDRESSES_MAX;

use crate::ticket::Ticket;

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

/// Addresses of one interface and family that are listed beside those that the system prefers: more are mostly of IPv6,
/// and change.
pub const PER_INTERFACE_MAX: usize = 2;

/// How far an address leads, the farthest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Scope {
    Global,
    /// RFC 1918, RFC 6598, RFC 4193.
    Private,
    LinkLocal,
    Loopback,
}

impl Scope {
    fn of(ip: IpAddr) -> Scope {
        let (loopback, link_local, private) = match ip {
            IpAddr::V4(ip) => {
                let [a, b, ..] = ip.octets();
                (ip.is_loopback(), ip.is_link_local(), ip.is_private() || (a, b & 0xc0) == (100, 64))
            }
            IpAddr::V6(ip) => (ip.is_loopback(), ip.is_unicast_link_local(), ip.is_unique_local()),
        };
        match (loopback, link_local, private) {
            (true, _, _) => Scope::Loopback,
            (_, true, _) => Scope::LinkLocal,
            (_, _, true) => Scope::Private,
            _ => Scope::Global,
        }
    }
}

/// An address of an interface.
#[derive(Clone, Debug)]
struct Held {
    interface: String,
    /// Its port is 0; a link-local one has its scope.
    address: SocketAddr,
}

/// The addresses at which a socket bound to `bound` may be reached: of each interface that is up, global ones first,
/// then private ones, those that the system would send from before others. Link-local ones are there only if there are
/// neither. The loopback is last. At most [`Ticket::ADDRESSES_MAX`]. Just `bound` if that is a definite address.
pub fn local_addresses(bound: SocketAddr) -> Vec<SocketAddr> {
    if !bound.ip().is_unspecified() {
        return vec![bound];
    }
    let preferred: Vec<IpAddr> = PROBES.into_iter().filter_map(source_toward).collect();
    // Where a sandbox keeps the interfaces secret the routing table has told of some.
    let held = held().unwrap_or_default();
    // A socket of the unspecified IPv6 address serves both families.
    let serves = |ip: IpAddr| bound.is_ipv6() || ip.is_ipv4();
    let mut found = listed(&preferred, &held, serves);
    let has_v6 = source_toward(Ipv6Addr::LOCALHOST.into()).is_some();
    found.retain(|address| address.is_ipv4() || has_v6);
    let loopbacks = [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()];
    let loopbacks = loopbacks.into_iter().filter(|ip| serves(*ip) && (ip.is_ipv4() || has_v6));
    found.extend(loopbacks.map(|ip| SocketAddr::new(ip, 0)));
    found.iter_mut().for_each(|address| address.set_port(bound.port()));
    found
}

/// Those of [`local_addresses`] that others are told: without the loopback, unless there is nothing else.
pub fn told_addresses(bound: SocketAddr) -> Vec<SocketAddr> {
    without_loopback(local_addresses(bound))
}

/// The loopback of a host leads others to themselves: these without it, unless there is nothing else.
pub(crate) fn without_loopback(mut addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    if addresses.iter().any(|at| !at.ip().is_loopback()) {
        addresses.retain(|at| !at.ip().is_loopback());
    }
    addresses
}

/// What others reach, best first, with room for the loopback's two.
fn listed(preferred: &[IpAddr], held: &[Held], serves: impl Fn(IpAddr) -> bool) -> Vec<SocketAddr> {
    let mut found: Vec<SocketAddr> = Vec::new();
    for ip in preferred.iter().filter(|ip| serves(**ip) && Scope::of(**ip) <= Scope::Private) {
        let address = SocketAddr::new(*ip, 0);
        if !found.contains(&address) {
            found.push(address);
        }
    }
    let held: Vec<&Held> = held.iter().filter(|held| serves(held.address.ip())).collect();
    let widest = if found.is_empty() && held.iter().all(|held| Scope::of(held.address.ip()) >= Scope::LinkLocal) {
        Scope::LinkLocal
    } else {
        Scope::Private
    };
    for Held { interface, address } in &held {
        let is_alike = |other: &&&Held| {
            other.interface == *interface
                && other.address.is_ipv4() == address.is_ipv4()
                && found.contains(&other.address)
        };
        let is_more = !found.contains(address) && held.iter().filter(is_alike).count() < PER_INTERFACE_MAX;
        if Scope::of(address.ip()) <= widest && is_more {
            found.push(*address);
        }
    }
    found.sort_by_key(|address| Scope::of(address.ip()));
    found.truncate(Ticket::ADDRESSES_MAX - 2);
    found
}

/// What the interfaces have that are up.
fn held() -> io::Result<Vec<Held>> {
    let interfaces = nix::ifaddrs::getifaddrs()?.filter(|one| one.flags.contains(InterfaceFlags::IFF_UP));
    let held = interfaces.filter_map(|one| {
        let address = one.address?;
        let v4 = address.as_sockaddr_in().map(|v4| SocketAddr::new(v4.ip().into(), 0));
        let v6 = || address.as_sockaddr_in6().map(|v6| SocketAddrV6::new(v6.ip(), 0, 0, v6.scope_id()).into());
        Some(Held { interface: one.interface_name, address: v4.or_else(v6)? })
    });
    Ok(held.collect())
}

/// Addresses to dial. A link-local one is good on one link, and its scope, which of the interfaces is on that link, on
/// one host alone: a ticket carries none. One without a scope is tried on every interface of this host that has a
/// link-local address itself. Others stay as they are. At most [`ADDRESSES_MAX`](tng_stack::ADDRESSES_MAX).
pub fn on_every_link(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    if !addresses.iter().any(lacks_scope) {
        return addresses;
    }
    let scopes: BTreeSet<u32> = held().unwrap_or_default().iter().filter_map(|held| scope_of(&held.address)).collect();
    spread(addresses, &scopes)
}

fn spread(addresses: Vec<SocketAddr>, scopes: &BTreeSet<u32>) -> Vec<SocketAddr> {
    let mut found = Vec::new();
    for address in addresses {
        match address {
            SocketAddr::V6(v6) if lacks_scope(&address) && !scopes.is_empty() => {
                let at = |scope: &u32| SocketAddr::V6(SocketAddrV6::new(*v6.ip(), v6.port(), 0, *scope));
                found.extend(scopes.iter().map(at));
            }
            _ => found.push(address),
        }
    }
    found.truncate(ADDRESSES_MAX);
    found
}

fn lacks_scope(address: &SocketAddr) -> bool {
    matches!(address, SocketAddr::V6(v6) if v6.ip().is_unicast_link_local() && v6.scope_id() == 0)
}

fn scope_of(address: &SocketAddr) -> Option<u32> {
    match address {
        SocketAddr::V6(v6) if v6.ip().is_unicast_link_local() => Some(v6.scope_id()).filter(|scope| *scope != 0),
        _ => None,
    }
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
    fn a_link_local_address_without_a_scope_is_tried_on_every_link_and_others_stay_as_they_are() {
        let at = |texts: &[&str]| texts.iter().map(|text| text.parse().expect("an address")).collect::<Vec<_>>();
        let asked = at(&["192.0.2.1:1", "[fe80::1]:2", "[fe80::1%9]:3", "[2001:db8::1]:4"]);
        let scopes = BTreeSet::from([3, 5]);
        let expected = at(&["192.0.2.1:1", "[fe80::1%3]:2", "[fe80::1%5]:2", "[fe80::1%9]:3", "[2001:db8::1]:4"]);
        assert_eq!(spread(asked.clone(), &scopes), expected);
        assert_eq!(spread(asked.clone(), &BTreeSet::new()), asked, "where there is no such link it fails as it is");
        assert_eq!(spread(asked, &(1..100).collect()).len(), ADDRESSES_MAX);
    }

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

    fn held(list: &[(&str, &str)]) -> Vec<Held> {
        let one = |(interface, address): &(&str, &str)| Held {
            interface: (*interface).to_owned(),
            address: address.parse().unwrap(),
        };
        list.iter().map(one).collect()
    }

    fn texts(found: &[SocketAddr]) -> Vec<String> {
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_second_network_is_listed_and_so_is_one_without_a_route_by_default() {
        let all =
            held(&[("lo", "127.0.0.1:0"), ("eth0", "192.168.1.7:0"), ("eth1", "198.18.0.2:0"), ("lo", "[::1]:0")]);
        let preferred = ["192.168.1.7".parse().unwrap()];
        assert_eq!(texts(&listed(&preferred, &all, |_| true)), ["198.18.0.2:0", "192.168.1.7:0"], "the wider first");
        assert_eq!(texts(&listed(&[], &all, |_| true)).len(), 2, "no route by default");
    }

    #[test]
    fn link_local_addresses_are_listed_with_their_scope_where_there_is_nothing_else() {
        let link_local = [("eth0", "[fe80::1%3]:0"), ("eth0", "169.254.7.7:0"), ("lo", "127.0.0.1:0")];
        assert_eq!(texts(&listed(&[], &held(&link_local), |_| true)), ["[fe80::1%3]:0", "169.254.7.7:0"]);
        assert_eq!(texts(&listed(&[], &held(&link_local), |ip| ip.is_ipv4())), ["169.254.7.7:0"]);
        let more = held(&[&link_local[..], &[("eth1", "10.0.0.1:0")]].concat());
        assert_eq!(texts(&listed(&[], &more, |_| true)), ["10.0.0.1:0"]);
    }

    #[test]
    fn one_interface_with_many_addresses_leaves_room_for_others_and_all_leave_room_for_the_loopback() {
        let of = |interface: &str, net: u16| {
            (1..20).map(|n| (interface.to_owned(), format!("[2001:db8:{net}::{n}]:0"))).collect::<Vec<_>>()
        };
        let many = [of("eth0", 1), vec![("eth0".to_owned(), "10.0.0.1:0".to_owned())]].concat();
        let list = |many: &[(String, String)]| {
            held(&many.iter().map(|(one, address)| (one.as_str(), address.as_str())).collect::<Vec<_>>())
        };
        let preferred = ["2001:db8:1::9".parse().unwrap()];
        let found = texts(&listed(&preferred, &list(&many), |_| true));
        assert_eq!(found, ["[2001:db8:1::9]:0", "[2001:db8:1::1]:0", "10.0.0.1:0"]);
        let networks: Vec<_> = (0..9).flat_map(|net| of(&format!("eth{net}"), net)).collect();
        assert_eq!(listed(&[], &list(&networks), |_| true).len(), Ticket::ADDRESSES_MAX - 2);
    }

    #[test]
    fn others_are_told_of_the_loopback_only_where_there_is_nothing_else() {
        let told = told_addresses("0.0.0.0:7".parse().unwrap());
        let loopbacks = told.iter().filter(|at| at.ip().is_loopback()).count();
        assert!(!told.is_empty() && (loopbacks == 0 || loopbacks == told.len()), "{told:?}");
        let bound = "127.0.0.1:7".parse().unwrap();
        assert_eq!(told_addresses(bound), [bound]);
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
