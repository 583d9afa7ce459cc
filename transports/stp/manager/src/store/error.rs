//! What can go wrong with a store.

use core::fmt;
use std::io;

use tng_base::CodeHash;

use crate::{HistoryError, IndexError, RevocationError};

/// Why a store does not do what it should.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// Caller: there is no such module here.
    NotHere(CodeHash),
    /// Caller: there is no home to keep a store in.
    NoHome,
    /// Environment: the disk is full.
    Full {
        /// What was done.
        doing: &'static str,
    },
    /// Environment: the disk, or the system, says no.
    Disk {
        /// What was done.
        doing: &'static str,
        /// What it says.
        kind: io::ErrorKind,
        /// The same in words.
        why: String,
    },
    /// Environment: others may write to the store's folder, or it is somebody else's.
    Open {
        /// Its mode.
        mode: u32,
    },
    /// Environment: a module's bytes are not those that its hash names. It is set aside.
    Damaged(CodeHash),
    /// Environment: the index cannot be read. Opening the store sets it aside.
    Index(IndexError),
    /// Environment: the history cannot be read. Opening the store sets it aside.
    History(HistoryError),
    /// Policy: it does not fit, though everything was collected that may be.
    Quota {
        /// Bytes that should come.
        bytes: u64,
        /// Bytes that a store may have.
        quota: u64,
    },
    /// Policy: more bytes than one of these may have.
    TooLarge {
        /// Bytes.
        bytes: u64,
    },
    /// Policy: there are as many of these as a store may have.
    TooMany(&'static str),
    /// A revocation list is not taken.
    Revocation(RevocationError),
}

impl StoreError {
    pub(super) fn io(doing: &'static str, error: &io::Error) -> StoreError {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full { doing },
            kind => StoreError::Disk { doing, kind, why: error.to_string() },
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::NotHere(hash) => {
                write!(f, "there is no module {} in the store; `tng stp list` tells what is", hash.short())
            }
            StoreError::NoHome => {
                f.write_str("neither XDG_DATA_HOME nor HOME is set to a whole path; name a folder with --store")
            }
            StoreError::Full { doing } => write!(f, "{doing}: the disk is full; make room, and do it again"),
            StoreError::Disk { doing, why, .. } => write!(f, "{doing}: {why}"),
            StoreError::Open { mode } => write!(
                f,
                "the folder of the store is somebody else's, or others may write to it (mode {mode:03o}); give it to \
                 this user, mode 700"
            ),
            StoreError::Damaged(hash) => {
                write!(f, "the module {} was damaged on the disk, and is set aside; install it again", hash.short())
            }
            StoreError::Index(error) => write!(f, "{error}; `tng stp list` sets it aside and makes a new one"),
            StoreError::History(error) => write!(f, "{error}; `tng stp list` sets it aside and begins a new one"),
            StoreError::Quota { bytes, quota } => write!(
                f,
                "{bytes} bytes do not fit into a store of {quota}, though all that is not pinned was collected; unpin \
                 or remove something"
            ),
            StoreError::TooLarge { bytes } => write!(f, "{bytes} bytes are more than a store takes of one module"),
            StoreError::TooMany(what) => write!(f, "the store has as many {what} as it may; remove some"),
            StoreError::Revocation(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for StoreError {}
