//! Counts of marks: told where the peer cannot foresee them, and heard of however blocks are lost.

use std::collections::VecDeque;

use tng_base::{Ecn, RangeSet, Rng};

use super::world::{Pipe, World, at, ms};
use crate::AckPolicy;
use crate::ecn::{EcnReport, EcnSender};
use crate::receive::Receipts;
use crate::wire::{ACK_RANGES_MAX, EcnCounts};

fn told(receipts: &Receipts) -> Option<[u64; 3]> {
    receipts.block(at(0), ACK_RANGES_MAX).ecn.map(|EcnCounts { ect0, ect1, ce }| [ect0, ect1, ce])
}

#[test]
fn counts_are_told_until_they_are_known_and_again_when_something_else_comes_than_before() {
    let mut receipts = Receipts::new(AckPolicy::default());
    receipts.count(Ecn::NotEct, 1);
    assert_eq!(told(&receipts), None, "nothing is marked");
    receipts.count(Ecn::Ect0, 2);
    receipts.handle_ack_acked(1, 1);
    assert_eq!(told(&receipts), Some([1, 0, 0]), "what was known left before");
    receipts.handle_ack_acked(2, 1);
    receipts.count(Ecn::Ect0, 3);
    assert_eq!(told(&receipts), None);
    for (ours, ecn, counts) in
        [(4, Ecn::Ce, [2, 0, 1]), (5, Ecn::NotEct, [2, 0, 1]), (6, Ecn::Ect1, [2, 1, 1]), (7, Ecn::Ce, [2, 1, 2])]
    {
        receipts.count(ecn, ours);
        receipts.handle_ack_acked(ours - 1, 1);
        assert_eq!(told(&receipts), Some(counts), "{ecn:?}");
        receipts.handle_ack_acked(ours, 1);
        assert_eq!(told(&receipts), None, "{ecn:?}");
    }
}

/// A block on its way.
struct Told {
    number: u64,
    numbers: RangeSet,
    end: u64,
    counts: Option<EcnCounts>,
}

/// A sender and the receiver of its packets, whose blocks are lost and late.
struct Life {
    rng: Rng,
    receipts: Receipts,
    marks: EcnSender,
    /// Next numbers of sender and receiver.
    next: u64,
    ours: u64,
    acked: RangeSet,
    blocks: VecDeque<Told>,
    /// Blocks that arrived, and the receiver does not know it yet.
    known: VecDeque<(u64, u64)>,
    failed: bool,
}

impl Life {
    fn new(seed: u64) -> Life {
        Life {
            rng: Rng::from_u64(seed),
            receipts: Receipts::new(AckPolicy::default()),
            marks: EcnSender::new(true),
            next: 1,
            ours: 1,
            acked: RangeSet::new(),
            blocks: VecDeque::new(),
            known: VecDeque::new(),
            failed: false,
        }
    }

    fn send(&mut self, ecn: Ecn) {
        self.marks.handle_sent(Ecn::Ect0, 1);
        self.receipts.count(ecn, self.ours);
        self.receipts.redeem(at(self.next), self.next, self.ours);
        self.next += 1;
    }

    fn lose(&mut self) {
        self.marks.handle_sent(Ecn::Ect0, 1);
        self.next += 1;
    }

    fn tell(&mut self) {
        let block = self.receipts.block(at(self.next), ACK_RANGES_MAX);
        let (mut numbers, counts) = (RangeSet::new(), block.ecn);
        for range in block.ranges.iter() {
            numbers.insert(range);
        }
        let end = self.receipts.handle_sent();
        self.blocks.push_back(Told { number: self.ours, numbers, end, counts });
        self.ours += 1;
    }

    fn hear(&mut self, at: usize) {
        let Some(told) = self.blocks.remove(at) else { return };
        let end = self.acked.max().map_or(0, |max| max + 1);
        let (mut count, mut raised) = (0, false);
        for number in told.numbers.iter().flatten() {
            count += u64::from(!self.acked.contains(number));
            raised |= number >= end;
        }
        for range in told.numbers.iter() {
            self.acked.insert(range);
        }
        let report = self.marks.handle_ack(told.number, if raised { count } else { 0 }, told.counts);
        self.failed |= report == EcnReport::Failed;
        self.known.push_back((told.number, told.end));
    }

    fn know(&mut self) {
        if let Some((number, end)) = self.known.pop_front() {
            self.receipts.handle_ack_acked(number, end);
        }
    }

    /// Some time in which nothing is marked, and blocks are lost, late, and known late.
    fn pass(&mut self, ecn: Ecn) {
        for _ in 0..self.rng.below(60) {
            match self.rng.below(7) {
                0..=2 => self.send(ecn),
                3 => self.lose(),
                4 => self.tell(),
                5 if self.rng.chance(0.3) => drop(self.blocks.pop_front()),
                5 => {
                    let late = self.rng.below(4) as usize;
                    self.hear(late.min(self.blocks.len().saturating_sub(1)));
                }
                _ => self.know(),
            }
        }
    }

    /// One more packet and its block arrive.
    fn settle(&mut self, ecn: Ecn) {
        self.send(ecn);
        self.tell();
        self.hear(self.blocks.len() - 1);
    }
}

#[test]
fn every_mark_is_heard_of_once_whatever_blocks_are_lost_and_late_and_nothing_else_is() {
    let mut life = Life::new(1);
    let mut left_out = 0;
    for round in 0..3_000 {
        life.pass(Ecn::Ect0);
        life.settle(Ecn::Ect0);
        assert!(!life.marks.take_marked(), "{round}");
        left_out += u32::from(told(&life.receipts).is_none());
        life.send(Ecn::Ce);
        life.pass(Ecn::Ect0);
        life.settle(Ecn::Ect0);
        assert!(life.marks.take_marked(), "{round}");
        assert!(!life.failed, "{round}: nobody lied");
    }
    assert!(left_out > 100, "{left_out}: counts are left out where nothing is marked");
}

#[test]
fn a_path_that_begins_to_erase_marks_is_found_out_by_the_next_block_however_long_it_was_good() {
    for seed in 0..300 {
        let mut life = Life::new(seed);
        (0..10).for_each(|_| life.pass(Ecn::Ect0));
        life.settle(Ecn::Ect0);
        assert!(!life.failed, "seed {seed}");
        life.settle(Ecn::NotEct);
        assert!(life.failed, "seed {seed}");
    }
}

#[test]
fn acknowledgments_of_a_quiet_path_get_shorter_when_the_counts_are_known() {
    let mut world = World::new(1, Pipe::perfect(ms(5)));
    for message in 0..200 {
        world.ends[0].toy.send(message..message + 1);
        let until = world.now + ms(50);
        world.run(until);
    }
    let alone: Vec<usize> = world.ends[1].sent.iter().filter(|(_, s)| !s.eliciting).map(|(_, s)| s.len).collect();
    // First byte, id, number and tag, and a block of one range, whose largest number has two bytes by then.
    let short = 9 + 16 + 6;
    assert_eq!(alone[2], short - 1 + 3, "with counts");
    // Skipped numbers are gaps, two bytes each.
    let most = alone.iter().filter(|len| **len <= short).count();
    assert!(most > alone.len() / 2, "{most} of {alone:?}");
    assert!(world.ends[0].events.iter().all(|event| *event != crate::ChannelEvent::EcnFailed));
}
