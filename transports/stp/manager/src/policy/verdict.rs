//! What a policy answers.

use core::fmt;
use std::sync::Arc;

use tng_base::CodeHash;
use tng_settings::units::moment;
use tng_stp_abi::Kind;

use crate::{Cap, PublisherKey, Version};

/// Why code has a host's trust, from the most to the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// It comes with the program.
    BuiltIn,
    /// This user, or the policy, names its hash.
    Pinned,
    /// A publisher of the policy has signed it.
    Signed,
    /// Nobody vouches for it.
    Any,
}

impl Level {
    /// As a word.
    pub const fn word(self) -> &'static str {
        match self {
            Level::BuiltIn => "built in",
            Level::Pinned => "pinned",
            Level::Signed => "signed",
            Level::Any => "any",
        }
    }
}

/// What code may have while it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of memory of an instance.
    pub memory: u64,
    /// Fuel of a callback.
    pub fuel: u64,
    /// What holds its rate.
    pub cap: Cap,
}

/// Why code does not run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// Policy: the rule accepts none.
    AcceptsNone,
    /// Policy: the rule accepts what is pinned, and this is not.
    NotPinned,
    /// Policy: the rule accepts what is signed, and so few of a publisher's keys have signed this.
    NotSigned {
        /// Good signatures of the publisher that has most of them.
        signatures: usize,
        /// How many it takes.
        threshold: usize,
    },
    /// Policy: it is signed with keys that have been taken back.
    KeyRevoked(PublisherKey),
    /// Policy: a publisher has taken it back.
    Revoked,
    /// Policy: its signatures have ended.
    Expired {
        /// When, in seconds of Unix.
        at_unix_s: u64,
    },
    /// Environment: the clock was never set, so nobody knows whether signatures have ended.
    Clock,
    /// Policy: there has been a later version from the same publisher.
    Downgrade {
        /// Which.
        has: Version,
    },
    /// Policy: there has been other code of the same publisher with the same name and version.
    Substituted {
        /// Which.
        by: CodeHash,
    },
    /// Policy: this user says that it is buggy.
    Flagged {
        /// What is noted with that.
        note: String,
    },
    /// Policy: it has gone wrong too often.
    Offender {
        /// Violations that count.
        violations: usize,
        /// When it is in again, in seconds of Unix.
        until_unix_s: u64,
    },
    /// Policy: this user has not put it here, and the application forbids that.
    ForeignToApplication,
    /// Policy: this user has not put it here, and the rule forbids that.
    ForeignToRule,
    /// Policy: the rule takes no code from peers.
    NotFromPeers,
    /// Policy: the rule takes no code from this host.
    NotFromHost(String),
    /// Policy: no code is taken from files.
    NotFromFiles,
    /// Policy: it is a controller, which is no business between hosts, or carries messages, where hosts agree on what
    /// carries a stream.
    NoTransport(Kind),
    /// Policy: it carries something, and is to regulate.
    NoController(Kind),
    /// Policy: nobody vouches for it, and who regulates has no process of its own.
    NobodyVouches,
    /// Guest: it is built against another version of the border.
    Version {
        /// Which.
        found: u32,
    },
    /// Policy: it has come for connections with this peer before, and was refused.
    RefusedBefore,
}

