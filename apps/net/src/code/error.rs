//! Why code did not come, or go.

use core::time::Duration;
use std::io;

use tng_services::code::{Declined, FetchError, MANIFEST_MAX, PushError, TooLarge};
use tng_stack::structured::refusal;

use crate::error::RequestError;

/// Why code did not come from a peer, or go to it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// Peer or policy: it gives no such code, or does not take it.
    #[error(transparent)]
    Declined(#[from] Declined),
    /// Peer: what it sends.
    #[error(transparent)]
    Fetch(FetchError),
    /// Peer: what it answers to what was pushed.
    #[error(transparent)]
    Push(PushError),
    /// Peer: it serves no code.
    #[error("the peer serves no code ({0}); ask a host that does")]
    NotServed(#[source] RequestError),
    /// Caller: it cannot be sent.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// Caller: the manifest is too long.
    #[error("a manifest has at most {MANIFEST_MAX} bytes, this has {0}; make it shorter")]
    ManifestTooLong(usize),
    /// Environment: the connection, or the request, came to an end.
    #[error("the transfer was cut ({0}); ask again, it goes on from there")]
    Cut(#[source] RequestError),
    /// Environment: it took too long.
    #[error("the transfer took more than {0:?}; ask again, it goes on from there")]
    TooSlow(Duration),
}

impl From<RequestError> for CodeError {
    fn from(error: RequestError) -> CodeError {
        match error {
            RequestError::Refused { code: refusal::BUSY, .. } => Declined::Busy.into(),
            RequestError::Refused { .. } => CodeError::NotServed(error),
            RequestError::TimedOut(after) => CodeError::TooSlow(after),
            error => CodeError::Cut(error),
        }
    }
}

impl From<FetchError> for CodeError {
    fn from(error: FetchError) -> CodeError {
        match error {
            FetchError::Declined(declined) => declined.into(),
            error => CodeError::Fetch(error),
        }
    }
}

impl From<PushError> for CodeError {
    fn from(error: PushError) -> CodeError {
        match error {
            PushError::Declined(declined) => declined.into(),
            error => CodeError::Push(error),
        }
    }
}

impl CodeError {
    /// The kind of the [`io::Error`] that this turns into.
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            CodeError::Declined(_) => io::ErrorKind::PermissionDenied,
            CodeError::Fetch(FetchError::Cut { .. }) | CodeError::Cut(_) => io::ErrorKind::UnexpectedEof,
            CodeError::Fetch(_) | CodeError::Push(_) => io::ErrorKind::InvalidData,
            CodeError::NotServed(_) => io::ErrorKind::ConnectionRefused,
            CodeError::TooLarge(_) | CodeError::ManifestTooLong(_) => io::ErrorKind::InvalidInput,
            CodeError::TooSlow(_) => io::ErrorKind::TimedOut,
        }
    }
}

impl From<CodeError> for io::Error {
    fn from(error: CodeError) -> io::Error {
        io::Error::new(error.kind(), error)
    }
}
