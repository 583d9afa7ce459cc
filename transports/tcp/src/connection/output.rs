//! What a connection sends.

use tng_base::Instant;
use tng_congestion::Permission;
use tng_wire::{Repr, Writer};

use super::{Connection, State};
use crate::sequence::SYN;
use crate::wire::{Flags, HEADER_LEN, Options, SackBlocks, Segment, Timestamps};

/// A segment to be built.
#[derive(Clone, Copy, Debug, Default)]
struct Draft {
    seq: u64,
    /// Bytes of data from `seq` on.
    len: usize,
    flags: Flags,
}

impl Connection {
    /// Whether there may be something to send.
    pub(crate) fn poll_segment(&mut self, now: Instant, buf: &mut [u8]) -> Option<usize> {
        match self.state {
            State::SynSent | State::SynReceived => {
                if core::mem::take(&mut self.due.syn) {
                    return self.emit_syn(now, buf);
                }
                self.due.ack = false;
                return None;
            }
            State::Closed(_) => {
                return core::mem::take(&mut self.due.reset).then(|| self.emit_reset(buf)).flatten();
            }
            _ => {}
        }
        if self.is_sending()
            && let Some(len) = self.send_data(now, buf)
        {
            return Some(len);
        }
        if self.due.ack {
            return self.emit(now, Draft { seq: self.next, ..Draft::default() }, buf);
        }
        None
    }

    fn emit_syn(&mut self, now: Instant, buf: &mut [u8]) -> Option<usize> {
        if self.next == SYN {
            self.next = SYN + 1;
        }
        self.sent_at = now;
        self.timers.retransmit = Some(now + self.rto.timeout());
        let synchronized = self.state == State::SynReceived;
        let echo = self.clock.recent.unwrap_or(0);
        let mut options = self.offer;
        options.timestamps = options.timestamps.map(|_| Timestamps { value: clock(now), echo });
        if synchronized {
            // Only what the peer has offered too.
            options.window_scale = options.window_scale.filter(|_| self.agreement.scaled);
            options.sack_permitted = self.agreement.sack;
            options.timestamps = options.timestamps.filter(|_| self.agreement.timestamps);
        }
        let window = self.incoming.window(u64::from(self.mss)).min(u64::from(u16::MAX)) as u16;
        self.due.ack = false;
        let segment = Segment {
            source: self.local_port,
            destination: self.remote.port(),
            seq: self.space.wire(SYN),
            ack: synchronized.then(|| self.peer_space.wire(self.incoming.next())),
            flags: Flags { syn: true, ..Flags::default() },
            window,
            options,
            payload: &[],
        };
        self.finish_segment(&segment, buf)
    }

    fn emit_reset(&mut self, buf: &mut [u8]) -> Option<usize> {
        let synchronized = self.state != State::SynSent;
        let segment = Segment {
            source: self.local_port,
            destination: self.remote.port(),
            seq: self.space.wire(self.next),
            ack: synchronized.then(|| self.peer_space.wire(self.incoming.next())),
            flags: Flags { rst: true, ..Flags::default() },
            window: 0,
            options: Options::default(),
            payload: &[],
        };
        self.finish_segment(&segment, buf)
    }

    fn finish_segment(&mut self, segment: &Segment<'_>, buf: &mut [u8]) -> Option<usize> {
        let mut writer = Writer::new(buf);
        segment.emit(&mut writer).ok()?;
        self.counts.segments_sent += 1;
        Some(writer.position())
    }

    /// Lost data first, then probes, then new data.
    fn send_data(&mut self, now: Instant, buf: &mut [u8]) -> Option<usize> {
        if let Some((at, sent)) = self.scoreboard.next_lost() {
            let bytes = sent.end - sent.seq;
            let forced = core::mem::take(&mut self.due.retransmission);
            if forced || self.may_send(now, bytes) {
                return self.resend(now, at, sent.seq, sent.end, buf);
            }
            return None;
        }
        self.due.retransmission = false;
        if core::mem::take(&mut self.due.tail_probe)
            && let Some(len) = self.probe_tail(now, buf)
        {
            return Some(len);
        }
        if core::mem::take(&mut self.due.window_probe) {
            return self.probe_window(now, buf);
        }
        self.send_new(now, false, buf)
    }

    /// Whether window and pacer let so many bytes of data go.
    fn may_send(&mut self, now: Instant, bytes: u64) -> bool {
        let permission = self.regulation.permission(now, bytes);
        self.timers.pace = if let Permission::At(at) = permission { Some(at) } else { None };
        permission == Permission::Now
    }

    fn resend(&mut self, now: Instant, at: usize, seq: u64, end: u64, buf: &mut [u8]) -> Option<usize> {
        let fin = end > self.outgoing.end();
        let stamp = self.regulation.handle_sent(now, end - seq);
        self.scoreboard.resend(at, stamp);
        self.counts.retransmits += 1;
        self.sent_at = now;
        if self.timers.retransmit.is_none() || seq == self.una {
            self.timers.retransmit = Some(now + self.rto.timeout());
        }
        let len = (end - seq) as usize - usize::from(fin);
        self.emit(now, Draft { seq, len, flags: Flags { fin, psh: len > 0, ..Flags::default() } }, buf)
    }

    /// A tail loss probe: new data if there are any, else the last segment again (RFC 8985 section 7.3).
    fn probe_tail(&mut self, now: Instant, buf: &mut [u8]) -> Option<usize> {
        let sent = self.send_new(now, true, buf).or_else(|| {
            let (at, last) = self.scoreboard.last()?;
            self.regulation.handle_discarded(last.end - last.seq);
            self.resend(now, at, last.seq, last.end, buf)
        })?;
        self.probed = Some(self.next);
        self.counts.probes += 1;
        self.timers.tail_probe = None;
        Some(sent)
    }

