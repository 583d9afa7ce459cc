//! Which of the serials that an issuer has given out are spent: a bit each, exact (as in RFC 6479).

use tng_wire::Reader;

use super::handed::{HandedError, read_words, write_words};
use super::{Burnt, prefault};

/// Most serials that a ring remembers: 16 MiB, the next power of two included.
pub const RING_SERIALS_MAX: u64 = (1 << 27) - WORD;

/// Bits in a word.
const WORD: u64 = 64;

/// Which serials of one issuer are spent, as far back as there are bits.
#[derive(Clone, Debug)]
pub struct Ring {
    words: Box<[u64]>,
    /// One more than the highest that was taken, or its issuer is known to have given out.
    end: u64,
}

impl Ring {
    /// Remembers at least so many serials, but at least 1 and at most [`RING_SERIALS_MAX`]; none is taken yet. Those
    /// below `end` by more than that never will be.
    pub fn new(remembered: u64, end: u64) -> Ring {
        let remembered = remembered.clamp(1, RING_SERIALS_MAX);
        // One word more than asked for: the word that `end` is in is cleared as a whole.
        let words = (remembered.div_ceil(WORD) + 1).next_power_of_two();
        Ring { words: vec![0; words as usize].into_boxed_slice(), end }
    }

    /// How far back it remembers, in serials.
    pub fn remembered(&self) -> u64 {
        (self.words.len() as u64 - 1) * WORD
    }

    /// See [`Server::prefault_memory`](crate::server::Server::prefault_memory).
    pub(super) fn prefault(&mut self) {
        prefault(&mut self.words);
    }

    /// Bytes that it holds.
    pub fn held(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    /// One more than the highest serial that was taken.
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// Begins anew: none is taken.
    pub fn clear(&mut self) {
        self.words.fill(0);
        self.end = 0;
    }

    /// Takes a serial, once.
    ///
    /// # Errors
    /// [`Burnt`].
    pub fn burn(&mut self, serial: u64) -> Result<(), Burnt> {
        self.advance(serial.saturating_add(1));
        if serial < self.end.saturating_sub(self.remembered()) {
            return Err(Burnt::Forgotten);
        }
        let (at, bit) = (self.place(serial), 1 << (serial % WORD));
        match self.words[at] & bit {
            0 => {
                self.words[at] |= bit;
                Ok(())
            }
            _ => Err(Burnt::Spent),
        }
    }

    /// Serials below `end` have been given out.
    pub fn advance(&mut self, end: u64) {
        if end <= self.end {
            return;
        }
        let (from, to) = (self.end.div_ceil(WORD), end.div_ceil(WORD));
        let count = (to - from).min(self.words.len() as u64);
        for word in to - count..to {
            let at = self.place(word * WORD);
            self.words[at] = 0;
        }
        self.end = end;
    }

    /// Writes it down (docs/wire.md section 11.2): words behind the last in which a bit is set are left out.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let used = self.words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        out.extend_from_slice(&self.end.to_be_bytes());
        out.extend_from_slice(&(self.words.len() as u32).to_be_bytes());
        write_words(&self.words[..used], out);
    }

    /// Reads what was written down, into a ring that remembers as much.
    pub(super) fn read(reader: &mut Reader<'_>, remembered: u64) -> Result<Ring, HandedError> {
        let mut ring = Ring::new(remembered, reader.u64()?);
        if reader.u32()? as usize != ring.words.len() {
            return Err(HandedError::OtherFilter);
        }
        read_words(reader, &mut ring.words)?;
        Ok(ring)
    }

    fn place(&self, serial: u64) -> usize {
        (serial / WORD) as usize & (self.words.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ten_million_serials_in_any_order_are_told_as_a_plain_set_tells_them() {
        let mut state = 3_u64;
        let mut draw = move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        };
        for round in 0..20 {
            let mut ring = Ring::new(1 + draw() % 5_000, draw() % 10_000);
            let (mut taken, mut end) = (HashSet::new(), ring.end);
            for _ in 0..500_000 {
                let serial = match draw() % 100 {
                    0 => end + draw() % (2 * ring.remembered()),
                    1..=40 => end,
                    _ => end.saturating_sub(draw() % (ring.remembered() * 5 / 4 + 1)),
                };
                end = end.max(serial + 1);
                let due = if serial < end.saturating_sub(ring.remembered()) {
                    Err(Burnt::Forgotten)
                } else if taken.insert(serial) {
                    Ok(())
                } else {
                    Err(Burnt::Spent)
                };
                assert_eq!(ring.burn(serial), due, "{serial} in round {round}");
            }
        }
    }

    #[test]
    fn rings_of_none_and_of_all_serials_are_the_smallest_and_the_largest_that_can_be() {
        let mut least = Ring::new(0, 0);
        assert_eq!([0, 1, 0, 1].map(|serial| least.burn(serial).is_ok()), [true, true, false, false]);
        assert_eq!(least.burn(u64::MAX), Ok(()));
        assert_eq!(least.burn(1), Err(Burnt::Forgotten));
        assert_eq!(Ring::new(u64::MAX, 0).held(), 1 << 24);
        least.clear();
        assert_eq!(least.burn(1), Ok(()));
    }
}
