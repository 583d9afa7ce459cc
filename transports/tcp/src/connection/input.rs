//! What a connection does with a segment (RFC 9293 section 3.10.7).

use core::ops::Range;
use core::time::Duration;

use tng_base::Instant;
use tng_congestion::{AckSample, LossCause, LossSample, RttSample};

use super::{Connection, End, State};
use crate::incoming::Placed;
use crate::scoreboard::{Delivered, Word};
use crate::sequence::{SYN, Space};
use crate::wire::{SACK_BLOCKS_MAX, Segment};

/// A segment of some other connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stray;

impl Connection {
    /// A SYN arrived where this host listens.
    pub(crate) fn accept(&mut self, now: Instant, syn: &Segment<'_>) {
        self.passive = true;
        self.counts.segments_received += 1;
        self.take_syn(now, syn);
        self.state = State::SynReceived;
    }

    /// Takes one segment.
    ///
    /// # Errors
    /// [`Stray`] if it acknowledges what was never sent, in a state where that calls for a reset.
    pub(crate) fn handle_segment(&mut self, now: Instant, segment: &Segment<'_>) -> Result<(), Stray> {
        self.counts.segments_received += 1;
        match self.state {
            State::Closed(_) => Ok(()),
            State::SynSent => self.answer_to_syn(now, segment),
            _ => self.handle_synchronized(now, segment),
        }
    }

    fn take_syn(&mut self, now: Instant, syn: &Segment<'_>) {
        self.peer_space = Space::new(syn.seq);
        self.clock.recent = syn.options.timestamps.map(|timestamps| timestamps.value);
        self.clock.last_ack = SYN + 1;
        self.agree(now, &syn.options);
        self.window.told_by = (SYN, self.una);
        // The window of a SYN is not shifted.
        self.window.limit = self.una.max(SYN + 1) + u64::from(syn.window);
        self.window.largest = u64::from(syn.window);
        self.due.syn = true;
    }

    /// Section 3.10.7.3.
    fn answer_to_syn(&mut self, now: Instant, segment: &Segment<'_>) -> Result<(), Stray> {
        let acknowledged = segment.ack.map(|ack| self.space.internal(ack, self.next));
        let fits = acknowledged == Some(SYN + 1) && self.next == SYN + 1;
        if segment.ack.is_some() && !fits {
            return Err(Stray);
        }
        if segment.flags.rst {
            if fits {
                self.close(End::Refused);
            }
            return Ok(());
        }
        if !segment.flags.syn {
            return Ok(());
        }
        self.take_syn(now, segment);
        if fits {
            self.due.syn = false;
            self.una = SYN + 1;
            self.window.told_by.1 = self.una;
            if self.expired == 0 {
                self.sample(now, now.since(self.sent_at));
            }
            self.establish();
            self.due.ack = true;
        } else {
            // Both have opened at the same time.
            self.state = State::SynReceived;
        }
        Ok(())
    }

    fn establish(&mut self) {
        self.state = State::Established;
        self.expired = 0;
        self.timers.retransmit = None;
        self.notices.connected = true;
        self.due.syn = false;
    }

    /// Section 3.10.7.4.
    fn handle_synchronized(&mut self, now: Instant, segment: &Segment<'_>) -> Result<(), Stray> {
        let seq = self.peer_space.internal(segment.seq, self.incoming.next());
        let len = segment.payload.len() as u64 + u64::from(segment.flags.syn) + u64::from(segment.flags.fin);
        if !segment.flags.rst && self.is_stale(segment) {
            self.due.ack = true;
            return Ok(());
        }
        let syn_again = self.state == State::SynReceived && segment.flags.syn && seq == SYN;
        if syn_again && segment.ack.is_none() {
            self.due.syn = true;
            return Ok(());
        }
        // Of two that open towards each other, each has the other's SYN already when it is acknowledged.
        if !syn_again && !self.is_acceptable(seq, len) {
            if !segment.flags.rst {
                if seq < self.incoming.next() && !segment.payload.is_empty() {
                    self.incoming.place(seq, segment.payload);
                }
                self.due.ack = true;
                if let State::TimeWait(_) = self.state
                    && segment.flags.fin
                {
                    self.state = State::TimeWait(now + self.time_wait);
                }
            }
            return Ok(());
        }
        if segment.flags.rst {
            // Anything but the exact number may be an attack (RFC 5961 section 3.2).
            if let State::TimeWait(_) = self.state {
                return Ok(()); // RFC 1337 section 3
            }
            if seq == self.incoming.next() {
                self.close(if self.state == State::SynReceived { End::Refused } else { End::Reset });
            } else {
                self.due.ack = true;
            }
            return Ok(());
        }
        if segment.flags.syn && !syn_again {
            self.due.ack = true; // RFC 5961 section 4.2
            return Ok(());
        }
        let Some(ack) = segment.ack else { return Ok(()) };
        let ack = self.space.internal(ack, self.una);
        if let Some(timestamps) = segment.options.timestamps
            && self.agreement.timestamps
            && seq <= self.clock.last_ack
        {
            self.clock.recent = Some(timestamps.value);
        }
        if self.state == State::SynReceived {
            if ack != self.next || self.next != SYN + 1 {
                return Err(Stray);
            }
            self.una = ack;
            if self.expired == 0 {
                self.sample(now, now.since(self.sent_at));
            }
            self.establish();
            self.window.told_by = (0, 0);
        }
        if ack > self.next {
            self.due.ack = true;
            return Ok(());
        }
        self.handle_ack(now, seq, ack, segment);
        self.close_on_ack(now);
        self.take_data(now, seq + u64::from(segment.flags.syn), segment);
        self.take_fin(now, seq, segment);
        Ok(())
    }

