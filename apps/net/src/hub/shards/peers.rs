//! What each peer holds at each thread, so that limits for one peer are those of all threads together.
//!
//! A peer that is at one thread alone costs an entry, which is touched when its first connection comes, when its last
//! one goes, and when what it holds has changed by a step. The others hear of it if it is there, too, or holds much.

use std::collections::BTreeMap;

use tng_base::{Eid, Instant};
use tng_endpoint::SHARDS_MAX;
use tng_stack::{Host, PeerHeld};

use super::board::News;

/// A peer that holds this part of the memory is known to all threads, before it comes to them.
const KNOWN_PART: u64 = 64;

const SHARDS: usize = SHARDS_MAX as usize;

/// What one peer holds at one thread.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// Bytes, or a little more.
    bytes: u64,
    held: PeerHeld,
    /// Connections of these that the thread is asked to give up.
    ordered: usize,
    /// What the thread was told that the peer holds elsewhere.
    told: u64,
    /// The thread has to hear it again.
    stale: bool,
}

impl Part {
    fn is_empty(&self) -> bool {
        self.bytes == 0 && self.held.connections == 0
    }

    /// Nobody need know of it.
    fn is_idle(&self) -> bool {
        self.is_empty() && self.ordered == 0 && self.told == 0 && !self.stale
    }

    /// Connections that it will have.
    fn connections(&self) -> usize {
        self.held.connections.saturating_sub(self.ordered)
    }
}

/// One of a peer's connections has to give way; which threads have looked, since that was said, when theirs were heard
/// of.
type Order = (Eid, [bool; SHARDS]);

/// Who holds what, and what each thread has to hear of it.
#[derive(Debug)]
pub(super) struct PeerParts {
    of: usize,
    memory_max: u64,
    known: BTreeMap<Eid, [Part; SHARDS]>,
    /// Threads that hold nothing any more, and are told nothing.
    gone: [bool; SHARDS],
    /// Peers that hold something else elsewhere than the thread knows.
    stale: [Vec<Eid>; SHARDS],
    orders: [Vec<Order>; SHARDS],
}

impl PeerParts {
    pub(super) fn new(of: u8, memory_max: u64) -> PeerParts {
        let (known, gone, stale, orders) = Default::default();
        PeerParts { of: of.into(), memory_max, known, gone, stale, orders }
    }

    /// What a thread is to know of what a peer holds elsewhere.
    fn elsewhere(&self, parts: &[Part; SHARDS], at: usize) -> u64 {
        let all: u64 = parts.iter().map(|part| part.bytes).sum();
        let knows = !parts[at].is_empty() || all >= self.memory_max / KNOWN_PART;
        if knows { all - parts[at].bytes } else { 0 }
    }

    /// A peer holds this at a thread from now on. Answers the bytes that it holds at all others.
    pub(super) fn change(&mut self, here: u8, peer: Eid, bytes: u64, held: PeerHeld, news: &News) -> u64 {
        let (here, mut parts) = (usize::from(here), self.known.get(&peer).copied().unwrap_or_default());
        (parts[here].bytes, parts[here].held) = (bytes, held);
        let elsewhere = self.elsewhere(&parts, here);
        parts[here].told = elsewhere;
        self.changed(here, peer, parts, news);
        elsewhere
    }

    /// A peer holds something else at a thread: the others have to hear of it.
    fn changed(&mut self, here: usize, peer: Eid, mut parts: [Part; SHARDS], news: &News) {
        for at in 0..self.of {
            let is_told = at != here && !self.gone[at] && !parts[at].stale;
            if is_told && self.elsewhere(&parts, at) != parts[at].told {
                parts[at].stale = true;
                self.stale[at].push(peer);
                news.tell(at);
            }
        }
        self.keep(peer, parts);
    }

    fn keep(&mut self, peer: Eid, parts: [Part; SHARDS]) {
        if parts.iter().all(Part::is_idle) {
            self.known.remove(&peer);
        } else {
            self.known.insert(peer, parts);
        }
    }

    /// A peer has one connection more. If it has more than `most` with all threads, one gives way; answers the thread
    /// that is to look first.
    pub(super) fn welcome(&mut self, peer: Eid, most: usize, news: &News) -> Option<usize> {
        let parts = self.known.get_mut(&peer)?;
        let at = least_lately(parts, most)?;
        parts[at].ordered += 1;
        self.orders[at].push((peer, [false; SHARDS]));
        news.tell(at);
        Some(at)
    }

