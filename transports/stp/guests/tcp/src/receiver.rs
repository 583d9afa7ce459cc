//! What arrives: bytes in order to the application, the others kept, all of it acknowledged.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::marker::PhantomData;

use tng_stp_abi::{Arrived, Host, Receipts};

use crate::alarm::Alarm;
use crate::segment::{BLOCKS_MAX, LONGEST, Proof, Segment};
use crate::variant::Variant;

/// Segments kept that do not follow what came before them.
const KEPT_MAX: usize = 1_024;
/// Stretches that they form.
const STRETCHES_MAX: usize = 64;
/// Segments in order that one acknowledgment is for (RFC 5681 4.2).
const SEGMENTS_PER_ACK: u32 = 2;
/// How long an acknowledgment waits for another segment: the most that a policer takes off a round trip.
pub const ACK_DELAY_MS: u64 = 25;

/// What a window can say that has 16 bits.
pub const SMALL_WINDOW: u32 = 65_535;

/// A segment that waits for those before it.
#[derive(Clone, Copy, Debug)]
struct Kept {
    seq: u64,
    end: u64,
    segment: u32,
    /// Where its body begins.
    body: u32,
}

/// The receiving half.
#[derive(Clone, Debug)]
pub struct Receiver<V> {
    /// The next byte wanted; what is before it, the application has.
    next: u64,
    /// The furthest byte that the peer was told there is room for; it never moves back.
    edge: u64,
    /// The most room there ever was.
    most: u64,
    /// Where the peer's stream ends, once it says so.
    fin: Option<u64>,
    ended: bool,
    /// By `seq`.
    kept: VecDeque<Kept>,
    /// What they cover, by offset; they do not touch.
    stretches: Vec<(u64, u64)>,
    /// Where segments landed that were kept last, the latest first.
    latest: [u64; BLOCKS_MAX],
    receipts: Receipts,
    /// When the newest of them came.
    received_at: u64,
    unacknowledged: u32,
    alarm: Alarm,
    appended: bool,
    /// When the segment left that moved `next` last (RFC 1323 `TS.Recent`).
    recent: u32,
    /// What came twice, until it is told.
    twice: Option<(u64, u64)>,
    variant: PhantomData<V>,
}

impl<V: Variant> Receiver<V> {
    /// Before anything came. `timer` is its own.
    pub fn new(timer: u32) -> Receiver<V> {
        Receiver {
            next: 0,
            edge: 0,
            most: 0,
            fin: None,
            ended: false,
            kept: VecDeque::new(),
            stretches: Vec::new(),
            latest: [0; BLOCKS_MAX],
            receipts: Receipts::default(),
            received_at: 0,
            unacknowledged: 0,
            alarm: Alarm::new(timer),
            appended: false,
            recent: 0,
            twice: None,
            variant: PhantomData,
        }
    }

    /// Whether all that the peer will ever say is here.
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// A segment came.
    pub fn handle(&mut self, host: &mut impl Host, now: u64, arrived: &Arrived, head: &Segment) {
        if let Some((number, nonce)) = arrived.numbered
            && self.receipts.receive(number, nonce)
        {
            self.received_at = now;
        }
        let body = head.size() as u32;
        let len = u64::from(arrived.len.saturating_sub(body));
        if len == 0 && !head.fin {
            if head.probe {
                self.acknowledge(host, now, false);
            }
            return;
        }
        let end = head.seq + len;
        if let Some((left, _)) = head.stamp.filter(|_| V::IS.timestamps) {
            // An old duplicate (PAWS), whatever it says.
            if (left.wrapping_sub(self.recent) as i32) < 0 && end <= self.next {
                self.came_twice(head.seq, end);
                return self.acknowledge(host, now, false);
            }
            // What an acknowledgment answers is the oldest segment that it is for.
            if head.seq <= self.next && self.unacknowledged == 0 {
                self.recent = left;
            }
        }
        if head.fin && self.fin.is_none() && end >= self.next {
            self.fin = Some(end);
        }
        let gap = head.seq > self.next;
        let old = end < self.next || end == self.next && !head.fin || self.ended;
        if old || gap && self.has(head.seq, end) {
            self.came_twice(head.seq, end);
        }
        if gap {
            self.keep(host, Kept { seq: head.seq, end, segment: arrived.segment, body });
        } else if !old {
            let was_whole = self.kept.is_empty();
            let in_order = self.append(host, Kept { seq: head.seq, end, segment: arrived.segment, body }) && was_whole;
            self.append_kept(host);
            self.end(host);
            self.unacknowledged += 1;
            if in_order && !self.ended && self.unacknowledged < SEGMENTS_PER_ACK {
                if !self.alarm.is_set() {
                    self.alarm.set(host, now, ACK_DELAY_MS);
                }
                return;
            }
        }
        self.acknowledge(host, now, gap);
    }

