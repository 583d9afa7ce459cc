//! What a host tells of its connections.

use core::net::SocketAddr;
use core::time::Duration;

use quinn_proto::{Dir, StreamId};

/// Names a connection of one host; never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(pub(super) u64);

/// Something happened to a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Which.
    pub id: ConnectionId,
    /// What.
    pub news: News,
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// A client has begun it. What comes before [`Connected`](News::Connected) is early data.
    Accepted {
        /// Who.
        remote: SocketAddr,
    },
    /// The handshake is complete.
    Connected {
        /// What became of early data.
        early: Early,
    },
    /// The peer has opened a stream, on which there may be something to read.
    Opened(StreamId),
    /// A stream has bytes to read, or its end.
    Readable(StreamId),
    /// A stream takes bytes again, after a write that was cut short.
    Writable(StreamId),
    /// The peer has everything of a stream that was finished.
    Delivered(StreamId),
    /// The peer wants no more of a stream.
    Stopped {
        /// Which.
        stream: StreamId,
        /// The peer's reason.
        code: u64,
    },
    /// Streams can be opened, after an [`OpenError::TooMany`](super::OpenError::TooMany).
    StreamsAvailable(Dir),
    /// Datagrams can be received.
    DatagramReadable,
    /// Datagrams can be sent, after a [`DatagramError::Blocked`](super::DatagramError::Blocked).
    DatagramWritable,
    /// The peer or the path ended it. Nothing of it is left.
    Closed {
        /// How.
        end: End,
        /// Its last figures.
        stats: Stats,
    },
}

/// What became of early data (0-RTT).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Early {
    /// None was offered.
    None,
    /// The server took it.
    Accepted,
    /// The server did not take it: streams opened before are gone.
    Rejected,
}

/// How a connection ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The peer's application closed it.
    ByPeer {
        /// Its reason.
        code: u64,
    },
    /// Nothing was heard for too long.
    TimedOut,
    /// The peer knows nothing of it.
    Reset,
    /// A protocol error, here or there.
    Failed(String),
}

/// What one read gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Read {
    /// So many bytes.
    pub bytes: usize,
    /// And then the end of the stream.
    pub end: bool,
}

/// The figures of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Smoothed round-trip time.
    pub rtt: Duration,
    /// Least round-trip time.
    pub rtt_min: Duration,
    /// Congestion window, bytes.
    pub window: u64,
    /// Congestion events.
    pub congestion_events: u64,
    /// Packets sent.
    pub packets_sent: u64,
    /// Packets taken for lost.
    pub packets_lost: u64,
    /// Bytes of UDP payload sent.
    pub bytes_sent: u64,
    /// Bytes of UDP payload received.
    pub bytes_received: u64,
    /// Largest packet, bytes of UDP payload.
    pub mtu: u16,
}