    /// Tells a thread's host what there is to tell. Answers the threads that are to have a turn.
    pub(super) fn tell(&mut self, here: u8, now: Instant, host: &mut Host, news: &News) -> Vec<usize> {
        let (here, most) = (usize::from(here), host.config().connections_per_peer);
        for peer in core::mem::take(&mut self.stale[here]) {
            let Some(mut parts) = self.known.get(&peer).copied() else { continue };
            let elsewhere = self.elsewhere(&parts, here);
            host.set_peer_elsewhere(peer, elsewhere);
            (parts[here].told, parts[here].stale) = (elsewhere, false);
            self.keep(peer, parts);
        }
        let mut called = Vec::new();
        for order in core::mem::take(&mut self.orders[here]) {
            let peer = order.0;
            match self.look(here, order, host.held_of(peer), most, news) {
                Some(at) if at == here => {
                    host.crowd_out_of(now, peer);
                    if let Some(parts) = self.known.get_mut(&peer) {
                        parts[here].held = host.held_of(peer);
                    }
                }
                other => called.extend(other),
            }
        }
        called
    }

    /// A thread looks at what it holds of a peer before one gives way. Of the others it is known when they were heard
    /// of at some time before, and it may have been later: so if this one's is the least lately still, it is of all.
    /// Else another is to look. Where somebody looks again, all in question have, and it is there. Answers who gives
    /// one up, or is to look.
    fn look(&mut self, here: usize, order: Order, held: PeerHeld, most: usize, news: &News) -> Option<usize> {
        let (peer, mut looked) = order;
        let mut parts = self.known.get(&peer).copied()?;
        parts[here].ordered -= 1;
        parts[here].held = held;
        let last = core::mem::replace(&mut looked[here], true);
        // It may have fewer by now.
        let at = least_lately(&parts, most).map(|at| if last { here } else { at });
        if let Some(other) = at.filter(|at| *at != here) {
            parts[other].ordered += 1;
            self.orders[other].push((peer, looked));
            news.tell(other);
        }
        self.keep(peer, parts);
        at
    }

    /// A thread is gone, and holds nothing.
    pub(super) fn leave(&mut self, here: u8, news: &News) {
        let here = usize::from(here);
        self.gone[here] = true;
        (self.stale[here], self.orders[here]) = Default::default();
        for (peer, mut parts) in core::mem::take(&mut self.known) {
            parts[here] = Part::default();
            self.changed(here, peer, parts, news);
        }
    }
}

