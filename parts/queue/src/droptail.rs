//! First in, first out, with a bound in packets, bytes or time.

use core::time::Duration;

use tng_base::Instant;

use crate::fifo::Fifo;
use crate::{Discipline, Item, QUEUE_PACKETS_MAX, Verdict};

/// What bounds a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// At most this many packets wait.
    Packets(usize),
    /// At most this many bytes wait; a packet larger than that still fits into an empty queue.
    Bytes(u64),
    /// No packet leaves that waited longer than this; the ones that did are dropped from the head. A queue of unknown
    /// or changing rate is bounded so, and the sender learns of the drop one queue earlier than from a drop at the
    /// tail.
    Time(Duration),
}

impl Default for Limit {
    /// 1000 packets.
    fn default() -> Limit {
        Limit::Packets(1000)
    }
}

/// The plain bounded queue.
pub struct DropTail<P> {
    limit: Limit,
    fifo: Fifo<P>,
}

impl<P: Item> DropTail<P> {
    /// An empty queue with this bound.
    pub fn new(limit: Limit) -> DropTail<P> {
        DropTail { limit, fifo: Fifo::new() }
    }
}

impl<P: Item> Discipline<P> for DropTail<P> {
    fn enqueue(&mut self, now: Instant, item: P) -> Verdict<P> {
        let held = self.fifo.packets();
        let fits = match self.limit {
            Limit::Packets(max) => held < max,
            Limit::Bytes(max) => held == 0 || self.fifo.bytes() + item.bytes() as u64 <= max,
            Limit::Time(_) => true,
        };
        if !fits || held >= QUEUE_PACKETS_MAX {
            return Verdict::Dropped(item);
        }
        self.fifo.push(now, item);
        Verdict::Queued
    }

    fn dequeue(&mut self, now: Instant, dropped: &mut dyn FnMut(P)) -> Option<P> {
        loop {
            let (came, item) = self.fifo.pop()?;
            match self.limit {
                Limit::Time(max) if now.since(came) > max => dropped(item),
                _ => return Some(item),
            }
        }
    }

    fn packets(&self) -> usize {
        self.fifo.packets()
    }

    fn bytes(&self) -> u64 {
        self.fifo.bytes()
    }

    fn marks(&self) -> u64 {
        0
    }

    fn shrink(&mut self) {
        self.fifo.shrink();
    }
}
