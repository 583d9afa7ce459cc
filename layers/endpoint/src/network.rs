//! The network that an address belongs to: what is shared out is shared out among networks, since addresses cost
//! nothing in one.

use core::net::{IpAddr, Ipv6Addr};

/// An IPv4 address, or the /64 of an IPv6 address: what one owner has at least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Network(IpAddr);

impl Network {
    /// The network of an address; an IPv4 address that is written as one of IPv6 counts as what it is.
    pub fn of(ip: IpAddr) -> Network {
        Network(match ip.to_canonical() {
            IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)).into(),
            v4 => v4,
        })
    }

    /// Its first address.
    pub const fn address(self) -> IpAddr {
        self.0
    }
}

/// Whether an address is of the public Internet.
pub fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            let [a, b, c, _] = ip.octets();
            let shared = a == 100 && b & 0xc0 == 64;
            // For benchmarks, and for protocols.
            let reserved = a == 198 && b & 0xfe == 18 || (a, b, c) == (192, 0, 0);
            let special = ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_documentation();
            !(special || shared || reserved || ip.is_broadcast() || ip.is_multicast() || a == 0 || a >= 240)
        }
        IpAddr::V6(ip) => {
            let [first, second, ..] = ip.segments();
            let documentation = first == 0x2001 && second == 0x0db8;
            // Teredo and 6to4 lead to IPv4 addresses, private ones perhaps.
            let embedding = first == 0x2001 && second == 0 || first == 0x2002;
            first & 0xe000 == 0x2000 && !documentation && !embedding
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv4_address_is_a_network_and_so_is_an_ipv6_slash_64() {
        let of = |text: &str| Network::of(text.parse().expect("an address"));
        assert_eq!(of("2001:db8:0:1::1"), of("2001:db8:0:1:ffff::"));
        assert_ne!(of("2001:db8:0:1::1"), of("2001:db8:0:2::1"));
        assert_eq!(of("192.0.2.1"), of("::ffff:192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}
