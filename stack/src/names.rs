//! What a host calls its connections, their channels and their streams, and the protocol that is built in.

use core::fmt;

use tng_base::{ChannelKey, SessionId};
use tng_semantic::structured::StreamId;

/// The name of the semantic protocol that is built in.
pub const PROTOCOL: &str = "structured";

/// A host's handle for a connection to a peer, never reused while the host lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(pub u64);

impl ConnectionId {
    /// The connection's place in its host's table: a small number, that no other which the host has shares at the time.
    pub const fn place(self) -> usize {
        self.0 as u32 as usize
    }
}

/// A host's handle for one of a connection's channels, and so for the path that it takes. Never reused while the host
/// lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PathId(pub u64);

/// Whose packets arrive under a channel id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Owner {
    pub connection: ConnectionId,
    pub channel: ChannelKey,
}

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
