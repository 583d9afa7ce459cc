//! NewReno (RFC 9002 section 7 and appendix B), with the lesser reduction of RFC 8511 for marks.

use tng_base::Instant;

use crate::integers::{Accrual, mul_div};
use crate::window::{Growth, Window};
use crate::{AckSample, PathState};

/// Halves its window at a loss, takes a fifth of it away at a mark unless that ends slow start, adds one packet per
/// round trip.
pub type NewReno = Window<AdditiveIncrease>;

/// One packet for each window's worth of acknowledged bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AdditiveIncrease {
    growth: Accrual,
}

impl Growth for AdditiveIncrease {
    const NAME: &'static str = "newreno";

    fn grow(&mut self, window: u64, mtu: u16, acked: u64, _now: Instant, _ack: &AckSample, _path: &PathState) -> u64 {
        window.saturating_add(self.growth.add(u64::from(mtu), acked, window))
    }

    fn reduce(&mut self, window: u64) -> u64 {
        self.growth = Accrual::default();
        window / 2
    }

    /// Who marks keeps its queue short (RFC 8511): half the window would leave the path idle until it has grown again.
    fn reduce_marked(&mut self, window: u64) -> u64 {
        self.growth = Accrual::default();
        mul_div(window, 4, 5)
    }
}

#[cfg(test)]
mod tests;