    /// Whether the segment is from before the numbers wrapped (RFC 7323 section 5.3).
    fn is_stale(&self, segment: &Segment<'_>) -> bool {
        let (Some(recent), Some(timestamps)) = (self.clock.recent, segment.options.timestamps) else { return false };
        self.agreement.timestamps && (timestamps.value.wrapping_sub(recent) as i32) < 0
    }

    /// Section 3.4: whether any of it lies in the window.
    fn is_acceptable(&self, seq: u64, len: u64) -> bool {
        let (next, limit) = (self.incoming.next(), self.incoming.limit().max(self.incoming.next()));
        match (len, limit - next) {
            (0, 0) => seq == next,
            (0, _) => (next..limit).contains(&seq) || seq == next,
            (_, 0) => false,
            _ => seq < limit && seq + len > next,
        }
    }

    fn handle_ack(&mut self, now: Instant, seq: u64, ack: u64, segment: &Segment<'_>) {
        let (told_seq, told_ack) = self.window.told_by;
        if ack >= self.una && (seq > told_seq || (seq == told_seq && ack >= told_ack)) {
            let shift = if segment.flags.syn { 0 } else { self.agreement.peer_shift };
            let window = u64::from(segment.window) << shift;
            self.window.limit = ack + window;
            self.window.largest = self.window.largest.max(window);
            self.window.told_by = (seq, ack);
        }
        // Any answer shows that the peer is there, which is all that a window probe asks.
        if self.scoreboard.is_empty() {
            self.expired = 0;
        }
        let advanced = ack > self.una;
        if advanced {
            self.una = ack;
            self.outgoing.acknowledge(ack);
            if self.write_blocked && self.outgoing.has_much_room() {
                self.write_blocked = false;
                self.notices.writable = true;
            }
        }
        let mut blocks = [const { 0..0 }; SACK_BLOCKS_MAX];
        let (count, duplicate) = self.read_blocks(ack, segment, &mut blocks);
        let echo = segment.options.timestamps.filter(|_| self.agreement.timestamps).map(|stamps| {
            let now_ms = now.as_nanos() / 1_000_000;
            Instant::from_millis(now_ms.saturating_sub(u64::from((now_ms as u32).wrapping_sub(stamps.echo))))
        });
        let word = Word { ack: self.una, blocks: &blocks[..count], echo, duplicate };
        let rtt_min = self.rtt_min();
        let delivered = self.scoreboard.acknowledge(now, word, rtt_min);
        self.settle(now, &delivered);
        if advanced {
            self.expired = 0;
            self.rto.end_backoff();
        }
        if self.recovery.is_some_and(|end| self.una >= end) {
            self.recovery = None;
            self.scoreboard.end_recovery();
        }
        if self.probed.is_some_and(|end| self.una >= end) {
            self.probed = None;
        }
        self.find_losses(now);
        if advanced || delivered.newest.is_some() || delivered.late.is_some() {
            self.restart_timers(now);
        }
    }

