//! How much of a guest's may leave (STP 3.3.2 and 4.1).

use core::time::Duration;

use tng_base::Instant;
use tng_congestion::integers::{mul_div, nanos, per_second};
use tng_congestion::{BACKOFF_MAX_SECS, LOSS_RATE_ONE, LossIntervals, RttEstimator, RttSample, initial_window};

mod cap;
mod figures;
mod knowledge;
mod leave;
mod refusals;
mod size;
mod spans;
mod terms;

use cap::in_time;
pub use cap::{Cap, UnknownCap};
pub use figures::{Figures, TRANSITIONS_KEPT, Transition};
use knowledge::{Knowledge, Undo};
use leave::Leave;
use refusals::Refusals;
pub use refusals::{REFUSALS_MAX, REFUSALS_PER_SEGMENT, VIOLATIONS_MAX};
use size::MeanSize;
use spans::Spans;
pub use spans::{ROUNDS, SPANS_PER_ROUND};
pub use terms::{Lost, PolicerConfig, Proven, Signal, State, Verdict};

/// What the flow and channel layers (48), UDP (8) and IPv4 (20) add to a segment. A constant, so that small segments
/// pay for what they cost, and none is worth another by its address family.
pub const SEGMENT_ADDED: u64 = 76;
/// Of the cap, in tenths, what may leave in any one round trip (STP 4.1).
pub const ROUND_TENTHS: u64 = 13;
/// Of the cap, in hundredths, what may leave in any [`ROUNDS`] round trips, wherever they begin.
pub const MEAN_HUNDREDTHS: u64 = 105;
/// Segments a round trip that may leave whatever is lost (RFC 9002 section 7.2).
pub const FLOOR_SEGMENTS: u64 = 2;
/// Most of what a peer says that it held a proof back; the rest of it counts as the path's (RFC 9002 section 5.3).
pub const PROOF_DELAY_MAX: Duration = Duration::from_millis(25);
/// Round trips without a segment, or without a proof, after which the rate is halved (STP 4.1).
pub const QUIET_ROUNDS: u32 = 4;
/// Least time without a proof after which segments count as lost (RFC 6298 section 2.4).
pub const TIMEOUT_MIN: Duration = Duration::from_secs(1);
/// Shorter round trips are policed as if they took so long: timers are coarser.
pub const ROUND_MIN: Duration = Duration::from_millis(1);

const TIMEOUT_MAX: Duration = Duration::from_secs(BACKOFF_MAX_SECS);

/// Holds one flow to the rate that TCP would have, by what is proven of the segments that it sends. It knows neither
/// their numbers nor a clock, and trusts neither who sends nor who receives.
///
/// Ask [`check`](Self::check) for each segment, and say [`handle_sent`](Self::handle_sent) when it leaves. What became
/// of segments is for [`Books`](crate::Books) to say.
///
/// ```
/// # use core::time::Duration;
/// # use tng_base::Instant;
/// # use tng_stp_host::{Policer, PolicerConfig, Proven, State, Verdict};
/// let ms = Instant::from_millis;
/// let mut policer = Policer::new(PolicerConfig { segment_max: 1_200, ..Default::default() }, ms(0));
/// // The initial window may leave at once, and no more until something is proven, or a second is over.
/// let mut sent = 0;
/// while policer.check(ms(0), 1_200) == Verdict::Now {
///     policer.handle_sent(ms(0), 1_200);
///     sent += 1;
/// }
/// assert_eq!((sent, policer.check(ms(0), 1_200)), (10, Verdict::At(ms(1_000))));
/// let (rtt, bytes) = (Duration::from_millis(50), 12_760);
/// let proven = Proven { bytes, newest_sent_at: ms(0), position: bytes, rtt: Some(rtt), delay: Duration::ZERO };
/// policer.handle_proven(ms(50), proven);
/// assert_eq!((policer.state(), policer.check(ms(50), 1_200)), (State::SlowStart, Verdict::Now));
/// ```
#[derive(Clone, Debug)]
pub struct Policer {
    cap: Cap,
    signal: Signal,
    segment_max: u64,
    parties: u64,
    knowledge: Knowledge,
    rtt: RttEstimator,
    /// What left before says nothing of the path.
    path_since: Instant,
    spans: Spans,
    size: MeanSize,
    leave: Leave,
    /// Bytes sent, and those that had been sent when the newest segment that is proven had left.
    sent: u64,
    proven: u64,
    /// What was sent until then is no reason to wait: it is behind a segment that is proven, or that is given up.
    answered: u64,
    /// When the last segment left, and its bytes.
    last: Option<(Instant, u64)>,
    /// No segment has left since, or the rate has been halved for it.
    idle_since: Instant,
    /// Bytes per second beyond which nothing leaves, after a time without segments or proofs.
    ceiling: Option<u64>,
    /// What leaves from then on raises it when it is proven.
    ceiling_since: Instant,
    /// Timeouts in a row.
    silences: u32,
    /// Bytes per second, as computed last, and what may leave in a round trip for it and for the ceiling.
    rate: u64,
    rate_limit: u64,
    ceiling_limit: u64,
    /// A segment that is larger does not fit into the mean of the last round trips: it leaves alone.
    mean_limit: u64,
    /// Something has been proven since.
    stale: bool,
    refusals: Refusals,
    transitions: Vec<Transition>,
}

