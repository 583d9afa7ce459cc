//! What a server may remember, and forget at any time (Trickles 5.1 and 7.2): off unless its owner wants it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tng_crypto::DatagramKey;

use crate::{ConnectionId, ConnectionSecret, Keys};

/// How much a server remembers of what it can compute again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheConfig {
    /// Connections whose keys are at hand: two hashes less for each request.
    pub sockets: usize,
    /// Bytes of what applications have computed and might be asked for again.
    pub output_bytes: usize,
}

/// Connections of a set: a search is as long as that.
const PER_SET: usize = 4;

/// The keys of connections that have shown that they are who they say.
#[derive(Debug)]
pub(super) struct Sockets {
    sets: Vec<[Option<Known>; PER_SET]>,
    uses: u64,
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
        Sockets { sets: (0..sets).map(|_| [const { None }; PER_SET]).collect(), uses: 0 }
    }

    /// The keys of a connection, if they are at hand.
    pub(super) fn get(&mut self, id: &ConnectionId, epoch: u8) -> Option<SocketKeys> {
        self.uses += 1;
        let uses = self.uses;
        let known = self.set(id)?.iter_mut().flatten().find(|known| known.id == *id && known.epoch == epoch)?;
        known.used = uses;
        Some(known.keys.duplicate())
    }

    /// Remembers the keys of a connection whose request they have opened, in the place of those that were used longest
    /// ago.
    pub(super) fn insert(&mut self, id: ConnectionId, epoch: u8, keys: &SocketKeys) {
        let used = self.uses;
        let Some(set) = self.set(&id) else { return };
        let oldest = set.iter_mut().min_by_key(|known| known.as_ref().map_or(0, |known| known.used + 1));
        if let Some(place) = oldest {
            *place = Some(Known { id, epoch, keys: keys.duplicate(), used });
        }
    }

    /// Forgets those whose epoch's keys are erased: nothing that was recorded is to be read with what is left.
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

    /// Bytes that it holds, whatever is in it.
    pub(super) fn held(&self) -> usize {
        size_of_val(&*self.sets)
    }

    /// Ids are hashes: any bits of them are as good as others.
    fn set(&mut self, id: &ConnectionId) -> Option<&mut [Option<Known>; PER_SET]> {
        let hash = u64::from_be_bytes(*id.0.last_chunk().expect("an id has 16 bytes")) as usize;
        let mask = self.sets.len().checked_sub(1)?;
        self.sets.get_mut(hash & mask)
    }
}

/// What applications have computed, by a name of theirs.
#[derive(Debug)]
pub(crate) struct Outputs {
    bytes_max: usize,
    held: usize,
    known: HashMap<Vec<u8>, Arc<[u8]>>,
    /// The oldest first.
    order: VecDeque<Vec<u8>>,
}

impl Outputs {
    pub(super) fn new(bytes_max: usize) -> Outputs {
        Outputs { bytes_max, held: 0, known: HashMap::new(), order: VecDeque::new() }
    }

    pub(crate) fn get(&self, name: &[u8]) -> Option<Arc<[u8]>> {
        self.known.get(name).cloned()
    }

    /// Remembers an output, in the place of the oldest; one that is larger than all that may be held is not.
    pub(crate) fn insert(&mut self, name: &[u8], output: &[u8]) {
        let len = output.len() + 2 * name.len();
        if len > self.bytes_max || self.known.contains_key(name) {
            return;
        }
        while self.held + len > self.bytes_max {
            let Some(oldest) = self.order.pop_front() else { break };
            if let Some(output) = self.known.remove(&oldest) {
                self.held -= output.len() + 2 * oldest.len();
            }
        }
        self.held += len;
        self.known.insert(name.to_vec(), Arc::from(output));
        self.order.push_back(name.to_vec());
    }

    pub(super) fn clear(&mut self) {
        *self = Outputs::new(self.bytes_max);
    }

    pub(super) fn held(&self) -> usize {
        self.held
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
    fn outputs_are_held_to_their_bytes_and_the_oldest_gives_way() {
        let mut outputs = Outputs::new(1_000);
        outputs.insert(b"a", &[1; 400]);
        outputs.insert(b"b", &[2; 400]);
        outputs.insert(b"c", &[3; 400]);
        outputs.insert(b"huge", &[4; 2_000]);
        let held: Vec<bool> = [b"a", b"b", b"c"].into_iter().map(|name| outputs.get(name).is_some()).collect();
        assert_eq!((held, outputs.held()), (vec![false, true, true], 804));
        assert!(outputs.get(b"huge").is_none());
        let mut none = Outputs::new(0);
        none.insert(b"a", &[1; 4]);
        assert!(none.get(b"a").is_none());
    }
}
