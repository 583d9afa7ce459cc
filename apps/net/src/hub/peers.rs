//! The connections that the library knows, by id.

use std::collections::BTreeMap;

use tng_stack::ConnectionId;

use super::Peer;

/// Peers in the places that the host gives their connections, where each is found at once. The host gives a place to
/// another connection when the one before is over; what is still held of that stands beside.
#[derive(Debug, Default)]
pub(super) struct Peers {
    placed: Vec<Option<(ConnectionId, Box<Peer>)>>,
    beside: BTreeMap<ConnectionId, Box<Peer>>,
}

impl Peers {
    pub(super) fn get(&self, id: ConnectionId) -> Option<&Peer> {
        match self.placed.get(id.place()) {
            Some(Some((known, peer))) if *known == id => Some(peer),
            _ => self.beside.get(&id).map(|peer| &**peer),
        }
    }

    pub(super) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Peer> {
        match self.placed.get_mut(id.place()) {
            Some(Some((known, peer))) if *known == id => Some(peer),
            _ => self.beside.get_mut(&id).map(|peer| &mut **peer),
        }
    }

    pub(super) fn contains(&self, id: ConnectionId) -> bool {
        self.get(id).is_some()
    }

    pub(super) fn insert(&mut self, id: ConnectionId, peer: Peer) {
        if self.placed.len() <= id.place() {
            self.placed.resize_with(id.place() + 1, || None);
        }
        if let Some((before, peer)) = self.placed[id.place()].replace((id, Box::new(peer))) {
            self.beside.insert(before, peer);
        }
    }

    pub(super) fn remove(&mut self, id: ConnectionId) {
        match self.placed.get_mut(id.place()) {
            Some(place) if place.as_ref().is_some_and(|(known, _)| *known == id) => *place = None,
            _ => {
                self.beside.remove(&id);
            }
        }
    }

    /// All of them, in an order that depends on nothing but what was done.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ConnectionId, &Peer)> {
        let placed = self.placed.iter().flatten().map(|(id, peer)| (*id, &**peer));
        placed.chain(self.beside.iter().map(|(id, peer)| (*id, &**peer)))
    }

    /// All of them.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (ConnectionId, &mut Peer)> {
        let placed = self.placed.iter_mut().flatten().map(|(id, peer)| (*id, &mut **peer));
        placed.chain(self.beside.iter_mut().map(|(id, peer)| (*id, &mut **peer)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tng_base::Eid;

    use super::*;

    #[test]
    fn who_is_over_is_found_beside_the_one_that_has_its_place() {
        let (first, second, other) = (ConnectionId(3), ConnectionId(1 << 32 | 3), ConnectionId(0));
        let mut peers = Peers::default();
        for (ties, id) in [(1, first), (2, second), (3, other)] {
            let mut peer = Peer::new(Eid::from_bytes([0; 32]), Arc::default(), true, None, false);
            peer.ties = ties;
            peers.insert(id, peer);
        }
        let ties = |peers: &Peers, id| peers.get(id).map(|peer| peer.ties);
        assert_eq!([first, second, other].map(|id| ties(&peers, id)), [Some(1), Some(2), Some(3)]);
        assert_eq!(peers.iter().map(|(id, _)| id).collect::<Vec<_>>(), [other, second, first]);
        peers.remove(second);
        assert_eq!([first, second].map(|id| ties(&peers, id)), [Some(1), None]);
        peers.remove(first);
        peers.get_mut(other).expect("it is there").ties = 9;
        assert_eq!([first, other].map(|id| ties(&peers, id)), [None, Some(9)]);
        assert!(!peers.contains(first) && peers.iter_mut().count() == 1);
    }
}