impl Policer {
    /// That of a flow that begins now.
    pub fn new(config: PolicerConfig, now: Instant) -> Policer {
        let rtt = RttEstimator::new(tng_congestion::INITIAL_RTT);
        let mut policer = Policer {
            cap: config.cap,
            signal: Signal::Losses,
            segment_max: u64::from(config.segment_max),
            parties: 1,
            knowledge: Knowledge::Nothing { left: 0, more_at: None, wait: Duration::ZERO },
            rtt,
            path_since: Instant::ZERO,
            spans: Spans::new(now, rtt.smoothed()),
            size: MeanSize::default(),
            leave: Leave::NONE,
            sent: 0,
            proven: 0,
            answered: 0,
            last: None,
            idle_since: now,
            ceiling: None,
            ceiling_since: now,
            silences: 0,
            rate: 0,
            rate_limit: 0,
            ceiling_limit: u64::MAX,
            mean_limit: 0,
            stale: false,
            refusals: Refusals::default(),
            transitions: Vec::new(),
        };
        policer.begin();
        policer.refresh(now);
        policer
    }

    /// The flow begins only now.
    pub(crate) fn start(&mut self, now: Instant) {
        self.spans.start(now);
        (self.idle_since, self.ceiling_since) = (now, now);
        self.refresh(now);
    }

    /// Whether a segment of `bytes` may leave now.
    #[inline]
    pub fn check(&mut self, now: Instant, bytes: u64) -> Verdict {
        let bytes = bytes.saturating_add(SEGMENT_ADDED);
        if self.leave.covers(now, bytes) { Verdict::Now } else { self.look(now, bytes) }
    }

    /// The same, by all that holds it back.
    #[inline(never)]
    fn look(&mut self, now: Instant, bytes: u64) -> Verdict {
        self.advance(now);
        if self.is_blocked() {
            return Verdict::Blocked;
        }
        let limit = self.limit();
        let by_round = if bytes > limit {
            self.next_alone(now, bytes, limit)
        } else if self.spans.round().sent.saturating_add(bytes) > limit {
            self.spans.drained_to(limit - bytes)
        } else {
            now
        };
        let at = by_round.max(match &self.knowledge {
            Knowledge::Nothing { left, more_at: Some(more_at), .. } if *left < bytes => *more_at,
            Knowledge::Losses { .. } if bytes <= self.mean_limit => self.next_by_mean(now, bytes),
            _ => now,
        });
        if at > now {
            return Verdict::At(at);
        }
        self.leave = Leave::new(now, self.room(now, limit));
        Verdict::Now
    }

    /// Bytes that may leave now, whatever the size of the segments is.
    fn room(&self, now: Instant, limit: u64) -> u64 {
        let by_round = limit.saturating_sub(self.spans.round().sent);
        by_round.min(match &self.knowledge {
            Knowledge::Nothing { left, .. } => *left,
            Knowledge::Carries { .. } => self.unanswered_room(limit),
            Knowledge::Losses { .. } => self.unanswered_room(limit).min(self.mean_room(now)),
        })
    }

    /// Bytes that may leave now, what is added to segments included. A segment that fits
    /// may leave, until something is proven or lost.
    pub(crate) fn leave(&mut self, now: Instant) -> u64 {
        if self.check(now, 0) == Verdict::Now { self.room(now, self.limit()) } else { 0 }
    }

    /// Bytes that may leave now in segments of the largest size, without what is added to them.
    pub fn budget(&mut self, now: Instant) -> u64 {
        let whole = self.segment_max + SEGMENT_ADDED;
        if self.check(now, self.segment_max) != Verdict::Now {
            return 0;
        }
        // What is larger than a round trip's leaves alone.
        (self.room(now, self.limit()) / whole).max(1) * self.segment_max
    }

