//! The exact filter: a ring for each issuer.

use core::time::Duration;

use tng_base::Instant;
use tng_wire::Reader;

use super::{Burnt, HandedError, Issuer, Ring};
use crate::SERIAL_LIMIT;

/// Issuers whose continuations a server takes, itself among them, at most: replicas, and those that were started anew
/// while continuations of before are good.
pub const ISSUERS_MAX: usize = 64;

/// The serials of one issuer.
#[derive(Clone, Debug)]
struct Known {
    issuer: Issuer,
    ring: Ring,
    /// When one of its serials was last presented.
    used: Instant,
}

/// Which continuations are spent, exactly: one bit for each that was given out, for as far back as it remembers.
///
/// Time is the driver's: no clock that is set makes a server forget.
#[derive(Clone, Debug)]
pub struct Serials {
    own: Issuer,
    /// The next serial of its own.
    next: u64,
    /// What each ring remembers.
    serials: u64,
    /// How long what was spent is remembered.
    remembered: Duration,
    /// Itself first.
    known: Vec<Known>,
}

impl Serials {
    /// Of a server that calls itself `own`, and is to remember so many `serials` of each issuer: as many as are given
    /// out within `remembered` ([`Horizon::remembered`](crate::Horizon::remembered)).
    pub fn new(own: Issuer, now: Instant, serials: u64, remembered: Duration) -> Serials {
        let itself = Known { issuer: own, ring: Ring::new(serials, 0), used: now };
        let mut known = Vec::with_capacity(ISSUERS_MAX);
        known.push(itself);
        Serials { own, next: 0, serials, remembered, known }
    }

    /// Its own name and its next serial, for a continuation that it gives out. Serials begin anew behind
    /// [`SERIAL_LIMIT`].
    pub fn issue(&mut self) -> (Issuer, u64) {
        let serial = self.next;
        self.next = (serial + 1) % SERIAL_LIMIT;
        (self.own, serial)
    }

    /// Spends a serial. An issuer that is not known is believed, and costs memory: the continuation's seal is checked
    /// before, so that only servers make issuers, and its age, which says whether it can have been spent before this
    /// server started ([`Horizon::judge`](crate::Horizon::judge)).
    ///
    /// # Errors
    /// [`Burnt`].
    pub fn burn(&mut self, now: Instant, issuer: Issuer, serial: u64) -> Result<(), Burnt> {
        let at = match self.known.iter().position(|known| known.issuer == issuer) {
            Some(at) => at,
            None => self.admit(now, issuer)?,
        };
        let known = &mut self.known[at];
        known.used = now;
        known.ring.burn(unwrapped(serial, known.ring.end()))
    }

    /// See [`Server::prefault_memory`](crate::server::Server::prefault_memory).
    pub(super) fn prefault(&mut self) {
        self.known.iter_mut().for_each(|known| known.ring.prefault());
    }

    /// Bytes that it holds.
    pub fn held(&self) -> usize {
        self.known.iter().map(|known| known.ring.held()).sum()
    }

    /// Writes down what is spent, of all issuers whose continuations may still be good.
    pub(super) fn write(&self, now: Instant, out: &mut Vec<u8>) {
        let known: Vec<&Known> = self.known.iter().filter(|known| !self.is_gone(now, known)).collect();
        out.push(known.len() as u8);
        for known in known {
            out.extend_from_slice(&known.issuer.0.to_be_bytes());
            known.ring.write(out);
        }
    }

    /// The same, with what another has written down.
    pub(super) fn taking_over(&self, now: Instant, reader: &mut Reader<'_>) -> Result<Serials, HandedError> {
        let mut taken = self.clone();
        for _ in 0..reader.u8()? {
            let known = Known { issuer: Issuer(reader.u32()?), ring: Ring::read(reader, self.serials)?, used: now };
            // A name that was drawn twice would make serials of one those of the other.
            if taken.known.len() >= ISSUERS_MAX || taken.known.iter().any(|it| it.issuer == known.issuer) {
                return Err(HandedError::Full);
            }
            taken.known.push(known);
        }
        Ok(taken)
    }

    /// Whether all that an issuer has given out is too old.
    fn is_gone(&self, now: Instant, known: &Known) -> bool {
        known.issuer != self.own && now.since(known.used) > self.remembered
    }

