//! How a host sees who asks, asked by requests: for `tng doctor`, which learns so what stands between the two.

use core::net::{IpAddr, SocketAddr};

use tng_wire::{Malformed, Reader, Writer};

/// The service's name.
pub const SERVICE: &str = "seen";

/// Bytes of an answer: address in 16 bytes (IPv4 mapped), port, and ms since 1970.
pub const SEEN_LEN: usize = 16 + 2 + 8;

/// How a host sees who asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// From where the request came.
    pub address: SocketAddr,
    /// The host's clock, in ms since 1970.
    pub clock_ms: u64,
}

impl Seen {
    /// As it is sent.
    pub fn to_bytes(self) -> [u8; SEEN_LEN] {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) => ip.to_ipv6_mapped(),
            IpAddr::V6(ip) => ip,
        };
        let mut bytes = [0; SEEN_LEN];
        let mut writer = Writer::new(&mut bytes);
        let written = writer
            .bytes(&ip.octets())
            .and_then(|()| writer.u16(self.address.port()))
            .and_then(|()| writer.u64(self.clock_ms));
        debug_assert!(written.is_ok(), "the room was counted");
        bytes
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(bytes: &[u8]) -> Result<Seen, Malformed> {
        let mut reader = Reader::new(bytes);
        let ip = IpAddr::from(reader.array::<16>()?).to_canonical();
        let seen = Seen { address: SocketAddr::new(ip, reader.u16()?), clock_ms: reader.u64()? };
        if reader.is_empty() { Ok(seen) } else { Err(Malformed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_it_was_meant_and_nothing_else_is_one() {
        for address in ["192.0.2.7:4860", "[2001:db8::7]:1"] {
            let seen = Seen { address: address.parse().expect("an address"), clock_ms: u64::MAX - 1 };
            assert_eq!(Seen::read(&seen.to_bytes()), Ok(seen));
        }
        let longer = [0; SEEN_LEN + 1];
        assert!(Seen::read(&longer).is_err() && Seen::read(&longer[..SEEN_LEN - 1]).is_err());
        assert!(Seen::read(&longer[..SEEN_LEN]).is_ok(), "control");
    }
}
