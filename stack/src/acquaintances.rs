//! Peers whose keys this host has worked with before.

use std::collections::{BTreeMap, VecDeque};

use tng_isolation::Acquaintance;

/// Peers whose keys a host remembers at most, of those that it has called, and as many of those that have called it. Of
/// more, the longest known are forgotten; their next exchange takes a little longer.
pub const ACQUAINTANCES_MAX: usize = 1024;

/// The latest acquaintances, by what they are found by.
#[derive(Debug)]
pub(crate) struct Acquaintances<K> {
    known: BTreeMap<K, Acquaintance>,
    /// As they came.
    order: VecDeque<K>,
}

impl<K: Copy + Ord> Acquaintances<K> {
    pub(crate) fn new() -> Acquaintances<K> {
        Acquaintances { known: BTreeMap::new(), order: VecDeque::new() }
    }

    /// Who is known by `key`.
    pub(crate) fn get(&self, key: K) -> Option<&Acquaintance> {
        self.known.get(&key)
    }

    /// From now on `key` stands for this one.
    pub(crate) fn insert(&mut self, key: K, acquaintance: Acquaintance) {
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
    use tng_base::Eid;
    use tng_isolation::Identity;

    #[test]
    fn the_latest_are_remembered_and_no_more() {
        let (us, peer) = (Identity::from_seed([1; 32]), Identity::from_seed([2; 32]));
        let acquaintance = Acquaintance::new(&us, peer.eid()).unwrap();
        let mut known: Acquaintances<usize> = Acquaintances::new();
        for key in 0..ACQUAINTANCES_MAX + 10 {
            known.insert(key, acquaintance.clone());
            known.insert(key, acquaintance.clone());
        }
        assert_eq!((known.known.len(), known.order.len()), (ACQUAINTANCES_MAX, ACQUAINTANCES_MAX));
        assert!(known.get(9).is_none());
        assert_eq!(known.get(10).map(Acquaintance::eid), Some(Eid::from_bytes(*peer.eid().as_bytes())));
    }
}
