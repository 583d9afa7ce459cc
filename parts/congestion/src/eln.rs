//! Explicit loss notification (Tng 5.2).

use tng_base::Instant;

use crate::{AckSample, Controller, LossCause, LossSample, PathState, SendStamp, Share};

/// Another controller that does not hear of losses which a link has reported as its own ([`LossCause::Link`]): what was
/// corrupted on the air says nothing of queues. Whatever is found lost without such a report is congestion as ever.
///
/// The reports are the receiver's word, so it is a controller for a section whose other end is trusted to take no more
/// than its share.
#[derive(Debug)]
pub struct Eln {
    inner: Box<dyn Controller>,
}

impl Eln {
    /// Around `inner`, fresh.
    pub fn new(inner: Box<dyn Controller>) -> Eln {
        Eln { inner }
    }
}

impl Controller for Eln {
    fn name(&self) -> &'static str {
        "eln"
    }

    fn window(&self) -> u64 {
        self.inner.window()
    }

    fn pacing_rate(&self) -> Option<u64> {
        self.inner.pacing_rate()
    }

    fn handle_sent(&mut self, now: Instant, stamp: &SendStamp) {
        self.inner.handle_sent(now, stamp);
    }

    fn handle_ack(&mut self, now: Instant, ack: &AckSample, path: &PathState) {
        self.inner.handle_ack(now, ack, path);
    }

    fn handle_loss(&mut self, now: Instant, loss: &LossSample, path: &PathState) {
        if loss.cause != LossCause::Link {
            self.inner.handle_loss(now, loss, path);
        }
    }

    fn handle_spurious(&mut self, now: Instant, late: &LossSample) {
        self.inner.handle_spurious(now, late);
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.inner.set_mtu(mtu);
    }

    fn reset(&mut self) {
        self.inner.reset();
    }

    fn handle_silence(&mut self, now: Instant, newest: &SendStamp, path: &PathState) {
        self.inner.handle_silence(now, newest, path);
    }

    fn handle_idle(&mut self, periods: u32) {
        self.inner.handle_idle(periods);
    }

    fn set_share(&mut self, share: Share) {
        self.inner.set_share(share);
    }

    fn is_slow_start(&self) -> bool {
        self.inner.is_slow_start()
    }

    fn ssthresh(&self) -> Option<u64> {
        self.inner.ssthresh()
    }
}

#[cfg(test)]
mod tests;
