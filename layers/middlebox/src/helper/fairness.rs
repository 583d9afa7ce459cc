//! One bound for all that waits: who gives way when it is reached.

use core::cmp::Reverse;
use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tng_base::Instant;

use super::tunnels::{OPERATOR, Tunnel};
use super::{Helper, LeftBecause};
use crate::ending::Ending;
use crate::relay::{Relay, RelayId};
use crate::{ClientLimits, ClientTag, Spares};

/// Packets that a flow gives up at a time, at most, when the helper holds too much.
const GIVEN_UP_AT_ONCE: usize = 16;

/// When the helper holds too much, it makes room for this part of what it may hold, so that it need not look for who
/// gives way at each packet.
const ROOM_MADE: u64 = 16;

/// Bytes by which what is held may grow before those with the most are looked for anew.
const RANK_STEP: u64 = 16 << 10;

/// Who holds most: bounds from above on what each holds, which is corrected when somebody with the most is looked for.
/// So nothing is moved here when a packet comes or goes, unless more is held than of late.
#[derive(Debug)]
struct Ranking<Id>(BTreeSet<(u64, Reverse<Id>)>);

impl<Id> Default for Ranking<Id> {
    fn default() -> Ranking<Id> {
        Ranking(BTreeSet::new())
    }
}

impl<Id: Copy + Ord> Ranking<Id> {
    /// This holds so much now.
    fn note(&mut self, id: Id, held: &mut Counted) {
        if held.bytes > held.rank {
            self.forget(id, held);
            self.0.insert((held.rank_now(), Reverse(id)));
        }
    }

    /// It holds nothing any more, and is gone.
    fn forget(&mut self, id: Id, held: &Counted) {
        self.0.remove(&(held.rank, Reverse(id)));
    }

    /// Nothing is expected of one that holds nothing: it is ranked no more.
    fn unrank(&mut self, id: Id, held: &mut Counted) {
        self.forget(id, held);
        held.rank = 0;
        if self.0.is_empty() {
            // One that is empty keeps its memory.
            self.0 = BTreeSet::new();
        }
    }

    /// One that holds less than another by no more than [`RANK_STEP`]; none if nobody holds anything. `rank_now` ranks
    /// one by what it holds.
    fn largest(&mut self, mut rank_now: impl FnMut(Id) -> Option<u64>) -> Option<Id> {
        while let Some((ranked, Reverse(id))) = self.0.last().copied() {
            let rank = rank_now(id).unwrap_or(0);
            if rank == ranked {
                return Some(id);
            }
            self.0.pop_last();
            if rank > 0 {
                self.0.insert((rank, Reverse(id)));
            }
        }
        None
    }
}

/// A client with a rate of its own may be ahead of it by so much.
pub const RATE_BURST: Duration = Duration::from_millis(10);

/// What a flow of a client with a rate of its own may send in its turn, at least, so that its largest packet fits.
pub const RATE_TURN_BYTES_MIN: usize = 9_000;

/// What has its turn at a rate sends no more than leaves in [`RATE_BURST`].
fn turn_bytes(rate: u64) -> usize {
    let in_time = u128::from(rate) * RATE_BURST.as_micros() / 1_000_000;
    usize::try_from(in_time).unwrap_or(usize::MAX).max(RATE_TURN_BYTES_MIN)
}

/// Whether something of a client may send now, as far as the rate of its client goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Turn {
    /// It may, or has nothing to send.
    #[default]
    Free,
    /// It is the first of those that wait, and may then.
    First(Instant),
    /// It waits, and it is the turn of another one first.
    Behind,
}

impl Turn {
    /// Whether nothing of it may leave now.
    pub(crate) fn is_closed(self) -> bool {
        self != Turn::Free
    }

    /// When to look at it again.
    pub(crate) fn until(self) -> Option<Instant> {
        match self {
            Turn::First(at) => Some(at),
            Turn::Free | Turn::Behind => None,
        }
    }
}

/// What is held for something of a client as it was last counted, or for all of the client.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    bytes: u64,
    /// Its rank among the others.
    rank: u64,
}

impl Counted {
    /// Ranks it by what it holds; answers the rank.
    fn rank_now(&mut self) -> u64 {
        self.rank = self.bytes.next_multiple_of(RANK_STEP);
        self.rank
    }
}

