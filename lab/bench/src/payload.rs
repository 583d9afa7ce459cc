//! What is sent, and how it is checked: the same for every peer.

use std::sync::LazyLock;

/// Bytes after which the payload repeats: a prime, so that pieces that changed places are noticed, and small, so that
/// it stays in the cache and checking costs next to nothing.
const PERIOD: usize = 65_521;

/// The most bytes that [`at`] gives at once: what an application hands to a stream in one call.
pub const WRITE_MAX: usize = 256 * 1024;

static BLOCK: LazyLock<Vec<u8>> = LazyLock::new(|| {
    // SplitMix64, seeded with 1: any bytes that do not repeat would do.
    let mut state = 1_u64;
    let mut period = Vec::with_capacity(PERIOD + 8);
    while period.len() < PERIOD {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        period.extend_from_slice(&(z ^ (z >> 31)).to_le_bytes());
    }
    period.truncate(PERIOD);
    period.iter().copied().cycle().take(PERIOD + WRITE_MAX).collect()
});

/// The payload of a transfer from byte `offset` on: `len` bytes, or [`WRITE_MAX`] if that is less.
pub fn at(offset: u64, len: u64) -> &'static [u8] {
    let from = (offset % PERIOD as u64) as usize;
    &BLOCK[from..from + len.min(WRITE_MAX as u64) as usize]
}

/// Compares every byte of one transfer with what was sent, as it arrives.
#[derive(Debug, Default)]
pub struct Checker {
    offset: u64,
}

impl Checker {
    /// The next bytes have arrived.
    ///
    /// # Errors
    /// If they are not what was sent.
    pub fn check(&mut self, arrived: &[u8]) -> Result<(), Corrupt> {
        for piece in arrived.chunks(WRITE_MAX) {
            if piece != at(self.offset, piece.len() as u64) {
                return Err(Corrupt { offset: self.offset });
            }
            self.offset += piece.len() as u64;
        }
        Ok(())
    }

    /// A checker for what follows the first `offset` bytes.
    pub fn from(offset: u64) -> Checker {
        Checker { offset }
    }

    /// Sees that the transfer, which has ended, got to `offset`.
    ///
    /// # Errors
    /// If it is longer or shorter.
    pub fn expect(&self, offset: u64) -> Result<(), crate::Failure> {
        if self.offset == offset { Ok(()) } else { Err(Corrupt { offset: self.offset.min(offset) }.into()) }
    }

    /// Bytes that have arrived and were right, with those before the first.
    pub fn checked(&self) -> u64 {
        self.offset
    }
}

/// Something else arrived than was sent.
#[derive(Debug, thiserror::Error)]
#[error("what arrived at byte {offset} or shortly after is not what was sent: this peer, or this bench, is broken")]
pub struct Corrupt {
    offset: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_transfer_is_compared() {
        let len = 3 * WRITE_MAX as u64 + 77;
        let mut whole = Vec::new();
        while (whole.len() as u64) < len {
            let done = whole.len() as u64;
            whole.extend_from_slice(at(done, len - done));
        }
        let mut checker = Checker::default();
        whole.chunks(1_439).for_each(|piece| checker.check(piece).expect("as sent"));
        assert_eq!(checker.checked(), len);
        for wrong in [0, 65_521, whole.len() - 1] {
            let mut copy = whole.clone();
            copy[wrong] ^= 1;
            assert!(Checker::default().check(&copy).is_err(), "byte {wrong}");
        }
    }

    #[test]
    fn pieces_that_changed_places_are_noticed() {
        let mut pieces = at(0, 4_096).to_vec();
        pieces.rotate_left(2_048);
        assert!(Checker::default().check(&pieces).is_err());
    }
}
