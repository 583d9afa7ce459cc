//! What the connections of a host may hold together: one budget over what is buffered to be sent, what has arrived and
//! is not read, what was promised as credit, and every connection that there is, confirmed or not.
//!
//! A peer may hold a quarter of what is left free, all its connections together: so however many are greedy leave
//! something, and all of them have the same (dynamic thresholds: Choudhury and Hahne, "Dynamic queue length thresholds
//! for shared-memory packet switches", 1998). What a connection needs to go on at all is guaranteed from its beginning;
//! first windows are given from half of the budget, and an eighth of it is left to newcomers.

use std::collections::BTreeMap;

use tng_base::Eid;
use tng_semantic::structured::Allowance;

/// What a connection counts for beyond its streams, in bytes: its entries in the tables, its channel and what is known
/// of its path.
pub const CONNECTION_COST: u64 = 16 << 10;

/// Least credit over all streams that a connection has, in bytes: what may be assumed before anything was said
/// (docs/wire.md, section 4).
pub const FIRST_WINDOW_MIN: u64 = 4096;

/// A new connection has this part of what is left of the halves from which first windows are given, that of the budget
/// and that of what its peer may have.
pub const FIRST_WINDOW_PART: u64 = 3;

/// This part of the budget, divided by the connections that there may be, is guaranteed to each, as credit and once
/// more for what it sends.
pub const GUARANTEED_PART: u64 = 4;

/// This part of the budget is left to newcomers, and to what is guaranteed.
pub const NEWCOMERS_PART: u64 = 8;

/// Memory is scarce when less than this part of the budget is free for connections to grow.
pub const SCARCE_PART: u64 = 16;

/// A peer may have this part of what is free.
pub const PEER_PART: u64 = 4;

/// A peer of whose bytes little is read may have this part of what is free.
pub const UNREAD_PART: u64 = 8;

/// How a budget is divided while little of it is used, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryShares {
    /// Every connection has so much credit, and may buffer as much to be sent.
    pub guaranteed: u64,
    /// A peer may hold so much, if nobody else holds anything.
    pub peer_max: u64,
    /// And so much of it in bytes that nobody reads.
    pub unread_max: u64,
}

impl MemoryShares {
    /// Of `max` bytes for so many connections.
    pub fn of(max: u64, connections: usize) -> MemoryShares {
        let guaranteed = (max / GUARANTEED_PART / connections.max(1) as u64).max(FIRST_WINDOW_MIN);
        let free = max - max / NEWCOMERS_PART;
        // A holder of one part of what it leaves free holds so much.
        let of_free = |part: u64| free / (part + 1);
        MemoryShares { guaranteed, peer_max: of_free(PEER_PART), unread_max: of_free(UNREAD_PART) }
    }
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Budget {
    max: u64,
    /// Credit that every connection has, and bytes that it may always buffer to be sent.
    guaranteed: u64,
    used: u64,
    /// What others hold of the same budget.
    elsewhere: u64,
    /// Others are told of what a peer holds here when it has changed by so much; zero if there are none.
    step: u64,
    /// Peers about whom there is something to tell the others.
    changed: Vec<Eid>,
    /// Peers that hold something with others, and nothing here.
    abroad: BTreeMap<Eid, u64>,
    /// Where the share of a peer stands.
    places: BTreeMap<Eid, u32>,
    shares: Vec<Share>,
    vacant: Vec<u32>,
}

/// What one peer holds.
#[derive(Clone, Copy, Debug)]
struct Share {
    peer: Eid,
    bytes: u64,
    connections: u32,
    /// What it holds with others of the same budget.
    elsewhere: u64,
    /// What they were told that it holds here, which is no less.
    told: u64,
    /// They must be told again.
    changed: bool,
}

impl Share {
    fn of(peer: Eid, elsewhere: u64) -> Share {
        Share { peer, bytes: 0, connections: 0, elsewhere, told: 0, changed: false }
    }

