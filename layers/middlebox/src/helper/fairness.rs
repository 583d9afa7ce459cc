//! One bound for all that waits: who gives way when it is reached.

use core::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use tng_base::Instant;

use super::Helper;
use crate::ClientTag;
use crate::relay::RelayId;

/// Packets that a flow gives up at a time, at most, when the helper holds too much.
const GIVEN_UP_AT_ONCE: usize = 16;

/// When the helper holds too much, it makes room for this part of what it may hold, so that it need not look for who
/// gives way at each packet.
const ROOM_MADE: u64 = 16;

/// What one client has here.
#[derive(Debug, Default)]
struct Account {
    flows: usize,
    /// Tunnels that end here, among the flows.
    exits: usize,
    held_bytes: u64,
    /// Flows that a JOIN asked for and of which nothing else has come, and so perhaps copies of it; the oldest first.
    unheard: VecDeque<RelayId>,
    /// Those of its flows that are over, and of which somebody is still to hear so; the oldest first.
    endings: VecDeque<RelayId>,
}

impl Account {
    fn is_empty(&self) -> bool {
        self.flows == 0 && self.endings.is_empty()
    }
}

/// What the clients have here. Whoever has nothing is not in it.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    accounts: BTreeMap<ClientTag, Account>,
    held_bytes: u64,
    /// Flows of all clients of which nothing but a JOIN has come.
    unheard: usize,
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
        self.change(client, |account| account.flows -= 1);
    }

    /// A flow has come that is known by a JOIN alone.
    pub(crate) fn ask(&mut self, client: ClientTag, id: RelayId) {
        self.change(client, |account| account.unheard.push_back(id));
        self.unheard += 1;
    }

    /// Whether there are any such.
    pub(crate) fn has_unheard(&self) -> bool {
        self.unheard > 0
    }

    /// Its client has been heard of, or it goes.
    pub(crate) fn hear(&mut self, client: ClientTag, id: RelayId) {
        let mut fewer = 0;
        self.change(client, |account| {
            let before = account.unheard.len();
            account.unheard.retain(|unheard| *unheard != id);
            fewer = before - account.unheard.len();
        });
        self.unheard -= fewer;
    }

    /// The oldest of a client's.
    pub(crate) fn oldest_unheard(&self, client: ClientTag) -> Option<RelayId> {
        self.accounts.get(&client).and_then(|account| account.unheard.front().copied())
    }

    /// Tunnels of a client that end here.
    pub(crate) fn exits(&self, client: ClientTag) -> usize {
        self.accounts.get(&client).map_or(0, |account| account.exits)
    }

    /// A tunnel that ends here comes.
    pub(crate) fn enter_exit(&mut self, client: ClientTag) {
        self.enter(client);
        self.change(client, |account| account.exits += 1);
    }

    /// It goes.
    pub(crate) fn leave_exit(&mut self, client: ClientTag) {
        self.change(client, |account| account.exits -= 1);
        self.leave(client, 0);
    }

    /// A flow is ending, for which nothing is held any more as far as its account goes. Answers which ending gives way
    /// if there are more than `most` of this client.
    pub(crate) fn begin_ending(&mut self, client: ClientTag, id: RelayId, most: usize) -> Option<RelayId> {
        let account = self.accounts.entry(client).or_default();
        account.endings.push_back(id);
        (account.endings.len() > most).then(|| account.endings.front().copied())?
    }

    /// It has ended, and so many bytes were held for it.
    pub(crate) fn end(&mut self, client: ClientTag, id: RelayId, held_bytes: u64) {
        self.recount(client, held_bytes, 0);
        self.change(client, |account| account.endings.retain(|ending| *ending != id));
    }

    /// The oldest ending of a client.
    fn oldest_ending_of(&self, client: ClientTag) -> Option<RelayId> {
        self.accounts.get(&client).and_then(|account| account.endings.front().copied())
    }

    /// The oldest ending of the client with most of them.
    pub(crate) fn oldest_ending(&self) -> Option<RelayId> {
        let most = self.accounts.iter().max_by_key(|(tag, account)| (account.endings.len(), Reverse(**tag)))?;
        most.1.endings.front().copied()
    }

    fn change(&mut self, client: ClientTag, change: impl FnOnce(&mut Account)) {
        let Some(account) = self.accounts.get_mut(&client) else { return };
        change(account);
        if account.is_empty() {
            self.accounts.remove(&client);
        }
    }

    /// Of a flow so many bytes are held now, and so many were.
    pub(crate) fn recount(&mut self, client: ClientTag, before: u64, now: u64) {
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
        if let Some(relay) = self.relays.get_mut(&id) {
            let held_bytes = relay.outward.held_bytes() + relay.homeward.held_bytes();
            let before = core::mem::replace(&mut relay.held_bytes, held_bytes);
            self.clients.recount(relay.grant.client, before, held_bytes);
        } else if let Some(ending) = self.endings.get_mut(&id) {
            let held_bytes = ending.queue.held_bytes();
            let before = core::mem::replace(&mut ending.held_bytes, held_bytes);
            self.clients.recount(ending.served.client, before, held_bytes);
        }
    }

    /// When more is held than may be, the client with the most gives way, and of its flows the one with the most, until
    /// there is some room.
    pub(super) fn make_room(&mut self, now: Instant) {
        let most = self.config.held_bytes_max;
        if self.clients.held_bytes() <= most {
            return;
        }
        let wanted = most - most / ROOM_MADE;
        while self.clients.held_bytes() > wanted {
            let Some(client) = self.clients.largest() else { return };
            let of_client = self.relays.iter().filter(|(_, relay)| relay.grant.client == client);
            let largest = of_client.max_by_key(|(id, relay)| (relay.held_bytes, Reverse(**id)));
            let Some(id) = largest.filter(|(_, relay)| relay.held_bytes > 0).map(|(id, _)| *id) else {
                // All of it is of flows that are over.
                let Some(oldest) = self.clients.oldest_ending_of(client) else { return };
                self.remove_ending(oldest);
                continue;
            };
            let Some(relay) = self.relays.get_mut(&id) else { return };
            let too_much = self.clients.held_bytes() - wanted;
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
