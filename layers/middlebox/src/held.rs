//! Packets that wait: those that came together stay together, in one buffer.

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
        let len = payload.len();
        let memory = len as u64;
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

    /// Bytes of memory that they take until the last of them has left: of one alone those that it has.
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

    /// The next one is not here any more.
    pub(crate) fn advance(&mut self) {
        self.left -= 1;
        self.at += self.stride;
        self.next_ecn = self.ecn;
        if let Owed::Receipt(receipt) = &mut self.owed {
            *receipt += 1;
        }
    }

    /// The buffer, of which nothing is needed any more.
    pub(crate) fn into_buf(self) -> Vec<u8> {
        self.buf
    }
}

/// What a discipline knows of packets that wait together: it takes them for one, which is marked or dropped by its
/// first packet. It is small, so that it goes into the discipline in registers: one that was just written to memory in
/// parts would be read only when the copy of the payload before it is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// Where they are.
    slot: u32,
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

/// The packets that wait in a discipline.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    slots: Vec<Option<Held>>,
    free: Vec<u32>,
}

impl Slots {
    #[inline]
    pub(crate) fn put(&mut self, held: Held) -> Waiting {
        let (bytes, ecn) = (held.bytes() as u32, held.next_ecn);
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(held);
                slot
            }
            None => {
                self.slots.push(Some(held));
                self.slots.len() as u32 - 1
            }
        };
        Waiting { slot, bytes, ecn }
    }

    /// What waits no longer in the discipline; the first of it has the codepoint that the discipline gave it.
    ///
    /// # Panics
    /// If it has been taken before.
    #[inline]
    pub(crate) fn take(&mut self, Waiting { slot, ecn, .. }: Waiting) -> Held {
        let held = self.slots[slot as usize].take().expect("a discipline gives back what it was given, once");
        self.free.push(slot);
        Held { next_ecn: ecn, ..held }
    }

    /// Gives back the memory that holds nothing, if none of it does.
    pub(crate) fn rest(&mut self) {
        if self.free.len() == self.slots.len() {
            *self = Slots::default();
        }
    }
}
