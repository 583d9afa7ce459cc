//! How far BBR goes: the short-term bounds that losses set and the next probe lifts, and the long-term one that probing
//! finds.

use super::model::Rounds;
use crate::integers::mul_div;

use super::{LOSS_PERCENT_MAX, PACING_MARGIN_PERCENT, Sample};

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
    /// A round had losses or marks: keeps a part of what went, or as much as arrived if that is more. What is lost by
    /// chance, and what the pacer holds back, makes no difference: else a few losses in each round would add up to a
    /// great reduction.
    pub(super) fn lower(&mut self, bandwidth: u64, window: u64, arrived: &Arrived) {
        let lowered = |bound: u64, arrived: u64| {
            let whole = percent(arrived, 100 + LOSS_PERCENT_MAX + PACING_MARGIN_PERCENT);
            percent(bound, BETA_PERCENT).max(whole.min(bound))
        };
        self.bandwidth_lo = Some(lowered(self.bandwidth_lo.unwrap_or(bandwidth), arrived.rate));
        self.inflight_lo = Some(lowered(self.inflight_lo.unwrap_or(window), arrived.delivered));
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

/// So many bytes of those in flight, in packets of that size, may be lost: the tolerated share, and a standard
/// deviation for chance.
pub(super) fn tolerated(in_flight: u64, packet: u64) -> u64 {
    let share = percent(in_flight, LOSS_PERCENT_MAX);
    let deviation = (u128::from(share) * u128::from(packet)).isqrt();
    share.saturating_add(u64::try_from(deviation).unwrap_or(u64::MAX))
}

/// How much was in flight when the losses passed what is tolerated, within the `size` bytes that were lost last.
pub(super) fn in_flight_at_limit(in_flight: u64, lost: u64, size: u64, packet: u64) -> u64 {
    let (in_flight, lost) = (in_flight.saturating_sub(size), lost.saturating_sub(size));
    let passed = tolerated(in_flight, packet).saturating_sub(lost).min(size);
    in_flight.saturating_add(passed.saturating_mul(100) / (100 - LOSS_PERCENT_MAX))
}

/// So many percent of `n`.
pub(super) fn percent(n: u64, percent: u64) -> u64 {
    mul_div(n, percent, 100)
}
