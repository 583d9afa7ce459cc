//! Local repair: what a section lost is sent again on that section, before either end misses it.

use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Fate, Instant};

use crate::HELD_OVERHEAD;

/// Bytes kept until their fate is known, at most, for each direction of each flow; beyond it the oldest are not
/// repaired.
pub const REPAIR_BYTES_MAX: usize = 4 << 20;

/// Packets that wait to leave again among which one that was only late is looked for: of those behind them one may
/// leave for nothing.
pub const LATE_LOOKED_AT: usize = 64;

/// A packet that has left and may have to leave again.
#[derive(Debug)]
struct Kept {
    number: u64,
    /// When it left as that.
    sent_at: Instant,
    /// None once its fate is known.
    copy: Option<Copied>,
}

/// A copy of a packet.
#[derive(Debug)]
pub(crate) struct Copied {
    pub payload: Vec<u8>,
    /// When it left for the first time.
    pub left_at: Instant,
}

impl Copied {
    /// Bytes of memory that it takes.
    fn memory(&self) -> usize {
        self.payload.capacity() + HELD_OVERHEAD
    }
}

/// A packet that is to leave again.
#[derive(Debug)]
pub(crate) struct Retransmission {
    /// The number that it last left as: if that arrives after all, it need not.
    pub number: u64,
    pub copy: Copied,
    /// If it is lost again, that is found out when its time is over: so it leaves twice.
    pub twice: bool,
}

/// Copies of what has left on a section, and those that are to leave again.
#[derive(Debug)]
pub(crate) struct Repair {
    /// For how long after it first left a packet may leave again.
    time_max: Duration,
    /// By their numbers on the section, ascending.
    kept: VecDeque<Kept>,
    kept_bytes: usize,
    again: VecDeque<Retransmission>,
    again_bytes: u64,
}

impl Repair {
    pub(crate) fn new(time_max: Duration) -> Repair {
        Repair { time_max, kept: VecDeque::new(), kept_bytes: 0, again: VecDeque::new(), again_bytes: 0 }
    }

    /// Packets and bytes that wait to leave again.
    pub(crate) fn waiting(&self) -> (usize, u64) {
        (self.again.len(), self.again_bytes)
    }

    /// Bytes of memory that the copies take.
    pub(crate) fn kept_bytes(&self) -> usize {
        self.kept_bytes
    }

    /// The copy has left as packet `number`. What need not be kept any longer goes to `spare`.
    pub(crate) fn keep(&mut self, now: Instant, number: u64, copy: Copied, mut spare: impl FnMut(Vec<u8>)) {
        self.kept_bytes += copy.memory();
        self.kept.push_back(Kept { number, sent_at: now, copy: Some(copy) });
        while let Some(front) = self.kept.front() {
            let over = front.copy.as_ref().is_none_or(|copy| copy.left_at + self.time_max < now);
            if !over && self.kept_bytes <= REPAIR_BYTES_MAX {
                break;
            }
            self.forget_oldest(&mut spare);
        }
    }

    /// Keeps the oldest copy no longer. Answers whether there was one.
    pub(crate) fn forget_oldest(&mut self, mut spare: impl FnMut(Vec<u8>)) -> bool {
        let Some(front) = self.kept.pop_front() else { return false };
        if let Some(copy) = front.copy {
            self.kept_bytes -= copy.memory();
            spare(copy.payload);
        }
        true
    }

    /// Packet `number` met its fate: it is sent again if it was lost, or may have been.
    pub(crate) fn handle_fate(&mut self, now: Instant, number: u64, fate: Fate, mut spare: impl FnMut(Vec<u8>)) {
        let kept = self.kept.binary_search_by_key(&number, |kept| kept.number).ok();
        let kept = kept.map(|at| &mut self.kept[at]).and_then(|kept| Some((kept.sent_at, kept.copy.take()?)));
        let Some((sent_at, copy)) = kept else {
            // It was only late.
            if fate == Fate::Acked
                && let Some(at) = self.again.iter().take(LATE_LOOKED_AT).position(|again| again.number == number)
                && let Some(Retransmission { copy, .. }) = self.again.remove(at)
            {
                self.again_bytes -= copy.payload.len() as u64;
                spare(copy.payload);
            }
            return;
        };
        self.kept_bytes -= copy.memory();
        match fate {
            Fate::Acked => spare(copy.payload),
            Fate::Lost | Fate::Doubtful => {
                let twice = now + now.since(sent_at) > copy.left_at + self.time_max;
                self.push(Retransmission { number, copy, twice });
            }
        }
        while self.kept.front().is_some_and(|kept| kept.copy.is_none()) {
            self.kept.pop_front();
        }
    }

    /// It is to leave once more, after those that wait to leave again.
    pub(crate) fn push(&mut self, again: Retransmission) {
        self.again_bytes += again.copy.payload.len() as u64;
        self.again.push_back(again);
    }

