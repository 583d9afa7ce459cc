//! What can go wrong, one type per operation.
//!
//! Variants are sorted by whose fault it is: the peer's, the caller's, the environment's, or a policy's. Every error
//! turns into an [`io::Error`] of a fitting kind, and says what to do.

use core::time::Duration;
use std::io;
use std::net::SocketAddr;

use tng_base::PeerText;
use tng_congestion::UnknownController;
use tng_stack::{AttachError, BadProtocol, TICKETS_MAX, structured};
pub use tng_stack::{CloseCause, ConnectError};
use tng_trickles::KeysError;

use crate::registry::REGISTRIES_MAX;

/// Why an endpoint did not come into being.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// Caller: a service or protocol name is too long: its length in bytes.
    #[error("a service or protocol name has {0} bytes, at most {max} are allowed; use a shorter \
             name", max = structured::NAME_MAX)]
    NameTooLong(usize),
    /// Caller: the protocol cannot be registered.
    #[error(transparent)]
    Protocol(#[from] BadProtocol),
    /// Caller: there is no such congestion controller.
    #[error(transparent)]
    Controller(#[from] UnknownController),
    /// Caller: the builder was not used within a tokio runtime.
    #[error("an endpoint needs a tokio runtime with I/O and timers; build it inside one")]
    NoRuntime,
    /// Environment: the system refused the address.
    #[error("cannot bind {addr}: {source}; choose another address or port, or end the program that holds it")]
    Address {
        /// The address asked for.
        addr: SocketAddr,
        /// The system's answer.
        source: io::Error,
    },
    /// Caller: the endpoint answers a service of that name already.
    #[error("the service {0} is answered already; serve it once, or under another name")]
    Served(String),
    /// Caller: an endpoint of several threads has a socket for each.
    #[error("an endpoint of several threads cannot move to one socket; name an address, or build it with one thread")]
    Threads,
    /// Environment, or policy: there is no guest to download with.
    #[error("no guest can begin: {0}")]
    Guest(#[source] tng_stp_host::Fault),
    /// Caller: what asks for the object is too long.
    #[error("what asks for the object does not fit: {0}")]
    Asked(#[source] tng_stp_host::WriteError),
    /// Caller: a client without state has nobody to turn to.
    #[error("the target has no address; name one where its server is")]
    NoAddress,
    /// Caller, or environment: the keys of a server that keeps nothing do not go with the time of day.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// Caller: too many registries are named.
    #[error("an endpoint asks at most {REGISTRIES_MAX} registries; name fewer")]
    Registries,
    /// Environment: the folder of traces, or the capture, cannot be written.
    #[error("cannot write what was asked to be written down: {0}; choose another place, or free some space")]
    Observe(#[source] io::Error),
    /// Environment: the system refused a socket option that is needed, or gave no randomness.
    #[error("the system refused what an endpoint needs: {0}")]
    System(#[source] io::Error),
}

/// Why there is no new ticket.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IssueError {
    /// Caller: it is not tickets that open the endpoint.
    #[error("the endpoint is not opened by tickets; build it with Access::Tickets")]
    NoTickets,
    /// Caller: there are as many as may be.
    #[error("there are {TICKETS_MAX} tickets, as many as may be; revoke some")]
    TooMany,
    /// Environment: the system gave no randomness.
    #[error("the system gave no randomness: {0}")]
    System(#[source] io::Error),
}

/// Why a connection can no longer be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError {
    /// It has ended: by the peer, by this side, or because nothing was heard.
    #[error("the connection has ended: {0}")]
    Ended(#[from] CloseCause),
    /// Caller: its ends speak another protocol.
    #[error("the connection speaks another protocol; ask `Connection::protocol` which")]
    OtherProtocol,
    /// Environment: the endpoint's driver is gone, because its runtime is shutting down or it panicked.
    #[error("the endpoint no longer runs; keep its runtime alive for as long as it is used")]
    Stopped,
}

/// What was asked for is only there while the connection is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the connection is not there; wait until it is connected, or connect again")]
pub struct NotConnected;

/// Why a connection did not get another path.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddPathError {
    /// Caller: the connection is not there yet, or over.
    #[error("the connection is not there; wait until it is connected, or connect again")]
    NotConnected,
    /// Caller: no address was given, and none is known.
    #[error("no address to ask at; give one")]
    NoAddress,
    /// Policy: the connection has as many paths as it may: [`CHANNELS_MAX`](tng_stack::CHANNELS_MAX).
    #[error("the connection has {max} paths, as many as it may; detach one first", max = tng_stack::CHANNELS_MAX)]
    TooMany,
    /// The peer did not answer there, or refused.
    #[error(transparent)]
    Failed(#[from] ConnectError),
}

impl From<AttachError> for AddPathError {
    fn from(error: AttachError) -> AddPathError {
        match error {
            AttachError::NoAddress => AddPathError::NoAddress,
            AttachError::TooMany => AddPathError::TooMany,
            _ => AddPathError::NotConnected,
        }
    }
}

/// Why an incoming connection did not come about.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptError {
    /// Peer: it is no longer interested, or the offer was too old when it was accepted.
    #[error("the peer no longer waits to be accepted; accept sooner")]
    Gone,
}

/// Why a stream was not opened.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Caller: a service or protocol name is too long: its length in bytes.
    #[error("a service or protocol name has {0} bytes, at most {max} are allowed; use a shorter \
             name", max = structured::NAME_MAX)]
    NameTooLong(usize),
    /// Caller: the parent stream is over.
    #[error("the parent stream is over; open a top-level stream instead")]
    NoParent,
    /// The connection has ended.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
}

/// Why no substream, and no datagram, comes from a stream.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubstreamError {
    /// Caller: the parent stream is over, or this side has no handle of it any more.
    #[error(
        "the parent stream is over; keep a handle of it, and one half of it open, for as long as it is to have \
         substreams"
    )]
    ParentOver,
    /// The connection has ended.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
}

