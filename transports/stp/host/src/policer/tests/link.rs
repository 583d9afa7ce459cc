//! A path between a sender that is policed and a receiver, in virtual time.

use core::time::Duration;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tng_base::{Instant, RangeSet, Rng};
use tng_crypto::Secret32;
use tng_nonce::{Direction, NonceKey, Purpose};

use crate::{Books, Policer, PolicerConfig, SEGMENT_ADDED, Verdict};

/// A path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    pub(crate) rtt: Duration,
    /// Of all segments, so many are lost by chance.
    pub(crate) loss: f64,
    /// Bytes per second of the narrowest link, and bytes that wait before it at most.
    pub(crate) bottleneck: Option<(u64, u64)>,
}

impl Path {
    pub(crate) fn random(rtt_ms: u64, loss: f64) -> Path {
        Path { rtt: Duration::from_millis(rtt_ms), loss, bottleneck: None }
    }
}

/// What a sender does. All of it is up to the sender, but what books and policer say.
pub(crate) trait Sender {
    /// The size of the segment that it wants to send now; nothing if it does not.
    fn wants(&mut self, now: Instant, rng: &mut Rng) -> Option<u64>;
    /// It was sent.
    fn sent(&mut self, _now: Instant, _number: u64) {}
    /// It was refused.
    fn refused(&mut self) {}
    /// The receiver has got `newest`, and all of `got`.
    fn acknowledged(&mut self, _now: Instant, _newest: u64, _got: &RangeSet) {}
    /// What it does with a proof: when to hand it in, and what delay to claim.
    fn hands_in(&mut self, now: Instant, _rng: &mut Rng) -> Option<(Instant, Duration)> {
        Some((now, Duration::ZERO))
    }
    /// When it wants to be woken.
    fn wakes(&mut self) -> Option<Instant> {
        None
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    Arrives(u64),
    Answered(u64, u64),
    Proof(u64, u64, Duration),
}

/// One segment as it left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Instant,
    pub(crate) bytes: u64,
    /// What the policer said of a round trip then.
    pub(crate) limit: u64,
}

/// What the policer went by from a time on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Since<T> {
    pub(crate) at: Instant,
    pub(crate) is: T,
}

/// Notes what is another than before.
fn note<T: PartialEq + Copy>(log: &mut Vec<Since<T>>, at: Instant, is: T) {
    if log.last().is_none_or(|last| last.is != is) {
        log.push(Since { at, is });
    }
}

/// The world of one flow.
pub(crate) struct World<S> {
    pub(crate) now: Instant,
    pub(crate) path: Path,
    pub(crate) policer: Policer,
    pub(crate) books: Books,
    pub(crate) sender: S,
    pub(crate) policed: bool,
    pub(crate) log: Vec<Sent>,
    /// Bytes per second.
    pub(crate) paces: Vec<Since<u64>>,
    /// How long a round trip was.
    pub(crate) rounds: Vec<Since<Duration>>,
    pub(crate) delivered: u64,
    key: NonceKey,
    rng: Rng,
    events: BinaryHeap<Reverse<(Instant, u64, Event)>>,
    order: u64,
    free_at: Instant,
    got: RangeSet,
    sizes: Vec<u64>,
    waits_until: Option<Instant>,
}

impl<S: Sender> World<S> {
    pub(crate) fn new(seed: u64, path: Path, config: PolicerConfig, sender: S) -> World<S> {
        let now = Instant::from_secs(1);
        World {
            now,
            path,
            policer: Policer::new(config, now),
            books: Books::new(1 << 20),
            sender,
            policed: true,
            log: Vec::new(),
            paces: Vec::new(),
            rounds: Vec::new(),
            delivered: 0,
            key: NonceKey::derive(&Secret32::from_bytes([7; 32])),
            rng: Rng::from_u64(seed),
            events: BinaryHeap::new(),
            order: 0,
            free_at: now,
            got: RangeSet::new(),
            sizes: Vec::new(),
            waits_until: None,
        }
    }

