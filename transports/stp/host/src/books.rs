//! What was sent, and what became of it.

use core::ops::Range;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::Instant;
use tng_nonce::Unproven;
use tng_stp_abi::Refused;

use crate::nonces::Sums;
use crate::policer::{Lost, Policer, Proven, SEGMENT_ADDED};

mod gaps;

use gaps::Gaps;

/// A segment is lost when so many behind it are proven (RFC 5348 section 5.1).
pub const PROVEN_BEHIND: u64 = 3;
/// Timeouts for which a lost segment is remembered, in case that it arrives after all.
pub const REMEMBERED_TIMEOUTS: u32 = 2;

/// A segment.
#[derive(Clone, Copy, Debug)]
struct Entry {
    sent_at: Instant,
    /// Bytes that had been sent when it had left.
    position: u64,
}

/// The segments of a flow that have not met their fate, by number, and the lost ones for a while. Tells a
/// [`Policer`] what is proven and what is lost, by sums of nonces alone (STP 3.3.2): who sends cannot make them up, nor
/// can who receives.
///
/// A proof costs time for the gaps that it touches; no other segment is looked at.
#[derive(Clone, Debug)]
pub struct Books {
    room: usize,
    entries: VecDeque<Entry>,
    /// The number of the first entry, and the position before it.
    first: u64,
    position: u64,
    /// That of the last, and when it left.
    sent: u64,
    sent_at: Instant,
    /// What is not proven, from `first` on.
    gaps: Gaps,
    /// All that is in `gaps` below is lost.
    judged: u64,
    outstanding: u64,
    /// The largest number that is proven, and one more.
    proven_end: u64,
    proven_at: Instant,
}

impl Books {
    /// Empty ones with room for so many segments.
    pub fn new(room: usize) -> Books {
        Books {
            room,
            entries: VecDeque::new(),
            first: 0,
            position: 0,
            sent: 0,
            sent_at: Instant::ZERO,
            gaps: Gaps::default(),
            judged: 0,
            outstanding: 0,
            proven_end: 0,
            proven_at: Instant::ZERO,
        }
    }

