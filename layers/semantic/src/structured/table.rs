//! The table of streams.

use core::ops::{Index, IndexMut};
use std::collections::BTreeMap;

use super::StreamId;
use super::stream::Stream;

/// Streams in slots, found by id in logarithmic time. A slot is used again when its stream is gone, so the table is as
/// large as the most streams there ever were at once.
#[derive(Debug, Default)]
pub(super) struct Table {
    slots: Vec<Option<Stream>>,
    free: Vec<u32>,
    index: BTreeMap<StreamId, u32>,
}

impl Table {
    pub(super) fn find(&self, id: StreamId) -> Option<u32> {
        self.index.get(&id).copied()
    }

    pub(super) fn insert(&mut self, stream: Stream) -> u32 {
        let id = stream.id;
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(stream);
                slot
            }
            None => {
                self.slots.push(Some(stream));
                u32::try_from(self.slots.len() - 1).expect("creation credit keeps streams fewer than 2^32")
            }
        };
        self.index.insert(id, slot);
        slot
    }

    pub(super) fn remove(&mut self, slot: u32) -> Option<Stream> {
        let stream = self.slots[slot as usize].take()?;
        self.index.remove(&stream.id);
        self.free.push(slot);
        Some(stream)
    }

    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Slots, in use or not.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// Every slot in use, by id.
    pub(super) fn slots(&self) -> Vec<u32> {
        self.index.values().copied().collect()
    }
}

impl Index<u32> for Table {
    type Output = Stream;
    fn index(&self, slot: u32) -> &Stream {
        self.slots[slot as usize].as_ref().expect("queues hold only slots in use")
    }
}

impl IndexMut<u32> for Table {
    fn index_mut(&mut self, slot: u32) -> &mut Stream {
        self.slots[slot as usize].as_mut().expect("queues hold only slots in use")
    }
}
