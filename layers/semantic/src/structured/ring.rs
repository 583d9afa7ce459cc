//! Queues of streams, each stream at most once.

use std::collections::VecDeque;

/// A round-robin queue of slots. Every slot is in it at most once, so it never outgrows the stream table; membership is
/// set and cleared in constant time (a cleared slot leaves the queue when its turn comes). It takes memory from its
/// first member on until it [shrinks](Ring::shrink).
#[derive(Debug, Default)]
pub(super) struct Ring(Option<Box<Places>>);

#[derive(Debug, Default)]
struct Places {
    queue: VecDeque<u32>,
    slots: Vec<u8>,
    members: usize,
    /// Slots looked at to find members.
    #[cfg(test)]
    steps: u64,
}

/// Room for as many in the queue is never given back.
const ROOM_KEPT: usize = 128;

/// The slot is a member.
const MEMBER: u8 = 1;
/// The slot stands in the queue.
const QUEUED: u8 = 2;

impl Ring {
    pub(super) const EMPTY: Ring = Ring(None);

    /// Makes `slot` a member, at the end of the queue, or removes it.
    pub(super) fn set(&mut self, slot: u32, member: bool) {
        match &mut self.0 {
            Some(places) => places.set(slot, member),
            None if member => self.begin(slot),
            None => {}
        }
    }

    #[cold]
    fn begin(&mut self, slot: u32) {
        self.0.get_or_insert_default().set(slot, true);
    }

    /// Whether there is no member.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|places| places.members == 0)
    }

    /// Every member, in turn.
    pub(super) fn members(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|places| places.members())
    }

    /// The member whose turn it is.
    pub(super) fn front(&mut self) -> Option<u32> {
        self.0.as_mut()?.front()
    }

    /// Ends the turn of the first in the queue.
    pub(super) fn rotate(&mut self) {
        if let Some(places) = &mut self.0 {
            places.rotate();
        }
    }

    /// Removes the first, which is a member.
    pub(super) fn leave_front(&mut self) {
        if let Some(places) = &mut self.0 {
            places.leave_front();
        }
    }

    /// Gives back the memory that it is not using. Whose turn comes when is as it was.
    pub(super) fn shrink(&mut self) {
        if self.is_as_new() {
            self.0 = None;
        } else if let Some(places) = &mut self.0 {
            places.queue.shrink_to_fit();
            places.slots.shrink_to_fit();
        }
    }

    /// Whether it is in nothing different from one that never had a member.
    pub(super) fn is_as_new(&self) -> bool {
        self.0.as_ref().is_none_or(|places| places.queue.is_empty())
    }

    /// Bytes that the ring takes.
    #[cfg(test)]
    pub(super) fn footprint(&self) -> usize {
        self.0.as_ref().map_or(0, |places| size_of::<Places>() + places.footprint())
    }

    /// Slots looked at to find members.
    #[cfg(test)]
    pub(super) fn steps(&self) -> u64 {
        self.0.as_ref().map_or(0, |places| places.steps)
    }
}

impl Places {
    #[inline]
    fn set(&mut self, slot: u32, member: bool) {
        let at = slot as usize;
        if at >= self.slots.len() {
            if !member {
                return;
            }
            // By an eighth more than is needed: there may be many.
            if at >= self.slots.capacity() {
                self.slots.reserve_exact(at + 1 - self.slots.len() + at / 8);
            }
            self.slots.resize(at + 1, 0);
        }
        let place = &mut self.slots[at];
        if (*place & MEMBER != 0) == member {
            return;
        }
        *place ^= MEMBER;
        if member {
            self.members += 1;
            if *place & QUEUED == 0 {
                *place |= QUEUED;
                self.queue.push_back(slot);
            }
        } else {
            self.members -= 1;
        }
    }

    fn members(&self) -> impl Iterator<Item = u32> + '_ {
        self.queue.iter().copied().filter(|&slot| self.slots[slot as usize] & MEMBER != 0)
    }

    #[inline]
    fn front(&mut self) -> Option<u32> {
        while let Some(&slot) = self.queue.front() {
            #[cfg(test)]
            (self.steps += 1);
            let place = &mut self.slots[slot as usize];
            if *place & MEMBER != 0 {
                return Some(slot);
            }
            *place &= !QUEUED;
            self.pop();
        }
        None
    }

    /// Takes the first out of the queue, and gives room back when an eighth of it is left in use.
    fn pop(&mut self) -> Option<u32> {
        let room = self.queue.capacity();
        if room > ROOM_KEPT && self.queue.len() < room / 8 {
            self.queue.shrink_to((room / 4).max(ROOM_KEPT));
        }
        self.queue.pop_front()
    }

    #[inline]
    fn rotate(&mut self) {
        if let Some(slot) = self.pop() {
            let place = &mut self.slots[slot as usize];
            if *place & MEMBER != 0 {
                self.queue.push_back(slot);
            } else {
                *place &= !QUEUED;
            }
        }
    }

    #[inline]
    fn leave_front(&mut self) {
        if let Some(slot) = self.pop() {
            self.slots[slot as usize] = 0;
            self.members -= 1;
        }
    }

    #[cfg(test)]
    fn footprint(&self) -> usize {
        self.queue.capacity() * size_of::<u32>() + self.slots.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_take_turns_and_those_who_left_are_passed_over() {
        let mut ring = Ring::default();
        for slot in 0..3 {
            ring.set(slot, true);
            ring.set(slot, true);
        }
        assert_eq!(ring.front(), Some(0));
        ring.rotate();
        ring.set(2, false);
        assert_eq!(ring.front(), Some(1));
        ring.rotate();
        assert_eq!(ring.front(), Some(0));
        ring.set(0, false);
        ring.set(1, false);
        assert!(ring.is_empty());
        assert_eq!(ring.front(), None);
    }

    #[test]
    fn a_slot_that_leaves_and_returns_stands_in_the_queue_once() {
        let mut ring = Ring::default();
        for _ in 0..10 {
            ring.set(7, true);
            ring.set(7, false);
        }
        ring.set(7, true);
        assert_eq!(ring.0.as_ref().map(|places| places.queue.len()), Some(1));
        assert_eq!(ring.front(), Some(7));
    }
}
