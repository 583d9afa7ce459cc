//! The channel: one value for every row of the table "One channel, stacked".

mod aside;
mod fate;
mod incoming;
mod notice;
mod outgoing;
mod train;

use core::time::Duration;

use tng_base::{ChannelId, ChannelKey, Fields, Instant, Note, PathCondition, Protocol, Rng, Violation};
use tng_congestion::{INITIAL_RTT, Regulation, RttEstimator, SendStamp};

pub use self::aside::Verdict;
pub use self::incoming::{Discard, Received};
pub use self::outgoing::{ControlKind, Poll, QUIET_MAX, Sealed};
pub use self::train::SealedTrain;
use crate::Armor;
use crate::control::{ChannelEvent, Controls, ControlsFull, Events};
use crate::ecn::EcnSender;
use crate::fates::Fates;
use crate::loss::LossDetection;
use crate::monitor::Monitor;
use crate::notices::LossNotices;
use crate::number::Numbers;
use crate::receive::{AckPolicy, Receipts};
use crate::replay::{REPLAY_WINDOW, REPLAY_WINDOW_MAX, ReplayWindow};
use crate::send::{SECTION_SENT_MAX, SENT_MAX, Sent, SentPackets, State};
use crate::tap::{Describe, Tap};
use crate::wire::{AckBlock, AckRanges, Control, Mark};

/// Close code: the peer broke the channel's rules.
pub const PROTOCOL_VIOLATION: u64 = 1;
/// Close code: the peer acknowledged what was never sent.
pub const UNSENT_ACKNOWLEDGED: u64 = 4;
/// Most probes of the path's MTU under way at once.
pub const MTU_PROBES_MAX: usize = 4;

/// A path is given up after so long without progress, if the settings do not say otherwise.
pub const FAILED_AFTER: Duration = Duration::from_secs(20);

/// Settings of a [`Channel`].
#[derive(Debug)]
pub struct Config {
    /// What the protocol above calls the channel.
    pub key: ChannelKey,
    /// The peer's name for the channel.
    pub remote_id: ChannelId,
    /// What marks its packets.
    pub mark: Mark,
    /// When to acknowledge; so many packets the peer is taken to acknowledge at once, too.
    pub ack: AckPolicy,
    /// Longest time that the peer holds an acknowledgment back, as it said in the set-up.
    pub peer_max_ack_delay: Duration,
    /// RTT before the first sample, where no regulation is given.
    pub initial_rtt: Duration,
    /// Numbers that the replay window covers at first and at most.
    pub replay_window: (u64, u64),
    /// A path is given up after so long without progress.
    pub failed_after: Duration,
    /// Whether packets are marked ECN-capable.
    pub ecn: bool,
    /// For the choice of skipped numbers. What it decides becomes visible on the wire.
    pub rng: Rng,
}

impl Config {
    /// The defaults: RFC 9002's initial RTT, a peer that acknowledges as we do, 20 s to failure, ECN on.
    pub fn new(key: ChannelKey, remote_id: ChannelId, rng: Rng) -> Config {
        let ack = AckPolicy::default();
        Config {
            key,
            remote_id,
            mark: Mark::Channel,
            ack,
            peer_max_ack_delay: ack.max_delay,
            initial_rtt: INITIAL_RTT,
            replay_window: (REPLAY_WINDOW, REPLAY_WINDOW_MAX),
            failed_after: FAILED_AFTER,
            ecn: true,
            rng,
        }
    }

    /// The same of a section, between neighbours.
    pub fn of_section(key: ChannelKey, remote_id: ChannelId, rng: Rng) -> Config {
        Config { mark: Mark::Section, ack: AckPolicy::OF_SECTIONS, ..Config::new(key, remote_id, rng) }
    }
}

/// Counts since the channel began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChannelStats {
    /// Packets sent, number 0 not included.
    pub packets_sent: u64,
    /// Their bytes.
    pub bytes_sent: u64,
    /// Bytes of packets that asked for acknowledgment and got it.
    pub bytes_acked: u64,
    /// Packets accepted.
    pub packets_received: u64,
    /// Their bytes.
    pub bytes_received: u64,
    /// Packets discarded because they were not authentic.
    pub forged: u64,
    /// Packets discarded because they had been received or might have been.
    pub replayed: u64,
    /// Packets found lost.
    pub lost: u64,
    /// Packets found lost that had arrived.
    pub spurious: u64,
    /// Probe timeouts.
    pub probe_timeouts: u64,
    /// Acknowledgment blocks sent.
    pub acks_sent: u64,
    /// Packets sent with nothing but an acknowledgment.
    pub acks_alone: u64,
    /// Packets received with a router's mark.
    pub marks_received: u64,
    /// Times that marks on our packets were reported.
    pub marks_reported: u64,
}

