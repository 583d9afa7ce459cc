//! Under which names the ends of a section address each other.

use tng_base::ChannelId;
use tng_channel::wire::NewId;
use tng_endpoint::{Demux, IssuedId, LocalIds, RemoteIds, TooManyIds};

use crate::Around;

/// Both ends' names for a section, and their places in the owner's tables.
#[derive(Debug)]
pub(crate) struct Names<Who> {
    /// Under whom they stand in the tables.
    owner: Who,
    local: LocalIds,
    remote: RemoteIds,
}

impl<Who: Copy + Eq> Names<Who> {
    /// The peer says `local`, this end the first of `remote`.
    pub(crate) fn new(owner: Who, local: ChannelId, remote: RemoteIds, demux: &mut Demux<Who>) -> Names<Who> {
        if let Some(token) = remote.current().token {
            demux.add_token(token, owner);
        }
        Names { owner, local: LocalIds::new(local), remote }
    }

    /// The first that the peer was given.
    pub(crate) fn local(&self) -> ChannelId {
        self.local.iter().next().expect("the first is retired only when others are there")
    }

    /// The peer's, as this end uses it.
    pub(crate) fn remote(&self) -> ChannelId {
        self.remote.current().id
    }

    /// How many the peer may use, and the tokens whose arrival would end the section.
    pub(crate) fn known(&self) -> (usize, impl Iterator<Item = [u8; 16]> + '_) {
        (self.local.iter().count(), self.remote.iter().filter_map(|id| id.token))
    }

    /// A spare name that the peer is short of, entered and to be told.
    pub(crate) fn issue(&mut self, around: &mut Around<'_, Who>) -> Option<NewId> {
        if self.local.wanted() == 0 {
            return None;
        }
        let id = around.demux.take_id(around.rng, self.owner);
        let (sequence, reset_token) = (self.local.issue(id), (around.reset_token)(id));
        Some(NewId { sequence, retire_below: 0, id, reset_token })
    }

    /// The peer uses one of its spares no more.
    ///
    /// # Errors
    /// If it was never issued.
    pub(crate) fn handle_retired(&mut self, sequence: u64, demux: &mut Demux<Who>) -> Result<(), TooManyIds> {
        if let Some(id) = self.local.retire(sequence)? {
            demux.remove_id(id);
        }
        Ok(())
    }

    /// The peer has another name; answers the sequences of those that it takes back.
    ///
    /// # Errors
    /// If it contradicts an earlier one, or there are too many.
    pub(crate) fn handle_new(&mut self, new: NewId, demux: &mut Demux<Who>) -> Result<Vec<u64>, TooManyIds> {
        let issued = IssuedId { sequence: new.sequence, id: new.id, token: Some(new.reset_token) };
        let retired = self.remote.add(issued, new.retire_below)?;
        demux.add_token(new.reset_token, self.owner);
        Ok(retired.into_iter().map(|id| self.forget(id, demux)).collect())
    }

    /// Addresses the peer by a spare name from now on, if there is one; answers the sequence of the one that is given
    /// up.
    pub(crate) fn advance(&mut self, demux: &mut Demux<Who>) -> Option<u64> {
        self.remote.advance().map(|old| self.forget(old, demux))
    }

    fn forget(&self, id: IssuedId, demux: &mut Demux<Who>) -> u64 {
        if let Some(token) = id.token {
            demux.remove_token(&token, self.owner);
        }
        id.sequence
    }

    /// Takes all of them out of the tables.
    pub(crate) fn release(&mut self, demux: &mut Demux<Who>) {
        for id in self.local.iter() {
            demux.remove_id(id);
        }
        for token in self.remote.iter().filter_map(|id| id.token) {
            demux.remove_token(&token, self.owner);
        }
    }
}