    /// Bytes that are wanted next, with nothing kept behind them: answers whether they are, and were taken.
    pub fn predict(&mut self, host: &mut impl Host, now: u64, arrived: &Arrived, head: &Segment) -> bool {
        if head.seq != self.next || !self.kept.is_empty() || self.fin.is_some() || V::IS.timestamps {
            return false;
        }
        let Some((number, nonce)) = arrived.numbered else { return false };
        let body = head.size() as u32;
        if host.so_append(arrived.segment, body..arrived.len).is_err() {
            return false;
        }
        self.receipts.receive(number, nonce);
        (self.received_at, self.appended) = (now, true);
        self.next += u64::from(arrived.len - body);
        self.unacknowledged += 1;
        if self.unacknowledged >= SEGMENTS_PER_ACK {
            self.acknowledge(host, now, false);
        } else if !self.alarm.is_set() {
            self.alarm.set(host, now, ACK_DELAY_MS);
        }
        true
    }

    /// Whether all of it has been kept.
    fn has(&self, from: u64, to: u64) -> bool {
        let at = self.stretches.partition_point(|stretch| stretch.1 < from);
        self.stretches.get(at).is_some_and(|it| it.0 <= from && to <= it.1)
    }

    fn came_twice(&mut self, from: u64, to: u64) {
        if V::IS.says_duplicates {
            self.twice = Some((from, to));
        }
    }

    /// Appends what of a segment is wanted next. Answers whether there was room for it.
    fn append(&mut self, host: &mut impl Host, part: Kept) -> bool {
        let Some(skip) = self.next.checked_sub(part.seq) else { return false };
        if part.end <= self.next {
            return true;
        }
        let body = part.body + skip as u32..part.body + (part.end - part.seq) as u32;
        if host.so_append(part.segment, body).is_err() {
            return false;
        }
        (self.next, self.appended) = (part.end, true);
        true
    }

    /// Appends what was kept and follows now.
    fn append_kept(&mut self, host: &mut impl Host) {
        while let Some(first) = self.kept.front().copied() {
            if first.seq > self.next || !self.append(host, first) {
                break;
            }
            // It is ours until now.
            let _ = host.seg_free(first.segment);
            self.kept.pop_front();
        }
        let passed = self.stretches.iter().take_while(|stretch| stretch.1 <= self.next).count();
        self.stretches.drain(..passed);
    }

    fn end(&mut self, host: &mut impl Host) {
        if self.fin == Some(self.next) && !self.ended {
            (self.ended, self.appended) = (true, true);
            host.so_end();
        }
    }

    /// Keeps a segment that does not follow, if it is new and there is room.
    fn keep(&mut self, host: &mut impl Host, part: Kept) {
        if part.end == part.seq || part.end - self.next > u64::from(u32::MAX) {
            return;
        }
        let at = self.stretches.partition_point(|stretch| stretch.1 < part.seq);
        let touched = self.stretches[at..].iter().take_while(|stretch| stretch.0 <= part.end).count();
        let covered = self.has(part.seq, part.end);
        let full = self.kept.len() == KEPT_MAX || touched == 0 && self.stretches.len() == STRETCHES_MAX;
        if covered || full || host.seg_keep(part.segment).is_err() {
            return;
        }
        let place = self.kept.partition_point(|other| other.seq < part.seq);
        self.kept.insert(place, part);
        let whole = self.stretches[at..at + touched]
            .iter()
            .fold((part.seq, part.end), |whole, stretch| (whole.0.min(stretch.0), whole.1.max(stretch.1)));
        self.stretches.splice(at..at + touched, [whole]);
        self.latest.rotate_right(1);
        self.latest[0] = part.seq;
    }

