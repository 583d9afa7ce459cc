//! What of a host every connection works with.

use std::collections::VecDeque;

use tng_base::{ChannelId, Eid, Rng};
use tng_crypto::SecretSource;
use tng_endpoint::{Demux, Sightings};
use tng_flow::{Around, Settings};
use tng_isolation::ResetKey;

use crate::HostConfig;
use crate::acquaintances::Acquaintances;
use crate::names::Owner;

/// The flows of a host: what its channels to one peer on one path share.
pub(crate) type Flows = tng_flow::Flows<Owner>;

/// What there is once in a host, and every connection and channel of it works with: it is handed to each call.
#[derive(Debug)]
pub(crate) struct HostWide {
    pub config: HostConfig,
    /// Whose packets arrive under which channel id, and whose resets under which token.
    pub demux: Demux<Owner>,
    pub flows: Flows,
    /// Draws that become visible on the wire.
    pub rng: Rng,
    /// Where ephemeral keys come from, and hop keys.
    pub secrets: SecretSource,
    pub reset_key: ResetKey,
    /// The peers that were called before.
    pub called: Acquaintances<Eid>,
    /// Where others see this host.
    pub sightings: Sightings,
    /// Lines for a key log.
    pub key_lines: VecDeque<String>,
}

impl HostWide {
    /// An id that no channel of ours has, given to `owner`.
    pub(crate) fn take_id(&mut self, owner: Owner) -> ChannelId {
        self.demux.take_id(&mut self.rng, owner)
    }

    /// Another id for the owner of this one, which is forgotten.
    pub(crate) fn rename(&mut self, id: ChannelId) -> ChannelId {
        let Some(owner) = self.demux.owner(id) else { return id };
        let fresh = self.take_id(owner);
        self.demux.remove_id(id);
        fresh
    }

    /// What resets the channel of this name.
    pub(crate) fn reset_token(&self, id: ChannelId) -> [u8; 16] {
        *self.reset_key.token(id).as_bytes()
    }

    /// Calls a section with what it needs of this.
    #[inline]
    pub(crate) fn with_section<T>(&mut self, call: impl FnOnce(&mut Around<'_, Owner>) -> T) -> T {
        let reset_key = &self.reset_key;
        call(&mut Around {
            settings: section_settings(&self.config),
            demux: &mut self.demux,
            flows: &mut self.flows,
            rng: &mut self.rng,
            reset_token: &|id| *reset_key.token(id).as_bytes(),
        })
    }
}

/// What of a host's settings concerns its sections.
pub(crate) fn section_settings(config: &HostConfig) -> Settings<'_> {
    let HostConfig { controller, pacing, mtu, keep_alive, caution, .. } = config;
    Settings { controller, pacing: *pacing, mtu: *mtu, keep_alive: *keep_alive, lease: None, caution: *caution }
}
