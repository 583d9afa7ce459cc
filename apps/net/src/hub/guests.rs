//! Accounts of the connections whose transport is a guest.

use std::collections::VecDeque;

use tng_stack::{CloseCause, ConnectionId, Host, Settled};
use tng_stp_host::Transport;

use super::{Hub, Peer, Stage};
use crate::guest::{GuestAccount, GuestError, Of};
use crate::repertoire::{Confinement, Repertoire};

/// Guests whose connections are over and whose accounts are kept, the newest.
pub const GUESTS_KEPT: usize = 16;

/// The accounts of guests whose connections are over.
#[derive(Debug, Default)]
pub(super) struct Departed(VecDeque<GuestAccount>);

impl Departed {
    /// A connection is over. If a guest was its transport, its account is kept.
    pub(super) fn note(
        &mut self,
        host: &mut Host,
        (id, peer): (ConnectionId, &Peer),
        cause: &CloseCause,
        repertoire: Option<&Repertoire>,
    ) {
        if let Some(Settled::Runs(code)) = host.negotiation(id).map(|negotiation| negotiation.settled)
            && let Some(repertoire) = repertoire
            && let Some(transport) = host.protocol_as::<Transport>(id)
        {
            repertoire.note_end(code, transport);
        }
        let over = Some(GuestError::Connection(cause.clone().into()));
        let Some(account) = account(host, (id, peer), over, repertoire) else { return };
        if self.0.len() >= GUESTS_KEPT {
            self.0.pop_front();
        }
        self.0.push_back(account);
    }
}

fn account(
    host: &mut Host,
    (id, peer): (ConnectionId, &Peer),
    over: Option<GuestError>,
    repertoire: Option<&Repertoire>,
) -> Option<GuestAccount> {
    // What was negotiated by hash has a name here.
    let named = match host.negotiation(id).map(|negotiation| negotiation.settled) {
        Some(Settled::Runs(code)) => {
            repertoire.and_then(|repertoire| Some(repertoire.get(&code, Confinement::Here)?.protocol()))
        }
        _ => None,
    };
    let protocol = named.or_else(|| host.protocol_name(id).map(str::to_owned))?;
    let remote = host.remote_address(id).or(peer.remote);
    let transport = host.protocol_as::<Transport>(id)?;
    Some(GuestAccount::new(Of { protocol: &protocol, peer: peer.eid, remote }, transport, over))
}

impl Hub {
    /// The guests that are at work, and then those that were, the newest last. The driver must poll afterwards.
    pub(crate) fn guests(&mut self) -> Vec<GuestAccount> {
        let Hub { port, peers, departed, repertoire, .. } = self;
        let host = &mut port.tenants_mut().0;
        let going_on = peers.iter().filter(|(_, peer)| !peer.has_streams && !matches!(peer.stage, Stage::Ended(_)));
        let at_work = going_on.filter_map(|(id, peer)| account(host, (id, peer), None, repertoire.as_deref()));
        at_work.chain(departed.0.iter().cloned()).collect()
    }
}
