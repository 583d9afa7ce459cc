//! The sender's side: nonces out of a key, and proofs checked against it.

use core::fmt;
use core::ops::Range;
use std::sync::Arc;

use tng_crypto::{BlockKey, Secret32, Zeroizing, labels};

use crate::{NUMBER_LIMIT, PROOF_RANGES_MAX, RangeProof};

/// Bits of a [branch](Chain::branch)'s tag, which stand between what the packets are and their number.
const TAG_MASK: u64 = (1 << 48) - 1;

/// Blocks that are encrypted in one call.
const TOGETHER: usize = 16;

/// Which way the packets go that carry the nonces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Toward the responder of the connection.
    Outward = 1,
    /// Toward its initiator.
    Homeward = 2,
}

/// What the packets are that carry the nonces: two numberings of one connection have a chain each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Packets of a Trickles server.
    Trickles = 1,
    /// Segments of a guest, for the policer (STP 4.1).
    Policer = 2,
}

/// Why a proof does not count; `at` is the place of the first range that is wrong. The first four say that the peer's
/// code is at fault, the last that the peer lies, or uses another key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unproven {
    /// More ranges than [`PROOF_RANGES_MAX`].
    TooMany,
    /// A range without a packet.
    Empty {
        /// Which range.
        at: usize,
    },
    /// A range that overlaps the one before, touches it, or comes before it.
    Unordered {
        /// Which range.
        at: usize,
    },
    /// Numbers that were not sent, or are settled.
    Outside {
        /// Which range.
        at: usize,
    },
    /// A fold that does not belong to its range.
    Invented {
        /// Which range.
        at: usize,
    },
}

impl fmt::Display for Unproven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unproven::TooMany => write!(f, "more than {PROOF_RANGES_MAX} ranges"),
            Unproven::Empty { at } => write!(f, "range {at} is empty"),
            Unproven::Unordered { at } => write!(f, "range {at} does not come after the one before, with a gap"),
            Unproven::Outside { at } => write!(f, "range {at} has numbers that were not sent, or are settled"),
            Unproven::Invented { at } => write!(f, "range {at} is claimed without its packets"),
        }
    }
}

impl core::error::Error for Unproven {}

/// What the nonces of many connections are made from: the key of a host, or of an epoch of several servers. A
/// connection stays with the key that it began with, so that its proofs may straddle a change of keys.
#[derive(Debug)]
pub struct NonceKey(BlockKey);

impl NonceKey {
    /// The key that `secret` gives.
    pub fn derive(secret: &Secret32) -> NonceKey {
        NonceKey(BlockKey::derive(secret, labels::RANGE_NONCE))
    }

    /// The nonces of one connection's packets, in one direction, for one purpose. Costs a block.
    ///
    /// `connection` tells it from all others under this key.
    pub fn chain(&self, connection: &[u8; 16], direction: Direction, purpose: Purpose) -> Chain<'_> {
        self.masked(self.0.prf(u128::from_be_bytes(*connection)), direction, purpose)
    }

    /// Nonces that do not depend on the connection, as Trickles 2.2 has them to the letter. For tests alone: what the
    /// binding is good for shows without it.
    #[doc(hidden)]
    pub fn chain_of_any_connection(&self, direction: Direction, purpose: Purpose) -> Chain<'_> {
        self.masked(self.0.prf(0), direction, purpose)
    }

    fn masked(&self, connection: u128, direction: Direction, purpose: Purpose) -> Chain<'_> {
        let way = u128::from(u16::from_be_bytes([purpose as u8, direction as u8])) << 112;
        Chain { key: &self.0, mask: Zeroizing::new(connection ^ way) }
    }
}

/// The nonces of one numbering of packets.
///
/// `r_x` is the first half of AES-CBC-MAC over exactly two blocks, the connection's id, and purpose, direction and `x`:
/// a pseudorandom function, since every input has the same length (Bellare, Kilian and Rogaway, "The security of the
/// cipher block chaining message authentication code"). No output of the first block is ever seen.
pub struct Chain<'key> {
    key: &'key BlockKey,
    /// The first block's output and the constant part of the second.
    mask: Zeroizing<u128>,
}