    /// A segment of `bytes` has left.
    #[inline]
    pub fn handle_sent(&mut self, now: Instant, bytes: u64) {
        self.handle_train_sent(now, 1, bytes);
    }

    /// So many segments have left together, of `bytes` in all.
    #[inline]
    pub(crate) fn handle_train_sent(&mut self, now: Instant, segments: u64, bytes: u64) {
        self.advance(now);
        let bytes = bytes.saturating_add(segments.saturating_mul(SEGMENT_ADDED));
        self.refusals.handle_sent(segments);
        self.size.handle_sent(bytes / segments.max(1));
        self.leave.handle_sent(bytes);
        self.sent = self.sent.saturating_add(bytes);
        (self.last, self.idle_since) = (Some((now, bytes)), now);
        let granted = match &mut self.knowledge {
            Knowledge::Nothing { left, more_at, wait } => {
                *left = left.saturating_sub(bytes);
                more_at.get_or_insert(now + *wait);
                bytes
            }
            Knowledge::Carries { .. } => bytes,
            Knowledge::Losses { .. } => 0,
        };
        self.spans.handle_sent(bytes);
        if granted > 0 {
            self.spans.grant(granted);
        }
    }

    /// Segments are proven that were not.
    pub fn handle_proven(&mut self, now: Instant, proven: Proven) {
        self.advance(now);
        self.leave.end();
        self.proven = self.proven.max(proven.position);
        self.answered = self.answered.max(proven.position);
        self.spans.handle_proven(proven.bytes);
        self.stale = true;
        if proven.newest_sent_at < self.path_since {
            return;
        }
        if let Some(latest) = proven.rtt {
            self.measure(now, RttSample { latest, ack_delay: proven.delay.min(PROOF_DELAY_MAX) });
        }
        self.silences = 0;
        match &mut self.knowledge {
            Knowledge::Nothing { .. } if self.rtt.has_sample() => {
                self.knowledge = Knowledge::Carries { fastest: proven.bytes };
                // What left behind the segment that is proven now left in the last round trip, and nothing else.
                self.spans.restart(now, self.round(), self.sent.saturating_sub(proven.position));
                self.spans.handle_proven(proven.bytes);
                self.enter(now, State::SlowStart);
            }
            Knowledge::Carries { fastest } => *fastest = (*fastest).max(self.spans.within_round().proven),
            Knowledge::Nothing { .. } | Knowledge::Losses { .. } => {}
        }
        if proven.newest_sent_at >= self.ceiling_since {
            self.raise_ceiling(now);
        }
    }

    /// Until when what left belongs to the loss event of a segment that left at `sent_at` (RFC 5348 section 5.2).
    pub fn event_end(&self, sent_at: Instant) -> Instant {
        let rtt = self.rtt.smoothed();
        let newest = self.event_at().map(|event_at| event_at + rtt);
        newest.filter(|end| sent_at <= *end).unwrap_or(sent_at + rtt)
    }

    /// When the first segment of the newest loss event left.
    pub fn event_at(&self) -> Option<Instant> {
        match &self.knowledge {
            Knowledge::Losses { losses, .. } => Some(losses.event_at()),
            Knowledge::Nothing { .. } | Knowledge::Carries { .. } => None,
        }
    }

    /// From now on this is congestion. What was before stays known.
    pub fn set_signal(&mut self, signal: Signal) {
        self.signal = signal;
    }

    /// What is congestion now.
    pub fn signal(&self) -> Signal {
        self.signal
    }

    /// Segments are lost. Before anything is proven that says nothing: what the path carries is not known. Nor does it
    /// where marks are the [signal](Self::set_signal).
    pub fn handle_lost(&mut self, now: Instant, lost: Lost) {
        if self.signal == Signal::Losses {
            self.handle_congestion(now, lost);
        }
    }

    /// The peer's host has reported that routers marked what left about a round trip ago: that is a loss event, or part
    /// of one, in which nothing was lost (RFC 3168 section 5).
    pub fn handle_marked(&mut self, now: Instant) {
        let sent_at = now - self.rtt.smoothed();
        self.handle_congestion(now, Lost { bytes: 0, sent_at, position: self.proven });
        // It is never taken back, whatever of that event arrives after all.
        if let Knowledge::Losses { undo, .. } = &mut self.knowledge {
            *undo = None;
        }
    }

