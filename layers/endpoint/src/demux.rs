//! From what stands in a datagram to whom it is for.

use std::collections::HashMap;

use tng_base::{ChannelId, Rng};

use crate::IdSpace;

/// Channel ids and reset tokens to their owner `T`.
///
/// Local ids are unpredictable and chosen by this host, so nobody can choose some that collide: they have a keyed hash
/// that is quick. Reset tokens are chosen by peers, and have the keyed default hasher. Neither table is iterated.
#[derive(Debug, Default)]
pub struct Demux<T> {
    ids: HashMap<ChannelId, T, foldhash::quality::RandomState>,
    tokens: HashMap<[u8; 16], T>,
    space: IdSpace,
}

impl<T: Copy + PartialEq> Demux<T> {
    /// Empty tables.
    pub fn new() -> Demux<T> {
        Demux::within(IdSpace::WHOLE)
    }

    /// Empty tables of a host that gives out ids of this space alone.
    pub fn within(space: IdSpace) -> Demux<T> {
        Demux { ids: HashMap::default(), tokens: HashMap::new(), space }
    }

    /// A fresh id that is nobody's, given to `owner`. Within its space nobody can foresee it.
    pub fn take_id(&mut self, rng: &mut Rng, owner: T) -> ChannelId {
        loop {
            let id = ChannelId::from_u64(rng.u64());
            if self.space.holds(id) && self.add_id(id, owner) {
                return id;
            }
        }
    }

    /// Packets to `id` are for `owner`. Answers whether the id was free; a taken one keeps its owner.
    pub fn add_id(&mut self, id: ChannelId, owner: T) -> bool {
        let free = !self.ids.contains_key(&id);
        if free {
            self.ids.insert(id, owner);
        }
        free
    }

    /// Forgets `id`.
    pub fn remove_id(&mut self, id: ChannelId) {
        self.ids.remove(&id);
    }

    /// A stateless reset with `token` would end `owner`'s channel. A known token keeps its owner: a replayed INIT has
    /// the token of the channel that it once was for.
    pub fn add_token(&mut self, token: [u8; 16], owner: T) {
        self.tokens.entry(token).or_insert(owner);
    }

    /// Forgets `token`, if it is `owner`'s.
    pub fn remove_token(&mut self, token: &[u8; 16], owner: T) {
        if self.tokens.get(token) == Some(&owner) {
            self.tokens.remove(token);
        }
    }

    /// Whom a channel packet is for.
    pub fn owner_of(&self, packet: &[u8]) -> Option<T> {
        self.owner(Self::id_in(packet)?)
    }

    /// Whose `id` is.
    // For each packet, and from several places. In one piece, with the hash within, it costs 50 instructions less than
    // in the pieces that a compiler makes of it that copies it to some of them.
    #[inline(never)]
    pub fn owner(&self, id: ChannelId) -> Option<T> {
        self.ids.get(&id).copied()
    }

    /// Whose channel a datagram resets, if it ends in a known token.
    pub fn reset_owner(&self, packet: &[u8]) -> Option<T> {
        self.token_owner(packet.last_chunk()?)
    }

    /// Whose channel a reset with `token` would end.
    pub fn token_owner(&self, token: &[u8; 16]) -> Option<T> {
        self.tokens.get(token).copied()
    }

    /// The channel id that a channel packet carries.
    pub fn id_in(packet: &[u8]) -> Option<ChannelId> {
        packet.get(1..7)?.try_into().ok().map(ChannelId::from_bytes)
    }

    /// How many ids and tokens are held.
    pub fn len(&self) -> (usize, usize) {
        (self.ids.len(), self.tokens.len())
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.len() == (0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_find_their_owner_by_the_id_after_the_first_byte() {
        let mut demux = Demux::new();
        assert!(demux.add_id(ChannelId::from_u64(0x0102_0304_0506), 7));
        assert!(!demux.add_id(ChannelId::from_u64(0x0102_0304_0506), 8), "a taken id keeps its owner");
        assert_eq!(demux.owner_of(&[0x40, 1, 2, 3, 4, 5, 6, 99]), Some(7));
        assert_eq!(demux.owner_of(&[0x40, 1, 2, 3, 4, 5]), None);
        assert_eq!(demux.owner_of(&[0x40, 9, 2, 3, 4, 5, 6, 99]), None);
    }

    #[test]
    fn a_reset_token_is_found_at_the_end_and_removed_only_for_its_owner() {
        let mut demux: Demux<u32> = Demux::new();
        demux.add_token([5; 16], 1);
        demux.add_token([5; 16], 2);
        demux.remove_token(&[5; 16], 2);
        let mut packet = vec![0x41; 30];
        packet.extend([5; 16]);
        assert_eq!(demux.reset_owner(&packet), Some(1));
        assert_eq!(demux.reset_owner(&packet[..45]), None);
        demux.remove_token(&[5; 16], 1);
        assert!(demux.is_empty());
    }

    /// An id that counts how often it is compared.
    #[derive(Debug)]
    struct Counted<'a>(u64, &'a core::cell::Cell<u64>);

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.1.set(self.1.get() + 1);
            self.0 == other.0
        }
    }

    impl Eq for Counted<'_> {}

    impl core::hash::Hash for Counted<'_> {
        fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
            state.write_u64(self.0);
        }
    }

    /// What an attacker hopes for: a hash that can be foreseen.
    #[derive(Default)]
    struct Foreseeable(u64);

    impl core::hash::Hasher for Foreseeable {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, _: &[u8]) {}
        fn write_u64(&mut self, value: u64) {
            self.0 = value;
        }
    }

    /// Comparisons that one lookup costs, on average, in a table full of ids that agree in their lower bits.
    #[expect(clippy::mutable_key_type, reason = "the count is no part of what is hashed or compared")]
    fn comparisons<'a, S: core::hash::BuildHasher>(mut table: HashMap<Counted<'a>, (), S>, ids: &[Counted<'a>]) -> u64 {
        for id in ids {
            table.insert(Counted(id.0, id.1), ());
        }
        ids[0].1.set(0);
        for id in ids {
            assert!(table.contains_key(id));
        }
        ids[0].1.get() / ids.len() as u64
    }

    /// The hasher of a [`Demux`]'s tables, whatever it is.
    fn same_hasher<K, V, S: Default>(_: &HashMap<K, V, S>) -> S {
        S::default()
    }

    #[test]
    fn ids_chosen_to_collide_cost_a_lookup_no_more_than_others() {
        let demux: Demux<u32> = Demux::new();
        let count = core::cell::Cell::new(0);
        let chosen: Vec<_> = (0..4_000).map(|i| Counted(i << 24, &count)).collect();
        let of_ids = comparisons(HashMap::with_hasher(same_hasher(&demux.ids)), &chosen);
        let of_tokens = comparisons(HashMap::with_hasher(same_hasher(&demux.tokens)), &chosen);
        assert!(of_ids <= 3 && of_tokens <= 3, "{of_ids} and {of_tokens} comparisons a lookup");
        let foreseeable = core::hash::BuildHasherDefault::<Foreseeable>::default();
        let control = comparisons(HashMap::with_hasher(foreseeable), &chosen);
        assert!(control > 100, "control: without a keyed hash the same ids cost {control} comparisons a lookup");
    }
}
