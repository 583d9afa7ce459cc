//! What happened lately, by fingerprint: two tables of fixed size that take turns.

use core::fmt;
use core::time::Duration;

use tng_base::Instant;

use super::{Burnt, prefault};

/// Most fingerprints of one generation.
pub const FINGERPRINTS_MAX: usize = 1 << 23;

/// Places of a bucket: a line of a cache.
const BUCKET_PER: usize = 8;

/// Fingerprints of 64 bits with a value each, remembered for an interval at least and for two at most. They are
/// forgotten by the driver's time: no clock that is set makes a server forget.
///
/// Each may be in two buckets of eight places and goes into the one that has more room (Azar et al., "Balanced
/// Allocations"): a search looks at 16 places of a table, never at more, and tables that are half full have room. A
/// place whose fingerprint is 0 is free.
pub(super) struct Fingerprints<V = ()> {
    interval: Duration,
    /// Which interval since the driver's origin the first table takes in.
    which: u128,
    now: Table<V>,
    before: Table<V>,
    taken: usize,
    remembered: usize,
}

type Table<V> = Box<[[(u64, V); BUCKET_PER]]>;

/// There is no room for one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NoRoom;

impl<V> fmt::Debug for Fingerprints<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fingerprints").field("which", &self.which).field("taken", &self.taken).finish_non_exhaustive()
    }
}

impl<V: Copy + Default> Fingerprints<V> {
    /// Room for at least 1 and at most [`FINGERPRINTS_MAX`] in each interval: `remembered` if it is between.
    pub(super) fn new(interval: Duration, remembered: usize) -> Fingerprints<V> {
        let remembered = remembered.clamp(1, FINGERPRINTS_MAX);
        let buckets = (2 * remembered).div_ceil(BUCKET_PER).next_power_of_two().max(2);
        let table = || vec![Default::default(); buckets].into_boxed_slice();
        let interval = interval.max(Duration::from_nanos(1));
        Fingerprints { interval, which: 0, now: table(), before: table(), taken: 0, remembered }
    }

    /// The value that it was put in with, if it was.
    pub(super) fn get(&mut self, now: Instant, fingerprint: u64) -> Option<V> {
        self.advance(now);
        self.find(fingerprint.max(1))
    }

    /// Puts it in with that value. If it is in, the value that it has is answered, and stays.
    pub(super) fn insert(&mut self, now: Instant, fingerprint: u64, value: V) -> Result<Option<V>, NoRoom> {
        self.advance(now);
        let fingerprint = fingerprint.max(1);
        if let Some(known) = self.find(fingerprint) {
            return Ok(Some(known));
        }
        if self.taken == self.remembered {
            return Err(NoRoom);
        }
        let buckets = self.buckets(fingerprint);
        let [one, other] = buckets.map(|at| self.now[at].iter().filter(|(place, _)| *place == 0).count());
        let into = &mut self.now[buckets[usize::from(one < other)]];
        *into.iter_mut().find(|(place, _)| *place == 0).ok_or(NoRoom)? = (fingerprint, value);
        self.taken += 1;
        Ok(None)
    }

    /// Whether half of the room of this interval is taken.
    pub(super) fn is_half_full(&mut self, now: Instant) -> bool {
        self.advance(now);
        2 * self.taken >= self.remembered
    }

    /// All that it holds: what came in this interval, and what came in the one before.
    pub(super) fn all(&mut self, now: Instant) -> [Vec<(u64, V)>; 2] {
        self.advance(now);
        [&self.now, &self.before]
            .map(|table| table.iter().flatten().filter(|(place, _)| *place != 0).copied().collect())
    }

    /// An empty one with what came before, remembered as if it came in the interval before this one or in this. `None`
    /// if there is no room.
    pub(super) fn taking_over(&self, now: Instant, [lately, before]: [&[(u64, V)]; 2]) -> Option<Fingerprints<V>> {
        let mut taken = Fingerprints::new(self.interval, self.remembered);
        taken.advance(now);
        before.iter().try_for_each(|(fingerprint, value)| taken.insert(now, *fingerprint, *value).map(drop)).ok()?;
        core::mem::swap(&mut taken.now, &mut taken.before);
        taken.taken = 0;
        lately.iter().try_for_each(|(fingerprint, value)| taken.insert(now, *fingerprint, *value).map(drop)).ok()?;
        Some(taken)
    }

