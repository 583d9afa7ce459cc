//! What may happen once in a while, by connection.

use core::time::Duration;

use tng_base::Instant;
use tng_crypto::SipKey;

use super::Burnt;
use super::fingerprints::Fingerprints;
use crate::foresee::{SLOT, TIMEOUT_COUNT_MAX};
use crate::{ConnectionId, Stamp};

/// Requests for a timeout that are known again, for each that is remembered in a [`SLOT`]: they are known for longer.
const KNOWN_PER_SLOT: usize = 4;

/// Which timeouts were granted in the last [`SLOT`]s, in tables of fixed size.
///
/// Slots of different connections begin at different times, or all that stall together would ask together. They count
/// by the driver's time: no clock that is set puts them back.
#[derive(Debug)]
pub struct Timeouts {
    key: SipKey,
    /// A slot of one connection lies within two intervals of these, whatever its phase: what was granted in it is known
    /// until it ends.
    fingerprints: Fingerprints,
    /// Requests that were granted one.
    known: Fingerprints,
}

impl Timeouts {
    /// Remembers so many in a slot, as far as memory is given to it, and for `good` what asked for them: as long as a
    /// request is good. `key` is drawn for it alone, or somebody would look for two that meet.
    pub fn new(key: SipKey, remembered: usize, good: Duration) -> Timeouts {
        let known = Fingerprints::new(good, remembered.saturating_mul(KNOWN_PER_SLOT));
        Timeouts { key, fingerprints: Fingerprints::new(SLOT, remembered), known }
    }

    /// Grants a line to `connection`, the `count`-th in its present slot, from 0; each count once.
    ///
    /// # Errors
    /// [`Burnt::Spent`] for a count that was granted in this slot; [`Burnt::TooOften`] for a count above
    /// [`TIMEOUT_COUNT_MAX`]; [`Burnt::Full`] when too many connections ask at once.
    pub fn grant(&mut self, now: Instant, connection: &ConnectionId, count: u8) -> Result<(), Burnt> {
        if count > TIMEOUT_COUNT_MAX {
            return Err(Burnt::TooOften);
        }
        let phase = u64::from_be_bytes(self.key.tag(&[b"phase", &connection.0])) % SLOT.as_nanos() as u64;
        let slot = (now.as_nanos().saturating_add(phase)) / SLOT.as_nanos() as u64;
        let tag = self.key.tag(&[b"grant", &connection.0, &slot.to_be_bytes(), &[count]]);
        self.fingerprints.burn(now, u64::from_be_bytes(tag))
    }

    /// Grants a line for a request for a timeout, which says that it was made at `asked`: a copy, which anybody may
    /// have made, has no other time than that, and is granted nothing. Of one connection no more is remembered than it
    /// may be granted.
    ///
    /// # Errors
    /// [`Burnt::Spent`] for a copy, and as [`grant`](Self::grant).
    pub fn grant_once(
        &mut self,
        now: Instant,
        connection: &ConnectionId,
        asked: Stamp,
        count: u8,
    ) -> Result<(), Burnt> {
        // A copy is not to take what the connection itself may be granted.
        let copy = u64::from_be_bytes(self.key.tag(&[b"asked", &connection.0, &asked.to_bytes(), &[count]]));
        if self.known.get(now, copy).is_some() {
            return Err(Burnt::Spent);
        }
        self.grant(now, connection, count)?;
        self.known.burn(now, copy)
    }

    /// See [`Server::prefault_memory`](crate::server::Server::prefault_memory).
    pub(crate) fn prefault(&mut self) {
        self.fingerprints.prefault();
        self.known.prefault();
    }

    /// Bytes that it holds.
    pub fn held(&self) -> usize {
        self.fingerprints.held() + self.known.held()
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;

    fn connection(n: u64) -> ConnectionId {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&n.to_be_bytes());
        ConnectionId(id)
    }

    fn timeouts(remembered: usize) -> Timeouts {
        Timeouts::new(SipKey::from_bytes([5; 16]), remembered, Duration::from_secs(15))
    }

    fn stamp(ms: u64) -> Stamp {
        Stamp::of(crate::Wall::from_millis(ms))
    }

    /// Asks for a timeout in a request that is like no other.
    fn ask(timeouts: &mut Timeouts, ms: u64, of: u64, count: u8) -> Result<(), Burnt> {
        thread_local!(static ASKED: Cell<u64> = const { Cell::new(0) });
        let asked = ASKED.replace(ASKED.get() + 1);
        timeouts.grant_once(Instant::from_millis(ms), &connection(of), stamp(asked), count)
    }

