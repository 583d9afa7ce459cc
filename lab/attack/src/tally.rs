//! What was sent, and what came back.

use std::collections::BTreeMap;

use tng_flow::wire::{ANSWERED, DECLINED, JOIN, JOINED};
use tng_trickles::wire::RESPONSE;

use crate::{Introductions, OrderTally};

/// The books of an attack.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Datagrams sent.
    pub sent: u64,
    /// Bytes of UDP payload sent.
    pub sent_bytes: u64,
    /// Datagrams that came back.
    pub received: u64,
    /// Bytes of UDP payload that came back.
    pub received_bytes: u64,
    /// What came back, by kind: `reply`, `cookie`, `version`, `wrong_key`, `unserved`, `response` (of a server that
    /// keeps nothing), `channel` (packets and resets), `join`, `joined`, `answered`, `declined`, `section` (of a
    /// relay), `other`.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Connections that the target took.
    pub connections: u64,
    /// Packets that a peer has sent over them.
    pub packets: u64,
    /// Times that the target refused to connect.
    pub refusals: u64,
    /// Connections that the target closed, by code.
    pub closes: BTreeMap<u64, u64>,
    /// First messages that the target answered although the cookie in them was given for another.
    pub reused_cookies: u64,
    /// Bytes of credit over all streams that one peer held at the same time, at its most.
    pub promised_bytes: u64,
    /// Honest requests between the others that a server which keeps nothing has answered, orders as they should be that
    /// a relay has followed, and true records that a registry has kept.
    pub answered: u64,
    /// Packets that such a server has sent for what was forged, invented, or spent before, and forged records that a
    /// registry has kept.
    pub acted_on: u64,
    /// What came of introductions that a registry was asked for.
    pub introductions: Introductions,
    /// Orders to a relay, by what is wrong with them.
    pub orders: BTreeMap<&'static str, OrderTally>,
    /// Offers of transports that nobody has, by what the target said to them: `no`, `sendme`, `ok`, `use`, or
    /// `nothing`.
    pub offers: BTreeMap<&'static str, u64>,
}

impl Tally {
    pub(crate) fn note_sent(&mut self, len: usize) {
        self.sent += 1;
        self.sent_bytes += len as u64;
    }

    pub(crate) fn note_received(&mut self, datagram: &[u8]) {
        self.received += 1;
        self.received_bytes += datagram.len() as u64;
        let kind = match datagram.first() {
            Some(0x02 | 0xa2) => "reply",
            Some(0x03 | 0xa3) => "cookie",
            Some(0x04 | 0xa4) => "version",
            Some(0x05 | 0xa5) => "wrong_key",
            Some(0x06) => "unserved",
            Some(&RESPONSE) => "response",
            Some(0x40..=0x7f) => "channel",
            Some(&JOIN) => "join",
            Some(&JOINED) => "joined",
            Some(&ANSWERED) => "answered",
            Some(&DECLINED) => "declined",
            Some(0x80..=0x9f) => "section",
            _ => "other",
        };
        *self.kinds.entry(kind).or_default() += 1;
    }

    /// Adds another source's books.
    pub fn add(&mut self, other: &Tally) {
        self.sent += other.sent;
        self.sent_bytes += other.sent_bytes;
        self.received += other.received;
        self.received_bytes += other.received_bytes;
        self.connections += other.connections;
        self.packets += other.packets;
        self.refusals += other.refusals;
        self.reused_cookies += other.reused_cookies;
        self.answered += other.answered;
        self.acted_on += other.acted_on;
        self.introductions.add(&other.introductions);
        // Each source is another peer.
        self.promised_bytes = self.promised_bytes.max(other.promised_bytes);
        for (kind, count) in &other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        for (said, count) in &other.offers {
            *self.offers.entry(said).or_default() += count;
        }
        for (name, orders) in &other.orders {
            self.orders.entry(name).or_default().add(orders);
        }
        for (code, count) in &other.closes {
            *self.closes.entry(*code).or_default() += count;
        }
    }

    /// Bytes that came back for each byte sent; 0 if nothing was sent.
    pub fn amplification(&self) -> f64 {
        if self.sent_bytes == 0 { 0.0 } else { self.received_bytes as f64 / self.sent_bytes as f64 }
    }
}