    /// The next packet to leave again. Those whose time is over go to `spare`: their sender misses them by now.
    pub(crate) fn pop(&mut self, now: Instant, mut spare: impl FnMut(Vec<u8>)) -> Option<Retransmission> {
        loop {
            let again = self.again.pop_front()?;
            self.again_bytes -= again.copy.payload.len() as u64;
            if again.copy.left_at + self.time_max >= now {
                return Some(again);
            }
            spare(again.copy.payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_millis(500);

    fn at_ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    fn copy(byte: u8, len: usize, left_at: Instant) -> Copied {
        Copied { payload: vec![byte; len], left_at }
    }

    #[test]
    fn what_was_lost_leaves_again_in_its_time_and_what_arrived_does_not() {
        let mut repair = Repair::new(TIME);
        for number in 3..7 {
            repair.keep(at_ms(number), number, copy(number as u8, 10, at_ms(number)), |_| {});
        }
        let mut spare = Vec::new();
        repair.handle_fate(at_ms(50), 4, Fate::Acked, |buf| spare.push(buf));
        repair.handle_fate(at_ms(50), 3, Fate::Lost, |_| panic!("it is wanted"));
        repair.handle_fate(at_ms(50), 3, Fate::Lost, |_| panic!("once"));
        repair.handle_fate(at_ms(50), 6, Fate::Doubtful, |_| panic!("it is wanted"));
        repair.handle_fate(at_ms(50), 99, Fate::Lost, |_| panic!("unknown"));
        assert_eq!((spare.len(), repair.waiting(), repair.kept_bytes()), (1, (2, 20), 10 + HELD_OVERHEAD));
        assert_eq!(repair.pop(at_ms(100), |_| {}).map(|again| (again.copy.payload[0], again.twice)), Some((3, false)));
        assert!(repair.pop(at_ms(507), |buf| spare.push(buf)).is_none(), "its time is over");
        assert_eq!((spare.len(), repair.waiting()), (2, (0, 0)));
    }

    #[test]
    fn whoever_would_find_the_next_loss_too_late_sends_twice() {
        let mut repair = Repair::new(TIME);
        for (number, lost_ms, twice) in [(0, 250, false), (1, 252, true), (2, 490, true)] {
            repair.keep(at_ms(0), number, copy(0, 10, at_ms(0)), |_| {});
            repair.handle_fate(at_ms(lost_ms), number, Fate::Lost, |_| {});
            assert_eq!(repair.pop(at_ms(lost_ms), |_| {}).map(|again| again.twice), Some(twice), "{lost_ms}");
        }
    }

    #[test]
    fn what_was_only_late_does_not_leave_again() {
        let mut repair = Repair::new(TIME);
        for number in 0..4 {
            repair.keep(at_ms(0), number, copy(number as u8, 10, at_ms(0)), |_| {});
        }
        let mut spare = 0;
        for (number, fate) in
            [(0, Fate::Doubtful), (1, Fate::Lost), (2, Fate::Lost), (1, Fate::Acked), (1, Fate::Acked)]
        {
            repair.handle_fate(at_ms(1), number, fate, |_| spare += 1);
        }
        assert_eq!((spare, repair.waiting()), (1, (2, 20)));
        let again: Vec<_> =
            core::iter::from_fn(|| repair.pop(at_ms(1), |_| {})).map(|again| again.copy.payload[0]).collect();
        assert_eq!(again, [0, 2]);
    }

    #[test]
    fn one_that_was_only_late_is_looked_for_among_so_many_and_no_more() {
        let mut repair = Repair::new(TIME);
        for number in 0..1_000 {
            repair.keep(at_ms(0), number, copy(0, 10, at_ms(0)), |_| {});
            repair.handle_fate(at_ms(1), number, Fate::Lost, |_| {});
        }
        repair.handle_fate(at_ms(1), LATE_LOOKED_AT as u64, Fate::Acked, |_| panic!("it leaves for nothing"));
        let mut spare = 0;
        repair.handle_fate(at_ms(1), LATE_LOOKED_AT as u64 - 1, Fate::Acked, |_| spare += 1);
        assert_eq!((spare, repair.waiting().0), (1, 999));
    }

    #[test]
    fn copies_are_bounded_in_bytes_and_in_time() {
        let mut repair = Repair::new(TIME);
        let (len, mut given_back) = (1_000, 0);
        for number in 0..10_000 {
            repair.keep(at_ms(0), number, copy(0, len, at_ms(0)), |_| given_back += 1);
            assert!(repair.kept_bytes() <= REPAIR_BYTES_MAX);
        }
        assert_eq!(given_back, 10_000 - REPAIR_BYTES_MAX / (len + HELD_OVERHEAD));
        repair.keep(at_ms(501), 10_000, copy(0, len, at_ms(501)), |_| {});
        assert_eq!((repair.kept_bytes(), repair.kept.len()), (len + HELD_OVERHEAD, 1));
    }
}
