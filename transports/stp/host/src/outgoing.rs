//! Segments that wait to leave.

use core::ops::Range;
use std::collections::VecDeque;

use crate::socket::copy;

/// Heads of segments, in a row, and the bytes of the send buffer that follow each. What may wait is bounded by its
/// owner.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    segments: VecDeque<Waiting>,
    heads: VecDeque<u8>,
    bodies: usize,
}

/// A segment that waits to leave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Waiting {
    /// Its number, if it has one.
    pub(crate) number: Option<u64>,
    /// Bytes of its head.
    pub(crate) head: usize,
    /// Bytes of the send buffer behind it.
    pub(crate) body: Range<u64>,
}

impl Waiting {
    /// Bytes of the guest's.
    pub(crate) fn len(&self) -> usize {
        self.head + (self.body.end - self.body.start) as usize
    }
}

impl Outgoing {
    pub(crate) fn push(&mut self, number: Option<u64>, head: &[u8], body: Range<u64>) {
        let waiting = Waiting { number, head: head.len(), body };
        self.bodies += waiting.len() - waiting.head;
        self.heads.extend(head);
        self.segments.push_back(waiting);
    }

    /// The next to leave.
    pub(crate) fn front(&self) -> Option<&Waiting> {
        self.segments.front()
    }

    /// Takes the next; its head is written to `into`, which has room for it.
    pub(crate) fn pop(&mut self, into: &mut [u8]) -> Option<Waiting> {
        let waiting = self.segments.pop_front()?;
        copy(&self.heads, 0, &mut into[..waiting.head]);
        self.forget(&waiting);
        Some(waiting)
    }

    /// The next does not leave.
    pub(crate) fn skip(&mut self) {
        if let Some(waiting) = self.segments.pop_front() {
            self.forget(&waiting);
        }
    }

    fn forget(&mut self, waiting: &Waiting) {
        self.heads.drain(..waiting.head);
        self.bodies -= waiting.len() - waiting.head;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Segments that wait.
    pub(crate) fn len(&self) -> usize {
        self.segments.len()
    }

    /// Bytes of all that waits, heads and bodies.
    pub(crate) fn bytes(&self) -> usize {
        self.heads.len() + self.bodies
    }

    /// Bytes of memory.
    pub(crate) fn held(&self) -> u64 {
        (self.heads.capacity() + self.segments.capacity() * size_of::<Waiting>()) as u64
    }

    pub(crate) fn clear(&mut self) {
        *self = Outgoing::default();
    }
}
