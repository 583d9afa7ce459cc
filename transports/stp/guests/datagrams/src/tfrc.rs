//! The rate that TCP would have (RFC 3448, 5348): loss events counted by the receiver, or by the sender.

use tng_base::Instant;
use tng_congestion::{LossIntervals, throughput};

use crate::clock::{Clock, RATE_MAX};
use crate::{News, Pace, Turn};

/// Segments of the first round trip (RFC 4342 5.2, RFC 3390).
const INITIAL_SEGMENTS: u64 = 4;
/// What is taken for a round trip and a segment before there is one.
const RTT_INITIAL_MS: u64 = 500;
const SIZE_INITIAL: u64 = 1_200;

/// A rate that follows from a loss event rate.
#[derive(Clone, Debug)]
struct Equation {
    clock: Clock,
    /// When it was doubled last.
    doubled_at: u64,
    measured: bool,
}

impl Default for Equation {
    fn default() -> Equation {
        let rate = INITIAL_SEGMENTS * SIZE_INITIAL * 1_000 / RTT_INITIAL_MS;
        Equation { clock: Clock::new(rate), doubled_at: 0, measured: false }
    }
}

impl Equation {
    /// `loss` in billionths, 0 for none yet; `got` bytes a second that the peer received lately, 0 if it is not known.
    fn handle(&mut self, now: u64, news: &News, loss: u64, got: u64) {
        let (size, rtt) = (news.size.max(1), news.rtt_ms);
        let least = size * 1_000 / rtt.max(1);
        if !core::mem::replace(&mut self.measured, true) {
            self.clock.rate = INITIAL_SEGMENTS * least;
            self.doubled_at = now;
        }
        let most = if got > 0 { (2 * got).max(least) } else { RATE_MAX };
        if loss > 0 {
            self.clock.rate = throughput(size, rtt * 1_000_000, loss).min(most).max(size / 64 + 1);
        } else if now >= self.doubled_at + rtt {
            self.doubled_at = now;
            self.clock.rate = (2 * self.clock.rate).min(most).max(least);
        }
    }

    fn handle_silence(&mut self) {
        self.clock.rate = (self.clock.rate / 2).max(SIZE_INITIAL / 64);
    }
}

/// By what the receiver counts.
#[derive(Clone, Debug, Default)]
pub struct ByReceiver {
    equation: Equation,
}

/// The tag of those whose receiver counts.
pub(crate) const TAG_RECEIVER: u8 = 1;

impl Pace for ByReceiver {
    fn tag(&self) -> u8 {
        TAG_RECEIVER
    }

    fn turn(&mut self, now: u64, _: usize) -> Turn {
        self.equation.clock.turn(now)
    }

    fn handle_sent(&mut self, _: u64, len: u64) {
        self.equation.clock.handle_sent(len);
    }

    fn handle_news(&mut self, now: u64, news: &News) {
        self.equation.handle(now, news, news.peer.0, news.peer.1);
    }

    fn handle_silence(&mut self, _: u64) {
        self.equation.handle_silence();
    }
}

/// By what the sender knows of its segments (CCID 3, with the receiver's ranges in place of its loss intervals).
#[derive(Clone, Debug, Default)]
pub struct BySender {
    equation: Equation,
    events: Option<LossIntervals>,
}

impl Pace for BySender {
    fn tag(&self) -> u8 {
        TAG_RECEIVER
    }

    fn turn(&mut self, now: u64, _: usize) -> Turn {
        self.equation.clock.turn(now)
    }

    fn handle_sent(&mut self, _: u64, len: u64) {
        self.equation.clock.handle_sent(len);
    }

    fn handle_news(&mut self, now: u64, news: &News) {
        let (size, rtt) = (news.size.max(1), core::time::Duration::from_millis(news.rtt_ms));
        if let Some((number, left)) = news.lost {
            let (at, position) = (Instant::from_millis(left), number * size);
            let rate = self.equation.clock.rate;
            let events = self.events.get_or_insert_with(|| LossIntervals::seeded(at, position, size, rtt, rate));
            events.handle_loss(at, position, rtt);
        }
        let loss = self.events.map_or(0, |events| events.rate(size, news.numbered * size));
        self.equation.handle(now, news, loss, news.peer.1);
    }

    fn handle_silence(&mut self, _: u64) {
        self.equation.handle_silence();
    }
}
