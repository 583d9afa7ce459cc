//! The books of sent packets.

use core::ops::Range;
use std::collections::VecDeque;

use tng_base::Instant;
use tng_congestion::SendStamp;

/// Most packets on the books. With so many, nothing is sent until the oldest is settled.
pub const SENT_MAX: usize = 1 << 17;
/// The same of a section's books: a helper has two of them for each flow, however small the packets are.
pub const SECTION_SENT_MAX: usize = 1 << 14;
/// Most packets in flight to a peer that has acknowledged none; for each that it has there may be [`SENT_PER_ACKED`]
/// more. A window that grows by what is acknowledged never comes near, but one that begins anew at each move of the
/// peer's does.
pub const SENT_UNACKED_MAX: usize = 1 << 12;
/// So many packets more may be in flight for each that was acknowledged.
pub const SENT_PER_ACKED: u64 = 4;
/// The ring has room for so many, however few there are; beyond it for no more than four times of those on the books.
const SENT_KEPT: usize = 1 << 12;

/// Where a sent packet stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It asks for acknowledgment and has had none.
    Flight,
    /// It was found lost; a late acknowledgment would show that this was wrong.
    Lost,
    /// The peer said that its link had lost it; a late acknowledgment would show that this was wrong.
    LostOnLink,
    /// Nobody waits for its acknowledgment.
    Quiet,
    /// A probe of the path's MTU without a verdict.
    MtuProbe,
    /// Its number was never used.
    Skipped,
    /// Acknowledged, as are the `run - 1` packets before it.
    Acked {
        /// At least 1.
        run: u32,
    },
}

/// One sent packet.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// When it left, and what was true then.
    pub stamp: SendStamp,
    /// One above the largest number that it acknowledged; 0 if it carried no acknowledgment.
    pub ack_end: u64,
    /// Its bytes.
    pub size: u16,
    /// Where it stands.
    pub state: State,
    /// It went into the regulation's books.
    pub counted: bool,
    /// It was sent with ECT(0).
    pub ect0: bool,
    /// What stands above filled it and waits for its fate.
    pub payload: bool,
    /// It carries control frames that must arrive.
    pub control: bool,
    /// Its acknowledgment times the round trip.
    pub timed: bool,
}

impl Sent {
    /// When it left.
    pub fn sent_at(&self) -> Instant {
        self.stamp.sent_at
    }
}

/// A ring of sent packets by number.
#[derive(Debug, Default)]
pub struct SentPackets {
    base: u64,
    ring: VecDeque<Sent>,
    /// No packet below this one is in flight; it was shown to those who look for losses.
    cursor: u64,
    /// No packet below this one is in flight.
    oldest_from: u64,
    outstanding: usize,
    /// Packets below this one belong to other books, and to other paths.
    books_from: u64,
    /// Bytes in flight of the others that went into the books.
    booked: u64,
    /// Packets acknowledged so far.
    acked: u64,
}

impl Sent {
    /// Bytes that it has in flight and in the books.
    fn booked(&self) -> u64 {
        let flies = self.counted && matches!(self.state, State::Flight | State::MtuProbe);
        if flies { u64::from(self.size) } else { 0 }
    }

    /// It went into other books, and its acknowledgment is no measure of the path.
    fn strike(&mut self) {
        (self.counted, self.timed, self.ect0) = (false, false, false);
    }
}

impl SentPackets {
    /// Packets in flight.
    pub fn outstanding(&self) -> usize {
        self.outstanding
    }

    /// Packets that can be booked, with at most `most` of them on the books.
    pub fn room(&self, most: usize) -> usize {
        let earned = SENT_UNACKED_MAX as u64 + self.acked.saturating_mul(SENT_PER_ACKED);
        let earned = usize::try_from(earned).unwrap_or(usize::MAX);
        most.saturating_sub(self.ring.len()).min(earned.saturating_sub(self.outstanding))
    }

    /// The lowest number on the books: all below it are settled.
    pub fn base(&self) -> u64 {
        self.base
    }

