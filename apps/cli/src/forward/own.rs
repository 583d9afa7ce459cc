//! Which addresses are this host's own.

use std::io;
use std::net::IpAddr;

/// The addresses of all interfaces, as they are now: they come and go.
///
/// # Errors
/// If the system does not say.
pub fn addresses() -> io::Result<Vec<IpAddr>> {
    let interfaces = nix::ifaddrs::getifaddrs()?;
    let ip = |address: nix::sys::socket::SockaddrStorage| {
        let v4 = address.as_sockaddr_in().map(|address| IpAddr::from(address.ip()));
        v4.or_else(|| address.as_sockaddr_in6().map(|address| address.ip().into()))
    };
    Ok(interfaces.filter_map(|interface| interface.address).filter_map(ip).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_address_is_ones_own_and_others_are_not() {
        let own = addresses().expect("the system says");
        assert!(own.contains(&IpAddr::from([127, 0, 0, 1])), "{own:?}");
        assert!(!own.contains(&IpAddr::from([1, 1, 1, 1])), "{own:?}");
    }
}
