//! BBR, version 3 (draft-ietf-ccwg-bbr).

mod bounds;
mod model;
mod phases;

use core::time::Duration;

use tng_base::Instant;

use crate::integers::{mul_div, nanos};
use crate::window::{MAX_WINDOW, follow};
use crate::{
    AckSample, BATCH_TIME, Controller, LossCause, LossSample, MAX_BATCH, PathState, initial_window, min_window,
};

use bounds::{Arrived, Bounds, in_flight_at_limit, percent, tolerated};
use model::{Aggregation, FullBandwidth, MaxBandwidth, MinRtt, Rounds};
pub use model::{BBR_EXTRA_ACKED_ROUNDS, BBR_FULL_ROUNDS, BBR_MIN_RTT_WINDOW, BBR_PROBE_RTT_AFTER};
use phases::{Cycle, Echo, Phase, Step};

/// Of what is in flight, so many percent may be lost before it counts as too much (`BBRLossThresh`).
pub const LOSS_PERCENT_MAX: u64 = 2;
/// Packets lost in a round before losses end the start (`BBRStartupFullLossCnt`).
pub const BBR_STARTUP_LOSSES_MAX: u64 = 6;
/// Packets that are always allowed in flight (`BBRMinPipeCwnd`).
pub const BBR_MIN_WINDOW_PACKETS: u64 = 4;
/// Rounds after which the drain of the start is over, whatever is in flight still.
pub const BBR_DRAIN_ROUNDS_MAX: u64 = 3;
/// Time for which the queues are drained to measure the round trip (`ProbeRTTDuration`).
pub const BBR_PROBE_RTT_TIME: Duration = Duration::from_millis(200);
/// Least time from the end of one probe of the bandwidth to the next.
pub const BBR_PROBE_WAIT_MIN: Duration = Duration::from_secs(2);
/// That time varies by so much, so that flows do not probe in step.
pub const BBR_PROBE_WAIT_SPREAD: Duration = Duration::from_secs(1);
/// Rounds after which a Reno flow in our place would have filled a pipe of so many packets; then the next probe is due
/// at once.
pub const BBR_RENO_ROUNDS_MAX: u64 = 63;
/// Of the most that went well, so many percent are left to others while not probing (`BBRHeadroom`).
const HEADROOM_PERCENT: u64 = 15;
/// The pacer stays so many percent below the bandwidth (`BBRPacingMarginPercent`).
const PACING_MARGIN_PERCENT: u64 = 1;

/// Builds a model of the path, its bandwidth and its least round trip, and sends at the one with about the product of
/// both in flight. Losses only matter beyond [`LOSS_PERCENT_MAX`] and what chance adds to it, or while cruising; a mark
/// counts like too many.
///
/// Differences to the draft, as it was in August 2026, each with what it changes in `docs/decisions/0034`:
/// * Too much is a standard deviation more than the draft's share: 8 % of 20 packets, 3 % of 200, 2.4 % of 1,000. Of a
///   few packets a share says nothing.
/// * Losses lower the short-term bounds in Cruise alone, from its second round on; the draft lets them in Down, Drain
///   and ProbeRtt as well, to what these phases have sent. They lower to what arrived and 3 % more, lest chance and the
///   pacer's margin add up.
/// * Too many losses end the start if they are six packets or more, where the draft counts ranges of them, and
///   controllers are not told of those.
/// * After a probe of the round trip, or a collapse, the window grows by what is acknowledged, and does not jump back.
/// * The largest surplus of acknowledgments is that of five to ten rounds, where the draft has ten.
/// * Where the draft throws dice, a hash of the time and of the number of probes decides.
#[derive(Clone, Copy, Debug)]
pub struct Bbr {
    mtu: u16,
    window: u64,
    /// In bytes per second, once there was a round trip.
    pacing_rate: Option<u64>,
    phase: Phase,
    rounds: Rounds,
    bandwidth: MaxBandwidth,
    min_rtt: MinRtt,
    aggregation: Aggregation,
    full: FullBandwidth,
    arrived: Arrived,
    bounds: Bounds,
    /// What the acknowledgments coming in tell of the last probe of the bandwidth.
    echo: Echo,
    /// Samples are those of a probe: losses in it bound what may be in flight.
    probing: bool,
    /// The last probe of the bandwidth went too high.
    too_high: bool,
    /// The last one ended where the one before went too high.
    careful: bool,
    /// Probes of the bandwidth so far.
    probes: u64,
    /// The last losses.
    episode: Option<Episode>,
    /// Packets that left between these times left with fewer in flight than the path carries, by our own will.
    held: Option<(Instant, Instant)>,
    /// Bytes delivered, as the last acknowledgment told.
    delivered: u64,
    /// Nothing was in flight for lack of data, and nothing has been delivered since.
    idle_restart: bool,
    /// The window collapsed; what was sent before does not make it grow.
    collapsed_at: Option<Instant>,
}

