//! The shared queue: where two sections meet (Tng 4.3).

use core::ops::Range;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Ecn, Fate, Instant, Rng};
use tng_congestion::Choice;
use tng_queue::{CoDelConfig, Discipline, Item, Limit, QueueConfig, Verdict};

use crate::Spares;
use crate::repair::{Again, Copied, Repair};

/// Packets that a shared queue holds whatever the rate at which it empties: two initial windows.
pub const QUEUE_PACKETS_MIN: u64 = 20;

/// Most bytes that a shared queue holds, whatever the rate.
pub const QUEUE_BYTES_MAX: u64 = 16 << 20;

/// For how long what a shared queue holds lasts at the rate at which it empties, at most, if nobody says otherwise.
pub const QUEUE_TIME: Duration = Duration::from_millis(100);

/// What a packet that is held takes beside its payload, as it counts toward bounds: small packets are not to hold more
/// than large ones.
pub const HELD_OVERHEAD: usize = 128;

/// A packet that waits, and the receipt that is owed for it.
#[derive(Debug)]
struct Held {
    payload: Vec<u8>,
    owed: Owed,
    ecn: Ecn,
}

/// What a discipline knows of a packet that waits. It is small, so that it goes into the discipline in registers: one
/// that was just written to memory in parts would be read only when the copy of the payload before it is done.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// Where the rest of it is.
    slot: u32,
    bytes: u32,
    ecn: Ecn,
}

/// The packets that wait in a discipline.
#[derive(Debug, Default)]
struct Slots {
    slots: Vec<(Vec<u8>, Owed)>,
    free: Vec<u32>,
}

impl Slots {
    #[inline(always)]
    fn put(&mut self, Held { payload, owed, ecn }: Held) -> Waiting {
        let bytes = payload.len() as u32;
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = (payload, owed);
                slot
            }
            None => {
                self.slots.push((payload, owed));
                self.slots.len() as u32 - 1
            }
        };
        Waiting { slot, bytes, ecn }
    }

    fn take(&mut self, Waiting { slot, ecn, .. }: Waiting) -> Held {
        let (payload, owed) = &mut self.slots[slot as usize];
        self.free.push(slot);
        Held { payload: core::mem::take(payload), owed: *owed, ecn }
    }

    /// Gives back the memory that holds nothing, if none of it does.
    fn rest(&mut self) {
        if self.free.len() == self.slots.len() {
            *self = Slots::default();
        }
    }
}

/// What is owed for a packet.
#[derive(Clone, Copy, Debug)]
enum Owed {
    /// The receipt for this packet of the feeding section.
    Receipt(u64),
    /// Nothing any more: it left before, at this time, and was lost on the way. It may have to leave `twice` now.
    Nothing { left_at: Instant, twice: bool },
}

impl Item for Waiting {
    fn bytes(&self) -> usize {
        self.bytes as usize
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

/// What became of a packet that the feeding section delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settled {
    /// It left on the next section: its receipt is to be redeemed, with the codepoint that it came with or got.
    Departed {
        /// Its number on the feeding section.
        receipt: u64,
        /// The codepoint.
        ecn: Ecn,
    },
    /// It was dropped: its receipt is forfeited.
    Dropped {
        /// Its number on the feeding section.
        receipt: u64,
    },
}

/// Packets of one direction of one flow, between the section that feeds the queue and the one that empties it. To the
/// feeding section it is the last router of its path; its discipline is what that section's controller expects of one.
pub struct SharedQueue {
    discipline: Box<dyn Discipline<Waiting>>,
    slots: Slots,
    time_max: Duration,
    /// Taken out and not gone yet: the packet at hand was too small for it.
    next: Option<Held>,
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
            slots: Slots::default(),
            time_max,
            next: None,
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
        let (settled, dropped) = (&mut self.settled, &mut self.dropped);
        let slots = &mut self.slots;
        let mut give_up = |waiting: Waiting| {
            let held = slots.take(waiting);
            *dropped += 1;
            settled.extend(forfeit(&held));
            spares.keep(held.payload);
        };
        while let Some(waiting) = before.dequeue(now, &mut give_up) {
            if let Verdict::Dropped(waiting) = self.discipline.enqueue(now, waiting) {
                give_up(waiting);
            }
        }
        self.marked_before += before.marks();
    }

