//! Datagrams that wait for the driver: in as few batches as may be.

use core::net::SocketAddr;
use std::collections::VecDeque;

use tng_base::{Ecn, Transmit};

/// Bytes of a batch, at most: what a driver's buffer holds.
const BATCH_BYTES_MAX: usize = 60_000;

/// Where a datagram goes, and the address that it leaves from.
pub(super) type Way = (SocketAddr, Option<SocketAddr>);

/// A batch in the making, in the driver's own buffer.
pub(super) struct Batch<'a> {
    buf: &'a mut [u8],
    len: usize,
    /// Bytes of each datagram but the last.
    segment: usize,
    /// Whether the last datagram is shorter: then nothing comes behind it.
    is_closed: bool,
    way: Option<Way>,
}

impl<'a> Batch<'a> {
    /// An empty one, which takes what `buf` has room for.
    pub(super) const fn new(buf: &'a mut [u8]) -> Batch<'a> {
        Batch { buf, len: 0, segment: 0, is_closed: false, way: None }
    }

    /// Takes a datagram if it may leave with those before.
    fn take(&mut self, way: Way, datagram: &[u8]) -> bool {
        let end = self.len + datagram.len();
        let is_alike = self.way.is_none_or(|before| before == way && datagram.len() <= self.segment);
        if !is_alike || self.is_closed || datagram.is_empty() || end > BATCH_BYTES_MAX.min(self.buf.len()) {
            return false;
        }
        if self.way.is_none() {
            (self.way, self.segment) = (Some(way), datagram.len());
        }
        self.buf[self.len..end].copy_from_slice(datagram);
        (self.len, self.is_closed) = (end, datagram.len() < self.segment);
        true
    }

    /// Whether there is something in it, and as much may go the same way with it.
    fn has_room_for(&self, way: Way) -> bool {
        self.way == Some(way) && !self.is_closed && self.len < BATCH_BYTES_MAX / 2
    }
}

/// Datagrams that wait, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Datagrams {
    bytes: Vec<u8>,
    /// Where each ends, and where it goes.
    queue: VecDeque<(usize, Way)>,
    /// What lies before this has been sent.
    sent: usize,
}

impl Datagrams {
    /// Something goes out: with the batch, if nothing waits and it may.
    pub(super) fn push(&mut self, way: Way, datagram: &[u8], batch: &mut Batch<'_>) {
        if self.queue.is_empty() && batch.take(way, datagram) {
            return;
        }
        if self.queue.is_empty() {
            self.sent = 0;
            self.bytes.clear();
        }
        self.bytes.extend_from_slice(datagram);
        self.queue.push_back((self.bytes.len(), way));
    }

    /// Whether what goes that way next may leave with the batch.
    pub(super) fn gathers(&self, way: Way, batch: &Batch<'_>) -> bool {
        self.queue.is_empty() && batch.has_room_for(way)
    }

    /// The batch, or of what waits the next: datagrams to one address, of one length but for the last.
    pub(super) fn poll(&mut self, batch: &mut Batch<'_>) -> Option<Transmit> {
        let (way, len, segment_size) = match batch.way {
            Some(way) => (way, batch.len, batch.segment),
            None => self.poll_waiting(batch.buf)?,
        };
        Some(Transmit { remote: way.0, local: way.1, ecn: Ecn::NotEct, len, segment_size })
    }

    fn poll_waiting(&mut self, buf: &mut [u8]) -> Option<(Way, usize, usize)> {
        let (mut end, way) = self.queue.pop_front()?;
        let segment_size = end - self.sent;
        let mut last = segment_size;
        while let Some(&(next, next_way)) = self.queue.front() {
            let len = next - end;
            let fits = next - self.sent <= BATCH_BYTES_MAX.min(buf.len());
            if next_way != way || last < segment_size || len > segment_size || len == 0 || !fits {
                break;
            }
            self.queue.pop_front();
            (end, last) = (next, len);
        }
        let len = end - self.sent;
        buf[..len].copy_from_slice(&self.bytes[self.sent..end]);
        self.sent = end;
        Some((way, len, segment_size))
    }

    /// Gives back the memory that it keeps, if nothing waits.
    pub(super) fn give_back(&mut self) {
        if self.queue.is_empty() {
            *self = Datagrams::default();
        }
    }

    pub(super) fn held(&self) -> usize {
        let Datagrams { bytes, queue, sent: _ } = self;
        bytes.capacity() + queue.capacity() * size_of::<(usize, Way)>()
    }
}