    /// The blocks that lie where data were sent, and whether the first reports a duplicate (RFC 2883).
    fn read_blocks(&self, ack: u64, segment: &Segment<'_>, out: &mut [Range<u64>; SACK_BLOCKS_MAX]) -> (usize, bool) {
        if !self.agreement.sack {
            return (0, false);
        }
        let (mut count, mut duplicate) = (0, false);
        let number = |wire| self.space.internal(wire, self.una);
        let second = segment.options.sack.iter().nth(1).map(|(start, end)| number(start)..number(end));
        for (at, (start, end)) in segment.options.sack.iter().enumerate() {
            let block = number(start)..number(end);
            let within = second.as_ref().is_some_and(|second| second.start <= block.start && block.end <= second.end);
            if at == 0 && (block.end <= ack || within) {
                duplicate = true;
            } else if block.start < block.end && block.start >= ack && block.end <= self.next {
                out[count] = block;
                count += 1;
            }
        }
        (count, duplicate)
    }

    /// The least round-trip time, zero if there is no sample.
    pub(super) fn rtt_min(&self) -> Duration {
        let rtt = self.regulation.rtt();
        if rtt.has_sample() { rtt.min() } else { Duration::ZERO }
    }

    fn sample(&mut self, now: Instant, rtt: Duration) {
        self.rto.handle_sample(rtt);
        // The ledger is empty, but the sample counts.
        let stamp = self.regulation.handle_sent(now, 0);
        let rtt = Some(RttSample { latest: rtt, ack_delay: Duration::ZERO });
        self.regulation.handle_ack(now, &AckSample { bytes: 0, newest: stamp, rtt });
    }

    /// Tells the congestion controller what was delivered.
    fn settle(&mut self, now: Instant, delivered: &Delivered) {
        if let Some((oldest, _)) = delivered.timed {
            self.rto.handle_sample(now.since(oldest));
        }
        if delivered.needless > 0 {
            self.regulation.handle_discarded(delivered.needless);
        }
        if let Some(newest) = delivered.newest {
            let rtt =
                delivered.timed.map(|(_, newest)| RttSample { latest: now.since(newest), ack_delay: Duration::ZERO });
            self.regulation.handle_ack(now, &AckSample { bytes: delivered.bytes, newest, rtt });
        }
        if let Some((bytes, newest)) = delivered.late {
            self.regulation.handle_spurious(now, &LossSample { bytes, newest, cause: LossCause::Loss });
        }
        if let Some(newest) = delivered.repaired {
            self.regulation.handle_loss(now, &LossSample { bytes: 0, newest, cause: LossCause::Loss });
        }
    }

    /// Whether the acknowledgment of this end's FIN changes the state.
    fn close_on_ack(&mut self, now: Instant) {
        if !self.fin_sent() || self.una < self.next {
            return;
        }
        match self.state {
            State::FinWait1 => self.state = State::FinWait2,
            State::Closing => self.enter_time_wait(now),
            State::LastAck => self.close(End::Finished),
            _ => {}
        }
    }

    pub(super) fn enter_time_wait(&mut self, now: Instant) {
        self.timers = super::Timers::default();
        self.state = State::TimeWait(now + self.time_wait);
    }

    fn take_data(&mut self, now: Instant, seq: u64, segment: &Segment<'_>) {
        if segment.payload.is_empty() || !self.is_receiving() {
            return;
        }
        self.peer_mss = self.peer_mss.max(segment.payload.len() as u64);
        self.received_at = now;
        match self.incoming.place(seq, segment.payload) {
            Placed::InOrder { bytes, gap } => {
                self.counts.received += bytes;
                self.notice_readable();
                self.unacknowledged += bytes;
                if gap || self.quick_acks > 0 || self.unacknowledged > self.peer_mss || self.delayed_ack.is_zero() {
                    self.quick_acks = self.quick_acks.saturating_sub(1);
                    self.due.ack = true;
                } else if self.timers.ack.is_none() {
                    self.timers.ack = Some(now + self.delayed_ack);
                }
            }
            Placed::Ahead | Placed::Nothing => self.due.ack = true,
        }
    }

    fn notice_readable(&mut self) {
        if !self.read_told {
            self.read_told = true;
            self.notices.readable = true;
        }
    }

    fn take_fin(&mut self, now: Instant, seq: u64, segment: &Segment<'_>) {
        if !self.is_receiving() {
            return;
        }
        if segment.flags.fin {
            let at = seq + u64::from(segment.flags.syn) + segment.payload.len() as u64;
            self.due.ack = true;
            if !self.incoming.finish(at) {
                return;
            }
        }
        if !self.incoming.is_finished() {
            return;
        }
        self.due.ack = true;
        self.notices.finished = true;
        match self.state {
            State::Established => self.state = State::CloseWait,
            State::FinWait1 => self.state = State::Closing,
            State::FinWait2 => self.enter_time_wait(now),
            _ => {}
        }
    }
}
