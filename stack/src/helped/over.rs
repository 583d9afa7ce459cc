//! The end-to-end channel of a helped path: what stands above the section with the first helper (Tng 6.1).

use core::ops::Range;
use core::time::Duration;

use crate::semantics::Semantics;
use tng_base::{
    ChannelKey, Ecn, Eid, Fate, Filled, Instant, PathCondition, PeerText, Protocol, Taken, Train, Violation,
};
use tng_channel::wire::{Control, NUMBER_AT};
use tng_channel::{AckPolicy, Channel, ChannelEvent, ControlKind, Discard, Poll};
use tng_congestion::{RttEstimator, SectionChoice};
use tng_endpoint::BASE_PAYLOAD;
use tng_flow::wire::Greeting;
use tng_flow::{Ended, HOP_TAG_LEN, HopKey};

/// The largest end-to-end packet that a section of the base size carries: less its first byte, id, number and MAC.
pub const CARRIED_MAX: usize = BASE_PAYLOAD - NUMBER_AT - 4 - HOP_TAG_LEN;

/// How many times the idle timeout a helped path may be silent: a far section may be blocked, and helpers wait as long.
pub const HELPED_IDLE_TIMES: u32 = 3;

/// So many probes from end to end without an answer, and a helped path is stalled: its judge knows sooner, and has
/// another path beside it. That is one more than of a direct path, since what is lost twice would else lead around the
/// helpers.
pub const HELPED_STALLED_PROBES: u32 = 3;

/// Bytes that may leave before the peer has acknowledged anything: an initial window (RFC 9002 section 7.2).
pub const GUARD_FLOOR: u64 = 10 * 1_200;

/// When a channel above sections acknowledges: seldom, since what governs the sending does not wait for it.
pub(crate) const THIN_ACKS: AckPolicy = AckPolicy { max_delay: Duration::from_millis(25), every: 16, gather_us: 500 };

/// Bounds what may leave by what the peer's own acknowledgments report, whatever a section says (ARCHITECTURE section
/// 3): twice of it, and no more at once than twice what came in the last round trip. Helpers that are trusted do not
/// need it.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Acknowledged bytes counted so far.
    acked: u64,
    /// Of them in this round trip, and in the one before.
    rounds: (u64, u64),
    round_began: Instant,
}

impl Guard {
    fn new(now: Instant) -> Guard {
        Guard { acked: 0, rounds: (0, 0), round_began: now }
    }

    /// The peer has acknowledged `acked` bytes in all: what is granted now, `left` of it having been left.
    fn grant(&mut self, now: Instant, acked: u64, left: u64, round: Duration) -> u64 {
        let newly = acked - core::mem::replace(&mut self.acked, acked);
        if newly == 0 {
            return left;
        }
        if now.since(self.round_began) >= round {
            self.rounds = (0, self.rounds.0);
            self.round_began = now;
        }
        self.rounds.0 += newly;
        let most = self.rounds.0.max(self.rounds.1).saturating_mul(2).max(GUARD_FLOOR);
        left.saturating_add(newly.saturating_mul(2)).min(most)
    }
}

/// The neighbour on a helped path, and what to share with it.
#[derive(Debug)]
pub(crate) struct Joining {
    pub key: HopKey,
    pub greeting: Greeting,
    /// Helpers on the path, in order.
    pub helpers: Vec<Eid>,
    /// This end trusts all of them.
    pub trusted: bool,
    /// What the neighbour, a helper, was asked to govern the section with: this end does, too.
    pub wished: Option<SectionChoice>,
}

/// The end-to-end channel.
#[derive(Debug)]
pub(crate) struct EndToEndChannel {
    pub channel: Channel,
    /// What bounds what is under way from end to end, whatever the sections permit; none if all helpers are trusted.
    guard: Option<Guard>,
    /// Bytes that the peer has acknowledged.
    acked: u64,
    /// The largest packet that every section of the path carries.
    packet_max: usize,
    /// The helpers that the path leads through, in order.
    helpers: Vec<Eid>,
    violation: Option<Violation>,
    /// Since when the first neighbour has said that it holds packets, with nothing acknowledged from end to end.
    held_since: Option<Instant>,
    /// Of the initiator: of the sections by which the helpers are reached, in order.
    pub helper_keys: Vec<HopKey>,
}

