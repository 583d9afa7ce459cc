//! One way from one end to the other.

use std::collections::VecDeque;

use crate::Rng;

/// What a way does to segments.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// Microseconds on the way.
    pub delay_us: u64,
    /// Bytes a second.
    pub rate: u64,
    /// Bytes that wait; what is more is lost.
    pub queue: u64,
    /// Share that is lost,
    pub loss: f64,
    /// that is held back for up to [`held_us`](LinkConfig::held_us), so that others overtake it,
    pub held: f64,
    /// and that arrives twice.
    pub doubled: f64,
    /// How long segments are held back at most.
    pub held_us: u64,
    /// Once in so many segments, so many in a row are lost: from the first on, and to the second.
    pub bursts: Option<(u64, u64, u64)>,
    /// Numbers of segments that are lost.
    pub lost: Vec<u64>,
}

impl Default for LinkConfig {
    fn default() -> LinkConfig {
        LinkConfig {
            delay_us: 25_000,
            rate: 1_250_000,
            queue: 64_000,
            loss: 0.0,
            held: 0.0,
            doubled: 0.0,
            held_us: 10_000,
            bursts: None,
            lost: Vec::new(),
        }
    }
}

/// A segment on its way: the armor's number and nonce, and the guest's bytes.
#[derive(Clone, Debug)]
pub struct Flying {
    /// Number and nonce, if it has one.
    pub numbered: Option<(u64, u64)>,
    /// What the guest said.
    pub bytes: Vec<u8>,
}

/// One way.
#[derive(Clone, Debug)]
pub struct Link {
    /// What it does.
    pub config: LinkConfig,
    rng: Rng,
    free_at: u64,
    flying: Vec<(u64, u64, Flying)>,
    order: u64,
    burst_left: u64,
    /// Numbered segments that were lost.
    pub lost: u64,
    /// Bytes that were sent.
    pub bytes: u64,
}

impl Link {
    /// An empty one.
    pub fn new(config: LinkConfig, seed: u64) -> Link {
        Link { config, rng: Rng(seed), free_at: 0, flying: Vec::new(), order: 0, burst_left: 0, lost: 0, bytes: 0 }
    }

    /// A segment leaves.
    pub fn send(&mut self, now: u64, segment: Flying) {
        // What a channel, UDP and IP add.
        let size = segment.bytes.len() as u64 + 80;
        self.bytes += size;
        let waiting = self.free_at.saturating_sub(now) * self.config.rate / 1_000_000;
        if let Some((every, least, most)) = self.config.bursts
            && self.burst_left == 0
            && segment.numbered.is_some()
            && self.rng.below(every) == 0
        {
            self.burst_left = least + self.rng.below(most + 1 - least);
        }
        let picked = segment.numbered.is_some_and(|(number, _)| self.config.lost.contains(&number));
        let in_burst = self.burst_left > 0 && segment.numbered.is_some();
        self.burst_left -= u64::from(in_burst);
        if picked || in_burst || self.rng.chance(self.config.loss) || waiting + size > self.config.queue {
            self.lost += u64::from(segment.numbered.is_some());
            return;
        }
        self.free_at = self.free_at.max(now) + size * 1_000_000 / self.config.rate;
        let copies = 1 + u64::from(self.rng.chance(self.config.doubled));
        for _ in 0..copies {
            let held = if self.rng.chance(self.config.held) { self.rng.below(self.config.held_us) } else { 0 };
            self.order += 1;
            self.flying.push((self.free_at + self.config.delay_us + held, self.order, segment.clone()));
        }
    }

    /// It stands still for so many microseconds: what is sent meanwhile waits, and arrives in order.
    pub fn pause(&mut self, now: u64, us: u64) {
        self.free_at = self.free_at.max(now) + us;
    }

    /// When the next one arrives.
    pub fn next(&self) -> Option<u64> {
        self.flying.iter().map(|flying| flying.0).min()
    }

    /// What has arrived by now.
    pub fn arrive(&mut self, now: u64) -> VecDeque<Flying> {
        let mut arrived: Vec<_> = self.flying.extract_if(.., |flying| flying.0 <= now).collect();
        arrived.sort_by_key(|flying| (flying.0, flying.1));
        arrived.into_iter().map(|flying| flying.2).collect()
    }
}

impl Link {
    /// Lets somebody change what is on its way: a copy with a change, if the answer is true, arrives as well.
    pub fn forge(&mut self, mut change: impl FnMut(&mut Vec<u8>) -> bool) {
        let mut forged = Vec::new();
        for (at, order, segment) in self.flying.iter().filter(|flying| !flying.2.bytes.is_empty()) {
            let mut copy = segment.clone();
            if change(&mut copy.bytes) {
                forged.push((*at, *order, copy));
            }
        }
        self.flying.extend(forged);
    }
}
