//! What was in the packets that are on their way.

use core::ops::Range;
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
    /// What has arrived: never sent again.
    Received,
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
    /// There is nothing more to learn.
    Settled,
}

#[derive(Debug)]
struct Record {
    number: u64,
    /// Absolute position of its first frame in `frames`.
    first: u64,
    /// Its frames; of a piece of a run, which piece.
    count: u32,
    state: State,
    /// Its only frame is a run that it has a piece of.
    piece: bool,
}

/// Bytes of one stream in packets that each hold as many and nothing else. One piece is one packet's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) id: StreamId,
    pub(super) offset: u64,
    /// Bytes of a piece.
    pub(super) piece: u32,
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
                self.packets.push_back(Record { number, first, count: 1, state: State::Outstanding, piece: false });
                self.outstanding += 1;
            }
        }
        self.frames.push_back(sent);
    }

    /// Notes that the packets from `number` on, the newest, hold the pieces of a run.
    pub(super) fn push_run(&mut self, number: u64, packets: u32, Run { id, offset, piece }: Run) {
        let first = self.base + self.frames.len() as u64;
        self.frames.push_back(Sent::Data { id, offset, len: piece, last: false });
        self.packets.extend((0..packets).map(|nth| Record {
            number: number + u64::from(nth),
            first,
            count: nth,
            state: State::Outstanding,
            piece: true,
        }));
        self.outstanding += packets as usize;
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

    /// Notes the fate of packets, and tells of their frames what to do with them, if anything. Of a run what lies
    /// together is told together.
    pub(super) fn settle(&mut self, numbers: Range<u64>, fate: Fate, mut tell: impl FnMut(Sent, Verdict)) {
        let Some(mut at) = self.position(numbers.start) else { return };
        let mut together: Option<(Sent, Verdict)> = None;
        while let Some(record) = self.packets.get_mut(at).filter(|record| record.number < numbers.end) {
            at += 1;
            let (next, verdict) = match (record.state, fate) {
                (State::Settled, _) | (State::Doubted | State::Lost, Fate::Doubtful) | (State::Lost, Fate::Lost) => {
                    continue;
                }
                (_, Fate::Acked) => (State::Settled, Some(Verdict::Acked)),
                (State::Outstanding, Fate::Lost) => (State::Lost, Some(Verdict::Requeue)),
                (State::Outstanding, Fate::Doubtful) => (State::Doubted, Some(Verdict::Requeue)),
                // Its content was queued again when it was doubted, and has been travelling in other packets since.
                (State::Doubted, Fate::Lost) => (State::Lost, None),
            };
            let before = core::mem::replace(&mut record.state, next);
            if before != State::Lost && next != State::Doubted {
                self.outstanding -= 1;
            }
            self.lost = self.lost + usize::from(next == State::Lost) - usize::from(before == State::Lost);
            let Some(verdict) = verdict else { continue };
            let place = (record.first - self.base) as usize;
            if !record.piece {
                for sent in self.frames.range(place..place + record.count as usize) {
                    tell(*sent, verdict);
                }
                continue;
            }
            let piece = self.frames[place].piece(record.count);
            if !together.as_mut().is_some_and(|(run, of)| *of == verdict && run.join(&piece))
                && let Some((run, verdict)) = together.replace((piece, verdict))
            {
                tell(run, verdict);
            }
        }
        if let Some((run, verdict)) = together {
            tell(run, verdict);
        }
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
            self.lost -= usize::from(oldest.state == State::Lost);
            self.packets.pop_front();
        }
        let base = self.packets.front().map_or(self.base + self.frames.len() as u64, |oldest| oldest.first);
        self.frames.drain(..(base - self.base) as usize);
        self.base = base;
    }

    /// Gives back the memory that they are not using.
    pub(super) fn shrink(&mut self) {
        self.packets.shrink_to_fit();
        self.frames.shrink_to_fit();
    }

    /// The frames of every packet whose content was not yet queued again: it will be now, and another fate follows.
    pub(super) fn doubt_all(&mut self) -> Vec<Sent> {
        let mut doubted = Vec::new();
        if let (Some(oldest), Some(newest)) = (self.packets.front(), self.packets.back()) {
            self.settle(oldest.number..newest.number + 1, Fate::Doubtful, |sent, _| doubted.push(sent));
        }
        doubted
    }

    /// Where the first packet from `number` on stands, if there is one. Numbers may be missing (the channel skips some,
    /// and sends packets of its own), never out of order.
    fn position(&self, number: u64) -> Option<usize> {
        let ahead = usize::try_from(number.saturating_sub(self.packets.front()?.number)).ok()?;
        if self.packets.get(ahead).is_some_and(|record| record.number == number) {
            return Some(ahead);
        }
        Some(self.packets.partition_point(|record| record.number < number))
    }
}

