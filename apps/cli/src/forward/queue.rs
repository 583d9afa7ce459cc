//! Places for TCP connections, and turns of those who wait for one. Both are shared out alike: however many of one peer
//! wait, another finds a turn.

use std::sync::Arc;

use tng_base::Eid;
use tokio::time::timeout;

use super::places::{Permit, Places};
use super::room::{WAITING_MAX, WAITING_TIME};

/// Places of all peers together, and those who wait for one.
#[derive(Clone, Debug)]
pub struct Queue {
    places: Arc<Places>,
    turns: Arc<Places>,
}

/// A place, or a turn to wait for one, for as long as it lives.
#[derive(Debug)]
pub struct Claim {
    held: Permit,
    /// Where there may be a place, if this is a turn.
    awaited: Option<Arc<Places>>,
    peer: Eid,
}

impl Queue {
    /// So many places, for all together.
    pub fn of(max: usize) -> Queue {
        Queue { places: Arc::new(Places::of(max)), turns: Arc::new(Places::of(WAITING_MAX)) }
    }

    /// A place of a peer's share if there is one left, else a turn; nothing if as many of this peer wait as may.
    pub fn claim(&self, peer: Eid) -> Option<Claim> {
        let of = |held, awaited| Claim { held, awaited, peer };
        let place = self.places.take(peer).map(|place| of(place, None));
        place.or_else(|| self.turns.take(peer).map(|turn| of(turn, Some(Arc::clone(&self.places)))))
    }
}

impl Claim {
    /// Whether there is a place, or comes to be one within [`WAITING_TIME`].
    pub async fn has_place(&mut self) -> bool {
        if let Some(places) = &self.awaited
            && let Ok(place) = timeout(WAITING_TIME, places.wait(self.peer)).await
        {
            (self.held, self.awaited) = (place, None);
        }
        self.awaited.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::super::places::{PLACES_PEER_PART, PLACES_PER_PEER_MIN};
    use super::*;

    fn peer(n: u8) -> Eid {
        Eid::from_bytes([n; 32])
    }

    /// As many as it gets.
    fn claims(queue: &Queue, n: u8) -> Vec<Claim> {
        std::iter::from_fn(|| queue.claim(peer(n))).collect()
    }

    #[tokio::test]
    async fn who_is_beyond_its_share_has_a_place_when_another_of_it_ends_and_none_if_no_one_does() {
        let queue = Queue::of(PLACES_PER_PEER_MIN);
        let mut held: Vec<Claim> = (0..PLACES_PER_PEER_MIN).map(|_| queue.claim(peer(1)).expect("a place")).collect();
        let mut beyond = queue.claim(peer(1)).expect("a turn");
        let mut waits = std::pin::pin!(beyond.has_place());
        tokio::select! {
            biased;
            _ = &mut waits => panic!("there is none"),
            () = std::future::ready(()) => {}
        }
        held.pop();
        assert!(waits.await, "it was given back");
        assert!(!queue.claim(peer(1)).expect("a turn").has_place().await, "nobody gives one back");
    }

    #[tokio::test]
    async fn what_another_peer_gives_back_is_a_place_if_it_makes_the_share_larger() {
        let queue = Queue::of(4 * PLACES_PEER_PART);
        let other: Vec<Claim> = (0..4).map(|_| queue.claim(peer(2)).expect("a place")).collect();
        let own: Vec<Claim> = (0..3).map(|_| queue.claim(peer(1)).expect("a place")).collect();
        let mut beyond = queue.claim(peer(1)).expect("a turn");
        assert!(beyond.awaited.is_some(), "a quarter of what the other leaves is three");
        let (has_place, ()) = tokio::join!(beyond.has_place(), async { drop(other) });
        assert!(has_place && own.len() == 3);
    }

    #[test]
    fn however_many_of_one_peer_wait_another_finds_a_turn_and_a_turn_ends_with_the_place() {
        let queue = Queue::of(PLACES_PER_PEER_MIN);
        let greedy = claims(&queue, 1);
        assert_eq!(greedy.len(), PLACES_PER_PEER_MIN + WAITING_MAX / PLACES_PEER_PART);
        let other = claims(&queue, 2);
        assert_eq!(other.iter().filter(|claim| claim.awaited.is_none()).count(), PLACES_PER_PEER_MIN);
        assert!(other.len() > PLACES_PER_PEER_MIN);
        drop((greedy, other));
        assert_eq!(claims(&queue, 1).len(), PLACES_PER_PEER_MIN + WAITING_MAX / PLACES_PEER_PART);
    }
}
