//! What a server may remember, and forget at any time (Trickles 5.1 and 7.2): off unless its owner wants it.

use core::time::Duration;
use std::sync::Arc;

use tng_base::Rng;
use tng_crypto::DatagramKey;

use super::Server;
use super::gate::Gate;
use crate::cache::{Cache, CacheCounts, Kept};
use crate::minisocket::Application;
use crate::{AGE_MAX, ConnectionId, ConnectionSecret, Keys};

/// How much a server remembers of what it can compute again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheConfig {
    /// Connections whose keys are at hand: two hashes less for each request.
    pub sockets: usize,
    /// Bytes of what applications have computed and might be asked for again.
    pub output_bytes: usize,
    /// Bytes of where applications are in the middle of something, which the next request may go on with.
    pub parse_bytes: usize,
}

/// How long it is kept where an application is in the middle of something, after somebody has gone on from there: a
/// client that goes on at all does so within the age limit of its continuations. Then the server is stateless again.
pub const PARSES_KEPT_FOR: Duration = AGE_MAX;
/// Of the bytes that a server may remember, sockets have one part of so many, and so has what is kept for a while.
const PARTS: usize = 8;

impl CacheConfig {
    /// What so many bytes are room for, all together.
    pub const fn of_bytes(bytes: usize) -> CacheConfig {
        let part = bytes / PARTS;
        let sockets = match (part / size_of::<Option<Known>>()).checked_ilog2() {
            Some(log) if 1 << log >= PER_SET => 1 << log,
            _ => 0,
        };
        CacheConfig { sockets, output_bytes: bytes - 2 * part, parse_bytes: part }
    }
}

/// What a server's caches have done, and hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CachesCounts {
    /// Keys of connections.
    pub sockets: CacheCounts,
    /// What applications have computed.
    pub outputs: CacheCounts,
    /// Where they are in the middle of something.
    pub parses: CacheCounts,
}

impl CachesCounts {
    /// What the caches of two servers have done together.
    #[must_use]
    pub const fn and(self, other: CachesCounts) -> CachesCounts {
        CachesCounts {
            sockets: self.sockets.and(other.sockets),
            outputs: self.outputs.and(other.outputs),
            parses: self.parses.and(other.parses),
        }
    }
}

/// Connections of a set: a search is as long as that.
const PER_SET: usize = 4;

/// The keys of connections that have shown that they are who they say.
#[derive(Debug)]
pub(super) struct Sockets {
    sets: Vec<[Option<Known>; PER_SET]>,
    uses: u64,
    counts: CacheCounts,
}

#[derive(Debug)]
struct Known {
    id: ConnectionId,
    epoch: u8,
    keys: SocketKeys,
    used: u64,
}

/// The keys of one connection in one epoch.
#[derive(Debug)]
pub(super) struct SocketKeys {
    pub(super) secret: ConnectionSecret,
    pub(super) requests: DatagramKey,
}

impl SocketKeys {
    pub(super) fn new(secret: ConnectionSecret) -> SocketKeys {
        SocketKeys { requests: secret.requests(), secret }
    }

    fn duplicate(&self) -> SocketKeys {
        SocketKeys { secret: self.secret.duplicate(), requests: self.requests.clone() }
    }
}

impl Sockets {
    pub(super) fn new(sockets: usize) -> Sockets {
        let sets = if sockets == 0 { 0 } else { sockets.div_ceil(PER_SET).next_power_of_two() };
        Sockets {
            sets: (0..sets).map(|_| [const { None }; PER_SET]).collect(),
            uses: 0,
            counts: CacheCounts::default(),
        }
    }

    /// The keys of a connection, if they are at hand.
    pub(super) fn get(&mut self, id: &ConnectionId, epoch: u8) -> Option<SocketKeys> {
        self.uses += 1;
        let uses = self.uses;
        let known = self.set(id)?.iter_mut().flatten().find(|known| known.id == *id && known.epoch == epoch);
        let Some(known) = known else {
            self.counts.misses += 1;
            return None;
        };
        known.used = uses;
        let keys = known.keys.duplicate();
        self.counts.hits += 1;
        Some(keys)
    }

    /// Remembers the keys of a connection whose request they have opened, in the place of those that were used longest
    /// ago.
    pub(super) fn insert(&mut self, id: ConnectionId, epoch: u8, keys: &SocketKeys) {
        let used = self.uses;
        let Some(set) = self.set(&id) else { return };
        let oldest = set.iter_mut().min_by_key(|known| known.as_ref().map_or(0, |known| known.used + 1));
        if let Some(place) = oldest {
            let displaced = place.replace(Known { id, epoch, keys: keys.duplicate(), used });
            self.counts.dropped += u64::from(displaced.is_some());
        }
    }

