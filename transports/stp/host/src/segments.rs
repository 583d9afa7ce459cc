//! Segments that arrived.

use std::collections::VecDeque;

use tng_stp_abi::{Arrived, HEAD_MAX, RING_ENTRIES, Refused};

/// Segments that a guest may keep behind a call of `input`.
pub const KEPT_MAX: usize = 1_024;

/// Buffers that wait to be used again.
const SPARE_MAX: usize = 2 * RING_ENTRIES;

/// What arrived and was not told yet, and what a guest keeps. Buffers are used again.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    slots: Vec<Slot>,
    /// Those with a buffer are the last.
    free: VecDeque<u32>,
    /// How many of them have one.
    spare: usize,
    /// Bytes of all buffers.
    buffers: usize,
    /// Those that wait to be told, the first first.
    waiting: VecDeque<u32>,
    /// Those that the call under way is told of.
    told: Vec<u32>,
    kept: usize,
    /// Bytes of their buffers.
    kept_bytes: u64,
}

#[derive(Debug, Default)]
struct Slot {
    bytes: Vec<u8>,
    numbered: Option<(u64, u64)>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Free,
    Waiting,
    Told,
    Kept,
}

impl Segments {
    /// Takes a segment, if there is room in the ring.
    pub(crate) fn push(&mut self, numbered: Option<(u64, u64)>, bytes: &[u8]) -> Result<(), Refused> {
        if self.is_full() {
            return Err(Refused::Full);
        }
        let at = self.free.pop_back().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        self.spare = self.spare.saturating_sub(1);
        let slot = &mut self.slots[at as usize];
        let before = slot.bytes.capacity();
        slot.bytes.clear();
        slot.bytes.reserve_exact(bytes.len());
        slot.bytes.extend_from_slice(bytes);
        self.buffers += slot.bytes.capacity() - before;
        (slot.numbered, slot.state) = (numbered, State::Waiting);
        self.waiting.push_back(at);
        Ok(())
    }

