//! NewReno (RFC 9002 section 7 and appendix B).

use tng_base::Instant;

use crate::{AckSample, Controller, LossCause, LossSample, PathState, initial_window, min_window};

/// Halves its window at a loss, adds one packet per round trip.
#[derive(Clone, Debug)]
pub struct NewReno {
    mtu: u16,
    window: u64,
    ssthresh: Option<u64>,
    counted: u64,
    recovery_start: Option<Instant>,
}

impl NewReno {
    /// A fresh one for packets of `mtu` bytes.
    pub fn new(mtu: u16) -> NewReno {
        NewReno { mtu, window: initial_window(mtu), ssthresh: None, counted: 0, recovery_start: None }
    }
}

impl Controller for NewReno {
    fn name(&self) -> &'static str {
        "newreno"
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn handle_ack(&mut self, _now: Instant, ack: &AckSample, path: &PathState) {
        if !path.window_limited || self.recovery_start.is_some_and(|start| ack.newest.sent_at <= start) {
            return;
        }
        if self.is_slow_start() {
            self.window = self.window.saturating_add(ack.bytes);
        } else {
            self.counted = self.counted.saturating_add(ack.bytes);
            if self.counted >= self.window {
                self.counted = (self.counted - self.window).min(self.window);
                self.window = self.window.saturating_add(u64::from(self.mtu));
            }
        }
    }

    fn handle_loss(&mut self, now: Instant, loss: &LossSample, _path: &PathState) {
        if self.recovery_start.is_none_or(|start| loss.newest.sent_at > start) {
            self.recovery_start = Some(now);
            self.window = (self.window / 2).max(min_window(self.mtu));
            self.ssthresh = Some(self.window);
            self.counted = 0;
        }
        if loss.cause == LossCause::PersistentCongestion {
            self.recovery_start = Some(now);
            self.window = min_window(self.mtu);
        }
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.window = self.window.max(min_window(mtu));
    }

    fn reset(&mut self) {
        *self = NewReno::new(self.mtu);
    }

    fn is_slow_start(&self) -> bool {
        self.ssthresh.is_none_or(|ssthresh| self.window < ssthresh)
    }

    fn ssthresh(&self) -> Option<u64> {
        self.ssthresh
    }
}