    fn handle_congestion(&mut self, now: Instant, lost: Lost) {
        self.advance(now);
        self.leave.end();
        let (size, rtt) = (self.size.bytes(), self.rtt.smoothed());
        match &mut self.knowledge {
            Knowledge::Nothing { .. } => return,
            Knowledge::Carries { fastest } => {
                // What arrived at most, or half of what was sent (RFC 5348 section 6.3.1), is what the cap becomes.
                let round = self.spans.within_round();
                let carried = (*fastest).max(round.sent / 2).max(FLOOR_SEGMENTS * size);
                let rate = per_second(carried, nanos(rtt)).saturating_mul(self.parties);
                let before = mul_div(size, LOSS_RATE_ONE, self.cap.loss_at(size, nanos(rtt), rate));
                let losses = LossIntervals::new(lost.sent_at, lost.position, before);
                self.knowledge = Knowledge::Losses { losses, undo: Some(Undo { before: None, lost: lost.bytes }) };
                self.enter(now, State::SteadyState);
            }
            Knowledge::Losses { losses, undo } => {
                let before = Some(*losses);
                if losses.handle_loss(lost.sent_at, lost.position, rtt) {
                    *undo = Some(Undo { before, lost: lost.bytes });
                } else if let Some(undo) = undo {
                    undo.lost = undo.lost.saturating_add(lost.bytes);
                }
            }
        }
        self.refresh(now);
    }

    /// So many bytes of the newest loss event are proven after all. If nothing else was lost in it, there was none.
    pub fn handle_spurious(&mut self, now: Instant, bytes: u64) {
        self.advance(now);
        self.leave.end();
        // What was lost was no event.
        if self.signal == Signal::Marks {
            return;
        }
        let Knowledge::Losses { undo: Some(undo), .. } = &mut self.knowledge else { return };
        undo.lost = undo.lost.saturating_sub(bytes);
        if undo.lost > 0 {
            return;
        }
        if let Some(losses) = undo.before {
            self.knowledge = Knowledge::Losses { losses, undo: None };
            self.refresh(now);
        } else {
            self.knowledge = Knowledge::Carries { fastest: self.spans.within_round().proven };
            self.enter(now, State::SlowStart);
        }
    }

    /// Nothing was proven for a [`timeout`](Self::timeout): half as much may leave, and the next timeout is twice as
    /// long (RFC 5348 section 4.4).
    pub fn handle_silence(&mut self, now: Instant) {
        self.advance(now);
        self.leave.end();
        (self.silences, self.answered) = (self.silences.saturating_add(1), self.sent);
        if self.state() != State::Init {
            self.lower_ceiling(now, (self.pace() / 2).max(self.size.bytes() / BACKOFF_MAX_SECS));
        }
    }

    /// The path is another one. Round trips are measured anew, and until then no more leaves than at the start; what is
    /// known of losses stays, so that to move is no way out.
    pub fn handle_path(&mut self, now: Instant) {
        self.advance(now);
        self.leave.end();
        (self.path_since, self.silences, self.answered) = (now, 0, self.sent);
        self.rtt.reset();
        match self.state() {
            State::Init => {}
            State::SlowStart => {
                self.begin();
                self.enter(now, State::Init);
            }
            State::SteadyState => {
                let start = per_second(self.initial(), nanos(self.round()));
                self.lower_ceiling(now, start.min(self.ceiling.unwrap_or(u64::MAX)));
            }
        }
        self.refresh(now);
    }

    /// So many flows, this one included, go to this destination, and have equal parts of the cap (Congestion Manager).
    pub fn set_parties(&mut self, parties: usize) {
        let parties = (parties as u64).max(1);
        if parties == self.parties {
            return;
        }
        (self.parties, self.stale) = (parties, true);
        self.leave.end();
        let initial = self.initial();
        if let Knowledge::Nothing { left, .. } = &mut self.knowledge {
            *left = (*left).min(initial);
            self.rate_limit = initial;
        }
    }

    /// Segments have at most so many bytes from now on.
    pub fn set_segment_max(&mut self, bytes: u16) {
        self.segment_max = u64::from(bytes);
        self.leave.end();
    }

    /// How long a segment may go unproven before it counts as lost, and all of them before the path counts as silent.
    pub fn timeout(&self) -> Duration {
        let once = self.rtt.smoothed().saturating_mul(QUIET_ROUNDS).max(TIMEOUT_MIN);
        once.saturating_mul(1 << self.silences.min(6)).min(TIMEOUT_MAX.max(once))
    }

