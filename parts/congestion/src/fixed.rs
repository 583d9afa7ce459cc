//! An administratively fixed rate and window (Tng 6.2).

use core::time::Duration;

use tng_base::Instant;

use crate::integers::{mul_div, nanos};
use crate::rtt::INITIAL_RTT;
use crate::window::{MAX_WINDOW, follow};
use crate::{AckSample, Controller, LossSample, PathState, Share, initial_window, min_window};

/// A window that follows from the rate is what this carries in a round trip, the round trip divided by this more, and
/// [`FIXED_MARGIN_PACKETS`], so that acknowledgments may come in batches.
pub const FIXED_MARGIN_DIVISOR: u64 = 8;
/// Packets that such a window holds besides.
pub const FIXED_MARGIN_PACKETS: u64 = 10;

/// Sends at the rate that the link's owner has set, whatever the path does: losses, marks and delays change nothing.
/// For a link whose bandwidth is one's own, so that there is nothing to find out and no time to ramp up. Until there is
/// a [`Share`] it keeps the initial window.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    mtu: u16,
    share: Option<Share>,
    /// Least round trip known.
    rtt_min: Duration,
    window: u64,
}

impl Fixed {
    /// For packets of `mtu` bytes, with the part of the link that is known from the start.
    pub fn new(mtu: u16, share: Option<Share>) -> Fixed {
        let mut fixed = Fixed { mtu, share, rtt_min: INITIAL_RTT, window: 0 };
        fixed.window = fixed.target();
        fixed
    }

    fn target(&self) -> u64 {
        let window = match self.share {
            None => initial_window(self.mtu),
            Some(Share { window: Some(window), .. }) => window,
            Some(Share { rate, window: None }) => {
                let carried = mul_div(rate, nanos(self.rtt_min), 1_000_000_000);
                let margin = carried / FIXED_MARGIN_DIVISOR + FIXED_MARGIN_PACKETS * u64::from(self.mtu);
                carried.saturating_add(margin)
            }
        };
        window.max(min_window(self.mtu)).min(MAX_WINDOW)
    }
}

impl Controller for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn pacing_rate(&self) -> Option<u64> {
        self.share.map(|share| share.rate)
    }

    fn handle_ack(&mut self, _now: Instant, ack: &AckSample, path: &PathState) {
        if path.rtt.has_sample() {
            self.rtt_min = path.rtt.min();
        }
        self.window = follow(self.window, self.target(), ack.bytes, path.window_limited);
    }

    fn handle_loss(&mut self, _now: Instant, _loss: &LossSample, _path: &PathState) {}

    fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.window = self.window.max(min_window(mtu));
    }

    fn reset(&mut self) {
        *self = Fixed::new(self.mtu, self.share);
    }

    fn set_share(&mut self, share: Share) {
        self.share = Some(share);
        self.window = self.target();
    }

    fn is_slow_start(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