    fn index(&self, number: u64) -> Option<usize> {
        let at = number.checked_sub(self.base)?;
        ((at as usize) < self.ring.len()).then_some(at as usize)
    }

    /// The packet, if it is still on the books.
    pub fn get_mut(&mut self, number: u64) -> Option<&mut Sent> {
        let at = self.index(number)?;
        self.ring.get_mut(at)
    }

    /// Books the next number.
    pub fn push(&mut self, sent: Sent) {
        if sent.state == State::Flight {
            self.outstanding += 1;
        }
        self.booked += sent.booked();
        self.ring.push_back(sent);
    }

    /// Books the next `count` numbers, all in flight and alike: the first as `sent`, each of the others that much
    /// fuller a flight, the last one of `last` bytes.
    pub fn push_run(&mut self, sent: Sent, count: usize, last: u16) {
        debug_assert!(sent.state == State::Flight, "{sent:?}");
        let size = u64::from(sent.size);
        self.outstanding += count;
        if sent.counted {
            self.booked += (count as u64 - 1) * size + u64::from(last);
        }
        let mut next = sent;
        self.ring.extend((1..=count).map(|nth| {
            let mut this = next;
            next.stamp.in_flight = next.stamp.in_flight.saturating_add(size);
            if nth == count {
                this.stamp.in_flight = (this.stamp.in_flight + u64::from(last)).saturating_sub(size);
                this.size = last;
            }
            this
        }));
    }

    /// Books packet `number`, which is on the books and awaited by nobody ([`State::Quiet`]), anew: as `sent`, which is
    /// in flight. No packet before it may be in flight, since it is looked at first from now on; and none after it that
    /// has been [taken out of the books](SentPackets::uncount), since all from it on are in the books again.
    pub fn rebook(&mut self, number: u64, sent: Sent) {
        if let Some(at) = self.index(number) {
            debug_assert!(self.ring[at].state == State::Quiet && sent.state == State::Flight, "{:?}", self.ring[at]);
            let taken_out = (self.books_from.saturating_sub(self.base) as usize).clamp(at, self.ring.len());
            let flies = |sent: &Sent| matches!(sent.state, State::Flight | State::MtuProbe);
            debug_assert!(!self.ring.range(..taken_out).any(flies), "{number} is not the first of those in the books");
            self.books_from = self.books_from.min(number);
            self.ring[at] = sent;
            self.outstanding += 1;
            self.booked += sent.booked();
            self.cursor = self.cursor.min(number);
            self.oldest_from = self.oldest_from.min(number);
        }
    }

    /// Every packet in `range` was acknowledged: calls `newly` for those that were not before, highest first, with
    /// their state until now. Steps over what earlier acknowledgments covered, so its time is in what is new.
    pub fn acknowledge(&mut self, range: Range<u64>, mut newly: impl FnMut(u64, &Sent)) {
        let low = range.start.max(self.base);
        let high = range.end.min(self.base + self.ring.len() as u64);
        let mut end = high;
        while end > low {
            let sent = &mut self.ring[(end - 1 - self.base) as usize];
            match sent.state {
                State::Acked { run } => end = end.saturating_sub(u64::from(run)),
                state => {
                    if state == State::Flight {
                        self.outstanding -= 1;
                    }
                    if end <= self.books_from {
                        sent.strike();
                    }
                    self.booked -= sent.booked();
                    self.acked += 1;
                    newly(end - 1, sent);
                    sent.state = State::Acked { run: 1 };
                    end -= 1;
                }
            }
        }
        if high > low {
            let run = u32::try_from(high - end).unwrap_or(u32::MAX);
            self.ring[(high - 1 - self.base) as usize].state = State::Acked { run };
        }
    }