/// What one client has here.
#[derive(Debug, Default)]
struct Account {
    flows: usize,
    /// Tunnels that end here, among the flows.
    exits: usize,
    /// All that is held for it.
    held: Counted,
    /// Those of its flows that are not over, by what they hold.
    ranking: Ranking<RelayId>,
    /// What was passed on has used its rate up to here, if it has one.
    paid_until: Instant,
    /// What has something to send and waits until there is some of its rate again, in turn. The first has a deadline or
    /// is awake, the others need neither.
    round: VecDeque<RelayId>,
    /// Whose turn it is, and how many bytes of it are left.
    under_way: Option<(RelayId, usize)>,
    /// Flows and tunnels for which nothing but a JOIN has come, perhaps a copy; the oldest first.
    unheard: VecDeque<RelayId>,
    /// Those of its flows that are over, but whose end a neighbour has yet to hear of; the oldest first.
    endings: VecDeque<RelayId>,
}

impl Account {
    /// What was told this waits no more; answers the first of those that still do, if that is another one now.
    fn leave_round(&mut self, id: RelayId, turn: Turn) -> Option<RelayId> {
        if !turn.is_closed() {
            return None;
        }
        if self.round.front() != Some(&id) {
            self.round.retain(|waits| *waits != id);
            return None;
        }
        self.round.pop_front();
        self.round.front().copied()
    }

    fn is_empty(&self) -> bool {
        self.flows == 0 && self.endings.is_empty()
    }
}

