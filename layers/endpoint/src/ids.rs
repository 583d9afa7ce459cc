//! Channel ids with spares, so that a channel can take a fresh name at every move (ARCHITECTURE section 3).

use std::collections::VecDeque;

use tng_base::ChannelId;

/// Spare ids that each side keeps in the other's hands.
pub const SPARE_IDS: usize = 2;

/// Ids of the peer's that are held at once; a peer that issues more breaks the protocol.
pub const MAX_REMOTE_IDS: usize = 8;

/// An id with its place in the issuer's sequence and its stateless-reset token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct IssuedId {
    /// 0 for the id of the set-up, then rising by one.
    pub sequence: u64,
    /// The id.
    pub id: ChannelId,
    /// The token whose arrival in a stateless reset ends the channel, if the issuer gave one.
    pub token: Option<[u8; 16]>,
}

impl core::fmt::Debug for IssuedId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("IssuedId").field("sequence", &self.sequence).field("id", &self.id).finish_non_exhaustive()
    }
}

/// The ids under which the peer may address this side.
#[derive(Debug)]
pub struct LocalIds {
    live: VecDeque<(u64, ChannelId)>,
    next_sequence: u64,
}

impl LocalIds {
    /// Starts with the id of the set-up.
    pub fn new(first: ChannelId) -> LocalIds {
        LocalIds { live: VecDeque::from([(0, first)]), next_sequence: 1 }
    }

    /// How many ids should be issued now so that the peer has its spares.
    pub fn wanted(&self) -> usize {
        (1 + SPARE_IDS).saturating_sub(self.live.len())
    }

    /// Issues `id`; answers its sequence.
    pub fn issue(&mut self, id: ChannelId) -> u64 {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        self.live.push_back((sequence, id));
        sequence
    }

    /// The peer will not use `sequence` any more. Answers its id, if it was live.
    ///
    /// # Errors
    /// If it was never issued.
    pub fn retire(&mut self, sequence: u64) -> Result<Option<ChannelId>, TooManyIds> {
        if sequence >= self.next_sequence {
            return Err(TooManyIds);
        }
        let at = self.live.iter().position(|(s, _)| *s == sequence);
        Ok(at.and_then(|at| self.live.remove(at)).map(|(_, id)| id))
    }

    /// The live ids.
    pub fn iter(&self) -> impl Iterator<Item = ChannelId> + '_ {
        self.live.iter().map(|(_, id)| *id)
    }
}

/// The ids under which this side may address the peer.
#[derive(Debug)]
pub struct RemoteIds {
    current: IssuedId,
    spares: VecDeque<IssuedId>,
    retire_below: u64,
    max: usize,
}

/// The peer issued more ids than it may, or retired one that was never issued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyIds;

impl RemoteIds {
    /// Starts with the id of the set-up.
    pub fn new(id: ChannelId, token: Option<[u8; 16]>) -> RemoteIds {
        RemoteIds {
            current: IssuedId { sequence: 0, id, token },
            spares: VecDeque::new(),
            retire_below: 0,
            max: MAX_REMOTE_IDS,
        }
    }

    /// The id in use.
    pub fn current(&self) -> IssuedId {
        self.current
    }

    /// Spares in hand.
    pub fn spares(&self) -> usize {
        self.spares.len()
    }

    /// Every id in hand, the current one first.
    pub fn iter(&self) -> impl Iterator<Item = IssuedId> + '_ {
        core::iter::once(self.current).chain(self.spares.iter().copied())
    }

    /// The peer issued `new` and wants all below `retire_below` retired. Answers the ids that fall away.
    ///
    /// # Errors
    /// If it issues too many, or contradicts itself.
    pub fn add(&mut self, new: IssuedId, retire_below: u64) -> Result<Vec<IssuedId>, TooManyIds> {
        if retire_below > new.sequence {
            return Err(TooManyIds);
        }
        if let Some(known) = self.iter().find(|known| known.sequence == new.sequence) {
            return if known == new { Ok(Vec::new()) } else { Err(TooManyIds) };
        }
        self.retire_below = self.retire_below.max(retire_below);
        let mut retired = Vec::new();
        if new.sequence < self.retire_below || new.sequence < self.current.sequence {
            // Late: it was superseded before it came.
            retired.push(new);
        } else {
            // Mostly there are no more.
            self.spares.reserve_exact(SPARE_IDS.saturating_sub(self.spares.len()));
            self.spares.push_back(new);
        }
        let floor = self.retire_below;
        self.spares.retain(|spare| {
            let keep = spare.sequence >= floor;
            if !keep {
                retired.push(*spare);
            }
            keep
        });
        if self.current.sequence < floor
            && let Some(next) = self.spares.pop_front()
        {
            retired.push(core::mem::replace(&mut self.current, next));
        }
        if self.spares.len() >= self.max {
            return Err(TooManyIds);
        }
        Ok(retired)
    }

    /// Moves on to a spare, if there is one; answers the id to retire.
    pub fn advance(&mut self) -> Option<IssuedId> {
        let next = self.spares.pop_front()?;
        Some(core::mem::replace(&mut self.current, next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(sequence: u64) -> IssuedId {
        IssuedId { sequence, id: ChannelId::from_u64(sequence + 100), token: Some([sequence as u8; 16]) }
    }

    #[test]
    fn a_move_takes_a_spare_and_retires_the_old_id() {
        let mut ids = RemoteIds::new(id(0).id, id(0).token);
        assert_eq!(ids.advance(), None, "no spare, no move");
        assert_eq!(ids.add(id(1), 0), Ok(vec![]));
        assert_eq!(ids.add(id(1), 0), Ok(vec![]), "the same again is harmless");
        assert_eq!(ids.advance(), Some(id(0)));
        assert_eq!(ids.current(), id(1));
    }

    #[test]
    fn the_peer_can_retire_ids_and_a_late_one_is_retired_at_once() {
        let mut ids = RemoteIds::new(id(0).id, id(0).token);
        assert_eq!(ids.add(id(2), 2), Ok(vec![id(0)]));
        assert_eq!(ids.current(), id(2));
        assert_eq!(ids.add(id(1), 0), Ok(vec![id(1)]));
    }

    #[test]
    fn too_many_ids_or_contradictory_ones_are_refused() {
        let mut ids = RemoteIds::new(id(0).id, id(0).token);
        let refused = (1..100).find(|s| ids.add(id(*s), 0).is_err());
        assert_eq!(refused, Some(MAX_REMOTE_IDS as u64));
        let mut unbounded = RemoteIds { max: usize::MAX, ..RemoteIds::new(id(0).id, id(0).token) };
        assert!((1..100).all(|s| unbounded.add(id(s), 0).is_ok()), "control: without the bound all are held");
        let mut other = id(3);
        other.token = Some([9; 16]);
        assert_eq!(ids.add(other, 0), Err(TooManyIds));
        assert_eq!(ids.add(id(50), 51), Err(TooManyIds));
    }

    #[test]
    fn retired_local_ids_are_replaced_by_fresh_spares() {
        let mut ids = LocalIds::new(id(0).id);
        assert_eq!(ids.wanted(), SPARE_IDS);
        for s in 1..=SPARE_IDS as u64 {
            assert_eq!(ids.issue(id(s).id), s);
        }
        assert_eq!(ids.wanted(), 0);
        assert_eq!(ids.retire(0), Ok(Some(id(0).id)));
        assert_eq!(ids.retire(0), Ok(None), "retired twice is harmless");
        assert_eq!(ids.wanted(), 1);
        assert_eq!(ids.retire(77), Err(TooManyIds));
    }
}
