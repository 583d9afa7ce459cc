//! A fingerprint of a run.

use core::net::{IpAddr, SocketAddr};

use tng_base::{Ecn, Instant};

/// Events are gathered up to so many bytes, since hashing is fastest on large pieces.
const GATHERED_BYTES: usize = 64 * 1024;

/// BLAKE3 over events, each with its time, kind, addresses, ECN codepoint, number of bytes and their fingerprint.
///
/// A run has millions of packets, and hashing every byte of them by BLAKE3 would take a tenth of its time. The digest
/// is to tell runs apart that differ by accident; nobody makes two packets with the same fingerprint on purpose.
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
        for lane in fingerprint(payload) {
            out.extend_from_slice(&lane.to_le_bytes());
        }
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

/// Words that are taken in at once, in a lane of its own each pair.
const LANES: usize = 4;

/// Odd numbers with as many ones as zeros, so that words of zeros count, too.
const SALTS: [u64; LANES] =
    [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63];

/// 256 bits that tell bytes apart: words are folded into four lanes by multiplication, the last of them filled up with
/// zeros. The same on every machine.
fn fingerprint(bytes: &[u8]) -> [u64; LANES] {
    const BLOCK: usize = LANES * 16;
    let mut lanes = SALTS;
    let mut blocks = bytes.chunks_exact(BLOCK);
    for block in &mut blocks {
        fold(&mut lanes, block);
    }
    let rest = blocks.remainder();
    if !rest.is_empty() {
        let mut block = [0; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        fold(&mut lanes, &block);
    }
    lanes
}

/// Takes a block in: of each lane's two words one is multiplied by the other, and what it was before goes into both.
fn fold(lanes: &mut [u64; LANES], block: &[u8]) {
    for ((lane, salt), words) in lanes.iter_mut().zip(SALTS).zip(block.chunks_exact(16)) {
        let (low, high) = words.split_at(8);
        let [low, high] = [low, high].map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")));
        let product = u128::from(low ^ *lane) * u128::from(high ^ lane.rotate_left(32) ^ salt);
        *lane = (product as u64 ^ (product >> 64) as u64).wrapping_add(salt);
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
    fn every_bit_of_a_packet_and_the_order_of_its_words_are_in_its_fingerprint() {
        for len in [0, 1, 8, 15, 16, 63, 64, 65, 200, 1472] {
            let bytes: Vec<u8> = (0..len).map(|i| (i * i % 251) as u8).collect();
            let zeros = vec![0; len];
            for bytes in [bytes, zeros] {
                let whole = fingerprint(&bytes);
                let mut seen = std::collections::BTreeSet::from([whole]);
                for bit in 0..len * 8 {
                    let mut other = bytes.clone();
                    other[bit / 8] ^= 1 << (bit % 8);
                    assert!(seen.insert(fingerprint(&other)), "{len} bytes, bit {bit}");
                }
            }
        }
        let words: Vec<u8> = (0..128u8).collect();
        for (a, b) in [(0, 8), (0, 16), (0, 64), (8, 72), (40, 120)] {
            let mut other = words.clone();
            for i in 0..8 {
                other.swap(a + i, b + i);
            }
            assert_ne!(fingerprint(&words), fingerprint(&other), "words at {a} and {b}");
        }
    }

    #[test]
    fn a_fingerprint_is_the_same_everywhere() {
        let bytes: Vec<u8> = (0..100).collect();
        assert_eq!(fingerprint(&bytes)[0], 16_638_530_114_162_699_685);
    }

    #[test]
    fn asking_for_the_value_does_not_change_it() {
        let mut digest = Digest::new();
        digest.event(Instant::ZERO, 0, at(1), at(2), Ecn::NotEct, b"x");
        assert_eq!(digest.value(), digest.value());
    }
}
