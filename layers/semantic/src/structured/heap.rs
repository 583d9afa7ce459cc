//! A heap that knows where everything is.

/// The position of what is in no heap.
pub(super) const OUT: u32 = u32::MAX;

/// Room for as many members is never given back.
const ROOM_KEPT: usize = 64;

/// A binary heap of members, the smallest key first, equal keys by member. Its owner is told of every new position, so
/// that any member can be taken out or given another key in logarithmic time. Gives room back when an eighth of it is
/// left in use, else allocates only to grow.
#[derive(Debug, Default)]
pub(super) struct Heap {
    entries: Vec<(u64, u32)>,
    /// Steps taken to keep order.
    #[cfg(test)]
    pub(super) steps: u64,
}

impl Heap {
    pub(super) const EMPTY: Heap = Heap {
        entries: Vec::new(),
        #[cfg(test)]
        steps: 0,
    };

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The member with the smallest key.
    pub(super) fn first(&self) -> Option<u32> {
        self.entries.first().map(|&(_, member)| member)
    }

    /// Bytes that the heap takes.
    #[cfg(test)]
    pub(super) fn footprint(&self) -> usize {
        self.entries.capacity() * size_of::<(u64, u32)>()
    }

    pub(super) fn push(&mut self, key: u64, member: u32, moved: &mut dyn FnMut(u32, u32)) {
        self.entries.push((key, member));
        self.rise(self.entries.len() - 1, moved);
    }

    /// Takes out what is at a position; it is told to be out.
    pub(super) fn remove(&mut self, at: u32, moved: &mut dyn FnMut(u32, u32)) {
        let at = at as usize;
        let (_, member) = self.entries.swap_remove(at);
        let room = self.entries.capacity();
        if room > ROOM_KEPT && self.entries.len() < room / 8 {
            self.entries.shrink_to(room / 4);
        }
        moved(member, OUT);
        if at < self.entries.len() {
            let at = self.rise(at, moved);
            self.sink(at, moved);
        }
    }

    /// Gives what is at a position another key.
    pub(super) fn rekey(&mut self, at: u32, key: u64, moved: &mut dyn FnMut(u32, u32)) {
        self.entries[at as usize].0 = key;
        let at = self.rise(at as usize, moved);
        self.sink(at, moved);
    }

    /// Gives every member another key. Nobody is told: see [`positions`](Heap::positions).
    pub(super) fn rekey_all(&mut self, mut key: impl FnMut(u64, u32) -> u64) {
        for entry in &mut self.entries {
            entry.0 = key(entry.0, entry.1);
        }
        self.entries.sort_unstable();
    }

    /// Tells where every member is.
    pub(super) fn positions(&self, moved: &mut dyn FnMut(u32, u32)) {
        for (at, &(_, member)) in self.entries.iter().enumerate() {
            moved(member, at as u32);
        }
    }

    fn rise(&mut self, mut at: usize, moved: &mut dyn FnMut(u32, u32)) -> usize {
        #[cfg(test)]
        (self.steps += 1);
        while at > 0 && self.entries[at] < self.entries[(at - 1) / 2] {
            #[cfg(test)]
            (self.steps += 1);
            self.entries.swap(at, (at - 1) / 2);
            moved(self.entries[at].1, at as u32);
            at = (at - 1) / 2;
        }
        moved(self.entries[at].1, at as u32);
        at
    }

    fn sink(&mut self, mut at: usize, moved: &mut dyn FnMut(u32, u32)) {
        loop {
            #[cfg(test)]
            (self.steps += 1);
            let smallest = (2 * at + 1..(2 * at + 3).min(self.entries.len())).min_by_key(|&child| self.entries[child]);
            match smallest.filter(|&child| self.entries[child] < self.entries[at]) {
                Some(child) => {
                    self.entries.swap(at, child);
                    moved(self.entries[at].1, at as u32);
                    at = child;
                }
                None => break moved(self.entries[at].1, at as u32),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_base::Rng;

    #[test]
    fn whatever_is_done_to_a_heap_its_first_is_the_smallest_and_positions_are_right() {
        let mut rng = Rng::from_u64(1);
        let (mut heap, mut keys, mut places) = (Heap::default(), vec![None; 40], vec![OUT; 40]);
        for step in 0..20_000 {
            let member = rng.below(40) as u32;
            let key = rng.below(30);
            let mut moved = |member: u32, at: u32| places[member as usize] = at;
            match (keys[member as usize], rng.below(50)) {
                (_, 0) => {
                    heap.rekey_all(|key, _| 30 - key);
                    heap.positions(&mut moved);
                    keys.iter_mut().flatten().for_each(|key| *key = 30 - *key);
                }
                (None, _) => {
                    heap.push(key, member, &mut moved);
                    keys[member as usize] = Some(key);
                }
                (Some(_), 1..20) => {
                    let at = places[member as usize];
                    heap.remove(at, &mut |member, at| places[member as usize] = at);
                    keys[member as usize] = None;
                }
                (Some(_), _) => {
                    let at = places[member as usize];
                    heap.rekey(at, key, &mut |member, at| places[member as usize] = at);
                    keys[member as usize] = Some(key);
                }
            }
            let smallest = (0..40).filter_map(|member| Some((keys[member as usize]?, member))).min();
            assert_eq!(heap.first(), smallest.map(|(_, member)| member), "step {step}");
            for (member, &at) in places.iter().enumerate() {
                let there = heap.entries.get(at as usize).copied();
                assert_eq!(there, keys[member].map(|key| (key, member as u32)), "step {step}, member {member}");
            }
        }
    }
}
