//! What was written and not yet acknowledged.

use core::ops::Range;
use std::collections::VecDeque;

/// The written half of a connection. Numbers are internal sequence numbers.
#[derive(Debug)]
pub(crate) struct Outgoing {
    /// Bytes from `base` on.
    bytes: VecDeque<u8>,
    /// The number of the first byte that was not acknowledged.
    base: u64,
    capacity: usize,
    /// Whether nothing more will be written.
    finished: bool,
}

impl Outgoing {
    pub(crate) fn new(first: u64, capacity: usize) -> Outgoing {
        Outgoing { bytes: VecDeque::new(), base: first, capacity, finished: false }
    }

    /// The number after the last byte: the FIN's, if there is one.
    pub(crate) fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    pub(crate) fn finish(&mut self) {
        self.finished = true;
    }

    /// Bytes that may be written.
    pub(crate) fn room(&self) -> usize {
        if self.finished { 0 } else { self.capacity - self.bytes.len() }
    }

    /// Bytes that were written and are not acknowledged.
    pub(crate) fn held(&self) -> usize {
        self.bytes.len()
    }

    /// Whether a writer that had to wait should be woken: a third of the room is free, as in Linux.
    pub(crate) fn has_much_room(&self) -> bool {
        self.room() > self.capacity / 3
    }

    /// Takes as much as there is room for; answers how much.
    pub(crate) fn write(&mut self, data: &[u8]) -> usize {
        let count = data.len().min(self.room());
        self.bytes.extend(&data[..count]);
        count
    }

    /// Everything before `ack` arrived.
    pub(crate) fn acknowledge(&mut self, ack: u64) {
        let count = ack.min(self.end()).saturating_sub(self.base);
        self.bytes.drain(..count as usize);
        self.base += count;
    }

    /// Copies the bytes of `range`, which are there, to `out` of the same length.
    pub(crate) fn copy(&self, range: Range<u64>, out: &mut [u8]) {
        if out.is_empty() {
            return;
        }
        let at = (range.start - self.base) as usize;
        let (front, back) = self.bytes.as_slices();
        let in_front = front.len().saturating_sub(at).min(out.len());
        if in_front > 0 {
            out[..in_front].copy_from_slice(&front[at..at + in_front]);
        }
        let rest = &mut out[in_front..];
        if !rest.is_empty() {
            let at = at + in_front - front.len();
            rest.copy_from_slice(&back[at..at + rest.len()]);
        }
    }
}
