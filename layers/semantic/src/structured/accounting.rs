//! What the streams of a connection hold, by running counts and counted anew.

use core::iter::Sum;
use core::ops::Add;
use std::collections::BTreeSet;

use super::{PAGE, Streams, outbox};

/// What the streams of one connection hold, or of several together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Holdings {
    /// Streams in the table, over or not.
    pub streams: usize,
    /// Bytes of the pages that streams' data lies in, both ways.
    pub page_bytes: usize,
    /// Bytes written and never sent.
    pub unsent_bytes: u64,
    /// Bytes sent and not acknowledged, up to gaps.
    pub in_flight_bytes: u64,
    /// Bytes that count against the credit given to the peer over all streams.
    pub unread_bytes: u64,
    /// Bytes of datagrams that wait to be sent, with what they cost.
    pub datagrams_out_bytes: usize,
    /// Bytes of datagrams that have arrived, whole or not, and wait, with what they cost.
    pub datagrams_in_bytes: usize,
    /// Packets whose fate is open.
    pub packets_outstanding: usize,
}

impl Add for Holdings {
    type Output = Holdings;

    fn add(self, more: Holdings) -> Holdings {
        Holdings {
            streams: self.streams + more.streams,
            page_bytes: self.page_bytes + more.page_bytes,
            unsent_bytes: self.unsent_bytes + more.unsent_bytes,
            in_flight_bytes: self.in_flight_bytes + more.in_flight_bytes,
            unread_bytes: self.unread_bytes + more.unread_bytes,
            datagrams_out_bytes: self.datagrams_out_bytes + more.datagrams_out_bytes,
            datagrams_in_bytes: self.datagrams_in_bytes + more.datagrams_in_bytes,
            packets_outstanding: self.packets_outstanding + more.packets_outstanding,
        }
    }
}

impl Sum for Holdings {
    fn sum<I: Iterator<Item = Holdings>>(each: I) -> Holdings {
        each.fold(Holdings::default(), Add::add)
    }
}

impl Streams {
    /// What the streams hold, by counts kept as they change.
    pub fn holdings(&self) -> Holdings {
        Holdings {
            streams: self.table.len(),
            page_bytes: self.pages.lent() * PAGE,
            unsent_bytes: self.unsent,
            in_flight_bytes: self.in_flight,
            unread_bytes: self.host.held(),
            datagrams_out_bytes: self.outbox.queued,
            datagrams_in_bytes: self.inbox.held(),
            packets_outstanding: self.channels.iter().map(|carrier| carrier.records.outstanding()).sum(),
        }
    }

    /// The same, counted anew from every table: always equal. Takes time in proportion to what there is, for tests and for
    /// operators who do not believe it.
    pub fn recount(&self) -> Holdings {
        let mut found = Holdings {
            streams: self.table.recount(),
            datagrams_in_bytes: self.inbox.recount(),
            packets_outstanding: self.channels.iter().map(|carrier| carrier.records.recount()).sum(),
            ..Holdings::default()
        };
        let mut shared = BTreeSet::new();
        for slot in self.table.slots() {
            let stream = &self.table[slot];
            let (pages, unread) = stream.recv.held(&mut shared);
            found.page_bytes += pages * PAGE;
            if !stream.id.is_local() {
                found.unread_bytes += unread;
            }
            if let Some(outgoing) = stream.send.outgoing() {
                found.page_bytes += outgoing.pages(&mut shared) * PAGE;
                found.unsent_bytes += outgoing.unsent();
                found.in_flight_bytes += outgoing.in_flight();
            }
            found.datagrams_out_bytes += stream.queue().map_or(0, outbox::queued);
        }
        found.page_bytes += shared.len() * PAGE;
        found
    }
}