/// Losses among packets that left before the first of them was found lost.
#[derive(Clone, Copy, Debug)]
struct Episode {
    /// When that was.
    start: Instant,
    /// That of the episode before.
    previous_start: Option<Instant>,
    undo: Option<Undo>,
}

/// What there was before an episode, all of whose losses may be mistaken.
#[derive(Clone, Copy, Debug)]
struct Undo {
    bounds: Bounds,
    phase: Phase,
    /// Bytes lost in it that have not arrived after all.
    lost: u64,
}

/// What one acknowledgment tells.
#[derive(Clone, Copy, Debug)]
struct Sample {
    now: Instant,
    /// Delivery rate in bytes per second; 0 if unknown.
    rate: u64,
    /// Bytes delivered in the interval of that rate.
    delivered: u64,
    /// Application or ourselves, and not the path, limited that rate.
    limited: bool,
    /// Bytes delivered when the packet left, and now.
    delivered_then: u64,
    delivered_now: u64,
    /// Bytes in flight when it left, and lost since.
    in_flight_then: u64,
    lost_since: u64,
    /// Bytes acknowledged by this.
    acked: u64,
    /// Bytes in flight now.
    in_flight: u64,
    /// The packet left with a full window.
    window_full: bool,
    /// A round begins with this.
    round_begins: bool,
}

impl Bbr {
    /// A fresh one for packets of `mtu` bytes.
    pub fn new(mtu: u16) -> Bbr {
        Bbr {
            mtu,
            window: initial_window(mtu),
            pacing_rate: None,
            phase: Phase::Startup,
            rounds: Rounds::default(),
            bandwidth: MaxBandwidth::default(),
            min_rtt: MinRtt::default(),
            aggregation: Aggregation::default(),
            full: FullBandwidth::default(),
            arrived: Arrived::default(),
            bounds: Bounds::default(),
            echo: Echo::Other,
            probing: false,
            too_high: false,
            careful: false,
            probes: 0,
            episode: None,
            held: None,
            delivered: 0,
            idle_restart: false,
            collapsed_at: None,
        }
    }

    fn packet(&self) -> u64 {
        u64::from(self.mtu).max(1)
    }

    fn least(&self) -> u64 {
        BBR_MIN_WINDOW_PACKETS * self.packet()
    }

    /// Whether so much lost, of what was in flight, is more than chance.
    fn is_too_much(&self, lost: u64, in_flight: u64) -> bool {
        lost > tolerated(in_flight, self.packet())
    }

    /// The bandwidth that counts, in bytes per second.
    fn bandwidth(&self) -> u64 {
        self.bounds.bandwidth_lo.map_or(self.bandwidth.get(), |lo| lo.min(self.bandwidth.get()))
    }

    /// What the bandwidth carries in so many percent of a round trip.
    fn carried(&self, bandwidth: u64, gain: u64) -> u64 {
        match self.min_rtt.get() {
            Some(rtt) if bandwidth > 0 => percent(mul_div(bandwidth, nanos(rtt), 1_000_000_000), gain),
            _ => initial_window(self.mtu),
        }
    }

    /// The same with room for packets to leave in batches.
    fn in_flight_for(&self, bandwidth: u64, gain: u64) -> u64 {
        let batch = mul_div(self.pacing_rate.unwrap_or(0), nanos(BATCH_TIME), 1_000_000_000);
        let least = (3 * batch.min(MAX_BATCH)).max(self.least());
        let up = matches!(self.phase, Phase::ProbeBw(Cycle { step: Step::Up { .. }, .. }));
        self.carried(bandwidth, gain).max(least).saturating_add(if up { 2 * self.packet() } else { 0 })
    }

    /// The most that went well, less what is left to others.
    fn with_headroom(&self) -> Option<u64> {
        let hi = self.bounds.inflight_hi?;
        let headroom = percent(hi, HEADROOM_PERCENT).max(self.packet());
        Some(hi.saturating_sub(headroom).max(self.least()))
    }