    /// The link has lost a packet, whatever came after it; answers what it was if it was in flight.
    pub fn lose_on_link(&mut self, number: u64) -> Option<Sent> {
        let other = number < self.books_from;
        let sent = self.get_mut(number).filter(|sent| sent.state == State::Flight)?;
        if other {
            sent.strike();
        }
        let before = *sent;
        sent.state = State::LostOnLink;
        self.outstanding -= 1;
        self.booked -= before.booked();
        Some(before)
    }

    /// A probe of the path's MTU has no verdict in time, and nobody waits for it any more; answers its bytes in the
    /// books.
    pub fn give_up_probe(&mut self, number: u64) -> u64 {
        let other = number < self.books_from;
        let Some(sent) = self.get_mut(number).filter(|sent| sent.state == State::MtuProbe) else { return 0 };
        let booked = if other { 0 } else { sent.booked() };
        sent.state = State::Quiet;
        self.booked -= booked;
        booked
    }

    /// Walks the packets in order, each once in its life, from where the last walk ended up to `end`, and calls `lose`
    /// for those in flight: the packet is lost if it answers true, and the walk ends there if false. Others are only
    /// shown.
    pub fn walk_lost(&mut self, end: u64, mut lose: impl FnMut(u64, &Sent) -> bool) {
        self.cursor = self.cursor.max(self.base);
        while self.cursor < end {
            let Some(at) = self.index(self.cursor) else { break };
            let sent = &mut self.ring[at];
            if self.cursor < self.books_from {
                sent.strike();
            }
            if sent.state == State::Flight {
                if !lose(self.cursor, sent) {
                    break;
                }
                self.booked -= sent.booked();
                sent.state = State::Lost;
                self.outstanding -= 1;
            } else {
                lose(self.cursor, sent);
            }
            self.cursor += 1;
        }
    }

    /// The oldest packet in flight. Steps over what nobody waits for once: to who mostly acknowledges, few packets are
    /// in flight among many.
    pub fn oldest(&mut self) -> Option<(u64, Sent)> {
        if self.outstanding == 0 {
            return None;
        }
        let found = self.flight(self.oldest_from.max(self.cursor)).next()?;
        self.oldest_from = found.0;
        Some(found)
    }

    /// The packet that left last.
    pub fn newest(&self) -> Option<&Sent> {
        self.ring.back()
    }

    /// Packets in flight from `start` on, ascending.
    pub fn flight(&self, start: u64) -> impl Iterator<Item = (u64, Sent)> + '_ {
        let skip = start.saturating_sub(self.base) as usize;
        let from = self.base + skip as u64;
        (from..)
            .zip(self.ring.range(skip.min(self.ring.len())..))
            .filter(|(_, s)| s.state == State::Flight)
            .map(|(n, s)| (n, *s))
    }

    /// Bytes in flight and in the regulation's books.
    pub fn booked(&self) -> u64 {
        self.booked
    }

    /// Takes every packet out of the regulation's books, and its acknowledgment for no measure of the path; answers the
    /// bytes that were in the books. It takes no longer with many packets than with few: each is struck off when its
    /// fate is known.
    pub fn uncount(&mut self) -> u64 {
        self.books_from = self.base + self.ring.len() as u64;
        core::mem::take(&mut self.booked)
    }

    /// Strikes off what is settled: acknowledged, sent before `horizon` and lost, or below `acked` and awaited by
    /// nobody.
    pub fn settle(&mut self, acked: u64, horizon: Instant) {
        while let Some(front) = self.ring.front() {
            let settled = match front.state {
                State::Acked { .. } | State::Skipped => true,
                State::Quiet => self.base < acked,
                State::Lost | State::LostOnLink => front.stamp.sent_at < horizon,
                State::Flight | State::MtuProbe => false,
            };
            if !settled {
                break;
            }
            self.ring.pop_front();
            self.base += 1;
        }
        if self.ring.capacity() > SENT_KEPT.max(4 * self.ring.len()) {
            self.ring.shrink_to(SENT_KEPT.max(2 * self.ring.len()));
        }
    }

    /// Gives back the memory that it is not using.
    pub fn shrink(&mut self) {
        self.ring.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests;
