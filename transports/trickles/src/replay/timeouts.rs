//! What may happen once in a while, by connection.

use core::time::Duration;

use tng_base::Instant;
use tng_crypto::SipKey;

use super::Burnt;
use crate::ConnectionId;

/// A connection asks for a timeout once in this while.
pub const SLOT: Duration = Duration::from_secs(1);

/// Which timeouts were granted in the last [`SLOT`]s: two tables that take turns, of fixed size, by fingerprint.
///
/// Slots of different connections begin at different times, or all that stall together would ask together. They count
/// by the driver's time: no clock that is set puts them back.
pub struct Timeouts {
    key: SipKey,
    /// This slot's, and the one's before. A place that is 0 is free.
    tables: [Box<[u64]>; 2],
    /// Places taken in this slot.
    taken: usize,
    /// The slot that the first table is of, for all connections together.
    slot: u64,
}

impl core::fmt::Debug for Timeouts {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Timeouts").field("slot", &self.slot).field("taken", &self.taken).finish_non_exhaustive()
    }
}

impl Timeouts {
    /// Remembers at least so many in a slot. `key` is drawn for it alone, or somebody would look for two that meet.
    pub fn new(key: SipKey, remembered: usize) -> Timeouts {
        // A table is at most half full: a search is short.
        let places = (2 * remembered).next_power_of_two();
        let table = || vec![0; places].into_boxed_slice();
        Timeouts { key, tables: [table(), table()], taken: 0, slot: 0 }
    }

    /// Grants a timeout to `connection`, the `count`-th in its present slot; each count once.
    ///
    /// # Errors
    /// [`Burnt::Spent`], or [`Burnt::Full`] when too many connections ask at once.
    pub fn grant(&mut self, now: Instant, connection: &ConnectionId, count: u8) -> Result<(), Burnt> {
        self.advance(now);
        let phase = u64::from_be_bytes(self.key.tag(&[b"phase", &connection.0])) % SLOT.as_nanos() as u64;
        let slot = (now.as_nanos().saturating_add(phase)) / SLOT.as_nanos() as u64;
        let tag = self.key.tag(&[b"grant", &connection.0, &slot.to_be_bytes(), &[count]]);
        let fingerprint = u64::from_be_bytes(tag).max(1);
        if self.tables.iter().any(|table| place(table, fingerprint).is_ok()) {
            return Err(Burnt::Spent);
        }
        if self.taken >= self.tables[0].len() / 2 {
            return Err(Burnt::Full);
        }
        self.taken += 1;
        if let Err(free) = place(&self.tables[0], fingerprint) {
            self.tables[0][free] = fingerprint;
        }
        Ok(())
    }

    /// Bytes that it holds.
    pub fn held(&self) -> usize {
        self.tables.iter().map(|table| size_of_val::<[u64]>(table)).sum()
    }

    /// A slot of one connection lies within two of these, whatever its phase: what was granted in it is in one of the
    /// tables until it ends.
    fn advance(&mut self, now: Instant) {
        let slot = now.as_nanos() / SLOT.as_nanos() as u64;
        if slot > self.slot {
            if slot > self.slot + 1 {
                self.tables[0].fill(0);
            }
            self.tables.swap(0, 1);
            self.tables[0].fill(0);
            (self.slot, self.taken) = (slot, 0);
        }
    }
}

/// Where a fingerprint is, or the free place where it would be. No table is full.
fn place(table: &[u64], fingerprint: u64) -> Result<usize, usize> {
    let mask = table.len() - 1;
    let mut at = fingerprint as usize & mask;
    loop {
        match table[at] {
            0 => return Err(at),
            found if found == fingerprint => return Ok(at),
            _ => at = (at + 1) & mask,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(n: u64) -> ConnectionId {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&n.to_be_bytes());
        ConnectionId(id)
    }

    fn timeouts(remembered: usize) -> Timeouts {
        Timeouts::new(SipKey::from_bytes([5; 16]), remembered)
    }

    #[test]
    fn a_connection_is_granted_each_count_once_a_second_at_whatever_time_it_asks() {
        let mut timeouts = timeouts(1_000);
        let mut granted = [0_u32; 40];
        // Each asks every 10 ms, for 30 seconds.
        for step in 0..3_000 {
            for (at, granted) in granted.iter_mut().enumerate() {
                let answer = timeouts.grant(Instant::from_millis(10 * step), &connection(at as u64), 0);
                *granted += u32::from(answer.is_ok());
                if answer.is_ok() && step % 7 == 0 {
                    let again = |count| timeouts.grant(Instant::from_millis(10 * step), &connection(at as u64), count);
                    assert_eq!([1, 2, 1, 0].map(again), [Ok(()), Ok(()), Err(Burnt::Spent), Err(Burnt::Spent)]);
                }
            }
        }
        assert!(granted.iter().all(|count| (30..=31).contains(count)), "{granted:?}");
    }

    #[test]
    fn connections_that_stall_together_have_slots_that_begin_at_different_times() {
        let mut timeouts = timeouts(10_000);
        let mut begins = [0_u32; 10];
        for at in 0..1_000 {
            timeouts.grant(Instant::from_millis(5_000), &connection(at), 0).unwrap();
            let first = (5_001..).find(|ms| timeouts.grant(Instant::from_millis(*ms), &connection(at), 0).is_ok());
            begins[(first.unwrap() - 5_001) as usize / 100] += 1;
            timeouts = super::tests::timeouts(10_000);
        }
        assert!(begins.iter().all(|count| *count > 50), "{begins:?}");
    }

    #[test]
    fn a_table_that_is_full_grants_no_more_until_the_next_slot() {
        let mut timeouts = timeouts(16);
        let held = timeouts.held();
        let granted = |timeouts: &mut Timeouts, ms| {
            (0..1_000).filter(|at| timeouts.grant(Instant::from_millis(ms), &connection(*at), 0).is_ok()).count()
        };
        assert_eq!(granted(&mut timeouts, 100), 16);
        assert_eq!(timeouts.grant(Instant::from_millis(100), &connection(5_000), 0), Err(Burnt::Full));
        assert_eq!(granted(&mut timeouts, 1_100), 16);
        assert_eq!(timeouts.held(), held);
    }
}