    /// Asks for the peer's window: what it will open for if anything fits, else a number that it has already seen, as
    /// Linux does.
    fn probe_window(&mut self, now: Instant, buf: &mut [u8]) -> Option<usize> {
        if self.window.limit > self.next
            && let Some(len) = self.send_new(now, true, buf)
        {
            return Some(len);
        }
        self.timers.persist = Some(now + self.rto.timeout());
        self.emit(now, Draft { seq: self.una - 1, ..Draft::default() }, buf)
    }

    /// Data that were not sent before, or the FIN. `forced`: whatever the congestion window, Nagle and silly windows
    /// say.
    fn send_new(&mut self, now: Instant, forced: bool, buf: &mut [u8]) -> Option<usize> {
        if self.fin_sent() {
            return None;
        }
        let available = self.outgoing.end().saturating_sub(self.next);
        let finishing = self.outgoing.is_finished();
        if available == 0 && !finishing {
            self.regulation.handle_app_limited();
            return None;
        }
        let blocks = if self.incoming.has_blocks() && self.agreement.sack { 4 + 8 * self.blocks_max() } else { 0 };
        let mss = u64::from(self.mss).saturating_sub(blocks as u64).max(1);
        let open = self.window.limit.saturating_sub(self.next);
        let len = available.min(mss).min(open);
        let fin = finishing && len == available && open > len;
        if len == 0 && !fin {
            self.arm_persist(now);
            return None;
        }
        if len < mss && len < available && !forced && len < self.window.largest / 2 {
            // Less than a segment because of the window: wait for it to open (RFC 9293 section 3.8.6.2.1).
            self.arm_persist(now);
            return None;
        }
        if self.nagle && len < mss && !fin && !forced && !self.scoreboard.is_empty() {
            return None;
        }
        let bytes = len + u64::from(fin);
        if self.scoreboard.is_empty() {
            let (idle, timeout) = (now.since(self.sent_at), self.rto.timeout());
            if idle > timeout {
                let periods = u32::try_from(idle.as_nanos() / timeout.as_nanos().max(1)).unwrap_or(u32::MAX);
                self.regulation.handle_idle(now, periods);
            }
        }
        if !forced && !self.may_send(now, bytes) {
            return None;
        }
        let seq = self.next;
        let stamp = self.regulation.handle_sent(now, bytes);
        self.scoreboard.push(seq, seq + bytes, stamp);
        self.next += bytes;
        self.timers.persist = None;
        self.sent_at = now;
        if fin {
            self.state = if self.state == State::CloseWait { State::LastAck } else { State::FinWait1 };
        }
        if now.since(self.received_at) < self.delayed_ack && len > 0 && self.counts.received > 0 {
            // The application answers: acknowledgments ride with its data (Linux's interactive mode).
            self.quick_acks = 0;
        }
        if self.timers.retransmit.is_none() {
            self.timers.retransmit = Some(now + self.rto.timeout());
        }
        self.arm_tail_probe(now);
        let psh = len == available && len > 0;
        self.emit(now, Draft { seq, len: len as usize, flags: Flags { fin, psh, ..Flags::default() } }, buf)
    }

    fn arm_persist(&mut self, now: Instant) {
        if self.scoreboard.is_empty() && self.timers.persist.is_none() {
            self.timers.persist = Some(now + self.rto.timeout());
        }
    }

    /// Builds a segment of a synchronized connection, with the acknowledgment that is due or not.
    fn emit(&mut self, now: Instant, draft: Draft, buf: &mut [u8]) -> Option<usize> {
        let window = self.incoming.window(self.peer_mss.max(u64::from(self.mss))) >> self.agreement.own_shift;
        let mut options = Options::default();
        if self.agreement.timestamps {
            options.timestamps = Some(Timestamps { value: clock(now), echo: self.clock.recent.unwrap_or(0) });
        }
        // A full segment that is sent again has no room for blocks; they follow by themselves.
        let room = usize::from(self.mss).saturating_sub(draft.len);
        let fits = room >= 4 + 8 * self.blocks_max();
        if self.agreement.sack && self.incoming.has_blocks() && fits {
            let (mut sack, space, max) = (SackBlocks::default(), self.peer_space, self.blocks_max());
            self.incoming.blocks(max, |range| {
                sack.push(space.wire(range.start), space.wire(range.end));
            });
            options.sack = sack;
        }
        let next = self.incoming.next();
        let segment = Segment {
            source: self.local_port,
            destination: self.remote.port(),
            seq: self.space.wire(draft.seq),
            ack: Some(self.peer_space.wire(next)),
            flags: draft.flags,
            window: window.min(u64::from(u16::MAX)) as u16,
            options,
            payload: &[],
        };
        let header_len = HEADER_LEN + options.wire_len();
        let mut writer = Writer::new(buf);
        segment.emit(&mut writer).ok()?;
        let data = writer.room(draft.len).ok()?;
        self.outgoing.copy(draft.seq..draft.seq + draft.len as u64, data);
        self.counts.segments_sent += 1;
        self.clock.last_ack = next;
        self.unacknowledged = 0;
        self.timers.ack = None;
        self.due.ack &= !fits && self.agreement.sack && self.incoming.has_blocks();
        Some(header_len + draft.len)
    }
}

/// The clock of timestamps: milliseconds.
fn clock(now: Instant) -> u32 {
    (now.as_nanos() / 1_000_000) as u32
}
