//! The shared queue: where two sections meet (Tng 4.3).

use core::ops::Range;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Arrivals, Ecn, Fate, Instant, Rng, Train};
use tng_congestion::Choice;
use tng_queue::{CoDelConfig, Discipline, Limit, QueueConfig, Verdict};

use crate::Spares;
use crate::held::{Held, Line, Owed, Waiting};
use crate::repair::{Copied, Repair, Retransmission};
use crate::spares::buffer_size;

/// Packets that a shared queue holds whatever the rate at which it empties: two initial windows.
pub const QUEUE_PACKETS_MIN: u64 = 20;

/// Most bytes that a shared queue holds, whatever the rate.
pub const QUEUE_BYTES_MAX: u64 = 16 << 20;

/// For how long what a shared queue holds lasts at the rate at which it empties, at most, if nobody says otherwise.
pub const QUEUE_TIME: Duration = Duration::from_millis(100);

/// What a packet that is held takes beside its buffer, as it counts toward bounds: small packets are not to hold more
/// than large ones.
pub const HELD_OVERHEAD: usize = 128;

/// What became of packets that the feeding section delivered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Settled {
    /// They left on the next section, one after the other: the caller redeems their receipts, with the codepoint that
    /// they came with or got.
    Departed {
        /// Their numbers on the feeding section.
        receipts: Range<u64>,
        /// The codepoint.
        ecn: Ecn,
    },
    /// One was dropped: its receipt is forfeited.
    Dropped {
        /// Its number on the feeding section.
        receipt: u64,
    },
}

/// Packets of one direction of one flow, between the section that feeds the queue and the one that empties it. To the
/// feeding section it is the last router of its path; its discipline is what that section's controller expects of one.
pub struct SharedQueue {
    discipline: Box<dyn Discipline<Waiting>>,
    line: Line,
    /// What the discipline has let go and has not left yet, in its order.
    ahead: VecDeque<Held>,
    /// Packets that wait in either, and their bytes and those of memory that they take.
    waiting: (usize, u64, u64),
    time_max: Duration,
    /// What has left, if the section that empties the queue is repaired.
    repair: Option<Box<Repair>>,
    /// What is larger cannot leave any more.
    payload_max: usize,
    settled: VecDeque<Settled>,
    dropped: u64,
    /// Marked by disciplines that were replaced.
    marked_before: u64,
    repaired: u64,
    /// The last packet for which there was no room, and when.
    refused: Option<Box<(Instant, Vec<u8>)>>,
}

impl core::fmt::Debug for SharedQueue {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("SharedQueue")
            .field("packets", &self.packets())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

/// The discipline that a section's controller expects of the routers on its way.
pub fn discipline_for(controller: &Choice) -> QueueConfig {
    // The queue's own bound comes first; what stands here is only what the discipline itself does.
    let open = QueueConfig::DropTail(Limit::Bytes(QUEUE_BYTES_MAX));
    // A name may carry parameters.
    match controller.family() {
        // They see nothing but losses and marks, and would keep the queue full.
        "newreno" | "reno" | "cubic" | "linux-cubic" | "equation" | "eln" => {
            QueueConfig::CoDel(CoDelConfig { ecn: true, limit_packets: usize::MAX, ..CoDelConfig::default() })
        }
        // They look at the delay, or have their rate from elsewhere, and keep the queue short themselves.
        _ => open,
    }
}

impl SharedQueue {
    /// An empty queue that follows `discipline` and holds at most what leaves it in `time_max`.
    pub fn new(discipline: &QueueConfig, time_max: Duration, rng: Rng) -> SharedQueue {
        SharedQueue {
            discipline: discipline.build(rng),
            line: Line::default(),
            ahead: VecDeque::new(),
            waiting: (0, 0, 0),
            time_max,
            repair: None,
            payload_max: usize::MAX,
            settled: VecDeque::new(),
            dropped: 0,
            marked_before: 0,
            repaired: 0,
            refused: None,
        }
    }

