//! The channel: one value for every row of the table "One channel, stacked".

use core::time::Duration;

use tng_base::{ChannelId, ChannelKey, Ecn, Fate, Instant, PathCondition, Protocol, Rng, Taken, Violation};
use tng_congestion::{
    AckSample, LossCause, LossSample, Permission, Regulation, RegulationConfig, RttEstimator, RttSample, SendStamp,
};
use tng_wire::{Reader, Repr, Writer};

use crate::control::{ChannelEvent, Controls, ControlsFull, Events};
use crate::ecn::{EcnReport, EcnSender};
use crate::loss::{LossDetection, Losses};
use crate::monitor::Monitor;
use crate::number::{Numbers, recover};
use crate::receive::{AckPolicy, Receipts};
use crate::replay::{REPLAY_WINDOW, REPLAY_WINDOW_MAX, ReplayWindow, Seen};
use crate::send::{Sent, SentPackets, State};
use crate::wire::{AckBlock, AckRanges, Control, FirstByte, NUMBER_AT};
use crate::{Armor, OpenError};

/// Close code: the peer broke the channel's rules.
pub const PROTOCOL_VIOLATION: u64 = 1;
/// Close code: the peer acknowledged what was never sent.
pub const UNSENT_ACKNOWLEDGED: u64 = 4;
/// Most probes of the path's MTU under way at once.
pub const MTU_PROBES_MAX: usize = 4;

/// Settings of a [`Channel`].
#[derive(Debug)]
pub struct Config {
    /// What the protocol above calls the channel.
    pub key: ChannelKey,
    /// The peer's name for the channel.
    pub remote_id: ChannelId,
    /// When to acknowledge.
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
            ack,
            peer_max_ack_delay: ack.max_delay,
            initial_rtt: RegulationConfig::default().initial_rtt,
            replay_window: (REPLAY_WINDOW, REPLAY_WINDOW_MAX),
            failed_after: Duration::from_secs(20),
            ecn: true,
            rng,
        }
    }
}

/// A packet that was opened and accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received {
    /// Its number.
    pub number: u64,
    /// No higher number had arrived before: its source address is the peer's latest.
    pub newest: bool,
    /// It asks for acknowledgment.
    pub eliciting: bool,
}

/// Why a packet came to nothing. Only [`Violation`](Discard::Violation) calls for an answer: close the channel with it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Discard {
    /// It is not a channel packet.
    #[error("not a channel packet; look at the first byte before choosing a channel")]
    Foreign,
    /// It is shorter than any packet of this channel.
    #[error("too short for a packet of this channel; ignore it, or compare it with the stateless reset tokens")]
    TooShort,
    /// Its number has been received before.
    #[error("received before; ignore it")]
    Replayed,
    /// Its number lies below the replay window.
    #[error("too old to tell whether it was received before; ignore it")]
    TooOld,
    /// It is not authentic.
    #[error("not authentic; ignore it, or compare it with the stateless reset tokens")]
    Forged,
    /// The keys may open nothing more.
    #[error("the keys have reached their limit; move to a new channel")]
    Exhausted,
    /// It is authentic and breaks the protocol.
    #[error("the peer broke the protocol ({}); close the channel with code {}", .0.reason, .0.code)]
    Violation(Violation),
}

/// A packet ready to leave, at the start of the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sealed {
    /// Its bytes.
    pub len: usize,
    /// Its number.
    pub number: u64,
    /// The codepoint to send it with.
    pub ecn: Ecn,
    /// It asks for acknowledgment.
    pub eliciting: bool,
}

/// What there is to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Poll {
    /// This packet.
    Packet(Sealed),
    /// Nothing.
    Nothing,
    /// Something, when the pacer releases it.
    At(Instant),
    /// Something, when acknowledgments or the caller's [`grant`](Channel::set_grant) allow it.
    Blocked,
}

/// What [`Channel::build_control`] builds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ControlKind {
    /// A packet that is sent once and whose fate nobody asks.
    Plain,
    /// A probe of the path's MTU: its fate is told as [`ChannelEvent::MtuProbe`], and its loss is no sign of congestion.
    MtuProbe,
}

/// Counts since the channel began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChannelStats {
    /// Packets sent, number 0 not included.
    pub packets_sent: u64,
    /// Their bytes.
    pub bytes_sent: u64,
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

/// So many packets without a request for acknowledgment, and the next one asks: the peer's answer lets us forget old ranges.
const QUIET_MAX: u32 = 32;

#[derive(Clone, Copy, Debug)]
struct MtuProbe {
    number: u64,
    size: u16,
    deadline: Instant,
}

