//! Which stream may write next.

use super::ring::Ring;

/// Bytes that a stream sends in one turn.
pub const QUANTUM: i64 = 4096;

/// What the next piece of a packet is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    /// Bytes of this stream that were lost.
    Again(u32),
    /// Bytes of this stream that were never sent.
    Fresh(u32),
}

/// The fair scheduler: deficit round robin by bytes (Shreedhar and Varghese, 1995). A stream that overdraws its turn by the
/// rest of a packet has that much less in its next one.
///
/// Lost bytes go first, in turns of their own: they were once paid for, they are bounded by what was sent, and someone
/// waits for them.
#[derive(Debug, Default)]
pub(super) struct Fair {
    again: Ring,
    fresh: Ring,
    deficits: Vec<i64>,
}

impl Fair {
    /// States what a stream has to send.
    pub(super) fn set(&mut self, slot: u32, again: bool, fresh: bool) {
        self.again.set(slot, again);
        self.fresh.set(slot, fresh);
    }

    /// Whether some stream has lost bytes to send.
    pub(super) fn has_again(&self) -> bool {
        !self.again.is_empty()
    }

    /// Whether some stream has new bytes to send.
    pub(super) fn has_fresh(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Whose turn it is. `fresh_allowed` says whether the credit over all streams admits new bytes.
    pub(super) fn next(&mut self, fresh_allowed: bool) -> Option<Turn> {
        if let Some(slot) = self.again.front() {
            return Some(Turn::Again(slot));
        }
        self.fresh.front().filter(|_| fresh_allowed).map(Turn::Fresh)
    }

    /// The stream whose turn it is wrote `bytes`.
    pub(super) fn charge(&mut self, turn: Turn, bytes: usize) {
        let (slot, ring) = match turn {
            Turn::Again(slot) => (slot, &mut self.again),
            Turn::Fresh(slot) => (slot, &mut self.fresh),
        };
        let at = slot as usize;
        if at >= self.deficits.len() {
            self.deficits.resize(at + 1, QUANTUM);
        }
        self.deficits[at] -= bytes as i64;
        if self.deficits[at] <= 0 {
            self.deficits[at] += QUANTUM;
            ring.rotate();
        }
    }

    /// The stream is gone, its slot will be another's.
    pub(super) fn forget(&mut self, slot: u32) {
        self.set(slot, false, false);
        if let Some(deficit) = self.deficits.get_mut(slot as usize) {
            *deficit = QUANTUM;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets each turn send as much as the stream's packets allow, `rounds` times.
    fn share(fair: &mut Fair, packet: [usize; 3], rounds: usize) -> [usize; 3] {
        let mut sent = [0; 3];
        for _ in 0..rounds {
            let turn = fair.next(true).expect("someone is ready");
            let Turn::Fresh(slot) = turn else { panic!("nothing was lost") };
            sent[slot as usize] += packet[slot as usize];
            fair.charge(turn, packet[slot as usize]);
        }
        sent
    }

    #[test]
    fn streams_share_by_bytes_whatever_the_size_of_their_packets() {
        let mut fair = Fair::default();
        (0..3).for_each(|slot| fair.set(slot, false, true));
        let sent = share(&mut fair, [1400, 700, 333], 10_000);
        let (least, most) = (sent.iter().min().expect("three"), sent.iter().max().expect("three"));
        assert!(most - least <= 2 * QUANTUM as usize, "{sent:?}");
    }

    #[test]
    fn lost_bytes_go_before_new_ones_and_do_not_wait_for_credit() {
        let mut fair = Fair::default();
        fair.set(0, false, true);
        fair.set(1, true, true);
        assert_eq!(fair.next(false), Some(Turn::Again(1)));
        fair.set(1, false, true);
        assert_eq!(fair.next(false), None);
        assert_eq!(fair.next(true), Some(Turn::Fresh(0)));
    }

    #[test]
    fn the_next_stream_in_a_slot_starts_with_a_whole_turn() {
        let mut fair = Fair::default();
        (0..2).for_each(|slot| fair.set(slot, false, true));
        fair.charge(Turn::Fresh(0), QUANTUM as usize - 1);
        fair.forget(0);
        fair.set(0, false, true);
        assert_eq!(fair.next(true), Some(Turn::Fresh(0)));
        fair.charge(Turn::Fresh(0), 1);
        assert_eq!(fair.next(true), Some(Turn::Fresh(0)));
    }
}
