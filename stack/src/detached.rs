//! What streams cost whose peers cannot be reached.

use std::collections::BTreeMap;

use crate::ConnectionId;
use crate::connection::Connection;
use crate::table::Table;

/// The connections without a channel, and what their buffers hold.
#[derive(Debug, Default)]
pub(crate) struct Detached {
    held: BTreeMap<ConnectionId, usize>,
    bytes: usize,
}

impl Detached {
    /// Bytes held in all.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Connections that it knows of.
    pub(crate) fn len(&self) -> usize {
        self.held.len()
    }

    /// Takes note of what a connection holds now.
    pub(crate) fn note(&mut self, id: ConnectionId, connection: &Connection) {
        let held = connection.detached_since().map(|_| connection.semantics.bytes_held());
        let before = match held {
            Some(held) => self.held.insert(id, held),
            None => self.held.remove(&id),
        };
        self.bytes = self.bytes + held.unwrap_or(0) - before.unwrap_or(0);
    }

    /// Forgets the connection that is to go first: see [`Keep::bytes_max`](crate::Keep::bytes_max).
    pub(crate) fn forget_worst(&mut self, allowance: usize, connections: &Table<Connection>) -> Option<ConnectionId> {
        let worst = self.held.iter().min_by_key(|(id, held)| {
            let connection = connections.get(**id);
            let since = connection.and_then(Connection::detached_since);
            (**held <= allowance, connection.is_some_and(|connection| connection.kept_by_choice), since)
        });
        let id = *worst?.0;
        self.bytes -= self.held.remove(&id)?;
        Some(id)
    }
}