    fn room(host: &mut impl Host) -> u64 {
        let most = if V::IS.large_windows { u64::MAX } else { SMALL_WINDOW.into() };
        host.so_room().min(most)
    }

    /// The application took something: what was kept may have room now, and the peer is told of more room.
    pub fn handle_taken(&mut self, host: &mut impl Host, now: u64, worth_telling: u64) {
        self.append_kept(host);
        self.end(host);
        let room = Self::room(host);
        self.most = self.most.max(room);
        // While there is much, acknowledgments tell in time.
        let little = self.edge.saturating_sub(self.next) < self.most / 2;
        if !self.ended && little && self.next.saturating_add(room) >= self.edge.saturating_add(worth_telling) {
            self.acknowledge(host, now, false);
        }
    }

    /// The application learns at once of what came in a batch.
    pub fn wake(&mut self, host: &mut impl Host) {
        if core::mem::take(&mut self.appended) {
            host.so_wakeup();
        }
    }

    /// What every segment says of this half.
    pub fn head(&self, now: u64) -> Segment {
        let ack = self.next + u64::from(self.ended);
        let window = u32::try_from(self.edge.saturating_sub(self.next)).unwrap_or(u32::MAX);
        let stamp = V::IS.timestamps.then_some((now as u32, self.recent));
        Segment { ack, window, stamp, ..Segment::default() }
    }

    /// The same, with an acknowledgment if one is due: it travels with data.
    pub fn head_with_ack(&mut self, host: &mut impl Host, now: u64) -> Segment {
        if self.unacknowledged == 0 { self.head(now) } else { self.acknowledgment(host, now) }
    }

    /// The acknowledgment has left.
    pub fn handle_acknowledged(&mut self) {
        self.unacknowledged = 0;
        self.alarm.clear();
    }

    fn acknowledgment(&mut self, host: &mut impl Host, now: u64) -> Segment {
        self.edge = self.edge.max(self.next.saturating_add(Self::room(host)));
        let mut head = self.head(now);
        head.twice = self.twice.take();
        // A tick may have begun just before; what was not waited must not be claimed.
        let held = now.saturating_sub(self.received_at).saturating_sub(1).min(ACK_DELAY_MS);
        head.delay_us = 1_000 * held as u16;
        for (numbers, sum) in self.receipts.newest_first().take(BLOCKS_MAX) {
            head.proofs.push(Proof::of(numbers, sum));
        }
        if V::IS.says_blocks && !self.stretches.is_empty() {
            for latest in self.latest {
                let at = self.stretches.partition_point(|stretch| stretch.1 <= latest);
                let found = self.stretches.get(at).copied().filter(|it| it.0 <= latest && it.0 > head.ack);
                let found = found.filter(|block| head.block_room() > 0 && !head.blocks.as_slice().contains(block));
                if let Some(block) = found {
                    head.blocks.push(block);
                }
            }
        }
        head
    }

    /// Acknowledges now. Whatever is refused is due a little later.
    fn acknowledge(&mut self, host: &mut impl Host, now: u64, gap: bool) {
        let head = Segment { gap, ..self.acknowledgment(host, now) };
        match host.net_sendack(head.write(&mut [0; LONGEST])) {
            Ok(()) => self.handle_acknowledged(),
            Err(_) => {
                self.unacknowledged = self.unacknowledged.max(1);
                if !self.alarm.is_set() {
                    self.alarm.set(host, now, ACK_DELAY_MS);
                }
            }
        }
    }

    /// Acknowledges what was put off.
    pub fn flush(&mut self, host: &mut impl Host, now: u64) {
        if self.unacknowledged > 0 {
            self.acknowledge(host, now, false);
        }
    }

    /// The timer of acknowledgments went off.
    pub fn handle_timer(&mut self, host: &mut impl Host, now: u64) {
        if self.alarm.handle_timer(host, now) {
            self.flush(host, now);
        }
    }
}