impl EndToEndChannel {
    /// `joining` holds what the path says of itself: what the first neighbour, or the last, has said of all behind it.
    pub(crate) fn new(now: Instant, mut channel: Channel, joining: Joining) -> EndToEndChannel {
        let Joining { greeting, helpers, trusted, .. } = joining;
        let packet_max = CARRIED_MAX.min(greeting.payload_max.into());
        channel.set_grant(if trusted { u64::MAX } else { GUARD_FLOOR });
        channel.set_stalled_probes(HELPED_STALLED_PROBES);
        channel.set_repair_delay(Duration::from_millis(greeting.repair_ms.into()));
        EndToEndChannel {
            channel,
            guard: (!trusted).then(|| Guard::new(now)),
            acked: 0,
            packet_max,
            helpers,
            violation: None,
            held_since: None,
            helper_keys: Vec::new(),
        }
    }

    /// Round-trip times from end to end.
    pub(crate) fn rtt(&self) -> &RttEstimator {
        self.channel.rtt(None)
    }

    /// Time from sending to the first end-to-end probe, as of now.
    pub(crate) fn pto(&self) -> Duration {
        self.channel.pto(None)
    }

    /// The largest packet that every section of the path carries.
    pub(crate) fn packet_max(&self) -> usize {
        self.packet_max
    }

    /// The largest packet that every section carries has changed.
    pub(crate) fn set_packet_max(&mut self, bytes: usize) {
        self.packet_max = bytes;
    }

    /// The helpers that the path leads through, in order.
    pub(crate) fn helpers(&self) -> &[Eid] {
        &self.helpers
    }

    /// A helper that holds packets on the way is not silent, but has nothing to say of the other end: it is believed
    /// for so long.
    pub(crate) fn handle_blocked(&mut self, now: Instant, patience: Duration) {
        let since = *self.held_since.get_or_insert(now);
        if now.since(since) < patience {
            self.channel.handle_blocked(now);
        }
    }

    fn note_acked(&mut self, now: Instant) {
        let acked = self.channel.stats().bytes_acked;
        if acked > core::mem::replace(&mut self.acked, acked) {
            self.held_since = None;
        }
        let (round, left) = (self.rtt().smoothed(), self.channel.grant());
        if let Some(guard) = &mut self.guard {
            self.channel.set_grant(guard.grant(now, acked, left, round));
        }
    }

    /// Packet number 0 left at `sent_at` in a set-up message of `len` bytes.
    pub(crate) fn note_set_up_sent(&mut self, sent_at: Instant, len: usize) {
        self.channel.note_setup_sent(sent_at, len, true, None);
    }

    /// The REPLY said that packet number 0 was taken.
    pub(crate) fn acknowledge_set_up(&mut self, now: Instant, semantics: &mut Semantics) {
        self.channel.setup_acked(now, None, semantics);
    }

    /// What has happened to the channel, after every call that may have changed it.
    pub(crate) fn poll_events(&mut self) -> Result<Option<PathCondition>, Ended> {
        if let Some(violation) = self.violation.take() {
            return Err(Ended::Violation(violation));
        }
        let mut changed = None;
        while let Some(event) = self.channel.poll_event() {
            match event {
                ChannelEvent::Close { code, reason } => return Err(Ended::Peer { code, reason }),
                ChannelEvent::Exhausted => return Err(Ended::KeysUsedUp),
                ChannelEvent::Condition(condition) => changed = Some(condition),
                // Names, challenges and sizes are the sections' business.
                ChannelEvent::NewId(_)
                | ChannelEvent::RetireId { .. }
                | ChannelEvent::Carry
                | ChannelEvent::Challenge(_)
                | ChannelEvent::Response(_)
                | ChannelEvent::MtuProbe { .. }
                | ChannelEvent::PayloadMax { .. }
                | ChannelEvent::Renew(_)
                | ChannelEvent::EcnFailed => {}
            }
        }
        Ok(changed)
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant, semantics: &mut Semantics) {
        self.channel.handle_timeout(now, None, semantics);
    }

