//! Secrets drawn from entropy that was handed in, by generators that forget.

use core::fmt;

use tng_base::Rng;
use zeroize::{Zeroize, Zeroizing};

use crate::{Secret32, hkdf, labels};

/// A generator of secrets whose state is overwritten with its own output at each draw (fast key erasure): an attacker
/// that reads its memory learns what it will give until it is [reseeded](SecretRng::reseed), and nothing of what it
/// gave before.
///
/// What becomes visible on the wire comes from a [`Rng`], another type: whatever wants a secret takes this one, so that
/// the compiler refuses to draw a secret from what is visible.
///
/// ```compile_fail
/// # use tng_base::Rng;
/// # use tng_crypto::{Secret32, SecretRng};
/// fn ephemeral_key(rng: &mut SecretRng) -> Secret32 { rng.secret() }
/// ephemeral_key(&mut Rng::from_u64(1));
/// ```
pub struct SecretRng {
    key: Secret32,
    /// Draws so far under a key that stays; `None` with erasure.
    kept: Option<u64>,
}

impl SecretRng {
    /// The generator that `seed` determines completely.
    pub fn new(seed: impl Into<Secret32>) -> SecretRng {
        SecretRng { key: seed.into(), kept: None }
    }

    /// A generator that keeps its key and counts, as a stream cipher does. For tests alone: what erasure is good for
    /// shows without it.
    #[doc(hidden)]
    pub fn without_erasure(seed: impl Into<Secret32>) -> SecretRng {
        SecretRng { key: seed.into(), kept: Some(0) }
    }

    /// What somebody finds who reads the memory of this generator. For tests alone.
    #[doc(hidden)]
    pub fn stolen(&self) -> Secret32 {
        self.key.duplicate()
    }

    /// A secret that nobody has seen, and that this generator cannot give again.
    pub fn secret(&mut self) -> Secret32 {
        let mut out = Zeroizing::new([0; 64]);
        match &mut self.kept {
            Some(draws) => {
                hkdf::expand(&self.key, labels::DRAW, &draws.to_be_bytes(), &mut out[..]);
                *draws += 1;
            }
            None => {
                hkdf::expand(&self.key, labels::DRAW, &[], &mut out[..]);
                self.key.expose_mut().copy_from_slice(&out[..32]);
            }
        }
        let mut secret = Secret32::from_bytes([0; 32]);
        secret.expose_mut().copy_from_slice(&out[32..]);
        secret
    }

    /// An independent generator, derived from this one.
    pub fn fork(&mut self) -> SecretRng {
        SecretRng::new(self.secret())
    }

    /// A source for what becomes visible, derived from this one: it says nothing about the secrets.
    pub fn visible(&mut self) -> Rng {
        Rng::from_seed(*self.secret().expose())
    }

    /// Mixes fresh entropy in, and wipes it where it was: nobody foresees the next draws who knows either the state or
    /// the entropy alone.
    pub fn reseed(&mut self, entropy: &mut [u8; 32]) {
        self.key = hkdf::extract(self.key.expose(), &[&entropy[..]]);
        entropy.zeroize();
    }
}

impl fmt::Debug for SecretRng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretRng(..)")
    }
}

/// Where a machine's secrets come from: a [`SecretRng`] that is reseeded before each exchange, with entropy that the
/// driver hands in when it is asked. So nothing is kept in store that a copy of the machine would use, too.
#[derive(Debug)]
pub struct SecretSource {
    rng: SecretRng,
    supply: Supply,
}

/// What has become of the need for fresh entropy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Supply {
    /// It has been used, and nobody wants more.
    Used,
    /// An exchange waits for it.
    Wanted,
    /// The driver has been told.
    Asked,
    /// The driver has been told, and an exchange went without.
    Missed,
    /// It is there, for one exchange.
    Fresh,
}

impl SecretSource {
    /// A source that begins with `seed`.
    pub fn new(seed: impl Into<Secret32>) -> SecretSource {
        SecretSource { rng: SecretRng::new(seed), supply: Supply::Used }
    }

    /// The generator for one exchange and what belongs to it. `None` until fresh entropy is there, which is wanted from
    /// now on.
    pub fn for_exchange(&mut self) -> Option<SecretRng> {
        let (next, rng) = match self.supply {
            Supply::Fresh => (Supply::Used, Some(self.rng.fork())),
            Supply::Used | Supply::Wanted => (Supply::Wanted, None),
            Supply::Asked | Supply::Missed => (Supply::Missed, None),
        };
        self.supply = next;
        rng
    }