    fn handle_sample(&mut self, sample: &Sample) {
        let round_over = self.arrived.handle_sample(sample);
        if sample.rate > 0 && (sample.rate >= self.bandwidth.get() || !sample.limited) {
            self.bandwidth.handle_sample(sample.rate);
        }
        let startup = self.phase == Phase::Startup;
        if round_over && startup {
            self.judge_startup_losses(sample);
        }
        if round_over && self.arrived.congested && self.is_cruising() {
            self.bounds.lower(self.bandwidth.get(), self.window, &self.arrived);
        }
        let surplus = self.aggregation.handle_ack(sample.now, sample.acked, self.bandwidth()).min(self.window);
        // While the bandwidth grows, what was a surplus soon is none.
        let span = if self.full.reached { BBR_EXTRA_ACKED_ROUNDS } else { 1 };
        self.aggregation.keep(surplus, self.rounds.count, span);
        if !sample.limited && sample.rate > 0 && !self.full.now {
            self.full.handle_sample(sample.rate, sample.round_begins);
        }
        if self.phase == Phase::Startup && self.full.reached {
            self.phase = Phase::Drain { since: self.rounds.count };
        }
        if let Phase::Drain { since } = self.phase {
            let drained = sample.in_flight <= self.in_flight_for(self.bandwidth.get(), 100);
            if drained || self.rounds.count > since + BBR_DRAIN_ROUNDS_MAX {
                self.start_down(sample.now);
            }
        }
        if self.full.reached && !self.adapt(sample) {
            self.step(sample);
        }
        if round_over {
            self.arrived.advance(sample);
        }
    }

    /// A round of the start is over.
    fn judge_startup_losses(&mut self, sample: &Sample) {
        let many = self.arrived.lost >= BBR_STARTUP_LOSSES_MAX * self.packet()
            && self.is_too_much(sample.lost_since, sample.in_flight_then);
        if many || self.arrived.marked {
            self.full.reached = true;
            let carried = self.carried(self.bandwidth.get(), 100);
            self.bounds.inflight_hi = Some(carried.max(self.arrived.delivered));
        }
    }

    fn note_episode(&mut self, now: Instant, loss: &LossSample) {
        let undoable = loss.cause == LossCause::Loss;
        match &mut self.episode {
            Some(Episode { start, undo, .. }) if loss.newest.sent_at <= *start => {
                let more = |undo: Undo| Undo { lost: undo.lost.saturating_add(loss.bytes), ..undo };
                *undo = undo.filter(|_| undoable).map(more);
            }
            episode => {
                let undo = Undo { bounds: self.bounds, phase: self.phase, lost: loss.bytes };
                let previous_start = episode.map(|episode| episode.start);
                *episode = Some(Episode { start: now, previous_start, undo: undoable.then_some(undo) });
            }
        }
    }

    /// Nothing was lost in the last episode: what it has changed is as before (section 5.5.11.2).
    fn take_back(&mut self, undo: &Undo) {
        self.arrived.congested = self.arrived.marked;
        let looser = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a.max(b));
        self.bounds = Bounds {
            bandwidth_lo: looser(undo.bounds.bandwidth_lo, self.bounds.bandwidth_lo),
            inflight_lo: looser(undo.bounds.inflight_lo, self.bounds.inflight_lo),
            inflight_hi: looser(undo.bounds.inflight_hi, self.bounds.inflight_hi),
        };
        // If the bandwidth had stopped growing, it was not the losses.
        if !self.full.now {
            self.resume(undo.phase);
        }
    }

    fn set_pacing_rate(&mut self, path: &PathState) {
        let (gain, _) = self.gains();
        let bandwidth = match self.bandwidth() {
            0 if path.rtt.has_sample() => {
                mul_div(initial_window(self.mtu), 1_000_000_000, nanos(path.rtt.smoothed()).max(1))
            }
            0 => return,
            known => known,
        };
        self.pace_at(percent(bandwidth, gain));
    }

    fn pace_at(&mut self, rate: u64) {
        let rate = percent(rate, 100 - PACING_MARGIN_PERCENT).max(1);
        if self.full.reached || self.pacing_rate.is_none_or(|old| rate > old) {
            self.pacing_rate = Some(rate);
        }
    }

    fn set_window(&mut self, sample: &Sample, may_grow: bool) {
        let (_, gain) = self.gains();
        let most = self.in_flight_for(self.bandwidth(), gain).saturating_add(self.aggregation.get());
        let target = if self.full.reached {
            most
        } else {
            // The start follows its growth, and the model follows the start.
            let early = sample.delivered_now < 2 * initial_window(self.mtu);
            if self.window < most || early { MAX_WINDOW } else { self.window }
        };
        let bound = match self.phase {
            Phase::Startup | Phase::Drain { .. } => None,
            Phase::ProbeBw(Cycle { step: Step::Cruise { .. }, .. }) | Phase::ProbeRtt { .. } => self.with_headroom(),
            Phase::ProbeBw(_) => self.bounds.inflight_hi,
        };
        let bound = [bound, self.bounds.inflight_lo].into_iter().flatten().min().unwrap_or(MAX_WINDOW);
        let mut bound = bound.max(self.least());
        if let Phase::ProbeRtt { .. } = self.phase {
            bound = bound.min(self.probe_rtt_window());
        }
        let target = target.min(bound).clamp(min_window(self.mtu), MAX_WINDOW);
        self.window = follow(self.window, target, sample.acked, may_grow);
    }
}

