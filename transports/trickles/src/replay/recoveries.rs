//! What a server releases in a recovery: each number once.

use core::time::Duration;

use tng_base::Instant;
use tng_crypto::SipKey;

use super::Burnt;
use super::fingerprints::Fingerprints;
use crate::{ConnectionId, Tag};

/// Numbers that [`Recoveries`] remembers in a generation, if its owner has no other wish: 2^18 places of eight bytes,
/// half of them in use. A server that sends 83,333 packets a second (1 Gbit/s) at one loss in a hundred
/// releases some 5,000 of them a second in recoveries, 75,000 in a generation.
pub const RECOVERIES_REMEMBERED: usize = 1 << 17;

/// Which numbers were released in recoveries, by connection, line and number: none is released twice. For a plan that
/// lets more than one request release a number; what one request alone can release is burnt with its continuation.
///
/// By fingerprint: a number is taken for another with a chance of some 2^-45, which costs a trickle.
pub struct Recoveries {
    key: SipKey,
    fingerprints: Fingerprints,
}

impl core::fmt::Debug for Recoveries {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Recoveries").field("fingerprints", &self.fingerprints).finish_non_exhaustive()
    }
}

impl Recoveries {
    /// Remembers each for at least `remembered` ([`Horizon::remembered`](crate::Horizon::remembered)) and at most twice
    /// as long; so many within `remembered`. `key` is drawn for it alone: nobody can look for two that are taken for
    /// one.
    pub fn new(key: SipKey, remembered: Duration, entries: usize) -> Recoveries {
        Recoveries { key, fingerprints: Fingerprints::new(remembered, entries) }
    }

    /// Releases packet `number` of the recovery that ends the line with this tag, once.
    ///
    /// # Errors
    /// [`Burnt::Spent`]: it was released. [`Burnt::Full`]: too many were, in recoveries of all connections.
    pub fn admit(&mut self, now: Instant, connection: &ConnectionId, Tag(tag): Tag, number: u64) -> Result<(), Burnt> {
        let fingerprint = self.key.tag(&[&connection.0, &tag.to_be_bytes(), &number.to_be_bytes()]);
        self.fingerprints.insert(now, u64::from_be_bytes(fingerprint))
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

    const REMEMBERED: Duration = Duration::from_secs(15);

    fn recoveries(entries: usize) -> Recoveries {
        Recoveries::new(SipKey::from_bytes([8; 16]), REMEMBERED, entries)
    }

    fn connection(n: u64) -> ConnectionId {
        ConnectionId(u128::from(n).to_be_bytes())
    }

    /// Ten million in the full count.
    fn operations() -> u64 {
        let seeds = std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
        seeds.unwrap_or(200_000)
    }

    #[test]
    fn numbers_in_any_order_are_told_as_a_map_of_all_of_them_tells_them() {
        let (mut recoveries, mut rng) = (recoveries(RECOVERIES_REMEMBERED), Rng::from_u64(4));
        // When each was admitted.
        let mut exact: HashMap<(u64, u32, u64), Instant> = HashMap::new();
        let (held, mut now, mut next) = (recoveries.held(), Instant::ZERO, [0_u64; 64]);
        let (mut admitted, mut refused, mut again) = (0, 0, 0);
        for _ in 0..operations() {
            now += Duration::from_micros(rng.below(400));
            let client = rng.below(64);
            let at = &mut next[client as usize];
            *at += rng.below(2);
            let key = (client, rng.below(2) as u32, at.saturating_sub(rng.below(2_000)));
            let answer = recoveries.admit(now, &connection(client), Tag(key.1), key.2);
            match (exact.get(&key).map(|then| now.since(*then)), answer) {
                (None, Ok(())) => admitted += 1,
                (Some(since), Err(Burnt::Spent)) if since <= 2 * REMEMBERED => refused += 1,
                (Some(since), Ok(())) if since > REMEMBERED => again += 1,
                (since, answer) => panic!("{key:?} {since:?} ago: {answer:?}"),
            }
            if answer.is_ok() {
                exact.insert(key, now);
            }
            if exact.len() > 1_000_000 {
                exact.retain(|_, then| now.since(*then) <= 2 * REMEMBERED);
            }
        }
        let least = operations() / 500;
        assert!(admitted > least && refused > least && again > least, "{admitted} {refused} {again}");
        assert_eq!(recoveries.held(), held);
        println!("{admitted} admitted, {refused} refused, {again} forgotten after their time and admitted again");
    }

    #[test]
    fn connection_line_and_number_tell_numbers_apart() {
        let mut recoveries = recoveries(100);
        let now = Instant::ZERO;
        for (client, tag, number) in [(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2)] {
            assert_eq!(recoveries.admit(now, &connection(client), Tag(tag), number), Ok(()));
            assert_eq!(recoveries.admit(now, &connection(client), Tag(tag), number), Err(Burnt::Spent));
        }
    }

    #[test]
    fn more_than_are_remembered_are_refused_by_name_until_the_next_generation_and_none_is_forgotten_early() {
        let mut recoveries = recoveries(1_000);
        let mut admit = |ms, number| recoveries.admit(Instant::from_millis(ms), &connection(1), Tag(1), number);
        assert!((0..1_000).all(|number| admit(1, number).is_ok()));
        assert_eq!(admit(14_999, 1_000), Err(Burnt::Full));
        assert_eq!(admit(15_000, 1_000), Ok(()));
        assert!((0..=1_000).all(|number| admit(15_001, number) == Err(Burnt::Spent)));
        // Long after, all is forgotten.
        assert_eq!(admit(90_000, 1_000), Ok(()));
    }
}
