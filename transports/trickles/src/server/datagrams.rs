//! Datagrams that wait for the driver: in as few batches as may be.

use core::net::SocketAddr;
use std::collections::VecDeque;

use tng_base::{Ecn, Transmit};

/// Bytes of a batch, at most: what a driver's buffer holds.
const BATCH_BYTES_MAX: usize = 60_000;

/// Datagrams, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Datagrams {
    bytes: Vec<u8>,
    /// Where each ends, and where it goes.
    queue: VecDeque<(usize, SocketAddr, Option<SocketAddr>)>,
    /// What lies before this has been sent.
    sent: usize,
    to: Option<(SocketAddr, Option<SocketAddr>)>,
}

impl Datagrams {
    /// What comes now goes there.
    pub(super) const fn begin(&mut self, remote: SocketAddr, local: Option<SocketAddr>) {
        self.to = Some((remote, local));
    }

    pub(super) fn push(&mut self, datagram: &[u8]) {
        let Some((remote, local)) = self.to else { return };
        if self.queue.is_empty() {
            (self.sent, self.bytes) = (0, core::mem::take(&mut self.bytes));
            self.bytes.clear();
        }
        self.bytes.extend_from_slice(datagram);
        self.queue.push_back((self.bytes.len(), remote, local));
    }

    /// The next batch: datagrams to one address, of one length but for the last.
    pub(super) fn poll(&mut self, buf: &mut [u8]) -> Option<Transmit> {
        let (mut end, remote, local) = self.queue.pop_front()?;
        let segment_size = end - self.sent;
        let mut last = segment_size;
        while let Some(&(next, to, from)) = self.queue.front() {
            let len = next - end;
            let fits = next - self.sent <= BATCH_BYTES_MAX.min(buf.len());
            if (to, from) != (remote, local) || last < segment_size || len > segment_size || len == 0 || !fits {
                break;
            }
            self.queue.pop_front();
            (end, last) = (next, len);
        }
        let len = end - self.sent;
        buf[..len].copy_from_slice(&self.bytes[self.sent..end]);
        self.sent = end;
        Some(Transmit { remote, local, ecn: Ecn::NotEct, len, segment_size })
    }

    /// Gives back the memory that it keeps, if nothing waits.
    pub(super) fn give_back(&mut self) {
        if self.queue.is_empty() {
            *self = Datagrams::default();
        }
    }

    pub(super) fn held(&self) -> usize {
        let Datagrams { bytes, queue, sent: _, to: _ } = self;
        bytes.capacity() + queue.capacity() * size_of::<(usize, SocketAddr, Option<SocketAddr>)>()
    }
}