impl Reason {
    /// A word for programs.
    pub const fn word(&self) -> &'static str {
        match self {
            Reason::AcceptsNone => "accepts-none",
            Reason::NotPinned => "not-pinned",
            Reason::NotSigned { .. } => "not-signed",
            Reason::KeyRevoked(_) => "key-revoked",
            Reason::Revoked => "revoked",
            Reason::Expired { .. } => "expired",
            Reason::Clock => "clock",
            Reason::Downgrade { .. } => "downgrade",
            Reason::Substituted { .. } => "substituted",
            Reason::Flagged { .. } => "flagged",
            Reason::Offender { .. } => "offender",
            Reason::ForeignToApplication => "foreign-to-application",
            Reason::ForeignToRule => "foreign-to-rule",
            Reason::NotFromPeers => "not-from-peers",
            Reason::NotFromHost(_) => "not-from-host",
            Reason::NotFromFiles => "not-from-files",
            Reason::NoTransport(_) => "no-transport",
            Reason::NoController(_) => "no-controller",
            Reason::NobodyVouches => "nobody-vouches",
            Reason::Version { .. } => "version",
            Reason::RefusedBefore => "refused-before",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::AcceptsNone => f.write_str("the rule accepts no code"),
            Reason::NotPinned => f.write_str("the rule accepts pinned code only; `tng stp pin` pins it"),
            Reason::NotSigned { signatures, threshold } => write!(
                f,
                "the rule accepts signed code, and it has {signatures} of the {threshold} signatures that a publisher \
                 of the policy needs; add the publisher, or pin the code"
            ),
            Reason::KeyRevoked(key) => {
                write!(f, "it is signed with {key}, which was taken back; get it with a signature of another key")
            }
            Reason::Revoked => f.write_str("its publisher, or another of the policy, has taken it back"),
            Reason::Expired { at_unix_s } => {
                write!(f, "its signatures ended on {}; get it with new ones", moment(*at_unix_s))
            }
            Reason::Clock => f.write_str("this host's clock was never set, so signatures cannot be judged; set it"),
            Reason::Downgrade { has } => {
                write!(f, "version {has} of it has been here; pin this one to run it nevertheless")
            }
            Reason::Substituted { by } => {
                write!(f, "other code, {}, has been here with its name and version; ask the publisher", by.short())
            }
            Reason::Flagged { note } if note.is_empty() => f.write_str("it is flagged as buggy; `tng stp unflag`"),
            Reason::Flagged { note } => {
                write!(f, "it is flagged as buggy ({}); `tng stp unflag`", tng_base::PeerText::new(note))
            }
            Reason::Offender { violations, until_unix_s } => write!(
                f,
                "it has gone wrong {violations} times and is out until {}; `tng stp unflag` forgives it",
                moment(*until_unix_s)
            ),
            Reason::ForeignToApplication => {
                f.write_str("this user has not put it here, and the application forbids that; install it from a file")
            }
            Reason::ForeignToRule => {
                f.write_str("this user has not put it here, and the rule forbids that; install it from a file")
            }
            Reason::NotFromPeers => f.write_str("the rule takes no code from peers; `sources` says from where"),
            Reason::NotFromHost(host) => {
                write!(f, "the rule takes no code from {}; `sources` says from where", tng_base::PeerText::new(host))
            }
            Reason::NotFromFiles => f.write_str("the policy takes no code from files; `sources` says from where"),
            Reason::NoTransport(kind) => {
                write!(f, "it is of kind {kind:?}, and hosts agree on transports of streams only")
            }
            Reason::NoController(kind) => write!(f, "it is a {kind:?}, and carries something; name a controller"),
            Reason::NobodyVouches => f.write_str(
                "nobody vouches for it, and a controller has no process of its own; `tng stp pin` pins it, or have a \
                 publisher of the policy sign it",
            ),
            Reason::Version { found } => write!(
                f,
                "it is built against version {found} of the border, this host has {}; get another",
                tng_stp_abi::ABI_VERSION
            ),
            Reason::RefusedBefore => f.write_str("it was sent before, and refused; `tng stp install` it from a file"),
        }
    }
}

/// What becomes of code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is here, and may run with this.
    Run(Limits),
    /// It is not here, and may be asked for. Whether it may run is said when it has come.
    Fetch,
    /// It may not run.
    Refuse(Reason),
}

/// What a policy answers, and by which rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The rule that decided.
    pub rule: Arc<str>,
    /// Why the code has trust, as far as it is known.
    pub level: Level,
    /// What becomes of it.
    pub outcome: Outcome,
}

impl Verdict {
    /// What it may run with, if it may run.
    pub const fn limits(&self) -> Option<&Limits> {
        match &self.outcome {
            Outcome::Run(limits) => Some(limits),
            Outcome::Fetch | Outcome::Refuse(_) => None,
        }
    }

    /// Why it may not run, if it may not.
    pub const fn refused(&self) -> Option<&Reason> {
        match &self.outcome {
            Outcome::Refuse(reason) => Some(reason),
            Outcome::Run(_) | Outcome::Fetch => None,
        }
    }
}