    #[test]
    fn a_connection_is_granted_each_count_once_a_second_at_whatever_time_it_asks() {
        let mut timeouts = timeouts(1_000);
        let mut granted = [0_u32; 40];
        // Each asks every 10 ms, for 30 seconds.
        for step in 0..3_000 {
            for (at, granted) in granted.iter_mut().enumerate() {
                let answer = ask(&mut timeouts, 10 * step, at as u64, 0);
                *granted += u32::from(answer.is_ok());
                if answer.is_ok() && step % 7 == 0 {
                    let again = |count| ask(&mut timeouts, 10 * step, at as u64, count);
                    assert_eq!([1, 2, 1, 0].map(again), [Ok(()), Ok(()), Err(Burnt::Spent), Err(Burnt::Spent)]);
                }
            }
        }
        assert!(granted.iter().all(|count| (30..=31).contains(count)), "{granted:?}");
    }

    #[test]
    fn a_copy_of_what_was_granted_a_timeout_is_granted_none_for_as_long_as_it_is_good() {
        let mut timeouts = timeouts(1_000);
        let (copied, mut grant) = (stamp(5_000), |ms, asked, count| {
            timeouts.grant_once(Instant::from_millis(ms), &connection(1), asked, count)
        });
        assert_eq!(grant(100, copied, 0), Ok(()));
        for at in 0..150 {
            assert_eq!(grant(100 + 100 * at, copied, 0), Err(Burnt::Spent));
            if at % 20 == 19 {
                // What the connection asks itself is granted: a copy has taken nothing of it.
                assert_eq!(grant(100 + 100 * at, stamp(6_000 + at), 0), Ok(()), "after {at}");
            }
        }
        assert_eq!(grant(15_000, copied, 1), Ok(()), "another count is another request");
        assert_eq!(grant(30_100, copied, 0), Ok(()), "it is too old by then");
    }

    #[test]
    fn a_connection_that_asks_without_end_takes_no_more_room_than_what_it_is_granted() {
        let mut timeouts = timeouts(16);
        // The table holds 64 for 15 s. Of 100,000 requests of one connection in a second it holds six.
        let granted = (0..100_000).filter(|n| ask(&mut timeouts, 100 + n / 1_000, 1, (n % 256) as u8).is_ok()).count();
        assert!((6..=12).contains(&granted), "{granted}");
        let others = (2..6).filter(|other| ask(&mut timeouts, 201, *other, 0).is_ok()).count();
        assert_eq!(others, 4, "an honest client's is granted");
    }

    #[test]
    fn connections_that_stall_together_have_slots_that_begin_at_different_times() {
        let mut timeouts = timeouts(10_000);
        let mut begins = [0_u32; 10];
        for at in 0..1_000 {
            ask(&mut timeouts, 5_000, at, 0).unwrap();
            let first = (5_001..).find(|ms| ask(&mut timeouts, *ms, at, 0).is_ok());
            begins[(first.unwrap() - 5_001) as usize / 100] += 1;
            timeouts = super::tests::timeouts(10_000);
        }
        assert!(begins.iter().all(|count| *count > 50), "{begins:?}");
    }

    #[test]
    fn a_table_that_is_full_grants_no_more_until_the_next_slot() {
        let mut timeouts = timeouts(16);
        let held = timeouts.held();
        let granted = |timeouts: &mut Timeouts, ms| (0..1_000).filter(|at| ask(timeouts, ms, *at, 0).is_ok()).count();
        assert_eq!(granted(&mut timeouts, 100), 16);
        assert_eq!(ask(&mut timeouts, 100, 5_000, 0), Err(Burnt::Full));
        assert_eq!(granted(&mut timeouts, 1_100), 16);
        assert_eq!(timeouts.held(), held);
    }

    #[test]
    fn a_count_beyond_the_highest_and_a_size_beyond_memory_are_refused_or_lowered() {
        let mut timeouts = timeouts(usize::MAX);
        let granted = [0, 5, 6, 255].map(|count| ask(&mut timeouts, 0, 1, count));
        assert_eq!(granted, [Ok(()), Ok(()), Err(Burnt::TooOften), Err(Burnt::TooOften)]);
        assert!(timeouts.held() <= 1 << 29);
        let mut least = super::tests::timeouts(0);
        let granted = [1, 2].map(|at| ask(&mut least, 0, at, 0));
        assert_eq!(granted, [Ok(()), Err(Burnt::Full)]);
    }
}
