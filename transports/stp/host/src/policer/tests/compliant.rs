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
    /// Segments that may leave before the next acknowledgment: none in bursts, however much was lost.
    at_once: u32,
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
            at_once: 10,
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
            self.at_once = 2;
            self.recovery_until = self.next;
        }
        if (self.flight.len() as f64) < self.window.floor() && self.at_once > 0 {
            Some(SIZE)
        } else {
            self.limited_by_policer = false;
            None
        }
    }

    fn sent(&mut self, now: Instant, number: u64) {
        self.flight.push_back((number, now));
        self.at_once -= 1;
        self.next = number + 1;
    }

    fn refused(&mut self) {
        self.limited_by_policer = true;
    }

    fn acknowledged(&mut self, _now: Instant, newest: u64, got: &RangeSet) {
        self.at_once = if self.limited_by_policer { 10 } else { self.at_once.max(2) };
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
    let show = |name: &str, path: Path, secs| {
        let native: u64 = (0..seeds(6)).map(|seed| carried(seed, path, secs, true, false, Cap::Equation)).sum();
        eprintln!(
            "{name}: native {:.1} pkt/R, modest {:.3} bold {:.3}, cubic cap {:.3} {:.3}",
            native as f64 / seeds(6) as f64 / secs as f64 * path.rtt.as_secs_f64() / 1276.0,
            kept(path, secs, true, Cap::Equation),
            kept(path, secs, false, Cap::Equation),
            kept(path, secs, true, Cap::EquationOrCubic),
            kept(path, secs, false, Cap::EquationOrCubic)
        );
    };
    for loss in [0.001, 0.005, 0.01, 0.02, 0.05] {
        show(&format!("random 20 ms {loss}"), Path::random(20, loss), 200);
    }
    for (rate, rtt, loss) in [(250_000, 100, 0.005), (625_000, 50, 0.005), (3_125_000, 50, 0.0)] {
        let bottleneck = Some((rate, rate * rtt / 1_000));
        show(&format!("wan {rate} {rtt} {loss}"), Path { bottleneck, ..Path::random(rtt, loss) }, 60);
    }
}
