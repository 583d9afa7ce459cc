//! Random early detection (Floyd and Jacobson, IEEE/ACM Transactions on Networking 1(4), 1993).

use core::time::Duration;

use tng_base::{Instant, Rng};

use crate::fifo::Fifo;
use crate::{Discipline, Item, QUEUE_PACKETS_MAX, Verdict, ecn_capable};

/// Parameters of [`Red`]. Lengths are in packets.
#[derive(Clone, PartialEq, Debug)]
pub struct RedConfig {
    /// Below this average length nothing is dropped.
    pub min_packets: f64,
    /// Here the drop probability reaches `drop_max`.
    pub max_packets: f64,
    /// The drop probability at `max_packets`.
    pub drop_max: f64,
    /// Weight of one sample in the average.
    pub weight: f64,
    /// Above `max_packets` the probability grows to one at twice that length, instead of jumping there.
    pub gentle: bool,
    /// How long a typical packet takes to send: by this much the average ages while the queue is empty.
    pub service: Duration,
    /// ECN-capable packets are marked instead of dropped while the average is below `max_packets` (RFC 3168 section 7:
    /// above it, they are dropped like the others).
    pub ecn: bool,
    /// The queue proper never holds more.
    pub limit_packets: usize,
}

impl Default for RedConfig {
    /// The recommendation of its authors (thresholds 5 and 15, weight 0.002, one tenth at most), gentle, 100 packets,
    /// and the service time of a full-size packet at 10 Mbit/s.
    fn default() -> RedConfig {
        RedConfig {
            min_packets: 5.0,
            max_packets: 15.0,
            drop_max: 0.1,
            weight: 0.002,
            gentle: true,
            service: Duration::from_micros(1200),
            ecn: false,
            limit_packets: 100,
        }
    }
}

/// What the average length calls for.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Severity {
    /// Take everything.
    None,
    /// Notify with this probability; marking will do.
    Early(f64),
    /// Drop with this probability.
    Steep(f64),
}

/// A queue that drops or marks at random, the more the longer it is on average.
pub struct Red<P> {
    config: RedConfig,
    rng: Rng,
    fifo: Fifo<P>,
    average: f64,
    /// When the queue became empty, if it is.
    idle_since: Option<Instant>,
    /// Packets taken since the last notification while the average was above the minimum.
    since_last: f64,
    marks: u64,
}

impl<P: Item> Red<P> {
    /// An empty queue.
    pub fn new(config: RedConfig, rng: Rng) -> Red<P> {
        Red { config, rng, fifo: Fifo::new(), average: 0.0, idle_since: Some(Instant::ZERO), since_last: 0.0, marks: 0 }
    }

    /// The average length, packets.
    pub fn average(&self) -> f64 {
        self.average
    }

    fn update_average(&mut self, now: Instant) {
        let weight = self.config.weight;
        match self.idle_since.take() {
            // An empty queue counts as so many samples of zero as packets could have been sent meanwhile.
            Some(since) => {
                let service_ns = self.config.service.as_nanos().max(1) as f64;
                let samples = now.since(since).as_nanos() as f64 / service_ns;
                self.average *= (1.0 - weight).powf(samples);
            }
            None => self.average += weight * (self.fifo.packets() as f64 - self.average),
        }
    }

    fn severity(&self) -> Severity {
        let c = &self.config;
        if self.average < c.min_packets {
            Severity::None
        } else if self.average < c.max_packets {
            Severity::Early(c.drop_max * (self.average - c.min_packets) / (c.max_packets - c.min_packets))
        } else if c.gentle && self.average < 2.0 * c.max_packets {
            Severity::Steep(c.drop_max + (1.0 - c.drop_max) * (self.average - c.max_packets) / c.max_packets)
        } else {
            Severity::Steep(1.0)
        }
    }

    /// Draws a lot with base probability `p`, spread so that the gaps between hits are uniform rather than geometric
    /// (section VII of the paper).
    fn draw(&mut self, p: f64) -> bool {
        let spread = 1.0 - self.since_last * p;
        let hit = spread <= p || self.rng.chance(p / spread);
        self.since_last = if hit { 0.0 } else { self.since_last + 1.0 };
        hit
    }
}

impl<P: Item> Discipline<P> for Red<P> {
    fn enqueue(&mut self, now: Instant, mut item: P) -> Verdict<P> {
        let was_idle = self.idle_since;
        self.update_average(now);
        let dropped = if self.fifo.packets() >= self.config.limit_packets.min(QUEUE_PACKETS_MAX) {
            self.since_last = 0.0;
            true
        } else {
            match self.severity() {
                Severity::None => {
                    self.since_last = 0.0;
                    false
                }
                Severity::Early(p) => {
                    let hit = self.draw(p);
                    let mark = hit && self.config.ecn && ecn_capable(&item);
                    if mark {
                        item.mark();
                        self.marks += 1;
                    }
                    hit && !mark
                }
                Severity::Steep(p) => self.draw(p),
            }
        };
        if dropped {
            if was_idle.is_some() {
                self.idle_since = Some(now);
            }
            return Verdict::Dropped(item);
        }
        self.fifo.push(now, item);
        Verdict::Queued
    }

    fn dequeue(&mut self, now: Instant, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        let (_, item) = self.fifo.pop()?;
        if self.fifo.packets() == 0 {
            self.idle_since = Some(now);
        }
        Some(item)
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

    fn shrink(&mut self) {
        self.fifo.shrink();
    }
}