/// What the clients have here. A client that has nothing is not in it, unless it has used its rate up beyond now.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    accounts: BTreeMap<ClientTag, Account>,
    ranking: Ranking<ClientTag>,
    /// Those who have nothing here but have used their rate up beyond now, and until when they are remembered for it.
    lapsing: BTreeSet<(Instant, ClientTag)>,
    held_bytes: u64,
    /// Flows and tunnels, of all clients, for which nothing but a JOIN has come.
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

    /// Bytes held for one of them.
    fn held_bytes_of(&self, client: ClientTag) -> u64 {
        self.accounts.get(&client).map_or(0, |account| account.held.bytes)
    }

    /// Something of a client with a rate is about to send, and `wants` a turn of so many bytes if there is something to
    /// send; `before` is what it was told last. Answers whether it may, and which is the first of those that wait now,
    /// if that has changed: the caller looks at that one.
    fn take_turn(
        &mut self,
        now: Instant,
        client: ClientTag,
        (id, before): (RelayId, Turn),
        wants: Option<usize>,
    ) -> (Turn, Option<RelayId>) {
        let Some(account) = self.accounts.get_mut(&client) else { return (Turn::Free, None) };
        let Some(turn_bytes) = wants else { return (Turn::Free, account.leave_round(id, before)) };
        if account.under_way.is_some_and(|(whose, left)| whose == id && left > 0) {
            return (Turn::Free, None);
        }
        let again_at = (account.paid_until > now + RATE_BURST).then(|| account.paid_until - RATE_BURST);
        let is_first = account.round.front().is_none_or(|first| *first == id);
        if is_first && again_at.is_none() {
            account.under_way = Some((id, turn_bytes));
            return (Turn::Free, account.leave_round(id, before));
        }
        if !before.is_closed() {
            account.round.push_back(id);
        }
        match again_at {
            Some(at) if is_first => (Turn::First(at), None),
            _ => (Turn::Behind, None),
        }
    }

    /// Something of a client that was told so waits no more, and has no turn. Answers as
    /// [`take_turn`](Clients::take_turn) does.
    pub(crate) fn leave_round(&mut self, client: ClientTag, id: RelayId, turn: Turn) -> Option<RelayId> {
        self.end_turn(client, id);
        self.accounts.get_mut(&client)?.leave_round(id, turn)
    }

    /// So many bytes of something were passed on for a client that has so many in a second.
    fn charge(&mut self, now: Instant, (client, id): (ClientTag, RelayId), bytes: usize, rate: u64) {
        if let Some(account) = self.accounts.get_mut(&client) {
            let took = Duration::from_nanos((bytes as u64).saturating_mul(1_000_000_000) / rate.max(1));
            account.paid_until = account.paid_until.max(now) + took;
            if let Some((_, left)) = account.under_way.as_mut().filter(|(whose, _)| *whose == id) {
                *left = left.saturating_sub(bytes);
            }
        }
    }

    /// Something of a client has nothing to send now, or may not: its turn is over.
    fn end_turn(&mut self, client: ClientTag, id: RelayId) {
        if let Some(account) = self.accounts.get_mut(&client) {
            account.under_way.take_if(|(whose, _)| *whose == id);
        }
    }

    /// Whether it is the turn of this.
    fn has_turn(&self, client: ClientTag, id: RelayId) -> bool {
        let under_way = self.accounts.get(&client).and_then(|account| account.under_way);
        under_way.is_some_and(|(whose, left)| whose == id && left > 0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.accounts.is_empty()
    }

    /// A flow comes.
    pub(crate) fn enter(&mut self, client: ClientTag) {
        self.account(client).flows += 1;
    }

    fn account(&mut self, client: ClientTag) -> &mut Account {
        let account = self.accounts.entry(client).or_default();
        if account.is_empty() {
            self.lapsing.remove(&(account.paid_until, client));
        }
        account
    }

    /// Forgets those who have nothing here and have used up no more of their rate than they had by now.
    pub(crate) fn lapse(&mut self, now: Instant) {
        while let Some((_, client)) = self.lapsing.first().copied().filter(|(at, _)| *at <= now) {
            self.lapsing.pop_first();
            self.accounts.remove(&client);
        }
    }

    /// When there is next somebody to forget.
    pub(crate) fn lapses_at(&self) -> Option<Instant> {
        self.lapsing.first().map(|(at, _)| *at)
    }

    /// A flow for which so much was held goes.
    pub(crate) fn leave(&mut self, client: ClientTag, id: RelayId, held: Counted) {
        self.recount(client, held.bytes, 0);
        self.change(client, |account| {
            account.ranking.forget(id, &held);
            account.flows -= 1;
        });
    }

    /// A flow or a tunnel has come that is known by a JOIN alone.
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

    /// Those of a client, the oldest first.
    pub(crate) fn unheard(&self, client: ClientTag) -> impl Iterator<Item = RelayId> {
        self.accounts.get(&client).into_iter().flat_map(|account| account.unheard.iter().copied())
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
    pub(crate) fn leave_exit(&mut self, client: ClientTag, id: RelayId, held: Counted) {
        self.change(client, |account| account.exits -= 1);
        self.leave(client, id, held);
    }

    /// A flow is ending, for which nothing is held any more as far as its account goes. Answers which ending gives way
    /// if there are more than `most` of this client.
    pub(crate) fn begin_ending(&mut self, client: ClientTag, id: RelayId, most: usize) -> Option<RelayId> {
        let account = self.account(client);
        account.endings.push_back(id);
        (account.endings.len() > most).then(|| account.endings.front().copied())?
    }

    /// It has ended, and so much was held for it.
    pub(crate) fn end(&mut self, client: ClientTag, id: RelayId, held: Counted) {
        self.recount(client, held.bytes, 0);
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
            self.ranking.unrank(client, &mut account.held);
            if account.paid_until == Instant::ZERO {
                self.accounts.remove(&client);
            } else {
                // By leaving and coming back it is to have no more of its rate.
                self.lapsing.insert((account.paid_until, client));
            }
        }
    }

    /// Of something of a client so many bytes are held now, and so many were.
    fn recount(&mut self, client: ClientTag, before: u64, now: u64) -> Option<&mut Account> {
        let account = self.accounts.get_mut(&client)?;
        account.held.bytes = account.held.bytes - before + now;
        self.held_bytes = self.held_bytes - before + now;
        self.ranking.note(client, &mut account.held);
        Some(account)
    }

    /// Of a client's flows the one for which most is held.
    fn largest_of(&mut self, client: ClientTag, rank_now: impl FnMut(RelayId) -> Option<u64>) -> Option<RelayId> {
        self.accounts.get_mut(&client)?.ranking.largest(rank_now)
    }

    /// Nothing is expected of a flow: if nothing is held for it, it is ranked no more.
    fn unrank(&mut self, client: ClientTag, id: RelayId, held: &mut Counted) {
        let Some(account) = self.accounts.get_mut(&client).filter(|_| held.bytes == 0 && held.rank > 0) else { return };
        account.ranking.unrank(id, held);
        if account.held.bytes == 0 {
            self.ranking.unrank(client, &mut account.held);
        }
    }

    /// The client for whom most is held.
    fn largest(&mut self) -> Option<ClientTag> {
        let Clients { accounts, ranking, .. } = self;
        ranking.largest(|client| accounts.get_mut(&client).map(|account| account.held.rank_now()))
    }
}

