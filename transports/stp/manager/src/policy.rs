//! Which code may run, for whom, and with what.

mod config;
mod decide;
mod verdict;

use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;
use std::collections::BTreeSet;
use std::sync::Arc;

use tng_base::{CodeHash, Eid};
use tng_stp_abi::Kind;

use crate::{Cap, Name, NameError, PublisherKey};

pub use config::{HostCheck, Words};
pub use verdict::{Level, Limits, Outcome, Reason, Verdict};

/// Which code a rule accepts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Acceptance {
    /// None at all.
    None,
    /// What comes with the program, and what is pinned.
    Pinned,
    /// That, and what a publisher of the policy has signed.
    Signed,
    /// Whatever a peer names.
    Any,
}

impl Acceptance {
    /// All of them, by their names.
    pub(crate) const NAMES: [&'static str; 4] = ["none", "pinned", "signed", "any"];
    pub(crate) const ALL: [Acceptance; 4] = [Acceptance::None, Acceptance::Pinned, Acceptance::Signed, Acceptance::Any];
}

impl fmt::Display for Acceptance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Acceptance::NAMES[*self as usize])
    }
}

/// A transport that a rule prefers: by hash, or by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// This code.
    Hash(CodeHash),
    /// The newest that is called so.
    Name(Name),
}

impl FromStr for Choice {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Choice, NameError> {
        // A name is never as long as a hash.
        text.parse().map(Choice::Hash).or_else(|_| text.parse().map(Choice::Name))
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Hash(hash) => hash.fmt(f),
            Choice::Name(name) => name.fmt(f),
        }
    }
}

/// Where code may be fetched from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The peer that offers it.
    Peer,
    /// A file, by this user.
    File,
    /// A host, by its name or address, that is asked for what no peer sends.
    Host(String),
}

/// Who signs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Publisher {
    /// What this host calls it.
    pub name: String,
    /// Its keys.
    pub keys: Vec<PublisherKey>,
    /// How many of them must have signed.
    pub threshold: usize,
}

/// What code is to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Purpose {
    /// Carry a connection of a stream, as transports do.
    #[default]
    Carry,
    /// Regulate what this host sends, as controllers do. That is this host's own business: there is no peer, and no
    /// service.
    Regulate,
}

impl Purpose {
    /// What code of this kind is for.
    pub const fn of(kind: Kind) -> Purpose {
        match kind {
            Kind::Controller => Purpose::Regulate,
            Kind::Transport | Kind::Messages => Purpose::Carry,
        }
    }
}

/// A connection, as rules see it; or all of them, for code that regulates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Question<'a> {
    /// What the code is to do.
    pub purpose: Purpose,
    /// The application here that opens it or serves it, by the name that it gives itself.
    pub application: Option<&'a str>,
    /// The application forbids foreign code: what this user has not put here.
    pub no_foreign: bool,
    /// Who is at the other end, if that is known.
    pub peer: Option<Eid>,
    /// The service that is asked for.
    pub service: &'a str,
    /// This host's port if it accepts, the peer's if it opens.
    pub port: Option<u16>,
}

/// What a rule applies to. An empty list stands for all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct When {
    /// Applications.
    pub applications: Vec<String>,
    /// Peers.
    pub peers: Vec<Eid>,
    /// Services.
    pub services: Vec<String>,
    /// Ports.
    pub ports: Vec<RangeInclusive<u16>>,
}

impl When {
    fn matches(&self, question: &Question<'_>) -> bool {
        let application = question.application.unwrap_or_default();
        let has = |names: &[String], name: &str| names.is_empty() || names.iter().any(|known| known == name);
        has(&self.applications, application)
            && has(&self.services, question.service)
            && (self.peers.is_empty() || question.peer.is_some_and(|peer| self.peers.contains(&peer)))
            && (self.ports.is_empty()
                || question.port.is_some_and(|port| self.ports.iter().any(|range| range.contains(&port))))
    }
}

/// A rule. The first one that applies decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// What it is called in verdicts.
    pub name: Arc<str>,
    /// What it applies to.
    pub when: When,
    /// Which code may run.
    pub accept: Acceptance,
    /// Whether that may be code that this user has not put here.
    pub foreign: bool,
    /// Which transports this host would rather use, the best first.
    pub prefer: Vec<Choice>,
    /// Where code may be fetched from: the peer that has it comes first, then hosts in this order.
    pub sources: Vec<Source>,
    /// What of the peer's word counts for what holds a guest's rate.
    pub trusts: Trust,
}

