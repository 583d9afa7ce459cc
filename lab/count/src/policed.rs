//! What a segment of a guest's costs a policed channel beyond what any packet costs a channel: leave to send it, its
//! place in the books, its number and nonce, its part of a proof, and the receipt for it. No guest is in it, but what
//! the SDK does for all of them with receipts.

use core::mem::swap;
use core::time::Duration;
use std::collections::VecDeque;
use std::sync::Arc;

use tng_base::Instant;
use tng_crypto::Secret32;
use tng_nonce::{Direction, NonceKey};
use tng_stp_abi::Receipts;
use tng_stp_host::{AckAllowance, Books, Nonces, Policer, PolicerConfig, SEGMENT_OVERHEAD_MAX, Segment, Verdict};
use tng_wire::{Reader, Repr, Writer};

use crate::callgrind::the_counted_turn;
use crate::turns::HALF_TRIP;

/// Bytes of a segment, and of an acknowledgment.
const SEGMENT: u64 = 1_400;
const ACK: u64 = 64;
/// Segments that leave together.
const TRAIN: usize = 16;
/// Segments that an acknowledgment is for: as the guests NewReno and SACK do (RFC 5681 4.2).
const PROVEN_AT_ONCE: usize = 2;
/// Trains on their way.
const TRAINS: usize = 40;
/// The one segment that is lost, early: what comes after it leaves in the policer's steady state.
const LOST: u64 = 3_000;

/// What is done with a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It leaves.
    Send,
    /// It arrives, and is acknowledged.
    Receive,
    /// That is proven to its sender.
    Prove,
}

/// What stands in front of a segment, and a byte of it.
type Front = ([u8; SEGMENT_OVERHEAD_MAX + 1], usize);

/// Up to which number all arrived, from which one on, and its sum.
type Proof = (core::ops::Range<u64>, u64);

/// A flow at both ends.
pub struct Policed {
    now: Instant,
    sender: Sender,
    receiver: Receiver,
    air: VecDeque<Vec<Front>>,
    spare: Vec<Vec<Front>>,
}

struct Sender {
    policer: Policer,
    books: Books,
    nonces: Nonces,
    /// What leaves.
    train: Vec<Front>,
    /// What was acknowledged.
    proofs: Vec<Proof>,
    proven: u64,
}

struct Receiver {
    receipts: Receipts,
    allowance: AckAllowance,
    /// What arrived.
    train: Vec<Front>,
    /// What is acknowledged.
    proofs: Vec<Proof>,
}

impl Policed {
    pub fn new() -> Policed {
        let now = Instant::from_secs(1);
        let key = Arc::new(NonceKey::derive(&Secret32::from_bytes([3; 32])));
        let sender = Sender {
            policer: Policer::new(PolicerConfig::default(), now),
            books: Books::new(1 << 16),
            nonces: Nonces::new(key, &[4; 16], Direction::Outward),
            train: Vec::with_capacity(TRAIN),
            proofs: Vec::with_capacity(TRAIN),
            proven: 0,
        };
        let receiver = Receiver {
            receipts: Receipts::default(),
            allowance: AckAllowance::new(now),
            train: Vec::with_capacity(TRAIN),
            proofs: Vec::with_capacity(TRAIN),
        };
        let spare = (0..=TRAINS).map(|_| Vec::with_capacity(TRAIN)).collect();
        Policed { now, sender, receiver, air: VecDeque::with_capacity(TRAINS + 1), spare }
    }

    /// A train leaves, and one that left before arrives and is proven. What of it is `counted`, is.
    pub fn step(&mut self, counted: impl Fn(Step) -> bool) {
        self.now += HALF_TRIP;
        let now = self.now;
        turn(&mut self.sender, counted(Step::Send), |sender| sender.send(now));
        let mut train = self.spare.pop().unwrap_or_default();
        swap(&mut train, &mut self.sender.train);
        self.air.push_back(train);
        if self.air.len() <= TRAINS {
            return;
        }
        let mut train = self.air.pop_front().unwrap_or_default();
        swap(&mut train, &mut self.receiver.train);
        turn(&mut self.receiver, counted(Step::Receive), |receiver| receiver.receive(now));
        swap(&mut train, &mut self.receiver.train);
        train.clear();
        self.spare.push(train);
        swap(&mut self.sender.proofs, &mut self.receiver.proofs);
        turn(&mut self.sender, counted(Step::Prove), |sender| sender.prove(now));
    }

    /// Segments that are proven.
    pub fn proven(&self) -> u64 {
        self.sender.proven
    }
}

fn turn<S>(somebody: &mut S, counted: bool, turn: impl FnOnce(&mut S)) {
    if counted { the_counted_turn(somebody, turn) } else { turn(somebody) }
}

impl Sender {
    fn send(&mut self, now: Instant) {
        while self.train.len() < TRAIN && self.policer.check(now, SEGMENT) == Verdict::Now {
            self.policer.handle_sent(now, SEGMENT);
            let number = self.books.handle_sent(now, SEGMENT);
            let mut front = [0; SEGMENT_OVERHEAD_MAX + 1];
            let written = Segment::emit_front(Some((number, self.nonces.nonce(number))), &mut Writer::new(&mut front));
            debug_assert!(written.is_ok(), "there is room");
            self.train.push((front, Segment::overhead(Some(number)) + 1));
        }
    }

    fn prove(&mut self, now: Instant) {
        for (numbers, sum) in self.proofs.drain(..) {
            let (nonces, policer) = (&mut self.nonces, &mut self.policer);
            let proof = self.books.handle_proof(now, numbers.clone(), sum, Duration::ZERO, nonces, policer);
            debug_assert!(proof.is_ok(), "it is a true one");
            self.nonces.settle(self.books.first());
            self.proven = numbers.end;
        }
    }
}

impl Receiver {
    fn receive(&mut self, now: Instant) {
        let mut unacknowledged = 0;
        for (front, len) in &self.train {
            let Ok(Segment { numbered: Some((number, nonce)), .. }) = Segment::parse(&mut Reader::new(&front[..*len]))
            else {
                continue;
            };
            if number == LOST {
                continue;
            }
            self.allowance.handle_arrival(SEGMENT);
            self.receipts.receive(number, nonce);
            unacknowledged += 1;
            if unacknowledged == PROVEN_AT_ONCE && self.allowance.take(now, ACK) {
                unacknowledged = 0;
                self.proofs.extend(self.receipts.newest_first().next());
            }
        }
        if unacknowledged > 0 && self.allowance.take(now, ACK) {
            self.proofs.extend(self.receipts.newest_first().next());
        }
    }
}
