//! Why there is no help.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tng_base::PeerText;
use tng_services::help::Denied;
use tng_stack::ConnectError;

use super::HELPERS_MAX;
use crate::error::RequestError;

/// Why there is no capability for a helper.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HelpError {
    /// Helper: it gives none.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// Helper: it answers what no helper answers.
    #[error("what answers there is no helper, or one of another version: {0}")]
    NoHelper(#[source] RequestError),
    /// Helper: its answer cannot be read.
    #[error("the helper's answer cannot be read; it is broken, or of another version")]
    Malformed,
    /// Caller: the helper lets nobody choose this controller.
    #[error(
        "the helper offers no controller {wished:?} for its section, but {}; choose one of these or none",
        list(.offered)
    )]
    Controller {
        /// What was wished.
        wished: String,
        /// What can be had.
        offered: Vec<PeerText>,
    },
    /// Caller: the helper lets nobody choose so long a time.
    #[error("the helper holds packets for {most:?} at most, not for {wished:?}; wish for less, or for nothing")]
    QueueTime {
        /// What was wished.
        wished: Duration,
        /// The longest; zero if there is no choice.
        most: Duration,
    },
    /// Caller: it uses too many helpers.
    #[error("an endpoint uses at most {HELPERS_MAX} helpers; use those that it has")]
    TooMany,
    /// Environment: it cannot be reached, or is somebody else.
    #[error("the helper cannot be asked: {0}")]
    NotReached(#[source] ConnectError),
    /// Environment: it was reached and gave no answer.
    #[error("the helper gave no answer: {0}")]
    NoAnswer(#[source] RequestError),
    /// Environment: the file of capabilities cannot be used.
    #[error("the file of capabilities {}: {fault}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        fault: FileFault,
    },
}

/// What is wrong with a file of capabilities.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileFault {
    /// It cannot be read.
    #[error("it cannot be read: {0}; name another, or let this user read it")]
    Read(#[source] io::Error),
    /// It cannot be written.
    #[error("it cannot be written: {0}; name another, or let this user write it")]
    Write(#[source] io::Error),
    /// Others may read it, or write to it: with which mode.
    #[error("others can use it (mode {0:03o}); remove it, capabilities are asked for again")]
    OpenToOthers(u32),
    /// It is something else.
    #[error("it holds no capabilities, or those of another version; name another, or move it away")]
    Foreign,
    /// This line is damaged.
    #[error("line {0} is damaged; remove the file, capabilities are asked for again")]
    Line(usize),
}

fn list(offered: &[PeerText]) -> String {
    match offered {
        [] => "none".to_owned(),
        _ => offered.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}

impl HelpError {
    /// The kind of the [`io::Error`] that this turns into.
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            HelpError::Denied(_) => io::ErrorKind::PermissionDenied,
            HelpError::NoHelper(_) | HelpError::Malformed => io::ErrorKind::InvalidData,
            HelpError::Controller { .. } | HelpError::QueueTime { .. } => io::ErrorKind::InvalidInput,
            HelpError::TooMany => io::ErrorKind::QuotaExceeded,
            HelpError::NotReached(error) => error.kind(),
            HelpError::NoAnswer(_) => io::ErrorKind::TimedOut,
            HelpError::File { fault: FileFault::Read(error) | FileFault::Write(error), .. } => error.kind(),
            HelpError::File { .. } => io::ErrorKind::InvalidData,
        }
    }
}

impl From<HelpError> for io::Error {
    fn from(error: HelpError) -> io::Error {
        io::Error::new(error.kind(), error)
    }
}