/// If a peer has more than `most` connections, the thread of that which was heard of least lately, as far as is known.
fn least_lately(parts: &[Part; SHARDS], most: usize) -> Option<usize> {
    if parts.iter().map(Part::connections).sum::<usize>() <= most {
        return None;
    }
    let has_some = parts.iter().enumerate().filter(|(_, part)| part.connections() > 0);
    has_some.min_by_key(|(_, part)| part.held.heard).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use tng_stack::{Access, HostConfig, Identity};

    use super::super::board::Board;
    use super::*;

    fn eid(byte: u8) -> Eid {
        Eid::from_bytes([byte; 32])
    }

    fn held(connections: usize, heard_s: u64) -> PeerHeld {
        PeerHeld { connections, heard: Some(Instant::from_secs(heard_s)) }
    }

    fn host() -> Host {
        Host::new(HostConfig::new(Access::Public), Identity::from_seed([1; 32]), [1; 32])
    }

    fn board(of: u8) -> Board<PeerParts> {
        Board::new(PeerParts::new(of, 64_000), of)
    }

    impl Board<PeerParts> {
        fn change(&self, here: u8, peer: Eid, bytes: u64, held: PeerHeld) -> u64 {
            self.write(|peers, news| peers.change(here, peer, bytes, held, news))
        }

        /// Answers whether there is something, and tells it.
        fn tell(&self, here: u8) -> bool {
            self.take(here.into(), |peers, news| peers.tell(here, Instant::ZERO, &mut host(), news)).is_some()
        }

        fn leave(&self, here: u8) {
            self.write(|peers, news| peers.leave(here, news));
        }

        fn welcome(&self, peer: Eid, most: usize) -> Option<usize> {
            self.write(|peers, news| peers.welcome(peer, most, news))
        }

        /// A thread that is to look finds that this was heard.
        fn look(&self, here: usize, held: PeerHeld, most: usize) -> Option<usize> {
            self.write(|peers, news| {
                let order = peers.orders[here].pop().expect("it is to look");
                peers.look(here, order, held, most, news)
            })
        }

        fn told(&self, peer: Eid, at: usize) -> u64 {
            self.write(|peers, _| peers.known[&peer][at].told)
        }

        fn is_empty(&self) -> bool {
            self.write(|peers, _| peers.known.is_empty())
        }
    }

    #[test]
    fn a_peer_of_one_thread_is_told_to_no_other_and_leaves_nothing() {
        let board = board(8);
        assert_eq!(board.change(3, eid(1), 100, held(1, 1)), 0);
        assert_eq!(board.change(2, eid(2), 100, held(1, 1)), 0);
        assert!((0..8).all(|at| !board.tell(at)));
        board.change(3, eid(1), 0, PeerHeld::default());
        board.leave(2);
        assert!(board.is_empty());
    }

    #[test]
    fn threads_that_a_peer_is_at_hear_once_what_it_holds_elsewhere() {
        let board = board(3);
        assert_eq!(board.change(0, eid(1), 100, held(1, 1)), 0);
        assert_eq!(board.change(1, eid(1), 20, held(1, 1)), 100);
        assert_eq!(board.change(1, eid(1), 30, held(1, 1)), 100);
        let stale = board.write(|peers, _| [0, 1, 2].map(|at| peers.stale[at].len()));
        assert_eq!((stale, [0, 1, 2].map(|at| board.tell(at))), ([1, 0, 0], [true, false, false]));
        assert_eq!(board.told(eid(1), 0), 30);
    }

    #[test]
    fn a_peer_that_holds_much_is_known_to_all_threads_until_it_does_not() {
        let board = board(2);
        board.change(0, eid(1), 999, held(1, 1));
        assert!(!board.tell(1));
        board.change(0, eid(1), 1_000, held(1, 1));
        assert!(board.tell(1));
        assert_eq!(board.told(eid(1), 1), 1_000);
        board.change(0, eid(1), 0, PeerHeld::default());
        assert!(board.tell(1), "and hears that it is gone");
        assert!(board.is_empty());
    }

    #[test]
    fn what_a_peer_held_at_a_thread_that_is_gone_is_held_against_it_nowhere_and_the_thread_is_told_no_more() {
        let board = board(3);
        board.change(0, eid(1), 500, held(1, 1));
        board.change(1, eid(1), 20, held(1, 1));
        board.change(0, eid(2), 2_000, held(1, 1));
        assert!((0..3).all(|at| board.tell(at)));
        assert_eq!([board.told(eid(1), 1), board.told(eid(2), 1), board.told(eid(2), 2)], [500, 2_000, 2_000]);
        board.leave(0);
        assert!(board.tell(1) && board.tell(2));
        assert_eq!(board.told(eid(1), 1), 0);
        board.change(1, eid(1), 0, PeerHeld::default());
        assert!(board.is_empty());
        board.change(1, eid(3), 2_000, held(1, 1));
        assert!(!board.tell(0) && board.tell(2));
        board.change(1, eid(3), 0, PeerHeld::default());
        assert!(board.tell(2) && board.is_empty());
    }

    #[test]
    fn of_more_connections_than_a_peer_may_have_that_gives_way_which_was_heard_of_least_lately_wherever_it_is() {
        let board = board(3);
        for (at, heard_s) in [(0, 5), (1, 2), (2, 9)] {
            board.change(at, eid(1), 1, held(1, heard_s));
        }
        assert_eq!(board.welcome(eid(1), 3), None, "as many as may be");
        assert_eq!(board.welcome(eid(1), 2), Some(1));
        assert_eq!(board.welcome(eid(1), 2), None, "it is asked once");
        board.change(1, eid(1), 1, held(1, 2));
        assert_eq!(board.welcome(eid(1), 2), None, "also if it has said something in between");
        assert_eq!(board.welcome(eid(1), 1), Some(0));
        assert_eq!(board.welcome(eid(2), 1), None);
        assert_eq!(board.look(1, held(1, 2), 1), Some(1));
    }

    #[test]
    fn a_thread_whose_connection_was_heard_of_since_has_another_look_and_none_is_given_up_that_need_not_be() {
        let board = board(3);
        for (at, heard_s) in [(0, 5), (1, 2), (2, 9)] {
            board.change(at, eid(1), 1, held(1, heard_s));
        }
        assert_eq!(board.welcome(eid(1), 2), Some(1));
        assert_eq!(board.look(1, held(1, 7), 2), Some(0), "heard of later than the first, as far as is known");
        assert!(board.take(0, |_, _| ()).is_some(), "which is told");
        assert_eq!(board.look(0, held(1, 8), 2), Some(1));
        assert_eq!(board.look(1, held(1, 9), 2), Some(1), "all have looked");
        assert_eq!(board.welcome(eid(1), 1), Some(0));
        board.change(1, eid(1), 0, PeerHeld::default());
        board.change(2, eid(1), 0, PeerHeld::default());
        assert_eq!(board.look(0, held(1, 8), 1), None, "it has no more than it may by now");
        board.change(0, eid(1), 0, PeerHeld::default());
    }
}
