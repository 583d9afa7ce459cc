//! Why a host does not do what it is asked for.

use core::net::SocketAddr;

use super::host::CONNECTIONS_MAX;

/// There is no such connection any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no such connection any more")]
pub struct Gone;

/// Why no connection could be begun.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConnectError {
    /// The host has [`CONNECTIONS_MAX`].
    #[error("the host has {CONNECTIONS_MAX} connections, and room for no more; close some")]
    Full,
    /// That is no address of a host.
    #[error("no QUIC connection to {0} can be made: {1}")]
    Refused(SocketAddr, String),
}

/// Why no stream could be opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OpenError {
    /// The peer admits no more for now; [`News::StreamsAvailable`](super::News::StreamsAvailable) tells when it does.
    #[error("the peer admits no more streams for now")]
    TooMany,
    /// There is no such connection.
    #[error(transparent)]
    Gone(#[from] Gone),
}

/// Why a stream takes nothing more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteError {
    /// The peer wants no more of it.
    #[error("the peer has stopped the stream, with code {0}")]
    Stopped(u64),
    /// It is not open for writing, or was finished.
    #[error("the stream is not open for writing")]
    Closed,
    /// There is no such connection.
    #[error(transparent)]
    Gone(#[from] Gone),
}

/// Why nothing more can be read of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadError {
    /// The peer has given it up.
    #[error("the peer has reset the stream, with code {0}")]
    Reset(u64),
    /// It is not open for reading, or its end has been read.
    #[error("the stream is not open for reading")]
    Closed,
    /// There is no such connection.
    #[error(transparent)]
    Gone(#[from] Gone),
}

/// Why a datagram was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DatagramError {
    /// It fits no packet: QUIC does not split datagrams (RFC 9221 section 5).
    #[error("the datagram is larger than the {0} bytes that one packet holds")]
    TooLarge(usize),
    /// Too many wait; [`News::DatagramWritable`](super::News::DatagramWritable) tells when there is room.
    #[error("too many datagrams wait to be sent")]
    Blocked,
    /// The peer takes none.
    #[error("the peer takes no datagrams")]
    Unsupported,
    /// There is no such connection.
    #[error(transparent)]
    Gone(#[from] Gone),
}
