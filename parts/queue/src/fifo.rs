//! What all disciplines stand on: items in order, with the time each came.

use std::collections::VecDeque;

use tng_base::Instant;

use crate::Item;

/// There is room for so many, however few there are.
const KEPT: usize = 64;

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
        if self.items.capacity() > KEPT.max(4 * self.items.len()) {
            self.items.shrink_to(KEPT.max(2 * self.items.len()));
        }
        Some((came, item))
    }

    /// Gives back the memory that holds nothing.
    pub(crate) fn shrink(&mut self) {
        self.items.shrink_to_fit();
    }

    pub(crate) fn packets(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use tng_base::Ecn;

    use super::*;

    struct One;

    impl Item for One {
        fn bytes(&self) -> usize {
            1
        }

        fn ecn(&self) -> Ecn {
            Ecn::NotEct
        }

        fn mark(&mut self) {}
    }

    #[test]
    fn a_queue_that_was_long_takes_no_more_memory_than_a_short_one() {
        let mut fifo = Fifo::new();
        (0..100_000).for_each(|_| fifo.push(Instant::ZERO, One));
        (1..100_000).for_each(|_| assert!(fifo.pop().is_some()));
        assert!(fifo.packets() == 1 && fifo.items.capacity() <= 4 * KEPT, "{}", fifo.items.capacity());
    }
}
