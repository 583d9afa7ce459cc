//! What a host holds: every table and queue, by running counts and counted anew.

use std::collections::BTreeSet;

use tng_semantic::structured::Holdings;

use super::Host;
use crate::ConnectionId;
use crate::connection::Connection;
use crate::names::Owner;

/// What a host holds at one moment, for operators and for tests. All is zero when nothing is left of any connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Accounting {
    /// Connections, those that are only just beginning or ending included.
    pub connections: usize,
    /// Their channels, those that are coming up and those that are closed and still remembered included.
    pub channels: usize,
    /// Connections that a peer may ask further channels for.
    pub sessions: usize,
    /// Connections that peers have begun, been heard of again on, and that take a place.
    pub residents: usize,
    /// Half-open entries: INITs whose copies are known.
    pub half_open: usize,
    /// Ids under which peers may address channels of this host.
    pub channel_ids: usize,
    /// Tokens of stateless resets that would end a channel of this host.
    pub reset_tokens: usize,
    /// Flows: one for each path to each peer, and the shares of channels in them.
    pub flows: (usize, usize),
    /// Bytes in flight, by the books of the flows.
    pub in_flight: u64,
    /// Connections with something to do now: none, once [`poll_output`](tng_base::Machine::poll_output) has answered
    /// `Timeout`.
    pub ready: usize,
    /// Connections that wait for a time.
    pub deadlines: usize,
    /// Connections without a channel, kept for their streams.
    pub kept: usize,
    /// Bytes that those hold.
    pub kept_bytes: usize,
    /// Stateless answers that wait to be sent.
    pub answers: usize,
    /// Bytes that count in the budget ([`HostConfig::memory_max`](crate::HostConfig::memory_max)), and peers that they
    /// are of.
    pub memory: (u64, usize),
    /// What the streams of all connections hold.
    pub streams: Holdings,
    /// Bytes that registered protocols hold, by their own account.
    pub protocol_bytes: u64,
}

impl Accounting {
    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        *self == Accounting::default()
    }
}

impl Host {
    /// What this host holds, by the counts that its tables keep. Takes time in proportion to the number of connections.
    pub fn accounting(&self) -> Accounting {
        let (ready, deadlines) = self.schedule.len();
        let (channel_ids, reset_tokens) = self.wide.demux.len();
        Accounting {
            connections: self.connections.len(),
            channels: self.connections.values().map(Connection::channels).sum(),
            sessions: self.sessions.len(),
            residents: self.residents.len(),
            half_open: self.half_open.len(),
            channel_ids,
            reset_tokens,
            flows: self.wide.flows.len(),
            in_flight: self.wide.flows.in_flight(),
            ready,
            deadlines,
            kept: self.detached.len(),
            kept_bytes: self.detached.bytes(),
            answers: self.answers.len(),
            memory: (self.budget.used(), self.budget.peers()),
            streams: self.connections.values().map(|connection| connection.semantics.holdings()).sum(),
            protocol_bytes: self.connections.values().map(|connection| connection.semantics.registered_bytes()).sum(),
        }
    }

    /// The same, counted anew from every connection: equal to [`accounting`](Host::accounting) whenever
    /// [`poll_output`](tng_base::Machine::poll_output) has answered `Timeout` and nothing was called since. An entry of
    /// an index that belongs to no connection, or a connection that an index has lost, makes the two differ. Takes time
    /// in proportion to all that there is: for tests, and for operators in doubt.
    pub fn recount(&self) -> Accounting {
        let mut found = Accounting { answers: self.answers.len(), ..Accounting::default() };
        let (mut flows, mut peers) = (BTreeSet::new(), BTreeSet::new());
        let ids: Vec<ConnectionId> = self.connections.ids().collect();
        for id in ids {
            let Some(connection) = self.connections.get(id) else { continue };
            let (queued, waits) = connection.place.held();
            found.connections += 1;
            peers.insert(connection.peer);
            found.memory.0 += connection.cost();
            found.channels += connection.channels();
            found.sessions += usize::from(connection.session.as_ref().is_some_and(|session| session.noted));
            found.residents += usize::from(self.residents.contains(id));
            found.ready += usize::from(queued);
            found.deadlines += usize::from(waits);
            found.kept += usize::from(connection.detached_since().is_some());
            found.kept_bytes += connection.detached_since().map_or(0, |_| connection.semantics.bytes_held());
            found.streams = found.streams + connection.semantics.recount();
            found.protocol_bytes += connection.semantics.registered_bytes();
            for attachment in &connection.attachments {
                let owner = Owner { connection: id, channel: attachment.key };
                let known = attachment.half_open_as.as_ref().and_then(|it| self.half_open.get(it));
                let half_open = known.is_some_and(|entry| entry.owner == owner);
                found.half_open += usize::from(half_open);
                found.channel_ids += usize::from(attachment.is_dialing());
                found.flows.1 += usize::from(attachment.link().is_some());
                flows.extend(attachment.link().map(|link| link.section.flow()));
                found.in_flight += attachment.link().map_or(0, |link| link.section.booked());
                if let Some((names, tokens)) = attachment.remembered_link().map(|link| link.section.names()) {
                    let own = tokens.filter(|token| self.wide.demux.token_owner(token) == Some(owner));
                    found.channel_ids += names;
                    found.reset_tokens += own.count();
                }
            }
        }
        found.flows.0 = flows.len();
        found.memory.1 = peers.len();
        found
    }
}