    /// The number of the next segment.
    pub fn next(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// The first that has not met its fate, or might be taken for lost by mistake.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Whether another segment may be sent.
    pub fn has_room(&self) -> bool {
        self.entries.len() < self.room || self.first < self.judged
    }

    /// How many more may be sent, at least.
    pub(crate) fn room(&self) -> usize {
        self.room.saturating_sub(self.entries.len())
    }

    /// Segments that are neither proven nor lost.
    pub fn outstanding(&self) -> u64 {
        self.outstanding
    }

    /// Bytes of memory.
    pub fn held(&self) -> u64 {
        (self.entries.capacity() * size_of::<Entry>() + self.gaps.held()) as u64
    }

    /// A segment of `bytes` has left, and has this number. There was [room](Self::has_room).
    #[inline]
    pub fn handle_sent(&mut self, now: Instant, bytes: u64) -> u64 {
        if self.entries.len() >= self.room {
            self.forget_first();
        }
        self.sent = self.sent.saturating_add(bytes).saturating_add(SEGMENT_ADDED);
        self.sent_at = now;
        let number = self.next();
        self.entries.push_back(Entry { sent_at: now, position: self.sent });
        self.gaps.push(number);
        self.outstanding += 1;
        number
    }

    /// The peer claims to have all of `range`, as `sum` is to show; so long ago, it says, it could have said so.
    /// Numbers that have met their fate may be among them.
    ///
    /// # Errors
    /// [`Unproven`]: nothing of it counts.
    pub fn handle_proof(
        &mut self,
        now: Instant,
        range: Range<u64>,
        sum: u64,
        delay: Duration,
        sums: impl Sums,
        policer: &mut Policer,
    ) -> Result<(), Unproven> {
        if range.is_empty() {
            return Err(Unproven::Empty { at: 0 });
        }
        if range.end > self.next() {
            return Err(Unproven::Outside { at: 0 });
        }
        if sums.sum(&range) != sum {
            return Err(Unproven::Invented { at: 0 });
        }
        self.take(now, range.start.max(self.first)..range.end, delay, policer);
        Ok(())
    }

    /// All of `range` has arrived.
    #[inline]
    fn take(&mut self, now: Instant, range: Range<u64>, delay: Duration, policer: &mut Policer) {
        // Mostly it is the next ones that arrive.
        let outstanding = self.judged..self.next();
        let Some((piece, before)) = self.gaps.take_next(&range, &outstanding) else {
            return self.take_any(now, range, delay, policer);
        };
        let bytes = self.entries().bytes(&piece);
        self.note_proven(now, piece.end - 1, bytes, piece.end - piece.start, delay, policer);
        if before.is_none_or(|before| before <= self.judged && piece.end - before >= PROVEN_BEHIND) {
            self.judged = self.judged.max(piece.end.saturating_sub(PROVEN_BEHIND));
        } else {
            self.judge(now, self.overtaken(), policer);
        }
        self.settle(now, policer);
    }

    #[inline(never)]
    fn take_any(&mut self, now: Instant, range: Range<u64>, delay: Duration, policer: &mut Policer) {
        let (mut bytes, mut late, mut on_time, mut newest) = (0, 0, 0, None);
        let event_at = policer.event_at();
        let (gaps, held) = (&mut self.gaps, Held { entries: &self.entries, first: self.first, before: self.position });
        gaps.remove(&range, |piece| {
            bytes += held.bytes(&piece);
            newest = Some(piece.end - 1);
            let lost = piece.start..piece.end.min(self.judged).max(piece.start);
            on_time += piece.end - lost.end;
            if let Some(event_at) = event_at.filter(|_| !lost.is_empty()) {
                late += held.bytes(&(held.first_after(&lost, |sent_at| sent_at < event_at)..lost.end));
            }
        });
        let Some(newest) = newest else { return };
        self.note_proven(now, newest, bytes, on_time, delay, policer);
        if late > 0 {
            policer.handle_spurious(now, late);
        }
        self.judge(now, self.overtaken(), policer);
        self.settle(now, policer);
    }

    /// So many bytes are proven, `newest` the last of them, and so many of the segments were outstanding.
    #[inline]
    fn note_proven(
        &mut self,
        now: Instant,
        newest: u64,
        bytes: u64,
        on_time: u64,
        delay: Duration,
        policer: &mut Policer,
    ) {
        let held = self.entries();
        let entry = held.at(newest);
        // A receiver that waits has got nothing more: who says that it waited longer than the sender did, lies.
        let followed = if newest + 1 < self.next() { held.at(newest + 1).sent_at } else { now };
        let proven = Proven {
            bytes,
            newest_sent_at: entry.sent_at,
            position: entry.position,
            rtt: (newest >= self.proven_end).then(|| now.since(entry.sent_at)),
            delay: delay.min(followed.since(entry.sent_at)),
        };
        self.outstanding -= on_time;
        self.proven_end = self.proven_end.max(newest + 1);
        self.proven_at = now;
        policer.handle_proven(now, proven);
    }

    /// The guest says that a segment is lost. All that are not proven before it are, too: it would have to say that
    /// earlier, and so it cannot choose where a loss event begins.
    ///
    /// # Errors
    /// [`Refused::NotThere`] if it was never sent, has arrived, or is known to be lost.
    pub fn handle_nack(&mut self, now: Instant, number: u64, policer: &mut Policer) -> Result<(), Refused> {
        if number < self.judged || self.gaps.within(number..number.saturating_add(1)).next().is_none() {
            return Err(Refused::NotThere);
        }
        self.judge(now, number + 1, policer);
        self.settle(now, policer);
        Ok(())
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self, policer: &Policer) -> Option<Instant> {
        let lost = (self.first < self.judged).then(|| self.entries.front()).flatten();
        let forgotten = lost.map(|entry| entry.sent_at + policer.timeout() * REMEMBERED_TIMEOUTS);
        [self.deadline(policer), self.silent_at(policer), forgotten].into_iter().flatten().min()
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self, now: Instant, policer: &mut Policer) {
        if self.deadline(policer).is_some_and(|deadline| deadline <= now) {
            let timeout = policer.timeout();
            let all = self.judged.max(self.first)..self.next();
            let young = self.entries().first_after(&all, |sent_at| sent_at + timeout <= now);
            self.judge(now, young, policer);
            if now >= self.proven_at + timeout {
                policer.handle_silence(now);
            }
        }
        if self.silent_at(policer).is_some_and(|at| at <= now) {
            policer.handle_silence(now);
        }
        self.settle(now, policer);
    }

    /// When the path counts as silent although nothing is outstanding: all that left is given up, and nothing more may
    /// leave before something of it is proven.
    fn silent_at(&self, policer: &Policer) -> Option<Instant> {
        let blocked = self.outstanding == 0 && policer.is_blocked();
        blocked.then(|| self.sent_at.max(self.proven_at) + policer.timeout())
    }

    /// When the oldest segment that is outstanding counts as lost.
    fn deadline(&self, policer: &Policer) -> Option<Instant> {
        let oldest = self.gaps.within(self.judged..self.next()).next()?.start;
        Some(self.entries().at(oldest).sent_at + policer.timeout())
    }

    /// Up to which number segments have [`PROVEN_BEHIND`] proven ones behind them.
    fn overtaken(&self) -> u64 {
        let (mut end, mut behind) = (self.next(), PROVEN_BEHIND);
        for gap in self.gaps.descending() {
            if end - gap.end >= behind {
                break;
            }
            behind -= end - gap.end;
            end = gap.start;
        }
        end.saturating_sub(behind).max(self.judged)
    }

    /// All that is not proven below `end` is lost.
    #[inline]
    fn judge(&mut self, now: Instant, end: u64, policer: &mut Policer) {
        if self.gaps.within(self.judged..end).next().is_some() {
            self.condemn(now, end, policer);
        }
        self.judged = self.judged.max(end);
    }

    /// A gap may be as many loss events as round trips.
    fn condemn(&mut self, now: Instant, end: u64, policer: &mut Policer) {
        let held = self.entries();
        let mut lost = 0;
        for gap in self.gaps.within(self.judged..end) {
            lost += gap.end - gap.start;
            let mut rest = gap;
            while !rest.is_empty() {
                let first = held.at(rest.start);
                let event_end = policer.event_end(first.sent_at);
                let event = rest.start..held.first_after(&rest, |sent_at| sent_at <= event_end);
                policer.handle_lost(
                    now,
                    Lost { bytes: held.bytes(&event), sent_at: first.sent_at, position: first.position },
                );
                rest.start = event.end;
            }
        }
        self.outstanding -= lost;
    }

    /// Gives back what is not needed any more.
    fn settle(&mut self, now: Instant, policer: &Policer) {
        self.forget_proven();
        while self.first < self.judged
            && let Some(front) = self.entries.front()
            && front.sent_at + policer.timeout() * REMEMBERED_TIMEOUTS <= now
        {
            self.forget_first();
            self.forget_proven();
        }
        if self.entries.is_empty() {
            self.entries.shrink_to(SHRUNK);
            self.gaps.shrink();
        }
    }

    /// All before the first that is not proven.
    fn forget_proven(&mut self) {
        let until = self.gaps.min().unwrap_or_else(|| self.next());
        while self.first < until
            && let Some(front) = self.entries.pop_front()
        {
            (self.first, self.position) = (self.first + 1, front.position);
        }
    }

    /// One that is lost.
    fn forget_first(&mut self) {
        let Some(front) = self.entries.pop_front() else { return };
        self.gaps.remove(&(self.first..self.first + 1), |_| {});
        (self.first, self.position) = (self.first + 1, front.position);
    }

    fn entries(&self) -> Held<'_> {
        Held { entries: &self.entries, first: self.first, before: self.position }
    }
}

/// Entries that are kept when nothing is outstanding, so that a flow of a few segments does not allocate for each.
const SHRUNK: usize = 64;

/// The entries by number.
#[derive(Clone, Copy)]
struct Held<'a> {
    entries: &'a VecDeque<Entry>,
    first: u64,
    before: u64,
}

impl Held<'_> {
    #[inline]
    fn at(&self, number: u64) -> Entry {
        self.entries[(number - self.first) as usize]
    }

    /// Bytes of all of these.
    #[inline]
    fn bytes(&self, numbers: &Range<u64>) -> u64 {
        if numbers.is_empty() {
            return 0;
        }
        let before = if numbers.start == self.first { self.before } else { self.at(numbers.start - 1).position };
        self.at(numbers.end - 1).position - before
    }

    /// The first of these that left when that was not so any more; it is so of the times before.
    fn first_after(&self, numbers: &Range<u64>, so: impl Fn(Instant) -> bool) -> u64 {
        let (mut low, mut high) = (numbers.start, numbers.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if so(self.at(middle).sent_at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests;