    /// What it holds with all.
    fn everywhere(&self) -> u64 {
        self.bytes + self.elsewhere
    }
}

/// Others are told of what a peer holds in this part of the budget, so that they need not look at each change.
pub const PEER_STEPS: u64 = 1_024;

/// What one connection counts for, and whose it is. Given back with [`Budget::leave`].
#[derive(Debug)]
pub(crate) struct Charge {
    share: u32,
    bytes: u64,
    /// What all held, and its peer, when its streams were told how much more they may.
    told_at: (u64, u64),
}

impl Charge {
    /// What it counts for, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Budget {
    /// Of `max` bytes for as many as `connections`.
    pub(crate) fn new(max: u64, connections: usize) -> Budget {
        let MemoryShares { guaranteed, .. } = MemoryShares::of(max, connections);
        Budget {
            max,
            guaranteed,
            used: 0,
            elsewhere: 0,
            step: 0,
            changed: Vec::new(),
            abroad: BTreeMap::new(),
            places: BTreeMap::new(),
            shares: Vec::new(),
            vacant: Vec::new(),
        }
    }

    /// The same, shared with others that hold a part each: they are told what each peer holds here.
    pub(crate) fn among_others(self, are_there: bool) -> Budget {
        Budget { step: if are_there { (self.max / PEER_STEPS).max(1) } else { 0 }, ..self }
    }

    /// There is something to tell others of this peer.
    pub(crate) fn note_peer(&mut self, peer: Eid) {
        if self.step == 0 {
            return;
        }
        let share = self.places.get(&peer).map(|share| &mut self.shares[*share as usize]);
        if share.is_none_or(|share| !core::mem::replace(&mut share.changed, true)) {
            self.changed.push(peer);
        }
    }

    /// The next peer about whom there is something to tell others, and what they are told that it holds here.
    pub(crate) fn poll_peer(&mut self) -> Option<(Eid, u64)> {
        let (peer, step) = (self.changed.pop()?, self.step);
        let share = self.places.get(&peer).map(|share| &mut self.shares[*share as usize]);
        let told = share.map_or(0, |share| {
            (share.told, share.changed) = (share.bytes.div_ceil(step) * step, false);
            share.told
        });
        Some((peer, told))
    }

    /// A peer holds so much with others.
    pub(crate) fn set_peer_elsewhere(&mut self, peer: Eid, bytes: u64) {
        match self.places.get(&peer) {
            Some(share) => self.shares[*share as usize].elsewhere = bytes,
            None if bytes > 0 => drop(self.abroad.insert(peer, bytes)),
            None => drop(self.abroad.remove(&peer)),
        }
    }

    /// Bytes in use.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// Peers that hold something.
    pub(crate) fn peers(&self) -> usize {
        self.places.len()
    }

    /// Others hold so much of the same budget.
    pub(crate) fn set_elsewhere(&mut self, bytes: u64) {
        self.elsewhere = bytes;
    }

    /// What all hold.
    fn used_by_all(&self) -> u64 {
        self.used + self.elsewhere
    }

    /// Whether more is in use than there may be.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.used_by_all() > self.max
    }

    /// Whether there is room for one more connection.
    pub(crate) fn has_room(&self) -> bool {
        self.used_by_all() + CONNECTION_COST + 2 * self.guaranteed <= self.max
    }

    /// Whether there is room for one more connection, of any peer, and memory is not scarce after it.
    pub(crate) fn has_plenty(&self) -> bool {
        let newcomer = CONNECTION_COST + self.first_window_beside(0);
        self.has_room() && self.free() >= self.max / SCARCE_PART + newcomer
    }

    /// The credit that a new connection with `peer` has from its start at most. First windows take half of the budget
    /// at most, and half of what a peer may have: connections that died with theirs leave the next ones the other half.
    pub(crate) fn first_window(&self, peer: Eid) -> u64 {
        let share = self.places.get(&peer).map(|share| self.shares[*share as usize].everywhere());
        self.first_window_beside(share.or_else(|| self.abroad.get(&peer).copied()).unwrap_or(0))
    }

