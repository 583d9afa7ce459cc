//! The exact filter: a ring for each issuer.

use core::time::Duration;

use super::{Burnt, Ring};
use crate::Wall;

/// Issuers whose continuations a server takes, itself among them, at most: replicas, and those that were started anew
/// within the age limit.
pub const ISSUERS_MAX: usize = 64;

/// Who gives out serials: drawn anew whenever a server starts, so that none comes again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Issuer(pub u32);

/// The serials of one issuer.
#[derive(Clone, Debug)]
struct Known {
    issuer: Issuer,
    ring: Ring,
    /// When one of its serials was last presented.
    used: Wall,
}

/// Which continuations are spent, exactly: one bit for each that was given out, for as far back as it remembers.
#[derive(Clone, Debug)]
pub struct Serials {
    own: Issuer,
    /// The next serial of its own.
    next: u64,
    /// What each ring remembers.
    remembered: u64,
    /// How long a continuation is good.
    age_max: Duration,
    /// Since when it remembers: what was given out earlier may have been spent before its time.
    since: Wall,
    /// Itself first.
    known: Vec<Known>,
}

impl Serials {
    /// Of a server that calls itself `own`, starts at `now`, and is to remember so many serials of each issuer: as many
    /// as are given out within `age_max`.
    pub fn new(own: Issuer, now: Wall, remembered: u64, age_max: Duration) -> Serials {
        let itself = Known { issuer: own, ring: Ring::new(remembered, 0), used: now };
        let mut known = Vec::with_capacity(ISSUERS_MAX);
        known.push(itself);
        Serials { own, next: 0, remembered, age_max, since: now, known }
    }

    /// Its own name and its next serial, for a continuation that it gives out.
    pub fn issue(&mut self) -> (Issuer, u64) {
        let serial = self.next;
        self.next += 1;
        (self.own, serial)
    }

    /// Spends a serial that was `issued` then. Whose issuer is not known is believed: the continuation's seal is to be
    /// checked before.
    ///
    /// # Errors
    /// [`Burnt`].
    pub fn burn(&mut self, now: Wall, issuer: Issuer, serial: u64, issued: Wall) -> Result<(), Burnt> {
        if issued < self.since {
            return Err(Burnt::Forgotten);
        }
        let at = match self.known.iter().position(|known| known.issuer == issuer) {
            Some(at) => at,
            None => self.admit(now, issuer)?,
        };
        let known = &mut self.known[at];
        known.used = now;
        known.ring.burn(serial)
    }

    /// Bytes that it holds.
    pub fn held(&self) -> usize {
        self.known.iter().map(|known| known.ring.held()).sum()
    }

    /// A further issuer, in the place of one whose continuations are all too old, if there is no other.
    fn admit(&mut self, now: Wall, issuer: Issuer) -> Result<usize, Burnt> {
        let ring = Ring::new(self.remembered, 0);
        let known = Known { issuer, ring, used: now };
        if self.known.len() < ISSUERS_MAX {
            self.known.push(known);
            return Ok(self.known.len() - 1);
        }
        let is_gone = |known: &Known| known.issuer != self.own && now.since(known.used) > self.age_max;
        let at = self.known.iter().position(is_gone).ok_or(Burnt::Full)?;
        self.known[at] = known;
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGE: Duration = Duration::from_secs(10);

    fn at(ms: u64) -> Wall {
        Wall::from_millis(ms)
    }

    #[test]
    fn each_serial_is_taken_once_whoever_gave_it_out() {
        let mut serials = Serials::new(Issuer(1), at(0), 1_000, AGE);
        let (own, first) = serials.issue();
        let (_, second) = serials.issue();
        assert_eq!((own, first, second), (Issuer(1), 0, 1));
        for issuer in [own, Issuer(2), Issuer(3)] {
            assert_eq!(serials.burn(at(5), issuer, 1, at(1)), Ok(()));
            assert_eq!(serials.burn(at(6), issuer, 1, at(1)), Err(Burnt::Spent));
            assert_eq!(serials.burn(at(6), issuer, 0, at(1)), Ok(()));
        }
    }

    #[test]
    fn what_was_given_out_before_it_started_may_have_been_spent() {
        let mut serials = Serials::new(Issuer(1), at(1_000), 1_000, AGE);
        assert_eq!(serials.burn(at(1_001), Issuer(2), 9, at(999)), Err(Burnt::Forgotten));
        assert_eq!(serials.burn(at(1_001), Issuer(2), 9, at(1_000)), Ok(()));
    }

    #[test]
    fn issuers_beyond_the_most_take_the_place_of_those_who_have_gone_and_of_nobody_else() {
        let mut serials = Serials::new(Issuer(0), at(0), 64, AGE);
        for issuer in 1..ISSUERS_MAX as u32 {
            assert_eq!(serials.burn(at(u64::from(issuer)), Issuer(issuer), 7, at(0)), Ok(()));
        }
        let held = serials.held();
        assert_eq!(serials.burn(at(5_000), Issuer(1_000), 7, at(4_000)), Err(Burnt::Full));
        assert_eq!(serials.burn(at(10_002), Issuer(1_000), 7, at(10_000)), Ok(()), "the first is gone");
        assert_eq!(serials.burn(at(10_002), Issuer(2), 7, at(9_999)), Err(Burnt::Spent), "the second is not");
        assert_eq!(serials.held(), held);
    }
}