    /// What the emptying section loses leaves again, ahead of what waits, until it is late by `time_max`; none: it does
    /// not.
    pub fn repairing(self, time_max: Option<Duration>) -> SharedQueue {
        SharedQueue { repair: time_max.map(|time_max| Box::new(Repair::new(time_max))), ..self }
    }

    /// Another discipline holds from now on, and another bound in time. What waits moves there in its order, as if it
    /// had just come.
    pub fn set_discipline(
        &mut self,
        now: Instant,
        (discipline, time_max): (&QueueConfig, Duration),
        rng: Rng,
        spares: &mut Spares,
    ) {
        self.time_max = time_max;
        let mut before = core::mem::replace(&mut self.discipline, discipline.build(rng));
        let (mut line, mut overdue, mut refused) = (core::mem::take(&mut self.line), Vec::new(), Vec::new());
        while let Some(waiting) = before.dequeue(now, &mut |waiting| overdue.push(line.pop(waiting))) {
            let waiting = self.line.push(line.pop(waiting));
            if let Verdict::Dropped(_) = self.discipline.enqueue(now, waiting) {
                refused.push(self.line.take_back());
            }
        }
        self.drop_firsts(overdue, spares);
        for mut held in refused {
            while held.packets() > 0 {
                self.drop_next(&mut held);
            }
            self.put_away(held, spares);
        }
        self.marked_before += before.marks();
    }

    /// Nothing is expected for a while: gives back the memory that holds nothing.
    pub fn shrink(&mut self) {
        self.refused = None;
        self.settled.shrink_to_fit();
        self.ahead.shrink_to_fit();
        self.discipline.shrink();
        self.line.shrink();
    }

    /// The bound in time.
    pub fn time_max(&self) -> Duration {
        self.time_max
    }

    /// Packets that left again since the emptying section had lost them.
    pub fn repaired(&self) -> u64 {
        self.repaired
    }

    /// The emptying section carries packets of so many bytes now. Larger ones are not taken, and those that wait are
    /// dropped when their turn comes.
    pub fn set_payload_max(&mut self, bytes: usize) {
        self.payload_max = bytes;
    }

    /// Packets waiting.
    pub fn packets(&self) -> usize {
        let again = self.repair.as_ref().map_or(0, |repair| repair.waiting().0);
        self.waiting.0 + again
    }

    /// Bytes waiting.
    pub fn bytes(&self) -> u64 {
        let again = self.repair.as_ref().map_or(0, |repair| repair.waiting().1);
        self.waiting.1 + again
    }

    /// Bytes of memory that packets take which wait, or have left and are kept for repair.
    pub fn held_bytes(&self) -> u64 {
        let repair = self.repair.as_ref().map_or(0, |repair| repair.waiting().1 + repair.kept_bytes() as u64);
        self.waiting.2 + (self.packets() * HELD_OVERHEAD) as u64 + repair
    }

    /// Packets marked so far.
    pub fn marks(&self) -> u64 {
        self.marked_before + self.discipline.marks()
    }

    /// Packets dropped so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The section that feeds the queue has had no shorter round trip.
    pub fn set_round_trip(&mut self, rtt_min: Duration) {
        self.discipline.set_round_trip(rtt_min);
    }

    /// Bytes that leave in the time for which the queue holds packets, if so many leave in a second; none if that is
    /// not known.
    pub fn bytes_in_time(&self, rate: Option<u64>) -> u64 {
        let in_time = rate.map_or(0, |rate| u128::from(rate) * self.time_max.as_micros() / 1_000_000);
        u64::try_from(in_time).unwrap_or(u64::MAX).min(QUEUE_BYTES_MAX)
    }

    /// Offers packet `receipt` of the feeding section; beyond `bytes_max` waiting bytes there is room for
    /// [`QUEUE_PACKETS_MIN`] alone (see [`bytes_in_time`](SharedQueue::bytes_in_time)). Answers whether it waits; what
    /// does not is the feeding section's to call lost.
    pub fn offer(
        &mut self,
        now: Instant,
        (receipt, ecn): (u64, Ecn),
        payload: &[u8],
        bytes_max: u64,
        spares: &mut Spares,
    ) -> bool {
        let (numbers, len) = (receipt..receipt + 1, payload.len());
        self.offer_run(now, &Arrivals { numbers, ecn, bytes: payload, stride: len, len }, bytes_max, spares) == 1
    }

