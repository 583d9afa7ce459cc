//! What was in the packets that are on their way.

use std::collections::VecDeque;

use tng_base::Fate;

use super::StreamId;

/// Lost packets whose records a channel keeps while others are outstanding, so that a late acknowledgment is honoured.
pub const LOST_KEPT_MAX: usize = 1024;

/// A frame that was sent, as far as its fate matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sent {
    Data {
        id: StreamId,
        offset: u64,
        len: u32,
        last: bool,
    },
    Init(StreamId),
    /// The opening, so many bytes, and the end.
    Request {
        id: StreamId,
        len: u32,
    },
    Refuse(StreamId),
    Reset(StreamId),
    Stop(StreamId),
    Credit {
        id: StreamId,
        limit: u64,
    },
    Priority {
        id: StreamId,
        count: u32,
    },
    HostCredit {
        limit: u64,
    },
    /// A piece of a datagram: never sent again.
    Datagram,
    CreateCredit {
        limit: u64,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// On its way, as far as anyone knows.
    Outstanding,
    /// On its way or not; its content was queued again.
    Doubted,
    /// Lost; its content was queued again. May still turn out to have arrived.
    Lost,
    /// Nothing more is to be learned.
    Settled,
}

#[derive(Debug)]
struct Record {
    number: u64,
    /// Absolute position of its first frame in `frames`.
    first: u64,
    count: u32,
    state: State,
}

/// What to do with the frames of a packet that met a fate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Acked,
    Requeue,
}

/// The records of one channel, by packet number. Two rings that grow to what is in flight and then allocate no more.
#[derive(Debug, Default)]
pub(super) struct Records {
    packets: VecDeque<Record>,
    frames: VecDeque<Sent>,
    /// Absolute position of the first of `frames`.
    base: u64,
    outstanding: usize,
    lost: usize,
}

impl Records {
    /// Notes that `sent` goes into packet `number`, the newest.
    pub(super) fn push(&mut self, number: u64, sent: Sent) {
        match self.packets.back_mut() {
            Some(newest) if newest.number == number => newest.count += 1,
            newest => {
                debug_assert!(newest.is_none_or(|newest| newest.number < number), "packet numbers rise");
                let first = self.base + self.frames.len() as u64;
                self.packets.push_back(Record { number, first, count: 1, state: State::Outstanding });
                self.outstanding += 1;
            }
        }
        self.frames.push_back(sent);
    }

    /// Packets without a final fate.
    pub(super) fn outstanding(&self) -> usize {
        self.outstanding
    }

    /// Packets without a final fate, counted anew.
    pub(super) fn recount(&self) -> usize {
        self.packets.iter().filter(|record| matches!(record.state, State::Outstanding | State::Doubted)).count()
    }

