//! What a host tells its application.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{Eid, PathCondition, PeerText};
use tng_flow::wire::Refusal;
use tng_semantic::structured::StreamEvent;

use crate::{CloseCause, ConnectError, ConnectionId, PathId, Relayed, Wait};

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
        /// Where the peer is on it, or the first helper.
        remote: SocketAddr,
        /// Whether it leads through helpers.
        helped: bool,
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
    /// A further channel that carries the streams leads through helpers: they are there again, or for the first time.
    Helped {
        /// Which.
        path: PathId,
        /// Who they are, in order.
        helpers: Vec<Eid>,
    },
    /// A helper declined, so that the peer is asked directly. Nobody vouches for that: anybody on the way can write
    /// it.
    Declined {
        /// The helpers of the way, in order. It was one of them.
        helpers: Vec<Eid>,
        /// Why.
        refusal: Refusal,
    },
    /// The peer takes nobody through these helpers, so that it is asked directly. It says so itself.
    HelpersRefused {
        /// The helpers of the way, in order.
        helpers: Vec<Eid>,
        /// Its words.
        reason: PeerText,
    },
    /// The peer is reached by way of helpers that are there only for that, and this host is asking for a direct channel
    /// now, or for a way to it at all: who can introduce the two to each other is to do so
    /// ([`Host::introduced`](crate::Host::introduced)).
    WantsIntroduction,
    /// No direct way to the peer has opened: the streams go on by way of the helpers that are there to reach it. It is
    /// tried again, after a while.
    StaysRelayed {
        /// Why.
        why: Relayed,
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
