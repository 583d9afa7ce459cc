//! How often an expensive object is computed for one connection (Trickles 2.2, "Protection against CPU consumption").

use core::ops::Range;
use core::time::Duration;

use tng_base::Instant;
use tng_crypto::SipKey;

use super::Burnt;
use super::fingerprints::Fingerprints;
use crate::{ConnectionId, DIFFICULTY_LOADED_MAX};

/// Fingerprints that [`Objects`] remembers in a generation, if its owner has no other wish: 2^16 places of eight bytes.
pub const OBJECTS_REMEMBERED: usize = 1 << 15;

/// How often an answer may be asked for again, if a handler has no other wish.
pub const RETRIES_DEFAULT: u8 = 2;

/// How often an answer may be asked for again, at most.
pub const RETRIES_MAX: u8 = 15;

/// How often the same range of the same object was computed for the same connection, for handlers that say that their
/// requests are expensive. A stateless server would compute it again for each request. Each further try has a
/// fingerprint of its own (the paper's k independent hash functions).
///
/// A range that overlaps another is another: a handler that is asked for pieces tells the pieces that it computes, not
/// those that a client asks for. Connections do not disturb each other, for each has its own fingerprints.
#[derive(Debug)]
pub struct Objects {
    key: SipKey,
    fingerprints: Fingerprints,
}

impl Objects {
    /// Remembers each computation for at least `interval` and at most twice as long; so many within it. `key` is drawn
    /// for it alone.
    pub fn new(key: SipKey, interval: Duration, entries: usize) -> Objects {
        Objects { key, fingerprints: Fingerprints::new(interval, entries) }
    }

    /// Allows to compute `range` of `object` for `connection`: once, and once more for each of `retries`
    /// ([`RETRIES_MAX`] at most). Answers which try it is, from 0.
    ///
    /// # Errors
    /// [`Burnt::Spent`]: it was computed so often. [`Burnt::Full`]: too much was computed for all connections.
    pub fn admit(
        &mut self,
        now: Instant,
        connection: &ConnectionId,
        object: &[u8],
        range: &Range<u64>,
        retries: u8,
    ) -> Result<u8, Burnt> {
        // The object comes last: it is the one part whose length may vary.
        let ends = [range.start.to_be_bytes(), range.end.to_be_bytes()];
        let which = self.key.tag(&[&connection.0, &ends[0], &ends[1], object]);
        for nth in 0..=retries.min(RETRIES_MAX) {
            let fingerprint = u64::from_be_bytes(self.key.tag(&[&which, &[nth]]));
            match self.fingerprints.burn(now, fingerprint) {
                Err(Burnt::Spent) => {}
                answer => return answer.map(|()| nth),
            }
        }
        Err(Burnt::Spent)
    }

    /// Zero bits of the puzzle to solve before something is computed; 0 asks for none. A client that asks for ever more
    /// that is different takes the room of all others: from half of it on that has its price.
    pub fn difficulty(&mut self, now: Instant) -> u8 {
        if self.fingerprints.is_half_full(now) { DIFFICULTY_LOADED_MAX } else { 0 }
    }

    /// See [`Server::prefault_memory`](crate::server::Server::prefault_memory).
    pub(crate) fn prefault(&mut self) {
        self.fingerprints.prefault();
    }

    /// Bytes that it holds.
    pub fn held(&self) -> usize {
        self.fingerprints.held()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use tng_base::Rng;

    const INTERVAL: Duration = Duration::from_secs(15);

    fn objects(entries: usize) -> Objects {
        Objects::new(SipKey::from_bytes([6; 16]), INTERVAL, entries)
    }

    fn connection(n: u8) -> ConnectionId {
        ConnectionId([n; 16])
    }

    #[test]
    fn an_object_is_computed_once_and_once_more_for_each_retry_and_again_after_its_time() {
        for retries in [0, 1, RETRIES_DEFAULT, RETRIES_MAX, 255] {
            let mut objects = objects(100);
            let mut asked = |ms: u64| {
                let now = Instant::from_millis(ms);
                (0..300).filter(|_| objects.admit(now, &connection(1), b"/sum", &(0..9), retries).is_ok()).count()
            };
            let due = usize::from(retries.min(RETRIES_MAX)) + 1;
            assert_eq!([asked(14_000), asked(15_000), asked(29_000), asked(30_000)], [due, 0, 0, due]);
        }
    }

    #[test]
    fn from_half_of_its_room_on_what_is_computed_has_a_price_until_it_is_forgotten() {
        let (mut objects, mut at) = (objects(100), 0);
        let mut admit = |objects: &mut Objects, ms| {
            at += 1;
            objects.admit(Instant::from_millis(ms), &connection(1), b"/a", &(at..at + 1), 0)
        };
        for _ in 0..50 {
            assert_eq!(objects.difficulty(Instant::ZERO), 0);
            assert_eq!(admit(&mut objects, 0), Ok(0));
        }
        assert_eq!(objects.difficulty(Instant::ZERO), DIFFICULTY_LOADED_MAX);
        // Control: who solves none and is let go on leaves no room to others.
        (0..50).for_each(|_| assert_eq!(admit(&mut objects, 0), Ok(0)));
        assert_eq!(admit(&mut objects, 0), Err(Burnt::Full));
        assert_eq!(objects.difficulty(Instant::ZERO + INTERVAL), 0);
    }

    #[test]
    fn other_connections_objects_and_ranges_are_not_in_the_way() {
        let (mut objects, now) = (objects(100), Instant::ZERO);
        let all: [(u8, &[u8], Range<u64>); 5] =
            [(1, b"/a", 0..9), (2, b"/a", 0..9), (1, b"/b", 0..9), (1, b"/a", 9..18), (1, b"/a", 0..8)];
        for (client, object, range) in &all {
            assert_eq!(objects.admit(now, &connection(*client), object, range, 0), Ok(0));
        }
        for (client, object, range) in &all {
            assert_eq!(objects.admit(now, &connection(*client), object, range, 0), Err(Burnt::Spent));
            assert_eq!(objects.admit(now, &connection(*client), object, range, 1), Ok(1), "a handler that allows more");
        }
    }

    #[test]
    fn drawn_requests_are_counted_as_a_map_counts_them_and_memory_stays_what_it_was() {
        let (mut objects, mut rng) = (objects(OBJECTS_REMEMBERED), Rng::from_u64(3));
        let (mut exact, held, mut refused) = (HashMap::<(u8, u64, u64), u8>::new(), objects.held(), 0);
        for _ in 0..100_000 {
            let key = (rng.below(20) as u8, rng.below(40), rng.below(10));
            let count = exact.entry(key).or_default();
            let answer = objects.admit(Instant::ZERO, &connection(key.0), &key.1.to_be_bytes(), &(key.2..key.2 + 1), 2);
            assert_eq!(answer, if *count < 3 { Ok(*count) } else { Err(Burnt::Spent) });
            *count += u8::from(answer.is_ok());
            refused += u32::from(answer.is_err());
        }
        assert!(refused > 50_000, "{refused}");
        assert_eq!(objects.held(), held);
    }

    #[test]
    fn when_too_much_is_computed_for_all_together_more_is_refused_by_name() {
        let mut objects = objects(10);
        let mut admit = |at: u64| objects.admit(Instant::ZERO, &connection(1), b"/a", &(at..at + 1), 0);
        assert!((0..10).all(|at| admit(at).is_ok()));
        assert_eq!([admit(10), admit(3)], [Err(Burnt::Full), Err(Burnt::Spent)]);
    }
}
