//! Where streams stand whose ids are far from those of others.

use core::hash::BuildHasher;
use std::collections::hash_map::RandomState;

use super::StreamId;

/// No slot.
const NONE: u32 = u32::MAX;

/// Room for as many is never given back.
const ROOM_KEPT: usize = 16;

/// Ids that are spread together.
const RUN: u64 = 128;

/// Slots by their streams' ids, in the room of a few integers: open addressing with linear probing (Knuth, volume 3,
/// 6.4). The ids themselves stand in the slots, so the caller says what they are.
///
/// Ids are counters, and those next to each other are spread evenly. But which streams last is the peer's choice, and
/// with it which ids stand here: so where each [`RUN`] of them begin nobody can foresee, and none are closer together
/// than others. Nothing else depends on it.
#[derive(Debug)]
pub(super) struct Index {
    /// A power of two of places, at most seven of eight in use; or none.
    places: Vec<u32>,
    len: usize,
    /// An odd number that nobody knows.
    key: u64,
}

impl Default for Index {
    fn default() -> Index {
        Index { places: Vec::new(), len: 0, key: RandomState::new().hash_one(()) | 1 }
    }
}

impl Index {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes that the index takes.
    #[cfg(test)]
    pub(super) fn footprint(&self) -> usize {
        self.places.capacity() * size_of::<u32>()
    }

    /// The slot of `id`.
    #[inline]
    pub(super) fn find(&self, id: StreamId, id_of: impl Fn(u32) -> StreamId) -> Option<u32> {
        let mut at = self.home(id)?;
        loop {
            match self.places[at] {
                NONE => return None,
                slot if id_of(slot) == id => return Some(slot),
                _ => at = self.after(at),
            }
        }
    }

    /// Notes a slot whose id is not there yet.
    pub(super) fn insert(&mut self, slot: u32, id_of: impl Fn(u32) -> StreamId) {
        if (self.len + 1) * 8 > self.places.len() * 7 {
            self.resize((self.places.len() * 2).max(ROOM_KEPT), &id_of);
        }
        self.len += 1;
        self.put(slot, &id_of);
    }

    /// Forgets the slot of `id`, which is there.
    pub(super) fn remove(&mut self, id: StreamId, id_of: impl Fn(u32) -> StreamId) {
        let Some(mut hole) = self.home(id) else { return };
        while self.places[hole] != NONE && id_of(self.places[hole]) != id {
            hole = self.after(hole);
        }
        // Those behind it move up, unless that would put them before their homes.
        let (mask, mut at) = (self.places.len() - 1, hole);
        loop {
            at = self.after(at);
            let slot = self.places[at];
            if slot == NONE {
                break;
            }
            let Some(home) = self.home(id_of(slot)) else { break };
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(hole) & mask {
                self.places[hole] = slot;
                hole = at;
            }
        }
        self.places[hole] = NONE;
        self.len -= 1;
        if self.places.len() > ROOM_KEPT && self.len * 8 < self.places.len() {
            self.resize(self.places.len() / 2, &id_of);
        }
    }

    fn resize(&mut self, room: usize, id_of: &impl Fn(u32) -> StreamId) {
        let before = core::mem::replace(&mut self.places, vec![NONE; room]);
        before.into_iter().filter(|&slot| slot != NONE).for_each(|slot| self.put(slot, id_of));
    }

    fn put(&mut self, slot: u32, id_of: &impl Fn(u32) -> StreamId) {
        let Some(mut at) = self.home(id_of(slot)) else { return };
        while self.places[at] != NONE {
            at = self.after(at);
        }
        self.places[at] = slot;
    }

    /// Where `id` stands if nothing is in its way.
    #[inline]
    fn home(&self, id: StreamId) -> Option<usize> {
        let bits = self.places.len().checked_ilog2()?;
        let run = (id.0 / RUN).wrapping_mul(self.key);
        let spread = id.0.wrapping_add(run ^ run >> 32);
        // Fibonacci hashing: the golden ratio of the range.
        Some((spread.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize)
    }

    fn after(&self, at: usize) -> usize {
        (at + 1) & (self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tng_base::Rng;

    use super::*;

    #[test]
    fn whatever_comes_and_goes_every_id_is_found_and_no_other() {
        for seed in 0..20 {
            let mut rng = Rng::from_u64(seed);
            let (mut index, mut ids, mut model) = (Index::default(), Vec::new(), BTreeMap::new());
            // Dense as counters are, and rising; some seeds have far more ids than places.
            let spread = 40 << (seed % 12);
            for step in 0..4_000 {
                let id = StreamId(rng.below(spread));
                let id_of = |slot: u32| ids[slot as usize];
                assert_eq!(index.find(id, id_of), model.get(&id).copied(), "seed {seed}, step {step}");
                if model.remove(&id).is_some() {
                    index.remove(id, id_of);
                } else if rng.chance(0.7) {
                    model.insert(id, ids.len() as u32);
                    ids.push(id);
                    index.insert(ids.len() as u32 - 1, |slot| ids[slot as usize]);
                }
                assert_eq!(index.len(), model.len(), "seed {seed}, step {step}");
            }
            while let Some((id, _)) = model.pop_first() {
                index.remove(id, |slot| ids[slot as usize]);
                for (&id, &slot) in &model {
                    assert_eq!(index.find(id, |slot| ids[slot as usize]), Some(slot), "seed {seed}");
                }
            }
            assert_eq!((index.len(), index.places.len()), (0, ROOM_KEPT), "seed {seed}");
        }
    }

    fn with_key(key: u64) -> Index {
        Index { key, ..Index::default() }
    }

    /// Steps to find each of these ids, in all.
    fn steps(mut index: Index, ids: &[StreamId]) -> usize {
        let id_of = |slot: u32| ids[slot as usize];
        (0..ids.len() as u32).for_each(|slot| index.insert(slot, id_of));
        let steps = core::cell::Cell::new(0);
        for id in ids {
            index.find(*id, |slot| {
                steps.set(steps.get() + 1);
                id_of(slot)
            });
        }
        steps.get()
    }

    #[test]
    fn ids_chosen_to_stand_close_together_are_found_in_as_few_steps_as_others() {
        // The peer keeps one of 16 streams: whose place in 2,048 is among the first 128.
        let foreseen = Index { places: vec![NONE; 2_048], ..with_key(1) };
        let ids: Vec<StreamId> = (0..)
            .map(|counter| StreamId(2 * counter))
            .filter(|id| foreseen.home(*id) < Some(128))
            .take(1_024)
            .collect();
        assert!(steps(with_key(1), &ids) > 400 * ids.len(), "with a key that is known");
        let worst = (0..100).map(|_| steps(Index::default(), &ids)).max();
        assert!(worst < Some(3 * ids.len()), "{worst:?} steps");
    }

    #[test]
    fn an_entry_costs_few_bytes_and_few_steps() {
        for count in [1_000, 10_000, 100_000] {
            let mut index = with_key(0x2545_f491_4f6c_dd1d);
            let id_of = |slot: u32| StreamId(u64::from(slot) * 2 + 1);
            (0..count).for_each(|slot| index.insert(slot, id_of));
            let each = index.footprint() as f64 / f64::from(count);
            let steps = core::cell::Cell::new(0);
            for slot in 0..count {
                index.find(id_of(slot), |slot| {
                    steps.set(steps.get() + 1);
                    id_of(slot)
                });
            }
            assert!(each <= 9.2 && steps.get() <= 3 * count, "{count}: {each} bytes, {} steps", steps.get());
        }
    }
}