    /// Forgets those whose epoch's keys are erased: with what is left nobody can read what was recorded.
    pub(super) fn keep_to(&mut self, keys: &Keys) {
        for place in self.sets.iter_mut().flatten() {
            if place.as_ref().is_some_and(|known| keys.by_last_byte(known.epoch).is_none()) {
                *place = None;
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.sets.iter_mut().flatten().for_each(|place| *place = None);
    }

    /// Forgets each with that chance.
    pub(super) fn lose(&mut self, rng: &mut Rng, chance: f64) {
        self.sets.iter_mut().flatten().filter(|_| rng.chance(chance)).for_each(|place| *place = None);
    }

    /// Bytes that it holds, whatever is in it.
    pub(super) fn held(&self) -> usize {
        size_of_val(&*self.sets)
    }

    pub(super) fn counts(&self) -> CacheCounts {
        CacheCounts { bytes: self.held() as u64, ..self.counts }
    }

    /// Ids are hashes: any bits of them are as good as others.
    fn set(&mut self, id: &ConnectionId) -> Option<&mut [Option<Known>; PER_SET]> {
        let hash = u64::from_be_bytes(*id.0.last_chunk().expect("an id has 16 bytes")) as usize;
        let mask = self.sets.len().checked_sub(1)?;
        self.sets.get_mut(hash & mask)
    }
}

/// What applications have computed, by names of theirs.
#[derive(Debug)]
pub(crate) struct Outputs {
    pub(crate) computed: Cache<Arc<[u8]>, Kept>,
    pub(crate) parses: Cache<Arc<[u8]>, Arc<[u8]>>,
}

impl Outputs {
    pub(super) fn new(config: &CacheConfig) -> Outputs {
        Outputs {
            computed: Cache::new(config.output_bytes),
            parses: Cache::for_a_while(config.parse_bytes, PARSES_KEPT_FOR),
        }
    }

    pub(super) fn clear(&mut self) {
        self.computed.clear();
        self.parses.clear();
    }

    pub(super) fn lose(&mut self, rng: &mut Rng, chance: f64) {
        self.computed.lose(rng, chance);
        self.parses.lose(rng, chance);
    }

    pub(super) const fn held(&self) -> usize {
        self.computed.held() + self.parses.held()
    }
}

impl<A: Application> Server<A> {
    /// What its caches have done, and hold.
    pub fn caches(&self) -> CachesCounts {
        let Gate { sockets, outputs, .. } = &self.gate;
        let (outputs, parses) = (outputs.computed.counts(), outputs.parses.counts());
        CachesCounts { sockets: sockets.counts(), outputs, parses }
    }

    /// Forgets each thing that it can compute again with that chance: for tests, since all that it answers is the same
    /// whatever it has forgotten.
    pub fn lose_caches(&mut self, rng: &mut Rng, chance: f64) {
        self.gate.sockets.lose(rng, chance);
        self.gate.outputs.lose(rng, chance);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EpochSecret, Wall};
    use tng_crypto::Secret32;

    fn id(n: u8) -> ConnectionId {
        ConnectionId([n; 16])
    }

    fn keys() -> SocketKeys {
        SocketKeys::new(ConnectionSecret::new(Secret32::from_bytes([1; 32])))
    }

    #[test]
    fn connections_that_were_used_longest_ago_give_way_and_none_is_held_where_none_is_wanted() {
        let (mut sockets, mut none) = (Sockets::new(4), Sockets::new(0));
        for n in 0..4 {
            sockets.insert(id(n), 1, &keys());
            assert!(sockets.get(&id(n), 1).is_some());
        }
        assert!(sockets.get(&id(0), 2).is_none(), "another epoch");
        sockets.get(&id(0), 1);
        sockets.insert(id(9), 1, &keys());
        let held: Vec<u8> = (0..10).filter(|n| sockets.get(&id(*n), 1).is_some()).collect();
        assert_eq!(held, [0, 2, 3, 9]);
        none.insert(id(1), 1, &keys());
        assert!(none.get(&id(1), 1).is_none());
    }

    #[test]
    fn keys_of_epochs_that_are_erased_are_forgotten_with_them() {
        let secret = EpochSecret::new(3, Secret32::from_bytes([9; 32]));
        let keys_at_5 = Keys::new(secret, Wall::from_millis(5 * 600_000)).unwrap();
        let mut sockets = Sockets::new(8);
        (3..7).for_each(|epoch| sockets.insert(id(epoch), epoch, &keys()));
        sockets.keep_to(&keys_at_5);
        let held: Vec<u8> = (3..7).filter(|epoch| sockets.get(&id(*epoch), *epoch).is_some()).collect();
        assert_eq!(held, [4, 5, 6]);
    }

    #[test]
    fn so_many_bytes_are_divided_and_are_never_more_than_that() {
        for bytes in [0, 1, 1_000, 9_999, 1 << 20, 64 << 20] {
            let config = CacheConfig::of_bytes(bytes);
            let held = Sockets::new(config.sockets).held() + config.output_bytes + config.parse_bytes;
            assert!(held <= bytes, "{bytes}: {config:?}");
            assert_eq!(config == CacheConfig::default(), bytes == 0);
        }
        assert!(CacheConfig::of_bytes(1 << 20).sockets >= 256);
    }
}