    /// See [`Server::prefault_memory`](crate::server::Server::prefault_memory).
    pub(super) fn prefault(&mut self) {
        [&mut self.now, &mut self.before].into_iter().for_each(|table| prefault(table));
    }

    /// Bytes that it holds.
    pub(super) fn held(&self) -> usize {
        size_of_val(&*self.now) + size_of_val(&*self.before)
    }

    fn find(&self, fingerprint: u64) -> Option<V> {
        let buckets = self.buckets(fingerprint);
        let places = [&self.now, &self.before].into_iter().flat_map(|table| buckets.map(|at| &table[at]));
        places.flatten().find(|(place, _)| *place == fingerprint).map(|(_, value)| *value)
    }

    /// Where it may be: never the same twice.
    fn buckets(&self, fingerprint: u64) -> [usize; 2] {
        let mask = self.now.len() - 1;
        let (one, other) = (fingerprint as usize & mask, (fingerprint >> 32) as usize & mask);
        [one, if one == other { one ^ 1 } else { other }]
    }

    /// Time that goes back changes nothing.
    fn advance(&mut self, now: Instant) {
        let which = u128::from(now.as_nanos()) / self.interval.as_nanos();
        // After two turns nothing is left of before.
        for _ in 0..which.saturating_sub(self.which).min(2) {
            core::mem::swap(&mut self.now, &mut self.before);
            self.now.fill(Default::default());
            self.taken = 0;
        }
        self.which = self.which.max(which);
    }
}

impl Fingerprints {
    /// Puts it in, once.
    pub(super) fn burn(&mut self, now: Instant, fingerprint: u64) -> Result<(), Burnt> {
        match self.insert(now, fingerprint, ()) {
            Ok(None) => Ok(()),
            Ok(Some(())) => Err(Burnt::Spent),
            Err(NoRoom) => Err(Burnt::Full),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_base::Rng;

    const INTERVAL: Duration = Duration::from_secs(1);

    #[test]
    fn as_many_find_room_as_are_to_be_remembered_and_no_more() {
        let mut rng = Rng::from_u64(1);
        for remembered in [1, 6, 8, 16, 100, 128, 512, 1_000, 4_096, 131_072] {
            for _ in 0..(50_000 / remembered).clamp(2, 300) {
                let mut table = Fingerprints::<()>::new(INTERVAL, remembered);
                let (now, held) = (Instant::ZERO, table.held());
                let full = (0..remembered).filter(|_| table.burn(now, rng.u64()).is_err()).count();
                assert_eq!(full, 0, "of {remembered}");
                assert_eq!(table.burn(now, rng.u64()), Err(Burnt::Full));
                assert_eq!(table.held(), held);
                assert_eq!(table.burn(now + INTERVAL, rng.u64()), Ok(()));
            }
        }
    }

    #[test]
    fn sizes_that_cannot_be_are_the_nearest_that_can() {
        let (mut least, now) = (Fingerprints::<()>::new(Duration::ZERO, 0), Instant::ZERO);
        let answers = [5, 5, 6].map(|fingerprint| least.burn(now, fingerprint));
        assert_eq!(answers, [Ok(()), Err(Burnt::Spent), Err(Burnt::Full)]);
        assert_eq!(Fingerprints::<()>::new(INTERVAL, usize::MAX).held(), 2 * 8 * 2 * FINGERPRINTS_MAX);
    }

    #[test]
    fn what_is_put_in_is_known_for_an_interval_and_not_for_more_than_two() {
        let mut table = Fingerprints::<()>::new(INTERVAL, 100);
        let mut burn = |ms, fingerprint| table.burn(Instant::from_millis(ms), fingerprint);
        for fingerprint in [0, 1, u64::MAX, 1 << 32] {
            // None and one are the same.
            assert_eq!(burn(999, fingerprint).is_ok(), fingerprint != 1);
            assert_eq!(burn(999, fingerprint), Err(Burnt::Spent));
        }
        assert_eq!(burn(1_999, u64::MAX), Err(Burnt::Spent));
        assert_eq!(burn(0, u64::MAX), Err(Burnt::Spent), "time does not go back");
        assert_eq!(burn(2_000, u64::MAX), Ok(()));
        assert_eq!(burn(9_000, u64::MAX), Ok(()));
    }
}