/// Why a datagram was not sent.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendDatagramError {
    /// Policy: too many bytes of datagrams wait to be sent already.
    #[error("too many datagrams wait to be sent; send fewer, or give them a lifetime")]
    Full,
    /// Caller: the parent stream is over, or a datagram itself.
    #[error("the parent stream is over; send on another")]
    ParentOver,
    /// The connection has ended.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
}

/// Why a stream takes no more bytes, or was not delivered whole.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Peer: it wants no more of this stream.
    #[error("the peer stopped the stream (code {0}); stop writing")]
    Stopped(u64),
    /// Peer: it refused the stream.
    #[error("the peer refused the stream: {reason} (code {code})")]
    Refused {
        /// A code from docs/wire.md, section 5, "REFUSE codes".
        code: u64,
        /// Its words.
        reason: PeerText,
    },
    /// Caller: the stream was finished, or reset, before.
    #[error("the stream was ended by this side; write before finish, or open another stream")]
    Ended,
    /// The connection has ended.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
}

/// Why nothing more can be read of a stream.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Peer: it gave the stream up. What was not read is gone.
    #[error("the peer reset the stream (code {0}); what was not read is gone")]
    Reset(u64),
    /// Peer: it refused the stream.
    #[error("the peer refused the stream: {reason} (code {code})")]
    Refused {
        /// A code from docs/wire.md, section 5, "REFUSE codes".
        code: u64,
        /// Its words.
        reason: PeerText,
    },
    /// Caller: the stream was stopped before.
    #[error("the stream was stopped by this side; read before stop")]
    Stopped,
    /// Policy: the stream is longer than the limit given.
    #[error("the stream is longer than the {0} bytes that are allowed")]
    TooLong(usize),
    /// The connection has ended.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
}

/// Why a request was not answered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// Peer: it refused the request.
    #[error("the peer refused the request: {reason} (code {code})")]
    Refused {
        /// A code from docs/wire.md, section 5, "REFUSE codes".
        code: u64,
        /// Its words.
        reason: PeerText,
    },
    /// Peer: it gives no answer, for a reason that the service has a code for; see
    /// [`PANICKED`](crate::PANICKED), [`TOO_LONG`](crate::TOO_LONG) and [`TOO_SLOW`](crate::TOO_SLOW).
    #[error("the peer gave no answer: {}", told(*.0))]
    Failed(u64),
    /// Caller: the service's name is too long: its length in bytes.
    #[error("the service's name has {0} bytes, at most {max} are allowed; use a shorter name",
            max = structured::NAME_MAX)]
    NameTooLong(usize),
    /// Policy: the answer is longer than was to be taken.
    #[error("the answer is longer than the {0} bytes that are allowed; allow more with `answer_max`")]
    TooLong(usize),
    /// Policy: there was no answer in the time that it was given.
    #[error("no answer within {0:?}; give it more time, or ask again")]
    TimedOut(Duration),
    /// The connection has ended.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
}

impl From<OpenError> for RequestError {
    fn from(error: OpenError) -> RequestError {
        match error {
            OpenError::NameTooLong(len) => RequestError::NameTooLong(len),
            OpenError::Connection(error) => RequestError::Connection(error),
            OpenError::NoParent => unreachable!("a request has no parent"),
        }
    }
}

/// What the code of a failed request says.
fn told(code: u64) -> String {
    match code {
        crate::PANICKED => "its handler of the request panicked".into(),
        crate::TOO_LONG => "the request is longer than the service takes; send less, or use a stream".into(),
        crate::TOO_SLOW => "the request was not there whole in the time that the service gives it; try again".into(),
        code => format!("code {code}; what it says is for the service to tell"),
    }
}

