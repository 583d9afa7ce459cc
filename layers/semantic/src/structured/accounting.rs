//! What the streams of a connection hold, by running counts and counted anew.

use core::iter::Sum;
use core::ops::Add;
use std::collections::BTreeSet;

use super::{Allowance, PAGE, Streams, outbox};

/// What the streams of one connection hold, or of several together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Holdings {
    /// Streams in the table, over or not.
    pub streams: usize,
    /// Bytes of the pages that streams' data lies in, both ways.
    pub page_bytes: usize,
    /// Bytes of the application's own buffers that streams send from.
    pub given_bytes: usize,
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
            given_bytes: self.given_bytes + more.given_bytes,
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

/// What a stream counts for beyond its bytes, in bytes: its entry in the tables.
pub const STREAM_COST: u64 = 96;

/// What a packet whose fate is open counts for, in bytes: a record of what it held.
pub const RECORD_COST: u64 = 40;

/// Records count by so many, so that what a connection counts for seldom changes.
const RECORDS_COUNTED_AT_ONCE: usize = 64;

impl Streams {
    /// Bytes that count as held for a budget: what is, what is kept for reuse, and what the peer may still send.
    pub fn cost(&self) -> u64 {
        let pages = (self.pages.lent() + self.pages.free()) * PAGE + self.pages.given;
        let datagrams = self.outbox.queued + self.inbox.held();
        let records: usize = self.channels.iter().map(|carrier| carrier.records.outstanding()).sum();
        let promised = if self.lost { 0 } else { self.host.promised() };
        let records = (records - records % RECORDS_COUNTED_AT_ONCE) as u64;
        let entries = self.table.len() as u64 * STREAM_COST + records * RECORD_COST;
        (pages + datagrams) as u64 + promised + entries
    }

    /// A count that rises whenever a reader, here or at the peer's host, takes something.
    pub fn progress(&self) -> u64 {
        self.host.consumed() + (self.counters.bytes_sent - self.in_flight)
    }

    /// Whether there are bytes that wait for a reader, here or at the peer's host.
    pub fn holds_bytes(&self) -> bool {
        self.unsent + self.in_flight + self.host.held() > 0
    }

    /// From now on the streams may come to hold so much more than they do. What has been promised is kept, and a stream
    /// that has nothing under way may always have a page. When nothing is spare, pages kept for reuse are given back;
    /// answers whether there were any.
    pub fn allow(&mut self, allowance: Allowance) -> bool {
        self.host.allow(allowance);
        let held = self.unsent + self.in_flight;
        self.send_cap = held.saturating_add_signed(allowance.spare).max(allowance.send_min);
        let trims = allowance.spare <= 0 && self.pages.free() > 0;
        if trims {
            self.pages.trim();
        }
        trims
    }

    /// What the streams hold, by counts kept as they change.
    pub fn holdings(&self) -> Holdings {
        Holdings {
            streams: self.table.len(),
            page_bytes: self.pages.lent() * PAGE,
            given_bytes: self.pages.given,
            unsent_bytes: self.unsent,
            in_flight_bytes: self.in_flight,
            unread_bytes: self.host.held(),
            datagrams_out_bytes: self.outbox.queued,
            datagrams_in_bytes: self.inbox.held(),
            packets_outstanding: self.channels.iter().map(|carrier| carrier.records.outstanding()).sum(),
        }
    }

    /// The same, counted anew from every table: always equal. Takes time in proportion to what there is, for tests and
    /// for operators who do not believe it.
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
                found.given_bytes += outgoing.given();
                found.unsent_bytes += outgoing.unsent();
                found.in_flight_bytes += outgoing.in_flight();
            }
            found.datagrams_out_bytes += stream.queue().map_or(0, outbox::queued);
        }
        found.page_bytes += shared.len() * PAGE;
        found
    }
}
