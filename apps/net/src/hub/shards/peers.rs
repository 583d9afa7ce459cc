//! What each peer holds at each thread, so that limits for one peer are those of all threads together.
//!
//! A peer that is at one thread alone costs an entry, which is touched when its first connection comes, when its last
//! one goes, and when what it holds has changed by a step. The others hear of it only if it is there, too.

use core::sync::atomic::Ordering;
use std::collections::BTreeMap;

use tng_base::{Eid, Instant};
use tng_endpoint::SHARDS_MAX;
use tng_stack::{Host, PeerHeld};

use super::Figures;

const SHARDS: usize = SHARDS_MAX as usize;

/// What one peer holds at one thread.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// Bytes, or a little more.
    bytes: u64,
    held: PeerHeld,
    /// Connections of these that the thread is asked to give up.
    ordered: usize,
    /// The thread is to be told what the peer holds elsewhere.
    stale: bool,
}

impl Part {
    fn is_empty(&self) -> bool {
        self.bytes == 0 && self.held.connections == 0
    }

    /// Connections that it will have.
    fn connections(&self) -> usize {
        self.held.connections.saturating_sub(self.ordered)
    }
}

/// Who holds what, and what each thread is to be told.
#[derive(Debug)]
pub(super) struct Peers {
    of: usize,
    known: BTreeMap<Eid, [Part; SHARDS]>,
    /// Peers that hold something else elsewhere than the thread knows; and those of whom one connection is to go.
    stale: [Vec<Eid>; SHARDS],
    crowded: [Vec<Eid>; SHARDS],
}

impl Peers {
    pub(super) fn new(of: u8) -> Peers {
        Peers { of: of.into(), known: BTreeMap::new(), stale: Default::default(), crowded: Default::default() }
    }

    /// A peer holds this at a thread from now on. Answers the bytes that it holds at all others.
    pub(super) fn change(&mut self, here: u8, peer: Eid, bytes: u64, held: PeerHeld, figures: &[Figures]) -> u64 {
        let parts = self.known.entry(peer).or_default();
        let part = &mut parts[usize::from(here)];
        (part.bytes, part.held) = (bytes, held);
        let (mut elsewhere, mut is_somewhere) = (0, !part.is_empty());
        for (at, part) in parts.iter_mut().enumerate().take(self.of).filter(|(at, _)| *at != usize::from(here)) {
            elsewhere += part.bytes;
            if part.is_empty() {
                continue;
            }
            is_somewhere = true;
            if !core::mem::replace(&mut part.stale, true) {
                self.stale[at].push(peer);
                figures[at].news.store(true, Ordering::Relaxed);
            }
        }
        if !is_somewhere {
            self.known.remove(&peer);
        }
        elsewhere
    }

    /// A peer has one connection more. If it has more than `most` with all threads, answers the thread where one gives
    /// way: that of the one heard of least lately, as far as is known here.
    pub(super) fn welcome(&mut self, peer: Eid, most: usize) -> Option<u8> {
        let parts = self.known.get_mut(&peer)?;
        if parts.iter().map(Part::connections).sum::<usize>() <= most {
            return None;
        }
        let has_some = parts.iter().enumerate().filter(|(_, part)| part.connections() > 0);
        let (at, _) = has_some.min_by_key(|(_, part)| part.held.heard)?;
        parts[at].ordered += 1;
        self.crowded[at].push(peer);
        Some(at as u8)
    }

    /// Tells a thread's host what there is to tell.
    pub(super) fn tell(&mut self, here: u8, now: Instant, host: &mut Host) {
        let here = usize::from(here);
        for peer in self.stale[here].drain(..) {
            let Some(parts) = self.known.get_mut(&peer) else { continue };
            let others = parts.iter().enumerate().filter(|(at, _)| *at != here);
            host.set_peer_elsewhere(peer, others.map(|(_, part)| part.bytes).sum());
            parts[here].stale = false;
            // Later than it was when the thread itself had something to tell.
            parts[here].held.heard = host.held_of(peer).heard;
        }
        for peer in self.crowded[here].drain(..) {
            host.crowd_out_of(now, peer);
            if let Some(parts) = self.known.get_mut(&peer) {
                parts[here].ordered = 0;
                parts[here].held = host.held_of(peer);
            }
        }
    }

    /// A thread is gone, and holds nothing.
    pub(super) fn leave(&mut self, here: u8) {
        let here = usize::from(here);
        self.known.retain(|_, parts| {
            parts[here] = Part::default();
            !parts.iter().all(Part::is_empty)
        });
        (self.stale[here], self.crowded[here]) = Default::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eid(byte: u8) -> Eid {
        Eid::from_bytes([byte; 32])
    }

    fn held(connections: usize, heard_s: u64) -> PeerHeld {
        PeerHeld { connections, heard: Some(Instant::from_secs(heard_s)) }
    }

    fn figures() -> Vec<Figures> {
        (0..SHARDS).map(|_| Figures::new()).collect()
    }

    #[test]
    fn a_peer_of_one_thread_is_told_to_no_other_and_leaves_nothing() {
        let (mut peers, figures) = (Peers::new(8), figures());
        assert_eq!(peers.change(3, eid(1), 100, held(1, 1), &figures), 0);
        assert_eq!(peers.change(2, eid(2), 100, held(1, 1), &figures), 0);
        assert!(figures.iter().all(|of| !of.news.load(Ordering::Relaxed)));
        peers.change(3, eid(1), 0, PeerHeld::default(), &figures);
        peers.leave(2);
        assert!(peers.known.is_empty());
    }

    #[test]
    fn threads_that_a_peer_is_at_hear_once_what_it_holds_elsewhere() {
        let (mut peers, figures) = (Peers::new(3), figures());
        assert_eq!(peers.change(0, eid(1), 100, held(1, 1), &figures), 0);
        assert_eq!(peers.change(1, eid(1), 20, held(1, 1), &figures), 100);
        assert_eq!(peers.change(1, eid(1), 30, held(1, 1), &figures), 100);
        assert_eq!((peers.stale[0].len(), peers.stale[1].len(), peers.stale[2].len()), (1, 0, 0));
        let news: Vec<bool> = figures.iter().map(|of| of.news.load(Ordering::Relaxed)).collect();
        assert_eq!(news[..3], [true, false, false]);
    }

    #[test]
    fn of_more_connections_than_a_peer_may_have_that_gives_way_which_was_heard_of_least_lately_wherever_it_is() {
        let (mut peers, figures) = (Peers::new(3), figures());
        for (at, heard_s) in [(0, 5), (1, 2), (2, 9)] {
            peers.change(at, eid(1), 1, held(1, heard_s), &figures);
        }
        assert_eq!(peers.welcome(eid(1), 3), None, "as many as may be");
        assert_eq!(peers.welcome(eid(1), 2), Some(1));
        assert_eq!(peers.welcome(eid(1), 2), None, "it is asked once");
        peers.change(1, eid(1), 1, held(1, 2), &figures);
        assert_eq!(peers.welcome(eid(1), 2), None, "also if it has said something in between");
        assert_eq!(peers.welcome(eid(1), 1), Some(0));
        assert_eq!(peers.welcome(eid(2), 1), None);
    }
}