    /// When [`handle_timeout`](EndToEndChannel::handle_timeout) wants to be called; what is due already waits for the section.
    pub(crate) fn poll_timeout(&mut self, now: Instant) -> Option<Instant> {
        self.channel.poll_timeout(None).filter(|at| *at > now)
    }

    /// Lets the other end hear of this one, whatever there is to say.
    pub(crate) fn greet(&mut self) {
        self.channel.send_control(Control::Ping).expect("a new channel has room for control frames");
    }

    /// The packet that says that the channel is closed.
    pub(crate) fn close_packet(&mut self, now: Instant, code: u64, reason: &str) -> Option<Vec<u8>> {
        let mut buf = vec![0; self.packet_max];
        let close = [Control::Close { code, reason: PeerText::new(reason) }];
        let sealed = self.channel.build_control(now, &close, None, &mut buf, ControlKind::Plain, None)?;
        buf.truncate(sealed.len);
        Some(buf)
    }
}

/// The end-to-end channel and the streams above it, as the section sees them.
pub(crate) struct Carried<'a> {
    pub over: &'a mut EndToEndChannel,
    pub semantics: &'a mut Semantics,
}

impl Protocol for Carried<'_> {
    fn handle_packet(
        &mut self,
        now: Instant,
        _: ChannelKey,
        _: u64,
        _: Ecn,
        payload: &mut [u8],
    ) -> Result<Taken, Violation> {
        let channel = &mut self.over.channel;
        if let Err(Discard::Violation(violation)) =
            channel.handle_packet(now, Ecn::NotEct, payload, None, self.semantics)
        {
            self.over.violation = Some(violation);
        }
        self.over.note_acked(now);
        // The receipt says that the section has done its part, whatever it brought.
        Ok(Taken::All)
    }

    fn replay_safe(&self, _: &[u8]) -> bool {
        true
    }

    fn poll_packet(&mut self, now: Instant, _: ChannelKey, _: u64, buf: &mut [u8]) -> Option<Filled> {
        let room = buf.len().min(self.over.packet_max);
        match self.over.channel.poll_packet(now, None, &mut buf[..room], self.semantics) {
            Poll::Packet(sealed) => Some(Filled { len: sealed.len }),
            Poll::Nothing | Poll::At(_) | Poll::Blocked => None,
        }
    }

    fn poll_train(&mut self, now: Instant, _: ChannelKey, train: &mut Train<'_>) {
        let size = train.room().min(self.over.packet_max);
        let is_short = size < train.room();
        let (buf, stride) = train.spare_room();
        // One that is short is the last.
        let most = if is_short { size.min(buf.len()) } else { buf.len() };
        let sealed = self.over.channel.poll_train(now, None, &mut buf[..most], (size, stride), self.semantics);
        for at in 1..=sealed.packets {
            train.push(if at == sealed.packets { sealed.last } else { size });
        }
    }

    fn wants_to_send(&mut self, now: Instant, _: ChannelKey) -> bool {
        self.over.channel.wants_to_send(now, self.over.packet_max, self.semantics)
    }

    // What becomes of end-to-end packets, their receiver alone knows.
    fn handle_fates(&mut self, _: Instant, _: ChannelKey, _: Range<u64>, _: Fate) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn whoever_acknowledges_nothing_draws_an_initial_window_and_no_more() {
        let mut guard = Guard::new(at_ms(0));
        let mut left = GUARD_FLOOR;
        for ms in 0..10_000 {
            left = guard.grant(at_ms(ms), 0, left.saturating_sub(1_200), Duration::from_millis(100));
        }
        assert_eq!(left, 0);
    }

    #[test]
    fn what_may_leave_doubles_in_a_round_trip_at_most() {
        let round = Duration::from_millis(100);
        let mut guard = Guard::new(at_ms(0));
        let (mut acked, mut left, mut sent) = (0, GUARD_FLOOR, Vec::new());
        // Everything that may leave does, and is acknowledged a round trip later.
        for step in 1..8 {
            sent.push(left);
            acked += left;
            left = guard.grant(at_ms(step * 100), acked, 0, round);
        }
        assert_eq!(sent, (0..7).map(|i| GUARD_FLOOR << i).collect::<Vec<_>>());
    }
}