#[derive(Clone, Copy, Debug)]
struct MtuProbe {
    number: u64,
    size: u16,
    deadline: Instant,
}

/// Numbered, acknowledged, possibly regulated, possibly armored packets between two hosts (SST 4.2, Tng 6.1). Best
/// effort, unordered.
///
/// The regulation is the caller's, since channels on one path share it, and is passed in with each call; always the one
/// of the path that the channel is on, or always none. Without it the caller [grants](Channel::set_grant) bytes. What
/// stands above is passed in, too; its own timers are its owner's business.
#[derive(Debug)]
pub struct Channel {
    key: ChannelKey,
    remote_id: ChannelId,
    mark: Mark,
    armor: Box<dyn Armor>,
    tag_len: usize,
    /// Bytes needed from the start of the packet number on, before the tag, for the header to be maskable.
    body_min: usize,
    ecn_enabled: bool,

    numbers: Numbers,
    sent: SentPackets,
    loss: LossDetection,
    marks: EcnSender,
    /// One above the largest number acknowledged.
    acked_end: u64,
    /// Round-trip times where no regulation keeps them.
    rtt: RttEstimator,
    /// Bytes that may leave where no regulation says.
    grant: u64,
    mtu_probes: Vec<MtuProbe>,
    controls: Controls,
    /// Acknowledgments sent since the last in a packet that asked for acknowledgment itself.
    quiet: u32,

    replay: ReplayWindow,
    receipts: Receipts,
    notices: LossNotices,
    last_received: Instant,

    /// When the peer last said that it holds packets of ours, since it last acknowledged any.
    held_at: Option<Instant>,
    /// What it has in flight is out of the regulation's books, since nothing is heard of it; the oldest of that left
    /// then.
    aside: Option<Instant>,
    monitor: Monitor,
    condition: PathCondition,
    events: Events,
    exhausted: bool,
    stats: ChannelStats,
    /// Fates found in the call under way, for the protocol above; kept for its memory.
    fates: Fates,
    /// For its observers.
    tap: Option<Box<Tap>>,
}

impl Channel {
    /// A channel whose set-up is under way or done. Number 0 rides in the set-up: see
    /// [`note_setup_sent`](Channel::note_setup_sent) and [`note_setup_received`](Channel::note_setup_received).
    pub fn new(config: Config, armor: Box<dyn Armor>, now: Instant) -> Channel {
        let mut replay = ReplayWindow::new(config.replay_window.0, config.replay_window.1, now);
        replay.commit(0, now);
        let mut receipts = Receipts::new(config.ack);
        receipts.handle_arrival(0);
        let mut sent = SentPackets::default();
        sent.push(Sent { state: State::Quiet, ..blank(now, 0) });
        // A neighbour may hold packets, however many, and says so as late as it may acknowledge.
        let acked_at_once = match config.mark {
            Mark::Channel => config.ack.every as usize,
            Mark::Section => usize::MAX,
        };
        Channel {
            key: config.key,
            remote_id: config.remote_id,
            mark: config.mark,
            tag_len: armor.tag_len(),
            body_min: 4 + armor.sample_len().saturating_sub(armor.tag_len()),
            armor,
            ecn_enabled: config.ecn,
            numbers: Numbers::new(config.rng),
            sent,
            loss: LossDetection::new(config.peer_max_ack_delay, acked_at_once),
            marks: EcnSender::new(config.ecn),
            acked_end: 0,
            rtt: RttEstimator::new(config.initial_rtt),
            grant: 0,
            mtu_probes: Vec::new(),
            controls: Controls::default(),
            quiet: 0,
            replay,
            receipts,
            notices: LossNotices::default(),
            last_received: now,
            held_at: None,
            aside: None,
            monitor: Monitor::new(config.failed_after, now),
            condition: PathCondition::Good,
            events: Events::default(),
            exhausted: false,
            stats: ChannelStats::default(),
            fates: Fates::default(),
            tap: None,
        }
    }

