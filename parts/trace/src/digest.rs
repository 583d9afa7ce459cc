//! A fingerprint of a run.

use core::net::{IpAddr, SocketAddr};

use tng_base::{Ecn, Instant};

/// Events are gathered up to so many bytes, since hashing is fastest on large pieces.
const GATHERED_BYTES: usize = 64 * 1024;

/// BLAKE3 over events, each with its time, kind, addresses, ECN codepoint and bytes.
pub struct Digest {
    hasher: blake3::Hasher,
    gathered: Vec<u8>,
}

impl Default for Digest {
    fn default() -> Digest {
        Digest::new()
    }
}

impl Digest {
    /// The digest of no events.
    pub fn new() -> Digest {
        Digest { hasher: blake3::Hasher::new(), gathered: Vec::with_capacity(GATHERED_BYTES + 4096) }
    }

    /// Adds an event. What the `kind`s mean is the caller's business.
    pub fn event(&mut self, time: Instant, kind: u8, src: SocketAddr, dst: SocketAddr, ecn: Ecn, payload: &[u8]) {
        let out = &mut self.gathered;
        out.extend_from_slice(&time.as_nanos().to_le_bytes());
        out.extend_from_slice(&[kind, ecn as u8]);
        for address in [src, dst] {
            match address.ip() {
                IpAddr::V4(ip) => {
                    out.push(4);
                    out.extend_from_slice(&ip.octets());
                }
                IpAddr::V6(ip) => {
                    out.push(6);
                    out.extend_from_slice(&ip.octets());
                }
            }
            out.extend_from_slice(&address.port().to_le_bytes());
        }
        out.extend_from_slice(&(payload.len() as u64).to_le_bytes());
        out.extend_from_slice(payload);
        if out.len() >= GATHERED_BYTES {
            self.hasher.update(out);
            out.clear();
        }
    }

    /// Adds bytes that are no packet: what came of it, say.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.gathered.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.gathered.extend_from_slice(bytes);
    }

    /// The digest of the events so far.
    pub fn value(&self) -> [u8; 32] {
        *self.hasher.clone().update(&self.gathered).finalize().as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(port: u16) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, 1], port))
    }

    /// The digest of many copies of an event and one that may differ.
    fn digest(ns: u64, kind: u8, port: u16, ecn: Ecn, payload: &[u8]) -> [u8; 32] {
        let mut digest = Digest::new();
        for _ in 0..100 {
            digest.event(Instant::ZERO, 0, at(1), at(2), Ecn::NotEct, &[7; 1200]);
        }
        digest.event(Instant::from_nanos(ns), kind, at(1), at(port), ecn, payload);
        digest.value()
    }

    #[test]
    fn the_same_events_give_the_same_digest_and_any_difference_another() {
        let base = digest(1, 1, 2, Ecn::Ect0, b"ab");
        assert_eq!(base, digest(1, 1, 2, Ecn::Ect0, b"ab"));
        for other in [
            digest(2, 1, 2, Ecn::Ect0, b"ab"),
            digest(1, 2, 2, Ecn::Ect0, b"ab"),
            digest(1, 1, 3, Ecn::Ect0, b"ab"),
            digest(1, 1, 2, Ecn::Ce, b"ab"),
            digest(1, 1, 2, Ecn::Ect0, b"abc"),
            Digest::new().value(),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn asking_for_the_value_does_not_change_it() {
        let mut digest = Digest::new();
        digest.event(Instant::ZERO, 0, at(1), at(2), Ecn::NotEct, b"x");
        assert_eq!(digest.value(), digest.value());
    }
}
