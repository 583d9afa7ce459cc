//! What code has done wrong on this host.

use core::fmt;
use std::collections::BTreeMap;

use tng_base::CodeHash;
use tng_wire::{Reader, Repr};

use crate::wire::{checked, unchecked};

/// Codes that a history knows.
pub const VIOLATORS_MAX: usize = 1_024;
/// Violations of one code that are kept, the newest; the others are counted.
pub const VIOLATIONS_KEPT_MAX: usize = 16;
/// Bytes of a history.
pub(crate) const HISTORY_BYTES_MAX: usize = 512 << 10;

/// What a guest has done. What its peer alone may have done is none: proofs that prove nothing may be a lying peer's,
/// and would put out code that it does not like.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Violation {
    /// It used all of its fuel in one call, or ran past the backstop in time.
    Cpu = 1,
    /// It used all of its stack.
    Stack = 2,
    /// It went on asking for what its quotas deny.
    Denied = 3,
    /// It went on sending when it was told to wait.
    Pushing = 4,
    /// It pointed outside of its memory.
    Pointer = 5,
    /// It panicked, or ran into a trap.
    Trapped = 6,
    /// It did not take its leave in time.
    Unload = 7,
}

impl Violation {
    /// All of them.
    pub const ALL: [Violation; 7] = [
        Violation::Cpu,
        Violation::Stack,
        Violation::Denied,
        Violation::Pushing,
        Violation::Pointer,
        Violation::Trapped,
        Violation::Unload,
    ];

    /// As a word.
    pub const fn word(self) -> &'static str {
        match self {
            Violation::Cpu => "cpu",
            Violation::Stack => "stack",
            Violation::Denied => "denied",
            Violation::Pushing => "pushing",
            Violation::Pointer => "pointer",
            Violation::Trapped => "trapped",
            Violation::Unload => "unload",
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What is known of one code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// Violations since it was first seen, saturating.
    pub total: u32,
    /// The newest of them, the oldest first: when, in seconds of Unix, and what.
    pub(crate) recent: Vec<(u64, Violation)>,
}

impl Record {
    /// The newest violations, the oldest first: when, in seconds of Unix, and what.
    pub fn recent(&self) -> &[(u64, Violation)] {
        &self.recent
    }

    /// How many of those that are kept are no older than so many seconds. One that lies in the future counts: the clock
    /// was set back, and nothing is forgiven by that.
    pub fn within(&self, age_s: u64, now_unix_s: u64) -> usize {
        self.recent.iter().filter(|(at, _)| now_unix_s.saturating_sub(*at) <= age_s).count()
    }

    /// When the newest one was.
    pub fn last_unix_s(&self) -> Option<u64> {
        self.recent.iter().map(|(at, _)| *at).max()
    }
}

/// Why a history is not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HistoryError {
    /// Environment: its checksum is wrong, or what it covers makes no sense.
    Damaged,
    /// Environment: it is of another version.
    Version(u8),
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistoryError::Damaged => f.write_str("the history of violations is damaged"),
            HistoryError::Version(version) => {
                write!(f, "the history of violations is of version {version}, which this tng does not know")
            }
        }
    }
}

impl core::error::Error for HistoryError {}

/// Violations, by code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct History {
    pub(crate) records: BTreeMap<CodeHash, Record>,
    /// Codes that had to make room for others.
    pub forgotten: u64,
}

impl History {
    /// What is known of a code.
    pub fn of(&self, hash: &CodeHash) -> Option<&Record> {
        self.records.get(hash)
    }

    /// All records.
    pub fn all(&self) -> impl Iterator<Item = (&CodeHash, &Record)> {
        self.records.iter()
    }

    /// A violation. If the history is full, the code with the fewest makes room, and is counted as forgotten.
    pub fn add(&mut self, hash: CodeHash, violation: Violation, now_unix_s: u64) {
        if !self.records.contains_key(&hash) && self.records.len() == VIOLATORS_MAX {
            let least = self.records.iter().min_by_key(|(_, record)| (record.total, record.last_unix_s()));
            if let Some(least) = least.map(|(hash, _)| *hash) {
                self.records.remove(&least);
                self.forgotten = self.forgotten.saturating_add(1);
            }
        }
        let record = self.records.entry(hash).or_default();
        record.total = record.total.saturating_add(1);
        if record.recent.len() == VIOLATIONS_KEPT_MAX {
            record.recent.remove(0);
        }
        record.recent.push((now_unix_s, violation));
    }

    /// Forgives a code all that it has done, by this user's word.
    pub fn forgive(&mut self, hash: &CodeHash) -> bool {
        self.records.remove(hash).is_some()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// See [`HistoryError`].
    pub fn read(bytes: &[u8]) -> Result<History, HistoryError> {
        if bytes.len() > HISTORY_BYTES_MAX {
            return Err(HistoryError::Damaged);
        }
        let body = unchecked(bytes, HISTORY_MAGIC, HISTORY_VERSION).map_err(|other| match other {
            Some(version) => HistoryError::Version(version),
            None => HistoryError::Damaged,
        })?;
        let mut reader = Reader::new(body);
        match History::parse(&mut reader) {
            Ok(history) if reader.is_empty() => Ok(history),
            _ => Err(HistoryError::Damaged),
        }
    }

    /// As a file.
    pub fn to_file(&self) -> Vec<u8> {
        checked(&self.to_vec(), HISTORY_MAGIC, HISTORY_VERSION)
    }
}

/// What the file begins with.
const HISTORY_MAGIC: [u8; 4] = *b"tngh";
/// The version of the file.
const HISTORY_VERSION: u8 = 1;
