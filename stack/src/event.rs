//! What a host tells its application.

use core::fmt;
use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{Eid, PathCondition, SessionId};
use tng_semantic::structured::{StreamEvent, StreamId};

use crate::{CloseCause, ConnectError, Wait};

/// A host's handle for a connection to a peer, never reused while the host lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(pub u64);

/// A host's handle for one of a connection's channels, and so for the path that it takes. Never reused while the host
/// lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PathId(pub u64);

/// A stream's permanent name: what the streams of a pair of hosts are called, and the stream's id among them (SST
/// 4.3.1). The same at both ends and on every channel; nobody else can derive it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Usid {
    /// Whose streams.
    pub session: SessionId,
    /// Which of them.
    pub stream: StreamId,
}

impl fmt::Display for Usid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.session, self.stream)
    }
}

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
    /// A peer with access asks to connect; answer with `accept` or `refuse`, or [`Closed`](EventKind::Closed) follows.
    /// Only when `auto_accept` is off.
    Incoming {
        /// Who.
        eid: Eid,
        /// From where.
        remote: SocketAddr,
        /// Whether it has shown that it receives there; if not, `retry` makes it.
        validated: bool,
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
    /// The peer's address changed on a channel, and is proven.
    Moved {
        /// Which channel.
        path: PathId,
        /// The new address.
        remote: SocketAddr,
    },
    /// A path's condition changed.
    Condition {
        /// Which.
        path: PathId,
        /// What it is now.
        condition: PathCondition,
    },
    /// A further channel carries the streams.
    PathAdded {
        /// Which.
        path: PathId,
        /// Where the peer is on it.
        remote: SocketAddr,
    },
    /// A channel is gone; the streams are not.
    PathLost {
        /// Which.
        path: PathId,
        /// Why.
        cause: CloseCause,
    },
    /// An attempt at a further channel failed. If it was not the application's, another follows.
    AttachFailed {
        /// Which.
        path: PathId,
        /// Why.
        error: ConnectError,
    },
    /// No channel is left. The streams are kept, and what is written on them too, while the peer is looked for.
    Away,
    /// There is a channel again.
    Back,
    /// Nothing has moved for [`WAIT_TOLD_AFTER`](crate::WAIT_TOLD_AFTER). Told once; [`WaitOver`](EventKind::WaitOver)
    /// follows, or this with another reason while the set-up lasts, or the end.
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
    /// Something happened on a stream.
    Stream(StreamEvent),
    /// The registered protocol that the connection speaks has something for the application: see
    /// [`Host::protocol`](crate::Host::protocol).
    Notice,
    /// The connection ended. Nothing follows.
    Closed(CloseCause),
}
