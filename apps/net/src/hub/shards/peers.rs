//! What each peer holds at each thread, so that limits for one peer are those of all threads together.
//!
//! A peer that is at one thread alone costs an entry, which is touched when its first connection comes, when its last
//! one goes, and when what it holds has changed by a step. The others hear of it if it is there, too, or holds much.

use core::sync::atomic::Ordering;
use std::collections::BTreeMap;

use tng_base::{Eid, Instant};
use tng_endpoint::SHARDS_MAX;
use tng_stack::{Host, PeerHeld};

use super::Figures;

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
    /// It is to be told again.
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
pub(super) struct PeerParts {
    of: usize,
    memory_max: u64,
    known: BTreeMap<Eid, [Part; SHARDS]>,
    /// Peers that hold something else elsewhere than the thread knows; and those of whom one connection is to go.
    stale: [Vec<Eid>; SHARDS],
    crowded: [Vec<Eid>; SHARDS],
}

impl PeerParts {
    pub(super) fn new(of: u8, memory_max: u64) -> PeerParts {
        let (known, stale, crowded) = Default::default();
        PeerParts { of: of.into(), memory_max, known, stale, crowded }
    }

    /// What a thread is to know of what a peer holds elsewhere.
    fn elsewhere(&self, parts: &[Part; SHARDS], at: usize) -> u64 {
        let all: u64 = parts.iter().map(|part| part.bytes).sum();
        let knows = !parts[at].is_empty() || all >= self.memory_max / KNOWN_PART;
        if knows { all - parts[at].bytes } else { 0 }
    }

    /// A peer holds this at a thread from now on. Answers the bytes that it holds at all others.
    pub(super) fn change(&mut self, here: u8, peer: Eid, bytes: u64, held: PeerHeld, figures: &[Figures]) -> u64 {
        let (here, mut parts) = (usize::from(here), self.known.get(&peer).copied().unwrap_or_default());
        (parts[here].bytes, parts[here].held) = (bytes, held);
        for at in 0..self.of {
            let elsewhere = self.elsewhere(&parts, at);
            if at == here {
                parts[at].told = elsewhere;
            } else if (elsewhere != parts[at].told || !parts[at].is_empty()) && !parts[at].stale {
                parts[at].stale = true;
                self.stale[at].push(peer);
                figures[at].news.store(true, Ordering::Relaxed);
            }
        }
        self.keep(peer, parts);
        parts[here].told
    }

    fn keep(&mut self, peer: Eid, parts: [Part; SHARDS]) {
        if parts.iter().all(|part| part.is_empty() && part.told == 0 && !part.stale) {
            self.known.remove(&peer);
        } else {
            self.known.insert(peer, parts);
        }
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
        for peer in core::mem::take(&mut self.stale[here]) {
            let Some(mut parts) = self.known.get(&peer).copied() else { continue };
            let elsewhere = self.elsewhere(&parts, here);
            host.set_peer_elsewhere(peer, elsewhere);
            let part = &mut parts[here];
            (part.told, part.stale) = (elsewhere, false);
            // Later than it was when the thread itself had something to tell.
            part.held.heard = host.held_of(peer).heard;
            self.keep(peer, parts);
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
            !parts.iter().all(|part| part.is_empty() && part.told == 0 && !part.stale)
        });
        (self.stale[here], self.crowded[here]) = Default::default();
    }
}

#[cfg(test)]
mod tests {
    use tng_stack::{Access, HostConfig, Identity};

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
        let (mut peers, figures) = (PeerParts::new(8, 64_000), figures());
        assert_eq!(peers.change(3, eid(1), 100, held(1, 1), &figures), 0);
        assert_eq!(peers.change(2, eid(2), 100, held(1, 1), &figures), 0);
        assert!(figures.iter().all(|of| !of.news.load(Ordering::Relaxed)));
        peers.change(3, eid(1), 0, PeerHeld::default(), &figures);
        peers.leave(2);
        assert!(peers.known.is_empty());
    }

    #[test]
    fn threads_that_a_peer_is_at_hear_once_what_it_holds_elsewhere() {
        let (mut peers, figures) = (PeerParts::new(3, 64_000), figures());
        assert_eq!(peers.change(0, eid(1), 100, held(1, 1), &figures), 0);
        assert_eq!(peers.change(1, eid(1), 20, held(1, 1), &figures), 100);
        assert_eq!(peers.change(1, eid(1), 30, held(1, 1), &figures), 100);
        assert_eq!((peers.stale[0].len(), peers.stale[1].len(), peers.stale[2].len()), (1, 0, 0));
        let news: Vec<bool> = figures.iter().map(|of| of.news.load(Ordering::Relaxed)).collect();
        assert_eq!(news[..3], [true, false, false]);
    }

    #[test]
    fn a_peer_that_holds_much_is_known_to_all_threads_until_it_does_not() {
        let (mut peers, figures) = (PeerParts::new(2, 64_000), figures());
        peers.change(0, eid(1), 999, held(1, 1), &figures);
        assert!(peers.stale[1].is_empty());
        peers.change(0, eid(1), 1_000, held(1, 1), &figures);
        assert_eq!(peers.stale[1], [eid(1)]);
        let mut host = Host::new(HostConfig::new(Access::Public), Identity::from_seed([1; 32]), [1; 32]);
        peers.tell(1, Instant::ZERO, &mut host);
        assert!(peers.known[&eid(1)][1].told == 1_000 && peers.stale[1].is_empty());
        peers.change(0, eid(1), 0, PeerHeld::default(), &figures);
        assert_eq!(peers.stale[1], [eid(1)], "and hears that it is gone");
        peers.tell(1, Instant::ZERO, &mut host);
        assert!(peers.known.is_empty());
    }

    #[test]
    fn of_more_connections_than_a_peer_may_have_that_gives_way_which_was_heard_of_least_lately_wherever_it_is() {
        let (mut peers, figures) = (PeerParts::new(3, 64_000), figures());
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