    // Set-up

    /// Our packet number 0 left in a set-up message of `bytes` at `now`; `filled` tells whether what stands above put
    /// something into it. Call it again when the message is sent again.
    pub fn note_setup_sent(&mut self, now: Instant, bytes: usize, filled: bool, regulation: Option<&mut Regulation>) {
        let Some(entry) = self.sent.get_mut(0) else { return };
        if entry.state == State::Flight {
            entry.timed = false;
            return;
        }
        let size = u16::try_from(bytes).unwrap_or(u16::MAX);
        let (stamp, counted) = match regulation {
            Some(regulation) => (regulation.handle_sent(now, u64::from(size)), true),
            None => (blank_stamp(now), false),
        };
        let sent = Sent { stamp, size, counted, payload: filled, timed: true, ..blank(now, 0) };
        self.sent.rebook(0, sent);
        self.loss.handle_sent(now);
        self.monitor.handle_sent(now);
    }

    /// The peer's packet number 0 arrived in the set-up. If it was `taken`, it is acknowledged with the next packet
    /// that goes out, unless the set-up itself says so.
    pub fn note_setup_received(&mut self, now: Instant, taken: bool) {
        self.last_received = now;
        if taken {
            self.note_setup_taken(now);
        }
    }

    /// What arrived in the set-up has been taken in the meantime.
    pub fn note_setup_taken(&mut self, now: Instant) {
        self.receipts.redeem(now, 0, self.numbers.end());
        self.receipts.schedule(now, false);
    }

    /// The set-up says that our packet number 0 was taken.
    pub fn setup_acked(
        &mut self,
        now: Instant,
        regulation: Option<&mut Regulation>,
        above: &mut (impl Protocol + ?Sized),
    ) {
        let block = AckBlock {
            ranges: AckRanges::Wire { count: 1, largest: 0, bytes: &[0] },
            delay: 0,
            unredeemed: None,
            ecn: None,
        };
        // Number 0 has been sent, so this is no violation.
        let _: Result<(), Violation> = self.handle_ack(now, 0, &block, regulation);
        self.report(now, above);
    }

    // What the caller decides

    /// Queues a control frame for the next packet. NEW_ID, RETIRE_ID and CARRY are sent again until they arrive.
    ///
    /// # Errors
    /// When too many are unacknowledged.
    pub fn send_control(&mut self, control: Control<'static>) -> Result<(), ControlsFull> {
        self.controls.push(control)
    }

    /// Control frames that have not left, or whose acknowledgment is waited for; of so many there may be
    /// [`CONTROLS_MAX`](crate::CONTROLS_MAX).
    pub fn controls_unacked(&self) -> usize {
        self.controls.unacked()
    }

    /// Where no regulation is given: how many bytes of packets that ask for acknowledgment may leave from now on.
    /// Starts at 0; probes and bare acknowledgments need none.
    pub fn set_grant(&mut self, bytes: u64) {
        self.grant = bytes;
    }

    /// The channel goes another way from now on, with another regulation: what is in flight leaves the books of the
    /// `old` one, and the condition, the probes and the marks start anew. Fates of packets in flight still follow.
    pub fn change_path(&mut self, now: Instant, old: Option<&mut Regulation>) {
        let in_flight = self.sent.uncount();
        if let (None, Some(old)) = (self.aside.take(), old) {
            old.handle_discarded(in_flight);
        }
        self.loss.handle_path(now);
        self.marks.handle_path(self.ecn_enabled);
        self.rtt.reset();
        self.monitor.handle_hope(now, self.sent.outstanding() > 0);
    }

    /// Bytes of this channel's that are in the regulation's books.
    pub fn in_flight(&self) -> u64 {
        if self.aside.is_none() { self.sent.booked() } else { 0 }
    }

    /// Takes everything of this channel out of the regulation's books, at the channel's end.
    pub fn forget_in_flight(&mut self, regulation: &mut Regulation) {
        let in_flight = self.sent.uncount();
        if self.aside.is_none() {
            regulation.handle_discarded(in_flight);
        }
    }

