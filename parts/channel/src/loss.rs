//! Loss detection by time: RACK over packet numbers (RFC 8985), probe timeouts and persistent congestion (RFC 9002).

use core::time::Duration;

use tng_base::Instant;
use tng_congestion::{RttEstimator, SendStamp};

use crate::send::{Sent, SentPackets};

/// Least time by which a packet may be overtaken before it counts as lost.
pub const REORDER_MIN: Duration = Duration::from_millis(1);
/// The longest time by which a packet may be overtaken before it counts as lost, however late others came, in smoothed
/// round trips.
pub const REORDER_ROUNDS: u32 = 4;
/// A learned reordering tolerance is forgotten after so many recoveries in which nothing was found lost by mistake
/// (RFC 8985 section 6.2, step 4).
pub const RECOVERIES_REMEMBERED: u32 = 16;
/// Longest time between two probes, unless the probe timeout itself is longer: how late the end of an outage may be
/// noticed.
pub const PTO_MAX: Duration = Duration::from_secs(10);
/// Packets sent per probe timeout, at most (RFC 9002 section 6.2.4).
pub const PROBES_PER_TIMEOUT: usize = 2;
/// Lost packets stay on the books for so many probe timeouts, to recognise late acknowledgments.
pub const LOST_KEPT_PTOS: u32 = 3;
/// The longest local repair that is waited for, whatever the path declares, in round trips: two attempts of a section
/// that is as long as the whole path, and what they have to wait.
pub const REPAIR_ROUNDS: u32 = 4;
/// Probe timeouts that a span of losses must last to be persistent congestion (RFC 9002 section 7.6.1).
pub const PERSISTENT_PTOS: u32 = 3;
/// After so many doublings of the probe timeout something held up what was on its way, rather than that it was lost.
pub const HELD_UP_PROBES: u32 = 3;
/// What outlasted a stall counts as a round trip of so many probe timeouts at most.
pub const STALL_TIMES: u32 = 2;

/// The most recently sent packet that is known to have arrived.
#[derive(Clone, Copy, Debug)]
struct Newest {
    number: u64,
    rtt: Duration,
}

/// What one look found lost, as far as the regulation has it in its books.
#[derive(Clone, Copy, Debug, Default)]
pub struct Losses {
    /// Bytes.
    pub bytes: u64,
    /// Stamp of the newest packet among them.
    pub newest: Option<SendStamp>,
    /// They span so much time that the path's state is unknown.
    pub persistent: bool,
}

/// The sender's judgement of what is lost and when to ask.
#[derive(Debug)]
pub struct LossDetection {
    peer_max_ack_delay: Duration,
    /// So many packets the peer acknowledges at once, whatever longest delay it has told.
    acked_at_once: usize,
    /// By how much packets and acknowledgments may be late because others repair losses on the way.
    repair_delay: Duration,
    newest: Option<Newest>,
    /// By how much packets that were thought lost were merely late.
    late_by: Duration,
    recoveries_left: u32,
    /// Losses below this number belong to the recovery under way.
    recovery_end: u64,
    /// When the last packet left that asks for acknowledgment.
    last_sent: Instant,
    /// When something was acknowledged or found lost last: no probe was due before.
    settled_at: Instant,
    /// Doublings of the probe timeout.
    backoff: u32,
    /// Probe timeouts since the peer last showed a sign of receiving.
    unanswered: u32,
    probes_due: usize,
    /// When something left that asks for acknowledgment, first of all that did a probe timeout or longer after the last
    /// sign of receiving.
    asked_at: Option<Instant>,
    /// When a stall ended, and what the round trip of a packet sent before counts as at most.
    stall: Option<(Instant, Duration)>,
    /// When the first acknowledgment came, or when the peer last said that it receives and holds; what was sent before
    /// says nothing of persistence.
    persistent_from: Option<Instant>,
    /// Send time of the first of the packets lost with none acknowledged since.
    span_start: Option<Instant>,
}

impl LossDetection {
    /// Nothing sent yet; `acked_at_once` packets the peer acknowledges at once, whatever its longest delay.
    pub fn new(peer_max_ack_delay: Duration, acked_at_once: usize) -> LossDetection {
        LossDetection {
            peer_max_ack_delay,
            acked_at_once,
            repair_delay: Duration::ZERO,
            newest: None,
            late_by: Duration::ZERO,
            recoveries_left: 0,
            recovery_end: 0,
            last_sent: Instant::ZERO,
            settled_at: Instant::ZERO,
            backoff: 0,
            unanswered: 0,
            probes_due: 0,
            asked_at: None,
            stall: None,
            persistent_from: None,
            span_start: None,
        }
    }

