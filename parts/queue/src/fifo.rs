//! What all disciplines stand on: items in order, with the time each came.

use std::collections::VecDeque;

use tng_base::Instant;

use crate::Item;

/// Items in order of arrival, and the sum of their bytes.
pub(crate) struct Fifo<P> {
    items: VecDeque<(Instant, P)>,
    bytes: u64,
}

impl<P: Item> Fifo<P> {
    pub(crate) fn new() -> Fifo<P> {
        Fifo { items: VecDeque::new(), bytes: 0 }
    }

    pub(crate) fn push(&mut self, now: Instant, item: P) {
        self.bytes += item.bytes() as u64;
        self.items.push_back((now, item));
    }

    /// The oldest item and when it came.
    pub(crate) fn pop(&mut self) -> Option<(Instant, P)> {
        let (came, item) = self.items.pop_front()?;
        self.bytes -= item.bytes() as u64;
        if self.items.is_empty() {
            // The next ones use the memory that was just used, and not the rest of the ring.
            self.items.clear();
        }
        Some((came, item))
    }

    /// Gives back the memory that holds nothing.
    pub(crate) fn rest(&mut self) {
        self.items.shrink_to_fit();
    }

    pub(crate) fn packets(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}
