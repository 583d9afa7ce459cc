//! Helpers on the way, and which of them a host goes through.

use core::net::SocketAddr;

use tng_base::Eid;
use tng_flow::Stop;

/// A helper on the way.
#[derive(Clone, Debug)]
pub struct Via {
    /// Who it is, which the other end is told.
    pub eid: Eid,
    /// Where it is, and what lets us use it.
    pub stop: Stop,
    /// Where its carriers are, if this host can have any: they are asked where UDP does not reach the first helper on
    /// the way.
    pub carried: Vec<SocketAddr>,
    /// What it says of what it has taken is believed. If all helpers of a path are trusted, nothing but the sections
    /// bounds what this end may have under way there; else twice what the other end acknowledges does
    /// ([`GUARD_FLOOR`](crate::GUARD_FLOOR)).
    pub trusted: bool,
    /// It is there only to reach somebody whom no direct way leads to yet: if all helpers of a path are, it is left for
    /// a direct one as soon as there is one ([`Host::introduced`](crate::Host::introduced)). One that the user has
    /// chosen is not.
    pub only_to_reach: bool,
}

impl Via {
    /// A helper that the user has chosen, and whose word is not believed, by UDP.
    pub const fn new(eid: Eid, stop: Stop) -> Via {
        Via { eid, stop, carried: Vec::new(), trusted: false, only_to_reach: false }
    }
}

/// Which helpers peers may come through.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Helpers {
    /// Any: they see nothing but sealed packets.
    #[default]
    Any,
    /// These alone.
    Named(Vec<Eid>),
    /// None: every path is direct.
    None,
}

impl Helpers {
    /// Whether a peer may come by this path.
    pub fn permit(&self, path: &[Eid]) -> bool {
        match self {
            Helpers::Any => true,
            Helpers::Named(named) => path.iter().all(|eid| named.contains(eid)),
            Helpers::None => path.is_empty(),
        }
    }
}

/// Whose offers a host takes of helpers in the path that nobody named: such a helper sees a set-up pass, and offers
/// itself to who begins it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum HelpersInPath {
    /// Anybody's: who stands in the path drops, delays and sees sealed packets in any case, and is judged by use.
    #[default]
    Allowed,
    /// Theirs alone.
    Listed(Vec<Eid>),
    /// Nobody's: an offer is not even read.
    Forbidden,
}

impl HelpersInPath {
    /// Whether this host goes through that helper.
    pub fn permits(&self, helper: Eid) -> bool {
        match self {
            HelpersInPath::Allowed => true,
            HelpersInPath::Listed(listed) => listed.contains(&helper),
            HelpersInPath::Forbidden => false,
        }
    }
}
