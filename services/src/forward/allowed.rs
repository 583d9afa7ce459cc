//! Where a server connects to for others: by default nowhere.

use core::net::{IpAddr, Ipv4Addr};

use super::Destination;

/// The destinations that peers may reach through this host.
///
/// A destination that is named is allowed whatever its address; "any" allows what is not named as well, as long as its
/// address is [public](is_public) and not one of the host's own: who opens the way to the Internet does not mean the
/// services of his own host and network.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Allowed {
    named: Vec<Destination>,
    any: bool,
}

impl Allowed {
    /// These and, if `any`, every public one.
    pub const fn new(named: Vec<Destination>, any: bool) -> Allowed {
        Allowed { named, any }
    }

    /// Whether `destination` may be looked up at all.
    pub fn allows(&self, destination: &Destination) -> bool {
        self.any || self.names(destination)
    }

    /// Whether `destination`, which was looked up, may be reached at `address`, on a host that has the addresses `own`.
    /// Ask for the very address that is connected to: a name may have another one the next time.
    pub fn allows_at(&self, destination: &Destination, address: IpAddr, own: &[IpAddr]) -> bool {
        self.names(destination) || self.any && is_public(address) && !own.iter().any(|own| is_same(*own, address))
    }

    /// Whether `destination` is named: who named it knows what there is, so its refusals may say more.
    pub fn names(&self, destination: &Destination) -> bool {
        self.named.iter().any(|named| named.is(destination))
    }
}

/// Whether an address is one of the Internet's: not this host, not a private network, not one with a special purpose
/// (RFC 6890), not one at which clouds tell their guests secrets. IPv4 addresses within IPv6 ones count as what they
/// are; tunnels that hide one (6to4, Teredo, ISATAP) are not public.
pub fn is_public(address: IpAddr) -> bool {
    match canonical(address) {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => match ip.segments() {
            // Special purposes up to 2001:1ff::, Teredo among them; documentation, twice; 6to4; ISATAP (RFC 5214).
            [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] | [0x2002, ..] => false,
            [_, _, _, _, 0 | 0x200, 0x5efe, _, _] => false,
            [first, ..] => first & 0xe000 == 0x2000,
        },
    }
}

/// Whether both lead to the same host, one of them perhaps in another form.
fn is_same(own: IpAddr, address: IpAddr) -> bool {
    canonical(own) == canonical(address)
}

/// The IPv4 address that an IPv6 one stands for: mapped (RFC 4291, section 2.5.5.2), or for a translator (RFC 6052,
/// section 2.1).
fn canonical(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(ip) => match ip.segments() {
            [0x64, 0xff9b, 0, 0, 0, 0, a, b] => Ipv4Addr::from(u32::from(a) << 16 | u32::from(b)).into(),
            _ => ip.into(),
        },
        v4 => v4,
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let special = match ip.octets() {
        // This network; carrier-grade NAT; protocol assignments; relays of 6to4; benchmarks; reserved, broadcast
        // included.
        [0, ..] | [100, 64..=127, ..] | [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] | [240..=255, ..] => {
            true
        }
        // The one address for metadata that would pass for public otherwise (Azure).
        [168, 63, 129, 16] => true,
        _ => ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_multicast() || ip.is_documentation(),
    };
    !special
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(text: &str) -> Destination {
        text.parse().expect("a destination")
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn nothing_is_allowed_unless_it_is_named() {
        let (nothing, one) = (Allowed::default(), Allowed::new(vec![to("Example.org:80")], false));
        assert!(!nothing.allows(&to("example.org:80")));
        assert!(one.allows(&to("example.ORG:80")) && one.allows_at(&to("example.org:80"), ip("127.0.0.1"), &[]));
        for other in ["example.org:81", "www.example.org:80", "127.0.0.1:80"] {
            assert!(!one.allows(&to(other)), "{other}");
        }
    }

    #[test]
    fn any_means_the_internet_and_not_this_host_or_its_networks() {
        let any = Allowed::new(vec![to("localhost:8000")], true);
        let rebound = to("innocent.example:80");
        assert!(any.allows(&rebound) && any.allows_at(&rebound, ip("93.184.215.14"), &[]));
        assert!(any.allows_at(&to("localhost:8000"), ip("127.0.0.1"), &[ip("127.0.0.1")]), "it is named");
        for address in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "192.0.2.1",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b:1::1",
            "2001:db8::1",
            "2001::1",
            "2002:7f00:1::1",
            "3fff::1",
            "2606:4700::5efe:7f00:1",
            "fd00:ec2::254",
            "168.63.129.16",
            "64:ff9b::a9fe:a9fe",
        ] {
            assert!(!any.allows_at(&rebound, ip(address), &[]), "{address}");
        }
        for address in ["1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1"] {
            assert!(any.allows_at(&rebound, ip(address), &[]), "{address}");
        }
    }

    #[test]
    fn any_leaves_out_the_public_addresses_of_the_host_itself_in_every_form() {
        let (any, rebound) = (Allowed::new(vec![to("me.example:80")], true), to("innocent.example:80"));
        let own = [ip("1.1.1.1"), ip("2606:4700::1111")];
        for address in ["1.1.1.1", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2606:4700::1111"] {
            assert!(!any.allows_at(&rebound, ip(address), &own), "{address}");
            assert!(any.allows_at(&rebound, ip(address), &[]), "control: {address} of somebody else");
            assert!(any.allows_at(&to("me.example:80"), ip(address), &own), "it is named");
        }
        assert!(any.allows_at(&rebound, ip("1.1.1.2"), &own));
    }
}
