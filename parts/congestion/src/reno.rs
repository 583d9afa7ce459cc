//! Reno (RFC 5681): the controller of the reference TCP, and of Linux under this name.

use tng_base::Instant;

use crate::window::{Growth, Window};
use crate::{AckSample, AdditiveIncrease, PathState};

/// Halves its window at a loss or mark, adds one packet per round trip, and starts slowly by acknowledgments: none of
/// them adds more than two packets ([`SlowStart::Counted`](crate::SlowStart::Counted)).
///
/// What RFC 5681 calls fast recovery is here shared work: the ledger of [`Regulation`](crate::Regulation) takes out
/// what is acknowledged selectively and what is lost, which is what inflating and deflating the window stands for, and
/// the window does not grow until a packet is acknowledged that left after the reduction.
pub type Reno = Window<RenoIncrease>;

/// One packet for each window's worth of acknowledged bytes (RFC 5681 section 3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RenoIncrease(AdditiveIncrease);

impl Growth for RenoIncrease {
    const NAME: &'static str = "reno";

    fn grow(&mut self, window: u64, mtu: u16, acked: u64, now: Instant, ack: &AckSample, path: &PathState) -> u64 {
        self.0.grow(window, mtu, acked, now, ack, path)
    }

    fn reduce(&mut self, window: u64) -> u64 {
        self.0.reduce(window)
    }
}

#[cfg(test)]
mod tests;
