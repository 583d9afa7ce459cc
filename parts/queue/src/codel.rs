//! Controlled delay (RFC 8289).

use core::time::Duration;

use tng_base::Instant;

use crate::fifo::Fifo;
use crate::{Discipline, Item, QUEUE_PACKETS_MAX, Verdict, ecn_capable};

/// A second bout of dropping that starts this many intervals after the last one resumes near its rate (RFC 8289 section
/// 5.4).
const RESUME_INTERVALS: u32 = 16;

/// Where the senders' round trip is known, the interval is so many of them at most. The usual 100 ms suit round trips
/// from 10 ms on (RFC 8289 section 4.3).
pub const INTERVAL_ROUND_TRIPS: u32 = 10;

/// It is no shorter than this for it: hosts that are busy stand still for parts of a millisecond.
pub const INTERVAL_MIN: Duration = Duration::from_millis(4);

/// Parameters of [`CoDel`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoDelConfig {
    /// Acceptable standing delay.
    pub target: Duration,
    /// How long the delay may stay above the target before the first drop: a round trip of the slower paths.
    pub interval: Duration,
    /// With no more than this waiting, nothing is dropped: the link would run dry.
    pub mtu_bytes: u64,
    /// ECN-capable packets are marked instead of dropped.
    pub ecn: bool,
    /// The queue proper never holds more.
    pub limit_packets: usize,
}

impl Default for CoDelConfig {
    /// RFC 8289 section 4.2 and 4.3: 5 ms and 100 ms; one Ethernet frame; 1000 packets.
    fn default() -> CoDelConfig {
        CoDelConfig {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            mtu_bytes: 1514,
            ecn: false,
            limit_packets: 1000,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// The delay is fine, or has not been bad for long. Remembers the last bout.
    BelowTarget,
    /// Dropping: the next is due at this time.
    Dropping { next: Instant },
}

/// A queue that drops from the head when packets have waited too long for too long.
pub struct CoDel<P> {
    config: CoDelConfig,
    /// The senders' round trip, if it is known.
    rtt_min: Option<Duration>,
    /// Target and interval for senders with that round trip.
    target: Duration,
    interval: Duration,
    fifo: Fifo<P>,
    state: State,
    /// When the delay will have been above the target for an interval, if it is above.
    above_until: Option<Instant>,
    /// Drops in this bout; in calm, of the last bout.
    count: u32,
    /// `count` when this bout, or the last one, began.
    count_first: u32,
    /// When the last bout would have dropped next.
    last_next: Instant,
    marks: u64,
}

impl<P: Item> CoDel<P> {
    /// An empty queue.
    pub fn new(config: CoDelConfig) -> CoDel<P> {
        CoDel {
            rtt_min: None,
            target: config.target,
            interval: config.interval,
            config,
            fifo: Fifo::new(),
            state: State::BelowTarget,
            above_until: None,
            count: 0,
            count_first: 0,
            last_next: Instant::ZERO,
            marks: 0,
        }
    }

    /// The head, and whether the delay has been above the target for a whole interval.
    #[inline(always)]
    fn take_head(&mut self, now: Instant) -> Option<(P, bool)> {
        let Some((came, item)) = self.fifo.pop() else {
            self.above_until = None;
            return None;
        };
        if now.since(came) < self.target || self.fifo.bytes() <= self.config.mtu_bytes {
            self.above_until = None;
            return Some((item, false));
        }
        let until = *self.above_until.get_or_insert(now + self.interval);
        Some((item, now >= until))
    }

    /// The control law: intervals shrink with the square root of the count of drops.
    fn next_after(&self, time: Instant) -> Instant {
        time + self.interval.div_f64(f64::from(self.count.max(1)).sqrt())
    }

    fn mark(&mut self, item: &mut P) -> bool {
        let may = self.config.ecn && ecn_capable(item);
        if may {
            item.mark();
            self.marks += 1;
        }
        may
    }

    fn calm_down(&mut self, next: Instant) {
        self.last_next = next;
        self.state = State::BelowTarget;
    }

    /// In a bout: drops as often as is due.
    fn continue_bout(
        &mut self,
        now: Instant,
        mut next: Instant,
        head: (P, bool),
        dropped: &mut dyn FnMut(P),
    ) -> Option<P> {
        let (mut item, mut bad) = head;
        loop {
            if !bad {
                self.calm_down(next);
                return Some(item);
            }
            if now < next {
                self.state = State::Dropping { next };
                return Some(item);
            }
            self.count = self.count.saturating_add(1);
            if self.mark(&mut item) {
                self.state = State::Dropping { next: self.next_after(next) };
                return Some(item);
            }
            dropped(item);
            match self.take_head(now) {
                Some(head) => (item, bad) = head,
                None => {
                    self.calm_down(next);
                    return None;
                }
            }
            if bad {
                next = self.next_after(next);
            }
        }
    }

    /// The delay has been bad for an interval: the first drop of a bout.
    fn start_bout(&mut self, now: Instant, mut item: P, dropped: &mut dyn FnMut(P)) -> Option<P> {
        let out = if self.mark(&mut item) {
            Some(item)
        } else {
            dropped(item);
            self.take_head(now).map(|(item, _)| item)
        };
        let grown = self.count - self.count_first;
        let recent = now.since(self.last_next) < self.interval * RESUME_INTERVALS;
        self.count = if grown > 1 && recent { grown } else { 1 };
        self.count_first = self.count;
        self.state = State::Dropping { next: self.next_after(now) };
        out
    }
}

impl<P: Item> Discipline<P> for CoDel<P> {
    fn enqueue(&mut self, now: Instant, item: P) -> Verdict<P> {
        if self.fifo.packets() >= self.config.limit_packets.min(QUEUE_PACKETS_MAX) {
            return Verdict::Dropped(item);
        }
        self.fifo.push(now, item);
        Verdict::Queued
    }

    fn dequeue(&mut self, now: Instant, dropped: &mut dyn FnMut(P)) -> Option<P> {
        match (self.take_head(now), self.state) {
            (None, State::Dropping { next }) => {
                self.calm_down(next);
                None
            }
            (None, State::BelowTarget) => None,
            (Some(head), State::Dropping { next }) => self.continue_bout(now, next, head, dropped),
            (Some((item, true)), State::BelowTarget) => self.start_bout(now, item, dropped),
            (Some((item, false)), State::BelowTarget) => Some(item),
        }
    }

    fn packets(&self) -> usize {
        self.fifo.packets()
    }

    fn bytes(&self) -> u64 {
        self.fifo.bytes()
    }

    fn marks(&self) -> u64 {
        self.marks
    }

    fn set_round_trip(&mut self, rtt_min: Duration) {
        if self.rtt_min == Some(rtt_min) {
            return;
        }
        self.rtt_min = Some(rtt_min);
        let CoDelConfig { target, interval, .. } = self.config;
        self.interval = interval.min((rtt_min * INTERVAL_ROUND_TRIPS).max(INTERVAL_MIN));
        // The same part of it.
        let part = target.as_secs_f64() / interval.as_secs_f64().max(f64::MIN_POSITIVE);
        self.target = target.min(self.interval.mul_f64(part.min(1.0)));
    }

    fn shrink(&mut self) {
        self.fifo.shrink();
    }
}
