//! Tests that every discipline passes. Call [`discipline`] from the discipline's own tests.

use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Ecn, Instant, Rng};

use crate::{Discipline, Item, Verdict};

/// A packet that knows what it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probe {
    /// Counts up from zero in order of arrival.
    pub id: u64,
    /// Its length.
    pub bytes: usize,
    /// Its codepoint now.
    pub ecn: Ecn,
}

impl Item for Probe {
    fn bytes(&self) -> usize {
        self.bytes
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn mark(&mut self) {
        assert_ne!(self.ecn, Ecn::NotEct, "marked a packet that is not ECN-capable");
        self.ecn = Ecn::Ce;
    }
}

/// Random arrivals and departures, in calm and in overload, against a model: nothing is lost unseen, repeated or
/// reordered; counts agree; a packet is only altered by a mark, and marks are counted; an empty queue takes a packet;
/// the queue holds at most `packets_max`; it can be emptied.
///
/// # Panics
/// If the discipline breaks one of these rules; the message names the seed.
pub fn discipline(packets_max: usize, make: impl Fn(Rng) -> Box<dyn Discipline<Probe>>) {
    for seed in 0..40 {
        Run::new(seed, make(Rng::from_u64(seed))).go(packets_max);
    }
}

struct Run {
    seed: u64,
    rng: Rng,
    now: Instant,
    queue: Box<dyn Discipline<Probe>>,
    /// What must be inside, as it was when offered.
    held: VecDeque<Probe>,
    offered: u64,
    marks: u64,
}

impl Run {
    fn new(seed: u64, queue: Box<dyn Discipline<Probe>>) -> Run {
        let rng = Rng::from_u64(seed ^ 0xba77e21);
        Run { seed, rng, now: Instant::ZERO, queue, held: VecDeque::new(), offered: 0, marks: 0 }
    }

    fn go(mut self, packets_max: usize) {
        for phase in 0..6 {
            // Odd phases are overloaded: three arrivals for each departure.
            let arrivals = if phase % 2 == 0 { 0.45 } else { 0.75 };
            for _ in 0..1500 {
                self.now += Duration::from_micros(self.rng.below(700));
                if self.rng.chance(arrivals) {
                    self.offer()
                } else {
                    self.take()
                }
                self.check(packets_max);
            }
        }
        while !self.held.is_empty() {
            self.now += Duration::from_micros(100);
            self.take();
            self.check(packets_max);
        }
        assert!(self.queue.dequeue(self.now, &mut |_| panic!("dropped from an empty queue")).is_none());
        // Long idle; whatever the past was, an empty queue takes a packet.
        self.now += Duration::from_secs(100);
        let before = self.held.len();
        self.offer();
        assert_eq!(self.held.len(), before + 1, "seed {}: an idle queue refused a packet", self.seed);
    }

    fn offer(&mut self) {
        let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][self.rng.below(4) as usize];
        let probe = Probe { id: self.offered, bytes: 40 + self.rng.below(1460) as usize, ecn };
        self.offered += 1;
        match self.queue.enqueue(self.now, probe) {
            Verdict::Queued => self.held.push_back(probe),
            Verdict::Dropped(back) => assert_eq!(back, probe, "seed {}: another packet came back", self.seed),
        }
    }

    fn take(&mut self) {
        let mut gone = Vec::new();
        let out = self.queue.dequeue(self.now, &mut |probe| gone.push(probe));
        assert_eq!(out.is_none(), gone.len() == self.held.len(), "seed {}: held back a packet", self.seed);
        for probe in gone.into_iter().chain(out) {
            let was = self.held.pop_front().expect("the queue gave more than it was given");
            assert_eq!((probe.id, probe.bytes), (was.id, was.bytes), "seed {}: out of order", self.seed);
            if probe.ecn != was.ecn {
                assert_eq!(probe.ecn, Ecn::Ce, "seed {}: altered other than by a mark", self.seed);
                self.marks += 1;
            }
        }
    }

    fn check(&self, packets_max: usize) {
        let seed = self.seed;
        assert_eq!(self.queue.packets(), self.held.len(), "seed {seed}: packets miscounted");
        assert_eq!(self.queue.bytes(), self.held.iter().map(|p| p.bytes as u64).sum::<u64>(), "seed {seed}: bytes");
        assert!(self.held.len() <= packets_max, "seed {seed}: {} packets held", self.held.len());
        assert!(self.queue.marks() >= self.marks, "seed {seed}: a mark was not counted");
    }
}