    /// Nothing is expected for a while: gives back the memory that holds nothing.
    pub fn rest(&mut self) {
        self.refused = None;
        self.settled.shrink_to_fit();
        self.discipline.rest();
        self.slots.rest();
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
        self.discipline.packets() + usize::from(self.next.is_some()) + again
    }

    /// Bytes waiting.
    pub fn bytes(&self) -> u64 {
        let again = self.repair.as_ref().map_or(0, |repair| repair.waiting().1);
        self.discipline.bytes() + self.next.as_ref().map_or(0, |held| held.payload.len() as u64) + again
    }

    /// Bytes of memory that packets take which wait, or have left and are kept for repair.
    pub fn held_bytes(&self) -> u64 {
        self.waiting_memory() + self.repair.as_ref().map_or(0, |repair| repair.kept_bytes() as u64)
    }

    fn waiting_memory(&self) -> u64 {
        self.bytes() + (self.packets() * HELD_OVERHEAD) as u64
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
        let (packets, bytes) = (self.packets() as u64 + 1, self.bytes() + payload.len() as u64);
        let late = bytes > bytes_max && packets > QUEUE_PACKETS_MIN;
        let full = bytes + packets * HELD_OVERHEAD as u64 > QUEUE_BYTES_MAX;
        if late || full || payload.len() > self.payload_max {
            self.dropped += 1;
            if payload.len() <= self.payload_max {
                let refused = self.refused.get_or_insert_default();
                refused.0 = now;
                refused.1.clear();
                refused.1.extend_from_slice(payload);
            }
            return false;
        }
        let held = Held { payload: spares.fill(payload), owed: Owed::Receipt(receipt), ecn };
        let waits = self.enqueue(now, held, spares);
        self.dropped += u64::from(!waits);
        waits
    }

    /// Answers whether it waits.
    #[inline(always)]
    fn enqueue(&mut self, now: Instant, held: Held, spares: &mut Spares) -> bool {
        let waiting = self.slots.put(held);
        match self.discipline.enqueue(now, waiting) {
            Verdict::Queued => true,
            Verdict::Dropped(waiting) => {
                spares.keep(self.slots.take(waiting).payload);
                false
            }
        }
    }

    /// The feeding section has ended with the packet that came at `now`: there is room for that one, whatever waits.
    pub fn recall(&mut self, now: Instant, spares: &mut Spares) {
        if let Some(refused) = self.refused.take_if(|refused| refused.0 == now) {
            let held = Held {
                payload: spares.fill(&refused.1),
                owed: Owed::Nothing { left_at: now, twice: false },
                ecn: Ecn::NotEct,
            };
            self.dropped -= u64::from(self.enqueue(now, held, spares));
        }
    }

    /// Moves the next packet into `buf`, if it fits; answers its length. It counts as gone, as packet `number` of the
    /// emptying section.
    pub fn take(&mut self, now: Instant, number: u64, buf: &mut [u8], spares: &mut Spares) -> Option<usize> {
        let mut held = self.pop(now, spares)?;
        while held.payload.len() > self.payload_max {
            self.drop_held(held, spares);
            held = self.pop(now, spares)?;
        }
        let len = held.payload.len();
        let Some(room) = buf.get_mut(..len) else {
            self.next = Some(held);
            return None;
        };
        room.copy_from_slice(&held.payload);
        let (left_at, twice) = match held.owed {
            Owed::Receipt(receipt) => {
                self.settled.push_back(Settled::Departed { receipt, ecn: held.ecn });
                (now, false)
            }
            Owed::Nothing { left_at, twice } => (left_at, twice),
        };
        let copy = Copied { payload: held.payload, left_at };
        match &mut self.repair {
            None => spares.keep_large(copy.payload),
            Some(repair) if twice => repair.push(Again { number, copy, twice: false }),
            Some(repair) => repair.keep(now, number, copy, |buf| spares.keep(buf)),
        }
        Some(len)
    }

    fn pop(&mut self, now: Instant, spares: &mut Spares) -> Option<Held> {
        let (settled, dropped) = (&mut self.settled, &mut self.dropped);
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        if let Some(Again { copy, twice, .. }) =
            self.repair.as_mut().and_then(|repair| repair.pop(now, |buf| spares.keep(buf)))
        {
            self.repaired += 1;
            let owed = Owed::Nothing { left_at: copy.left_at, twice };
            return Some(Held { payload: copy.payload, owed, ecn: Ecn::NotEct });
        }
        let waiting = self.discipline.dequeue(now, &mut |waiting| {
            let held = self.slots.take(waiting);
            *dropped += 1;
            settled.extend(forfeit(&held));
            spares.keep(held.payload);
        })?;
        Some(self.slots.take(waiting))
    }

