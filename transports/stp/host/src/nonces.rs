//! The nonces of a guest's segments, and what proofs of them are compared with.

use core::fmt;
use core::ops::Range;
use std::collections::VecDeque;
use std::sync::Arc;

use tng_nonce::{Chain, Direction, NonceKey, OwnedChain, Purpose};

/// Links that are made in one go: one block of AES costs as much alone as several do together.
const AHEAD: usize = 16;

/// Links that there is room for when nothing is outstanding.
const SHRUNK: usize = 64;

/// Who knows the sums of ranges.
pub trait Sums {
    /// What the nonces of these numbers fold to.
    fn sum(self, numbers: &Range<u64>) -> u64;
}

impl Sums for &Chain<'_> {
    fn sum(self, numbers: &Range<u64>) -> u64 {
        self.fold(numbers.start, numbers.end)
    }
}

/// The nonces of one end's segments. What was made for a segment that has not met its fate is kept, for its proof: so a
/// segment takes one block of AES.
pub struct Nonces {
    chain: OwnedChain,
    /// The number of the first link.
    first: u64,
    links: VecDeque<u64>,
    /// Where the range began that was asked about last, and its link: receivers prove the same range again and again,
    /// longer each time.
    start: Option<(u64, u64)>,
}

impl Nonces {
    /// Those of the segments that go this way.
    pub fn new(key: Arc<NonceKey>, connection: &[u8; 16], direction: Direction) -> Nonces {
        let chain = OwnedChain::new(key, connection, direction, Purpose::Policer);
        Nonces { chain, first: 0, links: VecDeque::new(), start: None }
    }

    /// That of the segment with this number. Numbers ascend; few are left out.
    #[inline]
    pub fn nonce(&mut self, number: u64) -> u64 {
        let Some(at) = number.checked_sub(self.first) else { return self.chain.chain().nonce(number) };
        let at = at as usize;
        while self.links.len() < at + 2 {
            self.make();
        }
        self.links[at] ^ self.links[at + 1]
    }

    #[inline(never)]
    fn make(&mut self) {
        let mut made = [0; AHEAD];
        self.chain.chain().links(self.first + self.links.len() as u64, &mut made);
        self.links.extend(made);
    }

    /// All below `number` have met their fate.
    #[inline]
    pub fn settle(&mut self, number: u64) {
        while self.first < number && self.links.pop_front().is_some() {
            self.first += 1;
        }
        if self.links.len() <= AHEAD {
            self.links.shrink_to(SHRUNK);
        }
    }

    #[inline]
    fn link(&self, number: u64) -> u64 {
        let made = number.checked_sub(self.first).and_then(|at| self.links.get(at as usize).copied());
        made.unwrap_or_else(|| self.make_one(number))
    }

    #[inline(never)]
    fn make_one(&self, number: u64) -> u64 {
        let mut link = [0];
        self.chain.chain().links(number, &mut link);
        link[0]
    }

    /// Bytes of memory.
    pub fn held(&self) -> u64 {
        (self.links.capacity() * size_of::<u64>()) as u64
    }
}

impl Sums for &mut Nonces {
    #[inline]
    fn sum(self, numbers: &Range<u64>) -> u64 {
        let start = match self.start {
            Some((number, link)) if number == numbers.start => link,
            _ => self.link(numbers.start),
        };
        self.start = Some((numbers.start, start));
        start ^ self.link(numbers.end)
    }
}

impl fmt::Debug for Nonces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nonces").field("first", &self.first).field("links", &self.links.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_crypto::Secret32;

    #[test]
    fn they_are_those_of_the_chain_whatever_is_left_out_settled_or_asked_for_again() {
        let key = Arc::new(NonceKey::derive(&Secret32::from_bytes([5; 32])));
        let chain = key.chain(&[7; 16], Direction::Homeward, Purpose::Policer);
        let mut nonces = Nonces::new(key.clone(), &[7; 16], Direction::Homeward);
        for number in (0..400).filter(|number| number % 50 < 37) {
            assert_eq!(nonces.nonce(number), chain.nonce(number), "{number}");
            if number % 7 == 0 {
                nonces.settle(number.saturating_sub(60));
            }
            for range in [0..number + 1, 0..number / 2 + 1, number / 3..number + 1, number..number + 1, 5..900] {
                assert_eq!((&mut nonces).sum(&range), chain.fold(range.start, range.end), "{range:?}");
            }
        }
        assert_eq!(nonces.nonce(3), chain.nonce(3), "it is settled");
    }

    #[test]
    fn what_is_settled_takes_no_room() {
        let key = Arc::new(NonceKey::derive(&Secret32::from_bytes([5; 32])));
        let mut nonces = Nonces::new(key, &[7; 16], Direction::Homeward);
        for number in 0..10_000 {
            nonces.nonce(number);
        }
        assert!(nonces.held() >= 80_000);
        nonces.settle(10_000);
        assert!(nonces.held() <= 2 * SHRUNK as u64 * 8, "{}", nonces.held());
    }
}
