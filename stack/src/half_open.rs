//! Peers that have not been heard of again since their INIT, and which of them gives way to one that has shown its
//! address.

use std::collections::BTreeMap;

use tng_base::Instant;
use tng_endpoint::Network;
use tng_isolation::Acquaintance;

use crate::attachment::HalfOpen;
use crate::names::Owner;
use crate::{ConnectionId, HostConfig};

/// A half-open entry, as the table knows it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub owner: Owner,
    /// When its INIT came.
    pub since: Instant,
    /// The INIT showed a cookie: the address is its sender's.
    pub validated: bool,
    /// Who its initiator is, for when it has shown that it receives there.
    pub caller: Option<Acquaintance>,
}

/// The half-open entries of a host.
#[derive(Debug, Default)]
pub(crate) struct HalfOpenTable {
    entries: BTreeMap<HalfOpen, Entry>,
}

/// What a validated newcomer finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    /// There is room.
    Free,
    /// There is, once this entry is given up.
    Instead(HalfOpen),
    /// Every other network has fewer entries than its own.
    None,
}

impl HalfOpenTable {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn get(&self, known_as: &HalfOpen) -> Option<&Entry> {
        self.entries.get(known_as)
    }

    pub(crate) fn insert(&mut self, known_as: HalfOpen, entry: Entry) {
        self.entries.insert(known_as, entry);
    }

    pub(crate) fn remove(&mut self, known_as: &HalfOpen) -> Option<Entry> {
        self.entries.remove(known_as)
    }

    /// The oldest entry, of those that showed nothing if there is one, and whose it is. If `unshown`, of no others.
    pub(crate) fn oldest(&self, unshown: bool) -> Option<(HalfOpen, ConnectionId)> {
        let candidates = self.entries.iter().filter(|(_, entry)| !(unshown && entry.validated));
        let oldest = candidates.min_by_key(|(_, entry)| (entry.validated, entry.since));
        oldest.map(|(known_as, entry)| (*known_as, entry.owner.connection))
    }

    /// Whether one more from `network` has room, its address being shown. Of a network's share, and of the table if
    /// that is full, those go first that have shown nothing, then the oldest: an honest peer needs its entry for a
    /// round trip only, and an attacker that floods replaces its own. A full table takes from the network with the
    /// most. Hosts that share an address share the table's room; each has its part of it in any case, and of a
    /// network's.
    pub(crate) fn room_for(&self, network: Network, config: &HostConfig, elsewhere: usize) -> Room {
        let of = usize::from(config.ids.of());
        let (own, per_network) = (config.half_open_max / of, config.half_open_per_network.div_ceil(of));
        let full = self.entries.len() >= own && self.entries.len() + elsewhere >= config.half_open_max;
        if !full && self.entries.len() < per_network {
            return Room::Free;
        }
        let mut counts = BTreeMap::<Network, usize>::new();
        for (remote, _) in self.entries.keys() {
            *counts.entry(Network::of(remote.ip())).or_default() += 1;
        }
        let count = |network: &Network| counts.get(network).copied().unwrap_or(0);
        let own = count(&network);
        let crowded = own >= per_network;
        if !full && !crowded {
            return Room::Free;
        }
        let candidates = self.entries.iter().filter_map(|(known_as, entry)| {
            let its = Network::of(known_as.0.ip());
            let others = count(&its);
            let may = its == network || !crowded && (!entry.validated || others > own);
            may.then_some((entry.validated, core::cmp::Reverse(others), entry.since, *known_as))
        });
        candidates.min().map_or(Room::None, |(.., known_as)| Room::Instead(known_as))
    }
}

#[cfg(test)]
mod tests {
    use core::net::SocketAddr;

    use tng_base::ChannelKey;

    use super::*;
    use crate::Access;

    fn known_as(network: u8, i: u8) -> HalfOpen {
        (SocketAddr::from(([192, 0, 2, network], 1_000 + u16::from(i))), [i; 32])
    }

    /// Entries of networks, in the order in which they came.
    fn table(entries: &[(u8, bool)]) -> HalfOpenTable {
        let mut table = HalfOpenTable::default();
        for ((network, validated), i) in entries.iter().zip(0..) {
            let owner = Owner { connection: ConnectionId(u64::from(i)), channel: ChannelKey(0) };
            let since = Instant::from_secs(u64::from(i));
            table.insert(known_as(*network, i), Entry { owner, since, validated: *validated, caller: None });
        }
        table
    }

