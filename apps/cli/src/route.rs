//! Whether the system has a way to an address at all.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use crate::exit::Exit;
use crate::failure::{Failure, reason};

/// That the system has no way to any of these addresses, if it has none: by the first of them. Nothing is sent. By a
/// carrier that leads elsewhere there may be a way all the same.
pub fn missing(addresses: &[SocketAddr], what: impl FnOnce() -> String) -> Option<Failure> {
    #[cfg(feature = "carrier")]
    if crate::carrier::leads_elsewhere() {
        return None;
    }
    let mut first = None;
    for address in addresses {
        match look(*address) {
            Ok(()) => return None,
            Err(error) => first = first.or(Some((*address, error))),
        }
    }
    let (address, error) = first?;
    let is_without_scope =
        matches!(address, SocketAddr::V6(v6) if v6.ip().is_unicast_link_local() && v6.scope_id() == 0);
    let remedy = match is_without_scope {
        true => format!("the address with its interface: [{}%eth0]:{}", address.ip(), address.port()),
        false => format!("`ip route get {}`, and another network or address", address.ip()),
    };
    let why = format!("this host has no way to {address}: {}", reason(&error));
    Some(Failure::new(Exit::Connect, what(), why).or_try(remedy))
}

/// Connecting a UDP socket asks the routing table.
fn look(address: SocketAddr) -> io::Result<()> {
    let any = if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    UdpSocket::bind(SocketAddr::new(any, 0))?.connect(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_way_is_told_unless_another_has_one() {
        let at = |texts: &[&str]| texts.iter().map(|text| text.parse().expect("an address")).collect::<Vec<_>>();
        let told = |texts: &[&str]| missing(&at(texts), || "connecting".to_owned());
        // Of no interface.
        let failure = told(&["[fe80::1]:9"]).expect("no way");
        assert_eq!(failure.exit, Exit::Connect);
        assert!(
            failure.why.contains("no way to [fe80::1]:9") && failure.remedy.contains("[fe80::1%eth0]:9"),
            "{failure}"
        );
        assert_eq!(told(&["[fe80::1]:9", "127.0.0.1:9"]), None);
        assert_eq!(told(&[]), None, "what has no address fails otherwise");
    }
}
