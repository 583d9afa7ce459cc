//! Entries of streams, by slot.

use core::ops::{Index, IndexMut};

/// An entry for each slot: as many as there ever were at once. It grows without moving them, nor leaving room for as
/// many again; `BLOCK` of them come into being together.
#[derive(Debug)]
pub(super) struct Blocks<T, const BLOCK: usize>(Vec<Box<[T; BLOCK]>>);

impl<T, const BLOCK: usize> Default for Blocks<T, BLOCK> {
    fn default() -> Self {
        Blocks::EMPTY
    }
}

impl<T, const BLOCK: usize> Blocks<T, BLOCK> {
    pub(super) const EMPTY: Blocks<T, BLOCK> = Blocks(Vec::new());

    /// Has entries up to that of `slot`, at least.
    #[inline]
    pub(super) fn reach(&mut self, slot: u32, new: impl Fn() -> T) {
        if self.0.len() <= slot as usize / BLOCK {
            self.grow(slot, new);
        }
    }

    #[cold]
    fn grow(&mut self, slot: u32, new: impl Fn() -> T) {
        while self.0.len() <= slot as usize / BLOCK {
            if self.0.len() == self.0.capacity() {
                self.0.reserve_exact(1 + self.0.len() / 4);
            }
            self.0.push(Box::new(core::array::from_fn(|_| new())));
        }
    }

    /// The entry of a slot, if there is one.
    #[inline]
    pub(super) fn get(&self, slot: u32) -> Option<&T> {
        Some(&self.0.get(slot as usize / BLOCK)?[slot as usize % BLOCK])
    }

    /// Bytes that the entries take.
    #[cfg(test)]
    pub(super) fn footprint(&self) -> usize {
        self.0.len() * size_of::<[T; BLOCK]>() + self.0.capacity() * size_of::<Box<[T; BLOCK]>>()
    }
}

impl<T, const BLOCK: usize> Index<u32> for Blocks<T, BLOCK> {
    type Output = T;
    #[inline]
    fn index(&self, slot: u32) -> &T {
        &self.0[slot as usize / BLOCK][slot as usize % BLOCK]
    }
}

impl<T, const BLOCK: usize> IndexMut<u32> for Blocks<T, BLOCK> {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut T {
        &mut self.0[slot as usize / BLOCK][slot as usize % BLOCK]
    }
}