    /// From now on the peer is addressed by another id of its own.
    pub fn set_remote_id(&mut self, id: ChannelId) {
        self.remote_id = id;
    }

    /// Longest time that the peer holds an acknowledgment back, once it has said so.
    pub fn set_peer_max_ack_delay(&mut self, delay: Duration) {
        self.loss.set_peer_max_ack_delay(delay);
    }

    /// By how much packets may be late at most because those that are lost on the way are repaired there: so much later
    /// they count as lost.
    pub fn set_repair_delay(&mut self, delay: Duration) {
        self.loss.set_repair_delay(delay);
    }

    /// After so many probes without an answer the path is stalled, in the place of
    /// [`STALLED_PROBES`](crate::STALLED_PROBES).
    pub fn set_stalled_probes(&mut self, probes: u32) {
        self.monitor.set_stalled_probes(probes);
    }

    /// Packets that can be booked.
    fn sent_room(&self) -> usize {
        self.sent.room(match self.mark {
            Mark::Channel => SENT_MAX,
            Mark::Section => SECTION_SENT_MAX,
        })
    }

    /// Whether another packet, and a skipped number before it, can be booked.
    fn has_sent_room(&self) -> bool {
        self.sent_room() >= 2
    }

    /// When an acknowledgment or a notice of losses on the link is due, if one could be sent.
    fn ack_due(&self) -> Option<Instant> {
        [self.receipts.due(), self.notices.due()]
            .into_iter()
            .flatten()
            .min()
            .filter(|_| !self.exhausted && self.has_sent_room())
    }

    /// No number is skipped any more.
    /// Without the bounds on control frames, to show what they are for.
    #[cfg(test)]
    pub(crate) fn without_control_bounds(&mut self) {
        (self.controls, self.events) = (Controls::unbounded(), Events::unbounded());
    }

    #[cfg(test)]
    pub(crate) fn stop_skipping(&mut self) {
        self.numbers.stop_skipping();
    }

    /// Nothing is known any more of what was received.
    #[cfg(test)]
    pub(crate) fn forget_received(&mut self, now: Instant) {
        self.replay = ReplayWindow::new(REPLAY_WINDOW, REPLAY_WINDOW_MAX, now);
    }

    /// Notes from now on what happens; `describe` knows the frames of what stands above. The caller takes the notes.
    pub fn watch(&mut self, describe: Describe) {
        self.tap = Some(Box::new(Tap::new(describe)));
    }

    /// Notes something that the channel's owner has seen happen to it, if somebody watches.
    pub fn note(&mut self, now: Instant, name: &'static str, data: impl FnOnce() -> Fields) {
        if let Some(tap) = &mut self.tap {
            tap.push(now, name, data());
        }
    }

    fn note_metrics(&mut self, now: Instant, regulation: Option<&Regulation>) {
        if let Some(tap) = &mut self.tap {
            tap.metrics(now, regulation.map_or(&self.rtt, Regulation::rtt), regulation);
        }
    }

    /// The next note, if somebody watches.
    pub fn poll_note(&mut self) -> Option<Note> {
        self.tap.as_mut()?.pop()
    }

    /// Nothing will be sealed or opened for a while: gives the keys back, which come again with the next packet.
    pub fn rest_keys(&mut self) {
        self.armor.shrink();
    }

    /// Nothing is expected for a while: gives back what can be had again at the next packet.
    pub fn shrink(&mut self) {
        self.rest_keys();
        self.numbers.shrink();
        self.sent.shrink();
        self.receipts.shrink();
        self.notices.shrink();
        self.fates.shrink();
        self.mtu_probes.shrink_to_fit();
    }

    /// Whether nothing is under way, nor owed to the peer.
    pub fn is_at_rest(&self) -> bool {
        self.sent.outstanding() == 0
            && self.mtu_probes.is_empty()
            && self.controls.unacked() == 0
            && self.receipts.due().is_none()
            && self.notices.due().is_none()
    }

    // What the caller asks

    /// What is left of the grant.
    pub fn grant(&self) -> u64 {
        self.grant
    }

