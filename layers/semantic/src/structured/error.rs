//! What the calls of an application may answer, one type per operation.

use super::buffer::Chunk;
use super::wire::NAME_MAX;

/// What [`read`](super::Streams::read) found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Read {
    /// So many bytes were copied.
    Bytes(usize),
    /// Nothing now; [`Readable`](super::StreamEvent::Readable) follows.
    Blocked,
    /// The peer finished the stream and everything has been read.
    Finished,
}

/// What [`read_chunk`](super::Streams::read_chunk) found.
#[derive(Debug)]
pub enum ReadChunk {
    /// These bytes.
    Bytes(Chunk),
    /// Nothing now; [`Readable`](super::StreamEvent::Readable) follows.
    Blocked,
    /// The peer finished the stream and everything has been read.
    Finished,
}

/// What [`read_message`](super::Streams::read_message) found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadMessage {
    /// The message is whole.
    Whole,
    /// More of it must arrive; [`Readable`](super::StreamEvent::Readable) follows.
    Blocked,
    /// It has more bytes than were allowed. They are still there to be read.
    TooLarge,
    /// The peer finished the stream and every message has been read.
    Finished,
}

/// Why a stream was not opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OpenError {
    /// The peer's creation credit is used up.
    #[error("the peer takes no more streams for now; try again after CanOpen")]
    Blocked,
    /// A name is too long: its length in bytes.
    #[error("a service or protocol name has {0} bytes, at most {NAME_MAX} are allowed; use a shorter name")]
    NameTooLong(usize),
    /// The parent is over, or never was.
    #[error("the parent stream is over; open a top-level stream instead")]
    NoParent,
    /// The connection is lost.
    #[error("the connection is lost; connect again")]
    ConnectionLost,
}

/// Why a datagram was not sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SendDatagramError {
    /// Too much waits to be sent.
    #[error("too many datagrams wait to be sent; send fewer, or give them a lifetime")]
    Full,
    /// The parent is over, never was, or is a datagram itself.
    #[error("the parent stream is over; send on another")]
    NoParent,
    /// The connection is lost.
    #[error("the connection is lost; connect again")]
    ConnectionLost,
}

/// Why nothing was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteError {
    /// The buffer is full.
    #[error("the stream takes no more for now; try again after Writable")]
    Blocked,
    /// The application finished the stream before.
    #[error("the stream was finished; nothing may be written after finish")]
    Finished,
    /// The application reset the stream before.
    #[error("the stream was reset by this side; open another")]
    Reset,
    /// The peer wants no more of this stream.
    #[error("the peer stopped the stream with code {0}; stop writing")]
    Stopped(u64),
    /// The peer refused the stream.
    #[error("the peer refused the stream with code {0}; see the reason in the event")]
    Refused(u64),
    /// There is no such stream, or it is over and its outcome was told.
    #[error("the stream is over; open another")]
    Unknown,
    /// The connection is lost.
    #[error("the connection is lost; connect again")]
    ConnectionLost,
}

/// Why nothing can be read any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadError {
    /// The peer gave the stream up.
    #[error("the peer reset the stream with code {0}; what was not read is gone")]
    Reset(u64),
    /// The application stopped the stream before.
    #[error("the stream was stopped by this side; nothing is read after stop")]
    Stopped,
    /// The peer refused the stream.
    #[error("the peer refused the stream with code {0}; see the reason in the event")]
    Refused(u64),
    /// There is no such stream, or it is over and its outcome was told.
    #[error("the stream is over; open another")]
    Unknown,
    /// The connection is lost.
    #[error("the connection is lost; connect again")]
    ConnectionLost,
}

/// How a peer may break the protocol (close codes of docs/wire.md, section 5).
pub(super) mod violation {
    use tng_base::Violation;

    const PROTOCOL: u64 = 1;
    const FLOW: u64 = 2;
    const STREAMS: u64 = 3;

    const fn protocol(reason: &'static str) -> Violation {
        Violation { code: PROTOCOL, reason }
    }

    pub(in super::super) const MALFORMED: Violation = protocol("malformed frame");
    pub(in super::super) const SETUP: Violation = protocol("set-up item malformed or below the minimum");
    pub(in super::super) const FINAL_OFFSET: Violation = protocol("contradictory final offsets");
    pub(in super::super) const UNKNOWN_STREAM: Violation = protocol("frame for a stream never created");
    pub(in super::super) const UNSENT: Violation = protocol("bytes are said to have arrived that were never sent");
    pub(in super::super) const DATAGRAM: Violation = protocol("datagram larger than any that is sent in pieces");
    pub(in super::super) const MESSAGE: Violation = protocol("end of a message without a byte");
    pub(in super::super) const NOT_YOURS: Violation = protocol("frame only the other side may send for this stream");
    pub(in super::super) const FLOW_STREAM: Violation = Violation { code: FLOW, reason: "stream credit exceeded" };
    pub(in super::super) const FLOW_MESSAGES: Violation = Violation { code: FLOW, reason: "too many messages unread" };
    pub(in super::super) const FLOW_HOST: Violation = Violation { code: FLOW, reason: "host credit exceeded" };
    pub(in super::super) const CREATE: Violation = Violation { code: STREAMS, reason: "creation credit exceeded" };
}
