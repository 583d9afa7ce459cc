//! The leaves of the tree.

use core::ops::{Index, IndexMut};
use std::collections::BTreeMap;

use super::super::blocks::Blocks;
use super::{GroupSlot, OUT, ROOT, WEIGHT};

/// A stream, or the datagrams of one.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) place: GroupSlot,
    /// Position among those with lost bytes.
    pub(super) again: u32,
    /// The slot of a stream.
    slot: u32,
    pub(super) weight: u8,
    pub(super) level: Option<i8>,
    pub(super) state: Bits,
}

/// What is true of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Bits(u8);

impl Bits {
    /// The group that it stands in is its own.
    pub(super) const HEADS: u8 = 1;
    /// It has new bytes to send.
    pub(super) const FRESH: u8 = 2;

    pub(super) const fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }

    pub(super) const fn set(&mut self, bit: u8, value: bool) {
        self.0 = if value { self.0 | bit } else { self.0 & !bit };
    }
}

/// A leaf that has nothing to remember.
const RESTING: Leaf = Leaf {
    place: GroupSlot { up: ROOT, at: OUT, start: 0 },
    again: OUT,
    slot: 0,
    weight: WEIGHT,
    level: None,
    state: Bits(0),
};

/// No number.
const NONE: u32 = u32::MAX;

/// Room for as many that are awake is never given back.
const ROOM_KEPT: usize = 64;

/// The leaves: of streams, at even numbers, and between them of datagrams, which few streams have. A stream's is there
/// while it is awake, which it becomes by being changed.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    /// Where they are, by slot; or `NONE`.
    numbers: Blocks<u32, 64>,
    awake: Vec<Leaf>,
    datagrams: BTreeMap<u32, Leaf>,
}

impl Leaves {
    pub(super) const EMPTY: Leaves = Leaves { numbers: Blocks::EMPTY, awake: Vec::new(), datagrams: BTreeMap::new() };

    /// A leaf that has nothing to remember.
    pub(super) fn enter(&mut self, leaf: u32) {
        if leaf % 2 == 1 {
            self.datagrams.insert(leaf, RESTING);
        } else {
            self.numbers.reach(leaf / 2, || NONE);
        }
    }

    pub(super) fn forget(&mut self, leaf: u32) {
        if leaf % 2 == 1 {
            self.datagrams.remove(&leaf);
        } else {
            self.shrink(leaf);
        }
    }

    /// Whether a stream's leaf takes no memory.
    pub(super) fn rests(&self, leaf: u32) -> bool {
        leaf.is_multiple_of(2) && self.numbers[leaf / 2] == NONE
    }

    /// Whether a stream's leaf is awake, and there is nothing to say of it beyond the virtual time of its next byte.
    pub(super) fn is_plain(&self, leaf: u32) -> bool {
        if leaf % 2 == 1 || self.rests(leaf) {
            return false;
        }
        let Leaf { place: GroupSlot { up, at, .. }, again, weight, level, state, .. } = self[leaf];
        (up, at, again, weight, level, state) == (ROOT, OUT, OUT, WEIGHT, None, Bits(0))
    }

    /// Forgets what there is to say of a stream's leaf. Gives room back when an eighth of it is left in use.
    pub(super) fn shrink(&mut self, leaf: u32) {
        let number = core::mem::replace(&mut self.numbers[leaf / 2], NONE);
        if number == NONE {
            return;
        }
        self.awake.swap_remove(number as usize);
        if let Some(moved) = self.awake.get(number as usize) {
            self.numbers[moved.slot] = number;
        }
        let room = self.awake.capacity();
        if room > ROOM_KEPT && self.awake.len() < room / 8 {
            self.awake.shrink_to(room / 4);
        }
    }

    /// Bytes that they take.
    #[cfg(test)]
    pub(super) fn footprint(&self) -> usize {
        self.numbers.footprint()
            + self.awake.capacity() * size_of::<Leaf>()
            + self.datagrams.len() * 2 * size_of::<(u32, Leaf)>()
    }
}

impl Index<u32> for Leaves {
    type Output = Leaf;
    #[inline]
    fn index(&self, leaf: u32) -> &Leaf {
        if leaf % 2 == 1 {
            return &self.datagrams[&leaf];
        }
        match self.numbers[leaf / 2] {
            NONE => &RESTING,
            number => &self.awake[number as usize],
        }
    }
}

impl IndexMut<u32> for Leaves {
    #[inline]
    fn index_mut(&mut self, leaf: u32) -> &mut Leaf {
        if leaf % 2 == 1 {
            return self.datagrams.get_mut(&leaf).expect("a leaf is entered before it is used");
        }
        let slot = leaf / 2;
        if self.numbers[slot] == NONE {
            self.numbers[slot] = self.awake.len() as u32;
            self.awake.push(Leaf { slot, ..RESTING });
        }
        &mut self.awake[self.numbers[slot] as usize]
    }
}
