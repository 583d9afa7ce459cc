//! What happens to a connection while it is used.

use std::net::SocketAddr;
use std::time::Duration;

use tng_base::{Eid, PathCondition, PeerText};
use tng_stack::{CloseCause, ConnectError, EventKind, PathId, Refusal, Relayed, Wait};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// Events kept for a follower who does not look; the oldest are dropped first.
pub const EVENTS_KEPT: usize = 32;

/// Something happened to a connection. Nothing of this ends it, and streams need not care.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ConnectionEvent {
    /// The peer's address on a path has changed, and it has proven the new one.
    Moved {
        /// Which path.
        path: PathId,
        /// Where the peer is on it now.
        remote: SocketAddr,
    },
    /// A path's condition has changed.
    Condition {
        /// Which path.
        path: PathId,
        /// What it is now.
        condition: PathCondition,
    },
    /// A further path carries the streams. Either end may have asked for it.
    PathAdded {
        /// Which path.
        path: PathId,
        /// Where the peer is on it, or the first helper.
        remote: SocketAddr,
        /// Whether it leads through helpers.
        helped: bool,
    },
    /// A path is gone.
    PathLost {
        /// Which path.
        path: PathId,
        /// Why.
        cause: CloseCause,
    },
    /// A further path did not come about.
    AddPathFailed {
        /// Which path it would have been.
        path: PathId,
        /// Why.
        error: ConnectError,
    },
    /// A further path leads through helpers: they are there again, or for the first time. That one was left, and what
    /// for, [`PathLost`](ConnectionEvent::PathLost) says with [`CloseCause::Left`].
    Helped {
        /// Which path.
        path: PathId,
        /// Who they are, in order.
        helpers: Vec<Eid>,
    },
    /// A helper declined, and the peer is asked directly. If it was for the capability, another is asked for and shown
    /// at once ([`Endpoint::via`](crate::Endpoint::via)).
    Declined {
        /// The helpers of the way, in order. It was one of them.
        helpers: Vec<Eid>,
        /// Why.
        refusal: Refusal,
    },
    /// The peer takes nobody through these helpers, and says so itself: it is asked directly.
    HelpersRefused {
        /// The helpers of the way, in order.
        helpers: Vec<Eid>,
        /// Its words.
        reason: PeerText,
    },
    /// The peer is reached by way of helpers that are there only for that, and a direct path is being asked for: who
    /// can introduce the two hosts to each other is to do so ([`Endpoint::introduced`]).
    ///
    /// [`Endpoint::introduced`]: crate::Endpoint::introduced
    WantsIntroduction,
    /// No direct path to the peer has opened, and its data goes on by way of the helpers that are there to reach it. It
    /// is tried again, after half a minute and then more and more rarely.
    StaysRelayed {
        /// Why.
        why: Relayed,
    },
    /// No path is left. The connection is kept, and what is written on its streams too, while the peer is looked for;
    /// for how long: [`Connection::keep_for`](crate::Connection::keep_for).
    Away,
    /// There is a path again.
    Back,
    /// Nothing has moved for [a second](crate::WAIT_TOLD_AFTER).
    Waits {
        /// What is waited for.
        wait: Wait,
    },
    /// What was waited for has come, or is not waited for any more.
    WaitOver {
        /// What it was.
        wait: Wait,
        /// How long it has lasted.
        lasted: Duration,
    },
    /// So many events were dropped because nobody looked.
    Missed(u64),
}

impl ConnectionEvent {
    /// What of a host's event concerns those who follow a connection.
    pub(crate) fn of(kind: EventKind) -> Option<ConnectionEvent> {
        Some(match kind {
            EventKind::Moved { path, remote } => ConnectionEvent::Moved { path, remote },
            EventKind::Condition { path, condition } => ConnectionEvent::Condition { path, condition },
            EventKind::PathAdded { path, remote, helped } => ConnectionEvent::PathAdded { path, remote, helped },
            EventKind::PathLost { path, cause } => ConnectionEvent::PathLost { path, cause },
            EventKind::AttachFailed { path, error } => ConnectionEvent::AddPathFailed { path, error },
            EventKind::HelpersRefused { helpers, reason } => ConnectionEvent::HelpersRefused { helpers, reason },
            EventKind::Waits { wait } => ConnectionEvent::Waits { wait },
            EventKind::WaitOver { wait, lasted } => ConnectionEvent::WaitOver { wait, lasted },
            EventKind::Helped { path, helpers } => ConnectionEvent::Helped { path, helpers },
            EventKind::Declined { helpers, refusal } => ConnectionEvent::Declined { helpers, refusal },
            EventKind::WantsIntroduction => ConnectionEvent::WantsIntroduction,
            EventKind::StaysRelayed { why } => ConnectionEvent::StaysRelayed { why },
            EventKind::Away => ConnectionEvent::Away,
            EventKind::Back => ConnectionEvent::Back,
            _ => return None,
        })
    }
}

/// What happens to a connection, from [`Connection::events`](crate::Connection::events). It does not keep the
/// connection.
#[derive(Debug)]
pub struct Events {
    receiver: broadcast::Receiver<ConnectionEvent>,
}

impl Events {
    pub(crate) fn new(receiver: broadcast::Receiver<ConnectionEvent>) -> Events {
        Events { receiver }
    }

    /// Waits for the next event. `None` when the connection is over; [`Connection::closed`](crate::Connection::closed)
    /// says why.
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
