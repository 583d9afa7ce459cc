//! Batches on their way out, and what happens when the system refuses one.
//!
//! Datagrams may be lost, so no error of a send ends a driver. But a batch is up to 64 datagrams in one call, and a
//! system that cannot segment refuses all of them at once; what a failed batch held is therefore sent again, datagram
//! by datagram. If that works, segmentation is to blame, and after a few such failures it is not tried any more.

use core::task::{Context, Poll};
use std::io;

use tng_base::Transmit;

use crate::socket::{SEND_MAX, Socket};

/// Batches that may wait for the socket. While all are taken, the machine is not asked for more.
pub const SEND_BATCHES: usize = 4;

/// Batches in a row that must fail, with their datagrams passing one by one, before segmentation is switched off.
pub const SEGMENTATION_STRIKES: u32 = 3;

/// Datagrams in a row of one failed batch that must fail alone before the rest of that batch is given up as lost.
const GIVE_UP_AFTER: u32 = 2;

/// What has gone out through a socket.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SendCounters {
    /// Calls that the system took.
    pub sends: u64,
    /// Datagrams that went out in them.
    pub datagrams: u64,
    /// Bytes in those datagrams.
    pub bytes: u64,
    /// Batches that the system refused and that were sent again datagram by datagram.
    pub resent_batches: u64,
    /// Datagrams that the system refused for good; the machines see them as lost.
    pub refused_datagrams: u64,
}

impl SendCounters {
    /// What has gone out through two sockets.
    pub(crate) fn and(self, other: SendCounters) -> SendCounters {
        SendCounters {
            sends: self.sends + other.sends,
            datagrams: self.datagrams + other.datagrams,
            bytes: self.bytes + other.bytes,
            resent_batches: self.resent_batches + other.resent_batches,
            refused_datagrams: self.refused_datagrams + other.refused_datagrams,
        }
    }
}

/// One buffer and the batch in it, if any.
#[derive(Debug)]
struct Slot {
    buffer: Box<[u8]>,
    transmit: Transmit,
    /// Bytes of the batch that are done with.
    sent: usize,
    /// Set when the batch failed as a whole and goes out datagram by datagram.
    singly: Option<Singly>,
}

/// Progress of a batch that goes out datagram by datagram.
#[derive(Debug, Default)]
struct Singly {
    passed: u32,
    failed_in_a_row: u32,
}

/// Batches on their way to a [`Socket`], first in first out: of a [`Driver`](crate::Driver), or of a loop of a
/// program's own.
#[derive(Debug)]
pub struct Outbox {
    slots: Box<[Slot]>,
    first: usize,
    filled: usize,
    /// Failures that are segmentation's fault, since it last worked.
    strikes: u32,
    counters: SendCounters,
}

impl Outbox {
    /// An empty one, with [`SEND_BATCHES`] buffers of [`SEND_MAX`] bytes.
    #[expect(clippy::new_without_default, reason = "it takes a quarter of a megabyte")]
    pub fn new() -> Outbox {
        let nowhere = std::net::SocketAddr::new(std::net::Ipv4Addr::UNSPECIFIED.into(), 0);
        let transmit = Transmit { remote: nowhere, local: None, ecn: tng_base::Ecn::NotEct, len: 0, segment_size: 0 };
        let slot = || Slot { buffer: vec![0; SEND_MAX].into_boxed_slice(), transmit, sent: 0, singly: None };
        let slots = core::iter::repeat_with(slot).take(SEND_BATCHES).collect();
        Outbox { slots, first: 0, filled: 0, strikes: 0, counters: SendCounters::default() }
    }

    /// What has gone out.
    pub fn counters(&self) -> SendCounters {
        self.counters
    }

    /// The buffer that the next batch is written to, if one is free.
    pub fn vacant(&mut self) -> Option<&mut [u8]> {
        if self.filled == self.slots.len() {
            return None;
        }
        let index = (self.first + self.filled) % self.slots.len();
        Some(&mut self.slots[index].buffer)
    }

    /// Takes note that a batch was written to the [`vacant`](Outbox::vacant) buffer.
    pub fn push(&mut self, transmit: Transmit) {
        debug_assert!(self.filled < self.slots.len() && transmit.len <= SEND_MAX);
        if transmit.len == 0 {
            return;
        }
        let index = (self.first + self.filled) % self.slots.len();
        let segment_size = if transmit.segment_size == 0 { transmit.len } else { transmit.segment_size };
        let slot = &mut self.slots[index];
        slot.transmit = Transmit { segment_size, ..transmit };
        slot.sent = 0;
        slot.singly = None;
        self.filled += 1;
    }

    /// Sends what waits. Pending when the socket takes no more now; the task is woken when it does.
    ///
    /// # Errors
    /// Only when waiting is no longer possible.
    pub fn poll_flush(&mut self, socket: &dyn Socket, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.filled > 0 {
            let segments_max = if self.strikes < SEGMENTATION_STRIKES { socket.segments_max() } else { 1 };
            match self.send_some(socket, segments_max) {
                Ok(()) => {}
                Err(_blocked) => match socket.poll_writable(cx) {
                    Poll::Ready(Ok(())) => {}
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => return Poll::Pending,
                },
            }
            let slot = &self.slots[self.first];
            if slot.sent >= slot.transmit.len {
                self.first = (self.first + 1) % self.slots.len();
                self.filled -= 1;
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Makes one call for the first batch. An error means that the socket blocks.
    fn send_some(&mut self, socket: &dyn Socket, segments_max: usize) -> io::Result<()> {
        let Slot { buffer, transmit, sent, singly } = &mut self.slots[self.first];
        let segment_size = transmit.segment_size;
        let segments = if singly.is_some() { 1 } else { segments_max.min(SEND_MAX / segment_size).max(1) };
        let part = &buffer[*sent..transmit.len];
        let part = &part[..part.len().min(segments * segment_size)];
        let count = part.len().div_ceil(segment_size) as u64;
        let counters = &mut self.counters;
        let result = socket.try_send(&Transmit { len: part.len(), ..*transmit }, part);
        match (result, singly) {
            (Err(error), _) if error.kind() == io::ErrorKind::WouldBlock => return Err(error),
            (Ok(()), singly) => {
                counters.sends += 1;
                counters.datagrams += count;
                counters.bytes += part.len() as u64;
                *sent += part.len();
                match singly {
                    Some(singly) => {
                        singly.passed += 1;
                        singly.failed_in_a_row = 0;
                    }
                    None if count > 1 => self.strikes = 0,
                    None => {}
                }
            }
            (Err(_), singly @ None) if count > 1 => {
                counters.resent_batches += 1;
                *singly = Some(Singly::default());
            }
            (Err(_), singly) => {
                counters.refused_datagrams += 1;
                *sent += part.len();
                if let Some(singly) = singly {
                    singly.failed_in_a_row += 1;
                    if singly.failed_in_a_row >= GIVE_UP_AFTER {
                        counters.refused_datagrams += ((transmit.len - *sent).div_ceil(segment_size)) as u64;
                        *sent = transmit.len;
                    }
                }
            }
        }
        // The datagrams passed where their batch did not: segmentation is at fault, not the path.
        if let Slot { transmit, sent, singly: Some(Singly { passed: 1.., .. }), .. } = &self.slots[self.first]
            && *sent >= transmit.len
        {
            self.strikes += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
