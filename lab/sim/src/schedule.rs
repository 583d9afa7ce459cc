//! What happens when: a heap ordered by time, and at the same time by the order of scheduling.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use tng_base::Instant;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Event {
    /// A lane has finished sending a packet and may take the next.
    Sent(u32),
    /// The first packet in a lane's pipe reaches its end.
    Arrival(u32),
    /// A host wants to be polled, or its timer is due.
    Node(u32),
    /// A scheduled operation on the world.
    Operation(u32),
}

#[derive(Default)]
pub(crate) struct Schedule {
    heap: BinaryHeap<Reverse<(Instant, u64, Event)>>,
    sequence: u64,
}

impl Schedule {
    pub(crate) fn push(&mut self, time: Instant, event: Event) {
        self.heap.push(Reverse((time, self.sequence, event)));
        self.sequence += 1;
    }

    /// When the next event is due.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.heap.peek().map(|Reverse((time, ..))| *time)
    }

    /// Takes the next event, if it is due by `limit`.
    pub(crate) fn pop_until(&mut self, limit: Instant) -> Option<(Instant, Event)> {
        if self.heap.peek()?.0.0 > limit {
            return None;
        }
        self.heap.pop().map(|Reverse((time, _, event))| (time, event))
    }
}
