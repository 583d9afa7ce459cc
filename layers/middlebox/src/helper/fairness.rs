//! One bound for all that waits: who gives way when it is reached.

use core::cmp::Reverse;
use std::collections::BTreeMap;

use tng_base::Instant;

use super::Helper;
use crate::ClientTag;
use crate::relay::RelayId;

/// Packets that a flow gives up at a time, at most, when the helper holds too much.
const GIVEN_UP_AT_ONCE: usize = 16;

/// What one client has here.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    flows: usize,
    held_bytes: u64,
}

/// What the clients have here. Whoever has nothing is not in it.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    accounts: BTreeMap<ClientTag, Account>,
    held_bytes: u64,
}

impl Clients {
    /// Flows of a client.
    pub(crate) fn flows(&self, client: ClientTag) -> usize {
        self.accounts.get(&client).map_or(0, |account| account.flows)
    }

    /// Bytes held for all of them.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.accounts.is_empty()
    }

    /// A flow comes.
    pub(crate) fn enter(&mut self, client: ClientTag) {
        self.accounts.entry(client).or_default().flows += 1;
    }

    /// A flow for which so many bytes were held goes.
    pub(crate) fn leave(&mut self, client: ClientTag, held_bytes: u64) {
        self.recount(client, held_bytes, 0);
        if let Some(account) = self.accounts.get_mut(&client) {
            account.flows -= 1;
            if account.flows == 0 {
                self.accounts.remove(&client);
            }
        }
    }

    /// Of a flow so many bytes are held now, and so many were.
    fn recount(&mut self, client: ClientTag, before: u64, now: u64) {
        if let Some(account) = self.accounts.get_mut(&client) {
            account.held_bytes = account.held_bytes - before + now;
            self.held_bytes = self.held_bytes - before + now;
        }
    }

    /// The client for whom most is held.
    fn largest(&self) -> Option<ClientTag> {
        let by_bytes = self.accounts.iter().max_by_key(|(tag, account)| (account.held_bytes, Reverse(**tag)));
        by_bytes.filter(|(_, account)| account.held_bytes > 0).map(|(tag, _)| *tag)
    }
}

impl Helper {
    /// Something of a relay has come or gone.
    pub(super) fn count(&mut self, id: RelayId) {
        let Some(relay) = self.relays.get_mut(&id) else { return };
        let held_bytes = relay.outward.held_bytes() + relay.homeward.held_bytes();
        let before = core::mem::replace(&mut relay.held_bytes, held_bytes);
        self.clients.recount(relay.grant.client, before, held_bytes);
    }

    /// As long as more is held than may be, the client with the most gives way, and of its flows the one with the most.
    pub(super) fn make_room(&mut self, now: Instant) {
        while self.clients.held_bytes() > self.config.held_bytes_max {
            let Some(client) = self.clients.largest() else { return };
            let of_client = self.relays.iter().filter(|(_, relay)| relay.grant.client == client);
            let Some(id) = of_client.max_by_key(|(id, relay)| (relay.held_bytes, Reverse(**id))).map(|(id, _)| *id)
            else {
                return;
            };
            let Some(relay) = self.relays.get_mut(&id) else { return };
            let too_much = self.clients.held_bytes() - self.config.held_bytes_max;
            let before = relay.outward.held_bytes() + relay.homeward.held_bytes();
            for _ in 0..GIVEN_UP_AT_ONCE {
                let (outward, homeward) = (&mut relay.outward, &mut relay.homeward);
                let queue = if outward.held_bytes() >= homeward.held_bytes() { outward } else { homeward };
                queue.give_way(now);
                if before - (relay.outward.held_bytes() + relay.homeward.held_bytes()) >= too_much {
                    break;
                }
            }
            self.count(id);
            self.wake(id);
        }
    }
}
