//! Packets that wait: those that came together stay together, in one buffer.

use std::collections::VecDeque;

use tng_base::{Arrivals, Ecn, Instant};
use tng_queue::Item;

use crate::Spares;

/// What is owed for a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owed {
    /// The receipt for this packet of the feeding section.
    Receipt(u64),
    /// Nothing any more: it left before, at this time, and was lost on the way. It may have to leave `twice` now.
    Nothing { left_at: Instant, twice: bool },
}

/// Packets that wait together and leave one after the other, all with as many bytes but the last, which may have fewer.
#[derive(Debug)]
pub(crate) struct Held {
    buf: Vec<u8>,
    /// Where the next one begins, and by how much later the one after it.
    at: usize,
    stride: usize,
    len: usize,
    last_len: usize,
    left: usize,
    /// For the next one; those that follow are owed the receipts that follow.
    owed: Owed,
    ecn: Ecn,
    /// The codepoint of the next one.
    next_ecn: Ecn,
    memory: u64,
}

impl Held {
    /// One packet, for which this is owed.
    pub(crate) fn one(payload: Vec<u8>, owed: Owed, ecn: Ecn) -> Held {
        let (len, memory) = (payload.len(), payload.capacity() as u64);
        Held { buf: payload, at: 0, stride: len, len, last_len: len, left: 1, owed, ecn, next_ecn: ecn, memory }
    }

    /// The first `packets` of these, one at least, copied as they stand.
    pub(crate) fn copy(arrivals: &Arrivals<'_>, packets: usize, spares: &mut Spares) -> Held {
        let (last_len, behind) = (arrivals.packet_len(packets - 1), (packets - 1) * arrivals.stride);
        let buf = spares.fill(&arrivals.bytes[..behind + last_len]);
        if packets == 1 {
            return Held::one(buf, Owed::Receipt(arrivals.numbers.start), arrivals.ecn);
        }
        Held {
            memory: buf.capacity() as u64,
            buf,
            at: 0,
            stride: arrivals.stride,
            len: arrivals.len,
            last_len,
            left: packets,
            owed: Owed::Receipt(arrivals.numbers.start),
            ecn: arrivals.ecn,
            next_ecn: arrivals.ecn,
        }
    }

    /// Packets left.
    pub(crate) fn packets(&self) -> usize {
        self.left
    }

    /// Their bytes.
    pub(crate) fn bytes(&self) -> usize {
        if self.left == 0 { 0 } else { (self.left - 1) * self.len + self.last_len }
    }

    /// Bytes of memory that they take until the last of them has left.
    pub(crate) fn memory(&self) -> u64 {
        self.memory
    }

    /// Bytes of the next one.
    pub(crate) fn next_len(&self) -> usize {
        if self.left == 1 { self.last_len } else { self.len }
    }

    /// The next one.
    pub(crate) fn next(&self) -> &[u8] {
        &self.buf[self.at..self.at + self.next_len()]
    }

    /// What is owed for the next one, and its codepoint.
    pub(crate) fn next_owed(&self) -> (Owed, Ecn) {
        (self.owed, self.next_ecn)
    }

    /// The codepoint of those that follow the next one.
    pub(crate) fn ecn(&self) -> Ecn {
        self.ecn
    }

    /// The next one is not here any more.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.left -= 1;
        self.at += self.stride;
        self.next_ecn = self.ecn;
        if let Owed::Receipt(receipt) = &mut self.owed {
            *receipt += 1;
        }
    }

    /// The buffer, when nothing in it is needed any more.
    pub(crate) fn into_buf(self) -> Vec<u8> {
        self.buf
    }
}

/// What a discipline knows of packets that wait together: it takes them for one, which is marked or dropped by its
/// first packet. It is small, so that it goes into the discipline in registers: one that was just written to memory in
/// parts would be read only when the copy of the payload before it is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    bytes: u32,
    /// Of the first.
    ecn: Ecn,
}

impl Item for Waiting {
    fn bytes(&self) -> usize {
        self.bytes as usize
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

/// The packets that wait in a discipline, in its order, which is that in which they came.
#[derive(Debug, Default)]
pub(crate) struct Line(VecDeque<Held>);

/// A line keeps room for so many, however few there are.
const LINE_KEPT: usize = 16;

impl Line {
    /// They are the last.
    #[inline]
    pub(crate) fn push(&mut self, held: Held) -> Waiting {
        let waiting = Waiting { bytes: held.bytes() as u32, ecn: held.next_ecn };
        self.0.push_back(held);
        waiting
    }

    /// The first, which wait no longer in the discipline: the first of them has the codepoint that it gave it.
    ///
    /// # Panics
    /// If none are there.
    #[inline]
    pub(crate) fn pop(&mut self, Waiting { ecn, .. }: Waiting) -> Held {
        let held = self.0.pop_front().expect("a discipline gives back what it was given, once");
        if self.0.capacity() > LINE_KEPT.max(4 * self.0.len()) {
            self.0.shrink_to(LINE_KEPT.max(2 * self.0.len()));
        }
        Held { next_ecn: ecn, ..held }
    }

    /// The last, which the discipline did not take.
    ///
    /// # Panics
    /// If none are there.
    pub(crate) fn take_back(&mut self) -> Held {
        self.0.pop_back().expect("a discipline refuses what it was just given")
    }

    /// Gives back the memory that holds nothing.
    pub(crate) fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_long_takes_no_more_memory_than_a_short_one() {
        let mut line = Line::default();
        let held = || Held::one(vec![0; 1], Owed::Receipt(0), Ecn::NotEct);
        let waiting: Vec<_> = (0..100_000).map(|_| line.push(held())).collect();
        waiting.into_iter().skip(1).for_each(|waiting| _ = line.pop(waiting));
        assert!(line.0.len() == 1 && line.0.capacity() <= 4 * LINE_KEPT, "{}", line.0.capacity());
    }
}
