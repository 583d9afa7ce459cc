//! Who behaves is hardly held back.

use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Instant, RangeSet, Rng};

use super::link::{Path, Sender, World};
use super::seeds;
use crate::{Cap, PolicerConfig, SEGMENT_ADDED};

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

/// Bytes that arrive in a second, in the mean over seeds.
fn carried(path: Path, rounds: u32, modest: bool, cap: Option<Cap>) -> f64 {
    let one = |seed| {
        let config = PolicerConfig { cap: cap.unwrap_or_default(), segment_max: SIZE as u16 };
        let mut world = World::new(seed, path, config, NewReno::new(path.rtt, modest));
        world.policed = cap.is_some();
        let until = world.now + path.rtt * rounds;
        world.run(until);
        world.delivered as f64 / (path.rtt * rounds).as_secs_f64()
    };
    (0..seeds(3)).map(one).sum::<f64>() / seeds(3) as f64
}

#[test]
fn a_queue_that_overflows_costs_who_behaves_nothing() {
    for (rate, rtt) in [(250_000, 20), (250_000, 100), (1_250_000, 20), (1_250_000, 100)] {
        let bottleneck = Some((rate, rate * rtt / 1_000));
        let path = Path { bottleneck, ..Path::random(rtt, 0.0) };
        let kept = carried(path, 1_500, true, Some(Cap::Equation)) / carried(path, 1_500, true, None);
        println!("drop-tail, {rate} B/s, {rtt} ms: {kept:.3}");
        assert!(kept >= 0.97, "{rate} B/s, {rtt} ms: {kept}");
    }
}

/// Where losses come by chance, TCP with selective acknowledgments sends more than the equation says, which has it wait
/// for timeouts and its window halve at equal distances: 1.31 p^(-1/2) packets a round trip. The policer leaves it the
/// cap, and can leave it no more.
#[test]
fn where_losses_come_by_chance_who_behaves_has_the_cap() {
    for (loss, least) in [(0.001, 0.95), (0.005, 0.93), (0.01, 0.92), (0.02, 0.88), (0.05, 0.82)] {
        let path = Path::random(20, loss);
        let native = carried(path, 3_000, true, None);
        let cap = Cap::Equation.rate(SIZE + SEGMENT_ADDED, 20_000_000, (loss * 1e9) as u64) as f64;
        let [modest, bold, cubic] = [(true, Cap::Equation), (false, Cap::Equation), (false, Cap::EquationOrCubic)]
            .map(|(modest, cap)| carried(path, 3_000, modest, Some(cap)));
        println!(
            "loss {loss}: of its throughput {:.3}, {:.3} if it grows when refused, {:.3} by the larger cap; \
             the cap is {:.3}, and it has {:.3} of that",
            modest / native,
            bold / native,
            cubic / native,
            cap / native,
            modest / cap,
        );
        assert!(modest >= least * cap.min(native) && bold >= modest, "{loss}: {modest} {bold} of {cap}, {native}");
    }
}