impl Sent {
    /// One piece of a run.
    fn piece(self, nth: u32) -> Sent {
        match self {
            Sent::Data { id, offset, len, last } => {
                Sent::Data { id, offset: offset + u64::from(nth) * u64::from(len), len, last }
            }
            other => other,
        }
    }

    /// Takes in data that follow these; answers whether they do.
    fn join(&mut self, next: &Sent) -> bool {
        match (self, next) {
            (Sent::Data { id, offset, len, .. }, Sent::Data { id: other, offset: from, len: more, .. })
                if id == other && *offset + u64::from(*len) == *from =>
            {
                let all = len.checked_add(*more);
                *len = all.unwrap_or(*len);
                all.is_some()
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(records: &mut Records, number: u64) {
        records.push(number, Sent::HostCredit { limit: number });
        records.push(number, Sent::CreateCredit { limit: number });
    }

    fn settle(records: &mut Records, numbers: Range<u64>, fate: Fate) -> Vec<(Sent, Verdict)> {
        let mut told = Vec::new();
        records.settle(numbers, fate, |sent, verdict| told.push((sent, verdict)));
        told
    }

    #[test]
    fn numbers_may_have_gaps_and_meet_their_fates_in_any_order() {
        let mut records = Records::default();
        for number in [3, 4, 9, 1_000_000] {
            record(&mut records, number);
        }
        let both = [Sent::HostCredit { limit: 9 }, Sent::CreateCredit { limit: 9 }];
        assert_eq!(settle(&mut records, 9..10, Fate::Acked), both.map(|sent| (sent, Verdict::Acked)));
        assert_eq!(settle(&mut records, 9..10, Fate::Acked), []);
        assert_eq!(settle(&mut records, 5..7, Fate::Acked), []);
        assert_eq!(settle(&mut records, 0..3, Fate::Acked), []);
        for number in [1_000_000, 4, 3] {
            assert_eq!(settle(&mut records, number..number + 1, Fate::Acked).len(), 2);
            records.trim();
        }
        assert_eq!((records.len(), records.outstanding(), records.frames.len()), (0, 0, 0));
    }

    #[test]
    fn a_doubted_packet_is_queued_again_once_and_still_awaits_its_fate() {
        let mut records = Records::default();
        record(&mut records, 1);
        assert_eq!(settle(&mut records, 1..2, Fate::Doubtful)[0].1, Verdict::Requeue);
        assert_eq!(settle(&mut records, 1..2, Fate::Doubtful), []);
        assert_eq!(records.outstanding(), 1);
        assert_eq!(settle(&mut records, 1..2, Fate::Lost), []);
        assert_eq!(records.outstanding(), 0);
        assert_eq!(settle(&mut records, 1..2, Fate::Acked)[0].1, Verdict::Acked);
    }

    #[test]
    fn of_a_run_what_meets_the_same_fate_together_is_told_together() {
        let mut records = Records::default();
        let id = StreamId(4);
        let data = |offset, len| Sent::Data { id, offset, len, last: false };
        record(&mut records, 2);
        records.push_run(3, 10, Run { id, offset: 1000, piece: 100 });
        record(&mut records, 13);
        assert_eq!(records.outstanding(), 12);
        assert_eq!(settle(&mut records, 5..8, Fate::Lost), [(data(1200, 300), Verdict::Requeue)]);
        let acked = settle(&mut records, 2..13, Fate::Acked);
        // Of what was lost it is told, too, that it had arrived: all of it is in one piece.
        assert_eq!(acked[2..], [(data(1000, 1000), Verdict::Acked)]);
        records.trim();
        assert_eq!((records.len(), records.frames.len(), records.outstanding()), (1, 2, 1));
        records.push_run(14, 4, Run { id, offset: 0, piece: 50 });
        settle(&mut records, 13..16, Fate::Acked);
        records.trim();
        assert_eq!((records.len(), records.frames.len()), (2, 1), "half a run is still a run");
        assert_eq!(settle(&mut records, 16..17, Fate::Doubtful), [(data(100, 50), Verdict::Requeue)]);
        assert_eq!(records.doubt_all(), [data(150, 50)]);
    }

    #[test]
    fn lost_records_are_kept_while_others_are_outstanding_up_to_a_bound() {
        let mut records = Records::default();
        for number in 0..=2 * LOST_KEPT_MAX as u64 {
            record(&mut records, number);
        }
        for number in 0..2 * LOST_KEPT_MAX as u64 {
            records.settle(number..number + 1, Fate::Lost, |_, _| {});
        }
        records.trim();
        assert_eq!(records.len(), LOST_KEPT_MAX + 1, "and the one outstanding");
        records.settle(2 * LOST_KEPT_MAX as u64..u64::MAX, Fate::Acked, |_, _| {});
        records.trim();
        assert_eq!(records.len(), 0);
    }
}