/// What is believed of a peer's host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trust {
    /// Nothing: every loss is congestion.
    #[default]
    Nothing,
    /// Its reports of routers' marks: these are congestion, and losses are not (STP 3.4).
    Marks,
}

impl Trust {
    /// All of them, by their names.
    pub(crate) const NAMES: [&'static str; 2] = ["nothing", "marks"];
    pub(crate) const ALL: [Trust; 2] = [Trust::Nothing, Trust::Marks];
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Trust::NAMES[*self as usize])
    }
}

impl Rule {
    /// Whether code may come from the peer that has it.
    pub fn takes_from_peers(&self) -> bool {
        self.sources.contains(&Source::Peer)
    }

    /// The hosts that are asked for code that no peer sends, in this order.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().filter_map(|source| match source {
            Source::Host(host) => Some(host.as_str()),
            Source::Peer | Source::File => None,
        })
    }
}

/// The most that code of each level has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LevelLimits {
    /// Code that comes with the program, or is pinned.
    pub pinned: Limits,
    /// Code that is signed.
    pub signed: Limits,
    /// Other code.
    pub any: Limits,
}

impl Default for LevelLimits {
    fn default() -> LevelLimits {
        LevelLimits {
            pinned: Limits { memory: 16 << 20, fuel: 8_000_000, cap: Cap::Modern },
            signed: Limits { memory: 16 << 20, fuel: 8_000_000, cap: Cap::Modern },
            any: Limits { memory: 4 << 20, fuel: 2_000_000, cap: Cap::Equation },
        }
    }
}

/// When code that went wrong is out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offenders {
    /// Violations that put it out.
    pub most: usize,
    /// Within how many seconds.
    pub within_s: u64,
    /// For how many seconds, from the last one on.
    pub out_s: u64,
}

impl Default for Offenders {
    fn default() -> Offenders {
        Offenders { most: VIOLATIONS_DEFAULT, within_s: VIOLATIONS_WITHIN_DEFAULT, out_s: OUT_DEFAULT }
    }
}

/// The policy of a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Who signs.
    pub publishers: Vec<Publisher>,
    /// Code that is pinned by the policy; a store has more.
    pub pins: BTreeSet<CodeHash>,
    /// Applications of this user's own, which rules may name.
    pub applications: Vec<String>,
    /// Services of this user's own, which rules may name.
    pub services: Vec<String>,
    /// Rules, the first one that applies decides.
    pub rules: Vec<Rule>,
    /// What decides where none of them applies.
    pub default: Rule,
    /// What code of each level has at most.
    pub limits: LevelLimits,
    /// When code that went wrong is out.
    pub offenders: Offenders,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            publishers: Vec::new(),
            pins: BTreeSet::new(),
            applications: Vec::new(),
            services: Vec::new(),
            rules: Vec::new(),
            default: Rule {
                name: DEFAULT_RULE.into(),
                when: When::default(),
                accept: Acceptance::Signed,
                foreign: true,
                prefer: Vec::new(),
                sources: vec![Source::Peer, Source::File],
                trusts: Trust::Nothing,
            },
            limits: LevelLimits::default(),
            offenders: Offenders::default(),
        }
    }
}

impl Policy {
    /// The rule that decides.
    pub fn rule(&self, question: &Question<'_>) -> &Rule {
        self.rules.iter().find(|rule| rule.when.matches(question)).unwrap_or(&self.default)
    }

    /// Whether any rule accepts code of this level.
    pub fn accepts(&self, level: Level) -> bool {
        let least = match level {
            Level::BuiltIn | Level::Pinned => Acceptance::Pinned,
            Level::Signed => Acceptance::Signed,
            Level::Any => Acceptance::Any,
        };
        self.rules.iter().chain([&self.default]).any(|rule| rule.accept >= least)
    }

    /// The publisher that has this key.
    pub fn publisher_of(&self, key: &PublisherKey) -> Option<&Publisher> {
        self.publishers.iter().find(|publisher| publisher.keys.contains(key))
    }
}

/// What the rule at the end is called.
const DEFAULT_RULE: &str = "default";
/// Violations that put code out, unless the policy says otherwise.
pub const VIOLATIONS_DEFAULT: usize = 3;
/// Seconds within which they put it out, unless the policy says otherwise: a week.
pub const VIOLATIONS_WITHIN_DEFAULT: u64 = 7 * 86_400;
/// Seconds for which it is out from its last violation on, unless the policy says otherwise: 30 days.
pub const OUT_DEFAULT: u64 = 30 * 86_400;
/// A clock that says less was never set: 1 January 2026, in seconds of Unix.
pub const CLOCK_MIN: u64 = 1_767_225_600;
