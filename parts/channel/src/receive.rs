//! What has been received, and when to say so.

use core::ops::Range;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Ecn, Instant, RangeSet};

use crate::wire::{ACK_RANGES_MAX, AckBlock, AckRanges, EcnCounts, delay_units};

/// Most ranges of received numbers kept: as many as a block holds. Beyond it the lowest is forgotten, which was
/// reported often enough.
pub const RANGES_MAX: usize = ACK_RANGES_MAX;
/// Most ranges of unredeemed numbers kept; beyond it the lowest is no more counted as held.
pub const UNREDEEMED_RANGES_MAX: usize = 1024;
/// Numbers redeemed out of order whose time is known for each by itself, at most; of more the newest are taken for one.
pub const LATE_MAX: usize = 64;
/// This many ranges not yet reported are reported at once, so that none is forgotten unreported.
const UNREPORTED_RANGES: usize = 24;

/// When to acknowledge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AckPolicy {
    /// Longest time that an acknowledgment is held back; the peer is told of it in the set-up and waits so much longer
    /// before it probes.
    pub max_delay: Duration,
    /// So many packets that ask for acknowledgment are acknowledged at once: when the channel is polled next, which is
    /// after each batch of received packets.
    pub every: u32,
    /// What is acknowledged at once for their number alone waits so much longer for others, in us.
    pub gather_us: u32,
}

impl AckPolicy {
    /// Of a section. Where trains follow each other closely, several have one acknowledgment: alone it costs a
    /// neighbour as much as a train does. The sender asks four times in a window, so that a short path has its clock.
    pub const OF_SECTIONS: AckPolicy = AckPolicy { max_delay: Duration::from_millis(40), every: 2, gather_us: 500 };
}

impl Default for AckPolicy {
    /// 40 ms and every second packet, as Linux's TCP: beside a TCP flow a sender that hears of its packets one by one,
    /// where the other hears of them in pairs, finds the free places in a full drop-tail queue first and takes more
    /// than its share.
    fn default() -> AckPolicy {
        AckPolicy { max_delay: Duration::from_millis(40), every: 2, gather_us: 0 }
    }
}

/// A number that was redeemed when a larger one was already.
#[derive(Clone, Copy, Debug)]
struct Late {
    number: u64,
    /// Our packets below this left before.
    from: u64,
}

/// Receipts: which numbers arrived, which of them are redeemed, and what of that the peer must still be told.
#[derive(Debug)]
pub struct Receipts {
    policy: AckPolicy,
    /// Numbers to acknowledge.
    redeemed: RangeSet,
    /// Numbers received and not to be acknowledged yet.
    unredeemed: RangeSet,
    /// The newest held numbers that their sender wants to hear of at once.
    asked: Range<u64>,
    /// One above the largest number received.
    end: u64,
    /// When the largest number to acknowledge was received or redeemed.
    largest_at: Instant,
    ecn: EcnCounts,
    /// The counts are not what the peer can foresee: packets of ours from this number on tell of them.
    counts_from: Option<u64>,
    /// Packets to acknowledge since the last acknowledgment.
    pending: u32,
    /// When an acknowledgment is due, if there is anything to say.
    due: Option<Instant>,
    /// Numbers below the largest that were redeemed, and that packets of ours from which on tell of them, oldest first.
    late: VecDeque<Late>,
}

impl Receipts {
    /// Empty books.
    pub fn new(policy: AckPolicy) -> Receipts {
        Receipts {
            policy,
            redeemed: RangeSet::new(),
            unredeemed: RangeSet::new(),
            asked: 0..0,
            end: 0,
            largest_at: Instant::ZERO,
            ecn: EcnCounts::default(),
            counts_from: None,
            pending: 0,
            due: None,
            late: VecDeque::new(),
        }
    }

    /// A packet arrived, whatever becomes of it; answers whether it is in order.
    pub fn handle_arrival(&mut self, number: u64) -> bool {
        let in_order = number == self.end;
        self.end = self.end.max(number + 1);
        in_order
    }

    /// Packets came in order, up to this number.
    pub fn handle_arrivals(&mut self, end: u64) {
        self.end = self.end.max(end);
    }

    /// Counts the codepoint of a packet that is held no longer. `ours` is the number of the next packet that we send.
    ///
    /// Until something is marked the peer supposes that nothing is, and from then on that all is ECT(0). Anything else
    /// is told until it is known to have arrived.
    pub fn count(&mut self, ecn: Ecn, ours: u64) {
        let foreseen = if self.ecn.is_zero() { Ecn::NotEct } else { Ecn::Ect0 };
        if ecn != foreseen {
            self.counts_from = Some(ours);
        }
        match ecn {
            Ecn::NotEct => {}
            Ecn::Ect0 => self.ecn.ect0 += 1,
            Ecn::Ect1 => self.ecn.ect1 += 1,
            Ecn::Ce => self.ecn.ce += 1,
        }
    }