    /// Offers packets that came together, and answers how many of them, from the first on, wait: they are copied once,
    /// and are one to the discipline.
    pub fn offer_run(&mut self, now: Instant, run: &Arrivals<'_>, bytes_max: u64, spares: &mut Spares) -> usize {
        let packets = run.packets();
        let mut fit = if run.len > self.payload_max { 0 } else { self.room_for(run, bytes_max) };
        if fit > 0 {
            let held = Held::copy(run, fit, spares);
            fit = if self.enqueue(now, held, spares) { fit } else { 0 };
        }
        self.dropped += (packets - fit) as u64;
        if fit < packets && run.packet_len(packets - 1) <= self.payload_max {
            let refused = self.refused.get_or_insert_default();
            refused.0 = now;
            refused.1.clear();
            refused.1.extend_from_slice(&run.bytes[(packets - 1) * run.stride..]);
        }
        fit
    }

    /// How many of them, from the first on, there is room for.
    fn room_for(&self, run: &Arrivals<'_>, bytes_max: u64) -> usize {
        let (packets, bytes) = (self.packets() as u64, self.bytes());
        let memory = bytes - self.waiting.1 + self.waiting.2;
        let fit = |count: usize| {
            let (behind, last) = (count - 1, run.packet_len(count - 1));
            let (packets, bytes) = (packets + count as u64, bytes + (behind * run.len + last) as u64);
            let late = bytes > bytes_max && packets > QUEUE_PACKETS_MIN;
            let memory = memory + buffer_size(behind * run.stride + last) as u64;
            !late && memory + packets * HELD_OVERHEAD as u64 <= QUEUE_BYTES_MAX
        };
        // If some fit, fewer do.
        let all = run.packets();
        if fit(all) { all } else { (1..all).take_while(|count| fit(*count)).count() }
    }

    /// They wait from now on.
    fn count(&mut self, held: &Held) {
        let (packets, bytes, memory) = &mut self.waiting;
        *packets += held.packets();
        *bytes += held.bytes() as u64;
        *memory += held.memory();
    }

    /// Answers whether they wait.
    fn enqueue(&mut self, now: Instant, held: Held, spares: &mut Spares) -> bool {
        self.count(&held);
        let waiting = self.line.push(held);
        match self.discipline.enqueue(now, waiting) {
            Verdict::Queued => true,
            Verdict::Dropped(_) => {
                let mut held = self.line.take_back();
                while held.packets() > 0 {
                    self.advance(&mut held);
                }
                self.put_away(held, spares);
                false
            }
        }
    }

    /// The feeding section has ended with the packet that came at `now`: there is room for that one, whatever waits.
    pub fn recall(&mut self, now: Instant, spares: &mut Spares) {
        if let Some(refused) = self.refused.take_if(|refused| refused.0 == now) {
            let nothing = Owed::Nothing { left_at: now, twice: false };
            let held = Held::one(spares.fill(&refused.1), nothing, Ecn::NotEct);
            self.dropped -= u64::from(self.enqueue(now, held, spares));
        }
    }

    /// Moves the next packet into `buf`, if it fits; answers its length. It counts as gone, as packet `number` of the
    /// emptying section.
    pub fn take(&mut self, now: Instant, number: u64, buf: &mut [u8], spares: &mut Spares) -> Option<usize> {
        let mut held = self.front(now, spares)?;
        while held.next_len() > self.payload_max {
            self.drop_next(&mut held);
            self.put_back(held, spares);
            held = self.front(now, spares)?;
        }
        let len = held.next_len();
        let Some(room) = buf.get_mut(..len) else {
            self.put_back(held, spares);
            return None;
        };
        room.copy_from_slice(held.next());
        self.depart(now, number, &mut held, spares);
        self.put_back(held, spares);
        Some(len)
    }

