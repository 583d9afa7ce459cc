//! How far BBR goes: the short-term bounds that losses set and the next probe lifts, and the long-term one that probing finds.

use super::model::Rounds;
use super::{LOSS_PERCENT_MAX, Sample};

/// What losses leave of a bound, in percent (`BBRBeta`).
const BETA_PERCENT: u64 = 70;

/// Bounds of bandwidth, in bytes per second, and of data in flight, in bytes; `None` is no bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Bounds {
    /// Of the bandwidth, since the last probe.
    pub(super) bandwidth_lo: Option<u64>,
    /// Of the data in flight, since the last probe.
    pub(super) inflight_lo: Option<u64>,
    /// Of the data in flight, as long as it stands: more was followed by too many losses.
    pub(super) inflight_hi: Option<u64>,
}

impl Bounds {
    /// A round had losses or marks: keeps a part of what went, or as much as arrived if that is more.
    pub(super) fn lower(&mut self, bandwidth: u64, window: u64, arrived: &Arrived) {
        let bandwidth = percent(self.bandwidth_lo.unwrap_or(bandwidth), BETA_PERCENT).max(arrived.rate);
        let inflight = percent(self.inflight_lo.unwrap_or(window), BETA_PERCENT).max(arrived.delivered);
        (self.bandwidth_lo, self.inflight_lo) = (Some(bandwidth), Some(inflight));
    }

    /// The short-term bounds are void.
    pub(super) fn forget_short_term(&mut self) {
        (self.bandwidth_lo, self.inflight_lo) = (None, None);
    }

    /// With so much in flight too much was lost; `target` would be usual.
    pub(super) fn handle_too_high(&mut self, in_flight: u64, target: u64) {
        self.inflight_hi = Some(in_flight.max(percent(target, BETA_PERCENT)));
    }
}

/// The most that arrived in the round of losses under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrived {
    rounds: Rounds,
    /// In bytes per second.
    pub(super) rate: u64,
    /// In the interval of one sample, in bytes.
    pub(super) delivered: u64,
    /// Bytes lost.
    pub(super) lost: u64,
    /// Whether there were losses or marks.
    pub(super) congested: bool,
    /// Whether there were marks.
    pub(super) marked: bool,
}

impl Arrived {
    /// Takes a sample; answers whether a round is over with it.
    pub(super) fn handle_sample(&mut self, sample: &Sample) -> bool {
        self.rate = self.rate.max(sample.rate);
        self.delivered = self.delivered.max(sample.delivered);
        self.rounds.handle_ack(sample.delivered_then, sample.delivered_now)
    }

    /// Begins anew, in the middle of a round.
    pub(super) fn forget(&mut self) {
        *self = Arrived { rounds: self.rounds, ..Arrived::default() };
    }

    /// What is over has been used; the next round begins with this sample.
    pub(super) fn advance(&mut self, sample: &Sample) {
        *self = Arrived { rounds: self.rounds, rate: sample.rate, delivered: sample.delivered, ..Arrived::default() };
    }
}

/// Whether so much lost, of what was in flight, is more than chance.
pub(super) fn is_too_much(lost: u64, in_flight: u64) -> bool {
    lost > percent(in_flight, LOSS_PERCENT_MAX)
}

/// How much was in flight when the share of losses passed what is tolerated, in the packets of `size` bytes that were lost last.
pub(super) fn in_flight_at_limit(in_flight: u64, lost: u64, size: u64) -> u64 {
    let (in_flight, lost) = (in_flight.saturating_sub(size), lost.saturating_sub(size));
    let passed = percent(in_flight, LOSS_PERCENT_MAX).saturating_sub(lost);
    in_flight.saturating_add(passed.saturating_mul(100) / (100 - LOSS_PERCENT_MAX))
}

/// So many percent of `n`.
pub(super) fn percent(n: u64, percent: u64) -> u64 {
    crate::integers::mul_div(n, percent, 100)
}