    /// `number` can now be acknowledged. `ours` is the number of the next packet that we send.
    pub fn redeem(&mut self, now: Instant, number: u64, ours: u64) {
        if !self.unredeemed.is_empty() {
            self.unredeemed.remove(number..number + 1);
        }
        match self.redeemed.max() {
            Some(max) if number < max => {
                let full = self.late.len() >= LATE_MAX;
                let joined = self.late.pop_back_if(|last| full || last.from == ours);
                let number = joined.map_or(number, |last| last.number.min(number));
                self.late.push_back(Late { number, from: ours });
            }
            _ => self.largest_at = now,
        }
        self.redeemed.insert(number..number + 1);
        if self.redeemed.count() > RANGES_MAX {
            // A straggler below all others has not been reported yet.
            let forgotten = self.redeemed.iter().find(|range| !range.contains(&number));
            self.redeemed.remove(forgotten.unwrap_or_default());
        }
    }

    /// The held packets in `range`, all of them above what was redeemed before, came with the same codepoint and leave
    /// together: what [`count`](Receipts::count), [`redeem`](Receipts::redeem) and [`schedule`](Receipts::schedule) do
    /// for each, in one step. Answers false, and does nothing, if they are not all such.
    pub fn redeem_run(&mut self, now: Instant, range: Range<u64>, (ecn, ours): (Ecn, u64)) -> bool {
        let follows = self.redeemed.max().is_none_or(|max| range.start > max);
        if !follows || !self.unredeemed.covers(range.clone()) {
            return false;
        }
        let (packets, at_once) = (range.end - range.start, self.asks(range.clone()) || ecn == Ecn::Ce);
        self.count(ecn, ours);
        match ecn {
            Ecn::NotEct => {}
            Ecn::Ect0 => self.ecn.ect0 += packets - 1,
            Ecn::Ect1 => self.ecn.ect1 += packets - 1,
            Ecn::Ce => self.ecn.ce += packets - 1,
        }
        self.unredeemed.remove(range.clone());
        self.largest_at = now;
        self.redeemed.insert(range);
        if self.redeemed.count() > RANGES_MAX {
            self.redeemed.pop_first();
        }
        self.pending += u32::try_from(packets - 1).unwrap_or(u32::MAX);
        self.schedule(now, at_once);
        true
    }

    /// These are held for now by whatever stands above; the peer is told so in time, and of the redemption of those
    /// that `asked` has at once.
    pub fn hold(&mut self, now: Instant, numbers: Range<u64>, asked: Range<u64>) {
        let asked = asked.start.max(numbers.start)..asked.end.min(numbers.end);
        if !asked.is_empty() {
            self.asked = asked;
        }
        self.unredeemed.insert(numbers);
        if self.unredeemed.count() > UNREDEEMED_RANGES_MAX {
            self.unredeemed.pop_first();
        }
        self.due_by(now + self.policy.max_delay);
    }

    /// A packet was dropped by whatever stands above, which has no room: the peer is told in time that others are held.
    pub fn refuse(&mut self, now: Instant) {
        if !self.unredeemed.is_empty() {
            self.due_by(now + self.policy.max_delay);
        }
    }

    /// `number`, held until now, will never be redeemed.
    pub fn forfeit(&mut self, number: u64) {
        self.unredeemed.remove(number..number + 1);
    }

    /// Whether `number` is held.
    pub fn holds(&self, number: u64) -> bool {
        self.unredeemed.contains(number)
    }

    /// Whether the sender of these packets, which are held no longer, wants to hear of any of them at once.
    pub fn asks(&self, numbers: Range<u64>) -> bool {
        self.asked.start < numbers.end && numbers.start < self.asked.end
    }

    /// A redeemed packet asks for acknowledgment.
    pub fn schedule(&mut self, now: Instant, at_once: bool) {
        self.pending += 1;
        let delay = if at_once || self.redeemed.count() >= UNREPORTED_RANGES {
            Duration::ZERO
        } else if self.pending >= self.policy.every {
            Duration::from_micros(self.policy.gather_us.into())
        } else {
            self.policy.max_delay
        };
        self.due_by(now + delay);
    }

    fn due_by(&mut self, at: Instant) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// When an acknowledgment must leave. There is something new to say exactly if this is some time.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// What to tell the peer, in at most `ranges` ranges.
    pub fn block(&self, now: Instant, ranges: usize) -> AckBlock<'_> {
        AckBlock {
            ranges: AckRanges::Held { set: &self.redeemed, limit: ranges },
            delay: if self.redeemed.is_empty() { 0 } else { delay_units(now.since(self.largest_at)) },
            unredeemed: self.unredeemed.max(),
            ecn: self.counts_from.map(|_| self.ecn),
        }
    }

    /// The block was sent; answers one above the largest number that it acknowledged.
    pub fn handle_sent(&mut self) -> u64 {
        self.pending = 0;
        self.due = None;
        self.redeemed.max().map_or(0, |max| max + 1)
    }

    /// Gives back the memory that it is not using.
    pub fn shrink(&mut self) {
        self.redeemed.shrink_to_fit();
        self.unredeemed.shrink_to_fit();
        self.late.shrink_to_fit();
    }

    /// Our packet `ours` arrived, which acknowledged up to `ack_end`: nothing below needs to be said again.
    pub fn handle_ack_acked(&mut self, ours: u64, ack_end: u64) {
        self.counts_from = self.counts_from.filter(|from| ours < *from);
        while self.late.pop_front_if(|late| late.from <= ours).is_some() {}
        // The others were redeemed later, and so were not in that acknowledgment.
        let untold = self.late.iter().map(|late| late.number).min();
        self.redeemed.remove(0..untold.map_or(ack_end, |number| number.min(ack_end)));
    }
}