impl<'key> Chain<'key> {
    /// The nonces of one of several numberings that this one has branched into, told apart by a tag of 48 bits: packets
    /// of one prove nothing in another. The tag 0 is the chain itself, and a branch of a branch has both tags, added
    /// bit by bit.
    pub fn branch(&self, tag: u64) -> Chain<'key> {
        Chain { key: self.key, mask: Zeroizing::new(*self.mask ^ u128::from(tag & TAG_MASK) << 64) }
    }

    /// The nonce of the packet with that number.
    #[inline]
    pub fn nonce(&self, number: u64) -> u64 {
        self.fold(number, number.wrapping_add(1))
    }

    /// The nonces of as many packets as `out` has places, beginning with `first`: a block a packet, and one more.
    pub fn nonces(&self, first: u64, out: &mut [u64]) {
        let (mut number, mut before) = (first, self.cut(self.key.prf(self.block(first))));
        let mut link = |after: u128, nonce: &mut u64| {
            let after = self.cut(after);
            *nonce = before ^ after;
            before = after;
        };
        let (chunks, rest) = out.as_chunks_mut::<TOGETHER>();
        for chunk in chunks {
            let blocks = core::array::from_fn(|i| self.block(number.wrapping_add(1 + i as u64)));
            for (after, nonce) in self.key.prf_all::<TOGETHER>(blocks).into_iter().zip(chunk) {
                link(after, nonce);
            }
            number = number.wrapping_add(TOGETHER as u64);
        }
        for nonce in rest {
            number = number.wrapping_add(1);
            link(self.key.prf(self.block(number)), nonce);
        }
    }

    /// What nonces are made of: `r_x` for as many numbers as `out` has places, beginning with `first`, a block for
    /// each. Two of them give a nonce, or what a range folds to; they are never shown.
    pub fn links(&self, first: u64, out: &mut [u64]) {
        let mut number = first;
        let (chunks, rest) = out.as_chunks_mut::<TOGETHER>();
        for chunk in chunks {
            let blocks = core::array::from_fn(|i| self.block(number.wrapping_add(i as u64)));
            *chunk = self.key.prf_all::<TOGETHER>(blocks).map(|output| self.cut(output));
            number = number.wrapping_add(TOGETHER as u64);
        }
        for link in rest {
            *link = self.cut(self.key.prf(self.block(number)));
            number = number.wrapping_add(1);
        }
    }

    /// Checks a proof: that the packets of all these ranges have arrived. `provable` is what it may speak of: from the
    /// first number that is not settled, to the first that was not sent. Ranges ascend, with gaps between them. Two
    /// blocks a range, however long.
    ///
    /// Somebody who may try again and again guesses: whatever allows a try (a continuation, an acknowledgment) is used
    /// up before.
    ///
    /// # Errors
    /// [`Unproven`]: none of the ranges counts.
    pub fn verify(&self, provable: Range<u64>, proofs: &[RangeProof]) -> Result<(), Unproven> {
        if proofs.len() > PROOF_RANGES_MAX {
            return Err(Unproven::TooMany);
        }
        let mut end = None;
        for (at, RangeProof { range, .. }) in proofs.iter().enumerate() {
            if range.is_empty() {
                return Err(Unproven::Empty { at });
            }
            if end.is_some_and(|end| range.start <= end) {
                return Err(Unproven::Unordered { at });
            }
            if range.start < provable.start || range.end > provable.end.min(NUMBER_LIMIT) {
                return Err(Unproven::Outside { at });
            }
            end = Some(range.end);
        }
        // Comparing two words takes the same time whatever is in them.
        match proofs.iter().position(|proof| self.fold(proof.range.start, proof.range.end) != proof.fold) {
            Some(at) => Err(Unproven::Invented { at }),
            None => Ok(()),
        }
    }

    /// What the nonces of `from..to` fold to: two blocks, however many they are.
    ///
    /// Folds of several ranges may be folded further, into one: who has every nonce of all of them but one knows as
    /// much of the sum as who has none.
    #[inline]
    pub fn fold(&self, from: u64, to: u64) -> u64 {
        let [from, to] = self.key.prf_all([self.block(from), self.block(to)]);
        self.cut(from ^ to)
    }

    #[inline]
    fn block(&self, number: u64) -> u128 {
        *self.mask ^ u128::from(number)
    }

    #[inline]
    fn cut(&self, output: u128) -> u64 {
        (output >> 64) as u64
    }
}

impl fmt::Debug for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Chain(..)")
    }
}

/// A [`Chain`] for as long as its numbering lasts: its block is encrypted once. 16 bytes, and the key is shared.
pub struct OwnedChain {
    key: Arc<NonceKey>,
    mask: Zeroizing<u128>,
}

impl OwnedChain {
    /// See [`NonceKey::chain`].
    pub fn new(key: Arc<NonceKey>, connection: &[u8; 16], direction: Direction, purpose: Purpose) -> OwnedChain {
        let mask = key.chain(connection, direction, purpose).mask;
        OwnedChain { key, mask }
    }

    /// The chain.
    #[inline]
    pub fn chain(&self) -> Chain<'_> {
        Chain { key: &self.key.0, mask: self.mask.clone() }
    }
}

impl fmt::Debug for OwnedChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnedChain(..)")
    }
}