    /// Packets of the emptying section met their fate.
    pub fn handle_fates(&mut self, now: Instant, numbers: Range<u64>, fate: Fate, spares: &mut Spares) {
        if let Some(repair) = &mut self.repair {
            numbers.for_each(|number| repair.handle_fate(now, number, fate, |buf| spares.keep(buf)));
        }
    }

    fn drop_held(&mut self, held: Held, spares: &mut Spares) {
        self.dropped += 1;
        self.settled.extend(forfeit(&held));
        spares.keep(held.payload);
    }

    /// Drops the oldest packet that waits, or, if none does, the oldest copy kept for repair. Answers whether there was
    /// one.
    pub fn give_way(&mut self, now: Instant, spares: &mut Spares) -> bool {
        if let Some(held) = self.pop(now, spares) {
            self.drop_held(held, spares);
            return true;
        }
        self.repair.as_mut().is_some_and(|repair| repair.forget_oldest(|buf| spares.keep(buf)))
    }

    /// Nothing is to leave any more but the last packet that waits and has `room` bytes at most, which is the answer;
    /// empty if there is none. What else waits is dropped, and nothing is kept, for repair or for its memory.
    pub(crate) fn end(&mut self, now: Instant, room: usize, spares: &mut Spares) -> Vec<u8> {
        let mut last: Option<Held> = None;
        while let Some(held) = self.pop(now, spares) {
            let dropped = if held.payload.len() > room { Some(held) } else { last.replace(held) };
            if let Some(dropped) = dropped {
                self.drop_held(dropped, spares);
            }
        }
        (self.repair, self.settled) = (None, VecDeque::new());
        self.slots.rest();
        last.map_or_else(Vec::new, |held| held.payload)
    }

    /// Packets that are gone and of which nobody has asked what has become of them.
    pub fn unsettled(&self) -> usize {
        self.settled.len()
    }