    /// Records kept.
    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }

    /// Notes the fate of packet `number`; answers the positions of its frames and what to do with them, if anything.
    pub(super) fn settle(&mut self, number: u64, fate: Fate) -> Option<(core::ops::Range<u64>, Verdict)> {
        let record = self.find(number)?;
        let (next, verdict) = match (record.state, fate) {
            (State::Settled, _) | (State::Doubted | State::Lost, Fate::Doubtful) | (State::Lost, Fate::Lost) => {
                return None;
            }
            (_, Fate::Acked) => (State::Settled, Some(Verdict::Acked)),
            (State::Outstanding, Fate::Lost) => (State::Lost, Some(Verdict::Requeue)),
            (State::Outstanding, Fate::Doubtful) => (State::Doubted, Some(Verdict::Requeue)),
            // Its content was queued again when it was doubted, and has been travelling in other packets since.
            (State::Doubted, Fate::Lost) => (State::Lost, None),
        };
        let before = core::mem::replace(&mut record.state, next);
        let positions = record.first..record.first + u64::from(record.count);
        if before != State::Lost && next != State::Doubted {
            self.outstanding -= 1;
        }
        self.lost = self.lost + usize::from(next == State::Lost) - usize::from(before == State::Lost);
        verdict.map(|verdict| (positions, verdict))
    }

    /// The frame at a position that [`settle`](Records::settle) answered.
    pub(super) fn frame(&self, position: u64) -> Sent {
        self.frames[(position - self.base) as usize]
    }

    /// Forgets what is no longer of use.
    pub(super) fn trim(&mut self) {
        while let Some(oldest) = self.packets.front() {
            let useless = match oldest.state {
                State::Settled => true,
                State::Lost => self.outstanding == 0 || self.lost > LOST_KEPT_MAX,
                State::Outstanding | State::Doubted => false,
            };
            if !useless {
                break;
            }
            let count = oldest.count as usize;
            self.lost -= usize::from(oldest.state == State::Lost);
            self.frames.drain(..count);
            self.base += count as u64;
            self.packets.pop_front();
        }
    }

    /// The frames of every packet whose content was not yet queued again: it will be now, and another fate follows.
    pub(super) fn doubt_all(&mut self) -> Vec<Sent> {
        let mut doubted = Vec::new();
        for record in self.packets.iter_mut().filter(|record| record.state == State::Outstanding) {
            record.state = State::Doubted;
            let at = (record.first - self.base) as usize;
            doubted.extend(self.frames.range(at..at + record.count as usize).copied());
        }
        doubted
    }

    /// The frames of every packet whose content was not yet queued again, and the end of the records.
    pub(super) fn into_outstanding(self) -> impl Iterator<Item = Sent> {
        let Records { packets, frames, base, .. } = self;
        packets.into_iter().filter(|record| record.state == State::Outstanding).flat_map(move |record| {
            let at = (record.first - base) as usize;
            frames.range(at..at + record.count as usize).copied().collect::<Vec<_>>()
        })
    }

    /// Numbers may be missing (the channel skips some, and sends packets of its own), never out of order.
    fn find(&mut self, number: u64) -> Option<&mut Record> {
        let ahead = usize::try_from(number.checked_sub(self.packets.front()?.number)?).ok()?;
        if self.packets.get(ahead).is_some_and(|record| record.number == number) {
            return self.packets.get_mut(ahead);
        }
        let at = self.packets.binary_search_by_key(&number, |record| record.number).ok()?;
        self.packets.get_mut(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(records: &mut Records, number: u64) {
        records.push(number, Sent::HostCredit { limit: number });
        records.push(number, Sent::CreateCredit { limit: number });
    }

    #[test]
    fn numbers_may_have_gaps_and_meet_their_fates_in_any_order() {
        let mut records = Records::default();
        for number in [3, 4, 9, 1_000_000] {
            record(&mut records, number);
        }
        let (positions, verdict) = records.settle(9, Fate::Acked).expect("known");
        assert_eq!(verdict, Verdict::Acked);
        assert_eq!(records.frame(positions.start), Sent::HostCredit { limit: 9 });
        assert_eq!(positions.count(), 2);
        assert_eq!(records.settle(9, Fate::Acked), None);
        assert_eq!(records.settle(5, Fate::Acked), None);
        assert_eq!(records.settle(2, Fate::Acked), None);
        for number in [1_000_000, 4, 3] {
            assert!(records.settle(number, Fate::Acked).is_some());
            records.trim();
        }
        assert_eq!((records.len(), records.outstanding(), records.frames.len()), (0, 0, 0));
    }

    #[test]
    fn a_doubted_packet_is_queued_again_once_and_still_awaits_its_fate() {
        let mut records = Records::default();
        record(&mut records, 1);
        assert!(matches!(records.settle(1, Fate::Doubtful), Some((_, Verdict::Requeue))));
        assert_eq!(records.settle(1, Fate::Doubtful), None);
        assert_eq!(records.outstanding(), 1);
        assert_eq!(records.settle(1, Fate::Lost), None);
        assert_eq!(records.outstanding(), 0);
        assert!(matches!(records.settle(1, Fate::Acked), Some((_, Verdict::Acked))));
    }

    #[test]
    fn lost_records_are_kept_while_others_are_outstanding_up_to_a_bound() {
        let mut records = Records::default();
        for number in 0..=2 * LOST_KEPT_MAX as u64 {
            record(&mut records, number);
        }
        for number in 0..2 * LOST_KEPT_MAX as u64 {
            records.settle(number, Fate::Lost);
        }
        records.trim();
        assert_eq!(records.len(), LOST_KEPT_MAX + 1, "and the one outstanding");
        records.settle(2 * LOST_KEPT_MAX as u64, Fate::Acked);
        records.trim();
        assert_eq!(records.len(), 0);
    }
}