impl Controller for Bbr {
    fn name(&self) -> &'static str {
        "bbr"
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn pacing_rate(&self) -> Option<u64> {
        self.pacing_rate
    }

    fn handle_sent(&mut self, now: Instant, stamp: &crate::SendStamp) {
        let alone = stamp.first_sent_at == now && stamp.delivered_at == now;
        if alone && stamp.app_limited {
            self.idle_restart = true;
            self.aggregation.restart(now);
            match self.phase {
                Phase::ProbeBw(_) if self.pacing_rate.is_some() => self.pace_at(self.bandwidth()),
                Phase::ProbeRtt { until: Some(end), .. } if now >= end => self.end_probe_rtt(now),
                _ => {}
            }
        }
    }

    fn handle_ack(&mut self, now: Instant, ack: &AckSample, path: &PathState) {
        let newest = &ack.newest;
        let held = self.held.is_some_and(|(since, until)| (since..=until).contains(&newest.sent_at));
        let sample = Sample {
            now,
            rate: path.rate.map_or(0, |rate| rate.bytes_per_sec()),
            delivered: path.rate.map_or(0, |rate| rate.bytes),
            limited: newest.app_limited || held,
            delivered_then: newest.delivered,
            delivered_now: path.delivered,
            in_flight_then: newest.in_flight,
            lost_since: path.lost.saturating_sub(newest.lost),
            acked: ack.bytes,
            in_flight: path.in_flight,
            window_full: newest.in_flight.saturating_add(self.packet()) > self.window,
            round_begins: self.rounds.handle_ack(newest.delivered, path.delivered),
        };
        self.delivered = path.delivered;
        self.handle_sample(&sample);
        let due = self.min_rtt.handle_sample(now, ack.rtt.map(|rtt| rtt.latest));
        self.probe_rtt(due, &sample);
        self.idle_restart = false;
        self.set_pacing_rate(path);
        let collapsed = self.collapsed_at.is_some_and(|at| newest.sent_at <= at);
        self.set_window(&sample, path.window_limited && !collapsed);
    }

    fn handle_loss(&mut self, now: Instant, loss: &LossSample, path: &PathState) {
        let marked = loss.cause == LossCause::Ecn;
        self.note_episode(now, loss);
        self.arrived.congested = true;
        self.arrived.marked |= marked;
        self.arrived.lost = self.arrived.lost.saturating_add(loss.bytes);
        let (in_flight, lost) = (loss.newest.in_flight, path.lost.saturating_sub(loss.newest.lost));
        if self.probing && (marked || self.is_too_much(lost, in_flight)) {
            let at = if marked { in_flight } else { in_flight_at_limit(in_flight, lost, loss.bytes, self.packet()) };
            self.handle_too_high(now, at, loss.newest.app_limited);
        }
        if loss.cause == LossCause::PersistentCongestion {
            self.window = self.window.min(self.least());
            self.collapsed_at = Some(now);
        }
    }

    fn handle_spurious(&mut self, _now: Instant, late: &LossSample) {
        self.arrived.lost = self.arrived.lost.saturating_sub(late.bytes);
        let Some(Episode { start, previous_start, undo: undoable @ Some(_) }) = &mut self.episode else { return };
        let sent_at = late.newest.sent_at;
        if sent_at > *start || previous_start.is_some_and(|previous| sent_at <= previous) {
            return;
        }
        let undo = undoable.take().map(|undo| Undo { lost: undo.lost.saturating_sub(late.bytes), ..undo });
        match undo {
            Some(undo) if undo.lost == 0 => self.take_back(&undo),
            left => *undoable = left,
        }
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.window = self.window.max(min_window(mtu));
    }

    fn reset(&mut self) {
        *self = Bbr::new(self.mtu);
    }

    fn is_slow_start(&self) -> bool {
        self.phase == Phase::Startup
    }
}

#[cfg(test)]
mod tests;