    /// Whether the guest has to be called first.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.len() >= RING_ENTRIES
    }

    /// Whether something waits to be told.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// What the call that begins is told.
    pub(crate) fn tell(&mut self, into: &mut [Arrived; RING_ENTRIES]) -> usize {
        let mut count = 0;
        for entry in into {
            let Some(at) = self.waiting.pop_front() else { break };
            let slot = &mut self.slots[at as usize];
            slot.state = State::Told;
            let len = slot.bytes.len();
            (entry.segment, entry.len, entry.numbered) = (at, len as u32, slot.numbered);
            let head = HEAD_MAX.min(len);
            entry.head[..head].copy_from_slice(&slot.bytes[..head]);
            self.told.push(at);
            count += 1;
        }
        count
    }

    /// The call is over: what it did not keep is given back.
    pub(crate) fn take_back(&mut self) {
        while let Some(at) = self.told.pop() {
            if self.slots[at as usize].state == State::Told {
                self.free(at);
            }
        }
    }

    fn free(&mut self, at: u32) {
        let slot = &mut self.slots[at as usize];
        slot.state = State::Free;
        if self.spare < SPARE_MAX {
            self.spare += 1;
            self.free.push_back(at);
        } else {
            self.buffers -= core::mem::take(&mut slot.bytes).capacity();
            self.free.push_front(at);
        }
    }

    pub(crate) fn bytes(&self, segment: u32) -> Result<&[u8], Refused> {
        let slot = self.slots.get(segment as usize).filter(|slot| matches!(slot.state, State::Told | State::Kept));
        slot.map(|slot| &slot.bytes[..]).ok_or(Refused::NotThere)
    }

    pub(crate) fn keep(&mut self, segment: u32, room: u64) -> Result<(), Refused> {
        let slot = self.slots.get_mut(segment as usize).filter(|slot| slot.state == State::Told);
        let slot = slot.ok_or(Refused::NotThere)?;
        // A short segment may be in a large buffer.
        let len = slot.bytes.capacity() as u64;
        if self.kept >= KEPT_MAX || len > room {
            return Err(Refused::Full);
        }
        slot.state = State::Kept;
        (self.kept, self.kept_bytes) = (self.kept + 1, self.kept_bytes + len);
        Ok(())
    }

    pub(crate) fn give_back(&mut self, segment: u32) -> Result<(), Refused> {
        let slot = self.slots.get_mut(segment as usize).filter(|slot| slot.state == State::Kept);
        let slot = slot.ok_or(Refused::NotThere)?;
        let len = slot.bytes.capacity() as u64;
        (self.kept, self.kept_bytes) = (self.kept - 1, self.kept_bytes - len);
        // If it is told of in the call under way, that gives it back.
        if self.told.contains(&segment) {
            slot.state = State::Told;
        } else {
            self.free(segment);
        }
        Ok(())
    }

    /// Segments that may still be kept.
    pub(crate) fn places(&self) -> usize {
        KEPT_MAX.saturating_sub(self.kept)
    }

    /// Bytes of the buffer that a segment is in.
    pub(crate) fn buffer_of(&self, segment: u32) -> u64 {
        self.slots.get(segment as usize).map_or(0, |slot| slot.bytes.capacity() as u64)
    }

    /// What of [`kept_bytes`](Segments::kept_bytes) is that of one segment.
    pub(crate) fn kept_bytes_of(&self, segment: u32) -> u64 {
        let slot = self.slots.get(segment as usize).filter(|slot| slot.state == State::Kept);
        slot.map_or(0, |slot| slot.bytes.capacity() as u64)
    }

    /// Bytes of segments that are kept, with what their buffers have beside them.
    pub(crate) fn kept_bytes(&self) -> u64 {
        self.kept_bytes
    }

    /// Bytes of memory.
    pub(crate) fn held(&self) -> u64 {
        (self.buffers + self.slots.len() * size_of::<Slot>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(segments: &mut Segments) -> Vec<Arrived> {
        let mut into = [Arrived::EMPTY; RING_ENTRIES];
        let count = segments.tell(&mut into);
        into[..count].to_vec()
    }

    #[test]
    fn what_is_not_kept_is_gone_when_the_call_returns() {
        let mut segments = Segments::default();
        segments.push(Some((1, 2)), b"one").unwrap();
        segments.push(None, &[7; 200]).unwrap();
        let [one, two] = told(&mut segments)[..] else { panic!("two were told") };
        assert_eq!(
            (one.head(), one.numbered, two.numbered, two.head().len()),
            (&b"one"[..], Some((1, 2)), None, HEAD_MAX)
        );
        assert_eq!((segments.keep(two.segment, 199), segments.keep(two.segment, 200)), (Err(Refused::Full), Ok(())));
        assert_eq!(segments.keep(two.segment, 200), Err(Refused::NotThere), "it is kept already");
        segments.take_back();
        assert_eq!((segments.bytes(one.segment), segments.kept_bytes()), (Err(Refused::NotThere), 200));
        assert_eq!(segments.bytes(two.segment), Ok(&[7; 200][..]));
        assert_eq!(
            (segments.give_back(two.segment), segments.give_back(two.segment)),
            (Ok(()), Err(Refused::NotThere))
        );
        assert_eq!((segments.bytes(two.segment), segments.bytes(99)), (Err(Refused::NotThere), Err(Refused::NotThere)));
    }

    #[test]
    fn buffers_are_used_again_and_more_than_the_ring_holds_waits() {
        let mut segments = Segments::default();
        for round in 0..10 {
            for at in 0..RING_ENTRIES {
                segments.push(Some((at as u64, round)), b"segment").unwrap();
            }
            assert_eq!((segments.push(None, b"more"), segments.is_full()), (Err(Refused::Full), true));
            let arrived = told(&mut segments);
            assert!(arrived.iter().map(|it| it.numbered.unwrap().0).eq(0..RING_ENTRIES as u64));
            segments.keep(arrived[3].segment, 100).unwrap();
            segments.give_back(arrived[3].segment).unwrap();
            segments.take_back();
        }
        assert_eq!(segments.slots.len(), RING_ENTRIES);
        assert!(!segments.is_waiting() && segments.kept_bytes() == 0);
    }

    /// A guest that keeps as many as it may, tiny ones, and then as many bytes as it may, round and round.
    #[test]
    fn a_guest_that_keeps_what_it_may_has_its_room_and_the_spare_buffers_and_no_more() {
        const ROOM: u64 = 64 << 10;
        let mut segments = Segments::default();
        let most = ROOM as usize + (SPARE_MAX + RING_ENTRIES) * 1_400 + 1_300 * size_of::<Slot>();
        for round in 0..40 {
            let mut kept = VecDeque::new();
            for at in 0..40 {
                let len = if round % 2 == 0 { 1 } else { 1_400 };
                (0..RING_ENTRIES).for_each(|_| segments.push(None, &vec![at; len]).unwrap());
                for entry in told(&mut segments) {
                    if segments.keep(entry.segment, ROOM.saturating_sub(segments.kept_bytes())).is_ok() {
                        kept.push_back((entry.segment, at));
                    }
                }
                segments.take_back();
            }
            assert!(
                kept.len() as u64 >= ROOM / 1_400 && segments.held() <= most as u64,
                "{} of {most}",
                segments.held()
            );
            while let Some((segment, at)) = if round % 3 == 0 { kept.pop_back() } else { kept.pop_front() } {
                assert_eq!(segments.bytes(segment).unwrap()[0], at);
                segments.give_back(segment).unwrap();
            }
            assert_eq!(segments.kept_bytes(), 0);
            let buffers: usize = segments.slots.iter().map(|slot| slot.bytes.capacity()).sum();
            assert_eq!(segments.buffers, buffers);
        }
    }
}