    /// Whether to ask the driver now: once for each time that entropy is wanted.
    pub fn poll_need(&mut self) -> bool {
        let wanted = self.supply == Supply::Wanted;
        if wanted {
            self.supply = Supply::Asked;
        }
        wanted
    }

    /// The driver hands entropy in, which is wiped where it was. Answers whether an exchange has gone without since it
    /// was asked.
    pub fn handle_entropy(&mut self, entropy: &mut [u8; 32]) -> bool {
        self.rng.reseed(entropy);
        core::mem::replace(&mut self.supply, Supply::Fresh) == Supply::Missed
    }

    /// A source for what becomes visible.
    pub fn visible(&mut self) -> Rng {
        self.rng.visible()
    }

    /// A generator for secrets that are no exchange's.
    pub fn fork(&mut self) -> SecretRng {
        self.rng.fork()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first secrets of a generator.
    fn draws(rng: &mut SecretRng, count: usize) -> Vec<[u8; 32]> {
        (0..count).map(|_| *rng.secret().expose()).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_secrets_and_forks_differ() {
        let (mut a, mut b) = (SecretRng::new([7; 32]), SecretRng::new([7; 32]));
        assert_eq!(draws(&mut a, 3), draws(&mut b, 3));
        let (mut fork, mut other) = (a.fork(), b.fork());
        assert_eq!(draws(&mut fork, 3), draws(&mut other, 3));
        assert_ne!(draws(&mut fork, 1), draws(&mut a, 1));
        assert_ne!(draws(&mut SecretRng::new([8; 32]), 1), draws(&mut SecretRng::new([7; 32]), 1));
    }

    #[test]
    fn whoever_steals_the_state_has_no_earlier_secret() {
        for erases in [true, false] {
            let new = if erases { SecretRng::new } else { SecretRng::without_erasure };
            let mut rng: SecretRng = new([7; 32]);
            let before = draws(&mut rng, 100);
            // Whatever the generator is, its state goes on to something.
            let mut found = draws(&mut SecretRng::new(rng.stolen()), 200);
            found.extend(draws(&mut SecretRng::without_erasure(rng.stolen()), 200));
            found.push(*rng.stolen().expose());
            let earlier = before.iter().filter(|secret| found.contains(secret)).count();
            assert_eq!(earlier, if erases { 0 } else { 100 });
        }
    }

    #[test]
    fn after_entropy_copies_go_ways_of_their_own_and_the_entropy_is_gone() {
        let (mut a, mut b) = (SecretRng::new([7; 32]), SecretRng::new([7; 32]));
        let mut entropy = [[1; 32], [2; 32]];
        a.reseed(&mut entropy[0]);
        b.reseed(&mut entropy[1]);
        assert_eq!(entropy, [[0; 32]; 2]);
        assert_ne!(draws(&mut a, 1), draws(&mut b, 1));
        // The state counts beside the entropy.
        let mut c = SecretRng::new([8; 32]);
        c.reseed(&mut [1; 32]);
        let mut d = SecretRng::new([7; 32]);
        d.reseed(&mut [1; 32]);
        assert_ne!(draws(&mut c, 1), draws(&mut d, 1));
    }

    #[test]
    fn a_source_asks_once_for_each_exchange_and_gives_nothing_before() {
        let mut source = SecretSource::new([1; 32]);
        assert!(!source.poll_need());
        assert!(source.for_exchange().is_none());
        assert!(source.poll_need());
        assert!(!source.poll_need());
        assert!(!source.handle_entropy(&mut [2; 32]), "nobody went without");
        assert!(source.for_exchange().is_some());
        assert!(source.for_exchange().is_none(), "it was for one");
        assert!(source.poll_need());
        assert!(source.for_exchange().is_none());
        assert!(!source.poll_need(), "it has been asked");
        assert!(source.handle_entropy(&mut [3; 32]), "somebody went without");
        assert!(source.for_exchange().is_some());
    }

    #[test]
    fn entropy_that_comes_unasked_is_for_the_next_exchange() {
        let mut source = SecretSource::new([1; 32]);
        source.handle_entropy(&mut [2; 32]);
        assert!(source.for_exchange().is_some());
        assert!(!source.poll_need());
    }
}
