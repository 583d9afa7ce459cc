//! The shared queue: where two sections meet (Tng 4.3).

use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Ecn, Instant, Rng};
use tng_queue::{CoDelConfig, Discipline, Item, Limit, QueueConfig, Verdict};

/// Packets that a shared queue holds whatever the rate at which it empties: two initial windows.
pub const QUEUE_PACKETS_MIN: u64 = 20;

/// Most bytes that a shared queue holds, whatever the rate.
pub const QUEUE_BYTES_MAX: u64 = 16 << 20;

/// For how long what a shared queue holds lasts at the rate at which it empties, at most, if nobody says otherwise.
pub const QUEUE_TIME: Duration = Duration::from_millis(100);

/// Buffers kept for packets to come.
const SPARES_MAX: usize = 64;

/// A packet that waits, and the receipt that is owed for it.
#[derive(Debug)]
struct Held {
    payload: Vec<u8>,
    receipt: u64,
    ecn: Ecn,
}

impl Item for Held {
    fn bytes(&self) -> usize {
        self.payload.len()
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
    discipline: Box<dyn Discipline<Held>>,
    time_max: Duration,
    /// Taken out and not gone yet: the packet at hand was too small for it.
    next: Option<Held>,
    settled: VecDeque<Settled>,
    spares: Vec<Vec<u8>>,
    dropped: u64,
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
pub fn discipline_for(controller: &str) -> QueueConfig {
    // The queue's own bound comes first; what stands here is only what the discipline itself does.
    let open = QueueConfig::DropTail(Limit::Bytes(QUEUE_BYTES_MAX));
    match controller {
        // They see nothing but losses and marks, and would keep the queue full.
        "newreno" | "reno" | "cubic" | "linux-cubic" | "equation" => {
            QueueConfig::CoDel(CoDelConfig { ecn: true, limit_packets: usize::MAX, ..CoDelConfig::default() })
        }
        // They look at the delay or the rate, and keep the queue short themselves.
        _ => open,
    }
}

impl SharedQueue {
    /// An empty queue that follows `discipline` and holds at most what leaves it in `time_max`.
    pub fn new(discipline: &QueueConfig, time_max: Duration, rng: Rng) -> SharedQueue {
        SharedQueue {
            discipline: discipline.build(rng),
            time_max,
            next: None,
            settled: VecDeque::new(),
            spares: Vec::new(),
            dropped: 0,
        }
    }

    /// Packets waiting.
    pub fn packets(&self) -> usize {
        self.discipline.packets() + usize::from(self.next.is_some())
    }

    /// Bytes waiting.
    pub fn bytes(&self) -> u64 {
        self.discipline.bytes() + self.next.as_ref().map_or(0, |held| held.payload.len() as u64)
    }

    /// Packets marked so far.
    pub fn marks(&self) -> u64 {
        self.discipline.marks()
    }

    /// Packets dropped so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Offers packet `receipt` of the feeding section; `rate` is how many bytes leave in a second, where it is known. Answers whether
    /// it waits; what does not is the feeding section's to call lost.
    pub fn offer(&mut self, now: Instant, (receipt, ecn): (u64, Ecn), payload: &[u8], rate: Option<u64>) -> bool {
        let in_time = rate.map_or(0, |rate| u128::from(rate) * self.time_max.as_micros() / 1_000_000);
        let bytes_max = u64::try_from(in_time).unwrap_or(u64::MAX).min(QUEUE_BYTES_MAX);
        let full = self.bytes() + payload.len() as u64 > bytes_max && self.packets() as u64 >= QUEUE_PACKETS_MIN;
        if full {
            self.dropped += 1;
            return false;
        }
        let mut buf = self.spares.pop().unwrap_or_default();
        buf.clear();
        buf.extend_from_slice(payload);
        match self.discipline.enqueue(now, Held { payload: buf, receipt, ecn }) {
            Verdict::Queued => true,
            Verdict::Dropped(held) => {
                self.dropped += 1;
                keep(&mut self.spares, held.payload);
                false
            }
        }
    }

    /// Moves the next packet into `buf`, if it fits; answers its length. It counts as gone.
    pub fn take(&mut self, now: Instant, buf: &mut [u8]) -> Option<usize> {
        let (settled, spares, dropped) = (&mut self.settled, &mut self.spares, &mut self.dropped);
        let held = self.next.take().or_else(|| {
            self.discipline.dequeue(now, &mut |held: Held| {
                *dropped += 1;
                settled.push_back(Settled::Dropped { receipt: held.receipt });
                keep(spares, held.payload);
            })
        })?;
        let len = held.payload.len();
        let Some(room) = buf.get_mut(..len) else {
            self.next = Some(held);
            return None;
        };
        room.copy_from_slice(&held.payload);
        self.settled.push_back(Settled::Departed { receipt: held.receipt, ecn: held.ecn });
        keep(&mut self.spares, held.payload);
        Some(len)
    }

    /// Drops the packet that the room at hand was last too small for.
    pub fn skip(&mut self) {
        if let Some(held) = self.next.take() {
            self.dropped += 1;
            self.settled.push_back(Settled::Dropped { receipt: held.receipt });
            keep(&mut self.spares, held.payload);
        }
    }

    /// What has become of packets since it was last asked, in order.
    pub fn pop_settled(&mut self) -> Option<Settled> {
        self.settled.pop_front()
    }
}

fn keep(spares: &mut Vec<Vec<u8>>, buf: Vec<u8>) {
    if spares.len() < SPARES_MAX {
        spares.push(buf);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(controller: &str) -> SharedQueue {
        SharedQueue::new(&discipline_for(controller), QUEUE_TIME, Rng::from_u64(1))
    }

    fn at_ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_packet_is_settled_when_it_leaves_and_not_before() {
        let mut queue = queue("vegas");
        assert!(queue.offer(at_ms(0), (7, Ecn::Ect0), b"seven", None));
        assert!(queue.offer(at_ms(0), (9, Ecn::NotEct), b"nine", None));
        assert_eq!(queue.pop_settled(), None);
        let mut buf = [0; 100];
        assert_eq!(queue.take(at_ms(1), &mut buf[..4]), None, "too little room");
        assert_eq!((queue.packets(), queue.pop_settled()), (2, None), "and so it waits");
        assert_eq!(queue.take(at_ms(1), &mut buf), Some(5));
        assert_eq!(&buf[..5], b"seven");
        assert_eq!(queue.pop_settled(), Some(Settled::Departed { receipt: 7, ecn: Ecn::Ect0 }));
        assert_eq!(queue.take(at_ms(1), &mut buf), Some(4));
        assert_eq!(queue.pop_settled(), Some(Settled::Departed { receipt: 9, ecn: Ecn::NotEct }));
        assert_eq!((queue.take(at_ms(1), &mut buf), queue.packets(), queue.bytes()), (None, 0, 0));
    }

    #[test]
    fn it_holds_what_leaves_in_its_time_and_no_more() {
        let mut queue = queue("vegas");
        let rate = 1_250_000;
        let taken = (0..1_000).filter(|i| queue.offer(at_ms(0), (*i, Ecn::NotEct), &[0; 1_000], Some(rate))).count();
        assert_eq!(taken, 125, "100 ms of 10 Mbit/s");
        assert_eq!(queue.dropped(), 875);
        let mut idle = SharedQueue::new(&discipline_for("vegas"), QUEUE_TIME, Rng::from_u64(1));
        let taken = (0..100).filter(|i| idle.offer(at_ms(0), (*i, Ecn::NotEct), &[0; 1_000], None)).count();
        assert_eq!(taken as u64, QUEUE_PACKETS_MIN, "what is not known to leave at any rate");
    }

    #[test]
    fn a_feeding_section_that_sees_losses_alone_is_marked_or_dropped_when_the_queue_stands() {
        for (ecn, marked) in [(Ecn::Ect0, true), (Ecn::NotEct, false)] {
            let mut queue = queue("cubic");
            let (mut settled, mut buf) = (Vec::new(), [0; 2_000]);
            for ms in 0..2_000 {
                queue.offer(at_ms(ms), (ms, ecn), &[0; 1_000], Some(10_000_000));
                if ms >= 50 {
                    queue.take(at_ms(ms), &mut buf);
                }
                settled.extend(core::iter::from_fn(|| queue.pop_settled()));
            }
            let marks = settled.iter().filter(|it| matches!(it, Settled::Departed { ecn: Ecn::Ce, .. })).count();
            let drops = settled.iter().filter(|it| matches!(it, Settled::Dropped { .. })).count();
            assert_eq!((marks > 0, drops > 0), (marked, !marked), "{marks} marks, {drops} drops");
            assert_eq!(marks as u64, queue.marks());
        }
    }
}
