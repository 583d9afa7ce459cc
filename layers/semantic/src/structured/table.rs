//! The table of streams.

use core::ops::{Index, IndexMut};
use std::collections::BTreeMap;

use super::StreamId;
use super::stream::Stream;

/// Slots that come into being together.
const BLOCK: usize = 16;

type Block = Box<[Option<Stream>; BLOCK]>;

/// Streams in slots, found by id in logarithmic time. A slot is used again when its stream is gone, so the table is as
/// large as the most streams there ever were at once; it grows without moving or leaving room for as many again.
#[derive(Debug, Default)]
pub(super) struct Table {
    blocks: Vec<Block>,
    /// Slots ever used.
    used: u32,
    free: Vec<u32>,
    index: BTreeMap<StreamId, u32>,
}

impl Table {
    pub(super) fn find(&self, id: StreamId) -> Option<u32> {
        self.index.get(&id).copied()
    }

    pub(super) fn insert(&mut self, stream: Stream) -> u32 {
        let id = stream.id;
        let slot = self.free.pop().unwrap_or_else(|| {
            if self.used as usize == self.blocks.len() * BLOCK {
                self.blocks.push(Box::new([const { None }; BLOCK]));
            }
            self.used += 1;
            self.used - 1
        });
        *self.slot_mut(slot) = Some(stream);
        self.index.insert(id, slot);
        slot
    }

    pub(super) fn remove(&mut self, slot: u32) {
        let id = self[slot].id;
        self.index.remove(&id);
        *self.slot_mut(slot) = None;
        self.free.push(slot);
    }

    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Streams held, counted anew.
    pub(super) fn recount(&self) -> usize {
        self.blocks.iter().flat_map(|block| block.iter()).flatten().count()
    }

    /// Slots, in use or not.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.used as usize
    }

    /// Bytes that the table takes.
    #[cfg(test)]
    pub(super) fn footprint(&self) -> usize {
        // A node of the index holds up to 11 entries, and half of that when they come in order.
        let index = self.index.len() * 2 * (size_of::<StreamId>() + size_of::<u32>());
        self.blocks.len() * size_of::<[Option<Stream>; BLOCK]>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.free.capacity() * size_of::<u32>()
            + index
    }

    fn slot_mut(&mut self, slot: u32) -> &mut Option<Stream> {
        &mut self.blocks[slot as usize / BLOCK][slot as usize % BLOCK]
    }

    /// Every slot in use, by id.
    pub(super) fn slots(&self) -> Vec<u32> {
        self.index.values().copied().collect()
    }
}

impl Index<u32> for Table {
    type Output = Stream;
    fn index(&self, slot: u32) -> &Stream {
        self.blocks[slot as usize / BLOCK][slot as usize % BLOCK].as_ref().expect("queues hold only slots in use")
    }
}

impl IndexMut<u32> for Table {
    fn index_mut(&mut self, slot: u32) -> &mut Stream {
        self.slot_mut(slot).as_mut().expect("queues hold only slots in use")
    }
}