/// Something that a client has here.
enum Item<'a> {
    Flow(&'a mut Relay),
    /// A flow that is over.
    Ending(&'a mut Ending),
    Tunnel(&'a mut Tunnel),
}

impl Item<'_> {
    fn client(&self) -> ClientTag {
        match self {
            Item::Flow(relay) => relay.grant.client,
            Item::Ending(ending) => ending.served.client,
            Item::Tunnel(tunnel) => tunnel.client(),
        }
    }

    fn limits(&mut self) -> &mut ClientLimits {
        match self {
            Item::Flow(relay) => &mut relay.limits,
            Item::Ending(ending) => &mut ending.limits,
            Item::Tunnel(tunnel) => &mut tunnel.limits,
        }
    }

    fn turn(&mut self) -> &mut Turn {
        match self {
            Item::Flow(relay) => &mut relay.turn,
            Item::Ending(ending) => &mut ending.turn,
            Item::Tunnel(tunnel) => &mut tunnel.turn,
        }
    }

    fn held(&mut self) -> &mut Counted {
        match self {
            Item::Flow(relay) => &mut relay.held,
            Item::Ending(ending) => &mut ending.held,
            Item::Tunnel(tunnel) => &mut tunnel.held,
        }
    }

    /// Bytes that are held for it now.
    fn held_bytes(&self) -> u64 {
        match self {
            Item::Flow(relay) => relay.outward.held_bytes() + relay.homeward.held_bytes(),
            Item::Ending(ending) => ending.queue.held_bytes(),
            Item::Tunnel(tunnel) => tunnel.held_bytes(),
        }
    }

    /// Whether there is something to send.
    fn wants(&self) -> bool {
        match self {
            Item::Flow(relay) => relay.outward.packets() + relay.homeward.packets() > 0,
            Item::Ending(ending) => ending.queue.packets() > 0,
            Item::Tunnel(tunnel) => tunnel.wants(),
        }
    }

    /// Gives something up of what is held.
    fn give_way(&mut self, now: Instant, spares: &mut Spares) {
        match self {
            Item::Flow(relay) => {
                let (outward, homeward) = (&mut relay.outward, &mut relay.homeward);
                let queue = if outward.held_bytes() >= homeward.held_bytes() { outward } else { homeward };
                queue.give_way(now, spares);
            }
            Item::Ending(ending) => _ = ending.queue.give_way(now, spares),
            Item::Tunnel(tunnel) => tunnel.give_way(now),
        }
    }
}

impl Helper {
    /// Something that a client has, the clients, and what gives buffers back.
    fn item(&mut self, id: RelayId) -> Option<(Item<'_>, &mut Clients, &mut Spares)> {
        let Helper { relays, endings, tunnels, clients, spares, .. } = self;
        let item = if let Some(relay) = relays.get_mut(&id) {
            Item::Flow(relay)
        } else if let Some(ending) = endings.get_mut(&id) {
            Item::Ending(ending)
        } else {
            Item::Tunnel(tunnels.get_mut(&id)?)
        };
        Some((item, clients, spares))
    }

    /// Something of it has come or gone.
    pub(super) fn count(&mut self, id: RelayId) {
        let Some((mut item, clients, _)) = self.item(id) else { return };
        let (client, bytes, ranks) = (item.client(), item.held_bytes(), !matches!(item, Item::Ending(_)));
        let held = item.held();
        if held.bytes == bytes {
            return;
        }
        let account = clients.recount(client, core::mem::replace(&mut held.bytes, bytes), bytes);
        if let Some(account) = account.filter(|_| ranks) {
            account.ranking.note(id, held);
        }
    }

    /// Something has come for it: what is held stays within its bounds.
    pub(super) fn keep_bounds(&mut self, now: Instant, id: RelayId) {
        self.count(id);
        self.make_room(now);
        if let Some((mut item, ..)) = self.item(id)
            && let Some(most) = item.limits().held_bytes_max
        {
            let client = item.client();
            self.keep_to_limit(now, client, most);
        }
    }

    /// Time has passed for a flow. If nothing has come for so long that it gives memory back, its rank is given back
    /// too.
    pub(super) fn unrank(&mut self, id: RelayId) {
        if let Some(relay) = self.relays.get_mut(&id).filter(|relay| relay.rest_at.is_none()) {
            self.clients.unrank(relay.grant.client, id, &mut relay.held);
        }
    }

    /// It is about to send: whether it is its turn, if its client has a rate; answers how many bytes it may send at
    /// once then.
    pub(super) fn look_at_rate(&mut self, now: Instant, id: RelayId) -> Option<usize> {
        let (mut item, clients, _) = self.item(id)?;
        let (rate, before) = (item.limits().rate_max, *item.turn());
        if rate.is_none() && !before.is_closed() {
            return None;
        }
        let wants = rate.map(turn_bytes).filter(|_| item.wants());
        let (turn, next) = clients.take_turn(now, item.client(), (id, before), wants);
        *item.turn() = turn;
        if let Some(next) = next {
            self.wake(next);
        }
        rate.map(turn_bytes)
    }

    /// So many bytes of it have gone on.
    pub(super) fn charge_rate(&mut self, now: Instant, id: RelayId, bytes: usize) {
        if let Some((mut item, clients, _)) = self.item(id)
            && let Some(rate) = item.limits().rate_max
        {
            clients.charge(now, (item.client(), id), bytes, rate);
        }
    }

    /// A tunnel `has_sent` something or not: if it can send no more, or may not in its turn, it brings what it may.
    /// Answers whether it has had a turn and has more.
    pub(super) fn bring(&mut self, now: Instant, id: RelayId, has_sent: bool) -> bool {
        let Helper { tunnels, clients, .. } = self;
        let Some(tunnel) = tunnels.get_mut(&id) else { return false };
        let (client, Some(rate)) = (tunnel.client(), tunnel.limits.rate_max) else {
            tunnel.bring_all();
            return false;
        };
        if tunnel.turn.is_closed() || has_sent && clients.has_turn(client, id) {
            return false;
        }
        let bytes = tunnel.bring_some(turn_bytes(rate), rate);
        let more = bytes > 0 && tunnel.wants();
        clients.charge(now, (client, id), bytes, rate);
        clients.end_turn(client, id);
        more
    }

    /// It has sent nothing when it was asked: if that was its turn, it is over.
    pub(super) fn end_turn(&mut self, id: RelayId) {
        if let Some((mut item, clients, _)) = self.item(id)
            && item.limits().rate_max.is_some()
        {
            clients.end_turn(item.client(), id);
        }
    }

    /// Clients may have other limits from now on, also as to what goes on otherwise as it began.
    pub(super) fn set_limits(&mut self) {
        let mut others: Vec<RelayId> = self.endings.keys().chain(self.tunnels.keys()).copied().collect();
        others.sort_unstable();
        for id in others {
            let Some(client) = self.item(id).map(|(item, ..)| item.client()).filter(|client| *client != OPERATOR)
            else {
                continue;
            };
            match self.config.limits_of(client) {
                Some(limits) => {
                    if let Some((mut item, ..)) = self.item(id) {
                        *item.limits() = limits;
                    }
                }
                None => self.dismissals.push_back((id, LeftBecause::Forbidden)),
            }
            self.wake(id);
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
            if !self.give_way(now, client, self.clients.held_bytes() - wanted) {
                return;
            }
        }
    }

    /// When more is held for a client than may be, its flow with the most gives way, until there is some room.
    pub(super) fn keep_to_limit(&mut self, now: Instant, client: ClientTag, most: u64) {
        if self.clients.held_bytes_of(client) <= most {
            return;
        }
        let wanted = most - most / ROOM_MADE;
        loop {
            let held = self.clients.held_bytes_of(client);
            if held <= wanted || !self.give_way(now, client, held - wanted) {
                return;
            }
        }
    }

    /// The flow of a client with the most gives up some packets, which have so many bytes at least if there are as
    /// many; answers whether it had any.
    fn give_way(&mut self, now: Instant, client: ClientTag, too_much: u64) -> bool {
        let Helper { clients, relays, tunnels, .. } = self;
        let largest = clients.largest_of(client, |id| {
            let flow = relays.get_mut(&id).map(|relay| relay.held.rank_now());
            flow.or_else(|| tunnels.get_mut(&id).map(|tunnel| tunnel.held.rank_now()))
        });
        let Some(id) = largest else {
            // All of it is of flows that are over.
            let Some(oldest) = self.clients.oldest_ending_of(client) else { return false };
            self.remove_ending(oldest);
            return true;
        };
        let Some((mut item, _, spares)) = self.item(id) else { return false };
        let before = item.held_bytes();
        for _ in 0..GIVEN_UP_AT_ONCE {
            item.give_way(now, spares);
            if before - item.held_bytes() >= too_much {
                break;
            }
        }
        self.count(id);
        self.wake(id);
        true
    }
}

#[cfg(test)]
mod tests {
    use tng_base::Rng;

    use super::*;

    #[test]
    fn who_holds_most_is_found_without_a_look_at_all_others() {
        const MANY: usize = 10_000;
        let (mut ranking, mut held) = (Ranking::default(), vec![Counted::default(); MANY]);
        let mut rng = Rng::from_u64(1);
        for (id, held) in held.iter_mut().enumerate() {
            held.bytes = 1 + rng.below(1_000_000);
            ranking.note(id, held);
        }
        let mut looks = 0;
        for _ in 0..MANY {
            let largest = ranking.largest(|id: usize| {
                looks += 1;
                Some(held[id].rank_now())
            });
            let largest = largest.expect("somebody holds something");
            let most = held.iter().map(|held| held.bytes).max().unwrap_or(0);
            assert!(held[largest].bytes + RANK_STEP > most, "{largest} of {most} bytes");
            held[largest].bytes -= held[largest].bytes.min(20_000);
            // Others have more and less meanwhile.
            for _ in 0..3 {
                let id = rng.below(MANY as u64) as usize;
                held[id].bytes = rng.below(held[id].bytes + 20_000);
                ranking.note(id, &mut held[id]);
            }
        }
        assert!(looks < 10 * MANY, "{looks} looks");
    }

    #[test]
    fn who_leaves_and_comes_back_has_no_more_of_its_rate() {
        let (mut clients, client, id) = (Clients::default(), ClientTag(1), RelayId(1));
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        let may = |clients: &mut Clients, ms| clients.take_turn(at(ms), client, (id, Turn::Free), Some(100)).0;
        clients.enter(client);
        assert_eq!(may(&mut clients, 0), Turn::Free);
        clients.charge(at(0), (client, id), 5_000, 1_000);
        clients.leave(client, id, Counted::default());
        clients.lapse(at(1_000));
        clients.enter(client);
        assert_eq!(may(&mut clients, 1_000), Turn::First(at(5_000) - RATE_BURST));
        clients.leave_round(client, id, Turn::First(at(0)));
        clients.leave(client, id, Counted::default());
        assert!(!clients.is_empty() && clients.lapses_at() == Some(at(5_000)));
        clients.lapse(at(5_000));
        assert!(clients.is_empty() && clients.lapses_at().is_none());
        // One without a rate is forgotten at once.
        clients.enter(client);
        clients.leave(client, id, Counted::default());
        assert!(clients.is_empty());
    }

    #[test]
    fn who_holds_nothing_any_more_is_nobody() {
        let (mut ranking, mut held) = (Ranking::default(), [Counted::default(); 3]);
        for (id, held) in held.iter_mut().enumerate() {
            held.bytes = 1;
            ranking.note(id, held);
        }
        held[0].bytes = 0;
        ranking.forget(1, &held[1]);
        assert_eq!(ranking.largest(|id: usize| Some(held[id].rank_now())), Some(2));
        held[2].bytes = 0;
        assert_eq!(ranking.largest(|id: usize| Some(held[id].rank_now())), None);
        assert!(ranking.0.is_empty());
    }
}
