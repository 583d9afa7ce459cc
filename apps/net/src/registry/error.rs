//! Why a registry is of no help.

use std::io;
use std::path::PathBuf;

use tng_base::Eid;
use tng_services::registry::{Denied, Flaw, Order};
use tng_stack::ConnectError;

use super::client::RegistryTarget;
use crate::error::RequestError;

/// Why a registry does not answer what it is asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Registry: it hands out as a host's what the host does not say.
    #[error("the registry {registry} lies about {of}, or keeps a damaged statement: {flaw}; use another registry")]
    Lie {
        /// The registry.
        registry: Eid,
        /// The host.
        of: Eid,
        /// What is wrong with what it says.
        flaw: Flaw,
    },
    /// Registry: what it says of a host is older than what was seen before.
    #[error("the registry {registry} is behind: it has number {} of {of}, and {} was seen before; ask another", .has.number, .seen.number)]
    Behind {
        /// The registry.
        registry: Eid,
        /// The host.
        of: Eid,
        /// What it has.
        has: Order,
        /// What was seen.
        seen: Order,
    },
    /// Registry, or peer: what it says of a host has expired.
    #[error(
        "the registry {registry} has of {of} only what expired {ago_s} s ago; the host may be off, or a clock wrong"
    )]
    Expired {
        /// The registry.
        registry: Eid,
        /// The host.
        of: Eid,
        /// How long ago, in seconds.
        ago_s: u64,
    },
    /// Registry, or the host's policy: it does not do this.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// Registry: it answers what no registry answers.
    #[error("what answers there is no registry, or one of another version: {0}")]
    NoRegistry(#[source] RequestError),
    /// Registry: its answer cannot be read.
    #[error("the registry's answer cannot be read; it is broken, or of another version")]
    Malformed,
    /// Peer: the host's key was revoked, by a statement that it has signed.
    #[error("the key {0} was revoked by its owner, who may have lost it; ask them for their new EID")]
    Revoked(Eid),
    /// Peer: the host's key names another heir than before: one of two who have it.
    #[error(
        "the key {of} named {first} as its successor, and now names {seen}: somebody else may have it; ask its owner"
    )]
    OtherHeir {
        /// The host.
        of: Eid,
        /// The first heir, which was taken.
        first: Eid,
        /// The other.
        seen: Eid,
    },
    /// Policy, or peer: the host is not registered there, or does not let us look it up.
    #[error(
        "{0} is not registered, or does not let this host look it up; check the EID, and that it runs with --register"
    )]
    Absent(Eid),
    /// Caller: there is no registry to ask.
    #[error("no registry is known; name one, or say where the host is")]
    NoneKnown,
    /// Environment: it cannot be reached, or is somebody else.
    #[error("the registry {registry} cannot be asked: {error}")]
    NotReached {
        /// Who and where it is.
        registry: Box<RegistryTarget>,
        /// Why.
        #[source]
        error: ConnectError,
    },
    /// Environment: it gave no answer, or not all of it.
    #[error("{}", unanswered(.registry, .error))]
    NoAnswer {
        /// Who and where it is.
        registry: Box<RegistryTarget>,
        /// Why.
        #[source]
        error: RequestError,
    },
    /// Environment: it could not be remembered what was seen.
    #[error("the file of what was seen of registries, {}: {fault}", path.display())]
    Seen {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        fault: SeenFault,
    },
}

/// What is wrong with a file of what was seen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeenFault {
    /// It cannot be read.
    #[error("it cannot be read: {0}; name another, or let this user read it")]
    Read(#[source] io::Error),
    /// It cannot be written.
    #[error("it cannot be written: {0}; name another, or let this user write it")]
    Write(#[source] io::Error),
    /// It is something else.
    #[error("line {0} is damaged, or of another version; restore it, or remove it and believe the registries anew")]
    Line(usize),
}

fn unanswered(registry: &RegistryTarget, error: &RequestError) -> String {
    match error {
        RequestError::TimedOut(within) => format!(
            "the registry {registry} gave no answer within {within:?}; check its address, that it runs and that UDP \
             passes, or ask another"
        ),
        error => format!("the registry {registry} gave no answer: {error}"),
    }
}

impl RegistryError {
    pub(super) fn not_reached(registry: &RegistryTarget, error: ConnectError) -> RegistryError {
        RegistryError::NotReached { registry: Box::new(registry.clone()), error }
    }

    /// Whether another registry, or the same one later, may know better.
    pub const fn may_pass(&self) -> bool {
        matches!(
            self,
            RegistryError::NotReached { .. }
                | RegistryError::NoAnswer { .. }
                | RegistryError::Denied(Denied::TooOften | Denied::Full | Denied::Unavailable | Denied::NotAttended)
        )
    }

    /// Which of several registries' errors is told: the greatest.
    pub(super) const fn weight(&self) -> u8 {
        match self {
            RegistryError::Lie { .. } | RegistryError::OtherHeir { .. } => 5,
            RegistryError::Behind { .. } => 4,
            RegistryError::Absent(_) | RegistryError::Expired { .. } => 3,
            error if error.may_pass() => 1,
            _ => 2,
        }
    }

    /// The kind of the [`io::Error`] that this turns into.
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            RegistryError::Lie { .. } | RegistryError::Revoked(_) | RegistryError::OtherHeir { .. } => {
                io::ErrorKind::PermissionDenied
            }
            RegistryError::Denied(_) => io::ErrorKind::PermissionDenied,
            RegistryError::Behind { .. } | RegistryError::NoRegistry(_) | RegistryError::Malformed => {
                io::ErrorKind::InvalidData
            }
            RegistryError::Absent(_) | RegistryError::Expired { .. } => io::ErrorKind::NotFound,
            RegistryError::NoneKnown => io::ErrorKind::InvalidInput,
            RegistryError::NotReached { error, .. } => error.kind(),
            RegistryError::NoAnswer { .. } => io::ErrorKind::TimedOut,
            RegistryError::Seen { fault: SeenFault::Read(error) | SeenFault::Write(error), .. } => error.kind(),
            RegistryError::Seen { .. } => io::ErrorKind::InvalidData,
        }
    }
}

impl From<RegistryError> for io::Error {
    fn from(error: RegistryError) -> io::Error {
        io::Error::new(error.kind(), error)
    }
}
