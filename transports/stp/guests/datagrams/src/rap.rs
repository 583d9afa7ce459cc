//! RAP: a rate that grows by a packet a round trip, and is halved by a loss (Rejaie, Handley and Estrin 1999).

use crate::clock::{Clock, RATE_MAX};
use crate::{News, Pace, Turn};

const RATE_INITIAL: u64 = 10_000;

/// Additive increase, multiplicative decrease, of a rate.
#[derive(Clone, Debug)]
pub struct Additive {
    clock: Clock,
    /// When the last step was, and whether there has been a loss.
    step_at: u64,
    lossy: bool,
    /// Losses of segments before this one are of the loss that has halved the rate.
    until: u64,
}

impl Default for Additive {
    fn default() -> Additive {
        Additive { clock: Clock::new(RATE_INITIAL), step_at: 0, lossy: false, until: 0 }
    }
}

impl Pace for Additive {
    fn tag(&self) -> u8 {
        0
    }

    fn turn(&mut self, now: u64, _: usize) -> Turn {
        self.clock.turn(now)
    }

    fn handle_sent(&mut self, _: u64, len: u64) {
        self.clock.handle_sent(len);
    }

    fn handle_news(&mut self, now: u64, news: &News) {
        let step = news.size * 1_000 / news.rtt_ms;
        if news.lost.is_some_and(|(number, _)| number >= self.until) {
            (self.clock.rate, self.lossy) = ((self.clock.rate / 2).max(step / 4).max(1), true);
            (self.until, self.step_at) = (news.numbered, now);
        } else if now >= self.step_at + news.rtt_ms {
            self.step_at = now;
            // In the beginning it doubles, as TCP does.
            let more = if self.lossy { step } else { self.clock.rate.max(step) };
            self.clock.rate = (self.clock.rate + more).min(RATE_MAX);
        }
    }

    fn handle_silence(&mut self, now: u64) {
        (self.clock.rate, self.lossy, self.step_at) = ((self.clock.rate / 2).max(100), true, now);
    }
}
