//! What happens to a connection while it is used.

use std::net::SocketAddr;

use tng_base::PathCondition;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// Events kept for a follower who does not look; the oldest are dropped first.
pub const EVENTS_KEPT: usize = 32;

/// Something happened to a connection. Nothing of this ends it, and streams need not care.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ConnectionEvent {
    /// The peer's address has changed, and it has proven the new one.
    Moved(SocketAddr),
    /// The path's condition has changed.
    Condition(PathCondition),
    /// So many events were dropped because nobody looked.
    Missed(u64),
}

/// What happens to a connection, from [`Connection::events`](crate::Connection::events). It does not keep the connection.
#[derive(Debug)]
pub struct Events {
    receiver: broadcast::Receiver<ConnectionEvent>,
}

impl Events {
    pub(crate) fn new(receiver: broadcast::Receiver<ConnectionEvent>) -> Events {
        Events { receiver }
    }

    /// Waits for the next event. `None` when the connection is over; [`Connection::closed`](crate::Connection::closed) says why.
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was taken.
    pub async fn next(&mut self) -> Option<ConnectionEvent> {
        match self.receiver.recv().await {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(count)) => Some(ConnectionEvent::Missed(count)),
            Err(RecvError::Closed) => None,
        }
    }
}
