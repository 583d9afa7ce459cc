//! The table of streams.

use core::ops::{Index, IndexMut};

use super::StreamId;
use super::blocks::Blocks;
use super::stream::Stream;
use super::window::Ids;

type Slots = Blocks<Option<Stream>, 16>;

/// Streams in slots, found by id in a few steps. A slot is used again when its stream is gone, so the table is as
/// large as the most streams there ever were at once. Without streams it is as it was before the first, whatever memory
/// it has kept.
#[derive(Debug, Default)]
pub(super) struct Table {
    slots: Slots,
    /// Slots used since there were no streams.
    used: u32,
    free: Vec<u32>,
    ids: Ids,
}

impl Table {
    #[inline]
    pub(super) fn find(&self, id: StreamId) -> Option<u32> {
        self.ids.find(id, |slot| id_in(&self.slots, slot))
    }

    pub(super) fn insert(&mut self, stream: Stream) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        let Table { slots, ids, .. } = self;
        slots.reach(slot, || None);
        let id = stream.id;
        slots[slot] = Some(stream);
        ids.insert(id, slot, |slot| id_in(slots, slot));
        slot
    }

    pub(super) fn remove(&mut self, slot: u32) {
        let Table { slots, ids, .. } = self;
        ids.remove(id_in(slots, slot), |slot| id_in(slots, slot));
        slots[slot] = None;
        self.free.push(slot);
        if self.len() == 0 {
            self.used = 0;
            self.free.clear();
        }
    }

    /// The stream in a slot, if there is one.
    #[inline]
    pub(super) fn get(&self, slot: u32) -> Option<&Stream> {
        self.slots.get(slot)?.as_ref()
    }

    /// Gives its memory back if it is empty.
    pub(super) fn shrink(&mut self) {
        if self.len() == 0 {
            self.slots = Slots::default();
            self.free = Vec::new();
            self.ids.shrink();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Streams held, counted anew.
    pub(super) fn recount(&self) -> usize {
        (0..self.used).filter(|&slot| self.get(slot).is_some()).count()
    }

    /// Slots, in use or not.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.used as usize
    }

    /// Bytes that the table takes.
    #[cfg(test)]
    pub(super) fn footprint(&self) -> usize {
        self.slots.footprint() + self.free.capacity() * size_of::<u32>() + self.ids.footprint()
    }

    /// Every slot in use, by id.
    pub(super) fn slots(&self) -> Vec<u32> {
        let mut slots: Vec<u32> = (0..self.used).filter(|&slot| self.get(slot).is_some()).collect();
        slots.sort_unstable_by_key(|&slot| self[slot].id);
        slots
    }
}

fn id_in(slots: &Slots, slot: u32) -> StreamId {
    slots[slot].as_ref().expect("the index holds only slots in use").id
}

impl Index<u32> for Table {
    type Output = Stream;
    #[inline]
    fn index(&self, slot: u32) -> &Stream {
        self.slots[slot].as_ref().expect("queues hold only slots in use")
    }
}

impl IndexMut<u32> for Table {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut Stream {
        self.slots[slot].as_mut().expect("queues hold only slots in use")
    }
}
