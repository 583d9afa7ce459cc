//! Sending and receiving datagrams.

use tng_base::Instant;
use tng_semantic::structured::{SendDatagramError, StreamId};
use tng_stack::{ConnectionId, Host};

use super::app::{Flows, Todo};
use super::read::Reading;
use crate::engine::timetable::{Next, Timetable};

impl Flows {
    /// Sends the datagram that is due, if its parent is here.
    pub(super) fn send_datagram(&mut self, number: usize, now: Instant, host: &mut Host) {
        let plan = self.plan.clone();
        let group = &plan.groups[number];
        let Some(&(connection, parent)) = group.parent.and_then(|parent| self.here.get(&parent)) else { return };
        if self.ledger.datagrams(number).started.is_none() {
            self.ledger.start_datagrams(number, now);
            self.sending.insert(number, Timetable::new(&plan, number, now));
        }
        let Some(timetable) = self.sending.get_mut(&number) else { return };
        // Who is called for two reasons at once sends once.
        if timetable.due(&plan) > now {
            return;
        }
        let mut bytes = vec![0; group.spec.size as usize];
        plan.write_datagram(number, timetable.number(), &mut bytes);
        let Some(streams) = host.streams(connection) else { return };
        match streams.send_datagram(parent, &bytes, group.spec.lifetime) {
            Ok(()) => self.ledger.send_datagram(number, now, true),
            Err(SendDatagramError::Full) => self.ledger.send_datagram(number, now, false),
            Err(error) => {
                self.sending.remove(&number);
                return self.ledger.fail_datagrams(number, error.to_string());
            }
        }
        match timetable.depart(&plan, now) {
            Next::At(time) => self.agenda.at(time, Todo::Datagram(number)),
            Next::Over(time) => {
                self.agenda.at(time, Todo::DatagramsOver(number));
                self.sending.remove(&number);
            }
        }
    }

    pub(super) fn end_datagrams(&mut self, group: usize, now: Instant, host: &mut Host) {
        self.ledger.end_datagrams(group, now);
        if let Some(parent) = self.plan.groups[group].parent {
            self.write(parent, now, host);
        }
    }

    /// Takes the children of a stream: as datagrams, if no streams are expected among them.
    pub(super) fn take_children(&mut self, now: Instant, host: &mut Host, connection: ConnectionId, parent: StreamId) {
        let streams_come = self.number(connection, parent).is_none_or(|stream| self.plan.streams[stream].has_children);
        while let Some(streams) = host.streams(connection) {
            if streams_come {
                let Some(child) = streams.accept_child(parent) else { return };
                self.reading.insert((connection, child), Reading::default());
                self.read(now, host, connection, child);
            } else {
                let Some(bytes) = streams.recv_datagram(parent) else { return };
                self.plan.take_datagram(&self.ledger, &bytes, now);
            }
        }
    }
}
