//! Sending and receiving datagrams.

use tng_base::Instant;
use tng_semantic::structured::{SendDatagramError, StreamId};
use tng_stack::{ConnectionId, Host};

use super::app::{Flows, Todo};
use super::read::Reading;
use crate::ledger::times;
use crate::plan::{DATAGRAMS, PATTERN_LEN};

/// Bytes of the group and number that a datagram begins with.
const HEAD_LEN: usize = crate::scenario::DATAGRAM_MIN as usize;

/// A group on its way out.
pub(super) struct Outgoing {
    /// When its first was sent.
    began: Instant,
    /// The next one's number.
    next: u64,
}

impl Flows {
    /// Sends the datagram that is due, if its parent is here.
    pub(super) fn send_datagram(&mut self, number: usize, now: Instant, host: &mut Host) {
        let plan = self.plan.clone();
        let group = &plan.groups[number];
        let Some(&(connection, parent)) = group.parent.and_then(|parent| self.here.get(&parent)) else { return };
        if self.ledger.datagrams(number).started.is_none() {
            self.ledger.start_datagrams(number, now);
            self.sending.insert(number, Outgoing { began: now, next: 0 });
        }
        let Some(outgoing) = self.sending.get_mut(&number) else { return };
        // Who is called for two reasons at once sends once.
        if outgoing.began + times(group.spec.interval, outgoing.next) > now {
            return;
        }
        let mut bytes = Vec::with_capacity(group.spec.size as usize);
        bytes.extend_from_slice(&(number as u32 | DATAGRAMS).to_be_bytes());
        bytes.extend_from_slice(&(outgoing.next as u32).to_be_bytes());
        while bytes.len() < group.spec.size as usize {
            let n = (group.spec.size as usize - bytes.len()).min(PATTERN_LEN);
            bytes.extend_from_slice(&plan.pattern[..n]);
        }
        let Some(streams) = host.streams(connection) else { return };
        match streams.send_datagram(parent, &bytes, group.spec.lifetime) {
            Ok(()) => self.ledger.send_datagram(number, now, true),
            Err(SendDatagramError::Full) => self.ledger.send_datagram(number, now, false),
            Err(error) => {
                self.sending.remove(&number);
                return self.ledger.fail_datagrams(number, error.to_string());
            }
        }
        outgoing.next += 1;
        if group.spec.count == Some(outgoing.next) {
            self.agenda.at(now + group.patience(), Todo::DatagramsOver(number));
            self.sending.remove(&number);
        } else {
            let next = outgoing.began + times(group.spec.interval, outgoing.next);
            self.agenda.at(next, Todo::Datagram(number));
        }
    }

    pub(super) fn end_datagrams(&mut self, group: usize, now: Instant, host: &mut Host) {
        self.ledger.end_datagrams(group, now);
        if let Some(parent) = self.plan.groups[group].parent {
            self.write(parent, now, host);
        }
    }

    /// Takes the children of a stream: as datagrams, if no streams are to be among them.
    pub(super) fn take_children(&mut self, now: Instant, host: &mut Host, connection: ConnectionId, parent: StreamId) {
        let streams_come = self.number(connection, parent).is_none_or(|stream| self.plan.streams[stream].has_children);
        while let Some(streams) = host.streams(connection) {
            if streams_come {
                let Some(child) = streams.accept_child(parent) else { return };
                self.reading.insert((connection, child), Reading::default());
                self.read(now, host, connection, child);
            } else {
                let Some(bytes) = streams.recv_datagram(parent) else { return };
                self.take_datagram(&bytes, now);
            }
        }
    }

    /// A datagram has come.
    pub(super) fn take_datagram(&mut self, bytes: &[u8], now: Instant) {
        let Some((head, body)) = bytes.split_first_chunk::<HEAD_LEN>() else { return };
        let [a, b, c, d, rest @ ..] = *head;
        let (tag, number) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes(rest));
        let group = (tag & !DATAGRAMS) as usize;
        let Some(expected) = self.plan.groups.get(group) else { return };
        if expected.spec.size == bytes.len() as u64 && self.plan.matches(0, body) {
            self.ledger.receive_datagram(group, number as usize, now, bytes.len() as u64);
        } else {
            self.ledger.fail_datagrams(group, format!("number {number} did not come as it was sent"));
        }
    }
}
