//! Entries of streams, by slot.

use core::ops::{Index, IndexMut};

/// Entries that come into being together.
const BLOCK: usize = 16;

/// An entry for each slot: as many as there ever were at once. It grows without moving them, nor leaving room for as many again.
#[derive(Debug)]
pub(super) struct Blocks<T>(Vec<Box<[T; BLOCK]>>);

impl<T> Default for Blocks<T> {
    fn default() -> Blocks<T> {
        Blocks(Vec::new())
    }
}

impl<T> Blocks<T> {
    /// Has entries up to that of `slot`, at least.
    pub(super) fn reach(&mut self, slot: u32, new: impl Fn() -> T) {
        while self.0.len() <= slot as usize / BLOCK {
            if self.0.len() == self.0.capacity() {
                self.0.reserve_exact(1 + self.0.len() / 4);
            }
            self.0.push(Box::new(core::array::from_fn(|_| new())));
        }
    }

    /// Bytes that the entries take.
    #[cfg(test)]
    pub(super) fn footprint(&self) -> usize {
        self.0.len() * size_of::<[T; BLOCK]>() + self.0.capacity() * size_of::<Box<[T; BLOCK]>>()
    }
}

impl<T> Index<u32> for Blocks<T> {
    type Output = T;
    #[inline]
    fn index(&self, slot: u32) -> &T {
        &self.0[slot as usize / BLOCK][slot as usize % BLOCK]
    }
}

impl<T> IndexMut<u32> for Blocks<T> {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut T {
        &mut self.0[slot as usize / BLOCK][slot as usize % BLOCK]
    }
}
