//! Weak mode: a keyed checksum instead of cryptography (SST 4.2.3).

use core::fmt;

use tng_channel::{Armor, OpenError};
use tng_crypto::{Secret32, hkdf, labels};

use super::Role;

/// Bytes that the checksum adds to a packet.
pub const CHECKSUM_LEN: usize = 4;
/// Most packets of one channel with a wrong checksum; then the channel ends, long before guessing pays.
pub const FORGERIES_MAX_WEAK: u64 = 1 << 24;

/// The prime of the sums: no two 16-bit words are equal under it.
const MODULUS: u64 = 65_537;
/// Words summed side by side.
const BLOCK: usize = 16;
/// Blocks whose sums of sums stay below 2^32.
const GROUP: usize = 256;

/// A 32-bit checksum over packet, packet number and sender's role, with a key added that only the two hosts know.
///
/// It shows corruption, packets of earlier channels, and packets from an attacker that cannot watch the path. An
/// attacker that can watch it reads everything and can forge everything: this is for laboratories, and for measuring
/// what encryption costs.
pub struct WeakArmor {
    role: Role,
    send: u32,
    receive: u32,
    forgeries: u64,
}

impl WeakArmor {
    /// Armor from the first traffic secrets of both directions.
    pub fn new(role: Role, send: &Secret32, receive: &Secret32) -> WeakArmor {
        WeakArmor { role, send: key(send), receive: key(receive), forgeries: 0 }
    }
}

fn key(secret: &Secret32) -> u32 {
    let mut bytes = [0; 4];
    hkdf::expand(secret, labels::CHECKSUM, &[], &mut bytes);
    u32::from_be_bytes(bytes)
}

impl Armor for WeakArmor {
    fn tag_len(&self) -> usize {
        CHECKSUM_LEN
    }

    fn sample_len(&self) -> usize {
        0
    }

    fn send_phase(&mut self, _number: u64) -> bool {
        false
    }

    fn seal(&mut self, number: u64, _header_len: usize, packet: &mut [u8]) -> Result<(), OpenError> {
        let (text, tag) = packet.split_at_mut(packet.len() - CHECKSUM_LEN);
        tag.copy_from_slice(&checksum(self.role, number, text).wrapping_add(self.send).to_be_bytes());
        Ok(())
    }

    fn protect(&self, _number_at: usize, _number_len: usize, _packet: &mut [u8]) {}

    fn unprotect(&mut self, number_at: usize, packet: &mut [u8]) -> Option<()> {
        let number_len = usize::from(packet.first()? & 0b11) + 1;
        (packet.len() >= number_at + number_len + CHECKSUM_LEN).then_some(())
    }

    fn open(&mut self, number: u64, _phase: bool, header_len: usize, packet: &mut [u8]) -> Result<usize, OpenError> {
        if self.forgeries >= FORGERIES_MAX_WEAK {
            return Err(OpenError::Exhausted);
        }
        let opened = packet.split_last_chunk::<CHECKSUM_LEN>().and_then(|(text, tag)| {
            let sum = checksum(self.role.peer(), number, text).wrapping_add(self.receive);
            let len = text.len().checked_sub(header_len)?;
            (sum.to_be_bytes() == *tag).then_some(len)
        });
        opened.ok_or_else(|| {
            self.forgeries += 1;
            OpenError::Forged
        })
    }

    fn handle_acked(&mut self, _number: u64) {}
}

/// Two sums over 16-bit words modulo 65537, one of the words and one of the first sum's values, so that order counts.
/// The words: the sender's role, the number, the packet, and `0x80` with zeros up to a whole word, so that length
/// counts.
fn checksum(role: Role, number: u64, packet: &[u8]) -> u32 {
    let mut sums = Sums { a: 0, b: 0 };
    sums.word(match role {
        Role::Initiator => 0,
        Role::Responder => 1,
    });
    for shift in [48, 32, 16, 0] {
        sums.word(number >> shift & 0xffff);
    }
    let (blocks, rest) = packet.as_chunks::<{ 2 * BLOCK }>();
    for group in blocks.chunks(GROUP) {
        sums.group(group);
    }
    let (words, last) = rest.as_chunks::<2>();
    for word in words {
        sums.word(u64::from(u16::from_be_bytes(*word)));
    }
    sums.word(match last {
        [byte] => u64::from(*byte) << 8 | 0x80,
        _ => 0x8000,
    });
    ((sums.b % MODULUS) << 16).wrapping_add(sums.a % MODULUS) as u32
}

/// Not reduced until the end: 64 KiB of words stay below 2^47.
struct Sums {
    a: u64,
    b: u64,
}

impl Sums {
    #[inline]
    fn word(&mut self, word: u64) {
        self.a += word;
        self.b += self.a;
    }

    /// As [`word`](Sums::word) for every word of up to [`GROUP`] blocks. Each lane of a block has sums of its own,
    /// which do not wait for one another: with `s` the sum of a lane's words and `t` the sum of its running sums, the
    /// word in lane j of block k of n counts 16·(n − k) − j times in `b`.
    #[inline]
    fn group(&mut self, blocks: &[[u8; 2 * BLOCK]]) {
        let (mut s, mut t) = ([0u32; BLOCK], [0u32; BLOCK]);
        for block in blocks {
            for (lane, word) in block.as_chunks::<2>().0.iter().enumerate() {
                s[lane] += u32::from(u16::from_be_bytes(*word));
                t[lane] += s[lane];
            }
        }
        self.b += (BLOCK * blocks.len()) as u64 * self.a;
        for (lane, (s, t)) in s.into_iter().zip(t).enumerate() {
            self.a += u64::from(s);
            self.b += BLOCK as u64 * u64::from(t) - lane as u64 * u64::from(s);
        }
    }
}

impl fmt::Debug for WeakArmor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakArmor").field("role", &self.role).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