    /// The sender asked for leave to send a segment, and was told to wait.
    pub fn handle_refused(&mut self, now: Instant) {
        self.refusals.handle(now, self.round() * ROUNDS as u32);
    }

    /// Whether the sender goes on asking although it is told to wait.
    pub fn is_violator(&self) -> bool {
        self.refusals.is_too_much()
    }

    /// Whether nothing may leave before something that left is proven, or all of it is given up.
    pub fn is_blocked(&self) -> bool {
        self.sent.saturating_sub(self.answered) >= self.unanswered_max(self.limit())
    }

    /// Where the flow stands.
    pub fn state(&self) -> State {
        match self.knowledge {
            Knowledge::Nothing { .. } => State::Init,
            Knowledge::Carries { .. } => State::SlowStart,
            Knowledge::Losses { .. } => State::SteadyState,
        }
    }

    /// Round trips, as the proofs show them.
    pub fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// Bytes that may leave in a round trip, what is added to segments included.
    #[inline]
    pub fn limit(&self) -> u64 {
        let natural = match &self.knowledge {
            Knowledge::Carries { .. } => self.spans.round().proven.saturating_mul(2).max(self.initial()),
            Knowledge::Nothing { .. } | Knowledge::Losses { .. } => self.rate_limit,
        };
        natural.min(self.ceiling_limit)
    }

    /// Bytes per second that may leave in the long run, what is added to segments included.
    pub fn pace(&self) -> u64 {
        let natural = match &self.knowledge {
            Knowledge::Losses { .. } => self.rate,
            Knowledge::Nothing { .. } | Knowledge::Carries { .. } => per_second(self.limit(), nanos(self.round())),
        };
        natural.min(self.ceiling.unwrap_or(u64::MAX)).max(1)
    }

    /// All figures.
    pub fn figures(&self) -> Figures {
        let loss_billionths = match &self.knowledge {
            Knowledge::Losses { losses, .. } => losses.rate(self.size.bytes(), self.proven),
            Knowledge::Nothing { .. } | Knowledge::Carries { .. } => 0,
        };
        Figures {
            state: self.state(),
            cap_bytes_per_sec: self.pace(),
            loss_billionths,
            rtt_smoothed: self.rtt.smoothed(),
            rtt_min: self.rtt.min(),
            sent: self.sent,
            refused: self.refusals.total(),
            transitions: self.transitions.clone(),
        }
    }

    /// The initial window, and what may leave after it while nothing is proven: nothing for a second.
    fn begin(&mut self) {
        self.knowledge = Knowledge::Nothing { left: self.initial(), more_at: None, wait: Duration::from_secs(1) };
    }

    fn enter(&mut self, now: Instant, state: State) {
        if self.transitions.len() < TRANSITIONS_KEPT {
            self.transitions.push(Transition { at: now, to: state });
        }
        self.refresh(now);
    }

    /// Time has passed.
    #[inline]
    fn advance(&mut self, now: Instant) {
        if let Knowledge::Nothing { left, more_at: Some(more_at), wait } = &mut self.knowledge
            && now >= *more_at
        {
            *left = left.saturating_add(FLOOR_SEGMENTS * (self.segment_max + SEGMENT_ADDED));
            *wait = (*wait * 2).min(TIMEOUT_MAX);
            *more_at = now + *wait;
        }
        if self.spans.advance(now) {
            self.begin_span(now);
        }
    }

    fn begin_span(&mut self, now: Instant) {
        if self.state() == State::Init {
            return;
        }
        if self.stale {
            self.refresh(now);
        }
        let (quiet, period) = (nanos(now.since(self.idle_since)), nanos(self.round()) * u64::from(QUIET_ROUNDS));
        if let periods @ 1.. = quiet / period {
            self.idle_since += Duration::from_nanos(periods * period);
            let (pace, start) = (self.pace(), per_second(self.initial(), nanos(self.round())));
            let halved = pace.checked_shr(u32::try_from(periods).unwrap_or(u32::MAX)).unwrap_or(0).max(start);
            if halved < pace {
                self.lower_ceiling(now, halved);
            }
        }
    }

    fn lower_ceiling(&mut self, now: Instant, ceiling: u64) {
        (self.ceiling, self.ceiling_since) = (Some(ceiling.max(1)), now);
        self.refresh(now);
    }

