//! What a host tells its application.

use core::net::SocketAddr;

use tng_base::{Eid, PathCondition};
use tng_semantic::structured::StreamEvent;

use crate::{CloseCause, ConnectError};

/// A host's handle for a connection to a peer, never reused while the host lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(pub u64);

/// Something happened on a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostEvent {
    /// Which.
    pub connection: ConnectionId,
    /// What.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EventKind {
    /// A peer with access asks to connect; answer with `accept` or `refuse`, or [`Closed`](EventKind::Closed) follows. Only when
    /// `auto_accept` is off.
    Incoming {
        /// Who.
        eid: Eid,
        /// From where.
        remote: SocketAddr,
    },
    /// A peer's connection was accepted. Streams may be opened.
    Accepted {
        /// Who.
        eid: Eid,
    },
    /// Our connection is there: the peer has proven its key.
    Connected,
    /// Our connection did not come about. Nothing follows.
    ConnectFailed(ConnectError),
    /// The peer's address changed and is proven.
    Moved(SocketAddr),
    /// The path's condition changed.
    Condition(PathCondition),
    /// Something happened on a stream.
    Stream(StreamEvent),
    /// The connection ended. Nothing follows.
    Closed(CloseCause),
}