    /// The same for as many packets as a train has room for, and there are above `left` in number or `left_bytes`.
    pub fn take_train(&mut self, now: Instant, train: &mut Train<'_>, left_bytes: u64, spares: &mut Spares) {
        while train.left() > 0
            && (self.packets() > 1 || self.bytes() > left_bytes)
            && let Some(mut held) = self.front(now, spares)
        {
            if left_bytes == 0 && self.repair.is_none() {
                self.fill(train, &mut held);
            }
            while train.left() > 0 && held.packets() > 0 && (self.packets() > 1 || self.bytes() > left_bytes) {
                let len = held.next_len();
                if len > self.payload_max {
                    self.drop_next(&mut held);
                    continue;
                }
                let number = train.number();
                let Some(room) = train.packet().get_mut(..len) else {
                    return self.put_back(held, spares);
                };
                room.copy_from_slice(held.next());
                train.push(len);
                self.depart(now, number, &mut held, spares);
            }
            self.put_back(held, spares);
        }
    }

    /// Moves as many packets of those that came together as there is room for, in one step if all of them go on and
    /// nothing is kept of them.
    fn fill(&mut self, train: &mut Train<'_>, held: &mut Held) {
        let most = train.left().min(held.packets());
        if held.next_len() > self.payload_max.min(train.room()) {
            return;
        }
        let (Owed::Receipt(first), ecn) = held.next_owed() else { return };
        let (mut count, mut bytes, rest_ecn) = (0, 0, held.ecn());
        while count < most && train.left() > 0 {
            let packet = held.next();
            let len = packet.len();
            train.packet()[..len].copy_from_slice(packet);
            train.push(len);
            held.advance();
            (count, bytes) = (count + 1, bytes + len as u64);
        }
        self.waiting.0 -= count;
        self.waiting.1 -= bytes;
        let end = first + count as u64;
        // The first may have been marked.
        let alike = if ecn == rest_ecn { end } else { first + 1 };
        self.note_departed(first..alike, ecn);
        if alike < end {
            self.note_departed(alike..end, rest_ecn);
        }
    }

    /// Packets of the feeding section have left, to be told of with this codepoint.
    #[inline]
    fn note_departed(&mut self, receipts: Range<u64>, ecn: Ecn) {
        match self.settled.back_mut() {
            Some(Settled::Departed { receipts: before, ecn: of_them })
                if before.end == receipts.start && *of_them == ecn =>
            {
                before.end = receipts.end;
            }
            _ => self.settled.push_back(Settled::Departed { receipts, ecn }),
        }
    }

    /// The next packet has left as packet `number` of the emptying section.
    #[inline(always)]
    fn depart(&mut self, now: Instant, number: u64, held: &mut Held, spares: &mut Spares) {
        let (owed, ecn) = held.next_owed();
        let (left_at, twice) = match owed {
            Owed::Receipt(receipt) => {
                self.note_departed(receipt..receipt + 1, ecn);
                (now, false)
            }
            Owed::Nothing { left_at, twice } => (left_at, twice),
        };
        if let Some(repair) = &mut self.repair {
            let copy = Copied { payload: spares.fill(held.next()), left_at };
            match twice {
                true => repair.push(Retransmission { number, copy, twice: false }),
                false => repair.keep(now, number, copy, |buf| spares.keep(buf)),
            }
        }
        self.advance(held);
    }

    /// The next packet is not here any more.
    #[inline(always)]
    fn advance(&mut self, held: &mut Held) {
        self.waiting.0 -= 1;
        self.waiting.1 -= held.next_len() as u64;
        held.advance();
    }

    /// The next packet is dropped.
    fn drop_next(&mut self, held: &mut Held) {
        self.dropped += 1;
        if let (Owed::Receipt(receipt), _) = held.next_owed() {
            self.settled.push_back(Settled::Dropped { receipt });
        }
        self.advance(held);
    }

    /// Drops what the discipline drops: of those that came together it means the first. The others are next.
    fn drop_firsts(&mut self, dropped: Vec<Held>, spares: &mut Spares) {
        for mut held in dropped {
            self.drop_next(&mut held);
            match held.packets() {
                0 => self.put_away(held, spares),
                _ => self.ahead.push_back(held),
            }
        }
    }

