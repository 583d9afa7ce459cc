//! Who behaves is hardly held back.

use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Instant, RangeSet, Rng};

use super::link::{Path, Sender, World};
use super::seeds;
use crate::{Cap, PolicerConfig};

const SIZE: u64 = 1_200;

/// NewReno with selective acknowledgments, one acknowledgment for each segment, and data without end.
struct NewReno {
    window: f64,
    threshold: f64,
    flight: VecDeque<(u64, Instant)>,
    next: u64,
    recovery_until: u64,
    /// Whether the window grows only where it, and not the policer, is the limit (RFC 9002 section 7.8).
    modest: bool,
    limited_by_policer: bool,
    rtt: Duration,
    now: Instant,
}

impl NewReno {
    fn new(rtt: Duration, modest: bool) -> NewReno {
        NewReno {
            window: 10.0,
            threshold: f64::MAX,
            flight: VecDeque::new(),
            next: 0,
            recovery_until: 0,
            modest,
            limited_by_policer: false,
            rtt,
            now: Instant::ZERO,
        }
    }

    fn timeout(&self) -> Duration {
        (4 * self.rtt).max(Duration::from_millis(200))
    }
}

impl Sender for NewReno {
    fn wants(&mut self, now: Instant, _rng: &mut Rng) -> Option<u64> {
        self.now = now;
        if self.wakes().is_some_and(|at| at <= now) {
            (self.threshold, self.window) = ((self.window / 2.0).max(2.0), 2.0);
            self.flight.clear();
            self.recovery_until = self.next;
        }
        if (self.flight.len() as f64) < self.window.floor() {
            Some(SIZE)
        } else {
            self.limited_by_policer = false;
            None
        }
    }

    fn sent(&mut self, now: Instant, number: u64) {
        self.flight.push_back((number, now));
        self.next = number + 1;
    }

    fn refused(&mut self) {
        self.limited_by_policer = true;
    }

    fn acknowledged(&mut self, _now: Instant, newest: u64, got: &RangeSet) {
        let before = self.flight.len();
        self.flight.retain(|(number, _)| !got.contains(*number));
        let acked = before - self.flight.len();
        let lost = self.flight.iter().take_while(|(number, _)| number + 3 <= newest).count();
        if lost > 0 {
            let last = self.flight[lost - 1].0;
            self.flight.drain(..lost);
            if last >= self.recovery_until {
                self.window = (self.window / 2.0).max(2.0);
                self.threshold = self.window;
                self.recovery_until = self.next;
            }
        }
        if newest >= self.recovery_until && !(self.modest && self.limited_by_policer) {
            let grown = if self.window < self.threshold { 1.0 } else { 1.0 / self.window };
            self.window += acked as f64 * grown;
        }
    }

    fn wakes(&mut self) -> Option<Instant> {
        self.flight.front().map(|(_, at)| *at + self.timeout())
    }
}

/// Bytes that arrive in so many seconds.
fn carried(seed: u64, path: Path, secs: u64, modest: bool, policed: bool, cap: Cap) -> u64 {
    let config = PolicerConfig { cap, segment_max: SIZE as u16 };
    let mut world = World::new(seed, path, config, NewReno::new(path.rtt, modest));
    world.policed = policed;
    let until = world.now + Duration::from_secs(secs);
    world.run(until);
    world.delivered
}

/// What of the throughput it keeps, in the mean over seeds.
fn kept(path: Path, secs: u64, modest: bool, cap: Cap) -> f64 {
    let sum = |policed| -> u64 { (0..seeds(6)).map(|seed| carried(seed, path, secs, modest, policed, cap)).sum() };
    sum(true) as f64 / sum(false) as f64
}

#[test]
fn who_behaves_keeps_its_throughput() {
    for rtt in [20, 100] {
        for loss in [0.001, 0.005, 0.01, 0.02, 0.05] {
            let path = Path::random(rtt, loss);
            let secs = (rtt * 400 / 20).min(400);
            eprintln!(
                "random {rtt} ms {loss}: modest {:.3} bold {:.3} cubic cap {:.3}",
                kept(path, secs, true, Cap::Equation),
                kept(path, secs, false, Cap::Equation),
                kept(path, secs, true, Cap::EquationOrCubic),
            );
        }
        for (rate, queue_rtts) in [(250_000, 0.5), (250_000, 1.0), (1_250_000, 0.25), (1_250_000, 1.0)] {
            let queue = (rate as f64 * rtt as f64 / 1e3 * queue_rtts) as u64;
            let path = Path { bottleneck: Some((rate, queue.max(5_000))), ..Path::random(rtt, 0.0) };
            let secs = rtt * 4;
            eprintln!(
                "drop-tail {rtt} ms {rate} B/s, {queue} B: modest {:.3} bold {:.3}",
                kept(path, secs, true, Cap::Equation),
                kept(path, secs, false, Cap::Equation)
            );
        }
    }
}
