//! What the receiver of packets tells of those that its link has lost to corruption (Tng 5.2).

use std::collections::VecDeque;

use tng_base::Instant;

use crate::wire::Control;

/// Most notices of packets lost on the link that wait to be sent. What comes beyond is forgotten: the sender finds
/// those losses itself.
pub const LOSS_NOTICES_MAX: usize = 64;

/// LOST frames to send, each once: a notice that is lost itself is not worth repeating, since by then the sender knows.
#[derive(Debug, Default)]
pub struct LossNotices {
    frames: VecDeque<Control<'static>>,
    /// When the first of them came.
    since: Instant,
}

impl LossNotices {
    /// The link has lost `number`; answers whether that will be told.
    pub fn push(&mut self, now: Instant, number: u64) -> bool {
        let frame = Control::Lost { number };
        if self.frames.len() >= LOSS_NOTICES_MAX || self.frames.contains(&frame) {
            return false;
        }
        if self.frames.is_empty() {
            self.since = now;
        }
        self.frames.push_back(frame);
        true
    }

    /// When they are due: at once.
    pub fn due(&self) -> Option<Instant> {
        (!self.frames.is_empty()).then_some(self.since)
    }

    /// The frames, in the order of the losses.
    pub fn queued(&self) -> impl ExactSizeIterator<Item = &Control<'static>> + Clone {
        self.frames.iter()
    }

    /// Gives back the memory that it is not using.
    pub fn shrink(&mut self) {
        self.frames.shrink_to_fit();
    }

    /// The first `count` were sent.
    pub fn handle_sent(&mut self, count: usize) {
        self.frames.drain(..count);
    }
}