    /// Of what is unsettled the receipts that are to be forfeited. What has left stays, in its order.
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

fn forfeit(held: &Held) -> Option<Settled> {
    match held.owed {
        Owed::Receipt(receipt) => Some(Settled::Dropped { receipt }),
        Owed::Nothing { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue with buffers of its own.
    struct Alone(SharedQueue, Spares);

    impl Alone {
        fn repairing(self, time_max: Duration) -> Alone {
            Alone(self.0.repairing(Some(time_max)), self.1)
        }

        fn offer(&mut self, now: Instant, from: (u64, Ecn), payload: &[u8], bytes_max: u64) -> bool {
            self.0.offer(now, from, payload, bytes_max, &mut self.1)
        }

        fn take(&mut self, now: Instant, number: u64, buf: &mut [u8]) -> Option<usize> {
            self.0.take(now, number, buf, &mut self.1)
        }

        fn handle_fates(&mut self, now: Instant, numbers: Range<u64>, fate: Fate) {
            self.0.handle_fates(now, numbers, fate, &mut self.1);
        }

        fn end(&mut self, now: Instant, room: usize) -> Vec<u8> {
            self.0.end(now, room, &mut self.1)
        }

        fn recall(&mut self, now: Instant) {
            self.0.recall(now, &mut self.1);
        }
    }

    impl core::ops::Deref for Alone {
        type Target = SharedQueue;

        fn deref(&self) -> &SharedQueue {
            &self.0
        }
    }

    impl core::ops::DerefMut for Alone {
        fn deref_mut(&mut self) -> &mut SharedQueue {
            &mut self.0
        }
    }

    fn queue(controller: &str) -> Alone {
        let discipline = discipline_for(&controller.parse().expect("a controller"));
        Alone(SharedQueue::new(&discipline, QUEUE_TIME, Rng::from_u64(1)), Spares::default())
    }

    fn at_ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_packet_is_settled_when_it_leaves_and_not_before() {
        let mut queue = queue("vegas");
        assert!(queue.offer(at_ms(0), (7, Ecn::Ect0), b"seven", 0));
        assert!(queue.offer(at_ms(0), (9, Ecn::NotEct), b"nine", 0));
        assert_eq!(queue.pop_settled(), None);
        let mut buf = [0; 100];
        assert_eq!(queue.take(at_ms(1), 0, &mut buf[..4]), None, "too little room");
        assert_eq!((queue.packets(), queue.pop_settled()), (2, None), "and so it waits");
        assert_eq!(queue.take(at_ms(1), 0, &mut buf), Some(5));
        assert_eq!(&buf[..5], b"seven");
        assert_eq!(queue.pop_settled(), Some(Settled::Departed { receipt: 7, ecn: Ecn::Ect0 }));
        assert_eq!(queue.take(at_ms(1), 0, &mut buf), Some(4));
        assert_eq!(queue.pop_settled(), Some(Settled::Departed { receipt: 9, ecn: Ecn::NotEct }));
        assert_eq!((queue.take(at_ms(1), 0, &mut buf), queue.packets(), queue.bytes()), (None, 0, 0));
    }

    #[test]
    fn what_was_dropped_is_settled_also_while_what_has_left_is_not() {
        let mut queue = queue("vegas");
        for receipt in 0..4 {
            queue.offer(at_ms(0), (receipt, Ecn::NotEct), &[0; 10], 0);
        }
        queue.take(at_ms(1), 0, &mut [0; 100]);
        let Alone(shared, spares) = &mut queue;
        assert!(shared.give_way(at_ms(1), spares) && shared.give_way(at_ms(1), spares));
        queue.take(at_ms(1), 1, &mut [0; 100]);
        let mut forfeited = Vec::new();
        assert_eq!(queue.unsettled(), 4);
        queue.take_forfeited(|receipt| forfeited.push(receipt));
        assert_eq!((&forfeited[..], queue.unsettled()), (&[1, 2][..], 2));
        let left = |receipt| Some(Settled::Departed { receipt, ecn: Ecn::NotEct });
        assert_eq!([queue.pop_settled(), queue.pop_settled(), queue.pop_settled()], [left(0), left(3), None]);
    }

    #[test]
    fn it_holds_what_leaves_in_its_time_and_no_more() {
        let [mut queue, mut idle] = [queue("vegas"), queue("vegas")];
        let bytes_max = queue.bytes_in_time(Some(1_250_000));
        let taken = (0..1_000).filter(|i| queue.offer(at_ms(0), (*i, Ecn::NotEct), &[0; 1_000], bytes_max)).count();
        assert_eq!(taken, 125, "100 ms of 10 Mbit/s");
        assert_eq!(queue.dropped(), 875);
        let taken = (0..100).filter(|i| idle.offer(at_ms(0), (*i, Ecn::NotEct), &[0; 1_000], 0)).count();
        assert_eq!(taken as u64, QUEUE_PACKETS_MIN, "what is not known to leave at any rate");
    }

    #[test]
    fn small_packets_hold_no_more_memory_than_large_ones_and_what_cannot_leave_is_not_taken() {
        let mut queue = queue("vegas");
        let taken = (0..400_000).filter(|i| queue.offer(at_ms(0), (*i, Ecn::NotEct), &[0], u64::MAX)).count();
        assert!(taken * HELD_OVERHEAD <= QUEUE_BYTES_MAX as usize, "{taken}");
        assert!(queue.held_bytes() >= (taken * HELD_OVERHEAD) as u64 && queue.held_bytes() <= QUEUE_BYTES_MAX);
        let mut queue = self::queue("vegas");
        queue.set_payload_max(1_200);
        assert!(!queue.offer(at_ms(0), (1, Ecn::NotEct), &[0; 1_201], 0));
        assert!(queue.offer(at_ms(0), (2, Ecn::NotEct), &[0; 1_200], 0));
    }

    #[test]
    fn what_ends_gives_the_last_packet_that_fits_and_keeps_nothing() {
        let mut queue = queue("vegas").repairing(Duration::from_secs(1));
        for (receipt, len) in [(0, 10), (1, 20), (2, 30), (3, 90)] {
            queue.offer(at_ms(0), (receipt, Ecn::NotEct), &vec![receipt as u8; len], 0);
        }
        assert_eq!(queue.take(at_ms(0), 70, &mut [0; 100]), Some(10));
        assert_eq!(queue.end(at_ms(1), 40), [2; 30]);
        assert_eq!((queue.packets(), queue.held_bytes(), queue.dropped(), queue.pop_settled()), (0, 0, 2, None));
    }

    #[test]
    fn a_feeding_section_that_sees_losses_alone_is_marked_or_dropped_when_the_queue_stands() {
        for (ecn, marked) in [(Ecn::Ect0, true), (Ecn::NotEct, false)] {
            let mut queue = queue("cubic");
            let (mut settled, mut buf) = (Vec::new(), [0; 2_000]);
            for ms in 0..2_000 {
                queue.offer(at_ms(ms), (ms, ecn), &[0; 1_000], 1_000_000);
                if ms >= 50 {
                    queue.take(at_ms(ms), ms, &mut buf);
                }
                settled.extend(core::iter::from_fn(|| queue.pop_settled()));
            }
            let marks = settled.iter().filter(|it| matches!(it, Settled::Departed { ecn: Ecn::Ce, .. })).count();
            let drops = settled.iter().filter(|it| matches!(it, Settled::Dropped { .. })).count();
            assert_eq!((marks > 0, drops > 0), (marked, !marked), "{marks} marks, {drops} drops");
            assert_eq!(marks as u64, queue.marks());
        }
    }

    #[test]
    fn what_a_repaired_section_loses_leaves_again_first_and_is_settled_once() {
        let mut queue = queue("vegas").repairing(Duration::from_secs(1));
        let mut buf = [0; 100];
        for receipt in 0..3 {
            queue.offer(at_ms(0), (receipt, Ecn::NotEct), &[receipt as u8; 10], 0);
        }
        assert_eq!((queue.take(at_ms(1), 70, &mut buf), queue.take(at_ms(1), 71, &mut buf)), (Some(10), Some(10)));
        assert_eq!(core::iter::from_fn(|| queue.pop_settled()).count(), 2);
        queue.handle_fates(at_ms(2), 71..72, Fate::Acked);
        queue.handle_fates(at_ms(2), 70..71, Fate::Lost);
        assert_eq!((queue.packets(), queue.bytes()), (2, 20));
        assert_eq!((queue.take(at_ms(2), 72, &mut buf), buf[0]), (Some(10), 0), "again, and before what waits");
        assert_eq!(queue.pop_settled(), None);
        queue.handle_fates(at_ms(400), 72..73, Fate::Lost);
        assert_eq!((queue.take(at_ms(900), 73, &mut buf), buf[0]), (Some(10), 0), "as often as there is time");
        queue.handle_fates(at_ms(900), 73..74, Fate::Lost);
        assert_eq!((queue.take(at_ms(1_100), 74, &mut buf), buf[0]), (Some(10), 2), "it is too late for the first");
    }

    #[test]
    fn the_last_try_is_made_twice() {
        let mut queue = queue("vegas").repairing(Duration::from_secs(1));
        let mut buf = [0; 100];
        queue.offer(at_ms(0), (1, Ecn::NotEct), b"packet", 0);
        let mut take = |queue: &mut Alone, ms: u64, number| queue.take(at_ms(ms), number, &mut buf);
        take(&mut queue, 0, 50);
        queue.handle_fates(at_ms(600), 50..51, Fate::Lost);
        assert_eq!([51, 52, 53].map(|number| take(&mut queue, 600, number)), [Some(6), Some(6), None]);
        // Of the two the later one counts.
        queue.handle_fates(at_ms(650), 51..52, Fate::Lost);
        assert_eq!(queue.packets(), 0);
        queue.handle_fates(at_ms(650), 52..53, Fate::Lost);
        assert_eq!(queue.packets(), 1);
    }

    #[test]
    fn the_last_packet_of_a_section_has_room_whatever_waits() {
        let mut queue = queue("vegas");
        let offered = (0..30).map(|i| queue.offer(at_ms(i), (i, Ecn::NotEct), &[i as u8; 10], 0)).collect::<Vec<_>>();
        assert!(!offered[29]);
        queue.recall(at_ms(30));
        assert_eq!(queue.packets() as u64, QUEUE_PACKETS_MIN, "it was not the one");
        queue.recall(at_ms(29));
        queue.recall(at_ms(29));
        assert_eq!((queue.packets() as u64, queue.dropped()), (QUEUE_PACKETS_MIN + 1, 9));
        let (mut buf, mut last) = ([0; 100], 0);
        while queue.take(at_ms(40), 0, &mut buf).is_some() {
            last = buf[0];
        }
        assert_eq!(last, 29);
    }
}