    /// The same with a peer that holds so much.
    fn first_window_beside(&self, held: u64) -> u64 {
        let left = (self.max / 2).saturating_sub(self.used_by_all());
        let spare = (self.free() / PEER_PART / 2).saturating_sub(held);
        (left.min(spare) / FIRST_WINDOW_PART).max(self.guaranteed)
    }

    /// Bytes by which connections may grow.
    fn free(&self) -> u64 {
        (self.max - self.max / NEWCOMERS_PART).saturating_sub(self.used_by_all())
    }

    /// Whether there is little left by which connections could grow.
    pub(crate) fn is_scarce(&self) -> bool {
        self.free() < self.max / SCARCE_PART
    }

    /// Whether this host holds what it would of a budget that is divided by so many.
    pub(crate) fn has_its_part(&self, of: u8) -> bool {
        self.used >= self.max / u64::from(of)
    }

    /// Whether a connection holds more than it is guaranteed.
    pub(crate) fn is_much(&self, charge: &Charge) -> bool {
        charge.bytes > CONNECTION_COST + 2 * self.guaranteed
    }

    /// A connection with `peer` begins, and holds so many bytes beside itself.
    pub(crate) fn enter(&mut self, peer: Eid, bytes: u64) -> Charge {
        let share = *self.places.entry(peer).or_insert_with(|| {
            let begins = Share::of(peer, self.abroad.remove(&peer).unwrap_or(0));
            match self.vacant.pop() {
                Some(vacant) => {
                    self.shares[vacant as usize] = begins;
                    vacant
                }
                None => {
                    self.shares.push(begins);
                    self.shares.len() as u32 - 1
                }
            }
        });
        self.shares[share as usize].connections += 1;
        let mut charge = Charge { share, bytes: 0, told_at: (0, 0) };
        self.settle(&mut charge, CONNECTION_COST + bytes);
        charge
    }

    /// Connections with `peer` now, those that have only been asked for included.
    pub(crate) fn connections_of(&self, peer: Eid) -> usize {
        self.places.get(&peer).map_or(0, |share| self.shares[*share as usize].connections as usize)
    }

    /// Whether there is anything to tell a connection that counts for so much now.
    #[inline]
    pub(crate) fn has_news(&self, charge: &Charge, bytes: u64) -> bool {
        bytes != charge.bytes || (self.used_by_all(), self.held_by_peer(charge)) != charge.told_at
    }

    /// A connection has been told what more it may.
    pub(crate) fn note_told(&self, charge: &mut Charge) {
        charge.told_at = (self.used_by_all(), self.held_by_peer(charge));
    }

    /// A connection counts for so much now.
    pub(crate) fn settle(&mut self, charge: &mut Charge, bytes: u64) {
        let share = &mut self.shares[charge.share as usize];
        share.bytes = share.bytes - charge.bytes + bytes;
        self.used = self.used - charge.bytes + bytes;
        charge.bytes = bytes;
        // What others were told stays the most that it may be.
        let told = share.bytes <= share.told && share.told - share.bytes <= 2 * self.step;
        if self.step > 0 && !told && !share.changed {
            share.changed = true;
            self.changed.push(share.peer);
        }
    }

    /// A connection with `peer` is forgotten.
    pub(crate) fn leave(&mut self, peer: Eid, mut charge: Charge) {
        self.settle(&mut charge, 0);
        let share = &mut self.shares[charge.share as usize];
        share.connections -= 1;
        if share.connections == 0 {
            self.places.remove(&peer);
            self.vacant.push(charge.share);
            if self.step > 0 {
                self.changed.push(peer);
                let elsewhere = share.elsewhere;
                self.set_peer_elsewhere(peer, elsewhere);
            }
        }
    }

