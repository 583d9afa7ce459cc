//! Peers whose keys this host has worked with before.

use std::collections::{BTreeMap, VecDeque};

use crate::Acquaintance;

/// Peers whose keys a host remembers at most, of those that it has called, and as many of those that have called it. Of
/// more, the longest known are forgotten; their next exchange takes a little longer.
pub const ACQUAINTANCES_MAX: usize = 1024;

/// Bytes of what two keys agree on, and of the counters that it is held by.
const SHARED_LEN: usize = 48;

/// The latest acquaintances, by what they are found by.
#[derive(Debug)]
pub struct Acquaintances<K> {
    known: BTreeMap<K, Acquaintance>,
    /// As they came.
    order: VecDeque<K>,
}

impl<K> Default for Acquaintances<K> {
    /// Nobody is known.
    fn default() -> Acquaintances<K> {
        Acquaintances { known: BTreeMap::new(), order: VecDeque::new() }
    }
}

impl<K: Copy + Ord> Acquaintances<K> {
    /// Bytes that it holds, as far as they are told by how many there are.
    pub fn held(&self) -> usize {
        self.known.len() * (size_of::<Acquaintance>() + SHARED_LEN + 2 * size_of::<K>())
    }

    /// Who is known by `key`.
    pub fn get(&self, key: K) -> Option<&Acquaintance> {
        self.known.get(&key)
    }

    /// From now on `key` stands for this one.
    pub fn insert(&mut self, key: K, acquaintance: Acquaintance) {
        if self.known.insert(key, acquaintance).is_some() {
            return;
        }
        self.order.push_back(key);
        if self.order.len() > ACQUAINTANCES_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Identity;
    use tng_base::Eid;

    #[test]
    fn the_latest_are_remembered_and_no_more() {
        let (us, peer) = (Identity::from_seed([1; 32]), Identity::from_seed([2; 32]));
        let acquaintance = Acquaintance::new(&us, peer.eid()).unwrap();
        let mut known: Acquaintances<usize> = Acquaintances::default();
        for key in 0..ACQUAINTANCES_MAX + 10 {
            known.insert(key, acquaintance.clone());
            known.insert(key, acquaintance.clone());
        }
        assert_eq!((known.known.len(), known.order.len()), (ACQUAINTANCES_MAX, ACQUAINTANCES_MAX));
        assert!(known.get(9).is_none());
        assert_eq!(known.get(10).map(Acquaintance::eid), Some(Eid::from_bytes(*peer.eid().as_bytes())));
    }
}
