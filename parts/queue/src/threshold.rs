//! The simple marker: everything that finds more than so many packets before it is marked.

use tng_base::Instant;

use crate::fifo::Fifo;
use crate::{Discipline, Item, QUEUE_PACKETS_MAX, Verdict, ecn_capable};

/// Parameters of [`Threshold`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThresholdConfig {
    /// An ECN-capable packet that finds at least this many packets waiting is marked.
    pub mark_packets: usize,
    /// A packet that finds this many waiting is dropped.
    pub limit_packets: usize,
}

impl Default for ThresholdConfig {
    /// Marks at 20 packets, drops at 1000.
    fn default() -> ThresholdConfig {
        ThresholdConfig { mark_packets: 20, limit_packets: 1000 }
    }
}

/// A drop-tail queue that marks on the instantaneous length (the marking of RFC 8257 section 3.1).
pub struct Threshold<P> {
    config: ThresholdConfig,
    fifo: Fifo<P>,
    marks: u64,
}

impl<P: Item> Threshold<P> {
    /// An empty queue.
    pub fn new(config: ThresholdConfig) -> Threshold<P> {
        Threshold { config, fifo: Fifo::new(), marks: 0 }
    }
}

impl<P: Item> Discipline<P> for Threshold<P> {
    fn enqueue(&mut self, now: Instant, mut item: P) -> Verdict<P> {
        let held = self.fifo.packets();
        if held >= self.config.limit_packets.min(QUEUE_PACKETS_MAX) {
            return Verdict::Dropped(item);
        }
        if held >= self.config.mark_packets && ecn_capable(&item) {
            item.mark();
            self.marks += 1;
        }
        self.fifo.push(now, item);
        Verdict::Queued
    }

    fn dequeue(&mut self, _now: Instant, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        self.fifo.pop().map(|(_, item)| item)
    }

    fn packets(&self) -> usize {
        self.fifo.packets()
    }

    fn bytes(&self) -> u64 {
        self.fifo.bytes()
    }

    fn marks(&self) -> u64 {
        self.marks
    }

    fn shrink(&mut self) {
        self.fifo.shrink();
    }
}
