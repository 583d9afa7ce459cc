//! What becomes of sent packets.

use tng_base::{Fate, Instant, Protocol, Violation};
use tng_congestion::{AckSample, LossCause, LossSample, Regulation, RttSample, SendStamp};

use super::{Channel, MTU_PROBES_MAX, MtuProbe, UNSENT_ACKNOWLEDGED};
use crate::control::ChannelEvent;
use crate::ecn::EcnReport;
use crate::loss::Losses;
use crate::send::{Sent, State};
use crate::wire::{AckBlock, Mark};

impl Channel {
    /// The peer's packet `number` holds this block.
    pub(super) fn handle_ack(
        &mut self,
        now: Instant,
        number: u64,
        block: &AckBlock<'_>,
        mut regulation: Option<&mut Regulation>,
    ) -> Result<(), Violation> {
        if self.numbers.hold_unsent(block.ranges.iter()) {
            return Err(Violation { code: UNSENT_ACKNOWLEDGED, reason: "acknowledgment of an unsent packet" });
        }
        let mut newly = Newly::default();
        let booked = self.sent.booked();
        let settled = self.sent.base();
        // What is settled may be told of for long.
        for range in block.ranges.iter().take_while(|range| range.end > settled) {
            let (loss, controls) = (&mut self.loss, &mut self.controls);
            let (receipts, fates, tap) = (&mut self.receipts, &mut self.fates, &mut self.tap);
            self.sent.acknowledge(range, |number, sent| {
                newly.add(number, sent);
                if sent.payload {
                    fates.push(number, Fate::Acked);
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
                if let (State::Lost | State::LostOnLink, Some(tap)) = (sent.state, &mut *tap) {
                    tap.spurious(now, number);
                }
                if sent.timed {
                    loss.handle_acked(now, number, sent);
                }
            });
        }
        self.fates.reverse();
        if self.aside.is_some()
            && (newly.highest.is_some() || block.unredeemed.is_some())
            && let Some(regulation) = regulation.as_deref_mut()
            && !self.come_back(now, booked, regulation)
        {
            newly.strike();
        }
        self.settle_mtu_probes(now, regulation.as_deref_mut(), &newly);
        self.held_at = None;
        if block.unredeemed.is_some() && self.sent.outstanding() > 0 {
            self.held_at = newly.highest.is_none().then_some(now);
            self.loss.handle_held(now);
            match self.mark {
                Mark::Section => self.monitor.handle_progress(now, true),
                Mark::Channel => self.monitor.handle_hope(now, true),
            }
        }
        let Some(highest) = newly.highest else {
            self.handle_marks(now, number, &newly, block, regulation);
            return Ok(());
        };
        self.armor.handle_acked(highest);
        let raised = highest >= self.acked_end;
        if !raised {
            // They may have been counted before.
            newly.ect0 = 0;
        }
        self.acked_end = self.acked_end.max(highest + 1);
        if newly.eliciting {
            let rtt = *self.rtt(regulation.as_deref());
            self.loss.handle_progress(now, &rtt);
            self.monitor.handle_progress(now, self.sent.outstanding() > 0);
        }
        self.stats.spurious += newly.spurious;
        self.stats.bytes_acked += newly.bytes_acked;
        let timed = newly.timed.filter(|_| raised && block.ranges.largest() == Some(highest));
        let (delay, promised) = (block.delay(), self.loss.peer_max_ack_delay());
        // So old a report is the repetition of one that was lost, and times nothing.
        let fresh = delay <= promised + self.rtt(regulation.as_deref()).smoothed();
        let rtt = timed.filter(|_| fresh).map(|sent_at| {
            let latest = self.loss.round_trip(now, sent_at);
            RttSample { latest, ack_delay: delay.min(promised) }
        });
        match regulation.as_deref_mut() {
            None => {
                if let Some(sample) = rtt {
                    self.rtt.handle_sample(now, sample);
                }
            }
            Some(regulation) => newly.tell(now, rtt, regulation),
        }
        self.handle_marks(now, number, &newly, block, regulation.as_deref_mut());
        self.find_losses(now, regulation);
        Ok(())
    }

    fn handle_marks(
        &mut self,
        now: Instant,
        number: u64,
        newly: &Newly,
        block: &AckBlock<'_>,
        regulation: Option<&mut Regulation>,
    ) {
        match self.marks.handle_ack(number, newly.ect0, block.ecn) {
            EcnReport::Nothing => {}
            EcnReport::Failed => self.events.push(ChannelEvent::EcnFailed),
            EcnReport::Marked => self.stats.marks_reported += 1,
        }
        // The regulation hears of them with the next packet that was acknowledged.
        if newly.highest.is_some()
            && self.marks.take_marked()
            && let (Some(regulation), Some(newest)) = (regulation, newly.newest)
        {
            regulation.handle_loss(now, &LossSample { bytes: 0, newest, cause: LossCause::Ecn });
        }
    }

    fn find_losses(&mut self, now: Instant, mut regulation: Option<&mut Regulation>) {
        let rtt = *self.rtt(regulation.as_deref());
        let (controls, fates, stats, tap) = (&mut self.controls, &mut self.fates, &mut self.stats, &mut self.tap);
        let end = self.numbers.end();
        let losses = self.loss.detect(now, &mut self.sent, &rtt, end, |number, sent| {
            stats.lost += 1;
            if let Some(tap) = tap {
                tap.lost(now, number, "time_threshold");
            }
            if sent.payload {
                fates.push(number, Fate::Lost);
            }
            if sent.control {
                controls.handle_lost(number);
            }
        });
        if self.sent.outstanding() == 0 {
            self.monitor.handle_idle();
        }
        let Losses { bytes, newest, persistent } = losses;
        if let (Some(regulation), Some(newest)) = (regulation.as_deref_mut(), newest) {
            if self.aside.is_some() {
                // A timer finds it: what overtook it was acknowledged before the channel stepped aside, and the flight
                // left the books then. So it comes back, to leave them as lost.
                regulation.handle_returned(bytes);
            }
            let cause = if persistent { LossCause::PersistentCongestion } else { LossCause::Loss };
            regulation.handle_loss(now, &LossSample { bytes, newest, cause });
        }
        self.end_aside_settled();
        let horizon = if self.has_sent_room() { self.loss.horizon(now, &rtt) } else { Instant::FAR_FUTURE };
        self.sent.settle(self.acked_end, horizon);
        self.note_metrics(now, regulation.as_deref());
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
            if !acked {
                let booked = self.sent.give_up_probe(number);
                if let (None, Some(regulation)) = (self.aside, regulation.as_deref_mut()) {
                    // A packet that is too large says nothing of congestion.
                    regulation.handle_discarded(booked);
                }
            }
            self.events.push(ChannelEvent::MtuProbe { number, size: usize::from(size), acked });
        }
    }

