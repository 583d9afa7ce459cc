//! Where the stream of an id stands.

use std::collections::VecDeque;

use super::StreamId;
use super::index::Index;

/// No slot.
const NONE: u32 = u32::MAX;

/// Places of a window that stand for nothing, for each that stands for a stream, at most; beside [`EMPTY_MAX`].
const EMPTY_PER_STREAM: usize = 7;

/// Places of a window that stand for nothing, at most, however few streams there are.
const EMPTY_MAX: usize = 128;

/// Ids that may be missing between two of a window.
const LEAP_MAX: usize = 1024;

/// Room for as many is never given back.
const ROOM_KEPT: usize = 64;

/// Slots by their streams' ids. Those of one creator are counters, and most streams are young: the last counters are a
/// window, in which a slot is found by its number. A stream that outlasts very many younger ones, or whose number leaps
/// ahead of those before it, stands beside the window.
#[derive(Debug, Default)]
pub(super) struct Ids {
    windows: [Window; 2],
    others: Index,
}

/// The slots of streams with counters from `base` on.
#[derive(Debug, Default)]
struct Window {
    base: u64,
    slots: VecDeque<u32>,
    /// Those that are slots.
    streams: usize,
}

impl Ids {
    pub(super) fn len(&self) -> usize {
        self.windows[0].streams + self.windows[1].streams + self.others.len()
    }

    /// Gives back the memory that it is not using.
    pub(super) fn shrink(&mut self) {
        self.windows.iter_mut().for_each(|window| window.slots.shrink_to_fit());
    }

    /// Bytes that it takes.
    #[cfg(test)]
    pub(super) fn footprint(&self) -> usize {
        let windows: usize = self.windows.iter().map(|window| window.slots.capacity() * size_of::<u32>()).sum();
        windows + self.others.footprint()
    }

    /// The slot of `id`.
    #[inline]
    pub(super) fn find(&self, id: StreamId, id_of: impl Fn(u32) -> StreamId) -> Option<u32> {
        let window = &self.windows[id.creator() as usize];
        match window.slots.get(window.at(id)) {
            Some(&slot) => (slot != NONE).then_some(slot),
            None if self.others.len() == 0 => None,
            None => self.others.find(id, id_of),
        }
    }

    /// Notes the slot of an id that is not there yet.
    pub(super) fn insert(&mut self, id: StreamId, slot: u32, id_of: impl Fn(u32) -> StreamId) {
        let Ids { windows, others } = self;
        let window = &mut windows[id.creator() as usize];
        if id.is_local() {
            return others.insert(slot, id_of);
        }
        // A stream that stands beside the window has a counter below its base, which therefore never goes back.
        if id.counter() < window.base {
            return others.insert(slot, id_of);
        }
        if window.streams == 0 {
            window.slots.clear();
            window.base = id.counter();
        }
        let at = window.at(id);
        if at > window.slots.len() + LEAP_MAX {
            // What is between is left out.
            while window.streams > 0 {
                window.give_up_first(others, &id_of);
            }
            window.slots.clear();
            window.base = id.counter();
        }
        let at = window.at(id);
        match window.slots.get_mut(at) {
            Some(place) => *place = slot,
            None => {
                (window.slots.len()..at).for_each(|_| window.slots.push_back(NONE));
                window.slots.push_back(slot);
            }
        }
        window.streams += 1;
        window.trim(others, &id_of);
    }

    /// Forgets the slot of `id`, which is there.
    pub(super) fn remove(&mut self, id: StreamId, id_of: impl Fn(u32) -> StreamId) {
        let Ids { windows, others } = self;
        let window = &mut windows[id.creator() as usize];
        let at = window.at(id);
        match window.slots.get_mut(at) {
            Some(slot) => {
                *slot = NONE;
                window.streams -= 1;
                window.trim(others, &id_of);
            }
            None => others.remove(id, id_of),
        }
    }
}

impl Window {
    #[inline]
    const fn at(&self, id: StreamId) -> usize {
        id.counter().wrapping_sub(self.base) as usize
    }

    /// Has the window begin with a stream, and hold few places that stand for nothing.
    fn trim(&mut self, others: &mut Index, id_of: &impl Fn(u32) -> StreamId) {
        while self.slots.front() == Some(&NONE) || self.slots.len() > self.streams * (1 + EMPTY_PER_STREAM) + EMPTY_MAX
        {
            self.give_up_first(others, id_of);
        }
        let room = self.slots.capacity();
        if room > ROOM_KEPT && self.slots.len() < room / 8 {
            self.slots.shrink_to(room / 4);
        }
    }