    /// What is left of them is next again.
    fn put_back(&mut self, held: Held, spares: &mut Spares) {
        if held.packets() > 0 {
            self.ahead.push_front(held);
        } else {
            self.put_away(held, spares);
        }
    }

    /// Nothing is left of them.
    fn put_away(&mut self, held: Held, spares: &mut Spares) {
        self.waiting.2 -= held.memory();
        spares.keep(held.into_buf());
    }

    /// The packets that are next, taken out.
    fn front(&mut self, now: Instant, spares: &mut Spares) -> Option<Held> {
        let is_again = |held: &Held| matches!(held.next_owed(), (Owed::Nothing { .. }, _));
        if let Some(repair) = &mut self.repair
            && !self.ahead.front().is_some_and(is_again)
            && let Some(Retransmission { copy, twice, .. }) = repair.pop(now, |buf| spares.keep(buf))
        {
            self.repaired += 1;
            let held = Held::one(copy.payload, Owed::Nothing { left_at: copy.left_at, twice }, Ecn::NotEct);
            self.count(&held);
            return Some(held);
        }
        if let Some(held) = self.ahead.pop_front() {
            return Some(held);
        }
        let (mut dropped, line) = (Vec::new(), &mut self.line);
        let next = self.discipline.dequeue(now, &mut |waiting| dropped.push(line.pop(waiting)));
        let next = next.map(|waiting| line.pop(waiting));
        self.drop_firsts(dropped, spares);
        if self.ahead.is_empty() {
            return next;
        }
        self.ahead.extend(next);
        self.ahead.pop_front()
    }

    /// Packets of the emptying section met their fate.
    pub fn handle_fates(&mut self, now: Instant, numbers: Range<u64>, fate: Fate, spares: &mut Spares) {
        if let Some(repair) = &mut self.repair {
            numbers.for_each(|number| repair.handle_fate(now, number, fate, |buf| spares.keep(buf)));
        }
    }

    /// Drops the oldest packet that waits, or, if none does, the oldest copy kept for repair. Answers whether there was
    /// one.
    pub fn give_way(&mut self, now: Instant, spares: &mut Spares) -> bool {
        if let Some(mut held) = self.front(now, spares) {
            self.drop_next(&mut held);
            self.put_back(held, spares);
            return true;
        }
        self.repair.as_mut().is_some_and(|repair| repair.forget_oldest(|buf| spares.keep(buf)))
    }

    /// Nothing is to leave any more but the last packet that waits and has `room` bytes at most, which is the answer;
    /// empty if there is none. What else waits is dropped, and nothing is kept, for repair or for its memory.
    pub(crate) fn end(&mut self, now: Instant, room: usize, spares: &mut Spares) -> Vec<u8> {
        let mut last = None;
        while let Some(mut held) = self.front(now, spares) {
            if held.next_len() <= room {
                // The one before it is the one that is dropped.
                self.dropped += u64::from(last.replace(held.next().to_vec()).is_some());
                self.advance(&mut held);
            } else {
                self.drop_next(&mut held);
            }
            self.put_back(held, spares);
        }
        (self.repair, self.settled) = (None, VecDeque::new());
        self.line.shrink();
        last.unwrap_or_default()
    }

    /// Packets that are gone, though nobody has asked yet what became of them.
    pub fn unsettled(&self) -> usize {
        let packets = |settled: &Settled| match settled {
            Settled::Departed { receipts, .. } => (receipts.end - receipts.start) as usize,
            Settled::Dropped { .. } => 1,
        };
        self.settled.iter().map(packets).sum()
    }

    /// Takes the receipts to forfeit out of what is unsettled. What has left stays, in its order.
    pub fn take_forfeited(&mut self, mut forfeited: impl FnMut(u64)) {
        self.settled.retain(|settled| match *settled {
            Settled::Dropped { receipt } => {
                forfeited(receipt);
                false
            }
            Settled::Departed { .. } => true,
        });
    }

    /// What has become of packets since it was last asked, in order.
    pub fn pop_settled(&mut self) -> Option<Settled> {
        self.settled.pop_front()
    }
}

#[cfg(test)]
mod tests;
