//! How large a datagram may be on a path: packetization-layer path MTU discovery (RFC 8899).

use core::time::Duration;

use tng_base::Instant;

/// UDP payload that every path must carry.
pub const BASE_PAYLOAD: usize = 1200;

/// Probes of one size that must be lost before that size counts as too large.
const PROBES_LOST_MAX: u8 = 3;

/// Sizes worth trying, UDP payload: IPv6 minimum, common tunnels, Ethernet over IPv6 and IPv4, and the jumbo sizes.
const LADDER: [usize; 10] = [1_232, 1_352, 1_412, 1_452, 1_472, 2_944, 4_400, 8_192, 8_872, 8_972];

/// Settings of the search.
#[derive(Clone, Copy, Debug)]
pub struct MtuConfig {
    /// Largest UDP payload to try. [`BASE_PAYLOAD`] turns the search off.
    pub payload_max: usize,
    /// How long to wait before trying larger sizes again.
    pub raise_interval: Duration,
}

impl Default for MtuConfig {
    fn default() -> MtuConfig {
        MtuConfig { payload_max: 1_472, raise_interval: Duration::from_secs(600) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Search {
    /// Ready to probe the next size of the ladder.
    Ready,
    /// A probe of this size is out.
    Waiting { size: usize },
    /// Found; try again when a packet is filled, but not before this time.
    Complete { raise_at: Instant },
}

/// The search for one path.
#[derive(Clone, Debug)]
pub struct PathMtu {
    config: MtuConfig,
    /// The peer's limit and ours.
    ceiling: usize,
    current: usize,
    /// The size that passed until packets of it went unanswered, while nobody knows whether it is the size.
    doubted: Option<usize>,
    /// Smallest size known not to pass; search stays below it.
    too_large: usize,
    lost_probes: u8,
    search: Search,
}

impl PathMtu {
    /// A search that starts at [`BASE_PAYLOAD`] and will not go beyond the configuration or `peer_max`.
    pub fn new(config: MtuConfig, peer_max: usize) -> PathMtu {
        let ceiling = config.payload_max.min(peer_max).max(BASE_PAYLOAD);
        PathMtu {
            config,
            ceiling,
            current: BASE_PAYLOAD,
            doubted: None,
            too_large: ceiling + 1,
            lost_probes: 0,
            search: Search::Ready,
        }
    }

    /// The largest UDP payload known to pass.
    pub fn current(&self) -> usize {
        self.current
    }

    /// The largest that is not known not to pass any more: above [`current`](PathMtu::current) while that is in doubt.
    pub fn hoped(&self) -> usize {
        self.doubted.unwrap_or(self.current)
    }

    /// The size to probe now, if a probe is due.
    pub fn poll_probe(&mut self, now: Instant) -> Option<usize> {
        if self.search != Search::Ready {
            return None;
        }
        match self.next_size() {
            Some(size) => {
                self.search = Search::Waiting { size };
                Some(size)
            }
            None => {
                self.search = Search::Complete { raise_at: now + self.config.raise_interval };
                None
            }
        }
    }

    /// A packet of the current size has been filled, so there is a use for larger ones: if the search ended long enough
    /// ago, it begins again. Who has little to say is not kept awake by it.
    pub fn handle_filled(&mut self, now: Instant) {
        if let Search::Complete { raise_at } = self.search
            && raise_at <= now
            && self.current < self.ceiling
        {
            self.too_large = self.ceiling + 1;
            self.lost_probes = 0;
            self.search = Search::Ready;
        }
    }

    /// The probe that is out arrived. Answers the new size.
    pub fn handle_probe_acked(&mut self) -> usize {
        if let Search::Waiting { size } = self.search {
            self.current = self.current.max(size);
            self.doubted = None;
            self.lost_probes = 0;
            self.search = Search::Ready;
        }
        self.current
    }

    /// The probe that is out was lost.
    pub fn handle_probe_lost(&mut self) {
        if let Search::Waiting { size } = self.search {
            self.lost_probes += 1;
            if self.lost_probes >= PROBES_LOST_MAX {
                self.too_large = self.too_large.min(size);
                self.doubted = None;
                self.lost_probes = 0;
            }
            self.search = Search::Ready;
        }
    }

    /// The local stack refused a datagram of `size`: it does not even fit the first link.
    pub fn handle_refused(&mut self, size: usize) {
        if size <= BASE_PAYLOAD {
            return;
        }
        self.too_large = self.too_large.min(size);
        if matches!(self.search, Search::Waiting { size: waiting } if waiting >= size) {
            self.search = Search::Ready;
        }
        self.current = self.current.min(self.too_large - 1).max(BASE_PAYLOAD);
        self.doubted = self.doubted.filter(|doubted| *doubted < self.too_large);
    }

    /// Packets of the current size may vanish: several probe timeouts in a row went unanswered. Falls back to
    /// [`BASE_PAYLOAD`], so that what passes is found out, and asks for the size in doubt next, once the path is known
    /// to carry anything. If that is lost, too, the search goes on below, and the failed size is tried again with the
    /// next raise. Answers whether the size changed.
    pub fn handle_doubt(&mut self) -> bool {
        if self.current == BASE_PAYLOAD {
            return false;
        }
        self.doubted = Some(self.hoped());
        self.current = BASE_PAYLOAD;
        self.lost_probes = 0;
        self.search = Search::Ready;
        true
    }

    /// The size in doubt, or else the middle of the ladder between what passes and what does not.
    fn next_size(&self) -> Option<usize> {
        if self.doubted.is_some() {
            return self.doubted;
        }
        let fits = |size: &usize| *size > self.current && *size < self.too_large && *size <= self.ceiling;
        // The configured ceiling is itself worth a try, even off the ladder.
        let top = Some(self.ceiling).filter(|_| !LADDER.contains(&self.ceiling));
        let candidates: Vec<usize> = LADDER.into_iter().chain(top).filter(fits).collect();
        // The last size before the first jumbo one is by far the likeliest end; ask for it first.
        if self.current == BASE_PAYLOAD && candidates.contains(&1_452) && self.too_large > self.ceiling {
            return Some(1_452);
        }
        candidates.get(candidates.len() / 2).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the search against a path that carries `limit`; answers the size found and the probes spent.
    fn search(payload_max: usize, peer_max: usize, limit: usize) -> (usize, usize) {
        let mut mtu = PathMtu::new(MtuConfig { payload_max, ..MtuConfig::default() }, peer_max);
        let mut probes = 0;
        while let Some(size) = mtu.poll_probe(Instant::ZERO) {
            probes += 1;
            if size <= limit {
                mtu.handle_probe_acked();
            } else {
                mtu.handle_probe_lost();
            }
            assert!(probes < 50, "the search must end");
        }
        (mtu.current(), probes)
    }

    #[test]
    fn finds_the_largest_size_of_the_ladder_that_passes() {
        assert_eq!(search(8_972, 65_000, 1_472).0, 1_472);
        assert_eq!(search(8_972, 65_000, 1_460).0, 1_452);
        assert_eq!(search(8_972, 65_000, 1_200).0, 1_200);
        assert_eq!(search(8_972, 65_000, 9_000).0, 8_972);
        assert_eq!(search(20_000, 65_000, 65_000).0, 20_000);
        assert_eq!(search(1_472, 65_000, 65_000).0, 1_472);
        assert_eq!(search(8_972, 1_300, 65_000).0, 1_300, "the peer's limit holds");
        assert_eq!(search(BASE_PAYLOAD, 65_000, 65_000), (BASE_PAYLOAD, 0), "off means no probe");
    }

    #[test]
    fn an_ordinary_path_costs_few_probes() {
        let (size, probes) = search(1_472, 65_000, 1_472);
        assert_eq!((size, probes), (1_472, 2));
    }

    /// A search that has found 1472.
    fn found() -> PathMtu {
        let mut mtu = PathMtu::new(MtuConfig::default(), 65_000);
        while mtu.poll_probe(Instant::ZERO).is_some() {
            mtu.handle_probe_acked();
        }
        assert_eq!(mtu.current(), 1_472);
        mtu
    }

    #[test]
    fn a_black_hole_falls_back_to_the_base_and_searches_below() {
        let mut mtu = found();
        assert!(mtu.handle_doubt());
        assert_eq!((mtu.current(), mtu.hoped()), (BASE_PAYLOAD, 1_472));
        for _ in 0..PROBES_LOST_MAX {
            assert_eq!((mtu.poll_probe(Instant::ZERO), mtu.hoped()), (Some(1_472), 1_472));
            mtu.handle_probe_lost();
        }
        assert_eq!(mtu.hoped(), BASE_PAYLOAD);
        assert!(mtu.poll_probe(Instant::ZERO).is_some_and(|size| size < 1_472));
        assert!(!mtu.handle_doubt(), "the base is the floor");
    }

    #[test]
    fn a_size_that_was_doubted_for_an_outage_alone_is_back_with_its_first_probe() {
        let mut mtu = found();
        mtu.handle_doubt();
        assert_eq!(mtu.poll_probe(Instant::ZERO), Some(1_472));
        assert_eq!(mtu.handle_probe_acked(), 1_472);
        assert_eq!(mtu.poll_probe(Instant::ZERO), None, "there is nothing else to find out");
    }

    #[test]
    fn a_failed_size_is_tried_again_after_the_raise_interval_by_who_fills_a_packet() {
        let mut mtu = PathMtu::new(MtuConfig::default(), 65_000);
        while let Some(size) = mtu.poll_probe(Instant::ZERO) {
            if size <= 1_412 { _ = mtu.handle_probe_acked() } else { mtu.handle_probe_lost() }
        }
        assert_eq!(mtu.current(), 1_412);
        mtu.handle_filled(Instant::from_secs(599));
        assert_eq!(mtu.poll_probe(Instant::from_secs(599)), None, "too early");
        assert_eq!(mtu.poll_probe(Instant::from_secs(600)), None, "nobody has a use for it");
        mtu.handle_filled(Instant::from_secs(600));
        assert!(mtu.poll_probe(Instant::from_secs(600)).is_some());
    }

    #[test]
    fn a_refusal_by_the_local_stack_bounds_the_search_at_once() {
        let mut mtu = PathMtu::new(MtuConfig { payload_max: 8_972, ..MtuConfig::default() }, 65_000);
        let size = mtu.poll_probe(Instant::ZERO).expect("a probe");
        mtu.handle_refused(size);
        while let Some(next) = mtu.poll_probe(Instant::ZERO) {
            assert!(next < size);
            mtu.handle_probe_acked();
        }
        assert_eq!(mtu.current(), 1_412);
    }
}
