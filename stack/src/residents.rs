//! Residents: the connections that peers have begun and confirmed, and which of them gives way when there are as many
//! as may be. (A guest is code of a peer's, which has nothing to do with it.)

use core::ops::Bound::{Excluded, Unbounded};
use core::time::Duration;
use std::collections::BTreeMap;

use tng_base::Instant;
use tng_endpoint::Network;

use crate::ConnectionId;
use crate::connection::Connection;
use crate::table::Table;

/// A connection without streams is as good as left alone when nothing has been heard of its peer for this long.
pub const QUIET_AFTER: Duration = Duration::from_secs(1);

/// Places are scarce when fewer than this part of them is free; then those that are silent are asked whether they are
/// there.
pub const SCARCE_BELOW: usize = 4;

/// Connections that are looked at, in turn, for one that gives way.
pub const LOOKED_AT_MAX: usize = 256;

/// Whose connections there are.
#[derive(Debug, Default)]
pub(crate) struct Residents {
    /// With the network that each came from.
    members: BTreeMap<ConnectionId, Network>,
    crowds: BTreeMap<Network, usize>,
    /// The last that was looked at.
    hand: Option<ConnectionId>,
    /// When those that were silent were last asked whether they are there.
    asked_at: Option<Instant>,
}

impl Residents {
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn contains(&self, id: ConnectionId) -> bool {
        self.members.contains_key(&id)
    }

    /// A peer has come in.
    pub(crate) fn insert(&mut self, id: ConnectionId, network: Network) {
        if self.members.insert(id, network).is_none() {
            *self.crowds.entry(network).or_default() += 1;
        }
    }

    /// It has left.
    pub(crate) fn remove(&mut self, id: ConnectionId) {
        if let Some(network) = self.members.remove(&id)
            && let Some(crowd) = self.crowds.get_mut(&network)
        {
            *crowd -= 1;
            if *crowd == 0 {
                self.crowds.remove(&network);
            }
        }
    }

    /// Connections whose turn it is for a look.
    fn turn(&self) -> impl Iterator<Item = (&ConnectionId, &Network)> {
        let after = self.hand.map_or(Unbounded, Excluded);
        let all = self.members.range((after, Unbounded)).chain(&self.members);
        all.take(LOOKED_AT_MAX.min(self.members.len()))
    }

    /// Which connection gives way to one more from `network`, if any does. Networks are to have as many as each other:
    /// of those with more than the newcomer's would have, the largest gives, first what is left alone, then what was
    /// heard of least lately. A network with just as many, and so also the newcomer's own, gives only what is left
    /// alone: a peer that is there and does something stays.
    pub(crate) fn who_gives_way(
        &mut self,
        now: Instant,
        network: Network,
        connections: &Table<Connection>,
    ) -> Option<ConnectionId> {
        let crowd = |network: &Network| self.crowds.get(network).copied().unwrap_or(0);
        let newcomers = crowd(&network) + 1;
        let mut last = None;
        let candidates = self.turn().inspect(|(id, _)| last = Some(**id)).filter_map(|(id, its)| {
            let connection = connections.get(*id).filter(|connection| connection.is_settled())?;
            let others = crowd(its) + usize::from(*its == network);
            let (quiet, crowded) = (is_quiet(now, connection), others > newcomers);
            let may = crowded || quiet && others == newcomers;
            may.then_some((!crowded, core::cmp::Reverse(others), !quiet, connection.last_heard(), *id))
        });
        let worst = candidates.min().map(|(.., id)| id);
        self.hand = last;
        worst
    }

    /// Connections whose turn it is for a look.
    pub(crate) fn next_to_look_at(&self) -> Vec<ConnectionId> {
        self.turn().map(|(id, _)| *id).collect()
    }

    /// The same; then it is that of others.
    pub(crate) fn look_at(&mut self) -> Vec<ConnectionId> {
        let looked_at = self.next_to_look_at();
        self.hand = looked_at.last().copied();
        looked_at
    }

    /// Those to be asked whether they are still there, if places are getting scarce: of those whose turn it is, the
    /// ones that have been silent. One that does not answer soon counts as left alone.
    pub(crate) fn silent(&mut self, now: Instant, places: usize, connections: &Table<Connection>) -> Vec<ConnectionId> {
        let lately = self.asked_at.is_some_and(|at| now.since(at) < QUIET_AFTER);
        if lately || self.members.len() < places - places / SCARCE_BELOW {
            return Vec::new();
        }
        self.asked_at = Some(now);
        let unheard = |id: &ConnectionId| {
            let heard = connections.get(*id).and_then(Connection::last_heard);
            heard.is_some_and(|heard| now.since(heard) >= QUIET_AFTER)
        };
        self.turn().map(|(id, _)| *id).filter(unheard).collect()
    }
}

/// Whether a connection is left alone: its peer does not answer any more, or has no stream and nothing to say.
pub(crate) fn is_quiet(now: Instant, connection: &Connection) -> bool {
    let silent = || connection.last_heard().is_none_or(|heard| now.since(heard) >= QUIET_AFTER);
    !connection.has_good_channel() || !connection.is_open() && silent()
}