    /// A round trip's segments are proven: twice as much may leave, until it is what may leave anyway.
    fn raise_ceiling(&mut self, now: Instant) {
        let Some(ceiling) = self.ceiling else { return };
        let round = nanos(self.round());
        let raised = ceiling.saturating_mul(2).max(per_second(FLOOR_SEGMENTS * self.size.bytes(), round));
        (self.ceiling, self.ceiling_since) = (None, now);
        self.ceiling_limit = u64::MAX;
        if raised < per_second(self.limit(), round) {
            self.ceiling = Some(raised);
        }
        self.refresh(now);
    }

    fn measure(&mut self, now: Instant, sample: RttSample) {
        let before = (!self.rtt.has_sample()).then(|| nanos(self.round()));
        self.rtt.handle_sample(now, sample);
        if let (Some(before), Some(ceiling)) = (before, self.ceiling) {
            // It was of round trips that were taken for granted.
            self.ceiling = Some(per_second(in_time(ceiling, before), nanos(self.round())).max(1));
            self.refresh(now);
        }
    }

    /// Computes what may leave from what is known.
    fn refresh(&mut self, now: Instant) {
        let round = self.round();
        let size = self.size.bytes();
        (self.rate, self.rate_limit) = match &self.knowledge {
            Knowledge::Nothing { .. } => (0, self.initial()),
            Knowledge::Carries { .. } => (0, 0),
            Knowledge::Losses { losses, .. } => {
                let rtt = nanos(self.rtt.smoothed());
                let cap = self.cap.rate(size, rtt, losses.rate(size, self.proven));
                let floor = per_second(FLOOR_SEGMENTS * size, nanos(round));
                let rate = (cap.max(floor) / self.parties).max(1);
                (rate, mul_div(in_time(rate, nanos(round)), ROUND_TENTHS, 10))
            }
        };
        self.ceiling_limit = self.ceiling.map_or(u64::MAX, |ceiling| in_time(ceiling, nanos(round)).saturating_add(1));
        let accrues = self.rate.min(self.ceiling.unwrap_or(u64::MAX));
        self.mean_limit = mul_div(in_time(accrues, nanos(round)), 82, 10);
        self.spans.set(now, round, accrues);
        self.stale = false;
    }

    /// A segment that is larger than what may leave in a round trip leaves alone, when that before it is paid for.
    fn next_alone(&self, now: Instant, bytes: u64, limit: u64) -> Instant {
        let Some((sent_at, before)) = self.last else { return now };
        let rate = self.pace().min(per_second(limit, nanos(self.round()))).max(1);
        let paid = sent_at + Duration::from_nanos(per_second(bytes.max(before), rate)).min(TIMEOUT_MAX);
        if self.spans.round().sent == 0 { paid } else { paid.max(self.spans.drained_to(0)) }
    }

    /// Bytes that may be sent behind the newest segment that is proven: with a rate alone, who proves nothing could go
    /// on at the last one.
    #[inline]
    fn unanswered_max(&self, limit: u64) -> u64 {
        if let Knowledge::Nothing { .. } = &self.knowledge {
            return u64::MAX;
        }
        u64::from(QUIET_ROUNDS) * limit.max(FLOOR_SEGMENTS * self.size.bytes())
    }

    /// What is left of that, at least.
    #[inline]
    fn unanswered_room(&self, limit: u64) -> u64 {
        let max = u64::from(QUIET_ROUNDS).saturating_mul(limit);
        max.saturating_sub(self.sent.saturating_sub(self.answered))
    }

    /// Bytes for which the mean of the last round trips has room.
    #[inline]
    fn mean_room(&self, now: Instant) -> u64 {
        let all = self.spans.all(now);
        mul_div(all.allowed, MEAN_HUNDREDTHS, 100).saturating_sub(all.sent)
    }

    /// When the mean of the last round trips has room.
    #[inline]
    fn next_by_mean(&self, now: Instant, bytes: u64) -> Instant {
        let all = self.spans.all(now);
        let wanted = all.sent.saturating_add(bytes).saturating_mul(100).div_ceil(MEAN_HUNDREDTHS);
        if wanted <= all.allowed {
            return now;
        }
        let wait = Duration::from_nanos(per_second(wanted - all.allowed, self.pace()).max(1));
        (now + wait).min(self.spans.next())
    }

    fn initial(&self) -> u64 {
        let bytes = initial_window(u16::try_from(self.segment_max).unwrap_or(u16::MAX));
        let segments = bytes.div_ceil(self.segment_max.max(1));
        (bytes + segments * SEGMENT_ADDED) / self.parties
    }

    fn round(&self) -> Duration {
        self.rtt.smoothed().max(ROUND_MIN)
    }
}

#[cfg(test)]
pub(crate) mod tests;