    /// A further issuer; if there are as many as may be, with the ring of one whose continuations are all too old.
    fn admit(&mut self, now: Instant, issuer: Issuer) -> Result<usize, Burnt> {
        if self.known.len() < ISSUERS_MAX {
            self.known.push(Known { issuer, ring: Ring::new(self.serials, 0), used: now });
            return Ok(self.known.len() - 1);
        }
        let at = self.known.iter().position(|known| self.is_gone(now, known)).ok_or(Burnt::Full)?;
        let known = &mut self.known[at];
        known.issuer = issuer;
        known.ring.clear();
        Ok(at)
    }
}

/// The count that a serial stands for, which begins anew behind [`SERIAL_LIMIT`]: the nearest to `end`. A server gives
/// so many out in half a year of 1 Gbit/s, and a ring is much shorter.
const fn unwrapped(serial: u64, end: u64) -> u64 {
    let ahead = serial.wrapping_sub(end) % SERIAL_LIMIT;
    match (end + ahead).checked_sub(SERIAL_LIMIT) {
        Some(behind) if ahead >= SERIAL_LIMIT / 2 => behind,
        _ => end + ahead,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REMEMBERED: Duration = Duration::from_secs(15);

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    #[test]
    fn each_serial_is_taken_once_from_each_issuer() {
        let mut serials = Serials::new(Issuer(1), at(0), 1_000, REMEMBERED);
        let (own, first) = serials.issue();
        let (_, second) = serials.issue();
        assert_eq!((own, first, second), (Issuer(1), 0, 1));
        for issuer in [own, Issuer(2), Issuer(3)] {
            assert_eq!(serials.burn(at(5), issuer, 1), Ok(()));
            assert_eq!(serials.burn(at(6), issuer, 1), Err(Burnt::Spent));
            assert_eq!(serials.burn(at(6), issuer, 0), Ok(()));
        }
    }

    #[test]
    fn serials_that_begin_anew_are_taken_once_each() {
        let mut serials = Serials::new(Issuer(1), at(0), 1_000, REMEMBERED);
        for round in 0..3 {
            for count in [SERIAL_LIMIT / 3, 2 * SERIAL_LIMIT / 3, SERIAL_LIMIT - 2, SERIAL_LIMIT, SERIAL_LIMIT + 500] {
                let due = [Ok(()), Err(Burnt::Spent)];
                assert_eq!(
                    [0; 2].map(|_| serials.burn(at(0), Issuer(1), count % SERIAL_LIMIT)),
                    due,
                    "{count} {round}"
                );
                // Another issuer, not seen before.
                let issuer = Issuer(2 + round);
                assert_eq!([0; 2].map(|_| serials.burn(at(0), issuer, (count + 9) % SERIAL_LIMIT)), due, "{count}");
            }
            assert_eq!(serials.burn(at(0), Issuer(1), SERIAL_LIMIT - 2), Err(Burnt::Spent), "a little behind");
            assert_eq!(serials.burn(at(0), Issuer(1), SERIAL_LIMIT - 1), Ok(()), "a little behind");
        }
    }

    #[test]
    fn issuers_beyond_the_most_take_the_place_of_those_who_have_gone_and_of_nobody_else() {
        let mut serials = Serials::new(Issuer(0), at(0), 64, REMEMBERED);
        for issuer in 1..ISSUERS_MAX as u32 {
            assert_eq!(serials.burn(at(u64::from(issuer)), Issuer(issuer), 7), Ok(()));
        }
        let held = serials.held();
        // What was stamped ahead by the skew is good until then.
        for ms in [5_000, 10_002, 15_001] {
            assert_eq!(serials.burn(at(ms), Issuer(1_000), 7), Err(Burnt::Full), "{ms}");
        }
        assert_eq!(serials.burn(at(15_002), Issuer(1_000), 7), Ok(()), "the first is gone");
        assert_eq!(serials.burn(at(15_002), Issuer(1_000), 7), Err(Burnt::Spent));
        assert_eq!(serials.burn(at(15_002), Issuer(2), 7), Err(Burnt::Spent), "the second is not");
        assert_eq!(serials.burn(at(15_002), Issuer(1), 7), Err(Burnt::Full), "and its own is never");
        assert_eq!(serials.held(), held);
    }
}
