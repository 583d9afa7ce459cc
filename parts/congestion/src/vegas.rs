//! Vegas (L. Brakmo, L. Peterson: TCP Vegas: End to End Congestion Avoidance on a Global Internet. IEEE JSAC 13(8),
//! 1995).

use core::time::Duration;

use tng_base::Instant;

use crate::integers::{Accrual, mul_div, nanos};
use crate::window::MAX_WINDOW;
use crate::{AckSample, Controller, LossCause, LossSample, PathState, initial_window, min_window};

/// With fewer packets than so many queued by this flow, the window grows by one packet per round trip.
pub const ALPHA_PACKETS: u64 = 2;
/// With more packets than so many queued by this flow, the window shrinks by one packet per round trip.
pub const BETA_PACKETS: u64 = 4;
/// With more packets than so many queued by this flow, slow start ends.
pub const GAMMA_PACKETS: u64 = 1;
/// A round with fewer samples of the round-trip time says nothing of queues; it is played as Reno would.
pub const ROUND_SAMPLES_MIN: u32 = 3;

/// Keeps between two and four packets of its own in the path's queues, as far as round-trip times show them; a loss
/// halves its window, as in Linux (the paper's quarter belongs to its finer-grained timeouts, which RACK has
/// overtaken).
#[derive(Clone, Debug)]
pub struct Vegas {
    mtu: u16,
    window: u64,
    ssthresh: Option<u64>,
    growth: Accrual,
    trend: Trend,
    round: Round,
    /// The last reduction by a loss; what was sent before it is part of the same event.
    recovery_start: Option<Instant>,
}

/// What the last round's measure says of this round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Trend {
    /// Slow start's doubling round, or one packet more.
    Grow,
    /// Slow start's round to measure in, or neither too little nor too much queued.
    Hold,
}

/// One round trip: what was sent before `start` belongs to an earlier one.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    start: Option<Instant>,
    rtt_min: Option<Duration>,
    samples: u32,
}

impl Vegas {
    /// A fresh one for packets of `mtu` bytes.
    pub fn new(mtu: u16) -> Vegas {
        Vegas {
            mtu,
            window: initial_window(mtu),
            ssthresh: None,
            growth: Accrual::default(),
            trend: Trend::Grow,
            round: Round::default(),
            recovery_start: None,
        }
    }

    fn sent_before_recovery(&self, sent_at: Instant) -> bool {
        self.recovery_start.is_some_and(|start| sent_at <= start)
    }

    /// A round is over: compares what was expected of it with what it brought.
    fn judge(&mut self, base: Duration) {
        let Some(rtt) = self.round.rtt_min.filter(|_| self.round.samples >= ROUND_SAMPLES_MIN) else {
            self.trend = Trend::Grow;
            return;
        };
        // The paper's (expected - actual) * baseRTT: the bytes of this window that wait in queues.
        let queued = mul_div(self.window, nanos(rtt.saturating_sub(base)), nanos(rtt).max(1));
        let packet = u64::from(self.mtu);
        if self.is_slow_start() {
            if queued > GAMMA_PACKETS * packet {
                // Down to what the path carries without a queue, and one packet.
                let carried = (self.window - queued).saturating_add(packet);
                self.window = self.window.min(carried).max(min_window(self.mtu));
                self.ssthresh = Some(self.window);
                self.trend = Trend::Hold;
            } else {
                self.trend = if self.trend == Trend::Grow { Trend::Hold } else { Trend::Grow };
            }
        } else if queued > BETA_PACKETS * packet {
            self.window = self.window.saturating_sub(packet).max(min_window(self.mtu));
            self.ssthresh = self.ssthresh.map(|ssthresh| ssthresh.min(self.window));
            self.trend = Trend::Hold;
        } else {
            self.trend = if queued < ALPHA_PACKETS * packet { Trend::Grow } else { Trend::Hold };
        }
    }
}

impl Controller for Vegas {
    fn name(&self) -> &'static str {
        "vegas"
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn handle_ack(&mut self, now: Instant, ack: &AckSample, path: &PathState) {
        if let Some(sample) = ack.rtt {
            self.round.rtt_min = Some(self.round.rtt_min.map_or(sample.latest, |min| min.min(sample.latest)));
            self.round.samples += 1;
        }
        if self.round.start.is_none_or(|start| ack.newest.sent_at >= start) {
            if self.round.start.is_some() && !self.sent_before_recovery(ack.newest.sent_at) {
                self.judge(path.rtt.min());
            }
            self.round = Round { start: Some(now), ..Round::default() };
        }
        if self.trend == Trend::Hold || !path.window_limited || self.sent_before_recovery(ack.newest.sent_at) {
            return;
        }
        let grown = if self.is_slow_start() {
            ack.bytes
        } else {
            self.growth.add(u64::from(self.mtu), ack.bytes, self.window).min(ack.bytes)
        };
        self.window = self.window.saturating_add(grown).min(MAX_WINDOW).max(self.window);
    }

    fn handle_loss(&mut self, now: Instant, loss: &LossSample, _path: &PathState) {
        if !self.sent_before_recovery(loss.newest.sent_at) {
            self.window = (self.window / 2).max(min_window(self.mtu));
            self.ssthresh = Some(self.window);
            self.recovery_start = Some(now);
            self.growth = Accrual::default();
            self.trend = Trend::Grow;
        }
        if loss.cause == LossCause::PersistentCongestion {
            self.window = min_window(self.mtu);
            self.recovery_start = Some(now);
            self.trend = Trend::Grow;
        }
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.window = self.window.max(min_window(mtu));
    }

    fn reset(&mut self) {
        *self = Vegas::new(self.mtu);
    }

    fn handle_idle(&mut self, periods: u32) {
        (self.window, self.ssthresh) = crate::window::after_idle(self.window, self.ssthresh, self.mtu, periods);
        self.round = Round::default();
    }

    fn is_slow_start(&self) -> bool {
        self.ssthresh.is_none_or(|ssthresh| self.window < ssthresh)
    }

    fn ssthresh(&self) -> Option<u64> {
        self.ssthresh
    }
}

#[cfg(test)]
mod tests;