    /// Whether [`poll_packet`](Channel::poll_packet) would write something, if packets of `len` bytes may leave.
    pub fn wants_to_send(&self, now: Instant, len: usize, above: &mut (impl Protocol + ?Sized)) -> bool {
        let content = above.wants_to_send(now, self.key) || self.controls.is_pending();
        let may = self.has_sent_room() && self.grant >= len as u64;
        !self.exhausted && (self.loss.is_probe_due() || content && may || self.ack_due().is_some_and(|due| due <= now))
    }

    /// When the peer last said that it holds something of ours and is there all the same, if it still does.
    pub fn held_at(&self) -> Option<Instant> {
        self.held_at.filter(|_| self.sent.outstanding() > 0)
    }

    /// Packets in flight that ask for acknowledgment.
    pub fn outstanding(&self) -> u64 {
        self.sent.outstanding() as u64
    }

    /// What is below says that packets of ours wait on the way: nobody is silent, and there is nothing to do about it
    /// here.
    pub fn handle_blocked(&mut self, now: Instant) {
        if self.sent.outstanding() > 0 {
            self.loss.handle_held(now);
            self.monitor.handle_progress(now, true);
        }
    }

    /// Whether there is an event to [poll](Channel::poll_event).
    #[inline]
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// The next event.
    pub fn poll_event(&mut self) -> Option<ChannelEvent> {
        self.events.pop()
    }

    /// What the protocol above calls it.
    pub fn key(&self) -> ChannelKey {
        self.key
    }

    /// The peer's name for it.
    pub fn remote_id(&self) -> ChannelId {
        self.remote_id
    }

    /// The path's condition.
    pub fn condition(&self) -> PathCondition {
        self.condition
    }

    /// Whether anything sent still waits for acknowledgment.
    pub fn is_outstanding(&self) -> bool {
        self.sent.outstanding() > 0
    }

    /// Probe timeouts since the peer last showed that something had arrived.
    pub fn unanswered_probes(&self) -> u32 {
        self.loss.unanswered()
    }

    /// Whether a probe timeout has passed since anything was acknowledged, and what left since may have been a probe.
    pub fn is_stuck(&self) -> bool {
        self.loss.is_stuck()
    }

    /// Since when nothing has arrived, or since when the peer has owed an answer if that is later (RFC 9000 section
    /// 10.1).
    pub fn idle_since(&self) -> Instant {
        self.monitor.waiting_since().map_or(self.last_received, |since| since.max(self.last_received))
    }

    /// When something authentic last arrived.
    pub fn last_received(&self) -> Instant {
        self.last_received
    }

    /// Since when something has been outstanding with none of it acknowledged, nor said to be held.
    pub fn waiting_since(&self) -> Option<Instant> {
        self.monitor.waiting_since()
    }

    /// Since when something has been outstanding with none of it acknowledged, on whatever path, and whatever the peer
    /// says to hold: but what is behind a neighbour may be blocked.
    pub fn unacknowledged_since(&self) -> Option<Instant> {
        self.monitor.unacknowledged_since()
    }

    /// When the peer last showed that something of ours had arrived.
    pub fn last_progress(&self) -> Instant {
        self.monitor.last_progress()
    }

    /// Time from sending to the first probe, as of now.
    pub fn pto(&self, regulation: Option<&Regulation>) -> Duration {
        self.loss.pto(self.rtt(regulation))
    }

    /// Round-trip times: the regulation's, or this channel's own where there is none.
    pub fn rtt<'a>(&'a self, regulation: Option<&'a Regulation>) -> &'a RttEstimator {
        regulation.map_or(&self.rtt, Regulation::rtt)
    }

    /// Counts.
    pub fn stats(&self) -> ChannelStats {
        self.stats
    }

    /// How often the peer has reported marks on our packets; none if they are not known to survive the path.
    pub fn marks(&self) -> Option<u64> {
        self.marks.is_capable().then_some(self.stats.marks_reported)
    }
}

fn blank_stamp(now: Instant) -> SendStamp {
    SendStamp {
        sent_at: now,
        first_sent_at: now,
        delivered: 0,
        delivered_at: now,
        lost: 0,
        in_flight: 0,
        app_limited: false,
    }
}

fn blank(now: Instant, size: u16) -> Sent {
    Sent {
        stamp: blank_stamp(now),
        ack_end: 0,
        size,
        state: State::Flight,
        counted: false,
        ect0: false,
        payload: false,
        control: false,
        timed: false,
    }
}