    /// How much more a connection may come to hold.
    pub(crate) fn allowance(&self, charge: &Charge) -> Allowance {
        let held = self.held_by_peer(charge);
        // Neither is ever beyond 2^63.
        let spare = |part: u64| (self.free() / part) as i64 - held as i64;
        Allowance { spare: spare(PEER_PART), unread: spare(UNREAD_PART), send_min: self.guaranteed }
    }

    /// What the peer of a connection holds, all its connections together, those with others of the same budget too.
    pub(crate) fn held_by_peer(&self, charge: &Charge) -> u64 {
        self.shares[charge.share as usize].everywhere()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Divides by all parts, and by ten connections.
    const MAX: u64 = 43_200 << 10;
    const CONNECTIONS: usize = 10;

    fn eid(byte: u8) -> Eid {
        Eid::from_bytes([byte; 32])
    }

    fn budget() -> Budget {
        Budget::new(MAX, CONNECTIONS)
    }

    /// A connection with `peer` that holds `bytes`.
    fn held(budget: &mut Budget, peer: Eid, bytes: u64) -> Charge {
        let mut charge = budget.enter(peer, 7);
        assert_eq!(charge.bytes(), CONNECTION_COST + 7, "from its beginning");
        budget.settle(&mut charge, bytes);
        charge
    }

    #[test]
    fn it_is_known_how_many_connections_a_peer_has() {
        let mut budget = budget();
        let [first, _second] = [held(&mut budget, eid(1), 9), held(&mut budget, eid(1), 9)];
        let _other = held(&mut budget, eid(2), 9);
        assert_eq!([1, 2, 3].map(|peer| budget.connections_of(eid(peer))), [2, 1, 0]);
        budget.leave(eid(1), first);
        assert_eq!(budget.connections_of(eid(1)), 1);
    }

    #[test]
    fn a_first_window_fits_wherever_one_more_connection_has_room() {
        for (max, connections) in [(MAX, CONNECTIONS), (MAX, 1), (MAX, 1 << 20), (40 << 10, 8), (30 << 10, 1)] {
            let mut budget = Budget::new(max, connections);
            let mut charge = budget.enter(eid(1), 0);
            for used in (0..=max).step_by(max as usize / 1000) {
                budget.settle(&mut charge, used);
                for peer in [eid(1), eid(2)] {
                    let first = CONNECTION_COST + budget.first_window(peer);
                    assert!(!budget.has_room() || used + first <= max, "{used} of {max}, {connections} connections");
                }
            }
        }
    }

    #[test]
    fn a_budget_is_divided_by_its_parts() {
        assert_eq!((CONNECTION_COST, FIRST_WINDOW_MIN), (16_384, 4096));
        let shares = MemoryShares::of(MAX, CONNECTIONS);
        assert_eq!(shares.guaranteed, MAX / 40);
        let free = MAX / 8 * 7;
        assert_eq!((shares.peer_max, shares.unread_max), (free / 5, free / 9));
        assert_eq!(MemoryShares::of(MAX, 1 << 20).guaranteed, FIRST_WINDOW_MIN, "never less than may be assumed");
        assert_eq!(MemoryShares::of(MAX, 0).guaranteed, MAX / 4);
    }

    #[test]
    fn a_budget_is_exceeded_by_the_first_byte_beyond_it_and_has_room_while_a_connection_fits() {
        let mut budget = budget();
        let mut charge = held(&mut budget, eid(1), MAX);
        assert!(!budget.is_exceeded() && !budget.has_room());
        budget.settle(&mut charge, MAX + 1);
        assert!(budget.is_exceeded());
        let one_more = CONNECTION_COST + 2 * (MAX / 40);
        budget.settle(&mut charge, MAX - one_more);
        assert!(budget.has_room());
        budget.settle(&mut charge, MAX - one_more + 1);
        assert!(!budget.has_room());
        budget.leave(eid(1), charge);
        assert_eq!((budget.used(), budget.peers()), (0, 0));
    }

    #[test]
    fn a_budget_gives_first_windows_of_a_third_of_what_is_left_of_halves_and_never_less_than_is_guaranteed() {
        let (mut budget, guaranteed) = (Budget::new(MAX, 1000), MAX / 4000);
        assert_eq!(budget.first_window(eid(1)), MAX / 8 * 7 / 4 / 2 / 3, "half of what a peer may have binds at first");
        let charge = held(&mut budget, eid(1), 3 << 20);
        let of_peer = (MAX / 8 * 7 - (3 << 20)) / 4 / 2;
        assert_eq!(budget.first_window(eid(1)), (of_peer - (3 << 20)) / 3, "less what it holds");
        assert_eq!(budget.first_window(eid(2)), of_peer / 3, "which leaves another its own");
        let other = held(&mut budget, eid(2), MAX / 2 - (4 << 20));
        assert_eq!(budget.first_window(eid(3)), (1 << 20) / 3, "what is left of the half of all");
        budget.leave(eid(1), charge);
        budget.leave(eid(2), other);
        let _crowd = held(&mut budget, eid(2), MAX / 2);
        assert_eq!(budget.first_window(eid(3)), guaranteed);
    }

    #[test]
    fn a_host_holds_its_part_when_it_holds_what_there_is_for_each_of_so_many() {
        let mut budget = budget();
        let mut charge = held(&mut budget, eid(1), MAX / 4 - 1);
        assert!(!budget.has_its_part(4) && budget.has_its_part(5));
        budget.settle(&mut charge, MAX / 4);
        assert!(budget.has_its_part(4) && !budget.has_its_part(3));
    }

    #[test]
    fn there_is_plenty_while_memory_is_not_scarce_with_a_newcomer_too() {
        for connections in [1, CONNECTIONS, 1000] {
            let mut budget = Budget::new(MAX, connections);
            let mut charge = budget.enter(eid(1), 0);
            let mut seen = [false; 2];
            for used in (0..=MAX).step_by(997) {
                budget.settle(&mut charge, used);
                let (plenty, room) = (budget.has_plenty(), budget.has_room());
                let newcomer = CONNECTION_COST + budget.first_window(eid(2));
                budget.settle(&mut charge, used + newcomer);
                assert_eq!(plenty, room && !budget.is_scarce(), "{used} of {MAX}, {connections} connections");
                seen[usize::from(plenty)] = true;
            }
            assert_eq!(seen, [true; 2]);
        }
    }

    #[test]
    fn others_are_told_what_a_peer_holds_here_when_it_is_more_than_they_know_or_two_steps_less() {
        let (mut budget, step) = (budget().among_others(true), MAX / PEER_STEPS);
        let mut charge = budget.enter(eid(1), 0);
        assert_eq!([budget.poll_peer(), budget.poll_peer()], [Some((eid(1), step)), None], "in whole steps");
        budget.settle(&mut charge, step);
        assert_eq!(budget.poll_peer(), None, "no more than they know");
        budget.settle(&mut charge, step + 1);
        budget.settle(&mut charge, 4 * step + 1);
        assert_eq!([budget.poll_peer(), budget.poll_peer()], [Some((eid(1), 5 * step)), None], "once for all changes");
        budget.settle(&mut charge, 3 * step);
        assert_eq!(budget.poll_peer(), None, "two steps less");
        budget.settle(&mut charge, 3 * step - 1);
        assert_eq!(budget.poll_peer(), Some((eid(1), 3 * step)), "and a byte");
        for _ in 0..2 {
            budget.note_peer(eid(1));
        }
        assert_eq!(
            [budget.poll_peer(), budget.poll_peer()],
            [Some((eid(1), 3 * step)), None],
            "when there is a reason"
        );
        budget.note_peer(eid(9));
        assert_eq!(budget.poll_peer(), Some((eid(9), 0)), "of one who holds nothing, too");
        budget.leave(eid(1), charge);
        assert!(core::iter::from_fn(|| budget.poll_peer()).all(|told| told == (eid(1), 0)), "all is given back");
    }

    #[test]
    fn nobody_is_told_anything_where_there_are_no_others() {
        let mut budget = budget().among_others(false);
        let charge = held(&mut budget, eid(1), MAX / 2);
        budget.note_peer(eid(1));
        assert_eq!(budget.poll_peer(), None);
        budget.leave(eid(1), charge);
        assert_eq!(budget.poll_peer(), None);
    }

    #[test]
    fn what_a_peer_holds_with_others_counts_as_its_own_before_it_comes_and_after_it_has_gone() {
        let mut budget = budget().among_others(true);
        let (all, some) = (budget.first_window(eid(1)), 64 << 10);
        budget.set_peer_elsewhere(eid(1), some);
        let less = budget.first_window(eid(1));
        assert!(less < all && budget.first_window(eid(2)) == all, "{less} of {all}");
        let mut charge = budget.enter(eid(1), 0);
        assert_eq!(budget.held_by_peer(&charge), CONNECTION_COST + some);
        budget.note_told(&mut charge);
        assert!(!budget.has_news(&charge, CONNECTION_COST));
        budget.set_peer_elsewhere(eid(1), 2 * some);
        assert!(budget.has_news(&charge, CONNECTION_COST), "it may less now");
        assert_eq!(budget.held_by_peer(&charge), CONNECTION_COST + 2 * some);
        budget.set_peer_elsewhere(eid(1), some);
        budget.leave(eid(1), charge);
        assert_eq!(budget.first_window(eid(1)), less, "it is remembered");
        budget.set_peer_elsewhere(eid(1), 0);
        assert_eq!((budget.first_window(eid(1)), budget.abroad.len()), (all, 0), "until it holds nothing there");
        budget.set_elsewhere(MAX);
        assert!(!budget.is_exceeded() && !budget.has_room(), "what others hold of all counts, too");
        let _charge = budget.enter(eid(1), 0);
        assert!(budget.is_exceeded());
    }

    #[test]
    fn a_budget_counts_a_connection_that_holds_what_it_is_guaranteed_as_modest() {
        let mut budget = budget();
        let mut charge = held(&mut budget, eid(1), CONNECTION_COST + 2 * (MAX / 40));
        assert!(!budget.is_much(&charge));
        budget.settle(&mut charge, CONNECTION_COST + 2 * (MAX / 40) + 1);
        assert!(budget.is_much(&charge));
    }

    #[test]
    fn a_budget_is_scarce_when_less_than_a_sixteenth_is_free_to_grow() {
        let mut budget = budget();
        let mut charge = held(&mut budget, eid(1), MAX / 8 * 7 - MAX / 16);
        assert!(!budget.is_scarce());
        budget.settle(&mut charge, MAX / 8 * 7 - MAX / 16 + 1);
        assert!(budget.is_scarce());
    }

    #[test]
    fn a_budget_has_plenty_if_it_is_not_scarce_with_one_more_connection_and_its_first_window() {
        let mut budget = budget();
        let of_a_newcomer = CONNECTION_COST + MAX / 40;
        let most = MAX / 8 * 7 - MAX / 16 - of_a_newcomer;
        let mut charge = held(&mut budget, eid(1), most);
        assert!(budget.has_plenty());
        budget.settle(&mut charge, most + 1);
        assert!(!budget.has_plenty() && !budget.is_scarce());
        // Few connections are guaranteed much.
        let mut budget = Budget::new(MAX, 1);
        assert_eq!(budget.has_plenty(), budget.has_room());
        let _charge = held(&mut budget, eid(1), MAX / 2);
        assert!(!budget.has_plenty() && !budget.is_scarce() && !budget.has_room());
    }

    #[test]
    fn a_budget_allows_a_peer_its_part_of_what_is_free_with_all_its_connections() {
        let mut budget = budget();
        let (first, second) = (held(&mut budget, eid(1), 2 << 20), held(&mut budget, eid(1), 1 << 20));
        let _other = held(&mut budget, eid(2), 5 << 20);
        let free = (MAX / 8 * 7 - (8 << 20)) as i64;
        for charge in [&first, &second] {
            let Allowance { spare, unread, send_min } = budget.allowance(charge);
            assert_eq!((spare, unread, send_min), (free / 4 - (3 << 20), free / 8 - (3 << 20), MAX / 40));
            assert_eq!(budget.held_by_peer(charge), 3 << 20);
        }
        budget.leave(eid(1), first);
        assert_eq!((budget.peers(), budget.held_by_peer(&second)), (2, 1 << 20));
        budget.leave(eid(1), second);
        assert_eq!(budget.peers(), 1, "a place is kept by the last of a peer's connections");
        let again = held(&mut budget, eid(3), 7);
        assert_eq!((again.share, budget.held_by_peer(&again)), (0, 7), "and then it is another's");
    }

    #[test]
    fn a_budget_that_is_shared_counts_what_a_peer_holds_with_others_as_its_own() {
        let mut budget = budget().among_others(true);
        let charge = held(&mut budget, eid(1), 1 << 20);
        let alone = budget.allowance(&charge);
        budget.set_peer_elsewhere(eid(1), 3 << 20);
        let Allowance { spare, unread, .. } = budget.allowance(&charge);
        assert_eq!((alone.spare - spare, alone.unread - unread), (3 << 20, 3 << 20));
        assert_eq!(budget.held_by_peer(&charge), 4 << 20);
        budget.leave(eid(1), charge);
        let other = held(&mut budget, eid(2), 7);
        assert_eq!(budget.held_by_peer(&other), 7, "the place is another's");
        let again = held(&mut budget, eid(1), 7);
        assert_eq!(budget.held_by_peer(&again), 7 + (3 << 20), "it is known when it comes back");
        budget.leave(eid(1), again);
        budget.set_peer_elsewhere(eid(1), 0);
        let again = held(&mut budget, eid(1), 7);
        assert_eq!(budget.held_by_peer(&again), 7);
    }

    #[test]
    fn a_budget_tells_others_of_a_peer_in_steps_and_never_less_than_it_holds() {
        let (mut budget, step) = (budget().among_others(true), MAX / PEER_STEPS);
        let mut charge = held(&mut budget, eid(1), step / 2);
        assert_eq!((budget.poll_peer(), budget.poll_peer()), (Some((eid(1), step)), None));
        budget.settle(&mut charge, step);
        assert_eq!(budget.poll_peer(), None, "as much as they know");
        budget.settle(&mut charge, 5 * step + 1);
        assert_eq!(budget.poll_peer(), Some((eid(1), 6 * step)));
        budget.settle(&mut charge, 4 * step);
        assert_eq!(budget.poll_peer(), None, "a little less");
        budget.settle(&mut charge, step);
        assert_eq!(budget.poll_peer(), Some((eid(1), step)));
        budget.note_peer(eid(1));
        assert_eq!((budget.poll_peer(), budget.poll_peer()), (Some((eid(1), step)), None));
        budget.note_peer(eid(1));
        budget.note_peer(eid(1));
        assert_eq!((budget.poll_peer(), budget.poll_peer()), (Some((eid(1), step)), None), "told once");
        budget.leave(eid(1), charge);
        assert_eq!((budget.poll_peer(), budget.poll_peer()), (Some((eid(1), 0)), None));
    }

    #[test]
    fn a_budget_of_a_host_that_is_alone_has_nothing_to_tell() {
        let mut budget = budget();
        let charge = held(&mut budget, eid(1), MAX / 2);
        budget.note_peer(eid(1));
        budget.leave(eid(1), charge);
        assert_eq!(budget.poll_peer(), None);
    }
}