    /// Longest time that the peer holds an acknowledgment back.
    pub fn peer_max_ack_delay(&self) -> Duration {
        self.peer_max_ack_delay
    }

    /// Sets it, once the peer has said it.
    pub fn set_peer_max_ack_delay(&mut self, delay: Duration) {
        self.peer_max_ack_delay = delay;
    }

    /// Sets by how much packets may be late because losses are repaired on the way.
    pub fn set_repair_delay(&mut self, delay: Duration) {
        self.repair_delay = delay;
    }

    /// Another path: what was learned of the old one's times is void.
    pub fn handle_path(&mut self, now: Instant) {
        let fresh = LossDetection::new(self.peer_max_ack_delay, self.acked_at_once);
        *self = LossDetection { last_sent: now, repair_delay: self.repair_delay, ..fresh };
    }

    /// A packet left that asks for acknowledgment.
    pub fn handle_sent(&mut self, now: Instant) {
        self.last_sent = now;
        self.probes_due = self.probes_due.saturating_sub(1);
    }

    /// A packet is lost, as the peer's link says.
    pub fn handle_lost_on_link(&mut self, now: Instant) {
        self.settled_at = now;
    }

    /// `number` was acknowledged and it is known when it was sent.
    pub fn handle_acked(&mut self, now: Instant, number: u64, sent: &Sent) {
        if self.newest.is_none_or(|newest| newest.number < number) {
            self.newest = Some(Newest { number, rtt: now.since(sent.sent_at()) });
        }
    }

    /// Something sent for acknowledgment was acknowledged. `rtt` is what is known of before.
    pub fn handle_progress(&mut self, now: Instant, rtt: &RttEstimator) {
        self.persistent_from.get_or_insert(now);
        self.settled_at = now;
        if self.backoff >= HELD_UP_PROBES {
            self.stall = Some((now, rtt.pto_base() * STALL_TIMES));
        }
        self.backoff = 0;
        self.handle_answer();
    }

    /// The peer receives, but redeems nothing yet: a far section is stalled, not this one. Probes go on at their
    /// growing distances, yet count as answered.
    pub fn handle_held(&mut self, now: Instant) {
        // It was not the path that was out of order.
        (self.persistent_from, self.span_start) = (Some(now), None);
        self.handle_answer();
    }

    /// The peer receives.
    pub fn handle_answer(&mut self) {
        self.unanswered = 0;
        self.probes_due = 0;
        self.asked_at = None;
    }

    /// What leaves now stands for a probe, since one would be due if others had not left meanwhile.
    pub fn handle_asked(&mut self, now: Instant) {
        self.asked_at.get_or_insert(now);
    }

    /// Nothing that was asked can be answered any more.
    pub fn handle_all_settled(&mut self) {
        self.asked_at = None;
    }

    /// When a probe, or what stands for one, left that nothing has answered.
    pub fn asked_at(&self) -> Option<Instant> {
        self.asked_at
    }

    /// Others on the path have been heard of meanwhile: what was lost says nothing of persistence.
    pub fn handle_overtaken(&mut self, now: Instant) {
        (self.persistent_from, self.span_start) = (Some(now), None);
    }

    /// What a packet sent then that is acknowledged now says of the round trip. If it was held on the way while nothing
    /// moved, its time is how long that lasted: an estimate of so many seconds would put off the probes that find out
    /// what was lost meanwhile. It is bounded, not ignored: of a path that has become as slow as that, nothing else
    /// would tell.
    pub fn round_trip(&self, now: Instant, sent_at: Instant) -> Duration {
        let took = now.since(sent_at);
        match self.stall {
            Some((until, most)) if sent_at < until => took.min(most),
            _ => took,
        }
    }

    /// A packet counted as lost was acknowledged after all: from now on so much lateness is tolerated.
    pub fn handle_spurious(&mut self, now: Instant, sent: &Sent) {
        let usual = self.newest.map_or(Duration::ZERO, |newest| newest.rtt);
        let late = now.since(sent.sent_at()).saturating_sub(usual);
        // An eighth more, so that the next one as late as this is not lost again.
        self.late_by = self.late_by.max(late + late / 8);
        self.recoveries_left = RECOVERIES_REMEMBERED;
        self.span_start = None;
    }

    /// By how much a packet may be overtaken before it counts as lost: a quarter of the least round trip, more where
    /// reordering was seen, and the time for which others repair. RFC 8985 (section 6.2, step 4) stops at a round trip;
    /// where packets come later than that again and again, mistaken cuts would leave nothing of a window.
    pub fn reorder_window(&self, rtt: &RttEstimator) -> Duration {
        let most = rtt.smoothed() * REORDER_ROUNDS;
        (rtt.min() / 4).max(self.late_by).min(most).max(REORDER_MIN) + self.repair_time(rtt)
    }

