//! IPv6 addresses with the interface that they are of: `fe80::1%eth0` (RFC 4007, section 11).

use std::net::{Ipv6Addr, SocketAddr, SocketAddrV6};

/// A host has no interface of this name or number.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this host has no interface {0:?}; `ip link` lists those that it has")]
pub struct NoInterface(pub String);

/// Reads `[ADDRESS%INTERFACE]:PORT`, `[ADDRESS%INTERFACE]`, or that without brackets; nothing if it is none of these.
///
/// # Errors
/// If there is no such interface.
pub fn scoped(text: &str, port_default: u16) -> Option<Result<SocketAddr, NoInterface>> {
    let (inside, port) = match text.strip_prefix('[') {
        Some(bracketed) => {
            let (inside, behind) = bracketed.rsplit_once(']')?;
            let port = match behind.strip_prefix(':') {
                // `str::parse` takes a sign as well.
                Some(port) => port.parse().ok().filter(|_| !port.starts_with('+'))?,
                None if behind.is_empty() => port_default,
                None => return None,
            };
            (inside, port)
        }
        None => (text, port_default),
    };
    let (ip, interface) = inside.split_once('%')?;
    let ip: Ipv6Addr = ip.parse().ok()?;
    let index = index_of(interface).ok_or_else(|| NoInterface(interface.to_owned()));
    Some(index.map(|index| SocketAddrV6::new(ip, port, 0, index).into()))
}

/// The number of an interface that is named, or numbered.
fn index_of(interface: &str) -> Option<u32> {
    let named = nix::net::if_::if_nametoindex(interface).ok();
    let numbered = || interface.parse().ok().filter(|index| *index > 0 && !interface.starts_with('+'));
    named.or_else(numbered)
}

/// A text in which link-local addresses have the names of their interfaces in place of the numbers.
pub fn with_interfaces(text: &str) -> String {
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push('%');
        let (number, behind) = part.split_at(part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len()));
        let name = number.parse().ok().filter(|_| behind.starts_with(']')).and_then(name_of);
        out.push_str(name.as_deref().unwrap_or(number));
        out.push_str(behind);
    }
    out
}

/// The name of an interface that is numbered.
fn name_of(index: u32) -> Option<String> {
    // Some systems answer for a number that is none with an empty name.
    nix::net::if_::if_indextoname(index).ok()?.into_string().ok().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_scope_of_the_interface_that_is_named_and_of_none_that_is_not_there() {
        let lo = index_of("lo").expect("a host has it");
        let at = |port| Some(Ok(SocketAddrV6::new("fe80::1".parse().expect("an address"), port, 0, lo).into()));
        assert_eq!(scoped("[fe80::1%lo]:99", 4860), at(99));
        assert_eq!(scoped("[fe80::1%lo]", 4860), at(4860));
        assert_eq!(scoped("fe80::1%lo", 4860), at(4860));
        assert_eq!(scoped(&format!("[fe80::1%{lo}]:99"), 4860), at(99), "by its number");
        let missing = scoped("[fe80::1%nowhere0]:99", 4860).expect("an address").expect_err("no interface");
        assert!(missing.to_string().contains("\"nowhere0\""), "{missing}");
        for text in
            ["[fe80::1]:99", "host:99", "192.0.2.7%lo", "[fe80::1%lo]:+9", "[fe80::1%lo]x", "[fe80::1%lo]:70000"]
        {
            assert_eq!(scoped(text, 4860), None, "{text}");
        }
    }
}