    fn room(table: &HalfOpenTable, network: u8, max: usize, share: usize) -> Room {
        let mut config = HostConfig::new(Access::Public);
        (config.half_open_max, config.half_open_per_network) = (max, share);
        table.room_for(Network::of(known_as(network, 0).0.ip()), &config, 0)
    }

    #[test]
    fn a_network_that_has_its_share_replaces_its_own_entries_and_no_others() {
        let table = table(&[(2, false), (1, true), (1, false), (1, true), (3, true)]);
        assert_eq!(room(&table, 1, 100, 3), Room::Instead(known_as(1, 2)), "what has shown nothing goes first");
        assert_eq!(room(&table, 1, 5, 3), Room::Instead(known_as(1, 2)), "nor if the table is full");
        assert_eq!(room(&table, 1, 100, 4), Room::Free);
        assert_eq!(room(&table, 2, 100, 3), Room::Free);
    }

    #[test]
    fn hosts_that_share_an_address_share_the_room_and_each_has_its_part_of_it_in_any_case() {
        let room = |held: &HalfOpenTable, elsewhere: usize| {
            let mut config = HostConfig::new(Access::Public);
            (config.half_open_max, config.half_open_per_network) = (8, 8);
            config.ids = crate::IdSpace::new(1, 4);
            held.room_for(Network::of(known_as(9, 0).0.ip()), &config, elsewhere)
        };
        let (one, two) = (table(&[(1, true)]), table(&[(1, true), (2, true)]));
        assert_eq!(room(&one, 100), Room::Free, "its part is two entries, however many the others hold");
        assert_eq!(room(&two, 5), Room::Free, "seven of eight");
        assert_eq!(room(&two, 6), Room::Instead(known_as(1, 0)), "eight of eight: the oldest gives way");
        assert_eq!(room(&two, 0), Room::Free, "what others leave may be used");
        let (one, two) = (table(&[(9, true)]), table(&[(9, true), (9, true)]));
        assert_eq!(room(&one, 0), Room::Free, "of a network's eight each host has two");
        assert_eq!(room(&two, 0), Room::Instead(known_as(9, 0)));
    }

    #[test]
    fn a_full_table_gives_up_what_has_shown_nothing_and_then_the_oldest_of_the_network_with_the_most() {
        let spoofed = table(&[(1, true), (1, true), (2, false), (3, false)]);
        assert_eq!(room(&spoofed, 9, 4, 3), Room::Instead(known_as(2, 2)));
        let shown = table(&[(2, true), (1, true), (3, true), (1, true)]);
        assert_eq!(room(&shown, 9, 4, 3), Room::Instead(known_as(1, 1)));
        let even = table(&[(1, true), (2, true), (3, true)]);
        assert_eq!(room(&even, 9, 3, 3), Room::Instead(known_as(1, 0)), "nobody has none while others have one");
        assert_eq!(room(&even, 1, 3, 3), Room::Instead(known_as(1, 0)), "its own");
    }

    #[test]
    fn a_network_that_is_crowded_or_has_as_many_as_others_takes_from_itself() {
        let crowded = table(&[(2, false), (1, true), (1, true), (1, true)]);
        assert_eq!(room(&crowded, 1, 10, 3), Room::Instead(known_as(1, 1)), "not from who has shown nothing");
        let even = table(&[(2, true), (9, true)]);
        assert_eq!(room(&even, 9, 2, 3), Room::Instead(known_as(9, 1)), "not from who has as many");
        let spoofed = table(&[(9, true), (2, false), (3, true), (3, true)]);
        assert_eq!(
            room(&spoofed, 9, 4, 3),
            Room::Instead(known_as(2, 1)),
            "from what has shown nothing, though it has as many"
        );
        assert_eq!(room(&table(&[(1, true)]), 9, 1, 3), Room::Instead(known_as(1, 0)), "a full table is full");
    }

    #[test]
    fn the_oldest_entry_is_of_those_that_showed_nothing_if_there_is_one() {
        for unshown in [false, true] {
            let oldest = table(&[(1, true), (2, false), (3, false)]).oldest(unshown);
            assert_eq!(oldest, Some((known_as(2, 1), ConnectionId(1))));
            assert_eq!(table(&[]).oldest(unshown), None);
        }
        let shown = table(&[(1, true), (2, true)]);
        assert_eq!(shown.oldest(false), Some((known_as(1, 0), ConnectionId(0))));
        assert_eq!(shown.oldest(true), None);
    }
}