    /// Passes on what was found: fates, and the path's condition.
    #[inline]
    pub(super) fn report(&mut self, now: Instant, above: &mut (impl Protocol + ?Sized)) {
        self.fates.tell(|numbers, fate| above.handle_fates(now, self.key, numbers, fate));
        if self.monitor.condition() != self.condition {
            self.condition = self.monitor.condition();
            self.events.push(ChannelEvent::Condition(self.condition));
            above.handle_path(now, self.key, self.condition);
        }
    }

    /// When [`handle_timeout`](Channel::handle_timeout) wants to be called.
    pub fn poll_timeout(&mut self, regulation: Option<&Regulation>) -> Option<Instant> {
        let rtt = *self.rtt(regulation);
        let loss = self.loss.loss_time(&mut self.sent, &rtt).or_else(|| self.loss.probe_time(&self.sent, &rtt));
        let mtu_probe = self.mtu_probes.iter().map(|probe| probe.deadline).min();
        [loss, mtu_probe, self.ack_due(), self.monitor.timeout()].into_iter().flatten().min()
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
        if let Some(tap) = &mut self.tap {
            tap.probe(now, unanswered);
        }
        if self.marks.handle_probe(unanswered) {
            self.events.push(ChannelEvent::EcnFailed);
        }
        let Some((oldest, _)) = self.sent.oldest() else { return };
        let (fates, controls) = (&mut self.fates, &mut self.controls);
        for (number, sent) in self.sent.flight(oldest).filter(|(_, s)| s.payload || s.control).take(probes) {
            if sent.payload {
                fates.push(number, Fate::Doubtful);
            }
            if sent.control {
                controls.handle_lost(number);
            }
        }
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
    late: Late,
    /// The same for what the link was said to have lost.
    late_on_link: Late,
    spurious: u64,
    bytes_acked: u64,
    ect0: u64,
    mtu_probes: [Option<u64>; MTU_PROBES_MAX],
}

/// What was found lost and was acknowledged after all: its bytes in the regulation's books, and the newest stamp.
#[derive(Debug, Default)]
struct Late {
    bytes: u64,
    newest: Option<SendStamp>,
}

impl Newly {
    /// What was acknowledged has been out of the books for too long to say anything of the path.
    fn strike(&mut self) {
        *self = Newly {
            timed: None,
            bytes: 0,
            newest: None,
            late: Late::default(),
            late_on_link: Late::default(),
            ..*self
        };
        self.ect0 = 0;
    }

    /// Called with falling numbers.
    #[inline]
    fn add(&mut self, number: u64, sent: &Sent) {
        let eliciting = matches!(sent.state, State::Flight | State::Lost | State::LostOnLink);
        if self.highest.is_none() {
            self.highest = Some(number);
            self.timed = (sent.timed && eliciting).then_some(sent.sent_at());
        }
        self.eliciting |= eliciting;
        self.bytes_acked += if eliciting { u64::from(sent.size) } else { 0 };
        self.ect0 += u64::from(sent.ect0);
        match sent.state {
            State::Lost | State::LostOnLink => {
                self.spurious += 1;
                let late = if sent.state == State::Lost { &mut self.late } else { &mut self.late_on_link };
                if sent.counted {
                    late.bytes += u64::from(sent.size);
                    late.newest.get_or_insert(sent.stamp);
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
        for (late, cause) in [(&self.late, LossCause::Loss), (&self.late_on_link, LossCause::Link)] {
            if let Some(newest) = late.newest {
                regulation.handle_spurious(now, &LossSample { bytes: late.bytes, newest, cause });
            }
        }
        if let Some(newest) = self.newest {
            regulation.handle_ack(now, &AckSample { bytes: self.bytes, newest, rtt });
        }
    }
}