impl From<ReadError> for RequestError {
    fn from(error: ReadError) -> RequestError {
        match error {
            ReadError::Reset(code) => RequestError::Failed(code),
            ReadError::Refused { code, reason } => RequestError::Refused { code, reason },
            ReadError::TooLong(len) => RequestError::TooLong(len),
            ReadError::Connection(error) => RequestError::Connection(error),
            ReadError::Stopped => unreachable!("who waits for an answer does not stop it"),
        }
    }
}

impl From<RequestError> for io::Error {
    fn from(error: RequestError) -> io::Error {
        let kind = match &error {
            RequestError::Refused { .. } => io::ErrorKind::ConnectionRefused,
            RequestError::Failed(_) => io::ErrorKind::ConnectionReset,
            RequestError::NameTooLong(_) => io::ErrorKind::InvalidInput,
            RequestError::TooLong(_) => io::ErrorKind::FileTooLarge,
            RequestError::TimedOut(_) => io::ErrorKind::TimedOut,
            RequestError::Connection(error) => error.kind(),
        };
        io::Error::new(kind, error)
    }
}

impl From<BindError> for io::Error {
    fn from(error: BindError) -> io::Error {
        let kind = match &error {
            BindError::Threads
            | BindError::Registries
            | BindError::NameTooLong(_)
            | BindError::Protocol(_)
            | BindError::Controller(_)
            | BindError::Asked(_)
            | BindError::Keys(_) => io::ErrorKind::InvalidInput,
            BindError::NoRuntime | BindError::Guest(_) => io::ErrorKind::Other,
            BindError::NoAddress | BindError::Served(_) => io::ErrorKind::InvalidInput,
            BindError::Address { source, .. } | BindError::Observe(source) | BindError::System(source) => source.kind(),
        };
        io::Error::new(kind, error)
    }
}

impl ConnectionError {
    /// The kind of the [`io::Error`] that this turns into.
    pub(crate) fn kind(&self) -> io::ErrorKind {
        match self {
            ConnectionError::Ended(cause) => cause.kind(),
            ConnectionError::OtherProtocol => io::ErrorKind::InvalidInput,
            ConnectionError::Stopped => io::ErrorKind::NotConnected,
        }
    }
}

impl From<ConnectionError> for io::Error {
    fn from(error: ConnectionError) -> io::Error {
        io::Error::new(error.kind(), error)
    }
}

impl From<NotConnected> for io::Error {
    fn from(error: NotConnected) -> io::Error {
        io::Error::new(io::ErrorKind::NotConnected, error)
    }
}

impl From<AddPathError> for io::Error {
    fn from(error: AddPathError) -> io::Error {
        let kind = match &error {
            AddPathError::NotConnected => io::ErrorKind::NotConnected,
            AddPathError::NoAddress => io::ErrorKind::InvalidInput,
            AddPathError::TooMany => io::ErrorKind::QuotaExceeded,
            AddPathError::Failed(error) => error.kind(),
        };
        io::Error::new(kind, error)
    }
}

impl From<AcceptError> for io::Error {
    fn from(error: AcceptError) -> io::Error {
        let kind = match &error {
            AcceptError::Gone => io::ErrorKind::ConnectionAborted,
        };
        io::Error::new(kind, error)
    }
}

impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> io::Error {
        let kind = match &error {
            OpenError::NameTooLong(_) | OpenError::NoParent => io::ErrorKind::InvalidInput,
            OpenError::Connection(error) => error.kind(),
        };
        io::Error::new(kind, error)
    }
}

impl From<SubstreamError> for io::Error {
    fn from(error: SubstreamError) -> io::Error {
        let kind = match &error {
            SubstreamError::ParentOver => io::ErrorKind::InvalidInput,
            SubstreamError::Connection(error) => error.kind(),
        };
        io::Error::new(kind, error)
    }
}

impl From<SendDatagramError> for io::Error {
    fn from(error: SendDatagramError) -> io::Error {
        let kind = match &error {
            SendDatagramError::Full => io::ErrorKind::WouldBlock,
            SendDatagramError::ParentOver => io::ErrorKind::InvalidInput,
            SendDatagramError::Connection(error) => error.kind(),
        };
        io::Error::new(kind, error)
    }
}

impl From<WriteError> for io::Error {
    fn from(error: WriteError) -> io::Error {
        let kind = match &error {
            WriteError::Stopped(_) | WriteError::Ended => io::ErrorKind::BrokenPipe,
            WriteError::Refused { .. } => io::ErrorKind::ConnectionRefused,
            WriteError::Connection(error) => error.kind(),
        };
        io::Error::new(kind, error)
    }
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> io::Error {
        let kind = match &error {
            ReadError::Reset(_) => io::ErrorKind::ConnectionReset,
            ReadError::Refused { .. } => io::ErrorKind::ConnectionRefused,
            ReadError::Stopped => io::ErrorKind::NotConnected,
            ReadError::TooLong(_) => io::ErrorKind::FileTooLarge,
            ReadError::Connection(error) => error.kind(),
        };
        io::Error::new(kind, error)
    }
}