    fn schedule(&mut self, at: Instant, event: Event) {
        self.order += 1;
        self.events.push(Reverse((at, self.order, event)));
    }

    /// Lets time pass until then.
    pub(crate) fn run(&mut self, until: Instant) {
        loop {
            self.send_all();
            self.note_pace();
            let next = self.events.peek().map(|Reverse((at, ..))| *at);
            // At each span's end, too, so that the notes are exact.
            let span_ends = Some(self.policer.spans.next());
            let timers = [self.books.poll_timeout(&self.policer), self.sender.wakes(), self.waits_until, span_ends];
            let timer = timers.into_iter().flatten().min();
            let Some(at) = next.into_iter().chain(timer).min() else { break };
            if at > until {
                break;
            }
            self.now = self.now.max(at);
            self.waits_until = self.waits_until.filter(|waits| *waits > self.now);
            if next == Some(at) {
                let Some(Reverse((_, _, event))) = self.events.pop() else { unreachable!() };
                self.happen(event);
            }
            self.books.handle_timeout(self.now, &mut self.policer);
        }
        self.now = until;
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Arrives(number) => {
                self.got.insert(number..number + 1);
                self.delivered += self.sizes[number as usize];
                // It says the range that the segment is in.
                let range = self.got.iter().rev().find(|range| range.contains(&number)).expect("it is there");
                let back = self.now + self.path.rtt / 2;
                self.schedule(back, Event::Answered(range.start, number));
                let newest = range.end;
                let handed_in = self.sender.hands_in(back, &mut self.rng);
                if let Some((at, delay)) = handed_in {
                    self.schedule(at.max(back), Event::Proof(range.start, newest, delay));
                }
            }
            Event::Answered(_, number) => self.sender.acknowledged(self.now, number, &self.got),
            Event::Proof(start, end, delay) => {
                let chain = self.key.chain(&[1; 16], Direction::Outward, Purpose::Policer);
                let sum = chain.fold(start, end);
                self.books
                    .handle_proof(self.now, start..end, sum, delay, &chain, &mut self.policer)
                    .expect("it is true");
            }
        }
    }

    fn send_all(&mut self) {
        while let Some(bytes) = self.sender.wants(self.now, &mut self.rng) {
            if self.policed {
                match self.policer.check(self.now, bytes) {
                    Verdict::Now => {}
                    refusal => {
                        self.sender.refused();
                        if let Verdict::At(at) = refusal {
                            assert!(at > self.now);
                            if self.waits_until.is_none_or(|waits| at < waits) {
                                self.waits_until = Some(at);
                            }
                        }
                        return;
                    }
                }
            }
            let limit = self.policer.limit();
            self.policer.handle_sent(self.now, bytes);
            let number = self.books.handle_sent(self.now, bytes);
            let bytes = bytes + SEGMENT_ADDED;
            self.sizes.push(bytes);
            self.log.push(Sent { at: self.now, bytes, limit });
            self.sender.sent(self.now, number);
            self.transmit(number, bytes);
        }
    }

    fn transmit(&mut self, number: u64, bytes: u64) {
        let mut leaves = self.now;
        if let Some((rate, queue)) = self.path.bottleneck {
            let begins = self.free_at.max(self.now);
            if begins.since(self.now).as_secs_f64() * rate as f64 > queue as f64 {
                return;
            }
            leaves = begins + Duration::from_nanos(bytes * 1_000_000_000 / rate);
            self.free_at = leaves;
        }
        if !self.rng.chance(self.path.loss) {
            self.schedule(leaves + self.path.rtt / 2, Event::Arrives(number));
        }
    }

    fn note_pace(&mut self) {
        self.policer.advance(self.now);
        note(&mut self.paces, self.now, self.policer.pace());
        let (begins, round) = self.policer.spans.round_of_span();
        note(&mut self.rounds, begins, round);
    }
}