/// Numbered, acknowledged, possibly regulated, possibly armored packets between two hosts (SST 4.2, Tng 6.1). Best effort,
/// unordered.
///
/// The regulation is the caller's, since channels on one path share it, and is passed in with each call; always the one of
/// the path that the channel is on, or always none. Without it the caller [grants](Channel::set_grant) bytes. What stands
/// above is passed in, too; its own timers are its owner's business.
#[derive(Debug)]
pub struct Channel {
    key: ChannelKey,
    remote_id: ChannelId,
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
    /// Packets sent since the last one that asked for acknowledgment.
    quiet: u32,

    replay: ReplayWindow,
    receipts: Receipts,
    last_received: Instant,

    monitor: Monitor,
    condition: PathCondition,
    events: Events,
    exhausted: bool,
    stats: ChannelStats,
    /// Fates found in the call under way, for the protocol above; kept for its memory.
    fates: Vec<(u64, Fate)>,
}

/// A packet being written: its header is not there yet.
#[derive(Clone, Copy, Debug)]
struct Draft {
    number: u64,
    number_len: usize,
    /// Bytes from the end of the header on.
    body: usize,
    ack: bool,
    /// Where the control block starts, or would, counted from the end of the header.
    control_at: usize,
    control: bool,
}

impl Channel {
    /// A channel whose set-up is under way or done. Number 0 rides in the set-up: see
    /// [`note_setup_sent`](Channel::note_setup_sent) and [`note_setup_received`](Channel::note_setup_received).
    pub fn new(config: Config, armor: Box<dyn Armor>, now: Instant) -> Channel {
        let mut replay = ReplayWindow::new(config.replay_window.0, config.replay_window.1, now);
        replay.commit(0, now);
        let mut receipts = Receipts::new(config.ack);
        receipts.handle_arrival(0, Ecn::NotEct);
        let mut sent = SentPackets::default();
        sent.push(Sent { state: State::Quiet, ..blank(now, 0) });
        Channel {
            key: config.key,
            remote_id: config.remote_id,
            tag_len: armor.tag_len(),
            body_min: 4 + armor.sample_len().saturating_sub(armor.tag_len()),
            armor,
            ecn_enabled: config.ecn,
            numbers: Numbers::new(config.rng),
            sent,
            loss: LossDetection::new(config.peer_max_ack_delay),
            marks: EcnSender::new(config.ecn),
            acked_end: 0,
            rtt: RttEstimator::new(config.initial_rtt),
            grant: 0,
            mtu_probes: Vec::new(),
            controls: Controls::default(),
            quiet: 0,
            replay,
            receipts,
            last_received: now,
            monitor: Monitor::new(config.failed_after, now),
            condition: PathCondition::Good,
            events: Events::default(),
            exhausted: false,
            stats: ChannelStats::default(),
            fates: Vec::new(),
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

    /// The peer's packet number 0 arrived in the set-up. If it was `taken`, it is acknowledged with the next packet that goes
    /// out, unless the set-up itself says so.
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
        let _: Result<(), Violation> = self.handle_ack(now, &block, regulation);
        self.report(now, above);
    }

    // Receiving

    /// Takes one packet, opening it in place. `ecn` is the codepoint that it arrived with.
    ///
    /// # Errors
    /// Why it came to nothing. Nothing but the counts has changed then, except after [`Discard::Violation`].
    pub fn handle_packet(
        &mut self,
        now: Instant,
        ecn: Ecn,
        packet: &mut [u8],
        regulation: Option<&mut Regulation>,
        above: &mut (impl Protocol + ?Sized),
    ) -> Result<Received, Discard> {
        let (number, first, body) = self.open(packet)?;
        self.replay.commit(number, now);
        self.last_received = now;
        self.stats.packets_received += 1;
        self.stats.bytes_received += packet.len() as u64;
        self.stats.marks_received += u64::from(ecn == Ecn::Ce);
        let newest = number + 1 == self.replay.end();
        let at_once = self.receipts.handle_arrival(number, ecn);

        let mut reader = Reader::new(&packet[body]);
        if first.ack {
            let block = AckBlock::parse(&mut reader).map_err(|_| violation("malformed acknowledgment"))?;
            self.handle_ack(now, &block, regulation).map_err(Discard::Violation)?;
        }
        let mut eliciting = false;
        if first.control {
            eliciting = self.handle_controls(&mut reader)?;
        }
        // Fates first: what stands above may want to send in answer, with the newest knowledge.
        self.report(now, above);
        let payload = reader.rest();
        let taken = if payload.is_empty() {
            Taken::All
        } else {
            eliciting = true;
            above.handle_packet(now, self.key, payload).map_err(Discard::Violation)?
        };
        match taken {
            Taken::All => {
                self.receipts.redeem(now, number, self.numbers.end());
                if eliciting {
                    self.receipts.schedule(now, at_once);
                }
            }
            Taken::Later => self.receipts.hold(now, number),
            Taken::Refused => {}
        }
        Ok(Received { number, newest, eliciting })
    }

    /// The held packet `number` has been passed on: its receipt is redeemed, its sender hears of it.
    pub fn redeem(&mut self, now: Instant, number: u64) {
        if self.receipts.holds(number) {
            self.receipts.redeem(now, number, self.numbers.end());
            self.receipts.schedule(now, false);
        }
    }

    /// The held packet `number` was dropped: its receipt will never be redeemed.
    pub fn forfeit(&mut self, number: u64) {
        self.receipts.forfeit(number);
    }

    fn open(&mut self, packet: &mut [u8]) -> Result<(u64, FirstByte, core::ops::Range<usize>), Discard> {
        if !FirstByte::marks_channel(*packet.first().ok_or(Discard::TooShort)?) {
            return Err(Discard::Foreign);
        }
        if packet.len() < NUMBER_AT + self.body_min + self.tag_len {
            return Err(Discard::TooShort);
        }
        self.armor.unprotect(NUMBER_AT, packet).ok_or(Discard::TooShort)?;
        let first = FirstByte::from_byte(packet[0]);
        let header_len = NUMBER_AT + first.number_len;
        let truncated = packet[NUMBER_AT..header_len].iter().fold(0, |n, &byte| n << 8 | u32::from(byte));
        let number = recover(self.replay.end(), truncated, first.number_len);
        match self.replay.check(number) {
            Seen::New => {}
            Seen::Before => {
                self.stats.replayed += 1;
                return Err(Discard::Replayed);
            }
            Seen::TooOld => {
                self.stats.replayed += 1;
                return Err(Discard::TooOld);
            }
        }
        match self.armor.open(number, first.phase, header_len, packet) {
            Ok(len) => Ok((number, first, header_len..header_len + len)),
            Err(OpenError::Forged) => {
                self.stats.forged += 1;
                Err(Discard::Forged)
            }
            Err(OpenError::Exhausted) => Err(Discard::Exhausted),
        }
    }

    /// Reads the control block; answers whether one of its frames asks for acknowledgment.
    fn handle_controls(&mut self, reader: &mut Reader<'_>) -> Result<bool, Discard> {
        let len = reader.varint().map_err(|_| violation("malformed control block"))?;
        let len = usize::try_from(len).map_err(|_| violation("malformed control block"))?;
        let block = reader.bytes(len).map_err(|_| violation("malformed control block"))?;
        let mut frames = Reader::new(block);
        let mut eliciting = false;
        while !frames.is_empty() {
            let control = Control::parse(&mut frames).map_err(|_| violation("malformed control frame"))?;
            eliciting |= control.is_eliciting();
            if !self.events.push_control(control) {
                return Err(violation("too many control frames"));
            }
        }
        Ok(eliciting)
    }

    fn handle_ack(
        &mut self,
        now: Instant,
        block: &AckBlock<'_>,
        mut regulation: Option<&mut Regulation>,
    ) -> Result<(), Violation> {
        for range in block.ranges.iter() {
            if self.numbers.holds_unsent(range.start, range.end) {
                return Err(Violation { code: UNSENT_ACKNOWLEDGED, reason: "acknowledgment of an unsent packet" });
            }
        }
        let mut newly = Newly::default();
        let fates = self.fates.len();
        for range in block.ranges.iter() {
            let (loss, controls) = (&mut self.loss, &mut self.controls);
            let (receipts, fates) = (&mut self.receipts, &mut self.fates);
            self.sent.acknowledge(range, |number, sent| {
                newly.add(number, sent);
                if sent.payload {
                    fates.push((number, Fate::Acked));
                }
                if sent.control {
                    controls.handle_acked(number);
                }
                if sent.ack_end > 0 {
                    receipts.handle_ack_acked(number, sent.ack_end);
                }
                if sent.state == State::Lost {
                    loss.handle_spurious(now, sent);
                }
                if sent.timed {
                    loss.handle_acked(now, number, sent);
                }
            });
        }
        // Ranges come highest first, what stands above likes its oldest packets first.
        self.fates[fates..].reverse();
        self.settle_mtu_probes(now, regulation.as_deref_mut(), &newly);
        if block.unredeemed.is_some() && self.sent.outstanding() > 0 {
            self.loss.handle_sign();
            self.monitor.handle_progress(now, true);
        }
        let Some(highest) = newly.highest else { return Ok(()) };
        self.armor.handle_acked(highest);
        let raised = highest >= self.acked_end;
        self.acked_end = self.acked_end.max(highest + 1);
        if newly.eliciting {
            self.loss.handle_progress(now);
            self.monitor.handle_progress(now, self.sent.outstanding() > 0);
        }
        self.stats.spurious += newly.spurious;
        let rtt = newly.timed.filter(|_| raised && block.ranges.largest() == Some(highest)).map(|sent_at| RttSample {
            latest: now.since(sent_at),
            ack_delay: block.delay().min(self.loss.peer_max_ack_delay()),
        });
        match regulation.as_deref_mut() {
            None => {
                if let Some(sample) = rtt {
                    self.rtt.handle_sample(now, sample);
                }
            }
            Some(regulation) => newly.tell(now, rtt, regulation),
        }
        if raised {
            self.handle_marks(now, &newly, block, regulation.as_deref_mut());
        }
        self.find_losses(now, regulation);
        Ok(())
    }

    fn handle_marks(&mut self, now: Instant, newly: &Newly, block: &AckBlock<'_>, regulation: Option<&mut Regulation>) {
        match self.marks.handle_ack(newly.ect0, block.ecn) {
            EcnReport::Nothing => {}
            EcnReport::Failed => self.events.push(ChannelEvent::EcnFailed),
            EcnReport::Marked => {
                self.stats.marks_reported += 1;
                if let (Some(regulation), Some(newest)) = (regulation, newly.newest) {
                    regulation.handle_loss(now, &LossSample { bytes: 0, newest, cause: LossCause::Ecn });
                }
            }
        }
    }

    fn find_losses(&mut self, now: Instant, regulation: Option<&mut Regulation>) {
        let rtt = *self.rtt(regulation.as_deref());
        let (controls, fates, stats) = (&mut self.controls, &mut self.fates, &mut self.stats);
        let end = self.numbers.end();
        let losses = self.loss.detect(now, &mut self.sent, &rtt, end, |number, sent| {
            stats.lost += 1;
            if sent.payload {
                fates.push((number, Fate::Lost));
            }
            if sent.control {
                controls.handle_lost(number);
            }
        });
        let Losses { bytes, newest, persistent } = losses;
        if let (Some(regulation), Some(newest)) = (regulation, newest) {
            let cause = if persistent { LossCause::PersistentCongestion } else { LossCause::Loss };
            regulation.handle_loss(now, &LossSample { bytes, newest, cause });
        }
        let horizon = if self.sent.has_room() { self.loss.horizon(now, &rtt) } else { Instant::FAR_FUTURE };
        self.sent.settle(self.acked_end, horizon);
    }

    /// Tells of probes of the MTU that have arrived, or whose time is over.
    fn settle_mtu_probes(&mut self, now: Instant, mut regulation: Option<&mut Regulation>, newly: &Newly) {
        let mut at = 0;
        while let Some(&MtuProbe { number, size, deadline }) = self.mtu_probes.get(at) {
            let acked = newly.mtu_probes.contains(&Some(number));
            if !acked && deadline > now {
                at += 1;
                continue;
            }
            self.mtu_probes.remove(at);
            if !acked && let Some(sent) = self.sent.get_mut(number) {
                sent.state = State::Quiet;
                if let (true, Some(regulation)) = (sent.counted, regulation.as_deref_mut()) {
                    // A packet that is too large says nothing of congestion.
                    regulation.handle_discarded(u64::from(size));
                }
            }
            self.events.push(ChannelEvent::MtuProbe { number, size: usize::from(size), acked });
        }
    }

    /// Passes on what was found: fates, and the path's condition.
    fn report(&mut self, now: Instant, above: &mut (impl Protocol + ?Sized)) {
        let mut fates = core::mem::take(&mut self.fates);
        for (number, fate) in fates.drain(..) {
            above.handle_fate(now, self.key, number, fate);
        }
        self.fates = fates;
        if self.monitor.condition() != self.condition {
            self.condition = self.monitor.condition();
            self.events.push(ChannelEvent::Condition(self.condition));
            above.handle_path(now, self.key, self.condition);
        }
    }

    // Sending

    /// Writes the next packet to the start of `buf`, which is exactly as large as a packet may be. Call it until it answers
    /// something else than a packet: after each batch of received packets, after each timeout, and when what stands above
    /// has something new to send.
    pub fn poll_packet(
        &mut self,
        now: Instant,
        mut regulation: Option<&mut Regulation>,
        buf: &mut [u8],
        above: &mut (impl Protocol + ?Sized),
    ) -> Poll {
        if self.exhausted {
            return Poll::Nothing;
        }
        let probe = self.loss.is_probe_due();
        let content = above.wants_to_send(self.key) || self.controls.is_pending();
        let mut wait = Poll::Nothing;
        if probe || content {
            let permission = if probe {
                Permission::Now
            } else if !self.sent.has_room() {
                Permission::Blocked
            } else {
                match regulation.as_deref_mut() {
                    Some(regulation) => regulation.permission(now, buf.len() as u64),
                    None if self.grant >= buf.len() as u64 => Permission::Now,
                    None => Permission::Blocked,
                }
            };
            match permission {
                Permission::Now => {
                    if let Some(sealed) = self.fill(now, regulation.as_deref_mut(), buf, probe, Some(above)) {
                        return Poll::Packet(sealed);
                    }
                }
                Permission::At(at) => wait = Poll::At(at),
                Permission::Blocked => wait = Poll::Blocked,
            }
        }
        if self.receipts.due().is_some_and(|due| due <= now) {
            // An acknowledgment alone; once in a while it asks for an acknowledgment itself, unless one is awaited anyway.
            let ask = self.quiet >= QUIET_MAX && self.sent.outstanding() == 0;
            let nobody: Option<&mut dyn Protocol> = None;
            if let Some(sealed) = self.fill(now, regulation, buf, ask, nobody) {
                return Poll::Packet(sealed);
            }
        } else if let (Poll::Nothing, Some(regulation)) = (wait, regulation) {
            regulation.handle_app_limited();
        }
        wait
    }

    /// Writes one packet: acknowledgment, control frames and payload as there are, all of them only if `above` is given; a
    /// PING if it would otherwise not ask for acknowledgment and must.
    fn fill(
        &mut self,
        now: Instant,
        regulation: Option<&mut Regulation>,
        buf: &mut [u8],
        ask: bool,
        above: Option<&mut (impl Protocol + ?Sized)>,
    ) -> Option<Sealed> {
        let mut draft = self.draft(buf)?;
        let number = draft.number;
        let end = buf.len() - self.tag_len;
        let mut writer = Writer::new(&mut buf[NUMBER_AT + draft.number_len..end]);
        if self.receipts.due().is_some() {
            draft.ack = self.write_ack(now, &mut writer);
        }
        draft.control_at = writer.position();
        let (mut controls, mut payload) = (0, false);
        if let Some(above) = above {
            controls = self.write_controls(&mut writer);
            let tail = writer.tail();
            if let Some(filled) = above.poll_packet(now, self.key, number, tail).filter(|filled| filled.len > 0) {
                writer.advance(filled.len);
                payload = true;
            }
        }
        draft.control = controls > 0;
        if ask && !payload && controls == 0 {
            draft.control = write_frames(&mut writer, &[Control::Ping], 0).is_some();
        }
        draft.body = writer.position();
        let eliciting = payload || draft.control;
        if !eliciting && !draft.ack {
            return None;
        }
        let control = self.controls.handle_sent(number, controls);
        let state = if eliciting { State::Flight } else { State::Quiet };
        self.finish(now, regulation, buf, draft, Sent { state, payload, control, timed: true, ..blank(now, 0) })
    }

    /// Builds a packet of control frames alone, for a path of the caller's choice: CHALLENGE, RESPONSE, CLOSE, probes of the
    /// MTU. `pad_to` is the whole packet's length. The regulation is the channel's own if the packet goes its way, and none
    /// if it goes another; only an MTU probe counts in it. Answers `None` if the frames do not fit into `buf`, if there are
    /// [`MTU_PROBES_MAX`] probes under way, or the keys are used up.
    pub fn build_control(
        &mut self,
        now: Instant,
        controls: &[Control<'_>],
        pad_to: Option<usize>,
        buf: &mut [u8],
        kind: ControlKind,
        regulation: Option<&mut Regulation>,
    ) -> Option<Sealed> {
        let probe = kind == ControlKind::MtuProbe;
        if self.exhausted || !self.sent.has_room() || (probe && self.mtu_probes.len() >= MTU_PROBES_MAX) {
            return None;
        }
        let mut draft = self.draft(buf)?;
        let header_len = NUMBER_AT + draft.number_len;
        let end = buf.len() - self.tag_len;
        let mut writer = Writer::new(&mut buf[header_len..end]);
        let pad_to = pad_to.unwrap_or(0).saturating_sub(header_len + self.tag_len);
        write_frames(&mut writer, controls, pad_to)?;
        draft.control = true;
        draft.body = writer.position();
        let eliciting = probe || controls.iter().any(Control::is_eliciting);
        let state = if probe { State::MtuProbe } else { State::Quiet };
        let rtt = *self.rtt(regulation.as_deref());
        let regulation = regulation.filter(|_| probe);
        let sealed = self.finish(now, regulation, buf, draft, Sent { state, ..blank(now, 0) })?;
        if probe {
            let deadline = now + self.loss.pto(&rtt);
            self.mtu_probes.push(MtuProbe { number: sealed.number, size: sealed.len as u16, deadline });
        }
        Some(Sealed { eliciting, ..sealed })
    }

    /// The next packet's number and header, to be written when the rest is there. `None` if `buf` holds no packet.
    fn draft(&self, buf: &[u8]) -> Option<Draft> {
        let (number, _) = self.numbers.peek();
        let number_len = crate::number::truncated_len(number, self.acked_end.checked_sub(1));
        let room = buf.len() >= NUMBER_AT + number_len + self.body_min + self.tag_len + 4;
        (room && buf.len() <= usize::from(u16::MAX)).then_some(Draft {
            number,
            number_len,
            body: 0,
            ack: false,
            control_at: 0,
            control: false,
        })
    }

    /// Writes the acknowledgment block with as many ranges as fit; answers whether any do.
    fn write_ack(&mut self, now: Instant, writer: &mut Writer<'_>) -> bool {
        let mut ranges = crate::wire::ACK_RANGES_MAX;
        let start = writer.position();
        while self.receipts.block(now, ranges).emit(writer).is_err() {
            writer.rewind(start);
            if ranges == 0 {
                return false;
            }
            ranges /= 2;
        }
        true
    }

    /// Writes the queued control frames that fit; answers how many.
    fn write_controls(&mut self, writer: &mut Writer<'_>) -> usize {
        let (mut count, mut len) = (0, 0);
        for control in self.controls.queued() {
            len += control.wire_len();
            if len + 2 > writer.left() {
                break;
            }
            count += 1;
        }
        if count > 0 {
            let written = write_block(writer, self.controls.queued().take(count), 0);
            debug_assert!(written.is_some(), "their length was summed up");
        }
        count
    }

    /// Header, seal, mask, and the books.
    fn finish(
        &mut self,
        now: Instant,
        regulation: Option<&mut Regulation>,
        buf: &mut [u8],
        mut draft: Draft,
        mut sent: Sent,
    ) -> Option<Sealed> {
        self.stretch(buf, &mut draft);
        let Draft { number, number_len, body, ack, control, .. } = draft;
        let phase = self.armor.send_phase(number);
        buf[0] = FirstByte { phase, ack, control, number_len }.to_byte();
        buf[1..NUMBER_AT].copy_from_slice(&self.remote_id.to_bytes());
        let header_len = NUMBER_AT + number_len;
        buf[NUMBER_AT..header_len].copy_from_slice(&number.to_be_bytes()[8 - number_len..]);
        let len = header_len + body + self.tag_len;
        let packet = &mut buf[..len];
        if self.armor.seal(number, header_len, packet).is_err() {
            self.exhausted = true;
            self.events.push(ChannelEvent::Exhausted);
            return None;
        }
        self.armor.protect(NUMBER_AT, number_len, packet);

        if self.numbers.peek().1 {
            self.sent.push(Sent { state: State::Skipped, ..blank(now, 0) });
        }
        self.numbers.take(self.sent.outstanding());
        if ack {
            sent.ack_end = self.receipts.handle_sent();
            self.stats.acks_sent += 1;
        }
        let ecn = self.marks.codepoint();
        self.marks.handle_sent(ecn);
        sent.ect0 = ecn == Ecn::Ect0;
        sent.size = len as u16;
        let eliciting = sent.state == State::Flight;
        self.quiet = if eliciting { 0 } else { self.quiet + 1 };
        if eliciting {
            self.loss.handle_sent(now);
            self.monitor.handle_sent(now);
            self.grant = self.grant.saturating_sub(len as u64);
        } else if sent.state == State::Quiet && ack {
            self.stats.acks_alone += 1;
        }
        if let (State::Flight | State::MtuProbe, Some(regulation)) = (sent.state, regulation) {
            sent.stamp = regulation.handle_sent(now, len as u64);
            sent.counted = true;
        }
        self.sent.push(sent);
        self.stats.packets_sent += 1;
        self.stats.bytes_sent += len as u64;
        Some(Sealed { len, number, ecn, eliciting })
    }

    /// Makes a packet long enough for its header to be masked: a longer number, then padding.
    fn stretch(&self, buf: &mut [u8], draft: &mut Draft) {
        if draft.number_len + draft.body >= self.body_min {
            return;
        }
        let start = NUMBER_AT + draft.number_len;
        let number_len = (self.body_min - draft.body).min(4);
        buf.copy_within(start..start + draft.body, NUMBER_AT + number_len);
        draft.number_len = number_len;
        let missing = self.body_min.saturating_sub(number_len + draft.body);
        if missing == 0 {
            return;
        }
        // The block's length, which is below 64 and so one byte, then as many PADs.
        let at = NUMBER_AT + number_len + draft.control_at;
        let from = at + usize::from(draft.control);
        let held = if draft.control { buf[at] } else { 0 };
        let rest = from..NUMBER_AT + number_len + draft.body;
        let pads = missing - usize::from(!draft.control);
        buf.copy_within(rest, at + 1 + pads);
        buf[at] = held + pads as u8;
        buf[at + 1..at + 1 + pads].fill(0);
        draft.body += missing;
        draft.control = true;
    }

    /// Queues a control frame for the next packet. NEW_ID and RETIRE_ID are sent again until they arrive.
    ///
    /// # Errors
    /// When too many are unacknowledged.
    pub fn send_control(&mut self, control: Control<'static>) -> Result<(), ControlsFull> {
        self.controls.push(control)
    }

    /// Where no regulation is given: how many bytes of packets that ask for acknowledgment may leave from now on. Starts at 0;
    /// probes and bare acknowledgments need none.
    pub fn set_grant(&mut self, bytes: u64) {
        self.grant = bytes;
    }

    /// What is left of the grant.
    pub fn grant(&self) -> u64 {
        self.grant
    }

    // Time

    /// When [`handle_timeout`](Channel::handle_timeout) wants to be called.
    pub fn poll_timeout(&mut self, regulation: Option<&Regulation>) -> Option<Instant> {
        let rtt = *self.rtt(regulation);
        let loss = self.loss.loss_time(&mut self.sent, &rtt).or_else(|| self.loss.probe_time(&self.sent, &rtt));
        let mtu_probe = self.mtu_probes.iter().map(|probe| probe.deadline).min();
        [loss, mtu_probe, self.receipts.due(), self.monitor.timeout()].into_iter().flatten().min()
    }

    /// Takes note that time has passed; then [`poll_packet`](Channel::poll_packet).
    pub fn handle_timeout(
        &mut self,
        now: Instant,
        mut regulation: Option<&mut Regulation>,
        above: &mut (impl Protocol + ?Sized),
    ) {
        let rtt = *self.rtt(regulation.as_deref());
        self.settle_mtu_probes(now, regulation.as_deref_mut(), &Newly::default());
        match self.loss.loss_time(&mut self.sent, &rtt) {
            Some(at) if at <= now => self.find_losses(now, regulation),
            Some(_) => {}
            None if self.loss.probe_time(&self.sent, &rtt).is_some_and(|at| at <= now) => self.probe(now),
            None => {}
        }
        self.monitor.handle_timeout(now);
        self.report(now, above);
    }

    /// Nothing was heard for a probe timeout: asks again, if possible with the oldest content outstanding.
    fn probe(&mut self, now: Instant) {
        let probes = self.loss.handle_probe_time(now, &self.sent);
        self.stats.probe_timeouts += 1;
        let unanswered = self.loss.unanswered();
        self.monitor.handle_probe(unanswered);
        if self.marks.handle_probe(unanswered) {
            self.events.push(ChannelEvent::EcnFailed);
        }
        let Some((oldest, _)) = self.sent.oldest() else { return };
        let (fates, controls) = (&mut self.fates, &mut self.controls);
        for (number, sent) in self.sent.flight(oldest).filter(|(_, s)| s.payload || s.control).take(probes) {
            if sent.payload {
                fates.push((number, Fate::Doubtful));
            }
            if sent.control {
                controls.handle_lost(number);
            }
        }
    }

    // The path

    /// The channel goes another way from now on, with another regulation: what is in flight leaves the books of the `old` one,
    /// and the condition, the probes and the marks start anew. Fates of packets in flight still follow.
    pub fn change_path(&mut self, now: Instant, old: Option<&mut Regulation>) {
        if let Some(old) = old {
            self.forget_in_flight(old);
        }
        self.loss.handle_path(now);
        self.marks.handle_path(self.ecn_enabled);
        self.rtt.reset();
        self.monitor.handle_progress(now, self.sent.outstanding() > 0);
    }

    /// Takes everything of this channel out of the regulation's books, at the channel's end.
    pub fn forget_in_flight(&mut self, regulation: &mut Regulation) {
        regulation.handle_discarded(self.sent.uncount());
    }

    /// The peer is to be addressed by another id of its own.
    pub fn set_remote_id(&mut self, id: ChannelId) {
        self.remote_id = id;
    }

    /// Longest time that the peer holds an acknowledgment back, once it has said so.
    pub fn set_peer_max_ack_delay(&mut self, delay: Duration) {
        self.loss.set_peer_max_ack_delay(delay);
    }

    // Questions

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

    /// When the last authentic packet arrived.
    pub fn last_received(&self) -> Instant {
        self.last_received
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
}

/// What one acknowledgment newly covers.
#[derive(Debug, Default)]
struct Newly {
    /// The highest number.
    highest: Option<u64>,
    /// Whether any of it had asked for acknowledgment.
    eliciting: bool,
    /// Send time of the highest, if its round trip can be timed.
    timed: Option<Instant>,
    /// Bytes in the regulation's books, and the newest stamp.
    bytes: u64,
    newest: Option<SendStamp>,
    /// The same for what had been found lost.
    late_bytes: u64,
    late: Option<SendStamp>,
    spurious: u64,
    ect0: u64,
    mtu_probes: [Option<u64>; MTU_PROBES_MAX],
}

impl Newly {
    /// Called with falling numbers.
    fn add(&mut self, number: u64, sent: &Sent) {
        let eliciting = matches!(sent.state, State::Flight | State::Lost);
        if self.highest.is_none() {
            self.highest = Some(number);
            self.timed = (sent.timed && eliciting).then_some(sent.sent_at());
        }
        self.eliciting |= eliciting;
        self.ect0 += u64::from(sent.ect0);
        match sent.state {
            State::Lost => {
                self.spurious += 1;
                if sent.counted {
                    self.late_bytes += u64::from(sent.size);
                    self.late.get_or_insert(sent.stamp);
                }
            }
            State::MtuProbe => {
                if let Some(free) = self.mtu_probes.iter_mut().find(|p| p.is_none()) {
                    *free = Some(number);
                }
            }
            _ => {}
        }
        if sent.counted && matches!(sent.state, State::Flight | State::MtuProbe) {
            self.bytes += u64::from(sent.size);
            self.newest.get_or_insert(sent.stamp);
        }
    }

    fn tell(&self, now: Instant, rtt: Option<RttSample>, regulation: &mut Regulation) {
        if let Some(newest) = self.late {
            let late = LossSample { bytes: self.late_bytes, newest, cause: LossCause::Loss };
            regulation.handle_spurious(now, &late);
        }
        if let Some(newest) = self.newest {
            regulation.handle_ack(now, &AckSample { bytes: self.bytes, newest, rtt });
        }
    }
}

fn violation(reason: &'static str) -> Discard {
    Discard::Violation(Violation { code: PROTOCOL_VIOLATION, reason })
}

fn blank_stamp(now: Instant) -> SendStamp {
    SendStamp { sent_at: now, first_sent_at: now, delivered: 0, delivered_at: now, in_flight: 0, app_limited: false }
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

/// Writes a control block of these frames, filled up with PADs to `pad_to` bytes in all. `None`, with nothing written, if it
/// does not fit.
fn write_frames(writer: &mut Writer<'_>, controls: &[Control<'_>], pad_to: usize) -> Option<()> {
    write_block(writer, controls.iter(), pad_to)
}

fn write_block<'a, 'c: 'a>(
    writer: &mut Writer<'_>,
    controls: impl Iterator<Item = &'a Control<'c>> + Clone,
    pad_to: usize,
) -> Option<()> {
    let frames: usize = controls.clone().map(Repr::wire_len).sum();
    let mut len = frames;
    if pad_to > 0 {
        // The length itself takes one byte up to 63 and two up to 16383.
        len = len.max(pad_to.saturating_sub(if pad_to <= 64 { 1 } else { 2 }));
    }
    if writer.left() < tng_wire::varint_len(len as u64) + len {
        return None;
    }
    writer.varint(len as u64).ok()?;
    for control in controls {
        control.emit(writer).ok()?;
    }
    writer.room(len - frames).ok()?.fill(0);
    Some(())
}
