//! Randomness as a value.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};

/// A seeded random source (ChaCha20 keystream) for what becomes visible, and for simulations.
///
/// Nobody foresees its draws from those before, but an attacker that reads its memory knows all of them, past and to
/// come. So nothing secret comes from it: secrets have a generator of another type, in the crate for cryptography.
pub struct Rng(ChaCha20Rng);

impl Rng {
    /// The source that `seed` determines completely.
    pub fn from_seed(seed: [u8; 32]) -> Rng {
        Rng(ChaCha20Rng::from_seed(seed))
    }

    /// A source for simulations and tests, from a seed that can be typed.
    pub fn from_u64(seed: u64) -> Rng {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Rng::from_seed(bytes)
    }

    /// An independent source, derived from this one.
    pub fn fork(&mut self) -> Rng {
        Rng::from_seed(self.bytes())
    }

    /// Uniform bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.0.fill_bytes(&mut out);
        out
    }

    /// Fills `out` with uniform bytes.
    pub fn fill(&mut self, out: &mut [u8]) {
        self.0.fill_bytes(out);
    }

    /// A uniform 64-bit number.
    pub fn u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `0..bound`; zero if `bound` is zero. (Multiply-shift: the bias is below `bound / 2^64`.)
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.u64()) * u128::from(bound)) >> 64) as u64
    }

    /// A number in `[0, 1)` with 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        p > 0.0 && self.unit() < p
    }
}

/// A source that is put aside: it knows where it stands, and has nothing in store. It takes a sixth of the memory.
pub struct RestingRng {
    seed: [u8; 32],
    /// Words drawn so far.
    drawn: u64,
}

impl RestingRng {
    /// The source, which goes on where it stood.
    pub fn wake(&self) -> Rng {
        let mut rng = Rng::from_seed(self.seed);
        rng.0.set_word_pos(self.drawn.into());
        rng
    }
}

impl From<&Rng> for RestingRng {
    fn from(Rng(rng): &Rng) -> RestingRng {
        RestingRng { seed: rng.get_seed(), drawn: rng.get_word_pos() as u64 }
    }
}

impl core::fmt::Debug for RestingRng {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("RestingRng(..)")
    }
}

impl core::fmt::Debug for Rng {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Rng(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_draws_and_forks_differ() {
        let (mut a, mut b) = (Rng::from_u64(7), Rng::from_u64(7));
        assert_eq!(a.bytes::<40>(), b.bytes::<40>());
        let (mut fork, mut other) = (a.fork(), b.fork());
        assert_eq!(fork.u64(), other.u64());
        assert_ne!(fork.u64(), a.u64());
    }

    #[test]
    fn below_stays_below_its_bound() {
        let mut rng = Rng::from_u64(1);
        assert!((0..1000).all(|_| rng.below(10) < 10));
        assert_eq!(rng.below(0), 0);
    }

    #[test]
    fn a_source_that_was_put_aside_goes_on_where_it_stood() {
        let (mut rng, mut other) = (Rng::from_u64(3), Rng::from_u64(3));
        for bound in 1..300 {
            if bound % 7 == 0 {
                other = RestingRng::from(&other).wake();
            }
            assert_eq!(other.below(bound), rng.below(bound));
        }
    }

    #[test]
    fn chance_follows_its_probability() {
        let mut rng = Rng::from_u64(2);
        let hits = (0..10_000).filter(|_| rng.chance(0.25)).count();
        assert!((2_300..2_700).contains(&hits), "{hits}");
        assert!(!rng.chance(0.0));
    }
}
