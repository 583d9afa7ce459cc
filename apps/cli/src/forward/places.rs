//! Places for TCP connections, for all who bring them together: peers, or addresses.
//!
//! A peer may have a quarter of those that the others leave free, over all its connections, so that however many are
//! greedy leave some, as in a host's own budget (docs/machines.md, "Budget"). Who has fewer than the least is refused
//! none.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tng_base::Eid;
use tokio::sync::Notify;

/// A peer may have this part of what is free.
pub const PLACES_PEER_PART: usize = 4;
/// Places that a peer may have, however few are free: a socket to listen, and what comes to it.
pub const PLACES_PER_PEER_MIN: usize = 2;

/// Places, and who has them.
#[derive(Debug)]
pub struct Places<K = Eid> {
    max: usize,
    held: Mutex<Held<K>>,
    given_back: Notify,
}

#[derive(Debug)]
struct Held<K> {
    all: usize,
    /// Of peers that have any.
    of: BTreeMap<K, usize>,
}

impl<K: Ord + Copy> Places<K> {
    /// So many, for all together.
    pub fn of(max: usize) -> Places<K> {
        Places { max, held: Mutex::new(Held { all: 0, of: BTreeMap::new() }), given_back: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Held<K>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a peer, if its share has one left.
    pub fn take(self: &Arc<Self>, peer: K) -> Option<Permit<K>> {
        let mut held = self.lock();
        let own = held.of.get(&peer).copied().unwrap_or_default();
        let free = self.max.saturating_sub(held.all - own);
        if own >= (free / PLACES_PEER_PART).max(PLACES_PER_PEER_MIN) {
            return None;
        }
        held.all += 1;
        held.of.insert(peer, own + 1);
        Some(Permit { places: Arc::clone(self), peer })
    }

    /// A place for a peer, as soon as its share has one left.
    pub async fn wait(self: &Arc<Self>, peer: K) -> Permit<K> {
        loop {
            let mut given_back = pin!(self.given_back.notified());
            // What is given back from now on counts.
            given_back.as_mut().enable();
            if let Some(place) = self.take(peer) {
                return place;
            }
            given_back.await;
        }
    }
}

/// A place, given back when it is dropped.
#[derive(Debug)]
pub struct Permit<K: Ord + Copy = Eid> {
    places: Arc<Places<K>>,
    peer: K,
}

impl<K: Ord + Copy> Drop for Permit<K> {
    fn drop(&mut self) {
        let mut held = self.places.lock();
        held.all -= 1;
        match held.of.get_mut(&self.peer) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(held.of.remove(&self.peer)),
        }
        drop(held);
        self.places.given_back.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::super::gate::PEERS_MAX;
    use super::*;

    const TOTAL: usize = 1024;

    fn peer(n: u8) -> Eid {
        Eid::from_bytes([n; 32])
    }

    /// As many as it gets.
    fn greed(places: &Arc<Places>, n: u8) -> Vec<Permit> {
        std::iter::from_fn(|| places.take(peer(n))).collect()
    }

    #[test]
    fn four_greedy_peers_leave_a_fifth_as_many_as_it_needs() {
        let places = Arc::new(Places::of(TOTAL));
        let greedy: Vec<Vec<Permit>> = (0..4).map(|n| greed(&places, n)).collect();
        let had: Vec<usize> = greedy.iter().map(Vec::len).collect();
        assert_eq!(had, [TOTAL / PLACES_PEER_PART, 192, 144, 108]);
        assert_eq!(greed(&places, 9).len(), 81);
        // Control: if each might have as many as one alone, there would be none left.
        assert_eq!(4 * had[0], TOTAL);
    }

    #[test]
    fn however_many_peers_are_greedy_each_has_the_least_and_all_have_no_more_than_that_beside_the_total() {
        let places = Arc::new(Places::of(TOTAL));
        let greedy: Vec<Vec<Permit>> = (0..PEERS_MAX as u8).map(|n| greed(&places, n)).collect();
        assert!(greedy.iter().all(|had| had.len() >= PLACES_PER_PEER_MIN));
        let all = places.lock().all;
        assert!(all <= TOTAL + PEERS_MAX * PLACES_PER_PEER_MIN && all > TOTAL / 2, "{all}");
        drop(greedy);
        let held = places.lock();
        assert!(held.all == 0 && held.of.is_empty());
    }

    #[test]
    fn a_place_that_is_given_back_is_there_again_and_one_key_has_one_share() {
        let places = Arc::new(Places::of(16));
        let mut first = greed(&places, 1);
        assert_eq!(first.len(), 4);
        assert!(places.take(peer(1)).is_none(), "over another connection neither");
        first.pop();
        assert!(places.take(peer(1)).is_some());
        let others: Vec<Vec<Permit>> = (2..7).map(|n| greed(&places, n)).collect();
        drop(first);
        assert!(greed(&places, 1).len() < 4, "the others leave less");
        drop(others);
        assert_eq!(greed(&places, 1).len(), 4);
    }
}