    /// The first of the window stands beside it from now on, if there is one.
    fn give_up_first(&mut self, others: &mut Index, id_of: &impl Fn(u32) -> StreamId) {
        let Some(slot) = self.slots.pop_front() else { return };
        self.base += 1;
        if slot != NONE {
            self.streams -= 1;
            others.insert(slot, id_of);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tng_base::Rng;

    use super::*;

    /// Ids and slots under test beside a model of them.
    #[derive(Default)]
    struct World {
        ids: Ids,
        names: Vec<StreamId>,
        model: BTreeMap<StreamId, u32>,
    }

    impl World {
        fn find(&self, id: u64) -> Option<u32> {
            self.ids.find(StreamId(id), |slot| self.names[slot as usize])
        }

        fn insert(&mut self, id: u64) {
            let (id, slot) = (StreamId(id), self.names.len() as u32);
            self.names.push(id);
            self.model.insert(id, slot);
            let names = &self.names;
            self.ids.insert(id, slot, |slot| names[slot as usize]);
        }

        fn remove(&mut self, id: u64) {
            self.model.remove(&StreamId(id));
            let names = &self.names;
            self.ids.remove(StreamId(id), |slot| names[slot as usize]);
        }

        fn places(&self) -> usize {
            self.ids.windows.iter().map(|window| window.slots.len()).sum()
        }
    }

    #[test]
    fn whatever_comes_and_goes_every_id_is_found_and_no_other() {
        for seed in 0..30 {
            let mut rng = Rng::from_u64(seed);
            let (mut world, mut next) = (World::default(), 0);
            for step in 0..4_000 {
                let leap = if rng.chance(0.01) { rng.below(1 << (seed % 20)) } else { 0 };
                next += leap;
                // Late ones are below, young ones next to each other.
                let id = if rng.chance(0.5) { next } else { rng.below(next + 4) };
                assert_eq!(world.find(id), world.model.get(&StreamId(id)).copied(), "seed {seed}, step {step}");
                if world.model.contains_key(&StreamId(id)) {
                    world.remove(id);
                } else {
                    world.insert(id);
                    next = next.max(id + 1);
                }
                assert_eq!(world.ids.len(), world.model.len(), "seed {seed}, step {step}");
                let most = world.ids.len() * (1 + EMPTY_PER_STREAM) + 2 * EMPTY_MAX;
                assert!(world.places() <= most, "seed {seed}, step {step}: {} places", world.places());
            }
            for (id, slot) in world.model.clone() {
                assert_eq!(world.find(id.0), Some(slot), "seed {seed}");
                world.remove(id.0);
                assert_eq!(world.find(id.0), None, "seed {seed}");
            }
            assert_eq!((world.ids.len(), world.places()), (0, 0), "seed {seed}");
        }
    }

    #[test]
    fn one_that_stands_beside_the_window_is_found_whatever_comes_late_when_the_window_is_empty() {
        let mut world = World::default();
        // The first is left behind by a leap; then the window is empty, and one from before comes late.
        world.insert(2 * 50);
        world.insert(2 * 200);
        world.remove(2 * 200);
        world.insert(2 * 10);
        world.insert(2 * 100);
        assert_eq!((world.find(2 * 50), world.find(2 * 10), world.find(2 * 100)), (Some(0), Some(2), Some(3)));
        for counter in [50, 10, 100] {
            world.remove(2 * counter);
            assert_eq!(world.find(2 * counter), None);
        }
        assert_eq!((world.ids.len(), world.places()), (0, 0));
    }

    #[test]
    fn a_stream_that_outlasts_very_many_others_costs_no_memory_for_them() {
        let mut world = World::default();
        world.insert(0);
        for counter in 1..100_000 {
            world.insert(2 * counter);
            world.remove(2 * counter);
        }
        assert_eq!((world.find(0), world.ids.len()), (Some(0), 1));
        assert!(world.ids.footprint() < 12 << 10, "{} bytes", world.ids.footprint());
    }

    #[test]
    fn a_number_far_ahead_takes_no_memory_for_those_before_it() {
        let mut world = World::default();
        for leap in 1..100 {
            world.insert(leap << 40);
            world.insert((leap << 40) + 2);
        }
        assert_eq!((world.find(1 << 40), world.find((1 << 40) + 2), world.find(4 << 40)), (Some(0), Some(1), Some(6)));
        assert!(world.ids.footprint() < 12 << 10, "{} bytes", world.ids.footprint());
    }

    #[test]
    fn an_entry_costs_few_bytes() {
        for count in [1_000, 10_000, 100_000] {
            let mut world = World::default();
            (0..count).for_each(|counter| world.insert(2 * counter + 1));
            let each = world.ids.footprint() as f64 / count as f64;
            assert!(each <= 8.2, "{count}: {each} bytes");
        }
    }
}