    /// When the oldest packet in flight counts as lost, if a later one has arrived.
    pub fn loss_time(&self, sent: &mut SentPackets, rtt: &RttEstimator) -> Option<Instant> {
        let newest = self.newest?;
        let (number, oldest) = sent.oldest()?;
        (number < newest.number).then(|| oldest.sent_at() + newest.rtt + self.reorder_window(rtt))
    }

    /// Finds what is lost by now, and shows each of it to `lost`.
    pub fn detect(
        &mut self,
        now: Instant,
        sent: &mut SentPackets,
        rtt: &RttEstimator,
        end: u64,
        mut lost: impl FnMut(u64, &Sent),
    ) -> Losses {
        let mut losses = Losses::default();
        let Some(newest) = self.newest else { return losses };
        if self.recoveries_left == 0 {
            self.late_by = Duration::ZERO;
        }
        let tolerance = newest.rtt + self.reorder_window(rtt);
        let persistence = (rtt.pto_base() + self.peer_max_ack_delay) * PERSISTENT_PTOS;
        let mut recovery = false;
        sent.walk_lost(newest.number, |number, packet| {
            match packet.state {
                crate::send::State::Flight => {}
                crate::send::State::Acked { .. } => {
                    self.span_start = None;
                    return true;
                }
                _ => return true,
            }
            if packet.sent_at() + tolerance > now {
                return false;
            }
            lost(number, packet);
            self.settled_at = now;
            recovery |= number >= self.recovery_end;
            if packet.counted {
                losses.bytes += u64::from(packet.size);
                losses.newest = Some(packet.stamp);
                if self.persistent_from.is_some_and(|from| packet.sent_at() > from) {
                    let start = *self.span_start.get_or_insert(packet.sent_at());
                    losses.persistent |= packet.sent_at().since(start) >= persistence;
                }
            }
            true
        });
        if losses.persistent {
            self.span_start = None;
        }
        if recovery {
            self.recovery_end = end;
            self.recoveries_left = self.recoveries_left.saturating_sub(1);
        }
        losses
    }

    /// How long to wait for a local repair.
    fn repair_time(&self, rtt: &RttEstimator) -> Duration {
        if self.repair_delay.is_zero() { Duration::ZERO } else { self.repair_delay.min(rtt.smoothed() * REPAIR_ROUNDS) }
    }

    /// Time from sending to a probe, without backoff.
    pub fn pto(&self, rtt: &RttEstimator) -> Duration {
        rtt.pto_base() + self.peer_max_ack_delay + self.repair_time(rtt)
    }

    /// The time in which what is outstanding would be acknowledged.
    pub fn time_to_answer(&self, sent: &SentPackets, rtt: &RttEstimator) -> Duration {
        let at_once = sent.outstanding() >= self.acked_at_once;
        if at_once { rtt.pto_base() + self.repair_time(rtt) } else { self.pto(rtt) }
    }

    /// When a probe is due, if something is outstanding and no loss is about to be found. The acknowledgment of few
    /// packets may be held back (RFC 8985 section 7.2), and that of any that a neighbour may hold.
    pub fn probe_time(&self, sent: &SentPackets, rtt: &RttEstimator) -> Option<Instant> {
        let pto = self.time_to_answer(sent, rtt);
        let backed_off = pto.saturating_mul(1 << self.backoff.min(16)).min(PTO_MAX.max(pto));
        (sent.outstanding() > 0).then(|| (self.last_sent + backed_off).max(self.settled_at))
    }

    /// A probe is due: answers how many of the oldest packets are doubtful now.
    pub fn handle_probe_time(&mut self, now: Instant, sent: &SentPackets) -> usize {
        self.backoff += 1;
        self.unanswered += 1;
        self.handle_asked(now);
        // The next timeout counts from here even if nothing can be sent.
        self.last_sent = now;
        self.probes_due = sent.outstanding().min(PROBES_PER_TIMEOUT);
        self.probes_due
    }

    /// Whether a packet must be sent whatever the window says.
    pub fn is_probe_due(&self) -> bool {
        self.probes_due > 0
    }

    /// Whether a probe timeout has passed since anything was acknowledged.
    pub fn is_stuck(&self) -> bool {
        self.backoff > 0
    }

    /// Probe timeouts since the peer last showed a sign of receiving.
    pub fn unanswered(&self) -> u32 {
        self.unanswered
    }

    /// Lost packets sent before this are no more waited for.
    pub fn horizon(&self, now: Instant, rtt: &RttEstimator) -> Instant {
        now - self.pto(rtt).saturating_mul(LOST_KEPT_PTOS)
    }
}
